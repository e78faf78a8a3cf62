/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_EVENT_DRIVEN_H
#define DLS_EVENTS_EVENT_DRIVEN_H

#include "core/events/impact.h"
#include "core/events/system.h"
#include "core/ode/ode.h"

/* Event-driven integration of a system with unilateral contacts (EQUATIONS E.4).
**
** Between events the closed contacts are equations: normals a_N = 0, adhering tangents a_T = 0,
** sliding ones lambda_T = -mu(|v_T|) lambda_N d, d the slip direction; what these leave open
** (redundant contacts) is shared by them (event_share.c). Dormand and Prince's 5(4) integrates; at
** the end of each step watched functions are looked at along its dense output,
**
**     open      gap                   falls to 0: closing  (looked at for dips between samples)
**     closed    lambda_N              falls to 0: detachment
**     sliding   d . v_T               falls to 0: stop (d: at the start of the step)
**     adhering  mu lambda_N - |lambda_T|  falls to 0: slip
**
** and the first zero is met by steps of the integrator itself. There, in this order and by contact
** number: contacts that close are closed; while one approaches, an impact of all closed ones; what
** opens is released; detached contacts are removed; the complementarity problem on accelerations
** sets the modes of the rest, contacts that begin to slip entering it as sliding against their last
** friction, with mu(0+). An adhering contact that reaches its bound while redundant ones still hold
** it is `saturated`: its friction stays at the bound, and it does not move. Impacts whose flights
** become shorter than 1e-3 dt with a steady ratio are summed up as a geometric series
** (`accumulation`) and the contact stays closed; what opens it before that limit leaves none to be
** told of.
** Source: F. Pfeiffer 2001; E. Hairer, S. P. Norsett, G. Wanner 1993, II.6 (dense output).
** Statuses: DLS_SINGULAR, M is not definite, or no forces or impulses obey the laws; DLS_STATE, the
** motion cannot be followed; DLS_UNSTABLE, of the integrator; DLS_RANGE, accelerations that are not
** finite. */
typedef enum dls_contact_mode {
  DLS_MODE_OPEN,
  DLS_MODE_SLIP,      /* also: closed without friction */
  DLS_MODE_STICK,
  DLS_MODE_SATURATED  /* at rest with |lambda_T| = mu lambda_N */
} dls_contact_mode;

/* CONTACT: an open contact stays closed; ACCUMULATION: t is the limit of the impacts; COLLAPSED:
** a sequence of impacts was resolved at once. Never STEP. */
extern const char *const dls_event_names[]; /* of the kinds, ended by NULL */

typedef struct dls_event_entry {
  double t;            /* s                                                       */
  int kind;            /* dls_event_kind                                          */
  int contact;         /* 0-based                                                 */
  int mode;            /* dls_contact_mode of the contact after the event         */
  double impulse[3];   /* of an impact: normal, tangents, N s                     */
  double slip[2];      /* unit direction where the mode is SLIP                   */
  double velocity;     /* normal velocity before an impact, m/s                   */
} dls_event_entry;

typedef struct dls_event_opts {
  double dt;              /* s: longest step                                       */
  double rtol, atol;      /* of the integrator; defaults 1e-10, 1e-13              */
  dls_impact_law impact;  /* default Newton                                        */
  int corners;            /* 2 or 4; default 2                                     */
  /* no solution on accelerations: an impact of the closed contacts instead of DLS_SINGULAR;
  ** default true */
  bool impact_where_inconsistent;
  double gap_tolerance;   /* m: a starting gap below -this is refused; default 1e-5 */
} dls_event_opts;
dls_event_opts dls_event_opts_default(void);

typedef struct dls_event_stats {
  int64_t steps, rejected, evaluations; /* of the integrator                       */
  /* logged; instants of impact; complementarity problems solved */
  int64_t events, impacts, problems;
  double residual;        /* the largest of these problems, relative               */
  double drift;           /* m: the largest gap of a closed contact that projections took back */
  double dissipated;      /* J, taken by impacts in all                            */
  double friction;        /* J, taken by sliding friction in all  */
  double gained;          /* J: the most that one impact added; 0: none did        */
  int inconsistent;       /* times an impact stood in for missing accelerations    */
  int curbed;             /* sequential impacts that would have added energy       */
} dls_event_stats;

/* What a time step knows of a contact from the one before: it had a row; it held, pressed and not
** opening; it pressed and its normal velocity at the end was none, whatever it is at q'. */
enum { DLS_MEMORY_LISTED = 1, DLS_MEMORY_HELD = 2, DLS_MEMORY_RESTS = 4 };

typedef struct dls_event_contact {
  int mode;               /* dls_contact_mode                                      */
  double held;            /* m: the gap that is kept while closed; open: 0, or < 0 where it waits
                             (others hold it): the gap that ends that; of a given normal force
                             while open: less the gap where that ended */
  double level;           /* m: what its gap falls to where it closes again: 0, or the negative
                             one with which it opened, until it has been positive */
  double slip[2];         /* unit                                                  */
  double last_impact;     /* s; -infinity: none yet                                */
  double flight;          /* s: between the last two impacts; infinity: none       */
  double struck;          /* s: the last impact in which it had a part; of a given normal force:
                             when that ended; -infinity: none yet */
  double approach;        /* m/s: the largest approach in it                       */
  double limit;           /* s: where impacts that were summed up end, while that is to come and
                             the contact stays closed; infinity: none */
  /* such impacts in a row that followed each other within 1e-3 dt, at one instant too */
  int n_brief;
  int memory;             /* of time stepping: bits DLS_MEMORY_...; else 0         */
} dls_event_contact;

typedef struct dls_event_scheme {
  dls_system *system;     /* borrowed                                              */
  dls_event_opts opts;    /* as created with */
  double t, *q, *u;       /* the state; write them followed by dls_event_changed   */
  dls_event_contact *contacts; /* n_contacts                                       */
  double *lambda;         /* n_rows: forces as the modes have them; zero for open contacts */
  double *impulse;        /* n_rows, N s: of forces and impacts since the owner cleared it */
  double friction_power;  /* W, taken by friction in the present state              */
  /* m/s: the largest size of a row's velocity so far: noise is a share of it */
  double speed;
  bool settled;           /* modes and forces belong to this state                 */
  bool stepped;           /* a time step made this state: modes and memory are its own */
  dls_event_stats stats;        /* since the creation */
  dls_event_entry *log;         /* n_log                                                 */
  int n_log, n_log_room;  /* entries; places */
  bool logs;              /* events are kept                                       */
  double next_dt;         /* s: step that the integrator would try next; 0: its guess */
  int failed;             /* contact (or -1) that the last failure is about        */
  /* inside */
  dls_ode_run ode;
  dls_arena tmp;
  struct dls_event_scratch *scratch;
  dls_alloc alloc;
  void *block;
  size_t block_size;
} dls_event_scheme;

/* DLS_NOMEM, DLS_TOOBIG, DLS_ARG. A failure leaves it all zero, which dls_event_destroy accepts. */
dls_status dls_event_create(dls_event_scheme *e, dls_system *system, const dls_event_opts *opts,
                            double t, const double *q, const double *u, const dls_alloc *alloc);
void dls_event_destroy(dls_event_scheme *e);

/* The state was written from outside: which contacts are closed is found again from gaps. */
void dls_event_changed(dls_event_scheme *e);
/* Another time, of which no impact is the past. */
void dls_event_set_time(dls_event_scheme *e, double t);

/* Velocities of rows below which they count as rest, m/s. */
double dls_event_noise(const dls_event_scheme *e);

/* Whether the two watched functions of contact i were positive since its mode began: for whoever
** keeps states. */
void dls_event_arm(dls_event_scheme *e, int i, const int armed[2]);
void dls_event_armed(const dls_event_scheme *e, int i, int armed[2]);

/* Integrates to `to` > t. DLS_STATE: a gap below -gap_tolerance at the start (its contact in
** e->failed), the integrator or the modes do not settle; DLS_SINGULAR: no accelerations; statuses
** of the system's functions. Whole or not at all, as the next one. */
dls_status dls_event_run(dls_event_scheme *e, double to);
/* An impact of the closed contacts now, whether bodies approach or not: impulses into n_rows
** numbers; NULL: not wanted. */
dls_status dls_event_impact(dls_event_scheme *e, double *impulses);
/* du/dt of the state (n numbers), by the contacts that are closed and do not approach; the modes
** of all contacts (dls_contact_mode each). dls_event_forces are then theirs (n_rows). Nothing
** happens: no impact, no event. DLS_SINGULAR: there are none. */
dls_status dls_event_accelerations(dls_event_scheme *e, double *udot, unsigned char *modes);
const double *dls_event_forces(const dls_event_scheme *e);

/* The contacts that are closed (v_N of no matter what sign), those at rest normally, and those of
** them at rest tangentially: 1 or 0 each; any may be NULL. */
dls_status dls_event_sets(dls_event_scheme *e, unsigned char *closed, unsigned char *normal,
                          unsigned char *tangential);

/* The complementarity problem on accelerations of now (closed contacts at rest normally): *p
** points into the scheme until its next call; `listed` (n_contacts) their numbers. */
dls_status dls_event_problem(dls_event_scheme *e, dls_contact_problem *p, const int **listed);
/* du/dt from forces of that problem. */
void dls_event_udot(const dls_event_scheme *e, const dls_contact_problem *p, const int *listed,
                    const double *lambda, double *udot);

#endif
