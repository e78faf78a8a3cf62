/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/constrained.h"

#include "core/rows/coulomb.h"
#include "core/rows/impulses.h"
#include "core/rows/island.h"
#include "core/rows/residual.h"
#include "core/sweeps/iterate.h"

/* Sweeps over the inequalities of an island that joints constrain. */

void dls_constrained_push(dls_rows *rows, dls_constrained *b) {
  dls_constrained_unpush(rows, &b->graph);
  memcpy(b->x, b->x_0, (size_t)b->n_x * sizeof *b->x);
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    dls_push_block(rows, block);
    dls_constrained_push_support(rows, block, &b->on[k], b->x);
  }
}

/* Visits one block, of d rows in most: answers as dls_sweep_block does. */
DLS_WITH_NU double visit_block(int nu, int nb, int d, dls_rows *rows, const dls_block *block,
                               const dls_support *on, const double *W, double *x) {
  double *u_a = rows->u + (size_t)block->a * (size_t)nu,
         *u_b = rows->u + (size_t)block->b * (size_t)nu;
  const double *J = rows->J + (size_t)block->row * 2 * (size_t)nu,
               *MJ = rows->MJ + (size_t)block->row * 2 * (size_t)nu;
  const double *gamma = rows->gamma + block->row, *s = rows->s + block->row;
  double *p = rows->p + block->row, now[DLS_MOST_ROWS] = {0}, q[DLS_MOST_ROWS] = {0},
         change[DLS_MOST_ROWS], most = 0;
  for (int i = 0; i < block->n; i++) {
    now[i] = p[i];
    q[i] = dls_row_velocity(nu, J + i * 2 * nu, u_a, u_b) + s[i] + gamma[i] * p[i];
  }
  if (block->n == d) dls_support_read(d, on, x, q);
  else if (block->n == 1) dls_support_read(1, on, x, q);
  else dls_support_read(block->n, on, x, q);
  dls_visit_block(nb, block, W, gamma, now, q);
  bool moved = false;
  for (int i = 0; i < block->n; i++) {
    change[i] = now[i] - p[i];
    if (change[i] == 0) continue;
    moved = true;
    p[i] = now[i];
    most = dls_max(most, fabs(change[i]) * W[i * nb + i] * rows->length[block->row + i]);
    dls_add_u(nu, u_a, change[i], MJ + i * 2 * nu);
    dls_add_u(nu, u_b, change[i], MJ + i * 2 * nu + nu);
  }
  if (!moved) return 0;
  if (block->n == d) dls_support_move(d, on, change, x);
  else if (block->n == 1) dls_support_move(1, on, change, x);
  else dls_support_move(block->n, on, change, x);
  return most;
}

static double sweep_inequalities(dls_rows *rows, dls_constrained *b) {
  double most = 0;
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    const double *W = b->W + (size_t)(k * rows->nb * rows->nb);
    most = dls_max(most, rows->nu == 3 ? visit_block(3, 3, 2, rows, block, &b->on[k], W, b->x)
                                       : visit_block(6, 6, 3, rows, block, &b->on[k], W, b->x));
  }
  return most;
}

bool dls_constrained_holds(const dls_rows *rows, const dls_constrained *b, double limit) {
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    double v[DLS_MOST_ROWS];
    for (int i = 0; i < block->n; i++)
      v[i] = dls_row_speed(rows->nu, rows, block, block->row + i, rows->u);
    dls_support_read(block->n, &b->on[k], b->x, v);
    if (!(dls_residual_block(rows, block, v) <= limit)) return false;
  }
  return true;
}

/* Impulses of the inequalities for mixing: of rows in rad/s divided by their lengths, so that
** all are N s. */
static void pack_like(const dls_rows *rows, const dls_constrained *b, double *p) {
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = block->row; i < block->row + block->n; i++) *p++ = rows->p[i] / rows->length[i];
  }
}

static void unpack_like(dls_rows *rows, const dls_constrained *b, const double *p) {
  for (int k = 0; k < b->n_inequal; k++) {
    const dls_block *block = &rows->block[b->inequal[k]];
    for (int i = block->row; i < block->row + block->n; i++) rows->p[i] = *p++ * rows->length[i];
  }
}

static void copy_state(dls_rows *rows, dls_constrained *b, dls_iterate *x, bool back) {
  double *numbers = x->u + rows->nu * x->n_bodies;
  if (back) {
    unpack_like(rows, b, x->p);
    dls_iterate_write(rows, x);
    memcpy(b->x, numbers, (size_t)b->n_x * sizeof *b->x);
  } else {
    pack_like(rows, b, x->p);
    dls_iterate_read(rows, x);
    memcpy(numbers, b->x, (size_t)b->n_x * sizeof *b->x);
  }
}

dls_status dls_constrained_sweep(dls_rows *rows, dls_constrained *b, double limit, int most,
                                    dls_arena *tmp, int *iterations, bool *converged) {
  dls_constrained_push(rows, b);
  *converged = dls_constrained_holds(rows, b, limit);
  if (*converged || most < 1) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  dls_iterate x = {.n_bodies = b->graph.n_bodies, .body = b->graph.body};
  const int n_rows = dls_count_rows(rows, b->inequal, b->n_inequal),
            n_u = rows->nu * x.n_bodies + b->n_x;
  if (!dls_iterate_take(&x, n_rows, n_u, tmp))
    return dls_want(rows, tmp, dls_iterate_bytes(n_rows, n_u));
  dls_acceleration rate = {.momentum = b->n_inequal < DLS_TINY_ISLAND ? 0 : DLS_MOMENTUM_SWEEPS};
  double quiet = 2 * DLS_QUIET * limit;
  int done = 1;
  for (;; done++) {
    pack_like(rows, b, x.was);
    const double change = sweep_inequalities(rows, b);
    const bool stopped = dls_given_up(rows, b->n_inequal, 4);
    if (change <= quiet || done == most || stopped) {
      quiet *= DLS_QUIETER;
      dls_constrained_push(rows, b);
      *converged = dls_constrained_holds(rows, b, limit);
      if (*converged || done == most || stopped) break;
    }
    copy_state(rows, b, &x, false);
    if (dls_iterate_mix(&x, &rate) != 0) copy_state(rows, b, &x, true);
  }
  dls_note_iterations(done, iterations);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
