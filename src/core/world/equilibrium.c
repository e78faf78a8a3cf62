/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/equilibrium.h"

#include "core/accelerations/contacts_acc.h"
#include "core/accelerations/joint_acc.h"
#include "core/accelerations/smooth.h"
#include "core/math/dense.h"
#include "core/joints/joint_forces.h"
#include "core/model/frames.h"
#include "core/joints/reactions.h"
#include "core/world/world.h"

/* In this file velocities, steps and gaps are in rad and in the world's own length (`length_of`),
** whatever its scale is. */
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
/* beyond a limit                                                  */
static const double LIMITED = 1e-9;

typedef struct search {
  dls_smooth *smooth;
  const dls_ode *ode;
  size_t n, ld;        /* velocities; rows of R are so far apart               */
  double length;       /* m                                                    */
  double *unit;        /* n: of each velocity, 1 rad or the length             */
  double *q, *at;      /* nq: a pose; the one tried                            */
  double *a, *tried;   /* n: udot at rest here; there                          */
  double *s, *Ms, *d;  /* n: step; M s; displacement                           */
  double *M, *K, *P;   /* n x n                                                */
  double *R;           /* n x ld                                               */
  double *angle;       /* in the plane: of the bodies at q, turns counted      */
  double *joints;      /* JOINT numbers a joint: coordinates at q, likewise    */
  double *seen;        /* the same, as forces at the pose tried had them       */
  unsigned char *held; /* a joint: bits of the limits that are equations       */
  double *force;       /* DLS_JOINT_LIMITS a joint: what those do, at the pose evaluated last */
  double *gap, *there; /* the same: gaps of limits here; at the pose evaluated last; +inf: none */
  bool astray;         /* these differ by turns from those of the pose tried   */
  double most;         /* largest diagonal of K by that of M, 1/s^2            */
  double scale;        /* largest |udot| met, and |gravity|                    */
  double energy;       /* here, see energy_of, J                               */
} search;

enum { JOINT = 7 }; /* numbers of dls_joint_state.q */

size_t dls_equilibrium_bytes(const dls_world *w, int nq, int nu) {
  const size_t n = (size_t)nu, ld = dls_lanes_ld(nu), joints = (size_t)w->n_joints;
  const size_t turns = (size_t)w->n_bodies + (2 * JOINT + 3 * DLS_JOINT_LIMITS + 1) * joints;
  return dls_arena_bytes(2 * (size_t)nq + 6 * n + 2 * ld + 3 * n * n + n * ld + turns,
                         sizeof(double)) + 25 * DLS_ALIGN;
}

static bool take(search *x, dls_arena *tmp) {
  const size_t nq = (size_t)x->ode->nq, n = x->n, joints =
      JOINT * (size_t)x->smooth->world->n_joints;
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

/* --- lengths --------------------------------------------------------------------------------- */

static double arm_of(const dls_body *body, dls_vec3 r) {
  return body->type == DLS_DYNAMIC ? dls_v3_norm(dls_v3_sub(r, dls_v3_load(body->com))) : 0;
}

/* The largest radius of gyration, arm of a joint, arm and length of a spring, m; 1 where there is
** none. */
static double length_of(const dls_world *w) {
  double most = 0;
  for (int i = 0; i < w->n_bodies; i++)
    if (w->bodies[i].alive && w->bodies[i].type == DLS_DYNAMIC)
      most = dls_max(most, w->bodies[i].gyration);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive) continue;
    most = dls_max(most, arm_of(&w->bodies[joint->a], joint->on_a.p));
    most = dls_max(most, arm_of(&w->bodies[joint->b], joint->on_b.p));
  }
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *spring = &w->springs[i];
    if (!spring->alive) continue;
    most = dls_max(most, spring->length);
    if (w->bodies[spring->a].type == DLS_DYNAMIC)
      most = dls_max(most, dls_v3_norm(dls_v3_load(spring->anchor_a)));
    if (w->bodies[spring->b].type == DLS_DYNAMIC)
      most = dls_max(most, dls_v3_norm(dls_v3_load(spring->anchor_b)));
  }
  return most > 0 ? most : 1;
}

/* Whether a velocity of the forest turns something. */
static bool turns(const dls_forest *f, size_t i) {
  const dls_node *node = &f->nodes[f->u_node[i]];
  const int k = (int)i - node->iu;
  return node->kind == DLS_NODE_FREE ? k >= 3 : node->kind == DLS_NODE_PLANE ? k == 2 :
      node->kind != DLS_NODE_SCREW || node->a != 0 || node->b == 0;
}

void dls_world_units(const dls_world *w, double *unit) {
  const dls_forest *f = w->trees->forest;
  const double length = length_of(w);
  for (size_t i = 0; i < (size_t)f->nu; i++) {
    const dls_node *node = &f->nodes[f->u_node[i]];
    unit[i] = turns(f, i) ? 1 : node->kind == DLS_NODE_SCREW ? length / fabs(node->b) : length;
  }
}

static void mass_matrix(search *x) {
  const dls_trees *t = x->smooth->world->trees;
  dls_forest_mass_matrix(t->forest, t->state, x->M);
  for (size_t i = 0; i < x->n; i++)
    for (size_t j = 0; j < x->n; j++) x->M[i * x->n + j] *= x->unit[i] * x->unit[j];
}

/* By the length where a way of a point is in it. */
static double gap_of_row(const search *x, const dls_acc_row *row) {
  const int dim = x->smooth->world->dim, nu = 3 * (dim - 1);
  bool far = false;
  for (int k = 0; k < row->n_ends * nu; k++) far = far || (k % nu < dim && row->J[k] != 0);
  return far ? row->gap / x->length : row->gap;
}

/* --- turns of bodies and joints, which a pose alone does not tell ---------------------------- */

static void read_joints(const dls_world *w, double *q) {
  for (int i = 0; i < w->n_joints; i++)
    memcpy(q + JOINT * (size_t)i, w->joint_state[i].q, JOINT * sizeof *q);
}

/* Those of the world, at the pose evaluated last, are those of q. */
static void note_turns(search *x) {
  const dls_world *w = x->smooth->world;
  for (int i = 0; i < w->n_bodies && w->dim == 2; i++) x->angle[i] = w->q[3 * (size_t)i + 2];
  read_joints(w, x->joints);
}

/* Those of q are the world's. */
static void go_back(const search *x) {
  dls_world *w = x->smooth->world;
  memcpy(w->trees->state->q, x->q, (size_t)x->ode->nq * sizeof *x->q);
  for (int i = 0; i < w->n_bodies && w->dim == 2; i++) w->q[3 * (size_t)i + 2] = x->angle[i];
  for (int i = 0; i < w->n_joints; i++)
    memcpy(w->joint_state[i].q, x->joints + JOINT * (size_t)i, JOINT * sizeof *x->joints);
}

/* The world's at x->at, counted from q on. */
static void count_turns(search *x) {
  /* rad: another turn; in space, where halves of one tell no direction */
  static const double FAR = 1, TOO_FAR = 2.5;
  dls_world *w = x->smooth->world;
  dls_joints_keep(w);
  read_joints(w, x->seen);
  go_back(x);
  dls_trees_turn(w, x->at);
  memcpy(w->trees->state->q, x->at, (size_t)x->ode->nq * sizeof *x->at);
  dls_trees_scatter(w, w->q, w->u, true);
  dls_joints_keep(w);
  x->astray = false;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    for (int k = 0; k < joint->nu; k++) {
      const double now = w->joint_state[i].q[k], *was = x->joints + JOINT * (size_t)i;
      x->astray = x->astray || fabs(now - x->seen[JOINT * (size_t)i + (size_t)k]) > FAR;
      x->astray = x->astray || (w->dim == 3 && fabs(now - was[k]) > TOO_FAR);
    }
  }
}

/* The pose that joints admit next to q (+) share d into x->at, and udot there into a. */
static dls_status evaluate(search *x, double share, const double *d, double *a) {
  const dls_ode *ode = x->ode;
  const double *from = x->q;
  if (dls_stop_poll(ode->stop, 500.0 * (double)ode->nu)) return DLS_STOPPED;
  memcpy(x->at, from, (size_t)ode->nq * sizeof *from);
  for (size_t i = 0; i < x->n && d; i++) a[i] = x->unit[i] * d[i];
  if (d) dls_ode_advance(ode, x->at, share, a);
  memset(a, 0, x->n * sizeof *a);
  go_back(x);
  dls_trees_turn(x->smooth->world, x->at);
  dls_status status = ode->accelerate(ode->ctx, x->smooth->start, x->at, a, a);
  memcpy(x->at, x->smooth->world->trees->state->q, (size_t)ode->nq * sizeof *from);
  for (size_t i = 0; i < x->n; i++) a[i] /= x->unit[i];
  if (status == DLS_OK) count_turns(x);
  return status;
}

/* Largest gap of rigid joints, gears and limits that are held at the pose evaluated last. */
static double gap_of(const search *x) {
  const dls_world *w = x->smooth->world;
  dls_acc_row rows[DLS_JOINT_ACC_ROWS];
  double worst = 0;
  for (int i = 0; i < w->n_joints; i++) {
    if (!w->joints[i].alive) continue;
    const int n = dls_joint_acc_rows(w, i, rows);
    for (int k = 0; k < n; k++)
      if (rows[k].kind == DLS_ROW_BILATERAL) worst = dls_max(worst, fabs(gap_of_row(x, &rows[k])));
  }
  for (int i = 0; i < w->n_gears; i++)
    if (dls_gear_acc_row(w, i, rows)) worst = dls_max(worst, fabs(gap_of_row(x, &rows[0])));
  return worst;
}

/* --- limits: those of the working set are equations, the others are kept --------------------- */
/* Gaps of limits at the pose evaluated last, into x->there; penalties have forces instead. Answers
** the least. */
static double find_limits(search *x) {
  dls_world *w = x->smooth->world;
  double least = DLS_INF;
  dls_trees_keep(w);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    for (int k = 0; k < DLS_JOINT_LIMITS; k++) x->there[DLS_JOINT_LIMITS * i + k] = DLS_INF;
    if (!joint->alive || joint->formulation == DLS_PENALTY || !dls_joint_has_limits(joint))
      continue;
    double u[6] = {0}, bias[6];
    dls_acc_row row;
    const dls_joint_frame f = dls_joint_frame_moving(w, i, u, bias);
    for (int k = 0; k < DLS_JOINT_LIMITS; k++) {
      if (!dls_joint_acc_limit(w, &f, bias, k, &row)) continue;
      x->there[DLS_JOINT_LIMITS * i + k] = gap_of_row(x, &row);
      least = dls_min(least, x->there[DLS_JOINT_LIMITS * i + k]);
    }
  }
  return least;
}

static bool is_held(const search *x, int i) {
  return (x->held[i / DLS_JOINT_LIMITS] >> i % DLS_JOINT_LIMITS & 1) != 0;
}

static void hold(search *x, int limit, bool on) {
  unsigned char *bits = &x->held[limit / DLS_JOINT_LIMITS];
  const unsigned bit = 1u << limit % DLS_JOINT_LIMITS;
  *bits = (unsigned char)(on ? *bits | bit : *bits & ~bit);
}

/* The limit that is met first on the way to the pose evaluated last, and at which share of it; -1:
** none is. */
static int first_met(search *x, double *share) {
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  int first = -1;
  if (find_limits(x) >= -LIMITED) return -1;
  for (int i = 0; i < n; i++) {
    if (!(x->there[i] < -LIMITED) || is_held(x, i)) continue;
    const double part = x->gap[i] > 0 ? x->gap[i] / (x->gap[i] - x->there[i]) : 0;
    if (first < 0 || part < *share) first = i, *share = part;
  }
  return first;
}

/* The one that pulls most is held no more; false: none pulls. */
static bool let_go(search *x) {
  static const double PULLS = 1e-9; /* of the largest force of a limit */
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  int most = -1;
  double size = 0;
  for (int i = 0; i < n; i++) {
    if (!is_held(x, i)) continue;
    size = dls_max(size, fabs(x->force[i]));
    if (x->force[i] < 0 && (most < 0 || x->force[i] < x->force[most])) most = i;
  }
  if (most < 0 || x->force[most] > -PULLS * size) return false;
  hold(x, most, false);
  return true;
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
static dls_status differentiate(search *x, size_t j) {
  static const double at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
  const size_t n = x->n;
  memset(x->d, 0, n * sizeof *x->d);
  for (int k = 0; k < 4; k++) {
    x->d[j] = 1;
    const dls_status status = evaluate(x, at[k] * STEP, x->d, x->tried);
    if (status != DLS_OK) return status;
    mass_matrix(x);
    times(n, x->M, x->tried, false, x->d);
    for (size_t i = 0; i < n; i++) x->K[i * n + j] -= weight[k] * x->d[i] / (12 * STEP);
    memset(x->d, 0, n * sizeof *x->d);
  }
  return dls_stop_poll(x->ode->stop, (double)(n * n)) ? DLS_STOPPED : DLS_OK;
}

/* Column j of P, which takes velocities at q to those that joints admit. */
static dls_status project(search *x, size_t j) {
  const dls_ode *ode = x->ode;
  memcpy(x->at, x->q, (size_t)ode->nq * sizeof *x->q);
  go_back(x);
  memset(x->d, 0, x->n * sizeof *x->d);
  x->d[j] = x->unit[j];
  const dls_status status = ode->accelerate(ode->ctx, x->smooth->start, x->at, x->d, x->tried);
  const double *u = x->smooth->world->trees->state->u;
  for (size_t i = 0; i < x->n && status == DLS_OK; i++) x->P[i * x->n + j] = u[i] / x->unit[i];
  return status;
}

/* K = -P' D(M a) P at q, made symmetric; M at q. */
static dls_status curvature(search *x) {
  const size_t n = x->n;
  dls_status status = DLS_OK;
  memset(x->K, 0, n * n * sizeof *x->K);
  for (size_t j = 0; j < n && status == DLS_OK; j++) status = differentiate(x, j);
  for (size_t j = 0; j < n && status == DLS_OK; j++) status = project(x, j);
  if (status == DLS_OK) status = evaluate(x, 0, NULL, x->tried);
  if (status != DLS_OK) return status;
  mass_matrix(x);
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
static bool factor(search *x, double mu) {
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
static double solve(search *x) {
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

static double force_along(search *x, const double *a) {
  double sum = 0;
  for (size_t i = 0; i < x->n; i++) sum += x->Ms[i] * a[i];
  return sum;
}

/* Energy of a motor that holds a position, as that of a spring which gives in at its largest
** force. */
static double motor_energy(const dls_motor *motor, double q) {
  const double k = motor->stiffness, off = fabs(motor->target - q);
  if (motor->kind != DLS_MOTOR_POSITION || !(k > 0)) return 0;
  return k * off <= motor->most ? 0.5 * k * off * off : motor->most * (off - 0.5 * motor->most / k);
}

/* Energy of the pose evaluated last, less the work of constant forces: what falls where forces
** push, but for fields and, in space, torques. */
static double energy_of(dls_world *w) {
  double of[3];
  dls_trees_keep(w);
  dls_trees_scatter(w, w->q, w->u, true);
  dls_world_energy(w, of);
  double sum = of[1] + of[2];
  for (int i = 0; i < w->n_bodies; i++) {
    const double *q = w->q + (size_t)i * dls_nq_of(w), *load = w->load + (size_t)i * dls_nu_of(w);
    if (!w->bodies[i].alive || w->bodies[i].type != DLS_DYNAMIC) continue;
    for (int k = 0; k < 3; k++) sum -= load[k] * q[k]; /* forces; in the plane the torque, too */
  }
  for (int i = 0; i < w->n_joints; i++) {
    double q[7], u[6];
    if (!w->joints[i].alive || !dls_joint_is_chain(&w->joints[i])) continue;
    dls_joint_now(w, i, q, u);
    for (int k = 0; k < w->joints[i].nu; k++) sum -= w->joint_state[i].torque[k] * q[k];
    sum += motor_energy(&w->joints[i].motor, q[0]);
  }
  return sum;
}

/* Whether the pose tried, at the share of the step, is nearer. */
static bool is_nearer(search *x, double share, double before, double *energy) {
  /* of what the step foretells; of the energy */
  static const double FALL = 1e-4, ROUND_OFF = 1e-13;
  dls_world *w = x->smooth->world;
  const double now = largest(x->n, x->a), there = largest(x->n, x->tried);
  if (x->astray || gap_of(x) > CLOSED || !(there < DLS_INF)) return false;
  *energy = energy_of(w);
  const double change = *energy - x->energy;
  if (w->hooks.field) return there < now || force_along(x, x->tried) >= 0;
  if (fabs(change) <= ROUND_OFF * (fabs(x->energy) + fabs(*energy)) ||
      share * before <= ROUND_OFF * fabs(x->energy))
    return there < now;
  return change <= -FALL * share * before;
}

/* One step of at most the radius of trust. *moved: it was made. */
static dls_status go(search *x, double *trust, bool *moved) {
  enum { HALVINGS = 40 };
  static const double NO_WAY = 1e-9; /* it is at the limit */
  const size_t n = x->n, nq = (size_t)x->ode->nq;
  const double longest = solve(x);
  double share = longest > *trust ? *trust / longest : 1, energy = 0;
  for (size_t i = 0; i < n; i++)
    if (turns(x->smooth->world->trees->forest, i) && fabs(x->s[i]) * share > MOST_TURN)
      share = MOST_TURN / fabs(x->s[i]);
  *moved = false;
  for (size_t i = 0; i < n; i++) {
    x->Ms[i] = 0;
    for (size_t j = 0; j < n; j++) x->Ms[i] += x->M[i * n + j] * x->s[j];
  }
  const double before = force_along(x, x->a);
  int met = -1;
  for (int k = 0; k < HALVINGS && !*moved; k++) {
    dls_status status = evaluate(x, share, x->s, x->tried);
    if (status != DLS_OK) return status;
    double part = 1;
    const int next = first_met(x, &part);
    if (met >= 0 && next >= 0) hold(x, met, false);
    if (next >= 0) { /* up to the limit, which is held from there on */
      hold(x, next, true);
      met = next;
      share *= part;
      continue;
    }
    *moved = is_nearer(x, share, before, &energy);
    *moved = *moved || (met >= 0 && share * longest < NO_WAY && !x->astray &&
                        gap_of(x) <= CLOSED);
    if (!*moved) {
      if (met >= 0) hold(x, met, false);
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
    note_turns(x);
    memcpy(x->a, x->tried, n * sizeof *x->a);
    x->energy = energy;
    x->scale = dls_max(x->scale, largest(n, x->a));
  }
  if (!*moved && met >= 0) hold(x, met, false);
  return DLS_OK;
}

/* Whether the pose found is one with everything that joints have: limits kept, motors and friction
** at rest. */
static bool is_rest(search *x) {
  dls_world *w = x->smooth->world;
  if (evaluate(x, 0, NULL, x->tried) != DLS_OK || find_limits(x) < -LIMITED) return false;
  w->trees->limits_held = NULL;
  const dls_status status = dls_world_accelerate(w, DLS_ROWS_OF_JOINTS);
  w->trees->limits_held = x->held;
  for (size_t i = 0; i < x->n; i++) x->tried[i] = w->trees->state->udot[i] / x->unit[i];
  return status == DLS_OK && largest(x->n, x->tried) <= 10 * ALMOST * x->scale;
}

/* Joints, limits that are reached too, may be open at first: turns of the projection. *closed: they
** are not at the end. */
static dls_status close_joints(search *x, bool *closed) {
  enum { TURNS = 8 };
  dls_world *w = x->smooth->world;
  dls_status status = DLS_OK;
  memset(x->held, 0, (size_t)w->n_joints);
  /* of limits without a row */
  memset(x->force, 0, DLS_JOINT_LIMITS * (size_t)w->n_joints * sizeof *x->force);
  x->smooth->limited = find_limits(x) < DLS_INF;
  *closed = false;
  for (int k = 0; k < TURNS && status == DLS_OK; k++) {
    (void)find_limits(x);
    for (int i = 0; i < DLS_JOINT_LIMITS * w->n_joints; i++)
      if (x->there[i] <= LIMITED) hold(x, i, true);
    status = evaluate(x, 0, NULL, x->a);
    memcpy(x->q, x->at, (size_t)x->ode->nq * sizeof *x->q);
    if (status == DLS_OK) note_turns(x);
    *closed = status == DLS_OK && gap_of(x) <= CLOSED && find_limits(x) >= -LIMITED;
    if (*closed) break;
  }
  memcpy(x->gap, x->there, DLS_JOINT_LIMITS * (size_t)w->n_joints * sizeof *x->gap);
  return status;
}

/* From x->q on: steps, until none comes nearer and no limit that is held pulls. *done: it is
** balanced. */
static dls_status descend(search *x, dls_rest *report, bool *done) {
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
      status = evaluate(x, 0, NULL, x->a); /* forces of limits here */
      if (status == DLS_OK && report->iterations < STEPS && let_go(x)) {
        status = evaluate(x, 0, NULL, x->a);
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
static dls_status let_go_idle(search *x, bool *any) {
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  dls_status status = DLS_OK;
  *any = false;
  for (int i = 0; i < n && status == DLS_OK; i++) {
    if (!is_held(x, i)) continue;
    hold(x, i, false);
    status = evaluate(x, 0, NULL, x->tried);
    const bool idle = largest(x->n, x->tried) <= ALMOST * x->scale;
    if (!idle) hold(x, i, true);
    *any = *any || idle;
  }
  return status;
}

/* Whether energy falls in no direction, to second order. */
static dls_status judge(search *x, bool *stable) {
  bool idle;
  dls_status status = let_go_idle(x, &idle);
  if (status == DLS_OK && idle) status = curvature(x);
  *stable = status == DLS_OK && (x->n == 0 || factor(x, dls_max(NEUTRAL * x->most, 1e-300)));
  return status;
}

/* Whether contacts, which have no part in the search, would act at the pose found. */
static dls_status find_contacts(search *x, bool *any) {
  int n = 0;
  dls_status status = evaluate(x, 0, NULL, x->tried);
  if (status == DLS_OK) status = dls_contacts_acc(x->smooth->world, NULL, 0, &n);
  *any = n > 0;
  return status;
}

dls_status dls_world_equilibrium(dls_smooth *smooth, const dls_ode *ode, dls_arena *tmp, double *q,
                                 dls_rest *report) {
  const size_t mark = dls_arena_mark(tmp);
  dls_world *w = smooth->world;
  search x = {.smooth = smooth, .ode = ode, .n = (size_t)ode->nu, .ld = dls_lanes_ld(ode->nu)};
  *report = (dls_rest){.residual = 0};
  if (!take(&x, tmp)) return DLS_FULL;
  memcpy(x.q, q, (size_t)ode->nq * sizeof *q);
  x.length = length_of(w);
  dls_world_units(w, x.unit);
  note_turns(&x);
  w->trees->limits_held = x.held;
  w->trees->limit_force = x.force;
  bool closed = false, done = false;
  dls_status status = close_joints(&x, &closed);
  if (status == DLS_OK) x.energy = energy_of(w);
  x.scale = dls_max(largest(x.n, x.a), dls_v3_norm(dls_v3_load(w->gravity)) / x.length);
  if (status == DLS_OK) status = descend(&x, report, &done);
  if (status == DLS_OK) {
    report->converged = closed && report->residual <= ALMOST && is_rest(&x);
    if (report->converged) status = judge(&x, &report->stable);
    if (status == DLS_OK && report->converged) status = find_contacts(&x, &report->contacts);
    memcpy(q, x.q, (size_t)ode->nq * sizeof *q);
    go_back(&x);
  }
  w->trees->limits_held = NULL;
  w->trees->limit_force = NULL;
  dls_arena_release(tmp, mark);
  return status;
}
