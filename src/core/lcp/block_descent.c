/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/lcp/block_descent.h"

#define SWEEPS 3
#define SHARE 1e-4  /* of the decrease that the slope promises, to be found */
#define HALVINGS 30 /* of a step                                            */

static void image(const dls_block_descent *b, const double *z, double *w) {
  dls_sparse_times(b->M, z, w);
  for (int i = 0; i < b->M->n_rows; i++) w[i] += b->shift * z[i];
}

static void sweep(dls_block_descent *b) {
  const dls_sparse *M = b->M;
  for (int i = 0; i < M->n_rows; i++) {
    const double diagonal = b->d[i] + b->shift;
    if (!(b->d[i] > 0.0)) continue;
    const double next = dls_max(b->z[i] - b->w[i] / diagonal, 0.0), change = next - b->z[i];
    if (change == 0.0) continue;
    b->z[i] = next;
    b->w[i] += b->shift * change;
    for (int e = M->start[i]; e < M->start[i + 1]; e++) b->w[M->col[e]] += change * M->value[e];
  }
}

/* move = max(z + t step, 0) - z and pull = (M + shift I) move; answers the change of E, w being the
** gradient: E(z + move) - E(z) = w'move + move'pull / 2. */
static double try_step(const dls_block_descent *b, double t, double *slope) {
  double change = 0.0, linear = 0.0;
  for (int i = 0; i < b->M->n_rows; i++)
    b->move[i] = b->F[i] ? dls_max(b->z[i] + t * b->step[i], 0.0) - b->z[i] : 0.0;
  image(b, b->move, b->pull);
  for (int i = 0; i < b->M->n_rows; i++) {
    linear += b->w[i] * b->move[i];
    change += (b->w[i] + 0.5 * b->pull[i]) * b->move[i];
  }
  *slope = linear;
  return change;
}

/* Along the projected line, as far as E falls by its share. Where it does not at all, which
** round-off alone can explain, z stays. */
static void search(dls_block_descent *b) {
  double t = 1.0, slope;
  for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
    const double change = try_step(b, t, &slope);
    if (!(change <= SHARE * slope) || !(change < 0.0)) continue;
    for (int i = 0; i < b->M->n_rows; i++) b->z[i] += b->move[i];
    return;
  }
}

/* F and the step to its minimum; false: singular. */
static bool aim(dls_block_descent *b) {
  const int n = b->M->n_rows;
  for (int i = 0; i < n; i++) b->F[i] = b->z[i] > 0.0;
  if (dls_sparse_ldl_factor(b->ldl, b->F, b->shift, 1e-12) >= 0) return false;
  for (int i = 0; i < n; i++) b->move[i] = -b->w[i];
  dls_sparse_ldl_solve(b->ldl, b->F, b->move, b->step);
  return true;
}

static bool feasible(const dls_block_descent *b) {
  for (int i = 0; i < b->M->n_rows; i++)
    if (b->F[i] && (b->z[i] + b->step[i]) * b->d[i] < -b->tol) return false;
  return true;
}

/* w = (M + shift I) z + q, anew: sums of changes gather round-off. */
static void refresh(dls_block_descent *b) {
  image(b, b->z, b->w);
  for (int i = 0; i < b->M->n_rows; i++) b->w[i] += b->q[i];
}

bool dls_block_descend(dls_block_descent *b) {
  const int n = b->M->n_rows;
  refresh(b);
  for (; b->steps < b->most && !dls_stop_poll(b->ldl->stop, 40.0 * n); b->steps++) {
    for (int k = 0; k < SWEEPS; k++) sweep(b);
    if (!aim(b)) return false;
    if (!feasible(b)) {
      search(b);
      refresh(b);
      continue;
    }
    bool done = true;
    for (int i = 0; i < n; i++)
      if (b->F[i]) b->z[i] = dls_max(b->z[i] + b->step[i], 0.0);
    refresh(b);
    for (int i = 0; i < n; i++)
      if (!b->F[i] && b->d[i] > 0.0 && b->w[i] < -b->tol) done = false;
    if (done) return true;
  }
  return false;
}
