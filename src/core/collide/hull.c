/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/hull.h"

typedef struct facet {
  int v[3];        /* corners                                  */
  int next[3];     /* facet across the side v[k], v[k + 1]     */
  dls_vec3 normal; /* unit, outward                            */
  double offset;   /* of its plane                             */
  bool live, seen; /* in the hull; visible from the new point  */
} facet;

typedef struct horizon {
  int a, b;  /* side of the visible region, as the visible facet had it */
  int facet; /* the facet beyond it                                     */
} horizon;

typedef struct builder {
  int n;     /* points */
  const dls_vec3 *points; /* n, m, borrowed */
  double eps; /* m: closer points of a plane are on it */
  facet *facets;    /* 2 n                                                    */
  int n_facets;     /* slots used                                             */
  int *unused;      /* 2 n: slots given back                                  */
  int n_unused;     /* of unused */
  int *stack;       /* 2 n                                                    */
  horizon *rim;     /* 6 n                                                    */
  int n_rim;        /* of rim */
  int *begins;      /* n: new facet whose horizon side begins at this corner  */
  int *owner;       /* n: a facet the point is outside of, -1: inside         */
  double *outside;  /* n: how far                                             */
} builder;

static double height(const facet *f, dls_vec3 p) { return dls_v3_dot(f->normal, p) - f->offset; }

static bool add_facet(builder *h, int a, int b, int c, int *out) {
  if (h->n_unused == 0 && h->n_facets == 2 * h->n) return false;
  int slot = h->n_unused > 0 ? h->unused[--h->n_unused] : h->n_facets++;
  dls_vec3 p = h->points[a];
  dls_vec3 e = dls_v3_sub(h->points[b], p), g = dls_v3_sub(h->points[c], p);
  dls_vec3 normal = dls_v3_cross(e, g);
  if (!(dls_v3_norm(normal) > 0)) return false;
  normal = dls_v3_unit(normal);
  h->facets[slot] = (facet){{a, b, c}, {-1, -1, -1}, normal, dls_v3_dot(normal, p), true, false};
  *out = slot;
  return true;
}

/* Gives point i to the facet among list[0..n) it is farthest outside of. */
static void assign(builder *h, int i, const int *list, int n) {
  h->owner[i] = -1, h->outside[i] = h->eps;
  for (int k = 0; k < n; k++) {
    double d = height(&h->facets[list[k]], h->points[i]);
    if (d > h->outside[i]) h->outside[i] = d, h->owner[i] = list[k];
  }
}

/* The point for which f is largest. */
typedef double measure(const dls_vec3 *p, const dls_vec3 *basis);
static double from_point(const dls_vec3 *p, const dls_vec3 *b) {
  return dls_v3_norm(dls_v3_sub(*p, b[0]));
}
static double from_line(const dls_vec3 *p, const dls_vec3 *b) {
  return dls_v3_norm(dls_v3_cross(dls_v3_sub(*p, b[0]), dls_v3_unit(dls_v3_sub(b[1], b[0]))));
}
static double from_plane(const dls_vec3 *p, const dls_vec3 *b) {
  dls_vec3 normal = dls_v3_unit(dls_v3_cross(dls_v3_sub(b[1], b[0]), dls_v3_sub(b[2], b[0])));
  return fabs(dls_v3_dot(normal, dls_v3_sub(*p, b[0])));
}

static int farthest(const builder *h, measure *f, const dls_vec3 *basis, double *most) {
  int best = 0;
  *most = -1;
  for (int i = 0; i < h->n; i++) {
    double d = f(&h->points[i], basis);
    if (d > *most) *most = d, best = i;
  }
  return best;
}

/* A tetrahedron of far points; false where there is none thicker than eps. */
static bool first_facets(builder *h) {
  static measure *const steps[4] = {from_point, from_point, from_line, from_plane};
  int v[4], f[4];
  dls_vec3 basis[4] = {h->points[0]};
  for (int k = 0; k < 4; k++) {
    double most;
    v[k] = farthest(h, steps[k], basis, &most);
    if (k > 0 && !(most > h->eps)) return false;
    basis[k] = h->points[v[k]];
  }
  dls_vec3 e = dls_v3_sub(basis[1], basis[0]), g = dls_v3_sub(basis[2], basis[0]);
  if (dls_v3_dot(dls_v3_cross(e, g), dls_v3_sub(basis[3], basis[0])) > 0) {
    int t = v[1];
    v[1] = v[2], v[2] = t;
  }
  static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int k = 0; k < 4; k++)
    if (!add_facet(h, v[corner[k][0]], v[corner[k][1]], v[corner[k][2]], &f[k])) return false;
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < 3; j++) h->facets[f[k]].next[j] = f[across[k][j]];
  for (int i = 0; i < h->n; i++) assign(h, i, f, 4);
  return true;
}

/* Marks what point p sees, from facet `start` on, and lists the sides around it. */
static void look(builder *h, int p, int start) {
  int depth = 0;
  h->n_rim = 0;
  h->stack[depth++] = start;
  h->facets[start].seen = true;
  while (depth > 0) {
    const facet *f = &h->facets[h->stack[--depth]];
    for (int k = 0; k < 3; k++) {
      facet *g = &h->facets[f->next[k]];
      if (g->seen) continue;
      if (height(g, h->points[p]) > h->eps) {
        g->seen = true;
        h->stack[depth++] = f->next[k];
      } else {
        h->rim[h->n_rim++] = (horizon){f->v[k], f->v[(k + 1) % 3], f->next[k]};
      }
    }
  }
  /* A side may have been listed before its neighbour was seen by another way. */
  int kept = 0;
  for (int k = 0; k < h->n_rim; k++)
    if (!h->facets[h->rim[k].facet].seen) h->rim[kept++] = h->rim[k];
  h->n_rim = kept;
}

/* The fan from p over the horizon; false where the horizon is no simple loop. */
static bool fan(builder *h, int p, int *list) {
  for (int k = 0; k < h->n_rim; k++) h->begins[h->rim[k].a] = h->begins[h->rim[k].b] = -1;
  for (int k = 0; k < h->n_rim; k++) {
    horizon *side = &h->rim[k];
    if (h->begins[side->a] >= 0 || !add_facet(h, side->a, side->b, p, &list[k])) return false;
    h->begins[side->a] = list[k];
    facet *beyond = &h->facets[side->facet];
    h->facets[list[k]].next[0] = side->facet;
    for (int j = 0; j < 3; j++)
      if (beyond->v[j] == side->b && beyond->v[(j + 1) % 3] == side->a) beyond->next[j] = list[k];
  }
  for (int k = 0; k < h->n_rim; k++) {
    int after = h->begins[h->rim[k].b];
    if (after < 0) return false;
    h->facets[list[k]].next[1] = after;
    h->facets[after].next[2] = list[k];
  }
  return true;
}

static bool add_point(builder *h, int p) {
  look(h, p, h->owner[p]);
  h->owner[p] = -1, h->outside[p] = 0;
  for (int i = 0; i < h->n; i++) /* orphans first: slots are used again below */
    if (h->owner[i] >= 0 && h->facets[h->owner[i]].seen) h->owner[i] = -2;
  for (int f = 0; f < h->n_facets; f++)
    if (h->facets[f].live && h->facets[f].seen) {
      h->facets[f].live = h->facets[f].seen = false;
      h->unused[h->n_unused++] = f;
    }
  if (!fan(h, p, h->stack)) return false;
  for (int i = 0; i < h->n; i++)
    if (h->owner[i] == -2) assign(h, i, h->stack, h->n_rim);
  return true;
}

static bool build(builder *h) {
  if (!first_facets(h)) return false;
  for (;;) {
    int far = -1;
    for (int i = 0; i < h->n; i++)
      if (h->owner[i] >= 0 && (far < 0 || h->outside[i] > h->outside[far])) far = i;
    if (far < 0) return true;
    if (!add_point(h, far)) return false;
  }
}

dls_status dls_hull(const dls_alloc *alloc, int n, const dls_vec3 *points, double eps, int *tri,
                    int *n_tri) {
  if (n < 4) return DLS_SINGULAR;
  size_t m = (size_t)n;
  builder h = {.n = n, .points = points, .eps = eps};
  h.facets = dls_new(alloc, 2 * m, sizeof *h.facets);
  h.rim = dls_new(alloc, 6 * m, sizeof *h.rim);
  h.outside = dls_new(alloc, m, sizeof *h.outside);
  int *ints = dls_new(alloc, 6 * m, sizeof *ints);
  dls_status status = h.facets && h.rim && h.outside && ints ? DLS_OK : DLS_NOMEM;
  if (!status) {
    h.unused = ints, h.stack = ints + 2 * m, h.begins = ints + 4 * m, h.owner = ints + 5 * m;
    if (!build(&h)) status = DLS_SINGULAR;
  }
  if (!status) {
    *n_tri = 0;
    for (int f = 0; f < h.n_facets; f++)
      if (h.facets[f].live) memcpy(tri + 3 * (size_t)(*n_tri)++, h.facets[f].v, 3 * sizeof(int));
  }
  dls_free(alloc, h.facets, 2 * m, sizeof *h.facets);
  dls_free(alloc, h.rim, 6 * m, sizeof *h.rim);
  dls_free(alloc, h.outside, m, sizeof *h.outside);
  dls_free(alloc, ints, 6 * m, sizeof *ints);
  return status;
}
