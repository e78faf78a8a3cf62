/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* Groups of the set: contacts that answer each other, also by way of others. What is small is so
** beside forces and accelerations of its own group: a light body beside a heavy one that it has
** nothing to do with begins to slip when it would alone. */

/* of both own answers, squared: bodies that answer each other */
#define COUPLED 1e-26
/* Of the largest of all groups, which are solved together: none counts as smaller, in accelerations
** that its forces make of its own bodies, and in accelerations. */
#define LEAST_FORCE 1e-6
#define LEAST 1e-3
/* of the largest acceleration of the group: none */
#define ZERO 1e-9
/* of the terms of an acceleration */
#define ROUND 1e-12

bool dls_event_coupled(const dls_event_scratch *w, int a, int b) {
  const size_t n = (size_t)w->n_rows;
  for (int i = w->first[a]; i <= w->first[a] + w->n_tangents[a]; i++)
    for (int j = w->first[b]; j <= w->first[b] + w->n_tangents[b]; j++) {
      const double g = w->G[(size_t)i * n + (size_t)j];
      if (g * g > COUPLED * w->G[(size_t)i * n + (size_t)i] * w->G[(size_t)j * n + (size_t)j])
        return true;
    }
  return false;
}

void dls_event_group(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  for (int k = 0; k < w->n_listed; k++) {
    w->group[k] = k;
    for (int l = 0; l < k; l++) {
      const int from = w->group[k], to = w->group[l];
      if (from == to || !dls_event_coupled(w, k, l)) continue;
      for (int j = 0; j <= k; j++)
        if (w->group[j] == from || w->group[j] == to) w->group[j] = from < to ? from : to;
    }
  }
}

/* values (places of the set) become the largest of each group. */
static void share_out(const dls_event_scratch *w, double *values) {
  for (int k = 0; k < w->n_listed; k++)
    values[w->group[k]] = dls_max(values[w->group[k]], values[k]);
  for (int k = 0; k < w->n_listed; k++) values[k] = values[w->group[k]];
}

/* What contact k of the set answers a unit of its normal force with. */
static double answer_of(const dls_event_scratch *w, int k) {
  return w->G[(size_t)w->first[k] * (size_t)w->n_rows + (size_t)w->first[k]];
}

void dls_event_largest(dls_event_scheme *e, const double *force, bool of_set) {
  dls_event_scratch *w = e->scratch;
  double all = 0;
  for (int k = 0; k < w->n_listed; k++) {
    w->most[k] = 0;
    for (int r = w->first[k]; r <= w->first[k] + w->n_tangents[k]; r++)
      w->most[k] = dls_max(w->most[k], fabs(force[of_set ? r : w->rows[r]]));
    w->none[k] = w->most[k] * answer_of(w, k);
    all = dls_max(all, w->none[k]);
  }
  share_out(w, w->most);
  share_out(w, w->none);
  for (int k = 0; k < w->n_listed; k++) {
    const double G = answer_of(w, k);
    if (G > 0)
      w->most[k] = dls_max(dls_min(w->most[k], w->none[k] / G), LEAST_FORCE * all / G);
  }
}

void dls_event_none(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  double all = 0;
  for (int k = 0; k < w->n_listed; k++) {
    w->none[k] = 0;
    for (int r = w->first[k]; r <= w->first[k] + w->n_tangents[k]; r++) {
      double sum = fabs(w->c[r]);
      for (int l = 0; l < w->n_rows; l++)
        sum += fabs(w->G[(size_t)r * (size_t)w->n_rows + (size_t)l] * w->x[l]);
      w->none[k] = dls_max(w->none[k], dls_max(ZERO * sum, ROUND * w->terms[r]));
    }
    all = dls_max(all, w->none[k]);
  }
  share_out(w, w->none);
  for (int k = 0; k < w->n_listed; k++) w->none[k] = dls_max(w->none[k], LEAST * all);
}
