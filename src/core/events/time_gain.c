/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

#include "core/model/rebounds.h"

/* Energy that the impacts of a step added, told as in worlds (scheme/impact_gain.h): over what
** impulses join. */

/* Whether contact i rebounds. */
static bool bounces(const dls_time *x, int i) {
  const dls_system *s = x->e->system;
  return x->e->scratch->timed[i].before < 0 && (s->e_N[i] > 0 || s->e_T[i] > 0);
}

/* Half of the velocity that forces make of a row in the step, m/s: the most of all. */
static double pushed_most(const dls_time *x) {
  const dls_event_scratch *w = x->e->scratch;
  double most = 0;
  for (int k = 0; k < w->n_listed; k++)
    for (int j = 0; j <= w->n_tangents[k]; j++) {
      double along = 0;
      for (int l = 0; l < x->e->system->n; l++)
        along +=
            dls_system_row(x->e->system, w->rows[w->first[k] + j])[l] * x->e->system->smooth[l];
      most = dls_max(most, 0.5 * x->h * fabs(along));
    }
  return most;
}

/* Work of the contact at place k, added to *sum. */
static void charge_place(const dls_time *x, int k, double fallen, dls_impact_sum *sum) {
  const dls_event_scratch *w = x->e->scratch;
  const dls_time_contact *c = &w->timed[w->listed[k]];
  double along = 0;
  for (int j = 0; j <= w->n_tangents[k]; j++) {
    const double was = sum->all.work, p = w->x[w->first[k] + j] + c->impact[j];
    dls_impact_strike(sum, p, c->v[j], c->free[j], w->a[w->first[k] + j], fallen);
    along += j > 0 ? sum->all.work - was : 0;
  }
  sum->thrown += dls_max(along, 0);
  sum->rebounds = sum->rebounds || bounces(x, w->listed[k]);
}

/* Of what impulses turn over: what round-off and the residual leave open. */
static double open_share(const dls_time *x) { return DLS_IMPACT_ROUND_OFF + x->residual; }

/* Islands of what has impulses; whether anything that they join may have gained. */
static bool find_islands(const dls_time *x, double fallen) {
  dls_event_scratch *w = x->e->scratch;
  double given = 0;
  bool rebounds = false;
  for (int k = 0; k < w->n_listed; k++) {
    dls_impact_sum own = {0};
    charge_place(x, k, fallen, &own);
    given += dls_max(own.all.work, 0);
    rebounds = rebounds || own.rebounds;
    w->island[k] = own.all.turned > 0 ? k : -1;
  }
  if (!rebounds || !(given > 0)) return false;
  dls_time_join_islands(w);
  return true;
}

static dls_impact_sum sum_of(const dls_time *x, int island, double fallen) {
  dls_impact_sum sum = {0};
  for (int k = 0; k <= island; k++)
    if (x->e->scratch->island[k] == island) charge_place(x, k, fallen, &sum);
  return sum;
}

double dls_time_gain(const dls_time *x) {
  const double fallen = pushed_most(x);
  double given = 0;
  if (!find_islands(x, fallen)) return 0;
  for (int i = 0; i < x->e->scratch->n_listed; i++) {
    if (x->e->scratch->island[i] != i) continue;
    const dls_impact_sum sum = sum_of(x, i, fallen);
    if (sum.rebounds) given += dls_impact_told(&sum, open_share(x));
  }
  return given;
}

bool dls_time_gains(const dls_time *x) {
  const double fallen = pushed_most(x);
  bool any = false;
  if (!find_islands(x, fallen + x->noise)) return false;
  for (int i = 0; i < x->e->scratch->n_listed; i++) {
    if (x->e->scratch->island[i] != i) continue;
    const dls_impact_sum sum = sum_of(x, i, fallen + x->noise);
    const bool gains = dls_rebounds_gain(&sum, open_share(x));
    for (int k = 0; k <= i && !gains; k++)
      if (x->e->scratch->island[k] == i) x->e->scratch->island[k] = -1;
    any = any || gains;
  }
  return any;
}
