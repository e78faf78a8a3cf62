/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Bodies at the middle of the step: poses, prescribed motions, forces, free velocities. */

/* The pose of a body for its shapes; where the world asks for nothing but shapes, a disk about its mass centre, which
** looks the same at every angle, is not turned. */
static inline pose pose_for_shapes(const dls_body *body, const double *q, bool shapes_only) {
#if D == 2
  if (shapes_only && body->round > 0) return (pose){q[0], q[1], 1, 0};
#else
  (void)shapes_only;
#endif
  return pose_of(body, q);
}

/* Where the shapes of body i are at its coordinates q. */
static void pose_at(step *S, int i, const double *q) {
  const dls_body *body = &S->w->bodies[i];
  S->POSES[i] = pose_for_shapes(body, q, S->shapes_only);
#if D == 3
  if (!body->shape) return;
  dls_rod *rod = &S->rod[i];
  if (!S->posed || !(rod->r > 0)) *rod = dls_rod_make(body->shape, &S->POSES[i]);
  else rod->c = S->POSES[i].p, rod->u = dls_m3_column(&S->POSES[i].R, 0); /* its shape need not be read again */
#endif
}

static void poses_at(step *S, const double *q) {
  for (int i = 0; i < S->w->n_bodies; i++)
    if (S->w->bodies[i].alive) pose_at(S, i, Q(q, i));
  S->posed = true;
}

/* --- begin: poses at q_c, prescribed motions ------------------------------------------------ */

/* Sets a kinematic body from its function: pose at t into q, velocities into u. */
static dls_status prescribed(dls_world *w, int i, double t, double *q, double *u) {
  double position[3] = {0}, rotation[4] = {0}, velocity[3] = {0}, angular[3] = {0};
  dls_status status =
      w->hooks.motion(w->hooks.ud, i, t, position, rotation, velocity, angular, NULL);
  if (status != DLS_OK) return status;
  memcpy(q, position, D * sizeof(double));
  memcpy(q + D, rotation, (NQ - D) * sizeof(double));
  memcpy(u, velocity, D * sizeof(double));
  memcpy(u + D, angular, (NU - D) * sizeof(double));
  return DLS_OK;
}

#if D == 3
/* Whether body i turns by itself with its angular momentum, its angular velocity changing. */
static inline bool is_tumbling(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return body->type == DLS_DYNAMIC && body->mass > 0 && !is_round(body) && !S->w->semi_implicit && !S->held[i];
}
#endif

static inline dls_status begin_body(step *S, int i) {
  dls_world *w = S->w;
  const dls_body *body = &w->bodies[i];
  double *q = Q(S->q_c, i), *u = U(S->u_c, i);
  if (!body->alive || body->type == DLS_STATIC) return DLS_OK;
  if (body->moved && w->hooks.motion) {
    const dls_status status = prescribed(w, i, w->time + (1 - S->theta) * S->h, q, u);
    return status != DLS_OK ? status : prescribed(w, i, w->time + S->h, Q(S->q_end, i), U(S->u_end, i));
  }
#if D == 3
  const int parts = is_tumbling(S, i) ? parts_of_turn(u, (1 - S->theta) * S->h) : 1;
  if (parts > 1) {
    turn_in_parts(body, parts, q, (1 - S->theta) * S->h, u);
    return DLS_OK;
  }
#endif
  drift(q, (1 - S->theta) * S->h, u);
#if D == 3
  if (body->type == DLS_DYNAMIC && !is_round(body) && !w->semi_implicit)
    dls_v3_store(u + 3, rate_of(body, q, angular_momentum(body, Q(w->q, i), u)));
#endif
  return DLS_OK;
}

static dls_status begin(step *S) {
  dls_status status = DLS_OK;
  for (int i = 0; i < S->w->n_bodies && status == DLS_OK; i++) status = begin_body(S, i);
  return status;
}

/* --- forces: u_f = u + h M^-1 f ------------------------------------------------------------ */

/* Where an anchor is, relative to the mass centre and in the world. */
static dls_vec3 anchor_at(const step *S, const double *q, int body, const double *anchor_b,
                          dls_vec3 *r) {
  const double *x = Q(q, body);
  *r = turned(&S->POSES[body], anchor_b);
  return dls_v3_add(dls_v3(x[0], x[1], D == 3 ? x[2] : 0), *r);
}

static dls_vec3 velocity_at(const double *u, dls_vec3 r) {
#if D == 2
  return dls_v3(u[0] - u[2] * r.y, u[1] + u[2] * r.x, 0);
#else
  return dls_v3_add(dls_v3_load(u), dls_v3_cross(dls_v3_load(u + 3), r));
#endif
}

static dls_status push_fields(step *S) {
  dls_world *w = S->w;
  if (!w->hooks.field) return DLS_OK;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!moves_freely(&w->bodies[i])) continue;
    double force[3] = {0}, torque[3] = {0}, *push = U(S->push, i);
    dls_status status = w->hooks.field(w->hooks.ud, i, w->time, force, torque);
    if (status != DLS_OK) return status;
    for (int k = 0; k < D; k++) push[k] += force[k];
    for (int k = 0; k < NU - D; k++) push[D + k] += torque[k];
  }
  return DLS_OK;
}

/* Mass and inertia of a body for the rows, with its frame at T. */
static void weigh(step *S, int i, const pose *T) {
  const dls_body *body = &S->w->bodies[i];
  dls_rows *rows = &S->rows;
  const bool free = moves_freely(body);
  rows->inv_mass[i] = free ? 1 / body->mass : 0;
#if D == 2
  (void)T;
  rows->inv_inertia[i] = free ? body->inverse[0] : 0;
#else
  dls_mat3 inverse_w = dls_m3_diag(0, 0, 0), inverse_b = dls_m3_load(body->inverse);
  if (free && is_round(body)) inverse_w = inverse_b;
  else if (free) inverse_w = dls_m3_congruent(&T->R, &inverse_b);
  memcpy(rows->inv_inertia + 9 * (size_t)i, inverse_w.m, sizeof inverse_w.m);
#endif
}

#if D == 3
/* -omega x J omega as a torque: only where the scheme does not carry the angular momentum. */
static dls_vec3 gyroscopic(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  if (!S->w->semi_implicit || is_round(body)) return dls_v3(0, 0, 0);
  const double *u = U(S->u_c, i);
  const dls_vec3 L = angular_momentum(body, Q(S->q_c, i), u);
  return dls_v3_cross(L, dls_v3_load(u + 3));
}
#endif

/* What joints and fields push: S->push is there only where something does. */
static inline const double *push_on(const step *S, int i) {
  static const double nothing[NU];
  return S->pushed ? U(S->push, i) : nothing;
}

/* The free velocity of a body whose mass is known. */
static inline void release_body(step *S, int i) {
  const dls_world *w = S->w;
  const double h = S->h, m = S->rows.inv_mass[i], *g = w->gravity, *before = U(S->u_c, i);
  double *u = U(S->rows.u_free, i);
  memcpy(u, before, NU * sizeof(double));
  if (!moves_freely(&w->bodies[i])) return;
  const double *push = push_on(S, i), *load = U(w->load, i);
#if D == 2
  const double x = g[0] + m * (load[0] + push[0]), y = g[1] + m * (load[1] + push[1]);
  const double turn = S->rows.inv_inertia[i] * (load[2] + push[2]);
  u[0] += h * x, u[1] += h * y, u[2] += h * turn;
#else
  const double *inverse = S->rows.inv_inertia + 9 * (size_t)i;
  const dls_vec3 spin = gyroscopic(S, i);
  const double turning[3] = {spin.x, spin.y, spin.z};
  for (int k = 0; k < D; k++) u[k] += h * (g[k] + m * (load[k] + push[k]));
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int l = 0; l < 3; l++) sum += inverse[3 * k + l] * (load[3 + l] + push[3 + l] + turning[l]);
    u[3 + k] += h * sum;
  }
#endif
}

/* Masses for the rows, and the free velocities. */
static void release(step *S) {
  for (int i = 0; i < S->w->n_bodies; i++) {
    weigh(S, i, &S->POSES[i]);
    release_body(S, i);
  }
}

/* --- range --------------------------------------------------------------------------------------- */

/* Zero where all n numbers are finite, else not a number. */
static double zero_of(const double *x, int n) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  for (; i < n; i++) sum[0] += 0 * x[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The bodies' coordinates q and velocities u are numbers, or world->fault says whose are not. */
static dls_status check_bodies(step *S, const double *q, const double *u) {
  dls_world *w = S->w;
  w->fault = -1;
  if (zero_of(q, w->n_bodies * NQ) == 0 && zero_of(u, w->n_bodies * NU) == 0) return DLS_OK;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    if (zero_of(Q(q, i), NQ) == 0 && zero_of(U(u, i), NU) == 0) continue;
    w->fault = i;
    return DLS_RANGE;
  }
  return DLS_OK;
}

/* --- the list of stages ----------------------------------------------------------------------- */
