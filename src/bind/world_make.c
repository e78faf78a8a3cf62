/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world.h"

/* What fills a world: bodies in long and short form, pairs of materials, springs, contacts stated
** by hand. */

typedef struct body_options {
  int dim;                     /* first: readers of vectors need it          */
  dls_body_def def;
  const char *name;            /* NULL: none                                 */
  int type;                    /* dls_body_type, -1: not given               */
  bool has_mass, has_density, has_velocity, has_offset;
  bool has_motion;
  double offset;               /* floor, wall: of the plane                  */
} body_options;

/* --- readers ------------------------------------------------------------------------------ */

#define READ_VEC(what, field)                                                                 \
  static void read_##what(lua_State *L, int idx, const dls_at *at, const void *arg,           \
                          void *out) {                                                        \
    (void)arg;                                                                                \
    body_options *o = out;                                                                    \
    dls_read_numbers(L, idx, at, o->dim, o->def.field);                                       \
  }
READ_VEC(position, position)

static void read_velocity(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->def.velocity);
  o->has_velocity = true;
}

static void read_com(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->def.com);
  o->def.has_com = true;
}

static void read_rotation(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  body_options *o = out;
  if (o->dim == 3) dls_read_rotation3(L, idx, at, arg, o->def.rotation);
  else o->def.rotation[0] = dls_check_number(L, idx, at);
}

static void read_angular(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  if (o->dim == 3) dls_read_numbers(L, idx, at, 3, o->def.angular);
  else o->def.angular[0] = dls_check_number(L, idx, at);
  o->has_velocity = true;
}

static void read_rpm(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  o->def.angular[0] = dls_check_number(L, idx, at) * (2 * DLS_PI / 60);
  o->has_velocity = true;
}

static void read_inertia(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  o->def.has_inertia = true;
  if (o->dim == 2) {
    dls_read_nonnegative(L, idx, at, NULL, o->def.inertia);
    return;
  }
  const dls_vector_arg list = dls_take_vector(L, idx, at);
  if (list.n != 3 && list.n != 6)
    dls_bad(L, at, "must be {Ixx, Iyy, Izz} or {Ixx, Iyy, Izz, Ixy, Ixz, Iyz}", idx);
  memcpy(o->def.inertia, list.x, (size_t)list.n * sizeof(double));
  lua_pop(L, 1);
}

static void read_density(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  body_options *o = out;
  dls_read_positive(L, idx, at, arg, &o->def.density);
  o->has_density = true;
}

static void read_mass(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  body_options *o = out;
  o->def.mass = dls_check_number(L, idx, at);
  (void)arg;
  if (o->def.mass < 0) dls_bad(L, at, "must be > 0", idx);
  o->has_mass = true;
}

static void read_offset(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  o->offset = dls_check_number(L, idx, at);
  o->has_offset = true;
}

static void read_motion(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (!lua_isfunction(L, idx)) dls_bad(L, at, "must be a function", idx);
  ((body_options *)out)->has_motion = true;
}

static const char *const types[] = {"dynamic", "kinematic", "static", NULL};

#define ROW(name, reader, field, arg) {name, reader, offsetof(body_options, field), arg, 0, 0}
#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
#define END {NULL, NULL, 0, NULL, 0, 0}
#define BODY_ROWS                                                                             \
  ROW("name", dls_read_string, name, NULL), ROW("type", dls_read_choice, type, types),        \
      WHOLE("density", read_density), WHOLE("mass", read_mass),                               \
      WHOLE("inertia", read_inertia), WHOLE("com", read_com),                                 \
      WHOLE("position", read_position), WHOLE("rotation", read_rotation),                     \
      WHOLE("velocity", read_velocity), WHOLE("angular_velocity", read_angular),              \
      WHOLE("motion", read_motion), ROW("sensor", dls_read_boolean, def.sensor, NULL),        \
      {"group", NULL, 0, NULL, 0, 0}, {"collides", NULL, 0, NULL, 0, 0},                      \
      {"material", NULL, 0, NULL, 0, 0}, {"data", NULL, 0, NULL, 0, 0}

static const dls_option body_rows[] = {ROW("shape", dls_read_shape, def.shape, NULL), BODY_ROWS,
                                       END};
static const dls_option short_rows[] = {BODY_ROWS, END};
static const dls_option floor_rows[] = {WHOLE("offset", read_offset), BODY_ROWS, END};
static const dls_option drum_rows[] = {WHOLE("rpm", read_rpm), BODY_ROWS, END};

/* --- groups ------------------------------------------------------------------------------------ */

enum { GROUPS = 31 }; /* bit 0 is of bodies without group */

/* The bit of the group named at idx, which is made when first met. */
static uint32_t group_bit(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const int top = lua_gettop(L);
  if (lua_type(L, idx) != LUA_TSTRING) dls_bad(L, at, "must be the name of a group", idx);
  lua_getiuservalue(L, idx_world, 2);
  if (lua_getfield(L, -1, "groups") != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "groups");
  }
  lua_pushvalue(L, idx);
  if (lua_rawget(L, -2) != LUA_TNUMBER) {
    lua_pop(L, 1);
    lua_Integer n = 0;
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) n++;
    if (n >= GROUPS) dls_raise(L, at->function, "there are more than 31 groups");
    lua_pushvalue(L, idx);
    lua_pushinteger(L, n + 1);
    lua_rawset(L, -3);
    lua_pushinteger(L, n + 1);
  }
  uint32_t bit = (uint32_t)1 << lua_tointeger(L, -1);
  lua_settop(L, top);
  return bit;
}

/* group = name; collides = name, list of names, true or false. The options table is at 2. */
static void read_filters(lua_State *L, const char *function, dls_body_def *def) {
  const dls_at group = {function, "group", 0, 0};
  dls_at collides = {function, "collides", 0, 0};
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, "group") != LUA_TNIL) def->group = group_bit(L, top + 1, 1, &group);
  int type = lua_getfield(L, 2, "collides");
  if (type == LUA_TBOOLEAN) {
    def->collides = lua_toboolean(L, -1) ? ~(uint32_t)0 : 0;
  } else if (type == LUA_TSTRING) {
    def->collides = group_bit(L, top + 2, 1, &collides);
  } else if (type == LUA_TTABLE) {
    def->collides = 0;
    for (int i = 1; lua_rawgeti(L, top + 2, i) != LUA_TNIL; i++) {
      collides.element = i;
      def->collides |= group_bit(L, top + 3, 1, &collides);
      lua_settop(L, top + 2);
    }
  } else if (type != LUA_TNIL) {
    dls_bad(L, &collides, "must be true, false, a group's name or a list of them", top + 2);
  }
  lua_settop(L, top);
}

/* --- bodies --------------------------------------------------------------------------------------- */

/* material = userdata, the material's options beside it; -> the world's index of the material.
** The table is at 2. */
static int read_material(lua_State *L, const char *function, const dls_material_def *inline_def) {
  const int top = lua_gettop(L);
  dls_material material = dls_material_default();
  int idx = 0, law = 0;
  if (lua_getfield(L, 2, "material") != LUA_TNIL) {
    const dls_at at = {function, "material", 0, 0};
    const dls_material_box *box = dls_class_test(L, top + 1, &dls_material_class);
    if (!box) dls_bad(L, &at, "must be a material", top + 1);
    material = box->material;
    idx = top + 1;
    if (box->has_law) {
      lua_getiuservalue(L, idx, 1);
      law = lua_gettop(L);
    }
  }
  dls_material own = material;
  dls_material_apply(inline_def, &own);
  own.id = material.id;
  bool changed = memcmp(&own, &material, sizeof own) != 0;
  if (inline_def->friction == inline_def->friction) law = 0;
  if (inline_def->has_law) {
    lua_getfield(L, 2, "friction");
    law = lua_gettop(L);
    changed = true;
  }
  if (changed) idx = 0;
  int index = idx == 0 && law == 0 && !changed ? 0 : dls_use_material(L, 1, idx, &own, law);
  lua_settop(L, top);
  return index;
}

static void raise_fault(lua_State *L, const char *function, dls_body_fault fault,
                        const dls_body_def *def, int dim) {
  switch (fault) {
  case DLS_BODY_NO_MASS:
    dls_raise(L, function, "a dynamic body needs 'mass', or a solid 'shape' with a 'density'");
    break;
  case DLS_BODY_NOT_SOLID:
    dls_raise(L, function, "a %s has no mass: 'type' must be 'static' or 'kinematic'",
              dls_shape_name(def->shape->kind));
    break;
  case DLS_BODY_WRONG_DIM:
    dls_raise(L, function, "a %s is not a shape of %s worlds", dls_shape_name(def->shape->kind),
              dim == 2 ? "planar" : "spatial");
    break;
  default:
    dls_raise(L, function, "'inertia', 'mass' or 'density' is one that no body can have");
  }
}

/* Keeps the Lua side of a new body; the options are at 2, its shape at idx_shape (0: none). */
static void keep(lua_State *L, int body, int idx_shape) {
  static const char *const names[] = {"name", "data", "material", "group", "collides", "motion"};
  const int top = lua_gettop(L);
  dls_push_kept(L, 1, "bodies");
  lua_newtable(L);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_getfield(L, 2, names[i]);
    lua_setfield(L, -2, names[i]);
  }
  if (idx_shape != 0) {
    lua_pushvalue(L, idx_shape);
    lua_setfield(L, -2, "shape");
  }
  lua_rawseti(L, top + 1, body);
  lua_settop(L, top);
}

/* Checks, makes and pushes the body of options that have been read. */
static int finish(lua_State *L, const char *function, dls_world_box *box, body_options *o,
                  const dls_material_def *material, int idx_shape) {
  dls_world *w = box->world;
  if (o->has_mass && o->has_density)
    dls_raise(L, function, "give 'mass' or 'density', not both");
  if (o->has_density && !o->def.shape)
    dls_raise(L, function, "'density' needs a 'shape'");
  o->def.type = o->type >= 0 ? o->type : DLS_DYNAMIC;
  o->def.massless = o->has_mass && o->def.mass == 0 && o->def.has_inertia;
  if (o->has_mass && o->def.mass == 0 && !o->def.has_inertia)
    dls_raise(L, function, "'mass' must be > 0, got 0 (inside a tree give 'inertia' = 0 too)");
  if (o->def.type == DLS_STATIC && (o->has_velocity || o->has_motion))
    dls_raise(L, function, "a static body has no velocity (make it kinematic)");
  if (o->has_motion && o->def.type != DLS_KINEMATIC)
    dls_raise(L, function, "'motion' needs type = 'kinematic'");
  o->def.moved = o->has_motion;
  read_filters(L, function, &o->def);
  dls_body_fault fault = dls_body_check(w, &o->def);
  if (fault != DLS_BODY_GOOD) raise_fault(L, function, fault, &o->def, w->dim);
  o->def.material = read_material(L, function, material);
  /* The userdata first: with it made, nothing after the body can fail but the tables. */
  int index = 0;
  dls_check_status(L, dls_world_body_add(w, &o->def, &index), function);
  keep(L, index, idx_shape);
  if (o->has_motion) dls_hook_motion(box);
  if (o->def.material > 0 && w->materials[o->def.material].law > 0) dls_hook_friction(box);
  dls_push_body(L, 1, index);
  return 1;
}

static body_options options_default(const dls_world *w) {
  body_options o = {.dim = w->dim, .def = dls_body_def_default(w->dim), .type = -1};
  return o;
}

int dls_world_new_body(lua_State *L) {
  static const char function[] = "world:body";
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  body_options o = options_default(box->world);
  dls_material_def material = dls_material_def_default();
  const dls_option_set sets[] = {{body_rows, &o}, {dls_material_rows, &material}};
  lua_settop(L, 2);
  dls_read_option_sets(L, 2, function, sets, 2);
  int idx_shape = 0;
  if (o.def.shape) {
    lua_getfield(L, 2, "shape");
    idx_shape = lua_gettop(L);
  }
  return finish(L, function, box, &o, &material, idx_shape);
}

/* The name of the short form is upvalue 1. */
static int short_form(lua_State *L) {
  const char *name = lua_tostring(L, lua_upvalueindex(1));
  const char *function = lua_tostring(L, lua_upvalueindex(2));
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  const dls_shape_form *form = dls_shape_form_find(name);
  body_options o = options_default(box->world);
  dls_shape_def shape = dls_shape_def_default();
  dls_material_def material = dls_material_def_default();
  bool drum = strcmp(name, "drum") == 0;
  const dls_option_set sets[] = {{form->rows, &shape}, {drum ? drum_rows : short_rows, &o},
                                 {dls_material_rows, &material}};
  lua_settop(L, 2);
  dls_read_option_sets(L, 2, function, sets, 3);
  o.def.shape = dls_shape_push(L, function, form, &shape);
  int idx_shape = lua_gettop(L);
  if (o.type < 0 && !o.def.shape->solid)
    o.type = o.has_velocity || o.has_motion || drum ? DLS_KINEMATIC : DLS_STATIC;
  return finish(L, function, box, &o, &material, idx_shape);
}

/* floor: the plane below the last axis; wall: a plane of any normal. Upvalue 1: it is a wall. */
static int plane_form(lua_State *L) {
  bool wall = lua_toboolean(L, lua_upvalueindex(1));
  const char *function = lua_tostring(L, lua_upvalueindex(2));
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  const dls_shape_form *form = dls_shape_form_find("plane");
  body_options o = options_default(box->world);
  dls_shape_def shape = dls_shape_def_default();
  dls_material_def material = dls_material_def_default();
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  if (wall) {
    const dls_option_set sets[] = {{form->rows, &shape}, {short_rows, &o},
                                   {dls_material_rows, &material}};
    dls_read_option_sets(L, 2, function, sets, 3);
  } else {
    const dls_option_set sets[] = {{floor_rows, &o}, {dls_material_rows, &material}};
    dls_read_option_sets(L, 2, function, sets, 2);
    memset(shape.normal, 0, sizeof shape.normal);
    shape.normal[o.dim - 1] = 1;
    shape.offset = o.offset;
  }
  o.def.shape = dls_shape_push(L, function, form, &shape);
  int idx_shape = lua_gettop(L);
  if (o.type < 0) o.type = o.has_velocity || o.has_motion ? DLS_KINEMATIC : DLS_STATIC;
  return finish(L, function, box, &o, &material, idx_shape);
}

static const char *const forms[] = {"sphere", "capsule", "cylinder", "cone", "box", "disk",
                                    "polygon", "convex", "segment", "mesh", "plane", "drum"};

/* The module table is on the top of the stack. */
void dls_add_short_forms(lua_State *L) {
  luaL_getmetatable(L, dls_world_class.name);
  lua_getfield(L, -1, "delassus.methods");
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    lua_pushstring(L, forms[i]);
    lua_pushfstring(L, "world:%s", forms[i]);
    lua_pushcclosure(L, short_form, 2);
    lua_setfield(L, -2, forms[i]);
  }
  for (int wall = 0; wall < 2; wall++) {
    lua_pushboolean(L, wall);
    lua_pushstring(L, wall ? "world:wall" : "world:floor");
    lua_pushcclosure(L, plane_form, 2);
    lua_setfield(L, -2, wall ? "wall" : "floor");
  }
  lua_pop(L, 2);
}

int dls_take_body(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const dls_world_box *box = lua_touserdata(L, idx_world);
  dls_child_ref *ref = dls_class_test(L, idx, &dls_body_class);
  if (!ref) dls_bad(L, at, "must be a body", idx);
  if (ref->box != box) dls_bad(L, at, "must be a body of this world", idx);
  (void)dls_check_body(L, idx);
  return ref->index;
}

/* --- pairs ------------------------------------------------------------------------------------------ */

static const dls_option pair_ends[] = {{"a", NULL, 0, NULL, 0, 1}, {"b", NULL, 0, NULL, 0, 2}, END};

/* Pushes option `name` or the positional value. */
static int push_end(lua_State *L, const char *name, int place) {
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, 2, place);
  }
  return lua_gettop(L);
}

int dls_world_pair_lua(lua_State *L) {
  static const char function[] = "world:pair";
  static const dls_at at[2] = {{function, "a", 0, 0}, {function, "b", 0, 0}};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  dls_material_def def = dls_material_def_default();
  const dls_option_set sets[] = {{pair_ends, NULL}, {dls_material_rows, &def}};
  lua_settop(L, 2);
  dls_read_option_sets(L, 2, function, sets, 2);
  dls_pairing pairing = {0};
  dls_material both[2];
  for (int i = 0; i < 2; i++) {
    int idx = push_end(L, i ? "b" : "a", i + 1);
    const dls_material_box *m = dls_class_test(L, idx, &dls_material_class);
    if (i == 0) pairing.of_bodies = m == NULL;
    if ((m == NULL) != pairing.of_bodies)
      dls_raise(L, function, "needs two materials or two bodies");
    int number = m ? dls_know_material(L, 1, idx) : dls_take_body(L, idx, 1, &at[i]);
    both[i] = w->materials[m ? number : w->bodies[number].material];
    *(i ? &pairing.b : &pairing.a) = number;
  }
  pairing.material = dls_material_combine(&both[0], &both[1]);
  dls_material_apply(&def, &pairing.material);
  if (def.friction == def.friction) pairing.material.law = 0;
  if (def.has_law) {
    dls_push_kept(L, 1, "laws");
    pairing.material.law = (int)lua_rawlen(L, -1) + 1;
    lua_getfield(L, 2, "friction");
    lua_rawseti(L, -2, pairing.material.law);
    dls_hook_friction(box);
  }
  dls_check_status(L, dls_world_pair(w, &pairing), function);
  return 0;
}

/* --- springs ------------------------------------------------------------------------------------------ */

typedef struct spring_options {
  int dim;
  double anchor_a[3], anchor_b[3];
  bool has_a, has_b;
  double stiffness, damping, length;
} spring_options;

static void read_anchor_a(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  spring_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->anchor_a);
  o->has_a = true;
}
static void read_anchor_b(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  spring_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->anchor_b);
  o->has_b = true;
}

#define SPRING(name, reader, field, flags) \
  {name, reader, offsetof(spring_options, field), NULL, flags, 0}
static const dls_option spring_rows[] = {
    {"a", NULL, 0, NULL, 0, 1},
    {"b", NULL, 0, NULL, 0, 2},
    WHOLE("anchor_a", read_anchor_a),
    WHOLE("anchor_b", read_anchor_b),
    SPRING("stiffness", dls_read_nonnegative, stiffness, DLS_REQUIRED),
    SPRING("damping", dls_read_nonnegative, damping, 0),
    SPRING("length", dls_read_nonnegative, length, 0),
    END};

/* An anchor in the body frame, from the mass centre. */
static void from_centre(const dls_world *w, int body, bool given, const double *anchor,
                        double *out) {
  for (int i = 0; i < 3; i++) out[i] = given ? anchor[i] - w->bodies[body].com[i] : 0;
  if (!given && body == 0) memset(out, 0, 3 * sizeof(double));
}

int dls_world_spring_lua(lua_State *L) {
  static const char function[] = "world:spring";
  static const dls_at at_a = {function, "a", 0, 0}, at_b = {function, "b", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  spring_options o = {.dim = box->world->dim, .length = -1};
  lua_settop(L, 2);
  dls_read_options(L, 2, function, spring_rows, &o);
  dls_spring spring = {.alive = true, .stiffness = o.stiffness, .damping = o.damping,
                       .length = o.length};
  spring.a = dls_take_body(L, push_end(L, "a", 1), 1, &at_a);
  spring.b = dls_take_body(L, push_end(L, "b", 2), 1, &at_b);
  if (spring.a == spring.b) dls_raise(L, function, "needs two different bodies");
  from_centre(box->world, spring.a, o.has_a, o.anchor_a, spring.anchor_a);
  from_centre(box->world, spring.b, o.has_b, o.anchor_b, spring.anchor_b);
  if (o.length < 0) { /* as long as it is now */
    dls_vec3 com_a = dls_v3_load(box->world->bodies[spring.a].com);
    dls_vec3 com_b = dls_v3_load(box->world->bodies[spring.b].com);
    dls_vec3 a = dls_body_point(box->world, spring.a,
                                dls_v3_add(com_a, dls_v3_load(spring.anchor_a)));
    dls_vec3 b = dls_body_point(box->world, spring.b,
                                dls_v3_add(com_b, dls_v3_load(spring.anchor_b)));
    spring.length = dls_v3_norm(dls_v3_sub(b, a));
  }
  int *handle = dls_class_new(L, &dls_spring_class, sizeof *handle, 1);
  dls_check_status(L, dls_world_spring_add(box->world, &spring, handle), function);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static int spring_string(lua_State *L) {
  const int *handle = dls_class_check(L, 1, &dls_spring_class);
  lua_pushfstring(L, "delassus.Spring (#%d)", *handle + 1);
  return 1;
}
static const luaL_Reg spring_meta[] = {{"__tostring", spring_string}, {NULL, NULL}};
const dls_class dls_spring_class = {"delassus.Spring", "spring", NULL, NULL, spring_meta, NULL,
                                    NULL};
