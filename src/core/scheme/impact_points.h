/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_POINTS_H
#define DLS_SCHEME_IMPACT_POINTS_H

#include "core/cone/points.h"
#include "core/scheme/impact_expand.h"

/* A phase of Poisson's law on one island as a dense problem of its rows, in the order of the
** island's blocks. Rows of what is set aside, or moves nothing, have x = 0. */

/* From the arena, at the impulses and velocities at hand. DLS_FULL: rows.need is set. */
dls_status dls_impact_points_take(dls_points *N, const dls_expansion *of);

/* Impulses x of the island: rows.p and u follow. */
void dls_impact_points_apply(const dls_points *N, const dls_expansion *of, const double *x);

/* Impulses of redundant contacts (rows of W that depend on each other while joints hold) are not
** unique, nor is what Poisson's law gives back of them: phases of islands of up to 200 rows by
** proximal points from p_n = e p_C, p_T = 0, with W + gamma, gamma 1e-3 of the trace of a
** contact's block, as events/impact.c has them: each is unique, the first within 1e-3 of the
** least-norm answer, a handful end at round-off. They are the same for every order of the
** contacts, and as symmetric as these are. *found: rows.p and u are such, to the tolerance; else
** (nothing is redundant, or Newton's steps do not end) they are as before, or, in an expansion
** that misses a fine tolerance alone, what sweeps go on from. *cost: in sweeps. DLS_FULL:
** rows.need. */
dls_status dls_share_impulses(const dls_expansion *of, bool *found, double *cost);

#endif
