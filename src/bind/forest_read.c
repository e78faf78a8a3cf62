/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest.h"

#include "bind/array.h"
#include "bind/options.h"

/* The model of a forest from a table: one table a link. */

static const char *const kinds[] = {"motions", "spherical", "free", "plane", "given", NULL};
static const char *const motion_kinds[] = {"rotate", "slide", "screw", NULL};

typedef struct link_def {
  int kind;                              /* of kinds                                      */
  int parent;                            /* 1-based, 0: the inertial frame                */
  dls_vector_arg position, rotation;     /* the joint's frame in the parent: 3, 9 by rows */
  dls_vector_arg child_position, child_rotation; /* the same in the link                  */
  dls_vector_arg com, inertia;           /* 3, 6                                          */
  double mass;                           /* kg */
} link_def;

static const dls_option link_options[] = {
    {"kind", dls_read_choice, offsetof(link_def, kind), kinds, 0, 0},
    {"parent", dls_read_integer, offsetof(link_def, parent), NULL, 0, 0},
    {"position", dls_read_vector, offsetof(link_def, position), NULL, 0, 0},
    {"rotation", dls_read_vector, offsetof(link_def, rotation), NULL, 0, 0},
    {"child_position", dls_read_vector, offsetof(link_def, child_position), NULL, 0, 0},
    {"child_rotation", dls_read_vector, offsetof(link_def, child_rotation), NULL, 0, 0},
    {"com", dls_read_vector, offsetof(link_def, com), NULL, 0, 0},
    {"inertia", dls_read_vector, offsetof(link_def, inertia), NULL, 0, 0},
    {"mass", dls_read_number, offsetof(link_def, mass), NULL, 0, 0},
    {"motions", NULL, 0, NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

typedef struct motion_def {
  int kind, drive; /* of motion_kinds; its drive, from 1; 0: free */
  dls_vector_arg axis; /* 3: of a rotation or slide; 6: of a screw */
  double rotor; /* kg m^2 or kg: inertia on the coordinate's own rate */
} motion_def;

static const dls_option motion_options[] = {
    {"kind", dls_read_choice, offsetof(motion_def, kind), motion_kinds, DLS_REQUIRED, 1},
    {"axis", dls_read_vector, offsetof(motion_def, axis), NULL, DLS_REQUIRED, 2},
    {"drive", dls_read_integer, offsetof(motion_def, drive), NULL, 0, 0},
    {"rotor", dls_read_nonnegative, offsetof(motion_def, rotor), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

typedef struct forest_def {
  int drives; /* how many prescribed motions there are */
  bool planar; /* in the plane x, y */
  double gravity[3]; /* m/s^2, inertial frame */
} forest_def;

static const dls_option forest_options[] = {
    {"links", NULL, 0, NULL, DLS_REQUIRED, 0},
    {"drives", dls_read_integer, offsetof(forest_def, drives), NULL, 0, 0},
    {"planar", dls_read_boolean, offsetof(forest_def, planar), NULL, 0, 0},
    {"gravity", dls_read_vec3, offsetof(forest_def, gravity), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* Copies a list of n numbers where one was given. */
static void take(lua_State *L, const char *function, const char *name, dls_vector_arg list, int n,
                 double *out) {
  if (list.x == NULL) return;
  if (list.n != n)
    dls_raise(L, function, "'%s' must be a list of %d numbers, got %d", name, n, list.n);
  memcpy(out, list.x, (size_t)n * sizeof *out);
}

static void read_motion(lua_State *L, const char *function, dls_motion *out) {
  motion_def def = {0, 0, {NULL, 0}, 0};
  double axis[6] = {0};
  dls_read_options(L, -1, function, motion_options, &def);
  take(L, function, "axis", def.axis, def.kind == DLS_MOTION_SCREW ? 6 : 3, axis);
  lua_pop(L, 1);
  *out = (dls_motion){(dls_motion_kind)def.kind, {axis[0], axis[1], axis[2]},
                      {axis[3], axis[4], axis[5]}, def.drive - 1, def.rotor};
}

/* The list of motions of the link on the top of the stack is pushed; its length. */
static int push_motions(lua_State *L, const char *function) {
  if (lua_getfield(L, -1, "motions") == LUA_TNIL) return 0;
  if (!lua_istable(L, -1)) dls_raise(L, function, "'motions' must be a list");
  const lua_Unsigned n = lua_rawlen(L, -1);
  if (n > DLS_MAX_MOTIONS) dls_raise(L, function, "'motions' has more than %d", DLS_MAX_MOTIONS);
  return (int)n;
}

/* Reads the link on the top of the stack; its motions go to list. */
static int read_link(lua_State *L, const char *function, dls_link *out, dls_motion *list) {
  link_def def = {0};
  dls_read_options(L, -1, function, link_options, &def);
  dls_place parent = dls_place_identity(), child = dls_place_identity();
  double p[3] = {0, 0, 0}, c[3] = {0, 0, 0};
  take(L, function, "position", def.position, 3, p);
  take(L, function, "rotation", def.rotation, 9, parent.R.m);
  take(L, function, "child_position", def.child_position, 3, c);
  take(L, function, "child_rotation", def.child_rotation, 9, child.R.m);
  parent.p = dls_v3_load(p);
  child.p = dls_v3_load(c);
  *out = (dls_link){.kind = (dls_joint_kind)def.kind, .parent = def.parent - 1,
                    .on_parent = parent, .on_child = child, .mass = def.mass};
  take(L, function, "com", def.com, 3, out->com);
  take(L, function, "inertia", def.inertia, 6, out->inertia);
  lua_pop(L, 1);
  out->n_motions = push_motions(L, function);
  out->motions = list;
  for (int j = 0; j < out->n_motions; j++) {
    lua_rawgeti(L, -1, j + 1);
    read_motion(L, function, &list[j]);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return out->n_motions;
}

void dls_read_forest(lua_State *L, int idx, const char *function, dls_forest_def *def,
                     double gravity[3]) {
  forest_def read = {0, false, {0, 0, 0}};
  dls_read_options(L, idx, function, forest_options, &read);
  lua_pop(L, 1);
  luaL_checkstack(L, 16, function);
  if (lua_getfield(L, idx, "links") != LUA_TTABLE) dls_raise(L, function, "'links' must be a list");
  const int at = lua_gettop(L);
  const size_t n = (size_t)lua_rawlen(L, at);
  if (n > INT32_MAX / (8 * DLS_MAX_MOTIONS)) dls_raise(L, function, "too many links");
  size_t total = 0;
  for (size_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, at, (lua_Integer)i + 1) != LUA_TTABLE)
      dls_raise(L, function, "link %d must be a table", (int)i + 1);
    total += (size_t)push_motions(L, function);
    lua_pop(L, 2);
  }
  dls_link *links = lua_newuserdatauv(L, (n + 1) * sizeof *links, 0);
  dls_motion *motions = lua_newuserdatauv(L, (total + 1) * sizeof *motions, 0);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, at, (lua_Integer)i + 1);
    motions += read_link(L, function, &links[i], motions);
    lua_pop(L, 1);
  }
  *def = (dls_forest_def){(int)n, links, read.drives, read.planar};
  memcpy(gravity, read.gravity, sizeof read.gravity);
}
