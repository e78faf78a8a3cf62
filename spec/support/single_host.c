/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "core/lcp/lcp.h"
#include "core/lcp/residual.h"
#include "core/structure/single.h"

/* Structures at one load (structure/single.h), of 200 random laws of one size, definite or nearly
** free to move: solves in a room that is kept have the bits of solves in a new one, what they find
** solves LCP(M, q + p d), and after the first rounds they ask for no memory. So have paths to any
** load, with the ray at their end. Prints what is wrong, and "ok" at the end. */

enum { SEEDS = 200, MOST = 9 };

static long requests;
static void *counted(void *ud, void *ptr, size_t old_size, size_t new_size) {
  (void)ud, (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  requests++;
  return realloc(ptr, new_size);
}

static uint64_t seed_state;
static double within(double a) {
  seed_state = seed_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return a * (2 * (double)(seed_state >> 11) * 0x1p-53 - 1);
}

/* M = B'B, of rank n - 1 in every third problem, with a part that is not symmetric. */
static void make(int n, int seed, double *M, double *q, double *d) {
  double B[MOST * MOST];
  seed_state = (uint64_t)seed;
  for (int i = 0; i < n * n; i++) B[i] = within(1);
  for (int i = 0; i < n; i++) {
    q[i] = within(1), d[i] = within(1);
    for (int j = 0; j < n; j++) {
      M[i * n + j] = i == j ? 0 : within(0.1);
      for (int k = seed % 3 == 0; k < n; k++) M[i * n + j] += B[k * n + i] * B[k * n + j];
    }
  }
}

static int solve(int n, int seed, dls_single_room *room, double *z, dls_single *answer) {
  double M[MOST * MOST], q[MOST], d[MOST], zero[MOST] = {0};
  const dls_law law = {.alloc = {counted, NULL}, .n = n, .M = M, .q = q, .d = d, .margin = zero,
                       .round_off = {zero, zero}};
  make(n, seed, M, q, d);
  const double p = within(2);
  if (dls_single_solve(&law, p, NULL, room, z, answer) != DLS_OK) return 1;
  if (answer->end != DLS_SINGLE_SOLVED) return 0;
  double w[MOST], natural;
  for (int i = 0; i < n; i++) q[i] += p * d[i];
  const dls_lcp problem = {.n = n, .M = M, .q = q};
  return !(dls_lcp_residual(&problem, z, w, &natural) <= 1e-9);
}

/* Whether a path to any load is another one in the arrays of `kept` than in its own. */
static bool paths_differ(int n, int seed, dls_path *kept) {
  static char memory[1 << 16];
  const dls_alloc alloc = {counted, NULL};
  double M[MOST * MOST], q[MOST], d[MOST];
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  dls_path own = {0};
  make(n, seed, M, q, d);
  const dls_path_problem load = {.n = n, .M = M, .q = q, .d = d, .to = DLS_INF};
  bool differ = dls_path_follow(&load, &alloc, &tmp, kept) != DLS_OK ||
                dls_path_follow(&load, &alloc, &tmp, &own) != DLS_OK;
  const size_t states = (size_t)own.n_states, size = (size_t)n * sizeof *own.z;
  differ = differ || kept->n_states != own.n_states || kept->end != own.end ||
           kept->p_limit != own.p_limit || kept->residual != own.residual ||
           kept->pivots != own.pivots || memcmp(kept->ray, own.ray, size) != 0 ||
           (states > 0 && (memcmp(kept->p, own.p, states * sizeof *own.p) != 0 ||
                           memcmp(kept->z, own.z, states * size) != 0));
  dls_path_destroy(&own);
  return differ;
}

int main(void) {
  static const int sizes[] = {1, 4, MOST};
  int solved = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    dls_single_room kept = {0};
    dls_path path = {0};
    const int n = sizes[s];
    for (int round = 0; round < 2; round++)
      for (int seed = 1; seed <= SEEDS; seed++) {
        double z[MOST], again[MOST];
        dls_single answer, other;
        const long before = requests;
        if (solve(n, seed, &kept, z, &answer)) printf("size %d, seed %d: no solution\n", n, seed);
        if (round == 1 && requests != before) printf("size %d, seed %d: asks\n", n, seed);
        solved += answer.end == DLS_SINGLE_SOLVED;
        if (paths_differ(n, seed, &path)) printf("size %d, seed %d: another path\n", n, seed);
        dls_single_room own = {0};
        (void)solve(n, seed, &own, again, &other);
        dls_single_room_destroy(&own, &(dls_alloc){counted, NULL});
        if (memcmp(z, again, (size_t)n * sizeof *z) != 0 || answer.end != other.end ||
            answer.n_solutions != other.n_solutions)
          printf("size %d, seed %d: another answer\n", n, seed);
      }
    dls_single_room_destroy(&kept, &(dls_alloc){counted, NULL});
    dls_path_destroy(&path);
  }
  if (solved < SEEDS) printf("%d solved\n", solved);
  puts("ok");
  return 0;
}
