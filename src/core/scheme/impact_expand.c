/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_expand.h"

#include "core/ladder/rung.h"
#include "core/math/dense.h"
#include "core/model/impact_law.h"
#include "core/rows/budget.h"
#include "core/rows/coulomb.h"
#include "core/rows/mass.h"

/* The groups of a block's cone after the normal: rows, and the bound of each a unit of p_n. */
static int groups_of(int dim, const dls_block *block, int rows_of[3]) {
  rows_of[0] = dim - 1;
  rows_of[1] = 1;
  rows_of[2] = 2;
  if (block->kind == DLS_ROW_CONE) return 1;
  return block->kind == DLS_ROW_ROLLING ? dim : 0;
}

/* p_n and the friction that answers it; q = v at p follows. */
static void push(const dls_step *S, const dls_block *block, const double *W, double p_n, double *p, double *q) {
  int rows_of[3];
  const int n = groups_of(S->dim, block, rows_of);
  for (int j = 0; j < block->n; j++) q[j] += W[j * (size_t)S->nb] * (p_n - p[0]);
  p[0] = p_n;
  for (int g = 0, i = 1; g < n; i += rows_of[g++])
    dls_visit_disk(S->nb, W, i, rows_of[g], block->mu[g] * p[0], p, q);
}

/* One block of the expansion solved while the others wait; q = v at p, p in and out. Friction of the least p_n may hold a
** contact shut that less would leave open: it is pushed more then, until it opens no further or sticks. */
static void expand(const dls_step *S, const dls_block *block, const double *W, double least, double *p, double *q) {
  enum { TURNS = 8 };
  const double gamma[DLS_NB(3)] = {0};
  double now[DLS_NB(3)];
  if (block->kind == DLS_ROW_BILATERAL) {
    dls_visit_block(S->nb, block, W, gamma, p, q);
    return;
  }
  double own_q[DLS_NB(3)];
  memcpy(now, p, sizeof now);
  memcpy(own_q, q, sizeof own_q);
  dls_visit_block(S->nb, block, W, gamma, now, own_q);
  if (now[0] >= least) {
    memcpy(p, now, sizeof now);
    return;
  }
  memcpy(now, p, sizeof now);
  memcpy(own_q, q, sizeof own_q);
  push(S, block, W, least, p, q);
  if (!(q[0] < 0)) return;
  memcpy(p, now, sizeof now);
  memcpy(q, own_q, sizeof own_q);
  for (int turn = 0; turn < TURNS; turn++) push(S, block, W, dls_max(least, p[0] - q[0] / W[0]), p, q);
}

/* The least normal impulse of the expansion. */
static double least_of(const dls_step *S, const dls_contact_stage *C, const dls_block *block) {
  return dls_strikes(S, block) ? dls_impact_least(C->bounce[block->row], C->p_impact[block->row]) : 0;
}

/* How far a block is from the law, m/s: |p - P(p - rho v)| / rho, P the nearest point with p_n at
** least what it has to be and each group within its bound. Knows no sweep. */
static double expansion_error(const dls_step *S, const dls_contact_stage *C, const dls_block *block, const double *p,
                              const double *v) {
  const dls_rows *rows = &S->rows;
  const double *W = rows->W + (size_t)block->row * (size_t)S->nb;
  double most = 0, error = 0;
  for (int i = 0; i < block->n; i++) most = dls_max(most, W[i * (size_t)S->nb + i]);
  if (!(most > 0) || block->kind == DLS_ROW_BOX) return 0; /* set aside: no part of the impact */
  if (block->kind == DLS_ROW_BILATERAL) {
    for (int i = 0; i < block->n; i++) error = dls_max(error, fabs(v[i]));
    return error;
  }
  error = fabs(p[0] - dls_max(p[0] - v[0] / most, least_of(S, C, block)));
  int rows_of[3];
  const int n = groups_of(S->dim, block, rows_of);
  for (int g = 0, i = 1; g < n; i += rows_of[g++]) {
    double x[2], length = 0;
    for (int k = 0; k < rows_of[g]; k++) {
      x[k] = p[i + k] - v[i + k] / most;
      length += x[k] * x[k];
    }
    length = sqrt(length);
    const double bound = block->mu[g] * p[0];
    for (int k = 0; k < rows_of[g]; k++) {
      if (length > bound) x[k] *= bound / length;
      error = dls_max(error, fabs(p[i + k] - x[k]) / rows->length[block->row + i + k]);
    }
  }
  return error * most;
}

void dls_impact_velocities(const dls_step *S, const dls_contact_stage *C, const dls_block *block, const double *u,
                           double *v) {
  for (int i = 0; i < block->n; i++) v[i] = dls_row_speed(S->nu, &S->rows, block, block->row + i, u);
  if (dls_is_contact(block)) v[0] += C->drift[block->row];
}

/* What the law of a block asks for: its velocities and its shift, which is that of the compression (of a limit: how far it
** is from being reached). */
static void speeds_of(const dls_expansion *of, const dls_block *block, double *v) {
  const dls_rows *rows = &of->S->rows;
  dls_impact_velocities(of->S, of->C, block, of->u, v);
  for (int i = 0; i < block->n && !dls_is_contact(block); i++) v[i] += rows->s[block->row + i];
}

static double error_of(const dls_expansion *of) {
  const dls_step *S = of->S;
  double worst = 0;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &S->rows.block[of->blocks[k]];
    double v[DLS_NB(3)];
    speeds_of(of, block, v);
    worst = dls_max(worst, expansion_error(S, of->C, block, S->rows.p + block->row, v));
  }
  return worst;
}

/* One sweep, to and fro in turn; the largest change of a velocity by its own row, m/s. */
static double sweep(const dls_expansion *of, int number) {
  dls_step *S = of->S;
  dls_rows *rows = &S->rows;
  double change = 0;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &rows->block[of->blocks[(number & 1) ? of->n - 1 - k : k]];
    double p[DLS_NB(3)] = {0}, q[DLS_NB(3)], *now = rows->p + block->row;
    speeds_of(of, block, q);
    for (int i = 0; i < block->n; i++) p[i] = now[i];
    expand(S, block, rows->W + (size_t)block->row * (size_t)S->nb, least_of(S, of->C, block), p, q);
    for (int i = 0; i < block->n; i++) {
      const double dp = p[i] - now[i];
      now[i] = p[i];
      p[i] = dp;
      change = dls_max(change, fabs(dp) * rows->W[(size_t)(block->row + i) * (size_t)S->nb + i]);
    }
    dls_strike(S, of->joints, block, p, of->u);
  }
  return change;
}

/* --- Newton's steps ------------------------------------------------------------------------------ */

/* The island's rows that an impulse moves, as a dense problem v = v_0 + W (x - x_0). */
typedef struct newton {
  const dls_expansion *of;
  int n;               /* rows                                                             */
  size_t ld;
  int *block, *at;     /* of a row: the number of its block in the island, its place there  */
  int *perm;
  double *W, *A;       /* n x ld: the matrix, Newton's                                     */
  double *x, *v, *E;   /* impulses; velocities; errors, m/s                                */
  double *dx, *dv, *x_try, *v_try, *x_kept, *v_kept;
  double *most;        /* the largest W_ii of the row's block                              */
} newton;

/* What one island is to Newton's steps: rows of blocks that something moves. */
static int collect(newton *N) {
  const dls_expansion *of = N->of;
  const dls_rows *rows = &of->S->rows;
  int n = 0;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &rows->block[of->blocks[k]];
    const double *W = rows->W + (size_t)block->row * (size_t)of->S->nb;
    double most = 0;
    for (int i = 0; i < block->n; i++) most = dls_max(most, W[i * (size_t)of->S->nb + i]);
    if (!(most > 0) || block->kind == DLS_ROW_BOX) continue;
    for (int i = 0; i < block->n; i++, n++) {
      N->block[n] = k;
      N->at[n] = i;
      N->most[n] = most;
      N->x[n] = rows->p[block->row + i];
    }
  }
  return n;
}

static const dls_block *block_of(const newton *N, int row) {
  return &N->of->S->rows.block[N->of->blocks[N->block[row]]];
}

/* W by unit impulses; scratch and g: velocities of bodies and of trees, lost and borrowed. */
static void weigh(newton *N, double *scratch, double *g) {
  dls_step *S = N->of->S;
  const size_t nu = S->rows.tree ? (size_t)S->w->trees->forest->nu : 0;
  if (nu > 0) memcpy(g, S->w->trees->u_end, nu * sizeof(double));
  for (int j = 0; j < N->n; j++) {
    double p[DLS_NB(3)] = {0};
    p[N->at[j]] = 1;
    memset(scratch, 0, (size_t)S->rows.n_bodies * (size_t)S->nu * sizeof(double));
    if (nu > 0) memset(S->w->trees->u_end, 0, nu * sizeof(double));
    dls_strike(S, N->of->joints, block_of(N, j), p, scratch);
    for (int i = 0; i < N->n; i++) {
      const dls_block *block = block_of(N, i);
      N->W[(size_t)i * N->ld + (size_t)j] = dls_row_speed(S->nu, &S->rows, block, block->row + N->at[i], scratch);
    }
  }
  if (nu > 0) memcpy(S->w->trees->u_end, g, nu * sizeof(double));
}

static void copy_row(const newton *N, int i, double factor, double *A) {
  for (int j = 0; j < N->n; j++) A[j] += factor * N->W[(size_t)i * N->ld + (size_t)j];
}

/* Friction rows i .. i + m - 1 of the block that begins with row `normal`: x = P(x - v/w), w the block's largest W_ii and
** P the projection on the disk of radius mu x_n. Errors E, and their slopes A where A is wanted. */
static void part(const newton *N, int normal, int i, int m, double mu, const double *x, const double *v, double *E,
                 double *A) {
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

/* Errors E of all rows, and their slopes where A is wanted; the sum of their squares, (m/s)^2. */
static double judge(const newton *N, const double *x, const double *v, double *E, double *A) {
  const dls_step *S = N->of->S;
  if (A) memset(A, 0, (size_t)N->n * N->ld * sizeof(double));
  for (int i = 0; i < N->n;) {
    const dls_block *block = block_of(N, i);
    const bool joint = block->kind == DLS_ROW_BILATERAL;
    const double least = least_of(S, N->of->C, block);
    for (int k = 0; k < (joint ? block->n : 1); k++) {
      const bool moves = joint || x[i + k] - v[i + k] / N->most[i] > least;
      E[i + k] = moves ? v[i + k] : N->most[i] * (x[i + k] - least);
      if (A && moves) copy_row(N, i + k, 1, A + (size_t)(i + k) * N->ld);
      if (A && !moves) A[(size_t)(i + k) * N->ld + (size_t)(i + k)] = N->most[i];
    }
    int rows_of[3];
    const int n_parts = joint ? 0 : groups_of(S->dim, block, rows_of);
    for (int g = 0, at = i + 1; g < n_parts; at += rows_of[g++])
      part(N, i, at, rows_of[g], block->mu[g], x, v, E, A);
    i += block->n;
  }
  double sum = 0;
  for (int i = 0; i < N->n; i++) {
    const double e = E[i] / N->of->S->rows.length[block_of(N, i)->row + N->at[i]];
    sum += e * e;
  }
  return sum;
}

/* Newton's direction at x; false: there is none. */
static bool aim(newton *N) {
  static const double SHARE = 1e-10; /* of W_ii: what keeps redundant rows apart */
  judge(N, N->x, N->v, N->E, N->A);
  for (int i = 0; i < N->n; i++) N->A[(size_t)i * N->ld + (size_t)i] += SHARE * N->most[i];
  if (dls_dense_lu(N->n, N->A, N->ld, N->perm) >= 0) return false;
  dls_dense_lu_solve(N->n, N->A, N->ld, N->perm, N->E, N->dx);
  for (int i = 0; i < N->n; i++) {
    N->dv[i] = 0;
    for (int j = 0; j < N->n; j++) N->dv[i] += N->W[(size_t)i * N->ld + (size_t)j] * N->dx[j];
  }
  return true;
}

/* x - share dx; the sum of squared errors there. */
static double try_share(newton *N, double share) {
  for (int i = 0; i < N->n; i++) {
    N->x_try[i] = N->x[i] - share * N->dx[i];
    N->v_try[i] = N->v[i] - share * N->dv[i];
  }
  return judge(N, N->x_try, N->v_try, N->E, NULL);
}

static void go_to_try(newton *N) {
  memcpy(N->x, N->x_try, (size_t)N->n * sizeof(double));
  memcpy(N->v, N->v_try, (size_t)N->n * sizeof(double));
}

/* The step halved until the errors fall; false: they do not. */
static bool step_down(newton *N, double *sum) {
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

/* Full steps, which end where the states of all rows are right; where they do not, x and v are as before. */
static bool step_freely(newton *N, int most, double enough, double *sum, int *steps) {
  const size_t size = (size_t)N->n * sizeof(double);
  memcpy(N->x_kept, N->x, size);
  memcpy(N->v_kept, N->v, size);
  for (int k = 0; k < most && aim(N); k++) {
    const double now = try_share(N, 1);
    ++*steps;
    go_to_try(N);
    if (!(now <= enough)) continue;
    *sum = now;
    return true;
  }
  memcpy(N->x, N->x_kept, size);
  memcpy(N->v, N->v_kept, size);
  return false;
}

/* Impulses x of the rows: rows.p and u follow. */
static void take(const newton *N, const double *x) {
  dls_step *S = N->of->S;
  for (int i = 0; i < N->n;) {
    const dls_block *block = block_of(N, i);
    double dp[DLS_NB(3)] = {0};
    for (int k = 0; k < block->n; k++) {
      dp[k] = x[i + k] - S->rows.p[block->row + k];
      S->rows.p[block->row + k] = x[i + k];
    }
    dls_strike(S, N->of->joints, block, dp, N->of->u);
    i += block->n;
  }
}

static bool take_room(newton *N, dls_arena *tmp, size_t n_u, size_t n_g, double **scratch, double **g) {
  const int n = N->of->n_rows;
  const size_t vector = dls_arena_bytes((size_t)n, sizeof(double));
  N->ld = dls_lanes_ld(n);
  N->block = DLS_TAKE(tmp, int, n), N->at = DLS_TAKE(tmp, int, n), N->perm = DLS_TAKE(tmp, int, n);
  N->W = DLS_TAKE(tmp, double, (size_t)n * N->ld), N->A = DLS_TAKE(tmp, double, (size_t)n * N->ld);
  double **const vectors[] = {&N->x, &N->v, &N->E, &N->dx, &N->dv, &N->x_try, &N->v_try,
                              &N->x_kept, &N->v_kept, &N->most};
  enum { VECTORS = sizeof vectors / sizeof *vectors };
  bool all = N->block && N->at && N->perm && N->W && N->A;
  for (int i = 0; i < VECTORS; i++) all = (*vectors[i] = DLS_TAKE(tmp, double, n)) != NULL && all;
  *scratch = DLS_TAKE(tmp, double, n_u), *g = DLS_TAKE(tmp, double, n_g);
  N->of->S->rows.need = 3 * dls_arena_bytes((size_t)n, sizeof(int)) + VECTORS * vector +
                        2 * dls_arena_bytes((size_t)n * N->ld, sizeof(double)) +
                        dls_arena_bytes(n_u, sizeof(double)) + dls_arena_bytes(n_g, sizeof(double));
  return all && *scratch && *g;
}

/* Newton's steps from where sweeps stand; what is not better than that is not taken. In *cost: sweeps. */
static dls_status finish(const dls_expansion *of, double *error, double *cost) {
  enum { FREE = 12, DAMPED = 20 }; /* steps */
  dls_step *S = of->S;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  newton N = {.of = of};
  double *scratch, *g;
  if (!take_room(&N, tmp, (size_t)S->rows.n_bodies * (size_t)S->nu, S->rows.tree ? (size_t)S->w->trees->forest->nu : 0,
                 &scratch, &g))
    return DLS_FULL;
  N.n = collect(&N);
  for (int i = 0; i < N.n;) {
    speeds_of(of, block_of(&N, i), N.v + i);
    i += block_of(&N, i)->n;
  }
  double *before = scratch; /* of W's making, then the impulses before */
  weigh(&N, scratch, g);
  double sum = judge(&N, N.x, N.v, N.E, NULL);
  int steps = 0;
  const double enough = 0.01 * of->limit * of->limit;
  if (!step_freely(&N, FREE, enough, &sum, &steps))
    for (int k = 0; k < DAMPED && sum > enough && step_down(&N, &sum); k++) steps++;
  dls_stop_poll(S->rows.stop, (double)(steps + 1) * N.n * (double)N.n * N.n / 3);
  for (int i = 0; i < N.n; i++) before[i] = S->rows.p[block_of(&N, i)->row + N.at[i]];
  take(&N, N.x);
  const double now = error_of(of);
  if (now < *error) *error = now;
  else take(&N, before);
  *cost = (steps + 1) * dls_work_dense(S->dim, N.n) / of->n;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* --- an island ----------------------------------------------------------------------------------- */

dls_status dls_expand_island(const dls_expansion *of, double *error, int *sweeps) {
  enum { FIRST = 30, LATER = 4 }; /* sweeps before Newton's steps, and how many times as many before the next ones */
  dls_rows *rows = &of->S->rows;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &rows->block[of->blocks[k]];
    double p[DLS_NB(3)] = {0};
    p[0] = rows->p[block->row] = least_of(of->S, of->C, block);
    if (p[0] > 0) dls_strike(of->S, of->joints, block, p, of->u);
  }
  *error = error_of(of);
  double done = 0, next = FIRST;
  for (int number = 0; *error > of->limit && done < of->most; number++, done++) {
    if (rows->stop && dls_stop_poll(rows->stop, 100.0 * of->n)) break;
    const double change = sweep(of, number);
    if (change <= 2 * of->limit || change == 0) *error = error_of(of);
    if (change == 0) break;
    if (number < next || of->n_rows > DLS_SMALL_ISLAND || *error <= of->limit) continue;
    double cost = 0;
    *error = error_of(of);
    const dls_status status = finish(of, error, &cost);
    if (status != DLS_OK) return status;
    done += cost;
    next *= LATER;
  }
  if (*error > of->limit) *error = error_of(of);
  *sweeps = (int)dls_min(done, of->most);
  return DLS_OK;
}
