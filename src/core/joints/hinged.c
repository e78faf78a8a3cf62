/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/hinged.h"

#include "core/joints/curvature.h"
#include "core/joints/held.h"
#include "core/joints/held_mixed.h"
#include "core/joints/tree_step.h"

/* Pivots from which on they go this way: fewer gain less than opening costs. (INT_MAX: none, the
** forest's own recursions.) */
enum { ENOUGH = 8 };

void dls_hinged_open(dls_joint_stage *S) {
  const dls_world *w = S->w;
  S->hinged = false;
  if (S->dim != 2 || !dls_trees_used(w) || w->trees->forest->nu < ENOUGH) return;
  if (S->n_gears > 0 || w->n_springs > 0) return;
  S->hinged =
      dls_pivots_open(&w->trees->walked, w->trees->state, &S->pivots) && S->pivots.n >= ENOUGH;
  if (S->hinged) dls_trees_unweigh(w, S->rows);
}

dls_status dls_hinged_settle(dls_joint_stage *S) {
  dls_forest_place(&S->w->trees->walked, S->w->trees->state);
  return dls_trees_factor_with(S, S->more);
}

void dls_hinged_close(dls_joint_stage *S) {
  if (S->hinged) dls_forest_place(&S->w->trees->walked, S->w->trees->state);
  S->hinged = false;
}

static int body_of(const dls_joint_stage *S, const dls_pivot *p) {
  return S->w->trees->link_body[p->link];
}

/* The pivot of a body in a tree; -1: none. */
static int pivot_of(const dls_joint_stage *S, int body) {
  const dls_trees *t = S->w->trees;
  return dls_held_by_tree(S, body) ? S->pivots.of_node[t->forest->links[t->body_link[body]].node]
                                   : -1;
}

void dls_hinged_stand(dls_joint_stage *S, double *q) {
  const dls_forest *forest = &S->w->trees->walked;
  dls_pivots_follow(&S->pivots, S->w->trees->state->q);
  for (int i = 0; i < S->pivots.n; i++) {
    const dls_pivot *p = &S->pivots.at[i];
    const double own = forest->links[p->link].angle, angle = p->angle + (p->side > 0 ? own : -own);
    double *at = DLS_Q(S, q, body_of(S, p));
    dls_pivot_centre(p, at);
    at[2] = dls_angle_near(angle, at[2]); /* turns are counted */
  }
}

void dls_hinged_poses(const dls_joint_stage *S, dls_pose2 *T) {
  for (int i = 0; i < S->pivots.n; i++) {
    const dls_pivot *p = &S->pivots.at[i];
    const dls_link_info *info = &S->w->trees->forest->links[p->link];
    const double *own = info->body.R.m, *com = S->w->bodies[body_of(S, p)].com;
    const double c = p->R[0] * own[0] + p->R[1] * own[3], s = p->R[2] * own[0] + p->R[3] * own[3];
    double at[2];
    dls_pivot_centre(p, at);
    T[body_of(S, p)] =
        (dls_pose2){at[0] - (c * com[0] - s * com[1]), at[1] - (s * com[0] + c * com[1]), c, s};
  }
}

void dls_hinged_bend(dls_joint_stage *S, const dls_overlap *o, int n) {
  const dls_world *w = S->w;
  dls_pivots *P = &S->pivots;
  memset(S->bend, 0, (size_t)w->trees->forest->n_nodes * sizeof *S->bend); /* of the others */
  for (int i = 0; i < P->n; i++) { /* forces in f, their virials in t */
    dls_pivot *p = &P->at[i];
    const double *x = DLS_U(S, S->way, body_of(S, p));
    p->f[0] = w->bodies[body_of(S, p)].mass * x[0], p->f[1] = w->bodies[body_of(S, p)].mass * x[1];
    p->t = p->f[0] * p->c[0] + p->f[1] * p->c[1];
  }
  for (int k = 0; k < n; k++)
    for (int e = 0; e < 2; e++) {
      const int i = pivot_of(S, dls_overlap_end(&o[k], e));
      const double *J = o[k].J + 3 * e;
      if (i < 0) continue;
      dls_pivot *p = &P->at[i];
      p->f[0] += o[k].pi * J[0], p->f[1] += o[k].pi * J[1];
      if (o[k].pinned) p->t += dls_joints_virial_of(&o[k], e, p->x);
    }
  for (int i = P->n - 1; i >= 0; i--) {
    dls_pivot *p = &P->at[i];
    S->bend[p->node] = dls_max(p->t, dls_joints_least_bend(&w->bodies[body_of(S, p)]));
    if (p->up < 0) continue;
    dls_pivot *up = &P->at[p->up];
    up->f[0] += p->f[0], up->f[1] += p->f[1];
    up->t += p->f[0] * p->d[0] + p->f[1] * p->d[1];
  }
}

/* --- the linear problem -------------------------------------------------------------------- */

void dls_hinged_up(const dls_joint_stage *S, const double *x, const double *f) {
  for (int i = 0; i < S->pivots.n; i++) { /* momenta of x */
    dls_pivot *p = &S->pivots.at[i];
    const dls_body *body = &S->w->bodies[body_of(S, p)];
    const double *u = DLS_U(S, x, body_of(S, p));
    p->f[0] = body->mass * u[0], p->f[1] = body->mass * u[1];
    p->t = body->inertia[0] * u[2] + (p->c[0] * p->f[1] - p->c[1] * p->f[0]);
  }
  dls_pivots_up(&S->pivots, f);
}

void dls_hinged_push_up(const dls_joint_stage *S, const double *wrench, const double *f) {
  for (int i = 0; i < S->pivots.n; i++) {
    dls_pivot *p = &S->pivots.at[i];
    const double *on = wrench + 6 * (size_t)p->link;
    p->f[0] = on[3], p->f[1] = on[4];
    p->t = on[2] + (p->c[0] * on[4] - p->c[1] * on[3]);
  }
  dls_pivots_up(&S->pivots, f);
}

/* Motions of pivots are velocities of bodies. */
static void give_motions(const dls_joint_stage *S, double *u) {
  for (int i = 0; i < S->pivots.n; i++) {
    const dls_pivot *p = &S->pivots.at[i];
    dls_pivot_velocity(p, DLS_U(S, u, body_of(S, p)));
  }
}

void dls_hinged_down(const dls_joint_stage *S, double *du, double *u) {
  memset(du, 0, (size_t)S->w->trees->forest->nu * sizeof *du);
  dls_pivots_down(&S->pivots, du);
  if (u) give_motions(S, u);
}

void dls_hinged_spread(const dls_joint_stage *S, const double *g, bool moving, double *u) {
  dls_pivots_move(&S->pivots, g, moving ? S->w->trees->state->given : NULL);
  give_motions(S, u);
}

/* Ways of rows to the roots: entries of row k are list[start[k]] .. list[start[k + 1] - 1]. */
typedef struct ways {
  size_t *start; /* rows + 1 */
  bool *alone; /* of one body alone */
  dls_pivot_entry *list; /* start[rows] */
} ways;

static dls_status find_ways(dls_joint_stage *S, const dls_overlap *o, int n, ways *of) {
  dls_arena *tmp = &S->w->arena;
  size_t room = 0;
  of->start = DLS_TAKE(tmp, size_t, n + 1);
  of->alone = DLS_TAKE(tmp, bool, n);
  int(*on)[2] = (int(*)[2])(void *)DLS_TAKE(tmp, int, 2 * (size_t)n);
  for (int k = 0; k < n && on; k++) {
    for (int e = 0; e < 2; e++) on[k][e] = pivot_of(S, dls_overlap_end(&o[k], e));
    room += dls_pivots_room(&S->pivots, on[k]);
  }
  of->list = DLS_TAKE(tmp, dls_pivot_entry, room);
  S->w->need_arena = dls_bytes_add(
      tmp->size, dls_bytes_add(8192 + 64 * (size_t)n, dls_arena_bytes(room, sizeof *of->list)));
  if (!of->start || !of->alone || !on || !of->list) return DLS_FULL;
  of->start[0] = 0;
  for (int k = 0; k < n; k++) {
    const double *J = o[k].J, wrench[2][3] = {{J[2], J[0], J[1]}, {J[5], J[3], J[4]}};
    const int found = dls_pivots_walk(&S->pivots, on[k], wrench, of->list + of->start[k]);
    of->start[k + 1] = of->start[k] + (size_t)found;
    of->alone[k] = on[k][0] < 0 || on[k][1] < 0;
  }
  return DLS_OK;
}

static int length_of(const ways *of, int k) { return (int)(of->start[k + 1] - of->start[k]); }

static double coupling(const ways *of, int i, int j) {
  const dls_pivot_entry *a = of->list + of->start[i], *b = of->list + of->start[j];
  if (of->alone[i] && of->alone[j])
    return dls_pivots_product_of_ways(a, length_of(of, i), b, length_of(of, j));
  return dls_pivots_product(a, length_of(of, i), b, length_of(of, j));
}

/* The trees' part of W; of what rows lack, b. */
static void write_problem(const dls_joint_stage *S, const dls_overlap *o, int n, const ways *of,
                          double *W, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = o[i].gap + dls_pivots_speed(&S->pivots, of->list + of->start[i], length_of(of, i));
    for (int e = 0; e < 2; e++) {
      const int body = dls_overlap_end(&o[i], e);
      if (!dls_held_by_tree(S, body))
        b[i] += dls_dot_u(3, o[i].J + 3 * e, DLS_U(S, S->answer, body));
    }
    for (int j = 0; j <= i; j++)
      W[(size_t)j * (size_t)n + (size_t)i] = W[(size_t)i * (size_t)n + (size_t)j] =
          coupling(of, i, j);
  }
}

/* Impulses act on what moves by itself, and on pivots. */
static void act(dls_joint_stage *S, dls_overlap *o, int n, const ways *of, const double *pi) {
  for (int k = 0; k < n; k++) {
    o[k].pi = pi[k];
    for (int e = 0; e < 2; e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body))
        dls_add_u(3, DLS_U(S, S->answer, body), pi[k], o[k].MJ + 3 * e);
    }
    dls_pivots_push(&S->pivots, of->list + of->start[k], length_of(of, k), pi[k]);
  }
}

/* --- two equations and up to two inequalities, far from what depends on one another -------- */

static const double APART = 1e-6; /* of the product of their own W */

/* x of a 2 x 2 problem A x = r, A symmetric (xx, xy, yy). */
static void divide_two(const double A[3], const double r[2], double x[2]) {
  const double det = A[0] * A[2] - A[1] * A[1];
  x[0] = (A[2] * r[0] - A[1] * r[1]) / det;
  x[1] = (A[0] * r[1] - A[1] * r[0]) / det;
}

/* 0 <= z _|_ M z + q >= 0 of n <= 2, M positive definite. */
static void complement_two(int n, const double M[3], const double q[2], double z[2]) {
  z[0] = z[1] = 0;
  if (n == 1) {
    z[0] = dls_max(-q[0] / M[0], 0);
    return;
  }
  if (q[0] >= 0 && q[1] >= 0) return;
  const double minus[2] = {-q[0], -q[1]}, x = minus[0] / M[0], y = minus[1] / M[2];
  if (x >= 0 && M[1] * x + q[1] >= 0) {
    z[0] = x;
  } else if (y >= 0 && M[1] * y + q[0] >= 0) {
    z[1] = y;
  } else {
    divide_two(M, minus, z);
    z[0] = dls_max(z[0], 0), z[1] = dls_max(z[1], 0);
  }
}

/* False: there are others, or more. */
static bool solve_few(const dls_overlap *o, int n, const double *W, const double *b, double *pi) {
  int both[2], more[2], n_both = 0, n_more = 0;
  for (int i = 0; i < n; i++) {
    if ((o[i].both ? n_both : n_more) == 2) return false;
    if (o[i].both) both[n_both++] = i;
    else more[n_more++] = i;
  }
  if (n_both < 2) return false;
  const double *row[2] = {W + both[0] * n, W + both[1] * n},
               A[3] = {row[0][both[0]], row[0][both[1]], row[1][both[1]]};
  if (!(A[0] * A[2] - A[1] * A[1] > APART * (A[0] * A[2]))) return false;
  const double own[2] = {b[both[0]], b[both[1]]};
  double M[3] = {0}, q[2] = {0}, z[2] = {0}, Z[2][2] = {{0}}, y[2];
  divide_two(A, own, y);
  for (int i = 0; i < n_more; i++) { /* what equations leave of the others */
    const double by[2] = {row[0][more[i]], row[1][more[i]]};
    divide_two(A, by, Z[i]);
    q[i] = b[more[i]] - (by[0] * y[0] + by[1] * y[1]);
    for (int j = 0; j <= i; j++) {
      const double *of = W + more[i] * n;
      M[i + j] = of[more[j]] - (row[0][more[j]] * Z[i][0] + row[1][more[j]] * Z[i][1]);
    }
    if (!(M[2 * i] > APART * W[more[i] * (n + 1)])) return false;
  }
  if (n_more == 2 && !(M[0] * M[2] - M[1] * M[1] > APART * (M[0] * M[2]))) return false;
  if (n_more > 0) complement_two(n_more, M, q, z);
  for (int i = 0; i < n_more; i++) pi[more[i]] = z[i];
  for (int k = 0; k < 2; k++) pi[both[k]] = -(y[k] + Z[0][k] * z[0] + Z[1][k] * z[1]);
  return true;
}

static dls_status answer_rows(dls_joint_stage *S, dls_overlap *o, int n) {
  dls_arena *tmp = &S->w->arena;
  double *b = DLS_TAKE(tmp, double, n), *pi = DLS_TAKE(tmp, double, n),
         *W = DLS_TAKE(tmp, double, (size_t)n *(size_t)n);
  ways of;
  S->w->need_arena = dls_bytes_add(tmp->size, dls_bytes_add(8192, 64 * (size_t)n * (size_t)n));
  if (!b || !pi || !W) return DLS_FULL;
  dls_status status = find_ways(S, o, n, &of);
  if (status != DLS_OK) return status;
  write_problem(S, o, n, &of, W, b);
  dls_joints_add_body_part(S, o, n, W);
  if (!solve_few(o, n, W, b, pi)) status = dls_joints_solve_mixed(S, o, n, W, b, pi);
  if (status == DLS_OK) act(S, o, n, &of, pi);
  return status;
}

dls_status dls_hinged_answer(dls_joint_stage *S, dls_overlap *o, int n, const double *x,
                             const double *f) {
  const size_t bytes = (size_t)S->w->n_bodies * (size_t)S->nu * sizeof(double),
               mark = dls_arena_mark(&S->w->arena);
  if (x) {
    memcpy(S->answer, x, bytes);
    dls_hinged_up(S, x, f);
  } else {
    memset(S->answer, 0, bytes);
    dls_pivots_unpush(&S->pivots);
  }
  const dls_status status = n > 0 ? answer_rows(S, o, n) : DLS_OK;
  dls_arena_release(&S->w->arena, mark);
  if (status == DLS_OK) dls_hinged_down(S, S->w->trees->du, S->answer);
  return status;
}
