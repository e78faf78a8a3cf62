/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_FLAT_H
#define DLS_FOREST_FLAT_H

#include "core/forest/state.h"

/* Forests whose every frame lies in the x-y plane of its parent, its z axis along that one's or against it (forest->flat):
** of motions and wrenches only the numbers about z and along x and y differ from zero, and these three alone are
** computed. The numbers are those of the general recursions to the bit, since what is left out are sums with zeros. */

/* Whether the nodes of a forest in the plane are such. */
bool dls_forest_is_flat(const dls_forest *forest);

/* dls_forest_respond and dls_forest_velocities of these. */
void dls_flat_respond(const dls_forest *forest, dls_forest_state *state, const double *f, const double *wrench, double *du);
void dls_flat_velocities(const dls_forest *forest, dls_forest_state *state, const double *u, bool moving, double *V);

#endif
