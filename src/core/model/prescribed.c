/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/prescribed.h"

#include "core/base/dim.h"
#include "core/model/motion.h"

dls_status dls_world_carry(dls_world *w, double t, double start, const double *q_start) {
  const size_t nq = (size_t)DLS_NQ(w->dim), nu = (size_t)DLS_NU(w->dim), d = (size_t)w->dim;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || body->type != DLS_KINEMATIC) continue;
    double *q = w->q + (size_t)i * nq, *u = w->u + (size_t)i * nu;
    if (body->moved && w->hooks.motion) {
      double p[3] = {0}, r[4] = {0}, v[3] = {0}, rate[3] = {0};
      const dls_status status = w->hooks.motion(w->hooks.ud, i, t, p, r, v, rate, NULL);
      if (status != DLS_OK) return status;
      memcpy(q, p, d * sizeof *q);
      memcpy(q + d, r, (nq - d) * sizeof *q);
      memcpy(u, v, d * sizeof *u);
      memcpy(u + d, rate, (nu - d) * sizeof *u);
      continue;
    }
    memcpy(q, q_start + (size_t)i * nq, nq * sizeof *q);
    dls_drift(w->dim, q, t - start, u);
  }
  return DLS_OK;
}
