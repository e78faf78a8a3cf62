/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Which blocks of an island meet, and where. */

/* The island's blocks, held ones first, with the bodies and numbers ("hubs") they meet on. */
typedef struct knot {
  int n, n_held;      /* blocks                                           */
  int *block;         /* n: numbers in rows->block                        */
  reach *on;          /* n: what they reach                               */
  int n_x;            /* numbers of trees                                 */
  int n_bodies, *body; /* those that move by themselves                   */
  int n_hubs;
  int *start, *hub;   /* n + 1: hubs of each block                        */
  int *hub_start, *at_hub; /* n_hubs + 1: blocks at each, ascending       */
} knot;

static int add_hub(int *hubs, int n, int hub) {
  for (int i = 0; i < n && hub >= 0; i++)
    if (hubs[i] == hub) return n;
  if (hub >= 0) hubs[n++] = hub;
  return n;
}

/* Bodies that move, as the blocks come; place: of n_bodies, set for the bodies of blocks alone. */
static int number_ends(const dls_rows *rows, const knot *x, int *place, int *body) {
  int count = 0;
  dls_arm arms[4];
  for (int turn = 0; turn < 2; turn++)
    for (int k = 0; k < x->n; k++) {
      const int n_arms = dls_arms_of(NU, rows, &rows->block[x->block[k]], 0, arms);
      for (int e = 0; e < n_arms; e++) {
        const int i = arms[e].body;
        if (turn == 0) place[i] = -1;
        else if (rows->inv_mass[i] > 0 && place[i] < 0) body[count] = i, place[i] = count++;
      }
    }
  return count;
}

static dls_status tie_hubs(dls_rows *rows, knot *x, dls_arena *tmp) {
  size_t room = 4 * (size_t)x->n;
  for (int k = 0; k < x->n; k++) room += (size_t)x->on[k].n;
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  x->body = DLS_TAKE(tmp, int, room);
  x->start = DLS_TAKE(tmp, int, x->n + 1);
  x->hub = DLS_TAKE(tmp, int, room);
  if (!place || !x->body || !x->start || !x->hub) return dls_want(rows, tmp, 4 * room * sizeof(int));
  x->n_bodies = number_ends(rows, x, place, x->body);
  x->n_hubs = x->n_bodies + x->n_x;
  int at = 0;
  for (int k = 0; k < x->n; k++) {
    dls_arm arms[4];
    const int n_arms = dls_arms_of(NU, rows, &rows->block[x->block[k]], 0, arms);
    int n = 0;
    x->start[k] = at;
    for (int e = 0; e < n_arms; e++) n = add_hub(x->hub + at, n, place[arms[e].body]);
    at += n;
    for (int l = 0; l < x->on[k].n; l++) x->hub[at++] = x->n_bodies + x->on[k].at[l];
  }
  x->start[x->n] = at;
  x->hub_start = DLS_TAKE(tmp, int, x->n_hubs + 1);
  x->at_hub = DLS_TAKE(tmp, int, at);
  if (!x->hub_start || !x->at_hub) return dls_want(rows, tmp, (size_t)at * sizeof(int));
  int *start = x->hub_start;
  memset(start, 0, (size_t)(x->n_hubs + 1) * sizeof(int));
  for (int e = 0; e < at; e++) start[x->hub[e] + 1]++;
  for (int i = 0; i < x->n_hubs; i++) start[i + 1] += start[i];
  for (int k = 0; k < x->n; k++)
    for (int e = x->start[k]; e < x->start[k + 1]; e++) x->at_hub[start[x->hub[e]]++] = k;
  for (int i = x->n_hubs; i > 0; i--) start[i] = start[i - 1];
  start[0] = 0;
  return DLS_OK;
}

/* The blocks lo .. hi - 1 that meet block k, ascending, k not among them; mark: n, not k on entry. */
static int meeting(const knot *x, int k, int lo, int hi, int *mark, int *out) {
  int n = 0;
  for (int e = x->start[k]; e < x->start[k + 1]; e++) {
    const int hub = x->hub[e];
    for (int f = x->hub_start[hub]; f < x->hub_start[hub + 1]; f++) {
      const int j = x->at_hub[f];
      if (j < lo || j >= hi || j == k || mark[j] == k) continue;
      mark[j] = k;
      out[n++] = j;
    }
  }
  dls_sort_ints(out, n);
  return n;
}
