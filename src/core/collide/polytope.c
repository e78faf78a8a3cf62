/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/hull.h"

#include "core/collide/make.h"
#include "core/collide/tree3.h"

/* Convex shapes from the hull of their points: triangles of one plane become one face. Meshes. */

#define SAME 1e-9 /* relative to the size: distances that count as none */

typedef struct draft {
  int n;              /* points given                              */
  const dls_vec3 *p;  /* n                                         */
  double eps;         /* m                                         */
  int *tri, n_tri;    /* 6 n; triangles of the hull                */
  int *group;         /* 2 n: which face a triangle belongs to     */
  dls_vec3 *normal;   /* 2 n: of the triangle; then of the face    */
  int *loop;          /* n: corners of a face in order             */
  int *after;         /* n: next corner around a face              */
} draft;

static dls_vec3 area_vector(const draft *d, int t) {
  const int *v = d->tri + 3 * (size_t)t;
  return dls_v3_cross(dls_v3_sub(d->p[v[1]], d->p[v[0]]), dls_v3_sub(d->p[v[2]], d->p[v[0]]));
}

/* Triangles join the largest triangle not yet in a face whose plane all their corners share. */
static int group_faces(draft *d) {
  int faces = 0;
  for (int t = 0; t < d->n_tri; t++) d->group[t] = -1;
  for (;;) {
    int seed = -1;
    double largest = -1;
    for (int t = 0; t < d->n_tri; t++) {
      double area = dls_v3_norm(area_vector(d, t));
      if (d->group[t] < 0 && area > largest) largest = area, seed = t;
    }
    if (seed < 0) return faces;
    dls_vec3 n = dls_v3_unit(area_vector(d, seed)), o = d->p[d->tri[3 * (size_t)seed]];
    for (int t = 0; t < d->n_tri; t++) {
      const int *v = d->tri + 3 * (size_t)t;
      bool on = d->group[t] < 0 && dls_v3_dot(area_vector(d, t), n) >= 0;
      for (int k = 0; k < 3; k++)
        on = on && fabs(dls_v3_dot(n, dls_v3_sub(d->p[v[k]], o))) <= d->eps;
      if (on || t == seed) d->group[t] = faces;
    }
    d->normal[faces++] = n;
  }
}

/* The corners around face f, straight ones left out; 0 where its sides do not form one loop. */
static int trace(draft *d, int f) {
  int first = -1, sides = 0;
  for (int i = 0; i < d->n; i++) d->after[i] = -1;
  for (int t = 0; t < d->n_tri; t++)
    for (int k = 0; d->group[t] == f && k < 3; k++) {
      int a = d->tri[3 * (size_t)t + k], b = d->tri[3 * (size_t)t + (k + 1) % 3];
      bool inner = false;
      for (int s = 0; s < d->n_tri && !inner; s++)
        for (int j = 0; d->group[s] == f && j < 3; j++)
          inner =
              inner || (d->tri[3 * (size_t)s + j] == b && d->tri[3 * (size_t)s + (j + 1) % 3] == a);
      if (inner) continue;
      d->after[a] = b, first = a, sides++;
    }
  int count = 0, steps = 0, i = first;
  do {
    d->loop[count++] = i;
    i = d->after[i];
  } while (i >= 0 && i != first && ++steps < sides);
  if (i != first || count != sides) return 0;
  int kept = 0;
  for (int k = 0; k < count; k++) {
    dls_vec3 b = d->p[d->loop[(k + count - 1) % count]], v = d->p[d->loop[k]];
    dls_vec3 a = d->p[d->loop[(k + 1) % count]];
    dls_vec3 e = dls_v3_unit(dls_v3_sub(a, b));
    bool straight = dls_v3_norm(dls_v3_cross(dls_v3_sub(v, b), e)) <= d->eps;
    if (!straight) d->after[kept++] = d->loop[k];
  }
  memcpy(d->loop, d->after, (size_t)kept * sizeof(int));
  return kept;
}

/* Counts corners of all faces (fill false), or writes faces and corners. -1: no proper faces. */
static int write_faces(draft *d, int n_faces, dls_shape *shape, bool fill) {
  int used = 0;
  for (int f = 0; f < n_faces; f++) {
    int count = trace(d, f);
    if (count < 3) return -1;
    if (fill) {
      dls_hull_face *face = &shape->faces[f];
      *face = (dls_hull_face){used, count, d->normal[f], -DLS_INF};
      memcpy(shape->face_points + used, d->loop, (size_t)count * sizeof(int));
      for (int k = 0; k < count; k++)
        face->offset = dls_max(face->offset, dls_v3_dot(face->normal, d->p[d->loop[k]]));
    }
    used += count;
  }
  return used;
}

/* Keeps the points that are corners of faces, renumbers, and lists the edges. */
static void finish(dls_shape *shape, const draft *d, int *number) {
  int n = 0, edges = 0;
  for (int i = 0; i < d->n; i++) number[i] = -1;
  for (int k = 0; k < shape->n_face_points; k++) number[shape->face_points[k]] = 0;
  for (int i = 0; i < d->n; i++)
    if (number[i] == 0) shape->points[n] = d->p[i], number[i] = n++;
  for (int k = 0; k < shape->n_face_points; k++)
    shape->face_points[k] = number[shape->face_points[k]];
  for (int f = 0; f < shape->n_faces; f++) {
    const dls_hull_face *face = &shape->faces[f];
    for (int k = 0; k < face->count; k++) {
      int a = shape->face_points[face->first + k];
      int b = shape->face_points[face->first + (k + 1) % face->count];
      if (a > b) continue; /* each edge runs once in each sense */
      shape->edges[2 * edges] = a, shape->edges[2 * edges + 1] = b, edges++;
    }
  }
}

/* One direction for all parallel edges. Counts them; writes them where the shape has room. */
static int list_axes(const dls_shape *shape, dls_vec3 *axes) {
  int n = 0;
  for (int e = 0; e < shape->n_edges; e++) {
    dls_vec3 a = shape->points[shape->edges[2 * e]], b = shape->points[shape->edges[2 * e + 1]];
    dls_vec3 u = dls_v3_unit(dls_v3_sub(b, a));
    bool known = false;
    for (int k = 0; k < n && !known; k++) known = dls_v3_norm(dls_v3_cross(u, axes[k])) < SAME;
    if (!known) axes[n++] = u;
  }
  return n;
}

static int corners_used(const dls_shape *shape, int n, int *mark) {
  int count = 0;
  for (int i = 0; i < n; i++) mark[i] = 0;
  for (int k = 0; k < shape->n_face_points; k++) {
    count += mark[shape->face_points[k]] == 0;
    mark[shape->face_points[k]] = 1;
  }
  return count;
}

/* From the draft with its faces grouped; *bad where faces do not fit together. */
static dls_status assemble(const dls_alloc *alloc, draft *d, int n_faces, dls_shape **out,
                           bool *bad) {
  int total = write_faces(d, n_faces, NULL, false);
  *bad = total < 0 || total % 2 != 0;
  if (*bad) return DLS_OK;
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_CONVEX, DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  if (!dls_shape_room(shape, d->n, n_faces, total, total / 2) ||
      !dls_shape_axes(shape, total / 2)) {
    dls_shape_drop(shape);
    return DLS_NOMEM;
  }
  write_faces(d, n_faces, shape, true);
  int corners = corners_used(shape, d->n, d->after);
  *bad = corners - total / 2 + n_faces != 2; /* Euler */
  if (*bad) {
    dls_shape_drop(shape);
    return DLS_OK;
  }
  finish(shape, d, d->after);
  int n_axes = list_axes(shape, shape->axes);
  void *axes = shape->axes;
  if (dls_grow(alloc, &axes, total / 2, n_axes, sizeof *shape->axes)) {
    dls_shape_drop(shape);
    return DLS_NOMEM;
  }
  shape->axes = axes;
  shape->n_axes = n_axes;
  void *points = shape->points; /* the block shrinks to what is used */
  if (dls_grow(alloc, &points, d->n, corners, sizeof *shape->points)) {
    dls_shape_drop(shape);
    return DLS_NOMEM;
  }
  shape->points = points;
  shape->n_points = corners;
  dls_shape_set_reach(shape);
  dls_mass_polyhedron(shape, &shape->mass3);
  shape->narrowest = dls_shape_narrowest(shape);
  *out = shape;
  return DLS_OK;
}

static double size_of(int n, const dls_vec3 *p) {
  double size = 0;
  for (int i = 1; i < n; i++) size = dls_max(size, dls_v3_norm(dls_v3_sub(p[i], p[0])));
  return size;
}

/* Tolerances from fine to coarse until the faces fit together. */
static dls_status try_hull(const dls_alloc *alloc, draft *d, dls_shape **out, dls_fault *fault) {
  double size = size_of(d->n, d->p);
  for (double share = 1e-12; share < 1e-6; share *= 10) {
    d->eps = share * size;
    dls_status status = dls_hull(alloc, d->n, d->p, d->eps, d->tri, &d->n_tri);
    if (status == DLS_NOMEM) return status;
    if (status) continue;
    bool bad = true;
    d->eps = dls_max(d->eps, SAME * size);
    status = assemble(alloc, d, group_faces(d), out, &bad);
    if (status || !bad) return status;
  }
  return dls_shape_refuse(fault, -1, d->n);
}

dls_status dls_shape_convex(const dls_alloc *alloc, int n, const double *points, dls_shape **out,
                            dls_fault *fault) {
  if (n < 4 || n > INT16_MAX) return dls_shape_refuse(fault, -1, n);
  for (int i = 0; i < 3 * n; i++)
    if (!dls_is_finite(points[i])) return dls_shape_refuse(fault, i / 3, points[i]);
  size_t m = (size_t)n;
  dls_vec3 *p = dls_new(alloc, m, sizeof *p);
  draft d = {.n = n, .p = p};
  d.tri = dls_new(alloc, 6 * m, sizeof(int));
  d.group = dls_new(alloc, 4 * m, sizeof(int));
  d.normal = dls_new(alloc, 2 * m, sizeof *d.normal);
  dls_status status = p && d.tri && d.group && d.normal ? DLS_OK : DLS_NOMEM;
  if (!status) {
    d.loop = d.group + 2 * m, d.after = d.group + 3 * m;
    for (int i = 0; i < n; i++) p[i] = dls_v3_load(points + 3 * (size_t)i);
    status = try_hull(alloc, &d, out, fault);
  }
  dls_free(alloc, p, m, sizeof *p);
  dls_free(alloc, d.tri, 6 * m, sizeof(int));
  dls_free(alloc, d.group, 4 * m, sizeof(int));
  dls_free(alloc, d.normal, 2 * m, sizeof *d.normal);
  return status;
}

dls_status dls_shape_mesh(const dls_alloc *alloc, int n_vertices, const double *vertices,
                          int n_faces, const int *faces, dls_shape **out, dls_fault *fault) {
  if (n_vertices < 3) return dls_shape_refuse(fault, -1, n_vertices);
  if (n_faces < 1) return dls_shape_refuse(fault, -1, n_faces);
  for (int i = 0; i < 3 * n_vertices; i++)
    if (!dls_is_finite(vertices[i])) return dls_shape_refuse(fault, i / 3, vertices[i]);
  for (int i = 0; i < 3 * n_faces; i++)
    if (faces[i] < 0 || faces[i] >= n_vertices) return dls_shape_refuse(fault, i / 3, faces[i]);
  dls_shape *shape = dls_shape_blank(alloc, DLS_SHAPE_MESH, DLS_SPATIAL);
  if (!shape) return DLS_NOMEM;
  shape->solid = false;
  shape->narrowest = dls_shape_narrowest(shape);
  dls_status status = DLS_NOMEM;
  if (dls_shape_room(shape, n_vertices, n_faces, 3 * n_faces, 0)) {
    status = DLS_OK;
    for (int i = 0; i < n_vertices; i++)
      shape->points[i] = dls_v3_load(vertices + 3 * (size_t)i);
    for (int f = 0; f < n_faces && !status; f++) {
      const int *v = faces + 3 * (size_t)f;
      memcpy(shape->face_points + 3 * (size_t)f, v, 3 * sizeof(int));
      dls_vec3 a = shape->points[v[0]];
      dls_vec3 e = dls_v3_sub(shape->points[v[1]], a), g = dls_v3_sub(shape->points[v[2]], a);
      dls_vec3 n = dls_v3_cross(e, g);
      double area = dls_v3_norm(n);
      if (!(area > 1e-14 * (dls_v3_dot(e, e) + dls_v3_dot(g, g)))) {
        status = dls_shape_refuse(fault, f, 0.5 * area);
        break;
      }
      n = dls_v3_unit(n);
      shape->faces[f] = (dls_hull_face){3 * f, 3, n, dls_v3_dot(n, a)};
    }
    dls_shape_set_reach(shape);
    if (!status) status = dls_tree3_build(shape);
  }
  if (status)
    dls_shape_drop(shape);
  else
    *out = shape;
  return status;
}
