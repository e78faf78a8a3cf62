/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_FOREST_PARTS_H
#define DLS_BIND_FOREST_PARTS_H

#include "bind/class.h"
#include "bind/forest.h"

/* What the files of forests share. */
typedef struct dls_forest_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_alloc alloc;   /* of all its memory */
  dls_forest *forest; /* the model */
  dls_forest_state *state; /* q, u and their factor */
  bool busy;       /* integrates: its function may not close it */
  dls_arena arena; /* of the methods that need one, grown on demand */
} dls_forest_box;

extern const dls_class dls_forest_class, dls_batch_class;

dls_forest_box *dls_check_forest(lua_State *L);

/* Raises what stopped an evaluation. */
void dls_check_dynamics(lua_State *L, dls_status status, const dls_fault *fault,
                           const char *function);

/* forest_move.c */
int dls_forest_integrate_lua(lua_State *L);
int dls_forest_linearize_lua(lua_State *L);
int dls_forest_equilibrium_lua(lua_State *L);

#endif
