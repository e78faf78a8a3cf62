/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Sweeps p -> g(p) (nonsmooth Gauss-Seidel), all in one direction, sped up in two ways that change no
** solution. First by momentum,
**
**     p <- g + beta (g - g before),  beta = (t - 1)/t', t' = (1 + sqrt(1 + 4 t^2))/2, at most HASTE,
**
** where t starts again at 1 when the sweeps turn against it; then by Anderson's mixing of depth one,
**
**     p <- g - theta (g - g before),   theta = f . df / df . df,   f = g - p,
**
** which would end the search on a line of solutions of linear equations; a step that made |f| longer is
** followed by one without. Velocities are affine in the impulses and are mixed with them; impulses
** outside of their sets are put right by the next sweep. A fifth of the sweeps remains.
** Sources: Y. Nesterov 1983; B. O'Donoghue & E. Candes, Adaptive restart for accelerated gradient
** schemes, Found. Comput. Math. 15 (2015); H. F. Walker & P. Ni, Anderson acceleration for fixed-point
** iterations, SIAM J. Numer. Anal. 49 (2011). */

typedef struct pace {
  int haste;   /* sweeps with momentum                */
  int done;    /* sweeps                              */
  double ff;   /* |f|^2 of the last one               */
  double best; /* the least so far, or since it blew  */
  double t;    /* of the momentum                     */
} pace;

/* Sweeps with momentum, in islands that are not tiny (there it leads away from the impulses at hand, where
** they are not unique); its most; a growth of |f|^2 over the least that ends it for now; the longest
** mixing: what rounding leaves between velocities and impulses grows by it. */
enum { MOMENTUM = 120, TINY = 12 };
static const double HASTE = 0.9, BLOWN = 4, STRIDE_MOST = 8;

/* theta of the next mixing; -beta while there is momentum. */
static double stride(pace *x, dls_sweep_change c) {
  const bool first = x->done++ == 0, gains = !first && c.ff <= x->ff && c.dd > 0;
  x->ff = c.ff;
  if (x->done > x->haste)
    return gains ? dls_clamp(c.fd / c.dd, -STRIDE_MOST, STRIDE_MOST) : 0;
  const bool blown = !first && c.ff > BLOWN * x->best;
  if (first || blown || c.turn > 0) x->t = 1;
  if (first || blown || c.ff < x->best) x->best = c.ff;
  const double next = 0.5 * (1 + sqrt(1 + 4 * x->t * x->t)), beta = (x->t - 1) / next;
  x->t = next;
  return -dls_min(beta, HASTE);
}

#if D == 2
static double sweep_groups(groups *G) {
  return G->lanes->fine.sweep(G->n, G->group, G->p, G->u);
}

static void mix_groups(groups *G, pace *x) {
  const dls_sweep_kernels *kernels = &G->lanes->fine;
  const int n = 2 * DLS_SWEEP_LANES * G->n;
  const double t = stride(x, kernels->change(n, G->p, G->was, G->p_old, G->f));
  kernels->mix(n, t, G->p, G->p_old, G->was);
  kernels->mix(G->n_u, t, G->u, G->u_old, NULL);
}

/* --- most sweeps, in single precision ------------------------------------------------------------ */

/* What rounding leaves of a velocity in sweeps, as a share of the largest. */
static const double COARSE_NOISE = 1e-5;

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = dls_max(most, fabs(x[i]));
  return most;
}

/* The groups in single precision. */
typedef struct single {
  dls_sweep_group32 *group;
  float *p, *was, *f, *p_old, *u, *u_old;
} single;

static void to_single(int n, const double *x, float *out) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i];
}

static dls_status make_single(const groups *G, dls_arena *tmp, single *x) {
  const int n = 2 * DLS_SWEEP_LANES * G->n;
  dls_sweep_group32 *out = x->group = DLS_TAKE(tmp, dls_sweep_group32, G->n);
  x->p = DLS_TAKE(tmp, float, 4 * n + 2 * G->n_u);
  if (!x->group || !x->p) return DLS_FULL;
  x->was = x->p + n;
  x->f = x->was + n;
  x->p_old = x->f + n;
  x->u = x->p_old + n;
  x->u_old = x->u + G->n_u;
  for (int k = 0; k < G->n; k++, out++) {
    const dls_sweep_group *g = &G->group[k];
#define X(name) to_single(DLS_SWEEP_LANES, g->name, out->name);
    DLS_SWEEP_FIELDS(X)
#undef X
    memcpy(out->i, g->i, sizeof g->i);
    memcpy(out->j, g->j, sizeof g->j);
  }
  return DLS_OK;
}

/* Takes the impulses over, if they are numbers. */
static void from_single(const dls_rows *rows, groups *G, const float *p) {
  const int n = 2 * DLS_SWEEP_LANES * G->n;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += p[i] - p[i];
  if (sum != 0) return;
  for (int i = 0; i < n; i++) G->p[i] = (double)p[i];
  push_groups(rows, G);
}

/* Sweeps until no visit changes its own velocity by more than `quiet`, most - *done at most. */
static void sweep_coarsely(const dls_rows *rows, groups *G, single *x, double quiet, int most,
                           int *done) {
  const dls_sweep_kernels32 *kernels = &G->lanes->coarse;
  const int n = 2 * DLS_SWEEP_LANES * G->n;
  to_single(n, G->p, x->p);
  memcpy(x->was, x->p, (size_t)n * sizeof *x->p);
  memcpy(x->p_old, x->p, (size_t)n * sizeof *x->p);
  memset(x->f, 0, (size_t)n * sizeof *x->f);
  to_single(G->n_u, G->u, x->u);
  memcpy(x->u_old, x->u, (size_t)G->n_u * sizeof *x->u);
  pace rate = {.haste = MOMENTUM};
  while (*done < most && !dls_given_up(rows, G->n, 1)) {
    const double change = kernels->sweep(G->n, x->group, x->p, x->u);
    ++*done;
    if (change <= quiet) break;
    const float t = (float)stride(&rate, kernels->change(n, x->p, x->was, x->p_old, x->f));
    kernels->mix(n, t, x->p, x->p_old, x->was);
    kernels->mix(G->n_u, t, x->u, x->u_old, NULL);
  }
  from_single(rows, G, x->p);
}
#endif

/* An island's impulses and velocities one after the other, for mixing. */
typedef struct loose {
  const dls_sweep_lanes *lanes;
  int n_p, n_u;                /* numbers: multiples of 8          */
  int n_bodies, *body;         /* those that move                  */
  double *p, *was, *f, *p_old; /* n_p each                         */
  double *u, *u_old;           /* n_u each                         */
} loose;

static size_t loose_bytes(int n_bodies, int n_rows) {
  size_t total = dls_arena_bytes(2 * (size_t)n_bodies, sizeof(int));
  total = dls_bytes_add(total, dls_arena_bytes(4 * (size_t)(n_rows + 8), sizeof(double)));
  return dls_bytes_add(total, dls_arena_bytes(2 * NU * (size_t)(n_bodies + 8), sizeof(double)));
}

static dls_status loosen(dls_rows *rows, const int *blocks, int n, dls_arena *tmp, loose *x) {
  int n_rows = 0;
  for (int k = 0; k < n; k++) n_rows += rows->block[blocks[k]].n;
  rows->need = loose_bytes(rows->n_bodies, n_rows);
  int *place = DLS_TAKE(tmp, int, rows->n_bodies);
  *x = (loose){.lanes = dls_sweep_lanes_best(), .n_p = (n_rows + 7) & ~7,
               .body = DLS_TAKE(tmp, int, rows->n_bodies)};
  if (!place || !x->body) return DLS_FULL;
  x->n_bodies = dls_number_bodies(rows, blocks, n, place, x->body);
  x->n_u = (NU * x->n_bodies + 7) & ~7;
  x->p = DLS_TAKE(tmp, double, 4 * (size_t)x->n_p);
  x->u = DLS_TAKE(tmp, double, 2 * (size_t)x->n_u);
  if (!x->p || !x->u) return DLS_FULL;
  memset(x->p, 0, 4 * (size_t)x->n_p * sizeof(double));
  memset(x->u, 0, 2 * (size_t)x->n_u * sizeof(double));
  x->was = x->p + x->n_p;
  x->f = x->was + x->n_p;
  x->p_old = x->f + x->n_p;
  x->u_old = x->u + x->n_u;
  return DLS_OK;
}

static void mix_loose(dls_rows *rows, const int *blocks, int n, loose *x, pace *rate) {
  dls_pack_impulses(rows, blocks, n, x->p);
  for (int k = 0; k < x->n_bodies; k++)
    memcpy(x->u + k * NU, rows->u + (size_t)x->body[k] * NU, NU * sizeof(double));
  const double t = stride(rate, x->lanes->fine.change(x->n_p, x->p, x->was, x->p_old, x->f));
  x->lanes->fine.mix(x->n_p, t, x->p, x->p_old, NULL);
  x->lanes->fine.mix(x->n_u, t, x->u, x->u_old, NULL);
  if (t == 0) return;
  dls_unpack_impulses(rows, blocks, n, x->p);
  for (int k = 0; k < x->n_bodies; k++)
    memcpy(rows->u + (size_t)x->body[k] * NU, x->u + k * NU, NU * sizeof(double));
}

/* Velocities from the impulses at hand. */
static void push_loose(dls_rows *rows, const int *blocks, int n, const loose *x) {
  for (int k = 0; k < x->n_bodies; k++) {
    const size_t at = (size_t)x->body[k] * NU;
    memcpy(rows->u + at, rows->u_free + at, NU * sizeof(double));
  }
  for (int k = 0; k < n; k++) dls_push_block(rows, &rows->block[blocks[k]]);
}

static double sweep_loose(dls_rows *rows, const int *blocks, int n, loose *x) {
  double most = 0;
  dls_pack_impulses(rows, blocks, n, x->was);
  for (int k = 0; k < n; k++) most = dls_max(most, dls_sweep_block(rows, &rows->block[blocks[k]]));
  return most;
}

/* Movement at which the residual is looked at, over the limit; what it becomes after each look. */
static const double QUIET = 1.4, QUIETER = 0.7;

#if D == 2
#include "core/rows/round.inl"

/* In single precision while that can tell; each time the sweeps are quiet, one in double, judged. */
static dls_status sweep_grouped(dls_rows *rows, const int *blocks, int n, groups *G, double limit,
                                bool coarse, int done, int max_iterations, dls_arena *tmp,
                                int *iterations, bool *converged) {
  const double noise = COARSE_NOISE * largest(G->n_u, G->u);
  coarse = coarse && G->mild && noise < DLS_INF;
  single x;
  if (coarse && make_single(G, tmp, &x) != DLS_OK) return DLS_FULL;
  pace rate = {.haste = MOMENTUM};
  double quiet = QUIET * limit;
  memcpy(G->was, G->p, 2 * DLS_SWEEP_LANES * (size_t)G->n * sizeof(double));
  for (;;) {
    if (coarse && rate.done == 0 && done + 1 < max_iterations) {
      sweep_coarsely(rows, G, &x, dls_max(quiet, noise), max_iterations - 1, &done);
      memcpy(G->was, G->p, 2 * DLS_SWEEP_LANES * (size_t)G->n * sizeof(double));
    }
    const double change = sweep_groups(G);
    const bool stopped = dls_given_up(rows, n, 1);
    done++;
    if (change <= 2 * quiet || done >= max_iterations || stopped) {
      push_groups(rows, G);
      ungroup(rows, G);
      *converged = dls_residual_holds(rows, blocks, n, limit);
      if (*converged || done >= max_iterations || stopped) {
        dls_note_iterations(done, iterations);
        return DLS_OK;
      }
      quiet *= QUIETER;
    }
    if (quiet < noise || !coarse) mix_groups(G, &rate);
  }
}
#else
#include "core/rows/relax3.inl"
#endif

/* Sweeps until the residual holds. It is judged only when the sweeps have become quiet: when no visit
** changed its own velocity by more than `quiet`. `round`: all_round. Unless `strict`, the answer may rest on a
** residual in single precision: solve() looks again. DLS_FULL where tmp has no room. */
static dls_status sweep_island(dls_rows *rows, const int *blocks, int n, double limit,
                               int max_iterations, bool round, bool strict, dls_arena *tmp,
                               int *iterations, bool *converged) {
  *converged = dls_residual_holds(rows, blocks, n, limit);
  if (*converged || max_iterations < 1) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  dls_status status;
  int first = 0;
#if D == 2
  bool near = false;
  status = DLS_OK;
  if (round) status = sweep_round(rows, blocks, n, limit, max_iterations, strict, tmp, &first, &near);
  dls_arena_release(tmp, mark);
  if (status != DLS_OK) return status;
  dls_note_iterations(first, iterations);
  *converged = near && (!strict || dls_residual_holds(rows, blocks, n, limit));
  if (*converged || first >= max_iterations) return DLS_OK;
#else
  (void)round;
#endif
  dls_write_out_blocks(rows, blocks, n);
  groups G;
  status = group(rows, blocks, n, tmp, &G);
  if (status == DLS_OK && G.n > 0) {
#if D == 2
    status = sweep_grouped(rows, blocks, n, &G, limit, first == 0, first, max_iterations, tmp,
                           iterations, converged);
#else
    status = sweep_grouped(rows, blocks, n, &G, limit, strict, first == 0, first, max_iterations, tmp,
                           iterations, converged);
#endif
    dls_arena_release(tmp, mark);
  }
  if (status != DLS_OK || G.n > 0) return status;
  loose x;
  status = loosen(rows, blocks, n, tmp, &x);
  if (status != DLS_OK) return status;
  pace rate = {.haste = n < TINY ? 0 : MOMENTUM};
  double quiet = 2 * QUIET * limit;
  int done = 1;
  for (;; done++) {
    const double change = sweep_loose(rows, blocks, n, &x);
    const bool stopped = dls_given_up(rows, n, 1);
    if (change <= quiet || done == max_iterations || stopped) {
      quiet *= QUIETER;
      push_loose(rows, blocks, n, &x);
      *converged = dls_residual_holds(rows, blocks, n, limit);
      if (*converged || done == max_iterations || stopped) break;
    }
    mix_loose(rows, blocks, n, &x, &rate);
  }
  dls_note_iterations(done, iterations);
  dls_arena_release(tmp, mark);
  return DLS_OK;
}
