/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A chain of hinges in segments, as chain.inc.h does it with balls; part of pack.inc.h. What a
** segment exerts on the next one is a wrench whose moment about the next one's first axis is known,
** so that five numbers lambda remain (moment x, y; force), in the axes of the next one's first
** link, and five columns. Numbers stay in the axes of their own links: what a hinge has used up is
** then an exact zero, whatever has piled up across it.
**
** With the hinge eliminated (eps_z = y - W w - Y lambda, Y = N_z / D):  N <- N - W_n N_z without
** its row z, F <- F - W_f N_z,  drift += N_z y + N c,  L -= N_z' N_z / D. */

#define COLUMNS 5

typedef struct hinge_link {
  real R[9], p[3], J[6], mc[3], m;     /* zero pose, inertia                              */
  real beyond;                         /* 1 beyond the tip: turns by itself, weighs nothing */
  int iq[LANES], iu[LANES], to[LANES]; /* as in chain_link                                */
} hinge_link;

typedef struct hinge_state {
  real E[9], v[3], c[2], zeta[3]; /* as in dls_node_state           */
  real W[5], y, Y[COLUMNS];       /* W without its 1                */
} hinge_state;

/* Five numbers, one more, and two that stay zero; four at a time, in plain C one. */
typedef double four DLS_VECTOR(32);
enum { FOURS = 8 * sizeof(double) / sizeof(four) };
typedef union wide_row {
  four v[FOURS]; /* by fours */
  double x[8];   /* one by one */
} wide_row;

typedef struct hinge_ends {
  double start[MOST_SEGMENTS][3]; /* angular velocity before the first link, its axes */
  double E[MOST_SEGMENTS][9],
      c[MOST_SEGMENTS][3]; /* of the next segment's first link; c_z: its torque */
  wide_row K[MOST_SEGMENTS][5],
      F[MOST_SEGMENTS][5]; /* [K | phi], [F' | drift] of a segment              */
  double L[MOST_SEGMENTS][25]; /* 5 x 5 */
  double a[MOST_SEGMENTS][5],
      lambda[MOST_SEGMENTS][5]; /* acceleration of the base, force on the next       */
  double eps_first[MOST_SEGMENTS], eps_last[MOST_SEGMENTS][3]; /* angular accelerations */
} hinge_ends;

static inline hinge_state *hinge_at(const dls_forest_packs *packs, int i, int part) {
  return (hinge_state *)packs->work + (size_t)part * (size_t)packs->length + (size_t)i;
}
static inline hinge_link *hinge_link_at(const dls_forest_packs *packs, int i, int part) {
  return (hinge_link *)packs->constants + (size_t)part * ((size_t)packs->length + 1) + (size_t)i;
}

static inline real hinge_take(const double *x, const int *at) {
#define OF_LANE(l) x[at[l]]
  return (real)SIDE_BY_SIDE(OF_LANE);
#undef OF_LANE
}
static inline real hinge_torque(const double *tau, const hinge_link *c) {
#define OF_LANE(l) (c->to[l] >= 0 ? tau[c->to[l]] : 0.0)
  return (real)SIDE_BY_SIDE(OF_LANE);
#undef OF_LANE
}
static inline void hinge_store(const hinge_link *c, real udot, double *to) {
  for (int l = 0; l < LANES; l++)
    if (c->to[l] >= 0) to[c->to[l]] = DLS_LANE(udot, l);
}
/* n numbers of the lanes of a part from and to rows of `stride` numbers. */
static inline void ends_take(double *to, int stride, int part, const real *x, int n) {
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < n; k++) to[(part * LANES + l) * stride + k] = DLS_LANE(x[k], l);
}
static inline void ends_put(real *x, const double *from, int stride, int part, int n) {
#define OF_LANE(l) from[(part * LANES + (l)) * stride + k]
  for (int k = 0; k < n; k++) x[k] = (real)SIDE_BY_SIDE(OF_LANE);
#undef OF_LANE
}

static void fill_hinges(const dls_forest_packs *packs) {
  static const dls_node tip = {.zero = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}},
                               .M = {{0, 0, 0, 0, 0, 0}, {0, 0, 0}, 0}};
  for (int i = 0; i <= packs->length; i++)
    for (int s = 0; s < packs->segments; s++) {
      const int at = s * packs->length + i, l = s % LANES;
      const bool real_one =
          at < packs->forest->n_nodes && (i < packs->length || s + 1 < packs->segments);
      const dls_node *node = real_one ? &packs->forest->nodes[at] : &tip,
                     *first = packs->forest->nodes;
      const double p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
      hinge_link *c = hinge_link_at(packs, i, s / LANES);
      for (int k = 0; k < 9; k++) DLS_LANE(c->R[k], l) = node->zero.R.m[k];
      for (int k = 0; k < 6; k++) DLS_LANE(c->J[k], l) = node->M.J[k];
      for (int k = 0; k < 3; k++) DLS_LANE(c->p[k], l) = p[k];
      for (int k = 0; k < 3; k++) DLS_LANE(c->mc[k], l) = node->M.mc[k];
      DLS_LANE(c->m, l) = node->M.m;
      DLS_LANE(c->beyond, l) = real_one ? 0 : 1;
      c->iq[l] = real_one ? node->iq : first->iq;
      c->iu[l] = real_one ? node->iu : first->iu;
      c->to[l] = real_one ? node->iu : -1;
    }
}

/* --- forward ---------------------------------------------------------------------------------- */

static void hinge_poses(const dls_forest_packs *packs, const dls_forest_state *state,
                        hinge_ends *ends) {
  double turn[MOST_SEGMENTS][9], spin[MOST_SEGMENTS][3];
  for (int part = 0; part < chain_parts(packs); part++) {
    real P[9], T[9], w[3];
    zero3(w);
    for (int k = 0; k < 9; k += 3) zero3(P + k);
    for (int i = 0; i < packs->length; i++) {
      const hinge_link *c = hinge_link_at(packs, i, part);
      hinge_state *x = hinge_at(packs, i, part);
      turn_z(x->E, c->R, hinge_take(state->q, c->iq));
      if (i == 0) {
        copy9(P, x->E);
      } else {
        mat_mul(T, P, x->E);
        copy9(P, T);
        mat_t_vec(w, x->E, w);
      }
      w[2] = w[2] + hinge_take(state->u, c->iu);
    }
    ends_take(spin[0], 3, part, w, 3);
    ends_take(turn[0], 9, part, P, 9);
  }
  dls_vec3 om = dls_v3(0, 0, 0);
  for (int l = 0; l < packs->segments; l++) {
    const dls_mat3 P = dls_m3_load(turn[l]);
    dls_v3_store(ends->start[l], om);
    om = dls_v3_add(dls_m3_apply_t(&P, om), dls_v3_load(spin[l]));
  }
}

static void hinge_velocities(const dls_forest_packs *packs, const dls_forest_state *state,
                             hinge_ends *ends) {
  double E[MOST_SEGMENTS][9], c[MOST_SEGMENTS][3];
  for (int part = 0; part < chain_parts(packs); part++) {
    real v[3], t[3];
    ends_put(v, ends->start[0], 3, part, 3);
    for (int i = 0; i < packs->length; i++) {
      const hinge_link *link = hinge_link_at(packs, i, part);
      const real u = hinge_take(state->u, link->iu), none = {0};
      hinge_state *x = hinge_at(packs, i, part);
      mat_t_vec(t, x->E, v);
      x->c[0] = t[1] * u;
      x->c[1] = none - t[0] * u;
      t[2] = t[2] + u;
      copy3(x->v, t);
      copy3(v, t);
    }
    const hinge_state *first = hinge_at(packs, 0, part);
    const real known[3] = {first->c[0], first->c[1],
                           hinge_torque(state->tau, hinge_link_at(packs, 0, part))};
    ends_take(E[0], 9, part, first->E, 9);
    ends_take(c[0], 3, part, known, 3);
  }
  const int last = packs->segments - 1;
  memset(ends->E[last], 0, sizeof ends->E[last]); /* nothing hangs on the last segment */
  memset(ends->c[last], 0, sizeof ends->c[last]);
  for (int k = 0; k < last; k++) {
    memcpy(ends->E[k], E[k + 1], sizeof E[0]);
    memcpy(ends->c[k], c[k + 1], sizeof c[0]);
  }
}

/* --- up --------------------------------------------------------------------------------------- */

typedef struct hinge_sweep {
  sums own;                                                   /* what links behind pass up */
  real N[3 * COLUMNS], F[3 * COLUMNS], L[15], drift[COLUMNS]; /* rows x, y, z of the columns */
  real j[3], h[6], m[6], nu[3], fu[3];                        /* inertia and forces so far */
} hinge_sweep;

static inline void hinge_begin(const dls_forest_packs *packs, int part, const hinge_ends *ends,
                               hinge_sweep *w) {
  const hinge_link *c = hinge_link_at(packs, packs->length - 1, part);
  const hinge_state *x = hinge_at(packs, packs->length - 1, part);
  const real *r = hinge_link_at(packs, packs->length, part)->p;
  real E[9], t[3], zeta[3], known[3];
  for (int k = 0; k < 15; k++) w->N[k] = w->F[k] = w->L[k] = (real){0};
  ends_put(E, ends->E[0], 9, part, 9);
  ends_put(known, ends->c[0], 3, part, 3);
  for (int k = 0; k < 3; k++) {
    const real axis[3] = {E[k], E[3 + k], E[6 + k]};
    cross(t, r, axis);
    for (int i = 0; i < 3; i++) {
      if (k < 2) w->N[i * COLUMNS + k] = axis[i];
      w->N[i * COLUMNS + 2 + k] = t[i];
      w->F[i * COLUMNS + 2 + k] = axis[i];
    }
  }
  cross(t, x->v, r);
  cross(zeta, x->v, t);
  mat_t_vec(w->drift + 2, E, zeta);
  w->drift[0] = known[0];
  w->drift[1] = known[1];
  set_body(&w->own.A, c->J, c->mc, c->m);
  set_gyroscopic(&w->own.P, c->J, c->mc, x->v);
  for (int k = 0; k < 3; k++) w->own.P.n[k] = w->own.P.n[k] + E[3 * k + 2] * known[2];
}

static inline mask hinge_joint(hinge_sweep *w, const hinge_link *c, hinge_state *x,
                               const double *tau) {
  const real *J = w->own.A.J, D = J[5] + c->beyond, *n = w->own.P.n, *f = w->own.P.f,
             *nz = w->N + 2 * COLUMNS;
  const mask good = above_bound(D, SHARE * (J[0] + J[3] + D));
  real W[7], *N = w->N, *F = w->F;
  reduce_revolute(&w->own.A, D, W, w->j, w->h, w->m);
  const real torque = hinge_torque(tau, c), z = torque - n[2];
  x->y = z * W[6];
  x->W[0] = W[0], x->W[1] = W[1];
  copy3(x->W + 2, W + 3);
  w->nu[0] = n[0] + W[0] * z;
  w->nu[1] = n[1] + W[1] * z;
  w->nu[2] = torque;
  for (int k = 0; k < 3; k++) w->fu[k] = f[k] + W[3 + k] * z;
  for (int k = 0; k < COLUMNS; k++) {
    x->Y[k] = nz[k] * W[6];
    w->drift[k] = w->drift[k] + nz[k] * x->y;
    for (int i = 0; i < 2; i++) N[i * COLUMNS + k] = N[i * COLUMNS + k] - W[i] * nz[k];
    for (int i = 0; i < 3; i++) F[i * COLUMNS + k] = F[i * COLUMNS + k] - W[3 + i] * nz[k];
  }
  for (int a = 0, at = 0; a < COLUMNS; a++)
    for (int b = a; b < COLUMNS; b++, at++) w->L[at] = w->L[at] - x->Y[a] * nz[b];
  return good;
}

/* The columns in the axes of the link before, about its origin. */
static inline void hinge_turn(hinge_sweep *w, const real *r, const hinge_state *x) {
  const real *E = x->E;
  for (int k = 0; k < COLUMNS; k++) {
    const real a = w->N[k], b = w->N[COLUMNS + k];
    real F[3] = {w->F[k], w->F[COLUMNS + k], w->F[2 * COLUMNS + k]}, t[3];
    mat_vec(F, E, F);
    cross(t, r, F);
    w->drift[k] = w->drift[k] + (a * x->c[0] + b * x->c[1]) + dot3(F, x->zeta);
    for (int i = 0; i < 3; i++) {
      w->F[i * COLUMNS + k] = F[i];
      w->N[i * COLUMNS + k] = (E[3 * i] * a + E[3 * i + 1] * b) + t[i];
    }
  }
}

/* Inertia and bias on to the link before, `to` and `k`. */
static inline void hinge_shift(hinge_sweep *w, const real *r, hinge_state *x, const hinge_link *to,
                               const hinge_state *k) {
  const real *j = w->j, *h = w->h, c0 = x->c[0], c1 = x->c[1];
  real J[6], H[9], M[6], t[3], *nu = w->nu, *fu = w->fu;
  cross(t, k->v, r);
  cross(x->zeta, k->v, t);
  turn_revolute(x->E, j, h, w->m, J, H, M);
  nu[0] = nu[0] + (j[0] * c0 + j[1] * c1);
  nu[1] = nu[1] + (j[1] * c0 + j[2] * c1);
  for (int i = 0; i < 3; i++) fu[i] = fu[i] + (h[i] * c0 + h[3 + i] * c1);
  mat_vec(nu, x->E, nu);
  mat_vec(fu, x->E, fu);
  mat_vec(t, H, x->zeta);
  add3(nu, t);
  sym_vec(t, M, x->zeta);
  add3(fu, t);
  set_body(&w->own.A, to->J, to->mc, to->m);
  set_gyroscopic(&w->own.P, to->J, to->mc, k->v);
  add_moved(&w->own.A, r, J, H, M);
  add_wrench(&w->own.P, r, nu, fu);
}

static void hinge_end(const hinge_sweep *w, int part, hinge_ends *ends) {
  const real *j = w->j, *h = w->h, *m = w->m;
  const real K[25] = {j[0], j[1], h[0], h[1], h[2], j[1], j[2], h[3], h[4], h[5], h[0], h[3], m[0],
                      m[1], m[2], h[1], h[4], m[1], m[3], m[4], h[2], h[5], m[2], m[4], m[5]};
  const real phi[5] = {w->nu[0], w->nu[1], w->fu[0], w->fu[1], w->fu[2]};
  for (int l = 0; l < LANES; l++) {
    const int s = part * LANES + l;
    for (int i = 0, at = 0; i < 5; i++) {
      wide_row *to = &ends->K[s][i], *column = &ends->F[s][i];
      for (int k = 0; k < 5; k++) to->x[k] = DLS_LANE(K[5 * i + k], l);
      for (int k = 0; k < 2; k++) column->x[k] = DLS_LANE(w->N[5 * k + i], l);
      for (int k = 0; k < 3; k++) column->x[2 + k] = DLS_LANE(w->F[5 * k + i], l);
      for (int k = i; k < 5; k++, at++) ends->L[s][5 * i + k] = ends->L[s][5 * k + i] = DLS_LANE(w->L[at], l);
      to->x[5] = DLS_LANE(phi[i], l);
      column->x[5] = DLS_LANE(w->drift[i], l);
      to->x[6] = to->x[7] = column->x[6] = column->x[7] = 0;
    }
  }
}

static mask hinge_up(const dls_forest_packs *packs, const dls_forest_state *state, int part,
                     hinge_ends *ends) {
  hinge_sweep w;
  mask good = MASK_ALL;
  hinge_begin(packs, part, ends, &w);
  for (int i = packs->length - 1;; i--) {
    const hinge_link *c = hinge_link_at(packs, i, part);
    hinge_state *x = hinge_at(packs, i, part);
    good = good & hinge_joint(&w, c, x, state->tau);
    if (i == 0) break;
    hinge_shift(&w, c->p, x, hinge_link_at(packs, i - 1, part), hinge_at(packs, i - 1, part));
    hinge_turn(&w, c->p, x);
  }
  hinge_end(&w, part, ends);
  return good;
}

#include "core/forest/hinges_join.inc.h"

/* --- down ------------------------------------------------------------------------------------- */

static void hinge_down(const dls_forest_packs *packs, dls_forest_state *state, int part,
                       hinge_ends *ends) {
  real w[3], a[3], lambda[COLUMNS], base[COLUMNS], t[3];
  ends_put(base, ends->a[0], COLUMNS, part, COLUMNS);
  ends_put(lambda, ends->lambda[0], COLUMNS, part, COLUMNS);
  zero3(w);
  for (int i = 0; i < packs->length; i++) {
    const hinge_link *c = hinge_link_at(packs, i, part);
    const hinge_state *x = hinge_at(packs, i, part);
    if (i == 0) {
      w[0] = base[0], w[1] = base[1];
      copy3(a, base + 2);
    } else {
      cross(t, w, c->p);
      add3(t, x->zeta);
      add3(a, t);
      mat_t_vec(a, x->E, a);
      mat_t_vec(w, x->E, w);
      w[0] = w[0] + x->c[0];
      w[1] = w[1] + x->c[1];
    }
    const real *Y = x->Y, *W = x->W, carried = w[2];
    const real pushed = (Y[0] * lambda[0] + Y[1] * lambda[1]) + dot3(Y + 2, lambda + 2);
    w[2] = (x->y - pushed) - ((W[0] * w[0] + W[1] * w[1]) + dot3(W + 2, a));
    if (i == 0)
      ends_take(ends->eps_first, 1, part, &w[2], 1);
    else
      hinge_store(c, w[2] - carried, state->udot);
  }
  ends_take(ends->eps_last[0], 3, part, w, 3);
}

static void hinge_firsts(const dls_forest_packs *packs, dls_forest_state *state,
                         const hinge_ends *ends) {
  double before[MOST_SEGMENTS][3];
  for (int l = 0; l < packs->segments; l++)
    for (int k = 0; k < 3; k++) before[l][k] = l > 0 ? ends->eps_last[l - 1][k] : 0;
  for (int part = 0; part < chain_parts(packs); part++) {
    const real *E = hinge_at(packs, 0, part)->E;
    real t[3], eps;
    ends_put(t, before[0], 3, part, 3);
    ends_put(&eps, ends->eps_first, 1, part, 1);
    hinge_store(hinge_link_at(packs, 0, part), eps - (E[2] * t[0] + E[5] * t[1] + E[8] * t[2]),
                state->udot);
  }
}

static bool accelerate_hinges(const dls_forest_packs *packs, dls_forest_state *state) {
  hinge_ends ends;
  mask good = MASK_ALL;
  const int parts = chain_parts(packs);
  hinge_poses(packs, state, &ends);
  hinge_velocities(packs, state, &ends);
  for (int part = 0; part < parts; part++) good = good & hinge_up(packs, state, part, &ends);
  if (!all_of(good)) return false;
  if (!hinge_join(packs->segments, state->gravity, hinge_at(packs, 0, 0), &ends)) return false;
  for (int part = 0; part < parts; part++) hinge_down(packs, state, part, &ends);
  hinge_firsts(packs, state, &ends);
  return true;
}
