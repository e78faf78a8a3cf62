/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WAYS_WAYS_SWEPT_H
#define DLS_WAYS_WAYS_SWEPT_H

#include "core/ways/ways.h"

/* Whether a step that is done, whichever stage moved its bodies, took what joints hold or what is
** given through anything. Ways along tangents do not tell that where such bodies turn far. So the
** way between the poses before and after is looked at, along the joints: every body turns beside
** its carrier by a constant rotation vector about the joint's place, which goes straight in the
** carrier's axes; what is given and turns does so about a fixed axis; who moves by itself goes
** straight. That way begins and ends at the two poses whatever the joints are. It has passed where
** parts sink into each other by more than DLS_SUNK of the smaller thickness anywhere on it, as
** conservative advancement finds it (first_touch.h): a point at the distance r from the place of a
** body's joint goes no farther than |turning| r + |go|, and what its carriers add. */
typedef struct dls_ways_verdict {
  bool passed;    /* something did */
  double turned;  /* the most that a body turned, rad */
} dls_ways_verdict;

/* Bodies that joints hold or, if `given`, that are given, and turned by more than `least` (rad),
** and what these carry, against all that they came near to. DLS_FULL: need_touches or need_arena
** is set. The arena is left as it was. */
dls_status dls_ways_judge(dls_ways *ways, const dls_ways_outcome *out, double least, bool given,
                          dls_ways_verdict *verdict);

#endif
