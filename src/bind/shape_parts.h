/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_SHAPE_PARTS_H
#define DLS_BIND_SHAPE_PARTS_H

#include "bind/shape.h"

/* What the files of shapes share. */
const dls_shape *dls_check_shape(lua_State *L, int idx);

/* shape_ask.c */
int dls_shape_mass_lua(lua_State *L);
int dls_shape_bounds_lua(lua_State *L);
int dls_shape_support_lua(lua_State *L);
int dls_shape_distance_lua(lua_State *L);
int dls_shape_contacts_lua(lua_State *L);
int dls_shape_raycast_lua(lua_State *L);

#endif
