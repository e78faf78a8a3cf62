/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/forest/kinematics.h"

#include "core/forest/joint.h"
#include "core/math/elementary.h"

/* --- poses ------------------------------------------------------------------------------------ */

/* E Rz(angle): the first two columns turned. */
static void turn_about_z(dls_mat3 *E, double angle) {
  double s, c;
  dls_sincos(angle, &s, &c);
  for (int i = 0; i < 9; i += 3) {
    const double x = E->m[i], y = E->m[i + 1];
    E->m[i] = c * x + s * y;
    E->m[i + 1] = c * y - s * x;
  }
}

/* Pose of a node in its parent. */
static dls_place place_node(const dls_node *node, const dls_forest_state *state) {
  const double *q = state->q + node->iq;
  dls_place at = node->zero;
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: turn_about_z(&at.R, q[0]); break;
    case DLS_NODE_SCREW:
    case DLS_NODE_DRIVEN: {
      const double s = node->kind == DLS_NODE_SCREW ? q[0] : state->drives[node->input].s;
      at.p = dls_v3_axpy(at.p, node->b * s, dls_m3_column(&at.R, 2));
      if (node->a != 0) turn_about_z(&at.R, node->a * s);
      break;
    }
    case DLS_NODE_BALL: {
      const dls_mat3 R = dls_q_matrix(dls_q_load(q));
      at.R = dls_m3_mul(&at.R, &R);
      break;
    }
    case DLS_NODE_FREE: {
      const dls_mat3 R = dls_q_matrix(dls_q_load(q + 3));
      at.p = dls_place_point(&at, dls_v3_load(q));
      at.R = dls_m3_mul(&at.R, &R);
      break;
    }
    case DLS_NODE_PLANE:
      at.p = dls_place_point(&at, dls_v3(q[0], q[1], 0));
      turn_about_z(&at.R, q[2]);
      break;
    case DLS_NODE_WELD: break;
    case DLS_NODE_GIVEN:
      at.R = dls_q_matrix(dls_q_load(state->given[node->input].q));
      at.p = dls_v3_load(state->given[node->input].p);
      break;
  }
  return at;
}

void dls_forest_place(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    const dls_place at = place_node(node, state);
    memcpy(s->E, at.R.m, sizeof s->E);
    dls_v3_store(s->r, at.p);
    dls_place world = at;
    if (node->parent >= 0) {
      const dls_node_state *k = &state->node[node->parent];
      const dls_place parent = {dls_m3_load(k->R_w), dls_v3_load(k->x_w)};
      world = dls_place_mul(&parent, &at);
    }
    memcpy(s->R_w, world.R.m, sizeof s->R_w);
    dls_v3_store(s->x_w, world.p);
  }
}

/* --- velocities -------------------------------------------------------------------------------- */

/* Relative motion of a node: om (node axes), the velocity of its origin (parent axes), and the
** prescribed parts of the acceleration, likewise. */
typedef struct relative {
  dls_vec3 om, vel, om_dot, vel_dot;
} relative;

static relative relative_of(const dls_node *node, const dls_node_state *s,
                            const dls_forest_state *state) {
  const double *u = state->u + node->iu;
  const dls_mat3 E = dls_node_turn(s);
  relative x = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: x.om.z = u[0]; break;
    case DLS_NODE_SCREW:
      x.om.z = node->a * u[0];
      x.vel = dls_v3_scale(node->b * u[0], dls_m3_column(&E, 2));
      break;
    case DLS_NODE_DRIVEN: {
      const dls_drive *d = &state->drives[node->input];
      x.om.z = node->a * d->ds;
      x.om_dot.z = node->a * d->dds;
      x.vel = dls_v3_scale(node->b * d->ds, dls_m3_column(&E, 2));
      x.vel_dot = dls_v3_scale(node->b * d->dds, dls_m3_column(&E, 2));
      break;
    }
    case DLS_NODE_BALL: x.om = dls_v3_load(u); break;
    case DLS_NODE_FREE:
      x.om = dls_v3_load(u + 3);
      x.vel = dls_m3_apply(&node->zero.R, dls_v3_load(u));
      break;
    case DLS_NODE_PLANE:
      x.om.z = u[2];
      x.vel = dls_m3_apply(&node->zero.R, dls_v3(u[0], u[1], 0));
      break;
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
  return x;
}

/* v_i and w*_i from the parent's v:  c = E' om_k x om + om_dot,
** zeta = om_k x (om_k x r) + 2 om_k x vel + vel_dot. */
static void move_node(const dls_node *node, dls_node_state *s, const dls_node_state *k,
                      const dls_forest_state *state) {
  const dls_mat3 E = dls_node_turn(s);
  const relative x = relative_of(node, s, state);
  dls_vec3 omega = x.om, vel = x.vel, c = x.om_dot, zeta = x.vel_dot;
  if (k != NULL) {
    const dls_vec3 om_k = dls_v3_load(k->v), r = dls_v3_load(s->r);
    const dls_vec3 carried = dls_m3_apply_t(&E, om_k), swept = dls_v3_cross(om_k, r);
    omega = dls_v3_add(carried, omega);
    c = dls_v3_add(dls_v3_cross(carried, x.om), c);
    const dls_vec3 inner = dls_v3_axpy(swept, 2, x.vel);
    zeta = dls_v3_add(dls_v3_cross(om_k, inner), zeta);
    vel = dls_v3_add(dls_v3_add(dls_v3_load(k->v + 3), swept), vel);
  }
  dls_v3_store(s->v, omega);
  dls_v3_store(s->v + 3, dls_m3_apply_t(&E, vel));
  dls_v3_store(s->c, c);
  dls_v3_store(s->zeta, zeta);
}

void dls_forest_move(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    if (node->kind == DLS_NODE_GIVEN) {
      const dls_given *in = &state->given[node->input];
      const dls_mat3 E = dls_node_turn(s);
      dls_v3_store(s->v, dls_m3_apply_t(&E, dls_v3_load(in->omega)));
      dls_v3_store(s->v + 3, dls_m3_apply_t(&E, dls_v3_load(in->v)));
      dls_v3_store(s->c, dls_v3(0, 0, 0));
      dls_v3_store(s->zeta, dls_v3(0, 0, 0));
    } else {
      move_node(node, s, node->parent >= 0 ? &state->node[node->parent] : NULL, state);
    }
  }
}

/* --- links ------------------------------------------------------------------------------------ */

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

/* A motion of the node, seen at the link's centre in inertial axes. */
static dls_spatial at_centre(const dls_link_info *info, const dls_node_state *s, dls_spatial x) {
  const dls_mat3 R = dls_m3_load(s->R_w);
  return (dls_spatial){dls_m3_apply(&R, x.a),
                       dls_m3_apply(&R, dls_v3_add(x.l, dls_v3_cross(x.a, info->com)))};
}

dls_spatial dls_forest_link_velocity(const dls_forest *forest, const dls_forest_state *state,
                                     int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  return at_centre(info, s, dls_sp_load(s->v));
}

dls_spatial dls_forest_link_acceleration(const dls_forest *forest, const dls_forest_state *state,
                                         int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  dls_spatial w = dls_sp_load(s->w);
  const dls_vec3 omega = dls_v3_load(s->v);
  const dls_vec3 inward = dls_v3_cross(omega, dls_v3_cross(omega, info->com));
  w.l = dls_v3_add(w.l, inward);
  w = at_centre(info, s, w);
  w.l = dls_v3_add(w.l, dls_v3_load(state->gravity));
  return w;
}

void dls_forest_velocities(const dls_forest *forest, dls_forest_state *state, const double *u,
                           bool moving, double *V) {
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
    if (info->node == i) dls_sp_store(V + 6 * (size_t)node->link, at_centre(info, s, v));
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
