/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_FOREST_H
#define DLS_BIND_FOREST_H

#include "bind/raise.h"
#include "core/forest/batch.h"

/* Pushes a batch of n states of the forest, which the value at idx keeps alive; gravity, drives and
** given links as in state. path: -1 the widest. */
int dls_push_batch(lua_State *L, int idx, const dls_forest *forest, const dls_forest_state *state,
                   int n, int path, double dt);

/* What a joint does along one coordinate. */
typedef struct dls_batch_law {
  int joint;       /* its number, for messages                                */
  int iq, iu;      /* of the forest                                           */
  int node;        /* of one degree, with the velocity iu; -1: it has others  */
  double stiffness, damping; /* N m/rad, N m s/rad, or N/m, N s/m              */
  double friction; /* dry, N m or N                                           */
  double lo, hi;   /* limits, rad or m; -+DLS_INF: none                       */
} dls_batch_law;

/* Gives the batch at idx its joints' laws; before its states are filled. soft: the same forest with
** rotors on the nodes of laws, which steps make as large as springs and dampers need; NULL: none
** has such a node. */
void dls_batch_obey(lua_State *L, int idx, const dls_batch_law *laws, int n, dls_forest *soft);
/* q, u and tau of state for every state of the batch at idx. */
void dls_batch_fill(lua_State *L, int idx, const dls_forest_state *state);

/* Raises where coordinates of the forest hold a quaternion that is not unit. */
void dls_check_turns(lua_State *L, const char *function, const dls_forest *forest, const double *q);

/* Reads the options of delassus.core.forest at idx into *def. Pushes the userdata that hold the
** links and motions: leave them on the stack until the forest is made. */
void dls_read_forest(lua_State *L, int idx, const char *function, dls_forest_def *def,
                     double gravity[3]);

#endif
