/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of batch.h: the including file defines LANES, WIDE_NAME and WIDE_TABLE. */
#include "core/base/vector.h"

typedef double real DLS_VECTOR(8 * LANES);
typedef double creal;
typedef long long mask DLS_VECTOR(8 * LANES);
typedef struct lane_state {
  real E[9], r[3], v[3], c[3], zeta[3], y[6], w[6], f[24]; /* as in dls_node_state */
} lane_state;
#include "core/forest/lanes.inc.h"

#include "core/forest/fast.inc.h"

/* Where a node passes up. */
typedef struct wide_above {
  const dls_node *node; /* of the forest */
  const lane_state *s; /* its motion, by lanes */
  sums *sum; /* NULL: nothing is passed up */
} wide_above;

/* What is the same in all blocks, of one node. */
typedef struct wide_step {
  const dls_node *node;     /* of the forest */
  lane_state *s;            /* its motion, by lanes */
  const lane_state *parent; /* NULL: the inertial frame        */
  const real *w;            /* the parent's motion             */
  sums *own;                /* what its children pass up to it */
  wide_above above;         /* its parent */
  bool first, leaf;         /* as in dls_batch_sum             */
} wide_step;

#include "core/forest/wide_nodes.inc.h"

/* One block on its way through the nodes. */
typedef struct wide_block {
  int n;           /* nodes                                            */
  wide_step *step; /* n                                                */
  lane_run run;    /* for the nodes that wide_nodes.inc.h does not know */
} wide_block;

/* The work of n nodes: states, sums, steps. */
static wide_block lay_out(const dls_forest_batch *batch, void *work, const real *root) {
  const int n = batch->forest->n_nodes;
  const dls_node *nodes = batch->forest->nodes;
  lane_state *state = (lane_state *)work;
  sums *sum = (sums *)(void *)(state + n);
  wide_step *step = (wide_step *)(void *)(sum + n);
  for (int i = 0; i < n; i++) {
    const dls_batch_sum *place = &batch->sums[i];
    const lane_state *parent = nodes[i].parent >= 0 ? &state[nodes[i].parent] : NULL;
    step[i] = (wide_step){.node = &nodes[i],
                          .s = &state[i],
                          .parent = parent,
                          .w = parent != NULL ? parent->w : root,
                          .own = &sum[place->slot],
                          .first = place->first,
                          .leaf = place->leaf};
    if (nodes[i].up >= 0)
      step[i].above = (wide_above){&nodes[nodes[i].up], parent, &sum[batch->sums[nodes[i].up].slot]};
  }
  return (wide_block){.n = n,
                      .step = step,
                      .run = {.forest = batch->forest,
                              .node = state,
                              .drives = batch->drives,
                              .given = batch->given,
                              .gravity = batch->gravity}};
}
static void turn_to(wide_block *x, const dls_forest_batch *batch, int block) {
  const size_t width = LANES, b = (size_t)block;
  const size_t nq = (size_t)batch->forest->nq * width, nu = (size_t)batch->forest->nu * width;
  x->run.q = (const real *)(const void *)(batch->q + b * nq);
  x->run.u = (const real *)(const void *)(batch->u + b * nu);
  x->run.tau = (const real *)(const void *)(batch->tau + b * nu);
  x->run.udot = (real *)(void *)(batch->udot + b * nu);
}

/* --- the passes ------------------------------------------------------------------------------- */

/* Sines and cosines of all hinges. */
static void find_angles(const wide_block *x) {
  for (int i = 0; i < x->n; i++) {
    const wide_step *step = &x->step[i];
    if (step->node->kind == DLS_NODE_REVOLUTE) hinge_angle(step->s, x->run.q + step->node->iq);
  }
}

static inline void forward_other(const lane_run *run, const wide_step *step) {
  lane_place(step->node, step->s, run->q, run->drives, run->given);
  if (step->node->kind == DLS_NODE_GIVEN)
    lane_given(step->node, step->s, run->given);
  else
    lane_move(step->node, step->s, step->parent, run->u, run->drives);
}
static void go_forward(const wide_block *x) {
  for (int i = 0; i < x->n; i++) {
    const wide_step *step = &x->step[i];
    const dls_node *node = step->node;
    const real *q = x->run.q + node->iq, *u = x->run.u + node->iu;
    switch (node->kind) {
      case DLS_NODE_REVOLUTE: hinge_in(node, step->s, step->parent, u); break;
      case DLS_NODE_BALL: ball_in(node, step->s, step->parent, q, u); break;
      default: forward_other(&x->run, step);
    }
  }
}

static inline void begin_sum(sums *own, const dls_node *node, const lane_state *s) {
  set_body(&own->A, node->M.J, node->M.mc, node->M.m);
  set_gyroscopic(&own->P, node->M.J, node->M.mc, s->v);
}
static inline mask up_other(const wide_step *step, const real *tau) {
  const dls_node *node = step->node;
  lane_state *s = step->s;
  sums *own = step->own, *above = step->above.sum;
  if (step->first) begin_sum(above, step->above.node, step->above.s);
  switch (node->kind) {
    case DLS_NODE_SCREW: return back_screw(above, node, s, own, tau[0]);
    case DLS_NODE_FREE: return back_free(above, node->zero.R.m, s, own, tau);
    case DLS_NODE_PLANE: return back_plane(above, node, s, own, tau);
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
      if (above == NULL) break;
      add_spin(own, s);
      pass_up(above, s, own);
      break;
    default: break; /* given: its links start trees of their own */
  }
  return MASK_ALL;
}
static bool go_up(const wide_block *x) {
  mask good = MASK_ALL, fine;
  for (int i = x->n - 1; i >= 0; i--) {
    const wide_step *step = &x->step[i];
    const real *tau = x->run.tau + step->node->iu;
    if (step->leaf) begin_sum(step->own, step->node, step->s);
    switch (step->node->kind) {
      case DLS_NODE_REVOLUTE:
        fine = step->first ? hinge_up_first(step, tau) : hinge_up_next(step, tau);
        break;
      case DLS_NODE_BALL:
        fine = step->first ? ball_up_first(step, tau) : ball_up_next(step, tau);
        break;
      default: fine = up_other(step, tau);
    }
    good = good & fine;
  }
  return all_of(good);
}

static void go_down(const wide_block *x, const real *root) {
  for (int i = 0; i < x->n; i++) {
    const wide_step *step = &x->step[i];
    real *udot = x->run.udot + step->node->iu;
    switch (step->node->kind) {
      case DLS_NODE_REVOLUTE: hinge_out(step->node, step->s, step->w, udot); break;
      case DLS_NODE_BALL: ball_out(step->node, step->s, step->w, udot); break;
      default: lane_down(&x->run, i, root);
    }
  }
}
/* go_down with one block and go_forward with the next. */
static void go_over(const wide_block *x, const wide_block *next, const real *root) {
  for (int i = 0; i < x->n; i++) {
    const wide_step *step = &x->step[i];
    const dls_node *node = step->node;
    real *udot = x->run.udot + node->iu;
    const real *q = next->run.q + node->iq, *u = next->run.u + node->iu;
    switch (node->kind) {
      case DLS_NODE_REVOLUTE: hinge_over(node, step->s, step->w, udot, step->parent, u); break;
      case DLS_NODE_BALL: ball_over(node, step->s, step->w, udot, step->parent, q, u); break;
      default:
        lane_down(&x->run, i, root);
        forward_other(&next->run, step);
    }
  }
}

/* A node waits for its parent on the way down: meanwhile the next block goes forward, and its
** numbers replace those that the node has done with. */
static int accelerate(const dls_forest_batch *batch, void *work) {
  const real z = {0};
  const double *g = batch->gravity;
  const real root[6] = {z, z, z, z - g[0], z - g[1], z - g[2]};
  wide_block x = lay_out(batch, work, root), next = x;
  turn_to(&x, batch, 0);
  find_angles(&x);
  go_forward(&x);
  for (int b = 0; b < batch->n_blocks; b++) {
    turn_to(&x, batch, b);
    if (!go_up(&x)) return b;
    if (b + 1 == batch->n_blocks) break;
    turn_to(&next, batch, b + 1);
    find_angles(&next);
    go_over(&x, &next, root);
  }
  go_down(&x, root);
  return -1;
}

const dls_forest_lanes WIDE_TABLE = {
    WIDE_NAME, LANES, sizeof(lane_state) + sizeof(sums) + sizeof(wide_step), accelerate};
