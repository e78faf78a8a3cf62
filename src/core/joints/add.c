/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/add.h"

#include "core/joints/penalties.h"
#include "core/joints/reactions.h"
#include "core/joints/trees.h"
#include "core/model/frames.h"

/* --- what a joint is to be ---------------------------------------------------------------- */

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

/* --- joints come and go ------------------------------------------------------------------- */

static dls_placed_array joints_of(const dls_world *w) {
  return (dls_placed_array){w->joints, sizeof *w->joints, w->n_joints};
}
static dls_placed_array gears_of(const dls_world *w) {
  return (dls_placed_array){w->gears, sizeof *w->gears, w->n_gears};
}

int dls_world_joint_slot(const dls_world *w) { return dls_slots_next(&w->joint_slots); }

static dls_status room_for_joint(dls_world *w) {
  if (w->n_joints == w->joint_room && dls_slots_are_sparse(&w->joint_slots, w->n_joints))
    dls_joints_move_up(w);
  if (w->n_joints < w->joint_room) return dls_slots_reserve(&w->joint_slots, &w->alloc);
  const size_t old = (size_t)w->joint_room, more = old < 8 ? 8 : 2 * old;
  dls_joint_state *state = dls_new(&w->alloc, more, sizeof *state);
  dls_joint *joints = dls_new(&w->alloc, more, sizeof *joints);
  double *own = dls_new(&w->alloc, 6 * more, sizeof *own),
      *qdd = dls_new(&w->alloc, 6 * more, sizeof *qdd);
  const size_t wide = (size_t)3 * DLS_MAX_MOTIONS;
  double *drive = dls_new(&w->alloc, wide * more, sizeof *drive);
  if (!state || !joints || !own || !qdd || !drive) {
    dls_free(&w->alloc, drive, wide * more, sizeof *drive);
    dls_free(&w->alloc, own, 6 * more, sizeof *own);
    dls_free(&w->alloc, qdd, 6 * more, sizeof *qdd);
    dls_free(&w->alloc, state, more, sizeof *state);
    dls_free(&w->alloc, joints, more, sizeof *joints);
    return DLS_NOMEM;
  }
  if (old > 0) {
    memcpy(state, w->joint_state, old * sizeof *state);
    memcpy(joints, w->joints, old * sizeof *joints);
    memcpy(own, w->joint_own, 6 * old * sizeof *own);
    memcpy(qdd, w->joint_qdd, 6 * old * sizeof *qdd);
    memcpy(drive, w->joint_drive, wide * old * sizeof *drive);
  }
  dls_free(&w->alloc, w->joint_drive, wide * old, sizeof *drive);
  w->joint_drive = drive;
  dls_free(&w->alloc, w->joint_own, 6 * old, sizeof *own);
  w->joint_own = own;
  dls_free(&w->alloc, w->joint_qdd, 6 * old, sizeof *qdd);
  w->joint_qdd = qdd;
  dls_free(&w->alloc, w->joint_state, old, sizeof *state);
  dls_free(&w->alloc, w->joints, old, sizeof *joints);
  w->joint_state = state;
  w->joints = joints;
  w->joint_room = (int)more;
  return dls_slots_reserve(&w->joint_slots, &w->alloc);
}

/* q from the bodies' poses, u from their relative twist (dls_trees_follow looks at the masses,
** too). */
static dls_status measure(dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  dls_joint_state *state = &w->joint_state[index];
  double s[DLS_MAX_MOTIONS] = {0}, A[36], x[6];
  for (int i = 0; i < joint->n_motions; i++) {
    double out[3];
    if (joint->motions[i].drive < 0 || !w->hooks.drive) continue;
    dls_status status = w->hooks.drive(w->hooks.ud, index, i, w->time, out);
    if (status != DLS_OK) return status;
    s[i] = out[0];
    memcpy(w->joint_drive + 3 * (DLS_MAX_MOTIONS * (size_t)index + (size_t)i), out, sizeof out);
  }
  dls_place T = dls_joint_between(w, joint);
  const bool turned_free = joint->turned && !dls_joint_is_chain(joint);
  if (joint->kind == DLS_KIND_SPHERICAL) { /* axes of the child, in those of the zero frame */
    const dls_place *on = joint->turned ? &joint->on_a : &joint->on_b;
    if (joint->turned) T = dls_place_inverse(&T);
    T.R = dls_m3_mul_t(&T.R, &on->R);
    T.R = dls_m3_mul(&on->R, &T.R);
  } else if (turned_free) {
    T = dls_place_inverse(&T);
  }
  const int child = turned_free ? joint->a : joint->b, base = turned_free ? joint->b : joint->a;
  const dls_place *on_child = turned_free ? &joint->on_a : &joint->on_b;
  const dls_place *on_base = turned_free ? &joint->on_b : &joint->on_a;
  const dls_place C = dls_body_frame(w, child), B = dls_body_frame(w, base);
  dls_vec3 point = dls_place_point(&C, on_child->p);
  dls_mat3 F = dls_m3_mul(&B.R, &on_base->R);
  if (joint->kind == DLS_KIND_FREE) { /* by the child's frame itself, as trees.c has it */
    const dls_place back = dls_place_inverse(on_child);
    T = dls_place_mul(on_child, &T), T = dls_place_mul(&T, &back);
    point = C.p, F = dls_m3_mul_t(&F, &on_child->R);
  }
  dls_joint_measure(joint, &T, s, state->q);
  (void)dls_joint_pose(joint, state->q, s, A);
  /* The relative twist at the origin of b's frame, axes of a's. */
  dls_vec3 v[2], rate[2];
  for (int k = 0; k < 2; k++) {
    const int body = k == 0 ? base : child;
    const dls_spatial m = dls_twist_of(w, w->u + (size_t)body * dls_nu_of(w));
    const double *q = w->q + (size_t)body * dls_nq_of(w);
    const dls_vec3 centre = dls_centre_of(w, q);
    rate[k] = m.a;
    v[k] = dls_v3_add(m.l, dls_v3_cross(m.a, dls_v3_sub(point, centre)));
  }
  const dls_spatial rel = {dls_v3_sub(rate[1], rate[0]), dls_v3_sub(v[1], v[0])};
  dls_sp_store(x, (dls_spatial){dls_m3_apply_t(&F, rel.a), dls_m3_apply_t(&F, rel.l)});
  if (joint->kind == DLS_KIND_SPHERICAL) {
    dls_v3_store(state->u, dls_m3_apply_t(&C.R, rel.a));
  } else if (joint->kind == DLS_KIND_FREE) {
    dls_v3_store(state->u, dls_m3_apply_t(&F, rel.l));
    dls_v3_store(state->u + 3, dls_m3_apply_t(&C.R, rel.a));
  } else if (joint->nu > 0 && !dls_columns_solve(A, joint->nu, x, state->u)) {
    memset(state->u, 0, sizeof state->u);
  }
  return DLS_OK;
}

static void drop_motions(dls_world *w, dls_joint *joint) {
  dls_free(&w->alloc, joint->motions, (size_t)joint->n_motions, sizeof *joint->motions);
  joint->motions = NULL;
  joint->n_motions = joint->n_driven = 0;
}

dls_status dls_world_joint_add(dls_world *w, const dls_joint *def, int *index) {
  dls_status status = room_for_joint(w);
  if (status == DLS_OK) status = dls_trees_map(w);
  if (status != DLS_OK) return status;
  dls_joint joint = *def;
  joint.motions = NULL;
  if (def->n_motions > 0) {
    joint.motions = dls_new(&w->alloc, (size_t)def->n_motions, sizeof *joint.motions);
    if (!joint.motions) return DLS_NOMEM;
    memcpy(joint.motions, def->motions, (size_t)def->n_motions * sizeof *joint.motions);
  }
  const int i = w->n_joints;
  const dls_placed begin = dls_slots_begin(&w->joint_slots);
  joint.alive = true, joint.slot = begin.slot, joint.generation = begin.generation;
  w->joints[i] = joint;
  memset(&w->joint_state[i], 0, sizeof w->joint_state[i]);
  memset(w->joint_own + 6 * (size_t)i, 0, 6 * sizeof *w->joint_own);
  memset(w->joint_qdd + 6 * (size_t)i, 0, 6 * sizeof *w->joint_qdd);
  memset(w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)i, 0,
         3 * DLS_MAX_MOTIONS * sizeof *w->joint_drive);
  w->qdd_known = false;
  status = measure(w, i);
  if (status != DLS_OK) {
    drop_motions(w, &w->joints[i]);
    w->joints[i].alive = false;
    return status;
  }
  dls_slots_take(&w->joint_slots, w->n_joints++);
  w->bodies[joint.a].bonds++, w->bodies[joint.b].bonds++;
  w->columns.known = false;
  *index = i;
  dls_penalties_changed(w, &joint, 1);
  w->trees->stale = true;
  if (joint.formulation == DLS_REDUCED) dls_trees_join(w, &joint, i);
  return DLS_OK;
}

void dls_world_joint_remove(dls_world *w, int index) {
  if (index >= w->n_joints || !w->joints[index].alive) return;
  dls_joint *joint = &w->joints[index];
  joint->alive = false;
  w->columns.known = false;
  for (int i = w->n_gears - 1; i >= 0; i--) /* what they drive goes with them */
    if (w->gears[i].joint[0] == index || w->gears[i].joint[1] == index) dls_world_gear_remove(w, i);
  dls_penalties_changed(w, joint, -1);
  w->trees->stale = true;
  w->bodies[joint->a].bonds--, w->bodies[joint->b].bonds--;
  drop_motions(w, joint);
  if (joint->formulation == DLS_REDUCED) dls_trees_part(w, joint);
  dls_slots_give(&w->joint_slots, joint->slot);
}

/* The place that joint number i gets. */
static int place_of(const dls_world *w, int i) {
  return w->joint_slots.slot[w->joints[i].slot].place;
}

void dls_joints_move_up(dls_world *w) {
  const dls_placed_array joints = joints_of(w);
  if (w->joint_slots.n_gaps == 0) return;
  const int n = dls_slots_number(&w->joint_slots, &joints);
  for (int i = 0; i < w->n_gears; i++)
    for (int e = 0; e < 2 && w->gears[i].alive; e++)
      w->gears[i].joint[e] = place_of(w, w->gears[i].joint[e]);
  const int apart = w->apart_joint;
  if (apart >= 0)
    w->apart_joint = apart < w->n_joints && w->joints[apart].alive ? place_of(w, apart) : -1;
  dls_slots_move_up(w->joint_state, sizeof *w->joint_state, &joints);
  dls_slots_move_up(w->joint_own, 6 * sizeof *w->joint_own, &joints);
  dls_slots_move_up(w->joint_qdd, 6 * sizeof *w->joint_qdd, &joints);
  dls_slots_move_up(w->joint_drive, 3 * DLS_MAX_MOTIONS * sizeof *w->joint_drive, &joints);
  dls_slots_move_up(w->joints, sizeof *w->joints, &joints);
  w->n_joints = n;
  dls_trees_moved(w);
}

static bool is_geared(const dls_world *w, int index) {
  bool geared = false;
  for (int i = 0; i < w->n_gears && !geared; i++)
    geared = w->gears[i].alive && (w->gears[i].joint[0] == index || w->gears[i].joint[1] == index);
  return geared;
}

/* Reduced joints are driven by the forest; rows ask for themselves. */
static bool rows_are_driven(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  return joint->alive && joint->n_driven > 0 &&
         (joint->formulation != DLS_REDUCED || joint->friction > 0 || is_geared(w, index));
}

dls_status dls_joints_drive(dls_world *w, double time) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!rows_are_driven(w, i) || !w->hooks.drive) continue;
    double *out = w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)i;
    for (int k = 0; k < joint->n_motions; k++) {
      if (joint->motions[k].drive < 0) continue;
      dls_status status = w->hooks.drive(w->hooks.ud, i, k, time, out + 3 * k);
      if (status != DLS_OK) return status;
    }
  }
  return DLS_OK;
}

void dls_joints_keep(dls_world *w) {
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    double s[DLS_MAX_MOTIONS];
    for (int k = 0; k < joint->n_motions; k++)
      s[k] = w->joint_drive[3 * (DLS_MAX_MOTIONS * (size_t)i + (size_t)k)];
    const dls_place T = dls_joint_between(w, joint);
    dls_joint_measure(joint, &T, s, w->joint_state[i].q);
  }
}

void dls_joints_keep_after(dls_world *w, double dt) {
  static const double FAR = 1; /* rad */
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    dls_joint_state *state = &w->joint_state[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    if (joint->nu != 1 || joint->n_motions != 1) continue;
    double q[7], u[6];
    dls_joint_now(w, i, q, u);
    const double way = 0.5 * dt * (state->u[0] + u[0]);
    if (joint->motions[0].kind == DLS_MOTION_ROTATE && fabs(way) > FAR) state->q[0] += way;
    state->u[0] = u[0];
  }
  dls_joints_keep(w);
}

dls_status dls_world_gear_add(dls_world *w, const dls_gear *def, int *index) {
  if (w->n_gears == w->gear_room && dls_slots_are_sparse(&w->gear_slots, w->n_gears))
    dls_gears_move_up(w);
  if (w->n_gears == w->gear_room) {
    const size_t old = (size_t)w->gear_room, more = old < 8 ? 8 : 2 * old;
    dls_status status = dls_grow(&w->alloc, (void **)&w->gears, old, more, sizeof *w->gears);
    if (status != DLS_OK) return status;
    w->gear_room = (int)more;
  }
  const dls_status status = dls_slots_reserve(&w->gear_slots, &w->alloc);
  if (status != DLS_OK) return status;
  const dls_placed begin = dls_slots_begin(&w->gear_slots);
  dls_gear *gear = &w->gears[w->n_gears];
  *gear = *def;
  gear->slot = begin.slot, gear->generation = begin.generation;
  *index = w->n_gears;
  dls_slots_take(&w->gear_slots, w->n_gears++);
  return DLS_OK;
}

void dls_world_gear_remove(dls_world *w, int index) {
  if (index >= w->n_gears || !w->gears[index].alive) return;
  w->gears[index].alive = false;
  dls_slots_give(&w->gear_slots, w->gears[index].slot);
}

void dls_gears_move_up(dls_world *w) {
  const dls_placed_array gears = gears_of(w);
  if (w->gear_slots.n_gaps == 0) return;
  const int n = dls_slots_number(&w->gear_slots, &gears);
  dls_slots_move_up(w->gears, sizeof *w->gears, &gears);
  w->n_gears = n;
}
