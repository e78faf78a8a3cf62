/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/step_room.h"

#include "core/forest/soft.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rows.h"
#include "core/joints/penalty_step.h"
#include "core/joints/spring_rows.h"
#include "core/rows/stability.h"
#include "core/scheme/position.h"
#include "core/scheme/rods_met.h"
#include "core/scheme/time_stepping.h"

/* The arrays of a step: name in the record, type, how many. */
#define ROOM(X, n, pairs, contacts, blocks, penalties, springs) \
  X(q_c, double, (n) * nq) \
  X(u_c, double, (n) * nu) \
  X(push, double, (n) * nu) \
  X(reach, double, (n)) \
  X(idle, unsigned char, (n)) \
  X(near, dls_near, (pairs)) \
  X(beside_from, int, (n) + 1) \
  X(beside, int, (pairs)) \
  X(gradient, double, (n) * nu) \
  X(u_smooth, double, (n) * nu) \
  X(bounce, double, (contacts + blocks + 1) * nb) \
  X(tangential, double, (contacts + blocks + 1) * nb) \
  X(drift, double, (contacts + blocks + 1) * nb) \
  X(p_impact, double, (contacts + blocks + 1) * nb) \
  X(shift, double, (contacts + blocks + 1) * nb) \
  X(q_end, double, (w->hooks.motion ? (n) * nq : 0)) \
  X(u_end, double, (w->hooks.motion ? (n) * nu : 0)) \
  X(jointed, unsigned char, (n)) \
  X(crowded, unsigned char, (n)) \
  X(closing, int, (contacts) + 1) \
  X(account, int, (n)) \
  X(unexplained, double, (n) * d) \
  X(closing_near, int, (contacts) + 1) \
  X(near_of, int, (contacts)) \
  X(general, int, (contacts + blocks)) \
  X(height, double, (contacts + blocks)) \
  X(held, unsigned char, (n)) \
  X(joints.aim, double, (n) * nq) \
  X(joints.way, double, (n) * nu) \
  X(joints.answer, double, (n) * nu) \
  X(joints.u_t, double, (n) * nu) \
  X(joints.qd, double, 6 * (size_t)w->n_joints) \
  X(joints.stretch, double, 6 * (size_t)w->n_joints) \
  X(joints.spring_row, dls_spring_row, (springs)) \
  X(probe, dls_touch, (size_t)w->touch_room) \
  X(passed, uint64_t, (size_t)w->touch_room) \
  X(joints.what, int, (contacts + blocks)) \
  X(joints.second, dls_second, w->n_gears) \
  X(joints.penalty, dls_penalty_at, (penalties)) \
  X(joints.penalty_impulse, double, (penalties > 0 ? (n) * nu : 0)) \
  X(joints.penalty_u, double, (penalties > 0 ? (n) * nu : 0))

/* Bytes that the plane alone needs: n bodies, so many pairs, contacts. */
static size_t bytes_2(size_t n, size_t pairs, size_t room) {
  size_t total = 0;
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_pose2)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, 3 * sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(dls_position_disks) + 1));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_spot2)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + room + 5, sizeof(dls_position_contact)));
  total = dls_bytes_add(total, dls_arena_bytes(dls_disks_numbers((int)n), sizeof(float)));
  total = dls_bytes_add(total, dls_disks_position_bytes((int)(pairs + room), (int)n));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_spot2)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_rim2)));
  total = dls_bytes_add(total, 8 * DLS_ALIGN);
  return total;
}

/* The same in space; touches: gaps that projections may look at. */
static size_t bytes_3(size_t n, size_t pairs, size_t touches) {
  size_t total = dls_arena_bytes(n, sizeof(dls_pose3));
  total = dls_bytes_add(total, 2 * dls_arena_bytes(n, sizeof(dls_rod)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(dls_ball)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(touches, sizeof(dls_position_touch)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(3 * DLS_RODS_AT_ONCE, sizeof(dls_touch)));
  return total;
}

size_t dls_step_bytes(const dls_world *w, int contacts) {
  const size_t d = (size_t)w->dim, nu = DLS_NU(d), nq = DLS_NQ(d), nb = DLS_NB(d);
  size_t n = (size_t)w->n_bodies, pairs = (size_t)w->broad.pair_room, total = 0;
  size_t room = (size_t)contacts, joints = (size_t)dls_joints_count_blocks(w);
  const size_t springs = (size_t)dls_springs_count_rows(w), own = joints; /* blocks of springs have no other part */
  joints += (size_t)dls_springs_count_blocks(w);
#define ADD(name, type, count)                                                                 \
  total = dls_bytes_add(total, dls_arena_bytes((size_t)(count), sizeof(type)));
  const size_t penalties = (size_t)dls_penalties_count_rows(w);
  ROOM(ADD, n, pairs, room, joints, penalties, springs)
#undef ADD
  for (int i = 0; i < 2 * w->dim; i++)
    total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(double)));
  total = dls_bytes_add(total, dls_rows_bytes(w->dim, w->n_bodies, contacts + (int)joints,
                                              (contacts + (int)joints + 1) * (int)nb));
  if (w->dim == 2) total = dls_bytes_add(total, dls_disks_bytes(n, pairs, room, room + joints));
  total = dls_bytes_add(total, dls_arena_bytes(springs, sizeof(dls_overlap)));
  if (dls_trees_used(w)) total = dls_bytes_add(total, dls_forest_mobility_bytes(w->trees->forest));
  joints = own;
  total = dls_bytes_add(total, w->ways_bytes);
  total = dls_bytes_add(total, dls_arena_bytes((size_t)w->touch_room, sizeof(dls_touch)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(dls_overlap)));
  if (penalties > 0) total = dls_bytes_add(total, dls_stability_bytes((int)penalties));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + 4, sizeof(int)));
  total = dls_bytes_add(total, w->dim == 2 ? bytes_2(n, pairs, room) : bytes_3(n, pairs, room + 6 * joints));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + 1, sizeof(dls_chosen)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 1, sizeof(uint64_t)));
  total = dls_bytes_add(total, 2 * dls_arena_bytes(pairs + 4, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(n, 1));
  if (joints > 0 || dls_trees_used(w)) { /* see position_joined.c */
    total = dls_bytes_add(total, dls_arena_bytes(pairs, sizeof(dls_near)));
    total = dls_bytes_add(total, dls_arena_bytes(2 * room, sizeof(int)));
    total = dls_bytes_add(total, dls_arena_bytes(n, 1));
    total = dls_bytes_add(total, dls_arena_bytes(room + joints, 1));
  }
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(int)));
  return dls_bytes_add(total, dls_arena_bytes(n * nu, sizeof(double)));
}

/* Joints beside the trees. */
static void mark_jointed(dls_step *S) {
  const dls_world *w = S->w;
  memset(S->jointed, 0, (size_t)w->n_bodies);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED) continue;
    S->n_unreduced++;
    /* forces of penalties are in u_f */
    const unsigned char how = dls_joint_has_rows(joint) || dls_joint_is_sprung(w, joint) ? 3 : 1;
    S->jointed[joint->a] |= how;
    S->jointed[joint->b] |= how;
  }
}

/* The joints' record gets what it shares with the other stages. */
static void open_joints(dls_step *S) {
  dls_joint_stage *joints = &S->joints;
  joints->w = S->w;
  joints->dim = S->dim, joints->nu = S->nu, joints->nq = S->nq, joints->nb = S->nb;
  joints->h = S->h, joints->theta = S->theta;
  joints->rows = &S->rows;
  joints->q_c = S->q_c, joints->q_n = S->q_n, joints->u_c = S->u_c, joints->u_n = S->u_n;
  joints->push = S->push, joints->u_smooth = S->u_smooth;
  joints->T = S->dim == 3 ? S->T3 : NULL;
  joints->bounce = S->bounce, joints->tangential = S->tangential, joints->drift = S->drift;
  joints->held = S->held, joints->jointed = S->jointed;
  joints->n_unreduced = S->n_unreduced, joints->room_joints = S->room_joints;
  joints->correction = &S->correction;
}

/* The disks' record likewise; u_c and u_ahead follow when they are known. */
static void open_disks(dls_step *S) {
  dls_disk_stage *disks = &S->disks;
  disks->w = S->w;
  disks->h = S->h, disks->theta = S->theta, disks->compliant = S->compliant;
  disks->rows = &S->rows, disks->near = S->near, disks->height = S->height;
  disks->slips = &S->slips, disks->noise = &S->noise;
  disks->closing = S->closing, disks->closing_near = S->closing_near, disks->n_closing = &S->n_closing;
  disks->n_onsets = &S->n_onsets, disks->n_traced = &S->n_traced;
  disks->unexplained = S->unexplained, disks->judged = &S->judged;
}

/* Arrays of the plane, of space; whether there is room. */
static bool take_room_2(dls_step *S) {
  dls_world *w = S->w;
  dls_arena *tmp = &w->arena;
  bool full = (S->T2 = DLS_TAKE(tmp, dls_pose2, w->n_bodies)) == NULL;
  full = (S->spot = DLS_TAKE(tmp, dls_spot2, w->n_bodies)) == NULL || full;
  full = (S->rim = DLS_TAKE(tmp, dls_rim2, w->n_bodies)) == NULL || full;
  return !full;
}

static bool take_room_3(dls_step *S) {
  dls_world *w = S->w;
  dls_arena *tmp = &w->arena;
  bool full = (S->T3 = DLS_TAKE(tmp, dls_pose3, w->n_bodies)) == NULL;
  full = (S->ball = DLS_TAKE(tmp, dls_ball, w->n_bodies)) == NULL || full;
  full = (S->body_of = DLS_TAKE(tmp, int, w->n_bodies)) == NULL || full;
  full = (S->rod = DLS_TAKE(tmp, dls_rod, w->n_bodies)) == NULL || full;
  full = (S->around = DLS_TAKE(tmp, dls_rod, w->n_bodies)) == NULL || full;
  return !full;
}

dls_status dls_take_room(dls_step *S) {
  const size_t d = (size_t)S->dim, nu = (size_t)S->nu, nq = (size_t)S->nq, nb = (size_t)S->nb;
  dls_world *w = S->w;
  dls_arena *tmp = &w->arena;
  bool full = false;
  S->q_n = w->q_next;
  S->u_n = w->u_next;
  S->room_contacts = w->contact_room;
  S->room_joints = 6 * dls_joints_count_blocks(w);
  const int joints = S->room_joints / 6 + dls_springs_count_blocks(w), springs = dls_springs_count_rows(w);
  for (int i = 0; i < w->n_gears; i++) S->joints.n_gears += w->gears[i].alive;
#define TAKE(name, type, count) full = (S->name = DLS_TAKE(tmp, type, count)) == NULL || full;
  const int penalties = dls_penalties_count_rows(w);
  ROOM(TAKE, (size_t)w->n_bodies, w->broad.pair_room, (size_t)w->contact_room, (size_t)joints, penalties, springs)
#undef TAKE
  for (int i = 0; i < 2 * S->dim; i++)
    full = (S->bound[i] = DLS_TAKE(tmp, double, w->n_bodies)) == NULL || full;
  full = !(S->dim == 2 ? take_room_2(S) : take_room_3(S)) || full;
  S->touch_room = w->touch_room;
  full = (S->touch = DLS_TAKE(tmp, dls_touch, w->touch_room)) == NULL || full;
  if (full) return DLS_FULL;
  memset(S->held, 0, (size_t)w->n_bodies);
  mark_jointed(S);
  open_joints(S);
  open_disks(S);
  if (S->pushed) memset(S->push, 0, (size_t)w->n_bodies * nu * sizeof(double));
  const int blocks = w->contact_room + joints;
  const dls_status status = dls_rows_take(&S->rows, tmp, S->dim, w->n_bodies, blocks, (blocks + 1) * S->nb);
  S->rows.stop = w->stop;
  if (status != DLS_OK || S->dim == 3) return status;
  return dls_disks_take(&S->disks, w->n_bodies, w->broad.pair_room, w->contact_room, blocks, tmp);
}
