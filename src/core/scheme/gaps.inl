/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Gaps at q', for the projection of positions: all once, then those of what has moved. */

/* Of a pair of disks: it holds; is among the touches to be settled; overlaps, or is open, by more than
** OVERLAP_LARGE. */
enum { HOLDS = 1, TAKEN = 2, OVER = 4, OPEN = 8 };

/* Rigid touches at q'. Those of disks are gaps alone until they are asked for. */
typedef struct pile {
  overlap *o;    /* n touches, hand-made ones first; behind them the disks in work     */
  int n, n_tied; /* of them all, of hand-made ones                                     */
  double *gap;   /* n_near: of pairs of disks, m; infinite for others                  */
  double *size;  /* n_near: the smaller diameter of a pair of disks, m                 */
  unsigned char *mark; /* n_near: of pairs of disks, bits: see above                    */
  int *odd;      /* pairs of S->near that are none of disks, ascending                 */
  int n_odd;     /* of them                                                            */
  struct press *press; /* large piles: pairs of disks (space: touches) to be settled      */
  int n_press;   /* of them                                                            */
  int *active;   /* numbers of the touches to be settled, ascending                    */
  int n_active;  /* of them                                                            */
  double *dq;    /* n_bodies x NU: the change of q'                                    */
  int *moved;    /* n_bodies: count of moves when it moved last, 0: has not            */
  int moves;     /* so far                                                             */
  int touching;  /* touches whose gap is not positive                                  */
  double worst;  /* overlap, by size                                                   */
  double found;  /* the same when they were looked at first; -1: not yet               */
  double deepest; /* overlap, m                                                        */
  double slack;  /* touches up to this gap are looked at, beside those within reach, m */
} pile;

enum { ROUNDS = 3, SWEEPS = 4, SWEEPS_SMALL = 200, SMALL_PILE = 60 };
/* Overlap below this share of the smaller body is round-off. */
static const double OVERLAP_NOISE = 1e-12, OVERLAP_SMALL = 1e-10, OVERLAP_LARGE = 1e-4;
/* The same in large piles of balls and capsules, which sweeps of presses bring farther in no more time (216 balls without
** friction: overlaps of 1e-6 m in the mean instead of 5e-6). */
static const double OVERLAP_ROUND = 1e-5;
/* What is left of an overlap in a large pile up to this share is for the next step. */
static const double OVERLAP_LATER = 2e-3;
/* More than that in a large pile is worth more work. */
static const double OVERLAP_DEEP = 4e-3;

/* --- gaps at q' ------------------------------------------------------------------------------ */

/* M^-1 J' and J M^-1 J'; false where nothing moves by it. */
static bool weigh_overlap(const step *S, overlap *o) {
  apply_inverse(&S->rows, o->a, o->J, o->MJ);
  apply_inverse(&S->rows, o->b, o->J + NU, o->MJ + NU);
  o->w = row_velocity(o->J, o->MJ, o->MJ + NU);
  return o->w > 0 || held_by_tree(S, o->a) || held_by_tree(S, o->b);
}

static inline double girth_of(const dls_body *body) {
  return body->round > 0 ? body->round : dls_shape_girth(body->shape);
}

static bool add_overlap(step *S, overlap *o, int a, int b, const dls_touch *touch) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  points_of(w, a, b, touch, &on_a, &on_b);
  /* One by one: what only gears have is never read of a touch. */
  o->a = a, o->b = b, o->n_ends = 0;
  o->gap = touch->gap, o->key = touch->key;
  o->pi = 0, o->rate = 0, o->gamma = 0;
  o->holds = o->both = o->pulls = false;
  o->source = o->other = o->seen = 0;
  write_row(o->J, touch->normal, arm_to(Q(S->q_n, a), on_a), arm_to(Q(S->q_n, b), on_b));
  o->size = 2 * dls_min(girth_of(&w->bodies[a]), girth_of(&w->bodies[b]));
  return weigh_overlap(S, o);
}

/* Counts a touch that is closed. */
static inline void note_gap(pile *P, double gap, double size) {
  if (gap > 0) return;
  P->touching++;
  P->worst = dls_max(P->worst, -gap / size);
  P->deepest = dls_max(P->deepest, -gap);
}

/* All gaps have been looked at: the first time tells what the solve left. */
static inline void note_found(pile *P) {
  if (P->found < 0) P->found = dls_max(P->worst, 0);
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
    memcpy(o->J, at.J, 2 * NU * sizeof *at.J);
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

/* What is closed, and how badly. */
static void sum_up(pile *P) {
  for (int k = 0; k < P->n; k++) note_gap(P, P->o[k].gap, P->o[k].size);
}

#if D == 2
/* Which pairs are of disks, and how large they are. */
static void sort_out_disks(const step *S, pile *P) {
  const candidate *near = S->near;
  const spot *spots = S->spot;
  double *size = P->size;
  int *odd = P->odd, n_odd = 0;
  const int n = S->n_near;
  for (int k = 0; k < n; k++) {
    const double least = dls_min(spots[near[k].a].radius, spots[near[k].b].radius);
    size[k] = 2 * least;
    odd[n_odd] = k;
    n_odd += !(least > 0);
  }
  memset(P->mark, 0, (size_t)n);
  P->n_odd = n_odd;
}

/* All gaps of disks at q', several at once, and what is closed among them. */
static void take_gaps(const step *S, pile *P) {
  dls_gap_lanes_best()->disks(S->n_near, &S->near->a, &S->near->b, 2, S->spot, P->gap);
  const double *gaps = P->gap, *sizes = P->size;
  unsigned char *marks = P->mark;
  const int n = S->n_near;
  double worst = 0, least = 0;
  int touching = 0;
  for (int k = 0; k < n; k++) {
    const double gap = gaps[k], size = sizes[k], limit = OVERLAP_LARGE * size;
    marks[k] = (unsigned char)((marks[k] & HOLDS) | (gap < -limit) * OVER | (gap > limit) * OPEN);
    touching += gap <= 0;
    least = dls_min(least, gap);
    if (-gap > worst * size) worst = -gap / size;
  }
  P->touching = touching;
  P->worst = worst;
  P->deepest = -least;
}
#else
static void sort_out_disks(const step *S, pile *P) {
  P->n_odd = S->n_near;
  for (int k = 0; k < S->n_near; k++) P->odd[k] = k;
}
static void take_gaps(const step *S, pile *P) {
  (void)S;
  P->touching = 0;
  P->worst = P->deepest = 0;
}
#endif

/* All rigid touches at q', in the order of contacts. */
static dls_status look(step *S, pile *P) {
  sort_out_disks(S, P);
  take_gaps(S, P);
  dls_status status = look_at_ties(S, P);
  for (int i = 0; i < P->n_odd && status == DLS_OK; i++) {
    const candidate *pair = &S->near[P->odd[i]];
    status = look_at_shapes(S, P, pair->a, pair->b);
  }
  sum_up(P);
  note_found(P);
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
  take_gaps(S, P);
  for (int i = 0; i < P->n_odd && status == DLS_OK; i++) {
    const candidate *pair = &S->near[P->odd[i]];
    if (has_moved(P, pair->a, pair->b)) status = look_at_shapes(S, P, pair->a, pair->b);
  }
  sum_up(P);
  return status;
}

#if D == 2
/* Pair k of disks to be settled, number n. False where nothing moves by it. */
static bool add_disks(const step *S, const pile *P, int k, int n) {
  const int i = S->near[k].a, j = S->near[k].b;
  const spot *a = &S->spot[i], *b = &S->spot[j];
  const double d = P->gap[k] + (a->radius + b->radius), m_a = a->other, m_b = b->other;
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
