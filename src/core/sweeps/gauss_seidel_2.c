/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/sweeps/gauss_seidel.h"

/* The planar contact visit, packed: what a visit reads lies in one place, divisions are done
** beforehand, and the two tangential and normal directions share one vector. The same law as
** dls_coulomb_2; blocks of other kinds go the general way in their turn. */

typedef struct packed {
  double nx, ny;         /* normal; the tangent is (ny, -nx)                            */
  double na, nb, ta, tb; /* moments of normal and tangent on a and b                    */
  double ma, mb, ja, jb; /* inverse masses and inertias                                 */
  double a, b, c;        /* own W = [a c; c b], gamma in a                              */
  double inv_det;        /* 1/(a b - c^2); 0 where singular                             */
  double inv_right, inv_left; /* 1/(a + mu c), 1/(a - mu c); 0 where not positive       */
  double soft;           /* gamma                                                       */
  double s_n, s_t, mu;   /* shift, friction                                             */
  double p_n, p_t;       /* impulses                                                    */
  int i, j;              /* bodies a and b                                              */
  int block;             /* where it comes from                                         */
  int general;           /* 1: another kind of block                                    */
} packed;

static void pack(const dls_rows *rows, const int *blocks, int n, packed *out) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    packed *x = &out[k];
    memset(x, 0, sizeof *x);
    x->block = blocks[k];
    x->i = block->a;
    x->j = block->b;
    bool cone = block->kind == DLS_ROW_CONE;
    const double *J = rows->J + (size_t)block->row * 6;
    /* A normal row whose force on a is not the opposite of that on b goes the general way. */
    if ((!cone && block->kind != DLS_ROW_UNILATERAL) || J[0] != -J[3] || J[1] != -J[4]) {
      x->general = 1;
      continue;
    }
    x->nx = J[3];
    x->ny = J[4];
    x->na = J[2];
    x->nb = J[5];
    x->ma = rows->inv_mass[block->a];
    x->mb = rows->inv_mass[block->b];
    x->ja = rows->inv_inertia[block->a];
    x->jb = rows->inv_inertia[block->b];
    const double *W = rows->W + (size_t)block->row * 3;
    x->soft = rows->gamma[block->row];
    x->a = W[0] + x->soft;
    x->b = 1;
    x->s_n = rows->s[block->row];
    x->p_n = rows->p[block->row];
    if (cone) {
      x->ta = J[8];
      x->tb = J[11];
      x->c = W[1];
      x->b = W[4];
      x->s_t = rows->s[block->row + 1];
      x->p_t = rows->p[block->row + 1];
      x->mu = block->mu[0];
    }
    double det = x->a * x->b - x->c * x->c;
    double right = x->a + x->mu * x->c, left = x->a - x->mu * x->c;
    x->inv_det = det > 1e-14 * x->a * x->b ? 1 / det : 0;
    x->inv_right = right > 0 ? 1 / right : 0;
    x->inv_left = left > 0 ? 1 / left : 0;
    if (!(x->a > 0)) x->general = 1;
  }
}

static void unpack(dls_rows *rows, const packed *in, int n) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[in[k].block];
    if (in[k].general) continue;
    rows->p[block->row] = in[k].p_n;
    if (block->n > 1) rows->p[block->row + 1] = in[k].p_t;
  }
}

static inline void visit_packed(packed *x, double *u) {
  double *u_a = u + 3 * (size_t)x->i, *u_b = u + 3 * (size_t)x->j;
  double vx = u_b[0] - u_a[0], vy = u_b[1] - u_a[1];
  double v_n = x->nx * vx + x->ny * vy + (x->na * u_a[2] + x->nb * u_b[2]);
  double v_t = x->ny * vx - x->nx * vy + (x->ta * u_a[2] + x->tb * u_b[2]);
  /* Without this contact; gamma p_n is in a p_n and in the law, and cancels. */
  double q_n = v_n + x->s_n - (x->a - x->soft) * x->p_n - x->c * x->p_t;
  double q_t = v_t + x->s_t - x->c * x->p_n - x->b * x->p_t;
  double p_n = 0, p_t = 0;
  if (q_n < 0) {
    p_n = (x->c * q_t - x->b * q_n) * x->inv_det;
    p_t = (x->c * q_n - x->a * q_t) * x->inv_det;
    if (!(p_n > 0 && fabs(p_t) <= x->mu * p_n)) {
      bool left = q_t * x->a > x->c * q_n;
      double inverse = left ? x->inv_left : x->inv_right;
      if (inverse == 0) {
        left = !left;
        inverse = left ? x->inv_left : x->inv_right;
      }
      p_n = -q_n * inverse;
      p_t = left ? -x->mu * p_n : x->mu * p_n;
    }
  }
  double d_n = p_n - x->p_n, d_t = p_t - x->p_t;
  x->p_n = p_n;
  x->p_t = p_t;
  double fx = x->nx * d_n + x->ny * d_t, fy = x->ny * d_n - x->nx * d_t;
  u_a[0] -= x->ma * fx;
  u_a[1] -= x->ma * fy;
  u_a[2] += x->ja * (x->na * d_n + x->ta * d_t);
  u_b[0] += x->mb * fx;
  u_b[1] += x->mb * fy;
  u_b[2] += x->jb * (x->nb * d_n + x->tb * d_t);
}

static void sweep_packed(dls_rows *rows, packed *x, int n, bool backwards) {
  for (int k = 0; k < n; k++) {
    packed *one = &x[backwards ? n - 1 - k : k];
    if (one->general) (void)dls_sweep_block(rows, &rows->block[one->block]);
    else visit_packed(one, rows->u);
  }
}

dls_status dls_sweep_to_and_fro_2(dls_rows *rows, const int *blocks, int n, int count,
                                  dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp);
  packed *x = DLS_TAKE(tmp, packed, n);
  rows->need = tmp->size + dls_arena_bytes((size_t)n, sizeof(packed));
  if (!x) return DLS_FULL;
  pack(rows, blocks, n, x);
  for (int i = 0; i < count; i++) sweep_packed(rows, x, n, (i & 1) != 0);
  unpack(rows, x, n);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
