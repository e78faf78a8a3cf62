/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_pair.h"

#include "core/cone/cone.h"
#include "core/ladder/to_cone.h"
#include "core/model/impact_law.h"
#include "core/rows/mass.h"
#include "core/scheme/impacts.h"

/* The problem of a pair: m rows of n blocks. */
typedef struct pair {
  const int *blocks;
  int n, m;
  double *W;              /* m x m                                  */
  double *v, *q;          /* m: velocities before, with restitution */
  double *p, *p_0;        /* m: impulses with restitution, without  */
  double *after;          /* m */
  double *length;         /* m */
  dls_cone_group *groups; /* n */
} pair;

static size_t bytes_of(size_t n, size_t m) {
  return dls_arena_bytes(m * m, sizeof(double)) + 6 * dls_arena_bytes(m, sizeof(double)) +
         dls_arena_bytes(n, sizeof(dls_cone_group));
}

static bool take(dls_arena *tmp, pair *of) {
  const size_t m = (size_t)of->m;
  of->W = DLS_TAKE(tmp, double, m *m);
  of->v = DLS_TAKE(tmp, double, m), of->q = DLS_TAKE(tmp, double, m);
  of->p = DLS_TAKE(tmp, double, m), of->p_0 = DLS_TAKE(tmp, double, m);
  of->after = DLS_TAKE(tmp, double, m), of->length = DLS_TAKE(tmp, double, m);
  of->groups = DLS_TAKE(tmp, dls_cone_group, of->n);
  return of->W && of->v && of->q && of->p && of->p_0 && of->after && of->length && of->groups;
}

static void read_velocities(dls_step *S, const dls_contact_stage *C, const double *u, pair *of) {
  for (int k = 0, at = 0; k < of->n; k++) {
    const dls_block *block = &S->rows.block[of->blocks[k]];
    const double *J = S->rows.J + (size_t)block->row * 2 * (size_t)S->nu;
    const double e = C->bounce[block->row], e_t = C->tangential[block->row];
    for (int i = 0; i < block->n; i++, at++) {
      of->length[at] = S->rows.length[block->row + i];
      of->v[at] =
          dls_row_velocity(S->nu, J + i * 2 * S->nu, DLS_U(S, u, block->a), DLS_U(S, u, block->b));
      if (i == 0) of->v[at] += C->drift[block->row];
      of->q[at] = i == 0       ? dls_impact_newton(e, of->v[at])
                  : i < S->dim ? dls_impact_newton_tangent(e_t, of->v[at])
                               : of->v[at];
    }
  }
}

/* p for the free velocities q. */
static dls_status solve(dls_step *S, const pair *of, const double *q, double *p, bool *solved) {
  static const double TOLERANCE = 1e-13; /* of the velocities */
  const dls_cone_problem problem = {.n_rows = of->m,
                                    .n_groups = of->n,
                                    .groups = of->groups,
                                    .W = of->W,
                                    .b = q,
                                    .length = of->length};
  dls_cone_opts opts = dls_cone_opts_default();
  dls_cone_report report;
  opts.tolerance = TOLERANCE;
  dls_arena *tmp = &S->w->arena;
  memset(p, 0, (size_t)of->m * sizeof *p);
  S->rows.need = dls_bytes_add(tmp->size, dls_cone_solve_bytes(&problem));
  const dls_status status = dls_cone_solve(&problem, &opts, tmp, p, of->after, &report);
  *solved = status == DLS_OK && report.residual <= 10 * TOLERANCE;
  return status;
}

static dls_status strike(dls_mechanisms *all, pair *of, double *u, bool *struck) {
  dls_step *S = all->S;
  dls_status status = dls_fill_matrix(&S->rows, of->blocks, of->n, of->m, &S->w->arena, of->W);
  if (status != DLS_OK) return status;
  dls_fill_groups(&S->rows, of->blocks, of->n, of->groups);
  read_velocities(S, all->C, u, of);
  status = solve(S, of, of->q, of->p, struck);
  if (status != DLS_OK || !*struck) return status;
  const dls_impact_work work = dls_impact_work_of(of->m, of->m, of->W, of->v, of->p);
  if (dls_impact_adds_energy(&work)) {
    status = solve(S, of, of->v, of->p_0, struck);
    if (status != DLS_OK || !*struck) return status;
    dls_impact_curb(of->m, of->m, of->W, of->v, of->p_0, of->p), S->w->stats.curbed++;
  }
  for (int k = 0, at = 0; k < of->n && status == DLS_OK; k++) {
    const dls_block *block = &S->rows.block[of->blocks[k]];
    for (int i = 0; i < block->n; i++) all->C->p_impact[block->row + i] += of->p[at + i];
    status = dls_mechanisms_strike(all, block, of->p + at, u);
    at += block->n;
  }
  return status;
}

dls_status dls_strike_pair(dls_mechanisms *all, const int *blocks, int n, double *u, bool *struck) {
  dls_step *S = all->S;
  dls_arena *tmp = &S->w->arena;
  pair of = {.blocks = blocks, .n = n};
  for (int k = 0; k < n; k++) of.m += S->rows.block[blocks[k]].n;
  *struck = false;
  const size_t mark = dls_arena_mark(tmp);
  S->rows.need = dls_bytes_add(tmp->size, bytes_of((size_t)n, (size_t)of.m));
  if (!take(tmp, &of)) return DLS_FULL;
  const dls_status status = strike(all, &of, u, struck);
  dls_arena_release(tmp, mark);
  return status;
}
