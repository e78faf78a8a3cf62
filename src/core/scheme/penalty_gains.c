/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/penalties.h"

#include "core/base/dim.h"

/* The stability number that automatic gains aim at: half of what is stable. */
static const double GOAL = 2;
/* The part of it that goes into stiffness; the rest is damping. */
static const double STIFF = 0.5;

/* The published gains and the sound ones, per unit of effective mass. */
static const double ALPHA = 5000, BETA = 25, ALPHA_ROTATION = 10000, BETA_ROTATION = 10;

/* Rows of a joint at its zero pose, each body in its own axes. */
typedef struct zero_rows {
  double J[DLS_PENALTY_ROWS][12];  /* (linear, angular) of i in its axes, of j in its axes */
  double MJ[DLS_PENALTY_ROWS][12]; /* M^-1 J'                                              */
  double W[DLS_PENALTY_ROWS];      /* J M^-1 J'                                            */
} zero_rows;

static bool moves(const dls_body *body) { return body->type == DLS_DYNAMIC; }

static dls_vec3 turned_by(const dls_world *w, const dls_body *body, dls_vec3 torque) {
  if (w->dim == 2) return dls_v3(0, 0, body->inverse[0] * torque.z);
  const dls_mat3 inverse = dls_m3_load(body->inverse);
  return dls_m3_apply(&inverse, torque);
}

/* M^-1 of one body on 6 numbers, body axes. */
static void answer(const dls_world *w, int index, const double *J, double *out) {
  const dls_body *body = &w->bodies[index];
  memset(out, 0, 6 * sizeof *out);
  if (!moves(body)) return;
  for (int k = 0; k < 3; k++) out[k] = body->mass > 0 ? J[k] / body->mass : 0;
  dls_v3_store(out + 3, turned_by(w, body, dls_v3_load(J + 3)));
}

static double dot12(const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < 12; k++) sum += x[k] * y[k];
  return sum;
}

static void weigh(const dls_world *w, const dls_joint *joint, const double *J, double *MJ, double *W) {
  answer(w, joint->a, J, MJ);
  answer(w, joint->b, J + 6, MJ + 6);
  *W = dot12(J, MJ);
}

/* A cone has no direction at the zero pose: the one across in which the bodies are lightest. */
static void widest(const dls_world *w, const dls_joint *joint, const dls_mat3 *R_j, zero_rows *out,
                   int row) {
  const dls_penalty *p = &joint->penalty;
  double J[12], MJ[12], W;
  for (int k = 1; k < 3; k++) {
    const dls_vec3 n = dls_m3_column(&p->F_i, k);
    memset(J, 0, sizeof J);
    dls_v3_store(J + 3, dls_v3_neg(n));
    dls_v3_store(J + 9, dls_m3_apply_t(R_j, n));
    weigh(w, joint, J, MJ, &W);
    if (k > 1 && !(W > out->W[row])) continue;
    memcpy(out->J[row], J, sizeof J);
    memcpy(out->MJ[row], MJ, sizeof MJ);
    out->W[row] = W;
  }
}

/* Body i stands at the origin, unturned; j where the joint's frames coincide. */
static void rows_at_zero(const dls_world *w, const dls_joint *joint, zero_rows *out) {
  static const double none[3] = {0, 0, 0};
  const dls_penalty *p = &joint->penalty;
  dls_penalty_body i = {.R = dls_m3_identity()}, j = i;
  j.R = dls_m3_mul_t(&joint->on_a.R, &joint->on_b.R);
  j.r = dls_v3_sub(p->p_i, dls_m3_apply(&j.R, p->p_j));
  dls_penalty_now now[DLS_PENALTY_ROWS];
  dls_penalty_evaluate(p, &i, &j, none, now);
  for (int k = 0; k < p->n_rows; k++) {
    if (p->row[k].type == DLS_PENALTY_CONE) {
      widest(w, joint, &j.R, out, k);
      continue;
    }
    memcpy(out->J[k], now[k].J, 6 * sizeof(double));
    for (int e = 6; e < 12; e += 3)
      dls_v3_store(out->J[k] + e, dls_m3_apply_t(&j.R, dls_v3_load(now[k].J + e)));
    weigh(w, joint, out->J[k], out->MJ[k], &out->W[k]);
  }
}

/* --- gains per unit of mass ------------------------------------------------------------------------ */

static double effective_mass(const dls_world *w, const dls_joint *joint) {
  const dls_body *a = &w->bodies[joint->a], *b = &w->bodies[joint->b];
  const double sum = (moves(a) && a->mass > 0 ? 1 / a->mass : 0) + (moves(b) && b->mass > 0 ? 1 / b->mass : 0);
  return sum > 0 ? 1 / sum : 0;
}

/* 1/J = n.(J_i^-1 + J_j^-1) n: what the angular part of a row at the zero pose says. */
static double effective_inertia(const zero_rows *zero, int row) {
  const double *J = zero->J[row], *MJ = zero->MJ[row];
  double sum = 0, size = 0;
  for (int k = 3; k < 12; k++) {
    if (k >= 6 && k < 9) continue;
    sum += J[k] * MJ[k];
    size += k < 6 ? J[k] * J[k] : 0;
  }
  return sum > 0 ? size / sum : 0;
}

static void plain_gains(const dls_world *w, dls_joint *joint, const zero_rows *zero) {
  const dls_gain_def *def = &joint->gains;
  const bool given = def->gains == DLS_GAINS_GIVEN, sound = def->gains == DLS_GAINS_SOUND;
  const double m = effective_mass(w, joint);
  for (int k = 0; k < joint->penalty.n_rows; k++) {
    dls_penalty_row *row = &joint->penalty.row[k];
    const bool linear = dls_penalty_is_linear(row);
    double unit = m, alpha = linear ? ALPHA : ALPHA_ROTATION, beta = linear ? BETA : BETA_ROTATION;
    if (given) {
      alpha = linear ? def->alpha : def->alpha_rotation;
      beta = linear ? def->beta : def->beta_rotation;
    } else if (sound && !linear) {
      unit = effective_inertia(zero, k);
      alpha = ALPHA;
      beta = BETA;
    }
    row->alpha = unit * alpha;
    row->beta = unit * beta;
  }
}

/* Limits with numbers of their own. */
static void limit_gains(const dls_world *w, dls_joint *joint) {
  const dls_gain_def *def = &joint->gains;
  const double m = effective_mass(w, joint);
  for (int k = joint->penalty.n_held; k < joint->penalty.n_rows; k++) {
    dls_penalty_row *row = &joint->penalty.row[k];
    if (def->limit_alpha >= 0) row->alpha = m * def->limit_alpha;
    if (def->limit_beta >= 0) row->beta = m * def->limit_beta;
  }
}

/* --- automatic gains ------------------------------------------------------------------------------- */

typedef struct tuning {
  dls_world *w;
  zero_rows *zero; /* n_joints                                                   */
  int *first;      /* n_bodies: first end there, -1; an end is 2 joint + (0 or 1) */
  int *next;       /* 2 n_joints: the next end at the same body                   */
} tuning;

/* sum_s |W_rs| sqrt(W_rr / W_ss) over the rows that meet row r of joint index; itself gives W_rr. */
static double crowd(const tuning *t, int index, int r) {
  const dls_world *w = t->w;
  const dls_joint *joint = &w->joints[index];
  const zero_rows *own = &t->zero[index];
  double sum = 0;
  for (int k = 0; k < joint->penalty.n_rows; k++)
    if (own->W[k] > 0) sum += fabs(dot12(own->J[k], own->MJ[r])) * sqrt(own->W[r] / own->W[k]);
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? joint->a : joint->b;
    if (!moves(&w->bodies[body])) continue;
    for (int end = t->first[body]; end >= 0; end = t->next[end]) {
      const zero_rows *other = &t->zero[end / 2];
      const int side = end % 2;
      for (int k = 0; end / 2 != index && k < w->joints[end / 2].penalty.n_rows; k++) {
        double meet = 0;
        for (int m = 0; m < 6; m++) meet += other->J[k][6 * side + m] * own->MJ[r][6 * e + m];
        if (other->W[k] > 0) sum += fabs(meet) * sqrt(own->W[r] / other->W[k]);
      }
    }
  }
  return sum;
}

static void auto_gains(const tuning *t, int index) {
  dls_joint *joint = &t->w->joints[index];
  dls_penalty *p = &joint->penalty;
  const double dt = t->w->dt;
  double number[DLS_PENALTY_ROWS], least = DLS_INF;
  for (int k = 0; k < p->n_rows; k++) {
    const double sum = crowd(t, index, k);
    number[k] = sum > 0 ? GOAL / sum : 0; /* dt^2 alpha + 2 dt beta */
    if (p->row[k].type == DLS_PENALTY_POINT) least = dls_min(least, number[k]);
  }
  for (int k = 0; k < p->n_rows; k++) {
    if (p->row[k].type == DLS_PENALTY_POINT) number[k] = least;
    p->row[k].alpha = STIFF * number[k] / (dt * dt);
    p->row[k].beta = (1 - STIFF) * number[k] / (2 * dt);
  }
}

static void tune(tuning *t) {
  dls_world *w = t->w;
  for (int i = 0; i < w->n_bodies; i++) t->first[i] = -1;
  for (int i = w->n_joints - 1; i >= 0; i--) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    rows_at_zero(w, joint, &t->zero[i]);
    for (int e = 0; e < 2; e++) {
      int *first = &t->first[e == 0 ? joint->a : joint->b];
      t->next[2 * i + e] = *first;
      *first = 2 * i + e;
    }
  }
  for (int i = 0; i < w->n_joints; i++) {
    dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    if (joint->gains.gains == DLS_GAINS_AUTO) auto_gains(t, i);
    else plain_gains(w, joint, &t->zero[i]);
    limit_gains(w, joint);
  }
}

dls_status dls_penalties_tune(dls_world *w) {
  if (w->n_penalties == 0 || w->tuned_dt == w->dt) return DLS_OK;
  const size_t n = (size_t)w->n_joints, n_bodies = (size_t)w->n_bodies;
  tuning t = {.w = w};
  t.zero = dls_new(&w->alloc, n, sizeof *t.zero);
  t.first = dls_new(&w->alloc, n_bodies, sizeof *t.first);
  t.next = dls_new(&w->alloc, 2 * n, sizeof *t.next);
  const bool good = t.zero && t.first && t.next;
  if (good) {
    tune(&t);
    w->tuned_dt = w->dt;
  }
  dls_free(&w->alloc, t.zero, n, sizeof *t.zero);
  dls_free(&w->alloc, t.first, n_bodies, sizeof *t.first);
  dls_free(&w->alloc, t.next, 2 * n, sizeof *t.next);
  return good ? DLS_OK : DLS_NOMEM;
}
