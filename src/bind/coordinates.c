/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/forest.h"
#include "bind/joint.h"
#include "core/accelerations/constrain.h"
#include "core/ode/linear.h"
#include "core/joints/penalties.h"
#include "core/world/equilibrium.h"
#include "core/accelerations/integrate.h"
#include "core/accelerations/delassus.h"
#include "core/accelerations/laws.h"
#include "core/accelerations/smooth.h"

/* Coordinates of the whole world, and what its mechanics says about them. */

/* The world at 1, its forest compiled and gathered, placed and moving. */
static dls_world *ready(lua_State *L, const char *function) {
  dls_world_box *box = dls_check_world(L, 1);
  dls_settle_world(L, 1);
  dls_ready_trees(L, 1, function);
  return box->world;
}

void dls_ready_trees(lua_State *L, int idx, const char *function) {
  dls_world_box *box = lua_touserdata(L, idx);
  dls_world *w = box->world;
  if (w->stepping && !w->whole) dls_raise(L, function, "not possible while the world steps");
  dls_refuse_finalizers(L, function);
  dls_forest_fault fault;
  dls_status status = dls_trees_update(w, &fault);
  if (status != DLS_OK && w->trees) {
    w->trees->model_fault = fault;
    dls_raise_trees(L, idx, status, function);
  }
  dls_check_status(L, status, function);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, idx);
  status = dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time);
  if (status == DLS_OK) status = dls_joints_drive(w, w->time);
  dls_scope_end(&scope, status, function);
  lua_pop(L, 1);
  dls_forest_place(w->trees->forest, w->trees->state);
  dls_forest_move(w->trees->forest, w->trees->state);
  w->trees->known = DLS_KNOWN_NOTHING;
}

/* The same for those who only read coordinates: what is known of accelerations and reactions stays
** known. */
static dls_world *read_only(lua_State *L, const char *function) {
  dls_world *w = dls_check_world(L, 1)->world;
  dls_settle_world(L, 1);
  const int known = w->trees && !w->trees->stale ? w->trees->known : DLS_KNOWN_NOTHING;
  dls_ready_trees(L, 1, function);
  w->trees->known = known == DLS_KNOWN_RECALLED ? DLS_KNOWN_STEP : known;
  return w;
}

/* Pushes n numbers: into the vector at idx where there is one. */
static int push_into(lua_State *L, int idx, const char *function, int n, const double *x) {
  if (lua_isnoneornil(L, idx)) {
    (void)dls_push_vector(L, n, x);
    return 1;
  }
  const dls_at at = {function, "into", 0, 0};
  dls_vector *into = dls_test_vector(L, idx);
  if (!into) dls_bad(L, &at, "must be a vector", idx);
  if (into->n != n) dls_raise(L, function, "'into' must hold %d numbers, got %d", n, into->n);
  if (n > 0) memcpy(into->x, x, (size_t)n * sizeof *x);
  lua_pushvalue(L, idx);
  return 1;
}

static int coordinates(lua_State *L) {
  const dls_world *w = read_only(L, "world:coordinates");
  return push_into(L, 2, "world:coordinates", w->trees->forest->nq, w->trees->state->q);
}

static int velocities(lua_State *L) {
  const dls_world *w = read_only(L, "world:velocities");
  return push_into(L, 2, "world:velocities", w->trees->forest->nu, w->trees->state->u);
}

/* n numbers at 2. */
static const double *take_list(lua_State *L, const char *function, int n) {
  const dls_at at = {function, NULL, 0, 0};
  if (lua_isnoneornil(L, 2)) dls_raise(L, function, "expected %d numbers, got nothing", n);
  const dls_vector_arg list = dls_take_vector(L, 2, &at);
  if (list.n != n) dls_raise(L, function, "expected %d numbers, got %d", n, list.n);
  return list.x;
}

/* The forest's state becomes the world's. */
static void accept(dls_world *w) {
  dls_trees *t = w->trees;
  dls_trees_keep(w);
  dls_forest_place(t->forest, t->state);
  dls_forest_move(t->forest, t->state);
  dls_trees_scatter(w, w->q, w->u, true);
  t->known = DLS_KNOWN_NOTHING;
}

static int set_coordinates(lua_State *L) {
  static const char function[] = "world:set_coordinates";
  (void)dls_check_unlocked(L, 1, function);
  dls_world *w = ready(L, function);
  dls_trees *t = w->trees;
  const double *q = take_list(L, function, t->forest->nq);
  dls_check_turns(L, function, t->forest, q);
  dls_trees_turn(w, q);
  memcpy(t->state->q, q, (size_t)t->forest->nq * sizeof *q);
  (void)dls_forest_normalise(t->forest, t->state->q);
  accept(w);
  dls_joints_keep(w);
  return 0;
}

static int set_velocities(lua_State *L) {
  static const char function[] = "world:set_velocities";
  (void)dls_check_unlocked(L, 1, function);
  dls_world *w = ready(L, function);
  const double *u = take_list(L, function, w->trees->forest->nu);
  memcpy(w->trees->state->u, u, (size_t)w->trees->forest->nu * sizeof *u);
  accept(w);
  return 0;
}

static int first_numbers(lua_State *L) {
  static const dls_at at = {"world:index", "body", 0, 0};
  const dls_world *w = read_only(L, "world:index");
  const int body = dls_take_body(L, 2, 1, &at), link = body == 0 ? -1 : w->trees->body_link[body];
  if (link < 0) dls_raise(L, "world:index", "the body has no coordinates");
  const dls_link_info *info = &w->trees->forest->links[link];
  lua_pushinteger(L, info->iq + 1);
  lua_pushinteger(L, info->iu + 1);
  return 2;
}

/* --- dynamics -------------------------------------------------------------------------------- */

/* Runs a field's and springs' forces for accelerations: see dls_world_accelerate. */
static void accelerate(lua_State *L, dls_world *w, bool rows, const char *function) {
  dls_world_box *box = lua_touserdata(L, 1);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, 1);
  dls_status status = dls_world_accelerate(w, rows ? DLS_ROWS_ALL : DLS_ROWS_NONE);
  if (status == DLS_SINGULAR) {
    box->call = scope.outer;
    dls_raise_trees(L, 1, status, function);
  }
  if (status == DLS_STATE) {
    box->call = scope.outer;
    const int found = (int)w->trees->fault.value;
    if (found == DLS_ACC_SEVERAL)
      dls_raise(
          L, function,
          "several accelerations obey contacts, limits and friction of now: there is no one answer "
          "({ contacts = false } leaves contacts out)");
    if (found == DLS_ACC_NONE)
      dls_raise(L, function,
                "there are no accelerations that contacts, limits and friction of now admit "
                             "({ contacts = false } leaves contacts out)");
    dls_raise(L, function,
              "no accelerations were found that contacts, limits and friction of now admit "
                           "({ contacts = false } leaves contacts out)");
  }
  dls_scope_end(&scope, status, function);
}

static int accelerations(lua_State *L) {
  static const char function[] = "world:accelerations";
  static const dls_option rows[] = {{"contacts", dls_read_boolean, 0, NULL, 0, 0},
                                    {NULL, NULL, 0, NULL, 0, 0}};
  bool contacts = true;
  if (!lua_isnoneornil(L, 2)) dls_read_options(L, 2, function, rows, &contacts);
  dls_world *w = ready(L, function);
  accelerate(L, w, contacts, function);
  (void)dls_push_vector(L, w->trees->forest->nu, w->trees->state->udot);
  if (!w->trees->one_of_more) return 1;
  lua_pushliteral(L, "one solution was found, others were not sought");
  return 2;
}

static int mass_matrix(lua_State *L) {
  const dls_world *w = read_only(L, "world:mass_matrix");
  const int nu = w->trees->forest->nu;
  dls_forest_mass_matrix(w->trees->forest, w->trees->state, dls_push_matrix(L, nu, nu, NULL));
  return 1;
}

/* What the world knows of reactions: pushes a userdata with it. */
static double *push_known(lua_State *L, const dls_world *w) {
  const dls_trees *t = w->trees;
  const size_t n_joints = (size_t)w->n_joints, n_nodes = (size_t)t->forest->n_nodes;
  double *kept = lua_newuserdatauv(L, (6 * n_joints + 12 * n_nodes + 1) * sizeof *kept, 0);
  if (n_joints > 0) memcpy(kept, w->joint_own, 6 * n_joints * sizeof *kept);
  for (size_t i = 0; i < n_nodes; i++) {
    memcpy(kept + 6 * n_joints + 12 * i, t->state->node[i].w, 6 * sizeof *kept);
    memcpy(kept + 6 * n_joints + 12 * i + 6, t->state->node[i].R, 6 * sizeof *kept);
  }
  return kept;
}

static void know_again(dls_world *w, const double *kept) {
  dls_forest_state *state = w->trees->state;
  const size_t n_joints = (size_t)w->n_joints;
  if (n_joints > 0) memcpy(w->joint_own, kept, 6 * n_joints * sizeof *kept);
  for (size_t i = 0; i < (size_t)w->trees->forest->n_nodes; i++) {
    memcpy(state->node[i].w, kept + 6 * n_joints + 12 * i, 6 * sizeof *kept);
    memcpy(state->node[i].R, kept + 6 * n_joints + 12 * i + 6, 6 * sizeof *kept);
  }
}

/* Inverse dynamics of udot with all forces but joint.torque. Reactions stay those that they
** were. */
static void inverse(lua_State *L, dls_world *w, const double *udot, double *out,
                    const char *function) {
  dls_trees *t = w->trees;
  const int known = t->known;
  const bool own_known = w->own_known;
  const double *kept = push_known(L, w);
  t->known = DLS_KNOWN_NOTHING;
  dls_scope scope;
  dls_scope_begin(L, &scope, lua_touserdata(L, 1), 1);
  dls_status status = dls_world_forces(w, false, true);
  dls_scope_end(&scope, status, function);
  dls_forest_inverse(t->forest, t->state, udot, out);
  know_again(w, kept);
  t->known = known;
  w->own_known = own_known;
  for (int i = 0; i < t->forest->nu; i++) out[i] -= t->state->tau[i];
}

static int bias(lua_State *L) {
  dls_world *w = read_only(L, "world:bias");
  const int nu = w->trees->forest->nu;
  double *out = dls_push_vector(L, nu, NULL);
  memset(w->trees->du, 0, (size_t)nu * sizeof(double));
  lua_insert(L, 2);
  lua_settop(L, 2);
  inverse(L, w, w->trees->du, out, "world:bias");
  lua_settop(L, 2);
  return 1;
}

static int inverse_dynamics(lua_State *L) {
  static const char function[] = "world:inverse_dynamics";
  dls_world *w = read_only(L, function);
  const int nu = w->trees->forest->nu;
  const double *udot = take_list(L, function, nu);
  double *out = dls_push_vector(L, nu, NULL);
  const int top = lua_gettop(L);
  inverse(L, w, udot, out, function);
  lua_settop(L, top);
  return 1;
}

static int jacobian(lua_State *L) {
  static const char function[] = "world:jacobian";
  static const dls_at at_body = {function, "body", 0, 0}, at_point = {function, "point", 0, 0};
  const dls_world *w = read_only(L, function);
  const int nu = w->trees->forest->nu, body = dls_take_body(L, 2, 1, &at_body);
  double point[3] = {0};
  if (lua_isnoneornil(L, 3)) dls_v3_store(point, dls_body_frame(w, body).p);
  else dls_read_numbers(L, 3, &at_point, w->dim, point);
  const int link = body == 0 ? -1 : w->trees->body_link[body];
  const bool planar = w->dim == 2;
  double *J = dls_push_matrix(L, planar ? 3 : 6, nu, NULL);
  if (link < 0) return 1;
  if (!planar) {
    dls_forest_jacobian(w->trees->forest, w->trees->state, link, dls_v3_load(point), J);
    return 1;
  }
  double *full = dls_push_matrix(L, 6, nu, NULL);
  dls_forest_jacobian(w->trees->forest, w->trees->state, link, dls_v3_load(point), full);
  memcpy(J, full + 2 * (size_t)nu, (size_t)nu * sizeof(double));
  memcpy(J + nu, full + 3 * (size_t)nu, 2 * (size_t)nu * sizeof(double));
  lua_pop(L, 1);
  return 1;
}

static int delassus(lua_State *L) {
  dls_world *w = ready(L, "world:delassus");
  const int n = dls_world_delassus_rows(w);
  double *W = dls_push_matrix(L, n, n, NULL);
  dls_scope scope; /* gap functions are asked */
  dls_scope_begin(L, &scope, lua_touserdata(L, 1), 1);
  const dls_status status = dls_world_delassus(w, n, W);
  const bool singular = status == DLS_SINGULAR;
  dls_scope_end(&scope, singular ? DLS_OK : status, "world:delassus");
  if (singular) dls_raise_trees(L, 1, status, "world:delassus");
  lua_pop(L, 1); /* the scope's own */
  return 1;
}

/* --- about a state --------------------------------------------------------------------------- */

typedef struct smooth_call {
  dls_scope scope; /* lets the world's hooks be called */
  dls_listener ear;   /* hooks get their turn; the world is locked meanwhile */
  bool locked, whole; /* as it was before */
  dls_smooth smooth;  /* accelerations of the world */
  dls_ode ode;        /* its coordinates, and how they go on */
  dls_arena arena;    /* scratch of the call */
  void *kept;       /* the state before */
  size_t kept_size; /* bytes */
  double *q, *u;    /* where to look: copies */
  double *joints;   /* 7 numbers a joint       */
} smooth_call;

/* Three userdata and two slots are pushed. */
static void begin_smooth(lua_State *L, smooth_call *c, dls_world *w) {
  const dls_forest *forest = w->trees->forest;
  const size_t bytes = dls_bytes_add(dls_ode_linear_bytes(forest->nq, forest->nu),
                                     dls_equilibrium_bytes(w, forest->nq, forest->nu)) + DLS_ALIGN;
  const size_t n = 7 * ((size_t)w->n_bodies + (size_t)w->n_joints) + (size_t)forest->nq +
      (size_t)forest->nu + 1;
  c->arena = dls_arena_over(lua_newuserdatauv(L, bytes, 0), bytes);
  double *numbers = lua_newuserdatauv(L, n * sizeof *numbers, 0);
  c->kept_size = dls_world_snapshot_size(w);
  c->kept = lua_newuserdatauv(L, c->kept_size, 0);
  dls_world_snapshot(w, c->kept);
  c->q = numbers + (size_t)w->n_bodies * 7;
  c->u = c->q + forest->nq;
  c->joints = c->u + forest->nu;
  memcpy(c->q, w->trees->state->q, (size_t)forest->nq * sizeof *numbers);
  memcpy(c->u, w->trees->state->u, (size_t)forest->nu * sizeof *numbers);
  dls_smooth_begin(&c->smooth, w, numbers);
  c->ode = dls_ode_of_world(&c->smooth);
  dls_scope_begin(L, &c->scope, lua_touserdata(L, 1), 1);
  dls_listen(&c->ear, L);
  c->ode.stop = &c->ear.stop;
  c->locked = w->stepping;
  c->whole = w->whole;
  w->stepping = true;
  w->whole = false;
}

/* The world is as it was; raises what failed. */
static void end_smooth(lua_State *L, smooth_call *c, dls_world *w, dls_status status,
                       const char *function) {
  w->stepping = c->locked;
  w->whole = c->whole;
  (void)dls_world_restore(w, c->kept, c->kept_size);
  w->trees->known = DLS_KNOWN_NOTHING;
  if (c->ear.stop.stopped) {
    dls_scope_end(&c->scope, DLS_OK, function);
    dls_listen_end(&c->ear);
    lua_error(L);
  }
  if (status == DLS_SINGULAR) {
    c->scope.box->call = c->scope.outer;
    dls_raise_trees(L, 1, status, function);
  }
  dls_scope_end(&c->scope, status, function);
}

/* B of a world with equations: what udot gains by each force along a coordinate. It is linear in
** them, so differences of any size tell. */
static dls_status find_inputs(smooth_call *c, dls_world *w, double *tau, double *udot, double *B) {
  static const double SMALL = 0x1p-10;
  const size_t nu = (size_t)w->trees->forest->nu;
  double *ahead = udot, *back = udot + nu;
  dls_status status = DLS_OK;
  memset(tau, 0, nu * sizeof *tau);
  w->trees->more_tau = tau;
  for (size_t k = 0; k < nu && status == DLS_OK; k++) {
    tau[k] = SMALL;
    status = c->ode.accelerate(c->ode.ctx, w->time, c->q, c->u, ahead);
    tau[k] = -SMALL;
    if (status == DLS_OK) status = c->ode.accelerate(c->ode.ctx, w->time, c->q, c->u, back);
    tau[k] = 0;
    for (size_t i = 0; i < nu; i++) B[(nu + i) * nu + k] = (ahead[i] - back[i]) / (2 * SMALL);
  }
  w->trees->more_tau = NULL;
  return status;
}

/* x = (d; u), x' = A x + B tau. */
static int linearize(lua_State *L) {
  static const char function[] = "world:linearize";
  if (lua_gettop(L) > 1) dls_raise(L, function, "has no options");
  dls_world *w = ready(L, function);
  const int nu = w->trees->forest->nu;
  lua_settop(L, 1);
  double *A = dls_push_matrix(L, 2 * nu, 2 * nu, NULL), *B = dls_push_matrix(L, 2 * nu, nu, NULL);
  double *unit = lua_newuserdatauv(L, (3 * (size_t)nu + 1) * sizeof *unit, 0);
  smooth_call c;
  begin_smooth(L, &c, w);
  dls_world_units(w, unit);
  c.ode.far = unit;
  dls_status status = dls_ode_linearize(&c.ode, w->time, c.q, c.u, &c.arena, A);
  const bool held = dls_world_is_constrained(w);
  if (status == DLS_OK && held) status = find_inputs(&c, w, unit, unit + nu, B);
  end_smooth(L, &c, w, status, function);
  dls_ready_trees(L, 1, function);
  dls_fault fault;
  status = dls_forest_factor(w->trees->forest, w->trees->state, &fault);
  dls_check_status(L, status, function);
  for (int k = 0; k < nu && !held; k++) {
    memset(unit, 0, (size_t)nu * sizeof *unit);
    unit[k] = 1;
    dls_forest_solve(w->trees->forest, w->trees->state, 1, unit, unit + nu);
    for (int i = 0; i < nu; i++) B[(size_t)(nu + i) * (size_t)nu + (size_t)k] = unit[nu + i];
  }
  lua_settop(L, 3);
  return 2;
}

/* The pose at rest that forces lead to; the world goes there where it is found. */
static int equilibrium(lua_State *L) {
  static const char function[] = "world:equilibrium";
  if (lua_gettop(L) > 1) dls_raise(L, function, "has no options");
  (void)dls_check_unlocked(L, 1, function);
  dls_world *w = ready(L, function);
  dls_trees *t = w->trees;
  dls_rest report = {.residual = 0};
  lua_settop(L, 1);
  smooth_call c;
  begin_smooth(L, &c, w);
  const dls_status status = dls_world_equilibrium(&c.smooth, &c.ode, &c.arena, c.q, &report);
  for (int i = 0; i < w->n_joints; i++)
    memcpy(c.joints + 7 * (size_t)i, w->joint_state[i].q, 7 * sizeof(double));
  end_smooth(L, &c, w, status, function);
  if (report.converged) {
    dls_ready_trees(L, 1, function);
    dls_trees_turn(w, c.q);
    memcpy(t->state->q, c.q, (size_t)t->forest->nq * sizeof(double));
    memset(t->state->u, 0, (size_t)t->forest->nu * sizeof(double));
    accept(w);
    for (int i = 0; i < w->n_joints; i++) /* turns counted on the way */
      memcpy(w->joint_state[i].q, c.joints + 7 * (size_t)i, 7 * sizeof(double));
    dls_trees_keep(w);
    dls_penalties_follow(w);
  }
  lua_createtable(L, 0, 6);
  lua_pushboolean(L, report.converged);
  lua_setfield(L, -2, "converged");
  lua_pushboolean(L, report.stable);
  lua_setfield(L, -2, "stable");
  lua_pushboolean(L, report.contacts);
  lua_setfield(L, -2, "contacts");
  lua_pushinteger(L, report.iterations);
  lua_setfield(L, -2, "iterations");
  lua_pushnumber(L, report.residual);
  lua_setfield(L, -2, "residual");
  (void)dls_push_vector(L, t->forest->nq, c.q);
  lua_setfield(L, -2, "q");
  return 1;
}

static const dls_method methods[] = {
    {"coordinates", coordinates, "(into) q of the whole world"},
    {"velocities", velocities, "(into) u of the whole world"},
    {"set_coordinates", set_coordinates, "(q) all coordinates at once"},
    {"set_velocities", set_velocities, "(u) all velocities at once"},
    {"index", first_numbers, "(body) -> its first q, its first u"},
    {"accelerations", accelerations, "({ contacts = true }) -> udot"},
    {"mass_matrix", mass_matrix, "() M of M udot + bias = tau"},
    {"bias", bias, "() gravity, velocity terms, springs, friction, applied forces"},
    {"inverse_dynamics", inverse_dynamics, "(udot) -> tau"},
    {"jacobian", jacobian, "(body, point) 6 x n (planar 3 x n), angular rows first"},
    {"delassus", delassus, "() W of the contacts, limits and rigid rows of now"},
    {"linearize", linearize, "() -> A, B: x' = A x + B tau for x = (change of q; of u)"},
    {"equilibrium", equilibrium,
     "() goes to the pose at rest -> "
     "{ converged =, stable =, contacts =, residual =, iterations =, q = }"},
    {NULL, NULL, NULL}};

void dls_add_coordinates(lua_State *L) { dls_class_extend(L, &dls_world_class, methods); }
