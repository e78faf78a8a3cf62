/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/joint_parts.h"

#include "bind/joint_penalty.h"
#include "core/joints/add.h"

/* world:joint{ kind, a, b, ... }: options to a dls_joint. */

static const char function[] = DLS_JOINT_FUNCTION;

const char *const dls_joint_kind_names[] = {
#define X(code, text) text,
    DLS_JOINT_NAMES(X)
#undef X
    "ball", NULL};
const char *const dls_joint_formulation_names[] = {"reduced", "penalty", "rigid", NULL};

static void read_point(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_joint_options *o = out;
  dls_read_numbers(L, idx, at, o->dim, o->anchor);
  o->has_anchor = true;
}

static void read_axis(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_joint_options *o = out;
  dls_joint_direction(L, idx, at, o->dim, o->axis);
  o->has_axis = true;
}

static void read_axis2(lua_State *L, int idx, const dls_at *at, const void *arg, void *out) {
  (void)arg;
  dls_joint_options *o = out;
  dls_joint_direction(L, idx, at, o->dim, o->axis2);
  o->has_axis2 = true;
}

#define ROW(name, reader, field, arg) {name, reader, offsetof(dls_joint_options, field), arg, 0, 0}
#define WHOLE(name, reader) {name, reader, 0, NULL, 0, 0}
static const dls_option rows[] = {
    {"kind", dls_read_choice, offsetof(dls_joint_options, kind), dls_joint_kind_names, DLS_REQUIRED,
     1},
    {"a", NULL, 0, NULL, 0, 2},
    {"b", NULL, 0, NULL, 0, 3},
    ROW("formulation", dls_read_choice, formulation, dls_joint_formulation_names),
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

/* --- which way the tree runs ------------------------------------------------------------------ */

static void choose_formulation(lua_State *L, dls_world *w, const dls_joint_options *o,
                               dls_joint *joint) {
  switch (dls_joint_choose(w, o->formulation, joint)) {
    case DLS_JOINT_GOOD: break;
    case DLS_JOINT_NOTHING_MOVES: dls_raise(L, function, "needs a dynamic body");
    case DLS_JOINT_LOOP:
      dls_raise(L, function, "reduced joints cannot close a loop (formulation = 'rigid' can)");
    case DLS_JOINT_BOTH_CARRIED:
      dls_raise(L, function, "both bodies have a parent already (formulation = 'rigid' can)");
  }
}

static int push_end(lua_State *L, const char *name, int place) {
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_rawgeti(L, 2, place);
  }
  return lua_gettop(L);
}

static void check_kind(lua_State *L, const dls_joint_options *o) {
  if (o->dim == 2 && dls_joint_makes[o->kind].plane == DLS_NOT_IN_PLANE)
    dls_raise(L, function, "a planar world has revolute, prismatic, fixed and chain joints");
}

static void refuse_options(lua_State *L, const dls_joint_options *o, const dls_joint *joint) {
  const bool one = joint->n_motions == 1 && joint->n_driven == 0;
  if (o->has_motion && !(one && dls_joint_is_chain(joint)))
    dls_raise(L, function, "'motion' needs a joint of one degree of freedom");
  if (joint->kind == DLS_KIND_FREE || joint->kind == DLS_KIND_FIXED) {
    if (o->stiffness != 0 || o->damping != 0 || o->friction != 0)
      dls_raise(L, function, "a %s joint has no 'stiffness', 'damping' or 'friction'",
                dls_joint_kind_names[joint->kind]);
  }
  const bool driven =
      o->has_motion || (joint->n_motions > 0 && joint->n_motions == joint->n_driven);
  if (driven && (o->stiffness != 0 || o->damping != 0 || o->friction != 0))
    dls_raise(L, function, "a joint that is driven has no 'stiffness', 'damping' or 'friction'");
  if (o->inertia != 0 && (!dls_joint_is_chain(joint) || driven))
    dls_raise(L, function, "'inertia' (of a rotor) is not possible on a %s joint%s",
              dls_joint_kind_names[joint->kind], driven ? " that is driven" : "");
}

/* torque = : numbers conjugate to the velocity; zero where it is not given. */
static void read_torque(lua_State *L, const dls_joint *joint, double torque[6]) {
  const dls_at at = {function, "torque", 0, 0};
  const int top = lua_gettop(L);
  memset(torque, 0, 6 * sizeof *torque);
  if (lua_getfield(L, 2, "torque") != LUA_TNIL) {
    if (joint->nu == 0)
      dls_raise(L, function, "'torque' is not possible on a %s joint%s",
                dls_joint_kind_names[joint->kind], joint->n_driven > 0 ? " that is driven" : "");
    if (joint->nu == 1 && lua_type(L, top + 1) == LUA_TNUMBER)
      torque[0] = dls_check_number(L, top + 1, &at);
    else dls_read_numbers(L, top + 1, &at, joint->nu, torque);
  }
  lua_settop(L, top);
}

/* kept.joints[slot + 1] = { name =, data =, motions = }; the options are at 2. */
static void keep(lua_State *L, int slot, const dls_joint_options *o) {
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
  lua_pushinteger(L, 0); /* of no joint yet */
  lua_setfield(L, top + 2, "generation");
  lua_rawseti(L, top + 1, slot + 1);
  lua_settop(L, top);
}

/* What was kept is of joint number index, which is made. */
static void keep_for(lua_State *L, const dls_world *w, int index) {
  dls_push_kept(L, 1, "joints");
  lua_rawgeti(L, -1, w->joints[index].slot + 1);
  lua_pushinteger(L, (lua_Integer)w->joints[index].generation);
  lua_setfield(L, -2, "generation");
  lua_pop(L, 2);
}

int dls_world_joint_lua(lua_State *L) {
  static const dls_at at_a = {function, "a", 0, 0}, at_b = {function, "b", 0, 0};
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  dls_joint_options o = {.dim = w->dim, .formulation = -1};
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
  const dls_place F = dls_joint_frames(L, w, &o, &joint, &framed);
  joint.n_motions = dls_joint_motions(L, &o, &F, framed, &joint, motions);
  refuse_options(L, &o, &joint);
  if (o.has_motion) {
    motions[0].drive = 0;
    joint.n_driven = 1;
  }
  for (int i = 0; i < joint.n_motions; i++)
    if (motions[i].drive < 0) motions[i].rotor = o.inertia;
  if (joint.n_driven > 0) dls_refuse_lent(L, box, function, "'motion'");
  dls_joint_count(&joint);
  dls_joint_limits(L, &joint);
  lua_getfield(L, 2, "motor");
  dls_read_motor(L, lua_gettop(L), &joint);
  double torque[6];
  read_torque(L, &joint, torque);
  choose_formulation(L, w, &o, &joint);
  dls_read_penalty(L, w, &penalty, o.inertia != 0, &joint);
  if (dls_take_body(L, push_end(L, "a", 2), 1, &at_a) != joint.a ||
      dls_take_body(L, push_end(L, "b", 3), 1, &at_b) != joint.b)
    dls_raise(L, function, "bodies were removed while its options were read");
  int index = -1;
  keep(L, dls_world_joint_slot(w), &o);
  if (joint.n_driven > 0) dls_hook_drive(box);
  dls_scope scope;
  dls_scope_begin(L, &scope, box, 1);
  dls_status status = dls_world_joint_add(w, &joint, &index);
  dls_scope_end(&scope, status, function);
  keep_for(L, w, index);
  if (index >= 0 && joint.formulation == DLS_REDUCED) dls_settle_joint(L, 1, index, function);
  memcpy(w->joint_state[index].torque, torque, sizeof torque);
  dls_push_joint(L, 1, index);
  return 1;
}
