/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"
#include "core/joints/penalties.h"
#include "core/model/frames.h"
#include "core/model/motion.h"
#include "core/joints/reactions.h"
#include "core/world/world.h"
#include "core/model/material.h"

/* What is asked of a world as it stands: energies, momenta, rays. */

double dls_body_kinetic(const dls_world *w, int i) {
  const double *q = w->q + (size_t)i * (size_t)DLS_NQ(w->dim),
               *u = w->u + (size_t)i * (size_t)DLS_NU(w->dim);
  return dls_kinetic(w->dim, &w->bodies[i], q, u);
}

/* --- the whole world ------------------------------------------------------------------------ */

static double spring_energy(const dls_world *w, const dls_spring *s) {
  dls_vec3 a =
      dls_v3_add(dls_body_centre(w, s->a), dls_body_turn(w, s->a, dls_v3_load(s->anchor_a)));
  dls_vec3 b =
      dls_v3_add(dls_body_centre(w, s->b), dls_body_turn(w, s->b, dls_v3_load(s->anchor_b)));
  double stretch = dls_v3_norm(dls_v3_sub(b, a)) - s->length;
  return 0.5 * s->stiffness * stretch * stretch;
}

/* Of the spring in a joint: k q^2 / 2 of each coordinate, of a spherical one of its angle. */
static double joint_energy(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  double q[7], u[6], sum = 0;
  if (!joint->alive || joint->stiffness == 0) return 0;
  dls_joint_now(w, index, q, u);
  if (joint->kind == DLS_KIND_SPHERICAL) {
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double angle = 2 * dls_atan2(sine, fabs(q[0]));
    return 0.5 * joint->stiffness * angle * angle;
  }
  for (int i = 0; i < joint->nu && dls_joint_is_chain(joint); i++) sum += q[i] * q[i];
  return 0.5 * joint->stiffness * sum;
}

/* Of the rotors that turn with a joint's motions. */
static double rotor_energy(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  double q[7], u[6], sum = 0, turns = 0;
  for (int k = 0; k < joint->n_motions && joint->alive; k++) turns += joint->motions[k].rotor;
  if (turns == 0) return 0;
  dls_joint_now(w, index, q, u);
  for (int k = 0, i = 0; k < joint->n_motions; k++) {
    const bool driven = joint->motions[k].drive >= 0;
    if (!driven) sum += joint->motions[k].rotor * u[i] * u[i];
    i += driven ? 0 : 1;
  }
  return 0.5 * sum;
}

double dls_world_sprung(const dls_world *w) {
  double sum = 0;
  for (int i = 0; i < w->n_springs; i++)
    if (w->springs[i].alive) sum += spring_energy(w, &w->springs[i]);
  for (int i = 0; i < w->n_joints; i++) sum += joint_energy(w, i);
  return sum;
}

void dls_world_energy(const dls_world *w, double out[3]) {
  out[0] = out[1] = 0;
  out[2] = dls_world_sprung(w);
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || body->type != DLS_DYNAMIC) continue;
    out[0] += dls_body_kinetic(w, i);
    out[1] -= body->mass * dls_v3_dot(dls_v3_load(w->gravity), dls_body_centre(w, i));
  }
  for (int i = 0; i < w->n_joints; i++) out[0] += rotor_energy(w, i);
  out[2] += dls_penalties_energy(w, w->q);
  dls_contacts_drop_gone(w);
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &w->contacts[i];
    if (dls_is_pending(&w->warm, i) || !(c->x > 0)) continue; /* disk contacts are rigid */
    double k = c->user >= 0 ? w->user_contacts[c->user].material.stiffness
                           : dls_world_material(w, c->a, c->b).stiffness;
    if (k < DLS_INF) out[2] += 0.5 * k * c->x * c->x; /* it may have become rigid since */
  }
}

void dls_world_momentum(const dls_world *w, double linear[3], double angular[3]) {
  dls_vec3 p = dls_v3(0, 0, 0), L = p;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || body->type != DLS_DYNAMIC) continue;
    dls_vec3 one = dls_v3_scale(body->mass, dls_twist_of(w, w->u + (size_t)i * dls_nu_of(w)).l);
    p = dls_v3_add(p, one);
    L = dls_v3_add(L, dls_v3_cross(dls_body_centre(w, i), one));
    L = dls_v3_add(L, dls_body_spin(w, i));
  }
  dls_v3_store(linear, p);
  dls_v3_store(angular, L);
}

int dls_world_raycast(const dls_world *w, const double from[3], const double to[3],
                      dls_hit *hit) {
  int found = -1;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || !body->shape) continue;
    dls_hit one;
    bool meets;
    double position[3] = {0}, rotation[4];
    dls_body_pose(w, i, position, rotation);
    dls_mat3 R = dls_body_rotation(w, i);
    if (w->dim == 2) {
      dls_pose2 T = {position[0], position[1], R.m[0], R.m[3]};
      meets = dls_raycast2(body->shape, &T, dls_v2(from[0], from[1]), dls_v2(to[0], to[1]), &one);
    } else {
      dls_pose3 T = {R, dls_v3_load(position)};
      meets = dls_raycast3(body->shape, &T, dls_v3_load(from), dls_v3_load(to), &one);
    }
    if (meets && (found < 0 || one.fraction < hit->fraction)) {
      found = i;
      *hit = one;
    }
  }
  return found;
}
