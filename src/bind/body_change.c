/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"
#include "bind/motion.h"
#include "bind/world_parts.h"

/* The model of a body changed between steps: what the options of world:body say, as properties. The
** body is at 1, the value at 2. */

static dls_body *model_of(const dls_child_ref *ref) { return &ref->box->world->bodies[ref->index]; }

/* Pushes the world; -> its place. The ground is the world's own. */
static int push_world(lua_State *L, const dls_child_ref *ref, const char *what) {
  if (ref->index == 0) dls_raise(L, "body", "'%s' of the ground cannot be set", what);
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, 1);
  return 3;
}

static void raise_fault(lua_State *L, const dls_child_ref *ref, dls_body_fault fault,
                        const dls_shape *shape) {
  if (fault != DLS_BODY_GOOD)
    dls_raise_body_fault(L, "body", fault, shape, ref->box->world->dim);
}

static bool is_jointed(const dls_child_ref *ref) {
  const dls_world *w = ref->box->world;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && (w->joints[i].a == ref->index || w->joints[i].b == ref->index))
      return true;
  return false;
}

/* A body without mass lives by its tree: there is nothing to scale. */
static void check_massive(lua_State *L, const dls_child_ref *ref, const char *what) {
  if (model_of(ref)->type == DLS_DYNAMIC && !(model_of(ref)->mass > 0))
    dls_raise(L, "body", "'%s' of a body made without mass cannot be set", what);
}

static dls_undo undo_of(const dls_child_ref *ref) {
  return dls_undo_of_body(ref->box->world, ref->index);
}

int dls_body_set_mass_lua(lua_State *L) {
  static const dls_at at = {"body", "mass", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "mass");
  const int world = push_world(L, ref, "mass");
  double mass;
  dls_read_positive(L, 2, &at, NULL, &mass);
  check_massive(L, ref, "mass");
  const dls_undo undo = undo_of(ref);
  raise_fault(L, ref, dls_body_set_mass(ref->box->world, ref->index, mass), NULL);
  dls_follow_change(L, world, &undo, "body");
  return 0;
}

int dls_body_set_density_lua(lua_State *L) {
  static const dls_at at = {"body", "density", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "density");
  const dls_shape *shape = model_of(ref)->shape;
  const int world = push_world(L, ref, "density");
  double density;
  dls_mass one = {0};
  dls_read_positive(L, 2, &at, NULL, &density);
  if (shape) dls_shape_mass(shape, ref->box->world->dim == 2, 1, &one);
  if (!(one.mass > 0)) dls_raise(L, "body", "'density' needs a solid 'shape'");
  check_massive(L, ref, "density");
  const dls_undo undo = undo_of(ref);
  raise_fault(L, ref, dls_body_set_mass(ref->box->world, ref->index, density * one.mass), NULL);
  dls_follow_change(L, world, &undo, "body");
  return 0;
}

int dls_body_set_inertia_lua(lua_State *L) {
  static const dls_at at = {"body", "inertia", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "inertia");
  const int world = push_world(L, ref, "inertia");
  double inertia[6] = {0};
  dls_read_inertia(L, 2, &at, ref->box->world->dim, inertia);
  check_massive(L, ref, "inertia");
  const dls_undo undo = undo_of(ref);
  raise_fault(L, ref, dls_body_set_inertia(ref->box->world, ref->index, inertia), NULL);
  dls_follow_change(L, world, &undo, "body");
  return 0;
}

int dls_body_set_com_lua(lua_State *L) {
  static const dls_at at = {"body", "com", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "com");
  const int world = push_world(L, ref, "com");
  double com[3] = {0};
  dls_read_numbers(L, 2, &at, ref->box->world->dim, com);
  for (int k = 0; k < 3; k++)
    if (!(fabs(com[k]) < 1e100)) dls_bad(L, &at, "must be a place that bodies can have", 2);
  const dls_undo undo = undo_of(ref);
  dls_body_set_com(ref->box->world, ref->index, com);
  dls_follow_change(L, world, &undo, "body");
  dls_body_hold_anchors(ref->box->world, ref->index, undo.model.com);
  return 0;
}

int dls_body_set_type_lua(lua_State *L) {
  static const dls_at at = {"body", "type", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "type");
  (void)push_world(L, ref, "type");
  int type = 0;
  dls_read_choice(L, 2, &at, dls_body_types, &type);
  if (type == model_of(ref)->type) return 0;
  if (is_jointed(ref))
    dls_raise(L, "body", "'type' of a body with joints cannot be set: remove them first");
  if (model_of(ref)->moved)
    dls_raise(L, "body", "'type' of a body with a 'motion' stays 'kinematic'");
  raise_fault(L, ref, dls_body_set_type(ref->box->world, ref->index, type), model_of(ref)->shape);
  return 0;
}

int dls_body_set_shape_lua(lua_State *L) {
  static const dls_at at = {"body", "shape", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "shape");
  (void)push_world(L, ref, "shape");
  const dls_shape *shape = NULL;
  if (!lua_isnil(L, 2)) dls_read_shape(L, 2, &at, NULL, &shape);
  raise_fault(L, ref, dls_body_set_shape(ref->box->world, ref->index, shape), shape);
  dls_body_set_kept(L, ref, "shape");
  return 0;
}

int dls_body_set_material_lua(lua_State *L) {
  static const dls_at at = {"body", "material", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "material");
  const int world = push_world(L, ref, "material");
  int index = 0;
  if (!lua_isnil(L, 2)) {
    if (!dls_class_test(L, 2, &dls_material_class)) dls_bad(L, &at, "must be a material", 2);
    index = dls_know_material(L, world, 2);
  }
  dls_body_set_material(ref->box->world, ref->index, index);
  if (ref->box->world->materials[index].law > 0) dls_hook_friction(ref->box);
  dls_body_set_kept(L, ref, "material");
  dls_tidy_world(L, world);
  return 0;
}

int dls_body_set_group_lua(lua_State *L) {
  static const dls_at at = {"body", "group", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "group");
  const int world = push_world(L, ref, "group");
  const uint32_t group = lua_isnil(L, 2) ? 1 : dls_group_bit(L, 2, world, &at);
  const dls_body *body = model_of(ref);
  dls_body_set_filter(ref->box->world, ref->index, group, body->collides, body->sensor);
  dls_body_set_kept(L, ref, "group");
  return 0;
}

int dls_body_set_collides_lua(lua_State *L) {
  static const dls_at at = {"body", "collides", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "collides");
  const int world = push_world(L, ref, "collides");
  const uint32_t collides = dls_group_bits(L, 2, world, &at);
  const dls_body *body = model_of(ref);
  dls_body_set_filter(ref->box->world, ref->index, body->group, collides, body->sensor);
  dls_body_set_kept(L, ref, "collides");
  return 0;
}

int dls_body_set_sensor_lua(lua_State *L) {
  static const dls_at at = {"body", "sensor", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "sensor");
  (void)push_world(L, ref, "sensor");
  bool sensor;
  dls_read_boolean(L, 2, &at, NULL, &sensor);
  const dls_body *body = model_of(ref);
  dls_body_set_filter(ref->box->world, ref->index, body->group, body->collides, sensor);
  return 0;
}

int dls_body_set_motion_lua(lua_State *L) {
  static const dls_at at = {"body", "motion", 0, 0};
  const dls_child_ref *ref = dls_check_body_unlocked(L, "motion");
  (void)push_world(L, ref, "motion");
  const bool moved = !lua_isnil(L, 2);
  if (moved && !lua_isfunction(L, 2)) dls_bad(L, &at, "must be a function, or nil", 2);
  if (moved && model_of(ref)->type != DLS_KINEMATIC)
    dls_raise(L, "body", "'motion' needs type = 'kinematic'");
  if (moved) dls_refuse_lent(L, ref->box, "body", "'motion'");
  dls_motion_told told = {0};
  dls_body_pose(ref->box->world, ref->index, told.position, told.rotation);
  const bool placed = moved && dls_motion_try(L, 2, ref->box->world, &told);
  const dls_undo undo = undo_of(ref);
  if (placed) {
    model_of(ref)->moved = false; /* the function before is not asked any more */
    dls_motion_begin(ref->box->world, ref->index, &told);
    dls_follow_change(L, 3, &undo, "body");
    model_of(ref)->moved = undo.model.moved;
  }
  dls_body_set_kept(L, ref, "motion");
  model_of(ref)->moved = moved;
  if (moved) dls_hook_motion(ref->box);
  return 0;
}
