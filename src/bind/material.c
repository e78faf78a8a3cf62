/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/world.h"

/* Materials: immutable userdata, shared by bodies of any world. */

/* friction = number | { static =, kinetic =, decay = } | function(speed). */
static const dls_option friction_rows[] = {
    {"static", dls_read_nonnegative, offsetof(dls_material_def, friction), NULL, DLS_REQUIRED, 0},
    {"kinetic", dls_read_nonnegative, offsetof(dls_material_def, kinetic), NULL, DLS_REQUIRED, 0},
    {"decay", dls_read_nonnegative, offsetof(dls_material_def, decay), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static void read_friction(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_material_def *def = out;
  if (lua_isfunction(L, idx)) {
    def->has_law = true;
    return;
  }
  if (lua_istable(L, idx)) {
    const char *name = lua_pushfstring(L, "%s.friction", at->function);
    def->decay = DLS_INF;
    dls_read_options(L, idx, name, friction_rows, def);
    lua_pop(L, 2);
    return;
  }
  if (lua_type(L, idx) != LUA_TNUMBER)
    dls_bad(L, at, "must be a number, a table { static =, kinetic =, decay = } or a function", idx);
  dls_read_nonnegative(L, idx, at, NULL, &def->friction);
  def->kinetic = def->friction;
}

void dls_read_stiffness(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double stiffness;
  dls_read_extended(L, idx, at, arg, &stiffness);
  if (!(stiffness > 0)) dls_bad(L, at, "must be > 0", idx);
  *(double *)out = stiffness;
}

#define ROW(name, reader, field) {name, reader, offsetof(dls_material_def, field), NULL, 0, 0}
const dls_option dls_material_rows[] = {
    {"friction", read_friction, 0, NULL, 0, 0},
    ROW("restitution", dls_read_fraction, restitution),
    ROW("stiffness", dls_read_stiffness, stiffness),
    ROW("damping", dls_read_nonnegative, damping),
    ROW("rolling_friction", dls_read_nonnegative, rolling),
    ROW("spinning_friction", dls_read_nonnegative, spinning),
    ROW("tangential_restitution", dls_read_fraction, tangential_restitution),
    {NULL, NULL, 0, NULL, 0, 0}};

#define FIELDS(X)                                                                             \
  X(friction) X(kinetic) X(decay) X(restitution) X(stiffness) X(damping) X(rolling)           \
  X(spinning) X(tangential_restitution)

dls_material_def dls_material_def_default(void) {
  dls_material_def def = {.has_law = false};
#define SET(name) def.name = (double)NAN;
  FIELDS(SET)
#undef SET
  return def;
}

void dls_material_apply(const dls_material_def *def, dls_material *material) {
#define SET(name) \
  if (def->name == def->name) material->name = def->name;
  FIELDS(SET)
#undef SET
}

static int new_material(lua_State *L) {
  dls_material_def def = dls_material_def_default();
  dls_read_options(L, 1, "delassus.material", dls_material_rows, &def);
  dls_material_box *box = dls_class_new(L, &dls_material_class, sizeof *box, 1);
  box->material = dls_material_default();
  dls_material_apply(&def, &box->material);
  box->has_law = def.has_law;
  if (def.has_law) {
    lua_getfield(L, 1, "friction");
    lua_setiuservalue(L, -2, 1);
  }
  /* Equal numbers are one material: a counter of this Lua state. */
  lua_Integer id = lua_tointeger(L, lua_upvalueindex(1)) + 1;
  lua_pushinteger(L, id);
  lua_replace(L, lua_upvalueindex(1));
  box->material.id = (int)id;
  return 1;
}

int dls_know_material(lua_State *L, int idx_world, int idx_material) {
  const dls_material_box *box = dls_class_test(L, idx_material, &dls_material_class);
  const int top = lua_gettop(L);
  int idx_law = 0;
  if (box->has_law) {
    lua_getiuservalue(L, idx_material, 1);
    idx_law = lua_gettop(L);
  }
  int index = dls_use_material(L, idx_world, idx_material, &box->material, idx_law);
  lua_settop(L, top);
  return index;
}

/* The userdata of a material that came as options beside a body's: made when first asked for. */
void dls_push_material(lua_State *L, int idx_world, int index) {
  const dls_world *w = dls_check_world(L, idx_world)->world;
  dls_push_kept(L, idx_world, "materials");
  const int known = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, known) != 0; lua_pop(L, 1)) {
    if (lua_tointeger(L, -1) != index) continue;
    lua_pop(L, 1);
    lua_replace(L, known);
    lua_settop(L, known);
    return;
  }
  dls_material_box *box = dls_class_new(L, &dls_material_class, sizeof *box, 1);
  box->material = w->materials[index];
  box->has_law = box->material.law > 0;
  box->material.law = 0;
  if (box->has_law) {
    dls_push_kept(L, idx_world, "laws");
    lua_rawgeti(L, -1, w->materials[index].law);
    lua_setiuservalue(L, known + 1, 1);
  }
  lua_settop(L, known + 1);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, index);
  lua_rawset(L, known);
  lua_replace(L, known);
}

static const dls_material_box *check(lua_State *L) {
  return dls_class_check(L, 1, &dls_material_class);
}

static int get_friction(lua_State *L) {
  const dls_material_box *box = check(L);
  const dls_material *m = &box->material;
  if (box->has_law) {
    lua_getiuservalue(L, 1, 1);
  } else if (m->kinetic == m->friction) {
    lua_pushnumber(L, m->friction);
  } else {
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, m->friction);
    lua_setfield(L, -2, "static");
    lua_pushnumber(L, m->kinetic);
    lua_setfield(L, -2, "kinetic");
    lua_pushnumber(L, m->decay);
    lua_setfield(L, -2, "decay");
  }
  return 1;
}

#define GETTER(name)                                   \
  static int get_##name(lua_State *L) {                \
    lua_pushnumber(L, check(L)->material.name);        \
    return 1;                                          \
  }
GETTER(restitution)
GETTER(stiffness)
GETTER(damping)
GETTER(rolling)
GETTER(spinning)
GETTER(tangential_restitution)

static int to_string(lua_State *L) {
  const dls_material_box *box = check(L);
  const dls_material *m = &box->material;
  if (box->has_law) lua_pushliteral(L, "delassus.Material (friction by function");
  else lua_pushfstring(L, "delassus.Material (friction %f", m->friction);
  lua_pushfstring(L, ", restitution %f", m->restitution);
  if (m->stiffness < DLS_INF) lua_pushfstring(L, ", stiffness %f N/m)", m->stiffness);
  else lua_pushliteral(L, ", rigid)");
  lua_concat(L, 3);
  return 1;
}

static const dls_property properties[] = {
    {"friction", get_friction, NULL, "coefficient, table { static, kinetic, decay } or function; default 0.5. Of two unequal ones the geometric mean"},
    {"restitution", get_restitution, NULL, "Newton's coefficient, 0 to 1; default 0. Of two the smaller"},
    {"stiffness", get_stiffness, NULL, "N/m, in series with that of what it meets; default math.huge: rigid"},
    {"damping", get_damping, NULL, "N s/m, of a compliant contact without restitution, in series; default 0"},
    {"rolling_friction", get_rolling, NULL, "arm, m; default 0. Of two the larger"},
    {"spinning_friction", get_spinning, NULL, "arm, m; default 0. Of two the larger"},
    {"tangential_restitution", get_tangential_restitution, NULL, "0 to 1; default 0. Of two the smaller"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_material_class = {"delassus.Material", "material", NULL, properties, meta,
                                      NULL, NULL};

/* --- materials in a world --------------------------------------------------------------------- */

int dls_keep_law(lua_State *L, int idx_world, int idx_law) {
  const int top = lua_gettop(L);
  dls_refuse_lent(L, lua_touserdata(L, idx_world), "world", "'friction' by a function");
  idx_law = lua_absindex(L, idx_law);
  dls_push_kept(L, idx_world, "laws");
  int law = 1;
  while (lua_rawgeti(L, top + 1, law) == LUA_TFUNCTION) {
    lua_pop(L, 1);
    law++;
  }
  lua_pushvalue(L, idx_law);
  lua_rawseti(L, top + 1, law);
  lua_settop(L, top);
  return law;
}

static bool has_law(const dls_material *m, int law) { return m->law == law || m->law2 == law; }

static bool is_in_use(const dls_world *w, int law) {
  for (int i = 0; i < w->n_materials; i++)
    if (has_law(&w->materials[i], law)) return true;
  for (int i = 0; i < w->n_pairings; i++)
    if (has_law(&w->pairings[i].material, law)) return true;
  for (int i = 0; i < w->n_user_contacts; i++)
    if (w->user_contacts[i].alive && has_law(&w->user_contacts[i].material, law)) return true;
  return false;
}

/* Laws that nothing has leave their places: false, at the end nil. */
static void tidy_laws(lua_State *L, int idx_world) {
  enum { FEW = 16 }; /* so many may lie idle */
  dls_world_box *box = lua_touserdata(L, idx_world);
  const int top = lua_gettop(L);
  dls_push_kept(L, idx_world, "laws");
  int n = (int)lua_rawlen(L, top + 1), used = 0;
  if (n >= (box->law_limit > FEW ? box->law_limit : FEW)) {
    for (int law = n; law > 0; law--) {
      const bool in_use = is_in_use(box->world, law);
      used += in_use;
      if (in_use) continue;
      if (used > 0) lua_pushboolean(L, 0);
      else lua_pushnil(L);
      lua_rawseti(L, top + 1, law);
    }
    box->law_limit = 2 * used;
  }
  lua_settop(L, top);
}

void dls_tidy_world(lua_State *L, int idx_world) {
  dls_world *w = ((dls_world_box *)lua_touserdata(L, idx_world))->world;
  const int top = lua_gettop(L);
  if (dls_world_tidy_materials(w)) {
    dls_push_kept(L, idx_world, "materials");
    for (lua_pushnil(L); lua_next(L, top + 1) != 0; lua_pop(L, 1)) {
      const lua_Integer index = lua_tointeger(L, -1);
      if (index < w->n_materials && w->materials[index].id != DLS_NO_MATERIAL) continue;
      lua_pushvalue(L, -2);
      lua_pushnil(L);
      lua_rawset(L, top + 1);
    }
    lua_settop(L, top);
  }
  tidy_laws(L, idx_world);
}

int dls_use_material(lua_State *L, int idx_world, int idx_material, const dls_material *material,
                     int idx_law) {
  dls_world *w = dls_check_world(L, idx_world)->world;
  dls_material m = *material;
  const int top = lua_gettop(L);
  m.law = 0;
  if (idx_material == 0) m.id = 0;
  dls_push_kept(L, idx_world, "materials");
  if (idx_material != 0) {
    lua_pushvalue(L, idx_material);
    if (lua_rawget(L, top + 1) == LUA_TNUMBER) {
      int known = (int)lua_tointeger(L, -1);
      lua_settop(L, top);
      return known;
    }
  } else if (idx_law == 0) {
    const int like = dls_world_material_find(w, &m);
    if (like >= 0) {
      lua_settop(L, top);
      return like;
    }
  }
  if (idx_law != 0) {
    m.law = dls_keep_law(L, idx_world, idx_law);
  }
  int index = 0;
  dls_check_status(L, dls_world_material_add(w, &m, &index), "world:body");
  if (idx_material != 0) {
    lua_pushvalue(L, idx_material);
    lua_pushinteger(L, index);
    lua_rawset(L, top + 1);
  }
  lua_settop(L, top);
  return index;
}

void dls_open_material(lua_State *L) {
  dls_class_register(L, &dls_material_class);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, new_material, 1);
  lua_setfield(L, -2, "material");
}
