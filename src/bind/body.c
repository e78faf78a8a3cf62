/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/body_parts.h"

#include "bind/joint.h"

/* Bodies: a slot of their world and its generation. */

dls_child_ref *dls_check_body(lua_State *L, int idx) {
  dls_child_ref *ref = dls_class_check(L, idx, &dls_body_class);
  if (!ref->box->handle.open) dls_raise(L, "body", "attempt to use a body of a closed world");
  ref->index = dls_slots_place(&ref->box->world->body_slots, ref->slot, ref->generation);
  if (ref->index < 0) dls_raise(L, "body", "attempt to use a removed body");
  return ref;
}

static dls_child_ref *check(lua_State *L) { return dls_check_body(L, 1); }

dls_child_ref *dls_check_body_unlocked(lua_State *L, const char *what) {
  dls_child_ref *ref = check(L);
  if (ref->box->world->stepping)
    dls_raise(L, "body", "%s cannot be changed while its world steps", what);
  dls_refuse_finalizers(L, "body");
  return ref;
}

/* kept.bodies[slot][name] of the body at 1; pushes it. */
static void push_kept(lua_State *L, const dls_child_ref *ref, const char *name) {
  lua_getiuservalue(L, 1, 1);
  dls_push_kept_of(L, lua_gettop(L), "bodies", ref->slot, ref->generation);
  if (!lua_isnil(L, -1)) lua_getfield(L, -1, name);
}

void dls_body_set_kept(lua_State *L, const dls_child_ref *ref, const char *name) {
  lua_getiuservalue(L, 1, 1);
  dls_make_kept_of(L, lua_gettop(L), "bodies", ref->slot, ref->generation);
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, name);
}

/* --- masses and the rest ---------------------------------------------------------------------- */

static int get_mass(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_pushnumber(L, dls_body_model(ref)->mass);
  return 1;
}

static int get_inertia(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const double *I = dls_body_model(ref)->inertia;
  const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  if (dls_body_dim(ref) == 2) lua_pushnumber(L, I[0]);
  else if (I[1] == 0 && I[2] == 0 && I[5] == 0) dls_push_vec(L, 3, six);
  else (void)dls_push_vector(L, 6, six);
  return 1;
}

static int get_com(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_push_vec(L, dls_body_dim(ref), dls_body_model(ref)->com);
  return 1;
}

static int get_type(lua_State *L) {
  lua_pushstring(L, dls_body_types[dls_body_model(check(L))->type]);
  return 1;
}

static int get_index(lua_State *L) {
  lua_pushinteger(L, check(L)->slot);
  return 1;
}

/* That of the body's mass in its shape; nil without either. */
static int get_density(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_body *body = dls_body_model(ref);
  dls_mass one = {0};
  if (body->shape) dls_shape_mass(body->shape, dls_body_dim(ref) == 2, 1, &one);
  if (one.mass > 0) lua_pushnumber(L, body->mass / one.mass);
  else lua_pushnil(L);
  return 1;
}

static int get_material(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  dls_push_material(L, 2, dls_body_model(ref)->material);
  return 1;
}

static int get_sensor(lua_State *L) {
  lua_pushboolean(L, dls_body_model(check(L))->sensor);
  return 1;
}

static int get_world(lua_State *L) {
  (void)check(L);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

#define KEPT_GETTER(name)                  \
  static int get_##name(lua_State *L) {    \
    push_kept(L, check(L), #name);         \
    return 1;                              \
  }
KEPT_GETTER(name)
KEPT_GETTER(data)
KEPT_GETTER(shape)
KEPT_GETTER(motion)
KEPT_GETTER(group)
KEPT_GETTER(collides)

static int set_name(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_at at = {"body", "name", 0, 0};
  if (lua_type(L, 2) != LUA_TSTRING && !lua_isnil(L, 2)) dls_bad(L, &at, "must be a string", 2);
  dls_body_set_kept(L, ref, "name");
  return 0;
}

static int set_data(lua_State *L) {
  dls_body_set_kept(L, check(L), "data");
  return 0;
}

static int get_energy(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_world *w = ref->box->world;
  double potential = 0;
  for (int i = 0; i < w->dim; i++) potential -= w->gravity[i] * dls_body_q(ref)[i];
  lua_pushnumber(L, dls_body_kinetic(w, ref->index) + dls_body_model(ref)->mass * potential);
  return 1;
}

static int get_momentum(lua_State *L) {
  const dls_child_ref *ref = check(L);
  double p[3];
  for (int i = 0; i < dls_body_dim(ref); i++) p[i] = dls_body_model(ref)->mass * dls_body_u(ref)[i];
  dls_push_vec(L, dls_body_dim(ref), p);
  return 1;
}

static int get_joint(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_getiuservalue(L, 1, 1);
  dls_push_joint(L, lua_gettop(L), dls_trees_carrier(ref->box->world, ref->index));
  return 1;
}

static int contacts(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  dls_push_visit(L, 2, ref->index);
  return 1;
}

static int to_string(lua_State *L) {
  dls_child_ref *ref = luaL_checkudata(L, 1, dls_body_class.name);
  if (!ref->box->handle.open) {
    lua_pushliteral(L, "delassus.Body (closed)");
    return 1;
  }
  if (dls_slots_place(&ref->box->world->body_slots, ref->slot, ref->generation) < 0) {
    lua_pushliteral(L, "delassus.Body (removed)");
    return 1;
  }
  const dls_body *body = dls_body_model(dls_check_body(L, 1));
  lua_settop(L, 1);
  push_kept(L, ref, "name");
  const char *name = lua_tostring(L, -1);
  const double *q = dls_body_q(ref);
  if (name) lua_pushfstring(L, "delassus.Body ('%s'", name);
  else lua_pushfstring(L, "delassus.Body (#%d", ref->slot);
  lua_pushfstring(L, ", %f kg, at %f, %f", body->mass, q[0], q[1]);
  if (dls_body_dim(ref) == 3) lua_pushfstring(L, ", %f)", q[2]);
  else lua_pushliteral(L, ")");
  lua_concat(L, 3);
  return 1;
}

static const dls_method methods[] = {
    {"velocity_at", dls_body_velocity_at_lua, "(point) velocity of the body's material at a world point, m/s"},
    {"apply", dls_body_apply_lua, "{ force =, torque =, at = } acts until changed, N and N m"},
    {"impulse", dls_body_impulse_lua, "{ impulse =, angular_impulse =, at = } changes the velocity now, N s"},
    {"contacts", contacts, "() iterates the contacts of the last step that touch it"},
    {"pose", dls_body_pose_lua, "(alpha) position, rotation between the last step (0) and now (1)"},
    {NULL, NULL, NULL}};
static const dls_property properties[] = {
    {"position", dls_body_get_position_lua, dls_body_set_position_lua, "origin of the body frame, m"},
    {"rotation", dls_body_get_rotation_lua, dls_body_set_rotation_lua, "quaternion {w, x, y, z}, or the angle in the plane"},
    {"centre", dls_body_get_centre_lua, NULL, "mass centre, m"},
    {"velocity", dls_body_get_velocity_lua, dls_body_set_velocity_lua, "of the mass centre, m/s"},
    {"angular_velocity", dls_body_get_angular_velocity_lua, dls_body_set_angular_velocity_lua, "world axes, rad/s"},
    {"mass", get_mass, dls_body_set_mass_lua, "kg"},
    {"inertia", get_inertia, dls_body_set_inertia_lua, "about the mass centre, body axes, kg m^2"},
    {"com", get_com, dls_body_set_com_lua, "mass centre in the body frame, m"},
    {"type", get_type, dls_body_set_type_lua, "dynamic, kinematic or static"},
    {"index", get_index, NULL, "number in the world"},
    {"sensor", get_sensor, dls_body_set_sensor_lua, "found in contacts, touched by nothing"},
    {"world", get_world, NULL, "the world it is in"},
    {"name", get_name, set_name, "its name, or nil"},
    {"data", get_data, set_data, "anything of yours"},
    {"shape", get_shape, dls_body_set_shape_lua, "its shape, or nil"},
    {"material", get_material, dls_body_set_material_lua, "its material; where none was given that of delassus.material{}: friction 0.5, no restitution, rigid"},
    {"group", get_group, dls_body_set_group_lua, "the group it belongs to, or nil"},
    {"collides", get_collides, dls_body_set_collides_lua, "the groups it may touch, or nil for all"},
    {"energy", get_energy, NULL, "kinetic and potential, J"},
    {"momentum", get_momentum, NULL, "linear, kg m/s"},
    {"density", get_density, dls_body_set_density_lua, "mass over its shape's volume, kg/m^3 (plane: kg/m^2); default 1000 where there is a shape and no mass"},
    {"motion", get_motion, dls_body_set_motion_lua, "the function that moves it, or nil"},
    {"joint", get_joint, NULL, "the joint to its parent, or nil"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_body_class = {"delassus.Body", "body", methods, properties, meta, NULL, NULL};
