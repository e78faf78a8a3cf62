/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/lemke.h"

#include "core/lcp/basic.h"
#include "core/lcp/lemke_game.h"
#include "core/lcp/lemke_tableau.h"
#include "core/lcp/residual.h"
#include "core/lcp/scaling.h"

#define INFEASIBLE_TOLERANCE 1e-9 /* of the inequalities that prove infeasibility */

typedef struct lemke {
  const dls_lcp *original; /* borrowed */
  const dls_lcp_opts *opts; /* borrowed */
  dls_arena *tmp;          /* where the arrays are */
  dls_lcp scaled;          /* equilibrated                        */
  dls_lcp_scaling scaling; /* between the two problems */
  dls_basis basis;         /* the variables that are basic, and their values */
  double *d;               /* n, covering vector                  */
  double *trial, *image;   /* n each                              */
  int *set, *block;        /* n each                              */
  int n_pivots, max_pivots; /* made; allowed */
  double best;             /* residual of the answer in z         */
} lemke;

size_t dls_lcp_lemke_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n;
  size_t bytes = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  for (int i = 0; i < 6; i++) bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  bytes = dls_bytes_add(bytes, 2 * dls_lcp_scaling_bytes(p->n));
  bytes = dls_bytes_add(bytes, dls_basis_bytes(p->n));
  bytes = dls_bytes_add(bytes, dls_lcp_basic_bytes(p->n));
  const size_t tableau = p->n <= DLS_LEMKE_TABLEAU_MAX ? dls_lemke_tableau_bytes(p->n) : 0;
  return bytes > tableau ? bytes : tableau;
}

/* The equilibrated problem, in tmp. */
static bool prepare(lemke *s) {
  const size_t n = (size_t)s->original->n;
  const double *M = s->original->M;
  double *scaled = DLS_TAKE(s->tmp, double, n * n), *q = DLS_TAKE(s->tmp, double, n);
  s->d = DLS_TAKE(s->tmp, double, n);
  s->trial = DLS_TAKE(s->tmp, double, n);
  s->image = DLS_TAKE(s->tmp, double, n);
  s->set = DLS_TAKE(s->tmp, int, n);
  s->block = DLS_TAKE(s->tmp, int, n);
  if (scaled == NULL || q == NULL || s->d == NULL || s->trial == NULL || s->image == NULL ||
      s->set == NULL || s->block == NULL || !dls_lcp_scaling_take(&s->scaling, (int)n, s->tmp) ||
      dls_lcp_scaling_find(&s->scaling, M, s->original->q, s->tmp) != DLS_OK)
    return false;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      scaled[i * n + j] = s->scaling.row[i] * M[i * n + j] * s->scaling.col[j];
  dls_lcp_scaling_q(&s->scaling, s->original->q, q);
  for (size_t i = 0; i < n; i++) s->d[i] = 1.0;
  s->scaled = (dls_lcp){.n = (int)n, .M = scaled, .q = q};
  if (dls_basis_begin(&s->basis, (int)n, scaled, s->d, q, s->tmp) != DLS_OK) return false;
  dls_basis_tilt(&s->basis);
  s->basis.stop = s->opts->stop;
  return true;
}

void dls_lemke_cover(int n, const double *q, int attempt, double *d) {
  for (int i = 0; i < n; i++) {
    const double at = (double)(i + 1) / (double)n;
    d[i] = 1.0;
    if (attempt == 1) d[i] = 0.5 + at;
    if (attempt == 2) d[i] = 1.5 - at;
    if (attempt == 3) d[i] = 1e-2 + dls_max(-q[i], 0.0);
  }
}

/* Keeps s->trial, values of the original problem, in z if it is better. */
static void offer(lemke *s, double *z) {
  double natural;
  for (int i = 0; i < s->scaled.n; i++) s->trial[i] = dls_max(s->trial[i], 0.0);
  const double residual =
      dls_lcp_residual_to(s->original, s->opts->tolerance, s->trial, s->image, &natural);
  if (!(residual < s->best)) return;
  s->best = residual;
  memcpy(z, s->trial, (size_t)s->scaled.n * sizeof *z);
}

/* The basic solution of the k pairs in s->set, from M itself; true where it is the answer. */
static bool answer_of_set(lemke *s, int k, double *z) {
  if (dls_lcp_basic(&s->scaled, s->set, k, s->opts->stop, s->tmp, s->trial) != DLS_OK) return false;
  dls_lcp_scaling_z(&s->scaling, s->trial, s->trial);
  offer(s, z);
  return s->best <= s->opts->tolerance;
}

/* A start near enough to the answer has its basis. */
static bool start_is_answer(lemke *s, double *z) {
  int k = 0;
  if (s->opts->start == NULL) return false;
  for (int i = 0; i < s->scaled.n; i++)
    if (s->opts->start[i] > 0.0) s->set[k++] = i;
  if (dls_lcp_basic(s->original, s->set, k, s->opts->stop, s->tmp, s->trial) == DLS_OK) {
    offer(s, z);
    if (s->best <= s->opts->tolerance) return true;
  }
  return answer_of_set(s, k, z);
}

/* The answer of the basis reached, from M itself; else the values of the path, where the basis is
** not complementary. */
static void answer(lemke *s, double *z) {
  const int n = s->scaled.n;
  int k = 0;
  for (int i = 0; i < n; i++)
    if (dls_basis_has(&s->basis, n + i)) s->set[k++] = i;
  if (answer_of_set(s, k, z)) return;
  for (int i = 0; i < n; i++) s->trial[i] = dls_basis_value(&s->basis, n + i);
  dls_lcp_scaling_z(&s->scaling, s->trial, s->trial);
  offer(s, z);
}

/* Does the ray's y = max(-u_z, 0) prove  M' y <= 0,  q' y < 0 ? */
static bool infeasible(lemke *s, int entering) {
  const int n = s->scaled.n;
  double *y = s->trial, *My = s->image, size = 0.0, qy = 0.0;
  for (int i = 0; i < n; i++) {
    y[i] = entering == n + i ? 1.0 : dls_max(-dls_basis_entry(&s->basis, n + i), 0.0);
    size = dls_max(size, y[i]);
  }
  if (size == 0.0) return false;
  for (int j = 0; j < n; j++) My[j] = 0.0;
  for (int i = 0; i < n; i++) {
    if (y[i] == 0.0) continue;
    const double *row = s->scaled.M + (size_t)i * (size_t)n;
    for (int j = 0; j < n; j++) My[j] += y[i] * row[j];
    qy += y[i] * s->scaled.q[i];
  }
  for (int j = 0; j < n; j++)
    if (My[j] > INFEASIBLE_TOLERANCE * size) return false;
  return qy < -INFEASIBLE_TOLERANCE * size * 1e2;
}

dls_lemke_end dls_lemke_follow(dls_basis *b, const double *d, int max_pivots, int *n_pivots,
                               int *entering) {
  const int t = 2 * b->n;
  int leaving = dls_basis_cover(b, d);
  *entering = t;
  if (b->q[leaving] >= 0.0) return DLS_LEMKE_SOLVED;
  for (int pivots = 0; pivots < max_pivots; pivots++) {
    if (dls_stop_poll(b->stop, 4.0 * b->k * (b->k + b->n)) || !dls_basis_column(b, *entering))
      return DLS_LEMKE_LIMIT;
    if (*entering != t) leaving = dls_basis_ratio(b, t);
    if (leaving < 0) return DLS_LEMKE_RAY;
    if (!dls_basis_pivot(b, *entering, leaving)) return DLS_LEMKE_LIMIT;
    ++*n_pivots;
    if (leaving == t) return DLS_LEMKE_SOLVED;
    *entering = dls_basis_complement(b, leaving);
  }
  return DLS_LEMKE_LIMIT;
}

/* A bimatrix game by the paths of its pairs in turn: the first one leads to an answer but for
** round-off. */
static bool by_game(lemke *s, int each, double *z) {
  enum { MOST = 8 }; /* pairs tried */
  if (s->opts->max_pivots > 0 || !dls_lemke_game(&s->scaled, s->block)) return false;
  for (int k = 0; k < s->scaled.n && k < MOST && !dls_stop_poll(s->opts->stop, 1.0); k++) {
    dls_basis_restart(&s->basis, s->d);
    (void)dls_lemke_game_follow(&s->basis, &s->scaled, s->block, k, each, &s->n_pivots);
    answer(s, z);
    if (s->best <= s->opts->tolerance) return true;
  }
  return false;
}

/* The quick way, good where the judge says so. */
static bool by_tableau(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                       double *w, dls_lcp_report *report) {
  if (p->n == 0 || p->n > DLS_LEMKE_TABLEAU_MAX || opts->start != NULL || opts->max_pivots != 0)
    return false;
  const int pivots = dls_lemke_tableau(p, opts->stop, tmp, z);
  if (pivots < 0) return false;
  report->pivots = pivots;
  dls_lcp_judge(p, opts, z, w, DLS_LIMIT, report);
  return report->outcome == DLS_SOLVED;
}

dls_status dls_lcp_lemke(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                         double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  const int n = p->n, each = n < 2 ? 100 : (n > 40000000 ? n : 50 * n);
  lemke s;
  memset(&s, 0, sizeof s);
  memset(report, 0, sizeof *report);
  report->method = "lemke";
  report->fault.index = -1;
  if (by_tableau(p, opts, tmp, z, w, report)) return DLS_OK;
  for (int i = 0; i < n; i++) z[i] = 0.0;
  s.original = p;
  s.opts = opts;
  s.tmp = tmp;
  s.best = DLS_INF;
  if (n > 0 && !prepare(&s)) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  dls_lemke_end end = DLS_LEMKE_SOLVED;
  const bool done = n == 0 || start_is_answer(&s, z) || by_game(&s, each, z);
  for (int attempt = 0; !done && attempt < DLS_LEMKE_COVERS; attempt++) {
    const int left = opts->max_pivots > 0 ? opts->max_pivots - s.n_pivots : each;
    int entering;
    if (left <= 0 || dls_stop_poll(opts->stop, 1.0)) break;
    dls_lemke_cover(n, s.scaled.q, attempt, s.d);
    dls_basis_restart(&s.basis, s.d);
    end = dls_lemke_follow(&s.basis, s.d, left, &s.n_pivots, &entering);
    answer(&s, z);
    if (s.best <= opts->tolerance) break;
    report->proven = end == DLS_LEMKE_RAY && infeasible(&s, entering);
    if (report->proven) break;
  }
  report->pivots = s.n_pivots;
  dls_lcp_judge(p, opts, z, w, end == DLS_LEMKE_RAY ? DLS_RAY : DLS_LIMIT, report);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
