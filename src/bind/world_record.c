/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/world.h"

#include "core/base/dim.h"

/* The last seconds of a world, kept for world:show(): a ring of frames of single precision,
** taken between steps. No part of the state; short memory ends the recording, never the run. */

#define FRAMES_A_SECOND 60.0

typedef struct frame {
  double time;  /* s                          */
  int n;        /* bodies                     */
  float *poses; /* n x (3 or 7)               */
} frame;

struct dls_ring {
  dls_alloc alloc;
  int room, first, n; /* frames kept: first, first + 1, ... (mod room) */
  double next;        /* time of the next one, s                       */
  frame *frames;
};

static size_t width_of(const dls_world *w) { return (size_t)DLS_NQ(w->dim); }

dls_ring *dls_ring_new(const dls_alloc *alloc, double seconds) {
  if (!(seconds > 0)) return NULL;
  int room = (int)dls_min(1e6, ceil(seconds * FRAMES_A_SECOND) + 1);
  dls_ring *ring = dls_new(alloc, 1, sizeof *ring);
  frame *frames = dls_new(alloc, (size_t)room, sizeof *frames);
  if (!ring || !frames) {
    dls_free(alloc, ring, 1, sizeof *ring);
    dls_free(alloc, frames, (size_t)room, sizeof *frames);
    return NULL;
  }
  *ring = (dls_ring){.alloc = *alloc, .room = room, .frames = frames};
  return ring;
}

void dls_ring_free(dls_ring *ring, const dls_world *w) {
  if (!ring) return;
  dls_alloc alloc = ring->alloc;
  for (int i = 0; i < ring->room; i++)
    dls_free(&alloc, ring->frames[i].poses, (size_t)ring->frames[i].n * width_of(w),
             sizeof(float));
  dls_free(&alloc, ring->frames, (size_t)ring->room, sizeof *ring->frames);
  dls_free(&alloc, ring, 1, sizeof *ring);
}

/* Poses of the body frames of slots 1 .. n; NaN where nobody lives. */
static void write_poses(const dls_world *w, float *out) {
  for (int i = 1; i < w->n_bodies; i++) {
    double position[3], rotation[4];
    size_t d = (size_t)w->dim, width = width_of(w);
    dls_body_pose(w, i, position, rotation);
    if (!w->bodies[i].alive) position[0] = (double)NAN;
    for (size_t k = 0; k < d; k++) *out++ = (float)position[k];
    for (size_t k = d; k < width; k++) *out++ = (float)rotation[k - d];
  }
}

void dls_ring_take(dls_ring *ring, const dls_world *w) {
  if (w->time < ring->next && ring->n > 0) {
    const frame *last = &ring->frames[(ring->first + ring->n - 1) % ring->room];
    if (w->time > last->time) return;
    ring->n = 0; /* the world went back */
  }
  ring->next = w->time + (1 - 1e-9) / FRAMES_A_SECOND;
  int at = (ring->first + ring->n) % ring->room, n = w->n_bodies - 1;
  frame *f = &ring->frames[at];
  if (f->n != n || !f->poses) {
    dls_free(&ring->alloc, f->poses, (size_t)f->n * width_of(w), sizeof(float));
    f->n = 0;
    f->poses = dls_new(&ring->alloc, (size_t)n * width_of(w), sizeof(float));
    if (!f->poses) return;
    f->n = n;
  }
  f->time = w->time;
  write_poses(w, f->poses);
  if (ring->n < ring->room) ring->n++;
  else ring->first = (ring->first + 1) % ring->room;
}

/* frames(world) -> list of { time =, n =, poses = packed floats }, oldest first. */
static int frames(lua_State *L) {
  const dls_world_box *box = dls_check_world(L, 1);
  const dls_ring *ring = box->ring;
  lua_newtable(L);
  for (int i = 0; ring && i < ring->n; i++) {
    const frame *f = &ring->frames[(ring->first + i) % ring->room];
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, f->time);
    lua_setfield(L, -2, "time");
    lua_pushinteger(L, f->n);
    lua_setfield(L, -2, "n");
    lua_pushlstring(L, (const char *)f->poses,
                    (size_t)f->n * width_of(box->world) * sizeof(float));
    lua_setfield(L, -2, "poses");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* poses(world) -> packed floats of the bodies' poses now, number of bodies. */
static int poses(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  luaL_Buffer b;
  size_t size = (size_t)(w->n_bodies - 1) * width_of(w) * sizeof(float);
  float *at = (float *)(void *)luaL_buffinitsize(L, &b, size + sizeof(float));
  write_poses(w, at);
  luaL_pushresultsize(&b, size);
  lua_pushinteger(L, w->n_bodies - 1);
  return 2;
}

/* pushes(world) -> packed floats: point and force of each contact of the last step. */
static int pushes(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  const dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &contacts[i];
    float x[6];
    if (!c->listed || !(c->p_n > 0)) continue;
    for (int k = 0; k < w->dim; k++) {
      x[k] = (float)c->point[k];
      x[w->dim + k] = (float)(c->impulse[k] / w->dt);
    }
    luaL_addlstring(&b, (const char *)x, 2 * (size_t)w->dim * sizeof(float));
  }
  luaL_pushresult(&b);
  return 1;
}

/* slots(world) -> list of body or false, as in poses. */
static int slots(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  lua_settop(L, 1);
  lua_createtable(L, w->n_bodies, 0);
  for (int i = 1; i < w->n_bodies; i++) {
    dls_push_body(L, 1, i);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, 2, i);
  }
  return 1;
}

/* worst(world, reset) -> residual, penetration, overlap, energy balance since the last reset. */
static int worst(lua_State *L) {
  dls_world *w = dls_check_world(L, 1)->world;
  lua_pushnumber(L, w->worst_residual);
  lua_pushnumber(L, w->worst_penetration);
  lua_pushnumber(L, w->worst_overlap);
  lua_pushnumber(L, dls_balance_of(&w->balance));
  if (lua_toboolean(L, 2)) {
    w->worst_residual = w->worst_penetration = w->worst_overlap = 0;
    w->balance = (dls_balance){0};
  }
  return 4;
}

/* started(world) -> whether contacts that the last step has found were closed by more than its projection lets be when
** it began, at q = q_c - (1 - theta) h u: bodies stood in each other. */
static int started(lua_State *L) {
  static const double LET_BE = 1e-4; /* of the smaller body's size */
  const dls_world *w = dls_check_world(L, 1)->world;
  const double back = (1 - dls_world_theta(w)) * w->dt;
  const dls_contact *contacts = dls_world_contacts(w);
  bool any = false;
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &contacts[i];
    any = any || (c->listed && c->age == 0 && c->gap - back * c->before < -LET_BE * c->reach);
  }
  lua_pushboolean(L, any);
  return 1;
}

void dls_open_world_record(lua_State *L) {
  static const luaL_Reg functions[] = {{"frames", frames}, {"poses", poses}, {"pushes", pushes},
                                       {"slots", slots},   {"started", started}, {"worst", worst}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
