/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_DISK_CONTACTS_H
#define DLS_SCHEME_DISK_CONTACTS_H

#include "core/scheme/step.h"

/* Plane: contacts of disks about their mass centres, in closed form: most pairs of a drum. With d the vector from a
** to b,
**
**     n = d/|d|,   gap = |d| - r_a - r_b.
**
** Impulses act along n through both centres, so that a normal row turns nothing; both at the middle of the gap, or each
** at its own surface beside a body that does not move freely (dls_points_of). */

static inline bool dls_are_disks(const dls_ball *a, const dls_ball *b) {
  return (a->radius > 0) & (b->radius > 0);
}

/* Which near pairs are looked at, into out; their number, and DLS_FULL in *status where there is no room. Pairs of
** rigid disks that neither touch nor did in the last step are not. Without branches: what touches cannot be
** predicted. */
int dls_choose_disks(dls_step *S, const dls_meets2 *meets, dls_chosen *out, dls_status *status);

/* A pair of disks becomes a contact with rows, where it is to act or to stand by. */
dls_status dls_add_disks(dls_step *S, const dls_ball *a, const dls_ball *b, const dls_material *m, int *at);

/* Near pairs of free rigid disks of one material with Coulomb's friction, of[0 .. n - 1]: most contacts of a drum; what
** dls_make_block() does for any contact, written out. Their blocks are noted as of pair k - left. The record of the
** contact is written once, when all is known (disk_record.h). */
dls_status dls_meet_plain_disks(dls_step *S, const dls_chosen *of, int n, int left);

/* Blocks block .. block + n - 1 are plain, and their contacts those from number `contact` on. */
void dls_note_plain(dls_step *S, int block, int n, int contact);

/* Where the impulse acts: the middle of the gap. */
static inline void dls_point_plain(const dls_spot2 *b, double nx, double ny, double gap, double point[3]) {
  const double arm = -(0.5 * gap + b->radius);
  point[0] = b->x + arm * nx, point[1] = b->y + arm * ny, point[2] = 0;
}

#endif
