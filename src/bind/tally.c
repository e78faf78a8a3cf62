/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/world.h"
#include "core/world/tally.h"

/* tally(world): what happens to the bodies of a world over many steps, for reports. Its user value
** 1 is the world. */
typedef struct tally_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_tally *tally; /* owned */
} tally_box;

static const dls_class tally_class;

static tally_box *check(lua_State *L) {
  return (tally_box *)dls_class_check(L, 1, &tally_class);
}

static int tally_new(lua_State *L) {
  dls_world_box *world = dls_check_world(L, 1);
  const dls_alloc alloc = dls_lua_alloc(L);
  tally_box *box = (tally_box *)dls_class_new(L, &tally_class, sizeof *box, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  dls_check_status(L, dls_tally_create(&box->tally, &alloc, world->world), "tally");
  box->handle.open = true;
  return 1;
}

static void release(lua_State *L, void *self) {
  tally_box *box = (tally_box *)self;
  (void)L;
  dls_tally_destroy(box->tally);
  box->tally = NULL;
}

static int tally_add(lua_State *L) {
  tally_box *box = check(L);
  lua_getiuservalue(L, 1, 1);
  const dls_world *world = dls_check_world(L, lua_gettop(L))->world;
  dls_check_status(L, dls_tally_add(box->tally, world), "tally:add");
  return 0;
}

static int tally_skip(lua_State *L) {
  tally_box *box = check(L);
  lua_getiuservalue(L, 1, 1);
  const dls_world *world = dls_check_world(L, lua_gettop(L))->world;
  dls_check_status(L, dls_tally_skip(box->tally, world), "tally:skip");
  return 0;
}

/* The record of the body whose index is at stack place 2. */
static dls_tally_body *record_at(lua_State *L, tally_box *box, int idx, const char *function) {
  int i = 0;
  const dls_at at = {function, NULL, 0, 0};
  dls_read_count(L, idx, &at, NULL, &i);
  if (i >= box->tally->n_bodies) dls_raise(L, function, "there was no body %d", i); /* 0: ground */
  return &box->tally->bodies[i];
}

static int tally_body(lua_State *L) {
  const dls_tally_body *body = record_at(L, check(L), 2, "tally:body");
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, (lua_Integer)body->collisions);
  lua_setfield(L, -2, "collisions");
  lua_pushnumber(L, body->work);
  lua_setfield(L, -2, "work");
  lua_pushnumber(L, body->peak_force);
  lua_setfield(L, -2, "peak_force");
  return 1;
}

/* stiffness(index, N/m): of a body's boundary spring. */
static int tally_stiffness(lua_State *L) {
  dls_tally_body *body = record_at(L, check(L), 2, "tally:stiffness");
  const dls_at at = {"tally:stiffness", NULL, 0, 0};
  dls_read_positive(L, 3, &at, NULL, &body->stiffness);
  return 0;
}

enum { BINS_SHOWN = 8 }; /* bins of the shown histogram to an octave: 9 % wide */

/* { {lo, hi, count}, ... } from the first bin that is not empty to the last. */
static void push_histogram(lua_State *L, const dls_spread *s) {
  const int step = DLS_SPREAD_PER_OCTAVE / BINS_SHOWN;
  int first = DLS_SPREAD_BINS, last = -1, n = 0;
  for (int k = 0; k < DLS_SPREAD_BINS; k++) {
    if (s->bin[k] == 0) continue;
    if (first > k) first = k;
    last = k;
  }
  lua_newtable(L);
  for (int k = first - first % step; k <= last; k += step) {
    int64_t count = 0;
    for (int i = 0; i < step; i++) count += s->bin[k + i];
    lua_createtable(L, 3, 0);
    lua_pushnumber(L, dls_spread_edge(k));
    lua_rawseti(L, -2, 1);
    lua_pushnumber(L, dls_spread_edge(k + step));
    lua_rawseti(L, -2, 2);
    lua_pushinteger(L, (lua_Integer)count);
    lua_rawseti(L, -2, 3);
    lua_rawseti(L, -2, ++n);
  }
}

static int push_spread(lua_State *L, const dls_spread *s) {
  static const struct {
    const char *name; /* key */
    double share; /* of what is below, 0 to 1 */
  } quantiles[] = {{"p50", 0.50}, {"p95", 0.95}, {"p99", 0.99}};
  lua_newtable(L);
  lua_pushinteger(L, (lua_Integer)s->n);
  lua_setfield(L, -2, "count");
  lua_pushnumber(L, s->n > 0 ? s->sum / (double)s->n : 0);
  lua_setfield(L, -2, "mean");
  for (int i = 0; i < 3; i++) {
    lua_pushnumber(L, dls_spread_quantile(s, quantiles[i].share));
    lua_setfield(L, -2, quantiles[i].name);
  }
  lua_pushnumber(L, s->most);
  lua_setfield(L, -2, "max");
  push_histogram(L, s);
  lua_setfield(L, -2, "histogram");
  return 1;
}

static int get_force(lua_State *L) { return push_spread(L, &check(L)->tally->force); }
static int get_energy(lua_State *L) { return push_spread(L, &check(L)->tally->energy); }

static int get_collisions(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check(L)->tally->collisions);
  return 1;
}
static int get_work(lua_State *L) {
  lua_pushnumber(L, check(L)->tally->work);
  return 1;
}
static int get_steps(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check(L)->tally->steps);
  return 1;
}
static int get_residual(lua_State *L) {
  lua_pushnumber(L, check(L)->tally->residual);
  return 1;
}
static int get_penetration(lua_State *L) {
  lua_pushnumber(L, check(L)->tally->penetration);
  return 1;
}

static int get_least(lua_State *L) {
  lua_pushnumber(L, check(L)->tally->least);
  return 1;
}
static int set_least(lua_State *L) {
  const dls_at at = {"tally", "least", 0, 0};
  dls_read_positive(L, 2, &at, NULL, &check(L)->tally->least);
  return 0;
}

static int get_merge(lua_State *L) {
  lua_pushnumber(L, check(L)->tally->merge);
  return 1;
}
static int set_merge(lua_State *L) {
  const dls_at at = {"tally", "merge", 0, 0};
  dls_read_nonnegative(L, 2, &at, NULL, &check(L)->tally->merge);
  return 0;
}

static const dls_method methods[] = {
    {"add", tally_add, "() counts the step just made"},
    {"skip", tally_skip, "() passes over the step just made"},
    {"body", tally_body, "(index) -> {collisions, work, peak_force} of a body"},
    {"stiffness", tally_stiffness, "(index, k) boundary spring of a body, N/m"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"collisions", get_collisions, NULL, "onsets of contact with an approach, in all"},
    {"work", get_work, NULL, "dissipated at contacts, J"},
    {"steps", get_steps, NULL, "steps counted"},
    {"force", get_force, NULL, "of the collisions, N: mean, p50, p95, p99, max, histogram"},
    {"energy", get_energy, NULL, "of the collisions, J: the same"},
    {"least", get_least, set_least, "approach that counts as a collision, m/s"},
    {"merge", get_merge, set_merge, "touches of a pair that are closer in time are one, s"},
    {"residual", get_residual, NULL, "worst relative residual of the steps counted"},
    {"penetration", get_penetration, NULL, "worst overlap, relative to the smaller body"},
    {NULL, NULL, NULL, NULL}};

static const dls_class tally_class = {"delassus.Tally", "tally", methods, properties,
                                      NULL,             NULL,    release};

void dls_open_tally(lua_State *L) {
  dls_class_register(L, &tally_class);
  lua_pushcfunction(L, tally_new);
  lua_setfield(L, -2, "tally");
}
