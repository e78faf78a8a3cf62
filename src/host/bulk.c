/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/base/dim.h"

/* State of all bodies at once, by slots: the world's own arrays while no body has been taken
** out. */

static bool places_are_slots(const dls_world *w) {
  bool same = w->body_slots.n == w->n_bodies && w->body_slots.n_gaps == 0;
  for (int i = 0; i < w->n_bodies && same; i++) same = w->bodies[i].slot == i;
  return same;
}

/* Room for so many numbers in both lists. */
static bool room_for_rows(delassus_world *host, int n) {
  if (n <= host->row_room) return true;
  const size_t old = (size_t)host->row_room, room = (size_t)n + (size_t)n / 2;
  double *poses = dls_new(&host->alloc, room, sizeof *poses),
         *velocities = dls_new(&host->alloc, room, sizeof *velocities);
  if (!poses || !velocities) {
    dls_free(&host->alloc, poses, room, sizeof *poses);
    dls_free(&host->alloc, velocities, room, sizeof *velocities);
    return false;
  }
  dls_free(&host->alloc, host->poses, old, sizeof *poses);
  dls_free(&host->alloc, host->velocities, old, sizeof *velocities);
  host->poses = poses, host->velocities = velocities;
  host->row_room = (int)room;
  return true;
}

/* `width` numbers a slot from an array by places; those of a slot without a body are zero. */
static const double *by_slots(const dls_world *w, const double *from, int width, double *to) {
  const size_t size = (size_t)width * sizeof *to;
  for (int i = 0; i < w->body_slots.n; i++) {
    const int place = w->body_slots.slot[i].place;
    double *row = to + (size_t)i * (size_t)width;
    if (place >= 0) memcpy(row, from + (size_t)place * (size_t)width, size);
    else memset(row, 0, size);
  }
  return to;
}

/* The world is const to whoever asks: its lists are nobody's state. */
static const double *rows(const delassus_world *world, bool poses, int *n) {
  delassus_world *host = (delassus_world *)(uintptr_t)world;
  if (n) *n = 0;
  if (!world) return NULL;
  const dls_world *w = world->world;
  const int width = poses ? DLS_NQ(w->dim) : DLS_NU(w->dim), count = w->body_slots.n;
  const double *own = poses ? w->q : w->u;
  const bool same = places_are_slots(w);
  if (!same && !room_for_rows(host, DLS_NQ(3) * count)) return NULL;
  if (n) *n = count;
  return same ? own : by_slots(w, own, width, poses ? host->poses : host->velocities);
}

const double *delassus_world_poses(const delassus_world *world, int *n) {
  return rows(world, true, n);
}

const double *delassus_world_velocities(const delassus_world *world, int *n) {
  return rows(world, false, n);
}

delassus_status delassus_world_set_forces(delassus_world *world, const double *forces, int n) {
  static const char function[] = "delassus_world_set_forces";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_world *w = world->world;
  const int nu = DLS_NU(w->dim);
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  const dls_slots *slots = &w->body_slots;
  if (n < 0 || n > slots->n)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'forces' must hold 0 .. %d entries, got %d", slots->n, n);
  if (n > 0 && !dls_host_given(world, function, "forces", forces)) return DELASSUS_BAD_ARGUMENT;
  for (int i = 1; i < n; i++)
    if (slots->slot[i].place >= 0 && !dls_host_finite(forces + (size_t)i * (size_t)nu, nu))
      return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                           "'forces' must be finite: that of body %d is not", i);
  for (int i = 1; i < n; i++) {
    const int place = slots->slot[i].place;
    if (place < 0) continue;
    memcpy(w->load + (size_t)place * (size_t)nu, forces + (size_t)i * (size_t)nu,
           (size_t)nu * sizeof *forces);
  }
  return DELASSUS_OK;
}
