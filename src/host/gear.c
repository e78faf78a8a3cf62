/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "host/host.h"

#include "core/joints/reactions.h"
#include "core/joints/trees.h"

/* Gears between joints: made and taken out. */

delassus_gear_def delassus_gear_def_default(void) { return (delassus_gear_def){.ratio = 1}; }

static int place_of(const delassus_world *host, delassus_gear_id gear) {
  return dls_slots_place(&host->world->gear_slots, gear.index, gear.generation);
}

bool delassus_gear_alive(const delassus_world *world, delassus_gear_id gear) {
  return world && place_of(world, gear) >= 0;
}

#define FUNCTION "delassus_gear_create"

static delassus_status check_joint(delassus_world *host, const char *field, delassus_joint_id id,
                                   int *place) {
  const delassus_status status = dls_host_joint_of(host, FUNCTION, field, id, place);
  if (status != DELASSUS_OK) return status;
  const dls_joint *joint = &host->world->joints[*place];
  if (joint->nu != 1 || !dls_joint_is_chain(joint))
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'%s' must be a joint of one degree of freedom", field);
  if (joint->formulation == DLS_PENALTY)
    return dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION,
                         "'%s' must be a reduced or a rigid joint", field);
  return DELASSUS_OK;
}

static delassus_status check(delassus_world *host, const delassus_gear_def *def, int joints[2]) {
  const char *what = NULL;
  delassus_status status = dls_host_unlocked(host, FUNCTION);
  if (status == DELASSUS_OK) status = check_joint(host, "joint1", def->joint1, &joints[0]);
  if (status == DELASSUS_OK) status = check_joint(host, "joint2", def->joint2, &joints[1]);
  if (status != DELASSUS_OK) return status;
  if (joints[0] == joints[1]) what = "'joint1' and 'joint2' must be two joints";
  else if (!dls_is_finite(def->ratio) || def->ratio == 0) what = "'ratio' must be finite and not 0";
  else if (!dls_is_finite(def->offset)) what = "'offset' must be finite";
  return what ? dls_host_fail(host, DELASSUS_BAD_ARGUMENT, FUNCTION, "%s", what) : DELASSUS_OK;
}

delassus_status delassus_gear_create(delassus_world *world, const delassus_gear_def *def,
                                     delassus_gear_id *gear) {
  if (!world) return DELASSUS_BAD_ARGUMENT;
  if (!def || !gear)
    return dls_host_fail(world, DELASSUS_BAD_ARGUMENT, FUNCTION, "'%s' must not be NULL",
                         def ? "gear" : "def");
  dls_world *w = world->world;
  dls_gear made = {.alive = true, .ratio = def->ratio};
  delassus_status status = check(world, def, made.joint);
  if (status != DELASSUS_OK) return status;
  double q[2][7], u[7];
  int index;
  for (int k = 0; k < 2; k++) dls_joint_now(w, made.joint[k], q[k], u);
  made.rest = q[1][0] - def->ratio * q[0][0] + def->offset;
  status = dls_host_report(world, dls_world_gear_add(w, &made, &index), FUNCTION);
  if (status == DELASSUS_OK)
    *gear = (delassus_gear_id){w->gears[index].slot, w->gears[index].generation};
  return status;
}
#undef FUNCTION

delassus_status delassus_gear_destroy(delassus_world *world, delassus_gear_id gear) {
  static const char function[] = "delassus_gear_destroy";
  if (!world) return DELASSUS_BAD_ARGUMENT;
  const delassus_status status = dls_host_unlocked(world, function);
  if (status != DELASSUS_OK) return status;
  if (place_of(world, gear) < 0)
    return dls_host_fail(world, DELASSUS_STALE_ID, function,
                         "'gear' is no gear of this world (%d, %u)", (int)gear.index,
                         (unsigned)gear.generation);
  dls_world_gear_remove(world->world, place_of(world, gear));
  return DELASSUS_OK;
}
