/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/loops.h"

#include "core/cone/points.h"
#include "core/rows/mass.h"

/* Slip of a block with friction, m/s. */
static double slip_of(const dls_rows *rows, const dls_block *block) {
  double slip[2] = {0};
  for (int i = 1; i < rows->dim; i++)
    slip[i - 1] = rows->v[block->row + i] + rows->s[block->row + i];
  return dls_disk_length(rows->dim - 1, slip);
}

static bool is_rough(const dls_block *block) {
  return (block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING) && block->mu[0] > 0;
}

bool dls_rows_slide(const dls_rows *rows, int k, double still) {
  const dls_block *block = &rows->block[k];
  return is_rough(block) && rows->p[block->row] > 0 && slip_of(rows, block) > still;
}

/* Rows of a block that keep their velocities, as bits. */
static unsigned kept_of(const dls_rows *rows, const dls_block *block, double still) {
  const unsigned all = (1u << block->n) - 1;
  if (block->kind == DLS_ROW_BILATERAL || block->kind == DLS_ROW_BOX) return all;
  const int row = block->row;
  if (!(rows->p[row] > 0) && rows->v[row] + rows->gamma[row] * rows->p[row] + rows->s[row] > still)
    return 0;
  if (block->kind == DLS_ROW_ROLLING) return all;
  return is_rough(block) && slip_of(rows, block) > still ? 1u : all;
}

/* Whether the rows kept of n blocks are independent on one body. */
static bool are_independent(const dls_rows *rows, const int *blocks, int n,
                            const unsigned char *kept, int body) {
  static const double LEAST = 1e-3; /* of a row's own: what it has beside the others */
  const double *J[6], *MJ[6];
  double G[6][6];
  const int nu = rows->nu;
  int m = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (kept[k] == 0 || (block->a != body && block->b != body)) continue;
    if (block->second > 0 || block->a == block->b) return false;
    for (int i = 0; i < block->n; i++) {
      if (!(kept[k] >> i & 1)) continue;
      if (m == nu) return false;
      const size_t at = (size_t)(2 * (block->row + i) + (block->b == body)) * (size_t)nu;
      J[m] = rows->J + at, MJ[m++] = rows->MJ + at;
    }
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double sum = dls_dot_u(nu, J[i], MJ[j]);
      const double own = sum;
      for (int l = 0; l < j; l++) sum -= G[i][l] * G[j][l];
      if (i == j && !(sum > LEAST * own)) return false;
      G[i][j] = i == j ? sqrt(sum) : sum / G[j][j];
    }
  return true;
}

int dls_rows_in_loops(const dls_rows *rows, const int *blocks, int n, double still, int *left) {
  unsigned char kept[DLS_POINTS_ROWS];
  int n_left = 0;
  bool any = true, sliding = false;
  for (int k = 0; k < n; k++)
    kept[k] = (unsigned char)kept_of(rows, &rows->block[blocks[k]], still);
  while (any) {
    any = false;
    for (int k = 0; k < n; k++)
      for (int e = 0; e < 2 && kept[k] != 0; e++) {
        const dls_block *block = &rows->block[blocks[k]];
        const int body = e == 0 ? block->a : block->b;
        if (!(rows->inv_mass[body] > 0) || !are_independent(rows, blocks, n, kept, body)) continue;
        for (int l = 0; l < n; l++)
          if (rows->block[blocks[l]].a == body || rows->block[blocks[l]].b == body) kept[l] = 0;
        any = true;
      }
  }
  for (int k = 0; k < n; k++) {
    if (kept[k] == 0) continue;
    left[n_left++] = blocks[k];
    sliding = sliding || dls_rows_slide(rows, blocks[k], still);
  }
  return sliding ? n_left : 0;
}
