/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/compliance.h"

#include "core/model/material.h"
#include "core/model/records.h"

void dls_stiffness_of(const dls_step *S, const dls_contact *c, double *k, double *damping) {
  const dls_world *w = S->w;
  dls_material m =
      c->user >= 0 ? w->user_contacts[c->user].material : dls_world_material(w, c->a, c->b);
  *k = m.stiffness;
  *damping = c->damping;
}

static const double RELAXED = 1e-12; /* of the smaller body */

/* What an old contact that is none now keeps of its compression; 0: nothing worth keeping. */
static double kept_compression(const dls_step *S, const dls_contact *old) {
  double k, damping;
  if (!(old->x > 0)) return 0;
  dls_stiffness_of(S, old, &k, &damping);
  if (!(k < DLS_INF) || !(damping > 0)) return 0;
  const double x = damping * old->x / (S->h * k + damping);
  return x > RELAXED * old->size ? x : 0;
}

static bool is_there(const dls_world *w, const dls_contact *c) {
  if (c->user >= 0) return w->user_contacts[c->user].alive;
  return w->bodies[c->a].alive && w->bodies[c->b].alive;
}

/* The next old contact from i on, downwards, that is not among the new ones (of which those from j
** on are greater); j follows. */
static int next_lost(const dls_step *S, int i, int *j) {
  const dls_world *w = S->w;
  for (; i >= 0; i--) {
    if (!(w->contacts[i].x > 0) || !is_there(w, &w->contacts[i])) continue;
    int order = -1;
    while (*j >= 0 && (order = dls_contacts_order(&w->contacts_next[*j], &w->contacts[i])) > 0)
      --*j;
    if (*j >= 0 && order == 0) continue;
    if (kept_compression(S, &w->contacts[i]) > 0) return i;
  }
  return -1;
}

static void remember_as(const dls_step *S, const dls_contact *old, dls_contact *now) {
  *now = *old;
  now->listed = 0;
  now->state = DLS_APART;
  now->mark = 0;
  now->p_n = 0;
  now->x_before = old->x;
  now->x = kept_compression(S, old);
  memset(now->impulse, 0, sizeof now->impulse);
  memset(now->torque, 0, sizeof now->torque);
}

/* Old and new contacts are sorted; from the back, so that the new ones move once. */
dls_status dls_keep_compressed(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks) {
  dls_world *w = S->w;
  if (!S->compliant) return DLS_OK;
  dls_contact *now = w->contacts_next;
  int lost = 0, j = C->n_contacts - 1;
  for (int i = next_lost(S, w->n_contacts - 1, &j); i >= 0; i = next_lost(S, i - 1, &j)) lost++;
  if (lost == 0) return DLS_OK;
  if (C->n_contacts + lost > w->contact_room) {
    w->need_contacts = 2 * (C->n_contacts + lost);
    return DLS_FULL;
  }
  int from = C->n_contacts - 1, to = from + lost, block = S->rows.n_blocks - 1;
  j = from;
  for (int i = next_lost(S, w->n_contacts - 1, &j); lost > 0; lost--) {
    for (; from >= 0 && dls_contacts_order(&now[from], &w->contacts[i]) > 0; from--, to--) {
      now[to] = now[from];
      if (block >= 0 && S->rows.block[block].source == from) S->rows.block[block--].source = to;
    }
    const int next = lost > 1 ? next_lost(S, i - 1, &j) : -1;
    remember_as(S, &w->contacts[i], &now[to--]);
    i = next;
    C->n_contacts++;
  }
  dls_disks_renumber(disks);
  return DLS_OK;
}
