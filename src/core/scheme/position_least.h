/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_POSITION_LEAST_H
#define DLS_SCHEME_POSITION_LEAST_H

#include "core/scheme/position.h"

/* Small piles in space: every turn is the least way from the start of the projection, q_0, not from
** where the last turn led:
**
**     dq = M^-1 J' pi - way,    0 <= pi  _|_  gap + J dq >= 0,    way = q' - q_0,
**
** so that all turns have one pi, and each begins with the set that the last one pressed
** (lcp/active_set.h).
**
** Rods that are nearly parallel meet in a line: beside the nearest place, sigma along both axes,
** the gap is gap + slope sigma + bend sigma^2/2, bend = (angle)^2/distance, and a turn of a micron
** slides the nearest place by metres: a row at the place where it was lets its neighbours overlap,
** and cuts at where it went halve its way. What the curvature -slope^2/(2 bend) of the least gap
** asks for is the row of the slide, d(gap)/d(sigma), with the compliance bend/pi (Newton's method
** on the equations of the nearest place, where pi presses): a few rounds of a turn, in which shapes
** are not looked at, find all places to round-off. The edges of a drum's lifters are such lines,
** too. */

/* A touch that pressed in the last turn. */
typedef struct dls_pressed {
  int a, b, next; /* bodies; the next one of a, -1: none */
  uint64_t key;   /* of the touch                        */
  double pi;      /* its multiplier, kg m                */
} dls_pressed;

typedef struct dls_least {
  double *way;       /* n_bodies x 6: q' - q_0                                       */
  dls_pressed *was;  /* n of them                                                    */
  int n, *first;     /* -1: no turn was settled here yet; n_bodies: the first one of a body */
} dls_least;

/* False: there is no room. */
bool dls_least_take(dls_step *S, dls_least *T);

/* What is active, to dq and pi. *solved: false where no active set was found, and dq is as it was.
** DLS_FULL: need_arena. */
dls_status dls_settle_least(dls_step *S, dls_position_stage *P, dls_least *T, bool *solved);

#endif
