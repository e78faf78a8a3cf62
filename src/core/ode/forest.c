/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ode/forest.h"

/* Nothing but q, u and tau to look at, and a wide path at hand. */
static bool may_be_quick(const dls_ode_forest *of) {
  const dls_forest_state *state = of->state;
  return of->inputs == NULL && of->method == DLS_FOREST_FAST && !state->loaded &&
         (state->packs != NULL || state->quad != NULL);
}

static dls_status accelerate(void *ctx, double t, const double *q, const double *u, double *udot) {
  dls_ode_forest *of = (dls_ode_forest *)ctx;
  dls_forest_state *state = of->state;
  const size_t nq = (size_t)of->forest->nq, nu = (size_t)of->forest->nu;
  memcpy(state->q, q, nq * sizeof *q);
  memcpy(state->u, u, nu * sizeof *u);
  if (of->inputs != NULL) {
    dls_forest_place(of->forest, state);
    dls_forest_move(of->forest, state);
    const dls_status status = of->inputs(of->ctx, t, state);
    if (status != DLS_OK) return status;
  }
  const dls_status status =
      may_be_quick(of)
          ? dls_forest_quick(of->forest, state, &of->fault)
          : dls_forest_accelerate(of->forest, state, of->method, of->tmp, &of->fault);
  if (status == DLS_OK) memcpy(udot, state->udot, nu * sizeof *udot);
  return status;
}

/* Every context begins with its forest. */
static const dls_forest *forest_of(const void *ctx) { return *(const dls_forest *const *)ctx; }

static void advance(void *ctx, double *q, double h, const double *u) {
  dls_forest_advance(forest_of(ctx), q, h, u);
}
static void chart_rate(void *ctx, const double *d, const double *u, double *out) {
  dls_forest_chart_rate(forest_of(ctx), d, u, out);
}
static void rates(void *ctx, const double *q, const double *u, const double *udot, double *qdot,
                  double *qddot) {
  dls_forest_rates(forest_of(ctx), q, u, udot, qdot, qddot);
}
static void velocities_of(void *ctx, const double *q, const double *qdot, double *u) {
  dls_forest_velocities_of(forest_of(ctx), q, qdot, u);
}
static double normalise(void *ctx, double *q) { return dls_forest_normalise(forest_of(ctx), q); }

dls_ode dls_ode_on_forest(const dls_forest *forest, void *ctx,
                          dls_status (*accelerate_by)(void *, double, const double *,
                                                      const double *, double *)) {
  return (dls_ode){forest->nq, forest->nu, ctx,           accelerate_by, advance,
                   chart_rate, rates,      velocities_of, normalise,     NULL,          NULL};
}

dls_ode dls_ode_of_forest(dls_ode_forest *of) {
  return dls_ode_on_forest(of->forest, of, accelerate);
}
