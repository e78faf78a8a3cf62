/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_parts.h"

/* Limits and motors of joints. */

static const char function[] = DLS_JOINT_FUNCTION;

#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
static void read_range(lua_State *L, int idx, const dls_at *at, double *lo, double *hi) {
  double x[2];
  if (!lua_istable(L, idx) || lua_rawlen(L, idx) != 2) dls_bad(L, at, "must be {lo, hi}", idx);
  for (int i = 0; i < 2; i++) {
    lua_rawgeti(L, idx, i + 1);
    if (lua_type(L, -1) != LUA_TNUMBER || lua_tonumber(L, -1) != lua_tonumber(L, -1))
      dls_bad(L, at, "must be {lo, hi}", idx);
    x[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  if (!(x[0] <= x[1] && x[0] < DLS_INF && x[1] > -DLS_INF))
    dls_bad(L, at, "must be {lo, hi} with lo <= hi", idx);
  *lo = x[0];
  *hi = x[1];
}

static const dls_option cone_rows[] = {WHOLE("cone", NULL), WHOLE("twist", NULL),
                                       {NULL, NULL, 0, NULL, 0, 0}};

void dls_joint_limits(lua_State *L, dls_joint *joint) {
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
      if (!lua_istable(L, top + 1) || lua_rawlen(L, top + 1) != 2)
        dls_bad(L, &at, "must be {{lo, hi}, {lo, hi}}", top + 1);
      for (int i = 0; i < 2; i++) {
        at.element = i + 1;
        lua_rawgeti(L, top + 1, i + 1);
        read_range(L, top + 2, &at, &joint->lo[i], &joint->hi[i]);
        lua_settop(L, top + 1);
      }
      joint->n_limits = 2;
      break;
    case DLS_KIND_SPHERICAL:
      if (!lua_istable(L, top + 1) || lua_rawlen(L, top + 1) > 0)
        dls_bad(L, &at, "of a spherical joint must be { cone =, twist = {lo, hi} }", top + 1);
      dls_read_options(L, top + 1, function, cone_rows, NULL);
      lua_settop(L, top + 1);
      at.option = "cone";
      if (lua_getfield(L, top + 1, "cone") != LUA_TNIL) {
        dls_read_positive(L, top + 2, &at, NULL, &joint->cone);
        if (joint->cone > DLS_PI)
          dls_bad(L, &at, "must be an angle in radians from 0 to pi", top + 2);
      }
      at.option = "twist";
      if (lua_getfield(L, top + 1, "twist") != LUA_TNIL)
        read_range(L, lua_gettop(L), &at, &joint->twist[0], &joint->twist[1]);
      break;
    default:
      dls_raise(L, function, "'limits' are not possible on a %s joint",
                dls_joint_kind_names[joint->kind]);
  }
  lua_settop(L, top);
}

typedef struct motor_options {
  /* rad/s or m/s; rad or m; N m/rad or N/m; N m s/rad or N s/m; N m; N */
  double speed, position, stiffness, damping, most_torque, most_force;
} motor_options;

/* math.huge: without a bound, as where it is left out. */
static void read_most(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  double most;
  dls_read_extended(L, idx, at, arg, &most);
  if (!(most >= 0)) dls_bad(L, at, "must be >= 0", idx);
  *(double *)out = most;
}

#define MOTOR(name, reader, field) {name, reader, offsetof(motor_options, field), NULL, 0, 0}
static const dls_option motor_rows[] = {
    MOTOR("speed", dls_read_number, speed), MOTOR("position", dls_read_number, position),
    MOTOR("stiffness", dls_read_nonnegative, stiffness),
    MOTOR("damping", dls_read_nonnegative, damping),
    MOTOR("max_torque", read_most, most_torque),
    MOTOR("max_force", read_most, most_force), {NULL, NULL, 0, NULL, 0, 0}};

void dls_read_motor(lua_State *L, int idx, dls_joint *joint) {
  const int top = lua_gettop(L);
  const dls_at at = {function, "motor", 0, 0};
  dls_motor motor = {.kind = DLS_MOTOR_NONE, .most = DLS_INF};
  if (lua_isnil(L, idx)) {
    joint->motor = motor;
    return;
  }
  if (joint->nu != 1 || joint->n_driven > 0)
    dls_raise(L, function, "'motor' needs a joint of one degree of freedom");
  if (!lua_istable(L, idx)) dls_bad(L, &at, "must be a table", idx);
  const double none = DLS_INF - DLS_INF;
  motor_options o = {none, none, 0, 0, none, none};
  dls_read_options(L, idx, DLS_JOINT_FUNCTION ": motor", motor_rows, &o);
  const bool speed = o.speed == o.speed, position = o.position == o.position;
  if (speed == position) dls_raise(L, function, "'motor' needs 'speed' or 'position'");
  if (position && o.stiffness == 0 && o.damping == 0)
    dls_raise(L, function, "'motor' with 'position' needs its 'stiffness'");
  if (speed && (o.stiffness != 0 || o.damping != 0))
    dls_raise(L, function, "'stiffness' and 'damping' of a motor go with 'position'");
  const bool slides = joint->n_motions > 0 && joint->motions[0].kind == DLS_MOTION_SLIDE;
  if (slides && o.most_torque == o.most_torque)
    dls_raise(L, function, "a sliding motor has 'max_force', not 'max_torque'");
  if (!slides && o.most_force == o.most_force)
    dls_raise(L, function, "a turning motor has 'max_torque', not 'max_force'");
  motor.kind = speed ? DLS_MOTOR_SPEED : DLS_MOTOR_POSITION;
  motor.target = speed ? o.speed : o.position;
  motor.stiffness = o.stiffness;
  motor.damping = o.damping;
  if (o.most_torque == o.most_torque) motor.most = o.most_torque;
  if (o.most_force == o.most_force) motor.most = o.most_force;
  joint->motor = motor;
  lua_settop(L, top);
}

static dls_joint *joint_of(lua_State *L) {
  const dls_joint_ref *ref = dls_check_joint(L, 1);
  return &ref->box->world->joints[ref->index];
}

/* motor = at 2. */
int dls_joint_set_motor_lua(lua_State *L) {
  dls_joint joint = *joint_of(L);
  if (dls_check_joint(L, 1)->box->world->stepping)
    dls_raise(L, "joint", "'motor' cannot be changed while its world steps");
  dls_refuse_finalizers(L, "joint");
  dls_read_motor(L, 2, &joint);
  joint_of(L)->motor = joint.motor; /* wherever it stands now */
  return 0;
}

/* What a motor was asked for is read as an empty table before one with its numbers, so that writing
** one of them is heard: joint.motor.speed = 3. Upvalues: the numbers; the joint. */
static int change_motor(lua_State *L) {
  lua_settop(L, 3);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, lua_upvalueindex(1));) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, 4);
  }
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_settable(L, 4);
  lua_pushcfunction(L, dls_joint_set_motor_lua);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, 4);
  lua_call(L, 2, 0);
  lua_settop(L, 3);
  lua_rawset(L, lua_upvalueindex(1));
  return 0;
}

static int next_of(lua_State *L) {
  lua_settop(L, 2);
  if (lua_next(L, 1)) return 2;
  lua_pushnil(L);
  return 1;
}

/* Upvalue: the numbers. */
static int motor_pairs(lua_State *L) {
  lua_pushcfunction(L, next_of);
  lua_pushvalue(L, lua_upvalueindex(1));
  return 2;
}

/* __index of the numbers: nil for those that a motor of another kind has, an error for what none
** has. */
static int missing_number(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *name = lua_tostring(L, 2);
  lua_newtable(L);
  for (const dls_option *row = motor_rows; row->name != NULL; row++) {
    if (strcmp(row->name, name) == 0) return 0;
    lua_pushboolean(L, 1);
    lua_setfield(L, 3, row->name);
  }
  return dls_unknown(L, "joint.motor", "property", name, 3);
}

/* nil where there is none. */
int dls_joint_motor_lua(lua_State *L) {
  const dls_joint *joint = joint_of(L);
  const dls_motor *motor = &joint->motor;
  const bool slides = joint->n_motions > 0 && joint->motions[0].kind == DLS_MOTION_SLIDE;
  if (motor->kind == DLS_MOTOR_NONE) return 0;
  lua_newtable(L);
  lua_createtable(L, 0, 4); /* the numbers */
  lua_pushnumber(L, motor->target);
  lua_setfield(L, -2, motor->kind == DLS_MOTOR_SPEED ? "speed" : "position");
  if (motor->kind == DLS_MOTOR_POSITION) {
    lua_pushnumber(L, motor->stiffness);
    lua_setfield(L, -2, "stiffness");
    lua_pushnumber(L, motor->damping);
    lua_setfield(L, -2, "damping");
  }
  if (motor->most < DLS_INF) {
    lua_pushnumber(L, motor->most);
    lua_setfield(L, -2, slides ? "max_force" : "max_torque");
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, missing_number);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, -2);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, change_motor, 2);
  lua_setfield(L, -2, "__newindex");
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, motor_pairs, 1);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  return 1;
}

/* --- what was asked for, to read -------------------------------------------------------------- */


static void push_range(lua_State *L, double lo, double hi) {
  lua_createtable(L, 2, 0);
  lua_pushnumber(L, lo);
  lua_rawseti(L, -2, 1);
  lua_pushnumber(L, hi);
  lua_rawseti(L, -2, 2);
}

/* In the form in which world:joint takes them; nil: none. */
int dls_joint_limits_lua(lua_State *L) {
  const dls_joint *joint = joint_of(L);
  const bool twists = joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF;
  if (joint->kind == DLS_KIND_SPHERICAL && (twists || joint->cone < DLS_INF)) {
    lua_createtable(L, 0, 2);
    if (twists) {
      push_range(L, joint->twist[0], joint->twist[1]);
      lua_setfield(L, -2, "twist");
    }
    if (joint->cone < DLS_INF) {
      lua_pushnumber(L, joint->cone);
      lua_setfield(L, -2, "cone");
    }
  } else if (joint->n_limits == 1) {
    push_range(L, joint->lo[0], joint->hi[0]);
  } else if (joint->n_limits == 2) {
    lua_createtable(L, 2, 0);
    for (int i = 0; i < 2; i++) {
      push_range(L, joint->lo[i], joint->hi[i]);
      lua_rawseti(L, -2, i + 1);
    }
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int dls_joint_stiffness_lua(lua_State *L) {
  lua_pushnumber(L, joint_of(L)->stiffness);
  return 1;
}

int dls_joint_damping_lua(lua_State *L) {
  lua_pushnumber(L, joint_of(L)->damping);
  return 1;
}

int dls_joint_friction_lua(lua_State *L) {
  lua_pushnumber(L, joint_of(L)->friction);
  return 1;
}
