/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A chain of hinges in segments, as chain.inc.h does it with balls; part of pack.inc.h. What a segment
** exerts on the next one is a wrench whose moment about the next one's first axis is known, so that five
** numbers lambda remain (moment x, y; force), in the axes of the next one's first link, and five columns.
** Numbers stay in the axes of their own links: what a hinge has used up is then an exact zero, whatever
** has piled up across it.
**
** With the hinge eliminated (eps_z = y - W w - Y lambda, Y = N_z / D):  N <- N - W_n N_z without its row z,
** F <- F - W_f N_z,  drift += N_z y + N c,  L -= N_z' N_z / D. */

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

typedef struct hinge_ends {
  double start[MOST_SEGMENTS][3];                       /* angular velocity before the first link, its axes */
  double E[MOST_SEGMENTS][9], c[MOST_SEGMENTS][3];      /* of the next segment's first link; c_z: its torque */
  double K[MOST_SEGMENTS][25], phi[MOST_SEGMENTS][5];   /* of a segment's base                               */
  double F[MOST_SEGMENTS][25], L[MOST_SEGMENTS][25], drift[MOST_SEGMENTS][5];
  double a[MOST_SEGMENTS][5], lambda[MOST_SEGMENTS][5];
  double eps_first[MOST_SEGMENTS], eps_last[MOST_SEGMENTS][3];
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
    if (c->to[l] >= 0) to[c->to[l]] = udot[l];
}
/* n numbers of the lanes of a part from and to rows of `stride` numbers. */
static inline void ends_take(double *to, int stride, int part, const real *x, int n) {
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < n; k++) to[(part * LANES + l) * stride + k] = x[k][l];
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
      const bool real_one = at < packs->forest->n_nodes && (i < packs->length || s + 1 < packs->segments);
      const dls_node *node = real_one ? &packs->forest->nodes[at] : &tip, *first = packs->forest->nodes;
      const double p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
      hinge_link *c = hinge_link_at(packs, i, s / LANES);
      for (int k = 0; k < 9; k++) c->R[k][l] = node->zero.R.m[k];
      for (int k = 0; k < 6; k++) c->J[k][l] = node->M.J[k];
      for (int k = 0; k < 3; k++) c->p[k][l] = p[k];
      for (int k = 0; k < 3; k++) c->mc[k][l] = node->M.mc[k];
      c->m[l] = node->M.m;
      c->beyond[l] = real_one ? 0 : 1;
      c->iq[l] = real_one ? node->iq : first->iq;
      c->iu[l] = real_one ? node->iu : first->iu;
      c->to[l] = real_one ? node->iu : -1;
    }
}

/* --- forward ----------------------------------------------------------------------------------- */

static void hinge_poses(const dls_forest_packs *packs, const dls_forest_state *state, hinge_ends *ends) {
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
        memcpy(P, x->E, sizeof P);
      } else {
        mat_mul(T, P, x->E);
        memcpy(P, T, sizeof P);
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
    const real known[3] = {first->c[0], first->c[1], hinge_torque(state->tau, hinge_link_at(packs, 0, part))};
    ends_take(E[0], 9, part, first->E, 9);
    ends_take(c[0], 3, part, known, 3);
  }
  const size_t n = (size_t)packs->segments - 1;
  memset(ends->E[n], 0, sizeof ends->E[n]); /* nothing hangs on the last segment */
  memset(ends->c[n], 0, sizeof ends->c[n]);
  memcpy(ends->E, E[1], n * sizeof E[0]);
  memcpy(ends->c, c[1], n * sizeof c[0]);
}

/* --- up ------------------------------------------------------------------------------------------ */

typedef struct hinge_sweep {
  sums own;
  real N[3 * COLUMNS], F[3 * COLUMNS], L[15], drift[COLUMNS]; /* rows x, y, z of the columns */
  real j[3], h[6], m[6], nu[3], fu[3];
} hinge_sweep;

static inline void hinge_begin(const dls_forest_packs *packs, int part, const hinge_ends *ends,
                               hinge_sweep *w) {
  const hinge_link *c = hinge_link_at(packs, packs->length - 1, part);
  const hinge_state *x = hinge_at(packs, packs->length - 1, part);
  const real *r = hinge_link_at(packs, packs->length, part)->p;
  real E[9], t[3], zeta[3], known[3];
  memset(w, 0, sizeof *w);
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

static inline mask hinge_joint(hinge_sweep *w, const hinge_link *c, hinge_state *x, const double *tau) {
  const real *J = w->own.A.J, D = J[5] + c->beyond, *n = w->own.P.n, *f = w->own.P.f, *nz = w->N + 2 * COLUMNS;
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
  real F[25], L[25];
  for (int a = 0, at = 0; a < COLUMNS; a++)
    for (int b = a; b < COLUMNS; b++, at++) L[5 * a + b] = L[5 * b + a] = w->L[at];
  memcpy(F, w->N, 10 * sizeof(real));
  memcpy(F + 10, w->F, 15 * sizeof(real));
  ends_take(ends->K[0], 25, part, K, 25);
  ends_take(ends->phi[0], 5, part, phi, 5);
  ends_take(ends->F[0], 25, part, F, 25);
  ends_take(ends->L[0], 25, part, L, 25);
  ends_take(ends->drift[0], 5, part, w->drift, 5);
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

/* --- the join ------------------------------------------------------------------------------------ */

#define WIDTH (COLUMNS + 1)

/* Solves A X = B by Gauss's elimination with row exchanges: B has WIDTH columns, X takes its place. */
static bool hinge_solve(double A[COLUMNS][COLUMNS], double B[COLUMNS][WIDTH]) {
  for (int k = 0; k < COLUMNS; k++) {
    int best = k;
    for (int i = k + 1; i < COLUMNS; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    if (!(fabs(A[best][k]) > 0) || !dls_is_finite(A[best][k])) return false;
    if (best != k) {
      double row[COLUMNS], side[WIDTH];
      memcpy(row, A[k], sizeof row), memcpy(A[k], A[best], sizeof row), memcpy(A[best], row, sizeof row);
      memcpy(side, B[k], sizeof side), memcpy(B[k], B[best], sizeof side), memcpy(B[best], side, sizeof side);
    }
    const double s = 1 / A[k][k];
    for (int c = k + 1; c < COLUMNS; c++) A[k][c] *= s;
    for (int c = 0; c < WIDTH; c++) B[k][c] *= s;
    for (int i = 0; i < COLUMNS; i++) {
      if (i == k) continue;
      const double x = A[i][k];
      for (int c = k + 1; c < COLUMNS; c++) A[i][c] -= x * A[k][c];
      for (int c = 0; c < WIDTH; c++) B[i][c] -= x * B[k][c];
    }
  }
  return true;
}

/* o = A (5 x 5) b */
static inline void apply5(double *o, const double *A, const double *b) {
  for (int i = 0; i < 5; i++, A += 5)
    o[i] = A[0] * b[0] + A[1] * b[1] + A[2] * b[2] + A[3] * b[3] + A[4] * b[4];
}
/* C = A B, 5 x 5 by n columns; rows of B and C have WIDTH numbers. */
static inline void multiply5(double C[COLUMNS][WIDTH], const double *A, const double B[COLUMNS][WIDTH], int n) {
  for (int i = 0; i < 5; i++, A += 5)
    for (int c = 0; c < n; c++)
      C[i][c] = A[0] * B[0][c] + A[1] * B[1][c] + A[2] * B[2][c] + A[3] * B[3][c] + A[4] * B[4][c];
}

/* Joins the segments from the tip, then bases and forces from the root: chain_join with five rows. */
static bool hinge_join(int n, const double *gravity, const hinge_state *first, hinge_ends *ends) {
  double Z[MOST_SEGMENTS][COLUMNS][WIDTH];
  for (int l = n - 2; l >= 0; l--) {
    const double *L = ends->L[l], *F = ends->F[l], *K = ends->K[l + 1];
    double A[COLUMNS][COLUMNS], B[COLUMNS][WIDTH], t[COLUMNS], full[COLUMNS][WIDTH];
    apply5(t, L, ends->phi[l + 1]);
    for (int i = 0; i < COLUMNS; i++) {
      for (int c = 0; c < COLUMNS; c++) {
        B[i][c] = F[5 * c + i];
        full[i][c] = K[5 * i + c];
      }
      B[i][COLUMNS] = ends->drift[l][i] + t[i];
    }
    double LK[COLUMNS][WIDTH];
    multiply5(LK, L, (const double(*)[WIDTH])full, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
      for (int c = 0; c < COLUMNS; c++) A[i][c] = (i == c ? 1 : 0) - LK[i][c];
    if (!hinge_solve(A, B)) return false;
    memcpy(Z[l], B, sizeof B);
    double KZ[COLUMNS][WIDTH], FKZ[COLUMNS][WIDTH];
    multiply5(KZ, K, (const double(*)[WIDTH])B, WIDTH);
    for (int i = 0; i < COLUMNS; i++) KZ[i][COLUMNS] += ends->phi[l + 1][i];
    multiply5(FKZ, F, (const double(*)[WIDTH])KZ, WIDTH);
    for (int i = 0; i < COLUMNS; i++) { /* symmetric but for rounding: kept so */
      ends->phi[l][i] += FKZ[i][COLUMNS];
      for (int c = i; c < COLUMNS; c++) {
        const double part = 0.5 * (FKZ[i][c] + FKZ[c][i]);
        ends->K[l][5 * i + c] += part;
        if (c > i) ends->K[l][5 * c + i] += part;
      }
    }
  }
  memset(ends->lambda[n - 1], 0, sizeof ends->lambda[n - 1]);
  ends->a[0][0] = ends->a[0][1] = 0;
  for (int k = 0; k < 3; k++)
    ends->a[0][2 + k] = -(first->E[k][0] * gravity[0] + first->E[3 + k][0] * gravity[1] +
                          first->E[6 + k][0] * gravity[2]);
  for (int l = 0; l + 1 < n; l++) {
    for (int i = 0; i < COLUMNS; i++) {
      const double *z = Z[l][i], *a = ends->a[l];
      ends->a[l + 1][i] = (z[0] * a[0] + z[1] * a[1] + z[2] * a[2] + z[3] * a[3] + z[4] * a[4]) + z[5];
    }
    apply5(ends->lambda[l], ends->K[l + 1], ends->a[l + 1]);
    for (int i = 0; i < COLUMNS; i++) ends->lambda[l][i] += ends->phi[l + 1][i];
  }
  return true;
}

/* --- down ---------------------------------------------------------------------------------------- */

static void hinge_down(const dls_forest_packs *packs, dls_forest_state *state, int part, hinge_ends *ends) {
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

static void hinge_firsts(const dls_forest_packs *packs, dls_forest_state *state, const hinge_ends *ends) {
  double before[MOST_SEGMENTS][3] = {{0, 0, 0}};
  memcpy(before[1], ends->eps_last, ((size_t)packs->segments - 1) * sizeof before[0]);
  for (int part = 0; part < chain_parts(packs); part++) {
    const real *E = hinge_at(packs, 0, part)->E;
    real t[3], eps;
    ends_put(t, before[0], 3, part, 3);
    ends_put(&eps, ends->eps_first, 1, part, 1);
    hinge_store(hinge_link_at(packs, 0, part), eps - (E[2] * t[0] + E[5] * t[1] + E[8] * t[2]), state->udot);
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
