/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_SORT_H
#define DLS_BASE_SORT_H

#include "core/base/arena.h"

/* Stable sorts of index arrays: equal keys keep their order, so the result is one and the same
** whatever the machine. Bottom-up merging of runs, O(n log n) comparisons, O(n) where the order is
** already there, no recursion.
**   order   n indices, sorted in place; each is used as key[order[i]]
**   tmp     needs dls_sort_bytes(n); left as found
** DLS_FULL where tmp is too small, order unchanged then. NaN keys come last, in their order. */
size_t dls_sort_bytes(int n);
dls_status dls_sort_by_double(int n, const double *key, int *order, dls_arena *tmp);

/* The same by any strict weak order: before(ctx, a, b) says whether index a must come before b. */
typedef bool (*dls_before)(const void *ctx, int a, int b);
dls_status dls_sort_by(int n, dls_before before, const void *ctx, int *order, dls_arena *tmp);

#endif
