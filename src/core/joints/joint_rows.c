/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/joint_rows.h"

#include "core/base/dim.h"
#include "core/joints/joint_frame.h"
#include "core/joints/held.h"
#include "core/joints/joint_forces.h"
#include "core/joints/penalties.h"
#include "core/joints/spring_law.h"
#include "core/joints/spring_rows.h"
#include "core/model/row_frame.h"
#include "core/rows/impulses.h"
#include "core/rows/tree_rows.h"

dls_block *dls_functional_block(dls_joint_stage *S, const dls_joint_frame *f, int index, int kind,
                                int what,
                                const double *d, int n) {
  dls_rows *rows = S->rows;
  S->what[rows->n_blocks] = what;
  dls_block *block = &rows->block[rows->n_blocks++];
  *block = (dls_block){.kind = (unsigned char)kind, .a = f->joint->a, .b = f->joint->b,
                       .row = rows->n_rows,
                       .n = (unsigned char)n, .source = -1 - index};
  for (int i = 0; i < n; i++) {
    const int row = rows->n_rows++;
    const double *of_row = d + 6 * i;
    const bool turns = of_row[3] == 0 && of_row[4] == 0 && of_row[5] == 0;
    dls_joint_frame_row(S->w, f, S->q_c, of_row, rows->J + (size_t)row * 2 * S->nu);
    rows->gamma[row] = rows->s[row] = rows->p[row] = 0;
    rows->length[row] = turns ? dls_joint_length(S->w, f->joint) : 1;
    S->bounce[row] = S->tangential[row] = S->drift[row] = 0;
  }
  return block;
}

/* A row of a joint's velocity reads what joints admit of it, as contacts do (step.md): J u' + J
** (u_c - P u_c) = J P u'. Else its s would be outside the range of W. */
static void read_admitted(dls_joint_stage *S, const dls_block *block) {
  S->rows->s[block->row] += dls_joints_admitted_more(S, block);
}

/* And those of velocity k, whose law is of the rate at the end. */
static void read_rate(dls_joint_stage *S, const dls_block *block, int index, int k) {
  S->rows->s[block->row] += dls_joints_late_rate(S, block, index, k);
  read_admitted(S, block);
}

int dls_joints_count_blocks(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints; i++)
    if (dls_joint_has_rows(&w->joints[i])) n += DLS_JOINT_LIMITS + 2 + w->joints[i].nu;
  for (int i = 0; i < w->n_gears; i++) n += w->gears[i].alive;
  return n;
}

/* The rate of the functional d of a joint that stands as f when the step began. */
static double start_rate(const dls_joint_stage *S, const dls_joint_frame *f, const double d[6]) {
  const dls_world *w = S->w;
  double J[2 * DLS_NU(3)], u[2][DLS_NU(3)];
  dls_joint_frame_row(w, f, w->q, d, J);
  for (int e = 0; e < 2; e++) {
    const int i = e == 0 ? f->joint->a : f->joint->b;
    const dls_body *body = &w->bodies[i];
    memcpy(u[e], DLS_U(S, S->u_c, i), (size_t)S->nu * sizeof(double));
    /* u_c is of the same L where the body went by itself, from where it was fitted to q_c */
    if (S->dim == 2 || !dls_moves_freely(body) || dls_is_isotropic(body)) continue;
    const double *alone = DLS_Q(S, S->held[i] == DLS_HELD ? S->q_alone_middle : S->q_c, i);
    dls_vec3 more;
    (void)dls_spin_on(body, DLS_Q(S, S->q_c, i), alone, u[e], &more);
    const dls_vec3 L = dls_angular_momentum(body, alone, u[e]);
    dls_v3_store(u[e] + 3, dls_angular_rate(body, DLS_Q(S, w->q, i), L));
  }
  return dls_row_velocity(S->nu, J, u[0], u[1]);
}

bool dls_joints_seem_stiff(const dls_joint_stage *S, const dls_block *block) {
  if (block->kind != DLS_ROW_BOX || block->source >= 0 || S->theta != 0.5) return false;
  const int what = S->what[block - S->rows->block];
  const dls_motor *motor = &S->w->joints[-1 - block->source].motor;
  if (!(what & DLS_WHAT_MOTOR) || motor->kind != DLS_MOTOR_POSITION) return false;
  return dls_spring_law_z(motor->stiffness, motor->damping, S->h,
                          dls_row_alone(S->rows, block, 0)) > 1;
}

/* With x and the rate v0 before the step, m = (v0 + v)/2 the mean rate, v the one after:
**
**     p = -h ( k x + (1 - f) (k h/2 + c) m + f (k h + c) v ).
**
** f = 0, where the step resolves it: the implicit midpoint, as of springs (spring_law.h). Towards
** f = 1, where it does not: implicit Euler's, whose oscillations fall by 0.7 a step at least. */
void dls_joints_hold_position(dls_joint_stage *S, const dls_block *block, double give) {
  const int index = -1 - block->source;
  const dls_motor *motor = &S->w->joints[index].motor;
  const dls_joint_frame start = dls_joint_frame_at(S->w, index, S->w->q);
  const double h = S->h, k = motor->stiffness, c = motor->damping,
               x = start.q[0] - motor->target, v0 = start_rate(S, &start, start.dual);
  const double f = dls_spring_law_apart(dls_spring_law_z(k, c, h, give)),
               mean = (1 - f) * (0.5 * k * h + c);
  const double d = 0.5 * mean + f * (k * h + c);
  S->rows->gamma[block->row] = 1 / (h * d);
  S->rows->s[block->row] = (k * x + 0.5 * mean * v0) / d;
  read_rate(S, block, index, 0);
}

static void add_motor(dls_joint_stage *S, const dls_joint_frame *f, int index) {
  const dls_motor *motor = &f->joint->motor;
  const double th = S->theta * S->h, c = motor->stiffness * th + motor->damping;
  if (motor->kind == DLS_MOTOR_NONE || !(motor->most > 0)) return;
  if (motor->kind == DLS_MOTOR_POSITION && !(c > 0)) return;
  dls_block *block = dls_functional_block(S, f, index, DLS_ROW_BOX,
                                          DLS_WHAT_MOTOR | DLS_JOINT_LIMITS, f->dual, 1);
  block->hi = S->h * motor->most;
  block->lo = -block->hi;
  S->rows->s[block->row] = -motor->target;
  if (motor->kind == DLS_MOTOR_POSITION && S->theta == 0.5) {
    dls_prepare_rows(S->rows, block, 1);
    dls_joints_hold_position(S, block, dls_row_alone(S->rows, block, 0));
    S->n_stiff += dls_joints_seem_stiff(S, block);
    return;
  }
  if (motor->kind == DLS_MOTOR_POSITION) {
    S->rows->gamma[block->row] = 1 / (S->h * c);
    S->rows->s[block->row] = -motor->stiffness * (motor->target - f->q[0]) / c;
  }
  read_rate(S, block, index, 0);
}

/* The prescribed motions of a joint when the step began. What is known of them is of the middle:
** less half a step at the rate there. */
static const double *drives_at_start(const dls_joint_stage *S, int index,
                                     double drives[3 * DLS_MAX_MOTIONS]) {
  const dls_world *w = S->w;
  const double *now = w->joint_drive + 3 * DLS_MAX_MOTIONS * (size_t)index,
      since = (1 - S->theta) * S->h;
  if (w->joints[index].n_driven == 0) return now;
  for (int k = 0; k < w->joints[index].n_motions; k++) {
    const double *of = now + 3 * k;
    drives[3 * k] = of[0] - since * (of[1] - 0.5 * since * of[2]);
    drives[3 * k + 1] = of[1] - since * of[2];
    drives[3 * k + 2] = of[2];
  }
  return drives;
}

double dls_joints_closed_limit(const dls_joint_stage *S, int index, int k) {
  const dls_joint *joint = &S->w->joints[index];
  return dls_joint_limit_turns(joint, k) ? DLS_CLOSED : DLS_CLOSED * dls_joint_size(S->w, joint);
}

dls_limit_start dls_joints_limit_start(const dls_joint_stage *S, int index, int k) {
  double drives[3 * DLS_MAX_MOTIONS], d[6];
  dls_joint_frame f;
  dls_joint_frame_for_limits(S->w, index, S->w->q, drives_at_start(S, index, drives), &f);
  dls_limit_start start = {.rate = 0};
  double gap = 0;
  if (dls_joint_frame_limit(&f, k, &gap, d)) start.rate = start_rate(S, &f, d);
  start.open = gap > dls_joints_closed_limit(S, index, k);
  return start;
}

double dls_joints_late(const dls_joint_stage *S, double early) {
  return S->theta < 1 ? S->theta / (1 - S->theta) * early : 0;
}

/* J P u_c of a row. */
static double rate_admitted(const dls_joint_stage *S, const dls_block *block) {
  const double *J = S->rows->J + (size_t)block->row * 2 * S->nu;
  return dls_velocity_between(S, J, S->u_c, block->a, block->b) -
         dls_joints_admitted_more(S, block);
}

double dls_joints_late_rate(const dls_joint_stage *S, const dls_block *block, int index, int k) {
  double drives[3 * DLS_MAX_MOTIONS];
  const dls_joint_frame f =
      dls_joint_frame_driven(S->w, index, S->w->q, drives_at_start(S, index, drives));
  if (!f.regular || S->theta == 1) return 0;
  const double *d = f.dual + 6 * k, now = rate_admitted(S, block);
  return dls_joints_late(S, now + S->drift[block->row] - start_rate(S, &f, d) +
                                dls_functional(d, f.rate));
}

double dls_joints_limit_gain(const dls_joint_stage *S, const dls_block *block,
                             const dls_limit_start *start) {
  const double before = rate_admitted(S, block);
  return S->theta == 0.5 ? dls_clamp(before - start->rate, 0, dls_max(before, 0)) : 0;
}

/* s of a limit: it may close its gap by the end and no more. Of one that was open when the step
** began, which forces of inertia lift by `gain` in either half of the step: with v = J P u' the gap
** is
**
**     at the end   gap + theta h (v + gain/2),    of which theta h gain/2 is in that at q_c.
**
** (gain as far as the limit itself parts, and for theta = 1/2 alone: of what has little inertia it
** is round-off.) Of one that was closed s goes by the rate J P u_c alone: that the mean of the
** velocities before and after is zero, as bilateral rows have it, is right to second order, whatever
** `before` has of forces of inertia; and it lies in the range of W, which a gap of 1e-12 over h does
** not: redundant rows would then press without bound on each other. What closed it when the step
** began ends there. */
static double shift_of_limit(const dls_joint_stage *S, double gap, const dls_block *block,
                             const dls_limit_start *start) {
  const double early = (1 - S->theta) * S->h, later = S->theta * S->h;
  if (start->open) {
    const double gain = dls_joints_limit_gain(S, block, start);
    return dls_max(0, gap - 0.5 * early * gain) / later + gain;
  }
  return early / later * (rate_admitted(S, block) - dls_min(0, start->rate));
}

/* Limits that are reached, or could be within the step; and those that pressed in the last one,
** which stand by where they opened: what presses them may come by way of contacts, and no free
** velocity foretells it. */
static void add_limits(dls_joint_stage *S, const dls_joint_frame *f, int i) {
  const dls_joint *joint = f->joint;
  for (int k = 0; k < DLS_JOINT_LIMITS && joint->formulation != DLS_PENALTY; k++) {
    double gap = 0, d[6], J[2 * DLS_NU(3)];
    if (!dls_joint_frame_limit(f, k, &gap, d)) continue;
    dls_joint_frame_row(S->w, f, S->q_c, d, J);
    const double v = dls_velocity_between(S, J, S->u_ahead, joint->a, joint->b);
    const double th = S->theta * S->h;
    /* springs and motors are not in v */
    const double pressed = S->w->joint_state[i].p[k];
    const bool closed = !(gap > dls_joints_closed_limit(S, i, k));
    if (!closed && gap > 4 * th * fabs(v) && !(pressed > 0)) continue;
    dls_block *block = dls_functional_block(S, f, i, DLS_ROW_UNILATERAL, k, d, 1);
    const dls_limit_start start = dls_joints_limit_start(S, i, k);
    S->rows->s[block->row] = shift_of_limit(S, gap, block, &start);
    S->rows->p[block->row] = dls_max(0, pressed);
    read_admitted(S, block);
  }
}

/* Dry friction along its coordinates. */
static void add_friction(dls_joint_stage *S, const dls_joint_frame *f, int i) {
  const dls_joint *joint = f->joint;
  for (int k = 0; f->regular && joint->friction > 0 && k < joint->nu; k++) {
    dls_block *block = dls_functional_block(S, f, i, DLS_ROW_BOX, DLS_JOINT_LIMITS + k,
                                            f->dual + 6 * k, 1);
    block->hi = S->h * joint->friction;
    block->lo = -block->hi;
    S->rows->s[block->row] = S->drift[block->row] = -dls_functional(f->dual + 6 * k, f->rate);
    read_rate(S, block, i, k);
  }
}

/* Rows along which no joint of their trees gives way (a second hinge in line with the first) become
** rows of zeros, as those of contacts do: of what an impulse moves, and of what they miss,
** round-off alone is left. */
static void forget_pinned(dls_joint_stage *S, const dls_block *block) {
  const size_t width = 2 * (size_t)S->nu;
  for (int i = block->row; i < block->row + block->n; i++) {
    double *J = S->rows->J + (size_t)i * width;
    if (!dls_is_pinned(S->rows, J, block->a, block->b)) continue;
    memset(J, 0, width * sizeof *J);
    S->rows->s[i] = S->drift[i] = 0;
  }
}

/* The constraints of a rigid joint, on the mean of the velocities before and after (tree_step.c),
** and its springs. */
static void add_constraints(dls_joint_stage *S, const dls_joint_frame *f, int i) {
  const dls_joint *joint = f->joint;
  dls_rows *rows = S->rows;
  double N[36];
  const int n = dls_joint_frame_held(S->dim, f, N);
  const double *held = rows->J + (size_t)rows->n_rows * 2 * S->nu;
  if (n == 0) {
    dls_joint_springs_add(S, f, i, held, 0);
    return;
  }
  dls_block *block = dls_functional_block(S, f, i, DLS_ROW_BILATERAL, -1, N, n);
  for (int k = 0; k < n; k++) {
    const double *J = rows->J + (size_t)(block->row + k) * 2 * S->nu;
    S->drift[block->row + k] = -dls_functional(N + 6 * k, f->rate);
    rows->s[block->row + k] = dls_velocity_between(S, J, S->u_c, joint->a, joint->b) +
                              2 * S->drift[block->row + k];
  }
  dls_joint_springs_add(S, f, i, held, n);
  forget_pinned(S, block);
}

/* Whether a reduced joint has no rows but those of limits. */
static bool has_limits_alone(const dls_joint *joint) {
  return joint->formulation == DLS_REDUCED && !(joint->friction > 0) &&
         joint->motor.kind == DLS_MOTOR_NONE;
}

/* Whether a reduced joint of turns has limits alone, and its coordinates tell that none of them
** could be a row: see add_limits. */
static bool is_free_to_turn(const dls_joint_stage *S, int i) {
  const dls_joint *joint = &S->w->joints[i];
  for (int k = 0; k < DLS_JOINT_LIMITS; k++)
    if (S->w->joint_state[i].p[k] > 0) return false;
  if (!has_limits_alone(joint)) return false;
  if (joint->kind != DLS_KIND_SPHERICAL && joint->kind != DLS_KIND_REVOLUTE) return false;
  const double *u_a = DLS_U(S, S->u_ahead, joint->a) + S->dim,
      *u_b = DLS_U(S, S->u_ahead, joint->b) + S->dim;
  double fastest = 0; /* no component of their spin is larger */
  for (int k = 0; k < S->nu - S->dim; k++) fastest += fabs(u_b[k] - u_a[k]);
  return dls_joint_limits_are_far(S, i, S->w->trees->q_mid, 4 * S->theta * S->h * fastest);
}

void dls_joints_find_rows(dls_joint_stage *S) {
  dls_world *w = S->w;
  S->n_stiff = 0;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_joint_has_rows(joint) || is_free_to_turn(S, i)) continue;
    const bool held = joint->formulation == DLS_RIGID && !S->doubled[i];
    if (!held && !dls_joint_has_laws(joint)) continue;
    dls_joint_frame f;
    if (has_limits_alone(joint)) {
      dls_joint_frame_for_limits(w, i, S->q_c, NULL, &f);
      add_limits(S, &f, i);
      continue;
    }
    f = dls_joint_frame_at(w, i, S->q_c);
    add_limits(S, &f, i);
    if (f.regular) add_motor(S, &f, i);
    add_friction(S, &f, i);
    if (held) add_constraints(S, &f, i);
  }
}

bool dls_joints_have_rates(const dls_joint_stage *S) {
  for (int i = 0; i < S->w->n_joints; i++) {
    const dls_joint *joint = &S->w->joints[i];
    if (!joint->alive || joint->formulation == DLS_PENALTY) continue;
    if (joint->friction > 0 || joint->motor.kind != DLS_MOTOR_NONE || dls_joint_has_limits(joint))
      return true;
  }
  return false;
}

bool dls_joints_act_on(const dls_joint_stage *S, int body) {
  return dls_held_by_tree(S, body) || (S->jointed[body] & 2) != 0;
}

void dls_joint_record(dls_joint_stage *S, const dls_block *block) {
  for (int i = block->row; i < block->row + block->n; i++)
    dls_joint_own_add(S->w, S->q_c, -1 - block->source, S->rows->J + (size_t)i * 2 * S->nu,
                      S->rows->p[i] / S->h);
}

void dls_joints_remember(const dls_joint_stage *S) {
  dls_world *w = S->w;
  if (w->n_joints == 0) return;
  for (int i = 0; i < w->n_joints; i++) memset(w->joint_state[i].p, 0, sizeof w->joint_state[i].p);
  for (int k = 0; k < S->rows->n_blocks; k++) {
    const dls_block *block = &S->rows->block[k];
    if (block->source < 0 && S->what[k] >= 0 && S->what[k] < DLS_JOINT_LIMITS)
      w->joint_state[-1 - block->source].p[S->what[k]] = S->rows->p[block->row];
  }
}

void dls_joints_note_carried(dls_joint_stage *S, const dls_joint *joint, const double *J,
                             double force, double drift) {
  double carried = -drift;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? joint->a : joint->b;
    if (!dls_moves_freely(&S->w->bodies[body]))
      carried += dls_dot_u(S->nu, J + e * S->nu, DLS_U(S, S->u_c, body));
  }
  S->joint_work += S->h * force * carried;
  S->closed_kinematic -= S->h * force * carried;
}

void dls_joints_push_torques(dls_joint_stage *S) {
  dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || joint->nu == 0) continue;
    if (joint->formulation == DLS_PENALTY) continue; /* penalty_step.c does */
    if (!w->springs_push && dls_joint_is_idle(w, i)) continue;
    const dls_joint_frame f = dls_joint_frame_at(S->w, i, S->q_c);
    double J[2 * DLS_NU(3)], rate[6], force[6];
    if (!f.regular) continue;
    for (int k = 0; k < joint->nu && w->springs_push; k++) {
      dls_joint_frame_row(S->w, &f, S->q_c, f.dual + 6 * k, J);
      rate[k] = dls_velocity_between(S, J, S->u_c, joint->a, joint->b) -
          dls_functional(f.dual + 6 * k, f.rate);
    }
    if (w->springs_push) dls_joint_force(S->w, i, &f, rate, force);
    else dls_joint_torque(S->w, i, force);
    for (int k = 0; k < joint->nu; k++) {
      if (force[k] == 0) continue;
      dls_joint_frame_row(S->w, &f, S->q_c, f.dual + 6 * k, J);
      dls_joint_own_add(S->w, S->q_c, i, J, force[k]);
      dls_joints_note_carried(S, joint, J, force[k], dls_functional(f.dual + 6 * k, f.rate));
      dls_add_u(S->nu, DLS_U(S, S->push, joint->a), force[k], J);
      dls_add_u(S->nu, DLS_U(S, S->push, joint->b), force[k], J + S->nu);
    }
  }
}

/* --- gears ----------------------------------------------------------------------------------- */

void dls_gears_find_rows(dls_joint_stage *S) {
  const dls_world *w = S->w;
  dls_rows *rows = S->rows;
  rows->second = S->second;
  for (int i = 0, n = 0; i < w->n_gears && S->n_gears > 0; i++) {
    dls_gear_frame at;
    if (!w->gears[i].alive || !dls_gear_frame_at(S->w, &w->gears[i], S->q_c, &at)) continue;
    const dls_joint *one = at.f[0].joint, *two = at.f[1].joint;
    const int row = rows->n_rows++;
    dls_second *second = &S->second[n++];
    S->what[rows->n_blocks] = -1;
    dls_block *block = &rows->block[rows->n_blocks++];
    *block = (dls_block){.kind = DLS_ROW_BILATERAL, .a = two->a, .b = two->b, .row = row, .n = 1,
                         .source = -1 - w->gears[i].joint[1], .second = n};
    second->c = one->a;
    second->d = one->b;
    memcpy(rows->J + (size_t)row * 2 * S->nu, at.J, 2 * (size_t)S->nu * sizeof(double));
    memcpy(second->K, at.J + 2 * S->nu, 2 * (size_t)S->nu * sizeof(double));
    rows->gamma[row] = rows->p[row] = 0;
    rows->length[row] = dls_joint_turns(two, 0) ? dls_joint_length(S->w, two) : 1;
    S->bounce[row] = S->tangential[row] = 0;
    S->drift[row] = -at.rate;
    /* on the mean of the velocities: see tree_step.c */
    rows->s[row] = dls_row_speed(S->nu, rows, block, row, S->u_c) - 2 * at.rate;
  }
}

void dls_gear_record(dls_joint_stage *S, const dls_block *block) {
  const dls_second *second = &S->second[block->second - 1];
  int n = 0;
  for (int i = 0; i < S->w->n_gears; i++) {
    dls_gear_frame at;
    if (!S->w->gears[i].alive || !dls_gear_frame_at(S->w, &S->w->gears[i], S->q_c, &at)) continue;
    if (++n != block->second) continue;
    dls_joint_own_add(S->w, S->q_c, S->w->gears[i].joint[0], second->K,
                      S->rows->p[block->row] / S->h);
  }
}

/* h (s v + t v') along the coordinates of joint i, bodies at q_c, as rows of its springs have it;
** false: they have no rates. */
static bool ways_along(const dls_joint_stage *S, int i, double s, double t, double way[6]) {
  const dls_joint *joint = &S->w->joints[i];
  if (joint->formulation == DLS_PENALTY) {
    dls_along before, after;
    dls_penalty_look_along(S->w, i, S->q_c, S->u_c, &before);
    dls_penalty_look_along(S->w, i, S->q_c, S->rows->u, &after);
    for (int k = 0; k < joint->nu; k++) way[k] = S->h * (s * before.rate[k] + t * after.rate[k]);
    return true;
  }
  const dls_joint_frame f = dls_joint_frame_at(S->w, i, S->q_c);
  for (int k = 0; k < joint->nu && f.regular; k++) {
    double J[2 * DLS_NU(3)];
    dls_joint_frame_row(S->w, &f, S->q_c, f.dual + 6 * k, J);
    const double before = dls_velocity_between(S, J, S->u_c, joint->a, joint->b);
    const double after = dls_velocity_between(S, J, S->rows->u, joint->a, joint->b);
    way[k] = S->h * (s * before + t * after - (s + t) * dls_functional(f.dual + 6 * k, f.rate));
  }
  return f.regular;
}

/* rad: what turns by less is told by the nearest. */
static const double FAR = 1;

double dls_joint_foreseen(const dls_joint_stage *S, int i, const double *q, double x) {
  double way[6];
  if (!ways_along(S, i, 1 - S->theta, q == S->q_c ? 0 : S->theta, way)) return x;
  way[0] = fabs(way[0]) > FAR ? S->w->joint_state[i].q[0] + way[0] : x;
  dls_joint_turn_next_to(&S->w->joints[i], way, &x);
  return x;
}

/* Who turns by more than a radian goes on from where these ways lead; by two rotations it may stand
** in other ways than it came: where it is now, in as many turns as bring it next to there. */
void dls_joints_foresee_turns(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    /* it stands as it did */
    if (S->carried && (S->carried[joint->a] || S->carried[joint->b])) continue;
    double spin = 0, way[6], to[6], *q = w->joint_state[i].q;
    int n_turning = 0;
    for (int k = 0; k < joint->n_motions; k++)
      n_turning += joint->motions[k].kind != DLS_MOTION_SLIDE;
    for (int e = 0; e < 2 && n_turning > 0; e++) {
      const int body = e == 0 ? joint->a : joint->b;
      const double *u = DLS_U(S, S->u_c, body), *v = DLS_U(S, S->rows->u, body);
      double most = 0;
      for (int k = S->dim; k < S->nu; k++) most = dls_max(most, fabs(u[k]) + fabs(v[k]));
      spin += most;
    }
    if (!(S->h * spin > (n_turning > 1 ? 0 : FAR)) || !ways_along(S, i, 0.5, 0.5, way)) continue;
    for (int k = 0; k < joint->nu; k++) to[k] = q[k] + way[k];
    for (int k = 0; k < joint->nu && n_turning == 1; k++)
      if (dls_joint_motion_of(joint, k)->kind != DLS_MOTION_SLIDE) q[k] = to[k];
    if (n_turning == 1) continue;
    if (joint->formulation == DLS_PENALTY) dls_penalty_measure(w, i, w->q, NULL, q, NULL);
    else memcpy(q, dls_joint_frame_at(w, i, w->q).q, (size_t)joint->nu * sizeof *q);
    dls_joint_turn_next_to(joint, to, q);
  }
}
