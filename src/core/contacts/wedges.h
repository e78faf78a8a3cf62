/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_WEDGES_H
#define DLS_CONTACTS_WEDGES_H

#include "core/contacts/carried.h"
#include "core/step/step.h"

/* Given bodies with places that others may be wedged between, which then turn with them as one
** (carriers.h). They have them within their shape (drums with lifters, compounds, meshes), or
** between each other: those that have the velocity of one rigid body at q_c and turn, as lifters
** beside a shell, or the paddles of a wheel. */

/* Finds who turns together: C->together, C->together_of. */
void dls_note_together(const dls_step *S, dls_contact_stage *C);

/* Whether body i, which is given, has such places. */
bool dls_wedges_others(const dls_step *S, const dls_contact_stage *C, int i);

/* What the velocity of body i, which is given, gains from q_c to the end of the step, `arm` from
** its mass centre: of all that turn together that of one rigid body at q_c, by the mean of their
** centres (their own gains, by -omega^2 r, would squeeze what is between them). */
dls_carried dls_together_gain(const dls_step *S, const dls_contact_stage *C, int i, dls_vec3 arm);

#endif
