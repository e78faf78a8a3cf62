/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Contacts of disks swept sixteen at once, compiled for whatever processor this is: the source that
** round_avx512.c compiles, with each instruction of sixteen numbers made of narrower ones. */
#include "core/rows/round.h"

#define LANES 16
#define ROUND_NAME "sixteen wide"
#define ROUND_TABLE round_wide
#include "core/rows/round.inc.h"
