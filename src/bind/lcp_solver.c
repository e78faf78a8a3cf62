/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/lcp.h"

#include "core/lcp/trace.h"

/* lcp.solver: memory, matrix and last answer kept from one solve to the next. */

static dls_lcp_box *check(lua_State *L) {
  dls_lcp_box *box = (dls_lcp_box *)dls_class_check(L, 1, &dls_lcp_solver_class);
  if (box->busy) dls_raise(L, "solver", "it is solving: its answer comes when that has ended");
  return box;
}

int dls_lcp_make_solver(lua_State *L) {
  dls_lcp_request request = dls_lcp_request_default();
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    lua_newtable(L);
  }
  dls_read_options(L, 1, "lcp.solver", dls_lcp_solver_options, &request);
  dls_lcp_box *box = dls_lcp_push_box(L, &request);
  if (request.n > 0 && !dls_lcp_box_expect(box, request.n))
    dls_raise(L, "lcp.solver", "out of memory for 'n' = %d", request.n);
  return 1;
}

/* solve(M, q), or solve(q) with the matrix of the last call. The last z is where it starts from. */
static int solve(lua_State *L) {
  static const char function[] = "solver:solve";
  dls_lcp_box *box = check(L);
  const dls_at at_M = {function, "M", 0, 0}, at_q = {function, "q", 0, 0};
  const bool kept = lua_isnoneornil(L, 3);
  lua_settop(L, 3);
  if (kept && lua_getiuservalue(L, 1, 1) == LUA_TNIL)
    dls_raise(L, function, "needs a matrix and a vector the first time: solve(M, q)");
  if (!kept) lua_pushvalue(L, 2);
  const dls_matrix_arg M = dls_take_matrix(L, 4, &at_M);
  const dls_vector_arg q = dls_take_vector(L, kept ? 2 : 3, &at_q);
  const dls_lcp p = dls_lcp_problem(L, &M, &q, function);
  double *start = NULL;
  if (box->answered && box->n == p.n && box->room >= p.n) {
    start = box->numbers + 2 * (size_t)box->room;
    memcpy(start, box->numbers, (size_t)p.n * sizeof *start);
  }
  dls_lcp_box_solve(L, box, &p, start, false, function);
  if (!kept) { /* stack: solver, M, q, M, matrix of M or nil, vector of q or nil */
    lua_pushvalue(L, lua_isuserdata(L, 5) ? 5 : 4);
    lua_setiuservalue(L, 1, 1);
  }
  lua_settop(L, 1);
  return 1;
}

static int trace(lua_State *L) {
  const dls_lcp_box *box = check(L);
  if (!box->traced)
    return dls_raise(L, "solver:trace", "nothing was kept: make the solver with trace = true");
  dls_lcp_push_trace(L, box);
  return 1;
}

/* Forgets the matrix, the start and the counts; the options and the memory stay. */
static int reset(lua_State *L) {
  dls_lcp_box *box = check(L);
  box->answered = false;
  box->n_solves = 0;
  box->n_pivots = 0;
  dls_lcp_trace_begin(&box->trace, box->trace.n);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  lua_settop(L, 1);
  return 1;
}

/* --- properties: nil before the first solve ------------------------------------------------- */
static int pivots_of(const dls_lcp_box *box) { return box->report.pivots; }

#define ANSWER_BOX dls_lcp_box
#include "bind/lcp_answer.inc.h"

static int get_proven(lua_State *L) {
  const dls_lcp_box *box = answered(L);
  if (box != NULL) lua_pushboolean(L, box->report.proven);
  return 1;
}

static int get_fault(lua_State *L) {
  const dls_lcp_box *box = answered(L);
  if (box != NULL) dls_lcp_push_fault(L, box);
  return 1;
}

static int get_total_pivots(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check(L)->n_pivots);
  return 1;
}

static int describe(lua_State *L) {
  const dls_lcp_box *box = (const dls_lcp_box *)luaL_checkudata(L, 1, dls_lcp_solver_class.name);
  if (!box->handle.open) lua_pushliteral(L, "delassus.LcpSolver (closed)");
  else if (!box->answered)
    lua_pushfstring(L, "delassus.LcpSolver (%s, nothing solved yet)", box->method->name);
  else
    lua_pushfstring(L, "delassus.LcpSolver (%s, n = %d, %s, residual %f)", box->method->name,
                    box->n, dls_lcp_outcome_name(box->report.outcome), box->report.residual);
  return 1;
}

/* --- the class ------------------------------------------------------------------------------ */
static const dls_method methods[] = {
    {"solve", solve, "(M, q), or (q) with the matrix of the last call; starts from the last z"},
    {"trace", trace, "() the states of the last solve, as lcp.solve's trace"},
    {"reset", reset, "() forgets matrix, start and counts"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"z", get_unknowns, NULL, "vector: the answer"},
    {"w", get_image, NULL, "vector: M z + q"},
    {"converged", get_converged, NULL, "residual <= tolerance"},
    {"status", get_status, NULL, "'solved', 'ray', 'limit' or 'unsuitable'"},
    {"method", get_method, NULL, "the method that answered"},
    {"pivots", get_pivots, NULL, "of the last solve"},
    {"iterations", get_iterations, NULL, "of the last solve"},
    {"residual", get_residual, NULL, "max |min(d z, w)| / max |q|"},
    {"natural", get_natural, NULL, "max |min(z, w)|"},
    {"fallback", get_fallback, NULL, "a finite rule took over"},
    {"proven", get_proven, NULL,
     "status 'ray' proves that there is no solution: M is copositive plus"},
    {"fault", get_fault, NULL, "{row =, value =} where M is unsuitable"},
    {"n", get_n, NULL, "size of the last problem"},
    {"solves", get_solves, NULL, "number of solves"},
    {"total_pivots", get_total_pivots, NULL, "pivots of all solves"},
    {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};

const dls_class dls_lcp_solver_class = {
    .name = "delassus.LcpSolver",
    .noun = "solver",
    .methods = methods,
    .properties = properties,
    .meta = meta,
    .release = dls_lcp_release,
};
