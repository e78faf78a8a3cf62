/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_MAKE_H
#define DLS_COLLIDE_MAKE_H

#include "core/collide/collide.h"

/* What the makers of shapes share. */

/* An empty shape of a kind, held once; NULL where memory is short. */
dls_shape *dls_shape_blank(const dls_alloc *alloc, dls_shape_kind kind, unsigned dims);

/* Room for corners, faces, face corners, edges; false where memory is short. */
bool dls_shape_room(dls_shape *shape, int n_points, int n_faces, int n_face_points, int n_edges);

/* Room for directions of edges; the first is set to x. */
bool dls_shape_axes(dls_shape *shape, int n_axes);

/* A box of space in place, without an allocator: never held, never dropped. */
typedef struct dls_box_room {
  dls_shape shape;         /* points into the arrays below: not to be copied */
  dls_vec3 points[8];      /* corners */
  dls_hull_face faces[6];  /* outward */
  int face_points[24];     /* four a face */
  int edges[24];           /* two corners each */
  dls_vec3 axes[3];        /* of edges */
} dls_box_room;
void dls_box_over(dls_box_room *room, dls_vec3 half);

/* Sides of the plane from the corners: normals and offsets; n_faces = n_points. */
void dls_shape_sides(dls_shape *shape);

/* reach from points and radius. */
void dls_shape_set_reach(dls_shape *shape);

/* Fills *fault (NULL is accepted) and returns DLS_ARG. */
dls_status dls_shape_refuse(dls_fault *fault, int index, double value);

/* Mass properties at density 1 of what the corners enclose: of a polygon, of a closed surface of
** plane faces. The formulas are exact for the given corners. */
void dls_mass_polygon(int n, const dls_vec3 *points, dls_mass *out);
void dls_mass_polyhedron(const dls_shape *shape, dls_mass *out);

/* Closed forms at density 1. */
void dls_mass_disk(double r, dls_mass *out);
void dls_mass_capsule2(double r, double length, dls_mass *out);
void dls_mass_sphere(double r, dls_mass *out);
void dls_mass_capsule3(double r, double length, dls_mass *out);
void dls_mass_cone(double r1, double r2, double length, dls_mass *out);
void dls_mass_ellipsoid(const double semi[3], dls_mass *out);
void dls_mass_box(const double size[3], dls_mass *out);

/* out += part, turned by R and moved by p. */
void dls_mass_add(dls_mass *out, const dls_mass *part, const dls_mat3 *R, dls_vec3 p);

/* The smallest width of a shape, m; infinite of planes and of a drum without lifters, and of
** surfaces without inside (segment, mesh): the other body's counts. */
double dls_shape_narrowest(const dls_shape *shape);

#endif
