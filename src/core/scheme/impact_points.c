/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_points.h"

#include "core/rows/budget.h"
#include "core/scheme/impact_matrix.h"

static const double SOFT = 1e-3;      /* of the trace of a contact's block: gamma                  */
static const double DEPENDENT = 1e-9; /* of a row's own entry: it follows from the others         */
static const double FINEST = 1e-13;   /* of the velocities: errors of points, where they can be had */
static const double ENOUGH = 1e-10;   /* of these: errors of an answer                            */
enum { POINTS = 60 };

static const dls_block *block_of(const dls_impact_matrix *N, int row) {
  return &N->of->S->rows.block[N->of->blocks[N->block[row]]];
}

static bool is_held(const dls_impact_matrix *N, int row) { return block_of(N, row)->kind == DLS_ROW_BILATERAL; }

/* Row k of the lower triangle of N->A, eliminated, leaves those behind it. */
static void eliminate(dls_impact_matrix *N, int k) {
  const size_t ld = N->ld;
  const double pivot = N->A[(size_t)k * ld + (size_t)k];
  for (size_t i = (size_t)k + 1; i < (size_t)N->n; i++) {
    const double f = N->A[i * ld + (size_t)k] / pivot;
    for (size_t j = (size_t)k + 1; f != 0 && j <= i; j++) N->A[i * ld + j] -= f * N->A[j * ld + (size_t)k];
  }
}

/* W in N->A, what joints hold first, and that eliminated; N->perm: the rows in that order. How many are held. */
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
      N->A[(size_t)i * N->ld + (size_t)j] = N->W[(size_t)N->perm[i] * (size_t)n + (size_t)N->perm[j]];
  for (int k = 0; k < n_held; k++) {
    const int row = N->perm[k];
    const double own = N->W[(size_t)row * (size_t)n + (size_t)row];
    if (N->A[(size_t)k * N->ld + (size_t)k] > DEPENDENT * own) eliminate(N, k);
    else for (int i = k; i < n; i++) N->A[(size_t)i * N->ld + (size_t)k] = 0;
  }
  return n_held;
}

/* gamma of the rows at `first` to `end` of the order: of the trace of their part, which does not depend on its frame. */
static void soften_part(dls_impact_matrix *N, int first, int end) {
  double trace = 0;
  for (int k = first; k < end; k++) trace += N->A[(size_t)k * N->ld + (size_t)k];
  for (int k = first; k < end; k++) N->soft[N->perm[k]] = SOFT * (trace > 0 ? trace : 1);
}

/* gamma of all rows but those that are held: of a contact's normal with its friction, where it has some; of what else turns. */
static void soften(dls_impact_matrix *N, int n_held) {
  for (int k = n_held; k < N->n;) {
    const dls_block *block = block_of(N, N->perm[k]);
    int rows_of[3];
    const int groups = dls_impact_groups(N->of->S->dim, block, rows_of);
    int end = k + 1 + (groups > 0 && block->mu[0] > 0 ? rows_of[0] : 0);
    soften_part(N, k, end);
    if (groups > 0 && !(block->mu[0] > 0)) soften_part(N, end, end + rows_of[0]), end += rows_of[0];
    for (int g = 1; g < groups; end += rows_of[g++]) soften_part(N, end, end + rows_of[g]);
    k = end;
  }
}

/* Whether a row follows from those before it. */
static bool is_dependent(dls_impact_matrix *N, int n_held) {
  double *own = N->kept;
  for (int k = n_held; k < N->n; k++) own[k] = N->A[(size_t)k * N->ld + (size_t)k];
  for (int k = n_held; k < N->n; k++) {
    if (!(N->most[N->perm[k]] > 0)) continue;
    if (!(N->A[(size_t)k * N->ld + (size_t)k] > DEPENDENT * own[k])) return true;
    eliminate(N, k);
  }
  return false;
}

/* p_n = e p_C, all else 0. */
static void begin(dls_impact_matrix *N, double *x) {
  memset(x, 0, (size_t)N->n * sizeof *x);
  for (int i = 0; i < N->n; i++)
    if (N->at[i] == 0 && N->most[i] > 0 && !is_held(N, i)) x[i] = dls_expansion_least(N->of, block_of(N, i));
}

/* A centre at x: v is without soft from there. */
static void centre(dls_impact_matrix *N) {
  for (int i = 0; i < N->n; i++) {
    N->v[i] -= N->soft[i] * (N->x[i] - N->centre[i]);
    N->centre[i] = N->x[i];
  }
}

/* Proximal points from N->x; the best in `best`: its error, m/s. */
static double go_by_points(dls_impact_matrix *N, double scale, double *best) {
  double least = DLS_INF;
  memcpy(N->centre, N->x, (size_t)N->n * sizeof *N->x);
  for (int k = 0, stays = 0; k < POINTS && stays < 2 && least > FINEST * scale; k++) {
    if (!dls_impact_matrix_solve(N, FINEST * scale)) return least;
    centre(N);
    const double off = dls_impact_matrix_error(N);
    stays = off < 0.5 * least ? 0 : stays + 1;
    if (off < least) least = off, memcpy(best, N->x, (size_t)N->n * sizeof *best);
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
    *found = go_by_points(&N, scale, x) <= ENOUGH * scale;
    if (*found) dls_impact_matrix_apply(&N, x);
    *cost = (N.steps + 1) * dls_work_dense(of->S->dim, N.n) / of->n;
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
