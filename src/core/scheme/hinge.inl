/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* A joint of given poses: coordinates, columns, what it holds, how far its limits are. A row is a
** functional d = (angular, linear) on the relative twist of b's joint frame against a's at the origin
** of b's, axes of a's joint frame. */

typedef struct hinge {
  const dls_joint *joint;
  dls_place A, B;     /* the joint's frames in the world                        */
  dls_place T;        /* B in A                                                 */
  double q[7];        /* coordinates (a to b)                                   */
  dls_place at;       /* the pose of q: T but for what has come apart           */
  double columns[36]; /* twists of the coordinates                              */
  double dual[36];    /* functionals: u_k = dual_k . twist                      */
  const double *drives; /* of its prescribed motions                            */
  double rate[6];     /* their twist                                            */
  bool regular;       /* the columns are independent: dual is good              */
} hinge;

static dls_place place_at(const step *S, int body, const double *q) {
  const pose T = pose_of(&S->w->bodies[body], Q(q, body));
#if D == 2
  return (dls_place){{{T.c, -T.s, 0, T.s, T.c, 0, 0, 0, 1}}, {T.x, T.y, 0}};
#else
  return (dls_place){T.R, T.p};
#endif
}

static hinge hinge_at(const step *S, int index, const double *q) {
  const dls_joint *joint = &S->w->joints[index];
  const dls_joint_state *state = &S->w->joint_state[index];
  hinge h = {.joint = joint, .regular = true};
  const dls_place a = place_at(S, joint->a, q), b = place_at(S, joint->b, q);
  h.A = dls_place_mul(&a, &joint->on_a);
  h.B = dls_place_mul(&b, &joint->on_b);
  const dls_place back = dls_place_inverse(&h.A);
  h.T = dls_place_mul(&back, &h.B);
  memcpy(h.q, state->q, (size_t)joint->nq * sizeof *h.q);
  static const double still[6] = {0};
  double s[DLS_MAX_MOTIONS];
  h.drives = S->w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)index;
  for (int i = 0; i < joint->n_motions; i++) s[i] = h.drives[3 * i];
  dls_joint_measure(joint, &h.T, s, h.q);
  h.at = dls_joint_pose(joint, h.q, s, h.columns);
  dls_joint_motion(joint, h.q, still, h.drives, h.rate, NULL);
  if (joint->kind == DLS_KIND_SPHERICAL) memcpy(h.dual, h.columns, sizeof h.dual); /* orthonormal */
  else if (joint->nu > 0) h.regular = dls_columns_dual(h.columns, joint->nu, h.dual);
  return h;
}

static double along(const double d[6], const double x[6]) {
  double sum = 0;
  for (int m = 0; m < 6; m++) sum += d[m] * x[m];
  return sum;
}

/* The row of a functional in axes of a's joint frame; positive: b moves along it against a. */
static void write_functional(const step *S, const hinge *h, const double *q, const double d[6],
                             double *J) {
  const dls_vec3 turn = dls_m3_apply(&h->A.R, dls_v3_load(d));
  const dls_vec3 push = dls_m3_apply(&h->A.R, dls_v3_load(d + 3));
  const int body[2] = {h->joint->a, h->joint->b};
  for (int e = 0; e < 2; e++) {
    const double sign = e == 0 ? -1 : 1;
    const dls_vec3 arm = arm_to(Q(q, body[e]), h->B.p);
    const dls_vec3 moment = dls_v3_scale(sign, dls_v3_add(turn, dls_v3_cross(arm, push)));
    const dls_vec3 force = dls_v3_scale(sign, push);
    double *out = J + e * NU;
    (void)S;
#if D == 2
    out[0] = force.x, out[1] = force.y, out[2] = moment.z;
#else
    dls_v3_store(out, force);
    dls_v3_store(out + 3, moment);
#endif
  }
}

/* Limits: gap and functional of limit number i (lower and upper of each); false: there is none. */
enum { LIMITS = 4 };
static bool limit_of(const hinge *h, int i, double *gap, double d[6]) {
  const dls_joint *joint = h->joint;
  const int k = i / 2;
  const bool upper = (i & 1) != 0;
  memset(d, 0, 6 * sizeof(double));
  if (joint->n_limits > k && h->regular) {
    const double bound = upper ? joint->hi[k] : joint->lo[k];
    if (fabs(bound) == DLS_INF) return false;
    *gap = upper ? bound - h->q[k] : h->q[k] - bound;
    for (int m = 0; m < 6; m++) d[m] = upper ? -h->dual[6 * k + m] : h->dual[6 * k + m];
    return true;
  }
  if (joint->kind != DLS_KIND_SPHERICAL) return false;
  const dls_vec3 e_a = joint->axis, e_b = dls_m3_apply(&h->T.R, joint->axis);
  const double cosine = dls_v3_dot(e_a, e_b);
  if (i == 0 && joint->cone < DLS_INF) { /* the angle between the axes */
    const dls_vec3 normal = dls_v3_cross(e_a, e_b);
    const double sine = dls_v3_norm(normal);
    *gap = joint->cone - dls_atan2(sine, cosine);
    if (!(sine > 1e-12)) return false;
    dls_v3_store(d, dls_v3_scale(-1 / sine, normal));
    return true;
  }
  if (i < 2 || fabs(joint->twist[upper]) == DLS_INF || !(1 + cosine > 1e-6)) return false;
  const dls_quat turn = dls_q_from_matrix(&h->T.R);
  const double along = turn.x * e_a.x + turn.y * e_a.y + turn.z * e_a.z;
  double angle = 2 * dls_atan2(along, turn.w);
  if (angle > DLS_PI) angle -= 2 * DLS_PI;
  if (angle < -DLS_PI) angle += 2 * DLS_PI;
  *gap = upper ? joint->twist[1] - angle : angle - joint->twist[0];
  const dls_vec3 mean = dls_v3_scale(1 / (1 + cosine), dls_v3_add(e_a, e_b));
  dls_v3_store(d, upper ? dls_v3_neg(mean) : mean);
  return true;
}

/* d' of a spherical joint's limit, axes of a's joint frame, where b turns by `spin` against a there: e_b turns
** with it. */
static dls_vec3 limit_turning(const hinge *h, int i, dls_vec3 spin) {
  const dls_vec3 e_a = h->joint->axis, e_b = dls_m3_apply(&h->T.R, e_a), way = dls_v3_cross(spin, e_b);
  const double cosine = dls_v3_dot(e_a, e_b), rate = dls_v3_dot(e_a, way);
  if (i == 0) { /* -n/|n|, n = e_a x e_b, |n|' = -cosine cosine'/|n| */
    const dls_vec3 n = dls_v3_cross(e_a, e_b), dn = dls_v3_cross(e_a, way);
    const double sine = dls_v3_norm(n);
    return dls_v3_sub(dls_v3_scale(-1 / sine, dn), dls_v3_scale(cosine * rate / (sine * sine * sine), n));
  }
  const double share = 1 / (1 + cosine);
  dls_vec3 out = dls_v3_scale(share, way);
  out = dls_v3_axpy(out, -share * share * rate, dls_v3_add(e_a, e_b));
  return (i & 1) != 0 ? dls_v3_neg(out) : out;
}

/* The directions a joint holds: orthonormal functionals that vanish on its columns, translations in
** world axes first. Answers how many. */
static int held_directions(const hinge *h, double N[36]) {
#if D == 3
  if (h->joint->kind == DLS_KIND_SPHERICAL) { /* no translation, and nothing else */
    for (int i = 0; i < 3; i++) {
      double world[3] = {0};
      world[i] = 1;
      memset(N + 6 * i, 0, 3 * sizeof(double));
      dls_v3_store(N + 6 * i + 3, dls_m3_apply_t(&h->A.R, dls_v3_load(world)));
    }
    return 3;
  }
#endif
  double basis[36];
  int n_basis = 0, n = 0;
  const int want = (D == 2 ? 3 : 6) - h->joint->nu;
  for (int k = 0; k < h->joint->nu + 6 && n < want; k++) {
    double x[6] = {0}, size = 0;
    if (k < h->joint->nu) {
      memcpy(x, h->columns + 6 * k, sizeof x);
    } else {
      const int i = k - h->joint->nu; /* translations, then rotations */
      if (D == 2 && i != 0 && i != 1 && i != 5) continue;
      double world[3] = {0};
      world[i % 3] = 1;
      dls_v3_store(x + (i < 3 ? 3 : 0), dls_m3_apply_t(&h->A.R, dls_v3_load(world)));
    }
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < n_basis; j++) {
        const double part = along(basis + 6 * j, x);
        for (int m = 0; m < 6; m++) x[m] -= part * basis[6 * j + m];
      }
    for (int m = 0; m < 6; m++) size += x[m] * x[m];
    size = sqrt(size);
    if (!(size > (k < h->joint->nu ? 1e-12 : 1e-3))) continue;
    for (int m = 0; m < 6; m++) basis[6 * n_basis + m] = x[m] / size;
    if (k >= h->joint->nu) memcpy(N + 6 * n++, basis + 6 * n_basis, 6 * sizeof(double));
    n_basis++;
  }
  return n;
}

/* The rotation vector of a ball, in axes that its own rotation does not turn. */
static dls_vec3 rotation_vector(const double *q) {
  dls_quat turn = dls_q_load(q);
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const dls_vec3 v = dls_v3(turn.x, turn.y, turn.z);
  const double sine = dls_v3_norm(v);
  return dls_v3_scale(sine > 0 ? 2 * dls_atan2(sine, turn.w) / sine : 2, v);
}

/* Springs and dampers that are rows. */
static bool has_spring(const dls_world *w, const dls_joint *joint) {
  return joint->alive && !w->springs_push && joint->nu > 0 && (joint->stiffness > 0 || joint->damping > 0);
}
