/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Every path of graph_lanes.h is this code, compiled for its processor: vectors of four on all of
** them, single numbers in plain C; products and sums in one order. */
#include "core/base/vector.inc.h"

#ifdef DLS_PLAIN_C
enum { LANES = 1 };
typedef double vec;
typedef double loose;
typedef int mask;
#define FOUR(x, y, z, t) {x, y, z, t}
#else
/* No vector is passed to or from a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"
enum { LANES = 4 };
typedef double vec DLS_VECTOR(32);
typedef double loose DLS_LOOSE(32, 8);
typedef int64_t mask DLS_VECTOR(32);
#define FOUR(x, y, z, t) {{x, y, z, t}}
#endif

/* The parts of four numbers. */
#define EACH(l) for (int l = 0; l < DLS_GRAPH_ROW; l += LANES)
typedef vec numbers[DLS_GRAPH_ROW / LANES];
#define NUMBER(v, k) DLS_LANE((v)[(k) / LANES], (k) % LANES)

/* c -= a b. c is neither. */
DLS_INLINE void subtract(const double *a, const double *b, double *c) {
  EACH(l) {
    const vec a0 = LOAD(a + l), a1 = LOAD(a + 4 + l), a2 = LOAD(a + 8 + l);
    for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW)
      STORE(c + j + l, LOAD(c + j + l) - (a0 * b[j] + a1 * b[j + 1] + a2 * b[j + 2]));
  }
}

/* a <- a b. b is not a. */
DLS_INLINE void multiply(double *a, const double *b) {
  EACH(l) {
    const vec a0 = LOAD(a + l), a1 = LOAD(a + 4 + l), a2 = LOAD(a + 8 + l);
    for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW)
      STORE(a + j + l, a0 * b[j] + a1 * b[j + 1] + a2 * b[j + 2]);
  }
}

/* Row p over its number k becomes one, and goes from the other two; own: what becomes of rows of
** 1. */
DLS_INLINE void eliminate(int k, numbers *row, numbers *own, int p, int q, int r) {
  double pivot = NUMBER(row[p], k);
  if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
  const double scale = 1 / pivot, x = NUMBER(row[q], k), y = NUMBER(row[r], k);
  for (int l = 0; l < DLS_GRAPH_ROW / LANES; l++) {
    row[p][l] *= scale, own[p][l] *= scale;
    row[q][l] -= x * row[p][l], own[q][l] -= x * own[p][l];
    row[r][l] -= y * row[p][l], own[r][l] -= y * own[p][l];
  }
}

DLS_INLINE void swap(numbers *v, int i, int j) {
  for (int l = 0; l < DLS_GRAPH_ROW / LANES; l++) {
    const vec x = v[i][l];
    v[i][l] = v[j][l], v[j][l] = x;
  }
}

/* a <- a^-1 by Gauss and Jordan, rows as pivots by size. */
static void invert(double *a) {
  numbers row[3] = {FOUR(a[0], a[4], a[8], 0), FOUR(a[1], a[5], a[9], 0), FOUR(a[2], a[6], a[10], 0)};
  numbers own[3] = {FOUR(1, 0, 0, 0), FOUR(0, 1, 0, 0), FOUR(0, 0, 1, 0)};
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  if (y > x && !(z > y)) swap(row, 0, 1), swap(own, 0, 1);
  else if (z > x) swap(row, 0, 2), swap(own, 0, 2);
  eliminate(0, row, own, 0, 1, 2);
  if (fabs(NUMBER(row[2], 1)) > fabs(NUMBER(row[1], 1))) swap(row, 1, 2), swap(own, 1, 2);
  eliminate(1, row, own, 1, 0, 2);
  eliminate(2, row, own, 2, 0, 1);
  for (int j = 0; j < 3; j++) {
    double *to = a + DLS_GRAPH_ROW * j;
    to[0] = NUMBER(own[0], j), to[1] = NUMBER(own[1], j), to[2] = NUMBER(own[2], j), to[3] = 0;
  }
}

static void factor(const dls_graph_factor *K) {
  const int *start = K->start, *col = K->col;
  for (int k = 0; k < K->n; k++) {
    double *d = K->d + (size_t)k * DLS_GRAPH_BLOCK;
    const int last = start[k + 1];
    invert(d);
    for (int e = start[k]; e < last; e++) multiply(K->low + (size_t)e * DLS_GRAPH_BLOCK, d);
    for (int e = start[k]; e < last; e++) {
      const int i = col[e];
      const double *low = K->low + (size_t)e * DLS_GRAPH_BLOCK, *up = K->up + (size_t)e * DLS_GRAPH_BLOCK;
      subtract(low, up, K->d + (size_t)i * DLS_GRAPH_BLOCK);
      for (int f = e + 1, at = start[i]; f < last; f++) {
        while (col[at] != col[f]) at++;
        subtract(low, K->up + (size_t)f * DLS_GRAPH_BLOCK, K->up + (size_t)at * DLS_GRAPH_BLOCK);
        subtract(K->low + (size_t)f * DLS_GRAPH_BLOCK, up, K->low + (size_t)at * DLS_GRAPH_BLOCK);
      }
    }
  }
}

/* What is zero stays out of it. */
static void lower(const dls_graph_factor *K, double *y) {
  for (int k = 0; k < K->n; k++) {
    const double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k, x0 = own[0], x1 = own[1], x2 = own[2];
    if (x0 == 0 && x1 == 0 && x2 == 0) continue;
    for (int e = K->start[k]; e < K->start[k + 1]; e++) {
      const double *a = K->low + (size_t)e * DLS_GRAPH_BLOCK;
      double *to = y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e];
      EACH(l) STORE(to + l, LOAD(to + l) - (LOAD(a + l) * x0 + LOAD(a + 4 + l) * x1 + LOAD(a + 8 + l) * x2));
    }
  }
}

static void upper(const dls_graph_factor *K, double *y) {
  for (int k = K->n - 1; k >= 0; k--) {
    double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k;
    numbers x;
    EACH(l) {
      vec left = LOAD(own + l);
      for (int e = K->start[k]; e < K->start[k + 1]; e++) {
        const double *a = K->up + (size_t)e * DLS_GRAPH_BLOCK, *of = y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e];
        left -= LOAD(a + l) * of[0] + LOAD(a + 4 + l) * of[1] + LOAD(a + 8 + l) * of[2];
      }
      x[l / LANES] = left;
    }
    const double *d = K->d + (size_t)k * DLS_GRAPH_BLOCK, x0 = NUMBER(x, 0), x1 = NUMBER(x, 1), x2 = NUMBER(x, 2);
    EACH(l) STORE(own + l, LOAD(d + l) * x0 + LOAD(d + 4 + l) * x1 + LOAD(d + 8 + l) * x2);
  }
}

/* --- kinks ------------------------------------------------------------------------------------ */

/* Three numbers of as many places as there are lanes, as columns; whether a mask holds anywhere. */
#ifdef DLS_PLAIN_C
DLS_INLINE void read_places(const double *y, const int *at, vec out[3]) {
  for (int i = 0; i < 3; i++) out[i] = y[*at + i];
}

#define ANY(m) DLS_HOLDS(m, 0)
#else
#define SHUFFLED_LOW(a, b) ((vec){(a)[0], (b)[0], (a)[2], (b)[2]})
#define SHUFFLED_HIGH(a, b) ((vec){(a)[1], (b)[1], (a)[3], (b)[3]})

DLS_INLINE void read_places(const double *y, const int *at, vec out[3]) {
  const vec p = LOAD(y + at[0]), q = LOAD(y + at[1]), r = LOAD(y + at[2]), s = LOAD(y + at[3]);
  const vec pq = SHUFFLED_LOW(p, q), rs = SHUFFLED_LOW(r, s), pq_1 = SHUFFLED_HIGH(p, q), rs_1 = SHUFFLED_HIGH(r, s);
  out[0] = (vec){pq[0], pq[1], rs[0], rs[1]};
  out[1] = (vec){pq_1[0], pq_1[1], rs_1[0], rs_1[1]};
  out[2] = (vec){pq[2], pq[3], rs[2], rs[3]};
}

#define ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)
#endif

DLS_INLINE vec image(double a[3][4], double b[3][4], int l, const vec *y_a, const vec *y_b) {
  return (LOAD(a[0] + l) * y_a[0] + LOAD(a[1] + l) * y_a[1] + LOAD(a[2] + l) * y_a[2]) +
         (LOAD(b[0] + l) * y_b[0] + LOAD(b[1] + l) * y_b[1] + LOAD(b[2] + l) * y_b[2]);
}

/* x + length dx comes to zero before the kink that is known. */
DLS_INLINE void meet(double x, double dx, int lane, int which, dls_path_kink *kink) {
  if (!(dx < 0) || x >= -dx * kink->length) return;
  *kink = (dls_path_kink){dls_max(x, 0) / -dx, lane, which};
}

static dls_path_kink direct(int n_groups, dls_path_group *group, const double *y, double sign, double longest) {
  dls_path_kink kink = {longest, -1, 0};
  const vec zero = (vec){0};
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    EACH(l) {
#define G(name) LOAD(g->name + l)
      vec y_a[3], y_b[3];
      read_places(y, g->a + l, y_a);
      read_places(y, g->b + l, y_b);
      const vec f_n = image(g->n_a, g->n_b, l, y_a, y_b) - G(r_n), f_t = image(g->t_a, g->t_b, l, y_a, y_b) - G(r_t);
      const vec dz_n = -(G(s_n) * f_n), dz_t = -(G(s_nt) * f_n) - G(s_t) * f_t;
      const vec dv_n = f_n + G(e_n) * dz_n, dv_t = f_t + G(e_t) * dz_t;
      STORE(g->dz_n + l, dz_n), STORE(g->dz_t + l, dz_t);
      STORE(g->dv_n + l, dv_n), STORE(g->dv_t + l, dv_t);
      const vec x = G(k_zn) * G(z_n) + G(k_zt) * G(z_t) + G(k_vn) * G(v_n);
      const vec w = G(l_zn) * G(z_n) + G(l_zt) * G(z_t) + G(l_vt) * G(v_t);
      const vec dx = sign * (G(k_zn) * dz_n + G(k_zt) * dz_t + G(k_vn) * dv_n);
      const vec dw = sign * (G(l_zn) * dz_n + G(l_zt) * dz_t + G(l_vt) * dv_t);
#undef G
      const mask far_x = x >= -dx * kink.length, far_w = w >= -dw * kink.length;
      const mask near = ((dx < zero) & ~far_x) | ((dw < zero) & ~far_w);
      if (!ANY(near)) continue;
      for (int i = 0; i < LANES; i++) {
        meet(DLS_LANE(x, i), DLS_LANE(dx, i), DLS_PATH_LANES * k + l + i, 0, &kink);
        meet(DLS_LANE(w, i), DLS_LANE(dw, i), DLS_PATH_LANES * k + l + i, 1, &kink);
      }
    }
  }
  return kink;
}

static void go(int n_groups, dls_path_group *group, double length) {
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    EACH(l) {
      STORE(g->z_n + l, LOAD(g->z_n + l) + length * LOAD(g->dz_n + l));
      STORE(g->z_t + l, LOAD(g->z_t + l) + length * LOAD(g->dz_t + l));
      STORE(g->v_n + l, LOAD(g->v_n + l) + length * LOAD(g->dv_n + l));
      STORE(g->v_t + l, LOAD(g->v_t + l) + length * LOAD(g->dv_t + l));
    }
  }
}

const dls_graph_lanes GRAPH_TABLE = {
    .name = GRAPH_NAME, .factor = factor, .lower = lower, .upper = upper, .direct = direct, .go = go};
