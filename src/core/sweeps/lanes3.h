/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_LANES3_H
#define DLS_SWEEPS_LANES3_H

#include "core/base/isa.h"
#include "core/sweeps/lanes.h"

/* Spatial contacts of any shapes swept in lanes: as in lanes.h, eight side by side that share no
** moving body, every path with the bits of one after the other.
**
** With M^-1 = L L' the sweeps work on x = L^-1 (u - u_free), where a row is L'J' both ways,
**
**     v = J L x + J u_free,    x <- x + L'J' dp,
**
** half of the numbers that J and M^-1 J' would take; what does not move has L = 0. The tangents are
** the eigenvectors of S = B - c c'/a (W = [a c'; c B]), so that S is diagonal: d_s, d_t. With k =
** c/a, y the velocities at the impulses p and h = y_T - k y_n - S p_T, Coulomb's law reads
**
**     n(x) = p_n + k . p_T - y_n/a - k . x         normal impulse under the friction x
**     open       n(0) <= 0
**     stick      x = -S^-1 h,  |x| <= mu n(x)
**     slide      x = -(S + l 1)^-1 h,  |x| = mu n(x),  l > 0.
**
** A visit takes a fixed number of Newton's steps on mu n / |x| = 1, which is nearly a straight line
** in l, from the l of the visit before; then it keeps the direction of x and meets n and |x| = mu n
** exactly: the law's solutions are the visit's fixed points whatever l was. mu |k| must be well
** below 1.
**
** Bodies have eight numbers: x of the velocity, of the turning, two unused. */
enum { DLS_SPACE_BODY = 8, DLS_SPACE_STEPS = 2 };

#define DLS_SPACE_FIELDS(X)                                                                    \
  X(nx) X(ny) X(nz) X(sx) X(sy) X(sz) X(tx) X(ty) X(tz) /* directions of the rows          */  \
  X(ra) X(rb)                                           /* 1/sqrt(m)                       */  \
  X(an0) X(an1) X(an2) X(bn0) X(bn1) X(bn2)             /* turning of a and of b: normal,  */  \
  X(as0) X(as1) X(as2) X(bs0) X(bs1) X(bs2)             /* first                           */  \
  X(at0) X(at1) X(at2) X(bt0) X(bt1) X(bt2)             /* and second tangent              */  \
  X(v_n) X(v_s) X(v_t)                                  /* J u_free + shift                */  \
  X(a) X(inv_a) X(gamma)                                /* a with gamma, 1/a, gamma        */  \
  X(k_s) X(k_t) X(d_s) X(d_t) X(inv_s) X(inv_t)         /* k, S, 1/S                       */  \
  X(mu)                                                 /* friction                        */  \
  X(slip)                                               /* l of the last visit that slid   */

#define DLS_SPACE_GROUP(real, tag)                                                             \
  typedef struct tag {                                                                         \
    real DLS_SPACE_FIELDS(DLS_SWEEP_LIST) unused[DLS_SWEEP_LANES];                             \
    int i[DLS_SWEEP_LANES], j[DLS_SWEEP_LANES]; /* where bodies a and b start              */  \
    int run;                /* groups from here on that share no moving body, itself counted */  \
  } tag;
DLS_SPACE_GROUP(double, dls_space_group)
DLS_SPACE_GROUP(float, dls_space_group32)

/* The spinning (w) and rolling (p, q) friction of a group's contacts, over a radius of gyration r:
** impulses over r in N s, velocities in m/s. A visit of the contact with these held is followed by
** one of the spinning and one of the rolling with its normal impulse held, as in coulomb.h. */
#define DLS_SPACE_TURN_FIELDS(X)                                                               \
  X(aw0) X(aw1) X(aw2) X(bw0) X(bw1) X(bw2)             /* turning of a and of b, times r: */  \
  X(ap0) X(ap1) X(ap2) X(bp0) X(bp1) X(bp2)             /* about the normal, the first     */  \
  X(aq0) X(aq1) X(aq2) X(bq0) X(bq1) X(bq2)             /* and the second tangent          */  \
  X(v_w) X(v_p) X(v_q)                                  /* J u_free + shift                */  \
  X(arm_w) X(arm_r)                                     /* bounds over the normal impulse  */  \
  X(w_w) X(w_r) X(inv_w) X(inv_r)                       /* own W, the larger; 0 or 1 over  */
#define DLS_SPACE_TURN(real, tag)                                                              \
  typedef struct tag { real DLS_SPACE_TURN_FIELDS(DLS_SWEEP_LIST) unused[DLS_SWEEP_LANES]; } tag;
DLS_SPACE_TURN(double, dls_space_turn)
DLS_SPACE_TURN(float, dls_space_turn32)

/* Visits all groups in order. p: 8 normal, 8 first, 8 second tangential impulses a group; turn: 8
** of spinning, 8 first, 8 second of rolling. Answers by how much a visit changed its own velocity
** at most, m/s. */
typedef struct dls_space_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  double (*fine)(int n_groups, dls_space_group *groups, double *p, double *x); /* double */
  double (*coarse)(int n_groups, dls_space_group32 *groups, float *p, float *x); /* single */
  double (*fine_turns)(int n_groups, dls_space_group *groups, const dls_space_turn *turns,
                       double *p, double *turn, double *x); /* with friction against turning */
  double (*coarse_turns)(int n_groups, dls_space_group32 *groups, const dls_space_turn32 *turns,
                         float *p, float *turn, float *x); /* the same, single */
  /* x += what the impulses p do; the largest residual (EQUATIONS G.1.7), m/s. */
  void (*push)(int n_groups, const dls_space_group32 *groups, const float *p, float *x);
  double (*judge)(int n_groups, const dls_space_group32 *groups, const float *p, const float *x);
} dls_space_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_space_lanes *dls_space_lanes_best(void);
const dls_space_lanes *dls_space_lanes_at(int i);

/* The paths, for lanes3.c alone. */
#ifdef DLS_X86
extern const dls_space_lanes dls_space_lanes_avx2, dls_space_lanes_avx512;
#endif
extern const dls_space_lanes dls_space_lanes_plain;

#endif
