/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_ADD_H
#define DLS_JOINTS_ADD_H

#include "core/model/world.h"

/* What whoever makes joints shares: the formulation, the way the tree runs, frames in bodies. The
** named kinds stand in model/joint_kinds.h. */

typedef enum dls_joint_choice {
  DLS_JOINT_GOOD,
  DLS_JOINT_NOTHING_MOVES, /* neither body is dynamic                          */
  DLS_JOINT_LOOP,          /* asked to be reduced, would close a loop          */
  DLS_JOINT_BOTH_CARRIED   /* asked to be reduced, both bodies have a parent   */
} dls_joint_choice;

/* Sets joint->formulation and turned from what is asked for (dls_formulation; -1: reduced where the
** tree has room, else rigid). */
dls_joint_choice dls_joint_choose(dls_world *w, int asked, dls_joint *joint);

/* A frame of the world in a body's frame. */
dls_place dls_joint_in_body(const dls_world *w, int body, const dls_place *F);

#endif
