/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/call.h"
#include "bind/open.h"
#include "bind/options.h"
#include "core/elastic/stack_model.h"

/* delassus.stack.model: the matrix form. lua/delassus/stack_model.lua checks the shapes and brings
** every matrix to full size; here they come in as n x n, n x k, n and k. */

#define NAME "delassus.stack.model"

typedef struct box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_model model; /* its matrices and state */
} box;

static const dls_class model_class;

static dls_model *check(lua_State *L) {
  return &((box *)dls_class_check(L, 1, &model_class))->model;
}

typedef struct definition {
  dls_matrix_arg r, m, lambda, C; /* matrices as elastic/stack_model.h names them */
  dls_vector_arg D0, forces, displacements, velocities; /* vectors likewise: N, m, m/s */
  double dt; /* s */
} definition;

static const dls_option options[] = {
    {"r", dls_read_matrix, offsetof(definition, r), NULL, DLS_REQUIRED, 0},
    {"m", dls_read_matrix, offsetof(definition, m), NULL, DLS_REQUIRED, 0},
    {"lambda", dls_read_matrix, offsetof(definition, lambda), NULL, DLS_REQUIRED, 0},
    {"C", dls_read_matrix, offsetof(definition, C), NULL, DLS_REQUIRED, 0},
    {"D0", dls_read_vector, offsetof(definition, D0), NULL, DLS_REQUIRED, 0},
    {"forces", dls_read_vector, offsetof(definition, forces), NULL, DLS_REQUIRED, 0},
    {"displacements", dls_read_vector, offsetof(definition, displacements), NULL, DLS_REQUIRED, 0},
    {"velocities", dls_read_vector, offsetof(definition, velocities), NULL, DLS_REQUIRED, 0},
    {"dt", dls_read_positive, offsetof(definition, dt), NULL, DLS_REQUIRED, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static bool is_square(const dls_matrix_arg *A, int n) {
  return A->a != NULL && A->n_rows == n && A->n_cols == n;
}

static int lua_model(lua_State *L) {
  lua_settop(L, 1);
  definition d = {0};
  dls_read_options(L, 1, NAME, options, &d);
  const int n = d.r.n_rows, k = d.D0.n;
  const bool fits = is_square(&d.r, n) && is_square(&d.m, n) && is_square(&d.lambda, n) &&
                    d.C.a != NULL && d.C.n_rows == n && (d.C.n_cols == k || k == 0) &&
                    d.forces.n == n && d.displacements.n == n && d.velocities.n == n;
  if (!fits) return dls_raise(L, NAME, "sizes do not fit");
  const dls_model_def def = {n,      k,      d.r.a,           d.m.a,               d.lambda.a,
                             d.C.a,  d.D0.x, d.forces.x,      d.displacements.x,   d.velocities.x,
                             d.dt};
  box *self = (box *)dls_class_new(L, &model_class, sizeof *self, 0);
  const dls_alloc alloc = dls_lua_alloc(L);
  dls_fault fault;
  const dls_status status = dls_model_create(&self->model, &def, &alloc, &fault);
  if (status == DLS_SINGULAR)
    return dls_raise(L, NAME, "r + lambda / dt + m / dt^2 is not positive definite at node %d: a "
                              "massless node must be held by springs", fault.index + 1);
  dls_check_status(L, status, NAME);
  self->handle.open = true;
  return 1;
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_model_destroy(&((box *)self)->model);
}

/* model_advance(model, n) -> steps made, what stopped it early or nil: as stack_advance. */
static int lua_advance(lua_State *L) {
  dls_model *x = check(L);
  const lua_Integer n = luaL_checkinteger(L, 2);
  const dls_watch watch = dls_watch_start();
  lua_Integer done = 0;
  dls_status status = DLS_OK;
  while (done < n && status == DLS_OK && dls_watch_elapsed(&watch) <= DLS_RUN_SLICE) {
    status = dls_model_step(x);
    done += status == DLS_OK;
  }
  lua_pushinteger(L, done);
  if (status == DLS_OK) return 1;
  lua_pushstring(L, status == DLS_SINGULAR ? "no contact forces keep the gaps open"
                    : status == DLS_ARG    ? "the motion leaves the range of numbers"
                                           : dls_status_text(status));
  return 2;
}

/* --- properties ------------------------------------------------------------------------------- */

static int push_nodes(lua_State *L, const dls_model *x, const double *v) {
  dls_push_vector(L, x->n, v);
  return 1;
}
static int push_contacts(lua_State *L, const dls_model *x, const double *v) {
  dls_push_vector(L, x->k, v);
  return 1;
}
static int push_count(lua_State *L, int64_t count) {
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}
static int push_number(lua_State *L, double v) {
  lua_pushnumber(L, v);
  return 1;
}

static int get_displacements(lua_State *L) {
  const dls_model *x = check(L);
  return push_nodes(L, x, x->U);
}
static int get_velocities(lua_State *L) {
  const dls_model *x = check(L);
  return push_nodes(L, x, x->V);
}
static int get_forces(lua_State *L) {
  const dls_model *x = check(L);
  return push_contacts(L, x, x->N);
}
static int get_gaps(lua_State *L) {
  const dls_model *x = check(L);
  return push_contacts(L, x, x->D);
}
static int get_peaks(lua_State *L) {
  const dls_model *x = check(L);
  return push_contacts(L, x, x->peak);
}
static int get_A(lua_State *L) {
  const dls_model *x = check(L);
  dls_push_matrix(L, x->k, x->k, x->A);
  return 1;
}
static int get_B(lua_State *L) {
  const dls_model *x = check(L);
  return x->count.steps == 0 ? 0 : push_contacts(L, x, x->B);
}
static int get_pivots(lua_State *L) { return push_count(L, check(L)->count.pivots); }
static int get_last_pivots(lua_State *L) { return push_count(L, check(L)->count.last_pivots); }
static int get_collisions(lua_State *L) { return push_count(L, check(L)->count.collisions); }
static int get_steps(lua_State *L) { return push_count(L, check(L)->count.steps); }
static int get_residual(lua_State *L) { return push_number(L, check(L)->count.residual); }
static int get_worst(lua_State *L) { return push_number(L, check(L)->count.worst); }
static int get_dt(lua_State *L) { return push_number(L, check(L)->dt); }
static int get_time(lua_State *L) {
  const dls_model *x = check(L);
  return push_number(L, (double)x->count.steps * x->dt);
}

static const dls_property properties[] = {
    {"displacements", get_displacements, NULL, "of all nodes, m"},
    {"velocities", get_velocities, NULL, "of all nodes, m/s"},
    {"forces", get_forces, NULL, "contact forces of the last step, N"},
    {"gaps", get_gaps, NULL, "gaps after the last step, m"},
    {"peak_forces", get_peaks, NULL, "largest force of each contact so far, N"},
    {"pivots", get_pivots, NULL, "pivots of the energy criterion in all"},
    {"last_pivots", get_last_pivots, NULL, "those of the last step"},
    {"collisions", get_collisions, NULL, "times a contact closed"},
    {"A", get_A, NULL, "C' (r + lambda/dt + m/dt^2)^-1 C, m/N"},
    {"B", get_B, NULL, "right side of the last step, m"},
    {"time", get_time, NULL, "s"},
    {"steps", get_steps, NULL, "steps made"},
    {"residual", get_residual, NULL, "of the last step, relative"},
    {"worst_residual", get_worst, NULL, "the largest so far"},
    {"dt", get_dt, NULL, "time step, s"},
    {NULL, NULL, NULL, NULL}};

/* --- methods ---------------------------------------------------------------------------------- */

static int model_hash(lua_State *L) {
  char text[17];
  dls_hash_text(dls_model_hash(check(L)), text);
  lua_pushstring(L, text);
  return 1;
}

/* A snapshot: the definition's hash, the counters, the state. */
typedef struct snapshot {
  uint64_t identity; /* hash of the definition */
  dls_model_count count; /* steps, pivots and the like so far */
} snapshot;

static int model_snapshot(lua_State *L) {
  const dls_model *x = check(L);
  const size_t bytes = dls_model_state_doubles(x) * sizeof(double);
  snapshot head = {x->identity, {0}};
  double *state = (double *)lua_newuserdatauv(L, bytes + 1, 0);
  dls_model_save(x, state, &head.count);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addlstring(&b, (const char *)&head, sizeof head);
  luaL_addlstring(&b, (const char *)state, bytes);
  luaL_pushresult(&b);
  return 1;
}

static int model_restore(lua_State *L) {
  dls_model *x = check(L);
  const dls_at where = {"model:restore", NULL, 0, 0};
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &where, "expected a snapshot", 2);
  size_t size;
  const char *bytes = lua_tolstring(L, 2, &size);
  const size_t doubles = dls_model_state_doubles(x) * sizeof(double);
  snapshot head = {0};
  if (size == doubles + sizeof head) memcpy(&head, bytes, sizeof head);
  if (size != doubles + sizeof head || head.identity != x->identity)
    return dls_raise(L, where.function, "this is no snapshot of a model with these options");
  double *state = (double *)lua_newuserdatauv(L, doubles + 1, 0);
  memcpy(state, bytes + sizeof head, doubles);
  dls_model_load(x, state, &head.count);
  return 0;
}

static int model_tostring(lua_State *L) {
  const box *self = (const box *)dls_class_test(L, 1, &model_class);
  if (self == NULL || !self->handle.open) {
    lua_pushliteral(L, "delassus.StackModel (closed)");
    return 1;
  }
  const dls_model *x = &self->model;
  lua_pushfstring(L, "delassus.StackModel (%d nodes, %d contacts, t = %f s)", x->n, x->k,
                  (lua_Number)((double)x->count.steps * x->dt));
  return 1;
}

static const dls_method methods[] = {
    {"hash", model_hash, "() the whole state as 16 characters"},
    {"snapshot", model_snapshot, "() the state as a string"},
    {"restore", model_restore, "(snapshot) goes back to it"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", model_tostring}, {NULL, NULL}};

static const dls_class model_class = {"delassus.StackModel", "model", methods, properties,
                                      meta,                  NULL,    release};

void dls_open_stack_model(lua_State *L) {
  dls_class_register(L, &model_class);
  lua_pushcfunction(L, lua_model);
  lua_setfield(L, -2, "stack_model");
  lua_pushcfunction(L, lua_advance);
  lua_setfield(L, -2, "stack_model_advance");
}
