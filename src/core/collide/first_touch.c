/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/first_touch.h"
#include "core/math/elementary.h"

/* --- ways ------------------------------------------------------------------------------------- */

/* The leg that s is on, whether the way is over there or not. */
static const dls_leg *leg_of(const dls_way *way, double s, bool late) {
  int i = 0;
  while (i < way->n - 1 && (late ? s >= way->leg[i].to : s > way->leg[i].to)) i++;
  return &way->leg[i];
}

dls_leg dls_way_leg(const dls_way *way, double s, bool late) {
  dls_leg leg = *leg_of(way, s, late);
  if (!(way->until < 1 && (late ? s >= way->until : s > way->until))) return leg;
  leg.v = leg.w = dls_v3(0, 0, 0);
  leg.tumbles = false;
  leg.hung = NULL;
  return leg;
}

/* The unit quaternion of a rotation vector. */
static dls_quat turn_by(dls_vec3 w) {
  const double x = 0.25 * dls_v3_dot(w, w); /* of half the angle, squared */
  double k = 0.5 * (1 - x / 6 * (1 - x / 20)), cosine = 1 - 0.5 * x * (1 - x / 12);
  if (x > 1e-5) {
    const double half = sqrt(x);
    double sine;
    dls_sincos(half, &sine, &cosine);
    k = sine / (2 * half);
  }
  return (dls_quat){cosine, k * w.x, k * w.y, k * w.z};
}

/* Of body i among those that are carried, when the share t of their ways is gone; in the plane angles alone are read. */
static void hung_at(const dls_hung *all, int i, bool planar, double t, dls_vec3 *x, dls_quat *turn, double *angle) {
  const dls_hung *of = &all[i];
  dls_vec3 centre = dls_v3(0, 0, 0);
  dls_quat by = dls_q_identity();
  double round = 0, sine, cosine;
  if (of->carrier >= 0) hung_at(all, of->carrier, planar, t, &centre, &by, &round);
  const dls_vec3 point = dls_v3_axpy(of->from, t, of->go);
  if (planar) {
    dls_sincos(round, &sine, &cosine);
    *x = dls_v3(centre.x + cosine * point.x - sine * point.y, centre.y + sine * point.x + cosine * point.y, 0);
    *angle = round + of->angle + t * of->turning.z;
    dls_sincos(*angle, &sine, &cosine);
    x->x += cosine * of->arm.x - sine * of->arm.y, x->y += sine * of->arm.x + cosine * of->arm.y;
    return;
  }
  *angle = 0;
  *turn = dls_q_unit(dls_q_mul(by, dls_q_mul(turn_by(dls_v3_scale(t, of->turning)), of->turn)));
  *x = dls_v3_add(dls_v3_add(centre, dls_q_rotate(by, point)), dls_q_rotate(*turn, of->arm));
}

/* What their ways add to the velocity of the point p of body i, and where it is, as above. */
static dls_vec3 hung_velocity(const dls_hung *all, int i, bool planar, double t, dls_vec3 p) {
  const dls_hung *of = &all[i];
  dls_vec3 centre = dls_v3(0, 0, 0), v = dls_v3(0, 0, 0);
  dls_quat by = dls_q_identity();
  double round = 0, sine, cosine;
  if (of->carrier >= 0) {
    hung_at(all, of->carrier, planar, t, &centre, &by, &round);
    v = hung_velocity(all, of->carrier, planar, t, p);
  }
  if (planar) {
    dls_sincos(0.5 * round, &sine, &cosine);
    by = dls_q_axis(dls_v3(0, 0, 1), sine, cosine);
  }
  const dls_vec3 point = dls_v3_add(centre, dls_q_rotate(by, dls_v3_axpy(of->from, t, of->go)));
  const dls_vec3 turns = dls_v3_cross(dls_q_rotate(by, of->turning), dls_v3_sub(p, point));
  return dls_v3_add(v, dls_v3_add(turns, dls_q_rotate(by, of->go)));
}

static bool is_hung(const dls_leg *leg) { return leg->hung != NULL; }

void dls_way_at(const dls_way *way, double s, dls_vec3 *x, dls_quat *turn, double *angle) {
  const double t = dls_min(s, way->until);
  const dls_leg *leg = leg_of(way, t, false);
  if (is_hung(leg)) {
    hung_at(leg->hung, way->number, way->planar, (t - leg->from) / leg->span, x, turn, angle);
    return;
  }
  *x = dls_v3_axpy(leg->x, t - leg->from, leg->v);
  *angle = leg->angle + (t - leg->from) * leg->w.z;
  if (way->planar) return;
  if (leg->tumbles) *turn = dls_tumble_on(&way->tumble, leg->turn, leg->L, t - leg->from);
  else *turn = dls_q_unit(dls_q_mul(turn_by(dls_v3_scale(t - leg->from, leg->w)), leg->turn));
}

dls_vec3 dls_way_velocity(const dls_way *way, const dls_leg *leg, double s, dls_vec3 p) {
  dls_vec3 x;
  dls_quat turn;
  double angle;
  if (is_hung(leg))
    return dls_v3_scale(1 / leg->span, hung_velocity(leg->hung, way->number, way->planar, (s - leg->from) / leg->span, p));
  dls_way_at(way, s, &x, &turn, &angle);
  return dls_v3_add(leg->v, dls_v3_cross(dls_way_rate(way, leg, s), dls_v3_sub(p, x)));
}

dls_vec3 dls_way_rate(const dls_way *way, const dls_leg *leg, double s) {
  if (!leg->tumbles) return leg->w;
  return dls_tumble_rate(&way->tumble, dls_tumble_on(&way->tumble, leg->turn, leg->L, s - leg->from), leg->L);
}

static dls_pose2 pose2_at(const dls_way *way, double s) {
  dls_vec3 x;
  dls_quat turn;
  double angle, sine = 0, cosine = 1;
  dls_way_at(way, s, &x, &turn, &angle);
  if (angle != 0) dls_sincos(angle, &sine, &cosine);
  return (dls_pose2){x.x - (cosine * way->com.x - sine * way->com.y),
                     x.y - (sine * way->com.x + cosine * way->com.y), cosine, sine};
}

/* Where a body that is carried is at t on its leg, in memo. */
static void carry_to(const dls_way *way, const dls_leg *leg, double t, dls_way_memo *memo) {
  double angle;
  if (memo->carried && memo->at == t) return;
  hung_at(leg->hung, way->number, way->planar, (t - leg->from) / leg->span, &memo->x, &memo->by, &angle);
  memo->carried = true;
  memo->at = t;
}

/* The orientation at s, on from what is known before it. */
static dls_quat turn_at(const dls_way *way, double s, dls_way_memo *memo) {
  dls_vec3 x;
  dls_quat turn = dls_q_identity();
  double angle;
  const double t = dls_min(s, way->until);
  const dls_leg *leg = leg_of(way, t, false);
  if (is_hung(leg)) {
    carry_to(way, leg, t, memo);
    return memo->by;
  }
  if (!leg->tumbles) {
    dls_way_at(way, s, &x, &turn, &angle);
    return turn;
  }
  double from = leg->from;
  turn = leg->turn;
  for (int k = 0; k < memo->n; k++)
    if (memo->s[k] >= from && memo->s[k] <= t) from = memo->s[k], turn = memo->turn[k];
  turn = dls_tumble_on(&way->tumble, turn, leg->L, t - from);
  if (memo->n > 0 && !(t > memo->s[memo->n - 1])) return turn;
  if (memo->n == 2) memo->s[0] = memo->s[1], memo->turn[0] = memo->turn[1], memo->n = 1;
  memo->s[memo->n] = t, memo->turn[memo->n++] = turn;
  return turn;
}

static dls_vec3 centre_at(const dls_way *way, double s, dls_way_memo *memo) {
  const double t = dls_min(s, way->until);
  const dls_leg *leg = leg_of(way, t, false);
  if (!is_hung(leg)) return dls_v3_axpy(leg->x, t - leg->from, leg->v);
  carry_to(way, leg, t, memo);
  return memo->x;
}

static dls_pose3 pose3_at(const dls_way *way, double s, dls_way_memo *memo) {
  dls_pose3 T = {dls_q_matrix(turn_at(way, s, memo)), centre_at(way, s, memo)};
  T.p = dls_v3_sub(T.p, dls_m3_apply(&T.R, way->com));
  return T;
}

dls_pose3 dls_way_pose(const dls_way *way, double s) {
  if (!way->planar) {
    dls_way_memo none = {.n = 0};
    return pose3_at(way, s, &none);
  }
  const dls_pose2 T = pose2_at(way, s);
  return (dls_pose3){{{T.c, -T.s, 0, T.s, T.c, 0, 0, 0, 1}}, {T.x, T.y, 0}};
}

/* --- looks ------------------------------------------------------------------------------------- */

/* Gaps up to this share of the smaller body are closed. */
static const double CLOSED = 1e-9;
/* Parts whose gaps differ by less than this share of the smaller body touch at once. */
static const double AT_ONCE = 1e-7;
/* No step is shorter than this share of the thickness. */
static const double SHORTEST = 0.01;
/* And so many of them make a leg in any case: work has a bound. */
static const double MOST_LOOKS = 10000;

bool dls_pursuit_look(dls_pursuit *pair, double s, double margin, bool covered) {
  pair->looks++;
  const dls_way *a = pair->a, *b = pair->b;
  if (a->planar) {
    const dls_pose2 A = pose2_at(a, s), B = pose2_at(b, s);
    pair->n = (covered ? dls_approach2 : dls_collide2)(a->shape, &A, b->shape, &B, margin, pair->touch, pair->room);
  } else {
    const dls_pose3 A = pose3_at(a, s, &pair->memo[0]), B = pose3_at(b, s, &pair->memo[1]);
    pair->n = (covered ? dls_approach3 : dls_collide3)(a->shape, &A, b->shape, &B, margin, pair->touch, pair->room);
  }
  if (pair->n > pair->room) return false;
  for (int i = 1; i < pair->n; i++) {
    const dls_touch touch = pair->touch[i];
    int j = i;
    for (; j > 0 && pair->touch[j - 1].key > touch.key; j--) pair->touch[j] = pair->touch[j - 1];
    pair->touch[j] = touch;
  }
  return true;
}

bool dls_pursuit_knows(const dls_pursuit *pair, uint64_t part) {
  for (int i = 0; i < pair->n_passed; i++)
    if (pair->passed[i] == part) return true;
  return false;
}

bool dls_pursuit_pass(dls_pursuit *pair, uint64_t part) {
  if (dls_pursuit_knows(pair, part)) return true;
  if (pair->n_passed >= pair->passed_room) return false;
  pair->passed[pair->n_passed++] = part;
  return true;
}

/* What is looked at on the way, with gaps that count from where it is a touch. */
static bool look_on(dls_pursuit *pair, double s, double margin) {
  if (!dls_pursuit_look(pair, s, margin, true)) return false;
  int n = 0;
  for (int i = 0; i < pair->n; i++) {
    dls_touch t = pair->touch[i];
    const bool passed = dls_pursuit_knows(pair, t.part);
    if (pair->only ? t.part != *pair->only : passed && !(pair->slack < DLS_INF)) continue;
    t.gap += passed ? pair->slack : pair->leeway;
    pair->touch[n++] = t;
  }
  pair->n = n;
  return true;
}

static double least_gap(const dls_pursuit *pair) {
  double least = DLS_INF;
  for (int i = 0; i < pair->n; i++) least = dls_min(least, pair->touch[i].gap);
  return least;
}

/* Keeps the touches of the parts that are closed, or as good as. */
static void keep_closed(dls_pursuit *pair, double least) {
  const double limit = least + AT_ONCE * pair->size;
  int n = 0;
  for (int i = 0; i < pair->n; i++) { /* parts that are not closed lose their gaps */
    bool closed = false;
    for (int j = 0; j < pair->n && !closed; j++)
      closed = pair->touch[j].part == pair->touch[i].part && pair->touch[j].gap <= limit;
    if (!closed) pair->touch[i].gap = DLS_INF;
  }
  for (int i = 0; i < pair->n; i++)
    if (pair->touch[i].gap < DLS_INF) pair->touch[n++] = pair->touch[i];
  pair->n = n;
}

/* --- rates -------------------------------------------------------------------------------------- */

/* What two ways do between two shares of the step. */
typedef struct stretch {
  dls_leg a, b;
  double arm_a, arm_b; /* m                                             */
  double across_a, across_b; /* rad a step: the most of w that is felt  */
  double carried;      /* of that what bodies do that are carried       */
  double all;          /* most that points can come nearer, m a step    */
  bool hollow;         /* a drum: see part_rate                         */
  double curve;        /* most acceleration of both, m a step^2; DLS_INF: ways are not told by supports */
  dls_pose3 end[2];    /* of a, b where it ends, if they are            */
} stretch;

bool dls_way_is_round(const dls_way *way) {
  const dls_shape *shape = way->shape;
  const bool round = shape->kind == DLS_SHAPE_CAPSULE || shape->kind == DLS_SHAPE_CYLINDER || shape->kind == DLS_SHAPE_CONE;
  return !way->planar && round && way->com.y == 0 && way->com.z == 0;
}

double dls_leg_across(const dls_way *way, const dls_leg *leg) {
  if (!dls_way_is_round(way) || (leg->tumbles && !dls_tumble_is_round(&way->tumble))) return dls_leg_turn(leg);
  const dls_vec3 rate = leg->tumbles ? dls_tumble_rate(&way->tumble, leg->turn, leg->L) : leg->w;
  const double across = dls_v3_norm(dls_v3_cross(rate, dls_q_rotate(leg->turn, dls_v3(1, 0, 0))));
  return leg->tumbles ? across * (1 + 1e-6) : across;
}

/* How far the points that matter are from the mass centre; beyond bounds: those that the other can meet. */
static double arm_of(const dls_way *way, double beyond) {
  const dls_shape *shape = way->shape;
  const double off = dls_v3_norm(way->com);
  if (!shape->bounded) return beyond;
  if (shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE) return off;
  if (shape->kind == DLS_SHAPE_CAPSULE) return off + shape->half.x;
  return off + shape->reach;
}

double dls_leg_curve(const dls_way *way, const dls_leg *leg) {
  if (is_hung(leg)) return leg->curve;
  const double turn = dls_leg_turn(leg);
  if (!(turn > 0)) return 0;
  if (!way->shape->bounded) return DLS_INF;
  const double *inverse = way->tumble.inverse; /* of what tumbles the turning changes by J^-1 (L x w) */
  const double more = leg->tumbles ? dls_max(inverse[0], dls_max(inverse[1], inverse[2])) * dls_v3_norm(leg->L) * turn : 0;
  return (turn * turn + more) * arm_of(way, 0);
}

/* Whether one support tells of all of a shape: it is convex, and in space. */
static bool is_whole(const dls_way *way) {
  const dls_shape_kind kind = way->shape->kind;
  const bool parts = kind == DLS_SHAPE_COMPOUND || kind == DLS_SHAPE_MESH || kind == DLS_SHAPE_DRUM;
  return !way->planar && !parts && (way->shape->bounded || kind == DLS_SHAPE_PLANE);
}

/* The leg at s, of a body that is carried without what is but about how it goes; *fastest: that of its points. */
static dls_leg leg_on(const dls_way *way, double s, double *fastest) {
  dls_leg leg = dls_way_leg(way, s, true);
  if (!is_hung(&leg)) return leg;
  *fastest += s < way->until ? leg.fastest : 0;
  leg.v = leg.w = dls_v3(0, 0, 0);
  return leg;
}

static stretch stretch_at(dls_pursuit *pair, double s, double to) {
  const dls_way *a = pair->a, *b = pair->b;
  stretch now = {.carried = 0};
  now.a = leg_on(a, s, &now.carried), now.b = leg_on(b, s, &now.carried);
  const double apart = dls_v3_norm(dls_v3_sub(centre_at(b, s, &pair->memo[1]), centre_at(a, s, &pair->memo[0])));
  const double way = dls_v3_norm(dls_v3_sub(now.b.v, now.a.v));
  const double reach_a = dls_v3_norm(a->com) + a->shape->reach, reach_b = dls_v3_norm(b->com) + b->shape->reach;
  now.arm_a = arm_of(a, apart + way + now.carried + reach_b);
  now.arm_b = arm_of(b, apart + way + now.carried + reach_a);
  now.across_a = is_hung(&now.a) ? 0 : dls_leg_across(a, &now.a);
  now.across_b = is_hung(&now.b) ? 0 : dls_leg_across(b, &now.b);
  now.all = way + now.across_a * now.arm_a + now.across_b * now.arm_b + now.carried;
  now.hollow = a->shape->kind == DLS_SHAPE_DRUM || b->shape->kind == DLS_SHAPE_DRUM;
  const bool told = (is_hung(&now.a) || is_hung(&now.b)) && is_whole(a) && is_whole(b);
  now.curve = told ? dls_leg_curve(a, &now.a) + dls_leg_curve(b, &now.b) : DLS_INF;
  if (now.curve < DLS_INF) now.end[0] = dls_way_pose(a, to), now.end[1] = dls_way_pose(b, to);
  return now;
}

/* How fast a body turns across n at most, rad a step. */
static double turn_across(const dls_leg *leg, dls_vec3 n, double across) {
  return leg->tumbles ? across : dls_min(dls_v3_norm(dls_v3_cross(leg->w, n)), across);
}

/* How fast a gap along a touch's normal can close, m a step. */
static double part_rate(const dls_pursuit *pair, const stretch *now, const dls_touch *t) {
  const bool parts = pair->a->shape->kind != DLS_SHAPE_COMPOUND && pair->b->shape->kind != DLS_SHAPE_COMPOUND;
  if (now->hollow && (t->part == 0 || !parts)) return now->all;
  const double turn_a = turn_across(&now->a, t->normal, now->across_a);
  const double turn_b = turn_across(&now->b, t->normal, now->across_b);
  return dls_v3_dot(t->normal, dls_v3_sub(now->a.v, now->b.v)) + turn_a * now->arm_a + turn_b * now->arm_b +
         now->carried;
}

/* How far a shape reaches along the unit vector n at a pose, m; one without bounds, which does not turn, but for a constant. */
static double reach_along(const dls_shape *shape, const dls_pose3 *T, dls_vec3 n) {
  const double at = dls_v3_dot(n, T->p);
  return shape->bounded ? at + dls_shape_extent3(shape, dls_m3_apply_t(&T->R, n)) : at;
}

/* The share of a way at which g - t d - t (1 - t) bend is zero first; 1: nowhere on it. */
static double first_zero(double g, double d, double bend) {
  const double p = d + bend, root = p * p - 4 * bend * g;
  if (!(g > 0)) return 0;
  return p > 0 && root >= 0 ? dls_min(1, 2 * g / (p + sqrt(root))) : 1;
}

/* How far the ways go on from s until a gap along t's normal can have closed, by supports; DLS_INF: to the end. */
static double open_way(dls_pursuit *pair, const stretch *now, double s, double to, const dls_touch *t) {
  enum { TURNS = 4 };
  static const double NEAR = 0.25;
  const dls_shape *a = pair->a->shape, *b = pair->b->shape;
  const dls_pose3 A = pose3_at(pair->a, s, &pair->memo[0]), B = pose3_at(pair->b, s, &pair->memo[1]);
  const dls_vec3 n = t->normal, back = dls_v3_neg(n);
  const double from_a = reach_along(a, &A, n), from_b = reach_along(b, &B, back);
  const double shift = dls_pursuit_knows(pair, t->part) ? pair->slack : pair->leeway;
  const double gap = a->bounded && b->bounded ? dls_min(t->gap, shift - from_a - from_b) : t->gap;
  double end = to, step = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    const dls_pose3 A_end = end < to ? dls_way_pose(pair->a, end) : now->end[0];
    const dls_pose3 B_end = end < to ? dls_way_pose(pair->b, end) : now->end[1];
    const double closes = reach_along(a, &A_end, n) - from_a + reach_along(b, &B_end, back) - from_b;
    const double share = first_zero(gap, closes, 0.5 * now->curve * (end - s) * (end - s));
    if (share >= 1 && end >= to) return DLS_INF;
    step = dls_max(step, share * (end - s));
    if (!(share < NEAR)) break;
    end = s + 2 * share * (end - s);
  }
  return step;
}

/* The next end of a leg behind s. */
static double next_end(const dls_way *way, double s) {
  double end = DLS_INF;
  for (int i = 0; i < way->n; i++)
    if (way->leg[i].to > s) end = dls_min(end, way->leg[i].to);
  return way->until > s ? dls_min(end, way->until) : end;
}

/* How far to look: as far as they may go; the triangles of a mesh are too many for that. */
static double margin_of(const dls_pursuit *pair, double far) {
  const dls_shape *a = pair->a->shape, *b = pair->b->shape;
  const double closed = CLOSED * pair->size;
  if (a->kind == DLS_SHAPE_MESH) far = dls_min(far, b->reach);
  if (b->kind == DLS_SHAPE_MESH) far = dls_min(far, a->reach);
  return dls_max(far, closed) + closed;
}

/* --- the way ------------------------------------------------------------------------------------- */

/* No looks are left: the way is gone in long strides, which see no more than where the bodies are at their ends. */
static bool spent(const dls_pursuit *pair) { return pair->most > 0 && pair->looks >= pair->most; }

/* Between lo, where the least gap is g_lo > 0, and hi, where it is g_hi < 0. */
static dls_pursued find_zero(dls_pursuit *pair, double lo, double g_lo, double hi, double g_hi, double margin) {
  enum { TURNS = 60, FEW = 8 };
  const double closed = CLOSED * pair->size;
  double least = g_hi, f_lo = g_lo, f_hi = g_hi;
  pair->at = hi;
  for (int i = 0; i < TURNS && !(i >= FEW && spent(pair)); i++) {
    const double share = i % 3 == 2 ? 0.5 : dls_clamp(f_lo / (f_lo - f_hi), 1e-3, 1 - 1e-3);
    const double s = lo + share * (hi - lo);
    if (!(s > lo && s < hi)) break;
    if (!look_on(pair, s, margin)) return DLS_PURSUED_ROOM;
    least = least_gap(pair);
    pair->at = s;
    if (fabs(least) <= closed) break;
    if (least > 0) lo = s, f_lo = dls_min(least, margin), f_hi *= 0.5;
    else hi = s, f_hi = least, f_lo *= 0.5;
  }
  if (!(fabs(least) <= closed)) { /* a gap that jumps: the last place where it is open */
    pair->at = lo;
    if (!look_on(pair, lo, margin)) return DLS_PURSUED_ROOM;
    least = least_gap(pair);
    if (!(least < DLS_INF)) {
      pair->at = hi;
      if (!look_on(pair, hi, margin)) return DLS_PURSUED_ROOM;
      least = least_gap(pair);
    }
  }
  keep_closed(pair, least);
  return DLS_PURSUED_TOUCH;
}

/* Along one stretch; *open: the least gap at its start, then at its end as far as it is known. */
static dls_pursued pursue_stretch(dls_pursuit *pair, double from, double to, bool last) {
  const stretch now = stretch_at(pair, from, to);
  const double closed = CLOSED * pair->size;
  double s = from, before = from, g_before = DLS_INF;
  for (;;) {
    const double margin = margin_of(pair, now.all * (to - s));
    if (!look_on(pair, s, margin)) return DLS_PURSUED_ROOM;
    double least = DLS_INF, step = now.all > 0 ? margin / now.all : DLS_INF, rate = now.all;
    const dls_touch *nearest = NULL;
    for (int i = 0; i < pair->n; i++) {
      const dls_touch *t = &pair->touch[i];
      const double r = part_rate(pair, &now, t);
      if (t->gap < least) least = t->gap, nearest = t;
      if (r > 0 && t->gap < step * r) step = t->gap / r, rate = r;
    }
    if (least <= closed) {
      pair->at = s;
      if (least >= -closed || !(s > before)) {
        keep_closed(pair, least);
        return DLS_PURSUED_TOUCH;
      }
      return find_zero(pair, before, dls_min(g_before, margin), s, least, margin);
    }
    if (now.curve < DLS_INF && nearest && s + step <= to)
      step = dls_max(step, open_way(pair, &now, s, to, nearest));
    if (!(s < to) || s + step > to || !(rate > 0)) return DLS_PURSUED_APART;
    const double shortest = dls_max(SHORTEST * pair->thickness / now.all, (to - from) / MOST_LOOKS);
    const double stride = spent(pair) ? to - s : shortest;
    before = s, g_before = least;
    if (step < stride) {
      s = dls_min(s + stride, to);
      if (!(s > before)) return DLS_PURSUED_APART;
      if (s >= to && !last) { /* the next stretch looks there */
        return DLS_PURSUED_APART;
      }
    } else {
      s = s + step;
      if (!(s > before)) return DLS_PURSUED_APART;
    }
  }
}

dls_pursued dls_pursue(dls_pursuit *pair, double from, double to) {
  double s = from;
  while (s < to) {
    const double end = dls_min(to, dls_min(next_end(pair->a, s), next_end(pair->b, s)));
    const dls_pursued met = pursue_stretch(pair, s, end, !(end < to));
    if (met != DLS_PURSUED_APART) return met;
    s = end;
  }
  return DLS_PURSUED_APART;
}
