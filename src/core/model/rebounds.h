/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_REBOUNDS_H
#define DLS_MODEL_REBOUNDS_H

#include <stdbool.h>

#include "core/model/impact_law.h"

/* Rebounds that end within a step. For islands of worlds and of systems in time steps.
**
** Rebounds that nothing gives (docs/design/step.md): where impulses p with J' p = 0 and p . s < 0
** are in the cones of friction no velocities obey the law of restitution, and impulses grow
** without bound on the way to a rebound that none of them gives. What is solved with such rows is
** missed by far; it is solved once more without these rebounds, DLS_REBOUNDS_ENDINGS times at
** most.
**
** Rebounds that add energy: laws whose impacts come before the forces hold what they threw through
** the step, v_n >= back. Where others press such a contact (rows that stand by,
** what impacts left approaching) its impulse p does the work p back, which nobody gave. With all of
** these rebounds ended what follows the impacts adds none: p . (v + v')/2 = p . v' - p . W p/2, and
** p . v' <= 0 by the laws of e = 0. So those that are pressed end, and then all, where impacts and
** what follows together have done more work than forces can have. */

#define DLS_REBOUNDS_FAR 1e-6 /* relative residual beyond which an island is missed by far */
/* those of contacts that friction jams, then all of the island */
enum { DLS_REBOUNDS_ENDINGS = 2 };

/* Whether friction jams a contact with the normal impulse p, W of its normal row, scale:
** velocities that there are, m/s. */
static inline bool dls_rebounds_is_jammed(double p, double W, double scale) {
  /* m/s that an impulse is worth by itself, over those that there are */
  static const double BEYOND = 1e6;
  return p * W > BEYOND * scale;
}

/* Whether what strikes together gained more than forces can have given it; share: of what it turned
** over, that is round-off. */
static inline bool dls_rebounds_gain(const dls_impact_sum *of, double share) {
  return of->rebounds && of->all.work > share * of->all.turned && of->all.work > of->forced;
}

/* The contacts of an island whose rebounds are to end, by their place in it. */
typedef struct dls_rebounds {
  void *of;                           /* handed to the functions                             */
  int n;                              /* places                                              */
  bool (*is_first)(void *of, int k);  /* whether friction jams it; others press it           */
  /* ends its rebound, to hold as with e = 0; false: it had none */
  bool (*end)(void *of, int k);
} dls_rebounds;

static inline int dls_rebounds_end_all(const dls_rebounds *r) {
  int ends = 0;
  for (int k = 0; k < r->n; k++) ends += r->end(r->of, k);
  return ends;
}

/* Rebounds that end; how many: those of contacts that are first, and where there are none, and
** the island is such that nothing else can be the cause (`whole`), all. */
static inline int dls_rebounds_end(const dls_rebounds *r, bool whole) {
  int ends = 0;
  for (int k = 0; k < r->n; k++)
    if (r->is_first(r->of, k)) ends += r->end(r->of, k);
  return ends > 0 || !whole ? ends : dls_rebounds_end_all(r);
}

#endif
