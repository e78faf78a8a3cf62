/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Every path of graph_lanes.h is this code, compiled for its processor. Vectors of four on all of them, products and sums
** in one order. */

/* No vector is passed to or from a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef double four __attribute__((vector_size(32)));
typedef double four_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t four_bits __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE four load(const double *x) {
  four v;
  memcpy(&v, x, sizeof v);
  return v;
}
/* x[0..3] = a vector, at any multiple of 8 bytes. A macro: gcc notes every vector among the parameters of a function. */
#define STORE(x, ...) ((void)(*(four_anywhere *)(x) = (__VA_ARGS__)))
INLINE four all(double x) { return (four){x, x, x, x}; }

/* A x of a block's columns. */
#define TIMES(a0, a1, a2, x) ((a0) * all((x)[0]) + (a1) * all((x)[1]) + (a2) * all((x)[2]))

/* c -= a b */
INLINE void subtract(const double *a, const double *b, double *c) {
  const four a0 = load(a), a1 = load(a + 4), a2 = load(a + 8);
  for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW) STORE(c + j, load(c + j) - TIMES(a0, a1, a2, b + j));
}

/* Row p over its number k becomes one, and goes from the other two; own: what becomes of rows of 1. */
INLINE void eliminate(int k, four *row, four *own, int p, int q, int r) {
  double pivot = row[p][k];
  if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
  const four scale = all(1 / pivot);
  row[p] *= scale, own[p] *= scale;
  const four x = all(row[q][k]), y = all(row[r][k]);
  row[q] -= x * row[p], own[q] -= x * own[p];
  row[r] -= y * row[p], own[r] -= y * own[p];
}

INLINE void swap(four *a, four *b) {
  const four x = *a;
  *a = *b, *b = x;
}

/* a <- a^-1 by Gauss and Jordan, rows as pivots by size. */
static void invert(double *a) {
  four row[3] = {{a[0], a[4], a[8], 0}, {a[1], a[5], a[9], 0}, {a[2], a[6], a[10], 0}};
  four own[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
  const double x = fabs(a[0]), y = fabs(a[1]), z = fabs(a[2]);
  if (y > x && !(z > y)) swap(&row[0], &row[1]), swap(&own[0], &own[1]);
  else if (z > x) swap(&row[0], &row[2]), swap(&own[0], &own[2]);
  eliminate(0, row, own, 0, 1, 2);
  if (fabs(row[2][1]) > fabs(row[1][1])) swap(&row[1], &row[2]), swap(&own[1], &own[2]);
  eliminate(1, row, own, 1, 0, 2);
  eliminate(2, row, own, 2, 0, 1);
  for (int j = 0; j < 3; j++) STORE(a + DLS_GRAPH_ROW * j, (four){own[0][j], own[1][j], own[2][j], 0});
}

static void factor(const dls_graph_factor *K) {
  const int *start = K->start, *col = K->col;
  for (int k = 0; k < K->n; k++) {
    double *d = K->d + (size_t)k * DLS_GRAPH_BLOCK;
    const int last = start[k + 1];
    invert(d);
    for (int e = start[k]; e < last; e++) {
      double *low = K->low + (size_t)e * DLS_GRAPH_BLOCK;
      const four a0 = load(low), a1 = load(low + 4), a2 = load(low + 8);
      for (int j = 0; j < DLS_GRAPH_BLOCK; j += DLS_GRAPH_ROW) STORE(low + j, TIMES(a0, a1, a2, d + j));
    }
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
    const double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k, x = own[0], z = own[1], t = own[2];
    if (x == 0 && z == 0 && t == 0) continue;
    const four vx = all(x), vz = all(z), vt = all(t);
    for (int e = K->start[k]; e < K->start[k + 1]; e++) {
      const double *a = K->low + (size_t)e * DLS_GRAPH_BLOCK;
      double *to = y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e];
      STORE(to, load(to) - (load(a) * vx + load(a + 4) * vz + load(a + 8) * vt));
    }
  }
}

static void upper(const dls_graph_factor *K, double *y) {
  for (int k = K->n - 1; k >= 0; k--) {
    double *own = y + (size_t)DLS_GRAPH_ROW * (size_t)k;
    four x = load(own);
    for (int e = K->start[k]; e < K->start[k + 1]; e++) {
      const double *a = K->up + (size_t)e * DLS_GRAPH_BLOCK, *of = y + (size_t)DLS_GRAPH_ROW * (size_t)K->col[e];
      x -= TIMES(load(a), load(a + 4), load(a + 8), of);
    }
    const double *d = K->d + (size_t)k * DLS_GRAPH_BLOCK;
    STORE(own, TIMES(load(d), load(d + 4), load(d + 8), x));
  }
}

/* --- kinks -------------------------------------------------------------------------------------- */

#define SHUFFLED_LOW(a, b) ((four){(a)[0], (b)[0], (a)[2], (b)[2]})
#define SHUFFLED_HIGH(a, b) ((four){(a)[1], (b)[1], (a)[3], (b)[3]})

/* Three numbers of four places as columns. */
INLINE void read_places(const double *y, const int *at, four out[3]) {
  const four p = load(y + at[0]), q = load(y + at[1]), r = load(y + at[2]), s = load(y + at[3]);
  const four pq = SHUFFLED_LOW(p, q), rs = SHUFFLED_LOW(r, s), pq_1 = SHUFFLED_HIGH(p, q), rs_1 = SHUFFLED_HIGH(r, s);
  out[0] = (four){pq[0], pq[1], rs[0], rs[1]};
  out[1] = (four){pq_1[0], pq_1[1], rs_1[0], rs_1[1]};
  out[2] = (four){pq[2], pq[3], rs[2], rs[3]};
}

INLINE four image(double a[3][4], double b[3][4], const four *y_a, const four *y_b) {
  return (load(a[0]) * y_a[0] + load(a[1]) * y_a[1] + load(a[2]) * y_a[2]) +
         (load(b[0]) * y_b[0] + load(b[1]) * y_b[1] + load(b[2]) * y_b[2]);
}

INLINE bool any(const four_bits *x) { return ((*x)[0] | (*x)[1] | (*x)[2] | (*x)[3]) != 0; }

/* x + length dx comes to zero before the kink that is known. */
INLINE void meet(double x, double dx, int lane, int which, dls_path_kink *kink) {
  if (!(dx < 0) || x >= -dx * kink->length) return;
  *kink = (dls_path_kink){dls_max(x, 0) / -dx, lane, which};
}

static dls_path_kink direct(int n_groups, dls_path_group *group, const double *y, double sign, double longest) {
  dls_path_kink kink = {longest, -1, 0};
  const four zero = all(0), to = all(sign);
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    four y_a[3], y_b[3];
    read_places(y, g->a, y_a);
    read_places(y, g->b, y_b);
    const four f_n = image(g->n_a, g->n_b, y_a, y_b) - load(g->r_n);
    const four f_t = image(g->t_a, g->t_b, y_a, y_b) - load(g->r_t);
    const four dz_n = -(load(g->s_n) * f_n), dz_t = -(load(g->s_nt) * f_n) - load(g->s_t) * f_t;
    const four dv_n = f_n + load(g->e_n) * dz_n, dv_t = f_t + load(g->e_t) * dz_t;
    STORE(g->dz_n, dz_n), STORE(g->dz_t, dz_t);
    STORE(g->dv_n, dv_n), STORE(g->dv_t, dv_t);
    const four x = load(g->k_zn) * load(g->z_n) + load(g->k_zt) * load(g->z_t) + load(g->k_vn) * load(g->v_n);
    const four w = load(g->l_zn) * load(g->z_n) + load(g->l_zt) * load(g->z_t) + load(g->l_vt) * load(g->v_t);
    const four dx = to * (load(g->k_zn) * dz_n + load(g->k_zt) * dz_t + load(g->k_vn) * dv_n);
    const four dw = to * (load(g->l_zn) * dz_n + load(g->l_zt) * dz_t + load(g->l_vt) * dv_t);
    const four far = all(kink.length);
    const four_bits near = ((dx < zero) & ~(x >= -dx * far)) | ((dw < zero) & ~(w >= -dw * far));
    if (!any(&near)) continue;
    for (int l = 0; l < DLS_PATH_LANES; l++) {
      meet(x[l], dx[l], DLS_PATH_LANES * k + l, 0, &kink);
      meet(w[l], dw[l], DLS_PATH_LANES * k + l, 1, &kink);
    }
  }
  return kink;
}

static void go(int n_groups, dls_path_group *group, double length) {
  const four by = all(length);
  for (int k = 0; k < n_groups; k++) {
    dls_path_group *g = &group[k];
    STORE(g->z_n, load(g->z_n) + by * load(g->dz_n));
    STORE(g->z_t, load(g->z_t) + by * load(g->dz_t));
    STORE(g->v_n, load(g->v_n) + by * load(g->dv_n));
    STORE(g->v_t, load(g->v_t) + by * load(g->dv_t));
  }
}

const dls_graph_lanes GRAPH_TABLE = {
    .name = GRAPH_NAME, .factor = factor, .lower = lower, .upper = upper, .direct = direct, .go = go};
