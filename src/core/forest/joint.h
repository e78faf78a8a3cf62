/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_JOINT_H
#define DLS_FOREST_JOINT_H

#include "core/forest/state.h"

/* What the kinds of node are, for the parts of the library that do not care for speed: A u, A' R
** and the transforms C, C' of one placed node. Shared inside core/forest. */

/* Values of a spatial vector in an array. */
static inline dls_mat3 dls_node_turn(const dls_node_state *s) { return dls_m3_load(s->E); }

/* The node's axes in the zero frame of its joint: zero.R' E. */
static inline dls_mat3 dls_node_turn_zero(const dls_node *node, const dls_node_state *s) {
  const dls_mat3 E = dls_node_turn(s);
  return dls_m3_t_mul(&node->zero.R, &E);
}

/* The inertia state->bend of a node, in node axes, beside J (xx, xy, xz, yy, yz, zz). */
static inline void dls_node_bend(const dls_forest_state *state, int node, double *J) {
  const double *R = state->node[node].R_w, *n = R + 6;
  if (!state->bends) {
    for (int i = 0, k = 0; i < 3; i++)
      for (int j = i; j < 3; j++, k++) J[k] += state->bend[node] * (n[i] * n[j]);
    return;
  }
  const double *K = state->bend + 6 * (size_t)node;
  const double full[9] = {K[0], K[1], K[2], K[1], K[3], K[4], K[2], K[4], K[5]};
  for (int i = 0, k = 0; i < 3; i++)
    for (int j = i; j < 3; j++, k++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) J[k] += R[3 * a + i] * full[3 * a + b] * R[3 * b + j];
}

/* The axis that a ball turns about alone, node axes; NULL: about any, or no ball. */
static inline const double *dls_forest_axis(const dls_forest *forest,
                                            const dls_forest_state *state, int node) {
  if (state->axis == NULL || forest->nodes[node].kind != DLS_NODE_BALL) return NULL;
  const double *e = state->axis + 3 * (size_t)node;
  return e[0] == 0 && e[1] == 0 && e[2] == 0 ? NULL : e;
}

/* A u, node axes. */
static inline dls_spatial dls_node_motion(const dls_node *node, const dls_node_state *s,
                                          const double *u) {
  dls_spatial x = {{0, 0, 0}, {0, 0, 0}};
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: x.a.z = u[0]; break;
    case DLS_NODE_SCREW:
      x.a.z = node->a * u[0];
      x.l.z = node->b * u[0];
      break;
    case DLS_NODE_BALL: x.a = dls_v3_load(u); break;
    case DLS_NODE_FREE: {
      const dls_mat3 R = dls_node_turn_zero(node, s);
      x.a = dls_v3_load(u + 3);
      x.l = dls_m3_apply_t(&R, dls_v3_load(u));
      break;
    }
    case DLS_NODE_PLANE: {
      const dls_mat3 R = dls_node_turn_zero(node, s);
      x.a.z = u[2];
      x.l = dls_m3_apply_t(&R, dls_v3(u[0], u[1], 0));
      break;
    }
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
  return x;
}

/* A' R -> out (node->nu). */
static inline void dls_node_project(const dls_node *node, const dls_node_state *s, dls_spatial R,
                                    double *out) {
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: out[0] = R.a.z; break;
    case DLS_NODE_SCREW: out[0] = node->a * R.a.z + node->b * R.l.z; break;
    case DLS_NODE_BALL: dls_v3_store(out, R.a); break;
    case DLS_NODE_FREE: {
      const dls_mat3 turn = dls_node_turn_zero(node, s);
      dls_v3_store(out, dls_m3_apply(&turn, R.l));
      dls_v3_store(out + 3, R.a);
      break;
    }
    case DLS_NODE_PLANE: {
      const dls_mat3 turn = dls_node_turn_zero(node, s);
      const dls_vec3 f = dls_m3_apply(&turn, R.l);
      out[0] = f.x;
      out[1] = f.y;
      out[2] = R.a.z;
      break;
    }
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
}

/* C x: a motion of the parent at the node. The inertial frame hands down x as it is. */
static inline dls_spatial dls_node_down(const dls_node_state *s, dls_spatial x) {
  const dls_mat3 E = dls_node_turn(s);
  return dls_sp_to_child(&E, dls_v3_load(s->r), x);
}
/* C' f: a wrench on the node about its origin, at the parent. */
static inline dls_spatial dls_node_up(const dls_node_state *s, dls_spatial f) {
  const dls_mat3 E = dls_node_turn(s);
  return dls_sp_to_parent(&E, dls_v3_load(s->r), f);
}
/* w* in node axes. */
static inline dls_spatial dls_node_w_star(const dls_node_state *s) {
  const dls_mat3 E = dls_node_turn(s);
  return (dls_spatial){dls_v3_load(s->c), dls_m3_apply_t(&E, dls_v3_load(s->zeta))};
}

/* w of a GIVEN node: prescribed acceleration less gravity, node axes. */
static inline dls_spatial dls_node_given(const dls_forest_state *state, const dls_node *node,
                                         const dls_node_state *s) {
  const dls_given *in = &state->given[node->input];
  const dls_mat3 R = dls_m3_load(s->R_w);
  const dls_vec3 a = dls_v3_sub(dls_v3_load(in->a), dls_v3_load(state->gravity));
  return (dls_spatial){dls_m3_apply_t(&R, dls_v3_load(in->eps)), dls_m3_apply_t(&R, a)};
}

/* A motion of the node (node axes), seen at the link's centre in inertial axes. */
static inline dls_spatial dls_link_motion(const dls_link_info *info, const dls_node_state *s,
                                          dls_spatial x) {
  const dls_mat3 R = dls_m3_load(s->R_w);
  return (dls_spatial){dls_m3_apply(&R, x.a),
                       dls_m3_apply(&R, dls_v3_add(x.l, dls_v3_cross(x.a, info->com)))};
}

/* The applied wrench of a link on its node, about the node's origin, node axes. */
static inline dls_spatial dls_link_wrench(const dls_link_info *info, const dls_node_state *s,
                                          const double wrench[6]) {
  const dls_mat3 R = dls_m3_load(s->R_w);
  const dls_vec3 f = dls_m3_apply_t(&R, dls_v3_load(wrench + 3));
  const dls_vec3 n = dls_m3_apply_t(&R, dls_v3_load(wrench));
  return (dls_spatial){dls_v3_add(n, dls_v3_cross(info->com, f)), f};
}

/* The wrench that node i asks for beside M w: gyroscopic less applied. */
static inline dls_spatial dls_node_bias(const dls_forest *forest, const dls_forest_state *state,
                                        int i) {
  const dls_node *node = &forest->nodes[i];
  const dls_link_info *info = &forest->links[node->link];
  const dls_node_state *s = &state->node[i];
  dls_spatial p = dls_inertia_gyroscopic(&node->M, dls_v3_load(s->v));
  if (state->loaded && info->node == i)
    p = dls_sp_sub(p, dls_link_wrench(info, s, state->wrench + 6 * (size_t)node->link));
  return p;
}

#endif
