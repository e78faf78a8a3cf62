/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_DISKS_H
#define DLS_DISKS_DISKS_H

#include "core/rows/rows.h"

/* Rigid disks about their mass centres that move freely in the plane, with Coulomb's friction: most contacts of a
** drum. Their normal impulses turn nothing, so that a contact's own W is diagonal. */

/* Planar rows of so many blocks may hold disk contacts from now on (rows/special.h). DLS_FULL. */
dls_status dls_disks_lend(dls_rows *rows, int blocks, dls_arena *tmp);
size_t dls_disks_bytes(int blocks);

#endif
