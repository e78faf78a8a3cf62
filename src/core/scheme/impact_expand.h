/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_EXPAND_H
#define DLS_SCHEME_IMPACT_EXPAND_H

#include "core/scheme/impacts.h"

/* The expansion of Poisson's law on one island (EQUATIONS E.3): rows and impulses p with
**
**     contact    e p_C <= p_n  _|_  v_n >= 0,  friction within mu p_n against v_t
**     joint      v = 0;  its limits 0 <= p  _|_  v >= 0
**
** by sweeps, and where these do not end, in islands of up to 200 rows, by Newton's steps on Alart and Curnier's
** equations (Alart & Curnier, Comput. Methods Appl. Mech. Engrg. 92, 1991) with W of the island. */
typedef struct dls_expansion {
  dls_step *S; /* the step */
  const dls_contact_stage *C; /* its contacts */
  const dls_joint_stage *joints; /* its joints */
  const int *blocks; /* of the island                                         */
  int n, n_rows;     /* blocks, rows */
  double limit;      /* m/s, of the largest error                             */
  int most;          /* sweeps                                                */
  double *u;         /* velocities: those of the compression, then of the end */
} dls_expansion;

/* rows.p of the island's blocks and u follow. The largest error, m/s, and the sweeps made, or what cost as many. */
dls_status dls_expand_island(const dls_expansion *of, double *error, int *sweeps);

/* Velocities v of a block's rows at the velocities u of bodies. */
void dls_impact_velocities(const dls_step *S, const dls_contact_stage *C, const dls_block *block, const double *u,
                           double *v);

#endif
