/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/equilibrium.h"

#include "core/accelerations/contacts_acc.h"
#include "core/math/dense.h"
#include "core/world/equilibrium_search.h"
#include "core/world/world.h"

/* Of the differences, error STEP^4 of fifth derivatives          */
static const double STEP = 1e-4;
/* The farthest that the first step goes, any, and that one turns anything, rad */
static const double FIRST_TRUST = 0.5, MOST_TRUST = 1e9, MOST_TURN = 2;
/* of the largest acceleration: round-off                         */
static const double BALANCED = 1e-12;
/* where no step comes nearer                                     */
static const double ALMOST = 1e-9;
/* of the largest curvature, see `most`: what is added to K at least */
static const double FLAT = 1e-9;
/* of the same: curvature below it is noise                        */
static const double NEUTRAL = 1e-6;
/* gaps of joints at a pose                                        */
static const double CLOSED = 1e-11;

size_t dls_equilibrium_bytes(const dls_world *w, int nq, int nu) {
  const size_t n = (size_t)nu, ld = dls_lanes_ld(nu), joints = (size_t)w->n_joints;
  const size_t of_joint = 2 * DLS_JOINT_NUMBERS + 3 * DLS_JOINT_LIMITS + 1;
  const size_t turns = (size_t)w->n_bodies + of_joint * joints;
  return dls_arena_bytes(3 * (size_t)nq + 6 * n + 2 * ld + 3 * n * n + n * ld + turns,
                         sizeof(double)) + 26 * DLS_ALIGN;
}

static bool take(dls_equilibrium_search *x, dls_arena *tmp) {
  const size_t nq = (size_t)x->ode->nq, n = x->n, joints =
      DLS_JOINT_NUMBERS * (size_t)x->smooth->world->n_joints;
  x->angle = DLS_TAKE(tmp, double, (size_t)x->smooth->world->n_bodies);
  x->joints = DLS_TAKE(tmp, double, joints);
  x->seen = DLS_TAKE(tmp, double, joints);
  x->held = DLS_TAKE(tmp, unsigned char, x->smooth->world->n_joints + 1);
  x->force = DLS_TAKE(tmp, double, DLS_JOINT_LIMITS * x->smooth->world->n_joints + 1);
  x->gap = DLS_TAKE(tmp, double, DLS_JOINT_LIMITS * x->smooth->world->n_joints + 1);
  x->there = DLS_TAKE(tmp, double, DLS_JOINT_LIMITS * x->smooth->world->n_joints + 1);
  if (!x->angle || !x->joints || !x->seen || !x->held || !x->force || !x->gap || !x->there)
    return false;
  x->q = DLS_TAKE(tmp, double, nq);
  x->at = DLS_TAKE(tmp, double, nq);
  x->a = DLS_TAKE(tmp, double, n);
  x->tried = DLS_TAKE(tmp, double, n);
  x->s = DLS_TAKE(tmp, double, x->ld);
  x->Ms = DLS_TAKE(tmp, double, n);
  x->d = DLS_TAKE(tmp, double, n);
  x->M = DLS_TAKE(tmp, double, n * n);
  x->K = DLS_TAKE(tmp, double, n * n);
  x->P = DLS_TAKE(tmp, double, n * n);
  x->R = DLS_TAKE(tmp, double, n * x->ld);
  x->unit = DLS_TAKE(tmp, double, n);
  if (!x->unit) return false;
  return x->q && x->at && x->a && x->tried && x->s && x->Ms && x->d && x->M && x->K && x->P && x->R;
}

static double largest(size_t n, const double *a) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = dls_max(most, fabs(a[i]));
  return most;
}

/* out = A x, or A' x. */
static void times(size_t n, const double *A, const double *x, bool across, double *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    for (size_t k = 0; k < n; k++) out[i] += (across ? A[k * n + i] : A[i * n + k]) * x[k];
  }
}

/* -D(M a) in direction j: column j of K, from differences (8 (y_1 - y_-1) - (y_2 - y_-2))/12
** STEP. */
static dls_status differentiate(dls_equilibrium_search *x, size_t j) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  const size_t n = x->n;
  memset(x->d, 0, n * sizeof *x->d);
  for (int k = 0; k < 4; k++) {
    x->d[j] = 1;
    const dls_status status = dls_equilibrium_evaluate(x, at[k] * STEP, x->d, x->tried);
    if (status != DLS_OK) return status;
    dls_equilibrium_mass(x);
    times(n, x->M, x->tried, false, x->d);
    for (size_t i = 0; i < n; i++) x->K[i * n + j] -= weight[k] * x->d[i] / (12 * STEP);
    memset(x->d, 0, n * sizeof *x->d);
  }
  return dls_stop_poll(x->ode->stop, (double)(n * n)) ? DLS_STOPPED : DLS_OK;
}

/* Column j of P, which takes velocities at q to those that joints admit. */
static dls_status project(dls_equilibrium_search *x, size_t j) {
  const dls_ode *ode = x->ode;
  memcpy(x->at, x->q, (size_t)ode->nq * sizeof *x->q);
  dls_equilibrium_go_back(x);
  memset(x->d, 0, x->n * sizeof *x->d);
  x->d[j] = x->unit[j];
  const dls_status status = ode->accelerate(ode->ctx, x->smooth->start, x->at, x->d, x->tried);
  const double *u = x->smooth->world->trees->state->u;
  for (size_t i = 0; i < x->n && status == DLS_OK; i++) x->P[i * x->n + j] = u[i] / x->unit[i];
  return status;
}

/* K = -P' D(M a) P at q, made symmetric; M at q. */
static dls_status curvature(dls_equilibrium_search *x) {
  const size_t n = x->n;
  dls_status status = DLS_OK;
  memset(x->K, 0, n * n * sizeof *x->K);
  for (size_t j = 0; j < n && status == DLS_OK; j++) status = differentiate(x, j);
  for (size_t j = 0; j < n && status == DLS_OK; j++) status = project(x, j);
  if (status == DLS_OK) status = dls_equilibrium_evaluate(x, 0, NULL, x->tried);
  if (status != DLS_OK) return status;
  dls_equilibrium_mass(x);
  for (size_t j = 0; j < n; j++) { /* P' K by columns, then that times P by rows */
    for (size_t i = 0; i < n; i++) x->tried[i] = x->K[i * n + j];
    times(n, x->P, x->tried, true, x->d);
    for (size_t i = 0; i < n; i++) x->K[i * n + j] = x->d[i];
    if (dls_stop_poll(x->ode->stop, (double)(2 * n * n))) return DLS_STOPPED;
  }
  for (size_t i = 0; i < n; i++) {
    times(n, x->P, x->K + i * n, true, x->d);
    memcpy(x->K + i * n, x->d, n * sizeof *x->d);
  }
  x->most = x->scale;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++)
      x->K[i * n + j] = x->K[j * n + i] = 0.5 * (x->K[i * n + j] + x->K[j * n + i]);
    if (x->M[i * n + i] > 0) x->most = dls_max(x->most, fabs(x->K[i * n + i]) / x->M[i * n + i]);
  }
  return DLS_OK;
}

/* K + mu (M + d) = R'R, d a share of the largest diagonal: directions almost without inertia (a
** rod's turns about itself) want a mu that would stop all others. False: it is not positive
** definite. */
static bool factor(dls_equilibrium_search *x, double mu) {
  static const double SHARE = 0.01;
  const size_t n = x->n;
  double pivot, most = 0;
  for (size_t i = 0; i < n; i++) most = dls_max(most, x->M[i * n + i]);
  memset(x->R, 0, n * x->ld * sizeof *x->R);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      x->R[i * x->ld + j] = x->K[i * n + j] + mu * (x->M[i * n + j] + (i == j ? SHARE * most : 0));
  return dls_dense_cholesky((int)n, x->R, x->ld, &pivot) < 0;
}

/* s of the step; x->d is lost. Answers the largest |s|. Of a and of s what joints admit: K has
** nothing to hold the rest, and round-off in a would come back divided by mu. */
static double solve(dls_equilibrium_search *x) {
  const size_t n = x->n;
  double mu = dls_max(FLAT * x->most, 1e-300);
  for (int k = 0; k < 60 && !factor(x, mu); k++) mu = dls_max(3 * mu, 1e-6 * x->most);
  memset(x->s, 0, x->ld * sizeof *x->s);
  times(n, x->P, x->a, false, x->d);
  times(n, x->M, x->d, false, x->s);
  dls_dense_forward((int)n, x->R, x->ld, x->s);
  dls_dense_backward((int)n, x->R, x->ld, x->s);
  memcpy(x->d, x->s, n * sizeof *x->d);
  times(n, x->P, x->d, false, x->s);
  return largest(n, x->s);
}

static double force_along(dls_equilibrium_search *x, const double *a) {
  double sum = 0;
  for (size_t i = 0; i < x->n; i++) sum += x->Ms[i] * a[i];
  return sum;
}

/* Whether the pose tried, at the share of the step, is nearer. */
static bool is_nearer(dls_equilibrium_search *x, double share, double before, double *energy) {
  /* of what the step foretells; of the energy */
  static const double FALL = 1e-4, ROUND_OFF = 1e-13;
  dls_world *w = x->smooth->world;
  const double now = largest(x->n, x->a), there = largest(x->n, x->tried);
  if (x->astray || dls_equilibrium_gap(x) > CLOSED || !(there < DLS_INF)) return false;
  *energy = dls_equilibrium_energy(w);
  const double change = *energy - x->energy;
  if (w->hooks.field) return there < now || force_along(x, x->tried) >= 0;
  if (fabs(change) <= ROUND_OFF * (fabs(x->energy) + fabs(*energy)) ||
      share * before <= ROUND_OFF * fabs(x->energy))
    return there < now;
  return change <= -FALL * share * before;
}

/* One step of at most the radius of trust. *moved: it was made. */
static dls_status go(dls_equilibrium_search *x, double *trust, bool *moved) {
  enum { HALVINGS = 40 };
  static const double NO_WAY = 1e-9; /* it is at the limit */
  const size_t n = x->n, nq = (size_t)x->ode->nq;
  const double longest = solve(x);
  double share = longest > *trust ? *trust / longest : 1, energy = 0;
  for (size_t i = 0; i < n; i++)
    if (dls_equilibrium_turns(x->smooth->world->trees->forest, i) &&
        fabs(x->s[i]) * share > MOST_TURN)
      share = MOST_TURN / fabs(x->s[i]);
  *moved = false;
  for (size_t i = 0; i < n; i++) {
    x->Ms[i] = 0;
    for (size_t j = 0; j < n; j++) x->Ms[i] += x->M[i * n + j] * x->s[j];
  }
  const double before = force_along(x, x->a);
  int met = -1;
  for (int k = 0; k < HALVINGS && !*moved; k++) {
    dls_status status = dls_equilibrium_evaluate(x, share, x->s, x->tried);
    if (status != DLS_OK) return status;
    double part = 1;
    const int next = dls_equilibrium_first_met(x, &part);
    if (met >= 0 && next >= 0) dls_equilibrium_hold(x, met, false);
    if (next >= 0) { /* up to the limit, which is held from there on */
      dls_equilibrium_hold(x, next, true);
      met = next;
      share *= part;
      continue;
    }
    *moved = is_nearer(x, share, before, &energy);
    *moved = *moved || (met >= 0 && share * longest < NO_WAY && !x->astray &&
                        dls_equilibrium_gap(x) <= CLOSED);
    if (!*moved) {
      if (met >= 0) dls_equilibrium_hold(x, met, false);
      met = -1;
      share *= 0.5;
      continue;
    }
    memcpy(x->gap, x->there,
           DLS_JOINT_LIMITS * (size_t)x->smooth->world->n_joints * sizeof *x->gap);
    const double fall = x->energy - energy;
    *trust = k > 0 && met < 0 ? share * longest : fall > 0.25 * share * before ?
        dls_min(MOST_TRUST, 2 * *trust) : *trust;
    memcpy(x->q, x->at, nq * sizeof *x->q);
    dls_equilibrium_note_turns(x);
    memcpy(x->a, x->tried, n * sizeof *x->a);
    x->energy = energy;
    x->scale = dls_max(x->scale, largest(n, x->a));
  }
  if (!*moved && met >= 0) dls_equilibrium_hold(x, met, false);
  return DLS_OK;
}

/* Whether the pose found is one with everything that joints have: limits kept, motors and friction
** at rest. */
static bool is_rest(dls_equilibrium_search *x) {
  dls_world *w = x->smooth->world;
  if (dls_equilibrium_evaluate(x, 0, NULL, x->tried) != DLS_OK) return false;
  if (dls_equilibrium_find_limits(x) < -DLS_LIMITED) return false;
  const bool without = w->trees->without_friction;
  w->trees->limits_held = NULL;
  w->trees->without_friction = false;
  const dls_status status = dls_world_accelerate(w, DLS_ROWS_OF_JOINTS);
  w->trees->limits_held = x->held;
  w->trees->without_friction = without;
  for (size_t i = 0; i < x->n; i++) x->tried[i] = w->trees->state->udot[i] / x->unit[i];
  return status == DLS_OK && largest(x->n, x->tried) <= 10 * ALMOST * x->scale;
}

/* Joints, limits that are reached too, may be open at first: turns of the projection. *closed: they
** are not at the end. */
static dls_status close_joints(dls_equilibrium_search *x, bool *closed) {
  enum { TURNS = 8 };
  dls_world *w = x->smooth->world;
  dls_status status = DLS_OK;
  memset(x->held, 0, (size_t)w->n_joints);
  /* of limits without a row */
  memset(x->force, 0, DLS_JOINT_LIMITS * (size_t)w->n_joints * sizeof *x->force);
  x->smooth->limited = dls_equilibrium_find_limits(x) < DLS_INF;
  *closed = false;
  for (int k = 0; k < TURNS && status == DLS_OK; k++) {
    (void)dls_equilibrium_find_limits(x);
    for (int i = 0; i < DLS_JOINT_LIMITS * w->n_joints; i++)
      if (x->there[i] <= DLS_LIMITED) dls_equilibrium_hold(x, i, true);
    status = dls_equilibrium_evaluate(x, 0, NULL, x->a);
    memcpy(x->q, x->at, (size_t)x->ode->nq * sizeof *x->q);
    if (status == DLS_OK) dls_equilibrium_note_turns(x);
    *closed = status == DLS_OK && dls_equilibrium_gap(x) <= CLOSED &&
              dls_equilibrium_find_limits(x) >= -DLS_LIMITED;
    if (*closed) break;
  }
  memcpy(x->gap, x->there, DLS_JOINT_LIMITS * (size_t)w->n_joints * sizeof *x->gap);
  return status;
}

/* From x->q on: steps, until none comes nearer and no limit that is held pulls. *done: it is
** balanced. */
static dls_status descend(dls_equilibrium_search *x, dls_rest *report, bool *done) {
  enum { STEPS = 500 };
  double trust = FIRST_TRUST;
  bool moved = true;
  dls_status status = DLS_OK;
  for (double last = DLS_INF; status == DLS_OK; last = report->residual) {
    report->residual = x->scale > 0 ? largest(x->n, x->a) / x->scale : 0;
    *done = report->residual <= BALANCED || (report->residual <= ALMOST &&
                                             report->residual > 0.1 * last);
    if (report->iterations >= STEPS && !*done) break;
    if (*done || !moved) {
      status = dls_equilibrium_evaluate(x, 0, NULL, x->a); /* forces of limits here */
      if (status == DLS_OK && report->iterations < STEPS && dls_equilibrium_let_go(x)) {
        status = dls_equilibrium_evaluate(x, 0, NULL, x->a);
        report->iterations++;
        moved = true;
        continue;
      }
      if (!*done) break;
    }
    if (status == DLS_OK) status = curvature(x);
    if (status != DLS_OK || *done) break;
    status = go(x, &trust, &moved);
    report->iterations += moved;
  }
  return status;
}

/* Limits without which the pose is as balanced press by round-off alone: they are held no more, so
** that K knows the ways that they leave. (Several of them leave a corner of ways, of which K is
** asked for all.) *any: there were such. */
static dls_status let_go_idle(dls_equilibrium_search *x, bool *any) {
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  dls_status status = DLS_OK;
  *any = false;
  for (int i = 0; i < n && status == DLS_OK; i++) {
    if (!dls_equilibrium_holds(x, i)) continue;
    dls_equilibrium_hold(x, i, false);
    status = dls_equilibrium_evaluate(x, 0, NULL, x->tried);
    const bool idle = largest(x->n, x->tried) <= ALMOST * x->scale;
    if (!idle) dls_equilibrium_hold(x, i, true);
    *any = *any || idle;
  }
  return status;
}

/* Whether energy falls in no direction, to second order. */
static dls_status judge(dls_equilibrium_search *x, bool *stable) {
  bool idle;
  dls_status status = let_go_idle(x, &idle);
  if (status == DLS_OK && idle) status = curvature(x);
  *stable = status == DLS_OK && (x->n == 0 || factor(x, dls_max(NEUTRAL * x->most, 1e-300)));
  return status;
}

/* Whether contacts, which have no part in the search, would act at the pose found. */
static dls_status find_contacts(dls_equilibrium_search *x, bool *any) {
  int n = 0;
  dls_status status = dls_equilibrium_evaluate(x, 0, NULL, x->tried);
  if (status == DLS_OK) status = dls_contacts_acc(x->smooth->world, NULL, 0, &n);
  *any = n > 0;
  return status;
}

static dls_status search(dls_smooth *smooth, const dls_ode *ode, dls_arena *tmp, double *q,
                         dls_rest *report) {
  const size_t mark = dls_arena_mark(tmp);
  dls_world *w = smooth->world;
  dls_equilibrium_search x = {
      .smooth = smooth, .ode = ode, .n = (size_t)ode->nu, .ld = dls_lanes_ld(ode->nu)};
  *report = (dls_rest){.residual = 0};
  if (!take(&x, tmp)) return DLS_FULL;
  memcpy(x.q, q, (size_t)ode->nq * sizeof *q);
  x.length = dls_equilibrium_length(w);
  dls_world_units(w, x.unit);
  dls_equilibrium_note_turns(&x);
  w->trees->limits_held = x.held;
  w->trees->limit_force = x.force;
  bool closed = false, done = false;
  dls_status status = close_joints(&x, &closed);
  if (status == DLS_OK) x.energy = dls_equilibrium_energy(w);
  x.scale = dls_max(largest(x.n, x.a), dls_v3_norm(dls_v3_load(w->gravity)) / x.length);
  if (status == DLS_OK) status = descend(&x, report, &done);
  if (status == DLS_OK) {
    report->converged = closed && report->residual <= ALMOST && is_rest(&x);
    if (report->converged) status = judge(&x, &report->stable);
    if (status == DLS_OK && report->converged) status = find_contacts(&x, &report->contacts);
    memcpy(q, x.q, (size_t)ode->nq * sizeof *q);
    dls_equilibrium_go_back(&x);
  }
  w->trees->limits_held = NULL;
  w->trees->limit_force = NULL;
  dls_arena_release(tmp, mark);
  return status;
}

static bool has_friction(const dls_world *w) {
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].friction > 0) return true;
  return false;
}

/* Friction has no curvature that a search could go by: what it finds none with is sought without.
** Where that is in balance, it is so with friction, too. */
dls_status dls_world_equilibrium(dls_smooth *smooth, const dls_ode *ode, dls_arena *tmp, double *q,
                                 dls_rest *report) {
  dls_world *w = smooth->world;
  const size_t mark = dls_arena_mark(tmp);
  double *start = DLS_TAKE(tmp, double, ode->nq);
  if (!start) return DLS_FULL;
  memcpy(start, q, (size_t)ode->nq * sizeof *q);
  dls_status status = search(smooth, ode, tmp, q, report);
  if (status == DLS_OK && !report->converged && has_friction(w)) {
    const int iterations = report->iterations;
    memcpy(q, start, (size_t)ode->nq * sizeof *q);
    w->trees->without_friction = true;
    status = search(smooth, ode, tmp, q, report);
    w->trees->without_friction = false;
    report->iterations += iterations;
  }
  dls_arena_release(tmp, mark);
  return status;
}
