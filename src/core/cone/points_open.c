/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/points.h"

/* Which impulses the laws leave open at a solution. What presses or may press keeps v_n, what
** sticks v_T; of what slides friction follows the normal, against v_T. With H the directions of
** impulses that this leaves, each of a row that keeps its velocity, R these rows: z with R W H z =
** 0 is left open, and moves what slides by W H z. */

static bool slides(const dls_points *N, const dls_cone_group *group, int k, int at, double still) {
  return group->mu[k] > 0 && dls_disk_length(dls_cone_laws[group->kind].rows[k], N->v + at) > still;
}

/* Rows of the directions of group g, into N->perm from n on; how many there are then. */
static int list_group(dls_points *N, int g, double still, int n) {
  const dls_cone_group *group = &N->group[g];
  const dls_cone_law *law = &dls_cone_laws[group->kind];
  const int i = group->row;
  const bool box = group->kind == DLS_CONE_BOX;
  if (!(N->most[i] > 0) || (box && !(N->x[i] > group->lo && N->x[i] < group->hi))) return n;
  if (!box && group->kind != DLS_CONE_BILATERAL && N->v[i] > still) return n;
  N->perm[n++] = i;
  for (int k = 0, at = i + 1; k < law->n_parts; at += law->rows[k++])
    for (int j = 0; j < law->rows[k] && group->mu[k] > 0 && !slides(N, group, k, at, still); j++)
      N->perm[n++] = at + j;
  return n;
}

/* Whether a direction is that of a normal, with friction of what slides. */
static bool is_normal(const dls_points *N, int row) {
  const dls_cone_group *group = &N->group[N->of[row]];
  return group->row == row && dls_cone_laws[group->kind].n_parts > 0;
}

/* Column j of W H in N->A. */
static void respond(dls_points *N, int j, double still) {
  const int row = N->perm[j];
  const dls_cone_group *group = &N->group[N->of[row]];
  const dls_cone_law *law = &dls_cone_laws[group->kind];
  const size_t n = (size_t)N->n;
  for (size_t i = 0; i < n; i++) N->A[i * n + (size_t)j] = N->W[(size_t)row * n + i];
  for (int k = 0, at = row + 1; is_normal(N, row) && k < law->n_parts; at += law->rows[k++]) {
    if (!slides(N, group, k, at, still)) continue;
    const double speed = dls_disk_length(law->rows[k], N->v + at);
    for (int r = at; r < at + law->rows[k]; r++)
      for (size_t i = 0; i < n; i++)
        N->A[i * n + (size_t)j] -= group->mu[k] * N->v[r] / speed * N->W[(size_t)r * n + i];
  }
}

/* What an impulse of a row is worth, so that rows are alike. */
static double unit_of(const dls_points *N, int row) {
  const double own = N->W[(size_t)row * (size_t)N->n + (size_t)row];
  return own > 0 ? 1 / sqrt(own) : 1;
}

/* N->B (k x k) to row echelon form, N->order: its columns, those with a pivot first. The rank. */
static int reduce(dls_points *N, int k) {
  static const double OPEN = 1e-4; /* a pivot, of rows that are alike */
  double *B = N->B;
  int rank = 0, free = k;
  for (int col = 0; col < k; col++) {
    int row = rank;
    for (int i = rank + 1; i < k; i++)
      if (fabs(B[i * k + col]) > fabs(B[row * k + col])) row = i;
    if (rank == k || !(fabs(B[row * k + col]) > OPEN)) {
      N->order[--free] = col;
      continue;
    }
    for (int j = col; row != rank && j < k; j++) {
      const double kept = B[row * k + j];
      B[row * k + j] = B[rank * k + j], B[rank * k + j] = kept;
    }
    for (int i = rank + 1; i < k; i++) {
      const double f = B[i * k + col] / B[rank * k + col];
      for (int j = col; f != 0 && j < k; j++) B[i * k + j] -= f * B[rank * k + j];
    }
    N->order[rank++] = col;
  }
  return rank;
}

/* z (k): 1 in column `free` of the form, 0 in the others that have no pivot. The largest of it. */
static double open_along(const dls_points *N, int k, int rank, int free, double *z) {
  double size = 1;
  for (int j = 0; j < k; j++) z[j] = j == free;
  for (int i = rank - 1; i >= 0; i--) {
    double sum = 0;
    for (int j = N->order[i] + 1; j < k; j++) sum += N->B[i * k + j] * z[j];
    z[N->order[i]] = -sum / N->B[i * k + N->order[i]];
    size = dls_max(size, fabs(z[N->order[i]]));
  }
  return size;
}

/* How fast what slides goes by impulses z (k) of the directions, m/s. */
static double moved(const dls_points *N, int k, const double *z, double still) {
  double most = 0;
  for (int j = 0; j < k; j++) {
    const dls_cone_group *group = &N->group[N->of[N->perm[j]]];
    const dls_cone_law *law = &dls_cone_laws[group->kind];
    for (int part = 0, at = N->perm[j] + 1; is_normal(N, N->perm[j]) && part < law->n_parts;
         at += law->rows[part++])
      for (int r = at; r < at + law->rows[part] && slides(N, group, part, at, still); r++) {
        double v = 0;
        for (int l = 0; l < k; l++) v += N->A[(size_t)r * (size_t)N->n + (size_t)l] * z[l];
        most = dls_max(most, fabs(v) * N->length[r]);
      }
  }
  return most;
}

bool dls_points_are_open(dls_points *N, double still, const double *x) {
  int k = 0;
  double most = 0, *z = N->kept, scale = dls_points_scale(N);
  dls_points_go(N, x);
  scale = dls_max(scale, dls_points_scale(N));
  for (int g = 0; g < N->n_groups; g++) k = list_group(N, g, still, k);
  for (int j = 0; j < k; j++) respond(N, j, still);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      N->B[i * k + j] = N->A[(size_t)N->perm[i] * (size_t)N->n + (size_t)j] * unit_of(N,
          N->perm[i]) * unit_of(N, N->perm[j]);
  for (int j = 0; j < k; j++) most = dls_max(most, fabs(N->x[N->perm[j]]) / unit_of(N, N->perm[j]));
  const int rank = reduce(N, k);
  for (int f = rank; f < k; f++) {
    const double size = open_along(N, k, rank, N->order[f], z);
    for (int j = 0; j < k; j++) z[j] *= most / size * unit_of(N, N->perm[j]);
    if (moved(N, k, z, still) > DLS_POINTS_ENOUGH * scale) return true;
  }
  return false;
}
