/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/impact_held.h"

#include "core/base/union_find.h"
#include "core/joints/held.h"
#include "core/joints/spring_rows.h"
#include "core/rows/mass.h"
#include "core/scheme/impacts.h"

/* --- mechanisms ------------------------------------------------------------------------------- */

static bool holds(const dls_mechanisms *of, int k) {
  const dls_block *block = &of->S->rows.block[k];
  return !dls_is_contact(block) && block->kind == DLS_ROW_BILATERAL &&
         !dls_springs_of(of->joints, k);
}

/* Bodies that nothing moves belong to nobody. */
static bool answers(const dls_mechanisms *of, int body) {
  const int *tree = of->S->rows.tree;
  return (tree && tree[body] >= 0) || dls_moves_freely(&of->S->w->bodies[body]);
}

static void unite(dls_mechanisms *of, int a, int b) {
  if (!answers(of, a) || !answers(of, b)) return;
  dls_unite(of->root, a, b);
}

static void unite_all(dls_mechanisms *of) {
  const dls_rows *rows = &of->S->rows;
  for (int i = 0; i < rows->n_bodies; i++) of->root[i] = i;
  for (int i = 0; i < rows->n_bodies && rows->tree; i++)
    if (rows->tree[i] >= 0) unite(of, i, rows->tree[i]);
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (!holds(of, k)) continue;
    const dls_second *s = dls_second_of(rows, block);
    int first = -1;
    const int ends[] = {block->a, block->b, s ? s->c : block->a, s ? s->d : block->b};
    for (int e = 0; e < 4; e++) {
      if (!answers(of, ends[e])) continue;
      if (first >= 0) unite(of, first, ends[e]);
      first = ends[e];
    }
  }
}

/* Whose the rows of a block are; -1: nothing moves by them. */
static int mechanism_of(const dls_mechanisms *of, const dls_block *block) {
  const dls_second *s = dls_second_of(&of->S->rows, block);
  const int ends[] = {block->a, block->b, s ? s->c : block->a, s ? s->d : block->b};
  for (int e = 0; e < 4; e++)
    if (answers(of, ends[e])) return dls_root_of(of->root, ends[e]);
  return -1;
}

static void write_row(dls_mechanisms *of, const dls_block *block, int row, int at) {
  const dls_step *S = of->S;
  const size_t nu = (size_t)S->nu;
  const dls_second *s = dls_second_of(&S->rows, block);
  dls_overlap *o = &of->o[at];
  *o = (dls_overlap){
      .a = block->a, .b = block->b, .both = true, .size = 1, .source = -1 - block->source};
  memcpy(o->J, S->rows.J + (size_t)row * 2 * nu, 2 * nu * sizeof(double));
  if (s) {
    o->c = s->c, o->d = s->d, o->n_ends = 4;
    memcpy(o->J + 2 * nu, s->K, 2 * nu * sizeof(double));
  }
  dls_overlap_weigh(of->joints, o);
  of->row[at] = row;
}

/* Rows by mechanism, in their own order. */
static void sort_rows(dls_mechanisms *of) {
  const dls_rows *rows = &of->S->rows;
  int *start = of->start;
  memset(start, 0, ((size_t)rows->n_bodies + 1) * sizeof *start);
  for (int k = 0; k < rows->n_blocks; k++) {
    const int root = holds(of, k) ? mechanism_of(of, &rows->block[k]) : -1;
    if (root >= 0) start[root + 1] += rows->block[k].n;
  }
  for (int i = 0; i < rows->n_bodies; i++) start[i + 1] += start[i];
  of->n = start[rows->n_bodies];
  for (int k = rows->n_blocks - 1; k >= 0; k--) {
    const dls_block *block = &rows->block[k];
    const int root = holds(of, k) ? mechanism_of(of, block) : -1;
    if (root < 0) continue;
    for (int i = block->n - 1; i >= 0; i--) write_row(of, block, block->row + i, --start[root + 1]);
  }
  /* each end is its beginning now */
  memmove(start, start + 1, (size_t)rows->n_bodies * sizeof *start);
  start[rows->n_bodies] = of->n;
}

dls_status dls_mechanisms_take(dls_mechanisms *of, dls_step *S, dls_contact_stage *C,
                               dls_joint_stage *joints) {
  dls_rows *rows = &S->rows;
  dls_arena *tmp = &S->w->arena;
  *of = (dls_mechanisms){.S = S, .C = C, .joints = joints};
  int n = 0;
  for (int k = 0; k < rows->n_blocks; k++) n += holds(of, k) ? rows->block[k].n : 0;
  if (n == 0) return DLS_OK;
  const size_t n_bodies = (size_t)rows->n_bodies, n_W = (size_t)rows->n_rows * (size_t)S->nb;
  of->o = DLS_TAKE(tmp, dls_overlap, n), of->row = DLS_TAKE(tmp, int, n);
  of->root = DLS_TAKE(tmp, int, n_bodies), of->start = DLS_TAKE(tmp, int, n_bodies + 1);
  of->W = DLS_TAKE(tmp, double, n_W), of->weighed = DLS_TAKE(tmp, unsigned char, rows->n_blocks);
  rows->need = dls_arena_bytes((size_t)n, sizeof(dls_overlap)) +
               dls_arena_bytes((size_t)n, sizeof(int)) +
               2 * dls_arena_bytes(n_bodies + 1, sizeof(int)) +
               dls_arena_bytes(n_W, sizeof(double)) + dls_arena_bytes((size_t)rows->n_blocks, 1);
  if (!of->o || !of->row || !of->root || !of->start || !of->W || !of->weighed) return DLS_FULL;
  memset(of->weighed, 0, (size_t)rows->n_blocks);
  unite_all(of);
  sort_rows(of);
  return DLS_OK;
}

/* --- their answer ----------------------------------------------------------------------------- */

/* The mechanisms at a contact's ends, each once; how many. */
static int struck_by(const dls_mechanisms *of, const dls_block *block, int which[2]) {
  const int ends[] = {block->a, block->b};
  int n = 0;
  for (int e = 0; e < 2 && of->n > 0; e++) {
    if (!answers(of, ends[e])) continue;
    const int root = dls_root_of(of->root, ends[e]);
    if (of->start[root] == of->start[root + 1] || (n > 0 && which[0] == root)) continue;
    which[n++] = root;
  }
  return n;
}

int dls_mechanisms_count(const dls_mechanisms *of, const dls_block *block) {
  int which[2], sum = 0;
  const int n = struck_by(of, block, which);
  for (int k = 0; k < n; k++) sum += of->start[which[k] + 1] - of->start[which[k]];
  return sum;
}

/* What the rows of one mechanism do about u; gap: less what they read before. */
static dls_status hold(dls_mechanisms *of, int root, double *u) {
  dls_step *S = of->S;
  dls_overlap *o = of->o + of->start[root];
  const int n = of->start[root + 1] - of->start[root];
  dls_trees *t = S->rows.tree ? S->w->trees : NULL;
  for (int k = 0; k < n; k++) o[k].gap += dls_overlap_speed(of->joints, &o[k], u);
  const dls_status status = dls_joints_answer(of->joints, S->q_c, o, n, NULL, NULL);
  if (status == DLS_FULL) S->rows.need = S->w->need_arena;
  if (status != DLS_OK) return status;
  const size_t all = (size_t)S->rows.n_bodies * (size_t)S->nu;
  for (size_t i = 0; i < all; i++) u[i] += of->joints->answer[i];
  for (int i = 0; t && i < t->forest->nu; i++) t->u_end[i] += t->du[i];
  return DLS_OK;
}

static dls_status strike(dls_mechanisms *of, const dls_block *block, const double *p, double *u) {
  int which[2];
  const int n = struck_by(of, block, which);
  for (int m = 0; m < n; m++)
    for (int k = of->start[which[m]]; k < of->start[which[m] + 1]; k++)
      of->o[k].gap = -dls_overlap_speed(of->joints, &of->o[k], u);
  dls_strike(of->S, of->joints, block, p, u);
  dls_status status = DLS_OK;
  for (int m = 0; m < n && status == DLS_OK; m++) status = hold(of, which[m], u);
  return status;
}

dls_status dls_mechanisms_strike(dls_mechanisms *of, const dls_block *block, const double *p,
                                 double *u) {
  int which[2];
  const dls_status status = strike(of, block, p, u);
  const int n = status == DLS_OK ? struck_by(of, block, which) : 0;
  for (int m = 0; m < n; m++)
    for (int k = of->start[which[m]]; k < of->start[which[m] + 1]; k++)
      of->C->p_impact[of->row[k]] += of->o[k].pi;
  return status;
}

/* By unit impulses at the velocities u, what they change taken back: only differences are read. */
static dls_status weigh(dls_mechanisms *of, const dls_block *block, double *u, double *kept,
                        double *kept_trees) {
  dls_step *S = of->S;
  dls_trees *t = S->rows.tree ? S->w->trees : NULL;
  const size_t size = (size_t)S->rows.n_bodies * (size_t)S->nu * sizeof(double);
  const size_t size_trees = t ? (size_t)t->forest->nu * sizeof(double) : 0;
  dls_status status = DLS_OK;
  memcpy(kept, u, size);
  if (t) memcpy(kept_trees, t->u_end, size_trees);
  for (int i = 0; i < block->n && status == DLS_OK; i++) {
    double p[DLS_NB(3)] = {0};
    memset(u, 0, size);
    p[i] = 1;
    status = strike(of, block, p, u);
    for (int j = 0; j < block->n; j++)
      of->W[(size_t)(block->row + j) * (size_t)S->nb + (size_t)i] =
          dls_row_speed(S->nu, &S->rows, block, block->row + j, u);
  }
  memcpy(u, kept, size);
  if (t) memcpy(t->u_end, kept_trees, size_trees);
  return status;
}

dls_status dls_mechanisms_weigh(dls_mechanisms *of, const dls_block *block, double *u,
                                const double **W) {
  dls_step *S = of->S;
  const size_t at = (size_t)block->row * (size_t)S->nb;
  const ptrdiff_t number = block - S->rows.block;
  int which[2];
  *W = S->rows.W + at;
  if (struck_by(of, block, which) == 0) return DLS_OK;
  *W = of->W + at;
  if (of->weighed[number]) return DLS_OK;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp), n_u = (size_t)S->rows.n_bodies * (size_t)S->nu;
  const size_t n_trees = S->rows.tree ? (size_t)S->w->trees->forest->nu : 0;
  double *kept = DLS_TAKE(tmp, double, n_u), *kept_trees = DLS_TAKE(tmp, double, n_trees);
  S->rows.need = dls_bytes_add(tmp->size, dls_arena_bytes(n_u, sizeof(double)) +
                                              dls_arena_bytes(n_trees, sizeof(double)));
  if (!kept || !kept_trees) return DLS_FULL;
  const dls_status status = weigh(of, block, u, kept, kept_trees);
  dls_arena_release(tmp, mark);
  of->weighed[number] = status == DLS_OK;
  return status;
}
