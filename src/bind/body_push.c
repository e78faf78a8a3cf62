/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/body_parts.h"

#include "bind/joint.h"

/* What acts on a body. */

/* A point or vector of the body's dimension at idx. */
static dls_vec3 take_vec(lua_State *L, int idx, const dls_child_ref *ref, const dls_at *at) {
  double x[3] = {0};
  dls_read_numbers(L, idx, at, dls_body_dim(ref), x);
  return dls_v3_load(x);
}

int dls_body_velocity_at_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  const dls_at at = {"body:velocity_at", "point", 0, 0};
  dls_vec3 point = take_vec(L, 2, ref, &at);
  double v[3];
  dls_v3_store(v, dls_body_velocity_at(ref->box->world, ref->index, point));
  dls_push_vec(L, dls_body_dim(ref), v);
  return 1;
}

typedef struct push_def {
  double linear[3], angular[3], at[3]; /* N or N s; N m or N m s; m: world axes */
  bool has_at; /* 'at' was given; else the mass centre */
  int dim; /* 2, 3 */
} push_def;

static void read_at(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  dls_read_numbers(L, idx, at, def->dim, def->at);
  def->has_at = true;
}

static void read_linear(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  dls_read_numbers(L, idx, at, def->dim, def->linear);
}

static void read_angular(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  push_def *def = out;
  if (def->dim == 2) dls_read_number(L, idx, at, NULL, &def->angular[2]);
  else dls_read_numbers(L, idx, at, 3, def->angular);
}

static const dls_option apply_rows[] = {{"force", read_linear, 0, NULL, 0, 0},
                                        {"torque", read_angular, 0, NULL, 0, 0},
                                        {"at", read_at, 0, NULL, 0, 0},
                                        {NULL, NULL, 0, NULL, 0, 0}};
static const dls_option impulse_rows[] = {{"impulse", read_linear, 0, NULL, 0, 0},
                                          {"angular_impulse", read_angular, 0, NULL, 0, 0},
                                          {"at", read_at, 0, NULL, 0, 0},
                                          {NULL, NULL, 0, NULL, 0, 0}};

/* The force lasts until changed; a second call replaces the first. */
int dls_body_apply_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body(L, 1);
  push_def def = {.dim = dls_body_dim(ref)};
  dls_read_options(L, 2, "body:apply", apply_rows, &def);
  (void)dls_check_body(L, 1); /* functions of the options may have moved it to another place */
  dls_world *w = ref->box->world;
  dls_vec3 force = dls_v3_load(def.linear), torque = dls_v3_load(def.angular);
  if (def.has_at) {
    const double *q = dls_body_q(ref);
    dls_vec3 r = dls_v3_sub(dls_v3_load(def.at), dls_v3(q[0], q[1], w->dim == 3 ? q[2] : 0));
    torque = dls_v3_add(torque, dls_v3_cross(r, force));
  }
  double *load = w->load + (size_t)ref->index * (size_t)DLS_NU(w->dim);
  if (w->dim == 2) {
    load[0] = force.x;
    load[1] = force.y;
    load[2] = torque.z;
  } else {
    dls_v3_store(load, force);
    dls_v3_store(load + 3, torque);
  }
  return 0;
}

int dls_body_impulse_lua(lua_State *L) {
  const dls_child_ref *ref = dls_check_body_unlocked(L, "velocity");
  push_def def = {.dim = dls_body_dim(ref)};
  dls_read_options(L, 2, "body:impulse", impulse_rows, &def);
  (void)dls_check_body(L, 1);
  dls_vec3 at = dls_v3_load(def.at);
  dls_world *w = ref->box->world;
  if (dls_trees_used(w)) {
    lua_getiuservalue(L, 1, 1);
    dls_ready_trees(L, lua_gettop(L), "body:impulse");
    if (w->trees->body_tree[ref->index] >= 0) {
      dls_status status = dls_tree_impulse(w, ref->index, dls_v3_load(def.linear),
                                           dls_v3_load(def.angular), def.has_at ? &at : NULL);
      if (status == DLS_SINGULAR) dls_raise_trees(L, lua_gettop(L), status, "body:impulse");
      dls_check_status(L, status, "body:impulse");
      return 0;
    }
  }
  double before[6], *u = dls_body_u(ref), sum = 0;
  const size_t nu = (size_t)DLS_NU(def.dim);
  memcpy(before, u, nu * sizeof *u);
  dls_body_impulse(w, ref->index, dls_v3_load(def.linear), dls_v3_load(def.angular),
                   def.has_at ? &at : NULL);
  for (size_t k = 0; k < nu; k++) sum += 0 * u[k];
  if (sum == 0) return 0;
  memcpy(u, before, nu * sizeof *u);
  return dls_raise(L, "body:impulse", "the velocity would be beyond the range of numbers");
}
