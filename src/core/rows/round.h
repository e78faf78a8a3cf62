/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_ROUND_H
#define DLS_ROWS_ROUND_H

#include "core/base/real.h"

/* Rigid contacts of disks swept in lanes of single precision: the case of lanes.h that drums consist
** of, where a normal impulse turns nothing, so that the contact's own W is diagonal. All is measured so that
** masses and W are 1:  U = M^(1/2) u of each body, P = W_kk^(1/2) p, V = v / W_kk^(1/2). A visit is then
**
**     P_n <- max(0, P_n - V_n),   P_t <- P_t - V_t, cut to |P_t| <= mu P_n,
**
** which is Coulomb's law solved exactly while all others wait. Sixteen contacts that share no moving body
** stand side by side, so that every path, however wide, gives the bits of one contact after the other.
**
** A sweep starts from impulses carried on past the last one, P = g + beta e with g from the last sweep and e
** what that changed against the one before; U must have been carried on likewise (mix). */
enum { DLS_ROUND_LANES = 16, DLS_ROUND_BODY = 4, DLS_ROUND_PARTS = 2 };

/* Bodies of the first groups can stand side by side: those of group k as numbers 32 k + PLACE(l), b's 16 behind a's.
** PLACE is such that a load of two bodies brings lanes l and l + 4, as vectors of eight want them. */
#define DLS_ROUND_PLACE(l) (((l) & 8) + 2 * ((l) & 3) + ((l) >> 2 & 1))

#define DLS_ROUND_FIELDS(X)                                                                    \
  X(nx) X(ny)   /* normal                                                                   */ \
  X(tx) X(ty)   /* the normal times slope: the tangent is (ny, -nx)                         */ \
  X(wa) X(wb)   /* m^(-1/2) of a and b over W_nn^(1/2): 0 where it does not move            */ \
  X(ta) X(tb)   /* the tangent's moments likewise, over W_tt^(1/2)                          */ \
  X(s_n) X(s_t) /* shifts in V, with what bodies bring in that do not move freely           */ \
  X(mu)         /* friction over slope                                                      */ \
  X(w)          /* W_nn                                                                     */

/* i, j: where the numbers of bodies a and b start in U (vx, vy, w, one unused). A lane without a
** contact has those of a body that nothing moves. */
#define DLS_ROUND_LIST(name) float name[DLS_ROUND_LANES];
#define DLS_ROUND_X(name) DLS_ROUND_LIST(name)
typedef struct dls_round_group {
  DLS_ROUND_FIELDS(DLS_ROUND_X)
  /* For the residual: W_nn^(1/2), (W_nn / W_tt)^(1/2) and |W| / W_nn^(1/2). */
  float size[DLS_ROUND_LANES], slope[DLS_ROUND_LANES], reach[DLS_ROUND_LANES];
  int i[DLS_ROUND_LANES], j[DLS_ROUND_LANES];
} dls_round_group;

/* What a sweep says, with f = g now - P: the largest W_nn |f|^2 of a contact, (m/s)^2; f . f; and -f . e now,
** > 0 where momentum leads astray. */
typedef struct dls_round_change {
  double most, ff, turn;
} dls_round_change;

/* Of velocities without impulses and with those at hand, u: u_free . M (u - u_free), (u - u_free) . M (u - u_free),
** and the largest number in u. */
typedef struct dls_round_start {
  double slope, bend, fastest;
} dls_round_start;

/* A contact of a group by itself, with its impulses: sixteen numbers, those that its residual wants. */
typedef struct dls_round_one {
  float nx, ny, wa, wb, ta, tb, s_n, s_t, mu, size, slope, reach, p_n, p_t;
  int i, j;
} dls_round_one;

typedef struct dls_round_lanes {
  const char *name; /* "plain", "avx2", "avx512" */
  /* Bodies as they are, n numbers each (a multiple of 16), four a body: root, inverse masses, becomes their roots; u,
  ** u_free, and change, u - u_free, become those of U. */
  dls_round_start (*begin)(int n, float *root, float *u, float *change);
  /* change <- u <- u + share * change. */
  void (*carry)(int n, float share, float *u, float *change);
  /* Makes groups of contacts as they are: nx, ny; in wa and wb m^(-1/2); in ta and tb the tangent's moment times
  ** J^(-1/2); shifts in m/s; mu; W_nn in w, W_tt in slope (W_nn without friction) and in reach (0 without).
  ** p: impulses in N s, of which a share is taken. */
  void (*measure)(int n_groups, dls_round_group *groups, float share, float *p);
  /* Impulses in N s again. */
  void (*unmeasure)(int n_groups, const dls_round_group *groups, float *p);
  /* Visits all groups in order; the bodies of the first n_near stand side by side. p: g_n, g_t of each group, 16
  ** each; old: those of the sweep before, so that e is p - old; the new ones take their place. */
  dls_round_change (*sweep)(int n_groups, int n_near, const dls_round_group *groups, float beta,
                            const float *p, float *old, float *u);
  /* old <- x + beta (x - old); n a multiple of 16. */
  void (*mix)(int n, float beta, const float *x, float *old);
  /* The largest squared residual of EQUATIONS G.1.7 at g and U, (m/s)^2. */
  double (*residual)(int n_groups, const dls_round_group *groups, const float *p, const float *u);
  /* That of each lane, squared. */
  void (*errors)(int n_groups, const dls_round_group *groups, const float *p, const float *u, float *squared);
  /* That of sixteen contacts by themselves, ones[which[..]]. */
  void (*look)(const dls_round_one *ones, const int *which, const float *u, float *squared);
} dls_round_lanes;

/* After a sweep the impulses, and after mixing the velocities, change places with the old ones. */
static inline void dls_round_change_places(float **x, float **y) {
  float *kept = *x;
  *x = *y;
  *y = kept;
}

/* The widest path this processor has, and the i-th of those it has (0: plain); NULL past the last. */
const dls_round_lanes *dls_round_lanes_best(void);
const dls_round_lanes *dls_round_lanes_at(int i);

/* The paths, for round.c alone. */
#if defined(__x86_64__) && defined(__GNUC__)
#define DLS_ROUND_X86 1
extern const dls_round_lanes dls_round_lanes_avx2, dls_round_lanes_avx512;
#endif
extern const dls_round_lanes dls_round_lanes_plain;

#endif
