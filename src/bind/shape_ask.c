/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/shape_parts.h"

#include "core/math/elementary.h"
#include "core/math/quat.h"

/* What shapes are asked: mass, bounds, support, distances, contacts, rays. */

/* Whether a question about shapes with these dims and poses is of the plane. Both are possible only
** for shapes that serve both with no pose: then it is of space. */
static bool choose_planar(lua_State *L, const char *function, int dims) {
  if (dims == 0)
    dls_raise(L, function, "one is of the plane, the other of space (positions of 2 or 3 numbers, "
                           "shapes of one kind)");
  return (dims & DLS_SPATIAL) == 0;
}

static void push_vec3(lua_State *L, dls_vec3 v, bool planar) {
  double x[3] = {v.x, v.y, v.z};
  dls_push_vec(L, planar ? 2 : 3, x);
}

/* shape:mass(density, planar) */
int dls_shape_mass_lua(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  const dls_at at = {"shape:mass", "density", 0, 0};
  double density = lua_isnoneornil(L, 2) ? 1000 : dls_check_number(L, 2, &at);
  if (!(density > 0)) dls_bad(L, &at, "must be > 0", 2);
  int dims = (int)s->dims;
  if (!lua_isnoneornil(L, 3)) dims &= lua_toboolean(L, 3) ? DLS_PLANAR : DLS_SPATIAL;
  if (dims == 0)
    dls_raise(L, "shape:mass", "this %s is of %s", dls_shape_name(s->kind),
              s->dims & DLS_PLANAR ? "the plane" : "space");
  bool planar = choose_planar(L, "shape:mass", dims);
  dls_mass mass;
  dls_shape_mass(s, planar, density, &mass);
  lua_pushnumber(L, mass.mass);
  push_vec3(L, mass.centre, planar);
  if (planar) lua_pushnumber(L, mass.inertia.m[8]);
  else dls_push_matrix(L, 3, 3, mass.inertia.m);
  return 3;
}

/* shape:bounds(pose) */
int dls_shape_bounds_lua(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  dls_pose_arg pose = dls_take_pose(L, 2, "shape:bounds");
  bool planar = choose_planar(L, "shape:bounds", pose.dims & (int)s->dims);
  dls_vec3 lo = {0, 0, 0}, hi = {0, 0, 0};
  if (planar) {
    dls_vec2 a, b;
    dls_shape_bounds2(s, &pose.pose2, &a, &b);
    lo = dls_v3(a.x, a.y, 0), hi = dls_v3(b.x, b.y, 0);
  } else {
    dls_shape_bounds3(s, &pose.pose3, &lo, &hi);
  }
  push_vec3(L, lo, planar);
  push_vec3(L, hi, planar);
  return 2;
}

/* shape:support(direction) -> the farthest point in that direction, in the shape's frame */
int dls_shape_support_lua(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  const dls_at at = {"shape:support", NULL, 0, 0};
  const dls_vector_arg d = dls_take_vector(L, 2, &at);
  if (d.n != 2 && d.n != 3) dls_raise(L, "shape:support", "needs 2 or 3 numbers, got %d", d.n);
  bool planar = choose_planar(L, "shape:support",
                              (d.n == 2 ? DLS_PLANAR : DLS_SPATIAL) & (int)s->dims);
  if (!s->bounded) dls_raise(L, "shape:support", "a %s has no end", dls_shape_name(s->kind));
  push_vec3(L, dls_shape_support(s, planar, dls_v3(d.x[0], d.x[1], planar ? 0 : d.x[2])), planar);
  return 1;
}

typedef struct pair {
  const dls_shape *a, *b; /* of users, borrowed */
  dls_pose_arg pose_a, pose_b; /* of their frames: m, unit quaternion or rad */
  bool planar; /* both are shapes of the plane */
} pair;

/* Arguments 1 to 4: shape, pose, shape, pose. */
static pair take_pair(lua_State *L, const char *function) {
  pair p;
  p.a = dls_check_shape(L, 1);
  p.pose_a = dls_take_pose(L, 2, function);
  p.b = dls_test_shape(L, 3);
  const dls_at at = {function, NULL, 0, 0};
  if (p.b == NULL) dls_bad(L, &at, "expected a shape", 3);
  p.pose_b = dls_take_pose(L, 4, function);
  int dims = p.pose_a.dims & p.pose_b.dims & (int)p.a->dims & (int)p.b->dims;
  p.planar = choose_planar(L, function, dims);
  return p;
}

/* shape:distance(pose, other, pose) -> gap, point_a, point_b, normal; nil where there is none */
int dls_shape_distance_lua(lua_State *L) {
  lua_settop(L, 4);
  pair p = take_pair(L, "distance");
  dls_touch t;
  bool found = p.planar ? dls_distance2(p.a, &p.pose_a.pose2, p.b, &p.pose_b.pose2, &t)
                        : dls_distance3(p.a, &p.pose_a.pose3, p.b, &p.pose_b.pose3, &t);
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushnumber(L, t.gap);
  push_vec3(L, t.point_a, p.planar);
  push_vec3(L, t.point_b, p.planar);
  push_vec3(L, t.normal, p.planar);
  return 4;
}

static void push_touch(lua_State *L, const dls_touch *t, bool planar) {
  lua_createtable(L, 0, 5);
  push_vec3(L, t->point_a, planar);
  lua_setfield(L, -2, "point_a");
  push_vec3(L, t->point_b, planar);
  lua_setfield(L, -2, "point_b");
  push_vec3(L, t->normal, planar);
  lua_setfield(L, -2, "normal");
  lua_pushnumber(L, t->gap);
  lua_setfield(L, -2, "gap");
  lua_pushinteger(L, (lua_Integer)t->key);
  lua_setfield(L, -2, "key");
}

static int collide(const pair *p, double margin, dls_touch *out, int room) {
  return p->planar
             ? dls_collide2(p->a, &p->pose_a.pose2, p->b, &p->pose_b.pose2, margin, out, room)
             : dls_collide3(p->a, &p->pose_a.pose3, p->b, &p->pose_b.pose3, margin, out, room);
}

/* shape:contacts(pose, other, pose, margin) -> list of { gap, normal, point_a, point_b, key } */
int dls_shape_contacts_lua(lua_State *L) {
  lua_settop(L, 5);
  pair p = take_pair(L, "shape:contacts");
  const dls_at at = {"shape:contacts", "margin", 0, 0};
  double margin = lua_isnil(L, 5) ? 0 : dls_check_number(L, 5, &at);
  if (!(margin >= 0)) dls_bad(L, &at, "must be >= 0", 5);
  int n = collide(&p, margin, NULL, 0);
  dls_touch *touches = lua_newuserdatauv(L, (size_t)n * sizeof *touches + 1, 0);
  /* what is there twice at the edges of a mesh is known with room only */
  n = collide(&p, margin, touches, n);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    push_touch(L, &touches[i], p.planar);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* shape:raycast(pose, from, to) -> fraction, point, normal; nil for a miss */
int dls_shape_raycast_lua(lua_State *L) {
  lua_settop(L, 4);
  const dls_shape *s = dls_check_shape(L, 1);
  dls_pose_arg pose = dls_take_pose(L, 2, "shape:raycast");
  const dls_at at = {"shape:raycast", NULL, 0, 0};
  const dls_vector_arg from = dls_take_vector(L, 3, &at), to = dls_take_vector(L, 4, &at);
  if (from.n != to.n || (from.n != 2 && from.n != 3))
    dls_raise(L, "shape:raycast", "'from' and 'to' must both be 2 or 3 numbers");
  int dims = pose.dims & (int)s->dims & (from.n == 2 ? DLS_PLANAR : DLS_SPATIAL);
  bool planar = choose_planar(L, "shape:raycast", dims);
  dls_hit hit;
  bool found = planar ? dls_raycast2(s, &pose.pose2, dls_v2(from.x[0], from.x[1]),
                                     dls_v2(to.x[0], to.x[1]), &hit)
                      : dls_raycast3(s, &pose.pose3, dls_v3_load(from.x), dls_v3_load(to.x), &hit);
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushnumber(L, hit.fraction);
  push_vec3(L, hit.point, planar);
  push_vec3(L, hit.normal, planar);
  return 3;
}
