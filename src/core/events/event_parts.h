/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_EVENT_PARTS_H
#define DLS_EVENTS_EVENT_PARTS_H

#include "core/events/event_driven.h"
#include "core/math/ranked.h"
#include "core/ode/radau.h"

/* What the files of the event-driven scheme share. Rows of a set: those of its contacts, one
** behind the other. Statuses: DLS_SINGULAR, M is not definite, or no forces or impulses obey the
** laws; DLS_STATE, the motion cannot be followed; DLS_UNSTABLE, of the integrator; DLS_RANGE,
** accelerations that are not finite. */
typedef enum dls_event_hint { /* what a watched function said of a contact */
  DLS_HINT_NONE,
  DLS_HINT_CLOSE,
  DLS_HINT_DETACH,
  DLS_HINT_STOP,
  DLS_HINT_SLIP,
  DLS_HINT_FOUND   /* found closed in a state written from outside: no event */
} dls_event_hint;

typedef struct dls_event_scratch {
  int n_listed, n_rows;  /* contacts of the set at hand; their rows                  */
  int *listed;           /* n_contacts                                               */
  int *first;            /* n_contacts: place of the first row of each in the set    */
  int *n_tangents;       /* n_contacts                                               */
  int *rows;             /* n_rows: rows of the system                               */
  unsigned char *slides; /* n_contacts: of the set                                   */
  double *slip;          /* 2 n_contacts: of the set                                 */
  double *mu;            /* n_contacts: of the set                                   */
  double *e_N, *e_T;     /* n_contacts: of the set                                   */
  int *tangents;         /* n_contacts: of an island of it                           */
  int *island;           /* n_contacts: of the set in a time step (time_islands.c)   */
  struct dls_time_contact *timed; /* n_contacts: of a time step                      */
  double *mean;          /* n: velocities, of a time step                            */
  int room;              /* rows that G and A have room for                          */
  double *G;             /* room^2                                                   */
  double *c, *x, *a;     /* n_rows: of the set                                       */
  double *terms;         /* n_rows, m/s^2: what an entry of c is a sum of                */
  int *group;            /* n_contacts: of the set: the first contact of its group       */
  double *most, *none;   /* n_contacts: of the set: N, m/s^2 of its group (event_groups.c) */
  double *A, *b;         /* room^2, n_rows: equations of the modes                   */
  double *kernel;        /* room^2: of these where they are redundant                */
  double *trial;         /* n_rows: forces of the set                                */
  unsigned char *rests;  /* n_contacts: of the set: 0 without force, 1 slides, 2 at rest in trial */
  unsigned char *milder; /* n_contacts: hints without slip                           */
  /* n_contacts: those that were to detach and bear with the others' new modes */
  unsigned char *bears;
  double *share, *scale; /* n_rows: of the equations' unknowns, see ranked.h         */
  double *d;             /* n_rows: their solution                                   */
  int *eq;               /* n_rows: rows of the set that are equations               */
  int *perm;             /* n_rows                                                   */
  double *now;           /* n_rows of the system: forces at the last evaluation      */
  double *end;           /* n_rows: those at the end of the step                     */
  double end_power;      /* W: taken by friction there                               */
  double *q_0, *u_0;     /* nq, n: where the step began                                  */
  double *q, *u, *udot;  /* nq, n, n: of a sample                                           */
  double *direction;     /* 2 n_contacts: slip directions at the start of the step   */
  double *f[4];          /* 2 n_contacts: watched functions: at the last sample, at this one,
                            wherever else a root is looked for, at the sample before the last */
  double *start_speed;   /* n_contacts: slip speeds at the start of the step, in space */
  double *kept;          /* n_contacts, m: `held` of those that joined an impact, before */
  int *n_slow;           /* n_contacts: short steps in a row that keep a slip at rest's speed */
  double *handed;        /* n_contacts, m: what a hand-over says of each, as `hand` of system.h */
  double *root;          /* 2 n_contacts: first zeros in the step, as shares of it   */
  unsigned char *jumps;  /* 2 n_contacts: whether the function jumps to -infinity there */
  unsigned char *armed;  /* 2 n_contacts: the function was positive since its mode began */
  unsigned char *hint;   /* n_contacts: dls_event_hint                               */
  unsigned char *before; /* n_contacts: modes before the event                       */
  bool redundant;        /* the modes' equations depend on each other                */
  bool strayed;          /* states beside the last sample were looked at             */
  /* n_contacts, where watched last: N that is round-off of normal forces, and of forces */
  double *faint, *weak;
  bool torn, was_torn;   /* they contradict each other: where watched, where the step begins */
  double largest, largest_before; /* of their terms, m/s^2 or rad/s^2: likewise          */
  double *saved_q, *saved_u, *saved_lambda; /* the state before a call: nq, nu, n_rows */
  dls_event_contact *saved_contacts;
  unsigned char *saved_armed;
  dls_radau radau;       /* of steps that slow slips in space make stiff             */
  dls_arena stiff;       /* its arrays                                               */
  int idle;              /* events in a row without progress in time                 */
  int n_paced;           /* steps of the integrator since ...                        */
  double paced_from;     /* s                                                        */
  double span;           /* s: that of the system's differences where no gap moves by time alone */
  dls_event_scheme saved;
} dls_event_scratch;

/* Share of the slip speed: approach that tells an impact without collision from none */
#define DLS_EVENT_NUDGE 1e-6
#define DLS_EVENT_CLOSED 1e-12 /* m: a gap below this is closed where a state begins */
#define DLS_EVENT_TIE 1e-12  /* s: events nearer than this, and 1e-14 of t, are one instant */
#define DLS_EVENT_ZERO 1e-9   /* of the largest force: none */
#define DLS_EVENT_SHORT 1e-3  /* of dt: flights between impacts that may be summed up */
/* Impacts of a contact in a row after such flights: then its restitution ends */
#define DLS_EVENT_BURST 20
/* Events without progress in time: from then on none is relieved, those of forces are met late */
#define DLS_EVENT_PATIENCE 10
#define DLS_EVENT_SHORTEST 1e-15 /* of t: steps below it are none */

/* The set of contacts that are closed, from modes. Rows, dynamics and M^-1 J' of these at (t, q,
** u), and G. */
dls_status dls_event_evaluate(dls_event_scheme *e, double t, const double *q, const double *u,
                              bool with_bias);
/* The largest velocity so far, by the rows evaluated last: of states of the scheme, never of what
** an integrator tries. */
void dls_event_measure(dls_event_scheme *e);
/* Room for the set's rows, which evaluate makes: once for a set of this size. */
dls_status dls_event_make_room(dls_event_scheme *e);
/* W: what the forces of the set's contacts (rows of the system) take by friction at the
** velocities evaluated last. */
double dls_event_friction_power(const dls_event_scheme *e, const double *force);
/* Forces (scratch->now) and du/dt of the modes, of what was evaluated last: slip and mu of the
** set as they stand. */
void dls_event_respond(dls_event_scheme *e, double *udot);
/* Whether the equations of the modes, which depend on each other, contradict each other: udot, of
** the last evaluation, does not meet them all. size: of the largest of their terms. */
bool dls_event_contradict(const dls_event_scheme *e, const double *udot, double *size);
/* Direction of the slip of contact i in space, as its velocity at the last evaluation has it;
** answers the speed by which changes of the velocity turn it. One that has left the half space of
** the step's start is past a stop and mirrored. Below rest the start's direction makes up what
** the speed lacks, so that friction is continuous in the velocity. */
double dls_event_slip_direction(const dls_event_scheme *e, int i, double *slip);
/* Directions of slips that begin in space; whether slow slips make the next step a stiff one:
** then its method is ready. */
dls_status dls_event_judge(dls_event_scheme *e, bool *stiff);
/* Forces (scratch->now) and du/dt of the modes there. */
dls_status dls_event_smooth(void *scheme, double t, const double *q, const double *u, double *udot);
/* Closed contacts back to their gaps, and to rest where they are at rest: round-off and the
** integrator's error. begins: slips that begin, too. */
dls_status dls_event_project(dls_event_scheme *e, bool begins);
/* Shares of the equations' m unknowns by normal forces (rows of the system) in redundant
** contacts: what a normal force may be, and friction by each contact's own. */
void dls_event_shares(const dls_event_scheme *e, int m, const double *force);
/* --- groups of the set, by G (event_groups.c) --- */

/* Whether contacts a and b of the set answer each other. */
bool dls_event_coupled(const dls_event_scratch *w, int a, int b);
/* Fills w->group: contacts that answer each other, also by way of others. */
void dls_event_group(dls_event_scheme *e);
/* w->most[k]: the largest force of contact k's group, of rows of the set or of the system; where
** bodies differ in mass what makes the group's largest acceleration of contact k's own, if that is
** less. w->none is overwritten. */
void dls_event_largest(dls_event_scheme *e, const double *force, bool of_set);
/* w->none[k]: accelerations below which contact k counts as staying, from the terms that those of a
** solution are sums of in its group. */
void dls_event_none(dls_event_scheme *e);
/* The solution in w->x, w->a of the problem on accelerations: where contacts are redundant those
** of its forces that share the load among contacts at rest (w->rests). Answers whether they
** are. */
bool dls_event_share(dls_event_scheme *e, const dls_contact_problem *p);

/* The problem on accelerations of the set, from what evaluate left: friction by modes and hints. */
dls_status dls_event_pose(dls_event_scheme *e, const unsigned char *hint, dls_contact_problem *p);
/* Impacts, release, detachment, modes at the present state: what an event means. hint:
** n_contacts. */
dls_status dls_event_resolve(dls_event_scheme *e, const unsigned char *hint);
/* An impact of the contacts that are closed, and nothing else: law of the options, or e = 0 with
** approach added to contacts at rest (nudge, a share of the largest velocity). Impulses into
** n_rows numbers, NULL: not wanted. */
dls_status dls_event_strike(dls_event_scheme *e, bool none, double nudge, double *impulses,
                            bool *moved);
/* The state kept, and all of it back but for the room of the log and of the workspace, which may
** have grown. */
void dls_event_save(dls_event_scheme *e);
void dls_event_put_back(dls_event_scheme *e);
/* Where a time step made the state, what it left open or moving by O(h^2) among the contacts that
** hold is taken back: they are closed and at rest, as it had them. Save before, put back
** afterwards. */
dls_status dls_event_admit(dls_event_scheme *e);
/* Modes and forces of the present state without an impact: closed contacts that approach are left
** out; save before, put back afterwards. */
dls_status dls_event_look(dls_event_scheme *e);
/* Accumulations whose limit has come. */
dls_status dls_event_tell_limits(dls_event_scheme *e);
/* One more entry of the log. */
dls_status dls_event_tell(dls_event_scheme *e, const dls_event_entry *event);

/* --- one step of the integrator (event_watch.c, event_impulses.c) --- */

typedef struct dls_event_span {
  double t, h;      /* s: where it began; its length */
  double theta;     /* share of it: the first event  */
  double sampled;   /* share of it: where was looked last before that, with nothing found */
  /* steps that the integrator made of it: with one, its dense output is of the whole */
  int pieces;
  bool stiff;       /* made by the implicit method  */
} dls_event_span;

/* Function k at a share theta of the step. */
dls_status dls_event_value_at(dls_event_scheme *e, const dls_event_span *sp, int k, double theta,
                              double *f, double *value);
/* The first event of the step into sp->theta (infinite: none) and w->root. */
dls_status dls_event_find(dls_event_scheme *e, dls_event_span *sp, bool fresh);
/* Meets the first event by steps of the integrator: Newton's steps in time on its function. */
dls_status dls_event_meet(dls_event_scheme *e, dls_event_span *sp);
/* What the events at this instant are; false: a slip that was no stop after all. */
bool dls_event_hints(dls_event_scheme *e, const dls_event_span *sp);
/* *span: at most the time in which four samples of a step see how gaps go that move by time alone
** (event_span.c); by it differences go, from here to the end of the step. */
dls_status dls_event_watchable(dls_event_scheme *e, double *span);
/* One step of the integrator. */
dls_status dls_event_integrate(dls_event_scheme *e, const dls_event_span *sp, double to);
/* The next piece of a step that is to end at target. */
dls_status dls_event_piece(dls_event_scheme *e, const dls_event_span *sp, double target);
/* Impulses of the forces and what friction takes, over the step as far as the integrator has
** gone, where the forces are those watched last: by the nodes of its dense output, of each piece;
** q_0, u_0 are then those of the last one. */
dls_status dls_event_add_impulses(dls_event_scheme *e, const dls_event_span *sp);

/* --- transitions (event_impact.c, event_modes.c, event_resolve.c) --- */

/* The set of closed contacts as a problem; G, rows from evaluate. */
dls_contact_problem dls_event_problem_of_set(const dls_event_scheme *e);
/* Open contacts that touch at rest become part of the set where they answer one that an event is
** of: accelerations say whether they bear from now on. (One that was let go as another began to
** slip would else fall by round-off when that sticks, and strike: 7e4 events in 10 ms where a box's
** corner wedges a capsule.) */
dls_status dls_event_join_resting(dls_event_scheme *e, const unsigned char *hint);
/* Impacts until no closed contact approaches. */
dls_status dls_event_strike_all(dls_event_scheme *e);
/* Contact i is open from now on. */
dls_status dls_event_open(dls_event_scheme *e, int i);
/* Solves; contacts that begin to slip do so with mu(0+), those that were to slip and would turn
** back adhere. */
dls_status dls_event_solve_modes(dls_event_scheme *e, const unsigned char *hint,
                                 dls_contact_problem *p, bool *solved);
/* Modes and reference forces of the set from the solution. */
dls_status dls_event_set_modes(dls_event_scheme *e);

#endif
