/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Properties that lcp.solver and lcp.cone_solver share: the including file has defined ANSWER_BOX,
** the type of its userdata (with n, room, numbers, answered, n_solves, report), and check and
** pivots_of for it. */

/* nil before the first solve. */
static const ANSWER_BOX *answered(lua_State *L) {
  const ANSWER_BOX *box = check(L);
  if (!box->answered) lua_pushnil(L);
  return box->answered ? box : NULL;
}

/* The answer, and what the matrix makes of it. */
static int get_unknowns(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) (void)dls_push_vector(L, box->n, box->numbers);
  return 1;
}

static int get_image(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) (void)dls_push_vector(L, box->n, box->numbers + box->room);
  return 1;
}

static int get_converged(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushboolean(L, box->report.outcome == DLS_SOLVED);
  return 1;
}

static int get_status(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushstring(L, dls_lcp_outcome_name(box->report.outcome));
  return 1;
}

static int get_method(lua_State *L) {
  lua_pushstring(L, check(L)->report.method);
  return 1;
}

static int get_pivots(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushinteger(L, pivots_of(box));
  return 1;
}

static int get_iterations(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushinteger(L, box->report.iterations);
  return 1;
}

static int get_residual(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushnumber(L, box->report.residual);
  return 1;
}

static int get_natural(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushnumber(L, box->report.natural);
  return 1;
}

static int get_fallback(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushboolean(L, box->report.fallback);
  return 1;
}

static int get_n(lua_State *L) {
  const ANSWER_BOX *box = answered(L);
  if (box != NULL) lua_pushinteger(L, box->n);
  return 1;
}

static int get_solves(lua_State *L) {
  lua_pushinteger(L, check(L)->n_solves);
  return 1;
}
