/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/lcp_cone.h"

#include "bind/call.h"
#include "bind/lcp.h"
#include "bind/open.h"

/* Workspace beyond this is refused with a message instead of being asked for: 2 GiB. */
#define MOST_BYTES ((size_t)1 << 31)

/* Beyond this mu |u_T| of round-off is as large as tolerances are, and the residual tells
** nothing. */
#define MOST_FRICTION 1e6

/* --- options -------------------------------------------------------------------------------- */
static const char *method_name(int i) { return dls_cone_methods[i].name; }

static void read_method(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_read_method(L, idx, at, method_name, (int *)out);
}

static void read_any(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_number_or_list *o = (dls_number_or_list *)out;
  o->given = true;
  if (lua_type(L, idx) == LUA_TNUMBER) dls_read_number(L, idx, at, NULL, &o->number);
  else dls_read_vector(L, idx, at, arg, &o->list);
}

static void check_sign(lua_State *L, const dls_at *at, const dls_number_or_list *o, bool zero) {
  const int n = o->list.x != NULL ? o->list.n : 1;
  for (int i = 0; i < n; i++) {
    const double x = o->list.x != NULL ? o->list.x[i] : o->number;
    if (x > 0 || (zero && x == 0)) continue;
    dls_at element = *at;
    if (o->list.x != NULL) element.element = i + 1;
    lua_pushnumber(L, x);
    dls_bad(L, &element, zero ? "must be >= 0" : "must be > 0", lua_gettop(L));
  }
}

static void read_nonnegative(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  read_any(L, idx, at, arg, out);
  check_sign(L, at, (const dls_number_or_list *)out, true);
}

static void read_positive(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  read_any(L, idx, at, arg, out);
  check_sign(L, at, (const dls_number_or_list *)out, false);
}

/* --- kinds ------------------------------------------------------------------------------------ */
static const char kind_rule[] =
    "must be 'cone', 'unilateral', 'bilateral', {'box', lo, hi} or {'rolling', spin =, roll =}";

static double read_arm(lua_State *L, int idx, const dls_at *at, const char *name) {
  double arm = 0;
  lua_getfield(L, idx, name);
  if (!lua_isnil(L, -1)) dls_read_nonnegative(L, lua_gettop(L), at, NULL, &arm);
  lua_pop(L, 1);
  return arm;
}

static double read_bound(lua_State *L, int idx, const dls_at *at, int place) {
  double x;
  lua_rawgeti(L, idx, place);
  dls_read_extended(L, lua_gettop(L), at, NULL, &x);
  lua_pop(L, 1);
  return x;
}

/* One kind at idx: a name, or a table that starts with one. */
static void read_kind(lua_State *L, int idx, const dls_at *at, dls_cone_group *g) {
  const bool table = lua_istable(L, idx);
  if (table) lua_rawgeti(L, idx, 1);
  else lua_pushvalue(L, idx);
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  memset(g, 0, sizeof *g);
  if (strcmp(name, "unilateral") == 0) {
    g->kind = DLS_CONE_UNILATERAL;
  } else if (strcmp(name, "bilateral") == 0) {
    g->kind = DLS_CONE_BILATERAL;
  } else if (strcmp(name, "cone") == 0) {
    g->kind = DLS_CONE_SPATIAL;
  } else if (strcmp(name, "rolling") == 0 && table) {
    g->kind = DLS_CONE_ROLLING;
    g->mu[1] = read_arm(L, idx, at, "spin");
    g->mu[2] = read_arm(L, idx, at, "roll");
  } else if (strcmp(name, "box") == 0 && table) {
    g->kind = DLS_CONE_BOX;
    g->lo = read_bound(L, idx, at, 2);
    g->hi = read_bound(L, idx, at, 3);
    if (!(g->lo <= g->hi) || g->lo == DLS_INF || g->hi == -DLS_INF)
      dls_bad(L, at, "must be a box with lo <= hi", idx);
  } else {
    dls_bad(L, at, kind_rule, idx);
  }
  lua_pop(L, 1);
}

static void read_kinds(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_cone_request *request = (dls_cone_request *)out;
  (void)arg;
  const size_t n = (size_t)dls_check_list(L, idx, at, "must be a list of kinds");
  if (n > 10000000) dls_bad(L, at, "must have at most 10000000 elements", idx);
  request->n_kinds = (int)n;
  request->kinds = (dls_cone_group *)lua_newuserdatauv(L, (n + 1) * sizeof *request->kinds, 0);
  for (size_t i = 0; i < n; i++) {
    dls_at element = *at;
    element.element = (int)i + 1;
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    read_kind(L, lua_gettop(L), &element, &request->kinds[i]);
    lua_pop(L, 1);
  }
  lua_rawseti(L, at->anchor, (lua_Integer)lua_rawlen(L, at->anchor) + 1);
}

#define ROW(name, read, field) {name, read, offsetof(dls_cone_request, field), NULL, DLS_OPTIONAL, 0}
#define SHARED                                                                                 \
  ROW("friction", read_nonnegative, friction),                                                 \
  ROW("method", read_method, method),                                                          \
  ROW("planar", dls_read_boolean, planar),                                                     \
  {"kinds", read_kinds, 0, NULL, DLS_OPTIONAL, 0},                                             \
  ROW("compliance", read_nonnegative, compliance),                                             \
  ROW("shift", read_any, shift),                                                               \
  ROW("length", read_positive, length),                                                        \
  ROW("scale", dls_read_nonnegative, scale),                                                   \
  ROW("unique", dls_read_boolean, opts.unique),                                                \
  ROW("tolerance", dls_read_positive, opts.tolerance),                                         \
  ROW("max_iterations", dls_read_count, opts.max_iterations)

const dls_option dls_cone_call_options[] = {
    {"W", dls_read_matrix, offsetof(dls_cone_request, W), NULL, DLS_REQUIRED, 0},
    {"q", dls_read_vector, offsetof(dls_cone_request, q), NULL, DLS_REQUIRED, 0},
    SHARED,
    ROW("start", dls_read_vector, start),
    {NULL, NULL, 0, NULL, 0, 0}};

const dls_option dls_cone_solver_options[] = {SHARED, {NULL, NULL, 0, NULL, 0, 0}};

dls_cone_request dls_cone_request_default(void) {
  dls_cone_request request;
  memset(&request, 0, sizeof request);
  request.opts = dls_cone_opts_default();
  return request;
}

/* --- the box -------------------------------------------------------------------------------- */
void dls_cone_release(lua_State *L, void *self) {
  dls_cone_box *box = (dls_cone_box *)self;
  (void)L;
  if (box->busy) return; /* closed by a hook: the solve itself does it when it ends */
  dls_free(&box->alloc, box->numbers, (size_t)box->room * 6, sizeof *box->numbers);
  dls_free(&box->alloc, box->groups, (size_t)box->room, sizeof *box->groups);
  dls_arena_destroy(&box->arena, &box->alloc);
  box->numbers = NULL;
  box->groups = NULL;
  box->room = 0;
}

dls_cone_box *dls_cone_push_box(lua_State *L, const dls_cone_request *request) {
  dls_cone_box *box = (dls_cone_box *)dls_class_new(L, &dls_cone_solver_class, sizeof *box, 2);
  box->alloc = dls_lua_alloc(L);
  box->request = *request;
  box->report.method = dls_cone_methods[request->method].name;
  box->handle.open = true;
  return box;
}

static dls_status reserve_rows(dls_cone_box *box, int n) {
  if (box->room >= n && box->numbers != NULL) return DLS_OK;
  const size_t room = (size_t)n;
  double *numbers = (double *)dls_new(&box->alloc, room * 6, sizeof *numbers);
  dls_cone_group *groups = (dls_cone_group *)dls_new(&box->alloc, room, sizeof *groups);
  if (numbers == NULL || groups == NULL) {
    dls_free(&box->alloc, numbers, room * 6, sizeof *numbers);
    dls_free(&box->alloc, groups, room, sizeof *groups);
    return DLS_NOMEM;
  }
  if (box->n > 0) memcpy(numbers, box->numbers, (size_t)box->n * sizeof *numbers);
  dls_free(&box->alloc, box->numbers, (size_t)box->room * 6, sizeof *numbers);
  dls_free(&box->alloc, box->groups, (size_t)box->room, sizeof *groups);
  box->numbers = numbers;
  box->groups = groups;
  box->room = n;
  return DLS_OK;
}

/* --- the problem ------------------------------------------------------------------------------ */
static dls_cone_kind settled_kind(const dls_cone_request *r, dls_cone_kind kind) {
  if (r->planar && kind == DLS_CONE_SPATIAL) return DLS_CONE_PLANAR;
  if (r->planar && kind == DLS_CONE_ROLLING) return DLS_CONE_ROLLING_PLANAR;
  return kind;
}

static int count_groups(lua_State *L, const dls_cone_request *r, int n, const char *function) {
  const int d = r->planar ? 2 : 3;
  if (r->kinds == NULL) {
    if (n % d != 0)
      dls_raise(L, function, "'q' must hold a multiple of %d numbers (%s a contact), got %d", d,
                r->planar ? "n, t" : "n, t1, t2", n);
    return n / d;
  }
  long long rows = 0;
  for (int i = 0; i < r->n_kinds; i++) rows += dls_cone_laws[settled_kind(r, r->kinds[i].kind)].n_rows;
  if (rows != n)
    dls_raise(L, function, "'kinds' make %d rows, but 'q' holds %d numbers", (int)rows, n);
  return r->n_kinds;
}

/* Friction of every group with a cone: a number, one a contact, or one a kind. */
static void set_friction(lua_State *L, const dls_cone_request *r, int n_groups,
                         dls_cone_group *groups, const char *function) {
  int n_cones = 0, at = 0;
  for (int g = 0; g < n_groups; g++) n_cones += dls_cone_laws[groups[g].kind].n_parts > 0;
  if (n_cones > 0 && !r->friction.given)
    dls_raise(L, function, "'friction' is required (a number, or a list with one a contact)");
  const int given = r->friction.list.n;
  const bool list = r->friction.list.x != NULL;
  if (list && given != n_cones && given != n_groups)
    dls_raise(L, function, "'friction' must be a number or a list of %d numbers, got %d", n_cones,
              given);
  for (int g = 0; g < n_groups; g++) {
    if (dls_cone_laws[groups[g].kind].n_parts == 0) continue;
    groups[g].mu[0] = !list ? r->friction.number
                            : r->friction.list.x[given == n_cones ? at++ : g];
    if (groups[g].mu[0] > MOST_FRICTION)
      dls_raise(L, function, "'friction' must be <= %f, got %f (rounding of mu |u_T| would hide u_N; what holds like glue "
                "is 'bilateral')", MOST_FRICTION, groups[g].mu[0]);
  }
}

static void set_groups(lua_State *L, const dls_cone_request *r, int n_groups,
                       dls_cone_group *groups, const char *function) {
  int row = 0;
  for (int g = 0; g < n_groups; g++) {
    if (r->kinds != NULL) groups[g] = r->kinds[g];
    else groups[g] = (dls_cone_group){.kind = DLS_CONE_SPATIAL};
    groups[g].kind = settled_kind(r, groups[g].kind);
    if (groups[g].kind == DLS_CONE_ROLLING_PLANAR) groups[g].mu[1] = groups[g].mu[2];
    if (groups[g].kind == DLS_CONE_ROLLING_PLANAR) groups[g].mu[2] = 0;
    groups[g].row = row;
    row += dls_cone_laws[groups[g].kind].n_rows;
  }
  set_friction(L, r, n_groups, groups, function);
}

/* Numbers a row from a number (contacts' normals where `normal`), a list a row, or a list a
** group. */
static const double *set_rows(lua_State *L, const dls_number_or_list *o, const char *name,
                              bool normal, int n, int n_groups, const dls_cone_group *groups,
                              double *out, const char *function) {
  if (!o->given) return NULL;
  const bool list = o->list.x != NULL, whole = list && o->list.n == n;
  if (list && !whole && !(normal && o->list.n == n_groups))
    dls_raise(L, function, "'%s' must be a number or a list of %d numbers (one a row), got %d",
              name, n, o->list.n);
  for (int i = 0; i < n; i++) out[i] = whole ? o->list.x[i] : normal ? 0 : o->number;
  for (int g = 0; normal && !whole && g < n_groups; g++)
    out[groups[g].row] = list ? o->list.x[g] : o->number;
  return out;
}

static void make_room(lua_State *L, dls_cone_box *box, const dls_cone_problem *pr,
                      const char *function) {
  const dls_cone_method *method = &dls_cone_methods[box->request.method];
  const size_t bytes = dls_cone_run_bytes(method, pr, &box->request.opts);
  if (bytes > MOST_BYTES)
    dls_raise(L, function, "method '%s' at %d rows would take %f GB of memory, the most is %f GB",
              method->name, pr->n_rows, (double)bytes * 1e-9, (double)MOST_BYTES * 1e-9);
  if (box->arena.size >= bytes) return;
  if (dls_arena_reserve_untouched(&box->arena, &box->alloc, bytes) == DLS_OK) return;
  lua_gc(L, LUA_GCCOLLECT);
  if (dls_arena_reserve_untouched(&box->arena, &box->alloc, bytes) != DLS_OK)
    dls_raise(L, function, "out of memory: %d rows need %f GB", pr->n_rows, (double)bytes * 1e-9);
}

static void report_status(lua_State *L, const dls_cone_box *box, dls_status status,
                          const char *function) {
  const int g = box->report.fault.index;
  if (status == DLS_ARG && g >= 0)
    dls_raise(L, function,
              "method '%s' takes planar contacts and single rows, but group %d is a '%s' of %d rows",
              dls_cone_methods[box->request.method].name, g + 1,
              dls_cone_laws[box->groups[g].kind].name, dls_cone_laws[box->groups[g].kind].n_rows);
  dls_check_status(L, status, function);
}

void dls_cone_box_solve(lua_State *L, dls_cone_box *box, const dls_matrix_arg *W,
                        const dls_vector_arg *q, const double *start, bool once, const char *function) {
  const dls_cone_request *r = &box->request;
  const int n = q->n;
  if (W->n_rows != W->n_cols)
    dls_raise(L, function, "'W' must be square, got %d x %d", W->n_rows, W->n_cols);
  if (n != W->n_rows)
    dls_raise(L, function, "'q' must hold %d numbers, as many as 'W' has rows, got %d", W->n_rows,
              n);
  const int n_groups = count_groups(L, r, n, function);
  if (reserve_rows(box, n) != DLS_OK) {
    lua_gc(L, LUA_GCCOLLECT);
    if (reserve_rows(box, n) != DLS_OK) dls_raise(L, function, "out of memory");
  }
  double *x = box->numbers;
  const size_t room = (size_t)box->room;
  set_groups(L, r, n_groups, box->groups, function);
  dls_cone_problem pr = {
      .n_rows = n, .n_groups = n_groups, .groups = box->groups, .W = W->a, .S = W->s, .b = q->x,
      .compliance = set_rows(L, &r->compliance, "compliance", false, n, n_groups, box->groups,
                             x + 3 * room, function),
      .shift = set_rows(L, &r->shift, "shift", true, n, n_groups, box->groups, x + 4 * room,
                        function),
      .length = set_rows(L, &r->length, "length", false, n, n_groups, box->groups, x + 5 * room,
                         function),
      .scale = r->scale};
  const dls_cone_size size = dls_cone_measure(&pr);
  pr.size = &size;
  make_room(L, box, &pr, function);
  dls_cone_opts opts = r->opts;
  opts.start = NULL;
  if (start != NULL) {
    memcpy(x + 2 * room, start, (size_t)n * sizeof *x);
    opts.start = x + 2 * room;
  }
  box->answered = false;
  dls_listener ear;
  dls_listen(&ear, L);
  pr.stop = &ear.stop;
  box->busy = true;
  const dls_status status = dls_cone_run_method(&dls_cone_methods[r->method], &pr, &opts,
                                                &box->arena, x, x + room, &box->report);
  box->busy = false;
  dls_listen_end(&ear);
  if (status == DLS_STOPPED && once) box->handle.open = false;
  if (!box->handle.open) dls_cone_release(L, box);
  if (status == DLS_STOPPED) lua_error(L);
  if (!box->handle.open) dls_raise(L, function, "the solver was closed while it was solving");
  report_status(L, box, status, function);
  box->n = n;
  box->answered = true;
  box->n_solves++;
}

/* --- the answer ----------------------------------------------------------------------------- */
int dls_cone_pivots(const dls_cone_box *box) {
  static const char *const pivoting[] = {"lemke", "energy", "block"};
  for (size_t i = 0; i < sizeof pivoting / sizeof *pivoting; i++)
    if (strcmp(box->report.method, pivoting[i]) == 0) return box->report.iterations;
  return 0;
}

void dls_cone_push_worst(lua_State *L, const dls_cone_box *box) {
  if (box->report.fault.index < 0) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, box->report.fault.index + 1);
  lua_setfield(L, -2, "group");
  lua_pushnumber(L, box->report.fault.value);
  lua_setfield(L, -2, "value");
}

static void push_answer(lua_State *L, const dls_cone_box *box) {
  const dls_cone_report *r = &box->report;
  lua_createtable(L, 0, 16);
  (void)dls_push_vector(L, box->n, box->numbers);
  lua_setfield(L, -2, "impulse");
  (void)dls_push_vector(L, box->n, box->numbers + box->room);
  lua_setfield(L, -2, "velocity");
  dls_lcp_set_verdict(L, &(dls_verdict){r->method, r->outcome, dls_cone_pivots(box), r->iterations,
                                        r->residual, r->natural, r->fallback});
  dls_cone_push_worst(L, box);
  lua_setfield(L, -2, "worst");
  if (!box->request.opts.unique) return;
  lua_pushboolean(L, r->unique);
  lua_setfield(L, -2, "unique");
}

/* cone_solve(options) -> table of the answer, which lua/delassus/cone.lua gives its manners. */
static int solve(lua_State *L) {
  dls_cone_request request = dls_cone_request_default();
  dls_read_options(L, 1, "lcp.cone", dls_cone_call_options, &request);
  if (request.start.x != NULL && request.start.n != request.q.n)
    dls_raise(L, "lcp.cone", "'start' must hold %d numbers, got %d", request.q.n, request.start.n);
  dls_cone_box *box = dls_cone_push_box(L, &request);
  dls_cone_box_solve(L, box, &request.W, &request.q, request.start.x, true, "lcp.cone");
  push_answer(L, box);
  dls_cone_release(L, box);
  box->handle.open = false;
  return 1;
}

void dls_open_cone(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"cone_solve", solve}, {"cone_solver", dls_cone_make_solver}, {NULL, NULL}};
  dls_class_register(L, &dls_cone_solver_class);
  luaL_setfuncs(L, functions, 0);
}
