/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/held.h"

#include "core/base/union_find.h"
#include "core/joints/held_mixed.h"
#include "core/joints/hinged.h"
#include "core/joints/tree_step.h"
#include "core/ladder/constrained.h"
#include "core/ladder/ladder.h"
#include "core/model/frames.h"
#include "core/rows/impulses.h"

/* --- the problem --------------------------------------------------------------------------- */

/* The ways of rows to the roots of trees, from the factor (dls_forest_walks). */
typedef struct tree_ways {
  size_t *start; /* rows + 1: first entry of each */
  dls_row_entry *list; /* start[rows] */
} tree_ways;

static dls_status find_ways(dls_joint_stage *S, const dls_overlap *o, int n, tree_ways *ways) {
  dls_trees *t = S->w->trees;
  dls_arena *tmp = &S->w->arena;
  int *first = DLS_TAKE(tmp, int, n + 1), n_sides = 0;
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 4 * n + 1);
  S->w->need_arena = dls_bytes_add(tmp->size, 64 * (size_t)n + 8192);
  if (!first || !sides) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    first[k] = n_sides;
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body)) continue;
      dls_row_side *side = &sides[n_sides++];
      *side = (dls_row_side){.link = t->body_link[body]};
      dls_wrench_add(S->dim, side->j, 1, o[k].J + e * S->nu);
    }
  }
  first[n] = n_sides;
  const dls_forest_rows list = {n, first, sides, NULL, NULL};
  const dls_status status = dls_forest_walks(&t->walked, t->state, &list, tmp, &ways->start,
                                             &ways->list);
  if (status == DLS_FULL)
    S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_forest_delassus_bytes(&t->walked, &list));
  return status;
}

/* --- what pressed in the last turn (pressed_rows.h) ------------------------------------------- */

/* As many as there is room for. */
static void note_pressed(dls_pressed_rows *x, const dls_overlap *o, int n, const double *pi) {
  x->n = 0;
  for (int k = 0; k < n && x->n < x->room; k++) {
    if (o[k].both || !(pi[k] > 0)) continue;
    dls_pressed_row *row = &x->row[x->n++];
    *row = (dls_pressed_row){.a = o[k].a, .b = o[k].b, .source = o[k].source, .pi = pi[k]};
    memcpy(row->J, o[k].J, sizeof row->J);
  }
}

/* Whether two rows are of one pair, or one joint. */
static bool are_alike(const dls_overlap *x, const dls_overlap *y) {
  return x->a == y->a && x->b == y->b && x->source == y->source;
}

static bool is_of(const dls_pressed_row *row, const dls_overlap *o) {
  return !o->both && row->a == o->a && row->b == o->b && row->source == o->source;
}

/* The row of n that is most like this one. */
static int most_like(const dls_pressed_row *row, const dls_overlap *o, int n) {
  double least = DLS_INF;
  int best = 0;
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < 2 * DLS_NU(3); i++) {
      const double apart = row->J[i] - o[k].J[i];
      sum += apart * apart;
    }
    if (sum < least) least = sum, best = k;
  }
  return best;
}

/* Rows come pair by pair in one order, in which some are new and some are gone: each pair is
** looked for among the next ones. Touches of a face have other keys when it has hardly turned:
** what a pair pressed goes to the rows that are most alike. */
static void start_as_pressed(const dls_pressed_rows *x, const dls_overlap *o, int n, double *pi) {
  enum { REACH = 64 };
  for (int k = 0; k < n; k++) pi[k] = 0;
  for (int k = 0, end, at = 0; k < n && at < x->n; k = end) {
    for (end = k + 1; end < n && are_alike(&o[k], &o[end]);) end++;
    int l = at;
    while (l < x->n && l < at + REACH && !is_of(&x->row[l], &o[k])) l++;
    if (l == x->n || l == at + REACH) continue;
    for (; l < x->n && is_of(&x->row[l], &o[k]); l++)
      pi[k + most_like(&x->row[l], o + k, end - k)] += x->row[l].pi;
    at = l;
  }
}

/* --- large problems, block by block (rows/rows.h) ------------------------------------------ */

/* Rows of joints between the same two bodies that stand together are one block. */
static int block_end(int nb, const dls_overlap *o, int n, int k) {
  int end = k + 1;
  while (o[k].both && o[k].n_ends == 0 && end < n && end - k < nb && o[end].both &&
         o[end].n_ends == 0 &&
         o[end].a == o[k].a && o[end].b == o[k].b)
    end++;
  return end;
}

static void write_blocks(const dls_overlap *o, int n, const double *b, dls_rows *rows,
                         dls_second *second) {
  const size_t nu = (size_t)rows->nu, bytes = 2 * nu * sizeof(double);
  for (int k = 0, n_second = 0; k < n;) {
    const int end = block_end(rows->nb, o, n, k);
    dls_block *block = &rows->block[rows->n_blocks++];
    const unsigned char kind = o[k].both ? DLS_ROW_BILATERAL : DLS_ROW_UNILATERAL;
    *block = (dls_block){.kind = kind, .a = o[k].a, .b = o[k].b,
                         .row = k, .n = (unsigned char)(end - k), .source = -1};
    if (o[k].n_ends > 2) {
      dls_second *more = &second[n_second++];
      *more = (dls_second){.c = o[k].c, .d = o[k].d};
      memcpy(more->K, o[k].J + 2 * nu, bytes);
      memcpy(more->MK, o[k].MJ + 2 * nu, bytes);
      block->second = n_second;
    }
    for (; k < end; k++) {
      memcpy(rows->J + (size_t)k * 2 * nu, o[k].J, bytes);
      memcpy(rows->MJ + (size_t)k * 2 * nu, o[k].MJ, bytes);
      rows->gamma[k] = o[k].gamma;
      rows->length[k] = 1;
      rows->s[k] = b[k];
    }
  }
  rows->n_rows = n;
}

/* Up to so many inequalities beside equations are an LCP (dls_rows_settle). */
enum { SETTLED = 200 };

static dls_status settle(dls_joint_stage *S, const dls_overlap *o, int n, const double *b,
                         double tolerance, dls_rows *rows, dls_held_left *left, bool *solved) {
  double *per = DLS_TAKE(&S->w->arena, double, n), scale = 0;
  if (!per) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    per[k] = dls_overlap_per_unit(S, &o[k]);
    scale = dls_max(scale, per[k] * fabs(b[k]));
  }
  const dls_row_lcp lcp = {per, scale, tolerance};
  return dls_rows_settle(rows, &lcp, &S->w->arena, left, solved);
}

/* pi with W pi + b = 0, or its law; *solved: to the tolerance. */
static dls_status solve_blocks(dls_joint_stage *S, const dls_overlap *o, int n, const double *b,
                               bool both, double *pi,
                               bool *solved) {
  /* Of the largest gap; there are several turns. Of MANY rows as solves of velocities by
  ** default. Two ball joints between the same bodies have gaps that differ along their line by
  ** the square of a gap, or round-off (a hanging bridge: up to 4e-5 of the largest): those of
  ** rows that depend on others. */
  static const double APART = 1e-3, MIXED = 1e-9, ROUGHLY = 1e-6;
  static const double ROUND_OFF =
      1e-15; /* of what rows do to themselves; answers leave 1e-16 to 5e-16 there */
  enum { MANY = 200 };
  dls_world *w = S->w;
  dls_rows rows;
  dls_second *second = DLS_TAKE(&w->arena, dls_second, S->n_gears);
  dls_status status = dls_rows_take(&rows, &w->arena, S->dim, w->n_bodies, n, n);
  w->need_arena = w->arena.size;
  if (status != DLS_OK || !second) return DLS_FULL;
  rows.inv_mass = S->rows->inv_mass;
  rows.inv_inertia = S->rows->inv_inertia;
  rows.special = S->rows->special;
  rows.second = second;
  rows.stop = w->stop;
  if (dls_trees_used(w)) status = dls_trees_lend(S, &rows);
  if (status != DLS_OK) return status;
  write_blocks(o, n, b, &rows, second);
  start_as_pressed(&S->pressed, o, n, rows.p);
  const size_t bytes = (size_t)w->n_bodies * S->nu * sizeof(double);
  memset(rows.u, 0, bytes);
  memset(rows.u_free, 0, bytes);
  const double tolerance = n > MANY && !dls_projects_finely(w) ? ROUGHLY : MIXED;
  dls_solve_opts opts = {
      .method = DLS_SOLVE_AUTO, .tolerance = tolerance, .max_iterations = DLS_HELD_SWEEPS};
  double scale = 0;
  for (int k = 0; k < n; k++) scale = dls_max(scale, fabs(b[k]));
  opts.scale = scale;
  int n_free = 0;
  for (int k = 0; k < n; k++) n_free += !o[k].both;
  const bool exact = n_free <= SETTLED && !w->work.bounded;
  if (!both) dls_rows_prepare(&rows, false);
  if (both || exact) {
    dls_held_left left = {0, 0, 1};
    double most = 0; /* of what rows do to themselves */
    *solved = true;
    if (both) status = dls_rows_hold(&rows, scale, &w->arena, &left);
    else status = settle(S, o, n, b, tolerance, &rows, &left, solved);
    for (int k = 0; k < n; k++)
      most = dls_max(most, o[k].both ? fabs(rows.p[k]) * dls_overlap_alone(S, &o[k]) : 0);
    const double enough = dls_min(ROUND_OFF * most, APART * scale);
    S->alike =
        S->alike || left.dependent > APART * scale; /* gaps that are let be do not go together */
    *solved = *solved && left.held <= enough && left.dependent <= APART * scale &&
              left.pivot > dls_held_dependent_pivot(S, o, n);
  } else {
    dls_solve_report report = {0};
    opts.bounded = w->work.bounded;
    if (opts.bounded) opts.max_iterations = dls_work_times(&w->work, 1, DLS_HELD_SWEEPS);
    dls_rows_islands(&rows);
    status = dls_rows_solve(&rows, &opts, &w->arena, &report);
    dls_work_pay(&w->work, report.work);
    if (opts.bounded && report.limited) w->work.given_up |= 1u << DLS_WORK_PROJECTION;
    *solved = report.unconverged == 0 || opts.bounded;
  }
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, rows.need);
  memcpy(pi, rows.p, (size_t)n * sizeof *pi);
  return status;
}

/* Whether a row acts on a body that moves by itself: W of the others is the trees' alone. */
static bool acts_on_free(const dls_joint_stage *S, const dls_overlap *o) {
  for (int e = 0; e < dls_overlap_ends(o); e++) {
    const int body = dls_overlap_end(o, e);
    if (dls_moves_freely(&S->w->bodies[body]) && !dls_held_by_tree(S, body)) return true;
  }
  return false;
}

void dls_joints_add_body_part(const dls_joint_stage *S, const dls_overlap *o, int n, double *W) {
  for (int i = 0; i < n; i++) {
    if (acts_on_free(S, &o[i])) {
      for (int j = 0; j <= i; j++) {
        const double share = dls_overlap_share(S->nu, &o[i], &o[j]);
        W[(size_t)i * (size_t)n + (size_t)j] += share;
        if (j < i) W[(size_t)j * (size_t)n + (size_t)i] += share;
      }
    }
    W[(size_t)i * (size_t)n + (size_t)i] += o[i].gamma;
  }
}

/* Rows o of one problem, all at once; which: their numbers in ways, NULL: in order. */
static dls_status solve_group(dls_joint_stage *S, const dls_overlap *o, int n, const int *which,
                              const tree_ways *ways, double *b, double *pi) {
  dls_world *w = S->w;
  const size_t size = (size_t)n * (size_t)n;
  double *W = DLS_TAKE(&w->arena, double, size);
  w->need_arena = dls_bytes_add(w->arena.size, 64 * size + 8192);
  if (!W) return DLS_FULL;
  if (ways) dls_forest_products(&w->trees->walked, n, which, ways->start, ways->list, W);
  else memset(W, 0, size * sizeof *W);
  dls_joints_add_body_part(S, o, n, W);
  return dls_joints_solve_mixed(S, o, n, W, b, pi);
}

/* Row k is of the group of who met (-1: nobody yet) at the same place. */
static void meet(int *up, int *met, int k) {
  if (*met >= 0) dls_unite(up, *met, k);
  *met = k;
}

/* Rows that meet on a node of a tree or on a body that moves by itself, or by way of others that do,
** are a group. order (n): their numbers, group by group; end[g]: behind the last one of group g. */
static dls_status find_groups(dls_joint_stage *S, const dls_overlap *o, int n,
                              const tree_ways *ways, int *order, int *end, int *n_groups) {
  dls_world *w = S->w;
  const int n_nodes = ways ? w->trees->walked.n_nodes : 0, n_met = n_nodes + w->n_bodies;
  int *up = DLS_TAKE(&w->arena, int, n), *met = DLS_TAKE(&w->arena, int, n_met);
  if (!up || !met) return DLS_FULL;
  for (int i = 0; i < n_met; i++) met[i] = -1;
  for (int k = 0; k < n; k++) {
    up[k] = k;
    for (size_t e = ways ? ways->start[k] : 0; ways && e < ways->start[k + 1]; e++)
      meet(up, &met[ways->list[e].node], k);
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (dls_moves_freely(&w->bodies[body]) && !dls_held_by_tree(S, body))
        meet(up, &met[n_nodes + body], k);
    }
  }
  *n_groups = 0;
  for (int first = 0, at = 0; first < n; first++) {
    if (dls_root_of(up, first) != first) continue;
    for (int k = first; k < n; k++)
      if (dls_root_of(up, k) == first) order[at++] = k;
    end[(*n_groups)++] = at;
  }
  return DLS_OK;
}

/* All at once, group by group. ways: of the trees, NULL where there are none. */
static dls_status solve_whole(dls_joint_stage *S, const dls_overlap *o, int n,
                              const tree_ways *ways, double *b, double *pi) {
  dls_arena *tmp = &S->w->arena;
  int *order = DLS_TAKE(tmp, int, n), *end = DLS_TAKE(tmp, int, n), n_groups = 0;
  S->w->need_arena = dls_bytes_add(tmp->size, 8192 + (size_t)n * (sizeof *o + 64) +
                                                  4 * (size_t)S->w->n_bodies);
  if (!order || !end) return DLS_FULL;
  dls_status status = find_groups(S, o, n, ways, order, end, &n_groups);
  if (status != DLS_OK || n_groups == 1)
    return status == DLS_OK ? solve_group(S, o, n, NULL, ways, b, pi) : status;
  const size_t mark = dls_arena_mark(tmp);
  for (int g = 0, from = 0; g < n_groups && status == DLS_OK; from = end[g++]) {
    const int m = end[g] - from, *which = order + from;
    dls_overlap *own = DLS_TAKE(tmp, dls_overlap, m);
    double *own_b = DLS_TAKE(tmp, double, m), *own_pi = DLS_TAKE(tmp, double, m);
    if (!own || !own_b || !own_pi) return DLS_FULL;
    for (int k = 0; k < m; k++) own[k] = o[which[k]], own_b[k] = b[which[k]];
    status = solve_group(S, own, m, which, ways, own_b, own_pi);
    for (int k = 0; k < m; k++) pi[which[k]] = own_pi[k];
    dls_arena_release(tmp, mark);
  }
  return status;
}

/* Up to so many rows are solved at once, equations of them and all; up to MOST_WHOLE what is
** missed block by block. */
enum { WHOLE_EQUATIONS = 36, WHOLE_MIXED = 600, MOST_WHOLE = 600 };

static bool are_few(const dls_overlap *o, int n) {
  int equations = 0;
  for (int i = 0; i < n; i++) equations += o[i].both;
  return equations <= WHOLE_EQUATIONS && n <= WHOLE_MIXED;
}

static dls_status solve_in_blocks(dls_joint_stage *S, const dls_overlap *o, int n, bool both,
                                  double *b, double *pi) {
  bool solved = false;
  tree_ways ways;
  const size_t mark = dls_arena_mark(&S->w->arena);
  dls_status status = solve_blocks(S, o, n, b, both, pi, &solved);
  dls_arena_release(&S->w->arena, mark);
  S->missed = S->missed || !solved;
  if (status != DLS_OK || solved || n > MOST_WHOLE) return status;
  S->missed = false;
  const bool grown = dls_trees_used(S->w);
  if (grown) status = find_ways(S, o, n, &ways);
  return status == DLS_OK ? solve_whole(S, o, n, grown ? &ways : NULL, b, pi) : status;
}

/* What impulses pi of rows do to bodies; wrenches of those in trees (NULL: they know). */
static void act(dls_joint_stage *S, dls_overlap *o, int n, const double *pi, double *wrench) {
  for (int k = 0; k < n; k++) {
    o[k].pi = pi[k];
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body))
        dls_add_u(S->nu, DLS_U(S, S->answer, body), pi[k], o[k].MJ + e * S->nu);
      else if (wrench) dls_wrench_add(S->dim, wrench + 6 * (size_t)S->w->trees->body_link[body],
                                      pi[k], o[k].J + e * S->nu);
    }
  }
}

/* Trees have been answered up: what they would do without rows is in no body's velocity yet, nor
** asked for. */
static dls_status answer_whole(dls_joint_stage *S, dls_overlap *o, int n, double *b, double *pi) {
  dls_trees *t = S->w->trees;
  tree_ways ways;
  dls_status status = find_ways(S, o, n, &ways);
  if (status != DLS_OK) return status;
  for (int k = 0; k < n; k++) {
    b[k] = o[k].gap + dls_forest_row_speed(&t->walked, t->state, ways.list + ways.start[k],
                                           ways.list + ways.start[k + 1]);
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body))
        b[k] += dls_dot_u(S->nu, o[k].J + e * S->nu, DLS_U(S, S->answer, body));
    }
  }
  status = solve_whole(S, o, n, &ways, b, pi);
  if (status != DLS_OK) return status;
  act(S, o, n, pi, NULL);
  for (int k = 0; k < n; k++)
    dls_forest_row_push(&t->walked, t->state, ways.list + ways.start[k],
                        ways.list + ways.start[k + 1], pi[k]);
  dls_trees_answer_down(S, t->du, S->answer);
  return DLS_OK;
}

/* The trees' answer first, then what rows add to it. */
static dls_status answer_in_turn(dls_joint_stage *S, dls_overlap *o, int n, bool few, bool both,
                                 double *b, double *pi) {
  dls_trees *t = dls_trees_used(S->w) ? S->w->trees : NULL;
  double *du = DLS_TAKE(&S->w->arena, double, t ? t->forest->nu : 0);
  if (!du) return DLS_FULL;
  if (t) memset(du, 0, (size_t)t->forest->nu * sizeof *du); /* of those who are alone, too */
  if (t) dls_trees_answer_down(S, t->du, S->answer);
  for (int i = 0; i < n; i++) b[i] = o[i].gap + dls_overlap_speed(S, &o[i], S->answer);
  const dls_status status =
      few ? solve_whole(S, o, n, NULL, b, pi) : solve_in_blocks(S, o, n, both, b, pi);
  if (status != DLS_OK) return status;
  note_pressed(&S->pressed, o, n, pi);
  if (t) memset(t->velocity, 0, 6 * (size_t)t->n_links * sizeof(double));
  act(S, o, n, pi, t ? t->velocity : NULL);
  if (!t) return DLS_OK;
  dls_forest_respond(&t->walked, t->state, NULL, t->velocity, du);
  for (int i = 0; i < t->forest->nu; i++) t->du[i] += du[i];
  dls_trees_spread(S, t->du, false, S->answer);
  return DLS_OK;
}

dls_status dls_joints_answer(dls_joint_stage *S, const double *q, dls_overlap *o, int n,
                             const double *x,
                         const double *f) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  dls_arena *tmp = &w->arena;
  const size_t mark = dls_arena_mark(tmp);
  bool both = true;
  for (int i = 0; i < n; i++) both = both && o[i].both;
  const bool few = are_few(o, n);
  if (S->hinged && few) return dls_hinged_answer(S, o, n, x, f);
  if (S->hinged) {
    dls_hinged_close(S);
    const dls_status status = dls_trees_factor_with(S, S->more);
    if (status != DLS_OK) return status;
  }
  if (x) memcpy(S->answer, x, (size_t)w->n_bodies * S->nu * sizeof(double));
  else memset(S->answer, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  if (t && x) dls_trees_answer_up(S, q, x, f);
  else if (t) dls_forest_unpush(&t->walked, t->state);
  if (t && n == 0) dls_trees_answer_down(S, t->du, S->answer);
  if (n == 0) return DLS_OK;
  double *b = DLS_TAKE(tmp, double, n), *pi = DLS_TAKE(tmp, double, n);
  w->need_arena = dls_bytes_add(tmp->size, 8192);
  if (!b || !pi) return DLS_FULL;
  const dls_status status =
      t && few ? answer_whole(S, o, n, b, pi) : answer_in_turn(S, o, n, few, both, b, pi);
  dls_arena_release(tmp, mark);
  return status;
}
