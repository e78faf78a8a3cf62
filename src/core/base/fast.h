/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_BASE_FAST_H
#define DLS_BASE_FAST_H

#include "core/base/real.h"

/* Included before anything else by the few files whose loops of fixed length must be unrolled: the
** rock is built with a compiler's default flags, and gcc at -O2 leaves them rolled, at twice the
** time. Changes no bit of any result. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#pragma GCC optimize("O3")
#endif

#endif
