/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_RECORDS_H
#define DLS_MODEL_RECORDS_H

#include "core/model/world.h"

/* Records of contacts and marks of what became of them are made when someone reads them: steps of a
** drum of disks are made by the thousand and looked at now and then. Until then a disk contact
** (core/disks) is a warm start and a pending record; all others have their records from the start.
** Worlds are const to whoever reads: what is made here is nothing that was not known before. */

/* Records of the last step's contacts, all made. Where world->contacts is read outside of a step it
** is by this. */
dls_contact *dls_world_contacts(const dls_world *world);

/* Those that are of bodies or hand-made contacts that were taken out are contacts no longer:
** whoever reads contacts asks for it before n_contacts, or has called dls_world_contacts. */
void dls_contacts_drop_gone(const dls_world *world);
/* Contacts of a body found by shapes are contacts no longer. */
void dls_contacts_forget(dls_world *world, int body);

/* Marks of the events of the last step, all made (world->event_marks, n_event_marks), and the
** records of the contacts they name in world->contacts and, of those that are gone, in
** world->contacts_next. */
void dls_world_changes(const dls_world *world);

/* From now on contacts are what their records say: some were taken out, or others were read in. */
void dls_records_changed(dls_world *world);

/* Warm starts of the last step's contacts, if it is not known that they are there. */
void dls_warm_starts_make(dls_world *world);

/* Room of a list of contacts; n = 0 answers DLS_OK. */
dls_status dls_warm_columns_new(dls_warm_columns *warm, const dls_alloc *alloc, int n);
void dls_warm_columns_free(dls_warm_columns *warm, const dls_alloc *alloc, int n);

/* A contact of two bodies' shapes as one number, in the order of contacts. */
static inline uint64_t dls_pair_word(int a, int b) {
  return (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
}

/* Whether contact i of a list has no record yet. */
static inline bool dls_is_pending(const dls_warm_columns *warm, int i) {
  return warm->any_pending && (warm->start[i].how & DLS_START_PENDING);
}

/* All records of a list. */
void dls_records_make(dls_contact *records, dls_warm_columns *warm);

/* The record of contact i of the last step. */
const dls_contact *dls_contact_at(const dls_world *world, int i);

/* Less than, equal to or greater than 0, as x stands before y, is the same contact, or behind
** it. */
int dls_contacts_order(const dls_contact *x, const dls_contact *y);

/* It presses, or touches a sensor. */
static inline bool dls_contact_acts(const dls_contact *c) {
  return c->listed && (c->state != DLS_APART || c->mark & DLS_MARK_SENSED);
}

/* The warm start of a contact that has a record. */
void dls_warm_start_make(dls_warm_columns *warm, int i, const dls_contact *record);

/* The same of contacts *from to n - 1; *from follows. */
void dls_warm_starts_until(dls_warm_columns *warm, const dls_contact *records, int *from, int n);

#endif
