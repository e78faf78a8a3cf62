/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/system.h"

#include "core/math/elementary.h"
#include "core/math/lanes.h"

/* --- blocks of a block row, ascending, without memory ----------------------------------------- */

typedef struct cursor {
  int k[DLS_CONE_ROWS]; /* next entry of each row (sparse)              */
  int j;                /* next group (dense), or likely so (sparse)    */
  bool alike;           /* all rows have entries at the same columns    */
} cursor;

static int dim_of(const dls_cone_problem *pr, int g) {
  return dls_cone_laws[pr->groups[g].kind].n_rows;
}

static int group_of(const dls_cone_problem *pr, int row) {
  int a = 0, b = pr->n_groups - 1;
  /* right where all groups are alike */
  const int guess = (int)((long long)row * pr->n_groups / pr->n_rows);
  if (pr->groups[guess].row <= row && row < pr->groups[guess].row + dim_of(pr, guess)) return guess;
  while (a < b) {
    int m = a + (b - a + 1) / 2;
    if (pr->groups[m].row <= row) a = m;
    else b = m - 1;
  }
  return a;
}

static cursor cursor_begin(const dls_cone_problem *pr, int g) {
  cursor c = {.alike = pr->S != NULL};
  if (!pr->S) return c;
  const int *start = pr->S->start + pr->groups[g].row, n = start[1] - start[0];
  for (int r = 0; r < dim_of(pr, g); r++) {
    c.k[r] = start[r];
    c.alike = c.alike && start[r + 1] - start[r] == n &&
              (r == 0 || memcmp(pr->S->col + start[r], pr->S->col + start[0],
                                (size_t)n * sizeof *pr->S->col) == 0);
  }
  return c;
}

/* The whole block that begins at the next entries of rows that are alike; false: it is not
** whole. */
static bool take_whole(const dls_cone_problem *pr, int di, int dj, int end, cursor *c,
                       double *out) {
  const int *cols = pr->S->col + c->k[0];
  if (!c->alike || c->k[0] + dj > end || cols[dj - 1] - cols[0] != dj - 1) return false;
  for (int r = 0; r < di; c->k[r++] += dj)
    for (int i = 0; out && i < dj; i++) out[r * dj + i] = pr->S->value[c->k[r] + i];
  return true;
}

static bool dense_block_is_zero(const dls_cone_problem *pr, int g, int j) {
  int dj = dim_of(pr, j);
  for (int r = 0; r < dim_of(pr, g); r++) {
    const double *w =
        pr->W + (size_t)(pr->groups[g].row + r) * (size_t)pr->n_rows + pr->groups[j].row;
    for (int k = 0; k < dj; k++)
      if (w[k] != 0) return false;
  }
  return true;
}

static double length_of(const dls_cone_problem *pr, int i) {
  return pr->length ? pr->length[i] : 1;
}

static void clear(int n, double *x) {
  if (n == 4) x[0] = x[1] = x[2] = x[3] = 0;
  else
    for (int k = 0; k < n; k++) x[k] = 0;
}

/* The next group with a block in block row g, -1 at the end; its block (rows dj numbers long) goes
** to out unless that is NULL. */
static int cursor_next(const dls_cone_problem *pr, int g, cursor *c, double *out) {
  const int di = dim_of(pr, g), row = pr->groups[g].row;
  if (!pr->S) {
    while (c->j < pr->n_groups && dense_block_is_zero(pr, g, c->j)) c->j++;
    if (c->j >= pr->n_groups) return -1;
    const int col = pr->groups[c->j].row, dj = dim_of(pr, c->j);
    for (int r = 0; out && r < di; r++)
      for (int k = 0; k < dj; k++)
        out[r * dj + k] = pr->W[(size_t)(row + r) * (size_t)pr->n_rows + (size_t)(col + k)];
    return c->j++;
  }
  const int *start = pr->S->start + row, *cols = pr->S->col;
  int first = pr->n_rows;
  for (int r = 0; r < (c->alike ? 1 : di); r++)
    if (c->k[r] < start[r + 1] && cols[c->k[r]] < first) first = cols[c->k[r]];
  if (first >= pr->n_rows) return -1;
  const bool next = c->j < pr->n_groups && pr->groups[c->j].row == first;
  const int j = next ? c->j : group_of(pr, first), col = pr->groups[j].row, dj = dim_of(pr, j);
  c->j = j + 1;
  if (col == first && take_whole(pr, di, dj, start[1], c, out)) return j;
  if (out) clear(di * dj, out);
  for (int r = 0; r < di; r++) {
    int k = c->k[r];
    for (; k < start[r + 1] && cols[k] < col + dj; k++)
      if (out) out[r * dj + cols[k] - col] = pr->S->value[k];
    c->k[r] = k;
  }
  return j;
}

/* Block (g, j) of W becomes that of A. */
static void finish_block(const dls_cone_problem *pr, int g, int j, double *out) {
  const int di = dim_of(pr, g), dj = dim_of(pr, j), row = pr->groups[g].row,
            col = pr->groups[j].row;
  for (int r = 0; g == j && pr->compliance && r < di; r++)
    out[r * dj + r] += pr->compliance[row + r];
  for (int r = 0; pr->length && r < di; r++)
    for (int k = 0; k < dj; k++) out[r * dj + k] *= pr->length[row + r] * pr->length[col + k];
}

/* --- build ------------------------------------------------------------------------------------ */

dls_cone_size dls_cone_measure(const dls_cone_problem *pr) {
  dls_cone_size size = {0, 0, 0};
  for (int g = 0; g < pr->n_groups; g++) {
    cursor c = cursor_begin(pr, g);
    int d = dim_of(pr, g);
    size.diag += (size_t)(d * d);
    for (int j; (j = cursor_next(pr, g, &c, NULL)) >= 0;)
      if (j != g) size.blocks += 1, size.values += (size_t)(d * dim_of(pr, j));
  }
  return size;
}

static dls_cone_size size_of(const dls_cone_problem *pr) {
  return pr->size ? *pr->size : dls_cone_measure(pr);
}

size_t dls_cone_system_blocks(const dls_cone_problem *pr) { return size_of(pr).blocks; }

size_t dls_cone_system_bytes(const dls_cone_problem *pr) {
  const dls_cone_size size = size_of(pr);
  size_t m = (size_t)pr->n_groups, sum = 0;
  size_t take[] = {
      dls_arena_bytes(m, sizeof(int)),
      dls_arena_bytes(m, sizeof(dls_cone_shape)),
      dls_arena_bytes(m, sizeof(double)),
      dls_arena_bytes(m, sizeof(double)),
      dls_arena_bytes(m + 1, sizeof(int)),
      dls_arena_bytes(size.blocks, sizeof(int)),
      dls_arena_bytes(m + 1, sizeof(size_t)),
      dls_arena_bytes(size.values, sizeof(double)),
      dls_arena_bytes(m, sizeof(size_t)),
      dls_arena_bytes(size.diag, sizeof(double)),
      dls_arena_bytes((size_t)pr->n_rows, sizeof(double)),
      dls_arena_bytes(m, sizeof(double)),
      dls_arena_bytes(m + 1, sizeof(int)),
      dls_arena_bytes(2 * (size.blocks + m), sizeof(int)),
      dls_arena_bytes(m + 1, sizeof(size_t)),
      dls_arena_bytes(2 * (size.values + size.diag), sizeof(double)),
      dls_arena_bytes((size_t)pr->n_rows, sizeof(double)),
  };
  for (size_t k = 0; k < sizeof take / sizeof *take; k++) sum = dls_bytes_add(sum, take[k]);
  return sum;
}

static void build_law(const dls_cone_problem *pr, int g, dls_cone_system *sys) {
  const dls_cone_group *group = &pr->groups[g];
  const dls_cone_law *law = &dls_cone_laws[group->kind];
  double l = length_of(pr, group->row);
  sys->dim[g] = law->n_rows;
  sys->lo[g] = group->kind == DLS_CONE_BOX ? group->lo / l
               : group->kind == DLS_CONE_BILATERAL ? -DLS_INF : 0;
  sys->hi[g] = group->kind == DLS_CONE_BOX ? group->hi / l : DLS_INF;
  sys->shape[g] = (dls_cone_shape){.n_parts = law->n_parts};
  for (int k = 0, row = group->row + 1; k < law->n_parts; row += law->rows[k], k++) {
    sys->shape[g].rows[k] = law->rows[k];
    sys->shape[g].mu[k] = group->mu[k] * l / length_of(pr, row);
  }
}

static double norm_of(const double *a, int d) {
  double largest = 0, sum = 0;
  for (int k = 0; k < d * d; k++) largest = dls_max(largest, fabs(a[k]));
  if (!(largest > 0)) return 1;
  for (int k = 0; k < d * d; k++) sum += (a[k] / largest) * (a[k] / largest);
  return largest * sqrt(sum);
}

static void build_row(const dls_cone_problem *pr, int g, dls_cone_system *sys) {
  int d = sys->dim[g], b = sys->start[g];
  size_t at = sys->at[g];
  double *diag = sys->diag + sys->diag_at[g], block[DLS_CONE_ROWS * DLS_CONE_ROWS];
  for (int k = 0; k < d * d; k++) diag[k] = 0;
  for (int k = 0, i = pr->groups[g].row; pr->compliance && k < d; k++, i++)
    diag[k * d + k] = pr->compliance[i] * length_of(pr, i) * length_of(pr, i);
  cursor c = cursor_begin(pr, g);
  for (int j; (j = cursor_next(pr, g, &c, block)) >= 0;) {
    const int size = d * sys->dim[j];
    finish_block(pr, g, j, block);
    double *to = j == g ? diag : sys->value + at;
    for (int k = 0; k < size; k++) to[k] = block[k];
    if (j == g) continue;
    sys->col[b++] = j;
    at += (size_t)(d * sys->dim[j]);
  }
  sys->start[g + 1] = b;
  sys->at[g + 1] = at;
  sys->norm[g] = 0; /* the largest entry, until the units are known */
  for (int k = 0; k < d * d; k++) sys->norm[g] = dls_max(sys->norm[g], fabs(diag[k]));
}

/* Divides everything by the units. */
static void scale_down(dls_cone_system *sys) {
  double most_c = 0, most_a = 0;
  int n_groups = sys->n_groups;
  for (int i = 0; i < sys->n; i++) most_c = dls_max(most_c, fabs(sys->c[i]));
  for (int g = 0; g < n_groups; g++)
    if (sys->norm[g] > most_a) most_a = sys->norm[g];
  sys->unit_v = dls_unit_below(most_c);
  sys->unit_a = dls_unit_below(most_a);
  for (int i = 0; i < sys->n; i++) sys->c[i] /= sys->unit_v;
  for (size_t k = 0; k < sys->at[n_groups]; k++) sys->value[k] /= sys->unit_a;
  for (int g = 0; g < n_groups; g++) {
    for (int k = 0; k < sys->dim[g] * sys->dim[g]; k++)
      sys->diag[sys->diag_at[g] + (size_t)k] /= sys->unit_a;
    sys->norm[g] = norm_of(sys->diag + sys->diag_at[g], sys->dim[g]);
    sys->lo[g] = sys->lo[g] / sys->unit_v * sys->unit_a;
    sys->hi[g] = sys->hi[g] / sys->unit_v * sys->unit_a;
  }
  sys->scale = sys->scale > 0 ? sys->scale / sys->unit_v : 1 / sys->unit_v;
}

/* The block row of group g as whole rows, blocks and diagonal by ascending column; with zeros
** between them where what they span is at most twice as wide as they are. */
static void join_row(dls_cone_system *sys, int g) {
  const int d = sys->dim[g], begin = sys->start[g], end = sys->start[g + 1],
            row = sys->groups[g].row;
  int first = row, last = row + d, *run = sys->run + 2 * sys->run_start[g], n = 0, width = d;
  for (int b = begin; b < end; b++) {
    const int col = sys->groups[sys->col[b]].row, dj = sys->dim[sys->col[b]];
    if (col < first) first = col;
    if (col + dj > last) last = col + dj;
    width += dj;
  }
  const bool whole = last - first <= 2 * width;
  if (whole) width = last - first;
  const double *from = sys->value + sys->at[g];
  double *to = sys->rows + sys->row_at[g];
  memset(to, 0, (size_t)d * (size_t)width * sizeof *to);
  bool own = false;
  for (int b = begin, at = 0; b < end || !own;) {
    const bool now = !own && (b == end || sys->col[b] > g);
    const int j = now ? g : sys->col[b], dj = sys->dim[j], col = sys->groups[j].row;
    const double *block = now ? sys->diag + sys->diag_at[g] : from;
    if (whole) at = col - first;
    for (int i = 0; i < d; i++)
      memcpy(to + (size_t)i * (size_t)width + at, block + i * dj, (size_t)dj * sizeof *to);
    if (!whole && n > 0 && run[2 * n - 2] + run[2 * n - 1] == col) run[2 * n - 1] += dj;
    else if (!whole) run[2 * n] = col, run[2 * n + 1] = dj, n++;
    at += dj;
    own = own || now;
    if (!now) from += d * dj, b++;
  }
  if (whole) run[0] = first, run[1] = width, n = 1;
  sys->run_start[g + 1] = sys->run_start[g] + n;
  sys->row_at[g + 1] = sys->row_at[g] + (size_t)d * (size_t)width;
}

static void join_rows(dls_cone_system *sys) {
  sys->run_start[0] = 0;
  sys->row_at[0] = 0;
  for (int g = 0; g < sys->n_groups; g++) join_row(sys, g);
}

dls_status dls_cone_system_build(const dls_cone_problem *pr, dls_arena *tmp,
                                 dls_cone_system *sys, dls_fault *fault) {
  dls_status status = dls_cone_check(pr, fault);
  if (status != DLS_OK) return status;
  const dls_cone_size size = size_of(pr);
  size_t m = (size_t)pr->n_groups;
  *sys = (dls_cone_system){.problem = pr, .n = pr->n_rows, .n_groups = pr->n_groups,
                           .groups = pr->groups, .scale = pr->scale};
  sys->dim = DLS_TAKE(tmp, int, m);
  sys->shape = DLS_TAKE(tmp, dls_cone_shape, m);
  sys->lo = DLS_TAKE(tmp, double, m);
  sys->hi = DLS_TAKE(tmp, double, m);
  sys->start = DLS_TAKE(tmp, int, m + 1);
  sys->col = DLS_TAKE(tmp, int, size.blocks);
  sys->at = DLS_TAKE(tmp, size_t, m + 1);
  sys->value = DLS_TAKE(tmp, double, size.values);
  sys->diag_at = DLS_TAKE(tmp, size_t, m);
  sys->diag = DLS_TAKE(tmp, double, size.diag);
  sys->c = DLS_TAKE(tmp, double, pr->n_rows);
  sys->norm = DLS_TAKE(tmp, double, m);
  sys->run_start = DLS_TAKE(tmp, int, m + 1);
  sys->run = DLS_TAKE(tmp, int, 2 * (size.blocks + m));
  sys->row_at = DLS_TAKE(tmp, size_t, m + 1);
  sys->rows = DLS_TAKE(tmp, double, 2 * (size.values + size.diag));
  sys->gathered = DLS_TAKE(tmp, double, pr->n_rows);
  if (!sys->gathered || !sys->rows || !sys->row_at || !sys->run || !sys->run_start || !sys->norm ||
      !sys->c || !sys->diag || !sys->diag_at || !sys->value || !sys->at || !sys->col ||
      !sys->start || !sys->hi || !sys->lo || !sys->shape || !sys->dim)
    return DLS_FULL;
  size_t at = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    build_law(pr, g, sys);
    sys->diag_at[g] = at;
    at += (size_t)(sys->dim[g] * sys->dim[g]);
  }
  sys->start[0] = 0;
  sys->at[0] = 0;
  for (int g = 0; g < sys->n_groups; g++) build_row(pr, g, sys);
  for (int i = 0; i < sys->n; i++) {
    sys->c[i] = (pr->b[i] + (pr->shift ? pr->shift[i] : 0)) * length_of(pr, i);
    sys->scale = dls_max(sys->scale, fabs(pr->b[i]) * length_of(pr, i));
  }
  scale_down(sys);
  join_rows(sys);
  return DLS_OK;
}

/* --- products --------------------------------------------------------------------------------- */

static void off_3(const dls_cone_system *sys, int g, const double *z, double *out) {
  const double *a = sys->value + sys->at[g];
  double s0 = out[0], s1 = out[1], s2 = out[2];
  for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
    int j = sys->col[b];
    const double *x = z + sys->groups[j].row;
    if (sys->dim[j] == 3) {
      s0 += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
      s1 += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
      s2 += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
      a += 9;
      continue;
    }
    int d = sys->dim[j];
    for (int k = 0; k < d; k++) {
      s0 += a[k] * x[k];
      s1 += a[d + k] * x[k];
      s2 += a[2 * d + k] * x[k];
    }
    a += 3 * d;
  }
  out[0] = s0, out[1] = s1, out[2] = s2;
}

static void off_2(const dls_cone_system *sys, int g, const double *z, double *out) {
  const double *a = sys->value + sys->at[g];
  double s0 = out[0], s1 = out[1];
  for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
    int j = sys->col[b];
    const double *x = z + sys->groups[j].row;
    if (sys->dim[j] == 2) {
      s0 += a[0] * x[0] + a[1] * x[1];
      s1 += a[2] * x[0] + a[3] * x[1];
      a += 4;
      continue;
    }
    int d = sys->dim[j];
    for (int k = 0; k < d; k++) {
      s0 += a[k] * x[k];
      s1 += a[d + k] * x[k];
    }
    a += 2 * d;
  }
  out[0] = s0, out[1] = s1;
}

static void off_any(const dls_cone_system *sys, int g, const double *z, double *out) {
  const double *a = sys->value + sys->at[g];
  for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
    int j = sys->col[b], d = sys->dim[j];
    const double *x = z + sys->groups[j].row;
    for (int r = 0; r < sys->dim[g]; r++, a += d)
      for (int k = 0; k < d; k++) out[r] += a[k] * x[k];
  }
}

static void off(const dls_cone_system *sys, int g, const double *z, double *out) {
  if (sys->dim[g] == 3) off_3(sys, g, z, out);
  else if (sys->dim[g] == 2) off_2(sys, g, z, out);
  else off_any(sys, g, z, out);
}

void dls_cone_system_off(const dls_cone_system *sys, int g, const double *z, double *out) {
  const double *c = sys->c + sys->groups[g].row;
  for (int k = 0; k < sys->dim[g]; k++) out[k] = c[k];
  off(sys, g, z, out);
}

/* The numbers of z at a row's columns, one after the other. */
static const double *gather(const dls_cone_system *sys, int g, const double *z) {
  const int *run = sys->run + 2 * sys->run_start[g], n = sys->run_start[g + 1] - sys->run_start[g];
  if (n == 1) return z + run[0];
  double *x = sys->gathered;
  for (int b = 0; b < n; x += run[2 * b + 1], b++)
    for (int k = 0; k < run[2 * b + 1]; k++) x[k] = z[run[2 * b] + k];
  return sys->gathered;
}

void dls_cone_system_image(const dls_cone_system *sys, const double *z, bool constant, double *u) {
  const dls_lanes *lanes = dls_lanes_best();
  for (int g = 0; g < sys->n_groups; g++) {
    const int row = sys->groups[g].row, d = sys->dim[g];
    const int width = (int)((sys->row_at[g + 1] - sys->row_at[g]) / (size_t)d);
    const double *a = sys->rows + sys->row_at[g], *x = gather(sys, g, z);
    lanes->gemv(d, width, a, (size_t)width, x, u + row);
    for (int r = 0; constant && r < d; r++) u[row + r] += sys->c[row + r];
  }
}

/* --- law of one group ------------------------------------------------------------------------- */

void dls_cone_system_admit(const dls_cone_system *sys, int g, double *z) {
  if (sys->shape[g].n_parts == 0) z[0] = dls_clamp(z[0], sys->lo[g], sys->hi[g]);
  else dls_cone_project(&sys->shape[g], z);
}

double dls_cone_system_residual(const dls_cone_system *sys, const double *z, const double *u) {
  double most = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    const dls_cone_shape *shape = &sys->shape[g];
    int row = sys->groups[g].row, d = sys->dim[g];
    double x[DLS_CONE_ROWS], rho = 1 / sys->norm[g], more = 0, sum = 0;
    for (int k = 0, at = row + 1; k < shape->n_parts; at += shape->rows[k], k++)
      more += shape->mu[k] * (shape->rows[k] == 1 ? fabs(u[at])
                                                  : sqrt(u[at] * u[at] + u[at + 1] * u[at + 1]));
    for (int k = 0; k < d; k++) x[k] = z[row + k] - rho * (u[row + k] + (k ? 0 : more));
    dls_cone_system_admit(sys, g, x);
    for (int k = 0; k < d; k++) {
      double e = (z[row + k] - x[k]) * sys->norm[g];
      sum += e * e;
    }
    most = sum > most * most || sum != sum ? sqrt(sum) : most;
    if (!dls_is_finite(most)) return DLS_INF;
  }
  return most / sys->scale;
}

void dls_cone_system_start(const dls_cone_system *sys, const double *p, double *z) {
  for (int i = 0; i < sys->n; i++)
    z[i] = p ? p[i] / length_of(sys->problem, i) / sys->unit_v * sys->unit_a : 0;
  for (int g = 0; p && g < sys->n_groups; g++)
    dls_cone_system_admit(sys, g, z + sys->groups[g].row);
}

void dls_cone_system_finish(const dls_cone_system *sys, const double *z, double *p) {
  for (int i = 0; i < sys->n; i++)
    p[i] = z[i] * length_of(sys->problem, i) / sys->unit_a * sys->unit_v;
}
