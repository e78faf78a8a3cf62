/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/near.h"

#include "core/contacts/floor.h"
#include "core/joints/trees.h"
#include "core/model/row_frame.h"
#include "core/step/poses.h"

bool dls_are_jointed(const dls_step *S, int a, int b) {
  const dls_world *w = S->w;
  if (w->n_joints == 0) return false;
  return S->jointed[a] && S->jointed[b] ? dls_are_joined(w, a, b) : dls_are_tree_joined(w, a, b);
}

double dls_travel(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const double *u = DLS_U(S, S->u_c, i), *f = DLS_U(S, S->u_ahead, i);
  double v = 0, v_f = 0, w = 0, w_f = 0;
  for (int k = 0; k < S->dim; k++) v += u[k] * u[k], v_f += f[k] * f[k];
  for (int k = S->dim; k < S->nu; k++) w += u[k] * u[k], w_f += f[k] * f[k];
  const double *com = body->com, off = com[0] * com[0] + com[1] * com[1] + com[2] * com[2];
  double arm = body->shape->bounded ? body->shape->reach : body->shape->radius;
  const double size = body->shape->bounded ? body->shape->reach : 0;
  if (off > 0) arm += sqrt(off);
  const double closed = DLS_CLOSED * size;
  return S->h * (sqrt(dls_max(v, v_f)) + arm * sqrt(dls_max(w, w_f))) + closed;
}

double dls_travel_between(const dls_step *S, const dls_near_stage *N, int a, int b) {
  const double sum = N->margin[a] + N->margin[b];
  if (dls_moves_freely(&S->w->bodies[a]) && dls_moves_freely(&S->w->bodies[b])) return sum;
  const double *u_a = DLS_U(S, S->u_c, a), *u_b = DLS_U(S, S->u_c, b),
               *f_a = DLS_U(S, S->u_ahead, a), *f_b = DLS_U(S, S->u_ahead, b);
  double alone[2] = {0, 0}, ahead[2] = {0, 0}, rel = 0, rel_f = 0;
  for (int k = 0; k < S->dim; k++) {
    const double v = u_b[k] - u_a[k], v_f = f_b[k] - f_a[k];
    alone[0] += u_a[k] * u_a[k], alone[1] += u_b[k] * u_b[k], rel += v * v;
    ahead[0] += f_a[k] * f_a[k], ahead[1] += f_b[k] * f_b[k], rel_f += v_f * v_f;
  }
  const double on_a = dls_max(alone[0], ahead[0]), on_b = dls_max(alone[1], ahead[1]);
  if (!(on_a > 0 && on_b > 0)) return sum;
  return sum - S->h * (sqrt(on_a) + sqrt(on_b) - sqrt(dls_max(rel, rel_f)));
}

dls_status dls_find_neighbours(dls_step *S, dls_near_stage *N, dls_disk_stage *disks) {
  return S->dim == 2 ? dls_find_neighbours_2(S, N, disks) : dls_find_neighbours_3(S, N);
}

dls_status dls_find_near(dls_step *S, dls_near_stage *N) {
  const dls_status status = S->dim == 2 ? dls_find_near_2(S, N) : dls_find_near_3(S, N);
  N->n_ordered = N->n_near;
  return status;
}

bool dls_near_has(const dls_near *near, int n, int a, int b) {
  int low = 0, high = n;
  while (low < high) {
    const int k = low + (high - low) / 2;
    if (near[k].a < a || (near[k].a == a && near[k].b < b)) low = k + 1;
    else high = k;
  }
  return low < n && near[low].a == a && near[low].b == b;
}

/* --- swift pairs ------------------------------------------------------------------------- */

/* How far a body goes in the step, at most, m. */
static double fastest_way_2(const dls_step *S, const dls_near_stage *N) {
  double most = 0;
  double more[3] = {0, 0, 0};
  const double *margin = N->margin;
  int i = 0;
  for (const int n = S->w->n_bodies; i + 4 <= n; i += 4) {
    most = dls_max(most, margin[i]), more[0] = dls_max(more[0], margin[i + 1]);
    more[1] = dls_max(more[1], margin[i + 2]), more[2] = dls_max(more[2], margin[i + 3]);
  }
  for (; i < S->w->n_bodies; i++) most = dls_max(most, margin[i]);
  most = dls_max(dls_max(most, more[0]), dls_max(more[1], more[2]));
  return most;
}

static double fastest_way_3(const dls_near_stage *N) {
  double most = 0;
  for (int k = 0; k < N->n_shapes; k++) most = dls_max(most, N->margin[N->body_of[k]]);
  return most;
}

static bool are_apart(const void *of, int a, int b) { return dls_are_jointed(of, a, b); }

/* A body that a touch stops has the inertia that it has there, and the velocities that belong to
** it: their angular momenta, and what forces add to them, are those at q_c. */
static void weigh_at_stop_3(dls_step *S, const dls_near_stage *N, int i) {
  const dls_body *body = &S->w->bodies[i];
  const double *q = DLS_Q(S, N->ways.stand, i);
  const dls_pose3 T = dls_pose_3(body, q);
  double *before = DLS_U(S, S->u_c, i), *ahead = DLS_U(S, S->rows.u_free, i);
  const double *q_c = DLS_Q(S, S->q_c, i);
  const dls_vec3 L = dls_angular_momentum(body, q_c, before);
  const dls_vec3 added = dls_v3_sub(dls_angular_momentum(body, q_c, ahead), L);
  dls_weigh(S, i, &T.R);
  const double was = dls_v3_dot(L, dls_v3_load(before + 3));
  const double kinetic = dls_kinetic_3(body, q_c, before);
  dls_v3_store(before + 3, dls_angular_rate(body, q, L));
  /* A turn that a step does not resolve may lead to more energy than there was: never. */
  const double is = dls_v3_dot(L, dls_v3_load(before + 3)),
               scale = is > was && was > 0 ? sqrt(was / is) : 1;
  dls_v3_store(before + 3, dls_v3_scale(scale, dls_v3_load(before + 3)));
  dls_v3_store(ahead + 3, dls_v3_add(dls_v3_load(before + 3), dls_angular_rate(body, q, added)));
  if (body->type == DLS_DYNAMIC) S->turned += dls_kinetic_3(body, q, before) - kinetic;
}

/* Those that a touch stops, in space. */
static dls_status weigh_at_stops_3(dls_step *S, dls_near_stage *N) {
  const size_t n_q = (size_t)S->w->n_bodies * (size_t)S->nq;
  double *weighed = NULL;
  for (int i = 0; i < S->w->n_bodies; i++) {
    if (!dls_ways_stops(&N->ways, i) || dls_is_isotropic(&S->w->bodies[i])) continue;
    if (!weighed) {
      weighed = DLS_TAKE(&S->w->arena, double, n_q);
      if (!weighed) return dls_ways_want(&N->ways, n_q * sizeof *weighed);
      memcpy(weighed, S->q_c, n_q * sizeof *weighed);
      S->q_weighed = weighed;
    }
    memcpy(DLS_Q(S, weighed, i), DLS_Q(S, N->ways.stand, i), (size_t)S->nq * sizeof *weighed);
    weigh_at_stop_3(S, N, i);
  }
  return DLS_OK;
}

dls_status dls_chase_swift(dls_step *S, dls_near_stage *N) {
  dls_world *w = S->w;
  dls_ways *ways = &N->ways;
  ways->w = w, ways->h = S->h, ways->theta = S->theta;
  ways->q_c = S->q_c, ways->u_c = S->u_c, ways->u_ahead = S->u_ahead;
  ways->probe = N->probe, ways->passed = N->passed, ways->probe_room = N->touch_room;
  ways->apart = are_apart, ways->of = S;
  ways->clear = dls_clear_seams_then, ways->meets = dls_floor_meets, ways->floor = N;
  if (S->dim == 2) ways->narrowest = w->columns.narrowest, ways->longest = w->columns.longest;
  const int *body_of = S->dim == 2 ? NULL : N->body_of;
  const double fastest = S->dim == 2 ? fastest_way_2(S, N) : fastest_way_3(N);
  ways->held = S->joined ? S->held : NULL, ways->u_off = S->u_off;
  const dls_status status = dls_ways_chase(ways, N->n_near, &N->near->a, body_of, fastest);
  if (status != DLS_OK || !ways->stop || S->dim == 2 || w->semi_implicit)
    return status; /* inertia and gyroscopic torque of B.1 are those at q_c */
  return weigh_at_stops_3(S, N);
}
