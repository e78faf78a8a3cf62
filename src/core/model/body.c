/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/body.h"

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

static double *coordinates(const dls_world *w, int i) {
  return w->q + (size_t)i * (size_t)DLS_NQ(w->dim);
}
static double *velocities(const dls_world *w, int i) {
  return w->u + (size_t)i * (size_t)DLS_NU(w->dim);
}

dls_mat3 dls_body_rotation(const dls_world *w, int i) {
  const double *q = coordinates(w, i);
  if (w->dim == 3) return dls_q_matrix(dls_q_load(q + 3));
  double s = 0, c = 1;
  if (q[2] != 0) dls_sincos(q[2], &s, &c);
  return (dls_mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

dls_vec3 dls_body_centre(const dls_world *w, int i) {
  const double *q = coordinates(w, i);
  return dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0);
}

void dls_body_pose(const dls_world *w, int i, double position[3], double rotation[4]) {
  const double *q = coordinates(w, i);
  dls_mat3 R = dls_body_rotation(w, i);
  dls_vec3 com = dls_m3_apply(&R, dls_v3_load(w->bodies[i].com));
  dls_v3_store(position, dls_v3_sub(dls_body_centre(w, i), com));
  if (w->dim == 2) rotation[0] = q[2];
  else memcpy(rotation, q + 3, 4 * sizeof(double));
}

void dls_body_place(dls_world *w, int i, const double position[3], const double rotation[4]) {
  double *q = coordinates(w, i);
  if (w->dim == 2) q[2] = rotation[0];
  else dls_q_store(q + 3, dls_q_unit(dls_q_load(rotation)));
  dls_mat3 R = dls_body_rotation(w, i);
  dls_vec3 com = dls_m3_apply(&R, dls_v3_load(w->bodies[i].com));
  q[0] = position[0] + com.x;
  q[1] = position[1] + com.y;
  if (w->dim == 3) q[2] = position[2] + com.z;
}

/* Straight in position, by a steady turn in rotation: before at 0, now at 1, ahead beyond. */
void dls_body_between(const dls_world *w, int i, double alpha, double position[3],
                      double rotation[4]) {
  const double *now = coordinates(w, i);
  const double *before = w->q_before + (size_t)i * (size_t)DLS_NQ(w->dim);
  dls_vec3 x = dls_v3(before[0], before[1], w->dim == 3 ? before[2] : 0);
  dls_vec3 centre = dls_v3_axpy(x, alpha, dls_v3_sub(dls_body_centre(w, i), x));
  dls_vec3 com = dls_v3_load(w->bodies[i].com);
  if (w->dim == 2) {
    double s, c;
    rotation[0] = before[2] + alpha * (now[2] - before[2]);
    dls_sincos(rotation[0], &s, &c);
    com = dls_v3(c * com.x - s * com.y, s * com.x + c * com.y, 0);
  } else {
    dls_quat a = dls_q_load(before + 3), turn = dls_q_mul(dls_q_load(now + 3), dls_q_conj(a));
    if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
    dls_vec3 axis = dls_v3(turn.x, turn.y, turn.z);
    double sine = dls_v3_norm(axis), s, c;
    dls_sincos(alpha * dls_atan2(sine, turn.w), &s, &c);
    if (sine > 0) a = dls_q_unit(dls_q_mul(dls_q_axis(dls_v3_scale(1 / sine, axis), s, c), a));
    dls_q_store(rotation, a);
    com = dls_q_rotate(a, com);
  }
  dls_v3_store(position, dls_v3_sub(centre, com));
}

dls_vec3 dls_body_point(const dls_world *w, int i, dls_vec3 in_body) {
  dls_vec3 r = dls_v3_sub(in_body, dls_v3_load(w->bodies[i].com));
  return dls_v3_add(dls_body_centre(w, i), dls_body_turn(w, i, r));
}

dls_vec3 dls_body_turn(const dls_world *w, int i, dls_vec3 in_body) {
  dls_mat3 R = dls_body_rotation(w, i);
  return dls_m3_apply(&R, in_body);
}

dls_vec3 dls_body_turn_back(const dls_world *w, int i, dls_vec3 in_world) {
  dls_mat3 R = dls_body_rotation(w, i);
  return dls_m3_apply_t(&R, in_world);
}

static dls_vec3 rate_of(const dls_world *w, int i) {
  const double *u = velocities(w, i);
  return w->dim == 2 ? dls_v3(0, 0, u[2]) : dls_v3_load(u + 3);
}

static dls_vec3 speed_of(const dls_world *w, int i) {
  const double *u = velocities(w, i);
  return dls_v3(u[0], u[1], w->dim == 3 ? u[2] : 0);
}

dls_vec3 dls_body_velocity_at(const dls_world *w, int i, dls_vec3 point) {
  dls_vec3 r = dls_v3_sub(point, dls_body_centre(w, i));
  return dls_v3_add(speed_of(w, i), dls_v3_cross(rate_of(w, i), r));
}

dls_vec3 dls_body_spin(const dls_world *w, int i) {
  const dls_body *body = &w->bodies[i];
  dls_vec3 rate = rate_of(w, i);
  if (w->dim == 2) return dls_v3(0, 0, body->inertia[0] * rate.z);
  dls_mat3 J = dls_m3_load(body->inertia);
  dls_vec3 rate_b = dls_body_turn_back(w, i, rate);
  return dls_body_turn(w, i, dls_m3_apply(&J, rate_b));
}

void dls_body_impulse(dls_world *w, int i, dls_vec3 impulse, dls_vec3 angular,
                      const dls_vec3 *at) {
  const dls_body *body = &w->bodies[i];
  double *u = velocities(w, i);
  if (!body->alive || body->type != DLS_DYNAMIC) return;
  if (at) {
    dls_vec3 r = dls_v3_sub(*at, dls_body_centre(w, i));
    angular = dls_v3_add(angular, dls_v3_cross(r, impulse));
  }
  u[0] += impulse.x / body->mass;
  u[1] += impulse.y / body->mass;
  if (w->dim == 2) {
    u[2] += body->inverse[0] * angular.z;
    return;
  }
  u[2] += impulse.z / body->mass;
  dls_mat3 inverse = dls_m3_load(body->inverse);
  dls_vec3 change = dls_body_turn(w, i, dls_m3_apply(&inverse, dls_body_turn_back(w, i, angular)));
  dls_v3_store(u + 3, dls_v3_add(dls_v3_load(u + 3), change));
}
