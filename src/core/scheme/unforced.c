/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/unforced.h"

#include "core/scheme/advance.h"
#include "core/scheme/forces.h"
#include "core/step/poses.h"

dls_status dls_set_out_unforced(dls_step *S) {
  dls_world *w = S->w;
  const dls_columns *c = &w->columns;
  const size_t n = (size_t)w->n_bodies;
  if (w->hooks.motion) memcpy(S->u_c, w->u, n * 3 * sizeof(double));
  else S->u_c = w->u; /* which nothing changes, then */
  bool finite = dls_disks_release(w, (1 - S->theta) * S->h, S->h, S->q_c, S->rows.u_free);
  memcpy(S->rows.inv_mass, c->inv_mass, n * sizeof(double));
  memcpy(S->rows.inv_inertia, c->inv_inertia, n * sizeof(double));
  for (int e = 0; e < c->n_general; e++) {
    const int i = c->general[e];
    double *q = DLS_Q(S, S->q_c, i);
    memcpy(q, DLS_Q(S, w->q, i), 3 * sizeof(double));
    const dls_status status = dls_begin_body(S, i);
    if (status != DLS_OK) return status;
    dls_release_body(S, i);
    if (w->bodies[i].alive) dls_pose_at(S, i, q);
    finite &= dls_zero_of(q, 3) == 0 && dls_zero_of(DLS_U(S, S->rows.u_free, i), 3) == 0;
  }
  S->placed = S->q_c;
  w->fault = -1;
  return finite ? DLS_OK : dls_check_bodies(S, S->q_c, S->rows.u_free);
}

static void poses_unforced(dls_step *S, const double *q) {
  const dls_columns *c = &S->w->columns;
  for (int e = 0; e < c->n_general; e++)
    if (S->w->bodies[c->general[e]].alive)
      dls_pose_at(S, c->general[e], DLS_Q(S, q, c->general[e]));
  S->placed = q;
}

void dls_stand_at(dls_step *S, const double *q) {
  if (S->unforced) poses_unforced(S, q);
  else dls_poses_at(S, q);
}

void dls_advance_unforced(dls_step *S) {
  const dls_columns *c = &S->w->columns;
  dls_disks_drift(S->w, S->q_c, S->rows.u, S->theta * S->h, S->q_n, S->u_n);
  for (int e = 0; e < c->n_general; e++) dls_advance_body(S, c->general[e]);
}

void dls_take_spots(dls_step *S, dls_position_stage *P) {
  const double *radius = S->w->columns.radius;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const double *q = DLS_Q(S, S->q_n, i), round = radius[i];
    P->spot[i] = (dls_spot2){q[0], q[1], round > 0 ? round : -DLS_INF, S->rows.inv_mass[i]};
  }
}
