/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/batch.h"
#include "core/collide/segments.h"

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

void dls_collide_capsules(int n, const int *a, const int *b, const dls_capsules *c, double *gap,
                          double *nx, double *ny, double *nz, double *s_a, double *s_b) {
  for (int k = 0; k < n; k++) {
    int i = a[k], j = b[k];
    dls_vec3 u = {c->ux[i], c->uy[i], c->uz[i]}, v = {c->ux[j], c->uy[j], c->uz[j]};
    dls_vec3 d = {c->x[j] - c->x[i], c->y[j] - c->y[i], c->z[j] - c->z[i]};
    dls_nearest near = dls_segments_nearest(d, u, c->half[i], v, c->half[j]);
    dls_vec3 e = dls_v3_sub(dls_v3_axpy(d, near.t, v), dls_v3_scale(near.s, u));
    double dist = dls_v3_norm(e);
    if (!(dist > 0)) {
      dls_vec3 w = dls_v3_cross(u, v);
      e = dls_v3_norm(w) > 1e-9 ? dls_v3_unit(w) : dls_v3_orthogonal(u);
    }
    double inverse = dist > 0 ? 1 / dist : 1;
    nx[k] = inverse * e.x, ny[k] = inverse * e.y, nz[k] = inverse * e.z;
    gap[k] = dist - c->r[i] - c->r[j];
    s_a[k] = near.s, s_b[k] = near.t;
  }
}
