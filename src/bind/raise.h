/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_RAISE_H
#define DLS_BIND_RAISE_H

#include "core/base/alloc.h"

DLS_OUTSIDE
#include <lua.h>
#include <lauxlib.h>
DLS_INSIDE

/* How mistakes are told. Every message reads "function: sentence" and blames the line of the
** caller: the innermost Lua function that is not one of the library's own. */

/* Where a value stands: what a message needs to name it. */
typedef struct dls_at {
  const char *function; /* "world:body", "lcp.solve", ...                            */
  const char *option;   /* "mass"; NULL: the argument itself                         */
  int element;          /* 1-based place within the option's list; 0: the whole of it */
  int anchor;           /* absolute stack index of a table that keeps temporaries alive; 0: none */
} dls_at;

/* Pushes "file:line: " of the innermost Lua function that is not one of the library's, or "". */
void dls_push_where(lua_State *L);

/* Raises "<where> function: sentence". fmt as lua_pushfstring. Never returns: the int is for
** `return dls_raise(...)` in a Lua function. */
_Noreturn int dls_raise(lua_State *L, const char *function, const char *fmt, ...);

/* Raises "<where> function: 'option' rule, got <value at idx>"; rule as in "must be > 0". */
_Noreturn int dls_bad_got(lua_State *L, const dls_at *at, const char *rule, const char *got);
_Noreturn int dls_bad(lua_State *L, const dls_at *at, const char *rule, int idx);

/* Raises "unknown <kind> 'name'" with that of the names in the table at idx_names (keys or list)
** which is meant, where one is (suggest.h). */
_Noreturn int dls_unknown(lua_State *L, const char *function, const char *kind,
                          const char *name, int idx_names);

/* Pushes a short description of the value at idx: -1, 'text', a table, nil, delassus.Body. */
const char *dls_push_described(lua_State *L, int idx);

/* Raises where status is a failure; "function: text". */
void dls_check_status(lua_State *L, dls_status status, const char *function);

/* The allocator of this Lua state, for the core. */
dls_alloc dls_lua_alloc(lua_State *L);

/* Names a source prefix ("@lua/delassus/") as the library's own; such functions are not blamed. */
int dls_set_own_source(lua_State *L);

/* unknown(function, kind, name, names): the same message for the Lua layer. */
int dls_lua_unknown(lua_State *L);
/* raise(function, sentence): the same for any other mistake. */
int dls_lua_raise(lua_State *L);

#endif
