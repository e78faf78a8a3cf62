/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/kinematic.h"

#include "core/accelerations/smooth.h"
#include "core/event_world/function_gap.h"
#include "core/event_world/joint_row.h"
#include "core/event_world/press.h"
#include "core/event_world/touch.h"
#include "core/joints/admit.h"
#include "core/joints/penalties.h"
#include "core/model/frames.h"
#include "core/model/motion.h"
#include "core/rows/mass.h"

bool dls_kinematic_acts(const dls_event_world *x) {
  const dls_world *w = x->world;
  const size_t nu = dls_nu_of(w);
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive || w->bodies[i].type != DLS_KINEMATIC) continue;
    if (w->bodies[i].moved) return true;
    for (size_t k = 0; k < nu; k++)
      if (w->u[(size_t)i * nu + k] != 0) return true;
  }
  for (int i = 0; i < x->n; i++)
    if (x->contacts[i].by_function) return true;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].n_driven > 0) return true;
  return false;
}

/* Velocities of a contact's rows that free bodies have no part in. */
static dls_status carried_of(dls_event_world *x, int i, double v[3]) {
  const dls_smooth_contact *contact = &x->contacts[i];
  v[0] = v[1] = v[2] = 0;
  if (contact->joint >= 0)
    return dls_joint_row_carried(x, contact, v + dls_joint_row_is_held(contact));
  dls_press sight = {0};
  const bool looked = contact->by_function || dls_smooth_complies(contact);
  const dls_status status = looked ? dls_press_look(x, i, &sight) : DLS_OK;
  if (status != DLS_OK) return status;
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  const dls_vec3 slip = dls_touch_carried(x, contact, &at);
  v[0] = looked ? sight.carried : dls_v3_dot(at.n, slip);
  v[1] = dls_v3_dot(at.t1, slip), v[2] = dls_v3_dot(at.t2, slip);
  return DLS_OK;
}

/* Of contacts, by forces or impulses of rows. */
static dls_status add_contacts(dls_event_world *x, const double *force, double *sum) {
  dls_status status = DLS_OK;
  for (int i = 0; i < x->n && status == DLS_OK; i++) {
    double v[3];
    const double *f = force + x->system.row[i];
    if (x->scheme.contacts[i].mode == DLS_MODE_OPEN) continue;
    status = carried_of(x, i, v);
    for (int k = 0; k <= x->system.n_tangents[i] && status == DLS_OK; k++) *sum -= f[k] * v[k];
  }
  return status;
}

/* Of springs, and of joints outside of trees: what they do to bodies that do not move freely, and
** their drives. */
static dls_status add_pushes(dls_event_world *x, double *sum) {
  dls_world *w = x->world;
  const size_t nu = dls_nu_of(w);
  if (!dls_world_is_pushed(w)) return DLS_OK;
  memset(x->push, 0, (size_t)w->n_bodies * nu * sizeof *x->push);
  const dls_status status = dls_world_push(w, true, false, x->push);
  for (size_t i = 0; i < (size_t)w->n_bodies && status == DLS_OK; i++)
    if (w->bodies[i].alive && w->bodies[i].type == DLS_KINEMATIC)
      *sum -= dls_dot_u((int)nu, x->push + i * nu, w->u + i * nu);
  double dampers = 0;
  if (status == DLS_OK) dls_penalties_powers(w, sum, &dampers);
  return status;
}

static bool has_drives(const dls_event_world *x) {
  const dls_forest *forest = x->world->trees->forest;
  return forest->n_drives + forest->n_given > 0;
}

dls_status dls_kinematic_power(dls_event_world *x, const double *force, dls_kinematic_work *out) {
  dls_holds_work held = {0};
  *out = (dls_kinematic_work){0};
  dls_status status = x->carries ? add_contacts(x, force, &out->carried) : DLS_OK;
  if (status == DLS_OK && x->carries) status = add_pushes(x, &out->carried);
  if (status != DLS_OK || (x->holds.room == 0 && !has_drives(x))) return status;
  status = dls_event_world_react(x, force);
  if (status == DLS_OK && x->holds.room > 0) status = dls_holds_charge(&x->holds, &held);
  if (status != DLS_OK) return status;
  out->carried += held.carried, out->motors = held.motors;
  if (has_drives(x)) out->carried += dls_trees_drive_power(x->world->trees);
  return DLS_OK;
}

/* Impulses of the joints of trees: each link's change of momentum by du, less what else strikes
** it. */
static double drive_work(dls_event_world *x) {
  dls_world *w = x->world;
  dls_trees *t = w->trees;
  const size_t nu = dls_nu_of(w), n = (size_t)w->n_bodies * nu;
  memcpy(x->push, w->u, n * sizeof *x->push);
  for (int l = 0; l < x->nu; l++) t->state->u[l] += x->du[l];
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(w, NULL, w->u, true);
  for (int k = 0; k < t->n_links; k++) {
    const size_t body = (size_t)t->link_body[k];
    double *jump = t->velocity + 6 * (size_t)k, du[6], M_du[6];
    for (int m = 0; m < 6; m++) jump[m] = -t->state->wrench[6 * (size_t)k + (size_t)m];
    if (w->bodies[body].type != DLS_DYNAMIC) continue;
    for (size_t m = 0; m < nu; m++) du[m] = w->u[body * nu + m] - x->push[body * nu + m];
    dls_momentum(w->dim, &w->bodies[body], w->q + body * dls_nq_of(w), du, M_du);
    dls_wrench_add(w->dim, jump, 1, M_du);
  }
  dls_forest_transmit(t->forest, t->state, t->velocity);
  return dls_trees_drive_power(t);
}

dls_status dls_kinematic_strike(dls_event_world *x, const double *impulse,
                                dls_kinematic_work *out) {
  dls_trees *t = x->world->trees;
  dls_holds_work held = {0};
  *out = (dls_kinematic_work){0};
  dls_status status = x->carries ? add_contacts(x, impulse, &out->carried) : DLS_OK;
  if (status != DLS_OK || (x->holds.room == 0 && !has_drives(x))) return status;
  memset(t->state->tau, 0, (size_t)x->nu * sizeof(double));
  memset(t->state->wrench, 0, 6 * (size_t)x->n_links * sizeof(double));
  for (int i = 0; i < x->n && status == DLS_OK; i++)
    if (x->scheme.contacts[i].mode != DLS_MODE_OPEN)
      status = dls_event_world_push(x, i, impulse + x->system.row[i]);
  if (status != DLS_OK) return status;
  dls_forest_respond(t->forest, t->state, t->state->tau, t->state->wrench, x->du);
  if (x->holds.room > 0) status = dls_holds_strike(&x->holds, x->du, &held);
  if (status != DLS_OK) return status;
  out->carried += held.carried, out->motors = held.motors;
  if (has_drives(x)) out->carried += drive_work(x);
  x->moving = x->accelerated = false;
  return DLS_OK;
}
