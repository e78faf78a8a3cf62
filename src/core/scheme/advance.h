/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_ADVANCE_H
#define DLS_SCHEME_ADVANCE_H

#include "core/scheme/position.h"

/* Coordinates of bodies through the step, q -> q_c -> q'. In space a free body carries its angular
** momentum. Bodies with a motion of their own (hooks.motion) are where that says; their coordinates
** and velocities at the end of the step go to q_end, u_end. */

/* q_c = q (+) (1 - theta) h u, from q_c = q and u_c = u; in space u_c has the angular velocity of L
** at q_c. */
dls_status dls_begin_bodies(dls_step *S);
dls_status dls_begin_body(dls_step *S, int i);

/* q_n = q_c (+) theta h u', u_n = u'. */
void dls_advance_bodies(dls_step *S);
void dls_advance_body(dls_step *S, int i);

/* Bodies of swift pairs end where their touches let them go (ways.h). */
dls_status dls_end_ways(dls_step *S, dls_near_stage *N, dls_position_stage *P);

#endif
