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

/* Takes the contacts of sleepers out of the list, and counts the others; rows->block[].source follows. Sleepers
** that press are awake. */
static void forget_sleepers(step *S) {
  dls_rows *rows = &S->rows;
  dls_contact *contacts = S->w->contacts_next;
  dls_block *block = rows->block, *const end = block + rows->n_blocks;
  const plain *known = S->plain;
  const double *p = rows->p;
  int kept = 0, listed = 0;
  for (int j = 0; j < S->n_contacts; j++) {
    if (block == end || block->source != j) { /* a sensor's, or a memory: blocks of joints are behind all contacts' */
      listed += contacts[j].listed;
      if (kept != j) contacts[kept] = contacts[j];
      kept++;
      continue;
    }
    const bool asleep = block->asleep & !(p[block->row] > 0), own = known[block - rows->block].met >= 0;
    block->asleep = asleep;
    if (asleep && (own || contacts[j].x == 0)) {
      block++;
      continue;
    }
    if (asleep) contacts[j].listed = 0;
    else listed += own || contacts[j].listed;
    block++->source = kept;
    if (kept != j && !own) contacts[kept] = contacts[j]; /* a plain one is written when it is recorded */
    kept++;
  }
  S->n_contacts = kept;
  S->w->stats.contacts = listed;
}
