/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_RECORD_H
#define DLS_SCHEME_RECORD_H

#include "core/model/row_frame.h"
#include "core/scheme/contact_law.h"
#include "core/scheme/step.h"

/* What a contact's rows did, told to its record: impulse, velocity, state. */

/* The record of the contact of a block that is none of disk_contacts.h. */
void dls_record_contact(dls_step *S, const dls_block *block);

#endif
