/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/spring_end.h"

#include "core/joints/held.h"
#include "core/joints/held_mixed.h"
#include "core/joints/penalty_step.h"
#include "core/joints/spring_nets.h"
#include "core/joints/spring_rows.h"

/* --- the way of coordinates ------------------------------------------------------------------ */

double dls_spring_turned(const dls_joint *joint, int k, double q, double x) {
  return dls_joint_motion_of(joint, k)->kind == DLS_MOTION_ROTATE ? dls_angle_near(q, x) : q;
}

/* h times the mean rate, where positions go by theta. */
static double way_of(const dls_joint_stage *S, const dls_spring_row *of) {
  const double mean = dls_spring_mean_rate(S, of), after = 2 * mean - of->v0 + S->drift[of->row];
  return S->h * (mean + (2 * S->theta - 1) * (after - mean));
}

/* What coordinate k lacks of that, turns counted by where it is to be. */
static double lack_of(const dls_joint_stage *S, const dls_spring_row *of,
                      const dls_joint_frame *f) {
  const int index = of->joint, k = of->k;
  const dls_joint *joint = &S->w->joints[index];
  if (joint->kind != DLS_KIND_SPHERICAL) {
    const double to = S->stretch[6 * (size_t)index + (size_t)k] + way_of(S, of);
    return dls_spring_turned(joint, k, f->q[k], to) - to;
  }
  double frame[DLS_NQ(3)] = {0}, turn[DLS_NU(3)] = {0}, apart[4], x[3];
  const dls_spring_row *first = of - k;
  for (int i = 0; i < 3; i++) turn[3 + i] = way_of(S, &first[i]);
  frame[3] = 1;
  dls_drift(3, frame, 1, turn);
  const dls_joint_frame before = dls_joint_frame_at(S->w, index, S->w->q);
  const dls_quat to = dls_q_mul(dls_q_load(before.q), dls_q_load(frame + 3));
  dls_q_store(apart, dls_q_mul(dls_q_conj(to), dls_q_load(f->q)));
  dls_v3_store(x, dls_ball_rotation(apart));
  return x[k];
}

void dls_springs_find_ways(dls_joint_stage *S, const double *q, dls_overlap *o, int *n) {
  dls_joint_frame f;
  f.joint = NULL;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    const dls_spring_row *of = &S->spring_row[k];
    if (of->joint < 0 || !(of->law.late > 0)) continue;
    const dls_joint *joint = &S->w->joints[of->joint];
    if (joint->formulation != DLS_RIGID) continue;
    if (f.joint != joint) f = dls_joint_frame_at(S->w, of->joint, q);
    if (!f.regular) continue;
    dls_overlap *out = &o[(*n)++];
    *out = (dls_overlap){.a = of->a, .b = of->b, .both = true, .source = of->joint,
                         .gap = lack_of(S, of, &f), .gamma = 1 / (S->h * of->law.late)};
    dls_joint_frame_row(S->w, &f, q, f.dual + 6 * of->k, out->J);
    out->size = dls_overlap_length(S, out);
    dls_overlap_weigh(S, out);
  }
}

/* --- velocities ------------------------------------------------------------------------------ */

/* Their row at q'; what drives make of it is in *drift. f: the last rigid joint that was looked at,
** and left for the next rows of the same. */
static bool late_row(dls_joint_stage *S, const dls_spring_row *of, dls_joint_frame *f,
                     dls_overlap *o, double *drift) {
  const dls_world *w = S->w;
  *drift = 0;
  *o = (dls_overlap){.both = true, .source = of->joint};
  if (of->joint < 0) {
    const dls_spring *spring = &w->springs[-1 - of->joint];
    dls_spring_line line;
    o->a = spring->a, o->b = spring->b;
    return dls_spring_line_at(S, spring, S->q_n, &line, o->J);
  }
  const dls_joint *joint = &w->joints[of->joint];
  o->a = joint->a, o->b = joint->b;
  if (joint->formulation == DLS_PENALTY) {
    dls_along at;
    dls_penalty_look_along(w, of->joint, S->q_n, NULL, &at);
    dls_penalty_row_of(S->dim, at.J[of->k], o->J);
    dls_penalty_row_of(S->dim, at.J[of->k] + 6, o->J + S->nu);
    *drift = -at.drift[of->k];
    return true;
  }
  if (f->joint != joint) *f = dls_joint_frame_at(S->w, of->joint, S->q_n);
  if (!f->regular) return false;
  dls_joint_frame_row(S->w, f, S->q_n, f->dual + 6 * of->k, o->J);
  *drift = -dls_functional(f->dual + 6 * of->k, f->rate);
  return true;
}

static void mark(unsigned char *body) {
  if (*body == 0) *body = DLS_HELD_LATE;
}

static void mark_late(const dls_joint_stage *S, unsigned char *body) {
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    const dls_spring_row *of = &S->spring_row[k];
    if (!(of->law.late > 0)) continue;
    const int i = of->joint;
    mark(&body[i < 0 ? S->w->springs[-1 - i].a : S->w->joints[i].a]);
    mark(&body[i < 0 ? S->w->springs[-1 - i].b : S->w->joints[i].b]);
  }
}

void dls_springs_hold_late(dls_joint_stage *S) { mark_late(S, S->held); }

void dls_springs_find_late(dls_joint_stage *S, dls_overlap *o, int *n) {
  dls_joint_frame f;
  f.joint = NULL;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    dls_spring_row *of = &S->spring_row[k];
    dls_overlap *out = &o[*n];
    double drift;
    of->late = -1;
    if (S->carried && (S->carried[of->a] || S->carried[of->b])) continue;
    if (!(of->law.late > 0) || !late_row(S, of, &f, out, &drift)) continue;
    out->gap = drift - of->mean;
    out->gamma = 1 / (S->h * of->law.late);
    out->size = dls_overlap_length(S, out);
    dls_overlap_weigh(S, out);
    of->late = (*n)++;
  }
}

/* --- projections of positions ---------------------------------------------------------------- */

static double line_beyond_aim(const dls_joint_stage *S, const dls_spring *spring) {
  dls_spring_line now, then;
  double J[2 * DLS_NU(3)];
  if (!dls_spring_line_at(S, spring, S->q_n, &now, J) ||
      !dls_spring_line_at(S, spring, S->aim, &then, J)) return 0;
  return now.length - then.length;
}

/* By how much the coordinate of a row at q' is beyond that of the aim. */
static double beyond_aim(const dls_joint_stage *S, const dls_spring_row *of) {
  const dls_world *w = S->w;
  if (of->joint < 0) return line_beyond_aim(S, &w->springs[-1 - of->joint]);
  if (w->joints[of->joint].formulation == DLS_PENALTY) {
    dls_along now, then;
    dls_penalty_look_along(w, of->joint, S->q_n, NULL, &now);
    dls_penalty_look_along(w, of->joint, S->aim, NULL, &then);
    return now.x[of->k] - then.x[of->k];
  }
  const dls_joint_frame now = dls_joint_frame_at(w, of->joint, S->q_n),
      then = dls_joint_frame_at(w, of->joint, S->aim);
  if (now.joint->kind != DLS_KIND_SPHERICAL)
    return dls_spring_turned(now.joint, of->k, now.q[of->k], then.q[of->k]) - then.q[of->k];
  double apart[4], x[3];
  dls_q_store(apart, dls_q_mul(dls_q_conj(dls_q_load(then.q)), dls_q_load(now.q)));
  dls_v3_store(x, dls_ball_rotation(apart));
  return x[of->k];
}

void dls_springs_mark_kept(const dls_joint_stage *S, unsigned char *body) {
  mark_late(S, body);
  for (int i = 0; S->carried && i < S->w->n_bodies; i++) body[i] |= S->carried[i];
}

int dls_springs_most_kept(const dls_joint_stage *S) {
  return S->n_late + (S->carried ? S->w->n_springs : 0);
}

/* Springs between two points whose nets are carried have no row in the solve. */
static void find_carried_kept(dls_joint_stage *S, dls_overlap *o, int *n) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_springs; i++) {
    const dls_spring *spring = &w->springs[i];
    dls_spring_line line;
    dls_overlap *out = &o[*n];
    if (!spring->alive || !S->spring_try[i].carried || !(spring->stiffness > 0)) continue;
    *out = (dls_overlap){.a = spring->a, .b = spring->b, .both = true, .source = -1 - i,
                         .gap = line_beyond_aim(S, spring),
                             .gamma = 1 / (S->h * S->h * spring->stiffness)};
    if (!dls_spring_line_at(S, spring, S->q_n, &line, out->J)) continue;
    out->size = dls_overlap_length(S, out);
    dls_overlap_weigh(S, out);
    (*n)++;
  }
}

void dls_springs_find_kept(dls_joint_stage *S, dls_overlap *o, int *n) {
  dls_joint_frame f;
  f.joint = NULL;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    const dls_spring_row *of = &S->spring_row[k];
    dls_overlap *out = &o[*n];
    double drift;
    if (!(of->law.late > 0) || !late_row(S, of, &f, out, &drift)) continue;
    out->gap = beyond_aim(S, of);
    out->gamma = 1 / (S->h * of->law.late);
    out->size = dls_overlap_length(S, out);
    dls_overlap_weigh(S, out);
    (*n)++;
  }
  if (S->carried) find_carried_kept(S, o, n);
}

double dls_springs_charge_late(dls_joint_stage *S, const dls_overlap *o, const double *u,
                               const double *u_n) {
  double sum = 0;
  for (int k = 0; k < S->n_spring_rows && S->n_late > 0; k++) {
    dls_spring_row *of = &S->spring_row[k];
    if (of->late < 0) continue;
    const dls_overlap *at = &o[of->late];
    const double work = 0.5 * at->pi * (dls_overlap_speed(S, at, u) +
                                        dls_overlap_speed(S, at, u_n));
    dls_spring_law_charge_late(&of->law, work, &S->sprung);
    of->late_work = work;
    sum += work;
    for (int e = 0; e < 2; e++) { /* whoever moves the other end works, too */
      const int body = dls_overlap_end(at, e);
      if (dls_moves_freely(&S->w->bodies[body])) continue;
      const double carried = at->pi * dls_dot_u(S->nu, at->J + e * S->nu, DLS_U(S, u_n, body));
      S->closed_kinematic -= carried;
      sum -= carried;
    }
  }
  return sum;
}
