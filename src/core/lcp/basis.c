/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/basis.h"

#include "core/lcp/basic.h"
#include "core/math/lanes.h"

#define COLUMN_TOLERANCE 1e-11 /* an entry below this times the largest counts as zero      */
#define TIE_TOLERANCE 1e-12    /* ratios nearer than this, relative, are equal              */
#define LEX_TOLERANCE 1e-10    /* the same for the entries of the rows compared             */
#define CHECK_TOLERANCE 1e-9   /* error of a column in R beyond which the inverse is remade */
#define MAX_SINCE 200          /* pivots after which it is remade in any case               */
#define EPSILON 2.2e-16

static double *column_of(const dls_basis *b, int c) {
  return b->columns + (size_t)c * (size_t)b->n;
}

static double *inverse_row(const dls_basis *b, int c) {
  return b->inverse + (size_t)c * (size_t)b->ld;
}

/* Slot of the variable in place c of C. */
static int slot_of(const dls_basis *b, int c) { return b->slot[b->n + b->cols[c]]; }

size_t dls_basis_bytes(int n) {
  const size_t m = (size_t)n + 1, ld = dls_lanes_ld(n + 1);
  size_t bytes = dls_arena_bytes(dls_bytes(m, m), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(m, ld), sizeof(double)));
  for (int i = 0; i < 18; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(m, sizeof(double)));
  return dls_bytes_add(bytes, 16 * DLS_ALIGN);
}

dls_status dls_basis_begin(dls_basis *b, int n, const double *M, const double *d, const double *q,
                           dls_arena *tmp) {
  const size_t m = (size_t)n, m1 = m + 1;
  memset(b, 0, sizeof *b);
  b->n = n;
  b->ld = (int)dls_lanes_ld(n + 1);
  b->columns = DLS_TAKE(tmp, double, m * m1);
  b->inverse = DLS_TAKE(tmp, double, m1 * (size_t)b->ld);
  b->q = DLS_TAKE(tmp, double, m);
  b->q_true = DLS_TAKE(tmp, double, m);
  b->x = DLS_TAKE(tmp, double, m);
  b->x_true = DLS_TAKE(tmp, double, m);
  b->u = DLS_TAKE(tmp, double, m);
  b->noise = DLS_TAKE(tmp, double, m);
  b->tilt = DLS_TAKE(tmp, double, m);
  b->work = DLS_TAKE(tmp, double, 5 * m1);
  b->tie_rows = DLS_TAKE(tmp, double, m1);
  b->rows = DLS_TAKE(tmp, int, m1);
  b->cols = DLS_TAKE(tmp, int, m1);
  b->row_at = DLS_TAKE(tmp, int, m1);
  b->col_at = DLS_TAKE(tmp, int, m1);
  b->ties = DLS_TAKE(tmp, int, m1);
  b->variable = DLS_TAKE(tmp, int, m);
  b->slot = DLS_TAKE(tmp, int, 2 * m + 1);
  if (b->columns == NULL || b->inverse == NULL || b->work == NULL || b->slot == NULL)
    return DLS_FULL;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) b->columns[j * m + i] = -M[i * m + j];
  memcpy(b->q, q, m * sizeof *q);
  dls_basis_restart(b, d);
  return DLS_OK;
}

void dls_basis_margin(dls_basis *b, const double *margin) {
  b->two = true;
  for (int i = 0; i < b->n; i++) {
    b->q_true[i] = b->q[i];
    b->q[i] += margin[i];
  }
  dls_basis_values(b);
}

/* Multiples of the golden section are spread evenly. */
double dls_basis_tilt_of(int i) {
  const double x = 0.6180339887498949 * (double)(i + 1);
  return 1.0 + (x - floor(x));
}

void dls_basis_tilt(dls_basis *b) {
  b->tilted = true;
  dls_basis_values(b);
}

void dls_basis_load(dls_basis *b, const double *d) {
  double *last = column_of(b, b->n);
  for (int i = 0; i < b->n; i++) last[i] = -d[i];
}

void dls_basis_restart(dls_basis *b, const double *d) {
  const size_t n = (size_t)b->n;
  dls_basis_load(b, d);
  for (size_t i = 0; i <= n; i++) b->row_at[i] = b->col_at[i] = -1;
  for (size_t i = 0; i < n; i++) {
    b->variable[i] = b->slot[i] = (int)i;
    b->slot[n + i] = -1;
  }
  b->slot[2 * n] = -1;
  b->k = 0;
  b->n_since = 0;
  dls_basis_values(b);
}

/* --- the kernel ------------------------------------------------------------------------------ */

/* y = K^-1 a_R */
static void apply(const dls_basis *b, const double *a, double *y) {
  double *a_R = b->work;
  for (int r = 0; r < b->k; r++) a_R[r] = a[b->rows[r]];
  dls_lanes_best()->gemv(b->k, b->k, b->inverse, (size_t)b->ld, a_R, y);
}

/* a -= N_:C y */
static void subtract(const dls_basis *b, const double *y, double *a) {
  for (int c = 0; c < b->k; c++)
    if (y[c] != 0.0) dls_lanes_best()->axpy(b->n, -y[c], column_of(b, b->cols[c]), a);
}

/* v = N_iC K^-1 */
static void row_times(const dls_basis *b, int i, double *v) {
  double *n_i = b->work;
  for (int c = 0; c < b->k; c++) n_i[c] = column_of(b, b->cols[c])[i];
  memset(v, 0, (size_t)b->k * sizeof *v);
  dls_lanes_best()->gemv_t(b->k, b->k, b->inverse, (size_t)b->ld, n_i, v);
}

/* y = K^-1 a_R and a -= N_:C y, which must vanish in R; what it does not is one step of refinement.
** Returns the size of that step relative to y. */
static double solve(const dls_basis *b, double *a, double *y) {
  const dls_lanes *lanes = dls_lanes_best();
  double *step = b->work + b->n + 1;
  apply(b, a, y);
  subtract(b, y, a);
  apply(b, a, step);
  const double largest = lanes->amax(b->k, y), error = lanes->amax(b->k, step);
  if (!(error > EPSILON * largest)) return error == error ? 0.0 : DLS_INF;
  subtract(b, step, a);
  for (int c = 0; c < b->k; c++) y[c] += step[c];
  return error / largest;
}

static void swap_columns(dls_basis *b, int i, int j) {
  for (int c = 0; c < b->k; c++) {
    double *row = inverse_row(b, c), t = row[i];
    row[i] = row[j];
    row[j] = t;
  }
}

static void swap_rows(dls_basis *b, int i, int j) {
  double *one = inverse_row(b, i), *other = inverse_row(b, j);
  for (int c = 0; c < b->k; c++) {
    const double t = one[c];
    one[c] = other[c];
    other[c] = t;
  }
}

/* K^-1 anew: Gauss-Jordan in place with partial pivoting. false: K is singular. */
static bool invert(dls_basis *b) {
  const dls_lanes *lanes = dls_lanes_best();
  int *swapped = b->ties;
  double *f = b->work;
  for (int c = 0; c < b->k; c++) {
    const double *column = column_of(b, b->cols[c]);
    for (int r = 0; r < b->k; r++) inverse_row(b, r)[c] = column[b->rows[r]];
  }
  for (int j = 0; j < b->k; j++) {
    int best = j;
    for (int i = j + 1; i < b->k; i++)
      if (fabs(inverse_row(b, i)[j]) > fabs(inverse_row(b, best)[j])) best = i;
    swapped[j] = best;
    if (best != j) swap_rows(b, j, best);
    double *row = inverse_row(b, j);
    const double pivot = row[j];
    if (!(fabs(pivot) > 0.0) || dls_stop_poll(b->stop, (double)b->k * b->k)) return false;
    row[j] = 1.0;
    for (int c = 0; c < b->k; c++) row[c] /= pivot;
    for (int i = 0; i < b->k; i++) {
      f[i] = i == j ? 0.0 : -inverse_row(b, i)[j];
      if (i != j) inverse_row(b, i)[j] = 0.0;
    }
    for (int i = 0; i < b->k; i++)
      if (f[i] != 0.0) lanes->axpy(b->k, f[i], row, inverse_row(b, i));
  }
  for (int j = b->k; j-- > 0;)
    if (swapped[j] != j) swap_columns(b, j, swapped[j]);
  b->n_since = 0;
  return true;
}

/* What stands in the rows (w outside of R) and y (C) goes to the slots. */
static void scatter(const dls_basis *b, const double *rows, const double *y, double *slots) {
  for (int s = 0; s < b->n; s++)
    if (b->variable[s] < b->n) slots[s] = rows[b->variable[s]];
  for (int c = 0; c < b->k; c++) slots[slot_of(b, c)] = y[c];
}

/* The values of one right side. */
static void values(dls_basis *b, const double *q, double *x, double *noise) {
  const size_t n = (size_t)b->n;
  double *y = b->work + 2 * (n + 1), *rows = b->work + 3 * (n + 1);
  memcpy(rows, q, n * sizeof *x);
  const double error = solve(b, rows, y);
  const double largest = dls_lanes_best()->amax(b->k, y);
  scatter(b, rows, y, x);
  if (noise == NULL) return;
  for (size_t i = 0; i < n; i++)
    noise[i] = 8.0 * EPSILON * dls_max(fabs(x[i]), 1.0) + (8.0 * EPSILON + error * 1e-6) * largest;
}

void dls_basis_values(dls_basis *b) {
  values(b, b->q, b->x, b->noise);
  if (b->two) values(b, b->q_true, b->x_true, NULL);
  if (!b->tilted) return;
  double *tilt = b->work + 4 * (b->n + 1);
  for (int i = 0; i < b->n; i++) tilt[i] = dls_basis_tilt_of(i);
  values(b, tilt, b->tilt, NULL);
}

/* --- columns and ratios ---------------------------------------------------------------------- */
static void load(const dls_basis *b, int entering, double *a) {
  const size_t n = (size_t)b->n;
  if (entering >= b->n) {
    memcpy(a, column_of(b, entering - b->n), n * sizeof *a);
  } else {
    memset(a, 0, n * sizeof *a);
    a[entering] = 1.0;
  }
}

bool dls_basis_column(dls_basis *b, int entering) {
  double *y = b->work + 2 * (b->n + 1), *rows = b->work + 3 * (b->n + 1);
  load(b, entering, rows);
  double error = solve(b, rows, y);
  if (error > CHECK_TOLERANCE && b->n_since > 0) {
    if (!invert(b)) return false;
    dls_basis_values(b);
    load(b, entering, rows);
    error = solve(b, rows, y);
  }
  if (!dls_is_finite(error)) return false;
  scatter(b, rows, y, b->u);
  return true;
}

/* Row s of B^-1 in `row` (n): its entries outside R are those of the unit matrix. */
static void inverse_of(const dls_basis *b, int s, double *row) {
  const int v = b->variable[s];
  double *y = b->work + 2 * (b->n + 1);
  memset(row, 0, (size_t)b->n * sizeof *row);
  if (v >= b->n) {
    const double *from = inverse_row(b, b->col_at[v - b->n]);
    for (int r = 0; r < b->k; r++) row[b->rows[r]] = from[r];
  } else {
    row_times(b, v, y);
    for (int r = 0; r < b->k; r++) row[b->rows[r]] = -y[r];
    row[v] = 1.0;
  }
}

/* Is row s of (B^-1) / u_s lexicographically before row `best`, which stands in b->tie_rows? */
static bool before(const dls_basis *b, int s, int best, double *row) {
  inverse_of(b, s, row);
  for (int i = 0; i < b->n; i++) {
    const double mine = row[i] / b->u[s], its = b->tie_rows[i] / b->u[best];
    const double size = dls_max(fabs(mine), fabs(its));
    if (fabs(mine - its) <= LEX_TOLERANCE * size) continue;
    return mine < its;
  }
  return b->u[s] > b->u[best];
}

/* Values within round-off of zero are zero. */
static double value(const dls_basis *b, int s) {
  return b->x[s] <= b->noise[s] ? 0.0 : b->x[s];
}

/* Keeps in b->ties the slots of least tilt / u; answers how many. */
static int least_tilted(dls_basis *b, int n_ties) {
  double least = DLS_INF;
  int n_left = 0;
  for (int t = 0; t < n_ties; t++)
    least = dls_min(least, b->tilt[b->ties[t]] / b->u[b->ties[t]]);
  for (int t = 0; t < n_ties; t++) {
    const double ratio = b->tilt[b->ties[t]] / b->u[b->ties[t]];
    if (ratio - least <= LEX_TOLERANCE * dls_max(fabs(ratio), fabs(least)))
      b->ties[n_left++] = b->ties[t];
  }
  return n_left;
}

/* The lexicographically first of the slots in b->ties. */
static int first_of(dls_basis *b, int n_ties) {
  if (b->tilted) n_ties = least_tilted(b, n_ties);
  int best = b->ties[0];
  if (n_ties == 1) return best;
  double *row = b->work + b->n + 1;
  inverse_of(b, best, b->tie_rows);
  for (int t = 1; t < n_ties; t++) {
    if (!before(b, b->ties[t], best, row)) continue;
    best = b->ties[t];
    memcpy(b->tie_rows, row, (size_t)b->n * sizeof *row);
  }
  return best;
}

int dls_basis_ratio(dls_basis *b, int preferred) {
  const double zero = COLUMN_TOLERANCE * dls_lanes_best()->amax(b->n, b->u);
  double theta = DLS_INF;
  int n_ties = 0;
  for (int s = 0; s < b->n; s++)
    if (b->u[s] > zero) theta = dls_min(theta, value(b, s) / b->u[s]);
  if (theta == DLS_INF) return -1;
  for (int s = 0; s < b->n; s++) {
    if (!(b->u[s] > zero)) continue;
    const double left = value(b, s) - theta * b->u[s];
    if (left > dls_max(TIE_TOLERANCE * fabs(b->x[s]), b->noise[s])) continue;
    if (b->variable[s] == preferred) return preferred;
    b->ties[n_ties++] = s;
  }
  return b->variable[first_of(b, n_ties)];
}

int dls_basis_cover(const dls_basis *b, const double *d) {
  int first = 0;
  for (int i = 1; i < b->n; i++) {
    const double ratio = b->q[i] / d[i], least = b->q[first] / d[first];
    const bool tie = ratio == least;
    const double mine = dls_basis_tilt_of(i) / d[i], its = dls_basis_tilt_of(first) / d[first];
    if (tie && b->tilted ? mine < its : ratio <= least) first = i;
  }
  return first;
}

/* --- the pivot ------------------------------------------------------------------------------- */

/* z_j or t enters, w_i leaves: K gains column j and row i. */
static void border(dls_basis *b, int i, int j, double pivot, const double *u_C) {
  double *v = b->work + b->n + 1;
  const int k = b->k;
  row_times(b, i, v);
  double *last = inverse_row(b, k);
  for (int c = 0; c < k; c++) {
    const double f = u_C[c] / pivot;
    if (f != 0.0) dls_lanes_best()->axpy(k, f, v, inverse_row(b, c));
    inverse_row(b, c)[k] = -f;
  }
  for (int r = 0; r < k; r++) last[r] = -v[r] / pivot;
  last[k] = 1.0 / pivot;
  b->rows[k] = i;
  b->cols[k] = j;
  b->row_at[i] = b->col_at[j] = k;
  b->k++;
}

/* z_j or t enters in place c of C. */
static void replace_column(dls_basis *b, int j, int c, const double *u_C) {
  double *row = inverse_row(b, c);
  for (int r = 0; r < b->k; r++) row[r] /= u_C[c];
  for (int m = 0; m < b->k; m++)
    if (m != c && u_C[m] != 0.0) dls_lanes_best()->axpy(b->k, -u_C[m], row, inverse_row(b, m));
  b->col_at[b->cols[c]] = -1;
  b->cols[c] = j;
  b->col_at[j] = c;
}

/* w_i leaves for the w of place r in R. */
static void replace_row(dls_basis *b, int i, int r) {
  double *v = b->work + b->n + 1;
  row_times(b, i, v);
  const double pivot = v[r];
  v[r] = 0.0;
  for (int c = 0; c < b->k; c++) {
    double *row = inverse_row(b, c);
    row[r] /= pivot;
    if (row[r] != 0.0) {
      const double kept = row[r];
      dls_lanes_best()->axpy(b->k, -kept, v, row);
      row[r] = kept;
    }
  }
  b->row_at[b->rows[r]] = -1;
  b->rows[r] = i;
  b->row_at[i] = r;
}

/* The w of place r enters, the variable of place c leaves: K loses both. */
static void shrink(dls_basis *b, int r, int c) {
  const double *gone = inverse_row(b, c);
  for (int m = 0; m < b->k; m++) {
    const double f = inverse_row(b, m)[r] / gone[r];
    if (m != c && f != 0.0) dls_lanes_best()->axpy(b->k, -f, gone, inverse_row(b, m));
  }
  const int last = --b->k;
  b->row_at[b->rows[r]] = b->col_at[b->cols[c]] = -1;
  if (c != last) {
    memcpy(inverse_row(b, c), inverse_row(b, last), (size_t)(last + 1) * sizeof *gone);
    b->cols[c] = b->cols[last];
    b->col_at[b->cols[c]] = c;
  }
  if (r != last) {
    for (int m = 0; m < last; m++) inverse_row(b, m)[r] = inverse_row(b, m)[last];
    b->rows[r] = b->rows[last];
    b->row_at[b->rows[r]] = r;
  }
}

static void exchange(dls_basis *b, int entering, int leaving, double pivot) {
  const int n = b->n;
  double *u_C = b->work + 2 * (n + 1);
  for (int c = 0; c < b->k; c++) u_C[c] = b->u[slot_of(b, c)];
  if (entering >= n && leaving < n) border(b, leaving, entering - n, pivot, u_C);
  else if (entering >= n) replace_column(b, entering - n, b->col_at[leaving - n], u_C);
  else if (leaving < n) replace_row(b, leaving, b->row_at[entering]);
  else shrink(b, b->row_at[entering], b->col_at[leaving - n]);
}

/* x after the step theta along u; slot s goes to the entering variable. */
static void advance(const dls_basis *b, int s, double *x) {
  const double theta = x[s] / b->u[s];
  dls_lanes_best()->axpy(b->n, -theta, b->u, x);
  x[s] = theta;
}

bool dls_basis_pivot(dls_basis *b, int entering, int leaving) {
  const int s = b->slot[leaving];
  const double pivot = b->u[s];
  if (!(fabs(pivot) > 0.0) || !dls_is_finite(1.0 / pivot)) return false;
  const double theta = fabs(b->x[s] / pivot), longest = dls_lanes_best()->amax(b->n, b->u);
  for (int i = 0; i < b->n; i++)
    b->noise[i] += 4.0 * EPSILON * (fabs(b->x[i]) + theta * (fabs(b->u[i]) + longest));
  advance(b, s, b->x);
  if (b->two) advance(b, s, b->x_true);
  if (b->tilted) advance(b, s, b->tilt);
  exchange(b, entering, leaving, pivot);
  b->variable[s] = entering;
  b->slot[leaving] = -1;
  b->slot[entering] = s;
  if (++b->n_since < MAX_SINCE) return true;
  if (!invert(b)) return false;
  dls_basis_values(b);
  return true;
}
