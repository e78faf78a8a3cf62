/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/linear_contacts.h"

#include "core/rows/impulses.h"
#include "core/rows/residual.h"
#include "core/rows/tree_rows.h"

enum { NU = 3, ROW = DLS_GRAPH_ROW, NU2 = 12, DOWN = 1, ACROSS = 4 };

/* As much to one side as to the other; one without a bound is an equation. */
static bool is_bounded(const dls_block *block) {
  return block->kind == DLS_ROW_BOX && block->n == 1 && block->lo == -block->hi;
}

bool dls_all_planar_contacts(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL &&
        block->kind != DLS_ROW_ROLLING && !is_bounded(block) &&
        !dls_is_soft_equation(rows, block))
      return false;
  }
  return true;
}

const double dls_no_row_2[6];

static inline bool rolls(const dls_block *block) {
  return block->kind == DLS_ROW_ROLLING && block->mu[1] > 0;
}

/* Row i of a contact. */
static void set_row(const dls_rows *rows, dls_contact_2 *c, int i, int row) {
  c->row[i] = row;
  c->gamma[i] = rows->gamma[row];
  c->J[i] = rows->J + (size_t)row * 2 * NU;
  c->MJ[i] = rows->MJ + (size_t)row * 2 * NU;
}

/* The rolling friction of contact k as contact at. */
static void add_turn(const dls_rows *rows, dls_linear_contacts *C, int k, int at) {
  dls_contact_2 *c = &C->contact[k], *turn = &C->contact[at];
  const dls_block *block = &rows->block[c->block];
  const double length = rows->length[block->row + 2];
  *turn = *c;
  turn->mu = block->mu[1];
  turn->n = 2;
  set_row(rows, turn, 1, block->row + 2);
  turn->norm[1] = c->norm[0] / (length * length);
  turn->J[0] = dls_no_row_2;
  turn->from = 1;
  turn->turn = k;
  c->turn = at;
}

/* The graph, and what the contacts share beside its bodies. */
static dls_status build_graph(const dls_island *island, dls_linear_contacts *C) {
  dls_rows *rows = island->rows;
  dls_arena *tmp = island->tmp;
  C->supported = NULL;
  C->island = island;
  if (!island->on)
    return dls_body_graph_build(rows, island->blocks, island->n, NULL, tmp, &C->graph);
  bool *late = DLS_TAKE(tmp, bool, rows->n_bodies);
  if (!late) return dls_want(rows, tmp, (size_t)rows->n_bodies);
  dls_mark_supported(island, late);
  dls_status status =
      dls_body_graph_build(rows, island->blocks, island->n, late, tmp, &C->graph);
  if (status != DLS_OK) return status;
  C->supported = &C->shared;
  status = dls_supported_take(island, &C->graph, C->supported);
  if (status != DLS_OK) return status;
  C->read = DLS_TAKE(tmp, double, C->supported->m);
  return C->read ? DLS_OK : dls_want(rows, tmp, 0);
}

/* Which of the rows that share more than bodies are those of a contact. */
static void place(const dls_linear_contacts *C, dls_contact_2 *c, int first, int second) {
  c->T = C->supported->T;
  c->m = C->supported->m;
  c->beyond = C->graph.n * ROW;
  c->own[0] = first;
  c->own[1] = c->n > 1 ? second : -1;
}

/* The same of all contacts, those of rolling friction among them. */
static void place_shared(dls_linear_contacts *C) {
  const dls_supported *x = C->supported;
  for (int l = 0; l < x->n; l++) {
    dls_contact_2 *c = &C->contact[x->which[l]];
    const int at = x->first[l];
    place(C, c, c->bounded ? -1 : at, c->bounded ? at : at + 1);
    if (c->turn >= 0) place(C, &C->contact[c->turn], at, at + 2);
  }
}

dls_status dls_linear_contacts_take(const dls_island *island, dls_linear_contacts *C) {
  const dls_rows *rows = island->rows;
  const int *blocks = island->blocks, n = island->n;
  dls_arena *tmp = island->tmp;
  const dls_status status = build_graph(island, C);
  if (status != DLS_OK) return status;
  dls_body_graph *graph = &C->graph;
  C->n = C->n_blocks = n;
  for (int k = 0; k < n; k++) C->n += rolls(&rows->block[blocks[k]]);
  C->size = graph->n * ROW + (C->supported ? (C->supported->m + ROW - 1) / ROW * ROW : 0);
  C->contact = DLS_TAKE(tmp, dls_contact_2, C->n);
  /* a place for those that do not move */
  C->y = DLS_TAKE(tmp, double, (size_t)C->size + ROW);
  C->best = DLS_TAKE(tmp, double, 3 * (size_t)n);
  if (!C->best || !C->y || !C->contact) return DLS_FULL;
  memset(C->y + C->size, 0, ROW * sizeof(double));
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    dls_contact_2 *c = &C->contact[k];
    memset(c, 0, sizeof *c);
    c->block = blocks[k];
    c->mu = block->kind == DLS_ROW_CONE || block->kind == DLS_ROW_ROLLING ? block->mu[0] : 0;
    c->bounded = block->kind == DLS_ROW_BOX && dls_is_finite(block->hi);
    if (c->bounded) c->mu = 1;
    c->from = c->bounded;
    c->held = block->kind == DLS_ROW_BILATERAL || (block->kind == DLS_ROW_BOX && !c->bounded);
    c->n = block->n == 1 && !c->bounded ? 1 : 2;
    for (int i = 0; i < 2; i++) {
      const double length = rows->length[block->row + (i < block->n ? i : 0)];
      c->norm[i] = dls_block_norm(rows, block) / (length * length);
    }
    c->turn = -1;
    for (int i = 0; i < 2; i++) set_row(rows, c, i, block->row + (i < block->n ? i : 0));
    if (!(c->mu > 0)) c->J[1] = c->MJ[1] = dls_no_row_2;
    if (c->bounded) c->J[0] = c->MJ[0] = dls_no_row_2;
    c->a = dls_moves(rows, block->a) ? graph->place[block->a] : -1;
    c->b = dls_moves(rows, block->b) ? graph->place[block->b] : -1;
    if (c->a < 0 || c->b < 0) continue;
    const bool swap = c->a > c->b;
    const size_t at =
        (size_t)dls_body_graph_entry(graph, swap ? c->b : c->a, swap ? c->a : c->b) * NU2;
    c->ab = swap ? graph->low + at : graph->up + at;
    c->ba = swap ? graph->up + at : graph->low + at;
  }
  for (int k = 0, at = n; at < C->n; k++)
    if (rolls(&rows->block[blocks[k]])) add_turn(rows, C, k, at++);
  if (C->supported) place_shared(C);
  return DLS_OK;
}

void dls_linear_contacts_follow(dls_rows *rows, const int *blocks, const dls_linear_contacts *C) {
  dls_push_island(rows, blocks, C->n_blocks, C->graph.body, C->graph.n);
  if (C->supported) dls_supported_shift(rows, blocks, C->supported);
}

void dls_linear_contacts_end(dls_rows *rows, const int *blocks, const dls_linear_contacts *C) {
  if (C->supported) dls_supported_end(rows, blocks, C->supported);
}

void dls_linear_contacts_ask(dls_rows *rows, const dls_linear_contacts *C, int k, int i,
                             double more) {
  const dls_contact_2 *c = &C->contact[k];
  rows->s[c->row[i]] += more;
  if (!c->T) return;
  C->supported->own[c->own[i]] += more;
  C->supported->s[c->own[i]] += more;
}

/* S of one to the rows that it pushes along, the first of its block being `first`. */
static void add_law(const dls_contact_2 *c, int first, double *S) {
  for (int i = c->from; i < c->n; i++)
    for (int j = 0; j < c->n; j++)
      if (c->own[j] >= 0) S[c->own[i] * DLS_MOST_ROWS + c->own[j] - first] = c->S[2 * i + j];
}

void dls_linear_contacts_factor(dls_linear_contacts *C) {
  dls_body_graph_factor(&C->graph);
  const dls_supported *x = C->supported;
  if (!x) return;
  memset(x->S, 0, (size_t)(x->m * DLS_MOST_ROWS) * sizeof *x->S);
  for (int k = 0; k < x->n; k++) {
    const dls_contact_2 *c = &C->contact[x->which[k]];
    add_law(c, x->first[k], x->S);
    if (c->turn >= 0) add_law(&C->contact[c->turn], x->first[k], x->S);
  }
  dls_supported_factor(C->island->rows, C->island->blocks, &C->graph, x);
}

void dls_linear_contacts_solve(const dls_linear_contacts *C, double *y) {
  dls_body_graph_solve(&C->graph, y);
  const dls_supported *x = C->supported;
  if (!x) return;
  double *w = y + (size_t)(C->graph.n * ROW);
  memcpy(x->right, w, (size_t)x->m * sizeof(double));
  dls_supported_solve(C->island->rows, C->island->blocks, &C->graph, x, y);
  memcpy(w, x->dp, (size_t)x->m * sizeof(double));
}

double dls_linear_contacts_cost(const dls_linear_contacts *C) {
  const double own = dls_body_graph_cost(&C->graph);
  return C->supported ? own + dls_supported_cost(C->supported, &C->graph) : own;
}

void dls_linear_contacts_read(const dls_rows *rows, dls_linear_contacts *C) {
  for (int k = 0; k < C->n; k++) {
    dls_contact_2 *c = &C->contact[k];
    const dls_block *block = &rows->block[c->block];
    if (c->bounded) c->z[0] = block->hi, c->v[0] = 0;
    for (int i = c->bounded; i < c->n; i++) {
      const int row = c->row[i];
      c->z[i] = rows->p[row];
      c->v[i] = dls_row_speed(NU, rows, block, row, rows->u) + rows->s[row] + c->gamma[i] * c->z[i];
    }
  }
}

/* K += J' (S MJ) of two sides. */
static inline void add_corner(const double *J_n, const double *J_t, const double *SM, double *K) {
  for (int i = 0; i < NU; i++)
    for (int j = 0; j < NU; j++)
      K[DOWN * i + ACROSS * j] += J_n[i] * SM[j] + J_t[i] * SM[2 * NU + j];
}

void dls_linear_contacts_add(const dls_contact_2 *c, dls_body_graph *graph, double *y) {
  if (c->T) { /* its law stands in the system of supported.h */
    for (int i = c->from; i < c->n; i++) y[c->beyond + c->own[i]] -= c->g[i];
    return;
  }
  const double *J_n = c->J[0], *J_t = c->J[1], *M_n = c->MJ[0], *M_t = c->MJ[1];
  double SM[4 * NU];
  for (int i = 0; i < 2 * NU; i++) {
    SM[i] = c->S[0] * M_n[i] + c->S[1] * M_t[i];
    SM[2 * NU + i] = c->S[2] * M_n[i] + c->S[3] * M_t[i];
  }
  if (c->a >= 0) add_corner(J_n, J_t, SM, graph->d + (size_t)c->a * NU2);
  if (c->b >= 0) add_corner(J_n + NU, J_t + NU, SM + NU, graph->d + (size_t)c->b * NU2);
  if (c->ab) {
    add_corner(J_n, J_t, SM + NU, c->ab);
    add_corner(J_n + NU, J_t + NU, SM, c->ba);
  }
  for (int i = 0; i < NU; i++) {
    if (c->a >= 0) y[(size_t)c->a * ROW + i] -= c->g[0] * J_n[i] + c->g[1] * J_t[i];
    if (c->b >= 0) y[(size_t)c->b * ROW + i] -= c->g[0] * J_n[NU + i] + c->g[1] * J_t[NU + i];
  }
}

void dls_linear_contacts_push(const dls_contact_2 *c, const double x[2], double *y) {
  for (int i = c->from; c->T && i < c->n; i++) y[c->beyond + c->own[i]] += x[i];
  if (c->T) return;
  for (int i = 0; i < (c->mu > 0 ? 2 : 1); i++) {
    if (c->a >= 0) dls_add_u(NU, y + (size_t)c->a * ROW, x[i], c->J[i]);
    if (c->b >= 0) dls_add_u(NU, y + (size_t)c->b * ROW, x[i], c->J[i] + NU);
  }
}

void dls_linear_contacts_write(dls_rows *rows, const dls_linear_contacts *C) {
  for (int k = 0; k < C->n; k++) {
    const dls_contact_2 *c = &C->contact[k];
    for (int i = c->bounded; i < c->n; i++) rows->p[c->row[i]] = c->z[i];
  }
}

double dls_linear_contacts_judge(dls_rows *rows, const int *blocks, dls_linear_contacts *C,
                                 double best, double *found) {
  dls_linear_contacts_write(rows, C);
  dls_admit_all(rows, blocks, C->n_blocks);
  dls_linear_contacts_follow(rows, blocks, C);
  const double now = *found = dls_rows_residual_of(rows, blocks, C->n_blocks);
  if (!(now < best)) return best;
  for (int k = 0; k < C->n_blocks; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) C->best[3 * k + i] = rows->p[block->row + i];
  }
  return now;
}

void dls_linear_contacts_give(dls_rows *rows, const int *blocks, const dls_linear_contacts *C) {
  for (int k = 0; k < C->n_blocks; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    for (int i = 0; i < block->n; i++) rows->p[block->row + i] = C->best[3 * k + i];
  }
  dls_push_island(rows, blocks, C->n_blocks, C->graph.body, C->graph.n);
}
