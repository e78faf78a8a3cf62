/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/lcp.h"

#include "bind/call.h"
#include "bind/open.h"
#include "core/lcp/enumerate.h"
#include "core/lcp/trace.h"

/* --- options -------------------------------------------------------------------------------- */
void dls_read_method(lua_State *L, int idx, const dls_at *at, const char *(*name_of)(int),
                     int *choice) {
  enum { MOST = 31 };
  const char *names[MOST + 1];
  int n = 0;
  for (const char *name; n < MOST && (name = name_of(n)) != NULL; n++) names[n] = name;
  names[n] = NULL;
  dls_read_choice(L, idx, at, names, choice);
}

static const char *method_name(int i) {
  const dls_lcp_method *method = dls_lcp_method_at(i);
  return method != NULL ? method->name : NULL;
}

static void read_method(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  int choice;
  (void)arg;
  dls_read_method(L, idx, at, method_name, &choice);
  *(const dls_lcp_method **)out = dls_lcp_method_at(choice);
}

static void read_relaxation(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_read_positive(L, idx, at, arg, out);
  if (*(double *)out >= 2.0) dls_bad(L, at, "must be in (0, 2)", idx);
}

#define ROW(name, read, field) {name, read, offsetof(dls_lcp_request, field), NULL, DLS_OPTIONAL, 0}
#define SHARED                                                                                 \
  ROW("method", read_method, method),                                                          \
  ROW("tolerance", dls_read_positive, opts.tolerance),                                         \
  ROW("max_pivots", dls_read_count, opts.max_pivots),                                          \
  ROW("max_iterations", dls_read_count, opts.max_iterations),                                  \
  ROW("relaxation", read_relaxation, opts.relaxation),                                         \
  ROW("trace", dls_read_boolean, trace),                                                       \
  ROW("check", dls_read_boolean, opts.check)

const dls_option dls_lcp_solve_options[] = {
    {"M", dls_read_matrix, offsetof(dls_lcp_request, M), NULL, DLS_REQUIRED, 0},
    {"q", dls_read_vector, offsetof(dls_lcp_request, q), NULL, DLS_REQUIRED, 0},
    SHARED,
    ROW("start", dls_read_vector, start),
    {NULL, NULL, 0, NULL, 0, 0}};

static void read_size(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  if (lua_type(L, idx) == LUA_TNUMBER && lua_tonumber(L, idx) == 0) *(int *)out = 0;
  else dls_read_count(L, idx, at, arg, out);
}

const dls_option dls_lcp_solver_options[] = {
    SHARED, ROW("n", read_size, n), {NULL, NULL, 0, NULL, 0, 0}};

dls_lcp_request dls_lcp_request_default(void) {
  dls_lcp_request request;
  memset(&request, 0, sizeof request);
  request.method = dls_lcp_method_find("auto");
  request.opts = dls_lcp_opts_default();
  return request;
}

dls_lcp dls_lcp_problem(lua_State *L, const dls_matrix_arg *M, const dls_vector_arg *q,
                        const char *function) {
  if (M->n_rows != M->n_cols)
    dls_raise(L, function, "'M' must be square, got %d x %d", M->n_rows, M->n_cols);
  if (q->n != M->n_rows)
    dls_raise(L, function, "'q' must hold %d numbers, as many as 'M' has rows, got %d", M->n_rows,
              q->n);
  return (dls_lcp){M->n_rows, M->a, M->s, q->x};
}

/* --- the box -------------------------------------------------------------------------------- */
void dls_lcp_release(lua_State *L, void *self) {
  dls_lcp_box *box = (dls_lcp_box *)self;
  (void)L;
  if (box->busy) return; /* closed by a hook: the solve itself does it when it ends */
  dls_free(&box->alloc, box->numbers, (size_t)box->room * 3, sizeof *box->numbers);
  dls_arena_destroy(&box->arena, &box->alloc);
  dls_lcp_trace_destroy(&box->trace);
  dls_lcp_solutions_destroy(&box->solutions);
  box->numbers = NULL;
  box->room = 0;
}

dls_lcp_box *dls_lcp_push_box(lua_State *L, const dls_lcp_request *request) {
  dls_lcp_box *box =
      (dls_lcp_box *)dls_class_new(L, &dls_lcp_solver_class, sizeof *box, 1);
  box->alloc = dls_lua_alloc(L);
  box->method = request->method;
  box->opts = request->opts;
  box->traced = request->trace;
  box->trace = dls_lcp_trace_over(box->alloc);
  box->solutions = dls_lcp_solutions_over(box->alloc);
  box->report.method = request->method->name;
  box->handle.open = true;
  return box;
}

bool dls_lcp_box_expect(dls_lcp_box *box, int n) {
  if (box->numbers != NULL && box->room >= n) return true;
  double *numbers = (double *)dls_new(&box->alloc, (size_t)n * 3, sizeof *numbers);
  if (numbers == NULL) return false;
  dls_free(&box->alloc, box->numbers, (size_t)box->room * 3, sizeof *numbers);
  box->numbers = numbers;
  box->room = n;
  return true;
}

/* Memory for p. */
static dls_status reserve(dls_lcp_box *box, int n, size_t bytes) {
  if (!dls_lcp_box_expect(box, n)) return DLS_NOMEM;
  return box->arena.size >= bytes ? DLS_OK : dls_arena_reserve(&box->arena, &box->alloc, bytes);
}

static void make_room(lua_State *L, dls_lcp_box *box, const dls_lcp *p, const char *function) {
  const int n_max = box->method->n_max;
  if (n_max != 0 && p->n > n_max)
    dls_raise(L, function, "method '%s' takes n <= %d, got n = %d", box->method->name, n_max, p->n);
  const size_t bytes = dls_lcp_solve_bytes(box->method, p);
  if (bytes > DLS_LCP_MOST_BYTES)
    dls_raise(L, function,
              "method '%s' at n = %d would take %f GB of memory, the most is %f GB (a sparse 'M' "
              "with method 'block' takes far less)",
              box->method->name, p->n, (double)bytes * 1e-9, (double)DLS_LCP_MOST_BYTES * 1e-9);
  box->answered = false;
  if (reserve(box, p->n, bytes) == DLS_OK) return;
  lua_gc(L, LUA_GCCOLLECT);
  if (reserve(box, p->n, bytes) != DLS_OK)
    dls_raise(L, function, "out of memory: n = %d needs %f GB", p->n, (double)bytes * 1e-9);
}

void dls_lcp_box_solve(lua_State *L, dls_lcp_box *box, const dls_lcp *p, const double *start,
                       bool once, const char *function) {
  make_room(L, box, p, function);
  double *z = box->numbers, *w = z + box->room;
  box->n = p->n;
  box->solutions.n_found = 0;
  box->opts.start = start;
  box->opts.trace = box->traced ? &box->trace : NULL;
  box->opts.solutions = &box->solutions;
  dls_lcp_trace_begin(&box->trace, p->n);
  dls_status status;
  dls_listener ear;
  dls_listen(&ear, L);
  box->opts.stop = &ear.stop;
  box->busy = true;
  for (;;) { /* what a sparse factor needs is known only when it is made */
    status = dls_lcp_solve(box->method, p, &box->opts, &box->arena, z, w, &box->report);
    const size_t more = box->arena.size > (1u << 20) ? box->arena.size * 4 : (size_t)4 << 20;
    if (status != DLS_FULL || more > DLS_LCP_MOST_BYTES) break;
    if (dls_arena_reserve(&box->arena, &box->alloc, more) != DLS_OK) break;
  }
  box->busy = false;
  box->opts.stop = NULL;
  dls_listen_end(&ear);
  if (status == DLS_STOPPED && once) box->handle.open = false;
  if (!box->handle.open) dls_lcp_release(L, box);
  if (status == DLS_STOPPED) lua_error(L);
  if (!box->handle.open) dls_raise(L, function, "the solver was closed while it was solving");
  dls_check_status(L, status, function);
  box->answered = true;
  box->n_solves++;
  box->n_pivots += box->report.pivots;
}

/* --- the answer ----------------------------------------------------------------------------- */
static const char *const outcome_names[] = {
#define X(code, text) text,
    DLS_OUTCOMES(X)
#undef X
};

const char *dls_lcp_outcome_name(dls_outcome outcome) { return outcome_names[outcome]; }

void dls_lcp_set_verdict(lua_State *L, const dls_verdict *verdict) {
  lua_pushboolean(L, verdict->outcome == DLS_SOLVED);
  lua_setfield(L, -2, "converged");
  lua_pushstring(L, dls_lcp_outcome_name(verdict->outcome));
  lua_setfield(L, -2, "status");
  lua_pushstring(L, verdict->method);
  lua_setfield(L, -2, "method");
  lua_pushinteger(L, verdict->pivots);
  lua_setfield(L, -2, "pivots");
  lua_pushinteger(L, verdict->iterations);
  lua_setfield(L, -2, "iterations");
  lua_pushnumber(L, verdict->residual);
  lua_setfield(L, -2, "residual");
  lua_pushnumber(L, verdict->natural);
  lua_setfield(L, -2, "natural");
  lua_pushboolean(L, verdict->fallback);
  lua_setfield(L, -2, "fallback");
}

void dls_lcp_push_fault(lua_State *L, const dls_lcp_box *box) {
  if (box->report.outcome != DLS_UNSUITABLE || box->report.fault.index < 0) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, box->report.fault.index + 1);
  lua_setfield(L, -2, "row");
  lua_pushnumber(L, box->report.fault.value);
  lua_setfield(L, -2, "value");
}

static void push_state(lua_State *L, const dls_lcp_trace *trace, size_t k) {
  const size_t n = (size_t)trace->n;
  const dls_lcp_entry *entry = &trace->entries[k];
  lua_createtable(L, 0, 6);
  if (entry->pivot >= 0) {
    lua_pushinteger(L, entry->pivot + 1);
    lua_setfield(L, -2, "pivot");
    lua_pushnumber(L, entry->criterion);
    lua_setfield(L, -2, "criterion");
  }
  if (entry->partner >= 0) {
    lua_pushinteger(L, entry->partner + 1);
    lua_setfield(L, -2, "partner");
  }
  lua_pushnumber(L, entry->energy);
  lua_setfield(L, -2, "energy");
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushfstring(L, "%s%d", trace->basis[k * n + i] ? "z" : "w", (int)i + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "basis");
  (void)dls_push_vector(L, (int)n, trace->q + k * n);
  lua_setfield(L, -2, "q");
  (void)dls_push_matrix(L, (int)n, (int)n, trace->tableau + k * n * n);
  lua_setfield(L, -2, "tableau");
}

void dls_lcp_push_trace(lua_State *L, const dls_lcp_box *box) {
  lua_createtable(L, box->trace.n_entries, 0);
  for (int k = 0; k < box->trace.n_entries; k++) {
    push_state(L, &box->trace, (size_t)k);
    lua_rawseti(L, -2, k + 1);
  }
}

/* Each a table with z and w, and the numbers of z by place. */
static void push_solutions(lua_State *L, dls_lcp_box *box, const dls_lcp *p) {
  const dls_lcp_solutions *s = &box->solutions;
  const int n_found = p->n == 0 ? 1 : s->n_found; /* of no unknowns: the empty one */
  lua_createtable(L, n_found, 0);
  for (int k = 0; k < n_found; k++) {
    const double *z = p->n == 0 ? NULL : s->z + (size_t)k * (size_t)p->n;
    lua_createtable(L, p->n, 2);
    for (int i = 0; i < p->n; i++) {
      lua_pushnumber(L, z[i]);
      lua_rawseti(L, -2, i + 1);
    }
    (void)dls_push_vector(L, p->n, z);
    lua_setfield(L, -2, "z");
    double *w = dls_push_vector(L, p->n, NULL);
    if (p->n > 0) dls_lcp_image(p, z, w);
    lua_setfield(L, -2, "w");
    lua_rawseti(L, -2, k + 1);
  }
}

static void push_answer(lua_State *L, dls_lcp_box *box, const dls_lcp *p) {
  const dls_lcp_report *r = &box->report;
  lua_createtable(L, 0, 16);
  (void)dls_push_vector(L, p->n, box->numbers);
  lua_setfield(L, -2, "z");
  (void)dls_push_vector(L, p->n, box->numbers + box->room);
  lua_setfield(L, -2, "w");
  dls_lcp_set_verdict(L, &(dls_verdict){r->method, r->outcome, r->pivots, r->iterations,
                                        r->residual, r->natural, r->fallback});
  lua_pushboolean(L, r->proven);
  lua_setfield(L, -2, "proven");
  dls_lcp_push_fault(L, box);
  lua_setfield(L, -2, "fault");
  if (box->traced) {
    dls_lcp_push_trace(L, box);
    lua_setfield(L, -2, "trace");
  }
  if (strcmp(r->method, "enumerate") != 0) return;
  push_solutions(L, box, p);
  lua_setfield(L, -2, "solutions");
}

/* lcp_solve(options) -> table of the answer, which lua/delassus/lcp.lua gives its manners. */
static int solve(lua_State *L) {
  dls_lcp_request request = dls_lcp_request_default();
  dls_read_options(L, 1, "lcp.solve", dls_lcp_solve_options, &request);
  const dls_lcp p = dls_lcp_problem(L, &request.M, &request.q, "lcp.solve");
  if (request.start.x != NULL && request.start.n != p.n)
    dls_raise(L, "lcp.solve", "'start' must hold %d numbers, got %d", p.n, request.start.n);
  dls_lcp_box *box = dls_lcp_push_box(L, &request);
  dls_lcp_box_solve(L, box, &p, request.start.x, true, "lcp.solve");
  push_answer(L, box, &p);
  box->handle.open = false;
  dls_lcp_release(L, box);
  return 1;
}

/* Adds outcomes, the list of their names, in the order of the core. */
static void set_outcomes(lua_State *L) {
  const int n = (int)(sizeof outcome_names / sizeof *outcome_names);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushstring(L, outcome_names[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "outcomes");
}

void dls_open_lcp(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"lcp_solve", solve}, {"lcp_solver", dls_lcp_make_solver}, {NULL, NULL}};
  dls_class_register(L, &dls_lcp_solver_class);
  luaL_setfuncs(L, functions, 0);
  set_outcomes(L);
}
