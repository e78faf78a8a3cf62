/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"
#include "bind/world_parts.h"
#include "core/event_world/event_world.h"

/* Why an event-driven world does not step. */

#define TAKEN "event-driven worlds take shapes with smooth gaps (spheres, disks, capsules, planes, segments, drums; " \
              "corners of boxes and polygons against them; drums with 'lifters' against spheres, disks and capsules alone)"

static const char *shape_of(const dls_world *w, int body) { return dls_shape_name(w->bodies[body].shape->kind); }

static void raise_refusal(lua_State *L, int idx, dls_event_refusal why, int a, int b, const char *function) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  switch (why) {
    case DLS_EVENTS_FINE: return;
    case DLS_EVENTS_SHAPES:
      dls_raise(L, function, TAKEN "; the %s of body %s and the %s of body %s have none", shape_of(w, a),
                dls_push_body_called(L, idx, a), shape_of(w, b), dls_push_body_called(L, idx, b));
      return;
    case DLS_EVENTS_ROLLING:
      dls_raise(L, function, "event-driven worlds take no rolling or spinning friction (bodies %s and %s)",
                dls_push_body_called(L, idx, a), dls_push_body_called(L, idx, b));
      return;
    case DLS_EVENTS_COMPLIANT:
      dls_raise(L, function, "event-driven worlds take no compliant contacts between capsules, or a capsule and a box, in space "
                "(bodies %s and %s)",
                dls_push_body_called(L, idx, a), dls_push_body_called(L, idx, b));
      return;
    case DLS_EVENTS_TURNS:
      dls_raise(L, function, "body %s would turn by more than 1e5 rad in a step of dt, which event-driven worlds do not follow",
                dls_push_body_called(L, idx, a));
      return;
    case DLS_EVENTS_OVERLAP:
      dls_raise(L, function, "bodies %s and %s overlap where the step begins", dls_push_body_called(L, idx, a),
                dls_push_body_called(L, idx, b));
      return;
    case DLS_EVENTS_BEYOND: dls_raise(L, function, "joint #%d is beyond its limits where the step begins", w->joints[a].slot + 1);
  }
}

void dls_raise_events(lua_State *L, int idx, dls_status status, const char *function) {
  const dls_world *w = ((dls_world_box *)lua_touserdata(L, idx))->world;
  int a = -1, b = -1;
  if (!w->event_driven || status == DLS_OK) return;
  const dls_event_refusal why = dls_event_world_refusal(w, &a, &b);
  if (status == DLS_ARG) raise_refusal(L, idx, why, a, b, function);
  if (status == DLS_SINGULAR && w->trees != NULL && w->trees->fault.index < 0 && w->fault < 0)
    dls_raise(L, function, "no accelerations obey the laws of the contacts at t = %f s", (lua_Number)w->time);
  if (status == DLS_STATE)
    dls_raise(L, function, "the motion from t = %f s on cannot be followed to the tolerance", (lua_Number)w->time);
}
