/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/points.h"

static const double SHARE = 0.1; /* of an answer's error: that of a point */

/* --- room ------------------------------------------------------------------------------------ */

enum { VECTORS = 15 };

size_t dls_points_bytes(int n, int n_groups) {
  const size_t rows = (size_t)n;
  const size_t square = dls_arena_bytes(dls_bytes(rows, rows), sizeof(double));
  size_t sum = dls_bytes_add(dls_bytes_add(square, square), square);
  sum = dls_bytes_add(sum, 3 * dls_arena_bytes(rows, sizeof(int)) +
                      VECTORS * dls_arena_bytes(rows, sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes((size_t)n_groups, sizeof(double)));
  return dls_bytes_add(sum, dls_arena_bytes((size_t)n_groups, sizeof(dls_cone_group)));
}

/* W with the laws, no velocities. */
static dls_cone_problem problem_of(const dls_points *N) {
  return (dls_cone_problem){.n_rows = N->n, .n_groups = N->n_groups, .groups = N->group,
                            .W = N->W, .b = N->zero};
}

dls_status dls_points_take(dls_points *N, int n, int n_groups, dls_arena *tmp) {
  const size_t rows = (size_t)n;
  *N = (dls_points){.n = n, .n_groups = n_groups};
  N->of = DLS_TAKE(tmp, int, n), N->perm = DLS_TAKE(tmp, int, n), N->order = DLS_TAKE(tmp, int, n);
  N->W = DLS_TAKE(tmp, double, rows *rows), N->A = DLS_TAKE(tmp, double, rows *rows);
  N->B = DLS_TAKE(tmp, double, rows *rows);
  N->group = DLS_TAKE(tmp, dls_cone_group, n_groups), N->least = DLS_TAKE(tmp, double, n_groups);
  double **const vectors[VECTORS] = {&N->x, &N->v, &N->E, &N->soft, &N->centre, &N->most,
                                     &N->length, &N->zero, &N->dx, &N->dv,
                                     &N->x_try, &N->v_try, &N->x_kept, &N->v_kept, &N->kept};
  bool all = N->of && N->perm && N->order && N->W && N->A && N->B && N->group && N->least;
  for (int i = 0; i < VECTORS; i++) all = (*vectors[i] = DLS_TAKE(tmp, double, n)) != NULL && all;
  if (!all) return DLS_FULL;
  for (int i = 0; i < n; i++) N->soft[i] = N->centre[i] = N->zero[i] = 0;
  for (int g = 0; g < n_groups; g++) N->least[g] = 0;
  return DLS_OK;
}

/* Rows `first` to `end` - 1, in one unit: the largest W_ii of them. */
static void weigh_rows(dls_points *N, int first, int end) {
  double most = 0;
  for (int k = first; k < end; k++)
    most = dls_max(most, N->W[(size_t)k * (size_t)N->n + (size_t)k]);
  for (int k = first; k < end; k++) N->most[k] = most;
}

void dls_points_weigh(dls_points *N) {
  for (int g = 0; g < N->n_groups; g++) {
    const dls_cone_law *law = &dls_cone_laws[N->group[g].kind];
    const int i = N->group[g].row;
    int at = i + 1 + (law->n_parts > 0 ? law->rows[0] : 0);
    weigh_rows(N, i, at);
    for (int k = 1; k < law->n_parts; at += law->rows[k++]) weigh_rows(N, at, at + law->rows[k]);
    for (int k = i; k < i + law->n_rows; k++) N->of[k] = g;
  }
}

size_t dls_points_plan_bytes(const dls_points *N) {
  dls_cone_problem problem = problem_of(N);
  const dls_cone_size size = dls_cone_measure(&problem);
  problem.size = &size;
  const size_t slopes = dls_arena_bytes(size.diag, sizeof(double));
  const size_t system = dls_cone_system_bytes(&problem);
  return dls_bytes_add(dls_bytes_add(system, dls_cone_factor_bytes(&problem)), 2 * slopes);
}

dls_status dls_points_plan(dls_points *N, dls_arena *tmp) {
  dls_fault fault;
  N->problem = problem_of(N);
  N->size = dls_cone_measure(&N->problem);
  N->problem.size = &N->size;
  N->X = DLS_TAKE(tmp, double, N->size.diag), N->Y = DLS_TAKE(tmp, double, N->size.diag);
  if (!N->X || !N->Y) return DLS_FULL;
  const dls_status status = dls_cone_system_build(&N->problem, tmp, &N->system, &fault);
  if (status == DLS_ARG) return DLS_OK; /* numbers that are not finite: no factor is ready */
  return status == DLS_OK ? dls_cone_factor_plan(&N->system, tmp, &N->factor) : status;
}

void dls_points_begin(dls_points *N) {
  memset(N->x, 0, (size_t)N->n * sizeof *N->x);
  dls_points_weigh(N);
}

/* --- gamma ----------------------------------------------------------------------------------- */

static bool is_held(const dls_points *N, int row) {
  return N->group[N->of[row]].kind == DLS_CONE_BILATERAL;
}

/* Row k of the lower triangle of N->A, eliminated, leaves those behind it. */
static void eliminate(dls_points *N, int k) {
  const size_t n = (size_t)N->n;
  const double pivot = N->A[(size_t)k * n + (size_t)k];
  for (size_t i = (size_t)k + 1; i < n; i++) {
    const double f = N->A[i * n + (size_t)k] / pivot;
    for (size_t j = (size_t)k + 1; f != 0 && j <= i; j++)
      N->A[i * n + j] -= f * N->A[j * n + (size_t)k];
  }
}

/* W in N->A, what is held first, and that eliminated; N->perm: the rows in that order. How many are
** held. */
static int hold(dls_points *N) {
  int n = 0, n_held = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < N->n; i++) {
      if (is_held(N, i) != (turn == 0)) continue;
      N->perm[n++] = i;
      n_held += turn == 0;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      N->A[(size_t)i * (size_t)n + (size_t)j] =
          N->W[(size_t)N->perm[i] * (size_t)n + (size_t)N->perm[j]];
  for (int k = 0; k < n_held; k++) {
    const int row = N->perm[k];
    const double own = N->W[(size_t)row * (size_t)n + (size_t)row];
    if (N->A[(size_t)k * (size_t)n + (size_t)k] > DLS_POINTS_DEPENDENT * own) eliminate(N, k);
    else for (int i = k; i < n; i++) N->A[(size_t)i * (size_t)n + (size_t)k] = 0;
  }
  return n_held;
}

/* gamma of all rows but those that are held: of a contact's normal with its friction, where it
** has some; of what else turns. */
static void soften(dls_points *N, int n_held) {
  for (int k = n_held; k < N->n;) {
    const dls_cone_group *group = &N->group[N->of[N->perm[k]]];
    const dls_cone_law *law = &dls_cone_laws[group->kind];
    const int tangents = law->n_parts > 0 ? law->rows[0] : 0;
    double gamma[2];
    dls_points_gamma_of_contact(N->A, (size_t)N->n, (size_t)k, tangents,
                                tangents > 0 && group->mu[0] > 0, gamma);
    for (int j = 0; j <= tangents; j++) N->soft[N->perm[k + j]] = gamma[j > 0];
    k += 1 + tangents;
    for (int part = 1; part < law->n_parts; part++) {
      const double of_part = dls_points_gamma(N->A, (size_t)N->n, (size_t)k,
                                              (size_t)(k + law->rows[part]));
      for (const int end = k + law->rows[part]; k < end; k++) N->soft[N->perm[k]] = of_part;
    }
  }
}

bool dls_points_soften(dls_points *N) {
  const int n_held = hold(N);
  double *own = N->kept;
  soften(N, n_held);
  for (int k = n_held; k < N->n; k++) own[k] = N->A[(size_t)k * (size_t)N->n + (size_t)k];
  for (int k = n_held; k < N->n; k++) {
    if (!(N->most[N->perm[k]] > 0)) continue;
    if (!(N->A[(size_t)k * (size_t)N->n + (size_t)k] > DLS_POINTS_DEPENDENT * own[k])) return true;
    eliminate(N, k);
  }
  return false;
}

/* --- points ---------------------------------------------------------------------------------- */

/* v without gamma. */
static void uncover(dls_points *N) {
  for (int i = 0; i < N->n; i++) N->v[i] -= N->soft[i] * (N->x[i] - N->centre[i]);
}

/* The centre at x. */
static void centre(dls_points *N) {
  uncover(N);
  memcpy(N->centre, N->x, (size_t)N->n * sizeof *N->x);
}

/* x at the centre. */
static void go_back(dls_points *N) {
  uncover(N);
  dls_points_go(N, N->centre);
}

static void scale_gamma(dls_points *N, double factor) {
  for (int i = 0; i < N->n; i++) {
    const double before = N->soft[i];
    N->soft[i] *= factor;
    N->v[i] += (N->soft[i] - before) * (N->x[i] - N->centre[i]);
  }
}

/* The point about the centre, from there; where Newton's steps do not end, by way of those of
** larger gamma. */
static bool reach_point(dls_points *N, double enough) {
  enum { EASED = 3 };
  bool found = dls_points_solve(N, enough);
  for (int k = 0; !found && k <= EASED; k++) {
    scale_gamma(N, k == 0 ? 1000 : 0.1);
    found = dls_points_solve(N, enough) && k == EASED;
  }
  return found;
}

double dls_points_follow(dls_points *N, double target, double most, double *best) {
  /* points in a row that are no better, so near that round-off is what is left */
  enum { IDLE = 3 };
  static const double NEAR = 100;    /* times the target */
  const size_t size = (size_t)N->n * sizeof *best;
  double least = DLS_INF;
  bool falls = true;
  memcpy(N->centre, N->x, size);
  for (int k = 0, idle = 0; k < DLS_POINTS_MOST && least > target && N->steps <= most &&
       idle < IDLE; k++) {
    if (dls_stop_poll(N->stop, 0)) break;
    const bool found = reach_point(N, SHARE * target);
    if (found) centre(N);
    else go_back(N);
    const double off = found ? dls_points_error(N) : DLS_INF;
    const bool slow = dls_points_are_slow(off, least);
    if (!found) scale_gamma(N, DLS_POINTS_STIFFER);
    else if (falls && slow) scale_gamma(N, DLS_POINTS_SOFTER);
    falls = falls && found;
    if (off < least) least = off, memcpy(best, N->x, size);
    idle = slow && least <= NEAR * target ? idle + 1 : 0;
  }
  return least;
}

double dls_points_scale(const dls_points *N) {
  double most = 0;
  for (int i = 0; i < N->n; i++)
    if (N->most[i] > 0) most = dls_max(most, fabs(N->v[i]) * N->length[i]);
  return most;
}

bool dls_points_share(dls_points *N, double limit, double most, double *x) {
  double *best = N->kept;
  const double scale = dls_points_scale(N);
  (void)dls_points_soften(N);
  memset(best, 0, (size_t)N->n * sizeof *best);
  const double left = scale > 0 ? dls_points_follow(N, DLS_POINTS_FINEST * scale,
                                                    dls_min(DLS_POINTS_STEPS, most),
                                                        best) : DLS_INF;
  if (!(left <= dls_min(DLS_POINTS_ENOUGH * scale, limit))) return false;
  memcpy(x, best, (size_t)N->n * sizeof *x);
  return true;
}
