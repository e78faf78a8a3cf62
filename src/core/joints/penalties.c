/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/penalties.h"

#include "core/base/dim.h"
#include "core/math/elementary.h"
#include "core/joints/penalty_general.h"

/* --- rows of each kind ------------------------------------------------------------------------ */

typedef struct held_row {
  unsigned char type, a, b; /* as in dls_penalty_row */
} held_row;

#define POINTS {DLS_PENALTY_POINT, 0, 0}, {DLS_PENALTY_POINT, 1, 0}, {DLS_PENALTY_POINT, 2, 0}
#define PLANE(a) {DLS_PENALTY_PLANE, a, 0}
#define DOT(a, b) {DLS_PENALTY_DOT, a, b}

/* EQUATIONS B.2; cylindrical, planar and fixed joints in the same manner. */
static const struct held {
  int n; /* rows */
  held_row row[DLS_PENALTY_ROWS]; /* n: what each holds */
} in_space[DLS_N_KINDS] = {
    [DLS_KIND_SPHERICAL] = {3, {POINTS}},
    [DLS_KIND_REVOLUTE] = {5, {POINTS, DOT(1, 0), DOT(2, 0)}},
    [DLS_KIND_UNIVERSAL] = {4, {POINTS, DOT(0, 1)}},
    [DLS_KIND_PRISMATIC] = {5, {PLANE(1), PLANE(2), DOT(1, 0), DOT(2, 0), DOT(1, 2)}},
    [DLS_KIND_CYLINDRICAL] = {4, {PLANE(1), PLANE(2), DOT(1, 0), DOT(2, 0)}},
    [DLS_KIND_PLANAR] = {3, {PLANE(0), DOT(1, 0), DOT(2, 0)}},
    [DLS_KIND_FIXED] = {6, {POINTS, DOT(1, 0), DOT(2, 0), DOT(1, 2)}}};

static const struct held in_plane[DLS_N_KINDS] = {
    [DLS_KIND_REVOLUTE] = {2, {{DLS_PENALTY_POINT, 0, 0}, {DLS_PENALTY_POINT, 1, 0}}},
    [DLS_KIND_PRISMATIC] = {2, {PLANE(1), DOT(1, 0)}},
    [DLS_KIND_FIXED] = {3, {{DLS_PENALTY_POINT, 0, 0}, {DLS_PENALTY_POINT, 1, 0}, DOT(1, 0)}}};

static dls_mat3 triad(dls_vec3 first, dls_vec3 second) {
  const dls_vec3 i0 = dls_v3_unit(first);
  const dls_vec3 i1 = dls_v3_unit(dls_v3_axpy(second, -dls_v3_dot(second, i0), i0));
  return dls_m3_columns(i0, i1, dls_v3_cross(i0, i1));
}

static bool same_way(dls_vec3 a, dls_vec3 b) { return dls_v3_norm(dls_v3_sub(a, b)) < 1e-12; }

/* The kind that a chain of motions is; DLS_KIND_CHAIN: none that has rows. */
static int kind_of_chain(const dls_joint *joint) {
  const dls_motion *m = joint->motions;
  const int n = joint->n_motions;
  dls_vec3 e[3];
  for (int k = 0; k < n && k < 3; k++) e[k] = dls_v3_unit(dls_v3_load(m[k].axis));
  const bool turns = n > 0 && m[0].kind == DLS_MOTION_ROTATE,
             slides = n > 0 && m[0].kind == DLS_MOTION_SLIDE;
  if (n == 0) return DLS_KIND_FIXED;
  if (n == 1) return turns ? DLS_KIND_REVOLUTE : (slides ? DLS_KIND_PRISMATIC : DLS_KIND_CHAIN);
  if (n == 2 && turns && m[1].kind == DLS_MOTION_ROTATE && fabs(dls_v3_dot(e[0], e[1])) < 1 - 1e-9)
    return DLS_KIND_UNIVERSAL;
  if (n == 2 && turns && m[1].kind == DLS_MOTION_SLIDE && same_way(e[0], e[1]))
    return DLS_KIND_CYLINDRICAL;
  if (n == 3 && slides && m[1].kind == DLS_MOTION_SLIDE && m[2].kind == DLS_MOTION_ROTATE &&
      same_way(dls_v3_cross(e[0], e[1]), e[2]))
    return DLS_KIND_PLANAR;
  return DLS_KIND_CHAIN;
}

/* First direction of the joint, in its frame. */
static dls_vec3 first_axis(const dls_joint *joint) {
  if (joint->kind != DLS_KIND_CHAIN || joint->n_motions == 0) return joint->axis;
  return dls_v3_load(joint->motions[joint->like == DLS_KIND_PLANAR ? 2 : 0].axis);
}

/* Second direction of the joint, in its frame. */
static dls_vec3 second_axis(const dls_world *w, const dls_joint *joint) {
  switch (joint->like) {
    case DLS_KIND_UNIVERSAL: return dls_v3_load(joint->motions[1].axis);
    case DLS_KIND_PLANAR: return dls_v3_load(joint->motions[0].axis);
    default: break;
  }
  const dls_vec3 first = dls_v3_unit(first_axis(joint));
  if (w->dim == 2 && joint->like != DLS_KIND_REVOLUTE) return dls_v3_cross(dls_v3(0, 0, 1), first);
  return dls_v3_norm(joint->second) > 0 ? joint->second : dls_v3_orthogonal(first);
}

static void add_limit(dls_penalty *p, int type, int near, double lo, double hi) {
  if (!(lo > -DLS_INF) && !(hi < DLS_INF)) return;
  p->row[p->n_rows++] = (dls_penalty_row){.type = type, .near = near, .lo = lo, .hi = hi};
  p->turns = true;
}

static void add_limits(const dls_joint *joint, dls_penalty *p) {
  static const int types[2] = {DLS_PENALTY_FIRST, DLS_PENALTY_SECOND};
  for (int k = 0; k < joint->n_limits; k++) {
    int type = joint->like == DLS_KIND_REVOLUTE ? DLS_PENALTY_TURN : DLS_PENALTY_SLIDE;
    if (joint->like == DLS_KIND_UNIVERSAL) type = types[k];
    /* the sine law bounds the sine of the angle */
    const bool sine = p->published && joint->like != DLS_KIND_PRISMATIC;
    add_limit(p, type, k, joint->lo[k], sine ? dls_sin(joint->hi[k]) : joint->hi[k]);
  }
  if (joint->like != DLS_KIND_SPHERICAL) return;
  add_limit(p, DLS_PENALTY_CONE, 2, -DLS_INF, joint->cone);
  add_limit(p, DLS_PENALTY_TURN, 2, joint->twist[0], joint->twist[1]);
}

static bool make_general(const dls_world *w, dls_joint *joint) {
  dls_penalty *p = &joint->penalty;
  const int n = dls_general_rows(w, joint);
  if (n <= 0 || !dls_joint_is_chain(joint)) return false;
  *p = (dls_penalty){.published = p->published, .n_held = n, .n_rows = n, .turns = true,
                     .length = dls_general_length(w, joint)};
  for (int k = 0; k < n; k++) p->row[k].type = DLS_PENALTY_HELD;
  p->p_i = dls_v3_sub(joint->on_a.p, dls_v3_load(w->bodies[joint->a].com));
  p->p_j = dls_v3_sub(joint->on_b.p, dls_v3_load(w->bodies[joint->b].com));
  p->F_i = joint->on_a.R;
  p->F_j = joint->on_b.R;
  return true;
}

bool dls_penalty_make(const dls_world *w, dls_joint *joint) {
  joint->like = joint->kind == DLS_KIND_CHAIN ? kind_of_chain(joint) : joint->kind;
  const struct held *held = w->dim == 2 ? &in_plane[joint->like] : &in_space[joint->like];
  if (held->n == 0 || joint->n_driven > 0) {
    joint->like = DLS_KIND_CUSTOM;
    return make_general(w, joint);
  }
  dls_penalty *p = &joint->penalty;
  const bool published = p->published;
  *p = (dls_penalty){.published = published, .length = 1};
  for (; p->n_held < held->n; p->n_held++) {
    const held_row *row = &held->row[p->n_held];
    p->row[p->n_held] = (dls_penalty_row){.type = row->type, .a = row->a, .b = row->b};
    p->turns = p->turns || row->type != DLS_PENALTY_POINT;
  }
  p->n_rows = p->n_held;
  p->p_i = dls_v3_sub(joint->on_a.p, dls_v3_load(w->bodies[joint->a].com));
  p->p_j = dls_v3_sub(joint->on_b.p, dls_v3_load(w->bodies[joint->b].com));
  const dls_vec3 first = first_axis(joint), second = second_axis(w, joint);
  dls_mat3 F = triad(first, second);
  p->F_i = dls_m3_mul(&joint->on_a.R, &F);
  if (joint->like == DLS_KIND_UNIVERSAL) { /* j1 is the second axis itself */
    const dls_vec3 j1 = dls_v3_unit(second), e = dls_v3_unit(first);
    const dls_vec3 j0 = dls_v3_unit(dls_v3_axpy(e, -dls_v3_dot(e, j1), j1));
    const double c = dls_v3_dot(e, j1);
    F = dls_m3_columns(j0, j1, dls_v3_cross(j0, j1));
    if (fabs(c) > 1e-15) p->row[3].c = c; /* below, it is rounding */
  }
  p->F_j = dls_m3_mul(&joint->on_b.R, &F);
  add_limits(joint, p);
  return true;
}

void dls_penalties_changed(dls_world *w, const dls_joint *joint, int by) {
  w->tuned_dt = 0;
  if (joint->formulation == DLS_PENALTY) w->n_penalties += by;
}

/* --- bodies ----------------------------------------------------------------------------------- */

dls_penalty_body dls_penalty_body_of(const dls_world *w, int body, const double *q,
                                     const double *u) {
  dls_penalty_body out = {.v = {0, 0, 0}, .w = {0, 0, 0}};
  q += (size_t)body * (size_t)DLS_NQ(w->dim);
  if (u) u += (size_t)body * (size_t)DLS_NU(w->dim);
  if (w->dim == 2) {
    double s = 0, c = 1;
    if (q[2] != 0) dls_sincos(q[2], &s, &c);
    out.R = (dls_mat3){{c, -s, 0, s, c, 0, 0, 0, 1}};
    out.r = dls_v3(q[0], q[1], 0);
    if (u) out.v = dls_v3(u[0], u[1], 0), out.w = dls_v3(0, 0, u[2]);
    return out;
  }
  out.R = dls_q_matrix(dls_q_load(q + 3));
  out.r = dls_v3_load(q);
  if (u) out.v = dls_v3_load(u), out.w = dls_v3_load(u + 3);
  return out;
}

static void pair_at(const dls_world *w, int index, const double *q, const double *u,
                    dls_penalty_body out[2]) {
  out[0] = dls_penalty_body_of(w, w->joints[index].a, q, u);
  out[1] = dls_penalty_body_of(w, w->joints[index].b, q, u);
}

/* Coordinates that count the turns of the limits. */
static const double *turns_of(const dls_world *w, int index) {
  static const double none[3] = {0, 0, 0};
  return dls_joint_is_chain(&w->joints[index]) ? w->joint_state[index].q : none;
}

void dls_penalty_rows_at(const dls_world *w, int index, const double *q, const double *u,
                         dls_penalty_now out[DLS_PENALTY_ROWS]) {
  dls_penalty_body body[2];
  pair_at(w, index, q, u, body);
  dls_penalty_rows_of(w, index, body, out);
}

void dls_penalty_rows_of(const dls_world *w, int index, const dls_penalty_body body[2],
                         dls_penalty_now out[DLS_PENALTY_ROWS]) {
  const dls_joint *joint = &w->joints[index];
  if (!dls_is_general(joint)) {
    dls_penalty_evaluate(&joint->penalty, &body[0], &body[1], turns_of(w, index), out);
    return;
  }
  dls_general g;
  dls_general_look(w, index, body, &g);
  dls_general_evaluate(&g, w, body, out);
}

/* J M^-1 J' of one body. */
static double answer(const dls_world *w, int body, const double *J) {
  const dls_body *model = &w->bodies[body];
  if (model->type != DLS_DYNAMIC) return 0;
  const dls_vec3 push = dls_v3_load(J), turn = dls_v3_load(J + 3);
  const double moved = dls_v3_dot(push, push) / model->mass;
  if (w->dim == 2) return moved + model->inverse[0] * (turn.z * turn.z);
  const dls_mat3 R = dls_penalty_body_of(w, body, w->q, NULL).R,
                 inverse = dls_m3_load(model->inverse);
  const dls_vec3 in_body = dls_m3_apply_t(&R, turn);
  return moved + dls_v3_dot(in_body, dls_m3_apply(&inverse, in_body));
}

double dls_penalty_row_number(const dls_world *w, int index, int row, const dls_penalty_now *now) {
  const dls_joint *joint = &w->joints[index];
  const dls_penalty_row *r = &joint->penalty.row[row];
  const double weight = now->share * (w->dt * w->dt * r->alpha + 2 * w->dt * r->beta);
  return weight * (answer(w, joint->a, now->J) + answer(w, joint->b, now->J + 6));
}

double dls_penalties_energy(const dls_world *w, const double *q) {
  double sum = 0;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++) {
    if (!dls_is_penalty(&w->joints[i])) continue;
    dls_penalty_body body[2];
    pair_at(w, i, q, NULL, body);
    if (!dls_is_general(&w->joints[i])) {
      sum += dls_penalty_energy(&w->joints[i].penalty, &body[0], &body[1], turns_of(w, i));
      continue;
    }
    dls_general g;
    dls_general_look(w, i, body, &g);
    sum += dls_general_energy(&g);
  }
  return sum;
}

void dls_penalty_add_wrench(const dls_penalty *p, const dls_mat3 *R_j, double s, const double J[12],
                            double out[6]) {
  const dls_vec3 force = dls_v3_scale(s, dls_v3_load(J + 6));
  const dls_vec3 moment = dls_v3_scale(s, dls_v3_load(J + 9)), arm = dls_m3_apply(R_j, p->p_j);
  const dls_vec3 about = dls_v3_sub(moment, dls_v3_cross(arm, force));
  dls_v3_store(out, dls_v3_add(dls_v3_load(out), about));
  dls_v3_store(out + 3, dls_v3_add(dls_v3_load(out + 3), force));
}

/* --- coordinates ------------------------------------------------------------------------------ */

/* Which coordinates a kind has, in their order. */
static const int coordinates_of[DLS_N_KINDS][3] = {
    [DLS_KIND_REVOLUTE] = {DLS_PENALTY_TURN},
    [DLS_KIND_PRISMATIC] = {DLS_PENALTY_SLIDE},
    [DLS_KIND_CYLINDRICAL] = {DLS_PENALTY_TURN, DLS_PENALTY_SLIDE},
    [DLS_KIND_UNIVERSAL] = {DLS_PENALTY_FIRST, DLS_PENALTY_SECOND},
    [DLS_KIND_PLANAR] = {DLS_PENALTY_SLIDE_1, DLS_PENALTY_SLIDE_2, DLS_PENALTY_TURN}};

int dls_penalty_coordinate_type(const dls_joint *joint, int k) {
  return coordinates_of[joint->like][k];
}

/* The child's axes in those of the zero pose: (R_i R_a R_b')' R_j. */
static dls_quat ball_turn(const dls_joint *joint, const dls_penalty_body body[2]) {
  const dls_mat3 zero = dls_m3_mul_t(&joint->on_a.R, &joint->on_b.R);
  const dls_mat3 base = dls_m3_mul(&body[0].R, &zero), R = dls_m3_t_mul(&base, &body[1].R);
  return dls_q_from_matrix(&R);
}

/* Coordinate k and its J; of a ball J alone, that of the rate about the child's axis k. */
static double one(const dls_world *w, int index, const dls_penalty_body body[2], int k, double *J) {
  const dls_joint *joint = &w->joints[index];
  if (joint->like == DLS_KIND_SPHERICAL) {
    const dls_vec3 e = dls_m3_column(&body[1].R, k);
    memset(J, 0, 12 * sizeof *J);
    dls_v3_store(J + 3, dls_v3_neg(e));
    dls_v3_store(J + 9, e);
    return 0;
  }
  return dls_penalty_coordinate(&joint->penalty, coordinates_of[joint->like][k],
                                w->joint_state[index].q[k], &body[0], &body[1], J);
}

static double rate_of(const double J[12], const dls_penalty_body body[2]) {
  double sum = 0;
  for (int e = 0; e < 2; e++)
    sum += dls_v3_dot(dls_v3_load(J + 6 * e), body[e].v) +
           dls_v3_dot(dls_v3_load(J + 6 * e + 3), body[e].w);
  return sum;
}

void dls_penalty_measure(const dls_world *w, int index, const double *q, const double *u,
                         double *coordinates, double *rates) {
  const dls_joint *joint = &w->joints[index];
  dls_penalty_body body[2];
  double J[12];
  pair_at(w, index, q, u, body);
  if (dls_is_general(joint)) {
    dls_general g;
    dls_general_look(w, index, body, &g);
    memcpy(coordinates, g.q, (size_t)joint->nq * sizeof(double));
    for (int k = 0; k < joint->nu && u; k++) {
      const double drift = dls_general_coordinate(&g, k, J);
      rates[k] = rate_of(J, body) - drift;
    }
    return;
  }
  if (joint->like == DLS_KIND_SPHERICAL) dls_q_store(coordinates, ball_turn(joint, body));
  for (int k = 0; k < joint->nu; k++) {
    const double x = one(w, index, body, k, J);
    if (joint->like != DLS_KIND_SPHERICAL) coordinates[k] = x;
    if (u) rates[k] = rate_of(J, body);
  }
}

void dls_penalties_follow(dls_world *w) {
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint) || !dls_joint_is_chain(joint)) continue;
    dls_penalty_measure(w, i, w->q, NULL, w->joint_state[i].q, NULL);
  }
}

/* --- forces along the coordinates ------------------------------------------------------------- */

void dls_penalty_look_along(const dls_world *w, int index, const double *q, const double *u,
                            dls_along *out) {
  const dls_joint *joint = &w->joints[index];
  dls_penalty_body body[2];
  dls_general g;
  const bool general = dls_is_general(joint), ball = joint->like == DLS_KIND_SPHERICAL;
  pair_at(w, index, q, u, body);
  if (general) dls_general_look(w, index, body, &g);
  for (int k = 0; k < joint->nu; k++) {
    out->drift[k] = general ? dls_general_coordinate(&g, k, out->J[k]) : 0;
    out->x[k] = general ? g.q[k] : one(w, index, body, k, out->J[k]);
    out->rate[k] = rate_of(out->J[k], body) - out->drift[k];
  }
  if (!ball) return;
  dls_quat turn = ball_turn(joint, body);
  if (turn.w < 0) turn = (dls_quat){-turn.w, -turn.x, -turn.y, -turn.z};
  const double sine = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
  const double share = sine > 0 ? 2 * dls_atan2(sine, turn.w) / sine : 2;
  dls_v3_store(out->x, dls_v3_scale(share, dls_v3(turn.x, turn.y, turn.z)));
}

static void rubbed(const dls_joint *joint, const double *u, double *force) {
  for (int k = 0; k < joint->nu; k++)
    if (fabs(u[k]) > DLS_JOINT_STILL) force[k] -= u[k] > 0 ? joint->friction : -joint->friction;
}

static void driven(const dls_joint *joint, const double *q, const double *u, double *force) {
  const dls_motor *motor = &joint->motor;
  if (motor->kind != DLS_MOTOR_POSITION) return;
  const double pull = motor->stiffness * (motor->target - q[0]) - motor->damping * u[0];
  force[0] += dls_clamp(pull, -motor->most, motor->most);
}

/* Forces along the coordinates; false: nothing acts there, and `at` is not looked for. */
static bool forces_along(const dls_world *w, int index, const double *q, const double *u, int what,
                         dls_along *at, double force[6]) {
  const dls_joint *joint = &w->joints[index];
  const bool springs = (what & DLS_DRIVE_SPRINGS) != 0;
  const bool rubs = (what & DLS_DRIVE_FRICTION) != 0 && joint->friction > 0;
  const bool drives = (what & DLS_DRIVE_MOTORS) != 0 && joint->motor.kind != DLS_MOTOR_NONE;
  static const double none[6] = {0};
  const double *torque = (what & DLS_DRIVE_TORQUE) != 0 ? w->joint_state[index].torque : none;
  bool any = springs && (joint->stiffness != 0 || joint->damping != 0);
  any = any || rubs || drives;
  for (int k = 0; k < joint->nu; k++) any = any || torque[k] != 0;
  if (!any) return false;
  dls_penalty_look_along(w, index, q, u, at);
  memset(force, 0, 6 * sizeof *force);
  for (int k = 0; k < joint->nu; k++) {
    force[k] = torque[k];
    if (springs) force[k] -= joint->damping * at->rate[k] + joint->stiffness * at->x[k];
  }
  if (rubs) rubbed(joint, at->rate, force);
  if (drives) driven(joint, at->x, at->rate, force);
  return true;
}

bool dls_penalty_drive(const dls_world *w, int index, const double *q, const double *u, int what,
                       double out[12]) {
  dls_along at;
  double force[6];
  if (!forces_along(w, index, q, u, what, &at, force)) return false;
  memset(out, 0, 12 * sizeof *out);
  for (int k = 0; k < w->joints[index].nu; k++)
    for (int m = 0; m < 12; m++) out[m] += force[k] * at.J[k][m];
  return true;
}

void dls_penalties_powers(const dls_world *w, double *drives, double *dampers) {
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    dls_penalty_now rows[DLS_PENALTY_ROWS];
    dls_along at;
    double force[6];
    dls_penalty_rows_at(w, i, w->q, w->u, rows);
    for (int k = 0; k < joint->penalty.n_rows; k++) {
      const double spring = rows[k].share * joint->penalty.row[k].alpha * rows[k].chi;
      *drives += rows[k].lambda * rows[k].drift;
      *dampers -= (rows[k].lambda + spring) * rows[k].rate;
      *dampers -=
          0.5 * rows[k].share_rate * joint->penalty.row[k].alpha * (rows[k].chi * rows[k].chi);
    }
    if (joint->n_driven == 0 ||
        !forces_along(w, i, w->q, w->u, DLS_DRIVE_TORQUE | DLS_DRIVE_SPRINGS | DLS_DRIVE_MOTORS,
                      &at, force))
      continue;
    for (int k = 0; k < joint->nu; k++) *drives += force[k] * at.drift[k];
  }
}

/* x (12 numbers) on bodies a and b, and the joint's wrench on b. */
static void push_pair(dls_world *w, int index, const dls_mat3 *R_j, double s, const double x[12],
                      double *push) {
  const dls_joint *joint = &w->joints[index];
  const size_t nu = (size_t)DLS_NU(w->dim);
  for (int e = 0; e < 2; e++) {
    double *out = push + nu * (size_t)(e == 0 ? joint->a : joint->b);
    const double *f = x + 6 * e, flat[3] = {f[0], f[1], f[5]};
    for (size_t k = 0; k < nu; k++) out[k] += s * (w->dim == 2 ? flat[k] : f[k]);
  }
  dls_penalty_add_wrench(&joint->penalty, R_j, s, x, w->joint_own + 6 * (size_t)index);
}

void dls_penalties_push(dls_world *w, bool torque, bool friction, double *push) {
  const int what = DLS_DRIVE_SPRINGS | DLS_DRIVE_MOTORS | (friction ? DLS_DRIVE_FRICTION : 0) |
                   (torque ? DLS_DRIVE_TORQUE : 0);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    dls_penalty_now rows[DLS_PENALTY_ROWS];
    double more[12];
    memset(w->joint_own + 6 * (size_t)i, 0, 6 * sizeof(double));
    const dls_mat3 R_j = dls_penalty_body_of(w, joint->b, w->q, NULL).R;
    dls_penalty_rows_at(w, i, w->q, w->u, rows);
    for (int k = 0; k < joint->penalty.n_rows; k++)
      if (rows[k].lambda != 0) push_pair(w, i, &R_j, rows[k].lambda, rows[k].J, push);
    if (dls_penalty_drive(w, i, w->q, w->u, what, more)) push_pair(w, i, &R_j, 1, more, push);
  }
}
