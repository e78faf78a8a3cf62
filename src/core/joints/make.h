/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_MAKE_H
#define DLS_JOINTS_MAKE_H

#include "core/model/world.h"

/* What whoever makes joints shares: motions of the named kinds, the number of coordinates, the
** formulation and the way the tree runs. */

/* Directions of motions, joint frame: the axis e; 'axis2' as it is given; its part y perpendicular
** to e; e x y. */
typedef enum dls_joint_way {
  DLS_ALONG_AXIS,
  DLS_ALONG_SECOND,
  DLS_ALONG_ACROSS,
  DLS_ALONG_THIRD
} dls_joint_way;

typedef enum dls_joint_use { DLS_NOT_USED, DLS_USED, DLS_NEEDED } dls_joint_use;

/* What a named kind is. */
typedef struct dls_joint_make {
  dls_joint_use axis;   /* of 'axis'                                       */
  dls_joint_use second; /* of 'axis2'                                      */
  int n_motions;        /* 0: no motions, or those that its user gives     */
  struct {
    dls_motion_kind kind; /* rotation or translation */
    dls_joint_way way;    /* along what              */
  } motion[3];          /* n_motions, from a to b                          */
} dls_joint_make;

extern const dls_joint_make dls_joint_makes[DLS_N_KINDS];

/* The elementary motions of a named kind about the unit axis e, with a second direction (universal:
** its second axis; else only its part perpendicular to e counts), joint frame. Fills the joint's
** axis and second. Answers how many; -1 where `second` is meant (given) and lies along e. */
int dls_joint_make_motions(dls_joint *joint, dls_vec3 e, dls_vec3 second, bool given,
                           dls_motion *out);

/* The screws of a subspace S (6 x n, row-major, angular rows first). Answers -1, or the first
** column that cannot be one and in *why what is wrong with it. */
int dls_joint_make_screws(const double *S, int n, dls_motion *out, const char **why);

/* nq and nu from the kind and the motions. */
void dls_joint_count(dls_joint *joint);

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
