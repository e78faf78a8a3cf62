/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* An island of rigid contacts of disks as groups of sixteen that share no moving body (rows/round.h),
** swept with momentum. */

/* Sweeps after which momentum is looked at; from LONG on it starts again each FRESH. */
enum { WATCH = 20, LONG = 140, FRESH = 60 };

/* Momentum keeps contacts at the edge of sliding or opening in motion: where the sweeps of a watch change
** impulses (squared) by more than SLACK of the watch before, it is lowered to this share of its bound. What that
** does not end (large beds: slow modes of some ten bodies, in a few places) gets a higher bound. */
static const double SLACK = 0.7, CALMER = 0.9, LONG_HASTE = 0.95;

/* Impulses of the last step are halved where at most this share of them is of use (usefulness). */
static const double STALE = 0.5;

/* What a normal impulse may turn, as a share of W_nn: nothing that single precision would see. */
static const double OFF_CENTRE = 1e-14;

typedef struct round_groups {
  const dls_round_lanes *lanes;
  int n;                  /* groups                                                    */
  dls_round_group *group; /* n                                                         */
  int *block;             /* 16 n: whose contact a lane holds, -1: nobody's            */
  float *p;               /* 64 n                                                      */
  int n_bodies, n_u;      /* bodies, and numbers of U: a multiple of 16                */
  int *body;              /* n_bodies: the world's number of each                     */
  double *root;           /* 2 n_bodies + 2: m^(-1/2) and J^(-1/2), 0 at the end       */
  float *u, *u_old;       /* n_u                                                       */
  double slope, bend;     /* p . (J u_free + s) and p . W p at the start               */
} round_groups;

static size_t round_bytes(int n_blocks, int n_bodies) {
  const size_t n = (size_t)n_blocks, g = n / DLS_ROUND_LANES + COLOURS;
  size_t total = dls_arena_bytes((size_t)n_bodies, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(2 * n, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(2 * n, sizeof(uint64_t)));
  total = dls_bytes_add(total, dls_arena_bytes(4 * n + 2, sizeof(double)));
  total = dls_bytes_add(total, dls_arena_bytes(n, sizeof(unsigned char)));
  total = dls_bytes_add(total, dls_arena_bytes(g, sizeof(dls_round_group)));
  total = dls_bytes_add(total, dls_arena_bytes(DLS_ROUND_LANES * g, sizeof(int)));
  total = dls_bytes_add(total, dls_arena_bytes(4 * DLS_ROUND_LANES * g, sizeof(float)));
  return dls_bytes_add(total, dls_arena_bytes(2 * (8 * n + 32), sizeof(float)));
}

/* Whether a normal impulse turns nothing, as far as single precision can tell. */
static bool is_central(const dls_rows *rows, const dls_block *block, const double *J, double w) {
  const double j_a = rows->inv_inertia[block->a], j_b = rows->inv_inertia[block->b];
  return J[2] * J[2] * j_a + J[5] * J[5] * j_b <= OFF_CENTRE * w;
}

static bool in_range(double x) { return x >= COARSE_LEAST && x <= COARSE_MOST; }

static bool is_round_contact(const dls_rows *rows, const dls_block *block) {
  const int row = block->row;
  const double *J = rows->J + (size_t)row * 2 * NU, *W = rows->W + (size_t)row * NB;
  if (block->kind != DLS_ROW_CONE && block->kind != DLS_ROW_UNILATERAL) return false;
  if (J[0] != -J[3] || J[1] != -J[4] || rows->gamma[row] != 0 || !in_range(W[0])) return false;
  if (!is_central(rows, block, J, W[0])) return false;
  return block->kind == DLS_ROW_UNILATERAL || (rows->gamma[row + 1] == 0 && in_range(W[NB + 1]));
}

static bool all_round(const dls_rows *rows, const int *blocks, int n) {
  for (int k = 0; k < n; k++)
    if (!is_round_contact(rows, &rows->block[blocks[k]])) return false;
  return n >= GROUPED;
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

static void fill_round(const dls_rows *rows, int number, const int *place, round_groups *G, int at) {
  const dls_block *block = &rows->block[number];
  const int l = at % DLS_ROUND_LANES, k = at / DLS_ROUND_LANES, row = block->row;
  const int a = block->a, b = block->b;
  dls_round_group *g = &G->group[k];
  const double *J = rows->J + (size_t)row * 2 * NU, *W = rows->W + (size_t)row * NB;
  const bool cone = block->kind == DLS_ROW_CONE;
  const double w_n = W[0], w_t = cone ? W[NB + 1] : w_n;
  const double size = sqrt(w_n), size_t_ = sqrt(w_t), by_n = 1 / size, by_t = 1 / size_t_;
  const int i = place[a] < 0 ? G->n_bodies : place[a], j = place[b] < 0 ? G->n_bodies : place[b];
  const double *root_a = G->root + 2 * i, *root_b = G->root + 2 * j;
  const bool fixed = !(root_a[0] > 0 && root_b[0] > 0 && root_a[1] > 0 && root_b[1] > 0);
  const double *u_a = rows->u + (size_t)a * NU, *u_b = rows->u + (size_t)b * NU;
  const double *f_a = rows->u_free + (size_t)a * NU, *f_b = rows->u_free + (size_t)b * NU;
  float *p = G->p + 4 * DLS_ROUND_LANES * k + l;
  const double p_n = rows->p[row];
  const double free_n = row_velocity(J, f_a, f_b);
  G->slope += p_n * (free_n + rows->s[row]);
  G->bend += p_n * (row_velocity(J, u_a, u_b) - free_n);
  g->nx[l] = (float)J[3];
  g->ny[l] = (float)J[4];
  g->wa[l] = (float)(root_a[0] * by_n);
  g->wb[l] = (float)(root_b[0] * by_n);
  g->size[l] = (float)size;
  g->w[l] = (float)w_n;
  g->s_n[l] = (float)((rows->s[row] + (fixed ? given_speed(rows, row, a, b) : 0)) * by_n);
  g->reach[l] = (float)(cone ? sqrt(w_n * w_n + w_t * w_t) * by_n : size);
  p[0] = (float)(p_n * size);
  const double slope = size * by_t;
  g->slope[l] = (float)slope;
  g->tx[l] = (float)(J[3] * slope);
  g->ty[l] = (float)(J[4] * slope);
  if (cone) {
    const double *T = J + 2 * NU, p_t = rows->p[row + 1], free_t = row_velocity(T, f_a, f_b);
    G->slope += p_t * (free_t + rows->s[row + 1]);
    G->bend += p_t * (row_velocity(T, u_a, u_b) - free_t);
    g->ta[l] = (float)(T[2] * root_a[1] * by_t);
    g->tb[l] = (float)(T[5] * root_b[1] * by_t);
    g->s_t[l] = (float)((rows->s[row + 1] + (fixed ? given_speed(rows, row + 1, a, b) : 0)) * by_t);
    g->mu[l] = (float)(block->mu[0] * size_t_ * by_n);
    p[DLS_ROUND_LANES] = (float)(p_t * size_t_);
  }
  g->i[l] = DLS_ROUND_BODY * i;
  g->j[l] = DLS_ROUND_BODY * j;
  G->block[at] = number;
}

/* Room of n groups, each lane apart from everything. */
static bool take_round(round_groups *G, int n, dls_arena *tmp) {
  const size_t lanes = DLS_ROUND_LANES * (size_t)n;
  G->n = n;
  G->n_u = (DLS_ROUND_BODY * (G->n_bodies + 1) + 15) & ~15;
  G->group = DLS_TAKE(tmp, dls_round_group, n);
  G->block = DLS_TAKE(tmp, int, lanes);
  G->p = DLS_TAKE(tmp, float, 4 * lanes);
  G->u = DLS_TAKE(tmp, float, 2 * G->n_u);
  if (!G->group || !G->block || !G->p || !G->u) return false;
  G->u_old = G->u + G->n_u;
  memset(G->group, 0, (size_t)n * sizeof *G->group);
  memset(G->p, 0, 4 * lanes * sizeof(float));
  for (int k = 0; k < n; k++)
    for (int l = 0; l < DLS_ROUND_LANES; l++) {
      dls_round_group *g = &G->group[k];
      g->s_n[l] = g->size[l] = g->slope[l] = g->reach[l] = 1;
      g->i[l] = g->j[l] = DLS_ROUND_BODY * G->n_bodies;
      G->block[DLS_ROUND_LANES * k + l] = -1;
    }
  return true;
}

static bool take_roots(const dls_rows *rows, round_groups *G, dls_arena *tmp) {
  G->root = DLS_TAKE(tmp, double, 2 * G->n_bodies + 2);
  if (!G->root) return false;
  for (int k = 0; k < G->n_bodies; k++) {
    G->root[2 * k] = sqrt(rows->inv_mass[G->body[k]]);
    G->root[2 * k + 1] = sqrt(rows->inv_inertia[G->body[k]]);
  }
  G->root[2 * G->n_bodies] = G->root[2 * G->n_bodies + 1] = 0;
  return true;
}

/* U of the velocities at hand, of impulses of which a share is taken. */
static void read_velocities(const dls_rows *rows, round_groups *G, double share) {
  memset(G->u, 0, (size_t)G->n_u * sizeof(float));
  for (int k = 0; k < G->n_bodies; k++) {
    const size_t at = (size_t)G->body[k] * NU;
    const double *u = rows->u + at, *free = rows->u_free + at, *root = G->root + 2 * k;
    const double by[NU] = {1 / root[0], 1 / root[0], root[1] > 0 ? 1 / root[1] : 0};
    for (int i = 0; i < NU; i++)
      G->u[DLS_ROUND_BODY * k + i] = (float)((free[i] + share * (u[i] - free[i])) * by[i]);
  }
  memcpy(G->u_old, G->u, (size_t)G->n_u * sizeof(float));
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
  G->body = DLS_TAKE(tmp, int, 2 * n);
  uint64_t *taken = DLS_TAKE(tmp, uint64_t, 2 * n);
  unsigned char *colours = DLS_TAKE(tmp, unsigned char, n);
  if (!place || !G->body || !taken || !colours) return DLS_FULL;
  G->n_bodies = number_bodies(rows, blocks, n, place, G->body);
  memset(taken, 0, (size_t)G->n_bodies * sizeof *taken);
  int at[COLOURS + 1], total = 0;
  const int n_colours = colour(rows, blocks, n, place, taken, colours, at);
  if (n_colours > COLOURS) return DLS_OK;
  for (int c = 0; c < n_colours; c++) {
    const int count = (at[c] + DLS_ROUND_LANES - 1) / DLS_ROUND_LANES;
    at[c] = DLS_ROUND_LANES * total;
    total += count;
  }
  if (!take_round(G, total, tmp) || !take_roots(rows, G, tmp)) return DLS_FULL;
  for (int k = 0; k < n; k++) fill_round(rows, blocks[k], place, G, at[colours[k]]++);
  const double share = usefulness(G) <= STALE ? 0.5 : 1;
  for (int i = 0; share != 1 && i < 4 * DLS_ROUND_LANES * total; i++) G->p[i] *= (float)share;
  read_velocities(rows, G, share);
  return DLS_OK;
}

/* Impulses back to the rows, cut to their sets; velocities from them where they are wanted. */
static void ungroup_round(dls_rows *rows, const round_groups *G, bool push) {
  for (int k = 0; k < G->n_bodies; k++) {
    const size_t at = (size_t)G->body[k] * NU;
    memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
  }
  for (int at = 0; at < DLS_ROUND_LANES * G->n; at++) {
    if (G->block[at] < 0) continue;
    const int l = at % DLS_ROUND_LANES, k = at / DLS_ROUND_LANES;
    const dls_block *block = &rows->block[G->block[at]];
    const float *p = G->p + 4 * DLS_ROUND_LANES * k + l;
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
  double t, haste;      /* Nesterov's t; the bound                           */
  double best;          /* least |f|^2 since it blew up last                 */
  double sum, before;   /* |f|^2 summed over this watch, and over the last   */
} momentum;

/* beta of the next sweep. */
static double next_beta(momentum *x, dls_round_change c) {
  const bool first = x->done++ == 0, blown = !first && c.ff > BLOWN * x->best;
  const bool fresh = x->done > LONG && x->done % FRESH == 0;
  if (first || blown || fresh || c.turn > 0) x->t = 1;
  if (first || blown || c.ff < x->best) x->best = c.ff;
  x->sum += c.ff;
  if (x->done % WATCH == 0) {
    if (x->done < LONG && x->sum > SLACK * x->before) x->haste *= CALMER;
    x->before = x->sum;
    x->sum = 0;
  }
  if (x->done == LONG) x->haste = LONG_HASTE;
  const double next = 0.5 * (1 + sqrt(1 + 4 * x->t * x->t)), beta = (x->t - 1) / next;
  x->t = next;
  return dls_min(beta, x->haste);
}

/* The largest number among the velocities of the island's bodies. */
static double fastest_of(const dls_rows *rows, const round_groups *G) {
  double most = 0;
  for (int k = 0; k < G->n_bodies; k++)
    for (int i = 0; i < NU; i++) {
      const double u = fabs(rows->u[(size_t)G->body[k] * NU + i]);
      if (!(u <= most)) most = u;
    }
  return most;
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
  const double noise = COARSE_NOISE * fastest_of(rows, &G);
  double quiet = QUIET * limit, beta = 0;
  momentum rate = {.haste = HASTE, .before = DLS_INF};
  if (!(noise < DLS_INF)) return DLS_OK;
  while (*done < most && !given_up(rows, G.n, 1)) {
    const dls_round_change c = G.lanes->sweep(G.n, G.group, (float)beta, G.p, G.u);
    ++*done;
    if (!(c.ff < DLS_INF)) return DLS_OK;
    if (c.most <= dls_max(quiet, noise) * dls_max(quiet, noise)) {
      *near = G.lanes->residual(G.n, G.group, G.p, G.u) <= limit * limit;
      if (*near || c.most <= noise * noise) break;
      quiet *= QUIETER;
    }
    beta = next_beta(&rate, c);
    G.lanes->mix(G.n_u, (float)beta, G.u, G.u_old);
  }
  ungroup_round(rows, &G, strict || !*near);
  return DLS_OK;
}
