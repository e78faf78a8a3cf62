/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

/* Impacts on the velocities before the step, at q_c, of contacts that do not stand by; the forces
** come after, without restitution but for what holds a rebound. Islands of contacts that move
** each other have their impacts apart. */

/* The contacts of an island one behind the other: places in the set in w->perm; its problem, of
** arrays that only the event-driven scheme uses. */
static dls_impact_problem gather(const dls_event_scheme *e, int island) {
  dls_event_scratch *w = e->scratch;
  int n = 0, m = 0, *const row = w->eq, *const place = w->perm;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    const dls_time_contact *c = &w->timed[i];
    if (w->island[k] != island) continue;
    w->slip[n] = w->mu[k], w->e_N[n] = e->system->e_N[i], w->e_T[n] = e->system->e_T[i];
    row[n] = m, w->tangents[n] = w->n_tangents[k], place[n++] = k;
    for (int j = 0; j <= w->n_tangents[k]; j++) w->d[m++] = c->v[j];
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int i = 0; i <= w->tangents[a]; i++)
        for (int j = 0; j <= w->tangents[b]; j++)
          w->A[(size_t)(row[a] + i) * (size_t)m + (size_t)(row[b] + j)] =
              w->G[(size_t)(w->first[place[a]] + i) * (size_t)w->n_rows +
                   (size_t)(w->first[place[b]] + j)];
  const dls_contact_problem contacts = {.n = n,
                                        .n_rows = m,
                                        .row = row,
                                        .n_tangents = w->tangents,
                                        .G = w->A,
                                        .mu = w->slip,
                                        .corners = e->opts.corners};
  return (dls_impact_problem){.contacts = contacts, .before = w->d, .e_N = w->e_N, .e_T = w->e_T,
                              .law = e->opts.impact, .rest_waits = true};
}

/* By more than round-off. */
static bool anything_approaches(const dls_time *x, const dls_impact_problem *p) {
  for (int k = 0; k < p->contacts.n; k++)
    if (p->before[p->contacts.row[k]] < -dls_time_round_off(x)) return true;
  return false;
}

static dls_status collide_island(dls_time *x, int island) {
  dls_event_scheme *e = x->e;
  dls_event_scratch *w = e->scratch;
  const dls_impact_problem p = gather(e, island);
  dls_impact_report report;
  if (!anything_approaches(x, &p)) return DLS_OK;
  const dls_status status = dls_impact_solve(&p, &e->tmp, w->end, w->a, &report);
  if (status != DLS_OK) return status;
  if (report.outcome != DLS_SOLVED) return DLS_SINGULAR;
  e->stats.problems += report.n_solved;
  e->stats.curbed += report.curbed;
  e->stats.residual = dls_max(e->stats.residual, report.residual);
  for (int k = 0; k < p.contacts.n; k++) {
    dls_time_contact *c = &w->timed[w->listed[w->perm[k]]];
    for (int j = 0; j <= p.contacts.n_tangents[k]; j++)
      c->impact[j] = w->end[p.contacts.row[k] + j];
    c->back = w->a[p.contacts.row[k]], c->collapsed = report.collapsed;
    c->tells = report.collapsed && w->perm[k] == island;
  }
  return DLS_OK;
}

/* The impulses of all islands on the velocities. */
static void hand_over(dls_time *x) {
  dls_event_scratch *w = x->e->scratch;
  for (int k = 0; k < w->n_listed; k++)
    for (int j = 0; j <= w->n_tangents[k]; j++)
      w->x[w->first[k] + j] = w->timed[w->listed[k]].impact[j];
  dls_time_respond(x->e, 1, w->x, w->u);
  for (int r = 0; r < w->n_rows; r++)
    for (int l = 0; l < w->n_rows; l++)
      w->c[r] += w->G[(size_t)r * (size_t)w->n_rows + (size_t)l] * w->x[l];
}

dls_status dls_time_collide(dls_time *x) {
  dls_event_scratch *w = x->e->scratch;
  dls_status status = DLS_OK;
  if (x->e->opts.impact == DLS_IMPACT_NEWTON) return DLS_OK;
  for (int k = 0; k < w->n_listed; k++) w->island[k] = w->timed[w->listed[k]].speculative ? -1 : k;
  dls_time_join_islands(w);
  for (int k = 0; k < w->n_listed && status == DLS_OK; k++)
    if (w->island[k] == k) status = collide_island(x, k);
  if (status == DLS_OK) hand_over(x);
  return status;
}
