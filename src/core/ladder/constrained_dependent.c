/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/constrained.h"

#include "core/rows/coupling.h"
#include "core/rows/tree_rows.h"

/* Equations that depend on others: no impulse changes what these make of them. */

/* Of the scale: what equations that depend on others may be asked for (twenty pairs of ball
** joints whose gaps are 1e-7 to 1e-6: 1e-10 to 1e-6); of speeds, the root of what makes an
** equation depend on others (DEPENDENT of equality.c; 20,000 steps of straight bridges miss none
** from there to 1e-4, 73 with half of it). */
static const double COMPATIBLE = 1e-5;

static double length_of(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* The root of the energy with which what equations act on moves, about, whichever way it goes:
** speeds over the root of what a row would do to its bodies if no tree held them. */
static double moving_with(const dls_rows *rows, const dls_constrained *b) {
  const int dim = rows->dim, nu = rows->nu;
  double energy = 0;
  for (int k = 0; k < b->graph.n_equal; k++) {
    const dls_block *block = &rows->block[b->graph.block[k]];
    for (int i = 0; i < block->n; i++) {
      dls_arm arms[4];
      const int n = dls_arms_of(nu, rows, block, i, arms);
      for (int e = 0; e < n; e++) {
        const double *J = arms[e].J, *u = rows->u + (size_t)arms[e].body * (size_t)nu;
        const double alone = dls_arm_alone(rows, &arms[e]);
        const double speed = length_of(dim, J) * length_of(dim, u) +
                             length_of(nu - dim, J + dim) * length_of(nu - dim, u + dim);
        if (alone > 0) energy += speed * speed / alone;
      }
    }
  }
  return sqrt(energy);
}

void dls_constrained_ask_dependent(dls_rows *rows, const dls_constrained *b, double scale) {
  const dls_equality *E = &b->equality;
  double energy = -1; /* its root; found where it is asked for */
  (void)dls_constrained_residual(rows, b, b->r);
  for (int k = 0; k < E->n; k++) {
    const dls_block *block = &rows->block[b->graph.block[E->which[k]]];
    for (int i = 0; i < block->n && E->rank[k] < block->n; i++) {
      const int row = block->row + i;
      const double left = b->r[k * rows->nb + i], speed = fabs(left) * rows->length[row];
      if (dls_equality_is_independent(rows, E, k, i)) continue;
      if (!(speed <= COMPATIBLE * scale)) {
        if (energy < 0) energy = moving_with(rows, b);
        if (!(fabs(left) <= COMPATIBLE * energy * sqrt(dls_row_alone(rows, block, i)))) continue;
      }
      rows->s[row] -= left;
    }
  }
}

dls_held_left dls_constrained_left(const dls_rows *rows, const dls_constrained *b) {
  const dls_equality *E = &b->equality;
  dls_held_left left = {0, 0, E->least};
  (void)dls_constrained_residual(rows, b, b->r);
  for (int k = 0; k < E->n; k++) {
    const dls_block *block = &rows->block[b->graph.block[E->which[k]]];
    for (int i = 0; i < block->n; i++) {
      double *most =
          dls_equality_is_independent(rows, E, k, i) ? &left.held : &left.dependent;
      *most = dls_max(*most, fabs(b->r[k * rows->nb + i]) * rows->length[block->row + i]);
    }
  }
  return left;
}
