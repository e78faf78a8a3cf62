/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/sweep.h"

#include "core/math/lanes.h"
#include "core/math/momentum.h"

/* Differences that mixing keeps, and the share of their Gram matrix's trace added to its
** diagonal. */
#define MIXED 6
#define RIDGE 1e-10
/* Sweeps without halving the best movement after which a way counts as stalled; growth over the
** best movement that counts as a blow-up; sweeps between two looks at the true residual that are
** taken without need. */
#define PATIENCE 150
#define RESTART_GROWTH 20.0
#define LOOK 100
/* The damped way: sweeps between two looks; moves are stretched by FIRST after PLAIN sweeps
** (over-relaxation, back into the set), and cut by CUT after IDLE looks without progress, never
** below LEAST. */
#define LOOK_DAMPED 25
#define PLAIN 10
#define FIRST 1.5
#define IDLE 4
#define CUT 0.8
#define LEAST 0.3

/* --- memory ----------------------------------------------------------------------------------- */

/* Numbers of a vector at most, with the zeros behind it. */
static size_t longest(const dls_cone_problem *pr) {
  return 3 * ((size_t)pr->n_groups + 8 * 65) + (size_t)pr->n_rows + 64;
}

size_t dls_cone_sweeper_bytes(const dls_cone_problem *pr) {
  size_t n = dls_arena_bytes(longest(pr), sizeof(double)),
         row = dls_arena_bytes((size_t)pr->n_rows, sizeof(double));
  size_t sum =
      dls_bytes_add(dls_cone_pack_bytes(pr),
                    dls_arena_bytes((size_t)pr->n_groups, sizeof(dls_cone_local)));
  for (int k = 0; k < 4 + 2 * MIXED + 2; k++) sum = dls_bytes_add(sum, n);
  return dls_bytes_add(sum, dls_bytes_add(row, row));
}

dls_status dls_cone_sweeper_take(const dls_cone_system *sys, dls_arena *tmp,
                                 dls_cone_sweeper *s) {
  size_t room = longest(sys->problem);
  *s = (dls_cone_sweeper){.sys = sys};
  s->locals = DLS_TAKE(tmp, dls_cone_local, sys->n_groups);
  s->y = DLS_TAKE(tmp, double, room);
  s->x = DLS_TAKE(tmp, double, room);
  s->w = DLS_TAKE(tmp, double, room);
  s->top = DLS_TAKE(tmp, double, room);
  s->mixed = DLS_TAKE(tmp, double, room * (2 * MIXED + 2));
  s->best = DLS_TAKE(tmp, double, sys->n);
  s->z_try = DLS_TAKE(tmp, double, sys->n);
  if (!s->locals || !s->y || !s->x || !s->w || !s->top || !s->mixed || !s->best ||
      !s->z_try)
    return DLS_FULL;
  for (int g = 0; g < sys->n_groups; g++) dls_cone_local_make(sys, g, &s->locals[g]);
  dls_status status = dls_cone_pack_make(sys, s->locals, -1, tmp, &s->pack);
  s->n = s->pack.ready ? s->pack.n : dls_lanes_round(sys->n);
  return status;
}

/* --- one sweep -------------------------------------------------------------------------------- */

/* Group after group, moves stretched by part; the largest change of impulse, as a velocity. */
static double sweep_plain(const dls_cone_system *sys, dls_cone_local *locals, double part,
                          double *z) {
  double most = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    double off[DLS_CONE_ROWS], old[DLS_CONE_ROWS], *z_g = z + sys->groups[g].row,
                                                   move = 0;
    int d = sys->dim[g];
    dls_cone_system_off(sys, g, z, off);
    for (int k = 0; k < d; k++) old[k] = z_g[k];
    dls_cone_local_solve(sys, g, &locals[g], off, z_g);
    for (int k = 0; part != 1 && k < d; k++) z_g[k] = old[k] + part * (z_g[k] - old[k]);
    if (part > 1) dls_cone_system_admit(sys, g, z_g);
    for (int k = 0; k < d; k++) move = dls_max(move, fabs(z_g[k] - old[k]));
    most = dls_max(most, move * sys->norm[g]);
  }
  return most;
}

static double sweep(dls_cone_sweeper *s, double *y) {
  return s->pack.ready ? dls_cone_pack_sweep(&s->pack, y)
                       : sweep_plain(s->sys, s->locals, 1, y);
}

/* --- mixing ----------------------------------------------------------------------------------- */

typedef struct mixer {
  double *dF[MIXED], *dG[MIXED], *F, *G; /* n each                           */
  double gram[MIXED][MIXED];             /* dF_i . dF_j                      */
  int held, next;                        /* differences, place of the next   */
  double size;                           /* |F| of the last point; < 0: none */
} mixer;

static void mixer_begin(const dls_cone_sweeper *s, mixer *m) {
  double *at = s->mixed;
  for (int k = 0; k < MIXED; k++, at += 2 * s->n) m->dF[k] = at, m->dG[k] = at + s->n;
  m->F = at, m->G = at + s->n;
  m->held = m->next = 0;
  m->size = -1;
}

/* theta of the least squares, by elimination on the (ridged) Gram matrix; places 0 .. held - 1. */
static void fit(const mixer *m, const dls_lanes *lanes, int n, double *theta) {
  double T[MIXED][MIXED + 1], trace = 0;
  int h = m->held;
  for (int i = 0; i < h; i++) trace += m->gram[i][i];
  for (int i = 0; i < h; i++) {
    for (int j = 0; j < h; j++) T[i][j] = m->gram[i][j] + (i == j ? RIDGE * trace : 0);
    T[i][h] = lanes->dot(n, m->dF[i], m->F);
  }
  for (int i = 0; i < h; i++)
    for (int k = i + 1; k < h; k++) {
      double f = T[i][i] > 0 ? T[k][i] / T[i][i] : 0;
      for (int j = i; j <= h; j++) T[k][j] -= f * T[i][j];
    }
  for (int i = h - 1; i >= 0; i--) {
    double sum = T[i][h];
    for (int j = i + 1; j < h; j++) sum -= T[i][j] * theta[j];
    theta[i] = T[i][i] > 0 ? sum / T[i][i] : 0;
  }
}

/* y = G(w) comes in, the next point goes out. */
static void mix(mixer *m, int n, const double *w, double *y) {
  const dls_lanes *lanes = dls_lanes_best();
  double theta[MIXED], before = m->size;
  double *dF = m->dF[m->next], *dG = m->dG[m->next];
  for (int i = 0; i < n; i++) {
    double f = y[i] - w[i];
    dF[i] = f - m->F[i], dG[i] = y[i] - m->G[i];
    m->F[i] = f, m->G[i] = y[i];
  }
  m->size = sqrt(lanes->dot(n, m->F, m->F));
  if (before >= 0 && m->size <= 2 * before) {
    if (m->held < MIXED) m->held++;
    for (int i = 0; i < m->held; i++)
      m->gram[i][m->next] = m->gram[m->next][i] = lanes->dot(n, m->dF[i], dF);
    m->next = (m->next + 1) % MIXED;
  } else {
    m->held = m->next = 0;
  }
  fit(m, lanes, n, theta);
  for (int i = 0; i < m->held; i++) lanes->axpy(n, -theta[i], m->dG[i], y);
}

/* --- the two ways ----------------------------------------------------------------------------- */

typedef struct course {
  dls_cone_sweeper *s; /* problem and lanes */
  double tolerance; /* on the residual */
  double *z, *u;   /* of the caller: scratch until the end                 */
  double least;    /* residual of s->best                                  */
  int left, *done; /* sweeps                                               */
  int since;       /* sweeps since a look                                  */
} course;

/* The true residual of s->x; the best is kept. */
static void look(course *c) {
  dls_cone_sweeper *s = c->s;
  if (s->pack.ready)
    dls_cone_pack_unload(&s->pack, s->x, c->z);
  else
    memcpy(c->z, s->x, (size_t)s->sys->n * sizeof(double));
  dls_cone_system_image(s->sys, c->z, true, c->u);
  double now = dls_cone_system_residual(s->sys, c->z, c->u);
  if (now < c->least)
    c->least = now, memcpy(s->best, c->z, (size_t)s->sys->n * sizeof(double));
  c->since = 0;
}

/* Goes one way from y until the tolerance, a blow-up or a stall; the best point (by movement) is
** left in y. */
static void go(course *c, bool mixing) {
  dls_cone_sweeper *s = c->s;
  size_t bytes = (size_t)s->n * sizeof(double);
  double t = 1, best = DLS_INF, mark = DLS_INF, scale = s->sys->scale;
  int idle = 0;
  mixer m;
  mixer_begin(s, &m);
  memcpy(s->x, s->y, bytes);
  memcpy(s->top, s->y, bytes);
  while (c->left > 0 && idle < PATIENCE && !dls_cone_stopped(s->sys, 2)) {
    memcpy(s->w, s->y, bytes);
    double moved = sweep(s, s->y);
    c->left--, c->since++, ++*c->done;
    if (moved < best) best = moved, memcpy(s->top, s->y, bytes);
    if (best <= mark / 2)
      mark = best, idle = 0;
    else
      idle++;
    if (!(moved <= RESTART_GROWTH * best)) idle = PATIENCE;
    if (mixing) {
      memcpy(s->x, s->y, bytes);
      mix(&m, s->n, s->w, s->y);
    } else {
      if (s->pack.lanes->turn(s->n, s->w, s->y, s->x) > 0) t = 1;
      s->pack.lanes->leap(s->n, dls_momentum_share(&t), s->y, s->x);
    }
    bool near = moved <= c->tolerance * scale;
    if (moved == 0 || (near && c->since >= 5) || c->since >= LOOK) look(c);
    if (moved == 0 || c->least <= c->tolerance) break;
  }
  memcpy(s->y, s->top, bytes);
}

double dls_cone_sweeps(dls_cone_sweeper *s, double tolerance, int sweeps, double *z,
                       double *u, int *done) {
  course c = {s, tolerance, z, u, DLS_INF, sweeps, done, 0};
  size_t n = (size_t)s->sys->n;
  memset(s->y, 0, (size_t)(s->n + 24) * sizeof(double));
  if (s->pack.ready)
    dls_cone_pack_load(&s->pack, z, s->y);
  else
    memcpy(s->y, z, n * sizeof(double));
  memcpy(s->x, s->y, (size_t)s->n * sizeof(double));
  look(&c);
  /* what it starts from is no number, or beyond the largest: from nothing then */
  if (!(c.least < DLS_INF)) {
    memset(s->y, 0, (size_t)s->n * sizeof(double));
    memset(s->x, 0, (size_t)s->n * sizeof(double));
    memset(s->best, 0, n * sizeof(double));
    look(&c);
  }
  if (c.least > tolerance && c.left > 0) go(&c, false);
  if (c.least > tolerance && c.left > 0) go(&c, true);
  if (c.least > tolerance) {
    memcpy(s->x, s->y, (size_t)s->n * sizeof(double));
    look(&c);
  }
  memcpy(z, s->best, n * sizeof(double));
  dls_cone_system_image(s->sys, z, true, u);
  return c.least;
}

double dls_cone_sweeps_damped(dls_cone_sweeper *s, double tolerance, int sweeps,
                              double *z, double *u, int *done) {
  const dls_cone_system *sys = s->sys;
  size_t bytes = (size_t)sys->n * sizeof(double);
  dls_cone_system_image(sys, z, true, u);
  double least = dls_cone_system_residual(sys, z, u);
  double part = FIRST;
  int idle = 0;
  memcpy(s->best, z, bytes);
  for (int k = 1; k <= sweeps && !(least <= tolerance) && !dls_cone_stopped(sys, 2);
       k++) {
    double moved = sweep_plain(sys, s->locals, k <= PLAIN && part > 1 ? 1 : part, z);
    ++*done;
    if (moved > tolerance * sys->scale && k % LOOK_DAMPED != 0 && k != sweeps) continue;
    dls_cone_system_image(sys, z, true, u);
    double now = dls_cone_system_residual(sys, z, u);
    if (now < least) {
      least = now;
      memcpy(s->best, z, bytes);
      idle = 0;
    } else if (++idle > IDLE) {
      part = dls_max(part * CUT, LEAST);
      idle = 0;
    }
    if (moved == 0) break; /* a fixed point in this arithmetic */
  }
  memcpy(z, s->best, bytes);
  dls_cone_system_image(sys, z, true, u);
  return least;
}
