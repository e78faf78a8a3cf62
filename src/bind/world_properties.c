/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/lcp.h"
#include "bind/lcp_cone.h"
#include "bind/world_parts.h"
#include "core/model/material.h"

/* The options of a world as its properties. */

static dls_world *check(lua_State *L) { return dls_check_world(L, 1)->world; }

const char *const dls_world_impacts[] = {"newton", "poisson", "sequential", NULL};
const char *const dls_world_solvers[] = {"auto",   "nsgs",  "admm", "newton", "lemke",
                                         "energy", "block", "pgs",  NULL};
_Static_assert(sizeof dls_world_solvers / sizeof *dls_world_solvers == DLS_N_SOLVE + 1,
               "a word a method, in their order");
const char *const dls_world_schemes[] = {"time-stepping", "event-driven", "semi-implicit", NULL};

const char *const dls_world_factors[] = {"auto", "ldl", "sweep", "dense", NULL};

void dls_world_read_theta(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double theta = dls_check_number(L, idx, at);
  (void)arg;
  if (!(theta >= 0.5 && theta <= 1)) dls_bad(L, at, "must be between 0.5 and 1", idx);
  *(double *)out = theta;
}

void dls_world_read_corners(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double n = dls_check_number(L, idx, at);
  (void)arg;
  if (n != 2 && n != 4) dls_bad(L, at, "must be 2 or 4", idx);
  *(int *)out = (int)n;
}

/* The name of a method, or a solver made by lcp.solver or lcp.cone_solver, whose method, tolerance
** and limit are taken. */
void dls_world_read_solver(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  dls_world_def *def = &((dls_world_options *)out)->def;
  const dls_cone_box *cone = dls_class_test(L, idx, &dls_cone_solver_class);
  const dls_lcp_box *lcp = dls_class_test(L, idx, &dls_lcp_solver_class);
  if (!cone && !lcp) {
    dls_read_choice(L, idx, at, arg, &def->solver);
    return;
  }
  if (!(cone ? cone->handle.open : lcp->handle.open)) dls_bad(L, at, "must not be closed", idx);
  const char *name = cone ? dls_cone_methods[cone->request.method].name : lcp->method->name;
  int k = 0;
  while (dls_world_solvers[k] && strcmp(dls_world_solvers[k], name) != 0) k++;
  if (!dls_world_solvers[k]) dls_bad(L, at, "must have a method that worlds know", idx);
  def->solver = k;
  def->tolerance = cone ? cone->request.opts.tolerance : lcp->opts.tolerance;
  int limit = cone ? cone->request.opts.max_iterations : lcp->opts.max_iterations;
  if (limit > 0) def->max_iterations = limit;
}

static int get_time(lua_State *L) {
  lua_pushnumber(L, check(L)->time);
  return 1;
}
static int get_dt(lua_State *L) {
  lua_pushnumber(L, check(L)->dt);
  return 1;
}
static int set_dt(lua_State *L) {
  static const dls_at at = {"world", "dt", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.dt");
  double dt;
  dls_read_positive(L, 2, &at, NULL, &dt);
  dls_world_set_dt(box->world, dt);
  return 0;
}
static int get_gravity(lua_State *L) {
  const dls_world *w = check(L);
  dls_push_vec(L, w->dim, w->gravity);
  return 1;
}
static int set_gravity(lua_State *L) {
  static const dls_at at = {"world", "gravity", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.gravity");
  double g[3] = {0};
  dls_read_numbers(L, 2, &at, box->world->dim, g);
  memcpy(box->world->gravity, g, sizeof g);
  return 0;
}
static int get_planar(lua_State *L) {
  lua_pushboolean(L, check(L)->dim == 2);
  return 1;
}
static int get_theta(lua_State *L) {
  lua_pushnumber(L, dls_world_theta(check(L)));
  return 1;
}
static int set_theta(lua_State *L) {
  static const dls_at at = {"world", "theta", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.theta");
  double theta = 0; /* nil: chosen */
  if (!lua_isnil(L, 2)) dls_world_read_theta(L, 2, &at, NULL, &theta);
  box->world->theta = theta;
  return 0;
}
static int get_strict(lua_State *L) {
  lua_pushboolean(L, check(L)->strict);
  return 1;
}
static int set_strict(lua_State *L) {
  static const dls_at at = {"world", "strict", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.strict");
  dls_read_boolean(L, 2, &at, NULL, &box->world->strict);
  return 0;
}
static int get_profile(lua_State *L) {
  lua_pushboolean(L, check(L)->hooks.clock != NULL);
  return 1;
}
static int set_profile(lua_State *L) {
  static const dls_at at = {"world", "profile", 0, 0};
  bool on = false;
  dls_read_boolean(L, 2, &at, NULL, &on);
  check(L)->hooks.clock = on ? dls_world_clock : NULL;
  return 0;
}
static int get_scheme(lua_State *L) {
  lua_pushstring(L, dls_world_schemes[check(L)->semi_implicit  ? 2
                                      : check(L)->event_driven ? 1
                                                               : 0]);
  return 1;
}
static int get_log(lua_State *L) {
  lua_pushboolean(L, check(L)->log);
  return 1;
}
static int set_log(lua_State *L) {
  static const dls_at at = {"world", "log", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.log");
  dls_read_boolean(L, 2, &at, NULL, &box->world->log);
  return 0;
}
static int get_tolerance(lua_State *L) {
  double t = check(L)->solve.tolerance;
  if (t > 0) lua_pushnumber(L, t);
  else lua_pushnil(L);
  return 1;
}
static int set_tolerance(lua_State *L) {
  static const dls_at at = {"world", "tolerance", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.tolerance");
  double t = 0;
  if (!lua_isnil(L, 2)) dls_read_positive(L, 2, &at, NULL, &t);
  box->world->solve.tolerance = t;
  return 0;
}
static int get_solver(lua_State *L) {
  lua_pushstring(L, dls_world_solvers[check(L)->solve.method]);
  return 1;
}
static int set_solver(lua_State *L) {
  static const dls_at at = {"world", "solver", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.solver");
  dls_solve_opts *solve = &box->world->solve;
  dls_world_options o = {.def = {.solver = solve->method, .tolerance = solve->tolerance,
                             .max_iterations = solve->max_iterations}};
  dls_world_read_solver(L, 2, &at, dls_world_solvers, &o);
  if (o.def.solver == DLS_SOLVE_LEMKE && box->world->dim == 3)
    dls_raise(L, "world", "'solver' = 'lemke' is for planar worlds");
  solve->method = o.def.solver;
  solve->tolerance = o.def.tolerance;
  solve->max_iterations = o.def.max_iterations;
  return 0;
}
static int get_impact(lua_State *L) {
  lua_pushstring(L, dls_world_impacts[check(L)->impact]);
  return 1;
}
static int set_impact(lua_State *L) {
  static const dls_at at = {"world", "impact", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.impact");
  dls_read_choice(L, 2, &at, dls_world_impacts, &box->world->impact);
  return 0;
}
static int get_corners(lua_State *L) {
  lua_pushinteger(L, check(L)->friction_corners);
  return 1;
}
static int set_corners(lua_State *L) {
  static const dls_at at = {"world", "friction_corners", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.friction_corners");
  dls_world_read_corners(L, 2, &at, NULL, &box->world->friction_corners);
  return 0;
}
static int get_factor(lua_State *L) {
  lua_pushstring(L, dls_world_factors[check(L)->factor]);
  return 1;
}
static int set_factor(lua_State *L) {
  static const dls_at at = {"world", "factor", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.factor");
  int method = 0;
  dls_read_choice(L, 2, &at, dls_world_factors, &method);
  dls_world_set_factor(box->world, method);
  return 0;
}
static int get_seed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check(L)->seed);
  return 1;
}
static int set_seed(lua_State *L) {
  static const dls_at at = {"world", "seed", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.seed");
  int64_t seed = 0;
  dls_read_int64(L, 2, &at, NULL, &seed);
  dls_world_set_seed(box->world, seed);
  return 0;
}
static int get_max_iterations(lua_State *L) {
  lua_pushinteger(L, check(L)->solve.max_iterations);
  return 1;
}
static int set_max_iterations(lua_State *L) {
  static const dls_at at = {"world", "max_iterations", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world.max_iterations");
  dls_read_count(L, 2, &at, NULL, &box->world->solve.max_iterations);
  return 0;
}

const dls_property dls_world_properties[] = {
    {"time", get_time, NULL, "s"},
    {"dt", get_dt, set_dt, "step, s"},
    {"gravity", get_gravity, set_gravity, "m/s^2"},
    {"planar", get_planar, NULL, "true in the plane"},
    {"theta", get_theta, set_theta, "1/2 to 1; nil: 1/2, or 1 where contacts are compliant"},
    {"bodies", dls_world_get_bodies, NULL, "list, in the order in which they were made"},
    {"joints", dls_world_get_joints, NULL, "list"},
    {"ground", dls_world_get_ground, NULL, "the body that never moves"},
    {"stats", dls_world_get_stats, NULL, "of the last step"},
    {"events", dls_world_get_events, NULL, "kept where log = true"},
    {"log", get_log, set_log, "keeps events"},
    {"strict", get_strict, set_strict, "a step that misses the tolerance raises"},
    {"profile", get_profile, set_profile, "stats.time tells seconds by phase"},
    {"scheme", get_scheme, NULL, "how it steps"},
    {"tolerance", get_tolerance, set_tolerance, "relative residual; nil: by size"},
    {"solver", get_solver, set_solver, "name of the method"},
    {"impact", get_impact, set_impact, "law: newton, poisson, sequential"},
    {"friction_corners", get_corners, set_corners, "2 or 4, of the planar acceleration LCP"},
    {"factor", get_factor, set_factor, "of trees: auto, ldl, sweep, dense"},
    {"seed", get_seed, set_seed, "of the world's generator, which starts anew"},
    {"max_iterations", get_max_iterations, set_max_iterations,
     "sweeps of a step, of all methods together; from 1000, the default, on of the solve alone"},
    {NULL, NULL, NULL, NULL}};
