/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "bind/class.h"

/* Upvalues of __index and __newindex. */
enum { UP_METHODS = 1, UP_PROPERTIES, UP_CLASS };

static const dls_class *class_of_upvalue(lua_State *L) {
  return (const dls_class *)lua_touserdata(L, lua_upvalueindex(UP_CLASS));
}

/* Pushes a table with every name the class answers to as a key. */
static void push_names(lua_State *L) {
  lua_newtable(L);
  for (int up = UP_METHODS; up <= UP_PROPERTIES; up++) {
    lua_pushnil(L);
    while (lua_next(L, lua_upvalueindex(up)) != 0) {
      lua_pop(L, 1);
      lua_pushvalue(L, -1);
      lua_pushboolean(L, 1);
      lua_rawset(L, -4);
    }
  }
}

static int unknown_property(lua_State *L, const dls_class *cls) {
  if (lua_type(L, 2) != LUA_TSTRING) {
    const char *key = dls_push_described(L, 2);
    return dls_raise(L, cls->noun, "has no element %s", key);
  }
  push_names(L);
  return dls_unknown(L, cls->noun, "property", lua_tostring(L, 2), -1);
}

static const dls_property *find(lua_State *L) {
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(UP_PROPERTIES));
  const dls_property *property = (const dls_property *)lua_touserdata(L, -1);
  lua_pop(L, 1);
  return property;
}

static int class_index(lua_State *L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(UP_METHODS)) != LUA_TNIL) return 1;
  const dls_class *cls = class_of_upvalue(L);
  if (cls->at != NULL && lua_type(L, 2) == LUA_TNUMBER) return cls->at(L);
  const dls_property *property = find(L);
  if (property == NULL) return unknown_property(L, cls);
  if (property->get == NULL)
    return dls_raise(L, cls->noun, "'%s' can only be set", property->name);
  lua_settop(L, 1);
  return property->get(L);
}

static int class_newindex(lua_State *L) {
  const dls_class *cls = class_of_upvalue(L);
  const dls_property *property = find(L);
  if (property != NULL && property->set != NULL) {
    lua_remove(L, 2);
    return property->set(L);
  }
  if (property == NULL && cls->at != NULL && lua_type(L, 2) == LUA_TNUMBER)
    return dls_raise(L, cls->noun, "cannot be changed in place: assign a whole new one");
  lua_pushvalue(L, 2);
  if (property != NULL || lua_rawget(L, lua_upvalueindex(UP_METHODS)) != LUA_TNIL)
    return dls_raise(L, cls->noun, "'%s' is read-only", lua_tostring(L, 2));
  return unknown_property(L, cls);
}

/* Whether a finalizer is running: Lua answers -1 to any question about its collector then (from
** 5.4.4 on). */
bool dls_in_finalizer(lua_State *L) {
#if LUA_VERSION_RELEASE_NUM >= 50404
  return lua_gc(L, LUA_GCCOUNT) == -1;
#else
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame) && lua_getinfo(L, "n", &frame); level++) {
    if (frame.name != NULL && strcmp(frame.name, "__gc") == 0) return true;
  }
  return false;
#endif
}

void dls_refuse_finalizers(lua_State *L, const char *function) {
  if (dls_in_finalizer(L))
    dls_raise(L, function, "not possible in a finalizer: another call may be at work");
}

/* close, __close and __gc (upvalue 2: true) of the class. What a finalizer closes may be in use by
** the call that the collector interrupted: its resource is given back with the userdata. */
static int class_close(lua_State *L) {
  const dls_class *cls = (const dls_class *)lua_touserdata(L, lua_upvalueindex(1));
  dls_handle *self = (dls_handle *)luaL_testudata(L, 1, cls->name);
  if (self == NULL) {
    const char *got = dls_push_described(L, 1);
    return dls_raise(L, cls->noun, "close needs a %s, got %s", cls->noun, got);
  }
  const bool last = lua_toboolean(L, lua_upvalueindex(2));
  if (self->open && !last && dls_in_finalizer(L)) {
    self->open = false;
    self->owed = true;
  } else if (self->open || (self->owed && last)) {
    self->open = self->owed = false;
    cls->release(L, self);
  }
  return 0;
}

static void push_close(lua_State *L, const dls_class *cls, bool last) {
  lua_pushlightuserdata(L, (void *)cls);
  lua_pushboolean(L, last);
  lua_pushcclosure(L, class_close, 2);
}

static void push_members(lua_State *L, const dls_class *cls) {
  lua_newtable(L);
  for (const dls_method *m = cls->methods; m != NULL && m->name != NULL; m++) {
    lua_pushcfunction(L, m->call);
    lua_setfield(L, -2, m->name);
  }
  if (cls->release != NULL) {
    push_close(L, cls, false);
    lua_setfield(L, -2, "close");
  }
  lua_newtable(L);
  for (const dls_property *p = cls->properties; p != NULL && p->name != NULL; p++) {
    lua_pushlightuserdata(L, (void *)p);
    lua_setfield(L, -2, p->name);
  }
}

void dls_class_register(lua_State *L, const dls_class *cls) {
  luaL_checkstack(L, 12, "class");
  if (!luaL_newmetatable(L, cls->name)) {
    lua_pop(L, 1);
    return;
  }
  if (cls->meta != NULL) luaL_setfuncs(L, cls->meta, 0);
  push_members(L, cls); /* stack: metatable, methods, properties */
  lua_pushvalue(L, -2);
  lua_setfield(L, -4, "delassus.methods");
  for (int i = 0; i < 2; i++) {
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_pushlightuserdata(L, (void *)cls);
    lua_pushcclosure(L, i == 0 ? class_index : class_newindex, 3);
    lua_setfield(L, -4, i == 0 ? "__index" : "__newindex");
  }
  lua_pop(L, 2);
  if (cls->release != NULL) {
    push_close(L, cls, false);
    lua_setfield(L, -2, "__close");
    push_close(L, cls, true);
    lua_setfield(L, -2, "__gc");
  }
  lua_pushlightuserdata(L, (void *)cls);
  lua_setfield(L, -2, "delassus.class");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void dls_class_extend(lua_State *L, const dls_class *cls, const dls_method *methods) {
  luaL_checkstack(L, 6, "class");
  luaL_getmetatable(L, cls->name);
  lua_getfield(L, -1, "delassus.methods");
  for (const dls_method *m = methods; m->name != NULL; m++) {
    if (m->call == NULL) continue;
    lua_pushcfunction(L, m->call);
    lua_setfield(L, -2, m->name);
  }
  lua_pop(L, 1);
  (void)luaL_getsubtable(L, -1, "delassus.more"); /* lists, in the order in which they came */
  lua_pushlightuserdata(L, (void *)methods);
  lua_rawseti(L, -2, luaL_len(L, -2) + 1);
  lua_pop(L, 2);
}

void *dls_class_new(lua_State *L, const dls_class *cls, size_t size, int n_values) {
  void *self = lua_newuserdatauv(L, size, n_values);
  memset(self, 0, size);
  luaL_setmetatable(L, cls->name);
  return self;
}

void *dls_class_test(lua_State *L, int idx, const dls_class *cls) {
  return luaL_testudata(L, idx, cls->name);
}

void *dls_class_open(lua_State *L, int idx, const dls_class *cls) {
  void *self = luaL_testudata(L, idx, cls->name);
  if (self == NULL) {
    const char *got = dls_push_described(L, idx);
    dls_raise(L, cls->noun, "expected a %s, got %s (a method is called with ':')", cls->noun, got);
  }
  if (cls->release != NULL && !((const dls_handle *)self)->open)
    dls_raise(L, cls->noun, "attempt to use a closed %s", cls->noun);
  return self;
}

void *dls_class_check(lua_State *L, int idx, const dls_class *cls) {
  void *self = dls_class_open(L, idx, cls);
  if (cls->release != NULL) dls_refuse_finalizers(L, cls->noun);
  return self;
}

int dls_class_methods(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (luaL_getmetatable(L, name) != LUA_TTABLE)
    return dls_raise(L, "methods", "there is no class '%s'", name);
  lua_getfield(L, -1, "delassus.methods");
  return 1;
}

static void add_line(luaL_Buffer *b, const char *lead, const char *name, const char *doc) {
  luaL_addstring(b, "\n  ");
  luaL_addstring(b, lead);
  luaL_addstring(b, name);
  if (doc != NULL) {
    luaL_addstring(b, doc[0] == '(' ? "" : "  ");
    luaL_addstring(b, doc);
  }
}

/* Pushes the class behind the value at 1, or NULL. */
static const dls_class *class_at(lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TUSERDATA || !lua_getmetatable(L, idx)) return NULL;
  lua_getfield(L, -1, "delassus.class");
  const dls_class *cls = (const dls_class *)lua_touserdata(L, -1);
  lua_pop(L, 2);
  return cls;
}

static void raise_where_closed(lua_State *L, int idx) {
  const dls_class *cls = class_at(L, idx);
  if (cls == NULL || cls->release == NULL) return;
  if (!((const dls_handle *)lua_touserdata(L, idx))->open)
    dls_raise(L, cls->noun, "was closed while its options were read");
}

void dls_class_still_open(lua_State *L) {
  if (lua_type(L, 1) != LUA_TUSERDATA) return;
  raise_where_closed(L, 1);
  if (lua_getiuservalue(L, 1, 1) == LUA_TUSERDATA) raise_where_closed(L, lua_gettop(L));
  lua_pop(L, 1);
}

int dls_class_names(lua_State *L) {
  luaL_checkany(L, 1);
  const dls_class *cls = class_at(L, 1);
  if (cls == NULL) return 0;
  lua_newtable(L);
  luaL_getmetatable(L, cls->name);
  lua_getfield(L, -1, "delassus.methods");
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushboolean(L, 1);
    lua_rawset(L, -6);
  }
  lua_pop(L, 2);
  for (const dls_property *p = cls->properties; p != NULL && p->name != NULL; p++) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, p->name);
  }
  return 1;
}

/* The lists of dls_class_extend. A buffer may keep values on the stack: the table is at `more`. */
static void add_more(lua_State *L, luaL_Buffer *b, int more) {
  for (lua_Integer i = 1; lua_rawgeti(L, more, i) != LUA_TNIL; i++) {
    const dls_method *m = (const dls_method *)lua_touserdata(L, -1);
    lua_pop(L, 1);
    for (; m->name != NULL; m++) add_line(b, ":", m->name, m->doc);
  }
  lua_pop(L, 1);
}

/* The class of this name, or NULL. */
static const dls_class *class_named(lua_State *L, const char *name) {
  const dls_class *cls = NULL;
  if (luaL_getmetatable(L, name) == LUA_TTABLE) {
    lua_getfield(L, -1, "delassus.class");
    cls = (const dls_class *)lua_touserdata(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return cls;
}

int dls_class_help(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  const dls_class *cls =
      lua_type(L, 1) == LUA_TSTRING ? class_named(L, lua_tostring(L, 1)) : class_at(L, 1);
  if (cls == NULL) return 0;
  luaL_getmetatable(L, cls->name);
  (void)luaL_getsubtable(L, -1, "delassus.more");
  const int more = lua_gettop(L);
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, cls->name);
  for (const dls_property *p = cls->properties; p != NULL && p->name != NULL; p++)
    add_line(&b, ".", p->name, p->doc);
  for (const dls_method *m = cls->methods; m != NULL && m->name != NULL; m++)
    add_line(&b, ":", m->name, m->doc);
  add_more(L, &b, more);
  if (cls->release != NULL) add_line(&b, ":", "close", "() gives its memory back; twice is fine");
  luaL_pushresult(&b);
  lua_pushstring(L, cls->name);
  return 2;
}
