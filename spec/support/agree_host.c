/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* agree_host N: towers of boxes on faces, seeds 1 .. N, by "auto", whose shift may agree. Prints a line a seed,
**
**     seed  least  iterations and residual with the shift as it was (0)  the same with that agreed on
**     largest shift  how far b + s of the rows that changed is from any motion before and after, in least squares
**
** all of the largest b; residuals by W, b and p alone, distances from J, in long double. least: exponent by which b leaves
** the range of W, -99: not at all. */
#include "tower_problems.h"

#include <stdio.h>

#define TOLERANCE 1e-10

static char memory[1 << 25];
static double shift[ROWS], p[ROWS], v[ROWS];

/* min over w of |J w - c| of the rows in use, by normal equations. */
static long double distance(int n, const bool *use, const double *c) {
  enum { M = 6 * MOST_BOXES };
  long double A[M][M + 1] = {{0}}, x[M] = {0}, sum = 0;
  for (int i = 0; i < n; i++) {
    double row[M] = {0};
    if (!use[i]) continue;
    memcpy(row + 6 * above[i], J[i], 6 * sizeof(double));
    if (above[i] > 0) memcpy(row + 6 * (above[i] - 1), J[i] + 6, 6 * sizeof(double));
    for (int k = 0; k < M; k++) {
      for (int l = 0; l < M; l++) A[k][l] += (long double)row[k] * row[l];
      A[k][M] += (long double)row[k] * c[i];
    }
  }
  for (int k = 0; k < M; k++) A[k][k] += 1e-15L; /* boxes that no row in use touches */
  for (int k = 0; k < M; k++)
    for (int i = k + 1; i < M; i++)
      for (int j = M; j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  for (int k = M - 1; k >= 0; k--) {
    x[k] = A[k][M];
    for (int j = k + 1; j < M; j++) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
  for (int i = 0; i < n; i++) {
    if (!use[i]) continue;
    long double off = -c[i];
    for (int k = 0; k < 6; k++) {
      off += J[i][k] * x[6 * above[i] + k];
      if (above[i] > 0) off += J[i][6 + k] * x[6 * (above[i] - 1) + k];
    }
    sum += off * off;
  }
  return sqrtl(sum);
}

static bool run(const dls_cone_problem *pr, double *agreed, dls_cone_report *report) {
  dls_arena tmp = dls_arena_over(memory, sizeof memory);
  dls_cone_opts opts = dls_cone_opts_default();
  opts.tolerance = TOLERANCE;
  opts.agreed = agreed;
  return dls_cone_method_find("auto")->run(pr, &opts, &tmp, p, v, report) == DLS_OK;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1;
  for (int seed = 1; seed <= n; seed++) {
    const double least = seed % 4 == 0 ? -99 : -8 + seed % 4 * 2;
    dls_cone_problem pr = make(seed, least);
    dls_cone_report report;
    bool changed[ROWS];
    double size = 0, most = 0;
    pr.shift = memset(shift, 0, sizeof shift);
    if (!run(&pr, NULL, &report)) return 1;
    printf("%d %g %d %.3Le", seed, least, report.iterations, residual_of(&pr, p));
    if (!run(&pr, shift, &report)) return 1;
    for (int i = 0; i < pr.n_rows; i++) {
      size = fmax(size, fabs(b[i]));
      most = fmax(most, fabs(shift[i]));
      changed[i] = shift[i] != 0;
    }
    const long double before = distance(pr.n_rows, changed, b);
    for (int i = 0; i < pr.n_rows; i++) b[i] += shift[i];
    printf(" %d %.3Le %.3e %.3Le %.3Le\n", report.iterations, residual_of(&pr, p), most / size, before / size,
           distance(pr.n_rows, changed, b) / size);
  }
  return 0;
}
