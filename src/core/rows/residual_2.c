/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/residual_2.h"

#include "core/rows/lean_rows.h"

/* r^2 of a planar contact, whose set is a wedge, written out; norm: |W|. Contacts stick, slide and open as they
** come, so both answers are made and one is taken, without a branch. */
static inline __attribute__((always_inline)) double wedge_error(double norm, double mu, double p_n, double p_t,
                                                                double v_n, double y_t) {
  const double y_n = v_n + mu * fabs(y_t);
  const double x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = fabs(x_t);
  const double side = (x_n + mu * size) / (1 + mu * mu); /* outside: the apex, or a side */
  const double z_n = dls_choose(side > 0, side, 0), z_t = copysign(mu * z_n, x_t);
  const bool outside = (x_n < 0) | (size > mu * x_n);
  const double d_n = dls_choose(outside, norm * p_n - z_n, y_n);
  const double d_t = dls_choose(outside, norm * p_t - z_t, y_t);
  return d_n * d_n + d_t * d_t;
}

/* The same of two at once. */
typedef double duo __attribute__((vector_size(16)));
typedef int64_t duo_bits __attribute__((vector_size(16)));

static inline duo choose_duo(duo_bits yes, duo a, duo b) {
  return (duo)(((duo_bits)a & yes) | ((duo_bits)b & ~yes));
}

static inline __attribute__((always_inline)) duo wedge_errors(duo norm, duo mu, duo p_n, duo p_t, duo v_n, duo y_t) {
  const duo_bits sign = (duo_bits){INT64_MIN, INT64_MIN};
  const duo zero = {0, 0}, y_n = v_n + mu * (duo)((duo_bits)y_t & ~sign);
  const duo x_n = norm * p_n - y_n, x_t = norm * p_t - y_t, size = (duo)((duo_bits)x_t & ~sign);
  const duo side = (x_n + mu * size) / (1 + mu * mu);
  const duo z_n = (duo)((duo_bits)side & (side > zero)), z_t = mu * z_n;
  duo_bits outside = (x_n < zero) | (size > mu * x_n);
#if defined(__SSE2__)
  __asm__("" : "+x"(outside)); /* gcc would choose one by one, through other registers */
#endif
  const duo d_n = choose_duo(outside, norm * p_n - z_n, y_n);
  const duo d_t = choose_duo(outside, norm * p_t - (duo)((duo_bits)z_t | ((duo_bits)x_t & sign)), y_t);
  return d_n * d_n + d_t * d_t;
}

double dls_residual_wedge(const dls_rows *rows, const dls_block *block, const double *v) {
  const int i = block->row;
  const double *W = rows->W + (size_t)i * 3, p_n = rows->p[i], p_t = rows->p[i + 1];
  const double w = W[0] * W[0] + W[1] * W[1] + W[3] * W[3] + W[4] * W[4];
  return sqrt(wedge_error(w > 0 ? sqrt(w) : 1, block->mu[0], p_n, p_t, v[0] + rows->s[i] + rows->gamma[i] * p_n,
                          v[1] + rows->s[i + 1] + rows->gamma[i + 1] * p_t));
}

double dls_residual_lean(const dls_rows *rows, const dls_block *block) {
  const dls_lean *c = &rows->lean[block - rows->block];
  const double *p = rows->p + block->row, *s = rows->s + block->row;
  double v[2];
  dls_lean_speeds(c, rows->u + (size_t)c->a * 3, rows->u + (size_t)c->b * 3, v);
  return sqrt(wedge_error(c->norm, c->mu, p[0], p[1], v[0] + s[0], v[1] + s[1]));
}

double dls_residual_lean_run(dls_rows *rows, int run) {
  const int first = rows->lean_run[2 * run], n = dls_run_end(rows, run) - first, row = rows->block[first].row;
  const dls_lean *c = rows->lean + first;
  const double *p = rows->p + row, *s = rows->s + row, *u = rows->u;
  double *v = rows->v + row;
  duo worst = {0, 0};
  for (int k = 0; k < n; k++, c++, v += 2) dls_lean_speeds(c, u + (size_t)c->a * 3, u + (size_t)c->b * 3, v);
  c -= n, v -= 2 * (size_t)n;
  for (int k = 0; k < n; k += 2, c += 2, p += 4, s += 4, v += 4) {
    const int d = k + 1 < n; /* the last may stand for both */
    const duo norm = {c[0].norm, c[d].norm}, mu = {c[0].mu, c[d].mu};
    const duo p_n = {p[0], p[2 * d]}, p_t = {p[1], p[2 * d + 1]};
    const duo y_n = (duo){v[0], v[2 * d]} + (duo){s[0], s[2 * d]};
    const duo y_t = (duo){v[1], v[2 * d + 1]} + (duo){s[1], s[2 * d + 1]};
    const duo r = wedge_errors(norm, mu, p_n, p_t, y_n, y_t);
    worst = choose_duo(r <= worst, worst, r);
  }
  return sqrt(worst[1] <= worst[0] ? worst[0] : worst[1]);
}

double dls_scale_lean_run(const dls_rows *rows, int run) {
  const dls_lean *c = rows->lean + rows->lean_run[2 * run], *const end = rows->lean + dls_run_end(rows, run);
  const double *u = rows->u_free;
  double worst[2] = {0, 0}, v[2];
  for (; c < end; c++) {
    dls_lean_speeds(c, u + (size_t)c->a * 3, u + (size_t)c->b * 3, v);
    worst[0] = dls_max(worst[0], fabs(v[0]));
    worst[1] = dls_max(worst[1], fabs(v[1]));
  }
  return dls_max(worst[0], worst[1]);
}
