/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/box3.h"
#include "core/collide/stretch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chance.h"

/* Bodies that one carries the other: on the way that dls_stretch_together names two of them come nearer by no more than the gap
** it was asked for, by dls_distance3 all along it, nor were points that meet on it farther apart. Their fastest points and their curve are measured here. Arguments: seeds,
** the first. Prints what is wrong with its seed, and "ok" at the end. */

enum { SAMPLES = 100, GRID = 400, MOST = 5 };

static dls_vec3 random_unit(void) { return dls_v3_unit(dls_v3(within(1), within(1), 0.01 + within(1))); }

static dls_shape *make_shape(const dls_alloc *alloc) {
  dls_shape *shape = NULL;
  const double size[3] = {between(0.05, 0.3), between(0.05, 0.3), between(0.05, 0.3)};
  const dls_status status = uniform() < 0.5 ? dls_shape_box(alloc, 3, size, &shape, NULL)
                                            : dls_shape_capsule(alloc, 0.5 * size[0], 2 * size[1], &shape, NULL);
  if (status != DLS_OK) exit(1);
  return shape;
}

/* How fast points of a body go at most, and how much their ways bend, by differences on a grid. */
static void measure(const dls_way *way, dls_leg *leg) {
  const double dt = 1.0 / GRID, reach = way->shape->reach;
  dls_vec3 v_before = dls_v3(0, 0, 0), w_before = dls_v3(0, 0, 0);
  leg->fastest = leg->curve = 0;
  for (int k = 0; k <= GRID - 1; k++) {
    dls_vec3 x[2];
    dls_quat q[2];
    double angle;
    dls_way_at(way, k * dt, &x[0], &q[0], &angle);
    dls_way_at(way, (k + 1) * dt, &x[1], &q[1], &angle);
    const dls_mat3 R = dls_q_matrix(q[0]), S = dls_q_matrix(q[1]), turn = dls_m3_mul_t(&S, &R);
    const dls_vec3 v = dls_v3_scale(1 / dt, dls_v3_sub(x[1], x[0]));
    const dls_vec3 w = dls_v3_scale(0.5 / dt, dls_v3(turn.m[7] - turn.m[5], turn.m[2] - turn.m[6], turn.m[3] - turn.m[1]));
    leg->fastest = dls_max(leg->fastest, 1.05 * (dls_v3_norm(v) + dls_v3_norm(w) * reach));
    if (k > 0) {
      const double linear = dls_v3_norm(dls_v3_sub(v, v_before)) / dt, angular = dls_v3_norm(dls_v3_sub(w, w_before)) / dt;
      leg->curve = dls_max(leg->curve, 1.05 * (linear + (angular + dls_v3_dot(w, w)) * reach));
    }
    v_before = v, w_before = w;
  }
}

static double gap_at(const dls_way *a, const dls_way *b, double s) {
  const dls_pose3 A = dls_way_pose(a, s), B = dls_way_pose(b, s);
  dls_touch touch;
  if (!dls_distance3(a->shape, &A, b->shape, &B, &touch)) exit(1);
  return touch.gap;
}

/* Where the point of a body that is at p when it has pose `then` is when it has pose `now`. */
static dls_vec3 point_at(const dls_pose3 *then, const dls_pose3 *now, dls_vec3 p) {
  return dls_v3_add(now->p, dls_m3_apply(&now->R, dls_m3_apply_t(&then->R, dls_v3_sub(p, then->p))));
}

/* How far apart points were at s that come to one place at `end`, within the reach of both bodies: the most of some. */
static double apart_before(const dls_way *a, const dls_way *b, double s, double end) {
  const dls_pose3 A = dls_way_pose(a, s), B = dls_way_pose(b, s), A_end = dls_way_pose(a, end), B_end = dls_way_pose(b, end);
  const bool first = a->shape->reach <= b->shape->reach;
  double most = 0;
  for (int k = 0; k < 20; k++) {
    const dls_vec3 p = dls_v3_axpy(first ? A_end.p : B_end.p, first ? a->shape->reach : b->shape->reach, random_unit());
    if (dls_v3_norm(dls_v3_sub(p, first ? B_end.p : A_end.p)) > (first ? b->shape->reach : a->shape->reach)) continue;
    most = dls_max(most, dls_v3_norm(dls_v3_sub(point_at(&A_end, &A, p), point_at(&B_end, &B, p))));
  }
  return most;
}

static int check(const dls_alloc *alloc, int seed, int *longer) {
  dls_hung all[MOST];
  state = (uint64_t)seed * 1000003u;
  for (int k = 0; k < 4; k++) uniform();
  const int n = 2 + (int)(uniform() * (MOST - 1));
  const double far = (double[]){0.1, 1, 12}[(int)(3 * uniform())];
  for (int i = 0; i < n; i++)
    all[i] = (dls_hung){.carrier = i - 1, .from = dls_v3_scale(0.2 * uniform(), random_unit()), .go = dls_v3_scale(far * uniform() * (i == 0), random_unit()),
                        .turning = dls_v3_scale(far * uniform() * uniform(), random_unit()), .arm = dls_v3_scale(0.2 * uniform(), random_unit()),
                        .turn = dls_q_unit((dls_quat){within(1), within(1), within(1), within(1)})};
  dls_shape *shape[2] = {make_shape(alloc), make_shape(alloc)};
  dls_way way[2];
  const int which[2] = {(int)(uniform() * (n - 1)), n - 1};
  for (int k = 0; k < 2; k++) {
    way[k] = dls_way_blank(shape[k], dls_v3(0, 0, 0), false, which[k]);
    way[k].n = 1;
    way[k].leg[0] = (dls_leg){.from = 0, .to = 1, .hung = all, .span = 1, .path = -1};
    measure(&way[k], &way[k].leg[0]);
  }
  dls_pursuit pair = {.a = &way[0], .b = &way[1], .thickness = dls_min(shape[0]->narrowest, shape[1]->narrowest)};
  const double s = 0.8 * uniform(), gap = exp(between(log(1e-4), log(0.3))), step = 5e-3 * uniform() * (1 - s);
  const dls_stretch now = dls_stretch_at(&pair, s);
  const double way_on = dls_stretch_together(&pair, &now, s, 1, gap, step), first = gap_at(&way[0], &way[1], s);
  int bad = 0;
  if (!(way_on >= step && s + way_on <= 1 + 1e-12)) bad = printf("seed %d: a way of %g from %g\n", seed, way_on, s);
  *longer += way_on > 2 * step && way_on > 2 * gap / now.all;
  for (int k = 1; k <= SAMPLES && way_on > step; k++) {
    const double at = dls_min(1, s + way_on * k / SAMPLES), then = gap_at(&way[0], &way[1], at);
    const double apart = apart_before(&way[0], &way[1], s, at);
    if (!(apart <= gap * (1 + 1e-6))) bad = printf("seed %d: points that meet were %g m apart, not %g\n", seed, apart, gap);
    if (!(first - then <= gap * (1 + 1e-6))) bad = printf("seed %d: nearer by %g m, not %g\n", seed, first - then, gap);
  }
  for (int k = 0; k < 2; k++) dls_shape_drop(shape[k]);
  return bad != 0;
}

int main(int argc, char **argv) {
  const int seeds = argc > 1 ? atoi(argv[1]) : 2000, first = argc > 2 ? atoi(argv[2]) : 1;
  const dls_alloc alloc = dls_alloc_libc();
  int bad = 0, longer = 0;
  for (int seed = first; seed < first + seeds; seed++) bad += check(&alloc, seed, &longer);
  if (longer < seeds / 4) bad += printf("longer ways than by speeds alone: %d of %d\n", longer, seeds);
  if (!bad) puts("ok");
  return bad != 0;
}
