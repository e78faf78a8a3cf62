/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

/* Springs with dampers between points of two bodies: made, changed, taken out. */

delassus_spring_def delassus_spring_def_default(void) {
  return (delassus_spring_def){.length = -1};
}

static dls_spring *spring_of(const delassus_world *host, delassus_spring_id spring) {
  const dls_world *w = host->world;
  const int place = dls_slots_place(&w->spring_slots, spring.index, spring.generation);
  return place >= 0 ? &w->springs[place] : NULL;
}

bool delassus_spring_alive(const delassus_world *world, delassus_spring_id spring) {
  return world && spring_of(world, spring) != NULL;
}

static delassus_status check_number(delassus_world *host, const char *function, const char *field,
                                    double x) {
  if (x >= 0 && dls_is_finite(x)) return DELASSUS_OK;
  return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, function,
                       "'%s' must be finite and >= 0, got %g", field, x);
}

static delassus_status check_laws(delassus_world *host, const char *function, double stiffness,
                                  double damping, double length) {
  delassus_status status = check_number(host, function, "stiffness", stiffness);
  if (status == DELASSUS_OK) status = check_number(host, function, "damping", damping);
  if (status == DELASSUS_OK) status = check_number(host, function, "length", length);
  return status;
}

#define FUNCTION "delassus_spring_create"

static delassus_status check(delassus_world *host, const delassus_spring_def *def,
                             dls_spring *made) {
  delassus_status status = dls_host_unlocked(host, FUNCTION);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, FUNCTION, "a", def->a, &made->a);
  if (status == DELASSUS_OK) status = dls_host_body_of(host, FUNCTION, "b", def->b, &made->b);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "anchor_a", def->anchor_a);
  if (status == DELASSUS_OK) status = dls_host_vector(host, FUNCTION, "anchor_b", def->anchor_b);
  if (status == DELASSUS_OK)
    status = check_laws(host, FUNCTION, def->stiffness, def->damping,
                        def->length == -1 ? 0 : def->length);
  if (status == DELASSUS_OK && made->a == made->b)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'a' and 'b' must be two bodies");
  return status;
}

/* An anchor from the mass centre, body axes. */
static void from_centre(const dls_body *body, bool given, const double anchor[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = given ? anchor[i] - body->com[i] : 0;
}

/* The point of a body that is so far from its mass centre, world. */
static dls_vec3 point_of(const dls_world *w, int body, const double anchor[3]) {
  return dls_body_point(w, body, dls_v3_add(dls_v3_load(w->bodies[body].com), dls_v3_load(anchor)));
}

delassus_status delassus_spring_create(delassus_world *world, const delassus_spring_def *def,
                                       delassus_spring_id *spring) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !spring)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must not be NULL",
                         def ? "spring" : "def");
  dls_world *w = world->world;
  dls_spring made = {
      .alive = true, .stiffness = def->stiffness, .damping = def->damping, .length = def->length};
  delassus_status status = check(world, def, &made);
  if (status != DELASSUS_OK) return status;
  from_centre(&w->bodies[made.a], def->has_anchor_a, def->anchor_a, made.anchor_a);
  from_centre(&w->bodies[made.b], def->has_anchor_b, def->anchor_b, made.anchor_b);
  if (def->length == -1)
    made.length = dls_v3_norm(
        dls_v3_sub(point_of(w, made.b, made.anchor_b), point_of(w, made.a, made.anchor_a)));
  int index;
  status = dls_host_report(world, dls_world_spring_add(w, &made, &index), FUNCTION);
  if (status == DELASSUS_OK)
    *spring = (delassus_spring_id){w->springs[index].slot, w->springs[index].generation};
  return status;
}
#undef FUNCTION

/* The spring, between steps; NULL and the status otherwise. */
static dls_spring *changeable(delassus_world *host, const char *function, delassus_spring_id spring,
                              delassus_status *status) {
  *status = dls_host_unlocked(host, function);
  if (*status != DELASSUS_OK) return NULL;
  dls_spring *model = spring_of(host, spring);
  if (!model)
    *status = dls_host_fail(host, DELASSUS_STALE_ID, function,
                            "'spring' is no spring of this world (%d, %u)", (int)spring.index,
                            (unsigned)spring.generation);
  return model;
}

delassus_status delassus_spring_destroy(delassus_world *world, delassus_spring_id spring) {
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const dls_spring *model = changeable(world, "delassus_spring_destroy", spring, &status);
  if (model) dls_world_spring_remove(world->world, (int)(model - world->world->springs));
  return status;
}

delassus_status delassus_spring_set(delassus_world *world, delassus_spring_id spring,
                                    double stiffness, double damping, double length) {
  static const char function[] = "delassus_spring_set";
  delassus_status status;
  if (!world) return DELASSUS_BAD_ARGUMENT;
  dls_spring *model = changeable(world, function, spring, &status);
  if (!model) return status;
  status = check_laws(world, function, stiffness, damping, length);
  if (status != DELASSUS_OK) return status;
  model->stiffness = stiffness;
  model->damping = damping;
  model->length = length;
  return DELASSUS_OK;
}
