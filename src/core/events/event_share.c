/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/event_parts.h"

/* of the largest acceleration in the problem: none; of the largest force: none */
#define ZERO 1e-9
/* of the terms of an acceleration: round-off */
#define ROUND 1e-14
/* of the largest normal force: the least share */
#define WEAK 1e-6
/* share of normal forces that are to stay */
#define STIFF 1e-12
/* of its bound: how far friction keeps clear of it where it can, at most and at least (first
** guesses; no range is known of these and of TURNS) */
#define CLEAREST 0.3
#define CLEAR 1e-4
/* projections on cones and equations for that */
#define TURNS 50
/* contacts that are one: their rows differ by SAME of a row's largest number, their G by NEAR (a
** look that spares most rows): a capsule's end on a corner of a box, which three edges and the end
** meet; no range is known */
#define SAME 1e-12
#define NEAR 1e-9
/* residual of what is taken */
#define MET 1e-10

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
    const double normal = dls_max(force[w->rows[w->first[k]]], WEAK * most),
                 mu = w->mu[k] > 0 ? w->mu[k] : 1;
    w->share[a] = w->eq[a] == w->first[k] ? most : mu * normal;
  }
}

/* Against which contact k slides, or begins to; false: it is at rest, or has no friction. */
static bool slip_of(const dls_event_scratch *w, int k, bool rests, double *slip) {
  const int d = w->n_tangents[k];
  const double *a = w->a + w->first[k] + 1, size = d > 0 ? dls_disk_length(d, a) : 0;
  slip[0] = slip[1] = 0;
  if (d == 0 || !(w->mu[k] > 0) || rests) return false;
  for (int j = 0; j < d; j++)
    slip[j] = w->slides[k] ? w->slip[2 * k + j] : size > 0 ? a[j] / size : 0;
  return true;
}

/* The equations: rows and unknowns, which are rests[k] + normal forces of contacts that bear. */
static int pose(dls_event_scheme *e, const unsigned char *rests) {
  dls_event_scratch *w = e->scratch;
  int m = 0;
  for (int k = 0; k < w->n_listed; k++)
    for (int j = 0; rests[k] > 0 && j <= (rests[k] == 2 ? w->n_tangents[k] : 0); j++)
      w->eq[m++] = w->first[k] + j;
  for (int a = 0; a < m; a++) {
    const double *G = w->G + (size_t)w->eq[a] * (size_t)w->n_rows;
    for (int b = 0; b < m; b++) {
      const int k = contact_of(w, w->eq[b]);
      double slip[2], column = G[w->eq[b]];
      if (w->eq[b] == w->first[k] && slip_of(w, k, rests[k] == 2, slip))
        for (int j = 0; j < w->n_tangents[k]; j++)
          column -= w->mu[k] * slip[j] * G[w->first[k] + 1 + j];
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

/* Whether forces obey the laws, with friction of rest within a share `of` of its bound. */
static bool admitted(const dls_event_scratch *w, const unsigned char *rests, double of,
                     double *force) {
  double most = 0;
  for (int k = 0; k < w->n_listed; k++) most = dls_max(most, force[w->first[k]]);
  for (int k = 0; k < w->n_listed; k++) {
    double *at = force + w->first[k];
    if (at[0] < -1e-12 * most) return false;
    at[0] = dls_max(at[0], 0);
    if (rests[k] == 2 && dls_disk_length(w->n_tangents[k], at + 1) > of * w->mu[k] * at[0])
      return false;
  }
  return true;
}

/* The forces of least weight: `still` keeps the normal ones at those found. Answers whether they
** serve, with friction of rest within a share `of` of its bound. */
static bool weigh(dls_event_scheme *e, bool still, double of, double *force, bool *redundant) {
  dls_event_scratch *w = e->scratch;
  const int m = pose(e, w->rests);
  double most = 0;
  for (int k = 0; k < w->n_listed; k++) most = dls_max(most, force[w->first[k]]);
  if (!(most > 0)) return *redundant = false;
  for (int a = 0; a < m; a++) {
    const int k = contact_of(w, w->eq[a]);
    const double mu = w->mu[k] > 0 ? w->mu[k] : 1;
    w->share[a] = w->eq[a] == w->first[k] ? (still ? STIFF : 1) * most
                                          : mu * dls_max(force[w->first[k]], WEAK * most);
  }
  for (int a = 0; a < m; a++) {
    w->b[a] = -w->c[w->eq[a]];
    for (int b = 0; b < m && still; b++)
      if (w->eq[b] == w->first[contact_of(w, w->eq[b])])
        w->b[a] -= w->A[a * m + b] * w->x[w->eq[b]];
  }
  *redundant =
      dls_ranked_solve_shared(m, w->A, w->b, w->scale, w->share, w->perm, w->kernel, w->d) < m;
  for (int b = 0; b < m && still; b++)
    if (w->eq[b] == w->first[contact_of(w, w->eq[b])]) w->d[b] += w->x[w->eq[b]];
  spread(w, w->rests, m, force);
  return *redundant && admitted(w, w->rests, of, force);
}

/* Which contacts bear, and which are at rest. */
static void sort(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  const double noise = dls_event_noise(e);
  dls_event_largest(e, w->x, true);
  dls_event_none(e);
  for (int k = 0; k < w->n_listed; k++) {
    const int r = w->first[k], d = w->n_tangents[k];
    const double none = w->none[k];
    const bool bears = w->x[r] > DLS_EVENT_ZERO * w->most[k] || w->a[r] <= none;
    const bool adheres =
        d > 0 && w->mu[k] > 0 && !w->slides[k] && dls_disk_length(d, w->a + r + 1) <= none;
    const bool stands = adheres && dls_disk_length(d, e->system->v + w->rows[r] + 1) <= noise;
    w->rests[k] = (unsigned char)(!bears ? 0 : stands ? 2 : 1);
  }
}

/* How far forces of contacts at rest are from friction within a share `of` of its bound, N. */
static double unclear(const dls_event_scratch *w, double of) {
  double worst = 0;
  for (int k = 0; k < w->n_listed; k++) {
    const double *at = w->trial + w->first[k];
    worst = dls_max(worst, -at[0]);
    if (w->rests[k] != 2) continue;
    worst = dls_max(worst, dls_disk_length(w->n_tangents[k], at + 1) - of * w->mu[k] * at[0]);
  }
  return worst;
}

/* The nearest forces whose friction, of contacts at rest, is within a share `of` of its bound. */
static void project_on_cones(const dls_event_scratch *w, double of) {
  for (int k = 0; k < w->n_listed; k++) {
    double *at = w->trial + w->first[k];
    const int d = w->n_tangents[k];
    const double mu = of * w->mu[k], size = dls_disk_length(d, at + 1);
    if (w->rests[k] != 2 || !(size > mu * at[0])) continue;
    at[0] = dls_max(0, (at[0] + mu * size) / (1 + mu * mu));
    for (int j = 1; j <= d && size > 0; j++) at[j] *= mu * at[0] / size;
  }
}

/* Forces of contacts at rest that keep clear of their bounds by a share `clear` of these, from
** w->trial: nearest ones on the cones and of the equations in turn. Answers whether there are. */
static bool keep_clear(dls_event_scheme *e, double clear) {
  dls_event_scratch *w = e->scratch;
  for (int turn = 0; turn < TURNS; turn++) {
    double most = 0;
    project_on_cones(w, 1 - clear);
    const int m = pose(e, w->rests);
    for (int a = 0; a < m; a++) {
      w->b[a] = -w->c[w->eq[a]], w->share[a] = 1;
      for (int b = 0; b < m; b++) w->b[a] -= w->A[a * m + b] * w->trial[w->eq[b]];
    }
    (void)dls_ranked_solve_shared(m, w->A, w->b, w->scale, w->share, w->perm, w->kernel, w->d);
    for (int a = 0; a < m; a++) w->d[a] += w->trial[w->eq[a]];
    spread(w, w->rests, m, w->trial);
    for (int k = 0; k < w->n_listed; k++) most = dls_max(most, w->trial[w->first[k]]);
    if (unclear(w, 1 - 0.5 * clear) <= 1e-12 * most) return true;
  }
  return false;
}

/* Forces of least weight into w->trial, by both ways. */
static bool find_least(dls_event_scheme *e, double of, bool *redundant) {
  dls_event_scratch *w = e->scratch;
  bool found = false;
  for (int way = 0; way < 2 && !found && *redundant; way++) {
    memcpy(w->trial, w->x, (size_t)w->n_rows * sizeof(double));
    found = weigh(e, way == 1, of, w->trial, redundant);
    /* friction by these normal forces */
    if (way == 0 && *redundant) found = weigh(e, false, of, w->trial, redundant);
  }
  return found;
}

/* Whether contacts k and l of the set are one: where features of a shape meet its gaps are there
** more than once. */
static bool are_one(const dls_event_scheme *e, int k, int l) {
  const dls_event_scratch *w = e->scratch;
  const size_t n = (size_t)w->n_rows, r = (size_t)w->first[k], s = (size_t)w->first[l];
  double off = 0, size = 0;
  if (fabs(w->G[r * n + s] - w->G[r * n + r]) > NEAR * w->G[r * n + r]) return false;
  if (e->system->given[w->rows[r]] || e->system->given[w->rows[s]]) return false;
  if (w->rests[k] != w->rests[l] || w->slides[k] != w->slides[l] || w->mu[k] != w->mu[l])
    return false;
  if (w->n_tangents[k] != w->n_tangents[l]) return false;
  for (int j = 0; j <= w->n_tangents[k]; j++) {
    const double *a = dls_system_row(e->system, w->rows[r + (size_t)j]);
    const double *b = dls_system_row(e->system, w->rows[s + (size_t)j]);
    for (int i = 0; i < e->system->n; i++)
      off = dls_max(off, fabs(a[i] - b[i])), size = dls_max(size, fabs(a[i]));
  }
  return off <= SAME * size;
}

/* Contacts that are one have equal parts of its force. */
static void part_evenly(dls_event_scheme *e) {
  dls_event_scratch *w = e->scratch;
  memcpy(w->trial, w->x, (size_t)w->n_rows * sizeof(double));
  for (int k = 0; k < w->n_listed; k++) {
    const int n = w->n_tangents[k] + 1;
    int parts = 0;
    double sum[3] = {0};
    for (int l = 0; l < w->n_listed; l++) {
      if (l != k && !are_one(e, k, l)) continue;
      parts++;
      for (int j = 0; j < n; j++) sum[j] += w->x[w->first[l] + j];
    }
    for (int j = 0; j < n && parts > 1; j++) w->trial[w->first[k] + j] = sum[j] / parts;
  }
  memcpy(w->x, w->trial, (size_t)w->n_rows * sizeof(double));
}

bool dls_event_share(dls_event_scheme *e, const dls_contact_problem *p) {
  dls_event_scratch *w = e->scratch;
  const size_t bytes = (size_t)w->n_rows * sizeof(double);
  bool redundant = true;
  if (w->n_listed < 2) return false;
  sort(e);
  part_evenly(e);
  bool found = find_least(e, 1 - CLEAR, &redundant);
  for (double clear = CLEAREST; !found && redundant && clear >= CLEAR; clear *= 0.3) {
    memcpy(w->trial, w->x, bytes);
    found = keep_clear(e, clear);
  }
  if (!found && redundant) found = find_least(e, 1, &redundant);
  if (!found || !(dls_contact_residual(p, w->trial, w->b) <= MET)) return false;
  memcpy(w->x, w->trial, bytes);
  memcpy(w->a, w->b, bytes);
  return true;
}
