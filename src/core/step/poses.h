/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STEP_POSES_H
#define DLS_STEP_POSES_H

#include "core/step/step.h"

/* Where the bodies of a step are: the poses of their frames (T2, T3), their rods, their inertia in
** world axes. */

/* The pose, and in space the rod, of body i at its coordinates q. */
void dls_pose_at(dls_step *S, int i, const double *q);

/* The same of all bodies at the coordinates q of all. */
void dls_poses_at(dls_step *S, const double *q);

/* Inverse mass and inertia of body i for the rows; space: R is the rotation of its frame; plane: R
** is not read. */
void dls_weigh(dls_step *S, int i, const dls_mat3 *R);

/* Where an anchor is, m; *r: relative to the mass centre. q: coordinates of all bodies, whose poses
** are there. */
dls_vec3 dls_anchor_at(const dls_step *S, const double *q, int body, const double *anchor_b,
                       dls_vec3 *r);

/* The velocities u and coordinates q of all bodies are numbers; else DLS_RANGE, and world->fault
** says whose are not. */
dls_status dls_check_bodies(dls_step *S, const double *q, const double *u);

/* Zero where all n numbers are finite, else not a number. */
double dls_zero_of(const double *x, int n);

#endif
