/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/open.h"
#include "bind/shape.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"

/* Constructors of shapes: one row of options and one maker a form. */

dls_shape_def dls_shape_def_default(void) {
  dls_shape_def def;
  memset(&def, 0, sizeof def);
  def.normal[1] = 1;
  def.ends = -1;
  return def;
}

/* --- readers ----------------------------------------------------------------------------- */

static void read_size(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_shape_def *def = out;
  const dls_vector_arg list = dls_take_vector(L, idx, at);
  if (list.n != 2 && list.n != 3)
    dls_bad(L, at, "must be {x, y} for a box of the plane or {x, y, z} for one of space", idx);
  def->n_sizes = list.n;
  memcpy(def->size, list.x, (size_t)list.n * sizeof(double));
  for (int i = 0; i < list.n; i++) {
    if (list.x[i] > 0) continue;
    dls_at element = *at;
    element.element = i + 1;
    lua_pushnumber(L, list.x[i]);
    dls_bad(L, &element, "must be > 0", lua_gettop(L));
  }
  lua_pop(L, 1);
}

static void read_radii(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double *radii = out;
  dls_read_vec3(L, idx, at, arg, radii);
  for (int i = 0; i < 3; i++) {
    if (radii[i] > 0) continue;
    dls_at element = *at;
    element.element = i + 1;
    lua_pushnumber(L, radii[i]);
    dls_bad(L, &element, "must be > 0", lua_gettop(L));
  }
}

static void read_normal(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_shape_def *def = out;
  double *normal = def->normal;
  const dls_vector_arg list = dls_take_vector(L, idx, at);
  if (list.n != 2 && list.n != 3) dls_bad(L, at, "must be a list of 2 or 3 numbers", idx);
  def->n_normal = list.n;
  normal[2] = 0;
  memcpy(normal, list.x, (size_t)list.n * sizeof(double));
  if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0)
    dls_bad(L, at, "must not be the zero vector", idx);
  lua_pop(L, 1);
}

static const dls_option lifter_rows[] = {
    {"count", dls_read_count, offsetof(dls_lifters, count), NULL, DLS_REQUIRED, 0},
    {"height", dls_read_positive, offsetof(dls_lifters, height), NULL, DLS_REQUIRED, 0},
    {"width", dls_read_positive, offsetof(dls_lifters, width), NULL, DLS_REQUIRED, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

static void read_lifters(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  if (!lua_istable(L, idx)) dls_bad(L, at, "must be a table { count =, height =, width = }", idx);
  const char *name = lua_pushfstring(L, "%s.lifters", at->function);
  dls_read_options(L, idx, name, lifter_rows, out);
  lua_pop(L, 2);
}

static void read_ends(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  bool ends = false;
  dls_read_boolean(L, idx, at, arg, &ends);
  *(int *)out = ends;
}

/* --- makers ------------------------------------------------------------------------------ */

static dls_status make_disk(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                            dls_fault *fault) {
  return dls_shape_disk(alloc, def->radius, out, fault);
}
static dls_status make_sphere(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                              dls_fault *fault) {
  return dls_shape_sphere(alloc, def->radius, out, fault);
}
static dls_status make_capsule(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                               dls_fault *fault) {
  return dls_shape_capsule(alloc, def->radius, def->length, out, fault);
}
static dls_status make_cylinder(const dls_alloc *alloc, const dls_shape_def *def,
                                dls_shape **out, dls_fault *fault) {
  return dls_shape_cylinder(alloc, def->radius, def->length, out, fault);
}
static dls_status make_cone(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                            dls_fault *fault) {
  return dls_shape_cone(alloc, def->radius1, def->radius2, def->length, out, fault);
}
static dls_status make_ellipsoid(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                                 dls_fault *fault) {
  return dls_shape_ellipsoid(alloc, def->radii, out, fault);
}
static dls_status make_box(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                           dls_fault *fault) {
  return dls_shape_box(alloc, def->n_sizes, def->size, out, fault);
}
static dls_status make_polygon(const dls_alloc *alloc, const dls_shape_def *def,
                               dls_shape **out, dls_fault *fault) {
  return dls_shape_polygon(alloc, def->points.n_rows, def->points.a, out, fault);
}
static dls_status make_segment(const dls_alloc *alloc, const dls_shape_def *def,
                               dls_shape **out, dls_fault *fault) {
  return dls_shape_segment(alloc, def->from, def->to, out, fault);
}
static dls_status make_plane(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                             dls_fault *fault) {
  const dls_status status = dls_shape_plane(alloc, def->normal, def->offset, out, fault);
  if (status == DLS_OK && def->n_normal == 2) (*out)->dims = DLS_PLANAR;
  return status;
}
static dls_status make_drum(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                            dls_fault *fault) {
  bool ends = def->ends < 0 ? def->length > 0 : def->ends != 0;
  return dls_shape_drum(alloc, def->radius, def->length, &def->lifters, ends, out, fault);
}
static dls_status make_convex(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                              dls_fault *fault) {
  return dls_shape_convex(alloc, def->points.n_rows, def->points.a, out, fault);
}

/* Face numbers are checked here, where they are still as the caller counted them. */
static dls_status make_mesh(const dls_alloc *alloc, const dls_shape_def *def, dls_shape **out,
                            dls_fault *fault) {
  int n = def->faces.n_rows;
  int *faces = dls_new(alloc, 3 * (size_t)n, sizeof *faces);
  if (!faces) return DLS_NOMEM;
  dls_status status = DLS_OK;
  for (int i = 0; i < 3 * n && status == DLS_OK; i++) {
    double k = def->faces.a[i];
    bool good = k >= 1 && k <= def->points.n_rows && floor(k) == k;
    if (!good) {
      *fault = (dls_fault){i / 3, k};
      status = DLS_ARG;
    } else {
      faces[i] = (int)k - 1;
    }
  }
  if (!status)
    status = dls_shape_mesh(alloc, def->points.n_rows, def->points.a, n, faces, out, fault);
  dls_free(alloc, faces, 3 * (size_t)n, sizeof *faces);
  return status;
}

/* --- the forms --------------------------------------------------------------------------- */

#define ROW(name, reader, field, flags, place) \
  {name, reader, offsetof(dls_shape_def, field), NULL, flags, place}
#define END {NULL, NULL, 0, NULL, 0, 0}

static const dls_option ball_rows[] = {ROW("radius", dls_read_positive, radius, DLS_REQUIRED, 0), END};
static const dls_option capsule_rows[] = {
    ROW("radius", dls_read_positive, radius, DLS_REQUIRED, 0),
    ROW("length", dls_read_nonnegative, length, DLS_REQUIRED, 0), END};
static const dls_option cylinder_rows[] = {
    ROW("radius", dls_read_positive, radius, DLS_REQUIRED, 0),
    ROW("length", dls_read_positive, length, DLS_REQUIRED, 0), END};
static const dls_option cone_rows[] = {
    ROW("radius1", dls_read_nonnegative, radius1, DLS_REQUIRED, 0),
    ROW("radius2", dls_read_nonnegative, radius2, DLS_REQUIRED, 0),
    ROW("length", dls_read_positive, length, DLS_REQUIRED, 0), END};
static const dls_option ellipsoid_rows[] = {
    ROW("radii", read_radii, radii, DLS_REQUIRED, 0), END};
static const dls_option box_rows[] = {{"size", read_size, 0, NULL, DLS_REQUIRED, 0}, END};
static const dls_option polygon_rows[] = {
    ROW("points", dls_read_matrix, points, DLS_REQUIRED, 0), END};
static const dls_option segment_rows[] = {ROW("from", dls_read_vec2, from, DLS_REQUIRED, 1),
                                          ROW("to", dls_read_vec2, to, DLS_REQUIRED, 2), END};
static const dls_option plane_rows[] = {{"normal", read_normal, 0, NULL, DLS_REQUIRED, 0},
                                        ROW("offset", dls_read_number, offset, 0, 0), END};
static const dls_option drum_rows[] = {ROW("radius", dls_read_positive, radius, DLS_REQUIRED, 0),
                                       ROW("length", dls_read_positive, length, 0, 0),
                                       ROW("lifters", read_lifters, lifters, 0, 0),
                                       ROW("ends", read_ends, ends, 0, 0), END};
static const dls_option mesh_rows[] = {
    ROW("vertices", dls_read_matrix, points, DLS_REQUIRED, 0),
    ROW("faces", dls_read_matrix, faces, DLS_REQUIRED, 0), END};

static const dls_shape_form forms[] = {
    {"disk", ball_rows, make_disk},          {"sphere", ball_rows, make_sphere},
    {"capsule", capsule_rows, make_capsule}, {"cylinder", cylinder_rows, make_cylinder},
    {"cone", cone_rows, make_cone},          {"box", box_rows, make_box},
    {"ellipsoid", ellipsoid_rows, make_ellipsoid},
    {"polygon", polygon_rows, make_polygon}, {"segment", segment_rows, make_segment},
    {"plane", plane_rows, make_plane},       {"drum", drum_rows, make_drum},
    {"convex", polygon_rows, make_convex},   {"mesh", mesh_rows, make_mesh}};

#define N_FORMS ((int)(sizeof forms / sizeof *forms))

const dls_shape_form *dls_shape_form_find(const char *name) {
  for (int i = 0; i < N_FORMS; i++)
    if (strcmp(forms[i].name, name) == 0) return &forms[i];
  return NULL;
}

/* --- what was wrong ---------------------------------------------------------------------- */

static void check_columns(lua_State *L, const char *function, const char *option,
                          const dls_matrix_arg *m, int columns) {
  if (m->a == NULL || m->n_cols != columns)
    dls_raise(L, function, "'%s' must be a list of %s", option,
              columns == 2 ? "points {x, y}" : "triples {x, y, z}");
}

static void check_before(lua_State *L, const char *function, const dls_shape_form *form,
                         const dls_shape_def *def) {
  if (form->make == make_polygon) check_columns(L, function, "points", &def->points, 2);
  if (form->make == make_convex) check_columns(L, function, "points", &def->points, 3);
  if (form->make == make_mesh) {
    check_columns(L, function, "vertices", &def->points, 3);
    check_columns(L, function, "faces", &def->faces, 3);
  }
  if (form->make == make_cone && def->radius1 + def->radius2 == 0)
    dls_raise(L, function, "one of 'radius1' and 'radius2' must be > 0");
}

static int refuse(lua_State *L, const char *function, const dls_shape_form *form,
                  const dls_shape_def *def, const dls_fault *fault) {
  if (form->make == make_polygon && fault->index >= 0 && fault->value != 0)
    return dls_raise(L, function,
                     "'points' must be a convex polygon: it bends inward at point %d (make a "
                     "compound of convex ones)", fault->index + 1);
  if (form->make == make_polygon && fault->index >= 0)
    return dls_raise(L, function, "'points' must differ: point %d repeats its neighbour",
                     fault->index + 1);
  if (form->make == make_polygon)
    return dls_raise(L, function, "'points' must be 3 to %d corners around an area, got %d points",
                     DLS_MAX_CORNERS, def->points.n_rows);
  if (form->make == make_convex)
    return dls_raise(L, function, "'points' must be at least 4 points that are not in one plane, got %d",
                     def->points.n_rows);
  if (form->make == make_mesh)
    return dls_raise(L, function, "'faces' must be three different vertices 1..%d with an area each: "
                     "face %d is not (%f)", def->points.n_rows, fault->index + 1, fault->value);
  if (form->make == make_drum && fault->index == 3)
    return dls_raise(L, function, "'lifters.height' must be below the radius, got %f", fault->value);
  if (form->make == make_drum && fault->index == 4)
    return dls_raise(L, function, "'lifters.width' must be below the diameter, got %f", fault->value);
  if (form->make == make_drum && fault->index == 6)
    return dls_raise(L, function, "'lifters' must stand side by side within the shell: at most as wide as 2 (radius - height) "
                     "tan(pi / count) there, and with corners inside; %d of them do not", (int)fault->value);
  if (form->make == make_drum && fault->index == 5)
    return dls_raise(L, function, "'ends' needs a 'length'");
  if (form->make == make_segment) return dls_raise(L, function, "needs two different points");
  return dls_raise(L, function, "argument out of range (%f)", fault->value);
}

const dls_shape *dls_shape_push(lua_State *L, const char *function, const dls_shape_form *form,
                                const dls_shape_def *def) {
  dls_fault fault = {-1, 0};
  dls_alloc alloc = dls_lua_alloc(L);
  check_before(L, function, form, def);
  dls_shape_value *box = dls_class_new(L, &dls_shape_class, sizeof *box, 0);
  dls_status status = form->make(&alloc, def, &box->shape, &fault);
  if (status == DLS_ARG) refuse(L, function, form, def, &fault);
  dls_check_status(L, status, function);
  return box->shape;
}

/* --- from Lua ---------------------------------------------------------------------------- */

/* polygon{{..}, {..}, ..}: the list itself is the points. Replaces the table at 1. */
static void lists_to_points(lua_State *L) {
  if (!lua_istable(L, 1) || lua_rawlen(L, 1) == 0) return;
  lua_createtable(L, 0, 1);
  lua_newtable(L);
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) { /* stack: given, new, points, key, value */
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, lua_isinteger(L, -2) ? 3 : 2);
  }
  lua_getfield(L, 2, "points");
  if (!lua_isnil(L, -1)) dls_raise(L, "polygon", "points are given twice: as 'points' and as a list");
  lua_pop(L, 1);
  lua_setfield(L, 2, "points");
  lua_replace(L, 1);
}

static int new_shape(lua_State *L) {
  const dls_shape_form *form = lua_touserdata(L, lua_upvalueindex(1));
  dls_shape_def def = dls_shape_def_default();
  lua_settop(L, 1);
  if (form->rows == polygon_rows) lists_to_points(L);
  dls_read_options(L, 1, form->name, form->rows, &def);
  dls_shape_push(L, form->name, form, &def);
  return 1;
}

static const dls_option child_rows[] = {
    {"shape", NULL, 0, NULL, DLS_REQUIRED, 1}, {"position", NULL, 0, NULL, 0, 2},
    {"rotation", NULL, 0, NULL, 0, 3},         END};

static const dls_option pose_rows[] = {{"position", NULL, 0, NULL, 0, 0},
                                       {"rotation", NULL, 0, NULL, 0, 0}, END};

static void read_position(lua_State *L, int idx, const char *function, dls_pose_arg *pose) {
  const dls_at at = {function, "position", 0, 0};
  const dls_vector_arg list = dls_take_vector(L, idx, &at);
  if (list.n != 2 && list.n != 3) dls_bad(L, &at, "must be a list of 2 or 3 numbers", idx);
  pose->dims &= list.n == 2 ? DLS_PLANAR : DLS_SPATIAL;
  pose->pose2.x = list.x[0], pose->pose2.y = list.x[1];
  pose->pose3.p = dls_v3(list.x[0], list.x[1], list.n == 3 ? list.x[2] : 0);
  lua_pop(L, 1);
}

/* A number is the angle in the plane; anything else a rotation of space. */
static void read_rotation(lua_State *L, int idx, const char *function, dls_pose_arg *pose) {
  const dls_at at = {function, "rotation", 0, 0};
  if (lua_type(L, idx) == LUA_TNUMBER) {
    double angle = dls_check_number(L, idx, &at);
    pose->dims &= DLS_PLANAR;
    pose->pose2.c = dls_cos(angle), pose->pose2.s = dls_sin(angle);
  } else {
    double q[4];
    dls_read_rotation3(L, idx, &at, NULL, q);
    pose->dims &= DLS_SPATIAL;
    pose->pose3.R = dls_q_matrix(dls_q_load(q));
  }
}

/* Pushes option `name` of the table at idx, or its positional value `place`; -> its type. */
static int push_named(lua_State *L, int idx, const char *name, int place) {
  int type = lua_getfield(L, idx, name);
  if (type != LUA_TNIL) return type;
  lua_pop(L, 1);
  return lua_rawgeti(L, idx, place);
}

/* Of a child { shape, position, rotation }; a pose alone has names only. */
static dls_pose_arg read_pose(lua_State *L, int idx, const char *function) {
  dls_pose_arg pose = {DLS_PLANAR | DLS_SPATIAL, dls_pose2_identity(), dls_pose3_identity()};
  if (push_named(L, idx, "position", 2) != LUA_TNIL)
    read_position(L, lua_gettop(L), function, &pose);
  lua_pop(L, 1);
  if (push_named(L, idx, "rotation", 3) != LUA_TNIL)
    read_rotation(L, lua_gettop(L), function, &pose);
  lua_pop(L, 1);
  if (pose.dims == 0)
    dls_raise(L, function, "'rotation' is a number in the plane and a quaternion {w, x, y, z} or "
                           "{axis =, angle =} in space, like 'position' with 2 or 3 numbers");
  return pose;
}

dls_pose_arg dls_take_pose(lua_State *L, int idx, const char *function) {
  if (lua_isnoneornil(L, idx))
    return (dls_pose_arg){DLS_PLANAR | DLS_SPATIAL, dls_pose2_identity(), dls_pose3_identity()};
  const int top = lua_gettop(L);
  dls_read_options(L, idx, function, pose_rows, NULL);
  dls_pose_arg pose = read_pose(L, lua_absindex(L, idx), function);
  lua_settop(L, top);
  return pose;
}

/* One child, the table on the top of the stack. */
static void read_child(lua_State *L, int k, dls_child *child, int *dims) {
  const int top = lua_gettop(L);
  const char *name = lua_pushfstring(L, "compound: child %d", k);
  dls_read_options(L, top, name, child_rows, NULL);
  (void)push_named(L, top, "shape", 1);
  child->shape = dls_test_shape(L, -1);
  const dls_at at = {name, "shape", 0, 0};
  if (child->shape == NULL) dls_bad(L, &at, "must be a shape", lua_gettop(L));
  if (child->shape->kind == DLS_SHAPE_COMPOUND || !child->shape->bounded)
    dls_raise(L, name, "a %s cannot be part of a compound", dls_shape_name(child->shape->kind));
  dls_pose_arg pose = read_pose(L, top, name);
  child->pose2 = pose.pose2, child->pose3 = pose.pose3;
  *dims &= pose.dims & (int)child->shape->dims;
  if (*dims == 0)
    dls_raise(L, name, "is of space where the others are of the plane, or the other way round");
  lua_settop(L, top);
}

static int new_compound(lua_State *L) {
  lua_settop(L, 1);
  const dls_at at = {"compound", NULL, 0, 0};
  if (!lua_istable(L, 1)) dls_bad(L, &at, "expected a list of children", 1);
  lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
  if (n < 1) dls_raise(L, "compound", "needs at least one child { shape =, position =, rotation = }");
  if (n > 100000) dls_raise(L, "compound", "too many children");
  dls_child *children = lua_newuserdatauv(L, (size_t)n * sizeof *children, 0);
  int dims = DLS_PLANAR | DLS_SPATIAL;
  for (int k = 1; k <= n; k++) {
    if (lua_rawgeti(L, 1, k) != LUA_TTABLE) dls_raise(L, "compound", "child %d must be a table", k);
    read_child(L, k, &children[k - 1], &dims);
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  while (lua_next(L, 1) != 0) {
    if (!lua_isinteger(L, -2))
      dls_raise(L, "compound", "unexpected value [%s]: children are listed", dls_push_described(L, -2));
    lua_pop(L, 1);
  }
  dls_fault fault = {-1, 0};
  dls_alloc alloc = dls_lua_alloc(L);
  dls_shape_value *box = dls_class_new(L, &dls_shape_class, sizeof *box, 0);
  dls_check_status(L, dls_shape_compound(&alloc, (int)n, children, &box->shape, &fault), "compound");
  box->shape->dims &= (unsigned)dims;
  return 1;
}

void dls_open_shape(lua_State *L) {
  dls_class_register(L, &dls_shape_class);
  for (int i = 0; i < N_FORMS; i++) {
    lua_pushlightuserdata(L, (void *)&forms[i]);
    lua_pushcclosure(L, new_shape, 1);
    lua_setfield(L, -2, forms[i].name);
  }
  lua_pushcfunction(L, new_compound);
  lua_setfield(L, -2, "compound");
  lua_getfield(L, -1, "methods"); /* methods(name) of the class: distance is one of them */
  lua_pushstring(L, dls_shape_class.name);
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "distance");
  lua_setfield(L, -3, "distance");
  lua_pop(L, 1);
}
