/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A chain of ball joints cut into four or eight segments, one a lane; part of pack.inc.h. Each
** segment is swept with the unknown force lambda that it exerts on the next one, three more
** columns:
**
**   bias of a node   (n; f) + (N; F) lambda,
**   acceleration of the segment's tip   a' = N' eps + F' a + drift + L lambda,
**
** the columns of the force and the rows of the acceleration being the same by reciprocity. With the
** ball eliminated (J eps = z - H a - N lambda, G = J^-1):  F <- F - H' G N,  drift += N' G z, L -=
** N' G N. Here a is the joint's acceleration and beta, the sum of zeta from there to the tip of the
** segment: on the way zeta is needed nowhere else, and beta is taken out again at the base. At its
** base a segment is  lambda_l = K a_l + phi + F lambda_{l+1},  a_{l+1} = F' a_l + drift + L
** lambda_{l+1}, and these are joined by 3 x 3 solves.
**
** All of a segment is written in the axes of the link before it, so that nothing need be turned on
** the way up and down; lambda and a' are in the axes of its own last link, which are the next
** one's. Angular velocities are found in two passes: relative to the segment's start, then with
** it. */

#include "core/forest/segments.inc.h"

#define RENEWED 16 /* links after which the product of quaternions is made unit again */

typedef struct chain_link {
  real turn[4], p[3], J[6], mc[3],
      m;                    /* quaternion of the zero pose, joint in the link before, inertia */
  mask known;               /* nothing beyond the tip                                         */
  int iq[LANES], iu[LANES]; /* coordinates and velocities; beyond the tip: the first link's   */
} chain_link;

typedef struct chain_state {
  real P[9], w[3];             /* axes; angular velocity relative to the segment's start */
  real p[3];                   /* joint seen from the link before                        */
  real l[3], X[9], y[3], Y[9]; /* J = L D L' (21, 31, 32); D^-1 L^-1 of H, z and N       */
} chain_state;

/* What stands at the ends of the segments: each number of all segments side by side. */
typedef double by_segment[MOST_SEGMENTS];
typedef struct chain_ends {
  by_segment start[3], last[3]; /* angular velocity before the first link, of the last      */
  double moment[3][MOST_SEGMENTS + 1]; /* torque of the first joint; after the last segment 0 */
  by_segment K[6], phi[3], F[9], L[6], drift[3]; /* K, L symmetric: six numbers */
  by_segment a[3], lambda[3];          /* acceleration of the base, force on the next       */
  double before[3][MOST_SEGMENTS + 1]; /* angular acceleration of the link before the first */
  by_segment beta[3];                  /* see chain_sweep                                   */
  by_segment udot[3];                  /* of the first joint, but for what is before it     */
} chain_ends;

/* --- numbers in and out of lanes -------------------------------------------------------------- */

typedef double loose_real DLS_LOOSE(8 * LANES, 8);

/* n numbers to and from rows of `stride` numbers each, the first of which stands at `to`. */
static inline void to_rows(double *to, int stride, const real *x, int n) {
  for (int k = 0; k < n; k++) *(loose_real *)(to + k * stride) = (loose_real)x[k];
}
static inline void from_rows(real *x, const double *from, int stride, int n) {
  for (int k = 0; k < n; k++) x[k] = (real)*(const loose_real *)(from + k * stride);
}
#define TO_ENDS(field, part, x, n) to_rows(ends->field[0] + (part)*LANES, MOST_SEGMENTS, x, n)
#define FROM_ENDS(x, field, part, n) from_rows(x, ends->field[0] + (part)*LANES, MOST_SEGMENTS, n)

#include "core/forest/chain_rows.inc.h"

/* Torques: none beyond the tip, for they would be passed on. */
static inline void chain_torques(const double *tau, const chain_link *c, real *out) {
  rows_in(tau, c->iu, 3, out);
  for (int k = 0; k < 3; k++) out[k] = DLS_KEEP(real, mask, c->known, out[k]);
}

static inline int chain_parts(const dls_forest_packs *packs) {
  return packs->segments / LANES;
}
static inline chain_state *chain_at(const dls_forest_packs *packs, int i, int part) {
  return (chain_state *)packs->work + (size_t)part * (size_t)packs->length + (size_t)i;
}
/* i = length: of the next segment's first link */
static inline chain_link *chain_link_at(const dls_forest_packs *packs, int i, int part) {
  return (chain_link *)packs->constants + (size_t)part * ((size_t)packs->length + 1) + (size_t)i;
}

static void fill_chain(const dls_forest_packs *packs) {
  /* beyond a chain's tip: turns by itself, weighs nothing */
  static const dls_node tip = {.turn = {1, 0, 0, 0}, .M = {{1, 0, 0, 1, 0, 1}, {0, 0, 0}, 0}};
  for (int i = 0; i <= packs->length; i++)
    for (int s = 0; s < packs->segments; s++) {
      const int at = s * packs->length + i, l = s % LANES;
      const bool real_one =
          at < packs->forest->n_nodes && (i < packs->length || s + 1 < packs->segments);
      const dls_node *node = real_one ? &packs->forest->nodes[at] : &tip;
      const double p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
      chain_link *c = chain_link_at(packs, i, s / LANES);
      for (int k = 0; k < 4; k++) DLS_LANE(c->turn[k], l) = node->turn[k];
      for (int k = 0; k < 6; k++) DLS_LANE(c->J[k], l) = node->M.J[k];
      for (int k = 0; k < 3; k++) DLS_LANE(c->p[k], l) = p[k];
      for (int k = 0; k < 3; k++) DLS_LANE(c->mc[k], l) = node->M.mc[k];
      DLS_LANE(c->m, l) = node->M.m;
      c->iq[l] = real_one ? node->iq : packs->forest->nodes[0].iq;
      c->iu[l] = real_one ? node->iu : packs->forest->nodes[0].iu;
      DLS_LANE(c->known, l) = real_one ? -1 : 0;
    }
}

/* --- the passes ------------------------------------------------------------------------------- */

/* Axes, and angular velocities relative to the segment's start; then the starts. */
static void chain_poses(const dls_forest_packs *packs, const dls_forest_state *state,
                        chain_ends *ends) {
  double spin[3][MOST_SEGMENTS];
  for (int part = 0; part < chain_parts(packs); part++) {
    real Q[4], w[3], q[4], z[4], u[3], t[3];
    for (int k = 0; k < 4; k++) Q[k] = (real){0} + (k == 0 ? 1.0 : 0.0);
    zero3(w);
    for (int i = 0; i < packs->length; i++) {
      const chain_link *c = chain_link_at(packs, i, part);
      chain_state *x = chain_at(packs, i, part);
      rows_in(state->q, c->iq, 4, q);
      rows_in(state->u, c->iu, 3, u);
      quaternion_times(z, c->turn, q);
      quaternion_times(Q, Q, z);
      if (i % RENEWED == RENEWED - 1) renew(Q);
      turn_unit(x->P, Q);
      mat_vec(t, x->P, u);
      add3(w, t);
      copy3(x->w, w);
      if (i > 0) continue;
      chain_torques(state->tau, c, u);
      mat_vec(t, x->P, u);
      to_rows(ends->moment[0] + part * LANES, MOST_SEGMENTS + 1, t, 3);
    }
    to_rows(spin[0] + part * LANES, MOST_SEGMENTS, w, 3);
  }
  double om[3] = {0, 0, 0}, sum[3];
  for (int s = 0; s < packs->segments; s++) {
    const real *P = chain_at(packs, packs->length - 1, s / LANES)->P;
    for (int k = 0; k < 3; k++) {
      ends->start[k][s] = om[k];
      ends->last[k][s] = sum[k] = om[k] + spin[k][s];
    }
    for (int k = 0; k < 3; k++)
      om[k] = DLS_LANE(P[k], s % LANES) * sum[0] + DLS_LANE(P[3 + k], s % LANES) * sum[1] +
              DLS_LANE(P[6 + k], s % LANES) * sum[2];
  }
  for (int k = 0; k < 3; k++) ends->moment[k][packs->segments] = 0;
}

/* One part on its way from the tip to the base. */
typedef struct chain_sweep {
  real start[3];            /* angular velocity of the segment's start              */
  real om[3], ww;           /* of the link, and its square                          */
  artic A;                  /* what hangs on the link; with it; passed up           */
  real n[3], f[3];          /* its bias                                             */
  real N[9], F[9], L[6], drift[3]; /* columns                                              */
  real beta[3];             /* sum of zeta from the next segment's first joint on   */
} chain_sweep;

/* o = om x (om x v) */
static inline void chain_spun(const chain_sweep *w, real *o, const real *v) {
  const real d = w->om[0] * v[0] + w->om[1] * v[1] + w->om[2] * v[2];
  for (int k = 0; k < 3; k++) o[k] = w->om[k] * d - v[k] * w->ww;
}
static inline void chain_square(chain_sweep *w) {
  w->ww = w->om[0] * w->om[0] + w->om[1] * w->om[1] + w->om[2] * w->om[2];
}

/* Beyond the last link: the columns, and what else the next segment's first joint tells it. */
static inline void chain_begin(const dls_forest_packs *packs, int part, const chain_ends *ends,
                               chain_sweep *w) {
  const chain_state *x = chain_at(packs, packs->length - 1, part);
  const bool last = part == chain_parts(packs) - 1;
  real r[3], t[3];
  zero3(w->f);
  zero3(w->drift);
  for (int k = 0; k < 9; k++) w->A.H[k] = (real){0};
  for (int k = 0; k < 6; k++) w->A.J[k] = w->A.M[k] = w->L[k] = (real){0};
  FROM_ENDS(w->start, start, part, 3);
  FROM_ENDS(w->om, last, part, 3);
  chain_square(w);
  from_rows(t, ends->moment[0] + part * LANES + 1, MOST_SEGMENTS + 1, 3);
  mat_vec(w->n, x->P, t);
  mat_vec(r, x->P, chain_link_at(packs, packs->length, part)->p);
  chain_spun(w, w->beta, r);
  copy9(w->F, x->P);
  for (int k = 0; k < 9 && last; k++) DLS_LANE(w->F[k], LANES - 1) = 0; /* nothing hangs there */
  cross_columns(w->N, r, w->F);
}

/* The link itself. */
static inline void chain_body(chain_sweep *w, const chain_link *c, const chain_state *x) {
  real J[6], mc[3], t[3], z[3], *H = w->A.H, *M = w->A.M;
  mat_vec(mc, x->P, c->mc);
  H[1] = H[1] - mc[2], H[2] = H[2] + mc[1], H[3] = H[3] + mc[2];
  H[5] = H[5] - mc[0], H[6] = H[6] - mc[1], H[7] = H[7] + mc[0];
  M[0] = M[0] + c->m, M[3] = M[3] + c->m, M[5] = M[5] + c->m;
  chain_spun(w, t, mc);
  for (int k = 0; k < 3; k++) w->f[k] = w->f[k] + (t[k] - c->m * w->beta[k]);
  cross(t, w->beta, mc);
  add3(w->n, t);
  turn_sym(J, x->P, c->J);
  sym_vec(t, J, w->om);
  cross(z, w->om, t);
  add3(w->n, z);
  for (int k = 0; k < 6; k++) w->A.J[k] = w->A.J[k] + J[k];
}

/* J = L D L': 21, 31, 32 of L and 1 / D. By minors, so that no division waits for another. */
static inline mask chain_factor(const real *J, real *l, real *r) {
  const real minor = J[0] * J[3] - J[1] * J[1], across = J[0] * J[4] - J[1] * J[2];
  const real det = J[5] * minor - J[4] * across + J[2] * (J[1] * J[4] - J[2] * J[3]);
  const real one = 1.0 / minor, all = 1.0 / det;
  r[0] = 1.0 / J[0];
  r[1] = J[0] * one;
  r[2] = minor * all;
  l[0] = J[1] * r[0];
  l[1] = J[2] * r[0];
  l[2] = across * one;
  return regular(det, J);
}
/* L^-1 v, v at a, b, c */
static inline void chain_forth(const real *l, const real *a, real *b, real *c) {
  *b = *b - l[0] * *a;
  *c = *c - l[1] * *a - l[2] * *b;
}
/* S -= A' B, symmetric */
static inline void chain_less(real *S, const real *A, const real *B) {
  for (int a = 0, at = 0; a < 3; a++)
    for (int b = a; b < 3; b++, at++)
      S[at] = S[at] - (A[a] * B[b] + A[3 + a] * B[3 + b] + A[6 + a] * B[6 + b]);
}

/* Its joint: the ball's own rows are eliminated from the link and from the columns. */
static inline mask chain_joint(chain_sweep *w, const chain_link *c, chain_state *x,
                               const double *torques, real *tau) {
  real *H = w->A.H, *N = w->N, *F = w->F, t[3], z[3], l[3], r[3];
  chain_torques(torques, c, t);
  mat_vec(tau, x->P, t);
  for (int k = 0; k < 3; k++) z[k] = tau[k] - w->n[k];
  const mask good = chain_factor(w->A.J, l, r);
  copy3(x->l, l);
  chain_forth(l, z, z + 1, z + 2);
  for (int j = 0; j < 3; j++) {
    chain_forth(l, H + j, H + 3 + j, H + 6 + j);
    chain_forth(l, N + j, N + 3 + j, N + 6 + j);
  }
  for (int k = 0; k < 9; k++) x->X[k] = H[k] * r[k / 3];
  chain_less(w->A.M, H, x->X);
  for (int k = 0; k < 3; k++) x->y[k] = z[k] * r[k];
  mat_t_vec(t, H, x->y);
  add3(w->f, t);
  mat_t_vec(t, N, x->y);
  add3(w->drift, t);
  for (int j = 0; j < 3; j++) {
    const real image[3] = {N[j] * r[0], N[3 + j] * r[1], N[6 + j] * r[2]};
    mat_t_vec(t, H, image);
    for (int k = 0; k < 3; k++) {
      x->Y[3 * k + j] = image[k];
      F[3 * k + j] = F[3 * k + j] - t[k];
    }
  }
  chain_less(w->L, N, x->Y);
  return good;
}

/* To the origin of the link before. */
static inline void chain_shift(chain_sweep *w, const chain_link *c, chain_state *x,
                               const chain_state *before, const real *tau) {
  real p[3], t[3], K[6];
  for (int k = 0; k < 3; k++) w->om[k] = w->start[k] + before->w[k];
  chain_square(w);
  mat_vec(p, before->P, c->p);
  copy3(x->p, p);
  chain_spun(w, t, p);
  add3(w->beta, t);
  for (int k = 0; k < 6; k++) K[k] = w->A.M[k];
  move_mass(w->A.J, w->A.H, p, K);
  cross(t, p, w->f);
  for (int k = 0; k < 3; k++) w->n[k] = tau[k] + t[k];
  cross_columns(w->N, p, w->F);
}

/* The base: from accelerations that beta is part of to plain ones. */
static void chain_end(chain_sweep *w, int part, chain_ends *ends) {
  real t[3];
  sym_vec(t, w->A.M, w->beta);
  add3(w->f, t);
  mat_t_vec(t, w->F, w->beta);
  add3(w->drift, t);
  TO_ENDS(K, part, w->A.M, 6);
  TO_ENDS(phi, part, w->f, 3);
  TO_ENDS(F, part, w->F, 9);
  TO_ENDS(L, part, w->L, 6);
  TO_ENDS(drift, part, w->drift, 3);
  TO_ENDS(beta, part, w->beta, 3);
}

/* One part from the tip to the base. */
static mask chain_up(const dls_forest_packs *packs, const dls_forest_state *state, int part,
                     chain_ends *ends) {
  chain_sweep w;
  mask good = MASK_ALL;
  chain_begin(packs, part, ends, &w);
  for (int i = packs->length - 1;; i--) {
    const chain_link *c = chain_link_at(packs, i, part);
    chain_state *x = chain_at(packs, i, part);
    real tau[3];
    chain_body(&w, c, x);
    good = good & chain_joint(&w, c, x, state->tau, tau);
    if (i == 0) break;
    chain_shift(&w, c, x, chain_at(packs, i - 1, part), tau);
  }
  chain_end(&w, part, ends);
  return good;
}

#include "core/forest/chain_join.inc.h"

/* Accelerations from the base to the tip; the first links' udot wait for the last links' eps. */
static void chain_down(const dls_forest_packs *packs, dls_forest_state *state, int part,
                       chain_ends *ends) {
  real a[3], eps[3], om[3], start[3], lambda[3], t[3], s[3], next[3], udot[3];
  FROM_ENDS(a, a, part, 3);
  FROM_ENDS(t, beta, part, 3);
  add3(a, t);
  FROM_ENDS(lambda, lambda, part, 3);
  FROM_ENDS(start, start, part, 3);
  zero3(eps);
  copy3(om, start);
  for (int i = 0; i < packs->length; i++) {
    const chain_state *x = chain_at(packs, i, part);
    if (i > 0) {
      cross(t, eps, x->p);
      add3(a, t);
    }
    for (int k = 0; k < 3; k++) next[k] = start[k] + x->w[k];
    cross(udot, om, next);
    add3(udot, eps);
    copy3(om, next);
    mat_vec(t, x->X, a);
    mat_vec(s, x->Y, lambda);
    for (int k = 0; k < 3; k++) eps[k] = (x->y[k] - s[k]) - t[k];
    eps[1] = eps[1] - x->l[2] * eps[2];
    eps[0] = eps[0] - x->l[0] * eps[1] - x->l[1] * eps[2];
    for (int k = 0; k < 3; k++) t[k] = eps[k] - udot[k];
    mat_t_vec(udot, x->P, t);
    if (i == 0)
      TO_ENDS(udot, part, udot, 3);
    else
      rows_out3(state->udot, chain_link_at(packs, i, part)->iu, udot);
  }
  mat_t_vec(t, chain_at(packs, packs->length - 1, part)->P, eps);
  to_rows(ends->before[0] + part * LANES + 1, MOST_SEGMENTS + 1, t, 3);
}

/* The very first link comes last: what stands beyond the tip was written there. */
static void chain_firsts(const dls_forest_packs *packs, dls_forest_state *state,
                         chain_ends *ends) {
  for (int k = 0; k < 3; k++) ends->before[k][0] = 0;
  for (int part = chain_parts(packs) - 1; part >= 0; part--) {
    real t[3], udot[3];
    from_rows(t, ends->before[0] + part * LANES, MOST_SEGMENTS + 1, 3);
    FROM_ENDS(udot, udot, part, 3);
    mat_t_vec(t, chain_at(packs, 0, part)->P, t);
    sub3(udot, t);
    rows_out3(state->udot, chain_link_at(packs, 0, part)->iu, udot);
  }
}

static bool accelerate_chain(const dls_forest_packs *packs, dls_forest_state *state) {
  chain_ends ends;
  mask good = MASK_ALL;
  const int parts = chain_parts(packs);
  chain_poses(packs, state, &ends);
  for (int part = 0; part < parts; part++) good = good & chain_up(packs, state, part, &ends);
  if (!all_of(good) || !chain_join(packs->segments, state->gravity, &ends)) return false;
  for (int part = 0; part < parts; part++) chain_down(packs, state, part, &ends);
  chain_firsts(packs, state, &ends);
  return true;
}
