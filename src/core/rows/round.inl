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

/* Impulses of the last step are halved where at most this share of them is of use (usefulness). */
static const double STALE = 0.5;

typedef struct round_groups {
  const dls_round_lanes *lanes;
  int n;                  /* groups                                                    */
  int n_near;             /* so many at the start have their bodies side by side       */
  dls_round_group *group; /* n                                                         */
  int *block;             /* 16 n: whose contact a lane holds, -1: nobody's            */
  float *p, *p_old;       /* 32 n each: after the last sweep and the one before        */
  int n_bodies, n_u;      /* places of bodies, and numbers of U: a multiple of 16      */
  int *body;              /* n_bodies: the world's number of each, -1: nobody's place  */
  float *root;            /* 2 n_bodies + 2: m^(-1/2) and J^(-1/2), 0 at the end       */
  float *u, *u_old;       /* n_u                                                       */
  double slope, bend;     /* p . (J u_free + s) and p . W p at the start               */
  double fastest;         /* the largest number among the bodies' velocities           */
} round_groups;

#include "core/rows/round_last.inl"

/* Places of bodies: two a contact, and those that the last group of the first colour leaves empty. */
static size_t round_places(int n_blocks) { return 2 * ((size_t)n_blocks + DLS_ROUND_LANES); }

static size_t round_bytes(int n_blocks, int n_bodies) {
  const size_t n = (size_t)n_blocks, g = n / DLS_ROUND_LANES + COLOURS, places = round_places(n_blocks);
  size_t total = dls_arena_bytes((size_t)n_bodies, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(places, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes((size_t)n_bodies, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * places + 2, sizeof(float)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(unsigned char)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_round_group)));
  total = dls_bytes_add(total, dls_arena_bytes(DLS_ROUND_LANES * g, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * DLS_ROUND_PARTS * DLS_ROUND_LANES * g, sizeof(float)));
  total = dls_bytes_add(total, last_bytes(places, DLS_ROUND_LANES * g));
  return dls_bytes_add(total, dls_arena_bytes(2 * (DLS_ROUND_BODY * places + 32), sizeof(float)));
}

static bool all_round(const dls_rows *rows, const int *blocks, int n) {
  if (n < GROUPED) return false;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    if (!block->round || (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL)) return false;
  }
  return true;
}

/* What velocities that impulses do not change bring into row i. */
static double given_speed(const dls_rows *rows, int i, int a, int b) {
  const double *J = rows->J + (size_t)i * 2 * NU;
  const double *u_a = rows->u + (size_t)a * NU, *u_b = rows->u + (size_t)b * NU;
  double v = 0;
  if (!(rows->inv_mass[a] > 0)) v += J[0] * u_a[0] + J[1] * u_a[1];
  if (!(rows->inv_mass[b] > 0)) v += J[3] * u_b[0] + J[4] * u_b[1];
  if (!(rows->inv_inertia[a] > 0)) v += J[2] * u_a[2];
  if (!(rows->inv_inertia[b] > 0)) v += J[5] * u_b[2];
  return v;
}

/* Colours the blocks, first fit: the lowest colour that neither body has yet, and not the first one beside
** a body that does not move (place_round). Fills colours[] and the number of blocks of each; answers how
** many colours, COLOURS + 1 where they do not suffice. taken: n_bodies. */
static int colour_round(const dls_rows *rows, const int *blocks, int n, uint64_t *taken,
                        unsigned char *colours, int *count) {
  int most = 1;
  count[0] = 0;
  for (int k = 0; k < n; k++) taken[rows->block[blocks[k]].a] = taken[rows->block[blocks[k]].b] = 0;
  for (int k = 0; k < n; k++) {
    const dls_block *block = &rows->block[blocks[k]];
    uint64_t fixed = 1, *of_a = &taken[block->a], *of_b = &taken[block->b];
    if (!moves(rows, block->a)) of_a = &fixed;
    if (!moves(rows, block->b)) of_b = &fixed;
    const uint64_t both = *of_a | *of_b;
    const int c = __builtin_ctzll(~both); /* bit COLOURS is never taken */
    if (c >= COLOURS) return COLOURS + 1;
    *of_a |= (uint64_t)1 << c;
    *of_b |= (uint64_t)1 << c;
    colours[k] = (unsigned char)c;
    for (; most <= c; most++) count[most] = 0;
    count[c]++;
  }
  return most;
}

static void place_body(const dls_rows *rows, int body, int *place, round_groups *G) {
  if (place[body] >= 0 || !moves(rows, body)) return;
  G->body[G->n_bodies] = body;
  place[body] = G->n_bodies++;
}

/* Numbers the bodies that move: those of the first colour's contacts in the places of their lanes, so that
** its groups, a third of all, have them side by side; then all others. place: -1 for those that do not move. */
static void place_round(const dls_rows *rows, const int *blocks, int n, const unsigned char *colours,
                        int *place, round_groups *G) {
  G->n_bodies = 2 * DLS_ROUND_LANES * G->n_near;
  for (int i = 0; i < G->n_bodies; i++) G->body[i] = -1;
  for (int k = 0; k < n; k++) place[rows->block[blocks[k]].a] = place[rows->block[blocks[k]].b] = -1;
  for (int k = 0, next = 0; k < n; k++) {
    if (colours[k] != 0) continue;
    const dls_block *block = &rows->block[blocks[k]];
    const int at = 2 * (next - next % DLS_ROUND_LANES) + DLS_ROUND_PLACE(next % DLS_ROUND_LANES);
    G->body[place[block->a] = at] = block->a;
    G->body[place[block->b] = at + DLS_ROUND_LANES] = block->b;
    next++;
  }
  for (int k = 0; k < n; k++) {
    place_body(rows, rows->block[blocks[k]].a, place, G);
    place_body(rows, rows->block[blocks[k]].b, place, G);
  }
}

/* A contact as it is; measure() of the lanes makes of it what round.h says. */
static inline void fill_round(const dls_rows *rows, int number, const int *place, round_groups *G, int at) {
  const dls_block *block = &rows->block[number];
  const int l = at % DLS_ROUND_LANES, k = at / DLS_ROUND_LANES, row = block->row;
  const int a = block->a, b = block->b;
  dls_round_group *g = &G->group[k];
  const double *J = rows->J + (size_t)row * 2 * NU, *W = rows->W + (size_t)row * NB;
  const int i = place[a] < 0 ? G->n_bodies : place[a], j = place[b] < 0 ? G->n_bodies : place[b];
  const float *root_a = G->root + 2 * i, *root_b = G->root + 2 * j;
  const bool fixed = !(root_a[0] > 0 && root_b[0] > 0 && root_a[1] > 0 && root_b[1] > 0);
  const double s_n = rows->s[row] + (fixed ? given_speed(rows, row, a, b) : 0), p_n = rows->p[row];
  float *p = G->p + DLS_ROUND_PARTS * DLS_ROUND_LANES * k + l;
  G->slope += p_n * s_n;
  g->nx[l] = (float)J[3];
  g->ny[l] = (float)J[4];
  g->wa[l] = root_a[0];
  g->wb[l] = root_b[0];
  g->w[l] = (float)W[0];
  g->s_n[l] = (float)s_n;
  p[0] = (float)p_n;
  if (block->kind == DLS_ROW_CONE) {
    const double *T = J + 2 * NU, p_t = rows->p[row + 1];
    const double s_t = rows->s[row + 1] + (fixed ? given_speed(rows, row + 1, a, b) : 0);
    G->slope += p_t * s_t;
    g->ta[l] = (float)T[2] * root_a[1];
    g->tb[l] = (float)T[5] * root_b[1];
    g->s_t[l] = (float)s_t;
    g->mu[l] = (float)block->mu[0];
    g->slope[l] = g->reach[l] = (float)W[NB + 1];
    p[DLS_ROUND_LANES] = (float)p_t;
  } else {
    g->ta[l] = g->tb[l] = g->s_t[l] = g->mu[l] = g->reach[l] = 0;
    g->slope[l] = (float)W[0];
    p[DLS_ROUND_LANES] = 0;
  }
  g->i[l] = DLS_ROUND_BODY * i;
  g->j[l] = DLS_ROUND_BODY * j;
  G->block[at] = number;
}

/* A lane without a contact: apart from everything. */
static void leave_lane(round_groups *G, int at) {
  const int l = at % DLS_ROUND_LANES, k = at / DLS_ROUND_LANES;
  dls_round_group *g = &G->group[k];
#define X(name) g->name[l] = 0;
  DLS_ROUND_FIELDS(X)
#undef X
  g->w[l] = g->s_n[l] = g->slope[l] = 1;
  g->reach[l] = 0;
  g->i[l] = g->j[l] = DLS_ROUND_BODY * G->n_bodies;
  for (int i = 0; i < DLS_ROUND_PARTS; i++) G->p[DLS_ROUND_LANES * (DLS_ROUND_PARTS * k + i) + l] = 0;
  G->block[at] = -1;
}

/* Room of n groups. */
static bool take_round(const dls_rows *rows, round_groups *G, int n, dls_arena *tmp) {
  const size_t lanes = DLS_ROUND_LANES * (size_t)n, numbers = DLS_ROUND_PARTS * lanes;
  G->n = n;
  G->n_u = (DLS_ROUND_BODY * (G->n_bodies + 1) + 15) & ~15;
  G->group = DLS_TAKE(tmp, dls_round_group, n);
  G->block = DLS_TAKE(tmp, int, lanes);
  G->p = DLS_TAKE(tmp, float, 2 * numbers);
  G->u = DLS_TAKE(tmp, float, 2 * G->n_u);
  G->root = DLS_TAKE(tmp, float, 2 * G->n_bodies + 2);
  if (!G->group || !G->block || !G->p || !G->u || !G->root) return false;
  G->p_old = G->p + numbers;
  G->u_old = G->u + G->n_u;
  for (int k = 0; k < G->n_bodies; k++) {
    const int i = G->body[k];
    G->root[2 * k] = i < 0 ? 0 : (float)sqrt(rows->inv_mass[i]);
    G->root[2 * k + 1] = i < 0 ? 0 : (float)sqrt(rows->inv_inertia[i]);
  }
  G->root[2 * G->n_bodies] = G->root[2 * G->n_bodies + 1] = 0;
  return true;
}

/* U without impulses, and in u_old what the impulses at hand change of it; the energy of both: J' p is M (u - u_free). */
static void read_velocities(const dls_rows *rows, round_groups *G) {
  memset(G->u, 0, 2 * (size_t)G->n_u * sizeof(float));
  for (int k = 0; k < G->n_bodies; k++) {
    if (G->body[k] < 0) continue;
    const size_t at = (size_t)G->body[k] * NU;
    const double *u = rows->u + at, *free = rows->u_free + at;
    const double x = G->root[2 * k], y = G->root[2 * k + 1], by[NU] = {1 / x, 1 / x, y > 0 ? 1 / y : 0};
    float *to = G->u + DLS_ROUND_BODY * k, *change = G->u_old + DLS_ROUND_BODY * k;
    for (int i = 0; i < NU; i++) {
      const double d = (u[i] - free[i]) * by[i], f = free[i] * by[i], size = fabs(u[i]);
      if (!(size <= G->fastest)) G->fastest = size;
      G->slope += d * f;
      G->bend += d * d;
      to[i] = (float)f;
      change[i] = (float)d;
    }
  }
}

/* Where the energy (1/2) x^2 p . W p + x p . (J u_free + s) of the share x of the impulses is least. After
** strikes it is small: impulses of a strike say nothing about the next. */
static double usefulness(const round_groups *G) {
  return G->bend > 0 ? -G->slope / G->bend : 1;
}

/* Groups of an island of such contacts; G->n = 0 where colours do not suffice. DLS_FULL: rows->need. */
static dls_status group_round(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                              round_groups *G) {
  *G = (round_groups){.lanes = dls_round_lanes_best()};
  rows->need = round_bytes(n, rows->n_bodies);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  G->body = DLS_TAKE(tmp, int, round_places(n));
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, rows->n_bodies);
  unsigned char *colours = DLS_TAKE(tmp, unsigned char, n);
  if (!place || !G->body || !taken || !colours) return DLS_FULL;
  int at[COLOURS + 1], total = 0;
  const int n_colours = colour_round(rows, blocks, n, taken, colours, at);
  if (n_colours > COLOURS) return DLS_OK;
  G->n_near = (at[0] + DLS_ROUND_LANES - 1) / DLS_ROUND_LANES;
  place_round(rows, blocks, n, colours, place, G);
  for (int c = 0; c < n_colours; c++) {
    const int count = (at[c] + DLS_ROUND_LANES - 1) / DLS_ROUND_LANES;
    at[c] = DLS_ROUND_LANES * total;
    total += count;
  }
  if (!take_round(rows, G, total, tmp)) return DLS_FULL;
  for (int k = 0; k < n; k++) fill_round(rows, blocks[k], place, G, at[colours[k]]++);
  for (int c = 0; c < n_colours; c++)
    while (at[c] % DLS_ROUND_LANES != 0) leave_lane(G, at[c]++);
  read_velocities(rows, G);
  const float share = usefulness(G) <= STALE ? 0.5F : 1;
  G->lanes->measure(total, G->group, share, G->p);
  for (int i = 0; i < G->n_u; i++) G->u_old[i] = G->u[i] = G->u[i] + share * G->u_old[i];
  memcpy(G->p_old, G->p, DLS_ROUND_PARTS * DLS_ROUND_LANES * (size_t)total * sizeof(float));
  return DLS_OK;
}

/* Impulses back to the rows, cut to their sets; velocities from them where they are wanted. */
static void ungroup_round(dls_rows *rows, const round_groups *G, bool push) {
  for (int k = 0; k < G->n_bodies; k++) {
    if (G->body[k] < 0) continue;
    const size_t at = (size_t)G->body[k] * NU;
    memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
  }
  for (int at = 0; at < DLS_ROUND_LANES * G->n; at++) {
    if (G->block[at] < 0) continue;
    const int l = at % DLS_ROUND_LANES, k = at / DLS_ROUND_LANES;
    const dls_block *block = &rows->block[G->block[at]];
    const float *p = G->p + DLS_ROUND_PARTS * DLS_ROUND_LANES * k + l;
    const double size = G->group[k].size[l], p_n = (double)p[0] / size;
    rows->p[block->row] = p_n;
    if (block->kind == DLS_ROW_CONE) {
      const double p_t = (double)p[DLS_ROUND_LANES] * (double)G->group[k].slope[l] / size;
      const double bound = block->mu[0] * p_n;
      rows->p[block->row + 1] = dls_clamp(p_t, -bound, bound);
    }
    if (push) push_block(rows, block);
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
  for (int i = 0, k = *first; i < G->n; i++, k = k + 1 < G->n ? k + 1 : 0) {
    const float *p = G->p + (size_t)(DLS_ROUND_PARTS * DLS_ROUND_LANES) * (size_t)k;
    if (G->lanes->residual(1, &G->group[k], p, G->u) <= limit * limit) continue;
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
  if (status != DLS_OK || G.n == 0) return status;
  const double noise = COARSE_NOISE * G.fastest;
  const double quiet = dls_max(QUIET * limit, noise);
  double beta = 0;
  int first = 0, last = LAST_FIRST;
  waiting left = {0};
  momentum rate = {.tail = G.n > DEEP ? LONG_DEEP : LONG, .haste = HASTE, .before = DLS_INF};
  if (!(noise < DLS_INF)) return DLS_OK;
  while (*done < most && !given_up(rows, G.n, 1)) {
    const dls_round_change c = G.lanes->sweep(G.n, G.n_near, G.group, (float)beta, G.p, G.p_old, G.u);
    dls_round_change_places(&G.p, &G.p_old);
    ++*done;
    if (!(c.ff < DLS_INF)) return DLS_OK;
    if (c.most <= quiet * quiet) {
      *near = round_holds(&G, limit, &first);
      if (*near || c.most <= noise * noise) break;
    }
    if (*done >= last && limit > noise) {
      int looks;
      if (!left.ring && !take_waiting(&G, tmp, &left)) return DLS_FULL;
      *near = settle_last(&G, limit, n, &left, &looks);
      if (*near || given_up(rows, looks, LAST_COST / DLS_ROUND_LANES)) break;
      last = *done + LAST_EVERY;
    }
    beta = next_beta(&rate, c);
    G.lanes->mix(G.n_u, (float)beta, G.u, G.u_old);
    dls_round_change_places(&G.u, &G.u_old);
  }
  ungroup_round(rows, &G, strict || !*near);
  return DLS_OK;
}
