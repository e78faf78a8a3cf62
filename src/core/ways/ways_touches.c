/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways.h"

#include "core/ways/ways_parts.h"

/* Touches of pairs that meet on their way: which are there from the start, which of a swift pair
** last to the end of the step, whether one that is foretold comes, and where a pair grazes. */

/* Share of the smaller thickness: an overlap in which the projection may not know the way out any
** more. */
static const double DEEP = 0.25;
/* Of the smaller thickness: what has sunk in by SUNK goes on by so much, else it would sink in by
** SUNK in every step that another touch begins, and pass in the end. */
static const double AGAIN = 1e-4;
/* At a stop a contact that lasts is closed up to this share of the smaller body. */
static const double LASTING = 1e-4;

/* How far points of a body come, from s on, off the straight line along which they set out, at
** most, m: by forces, which rows answer, and by arcs, since rows hold velocities. What turns far is
** not followed so. */
static double bend_of(const dls_way *way, double s) {
  static const double FAR = 0.1; /* rad */
  const dls_shape *shape = way->shape;
  const double arm = shape->bounded ? shape->reach + dls_v3_norm(way->com) : 0;
  const dls_leg *first = NULL;
  double turn = 0, forced = 0;
  for (int k = 0; k < way->n; k++) {
    const dls_leg *leg = &way->leg[k];
    const double span = dls_min(leg->to, way->until) - dls_max(leg->from, s);
    if (!(span > 0)) continue;
    if (!first) first = leg;
    turn += span * dls_leg_turn(leg);
    forced += span * (dls_v3_norm(dls_v3_sub(leg->v, first->v)) +
                      arm * dls_v3_norm(dls_v3_sub(leg->w, first->w)));
  }
  return turn < FAR ? forced + arm * turn * turn : 0;
}

/* The thickness of what is given and solid, m: out of it the projection knows the way, however thin
** that is which sank in. */
static double solid_of(const dls_ways *ways, int i) {
  const dls_shape *shape = ways->w->bodies[i].shape;
  const bool solid = !dls_shape_is_hollow(shape) && shape->n_children == 0;
  return solid && !dls_ways_is_free(ways, i) ? shape->narrowest : 0;
}

dls_status dls_ways_pass_lasting(const dls_ways *ways, dls_pursuit *pair, int a, int b, double s,
                                 double sunk) {
  const double bend = bend_of(pair->a, s) + bend_of(pair->b, s),
               solid = dls_max(solid_of(ways, a), solid_of(ways, b)),
               closed = DLS_WAY_CLOSED * pair->size;
  double depth = 0;
  if (!dls_pursuit_look(pair, s, DLS_WAY_LEVEL * pair->size, false))
    return dls_ways_want_touches(ways, pair->n);
  for (int i = 0; i < pair->n; i++) {
    const dls_touch *t = &pair->touch[i];
    /* What is all but closed and glides is what the projection left open of what held. */
    if (t->gap > closed && dls_ways_parting(pair, s, t) < -DLS_GRAZING * pair->thickness) continue;
    if (!dls_pursuit_pass(pair, t->part)) return dls_ways_want_touches(ways, 0);
    depth = dls_max(depth, -t->gap);
  }
  const double more = dls_max(dls_max(sunk * pair->thickness - depth, AGAIN * pair->thickness),
                              dls_min(bend + 2 * closed, sunk * solid));
  pair->slack = depth < DEEP * pair->thickness ? depth + more : DLS_INF;
  return DLS_OK;
}

static bool is_lasting(const dls_swift *p, uint64_t part) {
  for (int i = 0; i < p->n_lasting; i++)
    if (p->lasting[i] == part) return true;
  return !p->swift;
}

/* Whether a touch at the first one of its pair is open there, and none of those that come. */
static bool is_beside_first(const dls_swift *p, const dls_pursuit *pair, const dls_touch *t) {
  bool comes = !p->first || !(t->gap > DLS_WAY_CLOSED * pair->size);
  for (int i = 0; i < p->n && !comes; i++) comes = p->touch[i].key == t->key;
  return !comes;
}

/* Touches at the stop of a swift pair that last, and beside its first touch those that are open. */
static void take_at_stop(const dls_swift *p, const dls_pursuit *pair, dls_touch *touch, int *kept,
                         dls_ways_place *at) {
  dls_quat turn;
  double angle;
  *kept = 0;
  for (int i = 0; i < pair->n; i++) {
    const dls_touch *t = &pair->touch[i];
    if (is_lasting(p, t->part) || is_beside_first(p, pair, t)) touch[(*kept)++] = *t;
  }
  dls_way_at(pair->a, at->at, &at->x_a, &turn, &angle);
  dls_way_at(pair->b, at->at, &at->x_b, &turn, &angle);
}

dls_status dls_ways_sift(dls_ways *ways, const dls_swift *p, bool there, bool known,
                         dls_touch *touch, int room, int n, int *kept, dls_ways_place *place) {
  const double stop = dls_min(ways->stop[p->a], ways->stop[p->b]);
  const bool at_stop =
      there && p->swift && stop < 1 && (p->n_lasting > 0 || (known && p->first));
  int n_kept = 0;
  for (int i = 0; i < n; i++)
    if (is_lasting(p, touch[i].part)) touch[n_kept++] = touch[i];
  *kept = n_kept;
  place->at = DLS_INF;
  if (!(stop < 1) || (n_kept == 0 && !at_stop)) return DLS_OK;
  const double thickness = dls_ways_thickness(ways, p->a, p->b);
  const dls_way way_a = dls_ways_free(ways, p->a, thickness),
                way_b = dls_ways_free(ways, p->b, thickness);
  dls_pursuit pair = dls_ways_pursuit(ways, p->a, p->b, &way_a, &way_b);
  /* as far as they may be by then */
  const double apart = at_stop ? stop * dls_ways_relative(&way_a, &way_b, pair.size) : 0;
  const bool looked = dls_pursuit_look(&pair, stop, LASTING * pair.size + apart, false);
  if (!looked || pair.n > room) return dls_ways_want_touches(ways, pair.n);
  pair.n = ways->clear(ways, &pair, p->a, p->b, stop, pair.touch, pair.n);
  if (at_stop) {
    place->at = stop;
    place->gliding = DLS_GRAZING * thickness / ways->h;
    take_at_stop(p, &pair, touch, kept, place);
    return DLS_OK;
  }
  *kept = 0;
  for (int i = 0; i < n_kept; i++) {
    bool lasts = false;
    for (int j = 0; j < pair.n && !lasts; j++) lasts = pair.touch[j].part == touch[i].part;
    if (lasts) touch[(*kept)++] = touch[i];
  }
  return DLS_OK;
}

static bool is_round(const dls_shape *shape) {
  return shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE ||
         shape->kind == DLS_SHAPE_CAPSULE;
}

dls_status dls_ways_confirm(dls_ways *ways, int a, int b, const dls_touch *touch, bool *touches) {
  const dls_way way_a = dls_ways_ahead(ways, a), way_b = dls_ways_ahead(ways, b);
  dls_pursuit pair = dls_ways_pursuit(ways, a, b, &way_a, &way_b);
  pair.only = &touch->part;
  *touches = true;
  const double round = way_a.shape->radius + way_b.shape->radius;
  if (is_round(way_a.shape) && is_round(way_b.shape) &&
      ways->theta * dls_ways_relative(&way_a, &way_b, pair.size) <= DLS_WAY_STRAIGHT * round)
    return DLS_OK;
  if (!dls_pursuit_look(&pair, 1, DLS_WAY_CLOSED * pair.size, false))
    return dls_ways_want_touches(ways, pair.n);
  for (int i = 0; i < pair.n; i++)
    if (pair.touch[i].part == touch->part) return DLS_OK;
  const dls_pursued met = dls_pursue(&pair, 1 - ways->theta, 1);
  dls_work_pay_way(&ways->w->work, pair.looks, pair.most);
  *touches = met == DLS_PURSUED_TOUCH ||
             (met == DLS_PURSUED_APART && ways->meets(ways, &pair, a, b, touch));
  return met == DLS_PURSUED_ROOM ? dls_ways_want_touches(ways, pair.n) : DLS_OK;
}

dls_status dls_ways_graze(const dls_ways *ways, int a, int b, uint64_t part, int k,
                          dls_ways_place *place, dls_touch *touch, bool *met) {
  const double thickness = dls_ways_thickness(ways, a, b);
  const dls_way way_a = dls_ways_free(ways, a, thickness),
                way_b = dls_ways_free(ways, b, thickness);
  dls_pursuit pair = dls_ways_pursuit(ways, a, b, &way_a, &way_b);
  pair.only = &part;
  *met = false;
  if (!dls_pursuit_look(&pair, 0, DLS_WAY_CLOSED * pair.size, false))
    return dls_ways_want_touches(ways, pair.n);
  for (int i = 0; i < pair.n; i++)
    if (pair.touch[i].part == part) return DLS_OK;
  bool found;
  const dls_status status =
      dls_ways_pursue(ways, &pair, a, b, 0, DLS_WAY_LEVEL * pair.size, false, &found);
  if (status != DLS_OK || !found || !(pair.at < 1 - ways->theta)) return status;
  double least = DLS_INF;
  for (int i = 0; i < pair.n; i++) least = dls_min(least, pair.touch[i].gap);
  touch->gap = DLS_INF;
  int n = 0;
  for (int i = 0; i < pair.n; i++) {
    const bool comes = pair.touch[i].gap <= least + DLS_WAY_LEVEL * pair.size &&
                       dls_ways_parting(&pair, pair.at, &pair.touch[i]) < 0;
    if (comes && n++ == k) *touch = pair.touch[i];
  }
  *met = n > 0;
  dls_quat turn;
  double angle;
  place->at = pair.at;
  dls_way_at(pair.a, pair.at, &place->x_a, &turn, &angle);
  dls_way_at(pair.b, pair.at, &place->x_b, &turn, &angle);
  return DLS_OK;
}
