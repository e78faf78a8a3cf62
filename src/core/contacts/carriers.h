/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_CARRIERS_H
#define DLS_CONTACTS_CARRIERS_H

#include "core/contacts/carried.h"
#include "core/contacts/contact_row.h"

/* The bodies of a contact as carried.h sees them: their velocities, and how their surfaces bend
** where they touch. */

/* The shift of a contact's rows (carried.h). Beside what stands still there is none but that of
** ellipsoids, cones and rims of cylinders, which roll by arms that change with the normal; nor
** between free disks, balls and capsules (along normals it would make beds four times as hard to
** solve, and a step of logs costs a twentieth more), between free bodies that meet, or where it was
** stated by hand. Of what touches these too and lies on a given body the shift along the normal
** goes as well: beside neighbours without it a bed that turns with its drum would jam. Along the
** normal of an impact there is but what a given motion gains, and none that would drive free bodies
** apart. */
dls_carried dls_carried_by(const dls_step *S, const dls_contact_stage *C, const dls_meeting *meet);

/* Whether a given body has places that others may be wedged between (wedges.h), and the other one
** is round and touches free bodies there: logs between two lifters. What is wedged so turns with it
** as one body, and its rows are to ask for no velocities that such a motion has not: they are those
** of q_c, without a shift but for what the given velocity gains, at one point of both. */
bool dls_turns_as_one(const dls_step *S, const dls_contact_stage *C, int a, int b);

#endif
