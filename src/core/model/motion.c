/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/motion.h"

#include "core/math/tumble.h"

/* --- coordinates ------------------------------------------------------------------------- */

void dls_drift_3(double *q, double s, const double *u) {
  for (int i = 0; i < 3; i++) q[i] += s * u[i];
  const dls_vec3 w = dls_v3(s * u[3], s * u[4], s * u[5]);
  const double x = 0.25 * dls_v3_dot(w, w); /* of half the angle, squared */
  double k, cosine;                         /* {cos a/2, sin(a/2) w/a} */
  if (x == 0) return;
  if (x <= 0x1p-8) { /* the series, to the last bit: what follows is below 1e-18 */
    k = 0.5 * (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))));
    cosine = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56)));
  } else {
    const double half = sqrt(x);
    double sine;
    dls_sincos(half, &sine, &cosine);
    k = sine / (2 * half);
  }
  const dls_quat turn = {cosine, k * w.x, k * w.y, k * w.z};
  dls_q_store(q + 3, dls_q_unit(dls_q_mul(turn, dls_q_load(q + 3))));
}

void dls_drift_linear(int dim, double *q, double s, const double *u) {
  if (dim == 2) {
    dls_drift_2(q, s, u);
    return;
  }
  for (int i = 0; i < 3; i++) q[i] += s * u[i];
  const dls_quat turn = dls_q_load(q + 3), rate = {0, u[3], u[4], u[5]};
  const dls_quat change = dls_q_mul(rate, turn);
  const double k = 0.5 * s;
  dls_q_store(q + 3, dls_q_unit((dls_quat){turn.w + k * change.w, turn.x + k * change.x,
                                           turn.y + k * change.y, turn.z + k * change.z}));
}

dls_pose2 dls_pose_2(const dls_body *body, const double *q) {
  double s = 0, c = 1;
  if (q[2] != 0) dls_sincos(q[2], &s, &c);
  return (dls_pose2){q[0] - (c * body->com[0] - s * body->com[1]),
                     q[1] - (s * body->com[0] + c * body->com[1]), c, s};
}

dls_pose3 dls_pose_3(const dls_body *body, const double *q) {
  dls_pose3 T = {dls_q_matrix(dls_q_load(q + 3)), dls_v3(0, 0, 0)};
  T.p = dls_v3_sub(dls_v3_load(q), dls_m3_apply(&T.R, dls_v3_load(body->com)));
  return T;
}

/* 2 atan2(s, c)/s, c > 0, from s^2: a turn by its quaternion's vector part. Turns of projections
** are small. */
static double angle_by_sine(double s2, double c) {
  static const double SMALL = 1e-3; /* of s^2/c^2: the next term of the series is 1e-16 */
  const double t = s2 / (c * c);
  if (t < SMALL) return 2 / c * (1 - t * (1.0 / 3 - t * (1.0 / 5 - t * (1.0 / 7 - t * (1.0 / 9)))));
  const double s = sqrt(s2);
  return 2 * dls_atan2(s, c) / s;
}

void dls_way_to(int dim, const double *aim, const double *q, double *x) {
  for (int k = 0; k < dim; k++) x[k] = aim[k] - q[k];
  if (dim == 2) {
    x[2] = aim[2] - q[2];
    return;
  }
  dls_quat turn = dls_q_mul(dls_q_load(aim + 3), dls_q_conj(dls_q_load(q + 3)));
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const dls_vec3 v = dls_v3(turn.x, turn.y, turn.z);
  dls_v3_store(x + 3, dls_v3_scale(angle_by_sine(dls_v3_dot(v, v), turn.w), v));
}

/* --- inertia ------------------------------------------------------------------------------- */

void dls_body_weigh(const dls_world *w, dls_rows *rows, int i, const dls_mat3 *R) {
  const dls_body *body = &w->bodies[i];
  const bool free = dls_moves_freely(body);
  rows->inv_mass[i] = free ? 1 / body->mass : 0;
  if (w->dim == 2) {
    rows->inv_inertia[i] = free ? body->inverse[0] : 0;
    return;
  }
  dls_mat3 inverse_w = dls_m3_diag(0, 0, 0), inverse_b = dls_m3_load(body->inverse);
  if (free && dls_is_isotropic(body)) inverse_w = inverse_b;
  else if (free) inverse_w = dls_m3_congruent(R, &inverse_b);
  memcpy(rows->inv_inertia + 9 * (size_t)i, inverse_w.m, sizeof inverse_w.m);
}

double dls_body_answers_alone(const dls_world *w, int i, const dls_mat3 *R, const double *j) {
  const dls_body *body = &w->bodies[i];
  if (!dls_moves_freely(body) || !(body->mass > 0)) return 0;
  if (w->dim == 2) return (j[0] * j[0] + j[1] * j[1]) / body->mass + body->inverse[0] * j[2] * j[2];
  const dls_vec3 along = dls_v3_load(j), turn = dls_m3_apply_t(R, dls_v3_load(j + 3));
  const dls_mat3 inverse = dls_m3_load(body->inverse);
  return dls_v3_dot(along, along) / body->mass + dls_v3_dot(turn, dls_m3_apply(&inverse, turn));
}

void dls_momentum(int dim, const dls_body *body, const double *q, const double *u, double *out) {
  for (int k = 0; k < dim; k++) out[k] = body->mass * u[k];
  if (dim == 2) out[2] = body->inertia[0] * u[2];
  else dls_v3_store(out + 3, dls_angular_momentum(body, q, u));
}

/* --- rotation in space ------------------------------------------------------------------- */

dls_vec3 dls_angular_momentum(const dls_body *body, const double *q, const double *u) {
  dls_quat turn = dls_q_load(q + 3);
  dls_mat3 J = dls_m3_load(body->inertia);
  return dls_q_rotate(turn, dls_m3_apply(&J, dls_q_rotate_back(turn, dls_v3_load(u + 3))));
}

dls_vec3 dls_angular_rate(const dls_body *body, const double *q, dls_vec3 L) {
  dls_quat turn = dls_q_load(q + 3);
  dls_mat3 inverse = dls_m3_load(body->inverse);
  return dls_q_rotate(turn, dls_m3_apply(&inverse, dls_q_rotate_back(turn, L)));
}

/* The least eigenvalue of a symmetric matrix. */
static double least_of(const double A[9]) {
  const bool diagonal = A[1] == 0 && A[2] == 0 && A[5] == 0;
  if (diagonal) return dls_min(A[0], dls_min(A[4], A[8]));
  const dls_tumble tumble = dls_tumble_of(A);
  return dls_min(tumble.inverse[0], dls_min(tumble.inverse[1], tumble.inverse[2]));
}

double dls_spin_on(const dls_body *body, const double *from, const double *q, double *u,
                   dls_vec3 *change) {
  const dls_quat was = dls_q_load(from + 3), is = dls_q_load(q + 3);
  const dls_mat3 J = dls_m3_load(body->inertia), inverse = dls_m3_load(body->inverse);
  const dls_vec3 own = dls_q_rotate_back(was, dls_v3_load(u + 3)),
                 own_L = dls_m3_apply(&J, own), /* of dR L as well */
                 L = dls_q_rotate_back(is, dls_q_rotate(was, own_L)),
                 with = dls_v3_sub(own_L, L),
                 more = dls_v3_axpy(with, -least_of(body->inverse), dls_m3_apply(&J, with));
  const dls_vec3 after = dls_v3_add(L, more), rate = dls_m3_apply(&inverse, after);
  dls_v3_store(u + 3, dls_q_rotate(is, rate));
  *change = dls_q_rotate(is, more);
  return 0.5 * (dls_v3_dot(after, rate) - dls_v3_dot(own_L, own));
}

/* A start for omega' of the momentum step, for a body of rotation about its first axis a: omega' =
** L/J_2 + (1/J_1 - 1/J_2) (L . a') a' depends on the axis alone, a' = exp(s omega') a, which is
** much less to turn than the body. Left as it is for other bodies. */
static void guess_rate(const dls_body *body, const double *q, double s, dls_vec3 L, double *rate) {
  enum { TURNS = 5 };
  const double *J = body->inertia, across = body->inverse[4], more = body->inverse[0] - across;
  if (J[4] != J[8] || J[1] != 0 || J[2] != 0 || J[5] != 0) return;
  const dls_vec3 start = dls_q_rotate(dls_q_load(q + 3), dls_v3(1, 0, 0));
  dls_vec3 a = start, w = L;
  for (int i = 0; i < TURNS; i++) {
    w = dls_v3_axpy(dls_v3_scale(across, L), more * dls_v3_dot(L, a), a);
    const dls_vec3 angle = dls_v3_scale(s, w), aside = dls_v3_cross(angle, start);
    const double x = dls_v3_dot(angle, angle);
    if (!(x <= 0x1p-8)) return;
    const double sine = 1 - x * (1. / 6) * (1 - x * (1. / 20) * (1 - x * (1. / 42)));
    const double versine = 0.5 * (1 - x * (1. / 12) * (1 - x * (1. / 30) * (1 - x * (1. / 56))));
    a = dls_v3_axpy(dls_v3_axpy(start, sine, aside), versine, dls_v3_cross(angle, aside));
  }
  dls_v3_store(rate, w);
}

/* By fixed-point steps (the contraction is about s |omega|, far below 1 in any step that resolves
** the rotation). A change of omega' by NOTHING of it is below the rounding of q'. */
void dls_drift_with_momentum(const dls_body *body, double *q, double s, double *u, dls_vec3 L) {
  enum { MOST = 60 };
  static const double NOTHING = 4e-14;
  double start[DLS_NQ(3)], v[DLS_NU(3)];
  memcpy(start, q, sizeof start);
  memcpy(v, u, sizeof v);
  guess_rate(body, q, s, L, v + 3);
  double last = DLS_INF;
  for (int i = 0; i < MOST; i++) {
    memcpy(q, start, sizeof start);
    dls_drift_3(q, s, v);
    dls_vec3 w = dls_angular_rate(body, q, L);
    double change = fabs(w.x - v[3]) + fabs(w.y - v[4]) + fabs(w.z - v[5]);
    dls_v3_store(v + 3, w);
    if (change <= NOTHING * (fabs(w.x) + fabs(w.y) + fabs(w.z)) || change >= last) break;
    last = change;
  }
  dls_v3_store(u + 3, dls_v3_load(v + 3));
}

/* The largest moment of inertia over the smallest, about: of a rod L long and 2 r thick
** L^2/(6 r^2). */
static double slenderness(const dls_body *body) {
  const double *J = body->inertia, *inverse = body->inverse;
  return dls_max(dls_max(J[0], J[4]), J[8]) * dls_max(dls_max(inverse[0], inverse[4]), inverse[8]);
}

bool dls_turns_far(const dls_body *body, const double *before, double early, const double *u,
                   double late) {
  static const double FAR = 0.05, AFTER = 0.2; /* rad */
  /* Squares of turns, rad^2, times the slenderness: by so much the fixed-point steps of
  ** dls_drift_with_momentum() draw together. A rod's own spin is what its angular momentum leaves
  ** along it, an angle squared of all of it, over a small inertia. */
  static const double THIN = 0.125, THIN_AFTER = 0.5;
  const double was = before[3] * before[3] + before[4] * before[4] + before[5] * before[5];
  const double is = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
  const double turn = early * early * was, after = late * late * is, thin = slenderness(body);
  return turn > FAR * FAR || after > AFTER * AFTER || turn * thin > THIN ||
         after * thin > THIN_AFTER;
}

void dls_turn_far(const dls_body *body, double *q, double s, double *u) {
  const dls_vec3 L = dls_angular_momentum(body, q, u);
  const dls_tumble tumble = dls_tumble_of(body->inverse);
  const dls_quat turn = dls_tumble_on(&tumble, dls_q_load(q + 3), L, s);
  for (int k = 0; k < 3; k++) q[k] += s * u[k];
  dls_q_store(q + 3, turn);
  dls_v3_store(u + 3, dls_angular_rate(body, q, L));
}
/* --- energy ------------------------------------------------------------------------------ */

double dls_kinetic_with(const dls_body *body, const double *u, dls_vec3 L) {
  const double v2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  return 0.5 * body->mass * v2 + 0.5 * dls_v3_dot(L, dls_v3_load(u + 3));
}

double dls_kinetic_3(const dls_body *body, const double *q, const double *u) {
  return dls_kinetic_with(body, u, dls_angular_momentum(body, q, u));
}
