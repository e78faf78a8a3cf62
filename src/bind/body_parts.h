/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_BODY_PARTS_H
#define DLS_BIND_BODY_PARTS_H

#include "bind/world_parts.h"
#include "core/base/dim.h"

/* What the files of bodies share. */

static inline double *dls_body_q(const dls_child_ref *ref) {
  dls_world *w = ref->box->world;
  return w->q + (size_t)ref->index * (size_t)DLS_NQ(w->dim);
}

static inline double *dls_body_u(const dls_child_ref *ref) {
  dls_world *w = ref->box->world;
  return w->u + (size_t)ref->index * (size_t)DLS_NU(w->dim);
}

static inline dls_body *dls_body_model(const dls_child_ref *ref) {
  return &ref->box->world->bodies[ref->index];
}

static inline int dls_body_dim(const dls_child_ref *ref) { return ref->box->world->dim; }

/* body_place.c: where it is and how it moves. */
int dls_body_get_position_lua(lua_State *L);
int dls_body_set_position_lua(lua_State *L);
int dls_body_get_rotation_lua(lua_State *L);
int dls_body_set_rotation_lua(lua_State *L);
int dls_body_get_centre_lua(lua_State *L);
int dls_body_get_velocity_lua(lua_State *L);
int dls_body_set_velocity_lua(lua_State *L);
int dls_body_get_angular_velocity_lua(lua_State *L);
int dls_body_set_angular_velocity_lua(lua_State *L);
int dls_body_pose_lua(lua_State *L);

/* body_push.c: what acts on it. */
int dls_body_velocity_at_lua(lua_State *L);
int dls_body_apply_lua(lua_State *L);
int dls_body_impulse_lua(lua_State *L);

#endif
