/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/energy.h"

#include "core/lcp/energy_form.h"
#include "core/base/vector.h"
#include "core/lcp/energy_small.h"
#include "core/lcp/residual.h"
#include "core/lcp/trace.h"
#include "core/math/dense.h"

/* Up to this size the tableau is the faster form. */
#define N_TABLEAU 8
/* What counts as zero in a tableau, relative to the row's own original scale. */
#define SMALL 1e-12
/* A diagonal below this, relative, is no round-off: the matrix is not semidefinite. */
#define NEGATIVE 1e-9
/* An error of the right side above this, relative, is more than round-off of a sound tableau; how
** often it is made anew. */
#define SPOILED 1e-11
#define TRIES 3

typedef struct run {
  dls_energy s;  /* tableau and basis */
  const dls_lcp_opts *opts; /* borrowed */
  dls_lcp_report *report; /* of the caller */
  double q_most; /* max |q|                                 */
  int cap;       /* pivots before least index takes over    */
  int limit;     /* pivots in all                           */
  int power;     /* Brent: pivots until s.seen is set anew */
  int lap;       /* Brent: pivots since then                */
  int refreshed; /* pivots when the tableau was made anew   */
  int settled;   /* pivots before round-off is looked at    */
} run;

/* --- what counts as zero -------------------------------------------------------------------- */
/* A right side much smaller than its neighbours': what they bring in through M_ij z_j, z_j about
** q_j / M_jj, has round-off of its own. */
static double neighbours(const run *r, int i) {
  const dls_energy *s = &r->s;
  const double *row = s->p->M + (size_t)i * (size_t)s->n;
  double most = fabs(s->p->q[i]);
  for (int j = 0; j < s->n; j++)
    if (row[j] != 0.0 && s->d[j] > 0.0)
      most = dls_max(most, fabs(row[j]) * fabs(s->p->q[j]) / s->d[j]);
  return most;
}

/* The largest q_i^2 / d_i of d_i > 0; q and d are padded with zeros. Two divisions cost what one
** does. */
#ifdef DLS_PLAIN_C
static double most_energy(const dls_energy *s) {
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    const double e = s->d[i] > 0 ? s->q[i] * s->q[i] / s->d[i] : 0;
    most = e > most ? e : most;
  }
  return most;
}
#else
static double most_energy(const dls_energy *s) {
  typedef double two DLS_VECTOR(16);
  typedef double loose_two DLS_LOOSE(16, 8);
  typedef long long mask DLS_VECTOR(16);
  two most = {0.0, 0.0};
  for (int i = 0; i < s->np; i += 2) {
    const two q = (two)*(const loose_two *)(s->q + i), d = (two)*(const loose_two *)(s->d + i);
    const mask ok = d > 0.0;
    const two none = {1.0, 1.0}, e = q * q / (two)(((mask)d & ok) | ((mask)none & ~ok));
    const mask more = ok & (e > most);
    most = (two)(((mask)e & more) | ((mask)most & ~more));
  }
  return dls_max(most[0], most[1]);
}
#endif

static void set_zeros(run *r) {
  dls_energy *s = &r->s;
  const dls_lcp *p = s->p;
  const double e_most = most_energy(s);
  double d_most = 0.0;
  r->q_most = 0.0;
  for (int i = 0; i < s->n; i++) {
    r->q_most = dls_max(r->q_most, fabs(p->q[i]));
    d_most = dls_max(d_most, s->d[i]);
  }
  for (int i = 0; i < s->n; i++) {
    const double q = fabs(p->q[i]), d = s->d[i];
    const bool small = q * q < 1e-4 * (d * e_most); /* neighbours may reach sqrt(d e_most) */
    s->tq[i] = SMALL * (q == 0.0 ? r->q_most : (small ? neighbours(r, i) : q));
    s->unit[i] = d > 0.0 ? d : (d_most > 0.0 ? d_most : 1.0);
    s->td[i] = d > 0.0 || d_most > 0.0 ? SMALL * s->unit[i] : 0.0;
  }
}

/* --- choice of the pivot -------------------------------------------------------------------- */
/* The lowest candidate, whatever its diagonal; -1 where there is none. */
static int lowest(const dls_energy *s) {
  for (int i = 0; i < s->n; i++)
    if (s->q[i] < -s->tq[i]) return i;
  return -1;
}

/* The active row that goes out where i, with a zero diagonal, comes in: the largest T_ij > 0, or
** the lowest j under the finite rule. The diagonal of i afterwards must be a pivot. */
static int partner(run *r, int i, double *row) {
  const dls_energy *s = &r->s;
  int best = -1;
  for (int j = 0; j < s->n; j++) {
    if (!s->basis[j] || !(row[j] > 0.0) || !(s->d[j] > 0.0)) continue;
    if (!(s->d[i] + row[j] * row[j] / s->d[j] > s->td[i])) continue;
    if (best < 0 || row[j] > row[best]) best = j;
    if (r->report->fallback) break;
  }
  return best;
}

/* Row i has q_i < 0, T_ii = 0 and no partner: no solution, unless M shows that it is not
** semidefinite: a zero diagonal with something beside it. */
static dls_outcome dead_end(run *r, int i, const double *row) {
  const dls_energy *s = &r->s;
  dls_fault *fault = &r->report->fault;
  fault->index = i;
  fault->value = s->d[i];
  if (s->basis[i] || s->d[i] < -NEGATIVE / SMALL * s->td[i]) return DLS_UNSUITABLE;
  for (int j = 0; j < s->n; j++) {
    if (s->basis[j] || j == i) continue;
    const double room = (s->d[i] + 1e3 * s->td[i]) * (dls_max(s->d[j], 0.0) + 1e3 * s->td[j]);
    if (row[j] * row[j] <= room) continue;
    fault->value = row[j];
    return DLS_UNSUITABLE;
  }
  r->report->proven = true; /* where M is what it is taken for */
  return DLS_RAY;
}

/* --- trace ---------------------------------------------------------------------------------- */
static dls_status record(run *r, int pivot, int other, double criterion) {
  const dls_energy *s = &r->s;
  if (r->opts->trace == NULL || s->factor) return DLS_OK;
  dls_lcp_entry entry = {pivot, other, criterion, 0.0};
  for (int i = 0; i < s->n; i++)
    if (s->basis[i]) entry.energy += 0.5 * s->p->q[i] * s->q[i];
  return dls_lcp_trace_push(r->opts->trace, entry, s->basis, s->q, s->T, (int)s->ld);
}

/* For the record alone. */
static double criterion_at(const run *r, int i) {
  const dls_energy *s = &r->s;
  return r->opts->trace == NULL ? 0.0 : -(s->q[i] * s->q[i]) / s->d[i];
}

/* Multiplications of one. */
static double pivot_work(const dls_energy *s) {
  return (double)s->n * (s->factor ? 4 * s->n_active + 20 : s->n);
}

/* --- the guard ------------------------------------------------------------------------------ */
static void install(run *r, const unsigned char *basis) {
  dls_energy *s = &r->s;
  for (int i = 0; i < s->n; i++)
    if (basis[i] && !s->basis[i] && s->d[i] > s->td[i] &&
        !dls_stop_poll(r->opts->stop, pivot_work(s)))
      (void)dls_energy_exchange(s, i);
}

static bool definite(run *r) {
  dls_energy *s = &r->s;
  return dls_dense_semidefinite(s->n, s->p->M, (size_t)s->n, s->T, s->ld, r->opts->stop,
                                &r->report->fault);
}

/* More pivots than a problem of this size should take: the matrix may not be semidefinite
** (false), or round-off may be at work. The tableau is made anew, and what is small beside the
** largest counts as zero from here on. */
static bool refresh(run *r) {
  dls_energy *s = &r->s;
  double z_most = 0.0;
  if (r->refreshed == 0 && !definite(r)) return false;
  memcpy(s->kept, s->basis, (size_t)s->n);
  dls_energy_reset(s);
  install(r, s->kept);
  for (int i = 0; i < s->n; i++)
    if (s->basis[i]) z_most = dls_max(z_most, fabs(s->q[i]));
  for (int i = 0; i < s->n; i++) {
    const double unit = s->basis[i] ? z_most : r->q_most;
    s->tq[i] = dls_max(s->tq[i], SMALL * unit);
  }
  r->refreshed = r->report->pivots;
  return true;
}

/* false: the matrix turned out to be unsuitable. */
static bool watch(run *r) {
  dls_energy *s = &r->s;
  const int pivots = r->report->pivots, n = s->n;
  if (pivots - r->refreshed >= n + n / 2 + 20 && !refresh(r)) return false;
  if (r->report->fallback || pivots <= n) return true;
  if (pivots >= r->cap || memcmp(s->seen, s->basis, (size_t)n) == 0) {
    r->report->fallback = true;
    return refresh(r);
  }
  if (++r->lap == r->power) {
    memcpy(s->seen, s->basis, (size_t)n);
    r->power *= 2;
    r->lap = 0;
  }
  return true;
}

/* --- the pivots ----------------------------------------------------------------------------- */
static int pick(const run *r) {
  const dls_energy *s = &r->s;
  if (r->report->fallback) return lowest(s);
  const int i = s->lanes->choose(s->np, s->q, s->d, s->tq, s->td);
  return i < 0 ? lowest(s) : i;
}

/* Is the candidate small enough to be round-off? Not asked again within n / 8 pivots. */
static bool doubtful(const run *r, int i) {
  const dls_energy *s = &r->s;
  if (i < 0 || s->n_active == 0 || r->report->pivots < r->settled) return false;
  return fabs(s->q[i]) < 1e-9 * r->q_most * (s->basis[i] ? s->d[i] : 1.0);
}

/* One pivot. DLS_SOLVED here means that no candidate is left, DLS_LIMIT that it goes on. */
static dls_status step(run *r, dls_outcome *outcome) {
  dls_energy *s = &r->s;
  int i = pick(r);
  if (doubtful(r, i)) {
    r->settled = r->report->pivots + s->n / 8 + 1;
    dls_energy_settle(s);
    i = pick(r);
  }
  *outcome = i < 0 ? DLS_SOLVED : DLS_LIMIT;
  if (i < 0) return DLS_OK;
  if (s->d[i] > s->td[i]) {
    const dls_status status = record(r, i, -1, criterion_at(r, i));
    if (status == DLS_OK) (void)dls_energy_exchange(s, i);
    return status;
  }
  double *row = s->f;
  dls_energy_row(s, i, row);
  const int j = s->basis[i] ? -1 : partner(r, i, row);
  if (j < 0) {
    *outcome = dead_end(r, i, row);
    return DLS_OK;
  }
  const dls_status status = record(r, i, j, -(row[j] * row[j]) / s->d[j]);
  if (status == DLS_OK && dls_energy_exchange(s, j)) (void)dls_energy_exchange(s, i);
  return status;
}

static dls_status pivots(run *r, dls_outcome *outcome) {
  for (;;) {
    const int left = r->limit - r->report->pivots;
    if (r->opts->stop != NULL && dls_stop_poll(r->opts->stop, pivot_work(&r->s)))
      return DLS_STOPPED;
    if (left <= 0 && lowest(&r->s) >= 0) {
      *outcome = DLS_LIMIT;
      return DLS_OK;
    }
    const dls_status status = step(r, outcome);
    if (status != DLS_OK || *outcome != DLS_LIMIT) return status;
    r->report->pivots++;
    if (watch(r)) continue;
    *outcome = DLS_UNSUITABLE;
    return DLS_OK;
  }
}

/* --- the answer ----------------------------------------------------------------------------- */
static void read_answer(const dls_energy *s, double *z) {
  for (int i = 0; i < s->n; i++) z[i] = s->basis[i] && s->q[i] > 0.0 ? s->q[i] : 0.0;
}

/* Where round-off spoiled the answer: two steps of refinement, each kept if it is better. */
static void polish(run *r, double *z, double *w, dls_outcome otherwise) {
  dls_energy *s = &r->s;
  for (int k = 0; k < 2 && r->report->outcome != DLS_SOLVED; k++) {
    const double before = r->report->residual;
    dls_energy_refine(s, w, z);
    for (int i = 0; i < s->n; i++) z[i] = dls_max(z[i], 0.0);
    dls_lcp_judge(s->p, r->opts, z, w, otherwise, r->report);
    if (r->report->residual <= before) continue;
    read_answer(s, z);
    dls_lcp_judge(s->p, r->opts, z, w, otherwise, r->report);
    return;
  }
}

/* A pivot on what was hardly more than zero spoiled the tableau: it is made anew and more counts as
** zero. false: it is sound, or there were enough tries. */
static bool again(run *r, int tries) {
  dls_energy *s = &r->s;
  if (r->report->outcome == DLS_SOLVED || tries == TRIES || s->n_active == 0) return false;
  const bool dead = tries == 0 && r->report->outcome != DLS_LIMIT; /* its row may be round-off */
  if (r->report->pivots >= r->limit) return false;
  if (!dead && dls_energy_error(s) <= SPOILED * r->q_most) return false;
  const dls_fault fault = r->report->fault;
  for (int i = 0; i < s->n; i++) s->td[i] *= 100.0;
  if (refresh(r)) return true;
  if (r->report->outcome == DLS_UNSUITABLE) r->report->fault = fault;
  r->report->outcome = DLS_UNSUITABLE;
  return false;
}

static dls_status conclude(run *r, dls_outcome outcome, double *z, double *w) {
  dls_energy *s = &r->s;
  dls_status status = DLS_OK;
  for (int tries = 0;; tries++) {
    const dls_outcome otherwise = outcome == DLS_SOLVED ? DLS_LIMIT : outcome;
    read_answer(s, z);
    dls_lcp_judge(s->p, r->opts, z, w, otherwise, r->report);
    if (outcome == DLS_SOLVED) polish(r, z, w, otherwise);
    if (!again(r, tries)) break;
    status = pivots(r, &outcome);
    if (status != DLS_OK) return status;
  }
  status = record(r, -1, -1, 0.0);
  if (r->report->outcome == DLS_SOLVED) {
    r->report->fault = (dls_fault){-1, 0.0};
  } else if (r->report->outcome != DLS_UNSUITABLE && !definite(r)) {
    r->report->outcome = DLS_UNSUITABLE;
  }
  return status;
}

/* --- entry points --------------------------------------------------------------------------- */
static void set_limits(run *r) {
  const int n = r->s.n, most = n > 20000000 ? 1000000000 : 50 * n;
  r->cap = most > 100 ? most : 100;
  r->limit = r->opts->max_pivots > 0 ? r->opts->max_pivots : 2 * r->cap;
  r->power = 1;
  r->lap = r->refreshed = r->settled = 0;
}

static dls_status solve(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                        double *w, dls_lcp_report *report, bool factor) {
  const size_t mark = dls_arena_mark(tmp);
  run r; /* set by set_limits and set_zeros, s by dls_energy_take */
  r.opts = opts;
  r.report = report;
  memset(report, 0, sizeof *report);
  report->method = "energy";
  report->fault.index = -1;
  dls_status status = dls_energy_take(&r.s, p, factor, tmp);
  if (status != DLS_OK) return status;
  set_limits(&r);
  if (opts->trace != NULL) dls_lcp_trace_begin(opts->trace, p->n);
  dls_energy_reset(&r.s);
  set_zeros(&r);
  if (opts->start != NULL) {
    for (int i = 0; i < p->n; i++) r.s.kept[i] = opts->start[i] > 0.0;
    install(&r, r.s.kept);
  }
  memcpy(r.s.seen, r.s.basis, (size_t)p->n);
  if (p->n > 0) r.s.seen[0] ^= 2u;
  dls_outcome outcome = DLS_SOLVED;
  status = pivots(&r, &outcome);
  if (status == DLS_OK) status = conclude(&r, outcome, z, w);
  dls_arena_release(tmp, mark);
  return status;
}

size_t dls_lcp_energy_bytes(const dls_lcp *p) { return dls_energy_bytes(p->n); }

dls_status dls_lcp_energy(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                          double *w, dls_lcp_report *report) {
  const bool factor = p->n > N_TABLEAU && opts->trace == NULL;
  if (dls_lcp_energy_small(p, opts, z, w, report)) return DLS_OK;
  return solve(p, opts, tmp, z, w, report, factor);
}

dls_status dls_lcp_energy_tableau(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                                  double *z, double *w, dls_lcp_report *report) {
  return solve(p, opts, tmp, z, w, report, false);
}

dls_status dls_lcp_energy_factor(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp,
                                 double *z, double *w, dls_lcp_report *report) {
  return solve(p, opts, tmp, z, w, report, true);
}
