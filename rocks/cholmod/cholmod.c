/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <cholmod.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>

#include "core/structure/condense.h"

/* delassus.cholmod: CHOLMOD's supernodal Cholesky factor in the place of our own, lent to delassus.structure
** as a light userdata (a dls_factor_kind). It calls a BLAS: bits differ from machine to machine. */

#define SMALL_PIVOT 1e-13 /* of the diagonal: as for our own factor (core/structure/condense.c) */

typedef struct factor {
  cholmod_common common;
  cholmod_factor *L;
} factor;

static void destroy(void *self) {
  factor *f = (factor *)self;
  cholmod_free_factor(&f->L, &f->common);
  cholmod_finish(&f->common);
  free(f);
}

/* The upper half of A: rows of A, whose columns ascend, are columns of a symmetric matrix. */
static cholmod_sparse *upper_half(const dls_sparse *A, cholmod_common *common) {
  const size_t n = (size_t)A->n_rows;
  size_t entries = 0;
  for (int i = 0; i < A->n_rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) entries += A->col[e] <= i;
  cholmod_sparse *S = cholmod_allocate_sparse(n, n, entries, 1, 1, 1, CHOLMOD_REAL, common);
  if (S == NULL) return NULL;
  int *start = (int *)S->p, *row = (int *)S->i, at = 0;
  double *value = (double *)S->x;
  for (int i = 0; i < A->n_rows; i++) {
    start[i] = at;
    for (int e = A->start[i]; e < A->start[i + 1] && A->col[e] <= i; e++) {
      row[at] = A->col[e];
      value[at++] = A->value[e];
    }
  }
  start[n] = at;
  return S;
}

/* The row of A whose pivot is not above SMALL_PIVOT times its diagonal, or -1. */
static int small_pivot(const cholmod_factor *L, const dls_sparse *A) {
  const int *perm = (const int *)L->Perm;
  const double *x = (const double *)L->x;
  int bad = -1;
  const size_t n_blocks = L->is_super ? L->nsuper : L->n;
  for (size_t s = 0; s < n_blocks && bad < 0; s++) {
    const int *super = (const int *)L->super, *pi = (const int *)L->pi, *px = (const int *)L->px;
    const int first = L->is_super ? super[s] : (int)s, last = L->is_super ? super[s + 1] : (int)s + 1;
    for (int j = first; j < last && bad < 0; j++) {
      const size_t place = (size_t)(j - first);
      const double root = L->is_super ? x[(size_t)px[s] + place * (size_t)(pi[s + 1] - pi[s]) + place]
                                      : x[((const int *)L->p)[j]];
      const int i = perm[j];
      double own = 0.0;
      for (int e = A->start[i]; e < A->start[i + 1]; e++)
        if (A->col[e] == i) own = A->value[e];
      if (!(root * root > SMALL_PIVOT * own)) bad = i;
    }
  }
  return bad;
}

static dls_status make(const dls_sparse *A, void **self, int *bad) {
  factor *f = (factor *)calloc(1, sizeof *f);
  *bad = -1;
  if (f == NULL) return DLS_NOMEM;
  cholmod_start(&f->common);
  f->common.print = 0;
  f->common.final_ll = 1;
  *self = f;
  cholmod_sparse *S = upper_half(A, &f->common);
  if (S == NULL) return DLS_NOMEM;
  f->L = cholmod_analyze(S, &f->common);
  if (f->L != NULL) cholmod_factorize(S, f->L, &f->common);
  cholmod_free_sparse(&S, &f->common);
  if (f->L == NULL || f->common.status == CHOLMOD_OUT_OF_MEMORY) return DLS_NOMEM;
  if (f->common.status == CHOLMOD_TOO_LARGE) return DLS_TOOBIG;
  if (f->L->minor < f->L->n) *bad = ((const int *)f->L->Perm)[f->L->minor];
  else *bad = small_pivot(f->L, A);
  return *bad >= 0 ? DLS_SINGULAR : DLS_OK;
}

static dls_status solve(void *self, int m, double *X, size_t ldx) {
  factor *f = (factor *)self;
  const size_t n = f->L->n;
  cholmod_dense *B = cholmod_allocate_dense(n, (size_t)m, n, CHOLMOD_REAL, &f->common);
  if (B == NULL) return DLS_NOMEM;
  double *b = (double *)B->x;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < (size_t)m; j++) b[j * n + i] = X[i * ldx + j];
  cholmod_dense *Y = cholmod_solve(CHOLMOD_A, f->L, B, &f->common);
  if (Y != NULL) {
    const double *y = (const double *)Y->x;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < (size_t)m; j++) X[i * ldx + j] = y[j * n + i];
  }
  const bool good = Y != NULL;
  cholmod_free_dense(&B, &f->common);
  cholmod_free_dense(&Y, &f->common);
  return good ? DLS_OK : DLS_NOMEM;
}

static const dls_factor_kind kind = {"cholmod", make, solve, destroy};

DLS_OUTSIDE
LUAMOD_API int luaopen_delassus_cholmod(lua_State *L);
DLS_INSIDE

LUAMOD_API int luaopen_delassus_cholmod(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&kind);
  return 1;
}
