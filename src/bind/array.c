/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/array_parts.h"
#include "bind/open.h"
#include "bind/options.h"

/* How lists and matrices come in, and go out. */

static size_t array_bytes(lua_State *L, size_t head, size_t rows, size_t cols) {
  const size_t bytes = dls_bytes(dls_bytes(rows, cols), sizeof(double));
  if (bytes > SIZE_MAX / 4)
    luaL_error(L, "array of %d x %d numbers is too large", (int)rows, (int)cols);
  return head + bytes;
}

dls_vector *dls_new_vector(lua_State *L, int n) {
  dls_vector *v = (dls_vector *)dls_class_new(
      L, &dls_vector_class, array_bytes(L, sizeof *v, (size_t)n, 1), 0);
  v->n = n;
  return v;
}

dls_matrix *dls_new_matrix(lua_State *L, int n_rows, int n_cols) {
  dls_matrix *A = (dls_matrix *)dls_class_new(
      L, &dls_matrix_class, array_bytes(L, sizeof *A, (size_t)n_rows, (size_t)n_cols), 0);
  A->n_rows = n_rows;
  A->n_cols = n_cols;
  return A;
}

double *dls_push_vector(lua_State *L, int n, const double *x) {
  dls_vector *v = dls_new_vector(L, n);
  if (x != NULL && n > 0) memcpy(v->x, x, (size_t)n * sizeof *x);
  return v->x;
}

double *dls_push_matrix(lua_State *L, int n_rows, int n_cols, const double *a) {
  dls_matrix *A = dls_new_matrix(L, n_rows, n_cols);
  if (a != NULL && n_rows > 0 && n_cols > 0)
    memcpy(A->a, a, (size_t)n_rows * (size_t)n_cols * sizeof *a);
  return A->a;
}

dls_vector *dls_test_vector(lua_State *L, int idx) {
  return (dls_vector *)dls_class_test(L, idx, &dls_vector_class);
}
const dls_matrix *dls_test_matrix(lua_State *L, int idx) {
  return (const dls_matrix *)dls_class_test(L, idx, &dls_matrix_class);
}

/* --- what comes in ---------------------------------------------------------------------------- */

static int list_length(lua_State *L, int idx, const dls_at *at) {
  const lua_Unsigned n = lua_rawlen(L, idx);
  if (n > INT32_MAX) dls_bad(L, at, "must have below 2147483648 elements", idx);
  return (int)n;
}

static void read_elements(lua_State *L, int idx, const dls_at *at, int n, double *x) {
  dls_at element = *at;
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, idx, i + 1);
    element.element = i + 1;
    x[i] = dls_check_number(L, lua_gettop(L), &element);
    lua_pop(L, 1);
  }
}

static void check_elements(lua_State *L, const dls_at *at, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    if (dls_is_finite(x[i])) continue;
    dls_at element = *at;
    element.element = i + 1;
    lua_pushnumber(L, x[i]);
    dls_bad(L, &element, "must be a finite number", lua_gettop(L));
  }
}

dls_vector_arg dls_take_vector(lua_State *L, int idx, const dls_at *at) {
  luaL_checkstack(L, 8, at->function);
  idx = lua_absindex(L, idx);
  const dls_vec *small = dls_test_vec(L, idx);
  const dls_vector *large = dls_test_vector(L, idx);
  if (small != NULL || large != NULL) {
    lua_pushvalue(L, idx);
    const dls_vector_arg got = small != NULL ? (dls_vector_arg){small->x, small->n}
                                             : (dls_vector_arg){large->x, large->n};
    check_elements(L, at, got.n, got.x);
    return got;
  }
  if (!lua_istable(L, idx)) dls_bad(L, at, "must be a list of numbers", idx);
  const int n = list_length(L, idx, at);
  dls_vector *v = dls_new_vector(L, n);
  read_elements(L, idx, at, n, v->x);
  return (dls_vector_arg){v->x, n};
}

/* Numbers in row `row` of the matrix being read, whatever kind of list it is. */
static int row_length(lua_State *L, int idx, const dls_at *at) {
  const dls_vec *small = dls_test_vec(L, idx);
  const dls_vector *large = dls_test_vector(L, idx);
  if (small != NULL) return small->n;
  if (large != NULL) return large->n;
  if (!lua_istable(L, idx)) dls_bad(L, at, "must be a list of numbers (a row of the matrix)", idx);
  return list_length(L, idx, at);
}

static void refuse_length(lua_State *L, const dls_at *at, int n, int n_cols) {
  if (at->option == NULL)
    dls_raise(L, at->function, "row %d has %d numbers, row 1 has %d", at->element, n, n_cols);
  dls_raise(L, at->function, "'%s' row %d has %d numbers, row 1 has %d", at->option, at->element, n,
            n_cols);
}

/* A plain table as row at->element: a message names the row and the column. */
static void read_plain_row(lua_State *L, int idx, const dls_at *at, int n_cols, double *out) {
  const int n = list_length(L, idx, at);
  if (n != n_cols) refuse_length(L, at, n, n_cols);
  for (int i = 0; i < n; i++) {
    const bool number = lua_rawgeti(L, idx, i + 1) == LUA_TNUMBER;
    out[i] = number ? lua_tonumber(L, -1) : 0;
    if (!number || !dls_is_finite(out[i])) {
      const char *rule = number ? "a finite number" : "a number";
      const char *got = dls_push_described(L, lua_gettop(L));
      if (at->option == NULL)
        dls_raise(L, at->function, "[%d][%d] must be %s, got %s", at->element, i + 1, rule, got);
      dls_raise(L, at->function, "'%s'[%d][%d] must be %s, got %s", at->option, at->element, i + 1,
                rule, got);
    }
    lua_pop(L, 1);
  }
}

static void read_row(lua_State *L, int idx, const dls_at *at, int n_cols, double *out) {
  if (lua_istable(L, idx)) {
    read_plain_row(L, idx, at, n_cols, out);
    return;
  }
  const dls_vector_arg row = dls_take_vector(L, idx, at);
  if (row.n != n_cols) refuse_length(L, at, row.n, n_cols);
  if (n_cols > 0) memcpy(out, row.x, (size_t)n_cols * sizeof *out);
  lua_pop(L, 1);
}

dls_matrix *dls_read_rows(lua_State *L, int idx, const dls_at *at) {
  const int n_rows = list_length(L, idx, at);
  int n_cols = 0;
  dls_at row = *at;
  if (n_rows > 0) {
    lua_rawgeti(L, idx, 1);
    row.element = 1;
    n_cols = row_length(L, lua_gettop(L), &row);
    lua_pop(L, 1);
  }
  dls_matrix *A = dls_new_matrix(L, n_rows, n_cols);
  for (int i = 0; i < n_rows; i++) {
    lua_rawgeti(L, idx, i + 1);
    row.element = i + 1;
    read_row(L, lua_gettop(L), &row, n_cols, A->a + (size_t)i * (size_t)n_cols);
    lua_pop(L, 1);
  }
  return A;
}

dls_matrix_arg dls_take_matrix(lua_State *L, int idx, const dls_at *at) {
  luaL_checkstack(L, 8, at->function);
  idx = lua_absindex(L, idx);
  const dls_sparse *S = dls_test_sparse(L, idx);
  const dls_matrix *A = dls_test_matrix(L, idx);
  if (S != NULL || A != NULL) {
    lua_pushvalue(L, idx);
    if (S != NULL) return (dls_matrix_arg){NULL, S, S->n_rows, S->n_cols};
    check_elements(L, at, A->n_rows * A->n_cols, A->a);
  } else {
    if (!lua_istable(L, idx)) dls_bad(L, at, "must be a matrix (a list of rows)", idx);
    A = dls_read_rows(L, idx, at);
  }
  return (dls_matrix_arg){A->a, NULL, A->n_rows, A->n_cols};
}

void dls_open_array(lua_State *L) {
  static const luaL_Reg functions[] = {{"vec", dls_lua_vec},
                                       {"vector", dls_lua_vector},
                                       {"matrix", dls_lua_matrix},
                                       {"sparse", dls_lua_sparse},
                                       {NULL, NULL}};
  dls_class_register(L, &dls_vec_class);
  dls_class_register(L, &dls_vector_class);
  dls_class_register(L, &dls_matrix_class);
  dls_class_register(L, &dls_sparse_class);
  luaL_setfuncs(L, functions, 0);
}
