/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/dynamics.h"
#include "core/forest/joint.h"
#include "core/forest/pack.h"
#include "core/forest/quad.h"

#include "core/forest/fast_one.inc.h"

/* Accelerations of a forest by the structured form, node by node, which leaves the factor
** (eliminate.inc.h, kernel.inc.h). */

_Static_assert(sizeof(sums) == DLS_NODE_SCRATCH * sizeof(double), "scratch holds the sums");

static lane_run run_of(const dls_forest *forest, dls_forest_state *state) {
  return (lane_run){.forest = forest,
                    .node = state->node,
                    .sum = (sums *)(void *)state->scratch,
                    .q = state->q,
                    .u = state->u,
                    .tau = state->tau,
                    .udot = state->udot,
                    .drives = state->drives,
                    .given = state->given,
                    .gravity = state->gravity};
}

/* Applied wrenches, taken from the bias of their nodes. */
static void add_loads(const dls_forest *forest, const dls_forest_state *state, sums *sum) {
  for (int i = 0; i < forest->n_links; i++) {
    const dls_link_info *info = &forest->links[i];
    const double *wrench = state->wrench + 6 * (size_t)i;
    double load[6];
    dls_sp_store(load, dls_link_wrench(info, &state->node[info->node], wrench));
    sub3(sum[info->node].P.n, load);
    sub3(sum[info->node].P.f, load + 3);
  }
}

static dls_status go_up(const lane_run *run, dls_fault *fault) {
  const int bad = lanes_up(run);
  if (bad < 0) return DLS_OK;
  *fault = (dls_fault){run->forest->nodes[bad].link, 0};
  return DLS_SINGULAR;
}

/* --- in the plane (flat.h): hinges, and bodies that are free there ---------------------------- */

/* What is not zero of a node's inertia about the z axis and in the plane; and, for the scale of
** pivots, its mass, the moment of that, and the moments of inertia about x and y together. */
typedef struct flat_sums {
  double J, H[2], M[3]; /* kg m^2; kg m; kg: sums over what the node carries */
  double mass, mc[2], across; /* kg; kg m; kg m^2 */
} flat_sums;

static bool back_flat(flat_sums *above, dls_node_state *s, const flat_sums *own) {
  const double D = own->J, *H = own->H, *M = own->M, *E = s->E, *r = s->r;
  if (!(D > SHARE * (own->across + D))) return false;
  const double per = 1.0 / D, x = H[0] * per, y = H[1] * per;
  s->f[0] = s->f[1] = s->f[5] = 0;
  s->f[2] = D * per, s->f[3] = x, s->f[4] = y, s->f[6] = per;
  if (above == NULL) return true;
  const double xx = M[0] - H[0] * x, xy = M[1] - H[0] * y, yy = M[2] - H[1] * y;
  const double T0 = E[0] * xx + E[1] * xy, T1 = E[0] * xy + E[1] * yy, T3 = E[3] * xx + E[4] * xy,
               T4 = E[3] * xy + E[4] * yy;
  const double m[3] = {T0 * E[0] + T1 * E[1], T0 * E[3] + T1 * E[4], T3 * E[3] + T4 * E[4]};
  const double h[2] = {r[0] * m[1] - r[1] * m[0], r[0] * m[2] - r[1] * m[1]};
  for (int k = 0; k < 3; k++) above->M[k] = above->M[k] + m[k];
  for (int k = 0; k < 2; k++) above->H[k] = above->H[k] + h[k];
  above->J = above->J + (r[0] * h[1] - r[1] * h[0]);
  const double c[2] = {E[0] * own->mc[0] + E[1] * own->mc[1],
                       E[3] * own->mc[0] + E[4] * own->mc[1]};
  above->mass += own->mass;
  for (int k = 0; k < 2; k++) above->mc[k] += c[k] + own->mass * r[k];
  above->across +=
      own->across + 2 * (r[0] * c[0] + r[1] * c[1]) + own->mass * (r[0] * r[0] + r[1] * r[1]);
  return true;
}

static bool plane_flat(const dls_node *node, dls_node_state *s, const flat_sums *own,
                       const double *tau) {
  sums full = {.A = {.J = {0, 0, 0, 0, 0, own->J}, .H = {0, 0, 0, 0, 0, 0, own->H[0], own->H[1], 0},
                     .M = {own->M[0], own->M[1], 0, own->M[2], 0, own->mass}}};
  return all_of(back_plane(NULL, node, s, &full, tau));
}

static dls_status factor_flat(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  flat_sums *sum = (flat_sums *)(void *)state->scratch;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_inertia *M = &forest->nodes[i].M;
    sum[i] = (flat_sums){M->J[5], {-M->mc[1], M->mc[0]}, {M->m, 0, M->m},
                         M->m,    {M->mc[0], M->mc[1]},  M->J[0] + M->J[3]};
    if (state->bend != NULL) sum[i].J += state->bend[i];
    state->node[i].soft = false;
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    bool good = true;
    if (node->kind == DLS_NODE_REVOLUTE)
      good = back_flat(node->up >= 0 ? &sum[node->up] : NULL, s, &sum[i]);
    else if (node->kind == DLS_NODE_PLANE)
      good = plane_flat(node, s, &sum[i], state->tau + node->iu);
    if (good) continue;
    *fault = (dls_fault){node->link, 0};
    return DLS_SINGULAR;
  }
  return DLS_OK;
}

dls_status dls_forest_factor(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  if (forest->hinged) return factor_flat(forest, state, fault);
  const lane_run run = run_of(forest, state);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    set_body(&run.sum[i].A, node->M.J, node->M.mc, node->M.m);
    if (state->bend != NULL) dls_node_bend(state, i, run.sum[i].A.J);
    run.sum[i].P = (bias){{0, 0, 0}, {0, 0, 0}};
    state->node[i].soft = false;
  }
  return go_up(&run, fault);
}

dls_status dls_forest_udot(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  const lane_run run = run_of(forest, state);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    set_body(&run.sum[i].A, node->M.J, node->M.mc, node->M.m);
    set_gyroscopic(&run.sum[i].P, node->M.J, node->M.mc, state->node[i].v);
    state->node[i].soft = false;
  }
  if (state->loaded) add_loads(forest, state, run.sum);
  const dls_status status = go_up(&run, fault);
  if (status == DLS_OK) lanes_down(&run);
  return status;
}

dls_status dls_forest_widen(const dls_forest *forest, dls_forest_state *state, int path) {
  dls_forest_packs_destroy(state->packs);
  dls_forest_quad_destroy(state->quad);
  state->quad = NULL;
  const dls_status status = dls_forest_packs_create(&state->packs, forest, path);
  if (status != DLS_OK || state->packs != NULL || path == 0 || path > 1) return status;
  return dls_forest_quad_create(&state->quad, forest);
}

dls_status dls_forest_quick(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  /* where a pack fails, the plain path below says which joint it was */
  if (state->packs != NULL && dls_forest_packs_accelerate(state->packs, state)) return DLS_OK;
  if (state->quad != NULL && dls_forest_quad_accelerate(state->quad, state)) return DLS_OK;
  const lane_run run = run_of(forest, state);
  lanes_forward(&run);
  const dls_status status = go_up(&run, fault);
  if (status == DLS_OK) lanes_down(&run);
  return status;
}

/* --- kinematics ------------------------------------------------------------------------------- */

/* A hinge in the plane (flat.h): what is zero is written once. */
static void place_flat(const dls_node *node, dls_node_state *s, const dls_node_state *k, double q) {
  const double *zero = node->zero.R.m, *R = k->R_w, x = node->zero.p.x, y = node->zero.p.y;
  double sine, cosine, *E = s->E, *W = s->R_w;
  sin_cos(q, &sine, &cosine);
  E[0] = cosine * zero[0] + sine * zero[1], E[1] = cosine * zero[1] - sine * zero[0];
  E[3] = cosine * zero[3] + sine * zero[4], E[4] = cosine * zero[4] - sine * zero[3];
  W[0] = R[0] * E[0] + R[1] * E[3], W[1] = R[0] * E[1] + R[1] * E[4];
  W[3] = R[3] * E[0] + R[4] * E[3], W[4] = R[3] * E[1] + R[4] * E[4];
  E[2] = E[5] = E[6] = E[7] = W[2] = W[5] = W[6] = W[7] = 0;
  E[8] = zero[8], W[8] = R[8] * E[8];
  s->r[0] = x, s->r[1] = y, s->r[2] = 0;
  s->x_w[0] = (R[0] * x + R[1] * y) + k->x_w[0];
  s->x_w[1] = (R[3] * x + R[4] * y) + k->x_w[1];
  s->x_w[2] = k->x_w[2];
}

void dls_forest_place(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    if (forest->flat && node->kind == DLS_NODE_REVOLUTE && node->parent >= 0) {
      place_flat(node, s, &state->node[node->parent], state->q[node->iq]);
      continue;
    }
    lane_place(node, s, state->q, state->drives, state->given);
    if (node->parent < 0) {
      memcpy(s->R_w, s->E, sizeof s->E);
      copy3(s->x_w, s->r);
      continue;
    }
    const dls_node_state *k = &state->node[node->parent];
    for (int a = 0; a < 9; a += 3) {
      const double *R = k->R_w + a;
      for (int b = 0; b < 3; b++)
        s->R_w[a + b] = R[0] * s->E[b] + R[1] * s->E[3 + b] + R[2] * s->E[6 + b];
    }
    mat_vec(s->x_w, k->R_w, s->r);
    add3(s->x_w, k->x_w);
  }
}

void dls_forest_move(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    const dls_node_state *k = node->parent >= 0 ? &state->node[node->parent] : NULL;
    if (node->kind == DLS_NODE_GIVEN) {
      lane_given(node, s, state->given);
      mat_t_vec(s->v + 3, s->E, state->given[node->input].v);
      continue;
    }
    lane_move(node, s, k, state->u, state->drives);
    dls_spatial own = dls_node_motion(node, s, state->u + node->iu);
    if (node->kind == DLS_NODE_DRIVEN) own.l.z += node->b * state->drives[node->input].ds;
    double t[3] = {0, 0, 0}, vel[3];
    if (k != NULL) {
      cross(t, k->v, s->r);
      add3(t, k->v + 3);
    }
    mat_t_vec(s->v + 3, s->E, t);
    dls_v3_store(vel, own.l);
    add3(s->v + 3, vel);
  }
}
