/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/holds.h"

#include "core/accelerations/constrain.h"
#include "core/accelerations/joint_acc.h"
#include "core/event_world/body_row.h"
#include "core/event_world/joint_row.h"
#include "core/events/event_parts.h"
#include "core/joints/penalties.h"

enum { ROWS = 12 }; /* of a joint, at most: held directions and prescribed motions */

dls_status dls_holds_create(dls_holds *holds, dls_event_world *x) {
  const dls_world *w = x->world;
  *holds = (dls_holds){.of = x};
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive) continue;
    holds->room += (j->formulation == DLS_RIGID ? ROWS : 0) + dls_motor_holds(&j->motor);
  }
  for (int i = 0; i < w->n_gears; i++) holds->room += w->gears[i].alive;
  if (holds->room == 0) return DLS_OK;
  const size_t n = (size_t)holds->room, nu = (size_t)x->nu,
               doubles = 2 * n * nu + 3 * n * n + 4 * n;
  const size_t bytes =
      dls_arena_bytes(doubles, sizeof(double)) + dls_arena_bytes(n, sizeof(int)) + 4 * DLS_ALIGN;
  holds->block = dls_new(&x->alloc, bytes, 1);
  if (holds->block == NULL) return DLS_NOMEM;
  holds->block_size = bytes;
  dls_arena arena = dls_arena_over(holds->block, bytes);
  double *at = DLS_TAKE(&arena, double, doubles);
  holds->perm = DLS_TAKE(&arena, int, n);
  holds->B = at, at += n * nu;
  holds->MB = at, at += n * nu;
  holds->W = at, at += n * n;
  holds->A = at, at += n * n;
  holds->b = at, at += n;
  holds->x = at, at += n;
  holds->scale = at, at += n;
  holds->share = at, at += n;
  holds->kernel = at;
  for (size_t i = 0; i < n; i++) holds->share[i] = 1;
  return DLS_OK;
}

void dls_holds_destroy(dls_holds *holds) {
  if (holds->block != NULL) dls_free(&holds->of->alloc, holds->block, holds->block_size, 1);
  *holds = (dls_holds){0};
}

/* Row number holds->n, its acceleration without it in b; one that trees pin is all zeros. */
static dls_status add_row(dls_holds *holds, const dls_acc_row *row) {
  const int i = holds->n++;
  holds->b[i] = 0;
  if (!dls_body_row_project(holds->of, row, holds->B + (size_t)i * (size_t)holds->of->nu))
    return DLS_OK;
  return dls_body_row_acceleration(holds->of, row, &holds->b[i]);
}

/* x = W^+ b, the least norm. */
static void solve(dls_holds *holds) {
  const size_t n = (size_t)holds->n;
  memcpy(holds->A, holds->W, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    const double diagonal = holds->W[i * n + i];
    holds->scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  (void)dls_ranked_solve_shared(holds->n, holds->A, holds->b, holds->scale, holds->share,
                                holds->perm, holds->kernel, holds->x);
}

/* Whoever uses the rows, one after the other: `joint` and `other` (a gear's; -1) are whose, number
** i. */
typedef dls_status use_row(dls_holds *holds, int i, const dls_acc_row *row, int joint, int other,
                           void *ctx);

static dls_status gather(dls_holds *holds, int i, const dls_acc_row *row, int joint, int other,
                         void *ctx) {
  (void)i, (void)joint, (void)other, (void)ctx;
  return add_row(holds, row);
}

/* Its force joins the loads. */
static dls_status load(dls_holds *holds, int i, const dls_acc_row *row, int joint, int other,
                       void *ctx) {
  (void)ctx;
  dls_body_row_push(holds->of, row, joint, other, holds->x[i]);
  return DLS_OK;
}

static dls_status charge(dls_holds *holds, int i, const dls_acc_row *row, int joint, int other,
                         void *ctx) {
  dls_holds_work *work = ctx;
  (void)other;
  const double carried = dls_body_row_carried(holds->of, row);
  const double target =
      dls_acc_row_holds_speed(row) ? holds->of->world->joints[joint].motor.target : 0;
  work->motors += holds->x[i] * (target != 0 ? row->v + target : 0);
  work->carried -= holds->x[i] * (carried + target);
  return DLS_OK;
}

static dls_status velocity(dls_holds *holds, int i, const dls_acc_row *row, int joint, int other,
                           void *ctx) {
  (void)joint, (void)other, (void)ctx;
  holds->b[i] = -row->v;
  return DLS_OK;
}

/* Each row as it is now; with what biases those of penalty joints have where `biased`. */
static dls_status each_row(dls_holds *holds, bool biased, use_row *use, void *ctx) {
  dls_event_world *x = holds->of;
  dls_world *w = x->world;
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  dls_status status = DLS_OK;
  int at = 0;
  for (int i = 0; i < w->n_joints && status == DLS_OK; i++) {
    const dls_joint *j = &w->joints[i];
    if (dls_is_penalty(j) && dls_motor_holds(&j->motor) && at < holds->room) {
      status = dls_joint_row_motor(x, i, biased, rows);
      if (status == DLS_OK) status = use(holds, at++, rows, i, -1, ctx);
      continue;
    }
    const int m = dls_joint_acc_rows(w, i, rows);
    for (int k = 0; k < m && status == DLS_OK; k++) {
      const bool holding = rows[k].kind == DLS_ROW_BILATERAL || dls_acc_row_holds_speed(&rows[k]);
      if (holding && at < holds->room) status = use(holds, at++, &rows[k], i, -1, ctx);
    }
  }
  for (int i = 0; i < w->n_gears && status == DLS_OK; i++)
    if (dls_gear_acc_row(w, i, rows) && at < holds->room)
      status = use(holds, at++, rows, w->gears[i].joint[1], w->gears[i].joint[0], ctx);
  return status;
}

/* M^-1 B' and W. */
static void assemble(dls_holds *holds) {
  const dls_event_world *x = holds->of;
  const dls_trees *t = x->world->trees;
  const size_t n = (size_t)holds->n, nu = (size_t)x->nu;
  dls_forest_solve(t->forest, t->state, holds->n, holds->B, holds->MB);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t l = 0; l < nu; l++) sum += holds->B[i * nu + l] * holds->MB[j * nu + l];
      holds->W[i * n + j] = sum;
    }
}

dls_status dls_holds_accelerate(dls_holds *holds) {
  const dls_event_world *x = holds->of;
  holds->n = 0;
  dls_status status = each_row(holds, true, gather, NULL);
  if (status != DLS_OK || holds->n == 0) return status;
  for (int i = 0; i < holds->n; i++) holds->b[i] = -holds->b[i];
  assemble(holds);
  solve(holds);
  x->world->trees->state->loaded = true;
  return each_row(holds, false, load, NULL);
}

dls_status dls_holds_charge(dls_holds *holds, dls_holds_work *out) {
  *out = (dls_holds_work){0};
  return holds->n > 0 ? each_row(holds, false, charge, out) : DLS_OK;
}

dls_status dls_holds_strike(dls_holds *holds, double *du, dls_holds_work *out) {
  *out = (dls_holds_work){0};
  if (holds->n == 0) return DLS_OK;
  dls_holds_answer(holds, 1, du);
  dls_status status = each_row(holds, false, load, NULL);
  if (status == DLS_OK) status = each_row(holds, false, charge, out);
  return status;
}

void dls_holds_answer(dls_holds *holds, int k, double *x) {
  const size_t nu = (size_t)holds->of->nu, n = (size_t)holds->n;
  for (int r = 0; r < k && n > 0; r++, x += nu) {
    for (size_t i = 0; i < n; i++) {
      holds->b[i] = 0;
      for (size_t l = 0; l < nu; l++) holds->b[i] -= holds->B[i * nu + l] * x[l];
    }
    solve(holds);
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < nu; l++) x[l] += holds->x[i] * holds->MB[i * nu + l];
  }
}

/* Velocities that all rows admit, those of penalty joints' motors too, which constrain_state does
** not know. */
static dls_status admit_motors(dls_holds *holds) {
  dls_event_world *x = holds->of;
  dls_trees *t = x->world->trees;
  bool any = false;
  for (int i = 0; i < x->world->n_joints; i++)
    any = any ||
          (dls_is_penalty(&x->world->joints[i]) && dls_motor_holds(&x->world->joints[i].motor));
  if (!any) return DLS_OK;
  dls_fault fault = {-1, 0};
  holds->n = 0;
  dls_status status = dls_forest_factor(t->forest, t->state, &fault);
  if (status == DLS_OK) status = each_row(holds, false, gather, NULL);
  if (status != DLS_OK) return status;
  assemble(holds);
  status = each_row(holds, false, velocity, NULL);
  if (status != DLS_OK) return status;
  solve(holds);
  for (int i = 0; i < holds->n; i++)
    for (int l = 0; l < x->nu; l++)
      t->state->u[l] += holds->x[i] * holds->MB[(size_t)i * (size_t)x->nu + (size_t)l];
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(x->world, x->world->q, x->world->u, true);
  return DLS_OK;
}

dls_status dls_holds_project(dls_holds *holds, double t, double *q, double *u) {
  dls_event_world *x = holds->of;
  const dls_forest_state *state = x->world->trees->state;
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status == DLS_OK) status = dls_constrain_state(x->world, t);
  if (status == DLS_OK) status = admit_motors(holds);
  x->placed = x->moving = x->accelerated = false;
  if (status != DLS_OK) return status;
  dls_joints_keep(x->world); /* turns are counted on */
  memcpy(q, state->q, (size_t)x->nq * sizeof *q);
  memcpy(u, state->u, (size_t)x->nu * sizeof *u);
  return DLS_OK;
}
