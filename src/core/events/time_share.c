/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/points.h"
#include "core/events/time_parts.h"

/* Newton's impacts of redundant contacts, by islands as worlds have them
** (scheme/impact_newton.h). */

static bool slides(const dls_event_scratch *w, int k, double still) {
  const int r = w->first[k], d = w->n_tangents[k];
  double slip[2];
  for (int j = 0; j < d; j++) slip[j] = w->a[r + 1 + j] + w->b[r + 1 + j];
  return d > 0 && w->mu[k] > 0 && w->x[r] > 0 && dls_disk_length(d, slip) > still;
}

/* Whether an island may be one: small, something in it is thrown back, two contacts slide. Its
** contacts, places in the set: w->perm; their number and rows. */
static bool may_be_open(const dls_time *x, int island, int *n, int *n_rows) {
  dls_event_scratch *w = x->e->scratch;
  int sliding = 0;
  bool any = false;
  *n = *n_rows = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const dls_time_contact *c = &w->timed[w->listed[k]];
    if (w->island[k] != island) continue;
    w->perm[(*n)++] = k;
    *n_rows += 1 + w->n_tangents[k];
    sliding += slides(w, k, x->noise);
    any = any || (!c->speculative && w->x[w->first[k]] > 0 && -w->b[w->first[k]] > x->noise);
  }
  return any && sliding > 1 && *n_rows <= DLS_POINTS_ROWS;
}

/* The contacts w->perm[0 .. n - 1] as a problem without impulses, those that there are in p. */
static void fill(const dls_event_scratch *w, int n, dls_points *N, double *p) {
  for (int a = 0, i = 0; a < n; a++) {
    const int k = w->perm[a], d = w->n_tangents[k];
    N->group[a] = (dls_cone_group){.kind = d == 2 ? DLS_CONE_SPATIAL : d == 1 ? DLS_CONE_PLANAR :
                                   DLS_CONE_UNILATERAL,
                                   .row = i, .mu = {w->mu[k]}};
    for (int r = w->first[k]; r <= w->first[k] + d; r++, i++) {
      double *W = N->W + (size_t)i * (size_t)N->n;
      N->v[i] = w->c[r] + w->b[r], N->length[i] = 1, p[i] = w->x[r];
      for (int b = 0; b < n; b++)
        for (int l = w->perm[b], s = w->first[l]; s <= w->first[l] + w->n_tangents[l]; s++)
          *W++ = w->G[(size_t)r * (size_t)w->n_rows + (size_t)s];
    }
  }
  dls_points_begin(N);
}

/* The contacts w->perm[0 .. n - 1] with room for `more` beside them. */
static dls_status take(dls_event_scheme *e, int n, int n_rows, size_t more, dls_points *N,
                       double **p) {
  const size_t own = dls_arena_bytes((size_t)n_rows, sizeof **p);
  more = dls_bytes_add(more, dls_bytes_add(dls_points_bytes(n_rows, n), own));
  dls_status status = dls_time_make_room(e, more);
  if (status == DLS_OK) status = dls_points_take(N, n_rows, n, &e->tmp);
  if (status != DLS_OK) return status;
  *p = DLS_TAKE(&e->tmp, double, n_rows);
  if (*p == NULL) return DLS_FULL;
  fill(e->scratch, n, N, *p);
  return DLS_OK;
}

static dls_status share(dls_time *x, int n, int n_rows, bool *shared) {
  static const double TOLERATED = 1e-10; /* of the scale: that of worlds */
  dls_event_scheme *e = x->e;
  dls_event_scratch *w = e->scratch;
  const size_t mark = dls_arena_mark(&e->tmp);
  dls_points N;
  double *p;
  dls_status status = take(e, n, n_rows, 0, &N, &p);
  if (status != DLS_OK) return status;
  *shared = dls_points_are_open(&N, x->noise, p);
  if (*shared) {
    const size_t more = dls_points_plan_bytes(&N);
    dls_arena_release(&e->tmp, mark);
    status = take(e, n, n_rows, more, &N, &p);
    if (status == DLS_OK) status = dls_points_plan(&N, &e->tmp);
    if (status != DLS_OK) return status;
    *shared = dls_points_share(&N, TOLERATED * x->scale, DLS_INF, p);
  }
  for (int a = 0, i = 0; *shared && a < n; a++)
    for (int r = w->first[w->perm[a]]; r <= w->first[w->perm[a]] + w->n_tangents[w->perm[a]]; r++)
      w->x[r] = p[i++];
  dls_arena_release(&e->tmp, mark);
  return DLS_OK;
}

dls_status dls_time_share(dls_time *x, bool *shared) {
  dls_event_scratch *w = x->e->scratch;
  *shared = false;
  if (x->e->opts.impact != DLS_IMPACT_NEWTON) return DLS_OK;
  memset(w->island, 0, (size_t)w->n_listed * sizeof *w->island);
  dls_time_join_islands(w);
  for (int k = 0; k < w->n_listed; k++) {
    int n, n_rows;
    bool one;
    if (w->island[k] != k || !may_be_open(x, k, &n, &n_rows)) continue;
    const dls_status status = share(x, n, n_rows, &one);
    if (status != DLS_OK) return status;
    *shared = *shared || one;
  }
  return DLS_OK;
}
