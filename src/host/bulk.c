/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/base/dim.h"

/* State of all bodies at once. */

const double *delassus_world_poses(const delassus_world *world, int *n) {
  if (n) *n = world ? world->world->n_bodies : 0;
  return world ? world->world->q : NULL;
}

const double *delassus_world_velocities(const delassus_world *world, int *n) {
  if (n) *n = world ? world->world->n_bodies : 0;
  return world ? world->world->u : NULL;
}

delassus_status delassus_world_set_forces(delassus_world *world, const double *forces, int n) {
  static const char function[] = "delassus_world_set_forces";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  const int nu = DLS_NU(w->dim);
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  if (n < 0 || n > w->n_bodies || (n > 0 && !forces))
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'forces' must hold 0 .. %d entries, got %d", w->n_bodies,
                         forces ? n : 0);
  for (int i = 1; i < n; i++)
    if (w->bodies[i].alive && !dls_host_finite(forces + (size_t)i * (size_t)nu, nu))
      return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                           "'forces' must be finite: that of body %d is not", i);
  for (int i = 1; i < n; i++) {
    const size_t at = (size_t)i * (size_t)nu;
    if (w->bodies[i].alive) memcpy(w->load + at, forces + at, (size_t)nu * sizeof *forces);
  }
  return DELASSUS_OK;
}
