/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/slots.h"

static int slot_of(const dls_placed_array *elements, int place) {
  const unsigned char *element =
      (const unsigned char *)elements->first + (size_t)place * elements->stride;
  return *(const int *)(const void *)(element + offsetof(dls_placed, slot));
}

int dls_slots_next(const dls_slots *slots) {
  if (slots->n_free == 0) return slots->n;
  int slot = slots->lowest;
  while (slot < slots->n && slots->slot[slot].place >= 0) slot++;
  return slot;
}

dls_status dls_slots_reserve(dls_slots *slots, const dls_alloc *alloc) {
  if (slots->n < slots->room) return DLS_OK;
  const int more = slots->room < 8 ? 8 : 2 * slots->room;
  const dls_status status = dls_grow(alloc, (void **)&slots->slot, (size_t)slots->room,
                                     (size_t)more, sizeof *slots->slot);
  if (status == DLS_OK) slots->room = more;
  return status;
}

dls_placed dls_slots_begin(const dls_slots *slots) {
  const int slot = dls_slots_next(slots);
  return (dls_placed){true, slot, slots->slot[slot].generation + 1};
}

void dls_slots_take(dls_slots *slots, int place) {
  const int slot = dls_slots_next(slots);
  if (slot < slots->n) slots->n_free--;
  else slots->n = slot + 1;
  slots->lowest = slot + 1;
  slots->slot[slot].place = place;
  slots->slot[slot].generation++;
}

void dls_slots_give(dls_slots *slots, int slot) {
  slots->slot[slot].place = -1;
  slots->n_free++;
  if (slot < slots->lowest) slots->lowest = slot;
  while (slots->n > 0 && slots->slot[slots->n - 1].place < 0) slots->n--, slots->n_free--;
  slots->n_gaps++;
}

int dls_slots_number(dls_slots *slots, const dls_placed_array *elements) {
  int there = 0;
  for (int i = 0; i < elements->n; i++)
    if (dls_is_placed(elements, i)) slots->slot[slot_of(elements, i)].place = there++;
  slots->n_gaps = 0;
  return there;
}

void dls_slots_move_up(void *array, size_t size, const dls_placed_array *elements) {
  unsigned char *to = array;
  const unsigned char *from = array;
  if (size == 0 || !array) return;
  for (int i = 0, first = 0; i <= elements->n; i++) {
    if (i < elements->n && dls_is_placed(elements, i)) continue;
    const size_t bytes = (size_t)(i - first) * size;
    if (bytes > 0) memmove(to, from + (size_t)first * size, bytes);
    to += bytes;
    first = i + 1;
  }
}

void dls_slots_destroy(dls_slots *slots, const dls_alloc *alloc) {
  dls_free(alloc, slots->slot, (size_t)slots->room, sizeof *slots->slot);
  *slots = (dls_slots){0};
}
