/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/planar.h"
#include "core/lcp/method.h"

/* Every row i of the system gets unknowns of the complementarity problem:
**     contact normal, unilateral   one (p)
**     contact tangent              two (p_R, u-)
**     box, finite                  two (p - lo, u-)
**     no lower or no upper bound   two (p+, p-), or one shifted by the bound there is */
#define ENUMERATED 12

typedef struct corner {
  int n;           /* unknowns                                        */
  int *first;      /* first unknown of each row                       */
  double *M, *q;   /* n x n, n                                        */
  double *x, *w;   /* n each                                          */
} corner;

static int unknowns_of(const dls_cone_group *g, int k) {
  if (g->kind == DLS_CONE_UNILATERAL) return 1;
  if (g->kind == DLS_CONE_PLANAR) return k == 0 ? 1 : 2;
  if (g->kind == DLS_CONE_BILATERAL) return 2;
  return (g->lo > -DLS_INF) != (g->hi < DLS_INF) ? 1 : 2;
}

static int count(const dls_cone_problem *pr) {
  int n = 0;
  for (int g = 0; g < pr->n_groups; g++)
    for (int k = 0; k < dls_cone_laws[pr->groups[g].kind].n_rows; k++)
      n += unknowns_of(&pr->groups[g], k);
  return n;
}

static dls_lcp lcp_of(const corner *c) {
  return (dls_lcp){.n = c->n, .M = c->M, .q = c->q};
}

size_t dls_cone_lemke_bytes(const dls_cone_problem *pr) {
  int group;
  if (!dls_cone_is_planar(pr, &group)) return dls_cone_system_bytes(pr);
  size_t n = (size_t)pr->n_rows, m = (size_t)count(pr);
  size_t line = dls_arena_bytes(m, sizeof(double));
  const dls_lcp lcp = {.n = (int)m};
  size_t a = dls_lcp_solve_bytes(dls_lcp_method_find("lemke"), &lcp);
  size_t b = m <= ENUMERATED ? dls_lcp_solve_bytes(dls_lcp_method_find("enumerate"), &lcp) : 0;
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr), a > b ? a : b);
  sum = dls_bytes_add(sum, dls_arena_bytes(dls_bytes(n, n), sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes(dls_bytes(m, m), sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes(n, sizeof(int)));
  sum = dls_bytes_add(sum, dls_arena_bytes(n, sizeof(double)));
  for (int k = 0; k < 3; k++) sum = dls_bytes_add(sum, line);
  return sum;
}

/* p_i = constant + sum over its unknowns: coefficient on the first and on the second one, and of
** the contact's normal for a tangent (p_T = p_R - mu p_N). */
typedef struct share {
  double constant, first, second; /* N s, and by unknown */
} share;

static share share_of(const dls_cone_system *sys, int g) {
  if (sys->groups[g].kind == DLS_CONE_PLANAR || sys->groups[g].kind == DLS_CONE_UNILATERAL)
    return (share){0, 1, 0};
  bool low = sys->lo[g] > -DLS_INF, high = sys->hi[g] < DLS_INF;
  if (low) return (share){sys->lo[g], 1, 0};
  if (high) return (share){sys->hi[g], -1, 0};
  return (share){0, 1, -1};
}

/* Adds row i of u = A p + c, expressed in the unknowns, to row r of (M, q) with a sign. */
static void add_row(const dls_cone_system *sys, const double *A, int i, double sign, int r,
                    corner *c) {
  double *M = c->M + (size_t)r * (size_t)c->n;
  const double *a = A + (size_t)i * (size_t)sys->n;
  c->q[r] += sign * sys->c[i];
  for (int g = 0; g < sys->n_groups; g++) {
    int j = sys->groups[g].row;
    share s = share_of(sys, g);
    c->q[r] += sign * a[j] * s.constant;
    M[c->first[j]] += sign * a[j] * s.first;
    if (s.second != 0) M[c->first[j] + 1] += sign * a[j] * s.second;
    if (sys->dim[g] < 2) continue;
    M[c->first[j]] -= sign * a[j + 1] * sys->shape[g].mu[0];
    M[c->first[j + 1]] += sign * a[j + 1];
  }
}

static void fill(const dls_cone_system *sys, const double *A, corner *c) {
  memset(c->M, 0, (size_t)c->n * (size_t)c->n * sizeof(double));
  memset(c->q, 0, (size_t)c->n * sizeof(double));
  for (int g = 0; g < sys->n_groups; g++) {
    int i = sys->groups[g].row, r = c->first[i];
    double *next = c->M + (size_t)(r + 1) * (size_t)c->n; /* row of the second unknown */
    share s = share_of(sys, g);
    add_row(sys, A, i, s.first, r, c);
    if (sys->groups[g].kind == DLS_CONE_PLANAR) {
      int t = c->first[i + 1];
      add_row(sys, A, i + 1, 1, t, c);
      c->M[(size_t)t * (size_t)c->n + (size_t)(t + 1)] = 1; /* + u- */
      c->M[(size_t)(t + 1) * (size_t)c->n + (size_t)r] = 2 * sys->shape[g].mu[0];
      c->M[(size_t)(t + 1) * (size_t)c->n + (size_t)t] = -1;
    } else if (s.second != 0) {
      add_row(sys, A, i, s.second, r + 1, c);
    } else if (unknowns_of(&sys->groups[g], 0) == 2) {
      c->M[(size_t)r * (size_t)c->n + (size_t)(r + 1)] = 1;
      next[r] = -1;
      c->q[r + 1] = sys->hi[g] - sys->lo[g];
    }
  }
}

static void impulses(const dls_cone_system *sys, const corner *c, double *z) {
  for (int g = 0; g < sys->n_groups; g++) {
    int i = sys->groups[g].row;
    share s = share_of(sys, g);
    z[i] = s.constant + s.first * c->x[c->first[i]];
    if (s.second != 0) z[i] += s.second * c->x[c->first[i] + 1];
    if (sys->dim[g] == 2) z[i + 1] = c->x[c->first[i + 1]] - sys->shape[g].mu[0] * z[i];
  }
}

static dls_status solve(const dls_cone_opts *opts, dls_arena *tmp, corner *c,
                        dls_cone_report *report) {
  dls_lcp_opts o = dls_lcp_opts_default();
  dls_lcp_report r;
  o.tolerance = dls_min(opts->tolerance, 1e-10);
  o.max_pivots = opts->max_iterations;
  const dls_lcp lcp = lcp_of(c);
  dls_status status = dls_lcp_solve(dls_lcp_method_find("lemke"), &lcp, &o, tmp, c->x, c->w, &r);
  report->iterations = r.pivots;
  report->outcome = r.outcome;
  if (status != DLS_OK || r.outcome == DLS_SOLVED || c->n > ENUMERATED) return status;
  report->fallback = true;
  status = dls_lcp_solve(dls_lcp_method_find("enumerate"), &lcp, &o, tmp, c->x, c->w, &r);
  return status;
}

dls_status dls_cone_lemke(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                          double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp), n = (size_t)pr->n_rows;
  dls_cone_system sys;
  corner c = {0};
  double *A = NULL, *z = NULL;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "lemke", .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  if (status == DLS_OK && !dls_cone_is_planar(pr, &report->fault.index)) status = DLS_ARG;
  if (status == DLS_OK) {
    c.n = count(pr);
    A = DLS_TAKE(tmp, double, n * n);
    z = DLS_TAKE(tmp, double, n);
    c.first = DLS_TAKE(tmp, int, n);
    c.M = DLS_TAKE(tmp, double, (size_t)c.n * (size_t)c.n);
    c.q = DLS_TAKE(tmp, double, c.n);
    c.x = DLS_TAKE(tmp, double, c.n);
    c.w = DLS_TAKE(tmp, double, c.n);
    if (!A || !z || !c.first || !c.M || !c.q || !c.x || !c.w) status = DLS_FULL;
  }
  if (status == DLS_OK) {
    int at = 0;
    for (int g = 0; g < sys.n_groups; g++)
      for (int k = 0; k < sys.dim[g]; at += unknowns_of(&sys.groups[g], k), k++)
        c.first[sys.groups[g].row + k] = at;
    dls_cone_dense(&sys, A);
    fill(&sys, A, &c);
    status = solve(opts, tmp, &c, report);
  }
  if (status == DLS_OK) {
    dls_outcome end = report->outcome;
    impulses(&sys, &c, z);
    dls_cone_system_finish(&sys, z, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, end, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
