/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/events/impact.h"

#include "core/base/union_find.h"
#include "core/cone/points.h"
#include "core/events/contact_parts.h"
#include "core/model/impact_law.h"

typedef struct workspace {
  double *c, *trial, *a, *least; /* n_rows, n_rows, n_rows, n */
  double *mu;                    /* n: of those that something strikes */
  int *up;                       /* n: of their groups */
  double *shared;                /* n_rows: where proximal points start; NULL: none are wanted */
  dls_arena *tmp;                /* of the caller */
} workspace;

size_t dls_impact_bytes(int n, int n_rows) {
  size_t bytes = dls_contact_bytes(n, n_rows);
  for (int k = 0; k < 4; k++)
    bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)n_rows, sizeof(double)));
  bytes = dls_bytes_add(bytes,
                        dls_arena_bytes(dls_bytes((size_t)n_rows, (size_t)n_rows), sizeof(double)));
  for (int k = 0; k < 8; k++)
    bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)n_rows, sizeof(double)));
  return bytes;
}

/* Whether rows of G depend on each other: a pivot of its Cholesky factor, made in A, that is
** none. */
static bool is_redundant(const dls_contact_problem *s, double *A) {
  const size_t n = (size_t)s->n_rows;
  memcpy(A, s->G, n * n * sizeof *A);
  for (size_t k = 0; k < n; k++) {
    const double pivot = A[k * n + k];
    if (!(pivot > DLS_POINTS_DEPENDENT * s->G[k * n + k])) return true;
    for (size_t i = k + 1; i < n; i++) {
      const double f = A[i * n + k] / pivot;
      for (size_t j = k + 1; f != 0 && j <= i; j++) A[i * n + j] -= f * A[j * n + k];
    }
  }
  return false;
}

static void soften(const dls_contact_problem *s, double *soft) {
  for (int i = 0; i < s->n; i++) {
    double gamma[2];
    const size_t first = (size_t)s->row[i], ld = (size_t)s->n_rows;
    dls_points_gamma_of_contact(s->G, ld, first, s->n_tangents[i], s->mu[i] > 0, gamma);
    for (int k = 0; k <= s->n_tangents[i]; k++) soft[s->row[i] + k] = gamma[k > 0];
  }
}

/* gamma of all rows, and what it is in the matrix of points. */
static void scale_gamma(const dls_contact_problem *s, double factor, double *soft, double *G) {
  const size_t n = (size_t)s->n_rows;
  for (size_t r = 0; r < n; r++) {
    soft[r] *= factor;
    G[r * n + r] = s->G[r * n + r] + soft[r];
  }
}

/* Impulses of redundant contacts are not unique, nor are velocities by what follows from them
** (friction of what slides, the expansion): proximal points (G + gamma) Lambda - gamma Lambda_k,
** each unique, from `start`. Where they come to is the same for every order of the contacts, and
** as symmetric as these are. DLS_LIMIT in report->outcome: nowhere. */
static dls_status solve_by_points(const dls_contact_problem *s, dls_arena *tmp, const double *start,
                                  double *Lambda, double *a, dls_contact_report *report) {
  const size_t n = (size_t)s->n_rows, mark = dls_arena_mark(tmp);
  double *G = DLS_TAKE(tmp, double, n *n), *c = DLS_TAKE(tmp, double, n),
         *at = DLS_TAKE(tmp, double, n);
  double *best = DLS_TAKE(tmp, double, n), *soft = DLS_TAKE(tmp, double, n), least = DLS_INF;
  if (G == NULL || c == NULL || at == NULL || best == NULL || soft == NULL) return DLS_FULL;
  memcpy(G, s->G, n * n * sizeof *G);
  soften(s, soft);
  scale_gamma(s, 1, soft, G);
  memcpy(at, start, n * sizeof *at);
  memcpy(best, start, n * sizeof *best);
  dls_status status = DLS_OK;
  bool falls = true;
  for (int k = 0; k < DLS_POINTS_MOST && least > DLS_POINTS_FINEST && status == DLS_OK; k++) {
    dls_contact_problem near = *s;
    for (size_t r = 0; r < n; r++) c[r] = s->c[r] - soft[r] * at[r];
    near.G = G, near.c = c, near.start = at, near.sought = DLS_POINTS_FINEST;
    status = dls_contact_solve(&near, tmp, Lambda, a, report);
    if (status != DLS_OK) break;
    if (report->outcome != DLS_SOLVED) {
      scale_gamma(s, DLS_POINTS_STIFFER, soft, G);
      falls = false;
      continue;
    }
    memcpy(at, Lambda, n * sizeof *at);
    const double off = dls_contact_residual(s, Lambda, a);
    if (falls && dls_points_are_slow(off, least)) scale_gamma(s, DLS_POINTS_SOFTER, soft, G);
    if (off < least) least = off, memcpy(best, at, n * sizeof *at);
  }
  memcpy(Lambda, best, n * sizeof *best);
  dls_arena_release(tmp, mark);
  report->outcome = least <= DLS_CONTACT_TOLERANCE ? DLS_SOLVED : DLS_LIMIT;
  if (report->outcome == DLS_SOLVED) report->residual = dls_contact_residual(s, Lambda, a);
  return status;
}

/* Where proximal points start; NULL: the contacts are not redundant. */
static double *start_of(const dls_contact_problem *s, dls_arena *tmp) {
  const size_t n = (size_t)s->n_rows, mark = dls_arena_mark(tmp);
  double *A = s->n > 1 ? DLS_TAKE(tmp, double, n * n) : NULL;
  const bool redundant = A != NULL && is_redundant(s, A);
  dls_arena_release(tmp, mark);
  double *start = redundant ? DLS_TAKE(tmp, double, n) : NULL;
  if (start != NULL) memset(start, 0, n * sizeof *start);
  return start;
}

/* gamma+ = gamma- + G Lambda */
static void velocities_after(const dls_contact_problem *s, const double *before,
                             const double *Lambda, double *after) {
  for (int r = 0; r < s->n_rows; r++) {
    after[r] = before[r];
    for (int k = 0; k < s->n_rows; k++)
      after[r] += s->G[(size_t)r * (size_t)s->n_rows + (size_t)k] * Lambda[k];
  }
}

static bool are_coupled(const dls_contact_problem *s, int i, int j) {
  for (int r = s->row[i]; r <= s->row[i] + s->n_tangents[i]; r++)
    for (int k = s->row[j]; k <= s->row[j] + s->n_tangents[j]; k++)
      if (s->G[(size_t)r * (size_t)s->n_rows + (size_t)k] != 0) return true;
  return false;
}

/* Contacts that nothing strikes, since none of those that G couples them to approaches, are taken
** as if without friction: no impulse solves their law. At large friction another one may, too (a
** rod that jams out of nothing). */
static void spare_unstruck(dls_contact_problem *s, workspace *w) {
  int *up = w->up;
  for (int i = 0; i < s->n; i++) up[i] = i;
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j < i; j++)
      if (are_coupled(s, i, j)) dls_unite(up, i, j);
  for (int i = 0; i < s->n; i++) w->mu[i] = 0;
  for (int i = 0; i < s->n; i++) {
    const bool struck = w->c[s->row[i]] < 0 || (s->least_normal && s->least_normal[i] > 0);
    if (struck) w->mu[dls_root_of(up, i)] = 1;
  }
  for (int i = 0; i < s->n; i++) up[i] = dls_root_of(up, i);
  for (int i = s->n - 1; i >= 0; i--) /* a root is no later than those below it */
    w->mu[i] = w->mu[up[i]] > 0 ? s->mu[i] : 0;
  s->mu = w->mu;
}

/* One problem with right side w->c (and w->least where `expansion`) into Lambda. */
static dls_status solve(const dls_impact_problem *p, workspace *w, bool expansion, double *Lambda,
                        dls_impact_report *report) {
  dls_contact_problem s = p->contacts;
  dls_contact_report r;
  s.c = w->c, s.slides = NULL, s.slip = NULL;
  /* c may be round-off of these */
  for (int k = 0; k < s.n_rows; k++) s.scale = dls_max(s.scale, fabs(p->before[k]));
  s.least_normal = expansion ? w->least : NULL;
  spare_unstruck(&s, w);
  r.outcome = DLS_LIMIT;
  dls_status status = DLS_OK;
  if (w->shared != NULL) status = solve_by_points(&s, w->tmp, w->shared, Lambda, w->a, &r);
  if (status == DLS_OK && r.outcome != DLS_SOLVED)
    status = dls_contact_solve(&s, w->tmp, Lambda, w->a, &r);
  if (status != DLS_OK) return status;
  report->n_solved++;
  if (r.outcome == DLS_SOLVED) report->residual = dls_max(report->residual, r.residual);
  if (report->outcome == DLS_SOLVED) report->outcome = r.outcome;
  return DLS_OK;
}

/* c of Newton's law with restitution e_N, e_T (NULL: none). */
static void newton_right_side(const dls_contact_problem *s, const double *before, const double *e_N,
                              const double *e_T, double *c) {
  for (int i = 0; i < s->n; i++) {
    const int r = s->row[i];
    c[r] = dls_impact_newton(e_N != NULL ? e_N[i] : 0, before[r]);
    for (int k = 1; k <= s->n_tangents[i]; k++)
      c[r + k] = dls_impact_newton_tangent(e_T != NULL ? e_T[i] : 0, before[r + k]);
  }
}

static dls_status newton(const dls_impact_problem *p, workspace *w, double *Lambda, double *after,
                         dls_impact_report *report) {
  const dls_impact_report none = *report;
  newton_right_side(&p->contacts, p->before, p->e_N, p->e_T, w->c);
  dls_status status = solve(p, w, false, Lambda, report);
  if (status == DLS_OK && report->outcome != DLS_SOLVED) { /* friction jams it */
    report->outcome = none.outcome, report->residual = none.residual;
    newton_right_side(&p->contacts, p->before, NULL, NULL, w->c);
    status = solve(p, w, false, Lambda, report);
  }
  if (status == DLS_OK) velocities_after(&p->contacts, p->before, Lambda, after);
  return status;
}

/* Whether the impulses add kinetic energy, by more than round-off. */
static bool adds_energy(const dls_contact_problem *s, const double *before, const double *Lambda,
                        const double *after) {
  dls_impact_work sum = {0};
  for (int r = 0; r < s->n_rows; r++) dls_impact_charge(&sum, Lambda[r], before[r], after[r]);
  return dls_impact_adds_energy(&sum);
}

/* The expansion's impulses E, with the reversible part of the friction of the compression C:
** within its bound. */
static void give_back(const dls_impact_problem *p, const double *C, double *E) {
  const dls_contact_problem *s = &p->contacts;
  for (int i = 0; i < s->n; i++) {
    const int r = s->row[i], d = s->n_tangents[i];
    for (int k = 1; k <= d; k++) E[r + k] += dls_impact_reversible(p->e_N[i], p->e_T[i]) * C[r + k];
    if (d > 0) dls_disk_project(d, s->mu[i] * dls_max(0, E[r]), E + r + 1);
  }
}

/* Adds the expansion E to Lambda: with its reversible part, unless that would add energy. */
static void add_expansion(const dls_impact_problem *p, double *E, double *plain, double *Lambda,
                          double *after) {
  const dls_contact_problem *s = &p->contacts;
  const size_t m = (size_t)s->n_rows;
  memcpy(plain, E, m * sizeof *E);
  give_back(p, Lambda, E);
  for (size_t r = 0; r < m; r++) Lambda[r] += E[r];
  velocities_after(s, p->before, Lambda, after);
  if (memcmp(plain, E, m * sizeof *E) == 0 || !adds_energy(s, p->before, Lambda, after)) return;
  for (size_t r = 0; r < m; r++) Lambda[r] += plain[r] - E[r];
  velocities_after(s, p->before, Lambda, after);
}

static dls_status poisson(const dls_impact_problem *p, workspace *w, double *Lambda, double *after,
                          dls_impact_report *report) {
  const dls_contact_problem *s = &p->contacts;
  memcpy(w->c, p->before, (size_t)s->n_rows * sizeof *w->c);
  dls_status status = solve(p, w, false, Lambda, report);
  if (status != DLS_OK) return status;
  velocities_after(s, p->before, Lambda, w->c);
  bool expands = false;
  for (int i = 0; i < s->n; i++) {
    w->least[i] = dls_impact_least(p->e_N[i], Lambda[s->row[i]]);
    expands = expands || w->least[i] > 0;
    if (w->shared != NULL) w->shared[s->row[i]] = w->least[i];
  }
  if (expands) {
    status = solve(p, w, true, w->trial, report);
    if (status == DLS_OK) add_expansion(p, w->trial, w->c, Lambda, after);
  } else {
    velocities_after(s, p->before, Lambda, after);
  }
  return status;
}

/* The contact that approaches fastest, of several the first; -1: none does. */
static int fastest(const dls_contact_problem *s, const double *gamma) {
  int best = -1;
  for (int i = 0; i < s->n; i++)
    if (dls_impact_is_faster(gamma[s->row[i]], best < 0 ? 0 : gamma[s->row[best]])) best = i;
  return best;
}

/* Newton's impact of a contact alone from the velocities v, of its rows: impulses. */
static dls_status strike_one(const dls_contact_problem *one, double e_N, double e_T,
                             const double *v, dls_arena *tmp, double *impulses,
                             dls_contact_report *found) {
  double c[3], a[3];
  for (int k = 0; k < one->n_rows; k++)
    c[k] = k == 0 ? dls_impact_newton(e_N, v[0]) : dls_impact_newton_tangent(e_T, v[k]);
  dls_contact_problem shifted = *one;
  shifted.c = c;
  return dls_contact_solve(&shifted, tmp, impulses, a, found);
}

/* Newton's impact of contact i alone, added to Lambda and after; what would add energy is
** curbed. */
static dls_status strike(const dls_impact_problem *p, workspace *w, int i, double *Lambda,
                         double *after, dls_impact_report *report) {
  const dls_contact_problem *s = &p->contacts;
  const int r = s->row[i], m = 1 + s->n_tangents[i], first = 0;
  double G[9], found[3], inelastic[3];
  for (int k = 0; k < m; k++)
    for (int l = 0; l < m; l++)
      G[k * m + l] = s->G[(size_t)(r + k) * (size_t)s->n_rows + (size_t)(r + l)];
  const dls_contact_problem one = {.n = 1,
                                   .n_rows = m,
                                   .row = &first,
                                   .n_tangents = &s->n_tangents[i],
                                   .G = G,
                                   .mu = &s->mu[i],
                                   .corners = s->corners,
                                   .scale = s->scale};
  dls_contact_report of;
  dls_status status = strike_one(&one, p->e_N[i], p->e_T[i], after + r, w->tmp, found, &of);
  if (status != DLS_OK) return status;
  report->n_solved++;
  const dls_impact_work work = dls_impact_work_of(m, m, G, after + r, found);
  const bool jammed = of.outcome != DLS_SOLVED;
  if (jammed || dls_impact_adds_energy(&work)) {
    status = strike_one(&one, 0, 0, after + r, w->tmp, inelastic, &of);
    if (status != DLS_OK) return status;
    report->n_solved++;
    if (jammed) memcpy(found, inelastic, (size_t)m * sizeof *found);
    else dls_impact_curb(m, m, G, after + r, inelastic, found);
    report->curbed += jammed ? 0 : 1;
  }
  report->residual = dls_max(report->residual, of.residual);
  if (report->outcome == DLS_SOLVED) report->outcome = of.outcome;
  for (int k = 0; k < m; k++) Lambda[r + k] += found[k];
  for (int l = 0; l < s->n_rows; l++)
    for (int k = 0; k < m; k++)
      after[l] += s->G[(size_t)l * (size_t)s->n_rows + (size_t)(r + k)] * found[k];
  return DLS_OK;
}

static dls_status sequential(const dls_impact_problem *p, workspace *w, double *Lambda,
                             double *after, dls_impact_report *report) {
  const dls_contact_problem *s = &p->contacts;
  memset(Lambda, 0, (size_t)s->n_rows * sizeof *Lambda);
  memcpy(after, p->before, (size_t)s->n_rows * sizeof *after);
  int i = fastest(s, after);
  const double end = i >= 0 ? DLS_IMPACT_APPROACH_LEAST * -after[s->row[i]] : 0;
  for (int k = 0; k < DLS_IMPACTS_IN_TURN * s->n && i >= 0 && -after[s->row[i]] > end; k++) {
    const dls_status status = strike(p, w, i, Lambda, after, report);
    if (status != DLS_OK) return status;
    i = fastest(s, after);
  }
  if (i < 0 || !(-after[s->row[i]] > 0)) return DLS_OK;
  if (p->rest_waits) {
    report->collapsed =
        -after[s->row[i]] > DLS_IMPACT_APPROACH_NOISE / DLS_IMPACT_APPROACH_LEAST * end;
    return DLS_OK;
  }
  report->collapsed = -after[s->row[i]] > end;
  newton_right_side(s, after, NULL, NULL, w->c);
  const dls_status status = solve(p, w, false, w->trial, report);
  if (status != DLS_OK) return status;
  for (int r = 0; r < s->n_rows; r++) Lambda[r] += w->trial[r];
  velocities_after(s, p->before, Lambda, after);
  return DLS_OK;
}

static bool restores(const dls_impact_problem *p) {
  bool any = false;
  for (int i = 0; i < p->contacts.n; i++) any = any || p->e_N[i] > 0 || p->e_T[i] > 0;
  return any;
}

/* Where friction jams what Poisson's law is to throw back (a wedge that locks itself) it may have
** no answer: without restitution there always is one. */
static dls_status end_rebound(const dls_impact_problem *p, workspace *w, double *Lambda,
                              double *after, dls_impact_report *report) {
  if (report->outcome == DLS_SOLVED || !restores(p)) return DLS_OK;
  report->outcome = DLS_SOLVED, report->collapsed = true;
  if (w->shared != NULL) memset(w->shared, 0, (size_t)p->contacts.n_rows * sizeof *w->shared);
  newton_right_side(&p->contacts, p->before, NULL, NULL, w->c);
  const dls_status status = solve(p, w, false, Lambda, report);
  if (status == DLS_OK) velocities_after(&p->contacts, p->before, Lambda, after);
  return status;
}

dls_status dls_impact_solve(const dls_impact_problem *p, dls_arena *tmp, double *Lambda,
                            double *after, dls_impact_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int m = p->contacts.n_rows;
  workspace w = {DLS_TAKE(tmp, double, m), DLS_TAKE(tmp, double, m), DLS_TAKE(tmp, double, m),
                 DLS_TAKE(tmp, double, m), DLS_TAKE(tmp, double, m), DLS_TAKE(tmp, int, m),
                 NULL, tmp};
  dls_status status = DLS_FULL;
  *report = (dls_impact_report){.outcome = DLS_SOLVED};
  if (w.c && w.trial && w.a && w.least && w.mu && w.up) {
    w.shared = start_of(&p->contacts, tmp);
    switch (p->law) {
      case DLS_IMPACT_NEWTON: status = newton(p, &w, Lambda, after, report); break;
      case DLS_IMPACT_POISSON: status = poisson(p, &w, Lambda, after, report); break;
      case DLS_IMPACT_SEQUENTIAL: status = sequential(p, &w, Lambda, after, report); break;
    }
    if (status == DLS_OK && p->law == DLS_IMPACT_POISSON)
      status = end_rebound(p, &w, Lambda, after, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
