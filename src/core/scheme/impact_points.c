/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_points.h"

#include "core/model/impact_law.h"
#include "core/rows/budget.h"
#include "core/scheme/impact_matrix.h"

static const double ENOUGH = 1e-10; /* of the velocities: errors of an answer      */
/* m/s: of the velocities, so that squares of errors are numbers */
static const double LEAST = 1e-130;
static const double SHARE = 0.1;    /* of an answer's error: that of a point        */
/* times dls_expansion.limit: an error at most, and what is gone for */
static const double TOLERATED = 10, AIM = 5;

static const dls_block *block_of(const dls_impact_matrix *N, int row) {
  return &N->of->S->rows.block[N->of->blocks[N->block[row]]];
}

static bool is_held(const dls_impact_matrix *N, int row) {
  return block_of(N, row)->kind == DLS_ROW_BILATERAL;
}

/* Row k of the lower triangle of N->A, eliminated, leaves those behind it. */
static void eliminate(dls_impact_matrix *N, int k) {
  const size_t ld = N->ld;
  const double pivot = N->A[(size_t)k * ld + (size_t)k];
  for (size_t i = (size_t)k + 1; i < (size_t)N->n; i++) {
    const double f = N->A[i * ld + (size_t)k] / pivot;
    for (size_t j = (size_t)k + 1; f != 0 && j <= i; j++)
      N->A[i * ld + j] -= f * N->A[j * ld + (size_t)k];
  }
}

/* W in N->A, what joints hold first, and that eliminated; N->perm: the rows in that order. How
** many are held. */
static int hold_joints(dls_impact_matrix *N) {
  int n = 0, n_held = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < N->n; i++) {
      if (is_held(N, i) != (turn == 0)) continue;
      N->perm[n++] = i;
      n_held += turn == 0;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      N->A[(size_t)i * N->ld + (size_t)j] =
          N->W[(size_t)N->perm[i] * (size_t)n + (size_t)N->perm[j]];
  for (int k = 0; k < n_held; k++) {
    const int row = N->perm[k];
    const double own = N->W[(size_t)row * (size_t)n + (size_t)row];
    if (N->A[(size_t)k * N->ld + (size_t)k] > DLS_IMPACT_DEPENDENT * own) eliminate(N, k);
    else for (int i = k; i < n; i++) N->A[(size_t)i * N->ld + (size_t)k] = 0;
  }
  return n_held;
}

/* gamma of all rows but those that are held: of a contact's normal with its friction, where it
** has some; of what else turns. */
static void soften(dls_impact_matrix *N, int n_held) {
  for (int k = n_held; k < N->n;) {
    const dls_block *block = block_of(N, N->perm[k]);
    int rows_of[3];
    const int groups = dls_impact_groups(N->of->S->dim, block, rows_of);
    const int tangents = groups > 0 ? rows_of[0] : 0;
    const bool rubs = tangents > 0 && block->mu[0] > 0;
    double gamma[2];
    dls_impact_gamma_of_contact(N->A, N->ld, (size_t)k, tangents, rubs, gamma);
    for (int j = 0; j <= tangents; j++) N->soft[N->perm[k + j]] = gamma[j > 0];
    k += 1 + tangents;
    for (int g = 1; g < groups; g++) {
      const double of_group = dls_impact_gamma(N->A, N->ld, (size_t)k, (size_t)(k + rows_of[g]));
      for (const int end = k + rows_of[g]; k < end; k++) N->soft[N->perm[k]] = of_group;
    }
  }
}

/* Whether a row follows from those before it. */
static bool is_dependent(dls_impact_matrix *N, int n_held) {
  double *own = N->kept;
  for (int k = n_held; k < N->n; k++) own[k] = N->A[(size_t)k * N->ld + (size_t)k];
  for (int k = n_held; k < N->n; k++) {
    if (!(N->most[N->perm[k]] > 0)) continue;
    if (!(N->A[(size_t)k * N->ld + (size_t)k] > DLS_IMPACT_DEPENDENT * own[k])) return true;
    eliminate(N, k);
  }
  return false;
}

/* p_n = e p_C, all else 0. */
static void begin(dls_impact_matrix *N, double *x) {
  memset(x, 0, (size_t)N->n * sizeof *x);
  for (int i = 0; i < N->n; i++)
    if (N->at[i] == 0 && N->most[i] > 0 && !is_held(N, i))
      x[i] = dls_expansion_least(N->of, block_of(N, i));
}

/* v without gamma. */
static void uncover(dls_impact_matrix *N) {
  for (int i = 0; i < N->n; i++) N->v[i] -= N->soft[i] * (N->x[i] - N->centre[i]);
}

/* The centre at x. */
static void centre(dls_impact_matrix *N) {
  uncover(N);
  memcpy(N->centre, N->x, (size_t)N->n * sizeof *N->x);
}

/* x at the centre. */
static void go_back(dls_impact_matrix *N) {
  uncover(N);
  dls_impact_matrix_go(N, N->centre);
}

static void scale_gamma(dls_impact_matrix *N, double factor) {
  for (int i = 0; i < N->n; i++) {
    const double before = N->soft[i];
    N->soft[i] *= factor;
    N->v[i] += (N->soft[i] - before) * (N->x[i] - N->centre[i]);
  }
}

/* The point about the centre, from there; where Newton's steps do not end, by way of those of
** larger gamma. */
static bool reach_point(dls_impact_matrix *N, double enough) {
  enum { EASED = 3 };
  bool found = dls_impact_matrix_solve(N, enough);
  for (int k = 0; !found && k <= EASED; k++) {
    scale_gamma(N, k == 0 ? 1000 : 0.1);
    found = dls_impact_matrix_solve(N, enough) && k == EASED;
  }
  return found;
}

/* Proximal points from N->x, until the error is `target`, m/s, or `most` of Newton's steps are
** made; the best in `best`: its error.
** Bodies that have turned a little since they lay flat leave W nearly singular: impulses then
** have a long way along its kernel, until some reach the edges of their cones, and gamma falls. */
static double go_by_points(dls_impact_matrix *N, double target, double most, double *best) {
  const size_t size = (size_t)N->n * sizeof *best;
  double least = DLS_INF;
  bool falls = true;
  memcpy(N->centre, N->x, size);
  for (int k = 0; k < DLS_IMPACT_POINTS && least > target && N->steps <= most; k++) {
    if (dls_stop_poll(N->of->S->rows.stop, 0)) break;
    if (!reach_point(N, SHARE * target)) {
      go_back(N);
      scale_gamma(N, DLS_IMPACT_STIFFER);
      falls = false;
      continue;
    }
    centre(N);
    const double off = dls_impact_matrix_error(N);
    if (falls && dls_impact_is_slow(off, least)) scale_gamma(N, DLS_IMPACT_SOFTER);
    if (off < least) least = off, memcpy(best, N->x, size);
  }
  return least;
}

/* The largest velocity of the rows, without impulses and with those at hand, m/s. */
static double scale_of(const dls_impact_matrix *N) {
  double most = 0;
  for (int i = 0; i < N->n; i++)
    if (N->most[i] > 0) most = dls_max(most, fabs(N->v[i]));
  return most;
}

dls_status dls_share_impulses(const dls_expansion *of, bool *found, double *cost) {
  dls_arena *tmp = &of->S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_impact_matrix N;
  *found = false, *cost = 0;
  const dls_status status = dls_impact_matrix_take(&N, of);
  if (status != DLS_OK) return status;
  const int n_held = hold_joints(&N);
  soften(&N, n_held);
  if (is_dependent(&N, n_held)) {
    double *x = N.kept;
    begin(&N, x);
    double scale = scale_of(&N);
    dls_impact_matrix_go(&N, x);
    scale = dls_max(scale, scale_of(&N));
    const double target = dls_min(DLS_IMPACT_FINEST * scale, AIM * of->limit);
    const double price = dls_work_dense(of->S->dim, N.n) / of->n, most = 0.5 * of->most / price;
    const double left = scale > LEAST ? go_by_points(&N, target, most, x) : DLS_INF;
    *found = left <= dls_min(ENOUGH * scale, TOLERATED * of->limit);
    if (*found || (!of->compresses && left <= ENOUGH * scale)) dls_impact_matrix_apply(&N, x);
    *cost = (N.steps + 1) * price;
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
