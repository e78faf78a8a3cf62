/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/dynamics.h"
#include "core/forest/joint.h"
#include "core/forest/pack.h"
#include "core/forest/quad.h"
#include "core/math/elementary.h"

/* The structured sweep (fast.inc.h) on one state. */

typedef double real;
typedef double creal;
typedef int mask;
typedef dls_node_state lane_state;
#define LANES 1
#define MASK_ALL 1
static inline mask above_bound(real x, real bound) { return x > bound; }
static inline bool all_of(mask m) { return m != 0; }
static inline real magnitude(real x) { return fabs(x); }
static inline void each_large_angle(real x, real *s, real *c) {
  if (!(fabs(x) < DLS_LANE_ANGLE)) dls_sincos(x, s, c);
}
#include "core/forest/fast.inc.h"

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

dls_status dls_forest_factor(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  const lane_run run = run_of(forest, state);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    set_body(&run.sum[i].A, node->M.J, node->M.mc, node->M.m);
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

void dls_forest_place(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
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
