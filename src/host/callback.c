/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/math/elementary.h"
#include "core/math/quat.h"

/* Functions of the host's inside a step, between the core's numbers and the host's ids. */

/* --- contact filter ------------------------------------------------------------------------- */

static bool filter(void *ud, int a, int b) {
  const delassus_world *host = ud;
  return host->filter(host->filter_user, dls_host_id(host->world, a), dls_host_id(host->world, b));
}

delassus_status delassus_world_set_filter(delassus_world *world, delassus_filter_fn fn,
                                          void *user) {
  static const char function[] = "delassus_world_set_filter";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_own(world, function);
  if (status != DELASSUS_OK) return status;
  world->filter = fn;
  world->filter_user = user;
  world->world->hooks.filter = fn ? filter : NULL;
  return DELASSUS_OK;
}

/* --- force field ---------------------------------------------------------------------------- */

static dls_status field(void *ud, int body, double t, double *force, double *torque) {
  delassus_world *host = ud;
  const bool planar = host->world->dim == 2;
  double f[3] = {0}, m[3] = {0};
  const delassus_status status =
      host->field(host->field_user, dls_host_id(host->world, body), t, f, m);
  if (status != DELASSUS_OK || !dls_host_finite(f, 3) || !dls_host_finite(m, 3)) return DLS_STOPPED;
  for (int i = 0; i < 3; i++) force[i] += planar && i == 2 ? 0 : f[i];
  if (planar) torque[0] += m[2];
  else
    for (int i = 0; i < 3; i++) torque[i] += m[i];
  return DLS_OK;
}

delassus_status delassus_world_set_field(delassus_world *world, delassus_field_fn fn, void *user) {
  static const char function[] = "delassus_world_set_field";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_own(world, function);
  if (status != DELASSUS_OK) return status;
  world->field = fn;
  world->field_user = user;
  world->world->hooks.field = fn ? field : NULL;
  return DELASSUS_OK;
}

/* --- events --------------------------------------------------------------------------------- */

static dls_status event(void *ud, const dls_event *e) {
  delassus_world *host = ud;
  delassus_event out = {.kind = (delassus_event_kind)(1 << e->kind), .t = e->t,
                        .impulse = e->impulse, .speed = e->speed, .gap = e->gap};
  if (e->a >= 0) {
    out.a = (delassus_body_id){e->a, e->of_a};
    out.b = (delassus_body_id){e->b, e->of_b};
    memcpy(out.point, e->point, sizeof out.point);
    memcpy(out.normal, e->normal, sizeof out.normal);
  }
  return host->event(host->event_user, &out) == DELASSUS_OK ? DLS_OK : DLS_STOPPED;
}

delassus_status delassus_world_set_events(delassus_world *world, unsigned kinds,
                                          delassus_event_fn fn, void *user) {
  static const char function[] = "delassus_world_set_events";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  delassus_status status = dls_host_unlocked(world, function);
  if (status == DELASSUS_OK) status = dls_host_own(world, function);
  if (status != DELASSUS_OK) return status;
  if (kinds >= 1u << DLS_N_EVENTS)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, function,
                         "'kinds' must be kinds of delassus_event_kind added up, got %u", kinds);
  world->event = fn;
  world->event_user = user;
  world->world->hooks.event = fn && kinds ? event : NULL;
  world->world->hooks.events = fn ? kinds : 0;
  return DELASSUS_OK;
}

/* --- prescribed motion ---------------------------------------------------------------------- */

/* All numbers finite, the rotation one that can be made unit. */
static bool is_sound(const delassus_motion *m, bool planar) {
  const bool turned = planar || dls_q_norm(dls_q_load(m->rotation)) > 0;
  return turned && dls_host_finite(m->position, 3) && dls_host_finite(m->rotation, 4) &&
         dls_host_finite(m->velocity, 3) && dls_host_finite(m->angular_velocity, 3) &&
         dls_host_finite(m->acceleration, 3) && dls_host_finite(m->angular_acceleration, 3);
}

/* From the body frame's origin to the mass centre. */
static void centre_of(const dls_body *body, bool planar, const delassus_motion *m, double *centre,
                      double *rotation) {
  const dls_vec3 com = dls_v3_load(body->com);
  dls_vec3 r;
  if (planar) {
    double s, c;
    rotation[0] = m->rotation[0];
    dls_sincos(rotation[0], &s, &c);
    r = dls_v3(c * com.x - s * com.y, s * com.x + c * com.y, 0);
  } else {
    const dls_quat turn = dls_q_unit(dls_q_load(m->rotation));
    dls_q_store(rotation, turn);
    r = dls_q_rotate(turn, com);
  }
  dls_v3_store(centre, dls_v3_add(dls_v3_load(m->position), r));
}

static dls_status motion(void *ud, int index, double t, double *centre, double *rotation,
                         double *velocity, double *angular, double *acceleration) {
  delassus_world *host = ud;
  const dls_world *w = host->world;
  const bool planar = w->dim == 2;
  const dls_host_body *kept = &host->bodies[index];
  delassus_motion m = {.rotation = {planar ? 0 : 1}};
  dls_body_pose(w, index, m.position, m.rotation);
  if (planar) m.position[2] = 0;
  const delassus_status status = kept->motion(kept->motion_user, dls_host_id(w, index), t, &m);
  if (status != DELASSUS_OK || !is_sound(&m, planar)) return DLS_STOPPED;
  centre_of(&w->bodies[index], planar, &m, centre, rotation);
  memcpy(velocity, m.velocity, (size_t)w->dim * sizeof *velocity);
  if (planar) angular[0] = m.angular_velocity[2];
  else memcpy(angular, m.angular_velocity, 3 * sizeof *angular);
  if (!acceleration) return DLS_OK;
  memset(acceleration, 0, 6 * sizeof *acceleration);
  memcpy(acceleration, m.acceleration, (size_t)w->dim * sizeof *acceleration);
  if (planar) acceleration[5] = m.angular_acceleration[2];
  else memcpy(acceleration + 3, m.angular_acceleration, 3 * sizeof *acceleration);
  return DLS_OK;
}

void dls_host_hook_motion(delassus_world *host) { host->world->hooks.motion = motion; }
