/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_ALLOC_H
#define DLS_BASE_ALLOC_H

#include "core/base/status.h"

/* The one way to memory: a function with the signature of lua_Alloc.
**   fn(ud, NULL, 0, n)      n new bytes, or NULL
**   fn(ud, p, old, n)       the block moved to n bytes, or NULL and p unchanged
**   fn(ud, p, old, 0)       frees p */
typedef struct dls_alloc {
  void *(*fn)(void *ud, void *ptr, size_t old_size, size_t new_size); /* sizes in bytes */
  void *ud; /* handed back to fn, borrowed */
} dls_alloc;

/* n * size, or SIZE_MAX where that overflows. */
static inline size_t dls_bytes(size_t n, size_t size) {
  return (size != 0 && n > SIZE_MAX / size) ? SIZE_MAX : n * size;
}

/* n elements of size bytes, all zero; NULL where memory is short or n * size overflows.
** n = 0 gives a valid block of one byte. */
void *dls_new(const dls_alloc *alloc, size_t n, size_t size);

/* Grows *block from n_old to n_new elements, the new ones zero. DLS_NOMEM leaves it as it was. */
dls_status dls_grow(const dls_alloc *alloc, void **block, size_t n_old, size_t n_new,
                    size_t size);

/* Gives back what dls_new(alloc, n, size) gave; NULL is accepted. */
void dls_free(const dls_alloc *alloc, void *block, size_t n, size_t size);

/* malloc, realloc and free as an allocator: for hosts and tests. */
dls_alloc dls_alloc_libc(void);

#endif
