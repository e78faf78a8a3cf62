/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/graph/body_graph.h"

#include "core/graph/body_lanes.h"

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

/* A 3 x 3 block times x. */
static inline void image_2(const double *a, const double *x, double *restrict y) {
  for (int i = 0; i < 3; i++) y[i] = a[i] * x[0] + a[4 + i] * x[1] + a[8 + i] * x[2];
}

/* y <- L^-1 y, then U^-1 y, of places from `first` on, which y begins with. */
static void lower_2(const dls_body_graph *graph, int first, double *y) {
  double x[3];
  for (int k = first; k < graph->n; k++)
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++) {
      double *of = y + 4 * (size_t)(graph->col[e] - first);
      image_2(graph->low + 12 * (size_t)e, y + 4 * (size_t)(k - first), x);
      for (int i = 0; i < 3; i++) of[i] -= x[i];
    }
}

static void upper_2(const dls_body_graph *graph, int first, double *y) {
  double x[3];
  for (int k = graph->n - 1; k >= first; k--) {
    double *own = y + 4 * (size_t)(k - first);
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++) {
      image_2(graph->up + 12 * (size_t)e, y + 4 * (size_t)(graph->col[e] - first), x);
      for (int i = 0; i < 3; i++) own[i] -= x[i];
    }
    image_2(graph->d + 12 * (size_t)k, own, x);
    memcpy(own, x, sizeof x);
  }
}

/* --- in space: 6 x 6 blocks by rows ----------------------------------------------------------- */

enum { NU = 6 };

static inline void subtract_image(const double *a, const double *x, double *restrict y) {
  for (int i = 0; i < NU; i++) y[i] -= dls_dot_u(NU, a + DLS_BODY_ROW * i, x);
}

static void factor_3(const dls_body_graph *graph) {
  const dls_graph_factor K = factor_of(graph);
  dls_body_lanes_best()->factor(&K);
}

/* y <- L^-1 y, then U^-1 y, of places from `first` on, which y begins with. */
static void lower_3(const dls_body_graph *graph, int first, double *y) {
  for (int k = first; k < graph->n; k++) {
    const double *own = y + (size_t)(k - first) * DLS_BODY_ROW;
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++)
      subtract_image(graph->low + (size_t)e * DLS_BODY_BLOCK, own,
                     y + (size_t)(graph->col[e] - first) * DLS_BODY_ROW);
  }
}

static void upper_3(const dls_body_graph *graph, int first, double *y) {
  for (int k = graph->n - 1; k >= first; k--) {
    const double *d = graph->d + (size_t)k * DLS_BODY_BLOCK;
    double x[NU], *own = y + (size_t)(k - first) * DLS_BODY_ROW;
    for (int e = graph->start[k]; e < graph->start[k + 1]; e++)
      subtract_image(graph->up + (size_t)e * DLS_BODY_BLOCK,
                     y + (size_t)(graph->col[e] - first) * DLS_BODY_ROW, own);
    for (int i = 0; i < NU; i++) x[i] = dls_dot_u(NU, d + DLS_BODY_ROW * i, own);
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
  else lower_3(graph, 0, y), upper_3(graph, 0, y);
}

void dls_body_graph_solve_late(const dls_body_graph *graph, double *y) {
  if (graph->nu == 3) lower_2(graph, graph->late, y), upper_2(graph, graph->late, y);
  else lower_3(graph, graph->late, y), upper_3(graph, graph->late, y);
}

void dls_body_graph_spread_late(const dls_body_graph *graph, double *y) {
  double *late = y + (size_t)(graph->late * dls_graph_row(graph->nu));
  if (graph->nu == 3) lower_2(graph, graph->late, late), upper_2(graph, 0, y);
  else lower_3(graph, graph->late, late), upper_3(graph, 0, y);
}
