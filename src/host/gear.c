/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/reactions.h"
#include "core/joints/trees.h"

/* Gears between joints: made and taken out. */

delassus_gear_def delassus_gear_def_default(void) { return (delassus_gear_def){.ratio = 1}; }

static bool lives(const delassus_world *host, delassus_gear_id gear) {
  const dls_world *w = host->world;
  if (gear.index < 0 || gear.index >= w->n_gears) return false;
  return w->gears[gear.index].alive && w->gears[gear.index].generation == gear.generation;
}

bool delassus_gear_alive(const delassus_world *world, delassus_gear_id gear) { return world && lives(world, gear); }

#define FUNCTION "delassus_gear_create"

static delassus_status check_joint(delassus_world *host, const char *field, delassus_joint_id id) {
  const delassus_status status = dls_host_joint_of(host, FUNCTION, field, id);
  if (status != DELASSUS_OK) return status;
  const dls_joint *joint = &host->world->joints[id.index];
  if (joint->nu != 1 || !dls_joint_is_chain(joint))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must be a joint of one degree of freedom", field);
  if (joint->formulation == DLS_PENALTY)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must be a reduced or a rigid joint", field);
  return DELASSUS_OK;
}

static delassus_status check(delassus_world *host, const delassus_gear_def *def) {
  const char *what = NULL;
  delassus_status status = dls_host_unlocked(host, FUNCTION);
  if (status == DELASSUS_OK) status = check_joint(host, "joint1", def->joint1);
  if (status == DELASSUS_OK) status = check_joint(host, "joint2", def->joint2);
  if (status != DELASSUS_OK) return status;
  if (def->joint1.index == def->joint2.index) what = "'joint1' and 'joint2' must be two joints";
  else if (!dls_is_finite(def->ratio) || def->ratio == 0) what = "'ratio' must be finite and not 0";
  else if (!dls_is_finite(def->offset)) what = "'offset' must be finite";
  return what ? dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what) : DELASSUS_OK;
}

delassus_status delassus_gear_create(delassus_world *world, const delassus_gear_def *def, delassus_gear_id *gear) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !gear)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must not be NULL", def ? "gear" : "def");
  dls_world *w = world->world;
  delassus_status status = check(world, def);
  if (status != DELASSUS_OK) return status;
  dls_gear made = {.alive = true, .joint = {def->joint1.index, def->joint2.index}, .ratio = def->ratio};
  double q[2][7], u[7];
  int index;
  for (int k = 0; k < 2; k++) dls_joint_now(w, made.joint[k], q[k], u);
  made.rest = q[1][0] - def->ratio * q[0][0] + def->offset;
  status = dls_host_report(world, dls_world_gear_add(w, &made, &index), FUNCTION);
  if (status == DELASSUS_OK) *gear = (delassus_gear_id){index, w->gears[index].generation};
  return status;
}
#undef FUNCTION

delassus_status delassus_gear_destroy(delassus_world *world, delassus_gear_id gear) {
  static const char function[] = "delassus_gear_destroy";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  if (!lives(world, gear))
    return dls_host_fail(world, DELASSUS_STALE_ID, function, "'gear' is no gear of this world (%d, %u)",
                         (int)gear.index, (unsigned)gear.generation);
  dls_world_gear_remove(world->world, gear.index);
  return DELASSUS_OK;
}
