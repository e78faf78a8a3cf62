/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/factor.h"

#include "core/base/fast.h"
#include "core/math/lanes.h"

/* Room for fill: blocks of U for each block of A, never more than a full triangle. */
#define FILL 10
/* Most groups: the ordering keeps n^2 bits. */
#define GROUPS 12000
/* Pivots below this (X scaled to order one) or this part of the group's norm are lifted to it. */
#define PIVOT 1e-30

/* --- room ------------------------------------------------------------------------------------- */

typedef struct room {
  size_t blocks; /* of U                      */
  size_t values; /* numbers of U              */
  size_t words;  /* of one row of the bit set */
} room;

static int dim_of(const dls_cone_problem *pr, int g) {
  return dls_cone_laws[pr->groups[g].kind].n_rows;
}

static room room_for(const dls_cone_problem *pr) {
  room r = {0};
  if (pr->n_groups > GROUPS) return r;
  size_t m = (size_t)pr->n_groups, d = 1, all = m * m / 2 + 1;
  for (int g = 0; g < pr->n_groups; g++) d = (size_t)dls_max((double)d, dim_of(pr, g));
  size_t blocks = dls_cone_system_blocks(pr) + m;
  r.blocks = blocks < all / FILL ? FILL * blocks : all;
  r.values = r.blocks * d * d;
  r.words = (m + 63) / 64;
  return r;
}

size_t dls_cone_factor_bytes(const dls_cone_problem *pr) {
  room r = room_for(pr);
  size_t m = (size_t)pr->n_groups, sum = 0, d2 = DLS_CONE_ROWS * DLS_CONE_ROWS;
  size_t take[] = {
    dls_arena_bytes(m, sizeof(int)),        dls_arena_bytes(m, sizeof(int)),
    dls_arena_bytes(m + 1, sizeof(int)),    dls_arena_bytes(m + 1, sizeof(int)),
    dls_arena_bytes(m + 1, sizeof(size_t)), dls_arena_bytes(m + 1, sizeof(size_t)),
    dls_arena_bytes(r.blocks, sizeof(int)), dls_arena_bytes(r.blocks, sizeof(int)),
    dls_arena_bytes(r.values, sizeof(double)), dls_arena_bytes(r.values, sizeof(double)),
    dls_arena_bytes(m * d2, sizeof(double)), dls_arena_bytes(m * d2, sizeof(double)),
    dls_arena_bytes(m + 1, sizeof(int)),    dls_arena_bytes(m + 1, sizeof(int)),
    dls_arena_bytes(2 * r.blocks, sizeof(int)), dls_arena_bytes(m * r.words, sizeof(uint64_t)),
    dls_arena_bytes(m, sizeof(int)),
  };
  for (size_t k = 0; k < sizeof take / sizeof *take; k++) sum = dls_bytes_add(sum, take[k]);
  return sum;
}

/* --- minimum degree --------------------------------------------------------------------------- */

static int ones(uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (int)((x * 0x0101010101010101u) >> 56);
}

static int lowest(uint64_t x) { /* x /= 0 */
  return ones((x & (~x + 1)) - 1);
}

static void fill_graph(const dls_cone_system *sys, uint64_t *bits, size_t words) {
  memset(bits, 0, (size_t)sys->n_groups * words * sizeof *bits);
  for (int g = 0; g < sys->n_groups; g++)
    for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
      int j = sys->col[b];
      bits[(size_t)g * words + (size_t)(j / 64)] |= (uint64_t)1 << (j % 64);
      bits[(size_t)j * words + (size_t)(g / 64)] |= (uint64_t)1 << (g % 64);
    }
}

/* Eliminates groups of least degree first (ties: the lowest number) and leaves in row g of the bit
** set the neighbours that are eliminated after g. degree: n_groups, -1 once eliminated. */
static void minimum_degree(int m, uint64_t *bits, size_t words, int *degree, int *order) {
  for (int g = 0; g < m; g++) {
    degree[g] = 0;
    for (size_t w = 0; w < words; w++) degree[g] += ones(bits[(size_t)g * words + w]);
  }
  for (int k = 0; k < m; k++) {
    int g = -1;
    for (int j = 0; j < m; j++)
      if (degree[j] >= 0 && (g < 0 || degree[j] < degree[g])) g = j;
    order[k] = g;
    uint64_t *row = bits + (size_t)g * words;
    for (size_t w = 0; w < words; w++)
      for (uint64_t left = row[w]; left; left &= left - 1) {
        int j = (int)w * 64 + lowest(left);
        uint64_t *other = bits + (size_t)j * words;
        int count = 0;
        for (size_t v = 0; v < words; v++) other[v] |= row[v];
        other[j / 64] &= ~((uint64_t)1 << (j % 64));
        other[g / 64] &= ~((uint64_t)1 << (g % 64));
        for (size_t v = 0; v < words; v++) count += ones(other[v]);
        degree[j] = count;
      }
    degree[g] = -1;
  }
}

/* --- plan ------------------------------------------------------------------------------------- */

/* Rows of U by place from the bit set (columns ascending by place), then L as its transpose. */
static bool plan_rows(dls_cone_factor *f, const uint64_t *bits, size_t words, size_t n_room,
                      size_t values) {
  const dls_cone_system *sys = f->sys;
  int m = sys->n_groups, count = 0;
  size_t at = 0;
  for (int k = 0; k < m; k++) {
    const uint64_t *row = bits + (size_t)f->order[k] * words;
    f->u_start[k] = count;
    f->u_at[k] = at;
    for (size_t w = 0; w < words; w++)
      for (uint64_t left = row[w]; left; left &= left - 1) {
        int j = (int)w * 64 + lowest(left), i = count;
        if ((size_t)count == n_room) return false;
        for (; i > f->u_start[k] && f->u_col[i - 1] > f->place[j]; i--)
          f->u_col[i] = f->u_col[i - 1];
        f->u_col[i] = f->place[j];
        count++;
        at += (size_t)(sys->dim[f->order[k]] * sys->dim[j]);
        if (at > values) return false;
      }
  }
  f->u_start[m] = count;
  f->u_at[m] = at;
  for (int k = 0; k <= m; k++) f->l_start[k] = 0;
  for (int e = 0; e < count; e++) f->l_start[f->u_col[e] + 1]++;
  for (int k = 0; k < m; k++) f->l_start[k + 1] += f->l_start[k];
  for (int k = 0; k < m; k++) f->l_at[k] = (size_t)f->l_start[k];
  for (int k = 0; k < m; k++) /* rows ascend, so columns of L do */
    for (int e = f->u_start[k]; e < f->u_start[k + 1]; e++)
      f->l_col[f->l_at[f->u_col[e]]++] = k;
  at = 0;
  for (int k = 0; k < m; k++) {
    f->l_at[k] = at;
    for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++)
      at += (size_t)(sys->dim[f->order[k]] * sys->dim[f->order[f->l_col[e]]]);
  }
  return true;
}

/* Columns of a full row, and those of each row of U as runs. */
static void plan_runs(dls_cone_factor *f) {
  const dls_cone_system *sys = f->sys;
  const int m = sys->n_groups;
  f->column[0] = 0;
  for (int k = 0; k < m; k++) f->column[k + 1] = f->column[k] + sys->dim[f->order[k]];
  int n = 0;
  for (int k = 0; k < m; k++) {
    f->run_start[k] = n;
    for (int e = f->u_start[k]; e < f->u_start[k + 1]; e++) {
      const int i = f->u_col[e], width = f->column[i + 1] - f->column[i];
      if (e > f->u_start[k] && f->u_col[e - 1] == i - 1) {
        f->run[2 * n - 1] += width;
        continue;
      }
      f->run[2 * n] = f->column[i];
      f->run[2 * n + 1] = width;
      n++;
    }
  }
  f->run_start[m] = n;
}

/* Multiplications of eliminate, over all rows. */
static double cost_of(const dls_cone_factor *f) {
  double sum = 0;
  for (int k = 0; k < f->sys->n_groups; k++) {
    const double d = f->sys->dim[f->order[k]];
    for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++) {
      const int i = f->l_col[e], di = f->sys->dim[f->order[i]];
      sum += d * (di * di + (double)(f->u_at[i + 1] - f->u_at[i]));
    }
  }
  return sum;
}

dls_status dls_cone_factor_plan(const dls_cone_system *sys, dls_arena *tmp, dls_cone_factor *f) {
  room r = room_for(sys->problem);
  size_t m = (size_t)sys->n_groups, d2 = DLS_CONE_ROWS * DLS_CONE_ROWS;
  *f = (dls_cone_factor){.sys = sys};
  f->order = DLS_TAKE(tmp, int, m);
  f->place = DLS_TAKE(tmp, int, m);
  f->u_start = DLS_TAKE(tmp, int, m + 1);
  f->l_start = DLS_TAKE(tmp, int, m + 1);
  f->u_at = DLS_TAKE(tmp, size_t, m + 1);
  f->l_at = DLS_TAKE(tmp, size_t, m + 1);
  f->u_col = DLS_TAKE(tmp, int, r.blocks);
  f->l_col = DLS_TAKE(tmp, int, r.blocks);
  f->u = DLS_TAKE(tmp, double, r.values);
  f->l = DLS_TAKE(tmp, double, r.values);
  f->inv = DLS_TAKE(tmp, double, m * d2);
  f->work = DLS_TAKE(tmp, double, m * d2);
  f->column = DLS_TAKE(tmp, int, m + 1);
  f->run_start = DLS_TAKE(tmp, int, m + 1);
  f->run = DLS_TAKE(tmp, int, 2 * r.blocks);
  size_t mark = dls_arena_mark(tmp);
  uint64_t *bits = DLS_TAKE(tmp, uint64_t, m * r.words);
  int *degree = DLS_TAKE(tmp, int, m);
  if (!f->run || !f->run_start || !f->column || !f->work || !f->inv || !f->l || !f->u || !f->l_col || !f->u_col ||
      !f->l_at || !f->u_at || !f->l_start || !f->u_start || !f->place || !f->order || !bits ||
      !degree)
    return DLS_FULL;
  if (r.blocks > 0) {
    fill_graph(sys, bits, r.words);
    minimum_degree(sys->n_groups, bits, r.words, degree, f->order);
    for (int k = 0; k < sys->n_groups; k++) f->place[f->order[k]] = k;
    f->ready = plan_rows(f, bits, r.words, r.blocks, r.values);
    f->cost = f->ready ? cost_of(f) : 0;
    if (f->ready) plan_runs(f);
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* c += a b, a (n x k), b (k x m), row-major, rows of a and c ld apart. */
static void add_product(int n, int k, int m, const double *a, size_t lda, const double *b, double *c, size_t ldc) {
  for (int i = 0; i < n; i++, a += lda, c += ldc) {
    if (k == 3 && m == 3) {
      const double x = a[0], y = a[1], z = a[2];
      const double c0 = c[0] + x * b[0] + y * b[3] + z * b[6], c1 = c[1] + x * b[1] + y * b[4] + z * b[7];
      c[2] = c[2] + x * b[2] + y * b[5] + z * b[8];
      c[0] = c0, c[1] = c1;
      continue;
    }
    for (int l = 0; l < k; l++)
      for (int j = 0; j < m; j++) c[j] += a[l] * b[l * m + j];
  }
}

/* y -= a x, a (n x k), rows ld apart. */
static inline void subtract_image(int n, int k, const double *a, size_t ld, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int l = 0; l < k; l++) y[i] -= a[(size_t)i * ld + (size_t)l] * x[l];
}

static bool is_zero(int n, int m, const double *a, size_t ld) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (a[(size_t)i * ld + (size_t)k] != 0) return false;
  return true;
}

static void clear(int n, int m, double *a, size_t ld) {
  for (int i = 0; i < n; i++) memset(a + (size_t)i * ld, 0, (size_t)m * sizeof *a);
}

/* inv <- a^-1 by Gauss-Jordan with row pivots; a is destroyed. Returns true where it was lifted. */
static bool invert(int d, double *a, double floor_at, double *inv) {
  bool lifted = false;
  for (int i = 0; i < d * d; i++) inv[i] = i % (d + 1) == 0;
  for (int k = 0; k < d; k++) {
    int best = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(a[i * d + k]) > fabs(a[best * d + k])) best = i;
    for (int j = 0; best != k && j < d; j++) {
      double x = a[k * d + j], y = inv[k * d + j];
      a[k * d + j] = a[best * d + j], inv[k * d + j] = inv[best * d + j];
      a[best * d + j] = x, inv[best * d + j] = y;
    }
    double pivot = a[k * d + k];
    if (!(fabs(pivot) > floor_at)) {
      pivot = floor_at;
      lifted = true;
    }
    for (int j = 0; j < d; j++) a[k * d + j] /= pivot, inv[k * d + j] /= pivot;
    for (int i = 0; i < d; i++) {
      double x = a[i * d + k];
      if (i == k || x == 0) continue;
      for (int j = 0; j < d; j++)
        a[i * d + j] -= x * a[k * d + j], inv[i * d + j] -= x * inv[k * d + j];
    }
  }
  return lifted;
}

/* Block row of K for the group at place k, into work. */
static void scatter(dls_cone_factor *f, int k, const double *X, const double *Y,
                    const double *E) {
  const dls_cone_system *sys = f->sys;
  const int g = f->order[k], d = sys->dim[g];
  const size_t ld = (size_t)sys->n, diag = sys->diag_at[g];
  for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++)
    clear(d, sys->dim[f->order[f->l_col[e]]], f->work + f->column[f->l_col[e]], ld);
  for (int e = f->run_start[k]; e < f->run_start[k + 1]; e++) clear(d, f->run[2 * e + 1], f->work + f->run[2 * e], ld);
  double a[DLS_CONE_ROWS * DLS_CONE_ROWS], *own = f->work + f->column[k];
  memcpy(a, sys->diag + diag, (size_t)(d * d) * sizeof(double));
  for (int i = 0; i < d; i++) a[i * d + i] += E[sys->groups[g].row + i];
  const double *from = X ? Y + diag : a;
  for (int i = 0; i < d; i++) memcpy(own + (size_t)i * ld, from + i * d, (size_t)d * sizeof *own);
  if (X) add_product(d, d, d, X + diag, (size_t)d, a, own, ld);
  if (X && is_zero(d, d, X + diag, (size_t)d)) return;
  const double *value = sys->value + sys->at[g];
  for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
    const int dj = sys->dim[sys->col[b]];
    double *block = f->work + f->column[f->place[sys->col[b]]];
    if (X) add_product(d, d, dj, X + diag, (size_t)d, value, block, ld);
    for (int i = 0; i < d && !X; i++) memcpy(block + (size_t)i * ld, value + i * dj, (size_t)dj * sizeof *block);
    value += d * dj;
  }
}

/* Row k of L and U from work: for every place i left of it, L_ki = work_i D_i^-1 and
** work_j -= L_ki U_ij. */
static bool eliminate(const dls_lanes *lanes, dls_cone_factor *f, int k) {
  const dls_cone_system *sys = f->sys;
  const int g = f->order[k], d = sys->dim[g];
  const size_t ld = (size_t)sys->n;
  double *l = f->l + f->l_at[k];
  for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++) {
    const int i = f->l_col[e], di = sys->dim[f->order[i]];
    const double *w = f->work + f->column[i];
    memset(l, 0, (size_t)(d * di) * sizeof(double));
    if (!is_zero(d, di, w, ld)) {
      add_product(d, di, di, w, ld, f->inv + sys->diag_at[f->order[i]], l, (size_t)di);
      const double *u = f->u + f->u_at[i];
      const size_t width = (f->u_at[i + 1] - f->u_at[i]) / (size_t)di;
      for (int b = f->run_start[i]; b < f->run_start[i + 1]; b++) {
        lanes->gemm_few(d, f->run[2 * b + 1], di, l, (size_t)di, u, width, f->work + f->run[2 * b], ld);
        u += f->run[2 * b + 1];
      }
    }
    l += d * di;
  }
  double own[DLS_CONE_ROWS * DLS_CONE_ROWS], *u = f->u + f->u_at[k];
  for (int i = 0; i < d; i++) {
    memcpy(own + i * d, f->work + f->column[k] + (size_t)i * ld, (size_t)d * sizeof *own);
    for (int b = f->run_start[k]; b < f->run_start[k + 1]; b++) {
      memcpy(u, f->work + f->run[2 * b] + (size_t)i * ld, (size_t)f->run[2 * b + 1] * sizeof *u);
      u += f->run[2 * b + 1];
    }
  }
  return invert(d, own, f->unit ? PIVOT : PIVOT * sys->norm[g], f->inv + sys->diag_at[g]);
}

int dls_cone_factor_make(dls_cone_factor *f, const double *X, const double *Y, const double *E) {
  const dls_lanes *lanes = dls_lanes_best();
  int lifted = 0;
  f->unit = X != NULL;
  for (int k = 0; k < f->sys->n_groups; k++) {
    scatter(f, k, X, Y, E);
    lifted += eliminate(lanes, f, k);
  }
  return lifted;
}

void dls_cone_factor_solve(const dls_cone_factor *f, double *x) {
  const dls_cone_system *sys = f->sys;
  double *y = f->work; /* x in the order of places */
  for (int k = 0; k < sys->n_groups; k++) { /* L y = x */
    const double *l = f->l + f->l_at[k];
    const int g = f->order[k], d = sys->dim[g];
    double *own = y + f->column[k];
    memcpy(own, x + sys->groups[g].row, (size_t)d * sizeof *own);
    for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++) {
      const int j = f->l_col[e], dj = f->column[j + 1] - f->column[j];
      if (d == 3 && dj == 3) subtract_image(3, 3, l, 3, y + f->column[j], own);
      else subtract_image(d, dj, l, (size_t)dj, y + f->column[j], own);
      l += d * dj;
    }
  }
  for (int k = sys->n_groups - 1; k >= 0; k--) { /* (D + U) x = y */
    const double *u = f->u + f->u_at[k];
    const int g = f->order[k], d = sys->dim[g];
    const size_t width = (f->u_at[k + 1] - f->u_at[k]) / (size_t)d;
    double *own = y + f->column[k], *x_g = x + sys->groups[g].row;
    for (int b = f->run_start[k]; b < f->run_start[k + 1]; b++) {
      const int n = f->run[2 * b + 1];
      if (d == 3) subtract_image(3, n, u, width, y + f->run[2 * b], own);
      else subtract_image(d, n, u, width, y + f->run[2 * b], own);
      u += n;
    }
    memset(x_g, 0, (size_t)d * sizeof *x_g);
    add_product(d, d, 1, f->inv + sys->diag_at[g], (size_t)d, own, x_g, 1);
    memcpy(own, x_g, (size_t)d * sizeof *own);
  }
}
