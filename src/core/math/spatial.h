/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_SPATIAL_H
#define DLS_MATH_SPATIAL_H

#include "core/math/quat.h"

/* Spatial vectors: a rotation part and a translation part, the rotation first, both resolved in
** one frame and taken at its origin O. A motion is (omega; v_O) or (eps; a_O), where a_O is the
** true acceleration of O; a wrench is (moment about O; force). Their product is power. Source:
** Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 2. */
typedef struct dls_spatial {
  dls_vec3 a; /* omega, eps; or the moment */
  dls_vec3 l; /* v_O, a_O; or the force    */
} dls_spatial;

/* The pose of a frame in another: r_parent = R r_child + p. */
typedef struct dls_place {
  dls_mat3 R; /* columns: the child's axes in the parent */
  dls_vec3 p; /* the child's origin in the parent        */
} dls_place;

static inline dls_place dls_place_identity(void) {
  return (dls_place){dls_m3_identity(), {0, 0, 0}};
}
/* The pose of c in a from that of b in a and of c in b. */
static inline dls_place dls_place_mul(const dls_place *ab, const dls_place *bc) {
  return (dls_place){dls_m3_mul(&ab->R, &bc->R),
                     dls_v3_add(ab->p, dls_m3_apply(&ab->R, bc->p))};
}
static inline dls_place dls_place_inverse(const dls_place *ab) {
  return (dls_place){dls_m3_transpose(&ab->R), dls_v3_neg(dls_m3_apply_t(&ab->R, ab->p))};
}
static inline dls_vec3 dls_place_point(const dls_place *ab, dls_vec3 r) {
  return dls_v3_add(ab->p, dls_m3_apply(&ab->R, r));
}

static inline dls_spatial dls_sp_add(dls_spatial x, dls_spatial y) {
  return (dls_spatial){dls_v3_add(x.a, y.a), dls_v3_add(x.l, y.l)};
}
static inline dls_spatial dls_sp_sub(dls_spatial x, dls_spatial y) {
  return (dls_spatial){dls_v3_sub(x.a, y.a), dls_v3_sub(x.l, y.l)};
}
static inline dls_spatial dls_sp_scale(double s, dls_spatial x) {
  return (dls_spatial){dls_v3_scale(s, x.a), dls_v3_scale(s, x.l)};
}
static inline double dls_sp_dot(dls_spatial x, dls_spatial y) {
  return dls_v3_dot(x.a, y.a) + dls_v3_dot(x.l, y.l);
}
static inline dls_spatial dls_sp_load(const double x[6]) {
  return (dls_spatial){dls_v3_load(x), dls_v3_load(x + 3)};
}
static inline void dls_sp_store(double out[6], dls_spatial x) {
  dls_v3_store(out, x.a);
  dls_v3_store(out + 3, x.l);
}

/* C x: a motion of the parent, seen at the child's origin in the child's axes, where E (columns:
** the child's axes) and r (its origin) are resolved in the parent:  (E' a; E' (l + a x r)). */
static inline dls_spatial dls_sp_to_child(const dls_mat3 *E, dls_vec3 r, dls_spatial x) {
  return (dls_spatial){dls_m3_apply_t(E, x.a),
                       dls_m3_apply_t(E, dls_v3_add(x.l, dls_v3_cross(x.a, r)))};
}
/* C' f: a wrench on the child about its origin, seen about the parent's origin in its axes. */
static inline dls_spatial dls_sp_to_parent(const dls_mat3 *E, dls_vec3 r, dls_spatial f) {
  dls_vec3 force = dls_m3_apply(E, f.l);
  return (dls_spatial){dls_v3_add(dls_m3_apply(E, f.a), dls_v3_cross(r, force)), force};
}

/* Inertia of a rigid body about a pole O:  M = [ J, m r~ ; -m r~, m E ], r from O to the centre. */
typedef struct dls_inertia {
  double J[6];  /* about O: xx, xy, xz, yy, yz, zz, kg m^2 */
  double mc[3]; /* m r, kg m                       */
  double m;     /* kg                              */
} dls_inertia;

/* M x. */
static inline dls_spatial dls_inertia_apply(const dls_inertia *M, dls_spatial x) {
  dls_vec3 c = dls_v3_load(M->mc);
  const double *J = M->J;
  dls_vec3 Jx = dls_v3(J[0] * x.a.x + J[1] * x.a.y + J[2] * x.a.z,
                       J[1] * x.a.x + J[3] * x.a.y + J[4] * x.a.z,
                       J[2] * x.a.x + J[4] * x.a.y + J[5] * x.a.z);
  return (dls_spatial){dls_v3_add(Jx, dls_v3_cross(c, x.l)),
                       dls_v3_sub(dls_v3_scale(M->m, x.l), dls_v3_cross(c, x.a))};
}

/* The wrench that a body with this inertia asks for at the angular velocity w beside M times the
** acceleration: (w x J w; w x (w x m r)). */
static inline dls_spatial dls_inertia_gyroscopic(const dls_inertia *M, dls_vec3 w) {
  dls_vec3 Jw = dls_inertia_apply(M, (dls_spatial){w, {0, 0, 0}}).a;
  return (dls_spatial){dls_v3_cross(w, Jw),
                       dls_v3_cross(w, dls_v3_cross(w, dls_v3_load(M->mc)))};
}

#endif
