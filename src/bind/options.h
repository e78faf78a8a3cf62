/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_OPTIONS_H
#define DLS_BIND_OPTIONS_H

#include "bind/raise.h"

/* Option tables as rows of data: name, reader, place in the C definition. Defaults live in one C
** function that fills the definition before the table is read; nil means "not given". */

/* Reads the value at idx (absolute) into *out, or raises by dls_bad(L, at, rule, idx). */
typedef void (*dls_reader)(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);

typedef enum dls_option_flags {
  DLS_OPTIONAL = 0,
  DLS_REQUIRED = 1 /* "'q' is required (a list of numbers)" */
} dls_option_flags;

typedef struct dls_option {
  const char *name;  /* key of the table                                               */
  dls_reader read;   /* NULL: known, but read by the binding itself                    */
  size_t offset;     /* into the definition                                            */
  const void *arg;   /* of the reader: a list of choices, limits, a class; or NULL     */
  int flags;         /* DLS_REQUIRED                                                   */
  int place;         /* > 0: also the table's positional value [place]                 */
} dls_option;

/* Several tables of options at once (a shape's and a body's in one Lua table). */
typedef struct dls_option_set {
  const dls_option *rows; /* ends with name NULL            */
  void *def;              /* the definition that rows fill  */
} dls_option_set;

/* Reads the table at idx. Unknown names raise with the nearest known (the alphabetically first
** unknown one where there are several). Pushes one table that keeps temporaries (vectors made of
** plain lists) alive: leave it on the stack until the definition is no longer used. */
void dls_read_options(lua_State *L, int idx, const char *function, const dls_option *rows,
                      void *def);
void dls_read_option_sets(lua_State *L, int idx, const char *function,
                          const dls_option_set *sets, int n_sets);

/* How many entries the table at idx (absolute) has; raises by the rule for anything else, and for a
** table with other keys, which would be overlooked. */
int dls_check_list(lua_State *L, int idx, const dls_at *at, const char *rule);

/* Readers. out: */
/* double, finite */
void dls_read_number(lua_State *, int, const dls_at *, const void *, void *);
/* double > 0 */
void dls_read_positive(lua_State *, int, const dls_at *, const void *, void *);
/* double >= 0 */
void dls_read_nonnegative(lua_State *, int, const dls_at *, const void *, void *);
/* double, inf too */
void dls_read_extended(lua_State *, int, const dls_at *, const void *, void *);
/* double in [0,1] */
void dls_read_fraction(lua_State *, int, const dls_at *, const void *, void *);
/* int >= 1 */
void dls_read_count(lua_State *, int, const dls_at *, const void *, void *);
/* int */
void dls_read_integer(lua_State *, int, const dls_at *, const void *, void *);
/* lua_Integer */
void dls_read_int64(lua_State *, int, const dls_at *, const void *, void *);
/* bool */
void dls_read_boolean(lua_State *, int, const dls_at *, const void *, void *);
/* const char *, lives as long as the table */
void dls_read_string(lua_State *, int, const dls_at *, const void *, void *);
/* int; arg: const char *const[] with NULL */
void dls_read_choice(lua_State *, int, const dls_at *, const void *, void *);
/* double[2] */
void dls_read_vec2(lua_State *, int, const dls_at *, const void *, void *);
/* double[3] */
void dls_read_vec3(lua_State *, int, const dls_at *, const void *, void *);
/* double[3], not zero, made unit */
void dls_read_direction3(lua_State *, int, const dls_at *, const void *, void *);
/* double[4] unit quaternion: {w,x,y,z} or {axis=, angle=} */
void dls_read_rotation3(lua_State *, int, const dls_at *, const void *, void *);
/* dls_vector_arg */
void dls_read_vector(lua_State *, int, const dls_at *, const void *, void *);
/* dls_matrix_arg, dense or sparse */
void dls_read_matrix(lua_State *, int, const dls_at *, const void *, void *);
/* bool: given; the binding takes the value itself */
void dls_read_function(lua_State *, int, const dls_at *, const void *, void *);

/* A list of exactly n finite numbers at idx: a plain table, a vec or a vector. */
void dls_read_numbers(lua_State *L, int idx, const dls_at *at, int n, double *out);

/* A finite number at idx, where a value stands by itself rather than in an option table. */
double dls_check_number(lua_State *L, int idx, const dls_at *at);

/* Lends the reader of options to the Lua layer:
** check(function, options, { name = "rule", ... }) raises for an unknown name and for a value that
** breaks its rule: "number", "positive", "nonnegative", "count", "boolean", "string", "function",
** "table", "any"; a leading "!" makes it required, a list of strings is a choice. */
int dls_lua_check_options(lua_State *L);

#endif
