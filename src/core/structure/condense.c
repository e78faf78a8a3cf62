/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/condense.h"

#include "core/math/dense.h"
#include "core/structure/motions.h"

#define SMALL_PIVOT 1e-13  /* of the diagonal: a motion without resistance, to round-off         */
#define DEPENDENT 1e-11    /* of a link's flexibility: what is left of it beside the others      */
#define COMPLIANCE 1e-6    /* of its flexibility, what such a link gets: half way between the    */
                           /* error that it makes and the digits that its stiffness costs        */
#define NO_STIFFNESS 1e-12 /* of a link's weight: a resistance below is round-off                */
#define AT_ONCE 32         /* right sides solved together: a row of them is four cache lines     */
#define STRIP 64           /* rows of a product between two questions to a dls_stop              */
#define FREE_NUMBER 1e-6   /* of the largest number of a free motion                             */

void dls_condensed_destroy(dls_condensed *c) {
  const dls_alloc *alloc = &c->st.alloc;
  const size_t n = (size_t)c->dofs.n, l = (size_t)c->links.n;
  if (alloc->fn != NULL) {
    for (int g = 0; g < 2; g++) {
      dls_free(alloc, c->f[g], n, sizeof *c->f[g]);
      dls_free(alloc, c->RF[g], l, sizeof *c->RF[g]);
    }
    dls_free(alloc, c->R, l * l, sizeof *c->R);
    dls_free(alloc, c->W, l * l, sizeof *c->W);
    dls_free(alloc, c->g, 2 * l, sizeof *c->g);
  }
  if (c->other != NULL) c->kind->destroy(c->other);
  dls_motions_destroy(&c->motions);
  dls_front_destroy(&c->front);
  dls_stiffness_destroy(&c->K);
  dls_links_destroy(&c->links);
  dls_dofs_destroy(&c->dofs);
  dls_structure_destroy(&c->st);
  memset(c, 0, sizeof *c);
}

/* --- assembly -------------------------------------------------------------------------------- */
dls_status dls_condensed_assemble(dls_condensed *c, const dls_structure *st,
                                  dls_structure_fault *fault) {
  dls_status status = dls_structure_copy(st, &c->st);
  if (status == DLS_OK) status = dls_dofs_number(&c->dofs, &c->st, fault);
  if (status == DLS_OK) status = dls_links_find(&c->links, &c->st, &c->dofs, fault);
  if (status == DLS_OK) status = dls_structure_floats(&c->st, &c->dofs, fault);
  if (status == DLS_OK) status = dls_stiffness_assemble(&c->K, &c->st, &c->dofs, &c->links);
  for (int g = 0; g < 2 && status == DLS_OK; g++) {
    c->f[g] = (double *)dls_new(&st->alloc, (size_t)c->dofs.n, sizeof *c->f[g]);
    if (c->f[g] == NULL) return DLS_NOMEM;
    dls_structure_forces(&c->st, &c->dofs, g, c->f[g]);
  }
  return status;
}

/* --- factorisation --------------------------------------------------------------------------- */

/* Names what moves without resistance: the node with the largest number, and its directions. */
static void name_free(const dls_condensed *c, const double *v, dls_structure_fault *fault) {
  double most = 0.0;
  int at = 0;
  for (int i = 0; i < c->dofs.n; i++)
    if (fabs(v[i]) > most) {
      most = fabs(v[i]);
      at = i;
    }
  fault->kind = DLS_FLAW_YIELDS;
  fault->node = c->dofs.node_of[at];
  for (int d = 0; d < 3; d++) {
    const int i = c->dofs.number[3 * fault->node + d];
    if (i >= 0 && fabs(v[i]) > FREE_NUMBER * most) fault->motions |= 1 << d;
  }
}

static dls_status singular(const dls_condensed *c, int bad, dls_structure_fault *fault) {
  const dls_alloc *alloc = &c->st.alloc;
  double *v = (double *)dls_new(alloc, (size_t)c->dofs.n, sizeof *v);
  if (v == NULL) return DLS_NOMEM;
  if (c->kind == NULL) dls_front_null(&c->front, bad, v);
  else if (bad >= 0) v[bad] = 1.0;
  name_free(c, v, fault);
  dls_free(alloc, v, (size_t)c->dofs.n, sizeof *v);
  return DLS_ARG;
}

dls_status dls_condensed_factor(dls_condensed *c, const dls_factor_kind *kind, dls_stop *stop,
                                dls_structure_fault *fault) {
  int bad = -1;
  dls_status status;
  c->kind = kind;
  if (kind != NULL) {
    status = kind->factor(&c->K.A, &c->other, &bad);
  } else {
    status = dls_front_plan(&c->front, &c->K.A, c->dofs.n_blocks, c->dofs.block, &c->st.alloc);
    if (status == DLS_OK) status = dls_front_factor(&c->front, &c->K.A, SMALL_PIVOT, stop, &bad);
  }
  return status == DLS_SINGULAR ? singular(c, bad, fault) : status;
}

/* --- solves ---------------------------------------------------------------------------------- */

/* Row of X that belongs to unknown i: our own factor keeps them in the order of elimination. */
static size_t row_of(const dls_condensed *c, int i) {
  return (size_t)(c->kind == NULL ? c->front.place[i] : i);
}

static dls_status solve_many(const dls_condensed *c, const unsigned char *reach, int m, double *X,
                             double *tmp, dls_stop *stop) {
  if (c->kind != NULL) return c->kind->solve(c->other, m, X, (size_t)m);
  return dls_front_solve(&c->front, reach, m, X, (size_t)m, tmp, stop);
}

size_t dls_condensed_tmp(const dls_condensed *c) {
  return 9 * (size_t)c->dofs.n + 8 * (size_t)c->front.n_widest;
}

dls_status dls_condensed_solve(const dls_condensed *c, const double *f, double *u, double *tmp,
                               dls_stop *stop) {
  const size_t n = (size_t)c->dofs.n;
  double *X = tmp, *r = tmp + 8 * n, *own = r + n;
  for (int pass = 0; pass < 2; pass++) { /* the answer; then its refinement */
    if (pass == 0) memcpy(r, f, n * sizeof *r);
    memset(X, 0, 8 * n * sizeof *X);
    for (size_t i = 0; i < n; i++) X[8 * row_of(c, (int)i)] = r[i];
    const dls_status status = solve_many(c, NULL, 8, X, own, stop);
    if (status != DLS_OK) return status;
    if (pass == 0) { /* f may be u: what is left of it first */
      for (size_t i = 0; i < n; i++) {
        double sum = f[i];
        for (int e = c->K.start[i]; e < c->K.start[i + 1]; e++)
          sum -= c->K.value[e] * X[8 * row_of(c, c->K.col[e])];
        r[i] = sum;
      }
      for (size_t i = 0; i < n; i++) u[i] = 0.0;
    }
    for (size_t i = 0; i < n; i++) u[i] += X[8 * row_of(c, (int)i)];
  }
  return DLS_OK;
}

/* --- condensation ---------------------------------------------------------------------------- */
typedef struct columns {
  dls_condensed *c;     /* of the caller */
  unsigned char *reach; /* n_super: what leads to contacts          */
  double *X;            /* dofs.n x AT_ONCE                         */
  double *tmp;          /* widest x AT_ONCE                         */
  double *W;            /* links.n x ld, then its factor            */
  double *Y;            /* links.n x ld                             */
  double *g;            /* 2 links.n: what the links read under the loads */
  size_t ld;            /* row distance of W and Y */
} columns;

static double read_column(const columns *k, const dls_structure_link *l, int m, int j) {
  double sum = 0.0;
  for (int i = 0; i < l->n; i++)
    if (l->dof[i] >= 0) sum += l->c[i] * k->X[row_of(k->c, l->dof[i]) * (size_t)m + (size_t)j];
  return sum;
}

static dls_status flexibility(columns *k, dls_stop *stop) {
  dls_condensed *c = k->c;
  const int n = c->links.n;
  for (int from = 0; from < n; from += AT_ONCE) {
    const int some = n - from < AT_ONCE ? n - from : AT_ONCE;
    memset(k->X, 0, (size_t)c->dofs.n * AT_ONCE * sizeof *k->X);
    for (int j = 0; j < some; j++) {
      const dls_structure_link *l = &c->links.link[from + j];
      for (int i = 0; i < l->n; i++)
        if (l->dof[i] >= 0) k->X[row_of(c, l->dof[i]) * AT_ONCE + (size_t)j] += l->c[i];
    }
    const dls_status status = solve_many(c, k->reach, AT_ONCE, k->X, k->tmp, stop);
    if (status != DLS_OK) return status;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < some; j++)
        k->W[(size_t)i * k->ld + (size_t)(from + j)] =
            read_column(k, &c->links.link[i], AT_ONCE, j);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double *upper = &k->W[(size_t)i * k->ld + (size_t)j],
             *lower = &k->W[(size_t)j * k->ld + (size_t)i];
      *upper = *lower = 0.5 * (*upper + *lower);
    }
  return DLS_OK;
}

/* g = B K_rho^-1 f for both loads. */
static dls_status answers_to_loads(columns *k, dls_stop *stop) {
  dls_condensed *c = k->c;
  const int n = c->links.n;
  memset(k->X, 0, (size_t)c->dofs.n * 8 * sizeof *k->X);
  for (int i = 0; i < c->dofs.n; i++)
    for (int g = 0; g < 2; g++) k->X[row_of(c, i) * 8 + (size_t)g] = c->f[g][i];
  const dls_status status = solve_many(c, NULL, 8, k->X, k->tmp, stop);
  for (int i = 0; i < n && status == DLS_OK; i++)
    for (int g = 0; g < 2; g++)
      k->g[(size_t)g * (size_t)n + (size_t)i] = read_column(k, &c->links.link[i], 8, g);
  return status;
}

/* W = S'S anew, from its copy in Y, with a compliance for each link whose pivot is nothing beside
** its diagonal: what it reads follows from the links before it. */
static bool soften(columns *k, dls_stop *stop) {
  dls_condensed *c = k->c;
  const int n = c->links.n, np = dls_lanes_round(n);
  memcpy(k->W, k->Y, (size_t)n * k->ld * sizeof *k->W);
  for (int i = 0; i < n; i++) {
    double *row = k->W + (size_t)i * k->ld;
    const double own = k->Y[(size_t)i * k->ld + (size_t)i];
    if (!(row[i] > DEPENDENT * own)) {
      dls_structure_link *l = &c->links.link[i];
      l->compliance = COMPLIANCE * own;
      row[i] = dls_max(row[i], 0.0) + l->compliance / (1.0 - l->weight * l->compliance);
    }
    const double root = sqrt(row[i]);
    for (int j = i; j < np; j++) row[j] /= root;
    for (int r = i + 1; r < n; r++)
      dls_lanes_best()->axpy(np - i, -row[r], row + i, k->W + (size_t)r * k->ld + (size_t)i);
    if (dls_stop_poll(stop, (double)n * n)) return false;
  }
  return true;
}

/* W = S'S, S in its place. false: stopped. */
static bool factor_flexibility(columns *k, dls_stop *stop) {
  const int n = k->c->links.n;
  double pivot = 0.0;
  memcpy(k->Y, k->W, (size_t)n * k->ld * sizeof *k->W);
  bool good = dls_dense_cholesky_stop(n, k->W, k->ld, &pivot, stop) < 0;
  if (dls_stop_poll(stop, 0.0)) return false;
  for (int i = 0; i < n && good; i++) {
    const double root = k->W[(size_t)i * k->ld + (size_t)i];
    good = root * root > DEPENDENT * k->Y[(size_t)i * k->ld + (size_t)i];
  }
  return good || soften(k, stop);
}

/* W and g for harden.h, where a link is soft: W is in Y. */
static dls_status keep(columns *k) {
  dls_condensed *c = k->c;
  const dls_alloc *alloc = &c->st.alloc;
  const size_t n = (size_t)c->links.n;
  bool soft = false;
  for (size_t i = 0; i < n; i++) soft = soft || c->links.link[i].compliance > 0.0;
  if (!soft) return DLS_OK;
  c->W = (double *)dls_new(alloc, n * n, sizeof *c->W);
  c->g = (double *)dls_new(alloc, 2 * n, sizeof *c->g);
  if (c->W == NULL || c->g == NULL) return DLS_NOMEM;
  for (size_t i = 0; i < n; i++) memcpy(c->W + i * n, k->Y + i * k->ld, n * sizeof *c->W);
  memcpy(c->g, k->g, 2 * n * sizeof *c->g);
  return DLS_OK;
}

/* W^-1 = Y'Y, Y = S^-T; its upper half, with the wrong sign, to W. */
static dls_status invert(columns *k, dls_stop *stop) {
  const int n = k->c->links.n, np = dls_lanes_round(n);
  if (!factor_flexibility(k, stop)) return DLS_STOPPED;
  const dls_status kept = keep(k);
  if (kept != DLS_OK) return kept;
  memset(k->Y, 0, (size_t)n * k->ld * sizeof *k->Y);
  for (int i = 0; i < n; i++) k->Y[(size_t)i * k->ld + (size_t)i] = 1.0;
  dls_dense_forward_many(n, k->W, k->ld, n, k->Y, k->ld);
  memset(k->W, 0, (size_t)n * k->ld * sizeof *k->W);
  for (int from = 0; from < n; from += STRIP) {
    const int rows = n - from < STRIP ? n - from : STRIP;
    double *Y = k->Y + (size_t)from * k->ld;
    dls_lanes_best()->gemm(n, np, rows, Y, 1, k->ld, Y, k->ld, k->W, k->ld, true);
    if (dls_stop_poll(stop, (double)rows * n * n)) return DLS_STOPPED;
  }
  return DLS_OK;
}

/* A link that nothing resists has a zero row: what is left of it is round-off of the difference,
** which must not be taken for a stiffness. */
static void clear_noise(dls_condensed *c) {
  const size_t n = (size_t)c->links.n;
  for (size_t i = 0; i < n; i++) {
    if (fabs(c->R[i * n + i]) > NO_STIFFNESS * c->links.link[i].weight) continue;
    for (size_t j = 0; j < n; j++) c->R[i * n + j] = c->R[j * n + i] = 0.0;
  }
}

/* The largest force of load g, N; a moment counts over the extent of the structure. */
static double largest_load(const dls_condensed *c, int g) {
  const dls_structure *st = &c->st;
  double most = 0.0, turning = 0.0, extent = 0.0;
  for (int i = 0; i < st->n_nodes; i++) {
    const double dx = st->nodes[i].at[0] - st->nodes[0].at[0];
    const double dy = st->nodes[i].at[1] - st->nodes[0].at[1];
    extent = dls_max(extent, dx * dx + dy * dy);
    for (int d = 0; d < 3; d++) {
      const int at = c->dofs.number[3 * i + d];
      double *size = d < 2 ? &most : &turning;
      if (at >= 0) *size = dls_max(*size, fabs(c->f[g][at]));
    }
  }
  return extent > 0.0 ? dls_max(most, turning / sqrt(extent)) : most;
}

/* Forces of links all of which are round-off of the load, as where springs carry it: zero. A path
** would follow what rounding has left. */
static void clear_weak(dls_condensed *c) {
  const size_t n = (size_t)c->links.n;
  for (int g = 0; g < 2; g++)
    if (dls_lanes_best()->amax(c->links.n, c->RF[g]) <= DLS_ROUND_OFF * largest_load(c, g))
      for (size_t i = 0; i < n; i++) c->RF[g][i] = 0.0;
}

/* 1 / (1 - rho epsilon) of a link, 1 where it has no compliance. */
static double yielding(const dls_structure_link *l) {
  return 1.0 / (1.0 - l->weight * l->compliance);
}

/* R and RF from W^-1, whose upper half stands, with the wrong sign, in W. */
static void finish(columns *k) {
  dls_condensed *c = k->c;
  const int n = c->links.n;
  const size_t N = (size_t)n;
  const dls_structure_link *link = c->links.link;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      const double entry = -k->W[(size_t)i * k->ld + (size_t)j];
      c->R[(size_t)i * N + (size_t)j] = c->R[(size_t)j * N + (size_t)i] = entry;
    }
  for (int g = 0; g < 2; g++)
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < n; j++)
        sum += c->R[(size_t)i * N + (size_t)j] * k->g[(size_t)g * N + (size_t)j];
      c->RF[g][i] = -sum * yielding(&link[i]);
    }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c->R[(size_t)i * N + (size_t)j] *= yielding(&link[i]) * yielding(&link[j]);
    c->R[(size_t)i * N + (size_t)i] -= link[i].weight * yielding(&link[i]);
  }
  clear_noise(c);
  for (int g = 0; g < 2; g++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) c->RF[g][i] -= c->R[(size_t)i * N + (size_t)j] * link[j].shift[g];
}

static dls_status condense(columns *k, dls_stop *stop) {
  dls_condensed *c = k->c;
  for (int i = 0; i < c->links.n && c->kind == NULL; i++)
    for (int e = 0; e < c->links.link[i].n; e++)
      if (c->links.link[i].dof[e] >= 0)
        dls_front_reach(&c->front, c->links.link[i].dof[e], k->reach);
  dls_status status = flexibility(k, stop);
  if (status == DLS_OK) status = answers_to_loads(k, stop);
  if (status == DLS_OK) status = invert(k, stop);
  if (status == DLS_OK) finish(k);
  return status;
}

dls_status dls_condensed_links(dls_condensed *c, dls_stop *stop) {
  const dls_alloc *alloc = &c->st.alloc;
  const size_t n = (size_t)c->links.n, n_x = (size_t)c->dofs.n * AT_ONCE;
  const size_t n_tmp = (size_t)c->front.n_widest * AT_ONCE, n_super = (size_t)c->front.n_super;
  if (n == 0) return DLS_OK;
  columns k = {.c = c, .ld = dls_lanes_ld((int)n)};
  c->R = (double *)dls_new(alloc, n * n, sizeof *c->R);
  for (int g = 0; g < 2; g++) c->RF[g] = (double *)dls_new(alloc, n, sizeof *c->RF[g]);
  k.reach = (unsigned char *)dls_new(alloc, n_super, 1);
  k.X = (double *)dls_new(alloc, n_x, sizeof *k.X);
  k.tmp = (double *)dls_new(alloc, n_tmp, sizeof *k.tmp);
  k.W = (double *)dls_new(alloc, n * k.ld, sizeof *k.W);
  k.Y = (double *)dls_new(alloc, n * k.ld, sizeof *k.Y);
  k.g = (double *)dls_new(alloc, 2 * n, sizeof *k.g);
  dls_status status = DLS_NOMEM;
  if (c->R != NULL && c->RF[0] != NULL && c->RF[1] != NULL && k.reach != NULL && k.X != NULL &&
      k.tmp != NULL && k.W != NULL && k.Y != NULL && k.g != NULL)
    status = condense(&k, stop);
  dls_free(alloc, k.reach, n_super, 1);
  dls_free(alloc, k.X, n_x, sizeof *k.X);
  dls_free(alloc, k.tmp, n_tmp, sizeof *k.tmp);
  dls_free(alloc, k.W, n * k.ld, sizeof *k.W);
  dls_free(alloc, k.Y, n * k.ld, sizeof *k.Y);
  dls_free(alloc, k.g, 2 * n, sizeof *k.g);
  if (status == DLS_OK) status = dls_motions_find(c, stop);
  if (status == DLS_OK) clear_weak(c);
  return status;
}
