/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/fast.h"

/* Ordered for fewer registers than these instructions have, code is up to a tenth slower. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-schedule-insns2")
#endif

#include "core/forest/pack.h"
#include "core/math/elementary.h"

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl")
#endif

#define LANES 8
#define PACK_NAME "avx512"
#define PACK_TABLE dls_pack_lanes_avx512
#include "core/forest/pack.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
