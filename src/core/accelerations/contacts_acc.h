/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_CONTACTS_ACC_H
#define DLS_ACCELERATIONS_CONTACTS_ACC_H

#include "core/joints/acc_row.h"
#include "core/model/world.h"

/* Rows on accelerations of the contacts that act at the world's coordinates and velocities,
** hand-made ones, then those of shapes, rigid and compliant: UNILATERAL, CONE (dim rows together)
** or ROLLING (nb rows) for the normal and what rests, then a BOX for each of friction, spinning and
** rolling that moves, along its motion: its force is -arm[0] times that of its normal. *n: how many
** there are; `room` of them are written. DLS_STOPPED by a law of friction or a gap. */
dls_status dls_contacts_acc(dls_world *world, dls_acc_row *rows, int room, int *n);

#endif
