/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Complementarity solvers on identical inputs in turn: ours, Bullet's Dantzig, Siconos' lexicographic
** Lemke and Newton min-FB, and one LAPACK Cholesky of the final active block as a yardstick. Prints
** CSV: family, n, solver, microseconds (best of many), failures, worst residual, pivots. bench/lcp.lua
** builds and runs it:  lcp_bench <seconds a cell> <n> ...   -DWITH_BULLET -DWITH_SICONOS -DWITH_LAPACK */
extern "C" {
#include "core/lcp/block.h"
#include "core/lcp/energy.h"
#include "core/lcp/method.h"
#include "core/lcp/residual.h"
}
#include "lcp_families.h"

#include <cstdio>
#include <ctime>
#include <vector>

#ifdef WITH_BULLET
#include <BulletDynamics/MLCPSolvers/btDantzigLCP.h>
#endif
#ifdef WITH_SICONOS
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#endif
#ifdef WITH_LAPACK
extern "C" void dpotrf_(const char *, const int *, double *, const int *, int *);
extern "C" void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *,
                        const int *, int *);
#endif

typedef std::vector<double> numbers;

struct problem {
  int n;
  numbers M, q;
};

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static dls_arena arena;

static int ours(dls_lcp_run run, const problem &p, numbers &z, int *pivots) {
  static numbers w;
  w.resize((size_t)p.n);
  const dls_lcp lcp = {p.n, p.M.data(), NULL, p.q.data()};
  const dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  if (run(&lcp, &opts, &arena, z.data(), w.data(), &report) != DLS_OK) return 0;
  *pivots = report.pivots;
  return report.outcome != DLS_UNSUITABLE; /* the residual decides, as for the peers */
}

static int run_tableau(const problem &p, numbers &z, int *k) { return ours(dls_lcp_energy_tableau, p, z, k); }
static int run_energy(const problem &p, numbers &z, int *k) { return ours(dls_lcp_energy, p, z, k); }
static int run_factor(const problem &p, numbers &z, int *k) { return ours(dls_lcp_energy_factor, p, z, k); }
static int run_block(const problem &p, numbers &z, int *k) { return ours(dls_lcp_block, p, z, k); }
static int run_auto(const problem &p, numbers &z, int *k) {
  return ours(dls_lcp_method_find("auto")->run, p, z, k);
}

#ifdef WITH_BULLET
static int run_bullet(const problem &p, numbers &z, int *) {
  static numbers A, b, w, lo, hi;
  static std::vector<int> findex;
  static btDantzigScratchMemory scratch;
  const int n = p.n, skip = n > 1 ? ((n - 1) | 3) + 1 : n;
  A.resize((size_t)n * skip);
  b.resize(n), w.resize(n), lo.assign(n, 0.0), hi.assign(n, SIMD_INFINITY), findex.assign(n, -1);
  for (int i = 0; i < n; i++) {
    memcpy(&A[(size_t)i * skip], &p.M[(size_t)i * n], n * sizeof(double));
    b[i] = -p.q[i];
  }
  return btSolveDantzigLCP(n, A.data(), z.data(), b.data(), w.data(), 0, lo.data(), hi.data(),
                           findex.data(), scratch);
}
#endif

#ifdef WITH_SICONOS
static int run_siconos(int id, const problem &p, numbers &z) {
  static numbers w;
  w.assign(p.n, 0.0);
  z.assign(p.n, 0.0);
  NumericsMatrix *M = NM_create_from_data(NM_DENSE, p.n, p.n, (void *)p.M.data());
  LinearComplementarityProblem lcp = {p.n, M, (double *)p.q.data()};
  SolverOptions *o = solver_options_create(id);
  o->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  int info = 1;
  if (id == SICONOS_LCP_LEMKE) {
    o->iparam[SICONOS_IPARAM_MAX_ITER] = 100 * p.n;
    lcp_lexicolemke(&lcp, z.data(), w.data(), &info, o);
  } else {
    lcp_newton_minFB(&lcp, z.data(), w.data(), &info, o);
  }
  solver_options_delete(o);
  M->matrix0 = NULL;
  NM_free(M);
  return info == 0;
}
static int run_lemke(const problem &p, numbers &z, int *) { return run_siconos(SICONOS_LCP_LEMKE, p, z); }
static int run_minfb(const problem &p, numbers &z, int *) {
  return run_siconos(SICONOS_LCP_NEWTON_MIN_FBLSA, p, z);
}
#endif

#ifdef WITH_LAPACK
/* The active block is that of our answer; gathering it is not timed here but costs little. */
static int run_cholesky(const problem &p, numbers &z, int *) {
  static numbers A, b;
  static std::vector<int> S;
  static const problem *last = NULL;
  int info = 0, k = 0;
  const int one = 1;
  if (last != &p) {
    S.clear();
    (void)run_factor(p, z, &k);
    for (int i = 0; i < p.n; i++)
      if (z[i] > 0.0) S.push_back(i);
    last = &p;
  }
  k = (int)S.size();
  if (k == 0) return 1;
  A.resize((size_t)k * k), b.resize(k);
  for (int j = 0; j < k; j++)
    for (int i = j; i < k; i++) A[(size_t)j * k + i] = p.M[(size_t)S[j] * p.n + S[i]];
  for (int j = 0; j < k; j++) b[j] = -p.q[S[j]];
  dpotrf_("L", &k, A.data(), &k, &info);
  if (info == 0) dpotrs_("L", &k, &one, A.data(), &k, b.data(), &k, &info);
  z.assign(p.n, 0.0);
  for (int j = 0; j < k; j++) z[S[j]] = b[j];
  return info == 0;
}
#endif

struct solver {
  const char *name;
  int (*run)(const problem &, numbers &, int *);
};

static const solver solvers[] = {
    {"energy", run_energy}, {"energy tableau", run_tableau}, {"energy factor", run_factor}, {"block", run_block},
    {"auto", run_auto},
#ifdef WITH_BULLET
    {"Bullet Dantzig", run_bullet},
#endif
#ifdef WITH_SICONOS
    {"Siconos lexicolemke", run_lemke}, {"Siconos Newton min-FB", run_minfb},
#endif
#ifdef WITH_LAPACK
    {"LAPACK Cholesky of the active block", run_cholesky},
#endif
};

static double residual(const problem &p, const numbers &z) {
  numbers w((size_t)p.n);
  double natural;
  const dls_lcp lcp = {p.n, p.M.data(), NULL, p.q.data()};
  return dls_lcp_residual(&lcp, z.data(), w.data(), &natural);
}

/* All solvers of a problem set in turn, again and again, the best time of each. */
static void cell(const char *family, int n, double seconds) {
  const int n_problems = n <= 4 ? 10 : n <= 16 ? 8 : n <= 64 ? 3 : n <= 256 ? 2 : 1;
  const int n_solvers = (int)(sizeof solvers / sizeof *solvers);
  std::vector<problem> set;
  for (int k = 0; k < n_problems; k++) {
    problem p = {n, numbers((size_t)n * n), numbers((size_t)n)};
    make_family(family, n, k, p.M.data(), p.q.data());
    set.push_back(p);
  }
  std::vector<double> best(n_solvers, 1e30), worst(n_solvers, 0.0), spent(n_solvers, 0.0);
  std::vector<int> failed(n_solvers, 0), pivots(n_solvers, 0);
  numbers z((size_t)n);
  for (int s = 0; s < n_solvers; s++)
    for (int k = 0; k < n_problems; k++) {
      int count = 0;
      const double t = now();
      const int ok = solvers[s].run(set[k], z, &count);
      spent[s] += now() - t;
      const double r = residual(set[k], z);
      if (!ok || !(r <= 1e-6)) failed[s]++;
      if (r > worst[s]) worst[s] = r;
      pivots[s] += count;
    }
  for (double start = now(); now() - start < seconds * n_solvers;)
    for (int s = 0; s < n_solvers; s++) {
      if (spent[s] > 4.0 * seconds) continue;
      const int rounds = n <= 16 ? 50 : n <= 64 ? 5 : 1;
      int count;
      const double t = now();
      for (int i = 0; i < rounds; i++)
        for (int k = 0; k < n_problems; k++) (void)solvers[s].run(set[k], z, &count);
      const double took = now() - t;
      spent[s] += took;
      if (took / rounds / n_problems < best[s]) best[s] = took / rounds / n_problems;
    }
  for (int s = 0; s < n_solvers; s++) {
    if (best[s] > 1e29) best[s] = spent[s] / n_problems;
    printf("%s,%d,%s,%.3f,%d/%d,%.1e,%.1f\n", family, n, solvers[s].name, best[s] * 1e6, failed[s],
           n_problems, worst[s], (double)pivots[s] / n_problems);
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  const char *only = getenv("FAMILY");
  const dls_alloc alloc = dls_alloc_libc();
  if (dls_arena_create(&arena, &alloc, (size_t)256 << 20) != DLS_OK) return 1;
  printf("family,n,solver,microseconds,failed,worst residual,pivots\n");
  for (int i = 2; i < argc; i++)
    for (int f = 0; family_names[f] != NULL; f++)
      if (only == NULL || strcmp(only, family_names[f]) == 0) cell(family_names[f], atoi(argv[i]), seconds);
  dls_arena_destroy(&arena, &alloc);
  return 0;
}
