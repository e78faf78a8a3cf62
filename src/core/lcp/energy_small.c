/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/energy_small.h"

#define SMALL 1e-12

typedef struct zeros {
  double tq[8], td[8]; /* what counts as zero, as in energy.c */
  double unit[8];      /* scale of M_ii: that of w over that of z */
  double q_most;       /* max |q|                             */
} zeros;

/* false: a right side so small that its neighbours' round-off matters. */
static inline bool set_zeros(const dls_lcp *p, const double *d, zeros *t) {
  double d_most = 0.0, e_most = 0.0, q_most = 0.0;
  for (int i = 0; i < p->n; i++) {
    const double q = fabs(p->q[i]);
    q_most = dls_max(q_most, q);
    d_most = dls_max(d_most, d[i]);
    if (d[i] > 0.0) e_most = dls_max(e_most, q * q / d[i]);
  }
  t->q_most = q_most;
  for (int i = 0; i < p->n; i++) {
    const double q = fabs(p->q[i]);
    if (q != 0.0 && q * q < 1e-4 * (d[i] * e_most)) return false;
    t->tq[i] = SMALL * (q == 0.0 ? q_most : q);
    t->unit[i] = d[i] > 0.0 ? d[i] : d_most;
    t->td[i] = SMALL * t->unit[i];
  }
  return true;
}

/* Row r changes from w (enter) to z or back, and its zeros their units with it. */
static inline void change_units(zeros *t, int r, bool enter) {
  const double u = enter ? 1.0 / t->unit[r] : t->unit[r];
  t->tq[r] *= u;
  t->td[r] *= u * u;
}

/* The pivot row; -1 where there is no candidate, -2 where there are only such with a zero
** diagonal. */
static inline int choose(int n, const double *q, const double *d, const zeros *t) {
  double best = 0.0;
  int r = -1, passed = -1;
  for (int i = 0; i < n; i++) {
    if (!(q[i] < -t->tq[i])) continue;
    passed = -2;
    if (!(d[i] > t->td[i])) continue;
    const double gain = q[i] * q[i] / d[i];
    if (!(gain > best)) continue;
    best = gain;
    r = i;
  }
  return r >= 0 ? r : passed;
}

/* As pivot of math/lanes_kernels.inc.h; width is a constant where this is inlined. */
static inline void pivot(int n, int width, double *T, double *q, double *d, int r) {
  double row[8];
  const double P = T[r * width + r], qr = q[r];
  for (int j = 0; j < width; j++) row[j] = T[r * width + j];
  row[r] = 0.0;
  for (int i = 0; i < n; i++) {
    double *Ti = T + i * width;
    if (i == r) continue;
    const double f = Ti[r] / P;
    for (int j = 0; j < width; j++) Ti[j] -= f * row[j];
    Ti[r] = f;
    q[i] -= f * qr;
    d[i] -= f * row[i];
  }
  for (int j = 0; j < width; j++) T[r * width + j] = -row[j] / P;
  T[r * width + r] = d[r] = 1.0 / P;
  q[r] = -qr / P;
}

static inline int solve(const dls_lcp *p, int width, double *z) {
  const int n = p->n;
  double T[64], q[8], d[8];
  unsigned active = 0;
  zeros t;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) T[i * width + j] = p->M[i * n + j];
    for (int j = n; j < width; j++) T[i * width + j] = 0.0;
    q[i] = p->q[i];
    d[i] = p->M[i * n + i];
  }
  if (!set_zeros(p, d, &t)) return -1;
  for (int pivots = 0; pivots <= 3 * n; pivots++) {
    const int r = choose(n, q, d, &t);
    if (r == -1) {
      for (int i = 0; i < n; i++) z[i] = (active >> i & 1u) && q[i] > 0.0 ? q[i] : 0.0;
      return pivots;
    }
    if (r < 0) return -1;
    const double unit = active >> r & 1u ? d[r] : 1.0;
    if (active != 0 && fabs(q[r]) < 1e-9 * t.q_most * unit) return -1;
    pivot(n, width, T, q, d, r);
    active ^= 1u << r;
    change_units(&t, r, active >> r & 1u);
  }
  return -1;
}

int dls_energy_small(const dls_lcp *p, double *z) {
  return p->n <= 4 ? solve(p, 4, z) : solve(p, 8, z);
}
