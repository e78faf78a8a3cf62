/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest_parts.h"

#include "bind/array.h"
#include "bind/ode.h"
#include "core/ode/forest.h"
#include "core/ode/linear.h"

/* A forest in motion, and about a state: integrate, linearize, equilibrium. */

typedef struct forest_run {
  dls_call call; /* calls the user's functions */
  int each; /* stack index */
  dls_ode_run run; /* where the integration stands */
  dls_forest_box *box; /* whose state moves */
} forest_run;

static dls_status call_each(void *ctx) {
  forest_run *f = (forest_run *)ctx;
  lua_State *L = f->call.L;
  lua_pushvalue(L, f->each);
  lua_pushnumber(L, f->run.t);
  dls_push_vector(L, f->box->forest->nq, f->run.q);
  dls_push_vector(L, f->box->forest->nu, f->run.u);
  return dls_call_named(&f->call, 3, 0, "forest:integrate", "'each'");
}

/* integrate{ to =, method =, ... } from time 0: the forest is left in the state reached. */
int dls_forest_integrate_lua(lua_State *L) {
  static const char *const function = "forest:integrate";
  dls_forest_box *box = dls_check_forest(L);
  dls_ode_def def = {.reading = -1};
  dls_read_options(L, 2, function, dls_ode_options, &def);
  const dls_ode_opts opts = dls_ode_check(L, function, &def);
  const size_t bytes = dls_ode_bytes(box->forest->nq, box->forest->nu) + DLS_ALIGN;
  dls_arena arena = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  forest_run f = {.box = box};
  lua_getfield(L, 2, "each");
  f.each = lua_gettop(L);
  lua_pushnil(L);
  f.call = (dls_call){L, lua_gettop(L)};
  luaL_checkstack(L, 16, function);
  dls_ode_forest of = {.forest = box->forest, .state = box->state};
  const dls_ode ode = dls_ode_of_forest(&of);
  dls_status status = dls_ode_begin(&f.run, &ode, &opts, 0, box->state->q, box->state->u, &arena);
  box->busy = true;
  if (status == DLS_OK) status = dls_ode_drive(&f.run, def.to, def.each ? call_each : NULL, &f);
  box->busy = false;
  memcpy(box->state->q, f.run.q, (size_t)box->forest->nq * sizeof(double));
  memcpy(box->state->u, f.run.u, (size_t)box->forest->nu * sizeof(double));
  dls_forest_place(box->forest, box->state);
  dls_forest_move(box->forest, box->state);
  if (status == DLS_SINGULAR) dls_check_dynamics(L, status, &of.fault, function);
  dls_call_report(&f.call, status, function);
  dls_ode_push_stats(L, &f.run.stats);
  return 1;
}

/* linearize() -> A of (d; u)' = A (d; u) about the present state. */
int dls_forest_linearize_lua(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const int n = 2 * box->forest->nu;
  dls_ode_forest of = {.forest = box->forest, .state = box->state};
  const dls_ode ode = dls_ode_of_forest(&of);
  const size_t bytes = dls_ode_linear_bytes(ode.nq, ode.nu) + DLS_ALIGN;
  dls_arena arena = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  const double *q = dls_push_vector(L, ode.nq, box->state->q); /* the state is overwritten */
  const double *u = dls_push_vector(L, ode.nu, box->state->u);
  double *A = dls_push_matrix(L, n, n, NULL);
  const dls_status status = dls_ode_linearize(&ode, 0, q, u, &arena, A);
  memcpy(box->state->q, q, (size_t)ode.nq * sizeof *q);
  memcpy(box->state->u, u, (size_t)ode.nu * sizeof *u);
  dls_forest_place(box->forest, box->state);
  dls_forest_move(box->forest, box->state);
  dls_check_dynamics(L, status, &of.fault, "forest:linearize");
  return 1;
}

/* equilibrium() -> converged, residual: the forest is left at rest in the state reached. */
int dls_forest_equilibrium_lua(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  dls_ode_forest of = {.forest = box->forest, .state = box->state};
  const dls_ode ode = dls_ode_of_forest(&of);
  const size_t bytes = dls_ode_linear_bytes(ode.nq, ode.nu) + DLS_ALIGN;
  dls_arena arena = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  double *q = dls_push_vector(L, ode.nq, box->state->q);
  dls_equilibrium report;
  const dls_status status = dls_ode_equilibrium(&ode, 0, 1e-12, 50, &arena, q, &report);
  memcpy(box->state->q, q, (size_t)ode.nq * sizeof *q);
  memset(box->state->u, 0, (size_t)ode.nu * sizeof(double));
  dls_forest_place(box->forest, box->state);
  dls_forest_move(box->forest, box->state);
  dls_check_dynamics(L, status, &of.fault, "forest:equilibrium");
  lua_pushboolean(L, report.converged);
  lua_pushnumber(L, report.residual);
  return 2;
}

/* batch(n [, path]) */
