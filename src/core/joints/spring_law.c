/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_law.h"

dls_spring_law dls_spring_law_make(double k, double c, double x, double h, double w) {
  const double z = h * w * (c + h * k);
  const double f = z > 1 ? 1 - 1 / z : 0;
  const double extra = 0.5 * f * h * k;
  return (dls_spring_law){.k = k, .c = c, .x = x, .apart = f, .extra = extra, .late = 2 * (f * c + extra)};
}

dls_spring_law dls_spring_law_within(dls_spring_law law, double h, double way) {
  const double times = fabs(law.x) / way; /* m = -k x/d: h |m| <= way where d >= h k times */
  if (times > 1 && law.apart > 0) law.extra += law.apart * h * law.k * (times - 1);
  law.late = 2 * (law.apart * law.c + law.extra);
  return law;
}

dls_spring_law dls_spring_law_slowed(dls_spring_law law, double h, double w, double times) {
  static const double RIGID = 1e9; /* 1/gamma over 1/w */
  const double most = w > 0 && w < DLS_INF ? 2 * RIGID / (h * w) : DLS_INF;
  const double slow = dls_min(0.5 * h * law.k * times, most);
  law.extra = dls_max(law.extra, slow);
  law.late = 2 * (law.apart * law.c + law.extra);
  return law;
}

void dls_spring_law_charge(const dls_spring_law *l, double h, double m, dls_spring_work *work) {
  work->springs -= h * l->k * (l->x + 0.5 * h * m) * m;
  work->damping += h * l->c * m * m;
  work->scheme += h * l->extra * m * m;
}

void dls_spring_law_charge_late(const dls_spring_law *l, double work, dls_spring_work *sum) {
  const double whole = l->c + l->extra, share = whole > 0 ? l->c / whole : 0;
  sum->damping -= share * work;
  sum->scheme -= (1 - share) * work;
}
