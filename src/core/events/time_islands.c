/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/time_parts.h"

/* Which contacts of the set move each other, by G alone. */

static bool couples(const dls_event_scratch *w, int k, int l) {
  for (int i = 0; i <= w->n_tangents[k]; i++)
    for (int j = 0; j <= w->n_tangents[l]; j++)
      if (w->G[(size_t)(w->first[k] + i) * (size_t)w->n_rows + (size_t)(w->first[l] + j)] != 0)
        return true;
  return false;
}

void dls_time_join_islands(dls_event_scratch *w) {
  int *island = w->island;
  for (int k = 0; k < w->n_listed; k++) {
    if (island[k] < 0) continue;
    island[k] = k;
    for (int l = 0; l < k; l++) {
      const int other = island[l];
      if (other < 0 || other == k || !couples(w, k, l)) continue;
      for (int m = 0; m < k; m++)
        if (island[m] == other) island[m] = k;
    }
  }
}
