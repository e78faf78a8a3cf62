/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_ISA_H
#define DLS_BASE_ISA_H

#include "core/base/real.h"

/* The instruction sets that kernels are compiled for, narrowest first. A kernel of several has a
** table of functions for each, in a list that dls_isa() indexes; all of them give the same bits. */
enum { DLS_ISA_PLAIN, DLS_ISA_AVX2, DLS_ISA_AVX512, DLS_ISA_COUNT };

/* Without GNU C's vectors and intrinsics: -DDLS_PLAIN_C, or a compiler that has none
** (base/vector.h). */
#if !defined(__GNUC__) && !defined(DLS_PLAIN_C)
#define DLS_PLAIN_C 1
#endif

#if defined(__x86_64__) && !defined(DLS_PLAIN_C)
#define DLS_X86 1
#endif

/* The widest that this build keeps to: one object (isa.c) tells it, so that make golden compiles no
** other anew. */
extern const int dls_isa_most;

/* The widest that this processor, and this build, have. */
static inline int dls_isa(void) {
#ifdef DLS_X86
  if (dls_isa_most >= DLS_ISA_AVX512 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512vl"))
    return DLS_ISA_AVX512;
  if (dls_isa_most >= DLS_ISA_AVX2 && __builtin_cpu_supports("avx2")) return DLS_ISA_AVX2;
#endif
  return DLS_ISA_PLAIN;
}

/* A list by instruction set: where one lacks a table of its own, the next narrower one stands. */
#ifdef DLS_X86
#define DLS_BY_ISA(plain, avx2, avx512) {&(plain), &(avx2), &(avx512)}
#else
#define DLS_BY_ISA(plain, avx2, avx512) {&(plain), &(plain), &(plain)}
#endif

#endif
