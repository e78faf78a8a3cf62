/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/pinned.h"

#include "core/forest/joint.h"
#include "core/forest/sides.h"

/* Share of what was added up below which a joint is taken to have no moment or force of a row. */
static const double PINNED = 1e-6;

/* A wrench on its way to the root, and by what its force and its moment were added up. */
typedef struct passing {
  int node; /* where it acts */
  dls_spatial wrench; /* about the node's origin, N m and N */
  double force, moment; /* sums of sizes, N and N m */
} passing;

static double sum_of(dls_vec3 x) { return fabs(x.x) + fabs(x.y) + fabs(x.z); }

/* What a force may be by the round-off of a moment on a body, 1/m. */
static double force_of_moment(const dls_node *node) {
  static const double ROUND_OFF = 1e-15;
  const double turn = node->M.J[0] + node->M.J[3] + node->M.J[5];
  return turn > 0 ? ROUND_OFF * sqrt(node->M.m / turn) : 0;
}

/* And a moment by that of a force's arm, which ends on the body's surface, m: of this, PINNED is
** round-off. */
static double moment_of_force(const dls_node *node) {
  static const double ROUND_OFF = 1e-8;
  const double turn = node->M.J[0] + node->M.J[3] + node->M.J[5];
  return node->M.m > 0 ? ROUND_OFF * sqrt(turn / node->M.m) : 0;
}

static passing pass_from(const dls_forest *forest, const dls_forest_state *state,
                         const dls_row_side *side) {
  const dls_link_info *info = &forest->links[side->link];
  const double force = sum_of(dls_v3_load(side->j + 3)), moment = sum_of(dls_v3_load(side->j));
  return (passing){info->node, dls_link_wrench(info, &state->node[info->node], side->j),
                   force + force_of_moment(&forest->nodes[info->node]) * moment,
                   moment +
                       (sum_of(info->com) + moment_of_force(&forest->nodes[info->node])) * force};
}

/* Whether the joint of the node where it acts gives way to a wrench. */
static bool gives_way(const dls_forest *forest, const dls_forest_state *state, const passing *x) {
  const dls_node *node = &forest->nodes[x->node];
  const double *e = dls_forest_axis(forest, state, x->node);
  double z[6];
  dls_node_project(node, &state->node[x->node], x->wrench, z);
  if (e != NULL) return fabs(e[0] * z[0] + e[1] * z[1] + e[2] * z[2]) > PINNED * x->moment;
  for (int k = 0; k < node->nu; k++) {
    double most = x->moment;
    if (node->kind == DLS_NODE_SCREW) most = fabs(node->a) * x->moment + fabs(node->b) * x->force;
    else if (node->kind == DLS_NODE_PLANE && k < 2) most = x->force;
    else if (node->kind == DLS_NODE_FREE && k < 3) most = x->force;
    if (fabs(z[k]) > PINNED * most) return true;
  }
  return false;
}

/* Whether the node that comes first gives way, where it has one of the sides alone: most do. */
static bool first_gives_way(const dls_forest *forest, const dls_forest_state *state, int n,
                            const dls_row_side *sides) {
  int top = 0, alike = 0;
  for (int k = 1; k < n; k++)
    if (forest->links[sides[k].link].node > forest->links[sides[top].link].node) top = k;
  if (n == 0) return false;
  const int node = forest->links[sides[top].link].node;
  for (int k = 0; k < n; k++) alike += forest->links[sides[k].link].node == node;
  if (alike > 1) return false;
  const passing x = pass_from(forest, state, &sides[top]);
  return gives_way(forest, state, &x);
}

/* Joints that do not give way pass wrenches on as they are. */
bool dls_forest_is_pinned(const dls_forest *forest, const dls_forest_state *state, int n,
                          const dls_row_side *sides) {
  passing way[DLS_ROW_SIDES];
  if (n > DLS_ROW_SIDES || first_gives_way(forest, state, n, sides)) return false;
  for (int k = 0; k < n; k++) way[k] = pass_from(forest, state, &sides[k]);
  while (n > 0) {
    int top = 0; /* the node that comes next */
    for (int k = 1; k < n; k++)
      if (way[k].node > way[top].node) top = k;
    passing x = way[top];
    way[top] = way[--n];
    for (int k = n; k-- > 0;) { /* ways that meet here go on as one */
      if (way[k].node != x.node) continue;
      x.wrench = dls_sp_add(x.wrench, way[k].wrench);
      x.force += way[k].force, x.moment += way[k].moment;
      way[k] = way[--n];
    }
    if (gives_way(forest, state, &x)) return false;
    const dls_node *node = &forest->nodes[x.node];
    const dls_node_state *s = &state->node[x.node];
    if (node->up < 0) continue;
    x.wrench = dls_node_up(s, x.wrench);
    x.moment += sum_of(dls_v3_load(s->r)) * x.force;
    x.node = node->up;
    way[n++] = x;
  }
  return true;
}
