/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENT_WORLD_SURFACE_H
#define DLS_EVENT_WORLD_SURFACE_H

#include "core/collide/collide.h"

/* Gaps that are smooth functions of the poses (EQUATIONS G.2): a ball, radius r >= 0 (0: a point),
** of one body against a surface of another one, x the ball's centre in the frame of the surface's
** body:
**
**   half    n . x - offset - r                                     a plane, an end of a drum
**   core    |x - c| - radius - r, c the core's point nearest to x   disks, spheres, capsules, segments, polygons, boxes
**   hollow  radius - |P (x - centre)| - r                           the inside of a drum (P across its axis), a rope
**   bar     that of a box that stands in the frame `turn` at `centre`  a drum's lifter, which goes on beyond the shell
**
** Where the core's nearest feature changes, the gap has a continuous first derivative. Lengths in
** m. */
typedef enum dls_surface_kind {
  DLS_SURFACE_HALF,
  DLS_SURFACE_CORE,
  DLS_SURFACE_HOLLOW,
  DLS_SURFACE_BAR
} dls_surface_kind;

typedef struct dls_surface {
  dls_surface_kind kind;  /* CORE, HOLLOW, BAR, HALF */
  /* CORE: disk, sphere, capsule, segment, polygon or box; borrowed */
  const dls_shape *shape;
  /* CORE: the core is rounded by it; HOLLOW: inside of it */
  double radius;
  /* HOLLOW: P projects across x */
  bool along_x;
  /* HOLLOW, BAR */
  dls_vec3 centre;
  /* BAR: along its axes; plane: without end along z */
  dls_vec3 half;
  /* BAR: its axes as columns */
  dls_mat3 turn;
  /* HALF: unit, outward */
  dls_vec3 n;
  /* HALF */
  double offset;
} dls_surface;

typedef struct dls_smooth_gap {
  double gap;     /* m */
  /* unit, from the surface to the ball, surface frame */
  dls_vec3 n;
  /* 1/m: n' = bend (P - n n') x', 0: n is constant; P projects across `axis` */
  double bend;
  /* unit; zero: P is the identity */
  dls_vec3 axis;
} dls_smooth_gap;

/* other: a point of the ball's body inside of it; tells on which side of a segment a point (r = 0)
** is. */
dls_smooth_gap dls_surface_gap(const dls_surface *surface, int dim, dls_vec3 x, double r,
                               dls_vec3 other);
/* Rate of n where x moves with xdot, surface frame. */
dls_vec3 dls_surface_turn(const dls_smooth_gap *gap, dls_vec3 xdot);

/* One ball against one surface of two shapes. */
typedef struct dls_smooth_pair {
  bool swapped;        /* the surface is that of the second shape, the ball that of the first */
  dls_surface surface; /* what the ball meets */
  dls_vec3 centre;     /* of the ball, body frame                                              */
  double radius;       /* of the ball, m                                                       */
  bool crosses;        /* in space: the nearest points of two axes, instead of a ball          */
  /* a ball that is there in the place of such a gap alone, where the axes are parallel */
  bool ends;
  dls_vec3 on[2], off[2]; /* of both: ends of the axes, body frames: `on` of the surface's body  */
  int place[6], n_places; /* of a crossing: what is in its place, counted from itself            */
} dls_smooth_pair;

/* Two capsules in space have five: that of the nearest points of both axes, which takes their ends
** in, and those of the four ends, which are in its place where the axes are parallel (crossing.h).
** A capsule and a box have 14: both ends against the box, and the axis against its twelve edges:
** each is a gap of parts of the two, and the least of them is that of the shapes.
**
** Number k of the smooth gaps of shapes x and y; false where there are no more. */
bool dls_smooth_pair_of(int dim, const dls_shape *x, const dls_shape *y, int k,
                        dls_smooth_pair *out);
/* Whether the gap of two shapes is made of such gaps. */
bool dls_shapes_are_smooth(int dim, const dls_shape *x, const dls_shape *y);

#endif
