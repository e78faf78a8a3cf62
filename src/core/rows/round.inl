/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* An island of rigid contacts of disks as groups of sixteen that share no moving body (rows/round.h),
** swept with momentum. */

/* Sweeps after which momentum is looked at; from LONG on it starts again each FRESH. In beds of more than DEEP groups
** slow modes are left after LONG_DEEP. */
enum { WATCH = 20, LONG = 140, FRESH = 60, DEEP = 256, LONG_DEEP = 60 };

/* Momentum keeps contacts at the edge of sliding or opening in motion: where the sweeps of a watch change
** impulses (squared) by more than SLACK of the watch before, it is lowered to this share of its bound. What that
** does not end (large beds: slow modes of some ten bodies, in a few places) gets a higher bound. */
static const double SLACK = 0.7, CALMER = 0.9, LONG_HASTE = 0.95;

/* Impulses of the last step are halved where no share of them is of use (usefulness). */
static const double STALE = 0;

/* A contact of an island: its bodies, first row and number of rows; where it stands: its lane, counted through. */
typedef struct round_contact {
  int a, b, row, n, at;
} round_contact;

/* Colours whose ends are kept. */
enum { ROUND_FULL = 4 };

typedef struct round_groups {
  const dls_round_lanes *lanes;
  dls_round_bed bed;
  int n_laws;             /* taken of bed.law                                           */
  int colour_end[ROUND_FULL]; /* groups up to the end of each of the first colours          */
  round_contact *contact; /* one a block of the island                                 */
  float *p, *p_old;       /* 32 a group: after the last sweep and the one before        */
  int n_bodies;           /* places of bodies                                           */
  int *body;              /* n_bodies: the world's number of each, -1: nobody's place  */
  float *root;            /* n_u: 1/m twice and J^(-1/2), 0 at the end                  */
  float *u, *u_old;       /* n_u: U after the last sweep and the one before             */
  double slope, bend;     /* p . (J u_free + s) and p . W p at the start               */
  double fastest;         /* the largest number among the bodies' velocities           */
} round_groups;

#include "core/rows/round_last.inl"

/* Places of bodies: two a contact, and those that the last group of the first colour leaves empty. */
static size_t round_places(int n_blocks) { return 2 * ((size_t)n_blocks + DLS_ROUND_LANES); }

static size_t round_bytes(int n_blocks, int n_bodies) {
  const size_t n = (size_t)n_blocks, g = n / DLS_ROUND_LANES + COLOURS, places = round_places(n_blocks);
  size_t total = dls_arena_bytes((size_t)n_bodies, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(round_contact)));
  total = dls_bytes_add(total, dls_arena_bytes(places, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n_bodies, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes(n + 1, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_round_group)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_round_pairs)));
  total = dls_bytes_add(total, dls_arena_bytes(g + 1, sizeof(dls_round_law)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * DLS_ROUND_PARTS * DLS_ROUND_LANES * g, sizeof(float)));
  total = dls_bytes_add(total, last_bytes(places, DLS_ROUND_LANES * g));
  return dls_bytes_add(total, dls_arena_bytes(3 * (DLS_ROUND_BODY * places + 32), sizeof(float)));
}

static bool all_round(const dls_rows *rows, const int *blocks, int n) {
  if (n < GROUPED) return false;
  for (int k = 0; k < n && rows->n_odd > 0; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!block->round || (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL)) return false;
  }
  return true;
}

/* What places hold of bodies that have none: yet, or because they do not move. */
enum { NOWHERE = -1, FIXED = -2 };

/* Reads who meets whom. place, taken: n_bodies. */
static void list_contacts(const dls_rows *rows, const int *blocks, int n, int *place, uint64_t *taken,
                          round_contact *out) {
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    const int a = block->a, b = block->b;
    out[k] = (round_contact){a, b, block->row, block->n, 0};
    place[a] = dls_moves(rows, a) ? NOWHERE : FIXED;
    place[b] = dls_moves(rows, b) ? NOWHERE : FIXED;
    taken[a] = taken[b] = 0;
  }
}

/* Colours the contacts, first fit: the lowest colour that neither body has yet, and not the first one beside
** a body that does not move (place_round). Fills at with the colours, the number of contacts of each, and `first` with
** those of the first; answers how many colours, COLOURS + 1 where they do not suffice. */
static int colour_round(round_contact *contacts, int n, const int *place, uint64_t *taken, int *first, int *count) {
  int most = 1;
  count[0] = 0;
  for (int k = 0, n_first = 0; k < n; k++) {
    round_contact *x = &contacts[k];
    uint64_t fixed = 1, *of_a = &taken[x->a], *of_b = &taken[x->b];
    if (place[x->a] == FIXED) of_a = &fixed;
    if (place[x->b] == FIXED) of_b = &fixed;
    const uint64_t both = *of_a | *of_b;
    const int c = __builtin_ctzll(~both); /* bit COLOURS is never taken */
    if (c >= COLOURS) return COLOURS + 1;
    *of_a |= (uint64_t)1 << c;
    *of_b |= (uint64_t)1 << c;
    x->at = c;
    first[n_first] = k;
    n_first += c == 0;
    for (; most <= c; most++) count[most] = 0;
    count[c]++;
  }
  return most;
}

/* The n-th place for a body if it has none; answers how many are taken then. Half of them have one: no branch. */
static inline int place_body(int body, int *place, int *of, int n) {
  const int was = place[body], waits = was == NOWHERE;
  of[n] = body;
  place[body] = was ^ ((was ^ n) & -waits);
  return n + waits;
}

/* Numbers the bodies that move: those of the first colour's contacts in the places of their lanes, so that
** its groups, a third of all, have them side by side; then all others. */
static void place_round(const int *first, int n_first, int n, int *place, round_groups *G) {
  G->n_bodies = 2 * DLS_ROUND_LANES * G->bed.n_near;
  for (int i = 0; i < G->n_bodies; i++) G->body[i] = -1;
  for (int next = 0; next < n_first; next++) {
    const round_contact *x = &G->contact[first[next]];
    const int at = 2 * (next - next % DLS_ROUND_LANES) + DLS_ROUND_PLACE(next % DLS_ROUND_LANES);
    G->body[place[x->a] = at] = x->a;
    G->body[place[x->b] = at + DLS_ROUND_LANES] = x->b;
  }
  const round_contact *contact = G->contact;
  int *of = G->body, taken = G->n_bodies;
  for (int k = 0; k < n; k++) {
    taken = place_body(contact[k].a, place, of, taken);
    taken = place_body(contact[k].b, place, of, taken);
  }
  G->n_bodies = taken;
}

#include "core/rows/round_fill.inl"

/* Room of n groups. */
static bool take_round(round_groups *G, int n, dls_arena *tmp) {
  const size_t numbers = DLS_ROUND_PARTS * DLS_ROUND_LANES * (size_t)n;
  dls_round_bed *bed = &G->bed;
  bed->n = n;
  bed->n_u = (DLS_ROUND_BODY * (G->n_bodies + 1) + 15) & ~15;
  bed->group = DLS_TAKE(tmp, dls_round_group, n);
  bed->pairs = DLS_TAKE(tmp, dls_round_pairs, n);
  bed->law = DLS_TAKE(tmp, dls_round_law, n + 1);
  bed->law_of = DLS_TAKE(tmp, int, n);
  G->p = DLS_TAKE(tmp, float, 2 * numbers);
  G->u = DLS_TAKE(tmp, float, 3 * bed->n_u);
  if (!bed->group || !bed->pairs || !bed->law || !bed->law_of || !G->p || !G->u) return false;
  G->p_old = G->p + numbers;
  G->u_old = G->u + bed->n_u;
  G->root = G->u_old + bed->n_u;
  return true;
}

/* U without impulses, and in u_old what the impulses at hand change of it; the energy of both: J' p is
** M (u - u_free). */
static void read_bodies(const dls_rows *rows, round_groups *G) {
  float *to = G->u, *change = G->u_old, *root = G->root;
  for (int k = 0; k < G->n_bodies; k++, to += DLS_ROUND_BODY, change += DLS_ROUND_BODY, root += DLS_ROUND_BODY) {
    const int body = G->body[k] < 0 ? 0 : G->body[k];
    const double *u = rows->u + (size_t)body * NU, *free = rows->u_free + (size_t)body * NU;
    const float kept = G->body[k] < 0 ? 0 : 1, m = kept * (float)rows->inv_mass[body];
    for (int i = 0; i < NU; i++) {
      to[i] = kept * (float)free[i];
      change[i] = kept * (float)(u[i] - free[i]);
    }
    root[0] = root[1] = m;
    root[2] = kept * (float)rows->inv_inertia[body];
    to[3] = change[3] = root[3] = 0;
  }
  const size_t left = (size_t)(G->u + G->bed.n_u - to) * sizeof(float);
  memset(to, 0, left);
  memset(change, 0, left);
  memset(root, 0, left);
  const dls_round_start start = G->lanes->begin(G->bed.n_u, G->root, G->u, G->u_old);
  G->slope = start.slope, G->bend = start.bend, G->fastest = start.fastest;
}

/* Where the energy (1/2) x^2 p . W p + x p . (J u_free + s) of the share x of the impulses is least. After
** strikes it is small: impulses of a strike say nothing about the next. */
static double usefulness(const round_groups *G) {
  return G->bend > 0 ? -G->slope / G->bend : 1;
}

/* Groups of an island of such contacts; G->bed.n = 0 where colours do not suffice. DLS_FULL: rows->need. */
static dls_status group_round(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                              round_groups *G) {
  *G = (round_groups){.lanes = dls_round_lanes_best()};
  rows->need = round_bytes(n, rows->n_bodies);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  G->body = DLS_TAKE(tmp, int, round_places(n));
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, rows->n_bodies);
  int *first = DLS_TAKE(tmp, int, n + 1);
  G->contact = DLS_TAKE(tmp, round_contact, n);
  if (!place || !G->body || !taken || !first || !G->contact) return DLS_FULL;
  list_contacts(rows, blocks, n, place, taken, G->contact);
  int at[COLOURS + 1], total = 0;
  const int n_colours = colour_round(G->contact, n, place, taken, first, at);
  if (n_colours > COLOURS) return DLS_OK;
  G->bed.n_near = (at[0] + DLS_ROUND_LANES - 1) / DLS_ROUND_LANES;
  place_round(first, at[0], n, place, G);
  for (int c = 0; c < n_colours; c++) {
    const int count = (at[c] + DLS_ROUND_LANES - 1) / DLS_ROUND_LANES;
    at[c] = DLS_ROUND_LANES * total;
    total += count;
    if (c < ROUND_FULL) G->colour_end[c] = total;
  }
  if (!take_round(G, total, tmp)) return DLS_FULL;
  read_bodies(rows, G);
  begin_laws(&rows->block[blocks[n / 2]], G);
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    round_contact *x = &G->contact[k];
    x->at = at[x->at]++;
    if (block->lean) fill_lean(rows, &rows->lean[blocks[k]], x, place, G);
    else fill_round(rows, block, x, place, G);
  }
  for (int c = 0; c < n_colours; c++)
    while (at[c] % DLS_ROUND_LANES != 0) leave_lane(G, at[c]++);
  const size_t numbers = DLS_ROUND_PARTS * DLS_ROUND_LANES * (size_t)total;
  const float share = usefulness(G) <= STALE ? 0.5F : 1;
  memcpy(G->p_old, G->p, numbers * sizeof(float));
  if (share < 1) G->lanes->carry((int)numbers, share - 1, G->p, G->p_old);
  G->lanes->carry(G->bed.n_u, share, G->u, G->u_old);
  return DLS_OK;
}

/* Impulses back to the rows, cut to their sets; velocities from them where they are wanted. */
static void ungroup_round(dls_rows *rows, const int *blocks, int n, const round_groups *G, bool push) {
  for (int k = 0; k < G->n_bodies && push; k++) {
    if (G->body[k] < 0) continue;
    const size_t at = (size_t)G->body[k] * NU;
    memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
  }
  for (int k = 0; k < n; k++) {
    const round_contact *x = &G->contact[k];
    const dls_block *block = &rows->block[blocks[k]];
    const int l = x->at % DLS_ROUND_LANES, group = x->at / DLS_ROUND_LANES;
    const float *of = G->p + DLS_ROUND_PARTS * DLS_ROUND_LANES * group + l;
    double *p = rows->p + x->row;
    p[0] = (double)of[0];
    if (x->n > 1) p[1] = dls_clamp((double)of[DLS_ROUND_LANES], -block->mu[0] * p[0], block->mu[0] * p[0]);
    if (push) dls_push_block(rows, block);
  }
}

/* What carries impulses on past a sweep. */
typedef struct momentum {
  int done;             /* sweeps                                            */
  int tail;             /* of them until starts by the count: LONG           */
  double t, haste;      /* Nesterov's t; the bound                           */
  double best;          /* least |f|^2 since it blew up last                 */
  double sum, before;   /* |f|^2 summed over this watch, and over the last   */
} momentum;

/* beta of the next sweep. */
static double next_beta(momentum *x, dls_round_change c) {
  const bool first = x->done++ == 0, blown = !first && c.ff > BLOWN * x->best;
  const bool fresh = x->done >= x->tail && (x->done - x->tail) % FRESH == 0;
  if (first || blown || fresh || c.turn > 0) x->t = 1;
  if (first || blown || c.ff < x->best) x->best = c.ff;
  x->sum += c.ff;
  if (x->done % WATCH == 0) {
    if (x->done < x->tail && x->sum > SLACK * x->before) x->haste *= CALMER;
    x->before = x->sum;
    x->sum = 0;
  }
  if (x->done == x->tail) x->haste = LONG_HASTE;
  const double next = 0.5 * (1 + sqrt(1 + 4 * x->t * x->t)), beta = (x->t - 1) / next;
  x->t = next;
  return dls_min(beta, x->haste);
}

/* Whether the residual seems to hold in all groups: looked at from *first on, the last one known to miss. */
static bool round_holds(const round_groups *G, double limit, int *first) {
  for (int i = 0, k = *first; i < G->bed.n; i++, k = k + 1 < G->bed.n ? k + 1 : 0) {
    if (G->lanes->residual(&G->bed, k, k + 1, G->p, G->u) <= limit * limit) continue;
    *first = k;
    return false;
  }
  return true;
}

/* Sweeps until the residual seems to hold (*near), rounding hides what is left, or `most` are *done. The
** impulses get better; velocities follow them unless they are near and not `strict`. If impulses stop to be
** numbers, they stay as they were. */
static dls_status sweep_round(dls_rows *rows, const int *blocks, int n, double limit, int most,
                              bool strict, dls_arena *tmp, int *done, bool *near) {
  round_groups G;
  *near = false;
  *done = 0;
  dls_status status = group_round(rows, blocks, n, tmp, &G);
  if (status != DLS_OK || G.bed.n == 0) return status;
  const double noise = COARSE_NOISE * G.fastest;
  const double quiet = dls_max(QUIET * limit, noise);
  double beta = 0;
  int first = 0, last = LAST_FIRST, looks = 0;
  const bool lasts = rows->shaken && limit > noise && G.bed.n > FEW_GROUPS;
  waiting left = {0};
  momentum rate = {.tail = G.bed.n > DEEP ? LONG_DEEP : LONG, .haste = HASTE, .before = DLS_INF};
  if (!(noise < DLS_INF)) return DLS_OK;
  if (lasts && !take_waiting(&G, tmp, &left)) return DLS_FULL;
  const double last_limit = strict ? LAST_STRICT * limit : limit;
  /* What double precision has found to miss after all is little. */
  if (lasts && strict) *near = settle_last(&G, last_limit, n, &left, &looks);
  while (!*near && *done < most && !dls_given_up(rows, G.bed.n, 1)) {
    const dls_round_change c = G.lanes->sweep(&G.bed, (float)beta, G.p, G.p_old, G.u, G.u_old);
    dls_round_change_places(&G.p, &G.p_old);
    dls_round_change_places(&G.u, &G.u_old);
    ++*done;
    if (!(c.ff < DLS_INF)) return DLS_OK;
    if (c.most <= quiet * quiet) {
      *near = round_holds(&G, limit, &first);
      if (*near || c.most <= noise * noise) break;
    }
    if (lasts && *done >= last) {
      *near = settle_last(&G, last_limit, n, &left, &looks);
      if (*near || dls_given_up(rows, looks * LAST_COST / DLS_ROUND_LANES, 1)) break;
      last = *done + LAST_EVERY;
    }
    beta = next_beta(&rate, c);
  }
  ungroup_round(rows, blocks, n, &G, strict || !*near);
  return DLS_OK;
}
