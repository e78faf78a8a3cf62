/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/friction.h"

#include "core/math/elementary.h"

/* mu of one law that falls from `rest` to `slide` with the slip speed (m/s). */
static double falling(double rest, double slide, double decay, double speed) {
  if (slide == rest || !(speed > 0)) return rest;
  const double x = decay * speed;
  return slide + (rest - slide) * (x < 700 ? dls_exp(-x) : 0);
}

dls_status dls_friction_at(dls_world *w, const dls_material *m, double speed, double *mu) {
  dls_status status = DLS_OK;
  *mu = falling(m->friction, m->kinetic, m->decay, speed);
  if (m->law > 0 && w->hooks.friction) status = w->hooks.friction(w->hooks.ud, m->law, speed, mu);
  if (status != DLS_OK || !m->mixed) return status;
  double other = falling(m->friction2, m->kinetic2, m->decay2, speed);
  if (m->law2 > 0 && w->hooks.friction) status = w->hooks.friction(w->hooks.ud, m->law2, speed, &other);
  *mu = dls_friction_mean(*mu, other);
  return status;
}
