/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/tree3.h"

#include "core/base/sort.h"

enum { LEAF = 4, DEEP = 64 }; /* faces of a leaf at most; halves that can be waiting */

typedef struct part {
  int first, count; /* faces that are not in the tree yet           */
  int above;        /* node whose `skip` is where this part ends: -1 */
} part;

static void widen(dls_vec3 *lo, dls_vec3 *hi, dls_vec3 p) {
  *lo = dls_v3(dls_min(lo->x, p.x), dls_min(lo->y, p.y), dls_min(lo->z, p.z));
  *hi = dls_v3(dls_max(hi->x, p.x), dls_max(hi->y, p.y), dls_max(hi->z, p.z));
}

static void bounds(const dls_shape *mesh, const int *faces, int n, dls_vec3 *lo, dls_vec3 *hi) {
  *lo = dls_v3(DLS_INF, DLS_INF, DLS_INF), *hi = dls_v3_neg(*lo);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      widen(lo, hi, mesh->points[mesh->face_points[3 * (size_t)faces[i] + (size_t)k]]);
}

/* Sorts faces along the axis on which their middles (three numbers a face) lie farthest apart. */
static dls_status arrange(const double *middle, size_t n_faces, int *faces, int n, dls_arena *tmp) {
  double most = -1;
  const double *key = middle;
  for (size_t d = 0; d < 3; d++) {
    const double *axis = middle + d * n_faces;
    double lo = DLS_INF, hi = -DLS_INF;
    for (int i = 0; i < n; i++) lo = dls_min(lo, axis[faces[i]]), hi = dls_max(hi, axis[faces[i]]);
    if (hi - lo > most) most = hi - lo, key = axis;
  }
  return dls_sort_by_double(n, key, faces, tmp);
}

/* Parts are taken from a stack, the first half on top: nodes come out in the order of a walk. */
static dls_status grow(dls_shape *mesh, const double *middle, dls_arena *tmp) {
  part waiting[DEEP] = {{0, mesh->n_faces, -1}};
  int n = 0;
  for (int depth = 1; depth > 0;) {
    const part p = waiting[--depth];
    dls_node3 *node = &mesh->nodes[n];
    int *faces = mesh->tree_faces + p.first;
    *node = (dls_node3){.first = p.first};
    bounds(mesh, faces, p.count, &node->lo, &node->hi);
    if (p.above >= 0) mesh->nodes[p.above].skip = n;
    if (p.count <= LEAF) {
      node->count = p.count;
    } else {
      dls_status status = arrange(middle, (size_t)mesh->n_faces, faces, p.count, tmp);
      if (status != DLS_OK) return status;
      const int half = p.count / 2;
      waiting[depth++] = (part){p.first + half, p.count - half, n + 1};
      waiting[depth++] = (part){p.first, half, -1};
    }
    n++;
  }
  mesh->n_nodes = n;
  return DLS_OK;
}

/* Nodes that are the last halves of others end where those end. */
static void link(dls_shape *mesh) {
  int ends[DEEP], depth = 0;
  ends[depth++] = mesh->n_nodes;
  for (int i = 0; i < mesh->n_nodes; i++) {
    dls_node3 *node = &mesh->nodes[i];
    while (ends[depth - 1] <= i) depth--;
    if (node->skip == 0) node->skip = ends[depth - 1];
    if (node->count == 0) ends[depth++] = node->skip;
  }
}

dls_status dls_tree3_build(dls_shape *mesh) {
  const size_t n = (size_t)mesh->n_faces;
  mesh->nodes = dls_new(&mesh->alloc, n, sizeof *mesh->nodes);
  mesh->tree_faces = dls_new(&mesh->alloc, n, sizeof *mesh->tree_faces);
  if (!mesh->nodes || !mesh->tree_faces) return DLS_NOMEM;
  dls_arena tmp;
  dls_status status = dls_arena_create(
      &tmp, &mesh->alloc,
      dls_bytes_add(dls_sort_bytes(mesh->n_faces), dls_arena_bytes(3 * n, sizeof(double))));
  if (status != DLS_OK) return status;
  double *middle = DLS_TAKE(&tmp, double, 3 * n);
  status = middle ? DLS_OK : DLS_NOMEM;
  for (int f = 0; f < mesh->n_faces && status == DLS_OK; f++) {
    dls_vec3 lo, hi;
    mesh->tree_faces[f] = f;
    bounds(mesh, &f, 1, &lo, &hi);
    middle[f] = 0.5 * (lo.x + hi.x);
    middle[n + (size_t)f] = 0.5 * (lo.y + hi.y);
    middle[2 * n + (size_t)f] = 0.5 * (lo.z + hi.z);
  }
  if (status == DLS_OK) status = grow(mesh, middle, &tmp);
  if (status == DLS_OK) link(mesh);
  dls_arena_destroy(&tmp, &mesh->alloc);
  return status == DLS_FULL ? DLS_NOMEM : status;
}

bool dls_node3_crossed(const dls_node3 *node, dls_vec3 o, dls_vec3 d, double most, double slack) {
  const double from[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
  const double lo[3] = {node->lo.x, node->lo.y, node->lo.z};
  const double hi[3] = {node->hi.x, node->hi.y, node->hi.z};
  double in = 0, out = most;
  for (int k = 0; k < 3; k++) {
    const double a = lo[k] - slack - from[k], b = hi[k] + slack - from[k];
    if (way[k] == 0) {
      if (a > 0 || b < 0) return false;
      continue;
    }
    const double s = a / way[k], t = b / way[k];
    in = dls_max(in, dls_min(s, t));
    out = dls_min(out, dls_max(s, t));
  }
  /* Rounding of the quotients, relative to the way along the ray. */
  return in <= out + 1e-12 * (fabs(in) + fabs(out));
}
