/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ELASTIC_STACK_H
#define DLS_ELASTIC_STACK_H

#include "core/base/hash.h"
#include "core/elastic/tridiagonal.h"

/* n deformable bodies on a vertical line, between a floor and perhaps a ceiling. Body i (0-based,
** from the floor up) is a mass M_i at its centre, joined by a spring S_i to a massless node below
** and one above. Contact j lies below body j, contact n is the ceiling's; x points upwards.
**
** One step of length dt from displacements U, velocities V (backward differences, first order):
**
**     P_i  = M_i + dt L_i,   K_i = P_i / dt^2,   L_i the damping in force in this step
**     F_i  = -M_i g                              V*_i = (M_i V_i + dt F_i) / P_i      free velocity
**     A_jj = sum over the bodies at contact j of 1/S + 1/K,     A_j,j+1 = -1/K_j
**     B_j  = (D0_j + U_j - U_j-1) + dt (V*_j - V*_j-1)          terms of walls are zero
**     D = A N + B,   0 <= D _|_ N >= 0           gaps at the step's end, contact forces
**     V_i <- V*_i + dt (N_i - N_i+1) / P_i,      U_i <- U_i + dt V_i
**
** which is Kolesnikov's matrix form (24)-(33) reduced to this chain, with (2 U - U') written as
** U + dt V so that nothing cancels. Energy obeys, term by term and to round-off,
**
**     kinetic + potential + stored + damped + numerical = const,
**     numerical += sum M dV^2/2 + sum dN^2/(2 S) + sum N_j (gap before)_j  >= 0:
**
** what the first-order scheme itself loses.
** Source: G. N. Kolesnikov, Decomposition algorithm of LCP and simulation of pulpwood collisions in
** a debarking drum, Resources and Technology, 2013, eqs (1)-(33); EQUATIONS A.2 with its errata. */

typedef enum dls_stack_damping {
  DLS_STACK_LAGGED, /* in force where the body was touched in the step before: "lagged"   */
  DLS_STACK_ALWAYS, /* in force in free flight too: "always"                              */
  DLS_STACK_NONE    /* "none"                                                             */
} dls_stack_damping;

typedef struct dls_stack_body {
  double mass;      /* kg, > 0                                                            */
  double stiffness; /* N/m, > 0, of each of the two springs                               */
  double damping;   /* N s/m, >= 0, on the absolute velocity of the centre                */
  double position;  /* m, height of the centre                                            */
  double velocity;  /* m/s, upwards                                                       */
  double radius;    /* m, >= 0, from the centre to either boundary node at rest           */
} dls_stack_body;

typedef struct dls_stack_def {
  int n;                        /* bodies, >= 1                                           */
  const dls_stack_body *bodies; /* n, from the floor up, borrowed                         */
  double floor;                 /* m, height; default 0                                   */
  double ceiling;               /* m, height; infinity: none (the default)                */
  double gravity;               /* m/s^2, downwards; default 9.81                         */
  double dt;                    /* s, > 0; default 1e-5                                   */
  int damping;                  /* a dls_stack_damping; default lagged                    */
  bool log;                     /* keep a list of events; default true                    */
} dls_stack_def;

dls_stack_def dls_stack_def_default(void);

/* A contact closed or opened. */
typedef struct dls_stack_event {
  double t;     /* s, end of the step                                                     */
  double speed; /* m/s, approach speed of the two centres before the step                 */
  int contact;  /* 0-based, from the floor up                                             */
  bool closed;  /* true: a force appeared; false: it vanished                             */
} dls_stack_event;

/* What a step changes, besides the arrays. */
typedef struct dls_stack_count {
  int64_t steps;      /* made so far; time = steps dt                                     */
  int64_t pivots;     /* in all                                                           */
  int64_t collisions; /* contacts that closed                                             */
  double damped;      /* J, taken by the dampers                                          */
  double numerical;   /* J, lost by the scheme                                            */
  double residual;    /* of the last step, relative (dls_stack_residual) */
  double worst;       /* the largest residual so far                                      */
  int64_t last_pivots; /* of the last step                                                */
} dls_stack_count;

typedef struct dls_stack {
  dls_stack_def def;        /* as given; def.bodies is owned                              */
  int n, m;                 /* bodies; contacts: n + 1 with a ceiling, else n             */
  double *D0;               /* m: gaps at the start, m                                    */
  double *U, *V, *L;        /* n: displacement, m; velocity, m/s; damping in force        */
  double *N, *D, *B;        /* m: contact forces, N; gaps, m; B, m; of the last step      */
  double *peak, *peak_time; /* m: largest force so far, N, and when, s                    */
  double *next;             /* 3 n + 5 m: the step under way, see stack.c                 */
  dls_arena tmp;            /* of the complementarity solve                               */
  dls_stack_count count;    /* counters and energies                                      */
  dls_stack_event *events;  /* n_events, in order                                         */
  size_t n_events, n_room;  /* events kept; events there is room for                      */
  dls_alloc alloc;          /* where all of this comes from                               */
  double *block;            /* the one block behind the arrays                            */
} dls_stack;

/* Fills *stack. Failures leave it all zero, which dls_stack_destroy accepts:
** DLS_ARG  bodies too deep in each other or in a wall: fault->index is the contact, fault->value
**          the negative gap; or, with fault->value = 0, body fault->index whose numbers leave the
**          range of doubles (M / dt^2, 1 / S, M g);
** DLS_NOMEM, DLS_TOOBIG.
** A negative gap up to a fifth of the two radii (both 0: 5 % of the stack's height) is a contact
** that starts compressed, with the force of its springs in balance; one of round-off is 0. */
dls_status dls_stack_create(dls_stack *stack, const dls_stack_def *def, const dls_alloc *alloc,
                            dls_fault *fault);
void dls_stack_destroy(dls_stack *stack);

/* One step, all or nothing. DLS_FULL: no room for events, call dls_stack_make_room and repeat;
** DLS_ARG: the numbers left the range of doubles. */
dls_status dls_stack_step(dls_stack *stack);
dls_status dls_stack_make_room(dls_stack *stack);

static inline double dls_stack_time(const dls_stack *s) {
  return (double)s->count.steps * s->def.dt;
}

/* Energies in J: kinetic, potential (zero at height 0), stored in the springs. */
void dls_stack_energy(const dls_stack *stack, double *kinetic, double *potential, double *stored);

/* A of the last step: diagonal (m) and couplings -A_j,j+1 (m - 1). */
void dls_stack_matrix(const dls_stack *stack, double *diagonal, double *coupling);

/* Everything that the next steps depend on, and what is told about the past ones (not events). */
uint64_t dls_stack_hash(const dls_stack *stack);

/* The state as bytes, for a stack of the same definition. */
size_t dls_stack_state_bytes(const dls_stack *stack);
void dls_stack_save(const dls_stack *stack, void *bytes);
/* Back again. DLS_STATE, with nothing changed: the bytes are of another stack. */
dls_status dls_stack_load(dls_stack *stack, const void *bytes, size_t size);

#endif
