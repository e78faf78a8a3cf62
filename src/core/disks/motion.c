/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/disks.h"

#include "core/disks/motion_lanes.h"

/* How far the projection may shift a disk of a large pile onto others, by its radius: they are to
** be in sight. */
static const double SHIFTED = 1e-3;

bool dls_disks_release(const dls_world *w, double s, double h, double *q_c, double *u_free) {
  const double pull[3] = {w->gravity[0], w->gravity[1], -0.0}; /* -0 + x is x, whatever x is */
  return dls_motion_lanes_best()->release(w->n_bodies * 3, w->q, w->u, w->load, w->columns.inverse,
                                          pull, s, h, q_c, u_free);
}

void dls_disks_drift(const dls_world *w, const double *q_c, const double *u, double s, double *q_n,
                     double *u_n) {
  dls_motion_lanes_best()->drift(w->n_bodies * 3, q_c, u, s, q_n, u_n);
}

bool dls_disks_place(dls_disk_stage *D, const double *q_c, const double *const built[4],
                     double limit, dls_rim2 *rim, double *way) {
  const dls_placing of = {.q = q_c, .u = D->u_c, .f = D->u_ahead, .radius = D->w->columns.radius,
                          .h = D->h, .more = SHIFTED,
                          .built = {built[0], built[1], built[2], built[3]}, .limit = limit,
                          .disk = D->spot, .rim = rim, .way = way};
  return dls_motion_lanes_best()->place(D->w->n_bodies, &of);
}
