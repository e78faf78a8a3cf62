/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/penalty_general.h"

#include "core/base/dim.h"

/* Automatic gains of penalty joints (penalties.h): stiffness and damping of each row in proportion
** to the published ones, as large as the explicit step is stable with in every pose. */

/* The stability number that automatic gains stay below in every pose: half of what is stable. */
static const double GOAL = 2;
/* The part of it that goes into stiffness, about as in the published gains; the rest is damping, so
** that beta/alpha = 1.5 dt: a mode of period T decays by exp(-3 pi^2 dt/T) in each. */
static const double STIFF = 0.25;

/* The published gains, per unit of effective mass. */
static const double ALPHA = 5000, BETA = 25, ALPHA_ROTATION = 10000, BETA_ROTATION = 10;

static bool moves(const dls_body *body) { return body->type == DLS_DYNAMIC && body->mass > 0; }

/* M^-1 of one body on 6 numbers (linear, angular), body axes. */
static void answer(const dls_world *w, int index, const double *J, double *out) {
  const dls_body *body = &w->bodies[index];
  memset(out, 0, 6 * sizeof *out);
  if (!moves(body)) return;
  for (int k = 0; k < 3; k++) out[k] = J[k] / body->mass;
  const dls_mat3 inverse = dls_m3_load(body->inverse);
  if (w->dim == 2) out[5] = body->inverse[0] * J[5];
  else dls_v3_store(out + 3, dls_m3_apply(&inverse, dls_v3_load(J + 3)));
}

static double effective_mass(const dls_world *w, const dls_joint *joint) {
  const dls_body *a = &w->bodies[joint->a], *b = &w->bodies[joint->b];
  const double sum = (moves(a) ? 1 / a->mass : 0) + (moves(b) ? 1 / b->mass : 0);
  return sum > 0 ? 1 / sum : 0;
}

/* --- gains per unit of mass or inertia -------------------------------------------------------- */

/* 1/J = n.(J_i^-1 + J_j^-1) n for the rows at the zero pose, where body i stands unturned. */
static void effective_inertias(const dls_world *w, const dls_joint *joint, double *out) {
  static const double none[3] = {0, 0, 0};
  const dls_penalty *p = &joint->penalty;
  dls_penalty_body i = {.R = dls_m3_identity()}, j = i;
  j.R = dls_m3_mul_t(&joint->on_a.R, &joint->on_b.R);
  j.r = dls_v3_sub(p->p_i, dls_m3_apply(&j.R, p->p_j));
  dls_penalty_now now[DLS_PENALTY_ROWS];
  dls_penalty_evaluate(p, &i, &j, none, now);
  for (int k = 0; k < p->n_rows; k++) {
    dls_vec3 n = dls_v3_load(now[k].J + 9);
    if (p->row[k].type == DLS_PENALTY_CONE) n = dls_m3_column(&p->F_i, 1); /* has none at zero */
    double turn[6] = {0}, back[6];
    dls_v3_store(turn + 3, n);
    answer(w, joint->a, turn, back);
    double sum = dls_v3_dot(n, dls_v3_load(back + 3));
    const dls_vec3 in_j = dls_m3_apply_t(&j.R, n);
    dls_v3_store(turn + 3, in_j);
    answer(w, joint->b, turn, back);
    sum += dls_v3_dot(in_j, dls_v3_load(back + 3));
    out[k] = sum > 0 ? dls_v3_dot(n, n) / sum : 0;
  }
}

static void plain_gains(const dls_world *w, dls_joint *joint) {
  const dls_gain_def *def = &joint->gains;
  const double m = effective_mass(w, joint);
  double J[DLS_PENALTY_ROWS];
  if (def->gains == DLS_GAINS_SOUND && !dls_is_general(joint)) effective_inertias(w, joint, J);
  for (int k = 0; k < joint->penalty.n_rows; k++) {
    dls_penalty_row *row = &joint->penalty.row[k];
    const bool linear = dls_penalty_is_linear(row);
    double unit = m, alpha = linear ? ALPHA : ALPHA_ROTATION, beta = linear ? BETA : BETA_ROTATION;
    if (def->gains == DLS_GAINS_GIVEN) {
      alpha = linear ? def->alpha : def->alpha_rotation;
      beta = linear ? def->beta : def->beta_rotation;
    } else if (def->gains == DLS_GAINS_SOUND && !linear) {
      unit = J[k];
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

/* --- automatic gains -------------------------------------------------------------------------- */

/* Rows that bound those of a joint on one body in every pose: the rows of a class have one gain, so
** that only the space they span counts, and that is fixed in the body. */
typedef enum row_class { LINEAR, TURNING, LIMITING, N_CLASSES } row_class;
enum { MOST_BOUNDS = 16 };

typedef struct bound {
  int n;                         /* rows */
  int class_of[MOST_BOUNDS];     /* row_class                     */
  double J[MOST_BOUNDS][6];      /* (linear, angular), body axes  */
} bound;

static void add_turn(bound *b, row_class class, dls_vec3 n) {
  b->class_of[b->n] = class;
  memset(b->J[b->n], 0, sizeof b->J[0]);
  dls_v3_store(b->J[b->n++] + 3, n);
}

static void add_push(bound *b, row_class class, dls_vec3 at, dls_vec3 n) {
  b->class_of[b->n] = class;
  dls_v3_store(b->J[b->n], n);
  dls_v3_store(b->J[b->n++] + 3, dls_v3_cross(at, n));
}

/* Directions of the triad F by the bits of `columns`. */
static void add_turns(bound *b, row_class class, const dls_mat3 *F, unsigned columns) {
  for (int k = 0; k < 3; k++)
    if (columns >> k & 1u) add_turn(b, class, dls_m3_column(F, k));
}
static void add_pushes(bound *b, row_class class, dls_vec3 at, const dls_mat3 *F,
                       unsigned columns) {
  for (int k = 0; k < 3; k++)
    if (columns >> k & 1u) add_push(b, class, at, dls_m3_column(F, k));
}

/* What each kind holds: columns of the triads (bits), pushes and turns on i and on j. */
static const struct spans {
  unsigned char pushes, turns_i, turns_j; /* bits, as above */
} spans[DLS_N_KINDS] = {[DLS_KIND_SPHERICAL] = {7, 0, 0},   [DLS_KIND_REVOLUTE] = {7, 6, 6},
                        [DLS_KIND_UNIVERSAL] = {7, 6, 5},   [DLS_KIND_PRISMATIC] = {6, 7, 7},
                        [DLS_KIND_CYLINDRICAL] = {6, 6, 6}, [DLS_KIND_PLANAR] = {1, 6, 6},
                        [DLS_KIND_FIXED] = {7, 7, 7}};

/* Universal axes that are not perpendicular: the gradients of the angles grow as 1/sine, and
** lean. */
static void add_askew(bound *b, const dls_joint *joint, const dls_mat3 *F) {
  const double c = joint->penalty.row[3].c, s = 1 / sqrt(1 - c * c);
  for (int k = 0; k < 3; k++) add_turn(b, LIMITING, dls_v3_scale(s, dls_m3_column(F, k)));
}

static void add_limit(bound *b, const dls_joint *joint, int type, int side, dls_vec3 at,
                      const dls_mat3 *F) {
  if (joint->like == DLS_KIND_UNIVERSAL && joint->penalty.row[3].c != 0) {
    add_askew(b, joint, F);
    return;
  }
  switch (type) {
    case DLS_PENALTY_SLIDE: add_pushes(b, LIMITING, at, F, 1); break;
    case DLS_PENALTY_FIRST: add_turns(b, LIMITING, F, side == 0 ? 1 : 5); break;
    case DLS_PENALTY_SECOND: add_turns(b, LIMITING, F, side == 0 ? 6 : 2); break;
    case DLS_PENALTY_CONE: add_turns(b, LIMITING, F, 6); break;
    default: add_turns(b, LIMITING, F, joint->like == DLS_KIND_SPHERICAL ? 7 : 1); break;
  }
}

static bound bound_of(const dls_joint *joint, int side) {
  const dls_penalty *p = &joint->penalty;
  const dls_mat3 *F = side == 0 ? &p->F_i : &p->F_j;
  const dls_vec3 at = side == 0 ? p->p_i : p->p_j;
  const struct spans *s = &spans[joint->like];
  bound b = {.n = 0};
  if (dls_is_general(joint)) { /* rows are orthonormal among these */
    add_pushes(&b, LINEAR, at, F, 7);
    for (int k = 0; k < 3; k++) add_turn(&b, LINEAR, dls_v3_scale(p->length, dls_m3_column(F, k)));
    return b;
  }
  add_pushes(&b, LINEAR, at, F, s->pushes);
  add_turns(&b, TURNING, F, side == 0 ? s->turns_i : s->turns_j);
  for (int k = p->n_held; k < p->n_rows; k++) add_limit(&b, joint, p->row[k].type, side, at, F);
  return b;
}

typedef struct matrix {
  int n; /* rows */
  double a[MOST_BOUNDS * MOST_BOUNDS]; /* n x n, row-major */
} matrix;

static void multiply(void *ctx, const double *x, double *y) {
  const matrix *A = ctx;
  for (int i = 0; i < A->n; i++) {
    y[i] = 0;
    for (int j = 0; j < A->n; j++) y[i] += A->a[i * A->n + j] * x[j];
  }
}

/* The largest eigenvalue of D J M^-1 J' D on one body, D^2 the weight of each row's class. */
static double number_on(const dls_world *w, int body, const bound *b,
                        const double weight[N_CLASSES]) {
  char room[16384]; /* dls_stability_bytes of 16 rows is a third of it */
  dls_arena tmp = dls_arena_over(room, sizeof room);
  matrix A = {.n = b->n};
  double MJ[6];
  for (int i = 0; i < b->n; i++) {
    answer(w, body, b->J[i], MJ);
    for (int j = 0; j < b->n; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += MJ[k] * b->J[j][k];
      A.a[j * b->n + i] = sqrt(weight[b->class_of[i]] * weight[b->class_of[j]]) * sum;
    }
  }
  dls_stability found;
  (void)dls_stability_number(b->n, multiply, &A, DLS_INF, &tmp, &found);
  return found.number;
}

/* Pushes of i at a point that slides. */
static bool slides_on(const dls_world *w, const dls_joint *joint, int side) {
  bool slides = joint->like == DLS_KIND_PRISMATIC || joint->like == DLS_KIND_CYLINDRICAL ||
                      joint->like == DLS_KIND_PLANAR;
  for (int k = 0; k < joint->n_motions && dls_is_general(joint); k++)
    slides = slides || joint->motions[k].kind != DLS_MOTION_ROTATE;
  return slides && side == 0 && moves(&w->bodies[joint->a]);
}

/* The largest moment of the inverse inertia, 1/J_min. */
static double lightest(const dls_world *w, int body) {
  bound b = {.n = 0};
  const double weight[N_CLASSES] = {1, 1, 1};
  for (int k = 0; k < 3; k++) add_turn(&b, TURNING, dls_v3(k == 0, k == 1, k == 2));
  return number_on(w, body, &b, weight);
}

/* There the pushes' number is at most 1/m + a^2/J_min with the arm a, and adds to that of the
** turns: 1/m and 1/J_min as they are, a the one of the zero pose, beyond which the rows yield. */
static double number_of_slide(const dls_world *w, const dls_joint *joint,
                              const double weight[N_CLASSES]) {
  const double turns[N_CLASSES] = {0, weight[TURNING], weight[LIMITING]};
  const dls_vec3 p = joint->penalty.p_i;
  const bound b = bound_of(joint, 0);
  const double arm = dls_is_general(joint) ? joint->penalty.length : 0; /* of its turns */
  const double push =
      1 / w->bodies[joint->a].mass + (dls_v3_dot(p, p) + arm * arm) * lightest(w, joint->a);
  return weight[LINEAR] * push + number_on(w, joint->a, &b, turns);
}

static void find_yielding(const dls_world *w, dls_joint *joint) {
  dls_penalty *p = &joint->penalty;
  p->yielding = 0;
  if (joint->gains.gains != DLS_GAINS_AUTO || !slides_on(w, joint, 0)) return;
  const double light = lightest(w, joint->a);
  p->yielding = light / (1 / w->bodies[joint->a].mass + dls_v3_dot(p->p_i, p->p_i) * light);
}

/* sum over the two bodies of (penalty joints there) times their numbers. */
static double number_of(const dls_world *w, const dls_joint *joint, const int *crowd,
                        const double weight[N_CLASSES]) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? joint->a : joint->b;
    if (!moves(&w->bodies[body])) continue;
    const bound b = bound_of(joint, e);
    sum += crowd[body] * (slides_on(w, joint, e) ? number_of_slide(w, joint, weight)
                                                 : number_on(w, body, &b, weight));
  }
  return sum;
}

static void auto_gains(const dls_world *w, dls_joint *joint, const int *crowd) {
  dls_penalty *p = &joint->penalty;
  double weight[N_CLASSES]; /* dt^2 alpha + 2 dt beta */
  for (int c = 0; c < N_CLASSES; c++) {
    double alone[N_CLASSES] = {0, 0, 0};
    alone[c] = 1;
    const double number = number_of(w, joint, crowd, alone);
    weight[c] = number > 0 ? 1 / number : 0;
  }
  const double number = number_of(w, joint, crowd, weight), dt = w->dt;
  for (int k = 0; k < p->n_rows; k++) {
    const bool limit = dls_penalty_is_limit(&p->row[k]);
    const double own =
        weight[limit ? LIMITING : (dls_penalty_is_linear(&p->row[k]) ? LINEAR : TURNING)];
    const double share = number > 0 ? own * GOAL / number : 0;
    p->row[k].alpha = STIFF * share / (dt * dt);
    p->row[k].beta = (1 - STIFF) * share / (2 * dt);
  }
}

/* What no pose lets the number of the joint's rows exceed, among its neighbours; infinite where
** arms of slides do not yield, and where the gradient of a twist knows no bound. */
static double bound_in_every_pose(const dls_world *w, const dls_joint *joint, const int *crowd) {
  const dls_penalty *p = &joint->penalty;
  if (slides_on(w, joint, 0) && p->yielding == 0) return DLS_INF;
  double weight[N_CLASSES] = {0, 0, 0};
  for (int k = 0; k < p->n_rows; k++) {
    const dls_penalty_row *row = &p->row[k];
    if (joint->like == DLS_KIND_SPHERICAL && row->type == DLS_PENALTY_TURN) return DLS_INF;
    const int c =
        dls_penalty_is_limit(row) ? LIMITING : (dls_penalty_is_linear(row) ? LINEAR : TURNING);
    weight[c] = dls_max(weight[c], w->dt * w->dt * row->alpha + 2 * w->dt * row->beta);
  }
  return number_of(w, joint, crowd, weight);
}

dls_status dls_penalties_tune(dls_world *w) {
  if (w->n_penalties == 0 || w->tuned_dt == w->dt) return DLS_OK;
  const size_t n_bodies = (size_t)w->n_bodies;
  int *crowd = dls_new(&w->alloc, n_bodies, sizeof *crowd);
  if (!crowd) return DLS_NOMEM;
  for (int i = 0; i < w->n_joints; i++) {
    if (!dls_is_penalty(&w->joints[i])) continue;
    crowd[w->joints[i].a]++;
    crowd[w->joints[i].b]++;
  }
  w->stability_bound = 0;
  for (int i = 0; i < w->n_joints; i++) {
    dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    if (joint->gains.gains == DLS_GAINS_AUTO) auto_gains(w, joint, crowd);
    else plain_gains(w, joint);
    limit_gains(w, joint);
    find_yielding(w, joint);
    w->stability_bound = dls_max(w->stability_bound, bound_in_every_pose(w, joint, crowd));
  }
  w->stats.stability = 0; /* to be found by the next step */
  dls_free(&w->alloc, crowd, n_bodies, sizeof *crowd);
  w->tuned_dt = w->dt;
  return DLS_OK;
}
