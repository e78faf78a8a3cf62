/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/unique.h"

#include "core/cone/planar.h"
#include "core/math/dense.h"

#define STEPS 100
#define HALVINGS 40
/* A row of A that is this small beside its start, once the basis is taken out, is dependent. */
#define DEPENDENT 1e-11
/* Velocities below this part of the scale count as zero when the laws are fixed. */
#define STILL 1e-8
/* Shift of the dual's matrix, which is singular where y is not unique. */
#define SHIFT 1e-12

/* One group's set with velocities fixed: z = B x with B's columns orthonormal, x in a cone. */
typedef struct face {
  enum { NOTHING, FIXED, ROW, CONE } kind; /* what is left of the set */
  double lo, hi;             /* ROW: bounds; FIXED: lo is the value               */
  double e[DLS_CONE_ROWS];   /* CONE: first column of B, the normal with what slides */
  int at[DLS_CONE_PARTS];    /* CONE: first row of each part that sticks          */
  dls_cone_shape shape;      /* CONE: those parts, coefficients for a unit e      */
} face;

typedef struct dual {
  const dls_cone_system *sys; /* borrowed */
  int n, rank;               /* rows; of A */
  size_t ld;                 /* row distance of H */
  double *Q, *H, *D;         /* rank x n, rank x ld, 36 a group                   */
  double *z, *x, *target;    /* n, n, rank: P_C(Q'y), Q'y, Q z*                   */
  double *y, *y_try, *g;     /* rank each                                         */
  double *line;              /* n                                                 */
  face *faces;               /* n_groups                                          */
} dual;

/* --- sets ------------------------------------------------------------------------------------- */

static double size_of(int d, const double *x) {
  return d == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void make_cone(const dls_cone_shape *shape, const double *u, double still, face *f) {
  double weight = 1;
  f->kind = CONE;
  for (int k = 0; k < DLS_CONE_ROWS; k++) f->e[k] = k == 0;
  f->shape.n_parts = 0;
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++) {
    double speed = size_of(shape->rows[k], u + at);
    if (speed > still) {
      for (int i = 0; i < shape->rows[k]; i++) f->e[at + i] = -shape->mu[k] * u[at + i] / speed;
      weight += shape->mu[k] * shape->mu[k];
      continue;
    }
    int m = f->shape.n_parts++;
    f->at[m] = at;
    f->shape.rows[m] = shape->rows[k];
    f->shape.mu[m] = shape->mu[k];
  }
  double unit = 1 / sqrt(weight);
  for (int k = 0; k < DLS_CONE_ROWS; k++) f->e[k] *= unit;
  for (int m = 0; m < f->shape.n_parts; m++) f->shape.mu[m] *= unit;
}

static void make_face(const dls_cone_system *sys, int g, const double *u, face *f) {
  double still = STILL * sys->scale;
  *f = (face){.kind = NOTHING};
  if (sys->shape[g].n_parts > 0) {
    if (u[0] <= still) make_cone(&sys->shape[g], u, still, f);
    return;
  }
  f->kind = ROW;
  f->lo = sys->lo[g], f->hi = sys->hi[g];
  if (sys->groups[g].kind == DLS_CONE_BILATERAL || fabs(u[0]) <= still) return;
  f->kind = FIXED;
  if (u[0] < 0) f->lo = f->hi;
  if (!dls_is_finite(f->lo)) f->kind = ROW, f->lo = sys->lo[g];
}

/* z <- P_C(z) of one group, D <- its derivative (d x d). */
static void project(const face *f, int d, double *z, double *D) {
  for (int k = 0; k < d * d; k++) D[k] = 0;
  if (f->kind == ROW) {
    D[0] = z[0] > f->lo && z[0] < f->hi;
    z[0] = dls_clamp(z[0], f->lo, f->hi);
    return;
  }
  double x[DLS_CONE_ROWS] = {0}, c[DLS_CONE_ROWS], before[DLS_CONE_ROWS];
  if (f->kind == CONE)
    for (int k = 0; k < d; k++) x[0] += f->e[k] * z[k];
  for (int k = 0, j = 1; f->kind == CONE && k < f->shape.n_parts; k++)
    for (int i = 0; i < f->shape.rows[k]; i++) x[j++] = z[f->at[k] + i];
  memcpy(before, x, sizeof x);
  for (int k = 0; k < d; k++) z[k] = f->kind == FIXED ? f->lo : 0;
  if (f->kind != CONE) return;
  if (f->shape.n_parts > 0) dls_cone_project(&f->shape, x);
  else x[0] = dls_max(x[0], 0);
  for (int k = 0; k < d; k++) z[k] = f->e[k] * x[0], c[k] = f->e[k];
  double weight = 1;
  for (int k = 0, j = 1; k < f->shape.n_parts; j += f->shape.rows[k], k++) {
    int rows = f->shape.rows[k], at = f->at[k];
    double a = size_of(rows, before + j), r = f->shape.mu[k] * x[0];
    bool outside = a > r;
    for (int i = 0; i < rows; i++) {
      z[at + i] += x[j + i];
      for (int l = 0; l < rows; l++) {
        double w = outside ? before[j + i] * before[j + l] / (a * a) : 0;
        D[(at + i) * d + at + l] = outside ? r / a * ((i == l) - w) : i == l;
      }
      if (outside) c[at + i] = f->shape.mu[k] * before[j + i] / a;
    }
    if (outside) weight += f->shape.mu[k] * f->shape.mu[k];
  }
  for (int i = 0; i < d && x[0] > 0; i++)
    for (int l = 0; l < d; l++) D[i * d + l] += c[i] * c[l] / weight;
}

/* --- basis of the rows of A ------------------------------------------------------------------- */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Gram and Schmidt, twice, the largest remaining row first; A's rows are in Q and become it. */
static int orthonormal(int n, double *Q) {
  double first = 0;
  int rank = 0;
  for (; rank < n; rank++) {
    int best = rank;
    double most = 0;
    for (int i = rank; i < n; i++) {
      double s = dot(n, Q + (size_t)i * (size_t)n, Q + (size_t)i * (size_t)n);
      if (s > most) most = s, best = i;
    }
    if (rank == 0) first = most;
    if (!(most > DEPENDENT * DEPENDENT * first)) break;
    double *row = Q + (size_t)rank * (size_t)n, *other = Q + (size_t)best * (size_t)n;
    for (int j = 0; best != rank && j < n; j++) {
      double x = row[j];
      row[j] = other[j], other[j] = x;
    }
    for (int i = 0; i < rank; i++) {
      const double *q = Q + (size_t)i * (size_t)n;
      double f = dot(n, q, row);
      for (int j = 0; j < n; j++) row[j] -= f * q[j];
    }
    double unit = 1 / sqrt(dot(n, row, row));
    for (int j = 0; j < n; j++) row[j] *= unit;
    for (int i = rank + 1; i < n; i++) {
      other = Q + (size_t)i * (size_t)n;
      double f = dot(n, row, other);
      for (int j = 0; j < n; j++) other[j] -= f * row[j];
    }
  }
  return rank;
}

/* --- dual Newton ------------------------------------------------------------------------------ */

/* |P_C(Q'y)|^2/2 - y . target, its gradient in g; z, D follow y. */
static double theta(dual *d, const double *y) {
  int n = d->n;
  for (int j = 0; j < n; j++) d->x[j] = 0;
  for (int i = 0; i < d->rank; i++)
    for (int j = 0; j < n; j++) d->x[j] += d->Q[(size_t)i * (size_t)n + (size_t)j] * y[i];
  memcpy(d->z, d->x, (size_t)n * sizeof(double));
  for (int g = 0; g < d->sys->n_groups; g++)
    project(&d->faces[g], d->sys->dim[g], d->z + d->sys->groups[g].row,
            d->D + d->sys->diag_at[g]);
  for (int i = 0; i < d->rank; i++)
    d->g[i] = dot(n, d->Q + (size_t)i * (size_t)n, d->z) - d->target[i];
  /* max over z in C of x.z - |z|^2/2 also where C is no cone (rows with bounds) */
  return dot(n, d->x, d->z) - dot(n, d->z, d->z) / 2 - dot(d->rank, y, d->target);
}

static void hessian(dual *d) {
  size_t n = (size_t)d->n;
  for (int i = 0; i < d->rank; i++) {
    const double *q = d->Q + (size_t)i * n;
    for (int g = 0; g < d->sys->n_groups; g++) {
      int row = d->sys->groups[g].row, dim = d->sys->dim[g];
      const double *D = d->D + d->sys->diag_at[g];
      for (int r = 0; r < dim; r++) d->line[row + r] = dot(dim, D + r * dim, q + row);
    }
    for (size_t j = 0; j < d->ld; j++) d->H[(size_t)i * d->ld + j] = 0;
    for (int j = i; j < d->rank; j++)
      d->H[(size_t)i * d->ld + (size_t)j] = dot(d->n, d->Q + (size_t)j * n, d->line);
    d->H[(size_t)i * d->ld + (size_t)i] += SHIFT;
  }
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(x[i]));
  return most;
}

/* Newton's method from y = Q z*; true where the gradient fell to rounding. */
static bool descend(dual *d, int *iterations) {
  double size = largest(d->rank, d->target), pivot;
  double now = theta(d, d->y);
  for (int k = 0; k < STEPS; k++) {
    if (largest(d->rank, d->g) <= 1e-13 * size) return true;
    ++*iterations;
    hessian(d);
    for (int i = 0; i < d->rank; i++) d->y_try[i] = -d->g[i];
    if (dls_dense_cholesky(d->rank, d->H, d->ld, &pivot) >= 0) return false;
    dls_dense_forward(d->rank, d->H, d->ld, d->y_try);
    dls_dense_backward(d->rank, d->H, d->ld, d->y_try);
    double slope = dot(d->rank, d->y_try, d->g), t = 1, next = now;
    double *step = d->target + d->rank;
    memcpy(step, d->y_try, (size_t)d->rank * sizeof(double));
    int cut = 0;
    for (; cut < HALVINGS; cut++, t /= 2) {
      for (int i = 0; i < d->rank; i++) d->y_try[i] = d->y[i] + t * step[i];
      next = theta(d, d->y_try);
      if (next <= now + 1e-4 * t * slope + 1e-15 * fabs(now)) break;
    }
    if (cut == HALVINGS) break;
    memcpy(d->y, d->y_try, (size_t)d->rank * sizeof(double));
    now = next;
  }
  return largest(d->rank, d->g) <= 1e-11 * size;
}

/* --- the method ------------------------------------------------------------------------------- */

size_t dls_cone_unique_bytes(const dls_cone_problem *pr) {
  size_t n = (size_t)pr->n_rows, m = (size_t)pr->n_groups, line = dls_arena_bytes(n, 8);
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr),
                             dls_arena_bytes(dls_bytes(n, n), sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes(dls_bytes(n, dls_lanes_ld((int)n)), sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes(36 * m, sizeof(double)));
  sum = dls_bytes_add(sum, dls_arena_bytes(m, sizeof(face)));
  for (int k = 0; k < 12; k++) sum = dls_bytes_add(sum, line);
  return sum;
}

static dls_status take(const dls_cone_system *sys, dls_arena *tmp, dual *d, double **u,
                       double **p) {
  size_t n = (size_t)sys->n, m = (size_t)sys->n_groups;
  *d = (dual){.sys = sys, .n = sys->n, .ld = dls_lanes_ld(sys->n)};
  d->Q = DLS_TAKE(tmp, double, n * n);
  d->H = DLS_TAKE(tmp, double, n * d->ld);
  d->D = DLS_TAKE(tmp, double, 36 * m);
  d->faces = DLS_TAKE(tmp, face, m);
  d->z = DLS_TAKE(tmp, double, n);
  d->x = DLS_TAKE(tmp, double, n);
  d->target = DLS_TAKE(tmp, double, 2 * n);
  d->y = DLS_TAKE(tmp, double, n);
  d->y_try = DLS_TAKE(tmp, double, n);
  d->g = DLS_TAKE(tmp, double, n);
  d->line = DLS_TAKE(tmp, double, n);
  *u = DLS_TAKE(tmp, double, n);
  *p = DLS_TAKE(tmp, double, n);
  return d->Q && d->H && d->D && d->faces && d->z && d->x && d->target && d->y && d->y_try &&
                 d->g && d->line && *u && *p
             ? DLS_OK
             : DLS_FULL;
}

dls_status dls_cone_unique(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                           double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  dls_cone_system sys;
  dual d;
  double *u, *p_new;
  dls_fault fault;
  dls_status status = dls_cone_system_build(pr, tmp, &sys, &fault);
  if (status == DLS_OK) status = take(&sys, tmp, &d, &u, &p_new);
  if (status == DLS_OK) {
    dls_cone_system_start(&sys, p, d.z);
    dls_cone_system_image(&sys, d.z, true, u);
    for (int g = 0; g < sys.n_groups; g++)
      make_face(&sys, g, u + sys.groups[g].row, &d.faces[g]);
    dls_cone_dense(&sys, d.Q);
    d.rank = orthonormal(sys.n, d.Q);
    d.ld = dls_lanes_ld(d.rank);
    for (int i = 0; i < d.rank; i++)
      d.y[i] = d.target[i] = dot(sys.n, d.Q + (size_t)i * (size_t)sys.n, d.z);
    bool found = descend(&d, &report->iterations);
    dls_cone_report now = *report;
    dls_cone_system_finish(&sys, d.z, p_new);
    dls_cone_admit(pr, p_new);
    dls_cone_judge(pr, opts, p_new, v, DLS_LIMIT, &now);
    if (now.outcome == DLS_SOLVED) memcpy(p, p_new, (size_t)sys.n * sizeof(double));
    now.unique = found && now.outcome == DLS_SOLVED;
    if (now.outcome == DLS_SOLVED) *report = now;
    else dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
  }
  dls_arena_release(tmp, mark);
  return status;
}
