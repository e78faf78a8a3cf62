/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/contact_step.h"

#include "core/rows/mass.h"

enum { NU = 6, PAIR = 2 * NU };

bool dls_is_plain_contact(const dls_rows *rows, const dls_block *block) {
  const double *length = rows->length + block->row, *gamma = rows->gamma + block->row;
  if (!DLS_CONTACT_STEPS || rows->nu != NU) return false;
  if (gamma[1] != gamma[2] || length[0] != 1 || length[1] != 1 || length[2] != 1) return false;
  if (block->kind == DLS_ROW_ROLLING) return gamma[4] == gamma[5] && length[4] == length[5];
  return block->kind == DLS_ROW_CONE && block->n == 3;
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

/* Where a law is taken. */
typedef struct place {
  double rho, by;    /* and 1/rho                              */
  double soft_n, e_t; /* 1/e_n; e_t                             */
  double z[3], y[3]; /* impulses and velocities, damping in it */
} place;

/* |F / rho|^2 of the rows of a contact, or without the normal's. */
static inline double merit_of(const place *at, bool turns, double x_n, const double *x,
                              double cut) {
  const double *z = at->z, by = at->by;
  const double F[3] = {(z[0] - x_n) * by, (z[1] - cut * x[0]) * by, (z[2] - cut * x[1]) * by};
  const double normal = turns ? 0 : F[0] * F[0];
  return normal + F[1] * F[1] + F[2] * F[2];
}

/* S and g of c, and that; of what `turns` the normal has none. */
DLS_INLINE double take_state(const place *at, bool turns, dls_body_contact *c) {
  const double *z = at->z, *y = at->y, rho = at->rho, mu = c->mu;
  const double x_n = z[0] - rho * y[0], x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  dls_body_rows *S = &c->S;
  double *g = c->g;
  S->acts = x_n > 0;
  if (!S->acts) {
    memcpy(g, z, sizeof at->z);
    if (turns) g[0] = 0;
    return merit_of(at, turns, 0, x, 0);
  }
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]), g_n = y[0] * at->soft_n;
  S->n = turns ? 0 : at->soft_n;
  g[0] = turns ? 0 : g_n;
  S->slips = size > mu * x_n;
  if (!S->slips) {
    S->t = 1 / at->e_t;
    g[1] = y[1] * S->t;
    g[2] = y[2] * S->t;
    return (turns ? 0 : y[0] * y[0]) + y[1] * y[1] + y[2] * y[2];
  }
  const double unit = 1 / size, w[2] = {x[0] * unit, x[1] * unit};
  const double cut = mu * x_n * unit, turn = 1 / (1 + cut * (rho * at->e_t - 1));
  const double bound = mu * (z[0] - g_n), f[2] = {z[1] - bound * w[0], z[2] - bound * w[1]};
  const double f_w = w[0] * f[0] + w[1] * f[1], f_q = (w[0] * f[1] - w[1] * f[0]) * turn;
  g[1] = f_w * w[0] - f_q * w[1];
  g[2] = f_w * w[1] + f_q * w[0];
  S->t = rho * cut * turn;
  S->w_1 = w[0], S->w_2 = w[1];
  S->along_1 = at->soft_n * mu * w[0], S->along_2 = at->soft_n * mu * w[1];
  return merit_of(at, turns, x_n, x, cut);
}

DLS_INLINE double merit_at(const place *at, bool turns, double mu) {
  const double *z = at->z, *y = at->y, rho = at->rho;
  const double x_n = dls_max(z[0] - rho * y[0], 0), x[2] = {z[1] - rho * y[1], z[2] - rho * y[2]};
  const double size = sqrt(x[0] * x[0] + x[1] * x[1]), bound = mu * x_n;
  return merit_of(at, turns, x_n, x, size > bound ? bound / size : 1);
}

/* rho of a block's law, and without what its rows have of their own. */
static inline place place_of(const dls_newton *N, const dls_linear_law *law) {
  return (place){.rho = N->times / law->norm, .by = law->norm / N->times};
}

double dls_contact_linearise(const dls_rows *rows, const dls_newton *N,
                             dls_body_contact *c, const double *v) {
  dls_linear_law *law = &N->law[c->block];
  const double E = N->damp * law->norm;
  place at = place_of(N, law);
  read(0, rows, N, c, v, at.z, at.y);
  at.soft_n = 1 / (E * law->drag[0] + rows->gamma[c->row]);
  at.e_t = E * law->drag[1] + rows->gamma[c->row + 1];
  const double merit = take_state(&at, false, c);
  law->acts = c->S.acts;
  return merit;
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
  place at = place_of(N, &N->law[c->block]);
  if (t > 0)
    read(t, rows, N, c, v, at.z, at.y);
  else
    read(0, rows, N, c, v, at.z, at.y);
  return merit_at(&at, false, c->mu);
}

/* --- parts that turn -------------------------------------------------------------------------- */

void dls_turning_pack(const dls_rows *rows, const dls_block *block, const dls_body_contact *contact,
                      int which, dls_turning *part, dls_body_contact *c) {
  part->first = which == 0 ? 3 : 4, part->rows = 1 + which;
  const double length = part->length = rows->length[block->row + part->first];
  *c = *contact;
  c->mu = block->mu[1 + which] / length;
  const int body[2] = {block->a, block->b};
  for (int k = 1; k < 3; k++) {
    const double here = k <= part->rows ? length : 0;
    const size_t row = (size_t)(block->row + part->first + (k <= part->rows ? k - 1 : 0)) * PAIR;
    c->still[k] = 0;
    for (int side = 0; side < 2; side++) {
      const double *J = rows->J + row + side * NU, *MJ = rows->MJ + row + side * NU;
      for (int i = 0; i < NU; i++) {
        c->J[k][DLS_BODY_ROW * side + i] = here * J[i];
        c->MJ[k][DLS_BODY_ROW * side + i] = here * MJ[i];
      }
      if (c->at[side] < 0)
        c->still[k] += here * dls_dot_u(NU, J, rows->u + (size_t)body[side] * NU);
    }
  }
}

void dls_turning_push(const dls_rows *rows, const dls_turning *part, const dls_body_contact *c,
                      double *u) {
  for (int k = 0; k < part->rows; k++) {
    const double z = rows->p[c->row + part->first + k] / part->length;
    for (int side = 0; side < 2; side++)
      if (c->at[side] >= 0)
        dls_add_u(NU, u + c->at[side], z, c->MJ[1 + k] + DLS_BODY_ROW * side);
  }
}

/* z, y of the normal and the part, in m/s and N s. */
static place read_part(double t, const dls_rows *rows, const dls_newton *N,
                       const dls_turning *part, const dls_body_contact *c, const double *v) {
  const dls_linear_law *law = &N->law[c->block];
  const double E = N->damp * law->norm;
  place at = place_of(N, law);
  for (int k = 0; k <= part->rows; k++) {
    const int own = k == 0 ? 0 : part->first + k - 1, i = c->row + own;
    const size_t here = (size_t)(c->block * NU + own);
    const double l = k == 0 ? 1 : part->length, E_k = E * law->drag[k > 0];
    const double p = rows->p[i] + (t > 0 ? t * N->dp[here] : 0);
    const double soft = rows->gamma[i] * l * l, center = N->centre ? N->centre[here] : rows->p[i];
    at.z[k] = p / l;
    at.y[k] = v[k] + c->still[k] + rows->s[i] * l + soft * at.z[k] + E_k * (p - center) / l;
    if (t > 0) at.y[k] += t * N->dv[here] * l;
    if (k == 0) at.soft_n = 1 / (E_k + soft);
    else at.e_t = E_k + soft;
  }
  return at;
}

double dls_turning_linearise(const dls_rows *rows, const dls_newton *N, const dls_turning *part,
                             dls_body_contact *c, const double *v) {
  const place at = read_part(0, rows, N, part, c, v);
  return take_state(&at, true, c);
}

void dls_turning_change(const dls_turning *part, const dls_body_contact *c, const double *dv,
                        double *dp) {
  double dz[3];
  dls_contact_change(c, dv, dz);
  for (int k = 0; k < part->rows; k++) dp[part->first + k] = dz[1 + k] * part->length;
}

double dls_turning_merit(const dls_rows *rows, const dls_newton *N, const dls_turning *part,
                         const dls_body_contact *c, const double *v, double t) {
  const place at = read_part(t, rows, N, part, c, v);
  return merit_at(&at, true, c->mu);
}
