/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

/* world:spring{ a, b, ... }: a spring with a damper between points of two bodies. */

typedef struct spring_options {
  int dim; /* 2, 3: first, readers of vectors need it */
  double anchor_a[3], anchor_b[3]; /* m, body frames */
  bool has_a, has_b; /* which of these were given */
  double stiffness, damping, length; /* N/m; N s/m; m */
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
    {"anchor_a", read_anchor_a, 0, NULL, 0, 0},
    {"anchor_b", read_anchor_b, 0, NULL, 0, 0},
    SPRING("stiffness", dls_read_nonnegative, stiffness, 0),
    SPRING("damping", dls_read_nonnegative, damping, 0),
    SPRING("length", dls_read_nonnegative, length, 0),
    {NULL, NULL, 0, NULL, 0, 0}};

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
  spring_options o = {.dim = box->world->dim, .stiffness = -1, .length = -1};
  lua_settop(L, 2);
  dls_read_options(L, 2, function, spring_rows, &o);
  if (o.stiffness < 0 && o.damping > 0) o.stiffness = 0; /* a damper alone */
  if (o.stiffness < 0) dls_raise(L, function, "'stiffness' is required, or 'damping' > 0");
  dls_spring spring = {.alive = true, .stiffness = o.stiffness, .damping = o.damping,
                       .length = o.length};
  spring.a = dls_take_body(L, dls_push_end(L, "a", 1), 1, &at_a);
  spring.b = dls_take_body(L, dls_push_end(L, "b", 2), 1, &at_b);
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
  dls_spring_ref *ref = dls_class_new(L, &dls_spring_class, sizeof *ref, 1);
  int index = 0;
  dls_check_status(L, dls_world_spring_add(box->world, &spring, &index), function);
  ref->slot = box->world->springs[index].slot;
  ref->generation = box->world->springs[index].generation;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static dls_world_box *box_of(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  return lua_touserdata(L, -1);
}

/* The spring, or NULL where it is gone. */
static const dls_spring *spring_of(const dls_world *w, const dls_spring_ref *ref) {
  const int place = dls_slots_place(&w->spring_slots, ref->slot, ref->generation);
  return place >= 0 ? &w->springs[place] : NULL;
}

/* The spring at index 1, its world on top of the stack. */
static const dls_spring *check(lua_State *L) {
  const dls_spring_ref *ref = dls_class_check(L, 1, &dls_spring_class);
  const dls_world_box *box = box_of(L);
  if (!box->handle.open) dls_raise(L, "spring", "attempt to use a spring of a closed world");
  const dls_spring *spring = spring_of(box->world, ref);
  if (!spring) dls_raise(L, "spring", "attempt to use a removed spring");
  return spring;
}

static int get_a(lua_State *L) {
  const dls_spring *spring = check(L);
  dls_push_body(L, lua_gettop(L), spring->a);
  return 1;
}
static int get_b(lua_State *L) {
  const dls_spring *spring = check(L);
  dls_push_body(L, lua_gettop(L), spring->b);
  return 1;
}
static int push_anchor(lua_State *L, int body, const double *from_com) {
  const dls_world *w = box_of(L)->world;
  double anchor[3];
  for (int i = 0; i < 3; i++) anchor[i] = from_com[i] + w->bodies[body].com[i];
  dls_push_vec(L, w->dim, anchor);
  return 1;
}
static int get_anchor_a(lua_State *L) {
  const dls_spring *spring = check(L);
  return push_anchor(L, spring->a, spring->anchor_a);
}
static int get_anchor_b(lua_State *L) {
  const dls_spring *spring = check(L);
  return push_anchor(L, spring->b, spring->anchor_b);
}
static int get_stiffness(lua_State *L) {
  lua_pushnumber(L, check(L)->stiffness);
  return 1;
}
static int get_damping(lua_State *L) {
  lua_pushnumber(L, check(L)->damping);
  return 1;
}
static int get_length(lua_State *L) {
  lua_pushnumber(L, check(L)->length);
  return 1;
}

/* The spring at index 1, to be changed: its world is not within a step. */
static dls_spring *check_change(lua_State *L, const char *what) {
  const int index = (int)(check(L) - box_of(L)->world->springs);
  return &dls_check_unlocked(L, lua_gettop(L), what)->world->springs[index];
}
static int set_anchor_a(lua_State *L) {
  static const dls_at at = {"spring", "anchor_a", 0, 0};
  dls_spring *spring = check_change(L, "spring.anchor_a");
  const dls_world *w = box_of(L)->world;
  double anchor[3] = {0};
  dls_read_numbers(L, 2, &at, w->dim, anchor);
  from_centre(w, spring->a, true, anchor, spring->anchor_a);
  return 0;
}
static int set_anchor_b(lua_State *L) {
  static const dls_at at = {"spring", "anchor_b", 0, 0};
  dls_spring *spring = check_change(L, "spring.anchor_b");
  const dls_world *w = box_of(L)->world;
  double anchor[3] = {0};
  dls_read_numbers(L, 2, &at, w->dim, anchor);
  from_centre(w, spring->b, true, anchor, spring->anchor_b);
  return 0;
}
static int set_stiffness(lua_State *L) {
  static const dls_at at = {"spring", "stiffness", 0, 0};
  dls_read_nonnegative(L, 2, &at, NULL, &check_change(L, "spring.stiffness")->stiffness);
  return 0;
}
static int set_damping(lua_State *L) {
  static const dls_at at = {"spring", "damping", 0, 0};
  dls_read_nonnegative(L, 2, &at, NULL, &check_change(L, "spring.damping")->damping);
  return 0;
}
static int set_length(lua_State *L) {
  static const dls_at at = {"spring", "length", 0, 0};
  dls_read_nonnegative(L, 2, &at, NULL, &check_change(L, "spring.length")->length);
  return 0;
}

static int spring_string(lua_State *L) {
  const dls_spring_ref *ref = dls_class_check(L, 1, &dls_spring_class);
  const dls_world_box *box = box_of(L);
  const dls_spring *spring = box->handle.open ? spring_of(box->world, ref) : NULL;
  const dls_body *bodies = spring ? box->world->bodies : NULL;
  if (!spring) {
    lua_pushliteral(L, "delassus.Spring (removed)");
    return 1;
  }
  lua_pushfstring(L, "delassus.Spring (bodies %d and %d, %f N/m, length %f m)",
                  bodies[spring->a].slot, bodies[spring->b].slot, spring->stiffness,
                  spring->length);
  return 1;
}
static const dls_property spring_properties[] = {
    {"a", get_a, NULL, "first body"},
    {"b", get_b, NULL, "second body"},
    {"anchor_a", get_anchor_a, set_anchor_a, "in the frame of a, m"},
    {"anchor_b", get_anchor_b, set_anchor_b, "in the frame of b, m"},
    {"stiffness", get_stiffness, set_stiffness, "N/m"},
    {"damping", get_damping, set_damping, "N s/m"},
    {"length", get_length, set_length, "without force, m"},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg spring_meta[] = {{"__tostring", spring_string}, {NULL, NULL}};
const dls_class dls_spring_class = {"delassus.Spring", "spring", NULL, spring_properties,
                                    spring_meta, NULL, NULL};
