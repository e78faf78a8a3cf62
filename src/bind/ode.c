/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/ode.h"

#include "bind/array.h"
#include "bind/open.h"

/* core.ode: the integrators on plain coordinates with a Lua function as right-hand side. */

static const char *const method_names[] = {"stormer", "rk4", "dopri5", "semi-implicit", NULL};
static const char *const reading_names[] = {"adams", "kappa", "pece", NULL};

const dls_option dls_ode_options[] = {
    {"method", dls_read_choice, offsetof(dls_ode_def, method), method_names, 0, 0},
    {"reading", dls_read_choice, offsetof(dls_ode_def, reading), reading_names, 0, 0},
    {"order", dls_read_integer, offsetof(dls_ode_def, order), NULL, 0, 0},
    {"dt", dls_read_positive, offsetof(dls_ode_def, dt), NULL, 0, 0},
    {"rtol", dls_read_positive, offsetof(dls_ode_def, rtol), NULL, 0, 0},
    {"atol", dls_read_positive, offsetof(dls_ode_def, atol), NULL, 0, 0},
    {"to", dls_read_number, offsetof(dls_ode_def, to), NULL, DLS_REQUIRED, 0},
    {"each", dls_read_function, offsetof(dls_ode_def, each), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static void refuse(lua_State *L, const char *function, bool given, const char *option, int method) {
  if (given)
    dls_raise(L, function, "'%s' is not used by method '%s'", option, method_names[method]);
}

dls_ode_opts dls_ode_check(lua_State *L, const char *function, const dls_ode_def *def) {
  dls_ode_opts opts = dls_ode_opts_default();
  const bool adaptive = def->method == DLS_ODE_DOPRI5;
  opts.method = (dls_ode_method)def->method;
  refuse(L, function, def->reading >= 0 && def->method != DLS_ODE_STOERMER, "reading", def->method);
  refuse(L, function, def->order != 0 && def->method != DLS_ODE_STOERMER, "order", def->method);
  refuse(L, function, def->rtol != 0 && !adaptive, "rtol", def->method);
  refuse(L, function, def->atol != 0 && !adaptive, "atol", def->method);
  if (def->order != 0 && def->order != 6)
    dls_raise(L, function, "'order' must be 6, got %d", def->order);
  if (def->reading >= 0) opts.reading = (dls_stoermer_reading)def->reading;
  if (def->rtol != 0) opts.rtol = def->rtol;
  if (def->atol != 0) opts.atol = def->atol;
  opts.dt = def->dt != 0 ? def->dt : (adaptive ? 0 : 1e-3);
  return opts;
}

dls_status dls_ode_drive(dls_ode_run *run, double to, dls_status (*each)(void *ctx), void *ctx) {
  const double span = to - run->t;
  /* the whole number of equal steps nearest above: 1e-9 of a step too many is rounding */
  const double n = run->opts.dt > 0 ? dls_max(1, -floor(1e-9 - span / run->opts.dt)) : 1;
  const double h = span / n, from = run->t;
  for (double k = 1; run->t < to; k++) {
    dls_status status = dls_ode_step(run, h, to);
    if (status != DLS_OK) return status;
    if (run->opts.method != DLS_ODE_DOPRI5) run->t = k < n ? from + k * h : to;
    if (each != NULL) status = each(ctx);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}

void dls_ode_push_stats(lua_State *L, const dls_ode_stats *stats) {
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, stats->steps);
  lua_setfield(L, -2, "steps");
  lua_pushinteger(L, stats->rejected);
  lua_setfield(L, -2, "rejected");
  lua_pushinteger(L, stats->evaluations);
  lua_setfield(L, -2, "evaluations");
  lua_pushnumber(L, stats->defect);
  lua_setfield(L, -2, "defect");
  if (stats->judged == 0) return; /* nobody knows */
  lua_pushnumber(L, stats->error);
  lua_setfield(L, -2, "error");
}

/* --- a Lua function as right-hand side -------------------------------------------------------- */

typedef struct plain_run {
  dls_call call; /* calls the user's functions */
  int n;         /* coordinates                                  */
  int f, each;   /* stack indices of the functions; 0: none      */
  dls_ode_run run; /* where the integration stands */
} plain_run;

static dls_status call_f(void *ctx, double t, const double *q, const double *u, double *udot) {
  plain_run *p = (plain_run *)ctx;
  lua_State *L = p->call.L;
  const int top = lua_gettop(L);
  lua_pushvalue(L, p->f);
  lua_pushnumber(L, t);
  for (int k = 0; k < 2; k++) {
    lua_createtable(L, p->n, 0);
    for (int i = 0; i < p->n; i++) {
      lua_pushnumber(L, k == 0 ? q[i] : u[i]);
      lua_rawseti(L, -2, i + 1);
    }
  }
  const dls_status status = dls_call_named(&p->call, 3, 1, "core.ode", "'f'");
  if (status != DLS_OK) return status;
  for (int i = 0; i < p->n; i++) {
    if (!lua_istable(L, -1)) return DLS_ARG;
    lua_rawgeti(L, -1, i + 1);
    udot[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return DLS_OK;
}

static dls_status call_each(void *ctx) {
  plain_run *p = (plain_run *)ctx;
  lua_State *L = p->call.L;
  lua_pushvalue(L, p->each);
  lua_pushnumber(L, p->run.t);
  dls_push_vector(L, p->n, p->run.q);
  dls_push_vector(L, p->n, p->run.u);
  return dls_call_named(&p->call, 3, 0, "core.ode", "'each'");
}

/* ode{ f = function(t, q, u) return udot end, q =, u =, t = 0, to =, ... } -> q, u, stats */
static int lua_ode(lua_State *L) {
  static const char *const function = "core.ode";
  typedef struct plain_def {
    dls_vector_arg q, u; /* n each: where it starts */
    double t; /* s */
    bool f; /* a function was given, on the stack */
  } plain_def;
  static const dls_option plain_options[] = {
      {"f", dls_read_function, offsetof(plain_def, f), NULL, DLS_REQUIRED, 0},
      {"q", dls_read_vector, offsetof(plain_def, q), NULL, DLS_REQUIRED, 0},
      {"u", dls_read_vector, offsetof(plain_def, u), NULL, DLS_REQUIRED, 0},
      {"t", dls_read_number, offsetof(plain_def, t), NULL, 0, 0},
      {NULL, NULL, 0, NULL, 0, 0}};
  plain_def plain = {{NULL, 0}, {NULL, 0}, 0, false};
  dls_ode_def def = {.reading = -1};
  const dls_option_set sets[2] = {{plain_options, &plain}, {dls_ode_options, &def}};
  dls_read_option_sets(L, 1, function, sets, 2);
  const dls_ode_opts opts = dls_ode_check(L, function, &def);
  if (plain.q.n != plain.u.n)
    return dls_raise(L, function, "'q' has %d numbers, 'u' %d", plain.q.n, plain.u.n);
  const size_t bytes = dls_ode_bytes(plain.q.n, plain.q.n);
  dls_arena arena = dls_arena_over(lua_newuserdatauv(L, bytes + DLS_ALIGN, 0), bytes + DLS_ALIGN);
  plain_run p = {.n = plain.q.n};
  lua_getfield(L, 1, "f");
  p.f = lua_gettop(L);
  lua_getfield(L, 1, "each");
  p.each = lua_gettop(L);
  lua_pushnil(L);
  p.call = (dls_call){L, lua_gettop(L)};
  luaL_checkstack(L, 16, function);
  const dls_ode ode = {.nq = p.n, .nu = p.n, .ctx = &p, .accelerate = call_f};
  dls_status status = dls_ode_begin(&p.run, &ode, &opts, plain.t, plain.q.x, plain.u.x, &arena);
  if (status == DLS_OK) status = dls_ode_drive(&p.run, def.to, def.each ? call_each : NULL, &p);
  dls_call_report(&p.call, status, function);
  dls_push_vector(L, p.n, p.run.q);
  dls_push_vector(L, p.n, p.run.u);
  dls_ode_push_stats(L, &p.run.stats);
  return 3;
}

void dls_open_ode(lua_State *L) {
  lua_pushcfunction(L, lua_ode);
  lua_setfield(L, -2, "ode");
}
