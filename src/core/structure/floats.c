/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/union_find.h"
#include "core/math/dense.h"
#include "core/structure/dofs.h"

/* Rigid motions (u_x, u_y, phi) of each part about its middle, lengths in units of its size, so
** that all three are alike. Every support, spring and contact is a row c with c . motion = 0;
** what is left free is the null space of the sum of c c'. */

#define PARTS_MOST 600   /* a Gram matrix of 1800 rows: 26 MB, half a second        */
#define ZERO 1e-12       /* of a unit row's square: the motion is free to round-off  */
#define NOTICEABLE 1e-6  /* of the largest number of a free motion                  */

typedef struct part {
  int first, count;  /* lowest node, nodes                   */
  double middle[2];  /* m                                    */
  double size;       /* m, from the middle to the last node  */
} part;

typedef struct parts {
  const dls_structure *st; /* borrowed */
  int n;            /* parts                                */
  int *of;          /* n_nodes: part of a node, -1 absent   */
  part *list;       /* n                                    */
  double *G;        /* 3 n x ld, the Gram matrix            */
  size_t ld;        /* row distance of G */
} parts;

/* Joins what elements connect; the root of a part is its lowest node. */
static void join(int *up, const dls_structure *st) {
  for (int i = 0; i < st->n_nodes; i++) up[i] = i;
  for (int k = 0; k < st->n_elements; k++) {
    const dls_element *e = &st->elements[k];
    for (int i = 1; i < dls_element_nodes(e); i++) dls_unite(up, e->node[0], e->node[i]);
  }
}

/* Numbers the parts of present nodes; answers how many. */
static int number(int *of, const dls_dofs *dofs, const dls_structure *st) {
  int n = 0;
  for (int i = 0; i < st->n_nodes; i++) (void)dls_root_of(of, i);
  for (int i = st->n_nodes - 1; i >= 0; i--) of[i] = dls_root_of(of, i);
  for (int i = 0; i < st->n_nodes; i++) {
    const bool present = dofs->number[3 * i] != DLS_DOF_ABSENT;
    if (of[i] == i) of[i] = present ? -2 - n++ : -1;
    else of[i] = of[of[i]];
  }
  for (int i = 0; i < st->n_nodes; i++)
    if (of[i] < -1) of[i] = -2 - of[i];
  return n;
}

static void measure(parts *p) {
  const dls_structure *st = p->st;
  for (int k = 0; k < p->n; k++) p->list[k] = (part){.first = -1};
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < st->n_nodes; i++) {
      if (p->of[i] < 0) continue;
      part *q = &p->list[p->of[i]];
      const double *at = st->nodes[i].at;
      if (pass == 0) {
        if (q->first < 0) q->first = i;
        q->count++;
        q->middle[0] += at[0];
        q->middle[1] += at[1];
      } else {
        const double dx = at[0] - q->middle[0] / q->count, dy = at[1] - q->middle[1] / q->count;
        q->size = dls_max(q->size, sqrt(dx * dx + dy * dy));
      }
    }
  for (int k = 0; k < p->n; k++) {
    part *q = &p->list[k];
    q->middle[0] /= q->count;
    q->middle[1] /= q->count;
  }
}

/* A row: up to three parts and their three numbers. */
typedef struct row {
  int n; /* parts, at most 3 */
  int part[3]; /* n: their numbers */
  double c[3][3]; /* n x 3: by x, y and rotation of the part */
} row;

static void add_term(const parts *p, row *r, int node, double cx, double cy, double turn) {
  const int k = p->of[node];
  const part *q = &p->list[k];
  const double size = q->size > 0.0 ? q->size : 1.0;
  const double x = (p->st->nodes[node].at[0] - q->middle[0]) / size;
  const double y = (p->st->nodes[node].at[1] - q->middle[1]) / size;
  int t = 0;
  while (t < r->n && r->part[t] != k) t++;
  if (t == r->n) {
    r->part[r->n++] = k;
    memset(r->c[t], 0, sizeof r->c[t]);
  }
  r->c[t][0] += cx;
  r->c[t][1] += cy;
  r->c[t][2] += cy * x - cx * y + turn;
}

static void add_row(parts *p, const row *r) {
  for (int s = 0; s < r->n; s++)
    for (int t = 0; t < r->n; t++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          p->G[(size_t)(3 * r->part[s] + i) * p->ld + (size_t)(3 * r->part[t] + j)] +=
              r->c[s][i] * r->c[t][j];
}

static void add_supports(parts *p) {
  const dls_structure *st = p->st;
  for (int i = 0; i < st->n_nodes; i++)
    for (int d = 0; d < 3; d++) {
      row r = {.n = 0};
      if (!(st->nodes[i].held >> d & 1) || p->of[i] < 0) continue;
      add_term(p, &r, i, d == 0, d == 1, d == 2);
      add_row(p, &r);
    }
  for (int k = 0; k < st->n_springs; k++) {
    const dls_structure_spring *s = &st->springs[k];
    row r = {.n = 0};
    if (s->stiffness == 0.0) continue;
    add_term(p, &r, s->node, s->dof == 0, s->dof == 1, s->dof == 2);
    add_row(p, &r);
  }
}

static void add_contacts(parts *p) {
  const dls_structure *st = p->st;
  for (int k = 0; k < st->n_contacts; k++) {
    const dls_contact_pair *c = &st->contacts[k];
    for (int axis = 0; axis < (c->friction > 0.0 ? 2 : 1); axis++) {
      const double x = axis == 0 ? c->normal[0] : c->normal[1];
      const double y = axis == 0 ? c->normal[1] : -c->normal[0];
      const double share = c->a[1] < 0 ? 0.0 : c->share;
      row r = {.n = 0};
      add_term(p, &r, c->b, x, y, 0.0);
      if (c->a[0] >= 0) add_term(p, &r, c->a[0], -(1.0 - share) * x, -(1.0 - share) * y, 0.0);
      if (c->a[1] >= 0) add_term(p, &r, c->a[1], -share * x, -share * y, 0.0);
      add_row(p, &r);
    }
  }
}

/* A part of one node has no rotation of its own. */
static void hold_points(parts *p) {
  for (int k = 0; k < p->n; k++) {
    const size_t i = (size_t)(3 * k + 2);
    if (p->list[k].size == 0.0) p->G[i * p->ld + i] += 1.0;
  }
}

/* The free motion in which unknown perm[j] is 1 and the others past the rank are 0, in v (3 n). */
static void free_motion(const parts *p, const int *perm, int rank, int j, double *v) {
  for (int i = 0; i < 3 * p->n; i++) v[i] = 0.0;
  v[perm[j]] = 1.0;
  for (int i = rank - 1; i >= 0; i--) {
    const double *r = p->G + (size_t)i * p->ld;
    double sum = r[j];
    for (int c = i + 1; c < rank; c++) sum += r[c] * v[perm[c]];
    v[perm[i]] = -sum / r[i];
  }
}

/* Names the motion of the first part that takes part in v: its rotation where it turns, else the
** larger of the two translations. */
static void name_motion(const parts *p, const double *v, dls_structure_fault *fault) {
  double most = 0.0;
  for (int i = 0; i < 3 * p->n; i++) most = dls_max(most, fabs(v[i]));
  for (int k = 0; k < p->n; k++) {
    const double x = fabs(v[3 * k]), y = fabs(v[3 * k + 1]), turn = fabs(v[3 * k + 2]);
    if (dls_max(dls_max(x, y), turn) <= NOTICEABLE * most) continue;
    if (fault->kind == DLS_FLAW_FLOATS && fault->node != p->list[k].first) return;
    fault->kind = DLS_FLAW_FLOATS;
    fault->node = p->list[k].first;
    fault->count = p->list[k].count;
    fault->motions |= turn > NOTICEABLE * most ? 4 : (x >= y ? 1 : 2);
    return;
  }
}

static dls_status judge(parts *p, dls_structure_fault *fault, int *perm, double *v) {
  add_supports(p);
  add_contacts(p);
  hold_points(p);
  const int n = 3 * p->n;
  const int rank = dls_dense_cholesky_pivoted(n, p->G, p->ld, ZERO, perm);
  for (int j = rank; j < n; j++) {
    free_motion(p, perm, rank, j, v);
    name_motion(p, v, fault);
  }
  return rank < n ? DLS_ARG : DLS_OK;
}

dls_status dls_structure_floats(const dls_structure *st, const dls_dofs *dofs,
                                dls_structure_fault *fault) {
  const dls_alloc *alloc = &st->alloc;
  const size_t n_nodes = (size_t)st->n_nodes;
  parts p = {.st = st};
  dls_status status = DLS_NOMEM;
  p.of = (int *)dls_new(alloc, n_nodes, sizeof *p.of);
  if (p.of == NULL) return DLS_NOMEM;
  join(p.of, st);
  p.n = number(p.of, dofs, st);
  const size_t n = 3 * (size_t)p.n;
  p.ld = dls_lanes_ld((int)n);
  if (p.n == 0 || p.n > PARTS_MOST) {
    dls_free(alloc, p.of, n_nodes, sizeof *p.of);
    return DLS_OK;
  }
  p.list = (part *)dls_new(alloc, (size_t)p.n, sizeof *p.list);
  p.G = (double *)dls_new(alloc, n * p.ld, sizeof *p.G);
  int *perm = (int *)dls_new(alloc, n, sizeof *perm);
  double *v = (double *)dls_new(alloc, n, sizeof *v);
  if (p.list != NULL && p.G != NULL && perm != NULL && v != NULL) {
    measure(&p);
    status = judge(&p, fault, perm, v);
  }
  dls_free(alloc, p.of, n_nodes, sizeof *p.of);
  dls_free(alloc, p.list, (size_t)p.n, sizeof *p.list);
  dls_free(alloc, p.G, n * p.ld, sizeof *p.G);
  dls_free(alloc, perm, n, sizeof *perm);
  dls_free(alloc, v, n, sizeof *v);
  return status;
}
