/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/make.h"

#include "core/joints/trees.h"

static bool can_carry(const dls_world *w, int body) {
  return w->bodies[body].type == DLS_DYNAMIC && dls_trees_carrier(w, body) < 0;
}

dls_joint_choice dls_joint_choose(dls_world *w, int asked, dls_joint *joint) {
  if (w->bodies[joint->a].type != DLS_DYNAMIC && w->bodies[joint->b].type != DLS_DYNAMIC)
    return DLS_JOINT_NOTHING_MOVES;
  joint->formulation = asked < 0 ? DLS_REDUCED : asked;
  if (joint->formulation != DLS_REDUCED) return DLS_JOINT_GOOD;
  const bool loop = dls_trees_joined(w, joint->a, joint->b);
  if (!loop && can_carry(w, joint->b)) return DLS_JOINT_GOOD;
  joint->turned = true;
  if (!loop && can_carry(w, joint->a)) return DLS_JOINT_GOOD;
  joint->turned = false;
  joint->formulation = DLS_RIGID;
  if (asked < 0) return DLS_JOINT_GOOD;
  return loop ? DLS_JOINT_LOOP : DLS_JOINT_BOTH_CARRIED;
}

dls_place dls_joint_in_body(const dls_world *w, int body, const dls_place *F) {
  const dls_place T = dls_body_frame(w, body), back = dls_place_inverse(&T);
  return dls_place_mul(&back, F);
}
