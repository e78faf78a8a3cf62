/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_FIRST_MET_H
#define DLS_CONTACTS_FIRST_MET_H

#include "core/contacts/contact_row.h"

/* Contacts that belong to a place on the way of the step: the row is that of where two bodies first
** touch, its law that of a rigid contact. */

/* A touch of a < b at a place as a contact; before: that of the last step, NULL. */
dls_status dls_add_there(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                         const dls_ways_place *place, int a, int b, const dls_touch *touch,
                         const dls_material *m, const dls_contact *before);

/* Grazes: two bodies that go less than half their thickness a step may touch and part before q_c,
** where gaps are looked at: they part there, and rows of q_c would say nothing. Such a pair is
** followed from where it was, and its contact is that of its first touch. Nobody is stopped: where
** bodies go is a matter of the impulse and of the projection. */

/* Whether a meeting that was weighed up may be one. */
static inline bool dls_may_graze(const dls_step *S, const dls_contact_stage *C,
                                 const dls_meeting *meet) {
  const dls_step_halves step = dls_halves_of(S);
  const double closed = dls_closed(S, meet->size);
  return dls_law_may_have_met(&step, meet->gap, meet->v_before, closed) && !C->known &&
         !meet->by_hand && !(meet->before && meet->before->listed) &&
         !(meet->m->stiffness < DLS_INF);
}

/* The contact of a meeting that may graze, of this part and key: *met, whether it does. What
** touches a part at several points at once has one of them for each of its touches at q_c, in
** turn. */
dls_status dls_add_graze(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, const dls_meeting *meet, uint64_t part,
                         uint64_t key, bool *met);

#endif
