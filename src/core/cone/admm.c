/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/admm.h"

#define STEPS 20000
/* Steps between two looks at the true residual, and between two looks at rho. */
#define LOOK 10
#define ADAPT 40
/* rho moves when the two residuals differ by this factor, within these bounds. */
#define UNBALANCED 5.0
#define RHO_LEAST 1e-9
#define RHO_MOST 1e6
#define RELAX 1.6

typedef struct admm {
  const dls_cone_system *sys;           /* borrowed */
  double rho;                           /* weight of the split */
  double *w, *x, *d, *E, *z, *best, *r; /* n each */
  int *factors;                         /* factors made, of the caller */
} admm;

static void refactor(admm *a, dls_cone_factor *f) {
  for (int g = 0; g < a->sys->n_groups; g++)
    for (int k = 0; k < a->sys->dim[g]; k++)
      a->E[a->sys->groups[g].row + k] = a->rho * a->sys->norm[g];
  dls_cone_factor_make(f, NULL, NULL, a->E);
  ++*a->factors;
}

/* d from the velocities that the step just solved for. */
static void follow(const admm *a, int g, const double *u, double *d) {
  const dls_cone_shape *shape = &a->sys->shape[g];
  double sum = 0;
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++)
    sum += shape->mu[k] * (shape->rows[k] == 1 ? fabs(u[at])
                                               : sqrt(u[at] * u[at] + u[at + 1] * u[at + 1]));
  d[0] = sum;
}

/* One step; the squares of |z - w| and |w - w_old|, weighed by R, are added to *gap and *move. */
static void step(admm *a, const dls_cone_factor *f, double *gap, double *move) {
  const dls_cone_system *sys = a->sys;
  for (int i = 0; i < sys->n; i++)
    a->z[i] = a->E[i] * (a->w[i] - a->x[i]) - sys->c[i] - a->d[i];
  dls_cone_factor_solve(f, a->z);
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row, dim = sys->dim[g];
    double u[DLS_CONE_ROWS], next[DLS_CONE_ROWS], mix[DLS_CONE_ROWS];
    for (int k = 0, i = row; k < dim; k++, i++) {
      u[k] = a->E[i] * (a->w[i] - a->x[i] - a->z[i]) - a->d[i];
      mix[k] = RELAX * a->z[i] + (1 - RELAX) * a->w[i];
      next[k] = mix[k] + a->x[i];
    }
    if (sys->shape[g].n_parts > 0) follow(a, g, u, a->d + row);
    dls_cone_system_admit(sys, g, next);
    for (int k = 0, i = row; k < dim; k++, i++) {
      double e = (a->z[i] - next[k]) * sys->norm[g], m = (a->w[i] - next[k]) * a->E[i];
      *gap += e * e;
      *move += m * m;
      a->x[i] += mix[k] - next[k];
      a->w[i] = next[k];
    }
  }
}

static void balance(admm *a, dls_cone_factor *f, double gap, double move) {
  double ratio = gap > 0 && move > 0 ? sqrt(gap / move) : 1, old = a->rho;
  if (ratio < UNBALANCED && ratio > 1 / UNBALANCED) return;
  a->rho = dls_clamp(a->rho * dls_clamp(sqrt(ratio), 0.1, 10), RHO_LEAST, RHO_MOST);
  if (a->rho == old) return;
  for (int i = 0; i < a->sys->n; i++) a->x[i] *= old / a->rho;
  refactor(a, f);
}

double dls_cone_admm_steps(const dls_cone_system *sys, dls_cone_factor *f, double tolerance,
                           int steps, double *z, double *u, double *work, int *done, int *factors) {
  int n = sys->n;
  size_t bytes = (size_t)n * sizeof(double);
  admm a = {.sys = sys, .rho = 1, .w = work, .x = work + n, .d = work + 2 * n,
            .E = work + 3 * n, .z = work + 4 * n, .best = work + 5 * n, .r = work + 6 * n,
            .factors = factors};
  dls_cone_system_image(sys, z, true, u);
  double least = dls_cone_system_residual(sys, z, u), gap = 0, move = 0;
  memcpy(a.best, z, bytes);
  memcpy(a.w, z, bytes);
  if (!f->ready || least <= tolerance) return least;
  refactor(&a, f);
  memset(a.d, 0, bytes);
  for (int g = 0; g < sys->n_groups; g++) { /* the dual that belongs to z and u */
    int row = sys->groups[g].row;
    if (sys->shape[g].n_parts > 0) follow(&a, g, u + row, a.d + row);
    for (int i = row; i < row + sys->dim[g]; i++) a.x[i] = -(u[i] + a.d[i]) / a.E[i];
  }
  for (int k = 1; k <= steps && !(least <= tolerance) && !dls_cone_stopped(sys, 10); k++) {
    gap = move = 0;
    step(&a, f, &gap, &move);
    ++*done;
    if (k % ADAPT == 0) balance(&a, f, gap, move);
    if (k % LOOK != 0 && k != steps) continue;
    dls_cone_system_image(sys, a.w, true, a.r);
    double now = dls_cone_system_residual(sys, a.w, a.r);
    if (now < least) least = now, memcpy(a.best, a.w, bytes);
  }
  memcpy(z, a.best, bytes);
  dls_cone_system_image(sys, z, true, u);
  return least;
}

size_t dls_cone_admm_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr), dls_cone_factor_bytes(pr));
  sum = dls_bytes_add(sum, dls_arena_bytes((size_t)pr->n_rows, 7 * sizeof(double)));
  return dls_bytes_add(sum, dls_bytes_add(n, n));
}

dls_status dls_cone_admm(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                         double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  dls_cone_factor factor;
  int factors = 0;
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "admm", .fault = {-1, 0}};
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &report->fault);
  double *z = DLS_TAKE(tmp, double, pr->n_rows), *u = DLS_TAKE(tmp, double, pr->n_rows);
  double *work = dls_arena_take(tmp, (size_t)pr->n_rows, 7 * sizeof(double));
  if (status == DLS_OK)
    status = z && u && work ? dls_cone_factor_plan(&sys, tmp, &factor) : DLS_FULL;
  if (status == DLS_OK) {
    dls_cone_system_start(&sys, opts->start, z);
    dls_cone_admm_steps(&sys, &factor, opts->tolerance / 2,
                        opts->max_iterations > 0 ? opts->max_iterations : STEPS, z, u, work,
                        &report->iterations, &factors);
    dls_cone_system_finish(&sys, z, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
