/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_matrix.h"

#include "core/ladder/to_cone.h"
#include "core/math/dense.h"

/* --- the problem
** --------------------------------------------------------------------------------- */

static const dls_block *block_of(const dls_impact_matrix *N, int row) {
  return &N->of->S->rows.block[N->of->blocks[N->block[row]]];
}

/* The largest W_ii of a block; 0: set aside, or nothing moves by it. */
static double largest_of(const dls_step *S, const dls_block *block) {
  const double *W = S->rows.W + (size_t)block->row * (size_t)S->nb;
  double most = 0;
  for (int i = 0; i < block->n; i++) most = dls_max(most, W[i * (size_t)S->nb + i]);
  return block->kind == DLS_ROW_BOX ? 0 : most;
}

static void collect(dls_impact_matrix *N) {
  const dls_expansion *of = N->of;
  for (int k = 0, n = 0; k < of->n; k++) {
    const dls_block *block = &of->S->rows.block[of->blocks[k]];
    const double most = largest_of(of->S, block);
    dls_expansion_speeds(of, block, N->v + n);
    for (int i = 0; i < block->n; i++, n++) {
      N->block[n] = k;
      N->at[n] = i;
      N->most[n] = most;
      N->x[n] = of->S->rows.p[block->row + i];
      N->soft[n] = N->centre[n] = 0;
    }
  }
}

dls_status dls_impact_matrix_take(dls_impact_matrix *N, const dls_expansion *of) {
  dls_rows *rows = &of->S->rows;
  dls_arena *tmp = &of->S->w->arena;
  const size_t n = (size_t)of->n_rows, ld = dls_lanes_ld(of->n_rows);
  *N = (dls_impact_matrix){.of = of, .n = of->n_rows, .ld = ld};
  N->block = DLS_TAKE(tmp, int, n), N->at = DLS_TAKE(tmp, int, n), N->perm = DLS_TAKE(tmp, int, n);
  N->W = DLS_TAKE(tmp, double, n * n), N->A = DLS_TAKE(tmp, double, n * ld);
  double **const vectors[] = {&N->x, &N->v, &N->E, &N->soft, &N->centre, &N->most, &N->dx, &N->dv,
                              &N->x_try, &N->v_try, &N->x_kept, &N->v_kept, &N->kept};
  enum { VECTORS = sizeof vectors / sizeof *vectors };
  bool all = N->block && N->at && N->perm && N->W && N->A;
  for (int i = 0; i < VECTORS; i++) all = (*vectors[i] = DLS_TAKE(tmp, double, n)) != NULL && all;
  const size_t room = 3 * dls_arena_bytes(n, sizeof(int)) + VECTORS * dls_arena_bytes(n, sizeof(double)) +
                      dls_arena_bytes(n * n, sizeof(double)) + dls_arena_bytes(n * ld, sizeof(double));
  rows->need = room;
  if (!all) return DLS_FULL;
  collect(N);
  const dls_status status = dls_fill_matrix(rows, of->blocks, of->n, of->n_rows, tmp, N->W);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, room);
  return status;
}

/* --- Alart and Curnier's equations
** --------------------------------------------------------------- */

static void copy_row(const dls_impact_matrix *N, int i, double factor, double *A) {
  for (int j = 0; j < N->n; j++) A[j] += factor * N->W[(size_t)i * (size_t)N->n + (size_t)j];
  A[i] += factor * N->soft[i];
}

/* Friction rows i .. i + m - 1 of the block that begins with row `normal`: x = P(x - v/w), w the
** block's largest W_ii and P the projection on the disk of radius mu x_n. Errors E, and their
** slopes A where A is wanted. */
static void part(const dls_impact_matrix *N, int normal, int i, int m, double mu, const double *x, const double *v,
                 double *E, double *A) {
  const double w = N->most[i], bound = mu * dls_max(x[normal], 0);
  double y[2] = {0}, length = 0;
  for (int k = 0; k < m; k++) y[k] = x[i + k] - v[i + k] / w, length += y[k] * y[k];
  length = sqrt(length);
  const bool inside = length <= bound;
  for (int k = 0; k < m; k++) {
    E[i + k] = inside ? v[i + k] : w * (x[i + k] - bound * y[k] / length);
    double *row = A ? A + (size_t)(i + k) * N->ld : NULL;
    if (!row) continue;
    if (inside) {
      copy_row(N, i + k, 1, row);
      continue;
    }
    row[i + k] += w;
    row[normal] -= w * mu * y[k] / length;
    for (int l = 0; l < m; l++) {
      const double slope = bound / length * ((k == l) - y[k] * y[l] / (length * length));
      row[i + l] -= w * slope;
      copy_row(N, i + l, slope, row);
    }
  }
}

/* Rows of a block that moves nothing from row i on: x = 0. */
static void rest(const dls_impact_matrix *N, const dls_block *block, int i, const double *x, double *E, double *A) {
  for (int k = i; k < i + block->n; k++) {
    E[k] = x[k];
    if (A) A[(size_t)k * N->ld + (size_t)k] = 1;
  }
}

/* Rows of a block from row i on: its normal, its joint's rows, what follows the normal. */
static void law(const dls_impact_matrix *N, const dls_block *block, int i, const double *x, const double *v, double *E,
                double *A) {
  const bool joint = block->kind == DLS_ROW_BILATERAL;
  const double least = dls_expansion_least(N->of, block);
  for (int k = 0; k < (joint ? block->n : 1); k++) {
    const bool moves = joint || x[i + k] - v[i + k] / N->most[i] > least;
    E[i + k] = moves ? v[i + k] : N->most[i] * (x[i + k] - least);
    if (A && moves) copy_row(N, i + k, 1, A + (size_t)(i + k) * N->ld);
    if (A && !moves) A[(size_t)(i + k) * N->ld + (size_t)(i + k)] = N->most[i];
  }
  int rows_of[3];
  const int n_parts = joint ? 0 : dls_impact_groups(N->of->S->dim, block, rows_of);
  for (int g = 0, at = i + 1; g < n_parts; at += rows_of[g++])
    part(N, i, at, rows_of[g], block->mu[g], x, v, E, A);
}

/* Errors E of all rows, and their slopes where A is wanted; the sum of their squares, (m/s)^2. */
static double judge(const dls_impact_matrix *N, const double *x, const double *v, double *E, double *A) {
  if (A) memset(A, 0, (size_t)N->n * N->ld * sizeof(double));
  for (int i = 0; i < N->n; i += block_of(N, i)->n) {
    if (N->most[i] > 0) law(N, block_of(N, i), i, x, v, E, A);
    else rest(N, block_of(N, i), i, x, E, A);
  }
  double sum = 0;
  for (int i = 0; i < N->n; i++) {
    const double e = E[i] / N->of->S->rows.length[block_of(N, i)->row + N->at[i]];
    sum += e * e;
  }
  return sum;
}

/* --- Newton's steps
** ------------------------------------------------------------------------------ */

/* Newton's direction at x; false: there is none. */
static bool aim(dls_impact_matrix *N) {
  static const double SHARE = 1e-10; /* of W_ii: what keeps redundant rows apart */
  judge(N, N->x, N->v, N->E, N->A);
  for (int i = 0; i < N->n; i++) N->A[(size_t)i * N->ld + (size_t)i] += SHARE * N->most[i];
  if (dls_dense_lu(N->n, N->A, N->ld, N->perm) >= 0) return false;
  dls_dense_lu_solve(N->n, N->A, N->ld, N->perm, N->E, N->dx);
  for (int i = 0; i < N->n; i++) {
    N->dv[i] = N->soft[i] * N->dx[i];
    for (int j = 0; j < N->n; j++) N->dv[i] += N->W[(size_t)i * (size_t)N->n + (size_t)j] * N->dx[j];
  }
  return true;
}

/* x - share dx; the sum of squared errors there. */
static double try_share(dls_impact_matrix *N, double share) {
  for (int i = 0; i < N->n; i++) {
    N->x_try[i] = N->x[i] - share * N->dx[i];
    N->v_try[i] = N->v[i] - share * N->dv[i];
  }
  return judge(N, N->x_try, N->v_try, N->E, NULL);
}

static void go_to_try(dls_impact_matrix *N) {
  memcpy(N->x, N->x_try, (size_t)N->n * sizeof(double));
  memcpy(N->v, N->v_try, (size_t)N->n * sizeof(double));
}

/* The step halved until the errors fall; false: they do not. */
static bool step_down(dls_impact_matrix *N, double *sum) {
  enum { HALVINGS = 20 };
  if (!aim(N)) return false;
  double share = 1;
  for (int half = 0; half < HALVINGS; half++, share *= 0.5) {
    const double now = try_share(N, share);
    if (!(now < *sum)) continue;
    go_to_try(N);
    *sum = now;
    return true;
  }
  return false;
}

/* Full steps, which end where the states of all rows are right; where they do not, x and v are
** as before. */
static bool step_freely(dls_impact_matrix *N, int most, double enough, double *sum) {
  const size_t size = (size_t)N->n * sizeof(double);
  memcpy(N->x_kept, N->x, size);
  memcpy(N->v_kept, N->v, size);
  for (int k = 0; k < most && aim(N); k++) {
    const double now = try_share(N, 1);
    N->steps++;
    go_to_try(N);
    if (!(now <= enough)) continue;
    *sum = now;
    return true;
  }
  memcpy(N->x, N->x_kept, size);
  memcpy(N->v, N->v_kept, size);
  return false;
}

bool dls_impact_matrix_solve(dls_impact_matrix *N, double enough) {
  enum { FREE = 12, DAMPED = 20 }; /* steps */
  const double squared = enough * enough;
  const int before = N->steps;
  double sum = judge(N, N->x, N->v, N->E, NULL);
  if (!step_freely(N, FREE, squared, &sum))
    for (int k = 0; k < DAMPED && sum > squared && step_down(N, &sum); k++) N->steps++;
  dls_stop_poll(N->of->S->rows.stop, (double)(N->steps - before + 1) * N->n * (double)N->n * N->n / 3);
  return sum <= squared;
}

/* --- impulses
** ------------------------------------------------------------------------------------ */

void dls_impact_matrix_go(dls_impact_matrix *N, const double *x) {
  for (int i = 0; i < N->n; i++) N->dx[i] = x[i] - N->x[i];
  for (int i = 0; i < N->n; i++)
    for (int j = 0; j < N->n; j++) N->v[i] += N->W[(size_t)i * (size_t)N->n + (size_t)j] * N->dx[j];
  memmove(N->x, x, (size_t)N->n * sizeof(double));
}

double dls_impact_matrix_error(dls_impact_matrix *N) {
  double worst = 0;
  for (int i = 0; i < N->n; i++) N->v_try[i] = N->v[i] - N->soft[i] * (N->x[i] - N->centre[i]);
  judge(N, N->x, N->v_try, N->E, NULL);
  for (int i = 0; i < N->n; i++) worst = dls_max(worst, fabs(N->E[i]) / N->of->S->rows.length[block_of(N, i)->row + N->at[i]]);
  return worst;
}

void dls_impact_matrix_apply(const dls_impact_matrix *N, const double *x) {
  dls_step *S = N->of->S;
  for (int i = 0; i < N->n;) {
    const dls_block *block = block_of(N, i);
    double dp[DLS_NB(3)] = {0};
    for (int k = 0; k < block->n; k++) {
      dp[k] = x[i + k] - S->rows.p[block->row + k];
      S->rows.p[block->row + k] = x[i + k];
    }
    if (N->most[i] > 0) dls_strike(S, N->of->joints, block, dp, N->of->u);
    i += block->n;
  }
}
