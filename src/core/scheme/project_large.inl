/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Large piles: all that overlaps and all that held at once, a few sweeps a round. */

#if D == 2
/* The gap at q' moved by dq: exact, not its slope. */
static inline double gap_of_moved(const step *S, const pile *P, int a, int b) {
  const double *dq_a = U(P->dq, a), *dq_b = U(P->dq, b);
  spot at_a = S->spot[a], at_b = S->spot[b];
  at_a.x += dq_a[0], at_a.y += dq_a[1];
  at_b.x += dq_b[0], at_b.y += dq_b[1];
  return gap_of_disks(&at_a, &at_b);
}

static inline void take_disks(const step *S, pile *P, int k, int *n) {
  P->mark[k] |= TAKEN;
  if (!add_disks(S, P, k, *n)) return;
  P->o[*n].both = P->mark[k] & HOLDS;
  P->active[P->n_active++] = (*n)++;
}

/* Pairs of disks that are to move: apart where they overlap, together where they held. */
static dls_status take_far(step *S, pile *P, int *n) {
  for (int k = 0; k < S->n_near; k++) {
    P->mark[k] &= (unsigned char)~TAKEN;
    if (P->mark[k] < OVER || P->mark[k] == OPEN) continue;
    if (*n >= S->room_contacts) return want_contacts(S);
    take_disks(S, P, k, n);
  }
  return DLS_OK;
}

/* Those that a sweep has made so. */
static dls_status take_reached(step *S, pile *P, int *n) {
  for (int k = 0; k < S->n_near; k++) {
    const int a = S->near[k].a, b = S->near[k].b;
    if (!has_moved(P, a, b)) continue;
    if ((P->mark[k] & TAKEN) || !(P->gap[k] < DLS_INF)) continue;
    const double limit = 2 * OVERLAP_LARGE * dls_min(S->spot[a].radius, S->spot[b].radius);
    const double gap = gap_of_moved(S, P, a, b);
    if (!(gap < -limit) && !((P->mark[k] & HOLDS) && gap > limit)) continue;
    if (*n >= S->room_contacts) return want_contacts(S);
    take_disks(S, P, k, n);
  }
  return DLS_OK;
}
#endif

/* A few sweeps; what the first one reaches joins in. */
static dls_status settle_large(step *S, pile *P, bool holding, int sweeps, double left) {
  int n = P->n;
  dls_status status = DLS_OK;
  start_moving(S, P);
  P->n_active = 0;
  for (int k = 0; k < n; k++) {
    overlap *o = &P->o[k];
    o->pi = 0;
    o->pulls = false;
    o->both = holding && o->holds;
    o->seen = -1;
    if (o->both || o->gap <= 2 * P->deepest) P->active[P->n_active++] = k;
  }
  for (int k = 0; !holding && k < S->n_near; k++) P->mark[k] &= (unsigned char)~HOLDS;
  for (int i = 0; i < sweeps && status == DLS_OK; i++) {
#if D == 2
    if (i < 2) status = i == 0 ? take_far(S, P, &n) : take_reached(S, P, &n);
    if (status != DLS_OK) break;
#endif
    if (sweep_gaps(S, P, (i & 1) != 0, left) <= left) break;
  }
  if (status != DLS_OK) return status;
  displace(S, P);
  return look_again(S, P);
}

/* How far the farthest body goes in half of this step, by size. */
static double farthest(const step *S) {
  const dls_world *w = S->w;
  double most = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!moves_freely(body) || !body->shape) continue;
    const double *u = U(S->u_n, i), reach = body->round > 0 ? body->round : body->shape->reach;
    for (int k = 0; k < D; k++) most = dls_max(most, fabs(u[k]) / reach);
  }
  return 0.5 * S->h * most;
}

/* All that overlaps and all that held at once: gaps of these are to be zero. What is left in a pile that
** moves may be as deep as it moves, within bounds: the next step goes on. Deeper ones, where much fell on
** much, get more sweeps and rounds. */
static dls_status project_large(step *S, pile *P, bool open) {
  if (P->worst <= OVERLAP_LARGE && !open) return DLS_OK;
  const double enough = dls_min(OVERLAP_LATER, dls_max(OVERLAP_LARGE, farthest(S)));
  const bool rests = enough <= OVERLAP_LARGE;
  const int sweeps = rests ? 4 * SWEEPS : SWEEPS;
  dls_status status = settle_large(S, P, true, sweeps, OVERLAP_LARGE);
  for (int turn = 1; turn < 2 * ROUNDS && status == DLS_OK && P->worst > enough; turn++) {
    const bool more = rests || P->worst > OVERLAP_DEEP;
    if (turn >= ROUNDS && !more) break;
    status = settle_large(S, P, false, more ? 4 * SWEEPS : SWEEPS, (turn < ROUNDS ? 1 : 0.5) * OVERLAP_LARGE);
  }
  return status;
}
