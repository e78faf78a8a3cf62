/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_COMPACT_H
#define DLS_DISKS_COMPACT_H

#include "core/disks/contact.h"
#include "core/rows/special.h"

/* Disk contacts as compact blocks (rows/special.h): rows->compact is a dls_disk_contact a block. */

static inline dls_disk_contact *dls_disk_contacts(const dls_rows *rows) { return rows->compact; }

/* The entries of dls_special but for the sweeps. */
bool dls_disks_fit(const dls_rows *rows, const dls_block *block);
void dls_disks_write(dls_rows *rows, int k);
void dls_disks_push(const dls_rows *rows, int first, int end);
double dls_disks_residual(const dls_rows *rows, int k);
double dls_disks_residuals(dls_rows *rows, int first, int end);
double dls_disks_scale(const dls_rows *rows, int first, int end);

#endif
