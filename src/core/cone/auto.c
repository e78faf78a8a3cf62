/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/admm.h"
#include "core/cone/agree.h"
#include "core/cone/interior.h"
#include "core/cone/proximal.h"
#include "core/cone/smooth.h"

/* "auto": a few sweeps and proximal points; where these stall, the interior-point method from
** nothing, whose impulses lie amid the cones, and proximal points from there, then from the best
** for long. Newton with its own sweeps; where it stalls, the interior-point method from the best
** impulses, then Newton on the smoothed law, fast and with care, then the interior-point method
** from nothing (each solves what the other does not); where that does not end it, alternating
** directions and sweeps in turn carry the impulses on, each time for longer, and Newton finishes
** from there. */
#define ROUNDS 6
#define NEWTON_STEPS 3000
#define FIRST_STEPS 150
#define FIRST_PATIENCE 3
#define PATIENCE 12
static const struct { double fall; int steps; } SMOOTH[] = {{0.3, 30}, {0.3, 100}, {0.7, 200}};
/* Of the interior-point method: steps at most, its lift of impulses that sweeps brought, of none;
** the gain that is worth Newton's steps. */
#define INTERIOR 200
#define LIFT_BEST 0.1
#define LIFT_NOTHING 1.0
#define GAIN 0.5
/* Sweeps in lanes come first: a factor costs as much as ten of them, from LARGE groups on a
** hundred, and Newton's steps are fewer then. */
#define MEDIUM 100
#define FIRST_SWEEPS 150
#define LARGE 400
#define LARGE_SWEEPS 2000
#define LARGE_STEPS 150
/* Below LARGE groups: sweeps, and factors of proximal points, before any other method; of those
** behind which contacts agree (2 to 8 are the same, with 40 ragdolls take twice the factors), and
** of those that are made with what they agree on (1 in 100 to 300 problems is not solved by then;
** other numbers: not tried). */
#define FEW_SWEEPS 5
#define PROXIMAL 300
#define AGREED 4
#define TRIED 100
#define CENTRED 60
#define PROXIMAL_CENTRED 100
#define PROXIMAL_LONG 600
#define SWEEPS 250
#define DIRECTIONS 500

/* Multiplications that factors may cost in all, counting a step a factor: a problem that resists
** ends within seconds. */
#define WORK 1e10

/* Multiplications of a sweep, beside one a number of W: of each group's own law. Sweeps that a step
** of alternating directions costs, two solves with the factor. */
#define LAW 60
#define DIRECTION 4

typedef struct state {
  dls_cone_system sys;         /* the problem, made unit */
  dls_cone_newton_work newton; /* factor, sweeps and scratch of its steps */
  double *z, *u, *best, *work; /* n, n, n, 7 n */
  double *agreed;              /* n: the shift; NULL: it stays   */
  double *was;                 /* 2 n: c and the shift before contacts agreed */
  double tolerance, least;     /* least: the residual of best */
  int limit;                   /* of all iterations           */
  double left;                 /* multiplications              */
  double sweep;                /* of a sweep                   */
  dls_cone_report *report;     /* of the caller */
  dls_arena *room;             /* of the interior-point method */
} state;

static dls_status take(const dls_cone_problem *pr, dls_arena *tmp, state *s) {
  dls_status status = dls_cone_system_build(pr, tmp, &s->sys, &s->report->fault);
  if (status != DLS_OK) return status;
  s->z = DLS_TAKE(tmp, double, pr->n_rows);
  s->u = DLS_TAKE(tmp, double, pr->n_rows);
  s->best = DLS_TAKE(tmp, double, pr->n_rows);
  s->work = dls_arena_take(tmp, (size_t)pr->n_rows, 7 * sizeof(double));
  s->was = dls_arena_take(tmp, (size_t)pr->n_rows, 2 * sizeof(double));
  if (!s->z || !s->u || !s->best || !s->work || !s->was) return DLS_FULL;
  return dls_cone_newton_take(&s->sys, tmp, dls_cone_interior_bytes(pr), &s->newton);
}

static void keep(state *s, double residual, const char *method) {
  if (!(residual < s->least)) return;
  s->least = residual;
  s->report->method = method;
  memcpy(s->best, s->z, (size_t)s->sys.n * sizeof(double));
}

/* Multiplications that the least step of any method costs, where the factor is planned. */
static double least_cost(const state *s) {
  return s->newton.planned ? dls_min(s->newton.factor.cost, s->sweep) : 0;
}

static bool ended(const state *s) {
  return s->least <= s->tolerance || s->report->iterations >= s->limit ||
         !(s->left > least_cost(s)) || dls_cone_stopped(&s->sys, 0);
}

/* How many of these steps may be made; what was made is then paid. */
static int afford(state *s, int steps) {
  const double cost = dls_cone_newton_factor(&s->sys, &s->newton)->cost;
  const int most = s->limit - s->report->iterations;
  if (steps > most) steps = most > 0 ? most : 0;
  return s->left < cost * steps ? (int)(s->left / cost) : steps;
}

static void pay(state *s, int before) {
  s->left = dls_max(0, s->left - s->newton.factor.cost * (s->report->iterations - before));
}

/* Sweeps are counted where the whole work is bounded from outside. */
static int afford_sweeps(const state *s, int sweeps, double each) {
  const double cost = each * s->sweep;
  const int most = s->limit - s->report->iterations;
  if (sweeps > most) sweeps = most > 0 ? most : 0;
  return s->left < cost * sweeps ? (int)(s->left / cost) : sweeps;
}

static void pay_sweeps(state *s, int before, double each) {
  s->left = dls_max(0, s->left - each * s->sweep * (s->report->iterations - before));
}

static void sweep(state *s, int sweeps, bool damped) {
  const int before = s->report->iterations;
  sweeps = afford_sweeps(s, sweeps, 1);
  if (damped)
    keep(s,
         dls_cone_sweeps_damped(&s->newton.sweeper, s->tolerance, sweeps, s->z, s->u,
                                &s->report->iterations),
         "nsgs");
  else
    keep(s,
         dls_cone_sweeps(&s->newton.sweeper, s->tolerance, sweeps, s->z, s->u,
                         &s->report->iterations),
         "nsgs");
  pay_sweeps(s, before, 1);
}

static void directions(state *s, int steps) {
  dls_cone_factor *factor = dls_cone_newton_factor(&s->sys, &s->newton);
  const int before = s->report->iterations;
  int factors = 0;
  if (s->left < factor->cost) return;
  steps = afford_sweeps(s, steps, DIRECTION);
  keep(s,
       dls_cone_admm_steps(&s->sys, factor, s->tolerance, steps, s->z, s->u, s->work,
                           &s->report->iterations, &factors),
       "admm");
  s->left = dls_max(0, s->left - factor->cost * factors);
  pay_sweeps(s, before, DIRECTION);
}

static void newton(state *s, int steps, int patience) {
  const int before = s->report->iterations;
  steps = afford(s, steps);
  keep(s, dls_cone_newton_steps(&s->sys, &s->newton, s->tolerance, steps, patience, s->z, s->u,
                                &s->report->iterations, &s->report->fallback), "newton");
  pay(s, before);
}

static void proximal(state *s, int steps, bool convex) {
  const int before = s->report->iterations;
  keep(s,
       dls_cone_proximal_steps(&s->sys, &s->newton, s->tolerance, DLS_CONE_NEAR, afford(s, steps),
                               convex, s->z, s->u, &s->report->iterations),
       "newton");
  pay(s, before);
}

/* From the best impulses, or from nothing; Newton's steps finish what it brought nearer. */
static void interior(state *s, bool from_best) {
  const size_t bytes = (size_t)s->sys.n * sizeof(double);
  const int before = s->report->iterations;
  const double least = s->least;
  if (from_best) memcpy(s->z, s->best, bytes);
  else memset(s->z, 0, bytes);
  keep(s,
       dls_cone_interior_steps(&s->sys, &s->newton, s->room, from_best ? LIFT_BEST : LIFT_NOTHING,
                               s->tolerance, afford(s, INTERIOR), s->z, s->u,
                               &s->report->iterations),
       "newton");
  pay(s, before);
  if (!ended(s) && s->least < GAIN * least) newton(s, FIRST_STEPS, FIRST_PATIENCE);
}

static bool is_spatial(const dls_cone_system *sys) {
  for (int g = 0; g < sys->n_groups; g++)
    if (sys->groups[g].kind == DLS_CONE_SPATIAL) return true;
  return false;
}

/* The residual of the best impulses, of another problem now. */
static void measure_best(state *s) {
  s->least = DLS_INF;
  memcpy(s->z, s->best, (size_t)s->sys.n * sizeof(double));
  dls_cone_system_image(&s->sys, s->z, true, s->u);
  keep(s, dls_cone_system_residual(&s->sys, s->z, s->u), s->report->method);
}

/* Shifts on which the contacts that press agree, with the best impulses. Whether they are
** others. */
static bool agree(state *s) {
  const int before = s->report->iterations;
  const size_t bytes = (size_t)s->sys.n * sizeof(double);
  const dls_cone_problem *pr = s->sys.problem;
  if (ended(s) || afford(s, 1) < 1) return false;
  memcpy(s->was, s->sys.c, bytes);
  memcpy(s->was + s->sys.n, s->agreed, bytes);
  memcpy(s->z, s->best, bytes);
  dls_cone_system_image(&s->sys, s->z, true, s->u);
  s->report->iterations += dls_cone_agree(&s->sys, &s->newton, s->z, s->u);
  for (int i = 0; i < s->sys.n; i++)
    s->agreed[i] += (s->sys.c[i] - s->was[i]) * s->sys.unit_v / (pr->length ? pr->length[i] : 1);
  measure_best(s);
  pay(s, before);
  return memcmp(s->was, s->sys.c, bytes) != 0;
}

/* Shifts as they were before contacts agreed. */
static void disagree(state *s) {
  const size_t bytes = (size_t)s->sys.n * sizeof(double);
  memcpy(s->sys.c, s->was, bytes);
  memcpy(s->agreed, s->was + s->sys.n, bytes);
  measure_best(s);
}

/* Proximal points from where sweeps ended; in space, below MEDIUM groups, from amid the cones, then
** from the best. */
static void points(state *s) {
  const size_t bytes = (size_t)s->sys.n * sizeof(double);
  if (s->agreed && !ended(s)) {
    proximal(s, AGREED, false);
    if (agree(s)) {
      proximal(s, TRIED, false);
      if (!ended(s)) disagree(s);
    }
  }
  if (!ended(s)) proximal(s, PROXIMAL, false);
  if (ended(s) || s->sys.n_groups >= MEDIUM || !is_spatial(&s->sys)) return;
  const int before = s->report->iterations;
  memset(s->z, 0, bytes);
  keep(s,
       dls_cone_interior_steps(&s->sys, &s->newton, s->room, LIFT_NOTHING, s->tolerance,
                               afford(s, CENTRED), s->z, s->u, &s->report->iterations),
       "newton");
  pay(s, before);
  if (!ended(s)) proximal(s, PROXIMAL_CENTRED, true);
  memcpy(s->z, s->best, bytes);
  if (!ended(s)) proximal(s, PROXIMAL_LONG, true);
}

static void smoothed(state *s, size_t from, size_t to) {
  for (size_t k = from; k < to && !ended(s); k++) {
    memcpy(s->z, s->best, (size_t)s->sys.n * sizeof(double));
    const int before = s->report->iterations;
    keep(s,
         dls_cone_smooth_steps(&s->sys, &s->newton, s->tolerance, SMOOTH[k].fall,
                               afford(s, SMOOTH[k].steps), s->z, s->u, &s->report->iterations),
         "newton");
    pay(s, before);
  }
}

static void run(state *s) {
  size_t bytes = (size_t)s->sys.n * sizeof(double);
  int steps = s->sys.n_groups < LARGE ? NEWTON_STEPS : LARGE_STEPS;
  int sweeps = s->sys.n_groups >= LARGE    ? LARGE_SWEEPS
               : s->sys.n_groups >= MEDIUM ? FIRST_SWEEPS
                                           : 0;
  if (sweeps > 0) sweep(s, sweeps, false);
  if (ended(s)) return;
  if (s->sys.n_groups < LARGE) {
    sweep(s, FEW_SWEEPS, false);
    points(s);
    if (ended(s)) return;
    memcpy(s->z, s->best, bytes);
  }
  if (s->sys.n_groups < LARGE) newton(s, FIRST_STEPS, FIRST_PATIENCE);
  smoothed(s, 0, 1); /* the cheapest steps, where they serve */
  if (!ended(s)) interior(s, true);
  smoothed(s, 1, 3);
  if (!ended(s)) interior(s, false);
  if (!ended(s)) newton(s, steps, PATIENCE);
  for (int k = 0; k < ROUNDS && !ended(s); k++) {
    memcpy(s->z, s->best, bytes);
    directions(s, DIRECTIONS << k);
    if (ended(s)) return;
    newton(s, steps, PATIENCE);
    if (ended(s)) return;
    memcpy(s->z, s->best, bytes);
    sweep(s, SWEEPS << k, true);
    if (!ended(s)) newton(s, steps, PATIENCE);
  }
}

size_t dls_cone_auto_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  size_t sum = dls_bytes_add(dls_cone_system_bytes(pr), dls_cone_newton_work_bytes(pr));
  sum = dls_bytes_add(sum, dls_arena_bytes((size_t)pr->n_rows, 7 * sizeof(double)));
  sum = dls_bytes_add(sum, dls_cone_interior_bytes(pr));
  return dls_bytes_add(sum,
                       dls_bytes_add(dls_bytes_add(n, n), dls_bytes_add(n, dls_bytes_add(n, n))));
}

dls_status dls_cone_auto(const dls_cone_problem *pr, const dls_cone_opts *opts, dls_arena *tmp,
                         double *p, double *v, dls_cone_report *report) {
  size_t mark = dls_arena_mark(tmp);
  *report = (dls_cone_report){.outcome = DLS_LIMIT, .method = "nsgs", .fault = {-1, 0}};
  state s = {.tolerance = opts->tolerance / 2,
             .least = DLS_INF,
             .left = opts->work > 0 ? dls_min(opts->work, WORK) : WORK,
             .report = report,
             .room = tmp,
             .agreed = opts->agreed,
             .limit = opts->max_iterations > 0 ? opts->max_iterations : 1 << 30};
  dls_status status = take(pr, tmp, &s);
  if (status == DLS_OK) {
    const double first = s.left;
    const double values =
        pr->size ? (double)(pr->size->values + pr->size->diag) : (double)pr->n_rows * pr->n_rows;
    s.sweep = opts->work > 0 ? values + LAW * (double)pr->n_groups : 0;
    dls_cone_system_start(&s.sys, opts->start, s.z);
    memcpy(s.best, s.z, (size_t)pr->n_rows * sizeof(double));
    run(&s);
    dls_cone_system_finish(&s.sys, s.best, p);
    dls_cone_admit(pr, p);
    dls_cone_judge(pr, opts, p, v, DLS_LIMIT, report);
    report->work = first - s.left;
  }
  dls_arena_release(tmp, mark);
  return status;
}
