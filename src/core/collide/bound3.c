/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/bound3.h"

/* The longest edge of a triangle is halved within three cuts, and at 1e-16 of the first nothing is
** left to find: 3 x 54 levels, on each of which one triangle waits. */
#define WAITING 164

typedef struct corner {
  dls_vec3 n, c; /* direction, unit; the point of C farthest against it */
} corner;

typedef struct triangle {
  corner v[3];   /* of a triangle on the difference of the two */
} triangle;

typedef struct hunt {
  const dls_body3 *a, *b;  /* the pair */
  dls_vec3 witness;        /* m: where the first triangle is looked for */
  double enough;           /* s that is looked for: more than this */
  dls_separation3 found;   /* one that has more                    */
  bool any;                /* whether there is one                 */
} hunt;

static corner look(hunt *f, dls_vec3 n) {
  const dls_vec3 x = dls_body3_support(f->a, n), y = dls_body3_support(f->b, dls_v3_neg(n));
  const corner v = {n, dls_v3_sub(y, x)};
  const double s = dls_v3_dot(n, v.c);
  if (s > f->enough && !f->any)
    f->found = (dls_separation3){s, n, x, y}, f->any = true;
  return v;
}

/* --- the value of the game -------------------------------------------------------------------- */

static double most(const double a[3]) { return dls_max(a[0], dls_max(a[1], a[2])); }

/* The least over w of max_i (1 - w) p_i + w q_i, at an end or where two of the lines cross. */
static double two(const double p[3], const double q[3]) {
  double least = dls_min(most(p), most(q));
  for (int i = 0; i < 3; i++) {
    const int j = i == 2 ? 0 : i + 1;
    const double from = p[i] - p[j], to = q[i] - q[j];
    if (!(from * to < 0)) continue;
    const double w = from / (from - to);
    const double at[3] = {(1 - w) * p[0] + w * q[0], (1 - w) * p[1] + w * q[1],
                          (1 - w) * p[2] + w * q[2]};
    least = dls_min(least, most(at));
  }
  return least;
}

/* Of three columns: where they meet evenly, if that is a mixture. */
static double three(double p[3][3]) {
  const dls_vec3 d = {p[0][0] - p[0][1], p[1][0] - p[1][1], p[2][0] - p[2][1]};
  const dls_vec3 e = {p[0][0] - p[0][2], p[1][0] - p[1][2], p[2][0] - p[2][2]};
  const dls_vec3 w = dls_v3_cross(d, e);
  const double sum = w.x + w.y + w.z;
  if (!(w.x * sum > 0 && w.y * sum > 0 && w.z * sum > 0)) return DLS_INF;
  double at[3];
  for (int i = 0; i < 3; i++) at[i] = (w.x * p[0][i] + w.y * p[1][i] + w.z * p[2][i]) / sum;
  return most(at);
}

/* Whether no direction of the triangle separates by more than enough. */
static bool settled(const hunt *f, const triangle *t) {
  double p[3][3], q[3]; /* column j: n_i . c_j over i; of the witness */
  const dls_vec3 e = dls_v3_sub(t->v[1].n, t->v[0].n), g = dls_v3_sub(t->v[2].n, t->v[0].n);
  const dls_vec3 across = dls_v3_cross(e, g);
  /* Above zero what counts is V / r <= enough. */
  double enough = f->enough;
  if (enough > 0) enough *= fabs(dls_v3_dot(t->v[0].n, across)) / dls_v3_norm(across);
  for (int i = 0; i < 3; i++) q[i] = dls_v3_dot(t->v[i].n, f->witness);
  if (most(q) <= enough) return true;
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) p[j][i] = dls_v3_dot(t->v[i].n, t->v[j].c);
    if (most(p[j]) <= enough) return true;
  }
  for (int j = 0; j < 3; j++)
    if (two(p[j], p[j == 2 ? 0 : j + 1]) <= enough || two(p[j], q) <= enough) return true;
  return three(p) <= enough;
}

/* Of the edge k: how much its ends disagree, (n_i - n_j) . (c_j - c_i) >= 0: where none do, V is
** the largest s of the three. Where V / r is looked at, its length. */
static double edge(const hunt *f, const triangle *t, int k) {
  const corner *i = &t->v[k], *j = &t->v[k == 2 ? 0 : k + 1];
  const dls_vec3 d = dls_v3_sub(i->n, j->n);
  return dls_v3_dot(d, f->enough > 0 ? d : dls_v3_sub(j->c, i->c));
}

/* Whether the corner can be reckoned with: squares of its numbers are numbers. */
static bool is_sound(const corner *c) {
  return dls_is_finite(dls_v3_dot(c->c, c->c)) && dls_is_finite(dls_v3_dot(c->n, c->n));
}

static bool search(hunt *f, triangle first) {
  triangle wait[WAITING];
  int n = 0;
  wait[n++] = first;
  while (n > 0) {
    const triangle t = wait[--n];
    if (settled(f, &t)) continue;
    int k = edge(f, &t, 1) > edge(f, &t, 0) ? 1 : 0;
    if (edge(f, &t, 2) > edge(f, &t, k)) k = 2;
    const int i = k, j = k == 2 ? 0 : k + 1;
    const corner m = look(f, dls_v3_unit(dls_v3_add(t.v[i].n, t.v[j].n)));
    if (f->any) return false;
    if (!is_sound(&m)) return true;
    if (n + 2 > WAITING) continue; /* below the last digit */
    wait[n] = t, wait[n++].v[i] = m;
    wait[n] = t, wait[n++].v[j] = m;
  }
  return true;
}

bool dls_bound3(const dls_body3 *a, const dls_body3 *b, dls_vec3 front, dls_vec3 witness,
                double tolerance, dls_separation3 *best) {
  hunt f = {a, b, witness, best->value + tolerance, *best, false};
  corner pole[6];
  /* The triangles of the half sphere that the front allows end at its edge: none reaches behind
  ** it. */
  const bool half = dls_v3_dot(front, front) > 0;
  const dls_vec3 top = half ? front : best->n, e = dls_v3_orthogonal(top), g = dls_v3_cross(top, e);
  const dls_vec3 axis[3] = {half ? g : top, e, half ? top : g};
  /* Beyond the range of numbers nothing is proven, and nothing found. */
  if (!dls_is_finite(f.enough) || !dls_is_finite(dls_v3_dot(witness, witness))) return true;
  for (int k = 0; k < (half ? 5 : 6) && !f.any; k++)
    pole[k] = look(&f, dls_v3_scale(k < 3 ? 1 : -1, axis[k % 3]));
  for (int k = 0; k < (half ? 4 : 8) && !f.any; k++) {
    const triangle t = {{pole[k & 1 ? 3 : 0], pole[k & 2 ? 4 : 1], pole[k & 4 ? 5 : 2]}};
    for (int i = 0; i < 3; i++)
      if (!is_sound(&t.v[i])) return true;
    if (!search(&f, t)) break;
  }
  if (f.any) *best = f.found;
  return !f.any;
}
