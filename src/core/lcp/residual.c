/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/residual.h"

#include "core/math/lanes.h"

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

/* A product d_i z_i that overflows is harmless where w_i is the smaller of the two, and is infinite
** where it is not. Quotients by max |q| are taken last. */
double dls_lcp_residual(const dls_lcp *p, const double *z, double *w, double *natural) {
  double worst = 0.0, plain = 0.0, scale = 0.0, odd = 0.0;
  dls_lcp_image(p, z, w);
  for (int i = 0; i < p->n; i++) {
    const double zi = z[i], wi = w[i], d = zi == 0.0 ? 1.0 : weight(p, i);
    odd += (zi - zi) + (wi - wi); /* not zero where one is infinite or not a number */
    worst = dls_max(worst, fabs(dls_min(d * zi, wi)));
    plain = dls_max(plain, fabs(dls_min(zi, wi)));
    scale = dls_max(scale, fabs(p->q[i]));
  }
  *natural = odd == 0.0 ? plain : DLS_INF;
  return odd == 0.0 ? worst / (scale > 0.0 ? scale : 1.0) : DLS_INF;
}

void dls_lcp_judge(const dls_lcp *p, const dls_lcp_opts *opts, const double *z, double *w,
                   dls_outcome otherwise, dls_lcp_report *report) {
  report->residual = dls_lcp_residual(p, z, w, &report->natural);
  if (report->residual <= opts->tolerance) report->outcome = DLS_SOLVED;
  else report->outcome = otherwise == DLS_SOLVED ? DLS_LIMIT : otherwise;
}
