/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

#include "core/scheme/position.h"

/* Positions after velocities as in worlds (scheme/position.h): the smallest change of q in the
** metric of M. */

typedef enum choice { HOLDING, WITHIN } choice;

/* All gaps; the deepest overlap, in m and as a share of its contact's scale. */
static dls_status look(dls_time *x, const double *q, double *deepest, double *worst) {
  dls_system *s = x->e->system;
  *deepest = *worst = 0;
  dls_status status = DLS_OK;
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    status = dls_system_gap(s, i, x->t_end, q, &s->gap[i]);
    *deepest = dls_max(*deepest, -s->gap[i]);
    *worst = dls_max(*worst, -s->gap[i] / s->scale[i]);
  }
  return status;
}

static bool is_chosen(const dls_time *x, int i, choice which, double slack) {
  const bool held = (x->e->contacts[i].memory & DLS_MEMORY_HELD) != 0;
  return which == HOLDING ? held : x->e->system->gap[i] <= slack;
}

/* Gaps of the chosen contacts as a problem, to be opened (sign 1: 0 <= pi _|_ gap + J dq >= 0) or
** shut (-1: 0 >= pi _|_ gap + J dq <= 0); q follows. */
static dls_status settle(dls_time *x, double *q, choice which, double slack, double sign) {
  dls_event_scheme *e = x->e;
  dls_event_scratch *w = e->scratch;
  dls_system *s = e->system;
  dls_status status = DLS_OK;
  w->n_listed = w->n_rows = 0;
  dls_system_clear(s);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++) {
    if (!is_chosen(x, i, which, slack)) continue;
    status = dls_system_rows(s, i, x->t_end, q, e->u, false);
    if (status == DLS_OK) status = dls_time_list(e, i, 1);
    if (status != DLS_OK) return status;
    w->c[w->n_rows - 1] = sign * s->gap[i], w->b[w->n_rows - 1] = 0;
  }
  if (status == DLS_OK) status = dls_event_make_room(e);
  if (status != DLS_OK || w->n_rows == 0) return status;
  dls_system_delassus(s, w->n_rows, w->rows, w->G);
  double residual;
  status = dls_time_cone(e, false, 0, &residual);
  if (status == DLS_OK) dls_time_respond(e, sign, w->x, q);
  return status;
}

/* The widest gap among contacts that held, as such a share. */
static double widest(const dls_time *x) {
  double most = 0;
  for (int i = 0; i < x->e->system->n_contacts; i++)
    if (is_chosen(x, i, HOLDING, 0))
      most = dls_max(most, x->e->system->gap[i] / x->e->system->scale[i]);
  return most;
}

dls_status dls_time_project(dls_time *x, double *q) {
  double deepest, worst;
  dls_status status = look(x, q, &deepest, &worst);
  if (status != DLS_OK) return status;
  x->e->stats.drift = dls_max(x->e->stats.drift, deepest);
  if (widest(x) > DLS_CLOSED) {
    status = settle(x, q, HOLDING, 0, -1);
    if (status == DLS_OK) status = look(x, q, &deepest, &worst);
  }
  for (int turn = 0; turn < DLS_ROUNDS && status == DLS_OK; turn++) {
    if (worst <= (turn == 0 ? DLS_OVERLAP_NOISE : DLS_OVERLAP_SMALL)) break;
    status = settle(x, q, WITHIN, 2 * deepest, 1);
    if (status == DLS_OK) status = look(x, q, &deepest, &worst);
  }
  return status;
}
