/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_GONE_H
#define DLS_JOINTS_GONE_H

#include "core/joints/stage.h"

/* Where loops could not follow (fit.h, S->bent), what joints hold together has at q_n the
** velocities of the way that it went in the step, if that is less motion than u_n: what closed a
** gap from before is none. What hangs from nothing that stands or is driven keeps its momentum and
** its angular momentum: a motion as of one rigid body is added. The arena has no room: DLS_FULL. */
dls_status dls_joints_follow_way(dls_joint_stage *S);

#endif
