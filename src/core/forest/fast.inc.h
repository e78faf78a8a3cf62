/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The structured form of the sweep, written once for one state or W states of one model at a time:
** the including file defines `real`, `creal` (see kernel.inc.h), LANES, lane_state (the fields of
** dls_node_state below E..w that are used here, as real) and the mask of a comparison.
**
** Two facts make it cheap: the joint lies at the node's origin, so that a ball passes up only a
** 3 x 3 effective mass and a hinge leaves a row of zeros; and one triangle of each symmetric matrix
** is computed. What a node passes up is, per kind of joint,
**
**   A_up = C' (M* - M* A D^-1 A' M*) C,     P_up = C' (P + M_a w* + M* A D^-1 z),
**   D = A' M* A + rotor,  z = Q - A' P,  M_a the reduced inertia in brackets,
**
** and on the way down  udot = D^-1 z - D^-1 A' M* (C w_k + w*).
** With M_a w* taken in two parts (c in node axes, zeta in the parent's) no vector turns twice. */
#if !defined(DLS_FOREST_FAST_INC_H)
#define DLS_FOREST_FAST_INC_H

#include "core/forest/eliminate.inc.h"

typedef struct lane_run {
  const dls_forest *forest; /* borrowed */
  lane_state *node;        /* n_nodes                                  */
  sums *sum;               /* n_nodes                                  */
  const real *q, *u, *tau; /* nq, nu, nu                               */
  real *udot;              /* nu                                       */
  const dls_drive *drives; /* the same for all lanes                   */
  const dls_given *given;  /* prescribed motions */
  const double *gravity;   /* m/s^2 */
  double value;            /* the pivot that failed (one lane)         */
} lane_run;

/* --- forward: poses in the parent, angular velocities, w* ------------------------------------- */

static inline void set3(real *o, const double *a) {
  const real z = {0};
  for (int k = 0; k < 3; k++) o[k] = z + a[k];
}
static inline void set9(real *o, const double *a) {
  for (int k = 0; k < 9; k += 3) set3(o + k, a + k);
}
/* o = zero.R x (its first n columns) */
static inline void zero_times(real *o, const dls_node *node, const real *x, int n) {
  const double *R = node->zero.R.m;
  for (int i = 0; i < 3; i++) {
    o[i] = x[0] * R[3 * i];
    for (int k = 1; k < n; k++) o[i] = o[i] + x[k] * R[3 * i + k];
  }
}

/* Pose of a node in its parent. */
static inline void lane_place(const dls_node *node, lane_state *s, const real *q,
                              const dls_drive *drives, const dls_given *given) {
  const double *R = node->zero.R.m, p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
  const real z = {0};
  switch (node->kind) {
    case DLS_NODE_REVOLUTE:
      turn_z(s->E, R, q[node->iq]);
      set3(s->r, p);
      break;
    case DLS_NODE_SCREW:
    case DLS_NODE_DRIVEN: {
      const real x = node->kind == DLS_NODE_SCREW ? q[node->iq] : z + drives[node->input].s;
      for (int k = 0; k < 3; k++) s->r[k] = p[k] + x * (node->b * R[3 * k + 2]);
      if (node->a != 0)
        turn_z(s->E, R, x * node->a);
      else
        set9(s->E, R);
      break;
    }
    case DLS_NODE_BALL:
      turn_q(s->E, node->turn, q + node->iq);
      set3(s->r, p);
      break;
    case DLS_NODE_FREE:
      turn_q(s->E, node->turn, q + node->iq + 3);
      zero_times(s->r, node, q + node->iq, 3);
      for (int k = 0; k < 3; k++) s->r[k] = s->r[k] + p[k];
      break;
    case DLS_NODE_PLANE:
      turn_z(s->E, R, q[node->iq + 2]);
      zero_times(s->r, node, q + node->iq, 2);
      for (int k = 0; k < 3; k++) s->r[k] = s->r[k] + p[k];
      break;
    case DLS_NODE_WELD:
      set9(s->E, R);
      set3(s->r, p);
      break;
    case DLS_NODE_GIVEN: {
      const double none[4] = {1, 0, 0, 0}, *in = given[node->input].q;
      const real at[4] = {z + in[0], z + in[1], z + in[2], z + in[3]};
      turn_q(s->E, none, at);
      set3(s->r, given[node->input].p);
      break;
    }
  }
}

/* Angular velocity and w*:  c = (E' om_k) x om + prescribed, zeta = om_k x (om_k x r + 2 vel) +
** prescribed, with the joint's own om (node axes) and vel (parent axes). k: the parent's state,
** NULL: at rest. */
static inline void lane_move(const dls_node *node, lane_state *s, const lane_state *k, const real *u,
                             const dls_drive *drives) {
  const real none = {0};
  real carried[3], swept[3], vel[3];
  if (k == NULL) {
    zero3(carried);
    zero3(swept);
  } else {
    mat_t_vec(carried, s->E, k->v);
    cross(swept, k->v, s->r);
  }
  copy3(s->v, carried);
  zero3(s->c);
  zero3(vel);
  u += node->iu;
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: spin_z(s, carried, u[0]); break;
    case DLS_NODE_SCREW:
    case DLS_NODE_DRIVEN: {
      const bool free = node->kind == DLS_NODE_SCREW;
      const real rate = free ? u[0] : none + drives[node->input].ds;
      const double rise = free ? 0 : drives[node->input].dds;
      const real om = rate * node->a, up = rate * (2 * node->b);
      spin_z(s, carried, om);
      s->c[2] = none + node->a * rise;
      for (int i = 0; i < 3; i++) {
        vel[i] = s->E[3 * i + 2] * up;
        swept[i] = swept[i] + vel[i];
        vel[i] = s->E[3 * i + 2] * (node->b * rise);
      }
      break;
    }
    case DLS_NODE_BALL:
      add3(s->v, u);
      cross(s->c, carried, u);
      break;
    case DLS_NODE_FREE:
      add3(s->v, u + 3);
      cross(s->c, carried, u + 3);
      zero_times(vel, node, u, 3);
      for (int i = 0; i < 3; i++) swept[i] = swept[i] + 2.0 * vel[i];
      break;
    case DLS_NODE_PLANE:
      spin_z(s, carried, u[2]);
      zero_times(vel, node, u, 2);
      for (int i = 0; i < 3; i++) swept[i] = swept[i] + 2.0 * vel[i];
      break;
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
  if (k == NULL)
    zero3(s->zeta);
  else
    cross(s->zeta, k->v, swept);
  if (node->kind == DLS_NODE_DRIVEN) add3(s->zeta, vel);
}

/* A GIVEN node: its angular velocity, node axes. */
static inline void lane_given(const dls_node *node, lane_state *s, const dls_given *given) {
  real om[3];
  set3(om, given[node->input].omega);
  mat_t_vec(s->v, s->E, om);
  zero3(s->c);
  zero3(s->zeta);
}

/* --- up: what each kind passes to its parent -------------------------------------------------- */

/* Takes U U'/D out of A; W = U/D. */
static inline void take_out(artic *A, const real *U, const real *W) {
  A->J[0] = A->J[0] - U[0] * W[0];
  A->J[1] = A->J[1] - U[0] * W[1];
  A->J[2] = A->J[2] - U[0] * W[2];
  A->J[3] = A->J[3] - U[1] * W[1];
  A->J[4] = A->J[4] - U[1] * W[2];
  A->J[5] = A->J[5] - U[2] * W[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A->H[3 * i + j] = A->H[3 * i + j] - U[i] * W[3 + j];
  A->M[0] = A->M[0] - U[3] * W[3];
  A->M[1] = A->M[1] - U[3] * W[4];
  A->M[2] = A->M[2] - U[3] * W[5];
  A->M[3] = A->M[3] - U[4] * W[4];
  A->M[4] = A->M[4] - U[4] * W[5];
  A->M[5] = A->M[5] - U[5] * W[5];
}
/* Nothing is left about z; along z. */
static inline void clear_turn(artic *A) {
  const real z = {0};
  A->J[2] = A->J[4] = A->J[5] = z;
  A->H[6] = A->H[7] = A->H[8] = z;
}
static inline void clear_slide(artic *A) {
  const real z = {0};
  A->M[2] = A->M[4] = A->M[5] = z;
  A->H[2] = A->H[5] = A->H[8] = z;
}

/* M* (a z; b z) */
static inline void image_of_screw(const artic *A, double a, double b, real *U) {
  const real *J = A->J, *H = A->H, *M = A->M;
  U[0] = a * J[2] + b * H[2];
  U[1] = a * J[4] + b * H[5];
  U[2] = a * J[5] + b * H[8];
  U[3] = a * H[6] + b * M[2];
  U[4] = a * H[7] + b * M[4];
  U[5] = a * H[8] + b * M[5];
}

static inline mask back_screw(sums *above, const dls_node *node, lane_state *s, sums *own,
                              real tau) {
  const double a = node->a, b = node->b;
  const real *J = own->A.J, *M = own->A.M;
  const real scale = (a * a) * (J[0] + J[3] + J[5]) + (b * b) * (M[0] + M[3] + M[5]);
  real U[6], *W = s->f;
  image_of_screw(&own->A, a, b, U);
  const real D = a * U[2] + b * U[5] + node->rotor;
  const mask good = above_bound(D, (a != 0 && b != 0 ? SINGULAR : SHARE) * scale);
  W[6] = 1.0 / D;
  for (int k = 0; k < 6; k++) W[k] = U[k] * W[6];
  const real z = tau - (a * own->P.n[2] + b * own->P.f[2]);
  s->y[0] = z * W[6];
  if (above == NULL) return good;
  take_out(&own->A, U, W);
  if (node->rotor == 0 && b == 0) clear_turn(&own->A);
  if (node->rotor == 0 && a == 0) clear_slide(&own->A);
  for (int k = 0; k < 3; k++) {
    own->P.n[k] = own->P.n[k] + W[k] * z;
    own->P.f[k] = own->P.f[k] + W[3 + k] * z;
  }
  add_spin(own, s);
  pass_up(above, s, own);
  return good;
}

/* Rows: the zero frame's x and y in node axes. */
static inline void plane_axes(const dls_node *node, const lane_state *s, real *d) {
  const double *R = node->zero.R.m;
  for (int l = 0; l < 2; l++)
    for (int k = 0; k < 3; k++)
      d[3 * l + k] = s->E[k] * R[l] + s->E[3 + k] * R[3 + l] + s->E[6 + k] * R[6 + l];
}
/* Plane: A = (0; d1), (0; d2), (z; 0). */
static inline mask back_plane(sums *above, const dls_node *node, lane_state *s, sums *own,
                              const real *tau) {
  real U[3][6], D[6], z[3], d[6], *W = s->f, *G = s->f + 18;
  plane_axes(node, s, d);
  for (int k = 0; k < 2; k++) {
    mat_vec(U[k], own->A.H, d + 3 * k);
    sym_vec(U[k] + 3, own->A.M, d + 3 * k);
    z[k] = tau[k] - dot3(d + 3 * k, own->P.f);
  }
  z[2] = tau[2] - own->P.n[2];
  image_of_screw(&own->A, 1, 0, U[2]);
  D[0] = dot3(d, U[0] + 3);
  D[1] = dot3(d, U[1] + 3);
  D[2] = U[0][2];
  D[3] = dot3(d + 3, U[1] + 3);
  D[4] = U[1][2];
  D[5] = U[2][2];
  const mask good = regular(invert_sym(G, D), D);
  sym_vec(s->y, G, z);
  for (int k = 0; k < 6; k++) {
    real e[3];
    const real column[3] = {U[0][k], U[1][k], U[2][k]};
    sym_vec(e, G, column);
    for (int l = 0; l < 3; l++) W[6 * l + k] = e[l];
  }
  if (above == NULL) return good;
  for (int l = 0; l < 3; l++) {
    take_out(&own->A, U[l], W + 6 * l);
    for (int k = 0; k < 3; k++) {
      own->P.n[k] = own->P.n[k] + W[6 * l + k] * z[l];
      own->P.f[k] = own->P.f[k] + W[6 * l + 3 + k] * z[l];
    }
  }
  add_spin(own, s);
  pass_up(above, s, own);
  return good;
}

/* One node on the way up. */
static inline mask lane_up(const lane_run *run, int i) {
  const dls_node *node = &run->forest->nodes[i];
  lane_state *s = &run->node[i];
  sums *own = &run->sum[i], *above = node->up >= 0 ? &run->sum[node->up] : NULL;
  const real *tau = run->tau + node->iu;
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: return back_revolute(above, s, own, tau[0]);
    case DLS_NODE_SCREW: return back_screw(above, node, s, own, tau[0]);
    case DLS_NODE_BALL: return back_ball(above, s, own, tau);
    case DLS_NODE_FREE: return back_free(above, node->zero.R.m, s, own, tau);
    case DLS_NODE_PLANE: return back_plane(above, node, s, own, tau);
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
      if (above == NULL) break;
      add_spin(own, s);
      pass_up(above, s, own);
      break;
    case DLS_NODE_GIVEN: break;
  }
  return MASK_ALL;
}

/* --- down ------------------------------------------------------------------------------------ */

static inline void down_plane(const dls_node *node, const lane_state *s, real *w, real *udot) {
  const real *W = s->f;
  real d[6];
  for (int l = 0; l < 3; l++)
    udot[l] = s->y[l] - (dot3(W + 6 * l, w) + dot3(W + 6 * l + 3, w + 3));
  plane_axes(node, s, d);
  for (int k = 0; k < 3; k++) w[3 + k] = w[3 + k] + d[k] * udot[0] + d[3 + k] * udot[1];
  w[2] = w[2] + udot[2];
}

/* One node on the way down: udot and w from the parent's w. */
static inline void lane_down(const lane_run *run, int i, const real *root) {
  const dls_node *node = &run->forest->nodes[i];
  lane_state *s = &run->node[i];
  real *udot = run->udot + node->iu, *w = s->w, t[3];
  const real *W = s->f;
  if (node->kind == DLS_NODE_GIVEN) {
    const dls_given *in = &run->given[node->input];
    set3(t, in->eps);
    mat_t_vec(w, s->E, t);
    set3(t, in->a);
    for (int k = 0; k < 3; k++) t[k] = t[k] - run->gravity[k];
    mat_t_vec(w + 3, s->E, t);
    return;
  }
  carry(s, node->parent >= 0 ? run->node[node->parent].w : root, w);
  switch (node->kind) {
    case DLS_NODE_REVOLUTE: down_revolute(s, w, udot); break;
    case DLS_NODE_SCREW:
      udot[0] = s->y[0] - (dot3(W, w) + dot3(W + 3, w + 3));
      w[2] = w[2] + node->a * udot[0];
      w[5] = w[5] + node->b * udot[0];
      break;
    case DLS_NODE_BALL: down_ball(s, w, udot); break;
    case DLS_NODE_FREE: down_free(node->zero.R.m, s, w, udot); break;
    case DLS_NODE_PLANE: down_plane(node, s, w, udot); break;
    case DLS_NODE_DRIVEN:
    case DLS_NODE_WELD:
    case DLS_NODE_GIVEN: break;
  }
}

/* --- the passes ------------------------------------------------------------------------------ */

/* Poses, velocities, and the sums started with each node's own body. */
static inline void lanes_forward(const lane_run *run) {
  const dls_forest *forest = run->forest;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    lane_state *s = &run->node[i];
    lane_place(node, s, run->q, run->drives, run->given);
    if (node->kind == DLS_NODE_GIVEN)
      lane_given(node, s, run->given);
    else
      lane_move(node, s, node->parent >= 0 ? &run->node[node->parent] : NULL, run->u, run->drives);
    set_body(&run->sum[i].A, node->M.J, node->M.mc, node->M.m);
    set_gyroscopic(&run->sum[i].P, node->M.J, node->M.mc, s->v);
  }
}

/* Tips to roots; the first node whose joint failed, or -1 (more lanes than one: any, at the
** end). */
static inline int lanes_up(const lane_run *run) {
  mask good = MASK_ALL;
  for (int i = run->forest->n_nodes - 1; i >= 0; i--) {
    good = good & lane_up(run, i);
    if (LANES == 1 && !all_of(good)) return i;
  }
  return all_of(good) ? -1 : 0;
}

static inline void lanes_down(const lane_run *run) {
  const real z = {0};
  const double *g = run->gravity;
  const real root[6] = {z, z, z, z - g[0], z - g[1], z - g[2]};
  for (int i = 0; i < run->forest->n_nodes; i++) lane_down(run, i, root);
}

#endif
