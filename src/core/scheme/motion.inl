/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Free motion of single bodies: poses, inertias, the exponential map. */

/* q <- q (+) s u. */
static void drift(double *q, double s, const double *u) {
  for (int i = 0; i < D; i++) q[i] += s * u[i];
#if D == 2
  q[2] += s * u[2];
#else
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
#endif
}

/* The same as EQUATIONS B.1 has it: q' = unit(q + s/2 (0, w) q). */
static void drift_plainly(double *q, double s, const double *u) {
  for (int i = 0; i < D; i++) q[i] += s * u[i];
#if D == 2
  q[2] += s * u[2];
#else
  const dls_quat turn = dls_q_load(q + 3), rate = {0, u[3], u[4], u[5]};
  const dls_quat change = dls_q_mul(rate, turn);
  const double k = 0.5 * s;
  dls_q_store(q + 3, dls_q_unit((dls_quat){turn.w + k * change.w, turn.x + k * change.x,
                                           turn.y + k * change.y, turn.z + k * change.z}));
#endif
}

#if D == 2
typedef dls_pose2 pose;
#else
typedef dls_pose3 pose;
#endif

/* The pose of the body frame, whose origin is the mass centre less R com. */
static pose pose_of(const dls_body *body, const double *q) {
#if D == 2
  double s = 0, c = 1;
  if (q[2] != 0) dls_sincos(q[2], &s, &c);
  return (pose){q[0] - (c * body->com[0] - s * body->com[1]),
                q[1] - (s * body->com[0] + c * body->com[1]), c, s};
#else
  pose T = {dls_q_matrix(dls_q_load(q + 3)), dls_v3(0, 0, 0)};
  T.p = dls_v3_sub(dls_v3_load(q), dls_m3_apply(&T.R, dls_v3_load(body->com)));
  return T;
#endif
}

/* The same; where the world asks for nothing but shapes, a disk about its mass centre, which looks
** the same at every angle, is not turned. */
static inline pose pose_for_shapes(const dls_body *body, const double *q, bool shapes_only) {
#if D == 2
  if (shapes_only && body->round > 0) return (pose){q[0], q[1], 1, 0};
#else
  (void)shapes_only;
#endif
  return pose_of(body, q);
}

/* A vector of the body in world axes. */
static dls_vec3 turned(const pose *T, const double *r_b) {
#if D == 2
  dls_vec2 r = dls_pose2_turn(T, dls_v2(r_b[0], r_b[1]));
  return dls_v3(r.x, r.y, 0);
#else
  return dls_m3_apply(&T->R, dls_v3_load(r_b));
#endif
}

#if D == 3
static bool is_round(const dls_body *body) {
  const double *J = body->inertia;
  return J[0] == J[4] && J[4] == J[8] && J[1] == 0 && J[2] == 0 && J[5] == 0;
}

static dls_vec3 angular_momentum(const dls_body *body, const double *q, const double *u) {
  dls_quat turn = dls_q_load(q + 3);
  dls_mat3 J = dls_m3_load(body->inertia);
  return dls_q_rotate(turn, dls_m3_apply(&J, dls_q_rotate_back(turn, dls_v3_load(u + 3))));
}

static dls_vec3 rate_of(const dls_body *body, const double *q, dls_vec3 L) {
  dls_quat turn = dls_q_load(q + 3);
  dls_mat3 inverse = dls_m3_load(body->inverse);
  return dls_q_rotate(turn, dls_m3_apply(&inverse, dls_q_rotate_back(turn, L)));
}

/* omega' of what follows for a body that is round about its first axis a: omega' = L/J_2 + (1/J_1 - 1/J_2) (L . a') a' knows
** nothing but the axis, a' = exp(s omega') a, which is much less to turn than the body. */
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

/* q' = exp(s omega') q_c with J(q') omega' = L, by fixed-point steps (the contraction is about
** s |omega|, far below 1 in any step that resolves the rotation). u holds omega at q_c. What is left of a change of
** omega' by NOTHING of it is below the rounding of q'. */
static void drift_with_momentum(const dls_body *body, double *q, double s, double *u,
                                dls_vec3 L) {
  enum { MOST = 60 };
  static const double NOTHING = 4e-14;
  double start[NQ], v[NU];
  memcpy(start, q, sizeof start);
  memcpy(v, u, sizeof v);
  guess_rate(body, q, s, L, v + 3);
  double last = DLS_INF;
  for (int i = 0; i < MOST; i++) {
    memcpy(q, start, sizeof start);
    drift(q, s, v);
    dls_vec3 w = rate_of(body, q, L);
    double change = fabs(w.x - v[3]) + fabs(w.y - v[4]) + fabs(w.z - v[5]);
    dls_v3_store(v + 3, w);
    if (change <= NOTHING * (fabs(w.x) + fabs(w.y) + fabs(w.z)) || change >= last) break;
    last = change;
  }
  dls_v3_store(u + 3, dls_v3_load(v + 3));
}
#endif

#if D == 3
/* A free turn by more than UNRESOLVED rad is made in parts of PART rad, each half explicit, half as above: so it keeps the
** angular momentum exactly, and the energy to second order of the part. (At once it may end with any energy that goes
** with the angular momentum.) 1: it is none such. */
static const double UNRESOLVED = 0.5, PART = 0.1;
enum { MOST_PARTS = 1000 };
static int parts_of_turn(const double *u, double s) {
  const double angle = s * sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
  return angle <= UNRESOLVED ? 1 : angle < MOST_PARTS * PART ? 1 + (int)(angle / PART) : MOST_PARTS;
}

/* q and the angular part of u go on by the time s in n parts; the mass centre goes straight. */
static void turn_in_parts(const dls_body *body, int n, double *q, double s, double *u) {
  const dls_vec3 L = angular_momentum(body, q, u);
  const double part = s / n;
  double v[NU] = {0, 0, 0, u[3], u[4], u[5]};
  for (int i = 0; i < n; i++) {
    drift(q, 0.5 * part, v);
    dls_v3_store(v + 3, rate_of(body, q, L));
    drift_with_momentum(body, q, 0.5 * part, v, L);
  }
  for (int k = 0; k < D; k++) q[k] += s * u[k];
  dls_v3_store(u + 3, dls_v3_load(v + 3));
}
#endif

#if D == 2
static inline double kinetic_in_plane(double mass, double inertia, const double *u) {
  return 0.5 * mass * (u[0] * u[0] + u[1] * u[1]) + 0.5 * inertia * u[2] * u[2];
}
#endif

static double kinetic_of(const dls_body *body, const double *q, const double *u) {
#if D == 2
  (void)q;
  return kinetic_in_plane(body->mass, body->inertia[0], u);
#else
  const double v2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  dls_vec3 L = angular_momentum(body, q, u);
  return 0.5 * body->mass * v2 + 0.5 * dls_v3_dot(L, dls_v3_load(u + 3));
#endif
}

/* Of a body that moves freely, in the plane from columns: a body is three lines of the cache. */
static inline double mass_of(const dls_world *w, int i) {
#if D == 2
  return w->columns.mass[i];
#else
  return w->bodies[i].mass;
#endif
}

static inline double kinetic_at(const dls_world *w, int i, const double *q, const double *u) {
#if D == 2
  (void)q;
  return kinetic_in_plane(w->columns.mass[i], w->columns.inertia[i], u);
#else
  return kinetic_of(&w->bodies[i], q, u);
#endif
}

/* -m g . x */
static inline double potential_at(const dls_world *w, int i, const double *q) {
  double sum = w->gravity[0] * q[0];
  for (int k = 1; k < D; k++) sum += w->gravity[k] * q[k];
  return -mass_of(w, i) * sum;
}
