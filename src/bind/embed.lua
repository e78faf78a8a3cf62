-- Copyright (c) 2026 the delassus authors.
-- SPDX-License-Identifier: MIT

-- embed.lua ROCKSPEC OUT.c: the Lua files that the rockspec lists as a C file with luaopen_delassus, which needs no
-- search path. Used by make: libdelassus.a has it.

local rockspec, out = ...

local environment = {}
assert(loadfile(rockspec, "t", environment))()

local names = {}
for name, file in pairs(environment.build.modules) do
  if type(file) == "string" then names[#names + 1] = name end
end
table.sort(names)

local lines = { [[
/* Made by src/bind/embed.lua from the Lua files. */
#include <lua.h>
#include <lauxlib.h>

#include "delassus.h"

int luaopen_delassus_core(lua_State *L);

typedef struct chunk {
  const char *module, *name; /* "delassus.x"; what messages call it */
  const char *text;
  size_t size;
} chunk;
]] }

local function put(fmt, ...) lines[#lines + 1] = fmt:format(...) end

local entries = {}
for i, name in ipairs(names) do
  local path = environment.build.modules[name]
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  put("static const char text_%d[] = {\n", i)
  for at = 1, #text, 32 do
    local bytes = { text:byte(at, at + 31) }
    for k, byte in ipairs(bytes) do bytes[k] = tostring(byte < 128 and byte or byte - 256) end
    put("%s,\n", table.concat(bytes, ","))
  end
  put("0};\n")
  entries[i] = ("  {\"%s\", \"@%s\", text_%d, sizeof text_%d - 1},\n"):format(name, path:gsub("^lua/", ""), i, i)
end
put("static const chunk chunks[] = {\n%s};\n", table.concat(entries))

lines[#lines + 1] = [[
enum { N_CHUNKS = sizeof chunks / sizeof *chunks };

/* (name, ...) -> the module; upvalue: its chunk. */
static int load_chunk(lua_State *L) {
  const chunk *c = (const chunk *)lua_touserdata(L, lua_upvalueindex(1));
  lua_settop(L, 1);
  if (luaL_loadbufferx(L, c->text, c->size, c->name, "t") != LUA_OK) return lua_error(L);
  lua_pushstring(L, c->module);
  lua_pushvalue(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

DELASSUS_API int luaopen_delassus(lua_State *L) {
  lua_settop(L, 0);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_delassus_core);
  lua_setfield(L, 1, "delassus.core");
  for (int i = 0; i < N_CHUNKS; i++) {
    lua_pushlightuserdata(L, (void *)(size_t)&chunks[i]);
    lua_pushcclosure(L, load_chunk, 1);
    lua_setfield(L, 1, chunks[i].module);
  }
  lua_getfield(L, 1, "delassus");
  lua_pushliteral(L, "delassus");
  lua_call(L, 1, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushvalue(L, 2);
  lua_setfield(L, 3, "delassus");
  lua_settop(L, 2);
  return 1;
}
]]

local file = assert(io.open(out, "wb"))
file:write(table.concat(lines))
assert(file:close())
