/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/collide/collide.h"

int separation_plane(int pairs, int first);

/* The plane's counterpart of separation_host.c: contacts of pairs against the largest separation of supports over all
** angles, against the depth below a plane, against the way to the shell of a drum. Prints what is wrong
** with its seed; answers how many are. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double between(double a, double b) { return a + (b - a) * uniform(); }
static double noise(void) { return uniform() < 0.4 ? 0 : pow(10, between(-12, -2)); }

enum { DISK, CAPSULE, BOX, POLYGON, SEGMENT, N_KINDS };
static const char *const names[] = {"disk", "capsule", "box", "polygon", "segment"};
enum { MOST = 16 };

/* The hull of n points and what is within r of it. */
typedef struct body {
  int n;
  double r, size, angle;
  dls_vec2 p[MOST];
  dls_shape *shape;
  dls_pose2 pose;
} body;

static body make(const dls_alloc *alloc, int kind) {
  body b = {.n = 1};
  dls_status status = DLS_OK;
  const double l = between(0.02, 0.4), r = between(0.03, 0.3);
  b.size = dls_min(l, r);
  if (kind == DISK) b.r = r, status = dls_shape_disk(alloc, r, &b.shape, NULL);
  if (kind == CAPSULE || kind == SEGMENT) b.n = 2, b.p[0] = dls_v2(-l, 0), b.p[1] = dls_v2(l, 0);
  if (kind == CAPSULE) b.r = r, status = dls_shape_capsule(alloc, r, 2 * l, &b.shape, NULL);
  if (kind == SEGMENT) {
    const double from[2] = {-l, 0}, to[2] = {l, 0};
    status = dls_shape_segment(alloc, from, to, &b.shape, NULL);
  }
  if (kind == BOX) {
    const double s[2] = {2 * l, 2 * r};
    b.n = 4;
    for (int i = 0; i < 4; i++) b.p[i] = dls_v2(i & 1 ? l : -l, i & 2 ? r : -r);
    status = dls_shape_box(alloc, 2, s, &b.shape, NULL);
  }
  if (kind == POLYGON) { /* on an ellipse: convex whatever the angles */
    double x[2 * MOST], t = 0;
    b.n = 3 + (int)(9 * uniform());
    for (int i = 0; i < b.n; i++) {
      t += 2 * DLS_PI / b.n * between(0.7, 1);
      b.p[i] = dls_v2(l * cos(t), r * sin(t));
      x[2 * i] = b.p[i].x, x[2 * i + 1] = b.p[i].y;
    }
    b.size *= 0.2;
    status = dls_shape_polygon(alloc, b.n, x, &b.shape, NULL);
  }
  if (status) printf("cannot make a %s\n", names[kind]), exit(1);
  return b;
}

static void turn(body *b, double angle) { b->angle = angle, b->pose.c = cos(angle), b->pose.s = sin(angle); }

static dls_vec2 farthest(const body *b, dls_vec2 n) {
  dls_vec2 best = dls_pose2_apply(&b->pose, b->p[0]);
  for (int i = 1; i < b->n; i++) {
    const dls_vec2 p = dls_pose2_apply(&b->pose, b->p[i]);
    if (dls_v2_dot(n, p) > dls_v2_dot(n, best)) best = p;
  }
  return dls_v2_axpy(best, b->r, n);
}

static double separation(const body *a, const body *b, dls_vec2 n) {
  return dls_v2_dot(n, dls_v2_sub(farthest(b, dls_v2_neg(n)), farthest(a, n)));
}

static double at(const body *a, const body *b, double t) { return separation(a, b, dls_v2(cos(t), sin(t))); }

/* Between two samples s is a minimum of sinusoids: golden section around each sample that is not below its neighbours. */
static double largest(const body *a, const body *b) {
  enum { SAMPLES = 720 };
  double s[SAMPLES], best = -DLS_INF;
  const double width = 2 * DLS_PI / SAMPLES, share = 0.5 * (sqrt(5) - 1);
  for (int k = 0; k < SAMPLES; k++) s[k] = at(a, b, k * width), best = dls_max(best, s[k]);
  const double near = best - 0.02;
  for (int k = 0; k < SAMPLES; k++) {
    if (s[k] < near || s[k] < s[(k + 1) % SAMPLES] || s[k] < s[(k + SAMPLES - 1) % SAMPLES]) continue;
    double lo = (k - 1) * width, hi = (k + 1) * width;
    for (int i = 0; i < 60; i++) {
      const double one = hi - share * (hi - lo), two = lo + share * (hi - lo), f = at(a, b, one), g = at(a, b, two);
      best = dls_max(best, dls_max(f, g));
      if (f > g) hi = two;
      else lo = one;
    }
  }
  /* Sides: where sinusoids cross. */
  for (int k = 0; k < 2; k++) {
    const body *o = k == 0 ? a : b;
    for (int i = 0; i < o->n && o->n > 1; i++)
      for (int j = 0; j < i; j++) {
        const dls_vec2 d = dls_pose2_turn(&o->pose, dls_v2_sub(o->p[i], o->p[j]));
        const dls_vec2 n = dls_v2_scale(1 / dls_v2_norm(d), dls_v2_left(d));
        best = dls_max(best, dls_max(separation(a, b, n), separation(a, b, dls_v2_neg(n))));
      }
  }
  return best;
}

/* Flat bodies that slide past each other: a side of one is level with the other's corner. Such pairs have a distance,
** and no contact (core2.c). */
static bool level(const body *a, const body *b) {
  for (int k = 0; k < 2; k++) {
    const body *o = k == 0 ? a : b;
    for (int i = 0; i < o->n && a->r + b->r <= 0; i++) {
      const dls_vec2 d = dls_pose2_turn(&o->pose, dls_v2_sub(o->p[o->n == 4 ? i ^ (i & 1 ? 2 : 1) : (i + 1) % o->n], o->p[i]));
      const dls_vec2 n = dls_v2_scale(1 / dls_v2_norm(d), dls_v2_left(d));
      if (dls_min(fabs(separation(a, b, n)), fabs(separation(a, b, dls_v2_neg(n)))) <= 2e-9) return true;
    }
  }
  return false;
}

static double gap_wanted(void) {
  if (uniform() < 0.5) return between(0, 5e-3);
  return uniform() < 0.5 ? -between(0, 5e-3) : -pow(10, between(-9, -2));
}

/* The least gap of the contacts; none of them below what any of their normals proves. */
static double told(const dls_shape *a, const dls_pose2 *A, const dls_shape *b, const dls_pose2 *B, double margin, double *distance) {
  dls_touch touch[64], near = {.gap = DLS_INF};
  const int count = dls_collide2(a, A, b, B, margin, touch, 64);
  double least = DLS_INF;
  for (int k = 0; k < count; k++) least = dls_min(least, touch[k].gap);
  dls_distance2(a, A, b, B, &near);
  *distance = near.gap;
  return least;
}

static int judge(const char *one, const char *two, int seed, double right, double least, double distance, double size) {
  if (dls_max(fabs(least - right), fabs(distance - right)) <= 1e-6 * size) return 0;
  printf("%s, %s, seed %d: separation %.12g, least gap %.12g, distance %.12g (size %.3g)\n", one, two, seed, right, least,
         distance, size);
  return 1;
}

static int check_pair(const dls_alloc *alloc, int i, int j, int seed) {
  body a = make(alloc, i), b = make(alloc, j);
  turn(&a, between(-4, 4));
  turn(&b, uniform() < 0.4 ? between(-4, 4) : a.angle + DLS_PI / 2 * (int)(4 * uniform()) + noise());
  const double t = uniform() < 0.4 ? between(-4, 4) : a.angle + DLS_PI / 2 * (int)(4 * uniform()) + noise();
  const dls_vec2 n = {cos(t), sin(t)};
  a.pose.x = between(-1, 1), a.pose.y = between(-1, 1), b.pose.x = b.pose.y = 0;
  const dls_vec2 x = farthest(&a, n), y = farthest(&b, dls_v2_neg(n));
  const double gap = gap_wanted(), aside = uniform() < 0.5 ? 0 : between(-0.3, 0.3);
  b.pose.x = x.x - y.x + gap * n.x - aside * n.y, b.pose.y = x.y - y.y + gap * n.y + aside * n.x;
  const double right = largest(&a, &b);
  double distance, least = told(a.shape, &a.pose, b.shape, &b.pose, dls_max(right, 0) + 0.01, &distance);
  if (least == DLS_INF && right > 0 && level(&a, &b)) least = distance;
  const int bad = judge(names[i], names[j], seed, right, least, distance, dls_min(a.size, b.size));
  dls_shape_drop(a.shape), dls_shape_drop(b.shape);
  return bad;
}

/* A half plane; the shell of a drum. */
static int check_wall(const dls_alloc *alloc, int j, bool drum, int seed) {
  body b = make(alloc, j);
  dls_shape *wall;
  const double t = between(-4, 4), R = between(1, 2);
  const double normal[3] = {cos(t), sin(t), 0};
  if (drum ? dls_shape_drum(alloc, R, 0, NULL, false, &wall, NULL) : dls_shape_plane(alloc, normal, between(-1, 1), &wall, NULL)) exit(1);
  const double own = between(-4, 4);
  const dls_pose2 pose = {between(-1, 1), between(-1, 1), cos(own), sin(own)};
  const dls_vec2 n = dls_pose2_turn(&pose, dls_v2(normal[0], normal[1]));
  turn(&b, uniform() < 0.4 ? between(-4, 4) : own + t + DLS_PI / 2 * (int)(4 * uniform()) + noise());
  double right = DLS_INF, offset = wall->offset;
  b.pose.x = b.pose.y = 0;
  const dls_vec2 y = farthest(&b, dls_v2_neg(n));
  const double gap = gap_wanted(), base = drum ? -R : offset;
  b.pose.x = pose.x + (base + gap) * n.x - y.x, b.pose.y = pose.y + (base + gap) * n.y - y.y;
  for (int i = 0; i < b.n; i++) {
    const dls_vec2 p = dls_pose2_apply(&b.pose, b.p[i]), d = {p.x - pose.x, p.y - pose.y};
    right = dls_min(right, (drum ? R - hypot(d.x, d.y) : dls_v2_dot(n, d) - offset) - b.r);
  }
  double distance, least = told(wall, &pose, b.shape, &b.pose, dls_max(right, 0) + 0.01, &distance);
  const int bad = judge(drum ? "drum" : "plane", names[j], seed, right, least, distance, b.size);
  dls_shape_drop(wall), dls_shape_drop(b.shape);
  return bad;
}

int separation_plane(int pairs, int first) {
  const dls_alloc alloc = dls_alloc_libc();
  int wrong = 0;
  for (int i = 0; i < N_KINDS + 2; i++)
    for (int j = 0; j < N_KINDS; j++) {
      if (j == SEGMENT && i >= SEGMENT) continue; /* neither has an inside */
      int bad = 0;
      for (int seed = first; seed < first + pairs && bad < 5; seed++) {
        state = (uint64_t)seed * 1000003u + (uint64_t)(100 * i + j);
        for (int k = 0; k < 4; k++) uniform();
        bad += i < N_KINDS ? check_pair(&alloc, i, j, seed) : check_wall(&alloc, j, i > N_KINDS, seed);
      }
      wrong += bad;
    }
  return wrong;
}
