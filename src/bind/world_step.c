/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_penalty.h"
#include "bind/world_parts.h"

/* Stepping: n steps whole, or as many as fit before Lua is looked in on. */

static int not_converged(lua_State *L, const dls_world *w) {
  if (w->apart_joint >= 0)
    return dls_raise(
        L, "world:step",
        "what joints hold cannot hold together and 'strict' is set (joint #%d is apart by %f)",
        w->joints[w->apart_joint].slot + 1, w->apart);
  if (w->solve.tolerance > 0)
    return dls_raise(L, "world:step",
                     "the solver missed the tolerance and 'strict' is set (residual %f, limit %f)",
                     w->fault_value, w->solve.tolerance);
  return dls_raise(L, "world:step",
                   "the solver missed the default tolerance and 'strict' is set (residual %f)",
                   w->fault_value);
}

static int out_of_range(lua_State *L, const dls_world *w) {
  if (w->fault < 0)
    return dls_raise(L, "world:step", "the energies went beyond the range of numbers");
  return dls_raise(
      L, "world:step",
      "body #%d went beyond the range of numbers (its velocity, or what acts on it, is too large)",
      w->bodies[w->fault].slot);
}

/* Up to n steps, or until the watch says to look in on Lua; -> steps done. None goes beyond the
** time `to` where steps go from event to event. The world is at 1. Within long steps hooks get
** their turn, too; while they run the world is in a step. */
static lua_Integer steps(lua_State *L, dls_world_box *box, lua_Integer n, double to,
                         double seconds) {
  dls_listener ear;
  dls_listen(&ear, L);
  dls_world *w = box->world;
  dls_watch watch = dls_watch_start();
  lua_Integer done = 0;
  dls_status status = DLS_OK;
  box->call = &ear.call; // cppcheck-suppress autoVariables ; taken back before it returns
  w->stop = &ear.stop;   // cppcheck-suppress autoVariables ; taken back before it returns
  box->self = 1;
  box->in_step = true;
  while (status == DLS_OK && done < n) {
    status = dls_world_step_to(w, to);
    if (status != DLS_OK) break;
    done++;
    if (box->ring) dls_ring_take(box->ring, w);
    if (box->pending) dls_world_remove_pending(L, box);
    if (seconds > 0 && dls_watch_elapsed(&watch) > seconds) break;
  }
  w->stop = NULL;
  box->call = NULL;
  box->in_step = false;
  if (status != DLS_OK) box->pending = false;
  if (status == DLS_STOPPED && box->lent && lua_isnil(L, ear.call.slot))
    dls_raise(L, "world:step", "stopped by a function of the host");
  dls_raise_events(L, 1, status, "world:step");
  if (status == DLS_STATE) not_converged(L, w);
  if (status == DLS_RANGE) out_of_range(L, w);
  dls_raise_trees(L, 1, status, "world:step");
  dls_raise_unstable(L, 1, status, "world:step");
  dls_call_report(&ear.call, status, "world:step");
  return done;
}

int dls_world_step_lua(lua_State *L) {
  static const dls_at at = {"world:step", "n", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, "world:step");
  lua_Integer n = 1;
  if (!lua_isnoneornil(L, 2)) dls_read_int64(L, 2, &at, NULL, &n);
  if (n < 0) dls_bad(L, &at, "must be >= 0", 2);
  lua_settop(L, 1);
  dls_watch watch = dls_watch_start();
  for (lua_Integer left = n; left > 0;) {
    left -= steps(L, box, left, DLS_INF, n > 1 ? DLS_RUN_SLICE : 0);
    lua_settop(L, 1);
    if (left == 0) break;
    dls_look_in(L, &watch); /* hooks (Ctrl-C) may do anything */
    box = dls_check_unlocked(L, 1, "world:step");
  }
  return 0;
}

/* slice(world, n [, to]) -> steps done: what run is made of. An event-driven world stops at the
** time `to`. */
int dls_world_slice_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, "world:run");
  lua_Integer n = luaL_checkinteger(L, 2);
  const double to = luaL_optnumber(L, 3, DLS_INF);
  lua_settop(L, 1);
  lua_Integer done = steps(L, box, n, to, DLS_RUN_SLICE);
  lua_pushinteger(L, done);
  return 1;
}
