/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impacts.h"

#include "core/joints/spring_rows.h"
#include "core/ladder/ladder.h"
#include "core/ladder/rung.h"
#include "core/model/impact_law.h"
#include "core/rows/mass.h"
#include "core/scheme/impact_expand.h"
#include "core/scheme/impact_points.h"

/* Poisson's impact law (EQUATIONS E.3), for all rigid contacts of a step at once:
**
**     compression   the rows with e = 0 on the velocities before         -> p_C, u_C
**     expansion     p_n = e p_Cn + P,   0 <= P  _|_  v_n >= 0,
**                   friction within mu p_n against v_t                   -> p_E, u_E
**
** then, with a tangential restitution e_t, the reversible e_t e p_Ct is added to the expansion's
** friction, cut to mu p_n, unless that would add energy. The compression is solved as any rows are;
** the expansion with its own residual (impact_expand.h). */

/* What acts by forces takes no part in an impact: a box of nothing stands in for it. */
static void set_forces_aside(dls_step *S, const dls_contact_stage *C,
                             const dls_joint_stage *joints) {
  dls_rows *rows = &S->rows;
  for (int k = 0; k < rows->n_blocks; k++) {
    dls_block *block = &rows->block[k];
    for (int i = block->row; i < block->row + block->n; i++) {
      rows->p[i] = 0;
      if (dls_is_contact(block)) rows->s[i] = i == block->row ? C->drift[i] : 0;
      /* admitted */
      else if (block->kind == DLS_ROW_BILATERAL && !dls_springs_of(joints, k))
        rows->s[i] = C->drift[i];
    }
    if (dls_strikes(S, block) || (block->kind == DLS_ROW_BILATERAL && !dls_springs_of(joints, k)))
      continue;
    if (!dls_is_contact(block) &&
        block->kind == DLS_ROW_UNILATERAL) { /* a joint's limit, of admitted velocities */
      rows->s[block->row] -= dls_joints_admitted_more(joints, block);
      continue;
    }
    block->kind = DLS_ROW_BOX;
    rows->n_general++;
    block->n = 1;
    block->lo = block->hi = 0;
  }
}

/* --- tangential restitution ------------------------------------------------------------------- */

/* Whether the impulses of an island added kinetic energy, p . (v before + v after) / 2 > 0, by more
** than round-off. */
static bool adds_energy(const dls_step *S, const dls_contact_stage *C, const int *blocks, int n,
                        const double *u) {
  dls_impact_work sum = {0};
  for (int k = 0; k < n; k++) {
    const dls_block *block = &S->rows.block[blocks[k]];
    double before[DLS_NB(3)], after[DLS_NB(3)];
    dls_impact_velocities(S, C, block, S->u_c, before);
    for (int i = 0; i < block->n && dls_is_contact(block); i++)
      before[i] -= dls_admitted_more(S, S->rows.J + (size_t)(block->row + i) * 2 * (size_t)S->nu,
                                     block->a, block->b);
    dls_impact_velocities(S, C, block, u, after);
    for (int i = 0; i < block->n; i++) {
      const double p = C->p_impact[block->row + i] + S->rows.p[block->row + i];
      dls_impact_charge(&sum, p, before[i], after[i]);
    }
  }
  return dls_impact_adds_energy(&sum);
}

/* Gives back (or, with sign -1, takes again) the reversible part; extra keeps it, rows by rows. */
static void give_back(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints,
                      const int *blocks, int n, double *extra, double sign, double *u) {
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

static void restore_tangents(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints,
                             const int *blocks, int n, double *extra, double *u) {
  bool any = false;
  for (int k = 0; k < n; k++) any = any || C->tangential[S->rows.block[blocks[k]].row] > 0;
  if (!any) return;
  give_back(S, C, joints, blocks, n, extra, 1, u);
  if (adds_energy(S, C, blocks, n, u)) give_back(S, C, joints, blocks, n, extra, -1, u);
}

/* --- the way in ------------------------------------------------------------------------------- */

static bool anything_approaches(const dls_step *S) {
  for (int k = 0; k < S->rows.n_blocks; k++) {
    const dls_block *block = &S->rows.block[k];
    if (dls_strikes(S, block) && S->w->contacts_next[block->source].before < 0) return true;
  }
  return false;
}

/* Of the errors of a phase, m/s. */
static double limit_of(const dls_step *S, int n_rows, const dls_solve_report *report) {
  return 0.1 * dls_island_tolerance(n_rows, &S->w->solve) * report->scale;
}

/* Whether something approaches faster than the solve's error, and something that the compression
** has pressed has restitution. */
static bool expands(const dls_expansion *of) {
  bool approaches = false, gives = false;
  for (int k = 0; k < of->n; k++) {
    const dls_block *block = &of->S->rows.block[of->blocks[k]];
    if (!dls_strikes(of->S, block)) continue;
    approaches = approaches || of->S->w->contacts_next[block->source].before < -of->limit;
    gives = gives || of->C->bounce[block->row] * of->S->rows.p[block->row] > 0;
  }
  return approaches && gives;
}

static dls_expansion island_of(dls_step *S, const dls_contact_stage *C,
                               const dls_joint_stage *joints, int i, double *u) {
  const dls_rows *rows = &S->rows;
  dls_expansion of = {.S = S, .C = C, .joints = joints, .u = u};
  of.blocks = rows->island_block + rows->island_start[i];
  of.n = rows->island_start[i + 1] - rows->island_start[i];
  of.n_rows = dls_count_rows(rows, of.blocks, of.n);
  return of;
}

/* The compression that rows.p and u have, where it is not unique: impulses shared, of islands
** whose expansion depends on them. shared: n_islands, whether they are. */
static dls_status share_compression(dls_step *S, const dls_contact_stage *C,
                                    const dls_joint_stage *joints, const dls_solve_opts *opts,
                                    double *u, unsigned char *shared, dls_solve_report *report) {
  double most = 0;
  for (int i = 0; i < S->rows.n_islands; i++) {
    dls_expansion of = island_of(S, C, joints, i, u);
    bool found;
    double cost;
    shared[i] = 0;
    of.compresses = true;
    of.limit = limit_of(S, of.n_rows, report);
    if (of.n_rows > DLS_SMALL_ISLAND || !expands(&of)) continue;
    if (opts->bounded && report->work > 0.5 * opts->max_iterations) continue;
    of.most = opts->max_iterations;
    if (opts->bounded) of.most = (int)dls_max(0, 0.5 * opts->max_iterations - report->work);
    const dls_status status = dls_share_impulses(&of, &found, &cost);
    if (status != DLS_OK) return status;
    shared[i] = found;
    most = dls_max(most, cost);
  }
  report->work += most;
  return DLS_OK;
}

/* Compression in p_impact and u; then the expansion of all islands. */
static dls_status expand_all(dls_step *S, const dls_contact_stage *C, const dls_joint_stage *joints,
                             int sweeps, bool bounded, const unsigned char *shared, double *u,
                             double *extra, dls_solve_report *report) {
  dls_rows *rows = &S->rows;
  int most = 0;
  for (int i = 0; i < rows->n_islands; i++) {
    dls_expansion of = island_of(S, C, joints, i, u);
    int swept;
    double error;
    /* what is bounded is for both phases */
    of.most = (int)dls_max(0, sweeps - (bounded ? report->work : 0));
    of.limit = limit_of(S, of.n_rows, report);
    of.shares = shared[i];
    const dls_status status = dls_expand_island(&of, &error, &swept);
    if (status != DLS_OK) return status;
    if (swept > most) most = swept;
    if (error > 10 * of.limit) report->unconverged++;
    report->limited |= error > 10 * of.limit;
    if (report->scale > 0) report->residual = dls_max(report->residual, error / report->scale);
    restore_tangents(S, C, joints, of.blocks, of.n, extra, u);
  }
  report->iterations += most;
  report->work += most;
  return DLS_OK;
}

static dls_status compress_and_expand(dls_step *S, dls_contact_stage *C,
                                      const dls_joint_stage *joints, const dls_solve_opts *opts,
                                      unsigned char *shared, double *extra,
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
  /* the trees' are in u_end, which is rows->g */
  memcpy(u, rows->u, n_bodies * (size_t)S->nu * sizeof(double));
  status = share_compression(S, C, joints, opts, u, shared, report);
  if (status != DLS_OK) return status;
  for (int i = 0; i < rows->n_rows; i++) {
    C->p_impact[i] = rows->p[i];
    rows->p[i] = 0;
  }
  status = expand_all(S, C, joints, opts->max_iterations, opts->bounded, shared, u, extra, report);
  if (status != DLS_OK) return status;
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
  unsigned char *shared = DLS_TAKE(tmp, unsigned char, rows->n_blocks); /* of islands */
  const size_t nu = rows->tree ? (size_t)S->w->trees->forest->nu : 0;
  double *smooth = DLS_TAKE(tmp, double, nu);
  rows->need = 3 * dls_arena_bytes(n, sizeof(double)) + dls_arena_bytes(nu, sizeof(double)) +
               dls_arena_bytes((size_t)rows->n_blocks, sizeof *blocks) +
               dls_arena_bytes((size_t)rows->n_blocks, 1);
  if (!shared || !start || !shift || !extra || !blocks || !smooth) return DLS_FULL;
  if (nu > 0) memcpy(smooth, rows->g_free, nu * sizeof(double));
  memcpy(start, rows->p, n * sizeof(double));
  memcpy(shift, rows->s, n * sizeof(double));
  memcpy(blocks, rows->block, (size_t)rows->n_blocks * sizeof *blocks);
  const size_t room = rows->need;
  dls_status status = compress_and_expand(S, C, joints, opts, shared, extra, report);
  if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, room);
  memcpy(rows->p, start, n * sizeof(double));
  memcpy(rows->s, shift, n * sizeof(double));
  memcpy(rows->block, blocks, (size_t)rows->n_blocks * sizeof *blocks);
  if (nu > 0) memcpy(rows->g_free, smooth, nu * sizeof(double)); /* lent to the compression */
  dls_arena_release(tmp, mark);
  if (status == DLS_OK) dls_end_impacts(S, C, S->u_n);
  return status;
}
