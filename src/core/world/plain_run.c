/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/plain_run.h"

#include "core/base/dim.h"
#include "core/world/world.h"

/* h/2 |udot' - udot| of the step just made, from the velocities of three times; last: u, then what
** it changed by. */
static dls_status judge_step(const dls_world *w, double *last, dls_ode_run *judge) {
  const size_t n = (size_t)w->n_bodies * (size_t)DLS_NU(w->dim);
  double off = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    const double change = w->u[i] - last[i];
    off = dls_max(off, fabs(change - last[n + i]));
    size = dls_max(size, dls_max(fabs(w->u[i]), fabs(change)));
    last[i] = w->u[i];
    last[n + i] = change;
  }
  return ++judge->stats.steps > 1 ? dls_ode_judge(judge, 0.5 * off, size) : DLS_OK;
}

dls_status dls_world_run_plainly(dls_world *w, double dt, double to, dls_status (*each)(void *ctx),
                                 void *ctx, dls_ode_run *judge) {
  const double from = w->time, span = to - from, last_dt = w->dt;
  const double n = dls_max(1, -floor(1e-9 - span / dt)), h = span / n;
  const bool semi_implicit = w->semi_implicit;
  const unsigned events = w->hooks.events;
  const size_t n_u = (size_t)w->n_bodies * (size_t)DLS_NU(w->dim);
  double *last = dls_new(&w->alloc, 2 * n_u, sizeof *last);
  if (!last) return DLS_NOMEM;
  memcpy(last, w->u, n_u * sizeof *last);
  dls_status status = DLS_OK;
  judge->opts.method = DLS_ODE_SEMI_IMPLICIT;
  w->semi_implicit = w->springs_push = true;
  w->hooks.events = 0; /* steps of an integrator are no events */
  dls_world_set_dt(w, h);
  for (double k = 1; k <= n && status == DLS_OK && span > 0; k++) {
    status = dls_world_step(w);
    if (status != DLS_OK) break;
    w->time = w->time_origin = k < n ? from + k * h : to;
    w->steps_origin = w->steps;
    status = judge_step(w, last, judge);
    if (status == DLS_OK && each) status = each(ctx);
  }
  dls_free(&w->alloc, last, 2 * n_u, sizeof *last);
  w->semi_implicit = semi_implicit;
  w->springs_push = false;
  w->hooks.events = events;
  dls_world_set_dt(w, last_dt);
  return status;
}
