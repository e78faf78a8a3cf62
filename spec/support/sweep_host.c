/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/sweeps/lanes.h"

/* Sweeps in lanes on random groups: every path gives the bits of the plain one, and after the visit
** of a group Coulomb's law holds in each of its lanes. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, MOST = 6, L = DLS_SWEEP_LANES, BODIES = 40, ROOM = DLS_SWEEP_BODY * (BODIES + 2) };
static dls_sweep_group groups[MOST];
static dls_sweep_group32 groups32[MOST];
static dls_sweep_turn turns[MOST];
static dls_sweep_turn32 turns32[MOST];
static double mass[BODIES], inertia[BODIES];

/* Two bodies for each lane that no other lane has; the first ones do not move and may be shared. */
static void pick_bodies(dls_sweep_group *g) {
  int deck[BODIES];
  for (int i = 0; i < BODIES; i++) deck[i] = i;
  for (int i = 2; i < BODIES; i++) {
    int j = 2 + (int)(uniform() * (BODIES - 2)), x = deck[i];
    deck[i] = deck[j], deck[j] = x;
  }
  for (int l = 0; l < L; l++) {
    int a = deck[2 + 2 * l], b = deck[3 + 2 * l];
    if (uniform() < 0.2) a = uniform() < 0.5 ? 0 : 1;
    g->i[l] = DLS_SWEEP_BODY * a, g->j[l] = DLS_SWEEP_BODY * b;
  }
}

static void fill(dls_sweep_group *g) {
  pick_bodies(g);
  for (int l = 0; l < L; l++) {
    int a = g->i[l] / DLS_SWEEP_BODY, b = g->j[l] / DLS_SWEEP_BODY;
    double x = within(1), y = within(1), r = sqrt(x * x + y * y) + 1e-3;
    g->nx[l] = x / r, g->ny[l] = y / r;
    g->na[l] = within(0.3), g->nb[l] = within(0.3), g->ta[l] = within(0.3), g->tb[l] = within(0.3);
    g->ma[l] = mass[a], g->mb[l] = mass[b], g->ja[l] = inertia[a], g->jb[l] = inertia[b];
    double n2 = g->nx[l] * g->nx[l] + g->ny[l] * g->ny[l], m = (mass[a] + mass[b]) * n2;
    double soft = uniform() < 0.2 ? uniform() : 0;
    g->hard[l] = m + g->na[l] * g->na[l] * g->ja[l] + g->nb[l] * g->nb[l] * g->jb[l];
    g->a[l] = g->hard[l] + soft;
    g->b[l] = m + g->ta[l] * g->ta[l] * g->ja[l] + g->tb[l] * g->tb[l] * g->jb[l];
    g->c[l] = g->na[l] * g->ta[l] * g->ja[l] + g->nb[l] * g->tb[l] * g->jb[l];
    g->mu[l] = uniform() < 0.1 ? 0 : 0.6 * uniform();
    g->s_n[l] = within(1), g->s_t[l] = uniform() < 0.3 ? within(0.3) : 0;
    g->inv_det[l] = 1 / (g->a[l] * g->b[l] - g->c[l] * g->c[l]);
    double right = g->a[l] + g->mu[l] * g->c[l], left = g->a[l] - g->mu[l] * g->c[l];
    g->inv_right[l] = right > 0 ? 1 / right : 0, g->inv_left[l] = left > 0 ? 1 / left : 0;
  }
}

/* Rolling friction in two lanes of three. */
static void fill_turn(const dls_sweep_group *g, dls_sweep_turn *t) {
  memset(t, 0, sizeof *t);
  for (int l = 0; l < L; l++) {
    if (uniform() < 0.3) continue;
    t->qa[l] = -0.1 - uniform(), t->qb[l] = 0.1 + uniform();
    t->arm[l] = 0.3 * uniform();
    t->w[l] = t->qa[l] * t->qa[l] * g->ja[l] + t->qb[l] * t->qb[l] * g->jb[l];
    t->inv[l] = 1 / t->w[l];
    t->s_r[l] = uniform() < 0.3 ? within(0.3) : 0;
  }
}

static void narrow(int n) {
  for (int k = 0; k < n; k++) {
#define X(name) for (int l = 0; l < L; l++) groups32[k].name[l] = (float)groups[k].name[l];
    DLS_SWEEP_FIELDS(X)
#undef X
    memcpy(groups32[k].i, groups[k].i, sizeof groups[k].i);
    memcpy(groups32[k].j, groups[k].j, sizeof groups[k].j);
#define X(name) for (int l = 0; l < L; l++) turns32[k].name[l] = (float)turns[k].name[l];
    DLS_TURN_FIELDS(X)
#undef X
  }
}

/* By how much a lane breaks its law, m/s or N s over a typical one. */
static double violation(const dls_sweep_group *g, int l, const double *p, const double *u) {
  const double *a = u + g->i[l], *b = u + g->j[l], p_n = p[l], p_t = p[L + l];
  double x = b[0] - a[0], y = b[1] - a[1], mu = g->mu[l];
  double v_n = g->nx[l] * x + g->ny[l] * y + g->na[l] * a[2] + g->nb[l] * b[2] + g->s_n[l] +
               (g->a[l] - g->hard[l]) * p_n;
  double v_t = g->ny[l] * x - g->nx[l] * y + g->ta[l] * a[2] + g->tb[l] * b[2] + g->s_t[l];
  double worst = dls_max(-p_n, dls_max(-v_n, fabs(p_t) - mu * p_n));
  if (p_n > 0) worst = dls_max(worst, fabs(v_n));
  if (mu * p_n - fabs(p_t) > 1e-9) worst = dls_max(worst, fabs(v_t)); /* sticks */
  else if (p_n > 1e-9 && mu > 0) worst = dls_max(worst, v_t * (p_t > 0 ? 1 : -1)); /* against it */
  return worst;
}

/* The same of rolling friction, and of all of a lane that has none. */
static double violation_of_turn(int k, int l, const double *p, const double *q, const double *u) {
  const dls_sweep_group *g = &groups[k];
  const dls_sweep_turn *t = &turns[k];
  if (t->arm[l] == 0) return dls_max(fabs(q[l]), violation(g, l, p, u));
  const double v = t->qa[l] * u[g->i[l] + 2] + t->qb[l] * u[g->j[l] + 2] + t->s_r[l];
  const double room = t->arm[l] * p[l] - fabs(q[l]);
  double worst = -room;
  if (room > 1e-9) worst = dls_max(worst, fabs(v)); /* does not turn */
  else if (p[l] > 1e-9) worst = dls_max(worst, v * (q[l] > 0 ? 1 : -1)); /* against it */
  return worst;
}

static int complain(const char *what, int seed, const char *path) {
  printf("%s: seed %d, path %s\n", what, seed, path);
  return 1;
}

static int test_laws(int seed, double *p, double *q, double *u, int n) {
  double worst = 0;
  for (int k = 0; k < n; k++) {
    dls_sweep_lanes_at(0)->fine.sweep(1, groups + k, p + 2 * L * k, u);
    for (int l = 0; l < L; l++) worst = dls_max(worst, violation(&groups[k], l, p + 2 * L * k, u));
  }
  for (int k = 0; k < n; k++) {
    dls_sweep_lanes_at(0)->fine.sweep_turns(1, groups + k, turns + k, p + 2 * L * k, q + L * k, u);
    for (int l = 0; l < L; l++)
      worst = dls_max(worst, violation_of_turn(k, l, p + 2 * L * k, q + L * k, u));
  }
  return worst <= 1e-9 ? 0 : complain("a visit breaks its law", seed, "plain");
}

int main(void) {
  static double p[3 * L * MOST], u[ROOM], out[3][6 * L * MOST + ROOM];
  static float p32[3 * L * MOST], u32[ROOM], out32[3][6 * L * MOST + ROOM];
  for (int seed = 1; seed <= SEEDS; seed++) {
    state = (uint64_t)seed * UINT64_C(0x9E3779B97F4A7C15);
    /* impulses, rolling friction's behind the others */
    const int n = 1 + (int)(uniform() * MOST), m = 3 * L * n, at = 2 * L * n;
    for (int i = 0; i < BODIES; i++) mass[i] = i < 2 ? 0 : 0.1 + uniform(), inertia[i] = i < 2 ? 0 : 1 + 20 * uniform();
    for (int k = 0; k < n; k++) fill(&groups[k]), fill_turn(&groups[k], &turns[k]);
    narrow(n);
    for (int i = 0; i < ROOM; i++) u[i] = within(2), u32[i] = (float)u[i];
    for (int i = 0; i < m; i++) p[i] = within(1), p32[i] = (float)p[i];
    for (int path = 0; dls_sweep_lanes_at(path); path++) {
      const dls_sweep_lanes *lanes = dls_sweep_lanes_at(path);
      double *P = out[path], *U = P + m, *f = U + ROOM;
      float *P32 = out32[path], *U32 = P32 + m, *f32 = U32 + ROOM;
      memcpy(P, p, sizeof p), memcpy(U, u, sizeof u), memset(f, 0, (size_t)m * sizeof *f);
      memcpy(P32, p32, sizeof p32), memcpy(U32, u32, sizeof u32), memset(f32, 0, (size_t)m * sizeof *f32);
      double most[2] = {0, 0};
      dls_sweep_change c = {0}, c32 = {0};
      for (int s = 0; s < 3; s++) {
        most[0] = lanes->fine.sweep(n, groups, P, U);
        most[1] = lanes->coarse.sweep(n, groups32, P32, U32);
        most[0] += lanes->fine.sweep_turns(n, groups, turns, P, P + at, U);
        most[1] += lanes->coarse.sweep_turns(n, groups32, turns32, P32, P32 + at, U32);
        c = lanes->fine.change(m, P, p, u, f);
        c32 = lanes->coarse.change(m, P32, p32, u32, f32);
        lanes->fine.mix(m, 0.3, P, f, NULL);
        lanes->coarse.mix(m, 0.3F, P32, f32, NULL);
      }
      static double first[10];
      const double said[10] = {most[0], most[1], c.ff, c.fd, c.dd, c.turn, c32.ff, c32.fd, c32.dd, c32.turn};
      if (path == 0) memcpy(first, said, sizeof first);
      if (memcmp(first, said, sizeof first) != 0) return complain("other sums", seed, lanes->name);
      if (memcmp(out[0], P, (size_t)(2 * m + ROOM) * sizeof *P) != 0)
        return complain("other doubles", seed, lanes->name);
      if (memcmp(out32[0], P32, (size_t)(2 * m + ROOM) * sizeof *P32) != 0)
        return complain("other floats", seed, lanes->name);
    }
    if (test_laws(seed, p, p + at, u, n)) return 1;
  }
  puts("ok");
  return 0;
}
