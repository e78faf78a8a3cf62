/* A host with Lua: it makes a world, a script fills it, the host steps it in a thread of its own.
** What is lent is used by one thread at a time: the script's turns and the steps alternate.
** Build: cc script.c $(pkg-config --cflags --libs delassus lua5.4) -pthread   (or: make hosts)
** Prints: what the script saw between the steps, then the error that the world, taken back, raises
** in the script. */
#include <delassus.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>

static const char script[] =
    "world:floor{ restitution = 0.5 }\n"
    "local ball = world:sphere{ radius = 0.1, position = {0, 0, 1}, restitution = 0.5 }\n"
    "function look() -- called by the host after each half second\n"
    "  return ('t = %.1f s, the ball is %.3f m high'):format(world.time, ball.position.z - 0.1)\n"
    "end\n";

/* The host's thread: half a second of steps. */
static void *half_second(void *world) {
  static delassus_status status;
  status = delassus_world_step((delassus_world *)world, 500);
  return &status;
}

static int ask(lua_State *L) {
  lua_getglobal(L, "look");
  const int ok = lua_pcall(L, 0, 1, 0) == LUA_OK;
  printf("%s%s\n", ok ? "" : "refused: ", lua_tostring(L, -1));
  lua_settop(L, 0);
  return ok;
}

int main(void) {
  lua_State *L = luaL_newstate();
  delassus_world *world = NULL;
  delassus_world_def def = delassus_world_def_default();
  luaL_openlibs(L);
  luaL_requiref(L, "delassus", luaopen_delassus, 1);
  if (delassus_world_create(&def, &world) != DELASSUS_OK) return 1;
  if (delassus_lend(L, world) != DELASSUS_OK) return 1;
  lua_setglobal(L, "world");
  if (luaL_dostring(L, script) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return 1;
  }
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    void *status;
    if (pthread_create(&thread, NULL, half_second, world) != 0) return 1;
    pthread_join(thread, &status);
    if (*(delassus_status *)status != DELASSUS_OK || !ask(L)) return 1;
  }
  delassus_revoke(L, world);
  const int refused = !ask(L);
  lua_close(L);
  delassus_world_destroy(world);
  return refused ? 0 : 1;
}
