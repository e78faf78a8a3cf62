/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_COLOUR_H
#define DLS_MATH_COLOUR_H

#include "core/base/bits.h"

/* First fit: edges of a graph get the lowest colour that neither end has yet, so that those of one
** colour have no end in common. A set of colours is a word. */
enum { DLS_COLOURS = 64 };

/* The lowest colour that is not in a set; DLS_COLOURS: there is none. */
static inline int dls_first_free(uint64_t taken) {
  return taken == ~(uint64_t)0 ? DLS_COLOURS : dls_lowest_bit(~taken);
}

/* The colour below `most` of an edge between ends that have the colours *a and *b, which get it,
** too; `most` where none is free. An end at which edges may meet is given as a set of its own. */
static inline int dls_first_fit(uint64_t *a, uint64_t *b, int most) {
  const int c = dls_first_free(*a | *b);
  if (c >= most) return most;
  *a |= (uint64_t)1 << c;
  *b |= (uint64_t)1 << c;
  return c;
}

#endif
