/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONE_POINTS_H
#define DLS_CONE_POINTS_H

#include "core/cone/factor.h"

/* Impulses of redundant contacts are not unique, nor are velocities that follow from them: friction
** of what slides in several directions, what Poisson's law gives back. Proximal points x_k of a
** dense problem,
**
**     v = W x + c,   laws of cone.h on  v + gamma (x - x_k-1),
**
** are unique each, with gamma a share of the trace of a group's block of W, bilateral rows
** eliminated (of a contact without friction: of its normal alone), so that it depends on no frame;
** from x_0 = 0 the first is near the least-norm answer, a handful end at round-off. They are the
** same for every order of the groups, and as symmetric as these are. Solved by Newton's steps on
** Alart and Curnier's equations (Alart & Curnier, Comput. Methods Appl. Mech. Engrg. 92, 1991). */

#define DLS_POINTS_GAMMA 1e-3     /* gamma over the trace */
/* of a row's own entry: a pivot of one that follows from others */
#define DLS_POINTS_DEPENDENT 1e-9
#define DLS_POINTS_FINEST 1e-13   /* of the velocities: errors where they can be had */
#define DLS_POINTS_ENOUGH 1e-10   /* of the velocities: errors of an answer, what is open */
/* Where a point does not halve the error gamma falls, until one cannot be had: then it rises, and
** stays. */
#define DLS_POINTS_SOFTER 0.1
#define DLS_POINTS_STIFFER 3
enum { DLS_POINTS_MOST = 60 }; /* points at most */
/* Of a step's impacts by Newton's law: rows and Newton's steps at most (20 dominoes with e = 0.1:
** 17 % of the instructions of their fall, none with 60 rows, ten times as many with 200). */
enum { DLS_POINTS_ROWS = 96, DLS_POINTS_STEPS = 200 };

/* gamma of rows `first` to `end` - 1 of W (ld numbers a row): a share of their trace, which does
** not depend on their frame. */
static inline double dls_points_gamma(const double *W, size_t ld, size_t first, size_t end) {
  double trace = 0;
  for (size_t r = first; r < end; r++) trace += W[r * ld + r];
  return DLS_POINTS_GAMMA * (trace > 0 ? trace : 1);
}
/* gamma of a contact's normal, row `first`, and of its tangents behind it: of both together where
** it rubs, else tangents have no part in the normal's. */
static inline void dls_points_gamma_of_contact(const double *W, size_t ld, size_t first,
                                               int n_tangents, bool rubs, double gamma[2]) {
  const size_t end = first + 1 + (size_t)n_tangents;
  gamma[0] = dls_points_gamma(W, ld, first, rubs ? end : first + 1);
  gamma[1] = rubs ? gamma[0] : dls_points_gamma(W, ld, first + 1, end);
}
static inline bool dls_points_are_slow(double off, double least) { return !(off < 0.5 * least); }

typedef struct dls_points {
  int n, n_groups;       /* rows, groups                                                       */
  int steps;             /* Newton's, so far                                                   */
  dls_cone_group *group; /* n_groups: laws; with cone.h's shifts in v                          */
  double *least;         /* n_groups: the normal impulse is at least this, N s                 */
  int *of;               /* n: the group of a row                                              */
  int *perm, *order;     /* n: scratch, orders of the rows                                     */
  double *W, *A, *B;     /* n x n each: with compliance; scratch                               */
  double *x, *v, *E;     /* n: impulses; velocities that the laws ask for; errors, m/s         */
  double *soft, *centre; /* n: gamma; impulses from which it counts                            */
  /* n: the largest W_ii of the row's part, a normal's with its friction; 0: nothing moves by it,
  ** or it is set aside: x = 0 */
  double *most;
  double *length;        /* n: 1 for rows in m/s, a radius of gyration for rows in rad/s       */
  double *zero;          /* n: zeros, free velocities of the problem below                     */
  /* n: Newton's direction, trials, kept */
  double *dx, *dv, *x_try, *v_try, *x_kept, *v_kept, *kept;
  dls_cone_size size;       /* of W                                                            */
  dls_cone_problem problem; /* W and the groups, for those below                               */
  dls_cone_system system;   /* W by blocks                                                     */
  dls_cone_factor factor;   /* of Newton's matrices; ready once they are planned               */
  /* size.diag: of the diagonal blocks: slopes of the errors by velocities, by impulses */
  double *X, *Y;
  dls_stop *stop;        /* asked between steps, borrowed; NULL: nobody is                     */
} dls_points;

/* Room for so many rows and groups, in tmp; soft and centre are 0, least 0. DLS_FULL:
** dls_points_bytes() beside what is there. */
dls_status dls_points_take(dls_points *N, int n, int n_groups, dls_arena *tmp);
size_t dls_points_bytes(int n, int n_groups);

/* `of` and `most`, from W and the groups. */
void dls_points_weigh(dls_points *N);

/* From W, groups and v without impulses: x = 0, `of` and `most`. */
void dls_points_begin(dls_points *N);

/* Room and pattern of Newton's matrices, from W as it then stays; N stays where it is. DLS_FULL:
** dls_points_plan_bytes() beside what is there. */
dls_status dls_points_plan(dls_points *N, dls_arena *tmp);
size_t dls_points_plan_bytes(const dls_points *N);

/* Planned: Newton's full steps, then damped ones where these do not end, from x and v, until the root of the
** sum of squared errors is at most `enough`, m/s; whether it is. */
bool dls_points_solve(dls_points *N, double enough);

/* x and v at other impulses. */
void dls_points_go(dls_points *N, const double *x);

/* The largest error, m/s, at x without soft. */
double dls_points_error(dls_points *N);

/* The largest velocity of the rows that something moves by, m/s. */
double dls_points_scale(const dls_points *N);

/* gamma; whether rows depend on each other, bilateral ones eliminated. */
bool dls_points_soften(dls_points *N);

/* N->x becomes x, a solution; whether velocities of what slides faster than `still`, m/s, follow
** from impulses that the laws leave open, by more than a share of the velocities, as far as
** impulses go that there are. */
bool dls_points_are_open(dls_points *N, double still, const double *x);

/* Planned: proximal points from N->x, until the error is `target`, m/s, or `most` of Newton's steps are
** made; the best in `best`: its error. Bodies that have turned a little since they lay flat leave W
** nearly singular: impulses then have a long way along its kernel, until some reach the edges of
** their cones, and gamma falls. */
double dls_points_follow(dls_points *N, double target, double most, double *best);

/* Planned, from N->x = 0: x becomes the solution of proximal points from there, where that is one to
** `limit`, m/s, and to a share of the velocities; whether it did. most: of Newton's steps. */
bool dls_points_share(dls_points *N, double limit, double most, double *x);

#endif
