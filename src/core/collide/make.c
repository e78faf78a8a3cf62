/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/make.h"

#include "core/math/elementary.h"

static bool positive(double x) { return x > 0 && dls_is_finite(x); }
static bool not_negative(double x) { return x >= 0 && dls_is_finite(x); }

/* The end of every maker: the shape goes out, or is given back. */
static dls_status give(dls_shape *shape, bool whole, dls_shape **out) {
  if (!whole) {
    dls_shape_drop(shape);
    return DLS_NOMEM;
  }
  shape->narrowest = dls_shape_narrowest(shape);
  *out = shape;
  return DLS_OK;
}

static dls_status make_ball(const dls_alloc *alloc, dls_shape_kind kind, unsigned dims,
                            double radius, dls_shape **out, dls_fault *fault) {
  if (!positive(radius)) return dls_shape_refuse(fault, 0, radius);
  dls_shape *shape = dls_shape_blank(alloc, kind, dims);
  if (!shape) return DLS_NOMEM;
  bool whole = dls_shape_room(shape, 1, 0, 0, 0);
  shape->radius = shape->reach = radius;
  if (kind == DLS_SHAPE_DISK) dls_mass_disk(radius, &shape->mass2);
  if (kind == DLS_SHAPE_SPHERE) dls_mass_sphere(radius, &shape->mass3);
  return give(shape, whole, out);
}

dls_status dls_shape_disk(const dls_alloc *alloc, double radius, dls_shape **out,
                          dls_fault *fault) {
  return make_ball(alloc, DLS_SHAPE_DISK, DLS_PLANAR, radius, out, fault);
}

dls_status dls_shape_sphere(const dls_alloc *alloc, double radius, dls_shape **out,
                            dls_fault *fault) {
  return make_ball(alloc, DLS_SHAPE_SPHERE, DLS_SPATIAL, radius, out, fault);
}

dls_status dls_shape_capsule(const dls_alloc *alloc, double radius, double length,
                             dls_shape **out, dls_fault *fault) {
  if (!positive(radius)) return dls_shape_refuse(fault, 0, radius);
  if (!not_negative(length)) return dls_shape_refuse(fault, 1, length);
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_CAPSULE, DLS_PLANAR | DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  double h = 0.5 * length;
  int ends = length > 0 ? 2 : 1; /* without a straight part it is a ball */
  bool whole = dls_shape_room(shape, ends, ends == 2 ? 2 : 0, 0, 0) &&
               dls_shape_axes(shape, ends - 1);
  shape->radius = radius;
  shape->half = dls_v3(h, 0, 0);
  if (whole && ends == 2) {
    shape->points[0] = dls_v3(-h, 0, 0), shape->points[1] = dls_v3(h, 0, 0);
    dls_shape_sides(shape);
  }
  shape->reach = h + radius;
  dls_mass_capsule2(radius, length, &shape->mass2);
  dls_mass_capsule3(radius, length, &shape->mass3);
  return give(shape, whole, out);
}

static dls_status make_round(const dls_alloc *alloc, dls_shape_kind kind, double r1, double r2,
                             double length, dls_shape **out) {
  dls_shape *shape = dls_shape_blank(alloc, kind, DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  double h = 0.5 * length, r = dls_max(r1, r2);
  bool whole = dls_shape_room(shape, 0, 0, 0, 0) && dls_shape_axes(shape, 1);
  shape->radius = r1, shape->radius2 = kind == DLS_SHAPE_CONE ? r2 : 0;
  shape->half = dls_v3(h, 0, 0);
  shape->reach = sqrt(h * h + r * r);
  dls_mass_cone(r1, r2, length, &shape->mass3);
  return give(shape, whole, out);
}

dls_status dls_shape_cylinder(const dls_alloc *alloc, double radius, double length,
                              dls_shape **out, dls_fault *fault) {
  if (!positive(radius)) return dls_shape_refuse(fault, 0, radius);
  if (!positive(length)) return dls_shape_refuse(fault, 1, length);
  return make_round(alloc, DLS_SHAPE_CYLINDER, radius, radius, length, out);
}

dls_status dls_shape_cone(const dls_alloc *alloc, double radius1, double radius2, double length,
                          dls_shape **out, dls_fault *fault) {
  if (!not_negative(radius1)) return dls_shape_refuse(fault, 0, radius1);
  if (!not_negative(radius2)) return dls_shape_refuse(fault, 1, radius2);
  if (!(radius1 + radius2 > 0)) return dls_shape_refuse(fault, 1, radius2);
  if (!positive(length)) return dls_shape_refuse(fault, 2, length);
  return make_round(alloc, DLS_SHAPE_CONE, radius1, radius2, length, out);
}

dls_status dls_shape_ellipsoid(const dls_alloc *alloc, const double semi[3], dls_shape **out,
                               dls_fault *fault) {
  for (int i = 0; i < 3; i++)
    if (!positive(semi[i])) return dls_shape_refuse(fault, i, semi[i]);
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_ELLIPSOID, DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  bool whole = dls_shape_room(shape, 0, 0, 0, 0);
  shape->half = dls_v3_load(semi);
  shape->reach = dls_max(semi[0], dls_max(semi[1], semi[2]));
  dls_mass_ellipsoid(semi, &shape->mass3);
  return give(shape, whole, out);
}

static const int box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
static const int box_edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                     {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

/* Corner k stands at the signs of the bits of k: bit 0 x, bit 1 y, bit 2 z. Faces -x, x, -y, .. */
static void fill_box3(dls_shape *shape) {
  dls_vec3 h = shape->half;
  for (int k = 0; k < 8; k++)
    shape->points[k] = dls_v3(k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z);
  for (int f = 0; f < 6; f++) {
    double sign = f % 2 ? 1 : -1, half[3] = {h.x, h.y, h.z};
    dls_vec3 n = dls_v3(f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0);
    shape->faces[f] = (dls_hull_face){4 * f, 4, n, half[f / 2]};
    for (int k = 0; k < 4; k++) shape->face_points[4 * f + k] = box_faces[f][k];
  }
  for (int e = 0; e < 12; e++)
    for (int k = 0; k < 2; k++) shape->edges[2 * e + k] = box_edges[e][k];
  for (int k = 0; k < 3; k++) shape->axes[k] = dls_v3(k == 0, k == 1, k == 2);
  dls_shape_set_reach(shape);
}

void dls_box_over(dls_box_room *room, dls_vec3 half) {
  dls_shape *s = &room->shape;
  memset(s, 0, sizeof *s);
  s->kind = DLS_SHAPE_BOX, s->dims = DLS_SPATIAL, s->bounded = true;
  s->half = half;
  s->n_points = 8, s->points = room->points;
  s->n_faces = 6, s->faces = room->faces;
  s->n_face_points = 24, s->face_points = room->face_points;
  s->n_edges = 12, s->edges = room->edges;
  s->n_axes = 3, s->axes = room->axes;
  fill_box3(s);
}

dls_status dls_shape_box(const dls_alloc *alloc, int n_sizes, const double size[],
                         dls_shape **out, dls_fault *fault) {
  if (n_sizes != 2 && n_sizes != 3) return dls_shape_refuse(fault, -1, n_sizes);
  for (int i = 0; i < n_sizes; i++)
    if (!positive(size[i])) return dls_shape_refuse(fault, i, size[i]);
  bool planar = n_sizes == 2;
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_BOX, planar ? DLS_PLANAR : DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  shape->half = dls_v3(0.5 * size[0], 0.5 * size[1], planar ? 0 : 0.5 * size[2]);
  bool whole = planar ? dls_shape_room(shape, 4, 4, 0, 0)
                      : dls_shape_room(shape, 8, 6, 24, 12) && dls_shape_axes(shape, 3);
  if (whole && planar) {
    double x = shape->half.x, y = shape->half.y;
    const dls_vec3 corners[4] = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
    memcpy(shape->points, corners, sizeof corners);
    dls_shape_sides(shape);
    dls_mass_polygon(4, corners, &shape->mass2);
    shape->mass2.centre = dls_v3(0, 0, 0);
    dls_shape_set_reach(shape);
  } else if (whole) {
    fill_box3(shape);
    dls_mass_box(size, &shape->mass3);
  }
  return give(shape, whole, out);
}

dls_status dls_shape_segment(const dls_alloc *alloc, const double a[2], const double b[2],
                             dls_shape **out, dls_fault *fault) {
  for (int i = 0; i < 2; i++) {
    if (!dls_is_finite(a[i])) return dls_shape_refuse(fault, 0, a[i]);
    if (!dls_is_finite(b[i])) return dls_shape_refuse(fault, 1, b[i]);
  }
  if (a[0] == b[0] && a[1] == b[1]) return dls_shape_refuse(fault, 1, b[0]);
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_SEGMENT, DLS_PLANAR);
  if (!shape) return DLS_NOMEM;
  bool whole = dls_shape_room(shape, 2, 2, 0, 0);
  shape->solid = false;
  if (whole) {
    shape->points[0] = dls_v3(a[0], a[1], 0), shape->points[1] = dls_v3(b[0], b[1], 0);
    dls_shape_sides(shape);
    dls_shape_set_reach(shape);
  }
  return give(shape, whole, out);
}

dls_status dls_shape_plane(const dls_alloc *alloc, const double normal[3], double offset,
                           dls_shape **out, dls_fault *fault) {
  dls_vec3 n = dls_v3_load(normal);
  double length = dls_v3_norm(n);
  if (!positive(length)) return dls_shape_refuse(fault, 0, length);
  if (!dls_is_finite(offset)) return dls_shape_refuse(fault, 1, offset);
  unsigned dims = n.z == 0 ? DLS_PLANAR | DLS_SPATIAL : DLS_SPATIAL;
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_PLANE, dims);
  if (!shape) return DLS_NOMEM;
  bool whole = dls_shape_room(shape, 0, 0, 0, 0);
  shape->solid = shape->bounded = false;
  shape->normal = dls_v3(n.x / length, n.y / length, n.z / length);
  shape->offset = offset;
  shape->reach = DLS_INF;
  return give(shape, whole, out);
}

/* Cosine and sine of x in 0..pi/4, by Taylor's series: the first term left out is < 2e-18. */
static dls_vec2 small_turn(double x) {
  double c = 1, s = x, term_c = 1, term_s = x, xx = x * x;
  for (int k = 1; k <= 8; k++) {
    term_c *= -xx / ((2 * k - 1) * (2 * k));
    term_s *= -xx / ((2 * k) * (2 * k + 1));
    c += term_c, s += term_s;
  }
  return dls_v2(c, s);
}

/* The direction k / n of a full turn. By eighths of a turn, so that opposite directions are
** opposite to the last bit. */
static dls_vec2 direction(int k, int n) {
  int64_t eight = 8 * (int64_t)k, octant = eight / n, rest = eight % n;
  if (octant % 2) rest = n - rest;
  dls_vec2 t = small_turn((double)rest / n * (DLS_PI / 4));
  bool steep = octant % 4 == 1 || octant % 4 == 2;
  double x = steep ? t.y : t.x, y = steep ? t.x : t.y;
  return dls_v2(octant >= 2 && octant < 6 ? -x : x, octant >= 4 ? -y : y);
}

dls_status dls_shape_drum(const dls_alloc *alloc, double radius, double length,
                          const dls_lifters *lifters, bool ends, dls_shape **out,
                          dls_fault *fault) {
  dls_lifters bars = lifters ? *lifters : (dls_lifters){0, 0, 0};
  if (!positive(radius)) return dls_shape_refuse(fault, 0, radius);
  if (!not_negative(length)) return dls_shape_refuse(fault, 1, length);
  if (bars.count < 0) return dls_shape_refuse(fault, 2, bars.count);
  if (bars.count > 0) {
    if (!(positive(bars.height) && bars.height < radius))
      return dls_shape_refuse(fault, 3, bars.height);
    if (!(positive(bars.width) && bars.width < 2 * radius))
      return dls_shape_refuse(fault, 4, bars.width);
    /* The tips stand on a circle: their corners are to lie within the shell, and on their side of
    ** the line between two neighbours, at pi / count from each. */
    const double tip = radius - bars.height, half = 0.5 * bars.width;
    double sine = 1, cosine = 0; /* one has no neighbour, two are opposite */
    if (bars.count > 2) dls_sincos(DLS_PI / bars.count, &sine, &cosine);
    if (!(half * cosine <= tip * sine * (1 + 1e-12)) ||
        !(half * half + tip * tip < radius * radius))
      return dls_shape_refuse(fault, 6, bars.count);
  }
  if (ends && length == 0) return dls_shape_refuse(fault, 5, length);
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_DRUM, DLS_PLANAR | DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  shape->dirs = dls_new(alloc, bars.count, sizeof *shape->dirs);
  shape->lifters = bars;
  bool whole = dls_shape_room(shape, 0, 0, 0, 0) && shape->dirs;
  for (int k = 0; whole && k < bars.count; k++) shape->dirs[k] = direction(k, bars.count);
  shape->solid = shape->bounded = false;
  shape->radius = radius;
  shape->half = dls_v3(length > 0 ? 0.5 * length : DLS_INF, 0, 0);
  shape->ends = ends;
  shape->reach = DLS_INF;
  return give(shape, whole, out);
}

dls_status dls_shape_compound(const dls_alloc *alloc, int n, const dls_child *children,
                              dls_shape **out, dls_fault *fault) {
  unsigned dims = DLS_PLANAR | DLS_SPATIAL;
  if (n < 1) return dls_shape_refuse(fault, -1, n);
  for (int i = 0; i < n; i++) {
    const dls_shape *child = children[i].shape;
    if (child->kind == DLS_SHAPE_COMPOUND || !child->bounded) return dls_shape_refuse(fault, i, 0);
    dims &= child->dims;
    if (dims == 0) return dls_shape_refuse(fault, i, child->dims);
  }
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_COMPOUND, dims);
  if (!shape) return DLS_NOMEM;
  shape->children = dls_new(alloc, n, sizeof *shape->children);
  shape->n_children = shape->children ? n : 0; /* all empty so far */
  bool whole = dls_shape_room(shape, 0, 0, 0, 0) && shape->children;
  if (!whole) return give(shape, whole, out);
  shape->solid = false;
  for (int i = 0; i < n; i++) {
    const dls_child *c = &children[i];
    shape->children[i] = *c;
    shape->children[i].shape = dls_shape_hold(c->shape);
    shape->solid = shape->solid || c->shape->solid;
    dls_mat3 R2 = {{c->pose2.c, -c->pose2.s, 0, c->pose2.s, c->pose2.c, 0, 0, 0, 1}};
    dls_vec3 p2 = {c->pose2.x, c->pose2.y, 0};
    if (dims & DLS_PLANAR) dls_mass_add(&shape->mass2, &c->shape->mass2, &R2, p2);
    if (dims & DLS_SPATIAL) dls_mass_add(&shape->mass3, &c->shape->mass3, &c->pose3.R, c->pose3.p);
    double away = dls_max(dims & DLS_PLANAR ? dls_v3_norm(p2) : 0,
                          dims & DLS_SPATIAL ? dls_v3_norm(c->pose3.p) : 0);
    shape->reach = dls_max(shape->reach, away + c->shape->reach);
  }
  return give(shape, true, out);
}
