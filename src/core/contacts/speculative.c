/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/speculative.h"

/* How far it has come: the next contact and the next block; contacts kept, and of these those that
** are listed. */
typedef struct forgetting {
  int contact, block, kept, listed; /* numbers, as above */
} forgetting;

/* Contacts before number `end`, none of which is of a disk contact. Speculative rows that press are
** so no more. */
static void forget_until(dls_step *S, int end, forgetting *at) {
  dls_rows *rows = &S->rows;
  dls_contact *contacts = S->w->contacts_next;
  for (; at->contact < end; at->contact++) {
    dls_contact *own = &contacts[at->contact];
    dls_block *block = &rows->block[at->block];
    /* a sensor's, or a memory: blocks of joints are behind all contacts' */
    if (at->block == rows->n_blocks || block->source != at->contact) {
      at->listed += own->listed;
    } else {
      at->block++;
      block->speculative = block->speculative & !(rows->p[block->row] > 0);
      if (block->speculative && own->x == 0) continue;
      if (block->speculative) own->listed = 0;
      block->source = at->kept;
      at->listed += own->listed;
    }
    if (at->kept != at->contact) contacts[at->kept] = *own;
    at->kept++;
  }
}

/* Takes the contacts of speculative rows that do not press out of the list, and counts the others;
** rows->block[].source follows, of disk contacts their runs. */
void dls_forget_speculative(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks) {
  forgetting at = {0};
  for (int r = 0; r < disks->n_runs; r++) {
    dls_disk_run *run = &disks->run[r];
    forget_until(S, run->contact, &at);
    const int gone = dls_disks_forget(disks, run);
    run->contact = at.kept;
    at.kept += run->n - gone, at.listed += run->n - gone;
    at.contact += run->n, at.block += run->n;
  }
  forget_until(S, C->n_contacts, &at);
  C->n_contacts = at.kept;
  S->w->stats.contacts = at.listed;
}
