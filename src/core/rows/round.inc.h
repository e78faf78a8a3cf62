/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of round.h: the including file defines LANES (4 or 8), ROUND_NAME, ROUND_TABLE and the
** compiler's target, and SIDE where several LANES are visited at once. Sums have sixteen parts, added in one tree, on every path. */
typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int mask __attribute__((vector_size(4 * LANES)));
typedef float loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#include "core/rows/vector.inc.h"

/* x > y ? x : y and x < y ? x : y, as the processor's own instructions have it. */
#if LANES == 8
#define LARGER(x, y) ((vec)__builtin_ia32_maxps256(x, y))
#define SMALLER(x, y) ((vec)__builtin_ia32_minps256(x, y))
#else
static inline vec larger_of(vec x, vec y) { return PICK(x > y, x, y); }
static inline vec smaller_of(vec x, vec y) { return PICK(x < y, x, y); }
#define LARGER(x, y) larger_of(x, y)
#define SMALLER(x, y) smaller_of(x, y)
#endif

static inline vec size_of(vec x) { return (vec)((mask)x & 0x7FFFFFFF); }

/* READ_NEAR and WRITE_NEAR: the same for bodies that stand in the places of their lanes. */
#ifdef SHUFFLE
#include "core/rows/round_bodies.inc.h"
#else
#define READ_BODIES(u, at, x, y, w)                                                            \
  vec x, y, w;                                                                                 \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    x[lane] = (u)[(at)[lane]], y[lane] = (u)[(at)[lane] + 1], w[lane] = (u)[(at)[lane] + 2]
#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w;                                                    \
    for (int lane = 0; lane < LANES; lane++)                                                   \
      (u)[(at)[lane]] = to_x[lane], (u)[(at)[lane] + 1] = to_y[lane],                          \
      (u)[(at)[lane] + 2] = to_w[lane], (u)[(at)[lane] + 3] = to_w[lane];                      \
  } while (0)
#define READ_FOURS(u, at, x, y, w, z)                                                          \
  READ_BODIES(u, at, x, y, w);                                                                 \
  vec z;                                                                                       \
  for (int lane = 0; lane < LANES; lane++) z[lane] = (u)[(at)[lane] + 3]
#define READ_NEAR(u, at, from, l, x, y, w) READ_BODIES(u, at, x, y, w)
#define WRITE_NEAR(u, at, from, l, x, y, w) WRITE_BODIES(u, at, x, y, w)
#endif

typedef struct tally {
  vec most, ff, turn;
} tally;

#ifndef SIDE
#define SIDE 1
#endif
enum { VISITS = DLS_ROUND_LANES / (SIDE * LANES) };
enum { NUMBERS = DLS_ROUND_PARTS * DLS_ROUND_LANES, NEAR = 2 * DLS_ROUND_BODY * DLS_ROUND_LANES };

/* Loops over a known few, which clang writes out by itself. */
#if defined(__clang__)
#define WRITTEN_OUT
#else
#define WRITTEN_OUT _Pragma("GCC unroll 4")
#endif
#define EACH WRITTEN_OUT for (int h = 0; h < SIDE; h++)
#define HERE (l + h * LANES)
#define F(name) LOAD(g->name + HERE)
#define GONE(part) LOAD(p + (part) * DLS_ROUND_LANES + HERE)

/* Loads what x points to anew: indices that wait in registers for the end of a visit would be spilled, and stores are
** what a processor can do least of. */
#define FORGET(x) __asm__("" : "+r"(x))

/* Visits SIDE times LANES lanes of a group, from lane l on; near: where its bodies stand, those of b behind those of
** a, if they stand side by side. Each line is written for all sides before the next: a processor looks some hundred
** instructions ahead, which is one visit of eight lanes, and would wait for each of two in turn. */
static inline __attribute__((always_inline)) void visit(const dls_round_group *g, int l, vec beta,
                                                        const float *p, float *old, float *u,
                                                        bool side_by_side, float *near, tally *sum) {
  const vec zero = {0};
  const int *at_a = g->i, *at_b = g->j;
  float *near_b = near + DLS_ROUND_BODY * DLS_ROUND_LANES;
  vec ax[SIDE], ay[SIDE], aw[SIDE], bx[SIDE], by[SIDE], bw[SIDE];
  vec was_n[SIDE], was_t[SIDE], vx[SIDE], vy[SIDE], p_n[SIDE], p_t[SIDE];
  vec d_n[SIDE], d_t[SIDE], fx[SIDE], fy[SIDE];
  if (side_by_side) {
    EACH { READ_NEAR(u, g->i + HERE, near, HERE, x, y, w); ax[h] = x, ay[h] = y, aw[h] = w; }
    EACH { READ_NEAR(u, g->j + HERE, near_b, HERE, x, y, w); bx[h] = x, by[h] = y, bw[h] = w; }
  } else {
    EACH { READ_BODIES(u, g->i + HERE, x, y, w); ax[h] = x, ay[h] = y, aw[h] = w; }
    EACH { READ_BODIES(u, g->j + HERE, x, y, w); bx[h] = x, by[h] = y, bw[h] = w; }
  }
  EACH was_n[h] = GONE(0) + beta * (GONE(0) - LOAD(old + HERE));
  EACH was_t[h] = GONE(1) + beta * (GONE(1) - LOAD(old + DLS_ROUND_LANES + HERE));
  EACH vx[h] = F(wb) * bx[h] - F(wa) * ax[h];
  EACH vy[h] = F(wb) * by[h] - F(wa) * ay[h];
  EACH p_n[h] = LARGER((was_n[h] - F(s_n)) - (F(nx) * vx[h] + F(ny) * vy[h]), zero);
  EACH p_t[h] = was_t[h] - ((F(ta) * aw[h] + F(tb) * bw[h]) + F(s_t));
  EACH p_t[h] = p_t[h] - (F(ty) * vx[h] - F(tx) * vy[h]);
  EACH p_t[h] = SMALLER(p_t[h], F(mu) * p_n[h]);
  EACH p_t[h] = LARGER(p_t[h], -(F(mu) * p_n[h]));
  EACH d_n[h] = p_n[h] - was_n[h], d_t[h] = p_t[h] - was_t[h];
  EACH fx[h] = F(nx) * d_n[h] + F(ty) * d_t[h];
  EACH fy[h] = F(ny) * d_n[h] - F(tx) * d_t[h];
  EACH {
    const vec e_n = p_n[h] - GONE(0), e_t = p_t[h] - GONE(1);
    const vec ff = d_n[h] * d_n[h] + d_t[h] * d_t[h];
    STORE(old + HERE, p_n[h]);
    STORE(old + DLS_ROUND_LANES + HERE, p_t[h]);
    sum[h].most = LARGER(F(w) * ff, sum[h].most);
    sum[h].ff += ff;
    sum[h].turn -= d_n[h] * e_n + d_t[h] * e_t;
  }
  EACH ax[h] = ax[h] - F(wa) * fx[h], ay[h] = ay[h] - F(wa) * fy[h], aw[h] = aw[h] + F(ta) * d_t[h];
  EACH bx[h] = bx[h] + F(wb) * fx[h], by[h] = by[h] + F(wb) * fy[h], bw[h] = bw[h] + F(tb) * d_t[h];
  if (side_by_side) {
    EACH WRITE_NEAR(u, g->i + HERE, near, HERE, ax[h], ay[h], aw[h]);
    EACH WRITE_NEAR(u, g->j + HERE, near_b, HERE, bx[h], by[h], bw[h]);
  } else {
    FORGET(at_a);
    FORGET(at_b);
    EACH WRITE_BODIES(u, at_a + HERE, ax[h], ay[h], aw[h]);
    EACH WRITE_BODIES(u, at_b + HERE, bx[h], by[h], bw[h]);
  }
}

#ifdef ROUND_ROOT
static inline vec root_of(vec x) { return (vec)ROUND_ROOT(x); }
#else
static inline vec root_of(vec x) {
  for (int l = 0; l < LANES; l++) x[l] = (float)sqrt((double)x[l]);
  return x;
}
#endif

static dls_round_start begin(int n, float *restrict root, float *restrict u, float *restrict change) {
  const vec zero = {0}, one = zero + 1;
  float out[3][DLS_ROUND_LANES] = {{0}};
  for (int i = 0; i < n; i += DLS_ROUND_LANES)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES) {
      const vec r = root_of(LOAD(root + i + l)), by = KEEP(r > zero, one / r);
      const vec f = LOAD(u + i + l), d = LOAD(change + i + l), x = f * by, y = d * by;
      STORE(out[0] + l, LOAD(out[0] + l) + y * x);
      STORE(out[1] + l, LOAD(out[1] + l) + y * y);
      STORE(out[2] + l, LARGER(size_of(f + d), LOAD(out[2] + l)));
      STORE(root + i + l, r);
      STORE(u + i + l, x);
      STORE(change + i + l, y);
    }
  return (dls_round_start){sum_of_sixteen(out[0]), sum_of_sixteen(out[1]), most_of_sixteen(out[2])};
}

static void carry(int n, float share, float *restrict u, float *restrict change) {
  for (int i = 0; i < n; i += LANES) {
    const vec x = LOAD(u + i) + share * LOAD(change + i);
    STORE(u + i, x);
    STORE(change + i, x);
  }
}

static void measure(int n_groups, dls_round_group *g, float share, float *p) {
  for (int k = 0; k < n_groups; k++, g++, p += NUMBERS)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES) {
      const vec w_n = LOAD(g->w + l), w_t = LOAD(g->reach + l), size_n = root_of(w_n), one = {0};
      const vec size_t_ = root_of(LOAD(g->slope + l)), by_n = (one + 1) / size_n, by_t = (one + 1) / size_t_;
      const vec slope = size_n * by_t, nx = LOAD(g->nx + l), ny = LOAD(g->ny + l);
      STORE(g->tx + l, nx * slope);
      STORE(g->ty + l, ny * slope);
      STORE(g->wa + l, LOAD(g->wa + l) * by_n);
      STORE(g->wb + l, LOAD(g->wb + l) * by_n);
      STORE(g->ta + l, LOAD(g->ta + l) * by_t);
      STORE(g->tb + l, LOAD(g->tb + l) * by_t);
      STORE(g->s_n + l, LOAD(g->s_n + l) * by_n);
      STORE(g->s_t + l, LOAD(g->s_t + l) * by_t);
      STORE(g->mu + l, LOAD(g->mu + l) * (size_t_ * by_n));
      STORE(g->size + l, size_n);
      STORE(g->slope + l, slope);
      STORE(g->reach + l, root_of(w_n * w_n + w_t * w_t) * by_n);
      STORE(p + l, LOAD(p + l) * (share * size_n));
      STORE(p + DLS_ROUND_LANES + l, LOAD(p + DLS_ROUND_LANES + l) * (share * size_t_));
    }
}

static void unmeasure(int n_groups, const dls_round_group *g, float *p) {
  for (int k = 0; k < n_groups; k++, g++, p += NUMBERS)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES) {
      const vec size = LOAD(g->size + l);
      STORE(p + l, LOAD(p + l) / size);
      STORE(p + DLS_ROUND_LANES + l, LOAD(p + DLS_ROUND_LANES + l) * LOAD(g->slope + l) / size);
    }
}

static dls_round_change sweep(int n_groups, int n_near, const dls_round_group *restrict g, float beta,
                              const float *restrict p, float *restrict old, float *restrict u) {
  const vec rest = {0}, forth = rest + beta;
  tally sums[DLS_ROUND_LANES / LANES];
  for (int i = 0; i < DLS_ROUND_LANES / LANES; i++) sums[i] = (tally){rest, rest, rest};
  float *near = u;
  for (int k = 0; k < n_near; k++, g++, p += NUMBERS, old += NUMBERS, near += NEAR)
    WRITTEN_OUT for (int i = 0; i < VISITS; i++)
      visit(g, i * SIDE * LANES, forth, p, old, u, true, near, sums + i * SIDE);
  for (int k = n_near; k < n_groups; k++, g++, p += NUMBERS, old += NUMBERS)
    WRITTEN_OUT for (int i = 0; i < VISITS; i++)
      visit(g, i * SIDE * LANES, forth, p, old, u, false, u, sums + i * SIDE);
  float out[3][DLS_ROUND_LANES];
  for (int i = 0; i < DLS_ROUND_LANES / LANES; i++) {
    STORE(out[0] + i * LANES, sums[i].most);
    STORE(out[1] + i * LANES, sums[i].ff);
    STORE(out[2] + i * LANES, sums[i].turn);
  }
  return (dls_round_change){most_of_sixteen(out[0]), sum_of_sixteen(out[1]), sum_of_sixteen(out[2])};
}

static void mix(int n, float beta, const float *restrict x, float *restrict old) {
  for (int i = 0; i < n; i += LANES) {
    const vec now = LOAD(x + i);
    STORE(old + i, now + beta * (now - LOAD(old + i)));
  }
}

/* |p - P_K(p - y / |W|)| |W|, squared: x = |W| p - y, K the wedge |x_t| <= f x_n, y_n with De Saxce's f |y_t|.
** v_n, v_t: with the shifts. */
static inline __attribute__((always_inline)) vec wedge_error(vec g_n, vec g_t, vec v_n, vec v_t, vec mu, vec size,
                                                             vec slope, vec reach) {
  const vec zero = {0}, f = mu * slope, y_t = v_t * size / slope, y_n = v_n * size + f * size_of(y_t);
  const vec p_n = g_n * reach, p_t = g_t * (reach * slope);
  const vec x_n = p_n - y_n, x_t = p_t - y_t, away = size_of(x_t);
  const mask outside = (x_n < zero) | (away > f * x_n);
  const vec side_n = LARGER((x_n + f * away) / (1 + f * f), zero);
  const vec side_t = PICK(x_t < zero, -f * side_n, f * side_n);
  const vec d_n = p_n - PICK(outside, side_n, x_n), d_t = p_t - PICK(outside, side_t, x_t);
  return d_n * d_n + d_t * d_t;
}

static inline __attribute__((always_inline)) vec error(const dls_round_group *g, int l, const float *p,
                                                       const float *u, vec most) {
#define X(name) const vec name = LOAD(g->name + l);
  DLS_ROUND_FIELDS(X)
#undef X
  (void)w;
  READ_BODIES(u, g->i + l, ax, ay, aw);
  READ_BODIES(u, g->j + l, bx, by, bw);
  const vec vx = wb * bx - wa * ax, vy = wb * by - wa * ay;
  const vec v_t = (ty * vx - tx * vy) + ((ta * aw + tb * bw) + s_t), v_n = (nx * vx + ny * vy) + s_n;
  const vec e = wedge_error(LOAD(p + l), LOAD(p + DLS_ROUND_LANES + l), v_n, v_t, mu, LOAD(g->size + l),
                            LOAD(g->slope + l), LOAD(g->reach + l));
  return LARGER(e, most);
}

static double residual(int n_groups, const dls_round_group *g, const float *p, const float *u) {
  float out[DLS_ROUND_LANES] = {0};
  for (int k = 0; k < n_groups; k++, g++, p += NUMBERS)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES)
      STORE(out + l, error(g, l, p, u, LOAD(out + l)));
  return most_of_sixteen(out);
}

static void errors(int n_groups, const dls_round_group *g, const float *p, const float *u, float *squared) {
  const vec zero = {0};
  for (int k = 0; k < n_groups; k++, g++, p += NUMBERS, squared += DLS_ROUND_LANES)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES) STORE(squared + l, error(g, l, p, u, zero));
}

/* Contacts are turned as bodies are, four numbers at a time. */
static void look(const dls_round_one *ones, const int *which, const float *u, float *squared) {
  enum { SIZE = sizeof *ones / sizeof(float) };
  const float *from = (const float *)ones;
  for (int l = 0; l < DLS_ROUND_LANES; l += LANES) {
    int at[LANES], at_a[LANES], at_b[LANES];
    for (int k = 0; k < LANES; k++) {
      const dls_round_one *one = &ones[which[l + k]];
      at[k] = SIZE * which[l + k], at_a[k] = one->i, at_b[k] = one->j;
    }
    READ_BODIES(u, at_a, ax, ay, aw);
    READ_BODIES(u, at_b, bx, by, bw);
    READ_FOURS(from, at, nx, ny, wa, wb);
    READ_FOURS(from + 4, at, ta, tb, s_n, s_t);
    READ_FOURS(from + 8, at, mu, size, slope, reach);
    READ_BODIES(from + 12, at, p_n, p_t, body);
    (void)body;
    const vec vx = wb * bx - wa * ax, vy = wb * by - wa * ay;
    const vec v_t = slope * (ny * vx - nx * vy) + ((ta * aw + tb * bw) + s_t), v_n = (nx * vx + ny * vy) + s_n;
    STORE(squared + l, wedge_error(p_n, p_t, v_n, v_t, mu, size, slope, reach));
  }
}

const dls_round_lanes ROUND_TABLE = {ROUND_NAME, begin,   carry,   measure, unmeasure,
                                     sweep,      mix,     residual, errors, look};
