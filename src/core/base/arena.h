/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_ARENA_H
#define DLS_BASE_ARENA_H

#include "core/base/alloc.h"

#ifdef DLS_POISON
#include <string.h>
#endif

/* Scratch memory: one block, taken from the front, given back to a mark. It never grows by
** itself: a taker that finds it full returns DLS_FULL before it has changed anything, and the
** caller makes a larger one. Blocks start on multiples of DLS_ALIGN bytes and are not cleared. */
#define DLS_ALIGN 64

#ifdef __SANITIZE_ADDRESS__ /* make asan */
#pragma GCC visibility push(default)
void __asan_poison_memory_region(const volatile void *from, size_t size);
void __asan_unpoison_memory_region(const volatile void *from, size_t size);
#pragma GCC visibility pop
#endif

typedef struct dls_arena {
  char *base;   /* first byte, aligned to DLS_ALIGN; borrowed or owned, see dls_arena_create */
  size_t size;  /* bytes in all                                                              */
  size_t used;  /* bytes taken                                                               */
  size_t peak;  /* the most that was ever taken                                              */
  void *block;  /* what the allocator gave; NULL where the memory is borrowed                */
  size_t block_size; /* its size in bytes                                                    */
  /* under the address sanitizer: bytes behind each block that are nobody's, so that who goes beyond
  ** is told; for arenas that grow where they are full (a world's) */
  size_t guard;
} dls_arena;

/* An arena of size bytes from alloc. DLS_NOMEM leaves an empty arena (all zero), which
** dls_arena_destroy accepts. */
dls_status dls_arena_create(dls_arena *arena, const dls_alloc *alloc, size_t size);
void dls_arena_destroy(dls_arena *arena, const dls_alloc *alloc);

/* Makes an EMPTY arena (used = 0) at least size bytes large; what it held is lost.
** DLS_NOMEM leaves it as it was. */
dls_status dls_arena_reserve(dls_arena *arena, const dls_alloc *alloc, size_t size);

/* The same with memory that was not touched: what is never taken costs no page of it. */
dls_status dls_arena_reserve_untouched(dls_arena *arena, const dls_alloc *alloc, size_t size);

/* An arena over memory of the caller's (part of it is lost to alignment). */
dls_arena dls_arena_over(void *memory, size_t size);

/* What n elements of size bytes take from an arena, alignment included; SIZE_MAX on overflow.
** Sums of such terms are what a dls_x_bytes function returns: add them with dls_bytes_add. */
static inline size_t dls_arena_bytes(size_t n, size_t size) {
  const size_t bytes = dls_bytes(n, size);
  return bytes > SIZE_MAX - DLS_ALIGN ? SIZE_MAX : (bytes + DLS_ALIGN - 1) / DLS_ALIGN * DLS_ALIGN;
}
static inline size_t dls_bytes_add(size_t a, size_t b) {
  return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

/* n elements of size bytes, uninitialised, aligned; NULL where the arena is full. In the header: a
** step takes a hundred. */
static inline void *dls_arena_take(dls_arena *arena, size_t n, size_t size) {
  const size_t bytes = dls_bytes_add(dls_arena_bytes(n, size), arena->guard);
  if (arena->base == NULL || bytes > arena->size - arena->used) return NULL;
  void *block = arena->base + arena->used;
  arena->used += bytes;
  if (arena->used > arena->peak) arena->peak = arena->used;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(block, bytes - arena->guard);
  __asan_poison_memory_region((char *)block + bytes - arena->guard, arena->guard);
#endif
#ifdef DLS_POISON /* whoever reads what was never written is found out by the golden hashes (make asan) */
  memset(block, DLS_POISON, bytes - arena->guard);
#endif
  return block;
}

/* Whether so many bytes are left. */
static inline bool dls_arena_has(const dls_arena *arena, size_t bytes) {
  return arena->base != NULL && bytes <= arena->size - arena->used;
}

static inline size_t dls_arena_mark(const dls_arena *arena) { return arena->used; }
static inline void dls_arena_release(dls_arena *arena, size_t mark) { arena->used = mark; }
/* Of what was taken at a mark n elements of size bytes stay, as they are. */
static inline void dls_arena_cut(dls_arena *arena, size_t mark, size_t n, size_t size) {
  arena->used = mark + dls_arena_bytes(n, size) + arena->guard;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(arena->base + mark, arena->used - mark);
#endif
}

/* type *TAKE(arena, type, n) */
#define DLS_TAKE(arena, type, n) ((type *)dls_arena_take((arena), (size_t)(n), sizeof(type)))

#endif
