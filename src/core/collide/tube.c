/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/tube.h"

/* Widens a box to hold another. */
static void join(dls_vec3 lo, dls_vec3 hi, dls_vec3 *low, dls_vec3 *high) {
  *low = dls_v3(dls_min(low->x, lo.x), dls_min(low->y, lo.y), dls_min(low->z, lo.z));
  *high = dls_v3(dls_max(high->x, hi.x), dls_max(high->y, hi.y), dls_max(high->z, hi.z));
}

/* Adds an end at s of a leg to the tube: where another leg ended there, the box of both. */
static void add_end(dls_tube *tube, const dls_way *way, const dls_leg *leg, double s, double bow) {
  dls_vec3 lo, hi;
  const dls_pose3 pose = dls_way_pose_on(way, leg, s);
  dls_shape_bounds3(way->shape, &pose, &lo, &hi);
  const dls_vec3 more = dls_v3(bow, bow, bow);
  lo = dls_v3_sub(lo, more), hi = dls_v3_add(hi, more);
  const int k = tube->n - 1;
  if (k >= 0 && !(s > tube->s[k])) {
    join(lo, hi, &tube->lo[k], &tube->hi[k]);
    return;
  }
  tube->s[k + 1] = s, tube->lo[k + 1] = lo, tube->hi[k + 1] = hi;
  tube->n++;
}

dls_tube dls_tube_of(const dls_way *way) {
  dls_tube tube = {.n = 0};
  for (int i = 0; i < way->n && way->leg[i].from < way->until; i++) {
    const dls_leg *leg = &way->leg[i];
    const double to = dls_min(leg->to, way->until),
                 bow = 0.125 * dls_leg_curve(way, leg) * (to - leg->from) * (to - leg->from);
    add_end(&tube, way, leg, leg->from, bow);
    add_end(&tube, way, leg, to, bow);
  }
  if (tube.n > 0) tube.low = tube.lo[0], tube.high = tube.hi[0];
  for (int k = 1; k < tube.n; k++) join(tube.lo[k], tube.hi[k], &tube.low, &tube.high);
  return tube;
}

/* The box at s, on from end *k, which is the last one before it; behind the last end it stays. */
static void box_at(const dls_tube *tube, double s, int *k, dls_vec3 *lo, dls_vec3 *hi) {
  while (*k + 1 < tube->n && tube->s[*k + 1] <= s) ++*k;
  *lo = tube->lo[*k], *hi = tube->hi[*k];
  if (*k + 1 == tube->n || !(s > tube->s[*k])) return;
  const double share = (s - tube->s[*k]) / (tube->s[*k + 1] - tube->s[*k]);
  *lo = dls_v3_axpy(*lo, share, dls_v3_sub(tube->lo[*k + 1], *lo));
  *hi = dls_v3_axpy(*hi, share, dls_v3_sub(tube->hi[*k + 1], *hi));
}

/* The sides, a bit each, on which b is beyond a by more than `margin` at s. */
static unsigned sides_at(const dls_tube *a, int *i, const dls_tube *b, int *j, double s,
                         double margin) {
  dls_vec3 a_lo, a_hi, b_lo, b_hi;
  box_at(a, s, i, &a_lo, &a_hi), box_at(b, s, j, &b_lo, &b_hi);
  return (unsigned)(b_lo.x - a_hi.x > margin) | (unsigned)(b_lo.y - a_hi.y > margin) << 1 |
         (unsigned)(b_lo.z - a_hi.z > margin) << 2 | (unsigned)(a_lo.x - b_hi.x > margin) << 3 |
         (unsigned)(a_lo.y - b_hi.y > margin) << 4 | (unsigned)(a_lo.z - b_hi.z > margin) << 5;
}

bool dls_tubes_apart(const dls_tube *a, const dls_tube *b, double margin) {
  if (a->n == 0 || b->n == 0) return false;
  if ((b->low.x - a->high.x > margin) | (b->low.y - a->high.y > margin) |
      (b->low.z - a->high.z > margin) | (a->low.x - b->high.x > margin) |
      (a->low.y - b->high.y > margin) | (a->low.z - b->high.z > margin))
    return true;
  int i = 0, j = 0;
  unsigned before = sides_at(a, &i, b, &j, dls_max(a->s[0], b->s[0]), margin);
  while (i + 1 < a->n || j + 1 < b->n) {
    const double s =
        dls_min(i + 1 < a->n ? a->s[i + 1] : DLS_INF, j + 1 < b->n ? b->s[j + 1] : DLS_INF);
    const unsigned now = sides_at(a, &i, b, &j, s, margin);
    if ((before & now) == 0) return false; /* on one side at both ends */
    before = now;
  }
  return before != 0;
}
