/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_RODS_MET_H
#define DLS_CONTACTS_RODS_MET_H

#include "core/step/step.h"

/* Space: touches of pairs of rods, many pairs at once, for who then goes through the pairs one by
** one. */

enum { DLS_RODS_AT_ONCE = 64 }; /* pairs */

static inline bool dls_are_rods(const dls_step *S, int a, int b) {
  return (S->rod[a].r > 0) & (S->rod[b].r > 0);
}

typedef struct dls_rods_met {
  int stop;                          /* pairs of near up to this one were looked at */
  int next, last;                    /* of these pairs of rods; touches of the last one */
  const dls_touch *at;               /* its touches                                    */
  unsigned char count[DLS_RODS_AT_ONCE]; /* touches of each                                */
  dls_touch *touch;                  /* 3 DLS_RODS_AT_ONCE                                 */
} dls_rods_met;

/* The touches of pair k of near, met->last of them; NULL where it is none of rods. Asked in
** ascending order. */
const dls_touch *dls_take_met(const dls_step *S, const dls_near_stage *N, int k, dls_rods_met *met);

/* Contacts of a pair of rods, from its touches; answers their number in *n. */
dls_status dls_add_met(dls_step *S, dls_near_stage *N, dls_contact_stage *C, dls_disk_stage *disks,
                       const dls_ball *a, const dls_ball *b, const dls_material *m,
                       const dls_rods_met *met, const dls_touch *touch, int *at, int *n);

#endif
