/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/model/row_frame.h"
#include "core/scheme/unforced.h"
#include "core/step/poses.h"

/* Where a projection left more than it found, or threw somebody far, it is taken back, and touches
** give way: turns for the least of
**
**     dq' M dq/2 + sum (gap + J dq)^2/(2 gamma),
**
** none of which goes farther than dq' M dq <= sum gap^2/gamma; the place with the least worst
** overlap is kept. */

/* As many overlaps long a way may be (30; with 100 one of 40 over-full pits is flung), or as all of
** them in a row (a stack of which every touch overlaps needs that); and of a body's size, whatever
** they are (balls in wedges, rows that give way to the side: the root of an overlap). */
static const double OFTEN = 30, SHORT = 1e-2;

/* Compliance of a touch that gives way, of J M^-1 J' (0.1 to 1). */
static const double SOFT = 0.3;

dls_status dls_keep_start(dls_step *S, const dls_position_stage *P, dls_position_start *start) {
  const size_t n_q = (size_t)S->w->n_bodies * S->nq,
               n_u = S->dim == 3 ? (size_t)S->w->n_bodies * S->nu : 0;
  start->q = DLS_TAKE(&S->w->arena, double, n_q + n_u);
  if (!start->q) return DLS_FULL;
  start->u = start->q + n_q;
  start->correction = P->correction;
  start->sum = -1;
  memcpy(start->q, S->q_n, n_q * sizeof(double));
  if (n_u > 0) memcpy(start->u, S->u_n, n_u * sizeof(double));
  return DLS_OK;
}

void dls_go_back(dls_step *S, dls_position_stage *P, const dls_position_start *start) {
  const size_t n_q = (size_t)S->w->n_bodies * S->nq,
               n_u = S->dim == 3 ? (size_t)S->w->n_bodies * S->nu : 0;
  memcpy(S->q_n, start->q, n_q * sizeof(double));
  if (n_u > 0) memcpy(S->u_n, start->u, n_u * sizeof(double));
  P->correction = start->correction;
  dls_poses_at(S, S->q_n);
  if (S->dim == 2) dls_take_spots(S, P);
}

/* What a touch is to be moved by. */
static void add_way(double gap, bool holds, dls_position_start *start) {
  const double way = gap < 0 ? -gap : holds ? gap : 0;
  start->deepest = dls_max(start->deepest, way);
  start->sum += way;
}

void dls_sum_overlaps(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                      dls_position_start *start) {
  start->deepest = start->sum = 0;
  for (int k = 0; k < P->n; k++) add_way(P->o[k].gap, P->o[k].holds, start);
  for (int k = 0; S->dim == 2 && k < N->n_near; k++)
    if (P->size[k] > 0) add_way(P->gap[k], (P->mark[k] & DLS_GAP_HOLDS) != 0, start);
}

bool dls_went_far(const dls_step *S, const dls_position_start *start) {
  const double most = dls_max(OFTEN * start->deepest, start->sum);
  for (int i = 0; i < S->w->n_bodies; i++) {
    const dls_body *body = &S->w->bodies[i];
    if (!dls_moves_freely(body)) continue;
    const double *to = DLS_Q(S, S->q_n, i), *from = start->q + (to - S->q_n);
    const double size = body->shape ? dls_girth_of(body) : body->gyration;
    double way[6], square = 0;
    dls_way_to(S->dim, to, from, way);
    for (int k = 0; k < S->dim; k++) square += way[k] * way[k];
    for (int k = S->dim; k < S->nu; k++)
      square += way[k] * way[k] * body->gyration * body->gyration;
    if (sqrt(square) > dls_max(most, SHORT * size)) return true;
  }
  return false;
}

void dls_ask_more(const dls_step *S, const dls_position_stage *P, dls_position_start *start) {
  if (start->sum >= 0 && !dls_went_far(S, start)) add_way(-P->deepest, false, start);
}

/* One sweep over what is active, whose touches give way; answers the largest move, by size. */
DLS_WITH_NU double sweep_softly(int nu, dls_position_stage *P, bool backwards) {
  double worst = 0;
  for (int k = 0, n = P->n_active; k < n; k++) {
    dls_overlap *c = &P->o[P->active[backwards ? n - 1 - k : k]];
    double *dq_a = P->dq + nu * c->a, *dq_b = P->dq + nu * c->b;
    const double gap = c->gap + dls_row_velocity(nu, c->J, dq_a, dq_b) + c->gamma * c->pi;
    const double change = dls_max(c->pi - gap / (c->w + c->gamma), 0) - c->pi;
    worst = dls_max(worst, fabs(change) * c->w / c->size);
    c->pi += change;
    dls_add_u(nu, dq_a, change, c->MJ);
    dls_add_u(nu, dq_b, change, c->MJ + nu);
  }
  return worst;
}

static dls_status turn_softly(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  enum { SWEEPS = 40 };
  static const double ENOUGH = 1e-3; /* of the worst overlap */
  dls_status status = dls_pick(S, N, P, 2 * P->deepest, false);
  if (status != DLS_OK) return status;
  int n = 0;
  for (int k = 0; k < P->n_active; k++) {
    dls_overlap *o = &P->o[P->active[k]];
    if (o->w > 0) P->active[n++] = P->active[k];
    o->gamma = SOFT * o->w;
  }
  P->n_active = n;
  dls_start_moving(S, P);
  const int most = dls_position_sweeps(S, SWEEPS);
  double change = DLS_INF;
  int swept = 0;
  for (; swept < most && change > ENOUGH * P->worst; swept++)
    change =
        S->dim == 2 ? sweep_softly(3, P, (swept & 1) != 0) : sweep_softly(6, P, (swept & 1) != 0);
  dls_position_swept(S, swept, true);
  for (int k = 0; k < n; k++) {
    const dls_overlap *o = &P->o[P->active[k]];
    if (!(o->pi > 0)) continue;
    P->moved[o->a] |= S->rows.inv_mass[o->a] > 0;
    P->moved[o->b] |= S->rows.inv_mass[o->b] > 0;
  }
  dls_displace(S, P);
  return dls_look_deep(S, N, P);
}

dls_status dls_project_crushed(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               const dls_position_start *start) {
  enum { TURNS = 24, PATIENCE = 3 };
  static const double GAIN = 0.99;
  dls_position_start best;
  if (start) dls_go_back(S, P, start);
  dls_status status = dls_keep_start(S, P, &best);
  if (status == DLS_OK && start) status = dls_look_deep(S, N, P);
  double least = P->worst;
  for (int turn = 0, in_vain = 0; turn < TURNS && in_vain < PATIENCE && status == DLS_OK; turn++) {
    if (P->worst <= DLS_OVERLAP_SMALL || (turn > 0 && !dls_position_goes_on(S, P))) break;
    status = turn_softly(S, N, P);
    in_vain = P->worst < GAIN * least ? 0 : in_vain + 1;
    if (status != DLS_OK || !(P->worst < least)) continue;
    least = P->worst;
    memcpy(best.q, S->q_n, (size_t)S->w->n_bodies * S->nq * sizeof(double));
    if (S->dim == 3) memcpy(best.u, S->u_n, (size_t)S->w->n_bodies * S->nu * sizeof(double));
    best.correction = P->correction;
  }
  P->crushed = true;
  if (status != DLS_OK || P->worst <= least) return status;
  dls_go_back(S, P, &best);
  return dls_look_deep(S, N, P);
}
