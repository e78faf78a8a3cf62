/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways_parts.h"

#include "core/base/sort.h"
#include "core/math/elementary.h"
#include "core/model/body.h"
#include "core/model/joint.h"
#include "core/model/motion.h"
#include "core/ways/ways_meet.h"

/* Where bodies end that a touch stopped, q' = q_c (+) theta h u' (+) (1 - theta - s) h (u' - u_f)
** (ways.h), and what they push; who would sink in behind that waits at its first touch. */

/* Moves a body at q_n by s u, its angular momentum kept; the energy that adds. What joints hold
** is charged for its turning once all bodies stand (joints/admit.h). */
static void displace(const dls_ways *ways, const dls_ways_outcome *out, int i, double s,
                     const double *u) {
  const dls_world *w = ways->w;
  const dls_body *body = &w->bodies[i];
  double *q = out->q_n + (size_t)i * dls_nq_of(w), *end = out->u_n + (size_t)i * dls_nu_of(w);
  double rise = 0;
  for (int k = 0; k < w->dim; k++) rise -= body->mass * w->gravity[k] * s * u[k];
  if (w->dim == 2) {
    dls_drift_2(q, s, u);
  } else {
    const dls_vec3 L = dls_angular_momentum(body, q, end);
    const double was = dls_v3_dot(L, dls_v3_load(end + 3));
    dls_drift_3(q, s, u);
    const dls_vec3 rate = dls_angular_rate(body, q, L);
    const double is = dls_v3_dot(L, rate);
    /* A turn that a step does not resolve may lead to more energy than there was: never. */
    const double scale = is > was && was > 0 ? sqrt(was / is) : 1;
    if (body->mass > 0) dls_v3_store(end + 3, dls_v3_scale(scale, rate));
    if (!ways->held || !ways->held[i]) rise += 0.5 * (scale * scale * is - was);
  }
  *out->correction += rise;
  *out->moved = true;
}

/* What rows pressed together starts with the touch that pressed it. */
static void spread_stops(const dls_ways *ways, const dls_ways_outcome *out, double *stop) {
  bool more = true;
  for (int turn = 0; more && turn <= ways->w->n_bodies; turn++) {
    more = false;
    for (int k = 0; k < out->n_links; k++) {
      const int a = out->ends[2 * k], b = out->ends[2 * k + 1];
      if (!dls_ways_is_free(ways, a) || !dls_ways_is_free(ways, b)) continue;
      if (!(stop[a] < DLS_INF) == !(stop[b] < DLS_INF)) continue;
      stop[a] = stop[b] = dls_min(stop[a], stop[b]);
      more = true;
    }
  }
}

/* Where a body waits for the end of the step: from the share `until` of it on, at rest or along
** with the surface of a body whose motion is given (carrier; -1: none), which it met, or which is
** near where nothing at rest is: a vehicle takes along who meets in it. */
typedef struct wait {
  double until; /* >= 1: it does not wait */
  int carrier;  /* body */
  int turn;     /* of hold_back, in which this was found; 0: before */
} wait;

/* The rest of a way goes along with the carrier. */
static void go_along(const dls_ways *ways, dls_way *way, const wait *at) {
  const int d = ways->w->dim;
  const double *q = dls_ways_q(ways, ways->q_c, at->carrier),
               *u = dls_ways_u(ways, ways->u_c, at->carrier);
  dls_leg rest = {.from = at->until, .to = 1};
  dls_way_at(way, at->until, &rest.x, &rest.turn, &rest.angle);
  const dls_vec3 w = d == 3 ? dls_v3_load(u + 3) : dls_v3(0, 0, u[2]);
  const dls_vec3 centre = dls_v3(q[0], q[1], d == 3 ? q[2] : 0),
                 v = dls_v3(u[0], u[1], d == 3 ? u[2] : 0);
  /* q_c is where the carrier is at 1 - theta */
  const double since = (at->until - (1 - ways->theta)) * ways->h;
  const dls_vec3 arm = dls_v3_sub(rest.x, dls_v3_axpy(centre, since, v));
  rest.v = dls_v3_scale(ways->h, dls_v3_add(v, dls_v3_cross(w, arm)));
  rest.w = dls_v3_scale(ways->h, w);
  int n = 0;
  while (n < way->n && way->leg[n].from < at->until) n++;
  if (n > 0) way->leg[n - 1].to = at->until;
  way->n = n;
  way->leg[way->n++] = rest;
}

/* The way that a body went: free until its stop, then to q_n; in the end it may wait. */
static dls_way way_taken(const dls_ways *ways, const dls_ways_outcome *out, int i,
                         const double *stop, wait at) {
  const bool moves = dls_ways_is_free(ways, i);
  const double s = stop && stop[i] < DLS_INF ? stop[i] : 1 - ways->theta;
  dls_way way = dls_ways_free_until(ways, i, 0, moves ? s : 1);
  const double *q = dls_ways_q(ways, out->q_n, i);
  if (!moves) return way;
  const int d = ways->w->dim;
  dls_leg last = {.from = s, .to = 1};
  dls_way_at(&way, s, &last.x, &last.turn, &last.angle);
  const bool stands = stop && stop[i] < DLS_INF && dls_ways_stops(ways, i);
  const double *from = stands ? dls_ways_q(ways, ways->stand, i) : dls_ways_q(ways, ways->q_c, i);
  if (stands) dls_ways_set_out(ways, from, &last);
  int n = 0;
  while (n < way.n && way.leg[n].from < s) n++;
  if (n > 0) way.leg[n - 1].to = s;
  way.n = n;
  if (last.to - last.from > DLS_AT_ONCE) {
    const double *u = dls_ways_u(ways, out->u, i);
    dls_ways_lead_to(ways, q, u, &last);
    const bool moved = stop && stop[i] < DLS_INF; /* by its stop, if it does not stand there */
    const bool far = d == 3 && dls_turns_far(&ways->w->bodies[i], dls_ways_u(ways, ways->w->u, i),
                                             s * ways->h, u, (1 - s) * ways->h);
    if (stands || (far && !moved)) dls_ways_tumble(ways, i, from, u, &way, &last);
    way.leg[way.n++] = last;
  }
  if (at.until < 1 && at.carrier >= 0) go_along(ways, &way, &at);
  else way.until = at.until;
  return way;
}

/* A meeting behind the first touches. */
typedef struct later {
  int a, b;   /* bodies, a < b */
  double at;  /* DLS_INF: none */
} later;

typedef struct going {
  const dls_ways_outcome *out; /* of the solve */
  const double *stop;  /* NULL: nobody's */
  wait *until;         /* a body */
  dls_course **taken;  /* a body: its way, once asked for; NULL before; tubes in space alone */
  double *share;       /* a body: scratch */
  unsigned char *suspect; /* a body: 1, who goes another way than was followed */
  dls_ways_near near;     /* pairs that may meet */
  later *met;             /* room: meetings */
  int n, room;            /* of met */
  int turn; /* of hold_back, from 1 on */
} going;

/* Of the smaller thickness: what goes on into a body that waits. */
static const double WAITING = 1e-4;

/* The way that body i really goes, of which many pairs ask. */
static dls_status take_course(const dls_ways *ways, const going *g, int i,
                              const dls_course **course) {
  const dls_status status = dls_ways_take_course(ways, g->taken, i);
  *course = g->taken[i];
  if (status != DLS_OK || g->taken[i]->known) return status;
  dls_course *of = g->taken[i];
  of->known = true, of->way = way_taken(ways, g->out, i, g->stop, g->until[i]);
  if (ways->w->dim == 3) of->tube = dls_tube_of(&of->way);
  return DLS_OK;
}

/* The first touch of a pair from s on, as it really goes. Parts that touch already may sink in by
** DLS_SUNK, but nothing, slow or swift, goes into a body that waits: the projection, which does not
** know whom that met, would push it there. */
static dls_status look_later(const dls_ways *ways, const going *g, later *m, double from) {
  const wait *a_waits = &g->until[m->a], *b_waits = &g->until[m->b];
  const dls_course *on_a, *on_b;
  m->at = DLS_INF;
  dls_status status = take_course(ways, g, m->a, &on_a);
  if (status == DLS_OK) status = take_course(ways, g, m->b, &on_b);
  if (status != DLS_OK) return status;
  if (ways->w->dim == 3 && dls_ways_are_apart(on_a, on_b)) return DLS_OK;
  const dls_way *a = &on_a->way, *b = &on_b->way;
  dls_pursuit pair = dls_ways_pursuit(ways, m->a, m->b, a, b);
  const bool waits = dls_min(a_waits->until, b_waits->until) <= from;
  const double sunk = waits ? WAITING : DLS_SUNK;
  if (!(dls_ways_relative(a, b, pair.size) > (waits ? WAITING : DLS_SWIFT) * pair.thickness))
    return DLS_OK;
  const dls_swift *swift = dls_ways_known(ways, &g->near, m->a, m->b);
  /* Behind their first touch, if none waits before; until there they were followed. */
  const bool touched =
      swift && swift->first && swift->at <= dls_min(a_waits->until, b_waits->until);
  if (touched) from = dls_max(from, swift->at);
  status = dls_ways_pass_lasting(ways, &pair, m->a, m->b, from, sunk);
  for (int j = 0; status == DLS_OK && swift && j < swift->n_lasting; j++)
    if (!dls_pursuit_pass(&pair, swift->lasting[j])) status = dls_ways_want_touches(ways, 0);
  for (int j = 0; status == DLS_OK && touched && j < swift->n; j++)
    if (!dls_pursuit_pass(&pair, swift->touch[j].part)) status = dls_ways_want_touches(ways, 0);
  bool met = false;
  if (status == DLS_OK)
    status = dls_ways_pursue(ways, &pair, m->a, m->b, from, sunk * pair.thickness, true, &met);
  if (met) m->at = pair.at;
  return status;
}

bool dls_ways_may_meet(const dls_ways *ways, const dls_ways_outcome *out, int i, int j) {
  const dls_body *a = &ways->w->bodies[i], *b = &ways->w->bodies[j];
  /* a wide skin finds what has no shape, too */
  if (!a->shape || !b->shape || a->sensor || b->sensor) return false;
  if (!dls_bodies_meet(ways->w, i, j)) return false;
  if (ways->apart(ways->of, i < j ? i : j, i < j ? j : i)) return false;
  const int d = ways->w->dim;
  const double *x = dls_ways_q(ways, ways->w->q, i), *y = dls_ways_q(ways, ways->w->q, j);
  const double *x_n = dls_ways_q(ways, out->q_n, i), *y_n = dls_ways_q(ways, out->q_n, j);
  double d2 = 0, way_a = 0, way_b = 0;
  for (int k = 0; k < d; k++) {
    d2 += (y[k] - x[k]) * (y[k] - x[k]);
    way_a += dls_max((x_n[k] - x[k]) * (x_n[k] - x[k]), ways->h * ways->h *
                                                            dls_ways_u(ways, ways->w->u, i)[k] *
                                                            dls_ways_u(ways, ways->w->u, i)[k]);
    way_b += dls_max((y_n[k] - y[k]) * (y_n[k] - y[k]), ways->h * ways->h *
                                                            dls_ways_u(ways, ways->w->u, j)[k] *
                                                            dls_ways_u(ways, ways->w->u, j)[k]);
  }
  const double reach = a->shape->reach + dls_v3_norm(dls_v3_load(a->com)) + b->shape->reach +
                       dls_v3_norm(dls_v3_load(b->com));
  return sqrt(d2) <= reach + 2 * (sqrt(way_a) + sqrt(way_b));
}

/* Notes all later meetings of body i; those with other suspects only once. */
static dls_status add_meetings(const dls_ways *ways, going *g, int i, double from) {
  int n = 0;
  const int *near = dls_ways_near_to(ways, &g->near, i, &n);
  for (int k = 0; k < n; k++) {
    const int j = near[k];
    if ((j < i && g->suspect[j]) || !dls_ways_may_meet(ways, g->out, i, j)) continue;
    if (g->n == g->room) return dls_ways_want(ways, 2 * (size_t)g->room * sizeof *g->met);
    later *m = &g->met[g->n];
    *m = (later){.a = i < j ? i : j, .b = i < j ? j : i};
    const dls_status status = look_later(ways, g, m, from);
    if (status != DLS_OK) return status;
    g->n++;
  }
  return DLS_OK;
}

static void set_wait(going *g, int i, wait at) {
  g->until[i] = (wait){at.until, at.carrier, g->turn};
  if (g->taken[i]) g->taken[i]->known = false;
}

/* The body that i, which met another, waits along with; -1: it waits at rest. */
static int find_carrier(const dls_ways *ways, const going *g, int i, int other) {
  const dls_body *bodies = ways->w->bodies;
  if (!dls_ways_is_free(ways, other)) return bodies[other].type == DLS_KINEMATIC ? other : -1;
  int n, found = -1;
  const int *near = dls_ways_near_to(ways, &g->near, i, &n);
  for (int k = 0; k < n; k++) {
    const dls_body *body = &bodies[near[k]];
    if (!body->alive || !body->shape || dls_ways_is_free(ways, near[k])) continue;
    if (body->type == DLS_STATIC) return -1;
    if (body->type == DLS_KINEMATIC && found < 0) found = near[k];
  }
  return found;
}

/* The same of those that joints bind, whose shares say that they wait: what hangs on something
** given stays with that. */
static int find_common(const dls_ways *ways, const going *g, int carrier) {
  const dls_world *w = ways->w;
  for (int k = 0; k < w->n_joints; k++) {
    const dls_joint *joint = &w->joints[k];
    if (!joint->alive) continue;
    for (int e = 0; e < 2; e++) {
      const int own = e == 0 ? joint->a : joint->b, other = e == 0 ? joint->b : joint->a;
      if (!dls_ways_is_free(ways, own) || !(g->share[own] < g->until[own].until)) continue;
      if (dls_ways_is_free(ways, other) || other == carrier) continue;
      return w->bodies[other].type == DLS_KINEMATIC ? other : -1;
    }
  }
  return carrier;
}

/* Body i waits from s on, where it met another, and what joints bind to it. */
static void hold(const dls_ways *ways, going *g, int i, int other, double s) {
  if (!dls_ways_is_free(ways, i) || !(s < g->until[i].until)) return;
  const int carrier = find_carrier(ways, g, i, other);
  if (ways->w->n_joints == 0) {
    set_wait(g, i, (wait){.until = s, .carrier = carrier});
    return;
  }
  for (int k = 0; k < ways->w->n_bodies; k++) g->share[k] = g->until[k].until;
  g->share[i] = s;
  dls_ways_stop_joined(ways, g->share);
  const int along = find_common(ways, g, carrier);
  for (int k = 0; k < ways->w->n_bodies; k++)
    if (g->share[k] < g->until[k].until)
      set_wait(g, k, (wait){.until = g->share[k], .carrier = along});
}

/* The earliest meeting first: both bodies stay there, and who would meet them where they stay is
** looked for. */
static dls_status hold_back(const dls_ways *ways, going *g) {
  for (g->turn = 1; g->turn <= 4 * ways->w->n_bodies + 64; g->turn++) {
    const int known = g->n;
    later *next = NULL;
    for (int k = 0; k < g->n; k++)
      if (g->met[k].at < DLS_INF && (!next || g->met[k].at < next->at)) next = &g->met[k];
    if (!next) return DLS_OK;
    const double s = next->at;
    const int a = next->a, b = next->b;
    next->at = DLS_INF;
    hold(ways, g, a, b, s);
    hold(ways, g, b, a, s);
    for (int e = 0; e < 2; e++) {
      const int i = e == 0 ? a : b;
      if (g->suspect[i] || !dls_ways_is_free(ways, i)) continue;
      const dls_status status = add_meetings(ways, g, i, s);
      if (status != DLS_OK) return status;
      g->suspect[i] = 1;
    }
    for (int k = 0; k < known; k++) {
      later *m = &g->met[k];
      if ((m->a == a && m->b == b) || m->at < s) continue;
      if (g->until[m->a].turn < g->turn && g->until[m->b].turn < g->turn) continue;
      const dls_status status = look_later(ways, g, m, s);
      if (status != DLS_OK) return status;
    }
  }
  return DLS_OK;
}

/* To where it waits. */
static void put_back(const dls_ways *ways, const dls_ways_outcome *out, int i, const double *stop,
                     wait at) {
  const dls_way way = way_taken(ways, out, i, stop, at);
  const dls_way whole = way_taken(ways, out, i, stop, (wait){.until = 2, .carrier = -1});
  const size_t nq = dls_nq_of(ways->w);
  double *q = out->q_n + (size_t)i * nq, back[6] = {0};
  dls_vec3 x, y;
  dls_quat turn = dls_q_identity(), end = turn;
  double angle, angle_end;
  dls_way_at(&way, 1, &x, &turn, &angle);
  dls_way_at(&whole, 1, &y, &end, &angle_end);
  dls_v3_store(back, dls_v3_sub(x, y));
  if (ways->w->dim == 2) {
    back[2] = angle - angle_end;
  } else {
    dls_v3_store(back + 3, dls_ways_turn(dls_q_load(q + 3), turn, dls_v3(0, 0, 0)));
  }
  displace(ways, out, i, 1, back);
}

/* A bound of what rows changed body i's velocities by, m/s: that of its points, however far they
** are from its centre. */
static inline double push_of(const dls_ways *ways, const dls_ways_outcome *out, int dim, int i) {
  const int nu = (int)DLS_NU((size_t)dim);
  const double *u = out->u + (size_t)i * (size_t)nu, *f = out->u_free + (size_t)i * (size_t)nu;
  double v = 0, w = 0;
  for (int k = 0; k < dim; k++) v += fabs(u[k] - f[k]);
  for (int k = dim; k < nu; k++) w += fabs(u[k] - f[k]);
  return v + ways->longest * w;
}

/* A push that is no more than that makes no body pass another, m/s. */
static double short_push(const dls_ways *ways) {
  static const double ROUND_OFF = 1e-9;
  return (1 - ROUND_OFF) * DLS_SWIFT * ways->narrowest / (2 * ways->h);
}

/* Whether rows pushed body i, which has a shape, so far. */
static bool is_pushed(const dls_ways *ways, const dls_ways_outcome *out, int i) {
  const dls_world *w = ways->w;
  const dls_body *body = &w->bodies[i];
  const double *u = dls_ways_u(ways, out->u, i), *f = dls_ways_u(ways, out->u_free, i);
  double v2 = 0, w2 = 0;
  for (int k = 0; k < w->dim; k++) v2 += (u[k] - f[k]) * (u[k] - f[k]);
  for (int k = w->dim; k < (int)dls_nu_of(w); k++) w2 += (u[k] - f[k]) * (u[k] - f[k]);
  const double arm = body->shape->reach + dls_v3_norm(dls_v3_load(body->com));
  return 2 * (ways->h * (sqrt(v2) + arm * sqrt(w2))) > DLS_SWIFT * ways->narrowest;
}

/* Bodies on ways that were not followed: stopped, struck, pushed fast, or bound to meet such. */
static int find_suspects(const dls_ways *ways, const going *g) {
  const dls_world *w = ways->w;
  const double limit = short_push(ways);
  int n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    const bool stops = g->stop && g->stop[i] < DLS_INF;
    g->suspect[i] = 0;
    const double bound = w->dim == 2 ? push_of(ways, g->out, 2, i) : push_of(ways, g->out, 3, i);
    if ((!stops && bound <= limit) || !dls_ways_is_free(ways, i) || !body->shape || body->sensor)
      continue;
    g->suspect[i] = stops || is_pushed(ways, g->out, i);
  }
  for (int k = 0; k < ways->n; k++) {
    const dls_swift *p = &ways->pair[k];
    if (p->first || !(p->at < DLS_INF) || dls_ways_sensed(ways, p)) continue;
    if (dls_ways_is_free(ways, p->a)) g->suspect[p->a] = 1;
    if (dls_ways_is_free(ways, p->b)) g->suspect[p->b] = 1;
  }
  for (int i = 0; i < w->n_bodies; i++) n += g->suspect[i];
  return n;
}

/* Whether a body may be so fast after the step that it could pass something. Largest components, by
** columns of two bodies: every step asks. */
static bool is_fast(const dls_ways *ways, const double *u) {
  const dls_world *w = ways->w;
  const int n = w->n_bodies * (int)dls_nu_of(w);
  const double limit = DLS_SWIFT * ways->narrowest / (4 * ways->h);
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
  int i = 0;
  for (; i + 6 <= n; i += 6, u += 6) {
    a = dls_max(a, fabs(u[0])), b = dls_max(b, fabs(u[1])), c = dls_max(c, fabs(u[2]));
    d = dls_max(d, fabs(u[3])), e = dls_max(e, fabs(u[4])), f = dls_max(f, fabs(u[5]));
  }
  if (i < n) a = dls_max(a, fabs(u[0])), b = dls_max(b, fabs(u[1])), c = dls_max(c, fabs(u[2]));
  if (w->dim == 2) return dls_max(a, d) + dls_max(b, e) + dls_max(c, f) * ways->longest > limit;
  return (a + b + c) + (d + e + f) * ways->longest > limit;
}

/* Whether rows may have pushed somebody far. */
static bool are_pushed(const dls_ways *ways, const dls_ways_outcome *out) {
  const int n = ways->w->n_bodies;
  double most = 0;
  if (ways->w->dim == 2)
    for (int i = 0; i < n; i++) most = dls_max(most, push_of(ways, out, 2, i));
  else
    for (int i = 0; i < n; i++) most = dls_max(most, push_of(ways, out, 3, i));
  return !(most <= short_push(ways));
}

dls_status dls_ways_end(dls_ways *ways, dls_ways_outcome *out) {
  dls_world *w = ways->w;
  dls_arena *arena = &w->arena;
  out->n_met = 0;
  if (!ways->stop && (!is_fast(ways, out->u) || !are_pushed(ways, out))) return DLS_OK;
  const size_t mark = dls_arena_mark(arena);
  const int nu = (int)dls_nu_of(w);
  double *stop = NULL;
  if (ways->stop) {
    stop = DLS_TAKE(arena, double, w->n_bodies);
    if (!stop) return dls_ways_want(ways, 8 * (size_t)w->n_bodies);
    memcpy(stop, ways->stop, (size_t)w->n_bodies * sizeof *stop);
    spread_stops(ways, out, stop);
    dls_ways_stop_joined(ways, stop);
    for (int i = 0; i < w->n_bodies; i++) {
      double change[6];
      if (!(stop[i] < DLS_INF) || !dls_ways_is_free(ways, i) || dls_ways_stops(ways, i)) continue;
      for (int k = 0; k < nu; k++)
        change[k] = dls_ways_u(ways, out->u, i)[k] - dls_ways_u(ways, out->u_free, i)[k];
      displace(ways, out, i, (1 - ways->theta - stop[i]) * ways->h, change);
    }
  }
  going g = {.out = out, .stop = stop, .until = DLS_TAKE(arena, wait, w->n_bodies),
             .share = DLS_TAKE(arena, double, w->n_bodies),
             .suspect = DLS_TAKE(arena, unsigned char, w->n_bodies),
             .taken = DLS_TAKE(arena, dls_course *, w->n_bodies)};
  if (!g.until || !g.share || !g.suspect || !g.taken)
    return dls_ways_want(ways, 64 * (size_t)w->n_bodies + 256);
  for (int i = 0; i < w->n_bodies; i++) g.taken[i] = NULL;
  for (int i = 0; i < w->n_bodies; i++) set_wait(&g, i, (wait){.until = 2, .carrier = -1});
  dls_status status = DLS_OK;
  size_t of_met = mark;
  const int suspects = find_suspects(ways, &g);
  if (suspects > 0) {
    status = dls_ways_find_near(ways, out, suspects, &g.near);
    if (status != DLS_OK) return status;
    of_met = dls_arena_mark(arena);
    g.room = (int)((arena->size - arena->used) / (2 * sizeof *g.met));
    g.met = DLS_TAKE(arena, later, g.room);
    if (!g.met || g.room < 64) return dls_ways_want(ways, 64 * 1024);
    for (int i = 0; i < w->n_bodies && status == DLS_OK; i++)
      if (g.suspect[i]) status = add_meetings(ways, &g, i, 0);
    if (status == DLS_OK) status = hold_back(ways, &g);
    for (int i = 0; i < w->n_bodies && status == DLS_OK; i++)
      if (g.until[i].until < 1) put_back(ways, out, i, stop, g.until[i]);
  }
  if (status != DLS_OK || g.n == 0) {
    dls_arena_release(arena, mark);
    return status;
  }
  /* The bodies of the meetings, where these stand. */
  out->met = (int *)(void *)g.met;
  for (int k = 0; k < g.n; k++) {
    const later m = g.met[k];
    out->met[2 * k] = m.a, out->met[2 * k + 1] = m.b;
  }
  out->n_met = g.n;
  dls_arena_cut(arena, of_met, 2 * (size_t)g.n, sizeof *out->met);
  return status;
}
