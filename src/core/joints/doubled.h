/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_DOUBLED_H
#define DLS_JOINTS_DOUBLED_H

#include "core/joints/stage.h"

/* Rigid joints between two bodies of which a joint of a tree carries one: a second hinge of a door,
** two ball joints on one line. Of balls, hinges and welds the poses that both joints admit are a
** group of rotations again,
**
**     weld and any       the weld
**     hinge and hinge    of one line: the hinge
**     hinge and ball     on its line: the hinge
**     ball and ball      at two points: a hinge about the line through both, e constant in both
**     ball and hinge     through it: the hinge
**
** so the node of the tree takes them: as it is, or as a ball that turns about e alone (the factor's
** A e for A, forest/soft.h). Rows of the second joint would depend on those of the first, and each
** have supports on every node up to the root. They are left out but where a ball's axes stand apart
** by more than 0.01 rad when the step begins. */

/* S->doubled, n_doubled and strays; the axes of balls. Trees are compiled. */
void dls_joints_find_doubled(dls_joint_stage *S);

/* After dls_trees_gather: coordinates of such balls are the nearest with the axis of both bodies in
** one place, velocities lie along it, and the forest knows the axes. */
void dls_doubled_align(dls_joint_stage *S);

/* What joint number `index` has, beyond what is its own, of the wrench R (N m and N, on body b about
** its anchor there) that the ball of a tree, number `ball`, transmits for both in the last step:
** index is the ball or the joint beside it. The forest is recalled. */
dls_spatial dls_doubled_share(const dls_world *w, int index, int ball, dls_spatial R);
/* The ball of a tree that turned about one axis with a joint beside it, where joint number `index` is
** one of both; -1: it is not. */
int dls_doubled_ball(const dls_world *w, int index);

#endif
