/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_SMOOTH_H
#define DLS_ACCELERATIONS_SMOOTH_H

#include "core/joints/trees.h"

/* The mechanics of a world at one instant, without impacts: M udot + bias = tau in the coordinates
** of its forest, which is gathered, placed and moving. */

/* Whether springs, fields or penalty joints act: forces that look at the bodies' arrays. */
bool dls_world_is_pushed(const dls_world *w);

/* All forces but gravity -> the forest's tau and wrench: springs, fields, applied ones, springs,
** dampers and, where `friction`, dry friction of joints that move; torque: the joints' own `torque`
** too. DLS_STOPPED by a field. */
dls_status dls_world_forces(dls_world *w, bool torque, bool friction);

/* Forces on all bodies, whether they move freely or not, added to push (NU a body): of springs and
** of joints outside of trees (torque, friction: as above); of fields. */
dls_status dls_world_push(dls_world *w, bool torque, bool friction, double *push);
dls_status dls_world_push_fields(dls_world *w, double *push);

/* An impulse on a body in a tree, at a point or the mass centre, and an angular one, at once: the
** whole tree answers. DLS_SINGULAR. */
dls_status dls_tree_impulse(dls_world *w, int body, dls_vec3 impulse, dls_vec3 angular,
                            const dls_vec3 *at);

/* Which rows of now take part in accelerations; ELSEWHERE: none, nor dry friction of reduced
** joints, which whoever asks has as rows. */
typedef enum dls_taking_part {
  DLS_ROWS_ELSEWHERE,
  DLS_ROWS_NONE,
  DLS_ROWS_OF_JOINTS,
  DLS_ROWS_ALL
} dls_taking_part;

/* udot, w and reactions. DLS_SINGULAR: the body in w->trees->fault; DLS_STATE: no forces obey the
** laws of all rows. */
dls_status dls_world_accelerate(dls_world *w, dls_taking_part rows);

#endif
