/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/slots.h"

static bool is_alive(const void *elements, size_t size, int slot) {
  return *(const bool *)(const void *)((const unsigned char *)elements + (size_t)slot * size);
}

int dls_slots_next(const dls_slots *slots, const void *elements, size_t size, int n) {
  if (slots->n_free == 0) return n;
  int slot = slots->lowest;
  while (slot < n && is_alive(elements, size, slot)) slot++;
  return slot;
}

void dls_slots_take(dls_slots *slots, int slot, int *n) {
  if (slot < *n) slots->n_free--;
  else *n = slot + 1;
  slots->lowest = slot + 1;
}

void dls_slots_give(dls_slots *slots, const void *elements, size_t size, int slot, int *n) {
  slots->n_free++;
  if (slot < slots->lowest) slots->lowest = slot;
  while (*n > 0 && !is_alive(elements, size, *n - 1)) {
    --*n;
    slots->n_free--;
  }
}
