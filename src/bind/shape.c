/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/shape.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

/* What a shape answers to. */

const dls_shape *dls_test_shape(lua_State *L, int idx) {
  const dls_shape_value *box = dls_class_test(L, idx, &dls_shape_class);
  return box == NULL ? NULL : box->shape;
}

static const dls_shape *check(lua_State *L, int idx) {
  const dls_shape_value *box = dls_class_check(L, idx, &dls_shape_class);
  if (box->shape == NULL) dls_raise(L, "shape", "it is gone: its state is being closed");
  return box->shape;
}

void dls_read_shape(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  const dls_shape *shape = dls_test_shape(L, idx);
  if (shape == NULL) dls_bad(L, at, "must be a shape", idx);
  *(const dls_shape **)out = shape;
}

static int release(lua_State *L) {
  dls_shape_value *box = luaL_checkudata(L, 1, dls_shape_class.name);
  dls_shape *shape = box->shape;
  box->shape = NULL;
  dls_shape_drop(shape);
  return 0;
}

/* --- properties: nil where the kind has no such thing ---------------------------------------- */

static bool has_radius(const dls_shape *s) {
  return s->radius > 0 && s->kind != DLS_SHAPE_CONE;
}

static int number_or_nil(lua_State *L, bool has, double x) {
  if (has) lua_pushnumber(L, x);
  else lua_pushnil(L);
  return 1;
}

static int get_kind(lua_State *L) {
  lua_pushstring(L, dls_shape_name(check(L, 1)->kind));
  return 1;
}
static int get_radius(lua_State *L) {
  const dls_shape *s = check(L, 1);
  return number_or_nil(L, has_radius(s), s->radius);
}
static int get_radius1(lua_State *L) {
  const dls_shape *s = check(L, 1);
  return number_or_nil(L, s->kind == DLS_SHAPE_CONE, s->radius);
}
static int get_radius2(lua_State *L) {
  const dls_shape *s = check(L, 1);
  return number_or_nil(L, s->kind == DLS_SHAPE_CONE, s->radius2);
}
static int get_length(lua_State *L) {
  const dls_shape *s = check(L, 1);
  bool has = s->kind == DLS_SHAPE_CAPSULE || s->kind == DLS_SHAPE_CYLINDER ||
             s->kind == DLS_SHAPE_CONE || s->kind == DLS_SHAPE_DRUM;
  return number_or_nil(L, has && s->half.x < DLS_INF, 2 * s->half.x);
}
static int get_size(lua_State *L) {
  const dls_shape *s = check(L, 1);
  double size[3] = {2 * s->half.x, 2 * s->half.y, 2 * s->half.z};
  if (s->kind != DLS_SHAPE_BOX) lua_pushnil(L);
  else dls_push_vec(L, s->dims & DLS_PLANAR ? 2 : 3, size);
  return 1;
}
static int get_normal(lua_State *L) {
  const dls_shape *s = check(L, 1);
  double normal[3] = {s->normal.x, s->normal.y, s->normal.z};
  if (s->kind != DLS_SHAPE_PLANE) lua_pushnil(L);
  else dls_push_vec(L, 3, normal);
  return 1;
}
static int get_offset(lua_State *L) {
  const dls_shape *s = check(L, 1);
  return number_or_nil(L, s->kind == DLS_SHAPE_PLANE, s->offset);
}

/* A list of vecs. */
static int push_points(lua_State *L, int n, const dls_vec3 *points, int n_coordinates) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    double x[3] = {points[i].x, points[i].y, points[i].z};
    dls_push_vec(L, n_coordinates, x);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}
static int get_points(lua_State *L) {
  const dls_shape *s = check(L, 1);
  bool has = s->kind == DLS_SHAPE_POLYGON || s->kind == DLS_SHAPE_SEGMENT ||
             s->kind == DLS_SHAPE_CONVEX;
  if (has) return push_points(L, s->n_points, s->points, s->dims & DLS_PLANAR ? 2 : 3);
  lua_pushnil(L);
  return 1;
}
static int get_vertices(lua_State *L) {
  const dls_shape *s = check(L, 1);
  if (s->kind == DLS_SHAPE_MESH) return push_points(L, s->n_points, s->points, 3);
  lua_pushnil(L);
  return 1;
}
static int get_faces(lua_State *L) {
  const dls_shape *s = check(L, 1);
  bool has = s->kind == DLS_SHAPE_MESH || s->kind == DLS_SHAPE_CONVEX;
  if (!has) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, s->n_faces, 0);
  for (int f = 0; f < s->n_faces; f++) {
    lua_createtable(L, s->faces[f].count, 0);
    for (int k = 0; k < s->faces[f].count; k++) {
      lua_pushinteger(L, s->face_points[s->faces[f].first + k] + 1);
      lua_rawseti(L, -2, k + 1);
    }
    lua_rawseti(L, -2, f + 1);
  }
  return 1;
}
static int get_lifters(lua_State *L) {
  const dls_shape *s = check(L, 1);
  if (s->lifters.count == 0) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, s->lifters.count);
  lua_setfield(L, -2, "count");
  lua_pushnumber(L, s->lifters.height);
  lua_setfield(L, -2, "height");
  lua_pushnumber(L, s->lifters.width);
  lua_setfield(L, -2, "width");
  return 1;
}
static int get_ends(lua_State *L) {
  const dls_shape *s = check(L, 1);
  if (s->kind == DLS_SHAPE_DRUM) lua_pushboolean(L, s->ends);
  else lua_pushnil(L);
  return 1;
}
static int get_planar(lua_State *L) {
  lua_pushboolean(L, (check(L, 1)->dims & DLS_PLANAR) != 0);
  return 1;
}
static int get_spatial(lua_State *L) {
  lua_pushboolean(L, (check(L, 1)->dims & DLS_SPATIAL) != 0);
  return 1;
}
static int get_solid(lua_State *L) {
  lua_pushboolean(L, check(L, 1)->solid);
  return 1;
}

/* The children's shapes are held by new userdata of their own. */
static int get_children(lua_State *L) {
  const dls_shape *s = check(L, 1);
  if (s->kind != DLS_SHAPE_COMPOUND) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, s->n_children, 0);
  for (int i = 0; i < s->n_children; i++) {
    dls_shape_value *box = dls_class_new(L, &dls_shape_class, sizeof *box, 0);
    box->shape = dls_shape_hold(s->children[i].shape);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}


/* Where each child stands: { position, rotation }, as a body of the plane or of space is placed. */
static int get_placements(lua_State *L) {
  const dls_shape *s = check(L, 1);
  if (s->kind != DLS_SHAPE_COMPOUND) {
    lua_pushnil(L);
    return 1;
  }
  lua_createtable(L, s->n_children, 0);
  for (int i = 0; i < s->n_children; i++) {
    const dls_pose2 *T2 = &s->children[i].pose2;
    const dls_pose3 *T3 = &s->children[i].pose3;
    const bool planar = (s->dims & DLS_PLANAR) != 0;
    const double position[3] = {planar ? T2->x : T3->p.x, planar ? T2->y : T3->p.y, T3->p.z};
    lua_createtable(L, 0, 2);
    dls_push_vec(L, planar ? 2 : 3, position);
    lua_setfield(L, -2, "position");
    if (planar) {
      lua_pushnumber(L, dls_atan2(T2->s, T2->c));
    } else {
      const dls_quat q = dls_q_from_matrix(&T3->R);
      const double rotation[4] = {q.w, q.x, q.y, q.z};
      dls_push_vec(L, 4, rotation);
    }
    lua_setfield(L, -2, "rotation");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* --- questions --------------------------------------------------------------------------- */

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
static int shape_mass(lua_State *L) {
  const dls_shape *s = check(L, 1);
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
static int shape_bounds(lua_State *L) {
  const dls_shape *s = check(L, 1);
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
static int shape_support(lua_State *L) {
  const dls_shape *s = check(L, 1);
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
  const dls_shape *a, *b;
  dls_pose_arg pose_a, pose_b;
  bool planar;
} pair;

/* Arguments 1 to 4: shape, pose, shape, pose. */
static pair take_pair(lua_State *L, const char *function) {
  pair p;
  p.a = check(L, 1);
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
static int shape_distance(lua_State *L) {
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
static int shape_contacts(lua_State *L) {
  lua_settop(L, 5);
  pair p = take_pair(L, "shape:contacts");
  const dls_at at = {"shape:contacts", "margin", 0, 0};
  double margin = lua_isnil(L, 5) ? 0 : dls_check_number(L, 5, &at);
  if (!(margin >= 0)) dls_bad(L, &at, "must be >= 0", 5);
  int n = collide(&p, margin, NULL, 0);
  dls_touch *touches = lua_newuserdatauv(L, (size_t)n * sizeof *touches + 1, 0);
  collide(&p, margin, touches, n);
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    push_touch(L, &touches[i], p.planar);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* shape:raycast(pose, from, to) -> fraction, point, normal; nil for a miss */
static int shape_raycast(lua_State *L) {
  lua_settop(L, 4);
  const dls_shape *s = check(L, 1);
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

static int shape_tostring(lua_State *L) {
  const dls_shape *s = check(L, 1);
  const char *name = dls_shape_name(s->kind);
  switch (s->kind) {
    case DLS_SHAPE_DISK:
    case DLS_SHAPE_SPHERE: lua_pushfstring(L, "delassus.%s { radius = %f }", name, s->radius); break;
    case DLS_SHAPE_CAPSULE:
    case DLS_SHAPE_CYLINDER:
      lua_pushfstring(L, "delassus.%s { radius = %f, length = %f }", name, s->radius, 2 * s->half.x);
      break;
    case DLS_SHAPE_CONE:
      lua_pushfstring(L, "delassus.cone { radius1 = %f, radius2 = %f, length = %f }", s->radius,
                      s->radius2, 2 * s->half.x);
      break;
    case DLS_SHAPE_BOX:
      lua_pushfstring(L, "delassus.box { size = {%f, %f", 2 * s->half.x, 2 * s->half.y);
      if (s->dims & DLS_SPATIAL) lua_pushfstring(L, "%s, %f} }", lua_tostring(L, -1), 2 * s->half.z);
      else lua_pushfstring(L, "%s} }", lua_tostring(L, -1));
      break;
    case DLS_SHAPE_PLANE:
      lua_pushfstring(L, "delassus.plane { normal = {%f, %f, %f}, offset = %f }", s->normal.x,
                      s->normal.y, s->normal.z, s->offset);
      break;
    case DLS_SHAPE_DRUM:
      lua_pushfstring(L, "delassus.drum { radius = %f, %d lifters }", s->radius, s->lifters.count);
      break;
    case DLS_SHAPE_MESH:
      lua_pushfstring(L, "delassus.mesh (%d vertices, %d faces)", s->n_points, s->n_faces);
      break;
    case DLS_SHAPE_COMPOUND: lua_pushfstring(L, "delassus.compound (%d shapes)", s->n_children); break;
    default: lua_pushfstring(L, "delassus.%s (%d points)", name, s->n_points);
  }
  return 1;
}

static const dls_method methods[] = {
    {"mass", shape_mass, "(density, planar) mass, centre, inertia about the centre"},
    {"bounds", shape_bounds, "(pose) corners of the box around it"},
    {"support", shape_support, "(direction) its farthest point, in its own frame"},
    {"distance", shape_distance, "(pose, other, pose) gap, point_a, point_b, normal"},
    {"contacts", shape_contacts, "(pose, other, pose, margin) list of contact points"},
    {"raycast", shape_raycast, "(pose, from, to) fraction, point, normal; nil for a miss"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"kind", get_kind, NULL, "\"disk\", \"box\", ..."},
    {"radius", get_radius, NULL, "m"},
    {"radius1", get_radius1, NULL, "of a cone at -x, m"},
    {"radius2", get_radius2, NULL, "of a cone at +x, m"},
    {"length", get_length, NULL, "along x, m; of a capsule the straight part"},
    {"size", get_size, NULL, "of a box, m"},
    {"normal", get_normal, NULL, "of a plane, unit"},
    {"offset", get_offset, NULL, "of a plane along its normal, m"},
    {"points", get_points, NULL, "corners of a polygon, segment or convex, m"},
    {"vertices", get_vertices, NULL, "of a mesh, m"},
    {"faces", get_faces, NULL, "of a mesh or convex, places in its points"},
    {"lifters", get_lifters, NULL, "of a drum: count, height, width; nil without"},
    {"ends", get_ends, NULL, "whether a drum is closed by end walls"},
    {"children", get_children, NULL, "shapes of a compound"},
    {"placements", get_placements, NULL, "position and rotation of each child of a compound"},
    {"planar", get_planar, NULL, "can stand in a planar world"},
    {"spatial", get_spatial, NULL, "can stand in a spatial world"},
    {"solid", get_solid, NULL, "has mass: can be a dynamic body"},
    {NULL, NULL, NULL, NULL}};

static const luaL_Reg meta[] = {{"__tostring", shape_tostring}, {"__gc", release}, {NULL, NULL}};

const dls_class dls_shape_class = {"delassus.shape", "shape", methods, properties, meta, NULL, NULL};
