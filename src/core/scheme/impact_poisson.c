/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impacts.h"

#include "core/joints/spring_rows.h"
#include "core/model/impact_law.h"
#include "core/rows/coulomb.h"
#include "core/ladder/ladder.h"
#include "core/rows/mass.h"

/* Poisson's impact law (EQUATIONS E.3), for all rigid contacts of a step at once:
**
**     compression   the rows with e = 0 on the velocities before         -> p_C, u_C
**     expansion     p_n = e p_Cn + P,   0 <= P  _|_  v_n >= 0,
**                   friction within mu p_n against v_t                   -> p_E, u_E
**
** then, with a tangential restitution e_t, the reversible e_t e p_Ct is added to the expansion's
** friction, cut to mu p_n, unless that would add energy. The compression is solved as any rows are;
** the expansion by sweeps with its own residual, below. */

/* What acts by forces takes no part in an impact: a box of nothing stands in for it. */
static void set_forces_aside(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints) {
  dls_rows *rows = &S->rows;
  for (int k = 0; k < rows->n_blocks; k++) {
    dls_block *block = &rows->block[k];
    for (int i = block->row; i < block->row + block->n; i++) {
      rows->p[i] = 0;
      if (dls_is_contact(block)) rows->s[i] = i == block->row ? C->drift[i] : 0;
      else if (block->kind == DLS_ROW_BILATERAL && !dls_springs_of(joints, k)) rows->s[i] = C->drift[i]; /* admitted */
    }
    if (dls_strikes(S, block) || (block->kind == DLS_ROW_BILATERAL && !dls_springs_of(joints, k))) continue;
    if (!dls_is_contact(block) && block->kind == DLS_ROW_UNILATERAL) continue; /* a joint's limit */
    block->kind = DLS_ROW_BOX;
    rows->n_general++;
    block->n = 1;
    block->lo = block->hi = 0;
  }
}

/* The groups of a block's cone after the normal: rows, and the bound of each a unit of p_n. */
static int groups_of(int dim, const dls_block *block, int rows_of[3]) {
  rows_of[0] = dim - 1;
  rows_of[1] = 1;
  rows_of[2] = 2;
  if (block->kind == DLS_ROW_CONE) return 1;
  return block->kind == DLS_ROW_ROLLING ? dim : 0;
}

/* One block of the expansion solved while the others wait; q = v at p, p in and out. */
static void expand(const dls_step *S, const dls_block *block, const double *W, double least, double *p, double *q) {
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
  for (int j = 0; j < block->n; j++) q[j] += W[j * (size_t)S->nb] * (least - p[0]);
  p[0] = least;
  int rows_of[3];
  const int n = groups_of(S->dim, block, rows_of);
  for (int g = 0, i = 1; g < n; i += rows_of[g++])
    dls_visit_disk(S->nb, W, i, rows_of[g], block->mu[g] * p[0], p, q);
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

static void velocities_of(const dls_step *S, const dls_contact_stage *C, const dls_block *block, const double *u,
                          double *v) {
  for (int i = 0; i < block->n; i++) v[i] = dls_row_speed(S->nu, &S->rows, block, block->row + i, u);
  if (dls_is_contact(block)) v[0] += C->drift[block->row];
}

static double error_of(const dls_step *S, const dls_contact_stage *C, const int *blocks, int n, const double *u) {
  double worst = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &S->rows.block[blocks[k]];
    double v[DLS_NB(3)];
    velocities_of(S, C, block, u, v);
    worst = dls_max(worst, expansion_error(S, C, block, S->rows.p + block->row, v));
  }
  return worst;
}

/* Sweeps over an island until its error holds; u and rows->p follow. Answers the error. */
static double expand_island(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints, const int *blocks,
                            int n, double limit, int most, double *u,
                            int *iterations) {
  dls_rows *rows = &S->rows;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    double p[DLS_NB(3)] = {0};
    p[0] = rows->p[block->row] = least_of(S, C, block);
    if (p[0] > 0) dls_strike(S, joints, block, p, u);
  }
  double error = error_of(S, C, blocks, n, u);
  int done = 0;
  for (; error > limit && done < most; done++) {
    if (rows->stop && dls_stop_poll(rows->stop, 100.0 * n)) break;
    double change = 0;
    for (int k = 0; k < n; k++) {
      const dls_block *block = &rows->block[blocks[(done & 1) ? n - 1 - k : k]];
      double p[DLS_NB(3)] = {0}, q[DLS_NB(3)], *now = rows->p + block->row;
      velocities_of(S, C, block, u, q);
      for (int i = 0; i < block->n; i++) p[i] = now[i];
      expand(S, block, rows->W + (size_t)block->row * (size_t)S->nb, least_of(S, C, block), p, q);
      for (int i = 0; i < block->n; i++) {
        const double dp = p[i] - now[i];
        now[i] = p[i];
        p[i] = dp;
        change = dls_max(change, fabs(dp) * rows->W[(size_t)(block->row + i) * (size_t)S->nb + i]);
      }
      dls_strike(S, joints, block, p, u);
    }
    if (change <= 2 * limit || change == 0) error = error_of(S, C, blocks, n, u);
    if (change == 0) break;
  }
  if (done > *iterations) *iterations = done;
  return done == most ? error_of(S, C, blocks, n, u) : error;
}

/* --- tangential restitution ---------------------------------------------------------------------- */

/* Whether the impulses of an island added kinetic energy, p . (v before + v after) / 2 > 0, by more
** than round-off. */
static bool adds_energy(const dls_step *S, const dls_contact_stage *C, const int *blocks, int n, const double *u) {
  dls_impact_work sum = {0};
  for (int k = 0; k < n; k++) {
    const dls_block *block = &S->rows.block[blocks[k]];
    double before[DLS_NB(3)], after[DLS_NB(3)];
    velocities_of(S, C, block, S->u_c, before);
    for (int i = 0; i < block->n && dls_is_contact(block); i++)
      before[i] -= dls_admitted_more(S, S->rows.J + (size_t)(block->row + i) * 2 * (size_t)S->nu, block->a, block->b);
    velocities_of(S, C, block, u, after);
    for (int i = 0; i < block->n; i++) {
      const double p = C->p_impact[block->row + i] + S->rows.p[block->row + i];
      dls_impact_charge(&sum, p, before[i], after[i]);
    }
  }
  return dls_impact_adds_energy(&sum);
}

/* Gives back (or, with sign -1, takes again) the reversible part; extra keeps it, rows by rows. */
static void give_back(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints, const int *blocks, int n,
                      double *extra, double sign, double *u) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &S->rows.block[blocks[k]];
    const double e = dls_impact_reversible(C->bounce[block->row], C->tangential[block->row]);
    double p[DLS_NB(3)] = {0}, x[3], length = 0, *now = S->rows.p + block->row;
    if (!dls_strikes(S, block) || !(e > 0) || block->n < S->dim) continue;
    for (int i = 1; i < S->dim; i++) {
      x[i] = now[i] + e * C->p_impact[block->row + i];
      length += x[i] * x[i];
    }
    const double bound = block->mu[0] * now[0];
    const double fit = length > bound * bound ? bound / sqrt(length) : 1;
    for (int i = 1; i < S->dim; i++) {
      if (sign > 0) extra[block->row + i] = fit * x[i] - now[i];
      p[i] = sign * extra[block->row + i];
      now[i] += p[i];
    }
    dls_strike(S, joints, block, p, u);
  }
}

static void restore_tangents(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints, const int *blocks,
                             int n, double *extra, double *u) {
  bool any = false;
  for (int k = 0; k < n; k++) any = any || C->tangential[S->rows.block[blocks[k]].row] > 0;
  if (!any) return;
  give_back(S, C, joints, blocks, n, extra, 1, u);
  if (adds_energy(S, C, blocks, n, u)) give_back(S, C, joints, blocks, n, extra, -1, u);
}

/* --- the way in ---------------------------------------------------------------------------------- */

static bool anything_approaches(const dls_step *S) {
  for (int k = 0; k < S->rows.n_blocks; k++) {
    const dls_block *block = &S->rows.block[k];
    if (dls_strikes(S, block) && S->w->contacts_next[block->source].before < 0) return true;
  }
  return false;
}

static double tolerance_of(const dls_step *S, int n_rows) {
  if (S->w->solve.tolerance > 0) return S->w->solve.tolerance;
  return n_rows <= 200 ? 1e-10 : 1e-6;
}

/* Compression in p_impact and u; then the expansion of all islands. */
static void expand_all(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints, int sweeps, double *u,
                       double *extra, dls_solve_report *report) {
  dls_rows *rows = &S->rows;
  const int most = (int)dls_max(0, sweeps - report->work); /* one bound for both phases */
  int swept = 0;
  for (int i = 0; i < rows->n_islands; i++) {
    const int *blocks = rows->island_block + rows->island_start[i];
    const int n = rows->island_start[i + 1] - rows->island_start[i];
    int n_rows = 0;
    for (int k = 0; k < n; k++) n_rows += rows->block[blocks[k]].n;
    const double limit = 0.1 * tolerance_of(S, n_rows) * report->scale;
    const double error = expand_island(S, C, joints, blocks, n, limit, most, u, &swept);
    if (error > 10 * limit) report->unconverged++;
    report->limited |= error > 10 * limit;
    if (report->scale > 0) report->residual = dls_max(report->residual, error / report->scale);
    restore_tangents(S, C, joints, blocks, n, extra, u);
  }
  report->iterations += swept;
  report->work += swept;
}

static dls_status compress_and_expand(dls_step *S, dls_contact_stage *C, const dls_joint_stage *joints,
                                      const dls_solve_opts *opts, double *extra,
                                      dls_solve_report *report) {
  dls_rows *rows = &S->rows;
  const size_t n_bodies = (size_t)rows->n_bodies;
  double *u = S->u_n; /* not needed yet */
  dls_begin_impacts(S, C, joints, u);
  set_forces_aside(S, C, joints);
  memcpy(rows->u_free, u, n_bodies * (size_t)S->nu * sizeof(double));
  if (rows->tree)
    memcpy(rows->g_free, S->w->trees->u_before,
           (size_t)S->w->trees->forest->nu * sizeof(double));
  dls_status status = dls_rows_solve(rows, opts, &S->w->arena, report);
  if (status != DLS_OK) return status;
  memcpy(u, rows->u, n_bodies * (size_t)S->nu * sizeof(double)); /* the trees' are in u_end, which is rows->g */
  for (int i = 0; i < rows->n_rows; i++) {
    C->p_impact[i] = rows->p[i];
    rows->p[i] = 0;
  }
  expand_all(S, C, joints, opts->max_iterations, u, extra, report);
  for (int i = 0; i < rows->n_rows; i++) C->p_impact[i] += rows->p[i];
  return dls_stop_status(rows->stop, DLS_OK);
}

dls_status dls_collide_by_poisson(dls_step *S, dls_contact_stage *C, const dls_joint_stage *joints,
                                  const dls_solve_opts *opts, dls_solve_report *report) {
  dls_rows *rows = &S->rows;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp), n = (size_t)rows->n_rows;
  *report = (dls_solve_report){0};
  for (int i = 0; i < rows->n_rows; i++) C->p_impact[i] = 0;
  if (!anything_approaches(S)) return DLS_OK;
  double *start = DLS_TAKE(tmp, double, n), *shift = DLS_TAKE(tmp, double, n);
  double *extra = DLS_TAKE(tmp, double, n);
  dls_block *blocks = DLS_TAKE(tmp, dls_block, rows->n_blocks);
  const size_t nu = rows->tree ? (size_t)S->w->trees->forest->nu : 0;
  double *smooth = DLS_TAKE(tmp, double, nu);
  rows->need = 3 * dls_arena_bytes(n, sizeof(double)) + dls_arena_bytes(nu, sizeof(double)) +
               dls_arena_bytes((size_t)rows->n_blocks, sizeof *blocks);
  if (!start || !shift || !extra || !blocks || !smooth) return DLS_FULL;
  if (nu > 0) memcpy(smooth, rows->g_free, nu * sizeof(double));
  memcpy(start, rows->p, n * sizeof(double));
  memcpy(shift, rows->s, n * sizeof(double));
  memcpy(blocks, rows->block, (size_t)rows->n_blocks * sizeof *blocks);
  const size_t room = rows->need;
  dls_status status = compress_and_expand(S, C, joints, opts, extra, report);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, room);
  memcpy(rows->p, start, n * sizeof(double));
  memcpy(rows->s, shift, n * sizeof(double));
  memcpy(rows->block, blocks, (size_t)rows->n_blocks * sizeof *blocks);
  if (nu > 0) memcpy(rows->g_free, smooth, nu * sizeof(double)); /* lent to the compression */
  dls_arena_release(tmp, mark);
  if (status == DLS_OK) dls_end_impacts(S, C, S->u_n);
  return status;
}
