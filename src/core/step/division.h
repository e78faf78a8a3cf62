/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STEP_DIVISION_H
#define DLS_STEP_DIVISION_H

#include "core/step/step.h"

/* Whether a step is to be made in parts (world/parts.h): it was too long for what moved in it. */

/* Whether a step is a part of one. */
typedef struct dls_division {
  int parts;     /* world->dt has so many; 1: it is whole                                */
  bool unjudged; /* it stands, whatever it passed                                        */
  bool unsolved; /* it is in parts since the solve of the whole step missed; answered: that of
                 ** this did, and parts are wanted for it                                */
  int wanted;    /* answered: in so many parts, and nothing has changed; 0: it is done   */
  double turned; /* the most that a body turned, of those that joints hold, rad          */
} dls_division;

/* Where contacts were not solved to their tolerance, two parts are wanted, as long as few steps
** have missed theirs: blows that wedge may be solved in halves, or in fourths where they are few. */
void dls_judge_solve(const dls_step *S, const dls_contact_stage *C, dls_division *division);

/* Where what joints hold or is given went through something by turning far, or something sank in
** that no projection takes out: parts are wanted. */
dls_status dls_judge_places(const dls_step *S, dls_ways *ways, bool sank, dls_division *division);

/* The same where projections lift what goes far in the step. l: its ledger. */
void dls_judge_lift(const dls_step *S, const dls_ledger *l, dls_division *division);

#endif
