/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest.h"
#include "bind/forest_parts.h"

#include "bind/array.h"
#include "bind/ode.h"
#include "bind/open.h"
#include "bind/options.h"
#include "core/ode/forest.h"
#include "core/ode/linear.h"

/* core.forest: a forest and one state of it, for benches, specs and the Lua layer. Links are
** counted from 1; parent 0 is the inertial frame. */


dls_forest_box *dls_check_forest(lua_State *L) {
  return (dls_forest_box *)dls_class_check(L, 1, &dls_forest_class);
}

static void release(lua_State *L, void *self) {
  dls_forest_box *box = (dls_forest_box *)self;
  if (box->busy) {
    box->handle.open = true;
    dls_raise(L, "forest:close", "not possible while it integrates");
  }
  dls_arena_destroy(&box->arena, &box->alloc);
  if (box->forest != NULL) dls_forest_state_destroy(box->state, box->forest);
  dls_forest_destroy(box->forest);
  box->forest = NULL;
  box->state = NULL;
}

static int raise_fault(lua_State *L, const char *function, const dls_forest_fault *fault) {
  static const char *const what[] = {
      "fine", "its parent is no link", "its joint closes a loop", "a motion has a zero axis",
      "at most 6 free motions, 12 in all", "a motion's drive does not exist",
      "a number is out of range", "no body can have this inertia"};
  return dls_raise(L, function, "link %d: %s", fault->link + 1, what[fault->reason]);
}

static int forest_new(lua_State *L) {
  static const char *const function = "core.forest";
  dls_forest_def def;
  dls_forest_fault fault = {DLS_FOREST_FINE, -1, 0};
  double gravity[3];
  lua_settop(L, 1);
  dls_forest_box *box = (dls_forest_box *)dls_class_new(L, &dls_forest_class, sizeof *box, 0);
  dls_read_forest(L, 1, function, &def, gravity);
  box->alloc = dls_lua_alloc(L);
  box->handle.open = true;
  dls_status status = dls_forest_create(&box->forest, &box->alloc, &def, &fault);
  if (status == DLS_OK) status = dls_forest_state_create(&box->state, box->forest);
  if (fault.reason != DLS_FOREST_FINE) return raise_fault(L, function, &fault);
  dls_check_status(L, status, function);
  memcpy(box->state->gravity, gravity, sizeof gravity);
  box->state->loaded = false;
  lua_pushvalue(L, 2);
  return 1;
}

/* --- inputs ---------------------------------------------------------------------------------- */

static void read_list(lua_State *L, const char *name, int n, double *out) {
  const dls_at at = {"forest:set", name, 0, 0};
  if (lua_getfield(L, 2, name) != LUA_TNIL) dls_read_numbers(L, lua_gettop(L), &at, n, out);
  lua_pop(L, 1);
}

static int forest_set(lua_State *L) {
  static const dls_option names[] = {
      {"q", NULL, 0, NULL, 0, 0},      {"u", NULL, 0, NULL, 0, 0},
      {"tau", NULL, 0, NULL, 0, 0},    {"wrench", NULL, 0, NULL, 0, 0},
      {"drives", NULL, 0, NULL, 0, 0}, {"given", NULL, 0, NULL, 0, 0},
      {NULL, NULL, 0, NULL, 0, 0}};
  dls_forest_box *box = dls_check_forest(L);
  dls_forest_state *state = box->state;
  const dls_forest *forest = box->forest;
  dls_read_options(L, 2, "forest:set", names, NULL);
  lua_pop(L, 1);
  read_list(L, "q", forest->nq, state->q);
  read_list(L, "u", forest->nu, state->u);
  read_list(L, "tau", forest->nu, state->tau);
  read_list(L, "drives", 3 * forest->n_drives, &state->drives[0].s);
  read_list(L, "given", 19 * forest->n_given, state->given[0].p);
  if (lua_getfield(L, 2, "wrench") != LUA_TNIL) state->loaded = true;
  lua_pop(L, 1);
  read_list(L, "wrench", 6 * forest->n_links, state->wrench);
  dls_forest_place(forest, state);
  dls_forest_move(forest, state);
  lua_settop(L, 1);
  return 1;
}

/* --- answers --------------------------------------------------------------------------------- */

static const char *const methods_of_factor[] = {"fast", "ldl", "sweep", "dense", NULL};

static int read_method(lua_State *L, int idx) {
  int method = DLS_FOREST_FAST;
  const dls_at at = {"forest:accelerations", "method", 0, 0};
  if (!lua_isnoneornil(L, idx)) dls_read_choice(L, idx, &at, methods_of_factor, &method);
  return method;
}

void dls_check_dynamics(lua_State *L, dls_status status, const dls_fault *fault,
                           const char *function) {
  if (status == DLS_SINGULAR)
    dls_raise(L, function, "the joint of link %d has a direction without inertia",
              fault->index + 1);
  dls_check_status(L, status, function);
}

/* wide([path]): prepares the wide paths of evaluate; true where the forest has them. */
static int forest_wide(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const lua_Integer path = luaL_optinteger(L, 2, -1);
  dls_check_status(L, dls_forest_widen(box->forest, box->state, (int)path), "forest:wide");
  lua_pushboolean(L, box->state->packs != NULL || box->state->quad != NULL);
  return 1;
}

/* udot() of the last evaluation. */
static int forest_udot(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  dls_push_vector(L, box->forest->nu, box->state->udot);
  return 1;
}

/* evaluate([method [, n]]): n evaluations of the accelerations and nothing else. */
static int forest_evaluate(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const int method = read_method(L, 2);
  const lua_Integer n = luaL_optinteger(L, 3, 1);
  dls_fault fault;
  dls_status status = dls_arena_reserve(&box->arena, &box->alloc,
                                        dls_forest_bytes(box->forest, (dls_forest_method)method));
  const bool quick = method == DLS_FOREST_FAST && !box->state->loaded && lua_gettop(L) > 2;
  for (lua_Integer i = 0; i < n && status == DLS_OK; i++)
    status = quick ? dls_forest_quick(box->forest, box->state, &fault) :
                   dls_forest_accelerate(box->forest, box->state, (dls_forest_method)method,
                                         &box->arena, &fault);
  dls_check_dynamics(L, status, &fault, "forest:accelerations");
  return 0;
}

static int forest_accelerations(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const bool fast = read_method(L, 2) == DLS_FOREST_FAST;
  lua_settop(L, 2);
  forest_evaluate(L);
  if (fast) dls_forest_reactions(box->forest, box->state);
  dls_push_vector(L, box->forest->nu, box->state->udot);
  return 1;
}

typedef dls_spatial (*link_reader)(const dls_forest *, const dls_forest_state *, int);

static int push_links(lua_State *L, link_reader read) {
  dls_forest_box *box = dls_check_forest(L);
  double *out = dls_push_matrix(L, box->forest->n_links, 6, NULL);
  for (int i = 0; i < box->forest->n_links; i++)
    dls_sp_store(out + 6 * (size_t)i, read(box->forest, box->state, i));
  return 1;
}

static int forest_reactions(lua_State *L) { return push_links(L, dls_forest_link_reaction); }
static int forest_link_velocities(lua_State *L) { return push_links(L, dls_forest_link_velocity); }
static int forest_link_accelerations(lua_State *L) {
  return push_links(L, dls_forest_link_acceleration);
}

/* Per link: the rotation by rows, then the position of its frame. */
static int forest_places(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  double *out = dls_push_matrix(L, box->forest->n_links, 12, NULL);
  for (int i = 0; i < box->forest->n_links; i++, out += 12) {
    const dls_place at = dls_forest_link_place(box->forest, box->state, i);
    memcpy(out, at.R.m, sizeof at.R.m);
    dls_v3_store(out + 9, at.p);
  }
  return 1;
}

static int forest_mass_matrix(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const int nu = box->forest->nu;
  dls_forest_mass_matrix(box->forest, box->state, dls_push_matrix(L, nu, nu, NULL));
  return 1;
}

static int forest_bias(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  dls_forest_bias(box->forest, box->state, dls_push_vector(L, box->forest->nu, NULL));
  return 1;
}

static const double *read_velocities(lua_State *L, const dls_forest_box *box,
                                     const char *function) {
  const dls_at at = {function, NULL, 0, 0};
  const dls_vector_arg list = dls_take_vector(L, 2, &at);
  if (list.n != box->forest->nu)
    dls_raise(L, function, "expected %d numbers, got %d", box->forest->nu, list.n);
  return list.x;
}

static int forest_inverse(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const double *udot = read_velocities(L, box, "forest:inverse_dynamics");
  dls_forest_inverse(box->forest, box->state, udot, dls_push_vector(L, box->forest->nu, NULL));
  return 1;
}

/* solve(f): M^-1 f; solve({f1, f2, ..} [, n]): the rows of a matrix, n times over for who
** measures. */
static int forest_solve(lua_State *L) {
  static const char *const function = "forest:solve";
  dls_forest_box *box = dls_check_forest(L);
  dls_fault fault = {-1, 0};
  const int nu = box->forest->nu;
  const lua_Integer n = luaL_optinteger(L, 3, 1);
  const bool many = lua_istable(L, 2) && lua_rawgeti(L, 2, 1) == LUA_TTABLE;
  lua_settop(L, 2);
  if (!many) {
    const double *f = read_velocities(L, box, function);
    double *x = dls_push_vector(L, nu, NULL);
    dls_check_dynamics(L, dls_forest_factor(box->forest, box->state, &fault), &fault, function);
    dls_forest_solve(box->forest, box->state, 1, f, x);
    return 1;
  }
  const dls_at at = {function, "f", 0, 0};
  const dls_matrix_arg B = dls_take_matrix(L, 2, &at);
  if (B.a == NULL || B.n_cols != nu) dls_raise(L, function, "expected rows of %d numbers", nu);
  double *X = dls_push_matrix(L, B.n_rows, nu, NULL);
  dls_check_dynamics(L, dls_forest_factor(box->forest, box->state, &fault), &fault, function);
  for (lua_Integer i = 0; i < n; i++) dls_forest_solve(box->forest, box->state, B.n_rows, B.a, X);
  return 1;
}

static int read_link_index(lua_State *L, const dls_forest_box *box, int idx, const char *function) {
  const lua_Integer i = luaL_checkinteger(L, idx);
  if (i < 1 || i > box->forest->n_links) dls_raise(L, function, "no link %d", (int)i);
  return (int)i - 1;
}

static int forest_jacobian(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const dls_at at = {"forest:jacobian", "point", 0, 0};
  double point[3];
  const int link = read_link_index(L, box, 2, "forest:jacobian");
  dls_read_numbers(L, 3, &at, 3, point);
  double *J = dls_push_matrix(L, 6, box->forest->nu, NULL);
  dls_forest_jacobian(box->forest, box->state, link, dls_v3_load(point), J);
  return 1;
}

/* delassus{ {link, j1 .. j6 [, link, j1 .. j6]}, ... } */
static int forest_delassus(lua_State *L) {
  static const char *const function = "forest:delassus";
  dls_forest_box *box = dls_check_forest(L);
  const dls_at at = {function, "rows", 0, 0};
  const int n = (int)lua_rawlen(L, 2);
  int *first = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *first, 0);
  dls_row_side *sides = lua_newuserdatauv(L, (2 * (size_t)n + 1) * sizeof *sides, 0);
  first[0] = 0;
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    const dls_vector_arg row = dls_take_vector(L, lua_gettop(L), &at);
    if (row.n != 7 && row.n != 14)
      dls_raise(L, function, "a row has 7 or 14 numbers, got %d", row.n);
    first[i + 1] = first[i] + row.n / 7;
    for (int k = 0; k < row.n / 7; k++) {
      dls_row_side *side = &sides[first[i] + k];
      side->link = (int)row.x[7 * k] - 1;
      if (side->link < 0 || side->link >= box->forest->n_links)
        dls_raise(L, function, "no link %d", side->link + 1);
      memcpy(side->j, row.x + 7 * k + 1, sizeof side->j);
    }
    lua_pop(L, 2);
  }
  const dls_forest_rows rows = {n, first, sides, NULL, NULL};
  dls_fault fault = {-1, 0};
  double *W = dls_push_matrix(L, n, n, NULL);
  dls_check_dynamics(L, dls_forest_factor(box->forest, box->state, &fault), &fault, function);
  dls_status status = dls_arena_reserve(&box->arena, &box->alloc,
                                        dls_forest_delassus_bytes(box->forest, &rows));
  if (status == DLS_OK)
    status = dls_forest_delassus(box->forest, box->state, &rows, &box->arena, W);
  dls_check_status(L, status, function);
  return 1;
}

static int forest_energy(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  lua_pushnumber(L, dls_forest_kinetic(box->forest, box->state));
  lua_pushnumber(L, dls_forest_potential(box->forest, box->state));
  return 2;
}

static int forest_advance(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const double h = luaL_checknumber(L, 2);
  dls_forest_advance(box->forest, box->state->q, h, box->state->u);
  dls_forest_place(box->forest, box->state);
  dls_forest_move(box->forest, box->state);
  lua_settop(L, 1);
  return 1;
}

static int forest_batch(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  const lua_Integer n = luaL_checkinteger(L, 2), path = luaL_optinteger(L, 3, -1);
  if (n < 1 || n > INT32_MAX / 8) return dls_raise(L, "forest:batch", "needs at least one state");
  return dls_push_batch(L, 1, box->forest, box->state, (int)n, (int)path, 1e-3);
}

static int get_q(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  dls_push_vector(L, box->forest->nq, box->state->q);
  return 1;
}
static int get_u(lua_State *L) {
  dls_forest_box *box = dls_check_forest(L);
  dls_push_vector(L, box->forest->nu, box->state->u);
  return 1;
}
static int get_nodes(lua_State *L) {
  lua_pushinteger(L, dls_check_forest(L)->forest->n_nodes);
  return 1;
}
static int get_links(lua_State *L) {
  lua_pushinteger(L, dls_check_forest(L)->forest->n_links);
  return 1;
}

static const dls_method methods[] = {
    {"set", forest_set, "{ q =, u =, tau =, wrench =, drives =, given = } inputs, each optional"},
    {"accelerations", forest_accelerations,
     "(method) -> udot; \"fast\", \"ldl\", \"sweep\", \"dense\""},
    {"wide", forest_wide, "([path]) prepares the wide paths of evaluate"},
    {"udot", forest_udot, "() accelerations of the last evaluation"},
    {"evaluate", forest_evaluate, "(method, n) n evaluations of the accelerations"},
    {"reactions", forest_reactions,
     "() n x 6: moment about the anchor and force of each joint, world axes"},
    {"link_velocities", forest_link_velocities,
     "() n x 6: angular velocity, velocity of the centre"},
    {"link_accelerations", forest_link_accelerations, "() n x 6: the same of accelerations"},
    {"places", forest_places, "() n x 12: rotation by rows, position"},
    {"mass_matrix", forest_mass_matrix, "() M(q)"},
    {"bias", forest_bias, "() M udot + bias = tau"},
    {"inverse_dynamics", forest_inverse, "(udot) -> tau"},
    {"solve", forest_solve, "(f | {f1, f2, ..}) -> M^-1 f"},
    {"jacobian", forest_jacobian, "(link, point) 6 x nu, angular rows first"},
    {"delassus", forest_delassus, "(rows) W = J M^-1 J'; a row is {link, moment, force, ...}"},
    {"energy", forest_energy, "() -> kinetic, potential"},
    {"integrate", dls_forest_integrate_lua,
     "{ to =, method =, dt =, each = } from time 0 -> statistics"},
    {"linearize", dls_forest_linearize_lua,
     "() -> A of (d; u)' = A (d; u) about the present state"},
    {"equilibrium", dls_forest_equilibrium_lua,
     "() goes to rest where nothing accelerates -> converged, residual"},
    {"batch", forest_batch, "(n) n states of this forest at once"},
    {"advance", forest_advance, "(h) q (+) h u"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"q", get_q, NULL, "coordinates"},
    {"u", get_u, NULL, "velocities"},
    {"nodes", get_nodes, NULL, "nodes inside"},
    {"links", get_links, NULL, "bodies"},
    {NULL, NULL, NULL, NULL}};

static int forest_tostring(lua_State *L) {
  const dls_forest_box *box = (const dls_forest_box *)dls_class_test(L, 1, &dls_forest_class);
  if (box == NULL || !box->handle.open)
    lua_pushliteral(L, "forest (closed)");
  else
    lua_pushfstring(L, "forest of %d links (%d velocities)", box->forest->n_links,
                    box->forest->nu);
  return 1;
}

static const luaL_Reg meta[] = {{"__tostring", forest_tostring}, {NULL, NULL}};

const dls_class dls_forest_class = {"delassus.forest", "forest", methods, properties,
                                    meta,              NULL,     release};

void dls_open_forest(lua_State *L) {
  dls_class_register(L, &dls_forest_class);
  dls_class_register(L, &dls_batch_class);
  lua_pushcfunction(L, forest_new);
  lua_setfield(L, -2, "forest");
}
