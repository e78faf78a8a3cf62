/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The visit of one precision (lanes3.inc.h). */
#define vec OF(vector)
#define mask OF(choice)
#define loose OF(unaligned)
typedef REAL vec DLS_VECTOR(SIZE);
typedef WHOLE mask DLS_VECTOR(SIZE);
typedef REAL loose DLS_LOOSE(SIZE, sizeof(REAL));

static inline vec OF(size_of)(vec x) { return PICK(x < (REAL)0, -x, x); }
static inline vec OF(larger)(vec x, vec y) { return PICK(x > y, x, y); }

/* Rounded rightly: of a single number by way of doubles, too. */
static inline vec OF(root)(vec x) {
  for (int l = 0; l < LANES; l++) DLS_LANE(x, l) = (REAL)sqrt((double)DLS_LANE(x, l));
  return x;
}

static inline bool OF(any)(mask m) {
  WHOLE sum = 0;
  for (int l = 0; l < LANES; l++) sum |= DLS_HOLDS(m, l);
  return sum != 0;
}

#define F(name) LOAD(g->name + l)
/* v of row k: x, y, z and a3 .. b5 are the bodies' numbers. */
#define SPEED(k)                                                                               \
  (((F(k##x) * x + F(k##y) * y) + F(k##z) * z) +                                               \
   (((F(a##k##0) * a3 + F(a##k##1) * a4) + F(a##k##2) * a5) +                                  \
    ((F(b##k##0) * b3 + F(b##k##1) * b4) + F(b##k##2) * b5)) + F(v_##k))

/* What lanes hold between the three parts of a visit. */
typedef struct OF(midway) {
  vec a[6], b[6];    /* the bodies' numbers          */
  vec n_0, h_s, h_t; /* n(0) and h; then the changes */
} OF(midway);

DLS_INLINE void OF(ask)(const GROUP *g, int l, const REAL *p, const REAL *u, OF(midway) *held) {
  READ(u, g->i + l, a);
  READ(u, g->j + l, b);
  const vec ra = F(ra), rb = F(rb);
  const vec x = rb * b0 - ra * a0, y = rb * b1 - ra * a1, z = rb * b2 - ra * a2;
  const vec was_n = LOAD(p + l), was_s = LOAD(p + DLS_SWEEP_LANES + l),
            was_t = LOAD(p + 2 * DLS_SWEEP_LANES + l);
  const vec k_s = F(k_s), k_t = F(k_t), y_n = SPEED(n) + F(gamma) * was_n;
  held->n_0 = (was_n + (k_s * was_s + k_t * was_t)) - y_n * F(inv_a);
  held->h_s = (SPEED(s) - k_s * y_n) - F(d_s) * was_s;
  held->h_t = (SPEED(t) - k_t * y_n) - F(d_t) * was_t;
  held->a[0] = a0, held->a[1] = a1, held->a[2] = a2, held->a[3] = a3, held->a[4] = a4, held->a[5] = a5;
  held->b[0] = b0, held->b[1] = b1, held->b[2] = b2, held->b[3] = b3, held->b[4] = b4, held->b[5] = b5;
}

/* The sliding impulses n, s, t from n(0) and h, in the lanes of `slides`. Without a division by e_s
** e_t: x = -X / (e_s e_t), n(x) = N / (e_s e_t). */
DLS_INLINE void OF(slide)(GROUP *g, int l, mask slides, vec n_0, vec h_s, vec h_t, vec *n, vec *s,
                          vec *t) {
  const REAL zero = 0;
  const vec mu = F(mu), d_s = F(d_s), d_t = F(d_t), kh_s = F(k_s) * h_s, kh_t = F(k_t) * h_t;
  const vec hh_s = h_s * h_s, hh_t = h_t * h_t, kh = kh_s + kh_t;
  const vec was = F(slip), most = (REAL)LONGEST * (d_s + d_t);
  vec slip = was;
  for (int step = 0; step < DLS_SPACE_STEPS; step++) {
    const vec e_s = d_s + slip, e_t = d_t + slip, X_s = h_s * e_t, X_t = h_t * e_s;
    const vec size2 = X_s * X_s + X_t * X_t, size = ROOT_OF(size2);
    const vec N = n_0 * (e_s * e_t) + (kh_s * e_t + kh_t * e_s), dN = n_0 * (e_s + e_t) + kh;
    const vec slope = mu * (dN * size2 - N * (hh_s * e_t + hh_t * e_s));
    const vec next = slip + (size - mu * N) * (size2 / slope);
    slip = PICK(slope > zero, next, (slip + slip) + d_s);
    slip = KEEP(slip > zero, slip);
    slip = PICK(slip < most, slip, most);
  }
  const vec X_s = h_s * (d_t + slip), X_t = h_t * (d_s + slip), size = ROOT_OF(X_s * X_s + X_t * X_t);
  const vec share = n_0 / (size - mu * (F(k_s) * X_s + F(k_t) * X_t)), drag = mu * share;
  *n = PICK(slides, size * share, *n);
  *s = PICK(slides, -drag * X_s, *s);
  *t = PICK(slides, -drag * X_t, *t);
  STORE(g->slip + l, PICK(slides, slip, was));
}

/* Solves the law; held->n_0, h_s, h_t become the changes of the impulses. */
DLS_INLINE vec OF(answer)(GROUP *g, int l, REAL *p, OF(midway) *held, vec most) {
  const REAL zero = 0;
  const vec n_0 = held->n_0, h_s = held->h_s, h_t = held->h_t;
  vec p_s = -h_s * F(inv_s), p_t = -h_t * F(inv_t), p_n = n_0 - (F(k_s) * p_s + F(k_t) * p_t);
  const vec reach = F(mu) * p_n;
  const mask closed = n_0 > zero;
  const mask sticks = (p_n >= zero) & (p_s * p_s + p_t * p_t <= reach * reach);
  const mask slides = closed & ~sticks;
  if (ANY_OF(slides)) OF(slide)(g, l, slides, n_0, h_s, h_t, &p_n, &p_s, &p_t);
  p_n = KEEP(closed, p_n);
  p_s = KEEP(closed, p_s);
  p_t = KEEP(closed, p_t);
  const vec d_n = p_n - LOAD(p + l), d_s = p_s - LOAD(p + DLS_SWEEP_LANES + l),
            d_t = p_t - LOAD(p + 2 * DLS_SWEEP_LANES + l);
  held->n_0 = d_n;
  held->h_s = d_s;
  held->h_t = d_t;
  STORE(p + l, p_n);
  STORE(p + DLS_SWEEP_LANES + l, p_s);
  STORE(p + 2 * DLS_SWEEP_LANES + l, p_t);
  const vec moved = OF(larger)(OF(size_of)(d_s) * F(d_s), OF(size_of)(d_t) * F(d_t));
  return OF(larger)(OF(larger)(OF(size_of)(d_n) * F(a), moved), most);
}

#define TURN_OF(q, i) ((F(q##n##i) * n + F(q##s##i) * s) + F(q##t##i) * t)

#define T(name) LOAD(t->name + l)
/* Of row k of a contact's friction against turning: its velocity at the bodies' turning x; a change
** of its impulse. */
#define RATE(k)                                                                                \
  (((((T(a##k##0) * x[0] + T(a##k##1) * x[1]) + T(a##k##2) * x[2]) +                           \
     ((T(b##k##0) * x[3] + T(b##k##1) * x[4]) + T(b##k##2) * x[5]))) + T(v_##k))
#define SPIN(k, d)                                                                             \
  (x[0] += T(a##k##0) * (d), x[1] += T(a##k##1) * (d), x[2] += T(a##k##2) * (d),               \
   x[3] += T(b##k##0) * (d), x[4] += T(b##k##1) * (d), x[5] += T(b##k##2) * (d))

/* Spinning, then rolling friction at the normal impulse n. */
DLS_INLINE vec OF(visit_turn)(const TURN *t, int l, vec n, REAL *q, vec *x, vec most) {
  const REAL one = 1;
  const vec was_w = LOAD(q + l), was_p = LOAD(q + DLS_SWEEP_LANES + l),
            was_q = LOAD(q + 2 * DLS_SWEEP_LANES + l);
  const vec most_w = T(arm_w) * n, most_r = T(arm_r) * n, free_w = was_w - RATE(w) * T(inv_w);
  const vec below = PICK(free_w < most_w, free_w, most_w);
  const vec now_w = PICK(below > -most_w, below, -most_w), d_w = now_w - was_w;
  SPIN(w, d_w);
  const vec free_p = was_p - RATE(p) * T(inv_r), free_q = was_q - RATE(q) * T(inv_r);
  const vec size = ROOT_OF(free_p * free_p + free_q * free_q);
  const vec share = PICK(size > most_r, most_r / size, (vec){0} + one);
  const vec now_p = share * free_p, now_q = share * free_q;
  const vec d_p = now_p - was_p, d_q = now_q - was_q;
  SPIN(p, d_p);
  SPIN(q, d_q);
  STORE(q + l, now_w);
  STORE(q + DLS_SWEEP_LANES + l, now_p);
  STORE(q + 2 * DLS_SWEEP_LANES + l, now_q);
  const vec moved = OF(larger)(OF(size_of)(d_p), OF(size_of)(d_q)) * T(w_r);
  return OF(larger)(OF(larger)(OF(size_of)(d_w) * T(w_w), moved), most);
}

/* turn: NULL, or friction against turning of impulses q, at the normal impulses p. */
DLS_INLINE vec OF(tell)(const GROUP *g, const TURN *turn, int l, const OF(midway) *held,
                        const REAL *p, REAL *q, REAL *u, vec most) {
  const vec n = held->n_0, s = held->h_s, t = held->h_t, ra = F(ra), rb = F(rb);
  const vec fx = (F(nx) * n + F(sx) * s) + F(tx) * t;
  const vec fy = (F(ny) * n + F(sy) * s) + F(ty) * t;
  const vec fz = (F(nz) * n + F(sz) * s) + F(tz) * t;
  const vec a0 = held->a[0] - ra * fx, a1 = held->a[1] - ra * fy, a2 = held->a[2] - ra * fz;
  const vec b0 = held->b[0] + rb * fx, b1 = held->b[1] + rb * fy, b2 = held->b[2] + rb * fz;
  vec x[6] = {held->a[3] + TURN_OF(a, 0), held->a[4] + TURN_OF(a, 1), held->a[5] + TURN_OF(a, 2),
              held->b[3] + TURN_OF(b, 0), held->b[4] + TURN_OF(b, 1), held->b[5] + TURN_OF(b, 2)};
  if (turn) most = OF(visit_turn)(turn, l, LOAD(p + l), q, x, most);
  const vec a3 = x[0], a4 = x[1], a5 = x[2], b3 = x[3], b4 = x[4], b5 = x[5];
  WRITE(u, g->i + l, a);
  WRITE(u, g->j + l, b);
  return most;
}

/* Groups of one colour go through a visit's three parts together, so many at most: one waits on its
** divisions and roots while another works. */
enum { OF(TOGETHER) = 4, OF(PARTS) = DLS_SWEEP_LANES / LANES, OF(NUMBERS) = 3 * DLS_SWEEP_LANES };

DLS_INLINE double OF(sweep_all)(int n_groups, GROUP *g, const TURN *t, REAL *p, REAL *q, REAL *u) {
  vec most = {0};
  OF(midway) held[OF(TOGETHER) * OF(PARTS)];
  for (int k = 0, m; k < n_groups; k += m, g += m, p += OF(NUMBERS) * m) {
    m = g->run < OF(TOGETHER) ? g->run : OF(TOGETHER);
#define EACH_PART(at) for (int i = 0, at = 0; i < m * OF(PARTS); i++, at = i % OF(PARTS) * LANES)
#define MINE i / OF(PARTS)
    EACH_PART(l) OF(ask)(g + MINE, l, p + OF(NUMBERS) * (MINE), u, &held[i]);
    EACH_PART(l) most = OF(answer)(g + MINE, l, p + OF(NUMBERS) * (MINE), &held[i], most);
    EACH_PART(l) most = OF(tell)(g + MINE, t ? t + MINE : NULL, l, &held[i],
                                 p + OF(NUMBERS) * (MINE),
                                 q ? q + OF(NUMBERS) * (MINE) : NULL, u, most);
    if (t) t += m, q += OF(NUMBERS) * m;
  }
  double worst = 0;
  for (int l = 0; l < LANES; l++) worst = dls_max(worst, (double)DLS_LANE(most, l));
  return worst;
}

static double OF(sweep)(int n_groups, GROUP *g, REAL *p, REAL *u) {
  return OF(sweep_all)(n_groups, g, NULL, p, NULL, u);
}

static double OF(sweep_turns)(int n_groups, GROUP *g, const TURN *t, REAL *p, REAL *q, REAL *u) {
  return OF(sweep_all)(n_groups, g, t, p, q, u);
}

#ifdef JUDGED
/* x from the impulses p of all groups. */
static void OF(push)(int n_groups, const GROUP *g, const REAL *p, REAL *u) {
  for (int k = 0; k < n_groups; k++, g++, p += OF(NUMBERS))
    for (int l = 0; l < DLS_SWEEP_LANES; l += LANES) {
      OF(midway) held;
      READ(u, g->i + l, a);
      READ(u, g->j + l, b);
      held.a[0] = a0, held.a[1] = a1, held.a[2] = a2, held.a[3] = a3, held.a[4] = a4, held.a[5] = a5;
      held.b[0] = b0, held.b[1] = b1, held.b[2] = b2, held.b[3] = b3, held.b[4] = b4, held.b[5] = b5;
      held.n_0 = LOAD(p + l);
      held.h_s = LOAD(p + DLS_SWEEP_LANES + l);
      held.h_t = LOAD(p + 2 * DLS_SWEEP_LANES + l);
      (void)OF(tell)(g, NULL, l, &held, NULL, NULL, u, (vec){0});
    }
}

/* The largest residual of EQUATIONS G.1.7, m/s, as rows/residual.c has it: frames that make S
** diagonal change neither the norm of W nor the cone. */
static double OF(judge)(int n_groups, const GROUP *g, const REAL *p, const REAL *u) {
  const REAL zero = 0, one = 1;
  vec most = {0};
  for (int k = 0; k < n_groups; k++, g++, p += OF(NUMBERS))
    for (int l = 0; l < DLS_SWEEP_LANES; l += LANES) {
      READ(u, g->i + l, a);
      READ(u, g->j + l, b);
      const vec ra = F(ra), rb = F(rb), mu = F(mu);
      const vec x = rb * b0 - ra * a0, y = rb * b1 - ra * a1, z = rb * b2 - ra * a2;
      const vec p_n = LOAD(p + l), p_s = LOAD(p + DLS_SWEEP_LANES + l), p_t = LOAD(p + 2 * DLS_SWEEP_LANES + l);
      const vec v_s = SPEED(s), v_t = SPEED(t);
      const vec v_n = (SPEED(n) + F(gamma) * p_n) + mu * ROOT_OF(v_s * v_s + v_t * v_t);
      const vec A = F(a), w_n = A - F(gamma), c_s = F(k_s) * A, c_t = F(k_t) * A, w_st = F(k_s) * c_t;
      const vec w_s = F(d_s) + F(k_s) * c_s, w_t = F(d_t) + F(k_t) * c_t;
      const vec norm = ROOT_OF((w_n * w_n + (w_s * w_s + w_t * w_t)) +
                               ((c_s * c_s + c_t * c_t) + w_st * w_st) * (REAL)2);
      const vec rho = one / norm, x_n = p_n - v_n * rho, x_s = p_s - v_s * rho, x_t = p_t - v_t * rho;
      const vec size = ROOT_OF(x_s * x_s + x_t * x_t), mantle = (x_n + mu * size) / (mu * mu + one);
      const mask outside = (x_n < zero) | (size > mu * x_n);
      const vec z_n = PICK(outside, KEEP(mantle > zero, mantle), x_n);
      const vec share = PICK(outside, KEEP(size > zero, mu * z_n / size), (vec){0} + one);
      const vec e_n = p_n - z_n, e_s = p_s - share * x_s, e_t = p_t - share * x_t;
      most = OF(larger)(norm * ROOT_OF(e_n * e_n + (e_s * e_s + e_t * e_t)), most);
    }
  double worst = 0;
  for (int l = 0; l < LANES; l++) worst = dls_max(worst, (double)DLS_LANE(most, l));
  return worst;
}
#endif
#undef vec
#undef mask
#undef loose
#undef F
#undef SPEED
#undef TURN_OF
#undef T
#undef RATE
#undef SPIN
#undef EACH_PART
#undef MINE
