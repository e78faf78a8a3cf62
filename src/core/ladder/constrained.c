/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/constrained.h"

#include "core/rows/coulomb.h"
#include "core/rows/impulses.h"
#include "core/rows/island.h"
#include "core/sweeps/iterate.h"
#include "core/rows/residual.h"
#include "core/ladder/proximal.h"
#include "core/ladder/rung.h"
#include "core/ladder/supported.h"
#include "core/ladder/to_cone.h"
#include "core/rows/tree_rows.h"

/* Both kinds in the order of the island. */
static void split_kinds(const dls_rows *rows, const int *blocks, int n, dls_block_graph *x) {
  x->n = n;
  x->n_equal = 0;
  int at = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < n; k++) {
      const bool equal = rows->block[blocks[k]].kind == DLS_ROW_BILATERAL;
      if (equal != (turn == 0)) continue;
      x->block[at++] = blocks[k];
      x->n_equal += equal;
    }
}

/* v + s + gamma p of a block's rows, m/s or rad/s. */
static void residual_velocity(const dls_rows *rows, const dls_block *block, const dls_support *on,
                              const double *x, double *v) {
  for (int i = 0; i < block->n; i++) {
    const int row = block->row + i;
    v[i] = dls_row_speed(rows->nu, rows, block, row, rows->u) + rows->s[row] +
           rows->gamma[row] * rows->p[row];
    for (int l = 0; l < on->n; l++) v[i] += on->z[l * block->n + i] * x[on->at[l]];
  }
}

void dls_constrained_push_support(const dls_rows *rows, const dls_block *block,
                                  const dls_support *on, double *x) {
  for (int l = 0; l < on->n; l++)
    for (int i = 0; i < block->n; i++)
      x[on->at[l]] += on->y[l * block->n + i] * rows->p[block->row + i];
}

/* Bodies of trees, too: what impulses do to these is in x, but where they were beyond all measure
** for a moment, 0 times that is no number. */
void dls_constrained_unpush(dls_rows *rows, const dls_block_graph *x) {
  for (int k = 0; k < x->n; k++) {
    dls_arm arms[4];
    const int n_arms = dls_arms_of(rows->nu, rows, &rows->block[x->block[k]], 0, arms);
    for (int e = 0; e < n_arms; e++) {
      const size_t at = (size_t)(arms[e].body * rows->nu);
      memcpy(rows->u + at, rows->u_free + at, (size_t)rows->nu * sizeof(double));
    }
  }
}

double dls_constrained_residual(const dls_rows *rows, const dls_constrained *b, double *r) {
  double most = 0;
  for (int k = 0; k < b->equality.n; k++) {
    const int which = b->equality.which[k];
    const dls_block *block = &rows->block[b->graph.block[which]];
    residual_velocity(rows, block, &b->graph.on[which], b->x, r + k * rows->nb);
    for (int i = 0; i < block->n; i++)
      most = dls_max(most, fabs(r[k * rows->nb + i]) * rows->length[block->row + i]);
  }
  return most;
}

/* The numbers of x without impulses of inequalities: the bilateral rows' own velocities, made
** white. */
static void free_numbers(dls_rows *rows, dls_constrained *b) {
  dls_block_graph *x = &b->graph;
  memset(b->x, 0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < x->n_equal; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    memset(rows->p + block->row, 0, (size_t)block->n * sizeof *rows->p);
  }
  dls_constrained_unpush(rows, x);
  if (x->n_equal > 0) {
    dls_constrained_residual(rows, b, b->r);
    dls_equality_forward(rows, &b->equality, b->r, b->x + x->n_x);
  }
  memcpy(b->x_0, b->x, (size_t)b->n_x * sizeof *b->x);
}

/* Own W of the inequalities while the equalities hold; what these leave none of is none. */
static void own_matrices(const dls_rows *rows, dls_constrained *b) {
  static const double NOTHING = 1e-12;
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    double own[DLS_MOST_ROWS * DLS_MOST_ROWS], *W = b->W + (size_t)(k * rows->nb * rows->nb);
    if (b->graph.n_equal == 0 && b->on[k].n > 0) { /* as add_own_trees has found it */
      for (int i = 0; i < block->n; i++)
        for (int j = 0; j < block->n; j++)
          own[i * block->n + j] = rows->W[(size_t)((block->row + i) * rows->nb + j)];
    } else {
      dls_couple(rows, block, &b->on[k], block, &b->on[k], own);
    }
    memset(W, 0, (size_t)(rows->nb * rows->nb) * sizeof *W);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        if (own[i * (block->n + 1)] >
                NOTHING * rows->W[(size_t)((block->row + i) * rows->nb + i)] &&
            own[j * (block->n + 1)] > NOTHING * rows->W[(size_t)(block->row + j) * rows->nb + j])
          W[i * rows->nb + j] = own[i * block->n + j];
  }
}

/* Rows of contacts that the equalities leave nothing of (a point on a hinge to the ground)
** become rows of zeros without a shift, as those of trees (forest/pinned.h): what their
** velocity misses no impulse changes, and an impulse that tried would be as large as round-off
** is small. */
static void clear_pinned(dls_rows *rows, dls_constrained *b) {
  const size_t width = 2 * (size_t)rows->nu;
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    const dls_support *on = &b->on[k];
    for (int i = 0; i < block->n && block->source >= 0; i++) {
      const int row = block->row + i;
      if (b->W[(size_t)((k * rows->nb + i) * rows->nb + i)] > 0 || rows->gamma[row] > 0) continue;
      memset(rows->J + (size_t)row * width, 0, width * sizeof(double));
      memset(rows->MJ + (size_t)row * width, 0, width * sizeof(double));
      rows->s[row] = rows->p[row] = 0;
      for (int l = 0; l < on->n; l++) on->z[l * block->n + i] = on->y[l * block->n + i] = 0;
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)(row * rows->nb + j)] = rows->W[(size_t)((block->row + j) * rows->nb + i)] =
            0;
    }
  }
}

/* The trees' part of each block's own W, for the residual. */
static void add_own_trees(dls_rows *rows, const dls_block_graph *x) {
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    double own[DLS_MOST_ROWS * DLS_MOST_ROWS];
    if (x->on[k].n == 0) continue;
    dls_couple(rows, block, &x->on[k], block, &x->on[k], own);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)((block->row + i) * rows->nb + j)] = own[i * block->n + j];
  }
}

/* The graph of the blocks (who shares a body or a number), and the bilateral rows eliminated. */
static dls_status eliminate(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                            dls_constrained *b) {
  *b = (dls_constrained){0};
  dls_block_graph *x = &b->graph;
  x->block = DLS_TAKE(tmp, int, n);
  x->on = DLS_TAKE(tmp, dls_support, n);
  if (!x->block || !x->on) return dls_want(rows, tmp, (size_t)n * 64);
  split_kinds(rows, blocks, n, x);
  dls_status status = dls_supports_in_trees(rows, x->block, n, tmp, x->on, &x->n_x);
  if (status == DLS_OK) status = dls_block_graph_join(rows, x, tmp);
  if (status != DLS_OK) return status;
  b->inequal = x->block + x->n_equal;
  b->n_inequal = n - x->n_equal;
  b->on = x->on + x->n_equal;
  b->n_x = x->n_x;
  b->W = DLS_TAKE(tmp, double, (size_t)(b->n_inequal * rows->nb * rows->nb));
  b->r = DLS_TAKE(tmp, double, (size_t)(x->n_equal * 2 * rows->nb));
  if (!b->W || !b->r) return dls_want(rows, tmp, (size_t)n * 16 * 36);
  b->t = b->r + x->n_equal * rows->nb;
  if (x->n_equal > 0) {
    status = dls_equality_plan(rows, x, tmp, &b->equality);
    if (status == DLS_OK) status = dls_equality_walk_take(rows, x, &b->equality, tmp, &b->walk);
    if (status != DLS_OK) return status;
    dls_equality_factor(rows, x, &b->equality);
    b->n_x += b->equality.white[x->n_equal];
  }
  b->x = DLS_TAKE(tmp, double, 2 * (size_t)b->n_x);
  if (!b->x) return dls_want(rows, tmp, 16 * (size_t)b->n_x);
  b->x_0 = b->x + b->n_x;
  return DLS_OK;
}

static dls_status constrain(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                            dls_constrained *b) {
  dls_status status = eliminate(rows, blocks, n, tmp, b);
  if (status != DLS_OK) return status;
  dls_block_graph *x = &b->graph;
  add_own_trees(rows, x);
  for (int k = x->n_equal; k < n && status == DLS_OK && x->n_equal > 0; k++)
    status = dls_equality_support(rows, x, &b->equality, k, &b->walk, tmp);
  if (status != DLS_OK) return status;
  if (b->n_inequal == 0) {
    dls_constrained_unpush(rows, x);
    return DLS_OK;
  }
  free_numbers(rows, b);
  own_matrices(rows, b);
  return DLS_OK;
}

/* --- bilateral impulses ---------------------------------------------------------------------- */

/* u and x from all impulses; the white numbers have no part in it. */
static void push_all(dls_rows *rows, dls_constrained *b) {
  const dls_block_graph *x = &b->graph;
  dls_constrained_unpush(rows, x);
  memset(b->x, 0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    dls_support tree = x->on[k];
    while (tree.n > 0 && tree.at[tree.n - 1] >= x->n_x) tree.n--;
    dls_push_block(rows, block);
    dls_constrained_push_support(rows, block, &tree, b->x);
  }
}

/* The bilateral impulses that those of the inequalities ask for, set right once by what is
** left, if that is more than `enough`. Answers what is left then, m/s. */
static double solve_equalities(dls_rows *rows, dls_constrained *b, double enough) {
  const dls_block_graph *x = &b->graph;
  double *t = b->x_0; /* of no more use: white numbers are as many */
  for (int k = 0; k < x->n_equal; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    memset(rows->p + block->row, 0, (size_t)block->n * sizeof *rows->p);
  }
  double left = 0;
  push_all(rows, b);
  for (int turn = 0; turn < 3 && x->n_equal > 0; turn++) {
    left = dls_constrained_residual(rows, b, b->r);
    if (turn == 2 || (turn > 0 && left <= enough)) break;
    dls_equality_forward(rows, &b->equality, b->r, t);
    dls_equality_backward(rows, &b->equality, t, b->t);
    for (int k = 0; k < b->equality.n; k++) {
      const dls_block *block = &rows->block[x->block[b->equality.which[k]]];
      for (int i = 0; i < block->n; i++) rows->p[block->row + i] -= b->t[k * rows->nb + i];
    }
    push_all(rows, b);
  }
  return left;
}

/* J u of place k of the graph, from u and what all impulses do to trees. */
static void read_speeds(const dls_rows *rows, const dls_constrained *b, int k, double *v) {
  const dls_block *block = &rows->block[b->graph.block[k]];
  dls_support tree = b->graph.on[k];
  while (tree.n > 0 && tree.at[tree.n - 1] >= b->graph.n_x) tree.n--;
  for (int i = 0; i < block->n; i++)
    v[i] = dls_row_speed(rows->nu, rows, block, block->row + i, rows->u);
  dls_support_read(block->n, &tree, b->x, v);
}

/* The largest residual, from u and all impulses. */
static double residual_of_all(const dls_rows *rows, const dls_constrained *b) {
  const dls_block_graph *x = &b->graph;
  double worst = 0;
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    double v[DLS_MOST_ROWS];
    read_speeds(rows, b, k, v);
    const double r = dls_residual_block(rows, block, v);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

static bool constrains(const dls_rows *rows, const dls_block *block) {
  return dls_touches_tree(rows, block) ||
         (block->kind == DLS_ROW_BILATERAL && !dls_is_soft_equation(rows, block));
}

bool dls_is_constrained_island(const dls_rows *rows, const int *blocks, int n) {
  enum { BESIDE = 4 }; /* contacts and others to a soft equation, where it is not eliminated */
  int soft = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (constrains(rows, block)) return true;
    soft += block->kind == DLS_ROW_BILATERAL;
  }
  return BESIDE * soft > n;
}

/* Sweeps before a method of core/cone has its turn: to rough tolerances, to fine ones, of small
** islands. Before points of large ones, a step of which costs ten sweeps, fewer, but where they
** leave more than FAR_OFF of the scale; and some again where points have ended above the
** tolerance. 480 steps of eight walls that a ball on a chain strikes (estimated work, 10^6
** instructions): with 300 23,300, 200 20,800, 150 18,700, 100 19,000, 60 19,400; FAR_OFF 3e-4 to
** 3e-3 18,900 to 19,500; without it one in 200 ends at 4e-3 for 2e-5. */
enum {
  ROUGH_SWEEPS = 300,
  FINE_SWEEPS = 60,
  SMALL_SWEEPS = 12,
  BRIEF_SWEEPS = 100,
  AGAIN_SWEEPS = 200
};
static const double FAR_OFF = 1e-3;
static const double FINE = 1e-7;
static const double ROUND_OFF = 1e-15, ENOUGH = 1e-13; /* of a solve; of a turn among several */

/* Part of the tolerance that points may leave once they have gone far: one of 26 struck walls
** takes 240 of its 278 steps behind that. */
static const double NEARLY = 0.99;

/* Proximal points in space, where few of the inequalities meet on trees or through bilateral
** rows. */
static bool suits_points(const dls_island *island, const dls_constrained *b) {
  const dls_island part = dls_constrained_part(island, b);
  return island->rows->dim == 3 && dls_suits_points(&part) && dls_few_supported(&part);
}

static dls_status approach_by_points(dls_island *island, const dls_constrained *b, double limit,
                                     bool *converged) {
  dls_island part = dls_constrained_part(island, b);
  double reached;
  const double enough = dls_max(limit, NEARLY * island->tolerance * island->scale);
  const dls_status status = dls_proximal_points(&part, limit, enough, DLS_PROXIMAL_STEPS, &reached);
  if (!island->small) island->budget = part.budget;
  *converged = reached <= enough;
  return status;
}

/* At most so many sweeps of the inequalities, and fewer where the budget ends. */
static dls_status sweep_within(dls_island *island, dls_constrained *b, double limit, int most,
                               bool *converged) {
  int swept = 0;
  const int sweeps = dls_budget_times(&island->budget, 1, 1, most);
  const dls_status status =
      dls_constrained_sweep(island->rows, b, limit, sweeps, island->tmp, &swept, converged);
  dls_note_iterations(swept, &island->report->iterations);
  dls_budget_pay(&island->budget, swept);
  return status;
}

/* *missed: points or the method of core/cone have not solved the inequalities. */
static dls_status solve_inequalities(dls_island *island, dls_constrained *b, bool *converged,
                                     bool *missed) {
  dls_rows *rows = island->rows;
  dls_budget *budget = &island->budget;
  int *iterations = &island->report->iterations;
  const double aim = 0.8 * island->tolerance, scale = island->scale, limit = aim * scale;
  const bool path = dls_constrained_suits_path(island, b), points = suits_points(island, b);
  const bool fine = island->tolerance < FINE;
  /* points have what these sweeps leave */
  const bool brief = points && !island->small && !fine && budget->left > ROUGH_SWEEPS;
  const int most = island->small || path ? SMALL_SWEEPS
                   : fine        ? FINE_SWEEPS
                   : brief       ? BRIEF_SWEEPS
                                 : ROUGH_SWEEPS;
  dls_status status = sweep_within(island, b, limit, most, converged);
  if (status == DLS_OK && !*converged && brief && !dls_constrained_holds(rows, b, FAR_OFF * scale))
    status = sweep_within(island, b, limit, ROUGH_SWEEPS - BRIEF_SWEEPS, converged);
  if (status == DLS_OK && !*converged && path)
    status = dls_constrained_follow_path(island, b, island->aim, converged);
  if (status == DLS_OK && !*converged && points && budget->left >= 1)
    status = approach_by_points(island, b, limit, converged);
  while (status == DLS_OK && !*converged && brief && budget->left > AGAIN_SWEEPS) {
    status = sweep_within(island, b, limit, AGAIN_SWEEPS, converged);
    if (status == DLS_OK && !*converged) status = approach_by_points(island, b, limit, converged);
  }
  *missed = points && !*converged;
  const bool in_vain =
      *missed &&
      !island->small; /* core/cone solves nothing that points of large islands have missed */
  if (status == DLS_OK && !*converged && !in_vain && dls_budget_times(budget, 0.5, 1, 1) > 0) {
    dls_cone_report done = {.outcome = DLS_LIMIT};
    if (dls_budget_enter(budget, DLS_CONE_SETUP, 1))
      status = dls_constrained_to_cone(
          rows, b, dls_cone_method_find("auto"), aim, scale, budget,
          (island->small && budget->bounded) || rows->dim == 2 ? 0.5 : 1, island->tmp, &done);
    if (status == DLS_OK) dls_note_iterations(done.iterations, iterations);
    *missed = status == DLS_OK && done.outcome != DLS_SOLVED;
  }
  return status;
}

/* The inequalities once more, with velocities that all impulses make in place of those that the
** factor of nearly dependent equations tells (two ball joints on one line whose gaps differ by
** 1e-6: 1e-8 beside these), from the impulses at hand. u and x are those of all impulses
** before. */
static dls_status refine(dls_island *island, dls_constrained *b, bool *converged, bool *missed) {
  dls_rows *rows = island->rows;
  double *told = DLS_TAKE(island->tmp, double, b->n_inequal * rows->nb);
  if (!told) return dls_want(rows, island->tmp, (size_t)(b->n_inequal * rows->nb) * sizeof(double));
  for (int k = 0; k < b->n_inequal; k++)
    read_speeds(rows, b, b->graph.n_equal + k, told + k * rows->nb);
  free_numbers(rows, b); /* equations have used x_0 */
  dls_constrained_push(rows, b);
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    double v[DLS_MOST_ROWS], *beyond = told + k * rows->nb;
    for (int i = 0; i < block->n; i++)
      v[i] = dls_row_speed(rows->nu, rows, block, block->row + i, rows->u);
    dls_support_read(block->n, &b->on[k], b->x, v);
    for (int i = 0; i < block->n; i++) rows->s[block->row + i] += beyond[i] -= v[i];
  }
  const dls_status status = solve_inequalities(island, b, converged, missed);
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = 0; i < block->n; i++) rows->s[block->row + i] -= told[k * rows->nb + i];
  }
  return status;
}

/* Bilateral rows of all blocks, and unilateral ones beside them where `lcp` is there. */
static dls_status hold_all(dls_rows *rows, const dls_row_lcp *lcp, double scale, dls_arena *tmp,
                           dls_held_left *left, bool *solved) {
  const size_t mark = dls_arena_mark(tmp);
  const int n = rows->n_blocks;
  int *blocks = DLS_TAKE(tmp, int, n);
  if (!blocks) return dls_want(rows, tmp, 0);
  for (int k = 0; k < n; k++) blocks[k] = k;
  dls_constrained b;
  dls_status status =
      lcp ? constrain(rows, blocks, n, tmp, &b) : eliminate(rows, blocks, n, tmp, &b);
  if (status == DLS_OK && lcp) status = dls_constrained_settle(rows, &b, lcp, tmp, solved);
  if (status == DLS_OK) {
    dls_constrained_unpush(rows, &b.graph);
    (void)solve_equalities(rows, &b, ENOUGH * scale);
    *left = dls_constrained_left(rows, &b);
  }
  dls_arena_release(tmp, mark);
  return status;
}

dls_status dls_rows_hold(dls_rows *rows, double scale, dls_arena *tmp, dls_held_left *left) {
  return hold_all(rows, NULL, scale, tmp, left, NULL);
}

dls_status dls_rows_settle(dls_rows *rows, const dls_row_lcp *lcp, dls_arena *tmp,
                           dls_held_left *left, bool *solved) {
  return hold_all(rows, lcp, lcp->scale, tmp, left, solved);
}

dls_status dls_rows_gives(dls_rows *rows, dls_arena *tmp, double *give) {
  const size_t mark = dls_arena_mark(tmp);
  int *blocks = DLS_TAKE(tmp, int, rows->n_blocks);
  if (!blocks) return dls_want(rows, tmp, 0);
  for (int k = 0; k < rows->n_blocks; k++) blocks[k] = k;
  dls_constrained b;
  dls_status status = constrain(rows, blocks, rows->n_blocks, tmp, &b);
  for (int k = 0; status == DLS_OK && k < b.n_inequal; k++) {
    const dls_block *block = &rows->block[b.inequal[k]];
    for (int i = 0; i < block->n; i++)
      give[block->row + i] = b.W[(size_t)((k * rows->nb + i) * rows->nb + i)];
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* --- the rung --------------------------------------------------------------------------------- */

static bool suits(const dls_island *island) {
  return island->method == DLS_SOLVE_AUTO && (!island->special || island->rows->tree) &&
         dls_is_constrained_island(island->rows, island->blocks, island->n);
}

/* What is missed goes to the dense problem, but for large islands in space: "auto" on all their
** rows at once would do no better. */
static dls_status run(dls_island *island, bool *done) {
  enum { REFINED = 2 };
  dls_rows *rows = island->rows;
  const size_t mark = dls_arena_mark(island->tmp);
  bool missed = false, last = false; /* nobody else solves more */
  dls_constrained b;
  dls_status status = constrain(rows, island->blocks, island->n, island->tmp, &b);
  if (status == DLS_OK) clear_pinned(rows, &b);
  if (status == DLS_OK) last = !island->small && rows->dim == 3;
  *done = true;
  if (status == DLS_OK && b.n_inequal > 0) status = solve_inequalities(island, &b, done, &missed);
  for (int turn = 0; status == DLS_OK; turn++) {
    (void)solve_equalities(rows, &b, ROUND_OFF * island->scale);
    dls_constrained_ask_dependent(rows, &b, island->scale);
    *done = residual_of_all(rows, &b) <= island->tolerance * island->scale;
    if (*done || missed || b.n_inequal == 0 || b.graph.n_equal == 0 || turn == REFINED) break;
    status = refine(island, &b, done, &missed);
  }
  dls_arena_release(island->tmp, mark);
  if (status == DLS_OK && !*done && missed && last) {
    island->report->unconverged++;
    *done = true;
  }
  return status;
}

const dls_rung dls_rung_constrained = {suits, run};
