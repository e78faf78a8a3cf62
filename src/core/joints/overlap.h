/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_OVERLAP_H
#define DLS_JOINTS_OVERLAP_H

#include "core/base/dim.h"
#include "core/rows/mass.h"

/* A gap at q and its row, for projections. J and MJ have 2 nu numbers, a gear's 4 nu; there is room
** for space. */
typedef struct dls_overlap {
  int a, b;          /* bodies                                    */
  int c, d;          /* a gear's: two more, J and MJ behind       */
  int n_ends;        /* 4 for gears; else 0, which means 2        */
  double J[4 * DLS_NU(3)];  /* of the gap                         */
  double MJ[4 * DLS_NU(3)]; /* M^-1 J'                            */
  double w;          /* J M^-1 J'                                 */
  double gap;        /* m, rad                                    */
  double pi;         /* multiplier, kg m                          */
  double gamma;      /* compliance of an equation, 1/kg           */
  double size;       /* of the smaller body, m; a joint's: of who moves, or 1 rad */
  uint64_t key;      /* of the touch; of a hand-made one its number */
  bool holds;        /* a contact that pressed and does not open  */
  bool both;         /* a constraint: the gap is to be zero       */
  int source, other; /* a joint's: which; a gear's: its first one */
  double rate;       /* a joint's: what its drives make of v      */
  double at[3];      /* a joint's: where it acts                  */
  bool pinned;       /* it holds a point of b where one of a is   */
  bool pulls;        /* 0 >= pi _|_ gap + J dq <= 0: it is to close */
  bool cut;          /* of a turn before: where its pair pushed then */
  int seen;          /* count of moves when it was last visited   */
} dls_overlap;

static inline int dls_overlap_ends(const dls_overlap *o) { return o->n_ends > 0 ? o->n_ends : 2; }
static inline int dls_overlap_end(const dls_overlap *o, int e) {
  return e == 0 ? o->a : e == 1 ? o->b : e == 2 ? o->c : o->d;
}

/* J_x M^-1 J_y' by the bodies that both rows act on. */
static inline double dls_overlap_share(int nu, const dls_overlap *x, const dls_overlap *y) {
  const int n_x = dls_overlap_ends(x), n_y = dls_overlap_ends(y);
  double sum = 0;
  /* most pairs */
  if (n_x + n_y == 4 && x->a != y->a && x->a != y->b && x->b != y->a && x->b != y->b) return 0;
  for (int i = 0; i < n_x; i++)
    for (int j = 0; j < n_y; j++) {
      if (dls_overlap_end(x, i) != dls_overlap_end(y, j)) continue;
      if (nu == 3) sum += dls_dot_u(3, x->J + 3 * i, y->MJ + 3 * j);
      else sum += dls_dot_u(6, x->J + 6 * i, y->MJ + 6 * j);
    }
  return sum;
}

#endif
