/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/quad.h"

#include "core/structure/element.h"

#define GAUSS 0.57735026918962576451 /* 1 / sqrt 3 */
#define N_MODES 4                    /* incompatible: two in each direction */
#define COLUMNS (DLS_ELEMENT_MOST + N_MODES)
#define N_STRAINS 4                  /* eps_x, eps_y, gamma, eps_z: the last of "bbar" alone */

static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

/* Derivatives of the four shape functions in the element's own axes. */
static void own_gradients(const double at[2], double g[4][2]) {
  for (int i = 0; i < 4; i++) {
    g[i][0] = 0.25 * corner[i][0] * (1.0 + at[1] * corner[i][1]);
    g[i][1] = 0.25 * corner[i][1] * (1.0 + at[0] * corner[i][0]);
  }
}

/* Plane stress has no dilatation that could lock: "bbar" is "bilinear" there. */
static bool averages(const dls_structure *st, const dls_element *e) {
  return e->form == DLS_QUAD_BBAR && !st->plane_stress;
}

/* The inverse of J = d(x, y)/d(xi, eta) times its determinant, which is answered. */
static double jacobian(const dls_structure *st, const int node[4], double g[4][2],
                       double adj[2][2]) {
  double J[2][2] = {{0, 0}, {0, 0}};
  for (int i = 0; i < 4; i++)
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) J[a][b] += st->nodes[node[i]].at[a] * g[i][b];
  adj[0][0] = J[1][1];
  adj[0][1] = -J[0][1];
  adj[1][0] = -J[1][0];
  adj[1][1] = J[0][0];
  return J[0][0] * J[1][1] - J[0][1] * J[1][0];
}

/* Derivatives in x and y, g <- J^-T g; answers det J. */
static double gradients(const dls_structure *st, const int node[4], const double at[2],
                        double g[4][2]) {
  double adj[2][2];
  own_gradients(at, g);
  const double det = jacobian(st, node, g, adj);
  for (int i = 0; i < 4; i++) {
    const double a = g[i][0], b = g[i][1];
    g[i][0] = (adj[0][0] * a + adj[1][0] * b) / det;
    g[i][1] = (adj[0][1] * a + adj[1][1] * b) / det;
  }
  return det;
}

double dls_quad_jacobian(const dls_structure *st, const int node[4], double *twice_area) {
  const double *a = st->nodes[node[0]].at, *b = st->nodes[node[1]].at, *c = st->nodes[node[2]].at,
               *d = st->nodes[node[3]].at;
  *twice_area = (c[0] - a[0]) * (d[1] - b[1]) - (c[1] - a[1]) * (d[0] - b[0]);
  double least = DLS_INF;
  for (int i = 0; i < 4; i++) {
    double g[4][2], adj[2][2];
    const double at[2] = {GAUSS * corner[i][0], GAUSS * corner[i][1]};
    own_gradients(at, g);
    least = dls_min(least, jacobian(st, node, g, adj));
  }
  return least;
}

/* D of the material as (d11, d12, d33), and the free strain of 1 K. */
static void material(const dls_structure *st, const dls_element *e, double D[3], double *strain) {
  const double nu = e->nu;
  if (st->plane_stress) {
    D[0] = e->E / (1.0 - nu * nu);
    D[1] = nu * D[0];
    *strain = e->expansion;
  } else {
    D[0] = e->E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    D[1] = e->E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    *strain = (1.0 + nu) * e->expansion;
  }
  D[2] = e->E / (2.0 * (1.0 + nu));
}

/* B from the derivatives: rows eps_x, eps_y, gamma, eps_z; mean: those of the mean dilatation, or
** NULL. */
static void strain_rows(double g[4][2], double mean[4][2], double B[N_STRAINS][COLUMNS]) {
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < 2; d++) {
      const int c = 2 * i + d;
      const double more = mean == NULL ? 0.0 : (mean[i][d] - g[i][d]) / 3.0;
      B[0][c] = (d == 0 ? g[i][0] : 0.0) + more;
      B[1][c] = (d == 1 ? g[i][1] : 0.0) + more;
      B[2][c] = g[i][1 - d];
      B[3][c] = more;
    }
}

/* Derivatives of 1 - xi^2 and 1 - eta^2 by the Jacobian of the middle, in columns 8 .. 11. */
static void mode_rows(const dls_structure *st, const int node[4], const double at[2], double det,
                      double B[N_STRAINS][COLUMNS]) {
  static const double middle[2] = {0, 0};
  double g[4][2], adj[2][2];
  own_gradients(middle, g);
  (void)jacobian(st, node, g, adj);
  for (int m = 0; m < 2; m++) {
    /* (det J0 / det J) J0^-T grad = adj(J0)' grad / det J */
    const double slope = -2.0 * at[m] / det, x = adj[m][0] * slope, y = adj[m][1] * slope;
    const int c = DLS_ELEMENT_MOST + 2 * m;
    B[0][c] = x;
    B[0][c + 1] = 0.0;
    B[1][c] = 0.0;
    B[1][c + 1] = y;
    B[2][c] = y;
    B[2][c + 1] = x;
    B[3][c] = B[3][c + 1] = 0.0;
  }
}

/* F (n x n) += w B' D B, f += w B' D (strain, strain, 0, 0). */
static void add_point(int n, const double D[3], double strain, double w,
                      double B[N_STRAINS][COLUMNS], double F[COLUMNS][COLUMNS], double *f) {
  for (int j = 0; j < n; j++) {
    const double x = B[0][j], y = B[1][j], z = B[3][j];
    const double s0 = w * (D[0] * x + D[1] * (y + z)), s1 = w * (D[0] * y + D[1] * (x + z));
    const double s2 = w * D[2] * B[2][j], s3 = w * (D[0] * z + D[1] * (x + y));
    f[j] += strain * (s0 + s1);
    for (int i = 0; i < n; i++)
      F[i][j] += B[0][i] * s0 + B[1][i] * s1 + B[2][i] * s2 + B[3][i] * s3;
  }
}

/* Eliminates the modes; F is symmetric and positive definite there. */
static void condense(double F[COLUMNS][COLUMNS], double *f) {
  for (int k = COLUMNS - 1; k >= DLS_ELEMENT_MOST; k--)
    for (int i = 0; i < k; i++) {
      const double c = F[i][k] / F[k][k];
      for (int j = 0; j < k; j++) F[i][j] -= c * F[k][j];
      f[i] -= c * f[k];
    }
}

void dls_quad_matrix(const dls_structure *st, const dls_element *e, double *K, double *heat) {
  double F[COLUMNS][COLUMNS] = {{0}};
  double f[COLUMNS] = {0}, g[4][4][2], det[4], mean[4][2] = {{0}}, D[3], strain;
  const bool modes = e->form == DLS_QUAD_INCOMPATIBLE, bbar = averages(st, e);
  double area = 0.0;
  material(st, e, D, &strain);
  for (int q = 0; q < 4; q++) {
    const double at[2] = {GAUSS * corner[q][0], GAUSS * corner[q][1]};
    det[q] = gradients(st, e->node, at, g[q]);
    area += det[q];
    for (int i = 0; i < 8; i++) mean[i / 2][i % 2] += det[q] * g[q][i / 2][i % 2];
  }
  for (int i = 0; i < 8; i++) mean[i / 2][i % 2] /= area;
  for (int q = 0; q < 4; q++) {
    const double at[2] = {GAUSS * corner[q][0], GAUSS * corner[q][1]};
    double B[N_STRAINS][COLUMNS];
    strain_rows(g[q], bbar ? mean : NULL, B);
    if (modes) mode_rows(st, e->node, at, det[q], B);
    add_point(modes ? COLUMNS : DLS_ELEMENT_MOST, D, strain,
              st->thickness * det[q], B, F, f);
  }
  if (modes) condense(F, f);
  for (int i = 0; i < 8; i++) {
    heat[i] = f[i];
    for (int j = 0; j < 8; j++) K[8 * i + j] = 0.5 * (F[i][j] + F[j][i]);
  }
}

/* In the middle the incompatible modes have no strain, and the mean dilatation of "bbar" is used.
** */
void dls_quad_stress(const dls_structure *st, const dls_element *e, const double *u, double T,
                     double *s) {
  static const double middle[2] = {0, 0};
  double g[4][2], mean[4][2] = {{0}}, B[N_STRAINS][COLUMNS], D[3], strain, eps[N_STRAINS] = {0};
  const bool bbar = averages(st, e);
  double area = 0.0;
  for (int q = 0; q < 4 && bbar; q++) {
    const double at[2] = {GAUSS * corner[q][0], GAUSS * corner[q][1]};
    const double det = gradients(st, e->node, at, g);
    area += det;
    for (int i = 0; i < 8; i++) mean[i / 2][i % 2] += det * g[i / 2][i % 2];
  }
  for (int i = 0; i < 8 && bbar; i++) mean[i / 2][i % 2] /= area;
  (void)gradients(st, e->node, middle, g);
  strain_rows(g, bbar ? mean : NULL, B);
  material(st, e, D, &strain);
  for (int a = 0; a < N_STRAINS; a++)
    for (int i = 0; i < 8; i++) eps[a] += B[a][i] * u[i];
  eps[0] -= strain * T;
  eps[1] -= strain * T;
  s[0] = D[0] * eps[0] + D[1] * (eps[1] + eps[3]);
  s[1] = D[0] * eps[1] + D[1] * (eps[0] + eps[3]);
  s[2] = D[2] * eps[2];
}
