/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_ARRAY_H
#define DLS_BIND_ARRAY_H

#include "bind/class.h"
#include "core/math/sparse.h"

/* vec: an immutable value of 2, 3 or 4 numbers (a quaternion is {w, x, y, z}).
** vector, matrix, sparse: long arrays with the same manners. */

typedef struct dls_vec {
  int n;       /* 2, 3 or 4 */
  double x[4]; /* n used    */
} dls_vec;

typedef struct dls_vector {
  int n;      /* >= 0 */
  double x[]; /* n    */
} dls_vector;

typedef struct dls_matrix {
  int n_rows, n_cols; /* lines, places in each */
  double a[]; /* n_rows x n_cols, row-major */
} dls_matrix;

/* One block: the arrays of the view lie behind the struct. */
typedef struct dls_sparse_box {
  dls_sparse view; /* of its arrays */
} dls_sparse_box;

/* Pushes a new value holding a copy of x (zeros where x is NULL). */
void dls_push_vec(lua_State *L, int n, const double *x);
double *dls_push_vector(lua_State *L, int n, const double *x);
double *dls_push_matrix(lua_State *L, int n_rows, int n_cols, const double *a);

/* The userdata at idx, or NULL where it is something else. */
const dls_vec *dls_test_vec(lua_State *L, int idx);
dls_vector *dls_test_vector(lua_State *L, int idx);
const dls_matrix *dls_test_matrix(lua_State *L, int idx);
const dls_sparse *dls_test_sparse(lua_State *L, int idx);

typedef struct dls_vector_arg {
  const double *x; /* n, borrowed from the Lua value or the anchor; NULL: not given */
  int n;           /* numbers */
} dls_vector_arg;

typedef struct dls_matrix_arg {
  const double *a;      /* dense n_rows x n_cols, borrowed; NULL: sparse or not given */
  const dls_sparse *s;  /* sparse, borrowed; NULL: dense or not given                 */
  int n_rows, n_cols;   /* lines, places in each */
} dls_matrix_arg;

/* Reads a list of numbers (plain table, vec, vector) or a matrix (table of rows, matrix, sparse).
** A plain table is copied into a new userdata which is pushed (one value is always pushed), so that
** the pointer stays good while it is on the stack. Elements must be finite. */
dls_vector_arg dls_take_vector(lua_State *L, int idx, const dls_at *at);
dls_matrix_arg dls_take_matrix(lua_State *L, int idx, const dls_at *at);

#endif
