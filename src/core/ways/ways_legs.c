/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways_parts.h"

#include "core/math/elementary.h"
#include "core/ways/ways_hung.h"

/* The free ways of bodies in a step as legs of constant twist: from q to q_c, on to the end, along
** joints (ways_hung.h) and as tumbling bodies (math/tumble.h). */

/* --- bodies on their ways --------------------------------------------------------------------- */

/* What forces add to a way that counts as straight, a share of the smaller thickness. */
static const double STRAIGHT = 0.1;

dls_vec3 dls_ways_turn(dls_quat from, dls_quat to, dls_vec3 rate) {
  dls_quat turn = dls_q_mul(to, dls_q_conj(from));
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const dls_vec3 v = dls_v3(turn.x, turn.y, turn.z);
  const double s = dls_v3_norm(v), angle = 2 * dls_atan2(s, turn.w);
  if (!(s > 0)) return dls_v3_scale(2, v);
  const double turns = floor((dls_v3_dot(rate, v) / s - angle) / (2 * DLS_PI) + 0.5);
  return dls_v3_scale((angle + 2 * DLS_PI * turns) / s, v);
}

void dls_ways_set_out(const dls_ways *ways, const double *q, dls_leg *leg) {
  if (ways->w->dim == 2) {
    leg->x = dls_v3(q[0], q[1], 0);
    leg->angle = q[2];
    leg->turn = dls_q_identity();
  } else {
    leg->x = dls_v3_load(q);
    leg->turn = dls_q_load(q + 3);
    leg->angle = 0;
  }
}

void dls_ways_lead_to(const dls_ways *ways, const double *q, const double *u, dls_leg *leg) {
  const double share = leg->to - leg->from;
  const dls_vec3 x = dls_v3(q[0], q[1], ways->w->dim == 3 ? q[2] : 0);
  leg->v = dls_v3_scale(1 / share, dls_v3_sub(x, leg->x));
  if (ways->w->dim == 2) {
    leg->w = dls_v3(0, 0, (q[2] - leg->angle) / share);
    return;
  }
  const dls_vec3 rate = dls_v3_scale(share * ways->h, dls_v3_load(u + 3));
  leg->w = dls_v3_scale(1 / share, dls_ways_turn(leg->turn, dls_q_load(q + 3), rate));
}

/* The leg along the velocities u. */
static void lead_along(const dls_ways *ways, const double *u, dls_leg *leg) {
  const double h = ways->h;
  leg->v = dls_v3(h * u[0], h * u[1], ways->w->dim == 3 ? h * u[2] : 0);
  leg->w = ways->w->dim == 3 ? dls_v3_scale(h, dls_v3_load(u + 3)) : dls_v3(0, 0, h * u[2]);
}

static dls_way blank_way(const dls_ways *ways, int i) {
  const dls_body *body = &ways->w->bodies[i];
  return dls_way_blank(body->shape, dls_v3_load(body->com), ways->w->dim == 2, i);
}

bool dls_ways_goes_straight(const dls_ways *ways, int i, double thickness) {
  const double *u = dls_ways_u(ways, ways->u_c, i), *f = dls_ways_u(ways, ways->u_ahead, i);
  double most = 0;
  for (int k = 0; k < (int)dls_nu_of(ways->w); k++)
    most = dls_max(most, fabs(f[k] - u[k]) * (k < ways->w->dim ? 1 : ways->longest));
  return most * ways->h <= STRAIGHT * thickness;
}

bool dls_ways_turns_freely(const dls_ways *ways, int i, const double *q, const double *u,
                           dls_tumble *tumble, dls_leg *leg) {
  static const double SLOW = 1e-3; /* rad a step */
  const dls_world *w = ways->w;
  const dls_body *body = &w->bodies[i];
  if (w->dim == 2 || !dls_moves_freely(body) || !dls_may_tumble(w, i) ||
      (ways->held && ways->held[i]))
    return false;
  if (!(dls_v3_norm(dls_v3_load(u + 3)) * ways->h > SLOW)) return false;
  *tumble = dls_tumble_of(body->inverse);
  leg->tumbles = true;
  leg->L = dls_v3_scale(ways->h, dls_angular_momentum(body, q, u));
  leg->most = dls_tumble_most(tumble, leg->turn, leg->L);
  return true;
}

bool dls_ways_tumble(const dls_ways *ways, int i, const double *q, const double *u, dls_way *way,
                     dls_leg *leg) {
  if (!dls_ways_turns_freely(ways, i, q, u, &way->tumble, leg)) return false;
  leg->path = -1;
  if (way->n_paths == DLS_PATHS) return true;
  dls_tumble_path *path = &way->path[way->n_paths];
  dls_tumble_take_path(&way->tumble, leg->turn, leg->L, leg->to - leg->from, path);
  if (path->n > 0) leg->path = way->n_paths++;
  return true;
}

/* The leg to q_c, as it is known where pairs asked for it. */
static void add_early_leg(const dls_ways *ways, int i, double middle, dls_way *way) {
  const dls_course *known = ways->free ? ways->free[i] : NULL;
  dls_leg *leg = &way->leg[way->n++];
  if (known && known->known) {
    *leg = known->way.leg[0];
    way->tumble = known->way.tumble;
    if (leg->tumbles && leg->path == 0) way->path[way->n_paths++] = known->way.path[0];
    return;
  }
  *leg = (dls_leg){.from = 0, .to = middle};
  dls_ways_set_out(ways, dls_ways_q(ways, ways->w->q, i), leg);
  dls_ways_lead_to(ways, dls_ways_q(ways, ways->q_c, i), dls_ways_u(ways, ways->w->u, i), leg);
  dls_ways_tumble(ways, i, dls_ways_q(ways, ways->w->q, i), dls_ways_u(ways, ways->w->u, i), way,
                  leg);
  dls_ways_bend_leg(ways, i, 0, leg);
}

dls_way dls_ways_free_until(const dls_ways *ways, int i, double thickness, double until) {
  dls_way way = blank_way(ways, i);
  const double middle = 1 - ways->theta;
  if (middle > 0) add_early_leg(ways, i, middle, &way);
  if (way.n > 0 && !(until > middle)) return way;
  dls_leg *leg = &way.leg[way.n++];
  *leg = (dls_leg){.from = middle, .to = 1};
  dls_ways_set_out(ways, dls_ways_q(ways, ways->q_c, i), leg);
  const double *u =
      dls_ways_u(ways, dls_ways_goes_straight(ways, i, thickness) ? ways->u_c : ways->u_ahead, i);
  lead_along(ways, u, leg);
  /* what tumbles goes on from there, not from q_c, where energies may differ */
  const dls_leg *early = &way.leg[0];
  if (middle > 0 && early->tumbles) leg->turn = dls_way_tumbled(&way, early, middle);
  dls_ways_tumble(ways, i, dls_ways_q(ways, ways->q_c, i), u, &way, leg);
  dls_ways_bend_leg(ways, i, 1, leg);
  return way;
}

dls_way dls_ways_free(const dls_ways *ways, int i, double thickness) {
  return dls_ways_free_until(ways, i, thickness, 1);
}

dls_way dls_ways_ahead(const dls_ways *ways, int i) {
  dls_way way = blank_way(ways, i);
  dls_leg *leg = &way.leg[way.n++];
  *leg = (dls_leg){.from = 1 - ways->theta, .to = 1};
  dls_ways_set_out(ways, dls_ways_q(ways, ways->q_c, i), leg);
  lead_along(ways, dls_ways_u(ways, ways->u_ahead, i), leg);
  dls_ways_tumble(ways, i, dls_ways_q(ways, ways->q_c, i), dls_ways_u(ways, ways->u_ahead, i), &way,
                  leg);
  dls_ways_bend_leg(ways, i, 1, leg);
  return way;
}

bool dls_ways_keep_velocities(dls_ways *ways) {
  dls_arena *arena = &ways->w->arena;
  const size_t n = (size_t)ways->w->n_bodies * dls_nu_of(ways->w);
  double *u_c = DLS_TAKE(arena, double, n), *u_ahead = DLS_TAKE(arena, double, n);
  if (!u_c || !u_ahead) return false;
  memcpy(u_c, ways->u_c, n * sizeof *u_c);
  memcpy(u_ahead, ways->u_ahead, n * sizeof *u_ahead);
  ways->u_c = u_c, ways->u_ahead = u_ahead;
  return true;
}
