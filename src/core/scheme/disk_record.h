/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_DISK_RECORD_H
#define DLS_SCHEME_DISK_RECORD_H

#include "core/scheme/step.h"

/* Plane: what dls_record_contact(), the ledger and the judgement do for the contacts of disk_contacts.h, written
** out and done at once for a run of blocks. Their records are made when someone reads them (records.h). Sums and
** counts are local: what is written through a pointer may be any of them. */
void dls_record_plain(dls_step *S, const dls_plain_run *run);

/* Before and after all contacts are recorded: those of shapes count their onsets, as plain ones have. */
void dls_open_brief(dls_step *S);
void dls_close_brief(dls_step *S);

#endif
