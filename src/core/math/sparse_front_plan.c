/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/lanes.h"
#include "core/math/sparse_front.h"
#include "core/math/sparse_order.h"

/* The symbolic half of the multifrontal method, on the graph of the blocks. */

/* Supernodes are merged with their parent where that makes few zeros, by how many columns the two
** have; the shares are those of CHOLMOD (Chen, Davis, Hager & Rajamanickam, ACM TOMS 35, 2008). */
#define ALWAYS 4     /* so few columns are merged whatever the zeros */
#define FEW 16
#define SOME 48
#define SHARE_FEW 0.8
#define SHARE_SOME 0.1
#define SHARE_MANY 0.05

typedef struct plan {
  dls_front *f;       /* of the caller */
  int nb;             /* blocks                                                   */
  const int *block;   /* nb + 1: first row of A                                   */
  int *start, *col;   /* the graph of the blocks, its own column included         */
  int *tree;          /* nb: parent in the elimination tree, in the order         */
  int *perm, *at;     /* nb each: block in place k, and its inverse               */
  int *weight;        /* nb: rows of the block in place k                         */
  int *count;         /* nb: rows of A in its column of R, itself included        */
  int *mark, *tmp;    /* nb each: scratch                                         */
  int *head;          /* nb + 1: first block of a supernode, in places            */
  int n_super;        /* supernodes */
  size_t room;        /* of f->below                                              */
} plan;

/* The graph: two rows of one block have one pattern, so the first row of each is read. */
static dls_status read_graph(plan *p, const dls_sparse *A, const dls_alloc *alloc) {
  const int n = A->n_rows;
  int *block_of = (int *)dls_new(alloc, (size_t)n, sizeof *block_of);
  if (block_of == NULL) return DLS_NOMEM;
  for (int b = 0; b < p->nb; b++)
    for (int i = p->block[b]; i < p->block[b + 1]; i++) block_of[i] = b;
  size_t total = 0;
  for (int pass = 0; pass < 2; pass++) {
    total = 0;
    for (int b = 0; b < p->nb; b++) {
      const int i = p->block[b];
      int last = -1;
      p->start[b] = (int)total;
      for (int e = A->start[i]; e < A->start[i + 1]; e++) {
        const int c = block_of[A->col[e]];
        if (c == last) continue;
        if (pass == 1) p->col[total] = c;
        total++;
        last = c;
      }
    }
    p->start[p->nb] = (int)total;
    if (pass == 0) p->col = (int *)dls_new(alloc, total, sizeof *p->col);
    if (p->col == NULL) break;
  }
  dls_free(alloc, block_of, (size_t)n, sizeof *block_of);
  return p->col == NULL ? DLS_NOMEM : DLS_OK;
}

static dls_status minimum_degree(plan *p, const dls_alloc *alloc) {
  const dls_sparse graph = {.n_rows = p->nb, .n_cols = p->nb, .start = p->start, .col = p->col};
  dls_arena tmp;
  dls_status status = dls_arena_create(
      &tmp, alloc, dls_sparse_order_bytes((size_t)p->nb, (size_t)p->start[p->nb]));
  if (status == DLS_OK) status = dls_sparse_order(&graph, p->perm, &tmp);
  dls_arena_destroy(&tmp, alloc);
  return status;
}

static void invert(plan *p) {
  for (int k = 0; k < p->nb; k++) p->at[p->perm[k]] = k;
}

/* The elimination tree, with shortcuts to the roots in p->tmp. */
static void make_tree(plan *p) {
  for (int k = 0; k < p->nb; k++) {
    const int b = p->perm[k];
    p->tree[k] = p->tmp[k] = -1;
    for (int e = p->start[b]; e < p->start[b + 1]; e++) {
      for (int i = p->at[p->col[e]]; i >= 0 && i < k;) {
        const int next = p->tmp[i];
        p->tmp[i] = k;
        if (next < 0) p->tree[i] = k;
        i = next;
      }
    }
  }
}

/* Renumbers so that a node follows its descendants directly; children in the order they had. */
static void postorder(plan *p) {
  int *child = p->mark, *sibling = p->tmp, *stack = p->count, *order = p->weight;
  for (int k = 0; k < p->nb; k++) child[k] = -1;
  for (int k = p->nb - 1; k >= 0; k--) {
    if (p->tree[k] < 0) continue;
    sibling[k] = child[p->tree[k]];
    child[p->tree[k]] = k;
  }
  int n_done = 0;
  for (int root = 0; root < p->nb; root++) {
    if (p->tree[root] >= 0) continue;
    int top = 0;
    stack[top++] = root;
    while (top > 0) {
      const int k = stack[top - 1];
      if (child[k] >= 0) {
        stack[top++] = child[k];
        child[k] = sibling[child[k]];
      } else {
        order[n_done++] = k;
        top--;
      }
    }
  }
  for (int k = 0; k < p->nb; k++) stack[k] = p->perm[order[k]];
  memcpy(p->perm, stack, (size_t)p->nb * sizeof *stack);
  for (int k = 0; k < p->nb; k++) child[order[k]] = k;
  for (int k = 0; k < p->nb; k++)
    sibling[k] = p->tree[order[k]] < 0 ? -1 : child[p->tree[order[k]]];
  memcpy(p->tree, sibling, (size_t)p->nb * sizeof *sibling);
}

/* Lengths of the columns, in rows of A: row i of R is a subtree of the tree. */
static void count_columns(plan *p) {
  for (int k = 0; k < p->nb; k++) {
    const int b = p->perm[k];
    p->weight[k] = p->count[k] = p->block[b + 1] - p->block[b];
    p->mark[k] = -1;
  }
  for (int k = 0; k < p->nb; k++) {
    const int b = p->perm[k];
    p->mark[k] = k;
    for (int e = p->start[b]; e < p->start[b + 1]; e++)
      for (int i = p->at[p->col[e]]; i < k && p->mark[i] != k; i = p->tree[i]) {
        p->mark[i] = k;
        p->count[i] += p->weight[k];
      }
  }
}

/* --- supernodes ------------------------------------------------------------------------------ */
typedef struct group {
  int first;    /* place of its first block                      */
  double width; /* columns                                       */
  double length; /* rows in the first of them                    */
  double zeros; /* entries that are there only for its shape     */
} group;

static bool worth_merging(const group *lower, const group *upper, double *zeros) {
  const double width = lower->width + upper->width, length = lower->width + upper->length;
  *zeros = lower->zeros + upper->zeros + lower->width * (length - lower->length);
  const double share = *zeros / (width * (length - 0.5 * width));
  if (width <= ALWAYS || *zeros == 0.0) return true;
  return share < (width <= FEW ? SHARE_FEW : width <= SOME ? SHARE_SOME : SHARE_MANY);
}

static dls_status make_groups(plan *p, const dls_alloc *alloc) {
  group *stack = (group *)dls_new(alloc, (size_t)p->nb, sizeof *stack);
  if (stack == NULL) return DLS_NOMEM;
  int top = 0;
  for (int k = 0; k < p->nb; k++) {
    group g = {k, p->weight[k], p->count[k], 0.0};
    while (top > 0) {
      const group *lower = &stack[top - 1];
      double zeros;
      const int above = p->tree[g.first - 1];
      if (above < g.first || above > k || !worth_merging(lower, &g, &zeros)) break;
      g = (group){lower->first, lower->width + g.width, lower->width + g.length, zeros};
      top--;
    }
    stack[top++] = g;
  }
  for (int s = 0; s < top; s++) p->head[s] = stack[s].first;
  p->head[top] = p->nb;
  p->n_super = top;
  dls_free(alloc, stack, (size_t)p->nb, sizeof *stack);
  return DLS_OK;
}

/* Ascending, in place. */
static void heap_sort(int n, int *x) {
  for (int start = n / 2, end = n; end > 1;) {
    if (start > 0) start--;
    else {
      const int t = x[--end];
      x[end] = x[0];
      x[0] = t;
    }
    for (int root = start;;) {
      int child = 2 * root + 1;
      if (child >= end) break;
      if (child + 1 < end && x[child] < x[child + 1]) child++;
      if (x[root] >= x[child]) break;
      const int t = x[root];
      x[root] = x[child];
      x[child] = t;
      root = child;
    }
  }
}

/* The blocks below supernode s, ascending, in p->tmp: those of A and of the children. lists of the
** children are in `kept`, from kept_at[c]. Answers how many. */
static int blocks_below(const plan *p, int s, const int *first_child, const int *next_child,
                        const int *kept, const size_t *kept_at) {
  const int last = p->head[s + 1] - 1;
  int n = 0;
  for (int k = p->head[s]; k <= last; k++) {
    const int b = p->perm[k];
    for (int e = p->start[b]; e < p->start[b + 1]; e++) {
      const int i = p->at[p->col[e]];
      if (i <= last || p->mark[i] == s) continue;
      p->mark[i] = s;
      p->tmp[n++] = i;
    }
  }
  for (int c = first_child[s]; c >= 0; c = next_child[c])
    for (size_t e = kept_at[c]; e < kept_at[c + 1]; e++) {
      const int i = kept[e];
      if (i <= last || p->mark[i] == s) continue;
      p->mark[i] = s;
      p->tmp[n++] = i;
    }
  heap_sort(n, p->tmp);
  return n;
}

typedef struct lists {
  int *super_of;                 /* nb: supernode of a block in its place   */
  int *first_child, *next_child; /* n_super each                            */
  size_t *at;                    /* n_super + 1                             */
  int *kept;                     /* blocks below, all supernodes            */
  size_t room;                   /* of kept                                 */
} lists;

static dls_status keep(const dls_alloc *alloc, lists *l, size_t at, int n, const int *blocks) {
  if (n == 0) return DLS_OK;
  if (at + (size_t)n > l->room) {
    const size_t wanted = 2 * l->room + (size_t)n + 64;
    const dls_status status =
        dls_grow(alloc, (void **)&l->kept, l->room, wanted, sizeof *l->kept);
    if (status != DLS_OK) return status;
    l->room = wanted;
  }
  memcpy(l->kept + at, blocks, (size_t)n * sizeof *blocks);
  return DLS_OK;
}

/* Patterns of all supernodes, in blocks; the parents go to f. */
static dls_status find_patterns(plan *p, lists *l, const dls_alloc *alloc) {
  dls_front *f = p->f;
  for (int s = 0; s < p->n_super; s++) {
    l->first_child[s] = l->next_child[s] = -1;
    for (int k = p->head[s]; k < p->head[s + 1]; k++) l->super_of[k] = s;
  }
  for (int k = 0; k < p->nb; k++) p->mark[k] = -1;
  l->at[0] = 0;
  for (int s = 0; s < p->n_super; s++) {
    const int n = blocks_below(p, s, l->first_child, l->next_child, l->kept, l->at);
    const dls_status status = keep(alloc, l, l->at[s], n, p->tmp);
    if (status != DLS_OK) return status;
    l->at[s + 1] = l->at[s] + (size_t)n;
    f->parent[s] = n > 0 ? l->super_of[p->tmp[0]] : -1;
    if (n == 0) continue;
    l->next_child[s] = l->first_child[f->parent[s]];
    l->first_child[f->parent[s]] = s;
  }
  return DLS_OK;
}

/* --- from blocks to rows --------------------------------------------------------------------- */
static void number_rows(plan *p) {
  dls_front *f = p->f;
  int row = 0;
  for (int s = 0; s < p->n_super; s++) {
    f->first[s] = row;
    for (int k = p->head[s]; k < p->head[s + 1]; k++)
      for (int i = p->block[p->perm[k]]; i < p->block[p->perm[k] + 1]; i++) {
        f->order[row] = i;
        f->place[i] = row;
        f->super_of[row++] = s;
      }
  }
  f->first[p->n_super] = row;
}

static size_t rows_in(const plan *p, const lists *l, int s) {
  size_t n = 0;
  for (size_t e = l->at[s]; e < l->at[s + 1]; e++) n += (size_t)p->weight[l->kept[e]];
  return n;
}

/* Where everything of f begins, and what the updates need at once. */
static dls_status lay_out(plan *p, const lists *l) {
  dls_front *f = p->f;
  size_t stack = 0, wanted = 0;
  double entries = 0.0;
  for (int s = 0; s < p->n_super; s++) {
    const size_t r = rows_in(p, l, s), k = (size_t)(f->first[s + 1] - f->first[s]);
    if (r > INT32_MAX / 2) return DLS_TOOBIG;
    const size_t rp = (size_t)dls_lanes_round((int)r), kp = (size_t)dls_lanes_round((int)k);
    f->below_at[s + 1] = f->below_at[s] + r;
    f->value_at[s + 1] = f->value_at[s] + k * (kp + rp);
    if ((int)r > f->n_widest) f->n_widest = (int)r;
    if (stack + r * rp > wanted) wanted = stack + r * rp;
    for (int c = l->first_child[s]; c >= 0; c = l->next_child[c]) {
      const size_t rc = f->below_at[c + 1] - f->below_at[c];
      stack -= rc * (size_t)dls_lanes_round((int)rc);
    }
    stack += r * rp;
    entries += (double)k * (0.5 * (double)k + (double)r);
  }
  f->n_stack = wanted;
  f->n_entries = entries;
  return DLS_OK;
}

static void fill_below(plan *p, const lists *l, int *row_at) {
  dls_front *f = p->f;
  for (int k = 0, row = 0; k < p->nb; k++) {
    row_at[k] = row;
    row += p->weight[k];
  }
  size_t at = 0;
  for (size_t e = 0; e < l->at[p->n_super]; e++)
    for (int i = 0; i < p->weight[l->kept[e]]; i++) f->below[at++] = row_at[l->kept[e]] + i;
}

static dls_status make_supernodes(plan *p, const dls_alloc *alloc) {
  dls_front *f = p->f;
  const size_t nb = (size_t)p->nb, s = (size_t)p->n_super;
  lists l = {0};
  f->n_super = p->n_super;
  f->first = (int *)dls_new(alloc, s + 1, sizeof *f->first);
  f->parent = (int *)dls_new(alloc, s, sizeof *f->parent);
  f->below_at = (size_t *)dls_new(alloc, s + 1, sizeof *f->below_at);
  f->value_at = (size_t *)dls_new(alloc, s + 1, sizeof *f->value_at);
  l.super_of = (int *)dls_new(alloc, nb, sizeof *l.super_of);
  l.first_child = (int *)dls_new(alloc, s, sizeof *l.first_child);
  l.next_child = (int *)dls_new(alloc, s, sizeof *l.next_child);
  l.at = (size_t *)dls_new(alloc, s + 1, sizeof *l.at);
  dls_status status = DLS_NOMEM;
  if (f->first != NULL && f->parent != NULL && f->below_at != NULL && f->value_at != NULL &&
      l.super_of != NULL && l.first_child != NULL && l.next_child != NULL && l.at != NULL)
    status = find_patterns(p, &l, alloc);
  if (status == DLS_OK) {
    number_rows(p);
    status = lay_out(p, &l);
  }
  if (status == DLS_OK) {
    f->below = (int *)dls_new(alloc, f->below_at[s], sizeof *f->below);
    if (f->below == NULL) status = DLS_NOMEM;
    else fill_below(p, &l, p->tmp);
  }
  dls_free(alloc, l.super_of, nb, sizeof *l.super_of);
  dls_free(alloc, l.first_child, s, sizeof *l.first_child);
  dls_free(alloc, l.next_child, s, sizeof *l.next_child);
  dls_free(alloc, l.at, s + 1, sizeof *l.at);
  dls_free(alloc, l.kept, l.room, sizeof *l.kept);
  return status;
}

static dls_status run(plan *p, const dls_sparse *A, const dls_alloc *alloc) {
  dls_status status = read_graph(p, A, alloc);
  if (status == DLS_OK) status = minimum_degree(p, alloc);
  if (status != DLS_OK) return status;
  invert(p);
  make_tree(p);
  postorder(p);
  invert(p);
  count_columns(p);
  status = make_groups(p, alloc);
  return status == DLS_OK ? make_supernodes(p, alloc) : status;
}

#define N_INTS 8 /* arrays of nb + 1 whole numbers */

dls_status dls_front_plan(dls_front *f, const dls_sparse *A, int n_blocks, const int *block,
                          const dls_alloc *alloc) {
  const size_t n = (size_t)A->n_rows, nb1 = (size_t)n_blocks + 1;
  plan p = {.f = f, .nb = n_blocks, .block = block};
  memset(f, 0, sizeof *f);
  f->alloc = *alloc;
  f->n = A->n_rows;
  int *ints = (int *)dls_new(alloc, N_INTS * nb1, sizeof *ints);
  f->order = (int *)dls_new(alloc, n, sizeof *f->order);
  f->place = (int *)dls_new(alloc, n, sizeof *f->place);
  f->super_of = (int *)dls_new(alloc, n, sizeof *f->super_of);
  dls_status status = DLS_NOMEM;
  if (ints != NULL && f->order != NULL && f->place != NULL && f->super_of != NULL) {
    int **arrays[N_INTS] = {&p.start,  &p.tree,  &p.perm, &p.at,
                            &p.weight, &p.count, &p.mark, &p.tmp};
    for (size_t k = 0; k < N_INTS; k++) *arrays[k] = ints + k * nb1;
    p.head = (int *)dls_new(alloc, nb1, sizeof *p.head);
    if (p.head != NULL) status = run(&p, A, alloc);
  }
  if (p.col != NULL) dls_free(alloc, p.col, (size_t)p.start[n_blocks], sizeof *p.col);
  dls_free(alloc, p.head, nb1, sizeof *p.head);
  dls_free(alloc, ints, N_INTS * nb1, sizeof *ints);
  if (status != DLS_OK) dls_front_destroy(f);
  return status;
}
