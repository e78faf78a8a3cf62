/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/island.h"

#include "core/rows/residual.h"

int dls_number_bodies(const dls_rows *rows, const int *blocks, int n, int *place, int *body) {
  int count = 0;
  for (int k = 0; k < n; k++) {
    place[rows->block[blocks[k]].a] = -1;
    place[rows->block[blocks[k]].b] = -1;
  }
  for (int k = 0; k < n; k++) {
    const int pair[2] = {rows->block[blocks[k]].a, rows->block[blocks[k]].b};
    for (int i = 0; i < 2; i++) {
      if (!dls_moves(rows, pair[i]) || place[pair[i]] >= 0) continue;
      if (body) body[count] = pair[i];
      place[pair[i]] = count++;
    }
  }
  return count;
}

int dls_count_rows(const dls_rows *rows, const int *blocks, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += rows->block[blocks[k]].n;
  return sum;
}

void dls_keep_impulses(const dls_rows *rows, const int *blocks, int n, double *kept) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) kept[(size_t)(k * rows->nb + i)] = rows->p[block->row + i];
  }
}

void dls_restore_impulses(dls_rows *rows, const int *blocks, int n, const double *kept) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = kept[(size_t)(k * rows->nb + i)];
  }
}

void dls_pack_impulses(const dls_rows *rows, const int *blocks, int n, double *p) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++) *p++ = rows->p[i];
  }
}

void dls_unpack_impulses(dls_rows *rows, const int *blocks, int n, const double *p) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = block->row; i < block->row + block->n; i++) rows->p[i] = *p++;
  }
}

void dls_admit_all(dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    double z[DLS_MOST_ROWS] = {0};
    for (int i = 0; i < block->n; i++)
      z[i] = rows->p[block->row + i] / rows->length[block->row + i];
    dls_admit(rows, block, z);
    for (int i = 0; i < block->n; i++)
      rows->p[block->row + i] = z[i] * rows->length[block->row + i];
  }
}

bool dls_given_up(const dls_rows *rows, int n, int visits) {
  return rows->stop && dls_stop_poll(rows->stop, 30.0 * n * visits);
}

dls_status dls_want(dls_rows *rows, const dls_arena *tmp, size_t more) {
  rows->need = dls_bytes_add(tmp->size, dls_bytes_add(more, 1 << 16));
  return DLS_FULL;
}
