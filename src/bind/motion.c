/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/motion.h"

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

static const char who[] = "motion";

/* What one call answered. */
typedef struct answer {
  /* position, m; unit quaternion; m/s; rad/s; m/s^2; rad/s^2 */
  double x[3], r[4], v[3], w[3], a[3], e[3];
  bool has[6]; /* which of these six were answered */
} answer;

static void read_spin(lua_State *L, int idx, int dim, const dls_at *at, double *out) {
  if (dim == 2) out[0] = dls_check_number(L, idx, at);
  else dls_read_numbers(L, idx, at, 3, out);
}

/* Calls the function at idx; places that it does not tell are those of `told`. */
static void call(lua_State *L, int idx, int dim, double t, const dls_motion_told *told,
                 answer *out) {
  static const dls_at places[6] = {
      {who, "position", 0, 0},     {who, "rotation", 0, 0},
      {who, "velocity", 0, 0},     {who, "angular_velocity", 0, 0},
      {who, "acceleration", 0, 0}, {who, "angular_acceleration", 0, 0}};
  const int top = lua_gettop(L);
  memset(out, 0, sizeof *out);
  memcpy(out->x, told->position, sizeof out->x);
  memcpy(out->r, told->rotation, sizeof out->r);
  lua_pushvalue(L, idx);
  lua_pushnumber(L, t);
  lua_call(L, 1, 6);
  for (int i = 0; i < 6; i++) out->has[i] = !lua_isnil(L, top + 1 + i);
  if (out->has[0]) dls_read_numbers(L, top + 1, &places[0], dim, out->x);
  if (out->has[1] && dim == 2) out->r[0] = dls_check_number(L, top + 2, &places[1]);
  else if (out->has[1]) dls_read_rotation3(L, top + 2, &places[1], NULL, out->r);
  if (out->has[2]) dls_read_numbers(L, top + 3, &places[2], dim, out->v);
  if (out->has[3]) read_spin(L, top + 4, dim, &places[3], out->w);
  if (out->has[4]) dls_read_numbers(L, top + 5, &places[4], dim, out->a);
  if (out->has[5]) read_spin(L, top + 6, dim, &places[5], out->e);
  lua_settop(L, top);
}

/* (b - a) / d */
static void slope(const double a[3], const double b[3], double d, double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = (b[i] - a[i]) / d;
}

/* The steady angular velocity that turns a into b within the time d. */
static void turning(int dim, const double a[4], const double b[4], double d, double out[3]) {
  if (dim == 2) {
    out[0] = (b[0] - a[0]) / d;
    return;
  }
  dls_quat turn = dls_q_mul(dls_q_load(b), dls_q_conj(dls_q_load(a)));
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const dls_vec3 axis = dls_v3(turn.x, turn.y, turn.z);
  const double sine = dls_v3_norm(axis);
  const double k = sine > 0 ? 2 * dls_atan2(sine, turn.w) / sine : 2;
  dls_v3_store(out, dls_v3_scale(k / d, axis));
}

void dls_motion_ask(lua_State *L, int idx, const dls_world *w, double t, bool second,
                    dls_motion_told *told) {
  const int dim = w->dim;
  answer now, before, after;
  luaL_checkstack(L, 12, who);
  call(L, idx, dim, t, told, &now);
  memcpy(told->position, now.x, sizeof now.x);
  memcpy(told->rotation, now.r, sizeof now.r);
  const bool lost_v = !now.has[2] && now.has[0], lost_w = !now.has[3] && now.has[1];
  const bool lost_a = second && !now.has[4], lost_e = second && !now.has[5];
  told->velocity_of_origin = !now.has[2];
  told->acceleration_of_origin = !now.has[4] && !now.has[2];
  if (lost_v || lost_w || (lost_a && now.has[2]) || (lost_e && now.has[3])) {
    const double d = 0.01 * w->dt;
    call(L, idx, dim, t - d, told, &before);
    call(L, idx, dim, t + d, told, &after);
    if (lost_v) slope(before.x, after.x, 2 * d, now.v);
    if (lost_w) turning(dim, before.r, after.r, 2 * d, now.w);
    if (lost_a && now.has[2]) slope(before.v, after.v, 2 * d, now.a);
    if (lost_e && now.has[3]) slope(before.w, after.w, 2 * d, now.e);
  }
  if ((lost_a && lost_v) || (lost_e && lost_w)) {
    const double d = 0.1 * w->dt;
    double x[2][3] = {{0}, {0}};
    call(L, idx, dim, t - d, told, &before);
    call(L, idx, dim, t + d, told, &after);
    for (int i = 0; i < 3 && lost_a && lost_v; i++)
      now.a[i] = ((after.x[i] - now.x[i]) - (now.x[i] - before.x[i])) / (d * d);
    if (lost_e && lost_w) {
      turning(dim, before.r, now.r, d, x[0]);
      turning(dim, now.r, after.r, d, x[1]);
      slope(x[0], x[1], d, now.e);
    }
  }
  memcpy(told->velocity, now.v, sizeof now.v);
  memcpy(told->angular, now.w, sizeof now.w);
  memcpy(told->acceleration, now.a, sizeof now.a);
  memcpy(told->acceleration + 3, now.e, sizeof now.e);
}

/* Protected: function, world and answer (light). */
static int ask_now(lua_State *L) {
  const dls_world *w = lua_touserdata(L, 2);
  dls_motion_ask(L, 1, w, w->time, false, lua_touserdata(L, 3));
  return 0;
}

bool dls_motion_try(lua_State *L, int idx, dls_world *w, dls_motion_told *told) {
  const int top = lua_gettop(L);
  dls_motion_told now = *told;
  lua_pushvalue(L, idx);
  lua_pushcfunction(L, ask_now);
  lua_insert(L, -2);
  lua_pushlightuserdata(L, w);
  lua_pushlightuserdata(L, &now);
  w->stepping = true;
  const int status = lua_pcall(L, 3, 0, 0);
  w->stepping = false;
  if (status == LUA_ERRMEM) lua_error(L);
  lua_settop(L, top);
  if (status == LUA_OK) *told = now;
  return status == LUA_OK;
}

void dls_motion_to_centre(int dim, const double com[3], dls_motion_told *told) {
  dls_vec3 r = dls_v3_load(com), w = dls_v3_load(told->angular),
           e = dls_v3_load(told->acceleration + 3);
  if (dim == 2) {
    double s, c;
    dls_sincos(told->rotation[0], &s, &c);
    r = dls_v3(c * r.x - s * r.y, s * r.x + c * r.y, 0);
    w = dls_v3(0, 0, told->angular[0]);
    e = dls_v3(0, 0, told->acceleration[3]);
  } else {
    r = dls_q_rotate(dls_q_load(told->rotation), r);
  }
  const dls_vec3 v = dls_v3_cross(w, r);
  const dls_vec3 a = dls_v3_add(dls_v3_cross(e, r), dls_v3_cross(w, v));
  dls_v3_store(told->position, dls_v3_add(dls_v3_load(told->position), r));
  if (told->velocity_of_origin)
    dls_v3_store(told->velocity, dls_v3_add(dls_v3_load(told->velocity), v));
  if (told->acceleration_of_origin)
    dls_v3_store(told->acceleration, dls_v3_add(dls_v3_load(told->acceleration), a));
}

void dls_motion_begin(dls_world *w, int body, dls_motion_told *told) {
  const size_t d = (size_t)w->dim, nu = (size_t)DLS_NU(w->dim);
  double *u = w->u + (size_t)body * nu;
  dls_body_place(w, body, told->position, told->rotation);
  dls_motion_to_centre(w->dim, w->bodies[body].com, told);
  memcpy(u, told->velocity, d * sizeof *u);
  memcpy(u + d, told->angular, (nu - d) * sizeof *u);
}
