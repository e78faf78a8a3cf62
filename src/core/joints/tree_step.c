/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/tree_step.h"

#include "core/forest/soft.h"
#include "core/joints/doubled.h"
#include "core/joints/fit.h"
#include "core/joints/hinged.h"
#include "core/joints/tree_springs.h"
#include "core/model/frames.h"

/* The twist of a link as the velocities of a body. */
static void body_velocity(int dim, const double *v, double *u) {
  if (dim == 2) {
    u[0] = v[3], u[1] = v[4], u[2] = v[2];
    return;
  }
  memcpy(u, v + 3, 3 * sizeof(double));
  memcpy(u + 3, v, 3 * sizeof(double));
}

/* The velocities of links are those of bodies. */
static void take_velocities(const dls_joint_stage *S, double *u) {
  const dls_trees *t = S->w->trees;
  for (int m = 0; m < t->n_walked; m++) {
    const int k = t->walked_link[m];
    if (t->body_tree[t->link_body[k]] >= 0)
      body_velocity(S->dim, t->velocity + 6 * (size_t)k, DLS_U(S, u, t->link_body[k]));
  }
}

void dls_trees_spread(const dls_joint_stage *S, const double *g, bool moving, double *u) {
  dls_trees *t = S->w->trees;
  if (S->hinged) {
    dls_hinged_spread(S, g, moving, u);
    return;
  }
  dls_forest_velocities(&t->walked, t->state, g, moving, t->velocity);
  take_velocities(S, u);
}

void dls_trees_answer_up(const dls_joint_stage *S, const double *q, const double *x,
                         const double *f) {
  const dls_world *w = S->w;
  dls_trees *t = w->trees;
  if (S->hinged) {
    dls_hinged_up(S, x, f);
    return;
  }
  double *wrench = t->velocity; /* scratch of the same size */
  for (int m = 0; m < t->n_walked; m++) {
    const int k = t->walked_link[m], body = t->link_body[k];
    double Mx[DLS_NU(3)];
    memset(wrench + 6 * (size_t)k, 0, 6 * sizeof(double));
    if (t->body_tree[body] < 0 || !dls_moves_freely(&w->bodies[body])) continue;
    dls_momentum(S->dim, &w->bodies[body], DLS_Q(S, q, body), DLS_U(S, x, body), Mx);
    dls_wrench_add(S->dim, wrench + 6 * (size_t)k, 1, Mx);
  }
  dls_forest_respond_up(&t->walked, t->state, f, wrench);
}

void dls_trees_answer_down(const dls_joint_stage *S, double *du, double *u) {
  dls_trees *t = S->w->trees;
  if (S->hinged) {
    dls_hinged_down(S, du, u);
    return;
  }
  dls_forest_respond_down(&t->walked, t->state, du, t->velocity);
  take_velocities(S, u);
}

void dls_trees_answer(const dls_joint_stage *S, const double *q, const double *x, const double *f,
                      double *du) {
  dls_trees_answer_up(S, q, x, f);
  if (S->hinged) dls_hinged_down(S, du, NULL);
  else dls_forest_respond_down(&S->w->trees->walked, S->w->trees->state, du, NULL);
}

dls_status dls_trees_lend(const dls_joint_stage *S, dls_rows *rows) {
  const dls_trees *t = S->w->trees;
  const size_t nu = (size_t)t->forest->nu, n = 6 * (size_t)t->n_links;
  double *room = DLS_TAKE(&S->w->arena, double, 3 * nu + 2 * n);
  if (!room) return DLS_FULL;
  memset(room, 0, 3 * nu * sizeof *room);
  rows->forest = &t->walked;
  rows->state = t->state;
  rows->tree = t->body_tree;
  rows->link = t->body_link;
  rows->link_body = t->link_body;
  rows->g_free = room;
  rows->g = room + nu;
  rows->dg = room + 2 * nu;
  rows->wrench = room + 3 * nu;
  rows->velocity = rows->wrench + n;
  return DLS_OK;
}

dls_status dls_trees_factor_with(dls_joint_stage *S, const double *more) {
  dls_trees *t = S->w->trees;
  dls_fault fault = {-1, 0};
  if (S->hinged && !dls_pivots_factor(&S->pivots, t->state->bend, more)) S->hinged = false;
  dls_status status = more || t->state->axis
                          ? dls_forest_factor_soft(&t->walked, t->state, more, &fault)
                          : dls_forest_factor(&t->walked, t->state, &fault);
  if (status == DLS_OK) return status;
  t->fault = fault;
  if (fault.index >= 0) t->fault.index = t->link_body[fault.index];
  return status;
}

dls_status dls_trees_begin_step(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  const double time = w->time + (1 - S->theta) * S->h;
  dls_status status = dls_trees_gather(w, w->q, w->u, S->q_c, S->u_c, time);
  if (status != DLS_OK) return status;
  dls_doubled_align(S);
  for (int i = 0; i < t->forest->nu; i++) {
    t->u_before[i] = t->state->u[i];
    t->u_scratch[i] = t->u_before[i] + t->gave[i];
  }
  dls_forest_advance(&t->walked, t->state->q, (1 - S->theta) * S->h, t->u_scratch);
  memcpy(t->drives_mid, t->state->drives, (size_t)t->forest->n_drives * sizeof(dls_drive));
  memcpy(t->given_mid, t->state->given, (size_t)t->forest->n_given * sizeof(dls_given));
  memset(t->u_apart, 0, (size_t)t->forest->nu * sizeof(double));
  t->step_time = S->h;
  t->known = DLS_KNOWN_NOTHING;
  t->pushed = false;
  return DLS_OK;
}

void dls_trees_unweigh(const dls_world *w, dls_rows *rows) {
  const dls_trees *t = w->trees;
  for (int i = 0; i < w->n_bodies; i++) {
    if (t->body_tree[i] < 0) continue;
    rows->inv_mass[i] = 0;
    if (w->dim == 2) rows->inv_inertia[i] = 0;
    else memset(rows->inv_inertia + 9 * (size_t)i, 0, 9 * sizeof(double));
  }
}

/* P u_c in the middle of the step: coordinates' velocities, in state->u, and the bodies' in S->u_t.
** A rotor, as a body of its own, goes on by what gave way before the step. */
static void admit_middle(dls_joint_stage *S) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  dls_trees_spread(S, t->u_before, true, S->u_t);
  for (int l = 0; l < t->n_walked; l++) {
    const int i = t->link_body[t->walked_link[l]];
    for (int m = 0; m < S->nu && t->body_tree[i] >= 0; m++)
      DLS_U(S, S->way, i)[m] = DLS_U(S, S->u_c, i)[m] - DLS_U(S, S->u_t, i)[m];
  }
  dls_rotor_momenta(t, t->gave, t->u_scratch);
  dls_trees_answer(S, S->q_c, S->way, t->u_scratch, t->du);
  for (int i = 0; i < t->forest->nu; i++) {
    state->u[i] = t->u_before[i] + t->du[i];
    t->u_apart[i] = t->du[i] - t->gave[i];
  }
  if (!S->hinged) dls_forest_move(&t->walked, state);
  if (S->hinged) dls_hinged_spread(S, state->u, true, S->u_t);
  else dls_trees_scatter(w, NULL, S->u_t, false);
}

/* Impulses of forces on the links, weight included, and along coordinates. jump had the impulses
** that closed joints before the step (admit.c). */
static void load_links(dls_joint_stage *S) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  const dls_forest_state *state = t->state;
  dls_trees_load(w, S->push, w->springs_push ? DLS_LOAD_SPRINGS : 0);
  for (int l = 0; l < t->n_walked; l++) {
    const size_t k = (size_t)t->walked_link[l];
    const double mass = w->bodies[t->link_body[k]].mass;
    for (size_t m = 6 * k; m < 6 * k + 6; m++) {
      const size_t along = m - 6 * k;
      const double weight = along < 3 ? 0 : mass * w->gravity[along - 3];
      t->wrench[m] = S->h * (state->wrench[m] + weight);
      t->jump[m] = t->wrench[m] - t->jump[m];
    }
  }
  for (int i = 0; i < t->forest->nu; i++) t->impulse[i] = S->h * state->tau[i];
}

/* The bodies' own free velocities as joints leave them. */
static void free_bodies(const dls_joint_stage *S, double *u_free) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  for (int l = 0; l < t->n_walked; l++) {
    const int i = t->link_body[t->walked_link[l]];
    const bool free = dls_moves_freely(&w->bodies[i]);
    for (int m = 0; m < S->nu && t->body_tree[i] >= 0; m++) {
      const double admitted = DLS_U(S, S->u_t, i)[m];
      DLS_U(S, u_free, i)[m] += admitted + (free ? admitted - DLS_U(S, S->u_c, i)[m] : 0);
    }
  }
}

/* What rows know of the trees. */
static void lend_to_rows(const dls_world *w, dls_rows *rows) {
  dls_trees *t = w->trees;
  rows->forest = &t->walked;
  rows->state = t->state;
  rows->tree = t->body_tree;
  rows->link = t->body_link;
  rows->link_body = t->link_body;
  rows->g_free = t->u_free;
  rows->g = t->u_end;
  rows->wrench = t->wrench;
  rows->velocity = t->velocity;
  rows->dg = t->du;
}

/* u_f of the trees. With P the projection on the velocities that joints admit, M-orthogonal, and
** u_c the bodies' own velocities at q_c: u_f = P (u_c + h M^-1 f) - (u_c - P u_c). What a joint
** held before comes back with the opposite sign, so that joints do no work on the mean velocity and
** the step is symmetric in time; the end of the step removes what is left of it
** (dls_joints_admit_end). */
dls_status dls_trees_release(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  memcpy(t->q_mid, state->q, (size_t)t->forest->nq * sizeof(double));
  admit_middle(S);
  load_links(S);
  const dls_status status = dls_tree_springs_soften(S, t->impulse);
  if (status != DLS_OK) return status;
  if (S->hinged) dls_hinged_push_up(S, t->wrench, t->impulse);
  else dls_forest_respond_up(&t->walked, state, t->impulse, t->wrench);
  dls_trees_answer_down(S, t->du, S->rows->u_free);
  for (int i = 0; i < t->forest->nu; i++) t->u_end[i] = t->u_free[i] = state->u[i] + t->du[i];
  free_bodies(S, S->rows->u_free);
  dls_trees_unweigh(w, S->rows);
  lend_to_rows(w, S->rows);
  return DLS_OK;
}

dls_status dls_trees_advance(dls_joint_stage *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  t->pushed = S->rows->pushed;
  for (int i = 0; i < t->forest->nu; i++) /* on the mean velocity: state->u is the one before */
    S->joint_work += 0.5 * S->h * state->tau[i] * (state->u[i] + t->u_end[i]);
  dls_tree_springs_charge(S);
  memcpy(state->q, t->q_mid, (size_t)t->forest->nq * sizeof(double));
  memcpy(state->u, t->u_end, (size_t)t->forest->nu * sizeof(double));
  dls_forest_advance(&t->walked, state->q, S->theta * S->h, t->u_end);
  dls_trees_give(w, S->q_n, S->u_n);
  return dls_trees_drive(w, w->time + S->h);
}
