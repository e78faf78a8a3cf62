/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/judgement.h"

#include "core/joints/joint_rows.h"
#include "core/joints/trees.h"

/* Whose momentum a body's is counted to: a tree's together, since its joints' forces cancel in the
** sum; -1 where something that is not recorded acts on it (the tree hangs on what is not free, or a
** joint beside the tree). S->scratch: the trees that count. */
static int account_of(const dls_step *S, const dls_joint_stage *joints, int body) {
  if (!dls_moves_freely(&S->w->bodies[body])) return -1;
  if (!dls_is_on_tree(S->w, body)) return dls_joints_act_on(joints, body) ? -1 : body;
  const int tree = S->rows.tree[body];
  return S->scratch[tree] ? tree : -1;
}

static void open_accounts(dls_step *S, const dls_joint_stage *joints) {
  const dls_world *w = S->w;
  memset(S->scratch, 0, (size_t)w->n_bodies);
  for (int i = 0; S->rows.tree && i < w->n_bodies; i++)
    if (S->rows.tree[i] >= 0 && dls_trees_carrier(w, i) < 0) S->scratch[S->rows.tree[i]] = 1;
  for (int i = 0; S->rows.tree && joints->n_unreduced > 0 && i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive || j->formulation == DLS_REDUCED) continue;
    if (S->rows.tree[j->a] >= 0) S->scratch[S->rows.tree[j->a]] = 0;
    if (S->rows.tree[j->b] >= 0) S->scratch[S->rows.tree[j->b]] = 0;
  }
}

void dls_open_judgement(dls_step *S, const dls_joint_stage *joints, dls_account_stage *A) {
  const dls_world *w = S->w;
  const size_t d = (size_t)S->dim;
  int *account = A->account;
  const bool lone = !dls_trees_used(w) && joints->n_unreduced == 0;
  if (!lone) open_accounts(S, joints);
  double *sum = A->unexplained, largest = 0;
  memset(sum, 0, (size_t)w->n_bodies * d * sizeof(double));
  for (int i = 0, n = w->n_bodies; i < n; i++) {
    if (lone) account[i] = S->rows.inv_mass[i] > 0 ? i : -1;
    else account[i] = account_of(S, joints, i);
    if (account[i] < 0) continue;
    const double *u = DLS_U(S, S->u_smooth, i), *u_n = DLS_U(S, S->rows.u, i),
                 mass = dls_mass_at(w, i);
    for (int k = 0; k < S->dim; k++) {
      sum[d * (size_t)account[i] + (size_t)k] += mass * (u_n[k] - u[k]);
      largest = dls_max(largest, mass * fabs(u_n[k]));
    }
  }
  A->judged = (dls_judgement){.largest = largest};
}

/* A contact's share, and whether it keeps its cone. */
static void judge_contact(dls_step *S, dls_account_stage *A, const dls_contact *c) {
  dls_judgement *of = &A->judged;
  const size_t d = (size_t)S->dim;
  double *sum = A->unexplained, p_t = 0;
  const int a = A->account[c->a], b = A->account[c->b];
  for (int k = 0; k < S->dim; k++) {
    if (b >= 0) sum[d * (size_t)b + (size_t)k] -= c->impulse[k];
    if (a >= 0) sum[d * (size_t)a + (size_t)k] += c->impulse[k];
    const double t = c->impulse[k] - c->p_n * c->normal[k];
    p_t += t * t;
    of->largest = dls_max(of->largest, fabs(c->impulse[k]));
  }
  of->cone = dls_max(of->cone, sqrt(p_t) - c->mu * c->p_n);
  of->p_most = dls_max(of->p_most, c->p_n);
}

void dls_judge(dls_step *S, const dls_joint_stage *joints, dls_account_stage *A) {
  dls_world *w = S->w;
  for (int e = 0; e < A->n_general; e++) { /* the others are judged already (disks/record.c) */
    const dls_block *block = &S->rows.block[A->general[e]];
    if (block->source >= 0 && !block->speculative)
      judge_contact(S, A, &w->contacts_next[block->source]);
  }
  const double *left = A->unexplained;
  double worst = 0;
  for (int i = 0, n = S->dim * w->n_bodies; i < n; i++) worst = dls_max(worst, fabs(left[i]));
  const dls_judgement *of = &A->judged;
  w->stats.momentum_error = of->largest > 0 ? worst / of->largest : 0;
  w->stats.momentum_error = dls_max(w->stats.momentum_error, joints->moment_lost);
  w->stats.cone_violation = of->p_most > 0 ? of->cone / of->p_most : 0;
}
