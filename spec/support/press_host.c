/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rows/press.h"

/* Random heaps of disks that overlap: what dls_press_apart() answers is the answer of plain projected Gauss-Seidel
** in double precision; it does not move the mass centre of a heap that lies on nothing, nor a body without M^-1; and
** it does not depend on what masses and lengths are measured in. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

enum { SEEDS = 400, BODIES = 85, TOUCHES = 600, SWEEPS = 6000 };
static double x[BODIES], y[BODIES], r[BODIES], inv_mass[BODIES], ours[2 * BODIES], theirs[2 * BODIES];
static dls_press touch[TOUCHES];
static char room[1 << 20];
static int compared;

/* Disks of 0.1 to 0.3 m strewn over a square, one in 25 fixed (all free: none). Answers how many touch or nearly do;
** one that is open may be one to be closed, once a body. */
static int strew(bool all_free) {
  bool pulled[BODIES] = {false};
  for (int i = 0; i < BODIES; i++) {
    x[i] = 2 * uniform(), y[i] = 2 * uniform(), r[i] = 0.05 + 0.1 * uniform();
    inv_mass[i] = !all_free && uniform() < 0.04 ? 0 : 0.3 + 2.4 * uniform();
  }
  int n = 0;
  for (int i = 0; i < BODIES; i++)
    for (int j = i + 1; j < BODIES && n < TOUCHES; j++) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], d = sqrt(dx * dx + dy * dy);
      double gap = d - r[i] - r[j];
      if (gap > 0.02 || !(inv_mass[i] + inv_mass[j] > 0)) continue;
      if (gap < 0) gap *= 0.02; /* overlaps of a few mm at most, as in a bed */
      const bool both = gap > 0.01 && !pulled[i] && !pulled[j];
      if (both) pulled[i] = pulled[j] = true;
      touch[n++] = (dls_press){.nx = dx / d, .ny = dy / d, .gap = 0.2 * gap, .size = 2 * dls_min(r[i], r[j]),
                               .a = i, .b = j, .both = both};
    }
  return n;
}

/* The same by plain sweeps. False where they do not come to an end, or where one would have to pull by more than a
** hundred gaps: ours are bounded. */
static bool sweep_plainly(int n) {
  static double pi[TOUCHES];
  double pull = 0, widest = 0;
  memset(pi, 0, sizeof pi);
  memset(theirs, 0, sizeof theirs);
  for (int s = 0; s < SWEEPS; s++) {
    double most = 0;
    for (int k = 0; k < n; k++) {
      const dls_press *c = &touch[k];
      double *a = theirs + 2 * c->a, *b = theirs + 2 * c->b;
      const double w = inv_mass[c->a] + inv_mass[c->b];
      const double gap = c->gap + c->nx * (b[0] - a[0]) + c->ny * (b[1] - a[1]);
      double now = pi[k] - gap / w;
      if (!c->both) now = dls_max(now, 0);
      const double d = now - pi[k];
      pi[k] = now;
      pull = dls_max(pull, -now * w);
      if (c->both) widest = dls_max(widest, c->gap);
      most = dls_max(most, fabs(d) * w);
      a[0] -= inv_mass[c->a] * d * c->nx, a[1] -= inv_mass[c->a] * d * c->ny;
      b[0] += inv_mass[c->b] * d * c->nx, b[1] += inv_mass[c->b] * d * c->ny;
    }
    if (most < 1e-9) return pull <= 100 * widest;
  }
  return false;
}

static bool solve(int n) {
  dls_arena arena = dls_arena_over(room, sizeof room);
  bool done = false;
  return dls_press_apart(n, touch, BODIES, inv_mass, 1e-6, 1500, &arena, ours, &done) == DLS_OK && done;
}

static int complain(const char *what, int seed, double size) {
  printf("%s: seed %d, %g\n", what, seed, size);
  return 1;
}

static int test(int seed) {
  const bool all_free = seed % 2 == 0;
  const int n = strew(all_free);
  double sum[2] = {0, 0}, mass = 0, worst = 0;
  if (!solve(n)) return complain("no answer", seed, n);
  for (int i = 0; i < BODIES; i++) {
    if (!(inv_mass[i] > 0) && (ours[2 * i] != 0 || ours[2 * i + 1] != 0))
      return complain("what is fixed moves", seed, i);
    for (int k = 0; k < 2 && inv_mass[i] > 0; k++) sum[k] += ours[2 * i + k] / inv_mass[i];
    if (inv_mass[i] > 0) mass += 1 / inv_mass[i];
  }
  if (all_free && !(fabs(sum[0]) + fabs(sum[1]) <= 1e-6 * mass))
    return complain("the mass centre moves", seed, (fabs(sum[0]) + fabs(sum[1])) / mass);
  if (sweep_plainly(n)) {
    compared++;
    for (int i = 0; i < 2 * BODIES; i++) worst = dls_max(worst, fabs(ours[i] - theirs[i]));
    if (!(worst <= 5e-5)) return complain("another answer", seed, worst);
  }
  static double before[2 * BODIES];
  memcpy(before, ours, sizeof before);
  const double scale = seed % 3 == 0 ? 1e-9 : 1e6;
  for (int i = 0; i < BODIES; i++) inv_mass[i] *= scale;
  for (int k = 0; k < n; k++) touch[k].gap *= scale, touch[k].size *= scale;
  if (!solve(n)) return complain("no answer in other units", seed, n);
  for (int i = 0; i < 2 * BODIES; i++) worst = dls_max(worst, fabs(ours[i] / scale - before[i]));
  return worst <= 5e-5 ? 0 : complain("another answer in other units", seed, worst);
}

/* A body that more touch than there are colours: refused, not wrong. */
static int test_refusal(void) {
  const int n = 80;
  for (int i = 0; i <= n; i++) inv_mass[i] = 1;
  for (int k = 0; k < n; k++) touch[k] = (dls_press){.nx = 1, .gap = -1e-3, .size = 1, .a = 0, .b = k + 1};
  return solve(n) ? complain("more touches than colours are answered", 0, n) : 0;
}

int main(void) {
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed;
    for (int i = 0; i < 10; i++) (void)uniform();
    if (test(seed) != 0) return 1;
  }
  if (test_refusal() != 0) return 1;
  if (compared < 200) return complain("too few heaps were compared", compared, 0);
  printf("ok\n");
  return 0;
}
