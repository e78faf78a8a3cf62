/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Complementarity solvers on identical inputs in turn: every method of ours as lcp.solve calls it, on
** dense and (stacks, piles) sparse matrices, peers (peers/lcp_peers.h), and one LAPACK Cholesky of the
** final active block as a yardstick. Prints CSV: family, n, solver, microseconds (best of many),
** failures, worst residual, pivots; a solver that crashed or took longer than LIMIT seconds for one
** problem has no time. bench/lcp.lua builds and runs it:  lcp_bench <seconds a cell> <n> ...
** FAMILY, PEERS=0 in the environment narrow it down. */
extern "C" {
#include "core/lcp/energy.h"
#include "core/lcp/method.h"
#include "core/lcp/residual.h"
}
#include "lcp_families.h"
#include "peers/lcp_peers.h"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_LAPACK
extern "C" void dpotrf_(const char *, const int *, double *, const int *, int *);
extern "C" void dpotrs_(const char *, const int *, const int *, const double *, const int *, double *,
                        const int *, int *);
#endif

static const double LIMIT = 1.0; /* seconds of a first try */

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- ours --------------------------------------------------------------------------------------- */
static dls_arena arena;

struct rows { /* a problem's matrix by rows, without its zeros */
  std::vector<int> start, col;
  numbers value;
  dls_sparse S;
};

struct task {
  int number; /* no other task has it */
  problem p;
  rows sparse;
};

static int ours(const dls_lcp_method *method, const task &t, bool sparse, numbers &z, int *pivots) {
  static numbers w;
  w.resize((size_t)t.p.n);
  const dls_lcp lcp = {t.p.n, sparse ? NULL : t.p.M.data(), sparse ? &t.sparse.S : NULL, t.p.q.data()};
  const dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  if (dls_lcp_solve(method, &lcp, &opts, &arena, z.data(), w.data(), &report) != DLS_OK) return 0;
  *pivots = report.pivots;
  return report.outcome != DLS_UNSUITABLE; /* the residual decides, as for the peers */
}

static int form(dls_lcp_run run, const task &t, numbers &z, int *pivots) {
  static numbers w;
  w.resize((size_t)t.p.n);
  const dls_lcp lcp = {t.p.n, t.p.M.data(), NULL, t.p.q.data()};
  const dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  if (run(&lcp, &opts, &arena, z.data(), w.data(), &report) != DLS_OK) return 0;
  *pivots = report.pivots;
  return report.outcome != DLS_UNSUITABLE;
}

#ifdef WITH_LAPACK
/* The active block is that of our answer; gathering it is not timed here but costs little. */
static int run_cholesky(const task &t, numbers &z) {
  static numbers A, b;
  static std::vector<int> S;
  static int last = -1;
  const problem &p = t.p;
  int info = 0, k = 0;
  const int one = 1;
  if (last != t.number) {
    S.clear();
    (void)form(dls_lcp_energy_factor, t, z, &k);
    for (int i = 0; i < p.n; i++)
      if (z[i] > 0.0) S.push_back(i);
    last = t.number;
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

/* --- all of them -------------------------------------------------------------------------------- */
struct solver {
  std::string name;
  const dls_lcp_method *method; /* ours, or NULL                  */
  bool sparse;                  /* ours, on the sparse matrix     */
  dls_lcp_run form;             /* one form of energy             */
  const peer *other;            /* a peer; all NULL: LAPACK       */

  int run(const task &t, numbers &z, int *pivots) const {
    if (method != NULL) return ours(method, t, sparse, z, pivots);
    if (form != NULL) return ::form(form, t, z, pivots);
    if (other != NULL) return other->run(t.p, z);
#ifdef WITH_LAPACK
    return run_cholesky(t, z);
#else
    return 0;
#endif
  }
};

static std::vector<solver> solvers_for(const char *family, int n) {
  std::vector<solver> list;
  const bool sparse = n > 4 && (!strncmp(family, "stack", 5) || !strncmp(family, "pile", 4));
  const dls_lcp_method *m;
  const char *only = getenv("PEERS");
  for (int i = 0; (m = dls_lcp_method_at(i)) != NULL; i++)
    if (m->n_max == 0 || n <= 4) list.push_back({m->name, m, false, NULL, NULL});
  list.push_back({"energy tableau", NULL, false, dls_lcp_energy_tableau, NULL});
  list.push_back({"energy factor", NULL, false, dls_lcp_energy_factor, NULL});
  for (int i = 0; sparse && (m = dls_lcp_method_at(i)) != NULL; i++)
    if (m->n_max == 0) list.push_back({std::string(m->name) + " (sparse)", m, true, NULL, NULL});
  for (int i = 0; peers[i].name != NULL && (only == NULL || strcmp(only, "0") != 0); i++)
    list.push_back({peers[i].name, NULL, false, NULL, &peers[i]});
#ifdef WITH_LAPACK
  list.push_back({"LAPACK Cholesky of the active block", NULL, false, NULL, NULL});
#endif
  return list;
}

static double residual(const problem &p, const numbers &z) {
  numbers w((size_t)p.n);
  double natural;
  const dls_lcp lcp = {p.n, p.M.data(), NULL, p.q.data()};
  return dls_lcp_residual(&lcp, z.data(), w.data(), &natural);
}

/* The first tries of a solver on a set of problems, in a process of its own: peers crash and loop. What it
** did not come to is lost. */
struct first_try {
  int ok, pivots;
  double seconds, residual;
};

static void try_all(const solver &s, const std::vector<task> &set, int out) {
  for (size_t k = 0; k < set.size(); k++) {
    first_try t = {0, 0, 0.0, DLS_INF};
    numbers z((size_t)set[k].p.n);
    alarm((unsigned)LIMIT);
    for (int again = 0; again < 2; again++) { /* the first one warms up */
      const double start = now();
      t.ok = s.run(set[k], z, &t.pivots);
      t.seconds = now() - start;
      if (t.seconds > 0.01) break;
    }
    alarm(0);
    t.residual = residual(set[k].p, z);
    if (write(out, &t, sizeof t) != (ssize_t)sizeof t) return;
  }
}

static std::vector<first_try> attempt(const solver &s, const std::vector<task> &set) {
  std::vector<first_try> results(set.size(), first_try{0, 0, DLS_INF, DLS_INF});
  int ends[2];
  if (pipe(ends) != 0) return results;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try_all(s, set, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  first_try t;
  for (size_t k = 0; k < set.size() && read(ends[0], &t, sizeof t) == (ssize_t)sizeof t; k++) results[k] = t;
  close(ends[0]);
  if (child > 0) (void)waitpid(child, NULL, 0);
  return results;
}

static void fill_task(const char *family, int n, int seed, task *t) {
  static int n_tasks = 0;
  t->number = n_tasks++;
  t->p = {n, numbers((size_t)n * n), numbers((size_t)n)};
  make_family(family, n, seed, t->p.M.data(), t->p.q.data());
  rows &r = t->sparse;
  r.start.push_back(0);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      if (t->p.M[(size_t)i * n + j] != 0.0) r.col.push_back(j), r.value.push_back(t->p.M[(size_t)i * n + j]);
    r.start.push_back((int)r.col.size());
  }
  r.S = {n, n, r.start.data(), r.col.data(), r.value.data()};
}

/* All solvers of a problem set in turn, again and again, the best time of each. */
static void cell(const char *family, int n, double seconds) {
  const int n_problems = n <= 4 ? 10 : n <= 16 ? 8 : n <= 64 ? 3 : n <= 256 ? 2 : 1;
  const std::vector<solver> solvers = solvers_for(family, n);
  const size_t n_solvers = solvers.size();
  std::vector<task> set(n_problems);
  for (int k = 0; k < n_problems; k++) fill_task(family, n, k, &set[k]);
  std::vector<double> best(n_solvers, DLS_INF), worst(n_solvers, 0.0), spent(n_solvers, 0.0);
  std::vector<int> failed(n_solvers, 0), pivots(n_solvers, 0);
  numbers z((size_t)n);
  for (size_t s = 0; s < n_solvers; s++) {
    double sum = 0.0;
    for (const first_try &t : attempt(solvers[s], set)) {
      sum += t.seconds;
      if (!t.ok || !(t.residual <= 1e-6)) failed[s]++;
      if (!(t.residual <= worst[s])) worst[s] = t.residual;
      pivots[s] += t.pivots;
    }
    spent[s] = sum;
    best[s] = sum / n_problems;
  }
  for (double start = now(); now() - start < seconds * (double)n_solvers;) {
    bool any = false;
    for (size_t s = 0; s < n_solvers; s++) {
      if (spent[s] > 2.0 * seconds) continue;
      const int rounds = n <= 16 ? 50 : n <= 64 ? 5 : 1;
      int count;
      any = true;
      const double t = now();
      for (int i = 0; i < rounds; i++)
        for (int k = 0; k < n_problems; k++) (void)solvers[s].run(set[k], z, &count);
      const double took = now() - t;
      spent[s] += took;
      if (took / rounds / n_problems < best[s]) best[s] = took / rounds / n_problems;
    }
    if (!any) break;
  }
  for (size_t s = 0; s < n_solvers; s++)
    printf("%s,%d,%s,%.3f,%d/%d,%.1e,%.1f\n", family, n, solvers[s].name.c_str(), best[s] * 1e6, failed[s],
           n_problems, worst[s], (double)pivots[s] / n_problems);
  fflush(stdout);
}

int main(int argc, char **argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  const char *only = getenv("FAMILY");
  const dls_alloc alloc = dls_alloc_libc();
  if (dls_arena_create(&arena, &alloc, (size_t)256 << 20) != DLS_OK) return 1;
  for (int i = 2; i < argc; i++)
    for (int f = 0; family_names[f] != NULL; f++)
      if (only == NULL || strcmp(only, family_names[f]) == 0) cell(family_names[f], atoi(argv[i]), seconds);
  dls_arena_destroy(&arena, &alloc);
  return 0;
}
