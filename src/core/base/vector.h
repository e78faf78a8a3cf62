/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_VECTOR_H
#define DLS_BASE_VECTOR_H

#include "core/base/isa.h"

/* GNU C's vectors, which gcc, clang and what understands them have. Kernels whose lanes never meet
** are written on types vec and mask (whole numbers of the same width, -1 where a comparison holds).
** In plain C (-DDLS_PLAIN_C, and any compiler without __GNUC__) the same lines stand on one lane:
** vec is a number and mask an int of which the lowest bit counts, so that & | ^ ~ of masks mean
** what they mean of vectors. All bits are the same.
**
**     typedef double vec DLS_VECTOR(8 * LANES);      typedef double loose DLS_LOOSE(8 * LANES, 8);
**     DLS_LANE(x, l) number l of x                   DLS_HOLDS(m, l) of a mask
**     DLS_PICK(vec, mask, m, x, y): m ? x : y        DLS_KEEP(vec, mask, m, x): m ? x : 0 */
#ifdef DLS_PLAIN_C
#define DLS_VECTOR(bytes)
#define DLS_LOOSE(bytes, align)
#define DLS_LANE(x, l) (x)
#define DLS_HOLDS(m, l) ((m) & 1)
#define DLS_PICK(vec, mask, m, x, y) ((m) & 1 ? (x) : (y))
#define DLS_KEEP(vec, mask, m, x) ((m) & 1 ? (x) : (vec)0)
#define DLS_INLINE static inline
#define DLS_UNROLL
#define DLS_FETCH(p) ((void)(p))
#else
#define DLS_FETCH(p) __builtin_prefetch(p) /* what is asked for soon */
#define DLS_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define DLS_LOOSE(bytes, align) __attribute__((vector_size(bytes), aligned(align), may_alias))
#define DLS_LANE(x, l) ((x)[l])
#define DLS_HOLDS(m, l) ((m)[l])
#define DLS_PICK(vec, mask, m, x, y) ((vec)(((mask)(x) & (m)) | ((mask)(y) & ~(m))))
#define DLS_KEEP(vec, mask, m, x) ((vec)((mask)(x) & (m)))
#define DLS_INLINE static inline __attribute__((always_inline))
#if defined(__clang__) /* writes loops over a known few out by itself */
#define DLS_UNROLL
#else
#define DLS_UNROLL _Pragma("GCC unroll 4")
#endif
#endif

#endif
