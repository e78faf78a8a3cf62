/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

#include "core/cone/pack.h"

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES 4
#define PACK_NAME "avx2"
#define PACK_TABLE dls_cone_lanes_avx2
#include "core/cone/pack.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
