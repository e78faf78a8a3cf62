/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/integrate.h"

#include "core/base/dim.h"
#include "core/accelerations/constrain.h"
#include "core/joints/penalties.h"
#include "core/model/body.h"
#include "core/accelerations/smooth.h"
#include "core/model/motion.h"
#include "core/model/prescribed.h"

static bool may_touch(const dls_world *w, int a, int b) {
  const dls_body *x = &w->bodies[a], *y = &w->bodies[b];
  if (x->sensor || y->sensor || !dls_bodies_meet(w, a, b)) return false;
  return !dls_are_joined(w, a, b);
}

static bool has_shape(const dls_world *w, int i) {
  return w->bodies[i].alive && w->bodies[i].shape;
}

dls_rough dls_world_rough(const dls_world *w, bool stepped, int *a, int *b) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    *a = i;
    if (!joint->alive) continue;
    if (joint->friction > 0 && !stepped) return DLS_ROUGH_FRICTION;
    if (joint->formulation == DLS_PENALTY) { /* its limits are forces */
      if (joint->motor.kind == DLS_MOTOR_SPEED) return DLS_ROUGH_MOTOR;
      continue;
    }
    if (joint->n_limits > 0) return DLS_ROUGH_LIMITS;
    if (joint->kind == DLS_KIND_SPHERICAL &&
        (joint->cone < DLS_INF || joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF))
      return DLS_ROUGH_LIMITS;
    if (joint->motor.kind == DLS_MOTOR_SPEED) return DLS_ROUGH_MOTOR;
  }
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive && w->user_contacts[i].active) return DLS_ROUGH_USER_CONTACT;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!has_shape(w, i) || w->bodies[i].type != DLS_DYNAMIC) continue;
    for (int j = 0; j < w->n_bodies; j++) {
      if (j == i || !has_shape(w, j) || !may_touch(w, i, j)) continue;
      *a = i;
      *b = j;
      return DLS_ROUGH_SHAPES;
    }
  }
  return DLS_ROUGH_FINE;
}

void dls_smooth_begin(dls_smooth *smooth, dls_world *w, double *q_start) {
  *smooth =
      (dls_smooth){.forest = w->trees->forest, .world = w, .start = w->time, .accepted = w->time,
                   .q_start = q_start};
  memcpy(q_start, w->q, (size_t)w->n_bodies * (size_t)DLS_NQ(w->dim) * sizeof(double));
}

/* Energies are sums of squares: where one of those is no number, the motion has run away. */
static bool in_range(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return dls_is_finite(sum);
}

static dls_status place(dls_smooth *smooth, double t, const double *q, const double *u) {
  dls_world *w = smooth->world;
  dls_trees *trees = w->trees;
  if (!in_range(trees->forest->nq, q) || !in_range(trees->forest->nu, u)) return DLS_RANGE;
  dls_forest_state *state = trees->state;
  w->time = t;
  memcpy(state->q, q, (size_t)trees->forest->nq * sizeof *q);
  memcpy(state->u, u, (size_t)trees->forest->nu * sizeof *u);
  dls_status status = dls_world_carry(smooth->world, t, smooth->start, smooth->q_start);
  if (status == DLS_OK) status = dls_trees_inputs(w, t);
  if (status != DLS_OK) return status;
  dls_forest_place(trees->forest, state);
  dls_forest_move(trees->forest, state);
  return DLS_OK;
}

static dls_status accelerate(void *ctx, double t, const double *q, const double *u, double *udot) {
  dls_smooth *smooth = ctx;
  dls_world *w = smooth->world;
  dls_status status = place(smooth, t, q, u);
  if (status != DLS_OK) return status;
  const bool held = dls_world_is_constrained(w) || w->trees->limits_held;
  /* Beside the manifold its accelerations are those of the nearest point on it: what a stage has
  ** gone astray would come back divided by the smallest singular value of J, near singular
  ** poses. */
  if (held) status = dls_constrain_state(w, t);
  else if (dls_world_is_pushed(w)) dls_trees_scatter(w, w->q, w->u, true);
  if (status == DLS_OK)
    status = dls_world_accelerate(w, held || smooth->limited ? DLS_ROWS_OF_JOINTS : DLS_ROWS_NONE);
  if (status == DLS_OK)
    memcpy(udot, w->trees->state->udot, (size_t)w->trees->forest->nu * sizeof *udot);
  return status;
}

dls_status dls_smooth_project(dls_smooth *smooth, dls_ode_run *run) {
  dls_world *w = smooth->world;
  if (!dls_world_is_constrained(w)) return DLS_OK;
  dls_status status = place(smooth, run->t, run->q, run->u);
  if (status == DLS_OK) status = dls_constrain_state(w, run->t);
  if (status == DLS_OK) dls_ode_correct(run, w->trees->state->q, w->trees->state->u);
  return status;
}

dls_status dls_smooth_start(dls_smooth *smooth) {
  dls_world *w = smooth->world;
  const dls_status status =
      dls_world_is_constrained(w) ? dls_constrain_start(w, w->time) : DLS_OK;
  dls_joints_keep_after(w, 0);
  return status;
}

dls_status dls_smooth_accept(dls_smooth *smooth, double t, const double *q, const double *u) {
  dls_world *w = smooth->world;
  const size_t n = (size_t)w->n_bodies * (size_t)DLS_NQ(w->dim);
  memcpy(w->q_before, w->q, n * sizeof(double));
  dls_status status = place(smooth, t, q, u);
  if (status != DLS_OK) return status;
  dls_trees_keep(w);
  dls_trees_scatter(w, w->q, w->u, true);
  dls_joints_keep_after(w, t - smooth->accepted);
  dls_penalties_follow(w);
  smooth->accepted = t;
  w->trees->known = DLS_KNOWN_NOTHING;
  w->time_origin = t;
  w->steps_origin = w->steps;
  return DLS_OK;
}

dls_ode dls_ode_of_world(dls_smooth *smooth) {
  return dls_ode_on_forest(smooth->forest, smooth, accelerate);
}
