/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BATCH_H
#define DLS_COLLIDE_BATCH_H

#include "core/base/real.h"

/* Narrow phase of many pairs of one kind over arrays, the same bits as the single pairs of
** collide.h. Normals point from a to b. */

/* Disks a[k], b[k]: gap and unit normal of n pairs.
**   gap = |x_b - x_a| - r_a - r_b;   concentric disks take the normal (1, 0). */
void dls_collide_disks(int n, const int *a, const int *b, const double *x, const double *y,
                       const double *r, double *gap, double *nx, double *ny);

/* Disks against the inside of a drum's shell of radius R about (cx, cy), the drum being a:
**   gap = R - r - |x - c|,  normal towards the axis. */
void dls_collide_disks_shell(int n, const int *b, const double *x, const double *y,
                             const double *r, double cx, double cy, double R, double *gap,
                             double *nx, double *ny);

/* Capsules in space as SoA: centre, unit axis, half length, radius. */
typedef struct dls_capsules {
  const double *x, *y, *z;    /* centres                       */
  const double *ux, *uy, *uz; /* unit axes                     */
  const double *half;         /* half of the straight part, m  */
  const double *r;            /* radii, m                      */
} dls_capsules;

/* The least gap of n pairs of capsules, its normal, and the places s_a, s_b on their axes (from
** the centres, m) where it is. Parallel ones take the middle of the common part. */
void dls_collide_capsules(int n, const int *a, const int *b, const dls_capsules *c, double *gap,
                          double *nx, double *ny, double *nz, double *s_a, double *s_b);

#endif
