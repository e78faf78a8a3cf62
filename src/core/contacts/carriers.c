/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/carriers.h"

#include "core/collide/ellipsoid.h"
#include "core/contacts/wedges.h"
#include "core/math/elementary.h"
#include "core/model/motion.h"
#include "core/rows/mass.h"

/* Bodies that take the dimension d are called with the constants 2 and 3. */

/* Of a body's surface where the normal n meets it, `arm` from its centre, 1/m: cylinders and cones
** are round at their sides, drums hollow at their shells. */
DLS_WITH_NU double curvature_of(int d, const dls_step *S, int i, dls_vec3 arm, dls_vec3 n) {
  /* Cosines: of an end to the axis; of a shell to the way from the axis. */
  static const double END = 0.7, SHELL = 0.999;
  const dls_shape *shape = S->w->bodies[i].shape;
  const double round = shape ? dls_shape_roundness(shape) : 0;
  if (!(round > 0) && !(shape && shape->kind == DLS_SHAPE_DRUM)) return 0;
  const dls_vec3 axis = d == 3 ? dls_m3_column(&S->T3[i].R, 0) : dls_v3(0, 0, 1);
  if (round > 0) {
    const bool cone = shape->kind == DLS_SHAPE_CONE,
               ends = cone || shape->kind == DLS_SHAPE_CYLINDER;
    const double up = dls_v3_dot(n, axis);
    if (ends && fabs(up) > END) return 0;
    const double off = cone ? dls_v3_norm(dls_v3_axpy(arm, -dls_v3_dot(arm, axis), axis)) : round;
    return cone && off > 0 ? sqrt(1 - up * up) / off : 1 / round;
  }
  const dls_vec3 out = dls_v3_axpy(arm, -dls_v3_dot(arm, axis), axis);
  return fabs(dls_v3_dot(n, out)) > SHELL * dls_v3_norm(out) ? -1 / shape->radius : 0;
}

/* Of an ellipsoid, in the coordinates that carried.h names; n to either side. */
static void bend_of(const dls_step *S, int i, dls_vec3 n, double out[3]) {
  const dls_vec3 e = dls_v3_orthogonal(n), g = dls_v3_cross(n, e),
                 semi = S->w->bodies[i].shape->half;
  const dls_mat3 *R = &S->T3[i].R;
  const dls_vec3 m = dls_m3_apply_t(R, n), u = dls_m3_apply_t(R, e), v = dls_m3_apply_t(R, g);
  const dls_vec3 x = dls_ellipsoid_point(semi, m);
  out[0] = dls_ellipsoid_bend(semi, m, x, u, u);
  out[1] = dls_ellipsoid_bend(semi, m, x, u, v);
  out[2] = dls_ellipsoid_bend(semi, m, x, v, v);
}

/* Of what touches something round, by its support map: the least and the largest angle over which
** it is looked at, rad (over SMALL a face is flat to 1e-8 of its curvature: an ellipsoid that
** glides over a floor and does not turn keeps its speed to 1e-9, world_floor_spec, which 1e-4 did
** not), and the radius of a corner, of the reach. */
static const double SMALL = 1e-8, LARGE = 0.5, LEAST = 1e-6;

/* The same of what touches an ellipsoid, on its side along n (out = 1) or against it (-1): by
** differences of its support map, which tell corners, edges and faces apart, over the angle that
** the two turn by, along the way that they roll (w, their relative angular velocity) and across
** it: so the point of contact, which runs along an ellipsoid that is nearly flat by metres a step,
** stays on what touches it. */
static void measure_bend(const dls_step *S, int i, dls_vec3 n, double out, dls_vec3 w,
                         dls_carrier *c) {
  const dls_shape *shape = S->w->bodies[i].shape;
  if (c->ellipsoid || dls_shape_is_hollow(shape) || !shape->bounded) return;
  const dls_mat3 *R = &S->T3[i].R;
  const dls_vec3 e = dls_v3_orthogonal(n), g = dls_v3_cross(n, e), rolls = dls_v3_cross(w, n);
  const dls_vec3 way = dls_v3_norm(rolls) > 0 ? dls_v3_unit(rolls) : e,
                 axis[2] = {way, dls_v3_cross(n, way)}, d = dls_v3_scale(out, n);
  const double turn = dls_clamp(S->theta * S->h * dls_v3_norm(w), SMALL, LARGE);
  double bend[2][2];
  for (int k = 0; k < 2; k++) {
    const dls_vec3 to = dls_m3_apply_t(R, dls_v3_axpy(d, turn, axis[k]));
    const dls_vec3 from = dls_m3_apply_t(R, dls_v3_axpy(d, -turn, axis[k]));
    const dls_vec3 x = dls_shape_support(shape, false, to),
                   y = dls_shape_support(shape, false, from);
    const dls_vec3 went = dls_m3_apply(R, dls_v3_sub(x, y));
    for (int j = 0; j < 2; j++) bend[k][j] = dls_v3_dot(axis[j], went) / (2 * turn);
  }
  const double most = sqrt(dls_max(bend[0][0] * bend[1][1], 0)),
               along = bend[0][0] + LEAST * shape->reach,
               across = bend[1][1] + LEAST * shape->reach,
               mixed = dls_clamp(0.5 * (bend[0][1] + bend[1][0]), -most, most);
  const double x = dls_v3_dot(way, e), y = dls_v3_dot(way, g);
  c->measured = c->runs = true;
  c->bend[0] = x * x * along - 2 * x * y * mixed + y * y * across;
  c->bend[1] = x * y * (along - across) + (x * x - y * y) * mixed;
  c->bend[2] = y * y * along + 2 * x * y * mixed + x * x * across;
}

/* The same in the plane: its curvature is a number. */
static void measure_curvature(const dls_step *S, int i, dls_vec3 n, double out, dls_vec3 w,
                              dls_carrier *c) {
  const dls_shape *shape = S->w->bodies[i].shape;
  if (shape->kind == DLS_SHAPE_DRUM || !shape->bounded) return;
  const dls_vec2 along = dls_pose2_turn_back(&S->T2[i], dls_v2(-n.y, n.x));
  const dls_vec2 d = dls_pose2_turn_back(&S->T2[i], dls_v2(out * n.x, out * n.y));
  const double turn = dls_clamp(S->theta * S->h * dls_v3_norm(w), SMALL, LARGE),
               t_x = turn * along.x, t_y = turn * along.y;
  const dls_vec3 x = dls_shape_support(shape, true, dls_v3(d.x + t_x, d.y + t_y, 0));
  const dls_vec3 y = dls_shape_support(shape, true, dls_v3(d.x - t_x, d.y - t_y, 0));
  const double went = along.x * (x.x - y.x) + along.y * (x.y - y.y);
  c->runs = true;
  c->curvature = 1 / (dls_max(went, 0) / (2 * turn) + LEAST * shape->reach);
}

DLS_WITH_NU void measure(int d, const dls_step *S, int i, dls_vec3 n, double out, dls_vec3 w,
                         dls_carrier *c) {
  if (d == 2) measure_curvature(S, i, n, out, w, c);
  else measure_bend(S, i, n, out, w, c);
}

/* Whether the point of contact runs along an ellipsoid, or what is given, round and so large that
** this is a good share of what touches it and has no curvature of its own, as they turn by an
** angle. Free bodies that meet are not driven apart. */
static bool runs_along(const dls_carrier *round, const dls_carrier *other, double angle) {
  static const double SHARE = 0.01; /* of the reach */
  const bool flat = !other->ellipsoid && !(other->curvature > 0);
  if (round->ellipsoid) return flat;
  return round->given && round->curvature > 0 && flat &&
         angle > SHARE * other->reach * round->curvature;
}

/* Whether a cylinder touches by one point of its rim, tilted, and there by its farthest point along
** n (out = 1) or against it (-1): arm, from its mass centre. In piles it has no shift. */
static bool on_rim(const dls_step *S, const dls_contact_stage *C, int i, dls_vec3 arm, dls_vec3 n,
                   double out) {
  /* Cosines: of the tilt, between lying and standing; of the farthest point to the one here. */
  static const double LIES = 0.05, STANDS = 0.9999, HERE = 0.9999;
  const dls_body *body = &S->w->bodies[i];
  const bool cylinder = body->shape && body->shape->kind == DLS_SHAPE_CYLINDER;
  if (!cylinder || !dls_moves_freely(body) || C->crowded[i]) return false;
  const dls_vec3 axis = dls_m3_column(&S->T3[i].R, 0), d = dls_v3_scale(out, n);
  const double up = dls_v3_dot(d, axis);
  if (!(fabs(up) > LIES && fabs(up) < STANDS)) return false;
  const dls_vec3 to = dls_v3_axpy(d, -up, axis),
                 off = dls_v3_axpy(arm, -dls_v3_dot(arm, axis), axis);
  return dls_v3_dot(to, off) > HERE * dls_v3_norm(to) * body->shape->radius;
}

/* Its bend there, in the coordinates that carried.h names: that of the rim. */
static void bend_of_rim(const dls_step *S, int i, dls_vec3 n, dls_carrier *c) {
  const dls_shape *shape = S->w->bodies[i].shape;
  const dls_vec3 e = dls_v3_orthogonal(n), g = dls_v3_cross(n, e),
                 along = dls_v3_cross(dls_m3_column(&S->T3[i].R, 0), n);
  const double across = dls_v3_norm(along), x = dls_v3_dot(e, along) / across,
               y = dls_v3_dot(g, along) / across, r = shape->radius / across;
  c->measured = c->runs = true;
  c->bend[0] = r * x * x + LEAST * shape->reach, c->bend[1] = r * x * y;
  c->bend[2] = r * y * y + LEAST * shape->reach;
}

/* Whether the curvature differs from point to point: what rolls so goes by arms that change with
** the normal. */
static inline bool is_uneven(const dls_body *body) {
  return body->shape &&
         (body->shape->kind == DLS_SHAPE_ELLIPSOID || body->shape->kind == DLS_SHAPE_CONE);
}

static inline bool is_ellipsoid(const dls_body *body) {
  return body->shape && body->shape->kind == DLS_SHAPE_ELLIPSOID;
}

/* How the angular velocity of a free body changes while its angular momentum L stays: J dw/dt = L x
** w. */
static dls_vec3 turning_rate(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const double *q = DLS_Q(S, S->q_c, i), *u = DLS_U(S, S->u_c, i);
  return dls_angular_rate(body, q,
                          dls_v3_cross(dls_angular_momentum(body, q, u), dls_turn_of(3, u)));
}

/* Whether a body is straight along its axis, a cone along a line of its side, where it is curved
** and the normal n meets it, `arm` from its mass centre: capsules between their ends. n is at 44
** degrees to the axis at least (END, SHELL of curvature_of). */
static bool is_straight(const dls_step *S, int i, dls_vec3 arm, dls_vec3 n, dls_vec3 *axis) {
  const dls_body *body = &S->w->bodies[i];
  const dls_shape *shape = body->shape;
  if (!shape || (shape->kind != DLS_SHAPE_CYLINDER && shape->kind != DLS_SHAPE_DRUM &&
                 shape->kind != DLS_SHAPE_CAPSULE && shape->kind != DLS_SHAPE_CONE))
    return false;
  const dls_vec3 x = dls_m3_column(&S->T3[i].R, 0), from = dls_v3_add(arm, dls_v3_sub(
      dls_point_of(3, DLS_Q(S, S->q_c, i)), S->T3[i].p));
  const double beyond = fabs(dls_v3_dot(from, x)) - shape->half.x;
  if (shape->kind == DLS_SHAPE_CAPSULE && beyond > DLS_CLOSED * shape->reach) return false;
  const dls_vec3 flat = dls_v3_axpy(x, -dls_v3_dot(x, n), n);
  *axis = dls_v3_scale(1 / dls_v3_norm(flat), flat);
  return true;
}

/* Body i as dls_carried_shift() sees it. */
DLS_WITH_NU void carrier_of(int d, const dls_step *S, int i, dls_vec3 arm, dls_vec3 n,
                            dls_carrier *c) {
  const dls_body *body = &S->w->bodies[i];
  const double *u = DLS_U(S, S->u_c, i);
  c->given = !dls_moves_freely(body);
  c->arm = arm, c->v = dls_point_of(d, u), c->w = dls_turn_of(d, u);
  c->curvature = curvature_of(d, S, i, arm, n);
  c->ellipsoid = d == 3 && is_ellipsoid(body), c->measured = c->runs = false;
  c->reach = body->shape && body->shape->bounded ? body->shape->reach : DLS_INF;
  if (c->ellipsoid) bend_of(S, i, n, c->bend);
  c->ruled = d == 3 && c->curvature != 0 && is_straight(S, i, arm, n, &c->axis);
  if (!c->given) return; /* what is given is not read then */
  c->v_end = c->v, c->w_end = c->w, c->way = dls_v3_scale(S->theta * S->h, c->v);
  if (!dls_is_prescribed(S, i)) return;
  c->v_end = dls_point_of(d, DLS_U(S, S->u_end, i)),
  c->w_end = dls_turn_of(d, DLS_U(S, S->u_end, i));
  c->way = dls_v3_sub(dls_point_of(d, DLS_Q(S, S->q_end, i)), dls_point_of(d, DLS_Q(S, S->q_c, i)));
}

/* What is stated by hand is a point against a plane, whatever shapes the bodies have, or none. */
static void forget_shape(dls_carrier *c) { c->ellipsoid = c->ruled = false, c->curvature = 0; }

/* Whether what stands still is round where it is touched, by a body that touches no other free one
** and that no joint holds: its way bends, a marble's in a bowl. Where more hold it, J u is not what
** it does. */
DLS_WITH_NU bool rounds_still(int d, const dls_step *S, const dls_contact_stage *C,
                              const dls_meeting *meet) {
  const bool b_free = dls_moves_freely(&S->w->bodies[meet->b]);
  const int own = b_free ? meet->b : meet->a, other = b_free ? meet->a : meet->b;
  return S->theta == 0.5 && !meet->by_hand && !C->crowded[own] && !S->held[own] &&
         curvature_of(d, S, other, b_free ? meet->r_a : meet->r_b, meet->n) != 0;
}

/* Whether a round free body that touches others lies on one that is given: whose number, or -1. */
static int lies_on(const dls_step *S, const dls_contact_stage *C, int a, int b) {
  const bool a_free = dls_moves_freely(&S->w->bodies[a]),
             b_free = dls_moves_freely(&S->w->bodies[b]);
  const int own = a_free ? a : b;
  const bool round = S->dim == 2 ? S->w->bodies[own].disk_radius > 0 : S->rod[own].r > 0;
  return a_free != b_free && round && C->crowded[own] ? a + b - own : -1;
}

bool dls_turns_as_one(const dls_step *S, const dls_contact_stage *C, int a, int b) {
  const int given = lies_on(S, C, a, b);
  return given >= 0 && dls_wedges_others(S, C, given);
}

/* How two bodies meet, as far as shifts ask. */
typedef struct meeting_kind {
  bool free;         /* both move freely                                              */
  bool lasts;        /* they touched in the last step                                 */
  bool rim_a, rim_b; /* a cylinder's rim touches what is given                        */
  bool uneven;       /* one rolls by arms that change with the normal                 */
  bool still;        /* one stands still, and nothing is uneven                       */
} meeting_kind;

DLS_WITH_NU meeting_kind kind_of(int d, const dls_step *S, const dls_contact_stage *C,
                                 const dls_meeting *meet) {
  const dls_body *a = &S->w->bodies[meet->a], *b = &S->w->bodies[meet->b];
  const bool rims = d == 3 && !meet->by_hand;
  meeting_kind e = {.free = dls_moves_freely(a) && dls_moves_freely(b),
                 .lasts = meet->before && meet->before->listed};
  e.rim_a = rims && !dls_moves_freely(b) && on_rim(S, C, meet->a, meet->r_a, meet->n, 1);
  e.rim_b = rims && !dls_moves_freely(a) && on_rim(S, C, meet->b, meet->r_b, meet->n, -1);
  e.uneven = !meet->by_hand && (e.rim_a || e.rim_b || is_uneven(a) || is_uneven(b));
  e.still = (a->type == DLS_STATIC || b->type == DLS_STATIC) && !e.uneven;
  return e;
}

/* Whether there is a shift. */
DLS_WITH_NU bool is_carried(int d, const dls_step *S, const dls_contact_stage *C,
                            const dls_meeting *meet, const meeting_kind *e) {
  const dls_body *a = &S->w->bodies[meet->a], *b = &S->w->bodies[meet->b];
  const bool disks = d == 2 ? a->disk_radius > 0 && b->disk_radius > 0
                            : (S->rod[meet->a].r > 0) & (S->rod[meet->b].r > 0);
  if (e->still && !rounds_still(d, S, C, meet)) return false;
  return !meet->first && !(e->free && (disks || meet->by_hand || !e->lasts));
}

/* What of the shift a given body's velocity gains until the end. */
static dls_carried gain_of(const dls_step *S, const dls_contact_stage *C, const dls_meeting *meet) {
  if (!dls_moves_freely(&S->w->bodies[meet->b]))
    return dls_together_gain(S, C, meet->b, meet->r_b);
  const dls_carried by = dls_together_gain(S, C, meet->a, meet->r_a);
  return (dls_carried){dls_v3_scale(-1, by.shift), dls_v3_scale(-1, by.turn)};
}

DLS_WITH_NU void carriers_of(int d, const dls_step *S, const dls_meeting *meet,
                             const meeting_kind *e, dls_carrier *from, dls_carrier *to) {
  carrier_of(d, S, meet->a, meet->r_a, meet->n, from);
  carrier_of(d, S, meet->b, meet->r_b, meet->n, to);
  from->rate = to->rate = dls_v3(0, 0, 0);
  const dls_vec3 turn = dls_v3_sub(to->w, from->w);
  const double angle = S->theta * S->h * dls_v3_norm(turn);
  if (meet->by_hand) forget_shape(from), forget_shape(to);
  else if (e->rim_a) bend_of_rim(S, meet->a, meet->n, from);
  else if (e->rim_b) bend_of_rim(S, meet->b, meet->n, to);
  else if (runs_along(to, from, angle)) measure(d, S, meet->a, meet->n, 1, turn, from);
  else if (runs_along(from, to, angle)) measure(d, S, meet->b, meet->n, -1, turn, to);
  if (e->uneven && !from->given) from->rate = turning_rate(S, meet->a);
  if (e->uneven && !to->given) to->rate = turning_rate(S, meet->b);
}

/* What of a shift along the normal there is: of an impact, faster than what turns, what a given
** motion gains; nothing that drives free bodies apart, nor in piles; beside what stands still no
** more than it came with. */
static double left_along(const dls_step *S, const dls_contact_stage *C, const dls_meeting *meet,
                         const meeting_kind *e, const dls_carrier *from, const dls_carrier *to,
                         double along) {
  double left = along;
  if (!e->lasts && fabs(meet->v_before) > 2 * fabs(along))
    left = dls_v3_dot(dls_v3_sub(dls_carrier_gain(to), dls_carrier_gain(from)), meet->n);
  const bool drives = e->free && -along * S->theta * S->h > dls_closed(S, meet->size);
  if (drives || meet->curved || lies_on(S, C, meet->a, meet->b) >= 0) left = 0;
  if (!e->still) return left;
  return dls_clamp(left, dls_min(meet->v_before, 0), dls_max(meet->v_before, 0));
}

DLS_WITH_NU dls_carried carried_by(int d, const dls_step *S, const dls_contact_stage *C,
                                   const dls_meeting *meet) {
  const meeting_kind e = kind_of(d, S, C, meet);
  if (!is_carried(d, S, C, meet, &e))
    return (dls_carried){dls_v3_scale(meet->rate_gain, meet->n), {0, 0, 0}};
  if (!meet->by_hand && dls_turns_as_one(S, C, meet->a, meet->b)) return gain_of(S, C, meet);
  dls_carrier from, to;
  carriers_of(d, S, meet, &e, &from, &to);
  dls_carried by = dls_carried_shift(&from, &to, meet->n, S->theta * S->h);
  const double along = dls_v3_dot(by.shift, meet->n),
               left = left_along(S, C, meet, &e, &from, &to, along);
  if (left != along) by.shift = dls_v3_axpy(by.shift, left - along, meet->n);
  by.shift = dls_v3_axpy(by.shift, meet->rate_gain, meet->n);
  return by;
}

dls_carried dls_carried_by(const dls_step *S, const dls_contact_stage *C, const dls_meeting *meet) {
  return S->dim == 2 ? carried_by(2, S, C, meet) : carried_by(3, S, C, meet);
}
