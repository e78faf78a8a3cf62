/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_CLASS_H
#define DLS_BIND_CLASS_H

#include "bind/raise.h"

/* Userdata that read and write like objects, and strictly: an unknown name raises with the nearest
** known one. Methods are found first, by raw table lookup. */

typedef struct dls_property {
  const char *name;  /* as scripts say it */
  lua_CFunction get; /* (self) -> value; NULL: write-only                        */
  lua_CFunction set; /* (self, value) ; NULL: read-only                          */
  const char *doc;   /* one line with unit, for delassus.help                    */
} dls_property;

typedef struct dls_method {
  const char *name; /* as scripts say it */
  lua_CFunction call; /* (self, ...) */
  const char *doc; /* "(n) n steps; one where n is absent"                       */
} dls_method;

/* The first member of every closable userdata. */
typedef struct dls_handle {
  bool open; /* set by the binding once the resource is there, cleared by close  */
  bool owed; /* closed by a finalizer: its resource goes with the userdata       */
} dls_handle;

typedef struct dls_class {
  const char *name;               /* "delassus.Body": __name, and the key of the metatable */
  const char *noun;               /* "body": what messages call it                        */
  const dls_method *methods;      /* ends with name NULL; may be NULL                     */
  const dls_property *properties; /* ends with name NULL; may be NULL                     */
  const luaL_Reg *meta;           /* further metamethods (__len, __tostring, ...), or NULL */
  lua_CFunction at;               /* (self, integer) -> element, for x[i]; or NULL        */
  void (*release)(lua_State *L, void *self); /* gives the resource back, once; makes the class
                                                closable: close, __close, __gc. NULL: plain */
} dls_class;

/* Makes the class known to this Lua state; twice is harmless. */
void dls_class_register(lua_State *L, const dls_class *cls);

/* More methods for a class that is known, beside its own list: help tells of them too. `methods` is
** static; one whose call is NULL is only told. */
void dls_class_extend(lua_State *L, const dls_class *cls, const dls_method *methods);

/* Pushes a new userdata of the class, all zero (so closed), with n_values user values. */
void *dls_class_new(lua_State *L, const dls_class *cls, size_t size, int n_values);

/* The userdata at idx if it is one of the class (closed or open), else NULL. */
void *dls_class_test(lua_State *L, int idx, const dls_class *cls);

/* The same for argument idx of a method: raises where it is another thing or closed, or where a
** finalizer calls. */
void *dls_class_check(lua_State *L, int idx, const dls_class *cls);
/* The same for a method that finalizers may call: it changes nothing, or refuses them itself. */
void *dls_class_open(lua_State *L, int idx, const dls_class *cls);

/* Raises where a finalizer is running. The collector calls finalizers inside of any call that
** allocates, which may be at work on the object that the finalizer would change. */
bool dls_in_finalizer(lua_State *L);
void dls_refuse_finalizers(lua_State *L, const char *function);

/* Raises where the object at 1 of a method in progress, or the one it belongs to (user value 1),
** was closed meanwhile by a function of the caller's. */
void dls_class_still_open(lua_State *L);

/* Pushes the table of methods, to which the Lua layer may add. methods(name) for Lua. */
int dls_class_methods(lua_State *L);

/* names(x) -> set of the names x answers to; nothing for other values: for completion. */
int dls_class_names(lua_State *L);

/* help(x) -> what x answers to as text, name of its class; x is an object or a class's name,
** "delassus.Body". Nothing for other values. */
int dls_class_help(lua_State *L);

#endif
