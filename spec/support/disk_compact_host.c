/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/disks/compact.h"
#include "core/disks/disks.h"
#include "core/rows/impulses.h"
#include "core/ladder/ladder.h"
#include "core/rows/residual.h"
#include "core/ladder/sweeps.h"

/* Compact blocks (contact.h) beside the same ones written out: heaps of disks between walls, some contacts without
** friction, and a few disks apart, two and two. Velocities, scale and residual are the same but for rounding; solved
** alike to a rough and to a fine tolerance, each by whatever way takes it, the impulses keep Coulomb's law, which is
** written out here. Prints what is wrong, and "ok" at the end. */

static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 200, COLUMNS = 13, LAYERS = 10, PAIRS = 4, HEAP = COLUMNS * LAYERS + 1, BODIES = HEAP + 2 * PAIRS };
enum { MOST = 4 * BODIES };

/* A contact of bodies a and b (0: the walls) with the normal (x, y) towards b. */
static void touch(dls_rows *rows, int a, int b, double x, double y) {
  const int k = rows->n_blocks++, row = rows->n_rows;
  const double mu = uniform() < 0.1 ? 0 : 0.6 * uniform(), r_a = 0.1 + within(0.02), r_b = 0.1 + within(0.02);
  dls_block *block = &rows->block[k];
  *block = (dls_block){.kind = mu > 0 ? DLS_ROW_CONE : DLS_ROW_UNILATERAL, .a = a, .b = b, .row = row,
                       .n = mu > 0 ? 2 : 1, .mu = {mu, 0, 0}};
  const double J[2][6] = {{-x, -y, 0, x, y, 0}, {-y, x, r_a, y, -x, r_b}};
  for (int i = 0; i < block->n; i++) {
    rows->s[row + i] = uniform() < 0.2 ? 0.02 * (i == 0 ? uniform() : within(1)) : 0;
    rows->p[row + i] = i == 0 ? 0.02 * uniform() : mu * rows->p[row] * within(1);
  }
  rows->n_rows += block->n;
  if (a > 0 && mu > 0) {
    dls_disk_contact *c = &dls_disk_contacts(rows)[k];
    *c = (dls_disk_contact){.nx = x, .ny = y, .turn_a = r_a, .turn_b = r_b, .mu = mu, .a = a, .b = b};
    block->compact = block->special =
        dls_disk_weigh(c, rows->inv_mass[a], rows->inv_mass[b], rows->inv_inertia[a], rows->inv_inertia[b]);
    dls_note_compact(rows, k, k + 1);
    return;
  }
  for (int i = 0; i < block->n; i++) {
    memcpy(rows->J + 6 * (row + i), J[i], sizeof J[i]);
    rows->gamma[row + i] = 0;
    rows->length[row + i] = 1;
  }
}

static void make_heap(dls_rows *rows, dls_arena *arena, int seed, bool compact) {
  seed_state = (uint64_t)seed * 7919 + 1;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_rows_take(rows, arena, 2, BODIES, MOST, 2 * MOST);
  dls_disks_lend(rows, MOST, arena);
  for (int i = 0; i < BODIES; i++) {
    const double mass = 0.5 + uniform();
    rows->inv_mass[i] = i == 0 ? 0 : 1 / mass;
    rows->inv_inertia[i] = i == 0 ? 0 : 1 / (0.006 * mass);
    for (int k = 0; k < 3; k++) rows->u_free[3 * i + k] = i == 0 ? 0 : within(0.02);
    if (i > 0) rows->u_free[3 * i + 1] -= uniform() < 0.05 ? 0.5 : 0.01;
  }
  for (int l = 0; l < LAYERS; l++)
    for (int c = 0; c < COLUMNS; c++) {
      const int i = 1 + l * COLUMNS + c, shift = l % 2;
      const double slope = 0.5 + within(0.15), rise = sqrt(1 - slope * slope);
      if (l == 0) touch(rows, 0, i, 0, 1);
      if (l > 0 && c + shift > 0) touch(rows, i - COLUMNS - 1 + shift, i, slope, rise);
      if (l > 0 && c + shift < COLUMNS) touch(rows, i - COLUMNS + shift, i, -slope, rise);
      if (c > 0 && uniform() < 0.7) touch(rows, i - 1, i, 1, 0);
      if (c == 0) touch(rows, 0, i, 1, 0);
      if (c == COLUMNS - 1) touch(rows, 0, i, -1, 0);
    }
  for (int k = 0; k < PAIRS; k++) touch(rows, HEAP + 2 * k, HEAP + 2 * k + 1, 0.6, 0.8);
  dls_rows_prepare(rows, compact);
  dls_rows_islands(rows);
}

static int complain(const char *what, int seed, double by) {
  printf("%s: seed %d, %g\n", what, seed, by);
  return 1;
}

/* How far numbers are apart, as a share of the largest. */
static double apart(int n, const double *x, const double *y) {
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    most = dls_max(most, fabs(x[i] - y[i]));
    size = dls_max(size, fabs(x[i]));
  }
  return size > 0 ? most / size : most;
}

/* The most that impulses p miss of Coulomb's law, in m/s; all rows are written out. */
static double law_missed(const dls_rows *rows, const double *p) {
  static double u[3 * BODIES];
  memcpy(u, rows->u_free, sizeof u);
  for (int k = 0; k < rows->n_blocks; k++)
    for (int i = rows->block[k].row; i < rows->block[k].row + rows->block[k].n; i++)
      for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? rows->block[k].a : rows->block[k].b;
        const double *J = rows->J + 6 * i + 3 * side;
        u[3 * body] += rows->inv_mass[body] * J[0] * p[i];
        u[3 * body + 1] += rows->inv_mass[body] * J[1] * p[i];
        u[3 * body + 2] += rows->inv_inertia[body] * J[2] * p[i];
      }
  double worst = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    const double w = rows->inv_mass[block->a] + rows->inv_mass[block->b];
    double v[2] = {0, 0}, z[2] = {0, 0};
    for (int i = 0; i < block->n; i++) {
      v[i] = rows->s[block->row + i];
      for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++)
          v[i] += rows->J[6 * (block->row + i) + 3 * side + j] * u[3 * (side == 0 ? block->a : block->b) + j];
      z[i] = p[block->row + i];
    }
    const double room = block->mu[0] * z[0] - fabs(z[1]);
    worst = dls_max(worst, dls_max(-z[0] * w, dls_max(-v[0], -room * w)));      /* admissible           */
    worst = dls_max(worst, dls_min(z[0] * w, v[0]));                            /* one of the two is 0   */
    if (block->n == 1) continue;
    worst = dls_max(worst, dls_min(room * w, fabs(v[1])));                      /* slides at the bound   */
    worst = dls_max(worst, dls_min(fabs(z[1]) * w, z[1] > 0 ? v[1] : -v[1])); /* and against it    */
  }
  return worst;
}

/* All that is said of the impulses at hand. */
static int compare(dls_rows *compact, dls_rows *whole, int seed) {
  const double r = dls_rows_residual(compact), q = dls_rows_residual(whole), noise = 1e-13 * dls_rows_scale(whole);
  if (!(fabs(r - q) <= noise)) return complain("another residual", seed, r - q);
  if (!(apart(3 * BODIES, whole->u, compact->u) <= 1e-13)) return complain("other velocities", seed, 0);
  if (!(apart(whole->n_rows, whole->v, compact->v) <= 1e-12)) return complain("other velocities of rows", seed, 0);
  if (!(fabs(dls_rows_scale(compact) / dls_rows_scale(whole) - 1) <= 1e-14)) return complain("another scale", seed, 0);
  double worst = 0, own = 0;
  for (int k = 0; k < compact->n_blocks; k++) own = dls_max(own, dls_rows_residual_of(compact, &k, 1));
  worst = dls_rows_residual_of(whole, whole->island_block, whole->n_blocks);
  return fabs(own - worst) <= noise ? 0 : complain("other residuals one by one", seed, own - worst);
}

int main(void) {
  const size_t size = (size_t)64 << 20;
  char *memory = malloc(4 * size);
  static const double tolerances[] = {1e-3, 1e-5};
  int swept = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    dls_arena arena = dls_arena_over(memory, size), other = dls_arena_over(memory + size, size);
    dls_arena tmp = dls_arena_over(memory + 2 * size, size);
    dls_rows compact, whole;
    make_heap(&compact, &arena, seed, true);
    make_heap(&whole, &other, seed, false);
    if (compact.n_compact < 10 || whole.n_compact != 0) return complain("no compact blocks", seed, compact.n_compact);
    if (compare(&compact, &whole, seed)) return 1;
    for (int t = 0; t < 2; t++) {
      dls_solve_report report;
      dls_solve_opts opts = {.method = DLS_SOLVE_AUTO, .tolerance = tolerances[t], .max_iterations = 12000};
      tmp.used = 0;
      if (dls_rows_solve(&compact, &opts, &tmp, &report) != DLS_OK) return complain("not solved", seed, tolerances[t]);
      const double missed = law_missed(&whole, compact.p) / (tolerances[t] * report.scale);
      if (report.unconverged > 0 || !(report.residual <= tolerances[t])) return complain("unconverged", seed, report.residual);
      if (!(missed <= 4)) return complain("Coulomb's law is missed", seed, missed);
      memcpy(whole.p, compact.p, (size_t)compact.n_rows * sizeof *compact.p);
      if (compare(&compact, &whole, seed)) return 1;
      if (t == 0 && report.iterations >= DLS_SPECIAL_SWEEPS) return complain("the lanes left it to others", seed, report.iterations);
      swept += t == 0 && report.iterations > 0;
    }
  }
  if (swept < SEEDS) return complain("hardly any were swept", 0, swept);
  puts("ok");
  free(memory);
  return 0;
}
