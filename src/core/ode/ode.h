/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ODE_ODE_H
#define DLS_ODE_ODE_H

#include "core/base/arena.h"
#include "core/base/stop.h"

/* Integrators for smooth mechanisms:  udot = f(t, q, u), q moves with u. Coordinates q (nq) may be
** more than velocities u (nu): quaternions. The problem says how, by functions; where they are
** NULL, q and u are plain numbers, nq = nu and qdot = u.
**
** One-step methods work in the chart d of q = q_0 (+) d at the start of each step (exponential map
** on rotations); Stoermer's works on the nq coordinates themselves, y'' = g(t, y, y'), and makes
** quaternions unit after each step. Statuses: DLS_STATE, a step of least length that misses its
** tolerance; DLS_UNSTABLE, a step too long for the problem. */
typedef struct dls_ode {
  int nq, nu; /* coordinates, velocities */
  void *ctx; /* handed to the functions, borrowed */
  /* udot (nu). A failure ends the step; q, u, t are then as before it. */
  dls_status (*accelerate)(void *ctx, double t, const double *q, const double *u, double *udot);
  /* q <- q (+) h u */
  void (*advance)(void *ctx, double *q, double h, const double *u);
  /* rate of d where q_0 (+) d moves with u */
  void (*chart_rate)(void *ctx, const double *d, const double *u, double *out);
  /* qdot, and qddot where it is not NULL */
  void (*rates)(void *ctx, const double *q, const double *u, const double *udot, double *qdot,
                double *qddot);
  /* u of qdot */
  void (*velocities_of)(void *ctx, const double *q, const double *qdot, double *u);
  /* quaternions of q unit again; how far the worst was from it */
  double (*normalise)(void *ctx, double *q);
  const double *far; /* nu: what is far in d, where derivatives are taken; NULL: 1 each */
  dls_stop *stop; /* asked by linear.h between evaluations: DLS_STOPPED; NULL: never */
} dls_ode;

typedef enum dls_ode_method {
  DLS_ODE_STOERMER,     /* order 6, fixed step                                              */
  DLS_ODE_RK4,          /* the classical four stages, fixed step                            */
  DLS_ODE_DOPRI5,       /* Dormand & Prince 5(4), step by the error                         */
  DLS_ODE_SEMI_IMPLICIT /* u' = u + h udot(t, q, u), q' = unit(q + h qdot(q, u')): order 1  */
} dls_ode_method;

/* How Stoermer's method gets its velocities; all of order 6 (EQUATIONS C.5). */
typedef enum dls_stoermer_reading {
  DLS_STOERMER_ADAMS, /* Adams-Bashforth, one evaluation a step                             */
  DLS_STOERMER_KAPPA, /* differentiated interpolation: (y_n+1 - y_n)/h + h sum kappa D^j f  */
  DLS_STOERMER_PECE   /* the first predicts; Cowell and Adams-Moulton correct, evaluated twice */
} dls_stoermer_reading;

typedef struct dls_ode_opts {
  dls_ode_method method;        /* default DLS_ODE_STOERMER                                  */
  dls_stoermer_reading reading; /* default DLS_STOERMER_ADAMS                                */
  double dt;                    /* step; DOPRI5: the first one tried, 0 for its own guess, s  */
  double rtol, atol;            /* DOPRI5: per component rtol |x| + atol; defaults 1e-9, 1e-12 */
  int max_steps;                /* DOPRI5: tried in one call; default 100000                 */
  /* s, and of t: DOPRI5: a step that short is taken whatever its error, where f jumps; 0: none */
  double least;
} dls_ode_opts;
dls_ode_opts dls_ode_opts_default(void);

typedef struct dls_ode_stats {
  int steps, rejected, evaluations; /* taken; thrown away; calls of f          */
  double defect; /* largest deviation of a quaternion from unit before scaling */
  int judged;    /* steps whose error was estimated                            */
  /* the largest estimate. DOPRI5: accepted, in tolerances; fixed steps: of u in one step,
  ** relative to the largest u, or change of u in a step, so far */
  double error;
} dls_ode_stats;

/* A run: what a method remembers between steps. All arrays from one arena block. */
typedef struct dls_ode_run {
  dls_ode ode;       /* the problem */
  dls_ode_opts opts; /* as begun with */
  double t;          /* now, s                                                         */
  double *q, *u;     /* nq, nu: the state; the caller may read them; written by dls_ode_correct */
  double next_dt;    /* DOPRI5: the step it would try next, s                          */
  double *work;      /* dls_ode_bytes(): stages and histories                          */
  int n_history;     /* STOERMER: values of f kept, at most 6                          */
  double h;          /* the last step's length                                         */
  double fastest;    /* fixed steps: the largest |u| and h |udot| so far               */
  int forced;        /* DOPRI5: steps in a row that were taken whatever their error             */
  int rough;         /* twice the steps whose error is as large as the motion, less the others */
  dls_ode_stats stats; /* so far */
} dls_ode_run;

size_t dls_ode_bytes(int nq, int nu);
/* DLS_FULL: tmp needs dls_ode_bytes, and keeps them as long as the run lives. DLS_ARG: a step or
** tolerance that is not positive. q and u are copied. */
dls_status dls_ode_begin(dls_ode_run *run, const dls_ode *ode, const dls_ode_opts *opts, double t,
                         const double *q, const double *u, dls_arena *tmp);
/* The state as a projection leaves it, within the method's error of q and u: the history stays. */
void dls_ode_correct(dls_ode_run *run, const double *q, const double *u);
/* One step, not beyond `to`: fixed-step methods take h (STOERMER the same h each time), DOPRI5 what
** its error allows. On failure the run is as it was. DLS_STATE: DOPRI5 cannot reach the tolerance
** (step below rounding, or max_steps). DLS_UNSTABLE: the estimated error of fixed steps was as
** large as the motion itself, for more than ten, and mostly. */
dls_status dls_ode_step(dls_ode_run *run, double h, double to);

/* The state at a share theta (0 to 1) of the last step of DOPRI5, which began at q_0, u_0 and took
** h: its continuous extension of order 4, in the chart of q_0. */
void dls_ode_dense(const dls_ode_run *run, const double *q_0, const double *u_0, double h,
                   double theta, double *q, double *u);

/* The estimate of one fixed step's error of u, for ode_*.c; size: the largest |u|, h |udot| of the
** step.
**   STOERMER       the last difference of the formula, 95/288 h |D^5 udot|: order 5 against 6
**   RK4            h/6 |udot_4 - udot'|, udot' the first stage of the next step: with it in the fourth one's place the
**                  method is of order 3 (all but the last step of a run are judged)
**   SEMI_IMPLICIT  h/2 |udot' - udot|: against the trapezoidal rule (the same) */
dls_status dls_ode_judge(dls_ode_run *run, double error, double size);

/* The steps of single methods, for ode.c. */
dls_status dls_ode_rk4(dls_ode_run *run, double h);
dls_status dls_ode_dopri5(dls_ode_run *run, double to);
dls_status dls_ode_semi_implicit(dls_ode_run *run, double h);
dls_status dls_ode_stoermer(dls_ode_run *run, double h);
void dls_ode_stoermer_correct(dls_ode_run *run, const double *q, const double *u);

/* The problem's functions, or the plain ones. */
dls_status dls_ode_accelerate(dls_ode_run *run, double t, const double *q, const double *u,
                              double *udot);
void dls_ode_advance(const dls_ode *ode, double *q, double h, const double *u);
void dls_ode_rates(const dls_ode *ode, const double *q, const double *u, const double *udot,
                   double *qdot, double *qddot);

#endif
