/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_IMPACT_H
#define DLS_EVENTS_IMPACT_H

#include "core/base/words.h"
#include "core/events/contact_problem.h"

/* Impact laws with friction, positions fixed:
**     gamma+ = gamma- + G Lambda,  u+ = u- + M^-1 J' Lambda
**
**   Newton      0 <= gamma_N+ + e_N gamma_N-  _|_  Lambda_N >= 0,  Coulomb with
**               gamma_T+ + e_T gamma_T-; a contact that opens beforehand has e_N = 0.
**               Where friction jams it (no impulses obey it) nothing rebounds: e_N = e_T = 0
**   Poisson     compression: Newton's with e = 0 -> Lambda_C; expansion:
**               Lambda_NE >= e_N Lambda_NC, the share above it complementary to gamma_N+,
**               Coulomb with Lambda_NE and gamma_T+; the reversible part e_T e_N Lambda_TC is
**               added and the sum cut to the disk mu Lambda_NE, unless that adds energy
**   sequential  Newton's of the contact with the largest approach speed (ties: the first one)
**               alone, again and again; after 64 n of them, or below 1e-9 of the first approach,
**               the rest at once with e = 0. One that would add energy is curbed (dls_impact_curb)
**
** Friction acts with the tangential velocity at the end of the phase. Newton's law may gain
** energy with friction, Poisson's with that of several contacts whose e_N differ, sequential
** impacts do not.
** Source: EQUATIONS E.3; F. Pfeiffer 2001; C. Glocker, Set-Valued Force Laws, 2001. */
typedef struct dls_impact_problem {
  dls_contact_problem contacts; /* c, slides, slip, least_normal are not read                    */
  const double *before;         /* n_rows: gamma-, m/s                                           */
  const double *e_N, *e_T;      /* n: in [0, 1]                                                  */
  dls_impact_law law;           /* Newton, Poisson, sequential */
  bool rest_waits;              /* sequential: what is left is not resolved, but told: collapsed */
} dls_impact_problem;

typedef struct dls_impact_report {
  dls_outcome outcome; /* solved, or why not */
  double residual;  /* the largest of the problems solved, relative                              */
  int n_solved;     /* of them                                                                   */
  int curbed;       /* sequential: impacts that would have added energy                          */
  bool collapsed;   /* sequential: the rest was resolved at once, or waits                       */
} dls_impact_report;

/* Lambda and gamma+ (n_rows each). DLS_FULL: tmp needs dls_impact_bytes. */
dls_status dls_impact_solve(const dls_impact_problem *p, dls_arena *tmp, double *Lambda,
                            double *after, dls_impact_report *report);
size_t dls_impact_bytes(int n, int n_rows);

#endif
