/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/factor.h"

#include "core/base/fast.h"
#include "core/base/vector.h"
#include "core/math/runs.h"

/* Room for fill: blocks of U for each block of A, never more than a full triangle. */
#define FILL 10
/* Most groups: the ordering keeps n^2 bits. */
#define GROUPS 12000
/* Pivots below this (X scaled to order one) or this part of the group's norm are lifted to it. */
#define PIVOT 1e-30

/* --- room ------------------------------------------------------------------------------------- */

typedef struct room {
  size_t blocks; /* of U                      */
  size_t values; /* numbers of L              */
  size_t padded; /* of U, whose runs are multiples of four columns */
  size_t words;  /* of one row of the bit set */
  size_t own;    /* blocks of A, diagonal ones too */
  size_t full;   /* numbers of these          */
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
  r.padded = r.blocks * d * (d + 3);
  r.own = blocks;
  r.full = blocks * d * (d + 3);
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
    dls_arena_bytes(r.padded, sizeof(double)), dls_arena_bytes(r.values, sizeof(double)),
    dls_arena_bytes(m * d2, sizeof(double)), dls_arena_bytes(m * d2 + 3, sizeof(double)),
    dls_arena_bytes(m + 1, sizeof(int)),    dls_arena_bytes(m + 1, sizeof(int)),
    dls_arena_bytes(2 * r.blocks, sizeof(int)), dls_arena_bytes(m * r.words, sizeof(uint64_t)),
    dls_arena_bytes(m, sizeof(int)),        dls_arena_bytes(m + 1, sizeof(int)),
    dls_arena_bytes(2 * r.blocks, sizeof(int)), dls_arena_bytes(m + 1, sizeof(int)),
    dls_arena_bytes(2 * r.own, sizeof(int)), dls_arena_bytes(m + 1, sizeof(size_t)),
    dls_arena_bytes(r.full, sizeof(double)), dls_arena_bytes(m, sizeof(size_t)),
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
  f->l_at[m] = at;
  return true;
}

/* A place's columns behind those of a row so far, n runs of it: answers how many they are then. */
static int add_columns(const dls_cone_factor *f, int place, int *run, int n) {
  return dls_runs_add(f->column[place], f->column[place + 1] - f->column[place], run, n);
}

/* Columns of a full row, and those of each row of U and of L as runs. */
static void plan_runs(dls_cone_factor *f) {
  const dls_cone_system *sys = f->sys;
  const int m = sys->n_groups;
  f->column[0] = 0;
  for (int k = 0; k < m; k++) f->column[k + 1] = f->column[k] + sys->dim[f->order[k]];
  f->run_start[0] = f->l_run_start[0] = 0;
  f->u_at[0] = 0;
  for (int k = 0; k < m; k++) {
    int *u_run = f->run + 2 * f->run_start[k], *l_run = f->l_run + 2 * f->l_run_start[k], n_u = 0,
        n_l = 0;
    for (int e = f->u_start[k]; e < f->u_start[k + 1]; e++)
      n_u = add_columns(f, f->u_col[e], u_run, n_u);
    for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++)
      n_l = add_columns(f, f->l_col[e], l_run, n_l);
    f->run_start[k + 1] = f->run_start[k] + n_u;
    f->u_at[k + 1] = f->u_at[k] + (size_t)sys->dim[f->order[k]] * dls_runs_width(u_run, n_u);
    f->l_run_start[k + 1] = f->l_run_start[k] + n_l;
  }
}

/* A block of A, d rows, to its columns of a row of `width` numbers. */
static void put_block(int d, int dj, const double *from, double *to, size_t width) {
  for (int i = 0; i < d; i++)
    memcpy(to + (size_t)i * width, from + i * dj, (size_t)dj * sizeof *to);
}

/* The e-th place of row k of L, the diagonal and U. */
static int place_in_row(const dls_cone_factor *f, int k, int e) {
  const int n_l = f->l_start[k + 1] - f->l_start[k];
  return e < n_l    ? f->l_col[f->l_start[k] + e]
         : e == n_l ? k
                    : f->u_col[f->u_start[k] + e - n_l - 1];
}

/* Rows of A by place, their columns as runs. where: m numbers; in them where a block of the row is,
** by place, 0: nowhere. */
static void plan_values(dls_cone_factor *f, size_t *where) {
  const dls_cone_system *sys = f->sys;
  memset(where, 0, (size_t)sys->n_groups * sizeof *where);
  f->a_run_start[0] = 0;
  f->a_at[0] = 0;
  for (int k = 0; k < sys->n_groups; k++) {
    const int g = f->order[k], d = sys->dim[g], n_l = f->l_start[k + 1] - f->l_start[k];
    const int n = n_l + 1 + f->u_start[k + 1] - f->u_start[k];
    int *run = f->a_run + 2 * f->a_run_start[k], n_runs = 0;
    where[k] = 1;
    for (int b = sys->start[g], at = 2; b < sys->start[g + 1]; at += d * sys->dim[sys->col[b]], b++)
      where[f->place[sys->col[b]]] = (size_t)at;
    for (int e = 0; e < n; e++) {
      const int j = place_in_row(f, k, e);
      if (where[j] != 0) n_runs = add_columns(f, j, run, n_runs);
    }
    const size_t width = dls_runs_width(run, n_runs);
    double *to = f->a + f->a_at[k];
    memset(to, 0, (size_t)d * width * sizeof *to);
    for (int e = 0, b = 0; e < n; e++) {
      const int j = place_in_row(f, k, e), dj = f->column[j + 1] - f->column[j];
      if (where[j] == 0) continue;
      for (; f->column[j] >= run[2 * b] + run[2 * b + 1]; b++)
        to += dls_lanes_fours(run[2 * b + 1]);
      const double *from =
          j == k ? sys->diag + sys->diag_at[g] : sys->value + sys->at[g] + where[j] - 2;
      put_block(d, dj, from, to + f->column[j] - run[2 * b], width);
      where[j] = 0;
    }
    f->a_run_start[k + 1] = f->a_run_start[k] + n_runs;
    f->a_at[k + 1] = f->a_at[k] + (size_t)d * width;
  }
}

/* Multiplications of eliminate, over all rows. */
static double cost_of(const dls_cone_factor *f) {
  double sum = 0;
  for (int k = 0; k < f->sys->n_groups; k++) {
    const double d = f->sys->dim[f->order[k]];
    for (int e = f->l_start[k]; e < f->l_start[k + 1]; e++) {
      const int i = f->l_col[e], di = f->sys->dim[f->order[i]];
      int columns = 0;
      for (int b = f->run_start[i]; b < f->run_start[i + 1]; b++) columns += f->run[2 * b + 1];
      sum += d * di * (double)(di + columns);
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
  f->u = DLS_TAKE(tmp, double, r.padded);
  f->l = DLS_TAKE(tmp, double, r.values);
  f->inv = DLS_TAKE(tmp, double, m * d2);
  f->work = DLS_TAKE(tmp, double, m * d2 + 3);
  f->column = DLS_TAKE(tmp, int, m + 1);
  f->run_start = DLS_TAKE(tmp, int, m + 1);
  f->run = DLS_TAKE(tmp, int, 2 * r.blocks);
  f->l_run_start = DLS_TAKE(tmp, int, m + 1);
  f->l_run = DLS_TAKE(tmp, int, 2 * r.blocks);
  f->a_run_start = DLS_TAKE(tmp, int, m + 1);
  f->a_run = DLS_TAKE(tmp, int, 2 * r.own);
  f->a_at = DLS_TAKE(tmp, size_t, m + 1);
  f->a = DLS_TAKE(tmp, double, r.full);
  size_t mark = dls_arena_mark(tmp);
  uint64_t *bits = DLS_TAKE(tmp, uint64_t, m * r.words);
  int *degree = DLS_TAKE(tmp, int, m);
  size_t *where = DLS_TAKE(tmp, size_t, m);
  if (!f->a || !f->a_at || !f->a_run || !f->a_run_start || !f->l_run || !f->l_run_start || !where ||
      !f->run || !f->run_start || !f->column || !f->work || !f->inv || !f->l || !f->u ||
      !f->l_col || !f->u_col || !f->l_at || !f->u_at || !f->l_start || !f->u_start || !f->place ||
      !f->order || !bits || !degree)
    return DLS_FULL;
  if (r.blocks > 0) {
    fill_graph(sys, bits, r.words);
    minimum_degree(sys->n_groups, bits, r.words, degree, f->order);
    for (int k = 0; k < sys->n_groups; k++) f->place[f->order[k]] = k;
    f->ready = plan_rows(f, bits, r.words, r.blocks, r.values);
    if (f->ready) {
      plan_runs(f);
      plan_values(f, where);
      f->cost = cost_of(f);
    }
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

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
DLS_INLINE bool invert_by(int d, double *a, double floor_at, double *inv) {
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

static bool invert(int d, double *a, double floor_at, double *inv) {
  return d == 3   ? invert_by(3, a, floor_at, inv)
         : d == 1 ? invert_by(1, a, floor_at, inv)
                  : invert_by(d, a, floor_at, inv);
}

/* The columns of n runs of d rows of work, ld apart, one after the other, rows width apart. */
static void take_runs(int d, const int *run, int n, const double *work, size_t ld, double *out,
                      size_t width) {
  for (int b = 0; b < n; out += run[2 * b + 1], b++)
    for (int i = 0; i < d; i++)
      memcpy(out + (size_t)i * width, work + (size_t)i * ld + run[2 * b],
             (size_t)run[2 * b + 1] * sizeof *out);
}

/* Block row of K for the group at place k, into work. Whether it has more than its diagonal
** block. */
static bool scatter(dls_cone_factor *f, const dls_lanes *lanes, int k, const double *X,
                    const double *Y, const double *E) {
  const dls_cone_system *sys = f->sys;
  const int g = f->order[k], d = sys->dim[g], n_runs = f->a_run_start[k + 1] - f->a_run_start[k];
  const int *run = f->a_run + 2 * f->a_run_start[k];
  const size_t ld = (size_t)sys->n, diag = sys->diag_at[g],
               width = (f->a_at[k + 1] - f->a_at[k]) / (size_t)d;
  const double *a = f->a + f->a_at[k], *E_g = E + sys->groups[g].row;
  double *own = f->work + f->column[k], less[DLS_CONE_ROWS * DLS_CONE_ROWS];
  if (X && is_zero(d, d, X + diag, (size_t)d)) {
    put_block(d, d, Y + diag, own, ld);
    return false;
  }
  dls_runs_clear(d, f->l_run + 2 * f->l_run_start[k], f->l_run_start[k + 1] - f->l_run_start[k],
                 f->work, ld);
  clear(d, d, own, ld);
  dls_runs_clear(d, f->run + 2 * f->run_start[k], f->run_start[k + 1] - f->run_start[k], f->work,
                 ld);
  for (int i = 0; X && i < d * d; i++) less[i] = -X[diag + (size_t)i];
  if (X) lanes->gemm_runs(d, d, less, (size_t)d, a, width, run, n_runs, f->work, ld);
  for (int b = 0; !X && b < n_runs; a += dls_lanes_fours(run[2 * b + 1]), b++)
    for (int i = 0; i < d; i++)
      memcpy(f->work + (size_t)i * ld + run[2 * b], a + (size_t)i * width,
             (size_t)run[2 * b + 1] * sizeof *a);
  for (int i = 0; i < d; i++) {
    for (int j = 0; X && j < d; j++) {
      const size_t at = diag + (size_t)(i * d + j);
      own[(size_t)i * ld + (size_t)j] += X[at] * E_g[j] + Y[at];
    }
    if (!X) own[(size_t)i * ld + (size_t)i] += E_g[i];
  }
  return true;
}

/* Row k of L and U from work: for every place i left of it L_ki = work_i and work_j -= L_ki U_ij;
** then U_k = D_k^-1 work. */
static bool eliminate(dls_cone_factor *f, const dls_lanes *lanes, int k, bool coupled) {
  const dls_cone_system *sys = f->sys;
  const int g = f->order[k], d = sys->dim[g];
  const size_t ld = (size_t)sys->n;
  double own[DLS_CONE_ROWS * DLS_CONE_ROWS], less[DLS_CONE_ROWS * DLS_CONE_ROWS],
      *inv = f->inv + sys->diag_at[g];
  double *l = f->l + f->l_at[k], *u = f->u + f->u_at[k];
  for (int e = f->l_start[k]; coupled && e < f->l_start[k + 1]; e++) {
    const int i = f->l_col[e], di = f->column[i + 1] - f->column[i];
    const double *w = f->work + f->column[i];
    const size_t width = (f->u_at[i + 1] - f->u_at[i]) / (size_t)di;
    if (is_zero(d, di, w, ld)) continue;
    lanes->gemm_runs(d, di, w, ld, f->u + f->u_at[i], width, f->run + 2 * f->run_start[i],
                     f->run_start[i + 1] - f->run_start[i], f->work, ld);
  }
  for (int i = 0; i < d; i++)
    memcpy(own + i * d, f->work + f->column[k] + (size_t)i * ld, (size_t)d * sizeof *own);
  const bool lifted = invert(d, own, f->unit ? PIVOT : PIVOT * sys->norm[g], inv);
  memset(u, 0, (f->u_at[k + 1] - f->u_at[k]) * sizeof *u);
  if (!coupled) {
    memset(l, 0, (f->l_at[k + 1] - f->l_at[k]) * sizeof *l);
    return lifted;
  }
  const size_t u_width = (f->u_at[k + 1] - f->u_at[k]) / (size_t)d,
               l_width = (f->l_at[k + 1] - f->l_at[k]) / (size_t)d;
  take_runs(d, f->l_run + 2 * f->l_run_start[k], f->l_run_start[k + 1] - f->l_run_start[k], f->work,
            ld, l, l_width);
  for (int i = 0; i < d * d; i++) less[i] = -inv[i];
  for (int b = f->run_start[k]; b < f->run_start[k + 1]; b++) {
    const int n = f->run[2 * b + 1], all = dls_lanes_fours(n), own_run[2] = {0, n};
    lanes->gemm_runs(d, d, less, (size_t)d, f->work + f->run[2 * b], ld, own_run, 1, u, u_width);
    for (int i = 0; i < d; i++)
      for (int j = n; j < all; j++) u[(size_t)i * u_width + (size_t)j] = 0;
    u += all;
  }
  return lifted;
}

int dls_cone_factor_make(dls_cone_factor *f, const double *X, const double *Y, const double *E) {
  int lifted = 0;
  const dls_lanes *lanes = dls_lanes_best();
  f->unit = X != NULL;
  for (int k = 0; k < f->sys->n_groups; k++) {
    const bool coupled = scatter(f, lanes, k, X, Y, E);
    lifted += eliminate(f, lanes, k, coupled);
  }
  return lifted;
}

/* y -= a x over the n columns of d rows, ld apart. */
static void subtract_image(const dls_lanes *lanes, int d, int n, const double *a, size_t ld,
                           const double *x, double *y) {
  enum { WIDE = 8 }; /* a sum in lanes costs as much as that many products one by one */
  for (int i = 0; i < d; i++, a += ld) {
    if (n >= WIDE) y[i] -= lanes->dot(n, a, x);
    else
      for (int l = 0; l < n; l++) y[i] -= a[l] * x[l];
  }
}

void dls_cone_factor_solve(const dls_cone_factor *f, double *x) {
  const dls_cone_system *sys = f->sys;
  const dls_lanes *lanes = dls_lanes_best();
  double *y = f->work, rest[DLS_CONE_ROWS]; /* x in the order of places */
  for (int k = 0; k < sys->n_groups; k++) { /* y_k = D_k^-1 (x_k - L_ki y_i) */
    const double *l = f->l + f->l_at[k], *inv = f->inv + sys->diag_at[f->order[k]];
    const int g = f->order[k], d = sys->dim[g];
    const size_t width = (f->l_at[k + 1] - f->l_at[k]) / (size_t)d;
    double *own = y + f->column[k];
    memcpy(rest, x + sys->groups[g].row, (size_t)d * sizeof *rest);
    for (int b = f->l_run_start[k]; b < f->l_run_start[k + 1]; l += f->l_run[2 * b + 1], b++)
      subtract_image(lanes, d, f->l_run[2 * b + 1], l, width, y + f->l_run[2 * b], rest);
    for (int i = 0; i < d; i++) {
      own[i] = 0;
      for (int j = 0; j < d; j++) own[i] += inv[i * d + j] * rest[j];
    }
  }
  for (int k = sys->n_groups - 1; k >= 0; k--) { /* x_k = y_k - U_kj x_j */
    const double *u = f->u + f->u_at[k];
    const int g = f->order[k], d = sys->dim[g];
    const size_t width = (f->u_at[k + 1] - f->u_at[k]) / (size_t)d;
    double *own = y + f->column[k];
    for (int b = f->run_start[k]; b < f->run_start[k + 1];
         u += dls_lanes_fours(f->run[2 * b + 1]), b++)
      subtract_image(lanes, d, f->run[2 * b + 1], u, width, y + f->run[2 * b], own);
    memcpy(x + sys->groups[g].row, own, (size_t)d * sizeof *own);
  }
}
