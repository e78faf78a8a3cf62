/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/ladder/sweeps.h"
#include "core/rows/impulses.h"
#include "core/rows/residual.h"

/* Heaps in space of contacts with and without spinning and rolling friction, swept in lanes: the
** answer is held against the laws written out here, by the impulses alone. Prints what is wrong,
** and "ok" at the end. */
static uint64_t seed_state;
static double uniform(void) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed_state >> 11) * 0x1p-53;
}
static double within(double a) { return a * (2 * uniform() - 1); }

enum { SEEDS = 200, SIDE = 3, LAYERS = 3, BODIES = SIDE * SIDE * LAYERS + 1, MOST = 6 * BODIES };
#define RADIUS 0.1   /* m */
#define GYRATION 0.06 /* m */

static void cross(const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* One row: along d at the arms r_a, r_b, or, without arms, about d. */
static void put_row(dls_rows *rows, const double *d, const double *r_a, const double *r_b, double s,
                    double length) {
  double *J = rows->J + 12 * rows->n_rows;
  memset(J, 0, 12 * sizeof *J);
  if (r_a) {
    double turn_a[3], turn_b[3];
    cross(r_a, d, turn_a);
    cross(r_b, d, turn_b);
    for (int i = 0; i < 3; i++)
      J[i] = -d[i], J[3 + i] = -turn_a[i], J[6 + i] = d[i], J[9 + i] = turn_b[i];
  } else {
    for (int i = 0; i < 3; i++) J[3 + i] = -d[i], J[9 + i] = d[i];
  }
  rows->s[rows->n_rows] = s;
  rows->gamma[rows->n_rows] = 0;
  rows->length[rows->n_rows] = length;
  rows->p[rows->n_rows++] = 0;
}

/* A contact of bodies a and b (0: floor and walls) with a normal near (x, y, z) towards b. */
static void touch(dls_rows *rows, int a, int b, double x, double y, double z) {
  double n[3] = {x + within(0.1), y + within(0.1), z + within(0.1)}, t1[3], t2[3], r_a[3], r_b[3];
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) n[i] /= size;
  const double side[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
  cross(n, side, t1);
  const double width = sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
  for (int i = 0; i < 3; i++) t1[i] /= width;
  cross(n, t1, t2);
  for (int i = 0; i < 3; i++)
    r_a[i] = RADIUS * n[i] + within(0.02), r_b[i] = -RADIUS * n[i] + within(0.02);
  const double mu = uniform() < 0.1 ? 0 : 0.6 * uniform(), kind = uniform();
  const bool turns = kind < 0.7;
  dls_block *block = &rows->block[rows->n_blocks++];
  *block = (dls_block){
      .kind = turns ? DLS_ROW_ROLLING : mu > 0 ? DLS_ROW_CONE : DLS_ROW_UNILATERAL,
      .a = a,
      .b = b,
      .row = rows->n_rows,
      .n = turns ? 6 : mu > 0 ? 3 : 1,
      .mu = {mu, kind < 0.2 ? 0 : 0.02 * uniform(), kind > 0.5 ? 0 : 0.02 * uniform()}};
  put_row(rows, n, r_a, r_b, uniform() < 0.2 ? 0.02 * uniform() : 0, 1);
  if (block->n == 1) return;
  put_row(rows, t1, r_a, r_b, 0, 1);
  put_row(rows, t2, r_a, r_b, 0, 1);
  if (!turns) return;
  put_row(rows, n, NULL, NULL, uniform() < 0.2 ? within(0.1) : 0, GYRATION);
  put_row(rows, t1, NULL, NULL, 0, GYRATION);
  put_row(rows, t2, NULL, NULL, 0, GYRATION);
}

/* A body of mass 0.5 to 1.5 with an inertia that has no axis of the world. */
static void put_body(dls_rows *rows, int i) {
  const double mass = 0.5 + uniform();
  double R[3][3], *I = rows->inv_inertia + 9 * i;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++) R[j][k] = (j == k) + within(0.3);
  rows->inv_mass[i] = i == 0 ? 0 : 1 / mass;
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int l = 0; l < 3; l++) sum += R[j][l] * R[k][l];
      I[3 * j + k] = i == 0 ? 0 : sum / (GYRATION * GYRATION * mass);
    }
  for (int k = 0; k < 6; k++) rows->u_free[6 * i + k] = i == 0 ? 0 : within(k < 3 ? 0.02 : 0.2);
  if (i > 0) rows->u_free[6 * i + 2] -= uniform() < 0.1 ? 0.3 : 0.01;
}

static void make_heap(dls_rows *rows, dls_arena *arena, int seed) {
  seed_state = (uint64_t)seed * 7919 + 1;
  for (int k = 0; k < 8; k++) (void)uniform();
  dls_rows_take(rows, arena, 3, BODIES, MOST, 6 * MOST);
  for (int i = 0; i < BODIES; i++) put_body(rows, i);
  for (int i = 1; i < BODIES; i++) {
    const int x = (i - 1) % SIDE, y = (i - 1) / SIDE % SIDE, z = (i - 1) / SIDE / SIDE;
    if (z == 0) touch(rows, 0, i, 0, 0, 1);
    else touch(rows, i - SIDE * SIDE, i, 0, 0, 1);
    if (x == 0) touch(rows, 0, i, 1, 0, 0);
    else touch(rows, i - 1, i, 1, 0, 0);
    if (x == SIDE - 1 && uniform() < 0.5) touch(rows, 0, i, -1, 0, 0);
    if (y > 0) touch(rows, i - SIDE, i, 0, 1, 0);
  }
  memcpy(rows->u, rows->u_free, 6 * BODIES * sizeof(double));
  dls_rows_prepare(rows, true);
  dls_rows_islands(rows);
}

/* What the impulse z and the velocity v of n rows miss of friction with the bound; w: of rows. */
static double friction_missed(int n, double bound, const double *z, const double *v, double w) {
  double size = 0, speed = 0, along = 0;
  for (int i = 0; i < n; i++) size += z[i] * z[i], speed += v[i] * v[i], along += z[i] * v[i];
  size = sqrt(size), speed = sqrt(speed);
  const double room = bound - size, against = size > 0 ? (size * speed + along) / size : 0;
  /* moves at the bound alone, and against it */
  return dls_max(-room * w, dls_max(dls_min(room * w, speed), dls_min(size * w, against)));
}

/* The most that the impulses miss of their laws, in m/s; turns count by the radius of gyration. */
static double law_missed(const dls_rows *rows) {
  static double u[6 * BODIES];
  memcpy(u, rows->u_free, sizeof u);
  for (int k = 0; k < rows->n_blocks; k++)
    for (int i = rows->block[k].row; i < rows->block[k].row + rows->block[k].n; i++)
      for (int side = 0; side < 2; side++) {
        const int body = side == 0 ? rows->block[k].a : rows->block[k].b;
        const double *J = rows->J + 12 * i + 6 * side, *I = rows->inv_inertia + 9 * body;
        for (int j = 0; j < 3; j++) {
          u[6 * body + j] += rows->inv_mass[body] * J[j] * rows->p[i];
          for (int l = 0; l < 3; l++) u[6 * body + 3 + j] += I[3 * j + l] * J[3 + l] * rows->p[i];
        }
      }
  double worst = 0;
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    double v[6] = {0}, z[6] = {0};
    const double w = rows->W[block->row * 6];
    for (int i = 0; i < block->n; i++) {
      const int row = block->row + i;
      v[i] = rows->s[row];
      for (int j = 0; j < 6; j++)
        v[i] += rows->J[12 * row + j] * u[6 * block->a + j] +
                rows->J[12 * row + 6 + j] * u[6 * block->b + j];
      z[i] = rows->p[row];
      if (i > 2) v[i] *= GYRATION, z[i] /= GYRATION;
    }
    worst = dls_max(worst, dls_max(-z[0] * w, dls_max(-v[0], dls_min(z[0] * w, v[0]))));
    if (block->n > 1)
      worst = dls_max(worst, friction_missed(2, block->mu[0] * z[0], z + 1, v + 1, w));
    if (block->n < 6) continue;
    worst = dls_max(worst, friction_missed(1, block->mu[1] * z[0] / GYRATION, z + 3, v + 3, w));
    worst = dls_max(worst, friction_missed(2, block->mu[2] * z[0] / GYRATION, z + 4, v + 4, w));
  }
  return worst;
}

static int complain(const char *what, int seed, double by) {
  printf("%s: seed %d, %g\n", what, seed, by);
  return 1;
}

/* One heap to a tolerance; *solved: whether it was. */
static int test_heap(int seed, char *memory, size_t size, int *solved) {
  dls_arena arena = dls_arena_over(memory, size), tmp = dls_arena_over(memory + size, size);
  dls_rows rows;
  make_heap(&rows, &arena, seed);
  if (rows.n_islands != 1) return complain("islands", seed, rows.n_islands);
  const int *blocks = rows.island_block, n = rows.island_start[1];
  if (!dls_suits_lanes(&rows, blocks, n)) return complain("no lanes", seed, n);
  const double limit = (seed % 2 == 0 ? 1e-9 : 1e-4) * dls_rows_scale(&rows);
  bool converged;
  int own = 0;
  const dls_status status = dls_sweep_island(&rows, blocks, n, limit, 20000, INT32_MAX, false, true,
                                             &tmp, &own, &converged);
  if (status != DLS_OK) return complain("status", seed, status);
  *solved += converged;
  const double missed = law_missed(&rows);
  if (converged && !(missed <= 6 * limit)) return complain("the laws do not hold", seed, missed / limit);
  return 0;
}

int main(void) {
  const size_t size = (size_t)32 << 20;
  char *memory = malloc(2 * size);
  int wrong = 0, solved = 0;
  for (int seed = 1; seed <= SEEDS && !wrong; seed++) wrong = test_heap(seed, memory, size, &solved);
  if (!wrong && solved < 0.98 * SEEDS) wrong = complain("heaps left unsolved", SEEDS - solved, 0);
  if (getenv("SAY")) printf("solved %d\n", solved);
  free(memory);
  if (!wrong) puts("ok");
  return wrong;
}
