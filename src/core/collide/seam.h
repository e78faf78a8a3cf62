/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_SEAM_H
#define DLS_COLLIDE_SEAM_H

#include "core/collide/collide.h"

/* Floors in pieces. The union of convex pieces (boxes, polygons, convexes, segments, triangles of a
** mesh, half spaces) that do not move against each other has fewer features than they have: of a
** floor of boxes side by side no side is there where two meet. Where a body touches a piece at p,
** along its outward normal n, another piece A answers for it, if
**
**   near   p is in A, or no farther from it than the slack, by which pieces may be uneven;
**   leans  from p, or the nearest point of A, some way within A goes along n: the support of A is
** higher than n . p.
**          Then n is no normal of the union there (normals of A have n . (x - p) <= 0 for all x in
** A);
**   hidden the touched piece goes nowhere on beyond A: for every face m of A that p is at (within
** the slack; of that by which the body's touching point is out of A soonest no deeper than that
** point, since it sinks into both walls of a corner within a step), what lies further by the slack
** in the direction across n that leads out of A is not in the touched
** piece, or is in
**          another piece that answers, beyond which it goes on nowhere, either. So the wall that
** stands on a floor is there, and
**          both sides of a groove are, and all walls of a corner.
**
** Such a touch is dropped. Where the touched piece stands higher than A, within the slack, and n is
** A's m but for a small angle, the body stands on the edge of an uneven place: then it is one of
** the higher piece's own face, along m. Where a flat of the body that is askew goes on over a seam
** between level pieces, its touch there is none: the flat of the union has no end there, and the
** body's lowest points are elsewhere. Where touches are springs that of a level flat is none,
** either: the stiffness of what lies on a floor would be a matter of its pieces, and change with
** every tilt. A touch that is deeper than uneven places are may be the way out of what the body
** came into at once, or sank in: where a level piece is above the body's lowest point along m, that
** is the touch, along m; else it stays. */
typedef struct dls_ground {
  const dls_shape *shape; /* any; what is made of no such pieces answers for nothing */
  dls_pose3 pose;         /* of the plane: turned about z                            */
  bool alike;             /* it touches as the first one does: of one material          */
} dls_ground;

/* Uneven places up to this height are none, m; of small bodies up to a share of their size. */
#define DLS_SEAM_SLACK (1e-3 * (1 + 1e-9))
#define DLS_SEAM_SHARE 0.02

/* The body that touches. */
typedef struct dls_gliding {
  const dls_shape *shape; /* convex, or a compound of such */
  bool planar; /* else in space */
  dls_pose3 pose;  /* of the plane: turned about z               */
  dls_vec3 centre; /* of its mass                                */
  double round; /* radius of a ball, disk or capsule, m; else 0  */
  bool some;     /* the touches are not all that the bodies have */
  bool sprung;   /* each touch is a spring                       */
} dls_gliding;

/* The radius of a round shape, else 0. */
static inline double dls_gliding_round(const dls_shape *s) {
  const bool round = s->kind == DLS_SHAPE_SPHERE || s->kind == DLS_SHAPE_CAPSULE ||
                     s->kind == DLS_SHAPE_DISK;
  return round ? s->radius : 0;
}

/* Whether a shape is a piece, or of pieces. */
bool dls_may_be_ground(const dls_shape *shape);

/* Shapes of several pieces. */
static inline bool dls_is_of_pieces(const dls_shape *s) {
  return s->kind == DLS_SHAPE_MESH || s->kind == DLS_SHAPE_COMPOUND;
}

/* Whether there is anything to be asked: several pieces. */
bool dls_seams_any(const dls_ground *ground, int n);

/* Of n_touch touches with ground[0] those that are left, in their order; answers how many. turned:
** ground[0] is the second of the pair. */
int dls_seams_clear(const dls_ground *ground, int n, bool turned, const dls_gliding *body,
                    dls_touch *touch, int n_touch);

/* Whether a face of the pieces along m, level with p within the slack, is above the body's lowest
** point along m. */
bool dls_seams_carry(const dls_ground *ground, int n, const dls_gliding *body, dls_vec3 p,
                     dls_vec3 m);

#endif
