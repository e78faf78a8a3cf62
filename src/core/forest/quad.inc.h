/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The sweep of quad.h, part of quad_avx2.c. A v4 is a vector (x, y, z) and a fourth number that
** nobody reads. A 3 x 3 matrix is three of them, its rows or its columns as said; of a symmetric
** one given by columns the numbers on and above the diagonal are right, and all of a "full" one.
** Numbers that multiply a whole row are fetched from where they were stored (`of`). The comments of
** kernel.inc.h and eliminate.inc.h say what is computed; here the same sums are taken sideways. */

typedef __m256d v4;

typedef struct quad_constants {
  v4 R[3];              /* columns of the zero rotation; BALL: its quaternion in R[0] */
  v4 r, r_next, r_last; /* origin in the parent: (x, y, z), (y, z, x), (z, x, y) */
  v4 J[3];              /* inertia about the origin, columns, full                    */
  v4 mc;                /* mass times centre, and the mass                            */
} quad_constants;

typedef struct quad_node {
  v4 C[3], E[3];       /* E by columns and by rows                                      */
  v4 v, c, zeta;       /* as in dls_node_state                                          */
  v4 w, a;             /* (eps; a - g)                                                  */
  v4 J[3], H[3], M[3]; /* sums: J columns, H rows, M columns, full                      */
  v4 n, f;             /* bias                                                          */
  v4 X[3];             /* hinge: (W0 W1 .), (W3 W4 W5); ball: columns of J^-1 H         */
  v4 y;        /* four numbers */
  double s, k; /* hinge: sin, cos                                               */
} quad_node;

static inline v4 of(const double *x) {
  return _mm256_broadcast_sd(x);
}
static inline const double *num(const v4 *x) {
  return (const double *)(const void *)x;
}
static inline v4 zero4(void) {
  return _mm256_setzero_pd();
}
/* (y, z, x) */
static inline v4 next(v4 a) {
  return _mm256_permute4x64_pd(a, _MM_SHUFFLE(3, 0, 2, 1));
}
/* number i of a, in every place */
#define all_of4(a, i) _mm256_permute4x64_pd((a), (i)*0x55)
/* (z, x, y) */
static inline v4 last(v4 a) {
  return _mm256_permute4x64_pd(a, _MM_SHUFFLE(3, 1, 0, 2));
}
static inline v4 load3(const double *x) {
  return _mm256_maskload_pd(x, _mm256_set_epi64x(0, -1, -1, -1));
}
static inline void store3(double *x, v4 a) {
  _mm256_maskstore_pd(x, _mm256_set_epi64x(0, -1, -1, -1), a);
}

static inline v4 cross4(v4 a, v4 b) {
  return next(a * next(b) - next(a) * b);
}
/* r x b */
static inline v4 arm_cross(const quad_constants *c, v4 b) {
  return c->r_next * last(b) - c->r_last * next(b);
}
/* a x r */
static inline v4 cross_arm(const quad_constants *c, v4 a) {
  return next(a) * c->r_last - last(a) * c->r_next;
}
/* A x: three columns (or A' x: three rows) and a stored vector */
static inline v4 apply4(const v4 *A, const double *x) {
  return A[0] * of(x) + A[1] * of(x + 1) + A[2] * of(x + 2);
}
static inline v4 apply_new(const v4 *A, v4 x) {
  return A[0] * all_of4(x, 0) + A[1] * all_of4(x, 1) + A[2] * all_of4(x, 2);
}
static inline void transpose4(v4 *o, const v4 *A) {
  const v4 lo = _mm256_unpacklo_pd(A[0], A[1]), hi = _mm256_unpackhi_pd(A[0], A[1]);
  const v4 swapped = _mm256_permute_pd(A[2], 5);
  o[0] = _mm256_permute2f128_pd(lo, A[2], 0x20);
  o[1] = _mm256_permute2f128_pd(hi, swapped, 0x20);
  o[2] = _mm256_permute2f128_pd(lo, A[2], 0x31);
}
/* The rest of a symmetric matrix from what stands above its diagonal. */
static inline void mirror4(v4 *o, const v4 *A) {
  const v4 top = _mm256_unpacklo_pd(A[0], A[1]), swapped = _mm256_permute_pd(A[2], 5);
  o[0] = _mm256_permute2f128_pd(top, A[2], 0x20);
  o[1] = _mm256_permute2f128_pd(A[1], swapped, 0x20);
  o[2] = A[2];
}

/* --- constants ------------------------------------------------------------------------------- */

static inline v4 set4(double x, double y, double z, double w) {
  return _mm256_set_pd(w, z, y, x);
}

void dls_quad_fill(const dls_forest_quad *quad) {
  quad_constants *constants = (quad_constants *)quad->constants;
  memset(quad->work, 0, (size_t)quad->forest->n_nodes * sizeof(quad_node));
  for (int i = 0; i < quad->forest->n_nodes; i++) {
    const dls_node *node = &quad->forest->nodes[i];
    const double *R = node->zero.R.m, *J = node->M.J, *mc = node->M.mc, *t = node->turn;
    quad_constants *c = &constants[i];
    for (int k = 0; k < 3; k++) c->R[k] = set4(R[k], R[3 + k], R[6 + k], 0);
    if (node->kind == DLS_NODE_BALL) c->R[0] = set4(t[0], t[1], t[2], t[3]);
    c->r = set4(node->zero.p.x, node->zero.p.y, node->zero.p.z, 0);
    c->r_next = set4(node->zero.p.y, node->zero.p.z, node->zero.p.x, 0);
    c->r_last = set4(node->zero.p.z, node->zero.p.x, node->zero.p.y, 0);
    c->J[0] = set4(J[0], J[1], J[2], 0);
    c->J[1] = set4(J[1], J[3], J[4], 0);
    c->J[2] = set4(J[2], J[4], J[5], 0);
    c->mc = set4(mc[0], mc[1], mc[2], node->M.m);
  }
}

/* --- poses ----------------------------------------------------------------------------------- */

static inline void angles(const dls_forest_quad *quad, const double *q) {
  quad_node *all = (quad_node *)quad->work;
  const dls_node *nodes = quad->forest->nodes;
  for (int k = 0; k < quad->n_hinges; k += 4) {
    const int *i = quad->hinge + k;
    real s, c;
    const real x = {q[nodes[i[0]].iq], q[nodes[i[1]].iq], q[nodes[i[2]].iq],
                    q[nodes[i[3]].iq]};
    sin_cos(x, &s, &c);
    for (int l = 0; l < 4; l++) {
      all[i[l]].s = s[l];
      all[i[l]].k = c[l];
    }
  }
}

/* Four vectors of four numbers: the l-th numbers of all to o[l]. */
static inline void across(real *o, v4 a, v4 b, v4 c, v4 d) {
  const v4 ab = _mm256_unpacklo_pd(a, b), AB = _mm256_unpackhi_pd(a, b);
  const v4 cd = _mm256_unpacklo_pd(c, d), CD = _mm256_unpackhi_pd(c, d);
  o[0] = _mm256_permute2f128_pd(ab, cd, 0x20);
  o[1] = _mm256_permute2f128_pd(AB, CD, 0x20);
  o[2] = _mm256_permute2f128_pd(ab, cd, 0x31);
  o[3] = _mm256_permute2f128_pd(AB, CD, 0x31);
}

static inline void quaternions(const dls_forest_quad *quad, const double *q) {
  quad_node *all = (quad_node *)quad->work;
  const quad_constants *c = (const quad_constants *)quad->constants;
  const dls_node *nodes = quad->forest->nodes;
  for (int k = 0; k < quad->n_balls; k += 4) {
    const int *i = quad->ball + k;
    real x[4], zero[4], E[9], o[4];
    const real none = {0};
    across(x, _mm256_loadu_pd(q + nodes[i[0]].iq), _mm256_loadu_pd(q + nodes[i[1]].iq),
           _mm256_loadu_pd(q + nodes[i[2]].iq), _mm256_loadu_pd(q + nodes[i[3]].iq));
    across(zero, c[i[0]].R[0], c[i[1]].R[0], c[i[2]].R[0], c[i[3]].R[0]);
    turn_q(E, zero, x);
    for (int j = 0; j < 3; j++) {
      across(o, E[j], E[3 + j], E[6 + j], none);
      for (int l = 0; l < 4; l++) all[i[l]].C[j] = o[l];
      across(o, E[3 * j], E[3 * j + 1], E[3 * j + 2], none);
      for (int l = 0; l < 4; l++) all[i[l]].E[j] = o[l];
    }
  }
}

static inline void turn_hinge(const quad_constants *c, quad_node *x) {
  const v4 s = of(&x->s), k = of(&x->k);
  x->C[0] = k * c->R[0] + s * c->R[1];
  x->C[1] = k * c->R[1] - s * c->R[0];
  x->C[2] = (k - k) + c->R[2];
  transpose4(x->E, x->C);
}

/* --- forward --------------------------------------------------------------------------------- */

static inline void own_body(const quad_constants *c, quad_node *x) {
  const v4 m = of(num(&c->mc) + 3), none = zero4(), mc = c->mc, minus = none - mc;
  for (int k = 0; k < 3; k++) x->J[k] = c->J[k];
  x->M[0] = _mm256_blend_pd(none, m, 1);
  x->M[1] = _mm256_blend_pd(none, m, 2);
  x->M[2] = _mm256_blend_pd(none, m, 4);
  /* rows (0 -z y), (z 0 -x), (-y x 0) */
  const v4 up = _mm256_permute4x64_pd(mc, _MM_SHUFFLE(3, 1, 3, 2));      /* z . y */
  const v4 down = _mm256_permute4x64_pd(minus, _MM_SHUFFLE(3, 0, 2, 1)); /* -y -z -x */
  x->H[0] = _mm256_blend_pd(_mm256_blend_pd(up, down, 2), none, 9);
  x->H[1] = _mm256_blend_pd(_mm256_blend_pd(up, down, 4), none, 10);
  x->H[2] = _mm256_blend_pd(_mm256_blend_pd(_mm256_permute_pd(mc, 1), down, 1), none, 12);
  const v4 t = apply_new(c->J, x->v);
  x->n = cross4(x->v, t);
  x->f = cross4(x->v, cross4(x->v, mc));
}

static inline void carry_spin(const quad_constants *c, quad_node *x, const quad_node *k,
                              v4 *carried) {
  if (k == NULL) {
    *carried = x->zeta = zero4();
    return;
  }
  *carried = apply_new(x->E, k->v);
  x->zeta = cross4(k->v, cross_arm(c, k->v));
}

static inline void forward_node(const quad_constants *c, const dls_node *node,
                                quad_node *x, const quad_node *k, const double *u) {
  v4 carried;
  u += node->iu;
  if (node->kind == DLS_NODE_REVOLUTE) {
    const v4 rate = of(u), none = zero4();
    turn_hinge(c, x);
    carry_spin(c, x, k, &carried);
    x->v = carried + _mm256_blend_pd(none, rate, 4);
    x->c = _mm256_permute_pd(carried, 1) *
           _mm256_blend_pd(_mm256_blend_pd(none, rate, 1), none - rate, 2);
  } else {
    const v4 rate = load3(u);
    carry_spin(c, x, k, &carried);
    x->v = carried + rate;
    x->c = cross4(carried, rate);
  }
  own_body(c, x);
}

/* --- up -------------------------------------------------------------------------------------- */

/* E S E', full; S by columns. */
static inline void turn_full(v4 *o, const quad_node *x, const v4 *S) {
  v4 T[3], half[3];
  const v4 xx = all_of4(S[0], 0), xy = all_of4(S[1], 0), yy = all_of4(S[1], 1);
  const v4 xz = all_of4(S[2], 0), yz = all_of4(S[2], 1), zz = all_of4(S[2], 2);
  T[0] = x->C[0] * xx + x->C[1] * xy + x->C[2] * xz;
  T[1] = x->C[0] * xy + x->C[1] * yy + x->C[2] * yz;
  T[2] = x->C[0] * xz + x->C[1] * yz + x->C[2] * zz;
  for (int k = 0; k < 3; k++) {
    const double *e = num(&x->E[k]);
    half[k] = T[0] * of(e) + T[1] * of(e + 1) + T[2] * of(e + 2);
  }
  mirror4(o, half);
}

/* r x (columns of M): the rows */
static inline void cross_rows(v4 *o, const double *r, const v4 *M) {
  const v4 x = of(r), y = of(r + 1), z = of(r + 2);
  o[0] = y * M[2] - z * M[1];
  o[1] = z * M[0] - x * M[2];
  o[2] = x * M[1] - y * M[0];
}

static inline void add_wrench4(const quad_constants *c, quad_node *above, v4 n, v4 f) {
  above->n = above->n + (n + arm_cross(c, f));
  above->f = above->f + f;
}

static inline bool up_hinge(const quad_constants *c, quad_node *x, quad_node *above,
                            double tau) {
  const double *j = num(x->J), *r = num(&c->r);
  const double D = j[10];
  if (!(D > SHARE * (j[0] + j[5] + D))) return false;
  const double s = 1.0 / D, z = tau - num(&x->n)[2];
  const v4 S = _mm256_set1_pd(s), Z = _mm256_set1_pd(z);
  const v4 turn = x->J[2] * S, slide = x->H[2] * S;
  x->X[0] = turn;
  x->X[1] = slide;
  x->y = Z * S;
  if (above == NULL) return true;
  v4 J[2], h[2], m[3], H[3], T[2], g[2], columns[3], Hp[3], M[3];
  J[0] = x->J[0] - x->J[2] * all_of4(turn, 0);
  J[1] = x->J[1] - x->J[2] * all_of4(turn, 1);
  for (int k = 0; k < 2; k++) h[k] = x->H[k] - of(j + 8 + k) * slide;
  m[0] = x->M[0] - x->H[2] * all_of4(slide, 0);
  m[1] = x->M[1] - x->H[2] * all_of4(slide, 1);
  m[2] = x->M[2] - x->H[2] * all_of4(slide, 2);
  turn_full(M, x, m);
  const v4 xx = all_of4(J[0], 0), xy = all_of4(J[1], 0), yy = all_of4(J[1], 1);
  T[0] = x->C[0] * xx + x->C[1] * xy;
  T[1] = x->C[0] * xy + x->C[1] * yy;
  for (int k = 0; k < 2; k++) g[k] = apply_new(x->C, h[k]);
  for (int i = 0; i < 3; i++) {
    const double *e = num(&x->E[i]);
    Hp[i] = of(e) * g[0] + of(e + 1) * g[1];
  }
  transpose4(columns, Hp);
  /* to the parent: M, H + r~ M, J - H r~ + r~ (H + r~ M)' */
  cross_rows(H, r, M);
  for (int i = 0; i < 3; i++) {
    H[i] = Hp[i] + H[i];
    above->M[i] = above->M[i] + M[i];
    above->H[i] = above->H[i] + H[i];
  }
  v4 moved[3];
  cross_rows(moved, r, columns);
  for (int k = 0; k < 3; k++) {
    const double *e = num(&x->E[k]);
    const v4 turned = T[0] * of(e) + T[1] * of(e + 1);
    above->J[k] = above->J[k] + (turned + moved[k] + arm_cross(c, H[k]));
  }
  const double *spin = num(&x->c), *zeta = num(&x->zeta);
  const v4 c0 = of(spin), c1 = of(spin + 1);
  v4 n = x->n + _mm256_unpacklo_pd(J[0], J[1]) * c0 + J[1] * c1 + turn * Z;
  v4 f = x->f + h[0] * c0 + h[1] * c1 + slide * Z;
  n = apply_new(x->C, _mm256_blend_pd(n, of(&tau), 4)) + apply4(columns, zeta);
  f = apply_new(x->C, f) + apply4(M, zeta);
  add_wrench4(c, above, n, f);
  return true;
}

static inline bool up_ball(const quad_constants *c, quad_node *x, quad_node *above,
                           const double *torque) {
  const double *r = num(&c->r);
  const v4 tau = load3(torque);
  v4 J[3], G[3], X[3], K[3], M[3], H[3];
  mirror4(J, x->J);
  const v4 next0 = next(J[0]), next1 = next(J[1]), next2 = next(J[2]);
  G[0] = next(J[1] * next2 - next1 * J[2]);
  G[1] = next(J[2] * next0 - next2 * J[0]);
  G[2] = next(J[0] * next1 - next0 * J[1]);
  const v4 part = J[0] * G[0];
  const double *p = num(&part), *d = num(x->J);
  const double det = p[0] + p[1] + p[2], s = 1.0 / det;
  if (!(det > SINGULAR * (d[0] * d[5] * d[10]) && d[0] > 0 && d[5] > 0)) return false;
  const v4 S = _mm256_set1_pd(s);
  const v4 xx = all_of4(G[0], 0), xy = all_of4(G[0], 1), xz = all_of4(G[0], 2);
  const v4 yy = all_of4(G[1], 1), yz = all_of4(G[1], 2), zz = all_of4(G[2], 2);
  X[0] = xx * x->H[0] + xy * x->H[1] + xz * x->H[2];
  X[1] = xy * x->H[0] + yy * x->H[1] + yz * x->H[2];
  X[2] = xz * x->H[0] + yz * x->H[1] + zz * x->H[2];
#define COLUMN(k)                                                                        \
  K[k] = x->M[k] - (x->H[0] * all_of4(X[0], k) + x->H[1] * all_of4(X[1], k) +            \
                    x->H[2] * all_of4(X[2], k)) *                                        \
                       S;
  COLUMN(0)
  COLUMN(1) COLUMN(2)
#undef COLUMN
      for (int k = 0; k < 3; k++) {
    G[k] = G[k] * S;
    X[k] = X[k] * S;
  }
  transpose4(x->X, X);
  x->y = apply_new(G, tau - x->n);
  if (above == NULL) return true;
  turn_full(M, x, K);
  cross_rows(H, r, M);
  for (int k = 0; k < 3; k++) {
    above->M[k] = above->M[k] + M[k];
    above->H[k] = above->H[k] + H[k];
    above->J[k] = above->J[k] + arm_cross(c, H[k]);
  }
  const v4 f = apply_new(x->C, apply_new(x->H, x->y) + x->f) + apply4(M, num(&x->zeta));
  add_wrench4(c, above, apply_new(x->C, tau), f);
  return true;
}

/* --- free roots: all four lanes alike --------------------------------------------------------- */

static inline void splat(real *o, const double *x, int n) {
  for (int k = 0; k < n; k++) o[k] = of(x + k);
}
static inline void splat_rows(real *o, const v4 *A) {
  for (int k = 0; k < 9; k++) o[k] = of(num(&A[k / 3]) + k % 3);
}

static inline void forward_free(const quad_constants *c, const dls_node *node,
                                quad_node *x, const double *q, const double *u) {
  real at[4], zero[4], E[9];
  splat(at, q + node->iq + 3, 4);
  splat(zero, node->turn, 4);
  turn_q(E, zero, at);
  for (int j = 0; j < 3; j++)
    x->E[j] = set4(E[3 * j][0], E[3 * j + 1][0], E[3 * j + 2][0], 0);
  transpose4(x->C, x->E);
  x->v = load3(u + node->iu + 3);
  x->c = x->zeta = zero4();
  own_body(c, x);
}

/* The factor of a free root takes the place of its sums: X, J^-1, K^-1, y. */
#define KEPT_F 21
#define KEPT (KEPT_F + 6)
_Static_assert(KEPT <= 36, "a factor fits where J, H, M were");

static inline bool up_free(const dls_node *node, quad_node *x, const double *tau) {
  static const int upper[6] = {0, 4, 8, 5, 9, 10};
  lane_state s;
  sums own;
  real R[9], torque[6];
  splat_rows(s.E, x->E);
  splat_rows(own.A.H, x->H);
  for (int k = 0; k < 6; k++) {
    own.A.J[k] = of(num(x->J) + upper[k]);
    own.A.M[k] = of(num(x->M) + upper[k]);
  }
  splat(own.P.n, num(&x->n), 3);
  splat(own.P.f, num(&x->f), 3);
  splat(R, node->zero.R.m, 9);
  splat(torque, tau, 6);
  const bool good = all_of(back_free(NULL, R, &s, &own, torque));
  double *kept = (double *)(void *)x->J;
  for (int k = 0; k < KEPT_F; k++) kept[k] = s.f[k][0];
  for (int k = 0; k < 6; k++) kept[KEPT_F + k] = s.y[k][0];
  return good;
}

static inline void down_free4(const dls_node *node, quad_node *x, double *udot) {
  lane_state s;
  real R[9], w[6], got[6];
  const double *kept = num(x->J);
  splat_rows(s.E, x->E);
  splat(s.f, kept, KEPT_F);
  splat(s.y, kept + KEPT_F, 6);
  splat(R, node->zero.R.m, 9);
  splat(w, num(&x->w), 3);
  splat(w + 3, num(&x->a), 3);
  down_free(R, &s, w, got);
  x->w = set4(w[0][0], w[1][0], w[2][0], 0);
  x->a = set4(w[3][0], w[4][0], w[5][0], 0);
  for (int k = 0; k < 6; k++) udot[k] = got[k][0];
}

/* --- down ------------------------------------------------------------------------------------ */

static inline double first_of(v4 a) {
  return _mm256_cvtsd_f64(a);
}

static inline void down_hinge4(quad_node *x, double *udot) {
  const v4 turn = x->X[0] * x->w, slide = x->X[1] * x->a;
  const __m128d t = _mm256_castpd256_pd128(turn), s = _mm256_castpd256_pd128(slide);
  const double turned = t[0] + t[1],
               slid = s[0] + s[1] + _mm256_extractf128_pd(slide, 1)[0];
  const double y = num(&x->y)[0], w = _mm256_extractf128_pd(x->w, 1)[0];
  udot[0] = y - (turned + slid) - w;
  x->w = _mm256_add_pd(x->w, _mm256_blend_pd(zero4(), of(udot), 4));
}
static inline void down_ball4(quad_node *x, double *udot) {
  const v4 eps = x->y - apply4(x->X, num(&x->a));
  store3(udot, eps - x->w);
  x->w = eps;
}

static inline void down_node(const quad_constants *c, const dls_node *node, quad_node *x,
                             v4 w_k, v4 a_k, double *udot) {
  udot += node->iu;
  x->a = apply_new(x->E, cross_arm(c, w_k) + a_k + x->zeta);
  x->w = apply_new(x->E, w_k) + x->c;
  if (node->kind == DLS_NODE_REVOLUTE)
    down_hinge4(x, udot);
  else if (node->kind == DLS_NODE_BALL)
    down_ball4(x, udot);
  else
    down_free4(node, x, udot);
}

/* --- the passes ------------------------------------------------------------------------------ */

bool dls_quad_accelerate(const dls_forest_quad *quad, dls_forest_state *state) {
  const dls_forest *forest = quad->forest;
  const quad_constants *c = (const quad_constants *)quad->constants;
  quad_node *x = (quad_node *)quad->work;
  angles(quad, state->q);
  quaternions(quad, state->q);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    if (node->kind == DLS_NODE_FREE)
      forward_free(&c[i], node, &x[i], state->q, state->u);
    else
      forward_node(&c[i], node, &x[i], node->parent >= 0 ? &x[node->parent] : NULL,
                   state->u);
  }
  for (int i = forest->n_nodes - 1; i >= 0; i--) {
    const dls_node *node = &forest->nodes[i];
    const double *tau = state->tau + node->iu;
    quad_node *above = node->parent >= 0 ? &x[node->parent] : NULL;
    bool good;
    if (node->kind == DLS_NODE_REVOLUTE)
      good = up_hinge(&c[i], &x[i], above, tau[0]);
    else if (node->kind == DLS_NODE_BALL)
      good = up_ball(&c[i], &x[i], above, tau);
    else
      good = up_free(node, &x[i], tau);
    if (!good) return false;
  }
  const double *g = state->gravity;
  const v4 none = zero4(), fall = none - set4(g[0], g[1], g[2], 0);
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    const bool root = node->parent < 0;
    const quad_node *k = root ? NULL : &x[node->parent];
    down_node(&c[i], node, &x[i], root ? none : k->w, root ? fall : k->a, state->udot);
  }
  return true;
}
