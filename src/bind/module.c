/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/call.h"
#include "bind/class.h"
#include "bind/open.h"
#include "bind/options.h"
#include "delassus.h"

typedef void (*opener)(lua_State *L);

/* One line a part of the library. */
static const opener openers[] = {
    dls_open_material,
    dls_open_world,
    dls_open_squeeze,
    dls_open_world_connections,
    dls_open_world_record,
    dls_open_array,
    dls_open_tally,
    dls_open_cage,
    dls_open_cone,
    dls_open_terminal,
    dls_open_child,
    dls_open_shape,
    dls_open_forest,
    dls_open_world_batch,
    dls_open_ode,
    dls_open_lcp,
    dls_open_lcp_path,
    dls_open_numbers,
    dls_open_stack,
    dls_open_stack_model,
    dls_open_structure,
    dls_open_system,
};

/* now() -> seconds of a steady clock: for progress and slices of a run, never for results. */
static int lua_now(lua_State *L) {
  const dls_watch zero = {0};
  lua_pushnumber(L, dls_watch_elapsed(&zero));
  return 1;
}

static const luaL_Reg functions[] = {{"check", dls_lua_check_options},
                                     {"unknown", dls_lua_unknown},
                                     {"raise", dls_lua_raise},
                                     {"methods", dls_class_methods},
                                     {"names", dls_class_names},
                                     {"help", dls_class_help},
                                     {"own_source", dls_set_own_source},
                                     {"now", lua_now},
                                     {NULL, NULL}};

DLS_OUTSIDE
LUAMOD_API int luaopen_delassus_core(lua_State *L);
DLS_INSIDE

/* The C half of the module: what lua/delassus builds on. */
LUAMOD_API int luaopen_delassus_core(lua_State *L) {
  luaL_checkversion(L);
  luaL_newlib(L, functions);
  lua_pushliteral(L, DELASSUS_VERSION);
  lua_setfield(L, -2, "version");
  for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) openers[i](L);
  return 1;
}
