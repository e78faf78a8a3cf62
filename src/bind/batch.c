/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/call.h"
#include "bind/forest.h"
#include "bind/options.h"

/* batch: many states of one forest at once. States are counted from 1. */

typedef struct batch_box {
  dls_handle handle;
  dls_forest_batch batch;
  double dt; /* of step */
} batch_box;

extern const dls_class dls_batch_class;

static batch_box *check(lua_State *L) {
  return (batch_box *)dls_class_check(L, 1, &dls_batch_class);
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_forest_batch_destroy(&((batch_box *)self)->batch);
}

int dls_push_batch(lua_State *L, int idx, const dls_forest *forest, const dls_forest_state *state,
                   int n, int path, double dt) {
  idx = lua_absindex(L, idx);
  batch_box *box = (batch_box *)dls_class_new(L, &dls_batch_class, sizeof *box, 1);
  lua_pushvalue(L, idx); /* the batch borrows the forest */
  lua_setiuservalue(L, -2, 1);
  dls_check_status(L, dls_forest_batch_create(&box->batch, forest, n, path), "batch");
  box->handle.open = true;
  box->dt = dt;
  memcpy(box->batch.gravity, state->gravity, sizeof state->gravity);
  memcpy(box->batch.drives, state->drives, (size_t)forest->n_drives * sizeof(dls_drive));
  memcpy(box->batch.given, state->given, (size_t)forest->n_given * sizeof(dls_given));
  return 1;
}

void dls_batch_fill(lua_State *L, int idx, const dls_forest_state *state) {
  batch_box *box = (batch_box *)dls_class_test(L, idx, &dls_batch_class);
  dls_forest_batch *batch = &box->batch;
  for (int k = 0; k < batch->n; k++) {
    dls_forest_batch_set(batch, batch->q, batch->forest->nq, k, state->q);
    dls_forest_batch_set(batch, batch->u, batch->forest->nu, k, state->u);
    dls_forest_batch_set(batch, batch->tau, batch->forest->nu, k, state->tau);
  }
}

static int read_state(lua_State *L, const batch_box *box, const char *function) {
  const dls_at at = {function, "k", 0, 0};
  int whole = 0;
  const lua_Integer k = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : 0;
  if (!whole) dls_bad(L, &at, "must be a whole number", 2);
  if (k < 1 || k > box->batch.n) dls_raise(L, function, "no state %d of %d", (int)k, box->batch.n);
  return (int)k - 1;
}

static int set(lua_State *L, const char *function, batch_box *box, double *x, int size) {
  const dls_at at = {function, NULL, 0, 0};
  const int k = read_state(L, box, function);
  const dls_vector_arg list = dls_take_vector(L, 3, &at);
  if (list.n != size) return dls_raise(L, function, "expected %d numbers, got %d", size, list.n);
  dls_forest_batch_set(&box->batch, x, size, k, list.x);
  return 0;
}

static int set_coordinates(lua_State *L) {
  batch_box *box = check(L);
  return set(L, "batch:set_coordinates", box, box->batch.q, box->batch.forest->nq);
}
static int set_velocities(lua_State *L) {
  batch_box *box = check(L);
  return set(L, "batch:set_velocities", box, box->batch.u, box->batch.forest->nu);
}
static int set_torques(lua_State *L) {
  batch_box *box = check(L);
  return set(L, "batch:set_torques", box, box->batch.tau, box->batch.forest->nu);
}

static int push_state(lua_State *L, const batch_box *box, const char *function, const double *x,
                      int size) {
  const int k = read_state(L, box, function);
  dls_forest_batch_get(&box->batch, x, size, k, dls_push_vector(L, size, NULL));
  return 1;
}

static int coordinates(lua_State *L) {
  const batch_box *box = check(L);
  return push_state(L, box, "batch:coordinates", box->batch.q, box->batch.forest->nq);
}
static int velocities(lua_State *L) {
  const batch_box *box = check(L);
  return push_state(L, box, "batch:velocities", box->batch.u, box->batch.forest->nu);
}

static int raise_fault(lua_State *L, dls_status status, const dls_fault *fault,
                       const char *function) {
  if (status == DLS_SINGULAR)
    return dls_raise(L, function, "near state %d a joint has a direction without inertia",
                     fault->index + 1);
  dls_check_status(L, status, function);
  return 0;
}

/* How often, at 2: once where it is absent. */
static int read_times(lua_State *L, const char *function) {
  const dls_at at = {function, "n", 0, 0};
  int n = 1;
  if (!lua_isnoneornil(L, 2)) dls_read_count(L, 2, &at, NULL, &n);
  return n;
}

static dls_status evaluate_once(batch_box *box, dls_fault *fault) {
  return dls_forest_batch_accelerate(&box->batch, fault);
}
static dls_status step_once(batch_box *box, dls_fault *fault) {
  return dls_forest_batch_step(&box->batch, box->dt, 0.5, fault);
}

/* n times; hooks get their turn in between, when the batch is whole (and may be closed). */
static int repeat(lua_State *L, batch_box *box, int n, dls_status (*act)(batch_box *, dls_fault *),
                  const char *function) {
  dls_listener ear;
  dls_fault fault = {-1, 0};
  dls_status status = DLS_OK;
  dls_listen(&ear, L);
  for (int i = 0; i < n && status == DLS_OK; i++) {
    if (i > 0 && dls_stop_poll(&ear.stop, DLS_STOP_WORK)) break;
    if (!box->handle.open) dls_raise(L, function, "the batch was closed while it was at work");
    status = act(box, &fault);
  }
  dls_listen_end(&ear);
  if (ear.stop.stopped) lua_error(L);
  return raise_fault(L, status, &fault, function);
}

/* evaluate(n): n evaluations of all accelerations. */
static int evaluate(lua_State *L) {
  batch_box *box = check(L);
  return repeat(L, box, read_times(L, "batch:evaluate"), evaluate_once, "batch:accelerations");
}

static int accelerations(lua_State *L) {
  batch_box *box = check(L);
  const int nu = box->batch.forest->nu;
  lua_settop(L, 1);
  evaluate(L);
  double *out = dls_push_matrix(L, box->batch.n, nu, NULL);
  for (int k = 0; k < box->batch.n; k++)
    dls_forest_batch_get(&box->batch, box->batch.udot, nu, k, out + (size_t)k * (size_t)nu);
  return 1;
}

static int step(lua_State *L) {
  batch_box *box = check(L);
  const int n = read_times(L, "batch:step");
  if (box->batch.forest->n_drives > 0)
    dls_raise(L, "batch:step", "prescribed motions are not possible in steps of a batch (accelerations are)");
  return repeat(L, box, n, step_once, "batch:step");
}

static int get_dt(lua_State *L) {
  lua_pushnumber(L, check(L)->dt);
  return 1;
}
static int set_dt(lua_State *L) {
  const dls_at at = {"batch", "dt", 0, 0};
  dls_read_positive(L, 2, &at, NULL, &check(L)->dt);
  return 0;
}
static int get_path(lua_State *L) {
  lua_pushstring(L, check(L)->batch.lanes->name);
  return 1;
}

static int batch_len(lua_State *L) {
  lua_pushinteger(L, check(L)->batch.n);
  return 1;
}
static int batch_tostring(lua_State *L) {
  const batch_box *box = (const batch_box *)dls_class_test(L, 1, &dls_batch_class);
  if (box == NULL || !box->handle.open)
    lua_pushliteral(L, "batch (closed)");
  else
    lua_pushfstring(L, "batch of %d states (%d velocities each, %s)", box->batch.n,
                    box->batch.forest->nu, box->batch.lanes->name);
  return 1;
}

static const dls_method methods[] = {
    {"set_coordinates", set_coordinates, "(k, q) of state k"},
    {"set_velocities", set_velocities, "(k, u) of state k"},
    {"set_torques", set_torques, "(k, tau) of state k"},
    {"coordinates", coordinates, "(k) -> q"},
    {"velocities", velocities, "(k) -> u"},
    {"accelerations", accelerations, "() a row of udot for each state"},
    {"evaluate", evaluate, "(n) n evaluations of the accelerations"},
    {"step", step, "(n) n steps of dt by the midpoint scheme"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {{"dt", get_dt, set_dt, "time step, s"},
                                          {"path", get_path, NULL, "instructions in use"},
                                          {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {
    {"__len", batch_len}, {"__tostring", batch_tostring}, {NULL, NULL}};

const dls_class dls_batch_class = {"delassus.batch", "batch", methods, properties,
                                   meta,             NULL,    release};
