/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_WORLD_H
#define DLS_BIND_WORLD_H

#include "bind/array.h"
#include "bind/call.h"
#include "bind/options.h"
#include "bind/shape.h"
#include "core/world/world.h"
#include "host/host.h"

/* Worlds for Lua, and what lives in them. A world's user values:
**   1  children: weak-valued table, key -> body or contact userdata
**   2  kept: table of everything Lua that belongs to the world:
**        kept.bodies[i] = { name =, data =, shape =, material =, motion = }   i the body's slot
**        kept.joints[i + 1] = { name =, data =, motions = }; both with the generation of whose they are
**        kept.materials[userdata] = index     kept.laws[k] = friction function
**        kept.fields[k], kept.handlers[k] = { kind, function }, kept.user_contacts[k] = { gap, gradient }
** Lua holds slots (core/model/slots.h): a place is asked for in each call, and changes in none. */
typedef struct dls_ring dls_ring; /* the last seconds, see world_record.c */

typedef struct dls_world_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_world *world;  /* owned, or lent by a host                                    */
  dls_call *call;    /* the call in progress, for hooks; NULL outside of a step     */
  int self;          /* stack index of the userdata in that call                    */
  dls_ring *ring;    /* NULL: nothing is recorded                                   */
  bool pending;      /* removals wait for the end of the step                       */
  int law_limit;     /* so many laws: the next one is behind a look at which are in use */
  /* lent by a host: whose world it is; else what C sees of it, NULL until it asks */
  delassus_world *host;
  bool lent;         /* by a host                                                   */
  dls_host_loan loan; /* of that host */
  bool in_step;      /* the call in progress steps: else there is no end to wait for */
} dls_world_box;

typedef struct dls_child_ref {
  dls_world_box *box;  /* of user value 1                                           */
  int slot;            /* body: its slot                                            */
  uint32_t generation; /* of the body's slot, of the hand-made contact's             */
  /* body: its place in this call (dls_check_body); contact: of the step `steps` */
  int index;
  int64_t steps;       /* contact: the step it belongs to                           */
  uint64_t key;        /* contact                                                   */
  int a, b;            /* contact: slots of its bodies; -1: of one that is gone     */
  uint32_t of_a, of_b; /* and their generations                                     */
  int user;             /* hand-made contact: its slot; -1: found by shapes          */
  bool kept;           /* a contact of an event: a dls_contact of its own follows   */
} dls_child_ref;

typedef struct dls_spring_ref {
  int slot;            /* of the spring in the world of user value 1 */
  uint32_t generation; /* of its slot                                */
} dls_spring_ref;

/* What a hook of the world's calls, with n_args on the stack above the function: protected, and the
** world is locked meanwhile, whoever asks: a step, an evaluation, the making of a joint. */
dls_status dls_call_locked(dls_world_box *box, int n_args, int n_results, const char *function,
                           const char *option);

extern const dls_class dls_world_class, dls_body_class, dls_contact_class, dls_material_class,
    dls_handle_class, dls_spring_class;

/* The world at argument 1, open. unlocked: raises while it steps. */
dls_world_box *dls_check_world(lua_State *L, int idx);
dls_world_box *dls_check_unlocked(lua_State *L, int idx, const char *function);

/* A world that a host has lent: raises, for the host's steps cannot call functions of a script. */
void dls_refuse_lent(lua_State *L, const dls_world_box *box, const char *function,
                     const char *what);

/* Pushes user value 2's table `name` of the world at idx. */
void dls_push_kept(lua_State *L, int idx, const char *name);
/* Pushes what is kept at a key of such a table of a body or joint: a table, or nil. What is kept of
** another one of its slot, which a host took out, goes. */
void dls_push_kept_of(lua_State *L, int idx, const char *name, int key, uint32_t generation);
/* The same; where nothing is kept an empty table is, from now on. */
void dls_make_kept_of(lua_State *L, int idx, const char *name, int key, uint32_t generation);

/* At the beginning of a call that asks for the world at idx as a whole: no gaps are left in it
** (dls_world_move_up), unless a callback or a finalizer asks, which come while others hold
** places. */
void dls_settle_world(lua_State *L, int idx);

/* Pushes the body, always the same userdata; idx is the world. nil for a dead one. */
void dls_push_body(lua_State *L, int idx, int body);
/* The same for contact number k of the last step. */
void dls_push_contact(lua_State *L, int idx, int k);

/* A contact as an event kept it, to be read at any time. */
void dls_push_kept_contact(lua_State *L, int idx, const dls_event *event);

/* Hand-made contact number user; and one of a slot that is about to be made, whose generation the
** caller sets. */
void dls_push_user_contact(lua_State *L, int idx, int user, int a, int b);
dls_child_ref *dls_push_new_user_contact(lua_State *L, int idx, int slot, int a, int b);
/* What tells a contact from others of its step: its key, the slots of its bodies and, of one made
** by hand, its own (-1). */
typedef struct dls_contact_name {
  uint64_t key;    /* of the features that met                          */
  int a, b;        /* slots of its bodies                               */
  uint32_t of_a, of_b; /* and their generations                         */
  int user, index; /* slot of one made by hand, or -1; where it was found */
} dls_contact_name;
dls_contact_name dls_contact_named(const dls_world *w, int k);
/* Where it is now: looked for from a guess downwards, for contacts leave and never change their
** order; -1: it is gone. */
int dls_contact_place(const dls_world *w, const dls_contact_name *name, int guess);
/* Pushes an iterator over the contacts of the world at idx that touch a body (-1: all). */
void dls_push_visit(lua_State *L, int idx, int body);
/* The model of a hand-made contact; NULL where it was removed. Its place. */
dls_user_contact *dls_user_contact_of(const dls_child_ref *ref);
int dls_user_contact_place(const dls_child_ref *ref);

/* The body at argument idx, alive and of an open world; its world is pushed if push. */
dls_child_ref *dls_check_body(lua_State *L, int idx);

/* A body of the world at idx_world, as an option's value. */
int dls_take_body(lua_State *L, int idx, int idx_world, const dls_at *at);

/* --- materials ---------------------------------------------------------------------------- */

typedef struct dls_material_box {
  dls_material material; /* law unused here */
  bool has_law;          /* user value 1 is a function of the slip speed */
} dls_material_box;

/* Options of a material: NAN where not given. */
typedef struct dls_material_def {
  double friction, kinetic, decay, restitution, stiffness, damping, rolling, spinning,
      tangential_restitution; /* as in API 3 */
  bool has_law;  /* 'friction' is a function, to be taken from the table by its reader */
} dls_material_def;

extern const dls_option dls_material_rows[];
/* A reader: > 0, infinity included. */
void dls_read_stiffness(lua_State *L, int idx, const dls_at *at, const void *arg, void *out);
dls_material_def dls_material_def_default(void);
void dls_material_apply(const dls_material_def *def, dls_material *material);

/* Registers the material userdata at idx_material (0: `material` alone, anonymous), with the
** function at idx_law as its friction (0: none), in the world; -> index. */
int dls_use_material(lua_State *L, int idx_world, int idx_material, const dls_material *material,
                     int idx_law);

/* Keeps the function at idx_law as a law of friction of the world; -> its number. */
int dls_keep_law(lua_State *L, int idx_world, int idx_law);
/* After materials, pairings or contacts of the world at idx_world came or went: what nothing uses
** goes. */
void dls_tidy_world(lua_State *L, int idx_world);

/* The world's number of the material userdata at idx_material, which it learns here. */
int dls_know_material(lua_State *L, int idx_world, int idx_material);
/* Pushes the userdata of the world's material `index`. */
void dls_push_material(lua_State *L, int idx_world, int index);

/* --- parts of the world's binding ------------------------------------------------------------ */

int dls_world_new_body(lua_State *L);
int dls_world_pair_lua(lua_State *L);
int dls_world_contact_lua(lua_State *L);
int dls_world_spring_lua(lua_State *L);
int dls_world_field_lua(lua_State *L);
int dls_world_on_lua(lua_State *L);
/* Sets the hook where a function of that sort is first met. */
void dls_hook_motion(dls_world_box *box);
void dls_hook_friction(dls_world_box *box);

/* Pushes { t =, kind =, a =, b =, contact =, ... }; idx is the world. */
void dls_push_event(lua_State *L, int idx, const dls_event *event);

/* Frames of the last seconds: NULL where seconds is 0 or memory is short. */
dls_ring *dls_ring_new(const dls_alloc *alloc, double seconds);
void dls_ring_free(dls_ring *ring, const dls_world *world);
void dls_ring_take(dls_ring *ring, const dls_world *world);

/* Adds world:sphere, world:floor, ... to the methods of worlds. */
void dls_add_short_forms(lua_State *L);

#endif
