/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_CARRIED_H
#define DLS_CONTACTS_CARRIED_H

#include "core/math/vec.h"

/* The rows of a contact are written with the arms and the normal n of q_c, and hold the velocities
** u' of the end of the step. There the point of contact c, the bodies and n have gone on by a time
** s = theta h: the relative velocity then is
**
**     J u' + shift,   shift = s (w_b x (dc/dt - v_b) - w_a x (dc/dt - v_a)) + s (dn/dt . w_t) n
**                           + s (dw_b/dt x arm_b - dw_a/dt x arm_a)   of ellipsoids, cones, rims
**
** to second order, with the velocities v (of mass centres), w and w_t (the slide of b over a)
** before the step on the right. A body whose motion is given adds what its velocity changes by
** between q_c and the end. J, and with it the impulses on both bodies, is that of q_c.
**
** How c and n move is kinematics. With the curvatures K of both surfaces (of a hollow one negative;
** flat ones, and corners, 0) and the velocity x of c within the surface of b,
**
**     (K_a + K_b) x = (w_b - w_a) x n - K_a w_t,    dn/dt = w_a x n + K_a (x + w_t)
**
** (D. Montana, The kinematics of contact and grasp, 1988); K is a number times one, of the sides of
** given cylinders, capsules and drums that number across their axes alone, of an ellipsoid the
** inverse of its bend h'' on the tangent plane (collide/ellipsoid.h). Where neither is curved a
** corner of one touches the other: of the one whose motion is not given; between two free bodies c
** is halfway. In a hollow body a flat one touches by its corners.
**
** What normal rows may read beyond J u' between bodies whose motion is not given: with v = J u
** before the step and v' + s >= 0 after it, frictionless impulses take u to u', the point of {J u
** >= -s} next to it in the metric of M. Where one t in [0, 1] has t v_i <= s_i for all of them, -t
** u is such a point, too, and (u - u') M (u' + t u) >= 0, that is
**
**     K - K'  >=  (1 - t)/(2 (1 + t)) (u - u') M (u - u')  >=  0
**
** Without rebounds t = 0 does where no s_i is negative: so the shift along the normal of two free
** bodies is none where it would drive them apart; nobody pays for that. Newton's rebounds s_i = e
** v_i have t = e, but what parts already, v_i > 0, must not be held by less than t v_i. Slow bodies
** part by the curvature of a step alone and are held. What waited for the step in an overlap parts
** faster: where ways know of a pair (ways.h), and where a pair is swift of all that rebound, s_i is
** v_i at least: they are pressed back as fast as they part, t = 1. */
typedef struct dls_carrier {
  bool given;           /* its motion is given                              */
  dls_vec3 arm;         /* at q_c, from its mass centre to the contact, m   */
  dls_vec3 v, w;        /* before the step, of the mass centre, at q_c      */
  dls_vec3 v_end, w_end; /* given: at the end of the step                   */
  dls_vec3 way;         /* given: of its mass centre from q_c to the end, m */
  double curvature;     /* of its surface at c, 1/m; of an ellipsoid 0      */
  bool ruled;           /* curved so across `axis` alone                    */
  dls_vec3 axis;        /* unit, in the tangent plane                       */
  bool ellipsoid;       /* curvature a matrix, the inverse of `bend`        */
  bool measured;        /* what touches it, or a rim: its bend is known, too */
  bool runs;            /* along it c may run by a good share of its reach  */
  double reach;         /* of its shape, m                                  */
  double bend[3];       /* of either: e.h''e, e.h''g, g.h''g in m, e orthogonal to n, g = n x e */
  dls_vec3 rate;        /* beside an ellipsoid or a cone: how w changes as the body turns with its
                        ** angular momentum, rad/s^2 */
} dls_carrier;

typedef struct dls_carried {
  dls_vec3 shift; /* of the relative velocity, m/s            */
  dls_vec3 turn;  /* of the relative angular velocity, rad/s  */
} dls_carried;

/* n: unit normal from a to b; s: the time from q_c to the end of the step. At most one of both is
** given. */
dls_carried dls_carried_shift(const dls_carrier *a, const dls_carrier *b, dls_vec3 n, double s);

/* What the velocity of a body's own point at c changes by, if it is given, as far as c did not
** move. */
static inline dls_vec3 dls_carrier_gain(const dls_carrier *c) {
  if (!c->given) return dls_v3(0, 0, 0);
  return dls_v3_add(dls_v3_sub(c->v_end, c->v), dls_v3_cross(dls_v3_sub(c->w_end, c->w), c->arm));
}

/* The linear forecast is good for small angles; where a body or n turns by more it fades, and stays
** below half of the velocities it is made of. */
static inline double dls_carried_fade(double angle2) { return 1 / (1 + angle2); }

#endif
