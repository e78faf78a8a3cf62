/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_COLLIDE_BROAD_H
#define DLS_COLLIDE_BROAD_H

#include "core/base/alloc.h"

/* Neighbour lists. Given n boxes (bounds of shapes, already widened by the contact margin), the
** list of all pairs whose boxes, each widened by skin / 2, overlap. It stays complete while no
** face of a box has moved by more than skin / 2, so it is rebuilt only then:
**
**     |lo - lo_built|, |hi - hi_built| <= skin / 2   for all boxes   =>   list kept.
**
** Boxes over many cells of a grid (floors, planes, drums: bounds may be infinite) are compared with
** all (broad_search.h); a box whose lo is above its hi is nothing, and in no pair. Pairs have a < b
** and are sorted by (a, b). Everything is a plain array, so that a snapshot or a hash covers it:
** boxes, pairs, counts. */
typedef struct dls_broad {
  int dims;         /* 2 or 3                                                              */
  double skin;      /* m, > 0; a pair is listed up to this distance, see above             */
  int n;            /* boxes at the last build; -1 before the first                        */
  double *built;    /* 4 dims n_room: lo x.. of all, y.., (z..), then hi: at the last build;
                    ** then as much room to build in                                       */
  int n_pairs;      /* pairs in the list                                                   */
  int *a, *b;       /* n_pairs: the pair's boxes, a < b, sorted                            */
  int n_room;       /* room for boxes                                                      */
  int pair_room;    /* room for pairs                                                      */
  int n_entries;    /* boxes times cells they lie in, at the last build                    */
  int entry_room;   /* room for them                                                       */
  int *scratch;     /* room for sorting; not state                                         */
  size_t scratch_n; /* its length                                                          */
  int need_pairs;   /* after DLS_FULL: the room asked for                                  */
  int need_entries; /* after DLS_FULL: the room asked for                                  */
} dls_broad;

dls_status dls_broad_create(dls_broad *broad, const dls_alloc *alloc, int dims, double skin);
void dls_broad_destroy(dls_broad *broad, const dls_alloc *alloc);

/* Room for n boxes and `spare` (1, 2, ..) times what their pairs take or the last DLS_FULL asked
** for (with a quarter on top). Outside of a step. DLS_NOMEM leaves it usable as it was. */
dls_status dls_broad_reserve(dls_broad *broad, const dls_alloc *alloc, int n, int spare);

/* Whether the list no longer holds for the boxes. lo, hi: dims pointers to n numbers each. */
bool dls_broad_moved(const dls_broad *broad, int n, const double *const lo[],
                     const double *const hi[]);

/* A new list. idle: n flags or NULL; a pair of two idle boxes is not listed. DLS_FULL: too little
** room (see dls_broad_reserve); the list is as it was. */
dls_status dls_broad_build(dls_broad *broad, int n, const double *const lo[],
                           const double *const hi[], const unsigned char *idle);

/* The list's boxes and pairs as bytes, without their numbers (n, n_pairs), which stand when it is
** loaded. */
size_t dls_broad_size(const dls_broad *broad);
void dls_broad_save(const dls_broad *broad, unsigned char *out);
void dls_broad_load(dls_broad *broad, const unsigned char *bytes);

/* Makes the next update build anew: after bodies were added, removed or filters changed. */
void dls_broad_reset(dls_broad *broad);

#endif
