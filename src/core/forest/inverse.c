/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/dynamics.h"
#include "core/forest/joint.h"

/* Inverse dynamics by Newton and Euler: accelerations from the roots to the tips, wrenches back. */

static dls_spatial root_of(const dls_forest_state *state) {
  return (dls_spatial){{0, 0, 0}, dls_v3_neg(dls_v3_load(state->gravity))};
}

/* w of all nodes for a given udot (NULL: zero). */
static void accelerate(const dls_forest *forest, dls_forest_state *state, const double *udot) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    dls_spatial w = node->parent >= 0 ? dls_sp_load(state->node[node->parent].w) : root_of(state);
    if (node->kind == DLS_NODE_GIVEN) {
      w = dls_node_given(state, node, s);
    } else {
      w = dls_sp_add(dls_node_down(s, w), dls_node_w_star(s));
      if (udot != NULL) w = dls_sp_add(w, dls_node_motion(node, s, udot + node->iu));
    }
    dls_sp_store(s->w, w);
  }
}

void dls_forest_reactions(const dls_forest *forest, dls_forest_state *state) {
  for (int i = 0; i < forest->n_nodes; i++) {
    dls_node_state *s = &state->node[i];
    const dls_spatial Mw = dls_inertia_apply(&forest->nodes[i].M, dls_sp_load(s->w));
    dls_sp_store(s->R, dls_sp_add(Mw, dls_node_bias(forest, state, i)));
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const int k = forest->nodes[i].parent;
    if (k < 0) continue;
    double *R_k = state->node[k].R;
    const dls_spatial up = dls_node_up(&state->node[i], dls_sp_load(state->node[i].R));
    dls_sp_store(R_k, dls_sp_add(dls_sp_load(R_k), up));
  }
}

dls_spatial dls_forest_link_reaction(const dls_forest *forest, const dls_forest_state *state,
                                     int link) {
  const dls_link_info *info = &forest->links[link];
  const dls_node_state *s = &state->node[info->node];
  const dls_mat3 R = dls_m3_load(s->R_w);
  const dls_spatial x = dls_sp_load(s->R);
  const dls_vec3 moment = dls_v3_sub(x.a, dls_v3_cross(info->anchor, x.l));
  return (dls_spatial){dls_m3_apply(&R, moment), dls_m3_apply(&R, x.l)};
}

void dls_forest_inverse(const dls_forest *forest, dls_forest_state *state, const double *udot,
                        double *tau) {
  accelerate(forest, state, udot);
  dls_forest_reactions(forest, state);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const double rotor = node->nu == 1 && udot != NULL ? node->rotor * udot[node->iu] : 0;
    dls_node_project(node, s, dls_sp_load(s->R), tau + node->iu);
    if (rotor != 0) tau[node->iu] += rotor;
  }
}

void dls_forest_bias(const dls_forest *forest, dls_forest_state *state, double *bias) {
  dls_forest_inverse(forest, state, NULL, bias);
}

/* The inertia of a and of a child b at pose (E, r), about the origin of a. */
static dls_inertia composed(const dls_inertia *a, const dls_inertia *b, const dls_node_state *s) {
  const dls_mat3 E = dls_node_turn(s);
  const dls_vec3 r = dls_v3_load(s->r), mc = dls_m3_apply(&E, dls_v3_load(b->mc));
  const double *J = b->J;
  const dls_mat3 inner = {{J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]}};
  const dls_mat3 turned = dls_m3_congruent(&E, &inner);
  const dls_mat3 point = dls_m3_point_inertia(b->m, r);
  const double dot = 2 * dls_v3_dot(r, mc); /* the mixed terms 2 (r.mc) E - r mc' - mc r' */
  dls_inertia out = *a;
  out.J[0] += turned.m[0] + point.m[0] + dot - 2 * (r.x * mc.x);
  out.J[1] += turned.m[1] + point.m[1] - (r.x * mc.y + r.y * mc.x);
  out.J[2] += turned.m[2] + point.m[2] - (r.x * mc.z + r.z * mc.x);
  out.J[3] += turned.m[4] + point.m[4] + dot - 2 * (r.y * mc.y);
  out.J[4] += turned.m[5] + point.m[5] - (r.y * mc.z + r.z * mc.y);
  out.J[5] += turned.m[8] + point.m[8] + dot - 2 * (r.z * mc.z);
  out.mc[0] += mc.x + b->m * r.x;
  out.mc[1] += mc.y + b->m * r.y;
  out.mc[2] += mc.z + b->m * r.z;
  out.m += b->m;
  return out;
}

static dls_inertia *composite_of(const dls_forest_state *state, int i) {
  return (dls_inertia *)(void *)(state->scratch + DLS_NODE_SCRATCH * (size_t)i);
}

void dls_forest_transmit(const dls_forest *forest, dls_forest_state *state, const double *wrench) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_link_info *info = &forest->links[node->link];
    dls_spatial R = {{0, 0, 0}, {0, 0, 0}};
    if (info->node == i)
      R = dls_link_wrench(info, &state->node[i], wrench + 6 * (size_t)node->link);
    dls_sp_store(state->node[i].R, R);
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const int up = forest->nodes[i].up;
    if (up < 0) continue;
    const dls_spatial R = dls_node_up(&state->node[i], dls_sp_load(state->node[i].R));
    dls_sp_store(state->node[up].R, dls_sp_add(dls_sp_load(state->node[up].R), R));
  }
}

/* Composite bodies: column of u_k = wrench that moves everything outboard, projected on the joints
** inboard. Cost: velocities times depth. */
void dls_forest_mass_matrix(const dls_forest *forest, dls_forest_state *state, double *M) {
  const size_t nu = (size_t)forest->nu;
  memset(M, 0, nu * nu * sizeof(double));
  for (int i = 0; i < forest->n_nodes; i++) *composite_of(state, i) = forest->nodes[i].M;
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    if (node->up < 0) continue;
    dls_inertia *above = composite_of(state, node->up);
    *above = composed(above, composite_of(state, i), &state->node[i]);
  }
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    for (int k = 0; k < node->nu; k++) {
      double unit[6] = {0}, part[6];
      unit[k] = 1;
      const size_t row = (size_t)(node->iu + k);
      dls_spatial f = dls_inertia_apply(composite_of(state, i),
                                        dls_node_motion(node, &state->node[i], unit));
      for (int j = i; j >= 0; j = forest->nodes[j].up) {
        const dls_node *below = &forest->nodes[j];
        dls_node_project(below, &state->node[j], f, part);
        for (int l = 0; l < below->nu; l++) {
          const size_t column = (size_t)(below->iu + l);
          if (j == i && l > k) continue; /* one triangle of the diagonal block */
          M[row * nu + column] = M[column * nu + row] = part[l];
        }
        f = dls_node_up(&state->node[j], f);
      }
      M[row * nu + row] += node->rotor;
    }
  }
}

double dls_forest_kinetic(const dls_forest *forest, const dls_forest_state *state) {
  double sum = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_spatial v = dls_sp_load(state->node[i].v);
    sum += 0.5 * dls_sp_dot(v, dls_inertia_apply(&node->M, v));
    if (node->nu == 1) sum += 0.5 * node->rotor * state->u[node->iu] * state->u[node->iu];
  }
  return sum;
}

double dls_forest_potential(const dls_forest *forest, const dls_forest_state *state) {
  const dls_vec3 g = dls_v3_load(state->gravity);
  double sum = 0;
  for (int i = 0; i < forest->n_links; i++) {
    const double m = forest->links[i].mass;
    if (m != 0) sum -= m * dls_v3_dot(g, dls_forest_link_centre(forest, state, i));
  }
  return sum;
}
