/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/near.h"

/* Bounds of shapes, widened by their ways, for the neighbour list of the plane. */

/* The bounds of a body's shape, widened by its way, as box number k. */
static void bound(dls_step *S, dls_near_stage *N, const dls_body *body, int i, int k) {
  const double way = N->margin[i];
  dls_vec2 low, high;
  dls_shape_bounds2(body->shape, &S->T2[i], &low, &high);
  N->bound[0][k] = low.x - way;
  N->bound[1][k] = low.y - way;
  N->bound[2][k] = high.x + way;
  N->bound[3][k] = high.y + way;
}

/* What is no disk about its mass centre: its bounds, and what those who look at pairs see of it.
** Without a shape there is nothing of it anywhere. */
static void place_general(dls_step *S, dls_near_stage *N, dls_disk_stage *disks, int i) {
  const dls_body *body = &S->w->bodies[i];
  const dls_shape *shape = body->shape;
  if (!body->alive || !shape) {
    N->bound[0][i] = N->bound[1][i] = DLS_INF, N->bound[2][i] = N->bound[3][i] = -DLS_INF;
    N->margin[i] = 0;
    return;
  }
  N->margin[i] = dls_travel(S, i);
  disks->spot[i] = (dls_spot2){S->T2[i].x, S->T2[i].y, -DLS_INF, 0};
  N->rim[i] = (dls_rim2){S->T2[i].x, S->T2[i].y, shape->reach + N->margin[i], 0};
  if (shape->kind == DLS_SHAPE_DRUM) {
    const dls_lifters *lifters = &shape->lifters;
    N->rim[i].hole = shape->radius - (lifters->count > 0 ? lifters->height : 0) - N->margin[i];
  }
  bound(S, N, body, i, i);
}

/* All bodies; whether one is farther from where its box was built than the list bears. */
static bool place_bodies(dls_step *S, dls_near_stage *N, dls_disk_stage *disks) {
  const dls_columns *c = &S->w->columns;
  const dls_broad *list = &S->w->broad;
  const bool built = list->n == S->w->n_bodies;
  const double *at[4] = {NULL, NULL, NULL, NULL}, limit = 0.5 * list->skin;
  for (int k = 0; k < 4 && built; k++) at[k] = list->built + (size_t)k * (size_t)list->n_room;
  bool far = dls_disks_place(disks, S->q_c, at, limit, N->rim, N->margin);
  for (int e = 0; e < c->n_general; e++) {
    const int i = c->general[e];
    if (c->radius[i] > 0) continue;
    place_general(S, N, disks, i);
    for (int k = 0; k < 4 && built; k++) far |= fabs(N->bound[k][i] - at[k][i]) > limit;
  }
  return far || !built;
}

/* Bounds of disks, which place_general() does not write. */
static void bound_disks(dls_step *S, dls_near_stage *N, const dls_disk_stage *disks) {
  const double *radius = S->w->columns.radius;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const double x = disks->spot[i].x, y = disks->spot[i].y, r = radius[i], way = N->margin[i];
    if (!(r > 0)) continue;
    N->bound[0][i] = x - r - way, N->bound[1][i] = y - r - way;
    N->bound[2][i] = x + r + way, N->bound[3][i] = y + r + way;
  }
}

/* Widened bounds and the neighbour list, whose boxes have the numbers of the bodies. */
dls_status dls_find_neighbours_2(dls_step *S, dls_near_stage *N, dls_disk_stage *disks) {
  dls_world *w = S->w;
  N->filtered = w->columns.filtered || w->hooks.filter;
  if (!place_bodies(S, N, disks)) return DLS_OK;
  bound_disks(S, N, disks);
  if (!w->list_kept) dls_broad_save(&w->broad, w->undo + w->undo_list);
  w->list_kept = true;
  const double *const lo[2] = {N->bound[0], N->bound[1]}, *const hi[2] = {N->bound[2], N->bound[3]};
  return dls_broad_build(&w->broad, w->n_bodies, lo, hi, w->columns.idle);
}

dls_status dls_find_near_2(dls_step *S, dls_near_stage *N) {
  const dls_broad *list = &S->w->broad;
  dls_near *near = N->near;
  const int met = dls_gap_lanes_best()->near(list->n_pairs, list->a, list->b, N->rim, &near->a);
  int n = N->filtered ? 0 : met;
  for (int k = 0; N->filtered && k < met; k++) {
    near[n] = near[k];
    n += dls_may_touch(S, N, near[k].a, near[k].b);
  }
  N->n_near = n;
  return DLS_OK;
}
