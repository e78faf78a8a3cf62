/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/sort.h"

#define RUN 8 /* shorter stretches are sorted by insertion */

size_t dls_sort_bytes(int n) { return dls_arena_bytes(n > 0 ? (size_t)n : 0, sizeof(int)); }

static void insert(int *order, int lo, int hi, dls_before before, const void *ctx) {
  for (int i = lo + 1; i < hi; i++) {
    const int x = order[i];
    int j = i;
    for (; j > lo && before(ctx, x, order[j - 1]); j--) order[j] = order[j - 1];
    order[j] = x;
  }
}

/* from[lo..mid) and from[mid..hi), each in order, into to[lo..hi). Equal ones: the left first. */
static void merge(const int *from, int *to, int lo, int mid, int hi, dls_before before,
                  const void *ctx) {
  if (mid >= hi || !before(ctx, from[mid], from[mid - 1])) { /* already in order */
    memcpy(to + lo, from + lo, (size_t)(hi - lo) * sizeof *to);
    return;
  }
  int i = lo, j = mid;
  for (int k = lo; k < hi; k++) {
    const bool right = i >= mid || (j < hi && before(ctx, from[j], from[i]));
    to[k] = right ? from[j++] : from[i++];
  }
}

static int least(size_t a, int b) { return a < (size_t)b ? (int)a : b; }

dls_status dls_sort_by(int n, dls_before before, const void *ctx, int *order, dls_arena *tmp) {
  if (n < 2) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  int *spare = DLS_TAKE(tmp, int, n);
  if (spare == NULL) return DLS_FULL;
  for (int lo = 0; lo < n; lo += RUN) {
    insert(order, lo, n - lo < RUN ? n : lo + RUN, before, ctx);
    if (n - lo <= RUN) break;
  }
  int *from = order, *to = spare;
  for (size_t width = RUN; width < (size_t)n; width *= 2) {
    for (size_t lo = 0; lo < (size_t)n; lo += 2 * width)
      merge(from, to, (int)lo, least(lo + width, n), least(lo + 2 * width, n), before, ctx);
    int *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != order) memcpy(order, from, (size_t)n * sizeof *order);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

static bool before_double(const void *ctx, int a, int b) {
  const double *key = (const double *)ctx;
  const double x = key[a], y = key[b];
  return x < y || (x == x && y != y);
}

dls_status dls_sort_by_double(int n, const double *key, int *order, dls_arena *tmp) {
  return dls_sort_by(n, before_double, key, order, tmp);
}
