/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/system.h"

#include "bind/open.h"
#include "core/events/time_step.h"
#include "core/math/dense.h"

/* delassus.system{...}: mechanisms given by their equations (API 5). */

#define NAME "delassus.system"

typedef struct definition {
  dls_vector_arg q, u; /* n each: where it starts */
  /* s; s; share of a step; relative; absolute; m */
  double dt, time, theta, rtol, atol, gap_tolerance;
  /* choices of their options; facets of a friction cone */
  int scheme, impact, inconsistent, corners;
  bool events; /* a log of them is kept */
} definition;

static const char *const schemes[] = {"event-driven", "time-stepping", NULL};
static const char *const impacts[] = {"newton", "poisson", "sequential", NULL};
static const char *const policies[] = {"impact", "raise", NULL};

#define ROW(name, reader, field, arg, flags) {name, reader, offsetof(definition, field), arg, flags, 0}
static const dls_option options[] = {
    ROW("q", dls_read_vector, q, NULL, DLS_REQUIRED),
    ROW("u", dls_read_vector, u, NULL, DLS_REQUIRED),
    ROW("dt", dls_read_positive, dt, NULL, 0),
    ROW("time", dls_read_number, time, NULL, 0),
    ROW("theta", dls_read_positive, theta, NULL, 0),
    ROW("rtol", dls_read_positive, rtol, NULL, 0),
    ROW("atol", dls_read_positive, atol, NULL, 0),
    ROW("gap_tolerance", dls_read_nonnegative, gap_tolerance, NULL, 0),
    ROW("scheme", dls_read_choice, scheme, schemes, 0),
    ROW("impact", dls_read_choice, impact, impacts, 0),
    ROW("inconsistent", dls_read_choice, inconsistent, policies, 0),
    ROW("friction_corners", dls_read_integer, corners, NULL, 0),
    ROW("log", dls_read_boolean, events, NULL, 0),
    {"mass", NULL, 0, NULL, DLS_REQUIRED, 0},
    {"forces", NULL, 0, NULL, DLS_REQUIRED, 0},
    {"contacts", NULL, 0, NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};
#undef ROW

typedef struct contact_definition {
  double e_N, e_T, size; /* restitution, normal and tangential; m */
} contact_definition;

#define OWN(name, flags) {name, NULL, 0, NULL, flags, 0}
static const dls_option contact_options[] = {
    {"restitution", dls_read_fraction, offsetof(contact_definition, e_N), NULL, 0, 0},
    {"tangential_restitution", dls_read_fraction, offsetof(contact_definition, e_T), NULL, 0, 0},
    {"size", dls_read_positive, offsetof(contact_definition, size), NULL, 0, 0},
    OWN("gap", DLS_REQUIRED), OWN("normal", DLS_REQUIRED), OWN("tangent", 0), OWN("tangent2", 0),
    OWN("normal_bias", 0), OWN("tangent_bias", 0), OWN("tangent2_bias", 0), OWN("normal_speed", 0),
    OWN("tangent_speed", 0), OWN("tangent2_speed", 0), OWN("friction", 0),
    {NULL, NULL, 0, NULL, 0, 0}};
#undef OWN

static const dls_option friction_options[] = {
    {"static", dls_read_nonnegative, offsetof(dls_friction_law, at_rest), NULL, DLS_REQUIRED, 0},
    {"kinetic", dls_read_nonnegative, offsetof(dls_friction_law, kinetic), NULL, DLS_REQUIRED, 0},
    {"decay", dls_read_nonnegative, offsetof(dls_friction_law, decay), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* --- making one ------------------------------------------------------------------------------- */

/* The option `name` of the table at idx_table into place `place` of the list at idx_list: a
** function, where `constant` a table or userdata as well (of so many numbers; 0: not looked at);
** false where it is absent. Answers whether it is there. */
static bool keep(lua_State *L, const char *function, int idx_table, const char *name, int idx_list,
                 int place, bool constant, int n) {
  const dls_at at = {function, name, 0, 0};
  const int type = lua_getfield(L, idx_table, name);
  const bool there = type != LUA_TNIL;
  const bool fits =
      type == LUA_TFUNCTION || (constant && (type == LUA_TTABLE || type == LUA_TUSERDATA));
  if (there && !fits)
    dls_bad(L, &at, constant ? "must be a function or numbers" : "must be a function",
            lua_gettop(L));
  if (!there) lua_pop(L, 1), lua_pushboolean(L, false);
  if (there && n > 0 && type != LUA_TFUNCTION) {
    double *x = (double *)lua_newuserdatauv(L, (size_t)n * sizeof *x, 0);
    dls_read_numbers(L, lua_gettop(L) - 1, &at, n, x);
    lua_pop(L, 1);
  }
  lua_rawseti(L, idx_list, place);
  return there;
}

/* Answers whether there can be any. */
static bool read_friction(lua_State *L, const char *function, int idx_list, int place,
                          dls_friction_law *law) {
  const dls_at at = {function, "friction", 0, 0};
  const int type = lua_getfield(L, -1, "friction"), top = lua_gettop(L);
  lua_pushboolean(L, false);
  lua_rawseti(L, idx_list, place);
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, top);
    lua_rawseti(L, idx_list, place);
  } else if (type == LUA_TTABLE) {
    law->decay = DLS_INF;
    dls_read_options(L, top, lua_pushfstring(L, "%s.friction", function), friction_options, law);
  } else if (type == LUA_TNUMBER) {
    dls_read_nonnegative(L, top, &at, NULL, &law->at_rest);
    law->kinetic = law->at_rest;
  } else if (type != LUA_TNIL) {
    dls_bad(L, &at, "must be a number, a table { static =, kinetic =, decay = } or a function",
            top);
  }
  lua_settop(L, top - 1);
  return type == LUA_TFUNCTION || law->at_rest > 0 || law->kinetic > 0;
}

typedef struct contact_arrays {
  int *n_tangents; /* n_contacts: 0, 1 or 2 */
  double *e_N, *e_T, *scale; /* n_contacts each: restitution; m */
  dls_friction_law *friction; /* n_contacts */
} contact_arrays;

/* Contact i, whose table is on the top of the stack, of a system with n coordinates. */
static void read_contact(lua_State *L, int i, int n, int idx_list, const contact_arrays *a) {
  const int table = lua_gettop(L), first = DLS_SYSTEM_CONTACTS + i * DLS_CONTACT_PLACES;
  static const char *const tangents[] = {"tangent", "tangent2"};
  static const char *const biases[] = {"normal_bias", "tangent_bias", "tangent2_bias"};
  static const char *const speeds[] = {"normal_speed", "tangent_speed", "tangent2_speed"};
  contact_definition def = {.size = 1};
  const char *function = lua_pushfstring(L, "%s: contacts[%d]", NAME, i + 1);
  lua_replace(L, table - 1); /* below the table, so that the name lives as long */
  dls_read_options(L, table, function, contact_options, &def);
  lua_settop(L, table);
  a->e_N[i] = def.e_N, a->e_T[i] = def.e_T, a->scale[i] = def.size;
  keep(L, function, table, "gap", idx_list, first + DLS_CONTACT_GAP, false, 0);
  keep(L, function, table, "normal", idx_list, first + DLS_CONTACT_NORMAL, true, n);
  a->n_tangents[i] = 0;
  for (int k = 0; k < 2; k++) {
    const bool there = keep(L, function, table, tangents[k], idx_list,
                            first + DLS_CONTACT_NORMAL + 1 + k, true, n);
    if (there && k == 1 && a->n_tangents[i] == 0)
      dls_raise(L, function, "'tangent2' needs 'tangent'");
    a->n_tangents[i] += there;
  }
  for (int k = 0; k < 3; k++) {
    bool there =
        keep(L, function, table, biases[k], idx_list, first + DLS_CONTACT_BIAS + k, false, 0);
    if (there && k > a->n_tangents[i]) dls_raise(L, function, "'%s' needs its tangent", biases[k]);
    there = keep(L, function, table, speeds[k], idx_list, first + DLS_CONTACT_SPEED + k, false, 0);
    if (there && k > a->n_tangents[i]) dls_raise(L, function, "'%s' needs its tangent", speeds[k]);
  }
  const bool rubs =
      read_friction(L, function, idx_list, first + DLS_CONTACT_FRICTION, &a->friction[i]);
  if (a->n_tangents[i] == 0 && (rubs || def.e_T > 0))
    dls_raise(L, function, "'%s' needs 'tangent'", rubs ? "friction" : "tangential_restitution");
}

/* The n_contacts contacts of a list, of a system with n coordinates. Answers their rows. */
static int read_contacts(lua_State *L, int list, int n_contacts, int n, int idx_list,
                         const contact_arrays *a) {
  int n_rows = n_contacts;
  for (int i = 0; i < n_contacts; i++) {
    a->friction[i] = (dls_friction_law){0, 0, DLS_INF};
    lua_pushnil(L); /* the contact's name in messages */
    if (lua_rawgeti(L, list, i + 1) != LUA_TTABLE)
      dls_bad(L, &(dls_at){NAME, "contacts", i + 1, 0}, "must be a table", lua_gettop(L));
    read_contact(L, i, n, idx_list, a);
    n_rows += a->n_tangents[i];
    lua_pop(L, 2);
  }
  return n_rows;
}

static void push_contacts(lua_State *L, int idx_self, int n) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    int *index = (int *)dls_class_new(L, &dls_system_contact_class, sizeof *index, 1);
    *index = i;
    lua_pushvalue(L, idx_self);
    lua_setiuservalue(L, -2, 1);
    lua_rawseti(L, -2, i + 1);
  }
}

static definition read_definition(lua_State *L) {
  definition d = {.dt = 1e-3, .theta = 0.5, .rtol = 1e-10, .atol = 1e-13, .gap_tolerance = 1e-5,
                  .corners = 2, .events = true};
  dls_read_options(L, 1, NAME, options, &d); /* its anchor stays at 2 */
  if (d.q.n < 1) dls_raise(L, NAME, "'q' must have at least one number");
  if (d.u.n != d.q.n)
    dls_raise(L, NAME, "'u' must have %d numbers as 'q' has, got %d", d.q.n, d.u.n);
  if (d.corners != 2 && d.corners != 4)
    dls_raise(L, NAME, "'friction_corners' must be 2 or 4, got %d", d.corners);
  if (d.theta != 0.5 && d.theta != 1)
    dls_raise(L, NAME, "'theta' must be 1/2 or 1, got %f", (lua_Number)d.theta);
  return d;
}

/* What the box owns beside the core's: forces, friction laws, the constant mass matrix. */
static void take_block(lua_State *L, dls_system_box *box, int n, int n_rows, int n_contacts,
                       bool constant) {
  const dls_alloc alloc = dls_lua_alloc(L);
  const size_t mass = constant ? (size_t)n * (size_t)n : 0;
  size_t bytes = dls_arena_bytes((size_t)n_rows + mass, sizeof(double));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(mass, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)n_contacts, 1));
  bytes = dls_bytes_add(bytes,
                        dls_arena_bytes((size_t)n_contacts, sizeof(dls_friction_law)) + DLS_ALIGN);
  void *block = bytes == SIZE_MAX ? NULL : dls_new(&alloc, bytes, 1);
  if (block == NULL) dls_check_status(L, DLS_NOMEM, NAME);
  dls_arena arena = dls_arena_over(block, bytes);
  box->block = block, box->block_size = bytes;
  box->forces = DLS_TAKE(&arena, double, n_rows);
  box->mass = constant ? DLS_TAKE(&arena, double, mass) : NULL;
  box->friction = DLS_TAKE(&arena, dls_friction_law, n_contacts);
  box->modes = DLS_TAKE(&arena, unsigned char, n_contacts);
}

static void read_mass(lua_State *L, dls_system_box *box, int n) {
  const dls_at at = {NAME, "mass", 0, 0};
  lua_getfield(L, 1, "mass");
  const dls_matrix_arg M = dls_take_matrix(L, lua_gettop(L), &at);
  if (M.a == NULL) dls_bad_got(L, &at, "must be a dense matrix", "a sparse one");
  if (M.n_rows != n || M.n_cols != n)
    dls_raise(L, NAME, "'mass' must be a dense matrix of %d x %d, got %d x %d", n, n, M.n_rows,
              M.n_cols);
  for (int i = 0; i < n * n; i++) box->mass[i] = M.a[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (fabs(M.a[i * n + j] - M.a[j * n + i]) >
          1e-10 * dls_max(fabs(M.a[i * n + j]), fabs(M.a[j * n + i])))
        dls_raise(L, NAME, "'mass' must be symmetric, got %f and %f at (%d, %d)",
                  (lua_Number)M.a[i * n + j], (lua_Number)M.a[j * n + i], i + 1, j + 1);
}

/* The time at which whole steps begin to count is now. */
static void count_from_here(dls_system_box *box) { box->origin = box->scheme.t, box->counted = 0; }

/* A constant mass matrix must be positive definite. */
static void check_mass(lua_State *L, const dls_system_box *box) {
  const dls_system *s = &box->system;
  double pivot;
  for (int i = 0; i < s->n; i++) {
    memset(s->R + (size_t)i * s->ld, 0, s->ld * sizeof *s->R);
    memcpy(s->R + (size_t)i * s->ld, box->mass + (size_t)i * (size_t)s->n,
           (size_t)s->n * sizeof *s->R);
  }
  const int row = dls_dense_cholesky(s->n, s->R, s->ld, &pivot);
  if (row >= 0)
    dls_raise(L, NAME, "'mass' must be positive definite: pivot %d is %f", row + 1,
              (lua_Number)pivot);
}

static int lua_system(lua_State *L) {
  lua_settop(L, 1);
  const definition d = read_definition(L);
  dls_system_box *box = (dls_system_box *)dls_class_new(L, &dls_system_class, sizeof *box, 2);
  const int self = lua_gettop(L);
  const int type = lua_getfield(L, 1, "contacts");
  const int list = lua_gettop(L);
  const int n_contacts =
      type == LUA_TNIL ? 0
                       : dls_check_list(L, list, &(dls_at){NAME, "contacts", 0, 0},
                                        "must be a list of contacts { gap =, normal = }");
  lua_createtable(L, DLS_SYSTEM_CONTACTS + n_contacts * DLS_CONTACT_PLACES, 0);
  const int functions = lua_gettop(L);
  keep(L, NAME, 1, "mass", functions, DLS_SYSTEM_MASS, true, 0);
  keep(L, NAME, 1, "forces", functions, DLS_SYSTEM_FORCES, true, d.q.n);
  lua_getfield(L, 1, "mass");
  const bool constant = !lua_isfunction(L, -1);
  lua_pop(L, 1);
  const size_t k = (size_t)n_contacts;
  const contact_arrays a = {
      (int *)lua_newuserdatauv(L, (k + 1) * sizeof(int), 0),
      (double *)lua_newuserdatauv(L, (k + 1) * sizeof(double), 0),
      (double *)lua_newuserdatauv(L, (k + 1) * sizeof(double), 0),
      (double *)lua_newuserdatauv(L, (k + 1) * sizeof(double), 0),
      (dls_friction_law *)lua_newuserdatauv(L, (k + 1) * sizeof(dls_friction_law), 0)};
  const int n_rows = read_contacts(L, list, n_contacts, d.q.n, functions, &a);
  take_block(L, box, d.q.n, n_rows, n_contacts, constant);
  if (constant) read_mass(L, box, d.q.n);
  memcpy(box->friction, a.friction, k * sizeof *box->friction);
  memset(box->forces, 0, (size_t)n_rows * sizeof *box->forces);
  memset(box->modes, DLS_MODE_OPEN, k);
  dls_system_def def = {.n = d.q.n, .n_contacts = n_contacts, .n_tangents = a.n_tangents,
                        .e_N = a.e_N, .e_T = a.e_T, .scale = a.scale, .span = d.dt, .ctx = box};
  dls_system_callbacks(&def);
  const dls_alloc alloc = dls_lua_alloc(L);
  dls_check_status(L, dls_system_create(&box->system, &def, &alloc), NAME);
  if (constant) check_mass(L, box);
  dls_event_opts opts = dls_event_opts_default();
  opts.dt = d.dt, opts.rtol = d.rtol, opts.atol = d.atol, opts.corners = d.corners;
  opts.gap_tolerance = d.gap_tolerance;
  opts.impact = (dls_impact_law)d.impact, opts.impact_where_inconsistent = d.inconsistent == 0;
  dls_check_status(
      L, dls_event_create(&box->scheme, &box->system, &opts, d.time, d.q.x, d.u.x, &alloc), NAME);
  box->scheme.logs = d.events;
  count_from_here(box);
  box->time_stepping = d.scheme == 1, box->theta = d.theta;
  lua_pushvalue(L, functions);
  lua_setiuservalue(L, self, 1);
  push_contacts(L, self, n_contacts);
  lua_setiuservalue(L, self, 2);
  box->handle.open = true;
  lua_pushvalue(L, self);
  return 1;
}

static void release(lua_State *L, void *self) {
  dls_system_box *box = (dls_system_box *)self;
  const dls_alloc alloc = dls_lua_alloc(L);
  if (box->busy) {
    box->handle.open = true;
    dls_raise(L, "system:close", "not possible inside a function of the system's own");
  }
  if (box->scheme.block != NULL) dls_event_destroy(&box->scheme);
  if (box->system.block != NULL) dls_system_destroy(&box->system);
  if (box->block != NULL) dls_free(&alloc, box->block, box->block_size, 1);
  box->block = NULL;
}

dls_system_box *dls_check_system(lua_State *L, const char *function) {
  dls_system_box *box = (dls_system_box *)dls_class_check(L, 1, &dls_system_class);
  if (box->busy) dls_raise(L, function, "not possible inside a function of the system's own");
  return box;
}

/* --- steps ------------------------------------------------------------------------------------ */

void dls_system_forget(dls_system_box *box) {
  const dls_event_scheme *e = &box->scheme;
  box->forces_known = e->stepped;
  if (!e->stepped) return;
  memcpy(box->forces, e->lambda, (size_t)box->system.n_rows * sizeof *box->forces);
  for (int i = 0; i < box->system.n_contacts; i++)
    box->modes[i] = (unsigned char)e->contacts[i].mode;
}

dls_status dls_system_look(dls_system_box *box, double *udot) {
  box->forces_known = false;
  const dls_status status = dls_event_accelerations(&box->scheme, udot, box->modes);
  if (status != DLS_OK) {
    dls_system_forget(box);
    return status;
  }
  memcpy(box->forces, dls_event_forces(&box->scheme),
         (size_t)box->system.n_rows * sizeof *box->forces);
  box->forces_known = true;
  return DLS_OK;
}

dls_status dls_system_advance(dls_system_box *box, double to) {
  dls_event_scheme *e = &box->scheme;
  const double from = e->t;
  const dls_status status =
      box->time_stepping ? dls_event_time_step(e, to - from, box->theta) : dls_event_run(e, to);
  if (status != DLS_OK) return status;
  e->t = to;
  dls_system_forget(box);
  return DLS_OK;
}

/* system_steps(system, most) -> n: so many whole steps of dt, up to `most` and for some 20 ms. */
static int lua_steps(lua_State *L) {
  dls_system_box *box = dls_check_system(L, "system:step");
  const lua_Integer most = luaL_checkinteger(L, 2);
  lua_Integer n = 0;
  const dls_watch watch = dls_watch_start();
  dls_status status = DLS_OK;
  dls_system_begin(L, box);
  while (n < most && status == DLS_OK && dls_watch_elapsed(&watch) < DLS_RUN_SLICE) {
    status =
        dls_system_advance(box, box->origin + (double)(box->counted + 1) * box->scheme.opts.dt);
    if (status == DLS_OK) box->counted++, n++;
  }
  dls_system_end(L, box, status, "system:step");
  lua_pushinteger(L, n);
  return 1;
}

/* system_advance(system, from, span, k, n, most) -> k': output steps k + 1 .. of n that cover span
** from the time `from`, up to number `most` and for some 20 ms. */
static int lua_advance(lua_State *L) {
  dls_system_box *box = dls_check_system(L, "system:step");
  const double from = luaL_checknumber(L, 2), span = luaL_checknumber(L, 3);
  lua_Integer k = luaL_checkinteger(L, 4);
  const lua_Integer n = luaL_checkinteger(L, 5), most = luaL_checkinteger(L, 6);
  const dls_watch watch = dls_watch_start();
  dls_status status = DLS_OK;
  dls_system_begin(L, box);
  while (k < most && status == DLS_OK && dls_watch_elapsed(&watch) < DLS_RUN_SLICE) {
    status = dls_system_advance(box, k + 1 < n ? from + span * ((double)(k + 1) / (double)n)
                                               : from + span);
    if (status != DLS_OK) break;
    count_from_here(box);
    k++;
  }
  dls_system_end(L, box, status, "system:step");
  lua_pushinteger(L, k);
  return 1;
}

static int lua_accelerations(lua_State *L) {
  static const char name[] = "system:accelerations";
  dls_system_box *box = dls_check_system(L, name);
  lua_settop(L, 1);
  double *udot = dls_push_vector(L, box->system.n, NULL);
  dls_system_begin(L, box);
  const dls_status status = dls_system_look(box, udot);
  dls_system_end(L, box, status, name);
  lua_settop(L, 2);
  return 1;
}

/* impact() -> normal impulses, tangential ones (pairs in space). */
static int lua_impact(lua_State *L) {
  static const char name[] = "system:impact";
  dls_system_box *box = dls_check_system(L, name);
  const dls_system *s = &box->system;
  lua_settop(L, 1);
  double *impulses = dls_push_vector(L, s->n_rows, NULL);
  dls_system_begin(L, box);
  const dls_status status = dls_event_impact(&box->scheme, impulses);
  dls_system_end(L, box, status, name);
  dls_system_forget(box);
  int most = 1;
  for (int i = 0; i < s->n_contacts; i++) most = s->n_tangents[i] > most ? s->n_tangents[i] : most;
  double *normal = dls_push_vector(L, s->n_contacts, NULL);
  for (int i = 0; i < s->n_contacts; i++) normal[i] = impulses[s->row[i]];
  double *tangential = most == 1 ? dls_push_vector(L, s->n_contacts, NULL) : NULL;
  if (most == 2) {
    dls_push_matrix(L, s->n_contacts, 2, NULL);
    tangential = ((dls_matrix *)lua_touserdata(L, -1))->a;
  }
  for (int i = 0; i < s->n_contacts; i++)
    for (int k = 0; k < s->n_tangents[i]; k++)
      tangential[i * most + k] = impulses[s->row[i] + 1 + k];
  return 2;
}

/* --- properties ------------------------------------------------------------------------------- */

static dls_system_box *check(lua_State *L) {
  return (dls_system_box *)dls_class_check(L, 1, &dls_system_class);
}

static int get_q(lua_State *L) {
  dls_system_box *box = check(L);
  dls_push_vector(L, box->system.n, box->scheme.q);
  return 1;
}
static int get_u(lua_State *L) {
  dls_system_box *box = check(L);
  dls_push_vector(L, box->system.n, box->scheme.u);
  return 1;
}
static int set_numbers(lua_State *L, const char *option, bool is_q) {
  const dls_at at = {"system", option, 0, 0};
  dls_system_box *box = dls_check_system(L, "system");
  const int n = box->system.n;
  double *x = (double *)lua_newuserdatauv(L, (size_t)n * sizeof *x, 0);
  dls_read_numbers(L, 2, &at, n, x);
  memcpy(is_q ? box->scheme.q : box->scheme.u, x, (size_t)n * sizeof *x);
  dls_event_changed(&box->scheme);
  dls_system_forget(box);
  return 0;
}
static int set_q(lua_State *L) { return set_numbers(L, "q", true); }
static int set_u(lua_State *L) { return set_numbers(L, "u", false); }
static int get_time(lua_State *L) {
  lua_pushnumber(L, check(L)->scheme.t);
  return 1;
}
static int set_time(lua_State *L) {
  const dls_at at = {"system", "time", 0, 0};
  dls_system_box *box = dls_check_system(L, "system");
  dls_event_set_time(&box->scheme, dls_check_number(L, 2, &at));
  count_from_here(box);
  dls_system_forget(box);
  return 0;
}
static int get_dt(lua_State *L) {
  lua_pushnumber(L, check(L)->scheme.opts.dt);
  return 1;
}
static int get_contacts(lua_State *L) {
  check(L);
  lua_getiuservalue(L, 1, 2);
  return 1;
}
static int get_scheme(lua_State *L) {
  lua_pushstring(L, schemes[check(L)->time_stepping]);
  return 1;
}

static int to_string(lua_State *L) {
  const dls_system_box *box = (const dls_system_box *)dls_class_test(L, 1, &dls_system_class);
  if (box == NULL || !box->handle.open) lua_pushliteral(L, "delassus.System (closed)");
  else
    lua_pushfstring(L, "delassus.System (%d coordinates, %d contacts, t = %f s)", box->system.n,
                    box->system.n_contacts, (lua_Number)box->scheme.t);
  return 1;
}

static const dls_property properties[] = {
    {"q", get_q, set_q, "coordinates"},
    {"u", get_u, set_u, "velocities dq/dt"},
    {"time", get_time, set_time, "s"},
    {"dt", get_dt, NULL, "longest output step, s"},
    {"scheme", get_scheme, NULL, "\"event-driven\" or \"time-stepping\""},
    {"contacts", get_contacts, NULL,
     "list: gap, normal_force, tangential_force, velocity, state of each"},
    {"events", dls_system_events_lua, NULL,
     "list of { t, kind, contact, index, mode, slip, impulse, velocity }"},
    {"stats", dls_system_stats_lua, NULL,
     "counts, worst residual, energy that impacts took or gave"},
    {NULL, NULL, NULL, NULL}};

static const dls_method methods[] = {
    {"accelerations", lua_accelerations,
     "() -> du/dt; contacts then hold forces and states of now"},
    {"impact", lua_impact,
     "() resolves an impact of the closed contacts now -> normal and tangential impulses"},
    {"sets", dls_system_sets_lua,
     "() -> { A =, C =, N =, T = }: all, closed, at rest normally, at rest tangentially"},
    {"solutions", dls_system_solutions_lua,
     "() -> every solution on accelerations: { udot =, contacts = {...} }"},
    {"snapshot", dls_system_snapshot_lua, "() the state as a string"},
    {"restore", dls_system_restore_lua, "(snapshot) goes back to it"},
    {"hash", dls_system_hash_lua, "() the whole state as 16 characters"},
    {NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_system_class = {
    "delassus.System", "system", methods, properties, meta, NULL, release};

void dls_open_system(lua_State *L) {
  dls_class_register(L, &dls_system_class);
  dls_class_register(L, &dls_system_contact_class);
  lua_pushcfunction(L, lua_system);
  lua_setfield(L, -2, "system");
  lua_pushcfunction(L, lua_advance);
  lua_setfield(L, -2, "system_advance");
  lua_pushcfunction(L, lua_steps);
  lua_setfield(L, -2, "system_steps");
  lua_pushcfunction(L, dls_system_look_lua);
  lua_setfield(L, -2, "system_look");
}
