/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/system.h"

/* What a system tells: contacts, index sets, events, statistics, every solution on
** accelerations. */

static const char *const states[] = {"apart", "slip", "stick", "stick"}; /* of the modes */

/* --- contacts --------------------------------------------------------------------------------- */

/* The system of the contact at 1, moved to 1; its number. */
static dls_system_box *own_system(lua_State *L, int *index) {
  *index = *(int *)dls_class_check(L, 1, &dls_system_contact_class);
  lua_getiuservalue(L, 1, 1);
  lua_replace(L, 1);
  lua_settop(L, 1);
  return dls_check_system(L, "contact");
}

/* Forces of now: those of the last step in time stepping, else the accelerations' problem. */
static void know_forces(lua_State *L, dls_system_box *box) {
  if (box->forces_known) return;
  const int n = box->system.n;
  double *udot = (double *)lua_newuserdatauv(L, (size_t)n * sizeof *udot, 0);
  dls_system_begin(L, box);
  const dls_status status = dls_system_look(box, udot);
  dls_system_end(L, box, status, "contact");
}

static int get_normal_force(lua_State *L) {
  int i;
  dls_system_box *box = own_system(L, &i);
  know_forces(L, box);
  lua_pushnumber(L, box->forces[box->system.row[i]]);
  return 1;
}
static int get_tangential_force(lua_State *L) {
  int i;
  dls_system_box *box = own_system(L, &i);
  know_forces(L, box);
  const double *force = box->forces + box->system.row[i] + 1;
  if (box->system.n_tangents[i] == 2) dls_push_vec(L, 2, force);
  else lua_pushnumber(L, box->system.n_tangents[i] == 1 ? force[0] : 0);
  return 1;
}
static int get_state(lua_State *L) {
  int i;
  dls_system_box *box = own_system(L, &i);
  know_forces(L, box);
  lua_pushstring(L, states[box->modes[i]]);
  return 1;
}
static int get_gap(lua_State *L) {
  int i;
  double gap;
  dls_system_box *box = own_system(L, &i);
  dls_system_begin(L, box);
  const dls_status status = dls_system_gap(&box->system, i, box->scheme.t, box->scheme.q, &gap);
  dls_system_end(L, box, status, "contact");
  lua_pushnumber(L, gap);
  return 1;
}
static int get_velocity(lua_State *L) {
  int i;
  dls_system_box *box = own_system(L, &i);
  dls_system_begin(L, box);
  const dls_status status =
      dls_system_rows(&box->system, i, box->scheme.t, box->scheme.q, box->scheme.u, false);
  dls_system_end(L, box, status, "contact");
  const int d = box->system.n_tangents[i];
  double v[3] = {0, 0, 0};
  memcpy(v, box->system.v + box->system.row[i], (size_t)(1 + d) * sizeof *v);
  dls_push_vec(L, d == 2 ? 3 : 2, v);
  return 1;
}
static int get_index(lua_State *L) {
  lua_pushinteger(L, *(int *)dls_class_check(L, 1, &dls_system_contact_class) + 1);
  return 1;
}

static int contact_to_string(lua_State *L) {
  lua_pushfstring(L, "delassus.SystemContact (#%d)",
                  *(int *)dls_class_check(L, 1, &dls_system_contact_class) + 1);
  return 1;
}

static const dls_property contact_properties[] = {
    {"index", get_index, NULL, "its number"},
    {"gap", get_gap, NULL, "m"},
    {"velocity", get_velocity, NULL, "normal, then tangential, m/s"},
    {"normal_force", get_normal_force, NULL, "N, >= 0"},
    {"tangential_force", get_tangential_force, NULL, "N along the tangent; a vec of two in space"},
    {"state", get_state, NULL, "\"stick\", \"slip\", \"apart\""},
    {NULL, NULL, NULL, NULL}};
static const luaL_Reg contact_meta[] = {{"__tostring", contact_to_string}, {NULL, NULL}};

const dls_class dls_system_contact_class = {
    "delassus.SystemContact", "contact", NULL, contact_properties, contact_meta, NULL, NULL};

/* system_look(system, t, q, u) -> gaps, kinetic energy in J: of any state, the system's own is
** not touched. */
int dls_system_look_lua(lua_State *L) {
  static const char name[] = "system:show";
  const dls_at at = {name, "q", 0, 0};
  dls_system_box *box = dls_check_system(L, name);
  dls_system *s = &box->system;
  const size_t n = (size_t)s->n;
  const double t = luaL_checknumber(L, 2);
  double *x = (double *)lua_newuserdatauv(L, (2 + n) * n * sizeof *x, 0), *u = x + n, *M = u + n,
         kinetic = 0;
  dls_read_numbers(L, 3, &at, s->n, x);
  dls_read_numbers(L, 4, &at, s->n, u);
  double *gap = dls_push_vector(L, s->n_contacts, NULL);
  const int answer = lua_gettop(L);
  dls_system_begin(L, box);
  dls_status status = s->def.mass(box, t, x, M);
  for (int i = 0; i < s->n_contacts && status == DLS_OK; i++)
    status = dls_system_gap(s, i, t, x, &gap[i]);
  dls_system_end(L, box, status, name);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) kinetic += 0.5 * u[i] * M[i * n + j] * u[j];
  lua_pushvalue(L, answer);
  lua_pushnumber(L, kinetic);
  return 2;
}

/* --- sets ------------------------------------------------------------------------------------- */

int dls_system_sets_lua(lua_State *L) {
  static const char name[] = "system:sets";
  static const char *const letters[] = {"A", "C", "N", "T"};
  dls_system_box *box = dls_check_system(L, name);
  lua_settop(L, 1);
  const int n = box->system.n_contacts;
  unsigned char *in = (unsigned char *)lua_newuserdatauv(L, 4 * (size_t)n + 1, 0);
  memset(in, 1, (size_t)n);
  dls_system_begin(L, box);
  const dls_status status = dls_event_sets(&box->scheme, in + n, in + 2 * n, in + 3 * n);
  dls_system_end(L, box, status, name);
  lua_createtable(L, 0, 4);
  for (int k = 0; k < 4; k++) {
    lua_newtable(L);
    for (int i = 0, found = 0; i < n; i++) {
      if (!in[k * n + i]) continue;
      lua_pushinteger(L, i + 1);
      lua_rawseti(L, -2, ++found);
    }
    lua_setfield(L, -2, letters[k]);
  }
  return 1;
}

/* --- every solution --------------------------------------------------------------------------- */

static void push_contact_answer(lua_State *L, const char *state, int d, const double *lambda) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, state);
  lua_setfield(L, -2, "state");
  lua_pushnumber(L, lambda[0]);
  lua_setfield(L, -2, "normal_force");
  if (d == 2) dls_push_vec(L, 2, lambda + 1);
  else lua_pushnumber(L, d == 1 ? lambda[1] : 0);
  lua_setfield(L, -2, "tangential_force");
}

/* What contact k of the problem does with forces lambda and accelerations a (rows of the
** problem). */
static const char *state_of(const dls_contact_problem *p, int k, const double *lambda,
                            const double *a, double size) {
  const int r = p->row[k], d = p->n_tangents[k];
  if (!(lambda[r] > 0) && a[r] > 1e-9 * size) return states[DLS_MODE_OPEN];
  if (d == 0 || p->slides[k]) return states[DLS_MODE_SLIP];
  return dls_disk_length(d, a + r + 1) > 1e-9 * size ? states[DLS_MODE_SLIP]
                                                     : states[DLS_MODE_STICK];
}

/* Pushes { udot =, contacts = } of one solution. */
static void push_solution(lua_State *L, const dls_system_box *box, const dls_contact_problem *p,
                          const int *listed, const double *lambda, double *a) {
  const dls_system *s = &box->system;
  double size = 0;
  dls_contact_residual(p, lambda, a);
  for (int r = 0; r < p->n_rows; r++) size = dls_max(size, dls_max(fabs(p->c[r]), fabs(a[r])));
  lua_createtable(L, 0, 2);
  double *udot = dls_push_vector(L, s->n, NULL);
  dls_event_udot(&box->scheme, p, listed, lambda, udot);
  lua_setfield(L, -2, "udot");
  lua_createtable(L, s->n_contacts, 0);
  for (int i = 0, k = 0; i < s->n_contacts; i++) {
    static const double nothing[3] = {0, 0, 0};
    if (k < p->n && listed[k] == i) {
      push_contact_answer(L, state_of(p, k, lambda, a, size), p->n_tangents[k], lambda + p->row[k]);
      k++;
    } else {
      push_contact_answer(L, states[DLS_MODE_OPEN], s->n_tangents[i], nothing);
    }
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "contacts");
}

typedef struct solution_list { /* what push_solutions reads */
  const dls_system_box *box;
  const dls_contact_problem *problem;
  const int *listed;
  const dls_lcp_solutions *all;
  double *lambda, *a;
} solution_list;

/* Protected, so that the solutions are given back whatever happens; stack: solution_list
** (light). */
static int push_solutions(lua_State *L) {
  const solution_list *s = (const solution_list *)lua_touserdata(L, 1);
  const int size = s->all->n, n_found = size == 0 ? 1 : s->all->n_found;
  lua_createtable(L, n_found, 0);
  for (int i = 0; i < n_found; i++) {
    memset(s->lambda, 0, (size_t)s->problem->n_rows * sizeof *s->lambda);
    if (size > 0)
      dls_contact_lcp_forces(s->problem, s->all->z + (size_t)i * (size_t)size, s->lambda);
    push_solution(L, s->box, s->problem, s->listed, s->lambda, s->a);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

int dls_system_solutions_lua(lua_State *L) {
  static const char name[] = "system:solutions";
  dls_system_box *box = dls_check_system(L, name);
  lua_settop(L, 1);
  const size_t m = (size_t)box->system.n_rows + 1;
  double *lambda = (double *)lua_newuserdatauv(L, 2 * m * sizeof *lambda, 0);
  dls_contact_problem p;
  const int *listed;
  dls_system_begin(L, box);
  dls_status status = dls_event_problem(&box->scheme, &p, &listed);
  dls_system_end(L, box, status, name);
  const int size = dls_contact_lcp_size(&p);
  if (size < 0)
    dls_raise(L, name,
              "contacts with two tangents at rest make no linear problem: not to be enumerated");
  if (size > DLS_LCP_ENUMERATE_MAX)
    dls_raise(L, name, "enumerates problems of up to %d unknowns, this one has %d",
              DLS_LCP_ENUMERATE_MAX, size);
  dls_lcp_solutions all = dls_lcp_solutions_over(dls_lua_alloc(L));
  status = dls_contact_enumerate(&p, &box->scheme.tmp, &all);
  const solution_list list = {box, &p, listed, &all, lambda, lambda + m};
  lua_pushcfunction(L, push_solutions);
  lua_pushlightuserdata(L, (void *)(uintptr_t)&list);
  const int failed = status == DLS_OK ? lua_pcall(L, 1, 1, 0) : LUA_OK;
  dls_lcp_solutions_destroy(&all);
  dls_check_status(L, status, name);
  if (failed != LUA_OK) lua_error(L);
  return 1;
}

/* --- events and statistics -------------------------------------------------------------------- */

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static void push_event(lua_State *L, const dls_system *s, int idx_contacts,
                       const dls_event_entry *event) {
  const int d = s->n_tangents[event->contact];
  lua_createtable(L, 0, 8);
  set_number(L, "t", event->t);
  lua_pushstring(L, dls_event_names[event->kind]);
  lua_setfield(L, -2, "kind");
  lua_rawgeti(L, idx_contacts, event->contact + 1);
  lua_setfield(L, -2, "contact");
  lua_pushinteger(L, event->contact + 1);
  lua_setfield(L, -2, "index");
  lua_pushstring(L, states[event->mode]);
  lua_setfield(L, -2, "mode");
  if (event->mode == DLS_MODE_SLIP && d > 0) {
    if (d == 2) dls_push_vec(L, 2, event->slip);
    else lua_pushnumber(L, event->slip[0]);
    lua_setfield(L, -2, "slip");
  }
  if (event->kind != DLS_EVENT_IMPACT) return;
  set_number(L, "velocity", event->velocity);
  set_number(L, "normal_impulse", event->impulse[0]);
  if (d == 2) dls_push_vec(L, 2, event->impulse + 1);
  else lua_pushnumber(L, event->impulse[1]);
  lua_setfield(L, -2, "tangential_impulse");
}

int dls_system_events_lua(lua_State *L) {
  const dls_system_box *box = (const dls_system_box *)dls_class_check(L, 1, &dls_system_class);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 2);
  lua_createtable(L, box->scheme.n_log, 0);
  for (int k = 0; k < box->scheme.n_log; k++) {
    push_event(L, &box->system, 2, &box->scheme.log[k]);
    lua_rawseti(L, 3, k + 1);
  }
  return 1;
}

int dls_system_stats_lua(lua_State *L) {
  const dls_system_box *box = (const dls_system_box *)dls_class_check(L, 1, &dls_system_class);
  const dls_event_stats *s = &box->scheme.stats;
  const struct {
    const char *name; /* key */
    int64_t count; /* of the last run */
  } counts[] = {{"steps", s->steps},
                {"rejected", s->rejected},
                {"evaluations", box->scheme.ode.stats.evaluations},
                {"events", s->events},
                {"impacts", s->impacts},
                {"problems", s->problems},
                {"inconsistent", s->inconsistent},
                {"curbed", s->curbed}};
  lua_createtable(L, 0, 13);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    lua_pushinteger(L, (lua_Integer)counts[i].count);
    lua_setfield(L, -2, counts[i].name);
  }
  set_number(L, "residual", s->residual);
  set_number(L, "drift", s->drift);
  set_number(L, "dissipated", s->dissipated);
  set_number(L, "friction", s->friction);
  set_number(L, "gained", s->gained);
  return 1;
}
