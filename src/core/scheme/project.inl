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

/* Rigid touches at q'. Those of disks are gaps alone until they are asked for. */
enum { HOLDS = 1, TAKEN = 2, OVER = 4, OPEN = 8 }; /* of a pair of disks: holds; among the touches
  ** to be settled; overlaps, is open by more than OVERLAP_LARGE */

typedef struct pile {
  overlap *o;    /* n touches, hand-made ones first; behind them the disks in work     */
  int n, n_tied; /* of them all, of hand-made ones                                     */
  double *gap;   /* n_near: of pairs of disks, m; infinite for others                  */
  unsigned char *mark; /* n_near: of pairs of disks, bits: see above                    */
  int *active;   /* numbers of the touches to be settled, ascending                    */
  int n_active;  /* of them                                                            */
  double *dq;    /* n_bodies x NU: the change of q'                                    */
  int *moved;    /* n_bodies: count of moves when it moved last, 0: has not            */
  int moves;     /* so far                                                             */
  int touching;  /* touches whose gap is not positive                                  */
  double worst;  /* overlap, by size                                                   */
  double deepest; /* overlap, m                                                        */
  double slack;  /* touches up to this gap are looked at, beside those within reach, m */
} pile;

enum { ROUNDS = 3, SWEEPS = 4, SWEEPS_SMALL = 200, SMALL_PILE = 60 };
/* Overlap below this share of the smaller body is round-off. */
static const double OVERLAP_NOISE = 1e-12, OVERLAP_SMALL = 1e-10, OVERLAP_LARGE = 1e-4;
/* What is left of an overlap in a large pile up to this share is for the next step. */
static const double OVERLAP_LATER = 2e-3;

/* --- gaps at q' ------------------------------------------------------------------------------ */

/* M^-1 J' and J M^-1 J'; false where nothing moves by it. */
static bool weigh_overlap(const step *S, overlap *o) {
  apply_inverse(&S->rows, o->a, o->J, o->MJ);
  apply_inverse(&S->rows, o->b, o->J + NU, o->MJ + NU);
  o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
  return o->w > 0 || held_by_tree(S, o->a) || held_by_tree(S, o->b);
}

static bool add_overlap(step *S, overlap *o, int a, int b, const dls_touch *touch) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  points_of(w, a, b, touch, &on_a, &on_b);
  *o = (overlap){.a = a, .b = b, .gap = touch->gap, .key = touch->key};
  write_row(o->J, touch->normal, arm_to(Q(S->q_n, a), on_a), arm_to(Q(S->q_n, b), on_b));
  o->size = 2 * dls_min(dls_shape_girth(w->bodies[a].shape), dls_shape_girth(w->bodies[b].shape));
  return weigh_overlap(S, o);
}

/* Counts a touch that is closed. */
static inline void note_gap(pile *P, double gap, double size) {
  if (gap > 0) return;
  P->touching++;
  P->worst = dls_max(P->worst, -gap / size);
  P->deepest = dls_max(P->deepest, -gap);
}

static dls_status look_at_ties(step *S, pile *P) {
  dls_world *w = S->w;
  P->n_tied = 0;
  for (int i = 0; i < w->n_ties; i++) {
    const dls_tie *tie = &w->ties[i];
    if (!tie->alive || !tie->active || tie->material.stiffness < DLS_INF) continue;
    tied at;
    dls_status status = tie_at(S, i, S->q_n, w->time + S->h, false, &at);
    if (status != DLS_OK) return status;
    if (P->n_tied >= S->room_contacts) return want_contacts(S);
    overlap *o = &P->o[P->n_tied];
    *o = (overlap){.a = tie->a, .b = tie->b, .gap = at.gap, .size = 1, .key = (uint64_t)i};
    memcpy(o->J, at.J, sizeof at.J);
    P->n_tied += weigh_overlap(S, o);
  }
  P->n = P->n_tied;
  return DLS_OK;
}

static dls_status look_at_shapes(step *S, pile *P, int a, int b) {
  int n = touches_of(S, a, b, dls_max(P->slack, S->reach[a] + S->reach[b]));
  if (n > S->touch_room) return too_many(S, n);
  for (int i = 0; i < n; i++) {
    if (P->n >= S->room_contacts) return want_contacts(S);
    P->n += add_overlap(S, &P->o[P->n], a, b, &S->touch[i]);
  }
  return DLS_OK;
}

static inline bool has_moved(const pile *P, int a, int b) {
  return (P->moved[a] | P->moved[b]) != 0;
}

#if D == 2
/* The same of the pairs of disks. Where some overlap by more than the limit, the worst is of them. */
static void note_disks(const step *S, pile *P) {
  double least = 0;
  int touching = 0;
  unsigned any = 0;
  for (int k = 0; k < S->n_near; k++) {
    touching += P->gap[k] <= 0;
    least = dls_min(least, P->gap[k]);
    any |= P->mark[k];
  }
  P->touching += touching;
  P->deepest = dls_max(P->deepest, -least);
  const unsigned wanted = any & OVER;
  for (int k = 0; k < S->n_near; k++) {
    if ((P->mark[k] & wanted) != wanted || !(P->gap[k] < 0)) continue;
    const spot *a = &S->spot[S->near[k].a], *b = &S->spot[S->near[k].b];
    P->worst = dls_max(P->worst, -P->gap[k] / (2 * dls_min(a->radius, b->radius)));
  }
}
#endif

/* What is closed, and how badly. */
static void sum_up(const step *S, pile *P) {
  P->touching = 0;
  P->worst = P->deepest = 0;
  for (int k = 0; k < P->n; k++) note_gap(P, P->o[k].gap, P->o[k].size);
#if D == 2
  note_disks(S, P);
#else
  (void)S;
#endif
}

#if D == 2
/* The gap of pair k at q', where it is one of disks. */
static inline bool mark_gap(pile *P, int k, const spot *a, const spot *b) {
  const double least = dls_min(a->radius, b->radius), limit = 2 * OVERLAP_LARGE * least;
  if (!(least > 0)) return false;
  const double gap = gap_of_disks(a, b);
  P->gap[k] = gap;
  P->mark[k] = (unsigned char)((P->mark[k] & HOLDS) | (gap < -limit ? OVER : 0) |
                               (gap > limit ? OPEN : 0));
  return true;
}
#endif

/* All rigid touches at q', in the order of contacts. */
static dls_status look(step *S, pile *P) {
  dls_status status = look_at_ties(S, P);
  for (int k = 0; k < S->n_near && status == DLS_OK; k++) {
    const int a = S->near[k].a, b = S->near[k].b;
    P->gap[k] = DLS_INF;
    P->mark[k] = 0;
#if D == 2
    if (mark_gap(P, k, &S->spot[a], &S->spot[b])) continue;
#endif
    status = look_at_shapes(S, P, a, b);
  }
  sum_up(S, P);
  return status;
}

/* The same where something has moved since; touches of what has moved go to the end. */
static dls_status look_again(step *S, pile *P) {
  if (P->n_tied > 0) return look(S, P);
  int n = 0;
  for (int k = 0; k < P->n; k++)
    if (!has_moved(P, P->o[k].a, P->o[k].b)) P->o[n++] = P->o[k];
  P->n = n;
  dls_status status = DLS_OK;
  for (int k = 0; k < S->n_near && status == DLS_OK; k++) {
    const int a = S->near[k].a, b = S->near[k].b;
    if (!has_moved(P, a, b)) continue;
#if D == 2
    if (mark_gap(P, k, &S->spot[a], &S->spot[b])) continue;
#endif
    status = look_at_shapes(S, P, a, b);
  }
  sum_up(S, P);
  return status;
}

#if D == 2
/* Pair k of disks to be settled, number n. False where nothing moves by it. */
static bool add_disks(const step *S, const pile *P, int k, int n) {
  const int i = S->near[k].a, j = S->near[k].b;
  const spot *a = &S->spot[i], *b = &S->spot[j];
  const double d = P->gap[k] + (a->radius + b->radius), m_a = a->inv_mass, m_b = b->inv_mass;
  const double nx = d > 0 ? (b->x - a->x) / d : 1, ny = d > 0 ? (b->y - a->y) / d : 0;
  P->o[n] = (overlap){.a = i, .b = j, .J = {-nx, -ny, 0, nx, ny, 0}, .gap = P->gap[k],
                      .MJ = {-m_a * nx, -m_a * ny, 0, m_b * nx, m_b * ny, 0}, .w = m_a + m_b,
                      .size = 2 * dls_min(a->radius, b->radius), .holds = P->mark[k] & HOLDS,
                      .seen = -1};
  return m_a + m_b > 0 || held_by_tree(S, i) || held_by_tree(S, j);
}
#endif

/* What is within slack is to be settled: those that would be closed by opening the others belong to
** the problem; and what holds, where asked for. */
static dls_status pick(step *S, pile *P, double slack, bool holding) {
  int n = P->n;
  P->n_active = 0;
  for (int k = 0; k < n; k++) {
    overlap *o = &P->o[k];
    o->pi = 0;
    o->both = false;
    if (o->gap <= slack || (holding && o->holds)) P->active[P->n_active++] = k;
  }
#if D == 2
  for (int k = 0; k < S->n_near; k++) {
    if (!(P->gap[k] <= slack) && !(holding && (P->mark[k] & HOLDS))) continue;
    if (n >= S->room_contacts) return want_contacts(S);
    if (add_disks(S, P, k, n)) P->active[P->n_active++] = n++;
  }
#else
  (void)S;
#endif
  return DLS_OK;
}

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

/* Moves q' by dq; the energy it adds goes to the ledger. */
static void displace(step *S, const pile *P) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (P->moved[i] == 0 || !moves_freely(&w->bodies[i])) continue;
    const double *change = U(P->dq, i);
    double rise = 0;
    for (int k = 0; k < D; k++) rise -= w->bodies[i].mass * w->gravity[k] * change[k];
    S->correction += rise;
    drift(Q(S->q_n, i), 1, change);
    S->spot[i].x = Q(S->q_n, i)[0], S->spot[i].y = Q(S->q_n, i)[1];
    S->T[i] = pose_for_shapes(&w->bodies[i], Q(S->q_n, i), S->shapes_only);
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

static inline bool before_pair(const candidate *pair, const dls_contact *c) {
  return pair->a < c->a || (pair->a == c->a && pair->b < c->b);
}

static int in_order(const overlap *o, const dls_contact *c) {
  if (o->a != c->a) return o->a < c->a ? -1 : 1;
  if (o->b != c->b) return o->b < c->b ? -1 : 1;
  return o->key < c->key ? -1 : o->key > c->key;
}

/* Marks the touches at q' of the contacts that hold. Both lists are in the same order. Answers the
** widest gap among them, by size. */
static double mark_holding(const step *S, pile *P) {
  const dls_world *w = S->w;
  double widest = 0;
  int e = P->n_tied, k = 0;
  for (int i = 0; i < S->n_closing; i++) {
    const dls_contact *c = &w->contacts_next[S->closing[i]];
    overlap *o = NULL;
    if (c->tie >= 0) {
      for (int t = 0; t < P->n_tied; t++)
        if (P->o[t].key == (uint64_t)c->tie) o = &P->o[t];
    } else {
      while (k < S->n_near && before_pair(&S->near[k], c)) k++;
      if (k < S->n_near && P->gap[k] < DLS_INF) {
        P->mark[k] |= HOLDS;
        widest = dls_max(widest, 0.5 * P->gap[k] / c->reach);
        continue;
      }
      while (e < P->n && in_order(&P->o[e], c) < 0) e++;
      if (e < P->n && in_order(&P->o[e], c) == 0) o = &P->o[e];
    }
    if (!o) continue;
    o->holds = true;
    widest = dls_max(widest, o->gap / o->size);
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

#include "core/scheme/project_joined.inl"

/* --- large piles --------------------------------------------------------------------------------- */

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

/* How far the farthest body goes in this step, by size. */
static double farthest(const step *S) {
  const dls_world *w = S->w;
  double most = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!moves_freely(body) || !body->shape) continue;
    const double *u = U(S->u_n, i);
    for (int k = 0; k < D; k++) most = dls_max(most, fabs(u[k]) / body->shape->reach);
  }
  return 0.5 * S->h * most;
}

/* All that overlaps and all that held at once: gaps of these are to be zero. What is left in a pile that
** moves may be as deep as it moves, within bounds: the next step goes on. */
static dls_status project_large(step *S, pile *P, bool open) {
  const double enough = dls_min(OVERLAP_LATER, dls_max(OVERLAP_LARGE, farthest(S)));
  const bool rests = enough <= OVERLAP_LARGE;
  const int rounds = rests ? 2 * ROUNDS : ROUNDS, sweeps = rests ? 4 * SWEEPS : SWEEPS;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < rounds && status == DLS_OK; turn++) {
    if (P->worst <= (turn == 0 ? OVERLAP_LARGE : enough) && !(turn == 0 && open)) break;
    status = settle_large(S, P, turn == 0, sweeps, (turn < ROUNDS ? 1 : 0.5) * OVERLAP_LARGE);
  }
  return status;
}

/* --- the stage ------------------------------------------------------------------------------------ */

static dls_status project_free(step *S, pile *P) {
  dls_status status = look(S, P);
  if (status != DLS_OK) return status;
  const double widest = mark_holding(S, P);
  if (P->touching > SMALL_PILE || S->n_closing > SMALL_PILE)
    return project_large(S, P, widest > OVERLAP_LARGE);
  if (widest > CLOSED) status = close_gaps(S, P);
  for (int turn = 0; turn < ROUNDS && status == DLS_OK; turn++) {
    if (P->worst <= (turn == 0 ? OVERLAP_NOISE : OVERLAP_SMALL)) break;
    status = pick(S, P, 2 * P->deepest, false);
    if (status == DLS_OK) status = settle_small(S, P, false);
  }
  return status;
}

static dls_status project(step *S) {
  dls_world *w = S->w;
  size_t mark = dls_arena_mark(&w->arena);
  const int room = S->room_contacts + S->room_joints;
  pile P = {.o = DLS_TAKE(&w->arena, overlap, room),
            .active = DLS_TAKE(&w->arena, int, room),
            .gap = DLS_TAKE(&w->arena, double, S->n_near),
            .mark = DLS_TAKE(&w->arena, unsigned char, S->n_near),
            .dq = DLS_TAKE(&w->arena, double, w->n_bodies * NU),
            .moved = DLS_TAKE(&w->arena, int, w->n_bodies)};
  if (!P.o || !P.active || !P.gap || !P.mark || !P.dq || !P.moved) return DLS_FULL;
  w->stats.infeasible = false;
#if D == 2
  take_spots(S);
#endif
  dls_status status = is_joined(S) ? project_joined(S, &P) : project_free(S, &P);
  w->stats.penetration = P.worst;
  w->stats.infeasible = P.worst > 1e-2;
  dls_arena_release(&w->arena, mark);
  return status;
}
