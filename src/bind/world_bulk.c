/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/world_parts.h"

#include "core/base/dim.h"

/* Poses and forces of all bodies at once, in the order of world.bodies. */

/* The place of the body behind that at a place. */
static int next_place(const dls_world *w, int place) {
  do place++;
  while (!w->bodies[place].alive);
  return place;
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
    dls_raise(L, function, "'into' must hold %d numbers, %d a body, got %d", n * stride, stride,
              into->n);
  for (int k = 0, place = 0; k < n; k++) {
    double position[3], rotation[4];
    place = next_place(w, place);
    dls_body_pose(w, place, position, rotation);
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
    dls_raise(L, function, "'forces' must hold %d numbers, %d a body, got %d", n * stride, stride,
              forces.n);
  for (int k = 0, place = 0; k < n; k++) {
    place = next_place(w, place);
    memcpy(w->load + (size_t)place * (size_t)stride, forces.x + (size_t)k * (size_t)stride,
           (size_t)stride * sizeof *w->load);
  }
  return 0;
}
