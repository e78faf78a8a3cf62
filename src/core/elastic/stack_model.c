/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/elastic/stack_model.h"

#include "core/lcp/energy.h"
#include "core/math/dense.h"

/* --- creation --------------------------------------------------------------------------------- */

typedef struct piece {
  double **at; /* the array */
  size_t doubles; /* its numbers */
} piece;

enum { N_PIECES = 14 };

/* The arrays in one block; U .. peak lie together: they are the state. */
static size_t lay_out(dls_model *x, double *block) {
  const size_t n = (size_t)x->n, k = (size_t)x->k, pad = 8;
  const piece pieces[N_PIECES] = {
      {&x->r, n * n}, {&x->m, n * n}, {&x->lambda, n * n}, {&x->C, n * k + pad},
      {&x->D0, k},    {&x->F, n},     {&x->R, n * x->ld},  {&x->A, k * k},
      {&x->U, n},     {&x->V, n},     {&x->N, k},          {&x->D, k},
      {&x->B, k},     {&x->peak, k}};
  size_t used = 0;
  for (int i = 0; i < N_PIECES; i++) {
    if (block != NULL) *pieces[i].at = block + used;
    used += pieces[i].doubles;
  }
  if (block != NULL) x->work = block + used;
  return used + 3 * n + 3 * k + 4 * pad;
}

static void copy(double *to, const double *from, size_t n) {
  if (n > 0) memcpy(to, from, n * sizeof *to);
}

static void take_definition(dls_model *x, const dls_model_def *def) {
  const size_t n = (size_t)x->n, k = (size_t)x->k;
  copy(x->r, def->r, n * n);
  copy(x->m, def->m, n * n);
  copy(x->lambda, def->lambda, n * n);
  copy(x->C, def->C, n * k);
  copy(x->D0, def->D0, k);
  copy(x->F, def->F, n);
  copy(x->U, def->U, n);
  copy(x->V, def->V, n);
  copy(x->D, def->D0, k);
  dls_lanes_best()->gemv_t(x->n, x->k, x->C, k, x->U, x->D);
}

/* G factored, and A = Y'Y with Y = R'^-1 C column by column. */
static dls_status factor(dls_model *x, dls_fault *fault) {
  const int n = x->n, k = x->k;
  const double dt = x->dt;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const size_t at = (size_t)i * n + j;
      x->R[(size_t)i * x->ld + j] = x->r[at] + x->lambda[at] / dt + x->m[at] / dt / dt;
    }
  const int bad = dls_dense_cholesky(n, x->R, x->ld, &fault->value);
  fault->index = bad;
  if (bad >= 0) return DLS_SINGULAR;

  double *y = x->work;
  for (int j = 0; j < k; j++) {
    for (int i = 0; i < n; i++) y[i] = x->C[(size_t)i * k + j];
    dls_dense_forward(n, x->R, x->ld, y);
    dls_dense_backward(n, x->R, x->ld, y);
    for (int i = 0; i < k; i++) x->A[(size_t)j * k + i] = 0;
    dls_lanes_best()->gemv_t(n, k, x->C, (size_t)k, y, x->A + (size_t)j * k);
  }
  for (int i = 0; i < k; i++) /* symmetric but for round-off: made so exactly */
    for (int j = 0; j < i; j++) {
      const double mean = 0.5 * (x->A[(size_t)i * k + j] + x->A[(size_t)j * k + i]);
      x->A[(size_t)i * k + j] = x->A[(size_t)j * k + i] = mean;
    }
  return DLS_OK;
}

dls_status dls_model_create(dls_model *model, const dls_model_def *def, const dls_alloc *alloc,
                            dls_fault *fault) {
  *model = (dls_model){0};
  *fault = (dls_fault){-1, 0.0};
  dls_model x = {0};
  x.n = def->n;
  x.k = def->k;
  x.dt = def->dt;
  x.ld = dls_lanes_ld(def->n);
  x.alloc = *alloc;
  x.n_block = lay_out(&x, NULL);
  x.block = (double *)dls_new(alloc, x.n_block, sizeof(double));
  if (x.block == NULL) return DLS_NOMEM;
  lay_out(&x, x.block);
  take_definition(&x, def);
  const dls_lcp p = {x.k, x.A, NULL, x.B};
  dls_status status = factor(&x, fault);
  if (status == DLS_OK) status = dls_arena_create(&x.tmp, alloc, dls_lcp_energy_bytes(&p));
  if (status != DLS_OK) {
    dls_model_destroy(&x);
    return status;
  }
  dls_hash hash = dls_hash_start();
  dls_hash_double(&hash, x.dt);
  dls_hash_doubles(&hash, x.r, (size_t)(x.U - x.r));
  x.identity = dls_hash_digest(&hash);
  *model = x;
  return DLS_OK;
}

void dls_model_destroy(dls_model *model) {
  if (model->alloc.fn == NULL) return;
  const dls_alloc alloc = model->alloc;
  dls_free(&alloc, model->block, model->n_block, sizeof(double));
  dls_arena_destroy(&model->tmp, &alloc);
  *model = (dls_model){0};
}

/* --- one step --------------------------------------------------------------------------------- */

/* The step under way, in model->work. */
typedef struct trial {
  double *U, *V, *g;    /* n */
  double *N, *D, *B;    /* k */
} trial;

static trial trial_of(const dls_model *x) {
  const size_t n = (size_t)x->n + 8, k = (size_t)x->k;
  double *at = x->work;
  return (trial){at, at + n, at + 2 * n, at + 3 * n, at + 3 * n + k, at + 3 * n + 2 * k};
}

/* y += s M x, M n x n. */
static void add_image(const dls_model *x, double s, const double *M, const double *v, double *y) {
  const dls_lanes *l = dls_lanes_best();
  for (int i = 0; i < x->n; i++) y[i] += s * l->dot(x->n, M + (size_t)i * x->n, v);
}

/* y += C N. */
static void add_forces(const dls_model *x, const double *N, double *y) {
  const dls_lanes *l = dls_lanes_best();
  for (int i = 0; i < x->n; i++) y[i] += l->dot(x->k, x->C + (size_t)i * x->k, N);
}

static void solve(const dls_model *x, double *g) {
  dls_dense_forward(x->n, x->R, x->ld, g);
  dls_dense_backward(x->n, x->R, x->ld, g);
}

/* |m dV/dt + lambda V + r U - F - C N| of the worst node over the largest sum of terms. */
static double equilibrium_error(const dls_model *x, const trial *t) {
  double error = 0, scale = 0;
  for (int i = 0; i < x->n; i++) {
    double sum = -x->F[i], terms = fabs(x->F[i]);
    for (int j = 0; j < x->n; j++) {
      const size_t at = (size_t)i * x->n + j;
      const double a = x->m[at] * (t->V[j] - x->V[j]) / x->dt, b = x->lambda[at] * t->V[j];
      const double c = x->r[at] * t->U[j];
      sum += a + b + c;
      terms += fabs(x->m[at]) * (fabs(t->V[j]) + fabs(x->V[j])) / x->dt + fabs(b) + fabs(c);
    }
    for (int j = 0; j < x->k; j++) {
      const double c = x->C[(size_t)i * x->k + j] * t->N[j];
      sum -= c;
      terms += fabs(c);
    }
    if (!dls_is_finite(sum)) return DLS_INF;
    error = dls_max(error, fabs(sum));
    scale = dls_max(scale, terms);
  }
  return scale > 0 ? error / scale : error;
}

static void commit(dls_model *x, const trial *t, const dls_model_count *count) {
  const size_t n = (size_t)x->n, k = (size_t)x->k;
  copy(x->U, t->U, n);
  copy(x->V, t->V, n);
  copy(x->D, t->D, k);
  copy(x->B, t->B, k);
  copy(x->N, t->N, k);
  for (size_t j = 0; j < k; j++) x->peak[j] = dls_max(x->peak[j], x->N[j]);
  x->count = *count;
}

dls_status dls_model_step(dls_model *x) {
  const trial t = trial_of(x);
  const size_t n = (size_t)x->n, k = (size_t)x->k;
  const dls_lanes *l = dls_lanes_best();

  /* Where the nodes would go without contacts, and the gaps there. */
  copy(t.g, x->F, n);
  add_image(x, 1 / x->dt, x->m, x->V, t.g);
  add_image(x, -1.0, x->r, x->U, t.g);
  copy(t.V, t.g, n);
  solve(x, t.V);
  for (size_t i = 0; i < n; i++) t.U[i] = x->U[i] + t.V[i];
  copy(t.B, x->D0, k);
  l->gemv_t(x->n, x->k, x->C, k, t.U, t.B);

  /* Contact forces. */
  const dls_lcp p = {x->k, x->A, NULL, t.B};
  const dls_lcp_opts opts = dls_lcp_opts_default();
  dls_lcp_report report;
  const dls_status status = dls_lcp_energy(&p, &opts, &x->tmp, t.N, t.D, &report);
  if (status != DLS_OK) return status;
  if (report.outcome != DLS_SOLVED) return dls_is_finite(report.residual) ? DLS_SINGULAR : DLS_ARG;

  /* The motion under them. */
  add_forces(x, t.N, t.g);
  solve(x, t.g);
  dls_model_count count = x->count;
  for (size_t i = 0; i < n; i++) {
    t.U[i] = x->U[i] + t.g[i];
    t.V[i] = t.g[i] / x->dt;
  }
  for (size_t j = 0; j < k; j++) {
    if (t.N[j] > 0) t.D[j] = 0;
    count.collisions += t.N[j] > 0 && !(x->N[j] > 0);
  }
  count.steps++;
  count.last_pivots = report.pivots;
  count.pivots += report.pivots;
  count.residual = dls_max(report.residual, equilibrium_error(x, &t));
  count.worst = dls_max(count.worst, count.residual);
  if (!dls_is_finite(count.residual)) return DLS_ARG;
  commit(x, &t, &count);
  return DLS_OK;
}

/* --- state ------------------------------------------------------------------------------------ */

size_t dls_model_state_doubles(const dls_model *x) { return 2 * (size_t)x->n + 4 * (size_t)x->k; }

void dls_model_save(const dls_model *x, double *state, dls_model_count *count) {
  copy(state, x->U, dls_model_state_doubles(x));
  *count = x->count;
}

void dls_model_load(dls_model *x, const double *state, const dls_model_count *count) {
  copy(x->U, state, dls_model_state_doubles(x));
  x->count = *count;
}

uint64_t dls_model_hash(const dls_model *x) {
  const dls_model_count *c = &x->count;
  dls_hash hash = dls_hash_start();
  dls_hash_int(&hash, c->steps);
  dls_hash_int(&hash, c->pivots);
  dls_hash_int(&hash, c->collisions);
  dls_hash_double(&hash, c->worst);
  dls_hash_word(&hash, x->identity);
  dls_hash_doubles(&hash, x->U, dls_model_state_doubles(x));
  return dls_hash_digest(&hash);
}
