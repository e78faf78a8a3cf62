/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/gear.h"

#include "bind/joint.h"
#include "core/joints/reactions.h"

/* world:gear{ joint1, joint2, ratio =, offset = }: q2 - q2(0) = ratio (q1 - q1(0)) + offset. */

static const char function[] = "world:gear";

typedef struct gear_options {
  double ratio, offset; /* of the second coordinate by the first; rad or m */
} gear_options;

static const dls_option rows[] = {
    {"joint1", NULL, 0, NULL, 0, 1},
    {"joint2", NULL, 0, NULL, 0, 2},
    {"ratio", dls_read_number, offsetof(gear_options, ratio), NULL, DLS_REQUIRED, 0},
    {"offset", dls_read_number, offsetof(gear_options, offset), NULL, 0, 0},
    {NULL, NULL, 0, NULL, 0, 0}};

/* The joint called `name`, or at `place`: its number. */
static int take_joint(lua_State *L, const dls_world_box *box, const char *name, int place) {
  const int top = lua_gettop(L);
  const dls_at at = {function, name, 0, 0};
  if (lua_getfield(L, 2, name) == LUA_TNIL) lua_rawgeti(L, 2, place);
  const dls_joint_ref *ref = dls_class_test(L, -1, &dls_joint_class);
  if (!ref) dls_bad(L, &at, "must be a joint", lua_gettop(L));
  if (ref->box != box) dls_bad_got(L, &at, "must be a joint of this world", "one of another world");
  (void)dls_check_joint(L, lua_gettop(L));
  const dls_joint *joint = &box->world->joints[ref->index];
  const int index = ref->index;
  if (joint->nu == 0 && joint->n_driven > 0)
    dls_raise(L, function, "'%s' must not be a driven joint: its motion is given", name);
  if (joint->nu != 1 || !dls_joint_is_chain(joint))
    dls_raise(L, function, "'%s' must be a joint of one degree of freedom", name);
  if (joint->formulation == DLS_PENALTY)
    dls_raise(L, function, "'%s' must be a reduced or a rigid joint", name);
  lua_settop(L, top);
  return index;
}

int dls_world_gear_lua(lua_State *L) {
  dls_world_box *box = dls_check_unlocked(L, 1, function);
  dls_world *w = box->world;
  gear_options o = {0};
  lua_settop(L, 2);
  dls_read_options(L, 2, function, rows, &o);
  dls_gear gear = {.alive = true, .ratio = o.ratio};
  gear.joint[0] = take_joint(L, box, "joint1", 1);
  gear.joint[1] = take_joint(L, box, "joint2", 2);
  if (gear.joint[0] == gear.joint[1]) dls_raise(L, function, "needs two different joints");
  if (o.ratio == 0) dls_raise(L, function, "'ratio' must not be 0");
  double q[2][7], u[7];
  for (int k = 0; k < 2; k++) dls_joint_now(w, gear.joint[k], q[k], u);
  gear.rest = q[1][0] - o.ratio * q[0][0] + o.offset;
  dls_gear_ref *ref = dls_class_new(L, &dls_gear_class, sizeof *ref, 1);
  ref->box = box;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  int index = 0;
  dls_check_status(L, dls_world_gear_add(w, &gear, &index), function);
  ref->slot = w->gears[index].slot;
  ref->generation = w->gears[index].generation;
  return 1;
}

/* The gear, or NULL where it is gone. */
static const dls_gear *gear_of(const dls_gear_ref *ref) {
  const dls_world *w = ref->box->world;
  const int place = dls_slots_place(&w->gear_slots, ref->slot, ref->generation);
  return place >= 0 ? &w->gears[place] : NULL;
}

static const dls_gear *check(lua_State *L) {
  const dls_gear_ref *ref = dls_class_check(L, 1, &dls_gear_class);
  if (!ref->box->handle.open) dls_raise(L, "gear", "attempt to use a gear of a closed world");
  const dls_gear *gear = gear_of(ref);
  if (!gear) dls_raise(L, "gear", "attempt to use a removed gear");
  return gear;
}

static int push_joint(lua_State *L, int which) {
  const dls_gear *gear = check(L);
  lua_getiuservalue(L, 1, 1);
  dls_push_joint(L, lua_gettop(L), gear->joint[which]);
  return 1;
}
static int get_joint1(lua_State *L) { return push_joint(L, 0); }
static int get_joint2(lua_State *L) { return push_joint(L, 1); }
static int get_ratio(lua_State *L) {
  lua_pushnumber(L, check(L)->ratio);
  return 1;
}

/* How far the two are from their ratio. */
static int violation(lua_State *L) {
  const dls_gear *gear = check(L);
  const dls_world *w = ((const dls_gear_ref *)lua_touserdata(L, 1))->box->world;
  double q[2][7], u[7];
  for (int k = 0; k < 2; k++) dls_joint_now(w, gear->joint[k], q[k], u);
  lua_pushnumber(L, fabs(q[1][0] - gear->ratio * q[0][0] - gear->rest));
  return 1;
}

static int to_string(lua_State *L) {
  const dls_gear_ref *ref = dls_class_test(L, 1, &dls_gear_class);
  const dls_gear *gear = ref->box->handle.open ? gear_of(ref) : NULL;
  if (!gear) {
    lua_pushliteral(L, "delassus.Gear (removed)");
    return 1;
  }
  const dls_joint *joints = ref->box->world->joints;
  lua_pushfstring(L, "delassus.Gear (joint #%d to #%d, ratio %f)", joints[gear->joint[0]].slot + 1,
                  joints[gear->joint[1]].slot + 1, gear->ratio);
  return 1;
}

static const dls_method methods[] = {
    {"violation", violation, "() -> how far the joints are from their ratio, rad or m"},
    {NULL, NULL, NULL}};
static const dls_property properties[] = {{"joint1", get_joint1, NULL, "the joint that drives"},
                                          {"joint2", get_joint2, NULL, "the joint that is driven"},
                                          {"ratio", get_ratio, NULL, "of q2 to q1"},
                                          {NULL, NULL, NULL, NULL}};
static const luaL_Reg meta[] = {{"__tostring", to_string}, {NULL, NULL}};

const dls_class dls_gear_class = {"delassus.Gear", "gear", methods, properties, meta, NULL, NULL};
