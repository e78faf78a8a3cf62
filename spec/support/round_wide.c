/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Contacts of disks swept four times four at once, as round_avx512.c sweeps twice eight, compiled for whatever
** processor this is. */
#include "core/rows/round.h"

#define LANES 4
#define SIDE 4
#define ROUND_NAME "four by four"
#define ROUND_TABLE round_wide
#include "core/rows/round.inc.h"
