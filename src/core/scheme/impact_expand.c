/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_expand.h"

#include "core/ladder/rung.h"
#include "core/model/impact_law.h"
#include "core/rows/budget.h"
#include "core/rows/coulomb.h"
#include "core/rows/mass.h"
#include "core/scheme/impact_points.h"

int dls_impact_groups(int dim, const dls_block *block, int rows_of[3]) {
  rows_of[0] = dim - 1;
  rows_of[1] = 1;
  rows_of[2] = 2;
  if (block->kind == DLS_ROW_CONE) return 1;
  return block->kind == DLS_ROW_ROLLING ? dim : 0;
}

/* p_n and the friction that answers it; q = v at p follows. */
static void push(const dls_step *S, const dls_block *block, const double *W, double p_n, double *p,
                 double *q) {
  int rows_of[3];
  const int n = dls_impact_groups(S->dim, block, rows_of);
  for (int j = 0; j < block->n; j++) q[j] += W[j * (size_t)S->nb] * (p_n - p[0]);
  p[0] = p_n;
  for (int g = 0, i = 1; g < n; i += rows_of[g++])
    dls_visit_disk(S->nb, W, i, rows_of[g], block->mu[g] * p[0], p, q);
}

/* One block of the expansion solved while the others wait; q = v at p, p in and out. Friction of
** the least p_n may hold a contact shut that less would leave open: it is pushed more then, until
** it opens no further or sticks. */
static void expand(const dls_step *S, const dls_block *block, const double *W, double least,
                   double *p, double *q) {
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
  for (int turn = 0; turn < TURNS; turn++)
    push(S, block, W, dls_max(least, p[0] - q[0] / W[0]), p, q);
}

double dls_expansion_least(const dls_expansion *of, const dls_block *block) {
  if (of->compresses || !dls_strikes(of->S, block)) return 0;
  return dls_impact_least(of->C->bounce[block->row], of->C->p_impact[block->row]);
}

/* How far a block is from the law, m/s: |p - P(p - rho v)| / rho, P the nearest point with p_n at
** least what it has to be and each group within its bound. Knows no sweep. */
static double block_error(const dls_expansion *of, const dls_block *block, const double *p,
                          const double *v) {
  const dls_step *S = of->S;
  const dls_rows *rows = &S->rows;
  const double *W = rows->W + (size_t)block->row * (size_t)S->nb;
  double most = 0, error = 0;
  for (int i = 0; i < block->n; i++) most = dls_max(most, W[i * (size_t)S->nb + i]);
  if (!(most > 0) || block->kind == DLS_ROW_BOX) return 0; /* set aside: no part of the impact */
  if (block->kind == DLS_ROW_BILATERAL) {
    for (int i = 0; i < block->n; i++) error = dls_max(error, fabs(v[i]));
    return error;
  }
  error = fabs(p[0] - dls_max(p[0] - v[0] / most, dls_expansion_least(of, block)));
  int rows_of[3];
  const int n = dls_impact_groups(S->dim, block, rows_of);
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

void dls_impact_velocities(const dls_step *S, const dls_contact_stage *C, const dls_block *block,
                           const double *u,
                           double *v) {
  for (int i = 0; i < block->n; i++)
    v[i] = dls_row_speed(S->nu, &S->rows, block, block->row + i, u);
  if (dls_is_contact(block)) v[0] += C->drift[block->row];
}

void dls_expansion_speeds(const dls_expansion *of, const dls_block *block, double *v) {
  const dls_rows *rows = &of->S->rows;
  dls_impact_velocities(of->S, of->C, block, of->u, v);
  for (int i = 0; i < block->n && !dls_is_contact(block); i++) v[i] += rows->s[block->row + i];
}

double dls_expansion_error(const dls_expansion *of) {
  const dls_step *S = of->S;
  double worst = 0;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &S->rows.block[of->blocks[k]];
    double v[DLS_NB(3)];
    dls_expansion_speeds(of, block, v);
    worst = dls_max(worst, block_error(of, block, S->rows.p + block->row, v));
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
    dls_expansion_speeds(of, block, q);
    for (int i = 0; i < block->n; i++) p[i] = now[i];
    expand(S, block, rows->W + (size_t)block->row * (size_t)S->nb, dls_expansion_least(of, block),
           p, q);
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

/* --- Newton's steps -------------------------------------------------------------------------- */

/* Newton's steps from where sweeps stand; what is not better than that is not taken. In *cost:
** sweeps. */
static dls_status finish(const dls_expansion *of, double *error, double *cost) {
  dls_step *S = of->S;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_points N;
  const dls_status status = dls_impact_points_take(&N, of);
  if (status != DLS_OK) return status;
  double *before = N.kept;
  memcpy(before, N.x, (size_t)N.n * sizeof *before);
  (void)dls_points_solve(&N, 0.1 * of->limit);
  dls_impact_points_apply(&N, of, N.x);
  const double now = dls_expansion_error(of);
  if (now < *error) *error = now;
  else dls_impact_points_apply(&N, of, before);
  *cost = (N.steps + 1) * dls_work_dense(S->dim, N.n) / of->n;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* --- an island ------------------------------------------------------------------------------- */

/* From e p_C, u with it. */
static void begin_with_least(const dls_expansion *of) {
  dls_rows *rows = &of->S->rows;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &rows->block[of->blocks[k]];
    double p[DLS_NB(3)] = {0};
    p[0] = rows->p[block->row] = dls_expansion_least(of, block);
    if (p[0] > 0) dls_strike(of->S, of->joints, block, p, of->u);
  }
}

dls_status dls_expand_island(const dls_expansion *of, double *error, int *sweeps) {
  /* sweeps before Newton's steps, and how many times as many before the next ones */
  enum { FIRST = 30, LATER = 4 };
  dls_rows *rows = &of->S->rows;
  double done = 0, next = FIRST;
  bool found = false;
  begin_with_least(of);
  if (of->shares) {
    const dls_status status = dls_share_impulses(of, &found, &done);
    if (status != DLS_OK) return status;
    if (!found) done = dls_min(done, 0.5 * of->most); /* sweeps have the other half */
  }
  *error = dls_expansion_error(of);
  for (int number = 0; !found && *error > of->limit && done < of->most; number++, done++) {
    if (rows->stop && dls_stop_poll(rows->stop, 100.0 * of->n)) break;
    const double change = sweep(of, number);
    if (change <= 2 * of->limit || change == 0) *error = dls_expansion_error(of);
    if (change == 0) break;
    if (number < next || of->n_rows > DLS_SMALL_ISLAND || *error <= of->limit) continue;
    double cost = 0;
    *error = dls_expansion_error(of);
    const dls_status status = finish(of, error, &cost);
    if (status != DLS_OK) return status;
    done += cost;
    next *= LATER;
  }
  if (*error > of->limit) *error = dls_expansion_error(of);
  *sweeps = (int)dls_min(done, of->most);
  return DLS_OK;
}
