/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* A large island of planar contacts to a fine tolerance, along a path of exact solutions. Coulomb's law in the
** plane is piecewise linear, and sweeps leave nearly every contact in its final state (open, sticking, sliding
** this way or that). With z0 the admissible impulses nearest to theirs and y0 velocities that fit z0 exactly,
**
**     v(z) + E (z - z0) + (1 - t) r,    r = y0 - v(z0),
**
** has the solution z0 at t = 0. It is followed to t = 1 from kink to kink; at each, one contact changes
** its state (some twenty do), and on the far side t goes on or back, whichever way enters the new state. A
** state changes the bodies' matrix K of web.inl by a b', so that K^-1 is one factor and, for each kink,
**
**     y <- y - Z (b . y) / (1 + b . Z),    Z = (K^-1 before) a.
**
** At t = 1 what is left is E (z - z0), which the next round has for its r. Where the path turns back for long
** (solutions meet and end), what it reached is swept and E raised. It falls again only with the residual: rounds that
** gain nothing carry the impulses past such an end, r / E at a time, to where other contacts change.
** Sources: R. W. Cottle, J.-S. Pang & R. E. Stone, The Linear Complementarity Problem, 1992, 4.5 (parametric
** pivoting); R. T. Rockafellar, SIAM J. Control Optim. 14 (1976) (rounds: the proximal-point method). */

#include "core/rows/path_states.inl"

enum {
  PATH_ROUNDS = 40,       /* most                                                        */
  PATH_KINKS = 100,       /* most kinks a round, and one more for so many contacts:      */
  PATH_SHARE = 20,
  PATH_BACKS = 40,        /* kinks a round after which t may fall                        */
  PATH_FIRST = 100,       /* sweeps before the first round                               */
  PATH_FIRST_ROUND = 300, /* of contacts of disks, until rounding hides what is left    */
  PATH_SWEEPS = 150       /* after a round that turned back                              */
};

/* E / |W|: its least; its rise after a round that turned back, and most; its fall after one that came there and left at
** most this share of the residual, and after one that left more and met no kink. */
static const double PULL_LEAST = 1e-6, PULL_UP = 30, PULL_MOST = 0.1, PULL_DOWN = 10, PULL_GAIN = 0.9, PULL_IDLE = 2;

/* E after a round. */
static double next_pull(double pull, bool there, bool gained, bool idle) {
  if (!there) return dls_min(pull * PULL_UP, PULL_MOST);
  const double fall = gained ? PULL_DOWN : (idle ? PULL_IDLE : 1);
  return dls_max(pull / fall, PULL_LEAST);
}

/* dz and dv of a contact along y. */
static inline void direct(contact2 *c, const path_contact *o, const double *y) {
  const double *y_a = c->a >= 0 ? y + (size_t)c->a * ROW : nothing;
  const double *y_b = c->b >= 0 ? y + (size_t)c->b * ROW : nothing;
  c->dv[0] = row_velocity(c->MJ, y_a, y_b) - o->r[0];
  c->dv[1] = (c->mu > 0 ? row_velocity(c->MJ + 2 * NU, y_a, y_b) : 0) - o->r[1];
  c->dz[0] = -c->S[0] * c->dv[0];
  c->dz[1] = -c->S[2] * c->dv[0] - c->S[3] * c->dv[1];
  c->dv[0] += o->e[0] * c->dz[0];
  c->dv[1] += o->e[1] * c->dz[1];
}

/* What was zero as contact c changed its state, by t: the path goes where it grows. */
static double growth(const contact2 *c, contact_state from, contact_state to) {
  if (from == OPEN) return c->dz[0];
  if (to == OPEN) return c->dv[0];
  if (to == STICK) return c->mu * c->dz[0] - (from == SLIDE_UP ? c->dz[1] : -c->dz[1]);
  return to == SLIDE_UP ? -c->dv[1] : c->dv[1];
}

/* The state that contact k enters at one of its two kinks. */
static contact_state beyond(const path *P, int k, int which) {
  const bool rubs = P->soft.contact[k].mu > 0;
  const double v_t = P->group[k / DLS_PATH_LANES].v_t[k % DLS_PATH_LANES];
  switch (P->own[k].state) {
  case OPEN: return !rubs ? PRESSED : (v_t > 0 ? SLIDE_DOWN : SLIDE_UP);
  case STICK: return which == 0 ? SLIDE_UP : SLIDE_DOWN;
  default: return which == 0 ? OPEN : STICK;
  }
}

static void keep_impulses(const path *P, bool back) {
  double *kept = P->kept;
  for (int k = 0; k < P->n_groups; k++) {
    double *z[2] = {P->group[k].z_n, P->group[k].z_t};
    for (int i = 0; i < 2; i++, kept += DLS_PATH_LANES) {
      if (back) memcpy(z[i], kept, sizeof P->group->z_n);
      else memcpy(kept, z[i], sizeof P->group->z_n);
    }
  }
}

/* From the impulses and velocities of the contacts to t = 1, or as far as the path goes before it turns back for
** long, over `most` kinks at most; answers whether it came there. */
static bool follow(const dls_rows *rows, path *P, int most, int *kinks) {
  smoothed *N = &P->soft;
  double t = 0, sign = 1, farthest = 0;
  keep_impulses(P, false);
  for (int done = 0, backs = 0, last = -1, from = OPEN; done <= most && !given_up(rows, N->n, 1); done++) {
    if (!(P->lanes->dot(ROW * N->web.n, N->y, N->y) < DLS_INF)) break;
    if (last >= 0) {
      direct(&N->contact[last], &P->own[last], N->y);
      const double now = growth(&N->contact[last], (contact_state)from, P->own[last].state) >= 0 ? 1 : -1;
      if (now < 0 && sign > 0 && t > farthest) {
        farthest = t;
        keep_impulses(P, false);
      }
      sign = now;
      if (sign < 0 && ++backs > PATH_BACKS) break;
    }
    const dls_path_kink kink = P->wide->direct(P->n_groups, P->group, N->y, sign, sign > 0 ? 1 - t : DLS_INF);
    if (!(kink.length < DLS_INF)) break;
    P->wide->go(P->n_groups, P->group, sign * kink.length);
    if (kink.lane < 0) return true;
    t += sign * kink.length;
    last = kink.lane;
    from = P->own[last].state;
    enter_state(P, last, beyond(P, last, kink.which));
    ++*kinks;
  }
  if (sign < 0 || !(t > farthest)) keep_impulses(P, true);
  return false;
}

static dls_status take_path(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, path *P) {
  *P = (path){.lanes = dls_lanes_best(), .wide = dls_web_lanes_best(), .pull = PULL_LEAST};
  P->n_groups = (n + DLS_PATH_LANES - 1) / DLS_PATH_LANES;
  dls_status status = take_smoothed(rows, blocks, n, tmp, &P->soft);
  if (status != DLS_OK) return status;
  P->own = DLS_TAKE(tmp, path_contact, n);
  P->group = DLS_TAKE(tmp, dls_path_group, P->n_groups);
  P->kept = DLS_TAKE(tmp, double, 2 * DLS_PATH_LANES * (size_t)P->n_groups);
  P->change = DLS_TAKE(tmp, path_change, PATH_CHANGES);
  P->meets = DLS_TAKE(tmp, double, PATH_CHANGES * PATH_CHANGES);
  P->Z = DLS_TAKE(tmp, double, (size_t)PATH_CHANGES * (size_t)P->soft.web.n * ROW);
  if (!P->own || !P->group || !P->kept || !P->change || !P->meets || !P->Z) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < 2; i++) {
      const int row = block->row + (i < block->n ? i : 0);
      P->own[k].w[i] = rows->W[(size_t)row * NB + (size_t)(i < block->n ? i : 0)] + rows->gamma[row];
    }
  }
  fill_lanes(P);
  return DLS_OK;
}

/* r, z, v of all contacts from the rows. */
static void fit_all(dls_rows *rows, const int *blocks, path *P) {
  smoothed *N = &P->soft;
  read_contacts(rows, blocks, N);
  for (int k = 0; k < N->n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    fit_contact(&N->contact[k], &P->own[k]);
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = N->contact[k].z[i];
  }
  dls_push_island(rows, blocks, N->n, N->web.body, N->web.n);
  read_contacts(rows, blocks, N);
  for (int k = 0; k < N->n; k++) {
    contact2 *c = &N->contact[k];
    path_contact *o = &P->own[k];
    for (int i = 0; i < 2; i++) {
      const double fit = o->r[i];
      if (i == 1 && (o->found == OPEN || o->found == PRESSED)) {
        o->r[1] = 0;
        continue;
      }
      o->r[i] = fit - c->v[i];
      c->v[i] = fit;
    }
  }
  place_lanes(P);
}

/* Whether an island is one for the path. */
static bool suits_path(const dls_rows *rows, const int *blocks, int n, double tolerance) {
  return tolerance < SWEPT && (n <= SMOOTH_MOST || tolerance < ROUGH) && all_planar_contacts(rows, blocks, n);
}

/* Sweeps so often at most, contacts of disks in single precision alone; velocities follow. */
static dls_status sweep_first(dls_rows *rows, const int *blocks, int n, double limit, int most, bool round,
                              dls_arena *tmp, int *iterations, bool *converged) {
  if (!round) return sweep_island(rows, blocks, n, limit, most, round, true, tmp, iterations, converged);
  *converged = dls_residual_holds(rows, blocks, n, limit);
  if (*converged) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  int done = 0;
  bool near;
  const dls_status status = sweep_round(rows, blocks, n, limit, most, true, tmp, &done, &near);
  dls_arena_release(tmp, mark);
  note_iterations(done, iterations);
  *converged = status == DLS_OK && near && dls_residual_holds(rows, blocks, n, limit);
  return status;
}

/* From the impulses and velocities at hand: the best found are left there. `most`: sweeps, and kinks. */
static dls_status path_island(dls_rows *rows, const int *blocks, int n, double limit, dls_budget *budget, bool round,
                              dls_arena *tmp, int *iterations, bool *converged) {
  const size_t mark = dls_arena_mark(tmp);
  path P;
  const int first = dls_budget_times(budget, 0.5, 1, round ? PATH_FIRST_ROUND : PATH_FIRST);
  int swept = 0;
  dls_status status = sweep_first(rows, blocks, n, limit, first, round, tmp, &swept, converged);
  note_iterations(swept, iterations);
  dls_budget_pay(budget, swept);
  if (status != DLS_OK || *converged) return status;
  status = take_path(rows, blocks, n, tmp, &P);
  if (status != DLS_OK) return status;
  read_contacts(rows, blocks, &P.soft);
  double now, best = judge_soft(rows, blocks, &P.soft, DLS_INF, &now);
  const int most = dls_budget_times(budget, 0.5, 1, INT32_MAX);
  const double factor = dls_budget_sweeps(budget, web_cost(&P.soft.web)) + NEWTON_LOOKS, enough = 0.5 * budget->left;
  int kinks = 0;
  double pull = 0; /* that K has */
  bool there = false;
  for (int turn = 0; turn < PATH_ROUNDS && kinks < most && !(best <= limit); turn++) {
    if (given_up(rows, n, NEWTON_VISITS) || budget->left - factor < enough) break;
    dls_budget_pay(budget, factor);
    const double before = now;
    const int met = kinks; /* before this round */
    fit_all(rows, blocks, &P);
    aim(&P, there && P.pull == pull);
    pull = P.pull;
    const int left = most - kinks, share = PATH_KINKS + n / PATH_SHARE;
    there = follow(rows, &P, left < share ? left : share, &kinks);
    dls_budget_pay(budget, kinks - met);
    read_lanes(&P);
    best = judge_soft(rows, blocks, &P.soft, best, &now);
    P.pull = next_pull(P.pull, there, now <= PULL_GAIN * before, kinks == met);
    if (there || best <= limit) continue;
    int own = 0;
    status = sweep_first(rows, blocks, n, limit, dls_budget_times(budget, 0.5, 1, PATH_SWEEPS), round, tmp, &own, converged);
    dls_budget_pay(budget, own);
    if (status == DLS_FULL) rows->need = dls_bytes_add(rows->need, tmp->size);
    if (status != DLS_OK) return status;
    dls_push_island(rows, blocks, n, P.soft.web.body, P.soft.web.n);
    read_contacts(rows, blocks, &P.soft);
    best = judge_soft(rows, blocks, &P.soft, best, &now);
  }
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = P.soft.best[2 * k + i];
  }
  dls_push_island(rows, blocks, n, P.soft.web.body, P.soft.web.n);
  note_iterations(kinks, iterations);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
