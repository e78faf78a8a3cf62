/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* A contact with an open gap has no row where its bodies, moving freely, would leave it open. But
** what the other rows do can close it: a log at rest that is struck passes the blow on within the
** step. So a contact of the last step stands by, asleep, with the law
**
**     0 <= p  _|_  v_n + gap / (theta h) >= 0,
**
** which is silent while the gap stays open and else closes it, no further: what approach is left comes
** to the law of restitution in the next step, at a closed contact. It is a row as any other from the
** start. Without it neighbours in a bed act in alternate steps, each pushed through the other in between:
** the bed creeps, and the projection lifts it back for ever. Sleepers that never spoke are no contacts of
** the step. */

/* How far sleepers are forgotten: the next contact and the next block; contacts kept, and of these those that are
** listed. */
typedef struct forgetting {
  int contact, block, kept, listed;
} forgetting;

/* Contacts before number `end`, none of which is plain. Sleepers that press are awake. */
static void forget_until(step *S, int end, forgetting *at) {
  dls_rows *rows = &S->rows;
  dls_contact *contacts = S->w->contacts_next;
  for (; at->contact < end; at->contact++) {
    dls_contact *own = &contacts[at->contact];
    dls_block *block = &rows->block[at->block];
    /* a sensor's, or a memory: blocks of joints are behind all contacts' */
    if (at->block == rows->n_blocks || block->source != at->contact) {
      at->listed += own->listed;
    } else {
      at->block++;
      block->asleep = block->asleep & !(rows->p[block->row] > 0);
      if (block->asleep && own->x == 0) continue;
      if (block->asleep) own->listed = 0;
      block->source = at->kept;
      at->listed += own->listed;
    }
    if (at->kept != at->contact) contacts[at->kept] = *own;
    at->kept++;
  }
}

/* Takes the contacts of sleepers out of the list, and counts the others; rows->block[].source follows, of plain ones
** their runs. */
static void forget_sleepers(step *S) {
  forgetting at = {0};
  const int *sleeper = S->sleeper, *const last = sleeper + S->n_sleepers;
  for (plain_run *run = S->plain_run, *end = run + S->n_plain_runs; run < end; run++) {
    const double *p = S->rows.p + S->rows.block[run->block].row; /* two rows each */
    const int first = run->block;
    int gone = 0;
    forget_until(S, run->contact, &at);
    for (; sleeper < last && *sleeper < first + run->n; sleeper++) {
      const bool wakes = p[2 * (*sleeper - first)] > 0;
      S->plain[*sleeper].mark ^= wakes * PLAIN_ASLEEP;
      gone += !wakes;
    }
    run->contact = at.kept;
    at.kept += run->n - gone, at.listed += run->n - gone;
    at.contact += run->n, at.block += run->n;
  }
  forget_until(S, S->n_contacts, &at);
  S->n_contacts = at.kept;
  S->w->stats.contacts = at.listed;
}
