/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_MOTION_LANES_H
#define DLS_DISKS_MOTION_LANES_H

#include "core/base/isa.h"
#include "core/collide/gaps.h"

/* What a step in the plane does to every body, several at once. Coordinates and velocities are
** those of the world's arrays, three numbers a body; what is no disk about its mass centre, or does
** not move freely, is made right afterwards by whoever calls. Every path, however wide, gives the
** bits of one body after the other. */

/* Where disks are for whoever looks at pairs, and how far they may come in the step. */
typedef struct dls_placing {
  const double *q, *u, *f; /* 3 a body: q; u before, and without contacts: m, rad, s        */
  const double *radius;    /* a body, m; not positive: not placed                           */
  double h;                /* s                                                             */
  double more;             /* further by this share of the radius                           */
  const double *built[4];  /* lo x, y, hi x, y of the boxes of the neighbour list; NULL: none */
  double limit;            /* by which a face may have moved, m                             */
  dls_spot2 *disk;         /* out, a body; other: 0                                         */
  dls_rim2 *rim;           /* out, a body; hole: 0                                          */
  double *way;             /* out, a body: how far the surface can go, m                    */
} dls_placing;

typedef struct dls_motion_lanes {
  const char *name; /* "plain", "avx2" */
  /* Of n numbers, three a body: q + s u into to, u + h (pull + inverse load) into u_free, where
  ** pull has three. Whether they are finite, all of them. */
  bool (*release)(int n, const double *q, const double *u, const double *load,
                  const double *inverse, const double pull[3], double s, double h, double *to,
                  double *u_free);
  /* q + s u into to, u into kept. */
  void (*drift)(int n, const double *q, const double *u, double s, double *to, double *kept);
  /* n bodies. Whether a disk's box is further than limit from where it was built. */
  bool (*place)(int n, const dls_placing *p);
} dls_motion_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_motion_lanes *dls_motion_lanes_best(void);
const dls_motion_lanes *dls_motion_lanes_at(int i);

/* One number; whether both are finite is told by *zero, which stays zero then. */
static inline void dls_release_one(double q, double u, double load, double inverse, double pull,
                                   double s, double h, double *to, double *u_free, double *zero) {
  *to = q + s * u;
  *u_free = u + h * (pull + inverse * load);
  *zero += 0 * *to + 0 * *u_free;
}

static inline bool dls_place_disk(const dls_placing *p, int i) {
  const double *q = p->q + 3 * (size_t)i, *u = p->u + 3 * (size_t)i, *f = p->f + 3 * (size_t)i;
  const double x = q[0], y = q[1], r = p->radius[i];
  const double v = u[0] * u[0] + u[1] * u[1], v_f = f[0] * f[0] + f[1] * f[1];
  const double way =
      p->h * (sqrt(dls_max(v, v_f)) + r * dls_max(fabs(u[2]), fabs(f[2]))) + p->more * r;
  p->disk[i] = (dls_spot2){x, y, r, 0};
  p->rim[i] = (dls_rim2){x, y, r + way, 0};
  p->way[i] = way;
  if (!p->built[0] || !(r > 0)) return false;
  const double lo_x = x - r - way, lo_y = y - r - way, hi_x = x + r + way, hi_y = y + r + way;
  return (fabs(lo_x - p->built[0][i]) > p->limit) | (fabs(lo_y - p->built[1][i]) > p->limit) |
         (fabs(hi_x - p->built[2][i]) > p->limit) | (fabs(hi_y - p->built[3][i]) > p->limit);
}

/* The paths, for motion_lanes.c alone. */
#ifdef DLS_X86
extern const dls_motion_lanes dls_motion_lanes_avx2;
#endif

#endif
