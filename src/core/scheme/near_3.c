/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/near.h"

#include "core/joints/trees.h"

/* The bounds of a body's shape, widened by its way, as box number k. */
static void bound(dls_step *S, const dls_body *body, int i, int k) {
  const double way = S->reach[i];
  dls_vec3 low, high;
  dls_shape_bounds3(body->shape, &S->T3[i], &low, &high);
  S->bound[2][k] = low.z - way;
  S->bound[5][k] = high.z + way;
  S->bound[0][k] = low.x - way;
  S->bound[1][k] = low.y - way;
  S->bound[3][k] = high.x + way;
  S->bound[4][k] = high.y + way;
}

static void place_ball(dls_step *S, const dls_body *body, int i, int k) {
  S->reach[i] = dls_travel(S, i);
  dls_ball *at = &S->ball[k];
  *at = (dls_ball){.radius = body->round, .body = i, .material = body->material, .free = dls_moves_freely(body),
                   .sensor = body->sensor};
  at->reach = body->shape->reach + S->reach[i];
  at->x = S->T3[i].p.x, at->y = S->T3[i].p.y, at->z = S->T3[i].p.z;
  dls_rod *rod = &S->around[k];
  *rod = S->rod[i];
  rod->r = rod->r > 0 ? rod->r + S->reach[i] + 1e-9 * body->shape->reach : DLS_INF;
  bound(S, body, i, k);
}

dls_status dls_find_neighbours_3(dls_step *S) {
  dls_world *w = S->w;
  const double *lo[3], *hi[3];
  int n = 0;
  bool filtered = false;
  S->ways.narrowest = DLS_INF;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || !body->shape) continue;
    S->ways.narrowest = dls_min(S->ways.narrowest, body->shape->narrowest);
    if (dls_moves_freely(body)) S->ways.longest = dls_max(S->ways.longest, dls_longest_of(body));
    S->body_of[n] = i;
    S->idle[n] = !dls_moves_freely(body);
    filtered |= (body->group != 1) | (body->collides != ~(uint32_t)0);
    place_ball(S, body, i, n);
    n++;
  }
  S->n_shapes = n;
  S->filtered = filtered || w->hooks.filter;
  for (int d = 0; d < 3; d++) {
    lo[d] = S->bound[d];
    hi[d] = S->bound[3 + d];
  }
  if (!dls_broad_moved(&w->broad, S->n_shapes, lo, hi)) return DLS_OK;
  if (!w->list_kept) dls_broad_save(&w->broad, w->undo + w->undo_list);
  w->list_kept = true;
  return dls_broad_build(&w->broad, S->n_shapes, lo, hi, S->idle);
}

/* Whether the balls of two listed shapes, as far as they go in the step, meet. Without branches: what
** meets cannot be predicted. */
static inline bool balls_meet(const dls_ball *a, const dls_ball *b) {
  const double x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, r = a->reach + b->reach;
  const double d2 = x * x + y * y + z * z;
  return !(d2 > r * r);
}

/* Several pairs at once: rods, whose balls say little. Positive: apart. False where joints may carry bodies
** farther than they go by themselves: then their balls decide. */
static bool take_apart(const dls_step *S, double *apart) {
  const dls_broad *list = &S->w->broad;
  if (S->room_joints > 0 || dls_trees_used(S->w)) return false;
  dls_gap_lanes_best()->rods(list->n_pairs, list->a, list->b, S->around, apart);
  return true;
}

dls_status dls_find_near_3(dls_step *S) {
  const dls_broad *list = &S->w->broad;
  dls_near *near = S->near;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  double *apart = DLS_TAKE(tmp, double, list->n_pairs);
  if (!apart) return DLS_FULL;
  const bool known = take_apart(S, apart);
  int n = 0;
  for (int k = 0; k < list->n_pairs; k++) {
    const int i = list->a[k], j = list->b[k];
    near[n] = (dls_near){i, j};
    bool meet = known ? !(apart[k] > 0) : balls_meet(&S->ball[i], &S->ball[j]);
    if (S->filtered) meet = meet && dls_may_touch(S, i, j);
    n += meet;
  }
  dls_arena_release(tmp, mark);
  S->n_near = n;
  return DLS_OK;
}
