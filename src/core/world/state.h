/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WORLD_STATE_H
#define DLS_WORLD_STATE_H

#include "core/world/world.h"

/* Inside of world/: room, and the bare bytes of the state (no header, no check). */
dls_status dls_world_reserve_contacts(dls_world *world, int n);
dls_status dls_world_reserve_events(dls_world *world, int n);

/* Bodies, springs, hand-made contacts move up where others were taken out (slots.h), with all that
** names them. */
void dls_bodies_move_up(dls_world *world);
void dls_springs_move_up(dls_world *world);
void dls_user_contacts_move_up(dls_world *world);
/* The skin of the neighbour list is that of the bodies there are; where none has one it is the
** first, m. */
#define DLS_FIRST_SKIN 1.0
void dls_bodies_skin(dls_world *world);

size_t dls_state_size(const dls_world *world);
void dls_state_save(const dls_world *world, unsigned char *out);

/* What a step changes in its place, if it is undone: the state without events and contacts, of
** which it makes new lists, without the neighbour list, which it keeps itself (world->undo_list),
** and, where nothing but the end of a step moves bodies, without these. */
size_t dls_undo_size(const dls_world *world);
void dls_undo_save(const dls_world *world, unsigned char *out);
void dls_undo_load(dls_world *world, const unsigned char *bytes);

/* There is room: the bytes are of this world, whose room never shrinks. */
void dls_state_load(dls_world *world, const unsigned char *bytes);

#endif
