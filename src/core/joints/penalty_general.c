/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/penalty_general.h"

#include "core/joints/joint_rates.h"
#include "core/math/elementary.h"

/* --- what it is measured by ------------------------------------------------------------------- */

static double moment_of(const dls_world *w, int body) {
  const double *J = w->bodies[body].inertia;
  return w->dim == 2 ? J[0] : (J[0] + J[4] + J[8]) / 3;
}

/* 1/(1/x_a + 1/x_b), bodies that do not move counted as infinite. */
static double together(const dls_world *w, const dls_joint *joint, bool mass) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const int i = e == 0 ? joint->a : joint->b;
    const dls_body *body = &w->bodies[i];
    if (body->type != DLS_DYNAMIC || !(body->mass > 0)) continue;
    sum += 1 / (mass ? body->mass : moment_of(w, i));
  }
  return sum > 0 ? 1 / sum : 0;
}

double dls_general_length(const dls_world *w, const dls_joint *joint) {
  const dls_gain_def *g = &joint->gains;
  if (g->gains == DLS_GAINS_PUBLISHED) return sqrt(2.0); /* 10000 / 5000 */
  if (g->gains == DLS_GAINS_GIVEN) return g->alpha > 0 ? sqrt(g->alpha_rotation / g->alpha) : 1;
  const double m = together(w, joint, true), J = together(w, joint, false);
  return m > 0 && J > 0 && J < DLS_INF ? sqrt(J / m) : 1;
}

int dls_general_rows(const dls_world *w, const dls_joint *joint) {
  return (w->dim == 2 ? 3 : 6) - joint->nu;
}

/* --- at an instant ---------------------------------------------------------------------------- */

static double dot6(const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += x[k] * y[k];
  return sum;
}

/* An orthonormal basis of what the columns (n, scaled) leave. */
static void complement(const double *columns, int n, int dim, int want, double N[36]) {
  double basis[72];
  int n_basis = 0, found = 0;
  for (int k = 0; k < n + 6 && found < want; k++) {
    double x[6] = {0};
    if (k < n) {
      memcpy(x, columns + 6 * k, sizeof x);
    } else {
      const int i = k - n < 3 ? k - n + 3 : k - n - 3; /* translations, then rotations */
      if (dim == 2 && i != 2 && i != 3 && i != 4) continue;
      x[i] = 1;
    }
    for (int pass = 0; pass < 2; pass++)
      for (int j = 0; j < n_basis; j++) {
        const double part = dot6(basis + 6 * j, x);
        for (int m = 0; m < 6; m++) x[m] -= part * basis[6 * j + m];
      }
    const double size = sqrt(dot6(x, x));
    if (!(size > (k < n ? 1e-12 : 1e-3))) continue;
    for (int m = 0; m < 6; m++) basis[6 * n_basis + m] = x[m] / size;
    if (k >= n) memcpy(N + 6 * found++, basis + 6 * n_basis, 6 * sizeof(double));
    n_basis++;
  }
}

void dls_general_look(const dls_world *w, int index, const dls_penalty_body body[2],
                      dls_general *g) {
  const dls_joint *joint = &w->joints[index];
  const dls_penalty *p = &joint->penalty;
  static const double still[6] = {0};
  const double *drives = w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)index;
  double s[DLS_MAX_MOTIONS];
  for (int i = 0; i < joint->n_motions; i++) s[i] = drives[3 * i];
  g->joint = joint;
  const dls_vec3 x_i = dls_m3_apply(&body[0].R, p->p_i);
  g->x_j = dls_m3_apply(&body[1].R, p->p_j);
  g->F = dls_m3_mul(&body[0].R, &joint->on_a.R);
  const dls_vec3 P_j = dls_v3_add(body[1].r, g->x_j);
  g->a_i = dls_v3_sub(P_j, body[0].r);
  const dls_mat3 F_j = dls_m3_mul(&body[1].R, &joint->on_b.R);
  const dls_place T = {dls_m3_t_mul(&g->F, &F_j),
                       dls_m3_apply_t(&g->F, dls_v3_sub(g->a_i, x_i))};
  memcpy(g->q, w->joint_state[index].q, sizeof g->q);
  dls_joint_measure_by(joint, &T, s, p->length, g->q);
  const dls_place at = dls_joint_pose(joint, g->q, s, g->columns);
  dls_joint_motion(joint, g->q, still, drives, g->rate, NULL);
  const dls_vec3 angle = dls_joint_turn(&T, &at);
  const dls_vec3 way = dls_v3_sub(T.p, at.p);
  dls_sp_store(g->x, (dls_spatial){dls_v3_scale(p->length, angle), way});
  for (int k = 0; k < joint->nu; k++) {
    memcpy(g->scaled + 6 * k, g->columns + 6 * k, 6 * sizeof(double));
    for (int m = 0; m < 3; m++) g->scaled[6 * k + m] *= p->length;
  }
  g->share = dls_penalty_share(p, g->a_i, NULL, NULL);
}

/* J (12 numbers) of a functional on (length times turn, way), and what the drives make of it. */
static double functional(const dls_general *g, const double y[6], double *J) {
  double d[6];
  for (int m = 0; m < 6; m++) d[m] = m < 3 ? g->joint->penalty.length * y[m] : y[m];
  const dls_vec3 turn = dls_m3_apply(&g->F, dls_v3_load(d)),
                 push = dls_m3_apply(&g->F, dls_v3_load(d + 3));
  dls_v3_store(J, dls_v3_neg(push));
  dls_v3_store(J + 3, dls_v3_neg(dls_v3_add(turn, dls_v3_cross(g->a_i, push))));
  dls_v3_store(J + 6, push);
  dls_v3_store(J + 9, dls_v3_add(turn, dls_v3_cross(g->x_j, push)));
  return dot6(d, g->rate);
}

static double rate_of(const double J[12], const dls_penalty_body body[2]) {
  double sum = 0;
  for (int e = 0; e < 2; e++)
    sum += dls_v3_dot(dls_v3_load(J + 6 * e), body[e].v) +
           dls_v3_dot(dls_v3_load(J + 6 * e + 3), body[e].w);
  return sum;
}

void dls_general_evaluate(const dls_general *g, const dls_world *w, const dls_penalty_body body[2],
                          dls_penalty_now *out) {
  const dls_penalty *p = &g->joint->penalty;
  const dls_vec3 da_i =
      dls_v3_sub(dls_v3_add(body[1].v, dls_v3_cross(body[1].w, g->x_j)), body[0].v);
  double N[36], share_rate;
  (void)dls_penalty_share(p, g->a_i, &da_i, &share_rate);
  complement(g->scaled, g->joint->nu, w->dim, p->n_held, N);
  for (int k = 0; k < p->n_held; k++) {
    dls_penalty_now *now = &out[k];
    now->drift = functional(g, N + 6 * k, now->J);
    now->chi = now->G = dot6(N + 6 * k, g->x);
    now->rate = rate_of(now->J, body) - now->drift;
    now->share = g->share, now->share_rate = share_rate;
    now->lambda = -(g->share * (p->row[k].alpha * now->G + p->row[k].beta * now->rate));
  }
}

double dls_general_energy(const dls_general *g) {
  return 0.5 * g->share * g->joint->penalty.row[0].alpha * dot6(g->x, g->x);
}

double dls_general_coordinate(const dls_general *g, int k, double *J) {
  double y[6];
  for (int m = 0; m < 6; m++) {
    double unit[6] = {0}, u[6] = {0};
    unit[m] = 1;
    (void)dls_columns_solve(g->scaled, g->joint->nu, unit, u);
    y[m] = u[k];
  }
  return functional(g, y, J);
}

/* --- how they change ------------------------------------------------------------------------- */

/* Second derivatives of a penalty joint's coordinates. An angle is atan2(s, c), s and c sums of dot
** products of directions fixed in the bodies; with e' = w x e and e'' = eps x e + w x (w x e) of
** each,
**
**     x' = (s' c - s c')/r^2,    x'' = (s'' c - s c'')/r^2 - 2 x' (s s' + c c')/r^2,    r^2 = s^2 + c^2. */

/* A vector with its first two derivatives. */
typedef struct moving {
  dls_vec3 d[3]; /* value, first, second derivative */
} moving;

static dls_vec3 turned(dls_vec3 eps, dls_vec3 w, dls_vec3 e) {
  return dls_v3_add(dls_v3_cross(eps, e), dls_v3_cross(w, dls_v3_cross(w, e)));
}

/* Column k of the triad F of a body. */
static moving direction(const dls_penalty_body *b, dls_spatial acceleration, const dls_mat3 *F,
                        int k) {
  const dls_vec3 e = dls_m3_apply(&b->R, dls_m3_column(F, k));
  return (moving){{e, dls_v3_cross(b->w, e), turned(acceleration.a, b->w, e)}};
}

static moving point(const dls_penalty_body *b, dls_spatial acceleration, dls_vec3 anchor) {
  const dls_vec3 x = dls_m3_apply(&b->R, anchor);
  return (moving){{dls_v3_add(b->r, x), dls_v3_add(b->v, dls_v3_cross(b->w, x)),
                   dls_v3_add(acceleration.l, turned(acceleration.a, b->w, x))}};
}

/* out += sign (a.b) with its derivatives. */
static void add_dot(double sign, const moving *a, const moving *b, double out[3]) {
  out[0] += sign * dls_v3_dot(a->d[0], b->d[0]);
  out[1] += sign * (dls_v3_dot(a->d[1], b->d[0]) + dls_v3_dot(a->d[0], b->d[1]));
  out[2] += sign * (dls_v3_dot(a->d[2], b->d[0]) + 2 * dls_v3_dot(a->d[1], b->d[1]) +
                    dls_v3_dot(a->d[0], b->d[2]));
}

static double angle_rate(const double s[3], const double c[3]) {
  const double r2 = s[0] * s[0] + c[0] * c[0];
  if (!(r2 > 0)) return 0;
  const double rate = (s[1] * c[0] - s[0] * c[1]) / r2;
  return (s[2] * c[0] - s[0] * c[2]) / r2 - 2 * rate * (s[0] * s[1] + c[0] * c[1]) / r2;
}

static double turning(int type, const moving i[3], const moving j[3]) {
  double s[3] = {0, 0, 0}, c[3] = {0, 0, 0};
  switch (type) {
    case DLS_PENALTY_FIRST:
      add_dot(1, &i[2], &j[1], s);
      add_dot(1, &i[1], &j[1], c);
      break;
    case DLS_PENALTY_SECOND:
      add_dot(1, &i[0], &j[2], s);
      add_dot(1, &i[0], &j[0], c);
      break;
    default:
      add_dot(1, &i[2], &j[1], s);
      add_dot(-1, &i[1], &j[2], s);
      add_dot(1, &i[1], &j[1], c);
      add_dot(1, &i[2], &j[2], c);
      break;
  }
  return angle_rate(s, c);
}

void dls_penalty_accelerations(const dls_world *w, int index, const dls_spatial acceleration[2],
                               double *out) {
  const dls_joint *joint = &w->joints[index];
  const dls_penalty *p = &joint->penalty;
  if (dls_is_general(joint)) { /* as if it held */
    dls_rigid_joint_rates(w, index, acceleration, out);
    return;
  }
  const dls_penalty_body a = dls_penalty_body_of(w, joint->a, w->q, w->u);
  const dls_penalty_body b = dls_penalty_body_of(w, joint->b, w->q, w->u);
  if (joint->like == DLS_KIND_SPHERICAL) { /* u = R_j' (w_j - w_i) */
    const dls_vec3 relative = dls_v3_sub(b.w, a.w);
    const dls_vec3 rate = dls_v3_sub(dls_v3_sub(acceleration[1].a, acceleration[0].a),
                                     dls_v3_cross(b.w, relative));
    dls_v3_store(out, dls_m3_apply_t(&b.R, rate));
    return;
  }
  moving i[3], j[3];
  for (int k = 0; k < 3; k++) {
    i[k] = direction(&a, acceleration[0], &p->F_i, k);
    j[k] = direction(&b, acceleration[1], &p->F_j, k);
  }
  const moving P_i = point(&a, acceleration[0], p->p_i), P_j = point(&b, acceleration[1], p->p_j);
  moving way;
  for (int k = 0; k < 3; k++) way.d[k] = dls_v3_sub(P_j.d[k], P_i.d[k]);
  for (int k = 0; k < joint->nu; k++) {
    const int type = dls_penalty_coordinate_type(joint, k);
    double slide[3] = {0, 0, 0};
    if (type >= DLS_PENALTY_SLIDE && type <= DLS_PENALTY_SLIDE_2) {
      add_dot(1, &way, &i[type - DLS_PENALTY_SLIDE], slide);
      out[k] = slide[2];
    } else {
      out[k] = turning(type, i, j);
    }
  }
}
