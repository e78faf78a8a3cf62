/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/penalty_general.h"

#include "core/joints/joint_rates.h"

/* Second derivatives of a penalty joint's coordinates. An angle is atan2(s, c), s and c sums of dot products
** of directions fixed in the bodies; with e' = w x e and e'' = eps x e + w x (w x e) of each,
**
**     x' = (s' c - s c')/r^2,    x'' = (s'' c - s c'')/r^2 - 2 x' (s s' + c c')/r^2,    r^2 = s^2 + c^2. */

/* A vector with its first two derivatives. */
typedef struct moving {
  dls_vec3 d[3];
} moving;

static dls_vec3 turned(dls_vec3 eps, dls_vec3 w, dls_vec3 e) {
  return dls_v3_add(dls_v3_cross(eps, e), dls_v3_cross(w, dls_v3_cross(w, e)));
}

/* Column k of the triad F of a body. */
static moving direction(const dls_penalty_body *b, dls_spatial acceleration, const dls_mat3 *F, int k) {
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
