/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/difference.h"

#include <math.h>
#include <string.h>

#define LEVELS 30
#define ORDERS 4
/* of the rates: from here on extrapolations that part again have met round-off */
#define AGREE 1e-7

/* Extrapolations that agree to `of` of the rate with the ones before, of order 2 j, have an error
** of of^((j + 1)/j). */
static const double agreed[] = {0, 1e-6, 1e-8, 1e-9};
#define N_AGREED (int)(sizeof agreed / sizeof *agreed)

typedef struct tableau {
  double row[DLS_DIFFERENCE_MOST][ORDERS + 1]; /* of the step at hand: by order */
  double first[DLS_DIFFERENCE_MOST];           /* f where it was asked first */
  double size;                                 /* the largest |f| at these steps */
  /* the largest change of the best extrapolations by this level; the largest of them */
  double off, most;
} tableau;

static dls_status next_level(dls_differences *d, int level, double h, tableau *x) {
  double early[DLS_DIFFERENCE_MOST], late[DLS_DIFFERENCE_MOST];
  dls_status status = d->of(d->ctx, -h, early);
  if (status == DLS_OK) status = d->of(d->ctx, h, late);
  if (status != DLS_OK) return status;
  x->size = x->off = x->most = 0;
  for (int c = 0; c < d->k; c++) {
    const int top = level < ORDERS ? level : ORDERS,
              top_before = level - 1 < ORDERS ? level - 1 : ORDERS;
    double *row = x->row[c], before = row[0], power = 1;
    const double best_before = level > 0 ? row[top_before] : 0;
    if (level == 0) x->first[c] = early[c];
    d->varies = d->varies || early[c] != x->first[c] || late[c] != x->first[c];
    row[0] = (late[c] - early[c]) / (2 * h);
    for (int m = 1; m <= top; m++) {
      const double now = row[m];
      power *= 4;
      row[m] = row[m - 1] + (row[m - 1] - before) / (power - 1);
      before = now;
    }
    x->size = dls_max(x->size, dls_max(fabs(early[c]), fabs(late[c])));
    x->off = dls_max(x->off, fabs(row[top] - best_before)),
    x->most = dls_max(x->most, fabs(row[top]));
  }
  return DLS_OK;
}

dls_status dls_difference(dls_differences *d, double *rate) {
  tableau x;
  double best = DLS_INF, off_before = DLS_INF, h = d->step;
  memset(&x, 0, sizeof x);
  d->varies = false;
  for (int level = 0; level < LEVELS; level++, h *= 0.5) {
    const dls_status status = next_level(d, level, h, &x);
    if (status != DLS_OK) return status;
    if (level == 0) continue;
    const double rough = (DLS_DIFFERENCE_ROUND * (x.size + fabs(d->at) * x.most) + d->noise) / h;
    if (level == 1 || x.off < best) {
      best = x.off, d->rough = rough;
      for (int c = 0; c < d->k; c++) rate[c] = x.row[c][level < ORDERS ? level : ORDERS];
    }
    if (x.off <= agreed[level < N_AGREED ? level : N_AGREED - 1] * x.most + rough) break;
    if (x.off > off_before && off_before <= AGREE * x.most) break;
    off_before = x.off;
  }
  return DLS_OK;
}
