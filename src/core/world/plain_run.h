/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_PLAIN_RUN_H
#define DLS_WORLD_PLAIN_RUN_H

#include "core/model/world.h"
#include "core/ode/ode.h"

/* EQUATIONS B.1 to the time `to` in equal steps of dt or a little less: for worlds without reduced
** joints. The world's own dt and scheme are as before afterwards; on failure the caller restores
** the state. judge: a run of zeros, whose stats are filled; DLS_UNSTABLE where the rows of penalty
** joints are, or (judge->rough > 0 then) the motion; DLS_SINGULAR, DLS_STATE and DLS_RANGE as of
** accelerations/integrate.h and ode/ode.h. */
dls_status dls_world_run_plainly(dls_world *w, double dt, double to, dls_status (*each)(void *ctx),
                                 void *ctx, dls_ode_run *judge);

#endif
