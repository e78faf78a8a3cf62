/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_DISKS_MET_H
#define DLS_CONTACTS_DISKS_MET_H

#include "core/step/step.h"

/* Plane: contacts of two disks about their mass centres, in closed form, one by one (disks/disks.h
** makes most of them). Impulses act at the middle of the gap, or each at its own surface beside a
** body that does not move freely (dls_points_of). */

static inline bool dls_are_disks(const dls_ball *a, const dls_ball *b) {
  return (a->radius > 0) & (b->radius > 0);
}

/* A pair of disks becomes a contact with rows, where it is to act or to stand by. */
dls_status dls_add_disks(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, const dls_ball *a, const dls_ball *b,
                         const dls_material *m, int *at);

#endif
