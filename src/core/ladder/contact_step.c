/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/contact_step.h"

#include "core/rows/mass.h"

enum { NU = 6, PAIR = 2 * NU };

bool dls_is_plain_contact(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row, *gamma = rows->gamma + block->row;
  return DLS_CONTACT_STEPS && rows->nu == NU && block->kind == DLS_ROW_CONE && block->n == 3 &&
         gamma[1] == gamma[2] && length[0] == 1 && length[1] == 1 && length[2] == 1;
}

void dls_contact_pack(const dls_rows *rows, const dls_block *block,
                      const dls_body_graph *graph, dls_body_contact *c) {
  const int body[2] = {block->a, block->b};
  int place[2] = {-1, -1};
  memset(c, 0, sizeof *c);
  c->row = block->row;
  c->mu = block->mu[0];
  for (int side = 0; side < 2; side++) {
    const double *u = rows->u + (size_t)body[side] * NU;
    c->at[side] = -1;
    if (dls_moves(rows, body[side])) {
      place[side] = graph->place[body[side]];
      c->at[side] = DLS_BODY_ROW * place[side];
      c->K[3 * side] = graph->d + (size_t)place[side] * DLS_BODY_BLOCK;
    }
    for (int k = 0; k < 3; k++) {
      const size_t from = (size_t)(block->row + k) * PAIR + (size_t)(side * NU);
      memcpy(c->J[k] + DLS_BODY_ROW * side, rows->J + from, NU * sizeof(double));
      memcpy(c->MJ[k] + DLS_BODY_ROW * side, rows->MJ + from, NU * sizeof(double));
      if (place[side] < 0) c->still[k] += dls_dot_u(NU, rows->J + from, u);
    }
  }
  if (place[0] < 0 || place[1] < 0) return;
  const int first = place[0] < place[1] ? 0 : 1;
  const size_t e = (size_t)dls_body_graph_entry(graph, place[first], place[1 - first]) *
                   DLS_BODY_BLOCK;
  c->K[1 + first] = graph->up + e;
  c->K[2 - first] = graph->low + e;
}

/* z, y with the damping in it, at p + t dp. */
DLS_WITH_NU void read(double t, const dls_rows *rows, const dls_newton *N,
                      const dls_body_contact *c, const double *v, double *z, double *y) {
  const double *p = rows->p + c->row, *s = rows->s + c->row,
               *gamma = rows->gamma + c->row;
  const double *dp = N->dp + (size_t)c->block * NU, *dv = N->dv + (size_t)c->block * NU;
  const double *centre = N->centre ? N->centre + (size_t)c->block * NU : p;
  const dls_linear_law *law = &N->law[c->block];
  const double E = N->damp * law->norm,
               E_k[3] = {E * law->drag[0], E * law->drag[1], E * law->drag[1]};
  for (int k = 0; k < 3; k++) {
    z[k] = t > 0 ? p[k] + t * dp[k] : p[k];
    y[k] = (v[k] + c->still[k]) + s[k];
    if (t > 0) y[k] += t * dv[k];
    y[k] += gamma[k] * z[k] + E_k[k] * (z[k] - centre[k]);
  }
}

/* |F / rho|^2; by: 1 / rho. */
static inline double merit_of(const double *z, double by, double x_n, const double *x,
                              double cut) {
  const double F[3] = {(z[0] - x_n) * by, (z[1] - cut * x[0]) * by,
                       (z[2] - cut * x[1]) * by};
  return F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
}

double dls_contact_linearise(const dls_rows *rows, const dls_newton *N,
                             dls_body_contact *c, const double *v) {
  dls_linear_law *law = &N->law[c->block];
  dls_body_rows *S = &c->S;
  double z[3], y[3], *g = c->g;
  read(0, rows, N, c, v, z, y);
  const double rho = N->times / law->norm, by = law->norm / N->times,
               E = N->damp * law->norm, mu = c->mu;
  const double E_n = E * law->drag[0], E_t = E * law->drag[1];
  const double x_n = z[0] - rho * y[0], x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  S->acts = law->acts = x_n > 0;
  if (!S->acts) {
    memcpy(g, z, sizeof z);
    return merit_of(z, by, 0, x, 0);
  }
  const double soft_n = 1 / (E_n + rows->gamma[c->row]),
               e_t = E_t + rows->gamma[c->row + 1];
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]);
  S->n = soft_n;
  g[0] = y[0] * soft_n;
  S->slips = size > mu * x_n;
  if (!S->slips) {
    S->t = 1 / e_t;
    g[1] = y[1] * S->t;
    g[2] = y[2] * S->t;
    return y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  }
  const double unit = 1 / size, w[2] = {x[0] * unit, x[1] * unit};
  const double cut = mu * x_n * unit, turn = 1 / (1 + cut * (rho * e_t - 1));
  const double bound = mu * (z[0] - g[0]), f[2] = {z[1] - bound * w[0], z[2] - bound * w[1]};
  const double f_w = w[0] * f[0] + w[1] * f[1], f_q = (w[0] * f[1] - w[1] * f[0]) * turn;
  g[1] = f_w * w[0] - f_q * w[1];
  g[2] = f_w * w[1] + f_q * w[0];
  S->t = rho * cut * turn;
  S->w_1 = w[0], S->w_2 = w[1];
  S->along_1 = soft_n * mu * w[0], S->along_2 = soft_n * mu * w[1];
  return merit_of(z, by, x_n, x, cut);
}

void dls_contact_change(const dls_body_contact *c, const double *dv, double *dz) {
  const dls_body_rows *S = &c->S;
  for (int k = 0; k < 3; k++) dz[k] = -c->g[k];
  if (!S->acts) return;
  dz[0] -= S->n * dv[0];
  if (S->slips) {
    const double q = S->t * (S->w_1 * dv[2] - S->w_2 * dv[1]);
    dz[1] -= S->along_1 * dv[0] - q * S->w_2;
    dz[2] -= S->along_2 * dv[0] + q * S->w_1;
  } else {
    dz[1] -= S->t * dv[1];
    dz[2] -= S->t * dv[2];
  }
}

double dls_contact_merit(const dls_rows *rows, const dls_newton *N,
                         const dls_body_contact *c, const double *v, double t) {
  double z[3], y[3];
  if (t > 0)
    read(t, rows, N, c, v, z, y);
  else
    read(0, rows, N, c, v, z, y);
  const double rho = N->times / N->law[c->block].norm, mu = c->mu;
  const double x_n = dls_max(z[0] - rho * y[0], 0), x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]), bound = mu * x_n;
  return merit_of(z, N->law[c->block].norm / N->times, x_n, x,
                  size > bound ? bound / size : 1);
}
