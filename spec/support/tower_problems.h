/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef TOWER_PROBLEMS_H
#define TOWER_PROBLEMS_H

/* Towers of boxes on faces as cone problems, from fixed seeds: more corners than carry them. */
#include "core/cone/cone.h"
#include "lcp_families.h"

enum { MOST_BOXES = 2, CORNERS = 4, CONTACTS = MOST_BOXES * CORNERS, ROWS = 3 * CONTACTS };
static double W[ROWS * ROWS], b[ROWS], J[ROWS][2 * 6];
static int above[ROWS]; /* the upper body of a row; the lower is one less, -1 the ground */
static dls_cone_group groups[CONTACTS];

/* Row of axis k at the point r of a body whose centre is at height z: velocity, spin. */
static void note_row(double *row, int k, const double *r, double z, double sign) {
  const double arm[3] = {r[0], r[1], r[2] - z};
  static const int AXIS[3] = {2, 0, 1};
  const int a = AXIS[k], next = (a + 1) % 3, last = (a + 2) % 3;
  memset(row, 0, 6 * sizeof *row);
  row[a] = sign;
  row[3 + last] = -sign * arm[next]; /* arm x axis */
  row[3 + next] = sign * arm[last];
}

/* J' u of two rows that share body `at`, weighed by M^-1. */
static double meet(const double *x, const double *y, const double *weight) {
  double sum = 0;
  for (int k = 0; k < 6; k++) sum += x[k] * y[k] * weight[k];
  return sum;
}

/* Tower `seed`; its free velocities leave the range of W by 10^least to 10^(least + 2) of gravity's. */
static dls_cone_problem make(int seed, double least) {
  family_rng r = {(uint64_t)seed};
  const int boxes = 1 + (int)(MOST_BOXES * uniform(&r)) % MOST_BOXES;
  static double weight[MOST_BOXES][6], u[MOST_BOXES][6];
  int n = 0, m = 0;
  for (int i = 0; i < boxes; i++) {
    const double mass = 0.5 + uniform(&r), height = 0.5 + i;
    for (int k = 0; k < 6; k++) {
      weight[i][k] = 1 / (k < 3 ? mass : mass * (0.1 + 0.1 * uniform(&r)));
      u[i][k] = (k == 2 ? -0.16 : 0) + 0.01 * normal(&r);
    }
    for (int c = 0; c < CORNERS; c++, m++) {
      const double x = (c % 2 ? 0.5 : -0.5) * (0.6 + 0.4 * uniform(&r));
      const double at[3] = {x, (c < 2 ? 0.5 : -0.5) * (0.6 + 0.4 * uniform(&r)), i};
      groups[m] = (dls_cone_group){.kind = DLS_CONE_SPATIAL, .row = n, .mu = {0.2 + 0.6 * uniform(&r)}};
      for (int k = 0; k < 3; k++, n++) {
        above[n] = i;
        note_row(J[n], k, at, height, 1);
        note_row(J[n] + 6, k, at, height - 1, -1);
      }
    }
  }
  const double off = 0.16 * pow(10, least + 2 * uniform(&r));
  for (int i = 0; i < n; i++) {
    b[i] = off * (2 * uniform(&r) - 1);
    for (int k = 0; k < 6; k++) {
      b[i] += J[i][k] * u[above[i]][k];
      if (above[i] > 0) b[i] += J[i][6 + k] * u[above[i] - 1][k];
    }
    for (int j = 0; j < n; j++) {
      const int i_above = above[i], j_above = above[j];
      double sum = 0;
      if (i_above == j_above) {
        sum = meet(J[i], J[j], weight[i_above]);
        if (i_above > 0) sum += meet(J[i] + 6, J[j] + 6, weight[i_above - 1]);
      } else if (i_above == j_above + 1) sum = meet(J[i] + 6, J[j], weight[j_above]);
      else if (j_above == i_above + 1) sum = meet(J[i], J[j] + 6, weight[i_above]);
      W[i * n + j] = sum;
    }
  }
  return (dls_cone_problem){.n_rows = n, .n_groups = m, .groups = groups, .W = W, .b = b};
}

/* The residual of cone/cone.h, without its code. */
static long double residual_of(const dls_cone_problem *pr, const double *p) {
  const int n = pr->n_rows;
  long double worst = 0, size = 0;
  for (int i = 0; i < n; i++) size = fmaxl(size, fabsl(b[i]));
  for (int g = 0; g < pr->n_groups; g++) {
    const int at = groups[g].row;
    const long double mu = groups[g].mu[0];
    long double y[3], norm = 0, x[3], out[3];
    for (int k = 0; k < 3; k++) {
      y[k] = b[at + k];
      for (int j = 0; j < n; j++) y[k] += (long double)W[(at + k) * n + j] * p[j];
      for (int j = 0; j < 3; j++) norm += (long double)W[(at + k) * n + at + j] * W[(at + k) * n + at + j];
    }
    norm = sqrtl(norm);
    y[0] += mu * sqrtl(y[1] * y[1] + y[2] * y[2]);
    for (int k = 0; k < 3; k++) x[k] = p[at + k] - y[k] / norm;
    const long double t = sqrtl(x[1] * x[1] + x[2] * x[2]);
    if (t <= mu * x[0]) memcpy(out, x, sizeof out);
    else if (mu * t <= -x[0]) memset(out, 0, sizeof out);
    else {
      out[0] = (x[0] + mu * t) / (1 + mu * mu);
      for (int k = 1; k < 3; k++) out[k] = mu * out[0] * x[k] / t;
    }
    long double sum = 0;
    for (int k = 0; k < 3; k++) sum += (p[at + k] - out[k]) * (p[at + k] - out[k]);
    worst = fmaxl(worst, sqrtl(sum) * norm);
  }
  return worst / size;
}

#endif
