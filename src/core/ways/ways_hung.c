/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways_hung.h"

#include "core/math/elementary.h"
#include "core/model/joint.h"
#include "core/ways/ways_parts.h"

double dls_ways_felt(const dls_ways *ways, int i, const double *q, dls_vec3 w) {
  const dls_body *body = &ways->w->bodies[i];
  const dls_way as =
      dls_way_blank(body->shape, dls_v3_load(body->com), ways->w->dim == 2, i);
  const bool ball = body->shape->kind == DLS_SHAPE_DISK || body->shape->kind == DLS_SHAPE_SPHERE;
  if (ball && !(dls_v3_norm(as.com) > 0)) return 0;
  if (!dls_way_is_round(&as)) return dls_v3_norm(w);
  return dls_v3_norm(
      dls_v3_cross(w, dls_q_rotate(dls_q_load(dls_ways_q(ways, q, i) + 3), dls_v3(1, 0, 0))));
}

/* --- the carrier of each body ----------------------------------------------------------------- */

/* Whether a joint holds anything. */
static bool holds(const dls_ways *ways, const dls_joint *joint) {
  return joint->alive && joint->nu < (int)dls_nu_of(ways->w);
}

/* All bodies that a chain of joints leads to from those that are known. */
static void lead_on(const dls_ways *ways, int *joint, unsigned char *known) {
  const dls_world *w = ways->w;
  for (bool more = true; more;) {
    more = false;
    for (int k = 0; k < w->n_joints; k++) {
      const dls_joint *of = &w->joints[k];
      if (!holds(ways, of) || known[of->a] == known[of->b]) continue;
      const int i = known[of->a] ? of->b : of->a;
      known[i] = 1, joint[i] = k, more = true;
    }
  }
}

void dls_ways_find_carriers(const dls_ways *ways, int *joint, unsigned char *known) {
  const dls_world *w = ways->w;
  for (int i = 0; i < w->n_bodies; i++) joint[i] = -1, known[i] = !dls_ways_is_free(ways, i);
  lead_on(ways, joint, known);
  /* what floats is led to from the first body that a joint names */
  for (int k = 0; k < w->n_joints; k++) {
    const dls_joint *of = &w->joints[k];
    if (!holds(ways, of) || known[of->a]) continue;
    known[of->a] = 1;
    lead_on(ways, joint, known);
  }
}

static int carrier_of(const dls_ways *ways, const int *joint, int i) {
  const dls_joint *of = joint[i] >= 0 ? &ways->w->joints[joint[i]] : NULL;
  return !of ? -1 : of->a == i ? of->b : of->a;
}

/* Where the joint of body i stands at q, world; the joint's frame on it. */
static const dls_place *place_on(const dls_ways *ways, const int *joint, int i) {
  const dls_joint *of = &ways->w->joints[joint[i]];
  return of->a == i ? &of->on_a : &of->on_b;
}

static dls_vec3 point_of(const dls_ways *ways, const int *joint, int i, const double *q) {
  const dls_place T = dls_frame_of(ways->w, i, dls_ways_q(ways, q, i));
  return dls_v3_add(T.p, dls_m3_apply(&T.R, place_on(ways, joint, i)->p));
}

/* A vector of the world in the axes of a body at q. */
static dls_vec3 in_axes(const dls_ways *ways, int body, const double *q, dls_vec3 v) {
  const dls_place T = dls_frame_of(ways->w, body, dls_ways_q(ways, q, body));
  return dls_m3_apply_t(&T.R, v);
}

/* Body i at q beside its carrier, which goes nowhere yet. */
static dls_hung hung_at_rest(const dls_ways *ways, const int *joint, int i, const double *q) {
  const int carrier = carrier_of(ways, joint, i);
  const double *at = dls_ways_q(ways, q, i);
  const bool planar = ways->w->dim == 2;
  dls_hung of = {.carrier = carrier, .turn = dls_q_identity(), .from = dls_ways_centre(ways, q, i)};
  if (planar) of.angle = at[2];
  else of.turn = dls_q_load(at + 3);
  if (carrier < 0) return of;
  const double *by = dls_ways_q(ways, q, carrier);
  of.from = in_axes(ways, carrier, q,
                    dls_v3_sub(point_of(ways, joint, i, q), dls_ways_centre(ways, q, carrier)));
  of.arm = dls_v3_sub(dls_v3_load(ways->w->bodies[i].com), place_on(ways, joint, i)->p);
  if (planar) of.angle -= by[2];
  else of.turn = dls_q_mul(dls_q_conj(dls_q_load(by + 3)), of.turn);
  return of;
}

/* --- from pose to pose ------------------------------------------------------------------------ */

/* How fast body i turns beside its carrier, in that one's axes. */
static dls_vec3 rate_beside(const dls_ways *ways, int i, int carrier, const double *q,
                            const double *u) {
  const dls_vec3 own = dls_ways_spin(ways, u, i);
  return carrier < 0 ? own
                     : in_axes(ways, carrier, q, dls_v3_sub(own, dls_ways_spin(ways, u, carrier)));
}

/* What is given turns about a fixed axis: where that is, for what went by d from x and turned
** so. */
static void take_axis(const dls_ways *ways, int i, const double *q, dls_vec3 d, dls_hung *of) {
  static const double LITTLE = 1e-6; /* rad */
  const double angle = dls_v3_norm(of->turning);
  double sine, cosine;
  if (!(angle > LITTLE)) return;
  dls_sincos(0.5 * angle, &sine, &cosine);
  if (!(fabs(sine) > LITTLE)) return;
  const dls_vec3 e = dls_v3_scale(1 / angle, of->turning),
                 along = dls_v3_scale(dls_v3_dot(d, e), e);
  const dls_vec3 across = dls_v3_sub(d, along),
                 side = dls_v3_scale(0.5 * cosine / sine, dls_v3_cross(e, across));
  const dls_vec3 off = dls_v3_neg(dls_v3_add(dls_v3_scale(0.5, across), side)); /* from the axis */
  of->from = dls_v3_sub(of->from, off), of->go = along;
  of->arm = in_axes(ways, i, q, off);
}

void dls_ways_hang_between(const dls_ways *ways, const int *joint, const double *q, const double *u,
                           const double *q_n, const double *u_n, double t, dls_hung *hung) {
  const dls_world *w = ways->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    const dls_hung end = hung_at_rest(ways, joint, i, q_n);
    dls_hung *of = &hung[i];
    *of = hung_at_rest(ways, joint, i, q);
    of->go = dls_v3_sub(end.from, of->from);
    const dls_vec3 rates = dls_v3_add(rate_beside(ways, i, of->carrier, q, u),
                                      rate_beside(ways, i, of->carrier, q_n, u_n));
    if (w->dim == 2) of->turning.z = end.angle - of->angle;
    else of->turning = dls_ways_turn(of->turn, end.turn, dls_v3_scale(0.5 * t, rates));
    if (!dls_ways_is_free(ways, i)) take_axis(ways, i, q, of->go, of);
  }
}

void dls_ways_hang_along(const dls_ways *ways, const int *joint, const double *q, const double *u,
                         const double *more, double t, dls_hung *hung) {
  const dls_world *w = ways->w;
  for (int i = 0; i < w->n_bodies; i++) {
    dls_hung *of = &hung[i];
    if (!w->bodies[i].alive) continue;
    *of = hung_at_rest(ways, joint, i, q);
    const int body[2] = {i, of->carrier};
    const dls_vec3 p = of->carrier < 0 ? of->from : point_of(ways, joint, i, q);
    /* of the point on both */
    dls_vec3 v[2] = {{0, 0, 0}, {0, 0, 0}}, spin[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int e = 0; e < 2 && body[e] >= 0; e++) {
      const dls_vec3 arm = dls_v3_sub(p, dls_ways_centre(ways, q, body[e]));
      v[e] = dls_ways_centre_speed(ways, u, body[e]), spin[e] = dls_ways_spin(ways, u, body[e]);
      if (more) v[e] = dls_v3_add(v[e], dls_ways_centre_speed(ways, more, body[e]));
      if (more) spin[e] = dls_v3_add(spin[e], dls_ways_spin(ways, more, body[e]));
      v[e] = dls_v3_add(v[e], dls_v3_cross(spin[e], arm));
    }
    of->go = dls_v3_scale(t, dls_v3_sub(v[0], v[1])),
    of->turning = dls_v3_scale(t, dls_v3_sub(spin[0], spin[1]));
    if (of->carrier < 0) continue;
    of->go = in_axes(ways, of->carrier, q, of->go),
    of->turning = in_axes(ways, of->carrier, q, of->turning);
  }
}

double dls_ways_hung_fastest(const dls_ways *ways, const dls_hung *hung, int i, double beyond) {
  const dls_body *body = &ways->w->bodies[i];
  const bool ball = body->shape->kind == DLS_SHAPE_DISK || body->shape->kind == DLS_SHAPE_SPHERE;
  const double own = !body->shape->bounded ? beyond : ball ? 0 : body->shape->reach;
  double r = own + dls_v3_norm(dls_v3_load(body->com)), most = 0;
  for (int k = i; k >= 0; k = hung[k].carrier) {
    const dls_hung *of = &hung[k];
    const double turn = dls_v3_norm(of->turning), go = dls_v3_norm(of->go);
    r += dls_v3_norm(of->arm);
    most += go + (turn > 0 ? turn * r : 0);
    r += dls_v3_norm(of->from) + go;
  }
  return most;
}

double dls_ways_hung_curve(const dls_ways *ways, const dls_hung *hung, int i) {
  const dls_body *body = &ways->w->bodies[i];
  const bool ball = body->shape->kind == DLS_SHAPE_DISK || body->shape->kind == DLS_SHAPE_SPHERE;
  double r = (ball ? 0 : body->shape->reach) + dls_v3_norm(dls_v3_load(body->com)), v = 0, c = 0;
  for (int k = i; k >= 0; k = hung[k].carrier) {
    const dls_hung *of = &hung[k];
    const double turn = dls_v3_norm(of->turning), go = dls_v3_norm(of->go);
    r += dls_v3_norm(of->arm);
    c += 2 * turn * v + turn * turn * r;
    v += go + turn * r;
    r += dls_v3_norm(of->from) + go;
  }
  return c;
}

/* --- free ways -------------------------------------------------------------------------------- */

/* Whether body i, which joints hold, turns far in the step: its way is then no line. */
static bool turns_far(const dls_ways *ways, int i) {
  static const double FAR = 0.1; /* rad */
  const dls_body *body = &ways->w->bodies[i];
  if (!ways->held[i] || !body->alive || !body->shape) return false;
  const dls_vec3 before = dls_ways_spin(ways, ways->w->u, i),
                 ahead = dls_ways_spin(ways, ways->u_ahead, i);
  if (!(ways->h * dls_max(dls_v3_norm(before), dls_v3_norm(ahead)) > FAR)) return false;
  return ways->h * dls_max(dls_ways_felt(ways, i, ways->w->q, before),
                           dls_ways_felt(ways, i, ways->q_c, ahead)) >
         FAR;
}

dls_status dls_ways_find_arcs(dls_ways *ways) {
  const dls_world *w = ways->w;
  dls_arena *arena = &ways->w->arena;
  const size_t n = (size_t)w->n_bodies;
  bool any = false;
  ways->arcs = NULL;
  for (int i = 0; ways->held && i < w->n_bodies && !any; i++) any = turns_far(ways, i);
  if (!any) return DLS_OK;
  unsigned char *arcs = DLS_TAKE(arena, unsigned char, n),
                *known = DLS_TAKE(arena, unsigned char, n);
  int *joint = DLS_TAKE(arena, int, n);
  dls_hung *early = DLS_TAKE(arena, dls_hung, n), *late = DLS_TAKE(arena, dls_hung, n);
  if (!arcs || !known || !joint || !early || !late)
    return dls_ways_want(ways, n * (2 * sizeof *late + 16));
  dls_ways_find_carriers(ways, joint, known);
  const double middle = (1 - ways->theta) * ways->h;
  dls_ways_hang_between(ways, joint, w->q, w->u, ways->q_c, ways->u_c, middle, early);
  dls_ways_hang_along(ways, joint, ways->q_c, ways->u_ahead, ways->u_off, ways->theta * ways->h,
                      late);
  for (int i = 0; i < w->n_bodies; i++) arcs[i] = turns_far(ways, i);
  for (bool more = true; more;) { /* and who hangs on it */
    more = false;
    for (int i = 0; i < w->n_bodies; i++) {
      const int carrier = carrier_of(ways, joint, i);
      if (carrier >= 0 && arcs[carrier] && !arcs[i]) arcs[i] = 1, more = true;
    }
  }
  ways->arcs = arcs, ways->hung[0] = early, ways->hung[1] = late;
  return DLS_OK;
}

void dls_ways_bend_leg(const dls_ways *ways, int i, int k, dls_leg *leg) {
  const dls_shape *shape = ways->w->bodies[i].shape;
  if (!ways->arcs || !ways->arcs[i] || !shape || !shape->bounded) return;
  leg->hung = ways->hung[k];
  leg->span = leg->to - leg->from;
  leg->fastest = dls_ways_hung_fastest(ways, leg->hung, i, 0) / leg->span;
  leg->curve = dls_ways_hung_curve(ways, leg->hung, i) / (leg->span * leg->span);
}
