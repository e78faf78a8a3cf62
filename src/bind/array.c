/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/open.h"
#include "bind/options.h"

/* vector and matrix: long immutable arrays; and how lists and matrices come in. */

extern const dls_class dls_vec_class, dls_vector_class, dls_matrix_class, dls_sparse_class;
int dls_lua_sparse(lua_State *L);

static size_t array_bytes(lua_State *L, size_t head, size_t rows, size_t cols) {
  const size_t bytes = dls_bytes(dls_bytes(rows, cols), sizeof(double));
  if (bytes > SIZE_MAX / 4) luaL_error(L, "array of %d x %d numbers is too large", (int)rows, (int)cols);
  return head + bytes;
}

static dls_vector *new_vector(lua_State *L, int n) {
  dls_vector *v = (dls_vector *)dls_class_new(
      L, &dls_vector_class, array_bytes(L, sizeof *v, (size_t)n, 1), 0);
  v->n = n;
  return v;
}

static dls_matrix *new_matrix(lua_State *L, int n_rows, int n_cols) {
  dls_matrix *A = (dls_matrix *)dls_class_new(
      L, &dls_matrix_class, array_bytes(L, sizeof *A, (size_t)n_rows, (size_t)n_cols), 0);
  A->n_rows = n_rows;
  A->n_cols = n_cols;
  return A;
}

double *dls_push_vector(lua_State *L, int n, const double *x) {
  dls_vector *v = new_vector(L, n);
  if (x != NULL && n > 0) memcpy(v->x, x, (size_t)n * sizeof *x);
  return v->x;
}

double *dls_push_matrix(lua_State *L, int n_rows, int n_cols, const double *a) {
  dls_matrix *A = new_matrix(L, n_rows, n_cols);
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
  dls_vector *v = new_vector(L, n);
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

static void read_row(lua_State *L, int idx, const dls_at *at, int n_cols, double *out) {
  const dls_vector_arg row = dls_take_vector(L, idx, at);
  if (row.n != n_cols) {
    if (at->option == NULL)
      dls_raise(L, at->function, "row %d has %d numbers, row 1 has %d", at->element, row.n, n_cols);
    dls_raise(L, at->function, "'%s' row %d has %d numbers, row 1 has %d", at->option, at->element,
              row.n, n_cols);
  }
  if (n_cols > 0) memcpy(out, row.x, (size_t)n_cols * sizeof *out);
  lua_pop(L, 1);
}

static dls_matrix *read_rows(lua_State *L, int idx, const dls_at *at) {
  const int n_rows = list_length(L, idx, at);
  int n_cols = 0;
  dls_at row = *at;
  if (n_rows > 0) {
    lua_rawgeti(L, idx, 1);
    row.element = 1;
    n_cols = row_length(L, lua_gettop(L), &row);
    lua_pop(L, 1);
  }
  dls_matrix *A = new_matrix(L, n_rows, n_cols);
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
    A = read_rows(L, idx, at);
  }
  return (dls_matrix_arg){A->a, NULL, A->n_rows, A->n_cols};
}

/* --- vector ----------------------------------------------------------------------------------- */

static dls_vector *check_vector(lua_State *L, int idx) {
  return (dls_vector *)dls_class_check(L, idx, &dls_vector_class);
}

static int lua_vector(lua_State *L) {
  const dls_at at = {"vector", NULL, 0, 0};
  const dls_vector_arg list = dls_take_vector(L, 1, &at);
  dls_push_vector(L, list.n, list.x);
  return 1;
}

static int lua_vec(lua_State *L) {
  const dls_at at = {"vec", NULL, 0, 0};
  const dls_vector_arg list = dls_take_vector(L, 1, &at);
  if (list.n < 2 || list.n > 4) return dls_raise(L, "vec", "needs 2 to 4 numbers, got %d", list.n);
  dls_push_vec(L, list.n, list.x);
  return 1;
}

static int vector_at(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  int whole;
  const lua_Integer i = lua_tointegerx(L, 2, &whole);
  if (!whole || i < 1 || i > v->n) return 0;
  lua_pushnumber(L, v->x[i - 1]);
  return 1;
}

static int vector_len(lua_State *L) {
  lua_pushinteger(L, check_vector(L, 1)->n);
  return 1;
}

static int vector_combine(lua_State *L, const char *function, double sign) {
  const dls_at at = {function, NULL, 0, 0};
  const dls_vector_arg a = dls_take_vector(L, 1, &at);
  const dls_vector_arg b = dls_take_vector(L, 2, &at);
  if (a.n != b.n) return dls_raise(L, function, "sizes differ: %d and %d numbers", a.n, b.n);
  double *out = dls_push_vector(L, a.n, a.x);
  for (int i = 0; i < a.n; i++) out[i] += sign * b.x[i];
  return 1;
}

static int vector_add(lua_State *L) { return vector_combine(L, "vector +", 1); }
static int vector_sub(lua_State *L) { return vector_combine(L, "vector -", -1); }

static int vector_scale(lua_State *L, int idx, double s, bool divide) {
  const dls_vector *v = check_vector(L, idx);
  double *out = dls_push_vector(L, v->n, NULL);
  for (int i = 0; i < v->n; i++) out[i] = divide ? v->x[i] / s : v->x[i] * s;
  return 1;
}

static int vector_mul(lua_State *L) {
  const int scalar = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2;
  if (lua_type(L, scalar) != LUA_TNUMBER)
    return dls_raise(L, "vector *", "one side must be a number; a:dot(b) is the product");
  return vector_scale(L, 3 - scalar, lua_tonumber(L, scalar), false);
}

static int vector_div(lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER)
    return dls_raise(L, "vector /", "only a number divides a vector");
  return vector_scale(L, 1, lua_tonumber(L, 2), true);
}

static int vector_unm(lua_State *L) { return vector_scale(L, 1, -1, false); }

static int vector_eq(lua_State *L) {
  const dls_vector *a = dls_test_vector(L, 1), *b = dls_test_vector(L, 2);
  bool same = a != NULL && b != NULL && a->n == b->n;
  for (int i = 0; same && i < a->n; i++) same = a->x[i] == b->x[i];
  lua_pushboolean(L, same);
  return 1;
}

static void add_numbers(lua_State *L, luaL_Buffer *b, int n, const double *x) {
  enum { MOST = 8 };
  luaL_addchar(b, '{');
  for (int i = 0; i < n && i < MOST; i++) {
    lua_pushfstring(L, i > 0 ? ", %f" : "%f", x[i]);
    luaL_addvalue(b);
  }
  luaL_addstring(b, n > MOST ? ", ...}" : "}");
}

static int vector_tostring(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  add_numbers(L, &b, v->n, v->x);
  if (v->n > 8) {
    lua_pushfstring(L, " (%d numbers)", v->n);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return 1;
}

static int vector_dot(lua_State *L) {
  const dls_vector *a = check_vector(L, 1);
  const dls_at at = {"vector:dot", NULL, 0, 0};
  const dls_vector_arg b = dls_take_vector(L, 2, &at);
  if (a->n != b.n) return dls_raise(L, at.function, "sizes differ: %d and %d numbers", a->n, b.n);
  double sum = 0;
  for (int i = 0; i < a->n; i++) sum += a->x[i] * b.x[i];
  lua_pushnumber(L, sum);
  return 1;
}

static int vector_norm(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  double most = 0, sum = 0;
  for (int i = 0; i < v->n; i++) most = dls_max(most, fabs(v->x[i]));
  for (int i = 0; i < v->n && most > 0; i++) sum += (v->x[i] / most) * (v->x[i] / most);
  lua_pushnumber(L, most * sqrt(sum));
  return 1;
}

static int vector_unpack(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  luaL_checkstack(L, v->n, "vector:unpack");
  for (int i = 0; i < v->n; i++) lua_pushnumber(L, v->x[i]);
  return v->n;
}

static void push_plain(lua_State *L, int n, const double *x) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, x[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int vector_totable(lua_State *L) {
  const dls_vector *v = check_vector(L, 1);
  push_plain(L, v->n, v->x);
  return 1;
}

/* --- matrix ----------------------------------------------------------------------------------- */

static const dls_matrix *check_matrix(lua_State *L, int idx) {
  return (const dls_matrix *)dls_class_check(L, idx, &dls_matrix_class);
}

static int lua_matrix(lua_State *L) {
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
    push_plain(L, A->n_cols, A->a + (size_t)i * (size_t)A->n_cols);
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

/* The matrix at idx; a plain table of rows is replaced by one. */
static const dls_matrix *operand_matrix(lua_State *L, int idx, const char *function) {
  if (dls_test_matrix(L, idx) == NULL) {
    const dls_at at = {function, NULL, 0, 0};
    if (!lua_istable(L, idx)) dls_bad(L, &at, "must be a matrix (a list of rows)", idx);
    (void)read_rows(L, idx, &at);
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
    add_numbers(L, &b, A->n_cols, A->a + (size_t)i * (size_t)A->n_cols);
  }
  if (A->n_rows > 8) luaL_addstring(&b, "\n  ...");
  luaL_pushresult(&b);
  return 1;
}

static const dls_method vector_methods[] = {
    {"dot", vector_dot, "(v) the scalar product"},
    {"norm", vector_norm, "() the Euclidean length"},
    {"unpack", vector_unpack, "() the numbers themselves"},
    {"totable", vector_totable, "() a plain table of the numbers"},
    {NULL, NULL, NULL}};

static const luaL_Reg vector_meta[] = {
    {"__add", vector_add}, {"__sub", vector_sub}, {"__mul", vector_mul}, {"__div", vector_div},
    {"__unm", vector_unm}, {"__eq", vector_eq},   {"__len", vector_len},
    {"__tostring", vector_tostring}, {NULL, NULL}};

static const dls_method matrix_methods[] = {
    {"rows", matrix_rows, "() number of rows"},
    {"cols", matrix_cols, "() number of columns"},
    {"transpose", matrix_transpose, "() the transposed matrix"},
    {"totable", matrix_totable, "() a plain table of rows"},
    {NULL, NULL, NULL}};

static const luaL_Reg matrix_meta[] = {
    {"__add", matrix_add}, {"__sub", matrix_sub}, {"__mul", matrix_mul}, {"__eq", matrix_eq},
    {"__len", matrix_rows}, {"__tostring", matrix_tostring}, {NULL, NULL}};

const dls_class dls_vector_class = {"delassus.vector", "vector", vector_methods, NULL, vector_meta,
                                    vector_at, NULL};
const dls_class dls_matrix_class = {"delassus.matrix", "matrix", matrix_methods, NULL, matrix_meta,
                                    matrix_at, NULL};

void dls_open_array(lua_State *L) {
  static const luaL_Reg functions[] = {{"vec", lua_vec},
                                       {"vector", lua_vector},
                                       {"matrix", lua_matrix},
                                       {"sparse", dls_lua_sparse},
                                       {NULL, NULL}};
  dls_class_register(L, &dls_vec_class);
  dls_class_register(L, &dls_vector_class);
  dls_class_register(L, &dls_matrix_class);
  dls_class_register(L, &dls_sparse_class);
  luaL_setfuncs(L, functions, 0);
}
