/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/array.h"
#include "bind/call.h"
#include "bind/open.h"
#include "bind/options.h"
#include "core/elastic/stack.h"

/* delassus.stack: Kolesnikov's chain of bodies. The Lua layer (lua/delassus/stack.lua) adds step
** and run, which call `advance` until all is done. */

#define NAME "delassus.stack"
#define MOST_DENSE 2000 /* rows up to which A is a full matrix */
#define CHUNK 20000     /* bodies stepped between two looks at the watch */

typedef struct box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_stack stack; /* bodies, contacts, state */
} box;

static const dls_class stack_class;
int dls_lua_sparse(lua_State *L);

static dls_stack *check(lua_State *L) {
  return &((box *)dls_class_check(L, 1, &stack_class))->stack;
}

/* --- the definition --------------------------------------------------------------------------- */

static const char *const dampings[] = {"lagged", "always", "none", NULL};

static const dls_option body_options[] = {
    {"mass", dls_read_positive, offsetof(dls_stack_body, mass), NULL, DLS_REQUIRED, 0},
    {"stiffness", dls_read_positive, offsetof(dls_stack_body, stiffness), NULL, DLS_REQUIRED, 0},
    {"damping", dls_read_nonnegative, offsetof(dls_stack_body, damping), NULL, 0, 0},
    {"position", dls_read_number, offsetof(dls_stack_body, position), NULL, DLS_REQUIRED, 0},
    {"velocity", dls_read_number, offsetof(dls_stack_body, velocity), NULL, 0, 0},
    {"radius", dls_read_nonnegative, offsetof(dls_stack_body, radius), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static void read_bodies(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const int n = dls_check_list(L, idx, at, "must be a list of bodies");
  if (n < 1) dls_raise(L, at->function, "'%s' must hold at least one body", at->option);
  *(int *)out = n;
}

static const dls_option stack_options[] = {
    {"bodies", read_bodies, offsetof(dls_stack_def, n), NULL, DLS_REQUIRED, 0},
    {"floor", dls_read_number, offsetof(dls_stack_def, floor), NULL, 0, 0},
    {"ceiling", dls_read_number, offsetof(dls_stack_def, ceiling), NULL, 0, 0},
    {"gravity", dls_read_number, offsetof(dls_stack_def, gravity), NULL, 0, 0},
    {"dt", dls_read_positive, offsetof(dls_stack_def, dt), NULL, 0, 0},
    {"damping", dls_read_choice, offsetof(dls_stack_def, damping), dampings, 0, 0},
    {"log", dls_read_boolean, offsetof(dls_stack_def, log), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* Pushes a block with the bodies of the option table at idx. */
static dls_stack_body *take_bodies(lua_State *L, int idx, int n) {
  const size_t bytes = dls_bytes((size_t)n, sizeof(dls_stack_body));
  dls_stack_body *bodies = (dls_stack_body *)lua_newuserdatauv(L, bytes, 0);
  lua_getfield(L, idx, "bodies");
  const int list = lua_gettop(L);
  for (int i = 0; i < n; i++) {
    const char *where = lua_pushfstring(L, NAME ": bodies[%d]", i + 1);
    lua_rawgeti(L, list, i + 1);
    dls_stack_body body = {0};
    dls_read_options(L, list + 2, where, body_options, &body);
    bodies[i] = body;
    lua_settop(L, list);
  }
  lua_pop(L, 1);
  return bodies;
}

/* Says which bodies overlap, or whose numbers are out of range. */
static int bad_bodies(lua_State *L, const dls_stack_def *def, const dls_fault *fault) {
  const int j = fault->index;
  const lua_Number depth = -fault->value;
  if (j < 0) return dls_raise(L, NAME, "%s", dls_status_text(DLS_ARG));
  if (depth == 0)
    return dls_raise(L, NAME, "bodies[%d]: mass / dt^2, 1 / stiffness, weight or momentum leaves "
                              "the range of numbers", j + 1);
  if (j == 0) return dls_raise(L, NAME, "bodies[1] reaches %f m below the floor", depth);
  if (j == def->n)
    return dls_raise(L, NAME, "bodies[%d] reaches %f m above the ceiling", j, depth);
  return dls_raise(L, NAME, "bodies[%d] and bodies[%d] overlap by %f m, deeper than a contact can "
                            "start (bodies are listed from the floor up)", j, j + 1, depth);
}

static int lua_stack(lua_State *L) {
  lua_settop(L, 1);
  dls_stack_def def = dls_stack_def_default();
  dls_read_options(L, 1, NAME, stack_options, &def);
  dls_stack_body *bodies = take_bodies(L, 1, def.n);
  def.bodies = bodies;
  box *self = (box *)dls_class_new(L, &stack_class, sizeof *self, 0);
  const dls_alloc alloc = dls_lua_alloc(L);
  dls_fault fault;
  const dls_status status = dls_stack_create(&self->stack, &def, &alloc, &fault);
  if (status == DLS_ARG) return bad_bodies(L, &def, &fault);
  dls_check_status(L, status, NAME);
  self->handle.open = true;
  return 1;
}

static void release(lua_State *L, void *self) {
  (void)L;
  dls_stack_destroy(&((box *)self)->stack);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* advance(s, n) -> steps made, what stopped it early or nil: at most n steps, and no longer than a
** slice of a run. */
static int lua_advance(lua_State *L) {
  dls_stack *s = check(L);
  const lua_Integer n = luaL_checkinteger(L, 2);
  const dls_watch watch = dls_watch_start();
  const lua_Integer chunk = CHUNK / s->n + 1;
  lua_Integer done = 0;
  dls_status status = DLS_OK;
  while (done < n && status == DLS_OK) {
    status = dls_stack_step(s);
    if (status == DLS_FULL) {
      status = dls_stack_make_room(s);
      continue;
    }
    done += status == DLS_OK;
    if (done % chunk == 0 && dls_watch_elapsed(&watch) > DLS_RUN_SLICE) break;
  }
  lua_pushinteger(L, done);
  if (status == DLS_OK) return 1;
  lua_pushstring(L, status == DLS_ARG ? "the motion leaves the range of numbers"
                                      : dls_status_text(status));
  return 2;
}

/* --- properties ------------------------------------------------------------------------------- */

static int get_positions(lua_State *L) {
  const dls_stack *s = check(L);
  double *x = dls_push_vector(L, s->n, s->U);
  for (int i = 0; i < s->n; i++) x[i] += s->def.bodies[i].position;
  return 1;
}

static int push_bodies(lua_State *L, const dls_stack *s, const double *x) {
  dls_push_vector(L, s->n, x);
  return 1;
}

static int push_contacts(lua_State *L, const dls_stack *s, const double *x) {
  dls_push_vector(L, s->m, x);
  return 1;
}

static int get_displacements(lua_State *L) {
  const dls_stack *s = check(L);
  return push_bodies(L, s, s->U);
}
static int get_velocities(lua_State *L) {
  const dls_stack *s = check(L);
  return push_bodies(L, s, s->V);
}
static int get_forces(lua_State *L) {
  const dls_stack *s = check(L);
  return push_contacts(L, s, s->N);
}
static int get_gaps(lua_State *L) {
  const dls_stack *s = check(L);
  return push_contacts(L, s, s->D);
}
static int get_peaks(lua_State *L) {
  const dls_stack *s = check(L);
  return push_contacts(L, s, s->peak);
}
static int get_peak_times(lua_State *L) {
  const dls_stack *s = check(L);
  return push_contacts(L, s, s->peak_time);
}

static void add_entry(lua_State *L, int list, int i, int j, double value) {
  lua_createtable(L, 3, 0);
  lua_pushinteger(L, i + 1);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, j + 1);
  lua_rawseti(L, -2, 2);
  lua_pushnumber(L, value);
  lua_rawseti(L, -2, 3);
  lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

static int push_tridiagonal(lua_State *L, int m, const double *diagonal, const double *coupling) {
  lua_pushcfunction(L, dls_lua_sparse);
  lua_newtable(L);
  const int list = lua_gettop(L);
  lua_pushinteger(L, m);
  lua_setfield(L, list, "rows");
  lua_pushinteger(L, m);
  lua_setfield(L, list, "cols");
  for (int j = 0; j < m; j++) {
    add_entry(L, list, j, j, diagonal[j]);
    if (j + 1 == m) break;
    add_entry(L, list, j, j + 1, -coupling[j]);
    add_entry(L, list, j + 1, j, -coupling[j]);
  }
  lua_call(L, 1, 1);
  return 1;
}

static int get_A(lua_State *L) {
  const dls_stack *s = check(L);
  if (s->count.steps == 0) return 0;
  const int m = s->m;
  double *diagonal = dls_push_vector(L, m, NULL), *coupling = dls_push_vector(L, m, NULL);
  dls_stack_matrix(s, diagonal, coupling);
  if (m <= MOST_DENSE) {
    double *A = dls_push_matrix(L, m, m, NULL);
    for (int j = 0; j < m; j++) {
      A[(size_t)j * m + j] = diagonal[j];
      if (j + 1 < m) A[(size_t)j * m + j + 1] = A[(size_t)(j + 1) * m + j] = -coupling[j];
    }
    return 1;
  }
  return push_tridiagonal(L, m, diagonal, coupling);
}

static int get_B(lua_State *L) {
  const dls_stack *s = check(L);
  return s->count.steps == 0 ? 0 : push_contacts(L, s, s->B);
}

static int push_count(lua_State *L, int64_t count) {
  lua_pushinteger(L, (lua_Integer)count);
  return 1;
}
static int push_number(lua_State *L, double x) {
  lua_pushnumber(L, x);
  return 1;
}

static int get_pivots(lua_State *L) { return push_count(L, check(L)->count.pivots); }
static int get_last_pivots(lua_State *L) { return push_count(L, check(L)->count.last_pivots); }
static int get_collisions(lua_State *L) { return push_count(L, check(L)->count.collisions); }
static int get_steps(lua_State *L) { return push_count(L, check(L)->count.steps); }
static int get_time(lua_State *L) { return push_number(L, dls_stack_time(check(L))); }
static int get_residual(lua_State *L) { return push_number(L, check(L)->count.residual); }
static int get_worst(lua_State *L) { return push_number(L, check(L)->count.worst); }
static int get_dt(lua_State *L) { return push_number(L, check(L)->def.dt); }
static int get_gravity(lua_State *L) { return push_number(L, check(L)->def.gravity); }
static int get_floor(lua_State *L) { return push_number(L, check(L)->def.floor); }

static int get_ceiling(lua_State *L) {
  const dls_stack *s = check(L);
  return s->m > s->n ? push_number(L, s->def.ceiling) : 0;
}

static int get_damping(lua_State *L) {
  lua_pushstring(L, dampings[check(L)->def.damping]);
  return 1;
}

static int get_events(lua_State *L) {
  const dls_stack *s = check(L);
  lua_createtable(L, (int)dls_min((double)s->n_events, 1e9), 0);
  for (size_t k = 0; k < s->n_events; k++) {
    const dls_stack_event *event = &s->events[k];
    lua_createtable(L, 0, 4);
    lua_pushnumber(L, event->t);
    lua_setfield(L, -2, "t");
    lua_pushstring(L, event->closed ? "contact" : "separation");
    lua_setfield(L, -2, "kind");
    lua_pushinteger(L, event->contact + 1);
    lua_setfield(L, -2, "gap");
    lua_pushnumber(L, event->speed);
    lua_setfield(L, -2, "speed");
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  return 1;
}

static const dls_property properties[] = {
    {"positions", get_positions, NULL, "heights of the centres, m (vector, from the floor up)"},
    {"displacements", get_displacements, NULL, "the same, from where they started, m"},
    {"velocities", get_velocities, NULL, "upward velocities of the centres, m/s"},
    {"forces", get_forces, NULL, "contact forces of the last step, N; the first is the floor's"},
    {"gaps", get_gaps, NULL, "gaps after the last step, m"},
    {"peak_forces", get_peaks, NULL, "largest force of each contact so far, N"},
    {"peak_times", get_peak_times, NULL, "when that was, s"},
    {"pivots", get_pivots, NULL, "pivots of the energy criterion in all"},
    {"last_pivots", get_last_pivots, NULL, "those of the last step: one a positive force"},
    {"collisions", get_collisions, NULL, "times a contact closed"},
    {"events", get_events, NULL, "{t =, kind = \"contact\" | \"separation\", gap =, speed =}, ..."},
    {"A", get_A, NULL, "matrix of the last step's complementarity problem, m/N"},
    {"B", get_B, NULL, "its right side, m"},
    {"time", get_time, NULL, "s"},
    {"steps", get_steps, NULL, "steps made"},
    {"residual", get_residual, NULL, "of the last step, relative, by code that knows no solver"},
    {"worst_residual", get_worst, NULL, "the largest so far"},
    {"dt", get_dt, NULL, "time step, s"},
    {"gravity", get_gravity, NULL, "m/s^2, downwards"},
    {"floor", get_floor, NULL, "height of the floor, m"},
    {"ceiling", get_ceiling, NULL, "height of the ceiling, m, or nil"},
    {"damping", get_damping, NULL, "\"lagged\", \"always\" or \"none\""},
    {NULL, NULL, NULL, NULL}};

/* --- methods ---------------------------------------------------------------------------------- */

static int stack_energy(lua_State *L) {
  const dls_stack *s = check(L);
  double kinetic, potential, stored;
  dls_stack_energy(s, &kinetic, &potential, &stored);
  lua_pushnumber(L, kinetic);
  lua_pushnumber(L, potential);
  lua_pushnumber(L, stored);
  lua_pushnumber(L, s->count.damped);
  lua_pushnumber(L, s->count.numerical);
  return 5;
}

static int stack_hash(lua_State *L) {
  char text[17];
  dls_hash_text(dls_stack_hash(check(L)), text);
  lua_pushstring(L, text);
  return 1;
}

static int stack_snapshot(lua_State *L) {
  const dls_stack *s = check(L);
  const size_t bytes = dls_stack_state_bytes(s);
  luaL_Buffer b;
  char *at = luaL_buffinitsize(L, &b, bytes);
  dls_stack_save(s, at);
  luaL_pushresultsize(&b, bytes);
  return 1;
}

static int stack_restore(lua_State *L) {
  dls_stack *s = check(L);
  const dls_at at = {"stack:restore", NULL, 0, 0};
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "expected a snapshot", 2);
  size_t size;
  const char *bytes = lua_tolstring(L, 2, &size);
  if (dls_stack_load(s, bytes, size) != DLS_OK)
    return dls_raise(L, at.function,
                     "this is no snapshot of a stack with these bodies and options");
  return 0;
}

static int stack_length(lua_State *L) { return push_count(L, check(L)->n); }

static int stack_tostring(lua_State *L) {
  const box *self = (const box *)dls_class_test(L, 1, &stack_class);
  if (self == NULL || !self->handle.open) {
    lua_pushliteral(L, "delassus.Stack (closed)");
    return 1;
  }
  const dls_stack *s = &self->stack;
  lua_pushfstring(L, "delassus.Stack (%d bodies, t = %f s, %I collisions)", s->n,
                  (lua_Number)dls_stack_time(s), (LUAI_UACINT)s->count.collisions);
  return 1;
}

static const dls_method methods[] = {
    {"energy", stack_energy, "() kinetic, potential, stored; damped, numerical so far, J"},
    {"hash", stack_hash, "() the whole state as 16 characters"},
    {"snapshot", stack_snapshot, "() the state as a string (without events)"},
    {"restore", stack_restore, "(snapshot) goes back to it"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {
    {"__tostring", stack_tostring}, {"__len", stack_length}, {NULL, NULL}};

static const dls_class stack_class = {"delassus.Stack", "stack", methods, properties,
                                      meta,             NULL,    release};

void dls_open_stack(lua_State *L) {
  dls_class_register(L, &stack_class);
  lua_pushcfunction(L, lua_stack);
  lua_setfield(L, -2, "stack");
  lua_pushcfunction(L, lua_advance);
  lua_setfield(L, -2, "stack_advance");
}
