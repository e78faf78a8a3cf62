/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/surface.h"

/* --- a ball against a core -------------------------------------------------------------------- */

/* The core's point nearest to x is `at`; what x moves beside it is a vertex, an edge along `axis`,
** or (flat) a face with the normal n and x at the distance `height` from it. */
typedef struct nearest {
  dls_vec3 at, axis, n; /* m; unit; unit */
  double height; /* m */
  bool flat; /* a face */
} nearest;

static nearest on_segment(dls_vec3 a, dls_vec3 b, dls_vec3 x) {
  const dls_vec3 e = dls_v3_sub(b, a);
  const double length2 = dls_v3_dot(e, e), s = dls_v3_dot(dls_v3_sub(x, a), e);
  if (!(s > 0)) return (nearest){.at = a};
  if (!(s < length2)) return (nearest){.at = b};
  return (nearest){.at = dls_v3_axpy(a, s / length2, e),
                   .axis = dls_v3_scale(1 / sqrt(length2), e)};
}

static nearest on_polygon(const dls_shape *shape, dls_vec3 x) {
  nearest best = {.flat = true, .height = -DLS_INF};
  double least = DLS_INF;
  for (int i = 0; i < shape->n_points; i++) { /* inside, or beside one side */
    const dls_vec3 a = shape->points[i], b = shape->points[(i + 1) % shape->n_points],
                   e = dls_v3_sub(b, a);
    const double length = dls_v3_norm(e);
    const dls_vec3 n = dls_v3(e.y / length, -e.x / length, 0);
    const double height = dls_v3_dot(n, dls_v3_sub(x, a));
    if (height > best.height) best.height = height, best.n = n;
  }
  if (!(best.height > 0)) return best;
  for (int i = 0; i < shape->n_points; i++) {
    const dls_vec3 a = shape->points[i], b = shape->points[(i + 1) % shape->n_points],
                   e = dls_v3_sub(b, a);
    nearest side = on_segment(a, b, x);
    const double distance = dls_v3_norm(dls_v3_sub(x, side.at)), length = dls_v3_norm(e);
    if (!(distance < least)) continue;
    least = distance;
    side.flat = dls_v3_dot(side.axis, side.axis) > 0;
    side.n = dls_v3(e.y / length, -e.x / length, 0), side.height = distance;
    best = side;
  }
  return best;
}

static double part(const dls_vec3 *x, int i) { return i == 0 ? x->x : i == 1 ? x->y : x->z; }

static nearest on_box(dls_vec3 half_of, dls_vec3 x) {
  double c[3], axis[3] = {0}, normal[3] = {0}, height = -DLS_INF;
  int beyond = 0, along = 0, face = 0;
  for (int i = 0; i < 3; i++) {
    const double at = part(&x, i), half = part(&half_of, i);
    c[i] = dls_clamp(at, -half, half);
    if (fabs(at) > half) beyond++;
    else along = i;
    if (fabs(at) - half > height) height = fabs(at) - half, face = i;
  }
  nearest best = {.at = dls_v3_load(c)};
  if (beyond < 2) {
    normal[face] = part(&x, face) < 0 ? -1 : 1;
    best.flat = true, best.n = dls_v3_load(normal), best.height = height;
  } else if (beyond == 2) {
    axis[along] = 1;
    best.axis = dls_v3_load(axis);
  }
  return best;
}

static nearest on_core(const dls_shape *shape, int dim, dls_vec3 x) {
  switch (shape->kind) {
    case DLS_SHAPE_CAPSULE:
    case DLS_SHAPE_SEGMENT: return on_segment(shape->points[0], shape->points[1], x);
    case DLS_SHAPE_POLYGON: return on_polygon(shape, x);
    case DLS_SHAPE_BOX: return dim == 2 ? on_polygon(shape, x) : on_box(shape->half, x);
    default: return (nearest){.at = dls_v3(0, 0, 0)}; /* disk, sphere */
  }
}

/* Of a ball at x, radius r, and a core rounded by `radius`, whose nearest point is known. */
static dls_smooth_gap gap_to(const nearest *near, double radius, dls_vec3 x, double r) {
  dls_smooth_gap out = {.axis = near->axis};
  if (near->flat) {
    out.n = near->n, out.gap = near->height - radius - r;
    return out;
  }
  const dls_vec3 d = dls_v3_sub(x, near->at);
  const double distance = dls_v3_norm(d);
  out.n = distance > 0 ? dls_v3_scale(1 / distance, d) : dls_v3(0, 1, 0);
  out.bend = distance > 0 ? 1 / distance : 0;
  out.gap = distance - radius - r;
  return out;
}

static dls_smooth_gap bar_gap(const dls_surface *surface, dls_vec3 x, double r) {
  const dls_vec3 local = dls_m3_apply_t(&surface->turn, dls_v3_sub(x, surface->centre));
  const nearest near = on_box(surface->half, local);
  dls_smooth_gap out = gap_to(&near, 0, local, r);
  out.n = dls_m3_apply(&surface->turn, out.n), out.axis = dls_m3_apply(&surface->turn, out.axis);
  return out;
}

static dls_smooth_gap core_gap(const dls_surface *surface, int dim, dls_vec3 x, double r,
                               dls_vec3 other) {
  const nearest near = on_core(surface->shape, dim, x);
  const bool thin =
      surface->shape->kind == DLS_SHAPE_SEGMENT && r == 0 && dls_v3_dot(near.axis, near.axis) > 0;
  if (near.flat || !thin) return gap_to(&near, surface->radius, x, r);
  /* a point on one side of a line */
  const dls_vec3 n = dls_v3(near.axis.y, -near.axis.x, 0);
  const double side = dls_v3_dot(n, dls_v3_sub(other, near.at)) < 0 ? -1 : 1;
  return (dls_smooth_gap){.axis = near.axis,
                          .n = dls_v3_scale(side, n),
                          .gap = side * dls_v3_dot(n, dls_v3_sub(x, near.at))};
}

dls_smooth_gap dls_surface_gap(const dls_surface *surface, int dim, dls_vec3 x, double r,
                               dls_vec3 other) {
  if (surface->kind == DLS_SURFACE_CORE) return core_gap(surface, dim, x, r, other);
  if (surface->kind == DLS_SURFACE_BAR) return bar_gap(surface, x, r);
  if (surface->kind == DLS_SURFACE_HALF)
    return (dls_smooth_gap){.gap = dls_v3_dot(surface->n, x) - surface->offset - r,
                            .n = surface->n};
  dls_vec3 d = dls_v3_sub(x, surface->centre);
  if (surface->along_x) d.x = 0;
  const double distance = dls_v3_norm(d);
  dls_smooth_gap out = {.gap = surface->radius - distance - r, .n = dls_v3(0, 1, 0)};
  if (surface->along_x) out.axis = dls_v3(1, 0, 0);
  if (!(distance > 0)) return out;
  out.n = dls_v3_scale(-1 / distance, d);
  out.bend = -1 / distance;
  return out;
}

dls_vec3 dls_surface_turn(const dls_smooth_gap *gap, dls_vec3 xdot) {
  dls_vec3 across = dls_v3_axpy(xdot, -dls_v3_dot(gap->axis, xdot), gap->axis);
  across = dls_v3_axpy(across, -dls_v3_dot(gap->n, across), gap->n);
  return dls_v3_scale(gap->bend, across);
}

/* --- pairs of shapes -------------------------------------------------------------------------- */

static bool is_flat(const dls_shape *s) {
  return s->kind == DLS_SHAPE_PLANE || s->kind == DLS_SHAPE_DRUM;
}

static bool is_ball(const dls_shape *s) {
  return s->kind == DLS_SHAPE_DISK || s->kind == DLS_SHAPE_SPHERE;
}

static bool has_corners(const dls_shape *s) {
  return s->kind == DLS_SHAPE_BOX || s->kind == DLS_SHAPE_POLYGON || s->kind == DLS_SHAPE_CONVEX;
}

/* Balls of a shape that meet the surface of another one first. */
static int n_balls(const dls_shape *s) {
  if (is_ball(s)) return 1;
  if (s->kind == DLS_SHAPE_CAPSULE || s->kind == DLS_SHAPE_SEGMENT) return 2;
  return has_corners(s) ? s->n_points : 0;
}

/* Of a drum: the corners of its lifters, in the plane. */
static int n_bar_corners(const dls_shape *s) {
  return s->kind == DLS_SHAPE_DRUM ? 2 * s->lifters.count : 0;
}

static dls_vec3 bar_corner(const dls_shape *drum, int k) {
  const dls_vec2 d = drum->dirs[k / 2];
  const double in = drum->radius - drum->lifters.height,
               side = (k % 2 == 0 ? 0.5 : -0.5) * drum->lifters.width;
  return dls_v3(in * d.x - side * d.y, in * d.y + side * d.x, 0);
}

/* The box of lifter k: as far beyond the shell as that its back is never the nearest side. */
static dls_surface bar_of(const dls_shape *drum, int dim, int k) {
  const dls_lifters *l = &drum->lifters;
  const dls_vec2 e = drum->dirs[k];
  const double in = drum->radius - l->height, out = drum->radius + l->height + l->width;
  const double depth = 0.5 * (out - in), across = 0.5 * l->width;
  dls_surface bar = {.kind = DLS_SURFACE_BAR};
  if (dim == 2) {
    const dls_vec3 d = dls_v3(e.x, e.y, 0);
    bar.half = dls_v3(depth, across, DLS_INF);
    bar.turn = dls_m3_columns(d, dls_v3(-e.y, e.x, 0), dls_v3(0, 0, 1));
    bar.centre = dls_v3_scale(0.5 * (in + out), d);
  } else {
    const dls_vec3 d = dls_v3(0, e.x, e.y);
    bar.half = dls_v3(drum->half.x > 0 ? drum->half.x : DLS_INF, depth, across);
    bar.turn = dls_m3_columns(dls_v3(1, 0, 0), d, dls_v3(0, -e.y, e.x));
    bar.centre = dls_v3_scale(0.5 * (in + out), d);
  }
  return bar;
}

/* Of a drum: the shell, its ends, its lifters. */
static int n_ends(const dls_shape *s, int dim) {
  return s->kind == DLS_SHAPE_DRUM && s->ends && dim == 3 ? 2 : 0;
}

static int n_surfaces(const dls_shape *s, int dim) {
  return 1 + n_ends(s, dim) + (s->kind == DLS_SHAPE_DRUM ? s->lifters.count : 0);
}

static dls_surface surface_of(const dls_shape *s, int dim, int k) {
  if (s->kind == DLS_SHAPE_PLANE)
    return (dls_surface){.kind = DLS_SURFACE_HALF, .n = s->normal, .offset = s->offset};
  if (s->kind == DLS_SHAPE_DRUM && k == 0)
    return (dls_surface){.kind = DLS_SURFACE_HOLLOW, .radius = s->radius, .along_x = dim == 3};
  if (s->kind == DLS_SHAPE_DRUM && k > n_ends(s, dim))
    return bar_of(s, dim, k - 1 - n_ends(s, dim));
  if (s->kind == DLS_SHAPE_DRUM)
    return (dls_surface){
        .kind = DLS_SURFACE_HALF, .n = dls_v3(k == 1 ? 1 : -1, 0, 0), .offset = -s->half.x};
  const bool round = is_ball(s) || s->kind == DLS_SHAPE_CAPSULE;
  return (dls_surface){.kind = DLS_SURFACE_CORE, .shape = s, .radius = round ? s->radius : 0};
}

/* Whether balls of y meet the surface of x so that nothing of y between them could come first. */
static bool takes(int dim, const dls_shape *x, const dls_shape *y) {
  const bool lifts = x->kind == DLS_SHAPE_DRUM && x->lifters.count > 0;
  if (lifts) return is_ball(y) || y->kind == DLS_SHAPE_CAPSULE;
  if (n_balls(y) == 0 || y->kind == DLS_SHAPE_SEGMENT) return false;
  if (is_flat(x)) return true;
  if (dim == 2) return n_balls(x) > 0 && !(has_corners(x) && has_corners(y));
  const bool core = is_ball(x) || x->kind == DLS_SHAPE_CAPSULE || x->kind == DLS_SHAPE_BOX;
  return core && is_ball(y);
}

/* Whether, besides, x's own balls are to be looked at against y. */
static bool takes_back(int dim, const dls_shape *x, const dls_shape *y) {
  if (dim == 2 && n_bar_corners(x) > 0) return y->kind == DLS_SHAPE_CAPSULE;
  return dim == 2 && !is_flat(x) && !is_ball(x) && !is_ball(y);
}

/* Whether two axes meet at points that move along both. */
static bool crosses(int dim, const dls_shape *x, const dls_shape *y) {
  return dim == 3 && x->kind == DLS_SHAPE_CAPSULE && y->kind == DLS_SHAPE_CAPSULE;
}

static bool crosses_edges(int dim, const dls_shape *x, const dls_shape *y) {
  return dim == 3 && x->kind == DLS_SHAPE_BOX && y->kind == DLS_SHAPE_CAPSULE;
}

static bool pair_between(const dls_shape *x, const dls_shape *y, int dim, bool swapped, int k,
                         dls_smooth_pair *out) {
  const int corners = n_bar_corners(y), n = corners > 0 ? corners : n_balls(y);
  if (k >= n * n_surfaces(x, dim)) return false;
  *out = (dls_smooth_pair){.swapped = swapped, .surface = surface_of(x, dim, k / n)};
  const bool round = is_ball(y) || y->kind == DLS_SHAPE_CAPSULE;
  out->radius = round ? y->radius : 0;
  out->centre = corners > 0  ? bar_corner(y, k % n)
                : is_ball(y) ? dls_v3(0, 0, 0)
                             : y->points[k % n];
  return true;
}

/* Number 0: the crossing; 1, 2: ends of y; 3, 4: ends of x. */
static bool crossing_pair(const dls_shape *x, const dls_shape *y, int k, dls_smooth_pair *out) {
  const bool swapped = k > 2;
  const dls_shape *on = swapped ? y : x, *off = swapped ? x : y;
  if (k > 4) return false;
  (void)pair_between(on, off, 3, swapped, k > 0 ? (k - 1) % 2 : 0, out);
  out->crosses = k == 0, out->ends = k > 0;
  for (int e = 0; e < 2; e++) out->on[e] = on->points[e], out->off[e] = off->points[e];
  for (int e = 1; e <= 4; e++) out->place[out->n_places++] = e;
  return true;
}

/* Edges of a box: number 4 i + j + 2 l along axis i, on the sides j and l (0 below, 1 above) of the
** next two axes. */
enum { EDGES = 12 };

/* The end `up` (0, 1) of edge k; its coordinates are in units of the half sides. */
static void end_of_edge(int k, int up, double at[3]) {
  const int i = k / 4;
  at[i] = up ? 1 : -1, at[(i + 1) % 3] = (k & 1) != 0 ? 1 : -1,
  at[(i + 2) % 3] = (k & 2) != 0 ? 1 : -1;
}

/* The edge along axis i at a corner. */
static int edge_at(const double corner[3], int i) {
  return 4 * i + (corner[(i + 1) % 3] > 0 ? 1 : 0) + (corner[(i + 2) % 3] > 0 ? 2 : 0);
}

/* Gaps of a capsule and a box of the shape x. Numbers 0, 1: ends of the capsule, which are number
** `first` and the next against the surfaces of x; then edges of the box. In the place of an edge
** that is parallel to the capsule are both ends and the edges across it, whose nearest points are
** its corners then. */
enum { ENDS = 2 };
static bool box_pair(const dls_shape *x, const dls_surface *box, const dls_shape *capsule,
                     bool swapped, int first, int k, dls_smooth_pair *out) {
  const int edge = k - ENDS, along = edge / 4;
  if (edge >= EDGES) return false;
  (void)pair_between(x, capsule, 3, swapped, first + (k < ENDS ? k : 0), out);
  if (k < ENDS) return true;
  out->crosses = true;
  for (int e = 0; e < ENDS; e++) out->place[out->n_places++] = e - k;
  for (int e = 0; e < 2; e++) {
    double at[3];
    end_of_edge(edge, e, at);
    const dls_vec3 corner = dls_v3(at[0] * box->half.x, at[1] * box->half.y, at[2] * box->half.z);
    out->on[e] = dls_v3_add(box->centre, dls_m3_apply(&box->turn, corner));
    out->off[e] = capsule->points[e];
    for (int i = 1; i < 3; i++) out->place[out->n_places++] = edge_at(at, (along + i) % 3) - edge;
  }
  return true;
}

static bool edge_pair(const dls_shape *box, const dls_shape *capsule, bool swapped, int k,
                      dls_smooth_pair *out) {
  const dls_surface whole = {
      .half = box->half, .turn = dls_m3_columns(dls_v3(1, 0, 0), dls_v3(0, 1, 0), dls_v3(0, 0, 1))};
  return box_pair(box, &whole, capsule, swapped, 0, k, out);
}

/* A capsule in a drum with lifters: its ends against the shell and the ends, then lifter by
** lifter. */
static bool lifters_meet(int dim, const dls_shape *x, const dls_shape *y) {
  return dim == 3 && x->kind == DLS_SHAPE_DRUM && x->lifters.count > 0 &&
         y->kind == DLS_SHAPE_CAPSULE;
}

static bool lifter_pair(const dls_shape *drum, const dls_shape *capsule, bool swapped, int k,
                        dls_smooth_pair *out) {
  const int plain = ENDS * (1 + n_ends(drum, 3)), bar = (k - plain) / (ENDS + EDGES);
  if (k < plain) return pair_between(drum, capsule, 3, swapped, k, out);
  if (bar >= drum->lifters.count) return false;
  const dls_surface box = bar_of(drum, 3, bar);
  return box_pair(drum, &box, capsule, swapped, plain + ENDS * bar, (k - plain) % (ENDS + EDGES),
                  out);
}

bool dls_shapes_are_smooth(int dim, const dls_shape *x, const dls_shape *y) {
  if (crosses(dim, x, y) || crosses_edges(dim, x, y) || crosses_edges(dim, y, x)) return true;
  return takes(dim, x, y) || takes(dim, y, x);
}

bool dls_smooth_pair_of(int dim, const dls_shape *x, const dls_shape *y, int k,
                        dls_smooth_pair *out) {
  const bool forth = takes(dim, x, y) && !(is_ball(x) && !is_ball(y) && takes(dim, y, x));
  const dls_shape *s = forth ? x : y, *b = forth ? y : x;
  if (!dls_shapes_are_smooth(dim, x, y)) return false;
  if (crosses(dim, x, y)) return crossing_pair(x, y, k, out);
  if (crosses_edges(dim, x, y)) return edge_pair(x, y, false, k, out);
  if (crosses_edges(dim, y, x)) return edge_pair(y, x, true, k, out);
  if (lifters_meet(dim, s, b)) return lifter_pair(s, b, !forth, k, out);
  if (pair_between(s, b, dim, !forth, k, out)) return true;
  return takes_back(dim, s, b) &&
         pair_between(b, s, dim, forth, k - n_balls(b) * n_surfaces(s, dim), out);
}
