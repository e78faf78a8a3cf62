/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/broad.h"
#include "core/collide/broad_search.h"

dls_status dls_broad_create(dls_broad *broad, const dls_alloc *alloc, int dims, double skin) {
  memset(broad, 0, sizeof *broad);
  broad->dims = dims, broad->skin = skin, broad->n = -1;
  if ((dims != 2 && dims != 3) || !(skin > 0)) return DLS_ARG;
  return dls_broad_reserve(broad, alloc, 16, 1);
}

void dls_broad_destroy(dls_broad *broad, const dls_alloc *alloc) {
  dls_free(alloc, broad->built, 4 * (size_t)broad->dims * broad->n_room, sizeof(double));
  dls_free(alloc, broad->a, 2 * (size_t)broad->pair_room, sizeof(int));
  dls_free(alloc, broad->scratch, broad->scratch_n, sizeof(int));
  memset(broad, 0, sizeof *broad);
}

void dls_broad_reset(dls_broad *broad) { broad->n = -1; }

static int with_spare(int n) { return n > INT32_MAX / 8 ? n : n + n / 4; }

static int times(int n, int spare) { return n > INT32_MAX / 8 / spare ? n : n * spare; }

static dls_status reserve_scratch(dls_broad *broad, const dls_alloc *alloc, size_t size) {
  if (size <= broad->scratch_n) return DLS_OK;
  void *block = broad->scratch;
  dls_status s = dls_grow(alloc, &block, broad->scratch_n, size, sizeof(int));
  if (s) return s;
  broad->scratch = block;
  broad->scratch_n = size;
  return DLS_OK;
}

/* a and b are the two halves of one block; b moves along. */
static dls_status reserve_pairs(dls_broad *broad, const dls_alloc *alloc, int pairs) {
  if (pairs <= broad->pair_room) return DLS_OK;
  size_t old = (size_t)broad->pair_room;
  void *block = broad->a;
  dls_status s = dls_grow(alloc, &block, 2 * old, 2 * (size_t)pairs, sizeof(int));
  if (s) return s;
  broad->a = block;
  broad->b = broad->a + pairs;
  memmove(broad->b, broad->a + old, old * sizeof(int));
  broad->pair_room = pairs;
  return DLS_OK;
}

/* The bounds of the last build lie at a stride of n_room, which changes: they are forgotten. Behind
** them there is room for the same numbers box by box. */
static dls_status reserve_boxes(dls_broad *broad, const dls_alloc *alloc, int boxes) {
  if (boxes <= broad->n_room) return DLS_OK;
  void *block = broad->built;
  size_t old = 4 * (size_t)broad->dims * broad->n_room, n = 4 * (size_t)broad->dims * boxes;
  dls_status s = dls_grow(alloc, &block, old, n, sizeof(double));
  if (s) return s;
  broad->built = block;
  broad->n_room = boxes;
  broad->n = -1;
  return DLS_OK;
}

dls_status dls_broad_reserve(dls_broad *broad, const dls_alloc *alloc, int n, int spare) {
  enum { PAIRS = 6, ENTRIES = 4 }; /* a box */
  /* of fewer pairs there is room for twice as many: each time it is full a step is made again (64
  ** boxes poured: once for three times) */
  enum { MANY = 8192 };
  int boxes = broad->n_room, pairs = broad->pair_room, entries = broad->entry_room;
  if (n > INT32_MAX / (16 * spare)) return DLS_TOOBIG;
  if (n > boxes) {
    boxes = with_spare(n);
    if (pairs < PAIRS * boxes * spare) pairs = PAIRS * boxes * spare;
    if (entries < ENTRIES * boxes * spare) entries = ENTRIES * boxes * spare;
  }
  if (broad->need_pairs > pairs)
    pairs = with_spare(times(broad->need_pairs, broad->need_pairs < MANY && spare < 2 ? 2 : spare));
  if (broad->need_entries > entries) entries = with_spare(times(broad->need_entries, spare));
  if (pairs > INT32_MAX / 4) return DLS_TOOBIG;
  dls_status s =
      reserve_scratch(broad, alloc, dls_broad_search_size(boxes, broad->dims, pairs, entries));
  if (!s) broad->entry_room = entries;
  if (!s) s = reserve_pairs(broad, alloc, pairs);
  if (!s) s = reserve_boxes(broad, alloc, boxes);
  return s;
}

/* --- whether the list still holds --------------------------------------------------------- */

bool dls_broad_moved(const dls_broad *broad, int n, const double *const lo[],
                     const double *const hi[]) {
  double limit = 0.5 * broad->skin;
  if (n != broad->n) return true;
  for (int k = 0; k < broad->dims; k++) {
    const double *l = broad->built + (size_t)k * broad->n_room;
    const double *h = broad->built + (size_t)(broad->dims + k) * broad->n_room;
    const double *now_l = lo[k], *now_h = hi[k];
    int far = 0;
    for (int i = 0; i < n; i++)
      far |= (fabs(now_l[i] - l[i]) > limit) | (fabs(now_h[i] - h[i]) > limit);
    if (far) return true;
  }
  return false;
}

/* --- a new list ------------------------------------------------------------------------------- */

static void remember(dls_broad *broad, const dls_broad_search *search) {
  for (int k = 0; k < broad->dims; k++) {
    const size_t size = (size_t)search->n * sizeof(double);
    memcpy(broad->built + (size_t)k * broad->n_room, search->lo[k], size);
    memcpy(broad->built + (size_t)(broad->dims + k) * broad->n_room, search->hi[k], size);
  }
  broad->n = search->n;
  broad->n_pairs = search->found;
  broad->n_entries = search->n_entries;
}

dls_status dls_broad_build(dls_broad *broad, int n, const double *const lo[],
                           const double *const hi[], const unsigned char *idle) {
  if (n > broad->n_room) return DLS_FULL;
  dls_broad_search search = {.n = n, .dims = broad->dims, .idle = idle, .skin = broad->skin,
                             .room = broad->pair_room, .entry_room = broad->entry_room,
                             .scratch = broad->scratch, .a = broad->a, .b = broad->b};
  for (int k = 0; k < broad->dims; k++) search.lo[k] = lo[k], search.hi[k] = hi[k];
  dls_broad_search_run(&search);
  if (search.n_entries > search.entry_room) {
    broad->need_entries = search.n_entries;
    return DLS_FULL;
  }
  if (search.found > search.room) {
    broad->need_pairs = search.found;
    return DLS_FULL;
  }
  remember(broad, &search);
  return DLS_OK;
}

/* --- as bytes --------------------------------------------------------------------------------- */

static int boxes_of(const dls_broad *broad) { return broad->n > 0 ? broad->n : 0; }

size_t dls_broad_size(const dls_broad *broad) {
  return 2 * (size_t)broad->dims * (size_t)boxes_of(broad) * sizeof(double) +
         2 * (size_t)broad->n_pairs * sizeof(int);
}

void dls_broad_save(const dls_broad *broad, unsigned char *out) {
  const size_t row = (size_t)boxes_of(broad) * sizeof(double),
               pairs = (size_t)broad->n_pairs * sizeof(int);
  for (int k = 0; k < 2 * broad->dims && row > 0; k++, out += row)
    memcpy(out, broad->built + (size_t)k * (size_t)broad->n_room, row);
  if (pairs == 0) return;
  memcpy(out, broad->a, pairs);
  memcpy(out + pairs, broad->b, pairs);
}

void dls_broad_load(dls_broad *broad, const unsigned char *bytes) {
  const size_t row = (size_t)boxes_of(broad) * sizeof(double),
               pairs = (size_t)broad->n_pairs * sizeof(int);
  for (int k = 0; k < 2 * broad->dims && row > 0; k++, bytes += row)
    memcpy(broad->built + (size_t)k * (size_t)broad->n_room, bytes, row);
  if (pairs == 0) return;
  memcpy(broad->a, bytes, pairs);
  memcpy(broad->b, bytes + pairs, pairs);
}
