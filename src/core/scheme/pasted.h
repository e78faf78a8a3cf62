/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_PASTED_H
#define DLS_SCHEME_PASTED_H

#include "core/scheme/step.h"

/* Short names of one dimension for the rooms that planar.c and spatial.c still paste together. It goes with the last of
** them; a translation unit does not include it. */
typedef dls_step step;
typedef dls_near candidate;
typedef dls_ball ball;
typedef dls_overlap overlap;
typedef dls_penalty_at penalty_at;
typedef dls_spring_row spring_row;
typedef dls_chosen chosen;
typedef dls_plain plain;
typedef dls_plain_run plain_run;
typedef dls_judgement judgement;
typedef dls_slip_bounds slip_bounds;
typedef dls_spot2 spot;

#define Q(array, i) ((array) + (size_t)(i) * NQ)
#define U(array, i) ((array) + (size_t)(i) * NU)

#if D == 2
typedef dls_pose2 pose;
#define POSES T2
#define pose_of(body, q) dls_pose_2(body, q)
#define turned(T, r) dls_turned_2(T, r)
#define drift(q, s, u) dls_drift_2(q, s, u)
#else
typedef dls_pose3 pose;
#define POSES T3
#define pose_of(body, q) dls_pose_3(body, q)
#define turned(T, r) dls_turned_3(T, r)
#define drift(q, s, u) dls_drift_3(q, s, u)
#define is_round(body) dls_is_isotropic(body)
#define angular_momentum(body, q, u) dls_angular_momentum(body, q, u)
#define rate_of(body, q, L) dls_angular_rate(body, q, L)
#define drift_with_momentum(body, q, s, u, L) dls_drift_with_momentum(body, q, s, u, L)
#define parts_of_turn(u, s) dls_parts_of_turn(u, s)
#define turn_in_parts(body, n, q, s, u) dls_turn_in_parts(body, n, q, s, u)
#endif
#define drift_plainly(q, s, u) dls_drift_linear(D, q, s, u)
#define kinetic_of(body, q, u) dls_kinetic(D, body, q, u)
#define kinetic_at(w, i, q, u) dls_kinetic_at(w, i, q, u)
#define potential_at(w, i, q) dls_potential_at(w, i, q)
#define mass_of(w, i) dls_mass_at(w, i)
#define moves_freely(body) dls_moves_freely(body)
#define is_free(w, i) dls_is_free(w, i)
#define is_plain_block(S, k) dls_is_plain_block(S, k)
#define ends_of(o) dls_overlap_ends(o)
#define end_of(o, e) dls_overlap_end(o, e)

/* S->what of blocks of springs: this and the number of their first row. */
enum { SPRINGS = 1 << 10 };
enum {
  PLAIN_ACTED = DLS_PLAIN_ACTED,
  PLAIN_BOUNCES = DLS_PLAIN_BOUNCES,
  PLAIN_ASLEEP = DLS_PLAIN_ASLEEP,
  PLAIN_MARKS = DLS_PLAIN_MARKS
};

#endif
