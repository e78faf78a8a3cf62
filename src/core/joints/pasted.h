/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PASTED_H
#define DLS_JOINTS_PASTED_H

#include "core/joints/gear.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rates.h"
#include "core/model/frames.h"

/* Short names for the rooms that scheme/planar.c and scheme/spatial.c still paste together. It goes with the last of
** them; a translation unit does not include it. */
typedef dls_joint_frame hinge;
typedef dls_gear_frame wheels;
enum { LIMITS = DLS_JOINT_LIMITS };
#define hinge_at(S, index, q) dls_joint_frame_at((S)->w, index, q)
#define write_functional(S, h, q, d, J) dls_joint_frame_row((S)->w, h, q, d, J)
#define along(d, x) dls_functional(d, x)
#define limit_of(h, i, gap, d) dls_joint_frame_limit(h, i, gap, d)
#define held_directions(h, N) dls_joint_frame_held(D, h, N)
#define rotation_vector(q) dls_ball_rotation(q)
#define spin_length(S, h) dls_joint_length((S)->w, (h)->joint)
#define has_spring(w, joint) dls_joint_is_sprung(w, joint)
#define has_limits(joint) dls_joint_has_limits(joint)
#define has_rows(joint) dls_joint_has_rows(joint)
#define torque_of(S, index, out) dls_joint_torque((S)->w, index, out)
#define forces_of(S, index, h, rate, out) dls_joint_force((S)->w, index, h, rate, out)
#define add_own(S, index, J, force) dls_joint_own_add((S)->w, (S)->q_c, index, J, force)
#define wheels_at(S, gear, q, out) dls_gear_frame_at((S)->w, gear, q, out)
#define link_wrench(j, p, out) dls_wrench_add(D, out, p, j)

#endif
