/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BIND_ODE_H
#define DLS_BIND_ODE_H

#include "bind/call.h"
#include "bind/options.h"
#include "core/ode/ode.h"

/* The options of an integration, for every binding that offers one. Fill with {.reading = -1}. */
typedef struct dls_ode_def {
  int method, reading, order; /* of the lists of names; -1, 0: not given */
  double dt, rtol, atol;      /* 0: not given; s, relative, absolute     */
  double to;                  /* absolute time, s                        */
  bool each;                  /* a function was given                    */
} dls_ode_def;

extern const dls_option dls_ode_options[];

/* The options for the core; raises for one that the method does not use. */
dls_ode_opts dls_ode_check(lua_State *L, const char *function, const dls_ode_def *def);

/* Steps until `to`, calling each (NULL: none) after every step. Steps of fixed-step methods are
** equal: dt, made a little shorter where the span is no multiple of it. */
dls_status dls_ode_drive(dls_ode_run *run, double to, dls_status (*each)(void *ctx), void *ctx);

/* Pushes { steps =, rejected =, evaluations =, defect = }. */
void dls_ode_push_stats(lua_State *L, const dls_ode_stats *stats);

#endif
