/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position_joined.h"

#include "core/contacts/contact_row.h"
#include "core/contacts/near.h"
#include "core/contacts/touches.h"
#include "core/contacts/user_contacts.h"
#include "core/joints/fit.h"
#include "core/joints/held.h"

/* Contacts among joints that held across a gap are shut: turns of the linear problem of
** joints/held.h, with multipliers that only pull. */

/* The gap at q' of closing contact k; *there is false where it is gone. */
static dls_status overlap_of(dls_step *S, dls_near_stage *N, dls_position_stage *P, int k,
                             dls_overlap *o, bool *there) {
  const dls_contact *c = &S->w->contacts_next[P->closing[k]];
  *there = false;
  if (P->closing_near[k] >= 0) { /* disks: no more of their contact is recorded yet */
    dls_look_at_disks(N, P, P->closing_near[k]);
    *there = dls_disks_to_settle(S, N, P, P->closing_near[k], o);
    return DLS_OK;
  }
  if (c->user >= 0) {
    dls_user_gap at;
    dls_status status = dls_user_contact_at(S, c->user, S->q_n, S->w->time + S->h, false, &at);
    if (status != DLS_OK) return status;
    *o = (dls_overlap){.a = c->a, .b = c->b, .gap = at.gap, .size = 1};
    memcpy(o->J, at.J, 2 * (size_t)S->nu * sizeof *at.J);
    *there = dls_weigh_overlap(S, o);
    return DLS_OK;
  }
  const double margin = 2 * fabs(c->gap) + dls_travel_between(S, N, c->a, c->b);
  const int n = dls_touches_of(S, N, c->a, c->b, margin);
  if (n > N->touch_room) return dls_want_touches(S, n);
  for (int i = 0; i < n && !*there; i++)
    if (N->touch[i].key == c->key) *there = dls_add_overlap(S, o, c->a, c->b, &N->touch[i]);
  return DLS_OK;
}

/* The row that pulls a gap shut and never pushes it open: 0 >= pi _|_ gap + J dq <= 0. (As
** equations, the nearly equal rows of a line contact would ask for anything.) */
static void turn_round(const dls_step *S, dls_overlap *o) {
  o->gap = -o->gap;
  for (int i = 0; i < 2 * S->nu; i++) {
    o->J[i] = -o->J[i];
    o->MJ[i] = -o->MJ[i];
  }
}

/* Whether the last look found the touch of closing contact i closed; false where it is open, or out
** of the look's reach. *at: where the last one was found: both come in one order. */
static bool is_closed_by_look(const dls_step *S, const dls_position_stage *P, int i, int *at) {
  const dls_contact *c = &S->w->contacts_next[P->closing[i]];
  const int near = P->closing_near[i];
  if (near >= 0) return P->gap[near] <= dls_closed(S, P->size[near]);
  for (int k = P->n_user; k < P->n && c->user < 0; k++) {
    const dls_overlap *o = &P->o[*at];
    *at = *at + 1 < P->n ? *at + 1 : P->n_user;
    if (o->key == c->key && o->a == c->a && o->b == c->b) return o->gap <= dls_closed(S, o->size);
  }
  return false;
}

/* The contacts of the closing ones that are not closed yet to the front: how many. The last look is
** at q'. */
static dls_status find_open(dls_step *S, dls_near_stage *N, dls_position_stage *P, int *n_open) {
  dls_status status = DLS_OK;
  int at = P->n_user;
  *n_open = 0;
  for (int k = 0; k < P->n_closing && status == DLS_OK; k++) {
    dls_overlap o;
    bool there;
    if (is_closed_by_look(S, P, k, &at)) continue;
    status = overlap_of(S, N, P, k, &o, &there);
    if (!there || !(o.gap > dls_closed(S, o.size))) continue;
    P->closing_near[*n_open] = P->closing_near[k];
    P->closing[(*n_open)++] = P->closing[k];
  }
  return status;
}

dls_status dls_close_joined(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                            dls_position_stage *P, dls_overlap *o, bool *moved) {
  enum { TURNS = 6 };
  static const double CLOSED = 1e-11; /* of a radius of gyration: what the next turn would find */
  double size = DLS_INF, first = DLS_INF;
  int n_open;
  bool there;
  *moved = false;
  dls_aim_here(joints, S->q_n);
  dls_status status = find_open(S, N, P, &n_open);
  for (int turn = 0; n_open > 0 && turn < TURNS && status == DLS_OK &&
                     !(size * first <= CLOSED || dls_turn_leaves_little(joints, size));
       turn++) {
    int n = 0;
    if (!dls_may_turn_again(S, P, P->n)) break;
    status = dls_joints_factor(joints);
    if (status != DLS_OK) break;
    for (int k = 0; k < n_open && status == DLS_OK; k++) {
      status = overlap_of(S, N, P, k, &o[n], &there);
      if (there) turn_round(S, &o[n++]);
    }
    if (status != DLS_OK) break;
    dls_find_what_holds(S, joints, o, &n);
    status = dls_turn_to_aim(joints, S->q_n, o, n, DLS_INF, &size);
    if (turn == 0) first = size;
    *moved = true;
    if (status == DLS_OK) status = dls_joints_stand(joints, S->q_n, false);
    dls_place_joined(S, joints, P);
  }
  dls_charge_way(joints, S->q_n, S->rows.u);
  dls_aim_here(joints, S->q_n);
  return status;
}
