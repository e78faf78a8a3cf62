/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/collide/broad.h"
#include "core/collide/collide.h"
#include "core/collide/gaps.h"

/* Neighbour lists against all pairs, and lanes against single pairs, on random data. Prints what
** is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { MOST = 200 };
static double low[3][MOST], high[3][MOST];
static unsigned char idle[MOST];

static void fill(int n, bool wild) {
  for (int i = 0; i < n; i++) {
    idle[i] = uniform() < 0.2;
    bool infinite = wild && uniform() < 0.02, empty = uniform() < 0.05;
    for (int k = 0; k < 3; k++) {
      double width = uniform() < 0.05 ? 20 * uniform() : uniform();
      low[k][i] = within(wild && uniform() < 0.05 ? 1e12 : 8);
      high[k][i] = low[k][i] + width;
      if (infinite) low[k][i] = -DLS_INF, high[k][i] = DLS_INF;
      if (empty) low[k][i] = DLS_INF, high[k][i] = -DLS_INF;
    }
  }
}

static int compare(const dls_broad *broad, int n, int dims, double skin) {
  int found = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      bool near = !(idle[i] && idle[j]) && low[0][i] <= high[0][i] && low[0][j] <= high[0][j];
      for (int k = 0; k < dims; k++)
        near = near && low[k][i] - skin <= high[k][j] && low[k][j] - skin <= high[k][i];
      if (!near) continue;
      if (found >= broad->n_pairs || broad->a[found] != i || broad->b[found] != j) return 1;
      found++;
    }
  return found != broad->n_pairs;
}

static dls_status update(dls_broad *broad, const dls_alloc *alloc, int n, bool *rebuilt) {
  const double *lo[3] = {low[0], low[1], low[2]}, *hi[3] = {high[0], high[1], high[2]};
  dls_status s;
  *rebuilt = dls_broad_moved(broad, n, lo, hi);
  if (!*rebuilt) return DLS_OK;
  while ((s = dls_broad_build(broad, n, lo, hi, idle)) == DLS_FULL)
    if ((s = dls_broad_reserve(broad, alloc, n, 1)) != DLS_OK) return s;
  return s;
}

static int check_broad(const dls_alloc *alloc, int dims, int seed) {
  dls_broad broad;
  bool rebuilt = false;
  int bad = 0, n = 1 + (int)(uniform() * (MOST - 1));
  if (dls_broad_create(&broad, alloc, dims, 0.1)) return 1;
  fill(n, seed % 2 == 1);
  bad |= update(&broad, alloc, n, &rebuilt) != DLS_OK || !rebuilt || compare(&broad, n, dims, 0.1);
  /* Within half the skin the list stays, and it still has every pair that overlaps. */
  for (int i = 0; i < n; i++)
    for (int k = 0; k < dims; k++) {
      double d = within(0.0499);
      low[k][i] += d, high[k][i] += d;
    }
  bad |= update(&broad, alloc, n, &rebuilt) != DLS_OK || (seed % 2 == 0 && rebuilt);
  int at = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      bool hit = !(idle[i] && idle[j]) && low[0][i] <= high[0][i] && low[0][j] <= high[0][j];
      for (int k = 0; k < dims; k++)
        hit = hit && low[k][i] <= high[k][j] && low[k][j] <= high[k][i];
      if (!hit) continue;
      while (at < broad.n_pairs && (broad.a[at] < i || (broad.a[at] == i && broad.b[at] < j))) at++;
      bad |= at >= broad.n_pairs || broad.a[at] != i || broad.b[at] != j;
    }
  low[0][0] = high[0][0] = 30; /* a box jumps */
  bad |= update(&broad, alloc, n, &rebuilt) != DLS_OK || !rebuilt || compare(&broad, n, dims, 0.1);
  dls_broad_destroy(&broad, alloc);
  return bad;
}

/* Every path gives the bits of one pair after the other, and those what the normal and the gap
** are. */
static int check_lanes(void) {
  enum { SPOTS = 20, PAIRS = 75 };
  dls_spot2 spot[SPOTS];
  dls_rim2 rim[SPOTS];
  double u[3 * SPOTS], f[3 * SPOTS];
  int pair[2 * PAIRS], bad = 0, n = (int)(uniform() * PAIRS);
  double one[6][PAIRS], all[6][PAIRS], gap[PAIRS];
  for (int i = 0; i < SPOTS; i++) {
    const double radius = i == 0 ? DLS_INF : i == 1 ? -DLS_INF : uniform();
    spot[i] = (dls_spot2){within(2), within(2), radius, within(1)};
    if (i == 3) spot[i] = spot[2];
    for (int d = 0; d < 3; d++) u[3 * i + d] = within(3), f[3 * i + d] = within(3);
  }
  for (int k = 0; k < 2 * n; k++) pair[k] = (int)(uniform() * SPOTS);
  const dls_meets2 plain = {one[0], one[1], one[2], one[3], one[4], one[5]};
  const dls_meets2 wide = {all[0], all[1], all[2], all[3], all[4], all[5]};
  dls_gap_lanes_at(0)->meet(n, pair, pair + 1, 2, spot, u, f, &plain);
  for (int path = 0; dls_gap_lanes_at(path); path++) {
    dls_gap_lanes_at(path)->meet(n, pair, pair + 1, 2, spot, u, f, &wide);
    dls_gap_lanes_at(path)->disks(n, pair, pair + 1, 2, spot, gap);
    for (int i = 0; i < 6; i++) bad |= memcmp(all[i], one[i], (size_t)n * sizeof(double)) != 0;
    bad |= memcmp(gap, one[0], (size_t)n * sizeof(double)) != 0;
  }
  /* Those to be looked at, in their order. */
  int was[PAIRS], picked[PAIRS + 4];
  for (int k = 0; k < n; k++) was[k] = uniform() < 0.3 ? k : -1;
  for (int path = 0; dls_gap_lanes_at(path); path++) {
    const int found = dls_gap_lanes_at(path)->pick(n, &plain, 0.1, 0.3, 0.2, was, picked);
    int at = 0;
    for (int k = 0; k < n; k++) {
      const double gap0 = one[0][k], later = gap0 + 0.2 * one[3][k],
                   sooner = gap0 - 0.3 * one[4][k];
      const bool open = gap0 > 0.1 * one[5][k] && later > 0 && sooner > 0 && gap0 < DLS_INF;
      if (open && was[k] < 0) continue;
      bad |= at >= found || picked[at] != k;
      at++;
    }
    bad |= at != found;
  }
  /* Those that are neither apart nor in each other's hole, in their order. */
  int first[PAIRS], second[PAIRS], close[2 * PAIRS], kept[2 * PAIRS], n_close = 0;
  for (int i = 0; i < SPOTS; i++) {
    rim[i] = (dls_rim2){spot[i].x, spot[i].y, fabs(spot[i].radius), within(1)};
    if (i % 4 == 0) rim[i].reach *= 5, rim[i].hole = 0.9 * rim[i].reach;
    if (i % 4 == 2) rim[i].reach *= 0.1;
  }
  for (int k = 0; k < n; k++) {
    first[k] = pair[2 * k], second[k] = pair[2 * k + 1];
    const dls_spot2 *a = &spot[first[k]], *b = &spot[second[k]];
    const dls_rim2 *c = &rim[first[k]], *e = &rim[second[k]];
    const double d = hypot(b->x - a->x, b->y - a->y);
    if (d > c->reach + e->reach || d + e->reach < c->hole || d + c->reach < e->hole) continue;
    kept[2 * n_close] = first[k], kept[2 * n_close++ + 1] = second[k];
  }
  for (int path = 0; dls_gap_lanes_at(path); path++) {
    bad |= dls_gap_lanes_at(path)->near(n, first, second, rim, close) != n_close;
    bad |= memcmp(close, kept, 2 * (size_t)n_close * sizeof(int)) != 0;
  }
  for (int k = 0; k < n; k++) {
    const int i = pair[2 * k], j = pair[2 * k + 1];
    const dls_spot2 *a = &spot[i], *b = &spot[j];
    const double d = hypot(b->x - a->x, b->y - a->y), nx = one[1][k], ny = one[2][k];
    bad |= fabs(nx * nx + ny * ny - 1) > 1e-14 || fabs(nx * d - (b->x - a->x)) > 1e-14 * (d > 0);
    bad |=
        fabs(one[3][k] - (nx * (f[3 * j] - f[3 * i]) + ny * (f[3 * j + 1] - f[3 * i + 1]))) > 1e-14;
    bad |=
        fabs(one[4][k] - (nx * (u[3 * j] - u[3 * i]) + ny * (u[3 * j + 1] - u[3 * i + 1]))) > 1e-14;
    bad |= one[5][k] != fmin(a->radius, b->radius);
    const double r = a->radius + b->radius;
    if (dls_is_finite(r)) bad |= fabs(gap[k] - (d - r)) > 1e-14;
    else bad |= r == DLS_INF ? gap[k] != -DLS_INF : r == -DLS_INF && gap[k] != DLS_INF;
  }
  return bad;
}

static dls_vec3 random_unit(void);

/* The same of rods; one of infinite radius is near all. */
static int check_rods(void) {
  enum { RODS = 20, PAIRS = 75 };
  dls_rod rod[RODS];
  int a[PAIRS], b[PAIRS], bad = 0, n = (int)(uniform() * PAIRS);
  double one[PAIRS], all[PAIRS];
  for (int i = 0; i < RODS; i++) {
    rod[i] = (dls_rod){dls_v3(within(2), within(2), within(2)), random_unit(), uniform(),
                       0.1 + uniform()};
    if (i % 5 == 1) rod[i].u = rod[i - 1].u;
    if (i % 5 == 2) rod[i].half = 0;
  }
  rod[3].r = DLS_INF;
  for (int k = 0; k < n; k++) a[k] = (int)(uniform() * RODS), b[k] = (int)(uniform() * RODS);
  dls_gap_lanes_at(0)->rods(n, a, b, rod, one);
  for (int path = 1; dls_gap_lanes_at(path); path++) {
    dls_gap_lanes_at(path)->rods(n, a, b, rod, all);
    bad |= memcmp(all, one, (size_t)n * sizeof(double)) != 0;
  }
  for (int k = 0; k < n; k++) {
    dls_touch touch[3];
    const dls_rod *x = &rod[a[k]], *y = &rod[b[k]];
    if (a[k] == 3 || b[k] == 3) bad |= one[k] != -DLS_INF;
    else bad |= (dls_rods_touch(x, y, 0, true, touch) > 0) != (one[k] <= 0);
  }
  return bad;
}

/* Gaps and touches of many rods: every path has the bits of one pair after the other. */
static int check_touches(void) {
  enum { RODS = 30, PAIRS = 75 };
  dls_rod rod[RODS];
  int a[PAIRS], b[PAIRS], bad = 0, n = (int)(uniform() * PAIRS);
  double margin[PAIRS], gap[PAIRS];
  unsigned char count[PAIRS];
  static dls_touch all[3 * PAIRS];
  for (int i = 0; i < RODS; i++) {
    rod[i] = (dls_rod){dls_v3(within(1), within(1), within(1)), random_unit(), 2 * uniform(),
                       0.1 + 0.3 * uniform()};
    if (i % 5 == 1) rod[i].u = rod[i - 1].u;
    if (i % 5 == 2) rod[i].half = 0;
    if (i % 5 == 3) rod[i].u = dls_v3_unit(dls_v3_axpy(rod[i - 3].u, 1e-3, rod[i].u));
    if (i % 5 == 4)
      rod[i].u = dls_v3(0, i % 2, (i + 1) % 2), rod[i].c.x = 0.25, rod[i].r = 0.25, rod[i].half = 1;
    if (i % 10 == 9) rod[i].c.y = rod[i - 5].c.y, rod[i].c.z = rod[i - 5].c.z;
  }
  rod[7] = rod[6]; /* axes that meet */
  for (int k = 0; k < n; k++) {
    a[k] = (int)(uniform() * RODS),
    b[k] = uniform() < 0.3 ? (a[k] + 1) % RODS : (int)(uniform() * RODS);
    margin[k] = uniform() < 0.5 ? 0.5 * uniform() : within(0.05);
  }
  for (int path = 0; dls_gap_lanes_at(path); path++) {
    memset(all, 0, sizeof all);
    const int found = dls_gap_lanes_at(path)->touch(n, a, b, rod, margin, count, all);
    dls_gap_lanes_at(path)->rod_gaps(n, a, b, rod, gap);
    int at = 0;
    for (int k = 0; k < n; k++) {
      dls_touch one[3], least[3];
      const int own = dls_rods_touch(&rod[a[k]], &rod[b[k]], margin[k], false, one);
      bad |= own != count[k] || memcmp(one, &all[at], (size_t)own * sizeof *one) != 0;
      at += own;
      bad |= dls_rods_touch(&rod[a[k]], &rod[b[k]], DLS_INF, true, least) != 1 ||
             least[0].gap != gap[k];
    }
    bad |= at != found;
  }
  return bad;
}

static dls_vec3 random_unit(void) {
  return dls_v3_unit(dls_v3(within(1), within(1), within(1)));
}

/* What is told to be inside of a drum touches nothing of it; and most of what touches nothing is
** told so. */
static int check_inside(const dls_alloc *alloc, int *told, int *free) {
  const dls_lifters lifters = {
      .count = 1 + (int)(5 * uniform()), .height = 0.001 + 0.3 * uniform(), .width = 0.1};
  dls_shape *drum, *log;
  dls_fault fault;
  dls_touch touch[64];
  const double r = 0.05 + 0.2 * uniform();
  if (dls_shape_drum(alloc, 2, 5, uniform() < 0.7 ? &lifters : NULL, uniform() < 0.7, &drum,
                     &fault))
    return 1;
  if (dls_shape_capsule(alloc, r, 0.1 + 2 * uniform(), &log, &fault)) return 1;
  const dls_vec3 u = random_unit(), v = dls_v3_orthogonal(u), x = random_unit(),
                 y = dls_v3_orthogonal(x);
  const dls_pose3 at = {dls_m3_columns(u, v, dls_v3_cross(u, v)),
                        dls_v3(within(1), within(1), within(1))};
  const dls_pose3 own = {dls_m3_columns(x, y, dls_v3_cross(x, y)),
                         dls_pose3_apply(&at, dls_v3(within(2), within(1.2), within(1.2)))};
  const dls_rod rod = dls_rod_make(log, &own);
  const double margin = 0.1 * uniform();
  const bool inside = dls_rod_inside(drum, &at, &rod, margin);
  const int n = dls_collide3(drum, &at, log, &own, margin, touch, 64);
  *told += inside;
  *free += n == 0;
  dls_shape_drop(drum);
  dls_shape_drop(log);
  return inside && n > 0;
}

int main(void) {
  dls_alloc alloc = dls_alloc_libc();
  int bad = 0, told = 0, clear = 0;
  for (int seed = 1; seed <= 400; seed++) {
    state = (uint64_t)seed;
    for (int dims = 2; dims <= 3; dims++)
      if (check_broad(&alloc, dims, seed))
        printf("neighbour list %d-D, seed %d\n", dims, seed), bad = 1;
    if (check_lanes()) printf("lanes, seed %d\n", seed), bad = 1;
    if (check_rods()) printf("rods, seed %d\n", seed), bad = 1;
    if (check_inside(&alloc, &told, &clear)) printf("inside of drums, seed %d\n", seed), bad = 1;
    if (check_touches()) printf("touches of rods, seed %d\n", seed), bad = 1;
  }
  if (2 * told < clear) printf("inside of drums: %d told of %d\n", told, clear), bad = 1;
  if (!bad) puts("ok");
  return bad;
}
