/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_STRUCTURE_PARTS_H
#define DLS_BIND_STRUCTURE_PARTS_H

#include "bind/array.h"
#include "bind/call.h"
#include "bind/class.h"
#include "bind/options.h"
#include "core/structure/single.h"
#include "core/structure/state.h"

/* What the files bind/structure*.c share. */

/* User values of a structure: lists of its nodes, elements and contacts as far as they were met,
** and the condensed structure, or nil since something changed. */
enum { STRUCTURE_NODES = 1, STRUCTURE_ELEMENTS, STRUCTURE_CONTACTS, STRUCTURE_SYSTEM };
#define STRUCTURE_VALUES 4

typedef struct dls_structure_box {
  dls_handle handle;  /* first: open or closed (class.h) */
  dls_structure st;   /* the model */
  double *slip0;      /* slip_room: committed slips, m        */
  int slip_room;      /* numbers */
  int factor;         /* 0 our own, 1 cholmod                 */
  long long version;  /* counts changes                       */
} dls_structure_box;

/* A node, element or contact; user value 1 is its structure. */
typedef struct dls_structure_child {
  int index; /* 0-based, in its list */
} dls_structure_child;

extern const dls_class dls_structure_class, dls_structure_node_class, dls_structure_element_class,
    dls_structure_contact_class, dls_structure_path_class, dls_structure_state_class;

dls_structure_box *dls_structure_check(lua_State *L);

/* Pushes the one Lua value of child `index` of the structure at idx (absolute); list is one of
** the above. */
void dls_structure_push_child(lua_State *L, int idx, int list, int index);

/* The index of the child at idx of the structure at 1; raises where it is another thing. */
int dls_structure_child_at(lua_State *L, int idx, const dls_at *at, int list);

/* The condensed structure as a userdata: what path and states keep. */
typedef struct dls_structure_system {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_condensed c;   /* R and the loads */
  double seconds[3]; /* of assembly, factorisation and condensation */
  dls_single_room room; /* of solves at one load; lent to one while it runs */
} dls_structure_system;

extern const dls_class dls_structure_system_class;

/* Pushes the system of the structure at 1, made anew where something changed. factor: 0 our own, 1
** cholmod. Raises what is wrong with the structure. */
dls_structure_system *dls_structure_take_system(lua_State *L, int factor, const char *function);

/* A path; user values: the structure, its system. */
typedef struct dls_structure_path {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_alloc alloc;   /* of all its memory */
  dls_law law;       /* of contact and friction */
  int m;             /* contacts                                */
  double *slip0;     /* m: committed slips when it began, m     */
  double tolerance;  /* on residuals                            */
  bool holds;        /* its states obey the law but for round-off */
  double seconds;    /* it took, for benches, s                 */
  dls_path path;     /* of Lemke's method */
} dls_structure_path;

/* A state; user values: the structure, its system, its list of contacts or nil. */
typedef struct dls_structure_state_box {
  dls_handle handle; /* first: open or closed (class.h) */
  dls_structure_state s; /* displacements, forces */
  double tolerance;    /* on residuals */
  const char *status;  /* static */
  int n_solutions;     /* of the problem at this load; -1: not known */
  double p_limit;      /* of st:solve: where the path ended, in loads */
} dls_structure_state_box;

/* Pushes an empty state over the structure and system at two absolute places. */
dls_structure_state_box *dls_structure_push_state(lua_State *L, int structure, int system);

/* follow(self, options), solve, problem, commit. */
int dls_structure_follow(lua_State *L);
int dls_structure_solve(lua_State *L);
int dls_structure_problem(lua_State *L);
int dls_structure_commit(lua_State *L);
/* frame, bar, quad, grid, contact */
int dls_structure_frame(lua_State *L);
int dls_structure_bar(lua_State *L);
int dls_structure_quad(lua_State *L);
int dls_structure_grid(lua_State *L);
int dls_structure_contact(lua_State *L);

/* Adds what pictures read to the module at the top of the stack. */
void dls_open_structure_state(lua_State *L);

/* Something changed: the next system is made anew. */
void dls_structure_changed(lua_State *L, int idx);

#endif
