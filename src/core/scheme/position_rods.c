/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/collide/box3.h"
#include "core/contacts/contact_row.h"
#include "core/contacts/rods_met.h"
#include "core/contacts/touches.h"

/* Large piles in space: gaps of spheres and capsules in lanes, other pairs where a lower bound of
** their gap does not tell that they are open; sweeps of those that overlap or held. */

/* pairs of rods that are looked at in lanes as fast as one pair of other shapes */
enum { RODS_A_LOOK = 8 };

typedef struct rod_pile {
  double *gap;      /* n_near: least gap of a pair of rods, m; infinite for other pairs          */
  int *holding;     /* n_near: its first closing contact, by its number in closing; -1: none  */
  double *lower;    /* n_near: of other pairs that did not hold, no more than their gap, m      */
  int *taken;       /* n_near: touches of other pairs that are to be settled                    */
  /* 3 DLS_RODS_AT_ONCE */
  dls_touch *touch;
  double widest;    /* gap of what held, by size                                                 */
} rod_pile;

/* Which pairs have contacts that held. Both lists are sorted by a, then b. */
static void find_held_pairs(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                            rod_pile *X) {
  int i = 0;
  for (int k = 0; k < N->n_near; k++) {
    const dls_near *pair = &N->near[k];
    X->holding[k] = -1;
    for (; i < P->n_closing; i++) {
      const dls_contact *c = &S->w->contacts_next[P->closing[i]];
      if (c->a > pair->a || (c->a == pair->a && c->b > pair->b)) break;
      if (c->a == pair->a && c->b == pair->b && X->holding[k] < 0) X->holding[k] = i;
    }
  }
}

static bool held_before(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                        const rod_pile *X, int k, uint64_t key) {
  const dls_near *pair = &N->near[k];
  for (int i = X->holding[k]; i >= 0 && i < P->n_closing; i++) {
    const dls_contact *c = &S->w->contacts_next[P->closing[i]];
    if (c->a != pair->a || c->b != pair->b) return false;
    if (c->key == key) return true;
  }
  return false;
}

static dls_vec3 turned_by(const dls_step *S, int body, dls_vec3 t) {
  const double *I = S->rows.inv_inertia + 9 * (size_t)body;
  return dls_v3(I[0] * t.x + I[1] * t.y + I[2] * t.z, I[3] * t.x + I[4] * t.y + I[5] * t.z,
                I[6] * t.x + I[7] * t.y + I[8] * t.z);
}

/* A touch of pair k to be settled, if it held or is within `limit`, and something moves by it. */
static dls_status add_touch(dls_step *S, const dls_near_stage *N, dls_position_stage *P,
                            rod_pile *X, int k, const dls_touch *touch, double size, double limit) {
  const int a = N->near[k].a, b = N->near[k].b;
  const bool both = X->holding[k] >= 0 && held_before(S, N, P, X, k, touch->key);
  if (!both && !(touch->gap <= limit)) return DLS_OK;
  const double m_a = S->rows.inv_mass[a], m_b = S->rows.inv_mass[b];
  dls_vec3 on_a, on_b;
  dls_points_of(S->w, a, b, touch, &on_a, &on_b);
  const dls_vec3 n = touch->normal, t_a = dls_v3_cross(n, dls_arm_to(3, DLS_Q(S, S->q_n, a), on_a));
  const dls_vec3 t_b = dls_v3_cross(dls_arm_to(3, DLS_Q(S, S->q_n, b), on_b), n);
  const dls_vec3 w_a = turned_by(S, a, t_a), w_b = turned_by(S, b, t_b);
  const double w = (m_a + m_b) + (dls_v3_dot(t_a, w_a) + dls_v3_dot(t_b, w_b));
  if (!(w > 0)) return DLS_OK;
  if (P->n_taken >= S->room_contacts) return dls_want_contacts(S);
  const double share = 1 / w;
  dls_position_touch *c = &P->touches[P->n_taken++];
  c->n = n, c->t_a = t_a, c->t_b = t_b;
  c->w_a = dls_v3_scale(share, w_a), c->w_b = dls_v3_scale(share, w_b);
  c->m_a = share * m_a, c->m_b = share * m_b;
  c->gap = touch->gap, c->way = 0, c->size = size;
  c->a = a, c->b = b, c->seen = -1;
  c->both = both;
  if (both) X->widest = dls_max(X->widest, c->gap / size);
  return DLS_OK;
}

static double size_of_rods(const dls_step *S, const dls_near *pair) {
  return 2 * dls_min(S->rod[pair->a].r, S->rod[pair->b].r);
}

/* Gaps at q' of so many pairs of rods, numbers `at` in near. */
static void look_at_rods(const dls_step *S, const dls_near_stage *N, dls_position_stage *P,
                         rod_pile *X, int n, const int *at) {
  int a[DLS_RODS_AT_ONCE], b[DLS_RODS_AT_ONCE];
  double gap[DLS_RODS_AT_ONCE];
  for (int i = 0; i < n; i++) a[i] = N->near[at[i]].a, b[i] = N->near[at[i]].b;
  dls_gap_lanes_best()->rod_gaps(n, a, b, S->rod, gap);
  for (int i = 0; i < n; i++) {
    X->gap[at[i]] = gap[i];
    dls_note_gap(P, gap[i], size_of_rods(S, &N->near[at[i]]));
  }
}

/* Gaps at q' of pair k, and its touches to be settled, if they are wanted. */
static dls_status look_at_pair(dls_step *S, dls_near_stage *N, dls_position_stage *P, rod_pile *X,
                               int k, bool wanted) {
  const dls_near *pair = &N->near[k];
  const double margin = dls_max(P->slack, N->margin[pair->a] + N->margin[pair->b]);
  const int found = dls_touches_of(S, N, pair->a, pair->b, margin), before = P->n_taken;
  if (found > N->touch_room) return dls_want_touches(S, found);
  const dls_body *bodies = S->w->bodies;
  const double size =
      2 * dls_min(dls_shape_girth(bodies[pair->a].shape), dls_shape_girth(bodies[pair->b].shape));
  for (int i = 0; i < found; i++) {
    dls_note_gap(P, N->touch[i].gap, size);
    const dls_status status =
        wanted ? add_touch(S, N, P, X, k, &N->touch[i], size, DLS_INF) : DLS_OK;
    if (status != DLS_OK) return status;
  }
  X->taken[k] = P->n_taken - before;
  return DLS_OK;
}

/* The touches behind the first `early`, of pairs that are surely open, to their places in the order
** of near. */
static dls_status merge_late(dls_step *S, const dls_near_stage *N, dls_position_stage *P,
                             const rod_pile *X, int early) {
  const int n = P->n_taken - early;
  dls_position_touch *late = DLS_TAKE(&S->w->arena, dls_position_touch, n);
  if (!late) return DLS_FULL;
  memcpy(late, P->touches + early, (size_t)n * sizeof *late);
  int to = P->n_taken, from = early, from_late = n;
  for (int k = N->n_near - 1; k >= 0 && from_late > 0; k--) {
    const bool open = X->lower[k] > 0;
    for (int i = X->taken[k]; i > 0; i--)
      P->touches[--to] = open ? late[--from_late] : P->touches[--from];
  }
  return DLS_OK;
}

/* Those of the pairs that are surely open whose touches may be within twice the deepest overlap. */
static dls_status look_at_open(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               rod_pile *X) {
  const size_t mark = dls_arena_mark(&S->w->arena);
  const double limit = 2 * P->deepest;
  const int early = P->n_taken;
  dls_status status = DLS_OK;
  for (int k = 0; k < N->n_near && status == DLS_OK; k++)
    if (X->lower[k] > 0 && X->lower[k] <= limit) status = look_at_pair(S, N, P, X, k, true);
  if (status == DLS_OK && P->n_taken > early) status = merge_late(S, N, P, X, early);
  dls_arena_release(&S->w->arena, mark);
  return status;
}

/* All gaps at q' that may be closed, and the touches to be settled of pairs that are none of rods,
** if they are wanted: those that held, and what is within twice the deepest overlap. */
static dls_status look_closely(dls_step *S, dls_near_stage *N, dls_position_stage *P, rod_pile *X,
                               bool wanted) {
  int at[DLS_RODS_AT_ONCE], n = 0;
  P->touching = P->n_taken = 0;
  P->worst = P->deepest = X->widest = 0;
  P->looked = N->n_near / RODS_A_LOOK;
  for (int k = 0; k < N->n_near; k++) {
    const int a = N->near[k].a, b = N->near[k].b;
    const bool rods = dls_are_rods(S, a, b);
    if (rods) at[n++] = k;
    if (n == DLS_RODS_AT_ONCE || k == N->n_near - 1) look_at_rods(S, N, P, X, n, at), n = 0;
    X->taken[k] = 0, X->lower[k] = -DLS_INF;
    if (rods) continue;
    X->gap[k] = DLS_INF;
    P->looked += 2; /* before and behind a turn */
    if (X->holding[k] < 0)
      X->lower[k] = dls_apart3(S->w->bodies[a].shape, &S->T3[a], S->w->bodies[b].shape, &S->T3[b]);
    if (X->lower[k] > 0) continue;
    const dls_status status = look_at_pair(S, N, P, X, k, wanted);
    if (status != DLS_OK) return status;
  }
  return wanted ? look_at_open(S, N, P, X) : DLS_OK;
}

/* Touches of so many pairs of rods, numbers `at` in near. */
static dls_status lay_rods(dls_step *S, const dls_near_stage *N, dls_position_stage *P, rod_pile *X,
                           int n, const int *at) {
  int a[DLS_RODS_AT_ONCE], b[DLS_RODS_AT_ONCE];
  double margin[DLS_RODS_AT_ONCE];
  unsigned char count[DLS_RODS_AT_ONCE];
  const double limit = 2 * P->deepest;
  for (int i = 0; i < n; i++) {
    const dls_near *pair = &N->near[at[i]];
    a[i] = pair->a, b[i] = pair->b;
    margin[i] = X->holding[at[i]] < 0 ? limit : dls_max(limit, N->margin[a[i]] + N->margin[b[i]]);
  }
  (void)dls_gap_lanes_best()->touch(n, a, b, S->rod, margin, count, X->touch);
  const dls_touch *touch = X->touch;
  for (int i = 0; i < n; i++) {
    const double size = size_of_rods(S, &N->near[at[i]]);
    for (int left = count[i]; left > 0; left--, touch++) {
      const dls_status status = add_touch(S, N, P, X, at[i], touch, size, limit);
      if (status != DLS_OK) return status;
    }
  }
  return DLS_OK;
}

/* What is to be settled: what overlaps, what held, and what would be closed by opening the
** others. */
static dls_status gather(dls_step *S, const dls_near_stage *N, dls_position_stage *P, rod_pile *X) {
  const double limit = 2 * P->deepest;
  int at[DLS_RODS_AT_ONCE], n = 0;
  dls_status status = DLS_OK;
  int kept = 0;
  for (int k = 0; k < P->n_taken; k++)
    if (P->touches[k].both || P->touches[k].gap <= limit) P->touches[kept++] = P->touches[k];
  P->n_taken = kept;
  for (int k = 0; k < N->n_near && status == DLS_OK; k++) {
    if (X->gap[k] <= limit || (X->holding[k] >= 0 && X->gap[k] < DLS_INF)) at[n++] = k;
    if (n == DLS_RODS_AT_ONCE) status = lay_rods(S, N, P, X, n, at), n = 0;
  }
  return status == DLS_OK ? lay_rods(S, N, P, X, n, at) : status;
}

/* The worst dls_overlap after the sweeps so far, by size; what they pressed together stays
** there. */
static double sum_up_moves(dls_position_stage *P) {
  double worst = 0;
  for (int k = 0; k < P->n_taken; k++) {
    dls_position_touch *c = &P->touches[k];
    const double *dq_a = P->dq + 6 * c->a, *dq_b = P->dq + 6 * c->b;
    const double turned =
        dls_v3_dot(c->t_a, dls_v3_load(dq_a + 3)) + dls_v3_dot(c->t_b, dls_v3_load(dq_b + 3));
    const double gap =
        c->gap + (dls_v3_dot(c->n, dls_v3_sub(dls_v3_load(dq_b), dls_v3_load(dq_a))) + turned);
    if (-gap > worst * c->size) worst = -gap / c->size;
    c->both = false;
    c->way = 0;
    c->seen = -1;
  }
  return worst;
}

/* The share of a body's size up to which overlaps are let be: finer where all that moves freely is
** a ball or a capsule, unless velocities are asked for roughly: what these open in a step is more,
** and contacts that open and close by it are solved anew each time (capsules in towers: ten times
** the sweeps). */
static double let_be(const dls_step *S, const dls_near_stage *N) {
  if (S->w->solve.tolerance >= DLS_POSITION_ROUGH) return DLS_OVERLAP_LARGE;
  for (int i = 0; i < N->n_shapes; i++)
    if (S->rows.inv_mass[N->body_of[i]] > 0 && !(S->rod[N->body_of[i]].r > 0))
      return DLS_OVERLAP_LARGE;
  return DLS_OVERLAP_ROUND;
}

dls_status dls_project_rods(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  rod_pile X = {.gap = DLS_TAKE(tmp, double, N->n_near), .holding = DLS_TAKE(tmp, int, N->n_near),
                .lower = DLS_TAKE(tmp, double, N->n_near), .taken = DLS_TAKE(tmp, int, N->n_near),
                .touch = DLS_TAKE(tmp, dls_touch, 3 * DLS_RODS_AT_ONCE)};
  if (!X.gap || !X.holding || !X.lower || !X.taken || !X.touch) return DLS_FULL;
  const double least = let_be(S, N), enough = dls_enough_of(S, least);
  const bool rests = enough <= least;
  find_held_pairs(S, N, P, &X);
  dls_status status = DLS_OK;
  for (int turn = 0; status == DLS_OK;) {
    status = look_closely(S, N, P, &X, true);
    dls_note_found(P);
    if (status == DLS_OK) status = gather(S, N, P, &X);
    if (status != DLS_OK || (turn == 0 && P->worst <= least && X.widest <= least)) break;
    dls_start_moving(S, P);
    double worst = 0;
    do {
      const bool more = rests || (turn > 0 && P->worst > DLS_OVERLAP_DEEP);
      double change = DLS_INF, left = (turn < DLS_ROUNDS ? 1 : 0.5) * least;
      const int own = more ? 4 * DLS_SWEEPS : 3 * DLS_SWEEPS / 2,
                most = dls_position_sweeps(S, own);
      int swept = 0;
      for (; swept < most && change > left; swept++)
        change = dls_sweep_touches(P, (swept & 1) != 0, left);
      worst = P->worst = sum_up_moves(P);
      dls_position_swept(S, swept + 1, change <= left || most == own);
      turn++;
    } while (worst > enough && turn < 2 * DLS_ROUNDS &&
             (turn < DLS_ROUNDS || rests || worst > DLS_OVERLAP_DEEP) &&
             dls_work_afford(&S->w->work, DLS_PRICE_SWEEP, DLS_WORK_PROJECTION));
    dls_displace(S, P);
    P->n_active = P->n_taken; /* how many there were, for the price of a turn */
    memset(X.holding, -1, (size_t)N->n_near * sizeof *X.holding);
    status = look_closely(S, N, P, &X, false);
    if (P->worst <= enough || turn >= 2 * DLS_ROUNDS) break;
    if (turn >= DLS_ROUNDS && !rests && P->worst <= DLS_OVERLAP_DEEP) break;
    if (!dls_position_goes_on(S, P)) break;
  }
  dls_arena_release(tmp, mark);
  return status;
}
