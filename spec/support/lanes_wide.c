/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* The kernels at the width of AVX-512, compiled for whatever processor this is: the source that
** lanes_avx512.c compiles, with each instruction of eight numbers made of narrower ones. What is left to the
** processor is that one instruction on eight numbers does what two on four do. */
#define LANES_W 8
#define LANES_NAME "eight wide"
#define LANES_TABLE lanes_wide
#include "core/math/lanes_kernels.inc.h"
