/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PASTED_H
#define DLS_JOINTS_PASTED_H

#include "core/joints/admit.h"
#include "core/joints/fit.h"
#include "core/joints/held.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rows.h"
#include "core/joints/penalty_step.h"
#include "core/joints/spring_rows.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"
#include "core/model/frames.h"

/* Short names for the rooms that scheme/planar.c and scheme/spatial.c still paste together, S the record of the step.
** It goes with the last of them; a translation unit does not include it. */
#define held_by_tree(S, body) dls_held_by_tree(&(S)->joints, body)
#define is_bound(S, body) dls_joints_act_on(&(S)->joints, body)
#define is_joined(S) dls_joints_hold(&(S)->joints)
#define link_wrench(j, p, out) dls_wrench_add(D, out, p, j)
#define spread(S, g, moving, u) dls_trees_spread(&(S)->joints, g, moving, u)
#define springs_of(S, k) dls_springs_of(&(S)->joints, k)
#define find_held_gaps(S, q, out, n) dls_joints_find_gaps(&(S)->joints, q, out, n)
#define find_limit_gaps(S, out, n, slack, worst) dls_joints_find_limit_gaps(&(S)->joints, out, n, slack, worst)
#define stand(S, q, afresh) dls_joints_stand(&(S)->joints, q, afresh)
#define aim_here(S, q) dls_aim_here(&(S)->joints, q)
#define charge_way(S, q) dls_charge_way(&(S)->joints, q)
#define turn_to_aim(S, q, o, n, size) dls_turn_to_aim(&(S)->joints, q, o, n, size)
#define turn_along(S, q, o, n, f, most, size) dls_turn_along(&(S)->joints, q, o, n, f, most, size)

#endif
