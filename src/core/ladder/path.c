/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/path.h"

#include "core/rows/impulses.h"
#include "core/ladder/newton.h"
#include "core/ladder/path_states.h"
#include "core/ladder/sweeps.h"

enum {
  PATH_ROUNDS = 1000,     /* most                                                        */
  PATH_KINKS = 100,       /* most kinks a round, and one more for so many contacts:      */
  PATH_SHARE = 20,
  PATH_BACKS = 20,        /* kinks a round after which t may fall                        */
  PATH_STEADY = 2,        /* and after which redundant contacts agree                   */
  PATH_PATIENCE = 40,     /* rounds without a gain, after which small islands are others' */
  PATH_FIRST = 100,       /* sweeps before the first round, where nobody has swept       */
  PATH_FIRST_SMALL = 12,  /* of small islands: a round costs as much as some ten         */
  PATH_FIRST_SPECIAL = 300 /* of the special case, until rounding hides what is left    */
};

/* What redundant contacts may ask for beyond what one motion has to be left out of their shifts,
** of the scale, where no tolerance was named: gaps of 1e-15 m over h are 1e-12 m/s. With 1e-8 3 of
** 620 problems of a wall that a ball on a chain strikes go on to core/cone, with 1e-7 to 1e-5 1 or
** none; without it 46, and worst steps of walls at 1/120 s are 20 ms for 7. */
static const double AGREED = 1e-7;

/* Of the work that is left. */
static const double PATH_WORK = 0.8;

/* E / |W|: its rise after a round that turned back, and most; its fall after one that came
** there and left at most this share of the residual, and after one that left more and met no
** kink; least: along the kernel of W impulses go residual / E a round, however small the
** residual is. */
static const double PULL_UP = 10, PULL_MOST = 1, PULL_DOWN = 3, PULL_GAIN = 0.9, PULL_IDLE = 2,
                    PULL_LEAST = 1e-8;

/* The same where contacts share more than bodies: below, round-off of the dense system is what rounds
** leave (40 heaps of chains, 8,000 steps: 16 missed with 1e-8, 0 with 3e-8 and 3e-7, 1 with 1e-7). */
static const double PULL_LEAST_SHARED = 3e-7;

/* Where contacts share more than bodies a factor is dense: E stays while rounds gain so much (1e-1
** to 1e-3 0.92 to 1.0 of the time of heaps of ragdolls and chains on the same states). */
static const double PULL_STAYS = 1e-3;

/* E after a round. */
static double next_pull(double pull, double least, bool there, bool gained, bool idle) {
  if (!there) return dls_min(pull * PULL_UP, PULL_MOST);
  const double fall = gained ? PULL_DOWN : (idle ? PULL_IDLE : 1);
  return dls_max(pull / fall, least);
}

/* dz and dv of a contact along y. */
static inline void direct(dls_contact_2 *c, const dls_path_contact *o, const double *y) {
  const double *y_a = c->a >= 0 ? y + (size_t)c->a * DLS_GRAPH_ROW : dls_no_row_2;
  const double *y_b = c->b >= 0 ? y + (size_t)c->b * DLS_GRAPH_ROW : dls_no_row_2;
  c->dv[0] = dls_row_velocity(3, c->MJ[0], y_a, y_b) - o->r[0];
  c->dv[1] = (c->mu > 0 ? dls_row_velocity(3, c->MJ[1], y_a, y_b) : 0) - o->r[1];
  for (int i = 0; i < 2; i++) c->dv[i] += dls_linear_contacts_shared(c, i, y);
  c->dz[0] = -c->S[0] * c->dv[0];
  c->dz[1] = -c->S[2] * c->dv[0] - c->S[3] * c->dv[1];
  c->dv[0] += o->e[0] * c->dz[0];
  c->dv[1] += o->e[1] * c->dz[1];
}

/* What was zero as contact c changed its state, by t: the path goes where it grows. */
static double growth(const dls_contact_2 *c, dls_path_state from, dls_path_state to) {
  if (from == DLS_PATH_OPEN) return c->dz[0];
  if (to == DLS_PATH_OPEN) return c->dv[0];
  if (to == DLS_PATH_STICK)
    return c->mu * c->dz[0] - (from == DLS_PATH_SLIDE_UP ? c->dz[1] : -c->dz[1]);
  return to == DLS_PATH_SLIDE_UP ? -c->dv[1] : c->dv[1];
}

/* The state that contact k enters at one of its two kinks. */
static dls_path_state beyond(const dls_state_path *P, int k, int which) {
  const bool rubs = P->of.contact[k].mu > 0;
  switch (P->own[k].state) {
  case DLS_PATH_OPEN: return rubs ? dls_path_slide(P, k) : DLS_PATH_PRESSED;
  case DLS_PATH_STICK: return which == 0 ? DLS_PATH_SLIDE_UP : DLS_PATH_SLIDE_DOWN;
  default: return which == 0 ? DLS_PATH_OPEN : DLS_PATH_STICK;
  }
}

static void keep_impulses(const dls_state_path *P, bool back) {
  double *kept = P->kept;
  for (int k = 0; k < P->n_groups; k++) {
    double *z[2] = {P->group[k].z_n, P->group[k].z_t};
    for (int i = 0; i < 2; i++, kept += DLS_PATH_LANES) {
      if (back) memcpy(z[i], kept, sizeof P->group->z_n);
      else memcpy(kept, z[i], sizeof P->group->z_n);
    }
  }
}

/* From the impulses and velocities of the contacts to t = 1, or as far as the path goes before
** it turns back for long, over `most` kinks at most; answers whether it came there. */
static bool follow(const dls_rows *rows, dls_state_path *P, int most, int *kinks) {
  dls_linear_contacts *N = &P->of;
  double t = 0, sign = 1, farthest = 0;
  keep_impulses(P, false);
  for (int done = 0, backs = 0, last = -1, from = DLS_PATH_OPEN;
       done <= most && !dls_given_up(rows, N->n, 1); done++) {
    if (!(P->lanes->dot(N->size, N->y, N->y) < DLS_INF)) break;
    if (last >= 0) {
      direct(&N->contact[last], &P->own[last], N->y);
      const double now =
          growth(&N->contact[last], (dls_path_state)from, P->own[last].state) >= 0 ? 1 : -1;
      if (now < 0 && sign > 0 && t > farthest) {
        farthest = t;
        keep_impulses(P, false);
      }
      sign = now;
      if (sign < 0 && ++backs > PATH_BACKS) break;
    }
    dls_path_share_lanes(P);
    const dls_path_kink kink =
        P->wide->direct(P->n_groups, P->group, N->y, sign, sign > 0 ? 1 - t : DLS_INF);
    if (!(kink.length < DLS_INF)) break;
    P->wide->go(P->n_groups, P->group, sign * kink.length);
    if (kink.lane < 0) return true;
    t += sign * kink.length;
    last = kink.lane;
    from = P->own[last].state;
    dls_path_enter(P, last, beyond(P, last, kink.which));
    ++*kinks;
  }
  if (sign < 0 || !(t > farthest)) keep_impulses(P, true);
  return false;
}

dls_status dls_solve_path(const dls_island *island, double limit, dls_budget *budget,
                          int *iterations, bool *converged) {
  dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n;
  dls_arena *tmp = island->tmp;
  *converged = false;
  if (!dls_budget_enter(budget, DLS_NEWTON_SETUP, DLS_NEWTON_LOOKS)) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  dls_state_path P;
  dls_status status = dls_path_take(island, &P);
  if (status != DLS_OK) return status;
  dls_linear_contacts_follow(rows, blocks, &P.of);
  dls_linear_contacts_read(rows, &P.of);
  double now, best = dls_linear_contacts_judge(rows, blocks, &P.of, DLS_INF, &now);
  const int most = dls_budget_times(budget, PATH_WORK, budget->path, INT32_MAX);
  const double price = dls_budget_sweeps(budget, dls_linear_contacts_cost(&P.of));
  const double factor = budget->path * (price + DLS_NEWTON_LOOKS),
               enough = (1 - PATH_WORK) * budget->left;
  const double least = P.of.supported ? PULL_LEAST_SHARED : PULL_LEAST;
  const double agreed = island->strict ? AGREED * island->scale : 0;
  /* on these redundant contacts agree, and others follow */
  const bool small = dls_count_rows(rows, blocks, n) <= DLS_SMALL_ISLAND;
  int kinks = 0, in_vain = 0;
  double pull = 0, goal = PULL_GAIN * best; /* pull: that K has */
  bool there = false;
  for (int turn = 0; turn < PATH_ROUNDS && kinks < most && !(best <= limit); turn++) {
    if (dls_given_up(rows, n, DLS_NEWTON_VISITS) || budget->left - factor < enough) break;
    dls_budget_pay(budget, factor);
    const double before = now;
    const int met = kinks; /* before this round */
    dls_path_fit_all(rows, blocks, &P);
    dls_path_aim(&P, there && P.pull == pull);
    pull = P.pull;
    const int left = most - kinks, share = PATH_KINKS + n / PATH_SHARE;
    there = follow(rows, &P, left < share ? left : share, &kinks);
    dls_budget_pay(budget, budget->path * (kinks - met));
    dls_path_read_lanes(&P);
    best = dls_linear_contacts_judge(rows, blocks, &P.of, best, &now);
    if (!(P.of.supported && there && now <= PULL_STAYS * before))
      P.pull = next_pull(P.pull, least, there, now <= PULL_GAIN * before, kinks == met);
    if (small && ++in_vain == PATH_PATIENCE) break;
    if (there && in_vain >= PATH_STEADY && dls_path_agree(rows, &P, agreed))
      best = dls_linear_contacts_judge(rows, blocks, &P.of, DLS_INF, &now);
    if (best <= goal) goal = PULL_GAIN * best, in_vain = 0;
  }
  dls_linear_contacts_give(rows, blocks, &P.of);
  dls_linear_contacts_end(rows, blocks, &P.of);
  dls_note_iterations(kinks, iterations);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

bool dls_suits_path(const dls_island *island) {
  return island->rows->dim == 2 && island->method == DLS_SOLVE_AUTO && !island->small &&
         !island->needs_matrix && (island->n <= DLS_PATH_MOST || island->tolerance < DLS_ROUGH) &&
         dls_all_planar_contacts(island->rows, island->blocks, island->n);
}

/* Small islands; where work is bounded those end in sweeps. */
static bool suits_small(const dls_island *island) {
  return island->rows->dim == 2 && island->method == DLS_SOLVE_AUTO && island->small &&
         !island->needs_matrix && !island->budget.bounded && island->scale > 0 &&
         dls_all_planar_contacts(island->rows, island->blocks, island->n);
}

/* To fine tolerances: after few sweeps of its own. */
static bool suits(const dls_island *island) {
  return island->tolerance < DLS_SWEPT && (dls_suits_path(island) || suits_small(island));
}

static dls_status run(dls_island *island, bool *done) {
  dls_budget *budget = &island->budget;
  const bool special = island->special;
  const double sweep = special ? budget->lanes : 1;
  const int most = island->small ? PATH_FIRST_SMALL : special ? PATH_FIRST_SPECIAL : PATH_FIRST,
            first = dls_budget_times(budget, 0.5, sweep, most);
  int swept = 0;
  const dls_status status = dls_sweep_first(island->rows, island->blocks, island->n, island->aim,
                                            first, special, island->tmp, &swept, done);
  dls_note_iterations(swept, &island->report->iterations);
  dls_budget_pay(budget, sweep * swept);
  if (status != DLS_OK || *done) return status;
  return dls_solve_path(island, island->aim, budget, &island->report->iterations, done);
}

const dls_rung dls_rung_path = {suits, run};

/* To rough ones: where sweeps have not come there. */
static bool suits_late(const dls_island *island) {
  return island->tolerance >= DLS_SWEPT && dls_suits_path(island);
}

static dls_status run_late(dls_island *island, bool *done) {
  return dls_solve_path(island, island->aim, &island->budget, &island->report->iterations, done);
}

const dls_rung dls_rung_late_path = {suits_late, run_late};
