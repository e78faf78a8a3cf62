/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Large piles: all that overlaps and all that held at once, a few sweeps a round. */

#if D == 2
/* Two disks to be settled, in one line of the cache and a bit. They turn by nothing. */
typedef struct press {
  double nx, ny;   /* from a to b                                  */
  double gap;      /* m, before the sweeps                         */
  double way;      /* made so far along n: the multiplier over J M^-1 J', m */
  double m_a, m_b; /* shares of it of either body: inverse masses over their sum */
  double size;     /* the smaller diameter, m                      */
  int a, b;        /* bodies                                       */
  int seen;        /* count of moves when it was last visited      */
  bool both;       /* they held: the gap is to be zero             */
} press;

static inline void take_disks(const step *S, pile *P, int k) {
  const int i = S->near[k].a, j = S->near[k].b;
  const spot *a = &S->spot[i], *b = &S->spot[j];
  const double d = P->gap[k] + (a->radius + b->radius);
  P->mark[k] |= TAKEN;
  const double w = a->other + b->other;
  if (!(w > 0)) return;
  P->press[P->n_press++] = (press){.nx = d > 0 ? (b->x - a->x) / d : 1, .ny = d > 0 ? (b->y - a->y) / d : 0,
                                   .gap = P->gap[k], .m_a = a->other / w, .m_b = b->other / w,
                                   .size = P->size[k], .a = i, .b = j, .seen = -1,
                                   .both = P->mark[k] & HOLDS};
}

/* Pairs of disks that are to move: apart where they overlap, together where they held. */
static void take_far(const step *S, pile *P) {
  const unsigned char *marks = P->mark;
  for (int k = 0, n = S->n_near; k < n; k++) {
    const unsigned char mark = marks[k];
    if ((mark & OVER) || (mark & (OPEN | HOLDS)) == (OPEN | HOLDS)) take_disks(S, P, k);
  }
}

/* Those that a sweep has made so: gaps at q' moved by dq, exactly. */
static dls_status take_reached(step *S, pile *P) {
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  spot *spots = DLS_TAKE(tmp, spot, S->w->n_bodies);
  double *gap = DLS_TAKE(tmp, double, S->n_near);
  if (!spots || !gap) return DLS_FULL;
  for (int i = 0; i < S->w->n_bodies; i++) {
    spots[i] = S->spot[i];
    spots[i].x += P->dq[NU * i], spots[i].y += P->dq[NU * i + 1];
  }
  dls_gap_lanes_best()->disks(S->n_near, &S->near->a, &S->near->b, 2, spots, gap);
  const unsigned char *marks = P->mark;
  const double *sizes = P->size;
  for (int k = 0, n = S->n_near; k < n; k++) {
    const double size = sizes[k], limit = OVERLAP_LARGE * size;
    const bool far = (gap[k] < -limit) | ((gap[k] > limit) & (marks[k] & HOLDS));
    if (far & !(marks[k] & TAKEN) & (size > 0)) take_disks(S, P, k);
  }
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

/* sweep_gaps() for disks. */
static double sweep_disks(const step *S, pile *P, bool backwards, double left) {
  const int n = P->n_press;
  int *moved = P->moved;
  double worst = 0;
  (void)S;
  for (int k = 0; k < n; k++) {
    press *c = &P->press[backwards ? n - 1 - k : k];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = P->dq + NU * c->a, *dq_b = P->dq + NU * c->b;
    const double least = left * c->size;
    const double gap = c->gap + (c->nx * (dq_b[0] - dq_a[0]) + c->ny * (dq_b[1] - dq_a[1]));
    if (fabs(gap) <= least) continue;
    double way = c->way - gap;
    if (!c->both && way < 0) way = 0;
    const double change = way - c->way, size = fabs(change);
    if (size <= least) continue;
    if (size > worst * c->size) worst = size / c->size;
    c->way = way;
    const double x = change * c->nx, y = change * c->ny;
    dq_a[0] -= c->m_a * x, dq_a[1] -= c->m_a * y;
    dq_b[0] += c->m_b * x, dq_b[1] += c->m_b * y;
    c->seen = ++P->moves;
    if (c->m_a > 0) moved[c->a] = P->moves;
    if (c->m_b > 0) moved[c->b] = P->moves;
  }
  return worst;
}
#endif

#if D == 3
/* A touch as sweeps need it, less than half of an overlap: J = (-n, t_a, n, t_b). */
typedef struct press {
  dls_vec3 n, t_a, t_b;
  dls_vec3 w_a, w_b; /* inverse inertia times t_a, t_b, over J M^-1 J' */
  double m_a, m_b;   /* inverse masses over it                  */
  double gap, way;   /* m, before the sweeps; made so far       */
  double size;       /* of the smaller body, m                  */
  int a, b;          /* bodies                                  */
  int seen;          /* count of moves when it was last visited */
  bool both;         /* it held: the gap is to be zero          */
} press;

/* All that is active, where normals are opposite: no gap functions. (To start from those alone that are
** to move, and to add what the first sweep reaches, as disks do, took more rounds and left more.) */
static void press_shapes(const step *S, pile *P) {
  P->n_press = P->n_active;
  for (int k = 0; k < P->n_active; k++) {
    const overlap *o = &P->o[P->active[k]];
    const double share = o->w > 0 ? 1 / o->w : 0;
    P->press[k] = (press){.n = dls_v3_load(o->J + NU), .t_a = dls_v3_load(o->J + D),
                          .t_b = dls_v3_load(o->J + NU + D), .w_a = dls_v3_scale(share, dls_v3_load(o->MJ + D)),
                          .w_b = dls_v3_scale(share, dls_v3_load(o->MJ + NU + D)),
                          .m_a = share * S->rows.inv_mass[o->a],
                          .m_b = share * S->rows.inv_mass[o->b], .gap = o->gap, .size = o->size,
                          .a = o->a, .b = o->b, .seen = -1, .both = o->both};
  }
}

/* sweep_gaps() for these. */
static double sweep_press(pile *P, bool backwards, double left) {
  const int n = P->n_press;
  int *moved = P->moved;
  double worst = 0;
  for (int k = 0; k < n; k++) {
    press *c = &P->press[backwards ? n - 1 - k : k];
    if (moved[c->a] <= c->seen && moved[c->b] <= c->seen) continue;
    c->seen = P->moves;
    double *dq_a = U(P->dq, c->a), *dq_b = U(P->dq, c->b);
    const dls_vec3 x_a = dls_v3_load(dq_a), x_b = dls_v3_load(dq_b);
    const dls_vec3 r_a = dls_v3_load(dq_a + D), r_b = dls_v3_load(dq_b + D);
    const double least = left * c->size;
    const double gap = c->gap + (dls_v3_dot(c->n, dls_v3_sub(x_b, x_a)) +
                                 (dls_v3_dot(c->t_a, r_a) + dls_v3_dot(c->t_b, r_b)));
    if (fabs(gap) <= least) continue;
    double way = c->way - gap;
    if (!c->both && way < 0) way = 0;
    const double change = way - c->way, size = fabs(change);
    if (size <= least) continue;
    if (size > worst * c->size) worst = size / c->size;
    c->way = way;
    dls_v3_store(dq_a, dls_v3_axpy(x_a, -change * c->m_a, c->n));
    dls_v3_store(dq_b, dls_v3_axpy(x_b, change * c->m_b, c->n));
    dls_v3_store(dq_a + D, dls_v3_axpy(r_a, change, c->w_a));
    dls_v3_store(dq_b + D, dls_v3_axpy(r_b, change, c->w_b));
    c->seen = ++P->moves;
    if (c->m_a > 0) moved[c->a] = P->moves;
    if (c->m_b > 0) moved[c->b] = P->moves;
  }
  return worst;
}
#endif

/* One sweep over all touches: of shapes, then of disks, or the other way. */
static dls_status sweep_pile(step *S, pile *P, int number, double left, double *worst) {
  const bool backwards = (number & 1) != 0;
  double of_disks = 0, of_shapes = 0;
#if D == 2
  dls_status status = DLS_OK;
  if (number == 0) take_far(S, P);
  if (number == 1) status = take_reached(S, P);
  if (status != DLS_OK) return status;
  if (backwards) of_disks = sweep_disks(S, P, true, left);
#endif
#if D == 3
  if (number == 0 && P->n_tied == 0) press_shapes(S, P);
  if (P->n_tied == 0) of_shapes = sweep_press(P, backwards, left);
  else
#endif
    of_shapes = sweep_gaps(S, P, backwards, left);
#if D == 2
  if (!backwards) of_disks = sweep_disks(S, P, false, left);
#endif
  *worst = dls_max(of_disks, of_shapes);
  return DLS_OK;
}

/* A few sweeps; what the first one reaches joins in. */
static dls_status settle_large(step *S, pile *P, bool holding, int sweeps, double left) {
  dls_status status = DLS_OK;
  start_moving(S, P);
  P->n_active = P->n_press = 0;
  for (int k = 0; k < P->n; k++) {
    overlap *o = &P->o[k];
    o->pi = 0;
    o->pulls = false;
    o->both = holding && o->holds;
    o->seen = -1;
    if (o->both || o->gap <= 2 * P->deepest) P->active[P->n_active++] = k;
  }
#if D == 2
  const unsigned char kept = (unsigned char)(holding ? ~TAKEN : ~(TAKEN | HOLDS));
  unsigned char *marks = P->mark;
  for (int k = 0, n = S->n_near; k < n; k++) marks[k] &= kept;
#endif
  double worst = DLS_INF;
  for (int i = 0; i < sweeps && status == DLS_OK && worst > left; i++)
    status = sweep_pile(S, P, i, left, &worst);
  if (status != DLS_OK) return status;
  displace(S, P);
  return look_again(S, P);
}

/* How far the farthest body goes in half of this step, by size; or one that goes far enough. */
static double farthest(const step *S) {
  const dls_world *w = S->w;
  double most = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!moves_freely(body) || !body->shape) continue;
    const double *u = U(S->u_n, i), reach = body->round > 0 ? body->round : body->shape->reach;
    for (int k = 0; k < D; k++)
      if (fabs(u[k]) > most * reach) most = fabs(u[k]) / reach; /* few divide */
    if (0.5 * S->h * most >= OVERLAP_LATER) break;
  }
  return 0.5 * S->h * most;
}

/* What is left of an overlap in a large pile may be as deep as it moves, within bounds, least of them `least`. */
static double enough_of(const step *S, double least) { return dls_min(OVERLAP_LATER, dls_max(least, farthest(S))); }

#include "core/scheme/project_round.inl"

/* All that overlaps and all that held at once: gaps of these are to be zero. What is left in a pile that
** moves may be as deep as it moves, within bounds: the next step goes on. Deeper ones, where much fell on
** much, get more sweeps and rounds. may_be_round: nobody has tried that way yet. */
static dls_status project_large(step *S, pile *P, bool open, bool may_be_round) {
  if (P->worst <= OVERLAP_LARGE && !open) return DLS_OK;
  const double enough = enough_of(S, OVERLAP_LARGE);
  const bool rests = enough <= OVERLAP_LARGE;
  const int sweeps = rests ? 4 * SWEEPS : SWEEPS;
  dls_status status = DLS_OK;
#if D == 2
  if (may_be_round && P->n_tied == 0 && !is_joined(S)) {
    bool done;
    status = project_round(S, P, &done);
    if (status != DLS_OK || done) return status;
  }
#else
  (void)may_be_round;
#endif
  status = settle_large(S, P, true, sweeps, OVERLAP_LARGE);
  for (int turn = 1; turn < 2 * ROUNDS && status == DLS_OK && P->worst > enough; turn++) {
    const bool more = rests || P->worst > OVERLAP_DEEP;
    if (turn >= ROUNDS && !more) break;
    status = settle_large(S, P, false, more ? 4 * SWEEPS : SWEEPS, (turn < ROUNDS ? 1 : 0.5) * OVERLAP_LARGE);
  }
  return status;
}
