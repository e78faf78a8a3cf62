/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Positions, after velocities: the smallest change in the M-norm, dq = M^-1 J' pi, with
**
**     0 <= pi  _|_  gap + J dq >= 0                                   (rigid contacts)
**
** by projected Gauss-Seidel on the gaps at q'. No velocity and no impulse is touched. Small piles are
** brought to round-off; large ones are let be below OVERLAP_LARGE, and what a few sweeps leave the
** next step goes on with. Gaps are taken again only where a body has moved, and a sweep visits only
** what a move has reached. */

#include "core/scheme/gaps.inl"

/* --- sweeps ------------------------------------------------------------------------------------ */

/* Nothing has moved yet. */
static void start_moving(const step *S, pile *P) {
  memset(P->dq, 0, (size_t)S->w->n_bodies * NU * sizeof(double));
  memset(P->moved, 0, (size_t)S->w->n_bodies * sizeof(int));
  P->moves = 0;
}

/* One sweep over what is active; moves up to `left` are not made. Answers the largest move (both by
** size). A visit is needed where a body has moved since the last one. */
static double sweep_gaps(const step *S, pile *P, bool backwards, double left) {
  const double *inv_mass = S->rows.inv_mass;
  const int n = P->n_active;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    overlap *c = &P->o[P->active[backwards ? n - 1 - k : k]];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = U(P->dq, c->a), *dq_b = U(P->dq, c->b);
    const double gap = c->gap + row_velocity(c->J, dq_a, dq_b), least = left * c->size;
    if (fabs(gap) <= least) continue;
    double pi = c->pi - gap / c->w;
    if (!c->both && (c->pulls ? pi > 0 : pi < 0)) pi = 0;
    const double change = pi - c->pi, way = fabs(change) * c->w;
    if (change == 0 || way <= least) continue;
    worst = dls_max(worst, way / c->size);
    c->pi = pi;
    add_u(dq_a, change, c->MJ);
    add_u(dq_b, change, c->MJ + NU);
    c->seen = ++P->moves;
    if (inv_mass[c->a] > 0) moved[c->a] = P->moves;
    if (inv_mass[c->b] > 0) moved[c->b] = P->moves;
  }
  return worst;
}

/* What a body's velocity is worth at q': a turn changes it where moments of inertia differ. */
static double spin_energy(const step *S, int i) {
#if D == 3
  const dls_body *body = &S->w->bodies[i];
  if (!is_round(body)) return kinetic_of(body, Q(S->q_n, i), U(S->u_n, i));
#endif
  (void)S, (void)i;
  return 0;
}

/* Moves q' by dq; the energy it adds goes to the ledger. */
static void displace(step *S, const pile *P) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (P->moved[i] == 0 || !moves_freely(&w->bodies[i])) continue;
    const double *change = U(P->dq, i);
    double rise = 0;
    for (int k = 0; k < D; k++) rise -= w->bodies[i].mass * w->gravity[k] * change[k];
    S->correction += rise - spin_energy(S, i);
    drift(Q(S->q_n, i), 1, change);
    S->correction += spin_energy(S, i);
#if D == 2
    S->spot[i].x = Q(S->q_n, i)[0], S->spot[i].y = Q(S->q_n, i)[1];
#endif
    pose_at(S, i, Q(S->q_n, i));
  }
}

/* Sweeps to and fro until nothing moves; q' follows, and gaps are taken again. */
static dls_status settle_small(step *S, pile *P, bool pulls) {
  start_moving(S, P);
  for (int k = 0; k < P->n_active; k++) {
    P->o[P->active[k]].pulls = pulls;
    P->o[P->active[k]].seen = -1;
  }
  for (int i = 0; i < SWEEPS_SMALL; i++)
    if (sweep_gaps(S, P, (i & 1) != 0, 0) <= OVERLAP_NOISE) break;
  displace(S, P);
  return look_again(S, P);
}

/* --- gaps that were pressed across ------------------------------------------------------------- */

static int in_order(const overlap *o, const dls_contact *c) {
  if (o->a != c->a) return o->a < c->a ? -1 : 1;
  if (o->b != c->b) return o->b < c->b ? -1 : 1;
  return o->key < c->key ? -1 : o->key > c->key;
}

/* The touch at q' of contact c that is none of disks; NULL: it is gone. *e: where to look from; both lists are in the
** same order. */
static overlap *touch_of(pile *P, const dls_contact *c, int *e) {
  if (c->tie >= 0) {
    overlap *o = NULL;
    for (int t = 0; t < P->n_tied; t++)
      if (P->o[t].key == (uint64_t)c->tie) o = &P->o[t];
    return o;
  }
  while (*e < P->n && in_order(&P->o[*e], c) < 0) (*e)++;
  return *e < P->n && in_order(&P->o[*e], c) == 0 ? &P->o[*e] : NULL;
}

/* Marks the touches at q' of the contacts that hold and are none of disks. Answers the widest gap among them, by
** size. */
static double mark_odd_ones(const step *S, pile *P) {
  double widest = 0;
  for (int i = 0, e = P->n_tied; i < S->n_closing; i++) {
    if (S->closing_near[i] >= 0) continue;
    overlap *o = touch_of(P, &S->w->contacts_next[S->closing[i]], &e);
    if (!o) continue;
    o->holds = true;
    widest = dls_max(widest, o->gap / o->size);
  }
  return widest;
}

/* Marks all of them. */
static double mark_holding(const step *S, pile *P) {
  double widest = mark_odd_ones(S, P);
  for (int i = 0; i < S->n_closing; i++) {
    const int near = S->closing_near[i];
    if (near < 0) continue;
    P->mark[near] |= HOLDS;
    widest = dls_max(widest, P->gap[near] / P->size[near]);
  }
  return widest;
}

/* A contact may act before its gap is closed, since it would close within the step. Where it held
** (it pressed, and does not open), the bodies go the rest of the way: else they would hover there
** for ever, held by a row at a distance. Closing one must not open another that held, so all that
** did are in the problem
**
**     0 >= pi  _|_  gap + J dq <= 0;
**
** what it presses into each other is settled by the projection that follows. */
static dls_status close_gaps(step *S, pile *P) {
  dls_status status = pick(S, P, -DLS_INF, true);
  return status == DLS_OK ? settle_small(S, P, true) : status;
}

#include "core/scheme/project_large.inl"
#include "core/scheme/project_press.inl"

/* --- the stage ------------------------------------------------------------------------------------ */

static dls_status project_free(step *S, pile *P) {
#if D == 3
  if (goes_by_presses(S)) return project_presses(S, P);
#endif
  bool may_be_round = D == 2;
  dls_status status = DLS_OK;
#if D == 2
  if (S->w->n_ties == 0 && S->n_closing > SMALL_PILE) {
    status = project_round(S, P, &may_be_round);
    if (status != DLS_OK || may_be_round) return status;
  }
#endif
  status = look(S, P);
  if (status != DLS_OK) return status;
  const double widest = mark_holding(S, P);
  if (P->touching > SMALL_PILE || S->n_closing > SMALL_PILE)
    return project_large(S, P, widest > OVERLAP_LARGE, may_be_round);
  if (widest > CLOSED) status = close_gaps(S, P);
  for (int turn = 0; turn < ROUNDS && status == DLS_OK; turn++) {
    if (P->worst <= (turn == 0 ? OVERLAP_NOISE : OVERLAP_SMALL)) break;
    status = pick(S, P, 2 * P->deepest, false);
    if (status == DLS_OK) status = settle_small(S, P, false);
  }
  return status;
}

#include "core/scheme/project_joined.inl"

static dls_status project(step *S) {
  dls_world *w = S->w;
  size_t mark = dls_arena_mark(&w->arena);
  const int room = S->room_contacts + S->room_joints;
  pile P = {.found = -1,
            .o = DLS_TAKE(&w->arena, overlap, room),
            .active = DLS_TAKE(&w->arena, int, room),
            .odd = DLS_TAKE(&w->arena, int, S->n_near + 4),
            .dq = DLS_TAKE(&w->arena, double, w->n_bodies * NU),
            .moved = DLS_TAKE(&w->arena, int, w->n_bodies)};
  bool full = !P.o || !P.active || !P.odd || !P.dq || !P.moved;
#if D == 2
  P.gap = DLS_TAKE(&w->arena, double, S->n_near);
  P.size = DLS_TAKE(&w->arena, double, S->n_near);
  P.mark = DLS_TAKE(&w->arena, unsigned char, S->n_near);
  P.press = DLS_TAKE(&w->arena, press, S->n_near);
  full = full || !P.gap || !P.size || !P.mark || !P.press;
  take_spots(S);
#else
  P.press = DLS_TAKE(&w->arena, press, room);
  full = full || !P.press;
#endif
  if (full) return DLS_FULL;
  w->apart_joint = -1;
  dls_status status = is_joined(S) ? project_both(S, &P) : project_free(S, &P);
  /* What stands beside the projection varies: an attempt that lacked room asks for an eighth more. */
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, w->arena.size / 8);
  w->stats.penetration = dls_max(P.worst, 0); /* never -0 */
  w->stats.overlap = dls_max(P.found, 0);
  w->stats.infeasible = P.worst > 1e-2;
  dls_arena_release(&w->arena, mark);
  return status;
}
