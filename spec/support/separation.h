/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SPEC_SEPARATION_H
#define DLS_SPEC_SEPARATION_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collide/collide.h"
#include "chance.h"

/* Random convex bodies of space, supports of their own, and the largest separation of two of them over all directions,
** searched for from many starts. The search can only miss from below. */
static dls_vec3 random_unit(void) {
  for (;;) {
    dls_vec3 v = {within(1), within(1), within(1)};
    const double r = dls_v3_norm(v);
    if (r > 0.1 && r <= 1) return dls_v3_scale(1 / r, v);
  }
}
static dls_mat3 frame_of(dls_vec3 u, double turn) {
  const dls_vec3 e = dls_v3_orthogonal(u), g = dls_v3_cross(u, e);
  const dls_vec3 y = dls_v3_axpy(dls_v3_scale(cos(turn), e), sin(turn), g);
  return dls_m3_columns(u, y, dls_v3_cross(u, y));
}

/* --- convex bodies ------------------------------------------------------------------------------------- */

enum { SPHERE, CAPSULE, CYLINDER, CONE, BOX, CONVEX, ELLIPSOID, N_KINDS };
static const char *const names[] = {"sphere", "capsule", "cylinder", "cone", "box", "convex", "ellipsoid"};
enum { MOST = 16 };

typedef struct body {
  int kind, n;
  double r1, r2, h;    /* radii, half length, m            */
  dls_vec3 p[MOST];    /* corners; of an ellipsoid the semi-axes along its own, and n = 0 */
  dls_shape *shape;
  dls_pose3 pose;
  double size;         /* m: least of its measures         */
} body;

static void fail(const char *what) {
  printf("cannot make a %s\n", what);
  exit(1);
}

static body make(const dls_alloc *alloc, int kind) {
  body b = {.kind = kind};
  dls_status status = DLS_OK;
  b.r1 = between(0.03, 0.3), b.r2 = b.r1, b.h = between(0.03, 0.4);
  b.size = dls_min(2 * b.r1, 2 * b.h);
  if (kind == SPHERE) status = dls_shape_sphere(alloc, b.r1, &b.shape, NULL), b.h = 0, b.size = 2 * b.r1;
  if (kind == CAPSULE) status = dls_shape_capsule(alloc, b.r1, 2 * b.h, &b.shape, NULL), b.size = 2 * b.r1;
  if (kind == CYLINDER) status = dls_shape_cylinder(alloc, b.r1, 2 * b.h, &b.shape, NULL);
  if (kind == CONE) {
    b.r2 = uniform() < 0.1 ? 0 : uniform() < 0.3 ? b.r1 * between(0.9, 1.1) : between(0, 0.3);
    b.size = dls_min(2 * dls_max(b.r1, b.r2), 2 * b.h);
    status = dls_shape_cone(alloc, b.r1, b.r2, 2 * b.h, &b.shape, NULL);
  }
  if (kind == BOX) {
    const double s[3] = {between(0.05, 0.6), between(0.05, 0.6), between(0.05, 0.6)};
    b.size = dls_min(s[0], dls_min(s[1], s[2]));
    for (b.n = 0; b.n < 8; b.n++)
      b.p[b.n] = dls_v3(b.n & 1 ? s[0] / 2 : -s[0] / 2, b.n & 2 ? s[1] / 2 : -s[1] / 2, b.n & 4 ? s[2] / 2 : -s[2] / 2);
    status = dls_shape_box(alloc, 3, s, &b.shape, NULL);
  }
  if (kind == CONVEX) {
    double x[3 * MOST];
    b.n = 4 + (int)(12 * uniform());
    for (int i = 0; i < 3 * b.n; i++) x[i] = within(0.3);
    for (int i = 0; i < b.n; i++) b.p[i] = dls_v3_load(x + 3 * i);
    b.size = 0.1;
    status = dls_shape_convex(alloc, b.n, x, &b.shape, NULL);
  }
  if (kind == ELLIPSOID) { /* also of revolution, and nearly flat or thin */
    const double r[3] = {b.r1, uniform() < 0.2 ? b.r1 : between(0.03, 0.3), uniform() < 0.2 ? b.r1 : between(0.02, 0.4)};
    b.p[0] = dls_v3_load(r), b.size = 2 * dls_min(r[0], dls_min(r[1], r[2]));
    status = dls_shape_ellipsoid(alloc, r, &b.shape, NULL);
  }
  if (status) fail(names[kind]);
  return b;
}

static dls_vec3 farthest(const body *b, dls_vec3 n) {
  const dls_vec3 d = dls_m3_apply_t(&b->pose.R, n);
  dls_vec3 q = {0, 0, 0};
  if (b->kind == ELLIPSOID) {
    const double r[3] = {b->p[0].x, b->p[0].y, b->p[0].z}, x[3] = {d.x, d.y, d.z};
    double sum = 0, at[3];
    for (int k = 0; k < 3; k++) sum += r[k] * r[k] * x[k] * x[k];
    for (int k = 0; k < 3; k++) at[k] = r[k] * r[k] * x[k] / sqrt(sum);
    q = dls_v3_load(at);
  } else if (b->kind >= BOX) {
    double most = -DLS_INF;
    for (int i = 0; i < b->n; i++)
      if (dls_v3_dot(d, b->p[i]) > most) most = dls_v3_dot(d, b->p[i]), q = b->p[i];
  } else if (b->kind <= CAPSULE) {
    q = dls_v3_axpy(dls_v3(d.x > 0 ? b->h : -b->h, 0, 0), b->r1, d);
  } else {
    const double across = hypot(d.y, d.z), y = across > 0 ? d.y / across : 1, z = across > 0 ? d.z / across : 0;
    const bool far = b->h * d.x + b->r2 * across > -b->h * d.x + b->r1 * across;
    const double r = far ? b->r2 : b->r1;
    q = dls_v3(far ? b->h : -b->h, r * y, r * z);
  }
  return dls_pose3_apply(&b->pose, q);
}

static double separation(const body *a, const body *b, dls_vec3 n) {
  return dls_v3_dot(n, dls_v3_sub(farthest(b, dls_v3_neg(n)), farthest(a, n)));
}

/* --- the largest separation -------------------------------------------------------------------------------- */

enum { STARTS = 300, CLIMBS = 8, TRIALS = 220 };

typedef struct look {
  dls_vec3 n;
  double s;
} look;

/* Random steps on the sphere, longer after a gain, shorter after none. */
static look climb(const body *a, const body *b, look best) {
  double step = 0.1;
  for (int k = 0; k < TRIALS && step > 1e-9; k++) {
    const dls_vec3 e = dls_v3_orthogonal(best.n), g = dls_v3_cross(best.n, e);
    const double turn = 2 * DLS_PI * uniform();
    for (int side = -1; side <= 1; side += 2) {
      const dls_vec3 d = dls_v3_axpy(dls_v3_scale(cos(turn), e), sin(turn), g);
      const dls_vec3 n = dls_v3_unit(dls_v3_axpy(best.n, side * step, d));
      const double s = separation(a, b, n);
      if (s > best.s) {
        best = (look){n, s}, step *= 2;
        break;
      }
      if (side == 1) step *= 0.7;
    }
  }
  return best;
}

static void keep(look top[CLIMBS], look one) {
  int at = CLIMBS;
  for (int k = 0; k < CLIMBS; k++) {
    if (dls_v3_dot(top[k].n, one.n) < 0.97) continue;
    if (one.s <= top[k].s) return;
    at = k + 1; /* the same hill: moves up from there */
    break;
  }
  if (at == CLIMBS && one.s <= top[CLIMBS - 1].s) return;
  int k = at - 1;
  for (; k > 0 && top[k - 1].s < one.s; k--) top[k] = top[k - 1];
  top[k] = one;
}

static double largest(const body *a, const body *b, dls_vec3 hint) {
  look top[CLIMBS];
  for (int k = 0; k < CLIMBS; k++) top[k] = (look){{0, 0, 0}, -DLS_INF};
  const double golden = DLS_PI * (3 - sqrt(5));
  for (int k = 0; k < STARTS; k++) {
    const double z = 1 - (2 * k + 1.0) / STARTS, r = sqrt(1 - z * z);
    const dls_vec3 n = {r * cos(golden * k), r * sin(golden * k), z};
    keep(top, (look){n, separation(a, b, n)});
  }
  for (int k = 0; k < 6; k++) {
    const body *own = k < 3 ? a : b;
    for (int sign = -1; sign <= 1; sign += 2) {
      const dls_vec3 n = dls_v3_scale(sign, dls_m3_column(&own->pose.R, k % 3));
      keep(top, (look){n, separation(a, b, n)});
    }
  }
  keep(top, (look){hint, separation(a, b, hint)});
  double best = -DLS_INF;
  for (int k = 0; k < CLIMBS; k++)
    if (top[k].s > -DLS_INF && top[k].s > top[0].s - 0.05) best = dls_max(best, climb(a, b, top[k]).s);
  return best;
}

static double noise(void) { return uniform() < 0.4 ? 0 : pow(10, between(-12, -2)); }

static dls_vec3 near_to(dls_vec3 n) { return dls_v3_unit(dls_v3_axpy(n, noise(), random_unit())); }

static double gap_wanted(void) {
  if (uniform() < 0.5) return between(0, 5e-3);
  return uniform() < 0.5 ? -between(0, 5e-3) : -pow(10, between(-9, -2));
}

/* Stands b at a separation of `gap` along n, with its farthest point before that of a, then to the side. */
static void place(const body *a, body *b, dls_vec3 n, double gap, double aside) {
  b->pose.p = dls_v3(0, 0, 0);
  const dls_vec3 x = farthest(a, n), y = farthest(b, dls_v3_neg(n)), e = dls_v3_orthogonal(n);
  b->pose.p = dls_v3_axpy(dls_v3_sub(x, y), gap, n);
  const double turn = 2 * DLS_PI * uniform();
  b->pose.p = dls_v3_axpy(b->pose.p, aside * cos(turn), e);
  b->pose.p = dls_v3_axpy(b->pose.p, aside * sin(turn), dls_v3_cross(n, e));
}

/* What contacts are told: the least gap; -infinity where a contact is not what it says. */
typedef struct told {
  int n;
  dls_touch touch[256], near;
  double least;
} told;

static void ask(const dls_shape *a, const dls_pose3 *A, const dls_shape *b, const dls_pose3 *B, double margin, told *t) {
  t->n = dls_collide3(a, A, b, B, margin, t->touch, 256);
  t->least = DLS_INF;
  for (int k = 0; k < t->n; k++) {
    const dls_touch *c = &t->touch[k];
    const double gap = dls_v3_dot(c->normal, dls_v3_sub(c->point_b, c->point_a));
    if (!(fabs(gap - c->gap) <= 1e-12 && fabs(dls_v3_norm(c->normal) - 1) <= 1e-12)) t->least = -DLS_INF;
    t->least = dls_min(t->least, c->gap);
  }
  t->near.gap = DLS_INF;
  dls_distance3(a, A, b, B, &t->near);
}

static int judge(const char *one, const char *two, int seed, double right, const told *t, double size) {
  if (dls_max(fabs(t->least - right), fabs(t->near.gap - right)) <= 1e-6 * size) return 0;
  printf("%s, %s, seed %d: separation %.12g, %d contacts, least gap %.12g, distance %.12g (size %.3g)\n", one, two, seed,
         right, t->n, t->least, t->near.gap, size);
  return 1;
}

/* How many of the points told of a body lie outside of it, beyond 1e-3 of its size. */
static int off_points(const char *one, const char *two, int seed, const body *own, bool first, const told *t) {
  for (int k = 0; k < t->n; k++) {
    body point = {.kind = SPHERE}; /* of no radius */
    point.pose = (dls_pose3){dls_m3_identity(), first ? t->touch[k].point_a : t->touch[k].point_b};
    const double out = largest(own, &point, dls_v3_scale(first ? 1 : -1, t->touch[k].normal));
    if (out <= 1e-3 * own->size) continue;
    printf("%s, %s, seed %d: point %d of the %s lies %.3g m outside of it (size %.3g)\n", one, two, seed, k,
           names[own->kind], out, own->size);
    return 1;
  }
  return 0;
}

#endif
