/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/body_parts.h"

#include "bind/joint.h"

/* Where a body is and how it moves. */

/* A body that a reduced joint carries stands and moves as the joint says. */
static void check_unheld(lua_State *L, const dls_child_ref *ref, const char *what,
                         const char *joint) {
  const int carrier = dls_trees_carrier(ref->box->world, ref->index);
  if (carrier >= 0)
    dls_raise(L, "body", "'%s' of a body that a reduced joint carries cannot be set: set joint.%s",
              what, joint);
}

/* The ground is what the world's coordinates are told from. */
static void check_movable(lua_State *L, const dls_child_ref *ref, const char *what) {
  if (ref->index == 0) dls_raise(L, "body", "'%s' of the ground cannot be set", what);
}

/* What hangs on the changed body follows. */
static void follow(lua_State *L, const dls_undo *undo) {
  lua_getiuservalue(L, 1, 1);
  dls_follow_change(L, lua_gettop(L), undo, "body");
}

static dls_undo undo_of(const dls_child_ref *ref) {
  return dls_undo_of_body(ref->box->world, ref->index);
}

int dls_body_get_position_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  double position[3], rotation[4];
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  dls_push_vec(L, dls_body_dim(ref), position);
  return 1;
}

int dls_body_set_position_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "position");
  const dls_at at = {"body", "position", 0, 0};
  double position[3] = {0}, rotation[4], to[3] = {0};
  check_unheld(L, ref, "position", "q");
  check_movable(L, ref, "position");
  dls_read_numbers(L, 2, &at, dls_body_dim(ref), to);
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  const dls_undo undo = undo_of(ref);
  dls_body_place(ref->box->world, ref->index, to, rotation);
  follow(L, &undo);
  return 0;
}

int dls_body_get_rotation_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  const double *q = dls_body_q(ref);
  if (dls_body_dim(ref) == 2) lua_pushnumber(L, q[2]);
  else dls_push_vec(L, 4, q + 3);
  return 1;
}

int dls_body_set_rotation_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "rotation");
  const dls_at at = {"body", "rotation", 0, 0};
  double position[3], rotation[4], to[4] = {0};
  check_unheld(L, ref, "rotation", "q");
  check_movable(L, ref, "rotation");
  if (dls_body_dim(ref) == 2) dls_read_number(L, 2, &at, NULL, to);
  else dls_read_rotation3(L, 2, &at, NULL, to);
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  const dls_undo undo = undo_of(ref);
  dls_body_place(ref->box->world, ref->index, position, to);
  follow(L, &undo);
  return 0;
}

int dls_body_get_centre_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  dls_push_vec(L, dls_body_dim(ref), dls_body_q(ref));
  return 1;
}

/* --- velocity ------------------------------------------------------------------------------- */

int dls_body_get_velocity_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  dls_push_vec(L, dls_body_dim(ref), dls_body_u(ref));
  return 1;
}

int dls_body_set_velocity_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "velocity");
  const dls_at at = {"body", "velocity", 0, 0};
  double to[3];
  check_unheld(L, ref, "velocity", "qd");
  dls_read_numbers(L, 2, &at, dls_body_dim(ref), to);
  if (dls_body_model(ref)->type == DLS_STATIC)
    dls_raise(L, "body", "a static body has no velocity (make it kinematic)");
  const dls_undo undo = undo_of(ref);
  memcpy(dls_body_u(ref), to, (size_t)dls_body_dim(ref) * sizeof(double));
  follow(L, &undo);
  return 0;
}

int dls_body_get_angular_velocity_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  if (dls_body_dim(ref) == 2) lua_pushnumber(L, dls_body_u(ref)[2]);
  else dls_push_vec(L, 3, dls_body_u(ref) + 3);
  return 1;
}

int dls_body_set_angular_velocity_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "angular_velocity");
  const dls_at at = {"body", "angular_velocity", 0, 0};
  double to[3];
  check_unheld(L, ref, "angular_velocity", "qd");
  if (dls_body_dim(ref) == 2) dls_read_number(L, 2, &at, NULL, to);
  else dls_read_vec3(L, 2, &at, NULL, to);
  if (dls_body_model(ref)->type == DLS_STATIC)
    dls_raise(L, "body", "a static body has no velocity (make it kinematic)");
  int d = dls_body_dim(ref);
  const dls_undo undo = undo_of(ref);
  memcpy(dls_body_u(ref) + d, to, (size_t)(DLS_NU(d) - d) * sizeof(double));
  follow(L, &undo);
  return 0;
}

int dls_body_pose_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  const dls_at at = {"body:pose", "alpha", 0, 0};
  double alpha = lua_isnoneornil(L, 2) ? 1 : dls_check_number(L, 2, &at);
  double position[3], rotation[4];
  dls_body_between(ref->box->world, ref->index, alpha, position, rotation);
  dls_push_vec(L, dls_body_dim(ref), position);
  if (dls_body_dim(ref) == 2) lua_pushnumber(L, rotation[0]);
  else dls_push_vec(L, 4, rotation);
  return 2;
}
