/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_SPREAD_H
#define DLS_WORLD_SPREAD_H

#include "core/base/real.h"

/* How a positive quantity is spread: count, sum, largest, and a histogram whose bins are equal on a
** logarithmic scale, 32 to an octave from 2^-40 to 2^40. Quantiles are read from the bins by
** interpolation and are good to half a bin, 1.1 %. Values below the first bin count into it. */
enum { DLS_SPREAD_PER_OCTAVE = 32, DLS_SPREAD_OCTAVES = 80, DLS_SPREAD_BINS = 32 * 80 };

typedef struct dls_spread {
  int64_t n;                    /* values                */
  double sum;                   /* of the values         */
  double most;                  /* the largest; 0 for none */
  int64_t bin[DLS_SPREAD_BINS]; /* values in each bin    */
} dls_spread;

void dls_spread_add(dls_spread *spread, double value);

/* The value below which a share of all values lies, share in 0..1; 0 for none. */
double dls_spread_quantile(const dls_spread *spread, double share);

/* Lower edge of a bin. */
double dls_spread_edge(int bin);

#endif
