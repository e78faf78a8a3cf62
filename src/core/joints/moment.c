/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/moment.h"

#include "core/joints/group_motion.h"
#include "core/joints/net_motion.h"

void dls_joints_add_moment(dls_joint_stage *S, int i, dls_vec3 more) {
  double *moment = S->moment + 3 * (size_t)i;
  dls_v3_store(moment, dls_v3_add(dls_v3_load(moment), more));
}

void dls_joints_note_moment(dls_joint_stage *S, const double *q, const double *u) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_moves_freely(&w->bodies[i])) continue;
    const dls_vec3 way =
        dls_v3_sub(dls_point_of(S->dim, DLS_Q(S, q, i)), dls_point_of(S->dim, DLS_Q(S, S->aim, i)));
    const dls_vec3 v = dls_point_of(S->dim, DLS_U(S, u, i)); /* velocities stand as points do */
    dls_joints_add_moment(S, i, dls_v3_scale(w->bodies[i].mass, dls_v3_cross(way, v)));
  }
}

void dls_joints_note_pushed(dls_joint_stage *S, const dls_overlap *o, int n) {
  for (int k = 0; k < n; k++) {
    if (o[k].both || o[k].pi == 0) continue;
    const bool a = dls_moves_freely(&S->w->bodies[o[k].a]),
               b = dls_moves_freely(&S->w->bodies[o[k].b]);
    if (a != b) S->pushed[a ? o[k].a : o[k].b] = 1;
  }
}

/* --- groups of bodies ------------------------------------------------------------------------- */

/* The first body of a group, -1 where it is held in its place: group[] is a forest of lower
** numbers. */
static int first_of(int *group, int i) {
  while (group[i] >= 0 && group[i] != i) {
    if (group[group[i]] >= 0) group[i] = group[group[i]];
    i = group[i];
  }
  return group[i] < 0 ? -1 : i;
}

static void hold(int *group, int i) {
  const int first = first_of(group, i);
  if (first >= 0) group[first] = -1;
}

static void join(int *group, int a, int b) {
  const int first_a = first_of(group, a), first_b = first_of(group, b);
  if (first_a < 0 || first_b < 0) {
    hold(group, a);
    hold(group, b);
  } else if (first_a < first_b) {
    group[first_b] = first_a;
  } else {
    group[first_a] = first_b;
  }
}

/* S->group: what joints and contacts that press join, without what hangs on a body that does not
** move freely, presses against one, or was pushed out of one. */
static void find_groups(dls_joint_stage *S) {
  const dls_world *w = S->w;
  const dls_rows *rows = S->rows;
  int *group = S->group;
  for (int i = 0; i < w->n_bodies; i++) group[i] = dls_moves_freely(&w->bodies[i]) ? i : -1;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (joint->alive && joint->formulation != DLS_PENALTY) join(group, joint->a, joint->b);
  }
  for (int k = 0; k < rows->n_blocks; k++) {
    const dls_block *block = &rows->block[k];
    if (block->source < 0 || rows->p[block->row] == 0) continue;
    join(group, block->a, block->b);
  }
  for (int i = 0; i < w->n_bodies; i++)
    if (S->pushed[i]) hold(group, i);
  for (int i = 0; i < w->n_bodies; i++) { /* those of lower numbers are final */
    group[i] = first_of(group, i);
    S->next[i] = -1;
  }
  for (int i = w->n_bodies - 1; i >= 0; i--) {
    const int first = group[i];
    if (first < 0 || first == i) continue;
    S->next[i] = S->next[first];
    S->next[first] = i;
  }
}

/* --- a group ---------------------------------------------------------------------------------- */

typedef struct whole {
  double mass;          /* kg */
  dls_vec3 centre, moment; /* m; angular momentum about it, kg m^2/s */
  double inertia[3][3]; /* about the centre, by columns */
} whole;

static dls_vec3 arm_of(const dls_joint_stage *S, const whole *of, int i) {
  return dls_v3_sub(dls_point_of(S->dim, DLS_Q(S, S->q_n, i)), of->centre);
}

/* Velocities of body i as the whole turns by `turn`, rad/s. */
static void turn_about(const dls_joint_stage *S, const whole *of, int i, dls_vec3 turn, double *u) {
  dls_group_velocity(S->dim, dls_v3(0, 0, 0), turn, arm_of(S, of, i), u);
}

static void weigh(const dls_joint_stage *S, int first, whole *of) {
  const dls_world *w = S->w;
  *of = (whole){0};
  for (int i = first; i >= 0; i = S->next[i]) {
    of->mass += w->bodies[i].mass;
    of->centre = dls_v3_add(
        of->centre, dls_v3_scale(w->bodies[i].mass, dls_point_of(S->dim, DLS_Q(S, S->q_n, i))));
    of->moment = dls_v3_add(of->moment, dls_v3_load(S->moment + 3 * (size_t)i));
  }
  of->centre = dls_v3_scale(of->mass > 0 ? 1 / of->mass : 0, of->centre);
  for (int i = first; i >= 0; i = S->next[i])
    dls_group_add_inertia(S->dim, &w->bodies[i], DLS_Q(S, S->q_n, i), arm_of(S, of, i),
                          of->inertia);
}

/* Angular momenta about the centre, body by body, N m s. */
static double spin_of(const dls_joint_stage *S, const whole *of, int first) {
  double sum = 0;
  for (int i = first; i >= 0; i = S->next[i]) {
    double p[DLS_NU(3)];
    dls_momentum(S->dim, &S->w->bodies[i], DLS_Q(S, S->q_n, i), DLS_U(S, S->u_n, i), p);
    sum += dls_v3_norm(dls_v3_add(dls_v3_cross(arm_of(S, of, i), dls_point_of(S->dim, p)),
                                  dls_turn_of(S->dim, p)));
  }
  return sum;
}

/* The share of a turn that a group can get. In a step that its turns resolve that is all. Where
** they do not, angular momentum that projections took may be given back by a turn that adds energy
** without bound (3.5 times what there was, of trees at 1 rad a step): to no more than what the
** solve left at q_c, give or take. Nets of springs pay for what they get (spring_nets.h). */
static double share_of(const dls_joint_stage *S, const whole *of, int first, dls_vec3 turn) {
  /* rad a step, what is slower keeps its bits; of energy, which goes to and fro. Of 450 trees at
  ** 0.3 to 2 rad a step 1 grows by more than 5 % with FAR 0 and 0.25, 2 with 0.5, 5 with 1; with
  ** SWING 0.01 to 0.1 1 or 2, and 690 to 108 of 45,000 steps lose moment */
  static const double FAR = 0.25, SWING = 0.03;
  const dls_world *w = S->w;
  if (S->nets && dls_is_in_net(S, S->nets, first)) return 1;
  double left = 0, is = 0, linear = 0, square = 0, fastest = 0;
  for (int i = first; i >= 0; i = S->next[i]) {
    double du[DLS_NU(3)] = {0}, M_du[DLS_NU(3)];
    const double *q = DLS_Q(S, S->q_n, i), *u = DLS_U(S, S->u_n, i);
    turn_about(S, of, i, turn, du);
    dls_momentum(S->dim, &w->bodies[i], q, du, M_du);
    left += dls_kinetic(S->dim, &w->bodies[i], DLS_Q(S, S->q_weighed, i), DLS_U(S, S->rows->u, i));
    is += dls_kinetic(S->dim, &w->bodies[i], q, u);
    linear += dls_dot_u(S->nu, M_du, u);
    square += 0.5 * dls_dot_u(S->nu, M_du, du);
    fastest = dls_max(fastest, dls_v3_norm(dls_turn_of(S->dim, u)));
  }
  const double room = dls_max((1 + SWING) * left - is, 0);
  if (!(fastest * S->h > FAR) || linear + square <= room) return 1;
  const double share = (sqrt(linear * linear + 4 * square * room) - linear) / (2 * square);
  return dls_clamp(share, 0, 1);
}

static void tell_lost(dls_joint_stage *S, const whole *of, int first, double share) {
  /* all of it may be lost */
  const double moment = dls_v3_norm(of->moment), spin = dls_max(spin_of(S, of, first), moment);
  if (spin > 0) S->moment_lost = dls_max(S->moment_lost, share * moment / spin);
}

static void give_back(dls_joint_stage *S, int first) {
  const dls_world *w = S->w;
  whole of;
  dls_vec3 turn;
  weigh(S, first, &of);
  if (dls_v3_dot(of.moment, of.moment) == 0) return;
  if (!dls_group_turn(S->dim, of.inertia[0], dls_v3_neg(of.moment), &turn)) return;
  const double share = share_of(S, &of, first, turn);
  if (share < 1) tell_lost(S, &of, first, 1 - share);
  turn = dls_v3_scale(share, turn);
  for (int i = first; i >= 0; i = S->next[i]) {
    double du[DLS_NU(3)] = {0}, *u = DLS_U(S, S->u_n, i);
    const double *q = DLS_Q(S, S->q_n, i);
    turn_about(S, &of, i, turn, du);
    const double before = dls_kinetic(S->dim, &w->bodies[i], q, u);
    for (int k = 0; k < S->nu; k++) u[k] += du[k];
    *S->correction += dls_kinetic(S->dim, &w->bodies[i], q, u) - before;
  }
}

void dls_joints_lose_moment(dls_joint_stage *S) {
  find_groups(S);
  for (int i = 0; i < S->w->n_bodies; i++) {
    whole of;
    if (S->group[i] != i || !S->held[i]) continue;
    weigh(S, i, &of);
    tell_lost(S, &of, i, 1);
  }
}

void dls_joints_keep_moment(dls_joint_stage *S) {
  find_groups(S);
  for (int i = 0; i < S->w->n_bodies; i++)
    if (S->group[i] == i) give_back(S, i);
}
