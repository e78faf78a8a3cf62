/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/body_row.h"

#include "core/forest/pinned.h"
#include "core/joints/joint_forces.h"
#include "core/model/frames.h"
#include "core/rows/mass.h"

/* What a row sees of a body, as moment about its centre and force. */
static dls_spatial side_of(const dls_world *w, const dls_acc_row *row, int end) {
  const double *J = row->J + (size_t)end * dls_nu_of(w);
  if (w->dim == 2) return (dls_spatial){{0, 0, J[2]}, {J[0], J[1], 0}};
  return (dls_spatial){{J[3], J[4], J[5]}, {J[0], J[1], J[2]}};
}

dls_status dls_body_row_acceleration(const dls_event_world *x, const dls_acc_row *row,
                                     double *out) {
  const int body[4] = {row->a, row->b, row->c, row->d};
  *out = -row->bias;
  for (int e = 0; e < row->n_ends; e++) {
    const dls_spatial j = side_of(x->world, row, e);
    dls_event_motion m;
    const dls_status status = dls_event_motion_accelerated(x, body[e], &m);
    if (status != DLS_OK) return status;
    *out += dls_v3_dot(j.a, m.a.a) + dls_v3_dot(j.l, m.a.l);
  }
  return DLS_OK;
}

double dls_body_row_carried(const dls_event_world *x, const dls_acc_row *row) {
  const dls_world *w = x->world;
  const int body[4] = {row->a, row->b, row->c, row->d}, nu = (int)dls_nu_of(w);
  double v = row->v;
  for (int e = 0; e < row->n_ends; e++) {
    if (w->bodies[body[e]].type != DLS_DYNAMIC) continue;
    v -= dls_dot_u(nu, row->J + (size_t)e * (size_t)nu, w->u + (size_t)body[e] * (size_t)nu);
  }
  return v;
}

bool dls_body_row_project(dls_event_world *x, const dls_acc_row *row, double *out) {
  const dls_trees *t = x->world->trees;
  const int body[4] = {row->a, row->b, row->c, row->d};
  dls_row_side sides[4] = {0};
  int n = 0;
  for (int e = 0; e < row->n_ends; e++) {
    if (t->body_link[body[e]] < 0) continue;
    sides[n].link = t->body_link[body[e]];
    dls_sp_store(sides[n++].j, side_of(x->world, row, e));
  }
  if (dls_forest_is_pinned(t->forest, t->state, n, sides)) {
    memset(out, 0, (size_t)x->nu * sizeof *out);
    return false;
  }
  for (int k = 0; k < n; k++) {
    double *wrench = x->wrench + 6 * (size_t)sides[k].link;
    dls_sp_store(wrench, dls_sp_add(dls_sp_load(wrench), dls_sp_load(sides[k].j)));
  }
  dls_forest_generalized(t->forest, t->state, x->wrench, out);
  for (int k = 0; k < n; k++) memset(x->wrench + 6 * (size_t)sides[k].link, 0, 6 * sizeof(double));
  return true;
}

void dls_body_row_push(dls_event_world *x, const dls_acc_row *row, int joint, int other,
                       double force) {
  dls_world *w = x->world;
  const int body[4] = {row->a, row->b, row->c, row->d};
  for (int e = 0; e < row->n_ends; e++) {
    const int link = w->trees->body_link[body[e]];
    if (link < 0) continue;
    const dls_spatial j = side_of(w, row, e);
    double *wrench = w->trees->state->wrench + 6 * (size_t)link;
    dls_v3_store(wrench, dls_v3_axpy(dls_v3_load(wrench), force, j.a));
    dls_v3_store(wrench + 3, dls_v3_axpy(dls_v3_load(wrench + 3), force, j.l));
  }
  dls_joint_own_add(w, w->q, joint, row->J, force);
  if (other >= 0) dls_joint_own_add(w, w->q, other, row->J + 2 * dls_nu_of(w), force);
}
