/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* The projection of a world with joints: contacts among what joints hold (joined.inl), by Newton's
** turns, finished to the end. */

static void place(step *S) {
  poses_at(S, S->q_n);
#if D == 2
  take_spots(S);
#endif
}

/* Touches at q' that overlap or are within slack, n of them from the front. */
static dls_status look_within(step *S, pile *P, double slack, int *n) {
  P->slack = slack;
  dls_status status = look(S, P);
  if (status == DLS_OK) status = pick(S, P, slack, false);
  for (int k = 0; status == DLS_OK && k < P->n_active; k++) P->o[k] = P->o[P->active[k]];
  *n = P->n_active;
  return status;
}

/* The gap at q' of a contact of this step; *there is false where it is gone. */
static dls_status overlap_of(step *S, const dls_contact *c, overlap *o, bool *there) {
  *there = false;
  if (c->tie >= 0) {
    tied at;
    dls_status status = tie_at(S, c->tie, S->q_n, S->w->time + S->h, false, &at);
    if (status != DLS_OK) return status;
    *o = (overlap){.a = c->a, .b = c->b, .gap = at.gap, .size = 1};
    memcpy(o->J, at.J, sizeof at.J);
    *there = weigh_overlap(S, o);
    return DLS_OK;
  }
  const int n = touches_of(S, c->a, c->b, 2 * fabs(c->gap) + S->reach[c->a] + S->reach[c->b]);
  if (n > S->touch_room) return too_many(S, n);
  for (int i = 0; i < n && !*there; i++)
    if (S->touch[i].key == c->key) *there = add_overlap(S, o, c->a, c->b, &S->touch[i]);
  return DLS_OK;
}

/* Contacts that held across a gap are closed, whatever that takes (see close_gaps). */
static dls_status close_joined(step *S, overlap *o) {
  enum { TURNS = 6 };
  dls_status status = DLS_OK;
  double size = DLS_INF;
  aim_here(S, S->q_n);
  int n_open = 0; /* those that are not closed yet */
  bool there;
  for (int k = 0; k < S->n_closing && status == DLS_OK; k++) {
    status = overlap_of(S, &S->w->contacts_next[S->closing[k]], o, &there);
    if (there && o->gap > CLOSED * o->size) S->closing[n_open++] = S->closing[k];
  }
  for (int turn = 0; n_open > 0 && turn < TURNS && status == DLS_OK && size > FITTED; turn++) {
    int n = 0;
    status = stand(S, S->q_n, true);
    if (status != DLS_OK) break;
    for (int k = 0; k < n_open && status == DLS_OK; k++) {
      status = overlap_of(S, &S->w->contacts_next[S->closing[k]], &o[n], &there);
      if (there) o[n++].both = true;
    }
    if (status != DLS_OK) break;
    find_held_gaps(S, S->q_n, o, &n);
    status = turn_to_aim(S, S->q_n, o, n, &size);
    if (status == DLS_OK) status = stand(S, S->q_n, false);
    place(S);
  }
  charge_way(S, S->q_n);
  aim_here(S, S->q_n);
  return status;
}

/* Contacts, limits and constraints at q'. */
static dls_status project_joined(step *S, pile *P) {
  enum { TURNS = 8, MOST = 1500 };
  static const double NOISE = 1e-13;
  overlap *o = P->o;
  dls_status status = close_joined(S, o);
  double size = DLS_INF, last = DLS_INF, slack = 0; /* what was pushed open stays in the problem */
  for (int turn = 0; turn < TURNS && status == DLS_OK; turn++) {
    double apart = 0;
    int n;
    status = look_within(S, P, 0, &n);
    if (status != DLS_OK) break;
    find_limit_gaps(S, o, &n, 0, &apart);
    if (n == 0 || n > MOST || (P->worst <= OVERLAP_NOISE && apart <= NOISE && turn == 0)) break;
    if (P->worst <= OVERLAP_NOISE && apart <= NOISE && size <= FITTED) break;
    if (turn > 3 && size > 0.5 * last) break; /* touches come and go: no nearer than this */
    last = size;
    slack = dls_max(slack, 2 * dls_max(P->deepest, apart));
    status = stand(S, S->q_n, true);
    if (status == DLS_OK) status = look_within(S, P, slack, &n);
    if (status != DLS_OK) break;
    find_limit_gaps(S, o, &n, slack, &apart);
    find_held_gaps(S, S->q_n, o, &n);
    status = turn_to_aim(S, S->q_n, o, n, &size);
    if (status == DLS_OK) status = stand(S, S->q_n, false);
    place(S);
  }
  charge_way(S, S->q_n);
  return status == DLS_OK ? look(S, P) : status;
}
