/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_SUGGEST_H
#define DLS_BIND_SUGGEST_H

#include "core/base/real.h"

DLS_OUTSIDE
#include <lauxlib.h>
#include <lua.h>
DLS_INSIDE

/* What somebody meant who wrote a name that there is not: pushes one of the names in the table at
** idx_names (its keys that are strings, and its strings in places), or nil. In this order: the
** same name in other letters ("angularVelocity", "setGravity", "Q"), the word that is ours for
** what other engines and textbooks call so ("mu", "timestep"), a name that begins so ("tol"),
** the nearest by at most two letters. The answer does not depend on the table's order. */
void dls_push_meant(lua_State *L, const char *name, int idx_names);

#endif
