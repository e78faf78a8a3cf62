/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/gear.h"
#include "bind/joint.h"
#include "bind/world_parts.h"

/* Taking things out of a world: between steps at once, in a callback at the end of the step. */

/* What Lua keeps of a thing goes with it. */
static void drop_kept(lua_State *L, const char *list, lua_Integer key) {
  dls_push_kept(L, 1, list);
  lua_pushnil(L);
  lua_rawseti(L, -2, key);
  lua_pop(L, 1);
}

/* Takes out the body, joint, spring or hand-made contact at idx, which is of the world at 1; what
** has gone meanwhile is passed over. */
static void take_out(lua_State *L, dls_world_box *box, int idx) {
  dls_world *w = box->world;
  const dls_child_ref *contact = dls_class_test(L, idx, &dls_contact_class);
  const dls_spring_ref *spring = dls_class_test(L, idx, &dls_spring_class);
  const dls_joint_ref *joint = dls_class_test(L, idx, &dls_joint_class);
  const dls_gear_ref *gear = dls_class_test(L, idx, &dls_gear_class);
  if (contact) {
    if (!dls_user_contact_of(contact)) return;
    drop_kept(L, "user_contacts", contact->user + 1);
    dls_world_user_contact_remove(w, dls_user_contact_place(contact));
  } else if (spring) {
    const int place = dls_slots_place(&w->spring_slots, spring->slot, spring->generation);
    if (place >= 0) dls_world_spring_remove(w, place);
  } else if (gear) {
    const int place = dls_slots_place(&w->gear_slots, gear->slot, gear->generation);
    if (place >= 0) dls_world_gear_remove(w, place);
  } else if (joint) {
    if (dls_joint_place(joint) < 0) return;
    drop_kept(L, "joints", joint->slot + 1);
    dls_world_joint_remove(w, dls_joint_place(joint));
  } else {
    const dls_child_ref *body = lua_touserdata(L, idx);
    if (dls_slots_place(&w->body_slots, body->slot, body->generation) < 0) return;
    drop_kept(L, "bodies", body->slot);
    dls_world_body_remove(w, dls_slots_place(&w->body_slots, body->slot, body->generation));
  }
}

/* What callbacks removed goes when the step is over. */
void dls_world_remove_pending(lua_State *L, dls_world_box *box) {
  dls_push_kept(L, 1, "removed");
  box->pending = false;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    take_out(L, box, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

/* Puts the thing at 2 on the list of what goes at the end of the step. */
static void postpone(lua_State *L, dls_world_box *box) {
  lua_getiuservalue(L, 1, 2);
  if (!box->pending || lua_getfield(L, 3, "removed") != LUA_TTABLE) {
    lua_settop(L, 3);
    lua_newtable(L);
    lua_pushvalue(L, 4);
    lua_setfield(L, 3, "removed");
  }
  lua_pushvalue(L, 2);
  lua_rawseti(L, 4, (lua_Integer)lua_rawlen(L, 4) + 1);
  box->pending = true;
}

int dls_world_remove_lua(lua_State *L) {
  static const char function[] = "world:remove";
  static const dls_at at = {function, NULL, 0, 0};
  dls_world_box *box = dls_check_world(L, 1);
  dls_refuse_finalizers(L, function);
  lua_settop(L, 2);
  const dls_child_ref *contact = dls_class_test(L, 2, &dls_contact_class);
  const dls_joint_ref *joint = dls_class_test(L, 2, &dls_joint_class);
  if (contact) {
    if (contact->box != box) dls_raise(L, function, "the contact is of another world");
    if (contact->user < 0)
      dls_raise(L, function, "a contact found by shapes cannot be removed (see 'collides')");
  } else if (dls_class_test(L, 2, &dls_spring_class)) {
    lua_getiuservalue(L, 2, 1);
    if (!lua_rawequal(L, 1, 3)) dls_raise(L, function, "the spring is of another world");
    lua_settop(L, 2);
  } else if (dls_class_test(L, 2, &dls_gear_class)) {
    const dls_gear_ref *gear = lua_touserdata(L, 2);
    if (gear->box != box) dls_raise(L, function, "the gear is of another world");
  } else if (joint) {
    if (joint->box != box) dls_raise(L, function, "the joint is of another world");
  } else if (!dls_class_test(L, 2, &dls_body_class)) {
    dls_bad(L, &at, "expected a body, joint, gear, spring or contact made by hand", 2);
  } else if (dls_take_body(L, 2, 1, &at) == 0) {
    dls_raise(L, function, "the ground cannot be removed");
  }
  if (box->world->stepping && !box->in_step)
    dls_raise(L, function,
              "not possible while a function of the world's is asked outside of a step");
  if (box->world->stepping) postpone(L, box);
  else take_out(L, box, 2);
  return 0;
}
