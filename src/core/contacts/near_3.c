/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/near.h"

#include "core/joints/trees.h"

/* Bounds of shapes, widened by their ways, for the neighbour list of space; rods with their
** reach. */

/* The bounds of a body's shape, widened by its way, as box number k. */
static void bound(dls_step *S, dls_near_stage *N, const dls_body *body, int i, int k) {
  const double way = N->margin[i];
  dls_vec3 low, high;
  dls_shape_bounds3(body->shape, &S->T3[i], &low, &high);
  N->bound[2][k] = low.z - way;
  N->bound[5][k] = high.z + way;
  N->bound[0][k] = low.x - way;
  N->bound[1][k] = low.y - way;
  N->bound[3][k] = high.x + way;
  N->bound[4][k] = high.y + way;
}

static void place_ball(dls_step *S, dls_near_stage *N, const dls_body *body, int i, int k) {
  N->margin[i] = dls_travel(S, i);
  dls_ball *at = &N->ball[k];
  *at = (dls_ball){.radius = body->disk_radius, .body = i, .material = body->material,
                   .free = dls_moves_freely(body), .sensor = body->sensor};
  at->reach = body->shape->reach + N->margin[i];
  at->x = S->T3[i].p.x, at->y = S->T3[i].p.y, at->z = S->T3[i].p.z;
  dls_rod *rod = &N->around[k];
  *rod = S->rod[i];
  rod->r = rod->r > 0 ? rod->r + N->margin[i] + 1e-9 * body->shape->reach : DLS_INF;
  bound(S, N, body, i, k);
}

dls_status dls_find_neighbours_3(dls_step *S, dls_near_stage *N) {
  dls_world *w = S->w;
  const double *lo[3], *hi[3];
  int n = 0;
  bool filtered = false;
  N->ways.narrowest = DLS_INF;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || !body->shape) continue;
    N->ways.narrowest = dls_min(N->ways.narrowest, body->shape->narrowest);
    if (dls_moves_freely(body)) N->ways.longest = dls_max(N->ways.longest, dls_longest_of(body));
    N->body_of[n] = i;
    N->idle[n] = !dls_moves_freely(body);
    filtered |= (body->group != 1) | (body->collides != ~(uint32_t)0);
    place_ball(S, N, body, i, n);
    n++;
  }
  N->n_shapes = n;
  N->filtered = filtered || w->hooks.filter;
  for (int d = 0; d < 3; d++) {
    lo[d] = N->bound[d];
    hi[d] = N->bound[3 + d];
  }
  if (!dls_broad_moved(&w->broad, N->n_shapes, lo, hi)) return DLS_OK;
  if (!w->list_kept) dls_broad_save(&w->broad, w->undo + w->undo_list);
  w->list_kept = true;
  return dls_broad_build(&w->broad, N->n_shapes, lo, hi, N->idle);
}

/* Whether the balls of two listed shapes, as far as they go in the step, meet. Without branches:
** what meets cannot be predicted. */
static inline bool balls_meet(const dls_ball *a, const dls_ball *b) {
  const double x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, r = a->reach + b->reach;
  const double d2 = x * x + y * y + z * z;
  return !(d2 > r * r);
}

/* Several pairs at once: rods, whose balls say little. Positive: apart. False where joints may
** carry bodies farther than they go by themselves: then their balls decide. */
static bool take_apart(const dls_step *S, const dls_near_stage *N, double *apart) {
  const dls_broad *list = &S->w->broad;
  if (S->joined) return false;
  dls_gap_lanes_best()->rods(list->n_pairs, list->a, list->b, N->around, apart);
  return true;
}

dls_status dls_find_near_3(dls_step *S, dls_near_stage *N) {
  const dls_broad *list = &S->w->broad;
  dls_near *near = N->near;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  double *apart = DLS_TAKE(tmp, double, list->n_pairs);
  if (!apart) return DLS_FULL;
  const bool known = take_apart(S, N, apart);
  int n = 0;
  for (int k = 0; k < list->n_pairs; k++) {
    const int i = list->a[k], j = list->b[k];
    near[n] = (dls_near){i, j};
    bool meet = known ? !(apart[k] > 0) : balls_meet(&N->ball[i], &N->ball[j]);
    if (N->filtered) meet = meet && dls_may_touch(S, N, i, j);
    n += meet;
  }
  dls_arena_release(tmp, mark);
  N->n_near = n;
  return DLS_OK;
}
