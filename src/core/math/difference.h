/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MATH_DIFFERENCE_H
#define DLS_MATH_DIFFERENCE_H

#include "core/base/real.h"
#include "core/base/status.h"

/* df/ds at s = 0 of k numbers, by central differences at +-step, +-step/2, ... extrapolated to step
** 0 (Richardson's tableau, up to order 10): as far as they go on agreeing, with an error of about
** 1e-12 of the largest rate, or what round-off of f leaves. f is asked four times where it is
** linear or changes little within the step, twice more for each step that it takes to see how it
** changes: steps may be far too long. Source: C. J. F. Ridders, Advances in Engineering Software
** 4, 1982. */
#define DLS_DIFFERENCE_MOST 3 /* numbers */
/* The first step in time, of the longest one that is sure to be short (dt): no round number, by
** which what shakes with a period of some such steps would seem to stand still. */
#define DLS_DIFFERENCE_SPAN 0.7
/* Of the terms that a number is a sum of: its round-off. */
#define DLS_DIFFERENCE_ROUND 1e-15
typedef dls_status (*dls_difference_of)(void *ctx, double s, double *f);
typedef struct dls_differences {
  dls_difference_of of; /* f */
  void *ctx;     /* handed to it                                                             */
  int k;         /* numbers of f, DLS_DIFFERENCE_MOST at most                                */
  double step;   /* the first one, > 0                                                       */
  double at;     /* what s counts from, whose round-off is one of f                         */
  double noise;  /* of f, beyond its own round-off: what `of` raises it to                  */
  bool varies;   /* out: f was seen to change; the rates are 0 else                          */
  double rough;  /* out: round-off of the rates                                              */
} dls_differences;
dls_status dls_difference(dls_differences *d, double *rate);

#endif
