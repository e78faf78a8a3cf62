/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/contact_parts.h"
#include "core/lcp/method.h"
#include "core/math/elementary.h"

/* Contacts that adhere in space with a polygon for the disk of their friction (D. E. Stewart, J. C.
** Trinkle, 1996):
**
**     a_N  _|_  x_N,    d_f . a_T + l  _|_  b_f,    mu (x_N + least) - sum b_f  _|_  l,    lambda_T = sum b_f d_f
**
** a linear problem, which Lemke's path solves where it has no ray. */

/* Even: the two directions of a contact with one tangent are the first and the one opposite. Of
** 1,290 random impacts 12 leave one of those that have a solution for 24 and more facets. */
#define FACETS 24
#define MOST 8    /* contacts that adhere; */
#define ROWS 24   /* rows of the set: sets beyond these are left to others */

static int size_of(int n, int n_adhering) { return n + n_adhering * (FACETS + 1); }

size_t dls_contact_facets_bytes(int n_rows) {
  if (n_rows > ROWS) return 0;
  const int half = n_rows / 2, n_adhering = half < MOST ? half : MOST;
  const size_t n = (size_t)size_of(n_rows, n_adhering);
  const dls_lcp largest = {.n = (int)n};
  size_t bytes = dls_arena_bytes(n * n, sizeof(double));
  for (int k = 0; k < 3; k++) bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  return dls_bytes_add(bytes, dls_lcp_solve_bytes(dls_lcp_method_find("lemke"), &largest));
}

/* Direction f of a contact with d tangents; those with one have two directions, the others are
** 0. */
static void direction(int d, int f, double *to) {
  const double angle = 2 * DLS_PI * f / FACETS;
  to[0] = d == 2 ? dls_cos(angle) : f == 0 ? 1 : f == FACETS / 2 ? -1 : 0;
  to[1] = d == 2 ? dls_sin(angle) : 0;
}

/* Row r of the dynamics, weighed by `share`, added to row k of M and q. */
static void add_row(const dls_contact_problem *p, int r, double share, double *M_k, double *q_k) {
  *q_k += share * p->c[r];
  for (int j = 0, t = p->n; j < p->n; j++) {
    const double column = share * dls_contact_column(p, r, j, false);
    M_k[j] += column;
    *q_k += column * dls_contact_least(p, j);
    if (!dls_contact_adheres(p, j)) continue;
    for (int f = 0; f < FACETS; f++) {
      double to[2];
      direction(p->n_tangents[j], f, to);
      for (int l = 0; l < p->n_tangents[j]; l++)
        M_k[t + f] += share * to[l] * dls_contact_G(p, r, p->row[j] + 1 + l);
    }
    t += FACETS + 1;
  }
}

static void pose(const dls_contact_problem *p, int size, double *M, double *q) {
  memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
  memset(q, 0, (size_t)size * sizeof *q);
  for (int i = 0, t = p->n; i < p->n; i++) {
    add_row(p, p->row[i], 1, M + (size_t)i * (size_t)size, &q[i]);
    if (!dls_contact_adheres(p, i)) continue;
    const int bound = t + FACETS;
    double *last = M + (size_t)bound * (size_t)size;
    for (int f = 0; f < FACETS; f++) {
      double to[2], *row = M + (size_t)(t + f) * (size_t)size;
      direction(p->n_tangents[i], f, to);
      for (int l = 0; l < p->n_tangents[i]; l++)
        add_row(p, p->row[i] + 1 + l, to[l], row, &q[t + f]);
      row[bound] = 1, last[t + f] = -1;
    }
    last[i] = p->mu[i], q[bound] = p->mu[i] * dls_contact_least(p, i);
    t += FACETS + 1;
  }
}

bool dls_contact_facets(const dls_contact_problem *p, dls_arena *tmp, double *lambda) {
  const size_t mark = dls_arena_mark(tmp);
  int n_adhering = 0;
  for (int i = 0; i < p->n; i++) n_adhering += dls_contact_adheres(p, i);
  if (p->n_rows > ROWS || n_adhering > MOST) return false;
  const int size = size_of(p->n, n_adhering);
  const size_t n = (size_t)size;
  double *M = DLS_TAKE(tmp, double, n *n), *q = DLS_TAKE(tmp, double, n);
  double *z = DLS_TAKE(tmp, double, n), *w = DLS_TAKE(tmp, double, n);
  bool solved = false;
  if (M != NULL && q != NULL && z != NULL && w != NULL) {
    pose(p, size, M, q);
    const dls_lcp lcp = {.n = size, .M = M, .q = q};
    const dls_lcp_opts opts = dls_lcp_opts_default();
    dls_lcp_report r;
    solved = dls_lcp_solve(dls_lcp_method_find("lemke"), &lcp, &opts, tmp, z, w, &r) == DLS_OK &&
             r.outcome == DLS_SOLVED;
  }
  if (solved) memset(lambda, 0, (size_t)p->n_rows * sizeof *lambda);
  for (int i = 0, t = p->n; i < p->n && solved; i++) {
    double *at = lambda + p->row[i];
    const int d = p->n_tangents[i];
    at[0] = z[i] + dls_contact_least(p, i);
    if (dls_contact_slides(p, i))
      for (int l = 0; l < d; l++) at[1 + l] = -p->mu[i] * at[0] * p->slip[2 * i + l];
    if (!dls_contact_adheres(p, i)) continue;
    for (int f = 0; f < FACETS; f++) {
      double to[2];
      direction(d, f, to);
      for (int l = 0; l < d; l++) at[1 + l] += z[t + f] * to[l];
    }
    t += FACETS + 1;
  }
  dls_arena_release(tmp, mark);
  return solved;
}
