/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_PASTED_H
#define DLS_SCHEME_PASTED_H

#include "core/scheme/advance.h"
#include "core/scheme/compliance.h"
#include "core/scheme/contact_row.h"
#include "core/scheme/contacts.h"
#include "core/scheme/disk_columns.h"
#include "core/scheme/disk_contacts.h"
#include "core/scheme/disk_motion.h"
#include "core/scheme/disk_record.h"
#include "core/scheme/floor.h"
#include "core/scheme/forces.h"
#include "core/scheme/friction.h"
#include "core/scheme/near.h"
#include "core/scheme/poses.h"
#include "core/scheme/position.h"
#include "core/model/row_frame.h"
#include "core/scheme/record.h"
#include "core/scheme/rods_met.h"
#include "core/scheme/speculative.h"
#include "core/scheme/touches.h"
#include "core/scheme/user_contacts.h"

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
typedef dls_tied tied;

#define Q(array, i) ((array) + (size_t)(i) * NQ)
#define U(array, i) ((array) + (size_t)(i) * NU)

#if D == 2
typedef dls_pose2 pose;
#define POSES T2
#define pose_of(body, q) dls_pose_2(body, q)
#define turned(T, r) dls_turned_2(T, r)
#define drift(q, s, u) dls_drift_2(q, s, u)
#define weigh(S, i, T) ((void)(T), dls_weigh(S, i, NULL))
#else
typedef dls_pose3 pose;
#define POSES T3
#define pose_of(body, q) dls_pose_3(body, q)
#define turned(T, r) dls_turned_3(T, r)
#define drift(q, s, u) dls_drift_3(q, s, u)
#define weigh(S, i, T) dls_weigh(S, i, &(T)->R)
#define is_round(body) dls_is_isotropic(body)
#define angular_momentum(body, q, u) dls_angular_momentum(body, q, u)
#define rate_of(body, q, L) dls_angular_rate(body, q, L)
#endif
#define velocity_at(u, r) dls_velocity_at(D, u, r)
#define anchor_at(S, q, body, anchor, r) dls_anchor_at(S, q, body, anchor, r)
#define pose_at(S, i, q) dls_pose_at(S, i, q)
#define poses_at(S, q) dls_poses_at(S, q)
#define kinetic_of(body, q, u) dls_kinetic(D, body, q, u)
#define kinetic_at(w, i, q, u) dls_kinetic_at(w, i, q, u)
#define potential_at(w, i, q) dls_potential_at(w, i, q)
#define mass_of(w, i) dls_mass_at(w, i)
#define moves_freely(body) dls_moves_freely(body)
#define is_free(w, i) dls_is_free(w, i)
#define is_plain_block(S, k) dls_is_plain_block(S, k)
#define ends_of(o) dls_overlap_ends(o)
#define end_of(o, e) dls_overlap_end(o, e)

#define are_jointed dls_are_jointed
#define longest_of(body) dls_longest_of(body)
#define span_of(body) dls_span_of(body)
#define body_at(S, k) dls_body_at(S, k)
#define ball_of(S, k) dls_ball_of(S, k)
#define touches_of(S, a, b, margin) dls_touches_of(S, a, b, margin)
#define too_many(S, n) dls_want_touches(S, n)
#define touch_shell(drum, a, r, b, margin, out) dls_touch_shell(drum, a, r, b, margin, out)
#define points_of(w, a, b, touch, on_a, on_b) dls_points_of(w, a, b, touch, on_a, on_b)
#define arm_to(q, point) dls_arm_to(D, q, point)
#define write_row(J, d, r_a, r_b) dls_write_row(D, J, d, r_a, r_b)
#define write_turn(J, d) dls_write_turn(D, J, d)
#define tangents(n, t1, t2) dls_tangents(D, n, t1, t2)
#define CLOSED DLS_CLOSED
#define friction_at(w, m, speed, mu) dls_friction_at(w, m, speed, mu)
#define stiffness_of(S, c, k, damping) dls_stiffness_of(S, c, k, damping)
#define tie_at(S, i, q, t, moving, out) dls_tie_at(S, i, q, t, moving, out)
#define remembered_tie(w, tie) dls_remembered_tie(w, tie)
#define height_of(S, x) dls_height_of(S, x)
#define shift_in(S, block, i) dls_shift_in(S, block, i)
#define want_contacts(S) dls_want_contacts(S)
#define take_spots(S) dls_take_spots(S)

#define RODS_AT_ONCE DLS_RODS_AT_ONCE
#define are_rods(S, a, b) dls_are_rods(S, a, b)

/* S->what of blocks of springs: this and the number of their first row. */
enum { SPRINGS = 1 << 10 };

#endif
