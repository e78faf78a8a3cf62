/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_JOINT_H
#define DLS_BIND_JOINT_H

#include "bind/world.h"
#include "core/joints/trees.h"
#include "core/accelerations/smooth.h"

/* Joints for Lua. kept.joints[slot + 1] = { name =, data =, motions = { [k] = function } }. */

typedef struct dls_joint_ref {
  dls_world_box *box; /* of user value 1 */
  int slot;           /* of the joint    */
  uint32_t generation; /* of its slot    */
  int index;          /* its place in this call (dls_check_joint) */
} dls_joint_ref;

extern const dls_class dls_joint_class;

/* The joint at idx, alive and of an open world. */
dls_joint_ref *dls_check_joint(lua_State *L, int idx);
/* The joint's place, -1 where it is gone; its world is open. */
int dls_joint_place(const dls_joint_ref *ref);
/* Pushes joint `index` of the world at idx, always the same userdata; nil for -1 or a dead one. */
void dls_push_joint(lua_State *L, int idx, int index);

int dls_world_joint_lua(lua_State *L);

/* Core functions that may call Lua, outside of a step: the world's userdata is at idx. Pushes one
** value; end with dls_scope_end, which raises what a callback raised. */
typedef struct dls_scope {
  dls_call call;   /* of the method in progress */
  dls_world_box *box; /* whose world it is */
  dls_call *outer; /* the call in progress before */
  int outer_self;  /* and its stack index of the world */
} dls_scope;
void dls_scope_begin(lua_State *L, dls_scope *scope, dls_world_box *box, int idx);
void dls_scope_end(dls_scope *scope, dls_status status, const char *function);

/* Compiles the world's forest where needed and gathers its state; raises what is wrong with it. */
void dls_ready_trees(lua_State *L, int idx, const char *function);
/* After dls_trees_update or a step failed: raises the sentence where it is a matter of joints. */
/* Pushes how a body is called: its name, or its number. */
const char *dls_push_body_called(lua_State *L, int idx, int body);
const char *dls_push_joint_called(lua_State *L, int idx, int joint);
void dls_raise_trees(lua_State *L, int idx, dls_status status, const char *function);
/* What hangs on a changed body or joint follows; where it cannot the change is taken back, and it
** raises. */
void dls_follow_change(lua_State *L, int idx, const dls_undo *undo, const char *function);

/* The bodies of a new reduced joint are set right: its child follows. Where it cannot the joint
** goes, and it raises. */
void dls_settle_joint(lua_State *L, int idx, int index, const char *function);
/* Sets the hook of prescribed motions of joints. */
void dls_hook_drive(dls_world_box *box);
/* motor = { ... } at idx (or nil). */
void dls_read_motor(lua_State *L, int idx, dls_joint *joint);

/* world:coordinates, ... are added to the methods of worlds. */
void dls_add_coordinates(lua_State *L);
void dls_add_integrate(lua_State *L);

#endif
