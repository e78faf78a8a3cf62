/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_HELD_MIXED_H
#define DLS_JOINTS_HELD_MIXED_H

#include "core/joints/stage.h"

/* The problem of held.h, all rows at once: a mixed LCP in one unit. */

/* A turn's work at most: what is not solved then is left to the turns that follow. */
enum { DLS_HELD_SWEEPS = 300 };

/* A row's own W where its bodies are free, about. */
double dls_overlap_alone(const dls_joint_stage *S, const dls_overlap *o);

/* What gaps of a row are measured by: of turns 1 rad, of points the largest radius of gyration of
** who moves; and 1 over the power of two below that. */
double dls_overlap_length(const dls_joint_stage *S, const dls_overlap *o);
double dls_overlap_per_unit(const dls_joint_stage *S, const dls_overlap *o);

/* Equations whose pivots are below this share of their size depend on others at the gaps at hand, if
** what these leave of theirs is little (DLS_JOINT_LEFT); 0: none beyond round-off. */
double dls_held_dependent_pivot(const dls_joint_stage *S, const dls_overlap *o, int n);

/* Multipliers: W pi + b = 0 or the rows' laws. W and b are overwritten: they become those of gaps
** in rad, of points as shares of a radius of gyration. */
dls_status dls_joints_solve_mixed(dls_joint_stage *S, const dls_overlap *o, int n, double *W,
                                  double *b, double *pi);

#endif
