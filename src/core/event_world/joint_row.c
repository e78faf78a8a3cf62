/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/joint_row.h"

#include "core/accelerations/joint_acc.h"
#include "core/event_world/body_row.h"
#include "core/joints/penalties.h"
#include "core/model/frames.h"
#include "core/model/motion.h"

bool dls_joint_row_is_held(const dls_smooth_contact *contact) {
  return contact->rubs || contact->drives;
}

static const dls_joint *joint_of(const dls_event_world *x, const dls_smooth_contact *contact) {
  return &x->world->joints[contact->joint];
}

/* Whether it is a coordinate of the forest. */
static bool is_own(const dls_joint *j, const dls_smooth_contact *contact) {
  return j->formulation == DLS_REDUCED &&
         (dls_joint_row_is_held(contact) || j->kind != DLS_KIND_SPHERICAL);
}

/* The link that a reduced joint carries. */
static const dls_link_info *link_of(const dls_world *w, const dls_joint *j) {
  return &w->trees->forest->links[w->trees->body_link[j->turned ? j->a : j->b]];
}

/* Number of a limit, as dls_joint_frame_limit has it. */
static int number_of(const dls_smooth_contact *contact) {
  return 2 * contact->limit + contact->upper;
}

/* The bodies' arrays are those of where the world stands; with_velocities: and moves. */
static dls_status spread(dls_event_world *x, bool with_velocities) {
  dls_world *w = x->world;
  dls_trees_scatter(w, w->q, with_velocities ? w->u : NULL, true);
  return dls_joints_drive(w, x->t);
}

dls_status dls_joint_row_gap(dls_event_world *x, const dls_smooth_contact *contact, double t,
                             const double *q, double *gap) {
  const dls_joint *j = joint_of(x, contact);
  dls_status status = dls_event_world_place(x, t, q);
  if (status != DLS_OK) return status;
  if (is_own(j, contact)) {
    const double at = x->q[link_of(x->world, j)->iq + contact->limit];
    *gap = contact->upper ? j->hi[contact->limit] - at : at - j->lo[contact->limit];
    return DLS_OK;
  }
  status = spread(x, false);
  if (status != DLS_OK) return status;
  double d[6];
  const dls_joint_frame f = dls_joint_frame_at(x->world, contact->joint, x->world->q);
  if (!dls_joint_frame_limit(&f, number_of(contact), gap, d)) *gap = DLS_INF;
  return DLS_OK;
}

/* Velocity k of a penalty joint as its forces have it, with v, at the bodies' arrays. */
static void see_penalty(const dls_world *w, const dls_smooth_contact *contact, const double *q,
                        dls_acc_row *out) {
  const dls_joint *j = &w->joints[contact->joint];
  const int k = contact->limit;
  dls_along at;
  dls_penalty_look_along(w, contact->joint, q, w->u, &at);
  for (size_t e = 0; e < 2; e++) {
    const double *J = at.J[k] + 6 * e, flat[3] = {J[0], J[1], J[5]};
    memcpy(out->J + e * dls_nu_of(w), w->dim == 2 ? flat : J, dls_nu_of(w) * sizeof(double));
  }
  out->a = j->a, out->b = j->b, out->n_ends = 2;
  out->v = at.rate[k] - (contact->drives ? j->motor.target : 0);
}

/* The same with its bias: what v changes by along the motion, by differences of order four. */
static dls_status penalty_velocity(dls_event_world *x, const dls_smooth_contact *contact,
                                   bool with_bias, dls_acc_row *out) {
  static const int places[4] = {-2, -1, 1, 2};
  /* rad, s */
  static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, TURN = 1e-3,
                      SPAN = 1e-3;
  dls_world *w = x->world;
  const dls_joint *j = joint_of(x, contact);
  const size_t nq = dls_nq_of(w), nu = dls_nu_of(w), bodies[2] = {(size_t)j->a, (size_t)j->b};
  double kept[2][7], turn = 0;
  dls_status status = DLS_OK;
  *out = (dls_acc_row){0};
  for (int e = 0; e < 2; e++) {
    memcpy(kept[e], w->q + bodies[e] * nq, nq * sizeof(double));
    turn += dls_v3_norm(dls_twist_of(w, w->u + bodies[e] * nu).a);
  }
  const double h = turn * SPAN > TURN ? TURN / turn : SPAN;
  double rate = 0;
  for (int p = 0; p < 4 && with_bias && status == DLS_OK; p++) {
    for (int e = 0; e < 2; e++) {
      double *q = w->q + bodies[e] * nq;
      memcpy(q, kept[e], nq * sizeof(double));
      dls_drift(w->dim, q, places[p] * h, w->u + bodies[e] * nu);
    }
    if (j->n_driven > 0) status = dls_joints_drive(w, x->t + places[p] * h);
    see_penalty(w, contact, w->q, out);
    rate += weights[p] * out->v / h;
  }
  for (int e = 0; e < 2; e++) memcpy(w->q + bodies[e] * nq, kept[e], nq * sizeof(double));
  if (with_bias && j->n_driven > 0 && status == DLS_OK) status = dls_joints_drive(w, x->t);
  see_penalty(w, contact, w->q, out);
  out->bias = -rate;
  return status;
}

/* Its row on both bodies where the world stands and moves; zero where the joint's pose is
** singular. */
static dls_status row_of(dls_event_world *x, const dls_smooth_contact *contact, bool with_bias,
                         dls_acc_row *out) {
  const dls_world *w = x->world;
  const dls_joint *j = joint_of(x, contact);
  const dls_status status = spread(x, true);
  if (status != DLS_OK) return status;
  if (j->formulation == DLS_PENALTY) return penalty_velocity(x, contact, with_bias, out);
  double u[6] = {0}, bias[6];
  const dls_joint_frame f = dls_joint_frame_moving(w, contact->joint, u, bias);
  *out = (dls_acc_row){.a = j->a, .b = j->b, .n_ends = 2};
  if (!dls_joint_row_is_held(contact))
    (void)dls_joint_acc_limit(w, &f, bias, number_of(contact), out);
  else if (f.regular) dls_joint_acc_velocity(w, &f, bias, contact->limit, contact->drives, out);
  return DLS_OK;
}

/* Of its velocity: the row, drift, wbar. */
static dls_status velocity_row(dls_event_world *x, const dls_smooth_contact *contact, double *row,
                               double *drift, double *wbar) {
  const dls_joint *j = joint_of(x, contact);
  if (is_own(j, contact)) {
    memset(row, 0, (size_t)x->nu * sizeof *row);
    row[link_of(x->world, j)->iu + contact->limit] = contact->upper ? -1 : 1;
    *drift = contact->drives ? -j->motor.target : 0;
    if (wbar != NULL) *wbar = 0;
    return DLS_OK;
  }
  dls_acc_row at;
  dls_status status = row_of(x, contact, wbar != NULL, &at);
  if (status != DLS_OK) return status;
  double speed = 0, pull = 0, a = 0;
  (void)dls_body_row_project(x, &at, row);
  for (int l = 0; l < x->nu; l++) speed += row[l] * x->u[l], pull += row[l] * x->udot[l];
  *drift = at.v - speed;
  if (fabs(*drift) <= 1e-14 * (fabs(speed) + fabs(at.v))) *drift = 0;
  if (wbar == NULL) return DLS_OK;
  status = dls_body_row_acceleration(x, &at, &a);
  *wbar = a - pull;
  return status;
}

dls_status dls_joint_row_rows(dls_event_world *x, const dls_smooth_contact *contact, double *row,
                              double *drift, double *wbar) {
  if (!dls_joint_row_is_held(contact)) return velocity_row(x, contact, row, drift, wbar);
  const dls_joint *j = joint_of(x, contact);
  memset(row, 0, (size_t)x->nu * sizeof *row); /* its normal force is given */
  drift[0] = 0;
  if (wbar != NULL) wbar[0] = contact->drives ? -j->motor.most : -j->friction;
  return velocity_row(x, contact, row + x->nu, drift + 1, wbar != NULL ? wbar + 1 : NULL);
}

dls_status dls_joint_row_carried(dls_event_world *x, const dls_smooth_contact *contact, double *v) {
  const dls_joint *j = joint_of(x, contact);
  dls_acc_row at;
  *v = 0;
  if (is_own(j, contact)) return DLS_OK;
  const dls_status status = row_of(x, contact, false, &at);
  if (status == DLS_OK) *v = dls_body_row_carried(x, &at) + (contact->drives ? j->motor.target : 0);
  return status;
}

dls_status dls_joint_row_motor(dls_event_world *x, int joint, bool with_bias, dls_acc_row *out) {
  const dls_joint *j = &x->world->joints[joint];
  const dls_smooth_contact contact = {.a = j->a, .b = j->b, .joint = joint, .drives = true};
  const dls_status status = spread(x, true);
  if (status != DLS_OK) return status;
  const dls_status seen = penalty_velocity(x, &contact, with_bias, out);
  out->kind = DLS_ROW_BOX, out->what = DLS_JOINT_LIMITS, out->lo = -DLS_INF, out->hi = DLS_INF;
  return seen;
}

void dls_joint_row_push(dls_event_world *x, const dls_smooth_contact *contact,
                        const double *force) {
  const dls_joint *j = joint_of(x, contact);
  const double f = dls_joint_row_is_held(contact) ? force[1] : force[0];
  if (is_own(j, contact)) {
    x->world->trees->state->tau[link_of(x->world, j)->iu + contact->limit] +=
        contact->upper ? -f : f;
    return;
  }
  dls_acc_row at;
  if (row_of(x, contact, false, &at) == DLS_OK) dls_body_row_push(x, &at, contact->joint, -1, f);
}
