/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/scaling.h"

#define ROUNDS 4            /* of equilibration; the maxima are within a factor 2 of 1 after it */
#define FAR_APART 1e-100     /* smallest entry over the largest: farther apart than LCPs are      */
#define MORE_ROUNDS 12      /* of those: a round halves the exponents                           */
#define FRACTION_BITS 52    /* of a double                                                      */
#define EXPONENT_BIAS 1023
#define EXPONENT_MASK 0x7ff

static double pow2(int e) {
  const int clamped = e < -1022 ? -1022 : (e > 1023 ? 1023 : e);
  const uint64_t bits = (uint64_t)(clamped + EXPONENT_BIAS) << FRACTION_BITS;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* floor(log2 |x|), down to -1022 for the smallest numbers. */
static int exponent(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int biased = (int)(bits >> FRACTION_BITS & EXPONENT_MASK);
  return biased == 0 ? -1022 : biased - EXPONENT_BIAS;
}

double dls_pow2_below(double x) { return x == 0.0 ? 1.0 : pow2(exponent(x)); }

/* 1 / sqrt(x), rounded to a power of two. */
static double inverse_root(double x) {
  const int e = exponent(x);
  return pow2(-(e >= 0 ? e / 2 : -((-e + 1) / 2)));
}

size_t dls_lcp_scaling_bytes(int n) {
  const size_t one = dls_arena_bytes((size_t)n, sizeof(double));
  return dls_bytes_add(one, one);
}

bool dls_lcp_scaling_take(dls_lcp_scaling *scaling, int n, dls_arena *tmp) {
  scaling->n = n;
  scaling->row = DLS_TAKE(tmp, double, n);
  scaling->col = DLS_TAKE(tmp, double, n);
  return scaling->row != NULL && scaling->col != NULL;
}

void dls_lcp_scaling_rhs(dls_lcp_scaling *scaling, const double *q) {
  double largest = 0.0;
  for (int i = 0; i < scaling->n; i++) largest = dls_max(largest, fabs(q[i]));
  scaling->s0 = dls_pow2_below(largest);
  largest = 0.0;
  for (int i = 0; i < scaling->n; i++)
    largest = dls_max(largest, fabs(q[i] / scaling->s0 * scaling->row[i]));
  scaling->s1 = dls_pow2_below(largest);
}

/* Largest |r_i M_ij c_j| of every row and of every column. */
static void maxima(const dls_lcp_scaling *scaling, const double *M, double *rows, double *cols) {
  const size_t n = (size_t)scaling->n;
  for (size_t j = 0; j < n; j++) cols[j] = 0.0;
  for (size_t i = 0; i < n; i++) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
      const double a = fabs(scaling->row[i] * M[i * n + j] * scaling->col[j]);
      largest = dls_max(largest, a);
      cols[j] = dls_max(cols[j], a);
    }
    rows[i] = largest;
  }
}

dls_status dls_lcp_scaling_find(dls_lcp_scaling *scaling, const double *M, const double *q,
                                dls_arena *tmp) {
  const size_t n = (size_t)scaling->n, mark = dls_arena_mark(tmp);
  double *rows = DLS_TAKE(tmp, double, n), *cols = DLS_TAKE(tmp, double, n);
  if (rows == NULL || cols == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  double largest = 0.0, least = DLS_INF;
  for (size_t i = 0; i < n * n; i++) {
    const double a = fabs(M[i]);
    largest = dls_max(largest, a);
    if (a > 0.0) least = dls_min(least, a);
  }
  const bool far = least < FAR_APART * largest; /* one factor for all might make some vanish */
  const double first = largest > 0.0 && !far ? inverse_root(largest) : 1.0;
  for (size_t i = 0; i < n; i++) scaling->row[i] = scaling->col[i] = first;
  bool changed = true;
  for (int round = 0; round < (far ? MORE_ROUNDS : ROUNDS) && changed; round++) {
    changed = false;
    maxima(scaling, M, rows, cols);
    for (size_t i = 0; i < n; i++) {
      const double r = rows[i] > 0.0 ? inverse_root(rows[i]) : 1.0;
      const double c = cols[i] > 0.0 ? inverse_root(cols[i]) : 1.0;
      scaling->row[i] *= r;
      scaling->col[i] *= c;
      changed = changed || r != 1.0 || c != 1.0;
    }
  }
  dls_lcp_scaling_rhs(scaling, q);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

void dls_lcp_scaling_q(const dls_lcp_scaling *scaling, const double *q, double *scaled) {
  for (int i = 0; i < scaling->n; i++)
    scaled[i] = q[i] / scaling->s0 * scaling->row[i] / scaling->s1;
}

double dls_lcp_scaling_one(const dls_lcp_scaling *scaling, int i, double scaled) {
  return scaled * scaling->s1 * scaling->col[i] * scaling->s0;
}

void dls_lcp_scaling_z(const dls_lcp_scaling *scaling, const double *scaled, double *z) {
  for (int i = 0; i < scaling->n; i++) z[i] = dls_lcp_scaling_one(scaling, i, scaled[i]);
}
