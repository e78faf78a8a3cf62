/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_JOINT_KINDS_H
#define DLS_MODEL_JOINT_KINDS_H

#include "core/forest/model.h"

struct dls_joint;

/* The kinds of joints by name (revolute, prismatic, ...): which elementary motions each has, about
** and along what. Rows, coordinates and trees follow from the motions. A new kind is a word at the
** end of this list and a row of dls_joint_makes (docs/design/joints.md). */
#define DLS_JOINT_NAMES(X)                                                                    \
  X(SPHERICAL, "spherical") X(REVOLUTE, "revolute") X(UNIVERSAL, "universal")                 \
  X(PRISMATIC, "prismatic") X(CYLINDRICAL, "cylindrical") X(PLANAR, "planar")                 \
  X(FIXED, "fixed") X(FREE, "free") X(CHAIN, "chain") X(CUSTOM, "custom")

typedef enum dls_joint_name {
#define X(code, text) DLS_KIND_##code,
  DLS_JOINT_NAMES(X)
#undef X
  DLS_N_KINDS
} dls_joint_name;

/* Directions of motions, joint frame: the axis e; 'axis2' as it is given; its part y perpendicular
** to e; e x y. */
typedef enum dls_joint_way {
  DLS_ALONG_AXIS,
  DLS_ALONG_SECOND,
  DLS_ALONG_ACROSS,
  DLS_ALONG_THIRD
} dls_joint_way;

typedef enum dls_joint_use { DLS_NOT_USED, DLS_USED, DLS_NEEDED } dls_joint_use;

/* A kind in planar worlds: it has none; it is made there as in space; its 'axis' is z there, and
** not given. */
typedef enum dls_joint_plane { DLS_NOT_IN_PLANE, DLS_IN_PLANE, DLS_ABOUT_Z } dls_joint_plane;

/* What a named kind is. */
typedef struct dls_joint_make {
  dls_joint_plane plane; /* in planar worlds                               */
  dls_joint_use axis;   /* of 'axis'                                       */
  dls_joint_use second; /* of 'axis2'                                      */
  int n_motions;        /* 0: no motions, or those that its user gives     */
  struct {
    dls_motion_kind kind; /* rotation or translation */
    dls_joint_way way;    /* along what              */
  } motion[3];          /* n_motions, from a to b                          */
} dls_joint_make;

extern const dls_joint_make dls_joint_makes[DLS_N_KINDS];

/* Whether a joint of this kind has z as its 'axis' in a world of dimension dim. */
static inline bool dls_joint_is_about_z(int kind, int dim) {
  return dim == 2 && dls_joint_makes[kind].plane == DLS_ABOUT_Z;
}

/* The elementary motions of a named kind about the unit axis e, with a second direction (universal:
** its second axis; else only its part perpendicular to e counts), joint frame. Fills the joint's
** axis and second. Answers how many; -1 where `second` is meant (given) and lies along e. */
int dls_joint_make_motions(struct dls_joint *joint, dls_vec3 e, dls_vec3 second, bool given,
                           dls_motion *out);

/* The screws of a subspace S (6 x n, row-major, angular rows first). Answers -1, or the first
** column that cannot be one and in *why what is wrong with it. */
int dls_joint_make_screws(const double *S, int n, dls_motion *out, const char **why);

/* The first free motion of a chain that leads nowhere beyond those before it, at whatever
** coordinates (a singular pose is none); -1. */
int dls_joint_chain_fault(int n, dls_motion *motions);

/* nq and nu from the kind and the motions. */
void dls_joint_count(struct dls_joint *joint);

#endif
