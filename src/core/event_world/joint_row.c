/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/joint_row.h"

bool dls_joint_row_is_held(const dls_smooth_contact *contact) { return contact->rubs || contact->drives; }

/* The link that a reduced joint carries. */
static const dls_link_info *link_of(const dls_world *w, const dls_joint *j) {
  return &w->trees->forest->links[w->trees->body_link[j->turned ? j->a : j->b]];
}

double dls_joint_row_gap(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_world *w = x->world;
  const dls_joint *j = &w->joints[contact->joint];
  const double q = x->q[link_of(w, j)->iq + contact->limit];
  return contact->upper ? j->hi[contact->limit] - q : q - j->lo[contact->limit];
}

void dls_joint_row_rows(const dls_event_world *x, const dls_smooth_contact *contact, double *row, double *drift,
                        double *wbar) {
  const dls_joint *j = &x->world->joints[contact->joint];
  const int iu = link_of(x->world, j)->iu + contact->limit;
  const bool held = dls_joint_row_is_held(contact);
  memset(row, 0, (held ? 2 : 1) * (size_t)x->nu * sizeof *row);
  drift[0] = 0;
  if (wbar != NULL) wbar[0] = 0;
  if (!held) {
    row[iu] = contact->upper ? -1 : 1;
    return;
  }
  row[x->nu + iu] = 1;
  drift[1] = contact->drives ? -j->motor.target : 0;
  if (wbar != NULL) wbar[0] = contact->drives ? -j->motor.most : -j->friction, wbar[1] = 0;
}

void dls_joint_row_push(dls_event_world *x, const dls_smooth_contact *contact, const double *force) {
  const dls_joint *j = &x->world->joints[contact->joint];
  const bool held = dls_joint_row_is_held(contact);
  x->world->trees->state->tau[link_of(x->world, j)->iu + contact->limit] +=
      held ? force[1] : contact->upper ? -force[0] : force[0];
}
