/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SWEEPS_TURNS_3_H
#define DLS_SWEEPS_TURNS_3_H

#include "core/sweeps/groups_3.h"

/* The friction against turning, spinning and rolling, of spatial contacts in lanes. */

/* L' of the turning: L as dls_groups_3.root has it. */
static inline void dls_root_turn(const double *L, const double *m, double out[3]) {
  out[0] = L[1] * m[0] + L[2] * m[1] + L[4] * m[2];
  out[1] = L[3] * m[1] + L[5] * m[2];
  out[2] = L[6] * m[2];
}

/* Where its impulses stand among the numbers of p. */
static inline int dls_turns_at_3(const dls_groups_3 *G) { return DLS_GROUP_NUMBERS_3 * G->n; }

/* Those of group k, and their impulses, as they stand in the rows. */
void dls_fill_turns_3(const dls_rows *rows, dls_groups_3 *G, int k);

/* Whether their numbers fit single precision. */
bool dls_turns_fit_float_3(const dls_space_turn *t);

/* Velocities of the groups: what its impulses add to them. */
void dls_push_turns_3(dls_groups_3 *G);

/* Impulses back to the rows. */
void dls_give_turns_3(dls_rows *rows, const dls_groups_3 *G);

#endif
