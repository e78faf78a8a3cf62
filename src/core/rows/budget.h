/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_BUDGET_H
#define DLS_ROWS_BUDGET_H

#include "core/base/real.h"

/* Work in sweeps over what is at hand: blocks of an island, touches of a projection, pairs on
** their ways. Islands are swept side by side, so that as many sweeps of each are so many
** sweeps of the step. Prices are instructions over those of a sweep. Measured with callgrind,
** on dominoes and a humanoid on boxes: 800 a visit of a block in space, factors there,
** set-ups, looks at pairs. Estimated: all of the plane (200 a visit), impacts in turn, sweeps
** over gaps, in lanes. */

/* max_iterations of a world that was not told otherwise: a guard of the solvers of rows, by LENIENT
** prices, and of nothing else, as larger numbers are. Less bounds the work of the whole step. */
enum { DLS_SWEEPS_DEFAULT = 1000 };

/* Multiplications that are worth the visit of a block, in the plane and in space. A factor's
** of core/rows come in rows, without a look-up or a decision between them: 0.8 instructions
** each; those of core/cone in blocks of 2 x 2 and 3 x 3 with what goes with them, merits and
** solves: 40 (estimated) and 27. */
enum {
  DLS_VISIT_PLANAR = 250,
  DLS_VISIT_SPATIAL = 1000,
  DLS_IN_CONE_PLANAR = 5,
  DLS_IN_CONE_SPATIAL = 30
};

/* Sweeps that it costs to assemble an island for core/cone, and for steps of Newton on bodies. */
enum { DLS_CONE_SETUP = 8, DLS_NEWTON_SETUP = 1 };

/* The work that the methods which follow one another on an island share: a sweep, a pivot or a
** kink is one, a factor as many as its multiplications are worth. Methods go on from each
** other's impulses: whoever has nothing left leaves the best so far. */
typedef struct dls_budget {
  double left;  /* sweeps */
  double spent; /* sweeps */
  double visit; /* multiplications of a factor that cost what the visit of a block does, times
                ** the island's blocks */
  double cone;  /* the same of core/cone, multiplications */
  double lanes; /* sweeps that one of a bed of disks in its lanes is worth */
  double path;  /* part of their prices that kinks (a sweep each) and factors of a path pay */
  bool bounded; /* set-ups are paid as well, and whoever cannot does not begin */
  bool ended;   /* somebody had to do less than it would have */
} dls_budget;

/* What a guard alone takes for a sweep of disks in lanes and on a path: 2 to 4 ns a contact
** for 40 one by one, a kink 10 ns with 370 to 600 contacts. At 1, beds of 216 disks that come
** to rest miss 1e-3 in 12 steps of a hundred, at 0.1 in none; with factors of a path at 1, beds
** of 512 miss 1e-6 where 80 rounds do not do (178 of 1,000 steps for none). */
static inline dls_budget dls_budget_of(double sweeps, bool bounded, int dim, int blocks) {
  static const double LENIENT = 0.1;
  const double visit = (dim == 2 ? DLS_VISIT_PLANAR : DLS_VISIT_SPATIAL) * (double)blocks;
  const double cone = (dim == 2 ? DLS_IN_CONE_PLANAR : DLS_IN_CONE_SPATIAL) * (double)blocks;
  return (dls_budget){.left = sweeps,
                      .visit = visit,
                      .cone = bounded ? cone : visit,
                      .lanes = bounded ? 1 : LENIENT,
                      .path = bounded ? 1 : LENIENT,
                      .bounded = bounded};
}

/* How many times something of this cost (> 0) can be done with a share of what is left; no
** more than `most`. */
static inline int dls_budget_times(dls_budget *budget, double share, double cost, int most) {
  const double times = share * budget->left / cost;
  budget->ended |= times < most && most < INT32_MAX;
  return times < most ? (int)times : most;
}

static inline void dls_budget_pay(dls_budget *budget, double sweeps) {
  budget->left = dls_max(0, budget->left - sweeps);
  budget->spent += sweeps;
}

/* Pays a set-up that is worth it only with `least` sweeps behind it; false: there is not so
** much. */
static inline bool dls_budget_enter(dls_budget *budget, double setup, double least) {
  if (!budget->bounded) return true;
  if (budget->left < setup + least) {
    budget->ended = true;
    return false;
  }
  dls_budget_pay(budget, setup);
  return true;
}

/* Sweeps that so many multiplications are worth. */
static inline double dls_budget_sweeps(const dls_budget *budget, double multiplications) {
  return budget->visit > 0 ? multiplications / budget->visit : 0;
}

/* --- of a step -------------------------------------------------------------------------------- */

/* Who gave something up, as bits; the words that tell it. */
#define DLS_WORK_LIST(X)                                                                       \
  X(WAYS, "swift pairs") X(IMPACTS, "impacts") X(SOLVE, "solve") X(JOINTS, "joints")           \
  X(PROJECTION, "projection")

typedef enum dls_work_stage {
#define X(code, text) DLS_WORK_##code,
  DLS_WORK_LIST(X)
#undef X
  DLS_N_WORK
} dls_work_stage;

/* What the stages of a step share. Its parts that do not iterate are no part of it: broad
** phase, rows, the first look at gaps and the first turn of a projection, the ledger. */
typedef struct dls_work {
  double most;        /* sweeps: max_iterations                                  */
  double left, spent; /* of these, in prices                                     */
  double ways;        /* of these of the pair that was followed longest: pairs are followed
                      ** side by side */
  bool bounded;       /* else nobody but the solvers is held back                */
  unsigned given_up;  /* 1 << dls_work_stage of those that left something undone */
} dls_work;

/* A quarter of the work is kept for the projection, no more than this. */
enum { DLS_KEPT_MOST = 50 };

static inline dls_work dls_work_of(int max_iterations) {
  return (dls_work){.most = max_iterations,
                    .left = max_iterations,
                    .bounded = max_iterations < DLS_SWEEPS_DEFAULT};
}

/* Sweeps that solvers may have, at least one; of work without a bound all, whatever ways and
** joints took. */
static inline int dls_work_to_solve(const dls_work *work) {
  if (!work->bounded) return (int)work->most;
  const double kept = dls_min(floor(work->most / 4), DLS_KEPT_MOST);
  return (int)dls_max(1, work->left - kept);
}

static inline void dls_work_pay(dls_work *work, double sweeps) {
  work->left = dls_max(0, work->left - sweeps);
  work->spent += sweeps;
}

/* Looks at a pair on its way: the first belong to the step, more cost what a look at a pair of
** shapes does. Those behind a quarter of the work are not made. */
enum { DLS_LOOKS_FREE = 16, DLS_LOOK_VISITS = 6 };

static inline int dls_work_looks(const dls_work *work) {
  const double share = dls_min(work->most / 4, work->ways + work->left);
  return work->bounded ? DLS_LOOKS_FREE + (int)(share / DLS_LOOK_VISITS) : 0;
}

static inline void dls_work_pay_way(dls_work *work, int looks, int most) {
  if (most > 0 && looks > most) work->given_up |= 1u << DLS_WORK_WAYS, looks = most;
  const double price = DLS_LOOK_VISITS * (double)(looks - DLS_LOOKS_FREE);
  if (!(price > work->ways)) return;
  dls_work_pay(work, price - work->ways);
  work->ways = price;
}

/* Sweeps at this price that may be made, at least one; `most` where nobody is held back. */
static inline int dls_work_times(const dls_work *work, double price, int most) {
  const double times = work->left / price;
  return !work->bounded || times >= most ? most : times > 1 ? (int)times : 1;
}

/* Sweeps that a dense problem of n rows costs: its matrix, its factor, exchanges. */
static inline double dls_work_dense(int dim, int n) {
  return (20.0 * n + 0.6 * n * n) / (dim == 2 ? DLS_VISIT_PLANAR : DLS_VISIT_SPATIAL);
}

/* Whether a stage may go on at this price, which it then has paid; `kept` is left for who
** comes after it. */
static inline bool dls_work_afford_but(dls_work *work, double sweeps, double kept,
                                       dls_work_stage stage) {
  if (work->bounded && work->left < sweeps + kept) {
    work->given_up |= 1u << stage;
    return false;
  }
  dls_work_pay(work, sweeps);
  return true;
}

static inline bool dls_work_afford(dls_work *work, double sweeps, dls_work_stage stage) {
  return dls_work_afford_but(work, sweeps, 1, stage);
}

#endif
