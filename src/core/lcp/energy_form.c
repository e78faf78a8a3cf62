/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/energy_form.h"

/* --- memory --------------------------------------------------------------------------------- */
#define N_ARRAYS 10

size_t dls_energy_bytes(int n) {
  const size_t np = (size_t)dls_lanes_round(n), ld = dls_lanes_ld(n), rows = (size_t)n;
  size_t bytes = dls_arena_bytes(dls_bytes(rows, ld), sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(N_ARRAYS * np, sizeof(double)));
  return dls_bytes_add(bytes, dls_arena_bytes(3 * np, 1));
}

dls_status dls_energy_take(dls_energy *s, const dls_lcp *p, bool factor, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)p->n;
  memset(s, 0, sizeof *s);
  s->lanes = dls_lanes_best();
  s->p = p;
  s->n = p->n;
  s->np = dls_lanes_round(p->n);
  s->ld = dls_lanes_ld(p->n);
  s->factor = factor;
  const size_t np = (size_t)s->np;
  s->T = DLS_TAKE(tmp, double, n * s->ld);
  double *arrays = DLS_TAKE(tmp, double, N_ARRAYS * np);
  s->basis = DLS_TAKE(tmp, unsigned char, 3 * np);
  if (s->T == NULL || arrays == NULL || s->basis == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  memset(arrays, 0, N_ARRAYS * np * sizeof *arrays);
  s->q = arrays;
  s->d = s->q + np;
  s->tq = s->d + np;
  s->td = s->tq + np;
  s->side = s->td + np;
  s->f = s->side + np;
  s->c = s->f + np;
  s->z = s->c + np;
  s->w = s->z + np;
  s->unit = s->w + np;
  s->seen = s->basis + np;
  s->kept = s->seen + np;
  return DLS_OK;
}

/* A row that holds w measures q by max |q_i| and its diagonal by M_ii, one that holds z by q_i /
** M_ii and 1 / M_ii. */
static void zeros_of_z(dls_energy *s, int r) {
  s->tq[r] = s->tq[r] / s->unit[r];
  s->td[r] = s->td[r] / s->unit[r] / s->unit[r];
}

static void zeros_of_w(dls_energy *s, int r) {
  s->tq[r] = s->tq[r] * s->unit[r];
  s->td[r] = s->td[r] * s->unit[r] * s->unit[r];
}

void dls_energy_reset(dls_energy *s) {
  const size_t n = (size_t)s->n, np = (size_t)s->np;
  const double *M = s->p->M;
  for (int i = 0; i < s->n && s->n_active > 0; i++)
    if (s->basis[i]) zeros_of_w(s, i);
  s->n_active = 0;
  memset(s->basis, 0, np);
  for (size_t i = 0; i < n; i++) {
    s->q[i] = s->p->q[i];
    s->d[i] = M[i * n + i];
    s->side[i] = -1.0;
  }
  if (s->factor) return;
  for (size_t i = 0; i < n; i++) {
    double *row = s->T + i * s->ld;
    memcpy(row, M + i * n, n * sizeof *row);
    for (size_t j = n; j < np; j++) row[j] = 0.0;
  }
}

static void flip(dls_energy *s, int r) {
  if (s->basis[r]) zeros_of_w(s, r);
  else zeros_of_z(s, r);
  s->basis[r] ^= 1u;
  s->side[r] = -s->side[r];
  s->n_active += s->basis[r] ? 1 : -1;
}

/* --- the factor form ------------------------------------------------------------------------ */
/* Row r of M on the active rows (which = 1) or on the others (-1), zero elsewhere. */
static void masked_row(const dls_energy *s, int r, double which, double *row) {
  s->lanes->keep(s->n, which, s->side, s->p->M + (size_t)r * (size_t)s->n, row);
  for (int i = s->n; i < s->np; i++) row[i] = 0.0;
}

/* Up to so many rows the column is read where it stands. */
#define FEW 24

/* -V' V_r added to row. */
static void less_product(const dls_energy *s, int r, double *c, double *row) {
  const int k = s->n_active;
  if (k <= FEW) {
    s->lanes->less(s->np, k, s->T, s->ld, r, row);
    return;
  }
  for (int a = 0; a < k; a++) c[a] = -s->T[(size_t)a * s->ld + (size_t)r];
  s->lanes->gemv_t(k, s->np, s->T, s->ld, c, row);
}

/* The new last row of V is (M_r on the inactive columns - V' V_r) / l. */
static bool add(dls_energy *s, int r) {
  double *row = s->f;
  masked_row(s, r, -1.0, row);
  less_product(s, r, s->c, row);
  const double pivot = row[r];
  if (!(pivot > 0.0)) {
    s->d[r] = 0.0;
    return false;
  }
  const double inverse = 1.0 / sqrt(pivot), z = -s->q[r] / pivot;
  double *last = s->T + (size_t)s->n_active * s->ld;
  s->lanes->absorb(s->np, row, inverse, z, s->side, last, s->q, s->d);
  for (int a = 0; a < s->n_active; a++) s->T[(size_t)a * s->ld + (size_t)r] = 0.0;
  last[r] = inverse;
  s->d[r] = 1.0 / pivot;
  s->q[r] = z;
  flip(s, r);
  return true;
}

/* Rotations of V's rows bring column r to (0, ..., 0, g); the last row then goes. */
static bool drop(dls_energy *s, int r) {
  const int k = s->n_active;
  double *c = s->c, *last = s->T + (size_t)(k - 1) * s->ld;
  for (int a = 0; a < k; a++) c[a] = s->T[(size_t)a * s->ld + (size_t)r];
  for (int a = 0; a + 1 < k; a++) {
    const double h = sqrt(c[a] * c[a] + c[a + 1] * c[a + 1]);
    if (c[a] == 0.0 || h == 0.0) continue;
    double *row = s->T + (size_t)a * s->ld;
    s->lanes->rotate(s->np, c[a + 1] / h, c[a] / h, row, row + s->ld);
    c[a + 1] = h;
  }
  const double g = last[r], z = s->q[r];
  if (g == 0.0) {
    s->d[r] = 0.0;
    return false;
  }
  for (int i = 0; i < s->np; i++) s->side[i] = -s->side[i];
  s->lanes->absorb(s->np, last, 1.0, -z / g, s->side, s->f, s->q, s->d);
  for (int i = 0; i < s->np; i++) s->side[i] = -s->side[i];
  flip(s, r);
  masked_row(s, r, 1.0, s->f);
  s->lanes->gemv(s->n_active, s->np, s->T, s->ld, s->f, c);
  for (int a = 0; a < s->n_active; a++) s->T[(size_t)a * s->ld + (size_t)r] = c[a];
  s->d[r] = 1.0 / (g * g);
  s->q[r] = -z * s->d[r];
  return true;
}

/* --- both forms ----------------------------------------------------------------------------- */
bool dls_energy_exchange(dls_energy *s, int r) {
  if (s->factor) return s->basis[r] ? drop(s, r) : add(s, r);
  s->lanes->pivot(s->n, s->np, s->T, s->ld, s->q, s->d, s->f, r);
  flip(s, r);
  return true;
}

/* In the factor form T_ij is V_i'V_j for i, j active, M_ij - V_i'V_j for both inactive, and
** +V_i'V_j, -V_i'V_j for i inactive, j active and the other way round. */
void dls_energy_row(dls_energy *s, int i, double *row) {
  if (!s->factor) {
    memcpy(row, s->T + (size_t)i * s->ld, (size_t)s->np * sizeof *row);
    return;
  }
  if (s->basis[i]) memset(row, 0, (size_t)s->np * sizeof *row);
  else masked_row(s, i, -1.0, row);
  less_product(s, i, s->c, row);
  for (int j = 0; j < s->n; j++)
    if (s->basis[j]) row[j] = -row[j];
}

void dls_energy_refine(dls_energy *s, const double *w, double *z) {
  double *active = s->f, *c = s->c;
  for (int i = 0; i < s->np; i++) active[i] = i < s->n && s->basis[i] ? w[i] : 0.0;
  if (s->factor) {
    s->lanes->gemv(s->n_active, s->np, s->T, s->ld, active, c);
    memset(active, 0, (size_t)s->np * sizeof *active);
    s->lanes->gemv_t(s->n_active, s->np, s->T, s->ld, c, active);
    for (int i = 0; i < s->n; i++)
      if (s->basis[i]) z[i] -= active[i];
    return;
  }
  for (int i = 0; i < s->n; i++)
    if (s->basis[i]) z[i] -= s->lanes->dot(s->np, s->T + (size_t)i * s->ld, active);
}

static void image(dls_energy *s) {
  s->lanes->gemv(s->n, s->n, s->p->M, (size_t)s->n, s->z, s->w);
  for (int i = 0; i < s->n; i++) s->w[i] += s->p->q[i];
}

double dls_energy_error(dls_energy *s) {
  double most = 0.0;
  for (int i = 0; i < s->n; i++) s->z[i] = s->basis[i] ? s->q[i] : 0.0;
  image(s);
  for (int i = 0; i < s->n; i++)
    most = dls_max(most, fabs(s->basis[i] ? s->w[i] : s->w[i] - s->q[i]));
  return most;
}

void dls_energy_settle(dls_energy *s) {
  double moved = 0.0, z_most = 0.0, noise = 0.0;
  for (int i = 0; i < s->n; i++) s->z[i] = s->basis[i] ? s->q[i] : 0.0;
  image(s);
  dls_energy_refine(s, s->w, s->z);
  image(s);
  for (int i = 0; i < s->n; i++) {
    if (!s->basis[i]) continue;
    moved = dls_max(moved, fabs(s->z[i] - s->q[i]));
    z_most = dls_max(z_most, fabs(s->z[i]));
    noise = dls_max(noise, fabs(s->w[i]));
  }
  const double z_noise = dls_max(1e-3 * moved, 1e-15 * z_most);
  for (int i = 0; i < s->n; i++) {
    const bool alone = !s->basis[i] && s->w[i] == s->p->q[i];
    s->q[i] = s->basis[i] ? s->z[i] : s->w[i];
    if (!alone) s->tq[i] = dls_max(s->tq[i], s->basis[i] ? z_noise : 4.0 * noise);
  }
}
