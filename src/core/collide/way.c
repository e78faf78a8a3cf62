/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/first_touch.h"

#include "core/math/elementary.h"

/* Where bodies are along their ways. */

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

dls_quat dls_way_tumbled(const dls_way *way, const dls_leg *leg, double s) {
  const double t = s - leg->from;
  const dls_tumble_path *path = leg->path >= 0 ? &way->path[leg->path] : NULL;
  if (path && t >= 0 && t * path->rate <= 1 + 1e-9) return dls_tumble_along(path, t);
  return dls_tumble_on(&way->tumble, leg->turn, leg->L, t);
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

/* Of body i among those that are carried, when the share t of their ways is gone; in the plane
** angles alone are read. */
static void hung_at(const dls_hung *all, int i, bool planar, double t, dls_vec3 *x, dls_quat *turn,
                    double *angle) {
  const dls_hung *of = &all[i];
  dls_vec3 centre = dls_v3(0, 0, 0);
  dls_quat by = dls_q_identity();
  double round = 0, sine, cosine;
  if (of->carrier >= 0) hung_at(all, of->carrier, planar, t, &centre, &by, &round);
  const dls_vec3 point = dls_v3_axpy(of->from, t, of->go);
  if (planar) {
    dls_sincos(round, &sine, &cosine);
    *x = dls_v3(centre.x + cosine * point.x - sine * point.y,
                centre.y + sine * point.x + cosine * point.y, 0);
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

/* Where a body is at t on a leg. */
static void stand_on(const dls_way *way, const dls_leg *leg, double t, dls_vec3 *x, dls_quat *turn,
                     double *angle) {
  if (dls_leg_is_hung(leg)) {
    hung_at(leg->hung, way->number, way->planar, (t - leg->from) / leg->span, x, turn, angle);
    return;
  }
  *x = dls_v3_axpy(leg->x, t - leg->from, leg->v);
  *angle = leg->angle + (t - leg->from) * leg->w.z;
  if (way->planar) return;
  if (leg->tumbles) *turn = dls_way_tumbled(way, leg, t);
  else *turn = dls_q_unit(dls_q_mul(turn_by(dls_v3_scale(t - leg->from, leg->w)), leg->turn));
}

void dls_way_at(const dls_way *way, double s, dls_vec3 *x, dls_quat *turn, double *angle) {
  const double t = dls_min(s, way->until);
  stand_on(way, leg_of(way, t, false), t, x, turn, angle);
}

dls_pose3 dls_way_pose_on(const dls_way *way, const dls_leg *leg, double s) {
  dls_vec3 x;
  dls_quat turn;
  double angle;
  stand_on(way, leg, s, &x, &turn, &angle);
  const dls_mat3 R = dls_q_matrix(turn);
  return (dls_pose3){R, dls_v3_sub(x, dls_m3_apply(&R, way->com))};
}

dls_vec3 dls_way_velocity(const dls_way *way, const dls_leg *leg, double s, dls_vec3 p) {
  dls_vec3 x;
  dls_quat turn;
  double angle;
  if (dls_leg_is_hung(leg))
    return dls_v3_scale(1 / leg->span, hung_velocity(leg->hung, way->number, way->planar,
                                                     (s - leg->from) / leg->span, p));
  dls_way_at(way, s, &x, &turn, &angle);
  return dls_v3_add(leg->v, dls_v3_cross(dls_way_rate(way, leg, s), dls_v3_sub(p, x)));
}

dls_vec3 dls_way_rate(const dls_way *way, const dls_leg *leg, double s) {
  if (!leg->tumbles) return leg->w;
  return dls_tumble_rate(&way->tumble, dls_way_tumbled(way, leg, s), leg->L);
}

dls_pose2 dls_way_pose2(const dls_way *way, double s) {
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
  hung_at(leg->hung, way->number, way->planar, (t - leg->from) / leg->span, &memo->x, &memo->by,
          &angle);
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
  if (dls_leg_is_hung(leg)) {
    carry_to(way, leg, t, memo);
    return memo->by;
  }
  if (!leg->tumbles) {
    dls_way_at(way, s, &x, &turn, &angle);
    return turn;
  }
  if (leg->path >= 0) return dls_way_tumbled(way, leg, t);
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

dls_vec3 dls_way_centre(const dls_way *way, double s, dls_way_memo *memo) {
  const double t = dls_min(s, way->until);
  const dls_leg *leg = leg_of(way, t, false);
  if (!dls_leg_is_hung(leg)) return dls_v3_axpy(leg->x, t - leg->from, leg->v);
  carry_to(way, leg, t, memo);
  return memo->x;
}

dls_pose3 dls_way_pose3(const dls_way *way, double s, dls_way_memo *memo) {
  dls_pose3 T = {dls_q_matrix(turn_at(way, s, memo)), dls_way_centre(way, s, memo)};
  T.p = dls_v3_sub(T.p, dls_m3_apply(&T.R, way->com));
  return T;
}

dls_pose3 dls_way_pose(const dls_way *way, double s) {
  if (!way->planar) {
    dls_way_memo none = {.n = 0};
    return dls_way_pose3(way, s, &none);
  }
  const dls_pose2 T = dls_way_pose2(way, s);
  return (dls_pose3){{{T.c, -T.s, 0, T.s, T.c, 0, 0, 0, 1}}, {T.x, T.y, 0}};
}
