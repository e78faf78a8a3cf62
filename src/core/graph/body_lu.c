/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/body_graph.h"

#include "core/graph/graph_lanes.h"

void dls_body_graph_clear(dls_body_graph *graph) {
  const int nu = graph->nu, step = dls_graph_down(nu) + dls_graph_across(nu);
  const size_t size = (size_t)dls_graph_size(nu);
  const size_t fill = (size_t)graph->start[graph->n] * size;
  memset(graph->d, 0, (size_t)graph->n * size * sizeof(double));
  memset(graph->up, 0, fill * sizeof(double));
  memset(graph->low, 0, fill * sizeof(double));
  for (int k = 0; k < graph->n; k++)
    for (int i = 0; i < nu; i++) graph->d[(size_t)k * size + (size_t)(i * step)] = 1;
}

double dls_body_graph_cost(const dls_body_graph *graph) {
  const int nu = graph->nu;
  double sum = 0;
  for (int k = 0; k < graph->n; k++) {
    const double later = graph->start[k + 1] - graph->start[k];
    sum += (later + 1) * (later + 1);
  }
  return sum * nu * nu * nu;
}

/* --- in the plane: 3 x 3 blocks in lanes ------------------------------------------------------ */

static dls_graph_factor factor_of(const dls_body_graph *graph) {
  return (dls_graph_factor){graph->n, graph->start, graph->col, graph->d, graph->up, graph->low};
}

static void factor_2(const dls_body_graph *graph) {
  const dls_graph_factor K = factor_of(graph);
  dls_graph_lanes_best()->factor(&K);
}

static void solve_2(const dls_body_graph *graph, double *y) {
  const dls_graph_factor K = factor_of(graph);
  const dls_graph_lanes *lanes = dls_graph_lanes_best();
  lanes->lower(&K, y);
  lanes->upper(&K, y);
}

/* --- in space: 6 x 6 blocks by rows ----------------------------------------------------------- */

enum { NU = 6, NU2 = NU * NU };

/* c -= a b */
static inline void subtract_product(const double *a, const double *b, double *restrict c) {
  for (int i = 0; i < NU; i++, a += NU, c += NU) {
    for (int j = 0; j < NU; j++) {
      double sum = a[0] * b[j];
      for (int k = 1; k < NU; k++) sum += a[k] * b[NU * k + j];
      c[j] -= sum;
    }
  }
}

static inline void subtract_image(const double *a, const double *x, double *restrict y) {
  for (int i = 0; i < NU; i++) y[i] -= dls_dot_u(NU, a + NU * i, x);
}

/* a <- a^-1 by Gauss and Jordan with row pivots; a pivot below `least` of the largest number in
** its row is lifted. */
static void invert_block(double *a) {
  double inv[NU2];
  for (int i = 0; i < NU2; i++) inv[i] = i % (NU + 1) == 0;
  for (int k = 0; k < NU; k++) {
    int best = k;
    for (int i = k + 1; i < NU; i++)
      if (fabs(a[i * NU + k]) > fabs(a[best * NU + k])) best = i;
    for (int j = 0; best != k && j < NU; j++) {
      double x = a[k * NU + j], y = inv[k * NU + j];
      a[k * NU + j] = a[best * NU + j];
      inv[k * NU + j] = inv[best * NU + j];
      a[best * NU + j] = x;
      inv[best * NU + j] = y;
    }
    double pivot = a[k * NU + k];
    if (!(fabs(pivot) > 1e-30)) pivot = 1e-30;
    double scale = 1 / pivot;
    for (int j = 0; j < NU; j++) {
      a[k * NU + j] *= scale;
      inv[k * NU + j] *= scale;
    }
    for (int i = 0; i < NU; i++) {
      double x = a[i * NU + k];
      if (i == k || x == 0) continue;
      for (int j = 0; j < NU; j++) {
        a[i * NU + j] -= x * a[k * NU + j];
        inv[i * NU + j] -= x * inv[k * NU + j];
      }
    }
  }
  memcpy(a, inv, sizeof inv);
}

static void factor_3(dls_body_graph *graph) {
  for (int k = 0; k < graph->n; k++) {
    double *d = graph->d + (size_t)k * NU2;
    invert_block(d);
    int last = graph->start[k + 1];
    for (int e = graph->start[k]; e < last; e++) {
      double *low = graph->low + (size_t)e * NU2, was[NU2];
      for (int i = 0; i < NU2; i++) {
        was[i] = -low[i];
        low[i] = 0;
      }
      subtract_product(was, d, low);
    }
    for (int e = graph->start[k]; e < last; e++) {
      int i = graph->col[e], at = graph->start[i];
      const double *low = graph->low + (size_t)e * NU2, *up = graph->up + (size_t)e * NU2;
      subtract_product(low, up, graph->d + (size_t)i * NU2);
      for (int f = e + 1; f < last; f++) {
        while (graph->col[at] != graph->col[f]) at++;
        subtract_product(low, graph->up + (size_t)f * NU2, graph->up + (size_t)at * NU2);
        subtract_product(graph->low + (size_t)f * NU2, up, graph->low + (size_t)at * NU2);
      }
    }
  }
}

static void solve_3(const dls_body_graph *graph, double *y) {
  for (int k = 0; k < graph->n; k++)
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++)
      subtract_image(graph->low + (size_t)e * NU2, y + (size_t)k * NU, y + (size_t)graph->col[e] * NU);
  for (int k = graph->n - 1; k >= 0; k--) {
    double x[NU], *own = y + (size_t)k * NU;
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++)
      subtract_image(graph->up + (size_t)e * NU2, y + (size_t)graph->col[e] * NU, own);
    for (int i = 0; i < NU; i++) x[i] = dls_dot_u(NU, graph->d + (size_t)k * NU2 + NU * i, own);
    memcpy(own, x, sizeof x);
  }
}

/* --- either ----------------------------------------------------------------------------------- */

void dls_body_graph_factor(dls_body_graph *graph) {
  if (graph->nu == 3) factor_2(graph);
  else factor_3(graph);
}

void dls_body_graph_solve(const dls_body_graph *graph, double *y) {
  if (graph->nu == 3) solve_2(graph, y);
  else solve_3(graph, y);
}
