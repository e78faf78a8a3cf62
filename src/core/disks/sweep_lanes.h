/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_SWEEP_LANES_H
#define DLS_DISKS_SWEEP_LANES_H

#include "core/base/isa.h"

/* Rigid contacts of disks swept in lanes of single precision: a normal impulse turns nothing, so
** that the contact's own W is diagonal (other planar contacts: sweeps/lanes.h). U is a body's
** velocity, its turning times J^(1/2), so that a contact's moment on it takes one number; all else
** is in N s and m/s. A visit is
**
**     p_n <- max(0, p_n - v_n / W_nn),   p_t <- p_t - v_t / W_tt, cut to |p_t| <= mu p_n,
**
** which is Coulomb's law solved exactly while all others wait. Sixteen contacts that share no
** moving body stand side by side, so that every path, however wide, gives the bits of one contact
** after the other.
**
** A sweep starts from impulses carried on past the last one, P = g + beta e with g from the last
** sweep and e what that changed against the one before; it carries on U likewise. A large bed does
** not fit the second-level cache: what can be had from other numbers is not kept (W_nn), nor by
** contact what most have in common (the law). */
enum { DLS_DISK_LANES = 16, DLS_DISK_BODY = 4, DLS_DISK_PARTS = 2 };

/* Bodies of the first groups can stand side by side: those of group k as numbers 32 k + PLACE(l),
** b's 16 behind a's. PLACE is such that a load of two bodies brings lanes l and l + 4, as vectors
** of eight want them. */
#define DLS_DISK_PLACE(l) (((l) & 8) + 2 * ((l) & 3) + ((l) >> 2 & 1))

#define DLS_DISK_FIELDS(X)                                                                    \
  X(nx) X(ny) /* unit normal: the tangent is (ny, -nx)                                      */ \
  X(ma) X(mb) /* 1/m of a and b, 0 where it does not move; their sum is W_nn                */ \
  X(ta) X(tb) /* the tangent's moments times J^(-1/2)                                       */ \
  X(s_n)      /* shift in v_n, with what bodies bring in that do not move freely            */ \
  X(w_t)      /* W_tt; W_nn without friction                                                */

#define DLS_DISK_LAW(X)                                                                       \
  X(mu) X(inner) /* friction; 1/(1 + mu^2)                                                  */ \
  X(s_t)         /* shift in v_t                                                            */ \
  X(tangential)        /* 1, and 0 where |W| is without W_tt                                      */

#define DLS_DISK_LIST(name) float name[DLS_DISK_LANES];
typedef struct dls_disk_group {
  DLS_DISK_FIELDS(DLS_DISK_LIST)
} dls_disk_group;

typedef struct dls_disk_law {
  DLS_DISK_LAW(DLS_DISK_LIST)
} dls_disk_law;

/* Where the numbers of bodies a and b start in U (vx, vy, w, one unused). A lane without a
** contact has those of a body that nothing moves. */
typedef struct dls_disk_pairs {
  int i[DLS_DISK_LANES], j[DLS_DISK_LANES]; /* places of numbers of a, b */
} dls_disk_pairs;

typedef struct dls_disk_bed {
  int n, n_near;          /* groups; the bodies of the first n_near stand side by side      */
  int n_u;                /* numbers of U: a multiple of 16                                 */
  dls_disk_group *group; /* n                                                              */
  dls_disk_pairs *pairs; /* n                                                              */
  dls_disk_law *law;     /* the first one is that of most groups                           */
  int *law_of;            /* n: which of them                                               */
} dls_disk_bed;

/* What a sweep says, with f = g now - P, measured by W: the largest W_nn f . f of a contact,
** (m/s)^2; f . f; and -f . e now, > 0 where momentum leads astray. */
typedef struct dls_disk_change {
  double most, ff, restart_dot; /* (m/s)^2; J, J */
} dls_disk_change;

/* Of velocities without impulses and with those at hand, u: u_free . M (u - u_free), (u - u_free) .
** M (u - u_free), and the largest number in u. */
typedef struct dls_disk_start {
  double slope, bend, fastest; /* J, J; m/s or rad/s */
} dls_disk_start;

/* A contact of a group by itself, with its impulses: sixteen numbers, those that its residual and a
** visit want. */
typedef struct dls_disk_single {
  float nx, ny, ma, mb, ta, tb, s_n, s_t, mu, inner, norm, w_t, p_n, p_t; /* norm: |W| */
  int i, j; /* where its bodies' numbers start */
} dls_disk_single;

typedef struct dls_disk_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  /* Bodies as they are, n numbers each (a multiple of 16), four a body: inverse, masses and
  ** inertia; u, u_free; and change, u - u_free. The third ones become the inertia's root, and those
  ** of U. */
  dls_disk_start (*begin)(int n, float *inverse, float *u, float *change);
  /* change <- u <- u + share * change. */
  void (*carry)(int n, float share, float *u, float *change);
  /* Visits all groups in order. p: g_n, g_t of each group, 16 each; old: those of the sweep before,
  ** so that e is p - old; the new ones take their place. u: U after the last sweep; u_old: before
  ** it, then after this one. */
  dls_disk_change (*sweep)(const dls_disk_bed *bed, float beta, const float *p, float *old,
                           const float *u, float *u_old);
  /* The largest squared residual of EQUATIONS G.1.7 at g and U in groups first to end - 1,
  ** (m/s)^2. */
  double (*residual)(const dls_disk_bed *bed, int first, int end, const float *p, const float *u);
  /* That of each of their lanes, squared. p and squared: of all groups. */
  void (*errors)(const dls_disk_bed *bed, int first, int end, const float *p, const float *u,
                 float *squared);
  /* That of sixteen contacts by themselves, ones[which[..]]. */
  void (*look)(const dls_disk_single *ones, const int *which, const float *u, float *squared);
} dls_disk_lanes;

/* After a sweep impulses and velocities change places with the old ones. */
static inline void dls_disk_change_places(float **x, float **y) {
  float *kept = *x;
  *x = *y;
  *y = kept;
}

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_disk_lanes *dls_disk_lanes_best(void);
const dls_disk_lanes *dls_disk_lanes_at(int i);

/* The paths, for sweep_lanes.c alone. */
#ifdef DLS_X86
extern const dls_disk_lanes dls_disk_lanes_avx2, dls_disk_lanes_avx512;
#endif
extern const dls_disk_lanes dls_disk_lanes_plain;

#endif
