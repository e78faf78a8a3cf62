/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Checks of the C core that Lua cannot reach: prints one line a failure, then "done <count>".
**   lcp_host paths          every kernel on every path, bit for bit
**   lcp_host pivots N       tableau and factor form: the same pivots
**   lcp_host piles N        singular piles: residual <= 1e-10
**   lcp_host block N        block and energy: the same w
**   lcp_host families       every family, every method of its class, by residual
**   lcp_host math N         factorisations and solves, by residual */
#include "core/lcp/block.h"
#include "core/lcp/energy.h"
#include "core/lcp/energy_small.h"
#include "core/lcp/trace.h"
#include "core/math/dense.h"
#include "core/math/sparse_ldl.h"
#include "lcp_families.h"

#include <stdio.h>

enum { N_MAX = 640 };
static double M[N_MAX * N_MAX], q[N_MAX], z[N_MAX], w[N_MAX], z2[N_MAX], w2[N_MAX];
static int n_failed, n_done;

static void fail(const char *what, int a, int b) {
  n_failed++;
  if (n_failed <= 20) printf("failed: %s (%d, %d)\n", what, a, b);
}

/* --- paths: one checksum of everything the kernels make --------------------------------------- */
typedef struct sum {
  uint64_t h;
} sum;

static void take(sum *s, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    s->h = (s->h ^ bits) * 1099511628211ull;
    s->h ^= s->h >> 29;
  }
}

enum { L = 72 };

static void fill(family_rng *r, double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = normal(r) * exp(4.0 * normal(r));
}

static uint64_t run_kernels(const dls_lanes *l, int n, int m) {
  static double A[L * L], B[L * L], C[L * L], x[L], y[L], f[L], d[L], tq[L], td[L], s[L];
  family_rng r = {(uint64_t)(n * 131 + m)};
  int rows[L];
  sum h = {1469598103934665603ull};
  fill(&r, A, L * L);
  fill(&r, B, L * L);
  fill(&r, C, L * L);
  fill(&r, x, L);
  fill(&r, y, L);
  fill(&r, d, L);
  for (int i = 0; i < L; i++) {
    tq[i] = td[i] = 1e-12;
    s[i] = uniform(&r) < 0.5 ? -1.0 : 1.0;
    rows[i] = (int)(uniform(&r) * L);
    f[i] = 0.0;
  }
  const double scalars[2] = {l->dot(n, x, y), l->amax(n, x)};
  take(&h, scalars, 2);
  l->axpy(n, 0.3, x, y);
  l->rotate(n, 0.6, 0.8, A, B);
  l->gemv(m, n, A, L, x, f);
  take(&h, f, m);
  l->gemv_t(m, n, A, L, x, y);
  l->combine(m, n, A, L, rows, x, y);
  l->rank1(m, n, x, y, B, L);
  const int n8 = n & ~7;
  l->gemm(m, n8, n, A, 1, L, B, L, C, L, false);
  l->gemm(m, n8, n, A, L, 1, B, L, C, L, false);
  const int third = n < 6 ? 0 : dls_lanes_fours(n / 3), whole[2] = {0, n}, parts[4] = {0, third, third, n - third};
  l->gemm_runs(3, 3, A, L, B, L, whole, 1, C, L);
  l->gemm_runs(3, 1, B, L, A, L, parts, 2, C, L);
  l->gemm_runs(1, 3, A + 5, L, B, L, whole, 1, C, L);
  l->gemm_runs(1 + m % 6, 1 + n % 6, A + 3, L, B + m, L, parts, 2, C + 7 * L, L);
  take(&h, y, n);
  take(&h, A, L * L);
  take(&h, B, L * L);
  take(&h, C, L * L);
  const double chosen = l->choose(n8, y, d, tq, td);
  take(&h, &chosen, 1);
  if (n8 > 0) l->pivot(m < n8 ? m : n8, n8, A, L, y, d, f, 0);
  l->less(n8, m, B, L, n8 > 3 ? 3 : 0, y);
  l->absorb(n8, x, 0.7, -0.2, s, f, y, d);
  take(&h, A, L * L);
  take(&h, y, n);
  take(&h, d, n);
  take(&h, f, n);
  return h.h;
}

extern const dls_lanes lanes_wide; /* lanes_wide.c */

/* A symmetric matrix is its mirror; with one bit turned anywhere beside the diagonal it is not. */
static void check_mirror(const dls_lanes *l, int n) {
  static double A[L * L];
  family_rng r = {(uint64_t)n};
  fill(&r, A, L * L);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
  if (!l->mirrored(n, A)) fail("mirrored", n, -1);
  for (int e = 0; e < n * n; e += 1 + n * n / 100) {
    const double kept = A[e];
    uint64_t bits;
    memcpy(&bits, &kept, sizeof bits);
    bits ^= 1;
    memcpy(&A[e], &bits, sizeof bits);
    if (l->mirrored(n, A) != (e / n == e % n)) fail("mirrored", n, e);
    A[e] = kept;
  }
}

static void check_paths(void) {
  for (int n = 0; n < L; n++) {
    for (int i = 0; dls_lanes_at(i) != NULL; i++) check_mirror(dls_lanes_at(i), n);
    check_mirror(&lanes_wide, n);
  }
  for (int n = 0; n < L; n++)
    for (int m = 0; m < L - 8; m += 7, n_done++) {
      const uint64_t plain = run_kernels(dls_lanes_at(0), n, m);
      for (int i = 1; dls_lanes_at(i) != NULL; i++)
        if (run_kernels(dls_lanes_at(i), n, m) != plain) fail(dls_lanes_at(i)->name, n, m);
      if (run_kernels(&lanes_wide, n, m) != plain) fail(lanes_wide.name, n, m);
    }
}

/* --- problems --------------------------------------------------------------------------------- */
static dls_lcp_report solve(dls_lcp_run run, int n, dls_arena *tmp, double *to, double *image,
                            dls_lcp_trace *trace) {
  const dls_lcp p = {n, M, NULL, q};
  dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  opts.trace = trace;
  if (run(&p, &opts, tmp, to, image, &report) != DLS_OK) fail("status", n, 0);
  return report;
}

/* The factor form takes the pivots of the tableau: as many, to the same basis, the basis after each
** being told by a run stopped there. */
static void check_pivots(int count, dls_arena *tmp) {
  for (int seed = 0; seed < count; seed++, n_done++) {
    const int n = 2 + seed % 39;
    family_rng r = {(uint64_t)seed * 7919u + 5u};
    make_spd(&r, n, 0.0, M, q);
    const dls_lcp_report a = solve(dls_lcp_energy_tableau, n, tmp, z, w, NULL);
    const dls_lcp_report b = solve(dls_lcp_energy_factor, n, tmp, z2, w2, NULL);
    if (a.outcome != DLS_SOLVED || b.outcome != DLS_SOLVED) fail("solved", n, seed);
    if (a.pivots != b.pivots) fail("pivots", n, seed);
    for (int i = 0; i < n; i++)
      if ((z[i] > 0.0) != (z2[i] > 0.0)) fail("basis", n, seed);
    const dls_lcp_report c = solve(dls_lcp_energy, n, tmp, z2, w2, NULL);
    if (c.pivots != a.pivots || (n <= 8 && memcmp(z, z2, (size_t)n * sizeof *z) != 0))
      fail("small form", n, seed);
    if (n <= DLS_ENERGY_SMALL_MAX) {
      const dls_lcp small = {n, M, NULL, q};
      if (dls_energy_small_plain(&small, z2) >= 0 && memcmp(z, z2, (size_t)n * sizeof *z) != 0)
        fail("small form, plain", n, seed);
    }
    const dls_lcp p = {n, M, NULL, q};
    dls_lcp_opts opts = dls_lcp_opts_default();
    dls_lcp_report ra, rb;
    for (int k = 1; k < a.pivots; k++) {
      opts.max_pivots = k;
      (void)dls_lcp_energy_tableau(&p, &opts, tmp, z, w, &ra);
      (void)dls_lcp_energy_factor(&p, &opts, tmp, z2, w2, &rb);
      for (int i = 0; i < n; i++)
        if ((z[i] > 0.0) != (z2[i] > 0.0)) fail("basis on the way", n, seed);
    }
  }
}

static void check_piles(int count, dls_arena *tmp) {
  for (int seed = 0; seed < count; seed++, n_done++) {
    const int n = 6 + seed * 13 % 90;
    family_rng r = {(uint64_t)seed * 104729u + 3u};
    make_pile(&r, n, seed % 2 ? 0.1 : 0.0, M, q);
    const dls_lcp_report a = solve(dls_lcp_energy, n, tmp, z, w, NULL);
    const dls_lcp_report b = solve(dls_lcp_block, n, tmp, z2, w2, NULL);
    if (a.outcome != DLS_SOLVED || a.residual > 1e-10) fail("energy", n, seed);
    if (b.outcome != DLS_SOLVED || b.residual > 1e-10) fail("block", n, seed);
    for (int i = 0; i < n; i++) /* w is unique where z is not */
      if (fabs(w[i] - w2[i]) > 1e-9) fail("w", n, seed);
  }
}

static void check_block(int count, dls_arena *tmp) {
  for (int seed = 0; seed < count; seed++, n_done++) {
    const int n = 1 + seed * 31 % 120;
    make_family(seed % 3 ? "spd" : "stackv", n, seed, M, q);
    const dls_lcp_report a = solve(dls_lcp_energy, n, tmp, z, w, NULL);
    const dls_lcp_report b = solve(dls_lcp_block, n, tmp, z2, w2, NULL);
    if (a.outcome != DLS_SOLVED || b.outcome != DLS_SOLVED) fail("solved", n, seed);
    double scale = 1.0;
    for (int i = 0; i < n; i++) scale = fmax(scale, z[i]);
    for (int i = 0; i < n; i++) /* condition below 1e5 */
      if (fabs(z[i] - z2[i]) > 1e-10 * scale) fail("z", n, seed);
  }
}

static void check_families(dls_arena *tmp) {
  const int sizes[] = {1, 3, 8, 17, 40, 64, 150, 256};
  const dls_lcp_run runs[] = {dls_lcp_energy_tableau, dls_lcp_energy_factor, dls_lcp_block};
  for (int f = 0; family_names[f] != NULL; f++)
    for (int s = 0; s < 8; s++)
      for (int m = 0; m < 3; m++, n_done++) {
        make_family(family_names[f], sizes[s], s, M, q);
        const dls_lcp_report a = solve(runs[m], sizes[s], tmp, z, w, NULL);
        /* at condition 1e8 and |z| to 1e8 max|q|, w itself carries a round-off of 1e-8 max|q| */
        const double most = strcmp(family_names[f], "illR") == 0 ? 1e-7 : 1e-11;
        if (!(a.residual <= most)) fail(family_names[f], sizes[s], m);
      }
  make_family("pile", 600, 0, M, q); /* beyond the size from which piles go by proximal steps */
  const dls_lcp_report a = solve(dls_lcp_block, 600, tmp, z, w, NULL);
  if (a.outcome != DLS_SOLVED || a.fallback) fail("proximal steps", 600, a.iterations);
  n_done++;
}

/* --- factorisations --------------------------------------------------------------------------- */
static double F[N_MAX * (N_MAX + 16)], x[N_MAX], b[N_MAX];

static double off(int n, const double *answer) { /* max |M x - b| beside max |M| max |x| */
  double worst = 0.0, m = 0.0, most = 0.0;
  for (int i = 0; i < n; i++) {
    double s = -b[i];
    for (int j = 0; j < n; j++) s += M[i * n + j] * answer[j];
    for (int j = 0; j < n; j++) m = fmax(m, fabs(M[i * n + j]));
    worst = fmax(worst, fabs(s));
    most = fmax(most, fabs(answer[i]));
  }
  return worst / (m * most * n);
}

static void copy(int n, size_t ld) {
  for (int i = 0; i < n; i++)
    for (size_t j = 0; j < ld; j++) F[(size_t)i * ld + j] = j < (size_t)n ? M[i * n + (int)j] : 0.0;
}

static void check_sparse(int n, family_rng *r, dls_arena *tmp) {
  static int start[N_MAX + 1], col[N_MAX * 8];
  static double value[N_MAX * 8];
  static unsigned char S[N_MAX];
  const size_t mark = dls_arena_mark(tmp);
  const int stride = 2 + (int)(uniform(r) * 8.0);
  int k = 0;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = 0; i < n; i++) {
    M[i * n + i] = 5.0 + uniform(r);
    const int steps[2] = {1, stride};
    for (int s = 0; s < 2; s++)
      if (i >= steps[s]) M[i * n + i - steps[s]] = M[(i - steps[s]) * n + i] = normal(r) * 0.5;
  }
  for (int i = 0; i < n; i++) {
    start[i] = k;
    S[i] = uniform(r) < 0.7;
    b[i] = normal(r);
    for (int j = 0; j < n; j++)
      if (M[i * n + j] != 0.0) {
        col[k] = j;
        value[k++] = M[i * n + j];
      }
  }
  start[n] = k;
  const dls_sparse A = {n, n, start, col, value};
  dls_sparse_ldl f;
  if (dls_sparse_ldl_take(&f, &A, tmp) != DLS_OK) fail("room", n, 0);
  if (dls_sparse_ldl_factor(&f, NULL, 0.0, 1e-12) >= 0) fail("sparse pivot", n, stride);
  dls_sparse_ldl_solve(&f, NULL, b, x);
  if (!(off(n, x) < 1e-14)) fail("sparse", n, stride);
  if (dls_sparse_ldl_factor(&f, S, 0.0, 1e-12) >= 0) fail("sparse part, pivot", n, stride);
  dls_sparse_ldl_solve(&f, S, b, x);
  for (int i = 0; i < n; i++) {
    double s = -b[i];
    for (int j = 0; j < n; j++) s += M[i * n + j] * x[j];
    if (S[i] ? fabs(s) > 1e-12 : x[i] != 0.0) fail("sparse part", n, i);
  }
  dls_arena_release(tmp, mark);
}

/* P M P' = R'R of the semidefinite M at hand, which a pile makes: every element, the order of the pivots,
** and that the rank is the one found by elimination with full pivoting here. */
static void check_pivoted(int n, int seed) {
  static int perm[N_MAX], seen[N_MAX];
  static double A[N_MAX * N_MAX];
  const size_t ld = dls_lanes_ld(n);
  int rank = 0, full = 0;
  copy(n, ld);
  rank = dls_dense_cholesky_pivoted(n, F, ld, 1e-10, perm);
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < n; i++) seen[perm[i]]++;
  for (int i = 0; i < n; i++)
    if (seen[i] != 1) fail("pivoted cholesky, order", n, seed);
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      double s = -M[perm[i] * n + perm[j]];
      for (int k = 0; k < rank && k <= i; k++) s += F[(size_t)k * ld + (size_t)i] * F[(size_t)k * ld + (size_t)j];
      if (!(fabs(s) < 1e-12)) fail("pivoted cholesky", n, seed); /* M_ii <= 2 */
    }
  for (int k = 1; k < rank; k++)
    if (F[(size_t)k * ld + (size_t)k] > F[(size_t)(k - 1) * ld + (size_t)(k - 1)] * (1.0 + 1e-12))
      fail("pivoted cholesky, pivots", n, seed);
  memcpy(A, M, (size_t)n * (size_t)n * sizeof *A);
  for (; full < n; full++) {
    int r = full, c = full;
    for (int i = full; i < n; i++)
      for (int j = full; j < n; j++)
        if (fabs(A[i * n + j]) > fabs(A[r * n + c])) r = i, c = j;
    if (fabs(A[r * n + c]) < 1e-9) break;
    for (int j = 0; j < n; j++) {
      const double t = A[full * n + j];
      A[full * n + j] = A[r * n + j];
      A[r * n + j] = t;
    }
    for (int i = 0; i < n; i++) {
      const double t = A[i * n + full];
      A[i * n + full] = A[i * n + c];
      A[i * n + c] = t;
    }
    for (int i = full + 1; i < n; i++) {
      const double l = A[i * n + full] / A[full * n + full];
      for (int j = full; j < n; j++) A[i * n + j] -= l * A[full * n + j];
    }
  }
  if (rank != full) fail("pivoted cholesky, rank", rank, full);
}

static void check_math(int count, dls_arena *tmp) {
  static int perm[N_MAX];
  double pivot;
  for (int seed = 0; seed < count; seed++, n_done++) {
    const int n = 1 + seed * 17 % 200;
    const size_t ld = dls_lanes_ld(n);
    family_rng r = {(uint64_t)seed * 31337u + 1u};
    make_spd(&r, n, 0.0, M, q);
    for (int i = 0; i < n; i++) b[i] = normal(&r);
    copy(n, ld);
    if (dls_dense_cholesky(n, F, ld, &pivot) >= 0) fail("cholesky", n, seed);
    memcpy(x, b, sizeof x);
    dls_dense_forward(n, F, ld, x);
    dls_dense_backward(n, F, ld, x);
    if (!(off(n, x) < 1e-14)) fail("cholesky, solve", n, seed);
    for (int i = 0; i < n * n; i++) M[i] = normal(&r);
    copy(n, ld);
    if (dls_dense_lu(n, F, ld, perm) >= 0) fail("lu", n, seed);
    dls_dense_lu_solve(n, F, ld, perm, b, x);
    if (!(off(n, x) < 1e-14)) fail("lu, solve", n, seed);
    make_pile(&r, n < 6 ? 6 : n, 0.0, M, q); /* of rank two a disk at most */
    const int m = n < 6 ? 6 : n;
    const size_t ldm = dls_lanes_ld(m);
    dls_fault fault;
    if (!dls_dense_semidefinite(m, M, (size_t)m, F, ldm, NULL, &fault)) fail("semidefinite", m, seed);
    check_pivoted(m, n);
    M[0] = -1e-3;
    if (dls_dense_semidefinite(m, M, (size_t)m, F, ldm, NULL, &fault)) fail("indefinite", m, seed);
    check_sparse(n, &r, tmp);
  }
}

int main(int argc, char **argv) {
  const dls_alloc alloc = dls_alloc_libc();
  const char *what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? atoi(argv[2]) : 0;
  dls_arena tmp;
  if (dls_arena_create(&tmp, &alloc, (size_t)64 << 20) != DLS_OK) return 1;
  if (!strcmp(what, "paths")) check_paths();
  else if (!strcmp(what, "pivots")) check_pivots(count, &tmp);
  else if (!strcmp(what, "piles")) check_piles(count, &tmp);
  else if (!strcmp(what, "block")) check_block(count, &tmp);
  else if (!strcmp(what, "families")) check_families(&tmp);
  else if (!strcmp(what, "math")) check_math(count, &tmp);
  dls_arena_destroy(&tmp, &alloc);
  printf("done %d, failed %d\n", n_done, n_failed);
  return n_failed != 0;
}
