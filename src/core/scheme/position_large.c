/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

/* Large piles: a few projected Gauss-Seidel sweeps a turn over the touches that are to move, which
** are let be below DLS_OVERLAP_LARGE; what is left the next step goes on with. */

/* --- touches in space ------------------------------------------------------------------------- */

/* (To start from those alone that are to move, and to add what the first sweep reaches, as disks
** do, took more rounds and left more.) */
void dls_lay_touches(const dls_step *S, dls_position_stage *P) {
  P->n_taken = P->n_active;
  for (int k = 0; k < P->n_active; k++) {
    const dls_overlap *o = &P->o[P->active[k]];
    const double share = o->w > 0 ? 1 / o->w : 0;
    P->touches[k] = (dls_position_touch){.n = dls_v3_load(o->J + 6), .t_a = dls_v3_load(o->J + 3),
                                         .t_b = dls_v3_load(o->J + 6 + 3),
                                         .w_a = dls_v3_scale(share, dls_v3_load(o->MJ + 3)),
                                         .w_b = dls_v3_scale(share, dls_v3_load(o->MJ + 6 + 3)),
                                         .m_a = share * S->rows.inv_mass[o->a],
                                         .m_b = share * S->rows.inv_mass[o->b], .gap = o->gap,
                                         .size = o->size, .a = o->a, .b = o->b, .seen = -1,
                                         .both = o->both};
  }
}

double dls_sweep_touches(dls_position_stage *P, bool backwards, double left) {
  const int n = P->n_taken;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    dls_position_touch *c = &P->touches[backwards ? n - 1 - k : k];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = P->dq + 6 * c->a, *dq_b = P->dq + 6 * c->b;
    const dls_vec3 x_a = dls_v3_load(dq_a), x_b = dls_v3_load(dq_b);
    const dls_vec3 r_a = dls_v3_load(dq_a + 3), r_b = dls_v3_load(dq_b + 3);
    const double least = left * c->size;
    const double gap = c->gap + (dls_v3_dot(c->n, dls_v3_sub(x_b, x_a)) +
                                 (dls_v3_dot(c->t_a, r_a) + dls_v3_dot(c->t_b, r_b)));
    if (fabs(gap) <= least) continue;
    double way = c->way - gap;
    if (!c->both && way < 0) way = 0;
    const double change = way - c->way, size = fabs(change);
    if (size <= least) continue;
    if (size > worst * c->size) worst = size / c->size;
    c->way = way;
    dls_v3_store(dq_a, dls_v3_axpy(x_a, -change * c->m_a, c->n));
    dls_v3_store(dq_b, dls_v3_axpy(x_b, change * c->m_b, c->n));
    dls_v3_store(dq_a + 3, dls_v3_axpy(r_a, change, c->w_a));
    dls_v3_store(dq_b + 3, dls_v3_axpy(r_b, change, c->w_b));
    c->seen = ++P->moves;
    if (c->m_a > 0) moved[c->a] = P->moves;
    if (c->m_b > 0) moved[c->b] = P->moves;
  }
  return worst;
}

/* --- the pile --------------------------------------------------------------------------------- */

/* One sweep over all touches: of shapes, then of disks, or the other way. */
static dls_status sweep_pile(dls_step *S, dls_near_stage *N, dls_position_stage *P, int number,
                             double left, double *worst) {
  const bool backwards = (number & 1) != 0, plane = S->dim == 2;
  double of_disks = 0, of_shapes = 0;
  dls_status status = DLS_OK;
  if (plane && number == 0) dls_take_far(N, P);
  if (plane && number == 1) status = dls_take_reached(S, N, P);
  if (status != DLS_OK) return status;
  if (plane && backwards) of_disks = dls_sweep_disk_gaps(P, true, left);
  if (!plane && number == 0 && P->n_user == 0) dls_lay_touches(S, P);
  if (!plane && P->n_user == 0) of_shapes = dls_sweep_touches(P, backwards, left);
  else of_shapes = dls_sweep_gaps(S, P, backwards, left);
  if (plane && !backwards) of_disks = dls_sweep_disk_gaps(P, false, left);
  *worst = dls_max(of_disks, of_shapes);
  return DLS_OK;
}

/* A few sweeps; what the first one reaches joins in. */
static dls_status settle_large(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool holding,
                               int sweeps, double left) {
  dls_status status = DLS_OK;
  dls_start_moving(S, P);
  P->n_active = P->n_taken = 0;
  for (int k = 0; k < P->n; k++) {
    dls_overlap *o = &P->o[k];
    o->pi = 0;
    o->pulls = false;
    o->both = holding && o->holds;
    o->seen = -1;
    if (o->both || o->gap <= 2 * P->deepest) P->active[P->n_active++] = k;
  }
  const unsigned char kept =
      (unsigned char)(holding ? ~DLS_GAP_TAKEN : ~(DLS_GAP_TAKEN | DLS_GAP_HOLDS));
  for (int k = 0, n = S->dim == 2 ? N->n_near : 0; k < n; k++) P->mark[k] &= kept;
  double worst = DLS_INF;
  const int most = dls_position_sweeps(S, sweeps);
  int swept = 0;
  for (; swept < most && status == DLS_OK && worst > left; swept++)
    status = sweep_pile(S, N, P, swept, left, &worst);
  dls_position_swept(S, swept, worst <= left || most == sweeps);
  if (status != DLS_OK) return status;
  dls_displace(S, P);
  return dls_look_again(S, N, P);
}

/* How far the farthest body goes in half of this step, by size; or one that goes far enough. */
static double farthest(const dls_step *S) {
  const dls_world *w = S->w;
  double most = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!dls_moves_freely(body) || !body->shape) continue;
    const double *u = DLS_U(S, S->u_n, i),
                 reach = body->disk_radius > 0 ? body->disk_radius : body->shape->reach;
    for (int k = 0; k < S->dim; k++)
      if (fabs(u[k]) > most * reach) most = fabs(u[k]) / reach; /* few divide */
    if (0.5 * S->h * most >= DLS_OVERLAP_LATER) break;
  }
  return 0.5 * S->h * most;
}

/* What is left of an dls_overlap in a large pile may be as deep as it moves, within bounds, least
** of them `least`. */
double dls_enough_of(const dls_step *S, double least) {
  return dls_min(DLS_OVERLAP_LATER, dls_max(least, farthest(S)));
}

dls_status dls_project_large(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool open,
                             bool by_disks) {
  if (P->worst <= (by_disks ? dls_let_be_2(S) : DLS_OVERLAP_LARGE) && !open) return DLS_OK;
  const double enough = dls_enough_of(S, DLS_OVERLAP_LARGE);
  const bool rests = enough <= DLS_OVERLAP_LARGE;
  const int sweeps = rests ? 4 * DLS_SWEEPS : DLS_SWEEPS;
  dls_status status = DLS_OK;
  if (by_disks && P->n_user == 0 && !S->joined) {
    bool done;
    status = dls_project_turnless(S, N, P, &done);
    if (status != DLS_OK || done) return status;
  }
  status = settle_large(S, N, P, true, sweeps, DLS_OVERLAP_LARGE);
  for (int turn = 1; turn < 2 * DLS_ROUNDS && status == DLS_OK && P->worst > enough; turn++) {
    const bool more = rests || P->worst > DLS_OVERLAP_DEEP;
    if ((turn >= DLS_ROUNDS && !more) || !dls_position_goes_on(S, P)) break;
    const double left = (turn < DLS_ROUNDS ? 1 : 0.5) * DLS_OVERLAP_LARGE;
    status = settle_large(S, N, P, false, more ? 4 * DLS_SWEEPS : DLS_SWEEPS, left);
  }
  return status;
}
