/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/graph_lanes.h"

/* The block LU and the search for kinks (graph/graph_lanes.h) on random problems: what is solved solves the equations that
** were factored, also where a pivot's first number is zero; directions and the next kink are those written out here one
** by one; and every path gives the bits of the plain one. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, N = 30, GROUPS = 9, NUMBERS = DLS_GRAPH_ROW * (N + 1) };

typedef struct problem {
  int n, start[N + 1], col[N * N];
  double d[N * DLS_GRAPH_BLOCK], up[N * N * DLS_GRAPH_BLOCK], low[N * N * DLS_GRAPH_BLOCK], y[NUMBERS];
  dls_path_group group[GROUPS];
} problem;
static problem first, plain, wide;
static double K[3 * N][3 * N];

/* A block of numbers, some of its rows or columns zero; what it says in K. */
static void fill(double *block, int i, int j, double size) {
  memset(block, 0, DLS_GRAPH_BLOCK * sizeof *block);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double x = within(size);
      if (i == j) x += a == (b + 1) % 3 ? 4 : 0; /* the largest of a column is not on the diagonal */
      if (i == j && a != (b + 1) % 3 && uniform() < 0.3) x = 0;
      block[DLS_GRAPH_ROW * b + a] = K[3 * i + a][3 * j + b] = x;
    }
}

/* A band as wide as it likes, which no factor leaves. */
static void make_graph(problem *p) {
  p->n = 1 + (int)(uniform() * N);
  const int band = (int)(uniform() * 6);
  int at = 0;
  memset(K, 0, sizeof K);
  for (int k = 0; k < p->n; k++) {
    p->start[k] = at;
    fill(p->d + k * DLS_GRAPH_BLOCK, k, k, 0.5);
    for (int j = k + 1; j < p->n && j <= k + band; j++, at++) {
      p->col[at] = j;
      fill(p->up + at * DLS_GRAPH_BLOCK, k, j, 0.3);
      fill(p->low + at * DLS_GRAPH_BLOCK, j, k, 0.3);
    }
  }
  p->start[p->n] = at;
  for (int i = 0; i < NUMBERS; i++) p->y[i] = i % DLS_GRAPH_ROW == 3 || i >= DLS_GRAPH_ROW * p->n ? 0 : within(1);
  if (uniform() < 0.5) memset(p->y, 0, sizeof(double) * DLS_GRAPH_ROW * (size_t)(p->n / 2));
}

static void make_groups(problem *p) {
  double *numbers = (double *)p->group;
  for (size_t i = 0; i < (sizeof p->group) / (sizeof *numbers); i++) numbers[i] = within(1);
  for (int k = 0; k < GROUPS; k++)
    for (int l = 0; l < DLS_PATH_LANES; l++) {
      dls_path_group *g = &p->group[k];
      g->a[l] = DLS_GRAPH_ROW * (int)(uniform() * (p->n + 1));
      g->b[l] = DLS_GRAPH_ROW * (int)(uniform() * (p->n + 1));
      g->z_n[l] = 0.2 + uniform(), g->v_n[l] = 0.2 + uniform();
      if (uniform() < 0.01) continue; /* else within its state */
      g->k_zn[l] = uniform(), g->k_zt[l] = copysign(uniform(), g->z_t[l]), g->k_vn[l] = uniform();
      g->l_zn[l] = uniform(), g->l_zt[l] = copysign(uniform(), g->z_t[l]), g->l_vt[l] = copysign(uniform(), g->v_t[l]);
      if (uniform() < 0.3) g->l_zn[l] = g->l_zt[l] = g->l_vt[l] = 0; /* a state with one end */
    }
}

static double equations_missed(const double *y) {
  double worst = 0;
  for (int i = 0; i < 3 * first.n; i++) {
    double sum = -first.y[i / 3 * DLS_GRAPH_ROW + i % 3];
    for (int j = 0; j < 3 * first.n; j++) sum += K[i][j] * y[j / 3 * DLS_GRAPH_ROW + j % 3];
    worst = dls_max(worst, fabs(sum));
  }
  return worst;
}

/* dz and dv of a lane by their definitions; how far they are from those found. */
static double direction_missed(const dls_path_group *g, int l, const double *y) {
  double f_n = -g->r_n[l], f_t = -g->r_t[l];
  for (int i = 0; i < 3; i++) {
    f_n += g->n_a[i][l] * y[g->a[l] + i] + g->n_b[i][l] * y[g->b[l] + i];
    f_t += g->t_a[i][l] * y[g->a[l] + i] + g->t_b[i][l] * y[g->b[l] + i];
  }
  const double dz_n = -g->s_n[l] * f_n, dz_t = -g->s_nt[l] * f_n - g->s_t[l] * f_t;
  return fabs(g->dz_n[l] - dz_n) + fabs(g->dz_t[l] - dz_t) + fabs(g->dv_n[l] - (f_n + g->e_n[l] * dz_n)) +
         fabs(g->dv_t[l] - (f_t + g->e_t[l] * dz_t));
}

/* The least length at which one of the numbers that end a state is zero and falls, at most `longest`. */
static double nearest(const problem *p, double sign, double longest) {
  for (int k = 0; k < GROUPS; k++)
    for (int l = 0; l < DLS_PATH_LANES; l++) {
      const dls_path_group *g = &p->group[k];
      const double x[2] = {g->k_zn[l] * g->z_n[l] + g->k_zt[l] * g->z_t[l] + g->k_vn[l] * g->v_n[l],
                           g->l_zn[l] * g->z_n[l] + g->l_zt[l] * g->z_t[l] + g->l_vt[l] * g->v_t[l]};
      const double dx[2] = {g->k_zn[l] * g->dz_n[l] + g->k_zt[l] * g->dz_t[l] + g->k_vn[l] * g->dv_n[l],
                            g->l_zn[l] * g->dz_n[l] + g->l_zt[l] * g->dz_t[l] + g->l_vt[l] * g->dv_t[l]};
      for (int i = 0; i < 2; i++)
        if (sign * dx[i] < 0) longest = dls_min(longest, dls_max(x[i], 0) / -(sign * dx[i]));
    }
  return longest;
}

static dls_path_kink run(const dls_graph_lanes *lanes, problem *p, double sign, double longest) {
  const dls_graph_factor factor = {p->n, p->start, p->col, p->d, p->up, p->low};
  lanes->factor(&factor);
  lanes->lower(&factor, p->y);
  lanes->upper(&factor, p->y);
  return lanes->direct(GROUPS, p->group, p->y, sign, longest);
}

static int complain(const char *what, int seed, double by) {
  printf("%s: seed %d, %g\n", what, seed, by);
  return 1;
}

static int test(int seed) {
  state = (uint64_t)seed * 7919 + 1;
  for (int k = 0; k < 8; k++) (void)uniform();
  memset(&first, 0, sizeof first);
  make_graph(&first);
  make_groups(&first);
  const double sign = uniform() < 0.5 ? 1 : -1, longest = uniform() < 0.3 ? 1e-3 : DLS_INF;
  plain = first;
  const dls_path_kink kink = run(dls_graph_lanes_at(0), &plain, sign, longest);
  const double missed = equations_missed(plain.y);
  if (!(missed <= 1e-10)) return complain("equations do not hold", seed, missed);
  for (int k = 0; k < DLS_PATH_LANES * GROUPS; k++) {
    const double apart = direction_missed(&plain.group[k / DLS_PATH_LANES], k % DLS_PATH_LANES, plain.y);
    if (!(apart <= 1e-12)) return complain("another direction", seed, apart);
  }
  const double length = nearest(&plain, sign, longest);
  if (!(kink.length == length || fabs(kink.length - length) <= 1e-12 * length))
    return complain("another kink", seed, kink.length - length);
  if ((kink.lane < 0) != (length == longest)) return complain("a kink too many or too few", seed, kink.lane);
  const dls_path_group before = plain.group[GROUPS - 1], *after = &plain.group[GROUPS - 1];
  dls_graph_lanes_at(0)->go(GROUPS, plain.group, 0.5);
  if (after->z_t[3] != before.z_t[3] + 0.5 * before.dz_t[3] || after->v_n[0] != before.v_n[0] + 0.5 * before.dv_n[0])
    return complain("goes elsewhere", seed, 0);
  for (int i = 1; dls_graph_lanes_at(i); i++) {
    wide = first;
    const dls_path_kink other = run(dls_graph_lanes_at(i), &wide, sign, longest);
    dls_graph_lanes_at(i)->go(GROUPS, wide.group, 0.5);
    if (memcmp(&plain, &wide, sizeof plain) != 0) return complain("other bits", seed, i);
    if (kink.length != other.length || kink.lane != other.lane || kink.which != other.which)
      return complain("another kink on another path", seed, i);
  }
  return 0;
}

int main(void) {
  int wrong = 0;
  for (int seed = 1; seed <= SEEDS && !wrong; seed++) wrong = test(seed);
  if (!wrong) puts("ok");
  return wrong;
}
