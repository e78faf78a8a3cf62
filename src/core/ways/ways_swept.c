/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways_swept.h"

#include "core/model/material.h"
#include "core/model/motion.h"
#include "core/ways/ways_hung.h"
#include "core/ways/ways_meet.h"
#include "core/ways/ways_parts.h"

/* All bodies between two poses. */
typedef struct sweep {
  const dls_ways *ways; /* of the step */
  const dls_ways_outcome *out; /* of the solve */
  dls_hung *hung;      /* n_bodies                                              */
  int *joint;          /* n_bodies: by which it hangs on its carrier, -1: none  */
  unsigned char *far;  /* n_bodies: it turned far, or hangs on who did          */
  unsigned char *known; /* n_bodies: joints lead to it                          */
} sweep;

/* --- who turned far --------------------------------------------------------------------------- */

/* How far body i turned in the step, by its velocities and by its poses, rad. */
static double turned_by(const dls_ways *ways, const dls_ways_outcome *out, int i) {
  const double *from = dls_ways_q(ways, ways->w->q, i), *to = dls_ways_q(ways, out->q_n, i);
  const dls_vec3 none = dls_v3(0, 0, 0);
  const dls_vec3 went = ways->w->dim == 2
                            ? dls_v3(0, 0, to[2] - from[2])
                            : dls_ways_turn(dls_q_load(from + 3), dls_q_load(to + 3), none);
  const double before =
      dls_ways_felt(ways, i, ways->w->q, dls_v3_scale(ways->h, dls_ways_spin(ways, ways->w->u, i)));
  const double after =
      dls_ways_felt(ways, i, out->q_n, dls_v3_scale(ways->h, dls_ways_spin(ways, out->u, i)));
  return dls_max(dls_max(before, after), dls_ways_felt(ways, i, ways->w->q, went));
}

/* Whether it can have turned by more than `least`, by numbers at hand. */
static bool may_have_turned(const dls_ways *ways, const dls_ways_outcome *out, int i,
                            double least) {
  const int first = ways->w->dim;
  const double *u = dls_ways_u(ways, ways->w->u, i), *v = dls_ways_u(ways, out->u, i);
  const double *q = dls_ways_q(ways, ways->w->q, i), *to = dls_ways_q(ways, out->q_n, i);
  double most = 0, apart = 0;
  for (int k = first; k < (int)dls_nu_of(ways->w); k++)
    most = dls_max(most, dls_max(fabs(u[k]), fabs(v[k])));
  for (int k = first; k < (int)dls_nq_of(ways->w); k++) apart = dls_max(apart, fabs(to[k] - q[k]));
  return 2 * ways->h * most > least || 4 * apart > least;
}

/* Marks who turned by more than `least` of those that joints hold and, if `given`, that are given;
** how many. */
static int mark_far(const sweep *s, double least, bool given, double *turned) {
  const dls_world *w = s->ways->w;
  int n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    s->far[i] = 0;
    if (!may_have_turned(s->ways, s->out, i, least)) continue;
    if (!body->alive || !body->shape || body->type == DLS_STATIC) continue;
    if (body->type == DLS_DYNAMIC ? !s->known[i] : !given) continue;
    const double by = turned_by(s->ways, s->out, i);
    if (!(by > least)) continue;
    *turned = dls_max(*turned, by);
    s->far[i] = 1, n++;
  }
  return n;
}

/* Bodies that a joint carries from one that turned far go far, too. */
static void spread_far(const sweep *s) {
  const dls_world *w = s->ways->w;
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < w->n_bodies; i++) {
      const int carrier = w->bodies[i].alive ? s->hung[i].carrier : -1;
      if (carrier >= 0 && s->far[carrier] && !s->far[i]) s->far[i] = 1, more = true;
    }
  }
}

static dls_way swept_way(const sweep *s, int i, double beyond) {
  const dls_body *body = &s->ways->w->bodies[i];
  dls_way way = dls_way_blank(body->shape, dls_v3_load(body->com), s->ways->w->dim == 2, i);
  way.n = 1;
  way.leg[0] = (dls_leg){.from = 0, .to = 1, .span = 1, .turn = dls_q_identity(), .hung = s->hung,
                         .fastest = dls_ways_hung_fastest(s->ways, s->hung, i, beyond)};
  way.leg[0].curve = body->shape->bounded ? dls_ways_hung_curve(s->ways, s->hung, i) : DLS_INF;
  return way;
}

/* --- the judgement ---------------------------------------------------------------------------- */

static dls_status judge_pair(const sweep *s, int i, int j, bool *passed) {
  const dls_ways *ways = s->ways;
  const int a = i < j ? i : j, b = i < j ? j : i;
  const dls_shape *x = ways->w->bodies[a].shape, *y = ways->w->bodies[b].shape;
  if (!x->bounded && !y->bounded) return DLS_OK;
  const double apart = dls_v3_norm(
      dls_v3_sub(dls_ways_centre(ways, ways->w->q, b), dls_ways_centre(ways, ways->w->q, a)));
  const double beyond_a =
      y->bounded ? apart + y->reach + dls_ways_hung_fastest(ways, s->hung, b, 0) : 0;
  const double beyond_b =
      x->bounded ? apart + x->reach + dls_ways_hung_fastest(ways, s->hung, a, 0) : 0;
  const dls_way way_a = swept_way(s, a, beyond_a), way_b = swept_way(s, b, beyond_b);
  dls_pursuit pair = dls_ways_pursuit(ways, a, b, &way_a, &way_b);
  const dls_status status = dls_ways_pass_lasting(ways, &pair, a, b, 0, DLS_SUNK);
  if (status != DLS_OK) return status;
  pair.leeway = DLS_SUNK * pair.thickness;
  const dls_pursued met = dls_pursue(&pair, 0, 1);
  dls_work_pay_way(&ways->w->work, pair.looks, pair.most);
  *passed = met == DLS_PURSUED_TOUCH;
  return met == DLS_PURSUED_ROOM ? dls_ways_want_touches(ways, pair.n) : DLS_OK;
}

/* Body i against all that it came near to; of two that went far the first asks. */
static dls_status judge_body(const sweep *s, const dls_ways_near *near, int i, bool *passed) {
  const dls_ways *ways = s->ways;
  int n = 0;
  const int *body = dls_ways_near_to(ways, near, i, &n);
  for (int k = 0; k < n && !*passed; k++) {
    const int j = body[k];
    if ((j < i && s->far[j]) || !dls_ways_may_meet(ways, s->out, i, j)) continue;
    if (dls_world_material(ways->w, i, j).stiffness < DLS_INF) continue; /* what is soft sinks in */
    if (!dls_ways_is_free(ways, i) && !dls_ways_is_free(ways, j)) continue;
    const dls_status status = judge_pair(s, i, j, passed);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

static dls_status judge_all(const sweep *s, int asked, bool *passed) {
  dls_ways_near near = {0};
  dls_status status = dls_ways_find_near(s->ways, s->out, asked, &near);
  for (int i = 0; i < s->ways->w->n_bodies && status == DLS_OK && !*passed; i++)
    if (s->far[i] && s->ways->w->bodies[i].shape) status = judge_body(s, &near, i, passed);
  return status;
}

/* Whether anybody can have turned far of those that are asked: without joints what does not move
** freely. */
static bool may_any(const dls_ways *ways, const dls_ways_outcome *out, double least) {
  const dls_world *w = ways->w;
  const bool joined = w->n_joints > 0;
  for (int i = 0; i < w->n_bodies; i++)
    if ((joined || !dls_is_free(w, i)) && may_have_turned(ways, out, i, least)) return true;
  return false;
}

dls_status dls_ways_judge(dls_ways *ways, const dls_ways_outcome *out, double least, bool given,
                          dls_ways_verdict *verdict) {
  const dls_world *w = ways->w;
  dls_arena *arena = &ways->w->arena;
  const size_t mark = dls_arena_mark(arena), n = (size_t)w->n_bodies;
  *verdict = (dls_ways_verdict){.passed = false};
  if (!may_any(ways, out, least)) return DLS_OK;
  sweep s = {.ways = ways, .out = out, .hung = DLS_TAKE(arena, dls_hung, n),
             .joint = DLS_TAKE(arena, int, n), .far = DLS_TAKE(arena, unsigned char, n),
             .known = DLS_TAKE(arena, unsigned char, n)};
  if (!s.hung || !s.joint || !s.far || !s.known)
    return dls_ways_want(ways, n * (sizeof *s.hung + 16));
  dls_ways_find_carriers(ways, s.joint, s.known);
  dls_status status = DLS_OK;
  const int far = mark_far(&s, least, given, &verdict->turned);
  if (far > 0) {
    dls_ways_hang_between(ways, s.joint, w->q, w->u, out->q_n, out->u, ways->h, s.hung);
    spread_far(&s);
    status = judge_all(&s, far, &verdict->passed);
  }
  dls_arena_release(arena, mark);
  return status;
}
