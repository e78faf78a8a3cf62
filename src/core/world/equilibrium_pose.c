/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/world/equilibrium_search.h"

#include "core/joints/joint_forces.h"
#include "core/joints/reactions.h"
#include "core/model/frames.h"
#include "core/world/equilibrium.h"
#include "core/world/world.h"

/* --- lengths --------------------------------------------------------------------------------- */

static double arm_of(const dls_body *body, dls_vec3 r) {
  return body->type == DLS_DYNAMIC ? dls_v3_norm(dls_v3_sub(r, dls_v3_load(body->com))) : 0;
}

double dls_equilibrium_length(const dls_world *w) {
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

bool dls_equilibrium_turns(const dls_forest *f, size_t i) {
  const dls_node *node = &f->nodes[f->u_node[i]];
  const int k = (int)i - node->iu;
  return node->kind == DLS_NODE_FREE ? k >= 3 : node->kind == DLS_NODE_PLANE ? k == 2 :
      node->kind != DLS_NODE_SCREW || node->a != 0 || node->b == 0;
}

void dls_world_units(const dls_world *w, double *unit) {
  const dls_forest *f = w->trees->forest;
  const double length = dls_equilibrium_length(w);
  for (size_t i = 0; i < (size_t)f->nu; i++) {
    const dls_node *node = &f->nodes[f->u_node[i]];
    unit[i] = dls_equilibrium_turns(f, i)         ? 1
              : node->kind == DLS_NODE_SCREW ? length / fabs(node->b)
                                             : length;
  }
}

void dls_equilibrium_mass(dls_equilibrium_search *x) {
  const dls_trees *t = x->smooth->world->trees;
  dls_forest_mass_matrix(t->forest, t->state, x->M);
  for (size_t i = 0; i < x->n; i++)
    for (size_t j = 0; j < x->n; j++) x->M[i * x->n + j] *= x->unit[i] * x->unit[j];
}

/* By the length where a way of a point is in it. */
static double gap_of_row(const dls_equilibrium_search *x, const dls_acc_row *row) {
  const int dim = x->smooth->world->dim, nu = 3 * (dim - 1);
  bool far = false;
  for (int k = 0; k < row->n_ends * nu; k++) far = far || (k % nu < dim && row->J[k] != 0);
  return far ? row->gap / x->length : row->gap;
}

/* --- turns of bodies and joints, which a pose alone does not tell ---------------------------- */

static void read_joints(const dls_world *w, double *q) {
  for (int i = 0; i < w->n_joints; i++)
    memcpy(q + DLS_JOINT_NUMBERS * (size_t)i, w->joint_state[i].q, DLS_JOINT_NUMBERS * sizeof *q);
}

void dls_equilibrium_note_turns(dls_equilibrium_search *x) {
  const dls_world *w = x->smooth->world;
  for (int i = 0; i < w->n_bodies && w->dim == 2; i++) x->angle[i] = w->q[3 * (size_t)i + 2];
  read_joints(w, x->joints);
}

void dls_equilibrium_go_back(const dls_equilibrium_search *x) {
  dls_world *w = x->smooth->world;
  memcpy(w->trees->state->q, x->q, (size_t)x->ode->nq * sizeof *x->q);
  for (int i = 0; i < w->n_bodies && w->dim == 2; i++) w->q[3 * (size_t)i + 2] = x->angle[i];
  for (int i = 0; i < w->n_joints; i++)
    memcpy(w->joint_state[i].q, x->joints + DLS_JOINT_NUMBERS * (size_t)i,
           DLS_JOINT_NUMBERS * sizeof *x->joints);
}

/* The world's at x->at, counted from q on. */
static void count_turns(dls_equilibrium_search *x) {
  /* rad: another turn; in space, where halves of one tell no direction */
  static const double FAR = 1, TOO_FAR = 2.5;
  dls_world *w = x->smooth->world;
  dls_joints_keep(w);
  read_joints(w, x->seen);
  dls_equilibrium_go_back(x);
  dls_trees_turn(w, x->at);
  memcpy(w->trees->state->q, x->at, (size_t)x->ode->nq * sizeof *x->at);
  dls_trees_scatter(w, w->q, w->u, true);
  dls_joints_keep(w);
  x->astray = false;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    for (int k = 0; k < joint->nu; k++) {
      const double now = w->joint_state[i].q[k], *was = x->joints + DLS_JOINT_NUMBERS * (size_t)i;
      x->astray = x->astray || fabs(now - x->seen[DLS_JOINT_NUMBERS * (size_t)i + (size_t)k]) > FAR;
      x->astray = x->astray || (w->dim == 3 && fabs(now - was[k]) > TOO_FAR);
    }
  }
}

dls_status dls_equilibrium_evaluate(dls_equilibrium_search *x, double share, const double *d,
                                    double *a) {
  const dls_ode *ode = x->ode;
  const double *from = x->q;
  if (dls_stop_poll(ode->stop, 500.0 * (double)ode->nu)) return DLS_STOPPED;
  memcpy(x->at, from, (size_t)ode->nq * sizeof *from);
  for (size_t i = 0; i < x->n && d; i++) a[i] = x->unit[i] * d[i];
  if (d) dls_ode_advance(ode, x->at, share, a);
  memset(a, 0, x->n * sizeof *a);
  dls_equilibrium_go_back(x);
  dls_trees_turn(x->smooth->world, x->at);
  dls_status status = ode->accelerate(ode->ctx, x->smooth->start, x->at, a, a);
  memcpy(x->at, x->smooth->world->trees->state->q, (size_t)ode->nq * sizeof *from);
  for (size_t i = 0; i < x->n; i++) a[i] /= x->unit[i];
  if (status == DLS_OK) count_turns(x);
  return status;
}

double dls_equilibrium_gap(const dls_equilibrium_search *x) {
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

/* --- limits ---------------------------------------------------------------------------------- */

double dls_equilibrium_find_limits(dls_equilibrium_search *x) {
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

bool dls_equilibrium_holds(const dls_equilibrium_search *x, int i) {
  return (x->held[i / DLS_JOINT_LIMITS] >> i % DLS_JOINT_LIMITS & 1) != 0;
}

void dls_equilibrium_hold(dls_equilibrium_search *x, int limit, bool on) {
  unsigned char *bits = &x->held[limit / DLS_JOINT_LIMITS];
  const unsigned bit = 1u << limit % DLS_JOINT_LIMITS;
  *bits = (unsigned char)(on ? *bits | bit : *bits & ~bit);
}

int dls_equilibrium_first_met(dls_equilibrium_search *x, double *share) {
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  int first = -1;
  if (dls_equilibrium_find_limits(x) >= -DLS_LIMITED) return -1;
  for (int i = 0; i < n; i++) {
    if (!(x->there[i] < -DLS_LIMITED) || dls_equilibrium_holds(x, i)) continue;
    const double part = x->gap[i] > 0 ? x->gap[i] / (x->gap[i] - x->there[i]) : 0;
    if (first < 0 || part < *share) first = i, *share = part;
  }
  return first;
}

bool dls_equilibrium_let_go(dls_equilibrium_search *x) {
  static const double PULLS = 1e-9; /* of the largest force of a limit */
  const int n = DLS_JOINT_LIMITS * x->smooth->world->n_joints;
  int most = -1;
  double size = 0;
  for (int i = 0; i < n; i++) {
    if (!dls_equilibrium_holds(x, i)) continue;
    size = dls_max(size, fabs(x->force[i]));
    if (x->force[i] < 0 && (most < 0 || x->force[i] < x->force[most])) most = i;
  }
  if (most < 0 || x->force[most] > -PULLS * size) return false;
  dls_equilibrium_hold(x, most, false);
  return true;
}

/* --- energy ---------------------------------------------------------------------------------- */

/* Energy of a motor that holds a position, as that of a spring which gives in at its largest
** force. */
static double motor_energy(const dls_motor *motor, double q) {
  const double k = motor->stiffness, off = fabs(motor->target - q);
  if (motor->kind != DLS_MOTOR_POSITION || !(k > 0)) return 0;
  return k * off <= motor->most ? 0.5 * k * off * off : motor->most * (off - 0.5 * motor->most / k);
}

double dls_equilibrium_energy(dls_world *w) {
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
