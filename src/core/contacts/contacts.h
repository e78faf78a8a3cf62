/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_CONTACTS_H
#define DLS_CONTACTS_CONTACTS_H

#include "core/step/step.h"

/* The stage from neighbours to contacts: of the listed pairs those in reach at q_c, swift pairs
** followed (ways.h), touches (narrow phase), and which of these become contacts with rows. What the
** projection is to look at is left in near: rigid pairs that touch within reach; among joints,
** which may carry a body farther, all that are near. */
dls_status dls_find_contacts(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                             dls_disk_stage *disks);

/* Whose shifts along normals are to agree with those of others (contact_row.c): what touched a free
** body in the last step. Before any contact of this one is made. */
void dls_note_crowded(const dls_step *S, dls_contact_stage *C);

#endif
