/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/residual.h"

#include "core/math/lanes.h"
#include "core/math/pair.h"

/* The eight partial sums and the tree of math/lanes.h, one product each; a sum is never -0. */
static void image_of_few(const dls_lcp *p, const double *z, double *w) {
  const int n = p->n;
  for (int i = 0; i < n; i++) {
    const double *row = p->M + i * n;
    double s[8] = {0.0};
    for (int j = 0; j < n; j++) s[j] += row[j] * z[j];
    const double low = (s[0] + s[4]) + (s[2] + s[6]), high = (s[1] + s[5]) + (s[3] + s[7]);
    w[i] = (low + high) + p->q[i];
  }
}

void dls_lcp_image(const dls_lcp *p, const double *z, double *w) {
  const size_t n = (size_t)p->n;
  if (p->M != NULL && n <= 8) {
    image_of_few(p, z, w);
    return;
  }
  if (p->M != NULL) dls_lanes_best()->gemv(p->n, p->n, p->M, n, z, w);
  else dls_sparse_times(p->S, z, w);
  for (size_t i = 0; i < n; i++) w[i] += p->q[i];
}

static double row_largest(const dls_lcp *p, int i) {
  const size_t n = (size_t)p->n;
  double most = 0.0;
  if (p->M != NULL)
    for (size_t j = 0; j < n; j++) most = dls_max(most, fabs(p->M[(size_t)i * n + j]));
  else
    for (int e = p->S->start[i]; e < p->S->start[i + 1]; e++)
      most = dls_max(most, fabs(p->S->value[e]));
  return most;
}

/* d_i of the residual. */
static double weight(const dls_lcp *p, int i) {
  const double diagonal =
      p->M != NULL ? p->M[(size_t)i * ((size_t)p->n + 1)] : dls_lcp_at(p, i, i);
  if (diagonal > 0.0) return diagonal;
  const double most = row_largest(p, i);
  return most > 0.0 ? most : 1.0;
}

/* The largest |min(d_i z_i, w_i)| and |min(z_i, w_i)| of a w at hand, and max |q|. A product d_i
** z_i that overflows is harmless where w_i is the smaller of the two, and is infinite where it is
** not. */
typedef struct worst {
  double weighted, plain, scale;  /* as above */
} worst;

static worst worst_of(const dls_lcp *p, const double *z, const double *w) {
  worst r = {0.0, 0.0, 0.0};
  double odd = 0.0;
  for (int i = 0; i < p->n; i++) {
    const double zi = z[i], wi = w[i], d = zi == 0.0 ? 1.0 : weight(p, i);
    odd += (zi - zi) + (wi - wi); /* not zero where one is infinite or not a number */
    r.weighted = dls_max(r.weighted, fabs(dls_min(d * zi, wi)));
    r.plain = dls_max(r.plain, fabs(dls_min(zi, wi)));
    r.scale = dls_max(r.scale, fabs(p->q[i]));
  }
  if (odd != 0.0) r.weighted = r.plain = DLS_INF;
  if (!(r.scale > 0.0)) r.scale = 1.0;
  return r;
}

double dls_lcp_residual(const dls_lcp *p, const double *z, double *w, double *natural) {
  dls_lcp_image(p, z, w);
  const worst r = worst_of(p, z, w);
  *natural = r.plain;
  return r.weighted / r.scale; /* quotients last */
}

/* --- round-off -------------------------------------------------------------------------------- */

/* Unit round-off of a double. */
static const double UNIT = 1.0 / 9007199254740992.0;

/* sum_j |M_ij z_j| + |q_i|, and in *terms how many terms there are. */
static double size_of(const dls_lcp *p, const double *z, int i, int *terms) {
  const size_t n = (size_t)p->n;
  double sum = fabs(p->q[i]);
  if (p->M != NULL) {
    const double *row = p->M + (size_t)i * n;
    double s[4] = {0.0};
    size_t j = 0;
    for (; j + 4 <= n; j += 4)
      for (size_t k = 0; k < 4; k++) s[k] += fabs(row[j + k] * z[j + k]);
    for (; j < n; j++) s[0] += fabs(row[j] * z[j]);
    *terms = p->n / 8 + 6; /* eight partial sums and their tree */
    return sum + ((s[0] + s[1]) + (s[2] + s[3]));
  }
  for (int e = p->S->start[i]; e < p->S->start[i + 1]; e++)
    sum += fabs(p->S->value[e] * z[p->S->col[e]]);
  *terms = p->S->start[i + 1] - p->S->start[i] + 2;
  return sum;
}

void dls_lcp_round_off(const dls_lcp *p, const double *z, double *plain, double *twice) {
  *plain = *twice = 0.0;
  for (int i = 0; i < p->n; i++) {
    int terms;
    const double size = size_of(p, z, i, &terms), grown = UNIT * (double)terms;
    *plain = dls_max(*plain, grown * size);
    /* one sum: up to eight times the terms */
    *twice = dls_max(*twice, 2.0 * (8.0 * grown) * (8.0 * grown) * size);
  }
}

static void add_product(double a, double b, double *sum, double *rest) {
  const dls_pair product = dls_two_prod(a, b), s = dls_two_sum(*sum, product.hi);
  *sum = s.hi;
  *rest += s.lo + product.lo;
}

void dls_lcp_image_in_twice(const dls_lcp *p, const double *z, double *w) {
  const size_t n = (size_t)p->n;
  for (int i = 0; i < p->n; i++) {
    double sum = p->q[i], rest = 0.0;
    if (p->M != NULL)
      for (size_t j = 0; j < n; j++) add_product(p->M[(size_t)i * n + j], z[j], &sum, &rest);
    else
      for (int e = p->S->start[i]; e < p->S->start[i + 1]; e++)
        add_product(p->S->value[e], z[p->S->col[e]], &sum, &rest);
    const double both = sum + rest;
    if (both == both) w[i] = both; /* else a product is beyond what halves of digits can hold */
  }
}

/* dls_lcp_image(), and a bound of its round-off; infinite where that would take another look at
** M. */
static double image_and_bound(const dls_lcp *p, const double *z, double *w) {
  enum { FEW = 8 }; /* rows: the exact bound costs as little */
  const size_t n = (size_t)p->n;
  if (p->M == NULL || n <= FEW) {
    dls_lcp_image(p, z, w);
    return DLS_INF;
  }
  const dls_lanes *lanes = dls_lanes_best();
  const double size = lanes->gemv_size(p->n, p->n, p->M, n, z, w) + lanes->amax(p->n, p->q);
  for (size_t i = 0; i < n; i++) w[i] += p->q[i];
  return UNIT * (double)(p->n / 8 + 6) * size;
}

double dls_lcp_residual_to(const dls_lcp *p, double tolerance, const double *z, double *w,
                           double *natural) {
  static const double FAR = 1e3; /* tolerances: no round-off makes an answer of that */
  double plain, twice;
  const double bound = image_and_bound(p, z, w);
  worst r = worst_of(p, z, w);
  *natural = r.plain;
  const double most = tolerance * r.scale;
  if (!(r.weighted <= FAR * most)) return r.weighted / r.scale;
  if (r.weighted + bound <= most) return r.weighted / r.scale;
  dls_lcp_round_off(p, z, &plain, &twice);
  if (r.weighted + plain <= most) return r.weighted / r.scale;
  dls_lcp_image_in_twice(p, z, w);
  r = worst_of(p, z, w);
  *natural = r.plain;
  if (r.weighted <= most && r.weighted + twice > most) r.weighted += twice; /* nobody can say */
  return r.weighted / r.scale;
}

void dls_lcp_judge(const dls_lcp *p, const dls_lcp_opts *opts, const double *z, double *w,
                   dls_outcome otherwise, dls_lcp_report *report) {
  report->residual = dls_lcp_residual_to(p, opts->tolerance, z, w, &report->natural);
  if (report->residual <= opts->tolerance) report->outcome = DLS_SOLVED;
  else report->outcome = otherwise == DLS_SOLVED ? DLS_LIMIT : otherwise;
}
