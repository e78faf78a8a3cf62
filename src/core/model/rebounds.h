/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_REBOUNDS_H
#define DLS_MODEL_REBOUNDS_H

#include <stdbool.h>

/* Rebounds that nothing gives (docs/design/step.md): where impulses p with J' p = 0 and p . s < 0
** are in the cones of friction no velocities obey the law of restitution, and impulses grow
** without bound on the way to a rebound that none of them gives. What is solved with such rows is
** missed by far; it is solved once more without these rebounds, DLS_REBOUNDS_ENDINGS times at
** most. For islands of worlds and of systems in time steps. */

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

/* The contacts of an island that was missed, by their place in it. */
typedef struct dls_rebounds {
  void *of;                           /* handed to the functions                             */
  int n;                              /* places                                              */
  bool (*is_jammed)(void *of, int k); /* whether friction jams it                            */
  /* ends its rebound, to hold as with e = 0; false: it had none */
  bool (*end)(void *of, int k);
} dls_rebounds;

/* Rebounds that end; how many: those of contacts that friction jams, and where there are none and
** the island is such that it is missed for no other reason (`whole`), all. */
static inline int dls_rebounds_end(const dls_rebounds *r, bool whole) {
  int ends = 0;
  for (int k = 0; k < r->n; k++)
    if (r->is_jammed(r->of, k)) ends += r->end(r->of, k);
  if (ends > 0 || !whole) return ends;
  for (int k = 0; k < r->n; k++) ends += r->end(r->of, k);
  return ends;
}

#endif
