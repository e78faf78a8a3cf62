/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_WORLD_PARTS_H
#define DLS_BIND_WORLD_PARTS_H

#include "bind/world.h"

/* What the files of the world's class share among themselves. */

typedef struct dls_world_options {
  dls_world_def def; /* of the core */
  bool profile; /* times each phase of a step                                   */
  int scheme;   /* of dls_world_schemes                                         */
} dls_world_options;

/* Words of the choices, in the order of their numbers; NULL ends each. */
extern const char *const dls_world_impacts[], *const dls_world_solvers[],
    *const dls_world_schemes[], *const dls_world_factors[];

extern const dls_property dls_world_properties[];

/* Reads the name of a method, or a solver made by lcp.solver or lcp.cone_solver, whose method,
** tolerance and limit are taken; out is a dls_world_options. */
void dls_world_read_solver(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);

/* A number from 1/2 to 1 into a double, 2 or 4 into an int. */
void dls_world_read_theta(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);
void dls_world_read_corners(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);

/* Seconds of the steady clock, for the profile. */
double dls_world_clock(void *ud);

/* Pushes option `name` of the table at 2, or its positional value; -> its place. */
int dls_push_end(lua_State *L, const char *name, int place);

/* The bit of the group named at idx, which is made when first met; and the bits of what `collides`
** says: nil or true (all), false (none), a name, a list of names. */
uint32_t dls_group_bit(lua_State *L, int idx, int idx_world, const dls_at *at);
uint32_t dls_group_bits(lua_State *L, int idx, int idx_world, const dls_at *at);
/* Options group and collides of the table at 2; the world is at 1. */
void dls_check_filters(lua_State *L, const char *function);
void dls_read_filters(lua_State *L, const char *function, dls_body_def *def);

/* Raises what is wrong with a body. */
void dls_raise_body_fault(lua_State *L, const char *function, dls_body_fault fault,
                          const dls_shape *shape, int dim);

/* Words of dls_body_type. */
extern const char *const dls_body_types[];

/* Setters of a body's model (body_change.c). */
int dls_body_set_mass_lua(lua_State *L);
int dls_body_set_density_lua(lua_State *L);
int dls_body_set_inertia_lua(lua_State *L);
int dls_body_set_com_lua(lua_State *L);
int dls_body_set_type_lua(lua_State *L);
int dls_body_set_shape_lua(lua_State *L);
int dls_body_set_material_lua(lua_State *L);
int dls_body_set_group_lua(lua_State *L);
int dls_body_set_collides_lua(lua_State *L);
int dls_body_set_sensor_lua(lua_State *L);
int dls_body_set_motion_lua(lua_State *L);

/* kept.bodies[slot][name] = value at 2, for the body at 1. */
void dls_body_set_kept(lua_State *L, const dls_child_ref *ref, const char *name);

/* The body at 1, or an error: `what` cannot be changed while its world steps. */
dls_child_ref *dls_check_body_unlocked(lua_State *L, const char *what);

/* Reads {Ixx, Iyy, Izz} with or without {Ixy, Ixz, Iyz}; in the plane a number >= 0. */
void dls_read_inertia(lua_State *L, int idx, const dls_at *at, int dim, double inertia[6]);

/* Bodies alive, the ground left out. */
int dls_count_bodies(const dls_world *w);

/* Takes out what callbacks removed during the step. The world is at 1. */
void dls_world_remove_pending(lua_State *L, dls_world_box *box);

/* Pushes a world's userdata with its user values, still closed. */
dls_world_box *dls_push_world_box(lua_State *L);

int dls_world_poses_lua(lua_State *L);
int dls_world_set_forces_lua(lua_State *L);
/* Why an event-driven world did not step; the world is at idx. */
void dls_raise_events(lua_State *L, int idx, dls_status status, const char *function);

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
