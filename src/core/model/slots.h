/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_SLOTS_H
#define DLS_MODEL_SLOTS_H

#include "core/base/alloc.h"
#include "core/base/real.h"
#include "core/base/status.h"

/* Elements of an array of the model (bodies, joints, springs, ...) stand at places, in the order in
** which they were made: steps go over places. What is removed leaves a gap, a place whose element
** is not alive, until the elements behind it move up. Users hold slots, which do not move: a slot
** knows the place of its element, and the element its slot. The slot of what is removed goes to the
** next one that is made, which takes the lowest; its `generation` counts its uses, so that a handle
** knows whether it means the element that is there.
**
** So a world's arrays are as long as what is there and at most as many gaps, steps begin without
** gaps, and the order of what is there is that of a world in which nothing else was ever made. */
typedef struct dls_slot {
  int place;           /* of its element; -1: free */
  uint32_t generation; /* uses so far              */
} dls_slot;

typedef struct dls_slots {
  dls_slot *slot; /* n                                                      */
  int n, room; /* slots up to the last one in use; that there is memory for */
  int n_free;  /* below n, of no element                                    */
  int lowest;  /* none is free below this one                               */
  int n_gaps;  /* in the array of elements                                  */
} dls_slots;

/* What every element begins with. */
typedef struct dls_placed {
  bool alive;          /* false: a gap */
  int slot;            /* its own      */
  uint32_t generation; /* of its slot  */
} dls_placed;

/* An array of elements with gaps. */
typedef struct dls_placed_array {
  void *first;   /* of them                    */
  size_t stride; /* bytes, from one to the next */
  int n;         /* gaps included              */
} dls_placed_array;

static inline bool dls_is_placed(const dls_placed_array *elements, int place) {
  return *(const bool *)(const void *)((const unsigned char *)elements->first +
                                       (size_t)place * elements->stride);
}

/* The slot of the next element; room for it. */
int dls_slots_next(const dls_slots *slots);
dls_status dls_slots_reserve(dls_slots *slots, const dls_alloc *alloc);
/* With room: the first fields of the next element; that it stands at this place. */
dls_placed dls_slots_begin(const dls_slots *slots);
void dls_slots_take(dls_slots *slots, int place);
/* The element that has this slot is not alive any more. */
void dls_slots_give(dls_slots *slots, int slot);

/* The place of the element that has this slot in its use number `generation`; -1: it is gone. */
static inline int dls_slots_place(const dls_slots *slots, int slot, uint32_t generation) {
  if (slot < 0 || slot >= slots->n || slots->slot[slot].generation != generation) return -1;
  return slots->slot[slot].place;
}

/* Whether gaps are so many that moving up costs no more than making what went. */
static inline bool dls_slots_are_sparse(const dls_slots *slots, int n) {
  return 2 * slots->n_gaps > n;
}

/* Moving up: first slots get the places that elements will have; then whatever stands in the order
** of the elements moves, `size` bytes an element; the elements themselves move last. Answers how
** many there are. */
int dls_slots_number(dls_slots *slots, const dls_placed_array *elements);
void dls_slots_move_up(void *array, size_t size, const dls_placed_array *elements);

void dls_slots_destroy(dls_slots *slots, const dls_alloc *alloc);

#endif
