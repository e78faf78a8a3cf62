/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/contact_problem.h"

#include "core/lcp/method.h"

#define TOLERANCE 1e-10 /* of a solution's residual, and of the LCP behind it                     */
#define SWEEPS 20000    /* over spatial contacts; some hundreds are met, a stall ends in DLS_LIMIT */

static double G_at(const dls_contact_problem *p, int r, int s) {
  return p->G[(size_t)r * (size_t)p->n_rows + (size_t)s];
}
static double least_of(const dls_contact_problem *p, int i) {
  return p->least_normal != NULL ? p->least_normal[i] : 0;
}
static bool slides(const dls_contact_problem *p, int i) {
  return p->slides != NULL && p->slides[i] && p->n_tangents[i] > 0;
}
/* Whether Coulomb's law chooses the tangential force of contact i. */
static bool adheres(const dls_contact_problem *p, int i) {
  return p->n_tangents[i] > 0 && p->mu[i] > 0 && !slides(p, i);
}

/* What a unit of lambda_N of contact j adds to row r: the friction that goes with it included. `right`: so
** does -mu of an adhering contact, whose right saturation stands apart. */
static double normal_column(const dls_contact_problem *p, int r, int j, bool right) {
  double sum = G_at(p, r, p->row[j]);
  if (slides(p, j))
    for (int k = 0; k < p->n_tangents[j]; k++)
      sum -= p->mu[j] * p->slip[2 * j + k] * G_at(p, r, p->row[j] + 1 + k);
  else if (right && adheres(p, j))
    sum -= p->mu[j] * G_at(p, r, p->row[j] + 1);
  return sum;
}

/* --- the LCP ---------------------------------------------------------------------------------- */

int dls_contact_lcp_size(const dls_contact_problem *p) {
  int n_adhering = 0;
  for (int i = 0; i < p->n; i++) {
    if (!adheres(p, i)) continue;
    if (p->n_tangents[i] > 1) return -1;
    n_adhering++;
  }
  return p->n + (p->corners == 4 ? 4 : 2) * n_adhering;
}

/* c of row r with the least normal forces in it. */
static double constant_of(const dls_contact_problem *p, int r, bool right) {
  double sum = p->c[r];
  if (p->least_normal != NULL)
    for (int j = 0; j < p->n; j++) sum += normal_column(p, r, j, right) * p->least_normal[j];
  return sum;
}

/* Row r of the dynamics, times sign, into row k of A and b: columns of the normals, then of tangential
** forces (`sides` 1: r; 2: l+ and l-). */
static void put_row(const dls_contact_problem *p, int r, double sign, int sides, int n_T, double *A_k,
                    double *b_k) {
  const bool right = sides == 1;
  for (int j = 0, t = 0; j < p->n; j++) {
    A_k[j] = sign * normal_column(p, r, j, right);
    if (!adheres(p, j)) continue;
    A_k[p->n + t] = sign * G_at(p, r, p->row[j] + 1);
    if (sides == 2) A_k[p->n + n_T + t] = -A_k[p->n + t];
    t++;
  }
  *b_k = sign * constant_of(p, r, right);
}

void dls_contact_lcp(const dls_contact_problem *p, double *A, double *b) {
  const int n = p->n, size = dls_contact_lcp_size(p), sides = p->corners == 4 ? 2 : 1;
  const int n_T = (size - n) / (2 * sides);
  memset(A, 0, (size_t)size * (size_t)size * sizeof *A);
#define ROW(k) (A + (size_t)(k) * (size_t)size)
  for (int i = 0, t = 0; i < n; i++) {
    put_row(p, p->row[i], 1, sides, n_T, ROW(i), &b[i]);
    if (!adheres(p, i)) continue;
    const double mu = p->mu[i], bound = mu * least_of(p, i);
    const int first = n + t, second = n + n_T + t; /* two corners: a+, l; four: z+, z- */
    put_row(p, p->row[i] + 1, 1, sides, n_T, ROW(first), &b[first]);
    if (sides == 1) {
      ROW(first)[second] = 1;
      ROW(second)[i] = 2 * mu;
      ROW(second)[first] = -1;
      b[second] = 2 * bound;
    } else {
      const int third = n + 2 * n_T + t, fourth = n + 3 * n_T + t; /* s+, s- */
      put_row(p, p->row[i] + 1, -1, sides, n_T, ROW(second), &b[second]);
      ROW(first)[third] = ROW(second)[fourth] = 1;
      ROW(third)[i] = ROW(fourth)[i] = mu;
      ROW(third)[first] = ROW(fourth)[second] = -1;
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
    at[0] = z[i] + least_of(p, i);
    if (slides(p, i))
      for (int k = 0; k < p->n_tangents[i]; k++) at[1 + k] = -p->mu[i] * at[0] * p->slip[2 * i + k];
    if (!adheres(p, i)) continue;
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
  for (int k = 0; k < d; k++) weight = dls_max(weight, G_at(p, r + 1 + k, r + 1 + k));
  if (!(weight > 0)) weight = 1;
  if (adheres(p, i)) {
    double trial[2] = {0, 0};
    for (int k = 0; k < d; k++) trial[k] = lambda[r + 1 + k] - a[r + 1 + k] / weight;
    dls_disk_project(d, p->mu[i] * dls_max(0, lambda[r]), trial);
    for (int k = 0; k < d; k++) off[k] = lambda[r + 1 + k] - trial[k];
  } else {
    for (int k = 0; k < d; k++)
      off[k] = lambda[r + 1 + k] + (slides(p, i) ? p->mu[i] * lambda[r] * p->slip[2 * i + k] : 0);
  }
  return weight * length_of(d, off);
}

double dls_contact_residual(const dls_contact_problem *p, const double *lambda, double *a) {
  double worst = 0, size = p->scale;
  for (int r = 0; r < p->n_rows; r++) {
    a[r] = p->c[r];
    for (int s = 0; s < p->n_rows; s++) a[r] += G_at(p, r, s) * lambda[s];
    size = dls_max(size, fabs(p->c[r]));
  }
  for (int i = 0; i < p->n; i++) {
    const int r = p->row[i];
    const double weight = G_at(p, r, r) > 0 ? G_at(p, r, r) : 1;
    const double normal = fabs(dls_min(weight * (lambda[r] - least_of(p, i)), a[r]));
    worst = dls_max(worst, dls_max(normal, tangential_violation(p, i, lambda, a)));
  }
  if (!(worst <= DLS_INF)) return DLS_INF;
  return size > 0 ? worst / size : worst;
}

/* --- adhering contacts in space ----------------------------------------------------------------- */

/* The force in the disk |x| <= radius that leaves, with G_TT (2 x 2) and the rest b of its acceleration, none
** or one against it: (G_TT + alpha) x = -b, alpha >= 0, alpha = 0 where |x| < radius. */
static void disk_force(double g11, double g12, double g22, const double *b, double radius, double *x) {
  double lo = 0, hi = 0;
  if (!(radius > 0)) {
    x[0] = x[1] = 0;
    return;
  }
  for (int k = 0; k < 200; k++) {
    const double alpha = k == 0 ? 0 : 0.5 * (lo + hi);
    const double h11 = g11 + alpha, h22 = g22 + alpha, det = h11 * h22 - g12 * g12;
    const bool solvable = det > 1e-14 * h11 * h22;
    if (solvable) {
      x[0] = (-h22 * b[0] + g12 * b[1]) / det;
      x[1] = (g12 * b[0] - h11 * b[1]) / det;
    }
    const bool inside = solvable && dls_disk_length(2, x) <= radius;
    if (k == 0) {
      if (inside) return;
      hi = dls_disk_length(2, b) / radius; /* |x| <= |b| / alpha */
    } else if (inside) {
      hi = alpha;
    } else {
      lo = alpha;
    }
    if (k > 0 && hi - lo <= 1e-16 * hi) break;
  }
  const double size = dls_disk_length(2, x); /* on the circle, to the last bit */
  if (size > 0)
    for (int k = 0; k < 2; k++) x[k] *= radius / size;
}

/* One visit of contact i; how far its forces moved, in units of a. */
static double visit(const dls_contact_problem *p, int i, double *lambda) {
  const int r = p->row[i], d = p->n_tangents[i];
  double a[3] = {0, 0, 0}, moved = 0;
  for (int k = 0; k <= d; k++) {
    a[k] = p->c[r + k];
    for (int s = 0; s < p->n_rows; s++) a[k] += G_at(p, r + k, s) * lambda[s];
  }
  const double before = lambda[r], weight = normal_column(p, r, i, false);
  if (!(weight > 0)) return DLS_INF;
  lambda[r] = dls_max(least_of(p, i), before - a[0] / weight);
  const double change = lambda[r] - before;
  moved = fabs(change) * weight;
  if (slides(p, i)) {
    for (int k = 0; k < d; k++) lambda[r + 1 + k] = -p->mu[i] * lambda[r] * p->slip[2 * i + k];
  } else if (adheres(p, i)) {
    double b[2] = {0, 0}, x[2] = {0, 0};
    for (int k = 0; k < d; k++) {
      b[k] = a[1 + k] + G_at(p, r + 1 + k, r) * change;
      for (int l = 0; l < d; l++) b[k] -= G_at(p, r + 1 + k, r + 1 + l) * lambda[r + 1 + l];
    }
    const double g11 = G_at(p, r + 1, r + 1), radius = p->mu[i] * lambda[r];
    if (d == 2)
      disk_force(g11, G_at(p, r + 1, r + 2), G_at(p, r + 2, r + 2), b, radius, x);
    else
      x[0] = g11 > 0 ? dls_clamp(-b[0] / g11, -radius, radius) : 0;
    for (int k = 0; k < d; k++) {
      moved = dls_max(moved, fabs(x[k] - lambda[r + 1 + k]) * G_at(p, r + 1 + k, r + 1 + k));
      lambda[r + 1 + k] = x[k];
    }
  }
  return moved;
}

/* Gauss and Seidel's sweeps over the contacts, each visit exact in its normal, then in its friction. */
static void sweep(const dls_contact_problem *p, double *lambda, double *a, dls_contact_report *report) {
  double size = p->scale;
  for (int r = 0; r < p->n_rows; r++) size = dls_max(size, fabs(p->c[r]));
  for (int i = 0; i < p->n; i++) lambda[p->row[i]] = least_of(p, i);
  for (int k = 0; k < SWEEPS; k++) {
    double moved = 0;
    for (int i = 0; i < p->n; i++) moved = dls_max(moved, visit(p, i, lambda));
    report->pivots++;
    if (!(moved < DLS_INF)) break;
    if (moved <= 1e-3 * TOLERANCE * size) break;
  }
  report->residual = dls_contact_residual(p, lambda, a);
  report->outcome = report->residual <= TOLERANCE ? DLS_SOLVED : DLS_LIMIT;
}

/* --- solving ---------------------------------------------------------------------------------- */

static size_t most_rows(int n, int n_rows) { return (size_t)n + 4 * (size_t)(n_rows - n); }

size_t dls_contact_bytes(int n, int n_rows) {
  const size_t most = most_rows(n, n_rows);
  const dls_lcp largest = {.n = (int)most};
  size_t bytes = dls_arena_bytes(most * most, sizeof(double));
  for (int k = 0; k < 3; k++) bytes = dls_bytes_add(bytes, dls_arena_bytes(most, sizeof(double)));
  /* auto and enumerate look at M where they count memory only by its size */
  const dls_lcp_method *methods[2] = {dls_lcp_method_find("lemke"), dls_lcp_method_find("enumerate")};
  for (int k = 0; k < 2; k++) bytes = dls_bytes_add(bytes, dls_lcp_solve_bytes(methods[k], &largest));
  return bytes;
}

static bool take_lcp(const dls_contact_problem *p, dls_arena *tmp, int size, dls_lcp *lcp, double **z,
                     double **w) {
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

dls_status dls_contact_solve(const dls_contact_problem *p, dls_arena *tmp, double *lambda, double *a,
                             dls_contact_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int size = dls_contact_lcp_size(p);
  dls_status status = DLS_OK;
  *report = (dls_contact_report){DLS_SOLVED, 0, 0};
  memset(lambda, 0, (size_t)p->n_rows * sizeof *lambda);
  if (size < 0)
    sweep(p, lambda, a, report);
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

dls_status dls_contact_enumerate(const dls_contact_problem *p, dls_arena *tmp, dls_lcp_solutions *all) {
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
    for (int k = 0; new && k < kept; k++) new = !same_forces(p, at, all->z + (size_t)k * (size_t)size, f, g);
    if (new) memmove(all->z + (size_t)kept++ * (size_t)size, at, (size_t)size * sizeof *at);
  }
  if (status == DLS_OK) all->n_found = kept;
  dls_arena_release(tmp, mark);
  return status;
}
