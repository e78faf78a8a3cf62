/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

#include "bind/joint.h"
#include "core/base/dim.h"

/* Bodies: an index and a generation in their world. */

dls_child_ref *dls_check_body(lua_State *L, int idx) {
  dls_child_ref *ref = dls_class_check(L, idx, &dls_body_class);
  if (!ref->box->handle.open) dls_raise(L, "body", "attempt to use a body of a closed world");
  const dls_world *w = ref->box->world;
  if (ref->index >= w->n_bodies || !w->bodies[ref->index].alive ||
      w->bodies[ref->index].generation != ref->generation)
    dls_raise(L, "body", "attempt to use a removed body");
  return ref;
}

static dls_child_ref *check(lua_State *L) { return dls_check_body(L, 1); }

static double *q_of(const dls_child_ref *ref) {
  dls_world *w = ref->box->world;
  return w->q + (size_t)ref->index * (size_t)DLS_NQ(w->dim);
}

static double *u_of(const dls_child_ref *ref) {
  dls_world *w = ref->box->world;
  return w->u + (size_t)ref->index * (size_t)DLS_NU(w->dim);
}

static dls_body *model_of(const dls_child_ref *ref) {
  return &ref->box->world->bodies[ref->index];
}

static int dim_of(const dls_child_ref *ref) { return ref->box->world->dim; }

dls_child_ref *dls_check_body_unlocked(lua_State *L, const char *what) {
  dls_child_ref *ref = check(L);
  if (ref->box->world->stepping)
    dls_raise(L, "body", "%s cannot be changed while its world steps", what);
  return ref;
}

/* A body that a reduced joint carries stands and moves as the joint says. */
static void check_unheld(lua_State *L, const dls_child_ref *ref, const char *what, const char *joint) {
  const int carrier = dls_trees_carrier(ref->box->world, ref->index);
  if (carrier >= 0)
    dls_raise(L, "body", "'%s' of a body that a reduced joint carries cannot be set: set joint.%s",
              what, joint);
}

/* What hangs on the body follows. */
static void follow(lua_State *L, const dls_child_ref *ref) {
  const dls_world *w = ref->box->world;
  if (!dls_trees_used(w)) return;
  if (!w->trees->stale && w->trees->body_tree[ref->index] < 0 &&
      w->bodies[ref->index].type == DLS_DYNAMIC)
    return;
  lua_getiuservalue(L, 1, 1);
  dls_follow_trees(L, lua_gettop(L), "body");
}

/* kept.bodies[index][name] of the body at 1; pushes it. */
static void push_kept(lua_State *L, const dls_child_ref *ref, const char *name) {
  lua_getiuservalue(L, 1, 1);
  dls_push_kept(L, lua_gettop(L), "bodies");
  if (lua_rawgeti(L, -1, ref->index) != LUA_TTABLE) {
    lua_pushnil(L);
    return;
  }
  lua_getfield(L, -1, name);
}

void dls_body_set_kept(lua_State *L, const dls_child_ref *ref, const char *name) {
  lua_getiuservalue(L, 1, 1);
  dls_push_kept(L, lua_gettop(L), "bodies");
  if (lua_rawgeti(L, -1, ref->index) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, ref->index);
  }
  lua_pushvalue(L, 2);
  lua_setfield(L, -2, name);
}

/* --- pose --------------------------------------------------------------------------------- */

static int get_position(lua_State *L) {
  const dls_child_ref *ref = check(L);
  double position[3], rotation[4];
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  dls_push_vec(L, dim_of(ref), position);
  return 1;
}

static int set_position(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "position");
  const dls_at at = {"body", "position", 0, 0};
  double position[3] = {0}, rotation[4], to[3] = {0};
  check_unheld(L, ref, "position", "q");
  dls_read_numbers(L, 2, &at, dim_of(ref), to);
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  dls_body_place(ref->box->world, ref->index, to, rotation);
  follow(L, ref);
  return 0;
}

static int get_rotation(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const double *q = q_of(ref);
  if (dim_of(ref) == 2) lua_pushnumber(L, q[2]);
  else dls_push_vec(L, 4, q + 3);
  return 1;
}

static int set_rotation(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "rotation");
  const dls_at at = {"body", "rotation", 0, 0};
  double position[3], rotation[4], to[4] = {0};
  check_unheld(L, ref, "rotation", "q");
  if (dim_of(ref) == 2) dls_read_number(L, 2, &at, NULL, to);
  else dls_read_rotation3(L, 2, &at, NULL, to);
  dls_body_pose(ref->box->world, ref->index, position, rotation);
  dls_body_place(ref->box->world, ref->index, position, to);
  follow(L, ref);
  return 0;
}

static int get_centre(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_push_vec(L, dim_of(ref), q_of(ref));
  return 1;
}

/* --- velocity ------------------------------------------------------------------------------- */

static int get_velocity(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_push_vec(L, dim_of(ref), u_of(ref));
  return 1;
}

static int set_velocity(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "velocity");
  const dls_at at = {"body", "velocity", 0, 0};
  double to[3];
  check_unheld(L, ref, "velocity", "qd");
  dls_read_numbers(L, 2, &at, dim_of(ref), to);
  if (model_of(ref)->type == DLS_STATIC)
    dls_raise(L, "body", "a static body has no velocity (make it kinematic)");
  memcpy(u_of(ref), to, (size_t)dim_of(ref) * sizeof(double));
  follow(L, ref);
  return 0;
}

static int get_angular_velocity(lua_State *L) {
  const dls_child_ref *ref = check(L);
  if (dim_of(ref) == 2) lua_pushnumber(L, u_of(ref)[2]);
  else dls_push_vec(L, 3, u_of(ref) + 3);
  return 1;
}

static int set_angular_velocity(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "angular_velocity");
  const dls_at at = {"body", "angular_velocity", 0, 0};
  double to[3];
  check_unheld(L, ref, "angular_velocity", "qd");
  if (dim_of(ref) == 2) dls_read_number(L, 2, &at, NULL, to);
  else dls_read_vec3(L, 2, &at, NULL, to);
  if (model_of(ref)->type == DLS_STATIC)
    dls_raise(L, "body", "a static body has no velocity (make it kinematic)");
  int d = dim_of(ref);
  memcpy(u_of(ref) + d, to, (size_t)(DLS_NU(d) - d) * sizeof(double));
  follow(L, ref);
  return 0;
}

/* --- masses and the rest ---------------------------------------------------------------------- */

static int get_mass(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_pushnumber(L, model_of(ref)->mass);
  return 1;
}

static int get_inertia(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const double *I = model_of(ref)->inertia;
  const double six[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
  if (dim_of(ref) == 2) lua_pushnumber(L, I[0]);
  else if (I[1] == 0 && I[2] == 0 && I[5] == 0) dls_push_vec(L, 3, six);
  else (void)dls_push_vector(L, 6, six);
  return 1;
}

static int get_com(lua_State *L) {
  const dls_child_ref *ref = check(L);
  dls_push_vec(L, dim_of(ref), model_of(ref)->com);
  return 1;
}

static int get_type(lua_State *L) {
  lua_pushstring(L, dls_body_types[model_of(check(L))->type]);
  return 1;
}

static int get_index(lua_State *L) {
  lua_pushinteger(L, check(L)->index);
  return 1;
}

/* That of the body's mass in its shape; nil without either. */
static int get_density(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_body *body = model_of(ref);
  dls_mass one = {0};
  if (body->shape) dls_shape_mass(body->shape, dim_of(ref) == 2, 1, &one);
  if (one.mass > 0) lua_pushnumber(L, body->mass / one.mass);
  else lua_pushnil(L);
  return 1;
}

static int get_material(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  dls_push_material(L, 2, model_of(ref)->material);
  return 1;
}

static int get_sensor(lua_State *L) {
  lua_pushboolean(L, model_of(check(L))->sensor);
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
  for (int i = 0; i < w->dim; i++) potential -= w->gravity[i] * q_of(ref)[i];
  lua_pushnumber(L, dls_body_kinetic(w, ref->index) + model_of(ref)->mass * potential);
  return 1;
}

static int get_momentum(lua_State *L) {
  const dls_child_ref *ref = check(L);
  double p[3];
  for (int i = 0; i < dim_of(ref); i++) p[i] = model_of(ref)->mass * u_of(ref)[i];
  dls_push_vec(L, dim_of(ref), p);
  return 1;
}

static int get_joint(lua_State *L) {
  const dls_child_ref *ref = check(L);
  lua_getiuservalue(L, 1, 1);
  dls_push_joint(L, lua_gettop(L), dls_trees_carrier(ref->box->world, ref->index));
  return 1;
}

/* --- methods ------------------------------------------------------------------------------------- */

/* A point or vector of the body's dimension at idx. */
static dls_vec3 take_vec(lua_State *L, int idx, const dls_child_ref *ref, const dls_at *at) {
  double x[3] = {0};
  dls_read_numbers(L, idx, at, dim_of(ref), x);
  return dls_v3_load(x);
}

static int velocity_at(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_at at = {"body:velocity_at", "point", 0, 0};
  dls_vec3 point = take_vec(L, 2, ref, &at);
  double v[3];
  dls_v3_store(v, dls_body_velocity_at(ref->box->world, ref->index, point));
  dls_push_vec(L, dim_of(ref), v);
  return 1;
}

typedef struct push_def {
  double linear[3], angular[3], at[3];
  bool has_at;
  int dim;
} push_def;

static void read_at(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  dls_read_numbers(L, idx, at, def->dim, def->at);
  def->has_at = true;
}

static void read_linear(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  dls_read_numbers(L, idx, at, def->dim, def->linear);
}

static void read_angular(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  if (def->dim == 2) dls_read_number(L, idx, at, NULL, &def->angular[2]);
  else dls_read_numbers(L, idx, at, 3, def->angular);
}

static const dls_option apply_rows[] = {{"force", read_linear, 0, NULL, 0, 0},
                                        {"torque", read_angular, 0, NULL, 0, 0},
                                        {"at", read_at, 0, NULL, 0, 0},
                                        {NULL, NULL, 0, NULL, 0, 0}};
static const dls_option impulse_rows[] = {{"impulse", read_linear, 0, NULL, 0, 0},
                                          {"angular_impulse", read_angular, 0, NULL, 0, 0},
                                          {"at", read_at, 0, NULL, 0, 0},
                                          {NULL, NULL, 0, NULL, 0, 0}};

/* The force lasts until changed; a second call replaces the first. */
static int apply(lua_State *L) {
  const dls_child_ref *ref = check(L);
  push_def def = {.dim = dim_of(ref)};
  dls_read_options(L, 2, "body:apply", apply_rows, &def);
  dls_world *w = ref->box->world;
  dls_vec3 force = dls_v3_load(def.linear), torque = dls_v3_load(def.angular);
  if (def.has_at) {
    const double *q = q_of(ref);
    dls_vec3 r = dls_v3_sub(dls_v3_load(def.at), dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0));
    torque = dls_v3_add(torque, dls_v3_cross(r, force));
  }
  double *load = w->load + (size_t)ref->index * (size_t)DLS_NU(w->dim);
  if (w->dim == 2) {
    load[0] = force.x;
    load[1] = force.y;
    load[2] = torque.z;
  } else {
    dls_v3_store(load, force);
    dls_v3_store(load + 3, torque);
  }
  return 0;
}

static int impulse(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "velocity");
  push_def def = {.dim = dim_of(ref)};
  dls_read_options(L, 2, "body:impulse", impulse_rows, &def);
  dls_vec3 at = dls_v3_load(def.at);
  dls_world *w = ref->box->world;
  if (dls_trees_used(w)) {
    lua_getiuservalue(L, 1, 1);
    dls_ready_trees(L, lua_gettop(L), "body:impulse");
    if (w->trees->body_tree[ref->index] >= 0) {
      dls_status status = dls_tree_impulse(w, ref->index, dls_v3_load(def.linear),
                                           dls_v3_load(def.angular), def.has_at ? &at : NULL);
      if (status == DLS_SINGULAR) dls_raise_trees(L, lua_gettop(L), status, "body:impulse");
      dls_check_status(L, status, "body:impulse");
      return 0;
    }
  }
  double before[6], *u = u_of(ref), sum = 0;
  const size_t nu = (size_t)DLS_NU(def.dim);
  memcpy(before, u, nu * sizeof *u);
  dls_body_impulse(w, ref->index, dls_v3_load(def.linear), dls_v3_load(def.angular),
                   def.has_at ? &at : NULL);
  for (size_t k = 0; k < nu; k++) sum += 0 * u[k];
  if (sum == 0) return 0;
  memcpy(u, before, nu * sizeof *u);
  return dls_raise(L, "body:impulse", "the velocity would be beyond the range of numbers");
}

/* Iterator over the contacts of the last step that touch the body: control is their number. */
static int next_contact(lua_State *L) {
  const dls_child_ref *ref = lua_touserdata(L, lua_upvalueindex(1));
  const dls_world *w = ref->box->world;
  int k = (int)lua_tointeger(L, lua_upvalueindex(3));
  for (; ref->box->handle.open && k < w->n_contacts; k++) {
    const dls_contact *c = &w->contacts[k];
    if (!c->listed || (c->a != ref->index && c->b != ref->index)) continue;
    lua_pushinteger(L, k + 1);
    lua_replace(L, lua_upvalueindex(3));
    lua_pushvalue(L, lua_upvalueindex(2));
    dls_push_contact(L, lua_gettop(L), k);
    return 1;
  }
  return 0;
}

static int contacts(lua_State *L) {
  (void)check(L);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_contact, 3);
  return 1;
}

static int pose(lua_State *L) {
  const dls_child_ref *ref = check(L);
  const dls_at at = {"body:pose", "alpha", 0, 0};
  double alpha = lua_isnoneornil(L, 2) ? 1 : dls_check_number(L, 2, &at);
  double position[3], rotation[4];
  dls_body_between(ref->box->world, ref->index, alpha, position, rotation);
  dls_push_vec(L, dim_of(ref), position);
  if (dim_of(ref) == 2) lua_pushnumber(L, rotation[0]);
  else dls_push_vec(L, 4, rotation);
  return 2;
}

static int to_string(lua_State *L) {
  dls_child_ref *ref = luaL_checkudata(L, 1, dls_body_class.name);
  if (!ref->box->handle.open) {
    lua_pushliteral(L, "delassus.Body (closed)");
    return 1;
  }
  const dls_body *body = &ref->box->world->bodies[ref->index];
  if (!body->alive || body->generation != ref->generation) {
    lua_pushliteral(L, "delassus.Body (removed)");
    return 1;
  }
  lua_settop(L, 1);
  push_kept(L, ref, "name");
  const char *name = lua_tostring(L, -1);
  const double *q = q_of(ref);
  if (name) lua_pushfstring(L, "delassus.Body ('%s'", name);
  else lua_pushfstring(L, "delassus.Body (#%d", ref->index);
  lua_pushfstring(L, ", %f kg, at %f, %f", body->mass, q[0], q[1]);
  if (dim_of(ref) == 3) lua_pushfstring(L, ", %f)", q[2]);
  else lua_pushliteral(L, ")");
  lua_concat(L, 3);
  return 1;
}

static const dls_method methods[] = {
    {"velocity_at", velocity_at, "(point) velocity of the body's material at a world point, m/s"},
    {"apply", apply, "{ force =, torque =, at = } acts until changed, N and N m"},
    {"impulse", impulse, "{ impulse =, angular_impulse =, at = } changes the velocity now, N s"},
    {"contacts", contacts, "() iterates the contacts of the last step that touch it"},
    {"pose", pose, "(alpha) position, rotation between the last step (0) and now (1)"},
    {NULL, NULL, NULL}};
static const dls_property properties[] = {
    {"position", get_position, set_position, "origin of the body frame, m"},
    {"rotation", get_rotation, set_rotation, "quaternion {w, x, y, z}, or the angle in the plane"},
    {"centre", get_centre, NULL, "mass centre, m"},
    {"velocity", get_velocity, set_velocity, "of the mass centre, m/s"},
    {"angular_velocity", get_angular_velocity, set_angular_velocity, "world axes, rad/s"},
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
    {"material", get_material, dls_body_set_material_lua, "its material; the default one where none was given"},
    {"group", get_group, dls_body_set_group_lua, "the group it belongs to, or nil"},
    {"collides", get_collides, dls_body_set_collides_lua, "the groups it may touch, or nil for all"},
    {"energy", get_energy, NULL, "kinetic and potential, J"},
    {"momentum", get_momentum, NULL, "linear, kg m/s"},
    {"density", get_density, dls_body_set_density_lua, "mass over its shape's volume, kg/m^3 (plane: kg/m^2)"},
    {"motion", get_motion, dls_body_set_motion_lua, "the function that moves it, or nil"},
    {"joint", get_joint, NULL, "the joint to its parent, or nil"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_body_class = {"delassus.Body", "body", methods, properties, meta, NULL, NULL};
