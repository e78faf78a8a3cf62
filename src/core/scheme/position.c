/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/joints/spring_end.h"
#include "core/model/body.h"
#include "core/model/motion.h"
#include "core/rows/mass.h"
#include "core/scheme/unforced.h"

/* The order of projections, dls_project(): whether anything has to be looked at (bodies that went
** nowhere are where the solve has them), which method, pairs that it brought together, what it left
** (stats.infeasible), and whether that sank in during the step. */

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

/* --- what has hardly moved -------------------------------------------------------------------- */

/* Where no body goes farther from q_c to q' than DLS_CLOSED of its size, gaps at q' are
** gap(q_c) + J (q' - q_c), right to the square of that, 1e-18 of a body, and shapes are not looked
** at again. */

/* -DDLS_STILL_PILES=0: a build in which shapes are looked at in every projection. */
#ifndef DLS_STILL_PILES
#define DLS_STILL_PILES 1
#endif

/* Ways of the bodies from q_c to q' in dq; *most: the longest way of a point of theirs, m. False:
** one goes farther than what counts as closed. */
static bool are_still(const dls_step *S, const dls_position_stage *P,
                      const unsigned char *elsewhere, double *most) {
  *most = 0;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const dls_body *body = &S->w->bodies[i];
    double *way = DLS_U(S, P->dq, i), line = 0, turn = 0;
    memset(way, 0, (size_t)S->nu * sizeof *way);
    if (!body->alive || !body->shape || (elsewhere && elsewhere[i])) continue;
    dls_way_to(S->dim, DLS_Q(S, S->q_n, i), DLS_Q(S, S->q_c, i), way);
    for (int k = 0; k < S->dim; k++) line += way[k] * way[k];
    for (int k = S->dim; k < S->nu; k++) turn += way[k] * way[k];
    if (!(line + turn > 0)) continue;
    const double longest = sqrt(line) + dls_longest_of(body) * sqrt(turn);
    if (!(longest <= 2 * DLS_CLOSED * dls_girth_of(body))) return false;
    *most = dls_max(*most, longest);
  }
  return true;
}

/* The gaps at q' of the contacts that act. Answers the widest of those that held, by size. */
static double take_carried(const dls_step *S, dls_position_stage *P,
                           const unsigned char *elsewhere) {
  const dls_rows *rows = &S->rows;
  double widest = 0;
  P->touching = 0;
  P->worst = P->deepest = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (block->source < 0 || block->speculative) continue; /* a spring's; open */
    if (elsewhere && (elsewhere[block->a] || elsewhere[block->b])) continue;
    const dls_contact *c = &S->w->contacts_next[block->source];
    const double *J = rows->J + (size_t)block->row * 2 * (size_t)S->nu;
    const double gap =
        c->gap + dls_row_velocity(S->nu, J, DLS_U(S, P->dq, block->a), DLS_U(S, P->dq, block->b));
    const double size =
        2 * dls_min(dls_girth_of(&S->w->bodies[block->a]), dls_girth_of(&S->w->bodies[block->b]));
    dls_note_gap(P, gap, size);
    if (c->held) widest = dls_max(widest, gap / size);
  }
  return widest;
}

bool dls_rests_where_solved(const dls_step *S, const dls_contact_stage *C, dls_position_stage *P,
                            const unsigned char *elsewhere) {
  double most;
  if (!DLS_STILL_PILES || S->compliant || !are_still(S, P, elsewhere, &most) ||
      !(C->open > 2 * most))
    return false;
  const double widest = take_carried(S, P, elsewhere);
  const bool large = P->touching > DLS_SMALL_PILE || P->n_closing > DLS_SMALL_PILE;
  const bool small = dls_overlaps_are_small(S, P, DLS_OVERLAP_NOISE);
  if (large && !(P->worst <= DLS_OVERLAP_ROUND && widest <= DLS_OVERLAP_ROUND)) return false;
  if (!large && !(small && widest <= DLS_CLOSED)) return false;
  P->found = P->worst;
  return true;
}

/* --- what sank in ----------------------------------------------------------------------------- */

/* Whether what is near did not overlap when the step began. */
static dls_status began_apart(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool *apart) {
  dls_position_stage at = *P;
  double *q_n = S->q_n;
  if (!dls_position_room(S, N, &at)) return DLS_FULL;
  S->q_n = S->w->q;
  dls_stand_at(S, S->q_n);
  if (S->dim == 2) dls_take_spots(S, &at);
  at.slack = 0, at.strictly = true;
  const dls_status status = dls_look(S, N, &at);
  *apart = !(at.worst > DLS_OVERLAP_LARGE);
  S->q_n = q_n;
  dls_stand_at(S, S->q_n);
  return status;
}

/* --- the stage -------------------------------------------------------------------------------- */

dls_status dls_project(dls_step *S, dls_near_stage *N, const dls_contact_stage *C,
                       dls_joint_stage *joints, dls_position_stage *P) {
  dls_world *w = S->w;
  const size_t mark = dls_arena_mark(&w->arena);
  P->found = -1;
  P->crushed = P->sank = false;
  P->n_contacts = C->n_contacts;
  P->known = N->near, P->n_known = N->n_near, P->n_ordered = N->n_ordered;
  if (!take_room(S, N, joints, P)) return DLS_FULL;
  if (S->dim == 2) dls_take_spots(S, P);
  w->apart_joint = -1;
  const bool held = S->joined || dls_springs_most_kept(joints) > 0;
  bool any;
  dls_near_stage all;
  dls_status status = DLS_OK;
  /* whom an impact threw farther than its bounds were widened */
  if (S->rows.impacting) status = dls_take_brought(S, N, P, 0, &any);
  all = *N;
  if (status == DLS_OK && held) status = dls_project_both(S, N, C, joints, P);
  else if (status == DLS_OK && !dls_rests_where_solved(S, C, P, NULL))
    status = dls_project_free(S, N, P);
  /* What stands beside the projection varies: an attempt that lacked room asks for an eighth
  ** more. */
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, w->arena.size / 8);
  w->stats.penetration = dls_max(P->worst, 0); /* never -0 */
  w->stats.overlap = dls_max(P->found, 0);
  w->stats.infeasible = P->worst > (P->crushed ? DLS_OVERLAP_LARGE : 1e-2);
  if (status == DLS_OK && w->stats.infeasible && !w->work.bounded)
    status = began_apart(S, &all, P, &P->sank);
  dls_arena_release(&w->arena, mark);
  return status;
}
