/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/compact.h"

#include "core/base/vector.h"
#include "core/rows/residual_2.h"

#ifndef DLS_PLAIN_C
/* dls_wedge_error() of two contacts at once. */
typedef double duo DLS_VECTOR(16);
typedef int64_t duo_bits DLS_VECTOR(16);

static inline duo choose_duo(duo_bits yes, duo a, duo b) {
  return (duo)(((duo_bits)a & yes) | ((duo_bits)b & ~yes));
}

DLS_INLINE duo wedge_errors(duo norm, duo mu, duo p_n, duo p_t, duo v_n, duo y_t) {
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
  const duo d_t =
      choose_duo(outside, norm * p_t - (duo)((duo_bits)z_t | ((duo_bits)x_t & sign)), y_t);
  return d_n * d_n + d_t * d_t;
}
#endif

double dls_disks_residual(const dls_rows *rows, int k) {
  const dls_block *block = &rows->block[k];
  const dls_disk_contact *c = dls_disk_contacts(rows) + k;
  const double *p = rows->p + block->row, *s = rows->s + block->row;
  double v[2];
  dls_disk_speeds(c, rows->u + (size_t)c->a * 3, rows->u + (size_t)c->b * 3, v);
  return sqrt(dls_wedge_error(c->norm, c->mu, p[0], p[1], v[0] + s[0], v[1] + s[1]));
}

#ifdef DLS_PLAIN_C
double dls_disks_residuals(dls_rows *rows, int first, int end) {
  const int n = end - first, row = rows->block[first].row;
  const dls_disk_contact *c = dls_disk_contacts(rows) + first;
  const double *p = rows->p + row, *s = rows->s + row, *u = rows->u;
  double *v = rows->v + row, worst[2] = {0, 0};
  for (int k = 0; k < n; k++)
    dls_disk_speeds(c + k, u + (size_t)c[k].a * 3, u + (size_t)c[k].b * 3, v + 2 * k);
  for (int k = 0; k < n + n % 2; k++) { /* the last may stand for both */
    const int i = 2 * (k < n ? k : n - 1);
    const dls_disk_contact *d = &c[i / 2];
    const double r =
        dls_wedge_error(d->norm, d->mu, p[i], p[i + 1], v[i] + s[i], v[i + 1] + s[i + 1]);
    worst[k % 2] = r <= worst[k % 2] ? worst[k % 2] : r;
  }
  return sqrt(worst[1] <= worst[0] ? worst[0] : worst[1]);
}
#else
double dls_disks_residuals(dls_rows *rows, int first, int end) {
  const int n = end - first, row = rows->block[first].row;
  const dls_disk_contact *c = dls_disk_contacts(rows) + first;
  const double *p = rows->p + row, *s = rows->s + row, *u = rows->u;
  double *v = rows->v + row;
  duo worst = {0, 0};
  for (int k = 0; k < n; k++, c++, v += 2)
    dls_disk_speeds(c, u + (size_t)c->a * 3, u + (size_t)c->b * 3, v);
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
#endif

double dls_disks_scale(const dls_rows *rows, int first, int end) {
  const dls_disk_contact *c = dls_disk_contacts(rows) + first, *const last =
                                                                   dls_disk_contacts(rows) + end;
  const double *u = rows->u_free;
  double worst[2] = {0, 0}, v[2];
  for (; c < last; c++) {
    dls_disk_speeds(c, u + (size_t)c->a * 3, u + (size_t)c->b * 3, v);
    worst[0] = dls_max(worst[0], fabs(v[0]));
    worst[1] = dls_max(worst[1], fabs(v[1]));
  }
  return dls_max(worst[0], worst[1]);
}
