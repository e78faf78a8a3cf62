/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/method.h"

#include "core/lcp/auto.h"
#include "core/lcp/block.h"
#include "core/lcp/energy.h"
#include "core/lcp/enumerate.h"
#include "core/lcp/extreme.h"
#include "core/lcp/least_index.h"
#include "core/lcp/lemke.h"
#include "core/lcp/newton.h"
#include "core/lcp/pgs.h"
#include "core/lcp/residual.h"
#include "core/math/dense.h"
#include "core/math/sparse_ldl.h"

/* One row a method: name, workspace, run, symmetric, sparse, largest n. */
static const dls_lcp_method methods[] = {
  {"auto", dls_lcp_auto_bytes, dls_lcp_auto, false, true, 0},
  {"energy", dls_lcp_energy_bytes, dls_lcp_energy, true, false, 0},
  {"block", dls_lcp_block_bytes, dls_lcp_block, true, true, 0},
  {"lemke", dls_lcp_lemke_bytes, dls_lcp_lemke, false, false, 0},
  {"least-index", dls_lcp_least_index_bytes, dls_lcp_least_index, false, false, 0},
  {"pgs", dls_lcp_pgs_bytes, dls_lcp_pgs, false, true, 0},
  {"newton", dls_lcp_newton_bytes, dls_lcp_newton, false, false, 0},
  {"enumerate", dls_lcp_enumerate_bytes, dls_lcp_enumerate, false, false, DLS_LCP_ENUMERATE_MAX},
};

const dls_lcp_method *dls_lcp_method_at(int i) {
  const int n = (int)(sizeof methods / sizeof *methods);
  return i >= 0 && i < n ? &methods[i] : NULL;
}

const dls_lcp_method *dls_lcp_method_find(const char *name) {
  const dls_lcp_method *method;
  for (int i = 0; (method = dls_lcp_method_at(i)) != NULL; i++)
    if (method->name[0] == name[0] && strcmp(method->name, name) == 0) return method;
  return NULL;
}

/* --- symmetry ------------------------------------------------------------------------------- */
#define ASYMMETRY 1e-10

/* sqrt(a) sqrt(b) neither overflows nor vanishes where a b does. */
static bool alike(double upper, double lower, double root_i, double root_j) {
  const double scale = dls_max(dls_max(fabs(upper), fabs(lower)), root_i * root_j);
  return fabs(upper - lower) <= ASYMMETRY * scale;
}

static bool differ(const dls_lcp *p, int i, int j, double upper, double lower, dls_fault *fault) {
  const double root_i = sqrt(fabs(dls_lcp_at(p, i, i))), root_j = sqrt(fabs(dls_lcp_at(p, j, j)));
  if (alike(upper, lower, root_i, root_j)) return false;
  fault->index = i;
  fault->value = upper - lower;
  return true;
}

/* Columns j0 .. j1-1 of row i against the rows of the same names. */
static bool symmetric_row(const dls_lcp *p, size_t i, size_t j0, size_t j1, dls_fault *fault) {
  const size_t n = (size_t)p->n;
  const double *row = p->M + i * n, *column = p->M + j0 * n + i;
  for (size_t j = j0; j < j1; j++, column += n)
    if (row[j] != *column && differ(p, (int)i, (int)j, row[j], *column, fault)) return false;
  return true;
}

/* Most matrices are symmetric to the bit. Square blocks keep both triangles in the cache. */
static bool symmetric_dense(const dls_lcp *p, dls_fault *fault) {
  enum { BLOCK = 16 };
  const size_t n = (size_t)p->n;
  if (dls_lanes_best()->mirrored(p->n, p->M)) return true;
  for (size_t i0 = 0; i0 < n; i0 += BLOCK)
    for (size_t j0 = i0; j0 < n; j0 += BLOCK) {
      const size_t i1 = i0 + BLOCK < n ? i0 + BLOCK : n, j1 = j0 + BLOCK < n ? j0 + BLOCK : n;
      for (size_t i = i0; i < i1; i++)
        if (!symmetric_row(p, i, j0 > i ? j0 : i + 1, j1, fault)) return false;
    }
  return true;
}

static bool symmetric_sparse(const dls_lcp *p, dls_fault *fault) {
  const dls_sparse *S = p->S;
  for (int i = 0; i < p->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      const double upper = S->value[e], lower = dls_lcp_at(p, S->col[e], i);
      if (upper != lower && differ(p, i, S->col[e], upper, lower, fault)) return false;
    }
  return true;
}

bool dls_lcp_symmetric(const dls_lcp *p, dls_fault *fault) {
  return p->M != NULL ? symmetric_dense(p, fault) : symmetric_sparse(p, fault);
}

/* --- the one way to call a method ----------------------------------------------------------- */
static bool needs_dense(const dls_lcp_method *method, const dls_lcp *p) {
  return p->M == NULL && !method->sparse;
}

/* M in full, to see whether it is semidefinite. */
static size_t check_bytes(const dls_lcp *p) {
  const size_t cells = dls_bytes((size_t)p->n, dls_lanes_ld(p->n));
  return dls_arena_bytes(cells, sizeof(double));
}

/* A method for any matrix that may end on a ray. */
static bool is_general(const dls_lcp_method *method) {
  return method->run == dls_lcp_lemke || method->run == dls_lcp_enumerate;
}

size_t dls_lcp_solve_bytes(const dls_lcp_method *method, const dls_lcp *p) {
  const size_t n = (size_t)p->n;
  size_t bytes = method->bytes(p);
  if (method->symmetric && p->M != NULL && bytes < check_bytes(p)) bytes = check_bytes(p);
  if (is_general(method)) { /* to see what a ray proves */
    const size_t both = dls_bytes_add(check_bytes(p), check_bytes(p));
    bytes = bytes < both ? both : bytes;
  }
  if (method->symmetric && dls_lcp_is_extreme(p))
    bytes = dls_bytes_add(bytes, dls_lcp_extreme_bytes(p));
  if (needs_dense(method, p))
    bytes = dls_bytes_add(bytes, dls_arena_bytes(dls_bytes(n, n), sizeof(double)));
  return bytes;
}

static void write_out(const dls_sparse *S, int n, double *M) {
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = 0; i < n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      M[(size_t)i * (size_t)n + (size_t)S->col[e]] = S->value[e];
}

/* Not the method's matrix: zero is what there is, and the judge says what it is worth. */
static dls_status refuse(const dls_lcp_method *method, const dls_lcp *p, const dls_lcp_opts *opts,
                         double *z, double *w, dls_fault fault, dls_lcp_report *report) {
  memset(report, 0, sizeof *report);
  report->method = method->name;
  report->fault = fault;
  memset(z, 0, (size_t)p->n * sizeof *z);
  dls_lcp_judge(p, opts, z, w, DLS_UNSUITABLE, report);
  report->outcome = DLS_UNSUITABLE;
  return DLS_OK;
}

/* The sparse one to 1e-10 of the mean diagonal. */
static dls_status definite_sparse(const dls_lcp *p, dls_stop *stop, dls_arena *tmp, bool *ok,
                                  dls_fault *fault) {
  const size_t mark = dls_arena_mark(tmp);
  dls_sparse_ldl f;
  double mean = 0.0;
  for (int i = 0; i < p->n; i++) mean += dls_lcp_at(p, i, i) / p->n;
  if (mean == 0.0) mean = 1e-300; /* a zero matrix is semidefinite */
  const dls_status status = dls_sparse_ldl_take(&f, p->S, tmp);
  if (status != DLS_OK) return status;
  f.stop = stop;
  const int bad = dls_sparse_ldl_factor(&f, NULL, ASYMMETRY * fabs(mean), 0.0);
  *ok = bad < 0;
  if (bad >= 0) *fault = (dls_fault){bad, f.d[f.place[bad]]};
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

static dls_status definite(const dls_lcp *p, dls_stop *stop, dls_arena *tmp, bool *ok,
                           dls_fault *fault) {
  const size_t mark = dls_arena_mark(tmp), ld = dls_lanes_ld(p->n);
  if (p->M == NULL) return definite_sparse(p, stop, tmp, ok, fault);
  double *R = DLS_TAKE(tmp, double, (size_t)p->n * ld);
  if (R == NULL) return DLS_FULL;
  *ok = dls_dense_semidefinite(p->n, p->M, (size_t)p->n, R, ld, stop, fault);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* Whether M is copositive plus (x >= 0: x'Mx >= 0, and 0 only where (M + M')x = 0), as far as the
** two usual reasons go, of S = M + M': it is positive semidefinite (to round-off), or it has no
** negative entry and a row of nothing wherever its diagonal is zero. A ray then proves that there
** is no z >= 0 with w >= 0: Cottle, Pang & Stone 2009, theorem 4.4.13. symmetric: M is known to be,
** and stands for S. */
static dls_status copositive_plus(const dls_lcp *p, bool symmetric, dls_stop *stop, dls_arena *tmp,
                                  bool *yes) {
  dls_fault fault;
  if (symmetric) return definite(p, stop, tmp, yes, &fault);
  const size_t mark = dls_arena_mark(tmp), n = (size_t)p->n, ld = dls_lanes_ld(p->n);
  bool plain = true;
  double *S = DLS_TAKE(tmp, double, n * ld), *R = DLS_TAKE(tmp, double, n * ld);
  if (S == NULL || R == NULL) return DLS_FULL;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double both = S[i * ld + j] = p->M[i * n + j] + p->M[j * n + i];
      plain = plain && both >= 0.0 &&
              (both == 0.0 || (p->M[i * (n + 1)] > 0.0 && p->M[j * (n + 1)] > 0.0));
    }
  *yes = plain || dls_dense_semidefinite(p->n, S, ld, R, ld, stop, &fault);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* A symmetric problem with numbers near the ends of their range: solved in its scaled form, and
** judged in its own. */
static dls_status run_extreme(const dls_lcp_method *method, const dls_lcp *p,
                              const dls_lcp_opts *opts, dls_arena *tmp, double *z, double *w,
                              dls_lcp_report *report) {
  dls_lcp_extreme e;
  dls_lcp_opts inner = *opts;
  dls_status status = dls_lcp_extreme_take(&e, p, tmp);
  if (status != DLS_OK) return status;
  inner.start = NULL;
  status = method->run(&e.inner, &inner, tmp, z, w, report);
  if (status != DLS_OK) return status;
  dls_lcp_extreme_answer(&e, z);
  if (opts->trace != NULL) dls_lcp_extreme_trace(&e, opts->trace);
  dls_lcp_judge(p, opts, z, w, report->outcome, report);
  return DLS_OK;
}

/* p is what the method takes; the tests come first. */
static dls_status run_tested(const dls_lcp_method *method, const dls_lcp *p,
                             const dls_lcp_opts *opts, dls_arena *tmp, double *z, double *w,
                             dls_lcp_report *report) {
  dls_fault fault = {-1, 0.0};
  bool ok = true;
  if (method->symmetric && !dls_lcp_symmetric(p, &fault))
    return refuse(method, p, opts, z, w, fault, report);
  if (method->symmetric && opts->check) {
    const dls_status status = definite(p, opts->stop, tmp, &ok, &fault);
    if (status != DLS_OK) return status;
    if (!ok) return refuse(method, p, opts, z, w, fault, report);
  }
  if (method->symmetric && dls_lcp_is_extreme(p))
    return run_extreme(method, p, opts, tmp, z, w, report);
  return method->run(p, opts, tmp, z, w, report);
}

dls_status dls_lcp_solve(const dls_lcp_method *method, const dls_lcp *p,
                         const dls_lcp_opts *opts, dls_arena *tmp, double *z, double *w,
                         dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)p->n;
  if (p->n < 0 || (method->n_max != 0 && p->n > method->n_max)) return DLS_ARG;
  if (n == 0) {
    memset(report, 0, sizeof *report);
    report->method = method->name;
    report->fault.index = -1;
    return DLS_OK;
  }
  dls_lcp dense = *p;
  if (needs_dense(method, p)) {
    double *M = DLS_TAKE(tmp, double, n * n);
    if (M == NULL) return DLS_FULL;
    write_out(p->S, p->n, M);
    dense.M = M;
    dense.S = NULL;
  }
  dls_status status = run_tested(method, &dense, opts, tmp, z, w, report);
  report->proven = report->proven && report->outcome == DLS_RAY;
  /* auto asked already */
  if (status == DLS_OK && report->proven && (is_general(method) || method->symmetric))
    status = copositive_plus(&dense, method->symmetric, opts->stop, tmp, &report->proven);
  dls_arena_release(tmp, mark);
  return dls_stop_status(opts->stop, status);
}
