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

/* A few contacts of places at random, of which some do not move. */
enum { CONTACTS = 5, PLACES = 4, NUMBERS = PLACES * DLS_BODY_ROW };
typedef struct contacts {
  int n;
  dls_body_contact c[CONTACTS];
  double K[CONTACTS][4][DLS_BODY_BLOCK], p[3 * CONTACTS], x[NUMBERS], y[NUMBERS],
      u[NUMBERS], v[3 * CONTACTS];
} contacts;
static contacts first_few, few, wide_few;

static void aim_blocks(contacts *s) {
  for (int i = 0; i < s->n; i++)
    for (int k = 0; k < 4; k++)
      s->c[i].K[k] = s->c[i].at[k / 2] >= 0 && s->c[i].at[k % 2] >= 0 ? s->K[i][k] : NULL;
}

static void make_contacts(contacts *s) {
  memset(s, 0, sizeof *s);
  s->n = (int)(uniform() * (CONTACTS + 1));
  for (int i = 0; i < NUMBERS; i++)
    if (i % DLS_BODY_ROW < NU)
      s->x[i] = within(1), s->y[i] = within(1), s->u[i] = within(1);
  for (int i = 0; i < s->n; i++) {
    dls_body_contact *c = &s->c[i];
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < DLS_BODY_PAIR; l++)
        if (l % DLS_BODY_ROW < NU) c->J[k][l] = within(1), c->MJ[k][l] = within(1);
    for (int k = 0; k < 3; k++) c->g[k] = within(1), s->p[3 * i + k] = within(1);
    c->row = 3 * i;
    const int a = (int)(uniform() * PLACES),
              b = (a + 1 + (int)(uniform() * (PLACES - 1))) % PLACES;
    c->at[0] = uniform() < 0.2 ? -1 : DLS_BODY_ROW * a;
    c->at[1] = uniform() < 0.2 ? -1 : DLS_BODY_ROW * b;
    c->S = (dls_body_rows){.acts = uniform() < 0.8,
                           .slips = uniform() < 0.5,
                           .n = uniform(),
                           .t = uniform()};
    if (c->S.slips)
      c->S.w_1 = within(1), c->S.w_2 = within(1), c->S.along_1 = within(1),
      c->S.along_2 = within(1);
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < DLS_BODY_BLOCK; l++)
        s->K[i][k][l] = l % DLS_BODY_ROW < NU ? within(1) : 0;
  }
}

static void run_contacts(const dls_body_lanes *lanes, contacts *s) {
  aim_blocks(s);
  lanes->add(s->n, s->c, s->y);
  lanes->speeds(s->n, s->c, s->x, s->v);
  lanes->push(s->n, s->c, s->p, s->u);
  for (int i = 0; i < s->n; i++)
    memset(s->c[i].K, 0, sizeof s->c[i].K); /* addresses, not numbers */
}

/* The 3 x 3 matrix S. */
static void write_out(const dls_body_rows *rows, double S[3][3]) {
  memset(S, 0, 9 * sizeof(double));
  if (!rows->acts) return;
  S[0][0] = rows->n, S[1][1] = S[2][2] = rows->t;
  if (!rows->slips) return;
  const double q[2] = {-rows->w_2, rows->w_1};
  S[1][0] = rows->along_1, S[2][0] = rows->along_2;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) S[1 + i][1 + j] = rows->t * q[i] * q[j];
}

/* K += J' S M^-1 J, y -= J' g, v = J x, u += M^-1 J' p as products written out, and by every path to the bits of the
** plain one. */
static int test_contacts(int seed) {
  state = (uint64_t)seed * 7919;
  for (int k = 0; k < 8; k++) (void)uniform();
  make_contacts(&first_few);
  few = first_few;
  run_contacts(dls_body_lanes_at(0), &few);
  for (int p = 1; dls_body_lanes_at(p); p++) {
    wide_few = first_few;
    run_contacts(dls_body_lanes_at(p), &wide_few);
    if (memcmp(&few, &wide_few, sizeof few) != 0)
      return complain("contacts: other bits", seed, p);
  }
  double worst = 0, y[NUMBERS], u[NUMBERS], v[3 * CONTACTS] = {0};
  memcpy(y, first_few.y, sizeof y);
  memcpy(u, first_few.u, sizeof u);
  for (int i = 0; i < few.n; i++) {
    const dls_body_contact *c = &few.c[i];
    double S[3][3];
    write_out(&c->S, S);
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < NU * NU; l++) {
        const int at = DLS_BODY_ROW * (l / NU) + l % NU;
        double sum = first_few.K[i][k][at];
        for (int a = 0; a < 9 && c->at[k / 2] >= 0 && c->at[k % 2] >= 0; a++)
          sum += c->J[a / 3][DLS_BODY_ROW * (k / 2) + l / NU] * S[a / 3][a % 3] *
                 c->MJ[a % 3][DLS_BODY_ROW * (k % 2) + l % NU];
        worst = dls_max(worst, fabs(sum - few.K[i][k][at]));
      }
    for (int side = 0; side < 2; side++)
      for (int l = 0; l < NU && c->at[side] >= 0; l++)
        for (int k = 0; k < 3; k++) {
          const int from = DLS_BODY_ROW * side + l, at = c->at[side] + l;
          y[at] -= c->g[k] * c->J[k][from], u[at] += few.p[3 * i + k] * c->MJ[k][from];
          v[3 * i + k] += c->J[k][from] * few.x[at];
        }
  }
  for (int i = 0; i < NUMBERS; i++)
    worst = dls_max(worst, dls_max(fabs(y[i] - few.y[i]), fabs(u[i] - few.u[i])));
  for (int i = 0; i < 3 * CONTACTS; i++) worst = dls_max(worst, fabs(v[i] - few.v[i]));
  return worst <= 1e-13 ? 0 : complain("contacts", seed, worst);
}

int main(void) {
  int wrong = 0;
  for (int seed = 1; seed <= SEEDS && !wrong; seed++)
    wrong = test(seed) || test_contacts(seed);
  if (!wrong) puts("ok");
  return wrong;
}
