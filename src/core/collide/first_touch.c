/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/first_touch.h"

#include "core/collide/separate3.h"
#include "core/collide/stretch.h"
#include "core/math/elementary.h"

/* --- looks ------------------------------------------------------------------------------------ */

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
    const dls_pose2 A = dls_way_pose2(a, s), B = dls_way_pose2(b, s);
    pair->n = (covered ? dls_approach2 : dls_collide2)(a->shape, &A, b->shape, &B, margin,
                                                       pair->touch, pair->room);
  } else {
    const dls_pose3 A = dls_way_pose3(a, s, &pair->memo[0]), B = dls_way_pose3(b, s, &pair->memo[1]);
    pair->n = (covered ? dls_approach3 : dls_collide3)(a->shape, &A, b->shape, &B, margin,
                                                       pair->touch, pair->room);
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

/* --- what is seen on the way ------------------------------------------------------------------ */

/* What is seen of a pair at some share of the step. */
typedef struct sight {
  double least; /* gap, that counts, m; DLS_INF: none within the margin */
  dls_vec3 n;   /* its normal                                           */
  uint64_t part; /* and part                                             */
  double step;  /* of the step, until a gap can have closed             */
  double rate;  /* how fast it does, m a step                           */
  dls_pose3 pose[2]; /* flat bodies: of a, b                              */
} sight;

/* What is added to a gap of a part before it counts; DLS_INF: it is passed, whatever it is. */
static double shift_of(const dls_pursuit *pair, uint64_t part) {
  return dls_pursuit_knows(pair, part) ? pair->slack : pair->leeway;
}

/* How far a shape reaches along the unit vector n at a pose, m; one without bounds, which does not
** turn, but for a constant. */
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

/* How far the ways go on from s until what is seen along its normal can have closed, by supports;
** DLS_INF: to the end. */
static double open_way(dls_pursuit *pair, dls_stretch *now, double s, double to, const sight *seen) {
  enum { TURNS = 4 };
  static const double NEAR = 0.25;
  const dls_shape *a = pair->a->shape, *b = pair->b->shape;
  const dls_pose3 A = now->flat ? seen->pose[0] : dls_way_pose3(pair->a, s, &pair->memo[0]),
                  B = now->flat ? seen->pose[1] : dls_way_pose3(pair->b, s, &pair->memo[1]);
  const dls_vec3 n = seen->n, back = dls_v3_neg(n);
  const double from_a = reach_along(a, &A, n), from_b = reach_along(b, &B, back);
  const double shift = shift_of(pair, seen->part);
  const double gap = a->bounded && b->bounded ? dls_min(seen->least, shift - from_a - from_b)
                                              : seen->least;
  if (!now->ended) {
    now->end[0] = dls_way_pose(pair->a, to), now->end[1] = dls_way_pose(pair->b, to);
    now->ended = true;
  }
  double end = to, step = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    const dls_pose3 A_end = end < to ? dls_way_pose(pair->a, end) : now->end[0];
    const dls_pose3 B_end = end < to ? dls_way_pose(pair->b, end) : now->end[1];
    const double closes =
        reach_along(a, &A_end, n) - from_a + reach_along(b, &B_end, back) - from_b;
    const double share = first_zero(gap, closes, 0.5 * now->curve * (end - s) * (end - s));
    if (share >= 1 && end >= to) return DLS_INF;
    step = dls_max(step, share * (end - s));
    if (!(share < NEAR)) break;
    end = s + 2 * share * (end - s);
  }
  return step;
}

/* A look at two flat bodies at s within the margin: how far apart their largest separation along
** normals and crossings says that they are, and along what. That is their overlap, or no more than
** their distance; touches are not found. */
static void peek(dls_pursuit *pair, double s, double margin, sight *seen) {
  const dls_vec3 any = dls_v3(0, 0, 0);
  const double shift = shift_of(pair, 0), enough = margin - shift;
  seen->least = DLS_INF, seen->n = dls_v3(1, 0, 0), seen->part = 0;
  pair->looks++;
  pair->n = 0;
  if (!(shift < DLS_INF)) return;
  const dls_shape *a = pair->a->shape, *b = pair->b->shape;
  const dls_pose3 *A = &seen->pose[0], *B = &seen->pose[1];
  seen->pose[0] = dls_way_pose3(pair->a, s, &pair->memo[0]);
  seen->pose[1] = dls_way_pose3(pair->b, s, &pair->memo[1]);
  const dls_vec3 d = dls_v3_sub(B->p, A->p);
  const double far = a->reach + b->reach + enough;
  if (dls_v3_dot(d, d) > far * far) return;
  const dls_body3 body_a = dls_body3_make(a, A, A->p), body_b = dls_body3_make(b, B, A->p);
  const dls_separation3 most = dls_separate3_candidates(&body_a, &body_b, enough, any);
  if (!(most.value <= enough)) return;
  seen->least = most.value + shift, seen->n = most.n;
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

/* --- the way ---------------------------------------------------------------------------------- */

/* No looks are left: the way is gone in long strides, which see no more than where the bodies are
** at their ends. */
static bool spent(const dls_pursuit *pair) { return pair->most > 0 && pair->looks >= pair->most; }

/* The least gap at s. Of flat bodies a bound of it, without touches. False: no room. */
static bool least_at(dls_pursuit *pair, bool flat, double s, double margin, double *least) {
  if (flat) {
    sight seen;
    peek(pair, s, margin, &seen);
    *least = seen.least;
    return true;
  }
  const bool room = look_on(pair, s, margin);
  *least = room ? least_gap(pair) : DLS_INF;
  return room;
}

/* Between lo, where the least gap is g_lo > 0, and hi, where it is g_hi < 0: false position with the
** weights of Anderson and Bjorck (BIT 13, 1973). */
static dls_pursued find_zero(dls_pursuit *pair, const dls_stretch *now, double lo, double g_lo,
                             double hi, double g_hi, double margin) {
  enum { TURNS = 60, FEW = 8 };
  const bool flat = now->flat;
  const double reach = flat ? dls_max(margin, now->all * (hi - lo)) : margin;
  const double closed = CLOSED * pair->size;
  double least = g_hi, f_lo = g_lo, f_hi = g_hi;
  int side = 0, slow = 0; /* the end that was replaced last; looks since the bracket was halved */
  pair->at = hi;
  for (int i = 0; i < TURNS && !(i >= FEW && spent(pair)); i++) {
    const double wide = hi - lo;
    const double share = slow > 2 ? 0.5 : dls_clamp(f_lo / (f_lo - f_hi), 1e-3, 1 - 1e-3);
    const double s = lo + share * wide;
    if (!(s > lo && s < hi)) break;
    if (!least_at(pair, flat, s, reach, &least)) return DLS_PURSUED_ROOM;
    pair->at = s;
    if (fabs(least) <= closed) break;
    if (least > 0) {
      const double g = dls_min(least, reach);
      if (side < 0) f_hi *= g < f_lo ? 1 - g / f_lo : 0.5;
      lo = s, f_lo = g, side = -1;
    } else {
      if (side > 0) f_lo *= least > f_hi ? 1 - least / f_hi : 0.5;
      hi = s, f_hi = least, side = 1;
    }
    slow = hi - lo > 0.5 * wide ? slow + 1 : 0;
  }
  const bool jumps = !(fabs(least) <= closed); /* a gap: the last place where it is open */
  if (jumps) pair->at = lo;
  if (jumps || flat) {
    if (!look_on(pair, pair->at, margin)) return DLS_PURSUED_ROOM;
    least = least_gap(pair);
  }
  if (!(least < DLS_INF)) {
    pair->at = hi;
    if (!look_on(pair, hi, margin)) return DLS_PURSUED_ROOM;
    least = least_gap(pair);
  }
  keep_closed(pair, least);
  return DLS_PURSUED_TOUCH;
}

/* What is seen at s within the margin, and how far the ways go on until a gap can have closed, by
** rates. False: no room. */
static bool look_ahead(dls_pursuit *pair, const dls_stretch *now, double s, double margin,
                       sight *seen) {
  if (now->flat) peek(pair, s, margin, seen);
  const bool closes = now->flat && seen->least <= CLOSED * pair->size;
  if (!now->flat || closes) {
    if (!look_on(pair, s, margin)) return false;
    seen->least = DLS_INF;
  }
  seen->step = now->all > 0 ? margin / now->all : DLS_INF, seen->rate = now->all;
  if (now->flat && !closes) {
    const double r = dls_stretch_rate(now, seen->n);
    if (r > 0 && seen->least < seen->step * r) seen->step = seen->least / r, seen->rate = r;
    return true;
  }
  for (int i = 0; i < pair->n; i++) {
    const dls_touch *t = &pair->touch[i];
    const double r = dls_stretch_rate_of(pair, now, t);
    if (t->gap < seen->least) seen->least = t->gap, seen->n = t->normal, seen->part = t->part;
    if (r > 0 && t->gap < seen->step * r) seen->step = t->gap / r, seen->rate = r;
  }
  return true;
}

/* Along one stretch. */
static dls_pursued pursue_stretch(dls_pursuit *pair, double from, double to, bool last) {
  dls_stretch now = dls_stretch_at(pair, from);
  const double closed = CLOSED * pair->size;
  double s = from, before = from, g_before = DLS_INF;
  for (;;) {
    const double margin = margin_of(pair, now.all * (to - s));
    sight seen;
    if (!look_ahead(pair, &now, s, margin, &seen)) return DLS_PURSUED_ROOM;
    const double least = seen.least;
    if (least <= closed) {
      pair->at = s;
      if (least >= -closed || !(s > before)) {
        keep_closed(pair, least);
        return DLS_PURSUED_TOUCH;
      }
      return find_zero(pair, &now, before, dls_min(g_before, margin), s, least, margin);
    }
    double step = seen.step;
    if (now.curve < DLS_INF && least < DLS_INF && s + step <= to)
      step = dls_max(step, open_way(pair, &now, s, to, &seen));
    if (least < DLS_INF) step = dls_stretch_together(pair, &now, s, to, least, step);
    if (!(s < to) || s + step > to || !(seen.rate > 0)) return DLS_PURSUED_APART;
    const double dip = SHORTEST * pair->thickness;
    double stride = spent(pair) ? to - s : dls_max(dip / now.all, (to - from) / MOST_LOOKS);
    if (step < stride) stride = dls_stretch_together(pair, &now, s, to, dip, stride);
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
