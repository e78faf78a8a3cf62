/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_law.h"

dls_spring_law dls_spring_law_make(double k, double c, double x, double h, double w) {
  const double z = h * w * (c + h * k);
  const double f = z > 1 ? 1 - 1 / z : 0;
  const double extra = 0.5 * f * h * k;
  return (dls_spring_law){.k = k, .c = c, .x = x, .apart = f, .extra = extra, .late = 2 * (f * c + extra), .share = 1};
}

dls_spring_law dls_spring_law_within(dls_spring_law law, double h, double way) {
  const double times = fabs(law.x) / way; /* m = -k x/d: h |m| <= way where d >= h k times */
  if (times > 1 && law.apart > 0) law.extra += law.apart * h * law.k * (times - 1);
  law.late = 2 * (law.apart * law.c + law.extra);
  return law;
}

dls_spring_law dls_spring_law_paying(dls_spring_law law, double h, double w, double gain, double v) {
  static const double MOST = 1 - 0x1p-20; /* of what moves */
  if (!(gain > 0 && w > 0 && v * v > 0)) return law;
  const double part = dls_min(2 * w * gain / (v * v), MOST); /* v' = v sqrt(1 - part) = v/(1 + w h e_2) */
  const double own = law.late;
  law.late += (1 / sqrt(1 - part) - 1) / (h * w);
  law.share = law.late > 0 ? own / law.late : 1;
  return law;
}

void dls_spring_law_charge(const dls_spring_law *l, double h, double m, dls_spring_work *work) {
  work->springs -= h * l->k * (l->x + 0.5 * h * m) * m;
  work->damping += h * l->c * m * m;
  work->scheme += h * l->extra * m * m;
}

void dls_spring_law_charge_late(const dls_spring_law *l, double work, dls_spring_work *sum) {
  const double whole = l->c + l->extra, share = whole > 0 ? l->share * (l->c / whole) : 0;
  sum->damping -= share * work;
  sum->scheme -= (1 - share) * work;
}
