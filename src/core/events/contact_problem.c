/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/contact_problem.h"

#include "core/events/contact_parts.h"
#include "core/lcp/method.h"
#include "core/lcp/scaling.h"

#define TOLERANCE DLS_CONTACT_TOLERANCE

/* --- the LCP ---------------------------------------------------------------------------------- */

int dls_contact_lcp_size(const dls_contact_problem *p) {
  int n_adhering = 0;
  for (int i = 0; i < p->n; i++) {
    if (!dls_contact_adheres(p, i)) continue;
    if (p->n_tangents[i] > 1) return -1;
    n_adhering++;
  }
  return p->n + (p->corners == 4 ? 4 : 2) * n_adhering;
}

/* c of row r with the least normal forces in it. */
static double constant_of(const dls_contact_problem *p, int r, bool right) {
  double sum = p->c[r];
  if (p->least_normal != NULL)
    for (int j = 0; j < p->n; j++) sum += dls_contact_column(p, r, j, right) * p->least_normal[j];
  return sum;
}

/* Row r of the dynamics, times sign, into row k of A and b: columns of the normals, then of
** tangential forces (`sides` 1: r; 2: l+ and l-). */
static void put_row(const dls_contact_problem *p, int r, double sign, int sides, int n_T,
                    double *A_k, double *b_k) {
  const bool right = sides == 1;
  for (int j = 0, t = 0; j < p->n; j++) {
    A_k[j] = sign * dls_contact_column(p, r, j, right);
    if (!dls_contact_adheres(p, j)) continue;
    A_k[p->n + t] = sign * dls_contact_G(p, r, p->row[j] + 1);
    if (sides == 2) A_k[p->n + n_T + t] = -A_k[p->n + t];
    t++;
  }
  *b_k = sign * constant_of(p, r, right);
}

/* What makes accelerations of forces at the tangent of row r, rounded to a power of two: rows that
** bound friction count in the tolerance as those of the accelerations do. */
static double weight_of(const dls_contact_problem *p, int r) {
  return dls_pow2_below(dls_contact_G(p, r, r));
}

void dls_contact_lcp(const dls_contact_problem *p, double *A, double *b) {
  const int n = p->n, size = dls_contact_lcp_size(p), sides = p->corners == 4 ? 2 : 1;
  const int n_T = (size - n) / (2 * sides);
  memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
#define ROW(k) (A + (size_t)(k) * (size_t)size)
  for (int i = 0, t = 0; i < n; i++) {
    put_row(p, p->row[i], 1, sides, n_T, ROW(i), &b[i]);
    if (!dls_contact_adheres(p, i)) continue;
    const double weight = weight_of(p, p->row[i] + 1);
    const double mu = weight * p->mu[i], bound = mu * dls_contact_least(p, i);
    const int first = n + t, second = n + n_T + t; /* two corners: a+, l; four: z+, z- */
    put_row(p, p->row[i] + 1, 1, sides, n_T, ROW(first), &b[first]);
    if (sides == 1) {
      ROW(first)[second] = 1;
      ROW(second)[i] = 2 * mu;
      ROW(second)[first] = -weight;
      b[second] = 2 * bound;
    } else {
      const int third = n + 2 * n_T + t, fourth = n + 3 * n_T + t; /* s+, s- */
      put_row(p, p->row[i] + 1, -1, sides, n_T, ROW(second), &b[second]);
      ROW(first)[third] = ROW(second)[fourth] = 1;
      ROW(third)[i] = ROW(fourth)[i] = mu;
      ROW(third)[first] = ROW(fourth)[second] = -weight;
      b[third] = b[fourth] = bound;
    }
    t++;
  }
#undef ROW
}

void dls_contact_lcp_forces(const dls_contact_problem *p, const double *z, double *lambda) {
  const int n = p->n, size = dls_contact_lcp_size(p), sides = p->corners == 4 ? 2 : 1;
  const int n_T = (size - n) / (2 * sides);
  memset(lambda, 0, (size_t)p->n_rows * sizeof *lambda);
  for (int i = 0, t = 0; i < n; i++) {
    double *at = lambda + p->row[i];
    at[0] = z[i] + dls_contact_least(p, i);
    if (dls_contact_slides(p, i))
      for (int k = 0; k < p->n_tangents[i]; k++) at[1 + k] = -p->mu[i] * at[0] * p->slip[2 * i + k];
    if (!dls_contact_adheres(p, i)) continue;
    at[1] = sides == 1 ? z[n + t] - p->mu[i] * at[0] : z[n + t] - z[n + n_T + t];
    t++;
  }
}

/* --- the judge -------------------------------------------------------------------------------- */

/* |x| of up to two numbers. */
static double length_of(int d, const double *x) { return d > 0 ? dls_disk_length(d, x) : 0; }

/* Violation of the tangential law of contact i, in units of a. */
static double tangential_violation(const dls_contact_problem *p, int i, const double *lambda,
                                   const double *a) {
  const int r = p->row[i], d = p->n_tangents[i];
  double weight = 0, off[2] = {0, 0};
  for (int k = 0; k < d; k++) weight = dls_max(weight, dls_contact_G(p, r + 1 + k, r + 1 + k));
  if (!(weight > 0)) weight = 1;
  if (dls_contact_adheres(p, i)) {
    double trial[2] = {0, 0};
    for (int k = 0; k < d; k++) trial[k] = lambda[r + 1 + k] - a[r + 1 + k] / weight;
    dls_disk_project(d, p->mu[i] * dls_max(0, lambda[r]), trial);
    for (int k = 0; k < d; k++) off[k] = lambda[r + 1 + k] - trial[k];
  } else {
    for (int k = 0; k < d; k++)
      off[k] = lambda[r + 1 + k] +
               (dls_contact_slides(p, i) ? p->mu[i] * lambda[r] * p->slip[2 * i + k] : 0);
  }
  return weight * length_of(d, off);
}

double dls_contact_residual(const dls_contact_problem *p, const double *lambda, double *a) {
  double worst = 0, size = p->scale;
  for (int r = 0; r < p->n_rows; r++) {
    a[r] = p->c[r];
    for (int s = 0; s < p->n_rows; s++) a[r] += dls_contact_G(p, r, s) * lambda[s];
    size = dls_max(size, fabs(p->c[r]));
  }
  for (int i = 0; i < p->n; i++) {
    const int r = p->row[i];
    const double weight = dls_contact_G(p, r, r) > 0 ? dls_contact_G(p, r, r) : 1;
    const double normal = fabs(dls_min(weight * (lambda[r] - dls_contact_least(p, i)), a[r]));
    worst = dls_max(worst, dls_max(normal, tangential_violation(p, i, lambda, a)));
  }
  if (!(worst <= DLS_INF)) return DLS_INF;
  return size > 0 ? worst / size : worst;
}

/* --- solving ---------------------------------------------------------------------------------- */

static size_t most_rows(int n, int n_rows) { return (size_t)n + 4 * (size_t)(n_rows - n); }

size_t dls_contact_bytes(int n, int n_rows) {
  const size_t most = most_rows(n, n_rows);
  const dls_lcp largest = {.n = (int)most};
  const dls_lcp searched = {.n = most < DLS_LCP_ENUMERATE_MAX ? (int)most : DLS_LCP_ENUMERATE_MAX};
  size_t bytes = dls_arena_bytes(most * most, sizeof(double));
  for (int k = 0; k < 3; k++) bytes = dls_bytes_add(bytes, dls_arena_bytes(most, sizeof(double)));
  /* auto and enumerate look at M where they count memory only by its size */
  bytes = dls_bytes_add(bytes, dls_lcp_solve_bytes(dls_lcp_method_find("lemke"), &largest));
  bytes = dls_bytes_add(bytes, dls_lcp_solve_bytes(dls_lcp_method_find("enumerate"), &searched));
  return dls_bytes_add(bytes, dls_contact_space_bytes(n_rows));
}

static bool take_lcp(const dls_contact_problem *p, dls_arena *tmp, int size, dls_lcp *lcp,
                     double **z, double **w) {
  const size_t n = (size_t)size;
  double *A = DLS_TAKE(tmp, double, n *n), *b = DLS_TAKE(tmp, double, n);
  *z = DLS_TAKE(tmp, double, n), *w = DLS_TAKE(tmp, double, n);
  if (A == NULL || b == NULL || *z == NULL || *w == NULL) return false;
  dls_contact_lcp(p, A, b);
  *lcp = (dls_lcp){.n = size, .M = A, .q = b};
  return true;
}

/* Lemke's path, and where that ends without an answer every basis of a small problem. */
static dls_status solve_lcp(const dls_contact_problem *p, dls_arena *tmp, int size, double *lambda,
                            double *a, dls_contact_report *report) {
  static const char *const methods[] = {"lemke", "enumerate"};
  dls_lcp lcp;
  double *z, *w;
  if (!take_lcp(p, tmp, size, &lcp, &z, &w)) return DLS_FULL;
  dls_lcp_opts opts = dls_lcp_opts_default();
  opts.tolerance = 1e-2 * TOLERANCE;
  for (int k = 0; k < 2; k++) {
    const dls_lcp_method *method = dls_lcp_method_find(methods[k]);
    if (method->n_max > 0 && size > method->n_max) break;
    dls_lcp_report r;
    const dls_status status = dls_lcp_solve(method, &lcp, &opts, tmp, z, w, &r);
    if (status != DLS_OK) return status;
    report->pivots += r.pivots;
    dls_contact_lcp_forces(p, z, lambda);
    report->residual = dls_contact_residual(p, lambda, a);
    report->outcome = report->residual <= TOLERANCE ? DLS_SOLVED
                      : r.outcome == DLS_RAY        ? DLS_RAY
                                                    : DLS_LIMIT;
    if (report->outcome == DLS_SOLVED) break;
  }
  return DLS_OK;
}

dls_status dls_contact_solve(const dls_contact_problem *p, dls_arena *tmp, double *lambda,
                             double *a, dls_contact_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int size = dls_contact_lcp_size(p);
  dls_status status = DLS_OK;
  *report = (dls_contact_report){DLS_SOLVED, 0, 0};
  memset(lambda, 0, (size_t)p->n_rows * sizeof *lambda);
  if (size < 0)
    dls_contact_space(p, tmp, lambda, a, report);
  else if (size > 0)
    status = solve_lcp(p, tmp, size, lambda, a, report);
  dls_arena_release(tmp, mark);
  return status;
}

/* --- all solutions ---------------------------------------------------------------------------- */

/* Whether solutions z and y have the same forces. */
static bool same_forces(const dls_contact_problem *p, const double *z, const double *y, double *f,
                        double *g) {
  double size = 0, off = 0;
  dls_contact_lcp_forces(p, z, f);
  dls_contact_lcp_forces(p, y, g);
  for (int r = 0; r < p->n_rows; r++) {
    size = dls_max(size, dls_max(fabs(f[r]), fabs(g[r])));
    off = dls_max(off, fabs(f[r] - g[r]));
  }
  return off <= 1e-9 * size;
}

dls_status dls_contact_enumerate(const dls_contact_problem *p, dls_arena *tmp,
                                 dls_lcp_solutions *all) {
  const size_t mark = dls_arena_mark(tmp);
  const int size = dls_contact_lcp_size(p);
  dls_lcp lcp;
  double *z, *w;
  if (size < 0 || size > DLS_LCP_ENUMERATE_MAX) return DLS_ARG;
  all->n = size, all->n_found = 0;
  if (size == 0) return DLS_OK;
  double *f = DLS_TAKE(tmp, double, p->n_rows), *g = DLS_TAKE(tmp, double, p->n_rows);
  dls_status status = DLS_FULL;
  if (f != NULL && g != NULL && take_lcp(p, tmp, size, &lcp, &z, &w)) {
    dls_lcp_opts opts = dls_lcp_opts_default();
    dls_lcp_report r;
    opts.solutions = all;
    status = dls_lcp_solve(dls_lcp_method_find("enumerate"), &lcp, &opts, tmp, z, w, &r);
  }
  int kept = 0;
  for (int i = 0; status == DLS_OK && i < all->n_found; i++) {
    const double *at = all->z + (size_t)i * (size_t)size;
    bool new = true;
    for (int k = 0; new && k < kept; k++)
      new = !same_forces(p, at, all->z + (size_t)k * (size_t)size, f, g);
    if (new) memmove(all->z + (size_t)kept++ * (size_t)size, at, (size_t)size * sizeof *at);
  }
  if (status == DLS_OK) all->n_found = kept;
  dls_arena_release(tmp, mark);
  return status;
}
