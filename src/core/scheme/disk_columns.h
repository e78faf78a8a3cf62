/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_DISK_COLUMNS_H
#define DLS_SCHEME_DISK_COLUMNS_H

#include "core/scheme/step.h"

/* Plane: what steps read of all bodies, in columns (dls_columns). */

/* What a body's contacts may be (columns.law): DLS_LAW_ANY: of whatever kind; DLS_LAW_RIGID: it is a rigid disk, whose
** touches are gaps alone; else the number of its material, and those with its like are plain: between free rigid disks
** with Coulomb's friction. */
enum { DLS_LAW_ANY = -2, DLS_LAW_RIGID = -1 };

/* The columns of all bodies, where some body has changed since they were made. */
void dls_know_columns(dls_world *w);

#endif
