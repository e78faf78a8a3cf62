/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/base/sort.h"
#include "core/contacts/near.h"
#include "core/contacts/touches.h"
#include "core/model/body.h"
#include "core/model/material.h"
#include "core/model/motion.h"
#include "core/model/row_frame.h"

/* Pairs that a projection, or a blow, has brought together: bodies that went farther than their
** bounds were widened are met with all others by sweep and prune at q'; new pairs are put into
** near. */

/* Who went farther than its bounds were widened, and the order in which pairs are met. */
typedef struct brought {
  unsigned char *beyond; /* n_bodies                                                     */
  double *low[3], *high[3]; /* n_bodies: bounds at q'; without a shape infinite: none    */
  int *order;            /* bodies with shapes, by low[0]                                */
  int n;                 /* of them                                                      */
} brought;

/* Whether body i is farther from where its bounds were taken than they were widened. */
static bool is_beyond(const dls_step *S, const dls_near_stage *N, int i) {
  const dls_body *body = &S->w->bodies[i];
  double way[6], line = 0, turn = 0;
  if (!body->alive || !body->shape || !dls_moves_freely(body)) return false;
  const double *from = DLS_Q(S, S->q_c, i), *to = DLS_Q(S, S->q_n, i);
  for (int k = 0; k < S->dim; k++) line += (to[k] - from[k]) * (to[k] - from[k]);
  if (body->disk_radius > 0) return line > N->margin[i] * N->margin[i];
  dls_way_to(S->dim, to, from, way);
  for (int k = S->dim; k < S->nu; k++) turn += way[k] * way[k];
  return sqrt(line) + dls_longest_of(body) * sqrt(turn) > N->margin[i];
}

static void bound(const dls_step *S, const dls_position_stage *P, int i, dls_vec3 *low,
                  dls_vec3 *high) {
  const dls_body *body = &S->w->bodies[i];
  if (S->dim == 3) {
    dls_shape_bounds3(body->shape, &S->T3[i], low, high);
  } else if (P->spot[i].radius > 0) {
    const dls_spot2 *at = &P->spot[i];
    *low = dls_v3(at->x - at->radius, at->y - at->radius, 0),
    *high = dls_v3(at->x + at->radius, at->y + at->radius, 0);
  } else {
    dls_vec2 from, to;
    dls_shape_bounds2(body->shape, &S->T2[i], &from, &to);
    *low = dls_v3(from.x, from.y, 0), *high = dls_v3(to.x, to.y, 0);
  }
}

static dls_status take_bounds(dls_step *S, const dls_position_stage *P, brought *x) {
  const size_t n = (size_t)S->w->n_bodies;
  double *room = DLS_TAKE(&S->w->arena, double, 2 * n * (size_t)S->dim);
  x->order = DLS_TAKE(&S->w->arena, int, n);
  const size_t bytes = dls_bytes_add(dls_arena_bytes(2 * n * (size_t)S->dim, sizeof(double)),
                                     dls_sort_bytes((int)n));
  S->w->need_arena = dls_bytes_add(S->w->arena.size, bytes);
  if (!room || !x->order) return DLS_FULL;
  for (int d = 0; d < S->dim; d++) x->low[d] = room + 2 * n * (size_t)d, x->high[d] = x->low[d] + n;
  x->n = 0;
  for (int i = 0; i < S->w->n_bodies; i++) {
    if (!S->w->bodies[i].alive || !S->w->bodies[i].shape) continue;
    dls_vec3 low, high;
    bound(S, P, i, &low, &high);
    x->low[0][i] = low.x, x->low[1][i] = low.y, x->high[0][i] = high.x, x->high[1][i] = high.y;
    if (S->dim == 3) x->low[2][i] = low.z, x->high[2][i] = high.z;
    x->order[x->n++] = i;
  }
  return dls_sort_by_double(x->n, x->low[0], x->order, &S->w->arena);
}

/* Whether a pair was looked at before. */
static bool is_known(const dls_position_stage *P, dls_near pair) {
  bool known = dls_near_has(P->known, P->n_ordered, pair.a, pair.b);
  for (int k = P->n_ordered; k < P->n_known && !known; k++)
    known = P->known[k].a == pair.a && P->known[k].b == pair.b;
  return known;
}

static bool may_touch(const dls_step *S, int a, int b) {
  const dls_world *w = S->w;
  const dls_body *x = &w->bodies[a], *y = &w->bodies[b];
  if (x->sensor || y->sensor || (!dls_moves_freely(x) && !dls_moves_freely(y))) return false;
  return !dls_are_jointed(S, a, b) && dls_bodies_meet(w, a, b) &&
         !(dls_world_material(w, a, b).stiffness < DLS_INF);
}

/* Two bodies whose bounds at q' meet, one of them beyond. *overlap: whether they are a new pair
** that does. */
static dls_status meet(dls_step *S, dls_near_stage *N, dls_position_stage *P, dls_near pair,
                       bool *overlap) {
  *overlap = false;
  if (is_known(P, pair)) return DLS_OK;
  const int n = dls_touches_of(S, N, pair.a, pair.b, 0);
  if (n > N->touch_room) return dls_want_touches(S, n);
  if (n == 0 || !may_touch(S, pair.a, pair.b)) return DLS_OK;
  const double size =
      2 * dls_min(dls_girth_of(&S->w->bodies[pair.a]), dls_girth_of(&S->w->bodies[pair.b]));
  for (int i = 0; i < n; i++) {
    dls_note_gap(P, N->touch[i].gap, size);
    *overlap |= N->touch[i].gap < -DLS_OVERLAP_NOISE * size;
  }
  return DLS_OK;
}

typedef struct found_pairs {
  dls_near *out; /* room for DLS_MOST_BROUGHT */
  int n;         /* of out */
} found_pairs;

static dls_status look(dls_step *S, dls_near_stage *N, dls_position_stage *P, int a, int b,
                       found_pairs *found) {
  const dls_near pair = {a, b};
  bool overlap;
  const dls_status status = meet(S, N, P, pair, &overlap);
  if (status == DLS_OK && overlap && found->n < DLS_MOST_BROUGHT) found->out[found->n++] = pair;
  return status;
}

/* All pairs whose bounds meet, one of them beyond. */
static dls_status look_everywhere(dls_step *S, dls_near_stage *N, dls_position_stage *P, brought *x,
                                  found_pairs *found) {
  dls_status status = take_bounds(S, P, x);
  for (int k = 0; k < x->n && status == DLS_OK; k++)
    for (int m = k + 1;
         m < x->n && status == DLS_OK && x->low[0][x->order[m]] <= x->high[0][x->order[k]]; m++) {
      const int i = x->order[k], j = x->order[m];
      if (!(x->beyond[i] | x->beyond[j]) ||
          !(x->low[1][i] <= x->high[1][j] && x->low[1][j] <= x->high[1][i]))
        continue;
      if (S->dim == 3 && !(x->low[2][i] <= x->high[2][j] && x->low[2][j] <= x->high[2][i]))
        continue;
      status = look(S, N, P, i < j ? i : j, i < j ? j : i, found);
    }
  return status;
}

/* Whether body i, box k of the neighbour list, is where the list was made for. */
static bool is_in_its_box(const dls_step *S, const dls_position_stage *P, int i, int k) {
  const dls_broad *list = &S->w->broad;
  dls_vec3 from_here, to_here;
  double low[3], high[3];
  bound(S, P, i, &from_here, &to_here);
  dls_v3_store(low, from_here), dls_v3_store(high, to_here);
  for (int d = 0; d < S->dim; d++) {
    const double *from = list->built + (size_t)d * (size_t)list->n_room,
                 *to = from + (size_t)S->dim * (size_t)list->n_room;
    if (!(low[d] >= from[k] - 0.5 * list->skin && high[d] <= to[k] + 0.5 * list->skin))
      return false;
  }
  return true;
}

static bool are_in_their_boxes(const dls_step *S, const dls_near_stage *N,
                               const dls_position_stage *P, const unsigned char *beyond) {
  const int n = S->dim == 2 ? S->w->n_bodies : N->n_shapes;
  bool in = S->w->broad.n == n;
  for (int k = 0; k < n && in; k++) {
    const int i = dls_body_at(S, N, k);
    in = !beyond[i] || is_in_its_box(S, P, i, k);
  }
  return in;
}

/* The pairs of the neighbour list, one of them beyond. */
static dls_status look_in_list(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               const unsigned char *beyond, found_pairs *found) {
  const dls_broad *list = &S->w->broad;
  dls_status status = DLS_OK;
  for (int k = 0; k < list->n_pairs && status == DLS_OK; k++) {
    const int a = dls_body_at(S, N, list->a[k]), b = dls_body_at(S, N, list->b[k]);
    if (!(beyond[a] | beyond[b])) continue;
    if (S->dim == 2 && P->spot[a].radius > 0 && P->spot[b].radius > 0) {
      const double x = P->spot[b].x - P->spot[a].x, y = P->spot[b].y - P->spot[a].y;
      const double r = P->spot[a].radius + P->spot[b].radius;
      if (x * x + y * y > r * r) continue;
    }
    status = look(S, N, P, a, b, found);
  }
  return status;
}

static dls_status find_brought(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               found_pairs *found) {
  const size_t mark = dls_arena_mark(&S->w->arena);
  brought x = {.beyond = S->scratch};
  bool any = false;
  for (int i = 0; i < S->w->n_bodies; i++) {
    /* free disks: most of a drum */
    if (S->dim == 2 && P->spot[i].radius > 0 && P->spot[i].other > 0) {
      const double *from = S->q_c + 3 * (size_t)i, dx = P->spot[i].x - from[0],
                   dy = P->spot[i].y - from[1];
      x.beyond[i] = dx * dx + dy * dy > N->margin[i] * N->margin[i];
    } else {
      x.beyond[i] = is_beyond(S, N, i);
    }
    any |= x.beyond[i];
  }
  if (!any) return DLS_OK;
  const bool listed = are_in_their_boxes(S, N, P, x.beyond);
  const dls_status status =
      listed ? look_in_list(S, N, P, x.beyond, found) : look_everywhere(S, N, P, &x, found);
  dls_arena_release(&S->w->arena, mark);
  return status;
}

/* A list of its own of the pairs of old and n more behind them, so that numbers stay; NULL: no
** room. */
static dls_near *append(dls_step *S, const dls_near *old, int n_old, const dls_near *more, int n) {
  dls_near *all = DLS_TAKE(&S->w->arena, dls_near, n_old + n);
  if (!all) return NULL;
  memcpy(all, old, (size_t)n_old * sizeof *all);
  memcpy(all + n_old, more, (size_t)n * sizeof *all);
  return all;
}

dls_status dls_take_brought(dls_step *S, dls_near_stage *N, dls_position_stage *P, double most,
                            bool *any) {
  dls_near more[DLS_MOST_BROUGHT];
  found_pairs found = {.out = more};
  dls_status status = find_brought(S, N, P, &found);
  const int n = found.n;
  *any = status == DLS_OK && n > 0 && P->worst > most;
  if (!*any) return status;
  const bool all = N->near == P->known;
  S->w->need_arena =
      dls_bytes_add(S->w->arena.size, 2 * dls_arena_bytes((size_t)(P->n_known + n), sizeof *more));
  dls_near *known = append(S, P->known, P->n_known, more, n),
           *near = all ? known : append(S, N->near, N->n_near, more, n);
  if (!known || !near) return DLS_FULL;
  P->known = known, P->n_known += n;
  N->near = near, N->n_near += n;
  return dls_position_room(S, N, P) ? DLS_OK : DLS_FULL;
}
