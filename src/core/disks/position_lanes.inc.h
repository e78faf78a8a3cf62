/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of position_lanes.h: the including file defines LANES (1, 4 or 8), POSITION_NAME,
** POSITION_TABLE, disks(), worst() and the compiler's target. Sums have sixteen parts, added in one
** tree, on every path. */
#include "core/base/vector.inc.h"

typedef float vec DLS_VECTOR(4 * LANES);
typedef int mask DLS_VECTOR(4 * LANES);
typedef float loose DLS_LOOSE(4 * LANES, 4);
#ifdef SHUFFLE
typedef double rows DLS_VECTOR(4 * LANES);
/* both numbers of a body, as bits alone */
typedef double two __attribute__((aligned(4), may_alias));
#endif

#if LANES == 8
#define LARGER(x, y) ((vec)__builtin_ia32_maxps256(x, y))
#else
static inline vec larger_of(vec x, vec y) { return PICK(x > y, x, y); }
#define LARGER(x, y) larger_of(x, y)
#endif

/* A body a load; two or four of them a row, turned into columns. */
#if !defined(SHUFFLE)
#define READ_BODIES(u, at, x, y)                                                               \
  vec x, y;                                                                                    \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    DLS_LANE(x, lane) = (u)[(at)[lane]], DLS_LANE(y, lane) = (u)[(at)[lane] + 1]
#define WRITE_BODIES(u, at, x, y)                                                              \
  for (int lane = 0; lane < LANES; lane++)                                                     \
    (u)[(at)[lane]] = DLS_LANE(x, lane), (u)[(at)[lane] + 1] = DLS_LANE(y, lane)
#else
#define TWO(u, at, l) (*(const two *)((u) + (at)[l]))
#define PUT_TWO(u, at, l, r, k) (*(two *)((u) + (at)[l]) = (r)[k])
#if LANES == 8
#define ROWS(u, at, l) ((vec)(rows){TWO(u, at, l), TWO(u, at, l + 1), TWO(u, at, l + 4), TWO(u, at, l + 5)})
#define EVEN(a, b) SHUFFLE(a, b, 0, 2, 8, 10, 4, 6, 12, 14)
#define ODD(a, b) SHUFFLE(a, b, 1, 3, 9, 11, 5, 7, 13, 15)
#define LOW(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PUT_ROWS(u, at, l, r)                                                                  \
  (PUT_TWO(u, at, l, r, 0), PUT_TWO(u, at, l + 1, r, 1), PUT_TWO(u, at, l + 4, r, 2), PUT_TWO(u, at, l + 5, r, 3))
#else
#define ROWS(u, at, l) ((vec)(rows){TWO(u, at, l), TWO(u, at, l + 1)})
#define EVEN(a, b) SHUFFLE(a, b, 0, 2, 4, 6)
#define ODD(a, b) SHUFFLE(a, b, 1, 3, 5, 7)
#define LOW(a, b) SHUFFLE(a, b, 0, 4, 1, 5)
#define HIGH(a, b) SHUFFLE(a, b, 2, 6, 3, 7)
#define PUT_ROWS(u, at, l, r) (PUT_TWO(u, at, l, r, 0), PUT_TWO(u, at, l + 1, r, 1))
#endif
#define READ_BODIES(u, at, x, y)                                                               \
  const vec x##_0 = ROWS(u, at, 0), x##_1 = ROWS(u, at, 2), x = EVEN(x##_0, x##_1), y = ODD(x##_0, x##_1)
#define WRITE_BODIES(u, at, x, y)                                                              \
  do {                                                                                         \
    const vec to_x = x, to_y = y;                                                              \
    const rows low = (rows)LOW(to_x, to_y), high = (rows)HIGH(to_x, to_y);                     \
    PUT_ROWS(u, at, 0, low);                                                                   \
    PUT_ROWS(u, at, 2, high);                                                                  \
  } while (0)
#endif

typedef struct tally {
  vec most, dd, restart_dot; /* as dls_position_change, by lanes */
} tally;

#define WRITTEN_OUT DLS_UNROLL
/* Loads what x points to anew: indices that wait in registers for the end of a visit would be
** spilled. */
#ifdef DLS_PLAIN_C
#define FORGET(x) ((void)0)
#else
#define FORGET(x) __asm__("" : "+r"(x))
#endif

/* Visits LANES lanes of a group, from lane l on. */
DLS_INLINE void visit(const dls_position_group *g, int l, vec beta, const float *pi, float *old, float *u,
                      tally *sum) {
  const vec zero = {0}, nx = LOAD(g->nx + l), ny = LOAD(g->ny + l), by_size = LOAD(g->by_size + l);
  READ_BODIES(u, g->i + l, ax, ay);
  READ_BODIES(u, g->j + l, bx, by);
  const vec last = LOAD(pi + l), was = last + beta * (last - LOAD(old + l));
  const vec now = LARGER((was - LOAD(g->gap + l)) - (nx * (bx - ax) + ny * (by - ay)), zero), d = now - was;
  const vec f = d * by_size, e = (now - last) * by_size, ff = f * f;
  STORE(old + l, now);
  sum->most = LARGER(ff, sum->most);
  sum->dd += ff;
  sum->restart_dot -= f * e;
  const vec d_a = d * LOAD(g->share + l), d_b = d - d_a;
  const vec to_ax = ax - d_a * nx, to_ay = ay - d_a * ny, to_bx = bx + d_b * nx, to_by = by + d_b * ny;
  const int *at_a = g->i + l, *at_b = g->j + l;
  FORGET(at_a);
  FORGET(at_b);
  WRITE_BODIES(u, at_a, to_ax, to_ay);
  WRITE_BODIES(u, at_b, to_bx, to_by);
}

static dls_position_change sweep(int n_groups, const dls_position_group *restrict g, float beta,
                                 const float *restrict pi, float *restrict old, float *restrict x) {
  enum { VISITS = DLS_POSITION_LANES / LANES };
  const vec rest = {0}, forth = rest + beta;
  tally sums[VISITS];
  for (int i = 0; i < VISITS; i++) sums[i] = (tally){rest, rest, rest};
  for (int k = 0; k < n_groups; k++, g++, pi += DLS_POSITION_LANES, old += DLS_POSITION_LANES)
    WRITTEN_OUT for (int i = 0; i < VISITS; i++) visit(g, i * LANES, forth, pi, old, x, &sums[i]);
  float out[3][DLS_POSITION_LANES];
  for (int i = 0; i < VISITS; i++) {
    STORE(out[0] + i * LANES, sums[i].most);
    STORE(out[1] + i * LANES, sums[i].dd);
    STORE(out[2] + i * LANES, sums[i].restart_dot);
  }
  return (dls_position_change){most_of_sixteen(out[0]), sum_of_sixteen(out[1]), sum_of_sixteen(out[2])};
}

static void mix(int n, float beta, const float *restrict x, float *restrict old) {
  for (int i = 0; i < n; i += LANES) {
    const vec now = LOAD(x + i);
    STORE(old + i, now + beta * (now - LOAD(old + i)));
  }
}

#if LANES == 8 && defined(SHUFFLE)
#define NEXT(a, b) SHUFFLE(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LAST(a, b) SHUFFLE(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define FIRST_HALF(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define OTHER_HALF(a, b) SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* Eight contacts of eight numbers, turned. */
static inline void fill_lanes(const int *order, const dls_position_contact *all, float pull, int l,
                              dls_position_group *g, float *pi) {
  vec r[8], s[8];
  WRITTEN_OUT for (int k = 0; k < 8; k++) r[k] = LOAD(&all[order[l + k]].nx);
  WRITTEN_OUT for (int k = 0; k < 8; k += 4) {
    const vec low = LOW(r[k], r[k + 1]), low_2 = LOW(r[k + 2], r[k + 3]);
    const vec high = HIGH(r[k], r[k + 1]), high_2 = HIGH(r[k + 2], r[k + 3]);
    s[k] = NEXT(low, low_2), s[k + 1] = LAST(low, low_2);
    s[k + 2] = NEXT(high, high_2), s[k + 3] = LAST(high, high_2);
  }
  STORE(g->nx + l, FIRST_HALF(s[0], s[4]));
  STORE(g->ny + l, FIRST_HALF(s[1], s[5]));
  STORE(g->share + l, FIRST_HALF(s[2], s[6]));
  STORE(g->gap + l, FIRST_HALF(s[3], s[7]));
  STORE(g->by_size + l, OTHER_HALF(s[0], s[4]));
  STORE(pi + l, pull * OTHER_HALF(s[1], s[5]));
  STORE((float *)g->i + l, (vec)(DLS_POSITION_BODY * (mask)OTHER_HALF(s[2], s[6])));
  STORE((float *)g->j + l, (vec)(DLS_POSITION_BODY * (mask)OTHER_HALF(s[3], s[7])));
}
#else
static inline void fill_lanes(const int *order, const dls_position_contact *all, float pull, int l,
                              dls_position_group *g, float *pi) {
  for (const int end = l + LANES; l < end; l++) {
    const dls_position_contact *c = &all[order[l]];
    g->nx[l] = c->nx, g->ny[l] = c->ny, g->share[l] = c->share, g->gap[l] = c->gap, g->by_size[l] = c->by_size;
    g->i[l] = DLS_POSITION_BODY * c->a, g->j[l] = DLS_POSITION_BODY * c->b;
    pi[l] = pull * c->start;
  }
}
#endif

static void fill(int n_groups, const int *order, const dls_position_contact *all, float pull, dls_position_group *g,
                 float *pi) {
  for (int k = 0; k < n_groups; k++, g++, order += DLS_POSITION_LANES, pi += DLS_POSITION_LANES)
    for (int l = 0; l < DLS_POSITION_LANES; l += LANES) fill_lanes(order, all, pull, l, g, pi);
}

const dls_position_lanes POSITION_TABLE = {POSITION_NAME, disks, worst, fill, sweep, mix};
