/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/broad_search.h"
#include "core/collide/broad_plane.h"

/* Cell edges relative to the mean width of the ordinary boxes along their axis; a box over more
** than WIDE cells along some axis is compared with all others instead. */
#define CELL 1.5
#define WIDE 4
#define FAR_CELL 1e9 /* cells are numbered within this, boxes farther out share the last one */

/* Places along the sweep are rounded down to one of 4^11, in which they are sorted digit by
** digit. */
enum { DIGIT = 1 << 11, KEYS = DIGIT * DIGIT };

/* A box as it stands in one column; axis 0 is that of the sweep. */
typedef struct entry {
  double lo[3], hi[3]; /* lo less skin                                                     */
  int key, last;       /* of lo and hi along the sweep: lo > hi where key > last            */
  int cell[2];         /* of lo across it                                                   */
  int id;              /* which box                                                         */
  int idle;            /* 0 or 1                                                            */
} entry;

typedef struct keyed {
  int key, id;         /* place along the sweep; the box */
} keyed;

typedef struct sweep {
  dls_broad_search *out; /* where pairs go */
  int axis[3];       /* of the boxes: that of the sweep first                              */
  double inverse[3]; /* 1 / cell edge, by own axis                                          */
  double least, scale; /* along the sweep: key = scale (lo - least)                         */
  int across;        /* cells across, a power of two; columns are across^(dims - 1)         */
  entry *entries;    /* entry_room                                                          */
  keyed *order, *other; /* n each: ordinary boxes                                           */
  int n_order;          /* ordinary boxes */
  int *cell, *span;  /* 2 n each; span 0 for wide boxes                                     */
  int *count;        /* 2 DIGIT                                                             */
  int *first;        /* columns + 2                                                         */
  dls_search_pair *raw, *half; /* room + 1, room                                                  */
  int *start;        /* n + 2                                                               */
} sweep;

static int across_for(int n, int dims) {
  int across = 8;
  while ((dims == 2 ? across : across * across) < n / 4) across *= 2;
  return across;
}

static size_t columns_of(const sweep *s) {
  return (size_t)s->across * (s->out->dims == 3 ? (size_t)s->across : 1);
}

size_t dls_broad_search_size(int n, int dims, int room, int entry_room) {
  if (dims == 2) return dls_broad_plane_size(n, room);
  const size_t boxes = (size_t)n, across = (size_t)across_for(n, dims), pairs = (size_t)room;
  return (size_t)entry_room * sizeof(entry) / sizeof(int) + 9 * boxes + 2 * DIGIT + 4 * pairs +
         across * (dims == 3 ? across : 1) + 8;
}

static void share_scratch(sweep *s) {
  dls_broad_search *out = s->out;
  const size_t n = (size_t)out->n;
  s->across = across_for(out->n, out->dims);
  s->entries = (entry *)(void *)out->scratch;
  s->order = (keyed *)(void *)(s->entries + out->entry_room);
  s->other = s->order + n;
  s->raw = (dls_search_pair *)(void *)(s->other + n);
  s->half = s->raw + out->room + 1;
  s->cell = (int *)(void *)(s->half + out->room);
  s->span = s->cell + 2 * n;
  s->count = s->span + 2 * n;
  s->start = s->count + 2 * DIGIT;
  s->first = s->start + n + 2;
}

/* --- measures ------------------------------------------------------------------------------- */

static double width(const dls_broad_search *out, int k, int i) {
  return out->hi[k][i] - out->lo[k][i] + out->skin;
}

/* Not wider than limit anywhere; false for infinite boxes. */
static bool is_within(const dls_broad_search *out, int i, const double limit[3]) {
  for (int k = 0; k < out->dims; k++) {
    const double w = width(out, k, i);
    if (!(w <= limit[k]) || !dls_is_finite(w) || !dls_is_finite(out->lo[k][i])) return false;
  }
  return true;
}

/* Mean widths of the boxes within limit, and from where to where they are. Axis by axis, as the
** bounds lie. */
static void measure(const sweep *s, const double limit[3], double mean[3], double least[3],
                    double most[3]) {
  const dls_broad_search *out = s->out;
  const int n = out->n;
  int *inside = s->span, count = 0;
  for (int i = 0; i < n; i++) inside[i] = 1;
  for (int k = 0; k < out->dims; k++) {
    const double *lo = out->lo[k], *hi = out->hi[k], skin = out->skin, limit_k = limit[k];
    for (int i = 0; i < n; i++) {
      const double w = hi[i] - lo[i] + skin;
      inside[i] = inside[i] != 0 && w <= limit_k && dls_is_finite(w) && dls_is_finite(lo[i]);
    }
  }
  for (int i = 0; i < n; i++) count += inside[i];
  for (int k = 0; k < 3; k++) mean[k] = 0, least[k] = DLS_INF, most[k] = -DLS_INF;
  for (int k = 0; k < out->dims; k++) {
    const double *lo = out->lo[k], *hi = out->hi[k], skin = out->skin;
    double sum = 0, low = DLS_INF, high = -DLS_INF;
    for (int i = 0; i < n; i++) {
      if (!inside[i]) continue;
      sum += hi[i] - lo[i] + skin;
      low = dls_min(low, lo[i]), high = dls_max(high, lo[i]);
    }
    mean[k] = sum, least[k] = low, most[k] = high;
  }
  for (int k = 0; k < 3; k++) {
    mean[k] = count > 0 && mean[k] > 0 ? mean[k] / count : out->skin;
    if (count == 0) least[k] = most[k] = 0;
  }
}

/* Cells, and which axis is swept. */
static void choose_axes(sweep *s) {
  const dls_broad_search *out = s->out;
  double limit[3] = {DLS_INF, DLS_INF, DLS_INF}, mean[3], least[3], most[3];
  measure(s, limit, mean, least, most);
  for (int k = 0; k < 3; k++) limit[k] = WIDE * mean[k];
  measure(s, limit, mean, least, most);
  int best = 0;
  for (int k = 0; k < out->dims; k++) {
    s->inverse[k] = 1 / (CELL * mean[k]);
    if ((most[k] - least[k]) / mean[k] > (most[best] - least[best]) / mean[best]) best = k;
  }
  s->axis[0] = best;
  for (int k = 0, at = 1; k < out->dims; k++)
    if (k != best) s->axis[at++] = k;
  const double extent = most[best] - least[best] + mean[best];
  s->least = least[best] - out->skin;
  s->scale = dls_is_finite(extent) ? dls_min(64 / mean[best], (KEYS - 2) / extent) : 0;
}

static int cell_of(double x) {
  const double cell = dls_clamp(x, -FAR_CELL, FAR_CELL);
  const int down = (int)cell; /* towards zero: one more below it */
  return down - (cell < down);
}

static int key_of(const sweep *s, double x) {
  return (int)dls_clamp((x - s->least) * s->scale, 0, KEYS - 1);
}

/* --- columns --------------------------------------------------------------------------------- */

static void place(sweep *s) {
  dls_broad_search *out = s->out;
  double limit[3];
  int64_t entries = 0;
  for (int k = 0; k < out->dims; k++) limit[k] = WIDE / s->inverse[k];
  for (int i = 0; i < out->n; i++) {
    int *cell = s->cell + 2 * (size_t)i, *span = s->span + 2 * (size_t)i;
    cell[0] = cell[1] = 0, span[0] = span[1] = 1;
    if (out->lo[0][i] > out->hi[0][i]) { /* nothing */
      span[0] = -1;
      continue;
    }
    if (!is_within(out, i, limit)) {
      span[0] = 0;
      continue;
    }
    for (int k = 1; k < out->dims; k++) {
      const int axis = s->axis[k];
      cell[k - 1] = cell_of((out->lo[axis][i] - 0.5 * out->skin) * s->inverse[axis]);
      span[k - 1] =
          cell_of((out->hi[axis][i] + 0.5 * out->skin) * s->inverse[axis]) - cell[k - 1] + 1;
    }
    entries += span[0] * span[1];
    s->order[s->n_order++] = (keyed){key_of(s, out->lo[s->axis[0]][i] - out->skin), i};
  }
  out->n_entries = entries > INT32_MAX ? INT32_MAX : (int)entries;
}

/* By key, boxes of one key in their order. */
static void sort_keys(sweep *s) {
  int *low = s->count, *high = s->count + DIGIT;
  memset(s->count, 0, 2 * DIGIT * sizeof(int));
  for (int i = 0; i < s->n_order; i++) {
    low[s->order[i].key % DIGIT]++;
    high[s->order[i].key / DIGIT]++;
  }
  for (int d = 0, below = 0, beneath = 0; d < DIGIT; d++) {
    const int l = low[d], h = high[d];
    low[d] = below, high[d] = beneath;
    below += l, beneath += h;
  }
  for (int i = 0; i < s->n_order; i++) s->other[low[s->order[i].key % DIGIT]++] = s->order[i];
  for (int i = 0; i < s->n_order; i++) s->order[high[s->other[i].key / DIGIT]++] = s->other[i];
}

static inline size_t column_of(const sweep *s, int x, int y) {
  const int mask = s->across - 1;
  return s->out->dims == 3 ? (size_t)(x & mask) * (size_t)s->across + (size_t)(y & mask)
                           : (size_t)(x & mask);
}

static entry entry_of(const sweep *s, const keyed *at) {
  const dls_broad_search *out = s->out;
  const int i = at->id;
  entry e = {.key = at->key, .cell = {s->cell[2 * i], s->cell[2 * i + 1]}, .id = i,
             .idle = out->idle ? out->idle[i] != 0 : 0};
  for (int k = 0; k < out->dims; k++) {
    e.lo[k] = out->lo[s->axis[k]][i] - out->skin;
    e.hi[k] = out->hi[s->axis[k]][i];
  }
  e.last = key_of(s, e.hi[0]);
  return e;
}

/* Entries by column, along the sweep in each. */
static void fill_columns(sweep *s) {
  memset(s->first, 0, (columns_of(s) + 2) * sizeof(int));
  for (int i = 0; i < s->n_order; i++) {
    const int id = s->order[i].id, *cell = s->cell + 2 * id, *span = s->span + 2 * id;
    for (int x = 0; x < span[0]; x++)
      for (int y = 0; y < span[1]; y++) s->first[column_of(s, cell[0] + x, cell[1] + y) + 2]++;
  }
  for (size_t c = 2; c < columns_of(s) + 2; c++) s->first[c] += s->first[c - 1];
  for (int i = 0; i < s->n_order; i++) {
    const int id = s->order[i].id, *cell = s->cell + 2 * id, *span = s->span + 2 * id;
    const entry e = entry_of(s, &s->order[i]);
    for (int x = 0; x < span[0]; x++)
      for (int y = 0; y < span[1]; y++)
        s->entries[s->first[column_of(s, cell[0] + x, cell[1] + y) + 1]++] = e;
  }
}

/* --- pairs ------------------------------------------------------------------------------------ */

static inline void put(sweep *s, int i, int j, int hit) {
  dls_broad_search *out = s->out;
  s->raw[out->found < out->room ? out->found : out->room] =
      (dls_search_pair){i < j ? i : j, i < j ? j : i};
  out->found += hit & (out->found < INT32_MAX);
}

/* A pair belongs to the column of the larger lower cells of the two: both stand in it. Without
** branches: which axis separates cannot be predicted. */
static inline void search_column(sweep *s, size_t column, int dims) {
  const entry *end = s->entries + s->first[column + 1];
  for (const entry *x = s->entries + s->first[column]; x < end; x++)
    for (const entry *y = x + 1; y < end && y->key <= x->last; y++) {
      int hit = (x->lo[0] <= y->hi[0]) & (y->lo[0] <= x->hi[0]) & (x->lo[1] <= y->hi[1]) &
                (y->lo[1] <= x->hi[1]) & !(x->idle & y->idle);
      if (dims == 3) hit &= (x->lo[2] <= y->hi[2]) & (y->lo[2] <= x->hi[2]);
      const int at = x->cell[0] > y->cell[0] ? x->cell[0] : y->cell[0];
      const int to = x->cell[1] > y->cell[1] ? x->cell[1] : y->cell[1];
      put(s, x->id, y->id, hit & (column_of(s, at, to) == column));
    }
}

static void search_wide(sweep *s) {
  const dls_broad_search *out = s->out;
  for (int i = 0; i < out->n; i++) {
    if (s->span[2 * (size_t)i] != 0) continue;
    for (int j = 0; j < out->n; j++) {
      const int other = s->span[2 * (size_t)j];
      const bool once = other > 0 || (other == 0 && j > i);
      int hit = once && j != i && !(out->idle && out->idle[i] && out->idle[j]);
      for (int k = 0; k < out->dims; k++)
        hit &= (out->lo[k][i] - out->skin <= out->hi[k][j]) &
               (out->lo[k][j] - out->skin <= out->hi[k][i]);
      put(s, i, j, hit);
    }
  }
}

/* By a, then by b: digit by digit, the last one first. */
static void sort_pairs(sweep *s) {
  dls_broad_search *out = s->out;
  const int found = out->found;
  int *start = s->start;
  memset(start, 0, ((size_t)out->n + 2) * sizeof(int));
  for (int p = 0; p < found; p++) start[s->raw[p].b + 1]++;
  for (int i = 0; i < out->n; i++) start[i + 1] += start[i];
  for (int p = 0; p < found; p++) s->half[start[s->raw[p].b]++] = s->raw[p];
  memset(start, 0, ((size_t)out->n + 2) * sizeof(int));
  for (int p = 0; p < found; p++) start[s->half[p].a + 1]++;
  for (int i = 0; i < out->n; i++) start[i + 1] += start[i];
  for (int p = 0; p < found; p++) {
    const int at = start[s->half[p].a]++;
    out->a[at] = s->half[p].a, out->b[at] = s->half[p].b;
  }
}

void dls_broad_search_run(dls_broad_search *search) {
  if (search->dims == 2) {
    dls_broad_plane_run(search);
    return;
  }
  sweep s = {.out = search};
  search->found = 0;
  share_scratch(&s);
  choose_axes(&s);
  place(&s);
  if (search->n_entries > search->entry_room) return;
  sort_keys(&s);
  fill_columns(&s);
  for (size_t c = 0; c < columns_of(&s); c++) {
    if (search->dims == 2) search_column(&s, c, 2);
    else search_column(&s, c, 3);
  }
  search_wide(&s);
  if (search->found <= search->room) sort_pairs(&s);
}
