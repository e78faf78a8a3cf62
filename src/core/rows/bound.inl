/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Islands that joints bind: trees, and rows that are bilateral. The latter are eliminated (hold.inl); the
** others ("loose") are swept in velocity space, where a visit touches the velocities of its free bodies and
** the numbers of x that it reaches (reach.inl). What sweeps leave goes to a method of lcp/cone.h, which then
** sees the loose rows alone. */

typedef struct bounds {
  knot knot;          /* held blocks first, then the loose ones                    */
  hold hold;
  climb climb;
  const int *loose;   /* loose blocks: knot.block + knot.n_held                    */
  int n_loose;
  const reach *on;    /* of the loose ones                                         */
  double *W;          /* a loose block's own W as it is bound: NB NB each          */
  int n_x;            /* numbers in x: of trees, then white ones                   */
  double *x, *x_0;    /* n_x: now; without loose impulses                          */
  double *r, *t;      /* n_held x NB each; scratch                                 */
} bounds;

/* Both kinds in the order of the island. */
static void split_kinds(const dls_rows *rows, const int *blocks, int n, knot *x) {
  x->n = n;
  x->n_held = 0;
  int at = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < n; k++) {
      const bool held = rows->block[blocks[k]].kind == DLS_ROW_BILATERAL;
      if (held != (turn == 0)) continue;
      x->block[at++] = blocks[k];
      x->n_held += held;
    }
}

/* v + s + gamma p of a block's rows. */
static void pull_of(const dls_rows *rows, const dls_block *block, const reach *on, const double *x, double *v) {
  for (int i = 0; i < block->n; i++) {
    const int row = block->row + i;
    v[i] = row_speed(rows, block, row, rows->u) + rows->s[row] + rows->gamma[row] * rows->p[row];
    for (int l = 0; l < on->n; l++) v[i] += on->z[l * block->n + i] * x[on->at[l]];
  }
}

/* x += y p. */
static void push_reach(const dls_rows *rows, const dls_block *block, const reach *on, double *x) {
  for (int l = 0; l < on->n; l++)
    for (int i = 0; i < block->n; i++) x[on->at[l]] += on->y[l * block->n + i] * rows->p[block->row + i];
}

/* Bodies of trees stay as they are without impulses: what these do is in x. */
static void rest_ends(dls_rows *rows, const knot *x) {
  for (int k = 0; k < x->n; k++) {
    dls_arm arms[4];
    const int n_arms = dls_arms_of(NU, rows, &rows->block[x->block[k]], 0, arms);
    for (int e = 0; e < n_arms; e++) {
      const size_t at = (size_t)arms[e].body * NU;
      memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
    }
  }
}

static void rest_bodies(dls_rows *rows, const knot *x) {
  for (int k = 0; k < x->n_bodies; k++) {
    const size_t at = (size_t)x->body[k] * NU;
    memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
  }
}

/* r: v + s of the held rows from u and x at hand, place by place. Answers the largest by its length. */
static double held_pull(const dls_rows *rows, const bounds *b, double *r) {
  double most = 0;
  for (int k = 0; k < b->hold.n; k++) {
    const int which = b->hold.which[k];
    const dls_block *block = &rows->block[b->knot.block[which]];
    pull_of(rows, block, &b->knot.on[which], b->x, r + k * NB);
    for (int i = 0; i < block->n; i++) most = dls_max(most, fabs(r[k * NB + i]) * rows->length[block->row + i]);
  }
  return most;
}

/* The numbers of x without loose impulses: the held rows' own velocities, made white. */
static void rest_numbers(dls_rows *rows, bounds *b) {
  knot *x = &b->knot;
  memset(b->x, 0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < x->n_held; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    memset(rows->p + block->row, 0, (size_t)block->n * sizeof *rows->p);
  }
  rest_ends(rows, x);
  if (x->n_held > 0) {
    held_pull(rows, b, b->r);
    hold_forward(rows, x, &b->hold, b->r, b->x + x->n_x);
  }
  memcpy(b->x_0, b->x, (size_t)b->n_x * sizeof *b->x);
}

/* W of the loose blocks as they are bound; what joints leave none of is none. */
static void own_matrices(const dls_rows *rows, bounds *b) {
  static const double NOTHING = 1e-12;
  for (int k = 0; k < b->n_loose; k++) {
    const dls_block *block = &rows->block[b->loose[k]];
    double own[NB * NB], *W = b->W + (size_t)k * NB * NB;
    couple(rows, block, &b->on[k], block, &b->on[k], own);
    memset(W, 0, NB * NB * sizeof *W);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        if (own[i * (block->n + 1)] > NOTHING * rows->W[(size_t)(block->row + i) * NB + i] &&
            own[j * (block->n + 1)] > NOTHING * rows->W[(size_t)(block->row + j) * NB + j])
          W[i * NB + j] = own[i * block->n + j];
  }
}

/* The trees' part of each block's own W, for the residual. */
static void add_own_trees(dls_rows *rows, const knot *x) {
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    double own[NB * NB];
    if (x->on[k].n == 0) continue;
    couple(rows, block, &x->on[k], block, &x->on[k], own);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n; j++)
        rows->W[(size_t)(block->row + i) * NB + j] = own[i * block->n + j];
  }
}

/* Who meets whom, and the held rows eliminated. */
static dls_status eliminate(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, bounds *b) {
  *b = (bounds){0};
  knot *x = &b->knot;
  x->block = DLS_TAKE(tmp, int, n);
  x->on = DLS_TAKE(tmp, reach, n);
  if (!x->block || !x->on) return dls_want(rows, tmp, (size_t)n * 64);
  split_kinds(rows, blocks, n, x);
  dls_status status = reach_trees(rows, x->block, n, tmp, x->on, &x->n_x);
  if (status == DLS_OK) status = tie_hubs(rows, x, tmp);
  if (status != DLS_OK) return status;
  b->loose = x->block + x->n_held;
  b->n_loose = n - x->n_held;
  b->on = x->on + x->n_held;
  b->n_x = x->n_x;
  b->W = DLS_TAKE(tmp, double, (size_t)b->n_loose * NB * NB);
  b->r = DLS_TAKE(tmp, double, (size_t)x->n_held * 2 * NB);
  if (!b->W || !b->r) return dls_want(rows, tmp, (size_t)n * NB * NB * 16);
  b->t = b->r + x->n_held * NB;
  if (x->n_held > 0) {
    status = plan_hold(rows, x, tmp, &b->hold);
    if (status == DLS_OK) status = take_climb(rows, x, &b->hold, tmp, &b->climb);
    if (status != DLS_OK) return status;
    factor_hold(rows, x, &b->hold, b->climb.work, b->r);
    b->n_x += b->hold.white[x->n_held];
  }
  b->x = DLS_TAKE(tmp, double, 2 * (size_t)b->n_x);
  if (!b->x) return dls_want(rows, tmp, 16 * (size_t)b->n_x);
  b->x_0 = b->x + b->n_x;
  return DLS_OK;
}

static dls_status bind_island(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, bounds *b) {
  dls_status status = eliminate(rows, blocks, n, tmp, b);
  if (status != DLS_OK) return status;
  knot *x = &b->knot;
  add_own_trees(rows, x);
  for (int k = x->n_held; k < n && status == DLS_OK && x->n_held > 0; k++)
    status = reach_hold(rows, x, &b->hold, k, &b->climb, tmp);
  if (status != DLS_OK) return status;
  if (b->n_loose == 0) {
    rest_ends(rows, x);
    return DLS_OK;
  }
  rest_numbers(rows, b);
  own_matrices(rows, b);
  return DLS_OK;
}

/* --- sweeps --------------------------------------------------------------------------------------- */

/* u and x from the loose impulses at hand. */
static void push_loose_rows(dls_rows *rows, bounds *b) {
  rest_bodies(rows, &b->knot);
  memcpy(b->x, b->x_0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < b->n_loose; k++) {
    const dls_block *block = &rows->block[b->loose[k]];
    dls_push_block(rows, block);
    push_reach(rows, block, &b->on[k], b->x);
  }
}

static inline void read_numbers(int d, const reach *on, const double *x, double *q) {
  double sum[NB] = {0};
  for (int l = 0; l < on->n; l++) {
    const double now = x[on->at[l]];
    for (int i = 0; i < d; i++) sum[i] += on->z[l * d + i] * now;
  }
  for (int i = 0; i < d; i++) q[i] += sum[i];
}

static inline void move_numbers(int d, const reach *on, const double *change, double *x) {
  for (int l = 0; l < on->n; l++) {
    double sum = 0;
    for (int i = 0; i < d; i++) sum += on->y[l * d + i] * change[i];
    x[on->at[l]] += sum;
  }
}

/* Visits one loose block; answers as sweep_block does. */
static double visit_bound(dls_rows *rows, const dls_block *block, const reach *on, const double *W, double *x) {
  double *u_a = rows->u + (size_t)block->a * NU, *u_b = rows->u + (size_t)block->b * NU;
  const double *J = rows->J + (size_t)block->row * 2 * NU, *MJ = rows->MJ + (size_t)block->row * 2 * NU;
  const double *gamma = rows->gamma + block->row, *s = rows->s + block->row;
  double *p = rows->p + block->row, now[NB] = {0}, q[NB] = {0}, change[NB], most = 0;
  for (int i = 0; i < block->n; i++) {
    now[i] = p[i];
    q[i] = row_velocity(J + i * 2 * NU, u_a, u_b) + s[i] + gamma[i] * p[i];
  }
  if (block->n == D) read_numbers(D, on, x, q);
  else if (block->n == 1) read_numbers(1, on, x, q);
  else read_numbers(block->n, on, x, q);
  visit(block, W, gamma, now, q);
  bool moved = false;
  for (int i = 0; i < block->n; i++) {
    change[i] = now[i] - p[i];
    if (change[i] == 0) continue;
    moved = true;
    p[i] = now[i];
    most = dls_max(most, fabs(change[i]) * W[i * NB + i] * rows->length[block->row + i]);
    add_u(u_a, change[i], MJ + i * 2 * NU);
    add_u(u_b, change[i], MJ + i * 2 * NU + NU);
  }
  if (!moved) return 0;
  if (block->n == D) move_numbers(D, on, change, x);
  else if (block->n == 1) move_numbers(1, on, change, x);
  else move_numbers(block->n, on, change, x);
  return most;
}

static bool loose_hold(const dls_rows *rows, const bounds *b, double limit) {
  for (int k = 0; k < b->n_loose; k++) {
    const dls_block *block = &rows->block[b->loose[k]];
    double v[NB];
    for (int i = 0; i < block->n; i++) v[i] = row_speed(rows, block, block->row + i, rows->u);
    read_numbers(block->n, &b->on[k], b->x, v);
    if (!(dls_residual_block(rows, block, v) <= limit)) return false;
  }
  return true;
}

/* For mixing: impulses and what they move, one after the other (see relax.inl). */
static dls_status loosen_bound(dls_rows *rows, const bounds *b, dls_arena *tmp, loose *x) {
  const int n_rows = dls_count_rows(rows, b->loose, b->n_loose);
  *x = (loose){.lanes = dls_sweep_lanes_best(), .n_p = (n_rows + 7) & ~7, .n_bodies = b->knot.n_bodies,
               .body = b->knot.body};
  x->n_u = (NU * x->n_bodies + b->n_x + 7) & ~7;
  x->p = DLS_TAKE(tmp, double, 4 * (size_t)x->n_p);
  x->u = DLS_TAKE(tmp, double, 2 * (size_t)x->n_u);
  if (!x->p || !x->u) return dls_want(rows, tmp, 32 * (size_t)(x->n_p + x->n_u));
  memset(x->p, 0, 4 * (size_t)x->n_p * sizeof(double));
  memset(x->u, 0, 2 * (size_t)x->n_u * sizeof(double));
  x->was = x->p + x->n_p;
  x->f = x->was + x->n_p;
  x->p_old = x->f + x->n_p;
  x->u_old = x->u + x->n_u;
  return DLS_OK;
}

static void copy_state(dls_rows *rows, bounds *b, loose *x, bool back) {
  if (back) dls_unpack_impulses(rows, b->loose, b->n_loose, x->p);
  else dls_pack_impulses(rows, b->loose, b->n_loose, x->p);
  for (int k = 0; k < x->n_bodies; k++) {
    double *u = rows->u + (size_t)x->body[k] * NU;
    if (back) memcpy(u, x->u + k * NU, NU * sizeof(double));
    else memcpy(x->u + k * NU, u, NU * sizeof(double));
  }
  double *numbers = x->u + NU * x->n_bodies;
  if (back) memcpy(b->x, numbers, (size_t)b->n_x * sizeof *b->x);
  else memcpy(numbers, b->x, (size_t)b->n_x * sizeof *b->x);
}

static dls_status sweep_bound(dls_rows *rows, bounds *b, double limit, int most, dls_arena *tmp, int *iterations,
                              bool *converged) {
  push_loose_rows(rows, b);
  *converged = loose_hold(rows, b, limit);
  if (*converged || most < 1) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  loose x;
  dls_status status = loosen_bound(rows, b, tmp, &x);
  if (status != DLS_OK) return status;
  pace rate = {.haste = b->n_loose < TINY ? 0 : MOMENTUM};
  double quiet = 2 * QUIET * limit;
  int done = 1;
  for (;; done++) {
    double change = 0;
    dls_pack_impulses(rows, b->loose, b->n_loose, x.was);
    for (int k = 0; k < b->n_loose; k++)
      change = dls_max(change, visit_bound(rows, &rows->block[b->loose[k]], &b->on[k],
                                           b->W + (size_t)k * NB * NB, b->x));
    const bool stopped = dls_given_up(rows, b->n_loose, 4);
    if (change <= quiet || done == most || stopped) {
      quiet *= QUIETER;
      push_loose_rows(rows, b);
      *converged = loose_hold(rows, b, limit);
      if (*converged || done == most || stopped) break;
    }
    copy_state(rows, b, &x, false);
    const double t = stride(&rate, x.lanes->fine.change(x.n_p, x.p, x.was, x.p_old, x.f));
    x.lanes->fine.mix(x.n_p, t, x.p, x.p_old, NULL);
    x.lanes->fine.mix(x.n_u, t, x.u, x.u_old, NULL);
    if (t != 0) copy_state(rows, b, &x, true);
  }
  dls_note_iterations(done, iterations);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

#include "core/rows/bound_finish.inl"

/* --- held impulses ----------------------------------------------------------------------------------- */

/* u and x from all impulses; the white numbers have no part in it. */
static void push_bound(dls_rows *rows, bounds *b) {
  const knot *x = &b->knot;
  rest_bodies(rows, x);
  memset(b->x, 0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    reach tree = x->on[k];
    while (tree.n > 0 && tree.at[tree.n - 1] >= x->n_x) tree.n--;
    dls_push_block(rows, block);
    push_reach(rows, block, &tree, b->x);
  }
}

/* The held impulses that the loose ones ask for, set right once by what is left, if that is more
** than `enough`. Answers what is left then, m/s. */
static double pull_held(dls_rows *rows, bounds *b, double enough) {
  const knot *x = &b->knot;
  double *t = b->x_0; /* of no more use: white numbers are as many */
  for (int k = 0; k < x->n_held; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    memset(rows->p + block->row, 0, (size_t)block->n * sizeof *rows->p);
  }
  double left = 0;
  push_bound(rows, b);
  for (int turn = 0; turn < 3 && x->n_held > 0; turn++) {
    left = held_pull(rows, b, b->r);
    if (turn == 2 || (turn > 0 && left <= enough)) break;
    hold_forward(rows, x, &b->hold, b->r, t);
    hold_backward(rows, x, &b->hold, t, b->t);
    for (int k = 0; k < b->hold.n; k++) {
      const dls_block *block = &rows->block[x->block[b->hold.which[k]]];
      for (int i = 0; i < block->n; i++) rows->p[block->row + i] -= b->t[k * NB + i];
    }
    push_bound(rows, b);
  }
  return left;
}

/* The largest residual, from u and all impulses. */
static double bound_residual(const dls_rows *rows, const bounds *b) {
  const knot *x = &b->knot;
  double worst = 0;
  for (int k = 0; k < x->n; k++) {
    const dls_block *block = &rows->block[x->block[k]];
    double v[NB];
    reach tree = x->on[k];
    while (tree.n > 0 && tree.at[tree.n - 1] >= x->n_x) tree.n--;
    for (int i = 0; i < block->n; i++) v[i] = row_speed(rows, block, block->row + i, rows->u);
    read_numbers(block->n, &tree, b->x, v);
    const double r = dls_residual_block(rows, block, v);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

static bool is_bound_island(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++)
    if (rows->block[blocks[k]].kind == DLS_ROW_BILATERAL || dls_touches_tree(rows, &rows->block[blocks[k]]))
      return true;
  return false;
}

/* Sweeps before a method of lcp/cone.h has its turn: to rough tolerances, to fine ones. */
enum { BOUND_SWEEPS = 300, BOUND_FEW = 60 };
static const double BOUND_FINE = 1e-7;
static const double ROUND_OFF = 1e-15, ENOUGH = 1e-13; /* of a solve; of a turn among several */

/* Solves such an island; false: it missed its tolerance. */
static dls_status solve_bound(dls_rows *rows, const int *blocks, int n, bool small, double tolerance, double scale,
                              dls_budget *budget, dls_arena *tmp, int *iterations, bool *converged) {
  const size_t mark = dls_arena_mark(tmp);
  bounds b;
  dls_status status = bind_island(rows, blocks, n, tmp, &b);
  const int sweeps =
      dls_budget_times(budget, 1, 1, small ? FIRST_SWEEPS : tolerance < BOUND_FINE ? BOUND_FEW : BOUND_SWEEPS);
  int swept = 0;
  *converged = true;
  if (status == DLS_OK && b.n_loose > 0)
    status = sweep_bound(rows, &b, 0.8 * tolerance * scale, sweeps, tmp, &swept, converged);
  dls_note_iterations(swept, iterations);
  dls_budget_pay(budget, swept);
  if (status == DLS_OK && !*converged && dls_budget_times(budget, 0.5, 1, 1) > 0) {
    dls_cone_report done;
    status = finish_bound(rows, &b, dls_cone_method_find("auto"), 0.8 * tolerance, scale, budget, tmp, &done);
    if (status == DLS_OK) dls_note_iterations(done.iterations, iterations);
  }
  if (status == DLS_OK) {
    (void)pull_held(rows, &b, ROUND_OFF * scale);
    *converged = bound_residual(rows, &b) <= tolerance * scale;
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* All blocks of the rows, which are bilateral, at once, from p = 0: nothing but J, MJ, s and gamma is looked
** at. *left: what is left of v + s, m/s. */
static dls_status solve_held_rows(dls_rows *rows, double scale, dls_arena *tmp, double *left) {
  const size_t mark = dls_arena_mark(tmp);
  int *blocks = DLS_TAKE(tmp, int, rows->n_blocks);
  if (!blocks) return dls_want(rows, tmp, 0);
  for (int k = 0; k < rows->n_blocks; k++) blocks[k] = k;
  bounds b;
  dls_status status = eliminate(rows, blocks, rows->n_blocks, tmp, &b);
  if (status == DLS_OK) {
    rest_ends(rows, &b.knot);
    *left = pull_held(rows, &b, ENOUGH * scale);
  }
  dls_arena_release(tmp, mark);
  return status;
}

/* What is left of the W of loose rows where those that are held hold. */
static dls_status own_gives(dls_rows *rows, dls_arena *tmp, double *give) {
  const size_t mark = dls_arena_mark(tmp);
  int *blocks = DLS_TAKE(tmp, int, rows->n_blocks);
  if (!blocks) return dls_want(rows, tmp, 0);
  for (int k = 0; k < rows->n_blocks; k++) blocks[k] = k;
  bounds b;
  dls_status status = bind_island(rows, blocks, rows->n_blocks, tmp, &b);
  for (int k = 0; status == DLS_OK && k < b.n_loose; k++) {
    const dls_block *block = &rows->block[b.loose[k]];
    for (int i = 0; i < block->n; i++) give[block->row + i] = b.W[(size_t)k * NB * NB + (size_t)(i * NB + i)];
  }
  dls_arena_release(tmp, mark);
  return status;
}
