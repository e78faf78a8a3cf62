/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

/* One sweep over all touches: of shapes, then of disks, or the other way. */
static dls_status sweep_pile(dls_step *S, dls_near_stage *N, dls_position_stage *P, int number, double left,
                             double *worst) {
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
static dls_status settle_large(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool holding, int sweeps,
                               double left) {
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
  const unsigned char kept = (unsigned char)(holding ? ~DLS_GAP_TAKEN : ~(DLS_GAP_TAKEN | DLS_GAP_HOLDS));
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
    const double *u = DLS_U(S, S->u_n, i), reach = body->disk_radius > 0 ? body->disk_radius : body->shape->reach;
    for (int k = 0; k < S->dim; k++)
      if (fabs(u[k]) > most * reach) most = fabs(u[k]) / reach; /* few divide */
    if (0.5 * S->h * most >= DLS_OVERLAP_LATER) break;
  }
  return 0.5 * S->h * most;
}

/* What is left of an dls_overlap in a large pile may be as deep as it moves, within bounds, least of them `least`. */
double dls_enough_of(const dls_step *S, double least) {
  return dls_min(DLS_OVERLAP_LATER, dls_max(least, farthest(S)));
}

dls_status dls_project_large(dls_step *S, dls_near_stage *N, dls_position_stage *P, bool open, bool by_disks) {
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
