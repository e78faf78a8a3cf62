/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_JOINT_PARTS_H
#define DLS_BIND_JOINT_PARTS_H

#include "bind/joint.h"

/* What world:joint{ kind, a, b, ... } is made of; its options are at 2. Every message is in its
** name. */
#define DLS_JOINT_FUNCTION "world:joint"

/* In the order of dls_joint_name, then "ball"; ends with NULL. */
extern const char *const dls_joint_kind_names[];
/* In the order of dls_formulation; ends with NULL. */
extern const char *const dls_joint_formulation_names[];

typedef struct dls_joint_options {
  int dim; /* 2, 3 */
  int kind, formulation; /* places in their lists of names */
  double anchor[3], axis[3], axis2[3]; /* m; world axes */
  bool has_anchor, has_axis, has_axis2, has_motion; /* whether each is given */
  /* N m/rad or N/m, N m s/rad or N s/m, N m or N, kg m^2 or kg */
  double stiffness, damping, friction, inertia;     /* 0: none */
  const char *name;                                 /* of its errors */
} dls_joint_options;

/* joint_frame.c: on_a, on_b; answers the joint's frame on a in the world. *framed: by frame_a and
** frame_b. */
dls_place dls_joint_frames(lua_State *L, const dls_world *w, const dls_joint_options *o,
                           dls_joint *joint, bool *framed);

/* joint_motions.c: dim numbers as a direction, made unit. */
void dls_joint_direction(lua_State *L, int idx, const dls_at *at, int dim, double out[3]);

/* joint_motions.c: the elementary motions; answers how many. joint->axis, second and n_driven
** too. */
int dls_joint_motions(lua_State *L, const dls_joint_options *o, const dls_place *F, bool framed,
                      dls_joint *joint, dls_motion *motions);

/* joint_limits.c: `limits` at 2. */
void dls_joint_limits(lua_State *L, dls_joint *joint);

/* joint_limits.c: getters. */
int dls_joint_limits_lua(lua_State *L);
int dls_joint_motor_lua(lua_State *L);
/* Its setter. */
int dls_joint_set_motor_lua(lua_State *L);
int dls_joint_stiffness_lua(lua_State *L);
int dls_joint_damping_lua(lua_State *L);
int dls_joint_friction_lua(lua_State *L);

#endif
