/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_EXPAND_H
#define DLS_SCHEME_IMPACT_EXPAND_H

#include "core/scheme/impacts.h"

/* A phase of Poisson's law on one island (EQUATIONS E.3): rows and impulses p with
**
**     contact    e p_C <= p_n  _|_  v_n >= 0,  friction within mu p_n against v_t
**     joint      v = 0;  its limits 0 <= p  _|_  v >= 0
**
** p_C = 0 in the compression. The expansion goes by sweeps, and where these do not end, in islands
** of up to 200 rows, by Newton's steps with W of the island (impact_points.h). */
typedef struct dls_expansion {
  dls_step *S; /* the step */
  const dls_contact_stage *C; /* its contacts */
  const dls_joint_stage *joints; /* its joints */
  const int *blocks; /* n: of the island                                      */
  int n, n_rows;     /* blocks, rows */
  bool compresses;   /* the phase: compression, where p_C is not known yet            */
  bool shares;       /* its impulses are shared: not unique otherwise (impact_points.h)  */
  double limit;      /* m/s, of the largest error                             */
  int most;          /* sweeps                                                */
  double *u;         /* n_bodies x nu: of the compression, then of the end    */
} dls_expansion;

/* rows.p of the island's blocks and u follow. The largest error, m/s, and the sweeps made, or what
** cost as many. */
dls_status dls_expand_island(const dls_expansion *of, double *error, int *sweeps);

/* The largest error of the island, m/s. */
double dls_expansion_error(const dls_expansion *of);

/* The least normal impulse of a block. */
double dls_expansion_least(const dls_expansion *of, const dls_block *block);

/* What the law of a block asks for: its velocities and its shift, which is that of the compression
** (of a limit: how far it is from being reached). */
void dls_expansion_speeds(const dls_expansion *of, const dls_block *block, double *v);

/* The groups of a block's cone after the normal: rows, of each; how many groups. */
int dls_impact_groups(int dim, const dls_block *block, int rows_of[3]);

/* Velocities v of a block's rows at the velocities u of bodies. */
void dls_impact_velocities(const dls_step *S, const dls_contact_stage *C, const dls_block *block,
                           const double *u, double *v);

#endif
