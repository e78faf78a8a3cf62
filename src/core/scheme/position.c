/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/joints/spring_end.h"
#include "core/scheme/unforced.h"

bool dls_position_room(dls_step *S, const dls_near_stage *N, dls_position_stage *P) {
  dls_arena *tmp = &S->w->arena;
  P->general = DLS_TAKE(tmp, int, N->n_near + 4);
  if (S->dim == 3) return P->general != NULL;
  P->gap = DLS_TAKE(tmp, double, N->n_near);
  P->size = DLS_TAKE(tmp, double, N->n_near);
  P->mark = DLS_TAKE(tmp, unsigned char, N->n_near);
  P->disks = DLS_TAKE(tmp, dls_position_disks, N->n_near);
  return P->general && P->gap && P->size && P->mark && P->disks;
}

static bool take_room(dls_step *S, const dls_near_stage *N, const dls_joint_stage *joints,
                      dls_position_stage *P) {
  dls_arena *tmp = &S->w->arena;
  const int room = S->room_contacts + S->room_joints + dls_springs_most_kept(joints);
  P->o = DLS_TAKE(tmp, dls_overlap, room);
  P->active = DLS_TAKE(tmp, int, room);
  P->dq = DLS_TAKE(tmp, double, S->w->n_bodies * S->nu);
  P->moved = DLS_TAKE(tmp, int, S->w->n_bodies);
  P->touches = S->dim == 3 ? DLS_TAKE(tmp, dls_position_touch, room) : NULL;
  return dls_position_room(S, N, P) && P->o && P->active && P->dq && P->moved &&
      (P->touches || S->dim == 2);
}

dls_status dls_project(dls_step *S, dls_near_stage *N, dls_joint_stage *joints,
                       dls_position_stage *P) {
  dls_world *w = S->w;
  const size_t mark = dls_arena_mark(&w->arena);
  P->found = -1;
  P->crushed = false;
  P->known = N->near, P->n_known = N->n_near, P->n_ordered = N->n_ordered;
  if (!take_room(S, N, joints, P)) return DLS_FULL;
  if (S->dim == 2) dls_take_spots(S, P);
  w->apart_joint = -1;
  const bool held = S->joined || dls_springs_most_kept(joints) > 0;
  dls_status status = held ? dls_project_both(S, N, joints, P) : dls_project_free(S, N, P);
  /* What stands beside the projection varies: an attempt that lacked room asks for an eighth
  ** more. */
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, w->arena.size / 8);
  w->stats.penetration = dls_max(P->worst, 0); /* never -0 */
  w->stats.overlap = dls_max(P->found, 0);
  w->stats.infeasible = P->worst > (P->crushed ? DLS_OVERLAP_LARGE : 1e-2);
  dls_arena_release(&w->arena, mark);
  return status;
}
