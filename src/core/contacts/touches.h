/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_TOUCHES_H
#define DLS_CONTACTS_TOUCHES_H

#include "core/step/step.h"

/* The touches of two bodies within margin into touch, sorted by key. Answers how many there are,
** which may be more than touch_room: then dls_want_touches(). Poses are those of the step. */
int dls_touches_of(const dls_step *S, dls_near_stage *N, int a, int b, double margin);

/* A pair touches at n points, for which there is no room: the step is repeated with more. Answers
** DLS_FULL. */
dls_status dls_want_touches(dls_step *S, int n);

/* Plane: two disks about their mass centres, of the radii r_a and r_b, as a touch; their number (0,
** 1). */
int dls_touch_disks(double r_a, const dls_pose2 *a, double r_b, const dls_pose2 *b, double margin,
                    dls_touch *out);

/* Plane: a disk of radius r inside a drum, where no lifter is within reach: the shell alone. -1:
** one is. */
int dls_touch_shell(const dls_shape *drum, const dls_pose2 *a, double r, const dls_pose2 *b,
                    double margin, dls_touch *out);

#endif
