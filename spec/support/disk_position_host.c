/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/disks/position_lanes.h"

/* Random heaps of disks that overlap: what dls_disks_move_apart() answers is the answer of plain projected Gauss-Seidel
** in double precision; it does not move the mass centre of a heap that lies on nothing, nor a body without M^-1; and
** it does not depend on what masses and lengths are measured in. Contacts of pairs of disks are those written out here,
** and every path gives the bits of the plain one. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

enum { SEEDS = 400, BODIES = 85, TOUCHES = 600, SWEEPS = 6000 };
static double x[BODIES], y[BODIES], r[BODIES], inv_mass[BODIES], theirs[2 * BODIES];
static float ours[2 * BODIES + 32];
static dls_position_contact touch[TOUCHES + 1];
static char room[1 << 20];
static int compared, odd_ones;

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
      touch[n++] = (dls_position_contact){.nx = (float)(dx / d), .ny = (float)(dy / d), .gap = (float)(0.2 * gap),
                               .share = (float)(inv_mass[i] / (inv_mass[i] + inv_mass[j])),
                               .by_size = (float)(0.5 / dls_min(r[i], r[j])), .start = both, .a = i, .b = j};
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
      const dls_position_contact *c = &touch[k];
      double *a = theirs + 2 * c->a, *b = theirs + 2 * c->b;
      const double w = inv_mass[c->a] + inv_mass[c->b];
      const double gap = (double)c->gap + (double)c->nx * (b[0] - a[0]) + (double)c->ny * (b[1] - a[1]);
      double now = pi[k] - gap / w;
      if (c->start == 0) now = dls_max(now, 0);
      const double d = now - pi[k];
      pi[k] = now;
      pull = dls_max(pull, -now * w);
      if (c->start > 0) widest = dls_max(widest, (double)c->gap);
      most = dls_max(most, fabs(d) * w);
      a[0] -= inv_mass[c->a] * d * (double)c->nx, a[1] -= inv_mass[c->a] * d * (double)c->ny;
      b[0] += inv_mass[c->b] * d * (double)c->nx, b[1] += inv_mass[c->b] * d * (double)c->ny;
    }
    if (most < 1e-9) return pull <= 100 * widest;
  }
  return false;
}

static bool solve(int n) {
  dls_arena arena = dls_arena_over(room, sizeof room);
  bool done = false;
  return dls_disks_move_apart(n, touch, BODIES, inv_mass, 1e-6, 1500, &arena, ours, &done) == DLS_OK && done;
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
    for (int k = 0; k < 2 && inv_mass[i] > 0; k++) sum[k] += (double)ours[2 * i + k] / inv_mass[i];
    if (inv_mass[i] > 0) mass += 1 / inv_mass[i];
  }
  if (all_free && !(fabs(sum[0]) + fabs(sum[1]) <= 1e-6 * mass))
    return complain("the mass centre moves", seed, (fabs(sum[0]) + fabs(sum[1])) / mass);
  if (sweep_plainly(n)) {
    compared++;
    for (int i = 0; i < 2 * BODIES; i++) worst = dls_max(worst, fabs((double)ours[i] - theirs[i]));
    if (!(worst <= 5e-5)) return complain("another answer", seed, worst);
  }
  static float before[2 * BODIES];
  memcpy(before, ours, sizeof before);
  const double scale = seed % 3 == 0 ? 1e-9 : 1e6;
  for (int i = 0; i < BODIES; i++) inv_mass[i] *= scale;
  for (int k = 0; k < n; k++) touch[k].gap *= (float)scale, touch[k].by_size /= (float)scale;
  if (!solve(n)) return complain("no answer in other units", seed, n);
  for (int i = 0; i < 2 * BODIES; i++) worst = dls_max(worst, fabs((double)ours[i] / scale - (double)before[i]));
  return worst <= 5e-5 ? 0 : complain("another answer in other units", seed, worst);
}

/* A body that more touch than there are colours: refused, not wrong. */
static int test_refusal(void) {
  const int n = 80;
  for (int i = 0; i <= n; i++) inv_mass[i] = 1;
  for (int k = 0; k < n; k++) touch[k] = (dls_position_contact){.nx = 1, .share = 0.5F, .gap = -1e-3F, .by_size = 1, .a = 0, .b = k + 1};
  return solve(n) ? complain("more touches than colours are answered", 0, n) : 0;
}

/* --- looks at disks, and paths ------------------------------------------------------------------ */

enum { PAIRS = 203 };
static dls_spot2 spots[BODIES];
static int pairs[2 * PAIRS];
static unsigned char holds[PAIRS];
static const dls_position_sight sight = {.per_unit = 5, .slack = 1e-3, .open = 1e-4};

/* Disks and others; pairs that overlap, touch nearly, are far apart, or in one place. */
static void pair_up(void) {
  for (int i = 0; i < BODIES; i++)
    spots[i] = (dls_spot2){2 * uniform(), 2 * uniform(), uniform() < 0.05 ? -DLS_INF : 0.05 + 0.1 * uniform(),
                           uniform() < 0.1 ? 0 : 0.3 + 2.4 * uniform()};
  for (int k = 0; k < PAIRS; k++) {
    const int a = (int)(BODIES * uniform());
    int b = (int)(BODIES * uniform());
    if (a == b) b = (a + 1) % BODIES;
    pairs[2 * k] = a, pairs[2 * k + 1] = b;
    holds[k] = uniform() < 0.5;
    if (uniform() < 0.1) spots[b].x = spots[a].x, spots[b].y = spots[a].y;
    else if (uniform() < 0.7 && spots[a].radius + spots[b].radius > 0) { /* gaps of -3e-3 to 3e-3 of the smaller */
      const double angle = 7 * uniform(), least = 2 * dls_min(spots[a].radius, spots[b].radius);
      const double d = spots[a].radius + spots[b].radius + 3e-3 * (2 * uniform() - 1) * least;
      spots[b].x = spots[a].x + d * cos(angle), spots[b].y = spots[a].y + d * sin(angle);
    }
  }
}

static bool is_near(double a, double b) { return fabs(a - b) <= 3e-7 * (1 + fabs(b)); }

/* What contact k of the list should be, from pair `of` and its gap. */
static bool is_contact(const dls_position_contact *c, int of, double dx, double dy, double gap) {
  const dls_spot2 *a = &spots[pairs[2 * of]], *b = &spots[pairs[2 * of + 1]];
  const double d = sqrt(dx * dx + dy * dy), size = 2 * dls_min(a->radius, b->radius);
  const bool apart = d > 0;
  return c->a == pairs[2 * of] && c->b == pairs[2 * of + 1] && is_near((double)c->nx, apart ? dx / d : 1) &&
         is_near((double)c->ny, apart ? dy / d : 0) && is_near((double)c->share, a->other / (a->other + b->other)) &&
         is_near((double)c->gap, 5 * gap) && is_near((double)c->by_size, 0.2 / size) &&
         (c->start == 1) == (holds[of] && gap > 1e-4 * size) && (c->start == 0 || c->start == 1);
}

static int test_look(int seed) {
  static dls_position_contact out[PAIRS + 4];
  static int odd[PAIRS + 4];
  pair_up();
  dls_position_found found = {.n = 0};
  dls_position_lanes_at(0)->disks(PAIRS, pairs, spots, holds, &sight, out, odd, &found);
  double worst = 0, widest = 0;
  int n = 0, n_odd = 0;
  for (int k = 0; k < PAIRS; k++) {
    const dls_spot2 *a = &spots[pairs[2 * k]], *b = &spots[pairs[2 * k + 1]];
    if (!(a->radius > 0 && b->radius > 0)) {
      if (odd[n_odd++] != k) return complain("an odd pair is missing", seed, k);
      continue;
    }
    const double dx = b->x - a->x, dy = b->y - a->y, gap = sqrt(dx * dx + dy * dy) - a->radius - b->radius;
    const double size = 2 * dls_min(a->radius, b->radius);
    worst = dls_max(worst, -gap / size);
    if (holds[k]) widest = dls_max(widest, gap / size);
    if (!(gap <= 1e-3 * size || (holds[k] && gap > 1e-4 * size)) || !(a->other + b->other > 0)) continue;
    if (n >= found.n || !is_contact(&out[n], k, dx, dy, gap)) return complain("another contact", seed, k);
    n++;
  }
  if (n != found.n || n_odd != found.n_general) return complain("another number of contacts", seed, found.n);
  if (fabs(worst - found.worst) > 1e-12 || fabs(widest - found.widest) > 1e-12)
    return complain("another overlap or gap", seed, found.worst);
  odd_ones += n_odd;
  return n > 20 ? 0 : complain("too few pairs", seed, n);
}

/* All that a path does with the pairs at hand: contacts, groups, two sweeps with mixing. Sums up to the bits. */
typedef struct done {
  dls_position_contact out[PAIRS + 5];
  int odd[PAIRS + 4];
  dls_position_found found;
  double worst;
  dls_position_group group[PAIRS];
  float way[2][DLS_POSITION_LANES * PAIRS], x[2][2 * BODIES + 32];
  dls_position_change change[2];
} done;

static void go(const dls_position_lanes *lanes, const int *order, int n_groups, done *to) {
  memset(to, 0, sizeof *to);
  lanes->disks(PAIRS, pairs, spots, holds, &sight, to->out, to->odd, &to->found);
  to->worst = lanes->worst(PAIRS, pairs, spots);
  memset(&to->out[to->found.n], 0, sizeof to->out - (size_t)to->found.n * sizeof *to->out);
  to->out[to->found.n] = (dls_position_contact){.gap = 1, .a = BODIES, .b = BODIES};
  memset(&to->odd[to->found.n_general], 0, sizeof to->odd - (size_t)to->found.n_general * sizeof *to->odd);
  lanes->fill(n_groups, order, to->out, 0.01F, to->group, to->way[0]);
  memcpy(to->way[1], to->way[0], sizeof to->way[1]);
  const int numbers = (int)dls_disks_numbers(BODIES);
  for (int i = 0; i < 2; i++) {
    to->change[i] = lanes->sweep(n_groups, to->group, 0.4F * (float)i, to->way[i], to->way[1 - i], to->x[i]);
    lanes->mix(numbers, 0.4F, to->x[i], to->x[1 - i]);
  }
}

/* Groups of contacts that share no moving body, as found: lanes left over have none. */
static int order_of(const done *all, int *order) {
  int n_groups = 0;
  for (int k = 0, n = all->found.n; k < n;) {
    bool taken[BODIES] = {false};
    int l = 0;
    for (; l < DLS_POSITION_LANES && k < n && !taken[all->out[k].a] && !taken[all->out[k].b]; l++, k++) {
      order[DLS_POSITION_LANES * n_groups + l] = k;
      taken[all->out[k].a] = spots[all->out[k].a].other > 0, taken[all->out[k].b] = spots[all->out[k].b].other > 0;
    }
    for (; l < DLS_POSITION_LANES; l++) order[DLS_POSITION_LANES * n_groups + l] = n;
    n_groups++;
  }
  return n_groups;
}

/* A visit by itself, in single precision: sweeps are one contact after the other. */
static int test_sweep(int seed, const done *all, const int *order, int n_groups) {
  static float way[DLS_POSITION_LANES * PAIRS], x[2 * BODIES + 32];
  memset(x, 0, sizeof x);
  for (int at = 0; at < DLS_POSITION_LANES * n_groups; at++) {
    const dls_position_contact *c = &all->out[order[at]];
    float *a = x + 2 * c->a, *b = x + 2 * c->b;
    const float was = 0.01F * c->start, d = c->nx * (b[0] - a[0]) + c->ny * (b[1] - a[1]);
    way[at] = was - c->gap - d > 0 ? was - c->gap - d : 0;
    const float f = way[at] - was, f_a = f * c->share, f_b = f - f_a;
    a[0] -= f_a * c->nx, a[1] -= f_a * c->ny, b[0] += f_b * c->nx, b[1] += f_b * c->ny;
  }
  if (memcmp(way, all->way[1], sizeof(float) * DLS_POSITION_LANES * (size_t)n_groups) != 0)
    return complain("a sweep is not one contact after the other", seed, n_groups);
  return 0;
}

static int test_paths(int seed) {
  static done plain, wide;
  static int order[DLS_POSITION_LANES * PAIRS];
  memset(order, 0, sizeof order);
  go(dls_position_lanes_at(0), order, 0, &plain);
  const int n_groups = order_of(&plain, order);
  go(dls_position_lanes_at(0), order, n_groups, &plain);
  for (int i = 1; dls_position_lanes_at(i) != NULL; i++) {
    go(dls_position_lanes_at(i), order, n_groups, &wide);
    if (memcmp(&plain, &wide, sizeof plain) != 0) return complain("a wider path has other bits", seed, i);
  }
  if (plain.worst != plain.found.worst) return complain("two overlaps", seed, plain.worst);
  return test_sweep(seed, &plain, order, n_groups);
}

int main(void) {
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed;
    for (int i = 0; i < 10; i++) (void)uniform();
    if (test(seed) != 0 || test_look(seed) != 0 || test_paths(seed) != 0) return 1;
  }
  if (test_refusal() != 0) return 1;
  if (compared < 200 || odd_ones < 200) return complain("too few were compared", compared, odd_ones);
  printf("ok\n");
  return 0;
}
