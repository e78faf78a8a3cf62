/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Stages of a step that see trees: the same three moments as for free bodies (q_c, u_f, q'), in the
** coordinates of the joints; the bodies' arrays follow. */

/* Joints drift to q_c; bodies in trees are placed there. */
static dls_status begin_trees(step *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  const double time = w->time + (1 - S->theta) * S->h;
  dls_status status = dls_trees_gather(w, w->q, w->u, S->q_c, S->u_c, time);
  if (status != DLS_OK) return status;
  memcpy(t->u_before, t->state->u, (size_t)t->forest->nu * sizeof(double));
  dls_forest_advance(t->forest, t->state->q, (1 - S->theta) * S->h, t->state->u);
  memcpy(t->drives_mid, t->state->drives, (size_t)t->forest->n_drives * sizeof(dls_drive));
  memcpy(t->given_mid, t->state->given, (size_t)t->forest->n_given * sizeof(dls_given));
  t->step_time = S->h;
  t->known = DLS_KNOWN_NOTHING;
  t->pushed = false;
  memcpy(t->q_mid, t->state->q, (size_t)t->forest->nq * sizeof(double));
  dls_forest_place(t->forest, t->state);
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(w, S->q_c, S->u_c, false);
  return DLS_OK;
}

static bool held_by_tree(const step *S, int body) {
  return S->rows.tree && S->rows.tree[body] >= 0;
}

/* (v, w) numbers of a row as (moment, force) on a link, p times. */
static void link_wrench(const double *j, double p, double *out) {
#if D == 2
  out[2] += p * j[2];
  out[3] += p * j[0];
  out[4] += p * j[1];
#else
  for (int i = 0; i < 3; i++) {
    out[i] += p * j[3 + i];
    out[3 + i] += p * j[i];
  }
#endif
}

/* Velocities of bodies in trees from generalized ones. */
static void spread(step *S, const double *g, double *u) {
  dls_trees *t = S->w->trees;
  dls_forest_velocities(t->forest, t->state, g, true, t->velocity);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    if (t->body_tree[body] < 0) continue;
    const double *v = t->velocity + 6 * (size_t)k;
#if D == 2
    U(u, body)[0] = v[3], U(u, body)[1] = v[4], U(u, body)[2] = v[2];
#else
    memcpy(U(u, body), v + 3, 3 * sizeof(double));
    memcpy(U(u, body) + 3, v, 3 * sizeof(double));
#endif
  }
}

/* u_f of the trees; to the rows their bodies are known by the forest alone. */
static dls_status release_trees(step *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  dls_rows *rows = &S->rows;
  dls_fault fault = {-1, 0};
  dls_trees_load(w, S->push, false);
  const dls_forest_method method = (dls_forest_method)t->method;
  dls_status status = dls_forest_accelerate(t->forest, t->state, method, &t->arena, &fault);
  if (status == DLS_OK && method != DLS_FOREST_FAST)
    status = dls_forest_factor(t->forest, t->state, &fault);
  if (status != DLS_OK) {
    t->fault = fault;
    if (fault.index >= 0) t->fault.index = t->link_body[fault.index];
    return status;
  }
  for (int i = 0; i < t->forest->nu; i++)
    t->u_end[i] = t->u_free[i] = t->u_before[i] + S->h * t->state->udot[i];
  spread(S, t->u_free, rows->u_free);
  for (int i = 0; i < w->n_bodies; i++) {
    if (t->body_tree[i] < 0) continue;
    rows->inv_mass[i] = 0;
    memset(rows->inv_inertia + (D == 2 ? 1 : 9) * (size_t)i, 0, (D == 2 ? 1 : 9) * sizeof(double));
  }
  rows->forest = t->forest;
  rows->state = t->state;
  rows->tree = t->body_tree;
  rows->link = t->body_link;
  rows->link_body = t->link_body;
  rows->g_free = t->u_free;
  rows->g = t->u_end;
  rows->wrench = t->wrench;
  rows->velocity = t->velocity;
  rows->dg = t->du;
  return DLS_OK;
}

/* q' of the trees: stays in the forest's state until the step is kept. */
static dls_status advance_trees(step *S) {
  dls_world *w = S->w;
  if (!dls_trees_used(w)) return DLS_OK;
  dls_trees *t = w->trees;
  dls_forest_state *state = t->state;
  t->pushed = S->rows.pushed;
  memcpy(state->q, t->q_mid, (size_t)t->forest->nq * sizeof(double));
  memcpy(state->u, t->u_end, (size_t)t->forest->nu * sizeof(double));
  dls_forest_advance(t->forest, state->q, S->theta * S->h, t->u_end);
  dls_trees_give(w, S->q_n, S->u_n);
  dls_status status = dls_trees_drive(w, w->time + S->h);
  if (status != DLS_OK) return status;
  dls_forest_place(t->forest, state);
  dls_forest_move(t->forest, state);
  dls_trees_scatter(w, S->q_n, S->u_n, false);
  return DLS_OK;
}
