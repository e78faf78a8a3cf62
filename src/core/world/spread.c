/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/spread.h"

#include "core/math/elementary.h"

#define LN2 0.69314718055994530942

static int bin_of(double value) {
  const double place = (dls_log(value) / LN2 + DLS_SPREAD_OCTAVES / 2) * DLS_SPREAD_PER_OCTAVE;
  if (!(place > 0)) return 0;
  return place < DLS_SPREAD_BINS ? (int)floor(place) : DLS_SPREAD_BINS - 1;
}

double dls_spread_edge(int bin) {
  return dls_exp(((double)bin / DLS_SPREAD_PER_OCTAVE - DLS_SPREAD_OCTAVES / 2) * LN2);
}

void dls_spread_add(dls_spread *spread, double value) {
  if (!(value > 0)) value = 0;
  spread->n++;
  spread->sum += value;
  spread->most = dls_max(spread->most, value);
  spread->bin[value > 0 ? bin_of(value) : 0]++;
}

double dls_spread_quantile(const dls_spread *spread, double share) {
  const double wanted = share * (double)spread->n;
  double below = 0;
  if (spread->n == 0) return 0;
  for (int k = 0; k < DLS_SPREAD_BINS; k++) {
    const double here = (double)spread->bin[k];
    if (here > 0 && below + here >= wanted) {
      const double part = dls_clamp((wanted - below) / here, 0, 1);
      const double low = dls_spread_edge(k), high = dls_spread_edge(k + 1);
      return dls_min(low + part * (high - low), spread->most);
    }
    below += here;
  }
  return spread->most;
}
