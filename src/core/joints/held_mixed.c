/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/held_mixed.h"

#include "core/joints/held.h"
#include "core/joints/joint_frame.h"
#include "core/lcp/mixed.h"
#include "core/rows/budget.h"

double dls_overlap_alone(const dls_joint_stage *S, const dls_overlap *o) {
  const int bodies[4] = {o->a, o->b, o->c, o->d};
  double ways;
  return dls_row_of_free(S->w, dls_overlap_ends(o), bodies, o->J, &ways);
}

double dls_overlap_length(const dls_joint_stage *S, const dls_overlap *o) {
  double length = 0, linear = 0;
  for (int e = 0; e < dls_overlap_ends(o); e++) {
    const dls_body *body = &S->w->bodies[dls_overlap_end(o, e)];
    if (dls_moves_freely(body)) length = dls_max(length, body->gyration);
    for (int k = 0; k < S->dim; k++) linear = dls_max(linear, fabs(o->J[e * S->nu + k]));
  }
  return linear > 0 && length > 0 ? length : 1;
}

double dls_overlap_per_unit(const dls_joint_stage *S, const dls_overlap *o) {
  return 1 / dls_unit_below(dls_overlap_length(S, o));
}

/* W and b in these units; pi, of such, in its own. */
static void take_units(int n, const double *per, double *W, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] *= per[i];
    for (int j = 0; j < n; j++) W[(size_t)i * (size_t)n + (size_t)j] *= per[i] * per[j];
  }
}

static void leave_units(int n, const double *per, double *pi) {
  for (int i = 0; i < n; i++) pi[i] *= per[i];
}

/* Sweeps over W from nothing, as many as the step's work allows, at least FEW, or one where nothing
** of it is left: where the exact answer costs too much. */
static void sweep_mixed(dls_joint_stage *S, const dls_overlap *o, int n, const double *W,
                        const double *b, double *pi) {
  enum { FEW = 4, MANY = 50 };
  const double price = (double)n / (S->dim == 2 ? DLS_VISIT_PLANAR : DLS_VISIT_SPATIAL);
  const int times = dls_work_times(&S->w->work, price, MANY), least = S->w->work.left > 0 ? FEW : 1;
  const int sweeps = times > least ? times : least;
  memset(pi, 0, (size_t)n * sizeof *pi);
  for (int turn = 0; turn < sweeps; turn++)
    for (int k = 0; k < n; k++) {
      const int i = turn & 1 ? n - 1 - k : k;
      const double *row = W + (size_t)i * (size_t)n;
      double v = b[i];
      for (int j = 0; j < n; j++) v += row[j] * pi[j];
      if (!(row[i] > 0)) continue;
      pi[i] -= v / row[i];
      if (!o[i].both) pi[i] = dls_max(pi[i], 0);
    }
  dls_work_pay(&S->w->work, price * sweeps);
}

/* Whether the exact answer costs more than is left; equations alone are always solved: joints would
** come apart. */
static bool too_dear(dls_joint_stage *S, const dls_overlap *o, int n) {
  int n_free = 0;
  for (int i = 0; i < n; i++) n_free += !o[i].both;
  return n_free > 0 && !dls_work_afford(&S->w->work, dls_work_dense(S->dim, n),
                                        DLS_WORK_PROJECTION);
}

double dls_held_dependent_pivot(const dls_joint_stage *S, const dls_overlap *o, int n) {
  double turn = 0;
  for (int i = 0; i < n && S->off > 0; i++) {
    const int bodies[4] = {o[i].a, o[i].b, o[i].c, o[i].d};
    if (!o[i].both || o[i].gamma > 0) continue; /* springs ask for no closed gap */
    turn = dls_max(turn, dls_joint_turn_of_gap(S->w, o[i].gap, o[i].size, dls_overlap_ends(&o[i]),
                                               bodies, o[i].J));
  }
  return dls_joint_dependent_pivot(turn);
}

/* The rows of joints that depend on each other where all of them are closed. */
static dls_nearly_dependent nearly_dependent(const dls_joint_stage *S, const dls_overlap *o, int n,
                                             const double *per, const double *size,
                                             double *left) {
  for (int i = 0; i < n; i++) left[i] = DLS_JOINT_LEFT * S->off * o[i].size * per[i];
  return (dls_nearly_dependent){size, dls_held_dependent_pivot(S, o, n), left};
}

/* Pivots of equations are measured by their own W, but those that are FEW of the largest one of the
** rows of their joint in their unit by that: which way an axis points says nothing of them. */
static void find_sizes(const dls_overlap *o, int n, const double *per, const double *W,
                       double *size) {
  static const double FEW = 1e-2; /* 1e-3, too, holds redundant_turns_spec, similar_spec */
  for (int from = 0, end; from < n; from = end) {
    for (end = from + 1; end < n && o[end].source == o[from].source && o[end].both && o[from].both;)
      end++;
    for (int i = from; i < end; i++) {
      double most = 0;
      for (int j = from; j < end; j++)
        if (per[j] == per[i]) most = dls_max(most, W[(size_t)j * (size_t)n + (size_t)j]);
      size[i] = W[(size_t)i * (size_t)n + (size_t)i];
      if (size[i] < FEW * most) size[i] = most;
    }
  }
}

/* All rows in one unit. Where the inequalities cannot hold together, the least of
**
**     dq' M dq/2 + sum_U (gap + J dq)_-^2/(2 GIVES v)
**
** under the equations, v = J M^-1 J': what they miss is shared out. W is written over. */
static dls_status solve_alike(dls_joint_stage *S, const dls_overlap *o, int n, const double *per,
                              double *W, const double *b, double *pi) {
  static const double TOLERANCE = 1e-9; /* of the largest gap, and there are several turns */
  static const double GIVES = 0.1; /* 0.03 to 0.3: brim_spec, jam_spec hold */
  if (too_dear(S, o, n)) {
    sweep_mixed(S, o, n, W, b, pi);
    return DLS_OK;
  }
  dls_arena *tmp = &S->w->arena;
  bool *holds = DLS_TAKE(tmp, bool, n), solved;
  double *v = DLS_TAKE(tmp, double, n), *size = DLS_TAKE(tmp, double, n),
         *left = DLS_TAKE(tmp, double, n);
  S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_mixed_lcp_bytes(n));
  if (!v || !size || !left || !holds) return DLS_FULL;
  const dls_nearly_dependent rows = nearly_dependent(S, o, n, per, size, left),
                             *nearly = S->off > 0 ? &rows : NULL;
  if (nearly) find_sizes(o, n, per, W, size);
  for (int i = 0; i < n; i++) {
    holds[i] = o[i].both;
    v[i] = dls_overlap_alone(S, &o[i]) * (per[i] * per[i]);
  }
  dls_status status = dls_mixed_lcp(n, holds, v, W, b, nearly, TOLERANCE, tmp, pi, &solved);
  if (status != DLS_OK || solved) return status;
  for (int i = 0; i < n; i++)
    if (!holds[i]) W[(size_t)i * (size_t)n + (size_t)i] += GIVES * v[i];
  if (!S->w->work.bounded)
    status = dls_mixed_lcp(n, holds, v, W, b, nearly, TOLERANCE, tmp, pi, &solved);
  if (status == DLS_OK && !solved) sweep_mixed(S, o, n, W, b, pi);
  return status;
}

dls_status dls_joints_solve_mixed(dls_joint_stage *S, const dls_overlap *o, int n, double *W,
                                  double *b, double *pi) {
  double *per = DLS_TAKE(&S->w->arena, double, n);
  if (!per) return DLS_FULL;
  for (int i = 0; i < n; i++) per[i] = dls_overlap_per_unit(S, &o[i]);
  take_units(n, per, W, b);
  const dls_status status = solve_alike(S, o, n, per, W, b, pi);
  leave_units(n, per, pi);
  return status;
}
