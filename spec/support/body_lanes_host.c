/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/graph/body_lanes.h"

/* The block LU in space (graph/body_lanes.h) on random bands of blocks, whose largest numbers are beside the diagonal and
** some of whose pivots begin with a zero: L D U multiplied out is the matrix that was factored, and every path gives the
** bits of the plain one. Prints what is wrong, and "ok" at the end. */
static uint64_t state;
static double uniform(void) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 400, N = 20, NU = 6, M = NU * N };

typedef struct problem {
  int n, start[N + 1], col[N * N];
  double d[N * DLS_BODY_BLOCK], up[N * N * DLS_BODY_BLOCK], low[N * N * DLS_BODY_BLOCK];
} problem;
static problem first, plain, wide;
static double K[M][M], L[M][M], U[M][M];

/* A block of numbers; what it says in K. */
static void fill(double *block, int i, int j, double size) {
  for (int a = 0; a < NU; a++)
    for (int b = 0; b < NU; b++) {
      double x = within(size);
      if (i == j) x += a == (b + 1) % NU ? 4 : 0;
      if (i == j && a != (b + 1) % NU && uniform() < 0.3) x = 0;
      block[DLS_BODY_ROW * a + b] = K[NU * i + a][NU * j + b] = x;
    }
}

static void make_graph(problem *p) {
  p->n = 1 + (int)(uniform() * N);
  const int band = (int)(uniform() * 6);
  int at = 0;
  memset(K, 0, sizeof K);
  for (int k = 0; k < p->n; k++) {
    p->start[k] = at;
    fill(p->d + k * DLS_BODY_BLOCK, k, k, 0.3);
    for (int j = k + 1; j < p->n && j <= k + band; j++, at++) {
      p->col[at] = j;
      fill(p->up + at * DLS_BODY_BLOCK, k, j, 0.15);
      fill(p->low + at * DLS_BODY_BLOCK, j, k, 0.15);
    }
  }
  p->start[p->n] = at;
}

static void run(const dls_body_lanes *lanes, problem *p) {
  const dls_graph_factor factor = {p->n, p->start, p->col, p->d, p->up, p->low};
  lanes->factor(&factor);
}

/* a <- a^-1 by Gauss and Jordan, the largest of a column as its pivot. */
static void invert(double a[NU][NU]) {
  double own[NU][NU] = {{0}};
  for (int i = 0; i < NU; i++) own[i][i] = 1;
  for (int k = 0; k < NU; k++) {
    int best = k;
    for (int i = k + 1; i < NU; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    for (int j = 0; j < NU; j++) {
      const double x = a[k][j], y = own[k][j];
      a[k][j] = a[best][j], own[k][j] = own[best][j];
      a[best][j] = x, own[best][j] = y;
    }
    const double pivot = a[k][k];
    for (int j = 0; j < NU; j++) a[k][j] /= pivot, own[k][j] /= pivot;
    for (int i = 0; i < NU; i++) {
      const double x = a[i][k];
      for (int j = 0; i != k && j < NU; j++) a[i][j] -= x * a[k][j], own[i][j] -= x * own[k][j];
    }
  }
  memcpy(a, own, sizeof own);
}

/* How far L U, with the pivots (the inverses of what stands in d) in U and 1 in L, is from K. */
static double missed(const problem *p) {
  const int m = NU * p->n;
  memset(L, 0, sizeof L);
  memset(U, 0, sizeof U);
  for (int k = 0; k < p->n; k++) {
    double pivot[NU][NU];
    for (int a = 0; a < NU; a++)
      for (int b = 0; b < NU; b++) pivot[a][b] = p->d[k * DLS_BODY_BLOCK + DLS_BODY_ROW * a + b];
    invert(pivot);
    for (int a = 0; a < NU; a++) {
      L[NU * k + a][NU * k + a] = 1;
      for (int b = 0; b < NU; b++) {
        U[NU * k + a][NU * k + b] = pivot[a][b];
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
          U[NU * k + a][NU * p->col[e] + b] = p->up[e * DLS_BODY_BLOCK + DLS_BODY_ROW * a + b];
          L[NU * p->col[e] + a][NU * k + b] = p->low[e * DLS_BODY_BLOCK + DLS_BODY_ROW * a + b];
        }
      }
    }
  }
  double worst = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double sum = -K[i][j];
      for (int k = 0; k <= (i < j ? i : j) / NU * NU + NU - 1; k++) sum += L[i][k] * U[k][j];
      worst = dls_max(worst, fabs(sum));
    }
  return worst;
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
  plain = first;
  run(dls_body_lanes_at(0), &plain);
  const double by = missed(&plain);
  if (!(by <= 1e-11)) return complain("not the factor of its matrix", seed, by);
  for (int i = 1; dls_body_lanes_at(i); i++) {
    wide = first;
    run(dls_body_lanes_at(i), &wide);
    if (memcmp(&plain, &wide, sizeof plain) != 0) return complain("other bits", seed, i);
  }
  return 0;
}

/* J' S M^-1 J of one contact, added to four blocks, of which some are none: as its 3 x 3 matrix multiplied out, and by every
** path to the bits of the plain one. */
static int test_add(int seed) {
  double J[3][2 * NU], MJ[3][2 * NU], S[3][3] = {{0}}, K0[4][DLS_BODY_BLOCK], K1[4][DLS_BODY_BLOCK], K2[4][DLS_BODY_BLOCK];
  state = (uint64_t)seed * 7919;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2 * NU; i++) J[k][i] = within(1), MJ[k][i] = within(1);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < DLS_BODY_BLOCK; i++) K0[k][i] = K1[k][i] = K2[k][i] = i % DLS_BODY_ROW < NU ? within(1) : 0;
  dls_body_rows rows = {.slips = uniform() < 0.5, .n = uniform(), .t = uniform()};
  S[0][0] = rows.n, S[1][1] = S[2][2] = rows.t;
  if (rows.slips) {
    rows.w_1 = within(1), rows.w_2 = within(1), rows.along_1 = within(1), rows.along_2 = within(1);
    const double q[2] = {-rows.w_2, rows.w_1};
    S[1][0] = rows.along_1, S[2][0] = rows.along_2;
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) S[1 + i][1 + j] = rows.t * q[i] * q[j];
  }
  double *own[4], *best[4];
  for (int k = 0; k < 4; k++) {
    const bool none = uniform() < 0.2;
    own[k] = none ? NULL : K1[k], best[k] = none ? NULL : K2[k];
  }
  dls_body_lanes_at(0)->add(&rows, J[0], MJ[0], own);
  for (int p = 1; dls_body_lanes_at(p); p++) {
    memcpy(K2, K0, sizeof K2);
    dls_body_lanes_at(p)->add(&rows, J[0], MJ[0], best);
    if (memcmp(K1, K2, sizeof K1) != 0) return printf("seed %d: add by %s differs\n", seed, dls_body_lanes_at(p)->name), 1;
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < NU; i++)
      for (int j = 0; j < DLS_BODY_ROW; j++) {
        double sum = K0[k][DLS_BODY_ROW * i + j];
        for (int x = 0; x < 3 && own[k] && j < NU; x++)
          for (int y = 0; y < 3; y++) sum += J[x][k / 2 * NU + i] * S[x][y] * MJ[y][k % 2 * NU + j];
        if (!(fabs(sum - K1[k][DLS_BODY_ROW * i + j]) <= 1e-14)) return printf("seed %d: add\n", seed), 1;
      }
  return 0;
}

int main(void) {
  int wrong = 0;
  for (int seed = 1; seed <= SEEDS && !wrong; seed++) wrong = test(seed) || test_add(seed);
  if (!wrong) puts("ok");
  return wrong;
}
