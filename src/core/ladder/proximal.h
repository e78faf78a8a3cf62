/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_PROXIMAL_H
#define DLS_LADDER_PROXIMAL_H

#include "core/ladder/rung.h"

/* Proximal points on bodies, from the impulses at hand: contacts of a face or a line share one
** load, and their impulses drift apart. Each point is the problem with W + E about the impulses
** before it, solved by Newton's full steps (newton_step.h); E is chosen by the residual, so that
** impulses may go a share of their size along the kernel of W. It falls where a point held and
** gained nothing, and rises where it did not hold. The method of cone/proximal.h, whose factor is
** on contacts. At most so many steps, fewer where the island's budget ends; below `limit`, after
** PATIENCE of them below `enough`, it ends. *reached: the residual, m/s, of the impulses that it
** leaves, the best. DLS_FULL: rows->need. */
dls_status dls_proximal_points(dls_island *island, double limit, double enough, int steps,
                               double *reached);

/* Blocks of islands at most; blocks a body from which on faces share loads: walls of boxes have
** ten, beds of balls, which sweeps in lanes keep at rest for less, three. From DLS_CROWDED on (125
** boxes jammed in a pit: 15 to 30) a factor on contacts, whose rows are that many times as many as
** velocities, is not worth its cost, however large the island is. */
enum { DLS_PROXIMAL_LARGE = 2500, DLS_SHARED = 5, DLS_CROWDED = 12 };

/* Steps at most; whether points may be asked: fine tolerances, no bound of work. */
enum { DLS_PROXIMAL_STEPS = 400 };
bool dls_suits_points(const dls_island *island);

/* *shares: up to `few` blocks, or, where it is large, DLS_SHARED a body. DLS_FULL: rows->need. */
dls_status dls_shares_loads(const dls_island *island, int few, bool *shares);

#endif
