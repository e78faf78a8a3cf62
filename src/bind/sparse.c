/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/options.h"

/* delassus.sparse{ rows =, cols =, {i, j, value}, ... }: repeated entries add up. */

extern const dls_class dls_sparse_class;

const dls_sparse *dls_test_sparse(lua_State *L, int idx) {
  const dls_sparse_box *box = (const dls_sparse_box *)dls_class_test(L, idx, &dls_sparse_class);
  return box == NULL ? NULL : &box->view;
}

static const dls_sparse *check(lua_State *L, int idx) {
  return &((const dls_sparse_box *)dls_class_check(L, idx, &dls_sparse_class))->view;
}

typedef struct builder {
  int n_rows, n_cols, n; /* of the matrix; entries */
  int *start;    /* n_rows + 1 */
  int *col;      /* n          */
  double *value; /* n          */
} builder;

/* Pushes a sparse matrix with room for n entries and fills the builder's pointers to it. */
static dls_sparse_box *new_sparse(lua_State *L, builder *b) {
  const size_t n = (size_t)b->n, rows = (size_t)b->n_rows + 1;
  const size_t bytes = sizeof(dls_sparse_box) + n * sizeof(double) + (rows + n) * sizeof(int);
  dls_sparse_box *box = (dls_sparse_box *)dls_class_new(L, &dls_sparse_class, bytes, 0);
  void *behind = box + 1;
  b->value = (double *)behind;
  void *after = b->value + n;
  b->start = (int *)after;
  b->col = b->start + rows;
  box->view = (dls_sparse){b->n_rows, b->n_cols, b->start, b->col, b->value};
  return box;
}

static int read_place(lua_State *L, int entry, int k, int most, const char *what) {
  int whole;
  lua_rawgeti(L, -1, k);
  const lua_Integer i = lua_tointegerx(L, -1, &whole);
  if (!whole || i < 1 || i > most)
    dls_raise(L, "sparse", "entry %d: the %s must be a whole number from 1 to %d", entry, what,
              most);
  lua_pop(L, 1);
  return (int)i - 1;
}

/* Reads entry k (1-based) of the table at 1. */
static void read_entry(lua_State *L, const builder *b, int k, int *i, int *j, double *x) {
  lua_rawgeti(L, 1, k);
  if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 3)
    dls_raise(L, "sparse", "entry %d must be {row, column, value}", k);
  *i = read_place(L, k, 1, b->n_rows, "row");
  *j = read_place(L, k, 2, b->n_cols, "column");
  lua_rawgeti(L, -1, 3);
  const dls_at at = {"sparse", "value", k, 0};
  *x = dls_check_number(L, lua_gettop(L), &at);
  lua_pop(L, 2);
}

/* Sorts each row by column (stable insertion) and adds up repeated entries, in their order. Answers
** the first row with a sum out of range, or -1. */
static int settle_rows(builder *b) {
  int bad = -1;
  int used = 0;
  for (int i = 0; i < b->n_rows; i++) {
    const int first = b->start[i], last = b->start[i + 1], row = used;
    for (int k = first; k < last; k++) {
      const int j = b->col[k];
      const double x = b->value[k];
      int at = used;
      while (at > row && b->col[at - 1] > j) at--;
      if (at > row && b->col[at - 1] == j) {
        b->value[at - 1] += x;
        continue;
      }
      memmove(b->col + at + 1, b->col + at, (size_t)(used - at) * sizeof(int));
      memmove(b->value + at + 1, b->value + at, (size_t)(used - at) * sizeof(double));
      b->col[at] = j;
      b->value[at] = x;
      used++;
    }
    b->start[i] = row;
    for (int k = row; k < used && bad < 0; k++)
      if (!dls_is_finite(b->value[k])) bad = i;
  }
  b->start[b->n_rows] = used;
  return bad;
}

static void read_size_of(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  const bool empty = lua_isinteger(L, idx) && lua_tointeger(L, idx) <= 0;
  if (empty && lua_tointeger(L, idx) < 0) dls_bad(L, at, "must be >= 0", idx);
  if (empty) *(int *)out = 0;
  else dls_read_count(L, idx, at, arg, out);
}

static const dls_option options[] = {
    {"rows", read_size_of, offsetof(builder, n_rows), NULL, DLS_REQUIRED, 0},
    {"cols", read_size_of, offsetof(builder, n_cols), NULL, DLS_REQUIRED, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* The named options only: positional values are the entries. */
static void read_size(lua_State *L, builder *b) {
  if (!lua_istable(L, 1)) {
    const dls_at at = {"sparse", NULL, 0, 0};
    dls_bad(L, &at, "expected a table of options", 1);
  }
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    if (lua_isinteger(L, -2)) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
  dls_read_options(L, 2, "sparse", options, b);
  lua_settop(L, 1);
}

/* Pushes the entries' numbers by column, those of a column in their order; as they come where there
** are many more columns than entries. */
static const int *by_column(lua_State *L, const builder *b) {
  const bool few = b->n_cols / 4 > b->n;
  const size_t n = (size_t)b->n, cols = few ? 0 : (size_t)b->n_cols;
  int *order = (int *)lua_newuserdatauv(L, (n + cols + 1) * sizeof(int), 0), *next = order + n;
  int i, j;
  double x;
  for (int k = 1; k <= b->n; k++) order[k - 1] = k;
  if (few) return order;
  memset(next, 0, (cols + 1) * sizeof(int));
  for (int k = 1; k <= b->n; k++) {
    read_entry(L, b, k, &i, &j, &x);
    next[j + 1]++;
  }
  for (size_t c = 0; c < cols; c++) next[c + 1] += next[c];
  for (int k = 1; k <= b->n; k++) {
    read_entry(L, b, k, &i, &j, &x);
    order[next[j]++] = k;
  }
  return order;
}

int dls_lua_sparse(lua_State *L) {
  builder b = {0};
  lua_settop(L, 1);
  read_size(L, &b);
  const lua_Unsigned n = lua_rawlen(L, 1);
  if (n > INT32_MAX / 2) return dls_raise(L, "sparse", "too many entries");
  b.n = (int)n;
  new_sparse(L, &b);
  int i, j;
  double x;
  for (int k = 1; k <= b.n; k++) { /* how many in each row, then where each row ends */
    read_entry(L, &b, k, &i, &j, &x);
    b.start[i + 1]++;
  }
  for (int r = 0; r < b.n_rows; r++) b.start[r + 1] += b.start[r];
  const int *order = by_column(L, &b);
  /* backwards into place: start[r + 1] walks down to its row's first */
  for (int t = b.n - 1; t >= 0; t--) {
    read_entry(L, &b, order[t], &i, &j, &x);
    const int to = --b.start[i + 1];
    b.col[to] = j;
    b.value[to] = x;
  }
  lua_pop(L, 1); /* the order */
  for (int r = 0; r < b.n_rows; r++) b.start[r] = b.start[r + 1];
  b.start[b.n_rows] = b.n;
  const int bad = settle_rows(&b);
  if (bad >= 0)
    return dls_raise(L, "sparse", "row %d: the sum of repeated entries is not finite", bad + 1);
  return 1;
}

static int sparse_rows(lua_State *L) {
  lua_pushinteger(L, check(L, 1)->n_rows);
  return 1;
}

static int sparse_cols(lua_State *L) {
  lua_pushinteger(L, check(L, 1)->n_cols);
  return 1;
}

static void fill_row(const dls_sparse *A, int i, double *row) {
  for (int k = A->start[i]; k < A->start[i + 1]; k++) row[A->col[k]] = A->value[k];
}

static int sparse_at(lua_State *L) {
  const dls_sparse *A = check(L, 1);
  int whole;
  const lua_Integer i = lua_tointegerx(L, 2, &whole);
  if (!whole || i < 1 || i > A->n_rows) return 0;
  fill_row(A, (int)i - 1, dls_push_vector(L, A->n_cols, NULL));
  return 1;
}

static int sparse_totable(lua_State *L) {
  const dls_sparse *A = check(L, 1);
  lua_createtable(L, A->n_rows, 0);
  for (int i = 0; i < A->n_rows; i++) {
    lua_createtable(L, A->n_cols, 0);
    int k = A->start[i];
    for (int j = 0; j < A->n_cols; j++) {
      const bool here = k < A->start[i + 1] && A->col[k] == j;
      lua_pushnumber(L, here ? A->value[k] : 0.0);
      if (here) k++;
      lua_rawseti(L, -2, j + 1);
    }
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* A times s, or over s. */
static int scale_sparse(lua_State *L, const dls_sparse *A, double s, bool over) {
  builder b = {.n_rows = A->n_rows, .n_cols = A->n_cols, .n = A->start[A->n_rows]};
  new_sparse(L, &b);
  memcpy(b.start, A->start, ((size_t)b.n_rows + 1) * sizeof(int));
  memcpy(b.col, A->col, (size_t)b.n * sizeof(int));
  for (int k = 0; k < b.n; k++) {
    b.value[k] = over ? A->value[k] / s : s * A->value[k];
    if (!dls_is_finite(b.value[k])) return dls_raise(L, "sparse", "a scaled entry is not finite");
  }
  return 1;
}

static int sparse_unm(lua_State *L) { return scale_sparse(L, check(L, 1), -1, false); }

static int sparse_div(lua_State *L) {
  if (lua_type(L, 2) != LUA_TNUMBER)
    return dls_raise(L, "sparse /", "only a number divides a sparse matrix");
  return scale_sparse(L, check(L, 1), lua_tonumber(L, 2), true);
}

static int sparse_mul(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) return scale_sparse(L, check(L, 2), lua_tonumber(L, 1), false);
  const dls_sparse *A = check(L, 1);
  if (lua_type(L, 2) == LUA_TNUMBER) return scale_sparse(L, A, lua_tonumber(L, 2), false);
  const dls_at at = {"sparse *", NULL, 0, 0};
  const dls_vector_arg x = dls_take_vector(L, 2, &at);
  if (x.n != A->n_cols)
    return dls_raise(L, at.function, "%d x %d times %d numbers", A->n_rows, A->n_cols, x.n);
  double *y = dls_push_vector(L, A->n_rows, NULL);
  for (int i = 0; i < A->n_rows; i++)
    for (int k = A->start[i]; k < A->start[i + 1]; k++) y[i] += A->value[k] * x.x[A->col[k]];
  return 1;
}

/* A + sign B of one size: the entries of each row behind each other, settled. */
static int combine(lua_State *L, const char *function, double sign) {
  const dls_sparse *A = dls_test_sparse(L, 1), *B = dls_test_sparse(L, 2);
  if (A == NULL || B == NULL)
    return dls_raise(L, function, "needs two sparse matrices");
  if (A->n_rows != B->n_rows || A->n_cols != B->n_cols)
    return dls_raise(L, function, "sizes differ: %d x %d and %d x %d", A->n_rows, A->n_cols,
                     B->n_rows, B->n_cols);
  const lua_Integer n = (lua_Integer)A->start[A->n_rows] + B->start[B->n_rows];
  if (n > INT32_MAX / 2) return dls_raise(L, function, "too many entries");
  builder b = {.n_rows = A->n_rows, .n_cols = A->n_cols, .n = (int)n};
  new_sparse(L, &b);
  int at = 0;
  for (int i = 0; i < b.n_rows; i++) {
    b.start[i] = at;
    for (int k = A->start[i]; k < A->start[i + 1]; k++, at++)
      b.col[at] = A->col[k], b.value[at] = A->value[k];
    for (int k = B->start[i]; k < B->start[i + 1]; k++, at++)
      b.col[at] = B->col[k], b.value[at] = sign * B->value[k];
  }
  b.start[b.n_rows] = at;
  if (settle_rows(&b) >= 0) return dls_raise(L, function, "a sum is not finite");
  return 1;
}

static int sparse_add(lua_State *L) { return combine(L, "sparse +", 1); }
static int sparse_sub(lua_State *L) { return combine(L, "sparse -", -1); }

/* The same numbers, whether the zeros among them are entries or not. */
static int sparse_eq(lua_State *L) {
  const dls_sparse *A = dls_test_sparse(L, 1), *B = dls_test_sparse(L, 2);
  bool same = A && B && A->n_rows == B->n_rows && A->n_cols == B->n_cols;
  for (int i = 0; same && i < A->n_rows; i++) {
    int k = A->start[i], m = B->start[i];
    const int k_end = A->start[i + 1], m_end = B->start[i + 1];
    while (same && (k < k_end || m < m_end)) {
      const int col_a = k < k_end ? A->col[k] : A->n_cols,
                col_b = m < m_end ? B->col[m] : A->n_cols;
      const double a = col_a <= col_b ? A->value[k++] : 0, b = col_b <= col_a ? B->value[m++] : 0;
      same = a == b;
    }
  }
  lua_pushboolean(L, same);
  return 1;
}

static int sparse_tostring(lua_State *L) {
  const dls_sparse *A = check(L, 1);
  lua_pushfstring(L, "sparse matrix %d x %d (%d entries)", A->n_rows, A->n_cols,
                  A->start[A->n_rows]);
  return 1;
}

static const dls_method methods[] = {
    {"rows", sparse_rows, "() number of rows"},
    {"cols", sparse_cols, "() number of columns"},
    {"totable", sparse_totable, "() a plain table of rows, zeros included"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__add", sparse_add},
                                {"__sub", sparse_sub},
                                {"__mul", sparse_mul},
                                {"__eq", sparse_eq},
                                {"__div", sparse_div},
                                {"__unm", sparse_unm},
                                {"__len", sparse_rows},
                                {"__tostring", sparse_tostring},
                                {NULL, NULL}};

const dls_class dls_sparse_class = {"delassus.sparse", "sparse", methods, NULL, meta,
                                    sparse_at,         NULL};
