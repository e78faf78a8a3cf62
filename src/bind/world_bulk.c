/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

#include "core/base/dim.h"

/* Poses and forces of all bodies at once, in the order of world.bodies. */

/* The bodies in the order in which they were made: pushed as a block of numbers where that is not the order of
** their slots, else (NULL) nothing is pushed. */
static const int *push_order(lua_State *L, const dls_world *w) {
  int64_t last = -1;
  bool ordered = true;
  for (int i = 1; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    ordered = ordered && w->bodies[i].serial > last;
    last = w->bodies[i].serial;
  }
  if (ordered) return NULL;
  int *list = lua_newuserdatauv(L, (size_t)w->n_bodies * sizeof *list, 0), n = 0;
  for (int i = 1; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    int k = n++;
    for (; k > 0 && w->bodies[list[k - 1]].serial > w->bodies[i].serial; k--) list[k] = list[k - 1];
    list[k] = i;
  }
  return list;
}

/* The slot of body number k of the list; slot: that of the one before it, or 0. */
static int slot_of(const dls_world *w, const int *list, int k, int slot) {
  if (list) return list[k];
  do slot++;
  while (!w->bodies[slot].alive);
  return slot;
}

int dls_world_poses_lua(lua_State *L) {
  static const char function[] = "world:poses";
  static const dls_at at = {function, "into", 0, 0};
  const dls_world *w = dls_check_world(L, 1)->world;
  const int stride = DLS_NQ(w->dim), n = dls_count_bodies(w);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    (void)dls_push_vector(L, n * stride, NULL);
    lua_replace(L, 2);
  }
  dls_vector *into = dls_test_vector(L, 2);
  if (!into) dls_bad(L, &at, "must be a vector", 2);
  if (into->n != n * stride)
    dls_raise(L, function, "'into' must hold %d numbers, %d a body, got %d", n * stride, stride, into->n);
  const int *list = push_order(L, w);
  for (int k = 0, slot = 0; k < n; k++) {
    double position[3], rotation[4];
    slot = slot_of(w, list, k, slot);
    dls_body_pose(w, slot, position, rotation);
    double *x = into->x + (size_t)k * (size_t)stride;
    memcpy(x, position, (size_t)w->dim * sizeof *x);
    memcpy(x + w->dim, rotation, (size_t)(stride - w->dim) * sizeof *x);
  }
  lua_settop(L, 2);
  return 1;
}

int dls_world_set_forces_lua(lua_State *L) {
  static const char function[] = "world:set_forces";
  static const dls_at at = {function, "forces", 0, 0};
  dls_world *w = dls_check_unlocked(L, 1, function)->world;
  const int stride = DLS_NU(w->dim), n = dls_count_bodies(w);
  lua_settop(L, 2);
  const dls_vector_arg forces = dls_take_vector(L, 2, &at);
  if (forces.n != n * stride)
    dls_raise(L, function, "'forces' must hold %d numbers, %d a body, got %d", n * stride, stride, forces.n);
  const int *list = push_order(L, w);
  for (int k = 0, slot = 0; k < n; k++) {
    slot = slot_of(w, list, k, slot);
    memcpy(w->load + (size_t)slot * (size_t)stride, forces.x + (size_t)k * (size_t)stride,
           (size_t)stride * sizeof *w->load);
  }
  return 0;
}
