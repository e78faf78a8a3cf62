/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

/* Large piles in the plane: the pairs of disks that sweeps are to settle. Those that overlap, or
** held and opened, first; then those that a move has reached. */

static inline void take_disks(const dls_near_stage *N, dls_position_stage *P, int k) {
  const int i = N->near[k].a, j = N->near[k].b;
  const dls_spot2 *a = &P->spot[i], *b = &P->spot[j];
  const double d = P->gap[k] + (a->radius + b->radius);
  P->mark[k] |= DLS_GAP_TAKEN;
  const double w = a->other + b->other;
  if (!(w > 0)) return;
  P->disks[P->n_taken++] = (dls_position_disks){
      .nx = d > 0 ? (b->x - a->x) / d : 1, .ny = d > 0 ? (b->y - a->y) / d : 0, .gap = P->gap[k],
      .m_a = a->other / w, .m_b = b->other / w, .size = P->size[k], .a = i, .b = j, .seen = -1,
      .both = P->mark[k] & DLS_GAP_HOLDS};
}

/* Apart where they overlap, together where they held. */
void dls_take_far(const dls_near_stage *N, dls_position_stage *P) {
  const unsigned char *marks = P->mark;
  for (int k = 0, n = N->n_near; k < n; k++) {
    const unsigned char mark = marks[k];
    const bool opened = (mark & (DLS_GAP_OPEN | DLS_GAP_HOLDS)) == (DLS_GAP_OPEN | DLS_GAP_HOLDS);
    if ((mark & DLS_GAP_OVER) || opened) take_disks(N, P, k);
  }
}

/* By gaps at q' moved by dq, exactly. */
dls_status dls_take_reached(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_spot2 *spots = DLS_TAKE(tmp, dls_spot2, S->w->n_bodies);
  double *gap = DLS_TAKE(tmp, double, N->n_near);
  if (!spots || !gap) return DLS_FULL;
  for (int i = 0; i < S->w->n_bodies; i++) {
    spots[i] = P->spot[i];
    spots[i].x += P->dq[3 * i], spots[i].y += P->dq[3 * i + 1];
  }
  dls_gap_lanes_best()->disks(N->n_near, &N->near->a, &N->near->b, 2, spots, gap);
  const unsigned char *marks = P->mark;
  const double *sizes = P->size;
  for (int k = 0, n = N->n_near; k < n; k++) {
    const double size = sizes[k], limit = DLS_OVERLAP_LARGE * size;
    const bool far = (gap[k] < -limit) | ((gap[k] > limit) & (marks[k] & DLS_GAP_HOLDS));
    if (far & !(marks[k] & DLS_GAP_TAKEN) & (size > 0)) take_disks(N, P, k);
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

double dls_sweep_disk_gaps(dls_position_stage *P, bool backwards, double left) {
  const int n = P->n_taken;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    dls_position_disks *c = &P->disks[backwards ? n - 1 - k : k];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = P->dq + 3 * c->a, *dq_b = P->dq + 3 * c->b;
    const double least = left * c->size;
    const double gap = c->gap + (c->nx * (dq_b[0] - dq_a[0]) + c->ny * (dq_b[1] - dq_a[1]));
    if (fabs(gap) <= least) continue;
    double way = c->way - gap;
    if (!c->both && way < 0) way = 0;
    const double change = way - c->way, size = fabs(change);
    if (size <= least) continue;
    if (size > worst * c->size) worst = size / c->size;
    c->way = way;
    const double x = change * c->nx, y = change * c->ny;
    dq_a[0] -= c->m_a * x, dq_a[1] -= c->m_a * y;
    dq_b[0] += c->m_b * x, dq_b[1] += c->m_b * y;
    c->seen = ++P->moves;
    if (c->m_a > 0) moved[c->a] = P->moves;
    if (c->m_b > 0) moved[c->b] = P->moves;
  }
  return worst;
}
