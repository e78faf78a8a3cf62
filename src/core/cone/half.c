/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/planar.h"

/* Turns of the two half-problems; pivots a row before the half-problem is given up. */
#define TURNS 2000
#define PIVOTS 60
/* Turns without progress after which friction's moves are cut by CUT, never below LEAST. */
#define IDLE 10
#define CUT 0.7
#define LEAST 0.05
/* Relative to the diagonal and to max |c|: below it a pivot, a violation, is taken as zero. */
#define FLAT 1e-12

bool dls_cone_is_planar(const dls_cone_problem *pr, int *group) {
  for (int g = 0; g < pr->n_groups; g++) {
    dls_cone_kind kind = pr->groups[g].kind;
    if (kind == DLS_CONE_BILATERAL || kind == DLS_CONE_UNILATERAL || kind == DLS_CONE_BOX ||
        kind == DLS_CONE_PLANAR)
      continue;
    *group = g;
    return false;
  }
  return true;
}

void dls_cone_dense(const dls_cone_system *sys, double *A) {
  size_t n = (size_t)sys->n;
  memset(A, 0, n * n * sizeof(double));
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row, d = sys->dim[g];
    const double *a = sys->diag + sys->diag_at[g];
    for (int r = 0; r < d; r++)
      for (int k = 0; k < d; k++) A[(size_t)(row + r) * n + (size_t)(row + k)] = *a++;
    a = sys->value + sys->at[g];
    for (int b = sys->start[g]; b < sys->start[g + 1]; b++) {
      int col = sys->groups[sys->col[b]].row, dj = sys->dim[sys->col[b]];
      for (int r = 0; r < d; r++)
        for (int k = 0; k < dj; k++) A[(size_t)(row + r) * n + (size_t)(col + k)] = *a++;
    }
  }
}

/* --- one half-problem:  u = A x + q,  lo <= x <= hi, u = 0 between ---------------------------- */

typedef enum where { AT_LO, AT_HI, FREE } where;

typedef struct half {
  int n;                 /* rows of this half                                           */
  int *row;              /* n: their places in the system                               */
  double *T, *t;         /* n x n, n: principal transform of A and of q on the free set */
  double *lo, *hi, *d;   /* n: bounds; diagonal of A                                    */
  double *x, *out;       /* n: values; x of free rows, u of the others                  */
  where *state;          /* n                                                           */
} half;

static void pivot(half *h, int k) {
  size_t n = (size_t)h->n;
  double *row = h->T + (size_t)k * n, p = row[k];
  for (size_t i = 0; i < n; i++) {
    double f = h->T[i * n + (size_t)k] / p;
    if (i == (size_t)k || f == 0) continue;
    double *other = h->T + i * n;
    for (size_t j = 0; j < n; j++) other[j] -= f * row[j];
    other[k] = f;
    h->t[i] -= f * h->t[k];
  }
  for (size_t j = 0; j < n; j++) row[j] /= -p;
  row[k] = 1 / p;
  h->t[k] /= -p;
}

static void outputs(half *h) {
  for (int i = 0; i < h->n; i++) {
    double sum = h->t[i];
    for (int j = 0; j < h->n; j++)
      if (h->state[j] != FREE) sum += h->T[(size_t)i * (size_t)h->n + (size_t)j] * h->x[j];
    h->out[i] = sum;
  }
  for (int i = 0; i < h->n; i++)
    if (h->state[i] == FREE) h->x[i] = h->out[i];
}

/* How wrong row i is, as energy: violation^2 / diagonal of the transform; 0 where it is right. */
static double wrong(const half *h, int i, double eps) {
  double d = h->d[i], own = fabs(h->T[(size_t)i * (size_t)h->n + (size_t)i]), e;
  if (h->state[i] == FREE) {
    e = h->x[i] < h->lo[i] ? h->lo[i] - h->x[i] : h->x[i] - h->hi[i];
    return e * d > eps ? e * e / dls_max(own, 1e-300) : 0;
  }
  e = h->state[i] == AT_LO ? -h->out[i] : h->out[i];
  return e > eps && own > FLAT * d ? e * e / own : 0;
}

static void change(half *h, int i) {
  if (h->state[i] == FREE) {
    bool low = h->x[i] < h->lo[i];
    h->state[i] = low ? AT_LO : AT_HI;
    h->x[i] = low ? h->lo[i] : h->hi[i];
  } else {
    h->state[i] = FREE;
  }
  pivot(h, i);
}

/* Pivots until no row is wrong; counts pivots, up to so many. */
static bool solve_half(half *h, double eps, bool block, int most_pivots, int *pivots) {
  int least = h->n + 1, patience = 5;
  for (int k = 0; k < PIVOTS * h->n + PIVOTS && *pivots < most_pivots; k++) {
    int count = 0, best = -1;
    double most = 0;
    outputs(h);
    for (int i = 0; i < h->n; i++) {
      double e = wrong(h, i, eps);
      if (e > 0) count++;
      if (e > most) most = e, best = i;
    }
    if (best < 0) return true;
    if (count < least) least = count, patience = 5;
    else patience--;
    if (!block || patience < 0) {
      change(h, best);
      ++*pivots;
      continue;
    }
    for (int i = 0; i < h->n; i++)
      if (*pivots < most_pivots && wrong(h, i, eps) > 0) {
        change(h, i);
        ++*pivots;
      }
  }
  return false;
}

/* Rows of one half: friction rows of contacts, or all the others. */
static void choose(const dls_cone_system *sys, bool friction, half *h) {
  h->n = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    bool contact = sys->shape[g].n_parts > 0;
    if (friction && !contact) continue;
    h->row[h->n++] = sys->groups[g].row + (friction ? 1 : 0);
  }
}

/* A, q and bounds of one half with the other's impulses z fixed. Rows that were inside their bounds
** start free. */
static void load(const dls_cone_system *sys, bool friction, const double *A, const double *z,
                 half *h) {
  size_t n = (size_t)sys->n, m = (size_t)h->n;
  int at = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    if (friction && sys->shape[g].n_parts == 0) continue;
    double r = friction ? sys->shape[g].mu[0] * z[sys->groups[g].row] : 0;
    h->lo[at] = friction ? -r : (sys->shape[g].n_parts > 0 ? 0 : sys->lo[g]);
    h->hi[at] = friction ? r : (sys->shape[g].n_parts > 0 ? DLS_INF : sys->hi[g]);
    at++;
  }
  for (size_t i = 0; i < m; i++) {
    const double *row = A + (size_t)h->row[i] * n;
    double sum = sys->c[h->row[i]];
    for (size_t j = 0; j < n; j++) sum += row[j] * z[j];
    for (size_t j = 0; j < m; j++) {
      h->T[i * m + j] = row[h->row[j]];
      sum -= row[h->row[j]] * z[h->row[j]];
    }
    h->t[i] = sum;
    h->d[i] = dls_max(row[h->row[i]], 0);
    h->x[i] = z[h->row[i]];
  }
  for (size_t i = 0; i < m; i++) {
    bool inside = h->x[i] > h->lo[i] && h->x[i] < h->hi[i];
    h->state[i] = AT_LO;
    if (h->lo[i] == -DLS_INF || (!inside && h->x[i] > h->lo[i])) h->state[i] = AT_HI;
    h->x[i] = h->state[i] == AT_LO ? h->lo[i] : h->hi[i];
    if (!inside && dls_is_finite(h->x[i])) continue;
    if (h->T[i * m + i] > FLAT * h->d[i]) {
      h->state[i] = FREE;
      pivot(h, (int)i);
    } else if (!dls_is_finite(h->x[i])) {
      h->x[i] = 0; /* a dependent bilateral row: it carries nothing */
    }
  }
}

/* Moves z by that part of the way to the half-problem's answer. */
static void unload(const half *h, double part, double *z) {
  for (int i = 0; i < h->n; i++) {
    double x = dls_clamp(h->x[i], h->lo[i], h->hi[i]), *old = &z[h->row[i]];
    *old = part < 1 ? *old + part * (x - *old) : x;
  }
}

size_t dls_cone_half_bytes(const dls_cone_problem *pr) {
  size_t n = (size_t)pr->n_rows, line = dls_arena_bytes(n, sizeof(double));
  size_t square = dls_arena_bytes(dls_bytes(n, n), sizeof(double));
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr), dls_bytes_add(square, square));
  for (int k = 0; k < 11; k++) sum = dls_bytes_add(sum, line);
  return sum;
}

static bool take(int n, dls_arena *tmp, half *h, double **A, double **z, double **u,
                 double **best) {
  size_t square = (size_t)n * (size_t)n;
  *A = DLS_TAKE(tmp, double, square);
  *z = DLS_TAKE(tmp, double, n);
  *u = DLS_TAKE(tmp, double, n);
  *best = DLS_TAKE(tmp, double, n);
  h->T = DLS_TAKE(tmp, double, square);
  h->t = DLS_TAKE(tmp, double, n);
  h->lo = DLS_TAKE(tmp, double, n);
  h->hi = DLS_TAKE(tmp, double, n);
  h->d = DLS_TAKE(tmp, double, n);
  h->x = DLS_TAKE(tmp, double, n);
  h->out = DLS_TAKE(tmp, double, n);
  h->row = DLS_TAKE(tmp, int, n);
  h->state = DLS_TAKE(tmp, where, n);
  return *A && *z && *u && *best && h->T && h->t && h->lo && h->hi && h->d && h->x && h->out &&
         h->row && h->state;
}

static void turns(const dls_cone_system *sys, half *h, const double *A, double tolerance, int limit,
                  int most, bool block, double *z, double *u, double *best, int *pivots) {
  double least = DLS_INF, part = 1;
  int idle = 0;
  for (int k = 0; k < limit && *pivots < most && !(least <= tolerance) &&
                  !dls_stop_poll(sys->problem->stop, DLS_STOP_WORK);
       k++) {
    for (int side = 0; side < 2; side++) {
      choose(sys, side == 1, h);
      load(sys, side == 1, A, z, h);
      solve_half(h, FLAT * sys->scale, block, most, pivots);
      unload(h, side == 1 ? part : 1, z);
    }
    dls_cone_system_image(sys, z, true, u);
    double now = dls_cone_system_residual(sys, z, u);
    if (now < least) {
      least = now;
      memcpy(best, z, (size_t)sys->n * sizeof(double));
      idle = 0;
    } else if (++idle > IDLE) {
      part = dls_max(part * CUT, LEAST);
      idle = 0;
    }
  }
}

static dls_status run(const dls_cone_problem *pr, const dls_cone_opts *opts, bool block,
                      dls_arena *tmp, double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  half h;
  double *A, *z, *u, *best;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = block ? "block" : "energy",
                              .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  if (status == DLS_OK && !dls_cone_is_planar(pr, &report->fault.index)) status = DLS_ARG;
  if (status == DLS_OK && !take(pr->n_rows, tmp, &h, &A, &z, &u, &best)) status = DLS_FULL;
  if (status == DLS_OK) {
    dls_cone_dense(&sys, A);
    dls_cone_system_start(&sys, opts->start, z);
    memcpy(best, z, (size_t)sys.n * sizeof(double));
    turns(&sys, &h, A, opts->tolerance / 2,
          opts->max_iterations > 0 ? opts->max_iterations : TURNS,
          opts->max_iterations > 0 ? opts->max_iterations : INT32_MAX, block, z, u, best,
          &report->iterations);
    dls_cone_system_finish(&sys, best, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}

dls_status dls_cone_energy(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                           double *p, double *v, dls_cone_report *report) {
  return run(pr, opts, false, tmp, p, v, report);
}

dls_status dls_cone_block(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                          double *p, double *v, dls_cone_report *report) {
  return run(pr, opts, true, tmp, p, v, report);
}
