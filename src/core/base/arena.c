/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/arena.h"

static size_t to_alignment(const void *p) {
  const size_t over = (size_t)((uintptr_t)p % DLS_ALIGN);
  return over == 0 ? 0 : DLS_ALIGN - over;
}

dls_arena dls_arena_over(void *memory, size_t size) {
  const size_t skip = memory == NULL ? 0 : to_alignment(memory);
  dls_arena arena = {0};
  if (memory != NULL && size > skip) {
    arena.base = (char *)memory + skip;
    arena.size = size - skip;
  }
  return arena;
}

dls_status dls_arena_create(dls_arena *arena, const dls_alloc *alloc, size_t size) {
  *arena = (dls_arena){0};
  const size_t bytes = dls_bytes_add(size, DLS_ALIGN);
  void *block = dls_new(alloc, bytes, 1);
  if (block == NULL) return DLS_NOMEM;
  *arena = dls_arena_over(block, bytes);
  arena->block = block;
  arena->block_size = bytes;
  return DLS_OK;
}

void dls_arena_destroy(dls_arena *arena, const dls_alloc *alloc) {
  dls_free(alloc, arena->block, arena->block_size, 1);
  *arena = (dls_arena){0};
}

dls_status dls_arena_reserve(dls_arena *arena, const dls_alloc *alloc, size_t size) {
  arena->used = 0;
  if (arena->size >= size && arena->base != NULL) return DLS_OK;
  dls_arena larger;
  const dls_status status = dls_arena_create(&larger, alloc, size);
  if (status != DLS_OK) return status;
  dls_arena_destroy(arena, alloc);
  *arena = larger;
  return DLS_OK;
}

dls_status dls_arena_reserve_untouched(dls_arena *arena, const dls_alloc *alloc, size_t size) {
  const size_t bytes = dls_bytes_add(size, DLS_ALIGN);
  arena->used = 0;
  if (arena->size >= size && arena->base != NULL) return DLS_OK;
  if (bytes > SIZE_MAX / 2) return DLS_NOMEM;
  void *block = alloc->fn(alloc->ud, NULL, 0, bytes);
  if (block == NULL) return DLS_NOMEM;
  dls_arena_destroy(arena, alloc);
  *arena = dls_arena_over(block, bytes);
  arena->block = block;
  arena->block_size = bytes;
  return DLS_OK;
}
