/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_FLAT_H
#define DLS_FOREST_FLAT_H

#include "core/forest/dynamics.h"

/* Forests whose every frame lies in the x-y plane of its parent, its z axis along that one's or
** against it (forest->flat): of motions and wrenches only the numbers about z and along x and y
** differ from zero, and these three alone are computed. The numbers are those of the general
** recursions to the bit, since what is left out are sums with zeros. */

/* Whether the nodes of a forest in the plane are such. */
bool dls_forest_is_flat(const dls_forest *forest);
/* And whether the nodes of a flat one are hinges, given ones, and roots that are free in the
** plane. */
bool dls_flat_is_hinged(const dls_forest *forest);

/* The angles of the frames that are constant. */
void dls_flat_measure(dls_forest *forest);

/* The angle of link k in the plane, after dls_forest_place, and this, which answers whether
** coordinates are small enough: sums of theirs. */
bool dls_flat_turn(const dls_forest *forest, const dls_forest_state *state, double *node_angle);
double dls_flat_angle(const dls_forest *forest, const dls_forest_state *state,
                      const double *node_angle, int k);

/* The entries of one row (dls_forest_walks). */
void dls_flat_walk(const dls_forest *forest, const dls_forest_state *state,
                   const dls_forest_rows *rows, int row, dls_row_entry *list);

/* Numbers of scratch a node: a wrench or a motion, and y. */
#define DLS_FLAT_WAY 6

/* dls_forest_respond_up, _down and dls_forest_velocities of these. */
void dls_flat_respond_up(const dls_forest *forest, dls_forest_state *state, const double *f,
                         const double *wrench);
void dls_flat_respond_down(const dls_forest *forest, dls_forest_state *state, double *du,
                           double *V);
void dls_flat_velocities(const dls_forest *forest, dls_forest_state *state, const double *u,
                         bool moving, double *V);

#endif
