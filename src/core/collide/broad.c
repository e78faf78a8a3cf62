/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/broad.h"

/* Cell edges relative to the mean width of the ordinary boxes; a box over more than WIDE cells
** along some axis is compared with all others instead. */
#define CELL 1.5
#define WIDE 4
#define FAR_CELL 1e9 /* cells are numbered within this, boxes farther out share the last one */

typedef struct grid {
  const double *lo[3], *hi[3]; /* the boxes                                         */
  double inverse;              /* 1 / cell edge                                     */
  double skin;                 /* m                                                 */
  unsigned mask;               /* buckets - 1                                       */
  int n, dims;                 /* boxes, axes                                       */
  int *first;                  /* buckets + 1: where each bucket's entries begin    */
  int *entry;                  /* box of each entry                                 */
  double *box;                 /* 2 dims n: lo - skin, then hi, of each box         */
  int *cell;                   /* 3 n: cell of the lower corner; wide boxes: no use */
  int *span;                   /* 3 n: cells along each axis; 0 for a wide box      */
  const unsigned char *idle;   /* n or NULL                                         */
  int *raw;                    /* 2 room: pairs as found                            */
  int room, found;             /* of pairs                                          */
} grid;

dls_status dls_broad_create(dls_broad *broad, const dls_alloc *alloc, int dims, double skin) {
  memset(broad, 0, sizeof *broad);
  broad->dims = dims, broad->skin = skin, broad->n = -1;
  if ((dims != 2 && dims != 3) || !(skin > 0)) return DLS_ARG;
  return dls_broad_reserve(broad, alloc, 16);
}

void dls_broad_destroy(dls_broad *broad, const dls_alloc *alloc) {
  dls_free(alloc, broad->built, 4 * (size_t)broad->dims * broad->n_room, sizeof(double));
  dls_free(alloc, broad->a, 2 * (size_t)broad->pair_room, sizeof(int));
  dls_free(alloc, broad->scratch, broad->scratch_n, sizeof(int));
  memset(broad, 0, sizeof *broad);
}

void dls_broad_reset(dls_broad *broad) { broad->n = -1; }

static unsigned buckets_for(int n) {
  unsigned buckets = 64;
  while (buckets < (unsigned)n) buckets *= 2;
  return buckets;
}

static size_t scratch_for(int n, int pairs, int entries) {
  size_t cells = 6 * (size_t)n, found = 2 * (size_t)pairs;
  return (size_t)buckets_for(n) + 2 + cells + found + (size_t)entries + (size_t)n + 1;
}

static int with_spare(int n) { return n > INT32_MAX / 8 ? n : n + n / 4; }

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

dls_status dls_broad_reserve(dls_broad *broad, const dls_alloc *alloc, int n) {
  int boxes = broad->n_room, pairs = broad->pair_room, entries = broad->entry_room;
  if (n > INT32_MAX / 16) return DLS_TOOBIG;
  if (n > boxes) {
    boxes = with_spare(n);
    if (pairs < 6 * boxes) pairs = 6 * boxes;
    if (entries < 4 * boxes) entries = 4 * boxes;
  }
  if (broad->need_pairs > pairs) pairs = with_spare(broad->need_pairs);
  if (broad->need_entries > entries) entries = with_spare(broad->need_entries);
  if (pairs > INT32_MAX / 4) return DLS_TOOBIG;
  dls_status s = reserve_scratch(broad, alloc, scratch_for(boxes, pairs, entries));
  if (!s) broad->entry_room = entries;
  if (!s) s = reserve_pairs(broad, alloc, pairs);
  if (!s) s = reserve_boxes(broad, alloc, boxes);
  return s;
}

/* --- whether the list still holds --------------------------------------------------------- */

static bool moved(const dls_broad *broad, int n, const double *const lo[],
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

/* --- the grid ------------------------------------------------------------------------------ */

static double width(const grid *g, int i) {
  double w = 0;
  for (int k = 0; k < g->dims; k++) w = dls_max(w, g->hi[k][i] - g->lo[k][i]);
  return w + g->skin;
}

/* Mean width of the boxes not wider than limit; limit itself where there are none. */
static double mean_width(const grid *g, double limit) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < g->n; i++) {
    double w = width(g, i);
    if (w <= limit && dls_is_finite(w)) sum += w, count++;
  }
  return count > 0 ? sum / count : g->skin;
}

static int cell_of(const grid *g, double x) {
  double cell = dls_clamp(x * g->inverse, -FAR_CELL, FAR_CELL);
  int down = (int)cell; /* towards zero: one more below it */
  return down - (cell < down);
}

/* Cells of every box; returns the number of entries. */
static int64_t place(grid *g) {
  int64_t entries = 0;
  for (int i = 0; i < g->n; i++) {
    int *cell = g->cell + 3 * (size_t)i, *span = g->span + 3 * (size_t)i;
    int64_t cells = 1;
    for (int k = 0; k < 3; k++) cell[k] = 0, span[k] = 1;
    for (int k = 0; k < g->dims; k++) {
      double lo = g->lo[k][i] - 0.5 * g->skin, hi = g->hi[k][i] + 0.5 * g->skin;
      bool plain = (hi - lo) * g->inverse <= WIDE; /* false for infinite and for NaN too */
      if (!plain) {
        cells = 0;
        break;
      }
      cell[k] = cell_of(g, lo);
      span[k] = cell_of(g, hi) - cell[k] + 1;
      cells *= span[k];
    }
    if (cells == 0) span[0] = 0;
    entries += cells;
  }
  return entries;
}

static unsigned bucket_of(const grid *g, int x, int y, int z) {
  unsigned h = (unsigned)x * 0x9E3779B1u ^ (unsigned)y * 0x85EBCA77u ^ (unsigned)z * 0xC2B2AE3Du;
  h ^= h >> 15;
  return h & g->mask;
}

/* Visits the cells of box i: counts them into first[bucket + 1], or fills entries. */
static void visit(grid *g, int i, bool fill) {
  const int *cell = g->cell + 3 * (size_t)i, *span = g->span + 3 * (size_t)i;
  if (span[0] == 0) return;
  for (int z = 0; z < span[2]; z++)
    for (int y = 0; y < span[1]; y++)
      for (int x = 0; x < span[0]; x++) {
        unsigned b = bucket_of(g, cell[0] + x, cell[1] + y, cell[2] + z);
        if (fill)
          g->entry[g->first[b + 1]++] = i;
        else
          g->first[b + 2]++;
      }
}

/* Entries sorted by bucket, boxes in order within a bucket. */
static void bin(grid *g) {
  memset(g->first, 0, (g->mask + 3) * sizeof(int));
  for (int i = 0; i < g->n; i++) visit(g, i, false);
  for (unsigned b = 2; b <= g->mask + 2; b++) g->first[b] += g->first[b - 1];
  for (int i = 0; i < g->n; i++) visit(g, i, true);
}

/* What a test reads of a box lies in one place. */
static void gather(grid *g) {
  for (int i = 0; i < g->n; i++) {
    double *box = g->box + 2 * (size_t)g->dims * (size_t)i;
    for (int k = 0; k < g->dims; k++) box[k] = g->lo[k][i] - g->skin, box[g->dims + k] = g->hi[k][i];
  }
}

/* Without branches: which axis separates cannot be predicted. */
static inline bool overlap(const double *x, const double *y, int dims) {
  int hit = (x[0] <= y[dims]) & (y[0] <= x[dims]) & (x[1] <= y[dims + 1]) & (y[1] <= x[dims + 1]);
  if (dims == 3) hit &= (x[2] <= y[5]) & (y[2] <= x[5]);
  return hit;
}

static inline bool both_idle(const grid *g, int i, int j) {
  return g->idle && g->idle[i] && g->idle[j];
}

static void put(grid *g, int i, int j) {
  if (g->found < g->room) {
    g->raw[2 * (size_t)g->found] = i < j ? i : j;
    g->raw[2 * (size_t)g->found + 1] = i < j ? j : i;
  }
  if (g->found < INT32_MAX) g->found++;
}

/* A pair belongs to one of the cells both lie in: the one with the largest numbers of the two lower
** corners. Two cells of one bucket may still give a pair twice; sorting finds that. */
static inline void search_bucket(grid *g, unsigned b, int dims) {
  const size_t width = 2 * (size_t)dims;
  const int end = g->first[b + 1];
  for (int p = g->first[b]; p < end; p++) {
    const int i = g->entry[p], *ci = g->cell + 3 * (size_t)i;
    const double *box = g->box + width * (size_t)i;
    for (int q = p + 1; q < end; q++) {
      const int j = g->entry[q];
      if (!overlap(box, g->box + width * (size_t)j, dims) || i == j || both_idle(g, i, j)) continue;
      const int *cj = g->cell + 3 * (size_t)j;
      int x = ci[0] > cj[0] ? ci[0] : cj[0], y = ci[1] > cj[1] ? ci[1] : cj[1];
      int z = ci[2] > cj[2] ? ci[2] : cj[2];
      if (bucket_of(g, x, y, z) == b) put(g, i, j);
    }
  }
}

static void search_cells(grid *g) {
  for (unsigned b = 0; b <= g->mask; b++) {
    if (g->dims == 2) search_bucket(g, b, 2);
    else search_bucket(g, b, 3);
  }
}

static void search_wide(grid *g) {
  const size_t width = 2 * (size_t)g->dims;
  for (int i = 0; i < g->n; i++) {
    if (g->span[3 * (size_t)i] != 0) continue;
    const double *box = g->box + width * (size_t)i;
    for (int j = 0; j < g->n; j++) {
      bool once = g->span[3 * (size_t)j] != 0 || j > i;
      if (j == i || !once || !overlap(box, g->box + width * (size_t)j, g->dims)) continue;
      if (!both_idle(g, i, j)) put(g, i, j);
    }
  }
}

/* The raw pairs into a, b, sorted by (a, b), doubles dropped. start needs n + 1. */
static int sort_pairs(const grid *g, int *start, int *a, int *b) {
  memset(start, 0, ((size_t)g->n + 1) * sizeof(int));
  for (int p = 0; p < g->found; p++) start[g->raw[2 * (size_t)p] + 1]++;
  for (int i = 0; i < g->n; i++) start[i + 1] += start[i];
  for (int p = 0; p < g->found; p++) {
    int at = start[g->raw[2 * (size_t)p]]++;
    a[at] = g->raw[2 * (size_t)p], b[at] = g->raw[2 * (size_t)p + 1];
  }
  int kept = 0, begin = 0;
  for (int p = 0; p < g->found; p++) {
    /* Insert b[p] among those of the same a already kept, from `begin` on. */
    int i = a[p], j = b[p];
    if (kept == 0 || a[kept - 1] != i) begin = kept;
    int at = kept;
    while (at > begin && b[at - 1] > j) at--;
    if (at > begin && b[at - 1] == j) continue;
    for (int q = kept; q > at; q--) b[q] = b[q - 1];
    a[kept++] = i, b[at] = j;
  }
  return kept;
}

static void remember(dls_broad *broad, const grid *g) {
  for (int k = 0; k < g->dims; k++) {
    size_t size = (size_t)g->n * sizeof(double);
    memcpy(broad->built + (size_t)k * broad->n_room, g->lo[k], size);
    memcpy(broad->built + (size_t)(g->dims + k) * broad->n_room, g->hi[k], size);
  }
  broad->n = g->n;
  broad->builds++;
}

dls_status dls_broad_update(dls_broad *broad, int n, const double *const lo[],
                            const double *const hi[], const unsigned char *idle, bool *rebuilt) {
  if (n > broad->n_room) return DLS_FULL;
  bool build = moved(broad, n, lo, hi);
  if (!build) {
    if (rebuilt) *rebuilt = false;
    return DLS_OK;
  }
  grid g = {.skin = broad->skin, .n = n, .dims = broad->dims, .idle = idle, .room = broad->pair_room};
  g.box = broad->built + 2 * (size_t)g.dims * broad->n_room;
  for (int k = 0; k < g.dims; k++) g.lo[k] = lo[k], g.hi[k] = hi[k];
  g.mask = buckets_for(broad->n_room) - 1;
  while (g.mask > 63 && g.mask / 2 >= (unsigned)n) g.mask /= 2;
  double mean = mean_width(&g, DLS_INF);
  g.inverse = 1 / (CELL * mean_width(&g, WIDE * mean));

  int *scratch = broad->scratch;
  g.first = scratch, scratch += g.mask + 3;
  g.cell = scratch, scratch += 3 * (size_t)n;
  g.span = scratch, scratch += 3 * (size_t)n;
  g.raw = scratch, scratch += 2 * (size_t)broad->pair_room;
  int *start = scratch;
  g.entry = start + n + 1;
  int64_t entries = place(&g);
  if (entries > broad->entry_room) {
    broad->need_entries = entries > INT32_MAX ? INT32_MAX : (int)entries;
    return DLS_FULL;
  }
  gather(&g);
  bin(&g);
  search_cells(&g);
  search_wide(&g);
  if (g.found > g.room) {
    broad->need_pairs = g.found;
    return DLS_FULL;
  }
  broad->n_pairs = sort_pairs(&g, start, broad->a, broad->b);
  broad->n_entries = (int)entries;
  remember(broad, &g);
  if (rebuilt) *rebuilt = true;
  return DLS_OK;
}
