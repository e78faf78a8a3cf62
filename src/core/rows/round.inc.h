/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of round.h: the including file defines LANES (4, 8 or 16), ROUND_NAME and ROUND_TABLE, and the
** compiler's target. Sums have sixteen parts, added in one tree, on every path. */
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
#endif

typedef struct tally {
  vec most, ff, turn;
} tally;

/* Velocities of the bodies of some lanes. */
typedef struct pairs {
  vec ax, ay, aw, bx, by, bw;
} pairs;

static inline __attribute__((always_inline)) pairs meet(const dls_round_group *g, int l,
                                                        const float *u) {
  READ_BODIES(u, g->i + l, ax, ay, aw);
  READ_BODIES(u, g->j + l, bx, by, bw);
  return (pairs){ax, ay, aw, bx, by, bw};
}

/* Lanes l to l + LANES - 1 of a group. */
static inline __attribute__((always_inline)) void visit(const dls_round_group *g, int l, pairs of,
                                                        vec beta, float *p, float *u, tally *sum) {
#define X(name) const vec name = LOAD(g->name + l);
  DLS_ROUND_FIELDS(X)
#undef X
  const vec zero = {0};
  float *to_n = p + l, *to_t = to_n + DLS_ROUND_LANES;
  const vec g_n = LOAD(to_n), g_t = LOAD(to_t);
  const vec was_n = g_n + beta * LOAD(to_n + 2 * DLS_ROUND_LANES);
  const vec was_t = g_t + beta * LOAD(to_t + 2 * DLS_ROUND_LANES);
  const vec vx = wb * of.bx - wa * of.ax, vy = wb * of.by - wa * of.ay;
  const vec rest_n = was_n - s_n, rest_t = was_t - ((ta * of.aw + tb * of.bw) + s_t);
  const vec p_n = LARGER(rest_n - (nx * vx + ny * vy), zero), bound = mu * p_n;
  const vec p_t = LARGER(SMALLER(rest_t - (ty * vx - tx * vy), bound), -bound);
  const vec d_n = p_n - was_n, d_t = p_t - was_t, e_n = p_n - g_n, e_t = p_t - g_t;
  STORE(to_n, p_n);
  STORE(to_t, p_t);
  STORE(to_n + 2 * DLS_ROUND_LANES, e_n);
  STORE(to_t + 2 * DLS_ROUND_LANES, e_t);
  const vec fx = nx * d_n + ty * d_t, fy = ny * d_n - tx * d_t;
  WRITE_BODIES(u, g->i + l, of.ax - wa * fx, of.ay - wa * fy, of.aw + ta * d_t);
  WRITE_BODIES(u, g->j + l, of.bx + wb * fx, of.by + wb * fy, of.bw + tb * d_t);
  const vec ff = d_n * d_n + d_t * d_t;
  sum->most = LARGER(w * ff, sum->most);
  sum->ff += ff;
  sum->turn -= d_n * e_n + d_t * e_t;
}

static double tree(const float *s) {
  float x[8];
  for (int i = 0; i < 8; i++) x[i] = s[i] + s[i + 8];
  return (double)(((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])));
}

static double most_of(const float *s) {
  float most = 0;
  for (int i = 0; i < DLS_ROUND_LANES; i++)
    if (!(s[i] <= most)) most = s[i];
  return (double)most;
}

#ifdef ROUND_ROOT
static inline vec root_of(vec x) { return (vec)ROUND_ROOT(x); }
#else
static inline vec root_of(vec x) {
  for (int l = 0; l < LANES; l++) x[l] = (float)sqrt((double)x[l]);
  return x;
}
#endif

static void measure(int n_groups, dls_round_group *g, float share, float *p) {
  for (int k = 0; k < n_groups; k++, g++, p += DLS_ROUND_PARTS * DLS_ROUND_LANES)
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

static dls_round_change sweep(int n_groups, const dls_round_group *restrict g, float beta,
                              float *restrict p, float *restrict u) {
  const vec rest = {0}, forth = rest + beta;
  tally sum_0 = {rest, rest, rest}, sum_1 = sum_0, sum_2 = sum_0, sum_3 = sum_0;
  for (int k = 0; k < n_groups; k++, g++, p += DLS_ROUND_PARTS * DLS_ROUND_LANES) {
    visit(g, 0, meet(g, 0, u), forth, p, u, &sum_0);
#if LANES <= 8
    visit(g, LANES, meet(g, LANES, u), forth, p, u, &sum_1);
#endif
#if LANES == 4
    visit(g, 2 * LANES, meet(g, 2 * LANES, u), forth, p, u, &sum_2);
    visit(g, 3 * LANES, meet(g, 3 * LANES, u), forth, p, u, &sum_3);
#endif
  }
  const tally sums[4] = {sum_0, sum_1, sum_2, sum_3};
  float out[3][DLS_ROUND_LANES];
  for (int i = 0; i < DLS_ROUND_LANES / LANES; i++) {
    STORE(out[0] + i * LANES, sums[i].most);
    STORE(out[1] + i * LANES, sums[i].ff);
    STORE(out[2] + i * LANES, sums[i].turn);
  }
  return (dls_round_change){most_of(out[0]), tree(out[1]), tree(out[2])};
}

static void mix(int n, float beta, float *x, float *old) {
  for (int i = 0; i < n; i += LANES) {
    const vec now = LOAD(x + i);
    STORE(x + i, now + beta * (now - LOAD(old + i)));
    STORE(old + i, now);
  }
}

/* |p - P_K(p - y / |W|)| |W|, squared: x = |W| p - y, K the wedge |x_t| <= f x_n, y_n with De Saxce's f |y_t|. */
static inline __attribute__((always_inline)) vec error(const dls_round_group *g, int l, const float *p,
                                                       const float *u, vec most) {
#define X(name) const vec name = LOAD(g->name + l);
  DLS_ROUND_FIELDS(X)
#undef X
  const vec zero = {0}, size = LOAD(g->size + l), slope = LOAD(g->slope + l);
  const vec reach = LOAD(g->reach + l), f = mu * slope;
  (void)w;
  READ_BODIES(u, g->i + l, ax, ay, aw);
  READ_BODIES(u, g->j + l, bx, by, bw);
  const vec vx = wb * bx - wa * ax, vy = wb * by - wa * ay;
  const vec y_t = ((ty * vx - tx * vy) + ((ta * aw + tb * bw) + s_t)) * size / slope;
  const vec y_n = ((nx * vx + ny * vy) + s_n) * size + f * size_of(y_t);
  const vec p_n = LOAD(p + l) * reach, p_t = LOAD(p + DLS_ROUND_LANES + l) * (reach * slope);
  const vec x_n = p_n - y_n, x_t = p_t - y_t, away = size_of(x_t);
  const mask outside = (x_n < zero) | (away > f * x_n);
  const vec side_n = LARGER((x_n + f * away) / (1 + f * f), zero);
  const vec side_t = PICK(x_t < zero, -f * side_n, f * side_n);
  const vec d_n = p_n - PICK(outside, side_n, x_n), d_t = p_t - PICK(outside, side_t, x_t);
  return LARGER(d_n * d_n + d_t * d_t, most);
}

static double residual(int n_groups, const dls_round_group *g, const float *p, const float *u) {
  float out[DLS_ROUND_LANES] = {0};
  for (int k = 0; k < n_groups; k++, g++, p += DLS_ROUND_PARTS * DLS_ROUND_LANES)
    for (int l = 0; l < DLS_ROUND_LANES; l += LANES)
      STORE(out + l, error(g, l, p, u, LOAD(out + l)));
  return most_of(out);
}

const dls_round_lanes ROUND_TABLE = {ROUND_NAME, measure, sweep, mix, residual};
