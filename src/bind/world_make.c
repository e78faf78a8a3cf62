/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/motion.h"
#include "bind/world_parts.h"

/* What fills a world: bodies in long and short form. */

typedef struct body_options {
  int dim;                     /* first: readers of vectors need it          */
  dls_body_def def;            /* numbers of the body */
  const char *name;            /* NULL: none                                 */
  int type;                    /* dls_body_type, -1: not given               */
  bool has_mass, has_density, has_velocity; /* which of these were given */
  bool has_motion;             /* 'motion' was given */
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

void dls_read_inertia(lua_State *L, int idx, const dls_at *at, int dim, double inertia[6]) {
  if (dim == 2) {
    dls_read_nonnegative(L, idx, at, NULL, inertia);
    return;
  }
  static const char rule[] = "must be {Ixx, Iyy, Izz} or {Ixx, Iyy, Izz, Ixy, Ixz, Iyz}";
  memset(inertia, 0, 6 * sizeof(double));
  if (lua_type(L, idx) == LUA_TNUMBER) { /* none at all is said in one number */
    if (dls_check_number(L, idx, at) != 0) dls_bad(L, at, rule, idx);
    return;
  }
  const dls_vector_arg list = dls_take_vector(L, idx, at);
  if (list.n != 3 && list.n != 6) dls_bad(L, at, rule, idx);
  memcpy(inertia, list.x, (size_t)list.n * sizeof(double));
  lua_pop(L, 1);
}

static void read_inertia(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  body_options *o = out;
  o->def.has_inertia = true;
  dls_read_inertia(L, idx, at, o->dim, o->def.inertia);
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

static void read_motion(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (!lua_isfunction(L, idx)) dls_bad(L, at, "must be a function", idx);
  ((body_options *)out)->has_motion = true;
}

const char *const dls_body_types[] = {"dynamic", "kinematic", "static", NULL};

#define ROW(name, reader, field, arg) {name, reader, offsetof(body_options, field), arg, 0, 0}
#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
#define END {NULL, NULL, 0, NULL, 0, 0}
#define BODY_ROWS                                                                             \
  ROW("name", dls_read_string, name, NULL), ROW("type", dls_read_choice, type, dls_body_types),        \
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
static const dls_option floor_rows[] = {ROW("offset", dls_read_number, offset, NULL), BODY_ROWS, END};
static const dls_option drum_rows[] = {WHOLE("rpm", read_rpm), BODY_ROWS, END};

/* --- bodies ----------------------------------------------------------------------------------- */

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

static const char *article(const char *noun) { return strchr("aeiou", noun[0]) ? "an" : "a"; }

void dls_raise_body_fault(lua_State *L, const char *function, dls_body_fault fault,
                          const dls_shape *shape, int dim) {
  switch (fault) {
  case DLS_BODY_NO_MASS:
    dls_raise(L, function, "a dynamic body needs 'mass', or a solid 'shape' with a 'density'");
    break;
  case DLS_BODY_NOT_SOLID:
    dls_raise(L, function, "a %s has no mass: 'type' must be 'static' or 'kinematic'",
              dls_shape_name(shape->kind));
    break;
  case DLS_BODY_WRONG_DIM:
    if (shape->kind == DLS_SHAPE_BOX || shape->kind == DLS_SHAPE_PLANE)
      dls_raise(L, function, "'%s' must hold %d numbers in a %s world",
                shape->kind == DLS_SHAPE_BOX ? "size" : "normal", dim, dim == 2 ? "planar" : "spatial");
    dls_raise(L, function, "%s %s is not a shape of %s worlds", article(dls_shape_name(shape->kind)),
              dls_shape_name(shape->kind), dim == 2 ? "planar" : "spatial");
    break;
  default:
    dls_raise(L, function, "%s", dls_body_inertia_rule(fault));
  }
}

/* Keeps the Lua side of a new body; the options are at 2, its shape at idx_shape (0: none). */
static void keep(lua_State *L, int body, int idx_shape) {
  static const char *const names[] = {"name", "data", "material", "group", "collides", "motion"};
  const int top = lua_gettop(L);
  const dls_body *model = &((dls_world_box *)lua_touserdata(L, 1))->world->bodies[body];
  dls_make_kept_of(L, 1, "bodies", model->slot, model->generation);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_getfield(L, 2, names[i]);
    lua_setfield(L, -2, names[i]);
  }
  if (idx_shape != 0) {
    lua_pushvalue(L, idx_shape);
    lua_setfield(L, -2, "shape");
  }
  lua_settop(L, top);
}

/* A body that moves by a function stands where that says from the start. */
static bool ask_motion(lua_State *L, dls_world *w, const dls_body_def *def, dls_motion_told *told) {
  memcpy(told->position, def->position, sizeof def->position);
  memcpy(told->rotation, def->rotation, sizeof def->rotation);
  lua_getfield(L, 2, "motion");
  const bool fine = dls_motion_try(L, lua_gettop(L), w, told);
  lua_pop(L, 1);
  return fine;
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
  if (o->has_motion) dls_refuse_lent(L, box, function, "'motion'");
  o->def.moved = o->has_motion;
  dls_check_filters(L, function);
  dls_body_fault fault = dls_body_check(w, &o->def);
  if (fault != DLS_BODY_GOOD) dls_raise_body_fault(L, function, fault, o->def.shape, w->dim);
  if (o->has_density && !o->def.shape->solid)
    dls_raise(L, function, "'density' needs a solid 'shape' (a %s has no inside, and so no mass: it is static or kinematic)",
              dls_shape_name(o->def.shape->kind));
  o->def.material = read_material(L, function, material);
  dls_motion_told told = {0};
  const bool placed = o->has_motion && ask_motion(L, w, &o->def, &told);
  dls_read_filters(L, function, &o->def);
  /* The userdata first: with it made, nothing after the body can fail but the tables. */
  int index = 0;
  dls_check_status(L, dls_world_body_add(w, &o->def, &index), function);
  keep(L, index, idx_shape);
  if (o->has_motion) dls_hook_motion(box);
  if (placed) dls_motion_begin(w, index, &told);
  if (o->def.material > 0 && w->materials[o->def.material].law > 0) dls_hook_friction(box);
  dls_tidy_world(L, 1);
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
/* Shapes of one kind of world, and what the other has in their place. */
static const struct single {
  int dim; /* of the worlds that know it */
  const char *name, *instead; /* of the shape; what to say in its place */
} singles[] = {{3, "sphere", "disk"},   {3, "cylinder", "box"}, {3, "cone", "polygon"}, {3, "convex", "polygon"},
               {3, "ellipsoid", "disk"},
               {3, "mesh", "segment"},  {2, "disk", "sphere"},  {2, "polygon", "convex"}, {2, "segment", "capsule"}};

/* Before the options: they would be told about in words of the other kind of world. */
static void refuse_form(lua_State *L, const char *function, const char *name, int dim) {
  for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
    const struct single *s = &singles[i];
    if (s->dim != dim && strcmp(s->name, name) == 0)
      dls_raise(L, function, "%s %s is not a shape of %s worlds (use world:%s)", article(name), name,
                dim == 2 ? "planar" : "spatial", s->instead);
  }
}

static int short_form(lua_State *L) {
  const char *name = lua_tostring(L, lua_upvalueindex(1));
  const char *function = lua_tostring(L, lua_upvalueindex(2));
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  const dls_shape_form *form = dls_shape_form_find(name);
  body_options o = options_default(box->world);
  dls_shape_def shape = dls_shape_def_default();
  dls_material_def material = dls_material_def_default();
  refuse_form(L, function, name, box->world->dim);
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
    shape.n_normal = o.dim;
    shape.offset = o.offset;
  }
  o.def.shape = dls_shape_push(L, function, form, &shape);
  int idx_shape = lua_gettop(L);
  if (o.type < 0) o.type = o.has_velocity || o.has_motion ? DLS_KINEMATIC : DLS_STATIC;
  return finish(L, function, box, &o, &material, idx_shape);
}

/* Only the lines of help: the functions themselves carry their names as upvalues. */
static const dls_method forms[] = {
    {"sphere", NULL, "{ radius =, ... the body's and the material's options } -> body"},
    {"capsule", NULL, "{ radius =, length =, ... }"},
    {"cylinder", NULL, "{ radius =, length =, ... }"},
    {"cone", NULL, "{ radius1 =, radius2 =, length =, ... }"},
    {"ellipsoid", NULL, "{ radii =, ... }"},
    {"box", NULL, "{ size =, ... }"},
    {"disk", NULL, "{ radius =, ... }"},
    {"polygon", NULL, "{ points =, ... }"},
    {"convex", NULL, "{ points =, ... }"},
    {"segment", NULL, "{ from =, to =, ... }"},
    {"mesh", NULL, "{ vertices =, faces =, ... } static or kinematic"},
    {"plane", NULL, "{ normal =, offset =, ... } static or kinematic"},
    {"drum", NULL, "{ radius =, length =, lifters =, ends =, ... } static or kinematic"},
    {NULL, NULL, NULL}};
static const dls_method planes[] = {
    {"floor", NULL, "{ offset =, friction =, ... } solid below -> body"},
    {"wall", NULL, "{ normal =, offset =, ... } solid below normal . x = offset -> body"},
    {NULL, NULL, NULL}};

/* The module table is on the top of the stack. */
void dls_add_short_forms(lua_State *L) {
  luaL_getmetatable(L, dls_world_class.name);
  lua_getfield(L, -1, "delassus.methods");
  for (const dls_method *m = forms; m->name != NULL; m++) {
    lua_pushstring(L, m->name);
    lua_pushfstring(L, "world:%s", m->name);
    lua_pushcclosure(L, short_form, 2);
    lua_setfield(L, -2, m->name);
  }
  for (int wall = 0; wall < 2; wall++) {
    lua_pushboolean(L, wall);
    lua_pushstring(L, wall ? "world:wall" : "world:floor");
    lua_pushcclosure(L, plane_form, 2);
    lua_setfield(L, -2, wall ? "wall" : "floor");
  }
  lua_pop(L, 2);
  dls_class_extend(L, &dls_world_class, forms);
  dls_class_extend(L, &dls_world_class, planes);
}

int dls_take_body(lua_State *L, int idx, int idx_world, const dls_at *at) {
  const dls_world_box *box = lua_touserdata(L, idx_world);
  dls_child_ref *ref = dls_class_test(L, idx, &dls_body_class);
  if (!ref) dls_bad(L, at, "must be a body", idx);
  if (ref->box != box) dls_bad_got(L, at, "must be a body of this world", "one of another world");
  (void)dls_check_body(L, idx);
  return ref->index;
}
