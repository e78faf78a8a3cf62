/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ladder/smooth.h"

#include "core/ladder/linear_contacts.h"
#include "core/ladder/newton.h"
#include "core/ladder/rung.h"

enum {
  SMOOTH_STEPS = 150, /* most, an island                         */
  SMOOTH_CUTS = 5,    /* halvings of a step                      */
  SHORT_CUTS = 2,     /* a step cut so often counts as short     */
  STALLED_STEPS = 3   /* so many very short ones, and t rises    */
};

/* e beside t |W|; t |W| at the start beside the residual; t falls once |W| |F| is below CLOSE t |W| everywhere. */
static const double EDGE = 1e-3, SMOOTH_FIRST = 30, CLOSE = 0.3, EASY = 0.1, FALL = 0.3, BACK = 8;

/* E / |W|: bounds, the first, and how it rises after a short step and falls after a whole one. */
static const double SOFT_LEAST = 1e-11, SOFT_FIRST = 1e-5, SOFT_MOST = 1e-3, SOFT_UP = 4, SOFT_DOWN = 3;

typedef struct smoothed {
  dls_linear_contacts on;
  double t, damp;
} smoothed;

/* max(0, l) made smooth, s = sqrt(l^2 + 4 t^2), without cancellation. */
static inline double soft_max(double l, double s, double t) {
  return l > 0 ? 0.5 * (l + s) : 2 * t * t / (s - l);
}

static inline double soft_root(double l, double t) { return sqrt(l * l + 4 * t * t); }

/* F of a contact without friction; X, Y unless NULL. */
static void slippery_law(const dls_contact_2 *c, double t, const double *z, const double *v, double *F,
                         double *X, double *Y) {
  const double rho = 1 / c->norm, x = z[0] - rho * v[0], s = soft_root(x, t), f = soft_max(x, s, t);
  F[0] = z[0] - f;
  F[1] = z[1];
  if (!X) return;
  X[0] = rho * f / s, X[1] = X[2] = X[3] = 0;
  Y[0] = 1 - f / s, Y[1] = Y[2] = 0, Y[3] = 1;
}

/* F of a contact; X = dF/dv and Y = dF/dz unless NULL. */
static void soft_law(const dls_contact_2 *c, double t, const double *z, const double *v, double *F,
                     double *X, double *Y) {
  const double mu = c->mu, rho = 1 / c->norm, e = EDGE * t * c->norm;
  if (!(mu > 0)) {
    slippery_law(c, t, z, v, F, X, Y);
    return;
  }
  const double speed = sqrt(v[1] * v[1] + e * e);
  const double x_n = mu * z[0] - rho * (v[0] / mu + speed), x_t = z[1] - rho * v[1];
  const double size = fabs(x_t), side = x_t < 0 ? -1 : 1, hi = x_n + size, lo = x_n - size;
  const double s_hi = soft_root(hi, t), s_lo = soft_root(lo, t);
  const double f_hi = soft_max(hi, s_hi, t), f_lo = soft_max(lo, s_lo, t);
  F[0] = mu * z[0] - 0.5 * (f_hi + f_lo);
  F[1] = z[1] - 0.5 * (f_hi - f_lo) * side;
  if (!X) return;
  const double g_hi = f_hi / s_hi, g_lo = f_lo / s_lo;
  const double along = 0.5 * (g_hi + g_lo), cross = 0.5 * (g_hi - g_lo) * side, slide = v[1] / speed;
  X[0] = rho * along / mu, X[1] = rho * (along * slide + cross);
  X[2] = rho * cross / mu, X[3] = rho * (cross * slide + along);
  Y[0] = (1 - along) * mu, Y[1] = -cross;
  Y[2] = -cross * mu, Y[3] = 1 - along;
}

static void linearise_soft(dls_contact_2 *c, double t, double damp) {
  double F[2], X[4], Y[4];
  soft_law(c, t, c->z, c->v, F, X, Y);
  const double e_n = damp * c->norm + c->gamma[0], e_t = damp * c->norm + c->gamma[1];
  const double p = Y[0] + X[0] * e_n, q = Y[1] + X[1] * e_t, r = Y[2] + X[2] * e_n, s = Y[3] + X[3] * e_t;
  double det = p * s - q * r;
  if (!(fabs(det) > 1e-300)) det = 1e-300;
  const double by = 1 / det;
  c->S[0] = (s * X[0] - q * X[2]) * by, c->S[1] = (s * X[1] - q * X[3]) * by;
  c->S[2] = (p * X[2] - r * X[0]) * by, c->S[3] = (p * X[3] - r * X[1]) * by;
  c->g[0] = (s * F[0] - q * F[1]) * by, c->g[1] = (p * F[1] - r * F[0]) * by;
}

/* dz and dv of all contacts. */
static void soft_step(smoothed *N) {
  dls_linear_contacts *C = &N->on;
  dls_body_graph_clear(&C->graph);
  memset(C->y, 0, (size_t)C->graph.n * DLS_GRAPH_ROW * sizeof(double));
  for (int k = 0; k < C->n; k++) {
    linearise_soft(&C->contact[k], N->t, N->damp);
    dls_linear_contacts_add(&C->contact[k], &C->graph, C->y);
  }
  dls_body_graph_factor(&C->graph);
  dls_body_graph_solve(&C->graph, C->y);
  for (int k = 0; k < C->n; k++) {
    dls_contact_2 *c = &C->contact[k];
    dls_linear_contacts_image(c, C->y, c->dv);
    c->dz[0] = -c->g[0] - (c->S[0] * c->dv[0] + c->S[1] * c->dv[1]);
    c->dz[1] = -c->g[1] - (c->S[2] * c->dv[0] + c->S[3] * c->dv[1]);
  }
  /* dv that belongs to dz exactly, whatever the solution lost by rounding. */
  memset(C->y, 0, (size_t)C->graph.n * DLS_GRAPH_ROW * sizeof(double));
  for (int k = 0; k < C->n; k++) dls_linear_contacts_push(&C->contact[k], C->contact[k].dz, C->y);
  for (int k = 0; k < C->n; k++) {
    dls_contact_2 *c = &C->contact[k];
    dls_linear_contacts_image(c, C->y, c->dv);
    for (int i = 0; i < 2; i++) c->dv[i] += c->gamma[i] * c->dz[i];
  }
}

/* sum |W|^2 |F|^2 after `share` of the step, and its largest term's root. */
static double soft_merit(const smoothed *N, double share, double *most) {
  double sum = 0, largest = 0;
  for (int k = 0; k < N->on.n; k++) {
    const dls_contact_2 *c = &N->on.contact[k];
    const double z[2] = {c->z[0] + share * c->dz[0], c->z[1] + share * c->dz[1]};
    const double v[2] = {c->v[0] + share * c->dv[0], c->v[1] + share * c->dv[1]};
    double F[2];
    soft_law(c, N->t, z, v, F, NULL, NULL);
    const double own = (F[0] * F[0] + F[1] * F[1]) * c->norm * c->norm;
    sum += own;
    if (!(own <= largest)) largest = own;
  }
  *most = sqrt(largest);
  return sum;
}

/* Goes the first cut of the step that lowers the sum enough; answers the cuts, SMOOTH_CUTS + 1 where none does. */
static int search_soft(smoothed *N, double *most) {
  const double before = soft_merit(N, 0, most);
  double share = 1, now;
  for (int cuts = 0; cuts <= SMOOTH_CUTS; cuts++, share /= 2) {
    if (!(soft_merit(N, share, &now) <= (1 - 1e-2 * share) * before)) continue;
    for (int k = 0; k < N->on.n; k++) {
      dls_contact_2 *c = &N->on.contact[k];
      for (int i = 0; i < 2; i++) c->z[i] += share * c->dz[i], c->v[i] += share * c->dv[i];
    }
    *most = now;
    return cuts;
  }
  return SMOOTH_CUTS + 1;
}

dls_status dls_solve_smooth(dls_rows *rows, const int *blocks, int n, double limit, dls_budget *budget, dls_arena *tmp,
                            int *iterations, bool *converged) {
  *converged = false;
  if (!dls_budget_enter(budget, DLS_NEWTON_SETUP, DLS_NEWTON_LOOKS)) return DLS_OK;
  const size_t mark = dls_arena_mark(tmp);
  smoothed N;
  dls_status status = dls_linear_contacts_take(rows, blocks, n, tmp, &N.on);
  if (status != DLS_OK) return status;
  dls_linear_contacts_read(rows, blocks, &N.on);
  double now, best = dls_linear_contacts_judge(rows, blocks, &N.on, DLS_INF, &now), most, norm = 0, fall = FALL;
  for (int k = 0; k < n; k++) norm += N.on.contact[k].norm / n;
  N.t = SMOOTH_FIRST * best / norm;
  N.damp = SOFT_FIRST;
  int done = 0, stalled = 0;
  const double cost = dls_budget_sweeps(budget, dls_body_graph_cost(&N.on.graph)) + DLS_NEWTON_LOOKS;
  const int steps = dls_budget_times(budget, 0.5, cost, SMOOTH_STEPS);
  for (; done < steps && !(best <= limit) && !dls_given_up(rows, n, DLS_NEWTON_VISITS); done++) {
    soft_step(&N);
    const int cuts = search_soft(&N, &most);
    if (most <= 2 * limit && N.t * norm <= 2 * limit) best = dls_linear_contacts_judge(rows, blocks, &N.on, best, &now);
    stalled = cuts >= SMOOTH_CUTS - 1 ? stalled + 1 : 0;
    if (stalled >= STALLED_STEPS) {
      N.t *= BACK;
      N.damp = SOFT_FIRST;
      fall = 0.5 * (1 + fall);
      stalled = 0;
      continue;
    }
    if (cuts >= SHORT_CUTS) N.damp = dls_min(N.damp * SOFT_UP, SOFT_MOST);
    else if (cuts == 0) N.damp = dls_max(N.damp / SOFT_DOWN, SOFT_LEAST);
    if (cuts == 0 && most <= EASY * N.t * norm) fall = dls_max(FALL, fall * fall);
    if (cuts <= SMOOTH_CUTS && most <= CLOSE * N.t * norm) N.t *= fall;
  }
  dls_linear_contacts_give(rows, blocks, &N.on);
  dls_note_iterations(done, iterations);
  dls_budget_pay(budget, done * cost);
  *converged = best <= limit;
  dls_arena_release(tmp, mark);
  return DLS_OK;
}

static bool suits(const dls_island *island) {
  return island->rows->dim == 2 && island->method == DLS_SOLVE_AUTO && !island->small && !island->needs_matrix &&
         (island->n <= DLS_SMOOTH_MOST || island->tolerance < DLS_ROUGH) &&
         dls_all_planar_contacts(island->rows, island->blocks, island->n);
}

static dls_status run(dls_island *island, bool *done) {
  return dls_solve_smooth(island->rows, island->blocks, island->n, island->aim, &island->budget, island->tmp,
                          &island->report->iterations, done);
}

const dls_rung dls_rung_smooth = {"smoothed law", suits, run};
