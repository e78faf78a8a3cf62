/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_penalty.h"
#include "bind/world_parts.h"
#include "core/accelerations/constrain.h"

/* What a world answers about itself: what is in it, quantities, its whole state. */

static dls_world *check(lua_State *L) { return dls_check_world(L, 1)->world; }

/* --- what is in it ---------------------------------------------------------------------------- */

int dls_count_bodies(const dls_world *w) { return w->n_bodies - w->body_slots.n_gaps - 1; }

int dls_world_length_lua(lua_State *L) {
  lua_pushinteger(L, dls_count_bodies(check(L)));
  return 1;
}

int dls_world_get_joints(lua_State *L) {
  const dls_world *w = check(L);
  lua_settop(L, 1);
  lua_newtable(L);
  for (int i = 0, n = 0; i < w->n_joints; i++) {
    if (!w->joints[i].alive) continue;
    dls_push_joint(L, 1, i);
    lua_rawseti(L, 2, ++n);
  }
  return 1;
}

int dls_world_get_ground(lua_State *L) {
  (void)check(L);
  dls_push_body(L, 1, 0);
  return 1;
}

int dls_world_find_lua(lua_State *L) {
  const dls_world *w = check(L);
  static const dls_at at = {"world:find", "name", 0, 0};
  if (lua_type(L, 2) != LUA_TSTRING) dls_bad(L, &at, "must be a string", 2);
  lua_settop(L, 2);
  for (int i = 1; i < w->n_bodies; i++) {
    lua_settop(L, 2);
    if (!w->bodies[i].alive) continue;
    dls_push_kept_of(L, 1, "bodies", w->bodies[i].slot, w->bodies[i].generation);
    if (lua_isnil(L, -1)) continue;
    lua_getfield(L, -1, "name");
    if (lua_rawequal(L, -1, 2)) {
      dls_push_body(L, 1, i);
      return 1;
    }
  }
  lua_pushnil(L);
  return 1;
}

int dls_world_contacts_lua(lua_State *L) {
  (void)check(L);
  dls_push_visit(L, 1, -1);
  return 1;
}

int dls_world_raycast_lua(lua_State *L) {
  const dls_world *w = check(L);
  static const dls_at at_from = {"world:raycast", "from", 0, 0},
                      at_to = {"world:raycast", "to", 0, 0};
  double from[3] = {0}, to[3] = {0}, x[3];
  dls_read_numbers(L, 2, &at_from, w->dim, from);
  dls_read_numbers(L, 3, &at_to, w->dim, to);
  dls_hit hit;
  int body = dls_world_raycast(w, from, to, &hit);
  if (body < 0) {
    lua_pushnil(L);
    return 1;
  }
  dls_push_body(L, 1, body);
  dls_v3_store(x, hit.point);
  dls_push_vec(L, w->dim, x);
  dls_v3_store(x, hit.normal);
  dls_push_vec(L, w->dim, x);
  lua_pushnumber(L, hit.fraction);
  return 4;
}

/* --- quantities ------------------------------------------------------------------------------- */

int dls_world_energy_lua(lua_State *L) {
  double e[3];
  dls_ready_penalties(L, check(L), "world:energy");
  dls_world_energy(check(L), e);
  for (int i = 0; i < 3; i++) lua_pushnumber(L, e[i]);
  return 3;
}

int dls_world_momentum_lua(lua_State *L) {
  const dls_world *w = check(L);
  double linear[3], angular[3];
  dls_world_momentum(w, linear, angular);
  dls_push_vec(L, w->dim, linear);
  if (w->dim == 2) lua_pushnumber(L, angular[2]);
  else dls_push_vec(L, 3, angular);
  return 2;
}

/* Contacts hold nothing in place for good: only joints take freedom away. The velocities of the
** trees, less the independent rows of rigid joints. */
int dls_world_mobility_lua(lua_State *L) {
  static const char function[] = "world:mobility";
  dls_world *w = dls_check_world(L, 1)->world;
  int n_rows = 0, rank = 0, n = 0;
  dls_settle_world(L, 1);
  dls_ready_trees(L, 1, function);
  const dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links; k++)
    if (w->bodies[t->link_body[k]].type == DLS_DYNAMIC) n += t->forest->links[k].nu;
  if (dls_world_is_constrained(w)) {
    dls_scope scope;
    dls_scope_begin(L, &scope, lua_touserdata(L, 1), 1);
    dls_status status = dls_joints_drive(w, w->time);
    dls_scope_end(&scope, status, function);
    status = dls_constrain_count(w, &n_rows, &rank);
    if (status == DLS_SINGULAR) dls_raise_trees(L, 1, status, function);
    dls_check_status(L, status, function);
  }
  lua_pushinteger(L, n - rank);
  lua_pushinteger(L, rank);
  lua_pushinteger(L, n_rows - rank);
  return 3;
}

int dls_world_ledger_lua(lua_State *L) {
  const dls_ledger *l = &check(L)->ledger;
  lua_createtable(L, 0, 12);
#define FIELD(name)             \
  lua_pushnumber(L, l->name);   \
  lua_setfield(L, -2, #name);
  DLS_LEDGER_LIST(FIELD)
#undef FIELD
  return 1;
}

/* given_up: what max_iterations left undone, in words; false where nothing was. */
static void push_given_up(lua_State *L, unsigned given_up) {
#define X(code, text) text,
  static const char *const words[] = {DLS_WORK_LIST(X)};
#undef X
  int n = 0;
  for (int k = 0; k < DLS_N_WORK; k++) {
    if (!(given_up >> k & 1)) continue;
    if (n++ > 0) lua_pushliteral(L, ", ");
    lua_pushstring(L, words[k]);
  }
  if (n == 0) lua_pushboolean(L, false);
  else lua_concat(L, 2 * n - 1);
  lua_setfield(L, -2, "given_up");
}

int dls_world_get_stats(lua_State *L) {
  const dls_world *w = check(L);
  const dls_stats *s = &w->stats;
  lua_createtable(L, 0, 16);
#define COUNT(name) lua_pushinteger(L, s->name); lua_setfield(L, -2, #name);
#define NUMBER(name) lua_pushnumber(L, s->name); lua_setfield(L, -2, #name);
  COUNT(contacts) COUNT(unknowns) COUNT(pivots) COUNT(iterations) COUNT(islands) COUNT(curbed)
  NUMBER(residual) NUMBER(overlap) NUMBER(penetration) NUMBER(cone_violation) NUMBER(momentum_error)
  NUMBER(energy_balance) NUMBER(correction) NUMBER(impact_gain) NUMBER(stability) NUMBER(work)
#undef COUNT
#undef NUMBER
  lua_pushboolean(L, s->infeasible);
  lua_setfield(L, -2, "infeasible");
  lua_pushboolean(L, s->limited);
  lua_setfield(L, -2, "limited");
  push_given_up(L, s->given_up);
  lua_pushboolean(L, s->overdamped);
  lua_setfield(L, -2, "overdamped");
  if (w->hooks.clock) {
    lua_createtable(L, 0, DLS_N_PHASES);
#define PHASE(code, text)                          \
  lua_pushnumber(L, w->phase[DLS_PHASE_##code]);   \
  lua_setfield(L, -2, text);
    DLS_PHASE_LIST(PHASE)
#undef PHASE
    lua_setfield(L, -2, "time");
  }
  lua_pushinteger(L, w->n_unconverged);
  lua_setfield(L, -2, "unconverged");
  lua_pushinteger(L, w->impacts);
  lua_setfield(L, -2, "impacts");
  lua_pushinteger(L, w->steps);
  lua_setfield(L, -2, "steps");
  return 1;
}

int dls_world_get_events(lua_State *L) {
  const dls_world *w = check(L);
  lua_settop(L, 1);
  lua_createtable(L, w->n_events, 0);
  for (int i = 0; i < w->n_events; i++) {
    dls_push_event(L, 1, &w->events[i]);
    lua_rawseti(L, 2, i + 1);
  }
  return 1;
}
