/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/block.h"

#include "core/lcp/block_descent.h"
#include "core/lcp/block_factor.h"
#include "core/lcp/energy.h"
#include "core/lcp/residual.h"
#include "core/math/sparse_ldl.h"

#define SWEEPS 5
#define PATIENCE 5     /* steps without progress before the energy criterion takes over */
#define STEPS 60       /* steps in all                                                  */
#define PROXIMAL 1e-9  /* eps, of the mean diagonal                                     */
#define EARLY 4        /* after so many steps the count must be a third of the first, ...        */
#define N_EARLY 1024   /* ... or up to this size the energy criterion is the quicker way          */
#define FAR 5          /* ... and where more than a FAR-th of the indices is wrong at once, too   */
#define N_PROXIMAL 512 /* a dense singular matrix up to this size is left to it, too              */
#define SPARSE_PATIENCE 20 /* the same where a step is cheap: late ones often move one index */
#define SPARSE_STEPS 2000
#define DESCENT_STEPS 2000
#define COARSE 0.1 /* proximal steps on sparse problems that stall: the first eps, ... */
#define FINER 0.1  /* ... and by how much the next one is smaller                      */
#define N_DESCENT 1024 /* sparse problems from here on stall into the descent                */
#define N_HEAVY 64     /* work beyond n^3 / N_HEAVY: a dense factor is made sooner           */
#define ROUNDS 20      /* proximal steps                                                */
/* the largest sparse problem that the energy criterion takes over */
#define N_DENSE DLS_LCP_BLOCK_BOTH_MAX

typedef struct run {
  const dls_lanes *lanes; /* the widest path */
  const dls_lcp *p;      /* borrowed */
  const double *dense;   /* of a sparse problem: M written out, or NULL */
  const dls_lcp_opts *opts; /* borrowed */
  dls_lcp_report *report; /* of the caller */
  dls_block_factor f;    /* of a dense M                             */
  dls_sparse_ldl ldl;    /* of a sparse one                          */
  bool heavy;            /* its factor would be nearly full          */
  double shift;          /* eps, 0 but for proximal steps            */
  int n;                 /* size                                     */
  double q_most, d_mean; /* max |q|, mean M_ii                       */
  double *z, *w;         /* the caller's                             */
  double *q;             /* n: q - eps z_old                         */
  double *b;             /* n: right sides                           */
  double *d;             /* n: diagonal of M                         */
  double *t;             /* 2 n, of a sparse problem: scratch        */
  int *active;           /* n: indices of S                          */
  unsigned char *S;      /* n: 1 where z_i may be positive           */
} run;

/* --- memory --------------------------------------------------------------------------------- */
/* q, b, d, t; active; S. */
static size_t array_bytes(int n_rows) {
  const size_t n = (size_t)n_rows;
  size_t bytes = dls_arena_bytes(5 * n, sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  return dls_bytes_add(bytes, dls_arena_bytes(n, 1));
}

/* The fill of a sparse factor is known only when it is made: this is a first guess, and DLS_FULL
** tells the caller to come with more. */
static size_t sparse_bytes(const dls_lcp *p) {
  const size_t n = (size_t)p->n, nnz = (size_t)p->S->start[p->n];
  return dls_bytes_add(dls_sparse_ldl_plan_bytes(n, nnz), dls_bytes(40 * nnz + 100 * n + 8192, 2));
}

size_t dls_lcp_block_bytes(const dls_lcp *p) {
  const size_t energy = p->S == NULL ? dls_lcp_energy_bytes(p) : 0;
  size_t bytes = p->S == NULL ? dls_block_factor_bytes(p->n) : sparse_bytes(p);
  bytes = dls_bytes_add(bytes, array_bytes(p->n));
  return bytes > energy ? bytes : energy;
}

/* No heavy factor has more than n^2 / sqrt(N_HEAVY) entries. */
size_t dls_lcp_block_both_bytes(int n_rows, size_t nnz) {
  const size_t n = (size_t)n_rows, fill = n * n / 8;
  size_t bytes = dls_bytes_add(dls_sparse_ldl_plan_bytes(n, nnz), array_bytes(n_rows));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(fill, sizeof(int)));
  return dls_bytes_add(bytes, dls_arena_bytes(fill, sizeof(double)));
}

static dls_status take_factor(run *r, dls_arena *tmp) {
  if (r->p->S == NULL) return dls_block_factor_take(&r->f, r->n, r->p->M, tmp);
  const double n = r->n;
  const dls_status status = dls_sparse_ldl_plan(&r->ldl, r->p->S, tmp);
  if (status != DLS_OK) return status;
  r->heavy = r->n <= N_DENSE && r->ldl.work > n * n * n / N_HEAVY;
  return r->heavy ? DLS_OK : dls_sparse_ldl_room(&r->ldl, tmp);
}

static dls_status take(run *r, dls_arena *tmp) {
  const size_t n = (size_t)r->n;
  const dls_status status = take_factor(r, tmp);
  if (status != DLS_OK || r->heavy) return status;
  r->q = DLS_TAKE(tmp, double, 5 * n);
  r->active = DLS_TAKE(tmp, int, n);
  r->S = DLS_TAKE(tmp, unsigned char, n);
  if (r->q == NULL || r->active == NULL || r->S == NULL) return DLS_FULL;
  r->f.stop = r->ldl.stop = r->opts->stop;
  r->b = r->q + n;
  r->d = r->b + n;
  r->t = r->d + n;
  memcpy(r->q, r->p->q, n * sizeof *r->q);
  return DLS_OK;
}

static void measure(run *r) {
  for (int i = 0; i < r->n; i++) {
    r->q_most = dls_max(r->q_most, fabs(r->p->q[i]));
    r->d[i] = dls_lcp_at(r->p, i, i);
    r->d_mean += r->d[i] / r->n;
  }
}

/* --- the first set -------------------------------------------------------------------------- */
/* w += change M_i; rows of the symmetric M serve as its columns. */
static void add_column(run *r, int i, double change) {
  const dls_sparse *S = r->p->S;
  if (S == NULL) {
    r->lanes->axpy(r->n, change, r->p->M + (size_t)i * (size_t)r->n, r->w);
    return;
  }
  for (int e = S->start[i]; e < S->start[i + 1]; e++) r->w[S->col[e]] += change * S->value[e];
}

/* Projected Gauss-Seidel in place. */
static void sweep(run *r) {
  for (int i = 0; i < r->n; i++) {
    if (r->d[i] <= 0.0) continue;
    const double next = dls_max(r->z[i] - r->w[i] / r->d[i], 0.0), change = next - r->z[i];
    if (change == 0.0) continue;
    if (dls_stop_poll(r->opts->stop, r->p->S != NULL ? 10.0 : r->n)) return;
    r->z[i] = next;
    add_column(r, i, change);
  }
}

static void guess(run *r) {
  if (r->opts->start != NULL) {
    for (int i = 0; i < r->n; i++) r->S[i] = r->opts->start[i] > 0.0 && r->d[i] > 0.0;
    return;
  }
  memset(r->z, 0, (size_t)r->n * sizeof *r->z);
  memcpy(r->w, r->q, (size_t)r->n * sizeof *r->w);
  for (int k = 0; k < SWEEPS; k++) sweep(r);
  for (int i = 0; i < r->n; i++)
    r->S[i] = r->d[i] > 0.0 && (r->z[i] > 0.0 || r->w[i] <= 0.0);
}

/* --- one step ------------------------------------------------------------------------------- */
/* w = (M + shift I) z + q over the active rows. */
static void image(run *r) {
  int k = 0;
  if (r->p->S != NULL) {
    dls_sparse_times(r->p->S, r->z, r->w);
    for (int i = 0; i < r->n; i++) r->w[i] += r->shift * r->z[i] + r->q[i];
    return;
  }
  memcpy(r->w, r->q, (size_t)r->n * sizeof *r->w);
  for (int i = 0; i < r->n; i++) {
    if (r->z[i] == 0.0) continue;
    r->b[k] = r->z[i];
    r->active[k++] = i;
    r->w[i] += r->shift * r->z[i];
  }
  r->lanes->combine(k, r->n, r->p->M, (size_t)r->n, r->active, r->b, r->w);
}

/* x_S = (M + shift I)_SS^-1 b_S with the factor at hand. */
static bool solve(run *r, const double *b, double *x) {
  if (r->p->S == NULL) return dls_block_factor_solve(&r->f, r->S, b, x);
  dls_sparse_ldl_solve(&r->ldl, r->S, b, x);
  return true;
}

static bool factor(run *r) {
  r->f.shift = r->shift;
  if (r->p->S == NULL) return dls_block_factor_set(&r->f, r->S);
  return dls_sparse_ldl_factor(&r->ldl, r->S, r->shift, 1e-12) < 0;
}

static bool solve_set(run *r) {
  if (!factor(r)) return false;
  for (int i = 0; i < r->n; i++) r->b[i] = -r->q[i];
  if (!solve(r, r->b, r->z)) return false;
  image(r);
  return true;
}

/* What round-off may leave on w. */
static double noise(const run *r) {
  const double z_most = r->lanes->amax(r->n, r->z);
  return 2.2e-16 * (8.0 + sqrt((double)r->n)) * (r->d_mean * z_most + r->q_most);
}

/* Changes sides wherever something is negative; answers how many did. */
static int exchange(run *r) {
  const double tol = noise(r);
  int changed = 0;
  for (int i = 0; i < r->n; i++) {
    const bool bad = r->S[i] ? r->z[i] * r->d[i] < -tol : (r->w[i] < -tol && r->d[i] > 0.0);
    if (bad) r->S[i] ^= 1u;
    changed += bad;
  }
  return changed;
}

/* One refinement with the factor at hand, then what is still negative by round-off is cut. */
static void refine(run *r) {
  double *correction = r->b;
  for (int i = 0; i < r->n; i++) r->w[i] = r->S[i] ? -r->w[i] : 0.0;
  if (solve(r, r->w, correction))
    for (int i = 0; i < r->n; i++) r->z[i] += correction[i];
  for (int i = 0; i < r->n; i++) r->z[i] = dls_max(r->z[i], 0.0);
}

/* Is there a better way than steps that start badly: the energy criterion, or a larger eps? */
static bool may_leave(const run *r) {
  if (r->p->S == NULL) return r->n <= N_EARLY;
  return r->n >= N_DESCENT && r->shift == PROXIMAL * r->d_mean && !r->report->fallback;
}

/* Until nothing changes: true. false: stalled, or the matrix was singular. */
static bool block_steps(run *r, bool *singular) {
  const bool sparse = r->p->S != NULL;
  const int hope = sparse ? SPARSE_PATIENCE : PATIENCE, own = sparse ? SPARSE_STEPS : STEPS;
  const int most = r->opts->max_iterations > 0 ? r->opts->max_iterations : own;
  int best = r->n + 1, patience = hope, first = 0;
  *singular = false;
  for (int step = 1; r->report->iterations < most; step++) {
    r->report->iterations++;
    if (dls_stop_poll(r->opts->stop, 20.0 * r->n)) return false;
    if (!solve_set(r)) {
      *singular = true;
      return false;
    }
    const int changed = exchange(r);
    if (changed == 0) return true;
    if (step == 1) first = changed;
    if (step == 1 && changed > r->n / FAR + 4 && may_leave(r)) return false;
    if (step == EARLY && 3 * changed > first && may_leave(r)) return false;
    if (changed < best) {
      best = changed;
      patience = hope;
    } else if (--patience == 0) {
      return false;
    }
  }
  return false;
}

/* The descent, from what the steps reached. */
static bool descend(run *r, bool *singular) {
  dls_block_descent b = {.M = r->p->S,
                         .q = r->q,
                         .d = r->d,
                         .shift = r->shift,
                         .tol = noise(r),
                         .ldl = &r->ldl,
                         .F = r->S,
                         .step = r->b,
                         .move = r->t,
                         .pull = r->t + r->n,
                         .most = r->opts->max_iterations > 0
                                     ? r->opts->max_iterations
                                     : r->report->iterations + DESCENT_STEPS,
                         .steps = r->report->iterations,
                         .z = r->z,
                         .w = r->w};
  r->report->fallback = true;
  for (int i = 0; i < r->n; i++) r->z[i] = dls_max(r->z[i], 0.0);
  const bool done = dls_block_descend(&b);
  r->report->iterations = b.steps;
  *singular = !done && b.steps < b.most;
  return done;
}

/* Block steps, and where they stall on a sparse problem of some size the descent. */
static bool settle(run *r, bool *singular) {
  if (block_steps(r, singular)) return true;
  return !*singular && r->p->S != NULL && r->n >= N_DESCENT && descend(r, singular);
}

/* --- proximal steps ------------------------------------------------------------------------- */
static void set_shift(run *r, double share) {
  r->shift = share * r->d_mean;
  r->f.n_base = -1;
  for (int i = 0; i < r->n; i++) r->q[i] = r->p->q[i] - r->shift * r->z[i];
}

/* Where the set is far off, a small eps makes the steps wild: from a large one down, each answer
** the next one's z_old, they are tame. */
static bool approach(run *r) {
  bool singular;
  r->report->fallback = true;
  memset(r->z, 0, (size_t)r->n * sizeof *r->z);
  for (double share = COARSE; share > PROXIMAL * 1.5; share *= FINER) {
    set_shift(r, share);
    if (!settle(r, &singular)) return false;
    for (int i = 0; i < r->n; i++) r->z[i] = dls_max(r->z[i], 0.0);
  }
  set_shift(r, PROXIMAL);
  return true;
}

/* q - eps z_old, z_old being the z of the last round. The move of z tells when to stop. */
static bool proximal(run *r) {
  const bool large = r->p->S != NULL && r->n >= N_DESCENT;
  bool singular;
  memset(r->z, 0, (size_t)r->n * sizeof *r->z);
  set_shift(r, PROXIMAL);
  for (int round = 0; round < ROUNDS; round++) {
    const bool settled = round == 0 && large ? block_steps(r, &singular) || approach(r) : true;
    if (!settled || !settle(r, &singular)) return false;
    refine(r);
    dls_lcp_judge(r->p, r->opts, r->z, r->w, DLS_LIMIT, r->report);
    const bool fine = r->report->residual <= dls_min(1e-13, r->opts->tolerance);
    if (fine || (round > 2 && r->report->outcome == DLS_SOLVED)) return true;
    for (int i = 0; i < r->n; i++) r->q[i] = r->p->q[i] - r->shift * r->z[i];
  }
  return r->report->outcome == DLS_SOLVED;
}

/* --- entry point ---------------------------------------------------------------------------- */
/* A sparse M written out; NULL where the arena is too small. */
static const double *write_out(const dls_sparse *S, int n, dls_arena *tmp) {
  double *M = DLS_TAKE(tmp, double, (size_t)n * (size_t)n);
  if (M == NULL) return NULL;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = 0; i < n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      M[(size_t)i * (size_t)n + (size_t)S->col[e]] = S->value[e];
  return M;
}

/* The energy criterion, in the memory of the block method. It starts from nothing: a set on which
** the block steps stalled has been seen to cost it four times the pivots. A sparse problem beyond
** N_DENSE keeps what it has. */
static dls_status hand_over(run *r, dls_arena *tmp, size_t mark) {
  dls_lcp_opts opts = *r->opts;
  dls_lcp p = *r->p;
  const int iterations = r->report->iterations;
  dls_arena_release(tmp, mark);
  if (p.S != NULL) {
    for (int i = 0; i < r->n; i++) r->z[i] = dls_max(r->z[i], 0.0);
    dls_lcp_judge(&p, &opts, r->z, r->w, DLS_LIMIT, r->report);
    if (p.n > N_DENSE) return DLS_OK;
    p.M = r->dense != NULL ? r->dense : write_out(p.S, p.n, tmp);
    p.S = NULL;
    if (p.M == NULL) return DLS_FULL;
  }
  opts.start = NULL;
  opts.trace = NULL;
  const dls_status status = dls_lcp_energy(&p, &opts, tmp, r->z, r->w, r->report);
  r->report->method = "block";
  r->report->iterations = iterations;
  r->report->fallback = true;
  return status;
}

static bool run_block(run *r) {
  bool singular;
  guess(r);
  if (settle(r, &singular)) {
    for (int i = 0; i < r->n; i++) r->z[i] = dls_max(r->z[i], 0.0);
    dls_lcp_judge(r->p, r->opts, r->z, r->w, DLS_LIMIT, r->report);
    if (r->report->outcome == DLS_SOLVED) return true;
    image(r);
    refine(r);
    dls_lcp_judge(r->p, r->opts, r->z, r->w, DLS_LIMIT, r->report);
    return r->report->outcome == DLS_SOLVED;
  }
  if (!singular || !(r->d_mean > 0.0)) return false;
  return (r->p->S != NULL || r->n > N_PROXIMAL) && proximal(r);
}

/* A sparse problem as a dense one. */
static dls_status run_dense(run *r, dls_arena *tmp) {
  const double *M = r->dense != NULL ? r->dense : write_out(r->p->S, r->n, tmp);
  const dls_lcp p = {r->n, M, NULL, r->p->q};
  return M == NULL ? DLS_FULL : dls_lcp_block(&p, r->opts, tmp, r->z, r->w, r->report);
}

static dls_status solve_problem(const dls_lcp *p, const double *dense, const dls_lcp_opts *opts,
                                dls_arena *tmp, double *z, double *w, dls_lcp_report *report) {
  const size_t mark = dls_arena_mark(tmp);
  run r = {.lanes = dls_lanes_best(), .p = p, .dense = dense, .opts = opts, .report = report};
  r.n = p->n;
  r.z = z;
  r.w = w;
  memset(report, 0, sizeof *report);
  report->method = "block";
  report->fault.index = -1;
  dls_status status = take(&r, tmp);
  if (status == DLS_OK && r.heavy) {
    dls_arena_release(tmp, mark);
    status = run_dense(&r, tmp);
  } else if (status == DLS_OK) {
    measure(&r);
    if (!run_block(&r) && !dls_stop_poll(opts->stop, 0.0)) status = hand_over(&r, tmp, mark);
  }
  dls_arena_release(tmp, mark);
  return status;
}

dls_status dls_lcp_block(const dls_lcp *p, const dls_lcp_opts *opts, dls_arena *tmp, double *z,
                         double *w, dls_lcp_report *report) {
  return solve_problem(p, NULL, opts, tmp, z, w, report);
}

dls_status dls_lcp_block_both(const dls_lcp *p, const dls_sparse *S, const dls_lcp_opts *opts,
                              dls_arena *tmp, double *z, double *w, dls_lcp_report *report) {
  const dls_lcp sparse = {p->n, NULL, S, p->q};
  return solve_problem(&sparse, p->M, opts, tmp, z, w, report);
}
