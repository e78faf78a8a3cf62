/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/kinematics.h"

#include "core/forest/flat.h"
#include "core/forest/joint.h"

/* What follows from placed and moved nodes; placing and moving itself is in fast.c. */

dls_place dls_forest_link_place(const dls_forest *forest, const dls_forest_state *state, int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  const dls_place node = {dls_m3_load(s->R_w), dls_v3_load(s->x_w)};
  return dls_place_mul(&node, &info->body);
}

dls_vec3 dls_forest_link_centre(const dls_forest *forest, const dls_forest_state *state, int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  const dls_mat3 R = dls_m3_load(s->R_w);
  return dls_v3_add(dls_v3_load(s->x_w), dls_m3_apply(&R, info->com));
}

dls_spatial dls_forest_link_velocity(const dls_forest *forest, const dls_forest_state *state,
                                     int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  return dls_link_motion(info, s, dls_sp_load(s->v));
}

dls_spatial dls_forest_link_acceleration(const dls_forest *forest, const dls_forest_state *state,
                                         int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  dls_spatial w = dls_sp_load(s->w);
  const dls_vec3 omega = dls_v3_load(s->v);
  const dls_vec3 inward = dls_v3_cross(omega, dls_v3_cross(omega, info->com));
  w.l = dls_v3_add(w.l, inward);
  w = dls_link_motion(info, s, w);
  w.l = dls_v3_add(w.l, dls_v3_load(state->gravity));
  return w;
}

void dls_forest_velocities(const dls_forest *forest, dls_forest_state *state, const double *u,
                           bool moving, double *V) {
  if (forest->flat) {
    dls_flat_velocities(forest, state, u, moving, V);
    return;
  }
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const dls_link_info *info = &forest->links[node->link];
    dls_spatial v = {{0, 0, 0}, {0, 0, 0}};
    if (node->parent >= 0) v = dls_node_down(s, dls_sp_load(state->scratch + 6 * node->parent));
    v = dls_sp_add(v, dls_node_motion(node, s, u + node->iu));
    if (moving && node->kind == DLS_NODE_DRIVEN) {
      v.a.z += node->a * state->drives[node->input].ds;
      v.l.z += node->b * state->drives[node->input].ds;
    } else if (moving && node->kind == DLS_NODE_GIVEN) {
      const dls_mat3 E = dls_node_turn(s);
      v.a = dls_m3_apply_t(&E, dls_v3_load(state->given[node->input].omega));
      v.l = dls_m3_apply_t(&E, dls_v3_load(state->given[node->input].v));
    }
    dls_sp_store(state->scratch + 6 * (size_t)i, v);
    if (info->node == i) dls_sp_store(V + 6 * (size_t)node->link, dls_link_motion(info, s, v));
  }
}

void dls_forest_generalized(const dls_forest *forest, dls_forest_state *state,
                            const double *wrench, double *f) {
  double *P = state->scratch;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_link_info *info = &forest->links[node->link];
    dls_spatial p = {{0, 0, 0}, {0, 0, 0}};
    if (info->node == i)
      p = dls_link_wrench(info, &state->node[i], wrench + 6 * (size_t)node->link);
    dls_sp_store(P + 6 * (size_t)i, p);
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const dls_spatial p = dls_sp_load(P + 6 * (size_t)i);
    dls_node_project(node, s, p, f + node->iu);
    if (node->up < 0) continue;
    double *above = P + 6 * (size_t)node->up;
    dls_sp_store(above, dls_sp_add(dls_sp_load(above), dls_node_up(s, p)));
  }
}

void dls_forest_jacobian(const dls_forest *forest, const dls_forest_state *state, int link,
                         dls_vec3 point, double *J) {
  const size_t nu = (size_t)forest->nu;
  memset(J, 0, 6 * nu * sizeof(double));
  for (int i = forest->links[link].node; i >= 0; i = forest->nodes[i].parent) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const dls_mat3 R = dls_m3_load(s->R_w);
    const dls_vec3 arm = dls_v3_sub(point, dls_v3_load(s->x_w));
    for (int k = 0; k < node->nu; k++) {
      double unit[6] = {0}, column[6];
      unit[k] = 1;
      const dls_spatial x = dls_node_motion(node, s, unit);
      const dls_vec3 a = dls_m3_apply(&R, x.a);
      const dls_vec3 l = dls_v3_add(dls_m3_apply(&R, x.l), dls_v3_cross(a, arm));
      dls_sp_store(column, (dls_spatial){a, l});
      for (int row = 0; row < 6; row++) J[(size_t)row * nu + (size_t)(node->iu + k)] = column[row];
    }
  }
}
