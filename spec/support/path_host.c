/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/disks/disks.h"
#include "core/rows/impulses.h"
#include "core/ladder/path.h"
#include "core/ladder/path_states.h"
#include "core/rows/residual.h"
#include "core/rows/special.h"
#include "core/ladder/sweeps.h"

/* Islands of planar contacts on the path of exact solutions (ladder/path.h). Random heaps of
** bodies between three walls: the answer is held against Coulomb's law written out here, by
** the impulses alone; a direction through many changes of state is that of a factor made anew,
** and solves its equations. The same where some contacts share numbers beside bodies, as those on
** trees do, among rows of bounded impulse. Prints what is wrong, and "ok" at the end. */

static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

/* how often a contact of a heap has rolling friction */
static double rolling_share;

/* how often one without shares numbers beside bodies, and half as often is a row of bounded
** impulse */
static double sharing_share;

enum { NUMBERS = 7, EACH = 3 }; /* that are shared; of one contact's support */

enum { SEEDS = 200, COLUMNS = 9, LAYERS = 9, BODIES = COLUMNS * LAYERS + 1, MOST = 4 * BODIES };

#define GYRATION 0.077 /* m, of the bodies */

/* Supports by block, n = 0 where there is none, as where there are several islands; what the numbers are without impulses. */
static dls_support support[MOST];
static int support_at[MOST][EACH];
static double support_z[MOST][3 * EACH], x_0[NUMBERS];

static void share(const dls_rows *rows, int k) {
  const int n = rows->block[k].n, first = (int)(uniform() * (NUMBERS - 2 * EACH + 2));
  support[k] = (dls_support){0, support_at[k], support_z[k], support_z[k]};
  if (rows->n_islands > 1 || !(uniform() < sharing_share)) return;
  support[k].n = EACH;
  for (int l = 0; l < EACH; l++) {
    support_at[k][l] = first + 2 * l;
    for (int i = 0; i < n; i++) support_z[k][n * l + i] = within(i == 2 ? 3 : 0.6);
  }
}

/* The supports of an island's blocks. */
static const dls_support *shared_by(const int *blocks, int n) {
  static dls_support on[MOST];
  for (int k = 0; k < n; k++) on[k] = support[blocks[k]];
  return sharing_share > 0 ? on : NULL;
}

/* A contact of bodies a and b (0: the walls) with the normal (x, y) towards b. */
static void touch(dls_rows *rows, int a, int b, double x, double y, bool edges) {
  dls_block *block = &rows->block[rows->n_blocks++];
  const double mu = uniform() < 0.1 ? 0 : 0.6 * uniform(), r_a = 0.1, r_b = 0.1;
  const bool rolls = rolling_share > 0 && uniform() < rolling_share;
  const double arm = !rolls ? 0 : uniform() < 0.5 ? 0.002 * uniform() : 0.05 * uniform();
  *block = (dls_block){.kind = rolls    ? DLS_ROW_ROLLING
                               : mu > 0 ? DLS_ROW_CONE
                                        : DLS_ROW_UNILATERAL,
                       .a = a,
                       .b = b,
                       .row = rows->n_rows,
                       .n = rolls ? 3 : mu > 0 ? 2 : 1,
                       .mu = {mu, arm, 0}};
  const double off_a = edges ? within(0.05) : 0, off_b = edges ? within(0.05) : 0;
  const double J[3][6] = {
      {-x, -y, -off_a, x, y, off_b}, {-y, x, r_a, y, -x, r_b}, {0, 0, -1, 0, 0, 1}};
  const bool bounded = sharing_share > 0 && uniform() < sharing_share / 2;
  if (bounded) {
    block->kind = DLS_ROW_BOX;
    block->n = 1;
    block->hi = 0.02 * uniform();
    block->lo = -block->hi;
  }
  for (int i = 0; i < block->n; i++, rows->n_rows++) {
    memcpy(rows->J + 6 * rows->n_rows, J[i + bounded], sizeof J[i]);
    rows->s[rows->n_rows] = i == 0 && uniform() < 0.2 ? 0.02 * uniform() : 0;
    rows->gamma[rows->n_rows] = 0;
    rows->length[rows->n_rows] = i == 2 ? GYRATION : 1;
    rows->p[rows->n_rows] = 0;
  }
}

typedef struct heap_size { int columns, layers; } heap_size;
static const heap_size LARGE = {COLUMNS, LAYERS};

/* 2 to 40 bodies. */
static heap_size small_size(int seed) { return (heap_size){2 + seed % 4, 1 + seed / 4 % 8}; }

/* A heap on a floor, half of them of disks alone, struck here and there. */
static void make_heap(dls_rows *rows, dls_arena *arena, int seed, heap_size size) {
  seed_state = (uint64_t)seed * 7919 + 1;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_rows_take(rows, arena, 2, BODIES, MOST, 3 * MOST);
  dls_disks_lend(rows, MOST, arena);
  const bool edges = seed % 2 == 1;
  for (int i = 0; i < BODIES; i++) {
    const double mass = i == 0 ? 0 : 0.5 + uniform();
    rows->inv_mass[i] = i == 0 ? 0 : 1 / mass;
    rows->inv_inertia[i] = i == 0 ? 0 : 1 / (0.006 * mass);
    for (int k = 0; k < 3; k++) rows->u_free[3 * i + k] = i == 0 ? 0 : within(0.02);
    if (i > 0) rows->u_free[3 * i + 1] -= uniform() < 0.05 ? 0.5 : 0.01;
  }
  const int columns = size.columns;
  for (int l = 0; l < size.layers; l++)
    for (int c = 0; c < columns; c++) {
      const int i = 1 + l * columns + c, shift = l % 2;
      const double tilt = within(0.15), slope = 0.5 + tilt, rise = sqrt(1 - slope * slope);
      if (l == 0) touch(rows, 0, i, 0, 1, edges);
      if (l > 0 && c + shift > 0) touch(rows, i - columns - 1 + shift, i, slope, rise, edges);
      if (l > 0 && c + shift < columns) touch(rows, i - columns + shift, i, -slope, rise, edges);
      if (c > 0 && uniform() < 0.7) touch(rows, i - 1, i, 1, 0, edges);
      if (c == 0) touch(rows, 0, i, 1, 0, edges);
      if (c == columns - 1) touch(rows, 0, i, -1, 0, edges);
    }
  memcpy(rows->u, rows->u_free, 3 * BODIES * sizeof(double));
  dls_rows_prepare(rows, true);
  dls_rows_islands(rows);
  for (int l = 0; l < NUMBERS; l++) x_0[l] = within(0.02);
  for (int k = 0; sharing_share > 0 && k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    double own[9] = {0};
    share(rows, k);
    dls_couple_supports(&support[k], block->n, &support[k], block->n, block->n, own);
    for (int i = 0; i < block->n; i++)
      for (int j = 0; j < block->n && support[k].n > 0; j++)
        rows->W[3 * (block->row + i) + j] += own[i * block->n + j];
  }
}

/* What a row's impulse z and velocity v miss of friction with the bound, w being the contact's. */
static double friction_missed(double bound, double z, double v, double w) {
  const double room = bound - fabs(z);
  const double worst = dls_max(-room * w, dls_min(room * w, fabs(v))); /* moves at the bound */
  return dls_max(worst, dls_min(fabs(z) * w, z > 0 ? v : -v));         /* and against it */
}

/* The most that the impulses miss of Coulomb's law and of rolling friction, in m/s; impulses count
** by the contact's own W, turns by the bodies' radius of gyration. */
static double law_missed(const dls_rows *rows) {
  static double u[3 * BODIES], x[NUMBERS];
  memcpy(u, rows->u_free, sizeof u);
  memcpy(x, x_0, sizeof x);
  for (int k = 0; sharing_share > 0 && k < rows->n_blocks; k++)
    for (int l = 0; l < support[k].n; l++)
      for (int i = 0; i < rows->block[k].n; i++)
        x[support[k].at[l]] +=
            support[k].y[rows->block[k].n * l + i] * rows->p[rows->block[k].row + i];
  for (int k = 0; k < rows->n_blocks; k++)
    for (int i = rows->block[k].row; i < rows->block[k].row + rows->block[k].n; i++)
      for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? rows->block[k].a : rows->block[k].b;
        const double *J = rows->J + 6 * i + 3 * side;
        u[3 * body] += rows->inv_mass[body] * J[0] * rows->p[i];
        u[3 * body + 1] += rows->inv_mass[body] * J[1] * rows->p[i];
        u[3 * body + 2] += rows->inv_inertia[body] * J[2] * rows->p[i];
      }
  double worst = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    double v[3] = {0, 0, 0}, z[3] = {0, 0, 0};
    const double w = rows->W[block->row * 3];
    for (int i = 0; i < block->n; i++) {
      v[i] = rows->s[block->row + i];
      for (int l = 0; sharing_share > 0 && l < support[k].n; l++)
        v[i] += support[k].z[block->n * l + i] * x[support[k].at[l]];
      for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++)
          v[i] += rows->J[6 * (block->row + i) + 3 * side + j] *
                  u[3 * (side == 0 ? block->a : block->b) + j];
      z[i] = rows->p[block->row + i];
    }
    if (block->kind == DLS_ROW_BOX) {
      worst = dls_max(worst, friction_missed(block->hi, z[0], v[0], w));
      continue;
    }
    worst = dls_max(worst, dls_max(-z[0] * w, -v[0])); /* admissible */
    worst = dls_max(worst, dls_min(z[0] * w, v[0]));   /* one of the two is 0 */
    if (block->n > 1)
      worst = dls_max(worst, friction_missed(block->mu[0] * z[0], z[1], v[1], w));
    if (block->n > 2)
      worst = dls_max(worst, friction_missed(block->mu[1] * z[0] / GYRATION, z[2] / GYRATION,
                                             v[2] * GYRATION, w));
  }
  return worst;
}

static int complain(const char *what, int seed, double by) {
  printf("%s: seed %d, %g\n", what, seed, by);
  return 1;
}

/* Random changes of state one by one: the direction beside that of a factor made anew, and z
** and v along it. */
static int test_changes(dls_rows *rows, int seed, dls_arena *tmp) {
  const int *blocks = rows->island_block;
  const int n = rows->island_start[1];
  static double y[DLS_GRAPH_ROW * BODIES + 2 * MOST];
  const dls_island island = {.rows = rows,
                             .blocks = blocks,
                             .n = n,
                             .on = shared_by(blocks, n),
                             .x_0 = x_0,
                             .tmp = tmp};
  dls_state_path P;
  int own = 0;
  bool converged;
  if (dls_sweep_first(rows, blocks, n, 1e-7, 60, false, tmp, &own, &converged) != DLS_OK)
    return complain("sweeps", seed, 0);
  if (dls_path_take(&island, &P) != DLS_OK) return complain("no room", seed, 0);
  P.pull = 1e-3;
  dls_path_fit_all(rows, blocks, &P);
  dls_path_aim(&P, false);
  for (int k = 0; k < 30; k++) {
    const int c = (int)(uniform() * P.of.n), turn = P.of.contact[c].turn;
    const dls_path_state now = P.own[c].state,
                         slides = uniform() < 0.5 ? DLS_PATH_SLIDE_UP : DLS_PATH_SLIDE_DOWN;
    const bool rubs = P.of.contact[c].mu > 0, rolling = c >= n || P.of.contact[c].bounded;
    if (rolling) { /* its contact opens, and not while it sticks */
      if (now != DLS_PATH_OPEN) dls_path_enter(&P, c, now == DLS_PATH_STICK ? slides : DLS_PATH_STICK);
      continue;
    }
    if (turn >= 0 && P.own[turn].state == DLS_PATH_STICK) dls_path_enter(&P, turn, slides);
    if (!rubs) dls_path_enter(&P, c, now == DLS_PATH_OPEN ? DLS_PATH_PRESSED : DLS_PATH_OPEN);
    else if (now == DLS_PATH_OPEN || now == DLS_PATH_STICK) dls_path_enter(&P, c, slides);
    else dls_path_enter(&P, c, uniform() < 0.5 ? DLS_PATH_OPEN : DLS_PATH_STICK);
  }
  memcpy(y, P.of.y, sizeof(double) * (size_t)P.of.size);
  const double kept = P.n_changes;
  dls_path_factor(&P);
  double apart = 0, size = 0;
  for (int i = 0; i < P.of.size; i++) {
    apart = dls_max(apart, fabs(y[i] - P.of.y[i]));
    size = dls_max(size, fabs(P.of.y[i]));
  }
  if (kept == 0) return complain("no change was kept", seed, kept);
  if (!(apart <= 1e-6 * size))
    return complain("changes part from a new factor", seed, apart / size);
  dls_path_share_lanes(&P);
  (void)P.wide->direct(P.n_groups, P.group, P.of.y, 1, 1);
  for (int k = 0; k < P.of.n; k++) {
    const dls_contact_2 *c = &P.of.contact[k];
    const dls_path_group *g = &P.group[k / DLS_PATH_LANES];
    const int l = k % DLS_PATH_LANES;
    const dls_path_state s = P.own[k].state;
    const double still =
        c->bounded           ? fabs(g->dz_n[l])
        : s == DLS_PATH_OPEN ? fabs(g->dz_n[l]) + fabs(g->dz_t[l])
                             : fabs(g->dv_n[l]) / c->norm[0];
    const double along = s == DLS_PATH_STICK
                             ? fabs(g->dv_t[l]) / c->norm[1]
                             : fabs(g->dz_t[l] - dls_path_share(c, s) * g->dz_n[l]);
    if (s != DLS_PATH_OPEN && !(still + along <= 1e-6 * size))
      return complain("a direction leaves its state", seed, still + along);
    if (s == DLS_PATH_OPEN && still != 0)
      return complain("an open contact is pressed", seed, still);
  }
  return 0;
}

/* The path from where a heap stands: Coulomb's law, the budget; *solved: where all islands were. */
static int test_path(dls_rows *rows, int seed, double tolerance, dls_arena *tmp, int *solved) {
  const double limit = tolerance * dls_rows_scale(rows), before = law_missed(rows);
  bool all = true;
  for (int i = 0; i < rows->n_islands; i++) {
    const int first = rows->island_start[i], n = rows->island_start[i + 1] - first;
    bool converged = false;
    int own = 0;
    dls_budget budget = dls_budget_of(4000, false, 2, n);
    const int *blocks = rows->island_block + first;
    const dls_island island = {.rows = rows,
                               .blocks = blocks,
                               .n = n,
                               .on = shared_by(blocks, n),
                               .x_0 = x_0,
                               .tmp = tmp};
    const dls_status status = dls_solve_path(&island, limit, &budget, &own, &converged);
    if (status != DLS_OK) return complain("status", seed, status);
    if (!(budget.spent <= 4000 && budget.left + budget.spent >= 4000 - 1e-9))
      return complain("budget", seed, budget.spent);
    all = all && converged;
  }
  *solved += all;
  const double missed = law_missed(rows);
  if (all && !(missed <= 3 * limit))
    return complain("Coulomb's law does not hold", seed, missed / limit);
  if (!(missed <= before)) return complain("worse than the start", seed, missed / limit);
  return 0;
}

/* Sweeps alone, in lanes: the laws, where they came to their end. */
static int test_sweeps(dls_rows *rows, int seed, dls_arena *tmp, int *solved) {
  const double limit = 1e-5 * dls_rows_scale(rows);
  const int *blocks = rows->island_block, n = rows->island_start[1];
  int own = 0;
  bool converged;
  if (!dls_suits_lanes(rows, blocks, n)) return complain("no lanes", seed, n);
  if (dls_sweep_first(rows, blocks, n, limit, 3000, false, tmp, &own, &converged) != DLS_OK)
    return complain("sweeps", seed, 0);
  *solved += converged;
  const double missed = law_missed(rows);
  return converged && !(missed <= 6 * limit) ? complain("sweeps keep no law", seed, missed / limit) : 0;
}

/* Shifts that are off by round-off of gaps over h: where contacts are redundant no one motion has
** them. They agree (path.h) by no more than 1e-7 of the scale, and the law then holds. */
static int test_agreement(int seed, char *memory, size_t size, bool strict, int *solved) {
  dls_arena arena = dls_arena_over(memory, size), tmp = dls_arena_over(memory + size, size);
  static double before[3 * MOST];
  dls_rows rows;
  make_heap(&rows, &arena, seed, (heap_size){6, 2});
  for (int i = 0; i < rows.n_rows; i++) before[i] = rows.s[i] += within(1e-10);
  const double scale = dls_rows_scale(&rows), limit = 1e-11 * scale;
  bool all = true;
  for (int i = 0; i < rows.n_islands; i++) {
    const int *blocks = rows.island_block + rows.island_start[i];
    const dls_island island = {.rows = &rows,
                               .blocks = blocks,
                               .n = rows.island_start[i + 1] - rows.island_start[i],
                               .strict = strict,
                               .scale = scale,
                               .tmp = &tmp};
    dls_budget budget = dls_budget_of(4000, false, 2, island.n);
    bool converged = false;
    int own = 0;
    if (dls_solve_path(&island, limit, &budget, &own, &converged) != DLS_OK)
      return complain("status", seed, 0);
    all = all && converged;
  }
  *solved += all;
  for (int i = 0; i < rows.n_rows; i++)
    if (!(fabs(rows.s[i] - before[i]) * rows.length[i] <= (strict ? 1e-7 * scale : 0)))
      return complain("a shift has changed by too much", seed, rows.s[i] - before[i]);
  const double missed = law_missed(&rows);
  return all && !(missed <= 3 * limit) ? complain("contacts agree on no law", seed, missed) : 0;
}

/* All seeds; rolling, sharing: how often a contact has rolling friction or a support. */
static int test_heaps(double rolling, double sharing, char *memory, size_t size) {
  int wrong = 0, solved = 0, of_small = 0, swept = 0;
  rolling_share = rolling;
  sharing_share = sharing;
  for (int seed = 1; seed <= SEEDS && wrong == 0; seed++) {
    dls_arena arena = dls_arena_over(memory, size), tmp = dls_arena_over(memory + size, size);
    dls_rows rows;
    make_heap(&rows, &arena, seed, LARGE);
    if (rows.n_islands != 1) wrong = complain("islands", seed, rows.n_islands);
    if (wrong) break;
    wrong = test_path(&rows, seed, 1e-6, &tmp, &solved);
    if (wrong) break;
    tmp = dls_arena_over(memory + size, size);
    arena = dls_arena_over(memory, size);
    make_heap(&rows, &arena, seed, LARGE);
    wrong = test_changes(&rows, seed, &tmp);
    if (wrong) break;
    if (seed % 4 == 0 && !(sharing > 0)) wrong = test_sweeps(&rows, seed, &tmp, &swept);
    if (wrong) break;
    tmp = dls_arena_over(memory + size, size);
    arena = dls_arena_over(memory, size);
    make_heap(&rows, &arena, seed, small_size(seed));
    wrong = test_path(&rows, seed, 1e-11, &tmp, &of_small);
  }
  if (!wrong && solved < (rolling + sharing > 0 ? 0.98 * SEEDS : SEEDS))
    wrong = complain("heaps left unsolved", SEEDS - solved, 0);
  if (!wrong && of_small < 0.97 * SEEDS)
    wrong = complain("small heaps left unsolved", SEEDS - of_small, 0);
  if (!wrong && !(sharing > 0) && swept < 0.5 * (SEEDS / 4))
    wrong = complain("heaps not swept", SEEDS / 4 - swept, 0);
  if (getenv("SAY")) printf("solved %d %d, swept %d\n", solved, of_small, swept);
  return wrong;
}

int main(void) {
  const size_t size = (size_t)64 << 20;
  char *memory = malloc(2 * size);
  int wrong = test_heaps(0, 0, memory, size);
  if (!wrong) wrong = test_heaps(0.6, 0, memory, size);
  if (!wrong) wrong = test_heaps(0, 0.2, memory, size);
  if (!wrong) wrong = test_heaps(0.6, 0.2, memory, size);
  rolling_share = sharing_share = 0;
  int alone = 0, agreed = 0;
  for (int seed = 1; seed <= SEEDS && !wrong; seed++) {
    wrong = test_agreement(seed, memory, size, false, &alone);
    if (!wrong) wrong = test_agreement(seed, memory, size, true, &agreed);
  }
  if (!wrong && agreed < 0.99 * SEEDS) /* 186 of 200 where none agree */
    wrong = complain("heaps whose contacts agree left unsolved", SEEDS - agreed, alone);
  if (getenv("SAY")) printf("solved %d, those that agree %d\n", alone, agreed);
  free(memory);
  if (!wrong) puts("ok");
  return wrong;
}
