/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/lanes3.h"

/* The visit at the width of AVX-512, compiled for whatever processor this is: the source that
** lanes3_avx512.c compiles (see lanes_wide.c). */
#define BYTES 64
#define BYTES32 32
#define SPACE_NAME "eight wide"
#define SPACE_TABLE space_lanes_wide
extern const dls_space_lanes space_lanes_wide;
#include "core/sweeps/lanes3.inc.h"
