/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Sweeps of spatial contacts in lanes (groups3.inl), sped up as relax.inl says: in single precision while that
** can tell; each time the sweeps are quiet, one in double, judged. */

/* Sweeps in single precision at a time: what they do not quieten goes on in double. */
enum { COARSE_SWEEPS = 1000 };
/* What rounding leaves of a velocity in sweeps, as a share of the largest. */
static const double COARSE_NOISE = 1e-5;

/* The groups in single precision, and how to mix them. */
typedef struct single {
  const dls_sweep_kernels32 *kernels;
  dls_space_group32 *group;
  float *p, *was, *f, *p_old, *u, *u_old;
} single;

static double largest(const dls_rows *rows, const groups *G) {
  double most = 0;
  for (int k = 0; k < G->n_bodies; k++)
    for (int i = 0; i < NU; i++) {
      const size_t at = (size_t)G->body[k] * NU + (size_t)i;
      most = dls_max(most, dls_max(fabs(rows->u_free[at]), fabs(rows->u[at])));
    }
  return most;
}

static void to_single(int n, const double *x, float *out) {
  for (int i = 0; i < n; i++) out[i] = (float)x[i];
}

static dls_status make_single(const groups *G, dls_arena *tmp, single *x) {
  const int n = G->n_p;
  dls_space_group32 *out = x->group = DLS_TAKE(tmp, dls_space_group32, G->n);
  x->kernels = &dls_sweep_lanes_best()->coarse;
  x->p = DLS_TAKE(tmp, float, 4 * n + 2 * G->n_u);
  if (!x->group || !x->p) return DLS_FULL;
  x->was = x->p + n;
  x->f = x->was + n;
  x->p_old = x->f + n;
  x->u = x->p_old + n;
  x->u_old = x->u + G->n_u;
  for (int k = 0; k < G->n; k++, out++) {
    const dls_space_group *g = &G->group[k];
#define X(name) to_single(DLS_SWEEP_LANES, g->name, out->name);
    DLS_SPACE_FIELDS(X)
#undef X
    memcpy(out->i, g->i, sizeof g->i);
    memcpy(out->j, g->j, sizeof g->j);
    out->run = g->run;
  }
  return DLS_OK;
}

/* Takes the impulses over, if they are numbers. */
static void from_single(const dls_rows *rows, groups *G, const float *p) {
  const int n = G->n_p;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += p[i] - p[i];
  if (sum != 0) return;
  for (int i = 0; i < n; i++) G->p[i] = (double)p[i];
  push_groups(rows, G);
}

/* Sweeps until no visit changes its own velocity by more than `quiet`, most - *done at most; whether
** they came to that. */
static bool sweep_coarsely(const dls_rows *rows, groups *G, single *x, double quiet, int most, int *done) {
  const int n = G->n_p;
  to_single(n, G->p, x->p);
  memcpy(x->was, x->p, (size_t)n * sizeof *x->p);
  memcpy(x->p_old, x->p, (size_t)n * sizeof *x->p);
  memset(x->f, 0, (size_t)n * sizeof *x->f);
  to_single(G->n_u, G->u, x->u);
  memcpy(x->u_old, x->u, (size_t)G->n_u * sizeof *x->u);
  pace rate = {.haste = MOMENTUM};
  bool calm = false;
  if (most > *done + COARSE_SWEEPS) most = *done + COARSE_SWEEPS;
  while (*done < most && !given_up(rows, G->n, 1)) {
    const double change = G->lanes->coarse(G->n, x->group, x->p, x->u);
    calm = dls_max(change, visit_others_coarsely(rows, G, x->p, x->u)) <= quiet;
    ++*done;
    if (calm) break;
    const float t = (float)stride(&rate, x->kernels->change(n, x->p, x->was, x->p_old, x->f));
    x->kernels->mix(n, t, x->p, x->p_old, x->was);
    x->kernels->mix(G->n_u, t, x->u, x->u_old, NULL);
  }
  from_single(rows, G, x->p);
  return calm;
}

static void mix_groups(groups *G, const dls_sweep_kernels *kernels, pace *x) {
  const int n = G->n_p;
  const double t = stride(x, kernels->change(n, G->p, G->was, G->p_old, G->f));
  kernels->mix(n, t, G->p, G->p_old, G->was);
  kernels->mix(G->n_u, t, G->u, G->u_old, NULL);
}

static dls_status sweep_grouped(dls_rows *rows, const int *blocks, int n, groups *G, double limit,
                                bool coarse, int done, int max_iterations, dls_arena *tmp,
                                int *iterations, bool *converged) {
  const dls_sweep_kernels *kernels = &dls_sweep_lanes_best()->fine;
  const size_t numbers = (size_t)G->n_p * sizeof(double);
  const double noise = COARSE_NOISE * largest(rows, G);
  single x = {0};
  coarse = coarse && G->mild && noise < DLS_INF;
  if (coarse && make_single(G, tmp, &x) != DLS_OK) return DLS_FULL;
  pace rate = {.haste = MOMENTUM};
  double quiet = QUIET * limit;
  memcpy(G->was, G->p, numbers);
  for (;;) {
    if (coarse && rate.done == 0 && done + 1 < max_iterations) {
      coarse = sweep_coarsely(rows, G, &x, dls_max(quiet, noise), max_iterations - 1, &done);
      memcpy(G->was, G->p, numbers);
    }
    double change = G->lanes->fine(G->n, G->group, G->p, G->u);
    change = dls_max(change, visit_others(rows, G, G->p, G->u));
    const bool stopped = given_up(rows, n, 1);
    done++;
    if (change <= 2 * quiet || done >= max_iterations || stopped) {
      push_groups(rows, G);
      ungroup(rows, G);
      *converged = holds(rows, blocks, n, limit);
      if (*converged || done >= max_iterations || stopped) {
        note_iterations(done, iterations);
        return DLS_OK;
      }
      quiet *= QUIETER;
    }
    if (quiet < noise || !coarse) mix_groups(G, kernels, &rate);
  }
}
