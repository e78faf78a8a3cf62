/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* How well the recorded contacts explain the change of momentum: accounts are opened before contacts are
** recorded. */

/* Whose momentum a body's is counted to: a tree's together, since its joints' forces cancel in the
** sum; -1 where something that is not recorded acts on it (the tree hangs on what is not free, or a
** joint beside the tree). S->idle: the trees that count. */
static int account_of(const step *S, int body) {
  if (!moves_freely(&S->w->bodies[body])) return -1;
  if (!held_by_tree(S, body)) return is_bound(S, body) ? -1 : body;
  const int tree = S->rows.tree[body];
  return S->idle[tree] ? tree : -1;
}

static void open_accounts(step *S) {
  const dls_world *w = S->w;
  memset(S->idle, 0, (size_t)w->n_bodies);
  for (int i = 0; S->rows.tree && i < w->n_bodies; i++)
    if (S->rows.tree[i] >= 0 && dls_trees_carrier(w, i) < 0) S->idle[S->rows.tree[i]] = 1;
  for (int i = 0; S->rows.tree && S->n_unreduced > 0 && i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive || j->formulation == DLS_REDUCED) continue;
    if (S->rows.tree[j->a] >= 0) S->idle[S->rows.tree[j->a]] = 0;
    if (S->rows.tree[j->b] >= 0) S->idle[S->rows.tree[j->b]] = 0;
  }
}

/* What of the change of momentum contacts are to explain. */
static void open_judgement(step *S) {
  const dls_world *w = S->w;
  int *account = S->account;
  const bool lone = !dls_trees_used(w) && S->n_unreduced == 0;
  if (!lone) open_accounts(S);
  double *sum = S->unexplained, largest = 0;
  memset(sum, 0, (size_t)w->n_bodies * D * sizeof(double));
  for (int i = 0, n = w->n_bodies; i < n; i++) {
    if (lone) account[i] = S->rows.inv_mass[i] > 0 ? i : -1;
    else account[i] = account_of(S, i);
    if (account[i] < 0) continue;
    const double *u = U(S->u_smooth, i), *u_n = U(S->rows.u, i), mass = mass_of(w, i);
    for (int k = 0; k < D; k++) {
      sum[D * (size_t)account[i] + k] += mass * (u_n[k] - u[k]);
      largest = dls_max(largest, mass * fabs(u_n[k]));
    }
  }
  S->judged = (judgement){.largest = largest};
}

/* A contact's share, and whether it keeps its cone. */
static void judge_contact(step *S, const dls_contact *c) {
  judgement *of = &S->judged;
  double *sum = S->unexplained, p_t = 0;
  const int a = S->account[c->a], b = S->account[c->b];
  for (int k = 0; k < D; k++) {
    if (b >= 0) sum[D * (size_t)b + k] -= c->impulse[k];
    if (a >= 0) sum[D * (size_t)a + k] += c->impulse[k];
    const double t = c->impulse[k] - c->p_n * c->normal[k];
    p_t += t * t;
    of->largest = dls_max(of->largest, fabs(c->impulse[k]));
  }
  of->cone = dls_max(of->cone, sqrt(p_t) - c->mu * c->p_n);
  of->p_most = dls_max(of->p_most, c->p_n);
}
