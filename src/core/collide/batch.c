/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/batch.h"

void dls_collide_disks(int n, const int *a, const int *b, const double *x, const double *y,
                       const double *r, double *gap, double *nx, double *ny) {
  for (int k = 0; k < n; k++) {
    int i = a[k], j = b[k];
    double dx = x[j] - x[i], dy = y[j] - y[i];
    double dist = sqrt(dx * dx + dy * dy), over = dist > 0 ? dist : 1;
    nx[k] = dist > 0 ? dx / over : 1;
    ny[k] = dy / over;
    gap[k] = dist - r[i] - r[j];
  }
}

void dls_collide_disks_shell(int n, const int *b, const double *x, const double *y,
                             const double *r, double cx, double cy, double R, double *gap,
                             double *nx, double *ny) {
  for (int k = 0; k < n; k++) {
    int j = b[k];
    double dx = x[j] - cx, dy = y[j] - cy;
    double dist = sqrt(dx * dx + dy * dy), inverse = 1 / (dist > 0 ? dist : 1);
    nx[k] = dist > 0 ? -(inverse * dx) : -1;
    ny[k] = -(inverse * dy);
    gap[k] = R - dist - r[j];
  }
}

/* The places of least distance on two segments c + s u, |s| <= h: the clamped minimiser of a
** quadratic, one coordinate given the other, then the other way round. det = 1 - (u.v)^2 small:
** parallel, the middle of the common part. Source: Ericson 2005, ch. 5.1.9. */
void dls_collide_capsules(int n, const int *a, const int *b, const dls_capsules *c, double *gap,
                          double *nx, double *ny, double *nz, double *s_a, double *s_b) {
  for (int k = 0; k < n; k++) {
    int i = a[k], j = b[k];
    double dx = c->x[j] - c->x[i], dy = c->y[j] - c->y[i], dz = c->z[j] - c->z[i];
    double ux = c->ux[i], uy = c->uy[i], uz = c->uz[i];
    double vx = c->ux[j], vy = c->uy[j], vz = c->uz[j];
    double hi = c->half[i], hj = c->half[j];
    double uv = ux * vx + uy * vy + uz * vz;
    double du = dx * ux + dy * uy + dz * uz, dv = dx * vx + dy * vy + dz * vz;
    double det = 1 - uv * uv;
    /* Ends of b seen along u, for the parallel case. */
    double reach = fabs(uv) * hj, lo = dls_max(-hi, du - reach), hi2 = dls_min(hi, du + reach);
    double parallel = dls_clamp(0.5 * (lo + hi2), -hi, hi);
    double s = det > 1e-12 ? (du - uv * dv) / det : parallel;
    s = dls_clamp(s, -hi, hi);
    double t = dls_clamp(s * uv - dv, -hj, hj);
    s = dls_clamp(du + t * uv, -hi, hi);
    double ex = dx + t * vx - s * ux, ey = dy + t * vy - s * uy, ez = dz + t * vz - s * uz;
    double dist = sqrt(ex * ex + ey * ey + ez * ez), over = dist > 0 ? dist : 1;
    nx[k] = dist > 0 ? ex / over : 1;
    ny[k] = ey / over;
    nz[k] = ez / over;
    gap[k] = dist - c->r[i] - c->r[j];
    s_a[k] = s, s_b[k] = t;
  }
}
