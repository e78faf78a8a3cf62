/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/pack.h"

/* The path, or NULL where the processor lacks it; of lanes no wider than `widest`. */
static const dls_pack_lanes *choose(int path, int widest) {
  static const dls_pack_lanes *const narrow[DLS_ISA_COUNT] =
      DLS_BY_ISA(dls_pack_lanes_plain, dls_pack_lanes_avx2, dls_pack_lanes_avx512_four);
  static const dls_pack_lanes *const wide[DLS_ISA_COUNT] =
      DLS_BY_ISA(dls_pack_lanes_plain, dls_pack_lanes_avx2, dls_pack_lanes_avx512);
  const int isa = path < 0 ? dls_isa() : path;
  if (isa > dls_isa()) return NULL;
  return widest < 8 ? narrow[isa] : wide[isa];
}

/* 0, 1, 2 for the kinds that are packed, -1 for others. */
static int rank_of_kind(const dls_node *node) {
  if (node->kind == DLS_NODE_REVOLUTE) return 0;
  if (node->kind == DLS_NODE_BALL) return 1;
  return node->kind == DLS_NODE_FREE && node->parent < 0 ? 2 : -1;
}
static const dls_node_kind kinds[3] = {DLS_NODE_REVOLUTE, DLS_NODE_BALL, DLS_NODE_FREE};

/* Scratch of the ordering, all n_nodes long but count. */
typedef struct order {
  int *first, *next;  /* first child, next sibling; -1 none        */
  int *rank;          /* place among the siblings                  */
  int *level, *below; /* nodes of one depth, and of the depth below */
  int *count;         /* n_nodes + 1                               */
} order;

static void link_children(const dls_forest *forest, const order *o) {
  const int n = forest->n_nodes;
  for (int i = 0; i < n; i++) o->first[i] = o->next[i] = -1;
  for (int i = n - 1; i >= 0; i--) {
    const int k = forest->nodes[i].parent;
    if (k < 0) continue;
    o->next[i] = o->first[k];
    o->first[k] = i;
  }
}

/* The level below: by place among siblings, then by the order of the parents (a counting sort).
** Answers how many; they stand in o->level. */
static int descend(const order *o, int n) {
  int n_below = 0, highest = 0;
  for (int i = 0; i < n; i++) {
    int rank = 0;
    for (int k = o->first[o->level[i]]; k >= 0; k = o->next[k]) {
      o->rank[k] = rank++;
      o->below[n_below++] = k;
    }
    if (rank > highest) highest = rank;
  }
  for (int r = 0; r <= highest; r++) o->count[r] = 0;
  for (int i = 0; i < n_below; i++) o->count[o->rank[o->below[i]] + 1]++;
  for (int r = 0; r < highest; r++) o->count[r + 1] += o->count[r];
  for (int i = 0; i < n_below; i++) o->level[o->count[o->rank[o->below[i]]]++] = o->below[i];
  return n_below;
}

/* Slots of one depth: kind by kind, in the order given. Returns the slots used, padded to 8. */
static int place_level(const dls_forest *forest, dls_forest_packs *packs, const int *list, int n,
                       int at, bool write) {
  for (int kind = 0; kind < 3; kind++) {
    const int first = at;
    for (int i = 0; i < n; i++) {
      if (rank_of_kind(&forest->nodes[list[i]]) != kind) continue;
      if (write) {
        packs->node[at] = list[i];
        packs->slot[list[i]] = at;
      }
      at++;
    }
    if (at == first) continue;
    if (write) packs->groups[packs->n_groups] = (dls_pack_group){kinds[kind], first, at - first};
    packs->n_groups++;
    packs->n_fours += (at - first + 3) / 4;
    at = (at + 7) & ~7;
  }
  return at;
}

/* All levels; with write = false it only counts groups and slots. */
static void place_all(const dls_forest *forest, dls_forest_packs *packs, const order *o,
                      bool write) {
  int n = 0, at = 0;
  for (int i = 0; i < forest->n_nodes; i++)
    if (forest->nodes[i].parent < 0) o->level[n++] = i;
  packs->n_groups = packs->n_fours = 0;
  for (; n > 0; n = descend(o, n)) at = place_level(forest, packs, o->level, n, at, write);
  packs->n_slots = at;
}

/* Below these lengths the segments' joins cost more than the lanes save. */
#define SHORTEST_BALLS 12
#define SHORTEST_HINGES 24
#define EIGHT_FROM 128 /* shorter chains are cut into four segments */

/* A link cut off must turn by itself: not much lighter than the heaviest, about its own axis. */
#define LIGHTEST 1e-6

/* Links where the forest is one chain of balls or of hinges long enough, else 0. */
static int chain_length(const dls_forest *forest) {
  const dls_node *nodes = forest->nodes;
  const bool hinges = nodes[0].kind == DLS_NODE_REVOLUTE;
  double most = 0, least = DLS_INF;
  if (forest->n_nodes < (hinges ? SHORTEST_HINGES : SHORTEST_BALLS)) return 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    if (nodes[i].kind != nodes[0].kind || nodes[i].parent != i - 1) return 0;
    most = dls_max(most, nodes[i].M.J[5]);
    least = dls_min(least, nodes[i].M.J[5]);
  }
  if (hinges ? !(least > LIGHTEST * most) : nodes[0].kind != DLS_NODE_BALL) return 0;
  return forest->n_nodes;
}

/* Are the parents of the pack at slot s a pack in the same lanes? Padding may stand on padding
** only: it passes something up. -1: there are no parents. */
static signed char alignment(const dls_forest_packs *packs, int s, int n) {
  const int width = packs->lanes->width, k = packs->parent[s];
  if (k < 0) return -1;
  if (k % width != 0) return 0;
  for (int l = 1; l < width; l++)
    if (l < n ? packs->parent[s + l] != k + l : packs->node[k + l] >= 0) return 0;
  return 1;
}

static void connect(dls_forest_packs *packs) {
  const int width = packs->lanes->width;
  for (int s = 0; s < packs->n_slots; s++) {
    const int i = packs->node[s], k = i >= 0 ? packs->forest->nodes[i].parent : -1;
    packs->parent[s] = k >= 0 ? packs->slot[k] : -1;
  }
  for (int g = 0; g < packs->n_groups; g++) {
    const dls_pack_group *group = &packs->groups[g];
    for (int s = 0; s < group->n; s += width)
      packs->aligned[(group->first + s) / width] =
          alignment(packs, group->first + s, group->n - s);
  }
}

/* A pack of eight costs about half as much again as a pack of four. */
static bool eights_pay(const dls_forest_packs *packs) {
  return 2 * packs->n_fours > 3 * (packs->n_slots / 8);
}

static bool suits(const dls_forest *forest) {
  for (int i = 0; i < forest->n_nodes; i++)
    if (rank_of_kind(&forest->nodes[i]) < 0) return false;
  return forest->n_nodes > 0;
}

static size_t bytes_of(const dls_forest_packs *packs, int n_nodes) {
  const size_t n = (size_t)packs->n_slots, n_packs = n / (size_t)packs->lanes->width;
  size_t bytes = dls_arena_bytes(2 * n + (size_t)n_nodes, sizeof(int));
  bytes = dls_bytes_add(bytes, 2 * DLS_ALIGN);
  bytes = dls_bytes_add(bytes, dls_arena_bytes((size_t)packs->n_groups, sizeof(dls_pack_group)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n_packs, 1));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n_packs, packs->lanes->constant_bytes));
  return dls_bytes_add(bytes, dls_arena_bytes(n_packs, packs->lanes->work_bytes));
}

static dls_status build_chain(dls_forest_packs *packs) {
  const dls_pack_lanes *lanes = packs->lanes;
  const size_t parts = (size_t)(packs->segments / lanes->width);
  const size_t n = parts * (size_t)packs->length, n_links = n + parts; /* see chain.inc.h */
  const size_t bytes = dls_bytes_add(dls_arena_bytes(n_links, lanes->link_bytes[packs->hinges]),
                                     dls_arena_bytes(n, lanes->chain_bytes[packs->hinges]));
  const dls_status status = dls_arena_create(&packs->arena, &packs->forest->alloc, bytes);
  if (status != DLS_OK) return status;
  packs->constants = dls_arena_take(&packs->arena, n_links, lanes->link_bytes[packs->hinges]);
  packs->work = dls_arena_take(&packs->arena, n, lanes->chain_bytes[packs->hinges]);
  if (packs->work == NULL) return DLS_NOMEM;
  lanes->fill(packs);
  return DLS_OK;
}

static dls_status build(dls_forest_packs *packs, const dls_forest *forest, const order *o) {
  const dls_status status =
      dls_arena_create(&packs->arena, &forest->alloc, bytes_of(packs, forest->n_nodes));
  if (status != DLS_OK) return status;
  dls_arena *arena = &packs->arena;
  const size_t n_packs = (size_t)packs->n_slots / (size_t)packs->lanes->width;
  packs->node = DLS_TAKE(arena, int, packs->n_slots);
  packs->parent = DLS_TAKE(arena, int, packs->n_slots);
  packs->slot = DLS_TAKE(arena, int, forest->n_nodes);
  packs->groups = DLS_TAKE(arena, dls_pack_group, packs->n_groups);
  packs->aligned = DLS_TAKE(arena, signed char, n_packs);
  packs->constants = dls_arena_take(arena, n_packs, packs->lanes->constant_bytes);
  packs->work = dls_arena_take(arena, n_packs, packs->lanes->work_bytes);
  if (packs->work == NULL) return DLS_NOMEM;
  for (int s = 0; s < packs->n_slots; s++) packs->node[s] = -1;
  place_all(forest, packs, o, true);
  connect(packs);
  packs->lanes->fill(packs);
  return DLS_OK;
}

dls_status dls_forest_packs_create(dls_forest_packs **out, const dls_forest *forest, int path) {
  *out = NULL;
  const dls_pack_lanes *lanes = choose(path, 8);
  if (lanes == NULL || !suits(forest)) return DLS_OK;
  const size_t n = (size_t)forest->n_nodes;
  int *scratch = dls_new(&forest->alloc, 6 * n + 1, sizeof(int));
  dls_forest_packs *packs = dls_new(&forest->alloc, 1, sizeof *packs);
  dls_status status = DLS_NOMEM;
  bool bushy = true;
  if (packs != NULL) packs->forest = forest;
  if (scratch != NULL && packs != NULL) {
    const order o = {scratch,         scratch + n,     scratch + 2 * n,
                     scratch + 3 * n, scratch + 4 * n, scratch + 5 * n};
    packs->lanes = lanes;
    const int links = chain_length(forest);
    if (links > 0) {
      packs->hinges = forest->nodes[0].kind == DLS_NODE_REVOLUTE;
      packs->segments = links < EIGHT_FROM ? 4 : 8;
      if (lanes->width > packs->segments) packs->lanes = choose(path, 4);
      packs->length = (links + packs->segments - 1) / packs->segments;
      status = build_chain(packs);
    } else {
      link_children(forest, &o);
      place_all(forest, packs, &o, false);
      bushy = forest->n_nodes >= packs->n_slots / 4; /* two nodes in eight slots */
      if (lanes->width == 8 && !eights_pay(packs)) packs->lanes = choose(path, 4);
      status = bushy ? build(packs, forest, &o) : DLS_OK;
    }
  }
  dls_free(&forest->alloc, scratch, 6 * n + 1, sizeof(int));
  if (status == DLS_OK && bushy)
    *out = packs;
  else if (packs != NULL)
    dls_forest_packs_destroy(packs);
  return status;
}

void dls_forest_packs_destroy(dls_forest_packs *packs) {
  if (packs == NULL || packs->forest == NULL) return;
  const dls_alloc alloc = packs->forest->alloc;
  if (packs->arena.block != NULL) dls_arena_destroy(&packs->arena, &alloc);
  dls_free(&alloc, packs, 1, sizeof *packs);
}
