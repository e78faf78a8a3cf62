/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/shape.h"
#include "bind/shape_parts.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

/* What a shape answers to. */

const dls_shape *dls_test_shape(lua_State *L, int idx) {
  const dls_shape_value *box = dls_class_test(L, idx, &dls_shape_class);
  return box == NULL ? NULL : box->shape;
}

const dls_shape *dls_check_shape(lua_State *L, int idx) {
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
  lua_pushstring(L, dls_shape_name(dls_check_shape(L, 1)->kind));
  return 1;
}
static int get_radius(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  return number_or_nil(L, has_radius(s), s->radius);
}
static int get_radius1(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  return number_or_nil(L, s->kind == DLS_SHAPE_CONE, s->radius);
}
static int get_radius2(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  return number_or_nil(L, s->kind == DLS_SHAPE_CONE, s->radius2);
}
static int get_length(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  bool has = s->kind == DLS_SHAPE_CAPSULE || s->kind == DLS_SHAPE_CYLINDER ||
             s->kind == DLS_SHAPE_CONE || s->kind == DLS_SHAPE_DRUM;
  return number_or_nil(L, has && s->half.x < DLS_INF, 2 * s->half.x);
}
static int get_radii(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  const double radii[3] = {s->half.x, s->half.y, s->half.z};
  if (s->kind == DLS_SHAPE_ELLIPSOID) dls_push_vec(L, 3, radii);
  else lua_pushnil(L);
  return 1;
}
static int get_size(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  double size[3] = {2 * s->half.x, 2 * s->half.y, 2 * s->half.z};
  if (s->kind != DLS_SHAPE_BOX) lua_pushnil(L);
  else dls_push_vec(L, s->dims & DLS_PLANAR ? 2 : 3, size);
  return 1;
}
static int get_normal(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  double normal[3] = {s->normal.x, s->normal.y, s->normal.z};
  if (s->kind != DLS_SHAPE_PLANE) lua_pushnil(L);
  else dls_push_vec(L, s->dims == DLS_PLANAR ? 2 : 3, normal);
  return 1;
}
static int get_offset(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
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
  const dls_shape *s = dls_check_shape(L, 1);
  bool has = s->kind == DLS_SHAPE_POLYGON || s->kind == DLS_SHAPE_SEGMENT ||
             s->kind == DLS_SHAPE_CONVEX;
  if (has) return push_points(L, s->n_points, s->points, s->dims & DLS_PLANAR ? 2 : 3);
  lua_pushnil(L);
  return 1;
}
static int get_vertices(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  if (s->kind == DLS_SHAPE_MESH) return push_points(L, s->n_points, s->points, 3);
  lua_pushnil(L);
  return 1;
}
static int get_faces(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
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
  const dls_shape *s = dls_check_shape(L, 1);
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
  const dls_shape *s = dls_check_shape(L, 1);
  if (s->kind == DLS_SHAPE_DRUM) lua_pushboolean(L, s->ends);
  else lua_pushnil(L);
  return 1;
}
static int get_planar(lua_State *L) {
  lua_pushboolean(L, (dls_check_shape(L, 1)->dims & DLS_PLANAR) != 0);
  return 1;
}
static int get_spatial(lua_State *L) {
  lua_pushboolean(L, (dls_check_shape(L, 1)->dims & DLS_SPATIAL) != 0);
  return 1;
}
static int get_solid(lua_State *L) {
  lua_pushboolean(L, dls_check_shape(L, 1)->solid);
  return 1;
}

/* The children's shapes are held by new userdata of their own. */
static int get_children(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
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
  const dls_shape *s = dls_check_shape(L, 1);
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

static int shape_tostring(lua_State *L) {
  const dls_shape *s = dls_check_shape(L, 1);
  const char *name = dls_shape_name(s->kind);
  switch (s->kind) {
    case DLS_SHAPE_DISK:
    case DLS_SHAPE_SPHERE:
      lua_pushfstring(L, "delassus.%s { radius = %f }", name, s->radius);
      break;
    case DLS_SHAPE_CAPSULE:
    case DLS_SHAPE_CYLINDER:
      lua_pushfstring(L, "delassus.%s { radius = %f, length = %f }", name, s->radius,
                      2 * s->half.x);
      break;
    case DLS_SHAPE_CONE:
      lua_pushfstring(L, "delassus.cone { radius1 = %f, radius2 = %f, length = %f }", s->radius,
                      s->radius2, 2 * s->half.x);
      break;
    case DLS_SHAPE_ELLIPSOID:
      lua_pushfstring(L, "delassus.ellipsoid { radii = {%f, %f, %f} }", s->half.x, s->half.y,
                      s->half.z);
      break;
    case DLS_SHAPE_BOX:
      lua_pushfstring(L, "delassus.box { size = {%f, %f", 2 * s->half.x, 2 * s->half.y);
      if (s->dims & DLS_SPATIAL)
        lua_pushfstring(L, "%s, %f} }", lua_tostring(L, -1), 2 * s->half.z);
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
    case DLS_SHAPE_COMPOUND:
      lua_pushfstring(L, "delassus.compound (%d shapes)", s->n_children);
      break;
    default: lua_pushfstring(L, "delassus.%s (%d points)", name, s->n_points);
  }
  return 1;
}

static const dls_method methods[] = {
    {"mass", dls_shape_mass_lua, "(density, planar) mass, centre, inertia about the centre"},
    {"bounds", dls_shape_bounds_lua, "(pose) corners of the box around it"},
    {"support", dls_shape_support_lua, "(direction) its farthest point, in its own frame"},
    {"distance", dls_shape_distance_lua, "(pose, other, pose) gap, point_a, point_b, normal"},
    {"contacts", dls_shape_contacts_lua, "(pose, other, pose, margin) list of contact points"},
    {"raycast", dls_shape_raycast_lua, "(pose, from, to) fraction, point, normal; nil for a miss"},
    {NULL, NULL, NULL}};

static const dls_property properties[] = {
    {"kind", get_kind, NULL, "\"disk\", \"box\", ..."},
    {"radius", get_radius, NULL, "m"},
    {"radius1", get_radius1, NULL, "of a cone at -x, m"},
    {"radius2", get_radius2, NULL, "of a cone at +x, m"},
    {"radii", get_radii, NULL, "semi-axes of an ellipsoid along x, y, z, m"},
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

const dls_class dls_shape_class = {"delassus.shape", "shape", methods, properties,
                                   meta, NULL, NULL};
