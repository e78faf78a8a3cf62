/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/curvature.h"

#include "core/joints/hinged.h"
#include "core/math/principal.h"

/* Of a body's own inertia: what its curvature may take of it at most. */
static const double MOST_TAKEN = 0.5;

bool dls_joints_curvature_is_whole(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  if (S->dim != 2 || S->n_gears > 0) return false;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (joint->alive && joint->formulation != DLS_PENALTY && !dls_joint_pins(joint)) return false;
  }
  return true;
}

double dls_joints_virial_of(const dls_overlap *o, int e, const double pivot[2]) {
  const double *J = o->J + 3 * e;
  return o->pi * (J[0] * (o->at[0] - pivot[0]) + J[1] * (o->at[1] - pivot[1]));
}

/* Forces on the nodes of the trees' bodies, two numbers each, and the virials of what acts on them
** themselves. */
static void start_trees(const dls_joint_stage *S, const dls_overlap *o, int n, const double *q,
                        double *force) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  memset(force, 0, 2 * (size_t)t->walked.n_nodes * sizeof *force);
  memset(S->bend, 0, (size_t)t->walked.n_nodes * sizeof *S->bend);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k], node = t->forest->links[k].node;
    if (t->body_tree[body] < 0 || !dls_moves_freely(&w->bodies[body])) continue;
    const double *x = DLS_U(S, S->way, body), *centre = DLS_Q(S, q, body),
                 *pivot = t->state->node[node].x_w;
    for (int d = 0; d < 2; d++) {
      force[2 * node + d] = w->bodies[body].mass * x[d];
      S->bend[node] += force[2 * node + d] * (centre[d] - pivot[d]);
    }
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body)) continue;
      const int node = t->forest->links[t->body_link[body]].node;
      for (int d = 0; d < 2; d++) force[2 * node + d] += o[k].pi * o[k].J[3 * e + d];
      if (o[k].pinned) S->bend[node] += dls_joints_virial_of(&o[k], e, t->state->node[node].x_w);
    }
}

double dls_joints_least_bend(const dls_body *body) { return -MOST_TAKEN * body->inertia[0]; }

/* From tips to roots: a child hands its force on where its joint is. */
static void bend_trees(const dls_joint_stage *S, double *force) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  for (int i = t->walked.n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &t->forest->nodes[i];
    const double *at = t->state->node[i].x_w;
    const bool carries =
        t->forest->links[node->link].node == i; /* others have no inertia to lose */
    S->bend[i] = dls_max(S->bend[i],
                         carries ? dls_joints_least_bend(&w->bodies[t->link_body[node->link]]) : 0);
    if (node->up < 0) continue;
    const double *above = t->state->node[node->up].x_w;
    for (int d = 0; d < 2; d++) {
      force[2 * node->up + d] += force[2 * i + d];
      S->bend[node->up] += force[2 * i + d] * (at[d] - above[d]);
    }
  }
}

/* --- in space ------------------------------------------------------------------------------- */

/* K += F . v 1 - (F v' + v F')/2, six numbers. */
static void add_virial(const double F[3], const double v[3], double *K) {
  const double along = F[0] * v[0] + F[1] * v[1] + F[2] * v[2];
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++)
      K[k] += (i == j ? along : 0) - 0.5 * (F[i] * v[j] + F[j] * v[i]);
}

/* What of it is not negative. */
static void leave_positive(double *K) {
  double A[3][3] = {{K[0], K[1], K[2]}, {K[1], K[3], K[4]}, {K[2], K[4], K[5]}}, V[3][3];
  dls_principal(A, V);
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++) {
      K[k] = 0;
      for (int a = 0; a < 3; a++) K[k] += dls_max(A[a][a], 0) * V[i][a] * V[j][a];
    }
}

void dls_joints_find_curvature_3(dls_joint_stage *S, const double *q) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  double *force = t->state->scratch, v[3];
  memset(force, 0, 3 * (size_t)t->walked.n_nodes * sizeof *force);
  memset(S->bend, 0, 6 * (size_t)t->walked.n_nodes * sizeof *S->bend);
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k], node = t->forest->links[k].node;
    if (t->body_tree[body] < 0 || !dls_moves_freely(&w->bodies[body])) continue;
    double F[3];
    for (int d = 0; d < 3; d++) {
      F[d] = w->bodies[body].mass * DLS_U(S, S->way, body)[d];
      v[d] = DLS_Q(S, q, body)[d] - t->state->node[node].x_w[d];
      force[3 * node + d] += F[d];
    }
    add_virial(F, v, S->bend + 6 * (size_t)node);
  }
  for (int i = t->walked.n_nodes - 1; i >= 0; i--) {
    const int up = t->forest->nodes[i].up;
    leave_positive(S->bend + 6 * (size_t)i);
    if (up < 0) continue;
    for (int d = 0; d < 3; d++) {
      v[d] = t->state->node[i].x_w[d] - t->state->node[up].x_w[d];
      force[3 * up + d] += force[3 * i + d];
    }
    add_virial(force + 3 * (size_t)i, v, S->bend + 6 * (size_t)up);
  }
}

/* --- in the plane ----------------------------------------------------------------------------- */

void dls_joints_find_curvature(dls_joint_stage *S, const dls_overlap *o, int n, const double *q) {
  const dls_world *w = S->w;
  memset(S->turning, 0, (size_t)w->n_bodies * sizeof *S->turning);
  for (int k = 0; k < n; k++)
    for (int e = 0; e < dls_overlap_ends(&o[k]) && o[k].pinned; e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (dls_moves_freely(&w->bodies[body]) && !dls_held_by_tree(S, body))
        S->turning[body] += dls_joints_virial_of(&o[k], e, DLS_Q(S, q, body));
    }
  for (int i = 0; i < w->n_bodies && n > 0; i++) {
    if (S->turning[i] != 0)
      S->turning[i] = dls_max(S->turning[i], dls_joints_least_bend(&w->bodies[i]));
  }
  if (!dls_trees_used(w)) return;
  if (S->hinged) {
    dls_hinged_bend(S, o, n);
    return;
  }
  double *force = w->trees->state->scratch;
  start_trees(S, o, n, q, force);
  bend_trees(S, force);
}

void dls_joints_add_curvature(dls_joint_stage *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (S->turning[i] == 0 || !S->held[i] || dls_held_by_tree(S, i) ||
        !dls_moves_freely(&w->bodies[i]))
      continue;
    const double inertia = w->bodies[i].inertia[0], share = inertia / (inertia + S->turning[i]);
    S->rows->inv_inertia[i] = share * w->bodies[i].inverse[0];
    DLS_U(S, S->way, i)[2] *= share;
  }
}
