/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_BUDGET_H
#define DLS_ROWS_BUDGET_H

#include "core/base/real.h"

/* The work that the methods which follow one another on an island share, in sweeps over its blocks: a sweep, a pivot or
** a kink is one, a factor as many as its multiplications are worth. Islands are swept side by side, so that as many
** sweeps of each are so many sweeps of the step. Methods go on from each other's impulses: whoever has nothing left
** leaves the best so far. */
typedef struct dls_budget {
  double left;  /* sweeps                                     */
  double spent; /* sweeps                                     */
  double visit; /* multiplications of a factor that cost what the visit of a block does, times the island's blocks */
} dls_budget;

/* Multiplications that are worth the visit of a block, in the plane and in space: a factor's come in rows, without a
** look-up or a decision between them (measured: 35 and 150 ns a visit, 5 to 8 multiplications a ns). */
enum { DLS_VISIT_PLANAR = 250, DLS_VISIT_SPATIAL = 1000 };

static inline dls_budget dls_budget_of(int sweeps, int dim, int blocks) {
  return (dls_budget){.left = sweeps, .visit = (dim == 2 ? DLS_VISIT_PLANAR : DLS_VISIT_SPATIAL) * (double)blocks};
}

/* How many times something of this cost (> 0) can be done with a share of what is left; no more than `most`. */
static inline int dls_budget_times(const dls_budget *budget, double share, double cost, int most) {
  const double times = share * budget->left / cost;
  return times < most ? (int)times : most;
}

static inline void dls_budget_pay(dls_budget *budget, double sweeps) {
  budget->left = dls_max(0, budget->left - sweeps);
  budget->spent += sweeps;
}

/* Sweeps that so many multiplications are worth. */
static inline double dls_budget_sweeps(const dls_budget *budget, double multiplications) {
  return budget->visit > 0 ? multiplications / budget->visit : 0;
}

#endif
