/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Islands of nothing but compliant equations that bodies hardly feel in a step, gamma >= W of each row (springs that
** the step resolves): (W + gamma) p = -(J u_f + s) has a condition of some ten, whatever its size, and conjugate
** gradients on the rows' own W + gamma end after as many turns. A net of springs eliminated costs n^1.5. */

/* A few rows are eliminated as fast. Turns that such a condition never takes. */
enum { SOFT_ROWS = 36, SOFT_TURNS = 60 };
/* Of the first residual, in the norm of the inverse of its diagonal, squared: round-off. */
static const double SOFT_LEFT = 1e-30;

static bool is_soft_island(const dls_rows *rows, const int *blocks, int n) {
  int m = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (block->kind != DLS_ROW_BILATERAL || block->second > 0 || dls_touches_tree(rows, block)) return false;
    for (int i = 0; i < block->n; i++)
      if (!(rows->gamma[block->row + i] >= rows->W[(size_t)(block->row + i) * NB + (size_t)i])) return false;
    m += block->n;
  }
  return m > SOFT_ROWS;
}

/* y = (W + gamma) x over the rows of the blocks, number by number; u: scratch, zero before and after. */
static void apply_soft(const dls_rows *rows, const int *blocks, int n, const double *x, double *u, double *y) {
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      const double *MJ = rows->MJ + (size_t)i * 2 * NU;
      add_u(u + (size_t)block->a * NU, x[at], MJ);
      add_u(u + (size_t)block->b * NU, x[at], MJ + NU);
    }
  }
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++)
      y[at] = row_velocity(rows->J + (size_t)i * 2 * NU, u + (size_t)block->a * NU, u + (size_t)block->b * NU) +
              rows->gamma[i] * x[at];
  }
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    memset(u + (size_t)block->a * NU, 0, NU * sizeof *u);
    memset(u + (size_t)block->b * NU, 0, NU * sizeof *u);
  }
}

static double dot_soft(int m, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += x[i] * y[i];
  return sum;
}

/* Impulses into rows->p; *converged: to round-off. */
static dls_status solve_soft(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, int *iterations,
                             bool *converged) {
  const size_t mark = dls_arena_mark(tmp), m = (size_t)count_rows(rows, blocks, n);
  double *room = DLS_TAKE(tmp, double, 6 * m + (size_t)rows->n_bodies * NU);
  if (!room) {
    rows->need = dls_bytes_add(tmp->size, (6 * m + (size_t)rows->n_bodies * NU) * sizeof(double) + 4096);
    return DLS_FULL;
  }
  double *p = room, *r = p + m, *x = r + m, *y = x + m, *unit = y + m, *z = unit + m, *u = z + m;
  memset(u, 0, (size_t)rows->n_bodies * NU * sizeof *u);
  for (int k = 0, at = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) {
      unit[at] = 1 / (rows->W[(size_t)i * NB + (size_t)(i - block->row)] + rows->gamma[i]);
      r[at] = -(row_speed(rows, block, i, rows->u_free) + rows->s[i]);
      p[at] = 0;
      x[at] = z[at] = unit[at] * r[at];
    }
  }
  double size = dot_soft((int)m, r, z);
  const double enough = SOFT_LEFT * size;
  int turn = 0;
  for (; turn < SOFT_TURNS && size > enough; turn++) {
    apply_soft(rows, blocks, n, x, u, y);
    const double step = size / dot_soft((int)m, x, y);
    for (size_t i = 0; i < m; i++) {
      p[i] += step * x[i];
      r[i] -= step * y[i];
      z[i] = unit[i] * r[i];
    }
    const double next = dot_soft((int)m, r, z);
    for (size_t i = 0; i < m; i++) x[i] = z[i] + next / size * x[i];
    size = next;
  }
  *converged = size <= enough;
  note_iterations(turn, iterations);
  for (int k = 0, at = 0; k < n && *converged; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++, at++) rows->p[i] = p[at];
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
