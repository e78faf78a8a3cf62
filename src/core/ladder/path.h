/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_PATH_H
#define DLS_LADDER_PATH_H

#include "core/ladder/rung.h"

/* A large island of planar contacts, along a path of exact solutions. Coulomb's law in the
** plane is piecewise linear, and sweeps leave nearly every contact in its final state (open,
** sticking, sliding this way or that). With z0 the admissible impulses nearest to theirs and
** y0 velocities that fit z0 exactly,
**
**     v(z) + E (z - z0) + (1 - t) r,    r = y0 - v(z0),
**
** has the solution z0 at t = 0. It is followed to t = 1 from kink to kink; at each, one
** contact changes its state (some twenty do), and on the far side t goes on or back, whichever
** way enters the new state. A state changes the bodies' matrix K of body_graph.h by a b', so
** that K^-1 is one factor and, for each kink,
**
**     y <- y - Z (b . y) / (1 + b . Z),    Z = (K^-1 before) a.
**
** At t = 1 what is left is E (z - z0), which the next round has for its r. Where the path
** turns back for long (solutions meet and end; followed farther it is a loop of thousands of
** kinks), E is raised. It falls again only with the residual: rounds that gain nothing carry
** the impulses past such an end, r / E at a time, to where other contacts change.
** Sources: R. W. Cottle, J.-S. Pang & R. E. Stone, The Linear Complementarity Problem, 1992,
** 4.5 (parametric pivoting); R. T. Rockafellar, SIAM J. Control Optim. 14 (1976) (rounds: the
** proximal-point method). */

#define DLS_PULL_FIRST 1e-6 /* E / |W| of the first round */


enum { DLS_PATH_MOST = 3000 }; /* contacts of an island, to rough tolerances */

/* Whether an island is one for the path, now or once it has been swept. */
bool dls_suits_path(const dls_island *island);

/* From the impulses and velocities at hand: the best found are left there. limit: m/s. DLS_FULL:
** rows->need. */
dls_status dls_solve_path(const dls_island *island, double limit, dls_budget *budget,
                          int *iterations, bool *converged);

#endif
