/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_LAST_H
#define DLS_DISKS_LAST_H

#include "core/disks/groups.h"

/* The last contacts of an island of disks that miss the limit (sweep_lanes.h): momentum keeps the
** states of a few of them changing long after all others have settled, and sweeps visit all for
** them. So these are visited one by one, in the order of a queue: a visit solves its own contact
** and may put others of its bodies beyond the limit, which are queued. When the queue is empty the
** limit holds everywhere. It is not known to end; it is given up after some looks, and what it has
** gained stays. (Relaxation where it is needed: R. V. Southwell, 1940.) */

/* Sweeps before the first time, and between two; a look costs as much as so many visits of sweeps;
** not in beds of so few groups, nor in those that nothing strikes: many contacts are left just
** within the limit, and beds at rest creep by that. */
enum { DLS_LAST_FIRST = 40, DLS_LAST_EVERY = 10, DLS_LAST_COST = 8, DLS_LAST_GROUPS = 32 };

/* The limit where the residual in double precision decides: that is up to some hundredths above the
** one here, and all queued contacts end just within theirs. */
#define DLS_LAST_STRICT 0.9

typedef struct dls_disk_last {
  /* a place's FULL: its lane of each such colour, -1: none */
  int *full;
  /* a place's first contact of others, 2 lane + end; the one behind it; -1: none */
  int *head, *next;
  /* these three are filled */
  bool linked;
  /* queued lanes: n from first on; room for all, and one more */
  int *ring, first, n;
  /* a lane: QUEUED, COPIED (it stands in contact); lane -1 is always queued */
  unsigned char *state;
  /* a lane: squared residual, (m/s)^2 */
  float *error;
  /* a lane */
  dls_disk_single *contact;
} dls_disk_last;

size_t dls_disk_last_bytes(size_t places, size_t lanes);
bool dls_disk_last_take(const dls_disk_groups *G, dls_arena *tmp, dls_disk_last *X);

/* Visits the contacts that miss most_error (m/s) until none does, or the looks are spent; answers
** which. n: contacts. U and impulses belong together before and after. *looks: how many. */
bool dls_disk_settle_last(const dls_disk_groups *G, double most_error, int n, dls_disk_last *X,
                          int *looks);

#endif
