/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A chain of ball joints cut into eight segments, one a lane; part of pack.inc.h. Each segment is
** swept with the unknown force lambda that it exerts on the next one, three more columns:
**
**   bias of a node   (n; f) + (N; F) lambda,
**   acceleration of the segment's tip   a' = N' eps + F' a + drift + L lambda,
**
** the columns of the force and the rows of the acceleration being the same by reciprocity. With the
** ball eliminated (eps = y - X a - G N lambda):  F <- F - X' N,  drift += N' y,  L -= N' G N. At its
** base a segment is  lambda_l = K a_l + phi + F lambda_{l+1},  a_{l+1} = F' a_l + drift + L lambda_{l+1},
** and eight of these are joined from the tip by 3 x 3 solves. Angular velocities are found in two
** passes: relative to the segment's start, then from the start's own. */

#define SEGMENTS 8
#define PARTS (SEGMENTS / LANES) /* registers for the eight lanes */

typedef struct chain_state {
  real E[9], v[3], c[3], zeta[3], X[9], y[3], Y[9]; /* Y = G N */
} chain_state;

/* What stands at the ends of the segments. */
typedef struct chain_ends {
  double start[SEGMENTS][3];                      /* angular velocity before the first link     */
  double point[SEGMENTS][3], zeta[SEGMENTS][3];   /* next segment's joint: in the last link, w* */
  double moment[SEGMENTS][3];                     /* of its torque on the last link             */
  double K[SEGMENTS][6], phi[SEGMENTS][3], F[SEGMENTS][9], L[SEGMENTS][6], drift[SEGMENTS][3];
  double a[SEGMENTS][3], lambda[SEGMENTS][3];     /* acceleration of the base, force on the next */
  double eps_first[SEGMENTS][3], eps_last[SEGMENTS][3];
} chain_ends;

static inline void take_lanes(double (*to)[3], int part, const real *x) {
  for (int l = 0; l < LANES; l++)
    for (int k = 0; k < 3; k++) to[part * LANES + l][k] = x[k][l];
}
static inline void put_lanes(real *x, const double (*from)[3], int part) {
  for (int k = 0; k < 3; k++) {
    real lanes = {0};
    for (int l = 0; l < LANES; l++) lanes[l] = from[part * LANES + l][k];
    x[k] = lanes;
  }
}

static inline chain_state *chain_at(const dls_forest_packs *packs, int i, int part) {
  return (chain_state *)packs->work + (size_t)i * PARTS + (size_t)part;
}
static inline const constants *chain_constants(const dls_forest_packs *packs, int i, int part) {
  return (const constants *)packs->constants + (size_t)i * PARTS + (size_t)part;
}

/* C = A B */
static inline void mat_mul(real *C, const real *A, const real *B) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++) C[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
}

/* Poses, and where each segment starts to turn from. */
static void chain_poses(const dls_forest_packs *packs, const dls_forest_state *state,
                        chain_ends *ends) {
  double turn[SEGMENTS][9], spin[SEGMENTS][3];
  for (int part = 0; part < PARTS; part++) {
    real P[9], w[3], T[9], q[4], u[3];
    const real none = {0};
    for (int k = 0; k < 9; k++) P[k] = k % 4 == 0 ? none + 1.0 : none;
    zero3(w);
    for (int i = 0; i < packs->length; i++) {
      const int s = SEGMENTS * i + LANES * part;
      chain_state *x = chain_at(packs, i, part);
      gather(packs, s, state->q, true, 4, q);
      gather(packs, s, state->u, false, 3, u);
      turn_q(x->E, chain_constants(packs, i, part)->turn, q);
      mat_mul(T, P, x->E);
      memcpy(P, T, sizeof P);
      mat_t_vec(w, x->E, w);
      add3(w, u);
    }
    take_lanes(spin, part, w);
    for (int l = 0; l < LANES; l++)
      for (int k = 0; k < 9; k++) turn[part * LANES + l][k] = P[k][l];
  }
  double om[3] = {0, 0, 0};
  for (int l = 0; l < SEGMENTS; l++) {
    const double *P = turn[l];
    memcpy(ends->start[l], om, sizeof om);
    for (int k = 0; k < 3; k++)
      om[k] = P[k] * ends->start[l][0] + P[3 + k] * ends->start[l][1] + P[6 + k] * ends->start[l][2] +
              spin[l][k];
  }
}

/* Angular velocities and w*; then what the first links tell the segments before them. */
static void chain_velocities(const dls_forest_packs *packs, const dls_forest_state *state,
                             chain_ends *ends) {
  double first_zeta[SEGMENTS][3], first_p[SEGMENTS][3], moment[SEGMENTS][3];
  for (int part = 0; part < PARTS; part++) {
    real v_k[3], t[3], u[3], tau[3];
    put_lanes(v_k, (const double(*)[3])ends->start, part);
    for (int i = 0; i < packs->length; i++) {
      const int s = SEGMENTS * i + LANES * part;
      const real *p = chain_constants(packs, i, part)->p;
      chain_state *x = chain_at(packs, i, part);
      gather(packs, s, state->u, false, 3, u);
      cross(t, v_k, p);
      cross(x->zeta, v_k, t);
      mat_t_vec(t, x->E, v_k);
      cross(x->c, t, u);
      copy3(x->v, t);
      add3(x->v, u);
      copy3(v_k, x->v);
      if (i > 0) continue;
      gather(packs, s, state->tau, false, 3, tau);
      mat_vec(t, x->E, tau);
      take_lanes(moment, part, t);
      take_lanes(first_zeta, part, x->zeta);
      take_lanes(first_p, part, p);
    }
  }
  for (int l = 0; l < SEGMENTS; l++)
    for (int k = 0; k < 3; k++) {
      const bool last = l == SEGMENTS - 1;
      ends->point[l][k] = last ? 0 : first_p[l + 1][k];
      ends->zeta[l][k] = last ? 0 : first_zeta[l + 1][k];
      ends->moment[l][k] = last ? 0 : moment[l + 1][k];
    }
}

/* One part from the tip to the base. */
static mask chain_up(const dls_forest_packs *packs, const dls_forest_state *state, int part,
                     chain_ends *ends) {
  const real none = {0};
  real N[9], F[9], L[6], drift[3], p[3], t[3], z[3], K[6], M[6], tau[3], G[6], n[3], f[3];
  sums sum, next;
  mask good = MASK_ALL;
  put_lanes(p, (const double(*)[3])ends->point, part);
  put_lanes(drift, (const double(*)[3])ends->zeta, part);
  put_lanes(n, (const double(*)[3])ends->moment, part);
  for (int k = 0; k < 6; k++) L[k] = M[k] = none;
  zero3(f);
  for (int k = 0; k < 9; k++) F[k] = k % 4 == 0 ? none + 1.0 : none;
  if (part == PARTS - 1) /* nothing hangs on the last lane */
    for (int k = 0; k < 9; k += 4) F[k][LANES - 1] = 0;
  N[0] = N[4] = N[8] = none;
  N[1] = none - p[2], N[2] = p[1], N[3] = p[2], N[5] = none - p[0], N[6] = none - p[1], N[7] = p[0];
  memset(&next, 0, sizeof next);
  copy3(next.P.n, n);
  for (int i = packs->length - 1; i >= 0; i--) {
    const constants *c = chain_constants(packs, i, part);
    chain_state *x = chain_at(packs, i, part);
    set_body(&sum.A, c->J, c->mc, c->m);
    set_gyroscopic(&sum.P, c->J, c->mc, x->v);
    for (int k = 0; k < 6; k++) {
      sum.A.J[k] = sum.A.J[k] + next.A.J[k];
      sum.A.M[k] = sum.A.M[k] + next.A.M[k];
    }
    for (int k = 0; k < 9; k++) sum.A.H[k] = sum.A.H[k] + next.A.H[k];
    add3(sum.P.n, next.P.n);
    add3(sum.P.f, next.P.f);
    memset(&next, 0, sizeof next);

    /* the joint: G, X, K, y, and the columns */
    good = good & regular(reduce_ball(&sum.A, x->X, G, K), sum.A.J);
    gather(packs, SEGMENTS * i + LANES * part, state->tau, false, 3, tau);
    for (int k = 0; k < 3; k++) z[k] = tau[k] - sum.P.n[k];
    sym_vec(x->y, G, z);
    for (int j = 0; j < 3; j++) {
      const real column[3] = {N[j], N[3 + j], N[6 + j]};
      real image[3], part_f[3];
      sym_vec(image, G, column);
      mat_t_vec(part_f, x->X, column);
      drift[j] = drift[j] + dot3(column, x->y);
      for (int k = 0; k < 3; k++) {
        x->Y[3 * k + j] = image[k];
        F[3 * k + j] = F[3 * k + j] - part_f[k];
      }
    }
    for (int a = 0, at = 0; a < 3; a++)
      for (int b = a; b < 3; b++, at++)
        L[at] = L[at] - (N[a] * x->Y[b] + N[3 + a] * x->Y[3 + b] + N[6 + a] * x->Y[6 + b]);

    /* to the parent's axes */
    real turned[9];
    mat_mul(turned, x->E, F);
    memcpy(F, turned, sizeof F);
    turn_sym(M, x->E, K);
    mat_t_vec(f, sum.A.H, x->y);
    add3(f, sum.P.f);
    mat_vec(f, x->E, f);
    if (i == 0) break;
    mat_t_vec(t, F, x->zeta);
    add3(drift, t);
    for (int j = 0; j < 3; j++) { /* N = r~ F */
      N[j] = c->p[1] * F[6 + j] - c->p[2] * F[3 + j];
      N[3 + j] = c->p[2] * F[j] - c->p[0] * F[6 + j];
      N[6 + j] = c->p[0] * F[3 + j] - c->p[1] * F[j];
    }
    sym_vec(t, M, x->zeta);
    add3(f, t);
    mat_vec(n, x->E, tau);
    add_moved_mass(&next.A, c->p, M);
    add_wrench(&next.P, c->p, n, f);
  }
  take_lanes(ends->phi, part, f);
  take_lanes(ends->drift, part, drift);
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 6; k++) {
      ends->K[part * LANES + l][k] = M[k][l];
      ends->L[part * LANES + l][k] = L[k][l];
    }
    for (int k = 0; k < 9; k++) ends->F[part * LANES + l][k] = F[k][l];
  }
  return good;
}

static dls_mat3 full_of(const double *S) {
  return (dls_mat3){{S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]}};
}

/* Joins the segments, from the tip: then bases and forces, from the root. */
static bool chain_join(const double *gravity, chain_ends *ends) {
  dls_mat3 Z[SEGMENTS], K[SEGMENTS];
  dls_vec3 z[SEGMENTS], phi[SEGMENTS];
  K[SEGMENTS - 1] = full_of(ends->K[SEGMENTS - 1]);
  phi[SEGMENTS - 1] = dls_v3_load(ends->phi[SEGMENTS - 1]);
  for (int l = SEGMENTS - 2; l >= 0; l--) {
    const dls_mat3 L = full_of(ends->L[l]), F = dls_m3_load(ends->F[l]);
    const dls_mat3 LK = dls_m3_mul(&L, &K[l + 1]);
    dls_mat3 A = dls_m3_identity(), inverse;
    for (int k = 0; k < 9; k++) A.m[k] -= LK.m[k];
    if (!dls_m3_inverse(&A, &inverse)) return false;
    Z[l] = dls_m3_mul_t(&inverse, &F);
    z[l] = dls_m3_apply(&inverse, dls_v3_add(dls_v3_load(ends->drift[l]),
                                             dls_m3_apply(&L, phi[l + 1])));
    const dls_mat3 KZ = dls_m3_mul(&K[l + 1], &Z[l]), FKZ = dls_m3_mul(&F, &KZ);
    K[l] = full_of(ends->K[l]);
    for (int i = 0; i < 3; i++) /* symmetric but for rounding: kept so */
      for (int j = i; j < 3; j++) {
        const double part = 0.5 * (FKZ.m[3 * i + j] + FKZ.m[3 * j + i]);
        K[l].m[3 * i + j] += part;
        if (j > i) K[l].m[3 * j + i] += part;
      }
    const dls_vec3 tip = dls_v3_add(dls_m3_apply(&K[l + 1], z[l]), phi[l + 1]);
    phi[l] = dls_v3_add(dls_v3_load(ends->phi[l]), dls_m3_apply(&F, tip));
  }
  dls_vec3 a = dls_v3_neg(dls_v3_load(gravity));
  for (int l = 0; l < SEGMENTS; l++) {
    dls_v3_store(ends->a[l], a);
    dls_v3_store(ends->lambda[l], dls_v3(0, 0, 0));
    if (l == SEGMENTS - 1) break;
    a = dls_v3_add(dls_m3_apply(&Z[l], a), z[l]);
    dls_v3_store(ends->lambda[l], dls_v3_add(dls_m3_apply(&K[l + 1], a), phi[l + 1]));
  }
  return true;
}

static inline void chain_store(const dls_forest_packs *packs, int s, const real *udot,
                               dls_forest_state *state) {
  for (int l = 0; l < LANES && packs->node[s + l] >= 0; l++) {
    double *to = state->udot + packs->forest->nodes[packs->node[s + l]].iu;
    for (int k = 0; k < 3; k++) to[k] = udot[k][l];
  }
}

/* Accelerations from the base to the tip; the first links' udot wait for the last links' eps. */
static void chain_down(const dls_forest_packs *packs, dls_forest_state *state, int part,
                       chain_ends *ends) {
  real a[3], eps[3], lambda[3], t[3], s[3], udot[3];
  put_lanes(a, (const double(*)[3])ends->a, part);
  put_lanes(lambda, (const double(*)[3])ends->lambda, part);
  zero3(eps);
  for (int i = 0; i < packs->length; i++) {
    const chain_state *x = chain_at(packs, i, part);
    if (i > 0) {
      cross(t, eps, chain_constants(packs, i, part)->p);
      add3(a, t);
      add3(a, x->zeta);
    }
    mat_t_vec(a, x->E, a);
    mat_t_vec(t, x->E, eps);
    add3(t, x->c);
    mat_vec(eps, x->X, a);
    mat_vec(s, x->Y, lambda);
    for (int k = 0; k < 3; k++) {
      eps[k] = (x->y[k] - eps[k]) - s[k];
      udot[k] = eps[k] - t[k];
    }
    if (i == 0)
      take_lanes(ends->eps_first, part, udot);
    else
      chain_store(packs, SEGMENTS * i + LANES * part, udot, state);
  }
  take_lanes(ends->eps_last, part, eps);
}

static void chain_firsts(const dls_forest_packs *packs, dls_forest_state *state,
                         const chain_ends *ends) {
  double before[SEGMENTS][3];
  for (int l = 0; l < SEGMENTS; l++)
    for (int k = 0; k < 3; k++) before[l][k] = l > 0 ? ends->eps_last[l - 1][k] : 0;
  for (int part = 0; part < PARTS; part++) {
    real t[3], udot[3];
    put_lanes(t, (const double(*)[3])before, part);
    put_lanes(udot, ends->eps_first, part);
    mat_t_vec(t, chain_at(packs, 0, part)->E, t);
    sub3(udot, t);
    chain_store(packs, LANES * part, udot, state);
  }
}

static bool accelerate_chain(const dls_forest_packs *packs, dls_forest_state *state) {
  chain_ends ends;
  mask good = MASK_ALL;
  memset(&ends, 0, sizeof ends);
  chain_poses(packs, state, &ends);
  chain_velocities(packs, state, &ends);
  for (int part = 0; part < PARTS; part++) good = good & chain_up(packs, state, part, &ends);
  if (!all_of(good) || !chain_join(state->gravity, &ends)) return false;
  for (int part = 0; part < PARTS; part++) chain_down(packs, state, part, &ends);
  chain_firsts(packs, state, &ends);
  return true;
}
