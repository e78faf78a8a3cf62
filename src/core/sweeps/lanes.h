/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_LANES_H
#define DLS_SWEEPS_LANES_H

#include "core/base/isa.h"

/* Planar contacts swept in lanes. Eight contacts that share no moving body stand side by side, each
** in its lane, and are visited at once: what one does no other of them sees, so that every path,
** however wide, gives the bits of one contact after the other. A visit is Coulomb's law solved
** exactly while all others wait, as in coulomb.h, by numbers made beforehand instead of divisions.
**
** Bodies have four numbers here: vx, vy, w and one unused. Where a group is not full, its last
** lanes hold contacts of a body that nothing moves.
**
** There are kernels in double and in single precision: many sweeps only have to come near. */
enum { DLS_SWEEP_LANES = 8, DLS_SWEEP_BODY = 4 };

#define DLS_SWEEP_FIELDS(X)                                                                    \
  X(nx) X(ny)               /* normal; the tangent is (ny, -nx)                            */  \
  X(na) X(nb) X(ta) X(tb)   /* moments of normal and tangent on a and b                    */  \
  X(ma) X(mb) X(ja) X(jb)   /* inverse masses and inertias                                 */  \
  X(a) X(b) X(c)            /* own W = [a c; c b], gamma in a                              */  \
  X(hard)                   /* a without gamma                                             */  \
  X(inv_det)                /* 1/(a b - c^2); 0 where singular                             */  \
  X(inv_right) X(inv_left)  /* 1/(a + mu c), 1/(a - mu c); 0 where not positive            */  \
  X(s_n) X(s_t) X(mu)       /* shifts, friction                                            */

/* i, j: where the numbers of bodies a and b start in u. */
#define DLS_SWEEP_GROUP(real, tag)                                                             \
  typedef struct tag {                                                                         \
    real DLS_SWEEP_FIELDS(DLS_SWEEP_LIST) unused[DLS_SWEEP_LANES];                             \
    int i[DLS_SWEEP_LANES], j[DLS_SWEEP_LANES];                                                \
  } tag;
#define DLS_SWEEP_LIST(name) name[DLS_SWEEP_LANES],
DLS_SWEEP_GROUP(double, dls_sweep_group)
DLS_SWEEP_GROUP(float, dls_sweep_group32)

/* The rolling friction of a group's contacts, over a radius of gyration r: impulses p_r / r in N s,
** velocities in m/s. A visit of the contact with these held is followed by one of them with its
** normal impulse held, as in coulomb.h. */
#define DLS_TURN_FIELDS(X)                                                                     \
  X(qa) X(qb)               /* moments on a and b, times r                                 */  \
  X(arm)                    /* bound over the normal impulse; 0: does not roll             */  \
  X(w) X(inv)               /* own W, 1 over it; 0 where it does not roll                  */  \
  X(s_r)                    /* shift                                                       */
#define DLS_SWEEP_TURN(real, tag)                                                              \
  typedef struct tag { real DLS_TURN_FIELDS(DLS_SWEEP_LIST) unused[DLS_SWEEP_LANES]; } tag;
DLS_SWEEP_TURN(double, dls_sweep_turn)
DLS_SWEEP_TURN(float, dls_sweep_turn32)

/* What sweeps say about their errors, f = p - p before the sweep: f . f, f . df and df . df with df
** the change of f since the last sweep; and -f . (p - p after the sweep before it): > 0 where they
** turn. */
typedef struct dls_sweep_change {
  double ff, fd, dd, turn; /* (N s)^2 */
} dls_sweep_change;

#define DLS_SWEEP_KERNELS(real, group, turn, tag)                                              \
  typedef struct tag {                                                                         \
    /* Visits all groups in order. p: 8 normal, then 8 tangential impulses a group. Answers    \
    ** by how much a visit changed its own velocity at most, m/s. */                           \
    double (*sweep)(int n_groups, const group *groups, real *p, real *u);                      \
    /* The same with rolling friction, 8 impulses `turn` a group. */                           \
    double (*sweep_turns)(int n_groups, const group *groups, const turn *turns, real *p,       \
                          real *turn, real *u);                                                \
    /* f <- p - was; n a multiple of 8. old: after the sweep before. */                        \
    dls_sweep_change (*change)(int n, const real *p, const real *was, const real *old,         \
                               real *f);                                                       \
    /* x <- x - t (x - old), old <- x as it was, keep <- x as it is; n a multiple of 8. */     \
    void (*mix)(int n, real t, real *x, real *old, real *keep);                                \
  } tag;
DLS_SWEEP_KERNELS(double, dls_sweep_group, dls_sweep_turn, dls_sweep_kernels)
DLS_SWEEP_KERNELS(float, dls_sweep_group32, dls_sweep_turn32, dls_sweep_kernels32)

typedef struct dls_sweep_lanes {
  const char *name; /* "plain", "avx2" */
  dls_sweep_kernels fine; /* in double precision */
  dls_sweep_kernels32 coarse; /* in single precision */
} dls_sweep_lanes;

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the
** last. */
const dls_sweep_lanes *dls_sweep_lanes_best(void);
const dls_sweep_lanes *dls_sweep_lanes_at(int i);

/* The paths, for lanes.c alone. */
#ifdef DLS_X86
extern const dls_sweep_lanes dls_sweep_lanes_avx2;
#endif
extern const dls_sweep_lanes dls_sweep_lanes_plain;

#endif
