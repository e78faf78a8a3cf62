/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of sweep_lanes.h: the including file defines LANES (1, 4 or 8), DISK_NAME, DISK_TABLE
** and the compiler's target, and SIDE where several LANES are visited at once. Sums have sixteen
** parts, those of sweeps eight, added in one tree, on every path. */
#include "core/base/vector.inc.h"

typedef float vec DLS_VECTOR(4 * LANES);
typedef int mask DLS_VECTOR(4 * LANES);
typedef float loose DLS_LOOSE(4 * LANES, 4);

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

#ifdef DLS_PLAIN_C
static inline vec size_of(vec x) { return (vec)fabs((double)x); }
#else
static inline vec size_of(vec x) { return (vec)((mask)x & 0x7FFFFFFF); }
#endif

/* READ_NEAR and WRITE_NEAR: the same for bodies that stand in the places of their lanes, which are
** read from where they were and carried on past it. */
#ifdef SHUFFLE
#include "core/disks/sweep_bodies.inc.h"
#else
#define READ_BODIES(u, at, x, y, w)                                                            \
  vec x, y, w;                                                                                 \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    DLS_LANE(x, lane) = (u)[(at)[lane]], DLS_LANE(y, lane) = (u)[(at)[lane] + 1],              \
    DLS_LANE(w, lane) = (u)[(at)[lane] + 2]
#define WRITE_BODIES(u, at, x, y, w)                                                           \
  do {                                                                                         \
    const vec to_x = x, to_y = y, to_w = w;                                                    \
    for (int lane = 0; lane < LANES; lane++)                                                   \
      (u)[(at)[lane]] = DLS_LANE(to_x, lane), (u)[(at)[lane] + 1] = DLS_LANE(to_y, lane),      \
      (u)[(at)[lane] + 2] = (u)[(at)[lane] + 3] = DLS_LANE(to_w, lane);                        \
  } while (0)
#define READ_FOURS(u, at, x, y, w, z)                                                          \
  READ_BODIES(u, at, x, y, w);                                                                 \
  vec z;                                                                                       \
  for (int lane = 0; lane < LANES; lane++) DLS_LANE(z, lane) = (u)[(at)[lane] + 3]
#define CARRIED(was, u, beta, k) ((was)[k] + (beta) * ((was)[k] - (u)[k]))
#define READ_NEAR(was, u, at, from, beta, l, x, y, w)                                          \
  vec x, y, w;                                                                                 \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    DLS_LANE(x, lane) = CARRIED(was, u, DLS_LANE(beta, 0), (at)[lane]),                        \
    DLS_LANE(y, lane) = CARRIED(was, u, DLS_LANE(beta, 0), (at)[lane] + 1),                    \
    DLS_LANE(w, lane) = CARRIED(was, u, DLS_LANE(beta, 0), (at)[lane] + 2)
#define WRITE_NEAR(u, at, from, l, x, y, w) WRITE_BODIES(u, at, x, y, w)
#endif

typedef struct tally {
  vec most, ff, restart_dot; /* as dls_disk_change, by lanes */
} tally;

#ifndef SIDE
#define SIDE 1
#endif
enum { VISITS = DLS_DISK_LANES / (SIDE * LANES) };
enum { NUMBERS = DLS_DISK_PARTS * DLS_DISK_LANES, NEAR = 2 * DLS_DISK_BODY * DLS_DISK_LANES };
enum { TALLIES = 8 / LANES };

#define WRITTEN_OUT DLS_UNROLL
#define EACH WRITTEN_OUT for (int h = 0; h < SIDE; h++)
#define HERE (l + h * LANES)
#define F(name) LOAD(g->name + HERE)
#define LAW(name) LOAD(law->name + HERE)
#define GONE(part) LOAD(p + (part) * DLS_DISK_LANES + HERE)

/* Loads what x points to anew: indices that wait in registers for the end of a visit would be
** spilled, and stores are what a processor can do least of. */
#ifdef DLS_PLAIN_C
#define FORGET(x) ((void)0)
#else
#define FORGET(x) __asm__("" : "+r"(x))
#endif

/* Visits SIDE times LANES lanes of a group, from lane l on; where its bodies stand side by side
** they start at near, those of b behind those of a, and are carried on from `was` on the way. Each
** line is written for all sides before the next: a processor looks some hundred instructions ahead,
** which is one visit of eight lanes, and would wait for each of two in turn. */
DLS_INLINE void visit(const dls_disk_group *g, const dls_disk_pairs *pairs, const dls_disk_law *law, int l, vec beta,
                      const float *p, float *old, const float *was, float *u, bool side_by_side, int near,
                      tally *sums) {
  const vec zero = {0}, one = zero + 1;
  const int *at_a = pairs->i, *at_b = pairs->j;
  (void)near; /* without shuffles */
  vec ax[SIDE], ay[SIDE], aw[SIDE], bx[SIDE], by[SIDE], bw[SIDE];
  vec was_n[SIDE], was_t[SIDE], w_n[SIDE], vx[SIDE], vy[SIDE], v_n[SIDE], v_t[SIDE], p_n[SIDE], p_t[SIDE];
  vec d_n[SIDE], d_t[SIDE], fx[SIDE], fy[SIDE];
  if (side_by_side) {
    EACH { READ_NEAR(was, u, at_a + HERE, near, beta, HERE, x, y, w); ax[h] = x, ay[h] = y, aw[h] = w; }
    EACH { READ_NEAR(was, u, at_b + HERE, near + NEAR / 2, beta, HERE, x, y, w); bx[h] = x, by[h] = y, bw[h] = w; }
  } else {
    EACH { READ_BODIES(u, at_a + HERE, x, y, w); ax[h] = x, ay[h] = y, aw[h] = w; }
    EACH { READ_BODIES(u, at_b + HERE, x, y, w); bx[h] = x, by[h] = y, bw[h] = w; }
  }
  EACH was_n[h] = GONE(0) + beta * (GONE(0) - LOAD(old + HERE));
  EACH was_t[h] = GONE(1) + beta * (GONE(1) - LOAD(old + DLS_DISK_LANES + HERE));
  EACH w_n[h] = F(ma) + F(mb);
  EACH vx[h] = bx[h] - ax[h], vy[h] = by[h] - ay[h];
  EACH v_n[h] = F(s_n) + (F(nx) * vx[h] + F(ny) * vy[h]);
  EACH v_t[h] = ((F(ta) * aw[h] + F(tb) * bw[h]) + LAW(s_t)) + (F(ny) * vx[h] - F(nx) * vy[h]);
  EACH p_n[h] = LARGER(was_n[h] - one / w_n[h] * v_n[h], zero);
  EACH p_t[h] = was_t[h] - one / F(w_t) * v_t[h];
  EACH p_t[h] = SMALLER(p_t[h], LAW(mu) * p_n[h]);
  EACH p_t[h] = LARGER(p_t[h], -(LAW(mu) * p_n[h]));
  EACH d_n[h] = p_n[h] - was_n[h], d_t[h] = p_t[h] - was_t[h];
  EACH fx[h] = F(nx) * d_n[h] + F(ny) * d_t[h];
  EACH fy[h] = F(ny) * d_n[h] - F(nx) * d_t[h];
  EACH {
    tally *sum = &sums[(h + l / LANES) % TALLIES];
    const vec e_n = p_n[h] - GONE(0), e_t = p_t[h] - GONE(1);
    const vec g_n = w_n[h] * d_n[h], g_t = F(w_t) * d_t[h];
    const vec ff = g_n * d_n[h] + g_t * d_t[h];
    STORE(old + HERE, p_n[h]);
    STORE(old + DLS_DISK_LANES + HERE, p_t[h]);
    sum->most = LARGER(w_n[h] * ff, sum->most);
    sum->ff += ff;
    sum->restart_dot -= g_n * e_n + g_t * e_t;
  }
  EACH ax[h] = ax[h] - F(ma) * fx[h], ay[h] = ay[h] - F(ma) * fy[h], aw[h] = aw[h] + F(ta) * d_t[h];
  EACH bx[h] = bx[h] + F(mb) * fx[h], by[h] = by[h] + F(mb) * fy[h], bw[h] = bw[h] + F(tb) * d_t[h];
  if (side_by_side) {
    EACH WRITE_NEAR(u, at_a + HERE, near, HERE, ax[h], ay[h], aw[h]);
    EACH WRITE_NEAR(u, at_b + HERE, near + NEAR / 2, HERE, bx[h], by[h], bw[h]);
  } else {
    FORGET(at_a);
    FORGET(at_b);
    EACH WRITE_BODIES(u, at_a + HERE, ax[h], ay[h], aw[h]);
    EACH WRITE_BODIES(u, at_b + HERE, bx[h], by[h], bw[h]);
  }
}

#ifdef DISK_ROOT
static inline vec root_of(vec x) { return (vec)DISK_ROOT(x); }
#else
static inline vec root_of(vec x) {
  for (int l = 0; l < LANES; l++) DLS_LANE(x, l) = (float)sqrt((double)DLS_LANE(x, l));
  return x;
}
#endif

/* Every fourth number from the third on: a body's turning. */
static inline mask turning(int first) {
  mask m;
  for (int l = 0; l < LANES; l++) DLS_LANE(m, l) = (first + l) % DLS_DISK_BODY == 2 ? -1 : 0;
  return m;
}
/* Lanes hold whole bodies, but for one alone. */
#if LANES == 1
#define TURNS turning(l)
#else
#define TURNS turns
#endif

static dls_disk_start begin(int n, float *restrict inverse, float *restrict u, float *restrict change) {
  const vec zero = {0}, one = zero + 1;
#if LANES != 1
  const mask turns = turning(0);
#endif
  float out[3][DLS_DISK_LANES] = {{0}};
  for (int i = 0; i < n; i += DLS_DISK_LANES)
    for (int l = 0; l < DLS_DISK_LANES; l += LANES) {
      const vec is = LOAD(inverse + i + l), r = root_of(is), by = KEEP(r > zero, one / r);
      const vec f = LOAD(u + i + l), d = LOAD(change + i + l), x = f * by, y = d * by;
      STORE(out[0] + l, LOAD(out[0] + l) + y * x);
      STORE(out[1] + l, LOAD(out[1] + l) + y * y);
      STORE(out[2] + l, LARGER(size_of(f + d), LOAD(out[2] + l)));
      STORE(inverse + i + l, PICK(TURNS, r, is));
      STORE(u + i + l, PICK(TURNS, x, f));
      STORE(change + i + l, PICK(TURNS, y, d));
    }
  return (dls_disk_start){sum_of_sixteen(out[0]), sum_of_sixteen(out[1]), most_of_sixteen(out[2])};
}

static void carry(int n, float share, float *restrict u, float *restrict change) {
  for (int i = 0; i < n; i += LANES) {
    const vec x = LOAD(u + i) + share * LOAD(change + i);
    STORE(u + i, x);
    STORE(change + i, x);
  }
}

static dls_disk_change sweep(const dls_disk_bed *bed, float beta, const float *restrict p, float *restrict old,
                              const float *restrict was, float *restrict u) {
  const int n = bed->n, n_near = bed->n_near, n_u = bed->n_u;
  const dls_disk_group *restrict g = bed->group;
  const dls_disk_pairs *restrict pairs = bed->pairs;
  const dls_disk_law *restrict laws = bed->law;
  const int *restrict law_of = bed->law_of;
  const vec rest = {0}, forth = rest + beta;
  tally sums[TALLIES];
  for (int i = 0; i < TALLIES; i++) sums[i] = (tally){rest, rest, rest};
  for (int i = n_near * NEAR; i < n_u; i += LANES) {
    const vec now = LOAD(was + i);
    STORE(u + i, now + forth * (now - LOAD(u + i)));
  }
  for (int k = 0; k < n_near; k++, g++, pairs++, p += NUMBERS, old += NUMBERS)
    WRITTEN_OUT for (int i = 0; i < VISITS; i++)
      visit(g, pairs, laws + law_of[k], i * SIDE * LANES, forth, p, old, was, u, true, k * NEAR, sums);
  for (int k = n_near; k < n; k++, g++, pairs++, p += NUMBERS, old += NUMBERS)
    WRITTEN_OUT for (int i = 0; i < VISITS; i++)
      visit(g, pairs, laws + law_of[k], i * SIDE * LANES, forth, p, old, was, u, false, 0, sums);
  float out[3][DLS_DISK_LANES] = {{0}};
  for (int i = 0; i < TALLIES; i++) {
    STORE(out[0] + i * LANES, sums[i].most);
    STORE(out[1] + i * LANES, sums[i].ff);
    STORE(out[2] + i * LANES, sums[i].restart_dot);
  }
  return (dls_disk_change){most_of_sixteen(out[0]), sum_of_sixteen(out[1]), sum_of_sixteen(out[2])};
}

/* |p - P_K(p - y / |W|)| |W|, squared: x = |W| p - y, K the wedge |x_t| <= mu x_n, y_n with De
** Saxce's mu |y_t|. v_n, v_t: with the shifts; norm: |W|; inner: 1/(1 + mu^2). */
DLS_INLINE vec wedge_error(vec g_n, vec g_t, vec v_n, vec v_t, vec mu, vec inner, vec norm) {
  const vec zero = {0}, y_n = v_n + mu * size_of(v_t), p_n = g_n * norm, p_t = g_t * norm;
  const vec x_n = p_n - y_n, x_t = p_t - v_t, away = size_of(x_t);
  const mask outside = (x_n < zero) | (away > mu * x_n);
  const vec side_n = LARGER((x_n + mu * away) * inner, zero);
  const vec side_t = PICK(x_t < zero, -mu * side_n, mu * side_n);
  const vec d_n = p_n - PICK(outside, side_n, x_n), d_t = p_t - PICK(outside, side_t, x_t);
  return d_n * d_n + d_t * d_t;
}

/* Of lanes from l on of group k. */
DLS_INLINE vec error(const dls_disk_bed *bed, int k, int l, const float *p, const float *u, vec most) {
  const dls_disk_group *g = &bed->group[k];
  const dls_disk_pairs *pairs = &bed->pairs[k];
  const dls_disk_law *law = &bed->law[bed->law_of[k]];
#define X(name) const vec name = LOAD(g->name + l);
  DLS_DISK_FIELDS(X)
#undef X
#define X(name) const vec name = LOAD(law->name + l);
  DLS_DISK_LAW(X)
#undef X
  const vec w_n = ma + mb, w = tangential * w_t;
  READ_BODIES(u, pairs->i + l, ax, ay, aw);
  READ_BODIES(u, pairs->j + l, bx, by, bw);
  const vec vx = bx - ax, vy = by - ay, v_n = s_n + (nx * vx + ny * vy);
  const vec v_t = ((ta * aw + tb * bw) + s_t) + (ny * vx - nx * vy);
  p += NUMBERS * (size_t)k + (size_t)l;
  const vec e = wedge_error(LOAD(p), LOAD(p + DLS_DISK_LANES), v_n, v_t, mu, inner, root_of(w_n * w_n + w * w));
  return LARGER(e, most);
}

static double residual(const dls_disk_bed *bed, int first, int end, const float *p, const float *u) {
  float out[DLS_DISK_LANES] = {0};
  for (int k = first; k < end; k++)
    for (int l = 0; l < DLS_DISK_LANES; l += LANES)
      STORE(out + l, error(bed, k, l, p, u, LOAD(out + l)));
  return most_of_sixteen(out);
}

static void errors(const dls_disk_bed *bed, int first, int end, const float *p, const float *u, float *squared) {
  const vec zero = {0};
  for (int k = first; k < end; k++)
    for (int l = 0; l < DLS_DISK_LANES; l += LANES)
      STORE(squared + DLS_DISK_LANES * k + l, error(bed, k, l, p, u, zero));
}

/* Contacts are turned as bodies are, four numbers at a time. */
static void look(const dls_disk_single *ones, const int *which, const float *u, float *squared) {
  enum { SIZE = sizeof *ones / sizeof(float) };
  const float *from = (const float *)ones;
  for (int l = 0; l < DLS_DISK_LANES; l += LANES) {
    int at[LANES], at_a[LANES], at_b[LANES];
    for (int k = 0; k < LANES; k++) {
      const dls_disk_single *one = &ones[which[l + k]];
      at[k] = SIZE * which[l + k], at_a[k] = one->i, at_b[k] = one->j;
    }
    READ_BODIES(u, at_a, ax, ay, aw);
    READ_BODIES(u, at_b, bx, by, bw);
    READ_FOURS(from, at, nx, ny, ma, mb);
    READ_FOURS(from + 4, at, ta, tb, s_n, s_t);
    READ_FOURS(from + 8, at, mu, inner, norm, w_t);
    READ_BODIES(from + 12, at, p_n, p_t, body);
    (void)ma, (void)mb, (void)w_t, (void)body;
    const vec vx = bx - ax, vy = by - ay, v_n = s_n + (nx * vx + ny * vy);
    const vec v_t = ((ta * aw + tb * bw) + s_t) + (ny * vx - nx * vy);
    STORE(squared + l, wedge_error(p_n, p_t, v_n, v_t, mu, inner, norm));
  }
}

const dls_disk_lanes DISK_TABLE = {DISK_NAME, begin, carry, sweep, residual, errors, look};
