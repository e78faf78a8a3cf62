/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_WORLD_PARTS_H
#define DLS_BIND_WORLD_PARTS_H

#include "bind/world.h"

/* What the files of the world's class share among themselves. */

typedef struct dls_world_options {
  dls_world_def def;
  bool profile; /* times each phase of a step                                   */
  int scheme;   /* of dls_world_schemes                                         */
} dls_world_options;

/* Words of the choices, in the order of their numbers; NULL ends each. */
extern const char *const dls_world_impacts[], *const dls_world_solvers[], *const dls_world_schemes[];

extern const dls_property dls_world_properties[];

/* Reads the name of a method, or a solver made by lcp.solver or lcp.cone_solver, whose method,
** tolerance and limit are taken; out is a dls_world_options. */
void dls_world_read_solver(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);

/* Seconds of the steady clock, for the profile. */
double dls_world_clock(void *ud);

/* Bodies alive, the ground left out. */
int dls_count_bodies(const dls_world *w);

/* Takes out what callbacks removed during the step. The world is at 1. */
void dls_world_remove_pending(lua_State *L, dls_world_box *box);

int dls_world_new_lua(lua_State *L);
int dls_world_step_lua(lua_State *L);
int dls_world_slice_lua(lua_State *L);
int dls_world_remove_lua(lua_State *L);
int dls_world_length_lua(lua_State *L);
int dls_world_find_lua(lua_State *L);
int dls_world_contacts_lua(lua_State *L);
int dls_world_raycast_lua(lua_State *L);
int dls_world_energy_lua(lua_State *L);
int dls_world_momentum_lua(lua_State *L);
int dls_world_mobility_lua(lua_State *L);
int dls_world_ledger_lua(lua_State *L);
int dls_world_snapshot_lua(lua_State *L);
int dls_world_restore_lua(lua_State *L);
int dls_world_hash_lua(lua_State *L);
int dls_world_get_bodies(lua_State *L);
int dls_world_get_joints(lua_State *L);
int dls_world_get_ground(lua_State *L);
int dls_world_get_stats(lua_State *L);
int dls_world_get_events(lua_State *L);

#endif
