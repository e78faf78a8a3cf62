/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array_parts.h"

/* matrix: a dense one, immutable. */

static const dls_matrix *check_matrix(lua_State *L, int idx) {
  return (const dls_matrix *)dls_class_check(L, idx, &dls_matrix_class);
}

int dls_lua_matrix(lua_State *L) {
  const dls_at at = {"matrix", NULL, 0, 0};
  const dls_matrix_arg A = dls_take_matrix(L, 1, &at);
  if (A.s == NULL) {
    dls_push_matrix(L, A.n_rows, A.n_cols, A.a);
    return 1;
  }
  double *a = dls_push_matrix(L, A.n_rows, A.n_cols, NULL);
  for (int i = 0; i < A.n_rows; i++)
    for (int k = A.s->start[i]; k < A.s->start[i + 1]; k++)
      a[(size_t)i * (size_t)A.n_cols + (size_t)A.s->col[k]] = A.s->value[k];
  return 1;
}

static int matrix_rows(lua_State *L) {
  lua_pushinteger(L, check_matrix(L, 1)->n_rows);
  return 1;
}

static int matrix_cols(lua_State *L) {
  lua_pushinteger(L, check_matrix(L, 1)->n_cols);
  return 1;
}

static int matrix_at(lua_State *L) {
  const dls_matrix *A = check_matrix(L, 1);
  int whole;
  const lua_Integer i = lua_tointegerx(L, 2, &whole);
  if (!whole || i < 1 || i > A->n_rows) return 0;
  dls_push_vector(L, A->n_cols, A->a + (size_t)(i - 1) * (size_t)A->n_cols);
  return 1;
}

static int matrix_totable(lua_State *L) {
  const dls_matrix *A = check_matrix(L, 1);
  lua_createtable(L, A->n_rows, 0);
  for (int i = 0; i < A->n_rows; i++) {
    dls_push_plain(L, A->n_cols, A->a + (size_t)i * (size_t)A->n_cols);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int scale_matrix(lua_State *L, const dls_matrix *A, double s) {
  double *out = dls_push_matrix(L, A->n_rows, A->n_cols, A->a);
  for (size_t k = 0; k < (size_t)A->n_rows * (size_t)A->n_cols; k++) out[k] *= s;
  return 1;
}

static int times_matrix(lua_State *L, const dls_matrix *A, const dls_matrix *B) {
  if (A->n_cols != B->n_rows)
    return dls_raise(L, "matrix *", "%d x %d times %d x %d", A->n_rows, A->n_cols, B->n_rows,
                     B->n_cols);
  const size_t n = (size_t)B->n_cols, m = (size_t)A->n_cols;
  double *out = dls_push_matrix(L, A->n_rows, B->n_cols, NULL);
  for (size_t i = 0; i < (size_t)A->n_rows; i++)
    for (size_t k = 0; k < m; k++)
      for (size_t j = 0; j < n; j++) out[i * n + j] += A->a[i * m + k] * B->a[k * n + j];
  return 1;
}

static int times_vector(lua_State *L, const dls_matrix *A, int idx) {
  const dls_at at = {"matrix *", NULL, 0, 0};
  const dls_vector_arg x = dls_take_vector(L, idx, &at);
  if (x.n != A->n_cols)
    return dls_raise(L, at.function, "%d x %d times %d numbers", A->n_rows, A->n_cols, x.n);
  double *y = dls_push_vector(L, A->n_rows, NULL);
  for (int i = 0; i < A->n_rows; i++)
    for (int j = 0; j < A->n_cols; j++)
      y[i] += A->a[(size_t)i * (size_t)A->n_cols + (size_t)j] * x.x[j];
  return 1;
}

static int matrix_mul(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) return scale_matrix(L, check_matrix(L, 2), lua_tonumber(L, 1));
  const dls_matrix *A = check_matrix(L, 1);
  if (lua_type(L, 2) == LUA_TNUMBER) return scale_matrix(L, A, lua_tonumber(L, 2));
  const dls_matrix *B = dls_test_matrix(L, 2);
  return B != NULL ? times_matrix(L, A, B) : times_vector(L, A, 2);
}

static int matrix_unm(lua_State *L) { return scale_matrix(L, check_matrix(L, 1), -1); }

static int matrix_div(lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER)
    return dls_raise(L, "matrix /", "only a number divides a matrix");
  const dls_matrix *A = check_matrix(L, 1);
  const double s = lua_tonumber(L, 2);
  double *out = dls_push_matrix(L, A->n_rows, A->n_cols, A->a);
  for (size_t k = 0; k < (size_t)A->n_rows * (size_t)A->n_cols; k++) out[k] /= s;
  return 1;
}

/* The matrix at idx; a plain table of rows is replaced by one. */
static const dls_matrix *operand_matrix(lua_State *L, int idx, const char *function) {
  if (dls_test_matrix(L, idx) == NULL) {
    const dls_at at = {function, NULL, 0, 0};
    if (!lua_istable(L, idx)) dls_bad(L, &at, "must be a matrix (a list of rows)", idx);
    (void)dls_read_rows(L, idx, &at);
    lua_replace(L, idx);
  }
  return check_matrix(L, idx);
}

static int matrix_combine(lua_State *L, const char *function, double sign) {
  const dls_matrix *A = operand_matrix(L, 1, function), *B = operand_matrix(L, 2, function);
  if (A->n_rows != B->n_rows || A->n_cols != B->n_cols)
    return dls_raise(L, function, "sizes differ: %d x %d and %d x %d", A->n_rows, A->n_cols,
                     B->n_rows, B->n_cols);
  double *out = dls_push_matrix(L, A->n_rows, A->n_cols, A->a);
  for (size_t k = 0; k < (size_t)A->n_rows * (size_t)A->n_cols; k++) out[k] += sign * B->a[k];
  return 1;
}

static int matrix_add(lua_State *L) { return matrix_combine(L, "matrix +", 1); }
static int matrix_sub(lua_State *L) { return matrix_combine(L, "matrix -", -1); }

static int matrix_transpose(lua_State *L) {
  const dls_matrix *A = check_matrix(L, 1);
  const size_t n = (size_t)A->n_cols, m = (size_t)A->n_rows;
  double *out = dls_push_matrix(L, A->n_cols, A->n_rows, NULL);
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) out[j * m + i] = A->a[i * n + j];
  return 1;
}

static int matrix_eq(lua_State *L) {
  const dls_matrix *A = dls_test_matrix(L, 1), *B = dls_test_matrix(L, 2);
  bool same = A != NULL && B != NULL && A->n_rows == B->n_rows && A->n_cols == B->n_cols;
  for (size_t k = 0; same && k < (size_t)A->n_rows * (size_t)A->n_cols; k++)
    same = A->a[k] == B->a[k];
  lua_pushboolean(L, same);
  return 1;
}

static int matrix_tostring(lua_State *L) {
  const dls_matrix *A = check_matrix(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  lua_pushfstring(L, "matrix %d x %d", A->n_rows, A->n_cols);
  luaL_addvalue(&b);
  for (int i = 0; i < A->n_rows && i < 8; i++) {
    luaL_addstring(&b, "\n  ");
    dls_add_numbers(L, &b, A->n_cols, A->a + (size_t)i * (size_t)A->n_cols);
  }
  if (A->n_rows > 8) luaL_addstring(&b, "\n  ...");
  luaL_pushresult(&b);
  return 1;
}

static const dls_method matrix_methods[] = {
    {"rows", matrix_rows, "() number of rows"},
    {"cols", matrix_cols, "() number of columns"},
    {"transpose", matrix_transpose, "() the transposed matrix"},
    {"totable", matrix_totable, "() a plain table of rows"},
    {NULL, NULL, NULL}};

static const luaL_Reg matrix_meta[] = {
    {"__add", matrix_add}, {"__sub", matrix_sub}, {"__mul", matrix_mul}, {"__div", matrix_div},
    {"__unm", matrix_unm}, {"__eq", matrix_eq},
    {"__len", matrix_rows}, {"__tostring", matrix_tostring}, {NULL, NULL}};

const dls_class dls_matrix_class = {"delassus.matrix", "matrix", matrix_methods, NULL, matrix_meta,
                                    matrix_at, NULL};
