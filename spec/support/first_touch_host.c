/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/box3.h"
#include "core/collide/first_touch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance.h"

/* Two bodies of space that tumble past or into each other: where dls_pursue says that they first touch, their distance (of
** dls_distance3, at poses made by dls_tumble_on) is none, and before that, or everywhere where it says that they do not, they
** are apart but for the dip by rotation that it is allowed to miss. Poses along a path are those of dls_tumble_on, and
** dls_apart3 is no more than the distance. Arguments: pairs, first seed. Prints what is wrong with its seed, and "ok" at the
** end. */

enum { SAMPLES = 300 };

static dls_vec3 random_unit(void) { return dls_v3_unit(dls_v3(within(1), within(1), 0.01 + within(1))); }

static dls_shape *make_shape(const dls_alloc *alloc) {
  dls_shape *shape = NULL;
  double points[3 * 9];
  const double size[3] = {between(0.05, 0.3), between(0.05, 0.3), between(0.05, 0.3)}, kind = uniform();
  dls_status status;
  for (int k = 0; k < 9; k++) dls_v3_store(points + 3 * k, dls_v3_scale(between(0.05, 0.2), random_unit()));
  if (kind < 0.5) status = dls_shape_box(alloc, 3, size, &shape, NULL);
  else if (kind < 0.8) status = dls_shape_convex(alloc, 9, points, &shape, NULL);
  else status = dls_shape_capsule(alloc, size[0], 2 * size[1], &shape, NULL);
  if (status != DLS_OK) exit(1);
  return shape;
}

/* A way of one leg or two, through a place near the origin in its middle. */
static dls_way make_way(const dls_shape *shape, double far, double *most) {
  static const double TURNS[] = {0, 0.01, 0.1, 0.3, 1, 3};
  dls_way way = dls_way_blank(shape, dls_v3(0, 0, 0), false, 0);
  double inverse[9] = {0};
  for (int k = 0; k < 3; k++) inverse[4 * k] = between(0.5, 1.5);
  const double turn = TURNS[(int)(6 * uniform())] * (0.5 + uniform());
  const dls_vec3 v = dls_v3_scale(far, random_unit());
  way.n = uniform() < 0.5 ? 1 : 2;
  dls_leg *leg = &way.leg[0];
  *leg = (dls_leg){.from = 0, .to = way.n == 1 ? 1 : 0.5, .v = v};
  leg->x = dls_v3_axpy(dls_v3_scale(0.15, random_unit()), -0.5, v);
  leg->turn = dls_q_unit((dls_quat){within(1), within(1), within(1), within(1)});
  way.tumble = dls_tumble_of(inverse);
  for (int k = 0; k < way.n; k++, leg++) {
    if (k > 0) {
      double angle;
      *leg = (dls_leg){.from = 0.5, .to = 1, .v = v};
      dls_way_at(&way, 0.5, &leg->x, &leg->turn, &angle);
    }
    if (!(turn > 0)) continue;
    leg->tumbles = true;
    leg->L = dls_v3_scale(turn, random_unit());
    leg->most = dls_tumble_most(&way.tumble, leg->turn, leg->L);
    dls_tumble_take_path(&way.tumble, leg->turn, leg->L, leg->to - leg->from, &way.path[way.n_paths]);
    leg->path = way.path[way.n_paths].n > 0 ? way.n_paths++ : -1;
  }
  *most = turn;
  return way;
}

/* The pose at s by compositions alone, in parts. */
static dls_pose3 pose_at(const dls_way *way, double s) {
  enum { PARTS = 16 };
  const dls_leg *leg = &way->leg[way->n > 1 && s > 0.5];
  const double t = s - leg->from;
  dls_quat turn = leg->turn;
  for (int k = 0; k < PARTS && leg->tumbles; k++) turn = dls_tumble_on(&way->tumble, turn, leg->L, t / PARTS);
  return (dls_pose3){dls_q_matrix(turn), dls_v3_axpy(leg->x, t, leg->v)};
}

static double gap_at(const dls_way *a, const dls_way *b, double s, double *lower) {
  const dls_pose3 A = pose_at(a, s), B = pose_at(b, s);
  dls_touch touch;
  if (!dls_distance3(a->shape, &A, b->shape, &B, &touch)) exit(1);
  *lower = dls_apart3(a->shape, &A, b->shape, &B);
  return touch.gap;
}

static double off(const dls_pose3 *a, const dls_pose3 *b) {
  double most = 0;
  for (int k = 0; k < 9; k++) most = dls_max(most, fabs(a->R.m[k] - b->R.m[k]));
  return most;
}

static int check_pair(const dls_alloc *alloc, int seed, int *touching) {
  state = (uint64_t)seed * 1000003u;
  for (int k = 0; k < 4; k++) uniform();
  dls_shape *x = make_shape(alloc), *y = make_shape(alloc);
  const double far = uniform() < 0.5 ? 0.05 : 0.5;
  double turn_a, turn_b, lower, least = DLS_INF;
  const dls_way a = make_way(x, far, &turn_a), b = make_way(y, far, &turn_b);
  dls_touch touch[64];
  uint64_t passed[8];
  dls_pursuit pair = {.a = &a, .b = &b, .touch = touch, .room = 64, .passed = passed, .passed_room = 8, .slack = DLS_INF,
                      .thickness = dls_min(x->narrowest, y->narrowest), .size = dls_min(x->reach, y->reach)};
  int bad = 0;
  if (gap_at(&a, &b, 0, &lower) > 1e-3) {
    const dls_pursued met = dls_pursue(&pair, 0, 1);
    const double end = met == DLS_PURSUED_TOUCH ? pair.at : 1, dip = 0.01 * pair.thickness;
    if (met == DLS_PURSUED_TOUCH) {
      ++*touching;
      const double gap = gap_at(&a, &b, end, &lower);
      if (pair.n < 1) bad = printf("seed %d: touches nowhere at %g\n", seed, end);
      const double most = end == 0.5 ? dip : 1e-8 * pair.size; /* where legs end it may have dipped in */
      if (!(gap <= 1e-8 * pair.size && gap >= -most)) bad = printf("seed %d: touches at %g, where the gap is %g m\n", seed, end, gap);
    }
    for (int k = 0; k < SAMPLES; k++) {
      const double gap = gap_at(&a, &b, end * k / SAMPLES, &lower);
      least = dls_min(least, gap);
      if (!(lower <= gap + 1e-12)) bad = printf("seed %d: apart by %g, not %g m\n", seed, gap, lower);
    }
    if (!(least >= -dip)) bad = printf("seed %d: an overlap of %g m before %g\n", seed, -least, end);
    const dls_pose3 is = dls_way_pose(&a, 0.7 * end), should = pose_at(&a, 0.7 * end);
    if (!(off(&is, &should) <= (turn_a > 0.5 ? 1e-9 : 1e-13)))
      bad = printf("seed %d: a pose is off by %g\n", seed, off(&is, &should));
  }
  dls_shape_drop(x);
  dls_shape_drop(y);
  return bad != 0;
}

int main(int argc, char **argv) {
  const dls_alloc alloc = dls_alloc_libc();
  const int pairs = argc > 1 ? atoi(argv[1]) : 2000, first = argc > 2 ? atoi(argv[2]) : 1;
  int bad = 0, touching = 0;
  for (int seed = first; seed < first + pairs && bad < 5; seed++) bad += check_pair(&alloc, seed, &touching);
  if (!bad && touching < pairs / 10) bad = printf("%d of %d pairs touch\n", touching, pairs);
  if (!bad) puts("ok");
  return bad > 0;
}
