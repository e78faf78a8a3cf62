/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/isa.h"

/* -DDLS_ISA_MOST=0 or 1 makes a build that keeps to the narrower ones. */
#ifndef DLS_ISA_MOST
#define DLS_ISA_MOST DLS_ISA_AVX512
#endif

const int dls_isa_most = DLS_ISA_MOST;
