/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/structure/assembly.h"

#include "core/structure/element.h"

/* --- the graph of the nodes ------------------------------------------------------------------ */
/* What joins nodes: elements, then contacts. */
static int joined(const dls_structure *st, int k, int node[4]) {
  if (k < st->n_elements) {
    const dls_element *e = &st->elements[k];
    for (int i = 0; i < dls_element_nodes(e); i++) node[i] = e->node[i];
    return dls_element_nodes(e);
  }
  const dls_contact_pair *c = &st->contacts[k - st->n_elements];
  int n = 0;
  node[n++] = c->b;
  for (int i = 0; i < 2; i++)
    if (c->a[i] >= 0) node[n++] = c->a[i];
  return n;
}

typedef struct graph {
  int n_joints;  /* elements and contacts                        */
  int *at;       /* n_nodes + 1                                  */
  int *joint;    /* what a node belongs to, from at[node]        */
  int *mark;     /* n_nodes                                      */
  int *near;     /* n_nodes: scratch, the neighbours of a node   */
  size_t n_ends; /* places of joint                              */
} graph;

static dls_status make_graph(graph *g, const dls_structure *st) {
  const size_t n = (size_t)st->n_nodes;
  int node[4];
  g->n_joints = st->n_elements + st->n_contacts;
  g->at = (int *)dls_new(&st->alloc, n + 1, sizeof *g->at);
  g->mark = (int *)dls_new(&st->alloc, n, sizeof *g->mark);
  g->near = (int *)dls_new(&st->alloc, n, sizeof *g->near);
  if (g->at == NULL || g->mark == NULL || g->near == NULL) return DLS_NOMEM;
  for (int k = 0; k < g->n_joints; k++)
    for (int i = joined(st, k, node) - 1; i >= 0; i--) g->at[node[i]]++;
  for (size_t i = 0; i < n; i++) {
    g->n_ends += (size_t)g->at[i];
    if (g->n_ends > INT32_MAX) return DLS_TOOBIG;
    g->at[i] = (int)g->n_ends;
  }
  g->at[n] = (int)g->n_ends;
  g->joint = (int *)dls_new(&st->alloc, g->n_ends, sizeof *g->joint);
  if (g->joint == NULL) return DLS_NOMEM;
  for (int k = g->n_joints - 1; k >= 0; k--)
    for (int i = joined(st, k, node) - 1; i >= 0; i--) g->joint[--g->at[node[i]]] = k;
  for (size_t i = 0; i < n; i++) g->mark[i] = -1;
  return DLS_OK;
}

static void free_graph(graph *g, const dls_structure *st) {
  const size_t n = (size_t)st->n_nodes;
  dls_free(&st->alloc, g->at, n + 1, sizeof *g->at);
  dls_free(&st->alloc, g->mark, n, sizeof *g->mark);
  dls_free(&st->alloc, g->near, n, sizeof *g->near);
  dls_free(&st->alloc, g->joint, g->n_ends, sizeof *g->joint);
}

/* The neighbours of a node, itself included, ascending, in g->near; answers how many. */
static int neighbours(graph *g, const dls_structure *st, int node) {
  int n = 0, other[4];
  g->mark[node] = node;
  g->near[n++] = node;
  for (int e = g->at[node]; e < g->at[node + 1]; e++)
    for (int i = joined(st, g->joint[e], other) - 1; i >= 0; i--)
      if (g->mark[other[i]] != node) {
        g->mark[other[i]] = node;
        g->near[n++] = other[i];
      }
  for (int i = 1; i < n; i++) { /* few: by insertion */
    const int x = g->near[i];
    int k = i;
    for (; k > 0 && g->near[k - 1] > x; k--) g->near[k] = g->near[k - 1];
    g->near[k] = x;
  }
  return n;
}

/* --- the pattern ----------------------------------------------------------------------------- */
static dls_status make_pattern(dls_stiffness *K, const dls_structure *st, const dls_dofs *dofs,
                               graph *g) {
  size_t total = 0;
  for (int pass = 0; pass < 2; pass++) {
    total = 0;
    for (int b = 0; b < dofs->n_blocks; b++) {
      const int n = neighbours(g, st, dofs->node_of[dofs->block[b]]);
      for (int i = 0; i < n; i++) g->mark[g->near[i]] = -1;
      for (int i = dofs->block[b]; i < dofs->block[b + 1]; i++) {
        K->start[i] = (int)total;
        for (int k = 0; k < 3 * n; k++) {
          const int j = dofs->number[3 * g->near[k / 3] + k % 3];
          if (j < 0) continue;
          if (pass == 1) K->col[total] = j;
          total++;
        }
        if (total > INT32_MAX - 64) return DLS_TOOBIG;
      }
    }
    K->start[dofs->n] = (int)total;
    if (pass == 1) break;
    K->col = (int *)dls_new(&st->alloc, total, sizeof *K->col);
    K->value = (double *)dls_new(&st->alloc, total, sizeof *K->value);
    if (K->col == NULL || K->value == NULL) return DLS_NOMEM;
  }
  K->A = (dls_sparse){dofs->n, dofs->n, K->start, K->col, K->value};
  return DLS_OK;
}

static void add(dls_stiffness *K, int i, int j, double value) {
  int lo = K->start[i], hi = K->start[i + 1];
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    if (K->col[mid] < j) lo = mid + 1;
    else hi = mid;
  }
  K->value[lo] += value;
}

void dls_element_numbers(const dls_dofs *dofs, const dls_element *e, int *number) {
  const int each = dls_element_node_dofs(e);
  for (int i = 0; i < dls_element_nodes(e); i++)
    for (int d = 0; d < each; d++) *number++ = dofs->number[3 * e->node[i] + d];
}

static void add_elements(dls_stiffness *K, const dls_structure *st, const dls_dofs *dofs) {
  double k[DLS_ELEMENT_MOST * DLS_ELEMENT_MOST], heat[DLS_ELEMENT_MOST];
  int number[DLS_ELEMENT_MOST];
  for (int e = 0; e < st->n_elements; e++) {
    const int n = dls_element_dofs(&st->elements[e]);
    dls_element_matrix(st, &st->elements[e], k, heat);
    dls_element_numbers(dofs, &st->elements[e], number);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n && number[i] >= 0; j++)
        if (number[j] >= 0) add(K, number[i], number[j], k[n * i + j]);
  }
  for (int s = 0; s < st->n_springs; s++) {
    const int i = dofs->number[3 * st->springs[s].node + st->springs[s].dof];
    if (i >= 0) add(K, i, i, st->springs[s].stiffness);
  }
}

/* --- links ----------------------------------------------------------------------------------- */

/* The largest stiffness on the diagonal at a node, 0 where all of it is held or nothing resists. */
static double stiffness_at(const dls_stiffness *K, const dls_dofs *dofs, int node) {
  double most = 0.0;
  for (int d = 0; d < 2; d++) {
    const int i = dofs->number[3 * node + d];
    if (i >= 0) most = dls_max(most, dls_sparse_at(&K->A, i, i));
  }
  return most;
}

static double power_of_four(double x) {
  double power = 1.0;
  while (power < x && power < 1e300) power *= 4.0;
  while (power > x && power > 1e-300) power *= 0.25;
  return power;
}

/* What stands for a side without stiffness of its own. */
static double usual_stiffness(const dls_stiffness *K) {
  double sum = 0.0;
  int n = 0;
  for (int i = 0; i < K->A.n_rows; i++) {
    const double k = dls_sparse_at(&K->A, i, i);
    sum += k;
    n += k > 0.0;
  }
  return n > 0 ? sum / n : 1.0;
}

static void add_links(dls_stiffness *K, const dls_dofs *dofs, dls_links *links) {
  const double usual = usual_stiffness(K);
  for (int k = 0; k < links->n; k++) {
    dls_structure_link *l = &links->link[k];
    double least = DLS_INF;
    for (int i = 0; i < l->n; i++) {
      const double own = l->dof[i] < 0 ? 0.0 : stiffness_at(K, dofs, l->place[i] / 3);
      if (own > 0.0) least = dls_min(least, own);
    }
    l->weight = power_of_four(least < DLS_INF ? least : usual);
  }
  for (int k = 0; k < links->n; k++) {
    const dls_structure_link *l = &links->link[k];
    for (int i = 0; i < l->n; i++)
      for (int j = 0; j < l->n && l->dof[i] >= 0; j++)
        if (l->dof[j] >= 0) add(K, l->dof[i], l->dof[j], l->weight * l->c[i] * l->c[j]);
  }
}

#define ALONG 1e-15 /* of a unit vector: a component below is round-off, as of cos(pi/2) = 6e-17 */

/* A link that reads direction (x, y) of the contact; answers whether an unknown takes part. */
static bool make_link(dls_structure_link *l, const dls_structure *st, const dls_dofs *dofs,
                      const dls_contact_pair *c, double x, double y) {
  const double share = c->a[1] < 0 ? 0.0 : c->share;
  const int node[3] = {c->b, c->a[0], c->a[1]};
  const double part[3] = {1.0, share - 1.0, -share}, direction[2] = {x, y};
  bool moves = false;
  memset(l, 0, sizeof *l);
  for (int i = 0; i < 3; i++)
    for (int d = 0; d < 2; d++) {
      const double value = part[i] * direction[d];
      if (node[i] < 0 || fabs(value) <= ALONG) continue;
      const dls_structure_node *at = &st->nodes[node[i]];
      l->place[l->n] = 3 * node[i] + d;
      l->dof[l->n] = dofs->number[3 * node[i] + d];
      l->c[l->n] = value;
      moves = moves || l->dof[l->n] >= 0;
      for (int g = 0; g < 2 && l->dof[l->n] < 0; g++) l->shift[g] += value * at->shift[g][d];
      l->n++;
    }
  return moves;
}

void dls_links_destroy(dls_links *links) {
  const size_t m = (size_t)links->m;
  if (links->alloc.fn != NULL) {
    dls_free(&links->alloc, links->tangent, m, sizeof *links->tangent);
    dls_free(&links->alloc, links->link, 2 * m, sizeof *links->link);
  }
  memset(links, 0, sizeof *links);
}

static dls_status find_links(dls_links *links, const dls_structure *st, const dls_dofs *dofs,
                             dls_structure_fault *fault) {
  links->n = links->m;
  for (int k = 0; k < links->m; k++) {
    const dls_contact_pair *c = &st->contacts[k];
    links->tangent[k] = -1;
    if (!make_link(&links->link[k], st, dofs, c, c->normal[0], c->normal[1])) {
      fault->kind = DLS_FLAW_HELD;
      fault->contact = k;
      return DLS_ARG;
    }
    links->link[k].contact = k;
    if (!(c->friction > 0.0)) continue;
    dls_structure_link *t = &links->link[links->n];
    if (!make_link(t, st, dofs, c, c->normal[1], -c->normal[0])) continue;
    t->contact = k;
    links->tangent[k] = links->n++;
  }
  return DLS_OK;
}

dls_status dls_links_find(dls_links *links, const dls_structure *st, const dls_dofs *dofs,
                          dls_structure_fault *fault) {
  const size_t m = (size_t)st->n_contacts;
  links->alloc = st->alloc;
  links->m = st->n_contacts;
  links->tangent = (int *)dls_new(&st->alloc, m, sizeof *links->tangent);
  links->link = (dls_structure_link *)dls_new(&st->alloc, 2 * m, sizeof *links->link);
  dls_status status = DLS_NOMEM;
  if (links->tangent != NULL && links->link != NULL) status = find_links(links, st, dofs, fault);
  if (status != DLS_OK) dls_links_destroy(links);
  return status;
}

/* --- all of it ------------------------------------------------------------------------------- */
void dls_stiffness_destroy(dls_stiffness *K) {
  if (K->alloc.fn != NULL) {
    const size_t n = (size_t)K->A.n_rows, total = K->start == NULL ? 0 : (size_t)K->start[n];
    dls_free(&K->alloc, K->col, total, sizeof *K->col);
    dls_free(&K->alloc, K->value, total, sizeof *K->value);
    dls_free(&K->alloc, K->start, n + 1, sizeof *K->start);
  }
  memset(K, 0, sizeof *K);
}

dls_status dls_stiffness_assemble(dls_stiffness *K, const dls_structure *st, const dls_dofs *dofs,
                                  dls_links *links) {
  graph g = {0};
  K->alloc = st->alloc;
  K->A.n_rows = dofs->n;
  K->start = (int *)dls_new(&st->alloc, (size_t)dofs->n + 1, sizeof *K->start);
  dls_status status = K->start == NULL ? DLS_NOMEM : make_graph(&g, st);
  if (status == DLS_OK) status = make_pattern(K, st, dofs, &g);
  free_graph(&g, st);
  if (status != DLS_OK) {
    dls_stiffness_destroy(K);
    return status;
  }
  add_elements(K, st, dofs);
  add_links(K, dofs, links);
  return DLS_OK;
}

/* Forces of a node on an element that is held at its prescribed displacements and warmed up. */
static void add_held(const dls_structure *st, const dls_dofs *dofs, const dls_element *e, int part,
                     double *f) {
  double k[DLS_ELEMENT_MOST * DLS_ELEMENT_MOST], heat[DLS_ELEMENT_MOST], shift[DLS_ELEMENT_MOST];
  int number[DLS_ELEMENT_MOST];
  const int n = dls_element_dofs(e), each = dls_element_node_dofs(e);
  bool any = e->heat[part] != 0.0 && e->expansion != 0.0;
  for (int i = 0; i < n; i++) {
    const dls_structure_node *node = &st->nodes[e->node[i / each]];
    shift[i] = node->held >> (i % each) & 1 ? node->shift[part][i % each] : 0.0;
    any = any || shift[i] != 0.0;
  }
  if (!any) return;
  dls_element_matrix(st, e, k, heat);
  dls_element_numbers(dofs, e, number);
  for (int i = 0; i < n; i++) {
    if (number[i] < 0) continue;
    double sum = heat[i] * e->heat[part];
    for (int j = 0; j < n; j++) sum -= k[n * i + j] * shift[j];
    f[number[i]] += sum;
  }
}

void dls_structure_forces(const dls_structure *st, const dls_dofs *dofs, int part, double *f) {
  for (int i = 0; i < dofs->n; i++) f[i] = 0.0;
  for (int i = 0; i < st->n_nodes; i++)
    for (int d = 0; d < 3; d++) {
      const int at = dofs->number[3 * i + d];
      if (at >= 0) f[at] = st->nodes[i].load[part][d];
    }
  for (int e = 0; e < st->n_elements; e++) add_held(st, dofs, &st->elements[e], part, f);
}
