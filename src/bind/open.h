/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_OPEN_H
#define DLS_BIND_OPEN_H

#include "core/base/real.h"

DLS_OUTSIDE
#include <lua.h>
DLS_INSIDE

/* Each adds its functions to the module table on the top of the stack and registers its classes. */
void dls_open_array(lua_State *L);
void dls_open_cage(lua_State *L);
void dls_open_cone(lua_State *L);
void dls_open_terminal(lua_State *L);
void dls_open_child(lua_State *L);
void dls_open_shape(lua_State *L);
void dls_open_forest(lua_State *L);
void dls_open_ode(lua_State *L);
void dls_open_lcp(lua_State *L);
void dls_open_lcp_path(lua_State *L);
void dls_open_numbers(lua_State *L);
void dls_open_stack(lua_State *L);
void dls_open_stack_model(lua_State *L);
void dls_open_structure(lua_State *L);
void dls_open_system(lua_State *L);
void dls_open_material(lua_State *L);
void dls_open_world(lua_State *L);
void dls_open_world_batch(lua_State *L);
void dls_open_squeeze(lua_State *L);
void dls_open_world_connections(lua_State *L);
void dls_open_world_record(lua_State *L);
void dls_open_tally(lua_State *L);

#endif
