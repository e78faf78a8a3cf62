/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/iterate.h"

static int up_to_eight(int n) { return (n + 7) & ~7; }

size_t dls_iterate_bytes(int n_rows, int n_u) {
  return dls_bytes_add(dls_arena_bytes(4 * (size_t)up_to_eight(n_rows), sizeof(double)),
                       dls_arena_bytes(2 * (size_t)up_to_eight(n_u), sizeof(double)));
}

bool dls_iterate_take(dls_iterate *x, int n_rows, int n_u, dls_arena *tmp) {
  x->lanes = dls_sweep_lanes_best();
  x->n_p = up_to_eight(n_rows);
  x->n_u = up_to_eight(n_u);
  x->p = DLS_TAKE(tmp, double, 4 * (size_t)x->n_p);
  x->u = DLS_TAKE(tmp, double, 2 * (size_t)x->n_u);
  if (!x->p || !x->u) return false;
  memset(x->p, 0, 4 * (size_t)x->n_p * sizeof(double));
  memset(x->u, 0, 2 * (size_t)x->n_u * sizeof(double));
  x->was = x->p + x->n_p;
  x->f = x->was + x->n_p;
  x->p_old = x->f + x->n_p;
  x->u_old = x->u + x->n_u;
  return true;
}

void dls_iterate_read(const dls_rows *rows, dls_iterate *x) {
  const size_t nu = (size_t)rows->nu;
  for (int k = 0; k < x->n_bodies; k++)
    memcpy(x->u + (size_t)k * nu, rows->u + (size_t)x->body[k] * nu, nu * sizeof(double));
}

void dls_iterate_write(dls_rows *rows, const dls_iterate *x) {
  const size_t nu = (size_t)rows->nu;
  for (int k = 0; k < x->n_bodies; k++)
    memcpy(rows->u + (size_t)x->body[k] * nu, x->u + (size_t)k * nu, nu * sizeof(double));
}

double dls_iterate_mix(dls_iterate *x, dls_acceleration *rate) {
  const double t =
      dls_accelerate(rate, x->lanes->fine.change(x->n_p, x->p, x->was, x->p_old, x->f));
  x->lanes->fine.mix(x->n_p, t, x->p, x->p_old, NULL);
  x->lanes->fine.mix(x->n_u, t, x->u, x->u_old, NULL);
  return t;
}
