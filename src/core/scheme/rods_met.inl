/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Touches of pairs of rods, many pairs at once, for who then goes through the pairs one by one. */

enum { RODS_AT_ONCE = 64 }; /* pairs */

static bool are_rods(const step *S, int a, int b) { return (S->rod[a].r > 0) & (S->rod[b].r > 0); }

typedef struct rods_met {
  int stop;                          /* pairs of S->near up to this one were looked at */
  int next;                          /* of these pairs of rods                         */
  const dls_touch *at;               /* its touches                                    */
  unsigned char count[RODS_AT_ONCE]; /* touches of each                                */
  dls_touch *touch;                  /* 3 RODS_AT_ONCE                                 */
} rods_met;

/* From pair k on as many as there is room for. */
static void meet_rods(const step *S, int k, rods_met *met) {
  int a[RODS_AT_ONCE], b[RODS_AT_ONCE], n = 0;
  double margin[RODS_AT_ONCE];
  for (; k < S->n_near && n < RODS_AT_ONCE; k++) {
    const int i = S->ball[S->near[k].a].body, j = S->ball[S->near[k].b].body;
    if (!are_rods(S, i, j)) continue;
    a[n] = i, b[n] = j;
    margin[n++] = S->reach[i] + S->reach[j];
  }
  (void)dls_gap_lanes_best()->touch(n, a, b, S->rod, margin, met->count, met->touch);
  met->stop = k;
  met->next = 0;
  met->at = met->touch;
}

/* The touches of pair k of S->near; -1 where it is none of rods. */
static int take_met(const step *S, int k, rods_met *met, const dls_touch **touch) {
  if (!are_rods(S, S->ball[S->near[k].a].body, S->ball[S->near[k].b].body)) return -1;
  if (k >= met->stop) meet_rods(S, k, met);
  const int n = met->count[met->next++];
  *touch = met->at;
  met->at += n;
  return n;
}
