/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_GAPS_H
#define DLS_COLLIDE_GAPS_H

#include "core/base/isa.h"
#include "core/collide/rods.h"

/* Gaps of many pairs of disks at once, and which of many pairs of rods come near each other: what a
** step asks most often.
**
**     gap = |x_b - x_a| - (r_a + r_b)
**
** Every path, however wide, gives the bits of one pair after the other. */
typedef struct dls_spot2 {
  double x, y;   /* centre, m                                       */
  double radius; /* m; may be infinite                              */
  double other;  /* what it is to the user: 1/kg in steps           */
} dls_spot2;

/* Two of many, within reach of each other. */
typedef struct dls_near {
  int a, b; /* numbers of bodies */
} dls_near;

/* How far round its centre something reaches. */
typedef struct dls_rim2 {
  double x, y;  /* centre, m                                                   */
  double reach; /* m; may be infinite                                          */
  double hole;  /* nothing of it is nearer to its centre, m; not positive: none */
} dls_rim2;

/* Pairs of disks that may touch: n numbers each. With n = (x_b - x_a)/|x_b - x_a|, (1, 0) where
** both are in one place. */
typedef struct dls_meets2 {
  double *gap, *nx, *ny;     /* m; n */
  double *v_free, *v_before; /* n . (f_b - f_a), n . (u_b - u_a) */
  double *size;              /* the smaller radius, m             */
} dls_meets2;

typedef struct dls_gap_lanes {
  const char *name; /* "plain", "avx2" */
  /* n pairs: pair k of the spots a[stride k], b[stride k]. */
  void (*disks)(int n, const int *a, const int *b, int stride, const dls_spot2 *spots, double *gap);
  /* u, f: velocities before, and without contacts, three numbers a spot. */
  void (*meet)(int n, const int *a, const int *b, int stride, const dls_spot2 *spots,
               const double *u, const double *f, const dls_meets2 *out);
  /* Of n pairs those that meet, dls_rims_meet(), in their order: a and b of each in turn into pairs
  ** (room for 2 n numbers). Answers how many. */
  int (*near)(int n, const int *a, const int *b, const dls_rim2 *rims, int *pairs);
  /* Of n pairs that met the numbers of those that are closed, up to so much of their size, or close
  ** within a time, or may have closed by v_before in the time `early` that is over, or are of no
  ** two disks (an infinite gap), or were in contact (was >= 0): into picked, which has room for n +
  ** 4. Answers how many. */
  int (*pick)(int n, const dls_meets2 *of, double closed, double early, double time, const int *was,
              int *picked);
  /* Pairs of rods: by how much the square of the distance of their axes exceeds that of the sum of
  ** their radii; -infinity where one of these is infinite. */
  void (*rods)(int n, const int *a, const int *b, const dls_rod *rods, double *over);
  /* Their gaps, m. */
  void (*rod_gaps)(int n, const int *a, const int *b, const dls_rod *rods, double *gap);
  /* What dls_rods_touch() finds within margin (n numbers): count of each pair, and their touches
  ** one pair after the other in out, which has room for 3 n. Answers how many in all. */
  int (*touch)(int n, const int *a, const int *b, const dls_rod *rods, const double *margin,
               unsigned char *count, dls_touch *out);
} dls_gap_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_gap_lanes *dls_gap_lanes_best(void);
const dls_gap_lanes *dls_gap_lanes_at(int i);

static inline double dls_gap_of_disks(const dls_spot2 *a, const dls_spot2 *b) {
  const double x = b->x - a->x, y = b->y - a->y;
  return sqrt(x * x + y * y) - (a->radius + b->radius);
}

/* Neither apart nor one wholly inside of the other's hole. */
static inline bool dls_rims_meet(const dls_rim2 *a, const dls_rim2 *b) {
  const double x = b->x - a->x, y = b->y - a->y, d2 = x * x + y * y, r = a->reach + b->reach;
  const double in_a = a->hole - b->reach, in_b = b->hole - a->reach;
  const bool inside = ((in_a > 0) & (d2 < in_a * in_a)) | ((in_b > 0) & (d2 < in_b * in_b));
  return !inside & !(d2 > r * r);
}

static inline double dls_rods_over(const dls_rod *a, const dls_rod *b) {
  const dls_vec3 d = dls_v3_sub(b->c, a->c);
  const dls_nearest near = dls_segments_nearest(d, a->u, a->half, b->u, b->half);
  const dls_vec3 e = dls_v3_sub(dls_v3_axpy(d, near.t, b->u), dls_v3_scale(near.s, a->u));
  const double most = a->r + b->r;
  return dls_v3_dot(e, e) - most * most;
}

static inline double dls_gap_of_rods(const dls_rod *a, const dls_rod *b) {
  const dls_vec3 d = dls_v3_sub(b->c, a->c);
  const dls_nearest near = dls_segments_nearest(d, a->u, a->half, b->u, b->half);
  return dls_v3_norm(dls_v3_sub(dls_v3_axpy(d, near.t, b->u), dls_v3_scale(near.s, a->u))) - a->r -
         b->r;
}

/* Pair k of dls_gap_lanes.meet. */
static inline void dls_meet_disks(int i, int j, const dls_spot2 *spots, const double *u,
                                  const double *f, int k, const dls_meets2 *out) {
  const dls_spot2 *a = spots + i, *b = spots + j;
  const double *u_a = u + 3 * (size_t)i, *u_b = u + 3 * (size_t)j, *f_a = f + 3 * (size_t)i,
               *f_b = f + 3 * (size_t)j;
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y);
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0;
  out->gap[k] = d - (a->radius + b->radius);
  out->nx[k] = nx;
  out->ny[k] = ny;
  out->v_free[k] = nx * (f_b[0] - f_a[0]) + ny * (f_b[1] - f_a[1]);
  out->v_before[k] = nx * (u_b[0] - u_a[0]) + ny * (u_b[1] - u_a[1]);
  out->size[k] = dls_min(a->radius, b->radius);
}

/* Whether pair k stays open, see dls_gap_lanes.pick. */
static inline int dls_stays_open(const dls_meets2 *of, int k, double closed, double early,
                                 double time) {
  const double gap = of->gap[k];
  const bool was = gap - early * of->v_before[k] > 0;
  return (gap > closed * of->size[k]) & (gap + time * of->v_free[k] > 0) & was & (gap < DLS_INF);
}

/* The paths, for gaps.c alone. */
#ifdef DLS_X86
extern const dls_gap_lanes dls_gap_lanes_avx2;
#endif

#endif
