/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

#define ZERO 1e-9     /* of the largest acceleration in the problem: none; of the largest force: none             */
#define ROUND 1e-14   /* of the terms of an acceleration: round-off                                               */
#define WEAK 1e-6     /* of the largest normal force: the least share                                              */
#define STIFF 1e-12   /* share of normal forces that are to stay                                                  */
#define MET 1e-10     /* residual of what is taken                                                                */

double dls_event_none(const dls_event_scratch *w) {
  double size = 0;
  for (int r = 0; r < w->n_rows; r++) {
    double sum = fabs(w->c[r]);
    for (int k = 0; k < w->n_rows; k++) sum += fabs(w->G[(size_t)r * (size_t)w->n_rows + (size_t)k] * w->x[k]);
    size = dls_max(size, sum);
  }
  return dls_max(ZERO * size, ROUND * w->terms);
}

/* Contact of the set whose row is r. */
static int contact_of(const dls_event_scratch *w, int r) {
  int k = 0;
  while (k + 1 < w->n_listed && w->first[k + 1] <= r) k++;
  return k;
}

void dls_event_shares(const dls_event_scheme *e, int m, const double *force) {
  const dls_event_scratch *w = e->scratch;
  double most = 0;
  for (int k = 0; k < w->n_listed; k++) most = dls_max(most, force[w->rows[w->first[k]]]);
  if (!(most > 0)) most = 1;
  for (int a = 0; a < m; a++) {
    const int k = contact_of(w, w->eq[a]);
    const double normal = dls_max(force[w->rows[w->first[k]]], WEAK * most), mu = w->mu[k] > 0 ? w->mu[k] : 1;
    w->share[a] = w->eq[a] == w->first[k] ? most : mu * normal;
  }
}

/* Against which contact k slides, or begins to; false: it is at rest, or has no friction. */
static bool slip_of(const dls_event_scratch *w, int k, bool rests, double *slip) {
  const int d = w->n_tangents[k];
  const double *a = w->a + w->first[k] + 1, size = d > 0 ? dls_disk_length(d, a) : 0;
  slip[0] = slip[1] = 0;
  if (d == 0 || !(w->mu[k] > 0) || rests) return false;
  for (int j = 0; j < d; j++) slip[j] = w->slides[k] ? w->slip[2 * k + j] : size > 0 ? a[j] / size : 0;
  return true;
}

/* The equations: rows and unknowns, which are rests[k] + normal forces of contacts that bear. */
static int pose(dls_event_scheme *e, const unsigned char *rests) {
  dls_event_scratch *w = e->scratch;
  int m = 0;
  for (int k = 0; k < w->n_listed; k++)
    for (int j = 0; rests[k] > 0 && j <= (rests[k] == 2 ? w->n_tangents[k] : 0); j++) w->eq[m++] = w->first[k] + j;
  for (int a = 0; a < m; a++) {
    const double *G = w->G + (size_t)w->eq[a] * (size_t)w->n_rows;
    for (int b = 0; b < m; b++) {
      const int k = contact_of(w, w->eq[b]);
      double slip[2], column = G[w->eq[b]];
      if (w->eq[b] == w->first[k] && slip_of(w, k, rests[k] == 2, slip))
        for (int j = 0; j < w->n_tangents[k]; j++) column -= w->mu[k] * slip[j] * G[w->first[k] + 1 + j];
      w->A[a * m + b] = column;
    }
    w->scale[a] = G[w->eq[a]] > 0 ? 1 / sqrt(G[w->eq[a]]) : 1;
  }
  return m;
}

/* Forces of the set from those of the equations' unknowns. */
static void spread(const dls_event_scratch *w, const unsigned char *rests, int m, double *force) {
  for (int r = 0; r < w->n_rows; r++) force[r] = 0;
  for (int a = 0; a < m; a++) force[w->eq[a]] = w->d[a];
  for (int k = 0; k < w->n_listed; k++) {
    double slip[2], *at = force + w->first[k];
    if (rests[k] > 0 && slip_of(w, k, rests[k] == 2, slip))
      for (int j = 0; j < w->n_tangents[k]; j++) at[1 + j] = -w->mu[k] * at[0] * slip[j];
  }
}

/* Whether forces obey the laws. */
static bool admitted(const dls_event_scratch *w, const unsigned char *rests, double *force) {
  double most = 0;
  for (int k = 0; k < w->n_listed; k++) most = dls_max(most, force[w->first[k]]);
  for (int k = 0; k < w->n_listed; k++) {
    double *at = force + w->first[k];
    if (at[0] < -1e-12 * most) return false;
    at[0] = dls_max(at[0], 0);
    if (rests[k] == 2 && dls_disk_length(w->n_tangents[k], at + 1) > w->mu[k] * at[0]) return false;
  }
  return true;
}

/* The forces of least weight: `still` keeps the normal ones at those found. Answers whether they serve. */
static bool weigh(dls_event_scheme *e, bool still, double *force, bool *redundant) {
  dls_event_scratch *w = e->scratch;
  const int m = pose(e, w->rests);
  double most = 0;
  for (int k = 0; k < w->n_listed; k++) most = dls_max(most, force[w->first[k]]);
  if (!(most > 0)) return *redundant = false;
  for (int a = 0; a < m; a++) {
    const int k = contact_of(w, w->eq[a]);
    const double mu = w->mu[k] > 0 ? w->mu[k] : 1;
    w->share[a] = w->eq[a] == w->first[k] ? (still ? STIFF : 1) * most : mu * dls_max(force[w->first[k]], WEAK * most);
  }
  for (int a = 0; a < m; a++) {
    w->b[a] = -w->c[w->eq[a]];
    for (int b = 0; b < m && still; b++)
      if (w->eq[b] == w->first[contact_of(w, w->eq[b])]) w->b[a] -= w->A[a * m + b] * w->x[w->eq[b]];
  }
  *redundant = dls_ranked_solve_shared(m, w->A, w->b, w->scale, w->share, w->perm, w->kernel, w->d) < m;
  for (int b = 0; b < m && still; b++)
    if (w->eq[b] == w->first[contact_of(w, w->eq[b])]) w->d[b] += w->x[w->eq[b]];
  spread(w, w->rests, m, force);
  return *redundant && admitted(w, w->rests, force);
}

/* Which contacts bear, and which are at rest. */
static void sort(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const double none = dls_event_none(w), noise = dls_event_noise(e);
  double largest = 0;
  for (int r = 0; r < w->n_rows; r++) largest = dls_max(largest, fabs(w->x[r]));
  for (int k = 0; k < w->n_listed; k++) {
    const int r = w->first[k], d = w->n_tangents[k];
    const bool bears = w->x[r] > ZERO * largest || w->a[r] <= none;
    const bool adheres = d > 0 && w->mu[k] > 0 && !w->slides[k] && dls_disk_length(d, w->a + r + 1) <= none;
    const bool stands = adheres && dls_disk_length(d, e->system->v + w->rows[r] + 1) <= noise;
    w->rests[k] = (unsigned char)(!bears ? 0 : stands ? 2 : 1);
  }
}

bool dls_event_share(dls_event_scheme *e, const dls_contact_problem *p) {
  dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)w->n_rows * sizeof(double);
  bool redundant = true, found = false;
  if (w->n_listed < 2) return false;
  sort(e);
  for (int way = 0; way < 2 && !found && redundant; way++) {
    memcpy(w->trial, w->x, bytes);
    found = weigh(e, way == 1, w->trial, &redundant);
    if (way == 0 && redundant) found = weigh(e, false, w->trial, &redundant); /* friction by these normal forces */
  }
  if (!found || !(dls_contact_residual(p, w->trial, w->b) <= MET)) return false;
  memcpy(w->x, w->trial, bytes);
  memcpy(w->a, w->b, bytes);
  return true;
}
