/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_NEWTON_H
#define DLS_SCHEME_IMPACT_NEWTON_H

#include "core/disks/disks.h"
#include "core/step/step.h"

/* Newton's impacts of redundant contacts, after the solve: in islands of up to DLS_POINTS_ROWS rows
** where something is thrown back and what slides depends on impulses that the laws leave open
** (cone/points.h), these are the ones of proximal points from 0, the same for every order of bodies
** and contacts. Rows and report follow; C->noise is known. DLS_FULL: rows.need. */
dls_status dls_share_rebounds(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                              const dls_solve_opts *opts, dls_solve_report *report);

#endif
