/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint.h"

#include "bind/joint_penalty.h"

#include "core/math/elementary.h"

/* world:joint{ kind, a, b, ... }: options to a dls_joint. */

static const char function[] = "world:joint";

static const char *const kind_names[] = {
#define X(code, text) text,
    DLS_JOINT_NAMES(X)
#undef X
    "ball", NULL};
static const char *const formulation_names[] = {"reduced", "penalty", "rigid", NULL};

typedef struct joint_options {
  int dim;
  int kind, formulation;
  double anchor[3], axis[3], axis2[3];
  bool has_anchor, has_axis, has_axis2, has_motion;
  double stiffness, damping, friction, inertia;
  const char *name;
} joint_options;

static void read_point(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  joint_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->anchor);
  o->has_anchor = true;
}

static void read_direction(lua_State *L, int idx, const dls_at *at, int dim, double out[3]) {
  dls_read_numbers(L, idx, at, dim, out);
  double length = dls_v3_norm(dls_v3_load(out));
  if (!(length > 0)) dls_bad(L, at, "must not be the zero vector", idx);
  for (int i = 0; i < 3; i++) out[i] /= length;
}

static void read_axis(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  joint_options *o = out;
  read_direction(L, idx, at, o->dim, o->axis);
  o->has_axis = true;
}

static void read_axis2(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  joint_options *o = out;
  read_direction(L, idx, at, o->dim, o->axis2);
  o->has_axis2 = true;
}

#define ROW(name, reader, field, arg) {name, reader, offsetof(joint_options, field), arg, 0, 0}
#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
static const dls_option rows[] = {
    {"kind", dls_read_choice, offsetof(joint_options, kind), kind_names, DLS_REQUIRED, 1},
    {"a", NULL, 0, NULL, 0, 2},
    {"b", NULL, 0, NULL, 0, 3},
    ROW("formulation", dls_read_choice, formulation, formulation_names),
    WHOLE("anchor", read_point),
    WHOLE("axis", read_axis),
    WHOLE("axis2", read_axis2),
    WHOLE("frame_a", NULL),
    WHOLE("frame_b", NULL),
    WHOLE("motions", NULL),
    WHOLE("subspace", NULL),
    WHOLE("limits", NULL),
    WHOLE("motor", NULL),
    ROW("motion", dls_read_function, has_motion, NULL),
    ROW("stiffness", dls_read_nonnegative, stiffness, NULL),
    ROW("damping", dls_read_nonnegative, damping, NULL),
    ROW("friction", dls_read_nonnegative, friction, NULL),
    ROW("inertia", dls_read_nonnegative, inertia, NULL),
    WHOLE("torque", NULL),
    ROW("name", dls_read_string, name, NULL),
    WHOLE("data", NULL),
    {NULL, NULL, 0, NULL, 0, 0}};

/* --- frames -------------------------------------------------------------------------------- */

typedef struct frame_options {
  int dim;
  double position[3], rotation[4];
} frame_options;

static void read_position(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  frame_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->position);
}

static void read_rotation(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  frame_options *o = out;
  if (o->dim == 3) {
    dls_read_rotation3(L, idx, at, arg, o->rotation);
    return;
  }
  double s, c;
  dls_sincos(0.5 * dls_check_number(L, idx, at), &s, &c);
  o->rotation[0] = c;
  o->rotation[3] = s;
}

static const dls_option frame_rows[] = {WHOLE("position", read_position),
                                        WHOLE("rotation", read_rotation),
                                        {NULL, NULL, 0, NULL, 0, 0}};

/* frame_a, frame_b: { position =, rotation = }; false where not given. */
static bool read_frame(lua_State *L, const char *name, int dim, dls_place *out) {
  const int top = lua_gettop(L);
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_settop(L, top);
    return false;
  }
  const dls_at at = {function, name, 0, 0};
  if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be { position =, rotation = }", top + 1);
  frame_options o = {.dim = dim, .rotation = {1, 0, 0, 0}};
  dls_read_options(L, top + 1, function, frame_rows, &o);
  *out = (dls_place){dls_q_matrix(dls_q_unit(dls_q_load(o.rotation))), dls_v3_load(o.position)};
  lua_settop(L, top);
  return true;
}

static dls_place from_world(const dls_world *w, int body, const dls_place *F) {
  const dls_place T = dls_body_frame(w, body), back = dls_place_inverse(&T);
  return dls_place_mul(&back, F);
}

/* on_a, on_b; the joint's frame on a in the world is returned. */
static dls_place read_frames(lua_State *L, const dls_world *w, const joint_options *o,
                             dls_joint *joint, bool *framed) {
  const bool has_a = read_frame(L, "frame_a", o->dim, &joint->on_a);
  const bool has_b = read_frame(L, "frame_b", o->dim, &joint->on_b);
  const dls_place A = dls_body_frame(w, joint->a), B = dls_body_frame(w, joint->b);
  *framed = has_a || has_b;
  if (*framed && o->has_anchor) dls_raise(L, function, "give 'anchor' or frames, not both");
  if (joint->kind == DLS_KIND_FREE && !*framed) {
    if (o->has_anchor) dls_raise(L, function, "'anchor' is not used by a free joint");
    joint->on_a = joint->on_b = dls_place_identity();
    if (joint->a != 0) joint->on_a = from_world(w, joint->a, &B);
    return B;
  }
  dls_place F = B;
  if (o->has_anchor) F.p = dls_v3_load(o->anchor);
  if (has_a) F = dls_place_mul(&A, &joint->on_a);
  else if (has_b) F = dls_place_mul(&B, &joint->on_b);
  if (!has_a) joint->on_a = from_world(w, joint->a, &F);
  if (!has_b) joint->on_b = from_world(w, joint->b, &F);
  return F;
}

/* --- motions -------------------------------------------------------------------------------------- */

static dls_motion elementary(dls_motion_kind kind, dls_vec3 axis) {
  dls_motion m = {.kind = kind, .drive = -1};
  dls_v3_store(m.axis, axis);
  return m;
}

static const char *const motion_kinds[] = {"rotate", "slide", NULL};

/* motions[k] = { kind, axis, motion = function }: the list is at idx. */
static int read_motions(lua_State *L, int idx, const joint_options *o, dls_motion *out,
                        int *n_driven) {
  const dls_at at_list = {function, "motions", 0, 0};
  if (!lua_istable(L, idx)) dls_bad(L, &at_list, "must be a list of { kind, axis }", idx);
  const int n = (int)lua_rawlen(L, idx);
  int n_free = 0;
  if (n > DLS_MAX_MOTIONS)
    dls_raise(L, function, "'motions' has %d entries, at most %d are possible", n, DLS_MAX_MOTIONS);
  for (int k = 0; k < n; k++) {
    const int top = lua_gettop(L);
    const dls_at at = {function, "motions", k + 1, 0};
    int kind = 0;
    double axis[3] = {0};
    lua_rawgeti(L, idx, k + 1);
    if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be { kind, axis }", top + 1);
    lua_rawgeti(L, top + 1, 1);
    dls_read_choice(L, top + 2, &at, motion_kinds, &kind);
    if (lua_rawgeti(L, top + 1, 2) == LUA_TNIL && o->dim == 2 && kind == 0) axis[2] = 1;
    else if (o->dim == 2 && kind == 0) {
      const dls_vector_arg list = dls_take_vector(L, top + 3, &at);
      if (list.n != 3 || list.x[0] != 0 || list.x[1] != 0)
        dls_bad(L, &at, "must turn about {0, 0, 1} in the plane", top + 3);
      axis[2] = list.x[2] < 0 ? -1 : 1;
    } else {
      read_direction(L, top + 3, &at, o->dim, axis);
    }
    out[k] = elementary((dls_motion_kind)kind, dls_v3_load(axis));
    if (lua_getfield(L, top + 1, "motion") != LUA_TNIL) {
      if (!lua_isfunction(L, -1)) dls_bad(L, &at, "must have a function as 'motion'", lua_gettop(L));
      out[k].drive = 0;
      ++*n_driven;
    } else {
      n_free++;
    }
    lua_settop(L, top);
  }
  if (n_free > 6) dls_raise(L, function, "'motions' has %d free ones, at most 6 are possible", n_free);
  return n;
}

/* subspace: 6 x n, angular rows first. */
static int read_subspace(lua_State *L, int idx, dls_motion *out) {
  const dls_at at = {function, "subspace", 0, 0};
  const dls_matrix_arg S = dls_take_matrix(L, idx, &at);
  if (!S.a || S.n_rows != 6 || S.n_cols < 1 || S.n_cols > 6)
    dls_bad(L, &at, "must be a 6 x n matrix, n from 1 to 6", idx);
  for (int k = 0; k < S.n_cols; k++) {
    double size = 0;
    out[k] = (dls_motion){.kind = DLS_MOTION_SCREW, .drive = -1};
    for (int i = 0; i < 3; i++) {
      out[k].axis[i] = S.a[i * S.n_cols + k];
      out[k].linear[i] = S.a[(3 + i) * S.n_cols + k];
      size += fabs(out[k].axis[i]) + fabs(out[k].linear[i]);
    }
    if (size == 0) dls_raise(L, function, "column %d of 'subspace' is zero", k + 1);
  }
  lua_pop(L, 1);
  return S.n_cols;
}

/* A direction perpendicular to e: the part of `second`, else of x, or of y where x lies along e. */
static dls_vec3 perpendicular(lua_State *L, const joint_options *o, dls_vec3 e, dls_vec3 second) {
  dls_vec3 rest = dls_v3_axpy(second, -dls_v3_dot(second, e), e);
  if (dls_v3_norm(rest) > 1e-9) return dls_v3_unit(rest);
  if (o->has_axis2) dls_raise(L, function, "'axis2' lies along 'axis'");
  return dls_v3_unit(dls_v3_orthogonal(e));
}

/* Axis and second axis in the joint's frame; F is that frame in the world. */
static void read_axes(const joint_options *o, const dls_place *F, bool framed,
                      int kind, dls_vec3 *first, dls_vec3 *second) {
  const dls_vec3 x = dls_v3(1, 0, 0), y = dls_v3(0, 1, 0), z = dls_v3(0, 0, 1);
  *first = framed ? x : (kind == DLS_KIND_PLANAR ? dls_m3_apply_t(&F->R, z) : x);
  if (o->has_axis) *first = dls_m3_apply_t(&F->R, dls_v3_load(o->axis));
  if (o->dim == 2 && kind == DLS_KIND_REVOLUTE) *first = z;
  if (o->has_axis2) *second = dls_m3_apply_t(&F->R, dls_v3_load(o->axis2));
  else if (framed) *second = y;
  else {
    *second = dls_m3_apply_t(&F->R, x);
    if (fabs(dls_v3_dot(*second, *first)) > 1 - 1e-9) *second = dls_m3_apply_t(&F->R, y);
  }
}

static bool needs_axis(int kind) {
  return kind == DLS_KIND_REVOLUTE || kind == DLS_KIND_PRISMATIC || kind == DLS_KIND_CYLINDRICAL ||
         kind == DLS_KIND_UNIVERSAL;
}

static int make_motions(lua_State *L, const joint_options *o, const dls_place *F, bool framed,
                        dls_joint *joint, dls_motion *out) {
  const int kind = joint->kind, top = lua_gettop(L);
  const bool listed = lua_getfield(L, 2, "motions") != LUA_TNIL;
  const bool spanned = lua_getfield(L, 2, "subspace") != LUA_TNIL;
  if (listed != (kind == DLS_KIND_CHAIN))
    dls_raise(L, function, listed ? "'motions' is for chain joints" : "a chain joint needs 'motions'");
  if (spanned != (kind == DLS_KIND_CUSTOM))
    dls_raise(L, function, spanned ? "'subspace' is for custom joints" : "a custom joint needs 'subspace'");
  const bool turning = needs_axis(kind) || kind == DLS_KIND_PLANAR || kind == DLS_KIND_SPHERICAL;
  if (o->has_axis && !turning) dls_raise(L, function, "'axis' is not used by a %s joint", kind_names[kind]);
  if (o->has_axis2 && (!turning || kind == DLS_KIND_SPHERICAL))
    dls_raise(L, function, "'axis2' is not used by a %s joint", kind_names[kind]);
  if (o->dim == 2 && kind == DLS_KIND_REVOLUTE && o->has_axis)
    dls_raise(L, function, "'axis' is not used by a revolute joint in the plane");
  if (needs_axis(kind) && !o->has_axis && !framed && !(o->dim == 2 && kind == DLS_KIND_REVOLUTE))
    dls_raise(L, function, "a %s joint needs 'axis'", kind_names[kind]);
  if (kind == DLS_KIND_UNIVERSAL && !o->has_axis2 && !framed)
    dls_raise(L, function, "a universal joint needs 'axis2'");
  dls_vec3 e, second;
  read_axes(o, F, framed, kind, &e, &second);
  joint->axis = e;
  int n = 0;
  switch (kind) {
    case DLS_KIND_REVOLUTE: out[n++] = elementary(DLS_MOTION_ROTATE, e); break;
    case DLS_KIND_PRISMATIC: out[n++] = elementary(DLS_MOTION_SLIDE, e); break;
    case DLS_KIND_CYLINDRICAL:
      out[n++] = elementary(DLS_MOTION_ROTATE, e);
      out[n++] = elementary(DLS_MOTION_SLIDE, e);
      break;
    case DLS_KIND_UNIVERSAL:
      (void)perpendicular(L, o, e, second);
      out[n++] = elementary(DLS_MOTION_ROTATE, e);
      out[n++] = elementary(DLS_MOTION_ROTATE, second);
      break;
    case DLS_KIND_PLANAR: {
      const dls_vec3 x = perpendicular(L, o, e, second);
      out[n++] = elementary(DLS_MOTION_SLIDE, x);
      out[n++] = elementary(DLS_MOTION_SLIDE, dls_v3_cross(e, x));
      out[n++] = elementary(DLS_MOTION_ROTATE, e);
      break;
    }
    case DLS_KIND_CHAIN: n = read_motions(L, top + 1, o, out, &joint->n_driven); break;
    case DLS_KIND_CUSTOM: n = read_subspace(L, top + 2, out); break;
    default: break;
  }
  if (kind == DLS_KIND_REVOLUTE || kind == DLS_KIND_PRISMATIC || kind == DLS_KIND_CYLINDRICAL) {
    joint->axis = e;
    joint->second = perpendicular(L, o, e, second);
  }
  lua_settop(L, top);
  return n;
}

/* --- limits, motors ---------------------------------------------------------------------------------- */

static void read_range(lua_State *L, int idx, const dls_at *at, double *lo, double *hi) {
  double x[2];
  if (!lua_istable(L, idx)) dls_bad(L, at, "must be {lo, hi}", idx);
  for (int i = 0; i < 2; i++) {
    lua_rawgeti(L, idx, i + 1);
    if (lua_type(L, -1) != LUA_TNUMBER || lua_tonumber(L, -1) != lua_tonumber(L, -1))
      dls_bad(L, at, "must be {lo, hi}", idx);
    x[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  if (!(x[0] <= x[1])) dls_bad(L, at, "must be {lo, hi} with lo <= hi", idx);
  *lo = x[0];
  *hi = x[1];
}

static const dls_option cone_rows[] = {WHOLE("cone", NULL), WHOLE("twist", NULL),
                                       {NULL, NULL, 0, NULL, 0, 0}};

static void read_limits(lua_State *L, dls_joint *joint) {
  const int top = lua_gettop(L);
  dls_at at = {function, "limits", 0, 0};
  joint->cone = DLS_INF;
  joint->twist[0] = -DLS_INF;
  joint->twist[1] = DLS_INF;
  if (lua_getfield(L, 2, "limits") == LUA_TNIL) {
    lua_settop(L, top);
    return;
  }
  switch (joint->kind) {
    case DLS_KIND_REVOLUTE:
    case DLS_KIND_PRISMATIC:
      read_range(L, top + 1, &at, &joint->lo[0], &joint->hi[0]);
      joint->n_limits = 1;
      break;
    case DLS_KIND_UNIVERSAL:
      if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be {{lo, hi}, {lo, hi}}", top + 1);
      for (int i = 0; i < 2; i++) {
        at.element = i + 1;
        lua_rawgeti(L, top + 1, i + 1);
        read_range(L, top + 2, &at, &joint->lo[i], &joint->hi[i]);
        lua_settop(L, top + 1);
      }
      joint->n_limits = 2;
      break;
    case DLS_KIND_SPHERICAL:
      if (!lua_istable(L, top + 1)) dls_bad(L, &at, "must be { cone =, twist = {lo, hi} }", top + 1);
      dls_read_options(L, top + 1, function, cone_rows, NULL);
      lua_settop(L, top + 1);
      at.option = "cone";
      if (lua_getfield(L, top + 1, "cone") != LUA_TNIL)
        dls_read_positive(L, top + 2, &at, NULL, &joint->cone);
      at.option = "twist";
      if (lua_getfield(L, top + 1, "twist") != LUA_TNIL)
        read_range(L, lua_gettop(L), &at, &joint->twist[0], &joint->twist[1]);
      break;
    default:
      dls_raise(L, function, "'limits' are not possible on a %s joint", kind_names[joint->kind]);
  }
  lua_settop(L, top);
}

typedef struct motor_options {
  double speed, position, stiffness, damping, most_torque, most_force;
} motor_options;
#define MOTOR(name, reader, field) {name, reader, offsetof(motor_options, field), NULL, 0, 0}
static const dls_option motor_rows[] = {
    MOTOR("speed", dls_read_number, speed), MOTOR("position", dls_read_number, position),
    MOTOR("stiffness", dls_read_nonnegative, stiffness),
    MOTOR("damping", dls_read_nonnegative, damping),
    MOTOR("max_torque", dls_read_nonnegative, most_torque),
    MOTOR("max_force", dls_read_nonnegative, most_force), {NULL, NULL, 0, NULL, 0, 0}};

void dls_read_motor(lua_State *L, int idx, dls_joint *joint) {
  const int top = lua_gettop(L);
  const dls_at at = {function, "motor", 0, 0};
  joint->motor = (dls_motor){.kind = DLS_MOTOR_NONE, .most = DLS_INF};
  if (lua_isnil(L, idx)) return;
  if (joint->nu != 1 || joint->n_driven > 0)
    dls_raise(L, function, "'motor' needs a joint of one degree of freedom");
  if (!lua_istable(L, idx)) dls_bad(L, &at, "must be a table", idx);
  const double none = DLS_INF - DLS_INF;
  motor_options o = {none, none, 0, 0, none, none};
  dls_read_options(L, idx, function, motor_rows, &o);
  const bool speed = o.speed == o.speed, position = o.position == o.position;
  if (speed == position) dls_raise(L, function, "'motor' needs 'speed' or 'position'");
  if (speed && (o.stiffness != 0 || o.damping != 0))
    dls_raise(L, function, "'stiffness' and 'damping' of a motor go with 'position'");
  const bool slides = joint->n_motions > 0 && joint->motions[0].kind == DLS_MOTION_SLIDE;
  if (slides && o.most_torque == o.most_torque)
    dls_raise(L, function, "a sliding motor has 'max_force', not 'max_torque'");
  if (!slides && o.most_force == o.most_force)
    dls_raise(L, function, "a turning motor has 'max_torque', not 'max_force'");
  joint->motor.kind = speed ? DLS_MOTOR_SPEED : DLS_MOTOR_POSITION;
  joint->motor.target = speed ? o.speed : o.position;
  joint->motor.stiffness = o.stiffness;
  joint->motor.damping = o.damping;
  if (o.most_torque == o.most_torque) joint->motor.most = o.most_torque;
  if (o.most_force == o.most_force) joint->motor.most = o.most_force;
  lua_settop(L, top);
}

/* --- which way the tree runs ---------------------------------------------------------------------------- */

static bool can_carry(const dls_world *w, int body) {
  return w->bodies[body].type == DLS_DYNAMIC && dls_trees_carrier(w, body) < 0;
}

static void choose_formulation(lua_State *L, dls_world *w, const joint_options *o,
                               dls_joint *joint) {
  const bool asked = o->formulation == DLS_REDUCED, open = o->formulation < 0 || asked;
  if (w->bodies[joint->a].type != DLS_DYNAMIC && w->bodies[joint->b].type != DLS_DYNAMIC)
    dls_raise(L, function, "needs a dynamic body");
  joint->formulation = o->formulation < 0 ? DLS_REDUCED : o->formulation;
  if (!open) return;
  const bool loop = dls_trees_joined(w, joint->a, joint->b);
  if (!loop && can_carry(w, joint->b)) return;
  joint->turned = true;
  if (!loop && can_carry(w, joint->a)) return;
  joint->turned = false;
  joint->formulation = DLS_RIGID;
  if (asked && loop)
    dls_raise(L, function, "reduced joints cannot close a loop (formulation = 'rigid' can)");
  if (asked) dls_raise(L, function, "both bodies have a parent already (formulation = 'rigid' can)");
}

static int push_end(lua_State *L, const char *name, int place) {
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, 2, place);
  }
  return lua_gettop(L);
}

static void check_kind(lua_State *L, const joint_options *o) {
  const bool flat = o->kind == DLS_KIND_REVOLUTE || o->kind == DLS_KIND_PRISMATIC ||
                    o->kind == DLS_KIND_FIXED || o->kind == DLS_KIND_CHAIN;
  if (o->dim == 2 && !flat)
    dls_raise(L, function, "a planar world has revolute, prismatic, fixed and chain joints");
}

static void set_coordinates_count(dls_joint *joint) {
  joint->nq = joint->nu = joint->n_motions - joint->n_driven;
  if (joint->kind == DLS_KIND_SPHERICAL) joint->nq = 4, joint->nu = 3;
  if (joint->kind == DLS_KIND_FREE) joint->nq = 7, joint->nu = 6;
}

static void refuse_options(lua_State *L, const joint_options *o, const dls_joint *joint) {
  const bool one = joint->n_motions == 1 && joint->n_driven == 0;
  if (o->has_motion && !(one && dls_joint_is_chain(joint)))
    dls_raise(L, function, "'motion' needs a joint of one degree of freedom");
  if (joint->kind == DLS_KIND_FREE || joint->kind == DLS_KIND_FIXED) {
    if (o->stiffness != 0 || o->damping != 0 || o->friction != 0)
      dls_raise(L, function, "a %s joint has no 'stiffness', 'damping' or 'friction'",
                kind_names[joint->kind]);
  }
  if (o->inertia != 0 && (!dls_joint_is_chain(joint) || joint->n_motions == joint->n_driven))
    dls_raise(L, function, "'inertia' (of a rotor) is not possible on a %s joint",
              kind_names[joint->kind]);
}

/* kept.joints[index + 1] = { name =, data =, motions = }; the options are at 2. */
static void keep(lua_State *L, int index, const joint_options *o) {
  const int top = lua_gettop(L);
  dls_push_kept(L, 1, "joints");
  lua_newtable(L);
  lua_getfield(L, 2, "name");
  lua_setfield(L, top + 2, "name");
  lua_getfield(L, 2, "data");
  lua_setfield(L, top + 2, "data");
  lua_newtable(L);
  if (o->has_motion) {
    lua_getfield(L, 2, "motion");
    lua_rawseti(L, -2, 1);
  } else if (lua_getfield(L, 2, "motions") == LUA_TTABLE) {
    const int n = (int)lua_rawlen(L, -1);
    for (int k = 1; k <= n; k++) {
      lua_rawgeti(L, top + 4, k);
      lua_getfield(L, -1, "motion");
      lua_rawseti(L, top + 3, k);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  } else {
    lua_pop(L, 1);
  }
  lua_setfield(L, top + 2, "motions");
  lua_rawseti(L, top + 1, index + 1);
  lua_settop(L, top);
}

int dls_world_joint_lua(lua_State *L) {
  static const dls_at at_a = {function, "a", 0, 0}, at_b = {function, "b", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  joint_options o = {.dim = w->dim, .formulation = -1};
  dls_motion motions[DLS_MAX_MOTIONS];
  bool framed;
  lua_settop(L, 2);
  dls_penalty_options penalty = dls_penalty_options_default();
  const dls_option_set sets[2] = {{rows, &o}, {dls_penalty_option_rows, &penalty}};
  dls_read_option_sets(L, 2, function, sets, 2);
  if (o.kind == DLS_N_KINDS) o.kind = DLS_KIND_SPHERICAL; /* "ball" */
  check_kind(L, &o);
  dls_joint joint = {.alive = true, .kind = o.kind, .stiffness = o.stiffness,
                     .damping = o.damping, .friction = o.friction, .motions = motions};
  joint.a = dls_take_body(L, push_end(L, "a", 2), 1, &at_a);
  joint.b = dls_take_body(L, push_end(L, "b", 3), 1, &at_b);
  if (joint.a == joint.b) dls_raise(L, function, "needs two different bodies");
  const dls_place F = read_frames(L, w, &o, &joint, &framed);
  joint.n_motions = make_motions(L, &o, &F, framed, &joint, motions);
  refuse_options(L, &o, &joint);
  if (o.has_motion) {
    motions[0].drive = 0;
    joint.n_driven = 1;
  }
  for (int i = 0; i < joint.n_motions; i++)
    if (motions[i].drive < 0) motions[i].rotor = o.inertia;
  set_coordinates_count(&joint);
  read_limits(L, &joint);
  lua_getfield(L, 2, "motor");
  dls_read_motor(L, lua_gettop(L), &joint);
  choose_formulation(L, w, &o, &joint);
  dls_read_penalty(L, w, &penalty, o.inertia != 0, &joint);
  const int next = w->n_joints;
  int index = -1;
  keep(L, next, &o);
  if (joint.n_driven > 0) dls_hook_drive(box);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, 1);
  dls_status status = dls_world_joint_add(w, &joint, &index);
  dls_scope_end(&scope, status, function);
  if (index >= 0 && joint.formulation == DLS_REDUCED) dls_settle_joint(L, 1, index, function);
  dls_push_joint(L, 1, index);
  const int self = lua_gettop(L);
  lua_getfield(L, 2, "torque");
  if (!lua_isnil(L, -1)) {
    lua_setfield(L, self, "torque");
    lua_settop(L, self);
  }
  lua_settop(L, self);
  return 1;
}
