/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* A host with Lua: worlds lent to scripts and taken back, worlds of scripts borrowed. "ok". The Lua
** files are found by LUA_PATH, the core is linked in. */
#include "host_checks.h"

#include <lauxlib.h>
#include <lualib.h>

int luaopen_delassus_core(lua_State *L);

static lua_State *state(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, -2, "delassus.core");
  lua_settop(L, 0);
  return L;
}

#define RUN(L, script)                                     \
  do {                                                     \
    if (luaL_dostring(L, script) != LUA_OK) {              \
      n_failed++;                                          \
      printf("%d: %s\n", __LINE__, lua_tostring(L, -1));   \
    }                                                      \
    lua_settop(L, 0);                                      \
  } while (0)

static void lending(void) {
  lua_State *L = state();
  delassus_world *world = world_of(false);
  delassus_body_id ball;
  delassus_body_def def = ball_of(0.1, 0, 0, 1);
  (void)floor_of(world, 0.5);
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_lend(L, world) == DELASSUS_OK && lua_gettop(L) == 1);
  CHECK(delassus_toworld(L, 1) == world && delassus_toworld(L, -1) == world);
  CHECK(delassus_lend(L, world) == DELASSUS_OK && lua_rawequal(L, 1, 2));
  lua_settop(L, 1);
  lua_setglobal(L, "world");
  RUN(L, "assert(#world == 2); ball = world.bodies[2]; assert(ball.position.z == 1)\n"
         "assert(ball.name == nil and ball.data == nil and tostring(ball):find('#2'))\n"
         "assert(ball.material and ball.material.friction == 0.5)\n"
         "ball.velocity = {1, 0, 0}; other = world:sphere{ radius = 0.2, position = {0, 3, 1} }\n"
         "hinge = world:joint{ 'revolute', world.ground, other, axis = {1, 0, 0}, anchor = {0, 3, 2} }\n"
         "for _, f in ipairs{ function() world:field(function() end) end,\n"
         "    function() world:on('step', function() end) end,\n"
         "    function() world:sphere{ radius = 1, type = 'kinematic', motion = function() end } end,\n"
         "    function() world:sphere{ radius = 1, friction = function() return 1 end } end } do\n"
         "  local ok, message = pcall(f)\n"
         "  assert(not ok and message:find('lent by a host'), message)\n"
         "end\n"
         "assert(#world == 3); world:step(10); at = world.time; hash = world:hash()");
  CHECK(delassus_world_steps(world) == 10 && delassus_world_body_count(world) == 3);
  char text[20];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)delassus_world_hash(world));
  lua_getglobal(L, "hash");
  CHECK(strcmp(lua_tostring(L, -1), text) == 0);
  CHECK(delassus_world_step(world, 90) == DELASSUS_OK);
  RUN(L, "assert(math.abs(world.time - 0.1) < 1e-12 and math.abs(ball.position.x - 0.1) < 1e-9)");
  CHECK(delassus_revoke(L, world) == DELASSUS_OK && delassus_revoke(L, world) == DELASSUS_OK);
  RUN(L, "for _, f in ipairs{ function() return world.time end, function() return ball.position end,\n"
         "    function() return other.velocity end, function() world:step() end,\n"
         "    function() return hinge.q end, function() return world:sphere{ radius = 1 } end } do\n"
         "  assert(not pcall(f))\n"
         "end\n"
         "world:close(); assert(tostring(world):find('closed')); collectgarbage()");
  CHECK(delassus_world_step(world, 10) == DELASSUS_OK);
  lua_getglobal(L, "world");
  CHECK(delassus_toworld(L, -1) == NULL);
  CHECK(delassus_lend(L, world) == DELASSUS_OK && !lua_rawequal(L, -1, -2));
  lua_setglobal(L, "again");
  RUN(L, "assert(#again == 3); again.bodies[2].velocity = {0, 0, 1}; again:close()");
  CHECK(delassus_lend(L, world) == DELASSUS_OK);
  lua_setglobal(L, "last");
  int here = 0; /* the host's pointer goes with its body, also where a script takes that out */
  delassus_body_id other;
  def.data = &here;
  CHECK(delassus_body_create(world, &def, &other) == DELASSUS_OK);
  CHECK(delassus_body_data(world, other) == &here);
  RUN(L, "last:remove(last.bodies[4]); last:sphere{ radius = 0.1, position = {0, 9, 1} }");
  CHECK(!delassus_body_alive(world, other));
  other = delassus_world_body(world, other.index);
  CHECK(delassus_body_alive(world, other) && delassus_body_data(world, other) == NULL);
  delassus_world_destroy(world); /* ends what is lent */
  RUN(L, "assert(not pcall(function() return last.time end)); collectgarbage()");
  lua_close(L);
}

/* Two states have the world; each is taken back for itself, and a state that ends gives it back. */
static void two_states(void) {
  lua_State *A = state(), *B = state();
  delassus_world *world = world_of(true);
  CHECK(delassus_lend(A, world) == DELASSUS_OK && delassus_lend(B, world) == DELASSUS_OK);
  lua_setglobal(A, "world");
  lua_setglobal(B, "world");
  RUN(A, "world:disk{ radius = 0.1 }");
  RUN(B, "assert(#world == 1)");
  CHECK(delassus_revoke(A, world) == DELASSUS_OK);
  RUN(A, "assert(not pcall(function() return #world end))");
  RUN(B, "assert(#world == 1); world:step(3)");
  lua_close(B);
  CHECK(delassus_world_step(world, 1) == DELASSUS_OK && delassus_world_steps(world) == 4);
  lua_close(A);
  delassus_world_destroy(world);
}

static void borrowing(void) {
  lua_State *L = state();
  delassus_body_id body;
  delassus_body_def def = ball_of(0.1, 5, 0, 1);
  RUN(L, "delassus = require 'delassus'; world = delassus.world{}; world:floor{}\n"
         "ball = world:sphere{ radius = 0.1, position = {0, 0, 1} }");
  lua_getglobal(L, "world");
  lua_getglobal(L, "ball");
  lua_pushnumber(L, 3);
  CHECK(!delassus_toworld(L, 2) && !delassus_toworld(L, 3) && !delassus_toworld(L, 99));
  CHECK(!delassus_toworld(NULL, 1));
  delassus_world *world = delassus_toworld(L, 1);
  CHECK(world != NULL && delassus_toworld(L, 1) == world);
  int n;
  CHECK(delassus_world_poses(world, &n)[7 * 2 + 2] == 1 && n == 3);
  CHECK(delassus_body_create(world, &def, &body) == DELASSUS_OK);
  CHECK(delassus_world_step(world, 5) == DELASSUS_OK);
  delassus_world_destroy(world); /* a script's: nothing happens */
  REFUSED(world, delassus_world_set_events(world, 1, NULL, NULL), DELASSUS_NOT_OURS, "a script's");
  REFUSED(world, delassus_lend(L, world), DELASSUS_NOT_OURS, "a script's");
  lua_settop(L, 1);
  RUN(L, "assert(#world == 3 and world.bodies[3].position.x == 5 and world.stats.steps == 5)\n"
         "world:field(function() return {0, 0, 0} end)");
  REFUSED(world, delassus_world_step(world, 1), DELASSUS_NOT_OURS, "a script's");
  RUN(L, "world:step(5); assert(world.stats.steps == 10)\n"
         "world:on('step', function() refused = pcall(world.step, world) end); world:step()\n"
         "assert(refused == false); world:close()");
  lua_getglobal(L, "world");
  CHECK(delassus_toworld(L, 1) == NULL);
  lua_close(L);
}

/* A state without the module: told, not raised. */
static void nothing_there(void) {
  lua_State *L = luaL_newstate();
  delassus_world *world = world_of(false);
  REFUSED(world, delassus_lend(L, world), DELASSUS_NOT_KNOWN, "no module");
  CHECK(lua_gettop(L) == 1 && lua_isnil(L, 1));
  CHECK(delassus_lend(L, NULL) == DELASSUS_BAD_ARGUMENT);
  CHECK(delassus_lend(NULL, world) == DELASSUS_BAD_ARGUMENT);
  CHECK(delassus_revoke(L, world) == DELASSUS_OK);
  lua_close(L);
  delassus_world_destroy(world);
}

/* A callback of the host's stops a step that a script makes: an error with words. */
static delassus_status refuse(void *user, const delassus_event *event) {
  (void)user, (void)event;
  return DELASSUS_STOPPED;
}

static void stopping(void) {
  lua_State *L = state();
  delassus_world *world = world_of(false);
  CHECK(delassus_world_set_events(world, DELASSUS_EVENT_STEP, refuse, NULL) == DELASSUS_OK);
  CHECK(delassus_lend(L, world) == DELASSUS_OK);
  lua_setglobal(L, "world");
  RUN(L, "local ok, message = pcall(world.step, world)\n"
         "assert(not ok and message:find('stopped by a function of the host'), message)");
  delassus_world_destroy(world);
  lua_close(L);
}

/* A joint that the host drives, and what it made beside it, in the hands of a script. */
static delassus_status drive(void *user, double t, delassus_drive *out) {
  out->value = 2 * t, out->rate = 2;
  return *(const bool *)user ? DELASSUS_OK : DELASSUS_STOPPED;
}

static delassus_status level(void *user, double t, const double *pose_a, const double *pose_b, delassus_gap *gap) {
  (void)user, (void)t, (void)pose_a;
  gap->gap = pose_b[2], gap->gradient_b[2] = 1;
  return DELASSUS_OK;
}

static void driving(void) {
  static bool well = true;
  lua_State *L = state();
  delassus_world *world = world_of(false);
  delassus_body_id ball;
  delassus_joint_id joint;
  delassus_spring_id spring;
  delassus_contact_id contact;
  delassus_body_def def = ball_of(0.1, 0, 0, 1);
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  delassus_joint_def hinge = delassus_joint_def_default();
  hinge.a = delassus_world_ground(world), hinge.b = ball, hinge.axis[1] = 1;
  hinge.drive = drive, hinge.drive_user = &well;
  CHECK(delassus_joint_create(world, &hinge, &joint) == DELASSUS_OK);
  def.position[0] = 1;
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  delassus_spring_def s = delassus_spring_def_default();
  s.a = delassus_world_ground(world), s.b = ball, s.stiffness = 10;
  CHECK(delassus_spring_create(world, &s, &spring) == DELASSUS_OK);
  delassus_contact_def gap = delassus_contact_def_default();
  gap.a = delassus_world_ground(world), gap.b = ball, gap.gap = level;
  CHECK(delassus_contact_create(world, &gap, &contact) == DELASSUS_OK);
  CHECK(delassus_lend(L, world) == DELASSUS_OK);
  lua_setglobal(L, "world");
  RUN(L, "world:step(100); hinge = world.joints[1]\n"
         "assert(hinge.q == 2 * world.time and hinge.qd == 2 and hinge.kind == 'revolute')\n"
         "assert(hinge.name == nil and hinge.data == nil); hinge.data = 3; assert(hinge.data == 3)\n"
         "assert(tostring(hinge) and world:accelerations() and math.abs(hinge.torque) < 1e-9)\n"
         "for _, f in ipairs{ function() world:joint{ 'revolute', world.ground, world.bodies[2], axis = {1, 0, 0},\n"
         "      motion = function() return 0, 0, 0 end } end,\n"
         "    function() world:contact{ world.ground, world.bodies[2], gap = function() end, gradient = function() end } end } do\n"
         "  local ok, message = pcall(f)\n"
         "  assert(not ok and message:find('lent by a host'), message)\n"
         "end");
  well = false;
  RUN(L, "local ok, message = pcall(function() return hinge.q end)\n"
         "assert(not ok and message:find('stopped by a function of the host'), message)\n"
         "ok, message = pcall(world.step, world)\n"
         "assert(not ok and message:find('stopped by a function of the host'), message)");
  well = true;
  RUN(L, "world:remove(hinge); world:step(5)");
  CHECK(!delassus_joint_alive(world, joint) && delassus_spring_alive(world, spring));
  /* Of a script's world neither functions nor drives can be the host's. */
  RUN(L, "own = require('delassus').world(); own:sphere{ radius = 0.1 }");
  lua_getglobal(L, "own");
  delassus_world *borrowed = delassus_toworld(L, -1);
  hinge.a = delassus_world_ground(borrowed), hinge.b = delassus_world_body(borrowed, 1);
  REFUSED(borrowed, delassus_joint_create(borrowed, &hinge, &joint), DELASSUS_NOT_OURS, "script");
  gap.a = hinge.a, gap.b = hinge.b;
  REFUSED(borrowed, delassus_contact_create(borrowed, &gap, &contact), DELASSUS_NOT_OURS, "script");
  s.a = hinge.a, s.b = hinge.b;
  CHECK(delassus_spring_create(borrowed, &s, &spring) == DELASSUS_OK);
  hinge.drive = NULL;
  CHECK(delassus_joint_create(borrowed, &hinge, &joint) == DELASSUS_OK);
  lua_settop(L, 0);
  RUN(L, "own:step(10); assert(#own.joints == 1 and own.joints[1].name == nil)");
  delassus_world_destroy(world);
  lua_close(L);
}

/* Memory of the Lua state fails at every request in turn: lend answers, and nothing is lost. */
typedef struct meter {
  long requests, fail_at;
} meter;

/* What a script keeps of a body or joint goes when the host takes that out: another one has its slot. */
static void slots(void) {
  lua_State *L = state();
  delassus_world *world = world_of(false);
  delassus_body_id ball, other;
  delassus_joint_id joint, again;
  delassus_body_def def = ball_of(0.1, 0, 0, 1);
  CHECK(delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(delassus_body_create(world, &def, &other) == DELASSUS_OK);
  delassus_joint_def hinge = delassus_joint_def_default();
  hinge.a = delassus_world_ground(world), hinge.b = ball, hinge.axis[1] = 1;
  CHECK(delassus_joint_create(world, &hinge, &joint) == DELASSUS_OK);
  CHECK(delassus_lend(L, world) == DELASSUS_OK);
  lua_setglobal(L, "world");
  RUN(L, "joint = world.joints[1]; joint.data = 1");
  for (int k = 0; k < 3; k++) { /* the host's with data, twice; then the script's with a name */
    CHECK(delassus_joint_destroy(world, joint) == DELASSUS_OK);
    CHECK(delassus_joint_create(world, &hinge, &again) == DELASSUS_OK && again.index == joint.index);
    joint = again;
    RUN(L, "assert(tostring(joint):find 'removed'); joint = world.joints[1]; assert(joint.data == nil and joint.name == nil)\n"
           "joint.data = 2; assert(joint.data == 2 and joint == world.joints[1])");
    if (k == 0) continue;
    RUN(L, "world:remove(joint)\n"
           "joint = world:joint{ 'revolute', world.ground, world.bodies[1], axis = {0, 1, 0}, name = 'door', data = 3 }\n"
           "assert(joint.name == 'door' and joint.data == 3)");
    joint.generation++;
    CHECK(delassus_joint_alive(world, joint));
  }
  RUN(L, "ball = world.bodies[2]; ball.name = 'ball'; ball.data = 4; assert(world:find 'ball' == ball)");
  CHECK(delassus_body_destroy(world, other) == DELASSUS_OK && delassus_body_create(world, &def, &ball) == DELASSUS_OK);
  CHECK(ball.index == other.index);
  RUN(L, "assert(world:find 'ball' == nil and world.bodies[2].name == nil and world.bodies[2].data == nil)\n"
         "assert(tostring(world.bodies[2]):find '#2'); world.bodies[2].name = 'egg'\n"
         "assert(world:find 'egg' == world.bodies[2] and world.bodies[2].name == 'egg'); world:step(3)");
  lua_close(L);
  delassus_world_destroy(world);
}

static void *counted(void *ud, void *block, size_t old_size, size_t new_size) {
  meter *m = (meter *)ud;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  if ((!block || new_size > old_size) && m->fail_at > 0) {
    m->requests++;
    if (m->requests == m->fail_at || m->requests == m->fail_at + 1) return NULL;
  }
  return realloc(block, new_size);
}

static void short_memory(void) {
  meter m = {0, 0};
  lua_State *L = lua_newstate(counted, &m);
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, -2, "delassus.core");
  RUN(L, "require 'delassus'");
  delassus_world *world = world_of(false);
  int failed = 0;
  for (long k = 1; k < 200; k++) {
    m = (meter){0, k};
    const delassus_status status = delassus_lend(L, world);
    const bool found = delassus_toworld(L, -1) == world;
    m.fail_at = 0;
    CHECK(lua_gettop(L) == 1 && (status == DELASSUS_OK || lua_isnil(L, 1)));
    failed += status != DELASSUS_OK || !found;
    CHECK(delassus_revoke(L, world) == DELASSUS_OK);
    lua_settop(L, 0);
    if (status == DELASSUS_OK && found && m.requests < k) break;
  }
  CHECK(failed > 5 && failed < 100);
  lua_close(L);
  delassus_world_destroy(world);
}

int main(void) {
  lending();
  two_states();
  borrowing();
  nothing_there();
  stopping();
  driving();
  slots();
  short_memory();
  return told();
}
