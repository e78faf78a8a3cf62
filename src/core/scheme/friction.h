/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_FRICTION_H
#define DLS_SCHEME_FRICTION_H

#include "core/scheme/step.h"

/* The friction coefficient of two materials at a slip speed, m/s; may ask hooks.friction. */
dls_status dls_friction_at(dls_world *w, const dls_material *m, double speed, double *mu);

#endif
