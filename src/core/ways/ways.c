/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways.h"

#include "core/base/sort.h"
#include "core/model/joint.h"
#include "core/ways/ways_hung.h"
#include "core/ways/ways_meet.h"
#include "core/ways/ways_parts.h"

/* So much before a touch, in sizes of the smaller body, it is looked for once more. */
static const double NEARLY = 1e-5;
/* Of a way: bounds are that much wider. */
static const double ROUND_OFF = 1e-9;

/* --- pairs ------------------------------------------------------------------------------------ */

static double narrowest_of(const dls_ways *ways, int i) {
  const dls_shape *shape = ways->w->bodies[i].shape;
  return shape ? shape->narrowest : 0;
}

double dls_ways_thickness(const dls_ways *ways, int a, int b) {
  return dls_min(narrowest_of(ways, a), narrowest_of(ways, b));
}

static double size_of(const dls_ways *ways, int a, int b) {
  const dls_shape *x = ways->w->bodies[a].shape, *y = ways->w->bodies[b].shape;
  return dls_min(x->reach, y->reach);
}

dls_pursuit dls_ways_pursuit(const dls_ways *ways, int a, int b, const dls_way *way_a,
                             const dls_way *way_b) {
  return (dls_pursuit){.a = way_a, .b = way_b, .thickness = dls_ways_thickness(ways, a, b),
                       .size = size_of(ways, a, b), .most = dls_work_looks(&ways->w->work),
                       .touch = ways->probe, .room = ways->probe_room, .passed = ways->passed,
                       .passed_room = ways->probe_room, .slack = DLS_INF};
}

dls_status dls_ways_want_touches(const dls_ways *ways, int n) {
  const int more = n > ways->probe_room ? n : 2 * ways->probe_room;
  ways->w->need_touches = more > ways->w->need_touches ? more : ways->w->need_touches;
  return DLS_FULL;
}

dls_status dls_ways_want(const dls_ways *ways, size_t bytes) {
  /* bytes that are expected of each of so many bodies (150 disks in a funnel ask for 3 KB, 64 boxes
  ** poured for 12, three ragdolls for 16 a body, 1/60 s) */
  enum { BODY = 16 * 1024, FEW = 1024 };
  const size_t n = (size_t)(ways->w->n_bodies < FEW ? ways->w->n_bodies : FEW);
  size_t *room = &ways->w->ways_bytes;
  *room = dls_bytes_add(2 * *room, dls_bytes_add(bytes, 8192));
  if (*room < n * BODY) *room = n * BODY;
  return DLS_FULL;
}

bool dls_ways_are_apart(const dls_course *a, const dls_course *b) {
  /* of the smaller body: what is within DLS_WAY_CLOSED of it is nearer, by far */
  static const double CLEAR = 1e-6;
  return dls_tubes_apart(&a->tube, &b->tube,
                         CLEAR * dls_min(a->way.shape->reach, b->way.shape->reach));
}

/* --- whether a pair is swift ------------------------------------------------------------------ */

/* How far points of a body go by its rotation, m a step; what has no bounds turns about the other
** body, `far` away. What is round about an axis goes by its length as that turns, and by its radius
** about it. */
static double turning_way(const dls_way *way, const dls_leg *leg, double far) {
  const dls_shape *shape = way->shape;
  const double turn = dls_leg_turn(leg), off = dls_v3_norm(way->com);
  const bool ball = shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE;
  if (!(turn > 0)) return 0;
  const double arm = off + (ball ? 0 : shape->bounded ? shape->reach : far);
  if (!dls_way_is_round(way)) return turn * arm;
  return dls_min(turn * arm,
                 dls_leg_across(way, leg) * arm + turn * dls_max(shape->radius, shape->radius2));
}

/* How far two bodies go relative to each other, m a step, where they are on their legs at s: what
** waits stands. */
static double relative_on(const dls_way *a, const dls_leg *x, const dls_way *b, const dls_leg *y,
                          double s, double size) {
  static const dls_vec3 REST = {0, 0, 0};
  const bool a_goes = s < a->until, b_goes = s < b->until;
  const double far = dls_v3_norm(dls_v3_sub(y->x, x->x)) + size;
  return dls_v3_norm(dls_v3_sub(b_goes ? y->v : REST, a_goes ? x->v : REST)) +
         (a_goes ? turning_way(a, x, far) : 0) + (b_goes ? turning_way(b, y, far) : 0);
}

double dls_ways_relative(const dls_way *a, const dls_way *b, double size) {
  double most = 0;
  for (int i = 0, j = 0; i < a->n && j < b->n;) {
    const dls_leg *x = &a->leg[i], *y = &b->leg[j];
    const double from = dls_max(x->from, y->from), to = dls_min(x->to, y->to);
    most = dls_max(most, relative_on(a, x, b, y, from, size));
    /* Where one waits the other comes nearer by all of its own way. */
    if (from < a->until && a->until < to)
      most = dls_max(most, relative_on(a, x, b, y, a->until, size));
    if (from < b->until && b->until < to)
      most = dls_max(most, relative_on(a, x, b, y, b->until, size));
    const double end_a = x->to, end_b = y->to;
    i += end_a <= end_b, j += end_b <= end_a;
  }
  return most;
}

double dls_ways_parting(const dls_pursuit *pair, double s, const dls_touch *t) {
  const dls_leg a = dls_way_leg(pair->a, s, s < 1), b = dls_way_leg(pair->b, s, s < 1);
  const dls_vec3 p = dls_v3_scale(0.5, dls_v3_add(t->point_a, t->point_b));
  const dls_vec3 v_a = dls_way_velocity(pair->a, &a, s, p),
                 v_b = dls_way_velocity(pair->b, &b, s, p);
  return dls_v3_dot(t->normal, dls_v3_sub(v_b, v_a));
}

/* Whether a pair told of a part a little before it touched there: else a neighbour covers the
** feature that does, as where level pieces of a floor meet. The first `kept` touches of the probe
** stay. */
static dls_status is_told(const dls_ways *ways, const dls_pursuit *pair, int kept, double from,
                          const dls_touch *t, bool *told) {
  dls_pursuit before = *pair;
  const double s = pair->at - NEARLY * pair->size / -dls_ways_parting(pair, pair->at, t);
  before.touch = ways->probe + kept, before.room = ways->probe_room - kept;
  *told = true;
  if (!(s > from)) return DLS_OK;
  if (!dls_pursuit_look(&before, s, 10 * NEARLY * pair->size, false))
    return dls_ways_want_touches(ways, kept + before.n);
  *told = false;
  for (int i = 0; i < before.n && !*told; i++) *told = before.touch[i].part == t->part;
  return DLS_OK;
}

/* Whether one of n touches is of the part and closed. */
static bool is_closed(const dls_touch *touch, int n, uint64_t part, double limit) {
  for (int i = 0; i < n; i++)
    if (touch[i].part == part && touch[i].gap <= limit) return true;
  return false;
}

/* The touches of a pair that no neighbouring piece of a floor covers, of the parts that are closed
** without the others: *n of them, behind its own. */
static dls_status keep_uncovered(const dls_ways *ways, const dls_pursuit *pair, int a, int b,
                                 int *n) {
  dls_touch *left = pair->touch + pair->n;
  double least = DLS_INF;
  if (2 * pair->n > pair->room) return dls_ways_want_touches(ways, 2 * pair->n);
  memcpy(left, pair->touch, (size_t)pair->n * sizeof *left);
  for (int i = 0; i < pair->n; i++) {
    least = dls_min(least, left[i].gap);
    left[i].gap -= dls_pursuit_knows(pair, left[i].part) ? pair->slack : 0;
  }
  const int uncovered = ways->clear(ways, pair, a, b, pair->at, left, pair->n);
  for (int i = 0; i < uncovered; i++)
    left[i].gap += dls_pursuit_knows(pair, left[i].part) ? pair->slack : 0;
  *n = uncovered;
  if (uncovered == pair->n) return DLS_OK;
  for (int i = 0; i < uncovered; i++)
    if (!is_closed(left, uncovered, left[i].part, least + DLS_WAY_LEVEL * pair->size))
      left[i].gap = DLS_INF;
  for (int i = *n = 0; i < uncovered; i++)
    if (left[i].gap < DLS_INF) left[(*n)++] = left[i];
  return DLS_OK;
}

/* Passes the parts of all touches; *met: one of them was passed already, and sank in. Covered there
** or not, that is a touch: in a corner each of two walls would answer for the other. */
static dls_status pass_all(const dls_ways *ways, dls_pursuit *pair, bool *met) {
  for (int i = 0; i < pair->n && !*met; i++) *met = dls_pursuit_knows(pair, pair->touch[i].part);
  for (int i = 0; i < pair->n && !*met; i++)
    if (!dls_pursuit_pass(pair, pair->touch[i].part)) return dls_ways_want_touches(ways, 0);
  return DLS_OK;
}

static dls_status follow(const dls_ways *ways, dls_pursuit *pair, int a, int b, double s,
                         double gliding, bool rest, bool *met) {
  *met = false;
  while (s < 1) {
    const dls_pursued found = dls_pursue(pair, s, 1);
    if (found == DLS_PURSUED_ROOM) return dls_ways_want_touches(ways, pair->n);
    if (found == DLS_PURSUED_APART) return DLS_OK;
    const double share = rest ? 1 - pair->at : 1;
    const dls_touch *left = pair->touch + pair->n;
    int n = 0;
    dls_status status = keep_uncovered(ways, pair, a, b, &n);
    for (int i = 0; i < n && status == DLS_OK && !*met; i++) {
      *met = dls_pursuit_knows(pair, left[i].part);
      if (*met || !(-dls_ways_parting(pair, pair->at, &left[i]) * share > gliding)) continue;
      status = is_told(ways, pair, pair->n + n, s, &left[i], met);
    }
    if (*met) {
      memmove(pair->touch, left, (size_t)n * sizeof *left);
      pair->n = n;
    } else if (status == DLS_OK) {
      status = pass_all(ways, pair, met);
    }
    if (status != DLS_OK || *met) return status;
    s = pair->at;
  }
  return DLS_OK;
}

dls_status dls_ways_pursue(const dls_ways *ways, dls_pursuit *pair, int a, int b, double s,
                           double gliding, bool rest, bool *met) {
  const dls_status status = follow(ways, pair, a, b, s, gliding, rest, met);
  dls_work_pay_way(&ways->w->work, pair->looks, pair->most);
  return status;
}

/* --- first touches ---------------------------------------------------------------------------- */

/* Whether a touch is of a part that was closed from the start, and still is here: what lies on a
** face bears by all of its corners, whichever sank in first. */
static bool is_borne(const dls_pursuit *pair, const dls_touch *t, double parting) {
  return dls_pursuit_knows(pair, t->part) && parting <= DLS_GRAZING * pair->thickness &&
         t->gap - pair->slack <= DLS_WAY_LEVEL * pair->size;
}

static dls_status keep_pair(const dls_ways *ways, const dls_pursuit *pair, bool met,
                            dls_swift *out) {
  dls_arena *arena = &ways->w->arena;
  dls_quat turn;
  double angle;
  out->at = met ? pair->at : DLS_INF;
  out->n = met ? pair->n : 0;
  out->n_lasting = 0;
  out->touch = DLS_TAKE(arena, dls_touch, out->n);
  out->lasting = DLS_TAKE(arena, uint64_t, pair->n_passed);
  if (!out->touch || !out->lasting) return dls_ways_want(ways, 64 * 1024);
  double least = DLS_INF;
  bool comes = false;
  for (int i = 0; i < out->n; i++) least = dls_min(least, pair->touch[i].gap);
  for (int i = 0; i < out->n; i++)
    comes |= pair->touch[i].gap <= least + DLS_WAY_LEVEL * pair->size &&
             dls_ways_parting(pair, pair->at, &pair->touch[i]) < 0;
  const int n = out->n;
  out->n = 0;
  for (int i = 0; i < n;
       i++) { /* of a face that comes askew the corner that is there and comes, and no other */
    const double parting = dls_ways_parting(pair, pair->at, &pair->touch[i]);
    if (!is_borne(pair, &pair->touch[i], parting)) {
      if (!(pair->touch[i].gap <= least + DLS_WAY_LEVEL * pair->size)) continue;
      if (comes && !(parting < 0)) continue;
    }
    dls_touch *touch = &out->touch[out->n++];
    *touch = pair->touch[i];
    if (dls_pursuit_knows(pair, touch->part)) touch->gap -= pair->slack;
  }
  int n_sunk = 0; /* from the back */
  for (int i = 0; i < pair->n_passed; i++) {
    bool sunk = false;
    for (int j = 0; j < out->n && !sunk; j++) sunk = out->touch[j].part == pair->passed[i];
    out->lasting[sunk ? pair->n_passed - ++n_sunk : out->n_lasting++] = pair->passed[i];
  }
  out->n_sunk = n_sunk;
  if (!met) return DLS_OK;
  dls_way_at(pair->a, pair->at, &out->x_a, &turn, &angle);
  dls_way_at(pair->b, pair->at, &out->x_b, &turn, &angle);
  return DLS_OK;
}

dls_status dls_ways_take_course(const dls_ways *ways, dls_course **of, int i) {
  if (of[i]) return DLS_OK;
  of[i] = DLS_TAKE(&ways->w->arena, dls_course, 1);
  if (!of[i]) return dls_ways_want(ways, 16 * sizeof **of);
  of[i]->known = false;
  return DLS_OK;
}

/* The free way of body i, of which pairs in space ask often; in the plane NULL. */
static dls_status course_of(const dls_ways *ways, dls_course **free, int i, double thickness,
                            const dls_course **course) {
  *course = NULL;
  if (!free) return DLS_OK;
  const dls_status status = dls_ways_take_course(ways, free, i);
  if (status != DLS_OK) return status;
  dls_course *of = free[i];
  const bool straight = dls_ways_goes_straight(ways, i, thickness);
  *course = of;
  if (of->known && of->straight == straight) return DLS_OK;
  of->way = dls_ways_free(ways, i, thickness), of->tube = dls_tube_of(&of->way);
  of->known = true, of->straight = straight;
  return DLS_OK;
}

/* Follows a near pair that may be swift; free: the ways of bodies, as far as they are known. */
static dls_status chase(const dls_ways *ways, dls_course **free, dls_swift *out) {
  const int a = out->a, b = out->b;
  if (ways->apart(ways->of, a, b)) return DLS_OK;
  const double thickness = dls_ways_thickness(ways, a, b);
  const dls_course *on_a, *on_b;
  dls_way own_a, own_b;
  dls_status status = course_of(ways, free, a, thickness, &on_a);
  if (status == DLS_OK) status = course_of(ways, free, b, thickness, &on_b);
  if (status != DLS_OK) return status;
  if (!on_a) own_a = dls_ways_free(ways, a, thickness), own_b = dls_ways_free(ways, b, thickness);
  const dls_way *way_a = on_a ? &on_a->way : &own_a, *way_b = on_a ? &on_b->way : &own_b;
  if (!(dls_ways_relative(way_a, way_b, size_of(ways, a, b)) > DLS_SWIFT * thickness))
    return DLS_OK;
  out->swift = true;
  if (on_a && dls_ways_are_apart(on_a, on_b)) return DLS_OK;
  dls_pursuit pair = dls_ways_pursuit(ways, a, b, way_a, way_b);
  bool met;
  status = dls_ways_pass_lasting(ways, &pair, a, b, 0, DLS_SUNK);
  if (status == DLS_OK)
    status = dls_ways_pursue(ways, &pair, a, b, 0, DLS_GRAZING * thickness, false, &met);
  return status == DLS_OK ? keep_pair(ways, &pair, met, out) : status;
}

bool dls_ways_sensed(const dls_ways *ways, const dls_swift *p) {
  return ways->w->bodies[p->a].sensor || ways->w->bodies[p->b].sensor;
}

void dls_ways_stop_joined(const dls_ways *ways, double *stop) {
  const dls_world *w = ways->w;
  for (bool more = w->n_joints > 0; more;) {
    more = false;
    for (int i = 0; i < w->n_joints; i++) {
      const dls_joint *joint = &w->joints[i];
      if (!joint->alive || !dls_ways_is_free(ways, joint->a) || !dls_ways_is_free(ways, joint->b))
        continue;
      const double least = dls_min(stop[joint->a], stop[joint->b]);
      more |= stop[joint->a] != stop[joint->b];
      stop[joint->a] = stop[joint->b] = least;
    }
  }
}

/* Where body i is at its stop. */
static void note_stand(const dls_ways *ways, int i, double thickness) {
  const dls_way way = dls_ways_free(ways, i, thickness);
  double *q = ways->stand + (size_t)i * dls_nq_of(ways->w), angle;
  dls_vec3 x;
  dls_quat turn = dls_q_identity();
  dls_way_at(&way, ways->stop[i], &x, &turn, &angle);
  q[0] = x.x, q[1] = x.y;
  if (ways->w->dim == 2) {
    q[2] = angle;
  } else {
    q[2] = x.z;
    dls_q_store(q + 3, turn);
  }
}

/* Bodies that penalty joints hold stop where one of theirs does, and go on from there by
** themselves. */
static void stand_joined(const dls_ways *ways) {
  const dls_world *w = ways->w;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    for (int e = 0; e < 2 && joint->alive; e++) {
      const int body = e == 0 ? joint->a : joint->b;
      if (dls_ways_stops(ways, body)) note_stand(ways, body, dls_ways_thickness(ways, body, body));
    }
  }
}

/* Of a pair whose bodies something else stops first, parts that were closed at q and would have
** sunk in behind that last. */
static void last_until_stop(const dls_ways *ways, dls_swift *p) {
  if (p->first || !(p->at > dls_min(ways->stop[p->a], ways->stop[p->b]))) return;
  p->n_lasting += p->n_sunk;
}

/* Which touches count, and where they stop bodies. */
static dls_status find_stops(dls_ways *ways) {
  dls_arena *arena = &ways->w->arena;
  const size_t bytes = dls_bytes_add(dls_arena_bytes((size_t)ways->n, 16), dls_sort_bytes(ways->n));
  double *at = DLS_TAKE(arena, double, ways->n);
  int *order = DLS_TAKE(arena, int, ways->n);
  if (!at || !order) return dls_ways_want(ways, bytes);
  int n = 0;
  for (int i = 0; i < ways->n; i++)
    if (ways->pair[i].at < DLS_INF) at[i] = ways->pair[i].at, order[n++] = i;
  const dls_status status = dls_sort_by_double(n, at, order, arena);
  if (status != DLS_OK) return dls_ways_want(ways, bytes);
  for (int k = 0; k < n; k++) {
    dls_swift *p = &ways->pair[order[k]];
    const double until = p->at - DLS_AT_ONCE;
    if (!(until <= ways->stop[p->a]) || !(until <= ways->stop[p->b])) continue;
    p->first = true;
    if (dls_ways_sensed(ways, p)) continue;
    for (int e = 0; e < 2; e++) {
      const int i = e == 0 ? p->a : p->b;
      if (!dls_ways_is_free(ways, i) || !(p->at < ways->stop[i])) continue;
      ways->stop[i] = p->at;
      note_stand(ways, i, dls_ways_thickness(ways, p->a, p->b));
    }
    dls_ways_stop_joined(ways, ways->stop);
  }
  for (int i = 0; i < ways->n; i++) last_until_stop(ways, &ways->pair[i]);
  stand_joined(ways);
  return DLS_OK;
}

dls_status dls_ways_chase(dls_ways *ways, int n, const int *near, const int *body_of,
                          double fastest) {
  dls_world *w = ways->w;
  dls_arena *arena = &w->arena;
  const size_t first = arena->used;
  ways->n = ways->next = 0;
  ways->stop = NULL;
  ways->free = NULL;
  ways->arcs = NULL;
  if (!(2 * fastest > DLS_SWIFT * ways->narrowest)) return DLS_OK;
  const dls_status bent = dls_ways_find_arcs(ways);
  if (bent != DLS_OK) return bent;
  const size_t before = arena->used; /* arcs stay, whoever is swift */
  ways->stop = DLS_TAKE(arena, double, w->n_bodies);
  ways->stand = DLS_TAKE(arena, double, (size_t)w->n_bodies * dls_nq_of(w));
  ways->pair = DLS_TAKE(arena, dls_swift, n);
  dls_way_speed *speed = DLS_TAKE(arena, dls_way_speed, w->n_bodies);
  dls_ball_way *ball = DLS_TAKE(arena, dls_ball_way, w->n_bodies);
  unsigned char *known = DLS_TAKE(arena, unsigned char, w->n_bodies); /* whose speed is */
  dls_course **free = w->dim == 3 ? DLS_TAKE(arena, dls_course *, w->n_bodies) : NULL;
  if (!ways->stop || !ways->stand || !ways->pair || !speed || !ball || !known ||
      (w->dim == 3 && !free))
    return dls_ways_want(ways, (size_t)n * sizeof *ways->pair +
                                   17 * (size_t)w->n_bodies * sizeof(double));
  const double swift = (1 - ROUND_OFF) * DLS_SWIFT * ways->narrowest, most = swift * swift;
  dls_ways_of_balls(ways, most, ball);
  memset(known, 0, (size_t)w->n_bodies);
  for (int i = 0; free && i < w->n_bodies; i++) free[i] = NULL;
  for (int i = 0; i < w->n_bodies; i++) ways->stop[i] = DLS_INF;
  ways->free = free;
  for (int k = 0; k < n; k++) {
    const int i = near[2 * k], j = near[2 * k + 1], a = body_of ? body_of[i] : i,
              b = body_of ? body_of[j] : j;
    if (dls_ways_are_slow_balls(&ball[a], &ball[b], most)) continue;
    if (!known[a]) speed[a] = dls_ways_speed(ways, a), known[a] = 1;
    if (!known[b]) speed[b] = dls_ways_speed(ways, b), known[b] = 1;
    if (dls_ways_is_slow(&speed[a], &speed[b])) continue;
    dls_swift *p = &ways->pair[ways->n];
    *p = (dls_swift){.k = k, .a = a, .b = b, .at = DLS_INF};
    const dls_status status = chase(ways, free, p);
    if (status != DLS_OK) return status;
    ways->n += p->swift;
  }
  if (ways->n == 0) {
    arena->used = before;
    ways->stop = NULL;
    ways->free = NULL;
    return before - first > w->ways_bytes ? dls_ways_want(ways, before - first) : DLS_OK;
  }
  const dls_status status = find_stops(ways);
  if (status != DLS_OK) return status;
  /* Pairs of bodies that stop, too: from the back, since those that are swift stand in front. */
  int more = 0;
  for (int k = 0; k < n; k++) {
    const int a = body_of ? body_of[near[2 * k]] : near[2 * k],
              b = body_of ? body_of[near[2 * k + 1]] : near[2 * k + 1];
    more += ways->stop[a] < DLS_INF || ways->stop[b] < DLS_INF;
  }
  dls_swift *all = DLS_TAKE(arena, dls_swift, ways->n + more);
  if (!all) return dls_ways_want(ways, (size_t)(ways->n + more) * sizeof *all);
  int made = 0;
  for (int k = 0, i = 0; k < n; k++) {
    const int a = body_of ? body_of[near[2 * k]] : near[2 * k],
              b = body_of ? body_of[near[2 * k + 1]] : near[2 * k + 1];
    if (i < ways->n && ways->pair[i].k == k) all[made++] = ways->pair[i++];
    else if (ways->stop[a] < DLS_INF || ways->stop[b] < DLS_INF)
      all[made++] = (dls_swift){.k = k, .a = a, .b = b, .at = DLS_INF};
  }
  ways->pair = all, ways->n = made;
  const size_t velocities = 2 * (size_t)w->n_bodies * dls_nu_of(w) * sizeof(double);
  if (!dls_ways_keep_velocities(ways)) return dls_ways_want(ways, velocities);
  const size_t taken = arena->used - first; /* which the rest of the step does not reckon with */
  return taken > w->ways_bytes ? dls_ways_want(ways, taken) : DLS_OK;
}

const dls_swift *dls_ways_find(dls_ways *ways, int k) {
  while (ways->next < ways->n && ways->pair[ways->next].k < k) ways->next++;
  return ways->next < ways->n && ways->pair[ways->next].k == k ? &ways->pair[ways->next] : NULL;
}
