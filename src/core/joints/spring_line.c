/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_line.h"

#include "core/math/elementary.h"

/* Where the points stand: along the line and across it, by which the length is more than the way
** along. */
typedef struct place {
  dls_vec3 across;   /* from a to b beside the line, m */
  double along, bow; /* bow: what of it is by arms that turn, beyond their velocity    */
  double length, more; /* m; length less along, m */
  double turn; /* the larger turn of an arm since q_c, rad */
} place;

/* A time t from q_c, with the impulse p; v: the row's rate then. */
static place place_at(const dls_spring_line *line, double t, double p, double v) {
  place at = {.along = 0};
  dls_vec3 way = dls_v3(0, 0, 0), bow = way;
  for (int e = 0; e < 2; e++) {
    const dls_spring_end *end = &line->end[e];
    const double sign = e == 0 ? -1 : 1;
    const dls_vec3 turn = dls_v3_add(end->turn, dls_v3_scale(p, end->turn_p));
    const dls_vec3 of_centre = dls_v3_add(end->v, dls_v3_scale(p, end->v_p));
    const dls_vec3 before = dls_v3_add(of_centre, dls_v3_cross(turn, end->arm));
    const double angle = fabs(t) * dls_v3_norm(turn);
    way = dls_v3_add(way, dls_v3_scale(sign * t, before));
    if (angle > 0 && dls_v3_norm(end->arm) > 0) {
      double sine, cosine;
      dls_sincos(0.5 * angle, &sine, &cosine);
      /* 2 sin(angle/2) along the axis */
      const dls_vec3 half = dls_v3_scale(2 * sine * t / angle, turn);
      const dls_vec3 first = dls_v3_cross(half, end->arm);
      const dls_vec3 moved =
          dls_v3_add(dls_v3_scale(cosine, first), dls_v3_scale(0.5, dls_v3_cross(half, first)));
      const dls_vec3 beyond = dls_v3_sub(moved, dls_v3_scale(t, dls_v3_cross(turn, end->arm)));
      bow = dls_v3_add(bow, dls_v3_scale(sign, beyond));
      at.turn = dls_max(at.turn, angle);
    }
  }
  at.bow = dls_v3_dot(bow, line->n);
  at.along = line->length + t * v + at.bow;
  way = dls_v3_add(way, bow);
  at.across = dls_v3_sub(way, dls_v3_scale(dls_v3_dot(way, line->n), line->n));
  const double square = dls_v3_dot(at.across, at.across);
  at.length = sqrt(at.along * at.along + square);
  at.more = at.along > 0 ? square / (at.length + at.along) : at.length - at.along;
  return at;
}

/* 0 where x is at most `far` .. 1 */
static double beyond(double x, double far) { return x > far ? 1 - far / x * (far / x) : 0; }

/* L* - L for the impulse p; apart: f of the law. */
static double shift_at(const dls_spring_line *line, double apart, double h, double v0, double w,
                       const place *before, double p) {
  static const double FAR = 0.1 * 0.1; /* rad^2: what turns by less in a step is resolved */
  const place after = place_at(line, 0.5 * h, p, v0 + w * p);
  const double turn = 2 * dls_max(before->turn, after.turn);
  const double mean = 0.5 * (before->length + after.length), way = h * (v0 + 0.5 * w * p);
  if (!(mean > 0)) return 0;
  const double A = mean - line->rest,
               short_by = 0.5 * (before->more + after.more + before->bow + after.bow) / mean;
  const double bent = after.bow - before->bow, shift = -line->rest * short_by; /* of s = g/mean */
  /* |r'| - |r| - s h m */
  const double lack = after.more - before->more + bent + way * short_by;
  const dls_vec3 across = dls_v3_sub(after.across, before->across);
  const double both = way * way + dls_v3_dot(across, across);
  const double turned = beyond(turn * turn, FAR), line_turned = beyond(8 * fabs(short_by), FAR);
  const double share = dls_max(turned, dls_max(apart, line_turned));
  return share * dls_clamp(both > 0 ? shift - A * (lack * way / both) : shift, -2 * line->rest,
                           2 * line->rest);
}

double dls_spring_line_shift(const dls_spring_line *line, const dls_spring_law *law, double h,
                             double v0, double w) {
  enum { TURNS = 100 };
  static const double ENOUGH = 1e-15; /* of the interval that the answer is in */
  double shift = 0;
  if (!(law->k > 0 && line->rest > 0) || !(w > 0 && w < DLS_INF)) return 0;
  const place before = place_at(line, -0.5 * h, 0, v0);
  /* p/w + h/2 d p = -h (k (length - L*) + (c + b) v0), from p = free at L* = L on */
  const double give = w / (1 + 0.5 * h * w * dls_spring_law_d(law, h)),
               slope = h * law->k * give / w;
  const double pull = law->k * (line->length - line->rest) + (law->c + law->extra) * v0;
  const double free = -h * pull * give / w, width = 4 * slope * line->rest;
  double lo = free - 0.5 * width, hi = free + 0.5 * width; /* by the bounds of L* */
  double p = free, last = free, f_last = 0;
  for (int i = 0; i < TURNS; i++) {
    shift = shift_at(line, law->apart, h, v0, w, &before, p);
    const double f = p - free - slope * shift;
    if (f == 0) break;
    if (f > 0) hi = p;
    else lo = p;
    double next = i == 0 ? p - f : p - f * (p - last) / (f - f_last);
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (fabs(next - p) <= ENOUGH * width) break;
    last = p, f_last = f, p = next;
  }
  return dls_is_finite(shift) ? shift : 0;
}
