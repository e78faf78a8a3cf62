/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/elastic/stack_residual.h"

static double force_above(const dls_stack *s, const double *N, int i) {
  return i + 1 < s->m ? N[i + 1] : 0.0;
}

/* How far body i gives way under one newton in this step: its spring and its inertia. */
static double give(const dls_stack *s, const double *L, int i) {
  const dls_stack_body *b = &s->def.bodies[i];
  return 1 / b->stiffness + s->def.dt * s->def.dt / (b->mass + s->def.dt * L[i]);
}

static double contact_error(const dls_stack *s, const double *U, const double *V,
                            const double *L, const double *N) {
  double error = 0, scale = 0;
  for (int j = 0; j < s->m; j++) {
    double above = 0, below = 0, c = 0;
    if (j < s->n) {
      above = U[j] + N[j] / s->def.bodies[j].stiffness;
      c += give(s, L, j);
      scale = dls_max(scale, s->def.dt * fabs(V[j]));
    }
    if (j > 0) {
      below = U[j - 1] - N[j] / s->def.bodies[j - 1].stiffness;
      c += give(s, L, j - 1);
    }
    const double gap = s->D0[j] + (above - below);
    if (!dls_is_finite(gap) || !dls_is_finite(N[j])) return DLS_INF;
    error = dls_max(error, fabs(dls_min(c * N[j], gap)));
    scale = dls_max(scale, dls_max(fabs(gap), fabs(above) + fabs(below)));
  }
  return scale > 0 ? error / scale : error;
}

static double momentum_error(const dls_stack *s, const double *V, const double *L,
                             const double *N) {
  double error = 0;
  for (int i = 0; i < s->n; i++) {
    const double M = s->def.bodies[i].mass, dt = s->def.dt, above = force_above(s, N, i);
    const double forces = N[i] - above - M * s->def.gravity - L[i] * V[i];
    const double sum = M * (V[i] - s->V[i]) - dt * forces;
    const double terms = M * (fabs(V[i]) + fabs(s->V[i])) +
                         dt * (L[i] * fabs(V[i]) + M * fabs(s->def.gravity) + N[i] + above);
    if (!dls_is_finite(sum)) return DLS_INF;
    if (terms > 0) error = dls_max(error, fabs(sum) / terms);
  }
  return error;
}

double dls_stack_residual(const dls_stack *s, const double *U, const double *V, const double *L,
                          const double *N) {
  return dls_max(contact_error(s, U, V, L, N), momentum_error(s, V, L, N));
}
