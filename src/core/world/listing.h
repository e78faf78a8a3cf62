/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_LISTING_H
#define DLS_WORLD_LISTING_H

#include "core/joints/trees.h"

/* The coordinates of the whole world as world:coordinates() lists them: bodies in the order in
** which they were made, joints' own coordinates where they carry a body, else the body frame's
** origin and rotation; velocities likewise (velocity of that origin, angular velocity in body
** axes). For those who ask within a step, where the forest may not be at hand. */

/* How many coordinates there are; *n_u (may be NULL): velocities. */
int dls_listing_count(const dls_world *world, int *n_u);

/* The list at the bodies' coordinates q (n_bodies x NQ); trees are taken from their forest as it
** stands. */
void dls_listing_fill(const dls_world *world, const double *q, double *out);

/* Where the velocities of a body without a joint begin; -1 for others. */
int dls_listing_first(const dls_world *world, int body);

/* A gradient by those NU velocities -> by (velocity of the mass centre, angular velocity in world
** axes), for the body's coordinates q. */
void dls_listing_gradient(const dls_world *world, int body, const double *q, const double *gradient,
                          double *out);

#endif
