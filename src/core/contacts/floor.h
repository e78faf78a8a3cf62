/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_FLOOR_H
#define DLS_CONTACTS_FLOOR_H

#include "core/step/step.h"

/* Floors in pieces: given bodies beside each other, children, triangles (collide/seam.h). */

/* Which given bodies each free one is near, from the near pairs: paved, beside_from, beside. */
void dls_note_beside(dls_step *S, dls_near_stage *N);

/* Of n touches of `ground` with `other`, in touch, those that the floor it may be part of has as
** well; their number. turned: `ground` is the second body of the touches. */
int dls_clear_seams(const dls_step *S, dls_near_stage *N, int ground, int other, bool turned,
                    int n);

/* The same of n touches of a pair that is followed, at the share s of the step (dls_ways.clear). */
int dls_clear_seams_then(const dls_ways *ways, const dls_pursuit *pair, int a, int b, double s,
                         dls_touch *touch, int n);

/* Whether the body of a pair that is foretold to touch a piece of a floor at rest is on another,
** level one, at the end. */
bool dls_floor_meets(const dls_ways *ways, const dls_pursuit *pair, int a, int b,
                     const dls_touch *touch);

#endif
