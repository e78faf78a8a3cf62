/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/pivots.h"

#include "core/base/fast.h"

#include "core/forest/fast_one.inc.h"

/* --- what is constant ---------------------------------------------------------------------- */

/* Axes, place and angle of a given link. */
static void stand_given(const dls_given *given, double out[7]) {
  const dls_node node = {.kind = DLS_NODE_GIVEN};
  dls_node_state s;
  lane_place(&node, &s, NULL, NULL, given);
  out[0] = s.E[0], out[1] = s.E[1], out[2] = s.E[3], out[3] = s.E[4];
  out[4] = s.r[0], out[5] = s.r[1];
  out[6] = dls_atan2(s.E[3], s.E[0]);
}

static bool is_identity(const dls_place *place) {
  const double *R = place->R.m;
  return R[0] == 1 && R[4] == 1 && R[1] == 0 && R[3] == 0 && R[8] == 1 && place->p.x == 0 &&
         place->p.y == 0;
}

static void describe(const dls_forest *forest, const dls_forest_state *state, dls_pivots *P,
                     int i) {
  static const double WORLD[7] = {1, 0, 0, 1, 0, 0, 0};
  const dls_node *node = &forest->nodes[i];
  const dls_link_info *info = &forest->links[node->link];
  const double *zero = node->zero.R.m;
  dls_pivot *p = &P->at[P->n];
  P->of_node[i] = P->n++;
  *p = (dls_pivot){.up = node->up >= 0 ? P->of_node[node->up] : -1,
                   .depth = 1,
                   .node = i,
                   .link = node->link,
                   .iq = node->iq,
                   .iu = node->iu,
                   .free = node->kind == DLS_NODE_PLANE,
                   .zero = {zero[0], zero[1], zero[3], zero[4]},
                   .r = {node->zero.p.x, node->zero.p.y},
                   .com = {info->com.x, info->com.y},
                   .mass = node->M.m,
                   .J = node->M.J[5]};
  memcpy(p->above, WORLD, sizeof WORLD);
  const dls_node *carrier = node->parent >= 0 ? &forest->nodes[node->parent] : NULL;
  p->input = p->up < 0 && carrier ? carrier->input : -1;
  if (p->input >= 0) stand_given(&state->given[p->input], p->above);
  if (p->up >= 0) p->depth = P->at[p->up].depth + 1;
  const double before = p->up >= 0 ? P->at[p->up].side : 1;
  p->side = before * zero[8];
  p->start = before * node->angle;
}

bool dls_pivots_open(const dls_forest *forest, dls_forest_state *state, dls_pivots *P) {
  static const double MOST = 1e3; /* rad: see dls_flat_turn */
  P->n = 0;
  if (!forest->hinged) return false;
  for (int tree = 0; tree < forest->n_trees; tree++) {
    const int first = forest->tree_first[tree], end = forest->tree_first[tree + 1];
    for (int i = first; i < end; i++) {
      const dls_node *node = &forest->nodes[i];
      P->of_node[i] = -1;
      if (node->kind == DLS_NODE_GIVEN || end - first < 2) {
        if (node->kind != DLS_NODE_REVOLUTE) continue;
      }
      if (node->kind == DLS_NODE_PLANE && !is_identity(&node->zero)) return false;
      if (!(fabs(state->q[node->iq + (node->kind == DLS_NODE_PLANE ? 2 : 0)]) <= MOST))
        return false;
      describe(forest, state, P, i);
    }
  }
  return P->n > 0;
}

void dls_pivots_carry(dls_pivots *P, const dls_given *given) {
  for (int i = 0; i < P->n; i++)
    if (P->at[i].input >= 0) stand_given(&given[P->at[i].input], P->at[i].above);
}

/* --- poses --------------------------------------------------------------------------------- */

/* A pivot's place, with its axes there. */
static inline void place_pivot(dls_pivots *P, dls_pivot *p, const double *own) {
  const dls_pivot *k = p->up >= 0 ? &P->at[p->up] : NULL;
  const double *R = k ? k->R : p->above, *from = k ? k->x : p->above + 4;
  const double x = p->free ? own[0] : p->r[0], y = p->free ? own[1] : p->r[1];
  p->d[0] = R[0] * x + R[1] * y;
  p->d[1] = R[2] * x + R[3] * y;
  p->x[0] = p->d[0] + from[0];
  p->x[1] = p->d[1] + from[1];
  p->c[0] = p->R[0] * p->com[0] + p->R[1] * p->com[1];
  p->c[1] = p->R[2] * p->com[0] + p->R[3] * p->com[1];
}

void dls_pivots_place(dls_pivots *P, const double *q) {
  P->turned = false;
  P->followed = 0;
  for (int i = 0; i < P->n; i++) {
    dls_pivot *p = &P->at[i];
    const dls_pivot *k = p->up >= 0 ? &P->at[p->up] : NULL;
    const double *R = k ? k->R : p->above, *zero = p->zero, *own = q + p->iq,
                 turn = own[p->free ? 2 : 0];
    double s, c;
    sin_cos(turn, &s, &c);
    const double E[4] = {c * zero[0] + s * zero[1], c * zero[1] - s * zero[0],
                         c * zero[2] + s * zero[3], c * zero[3] - s * zero[2]};
    p->R[0] = R[0] * E[0] + R[1] * E[2], p->R[1] = R[0] * E[1] + R[1] * E[3];
    p->R[2] = R[2] * E[0] + R[3] * E[2], p->R[3] = R[2] * E[1] + R[3] * E[3];
    p->angle = (k ? k->angle : p->above[6]) + p->start + p->side * turn;
    place_pivot(P, p, own);
  }
}

void dls_pivots_turn(dls_pivots *P, double share, double *q) {
  static const double SMALL = 2e-3; /* rad: what the series below leave out is below 1e-19 */
  P->turned = true;
  for (int i = 0; i < P->n; i++) {
    dls_pivot *p = &P->at[i];
    double *own = q + p->iq;
    const double x = share * p->omega, x2 = x * x;
    if (!(fabs(x) <= SMALL)) P->turned = false;
    const double s = x - x * x2 * (1.0 / 6 - x2 * (1.0 / 120)), less = x2 * (0.5 - x2 * (1.0 / 24));
    const double a = p->R[0], b = p->R[1], c = p->R[2], d = p->R[3];
    p->R[0] = a - (less * a + s * c), p->R[1] = b - (less * b + s * d);
    p->R[2] = c - (less * c - s * a), p->R[3] = d - (less * d - s * b);
    p->angle += x;
    if (p->free) own[0] += share * p->v[0], own[1] += share * p->v[1];
    own[p->free ? 2 : 0] += share * p->own;
  }
}

void dls_pivots_follow(dls_pivots *P, const double *q) {
  enum { OFTEN = 8 }; /* axes followed: a rounding each */
  if (!P->turned || P->followed >= OFTEN) {
    dls_pivots_place(P, q);
    return;
  }
  P->turned = false;
  P->followed++;
  for (int i = 0; i < P->n; i++) place_pivot(P, &P->at[i], q + P->at[i].iq);
}

/* --- the factor ---------------------------------------------------------------------------- */

/* Pivots of less than this share of what they were added up of are round-off. */
static const double LEAST = 1e-10;

static void start_factor(dls_pivot *p, const double *bend, const double *more) {
  p->A[0] = p->J + (bend ? bend[p->node] : 0);
  p->A[1] = -p->mass * p->c[1], p->A[2] = p->mass * p->c[0];
  p->A[3] = p->A[5] = p->mass, p->A[4] = 0;
  p->most = p->J;
  p->more = more && !p->free ? more[p->iu] : 0;
}

static bool factor_slides(dls_pivot *p) {
  const double *M = p->A + 3;
  p->slide[0] = 1 / M[0];
  p->slide[1] = M[1] * p->slide[0];
  const double left = M[2] - M[1] * p->slide[1];
  p->slide[2] = 1 / left;
  return M[0] > LEAST * p->mass && left > LEAST * p->mass;
}

/* What a pivot carries, about the one that carries it. */
static void hand_inertia(const dls_pivot *p, dls_pivot *up) {
  const double *A = p->A, ex = -p->d[1], ey = p->d[0], left = p->more * p->per;
  const double J = left * A[0], Hx = left * A[1], Hy = left * A[2];
  const double hx = Hx + (A[3] * ex + A[4] * ey), hy = Hy + (A[4] * ex + A[5] * ey);
  const double swing = (Hx + hx) * ex + (Hy + hy) * ey;
  up->A[0] += J + swing;
  up->A[1] += hx, up->A[2] += hy;
  for (int k = 3; k < 6; k++) up->A[k] += A[k];
  up->most += J + fabs(swing);
}

bool dls_pivots_factor(dls_pivots *P, const double *bend, const double *more) {
  for (int i = 0; i < P->n; i++) start_factor(&P->at[i], bend, more);
  for (int i = P->n - 1; i >= 0; i--) {
    dls_pivot *p = &P->at[i];
    double *A = p->A;
    const double D = A[0] + p->more;
    if (!(D > LEAST * p->most)) return false;
    p->per = 1 / D;
    p->give = A[0] * p->per;
    p->U[0] = A[1] * p->per, p->U[1] = A[2] * p->per;
    A[3] -= A[1] * p->U[0], A[4] -= A[1] * p->U[1], A[5] -= A[2] * p->U[1];
    if (p->free && !factor_slides(p)) return false;
    if (p->up >= 0) hand_inertia(p, &P->at[p->up]);
  }
  return true;
}

/* --- answers ------------------------------------------------------------------------------- */

/* y of a wrench (w[0]; w[1], w[2]) about the pivot, which becomes what it hands on. z: of the
** hinge, and of slides. */
static inline void take_up(const dls_pivot *p, double w[3], double z[3], double y[3]) {
  z[2] = w[0];
  y[2] = w[0] * p->per;
  w[1] -= p->U[0] * w[0], w[2] -= p->U[1] * w[0];
  w[0] = p->more * y[2];
  if (!p->free) return;
  z[1] = w[1];
  y[1] = w[1] * p->slide[0];
  z[0] = w[2] - p->slide[1] * w[1];
  y[0] = z[0] * p->slide[2];
}

void dls_pivots_up(const dls_pivots *P, const double *Q) {
  for (int i = P->n - 1; i >= 0; i--) {
    const dls_pivot *p = &P->at[i];
    double w[3] = {p->t, p->f[0], p->f[1]}, z[3], more = 0;
    if (Q && p->free) {
      for (int k = 0; k < 3; k++) w[k] += k == 0 ? p->side * Q[p->iu + 2] : Q[p->iu + k - 1];
    } else if (Q) {
      more = p->side * Q[p->iu];
      w[0] += more;
    }
    take_up(p, w, z, P->y + 3 * i);
    if (p->up < 0) continue;
    dls_pivot *up = &P->at[p->up];
    up->t += w[0] - more + (p->d[0] * w[2] - p->d[1] * w[1]);
    up->f[0] += w[1], up->f[1] += w[2];
  }
}

void dls_pivots_unpush(const dls_pivots *P) {
  memset(P->y, 0, 3 * (size_t)P->n * sizeof *P->y);
}

void dls_pivots_down(const dls_pivots *P, double *du) {
  for (int i = 0; i < P->n; i++) {
    dls_pivot *p = &P->at[i];
    const double *y = P->y + 3 * i;
    double omega = 0;
    p->v[0] = p->v[1] = 0;
    if (p->up >= 0) {
      const dls_pivot *k = &P->at[p->up];
      omega = k->omega;
      p->v[0] = k->v[0] - omega * p->d[1];
      p->v[1] = k->v[1] + omega * p->d[0];
    } else if (p->free) {
      p->v[1] = y[0];
      p->v[0] = y[1] - p->slide[1] * p->v[1];
      du[p->iu] = p->v[0], du[p->iu + 1] = p->v[1];
    }
    const double own = y[2] - (p->give * omega + (p->U[0] * p->v[0] + p->U[1] * p->v[1]));
    p->omega = omega + own;
    p->own = p->side * own;
    du[p->iu + (p->free ? 2 : 0)] = p->own;
  }
}

void dls_pivots_move(const dls_pivots *P, const double *u, const dls_given *given) {
  for (int i = 0; i < P->n; i++) {
    dls_pivot *p = &P->at[i];
    const double *own = u + p->iu, *from = p->above + 4;
    double omega = 0;
    p->v[0] = p->free ? own[0] : 0, p->v[1] = p->free ? own[1] : 0;
    if (p->up >= 0) {
      const dls_pivot *k = &P->at[p->up];
      omega = k->omega;
      p->v[0] = k->v[0] - omega * p->d[1], p->v[1] = k->v[1] + omega * p->d[0];
    } else if (given && p->input >= 0) {
      const dls_given *in = &given[p->input];
      omega = in->omega[2];
      p->v[0] = in->v[0] - omega * (p->x[1] - from[1]),
      p->v[1] = in->v[1] + omega * (p->x[0] - from[0]);
    }
    p->omega = omega + p->side * own[p->free ? 2 : 0];
  }
}

/* --- rows ---------------------------------------------------------------------------------- */

/* The wrench of a row on a body, about its centre, is one about its pivot. */
static void start_way(const dls_pivot *p, const double wrench[3], double w[3]) {
  w[0] = wrench[0] + (p->c[0] * wrench[2] - p->c[1] * wrench[1]);
  w[1] = wrench[1], w[2] = wrench[2];
}

/* The entries of pivot i; *i becomes the next one, w the wrench there. */
static inline dls_pivot_entry *step_up(const dls_pivots *P, int *i, double w[3],
                                       dls_pivot_entry *list) {
  const dls_pivot *p = &P->at[*i];
  double z[3], y[3];
  take_up(p, w, z, y);
  for (int k = 2; k >= (p->free ? 0 : 2); k--) *list++ = (dls_pivot_entry){3 * *i + k, z[k], y[k]};
  w[0] += p->d[0] * w[2] - p->d[1] * w[1];
  *i = p->up;
  return list;
}

int dls_pivots_walk(const dls_pivots *P, const int on[2], const double (*wrench)[3],
                    dls_pivot_entry *list) {
  dls_pivot_entry *const begin = list;
  int i = on[0], j = on[1];
  double a[3] = {0}, b[3] = {0};
  if (i >= 0) start_way(&P->at[i], wrench[0], a);
  if (j >= 0) start_way(&P->at[j], wrench[1], b);
  while (i >= 0 && j >= 0) {
    if (i == j) { /* they go on as one */
      for (int k = 0; k < 3; k++) a[k] += b[k];
      j = -1;
    } else if (i > j) {
      list = step_up(P, &i, a, list);
    } else {
      list = step_up(P, &j, b, list);
    }
  }
  while (i >= 0) list = step_up(P, &i, a, list);
  while (j >= 0) list = step_up(P, &j, b, list);
  return (int)(list - begin);
}

double dls_pivots_speed(const dls_pivots *P, const dls_pivot_entry *list, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += list[k].z * P->y[list[k].at];
  return sum;
}

void dls_pivots_push(const dls_pivots *P, const dls_pivot_entry *list, int n, double p) {
  for (int k = 0; k < n; k++) P->y[list[k].at] += list[k].y * p;
}

double dls_pivots_product(const dls_pivot_entry *a, int n_a, const dls_pivot_entry *b, int n_b) {
  double sum = 0;
  for (int i = 0, j = 0; i < n_a && j < n_b;) {
    if (a[i].at == b[j].at) sum += a[i++].z * b[j++].y;
    else if (a[i].at > b[j].at) i++;
    else j++;
  }
  return sum;
}

double dls_pivots_product_of_ways(const dls_pivot_entry *a, int n_a, const dls_pivot_entry *b,
                                  int n_b) {
  const int n = n_a < n_b ? n_a : n_b;
  const dls_pivot_entry *x = a + (n_a - n), *y = b + (n_b - n);
  if (n == 0 || x[0].at != y[0].at) return dls_pivots_product(a, n_a, b, n_b);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i].z * y[i].y;
  return sum;
}
