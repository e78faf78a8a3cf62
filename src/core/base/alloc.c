/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/alloc.h"

DLS_OUTSIDE
#include <stdlib.h>
DLS_INSIDE

static size_t block_bytes(size_t n, size_t size) {
  const size_t bytes = dls_bytes(n, size);
  return bytes == 0 ? 1 : bytes;
}

void *dls_new(const dls_alloc *alloc, size_t n, size_t size) {
  const size_t bytes = block_bytes(n, size);
  if (bytes > SIZE_MAX / 2) return NULL;
  void *block = alloc->fn(alloc->ud, NULL, 0, bytes);
  if (block != NULL) memset(block, 0, bytes);
  return block;
}

dls_status dls_grow(const dls_alloc *alloc, void **block, size_t n_old, size_t n_new,
                    size_t size) {
  const size_t old_bytes = *block == NULL ? 0 : block_bytes(n_old, size);
  const size_t bytes = block_bytes(n_new, size);
  if (bytes > SIZE_MAX / 2) return DLS_NOMEM;
  void *grown = alloc->fn(alloc->ud, *block, old_bytes, bytes);
  if (grown == NULL) return DLS_NOMEM;
  const size_t kept = *block == NULL ? 0 : n_old * size;
  if (bytes > kept) memset((char *)grown + kept, 0, bytes - kept);
  *block = grown;
  return DLS_OK;
}

void dls_free(const dls_alloc *alloc, void *block, size_t n, size_t size) {
  if (block != NULL) (void)alloc->fn(alloc->ud, block, block_bytes(n, size), 0);
}

static void *libc_alloc(void *ud, void *ptr, size_t old_size, size_t new_size) {
  (void)ud;
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, new_size);
}

dls_alloc dls_alloc_libc(void) { return (dls_alloc){libc_alloc, NULL}; }
