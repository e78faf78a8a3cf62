/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_SPECULATIVE_H
#define DLS_CONTACTS_SPECULATIVE_H

#include "core/step/step.h"

/* A contact with an open gap has no row where its bodies, moving freely, would leave it open. But
** what the other rows do can close it: a log at rest that is struck passes the blow on within the
** step. So a contact of the last step stands by as a speculative row (block.speculative) with the
** law
**
**     0 <= p  _|_  v_n + gap / (theta h) >= 0,
**
** which is silent while the gap stays open and else closes it, no further: what approach is left
** comes to the law of restitution in the next step, at a closed contact. It is a row as any other
** from the start. Without it neighbours in a bed act in alternate steps, each pushed through the
** other in between: the bed creeps, and the projection lifts it back for ever. Those that never
** spoke are no contacts of the step. */

/* Takes the contacts of speculative rows without an impulse out of the list, and counts the others;
** rows.block[].source follows, of disk contacts their runs. */
void dls_forget_speculative(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks);

#endif
