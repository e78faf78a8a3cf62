/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/contact_step.h"

#include "core/graph/body_lanes.h"
#include "core/rows/mass.h"

enum { NU = 6, PAIR = 2 * NU };

/* Where a contact's numbers stand in law->S. */
enum { SOFT_N, SOFT_T, W_1, W_2, MU }; /* 1/e_n; 1/e_t or beta; w; mu */

bool dls_is_plain_contact(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row, *gamma = rows->gamma + block->row;
  return DLS_CONTACT_STEPS && rows->nu == NU && block->kind == DLS_ROW_CONE && block->n == 3 && gamma[1] == gamma[2] &&
         length[0] == 1 && length[1] == 1 && length[2] == 1;
}

/* z, y with the damping in it, at p + t dp. */
static void read(const dls_rows *rows, const dls_block *block, const dls_newton *N, int at, double t, double *z, double *y) {
  const double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  const double *J = rows->J + (size_t)block->row * PAIR, *p = rows->p + block->row, *dp = N->dp + (size_t)at * NU;
  const double *s = rows->s + block->row, *gamma = rows->gamma + block->row;
  const dls_linear_law *law = &N->law[at];
  for (int k = 0; k < 3; k++) {
    const double E = N->damp * law->norm * law->drag[k > 0];
    double drag = 0;
    z[k] = p[k];
    y[k] = dls_row_velocity(NU, J + k * PAIR, u_a, u_b) + s[k];
    if (t > 0) {
      z[k] += t * dp[k];
      y[k] += t * N->dv[(size_t)at * NU + (size_t)k];
      drag = E * t * dp[k];
    }
    if (N->centre) drag = E * (z[k] - N->centre[(size_t)at * NU + (size_t)k]);
    y[k] += gamma[k] * z[k] + drag;
  }
}

/* |F / rho|^2. */
static inline double merit_of(const double *z, double rho, double x_n, const double *x, double cut) {
  const double F[3] = {(z[0] - x_n) / rho, (z[1] - cut * x[0]) / rho, (z[2] - cut * x[1]) / rho};
  return F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
}

double dls_contact_linearise(const dls_rows *rows, const dls_block *block, const dls_newton *N, int at) {
  dls_linear_law *law = &N->law[at];
  double z[3], y[3], *S = law->S, *g = law->g;
  read(rows, block, N, at, 0, z, y);
  const double rho = N->times / law->norm, E = N->damp * law->norm, mu = block->mu[0];
  const double E_n = E * law->drag[0], E_t = E * law->drag[1];
  const double x_n = z[0] - rho * y[0], x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  law->acts = x_n > 0;
  if (!law->acts) {
    memcpy(g, z, sizeof z);
    return merit_of(z, rho, 0, x, 0);
  }
  const double soft_n = 1 / (E_n + rows->gamma[block->row]), e_t = E_t + rows->gamma[block->row + 1];
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]);
  S[SOFT_N] = soft_n;
  g[0] = y[0] * soft_n;
  law->slips = size > mu * x_n;
  if (!law->slips) {
    S[SOFT_T] = 1 / e_t;
    g[1] = y[1] * S[SOFT_T];
    g[2] = y[2] * S[SOFT_T];
    return y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  }
  const double cut = mu * x_n / size, c = 1 + cut * (rho * e_t - 1), w[2] = {x[0] / size, x[1] / size};
  const double bound = mu * (z[0] - g[0]), f[2] = {z[1] - bound * w[0], z[2] - bound * w[1]};
  const double f_w = w[0] * f[0] + w[1] * f[1], f_q = (w[0] * f[1] - w[1] * f[0]) / c;
  g[1] = f_w * w[0] - f_q * w[1];
  g[2] = f_w * w[1] + f_q * w[0];
  S[SOFT_T] = rho * cut / c;
  S[W_1] = w[0];
  S[W_2] = w[1];
  S[MU] = mu;
  return merit_of(z, rho, x_n, x, cut);
}

void dls_contact_add(const dls_rows *rows, const dls_block *block, const dls_linear_law *law, dls_body_graph *graph, double *y) {
  const double *J = rows->J + (size_t)block->row * PAIR, *MJ = rows->MJ + (size_t)block->row * PAIR, *g = law->g;
  const int at[2] = {dls_moves(rows, block->a) ? graph->place[block->a] : -1,
                     dls_moves(rows, block->b) ? graph->place[block->b] : -1};
  for (int side = 0; side < 2; side++) {
    double *own = y + (size_t)at[side] * (size_t)dls_graph_row(NU);
    for (int i = side * NU; at[side] >= 0 && i < (side + 1) * NU; i++, own++)
      *own -= g[0] * J[i] + g[1] * J[PAIR + i] + g[2] * J[2 * PAIR + i];
  }
  if (!law->acts) return;
  double *K[4] = {NULL, NULL, NULL, NULL};
  for (int side = 0; side < 2; side++)
    if (at[side] >= 0) K[3 * side] = graph->d + (size_t)at[side] * DLS_BODY_BLOCK;
  if (at[0] >= 0 && at[1] >= 0) {
    const int first = at[0] < at[1] ? 0 : 1;
    const size_t e = (size_t)dls_body_graph_entry(graph, at[first], at[1 - first]) * DLS_BODY_BLOCK;
    K[1 + first] = graph->up + e;
    K[2 - first] = graph->low + e;
  }
  const double *S = law->S, n = S[SOFT_N];
  dls_body_rows s = {.slips = law->slips, .n = n, .t = S[SOFT_T]};
  if (s.slips) s.w_1 = S[W_1], s.w_2 = S[W_2], s.along_1 = n * S[MU] * S[W_1], s.along_2 = n * S[MU] * S[W_2];
  dls_body_lanes_best()->add(&s, J, MJ, K);
}

void dls_contact_change(const dls_linear_law *law, const double *dv, double *dz) {
  const double *S = law->S, *g = law->g;
  for (int k = 0; k < 3; k++) dz[k] = -g[k];
  if (!law->acts) return;
  const double n = S[SOFT_N] * dv[0];
  dz[0] -= n;
  if (law->slips) {
    const double q = S[SOFT_T] * (S[W_1] * dv[2] - S[W_2] * dv[1]);
    dz[1] -= n * S[MU] * S[W_1] - q * S[W_2];
    dz[2] -= n * S[MU] * S[W_2] + q * S[W_1];
  } else {
    dz[1] -= S[SOFT_T] * dv[1];
    dz[2] -= S[SOFT_T] * dv[2];
  }
}

double dls_contact_merit(const dls_rows *rows, const dls_block *block, const dls_newton *N, int at, double t) {
  double z[3], y[3];
  read(rows, block, N, at, t, z, y);
  const double rho = N->times / N->law[at].norm;
  const double x_n = dls_max(z[0] - rho * y[0], 0), x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]), bound = block->mu[0] * x_n;
  return merit_of(z, rho, x_n, x, size > bound ? bound / size : 1);
}
