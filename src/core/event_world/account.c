/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/account.h"

#include "core/accelerations/smooth.h"
#include "core/event_world/function_gap.h"
#include "core/event_world/kinematic.h"
#include "core/event_world/press.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rates.h"
#include "core/joints/penalties.h"
#include "core/math/lobatto.h"
#include "core/model/body.h"
#include "core/model/frames.h"
#include "core/model/material.h"

/* J: of compliant contacts where the step begins, less those of the last list. */
static dls_status bring(dls_event_world *x, double *brought) {
  const dls_world *w = x->world;
  const dls_event_scheme *e = &x->scheme;
  double now = 0, before = 0;
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!dls_smooth_complies(contact)) continue;
    if (contact->user >= 0 && !w->user_contacts[contact->user].active) continue;
    double gap;
    dls_status status = dls_event_world_place(x, e->t, e->q);
    if (status == DLS_OK && contact->by_function) status = dls_function_gap(x, i, e->t, e->q, &gap);
    if (status != DLS_OK) return status;
    const double depth = dls_event_world_compression(x, i);
    now += 0.5 * contact->material.stiffness * depth * depth;
  }
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &w->contacts[i];
    if (!(c->x > 0) || (c->user >= 0 && !w->user_contacts[c->user].alive)) continue;
    const double k = c->user >= 0 ? w->user_contacts[c->user].material.stiffness
                                  : dls_world_material(w, c->a, c->b).stiffness;
    if (k < DLS_INF) before += 0.5 * k * c->x * c->x;
  }
  *brought = now - before;
  return DLS_OK;
}

/* A load on what is given moves nothing. */
static bool is_loaded(const dls_world *w, int i) {
  const double *load = w->load + (size_t)i * dls_nu_of(w);
  for (size_t k = 0; k < dls_nu_of(w); k++)
    if (load[k] != 0 && dls_is_dynamic(w, i)) return true;
  return false;
}

/* Whether a joint has forces along its velocities that are no potential's. */
static bool acts(const dls_world *w, int i) {
  const dls_joint *j = &w->joints[i];
  if (!j->alive) return false;
  for (int k = 0; k < 6; k++)
    if (w->joint_state[i].torque[k] != 0) return true;
  return j->damping > 0 || j->motor.kind != DLS_MOTOR_NONE;
}

static bool is_wanted(const dls_event_world *x) {
  const dls_world *w = x->world;
  for (int i = 0; i < x->n; i++)
    if (dls_smooth_complies(&x->contacts[i]) &&
        (x->contacts[i].material.damping > 0 || x->contacts[i].ratio > 0))
      return true;
  for (int i = 0; i < w->n_bodies; i++)
    if (is_loaded(w, i)) return true;
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive && w->springs[i].damping > 0) return true;
  for (int i = 0; i < w->n_joints; i++)
    if (acts(w, i) || dls_is_penalty(&w->joints[i])) return true;
  return x->carries || w->hooks.field != NULL;
}

dls_status dls_account_begin(dls_event_world *x) {
  x->carries = dls_kinematic_acts(x);
  x->system.def.account = is_wanted(x) ? dls_account_add : NULL;
  return bring(x, &x->work.brought);
}

/* --- powers ----------------------------------------------------------------------------------- */

static double power_of_loads(const dls_world *w) {
  double sum = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const double *load = w->load + (size_t)i * dls_nu_of(w), *u = w->u + (size_t)i * dls_nu_of(w);
    for (size_t k = 0; k < dls_nu_of(w) && dls_is_dynamic(w, i); k++) sum += load[k] * u[k];
  }
  return sum;
}

static double taken_by_springs(const dls_world *w) {
  double sum = 0;
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *s = &w->springs[i];
    if (!s->alive || !(s->damping > 0)) continue;
    const dls_vec3 a = dls_body_point(
        w, s->a, dls_v3_add(dls_v3_load(s->anchor_a), dls_v3_load(w->bodies[s->a].com)));
    const dls_vec3 b = dls_body_point(
        w, s->b, dls_v3_add(dls_v3_load(s->anchor_b), dls_v3_load(w->bodies[s->b].com)));
    const dls_vec3 way = dls_v3_sub(b, a);
    const double length = dls_v3_norm(way);
    if (!(length > 0)) continue;
    const dls_vec3 v =
        dls_v3_sub(dls_body_velocity_at(w, s->b, b), dls_body_velocity_at(w, s->a, a));
    const double rate = dls_v3_dot(way, v) / length;
    sum += s->damping * rate * rate;
  }
  return sum;
}

/* Coordinates and velocities of a joint where the world stands; false: it has none there. */
static bool see_joint(const dls_event_world *x, int i, double q[7], double u[6]) {
  const dls_world *w = x->world;
  const dls_joint *j = &w->joints[i];
  if (j->formulation == DLS_REDUCED) {
    const dls_link_info *info =
        &w->trees->forest->links[w->trees->body_link[j->turned ? j->a : j->b]];
    memcpy(q, x->q + info->iq, (size_t)info->nq * sizeof *q);
    memcpy(u, x->u + info->iu, (size_t)info->nu * sizeof *u);
    return true;
  }
  if (j->formulation == DLS_PENALTY) {
    dls_along at;
    dls_penalty_look_along(w, i, w->q, w->u, &at);
    memcpy(q, at.x, 6 * sizeof *q);
    memcpy(u, at.rate, 6 * sizeof *u);
    return true;
  }
  double bias[6];
  const dls_joint_frame f = dls_joint_frame_moving(w, i, u, bias);
  memcpy(q, f.q, sizeof f.q);
  return f.regular;
}

/* The user's torques and position motors; dampers into *taken. */
static double power_of_joints(const dls_event_world *x, double *taken) {
  const dls_world *w = x->world;
  double sum = 0;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    double q[7] = {0}, u[6] = {0}, torque[6] = {0};
    if (!acts(w, i) || !see_joint(x, i, q, u)) continue;
    if (j->formulation == DLS_RIGID) dls_joint_torque(w, i, torque);
    else memcpy(torque, w->joint_state[i].torque, sizeof torque);
    for (int k = 0; k < j->nu; k++) sum += torque[k] * u[k], *taken += j->damping * u[k] * u[k];
    const dls_motor *m = &j->motor;
    if (m->kind != DLS_MOTOR_POSITION) continue;
    const double pull =
        dls_clamp(m->stiffness * (m->target - q[0]) - m->damping * u[0], -m->most, m->most);
    sum += pull * u[0];
  }
  return sum;
}

/* Speed motors, whose rows the scheme counts as friction's. */
static void charge_motors(dls_event_world *x, double weight, const double *force) {
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!contact->drives || x->scheme.contacts[i].mode == DLS_MODE_OPEN) continue;
    double q[7] = {0}, u[6] = {0};
    if (!see_joint(x, contact->joint, q, u)) continue;
    const double f = force[x->system.row[i] + 1],
                 target = x->world->joints[contact->joint].motor.target;
    x->work.forces += weight * f * u[0];
    x->work.friction += weight * f * (u[0] - target);
  }
}

static dls_status taken_by_contacts(dls_event_world *x, double *sum) {
  dls_status status = DLS_OK;
  for (int i = 0; i < x->n && status == DLS_OK; i++) {
    dls_press at;
    if (!dls_press_bears(x, i)) continue;
    status = dls_press_look(x, i, &at);
    if (status == DLS_OK) *sum += at.dashpot * at.rate * at.rate;
  }
  return status;
}

static dls_status power_of_fields(dls_event_world *x, double *sum) {
  dls_world *w = x->world;
  const size_t n = (size_t)w->n_bodies * dls_nu_of(w);
  if (w->hooks.field == NULL) return DLS_OK;
  memset(x->push, 0, n * sizeof *x->push);
  const dls_status status = dls_world_push_fields(w, x->push);
  for (size_t k = 0; k < n && status == DLS_OK; k++) *sum += x->push[k] * w->u[k];
  return status;
}

/* J: of nodes that relax. */
static double relaxing(const dls_event_world *x, double t) {
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (!dls_smooth_complies(contact) || dls_press_bears(x, i)) continue;
    const double depth = dls_press_relaxed(x, i, t);
    sum += 0.5 * contact->material.stiffness * depth * depth;
  }
  return sum;
}

static dls_status account_impact(dls_event_world *x, const double *impulse) {
  dls_kinematic_work work;
  const dls_status status = dls_kinematic_strike(x, impulse, &work);
  if (status == DLS_OK) x->work.kinematic += work.carried, x->work.forces += work.motors;
  return status;
}

dls_status dls_account_add(void *ctx, dls_account_place place, double weight, double t,
                           const double *q, const double *u, const double *force) {
  dls_event_world *x = ctx;
  dls_world *w = x->world;
  double taken = 0, given = 0, drives = 0;
  dls_kinematic_work work;
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status != DLS_OK) return status;
  dls_trees_scatter(w, w->q, w->u, true);
  if (place == DLS_ACCOUNT_IMPACT) return account_impact(x, force);
  if (place == DLS_ACCOUNT_START) x->work.damping += relaxing(x, t);
  if (place == DLS_ACCOUNT_END) x->work.damping -= relaxing(x, t);
  status = taken_by_contacts(x, &taken);
  if (status == DLS_OK) status = power_of_fields(x, &given);
  if (status == DLS_OK) status = dls_joints_drive(w, t);
  if (status != DLS_OK) return status;
  dls_penalties_powers(w, &drives, &taken);
  taken += taken_by_springs(w);
  given += power_of_loads(w) + power_of_joints(x, &taken);
  charge_motors(x, weight, force);
  status = dls_kinematic_power(x, force, &work);
  if (status != DLS_OK) return status;
  x->work.forces += weight * (given + work.motors);
  x->work.damping += weight * taken;
  x->work.kinematic += weight * work.carried;
  return DLS_OK;
}

dls_status dls_account_carried(dls_event_world *x, double from, double to) {
  enum { PIECES = 4 };
  dls_status status = DLS_OK;
  for (int k = 0; k < PIECES * DLS_LOBATTO && x->system.def.account != NULL && status == DLS_OK;
       k++) {
    const double h = (to - from) / PIECES,
                 t = from + (k / DLS_LOBATTO + dls_lobatto_node[k % DLS_LOBATTO]) * h;
    x->placed = x->moving = false;
    status = dls_account_add(x, DLS_ACCOUNT_MIDDLE, h * dls_lobatto_weight[k % DLS_LOBATTO], t,
                             x->q, x->u, NULL);
  }
  return status;
}

/* --- of the whole step ------------------------------------------------------------------------ */

dls_event_work dls_event_world_work(const dls_world *w) {
  const dls_event_world *x = w->event_world;
  if (x == NULL) return (dls_event_work){0};
  dls_event_work work = x->work;
  work.impact = x->scheme.stats.dissipated;
  work.friction += x->scheme.stats.friction;
  return work;
}
