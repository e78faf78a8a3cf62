/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/friction.h"

#include "core/contacts/contact_row.h"
#include "core/ladder/ladder.h"
#include "core/ladder/rung.h"
#include "core/model/material.h"
#include "core/model/rebounds.h"
#include "core/rows/residual.h"
#include "core/rows/special.h"
#include "core/scheme/impact_gain.h"
#include "core/scheme/impact_newton.h"

/* --- the solve with kinetic friction ----------------------------------------------------- */

void dls_know_noise(dls_contact_stage *C, const dls_solve_report *report) {
  C->slips = dls_law_slips(report->residual, report->scale, &C->noise);
}

/* Contacts that give way get the friction of their slide; *any: some did. */
static dls_status use_kinetic(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                              bool *any) {
  dls_world *w = S->w;
  *any = false;
  for (int k = 0; k < S->rows.n_blocks && C->varies; k++) {
    dls_block *block = &S->rows.block[k];
    if (block->source < 0 || block->speculative || block->n < S->dim || dls_disks_has(disks, k))
      continue;
    dls_contact *c = &w->contacts_next[block->source];
    double v_t[2] = {0, 0};
    for (int i = 1; i < S->dim; i++)
      v_t[i - 1] = S->rows.v[block->row + i] + dls_reads_more(S, C, block, block->row + i);
    const double slip = sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1]);
    if (!(c->mark & DLS_MARK_HELD) || !(S->rows.p[block->row] > 0) || !(slip > C->noise)) continue;
    const dls_material m =
        c->user >= 0 ? w->user_contacts[c->user].material : dls_world_material(w, c->a, c->b);
    double mu = c->mu;
    const dls_status status = dls_friction_at(w, &m, slip, &mu);
    if (status != DLS_OK) return status;
    if (mu == c->mu || !(mu > 0)) continue;
    block->mu[0] = mu;
    *any = true;
  }
  return DLS_OK;
}

/* The coefficient used: impacts that came before the forces had that of rest, and the bound is
** the sum of both. */
static void note_kinetic(dls_step *S, const dls_contact_stage *C) {
  const bool impacts = S->w->impact != DLS_IMPACT_NEWTON;
  for (int k = 0; k < S->rows.n_blocks; k++) {
    const dls_block *block = &S->rows.block[k];
    if (block->source < 0 || block->speculative || block->n < S->dim) continue;
    dls_contact *c = &S->w->contacts_next[block->source];
    const double before = impacts ? C->p_impact[block->row] : 0, p = S->rows.p[block->row];
    if (block->mu[0] == c->mu) continue;
    c->mu = before > 0 ? (before * c->mu + p * block->mu[0]) / (before + p) : block->mu[0];
  }
}

/* --- rebounds that nothing gives ----------------------------------------------------------- */

/* Whether block k is a closed contact that rebounds: its s is below what the row reads, *more. Disk
** contacts (disks/disks.h) read nothing more. */
static bool rebounds(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                     int k, double *more) {
  const dls_block *block = &S->rows.block[k];
  if (block->source < 0 || block->speculative || S->rows.gamma[block->row] > 0) return false;
  if (dls_disks_has(disks, k)) {
    *more = 0;
    return S->rows.s[block->row] < 0;
  }
  /* others may have thrown it */
  if (S->w->impact == DLS_IMPACT_NEWTON && !(C->bounce[block->row] > 0)) return false;
  *more = C->drift[block->row] + dls_reads_more(S, C, block, block->row);
  return S->rows.s[block->row] < *more;
}

/* An island that missed. */
typedef struct missed_island {
  dls_step *S;       /* the step */
  const dls_contact_stage *C; /* its contacts */
  const dls_disk_stage *disks; /* its disk contacts */
  const int *blocks; /* of the island */
  double scale;      /* m/s, of residuals */
} missed_island;

/* Contact k loses its rebound and holds as with e = 0; false: it had none. */
static bool end_rebound_at(const dls_step *S, const dls_contact_stage *C,
                           const dls_disk_stage *disks, int k) {
  const dls_block *block = &S->rows.block[k];
  double *s = S->rows.s + block->row, more;
  if (!rebounds(S, C, disks, k, &more)) return false;
  const bool disk = dls_disks_has(disks, k);
  s[0] = more;
  for (int j = 1; j < block->n; j++)
    s[j] = disk ? 0 : dls_reads_more(S, C, block, block->row + j);
  return true;
}

static bool end_rebound(void *of, int i) {
  const missed_island *m = (const missed_island *)of;
  return end_rebound_at(m->S, m->C, m->disks, m->blocks[i]);
}

static bool is_jammed(const dls_rows *rows, int k, double scale) {
  const dls_block *block = &rows->block[k];
  const size_t row = (size_t)block->row;
  const double W = block->compact ? rows->inv_mass[block->a] + rows->inv_mass[block->b]
                                  : rows->W[row * (size_t)rows->nb];
  return dls_rebounds_is_jammed(rows->p[row], W, scale);
}

/* Among joints all rebounds end at once. */
static bool jams_alone(void *of, int i) {
  const missed_island *m = (const missed_island *)of;
  return !m->S->u_off && is_jammed(&m->S->rows, m->blocks[i], m->scale);
}

/* Of an island that missed by far: the rebounds that end; how many. A small one is missed for no
** other reason. */
static int end_rebounds_of(missed_island *m, int n) {
  int n_rows = 0;
  for (int i = 0; i < n; i++) n_rows += m->S->rows.block[m->blocks[i]].n;
  const dls_rebounds all = {m, n, jams_alone, end_rebound};
  return dls_rebounds_end(&all, m->S->u_off || n_rows <= DLS_SMALL_ISLAND);
}

static bool any_jammed(const dls_rows *rows, const int *blocks, int n, double scale) {
  for (int i = 0; i < n; i++)
    if (rows->block[blocks[i]].source >= 0 && is_jammed(rows, blocks[i], scale)) return true;
  return false;
}

/* Impulses that do no more together than what is left, -p . (J u_f + s) <= 2 |p|_1 residual, are
** along the kernel of W: what rows ask for along them no motion has, and they grow without bound.
** It is taken out of s, the least change that does, where it is no more than what shifts are off
** by that are right to second order each: a log that is wedged between two places of a drum.
** Whether it was; not where gears have part in it. */
static bool agree_along(const missed_island *m, int n) {
  static const double MOST = 1e-2; /* of the scale, as in cone/agree.c */
  dls_rows *rows = &m->S->rows;
  const size_t nu = (size_t)rows->nu;
  double asked = 0, sum = 0, square = 0;
  for (int i = 0; i < n; i++) {
    const dls_block *block = &rows->block[m->blocks[i]];
    if (block->second > 0) return false;
    if (block->compact) rows->special->write(rows, m->blocks[i]);
    for (int j = block->row; j < block->row + block->n; j++) {
      const double free = dls_row_velocity((int)nu, rows->J + 2 * nu * (size_t)j,
                                           rows->u_free + nu * (size_t)block->a,
                                           rows->u_free + nu * (size_t)block->b);
      asked -= rows->p[j] * (free + rows->s[j]);
      sum += fabs(rows->p[j]), square += rows->p[j] * rows->p[j];
    }
  }
  const double left = dls_rows_residual_of(rows, m->blocks, n);
  if (!(asked > 0 && asked <= 2 * left * sum && asked <= MOST * m->scale * sqrt(square)))
    return false;
  for (int i = 0; i < n; i++) {
    const dls_block *block = &rows->block[m->blocks[i]];
    for (int j = block->row; j < block->row + block->n; j++)
      rows->s[j] += asked / square * rows->p[j];
  }
  return true;
}

/* Islands that missed by far, and what was asked for, or whose impulses have no measure though
** velocities are within the tolerance (of a slow rebound), lose the rebounds that nothing gives;
** what missed otherwise, what is asked for along impulses that do nothing. They begin from nothing.
** Whether there are such. */
static bool end_rebounds(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                         double tolerance, const dls_solve_report *report) {
  const double least = dls_max(DLS_REBOUNDS_FAR, tolerance);
  dls_rows *rows = &S->rows;
  bool any = false;
  for (int k = 0; k < rows->n_islands; k++) {
    const int *blocks = rows->island_block + rows->island_start[k];
    const int n = rows->island_start[k + 1] - rows->island_start[k];
    const double scale = report->scale,
                 left = report->residual > tolerance ? dls_rows_residual_of(rows, blocks, n) : 0;
    const bool jammed = any_jammed(rows, blocks, n, scale);
    if (!(left > tolerance * scale) && !jammed) continue;
    missed_island island = {S, C, disks, blocks, scale};
    const bool ends = (left > least * scale || jammed) && end_rebounds_of(&island, n) > 0;
    if (!ends && !agree_along(&island, n)) continue;
    for (int i = 0; i < n; i++) {
      const dls_block *block = &rows->block[blocks[i]];
      memset(rows->p + block->row, 0, (size_t)block->n * sizeof *rows->p);
    }
    any = true;
  }
  return any;
}

/* What the first solve may spend: where work is bounded and something rebounds, a quarter is for
** a second one, in which rebounds that nothing gives have ended. False in *tells: too little to
** tell which these are. */
static int first_share(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                       const dls_solve_opts *opts, bool *tells) {
  enum { ENOUGH = 200 }; /* sweeps */
  double more;
  *tells = !opts->bounded || opts->max_iterations >= ENOUGH;
  if (!opts->bounded || !*tells) return opts->max_iterations;
  for (int k = 0; k < S->rows.n_blocks; k++)
    if (rebounds(S, C, disks, k, &more)) return opts->max_iterations - opts->max_iterations / 4;
  return opts->max_iterations;
}

/* Once more, with rows that have changed; one bound for all solves, but where what had no answer
** had spent it all. */
static dls_status solve_again(dls_step *S, const dls_solve_opts *opts, bool shares,
                              dls_solve_report *report) {
  const dls_solve_report before = *report;
  dls_solve_opts rest = *opts;
  if (shares) rest.max_iterations = (int)dls_max(0, opts->max_iterations - before.work);
  const dls_status status = dls_rows_solve(&S->rows, &rest, &S->w->arena, report);
  report->iterations += before.iterations;
  report->work += before.work;
  report->pivots += before.pivots;
  return status;
}

/* --- rebounds that add energy ---------------------------------------------------------------- */

typedef struct gaining_blocks {
  const dls_step *S;          /* the step */
  const dls_contact_stage *C; /* its contacts */
  const dls_disk_stage *disks; /* its disk contacts */
  const dls_account_stage *A; /* their sums */
  double share;               /* of what impulses turn over: open */
} gaining_blocks;

static bool is_pressed(void *of, int k) {
  const dls_rows *rows = &((const gaining_blocks *)of)->S->rows;
  return rows->p[rows->block[k].row] > 0;
}

static bool end_gain(void *of, int k) {
  const gaining_blocks *g = (const gaining_blocks *)of;
  const dls_block *block = &g->S->rows.block[k];
  return block->source >= 0 && dls_impact_gains_at(g->S, g->A, block, g->share) &&
         end_rebound_at(g->S, g->C, g->disks, k);
}

/* Rebounds that end, of all blocks; how many. all: also those that nothing presses. */
static int end_gains(gaining_blocks *g, bool all) {
  bool pressed = false;
  double more;
  for (int k = 0; k < g->S->rows.n_blocks && !pressed; k++)
    pressed = is_pressed(g, k) && rebounds(g->S, g->C, g->disks, k, &more);
  if (!pressed || !dls_impact_gains(g->S, g->C, g->disks, g->A, g->share)) return 0;
  const dls_rebounds of = {g, g->S->rows.n_blocks, is_pressed, end_gain};
  return all ? dls_rebounds_end_all(&of) : dls_rebounds_end(&of, true);
}

/* Of laws whose impacts come before the forces. */
static dls_status solve_without_gains(dls_step *S, dls_contact_stage *C,
                                      const dls_disk_stage *disks, const dls_account_stage *A,
                                      const dls_solve_opts *opts, dls_solve_report *report,
                                      int *ended) {
  dls_status status = DLS_OK;
  if (S->w->impact == DLS_IMPACT_NEWTON) return status;
  for (int round = 0; round < DLS_REBOUNDS_ENDINGS && status == DLS_OK; round++) {
    gaining_blocks of = {S, C, disks, A, DLS_IMPACT_ROUND_OFF + report->residual};
    dls_know_noise(C, report);
    if (opts->bounded && report->work >= opts->max_iterations) break;
    if (end_gains(&of, round > 0) == 0) break;
    status = solve_again(S, opts, true, report);
    (*ended)++;
  }
  return status;
}

dls_status dls_solve_laws(dls_step *S, dls_contact_stage *C, const dls_disk_stage *disks,
                          const dls_account_stage *A, const dls_solve_opts *opts,
                          dls_solve_report *report) {
  dls_solve_opts share = *opts;
  bool tells, slides = false;
  int ended = 0;
  share.max_iterations = first_share(S, C, disks, opts, &tells);
  dls_status status = dls_rows_solve(&S->rows, &share, &S->w->arena, report);
  for (; status == DLS_OK && tells && ended < DLS_REBOUNDS_ENDINGS; ended++) {
    if (!end_rebounds(S, C, disks, opts->tolerance, report)) break;
    status = solve_again(S, opts, opts->bounded, report);
  }
  if (status != DLS_OK) return status;
  dls_know_noise(C, report);
  status = dls_share_rebounds(S, C, disks, opts, report);
  if (status == DLS_OK && C->varies && ended == 0) status = use_kinetic(S, C, disks, &slides);
  if (status == DLS_OK && slides) status = solve_again(S, opts, true, report);
  if (status == DLS_OK && slides) status = dls_share_rebounds(S, C, disks, opts, report);
  if (status == DLS_OK && tells)
    status = solve_without_gains(S, C, disks, A, opts, report, &ended);
  if (status == DLS_OK && ended + slides > 0) note_kinetic(S, C);
  return status;
}
