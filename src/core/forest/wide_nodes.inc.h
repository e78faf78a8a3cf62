/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Hinges and balls of many states at once, read by wide.inc.h: the operations of eliminate.inc.h
** and fast.inc.h in their order, arranged for a processor that holds few more numbers than one node
** has.
**
**   What is the same in all states (a joint's place, its axis in the parent, the body) is read as one
**   number and repeated: a store of LANES numbers takes as long as two products, and what a node
**   keeps from one pass to the next must stay in the first-level cache.
**   A sum starts with its first child, not with the body alone.
**   No array is copied in a loop: gcc makes `rep movs` of it.
**
** A hinge has W = (column z of M*) / D in w until the way down replaces it by the node's motion,
** and from find_angles to the way forward the sine and cosine of its angle in f. A ball has X in
** f. */

/* Each a function of its own with everything inlined, or nothing would be in one that holds them
** all. */
#ifdef DLS_PLAIN_C
#define WHOLE static
#else
#define WHOLE static __attribute__((noinline, flatten))
#endif

/* The same in all lanes. */
static inline void repeat(real *o, const double *a, int n) {
  for (int k = 0; k < n; k++) o[k] = a[k] - (real){0};
}
static inline void place_of_joint(const dls_node *node, real *r) {
  const double p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
  repeat(r, p, 3);
}

/* --- passing up ------------------------------------------------------------------------------- */

/* What a child's inertia is at the parent's origin: add_moved without the sum. */
static inline void moved(artic *restrict o, const real *restrict r, const real *restrict J,
                         const real *restrict H, const real *restrict M) {
  real *h = o->H, x[3];
  for (int j = 0; j < 3; j++) {
    const real k0 = M[j], k1 = j == 0 ? M[1] : M[2 + j], k2 = j == 2 ? M[5] : M[2 + 2 * j];
    h[j] = H[j] + (r[1] * k2 - r[2] * k1);
    h[3 + j] = H[3 + j] + (r[2] * k0 - r[0] * k2);
    h[6 + j] = H[6 + j] + (r[0] * k1 - r[1] * k0);
  }
  copy3(o->M, M);
  copy3(o->M + 3, M + 3);
  cross(x, r, H);
  o->J[0] = J[0] + x[0] + (r[1] * h[2] - r[2] * h[1]);
  o->J[1] = J[1] + x[1] + (r[1] * h[5] - r[2] * h[4]);
  o->J[2] = J[2] + x[2] + (r[1] * h[8] - r[2] * h[7]);
  cross(x, r, H + 3);
  o->J[3] = J[3] + x[1] + (r[2] * h[3] - r[0] * h[5]);
  o->J[4] = J[4] + x[2] + (r[2] * h[6] - r[0] * h[8]);
  o->J[5] = J[5] + (r[0] * H[7] - r[1] * H[6]) + (r[0] * h[7] - r[1] * h[6]);
}
/* The same of a ball's effective mass: add_moved_mass without the sum. */
static inline void moved_mass(artic *restrict o, const real *restrict r, const real *restrict M) {
  real *h = o->H;
  for (int j = 0; j < 3; j++) {
    const real k0 = M[j], k1 = j == 0 ? M[1] : M[2 + j], k2 = j == 2 ? M[5] : M[2 + 2 * j];
    h[j] = r[1] * k2 - r[2] * k1;
    h[3 + j] = r[2] * k0 - r[0] * k2;
    h[6 + j] = r[0] * k1 - r[1] * k0;
  }
  copy3(o->M, M);
  copy3(o->M + 3, M + 3);
  o->J[0] = r[1] * h[2] - r[2] * h[1];
  o->J[1] = r[1] * h[5] - r[2] * h[4];
  o->J[2] = r[1] * h[8] - r[2] * h[7];
  o->J[3] = r[2] * h[3] - r[0] * h[5];
  o->J[4] = r[2] * h[6] - r[0] * h[8];
  o->J[5] = r[0] * h[7] - r[1] * h[6];
}

/* A = the body and what comes up (set_body without its zeros). */
static inline void start_inertia(artic *A, const dls_inertia *body, const artic *up) {
  const double *J = body->J, *mc = body->mc, m = body->m;
  for (int k = 0; k < 6; k++) A->J[k] = J[k] + up->J[k];
  for (int k = 0; k < 9; k += 4) A->H[k] = up->H[k];
  A->H[1] = up->H[1] - mc[2];
  A->H[2] = up->H[2] + mc[1];
  A->H[3] = up->H[3] + mc[2];
  A->H[5] = up->H[5] - mc[0];
  A->H[6] = up->H[6] - mc[1];
  A->H[7] = up->H[7] + mc[0];
  A->M[0] = m + up->M[0];
  A->M[1] = up->M[1];
  A->M[2] = up->M[2];
  A->M[3] = m + up->M[3];
  A->M[4] = up->M[4];
  A->M[5] = m + up->M[5];
}
/* A += what comes up. */
static inline void add_inertia(artic *A, const artic *up) {
  for (int k = 0; k < 6; k++) A->J[k] = A->J[k] + up->J[k];
  for (int k = 0; k < 9; k++) A->H[k] = A->H[k] + up->H[k];
  for (int k = 0; k < 6; k++) A->M[k] = A->M[k] + up->M[k];
}

/* The bias above that a node adds to: where it is the first child, that of the parent's own
** body. */
static inline void bias_above(const wide_above *above, bool first, bias *P) {
  if (first) {
    set_gyroscopic(P, above->node->M.J, above->node->M.mc, above->s->v);
  } else {
    copy3(P->n, above->sum->P.n);
    copy3(P->f, above->sum->P.f);
  }
}
/* What is passed up; the wrench (n; f) about r is added to the bias above, P. */
static inline void pass_to(const wide_above *above, bool first, const artic *up, bias *P,
                           const real *r, const real *n, const real *f) {
  if (first)
    start_inertia(&above->sum->A, &above->node->M, up);
  else
    add_inertia(&above->sum->A, up);
  add_wrench(P, r, n, f);
  copy3(above->sum->P.n, P->n);
  copy3(above->sum->P.f, P->f);
}

/* --- hinges ----------------------------------------------------------------------------------- */

/* Sine and cosine of the angle: from a pass of its own, in which several nodes' are under way
** together. One alone is a chain of a hundred cycles. */
WHOLE void hinge_angle(lane_state *s, const real *q) { sin_cos(*q, &s->f[0], &s->f[1]); }

/* E of a hinge: its third column is the axis, the same in all states. */
static inline void hinge_turn(const dls_node *node, const lane_state *s, real *E) {
  const double *R = node->zero.R.m;
  for (int i = 0; i < 9; i += 3) {
    E[i] = s->E[i];
    E[i + 1] = s->E[i + 1];
    repeat(E + i + 2, R + i + 2, 1);
  }
}

static inline void hinge_forward(const dls_node *node, lane_state *s, const lane_state *k,
                                 const real *rate) {
  const double *R = node->zero.R.m;
  const real none = {0}, sn = s->f[0], cs = s->f[1], u = *rate;
  real E[9], r[3], carried[3], swept[3];
  for (int i = 0; i < 9; i += 3) {
    s->E[i] = E[i] = cs * R[i] + sn * R[i + 1];
    s->E[i + 1] = E[i + 1] = cs * R[i + 1] - sn * R[i];
    repeat(E + i + 2, R + i + 2, 1);
  }
  if (k == NULL) {
    zero3(carried);
    zero3(s->zeta);
  } else {
    const real v[3] = {k->v[0], k->v[1], k->v[2]};
    place_of_joint(node, r);
    mat_t_vec(carried, E, v);
    cross(swept, v, r);
    cross(s->zeta, v, swept);
  }
  s->v[0] = carried[0];
  s->v[1] = carried[1];
  s->v[2] = carried[2] + u;
  s->c[0] = carried[1] * u;
  s->c[1] = none - carried[0] * u;
}

/* What a hinge leaves of A, as reduce_revolute: U is column z, W = U / D. */
static inline void take_out_hinge(const artic *A, const real *U, const real *W, real *j, real *h,
                                  real *m) {
  const real *J = A->J, *H = A->H, *M = A->M;
  m[0] = M[0] - U[3] * W[3];
  m[1] = M[1] - U[3] * W[4];
  m[2] = M[2] - U[3] * W[5];
  m[3] = M[3] - U[4] * W[4];
  m[4] = M[4] - U[4] * W[5];
  m[5] = M[5] - U[5] * W[5];
  for (int k = 0; k < 3; k++) h[k] = H[k] - U[0] * W[3 + k];
  for (int k = 0; k < 3; k++) h[3 + k] = H[3 + k] - U[1] * W[3 + k];
  j[0] = J[0] - U[0] * W[0];
  j[1] = J[1] - U[0] * W[1];
  j[2] = J[3] - U[1] * W[1];
}

/* As back_revolute. The bias above comes before what waits for the division: a hinge's work is
** longer than what the processor looks ahead. */
static inline mask hinge_up(const wide_step *x, real tau, bool first) {
  lane_state *s = x->s;
  const sums *own = x->own;
  const wide_above *above = &x->above;
  const real *J = own->A.J, *H = own->A.H, D = J[5], z = tau - own->P.n[2];
  const mask good = above_bound(D, SHARE * (J[0] + J[3] + J[5]));
  const real part = 1.0 / D, U[6] = {J[2], J[4], D, H[6], H[7], H[8]};
  bias P;
  if (above->sum != NULL) bias_above(above, first, &P);
  real W[6], j[3], h[6], m[6];
  for (int k = 0; k < 6; k++)
    if (k != 2) s->w[k] = W[k] = U[k] * part;
  s->y[0] = z * part;
  if (above->sum == NULL) return good;
  real E[9], r[3], Jp[6], Hp[9], Mp[6], t[3];
  artic up;
  take_out_hinge(&own->A, U, W, j, h, m);
  hinge_turn(x->node, s, E);
  place_of_joint(x->node, r);
  turn_revolute(E, j, h, m, Jp, Hp, Mp);
  moved(&up, r, Jp, Hp, Mp);
  const real *n = own->P.n, *f = own->P.f, *c = s->c;
  real nu[3] = {n[0] + j[0] * c[0] + j[1] * c[1] + W[0] * z,
                n[1] + j[1] * c[0] + j[2] * c[1] + W[1] * z, tau};
  real fu[3];
  for (int k = 0; k < 3; k++) fu[k] = f[k] + h[k] * c[0] + h[3 + k] * c[1] + W[3 + k] * z;
  mat_vec(nu, E, nu);
  mat_vec(fu, E, fu);
  mat_vec(t, Hp, s->zeta);
  add3(nu, t);
  sym_vec(t, Mp, s->zeta);
  add3(fu, t);
  pass_to(above, first, &up, &P, r, nu, fu);
  return good;
}

/* As carry and down_revolute. */
static inline void hinge_down(const dls_node *node, lane_state *s, const real *w_k, real *udot) {
  const real *W = s->w;
  real E[9], r[3], t[3], w[6];
  hinge_turn(node, s, E);
  place_of_joint(node, r);
  cross(t, w_k, r);
  add3(t, w_k + 3);
  add3(t, s->zeta);
  mat_t_vec(w + 3, E, t);
  mat_t_vec(w, E, w_k);
  w[0] = w[0] + s->c[0];
  w[1] = w[1] + s->c[1];
  const real du = s->y[0] - (W[0] * w[0] + W[1] * w[1] + dot3(W + 3, w + 3)) - w[2];
  w[2] = w[2] + du;
  udot[0] = du;
  copy3(s->w, w);
  copy3(s->w + 3, w + 3);
}

/* --- balls ------------------------------------------------------------------------------------ */

static inline void ball_forward(const dls_node *node, lane_state *s, const lane_state *k,
                                const real *q, const real *u) {
  real r[3], carried[3], swept[3];
  turn_q(s->E, node->turn, q);
  if (k == NULL) {
    copy3(s->v, u);
    zero3(s->c);
    zero3(s->zeta);
    return;
  }
  const real v[3] = {k->v[0], k->v[1], k->v[2]};
  place_of_joint(node, r);
  mat_t_vec(carried, s->E, v);
  cross(swept, v, r);
  cross(s->zeta, v, swept);
  cross(s->c, carried, u);
  for (int i = 0; i < 3; i++) s->v[i] = carried[i] + u[i];
}

/* As back_ball. */
static inline mask ball_up(const wide_step *x, const real *tau, bool first) {
  lane_state *s = x->s;
  const sums *own = x->own;
  real K[6], G[6], z[3], y[3], *X = s->f;
  const mask good = regular(reduce_ball(&own->A, X, G, K), own->A.J);
  for (int k = 0; k < 3; k++) z[k] = tau[k] - own->P.n[k];
  sym_vec(y, G, z);
  copy3(s->y, y);
  if (x->above.sum == NULL) return good;
  real r[3], M[6], n[3], f[3], t[3];
  artic up;
  bias P;
  place_of_joint(x->node, r);
  turn_sym(M, s->E, K);
  moved_mass(&up, r, M);
  mat_t_vec(f, own->A.H, y);
  add3(f, own->P.f);
  mat_vec(f, s->E, f);
  sym_vec(t, M, s->zeta);
  add3(f, t);
  mat_vec(n, s->E, tau);
  bias_above(&x->above, first, &P);
  pass_to(&x->above, first, &up, &P, r, n, f);
  return good;
}

/* As carry and down_ball. */
static inline void ball_down(const dls_node *node, lane_state *s, const real *w_k, real *udot) {
  real r[3], t[3], w[6];
  place_of_joint(node, r);
  cross(t, w_k, r);
  add3(t, w_k + 3);
  add3(t, s->zeta);
  mat_t_vec(w + 3, s->E, t);
  mat_t_vec(w, s->E, w_k);
  add3(w, s->c);
  mat_vec(t, s->f, w + 3);
  for (int k = 0; k < 3; k++) {
    const real eps = s->y[k] - t[k];
    udot[k] = eps - w[k];
    s->w[k] = eps;
    s->w[3 + k] = w[3 + k];
  }
}

/* --- as functions ----------------------------------------------------------------------------- */

WHOLE mask hinge_up_first(const wide_step *x, const real *tau) { return hinge_up(x, tau[0], true); }
WHOLE mask hinge_up_next(const wide_step *x, const real *tau) { return hinge_up(x, tau[0], false); }
WHOLE mask ball_up_first(const wide_step *x, const real *tau) { return ball_up(x, tau, true); }
WHOLE mask ball_up_next(const wide_step *x, const real *tau) { return ball_up(x, tau, false); }

WHOLE void hinge_in(const dls_node *node, lane_state *s, const lane_state *k, const real *u) {
  hinge_forward(node, s, k, u);
}
WHOLE void ball_in(const dls_node *node, lane_state *s, const lane_state *k, const real *q,
                   const real *u) {
  ball_forward(node, s, k, q, u);
}
WHOLE void hinge_out(const dls_node *node, lane_state *s, const real *w_k, real *udot) {
  hinge_down(node, s, w_k, udot);
}
WHOLE void ball_out(const dls_node *node, lane_state *s, const real *w_k, real *udot) {
  ball_down(node, s, w_k, udot);
}
/* Down with one block, forward with the next. */
WHOLE void hinge_over(const dls_node *node, lane_state *s, const real *w_k, real *udot,
                      const lane_state *k, const real *u) {
  hinge_down(node, s, w_k, udot);
  hinge_forward(node, s, k, u);
}
WHOLE void ball_over(const dls_node *node, lane_state *s, const real *w_k, real *udot,
                     const lane_state *k, const real *q, const real *u) {
  ball_down(node, s, w_k, udot);
  ball_forward(node, s, k, q, u);
}
