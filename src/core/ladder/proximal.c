/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/proximal.h"

#include "core/ladder/newton.h"
#include "core/ladder/newton_step.h"
#include "core/ladder/sweeps.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"

/* Shares of the impulses' size that they may go along the kernel; bounds of E / |W|, the last
** one higher in small islands in space without supports, and how it changes. */
static const double THETA = 0.1, E_LEAST = 1e-13, E_FIRST_MOST = 0.1, E_MOST[] = {1, 10}, FALL = 2,
                    RISE = 10;

/* Distances from where a contact opens and from where it slips count as no less than these: a
** share of the mean impulse (0.1 to 0.03: within 0.04 of the steps of walls of bricks and
** creeping piles), and of what friction may bear. */
static const double EDGE = 0.03, SLIPS = 0.1;

/* Newton's steps of a point; it ends at this share of the residual, or of the limit; what gains
** chooses E anew. */
enum { INNER = 10 };
static const double NEAR = 0.3, CLOSE = 0.01, GAIN = 0.8;

/* A point is given up where, from the third step on, its error is more than this part of what
** it was two steps before: contacts that turn to and fro between two states, or impulses that
** run away. */
static const double SLOW = 0.7;

/* Redundant contacts of small islands agree, by default, where the residuals of two points that
** held differ by this part: on normal velocities that differ by so much of the scale at most,
** and of h |g|, where those of friction differ by this share of that. A tolerance that was
** named is met without. */
static const double STEADY = 0.3, AGREED = 1e-5, AGREED_FALL = 1e-2, ACROSS = 1e-3;

/* rho |W| rises as E falls, more so in small islands in space without supports: who presses is
** told by velocities once these are small. 236 steps of dominoes that had taken more than 3 ms
** take 0.67 of the time with up to 1e4. A pyramid of 210 boxes takes 1.8 with it; of 200 walls
** that a ball on a chain strikes one parts from core/cone by 2e-7 of its energy. From E = |W|
** on rho is 1/E. */
static const double TIMES_BY_E[] = {0.01, 0.03}, TIMES_LEAST = 10, TIMES_MOST[] = {300, 1e4};

/* Steps after which a small island has gone far enough where its tolerance is met. */
enum { PATIENCE = 40 };

/* The part of the work that is left which points may take in small islands and in the plane, at
** this part of the price of a step in small ones: the rest is for core/cone, each of whose
** steps costs five times as much (dominoes miss 1 of 18,000 steps; 14 of 13,500 by the whole
** price, with rho |W| up to 300). In larger ones in space core/cone solves nothing that they
** have missed: there they take all, at what a step in lanes costs, of the price of a factor
** LANES, and LOOKS sweeps (with a share kept up to 300 blocks piles of 125 balls miss 134 of
** 20,000 steps for 7). */
static const double SHARE = 0.75, SMALL = 0.5, LANES = 0.25;
enum { LOOKS = 2 };

/* The largest impulse, as a velocity; at least a small part of the scale. */
static double size_of(const dls_rows *rows, const int *blocks, int n, const dls_newton *N,
                      double scale) {
  double most = 1e-3 * scale;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    double sum = 0;
    for (int i = block->row; i < block->row + block->n; i++) {
      const double z = rows->p[i] / rows->length[i];
      sum += z * z;
    }
    most = dls_max(most, N->law[k].norm * sqrt(sum));
  }
  return most;
}

/* Whether a block is a contact with friction of the bodies' matrix. */
static bool is_contact(const dls_rows *rows, const dls_block *block, const dls_linear_law *law) {
  return law->contact || (rows->dim == 2 && block->kind == DLS_ROW_CONE);
}

/* E of each contact along its normal in inverse proportion to its impulse, across to what
** friction could bear more: all may go the same share of their ways to where they open or slip,
** as in affine scaling, and reach such edges together instead of one by one. */
static void weigh(const dls_rows *rows, const int *blocks, int n, const dls_newton *N) {
  double sum = 0;
  int pressing = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const double z = rows->p[block->row] * N->law[k].norm;
    if (is_contact(rows, block, &N->law[k]) && z > 0) sum += z, pressing++;
  }
  if (pressing == 0) return;
  const double mean = sum / pressing;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const double *p = rows->p + block->row;
    dls_linear_law *law = &N->law[k];
    if (!is_contact(rows, block, law)) continue;
    const double z = dls_max(p[0] * law->norm, 0), most = block->mu[0] * z;
    const double across = rows->dim == 2 ? fabs(p[1]) : sqrt(p[1] * p[1] + p[2] * p[2]);
    const double left = most - across * law->norm;
    law->drag[0] = mean / (z + EDGE * mean);
    law->drag[1] = mean / (dls_max(left, SLIPS * most) + EDGE * mean);
  }
}

/* Velocities that belong to the impulses at hand. */
static void follow(dls_rows *rows, const int *blocks, int n, const dls_newton *N) {
  dls_newton_push(rows, blocks, n, N);
  if (N->supported) dls_supported_shift(rows, blocks, N->supported);
}

/* The error of the law at the least rho where rho is large, which then hardly tells of impulses
** outside their sets; else 0. */
static double error_of_impulses(const dls_rows *rows, const int *blocks, int n, dls_newton *N) {
  const double times = N->times;
  if (!(times > TIMES_MOST[0])) return 0;
  N->times = TIMES_LEAST;
  const double error = sqrt(dls_newton_merit(rows, blocks, n, 0, N));
  N->times = times;
  return error;
}

/* Full steps on the problem about N->centre, from there; whether its law holds where they end. */
static bool reach_point(dls_rows *rows, const int *blocks, int n, dls_newton *N, double near,
                        int steps, int *done) {
  double before[2] = {0, 0}; /* the errors of even and of odd steps */
  for (int k = 0;; k++) {
    follow(rows, blocks, n, N);
    const double error = sqrt(dls_newton_linearise(rows, blocks, n, N));
    if (!dls_is_finite(error)) return false;
    if (k > 0 && error <= near && error_of_impulses(rows, blocks, n, N) <= near) return true;
    if (k > 2 && error > SLOW * before[k % 2]) return false;
    if (k == steps || dls_given_up(rows, n, DLS_NEWTON_VISITS)) return false;
    before[k % 2] = error;
    dls_newton_step(rows, blocks, n, N);
    dls_newton_go(rows, blocks, n, 1, N);
    ++*done;
  }
}

/* Residual of the impulses at hand, cut to their sets; the best are kept, those at hand stay. */
static double look(dls_rows *rows, const int *blocks, int n, dls_newton *N, double best) {
  dls_keep_impulses(rows, blocks, n, N->raw);
  dls_admit_all(rows, blocks, n);
  follow(rows, blocks, n, N);
  const double now = dls_rows_residual_of(rows, blocks, n);
  if (now < best) dls_keep_impulses(rows, blocks, n, N->best);
  dls_restore_impulses(rows, blocks, n, N->raw);
  return now;
}

/* What contacts that press ask for along their normals beyond what one motion has, E (z - z_k)
** of a point at which it stays the same, is left out of their shifts: the impulses at hand then
** are a solution but for friction, which stays what it is. Whether it was no more than `most`,
** and across the normals no more than the share ACROSS of that. */
static bool agree(dls_rows *rows, const int *blocks, int n, const dls_newton *N, double most) {
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < n; k++) {
      const dls_block *block = &rows->block[blocks[k]];
      const dls_linear_law *law = &N->law[k];
      if (!law->contact || !law->acts) continue;
      /* what rebounds asks for just that, and what is soft for its spring's force */
      if (turn == 0 && (rows->s[block->row] < -most || rows->gamma[block->row] > 0)) return false;
      for (int i = 0; i < block->n; i++) {
        const double beyond =
            N->damp * law->norm * (rows->p[block->row + i] - N->centre[(size_t)(k * rows->nb + i)]);
        if (turn == 1 && i == 0) rows->s[block->row] += beyond;
        else if (turn == 0 && !(fabs(beyond) <= (i == 0 ? most : ACROSS * most))) return false;
      }
    }
  return true;
}

/* Answers the residual of N->best. */
static double approach(const dls_island *island, dls_newton *N, double *centre, double limit,
                       double enough, int steps, int *done) {
  dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n,
            far = rows->dim == 3 && island->small && !N->supported;
  const bool may_agree = far && island->strict;
  const double agreed = dls_min(AGREED * island->scale, AGREED_FALL * island->fall);
  if (N->supported) follow(rows, blocks, n, N);
  double best = dls_rows_residual_of(rows, blocks, n), e = 0, last = DLS_INF;
  dls_keep_impulses(rows, blocks, n, N->best);
  N->centre = centre;
  while (best > (*done < PATIENCE ? limit : enough) && *done < steps && e < E_MOST[far] &&
         !dls_given_up(rows, n, 1)) {
    if (e == 0)
      e = dls_clamp(best / (THETA * size_of(rows, blocks, n, N, island->scale)), E_LEAST,
                    E_FIRST_MOST);
    N->damp = e;
    N->times = e < 1 ? dls_clamp(TIMES_BY_E[far] / e, TIMES_LEAST, TIMES_MOST[far]) : 1 / e;
    dls_keep_impulses(rows, blocks, n, centre);
    if (!island->small) weigh(rows, blocks, n, N);
    const int left = steps - *done;
    const double near = dls_max(CLOSE * limit, NEAR * best);
    const bool held = reach_point(rows, blocks, n, N, near, left < INNER ? left : INNER, done);
    double now = look(rows, blocks, n, N, best);
    bool gained = now < GAIN * best;
    if (may_agree && held && !gained && fabs(now - last) <= STEADY * now &&
        agree(rows, blocks, n, N, agreed)) {
      const double before = best;
      best = now = look(rows, blocks, n, N, DLS_INF);
      gained = best < GAIN * before;
    }
    last = held ? now : DLS_INF;
    if (now < best) best = now;
    if (gained) e = 0;
    else if (held) e = dls_max(e / FALL, E_LEAST);
    else e *= RISE;
    if (!held && !gained) dls_restore_impulses(rows, blocks, n, centre);
  }
  return best;
}

/* Room for Newton's steps, and what its blocks share beside bodies; *cost: multiplications of a
** step. */
static dls_status take_newton(const dls_island *island, dls_newton *N, dls_supported *x,
                              double *cost) {
  bool *late = NULL;
  if (island->on) {
    late = DLS_TAKE(island->tmp, bool, island->rows->n_bodies);
    if (!late) return dls_want(island->rows, island->tmp, (size_t)island->rows->n_bodies);
    dls_mark_supported(island, late);
  }
  dls_status status =
      dls_newton_take(island->rows, island->blocks, island->n, late, island->tmp, N);
  if (status != DLS_OK) return status;
  *cost = dls_body_graph_cost(&N->graph);
  if (!island->on) return DLS_OK;
  status = dls_supported_take(island, &N->graph, x);
  if (status != DLS_OK) return status;
  N->supported = x;
  *cost += dls_supported_cost(x, &N->graph);
  for (int k = 0; k < x->n; k++) {
    N->law[x->which[k]].apart = true;
    N->law[x->which[k]].contact = false;
  }
  dls_newton_pack(island->rows, island->blocks, island->n, N);
  return DLS_OK;
}

dls_status dls_proximal_points(dls_island *island, double limit, double enough, int steps,
                               double *reached) {
  dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n;
  *reached = DLS_INF;
  if (!dls_budget_enter(&island->budget, DLS_NEWTON_SETUP, DLS_NEWTON_LOOKS)) return DLS_OK;
  const size_t mark = dls_arena_mark(island->tmp);
  dls_newton N;
  dls_supported beyond;
  double work = 0;
  const dls_status status = take_newton(island, &N, &beyond, &work);
  if (status != DLS_OK) return status;
  double *centre = DLS_TAKE(island->tmp, double, n * rows->nb);
  if (!centre)
    return dls_want(rows, island->tmp, dls_arena_bytes((size_t)(n * rows->nb), sizeof(double)));
  const bool last = rows->dim == 3 && !island->small;
  const double factor = dls_budget_sweeps(&island->budget, work);
  const double whole = last ? LANES * factor + LOOKS : factor + DLS_NEWTON_LOOKS;
  const double cost = rows->dim == 3 && island->small ? SMALL * whole : whole;
  int made = 0;
  steps = dls_budget_times(&island->budget, last ? 1 : SHARE, cost, steps);
  *reached = approach(island, &N, centre, limit, enough, steps, &made);
  dls_budget_pay(&island->budget, made * cost);
  dls_note_iterations(made, &island->report->iterations);
  dls_restore_impulses(rows, blocks, n, N.best);
  dls_push_island(rows, blocks, n, N.graph.body, N.graph.n);
  if (N.supported) dls_supported_end(rows, blocks, N.supported);
  dls_arena_release(island->tmp, mark);
  return DLS_OK;
}

/* --- large islands ---------------------------------------------------------------------------- */

/* Whether an island has so many blocks a body. */
static dls_status has_blocks(const dls_island *island, int each, bool *has) {
  dls_rows *rows = island->rows;
  const size_t mark = dls_arena_mark(island->tmp);
  int *place = DLS_TAKE(island->tmp, int, rows->n_bodies);
  if (!place)
    return dls_want(rows, island->tmp, dls_arena_bytes((size_t)rows->n_bodies, sizeof(int)));
  *has = island->n >= each * dls_number_bodies(rows, island->blocks, island->n, place, NULL);
  dls_arena_release(island->tmp, mark);
  return DLS_OK;
}

dls_status dls_shares_loads(const dls_island *island, int few, bool *shares) {
  *shares = island->n <= few;
  return *shares || island->n > DLS_PROXIMAL_LARGE ? DLS_OK
                                                   : has_blocks(island, DLS_SHARED, shares);
}

/* --- the rung --------------------------------------------------------------------------------- */

bool dls_suits_points(const dls_island *island) {
  if (island->budget.bounded) return false; /* what runs out of work ends in sweeps */
  return island->method == DLS_SOLVE_AUTO && island->scale > 0 &&
         island->n <= DLS_SPARSE_MOST && island->tolerance < DLS_ROUGH;
}

static bool suits(const dls_island *island) {
  return island->rows->dim == 3 && dls_suits_points(island) && !island->needs_matrix;
}

/* What a few steps from brief sweeps have not solved, points may never: they turn to and fro
** where long sweeps go on. */
static dls_status sweep_again(dls_island *island, bool *done) {
  enum { SWEEPS = 400 };
  static const double SWEPT = 0.75; /* of the work that is left */
  int own = 0;
  const int most = dls_budget_times(&island->budget, SWEPT, island->budget.lanes, SWEEPS);
  const dls_status status = dls_sweep_island(island->rows, island->blocks, island->n, island->aim,
                                             most, INT32_MAX, false, true, island->tmp, &own, done);
  dls_budget_pay(&island->budget, island->budget.lanes * own);
  dls_note_iterations(own, &island->report->iterations);
  return status;
}

static dls_status run(dls_island *island, bool *done) {
  enum { BRIEF = 40 };
  const double enough = dls_max(island->aim, 0.9 * island->tolerance * island->scale);
  const bool brief = dls_is_swept_briefly(island);
  double reached;
  dls_status status = has_blocks(island, DLS_CROWDED, &island->crowded);
  if (status != DLS_OK || (island->n > DLS_PROXIMAL_LARGE && !island->crowded)) return status;
  status = dls_proximal_points(island, island->aim, enough, brief ? BRIEF : DLS_PROXIMAL_STEPS,
                               &reached);
  if (status == DLS_OK && brief && !(reached <= enough)) {
    status = sweep_again(island, done);
    if (status != DLS_OK || *done) return status;
    status = dls_proximal_points(island, island->aim, enough, DLS_PROXIMAL_STEPS, &reached);
  }
  *done = reached <= enough;
  return status;
}

const dls_rung dls_rung_proximal = {suits, run};
