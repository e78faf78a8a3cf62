/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/disks/sweep_lanes.h"

#ifdef DLS_X86
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define LANES 8
#define DISK_ROOT(x) __builtin_ia32_sqrtps256(x)
#define DISK_NAME "avx2"
#define DISK_TABLE dls_disk_lanes_avx2
#include "core/disks/sweep_lanes.inc.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
