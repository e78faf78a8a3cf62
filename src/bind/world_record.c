/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/world.h"

#include "core/base/dim.h"
#include "core/joints/reactions.h"
#include "core/model/material.h"
#include "core/scheme/time_stepping.h"

/* The last seconds of a world, kept for world:show(): a ring of frames of single precision,
** taken between steps. No part of the state; short memory ends the recording, never the run. */

#define FRAMES_A_SECOND 60.0
enum { MOST_PUSHES = 500 }; /* contacts of a frame that are kept; of more none is */

typedef struct frame {
  double time;      /* s                                                       */
  double energy[3]; /* kinetic, potential, stored, J                           */
  double residual;  /* of the step                                             */
  int contacts;     /* of the step                                             */
  int n;            /* slots of bodies, the ground's left out                  */
  int n_joints;     /* slots                                                   */
  int n_pushes;     /* contacts kept                                           */
  /* poses: n x (3 or 7); coordinates of joints: n_joints; contacts: n_pushes x (4 or 6) */
  float *x;
} frame;

struct dls_ring {
  dls_alloc alloc;  /* of frames */
  int room, first, n; /* frames kept: first, first + 1, ... (mod room) */
  double next;        /* time of the next one, s                       */
  frame *frames;      /* room */
};

static size_t width_of(const dls_world *w) { return (size_t)DLS_NQ(w->dim); }

/* Floats of a frame, one to spare. */
static size_t room_of(const dls_world *w, const frame *f) {
  return 1 + (size_t)f->n * width_of(w) + (size_t)f->n_joints +
         2 * (size_t)w->dim * (size_t)f->n_pushes;
}

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
    dls_free(&alloc, ring->frames[i].x, room_of(w, &ring->frames[i]), sizeof(float));
  dls_free(&alloc, ring->frames, (size_t)ring->room, sizeof *ring->frames);
  dls_free(&alloc, ring, 1, sizeof *ring);
}

/* Poses of the body frames of slots 1 .. n; NaN where nobody lives. */
static void write_poses(const dls_world *w, float *out) {
  for (int i = 1; i < w->body_slots.n; i++) {
    double position[3], rotation[4];
    size_t d = (size_t)w->dim, width = width_of(w);
    const int place = w->body_slots.slot[i].place;
    dls_body_pose(w, place >= 0 ? place : 0, position, rotation);
    if (place < 0) position[0] = (double)NAN;
    for (size_t k = 0; k < d; k++) *out++ = (float)position[k];
    for (size_t k = d; k < width; k++) *out++ = (float)rotation[k - d];
  }
}

/* Coordinates of joints of one degree of freedom by slot, rad or m; NaN of others. */
static void write_coordinates(const dls_world *w, float *out) {
  double q[7], u[6];
  for (int i = 0; i < w->joint_slots.n; i++) {
    const int place = w->joint_slots.slot[i].place;
    const bool one = place >= 0 && w->joints[place].nq == 1 && w->joints[place].nu == 1;
    if (one) dls_joint_now(w, place, q, u);
    out[i] = one ? (float)q[0] : NAN;
  }
}

/* A contact that pushes, as point and force (N): 2 dim numbers. */
static bool write_push(const dls_world *w, const dls_contact *c, float *out) {
  if (!c->listed || !(c->p_n > 0)) return false;
  for (int k = 0; k < w->dim; k++) {
    out[k] = (float)c->point[k];
    out[w->dim + k] = (float)(c->impulse[k] / dls_world_last_span(w));
  }
  return true;
}

static int count_pushes(const dls_world *w) {
  if (w->n_contacts > MOST_PUSHES) return 0;
  const dls_contact *contacts = dls_world_contacts(w);
  int n = 0;
  for (int i = 0; i < w->n_contacts; i++) n += contacts[i].listed && contacts[i].p_n > 0;
  return n;
}

/* Room for n bodies, n_joints joints, n_pushes contacts in a frame; false where memory is short. */
static bool make_room(dls_ring *ring, const dls_world *w, frame *f, int n_pushes) {
  const frame want = {.n = w->body_slots.n - 1, .n_joints = w->joint_slots.n, .n_pushes = n_pushes};
  const size_t had = room_of(w, f), needs = room_of(w, &want);
  if (had != needs || !f->x) {
    dls_free(&ring->alloc, f->x, had, sizeof(float));
    *f = (frame){0};
    f->x = dls_new(&ring->alloc, needs, sizeof(float));
    if (!f->x) return false;
  }
  f->n = want.n;
  f->n_joints = want.n_joints;
  f->n_pushes = n_pushes;
  return true;
}

void dls_ring_take(dls_ring *ring, const dls_world *w) {
  if (w->time < ring->next && ring->n > 0) {
    const frame *last = &ring->frames[(ring->first + ring->n - 1) % ring->room];
    if (w->time > last->time) return;
    ring->n = 0; /* the world went back */
  }
  ring->next = w->time + (1 - 1e-9) / FRAMES_A_SECOND;
  frame *f = &ring->frames[(ring->first + ring->n) % ring->room];
  if (!make_room(ring, w, f, count_pushes(w))) return;
  f->time = w->time;
  f->residual = w->stats.residual;
  f->contacts = w->stats.contacts;
  dls_world_energy(w, f->energy);
  float *at = f->x;
  write_poses(w, at);
  at += (size_t)f->n * width_of(w);
  write_coordinates(w, at);
  at += f->n_joints;
  const dls_contact *contacts = f->n_pushes > 0 ? dls_world_contacts(w) : NULL;
  for (int i = 0; contacts && i < w->n_contacts; i++)
    if (write_push(w, &contacts[i], at)) at += 2 * w->dim;
  if (ring->n < ring->room) ring->n++;
  else ring->first = (ring->first + 1) % ring->room;
}

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

/* Sets t[name] to n packed floats from *at on, which is moved behind them. */
static void set_floats(lua_State *L, const char *name, const float **at, size_t n) {
  lua_pushlstring(L, (const char *)*at, n * sizeof(float));
  lua_setfield(L, -2, name);
  *at += n;
}

/* frames(world) -> list of { time =, n =, kinetic =, potential =, stored =, residual =, contacts =,
** and as packed floats poses =, joints =, pushes = }, oldest first. */
static int frames(lua_State *L) {
  const dls_world_box *box = dls_check_world(L, 1);
  const dls_world *w = box->world;
  const dls_ring *ring = box->ring;
  lua_newtable(L);
  for (int i = 0; ring && i < ring->n; i++) {
    const frame *f = &ring->frames[(ring->first + i) % ring->room];
    const float *at = f->x;
    lua_createtable(L, 0, 10);
    set_number(L, "time", f->time);
    set_number(L, "kinetic", f->energy[0]);
    set_number(L, "potential", f->energy[1]);
    set_number(L, "stored", f->energy[2]);
    set_number(L, "residual", f->residual);
    lua_pushinteger(L, f->contacts);
    lua_setfield(L, -2, "contacts");
    lua_pushinteger(L, f->n);
    lua_setfield(L, -2, "n");
    set_floats(L, "poses", &at, (size_t)f->n * width_of(w));
    set_floats(L, "joints", &at, (size_t)f->n_joints);
    set_floats(L, "pushes", &at, 2 * (size_t)w->dim * (size_t)f->n_pushes);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* poses(world) -> packed floats of the bodies' poses now, number of bodies. */
static int poses(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  luaL_Buffer b;
  size_t size = (size_t)(w->body_slots.n - 1) * width_of(w) * sizeof(float);
  float *at = (float *)(void *)luaL_buffinitsize(L, &b, size + sizeof(float));
  write_poses(w, at);
  luaL_pushresultsize(&b, size);
  lua_pushinteger(L, w->body_slots.n - 1);
  return 2;
}

/* pushes(world) -> packed floats: point and force of each contact of the last step. */
static int pushes(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  const dls_contact *contacts = dls_world_contacts(w);
  for (int i = 0; i < w->n_contacts; i++) {
    float x[6];
    if (!write_push(w, &contacts[i], x)) continue;
    luaL_addlstring(&b, (const char *)x, 2 * (size_t)w->dim * sizeof(float));
  }
  luaL_pushresult(&b);
  return 1;
}

/* slots(world) -> list of body or false, as in poses. */
static int slots(lua_State *L) {
  const dls_world *w = dls_check_world(L, 1)->world;
  lua_settop(L, 1);
  lua_createtable(L, w->body_slots.n, 0);
  for (int i = 1; i < w->body_slots.n; i++) {
    dls_push_body(L, 1, w->body_slots.slot[i].place);
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, 2, i);
  }
  return 1;
}

/* worst(world, reset) -> residual, penetration, overlap, energy balance, J that impacts gave since
** the last reset. */
static int worst(lua_State *L) {
  dls_world *w = dls_check_world(L, 1)->world;
  const bool reset = lua_toboolean(L, 2);
  lua_pushnumber(L, w->worst.residual);
  lua_pushnumber(L, w->worst.penetration);
  lua_pushnumber(L, w->worst.overlap);
  lua_pushnumber(L, dls_balance_of(&w->worst.balance));
  lua_pushnumber(L, w->worst.impact_gain);
  if (reset) w->worst = (dls_worst){0};
  return 5;
}

/* started(world) -> whether contacts that the last step has found were closed by more than its
** projection lets be when it began, at q = q_c - (1 - theta) h u: bodies stood in each other. */
static int started(lua_State *L) {
  static const double LET_BE = 1e-4; /* of the smaller body's size */
  const dls_world *w = dls_check_world(L, 1)->world;
  const double back = (1 - dls_world_theta(w)) * w->dt;
  const dls_contact *contacts = dls_world_contacts(w);
  bool any = false;
  for (int i = 0; i < w->n_contacts; i++) {
    const dls_contact *c = &contacts[i];
    any = any || (c->listed && c->age == 0 && c->gap - back * c->before < -LET_BE * c->size);
  }
  lua_pushboolean(L, any);
  return 1;
}

void dls_open_world_record(lua_State *L) {
  static const luaL_Reg functions[] = {{"frames", frames}, {"poses", poses},     {"pushes", pushes},
                                       {"slots", slots},   {"started", started}, {"worst", worst},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
