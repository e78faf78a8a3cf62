/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef LCP_PEERS_H
#define LCP_PEERS_H

/* Other people's solvers behind one call: int run(const problem &, numbers &z), 1 where the solver says
** that it succeeded. Each is there where bench/lcp.lua found it: -DWITH_BULLET -DWITH_ODE -DWITH_SICONOS
** -DWITH_QUADPROG. Copies that a solver needs of its input (it destroys it) are timed with it. */
#include <cstring>
#include <vector>

#ifdef WITH_BULLET
#include <BulletDynamics/MLCPSolvers/btDantzigLCP.h>
#include <BulletDynamics/MLCPSolvers/btLemkeAlgorithm.h>
#endif
#ifdef WITH_SICONOS
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#endif

typedef std::vector<double> numbers;

struct problem {
  int n;
  numbers M, q;
};

#ifdef WITH_BULLET
static int run_bullet(const problem &p, numbers &z) {
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

static int run_bullet_lemke(const problem &p, numbers &z) {
  const int n = p.n;
  btMatrixXu M(n, n);
  btVectorXu q(n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) M.setElem(i, j, p.M[(size_t)i * n + j]);
    q[i] = p.q[i];
  }
  btLemkeAlgorithm lemke(M, q);
  const btVectorXu answer = lemke.solve(100 * n + 100);
  for (int i = 0; i < n; i++) z[i] = answer[n + i];
  return lemke.getInfo() >= 0;
}
#endif

#ifdef WITH_ODE
/* ODE exports its Dantzig solver, though no header declares it: b and x in turn, lo and hi in turn,
** memory from an arena of which only the first pointer matters here. */
class dxWorldProcessMemArena {
 public:
  void *next, *begin, *end, *arena;
  const void *manager;
};
void dxSolveLCP(dxWorldProcessMemArena *arena, unsigned n, double *A, double *bx, double *w, unsigned nub,
                double *lohi, int *findex);
size_t dxEstimateSolveLCPMemoryReq(unsigned n, bool outer_w);

static int run_ode(const problem &p, numbers &z) {
  static numbers A, bx, w, lohi, memory;
  const int n = p.n, skip = n > 1 ? ((n - 1) | 3) + 1 : n;
  memory.resize(dxEstimateSolveLCPMemoryReq(n, true) / sizeof(double) + 64);
  A.resize((size_t)n * skip + 2);
  bx.resize(2 * n), w.resize(n), lohi.resize(2 * n);
  for (int i = 0; i < n; i++) {
    memcpy(&A[(size_t)i * skip], &p.M[(size_t)i * n], n * sizeof(double));
    bx[2 * i] = -p.q[i], bx[2 * i + 1] = 0.0;
    lohi[2 * i] = 0.0, lohi[2 * i + 1] = (double)INFINITY;
  }
  char *base = (char *)(((uintptr_t)memory.data() + 63) & ~(uintptr_t)63);
  dxWorldProcessMemArena arena = {base, base, (char *)(memory.data() + memory.size()), base, NULL};
  dxSolveLCP(&arena, n, A.data(), bx.data(), w.data(), 0, lohi.data(), NULL);
  for (int i = 0; i < n; i++) z[i] = bx[2 * i + 1];
  return 1;
}
#endif

#ifdef WITH_QUADPROG
/* Goldfarb and Idnani's dual method, from R's package: min z'Mz / 2 + q'z over z >= 0. */
extern "C" typedef void quadprog_call(double *D, double *d, int *ld, int *n, double *x, double *multipliers,
                                      double *value, double *A, double *b, int *lda, int *m, int *n_equal,
                                      int *active, int *n_active, int *iterations, double *work, int *error);
#include <dlfcn.h>

static int run_quadprog(const problem &p, numbers &z) {
  static quadprog_call *call = NULL;
  static numbers D, d, multipliers, A, b, work;
  static std::vector<int> active;
  int n = p.n, m = p.n, n_equal = 0, n_active, iterations[2], error = 0;
  double value;
  if (call == NULL) {
    void *library = dlopen(WITH_QUADPROG, RTLD_NOW);
    if (library == NULL || (call = (quadprog_call *)dlsym(library, "qpgen2_")) == NULL) return 0;
  }
  D = p.M, d.resize(n), b.assign(n, 0.0), multipliers.resize(n), active.resize(n);
  if (A.size() != (size_t)n * n) {
    A.assign((size_t)n * n, 0.0);
    for (int i = 0; i < n; i++) A[(size_t)i * n + i] = 1.0;
  }
  work.resize(2 * (size_t)n + (size_t)n * (n + 5) / 2 + 2 * n + 1);
  for (int i = 0; i < n; i++) d[i] = -p.q[i];
  call(D.data(), d.data(), &n, &n, z.data(), multipliers.data(), &value, A.data(), b.data(), &n, &m, &n_equal,
       active.data(), &n_active, iterations, work.data(), &error);
  for (int i = 0; i < n; i++) z[i] = z[i] > 0.0 ? z[i] : 0.0;
  return error == 0;
}
#endif

#ifdef WITH_SICONOS
static int run_siconos(int id, int pivoting, const problem &p, numbers &z) {
  static numbers w;
  w.assign(p.n, 0.0);
  z.assign(p.n, 0.0);
  NumericsMatrix *M = NM_create_from_data(NM_DENSE, p.n, p.n, (void *)p.M.data());
  LinearComplementarityProblem lcp = {p.n, M, (double *)p.q.data()};
  SolverOptions *o = solver_options_create(id);
  o->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  if (id != SICONOS_LCP_NEWTON_MIN_FBLSA) o->iparam[SICONOS_IPARAM_MAX_ITER] = 100 * p.n;
  if (pivoting) o->iparam[SICONOS_LCP_IPARAM_PIVOTING_METHOD_TYPE] = pivoting;
  int info = 1;
  switch (id) {
  case SICONOS_LCP_LEMKE: lcp_lexicolemke(&lcp, z.data(), w.data(), &info, o); break;
  case SICONOS_LCP_NEWTON_MIN_FBLSA: lcp_newton_minFB(&lcp, z.data(), w.data(), &info, o); break;
  default: info = linearComplementarity_driver(&lcp, z.data(), w.data(), o); break;
  }
  solver_options_delete(o);
  M->matrix0 = NULL;
  NM_free(M);
  return info == 0;
}
#define SICONOS(name, id, pivoting) \
  static int name(const problem &p, numbers &z) { return run_siconos(id, pivoting, p, z); }
SICONOS(run_lemke, SICONOS_LCP_LEMKE, 0)
SICONOS(run_pivot_lemke, SICONOS_LCP_PIVOT, SICONOS_LCP_PIVOT_LEMKE)
SICONOS(run_pivot_least, SICONOS_LCP_PIVOT, SICONOS_LCP_PIVOT_LEAST_INDEX)
SICONOS(run_pivot_bard, SICONOS_LCP_PIVOT, SICONOS_LCP_PIVOT_BARD)
SICONOS(run_pathsearch, SICONOS_LCP_PIVOT, SICONOS_LCP_PIVOT_PATHSEARCH)
SICONOS(run_lumod, SICONOS_LCP_PIVOT_LUMOD, 0)
SICONOS(run_avi, SICONOS_LCP_AVI_CAOFERRIS, 0)
SICONOS(run_minfb, SICONOS_LCP_NEWTON_MIN_FBLSA, 0)
#endif

struct peer {
  const char *name;
  int (*run)(const problem &, numbers &);
};

static const peer peers[] = {
#ifdef WITH_BULLET
    {"Bullet Dantzig", run_bullet},
    {"Bullet Lemke", run_bullet_lemke},
#endif
#ifdef WITH_ODE
    {"ODE Dantzig", run_ode},
#endif
#ifdef WITH_QUADPROG
    {"quadprog Goldfarb-Idnani", run_quadprog},
#endif
#ifdef WITH_SICONOS
    {"Siconos lexicolemke", run_lemke},
    {"Siconos pivot Lemke", run_pivot_lemke},
    {"Siconos pivot least-index", run_pivot_least},
    {"Siconos pivot Bard", run_pivot_bard},
    {"Siconos pivot pathsearch", run_pathsearch},
    {"Siconos pivot LUMOD", run_lumod},
    {"Siconos AVI Cao-Ferris", run_avi},
    {"Siconos Newton min-FB", run_minfb},
#endif
    {NULL, NULL}};

#endif
