/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/holds.h"

#include "core/accelerations/constrain.h"
#include "core/accelerations/joint_acc.h"
#include "core/event_world/motion.h"
#include "core/events/event_parts.h"
#include "core/joints/joint_forces.h"
#include "core/model/frames.h"

enum { ROWS = 12 }; /* of a joint, at most: held directions and prescribed motions */

dls_status dls_holds_create(dls_holds *holds, dls_event_world *x) {
  const dls_world *w = x->world;
  *holds = (dls_holds){.of = x};
  if (!dls_world_is_constrained(w)) return DLS_OK;
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation == DLS_RIGID) holds->room += ROWS;
  holds->room += w->n_gears;
  const size_t n = (size_t)holds->room, nu = (size_t)x->nu, doubles = 2 * n * nu + 2 * n * n + 3 * n;
  const size_t bytes = dls_arena_bytes(doubles, sizeof(double)) + dls_arena_bytes(n, sizeof(int)) + 4 * DLS_ALIGN;
  holds->block = dls_new(&x->alloc, bytes, 1);
  if (holds->block == NULL) return DLS_NOMEM;
  holds->block_size = bytes;
  dls_arena arena = dls_arena_over(holds->block, bytes);
  double *at = DLS_TAKE(&arena, double, doubles);
  holds->perm = DLS_TAKE(&arena, int, n);
  holds->B = at, at += n * nu;
  holds->MB = at, at += n * nu;
  holds->W = at, at += n * n;
  holds->A = at, at += n * n;
  holds->b = at, at += n;
  holds->x = at, at += n;
  holds->scale = at;
  return DLS_OK;
}

void dls_holds_destroy(dls_holds *holds) {
  if (holds->block != NULL) dls_free(&holds->of->alloc, holds->block, holds->block_size, 1);
  *holds = (dls_holds){0};
}

/* What a row sees of a body, as moment about its centre and force. */
static dls_spatial side_of(const dls_world *w, const dls_acc_row *row, int end) {
  const double *J = row->J + (size_t)end * dls_nu_of(w);
  if (w->dim == 2) return (dls_spatial){{0, 0, J[2]}, {J[0], J[1], 0}};
  return (dls_spatial){{J[3], J[4], J[5]}, {J[0], J[1], J[2]}};
}

/* Acceleration of a body, with the forces of now. */
static dls_status acceleration_of(const dls_world *w, int body, dls_spatial *out) {
  const int link = w->trees->body_link[body];
  double p[3], r[4], v[3], rate[3], more[6] = {0};
  *out = (dls_spatial){{0, 0, 0}, {0, 0, 0}};
  if (link >= 0) {
    *out = dls_forest_link_acceleration(w->trees->forest, w->trees->state, link);
  } else if (w->bodies[body].moved && w->hooks.motion) {
    const dls_status status = w->hooks.motion(w->hooks.ud, body, w->time, p, r, v, rate, more);
    *out = (dls_spatial){dls_v3_load(more + 3), dls_v3_load(more)};
    return status;
  }
  return DLS_OK;
}

/* Row number holds->n, its acceleration without it in b. */
static dls_status add_row(dls_holds *holds, const dls_acc_row *row) {
  dls_event_world *x = holds->of;
  const dls_world *w = x->world;
  const int body[4] = {row->a, row->b, row->c, row->d}, i = holds->n++;
  const dls_trees *t = w->trees;
  holds->b[i] = -row->bias;
  for (int e = 0; e < row->n_ends; e++) {
    const dls_spatial j = side_of(w, row, e);
    dls_spatial a;
    const dls_status status = acceleration_of(w, body[e], &a);
    if (status != DLS_OK) return status;
    holds->b[i] += dls_v3_dot(j.a, a.a) + dls_v3_dot(j.l, a.l);
    if (t->body_link[body[e]] < 0) continue;
    double *wrench = x->wrench + 6 * (size_t)t->body_link[body[e]];
    dls_v3_store(wrench, dls_v3_add(dls_v3_load(wrench), j.a));
    dls_v3_store(wrench + 3, dls_v3_add(dls_v3_load(wrench + 3), j.l));
  }
  dls_forest_generalized(t->forest, t->state, x->wrench, holds->B + (size_t)i * (size_t)x->nu);
  for (int e = 0; e < row->n_ends; e++)
    if (t->body_link[body[e]] >= 0) memset(x->wrench + 6 * (size_t)t->body_link[body[e]], 0, 6 * sizeof(double));
  return DLS_OK;
}

/* x = W^+ b */
static void solve(dls_holds *holds) {
  const size_t n = (size_t)holds->n;
  memcpy(holds->A, holds->W, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    const double diagonal = holds->W[i * n + i];
    holds->scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  dls_ranked_solve(holds->n, holds->A, holds->b, holds->scale, holds->perm, holds->x);
}

/* The force of one row on its bodies: the forest's wrenches, the joint's own. */
static void push(dls_holds *holds, const dls_acc_row *row, int joint, int other, double force) {
  dls_world *w = holds->of->world;
  const int body[4] = {row->a, row->b, row->c, row->d};
  for (int e = 0; e < row->n_ends; e++) {
    const int link = w->trees->body_link[body[e]];
    if (link < 0) continue;
    const dls_spatial j = side_of(w, row, e);
    double *wrench = w->trees->state->wrench + 6 * (size_t)link;
    dls_v3_store(wrench, dls_v3_axpy(dls_v3_load(wrench), force, j.a));
    dls_v3_store(wrench + 3, dls_v3_axpy(dls_v3_load(wrench + 3), force, j.l));
  }
  dls_joint_own_add(w, w->q, joint, row->J, force);
  if (other >= 0) dls_joint_own_add(w, w->q, other, row->J + 2 * dls_nu_of(w), force);
}

/* Each row to `visit` as it is now. */
static dls_status each_row(dls_holds *holds, bool told) {
  dls_world *w = holds->of->world;
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  dls_status status = DLS_OK;
  int at = 0;
  for (int i = 0; i < w->n_joints && status == DLS_OK; i++) {
    const int m = dls_joint_acc_rows(w, i, rows);
    for (int k = 0; k < m && status == DLS_OK; k++) {
      if (rows[k].kind != DLS_ROW_BILATERAL || at == holds->room) continue;
      if (told) push(holds, &rows[k], i, -1, holds->x[at++]);
      else at++, status = add_row(holds, &rows[k]);
    }
  }
  for (int i = 0; i < w->n_gears && status == DLS_OK; i++) {
    if (!dls_gear_acc_row(w, i, rows) || at == holds->room) continue;
    if (told) push(holds, rows, w->gears[i].joint[1], w->gears[i].joint[0], holds->x[at++]);
    else at++, status = add_row(holds, rows);
  }
  return status;
}

dls_status dls_holds_accelerate(dls_holds *holds) {
  const dls_event_world *x = holds->of;
  const dls_trees *t = x->world->trees;
  holds->n = 0;
  dls_status status = each_row(holds, false);
  if (status != DLS_OK || holds->n == 0) return status;
  const size_t n = (size_t)holds->n, nu = (size_t)x->nu;
  dls_forest_solve(t->forest, t->state, holds->n, holds->B, holds->MB);
  for (size_t i = 0; i < n; i++) {
    holds->b[i] = -holds->b[i];
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t l = 0; l < nu; l++) sum += holds->B[i * nu + l] * holds->MB[j * nu + l];
      holds->W[i * n + j] = sum;
    }
  }
  solve(holds);
  t->state->loaded = true;
  return each_row(holds, true);
}

void dls_holds_answer(dls_holds *holds, int k, double *x) {
  const size_t nu = (size_t)holds->of->nu, n = (size_t)holds->n;
  for (int r = 0; r < k && n > 0; r++, x += nu) {
    for (size_t i = 0; i < n; i++) {
      holds->b[i] = 0;
      for (size_t l = 0; l < nu; l++) holds->b[i] -= holds->B[i * nu + l] * x[l];
    }
    solve(holds);
    for (size_t i = 0; i < n; i++)
      for (size_t l = 0; l < nu; l++) x[l] += holds->x[i] * holds->MB[i * nu + l];
  }
}

dls_status dls_holds_project(dls_holds *holds, double t, double *q, double *u) {
  dls_event_world *x = holds->of;
  const dls_forest_state *state = x->world->trees->state;
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status == DLS_OK) status = dls_constrain_state(x->world, t);
  x->placed = x->moving = x->accelerated = false;
  if (status != DLS_OK) return status;
  memcpy(q, state->q, (size_t)x->nq * sizeof *q);
  memcpy(u, state->u, (size_t)x->nu * sizeof *u);
  return DLS_OK;
}
