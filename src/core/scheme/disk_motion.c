/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/disk_motion.h"

#include "core/scheme/advance.h"
#include "core/scheme/forces.h"
#include "core/scheme/motion_lanes.h"

dls_status dls_set_out_disks(dls_step *S) {
  dls_world *w = S->w;
  const dls_columns *c = &w->columns;
  const size_t n = (size_t)w->n_bodies;
  const double pull[3] = {w->gravity[0], w->gravity[1], -0.0}; /* -0 + x is x, whatever x is */
  if (w->hooks.motion) memcpy(S->u_c, w->u, n * 3 * sizeof(double));
  else S->u_c = w->u; /* which nothing changes, then */
  bool finite = dls_motion_lanes_best()->release(w->n_bodies * 3, w->q, w->u, w->load, c->inverse, pull,
                                                 (1 - S->theta) * S->h, S->h, S->q_c, S->rows.u_free);
  memcpy(S->rows.inv_mass, c->inv_mass, n * sizeof(double));
  memcpy(S->rows.inv_inertia, c->inv_inertia, n * sizeof(double));
  for (int e = 0; e < c->n_odd; e++) {
    const int i = c->odd[e];
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

/* Poses at q of what is no disk that moves freely; dls_touches_of() makes those it asks for. */
void dls_poses_disks(dls_step *S, const double *q) {
  const dls_columns *c = &S->w->columns;
  for (int e = 0; e < c->n_odd; e++)
    if (S->w->bodies[c->odd[e]].alive) dls_pose_at(S, c->odd[e], DLS_Q(S, q, c->odd[e]));
  S->placed = q;
}

void dls_advance_disks(dls_step *S) {
  const dls_world *w = S->w;
  const dls_columns *c = &w->columns;
  const dls_motion_lanes *lanes = dls_motion_lanes_best();
  lanes->drift(w->n_bodies * 3, S->q_c, S->rows.u, S->theta * S->h, S->q_n, S->u_n);
  for (int e = 0; e < c->n_odd; e++) dls_advance_body(S, c->odd[e]);
}

void dls_take_spots(dls_step *S) {
  const double *radius = S->w->columns.radius;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const double *q = DLS_Q(S, S->q_n, i), round = radius[i];
    S->spot[i] = (dls_spot2){q[0], q[1], round > 0 ? round : -DLS_INF, S->rows.inv_mass[i]};
  }
}
