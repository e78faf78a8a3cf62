/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_COMPLIANCE_H
#define DLS_CONTACTS_COMPLIANCE_H

#include "core/step/step.h"

/* Stiffness (N/m) and dashpot (N s/m) of a contact; a rigid one's stiffness is DLS_INF. */
void dls_stiffness_of(const dls_step *S, const dls_contact *c, double *k, double *damping);

/* The stage of boundary nodes. A compliant contact whose bodies are out of each other's reach, or
** that was switched off, has no row; its boundary node is still compressed and relaxes on its own,
** x' = c x/(h k + c) (EQUATIONS G.1.3). It stays among the contacts as a memory, not listed, until
** what is left is round-off. */
dls_status dls_keep_compressed(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks);

#endif
