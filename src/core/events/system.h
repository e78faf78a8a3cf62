/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_SYSTEM_H
#define DLS_EVENTS_SYSTEM_H

#include "core/base/arena.h"
#include "core/math/dense.h"

/* A mechanical system given by its equations, with unilateral contacts:
**
**     M(q, t) du/dt = h(q, u, t) + J' lambda,    dq/dt = u
**     row r of a contact (normal, then tangents):  v_r = w_r . u + drift_r,   a_r = w_r . du/dt + wbar_r
**
** w_N is the gradient of the gap in q, drift_N its derivative in t. Where drift and wbar are not
** given they are central differences (math/difference.h): drift of the gap in t, wbar of w . u +
** drift along the motion (q + s u, t + s), with first steps of 0.7 `span` at most and 2e-3 of a
** coordinate's size (at least 1).
**
** A system on coordinates that are not plain (nq given: quaternions, trees) has the same equations
** with q' = q (+) s u, and answers M^-1 h, M^-1 of rows, and rows of contacts by functions of its
** own, in place of M, h, gradients, drift and wbar. Bilateral constraints may be inside of M^-1 and
** `project`. Source: EQUATIONS E.1; F. Pfeiffer 2001. */
typedef enum dls_account_place {
  DLS_ACCOUNT_START,
  DLS_ACCOUNT_MIDDLE,
  DLS_ACCOUNT_END,
  DLS_ACCOUNT_IMPACT
} dls_account_place;

typedef struct dls_system_def {
  int n;                   /* velocities                                                    */
  int nq;                  /* coordinates; 0: n of them, dq/dt = u                          */
  int n_contacts;          /* contacts                                                      */
  const int *n_tangents;   /* n_contacts: 0, 1 or 2; borrowed for the creation              */
  const double *e_N, *e_T; /* n_contacts: restitution, normal and tangential; likewise      */
  /* n_contacts: m, > 0: what gaps are measured by in time stepping; likewise; NULL: 1 */
  const double *scale;
  double span;             /* s, > 0: what first steps of differences are measured by       */
  void *ctx;               /* handed to the functions, borrowed                             */
  /* M (n x n, symmetric positive definite). Each of these: a failure ends the call at hand. */
  dls_status (*mass)(void *ctx, double t, const double *q, double *M);
  dls_status (*forces)(void *ctx, double t, const double *q, const double *u, double *force);
  dls_status (*gap)(void *ctx, int i, double t, const double *q, double *gap);
  /* The same at the t and q of the last call of gap, with which nothing has happened since; NULL:
  ** gap itself. */
  dls_status (*gap_there)(void *ctx, int i, double t, const double *q, double *gap);
  dls_status (*direction)(void *ctx, int i, int k, double t, const double *q, double *w);
  /* *given false: by differences (drift of tangents: 0) */
  dls_status (*drift)(void *ctx, int i, int k, double t, const double *q, bool *given,
                      double *value);
  dls_status (*bias)(void *ctx, int i, int k, double t, const double *q, const double *u,
                     bool *given, double *value);
  /* Friction coefficient at a slip speed > 0, in the limit to slip for 0, at rest for < 0. */
  dls_status (*friction)(void *ctx, int i, double speed, double *mu);
  /* Where nq > 0, in place of mass, forces, direction, drift and bias. */
  void (*advance)(void *ctx, double *q, double s, const double *u); /* q <- q (+) s u */
  /* see dls_ode */
  void (*chart_rate)(void *ctx, const double *d, const double *u, double *out);
  /* M^-1 h */
  dls_status (*smooth)(void *ctx, double t, const double *q, const double *u, double *udot);
  /* n, borrowed: sizes of the terms that its numbers are sums of, after smooth; NULL: their own */
  const double *(*terms)(void *ctx);
  /* M^-1 of k rows, after smooth */
  void (*respond)(void *ctx, int k, const double *w, double *out);
  /* All rows of contact i (1 + its tangents, n numbers each), their drifts, and wbar where it is
  ** not NULL. */
  dls_status (*rows)(void *ctx, int i, double t, const double *q, const double *u, double *w,
                     double *drift, double *wbar);
  /* q and u to the nearest that bilateral constraints admit; NULL: there are none. */
  dls_status (*project)(void *ctx, double t, double *q, double *u);
  /* *span: at most the time in which four samples of a step see how gaps go. NULL: any. */
  dls_status (*longest)(void *ctx, double t, const double *q, const double *u, double *span);
  /* Whether the gap of contact i may change with time alone in ways that `longest` does not know.
  ** NULL: none does. */
  bool (*moves)(void *ctx, int i);
  /* What round-off makes of the gap of contact i, m: projections leave that. NULL: they leave
  ** nothing. */
  double (*round_off)(void *ctx, int i);
  /* What stands for the same two bodies' contact from now on: held[i] is the gap that contact i,
  ** closed from now on, keeps; minus infinity: it is open from now on; infinity: nothing changes
  ** for it. *any: something does. NULL: nothing ever does. */
  dls_status (*hand)(void *ctx, double t, const double *q, const double *u, double *held,
                     bool *any);
  /* Whether the normal force of contact i is given: its row is zero, wbar less that force; `smooth`
  ** has it. Its gap is closed where it is negative, by any amount. NULL: none is. */
  bool (*given)(void *ctx, int i);
  /* The integrator has made a step: to an integral over it adds `weight` s of what acts at (t, q,
  ** u), with those forces of all rows (of open contacts: anything). In the order of places. IMPACT:
  ** an impact at (t, q), u before it, with those impulses of all rows. NULL: not wanted. */
  dls_status (*account)(void *ctx, dls_account_place place, double weight, double t,
                        const double *q, const double *u, const double *force);
  /* Something happened to contact i, at the state (t, q), of which the log keeps an entry; NULL:
  ** not wanted. */
  dls_status (*tell)(void *ctx, int i, double t, const double *q);
} dls_system_def;

/* The system at one instant. What is not of a contact asked for is left as it was. */
typedef struct dls_system {
  dls_system_def def;      /* as given */
  int n, nq, n_contacts, n_rows; /* velocities; coordinates; contacts; their rows */
  size_t ld;               /* row distance of R                                             */
  int *row;                /* n_contacts: first row of each                                 */
  int *n_tangents;         /* n_contacts                                                    */
  double *e_N, *e_T;       /* n_contacts                                                    */
  /* n_rows: 1 for the normal row of a contact whose normal force is given */
  unsigned char *given;
  double *scale;           /* n_contacts                                                    */
  double *R;               /* n x ld: Cholesky factor of M                                  */
  bool indefinite;         /* the last M had none                                           */
  double *force;           /* n: smooth forces h                                            */
  double *smooth;          /* n: M^-1 h                                                     */
  int *at;                 /* n_rows: where in J and MJ a row stands                        */
  /* rows in J and MJ, with three that contacts without a place share; room */
  int n_placed, room;
  int n_kept, *kept;       /* contacts that have a place                                    */
  double *J, *MJ;          /* room x n: rows; M^-1 J'                                       */
  double *drift;           /* n_rows                                                        */
  double *v, *wbar;        /* n_rows: velocities; accelerations less w . du/dt              */
  /* n_rows: sum of |w_k u_k| and |drift|: what round-off of v scales with */
  double *size;
  double *gap;             /* n_contacts                                                    */
  /* n_contacts: the gap changes with time alone, as seen within two spans of the last rows */
  unsigned char *moves;
  double *work;            /* 4 n                                                           */
  dls_alloc alloc;         /* of all its memory */
  void *block;             /* all of the arrays                                             */
  size_t block_size;       /* of it, bytes */
} dls_system;

/* DLS_ARG: n < 1, a count of tangents beyond 2, span not positive; DLS_NOMEM, DLS_TOOBIG. A failure
** leaves it all zero, which dls_system_destroy accepts. */
dls_status dls_system_create(dls_system *s, const dls_system_def *def, const dls_alloc *alloc);
void dls_system_destroy(dls_system *s);

/* Places of rows in J: those of a contact that has none are overwritten by the next such
** contact's. */
void dls_system_clear(dls_system *s);
dls_status dls_system_place(dls_system *s, int i);
/* Row r of the last dls_system_rows of its contact, M^-1 of it after respond (n numbers each). */
static inline const double *dls_system_row(const dls_system *s, int r) {
  return s->J + (size_t)s->at[r] * (size_t)s->n;
}
static inline const double *dls_system_response(const dls_system *s, int r) {
  return s->MJ + (size_t)s->at[r] * (size_t)s->n;
}
/* Sum of the sizes of the terms of wbar + w . smooth of row r: what its round-off scales with. */
double dls_system_terms(const dls_system *s, int r);
/* q <- q (+) h u. */
void dls_system_carry(const dls_system *s, double *q, double h, const double *u);

/* gap of contact i. there: gaps were asked for at this t and q just before, and nothing else. */
dls_status dls_system_gap(dls_system *s, int i, double t, const double *q, double *gap);
dls_status dls_system_gap_of_many(dls_system *s, int i, bool there, double t, const double *q,
                                  double *gap);
/* J, drift, v, size of contact i; with_bias: wbar as well. */
dls_status dls_system_rows(dls_system *s, int i, double t, const double *q, const double *u,
                           bool with_bias);
/* What the drift of row k of contact i changes by from the rows at hand until (later, q), within
** two spans of them. */
dls_status dls_system_gain(dls_system *s, int i, int k, double later, const double *q,
                           double *gain);
/* R, h, smooth. DLS_SINGULAR: M is not positive definite. */
dls_status dls_system_dynamics(dls_system *s, double t, const double *q, const double *u);
/* h, smooth by the M of the last dls_system_dynamics; for systems given by M and h. */
dls_status dls_system_push(dls_system *s, double t, const double *q, const double *u);
/* MJ of contact i, which has a place, after rows and dynamics. */
void dls_system_respond(dls_system *s, int i);
/* G (n_listed rows, those of the contacts listed, in this order) = J M^-1 J', 1 for given normal
** forces; after respond. */
void dls_system_delassus(const dls_system *s, int n_listed, const int *rows, double *G);

/* v_r of row r for velocities u. */
double dls_system_velocity(const dls_system *s, int r, const double *u);

#endif
