/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

/* Functions of the host's, between the core's numbers and the host's ids. While one runs the world
** is locked, within a step or not. */

static bool lock(delassus_world *host) {
  const bool was = host->world->stepping;
  host->world->stepping = true;
  return was;
}
static void unlock(delassus_world *host, bool was) { host->world->stepping = was; }

/* Stops what calls: the function did not say DELASSUS_OK, or its answer is not one (what: in
** words). */
static dls_status stop(delassus_world *host, delassus_status status, const char *what) {
  host->stopped = status == DELASSUS_OK ? what : NULL;
  return DLS_STOPPED;
}

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
  const bool was = lock(host);
  const delassus_status status =
      host->field(host->field_user, dls_host_id(host->world, body), t, f, m);
  unlock(host, was);
  if (status != DELASSUS_OK || !dls_host_finite(f, 3) || !dls_host_finite(m, 3))
    return stop(host, status, "force and torque of a field must be finite");
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
    out.a = dls_host_id(host->world, e->a);
    out.b = dls_host_id(host->world, e->b);
    memcpy(out.point, e->point, sizeof out.point);
    memcpy(out.normal, e->normal, sizeof out.normal);
  }
  const bool was = lock(host);
  const delassus_status status = host->event(host->event_user, &out);
  unlock(host, was);
  return status == DELASSUS_OK ? DLS_OK : stop(host, status, NULL);
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

/* --- prescribed motion of bodies ------------------------------------------------------------ */

/* All numbers finite, the rotation one that can be made unit. */
static bool is_sound(const delassus_motion *m, bool planar) {
  double unit[4];
  return (planar || dls_host_rotation(m->rotation, unit)) && dls_host_finite(m->position, 3) &&
         dls_host_finite(m->rotation, 4) && dls_host_finite(m->velocity, 3) &&
         dls_host_finite(m->angular_velocity, 3) && dls_host_finite(m->acceleration, 3) &&
         dls_host_finite(m->angular_acceleration, 3);
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
    (void)dls_host_rotation(m->rotation, rotation);
    r = dls_q_rotate(dls_q_load(rotation), com);
  }
  dls_v3_store(centre, dls_v3_add(dls_v3_load(m->position), r));
}

static dls_status motion(void *ud, int index, double t, double *centre, double *rotation,
                         double *velocity, double *angular, double *acceleration) {
  delassus_world *host = ud;
  const dls_world *w = host->world;
  const bool planar = w->dim == 2;
  const dls_host_body *kept = &host->bodies[w->bodies[index].slot];
  delassus_motion m = {.rotation = {planar ? 0 : 1}};
  dls_body_pose(w, index, m.position, m.rotation);
  if (planar) m.position[2] = 0;
  const bool was = lock(host);
  const delassus_status status = kept->motion(kept->motion_user, dls_host_id(w, index), t, &m);
  unlock(host, was);
  if (status != DELASSUS_OK || !is_sound(&m, planar))
    return stop(host, status, "a motion must be finite, and its rotation not zero");
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

/* --- prescribed motion of joints ------------------------------------------------------------ */

static dls_status drive(void *ud, int joint, int motion, double t, double out[3]) {
  delassus_world *host = ud;
  const dls_host_drive *kept = &host->drives[host->world->joints[joint].slot][motion];
  delassus_drive d = {0};
  const bool was = lock(host);
  const delassus_status status = kept->fn(kept->user, t, &d);
  unlock(host, was);
  out[0] = d.value, out[1] = d.rate, out[2] = d.acceleration;
  return status == DELASSUS_OK && dls_host_finite(out, 3)
             ? DLS_OK
             : stop(host, status, "a drive must be finite");
}

void dls_host_hook_drive(delassus_world *host) { host->world->hooks.drive = drive; }

/* --- gap functions -------------------------------------------------------------------------- */

static dls_status gap(void *ud, int index, double t, const double *q, double *out,
                      double *gradient) {
  delassus_world *host = ud;
  const dls_world *w = host->world;
  const dls_user_contact *user = &w->user_contacts[index];
  const dls_host_gap *kept = &host->gaps[user->slot];
  const size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim);
  delassus_gap g = {0};
  const bool was = lock(host);
  const delassus_status status =
      kept->gap(kept->user, t, q + nq * (size_t)user->a, q + nq * (size_t)user->b, &g);
  unlock(host, was);
  if (status != DELASSUS_OK || !dls_is_finite(g.gap) || !dls_host_finite(g.gradient_a, (int)nu) ||
      !dls_host_finite(g.gradient_b, (int)nu))
    return stop(host, status, "a gap and its gradients must be finite");
  double linear = 0;
  for (int i = 0; i < w->dim; i++) linear += fabs(g.gradient_a[i]) + fabs(g.gradient_b[i]);
  if (!(linear > 0) && user->material.friction > 0)
    return stop(host, status,
                "a gradient must move with the position of a body where the contact has friction");
  *out = g.gap;
  memcpy(gradient + nu * (size_t)user->a, g.gradient_a, nu * sizeof *gradient);
  memcpy(gradient + nu * (size_t)user->b, g.gradient_b, nu * sizeof *gradient);
  return DLS_OK;
}

void dls_host_hook_gap(delassus_world *host) { host->world->hooks.gap = gap; }
