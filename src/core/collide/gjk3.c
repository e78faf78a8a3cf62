/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/separate3.h"

#define ROUNDS 100
#define CLOSE 1e-15 /* relative to |v|^2: no support point is nearer by more than this */

typedef struct simplex {
  int n;                   /* 1 to 4 points            */
  dls_vec3 w[4];           /* y - x                    */
  dls_vec3 x[4], y[4];     /* on a and on b            */
  double weight[4];        /* of the nearest point     */
} simplex;

/* Keeps the listed points with their weights. */
static dls_vec3 keep(simplex *s, int n, const int *list, const double *weight) {
  simplex t = *s;
  dls_vec3 v = {0, 0, 0};
  s->n = n;
  for (int k = 0; k < n; k++) {
    s->w[k] = t.w[list[k]], s->x[k] = t.x[list[k]], s->y[k] = t.y[list[k]];
    s->weight[k] = weight[k];
    v = dls_v3_axpy(v, weight[k], s->w[k]);
  }
  return v;
}

/* Nearest point to the origin on the part of the simplex with corners list: the best of all its
** faces whose nearest point is inside of them. At most 4 points, 15 faces. */
static bool inside_weights(const simplex *s, int n, const int *list, double *weight) {
  const dls_vec3 *w = s->w;
  dls_vec3 a = w[list[0]];
  if (n == 1) {
    weight[0] = 1;
    return true;
  }
  dls_vec3 e[3];
  for (int k = 1; k < n; k++) e[k - 1] = dls_v3_sub(w[list[k]], a);
  double t[3] = {0, 0, 0};
  if (n == 2) {
    double ee = dls_v3_dot(e[0], e[0]);
    if (!(ee > 0)) return false;
    t[0] = -dls_v3_dot(a, e[0]) / ee;
  } else if (n == 3) {
    dls_vec3 m = dls_v3_cross(e[0], e[1]);
    double mm = dls_v3_dot(m, m);
    if (!(mm > 1e-28 * dls_v3_dot(e[0], e[0]) * dls_v3_dot(e[1], e[1]))) return false;
    dls_vec3 o = dls_v3_neg(a);
    t[0] = dls_v3_dot(m, dls_v3_cross(o, e[1])) / mm;
    t[1] = dls_v3_dot(m, dls_v3_cross(e[0], o)) / mm;
  } else {
    dls_mat3 E = dls_m3_columns(e[0], e[1], e[2]), inverse;
    double size = dls_v3_norm(e[0]) * dls_v3_norm(e[1]) * dls_v3_norm(e[2]);
    if (!(fabs(dls_m3_det(&E)) > 1e-14 * size) || !dls_m3_inverse(&E, &inverse)) return false;
    dls_v3_store(t, dls_m3_apply(&inverse, dls_v3_neg(a)));
  }
  weight[0] = 1;
  for (int k = 1; k < n; k++) weight[k] = t[k - 1], weight[0] -= t[k - 1];
  for (int k = 0; k < n; k++)
    if (!(weight[k] >= 0)) return false;
  return true;
}

/* Reduces the simplex to the face that holds the point nearest to the origin. */
static dls_vec3 nearest(simplex *s) {
  int best_n = 0, best_list[4] = {0, 0, 0, 0};
  double best_weight[4] = {0, 0, 0, 0}, least = DLS_INF;
  for (int mask = 1; mask < 1 << s->n; mask++) {
    int list[4] = {0, 0, 0, 0}, n = 0;
    double weight[4] = {0, 0, 0, 0};
    for (int k = 0; k < s->n; k++)
      if (mask >> k & 1) list[n++] = k;
    if (!inside_weights(s, n, list, weight)) continue;
    dls_vec3 v = {0, 0, 0};
    for (int k = 0; k < n; k++) v = dls_v3_axpy(v, weight[k], s->w[list[k]]);
    double d = n == 4 ? 0 : dls_v3_dot(v, v);
    if (!(d < least)) continue;
    least = d, best_n = n;
    memcpy(best_list, list, sizeof list);
    memcpy(best_weight, weight, sizeof weight);
  }
  dls_vec3 v = keep(s, best_n, best_list, best_weight);
  return best_n == 4 ? dls_v3(0, 0, 0) : v;
}

bool dls_gjk3(const dls_body3 *a, const dls_body3 *b, dls_vec3 *x, dls_vec3 *y) {
  simplex s = {.n = 0};
  dls_vec3 v = dls_v3_sub(b->p, a->p);
  if (!(dls_v3_norm(v) > 0)) v = dls_v3(1, 0, 0);
  double size = a->shape->reach + b->shape->reach, before = DLS_INF;
  for (int round = 0; round < ROUNDS; round++) {
    dls_vec3 px = dls_body3_support(a, v), py = dls_body3_support(b, dls_v3_neg(v));
    dls_vec3 w = dls_v3_sub(py, px);
    double vv = dls_v3_dot(v, v);
    if (round > 0 && vv - dls_v3_dot(v, w) <= CLOSE * vv) break;
    bool known = false;
    for (int k = 0; k < s.n; k++) known = known || dls_v3_norm(dls_v3_sub(w, s.w[k])) == 0;
    if (known) break;
    simplex grown = s;
    grown.w[grown.n] = w, grown.x[grown.n] = px, grown.y[grown.n] = py, grown.n++;
    dls_vec3 nearer = nearest(&grown);
    double now = dls_v3_norm(nearer);
    if (!(now < before)) break; /* rounding: no progress */
    s = grown, v = nearer, before = now;
    if (now <= 1e-12 * size) return false;
  }
  *x = *y = dls_v3(0, 0, 0);
  for (int k = 0; k < s.n; k++) {
    *x = dls_v3_axpy(*x, s.weight[k], s.x[k]);
    *y = dls_v3_axpy(*y, s.weight[k], s.y[k]);
  }
  return true;
}
