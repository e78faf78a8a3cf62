/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/broad_plane.h"

/* Widths of rows and bins relative to the mean width of the ordinary boxes; one that is more than
** WIDE mean widths long is compared with all others instead. So an ordinary one spans at most 9
** bins, its partners 18, and 4 rows. */
#define ROW 1.5
#define BIN 0.5
#define WIDE 4
enum { LEAST_BINS = 32, LEAST_ROWS = 8, SPARE = 4 };

enum { NOTHING, ORDINARY, LARGE }; /* what a box is */

static inline void look(dls_plane_boxes *s, const dls_plane_box *me, int from, int to);
#include "core/collide/broad_plane.inc.h"
static inline void look(dls_plane_boxes *s, const dls_plane_box *me, int from, int to) {
  look_one(s, me, from, to);
}

static const dls_plane_lanes plain = {"plain", search, against};

static const dls_plane_lanes *best(void) {
  static const dls_plane_lanes *const by_isa[DLS_ISA_COUNT] =
      DLS_BY_ISA(plain, dls_plane_lanes_avx2, dls_plane_lanes_avx2);
  return by_isa[dls_isa()];
}

typedef struct work {
  dls_broad_search *out; /* where pairs go */
  dls_plane_boxes grid; /* cells and their boxes */
  int axis[2];         /* along the rows; across                       */
  unsigned char *kind; /* n                                            */
  int *cell;           /* n: of ordinary ones                          */
  int *half;           /* 2 room: pairs by b                           */
  int *start;          /* n + 2                                        */
} work;

/* For so many boxes: a power of two. */
static int most_cells(int n) {
  int cells = LEAST_BINS * LEAST_ROWS;
  while (cells < 2 * n) cells *= 2;
  return cells;
}

size_t dls_broad_plane_size(int n, int room) {
  const size_t boxes = (size_t)n + SPARE, pairs = (size_t)room + SPARE;
  return 4 * boxes * sizeof(double) / sizeof(int) + 4 * boxes + 4 * pairs + (size_t)most_cells(n) +
         8;
}

static void share_scratch(work *w) {
  dls_broad_search *out = w->out;
  const size_t boxes = (size_t)out->n + SPARE, pairs = (size_t)out->room + SPARE;
  double *numbers = (double *)(void *)out->scratch;
  for (size_t k = 0; k < 2; k++)
    w->grid.lo[k] = numbers + k * boxes, w->grid.hi[k] = numbers + (2 + k) * boxes;
  w->grid.id = (int *)(void *)(numbers + 4 * boxes);
  w->cell = w->grid.id + boxes;
  w->start = w->cell + boxes;
  w->kind = (unsigned char *)(w->start + boxes);
  w->grid.a = w->start + 2 * boxes;
  w->grid.b = w->grid.a + pairs;
  w->half = w->grid.b + pairs;
  w->grid.first = w->half + 2 * pairs;
  w->grid.room = out->room, w->grid.found = 0;
}

/* --- measures ------------------------------------------------------------------------------- */

static inline double width(const dls_broad_search *out, int k, int i) {
  return out->hi[k][i] - out->lo[k][i] + out->skin;
}

/* Which boxes are ordinary: those within limit along both axes, not infinite. Their mean widths,
** and from where to where they are. */
typedef struct extent {
  double mean[2], low[2], high[2]; /* of ordinary boxes by axis, m */
} extent;

static extent measure(const work *w, const double limit[2]) {
  const dls_broad_search *out = w->out;
  extent e = {{0, 0}, {DLS_INF, DLS_INF}, {-DLS_INF, -DLS_INF}};
  int count = 0;
  for (int i = 0; i < out->n; i++) {
    const double x = out->lo[0][i], y = out->lo[1][i], a = width(out, 0, i), b = width(out, 1, i);
    /* not a number is neither; x - x is zero where x is finite */
    const bool narrow = (a <= limit[0]) & (b <= limit[1]) & (a < DLS_INF) & (b < DLS_INF);
    const bool inside = narrow & (x - x == 0) & (y - y == 0);
    const bool nothing = x > out->hi[0][i];
    const bool counts = inside & !nothing;
    w->kind[i] = counts ? ORDINARY : nothing ? NOTHING : LARGE;
    if (!counts) continue;
    count++;
    e.mean[0] += a, e.mean[1] += b;
    e.low[0] = dls_min(e.low[0], x), e.low[1] = dls_min(e.low[1], y);
    e.high[0] = dls_max(e.high[0], x), e.high[1] = dls_max(e.high[1], y);
  }
  for (int k = 0; k < 2; k++) {
    e.mean[k] = count > 0 && e.mean[k] > 0 ? e.mean[k] / count : out->skin;
    if (count == 0) e.low[k] = e.high[k] = 0;
  }
  return e;
}

/* The power of two from least on that so many cells take. */
static int power_for(double cells, int least, int most) {
  int power = least;
  while (power < most && power < cells) power *= 2;
  return power;
}

static void lay_grid(work *w) {
  double mean[2] = {DLS_INF, DLS_INF};
  extent e = {0};
  /* a few very large ones make the first mean, and the limit, too large */
  for (int pass = 0; pass < 3; pass++) {
    if (pass > 0) memcpy(mean, e.mean, sizeof mean);
    const double limit[2] = {WIDE * mean[0], WIDE * mean[1]};
    e = measure(w, limit);
  }
  const double length[2] = {(e.high[0] - e.low[0]) / mean[0] + 1,
                            (e.high[1] - e.low[1]) / mean[1] + 1};
  const int along = length[1] > length[0], cells = most_cells(w->out->n);
  dls_plane_boxes *grid = &w->grid;
  w->axis[0] = along, w->axis[1] = !along;
  grid->by_bin = 1 / (BIN * mean[along]);
  grid->by_row = 1 / (ROW * mean[!along]);
  grid->rows = power_for(length[!along] / ROW, LEAST_ROWS, cells / LEAST_BINS);
  grid->bins = power_for(length[along] / BIN, LEAST_BINS, cells / grid->rows);
}

/* --- the grid --------------------------------------------------------------------------------- */

/* Boxes by cell, in their order in each. */
static void fill_grid(work *w) {
  const dls_broad_search *out = w->out;
  dls_plane_boxes *g = &w->grid;
  const double *const lo[2] = {out->lo[w->axis[0]], out->lo[w->axis[1]]}, skin = out->skin;
  const double *const hi[2] = {out->hi[w->axis[0]], out->hi[w->axis[1]]};
  const int cells = g->rows * g->bins;
  int *first = g->first, n_idle = 0, n = 0;
  double widest = 0;
  memset(first, 0, ((size_t)cells + 2) * sizeof(int));
  for (int i = 0; i < out->n; i++) {
    if (w->kind[i] != ORDINARY) continue;
    const int row = dls_cell_of((lo[1][i] - skin) * g->by_row) & (g->rows - 1);
    const int bin = dls_cell_of((lo[0][i] - skin) * g->by_bin) & (g->bins - 1);
    w->cell[i] = row * g->bins + bin;
    first[w->cell[i] + 2]++;
    n_idle += out->idle && out->idle[i];
    n++;
  }
  for (int c = 2; c < cells + 2; c++) first[c] += first[c - 1];
  for (int i = 0; i < out->n; i++) {
    if (w->kind[i] != ORDINARY) continue;
    const int at = first[w->cell[i] + 1]++;
    for (int k = 0; k < 2; k++) g->lo[k][at] = lo[k][i] - skin, g->hi[k][at] = hi[k][i];
    g->id[at] = i;
    widest = dls_max(widest, g->hi[0][at] - g->lo[0][at]);
  }
  g->widest = widest * (1 + 0x1p-50); /* no less for rounding */
  g->n = n;
  g->idle = n_idle > 0 ? out->idle : NULL;
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Large boxes against all in the grid, and against each other. */
static void search_large(work *w, const dls_plane_lanes *lanes) {
  const dls_broad_search *out = w->out;
  dls_plane_boxes *g = &w->grid;
  const int x = w->axis[0], y = w->axis[1];
  for (int i = 0; i < out->n; i++) {
    if (w->kind[i] != LARGE) continue;
    const double low[2] = {out->lo[x][i] - out->skin, out->lo[y][i] - out->skin};
    const dls_plane_box me = {{low[0], low[1]}, {out->hi[x][i], out->hi[y][i]}, i};
    lanes->against(g, &me);
    for (int j = i + 1; j < out->n; j++) {
      if (w->kind[j] != LARGE || (out->idle && out->idle[i] && out->idle[j])) continue;
      bool hit = true;
      for (int k = 0; k < 2; k++)
        hit &= (out->lo[k][i] - out->skin <= out->hi[k][j]) &
               (out->lo[k][j] - out->skin <= out->hi[k][i]);
      if (!hit) continue;
      if (g->found < g->room) g->a[g->found] = i, g->b[g->found] = j;
      g->found += g->found < INT32_MAX;
    }
  }
}

/* By a, then by b: digit by digit, the last one first. */
static void sort_pairs(work *w) {
  dls_broad_search *out = w->out;
  const int found = out->found, n = out->n, *a = w->grid.a, *b = w->grid.b;
  int *start = w->start, *half_a = w->half, *half_b = w->half + found;
  memset(start, 0, ((size_t)n + 2) * sizeof(int));
  for (int p = 0; p < found; p++) start[b[p] + 1]++;
  for (int i = 0; i < n; i++) start[i + 1] += start[i];
  for (int p = 0; p < found; p++) {
    const int at = start[b[p]]++;
    half_a[at] = a[p], half_b[at] = b[p];
  }
  memset(start, 0, ((size_t)n + 2) * sizeof(int));
  for (int p = 0; p < found; p++) start[half_a[p] + 1]++;
  for (int i = 0; i < n; i++) start[i + 1] += start[i];
  for (int p = 0; p < found; p++) {
    const int at = start[half_a[p]]++;
    out->a[at] = half_a[p], out->b[at] = half_b[p];
  }
}

void dls_broad_plane_run(dls_broad_search *search_for) {
  const dls_plane_lanes *lanes = best();
  work w = {.out = search_for};
  search_for->n_entries = 0;
  share_scratch(&w);
  lay_grid(&w);
  fill_grid(&w);
  lanes->search(&w.grid);
  search_large(&w, lanes);
  search_for->found = w.grid.found;
  if (search_for->found <= search_for->room) sort_pairs(&w);
}
