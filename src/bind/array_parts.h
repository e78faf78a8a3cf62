/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_ARRAY_PARTS_H
#define DLS_BIND_ARRAY_PARTS_H

#include "bind/array.h"
#include "bind/open.h"
#include "bind/options.h"

/* What the files of arrays share. */
extern const dls_class dls_vec_class, dls_vector_class, dls_matrix_class, dls_sparse_class;

/* Push a new one, all zero. */
dls_vector *dls_new_vector(lua_State *L, int n);
dls_matrix *dls_new_matrix(lua_State *L, int n_rows, int n_cols);

/* A table of rows at idx, as a new matrix. */
dls_matrix *dls_read_rows(lua_State *L, int idx, const dls_at *at);

/* "{1.0, 2.0, ...}": the first eight. */
void dls_add_numbers(lua_State *L, luaL_Buffer *b, int n, const double *x);
/* Pushes a plain table. */
void dls_push_plain(lua_State *L, int n, const double *x);

/* delassus.vector, vec, matrix, sparse */
int dls_lua_vector(lua_State *L);
int dls_lua_vec(lua_State *L);
int dls_lua_matrix(lua_State *L);
int dls_lua_sparse(lua_State *L);

#endif
