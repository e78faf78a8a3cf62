/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The walk over the grid, included by each path with its
**   static inline void look(dls_plane_boxes *s, const dls_plane_box *me, int from, int to)
** which adds the pairs of `me` among the boxes from .. to - 1. */

static inline void look_one(dls_plane_boxes *s, const dls_plane_box *me, int from, int to) {
  const bool rests = s->idle && s->idle[me->id];
  for (int k = from; k < to; k++) {
    const int at = s->found < s->room ? s->found : s->room, other = s->id[k];
    const int hit = (s->lo[0][k] <= me->hi[0]) & (me->lo[0] <= s->hi[0][k]) & (s->lo[1][k] <= me->hi[1]) &
                    (me->lo[1] <= s->hi[1][k]);
    s->a[at] = me->id < other ? me->id : other, s->b[at] = me->id < other ? other : me->id;
    s->found += hit & !(rests && s->idle[other]) & (s->found < INT32_MAX);
  }
}

/* Bins left .. right of a row, which repeat. */
static inline void look_along(dls_plane_boxes *s, const dls_plane_box *me, int row, int left, int right, int from) {
  const int *cells = s->first + (size_t)(row & (s->rows - 1)) * (size_t)s->bins;
  const int low = left & (s->bins - 1), high = right & (s->bins - 1);
  if (from < cells[low]) from = cells[low];
  if (high >= low) {
    look(s, me, from, cells[high + 1]);
  } else {
    look(s, me, from, cells[s->bins]);
    look(s, me, cells[0], cells[high + 1]);
  }
}

static void search(dls_plane_boxes *s) {
  for (int k = 0; k < s->n; k++) {
    const dls_plane_box me = {{s->lo[0][k], s->lo[1][k]}, {s->hi[0][k], s->hi[1][k]}, s->id[k]};
    const int row = dls_cell_of(me.lo[1] * s->by_row), last = dls_cell_of(me.hi[1] * s->by_row);
    const int own = dls_cell_of(me.lo[0] * s->by_bin), right = dls_cell_of(me.hi[0] * s->by_bin);
    const int left = dls_cell_of((me.lo[0] - s->widest) * s->by_bin);
    look_along(s, &me, row, own, right, k + 1);
    for (int r = row + 1; r <= last; r++) look_along(s, &me, r, left, right, 0);
  }
}

static void against(dls_plane_boxes *s, const dls_plane_box *box) { look(s, box, 0, s->n); }
