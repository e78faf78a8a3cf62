/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* How long a step may be in which four samples, and differences, see gaps that move by time alone:
** they are looked at with coordinates that stand still. What cubics through five samples miss falls
** with the fourth power of the span where these see how a gap goes. */

#define NODES 5
#define APART 0.381966011250105 /* of the way between two samples: no period that both have */
#define FALLS 6.0               /* times, where the span is halved; 16 in the limit          */
#define ROUND 1e-13             /* of a gap, and m: nothing is missed                        */
/* A gap that is rounded or noisy is not seen at any span: it is watched by the whole one then. With
** 24 a ball above a table whose place is rounded to 1e-9 m took steps of 1e-10 s; swings of a tenth
** of dt are seen with 8 (event_shaken_spec) */
#define HALVINGS 8

static dls_status gap_at(dls_event_scheme *e, int i, double x, double *gap) {
  return dls_system_gap(e->system, i, e->t + x, e->q, gap);
}

/* Cubic through four of the samples g, spaced by 1, at x. */
static double cubic(const double *g, double x) {
  int first = (int)x - 1;
  first = first < 0 ? 0 : first > NODES - 4 ? NODES - 4 : first;
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    double base = g[first + k];
    for (int l = 0; l < 4; l++)
      if (l != k) base *= (x - first - l) / (k - l);
    sum += base;
  }
  return sum;
}

/* The most by which cubics through samples of gap i miss it within a span. */
static dls_status missed(dls_event_scheme *e, int i, double span, double *most) {
  double g[NODES], size = 0, gap;
  *most = 0;
  dls_status status = DLS_OK;
  for (int k = 0; k < NODES && status == DLS_OK; k++) {
    status = gap_at(e, i, span * k / (NODES - 1), &g[k]);
    if (status == DLS_OK) size = dls_max(size, fabs(g[k]));
  }
  for (int k = 0; k < NODES - 1 && status == DLS_OK; k++) {
    status = gap_at(e, i, span * (k + APART) / (NODES - 1), &gap);
    if (status == DLS_OK) *most = dls_max(*most, fabs(gap - cubic(g, k + APART)));
  }
  if (*most <= ROUND * (1 + size)) *most = 0;
  return status;
}

/* Whether gap i changes within a span while coordinates stand still. */
static dls_status stirs(dls_event_scheme *e, int i, double span, bool *any) {
  static const double shares[] = {0, APART, 0.5 + APART / 2, 1};
  double first = 0, gap;
  *any = false;
  for (size_t k = 0; k < sizeof shares / sizeof *shares && !*any; k++) {
    const dls_status status = gap_at(e, i, shares[k] * span, &gap);
    if (status != DLS_OK) return status;
    if (k == 0) first = gap;
    *any = gap != first;
  }
  return DLS_OK;
}

dls_status dls_event_watchable(dls_event_scheme *e, double *span) {
  const dls_system_def *def = &e->system->def;
  dls_status status = DLS_OK;
  for (int i = 0; i < e->system->n_contacts && status == DLS_OK; i++) {
    double miss[3];
    bool any, seen = false;
    const double whole = *span;
    if (def->moves == NULL || !def->moves(def->ctx, i)) continue;
    status = stirs(e, i, *span, &any);
    for (int k = 0; k < 3 && any && status == DLS_OK; k++)
      status = missed(e, i, *span / (1 << k), &miss[k]);
    for (int k = 0; k < HALVINGS && any && status == DLS_OK; k++) {
      seen = miss[0] >= FALLS * miss[1] && miss[1] >= FALLS * miss[2];
      if (seen) break;
      *span *= 0.5;
      miss[0] = miss[1], miss[1] = miss[2];
      status = missed(e, i, *span / 4, &miss[2]);
    }
    if (any && !seen) *span = whole;
  }
  e->system->def.span = dls_min(e->scratch->span, *span);
  return status;
}
