/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/flat.h"

#include "core/base/fast.h"
#include "core/forest/sides.h"
#include "core/math/elementary.h"

typedef double real;
#define LANES 1
#define LANE(x, l) (*(&(x) + (l)))
#include "core/forest/respond.inc.h"

bool dls_forest_is_flat(const dls_forest *forest) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const double *R = node->zero.R.m, *J = node->M.J;
    const bool turns =
        node->kind == DLS_NODE_REVOLUTE || node->kind == DLS_NODE_PLANE ||
        node->kind == DLS_NODE_WELD || node->kind == DLS_NODE_GIVEN ||
        ((node->kind == DLS_NODE_SCREW || node->kind == DLS_NODE_DRIVEN) && node->b == 0);
    if (!turns || R[2] != 0 || R[5] != 0 || R[6] != 0 || R[7] != 0 || node->zero.p.z != 0)
      return false;
    if (J[2] != 0 || J[4] != 0 || node->M.mc[2] != 0) return false;
  }
  return true;
}

bool dls_flat_is_hinged(const dls_forest *forest) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const bool free = node->kind == DLS_NODE_PLANE && node->up < 0;
    if (!free && node->kind != DLS_NODE_REVOLUTE && node->kind != DLS_NODE_GIVEN) return false;
  }
  return true;
}

/* --- angles: of a frame's first column in the inertial frame. Its z axis is up or down, R_w[8] = 1 or -1, and turns count
** by that.
**
** --------------------------------------------------------------------------------------------------------- */

static double angle_of(const dls_mat3 *R) {
  return R->m[3] == 0 && R->m[0] > 0 ? 0 : dls_atan2(R->m[3], R->m[0]);
}

void dls_flat_measure(dls_forest *forest) {
  for (int i = 0; i < forest->n_nodes; i++)
    forest->nodes[i].angle = angle_of(&forest->nodes[i].zero.R);
  for (int k = 0; k < forest->n_links; k++)
    forest->links[k].angle = angle_of(&forest->links[k].body.R);
}

bool dls_flat_turn(const dls_forest *forest, const dls_forest_state *state, double *node_angle) {
  static const double MOST = 1e3; /* rad: where sums have lost 1e-13 */
  double widest = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const double side = state->node[i].R_w[8],
                 above = node->parent >= 0 ? state->node[node->parent].R_w[8] : 1;
    double own = 0, zero = node->angle;
    if (node->kind == DLS_NODE_REVOLUTE) own = state->q[node->iq];
    else if (node->kind == DLS_NODE_SCREW) own = node->a * state->q[node->iq];
    else if (node->kind == DLS_NODE_PLANE) own = state->q[node->iq + 2];
    else if (node->kind == DLS_NODE_DRIVEN) own = node->a * state->drives[node->input].s;
    else if (node->kind == DLS_NODE_GIVEN)
      zero = dls_atan2(state->node[i].R_w[3], state->node[i].R_w[0]);
    node_angle[i] = (node->parent >= 0 ? node_angle[node->parent] : 0) +
                    (above > 0 ? zero : -zero) + (side > 0 ? own : -own);
    widest = dls_max(widest, fabs(own));
  }
  return widest <= MOST;
}

double dls_flat_angle(const dls_forest *forest, const dls_forest_state *state,
                      const double *node_angle, int k) {
  const dls_link_info *info = &forest->links[k];
  const double own = info->angle;
  return node_angle[info->node] + (state->node[info->node].R_w[8] > 0 ? own : -own);
}

/* A six-vector is (0, 0, x[0]; x[1], x[2], 0). */
static void widen(const double *x, double *out) {
  out[0] = out[1] = out[5] = 0;
  out[2] = x[0], out[3] = x[1], out[4] = x[2];
}

/* z = Q - A' p and y = D^-1 z; p becomes what the joint passes up, about the node's origin. */
static inline void eliminate_flat(const dls_node *node, const dls_node_state *s, const double *Q,
                                  double *p, double *z, double *y) {
  if (node->kind == DLS_NODE_REVOLUTE) {
    z[0] = Q[0] - p[0];
    y[0] = z[0] * s->f[6];
    for (int k = 0; k < 3; k++) p[k] = p[k] + z[0] * s->f[2 + k];
    return;
  }
  if (node->nu == 0) return;
  double wide[6];
  widen(p, wide);
  eliminate_sides(node, s, Q, wide, z);
  divide_sides(node, s, z, y);
  memcpy(p, wide + 2, 3 * sizeof *p);
}

/* du of the node from w = C dw_k and y; w becomes the node's own motion. */
static inline void follow_flat(const dls_node *node, const dls_node_state *s, const double *y,
                               double *w, double *du) {
  if (node->kind == DLS_NODE_REVOLUTE) {
    du[0] = y[0] - (s->f[2] * w[0] + (s->f[3] * w[1] + s->f[4] * w[2]));
    w[0] = w[0] + du[0];
    return;
  }
  if (node->nu == 0) return;
  double wide[6];
  widen(w, wide);
  follow_sides(node, s, y, wide, du);
  memcpy(w, wide + 2, 3 * sizeof *w);
}

/* The wrench of a link (about its centre, inertial axes) on its node, about the node's origin, node
** axes, less than nothing: what the node asks for. */
static void take_wrench(const dls_link_info *info, const dls_node_state *s, const double *wrench,
                        double *p) {
  const double *R = s->R_w;
  const double x = R[0] * wrench[3] + R[3] * wrench[4], y = R[1] * wrench[3] + R[4] * wrench[4];
  p[0] = -(R[8] * wrench[2] + (info->com.x * y - info->com.y * x));
  p[1] = -x, p[2] = -y;
}

/* C' p, a wrench on the node about its origin, is added to what the parent has. */
static inline void go_up(const dls_node_state *s, const double *p, double *above) {
  const double x = s->E[0] * p[1] + s->E[1] * p[2], y = s->E[3] * p[1] + s->E[4] * p[2];
  above[0] = above[0] + (s->E[8] * p[0] + (s->r[0] * y - s->r[1] * x));
  above[1] = above[1] + x;
  above[2] = above[2] + y;
}

/* C x, a motion of the parent at the node. */
static inline void go_down(const dls_node_state *s, const double *x, double *out) {
  const double *E = s->E, a = x[1] - x[0] * s->r[1], b = x[2] + x[0] * s->r[0];
  out[0] = E[8] * x[0];
  out[1] = E[0] * a + E[3] * b;
  out[2] = E[1] * a + E[4] * b;
}

/* What the link does: the motion v of its node at its centre, inertial axes. */
static inline void give_motion(const dls_link_info *info, const dls_node_state *s, const double *v,
                               double *out) {
  const double *R = s->R_w, a = v[1] - v[0] * info->com.y, b = v[2] + v[0] * info->com.x;
  out[0] = out[1] = out[5] = 0;
  out[2] = R[8] * v[0];
  out[3] = R[0] * a + R[1] * b;
  out[4] = R[3] * a + R[4] * b;
}

enum { WAY = DLS_FLAT_WAY };

void dls_flat_respond_up(const dls_forest *forest, dls_forest_state *state, const double *f,
                         const double *wrench) {
  static const double none[6] = {0};
  double *way = state->scratch;
  for (int i = 0; i < forest->n_nodes; i++) {
    const int link = forest->nodes[i].link;
    double *p = way + WAY * (size_t)i;
    p[0] = p[1] = p[2] = 0;
    if (wrench && forest->links[link].node == i)
      take_wrench(&forest->links[link], &state->node[i], wrench + 6 * (size_t)link, p);
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double z[6], *p = way + WAY * (size_t)i;
    eliminate_flat(node, s, f ? f + node->iu : none, p, z, p + 3);
    if (node->up < 0) continue;
    go_up(s, p, way + WAY * (size_t)node->up);
  }
}

void dls_flat_respond_down(const dls_forest *forest, dls_forest_state *state, double *du,
                           double *V) {
  double *way = state->scratch;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const dls_link_info *info = &forest->links[node->link];
    double *w = way + WAY * (size_t)i;
    if (node->up >= 0) go_down(s, way + WAY * (size_t)node->up, w);
    else w[0] = w[1] = w[2] = 0;
    follow_flat(node, s, w + 3, w, du + node->iu);
    if (V && info->node == i) give_motion(info, s, w, V + 6 * (size_t)node->link);
  }
}

void dls_flat_velocities(const dls_forest *forest, dls_forest_state *state, const double *u,
                         bool moving, double *V) {
  double *way = state->scratch;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    const dls_link_info *info = &forest->links[node->link];
    double *v = way + WAY * (size_t)i;
    v[0] = v[1] = v[2] = 0;
    if (node->parent >= 0) go_down(s, way + WAY * (size_t)node->parent, v);
    if (node->kind == DLS_NODE_REVOLUTE) {
      v[0] = v[0] + u[node->iu];
    } else {
      const dls_spatial own = dls_node_motion(node, s, u + node->iu);
      v[0] = v[0] + own.a.z, v[1] = v[1] + own.l.x, v[2] = v[2] + own.l.y;
    }
    if (moving && node->kind == DLS_NODE_DRIVEN) {
      v[0] += node->a * state->drives[node->input].ds;
    } else if (moving && node->kind == DLS_NODE_GIVEN) {
      const dls_given *in = &state->given[node->input];
      v[0] = s->E[8] * in->omega[2];
      v[1] = s->E[0] * in->v[0] + s->E[3] * in->v[1];
      v[2] = s->E[1] * in->v[0] + s->E[4] * in->v[1];
    }
    if (info->node == i) give_motion(info, s, v, V + 6 * (size_t)node->link);
  }
}

/* A row on one link alone: p, the wrench on its node. */
static void walk_one_way(const dls_forest *forest, const dls_forest_state *state, int i,
                         double p[3], dls_row_entry *list) {
  static const double none[6] = {0};
  while (i >= 0) {
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double up[3] = {0};
    if (node->nu > 0) {
      list->node = i;
      eliminate_flat(node, s, none, p, list->z, list->y);
      list++;
    }
    if (node->up < 0) return;
    go_up(s, p, up);
    p[0] = up[0], p[1] = up[1], p[2] = up[2];
    i = node->up;
  }
}

void dls_flat_walk(const dls_forest *forest, const dls_forest_state *state,
                   const dls_forest_rows *rows, int row, dls_row_entry *list) {
  int at[DLS_ROW_SIDES + 1] = {0}, n = 0;
  double p[DLS_ROW_SIDES + 1][3] = {{0}};
  const int u_of = rows->u_of ? rows->u_of[row] : -1;
  for (int k = rows->first[row]; k < rows->first[row + 1]; k++) {
    const dls_link_info *info = &forest->links[rows->sides[k].link];
    if (forest->nodes[info->node].kind == DLS_NODE_GIVEN) continue; /* feels nothing */
    at[n] = info->node;
    take_wrench(info, &state->node[info->node], rows->sides[k].j, p[n++]);
  }
  if (n == 1 && u_of < 0) {
    walk_one_way(forest, state, at[0], p[0], list);
    return;
  }
  if (u_of >= 0) at[n++] = forest->u_node[u_of];
  for (int way = next_way(at, n); n > 0 && at[way] >= 0; way = n == 1 ? 0 : next_way(at, n)) {
    const int i = at[way];
    const dls_node *node = &forest->nodes[i];
    const dls_node_state *s = &state->node[i];
    double sum[3] = {p[way][0], p[way][1], p[way][2]}, Q[6] = {0}, up[3] = {0};
    /* ways that meet here go on as one: the first of them is next */
    for (int k = way + 1; k < n; k++) {
      if (at[k] != i) continue;
      for (int j = 0; j < 3; j++) sum[j] = sum[j] + p[k][j];
      at[k] = -1;
    }
    at[way] = node->up;
    if (u_of >= node->iu && u_of < node->iu + node->nu)
      Q[u_of - node->iu] = rows->u_coef ? rows->u_coef[row] : 0;
    if (node->nu > 0) {
      list->node = i;
      eliminate_flat(node, s, Q, sum, list->z, list->y);
      list++;
    }
    go_up(s, sum, up);
    memcpy(p[way], up, sizeof up);
  }
}
