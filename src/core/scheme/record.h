/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_RECORD_H
#define DLS_SCHEME_RECORD_H

#include "core/model/contact_law.h"
#include "core/scheme/position.h"

/* What a contact's rows did, told to its record: impulse, velocity, state. */

/* The record of the contact of a block that is no disk contact (disks/disks.h). */
void dls_record_contact(dls_step *S, dls_contact_stage *C, dls_position_stage *P,
                        const dls_block *block);

/* Before and after all contacts are recorded: their warm starts, and the onsets of those that are
** no disk contacts. */
void dls_open_records(dls_step *S, dls_account_stage *A);
void dls_close_records(dls_step *S, const dls_contact_stage *C, dls_account_stage *A);

#endif
