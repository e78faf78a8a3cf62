/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_STATS_H
#define DLS_MODEL_STATS_H

#include <stdbool.h>

/* What is told of a step of a world, and of several. */

/* What a ledger's error is measured by, J: a step or many. Of the error only what is beyond the
** round-off of the energies counts; of a scene at rest nothing is turned over but what gravity
** would give each body in a step. */
typedef struct dls_balance {
  double error;    /* of the ledger, J                                               */
  double turnover; /* of the ledger, at least sum m (h g)^2/2 a step                 */
  double noise;    /* what rounding the bodies' energies may make of the error, J    */
} dls_balance;

typedef struct dls_stats {
  int contacts, unknowns, pivots, iterations, islands; /* of the last step              */
  int unconverged;       /* islands of the last step that missed the tolerance             */
  bool limited;          /* of these some by max_iterations                                */
  double work;           /* of the whole step, sweeps (rows/budget.h)                      */
  unsigned given_up;     /* 1 << dls_work_stage of what max_iterations left undone         */
  double residual;       /* relative, EQUATIONS G.1.7                                       */
  double overlap;        /* worst overlap before projection, relative to the smaller body   */
  double penetration;    /* the same after projection, of the size                          */
  double cone_violation; /* worst |p_t| - mu p_n over the largest impulse                   */
  double momentum_error; /* worst |m dv - impulses| over the largest, or what whirling joints lost */
  double energy_balance; /* error of the ledger over the energy turned over, see dls_balance */
  double correction;     /* energy added by projection over the energy turned over          */
  double impact_gain;    /* energy added by impacts over the energy turned over             */
  int curbed;            /* sequential impacts that would have added energy (dls_impact_curb) */
  bool overdamped;       /* a compliant contact loses more by the scheme than its e allows  */
  double stability;      /* of explicit penalty rows: stable below 4 (rows/stability.h)      */
  /* the projection left overlap, or rows of joints that cannot hold together */
  bool infeasible;
} dls_stats;

/* Phases of a step that a clock tells apart. */
#define DLS_PHASE_LIST(X)                                                                     \
  X(FORCES, "forces") X(DETECT, "detect") X(SOLVE, "solve") X(PROJECT, "project")             \
  X(REPORT, "report")

typedef enum dls_phase {
#define X(code, text) DLS_PHASE_##code,
  DLS_PHASE_LIST(X)
#undef X
  DLS_N_PHASES
} dls_phase;

/* Of the steps since someone reset it. */
typedef struct dls_worst {
  double residual, penetration, overlap; /* the largest of the stats                        */
  double impact_gain;                    /* J that impacts gave                             */
  dls_balance balance;                   /* sums                                            */
} dls_worst;

#endif
