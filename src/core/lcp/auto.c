/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/auto.h"

#include "core/lcp/block.h"
#include "core/base/vector.h"
#include "core/lcp/energy_small.h"
#include "core/lcp/extreme.h"
#include "core/lcp/method.h"
#include "core/lcp/residual.h"

/* From this size on the block method is the faster one of the two. */
#define N_BLOCK 150
#define N_ENUMERATE 12
/* A sparse problem beyond this is not written out for lemke. */
#define N_WRITE_OUT 5000

/* From these sizes on a sparse factor is the faster one: of matrices with up to four entries a row
** (stacks), and of such with up to N_A_ROW (piles). Dense matrices are looked at for that. */
#define N_CHAIN 64
#define CHAIN 4
#define N_SPARSE 300
#define N_A_ROW 16

/* Is a sparse factor the faster way for n rows with n_entries entries? */
static bool wants_sparse(int n, size_t n_entries) {
  return n >= N_CHAIN && n_entries <= (size_t)n * (n < N_SPARSE ? CHAIN : N_A_ROW);
}

/* Entries up to which a dense matrix of n rows is looked at: beyond, the choice is that of any
** other. */
static size_t most_entries(int n) {
  return (size_t)n * (n < N_CHAIN ? 0 : (n <= N_BLOCK ? CHAIN : N_A_ROW));
}

/* --- memory --------------------------------------------------------------------------------- */
static const char *const names[] = {"energy", "block", "lemke", "enumerate"};
#define N_NAMES 4

static size_t copy_bytes(int n) {
  const size_t nnz = most_entries(n) + (size_t)n; /* the row that is one too many, too */
  size_t bytes = dls_arena_bytes((size_t)n + 1 + nnz, sizeof(int));
  return dls_bytes_add(bytes, dls_arena_bytes(nnz, sizeof(double)));
}

static bool may_be_sparse(const dls_lcp *p) {
  return p->M != NULL && p->n >= N_CHAIN && p->n <= DLS_LCP_BLOCK_BOTH_MAX;
}

size_t dls_lcp_auto_bytes(const dls_lcp *p) {
  size_t most = 0;
  for (int i = 0; i < N_NAMES; i++) {
    const dls_lcp_method *method = dls_lcp_method_find(names[i]);
    if (method == NULL || (method->n_max != 0 && p->n > method->n_max)) continue;
    /* where it comes to these, DLS_FULL asks for more */
    if (p->S != NULL && !method->sparse && p->n >= N_SPARSE) continue;
    const size_t bytes = dls_lcp_solve_bytes(method, p);
    if (bytes > most) most = bytes;
  }
  if (may_be_sparse(p)) {
    const size_t both = dls_lcp_block_both_bytes(p->n, most_entries(p->n));
    most = dls_bytes_add(most > both ? most : both, copy_bytes(p->n));
  }
  return dls_bytes_add(most, dls_arena_bytes((size_t)p->n, sizeof(double)));
}

/* --- sparse or dense ------------------------------------------------------------------------ */
/* Are these four numbers zeros of either sign? */
static bool nothing(const double *x) {
  uint64_t bits[4];
  memcpy(bits, x, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3]) << 1 == 0;
}

/* Appends the entries of a row from the k-th place on; answers the next free one. */
static int append(const double *row, int n, int *col, double *value, int k) {
  for (int j = 0; j < n; j++) {
    if (j + 4 <= n && nothing(row + j)) {
      j += 3;
      continue;
    }
    col[k] = j;
    value[k] = row[j];
    k += row[j] != 0.0;
  }
  return k;
}

/* Has M no more than most entries? Two at a time, and no further than it takes. */
#ifdef DLS_PLAIN_C
static bool has_few(const dls_lcp *p, size_t most) {
  const size_t n = (size_t)p->n;
  size_t entries = 0;
  for (size_t i = 0; i < n && entries <= most; i++)
    for (size_t j = 0; j < n; j++) entries += p->M[i * n + j] != 0.0;
  return entries <= most;
}
#else
typedef long long two DLS_VECTOR(16);
typedef double loose_two DLS_LOOSE(16, 8);

static bool has_few(const dls_lcp *p, size_t most) {
  const size_t n = (size_t)p->n, even = n & ~(size_t)1;
  size_t entries = 0;
  for (size_t i = 0; i < n && entries <= most; i++) {
    const double *row = p->M + i * n;
    two zeros = {0, 0};
    for (size_t j = 0; j < even; j += 2) zeros += (two)(*(const loose_two *)(row + j) == 0.0);
    entries += even + (size_t)(zeros[0] + zeros[1]) + (even < n && row[even] != 0.0);
  }
  return entries <= most;
}
#endif

/* The dense matrix of p by its entries, in memory of tmp; false: there are too many, or no room. */
static bool compress(const dls_lcp *p, dls_arena *tmp, dls_sparse *S) {
  const size_t most = most_entries(p->n), n = (size_t)p->n;
  if (!has_few(p, most)) return false;
  int *start = DLS_TAKE(tmp, int, n + 1 + most + n), k = 0;
  double *value = DLS_TAKE(tmp, double, most + n);
  if (start == NULL || value == NULL) return false;
  int *col = start + n + 1;
  for (int i = 0; i < p->n; i++) {
    start[i] = k;
    k = append(p->M + (size_t)i * n, p->n, col, value, k);
  }
  start[n] = k;
  *S = (dls_sparse){p->n, p->n, start, col, value};
  return true;
}

/* --- the choice ----------------------------------------------------------------------------- */
static bool diagonal_ok(const dls_lcp *p) {
  const double *diagonal = p->M;
  for (int i = 0; p->M != NULL && i < p->n; i++, diagonal += p->n + 1)
    if (*diagonal < 0.0) return false;
  for (int i = 0; p->M == NULL && i < p->n; i++)
    if (dls_lcp_at(p, i, i) < 0.0) return false;
  return true;
}

/* One method; false where it is not in the table or where the call itself failed. */
static bool attempt(const char *name, const dls_lcp *p, const dls_lcp_opts *opts,
                    dls_arena *tmp, double *z, double *w, dls_lcp_report *report,
                    dls_status *status) {
  const dls_lcp_method *method = dls_lcp_method_find(name);
  if (method == NULL) return false;
  *status = dls_lcp_solve(method, p, opts, tmp, z, w, report);
  return *status == DLS_OK;
}

/* A dense matrix with few entries by its sparse factor; false: it is not one, or not symmetric.
** few: it has few, though the factor is not the faster way. */
static bool attempt_sparse(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                           double *w, dls_lcp_report *report, bool *few, dls_status *status) {
  const size_t mark = dls_arena_mark(tmp);
  dls_sparse S;
  dls_fault fault;
  bool done = false;
  *few = compress(p, tmp, &S);
  if (*few && wants_sparse(p->n, (size_t)S.start[p->n]) && !dls_lcp_is_extreme(p)) {
    const dls_lcp sparse = {p->n, NULL, &S, p->q};
    done = dls_lcp_symmetric(&sparse, &fault);
    if (done) *status = dls_lcp_block_both(p, &S, opts, tmp, z, w, report);
    *status = dls_stop_status(opts->stop, *status);
  }
  dls_arena_release(tmp, mark);
  return done && *status == DLS_OK;
}

/* Lemke's method, and every basis there is where that fails and n is small. What the first method
** reached stays where neither does better. */
static dls_status general(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report) {
  const size_t n = (size_t)p->n;
  const dls_lcp_report first = *report;
  dls_status status = DLS_ARG;
  double *kept = DLS_TAKE(tmp, double, n);
  if (kept == NULL) return DLS_FULL;
  memcpy(kept, z, n * sizeof *z);
  if (!attempt("lemke", p, opts, tmp, z, w, report, &status)) return status;
  if (report->outcome != DLS_SOLVED && p->n <= N_ENUMERATE) {
    if (!attempt("enumerate", p, opts, tmp, z, w, report, &status)) return status;
  }
  if (first.method != NULL && first.outcome == DLS_LIMIT && report->outcome != DLS_SOLVED &&
      first.residual < report->residual) {
    *report = first;
    memcpy(z, kept, n * sizeof *z);
    dls_lcp_judge(p, opts, z, w, first.outcome, report);
  }
  return DLS_OK;
}

/* The method for a symmetric positive semidefinite matrix, which this one may be. */
static bool attempt_symmetric(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                              double *w, dls_lcp_report *report, dls_status *status) {
  const bool plain = opts->trace == NULL && !opts->check;
  bool few = false;
  if (plain && may_be_sparse(p) && attempt_sparse(p, opts, tmp, z, w, report, &few, status))
    return true;
  if (*status != DLS_OK) return false;
  bool block = p->n > N_BLOCK && !(few && p->n < N_SPARSE); /* small piles are singular */
  if (p->S != NULL) block = p->n >= N_SPARSE || wants_sparse(p->n, (size_t)p->S->start[p->n]);
  const char *first = block && opts->trace == NULL ? "block" : "energy";
  return attempt(first, p, opts, tmp, z, w, report, status);
}

/* No z has a smaller residual but by chance: the one at hand is that of a z rounded to its last
** bit. */
static bool at_round_off(const dls_lcp *p, const double *z, const dls_lcp_report *report) {
  double most = 0.0, q_most = 0.0;
  if (p->M == NULL || report->outcome != DLS_LIMIT) return false;
  for (int i = 0; i < p->n; i++) {
    const double *row = p->M + (size_t)i * (size_t)p->n;
    double size = fabs(p->q[i]);
    q_most = dls_max(q_most, size);
    for (int j = 0; j < p->n; j++) size += fabs(row[j]) * fabs(z[j]);
    most = dls_max(most, size);
  }
  return report->residual * q_most <= 2.2e-16 * most;
}

dls_status dls_lcp_auto(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                        double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  dls_status status = DLS_OK;
  bool done = false;
  if (dls_lcp_energy_small(p, opts, z, w, report)) return DLS_OK;
  report->method = NULL;
  if (diagonal_ok(p)) {
    done = attempt_symmetric(p, opts, tmp, z, w, report, &status);
    if (status != DLS_OK) return status;
  }
  if (done && (report->outcome == DLS_SOLVED || report->outcome == DLS_RAY)) return status;
  if (done && (at_round_off(p, z, report) || (p->S != NULL && p->n > N_WRITE_OUT))) return status;
  status = general(p, opts, tmp, z, w, report);
  dls_arena_release(tmp, mark);
  return status;
}
