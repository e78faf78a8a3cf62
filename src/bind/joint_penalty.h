/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_JOINT_PENALTY_H
#define DLS_BIND_JOINT_PENALTY_H

#include "bind/joint.h"

/* What penalty joints add to world:joint and to joints. */

typedef struct dls_penalty_options {
  int gains, law;                      /* -1: not given                 */
  double alpha, beta;                  /* -1: not given, as all of them; 1/s^2, 1/s */
  double alpha_rotation, beta_rotation; /* of rows that hold rotations, m^2/s^2, m^2/s */
  double limit_alpha, limit_beta;       /* of limits, as alpha and beta */
} dls_penalty_options;

extern const dls_option dls_penalty_option_rows[];
dls_penalty_options dls_penalty_options_default(void);

/* Raises what a joint of another formulation has no use for, and what a penalty joint cannot be;
** else its rows are made. rotor: an inertia was given. */
void dls_read_penalty(lua_State *L, const dls_world *w, const dls_penalty_options *o, bool rotor,
                      dls_joint *joint);

/* Gains are found where they are not known. */
void dls_ready_penalties(lua_State *L, dls_world *w, const char *function);

/* joint.rows */
int dls_joint_rows_lua(lua_State *L);

/* After a step failed: raises where a penalty joint would have been lost. The world is at idx. */
void dls_raise_unstable(lua_State *L, int idx, dls_status status, const char *function);

#endif
