/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/joints/spring_end.h"
#include "core/model/motion.h"

/* Worlds with joints or springs: islands in which these have no part are projected by themselves,
** as in a world without; those that meet what joints hold behind it go with the mechanisms
** (position_joined.c). */

/* The islands (and bodies beside them) that joints or springs have part in: those of bodies that
** they hold; and, in turn, those of what overlaps with them now. */
typedef struct joined {
  unsigned char *body;   /* n_bodies                         */
  unsigned char *island; /* rows.n_islands                   */
} joined;

static void mark_body(const dls_step *S, int i, joined *x) {
  const int island = S->rows.body_island[i];
  x->body[i] = 1;
  if (island >= 0) x->island[island] = 1;
}

static bool takes_part(const dls_step *S, const joined *x, int i) {
  const int island = S->rows.body_island[i];
  return x->body[i] || (island >= 0 && x->island[island]);
}

static bool mark_pair(const dls_step *S, int a, int b, joined *x) {
  const bool one = takes_part(S, x, a);
  if (one == takes_part(S, x, b)) return false;
  const int other = one ? b : a;
  if (dls_moves_freely(&S->w->bodies[other])) mark_body(S, other, x);
  return dls_moves_freely(&S->w->bodies[other]);
}

/* What joints and springs hold. */
static void mark_held(const dls_step *S, const dls_joint_stage *joints, joined *x) {
  const dls_world *w = S->w;
  memcpy(x->body, S->held, (size_t)w->n_bodies);
  dls_springs_mark_kept(joints, x->body);
  memset(x->island, 0, (size_t)S->rows.n_islands);
  for (int i = 0; i < w->n_bodies; i++) {
    const bool held = x->body[i] != 0 && dls_moves_freely(&w->bodies[i]);
    x->body[i] = 0;
    if (held) mark_body(S, i, x);
  }
}

/* And whoever is near it, or near who is: how many of the pairs. Where hand-made contacts may
** join anything, all. */
static int count_near(const dls_step *S, const dls_near_stage *N, joined *x) {
  int n = 0;
  if (S->w->n_user_contacts > 0) return N->n_near;
  for (bool more = true; more;) {
    more = false;
    for (int k = 0; k < N->n_near; k++)
      if (mark_pair(S, N->near[k].a, N->near[k].b, x)) more = true;
  }
  for (int k = 0; k < N->n_near; k++)
    n += takes_part(S, x, N->near[k].a) || takes_part(S, x, N->near[k].b);
  return n;
}

/* And whoever overlaps with it now, or with who does. */
static void mark_overlapping(const dls_step *S, const dls_near_stage *N,
                             const dls_position_stage *P, joined *x) {
  for (bool more = true; more;) {
    more = false;
    for (int k = 0; k < P->n; k++)
      if (P->o[k].gap <= 0 && mark_pair(S, P->o[k].a, P->o[k].b, x)) more = true;
    for (int k = 0; S->dim == 2 && k < N->n_near; k++)
      if (P->gap[k] <= 0 && mark_pair(S, N->near[k].a, N->near[k].b, x)) more = true;
  }
}

/* What is closed among the joined ones. */
static int count_joined(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                        const joined *x) {
  int n = 0;
  for (int k = 0; k < P->n; k++)
    n += P->o[k].gap <= 0 && (takes_part(S, x, P->o[k].a) || takes_part(S, x, P->o[k].b));
  for (int k = 0; S->dim == 2 && k < N->n_near; k++)
    n += P->gap[k] <= 0 && (takes_part(S, x, N->near[k].a) || takes_part(S, x, N->near[k].b));
  return n;
}

/* The pairs and the closing contacts of the joined ones to the front, in their order; the others
** follow. */
static dls_status part(dls_step *S, dls_near_stage *N, dls_position_stage *P, const joined *x,
                       int *n_near,
                       int *n_closing) {
  dls_near *near = DLS_TAKE(&S->w->arena, dls_near, N->n_near);
  int *closing = DLS_TAKE(&S->w->arena, int, 2 * (size_t)P->n_closing);
  int *place = DLS_TAKE(&S->w->arena, int, N->n_near); /* where a pair went */
  if (!near || !closing || !place) return DLS_FULL;
  int *closing_near = closing + P->n_closing;
  *n_near = *n_closing = 0;
  for (int turn = 0, at = 0; turn < 2; turn++) {
    for (int k = 0; k < N->n_near; k++) {
      if ((takes_part(S, x, N->near[k].a) || takes_part(S, x, N->near[k].b)) != (turn == 0))
        continue;
      place[k] = at - (turn == 0 ? 0 : *n_near);
      near[at++] = N->near[k];
    }
    if (turn == 0) *n_near = at;
  }
  for (int turn = 0, at = 0; turn < 2; turn++) {
    for (int k = 0; k < P->n_closing; k++) {
      const dls_contact *c = &S->w->contacts_next[P->closing[k]];
      const int known = P->closing_near[k]; /* disks: no more of their contact is recorded yet */
      const int a = known < 0 ? c->a : N->near[known].a, b = known < 0 ? c->b : N->near[known].b;
      if ((takes_part(S, x, a) || takes_part(S, x, b)) != (turn == 0)) continue;
      closing_near[at] = known < 0 ? -1 : place[known]; /* in its own part */
      closing[at++] = P->closing[k];
    }
    if (turn == 0) *n_closing = at;
  }
  N->near = near;
  P->closing = closing;
  P->closing_near = closing_near;
  return DLS_OK;
}

/* Beyond so many touches a pile that springs alone have part in goes by sweeps, which do not know
** them (2,000 disks, one of them on a spring of 1e9 N/m, by turns: 126 ms a step). */
enum { MOST_SPRUNG = DLS_MOST_EXACT };

/* Pairs of one who takes part and one who moves by itself and does not. */
static dls_status find_between(dls_step *S, const dls_near_stage *N, int n_near, const joined *x,
                               dls_near **between, int *n) {
  *n = 0;
  *between = DLS_TAKE(&S->w->arena, dls_near, n_near);
  if (!*between) return DLS_FULL;
  for (int k = 0; k < n_near; k++) {
    const dls_near pair = N->near[k];
    const bool one = takes_part(S, x, pair.a);
    if (one != takes_part(S, x, pair.b) && dls_moves_freely(&S->w->bodies[one ? pair.b : pair.a]))
      (*between)[(*n)++] = pair;
  }
  return DLS_OK;
}

/* A look at what is near joints and springs alone, of whom nobody else can be met. */
static dls_status look_at_near(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               const joined *x, int n) {
  const dls_near_stage all = *N;
  dls_near *near = n < N->n_near ? DLS_TAKE(&S->w->arena, dls_near, n) : N->near;
  if (!near) return DLS_FULL;
  for (int k = 0, at = 0; near != N->near && k < all.n_near; k++)
    if (takes_part(S, x, all.near[k].a) || takes_part(S, x, all.near[k].b))
      near[at++] = all.near[k];
  N->near = near;
  N->n_near = n;
  return dls_look(S, N, P);
}

/* What joints and springs have no part in, as in a world without. */
static dls_status project_others(dls_step *S, dls_near_stage *N, const dls_contact_stage *C,
                                 dls_position_stage *P, joined *x) {
  const double worst = P->worst, found = P->found;
  for (int i = 0; i < S->w->n_bodies; i++) x->body[i] = takes_part(S, x, i);
  P->slack = 0;
  P->found = -1;
  P->displaced = false;
  const dls_status status =
      dls_rests_where_solved(S, C, P, x->body) ? DLS_OK : dls_project_free(S, N, P);
  P->worst = dls_max(P->worst, worst);
  P->found = dls_max(P->found, found);
  return status;
}

/* Whether the projection of the others brought some of them into what joints or springs have
** part in. */
static dls_status look_between(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               dls_near *between, int n, bool *met) {
  const dls_near_stage all = *N;
  const double worst = P->worst;
  N->near = between;
  N->n_near = n;
  const dls_status status = dls_look(S, N, P);
  *met = P->worst > DLS_OVERLAP_NOISE;
  P->worst = worst;
  N->near = all.near;
  N->n_near = all.n_near;
  return status;
}

/* Arrays of pairs with room for all: those that a projection of some brought others near has are
** its own (position_brought.c). */
static void return_room(const dls_position_stage *whole, dls_position_stage *P) {
  P->general = whole->general;
  P->gap = whole->gap, P->size = whole->size;
  P->mark = whole->mark, P->disks = whole->disks;
}

/* All n pairs, and behind them those that have become known since there were n_known of them
** (position_brought.c). */
static dls_status join_brought(dls_step *S, dls_near_stage *N, dls_position_stage *P,
                               dls_near *near, int n, int n_known) {
  const int more = P->n_known - n_known;
  N->near = near;
  N->n_near = n;
  if (more == 0) return DLS_OK;
  N->near = DLS_TAKE(&S->w->arena, dls_near, n + more);
  if (!N->near) return DLS_FULL;
  memcpy(N->near, near, (size_t)n * sizeof *near);
  memcpy(N->near + n, P->known + n_known, (size_t)more * sizeof *near);
  N->n_near = n + more;
  return dls_position_room(S, N, P) ? DLS_OK : DLS_FULL;
}

/* What joints and springs have part in by Newton's turns, and then all others as in a world
** without; all together where these meet those behind. */
dls_status dls_project_both(dls_step *S, dls_near_stage *N, const dls_contact_stage *C,
                            dls_joint_stage *joints, dls_position_stage *P) {
  const int n_near = N->n_near, n_closing = P->n_closing;
  joined x = {DLS_TAKE(&S->w->arena, unsigned char, S->w->n_bodies),
              DLS_TAKE(&S->w->arena, unsigned char, S->rows.n_islands)};
  if (!x.body || !x.island) return DLS_FULL;
  int first = n_near, first_closing = n_closing;
  dls_rows_body_islands(&S->rows);
  mark_held(S, joints, &x);
  dls_near *const all_near = N->near;
  dls_status status = look_at_near(S, N, P, &x, count_near(S, N, &x));
  if (status != DLS_OK) return status;
  if (P->n_user == 0) { /* those made by hand may join anything */
    mark_held(S, joints, &x);
    mark_overlapping(S, N, P, &x);
    const int n_joined = count_joined(S, N, P, &x);
    N->near = all_near;
    N->n_near = n_near;
    if (!S->joined && n_joined > MOST_SPRUNG) {
      P->found = -1;
      return dls_project_free(S, N, P);
    }
    status = part(S, N, P, &x, &first, &first_closing);
  }
  if (status != DLS_OK) return status;
  dls_near *const near = N->near;
  const dls_position_stage whole = *P;
  const bool few = P->touching <= DLS_FEW_TOUCHES;
  dls_near *between = NULL;
  int n_between = 0;
  bool met = false;
  if (few && first < n_near) status = find_between(S, N, first, &x, &between, &n_between);
  if (status != DLS_OK) return status;
  N->n_near = first;
  P->n_closing = first_closing;
  if (S->dim == 2 && first < n_near)
    status = dls_look(S, N, P); /* gaps of disks are in the order of pairs */
  if (status == DLS_OK) status = dls_project_joined(S, N, joints, P);
  if (status != DLS_OK || first == n_near) return status;
  N->near = near + first;
  N->n_near = n_near - first;
  P->closing += first_closing;
  P->closing_near += first_closing;
  P->n_closing = n_closing - first_closing;
  return_room(&whole, P);
  status = project_others(S, N, C, P, &x);
  return_room(&whole, P);
  if (status == DLS_OK && P->displaced && n_between > 0)
    status = look_between(S, N, P, between, n_between, &met);
  if (status != DLS_OK || !met) return status;
  status = join_brought(S, N, P, near, n_near, whole.n_known);
  if (status != DLS_OK) return status;
  P->closing = whole.closing;
  P->closing_near = whole.closing_near;
  P->n_closing = n_closing;
  for (int k = first_closing; k < n_closing; k++)
    if (P->closing_near[k] >= 0) P->closing_near[k] += first; /* among all */
  status = dls_look(S, N, P);
  return status == DLS_OK ? dls_project_joined(S, N, joints, P) : status;
}
