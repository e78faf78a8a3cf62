/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/joint_gaps.h"

#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/joints/joint_rows.h"
#include "core/math/elementary.h"
#include "core/model/frames.h"

void dls_joints_mark_held(dls_joint_stage *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) S->held[i] = dls_held_by_tree(S, i) ? DLS_HELD : 0;
  for (int i = 0; S->n_unreduced > 0 && i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_RIGID) continue;
    S->held[joint->a] = S->held[joint->b] = DLS_HELD;
  }
  for (int i = 0; S->n_gears > 0 && i < w->n_gears; i++)
    for (int k = 0; k < 2 && w->gears[i].alive; k++) {
      const dls_joint *joint = &w->joints[w->gears[i].joint[k]];
      S->held[joint->a] = S->held[joint->b] = DLS_HELD;
    }
}

/* --- rows ---------------------------------------------------------------------------------- */

void dls_overlap_weigh(const dls_joint_stage *S, dls_overlap *o) {
  dls_apply_inverse(S->nu, S->rows, o->a, o->J, o->MJ);
  dls_apply_inverse(S->nu, S->rows, o->b, o->J + S->nu, o->MJ + S->nu);
  for (int e = 2; e < dls_overlap_ends(o); e++)
    dls_apply_inverse(S->nu, S->rows, dls_overlap_end(o, e), o->J + e * S->nu, o->MJ + e * S->nu);
}

double dls_overlap_speed(const dls_joint_stage *S, const dls_overlap *o, const double *u) {
  double sum = dls_velocity_between(S, o->J, u, o->a, o->b);
  for (int e = 2; e < dls_overlap_ends(o); e++)
    sum += dls_dot_u(S->nu, o->J + e * S->nu, DLS_U(S, u, dls_overlap_end(o, e)));
  return sum;
}

static void find_gear_gaps(const dls_joint_stage *S, const double *q, dls_overlap *out,
                           int *n_out) {
  const dls_world *w = S->w;
  for (int i = 0; S->n_gears > 0 && i < w->n_gears; i++) {
    dls_gear_frame at;
    if (!w->gears[i].alive || !dls_gear_frame_at(S->w, &w->gears[i], q, &at)) continue;
    const int one = w->gears[i].joint[0], two = w->gears[i].joint[1];
    dls_overlap *o = &out[(*n_out)++];
    *o = (dls_overlap){.a = at.f[1].joint->a,
                       .b = at.f[1].joint->b,
                       .c = at.f[0].joint->a,
                       .d = at.f[0].joint->b,
                       .n_ends = 4,
                       .gap = dls_joint_foreseen(S, two, q, at.f[1].q[0]) -
                              w->gears[i].ratio * dls_joint_foreseen(S, one, q, at.f[0].q[0]) -
                              w->gears[i].rest,
                       .rate = at.rate,
                       .both = true,
                       .size = dls_joint_turns(at.f[1].joint, 0)
                                   ? 1
                                   : dls_joint_size(w, at.f[1].joint),
                       .source = two,
                       .other = one};
    memcpy(o->J, at.J, 4 * (size_t)S->nu * sizeof(double));
    dls_overlap_weigh(S, o);
  }
}

/* A hinge of the plane holds the place of one point along both axes of the world. */
static bool is_flat_hinge(const dls_joint_stage *S, const dls_joint *joint) {
  return S->dim == 2 && joint->kind == DLS_KIND_REVOLUTE && joint->nu == 1 && joint->n_motions == 1;
}

/* Where a point of a body's frame is in the plane. */
static void point_of(const dls_world *w, int body, const double *q, const dls_place *on,
                     double out[2]) {
  const double *com = w->bodies[body].com, x = on->p.x - com[0], y = on->p.y - com[1];
  double s = 0, c = 1;
  if (q[2] != 0) dls_sincos(q[2], &s, &c);
  out[0] = q[0] + (c * x - s * y);
  out[1] = q[1] + (s * x + c * y);
}

static void find_hinge_gaps(const dls_joint_stage *S, const double *q, int index,
                            dls_overlap *out) {
  const dls_world *w = S->w;
  const dls_joint *joint = &w->joints[index];
  const double *q_a = DLS_Q(S, q, joint->a), *q_b = DLS_Q(S, q, joint->b);
  const double size = dls_joint_size(w, joint);
  double A[2], B[2];
  point_of(w, joint->a, q_a, &joint->on_a, A);
  point_of(w, joint->b, q_b, &joint->on_b, B);
  for (int k = 0; k < 2; k++) {
    dls_overlap *o = &out[k];
    *o = (dls_overlap){.a = joint->a, .b = joint->b, .size = size, .both = true, .source = index,
                       .gap = B[k] - A[k], .at = {B[0], B[1], 0}, .pinned = true};
    for (int e = 0; e < 2; e++) {
      const double sign = e == 0 ? -1 : 1, *centre = e == 0 ? q_a : q_b;
      o->J[3 * e + k] = sign;
      o->J[3 * e + 2] = k == 0 ? -sign * (B[1] - centre[1]) : sign * (B[0] - centre[0]);
    }
    dls_overlap_weigh(S, o);
  }
}

/* Where a takes the impulse of a row that holds a point B of b where its point A is. The gap B - A
** along axes of the world changes by each one's own point; with B for both the first turn takes it
** for one along axes of a, which a slender body would turn about itself to shut. Inside of a tree
** rows are pairs of opposite wrenches, which no one beyond both bodies feels. */
static dls_vec3 pushed_at(const dls_joint_stage *S, const dls_joint *joint, dls_vec3 A,
                          dls_vec3 B) {
  return dls_held_by_tree(S, joint->a) && dls_held_by_tree(S, joint->b) ? B : A;
}

/* A ball in space holds the place of one point along the axes of the world, and nothing else. */
static void find_ball_gaps(const dls_joint_stage *S, const double *q, int index,
                           dls_overlap *out) {
  const dls_world *w = S->w;
  const dls_joint *joint = &w->joints[index];
  const double *q_a = DLS_Q(S, q, joint->a), *q_b = DLS_Q(S, q, joint->b);
  const dls_place a = dls_frame_of(w, joint->a, q_a), b = dls_frame_of(w, joint->b, q_b);
  const dls_vec3 A = dls_place_point(&a, joint->on_a.p), B = dls_place_point(&b, joint->on_b.p);
  const dls_vec3 arms[2] = {dls_v3_sub(pushed_at(S, joint, A, B), dls_v3_load(q_a)),
                            dls_v3_sub(B, dls_v3_load(q_b))};
  const double size = dls_joint_size(w, joint), gap[3] = {B.x - A.x, B.y - A.y, B.z - A.z};
  for (int k = 0; k < 3; k++) {
    dls_overlap *o = &out[k];
    *o = (dls_overlap){.a = joint->a, .b = joint->b, .size = size, .both = true, .source = index,
                       .gap = gap[k], .at = {B.x, B.y, B.z}};
    double axis[3] = {0};
    axis[k] = 1;
    for (int e = 0; e < 2; e++) {
      const dls_vec3 force = dls_v3_scale(e == 0 ? -1 : 1, dls_v3_load(axis));
      dls_v3_store(o->J + 6 * e, force);
      dls_v3_store(o->J + 6 * e + 3, dls_v3_cross(arms[e], force));
    }
    dls_overlap_weigh(S, o);
  }
}

void dls_joints_find_gaps(const dls_joint_stage *S, const double *q, dls_overlap *out, int *n_out) {
  const dls_world *w = S->w;
  for (int i = 0; S->n_unreduced > 0 && i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation != DLS_RIGID || S->doubled[i]) continue;
    if (is_flat_hinge(S, joint)) {
      find_hinge_gaps(S, q, i, out + *n_out);
      *n_out += 2;
      continue;
    }
    if (S->dim == 3 && joint->kind == DLS_KIND_SPHERICAL) {
      find_ball_gaps(S, q, i, out + *n_out);
      *n_out += 3;
      continue;
    }
    const dls_joint_frame f = dls_joint_frame_at(S->w, i, q);
    double N[36], x[6];
    const int n = dls_joint_frame_held(S->dim, &f, N);
    dls_joint_frame_apart(&f, x);
    for (int k = 0; k < n; k++) {
      dls_overlap *o = &out[(*n_out)++];
      const bool turns = dls_v3_norm(dls_v3_load(N + 6 * k + 3)) == 0;
      *o = (dls_overlap){.a = joint->a, .b = joint->b, .both = true, .source = i,
                         .size = turns ? 1 : dls_joint_size(w, joint)};
      o->gap = dls_functional(N + 6 * k, x);
      o->rate = dls_functional(N + 6 * k, f.rate);
      dls_v3_store(o->at, f.B.p);
      o->pinned = dls_joint_pins(joint);
      dls_joint_frame_row(S->w, &f, q, N + 6 * k, o->J);
      if (S->dim == 3 && o->pinned && !turns) {
        const dls_vec3 beside = dls_v3_sub(pushed_at(S, joint, f.A.p, f.B.p), f.B.p);
        dls_v3_store(o->J + 3, dls_v3_add(dls_v3_load(o->J + 3),
                                          dls_v3_cross(beside, dls_v3_load(o->J))));
      }
      dls_overlap_weigh(S, o);
    }
  }
  find_gear_gaps(S, q, out, n_out);
}

/* Whether the angle between a ball's axis on either side is below `most`, from its quaternion. */
static bool leans_less(const dls_joint *joint, const double *q, double most) {
  const dls_quat turn = dls_q_load(q);
  const dls_vec3 way = dls_v3_cross(joint->axis, dls_v3(turn.x, turn.y, turn.z));
  /* of half the angle that the axis turns by, where |turn| = 1 */
  const double sine = dls_v3_norm(way);
  /* the arc sine of s in [0, 1] is s + (pi/2 - 1) s^3 at most */
  return sine * (2 + (DLS_PI - 2) * (sine * sine)) < most || 2 * dls_asin(dls_min(sine, 1)) < most;
}

bool dls_joint_limits_are_far(const dls_joint_stage *S, int index, const double *q, double slack) {
  /* rad, m, and of the coordinate: what the bodies' poses may tell otherwise */
  static const double NEAR = 1e-6;
  const dls_joint *joint = &S->w->joints[index];
  if (joint->formulation != DLS_REDUCED || !dls_trees_used(S->w)) return false;
  const dls_trees *t = S->w->trees;
  const int link = t->body_link[joint->turned ? joint->a : joint->b];
  const int n_own = joint->kind == DLS_KIND_SPHERICAL ? 4 : joint->n_limits;
  if (link < 0 || t->link_joint[link] != index) return false;
  if (t->forest->links[link].nq < n_own) return false; /* driven: its coordinates are given */
  const double *own = q + t->forest->links[link].iq;
  if (joint->kind == DLS_KIND_SPHERICAL) {
    if (joint->twist[0] > -DLS_INF || joint->twist[1] < DLS_INF) return false;
    return leans_less(joint, own, joint->cone - slack - NEAR);
  }
  for (int k = 0; k < joint->n_limits; k++) {
    const double most = slack + NEAR * (1 + fabs(own[k]));
    if (own[k] - joint->lo[k] <= most || joint->hi[k] - own[k] <= most) return false;
  }
  return true;
}

void dls_joints_find_limit_gaps(const dls_joint_stage *S, dls_overlap *out, int *n_out,
                                double slack, dls_exceeded *worst) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_joints; i++) {
    if (!dls_joint_has_limits(&w->joints[i])) continue;
    const double size = dls_joint_size(w, &w->joints[i]);
    if (dls_trees_used(w) &&
        dls_joint_limits_are_far(S, i, w->trees->state->q, dls_max(slack, slack / size)))
      continue;
    dls_joint_frame f;
    dls_joint_frame_for_limits(w, i, S->q_n, NULL, &f);
    for (int k = 0; k < DLS_JOINT_LIMITS; k++) {
      double gap = 0, d[6];
      if (!dls_joint_frame_limit(&f, k, &gap, d)) continue;
      const bool turns = dls_joint_limit_turns(f.joint, k);
      const double way = turns ? size * gap : gap;
      if (way > slack) continue;
      dls_overlap *o = &out[(*n_out)++];
      *o = (dls_overlap){
          .a = f.joint->a, .b = f.joint->b, .gap = gap, .size = turns ? 1 : size, .source = i};
      dls_joint_frame_row(S->w, &f, S->q_n, d, o->J);
      dls_overlap_weigh(S, o);
      worst->share = dls_max(worst->share, -way / size);
      worst->way = dls_max(worst->way, -way);
    }
  }
}
