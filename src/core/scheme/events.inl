/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What contacts began, ended or changed in a step. */

/* Few steps are asked for their events: a notice is enough to make one of. */
static void emit(step *S, int kind, int contact, int before) {
  dls_world *w = S->w;
  w->notices[w->n_notices++] = (dls_notice){kind, contact, before};
}

static int compare(const dls_contact *x, const dls_contact *y) {
  if ((x->tie >= 0) != (y->tie >= 0)) return x->tie >= 0 ? -1 : 1;
  if (x->tie != y->tie) return x->tie < y->tie ? -1 : 1;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return x->key < y->key ? -1 : (x->key > y->key ? 1 : 0);
}

static bool acts(const dls_contact *c) {
  return c->listed && (c->state != DLS_APART || c->mark & DLS_MARK_SENSED);
}

/* Nothing is to be told of most contacts: they do what they did. */
static inline bool goes_on(const dls_contact *before, const dls_contact *after) {
  return (before->listed != 0) & (after->listed != 0) & (after->state != DLS_APART) &
         (before->state == after->state) & (after->mark == 0);
}

/* A contact that is gone is told of by its last record. */
static void tell_gone(step *S, const dls_contact *before, int gone) {
  if (acts(before)) emit(S, DLS_EVENT_SEPARATION, -1, gone);
}

/* What became of a contact that `was` one in this state (number gone of the old ones), or not; accumulation: a
** rebound that is over within its step or the next, so that the bounces have come to their end (those that an exact
** flight would still make are shorter than a step). */
static void tell_change(step *S, bool was, int state, int gone, const dls_contact *after, int here) {
  const bool is = acts(after);
  if (is && !was) {
    emit(S, DLS_EVENT_CONTACT, here, -1);
    if (after->before < 0) {
      emit(S, DLS_EVENT_IMPACT, here, -1);
      S->w->impacts++;
      if (after->mark & DLS_MARK_DIED) emit(S, DLS_EVENT_ACCUMULATION, here, -1);
    }
  }
  if (was && is && (after->mark & DLS_MARK_FELL)) emit(S, DLS_EVENT_ACCUMULATION, here, -1);
  if (after->mark & DLS_MARK_TOLD) emit(S, DLS_EVENT_COLLAPSED, here, -1);
  if (was && !is) emit(S, DLS_EVENT_SEPARATION, here, gone);
  if (is && !(after->mark & DLS_MARK_SENSED) && (!was || state != after->state))
    emit(S, after->state == DLS_STICK ? DLS_EVENT_STICK : DLS_EVENT_SLIP, here, -1);
}

/* Old and new contacts side by side, both sorted; plain ones know who they were. */
static void compare_contacts(step *S) {
  dls_world *w = S->w;
  const dls_contact *old = w->contacts, *now = w->contacts_next;
  const int n_old = w->n_contacts;
  int i = 0;
  w->n_notices = 0;
  for (int j = 0; j < S->n_contacts; j++) {
    int order = S->was[j] == i ? 0 : 1;
    if ((order == 0) & (S->told[j] & TOLD_ON)) {
      i++;
      continue;
    }
    while (order != 0 && i < n_old && (order = compare(&old[i], &now[j])) < 0) {
      tell_gone(S, &old[i], i);
      i++;
    }
    const bool same = order == 0 && i < n_old;
    if (same && goes_on(&old[i], &now[j])) {
      i++;
      continue;
    }
    if (same) tell_change(S, acts(&old[i]), old[i].state, i, &now[j], j);
    else tell_change(S, false, DLS_APART, -1, &now[j], j);
    i += same;
  }
  for (; i < n_old; i++) tell_gone(S, &old[i], i);
}
