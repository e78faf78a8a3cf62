/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Large piles of the plane in which no touch turns a body (disks, and what they lie on): all touches at once,
** swept in lanes with momentum (rows/press.h). A deep bed moves as a whole, which hundreds of sweeps without it
** do not find. */

#if D == 2
/* Touches up to this gap, by size, take part; moves up to this one are not made; sweeps a turn. */
static const double ROUND_SLACK = 1e-3, ROUND_LEFT = 3e-4;
enum { ROUND_SWEEPS = 60 };
/* So few touches that are to move, if they are at most one of so many, are settled by themselves, with what they
** reach: that is cheaper, and in deep beds there are more in every step. */
enum { FEW = 32, FEW_OF = 8 };

/* Whether a few touches alone are to move. */
static bool are_few(const step *S, const pile *P) {
  const unsigned char *marks = P->mark;
  int far = 0;
  for (int k = 0, n = S->n_near; k < n; k++)
    far += ((marks[k] & OVER) != 0) | ((marks[k] & (OPEN | HOLDS)) == (OPEN | HOLDS));
  for (int k = 0; k < P->n; k++) {
    const overlap *o = &P->o[k];
    const double limit = OVERLAP_LARGE * o->size;
    far += o->gap < -limit || (o->holds && o->gap > limit);
  }
  return far <= FEW && FEW_OF * far <= P->touching;
}

/* Whether a touch held, and is to be closed. */
static inline bool is_pulled(double gap, double size, bool holds) { return holds & (gap > OVERLAP_LARGE * size); }

/* Touches of shapes that take part, into list; -1 where one turns a body. */
static int press_odd_ones(const step *S, const pile *P, bool holding, dls_press *list) {
  const double *inv_mass = S->rows.inv_mass;
  int n = 0;
  for (int k = 0; k < P->n; k++) {
    const overlap *o = &P->o[k];
    const bool both = is_pulled(o->gap, o->size, holding && o->holds);
    if (!both && !(o->gap <= ROUND_SLACK * o->size)) continue;
    const double turn = (inv_mass[o->a] > 0 ? fabs(o->J[2]) : 0) + (inv_mass[o->b] > 0 ? fabs(o->J[NU + 2]) : 0);
    if (!(turn <= 1e-9 * o->size)) return -1;
    list[n++] = (dls_press){.nx = o->J[NU], .ny = o->J[NU + 1], .gap = o->gap, .size = o->size, .a = o->a,
                            .b = o->b, .both = both};
  }
  return n;
}

/* Those of disks; answers how many. */
static int press_disks(const step *S, const pile *P, bool holding, dls_press *list) {
  const candidate *near = S->near;
  const spot *spots = S->spot;
  const double *gaps = P->gap, *sizes = P->size;
  const unsigned char *marks = P->mark, held = holding ? HOLDS : 0;
  int n = 0;
  for (int k = 0, n_near = S->n_near; k < n_near; k++) {
    const double gap = gaps[k], size = sizes[k];
    const bool both = is_pulled(gap, size, marks[k] & held);
    if (!((gap <= ROUND_SLACK * size) | both)) continue;
    const spot *a = &spots[near[k].a], *b = &spots[near[k].b];
    if (!(a->other + b->other > 0)) continue;
    const double d = gap + (a->radius + b->radius);
    dls_press *c = &list[n++];
    c->nx = d > 0 ? (b->x - a->x) / d : 1, c->ny = d > 0 ? (b->y - a->y) / d : 0;
    c->gap = gap, c->size = size;
    c->a = near[k].a, c->b = near[k].b;
    c->both = both;
  }
  return n;
}

/* One turn. *done: false where the pile has to go the general way. */
static dls_status settle_round(step *S, pile *P, bool holding, double left, dls_press *list, double *way,
                               bool *done) {
  *done = false;
  const int odd = press_odd_ones(S, P, holding, list);
  if (odd < 0) return DLS_OK;
  const int n = odd + press_disks(S, P, holding, list + odd), n_bodies = S->w->n_bodies;
  if (n == 0) return DLS_OK;
  dls_status status = dls_press_apart(n, list, n_bodies, S->rows.inv_mass, left, ROUND_SWEEPS, &S->w->arena, way,
                                      done);
  if (status != DLS_OK || !*done) return status;
  for (int i = 0; i < n_bodies; i++) {
    const double x = way[2 * i], y = way[2 * i + 1];
    P->dq[NU * i] = x, P->dq[NU * i + 1] = y, P->dq[NU * i + 2] = 0;
    P->moved[i] = (x != 0) | (y != 0);
  }
  displace(S, P);
  return look_again(S, P);
}

/* What a turn leaves deeper than `enough` gets another one; *done: false where the general way has to go on. */
static dls_status project_round(step *S, pile *P, double enough, bool *done) {
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  dls_press *list = DLS_TAKE(tmp, dls_press, S->n_near + S->room_contacts);
  double *way = DLS_TAKE(tmp, double, 2 * (size_t)S->w->n_bodies);
  *done = false;
  if (!list || !way) return DLS_FULL;
  const double left = enough <= OVERLAP_LARGE ? 0.5 * OVERLAP_LARGE : ROUND_LEFT;
  dls_status status = DLS_OK;
  for (int turn = 0; turn < 2 * ROUNDS && status == DLS_OK; turn++) {
    status = settle_round(S, P, turn == 0, left, list, way, done);
    if (!*done || P->worst <= enough) break;
  }
  dls_arena_release(tmp, mark);
  return status;
}
#endif
