/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/follow.h"

#include "core/base/dim.h"
#include "core/cone/cone.h"

typedef struct rows {
  int dim, n;          /* 2, 3; rows */
  dls_acc_row *row;    /* n; the bounds of those that slide are found */
  const int *joint;    /* n: whose; -1: a contact's                   */
  const double *W, *b; /* n x n, n                                    */
  double *x;           /* n: forces                                   */
} rows;

/* A row whose force is known. */
static bool is_pressed(const dls_acc_row *row) {
  return row->pressed && row->lo > 0;
}

/* Friction of a contact that moves: it follows its normal. */
static bool slides(const rows *h, size_t i) {
  return h->joint[i] < 0 && h->row[i].kind == DLS_ROW_BOX;
}

static int groups_of(const rows *h, dls_cone_group *out) {
  int n = 0;
  for (int i = 0; i < h->n; i++) {
    const dls_acc_row *row = &h->row[i];
    dls_cone_group *g = &out[n++];
    *g = (dls_cone_group){.kind = DLS_CONE_BOX, .row = i, .lo = row->lo, .hi = row->hi};
    if (row->kind == DLS_ROW_BILATERAL) g->kind = DLS_CONE_BILATERAL;
    if (row->kind == DLS_ROW_UNILATERAL) g->kind = DLS_CONE_UNILATERAL;
    if (row->kind != DLS_ROW_CONE && row->kind != DLS_ROW_ROLLING) continue;
    const bool rolls = row->kind == DLS_ROW_ROLLING;
    g->kind = h->dim == 2 ? (rolls ? DLS_CONE_ROLLING_PLANAR : DLS_CONE_PLANAR)
                          : (rolls ? DLS_CONE_ROLLING : DLS_CONE_SPATIAL);
    memcpy(g->mu, row->arm, sizeof row->arm);
    i += (rolls ? DLS_NB(h->dim) : h->dim) - 1;
  }
  return n;
}

/* The normal of a compliant contact presses with a force that is known: a row of its own, which
** that force brings to rest, and what it does to the others is theirs already. */
static void part_pressed(const rows *h, double *W, double *b) {
  const size_t n = (size_t)h->n;
  for (size_t i = 0; i < n; i++) {
    const dls_acc_row *row = &h->row[i];
    if (!is_pressed(row)) continue;
    for (size_t k = 0; k < n; k++) {
      if (k == i) continue;
      if (!is_pressed(&h->row[k])) b[k] += W[k * n + i] * row->lo;
      W[k * n + i] = W[i * n + k] = 0;
    }
    if (!(W[i * n + i] > 0)) W[i * n + i] = 1;
    b[i] = -W[i * n + i] * row->lo;
  }
}

/* Forces of contacts that slide follow their normals. Answers what that changes of the
** accelerations, of the largest: normals that share a load in many ways are told in another way
** each time, and their sums stay. */
static double follow_normals(rows *h, double *change) {
  const size_t n = (size_t)h->n;
  double worst = 0, most = 0;
  memset(change, 0, n * sizeof *change);
  for (size_t i = 0; i < n; i++) {
    dls_acc_row *row = &h->row[i];
    most = dls_max(most, fabs(h->b[i]));
    if (!slides(h, i)) continue;
    const double force = -row->arm[0] * h->x[i - (size_t)row->back], more = force - row->lo;
    for (size_t k = 0; k < n; k++) change[k] += h->W[k * n + i] * more;
    row->lo = row->hi = force;
  }
  for (size_t k = 0; k < n; k++) worst = dls_max(worst, fabs(change[k]));
  return most > 0 ? worst / most : 0;
}

/* Cone problems with the sliding friction of the normals before, until it is theirs; at once where
** none slides behind a force that is sought. *solved: x is a solution, of all turns the one whose
** friction follows best. */
static dls_status solve_following(rows *h, const dls_cone_problem *problem, dls_cone_group *groups,
                                  double *v, double *best, dls_arena *tmp, bool *solved) {
  enum { TURNS = 60 };
  /* Of the largest acceleration: round-off; and what is let be where redundant normal forces
  ** wander. */
  static const double FOLLOWED = 1e-12, NEARLY = 1e-8;
  const size_t bytes = (size_t)h->n * sizeof *best;
  double least = DLS_INF;
  dls_cone_opts opts = dls_cone_opts_default();
  dls_status status = DLS_OK;
  opts.tolerance = 1e-13;
  for (size_t i = 0; i < (size_t)h->n; i++) {
    if (!slides(h, i)) continue;
    const dls_acc_row *normal = &h->row[i - (size_t)h->row[i].back];
    h->row[i].lo = h->row[i].hi = is_pressed(normal) ? -h->row[i].arm[0] * normal->lo : 0;
  }
  for (int turn = 0; turn < TURNS && !(least <= FOLLOWED); turn++) {
    dls_cone_report report = {0};
    (void)groups_of(h, groups);
    opts.start = turn > 0 ? h->x : NULL; /* of many answers one near the last */
    status = dls_cone_solve(problem, &opts, tmp, h->x, v, &report);
    if (status != DLS_OK || !(report.residual <= 1e-9)) break;
    const double change = follow_normals(h, v);
    if (change >= least && least <= NEARLY) break; /* they wander: it falls no further */
    if (change < least) least = change, memcpy(best, h->x, bytes);
  }
  *solved = status == DLS_OK && least <= NEARLY;
  if (*solved) memcpy(h->x, best, bytes);
  return status;
}

dls_status dls_acc_by_following(dls_acc_room *room, int dim, int n_rows, dls_acc_row *row,
                                const int *joint, const double *W_given, const double *b_given,
                                double *x, bool *solved) {
  const size_t n = (size_t)n_rows;
  rows h = {dim, n_rows, row, joint, W_given, b_given, x};
  const size_t bytes = dls_bytes_add(dls_arena_bytes(n, sizeof(dls_cone_group)),
                                     dls_arena_bytes(dls_bytes(n + 4, n), sizeof(double)));
  *solved = false;
  dls_status status = dls_arena_reserve(&room->search, &room->alloc, bytes);
  if (status != DLS_OK) return status;
  dls_cone_group *groups = DLS_TAKE(&room->search, dls_cone_group, n);
  double *W = DLS_TAKE(&room->search, double, (n + 4) * n);
  if (!groups || !W) return DLS_FULL;
  double *b = W + n * n, *v = b + n, *length = v + n, *best = length + n;
  memcpy(W, W_given, n * n * sizeof *W);
  memcpy(b, b_given, n * sizeof *b);
  part_pressed(&h, W, b);
  for (size_t i = 0; i < n; i++) length[i] = row[i].length > 0 ? row[i].length : 1;
  const dls_cone_problem problem = {.n_rows = n_rows, .n_groups = groups_of(&h, groups),
                                    .groups = groups, .W = W, .b = b, .length = length};
  status = dls_arena_reserve(&room->method, &room->alloc, dls_cone_solve_bytes(&problem) + 4096);
  if (status != DLS_OK) return status;
  return solve_following(&h, &problem, groups, v, best, &room->method, solved);
}
