/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* One path of pack.h: the including file defines LANES, PACK_NAME and PACK_TABLE. Constants differ
** from lane to lane here. */

/* No vector is passed to or from a function that is not inlined. */
#pragma GCC diagnostic ignored "-Wpsabi"

#include "core/base/vector.h"

typedef double real DLS_VECTOR(8 * LANES);
typedef real creal;
typedef long long mask DLS_VECTOR(8 * LANES);
typedef struct lane_state {
  real E[9], r[3], v[3], c[3], zeta[3], f[24], y[6], w[6]; /* as in dls_node_state */
} lane_state;
#include "core/forest/lanes.inc.h"

#include "core/forest/eliminate.inc.h"

typedef struct constants {
  real R[9], p[3], turn[4]; /* zero pose, and its quaternion */
  real J[6], mc[3], m;      /* inertia                       */
} constants;

typedef struct work {
  lane_state s; /* motion */
  sums sum;     /* what nodes above pass up */
} work;

/* --- constants -------------------------------------------------------------------------------- */

static void fill_lane(constants *c, int l, const dls_node *node) {
  (void)l; /* in plain C there is one lane */
  for (int k = 0; k < 9; k++) DLS_LANE(c->R[k], l) = node->zero.R.m[k];
  const double p[3] = {node->zero.p.x, node->zero.p.y, node->zero.p.z};
  for (int k = 0; k < 3; k++) DLS_LANE(c->p[k], l) = p[k];
  for (int k = 0; k < 4; k++) DLS_LANE(c->turn[k], l) = node->turn[k];
  for (int k = 0; k < 6; k++) DLS_LANE(c->J[k], l) = node->M.J[k];
  for (int k = 0; k < 3; k++) DLS_LANE(c->mc[k], l) = node->M.mc[k];
  DLS_LANE(c->m, l) = node->M.m;
}

static void fill_chain(const dls_forest_packs *packs);
static void fill_hinges(const dls_forest_packs *packs);

static void fill(dls_forest_packs *packs) {
  if (packs->length > 0) {
    if (packs->hinges)
      fill_hinges(packs);
    else
      fill_chain(packs);
    return;
  }
  static const dls_node rest = {.zero = {{{1, 0, 0, 0, 1, 0, 0, 0, 1}}, {0, 0, 0}},
                                .turn = {1, 0, 0, 0},
                                .M = {{1, 0, 0, 1, 0, 1}, {0, 0, 0}, 1}};
  constants *c = (constants *)packs->constants;
  for (int s = 0; s < packs->n_slots; s++) {
    const int i = packs->node[s];
    fill_lane(&c[s / LANES], s % LANES, i >= 0 ? &packs->forest->nodes[i] : &rest);
  }
}

/* --- numbers in and out of lanes -------------------------------------------------------------- */

/* n numbers of each node of the pack: x[offset ..]. Padding keeps zeros. */
static inline void gather(const dls_forest_packs *packs, int s, const double *x, bool coordinates,
                          int n, real *out) {
  const dls_node *nodes = packs->forest->nodes;
  for (int k = 0; k < n; k++) out[k] = (real){0};
  for (int l = 0; l < LANES; l++) {
    const int i = packs->node[s + l];
    if (i < 0) break;
    const double *from = x + (coordinates ? nodes[i].iq : nodes[i].iu);
    for (int k = 0; k < n; k++) DLS_LANE(out[k], l) = from[k];
  }
}

/* 6 numbers of the parents' states (v or w): a pack as it stands, or lane by lane. */
static inline const real *of_parents(const dls_forest_packs *packs, int s, size_t offset, int n,
                                     real *room) {
  const work *all = (const work *)packs->work;
  const int *parent = packs->parent + s;
  if (packs->aligned[s / LANES] == 1)
    return (const real *)(const void *)((const char *)&all[parent[0] / LANES].s + offset);
  for (int k = 0; k < n; k++) room[k] = (real){0};
  for (int l = 0; l < LANES && parent[l] >= 0; l++) {
    const real *from = (const real *)(const void *)((const char *)&all[parent[l] / LANES].s + offset);
    for (int k = 0; k < n; k++) DLS_LANE(room[k], l) = DLS_LANE(from[k], parent[l] % LANES);
  }
  return room;
}

/* The sums of a pack into those of its parents, last lane first. */
static inline void scatter(const dls_forest_packs *packs, int s, const sums *from) {
  work *all = (work *)packs->work;
  const int *parent = packs->parent + s;
  const double *x = (const double *)(const void *)from;
  for (int l = LANES - 1; l >= 0; l--) {
    if (parent[l] < 0) continue;
    double *to = (double *)(void *)&all[parent[l] / LANES].sum + parent[l] % LANES;
    for (size_t k = 0; k < sizeof(sums) / sizeof(real); k++) to[k * LANES] += x[k * LANES + (size_t)l];
  }
}

/* --- the passes ------------------------------------------------------------------------------ */

static inline void forward_pack(const dls_forest_packs *packs, const dls_forest_state *state,
                                dls_node_kind kind, int s) {
  const constants *c = (const constants *)packs->constants + s / LANES;
  work *w = (work *)packs->work + s / LANES;
  lane_state *x = &w->s;
  real q[7], u[6], room[3], carried[3], swept[3];
  const bool root = packs->aligned[s / LANES] < 0;
  if (kind == DLS_NODE_FREE) {
    gather(packs, s, state->q, true, 7, q);
    gather(packs, s, state->u, false, 6, u);
    for (int k = 0; k < 3; k++)
      x->r[k] = c->p[k] + (c->R[3 * k] * q[0] + c->R[3 * k + 1] * q[1] + c->R[3 * k + 2] * q[2]);
    turn_q(x->E, c->turn, q + 3);
    copy3(x->v, u + 3);
    zero3(x->c);
    zero3(x->zeta);
  } else {
    const real *v_k = root ? NULL : of_parents(packs, s, offsetof(lane_state, v), 3, room);
    const bool hinge = kind == DLS_NODE_REVOLUTE;
    gather(packs, s, state->q, true, hinge ? 1 : 4, q);
    gather(packs, s, state->u, false, hinge ? 1 : 3, u);
    if (hinge)
      turn_z(x->E, c->R, q[0]);
    else
      turn_q(x->E, c->turn, q);
    copy3(x->r, c->p);
    zero3(carried);
    zero3(x->zeta);
    zero3(x->c);
    if (!root) {
      mat_t_vec(carried, x->E, v_k);
      cross(swept, v_k, x->r);
      cross(x->zeta, v_k, swept);
    }
    copy3(x->v, carried);
    if (hinge) {
      spin_z(x, carried, u[0]);
    } else {
      add3(x->v, u);
      cross(x->c, carried, u);
    }
  }
  set_body(&w->sum.A, c->J, c->mc, c->m);
  set_gyroscopic(&w->sum.P, c->J, c->mc, x->v);
}

static inline mask up_pack(const dls_forest_packs *packs, const dls_forest_state *state,
                           dls_node_kind kind, int s) {
  const constants *c = (const constants *)packs->constants + s / LANES;
  work *all = (work *)packs->work, *w = &all[s / LANES];
  const int aligned = packs->aligned[s / LANES];
  real tau[6];
  sums room, *above = aligned == 1 ? &all[packs->parent[s] / LANES].sum : NULL;
  if (aligned == 0) {
    memset(&room, 0, sizeof room);
    above = &room;
  }
  gather(packs, s, state->tau, false, kind == DLS_NODE_FREE ? 6 : (kind == DLS_NODE_BALL ? 3 : 1),
         tau);
  mask good;
  if (kind == DLS_NODE_REVOLUTE)
    good = back_revolute(above, &w->s, &w->sum, tau[0]);
  else if (kind == DLS_NODE_BALL)
    good = back_ball(above, &w->s, &w->sum, tau);
  else
    good = back_free(NULL, c->R, &w->s, &w->sum, tau);
  if (aligned == 0) scatter(packs, s, &room);
  return good;
}

static inline void down_pack(const dls_forest_packs *packs, dls_forest_state *state,
                             dls_node_kind kind, int s, const real *root) {
  const constants *c = (const constants *)packs->constants + s / LANES;
  lane_state *x = &((work *)packs->work + s / LANES)->s;
  real room[6], udot[6];
  const real *w_k = packs->aligned[s / LANES] < 0
                        ? root
                        : of_parents(packs, s, offsetof(lane_state, w), 6, room);
  carry(x, w_k, x->w);
  int n = 1;
  if (kind == DLS_NODE_REVOLUTE) {
    down_revolute(x, x->w, udot);
  } else if (kind == DLS_NODE_BALL) {
    down_ball(x, x->w, udot);
    n = 3;
  } else {
    down_free(c->R, x, x->w, udot);
    n = 6;
  }
  for (int l = 0; l < LANES; l++) {
    const int i = packs->node[s + l];
    if (i < 0) break;
    double *to = state->udot + packs->forest->nodes[i].iu;
    for (int k = 0; k < n; k++) to[k] = DLS_LANE(udot[k], l);
  }
}

static bool accelerate(const dls_forest_packs *packs, dls_forest_state *state) {
  const real z = {0};
  const double *g = state->gravity;
  const real root[6] = {z, z, z, z - g[0], z - g[1], z - g[2]};
  mask good = MASK_ALL;
  for (int k = 0; k < packs->n_groups; k++) {
    const dls_pack_group *group = &packs->groups[k];
    for (int s = 0; s < group->n; s += LANES)
      forward_pack(packs, state, group->kind, group->first + s);
  }
  for (int k = packs->n_groups - 1; k >= 0; k--) {
    const dls_pack_group *group = &packs->groups[k];
    const int last = (group->n - 1) / LANES * LANES;
    for (int s = last; s >= 0; s -= LANES)
      good = good & up_pack(packs, state, group->kind, group->first + s);
  }
  if (!all_of(good)) return false;
  for (int k = 0; k < packs->n_groups; k++) {
    const dls_pack_group *group = &packs->groups[k];
    for (int s = 0; s < group->n; s += LANES)
      down_pack(packs, state, group->kind, group->first + s, root);
  }
  return true;
}

#include "core/forest/chain.inc.h"
#include "core/forest/hinges.inc.h"

const dls_pack_lanes PACK_TABLE = {
    .name = PACK_NAME,
    .width = LANES,
    .constant_bytes = sizeof(constants),
    .work_bytes = sizeof(work),
    .link_bytes = {sizeof(chain_link), sizeof(hinge_link)},
    .chain_bytes = {sizeof(chain_state), sizeof(hinge_state)},
    .fill = fill,
    .accelerate = accelerate,
    .chain = {accelerate_chain, accelerate_hinges},
};
