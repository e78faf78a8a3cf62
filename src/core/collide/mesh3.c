/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/convex3.h"
#include "core/collide/pairs3.h"
#include "core/collide/tree3.h"

/* One triangle as a flat convex body in place: two faces, three edges. */
typedef struct triangle {
  dls_shape shape; /* the polytope of what follows */
  dls_vec3 points[3], axes[3]; /* m; unit: of edges */
  dls_hull_face faces[2]; /* either side */
} triangle;

static const int around[6] = {0, 1, 2, 0, 2, 1};

static void fill(triangle *t, const dls_shape *mesh, int f) {
  const int *v = mesh->face_points + 3 * (size_t)f;
  dls_shape *s = &t->shape;
  memset(s, 0, sizeof *s);
  s->kind = DLS_SHAPE_CONVEX, s->dims = DLS_SPATIAL, s->bounded = true;
  for (int k = 0; k < 3; k++) t->points[k] = mesh->points[v[k]];
  for (int k = 0; k < 3; k++)
    t->axes[k] = dls_v3_unit(dls_v3_sub(t->points[(k + 1) % 3], t->points[k]));
  dls_vec3 n = mesh->faces[f].normal;
  t->faces[0] = (dls_hull_face){0, 3, n, mesh->faces[f].offset};
  t->faces[1] = (dls_hull_face){3, 3, dls_v3_neg(n), -mesh->faces[f].offset};
  s->points = t->points, s->n_points = 3;
  s->axes = t->axes, s->n_axes = 3;
  s->faces = t->faces, s->n_faces = 2;
  s->face_points = (int *)around, s->n_face_points = 6;
  s->reach = mesh->reach;
}

static bool apart(const triangle *t, dls_vec3 lo, dls_vec3 hi) {
  dls_vec3 l = t->points[0], h = l;
  for (int k = 1; k < 3; k++) {
    dls_vec3 p = t->points[k];
    l = dls_v3(dls_min(l.x, p.x), dls_min(l.y, p.y), dls_min(l.z, p.z));
    h = dls_v3(dls_max(h.x, p.x), dls_max(h.y, p.y), dls_max(h.z, p.z));
  }
  return l.x > hi.x || h.x < lo.x || l.y > hi.y || h.y < lo.y || l.z > hi.z || h.z < lo.z;
}

/* The triangles in the leaves that meet a box, one after another: next_face answers -1 after the
** last. */
typedef struct face_walk {
  const dls_shape *mesh; /* borrowed */
  dls_vec3 lo, hi; /* of the box, mesh frame, m */
  int node, k; /* the next one to look at: of node's triangles, the k-th */
} face_walk;

static int next_face(face_walk *walk) {
  const dls_shape *mesh = walk->mesh;
  while (walk->node < mesh->n_nodes) {
    const dls_node3 *node = &mesh->nodes[walk->node];
    if (walk->k == 0 && !dls_node3_meets(node, walk->lo, walk->hi)) {
      walk->node = node->skip;
      continue;
    }
    if (walk->k < node->count) return mesh->tree_faces[node->first + walk->k++];
    walk->node++;
    walk->k = 0;
  }
  return -1;
}

#define LEAN 1e-9 /* sine of an angle that counts; of the mesh's reach: a distance that does */

/* --- both sides ------------------------------------------------------------------------------- */

/* A surface has no inside: a triangle holds from the side that the body's centre is on, with
** normals to that side only. From behind it holds where the centre sees its back: the far slope
** of a ridge and the far face of a thin wall are hidden by a triangle whose front is nearer. */

/* Of p over the plane of triangle f. */
static double height(const dls_shape *mesh, int f, dls_vec3 p) {
  return dls_v3_dot(mesh->faces[f].normal, p) - mesh->faces[f].offset;
}

/* The point of triangle f nearest to p. */
static dls_vec3 nearest_of(const dls_shape *mesh, int f, dls_vec3 p) {
  const int *v = mesh->face_points + mesh->faces[f].first;
  dls_vec3 best = mesh->points[v[0]];
  double least = DLS_INF;
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    const dls_vec3 a = mesh->points[v[k]], d = dls_v3_sub(p, a);
    const dls_vec3 edge = dls_v3_sub(mesh->points[v[(k + 1) % 3]], a);
    inside = inside && dls_v3_dot(dls_v3_cross(mesh->faces[f].normal, edge), d) >= 0;
    const double along = dls_clamp(dls_v3_dot(edge, d) / dls_v3_dot(edge, edge), 0, 1);
    const dls_vec3 on = dls_v3_axpy(a, along, edge);
    const dls_vec3 way = dls_v3_sub(p, on);
    if (!(dls_v3_dot(way, way) < least)) continue;
    least = dls_v3_dot(way, way);
    best = on;
  }
  return inside ? dls_v3_axpy(p, -height(mesh, f, p), mesh->faces[f].normal) : best;
}

/* Whether the way from the centre to p meets triangle f from its front. */
static bool hides(const dls_shape *mesh, int f, dls_vec3 centre, dls_vec3 p, double near) {
  const double from = height(mesh, f, centre), to = height(mesh, f, p);
  if (!(from > 0) || to > near) return false;
  const dls_vec3 x = to >= 0 ? p : dls_v3_axpy(centre, from / (from - to), dls_v3_sub(p, centre));
  const dls_vec3 away = dls_v3_sub(x, nearest_of(mesh, f, x));
  return dls_v3_dot(away, away) <= near * near;
}

static bool shows_its_back(const dls_shape *mesh, int own, dls_vec3 centre) {
  const double near = LEAN * mesh->reach;
  const dls_vec3 p = nearest_of(mesh, own, centre), c = centre;
  const dls_vec3 least = dls_v3(dls_min(p.x, c.x), dls_min(p.y, c.y), dls_min(p.z, c.z));
  const dls_vec3 most = dls_v3(dls_max(p.x, c.x), dls_max(p.y, c.y), dls_max(p.z, c.z));
  const dls_vec3 lo = dls_v3(least.x - near, least.y - near, least.z - near);
  const dls_vec3 hi = dls_v3(most.x + near, most.y + near, most.z + near);
  face_walk walk = {.mesh = mesh, .lo = lo, .hi = hi};
  for (int f = next_face(&walk); f >= 0; f = next_face(&walk))
    if (f != own && hides(mesh, f, centre, p, near)) return false;
  return true;
}

/* Whether triangle f holds a body with this centre. */
static bool holds(const dls_shape *mesh, int f, dls_vec3 centre) {
  return height(mesh, f, centre) >= 0 || shows_its_back(mesh, f, centre);
}

/* --- edges between triangles ------------------------------------------------------------------ */

/* A round body near an edge is met by both triangles there, and the one that it is not above
** says so with a normal that leans. Such a touch is none of the surface's: from its point the
** surface comes nearer within the other triangle. What both say of the edge itself is one touch. */

/* Whether n at the point p of the surface leans into triangle f: whether a way within it from p
** goes along n. */
static bool leans_into(const dls_shape *mesh, int f, dls_vec3 p, dls_vec3 n) {
  const dls_hull_face *face = &mesh->faces[f];
  const int *v = mesh->face_points + face->first;
  const double near = LEAN * mesh->reach;
  if (fabs(dls_v3_dot(face->normal, p) - face->offset) > near) return false;
  const double along = dls_v3_dot(n, face->normal);
  /* inside every way is open */
  bool leans = dls_v3_norm(dls_v3_axpy(n, -along, face->normal)) > LEAN;
  int n_edges = 0;
  dls_vec3 edge = n, in = n;
  for (int k = 0; k < 3; k++) {
    const dls_vec3 a = mesh->points[v[k]],
        way = dls_v3_unit(dls_v3_sub(mesh->points[v[(k + 1) % 3]], a));
    const dls_vec3 inward = dls_v3_cross(face->normal, way);
    const double s = dls_v3_dot(inward, dls_v3_sub(p, a));
    if (s < -near) return false;
    if (s > near) continue;
    if (++n_edges == 1) {
      edge = way, in = inward;
      leans = dls_v3_dot(n, in) > LEAN || fabs(dls_v3_dot(n, edge)) > LEAN;
    } else { /* a corner: the two ways are those along its edges into the triangle */
      const double one = dls_v3_dot(inward, edge) > 0 ? 1 : -1;
      const double two = dls_v3_dot(in, way) > 0 ? 1 : -1;
      leans = one * dls_v3_dot(n, edge) > LEAN || two * dls_v3_dot(n, way) > LEAN;
    }
  }
  return leans;
}

/* Whether another triangle that holds answers for a touch of triangle `own`, all in the mesh's
** frame; side: which one own turns to the body, 1 front, -1 back. */
static bool answered(const dls_shape *mesh, int own, double side, dls_vec3 p, dls_vec3 n,
                     dls_vec3 centre) {
  const double near = LEAN * mesh->reach;
  const dls_vec3 lo = dls_v3(p.x - near, p.y - near, p.z - near);
  const dls_vec3 hi = dls_v3(p.x + near, p.y + near, p.z + near);
  if (dls_v3_norm(dls_v3_axpy(n, -side, mesh->faces[own].normal)) <= LEAN) return false;
  face_walk walk = {.mesh = mesh, .lo = lo, .hi = hi};
  for (int f = next_face(&walk); f >= 0; f = next_face(&walk))
    if (f != own && holds(mesh, f, centre) && leans_into(mesh, f, p, n)) return true;
  return false;
}

static dls_vec3 point_on(const dls_sink *sink, const dls_touch *t) {
  return sink->swap ? t->point_b : t->point_a;
}

/* Whether touch i is one of those from `start` up to `first`: the same point of the surface along
** the same normal. */
static bool is_told(const dls_sink *sink, int i, int start, int first, double near) {
  const dls_touch *t = &sink->out[i];
  const dls_vec3 p = point_on(sink, t);
  for (int j = start; j < first; j++) {
    const dls_vec3 d = dls_v3_sub(p, point_on(sink, &sink->out[j]));
    if (!(fabs(d.x) <= near && dls_v3_norm(d) <= near)) continue;
    if (dls_v3_norm(dls_v3_sub(t->normal, sink->out[j].normal)) <= 2 * LEAN) return true;
  }
  return false;
}

/* Drops those of triangle f's touches, from `first` on, that were told of already, or, of round
** bodies, that another answers for. */
static void drop_answered(const dls_shape *mesh, const dls_pose3 *pose, int f, double side,
                          dls_vec3 centre, bool round, int start, int first, dls_sink *sink) {
  const double near = LEAN * mesh->reach;
  int n = first;
  for (int i = first; i < sink->n; i++) {
    const dls_touch *t = &sink->out[i];
    const dls_vec3 outward = sink->swap ? dls_v3_neg(t->normal) : t->normal;
    const dls_vec3 p = dls_pose3_back(pose, point_on(sink, t));
    const bool drop = (round && answered(mesh, f, side, p, dls_m3_apply_t(&pose->R, outward),
                                         centre)) ||
                      is_told(sink, i, start, first, near);
    if (!drop) sink->out[n++] = *t;
  }
  sink->n = n;
}

/* Triangles that the body's bounds reach. */
void dls_pair3_mesh(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b,
                    const dls_pose3 *pose_b, dls_sink *sink) {
  dls_pose3 local = {dls_m3_t_mul(&pose_a->R, &pose_b->R), dls_pose3_back(pose_a, pose_b->p)};
  dls_vec3 lo, hi;
  dls_shape_bounds3(b, &local, &lo, &hi);
  double m = sink->margin;
  const bool round = b->kind == DLS_SHAPE_SPHERE || b->kind == DLS_SHAPE_CAPSULE ||
      b->kind == DLS_SHAPE_ELLIPSOID;
  const int start = sink->n;
  dls_vec3 centre = dls_pose3_apply(&local, b->mass3.centre);
  lo = dls_v3(lo.x - m, lo.y - m, lo.z - m), hi = dls_v3(hi.x + m, hi.y + m, hi.z + m);
  face_walk walk = {.mesh = a, .lo = lo, .hi = hi};
  for (int f = next_face(&walk); f >= 0; f = next_face(&walk)) {
    const double side = height(a, f, centre) < 0 ? -1 : 1;
    triangle t;
    fill(&t, a, f);
    if (apart(&t, lo, hi) || !holds(a, f, centre)) continue;
    const int first = sink->n;
    uint64_t before = dls_sink_enter(sink, f, true);
    const dls_vec3 front = dls_m3_apply(&pose_a->R, dls_v3_scale(side, a->faces[f].normal));
    dls_convex3_put(&t.shape, pose_a, b, pose_b, front, sink);
    dls_sink_leave(sink, before);
    if (!sink->least && sink->n <= sink->room)
      drop_answered(a, pose_a, f, side, centre, round, start, first, sink);
  }
}
