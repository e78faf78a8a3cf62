/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/math/sparse_order.h"

/* Variables are live rows; elements are eliminated rows whose clique is still needed. List i holds,
** from start[i], n_element[i] elements and then n_variable[i] variables; that of an element only
** variables, all of them live. */
enum { VARIABLE, ELEMENT, DEAD };

typedef struct graph {
  int n;               /* variables */
  int room, top;       /* places in list, places used                  */
  int *list;           /* all lists                                    */
  int *start;          /* n                                            */
  int *n_element;      /* n                                            */
  int *n_variable;     /* n                                            */
  int *degree;         /* n, approximate external degree               */
  int *head;           /* n: first variable of a degree, -1            */
  int *next, *last;    /* n: neighbours in the list of a degree        */
  int *mark;           /* n: step in which it was met                  */
  int *outside;        /* n: of an element, members not in the newest  */
  int *counted;        /* n: step in which outside was begun           */
  int *scratch;        /* n                                            */
  unsigned char *kind; /* n                                            */
} graph;

#define N_INTS 11

static int n_entries(const dls_sparse *A) { return A->start[A->n_rows]; }

size_t dls_sparse_order_bytes(size_t n, size_t nnz) {
  size_t bytes = dls_arena_bytes(nnz + 4 * n + 8, sizeof(int));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(N_INTS * n, sizeof(int)));
  return dls_bytes_add(bytes, dls_arena_bytes(n, 1));
}

/* --- lists of equal degree ------------------------------------------------------------------ */
static void unlink(graph *g, int i) {
  if (g->last[i] >= 0) g->next[g->last[i]] = g->next[i];
  else g->head[g->degree[i]] = g->next[i];
  if (g->next[i] >= 0) g->last[g->next[i]] = g->last[i];
}

static void link(graph *g, int i, int degree) {
  g->degree[i] = degree;
  g->next[i] = g->head[degree];
  g->last[i] = -1;
  if (g->head[degree] >= 0) g->last[g->head[degree]] = i;
  g->head[degree] = i;
}

/* Entries without their mirror image are left out: the lists rely on symmetry. */
static bool mirrored(const dls_sparse *A, int i, int j) {
  int lo = A->start[j], hi = A->start[j + 1];
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (A->col[mid] < i) lo = mid + 1;
    else hi = mid;
  }
  return lo < A->start[j + 1] && A->col[lo] == i;
}

static void load(graph *g, const dls_sparse *A) {
  for (int i = 0; i < g->n; i++) {
    g->start[i] = g->top;
    g->n_element[i] = 0;
    g->kind[i] = VARIABLE;
    g->mark[i] = g->counted[i] = g->head[i] = -1;
    for (int e = A->start[i]; e < A->start[i + 1]; e++)
      if (A->col[e] != i && mirrored(A, i, A->col[e])) g->list[g->top++] = A->col[e];
    g->n_variable[i] = g->top - g->start[i];
  }
  for (int i = g->n - 1; i >= 0; i--) link(g, i, g->n_variable[i]);
}

/* Closes the gaps: lists are in ascending order of their starts only up to reuse, so each is moved
** through its first place, where its owner is left as a sign. */
static void compact(graph *g) {
  const int used = g->top;
  for (int i = 0; i < g->n; i++) {
    if (g->kind[i] == DEAD || g->n_element[i] + g->n_variable[i] == 0) continue;
    g->scratch[i] = g->list[g->start[i]];
    g->list[g->start[i]] = -1 - i;
  }
  g->top = 0;
  for (int from = 0; from < used;) {
    if (g->list[from] >= 0) {
      from++;
      continue;
    }
    const int i = -1 - g->list[from], length = g->n_element[i] + g->n_variable[i];
    g->start[i] = g->top;
    g->list[g->top++] = g->scratch[i];
    for (int k = 1; k < length; k++) g->list[g->top++] = g->list[from + k];
    from += length;
  }
}

/* --- elimination ---------------------------------------------------------------------------- */
static void gather(graph *g, int step, const int *members, int n) {
  for (int k = 0; k < n; k++) {
    const int v = members[k];
    if (g->kind[v] != VARIABLE || g->mark[v] == step) continue;
    g->mark[v] = step;
    g->list[g->top++] = v;
  }
}

/* p becomes an element: what it, and the elements it belongs to, are next to. */
static void make_element(graph *g, int p, int step) {
  if (g->room - g->top < g->n) compact(g);
  const int first = g->top, *own = g->list + g->start[p], n_element = g->n_element[p];
  g->kind[p] = ELEMENT;
  g->mark[p] = step;
  gather(g, step, own + n_element, g->n_variable[p]);
  for (int k = 0; k < n_element; k++) {
    const int e = own[k];
    gather(g, step, g->list + g->start[e], g->n_variable[e]);
    g->kind[e] = DEAD;
  }
  g->start[p] = first;
  g->n_element[p] = 0;
  g->n_variable[p] = g->top - first;
}

/* Variable i, a member of p, forgets what p stands for. */
static void prune(graph *g, int i, int p, int step) {
  int *own = g->list + g->start[i], n_element = 0, n_variable = 0;
  for (int k = 0; k < g->n_variable[i]; k++) {
    const int v = own[g->n_element[i] + k];
    if (g->kind[v] == VARIABLE && g->mark[v] != step) g->scratch[n_variable++] = v;
  }
  for (int k = 0; k < g->n_element[i]; k++)
    if (g->kind[own[k]] == ELEMENT) own[n_element++] = own[k];
  own[n_element++] = p;
  memcpy(own + n_element, g->scratch, (size_t)n_variable * sizeof *own);
  g->n_element[i] = n_element;
  g->n_variable[i] = n_variable;
}

/* How many members of each older element lie outside p. */
static void count_outside(graph *g, int p, int step) {
  for (int k = 0; k < g->n_variable[p]; k++) {
    const int i = g->list[g->start[p] + k];
    const int *elements = g->list + g->start[i];
    for (int m = 0; m < g->n_element[i]; m++) {
      const int e = elements[m];
      if (e == p) continue;
      if (g->counted[e] != step) {
        g->counted[e] = step;
        g->outside[e] = g->n_variable[e];
      }
      g->outside[e]--;
    }
  }
}

static int degree_of(const graph *g, int i, int p, int n_left) {
  const int *elements = g->list + g->start[i];
  int degree = g->n_variable[i] + g->n_variable[p] - 1;
  for (int m = 0; m < g->n_element[i]; m++)
    if (elements[m] != p) degree += g->outside[elements[m]];
  return degree < n_left - 1 ? degree : n_left - 1;
}

static void eliminate(graph *g, int p, int step) {
  unlink(g, p);
  make_element(g, p, step);
  for (int k = 0; k < g->n_variable[p]; k++) prune(g, g->list[g->start[p] + k], p, step);
  count_outside(g, p, step);
  for (int k = 0; k < g->n_variable[p]; k++) {
    const int i = g->list[g->start[p] + k];
    unlink(g, i);
    link(g, i, degree_of(g, i, p, g->n - step - 1));
  }
}

dls_status dls_sparse_order(const dls_sparse *A, int *order, dls_arena *tmp) {
  const size_t mark = dls_arena_mark(tmp), n = (size_t)A->n_rows;
  graph g = {.n = A->n_rows, .room = n_entries(A) + 4 * A->n_rows + 8};
  g.list = DLS_TAKE(tmp, int, g.room);
  int *ints = DLS_TAKE(tmp, int, N_INTS * n);
  g.kind = DLS_TAKE(tmp, unsigned char, n);
  if (g.list == NULL || ints == NULL || g.kind == NULL) {
    dls_arena_release(tmp, mark);
    return DLS_FULL;
  }
  int **arrays[N_INTS] = {&g.start, &g.n_element, &g.n_variable, &g.degree,  &g.head,   &g.next,
                          &g.last,  &g.mark,      &g.outside,    &g.counted, &g.scratch};
  for (size_t k = 0; k < N_INTS; k++) *arrays[k] = ints + k * n;
  load(&g, A);
  int least = 0;
  for (int step = 0; step < g.n; step++) {
    while (g.head[least] < 0) least++;
    const int p = g.head[least];
    order[step] = p;
    eliminate(&g, p, step);
    for (int k = 0; k < g.n_variable[p]; k++) {
      const int degree = g.degree[g.list[g.start[p] + k]];
      if (degree < least) least = degree;
    }
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
