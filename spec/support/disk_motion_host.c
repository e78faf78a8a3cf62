/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "core/disks/motion_lanes.h"

/* What a step in the plane does to all bodies at once, on random ones: by every path the bits of the plain one, and
** what is written out here. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { BODIES = 40, SEEDS = 300 };
static double q[3 * BODIES], u[3 * BODIES], f[3 * BODIES], load[3 * BODIES], inverse[3 * BODIES], radius[BODIES];

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-14 * (1 + fabs(a) + fabs(b)); }

static void fill(void) {
  for (int i = 0; i < 3 * BODIES; i++) {
    q[i] = within(5), u[i] = within(3), f[i] = within(3);
    load[i] = uniform() < 0.5 ? 0 : within(20);
    inverse[i] = uniform() < 0.1 ? 0 : uniform();
  }
  for (int i = 0; i < BODIES; i++) radius[i] = uniform() < 0.1 ? 0 : 0.1 + uniform();
}

/* Forces and ways; a number that is none is seen wherever it is. */
static int check_release(const dls_motion_lanes *lanes, const dls_motion_lanes *plain, int n) {
  const double pull[3] = {within(1), -9.81, -0.0}, s = 0.002, h = 0.005;
  double to[2][3 * BODIES], free_u[2][3 * BODIES], kept[2][3 * BODIES];
  int bad = !plain->release(3 * n, q, u, load, inverse, pull, s, h, to[0], free_u[0]);
  bad |= !lanes->release(3 * n, q, u, load, inverse, pull, s, h, to[1], free_u[1]);
  const size_t size = 3 * (size_t)n * sizeof(double);
  bad |= memcmp(to[0], to[1], size) != 0 || memcmp(free_u[0], free_u[1], size) != 0;
  for (int i = 0; i < 3 * n; i++) {
    bad |= !is_near(to[1][i], q[i] + s * u[i]);
    const double weight = i % 3 == 0 ? pull[0] : i % 3 == 1 ? -9.81 : 0;
    bad |= !is_near(free_u[1][i], u[i] + h * (weight + load[i] * inverse[i]));
  }
  lanes->drift(3 * n, q, u, s, to[0], kept[0]);
  bad |= memcmp(to[0], to[1], size) != 0 || memcmp(kept[0], u, size) != 0;
  if (n == 0) return bad;
  double *at = uniform() < 0.5 ? &load[(int)(uniform() * 3 * n)] : &q[(int)(uniform() * 3 * n)];
  const double was = *at;
  *at = uniform() < 0.5 ? DLS_INF : (double)NAN;
  bad |= lanes->release(3 * n, q, u, load, inverse, pull, s, h, to[1], free_u[1]);
  *at = was;
  return bad;
}

/* Places, and who has left its box: none at first, then the one that moved. */
static int check_place(const dls_motion_lanes *lanes, const dls_motion_lanes *plain, int n) {
  dls_spot2 disk[2][BODIES];
  dls_rim2 rim[2][BODIES];
  double way[2][BODIES], box[4][BODIES];
  dls_placing of = {.q = q, .u = u, .f = f, .radius = radius, .h = 0.01, .more = 0.001, .limit = 0.1};
  int bad = 0;
  for (int k = 0; k < 2; k++) {
    of.disk = disk[k], of.rim = rim[k], of.way = way[k];
    bad |= (k == 0 ? plain : lanes)->place(n, &of);
  }
  const size_t many = (size_t)n;
  bad |= memcmp(disk[0], disk[1], many * sizeof(dls_spot2)) != 0;
  bad |= memcmp(rim[0], rim[1], many * sizeof(dls_rim2)) != 0;
  bad |= memcmp(way[0], way[1], many * sizeof(double)) != 0;
  for (int i = 0; i < n; i++) {
    const double r = radius[i], v = hypot(u[3 * i], u[3 * i + 1]), v_f = hypot(f[3 * i], f[3 * i + 1]);
    const double far = 0.01 * (fmax(v, v_f) + r * fmax(fabs(u[3 * i + 2]), fabs(f[3 * i + 2]))) + 0.001 * r;
    bad |= !is_near(way[1][i], far) || !is_near(rim[1][i].reach, r + far) || rim[1][i].hole != 0;
    bad |= rim[1][i].x != q[3 * i] || rim[1][i].y != q[3 * i + 1];
    bad |= disk[1][i].x != q[3 * i] || disk[1][i].y != q[3 * i + 1] || disk[1][i].radius != r || disk[1][i].other != 0;
    box[0][i] = q[3 * i] - r - far, box[1][i] = q[3 * i + 1] - r - far;
    box[2][i] = q[3 * i] + r + far, box[3][i] = q[3 * i + 1] + r + far;
  }
  if (n == 0) return bad;
  const int i = (int)(uniform() * n), k = (int)(uniform() * 4);
  for (int d = 0; d < 4; d++) of.built[d] = box[d];
  bad |= lanes->place(n, &of);
  const double side = uniform() < 0.5 ? 1 : -1;
  box[k][i] += 0.099 * side;
  bad |= lanes->place(n, &of);
  box[k][i] += 0.002 * side;
  bad |= lanes->place(n, &of) != (radius[i] > 0);
  return bad;
}

int main(void) {
  const dls_motion_lanes *plain = dls_motion_lanes_at(0);
  int bad = 0;
  for (int seed = 0; seed < SEEDS; seed++)
    for (int path = 0; dls_motion_lanes_at(path); path++) {
      state = (uint64_t)seed * 7919 + 1;
      for (int k = 0; k < 8; k++) (void)uniform();
      fill();
      const int n = (int)(uniform() * (BODIES + 1));
      const dls_motion_lanes *lanes = dls_motion_lanes_at(path);
      if (check_release(lanes, plain, n)) bad = 1, printf("release: %s, seed %d\n", lanes->name, seed);
      if (check_place(lanes, plain, n)) bad = 1, printf("place: %s, seed %d\n", lanes->name, seed);
    }
  if (!bad) printf("ok\n");
  return bad;
}
