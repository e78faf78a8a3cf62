/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/stretch.h"

bool dls_way_is_round(const dls_way *way) {
  const dls_shape *shape = way->shape;
  const bool round = shape->kind == DLS_SHAPE_CAPSULE || shape->kind == DLS_SHAPE_CYLINDER ||
                     shape->kind == DLS_SHAPE_CONE;
  return !way->planar && round && way->com.y == 0 && way->com.z == 0;
}

double dls_leg_across(const dls_way *way, const dls_leg *leg) {
  if (!dls_way_is_round(way) || (leg->tumbles && !dls_tumble_is_round(&way->tumble)))
    return dls_leg_turn(leg);
  const dls_vec3 rate = leg->tumbles ? dls_tumble_rate(&way->tumble, leg->turn, leg->L) : leg->w;
  const double across = dls_v3_norm(dls_v3_cross(rate, dls_q_rotate(leg->turn, dls_v3(1, 0, 0))));
  return leg->tumbles ? across * (1 + 1e-6) : across;
}

/* How far the points that matter are from the mass centre; beyond bounds: those that the other can
** meet. */
static double arm_of(const dls_way *way, double beyond) {
  const dls_shape *shape = way->shape;
  const double off = dls_v3_norm(way->com);
  if (!shape->bounded) return beyond;
  if (shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE) return off;
  if (shape->kind == DLS_SHAPE_CAPSULE) return off + shape->half.x;
  return off + shape->reach;
}

double dls_leg_curve(const dls_way *way, const dls_leg *leg) {
  if (dls_leg_is_hung(leg)) return leg->curve;
  const double turn = dls_leg_turn(leg);
  if (!(turn > 0)) return 0;
  if (!way->shape->bounded) return DLS_INF;
  /* of what tumbles the turning changes by J^-1 (L x w) */
  const double *inverse = way->tumble.inverse;
  const double more = leg->tumbles ? dls_max(inverse[0], dls_max(inverse[1], inverse[2])) *
                                         dls_v3_norm(leg->L) * turn
                                   : 0;
  return (turn * turn + more) * arm_of(way, 0);
}

/* Whether one support tells of all of a shape: it is convex, and in space. */
static bool is_whole(const dls_way *way) {
  const dls_shape_kind kind = way->shape->kind;
  const bool parts = kind == DLS_SHAPE_COMPOUND || kind == DLS_SHAPE_MESH || kind == DLS_SHAPE_DRUM;
  return !way->planar && !parts && (way->shape->bounded || kind == DLS_SHAPE_PLANE);
}

/* Whether a shape of space has flat faces alone, all round. */
static bool is_flat(const dls_way *way) {
  const dls_shape_kind kind = way->shape->kind;
  return !way->planar && (kind == DLS_SHAPE_BOX || kind == DLS_SHAPE_CONVEX) &&
         way->shape->n_faces >= 4;
}

/* The leg at s, of a body that is carried without what is but about how it goes; *fastest: that of
** its points. */
static dls_leg leg_on(const dls_way *way, double s, double *fastest) {
  dls_leg leg = dls_way_leg(way, s, true);
  if (!dls_leg_is_hung(&leg)) return leg;
  *fastest += s < way->until ? leg.fastest : 0;
  leg.v = leg.w = dls_v3(0, 0, 0);
  return leg;
}

dls_stretch dls_stretch_at(dls_pursuit *pair, double s) {
  const dls_way *a = pair->a, *b = pair->b;
  dls_stretch now;
  now.carried = 0;
  now.ended = false;
  now.flat = is_flat(a) && is_flat(b);
  now.a = leg_on(a, s, &now.carried), now.b = leg_on(b, s, &now.carried);
  const double apart =
      dls_v3_norm(dls_v3_sub(dls_way_centre(b, s, &pair->memo[1]), dls_way_centre(a, s, &pair->memo[0])));
  const double way = dls_v3_norm(dls_v3_sub(now.b.v, now.a.v));
  const double reach_a = dls_v3_norm(a->com) + a->shape->reach,
               reach_b = dls_v3_norm(b->com) + b->shape->reach;
  now.arm_a = arm_of(a, apart + way + now.carried + reach_b);
  now.arm_b = arm_of(b, apart + way + now.carried + reach_a);
  now.across_a = dls_leg_is_hung(&now.a) ? 0 : dls_leg_across(a, &now.a);
  now.across_b = dls_leg_is_hung(&now.b) ? 0 : dls_leg_across(b, &now.b);
  now.all = way + now.across_a * now.arm_a + now.across_b * now.arm_b + now.carried;
  now.hollow = a->shape->kind == DLS_SHAPE_DRUM || b->shape->kind == DLS_SHAPE_DRUM;
  const bool whole = is_whole(a) && is_whole(b);
  now.curve = whole ? dls_leg_curve(a, &now.a) + dls_leg_curve(b, &now.b) : DLS_INF;
  return now;
}

/* Where the point c goes with a body from one pose to another, and how the body turns. */
static dls_vec3 carry(const dls_pose3 *from, const dls_pose3 *to, dls_vec3 c, dls_mat3 *turn) {
  *turn = dls_m3_mul_t(&to->R, &from->R);
  return dls_v3_add(to->p, dls_m3_apply(turn, dls_v3_sub(c, from->p)));
}

/* |A - B|, no less than the most that they can part a unit vector. */
static double parting(const dls_mat3 *A, const dls_mat3 *B) {
  double sum = 0;
  for (int j = 0; j < 3; j++) {
    const dls_vec3 d = dls_v3_sub(dls_m3_column(A, j), dls_m3_column(B, j));
    sum += dls_v3_dot(d, d);
  }
  return sqrt(0.5 * sum); /* two singular values of what rotations differ by are the same */
}

/* The most that points of both, no more than `gap` apart at s, can come nearer between s and `end`,
** m a step, where what carries them tells of it: a point of the smaller one, within r of its
** centre, goes otherwise with the other by no more than their chords differ there; what is next to
** it at another time was elsewhere at s by the gap and what both came nearer; and no velocity
** differs from its mean by more than half of what the curve brings. */
static double nearing(dls_pursuit *pair, const dls_stretch *now, double s, double end,
                      double gap) {
  const dls_shape *a = pair->a->shape, *b = pair->b->shape;
  const bool first = a->bounded && !(b->bounded && b->reach < a->reach);
  const dls_pose3 A = dls_way_pose3(pair->a, s, &pair->memo[0]),
                  B = dls_way_pose3(pair->b, s, &pair->memo[1]);
  const dls_pose3 A_end = dls_way_pose(pair->a, end), B_end = dls_way_pose(pair->b, end);
  const dls_mat3 still = dls_m3_identity();
  dls_mat3 turn_a, turn_b;
  const dls_vec3 c = first ? A.p : B.p;
  const dls_vec3 by_a = carry(&A, &A_end, c, &turn_a), by_b = carry(&B, &B_end, c, &turn_b);
  const double ds = end - s, other = parting(first ? &turn_b : &turn_a, &still);
  const double apart = dls_v3_norm(dls_v3_sub(by_b, by_a)) +
                       parting(&turn_a, &turn_b) * (first ? a->reach : b->reach) +
                       other * (gap + now->all * ds);
  return dls_min(now->all, apart / ds + 0.5 * now->curve * ds);
}

double dls_stretch_together(dls_pursuit *pair, const dls_stretch *now, double s, double to,
                            double gap, double step) {
  enum { WINDOWS = 4 };
  /* Steps that are left at least; the first window over the step, and the next over the one before.
  ** World 400 of bench/random_worlds.lua, a chain at 1/60 s: 461 looks in its dearest step for
  ** 2,493 without; not varied. */
  static const double SOON = 8, FIRST = 256, NEXT = 0.25;
  if (!(now->carried > 0 && now->curve < DLS_INF && SOON * step < to - s)) return step;
  double window = dls_min(to - s, FIRST * step);
  for (int k = 0; k < WINDOWS && window > 2 * step; k++, window *= NEXT)
    step = dls_max(step, dls_min(window, gap / nearing(pair, now, s, s + window, gap)));
  return step;
}

/* How fast a body turns across n at most, rad a step. */
static double turn_across(const dls_leg *leg, dls_vec3 n, double across) {
  return leg->tumbles ? across : dls_min(dls_v3_norm(dls_v3_cross(leg->w, n)), across);
}

double dls_stretch_rate(const dls_stretch *now, dls_vec3 n) {
  const double turn_a = turn_across(&now->a, n, now->across_a);
  const double turn_b = turn_across(&now->b, n, now->across_b);
  return dls_v3_dot(n, dls_v3_sub(now->a.v, now->b.v)) + turn_a * now->arm_a +
         turn_b * now->arm_b + now->carried;
}

double dls_stretch_rate_of(const dls_pursuit *pair, const dls_stretch *now, const dls_touch *t) {
  const bool parts =
      pair->a->shape->kind != DLS_SHAPE_COMPOUND && pair->b->shape->kind != DLS_SHAPE_COMPOUND;
  if (now->hollow && (t->part == 0 || !parts)) return now->all;
  return dls_stretch_rate(now, t->normal);
}
