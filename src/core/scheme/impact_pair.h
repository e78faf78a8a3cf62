/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_PAIR_H
#define DLS_SCHEME_IMPACT_PAIR_H

#include "core/scheme/impact_held.h"

/* Two bodies that touch in several places (faces, lines side by side) and strike each other: one
** impact of the sequential law, by Newton's and Coulomb's laws in all of these places at once,
** W = J M^-1 J' with what trees hold. The velocities u follow. What would add energy gives back
** only what keeps it. blocks: n of them, no mechanism by rigid joints at either end. *struck:
** false, nothing has changed: no impulses were found that obey the laws. Statuses: DLS_FULL, with
** rows->need. */
dls_status dls_strike_pair(dls_mechanisms *all, const int *blocks, int n, double *u, bool *struck);

#endif
