/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/interior.h"

#include "core/cone/pair.h"

/* E |A_gg|^-1 times the largest impulse (as velocity over scale); how it rises after a step shorter
** than SHORT, and falls back after one longer than LONG. */
#define DAMP 3e-6
#define DAMP_UP 3.0
#define DAMP_DOWN 2.0
#define DAMP_MOST 1e4
#define SHORT 0.1
#define LONG 0.3
/* Share of the way to the edge that is gone; steps shorter than LONG are tried again with these
** parts of t. */
#define SHARE 0.99
static const double CENTRES[] = {0.5, 1};
/* t is not asked to be less than this part of itself, nor than what the normals lack allows down to
** KEEP of itself. */
#define LEAST 1e-6
#define KEEP 0.8
/* beta leaves this much of t to the pair, where the step would leave less. */
#define SPARE 0.1
/* Impulses as velocities over the scale beyond which nothing holds the contacts: p - (p - u) loses
** u to round-off. */
#define ENDLESS 1e9
/* Steps in which neither t nor the residual halved. */
#define IDLE 15

typedef struct cell {
  dls_cone_pair pair; /* p and its dual, their scaling and step */
  int g, at;        /* group; first row of its part              */
  double mu;        /* of a part; 0: a number, a = sign (z - off) */
  double sign, off; /* of a number: which way it may go, and from where */
} cell;

typedef struct inside {
  const dls_cone_system *sys; /* borrowed */
  dls_cone_newton_work *w; /* factor and scratch */
  cell *cells; /* n_cells, by group */
  int n_cells; /* of cells */
  double rise; /* of E              */
} inside;

/* --- pairs ------------------------------------------------------------------------------------ */

static bool is_fixed(const dls_cone_system *sys, int g) { return sys->lo[g] == sys->hi[g]; }

static void add(inside *I, int g, double sign, double off) {
  I->cells[I->n_cells++] = (cell){.pair = {.dim = 1}, .g = g, .sign = sign, .off = off};
}

static void list_cells(inside *I) {
  const dls_cone_system *sys = I->sys;
  for (int g = 0; g < sys->n_groups; g++) {
    const dls_cone_shape *shape = &sys->shape[g];
    for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++)
      if (shape->mu[k] > 0)
        I->cells[I->n_cells++] =
            (cell){.pair = {.dim = 1 + shape->rows[k]}, .g = g, .at = at, .mu = shape->mu[k]};
    if (is_fixed(sys, g)) continue;
    if (sys->lo[g] > -DLS_INF) add(I, g, 1, sys->lo[g]);
    if (sys->hi[g] < DLS_INF) add(I, g, -1, sys->hi[g]);
  }
}

/* a of a pair from its group's impulses, or da from their change. */
static void read_a(const cell *c, const double *z, bool change, double *a) {
  if (c->mu > 0) {
    a[0] = c->mu * z[0];
    for (int k = 1; k < c->pair.dim; k++) a[k] = z[c->at + k - 1];
  } else {
    a[0] = c->sign * (change ? z[0] : z[0] - c->off);
  }
}

/* The mean impulse of those that press, at least that of one free group. */
static double typical_impulse(const dls_cone_system *sys, const double *z) {
  double sum = 0, norms = 0;
  int count = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    const double size = fabs(z[sys->groups[g].row]);
    norms += sys->norm[g];
    if (size > 0) sum += size, count++;
  }
  return dls_max(count > 0 ? sum / count : 0, sys->scale * sys->n_groups / norms);
}

/* z and its pairs, strictly inside. */
static void begin(inside *I, double lift, double *z, double *u) {
  const dls_cone_system *sys = I->sys;
  const double more = lift * typical_impulse(sys, z), apart = lift * sys->scale;
  for (int g = 0; g < sys->n_groups; g++) {
    double *z_g = z + sys->groups[g].row;
    dls_cone_system_admit(sys, g, z_g);
    if (sys->shape[g].n_parts > 0) {
      z_g[0] += more;
    } else if (!is_fixed(sys, g) && (sys->lo[g] > -DLS_INF || sys->hi[g] < DLS_INF)) {
      const double room = dls_min(more, 0.25 * (sys->hi[g] - sys->lo[g]));
      z_g[0] = dls_clamp(z_g[0], sys->lo[g] + room, sys->hi[g] - room);
    }
  }
  dls_cone_system_image(sys, z, true, u);
  for (int k = 0; k < I->n_cells; k++) {
    cell *c = &I->cells[k];
    const double *u_g = u + sys->groups[c->g].row;
    dls_cone_pair *pair = &c->pair;
    read_a(c, z + sys->groups[c->g].row, false, pair->a);
    for (int i = 1; i < pair->dim; i++) pair->b[i] = u_g[c->at + i - 1];
    pair->b[0] =
        apart + (c->mu > 0 ? dls_pair_tail(pair->dim, pair->b) : dls_max(0, c->sign * u_g[0]));
  }
}

/* --- the system ------------------------------------------------------------------------------- */

/* X, Y of K = X (A + E) + Y and F = -u of a group without its pairs. */
static void form_group(const dls_cone_system *sys, dls_cone_newton_work *w, int g,
                       const double *u) {
  const int d = sys->dim[g], row = sys->groups[g].row;
  const dls_cone_shape *shape = &sys->shape[g];
  double *X = w->X + sys->diag_at[g], *Y = w->Y + sys->diag_at[g], *F = w->F + row;
  for (int k = 0; k < d * d; k++) X[k] = k % (d + 1) == 0, Y[k] = 0;
  for (int k = 0; k < d; k++) F[k] = -u[row + k];
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++)
    for (int i = at; shape->mu[k] == 0 && i < at + shape->rows[k]; i++)
      X[i * (d + 1)] = 0, Y[i * (d + 1)] = 1, F[i] = 0;
  if (is_fixed(sys, g)) X[0] = 0, Y[0] = 1, F[0] = 0;
}

/* The largest impulse, as a velocity over the scale; at least 1. */
static double largest_impulse(const inside *I, const double *z) {
  const dls_cone_system *sys = I->sys;
  double most = 1;
  for (int g = 0; g < sys->n_groups; g++)
    most = dls_max(most, fabs(z[sys->groups[g].row]) * sys->norm[g] / sys->scale);
  return most;
}

/* K, factored, and F; *lack is the most that a normal's or a row's pair lacks of u. False: a pair
** has left its cone, or impulses grow without an end. */
static bool form(inside *I, const double *z, const double *u, double *lack) {
  const dls_cone_system *sys = I->sys;
  dls_cone_newton_work *w = I->w;
  const double most = largest_impulse(I, z), damp = I->rise * DAMP / most;
  if (!(most < ENDLESS)) return false;
  for (int g = 0; g < sys->n_groups; g++) {
    form_group(sys, w, g, u);
    for (int k = 0; k < sys->dim[g]; k++) w->E[sys->groups[g].row + k] = damp * sys->norm[g];
  }
  for (int k = 0; k < I->n_cells; k++) {
    cell *c = &I->cells[k];
    const int d = sys->dim[c->g];
    double *Y = w->Y + sys->diag_at[c->g], *F = w->F + sys->groups[c->g].row;
    if (!dls_pair_balance(&c->pair)) return false;
    if (c->mu == 0) Y[0] += dls_pair_entry(&c->pair, 0, 0), F[0] += c->sign * c->pair.b[0];
    for (int i = 1; i < c->pair.dim; i++) {
      const int row = c->at + i - 1;
      F[row] += c->pair.b[i];
      Y[row * d] += c->mu * dls_pair_entry(&c->pair, i, 0);
      for (int j = 1; j < c->pair.dim; j++)
        Y[row * d + c->at + j - 1] += dls_pair_entry(&c->pair, i, j);
    }
  }
  *lack = 0;
  for (int g = 0; g < sys->n_groups; g++) *lack = dls_max(*lack, fabs(w->F[sys->groups[g].row]));
  dls_cone_factor_make(&w->factor, w->X, w->Y, w->E);
  return true;
}

/* dz, and the pairs' steps, for the pairs' c. */
static void direction(inside *I) {
  const dls_cone_system *sys = I->sys;
  double *dz = I->w->dz, *du = I->w->du;
  memcpy(dz, I->w->F, (size_t)sys->n * sizeof(double));
  for (int k = 0; k < I->n_cells; k++) {
    const cell *c = &I->cells[k];
    double *r = dz + sys->groups[c->g].row;
    if (c->mu == 0) r[0] += c->sign * c->pair.c[0];
    for (int i = 1; i < c->pair.dim; i++) r[c->at + i - 1] += c->pair.c[i];
  }
  dls_cone_factor_solve(&I->w->factor, dz);
  dls_cone_system_image(sys, dz, false, du);
  for (int k = 0; k < I->n_cells; k++) {
    cell *c = &I->cells[k];
    dls_cone_pair *pair = &c->pair;
    const int row = sys->groups[c->g].row;
    read_a(c, dz + row, true, pair->da);
    if (c->mu == 0) {
      dls_pair_answer(pair);
      continue;
    }
    /* u's own change: G da of a pair near its edge would lose it to round-off. */
    double sum = pair->goal - dls_pair_dot(pair->dim, pair->b, pair->da);
    for (int i = 1; i < pair->dim; i++) {
      pair->db[i] = du[row + c->at + i - 1];
      sum -= pair->a[i] * pair->db[i];
    }
    pair->db[0] = sum / pair->a[0];
  }
}

/* Betas follow their velocities: only impulses and normals stop a step. */
static double reach(const inside *I) {
  double s = 1 / SHARE;
  for (int k = 0; k < I->n_cells; k++) {
    const dls_cone_pair *pair = &I->cells[k].pair;
    s = dls_pair_reach(pair->dim, pair->a, pair->da, s);
    if (I->cells[k].mu == 0) s = dls_pair_reach(1, pair->b, pair->db, s);
  }
  return s;
}

/* The mean of a . b after a step of length s. */
static double mean_product(const inside *I, double s) {
  double sum = 0;
  for (int k = 0; k < I->n_cells; k++) {
    const dls_cone_pair *pair = &I->cells[k].pair;
    for (int i = 0; i < pair->dim; i++)
      sum += (pair->a[i] + s * pair->da[i]) * (pair->b[i] + s * pair->db[i]);
  }
  return I->n_cells > 0 ? sum / I->n_cells : 0;
}

static double mean_impulse(const inside *I) {
  double sum = 0;
  for (int k = 0; k < I->n_cells; k++) sum += I->cells[k].pair.a[0];
  return I->n_cells > 0 ? sum / I->n_cells : 0;
}

static double try_centre(inside *I, double t, bool correct) {
  for (int k = 0; k < I->n_cells; k++) dls_pair_aim(&I->cells[k].pair, t, correct);
  direction(I);
  return dls_min(1, SHARE * reach(I));
}

/* The step from t, dz and the pairs' own; its length. */
static double plan_step(inside *I, double t, double lack) {
  (void)try_centre(I, 0, false);
  const double s = dls_min(1, reach(I));
  double part = t > 0 ? dls_clamp(mean_product(I, s) / t, 0, 1) : 0;
  part = dls_max(part * part * part, LEAST);
  const double floor_t = dls_min(KEEP * t, lack * mean_impulse(I)),
               target = dls_max(part * t, floor_t);
  double length = try_centre(I, target, true);
  for (int k = 0; k < 2 && length < LONG; k++)
    length = try_centre(I, dls_max(CENTRES[k] * t, target), false);
  return length;
}

static void go(inside *I, double t, double s, double *z, double *u) {
  const dls_cone_system *sys = I->sys;
  for (int i = 0; i < sys->n; i++) z[i] += s * I->w->dz[i];
  dls_cone_system_image(sys, z, true, u);
  for (int k = 0; k < I->n_cells; k++) {
    cell *c = &I->cells[k];
    dls_cone_pair *pair = &c->pair;
    const int row = sys->groups[c->g].row;
    read_a(c, z + row, false, pair->a);
    pair->b[0] += s * pair->db[0];
    if (c->mu == 0) continue;
    for (int i = 1; i < pair->dim; i++) pair->b[i] = u[row + c->at + i - 1];
    pair->b[0] =
        dls_max(pair->b[0], dls_pair_tail(pair->dim, pair->b) + SPARE * t / (2 * pair->a[0]));
  }
}

/* --- the method ------------------------------------------------------------------------------- */

/* At most three parts and a normal a group. */
size_t dls_cone_interior_bytes(const dls_cone_problem *pr) {
  return dls_arena_bytes(4 * (size_t)pr->n_groups, sizeof(cell));
}

double dls_cone_interior_steps(const dls_cone_system *sys, dls_cone_newton_work *w, dls_arena *tmp,
                               double lift, double tolerance, int steps, double *z, double *u,
                               int *done) {
  const size_t mark = dls_arena_mark(tmp), bytes = (size_t)sys->n * sizeof(double);
  inside I = {.sys = sys, .w = w, .rise = 1};
  dls_cone_system_image(sys, z, true, u);
  memcpy(w->best, z, bytes);
  double best = dls_cone_system_residual(sys, z, u), goal = best, goal_t = DLS_INF, lack;
  const bool ready = sys->n_groups > 0 && best > tolerance && dls_cone_newton_factor(sys, w)->ready;
  I.cells = ready ? DLS_TAKE(tmp, cell, 4 * (size_t)sys->n_groups) : NULL;
  if (I.cells) {
    list_cells(&I);
    begin(&I, lift, z, u);
  }
  int idle = 0;
  for (int k = 0; I.cells && k < steps && !(best <= tolerance) && idle < IDLE; k++, idle++) {
    const double t = mean_product(&I, 0);
    if (dls_stop_poll(sys->problem->stop, w->factor.cost) || !form(&I, z, u, &lack)) break;
    const double s = plan_step(&I, t, lack);
    go(&I, t, s, z, u);
    ++*done;
    if (s < SHORT) I.rise = dls_min(I.rise * DAMP_UP, DAMP_MOST);
    else if (s > LONG) I.rise = dls_max(I.rise / DAMP_DOWN, 1);
    const double now = dls_cone_system_residual(sys, z, u);
    if (now < best) best = now, memcpy(w->best, z, bytes);
    if (best <= 0.5 * goal) goal = best, idle = 0;
    if (t <= 0.5 * goal_t) goal_t = t, idle = 0;
  }
  memcpy(z, w->best, bytes);
  dls_cone_system_image(sys, z, true, u);
  dls_arena_release(tmp, mark);
  return best;
}
