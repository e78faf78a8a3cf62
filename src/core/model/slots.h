/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_SLOTS_H
#define DLS_MODEL_SLOTS_H

#include "core/base/real.h"

/* Slots of an array of the model (joints, springs, ...), whose elements begin with `bool alive`. An element
** that is removed leaves its slot to the next one that is made, which takes the lowest; free slots at the end
** are given back. So a world's arrays are as long as the most that were ever there at once, whatever came and
** went, and their order follows from what was made and removed, in that order, alone. A slot's `generation`
** counts its uses: a handle knows whether it means the element that is there. */
typedef struct dls_slots {
  int n_free; /* slots below the end whose element is not alive */
  int lowest; /* none is free below this one                    */
} dls_slots;

/* The slot of the next element; n: behind the last of n. */
int dls_slots_next(const dls_slots *slots, const void *elements, size_t size, int n);
/* An element, alive, has been written to the slot that was next. */
void dls_slots_take(dls_slots *slots, int slot, int *n);
/* The element of a slot is not alive any more. */
void dls_slots_give(dls_slots *slots, const void *elements, size_t size, int slot, int *n);

#endif
