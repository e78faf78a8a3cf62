/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* What ends an island that sweeps leave too far from its solution. First proximal steps: Newton's
** with a large damping, whole, each followed by sweeps that set right what opened or slid; they never
** stray, but come closer only slowly. Then Newton's steps while they help, sweeps from where they got
** stuck, in turn. The best impulses are kept; what is then still too far goes to lcp/cone.h as a sparse problem
** (sparse_island.inl), slower and more steadfast. */

/* Damping of proximal steps; steps, at most in all and without a gain of GAIN; sweeps after each. */
static const double PROXIMAL = 1e-2, GAIN = 0.9;
enum { PROXIMAL_STEPS = 60, PROXIMAL_IDLE = 20, PROXIMAL_SWEEPS = 2 };

enum {
  NEWTON_STEPS = 120, /* most, an island                                        */
  HALVINGS = 8,       /* of a step                                              */
  NEWTON_VISITS = 20, /* that a step costs as many as, at the least             */
  STUCK_SWEEPS = 20,  /* after the first step that did not help; then doubled   */
  MOST_SWEEPS = 320,  /* but not beyond this                                    */
  NEWTON_LOOKS = 4,   /* sweeps that a step's looks at all blocks cost           */
  SPARSE_LEAST = 20   /* blocks of the islands that go to lcp/cone.h            */
};

/* Of the work that is left; the rest is for who comes after. */
static const double NEWTON_SHARE = 0.35;

/* Damping: this share of the residual, between these; raised tenfold after a step that did not
** help, lowered after one that gained a factor of 100. */
static const double DAMP = 1e-4, DAMP_LEAST = 1e-10, DAMP_MOST = 1;

/* rho |W|: the first, and what follows after steps that did not help. */
static const double TIMES[] = {10, 100, 1, 1000};

static dls_status take_newton(dls_rows *rows, const int *blocks, int n, dls_arena *tmp,
                              newton *N) {
  dls_status status = weave(rows, blocks, n, tmp, &N->web);
  if (status != DLS_OK) return status;
  size_t m = (size_t)n, b = (size_t)N->web.n * NU;
  N->law = DLS_TAKE(tmp, linear, m);
  N->dp = DLS_TAKE(tmp, double, m * NB);
  N->dv = DLS_TAKE(tmp, double, m * NB);
  N->best = DLS_TAKE(tmp, double, m * NB);
  N->raw = DLS_TAKE(tmp, double, m * NB);
  N->y = DLS_TAKE(tmp, double, (size_t)N->web.n * ROW);
  N->du = DLS_TAKE(tmp, double, b);
  if (!N->du || !N->y || !N->raw || !N->best || !N->dv || !N->dp || !N->law) return DLS_FULL;
  for (int k = 0; k < n; k++) N->law[k].norm = dls_block_norm(rows, &rows->block[blocks[k]]);
  return DLS_OK;
}

static dls_status smooth(dls_rows *rows, const int *blocks, int n, int count, dls_arena *tmp) {
#if D == 2
  size_t mark = dls_arena_mark(tmp);
  packed *fast = DLS_TAKE(tmp, packed, n);
  rows->need = tmp->size + dls_arena_bytes((size_t)n, sizeof(packed));
  if (!fast) return DLS_FULL;
  pack(rows, blocks, n, fast);
  for (int i = 0; i < count; i++) (void)sweep_packed(rows, fast, n, (i & 1) != 0);
  unpack(rows, fast, n);
  dls_arena_release(tmp, mark);
#else
  (void)tmp;
  for (int i = 0; i < count; i++) (void)sweep(rows, blocks, n, (i & 1) != 0);
#endif
  return DLS_OK;
}

/* Residual of the impulses at hand, cut to their sets; the best are kept. */
static double note(dls_rows *rows, const int *blocks, int n, newton *N, double best) {
  admit_all(rows, blocks, n);
  dls_push_island(rows, blocks, n, N->web.body, N->web.n);
  double r = dls_rows_residual_of(rows, blocks, n);
  if (!(r < best)) return best;
  exchange(rows, blocks, n, N->best, false);
  return r;
}

/* One step, cut until it lowers the merit; answers the factor by which it did, 1: not at all. */
static double advance_newton(dls_rows *rows, const int *blocks, int n, newton *N) {
  double first = merit(rows, blocks, n, 0, N), t = 1;
  newton_step(rows, blocks, n, N);
  for (int k = 0; k <= HALVINGS; k++, t /= 2) {
    double now = merit(rows, blocks, n, t, N);
    if (!(now <= (1 - 1e-3 * t) * first)) continue;
    go(rows, blocks, n, t, N);
    return now / first;
  }
  return 1;
}

/* Answers how many steps; *best goes down. */
static dls_status approach_newton(dls_rows *rows, const int *blocks, int n, double limit, int steps,
                                  dls_arena *tmp, newton *N, double *best, int *done) {
  double goal = GAIN * *best;
  N->damp = PROXIMAL;
  N->times = 1;
  for (int idle = 0; *done < steps && *done < PROXIMAL_STEPS && idle < PROXIMAL_IDLE && !(*best <= limit) && !given_up(rows, n, NEWTON_VISITS);) {
    newton_step(rows, blocks, n, N);
    go(rows, blocks, n, 1, N);
    *best = note(rows, blocks, n, N, *best);
    ++*done;
    if (*best <= limit) break;
    dls_status status = smooth(rows, blocks, n, PROXIMAL_SWEEPS, tmp);
    if (status != DLS_OK) return status;
    *best = note(rows, blocks, n, N, *best);
    idle++;
    if (*best <= goal) goal = GAIN * *best, idle = 0;
  }
  exchange(rows, blocks, n, N->best, true);
  dls_push_island(rows, blocks, n, N->web.body, N->web.n);
  return DLS_OK;
}

static dls_status newton_island(dls_rows *rows, const int *blocks, int n, double limit,
                                double scale, dls_budget *budget, dls_arena *tmp, int *iterations,
                                bool *converged) {
  size_t mark = dls_arena_mark(tmp);
  newton N;
  dls_status status = take_newton(rows, blocks, n, tmp, &N);
  if (status != DLS_OK) return status;
  /* A step: the factor, and what looks at all blocks. */
  const double cost = dls_budget_sweeps(budget, web_cost(&N.web)) + NEWTON_LOOKS, share = NEWTON_SHARE * budget->left;
  const double spent = budget->spent;
  const int steps = dls_budget_times(budget, NEWTON_SHARE, cost, NEWTON_STEPS);
  double best = dls_rows_residual_of(rows, blocks, n), rise = 1;
  int sweeps = STUCK_SWEEPS, stuck = 0, done = 0;
  exchange(rows, blocks, n, N.best, false);
  if (scale > 0 && limit >= ROUGH * scale) {
    status = approach_newton(rows, blocks, n, limit, steps, tmp, &N, &best, &done);
    if (status != DLS_OK) return status;
    dls_budget_pay(budget, done * (cost + PROXIMAL_SWEEPS));
  }
  for (; done < steps && !(best <= limit) && !given_up(rows, n, NEWTON_VISITS); done++) {
    const double rest = share - (budget->spent - spent);
    if (rest < cost) break;
    dls_budget_pay(budget, cost);
    N.damp = dls_clamp(best / scale * DAMP * rise, DAMP_LEAST, DAMP_MOST);
    N.times = TIMES[stuck % (int)(sizeof TIMES / sizeof *TIMES)];
    double gain = advance_newton(rows, blocks, n, &N);
    exchange(rows, blocks, n, N.raw, false);
    best = note(rows, blocks, n, &N, best);
    if (gain < 1) {
      exchange(rows, blocks, n, N.raw, true);
      dls_push_island(rows, blocks, n, N.web.body, N.web.n);
      if (gain <= 1e-4) rise = dls_max(1e-3, rise / 10);
      continue;
    }
    rise = dls_min(rise * 10, 1e12);
    stuck++;
    if (sweeps > rest) sweeps = (int)rest;
    status = smooth(rows, blocks, n, sweeps, tmp);
    if (status != DLS_OK) return status;
    dls_budget_pay(budget, sweeps);
    sweeps = 2 * sweeps < MOST_SWEEPS ? 2 * sweeps : MOST_SWEEPS;
    best = note(rows, blocks, n, &N, best);
  }
  if (done > *iterations) *iterations = done;
  exchange(rows, blocks, n, N.best, true);
  dls_push_island(rows, blocks, n, N.web.body, N.web.n);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  if (*converged || !(scale > 0) || n < SPARSE_LEAST || n > SPARSE_BLOCKS) return DLS_OK;
  return solve_sparse(rows, blocks, n, limit, scale, budget, tmp, iterations, converged);
}
