/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/advance.h"

#include "core/contacts/near.h"
#include "core/model/material.h"
#include "core/scheme/forces.h"

/* --- to q_c ------------------------------------------------------------------------------ */

/* A kinematic body from its function: pose at t into q, velocities into u. */
static dls_status prescribe(const dls_step *S, int i, double t, double *q, double *u) {
  dls_world *w = S->w;
  const size_t d = (size_t)S->dim;
  double position[3] = {0}, rotation[4] = {0}, velocity[3] = {0}, angular[3] = {0};
  const dls_status status = w->hooks.motion(w->hooks.ud, i, t, position, rotation, velocity,
                                            angular, NULL);
  if (status != DLS_OK) return status;
  memcpy(q, position, d * sizeof(double));
  memcpy(q + d, rotation, ((size_t)S->nq - d) * sizeof(double));
  memcpy(u, velocity, d * sizeof(double));
  memcpy(u + d, angular, ((size_t)S->nu - d) * sizeof(double));
  return DLS_OK;
}

/* Whether body i turns with its angular momentum: what joints hold in every scheme. */
static bool keeps_momentum(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return S->dim == 3 && body->type == DLS_DYNAMIC && body->mass > 0 && !dls_is_isotropic(body) &&
         (!S->w->semi_implicit || S->held[i] == DLS_HELD);
}

/* Whether it does so far; on from q_c: with u for the time late. */
static bool tumbles(const dls_step *S, int i, const double *u, double late) {
  return keeps_momentum(S, i) &&
         dls_turns_far(&S->w->bodies[i], DLS_U(S, S->w->u, i), (1 - S->theta) * S->h, u, late);
}

/* What the explicit rotation of EQUATIONS B.1 makes of energy from q_c, u_c to q, u: the inertia
** turns on under u, and the gyroscopic torque works on the mean of both. */
static double explicit_defect(const dls_step *S, int i, const double *q, const double *u) {
  const dls_body *body = &S->w->bodies[i];
  const dls_vec3 w = dls_v3_load(u + 3), spin = dls_gyroscopic(S, i);
  const dls_vec3 after = dls_angular_momentum(body, q, u),
                 before = dls_angular_momentum(body, DLS_Q(S, S->q_c, i), u);
  return 0.5 * dls_v3_dot(w, dls_v3_sub(after, before)) +
         0.5 * S->h * dls_v3_dot(spin, dls_v3_add(dls_v3_load(DLS_U(S, S->u_c, i) + 3), w));
}

static bool turns_explicitly(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return S->dim == 3 && S->w->semi_implicit && dls_moves_freely(body) && !dls_is_isotropic(body) &&
         !S->held[i];
}

/* Body i has turned with its angular momentum. (What turns by less has no more of it than
** round-off.) */
static void note_turn(dls_step *S, int i, const double *q_from, const double *u_from,
                      const double *q, const double *u) {
  static const double SLOW = 1e-5; /* rad a step */
  const dls_body *body = &S->w->bodies[i];
  if (S->dim == 2 || body->type != DLS_DYNAMIC || dls_is_isotropic(body)) return;
  const dls_vec3 w = dls_v3_load(u + 3);
  if (dls_v3_dot(w, w) * S->h * S->h < SLOW * SLOW) return;
  S->turned += dls_kinetic_3(body, q, u) - dls_kinetic_3(body, q_from, u_from);
}

dls_status dls_begin_body(dls_step *S, int i) {
  dls_world *w = S->w;
  const dls_body *body = &w->bodies[i];
  const double s = (1 - S->theta) * S->h;
  double *q = DLS_Q(S, S->q_c, i), *u = DLS_U(S, S->u_c, i);
  if (!body->alive || body->type == DLS_STATIC) return DLS_OK;
  if (dls_is_prescribed(S, i)) {
    const dls_status status = prescribe(S, i, w->time + s, q, u);
    return status != DLS_OK ? status
                            : prescribe(S, i, w->time + S->h, DLS_Q(S, S->q_end, i),
                                        DLS_U(S, S->u_end, i));
  }
  double before[DLS_NU(3)] = {0};
  memcpy(before, u, (size_t)S->nu * sizeof *u);
  if (tumbles(S, i, u, 0)) {
    dls_turn_far(body, q, s, u);
    note_turn(S, i, DLS_Q(S, w->q, i), before, q, u);
    return DLS_OK;
  }
  dls_drift(S->dim, q, s, u);
  if (keeps_momentum(S, i))
    dls_v3_store(u + 3, dls_angular_rate(body, q, dls_angular_momentum(body, DLS_Q(S, w->q, i),
        u)));
  if (!w->semi_implicit) note_turn(S, i, DLS_Q(S, w->q, i), before, q, u);
  return DLS_OK;
}

dls_status dls_begin_bodies(dls_step *S) {
  dls_status status = DLS_OK;
  for (int i = 0; i < S->w->n_bodies && status == DLS_OK; i++) status = dls_begin_body(S, i);
  return status;
}

/* --- to q' ------------------------------------------------------------------------------- */

/* q, u of a free body, or of one with constant velocities, on by the time s with u. */
static void move_on(const dls_step *S, int i, double *q, double s, double *u) {
  const dls_body *body = &S->w->bodies[i];
  const bool dynamic = body->type == DLS_DYNAMIC;
  if (tumbles(S, i, u, s)) dls_turn_far(body, q, s, u);
  else if (keeps_momentum(S, i))
    dls_drift_with_momentum(body, q, s, u, dls_angular_momentum(body, q, u));
  else if (dynamic && S->w->semi_implicit) dls_drift_linear(S->dim, q, s, u);
  else dls_drift(S->dim, q, s, u);
}

void dls_advance_body(dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const size_t nq = (size_t)S->nq, nu = (size_t)S->nu;
  double *q = DLS_Q(S, S->q_n, i), *u = DLS_U(S, S->u_n, i);
  const bool given = body->alive && body->type != DLS_STATIC && dls_is_prescribed(S, i);
  memcpy(q, given ? DLS_Q(S, S->q_end, i) : DLS_Q(S, S->q_c, i), nq * sizeof(double));
  memcpy(u, given ? DLS_U(S, S->u_end, i) : DLS_U(S, S->rows.u, i), nu * sizeof(double));
  if (given || !body->alive || body->type == DLS_STATIC) return;
  move_on(S, i, q, S->theta * S->h, u);
  if (S->held[i]) return;
  if (turns_explicitly(S, i)) S->turned += explicit_defect(S, i, q, u);
  else if (!S->w->semi_implicit) note_turn(S, i, DLS_Q(S, S->q_c, i), DLS_U(S, S->rows.u, i), q, u);
}

void dls_advance_bodies(dls_step *S) {
  for (int i = 0; i < S->w->n_bodies; i++) dls_advance_body(S, i);
}

/* --- behind a first touch ---------------------------------------------------------------- */

/* Body i goes on from where a touch stopped it, for the rest of the step; the energy by which that
** differs from the step from q_c. */
static void go_on(dls_step *S, const dls_near_stage *N, dls_position_stage *P, int i) {
  const dls_body *body = &S->w->bodies[i];
  P->behind = true;
  const double s = (1 - N->ways.stop[i]) * S->h, *x_c = DLS_Q(S, S->q_c, i),
      *v = DLS_U(S, S->rows.u, i);
  double *q = DLS_Q(S, S->q_n, i), *u = DLS_U(S, S->u_n, i);
  const bool turns =
      S->dim == 3 && body->type == DLS_DYNAMIC && !S->held[i] && !S->w->semi_implicit;
  const bool explicitly = turns_explicitly(S, i);
  /* its rows were those of where it stood (contacts/near.c) */
  if (turns) S->turned -= dls_kinetic_3(body, q, u) - dls_kinetic_3(body, x_c, v);
  if (explicitly) S->turned -= explicit_defect(S, i, q, u);
  memcpy(u, v, (size_t)S->nu * sizeof(double));
  memcpy(q, DLS_Q(S, N->ways.stand, i), (size_t)S->nq * sizeof(double));
  if (turns) S->turned -= dls_kinetic_3(body, q, u);
  if (S->dim == 3 && dls_may_tumble(S->w, i)) dls_turn_far(body, q, s, u);
  else move_on(S, i, q, s, u);
  if (turns) S->turned += dls_kinetic_3(body, q, u);
  if (explicitly) S->turned += explicit_defect(S, i, q, u);
  for (int k = 0; k < S->dim; k++)
    P->correction -= body->mass * S->w->gravity[k] * (q[k] - (x_c[k] + S->theta * S->h * v[k]));
}

/* Bodies that were looked at behind their first touches are near for the projection, which would
** push one through the other else; they go behind those that are, whose numbers stay. */
static dls_status add_met(const dls_step *S, dls_near_stage *N, const dls_ways_outcome *out) {
  enum { BESIDE = 8 }; /* what is read several at once */
  const int room = N->n_near + out->n_met;
  dls_near *near = DLS_TAKE(&S->w->arena, dls_near, room + BESIDE);
  if (!near) return dls_ways_want(&N->ways, (size_t)(room + BESIDE) * sizeof *near);
  memcpy(near, N->near, (size_t)N->n_near * sizeof *near);
  memset(near + N->n_near, 0, (size_t)(out->n_met + BESIDE) * sizeof *near);
  N->near = near;
  const int n = N->n_ordered;
  for (int k = 0; k < out->n_met; k++) {
    const int a = out->met[2 * k], b = out->met[2 * k + 1];
    if (dls_near_has(near, n, a, b) || dls_world_material(S->w, a, b).stiffness < DLS_INF) continue;
    N->near[N->n_near++] = (dls_near){a, b};
  }
  return DLS_OK;
}

dls_status dls_end_ways(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  const dls_rows *rows = &S->rows;
  dls_arena *arena = &S->w->arena;
  const size_t mark = dls_arena_mark(arena);
  int *ends = NULL, n = 0;
  P->behind = false;
  for (int i = 0; N->ways.stop && i < S->w->n_bodies; i++)
    if (dls_ways_stops(&N->ways, i)) go_on(S, N, P, i);
  if (N->ways.stop) {
    ends = DLS_TAKE(arena, int, 2 * rows->n_blocks);
    if (!ends) return dls_ways_want(&N->ways, 8 * (size_t)rows->n_blocks);
    for (int k = 0; k < rows->n_blocks; k++) {
      const dls_block *block = &rows->block[k];
      if (block->source >= 0 && !(rows->p[block->row] > 0)) continue;
      ends[2 * n] = block->a, ends[2 * n++ + 1] = block->b;
    }
  }
  dls_ways_outcome out = {.u = rows->u, .u_n = S->u_n, .u_free = S->u_smooth, .ends = ends,
                          .n_links = n,
                          .q_n = S->q_n, .correction = &P->correction, .moved = &P->behind};
  const dls_status status = dls_ways_end(&N->ways, &out);
  if (status == DLS_OK && out.n_met > 0) return add_met(S, N, &out);
  dls_arena_release(arena, mark);
  return status;
}
