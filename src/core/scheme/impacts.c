/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impacts.h"

#include "core/contacts/contact_row.h"
#include "core/forest/dynamics.h"
#include "core/joints/tree_step.h"
#include "core/model/frames.h"
#include "core/rows/mass.h"

static bool on_tree(const dls_step *S, const dls_block *block) {
  const int *tree = S->rows.tree;
  const dls_second *s = dls_second_of(&S->rows, block);
  return tree && (tree[block->a] >= 0 || tree[block->b] >= 0 ||
                  (s && (tree[s->c] >= 0 || tree[s->d] >= 0)));
}

double dls_approach_of(const dls_step *S, const dls_contact_stage *C, const dls_block *block,
                       const double *u) {
  const double *J = S->rows.J + (size_t)block->row * 2 * (size_t)S->nu;
  return dls_row_velocity(S->nu, J, DLS_U(S, u, block->a), DLS_U(S, u, block->b)) +
         C->drift[block->row];
}

static void load_link(dls_step *S, int body, double p, const double *J) {
  dls_trees *t = S->w->trees;
  if (dls_is_on_tree(S->w, body))
    dls_wrench_add(S->dim, t->wrench + 6 * (size_t)t->body_link[body], p, J);
}

/* Impulses p of a block as wrenches on links. */
static void load_links(dls_step *S, const dls_block *block, const double *p) {
  const dls_second *s = dls_second_of(&S->rows, block);
  for (int i = 0; i < block->n; i++)
    for (int e = 0; e < 2; e++)
      load_link(S, e == 0 ? block->a : block->b, p[i],
                S->rows.J + ((size_t)(block->row + i) * 2 + (size_t)e) * (size_t)S->nu);
  for (int e = 0; s && e < 2; e++) load_link(S, e == 0 ? s->c : s->d, p[0], s->K + e * S->nu);
}

void dls_strike(dls_step *S, const dls_joint_stage *joints, const dls_block *block, const double *p,
                double *u) {
  const dls_rows *rows = &S->rows;
  const double *MJ = rows->MJ + (size_t)block->row * 2 * (size_t)S->nu;
  for (int i = 0; i < block->n; i++) {
    dls_add_u(S->nu, DLS_U(S, u, block->a), p[i], MJ + i * 2 * S->nu);
    dls_add_u(S->nu, DLS_U(S, u, block->b), p[i], MJ + (i * 2 + 1) * S->nu);
  }
  const dls_second *s = dls_second_of(rows, block);
  if (s) dls_add_u(S->nu, DLS_U(S, u, s->c), p[0], s->MK);
  if (s) dls_add_u(S->nu, DLS_U(S, u, s->d), p[0], s->MK + S->nu);
  if (!on_tree(S, block)) return;
  dls_trees *t = S->w->trees;
  memset(t->wrench, 0, 6 * (size_t)t->n_links * sizeof(double));
  load_links(S, block, p);
  dls_forest_respond(&t->walked, t->state, NULL, t->wrench, t->du);
  for (int i = 0; i < t->forest->nu; i++) t->u_end[i] += t->du[i];
  dls_trees_spread(joints, t->du, false, joints->answer);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    if (t->body_tree[body] >= 0)
      dls_add_u(S->nu, DLS_U(S, u, body), 1, DLS_U(S, joints->answer, body));
  }
}

/* W of the blocks on trees, by unit impulses; u and the trees' velocities are left as they were. */
static void weigh_trees(dls_step *S, const dls_joint_stage *joints, double *u) {
  dls_rows *rows = &S->rows;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!on_tree(S, block)) continue;
    for (int i = 0; i < block->n; i++) {
      double p[DLS_NB(3)] = {0};
      memset(u, 0, (size_t)rows->n_bodies * (size_t)S->nu * sizeof(double));
      memset(S->w->trees->u_end, 0, (size_t)S->w->trees->forest->nu * sizeof(double));
      p[i] = 1;
      dls_strike(S, joints, block, p, u);
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)(block->row + j) * (size_t)S->nb + i] =
            dls_row_speed(S->nu, rows, block, block->row + j, u);
    }
  }
}

/* Number i of the velocities before the step, as joints admit them. */
static double admitted(const dls_step *S, int i) {
  return S->u_off ? S->u_c[i] - S->u_off[i] : S->u_c[i];
}

void dls_begin_impacts(dls_step *S, dls_contact_stage *C, const dls_joint_stage *joints,
                       double *u) {
  dls_rows *rows = &S->rows;
  if (rows->tree) weigh_trees(S, joints, u);
  for (int i = 0; i < rows->n_bodies * S->nu; i++) u[i] = admitted(S, i);
  if (rows->tree)
    memcpy(S->w->trees->u_end, S->w->trees->u_before,
           (size_t)S->w->trees->forest->nu * sizeof(double));
  for (int i = 0; i < rows->n_rows; i++) C->p_impact[i] = 0;
}

/* A velocity after impacts, of that before, which is none. */
static const double NO_REBOUND = 1e-6;

void dls_end_impacts(dls_step *S, const dls_contact_stage *C, const double *u) {
  dls_rows *rows = &S->rows;
  dls_world *w = S->w;
  /* u_free may be borrowed (Poisson) */
  const double *ahead = S->u_ahead == rows->u_free ? S->u_smooth : S->u_ahead;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!dls_strikes(S, block)) continue;
    dls_contact *c = &w->contacts_next[block->source];
    for (int i = block->row; i < block->row + block->n; i++)
      rows->s[i] = dls_reads_more(S, C, block, i);
    rows->s[block->row] += C->drift[block->row];
    if (!(C->p_impact[block->row] > 0) || (c->mark & DLS_MARK_COLLAPSED)) continue;
    const double off =
        dls_admitted_more(S, rows->J + (size_t)block->row * 2 * (size_t)S->nu, block->a, block->b);
    const double v_free = dls_approach_of(S, C, block, ahead) + off,
                 back = dls_approach_of(S, C, block, u);
    /* friction jammed it, say: nothing is to be held */
    if (back <= NO_REBOUND * fabs(c->before)) continue;
    rows->s[block->row] +=
        dls_rebound_at(S, C->bounce[block->row], c->gap, c->before, v_free, back, &c->mark);
  }
  for (int i = 0; i < w->n_bodies * S->nu; i++)
    rows->u_free[i] = S->u_smooth[i] + (u[i] - admitted(S, i));
  if (!rows->tree) return;
  dls_trees *t = w->trees;
  for (int i = 0; i < t->forest->nu; i++) t->u_free[i] += t->u_end[i] - t->u_before[i];
}

void dls_add_impacts(dls_step *S, const dls_contact_stage *C) {
  dls_rows *rows = &S->rows;
  bool any = false;
  for (int i = 0; i < rows->n_rows; i++) {
    rows->p[i] += C->p_impact[i];
    any = any || C->p_impact[i] != 0;
  }
  if (!rows->tree || !any) return;
  memset(rows->wrench, 0, 6 * (size_t)S->w->trees->n_links * sizeof(double));
  for (int k = 0; k < rows->n_blocks; k++)
    if (on_tree(S, &rows->block[k])) load_links(S, &rows->block[k], rows->p + rows->block[k].row);
  rows->pushed = true;
}
