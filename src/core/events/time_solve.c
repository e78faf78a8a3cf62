/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

#include "core/model/rebounds.h"

/* Laws of the contacts as a cone problem, and its solution: rebounds that end, friction of slides,
** shares of redundant impacts. */

static const double TOLERANCE = 1e-11; /* of the residual: that of small islands of worlds */

void dls_time_respond(const dls_event_scheme *e, double factor, const double *p, double *x) {
  const dls_event_scratch *w = e->scratch;
  const dls_system *s = e->system;
  for (int r = 0; r < w->n_rows; r++)
    for (int l = 0; l < s->n; l++) x[l] += factor * p[r] * dls_system_response(s, w->rows[r])[l];
}

dls_cone_problem dls_time_cone_problem(const dls_event_scratch *w, bool friction, double scale,
                                       dls_cone_group *groups) {
  memset(groups, 0, (size_t)w->n_listed * sizeof *groups);
  for (int k = 0; k < w->n_listed; k++) {
    const int d = friction ? w->n_tangents[k] : 0;
    groups[k].kind = d == 2 ? DLS_CONE_SPATIAL : d == 1 ? DLS_CONE_PLANAR : DLS_CONE_UNILATERAL;
    groups[k].row = w->first[k];
    groups[k].mu[0] = d > 0 ? w->mu[k] : 0;
  }
  return (dls_cone_problem){.n_rows = w->n_rows,
                            .n_groups = w->n_listed,
                            .groups = groups,
                            .W = w->G,
                            .b = w->c,
                            .shift = w->b,
                            .scale = scale};
}

dls_status dls_time_make_room(dls_event_scheme *e, size_t bytes) {
  bytes = dls_bytes_add(bytes, e->tmp.used);
  if (bytes <= e->tmp.size) return DLS_OK;
  return dls_arena_reserve(&e->tmp, &e->alloc, dls_bytes_add(bytes, bytes / 2));
}

dls_status dls_time_cone(dls_event_scheme *e, bool friction, double scale, double *residual) {
  dls_event_scratch *w = e->scratch;
  const size_t mark = dls_arena_mark(&e->tmp);
  dls_cone_group *groups = DLS_TAKE(&e->tmp, dls_cone_group, w->n_listed);
  if (groups == NULL) return DLS_FULL;
  dls_cone_problem p = dls_time_cone_problem(w, friction, scale, groups);
  dls_cone_opts opts = dls_cone_opts_default();
  dls_cone_report report;
  opts.tolerance = TOLERANCE;
  dls_arena_release(&e->tmp, mark);
  const size_t own = dls_arena_bytes((size_t)p.n_groups, sizeof *p.groups);
  dls_status status = dls_time_make_room(e, dls_bytes_add(dls_cone_solve_bytes(&p), own));
  if (status != DLS_OK) return status;
  p = dls_time_cone_problem(w, friction, scale, DLS_TAKE(&e->tmp, dls_cone_group, w->n_listed));
  status = dls_cone_solve(&p, &opts, &e->tmp, w->x, w->a, &report);
  *residual = report.residual;
  e->stats.problems++;
  dls_arena_release(&e->tmp, mark);
  return status;
}

/* Shifts by the law, as worlds have them: of a row of a gap half of what the drift gains
** (EQUATIONS G.1). */
static void lay_shifts(dls_time *x) {
  dls_event_scratch *w = x->e->scratch;
  const bool newton = x->e->opts.impact == DLS_IMPACT_NEWTON;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k];
    dls_time_contact *c = &w->timed[i];
    const double e_N = x->e->system->e_N[i], e_T = x->e->system->e_T[i];
    const bool struck = newton || (c->impact[0] > 0 && !c->collapsed),
               slides = newton && c->onset && c->before < 0;
    double *b = w->b + w->first[k];
    b[0] = 0;
    if (c->speculative) b[0] = c->gap / x->halves.late - 0.5 * c->gain[0];
    else if (struck)
      b[0] = dls_law_rebound(&x->halves, e_N, c->gap, c->before, c->v_free,
                             newton ? -e_N * c->before : c->back, &c->dies);
    for (int j = 1; j <= w->n_tangents[k]; j++) b[j] = slides ? e_T * c->v[j] : 0;
  }
}

/* The scale of residuals: velocities of the rows, and what forces make of them in the step. */
static double scale_of(const dls_time *x) {
  const dls_event_scratch *w = x->e->scratch;
  const dls_system *s = x->e->system;
  double scale = 0;
  for (int r = 0; r < w->n_rows; r++) {
    double pressed = 0;
    for (int l = 0; l < s->n; l++) pressed += dls_system_row(s, w->rows[r])[l] * s->smooth[l];
    scale = dls_max(scale, dls_max(x->h * fabs(pressed), fabs(w->c[r])));
  }
  return scale;
}

static dls_status solve_once(dls_time *x) {
  const dls_status status = dls_time_cone(x->e, true, x->scale, &x->residual);
  x->slips = dls_law_slips(x->residual, x->scale, &x->noise);
  return status;
}

/* Contacts at rest that give way get the friction of their slide; *any: some did. */
static dls_status use_kinetic(dls_time *x, bool *any) {
  dls_event_scratch *w = x->e->scratch;
  const dls_system *s = x->e->system;
  *any = false;
  for (int k = 0; k < w->n_listed; k++) {
    const int i = w->listed[k], r = w->first[k];
    const double slip = w->n_tangents[k] > 0 ? dls_disk_length(w->n_tangents[k], w->a + r + 1) : 0;
    if (w->timed[i].speculative || !w->timed[i].rests || !(w->x[r] > 0) || !(slip > x->noise))
      continue;
    double mu;
    const dls_status status = s->def.friction(s->def.ctx, i, slip, &mu);
    if (status != DLS_OK) return status;
    if (mu == w->mu[k] || !(mu > 0)) continue;
    w->mu[k] = mu;
    *any = true;
  }
  return DLS_OK;
}

/* With rebounds that something gives; *ended: others were there. */
static dls_status solve_without_jams(dls_time *x, bool *ended) {
  dls_status status = solve_once(x);
  for (int k = 0; k < DLS_REBOUNDS_ENDINGS && status == DLS_OK; k++) {
    bool any = false;
    status = dls_time_end_rebounds(x, &any);
    if (status != DLS_OK || !any) break;
    *ended = true;
    status = solve_once(x);
  }
  return status;
}

/* Newton's impacts of redundant contacts, and the residual of impulses that have changed. */
static dls_status share(dls_time *x) {
  dls_event_scheme *e = x->e;
  const size_t mark = dls_arena_mark(&e->tmp);
  bool shared = false;
  dls_status status = dls_time_share(x, &shared);
  if (status != DLS_OK || !shared) return status;
  const size_t n = (size_t)e->scratch->n_listed;
  status = dls_time_make_room(e, dls_arena_bytes(n, sizeof(dls_cone_group)));
  if (status != DLS_OK) return status;
  dls_cone_group *groups = DLS_TAKE(&e->tmp, dls_cone_group, n);
  const dls_cone_problem p = dls_time_cone_problem(e->scratch, true, x->scale, groups);
  x->residual = dls_cone_residual(&p, e->scratch->x, e->scratch->a, NULL, NULL);
  dls_arena_release(&e->tmp, mark);
  return DLS_OK;
}

/* Without rebounds that add energy, by laws whose impacts come before the forces. */
static dls_status solve_without_gains(dls_time *x) {
  dls_status status = DLS_OK;
  if (x->e->opts.impact == DLS_IMPACT_NEWTON) return status;
  for (int k = 0; k < DLS_REBOUNDS_ENDINGS && status == DLS_OK; k++) {
    if (dls_time_end_gains(x, k > 0) == 0) break;
    status = solve_once(x);
  }
  return status;
}

dls_status dls_time_solve(dls_time *x) {
  lay_shifts(x);
  x->scale = scale_of(x);
  bool again = false, ended = false;
  dls_status status = solve_without_jams(x, &ended);
  if (status == DLS_OK) status = share(x);
  if (status == DLS_OK && !ended) status = use_kinetic(x, &again);
  if (status == DLS_OK && again) status = solve_once(x);
  if (status == DLS_OK && again) status = share(x);
  return status == DLS_OK ? solve_without_gains(x) : status;
}
