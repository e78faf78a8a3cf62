/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/dynamics.h"
#include "core/forest/joint.h"

/* The structured form of the sweep. Two facts make it cheap: the joint lies at the node's origin,
** so that a ball passes up only a 3 x 3 effective mass and a hinge leaves a row of zeros; and one
** triangle of each symmetric matrix is computed. What a node passes up is, per kind of joint,
**
**   A_up = C' (M* - M* A D^-1 A' M*) C,     P_up = C' (P + M_a w* + M* A D^-1 z),
**   D = A' M* A + rotor,  z = Q - A' P,  M_a the reduced inertia in brackets,
**
** and on the way down  udot = D^-1 z - D^-1 A' M* (C w_k + w*).
** With M_a w* taken in two parts (c in node axes, zeta in the parent's) no vector turns twice. */

typedef double real;
typedef double creal;
#include "core/forest/kernel.inc.h"

/* A joint without inertia to move. What a hinge or a slide has used up is set to zero, not left to
** cancel, so that what remains along a parallel axis is rounding squared: SHARE of the whole. Inertia
** across the axes may grow with the cube of a chain's length and is no scale for more than that. A
** determinant is rounding below SINGULAR times the product of its diagonal. */
#define SHARE 1e-24
#define SINGULAR 1e-14

typedef struct sums {
  artic A; /* inertia */
  bias P;  /* bias    */
} sums;

_Static_assert(sizeof(sums) <= DLS_NODE_SCRATCH * sizeof(double), "scratch holds the sums");

static inline sums *sums_of(const dls_forest_state *state, int i) {
  return (sums *)(void *)(state->scratch + DLS_NODE_SCRATCH * (size_t)i);
}

/* --- inertia up, bias up, one pair a kind -------------------------------------------------------- */

/* Everything of a generic reduced body goes up: turn J, H, M and add. P is the full bias but for
** M_a zeta, in node axes. */
static void pass_up(sums *above, const dls_node_state *s, const sums *own) {
  real J[6], H[9], M[6], n[3], f[3], t[3];
  turn_sym(J, s->E, own->A.J);
  turn_mat(H, s->E, own->A.H);
  turn_sym(M, s->E, own->A.M);
  add_moved(&above->A, s->r, J, H, M);
  mat_vec(n, s->E, own->P.n);
  mat_vec(f, s->E, own->P.f);
  mat_vec(t, H, s->zeta);
  add3(n, t);
  sym_vec(t, M, s->zeta);
  add3(f, t);
  add_wrench(&above->P, s->r, n, f);
}

/* P += M_a (c; 0) */
static inline void add_spin(sums *own, const dls_node_state *s) {
  real t[3];
  sym_vec(t, own->A.J, s->c);
  add3(own->P.n, t);
  mat_t_vec(t, own->A.H, s->c);
  add3(own->P.f, t);
}

static bool back_revolute(sums *above, dls_node_state *s, const sums *own, double tau,
                          dls_fault *fault) {
  const double *J = own->A.J, D = J[5];
  if (!(D > SHARE * (J[0] + J[3] + J[5]))) {
    fault->value = D;
    return false;
  }
  real j[3], h[6], m[6], *W = s->f;
  reduce_revolute(&own->A, D, W, j, h, m);
  const double z = tau - own->P.n[2];
  s->y[0] = z * W[6];
  if (above == NULL) return true;
  real Jp[6], Hp[9], Mp[6], t[3];
  turn_revolute(s->E, j, h, m, Jp, Hp, Mp);
  add_moved(&above->A, s->r, Jp, Hp, Mp);
  const double *n = own->P.n, *f = own->P.f, *c = s->c;
  real nu[3] = {n[0] + j[0] * c[0] + j[1] * c[1] + W[0] * z,
                n[1] + j[1] * c[0] + j[2] * c[1] + W[1] * z, tau};
  real fu[3];
  for (int k = 0; k < 3; k++) fu[k] = f[k] + h[k] * c[0] + h[3 + k] * c[1] + W[3 + k] * z;
  mat_vec(nu, s->E, nu);
  mat_vec(fu, s->E, fu);
  mat_vec(t, Hp, s->zeta);
  add3(nu, t);
  sym_vec(t, Mp, s->zeta);
  add3(fu, t);
  add_wrench(&above->P, s->r, nu, fu);
  return true;
}

/* Takes the rank one U U'/D out of A; W = U/D. */
static inline void take_out(artic *A, const double *U, const double *W) {
  A->J[0] -= U[0] * W[0];
  A->J[1] -= U[0] * W[1];
  A->J[2] -= U[0] * W[2];
  A->J[3] -= U[1] * W[1];
  A->J[4] -= U[1] * W[2];
  A->J[5] -= U[2] * W[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A->H[3 * i + j] -= U[i] * W[3 + j];
  A->M[0] -= U[3] * W[3];
  A->M[1] -= U[3] * W[4];
  A->M[2] -= U[3] * W[5];
  A->M[3] -= U[4] * W[4];
  A->M[4] -= U[4] * W[5];
  A->M[5] -= U[5] * W[5];
}

/* Nothing is left about z; along z. */
static inline void clear_turn(artic *A) {
  A->J[2] = A->J[4] = A->J[5] = 0;
  A->H[6] = A->H[7] = A->H[8] = 0;
}
static inline void clear_slide(artic *A) {
  A->M[2] = A->M[4] = A->M[5] = 0;
  A->H[2] = A->H[5] = A->H[8] = 0;
}

/* M* (a z; b z) */
static inline void image_of_screw(const artic *A, double a, double b, double *U) {
  const double *J = A->J, *H = A->H, *M = A->M;
  U[0] = a * J[2] + b * H[2];
  U[1] = a * J[4] + b * H[5];
  U[2] = a * J[5] + b * H[8];
  U[3] = a * H[6] + b * M[2];
  U[4] = a * H[7] + b * M[4];
  U[5] = a * H[8] + b * M[5];
}

static bool back_screw(sums *above, const dls_node *node, dls_node_state *s, sums *own, double tau,
                       dls_fault *fault) {
  const double a = node->a, b = node->b, *J = own->A.J, *M = own->A.M;
  const double scale = a * a * (J[0] + J[3] + J[5]) + b * b * (M[0] + M[3] + M[5]);
  double U[6], *W = s->f;
  image_of_screw(&own->A, a, b, U);
  const double D = a * U[2] + b * U[5] + node->rotor;
  if (!(D > (a != 0 && b != 0 ? SINGULAR : SHARE) * scale)) {
    fault->value = D;
    return false;
  }
  for (int k = 0; k < 6; k++) W[k] = U[k] / D;
  W[6] = 1 / D;
  const double z = tau - (a * own->P.n[2] + b * own->P.f[2]);
  s->y[0] = z * W[6];
  if (above == NULL) return true;
  take_out(&own->A, U, W);
  if (node->rotor == 0 && b == 0) clear_turn(&own->A);
  if (node->rotor == 0 && a == 0) clear_slide(&own->A);
  for (int k = 0; k < 3; k++) {
    own->P.n[k] += W[k] * z;
    own->P.f[k] += W[3 + k] * z;
  }
  add_spin(own, s);
  pass_up(above, s, own);
  return true;
}

static bool singular_sym(double det, const double *S, dls_fault *fault) {
  if (det > SINGULAR * (S[0] * S[3] * S[5]) && S[0] > 0 && S[3] > 0) return false;
  fault->value = det;
  return true;
}

static bool back_ball(sums *above, dls_node_state *s, const sums *own, const double *tau,
                      dls_fault *fault) {
  real K[6], z[3], *X = s->f, *G = s->f + 9;
  const double det = reduce_ball(&own->A, X, G, K);
  if (singular_sym(det, own->A.J, fault)) return false;
  for (int k = 0; k < 3; k++) z[k] = tau[k] - own->P.n[k];
  sym_vec(s->y, G, z);
  if (above == NULL) return true;
  real M[6], n[3], f[3], t[3];
  turn_sym(M, s->E, K);
  add_moved_mass(&above->A, s->r, M);
  mat_t_vec(f, own->A.H, s->y);
  add3(f, own->P.f);
  mat_vec(f, s->E, f);
  sym_vec(t, M, s->zeta);
  add3(f, t);
  mat_vec(n, s->E, tau);
  add_wrench(&above->P, s->r, n, f);
  return true;
}

/* A free joint carries no inertia: the parent feels the joint's own forces alone. */
static bool back_free(sums *above, const dls_node *node, dls_node_state *s, const sums *own,
                      const double *tau, dls_fault *fault) {
  real K[6], f[3], l[3], *X = s->f, *G = s->f + 9;
  const double det = reduce_ball(&own->A, X, G, K);
  if (singular_sym(det, own->A.J, fault)) return false;
  const double det_K = invert_sym(s->f + 15, K);
  if (singular_sym(det_K, own->A.M, fault)) return false;
  mat_vec(f, node->zero.R.m, tau); /* the force in the parent's axes */
  mat_t_vec(l, s->E, f);
  for (int k = 0; k < 3; k++) {
    s->y[k] = tau[3 + k] - own->P.n[k];
    s->y[3 + k] = l[k] - own->P.f[k];
  }
  if (above == NULL) return true;
  real n[3];
  mat_vec(n, s->E, tau + 3);
  add_wrench(&above->P, s->r, n, f);
  return true;
}

/* Plane: A = (0; d1), (0; d2), (z; 0) with d1, d2 the zero frame's x and y in node axes. */
static bool back_plane(sums *above, const dls_node *node, dls_node_state *s, sums *own,
                       const double *tau, dls_fault *fault) {
  double U[3][6], D[6], e[3], f[3], z[3], R[9];
  const double *M = own->A.M, *P = own->P.n, *F = own->P.f;
  const dls_mat3 turn = dls_node_turn_zero(node, s);
  memcpy(R, turn.m, sizeof R);
  for (int k = 0; k < 2; k++) {
    mat_vec(U[k], own->A.H, R + 3 * k);
    sym_vec(U[k] + 3, M, R + 3 * k);
  }
  image_of_screw(&own->A, 1, 0, U[2]);
  for (int k = 0, at = 0; k < 3; k++) {
    mat_vec(e, R, U[k] + 3);
    D[at++] = k == 2 ? U[2][2] : e[k];
    for (int l = k + 1; l < 3; l++) D[at++] = l == 2 ? U[k][2] : e[l];
  }
  double *W = s->f, *G = s->f + 18;
  if (singular_sym(invert_sym(G, D), D, fault)) return false;
  mat_vec(f, R, F);
  z[0] = tau[0] - f[0];
  z[1] = tau[1] - f[1];
  z[2] = tau[2] - P[2];
  sym_vec(s->y, G, z);
  for (int k = 0; k < 6; k++) {
    const double column[3] = {U[0][k], U[1][k], U[2][k]};
    sym_vec(e, G, column);
    for (int l = 0; l < 3; l++) W[6 * l + k] = e[l];
  }
  if (above == NULL) return true;
  for (int l = 0; l < 3; l++) {
    take_out(&own->A, U[l], W + 6 * l);
    for (int k = 0; k < 3; k++) {
      own->P.n[k] += W[6 * l + k] * z[l];
      own->P.f[k] += W[6 * l + 3 + k] * z[l];
    }
  }
  add_spin(own, s);
  pass_up(above, s, own);
  return true;
}

/* --- the passes ------------------------------------------------------------------------------ */

static const double no_forces[6] = {0, 0, 0, 0, 0, 0};

/* Tips to roots. With `forces` the bias goes along; without, only the factor is made. */
static dls_status go_up(const dls_forest *forest, dls_forest_state *state, bool forces,
                        dls_fault *fault) {
  for (int i = 0; i < forest->n_nodes; i++) {
    sums *own = sums_of(state, i);
    clear_artic(&own->A);
    clear_bias(&own->P);
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    sums *own = sums_of(state, i), *above = node->up >= 0 ? sums_of(state, node->up) : NULL;
    const double *tau = forces ? state->tau + node->iu : no_forces;
    add_body(&own->A, node->M.J, node->M.mc, node->M.m);
    if (forces) {
      add_gyroscopic(&own->P, node->M.J, node->M.mc, s->v);
      const dls_link_info *info = &forest->links[node->link];
      if (state->loaded && info->node == i) {
        const dls_spatial x = dls_link_wrench(info, s, state->wrench + 6 * (size_t)node->link);
        double load[6];
        dls_sp_store(load, x);
        sub3(own->P.n, load);
        sub3(own->P.f, load + 3);
      }
    }
    bool good = true;
    switch (node->kind) {
      case DLS_NODE_REVOLUTE: good = back_revolute(above, s, own, tau[0], fault); break;
      case DLS_NODE_SCREW: good = back_screw(above, node, s, own, tau[0], fault); break;
      case DLS_NODE_BALL: good = back_ball(above, s, own, tau, fault); break;
      case DLS_NODE_FREE: good = back_free(above, node, s, own, tau, fault); break;
      case DLS_NODE_PLANE: good = back_plane(above, node, s, own, tau, fault); break;
      case DLS_NODE_DRIVEN:
      case DLS_NODE_WELD:
        if (above == NULL) break;
        add_spin(own, s);
        pass_up(above, s, own);
        break;
      case DLS_NODE_GIVEN: break;
    }
    if (!good) {
      fault->index = node->link;
      return DLS_SINGULAR;
    }
  }
  return DLS_OK;
}

/* w - A udot of a node: the parent's motion carried along, and w*. */
static inline void carry(const dls_node_state *s, const double *w_k, double *w) {
  double t[3];
  cross(t, w_k, s->r);
  add3(t, w_k + 3);
  add3(t, s->zeta);
  mat_t_vec(w + 3, s->E, t);
  mat_t_vec(w, s->E, w_k);
  add3(w, s->c);
}

static void down_plane(const dls_node *node, const dls_node_state *s, double *w, double *udot) {
  const double *W = s->f;
  double u[3];
  for (int l = 0; l < 3; l++) {
    u[l] = s->y[l];
    for (int k = 0; k < 6; k++) u[l] -= W[6 * l + k] * w[k];
  }
  dls_sp_store(w, dls_sp_add(dls_sp_load(w), dls_node_motion(node, s, u)));
  copy3(udot, u);
}

/* M* w = (y) gives w at once; udot is what is left of it. */
static void down_free(const dls_node *node, const dls_node_state *s, double *w, double *udot) {
  const double *X = s->f, *G = s->f + 9, *z = s->y;
  double a[3], eps[3], t[3];
  mat_t_vec(t, X, z);
  for (int k = 0; k < 3; k++) a[k] = z[3 + k] - t[k];
  sym_vec(a, s->f + 15, a);
  sym_vec(eps, G, z);
  mat_vec(t, X, a);
  sub3(eps, t);
  for (int k = 0; k < 3; k++) {
    udot[3 + k] = eps[k] - w[k];
    t[k] = a[k] - w[3 + k];
  }
  mat_vec(t, s->E, t);
  mat_t_vec(udot, node->zero.R.m, t);
  copy3(w, eps);
  copy3(w + 3, a);
}

/* Roots to tips. */
static void go_down(const dls_forest *forest, dls_forest_state *state) {
  const double root[6] = {0, 0, 0, -state->gravity[0], -state->gravity[1], -state->gravity[2]};
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    dls_node_state *s = &state->node[i];
    double *udot = state->udot + node->iu, *w = s->w, *W = s->f;
    if (node->kind == DLS_NODE_GIVEN) {
      dls_sp_store(w, dls_node_given(state, node, s));
      continue;
    }
    carry(s, node->parent >= 0 ? state->node[node->parent].w : root, w);
    switch (node->kind) {
      case DLS_NODE_REVOLUTE:
        udot[0] = s->y[0] - (W[0] * w[0] + W[1] * w[1] + W[3] * w[3] + W[4] * w[4] + W[5] * w[5]) -
                  w[2];
        w[2] += udot[0];
        break;
      case DLS_NODE_SCREW:
        udot[0] = s->y[0] - (W[0] * w[0] + W[1] * w[1] + W[2] * w[2] + W[3] * w[3] +
                             W[4] * w[4] + W[5] * w[5]);
        w[2] += node->a * udot[0];
        w[5] += node->b * udot[0];
        break;
      case DLS_NODE_BALL: {
        double t[3];
        mat_vec(t, W, w + 3);
        for (int k = 0; k < 3; k++) {
          const double eps = s->y[k] - t[k];
          udot[k] = eps - w[k];
          w[k] = eps;
        }
        break;
      }
      case DLS_NODE_FREE: down_free(node, s, w, udot); break;
      case DLS_NODE_PLANE: down_plane(node, s, w, udot); break;
      case DLS_NODE_DRIVEN:
      case DLS_NODE_WELD:
      case DLS_NODE_GIVEN: break;
    }
  }
}

dls_status dls_forest_factor(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  return go_up(forest, state, false, fault);
}

dls_status dls_forest_udot(const dls_forest *forest, dls_forest_state *state, dls_fault *fault) {
  const dls_status status = go_up(forest, state, true, fault);
  if (status == DLS_OK) go_down(forest, state);
  return status;
}
