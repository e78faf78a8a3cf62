/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/step_room.h"

#include "core/contacts/rods_met.h"
#include "core/forest/soft.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_rows.h"
#include "core/joints/penalty_step.h"
#include "core/joints/spring_nets.h"
#include "core/joints/spring_rows.h"
#include "core/rows/stability.h"
#include "core/scheme/time_stepping.h"

/* Nodes of trees of hinges in the plane. */
static int hinges_of(const dls_world *w) {
  return dls_trees_used(w) && w->trees->forest->hinged ? w->trees->forest->n_nodes : 0;
}

/* The arrays of a step: name in the record, type, how many. */
#define ROOM(X, n, pairs, most, blocks, penalties, springs) \
  X(step.q_c, double, (n) * nq) \
  X(step.u_c, double, (n) * nu) \
  X(step.push, double, (n) * nu) \
  X(near.margin, double, (n)) \
  X(near.idle, unsigned char, (n)) \
  X(step.scratch, unsigned char, (n)) \
  X(near.near, dls_near, (pairs)) \
  X(near.beside_from, int, (n) + 1) \
  X(near.beside, int, (pairs)) \
  X(step.gradient, double, (n) * nu) \
  X(step.u_smooth, double, (n) * nu) \
  X(step.u_kept, double, (n) * nu) \
  X(contacts.bounce, double, (most + blocks + 1) * nb) \
  X(contacts.tangential, double, (most + blocks + 1) * nb) \
  X(contacts.drift, double, (most + blocks + 1) * nb) \
  X(contacts.p_impact, double, (most + blocks + 1) * nb) \
  X(contacts.shift, double, (most + blocks + 1) * nb) \
  X(step.q_end, double, (w->hooks.motion ? (n) * nq : 0)) \
  X(step.u_end, double, (w->hooks.motion ? (n) * nu : 0)) \
  X(step.jointed, unsigned char, (n)) \
  X(contacts.crowded, unsigned char, (n)) \
  X(contacts.together_of, signed char, (n)) \
  X(positions.closing, int, (most) + 1) \
  X(account.account, int, (n)) \
  X(account.root, int, (n)) \
  X(account.struck, dls_impact_sum, (n)) \
  X(account.unexplained, double, (n) * d) \
  X(positions.closing_near, int, (most) + 1) \
  X(contacts.near_of, int, (most)) \
  X(account.general, int, (most + blocks)) \
  X(contacts.height, double, (most + blocks)) \
  X(step.held, unsigned char, (n)) \
  X(joints.aim, double, (n) * nq) \
  X(joints.way, double, (n) * nu) \
  X(joints.answer, double, (n) * nu) \
  X(joints.turning, double, (n)) \
  X(joints.bend, double, (dls_trees_used(w) ? DLS_BEND(w->dim) * w->trees->forest->n_nodes : 0)) \
  X(joints.pivots.at, dls_pivot, (hinges_of(w))) \
  X(joints.pivots.of_node, int, (hinges_of(w))) \
  X(joints.pivots.y, double, 3 * (hinges_of(w))) \
  X(joints.u_t, double, (n) * nu) \
  X(joints.u_off, double, (n) * nu) \
  X(joints.moment, double, 3 * (n)) \
  X(joints.q_alone, double, (w->dim == 3 ? (n) * nq : 0)) \
  X(joints.q_alone_middle, double, (w->dim == 3 ? (n) * nq : 0)) \
  X(joints.pushed, unsigned char, (n)) \
  X(joints.group, int, (n)) \
  X(joints.next, int, (n)) \
  X(joints.qd, double, 6 * (size_t)w->n_joints) \
  X(joints.stretch, double, 6 * (size_t)w->n_joints) \
  X(joints.doubled, unsigned char, (size_t)w->n_joints) \
  X(joints.spring_row, dls_spring_row, (springs)) \
  X(near.probe, dls_touch, (size_t)w->touch_room) \
  X(near.passed, uint64_t, (size_t)w->touch_room) \
  X(joints.what, int, (most + blocks)) \
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
  const size_t springs = (size_t)dls_springs_count_rows(w);
  const size_t own = joints; /* blocks of springs have no other part */
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
  total = dls_bytes_add(total, dls_spring_nets_bytes(w));
  if (dls_trees_used(w)) total = dls_bytes_add(total, dls_forest_mobility_bytes(w->trees->forest));
  joints = own;
  total = dls_bytes_add(total, w->ways_bytes);
  total = dls_bytes_add(total, dls_arena_bytes((size_t)w->touch_room, sizeof(dls_touch)));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(dls_overlap)));
  if (penalties > 0) total = dls_bytes_add(total, dls_stability_bytes((int)penalties));
  total = dls_bytes_add(total, dls_arena_bytes(room + 6 * joints, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(pairs + 4, sizeof(int)));
  total = dls_bytes_add(total, w->dim == 2 ? bytes_2(n, pairs, room)
                                           : bytes_3(n, pairs, room + 6 * joints));
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

/* Joints beside the trees; how many. */
static int mark_jointed(dls_step *S) {
  const dls_world *w = S->w;
  int n = 0;
  memset(S->jointed, 0, (size_t)w->n_bodies);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED) continue;
    n++;
    /* forces of penalties are in u_f */
    const unsigned char how = dls_joint_has_rows(joint) || dls_joint_is_sprung(w, joint) ? 3 : 1;
    S->jointed[joint->a] |= how;
    S->jointed[joint->b] |= how;
  }
  return n;
}

/* The joints' record gets what it shares with the other stages. */
static void open_joints(dls_stages *all) {
  dls_step *S = &all->step;
  dls_contact_stage *C = &all->contacts;
  dls_joint_stage *joints = &all->joints;
  joints->w = S->w;
  joints->dim = S->dim, joints->nu = S->nu, joints->nq = S->nq, joints->nb = S->nb;
  joints->h = S->h, joints->theta = S->theta;
  const double tolerance = S->w->solve.tolerance;
  joints->left = tolerance >= DLS_POSITION_ROUGH ? DLS_JOINTS_LEFT * tolerance : 0;
  joints->rows = &S->rows;
  S->q_weighed = joints->q_weighed = S->q_c;
  joints->q_c = S->q_c, joints->q_n = S->q_n, joints->u_c = S->u_c, joints->u_n = S->u_n;
  joints->push = S->push, joints->u_smooth = S->u_smooth;
  joints->T = S->dim == 3 ? S->T3 : NULL;
  joints->bounce = C->bounce, joints->tangential = C->tangential, joints->drift = C->drift;
  joints->held = S->held, joints->jointed = S->jointed;
  joints->n_unreduced = mark_jointed(S), joints->room_joints = S->room_joints;
  joints->correction = &all->positions.correction;
}

/* The disks' record likewise; u_c and u_ahead follow when they are known. */
static void open_disks(dls_stages *all) {
  dls_step *S = &all->step;
  dls_position_stage *P = &all->positions;
  dls_account_stage *A = &all->account;
  dls_disk_stage *disks = &all->disks;
  disks->w = S->w;
  disks->h = S->h, disks->theta = S->theta, disks->compliant = S->compliant;
  disks->rows = &S->rows, disks->near = all->near.near, disks->height = all->contacts.height;
  disks->slips = &all->contacts.slips, disks->noise = &all->contacts.noise;
  disks->closing = P->closing, disks->closing_near = P->closing_near;
  disks->n_closing = &P->n_closing;
  disks->n_onsets = &A->n_onsets, disks->n_starts = &A->n_starts;
  disks->unexplained = A->unexplained, disks->judged = &A->judged;
}

/* Arrays of the plane, of space; whether there is room. */
static bool take_room_2(dls_stages *all) {
  const int n = all->step.w->n_bodies;
  dls_arena *tmp = &all->step.w->arena;
  bool full = (all->step.T2 = DLS_TAKE(tmp, dls_pose2, n)) == NULL;
  full = (all->positions.spot = DLS_TAKE(tmp, dls_spot2, n)) == NULL || full;
  full = (all->near.rim = DLS_TAKE(tmp, dls_rim2, n)) == NULL || full;
  return !full;
}

static bool take_room_3(dls_stages *all) {
  const int n = all->step.w->n_bodies;
  dls_near_stage *N = &all->near;
  dls_arena *tmp = &all->step.w->arena;
  bool full = (all->step.T3 = DLS_TAKE(tmp, dls_pose3, n)) == NULL;
  full = (N->ball = DLS_TAKE(tmp, dls_ball, n)) == NULL || full;
  full = (N->body_of = DLS_TAKE(tmp, int, n)) == NULL || full;
  full = (all->step.rod = DLS_TAKE(tmp, dls_rod, n)) == NULL || full;
  full = (N->around = DLS_TAKE(tmp, dls_rod, n)) == NULL || full;
  return !full;
}

dls_status dls_take_room(dls_stages *all) {
  dls_step *S = &all->step;
  dls_near_stage *N = &all->near;
  const size_t d = (size_t)S->dim, nu = (size_t)S->nu, nq = (size_t)S->nq, nb = (size_t)S->nb;
  dls_world *w = S->w;
  dls_arena *tmp = &w->arena;
  bool full = false;
  S->q_n = w->q_next;
  S->u_n = w->u_next;
  S->room_contacts = w->contact_room;
  S->room_joints = 6 * dls_joints_count_blocks(w);
  S->joined = S->room_joints > 0 || dls_trees_used(w);
  const int joints = S->room_joints / 6 + dls_springs_count_blocks(w);
  const int springs = dls_springs_count_rows(w);
  for (int i = 0; i < w->n_gears; i++) all->joints.n_gears += w->gears[i].alive;
#define TAKE(name, type, count) full = (all->name = DLS_TAKE(tmp, type, count)) == NULL || full;
  const int penalties = dls_penalties_count_rows(w);
  ROOM(TAKE, (size_t)w->n_bodies, w->broad.pair_room, (size_t)w->contact_room, (size_t)joints,
       penalties, springs)
#undef TAKE
  for (int i = 0; i < 2 * S->dim; i++)
    full = (N->bound[i] = DLS_TAKE(tmp, double, w->n_bodies)) == NULL || full;
  full = !(S->dim == 2 ? take_room_2(all) : take_room_3(all)) || full;
  N->touch_room = w->touch_room;
  full = (N->touch = DLS_TAKE(tmp, dls_touch, w->touch_room)) == NULL || full;
  if (full) return DLS_FULL;
  memset(S->held, 0, (size_t)w->n_bodies);
  open_joints(all);
  open_disks(all);
  if (S->pushed) memset(S->push, 0, (size_t)w->n_bodies * nu * sizeof(double));
  const int blocks = w->contact_room + joints;
  const dls_status status = dls_rows_take(&S->rows, tmp, S->dim, w->n_bodies, blocks,
                                          (blocks + 1) * S->nb);
  S->rows.stop = w->stop;
  if (status != DLS_OK || S->dim == 3) return status;
  return dls_disks_take(&all->disks, w->n_bodies, w->broad.pair_room, w->contact_room, blocks, tmp);
}
