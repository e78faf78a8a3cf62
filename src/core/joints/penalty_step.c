/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/penalty_step.h"

#include "core/joints/joint_rows.h"
#include "core/joints/tree_springs.h"
#include "core/joints/tree_step.h"
#include "core/model/frames.h"

/* A body as penalty rows see it, at q_c. */
static dls_penalty_body penalty_body(const dls_joint_stage *S, int body, const double *q,
                                     const double *u) {
  if (S->dim == 2) return dls_penalty_body_of(S->w, body, q, u);
  const double *x = DLS_Q(S, q, body), *v = DLS_U(S, u, body);
  return (dls_penalty_body){S->T[body].R, dls_v3_load(x), dls_v3_load(v), dls_v3_load(v + 3)};
}

int dls_penalties_count_rows(const dls_world *w) {
  int n = 0;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++)
    if (dls_is_penalty(&w->joints[i])) n += w->joints[i].penalty.n_rows;
  return n;
}

/* Limits that rest are no rows. */
static bool is_idle(const dls_penalty_row *row, const dls_penalty_at *at) {
  return dls_penalty_is_limit(row) && at->chi == 0;
}

void dls_penalties_store_start(dls_joint_stage *S) {
  S->stored_before = S->w->n_penalties > 0 && S->theta < 1 ? dls_penalties_energy(S->w, S->w->q) :
      0;
}

void dls_penalties_push_step(dls_joint_stage *S) {
  dls_world *w = S->w;
  S->n_penalties = 0;
  for (int i = 0; i < w->n_joints && w->n_penalties > 0; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!dls_is_penalty(joint)) continue;
    const dls_penalty *p = &joint->penalty;
    const dls_penalty_body a = penalty_body(S, joint->a, S->q_c, S->u_c);
    const dls_penalty_body b = penalty_body(S, joint->b, S->q_c, S->u_c);
    dls_penalty_now now[DLS_PENALTY_ROWS];
    const int what = w->springs_push ? DLS_DRIVE_TORQUE | DLS_DRIVE_SPRINGS : DLS_DRIVE_TORQUE;
    dls_penalty_rows_of(w, i, (const dls_penalty_body[2]){a, b}, now);
    for (int k = 0; k < p->n_rows; k++) {
      dls_penalty_at *at = &S->penalty[S->n_penalties++];
      *at = (dls_penalty_at){.joint = i, .row = k, .chi = now[k].chi, .rate = now[k].rate,
                             .drift = now[k].drift, .lambda = now[k].lambda};
      dls_penalty_row_of(S->dim, now[k].J, at->J);
      dls_penalty_row_of(S->dim, now[k].J + 6, at->J + S->nu);
      at->weight = 0;
      at->alpha = now[k].share * p->row[k].alpha;
      at->beta = now[k].share * p->row[k].beta;
      if (is_idle(&p->row[k], at)) continue;
      at->weight = sqrt(S->h * S->h * at->alpha + 2 * S->h * at->beta);
      dls_add_u(S->nu, DLS_U(S, S->push, joint->a), at->lambda, at->J);
      dls_add_u(S->nu, DLS_U(S, S->push, joint->b), at->lambda, at->J + S->nu);
    }
    double *own = w->joint_own + 6 * (size_t)i, more[12], J[2 * DLS_NU(3)];
    for (int k = 0; k < p->n_rows; k++)
      if (now[k].lambda != 0) dls_penalty_add_wrench(p, &b.R, now[k].lambda, now[k].J, own);
    if (!dls_penalty_drive(w, i, S->q_c, S->u_c, what, more)) continue;
    dls_penalty_row_of(S->dim, more, J);
    dls_penalty_row_of(S->dim, more + 6, J + S->nu);
    dls_joints_note_carried(S, joint, J, 1, 0);
    dls_add_u(S->nu, DLS_U(S, S->push, joint->a), 1, J);
    dls_add_u(S->nu, DLS_U(S, S->push, joint->b), 1, J + S->nu);
    dls_penalty_add_wrench(p, &b.R, 1, more, own);
  }
}

/* --- stability ------------------------------------------------------------------------------- */

/* u of bodies in trees from impulses on them. */
static void answer_trees(dls_joint_stage *S, const double *impulse, double *u) {
  dls_trees *t = S->w->trees;
  bool any = false;
  for (int k = 0; k < t->n_links; k++) {
    const int body = t->link_body[k];
    double *wrench = t->wrench + 6 * (size_t)k;
    memset(wrench, 0, 6 * sizeof *wrench);
    if (!dls_held_by_tree(S, body)) continue;
    dls_wrench_add(S->dim, wrench, 1, DLS_U(S, impulse, body));
    for (int i = 0; i < 6; i++) any = any || wrench[i] != 0;
  }
  if (!any) return;
  dls_forest_respond(&t->walked, t->state, NULL, t->wrench, t->du);
  dls_trees_spread(S, t->du, false, u);
}

/* y = D J M^-1 J' D x, D the rows' weights */
static void apply_penalties(void *ctx, const double *x, double *y) {
  dls_joint_stage *S = ctx;
  dls_world *w = S->w;
  double *impulse = S->penalty_impulse, *u = S->penalty_u;
  memset(impulse, 0, (size_t)w->n_bodies * S->nu * sizeof(double));
  for (int k = 0; k < S->n_penalties; k++) {
    const dls_penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    dls_add_u(S->nu, DLS_U(S, impulse, joint->a), at->weight * x[k], at->J);
    dls_add_u(S->nu, DLS_U(S, impulse, joint->b), at->weight * x[k], at->J + S->nu);
  }
  for (int i = 0; i < w->n_bodies; i++)
    dls_apply_inverse(S->nu, S->rows, i, DLS_U(S, impulse, i), DLS_U(S, u, i));
  if (dls_trees_used(w)) answer_trees(S, impulse, u);
  for (int k = 0; k < S->n_penalties; k++) {
    const dls_penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    y[k] = at->weight * dls_velocity_between(S, at->J, u, joint->a, joint->b);
  }
}

/* What limits that act add to the number at most: in joints that have come apart their rows grow
** without bound (an angle whose axes lean, an arm along a slide), which no pose tells that these
** admit. */
static double number_of_limits(const dls_joint_stage *S) {
  double sum = 0;
  for (int k = 0; k < S->n_penalties; k++) {
    const dls_penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &S->w->joints[at->joint];
    double MJ[2 * DLS_NU(3)];
    if (at->weight == 0 || !dls_penalty_is_limit(&joint->penalty.row[at->row])) continue;
    dls_apply_inverse(S->nu, S->rows, joint->a, at->J, MJ);
    dls_apply_inverse(S->nu, S->rows, joint->b, at->J + S->nu, MJ + S->nu);
    sum += at->weight * at->weight * dls_row_velocity(S->nu, at->J, MJ, MJ + S->nu);
  }
  return sum;
}

dls_status dls_penalties_judge(dls_joint_stage *S) {
  static const double STABLE = 4, CLEAR = 3.5;
  enum { NOW_AND_THEN = 16 };
  dls_world *w = S->w;
  if (S->n_penalties == 0) w->stats.stability = 0;
  if (S->n_penalties == 0) return DLS_OK;
  const bool safe = w->stability_bound + number_of_limits(S) < CLEAR && w->stats.stability > 0;
  if (safe && w->steps % NOW_AND_THEN != 0) return DLS_OK;
  dls_stability found;
  /* Springs beside them are implicit, and change nothing: with the velocities taken at half steps
  ** they are an inertia h^2 k/4 and a stiffness k, so that h^2 (alpha + k) < 4 (m + h^2 k/4) asks
  ** for h^2 alpha < 4 m. */
  dls_status status = dls_tree_springs_set(S, false);
  if (status == DLS_OK)
    status = dls_stability_number(S->n_penalties, apply_penalties, S, CLEAR, &w->arena, &found);
  if (status == DLS_OK) status = dls_tree_springs_set(S, true);
  if (status != DLS_OK) return status;
  w->stats.stability = found.number;
  if (found.number <= STABLE) return DLS_OK;
  w->fault = S->penalty[found.row].joint;
  w->fault_value = found.number;
  return DLS_UNSTABLE;
}

/* --- ledger ---------------------------------------------------------------------------------- */

void dls_penalties_store_end(dls_joint_stage *S) {
  S->stored = S->stored_n = S->stored_moved = 0;
  if (S->n_penalties == 0) return;
  if (S->theta < 1) S->stored = S->stored_before;
  for (int k = 0; k < S->n_penalties && S->theta == 1; k++) {
    const dls_penalty_at *at = &S->penalty[k];
    S->stored += 0.5 * at->alpha * (at->chi * at->chi);
  }
  S->stored_moved = S->stored_n = dls_penalties_energy(S->w, S->q_n);
}

void dls_penalties_store_projected(dls_joint_stage *S) {
  if (S->n_penalties > 0 && (S->rows->n_blocks > 0 || S->w->stats.penetration != 0 ||
                             *S->correction != 0))
    S->stored_moved = dls_penalties_energy(S->w, S->q_n);
}

/* Work h lambda (rate before + rate after)/2: dampers take h beta rate (...)/2; springs give theirs
** to what is stored, up to the scheme's own share: the force is that of q_c all through the
** step. */
void dls_penalties_charge(dls_joint_stage *S, dls_ledger *l) {
  dls_world *w = S->w;
  if (S->n_penalties == 0) return;
  double spring = 0;
  for (int k = 0; k < S->n_penalties; k++) {
    const dls_penalty_at *at = &S->penalty[k];
    const dls_joint *joint = &w->joints[at->joint];
    if (at->weight == 0) continue;
    const double *u_a = DLS_U(S, S->rows->u, joint->a), *u_b = DLS_U(S, S->rows->u, joint->b);
    /* u_c turned on where a touch stopped its body (contacts/near.h): no longer at->rate there */
    const double before =
        dls_row_velocity(S->nu, at->J, DLS_U(S, S->u_c, joint->a), DLS_U(S, S->u_c, joint->b));
    const double mean = 0.5 * (before + dls_row_velocity(S->nu, at->J, u_a, u_b)) - at->drift;
    const double force = S->h * at->lambda, brake = at->lambda != 0 ? -S->h * at->beta * at->rate :
        0;
    double carried = -at->drift; /* by bodies that do not move freely, and by drives */
    for (int e = 0; e < 2; e++) {
      const int body = e == 0 ? joint->a : joint->b;
      if (dls_moves_freely(&w->bodies[body])) continue;
      carried += 0.5 * dls_dot_u(S->nu, at->J + e * S->nu, DLS_U(S, S->u_c, body));
      carried += 0.5 * dls_dot_u(S->nu, at->J + e * S->nu, DLS_U(S, S->rows->u, body));
    }
    l->forces -= force * (mean - carried); /* charge_motion counted it as a push */
    l->kinematic -= force * carried;
    l->damping -= brake * mean;
    spring += (force - brake) * mean;
  }
  const double change = S->stored_n - S->stored;
  l->stored += change + (S->stored_moved - S->stored_n);
  l->correction += S->stored_moved - S->stored_n;
  l->scheme += change + spring;
}
