/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_FOLLOW_H
#define DLS_STRUCTURE_FOLLOW_H

#include "core/structure/law.h"

/* The path of lcp/parametric.h with a margin that suits: one that is too large changes the order of
** events, one below the round-off of R (stiff where links repeat others) lets x+ and x- vanish
** together and z+ = z- grow without bound. Where states miss the law, and where a path ends as a
** mechanism, other margins are tried; the answer is the first path that goes on and holds, else the
** one that misses the law least.
**
** load: that of dls_law_path; its margin, that of friction times each that is tried. tmp:
** dls_law_follow_bytes(n). *holds (may be NULL): whether its states obey the law but for round-off.
** Statuses of dls_path_follow. */
dls_status dls_law_follow(const dls_law *law, const dls_path_problem *load, dls_arena *tmp,
                          dls_path *path, bool *holds);
size_t dls_law_follow_bytes(int n);

/* The error, N, that a state of a load may have: a share of its forces, and what R makes of
** round-off. */
double dls_law_allowed(const dls_path_problem *load, double p);

#endif
