/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/lcp_cone.h"

#include "bind/lcp.h"

/* lcp.cone_solver: memory, matrix and last answer kept from one solve to the next. */

static dls_cone_box *check(lua_State *L) {
  dls_cone_box *box = (dls_cone_box *)dls_class_check(L, 1, &dls_cone_solver_class);
  if (box->busy) dls_raise(L, "cone solver", "it is solving: its answer comes when that has ended");
  return box;
}

int dls_cone_make_solver(lua_State *L) {
  dls_cone_request request = dls_cone_request_default();
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    lua_newtable(L);
  }
  lua_settop(L, 1);
  dls_read_options(L, 1, "lcp.cone_solver", dls_cone_solver_options, &request);
  (void)dls_cone_push_box(L, &request);
  lua_pushvalue(L, 2); /* the anchors of lists live as long as the solver */
  lua_setiuservalue(L, -2, 2);
  return 1;
}

/* solve(W, q), or solve(q) with the matrix of the last call. The last p is where it starts from. */
static int solve(lua_State *L) {
  static const char function[] = "cone_solver:solve";
  dls_cone_box *box = check(L);
  const dls_at at_W = {function, "W", 0, 0}, at_q = {function, "q", 0, 0};
  const bool kept = lua_isnoneornil(L, 3);
  lua_settop(L, 3);
  if (kept && lua_getiuservalue(L, 1, 1) == LUA_TNIL)
    dls_raise(L, function, "needs a matrix and a vector the first time: solve(W, q)");
  if (!kept) lua_pushvalue(L, 2);
  const dls_matrix_arg W = dls_take_matrix(L, 4, &at_W);
  const dls_vector_arg q = dls_take_vector(L, kept ? 2 : 3, &at_q);
  const double *start = box->answered && box->n == q.n ? box->numbers : NULL;
  dls_cone_box_solve(L, box, &W, &q, start, false, function);
  if (!kept) { /* stack: solver, W, q, W, matrix of W or nil, vector of q or nil */
    lua_pushvalue(L, lua_isuserdata(L, 5) ? 5 : 4);
    lua_setiuservalue(L, 1, 1);
  }
  lua_settop(L, 1);
  return 1;
}

/* Forgets the matrix, the start and the count; the options and the memory stay. */
static int reset(lua_State *L) {
  dls_cone_box *box = check(L);
  box->answered = false;
  box->n_solves = 0;
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  lua_settop(L, 1);
  return 1;
}

/* --- properties: nil before the first solve ------------------------------------------------- */
static int pivots_of(const dls_cone_box *box) { return dls_cone_pivots(box); }

#define ANSWER_BOX dls_cone_box
#include "bind/lcp_answer.inc.h"

static int get_unique(lua_State *L) {
  const dls_cone_box *box = answered(L);
  if (box != NULL) lua_pushboolean(L, box->report.unique);
  return 1;
}

static int get_worst(lua_State *L) {
  const dls_cone_box *box = answered(L);
  if (box != NULL) dls_cone_push_worst(L, box);
  return 1;
}

static int describe(lua_State *L) {
  const dls_cone_box *box = (const dls_cone_box *)luaL_checkudata(L, 1, dls_cone_solver_class.name);
  const char *method = dls_cone_methods[box->request.method].name;
  if (!box->handle.open) lua_pushliteral(L, "delassus.ConeSolver (closed)");
  else if (!box->answered)
    lua_pushfstring(L, "delassus.ConeSolver (%s, nothing solved yet)", method);
  else
    lua_pushfstring(L, "delassus.ConeSolver (%s, %d rows, %s, residual %f)", method, box->n,
                    dls_lcp_outcome_name(box->report.outcome), box->report.residual);
  return 1;
}

/* --- the class ------------------------------------------------------------------------------ */
static const dls_method methods[] = {
    {"solve", solve,
     "(W, q), or (q) with the matrix of the last call; starts from the last impulse"},
    {"reset", reset, "() forgets matrix, start and count"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"impulse", get_unknowns, NULL, "vector: p, N s"},
    {"velocity", get_image, NULL, "vector: v = W p + q, m/s"},
    {"converged", get_converged, NULL, "residual <= tolerance"},
    {"status", get_status, NULL, "'solved', 'ray', 'limit' or 'unsuitable'"},
    {"method", get_method, NULL, "the method that answered"},
    {"iterations", get_iterations, NULL, "of the last solve"},
    {"pivots", get_pivots, NULL, "of the last solve; 0 where the method has none"},
    {"residual", get_residual, NULL, "max |p - P(p - rho y)| / rho over max |q|"},
    {"natural", get_natural, NULL, "the same, not divided, m/s"},
    {"fallback", get_fallback, NULL, "a safeguard had to help"},
    {"unique", get_unique, NULL, "the impulses are the least-norm ones (option unique)"},
    {"worst", get_worst, NULL, "{group =, value =} of the largest residual"},
    {"n", get_n, NULL, "rows of the last problem"},
    {"solves", get_solves, NULL, "number of solves"},
    {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};

const dls_class dls_cone_solver_class = {
    .name = "delassus.ConeSolver",
    .noun = "cone solver",
    .methods = methods,
    .properties = properties,
    .meta = meta,
    .release = dls_cone_release,
};
