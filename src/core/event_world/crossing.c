/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/crossing.h"

#define PARALLEL 1e-9 /* rad: of the axes, below which an end is among their nearest points */

/* The point of an axis (a, unit u, length) nearest to x, and whether it is within. */
static double nearest(dls_vec3 a, dls_vec3 u, double length, dls_vec3 x, bool *within) {
  const double s = dls_v3_dot(u, dls_v3_sub(x, a));
  *within = s > 0 && s < length;
  return dls_clamp(s, 0, length);
}

dls_crossing dls_crossing_of(dls_vec3 a, dls_vec3 a_end, dls_vec3 b, dls_vec3 b_end) {
  const dls_vec3 along_a = dls_v3_sub(a_end, a), along_b = dls_v3_sub(b_end, b),
                 r = dls_v3_sub(b, a);
  const double length_a = dls_v3_norm(along_a), length_b = dls_v3_norm(along_b);
  dls_crossing x = {.u = dls_v3_scale(1 / length_a, along_a),
                    .v = dls_v3_scale(1 / length_b, along_b)};
  const dls_vec3 w = dls_v3_cross(x.u, x.v);
  x.sine2 = dls_v3_dot(w, w);
  const double from = dls_v3_dot(x.u, r), to = from + dls_v3_dot(x.u, along_b);
  x.overlap = dls_min(length_a, dls_max(from, to)) - dls_max(0, dls_min(from, to));
  if (x.sine2 > PARALLEL * PARALLEL) { /* the lines' nearest points */
    const double s = dls_v3_dot(dls_v3_cross(r, x.v), w) / x.sine2,
                 t = dls_v3_dot(dls_v3_cross(r, x.u), w) / x.sine2;
    if (s > 0 && s < length_a && t > 0 && t < length_b) {
      x.on = dls_v3_axpy(a, s, x.u), x.off = dls_v3_axpy(b, t, x.v);
      x.free_on = x.free_off = true;
      return x;
    }
  }
  double least = DLS_INF;
  for (int end = 0; end < 4; end++) { /* else an end of one axis, and a point of the other */
    const bool of_a = end < 2;
    bool within;
    dls_vec3 on = end == 0 ? a : a_end, off = end == 2 ? b : b_end;
    if (of_a) off = dls_v3_axpy(b, nearest(b, x.v, length_b, on, &within), x.v);
    else on = dls_v3_axpy(a, nearest(a, x.u, length_a, off, &within), x.u);
    const dls_vec3 d = dls_v3_sub(off, on);
    const double distance2 = dls_v3_dot(d, d);
    if (!(distance2 < least)) continue;
    least = distance2;
    x.on = on, x.off = off, x.free_on = !of_a && within, x.free_off = of_a && within;
  }
  return x;
}

/* d/dt (D . u) = 0 and d/dt (D . v) = 0, D' = w + t' v - s' u. */
void dls_crossing_rates(const dls_crossing *x, dls_vec3 w, dls_vec3 omega_on, dls_vec3 omega_off,
                        double *on, double *off) {
  const dls_vec3 d = dls_v3_sub(x->off, x->on);
  const double along_u = dls_v3_dot(w, x->u) + dls_v3_dot(d, dls_v3_cross(omega_on, x->u));
  const double along_v = dls_v3_dot(w, x->v) + dls_v3_dot(d, dls_v3_cross(omega_off, x->v));
  const double cosine = dls_v3_dot(x->u, x->v);
  *on = x->free_on ? along_u : 0;
  *off = x->free_off ? -along_v : 0;
  if (!x->free_on || !x->free_off) return;
  *on = (along_u - cosine * along_v) / x->sine2;
  *off = (cosine * along_u - along_v) / x->sine2;
}
