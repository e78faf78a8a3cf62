/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/doubled.h"

#include "core/forest/kinematics.h"
#include "core/joints/joint_forces.h"
#include "core/model/frames.h"

/* --- both joints as one ------------------------------------------------------------------------ */

/* A joint of a tree and one beside it between the same bodies. */
typedef struct doubled {
  const dls_joint *own, *other; /* of the tree; beside it                 */
  int body[2];                  /* who carries, who is carried            */
  dls_place at[2], beside[2];   /* frames of own, of other, in the bodies */
  double some;                  /* m: lengths that differ by less are one */
} doubled;

static const double EQUAL = 1e-12; /* of lengths; sines */

static doubled pair_of(const dls_world *w, int own, int other) {
  doubled d = {.own = &w->joints[own], .other = &w->joints[other]};
  d.body[0] = d.own->turned ? d.own->b : d.own->a;
  d.body[1] = d.own->turned ? d.own->a : d.own->b;
  d.some = dls_joint_size(w, d.own);
  for (int e = 0; e < 2; e++) {
    d.at[e] = d.body[e] == d.own->a ? d.own->on_a : d.own->on_b;
    d.beside[e] = d.body[e] == d.other->a ? d.other->on_a : d.other->on_b;
    d.some += dls_v3_norm(d.at[e].p) + dls_v3_norm(d.beside[e].p);
  }
  d.some *= EQUAL;
  return d;
}

/* A hinge, ball or weld whose motions nobody prescribes. */
static bool is_plain(const dls_joint *joint) {
  const int kind = joint->kind;
  return joint->alive && joint->n_driven == 0 &&
         (kind == DLS_KIND_SPHERICAL || kind == DLS_KIND_REVOLUTE || kind == DLS_KIND_FIXED);
}

static bool has_springs(const dls_joint *joint) {
  return joint->stiffness > 0 || joint->damping > 0;
}

/* Kinds of a joint of a tree and of one beside it that may be one joint together. */
static bool are_plain(const dls_joint *own, const dls_joint *other) {
  return other->formulation == DLS_RIGID && is_plain(other) && !has_springs(other) &&
         is_plain(own);
}

/* Both frames of the second joint stand as one wherever the weld holds. */
static bool is_in_weld(const doubled *d) {
  const dls_place back = dls_place_inverse(&d->at[1]), X = dls_place_mul(&d->at[0], &back);
  const dls_place T = dls_place_mul(&X, &d->beside[1]);
  if (dls_v3_norm(dls_v3_sub(T.p, d->beside[0].p)) > d->some) return false;
  if (d->other->kind == DLS_KIND_SPHERICAL) return true;
  if (d->other->kind == DLS_KIND_REVOLUTE) {
    const dls_vec3 m = d->other->axis;
    return dls_v3_norm(dls_v3_sub(dls_m3_apply(&T.R, m), dls_m3_apply(&d->beside[0].R, m))) <=
           EQUAL;
  }
  double most = 0;
  for (int k = 0; k < 9; k++) most = dls_max(most, fabs(T.R.m[k] - d->beside[0].R.m[k]));
  return most <= EQUAL;
}

/* The second joint's point lies on the line e (unit, in either body) through the first one's, and as
** far along it. */
static bool is_on_line(const doubled *d, const dls_vec3 e[2]) {
  double along[2];
  for (int k = 0; k < 2; k++) {
    const dls_vec3 way = dls_v3_sub(d->beside[k].p, d->at[k].p);
    along[k] = dls_v3_dot(way, e[k]);
    if (dls_v3_norm(dls_v3_axpy(way, -along[k], e[k])) > d->some) return false;
  }
  return fabs(along[0] - along[1]) <= d->some;
}

static void axes_of(const dls_joint *joint, const dls_place at[2], dls_vec3 e[2]) {
  for (int k = 0; k < 2; k++) e[k] = dls_m3_apply(&at[k].R, joint->axis);
}

static bool are_one_way(const dls_vec3 e[2], const dls_vec3 f[2]) {
  for (int k = 0; k < 2; k++)
    if (dls_v3_norm(dls_v3_cross(e[k], f[k])) > EQUAL) return false;
  return dls_v3_dot(e[0], f[0]) * dls_v3_dot(e[1], f[1]) > 0;
}

static bool is_in_hinge(const doubled *d) {
  dls_vec3 e[2], f[2];
  if (d->other->kind == DLS_KIND_FIXED) return false;
  axes_of(d->own, d->at, e);
  if (!is_on_line(d, e)) return false;
  if (d->other->kind == DLS_KIND_SPHERICAL) return true;
  axes_of(d->other, d->beside, f);
  return are_one_way(e, f);
}

/* The axis e, in either body, that a ball turns about with the joint beside it; zero: about any.
** False: they are no one joint, as where the ball resists its turning. */
static bool find_axis(const doubled *d, dls_vec3 e[2]) {
  static const double SHORT = 1e-3; /* of a radius of gyration: a line by points that are nearer */
  double length[2];
  if (has_springs(d->own) || dls_joint_has_laws(d->own)) return false;
  if (d->other->kind == DLS_KIND_FIXED) return false;
  if (d->other->kind == DLS_KIND_REVOLUTE) {
    axes_of(d->other, d->beside, e);
    return is_on_line(d, e);
  }
  for (int k = 0; k < 2; k++) {
    e[k] = dls_v3_sub(d->beside[k].p, d->at[k].p);
    length[k] = dls_v3_norm(e[k]);
  }
  if (fabs(length[0] - length[1]) > d->some) return false;
  const bool same = length[0] <= d->some;
  for (int k = 0; k < 2; k++) e[k] = dls_v3_scale(same ? 0 : 1 / length[k], e[k]);
  return same || length[0] * EQUAL > SHORT * d->some;
}

/* --- in a step --------------------------------------------------------------------------------- */

/* Where the axes of either body stand apart: the turn that brings the carried one's onto the other, in
** its axes, as tan(angle/2) of its axis; *strays: they turn otherwise than about it. False: too far
** apart for the shortest way to be a start. */
static bool is_near(const dls_joint_stage *S, const doubled *d, const dls_vec3 e[2], dls_vec3 *off,
                    bool *strays) {
  static const double NEAR = 1e-2,      /* rad; 1e-6 to 0.3 hold the spec's trees alike */
                      ADMITTED = 1e-11; /* of the bodies' turning                      */
  dls_vec3 x[2], spin[2];
  dls_mat3 R = {{0}};
  for (int k = 0; k < 2; k++) {
    R = dls_q_matrix(dls_q_load(DLS_Q(S, S->w->q, d->body[k]) + 3));
    x[k] = dls_m3_apply(&R, e[k]);
    spin[k] = dls_v3_load(DLS_U(S, S->w->u, d->body[k]) + 3);
  }
  const dls_vec3 turn = dls_v3_cross(x[1], x[0]), rate = dls_v3_sub(spin[1], spin[0]);
  const double cosine = dls_v3_dot(x[0], x[1]);
  if (cosine < 0 || dls_v3_norm(turn) > NEAR) return false;
  *off = dls_v3_scale(1 / (1 + cosine), dls_m3_apply_t(&R, turn));
  *strays = dls_v3_norm(dls_v3_cross(x[1], rate)) >
            ADMITTED * (dls_v3_norm(spin[0]) + dls_v3_norm(spin[1]));
  return true;
}

/* The ball's node takes the axis, where it has none or the same in both bodies. */
static bool take_axis(dls_joint_stage *S, const doubled *d) {
  dls_trees *t = S->w->trees;
  dls_vec3 e[2], off;
  bool strays;
  if (!find_axis(d, e)) return false;
  if (dls_v3_norm(e[1]) == 0) return true;
  if (!is_near(S, d, e, &off, &strays)) return false;
  const size_t at = 3 * (size_t)t->forest->links[t->body_link[d->body[1]]].node;
  if (t->n_axes == 0) memset(t->axis, 0, 3 * (size_t)t->walked.n_nodes * sizeof *t->axis);
  const dls_vec3 known = dls_v3_load(t->axis + at);
  if (dls_v3_norm(known) > 0)
    return dls_v3_norm(dls_v3_cross(known, e[1])) <= EQUAL &&
           dls_v3_norm(dls_v3_sub(dls_v3_load(t->off_axis + at), off)) <= EQUAL;
  dls_v3_store(t->axis + at, e[1]);
  dls_v3_store(t->off_axis + at, off);
  t->n_axes++;
  S->strays = S->strays || strays;
  return true;
}

static bool is_doubled(dls_joint_stage *S, int index) {
  const dls_world *w = S->w;
  const dls_joint *joint = &w->joints[index];
  const int own = dls_trees_joint_between(w, joint->a, joint->b);
  if (own < 0 || !are_plain(&w->joints[own], joint)) return false;
  const doubled d = pair_of(w, own, index);
  switch (d.own->kind) {
    case DLS_KIND_FIXED: return is_in_weld(&d);
    case DLS_KIND_REVOLUTE: return is_in_hinge(&d);
    default: return take_axis(S, &d);
  }
}

void dls_joints_find_doubled(dls_joint_stage *S) {
  const dls_world *w = S->w;
  S->n_doubled = 0;
  S->strays = false;
  memset(S->doubled, 0, (size_t)w->n_joints);
  if (!dls_trees_used(w)) return;
  w->trees->n_axes = 0;
  if (S->dim == 2 || S->n_unreduced == 0) return;
  for (int i = 0; i < w->n_joints; i++) {
    S->doubled[i] = is_doubled(S, i);
    S->n_doubled += S->doubled[i];
  }
}

void dls_doubled_align(dls_joint_stage *S) {
  dls_trees *t = S->w->trees;
  dls_forest_state *state = t->state;
  if (t->n_axes == 0) return;
  state->axis = t->axis;
  for (int i = 0; i < t->walked.n_nodes; i++) {
    const dls_node *node = &t->forest->nodes[i];
    const dls_vec3 e = dls_v3_load(t->axis + 3 * (size_t)i);
    if (node->kind != DLS_NODE_BALL || dls_v3_norm(e) == 0) continue;
    double *q = state->q + node->iq, *u = state->u + node->iu;
    const dls_vec3 off = dls_v3_load(t->off_axis + 3 * (size_t)i);
    dls_q_store(q, dls_q_unit(dls_q_mul(dls_q_load(q), (dls_quat){1, off.x, off.y, off.z})));
    dls_v3_store(u, dls_v3_scale(dls_v3_dot(e, dls_v3_load(u)), e));
  }
}

/* --- reactions --------------------------------------------------------------------------------- */

/* The joint beside a ball of a tree with which it turns about one axis; -1: none. */
static int joint_beside(const dls_world *w, int ball) {
  const dls_joint *own = &w->joints[ball];
  if (own->kind != DLS_KIND_SPHERICAL) return -1;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    dls_vec3 e[2];
    if (!are_plain(own, joint) || dls_trees_joint_between(w, joint->a, joint->b) != ball) continue;
    const doubled d = pair_of(w, ball, i);
    if (find_axis(&d, e) && dls_v3_norm(e[1]) > 0) return i;
  }
  return -1;
}

int dls_doubled_ball(const dls_world *w, int index) {
  const dls_joint *joint = &w->joints[index];
  if (!w->trees || w->trees->n_axes == 0 || joint->formulation == DLS_PENALTY) return -1;
  if (joint->formulation == DLS_REDUCED) return joint_beside(w, index) >= 0 ? index : -1;
  const int own = dls_trees_joint_between(w, joint->a, joint->b);
  return own >= 0 && joint_beside(w, own) == index ? own : -1;
}

/* Where the forest stands. */
static dls_place place_of(const dls_world *w, int body) {
  const dls_trees *t = w->trees;
  if (body == 0) return dls_place_identity();
  return dls_forest_link_place(t->forest, t->state, t->body_link[body]);
}

/* A second ball takes the force f that has the ball's moment about the first, d x f, and a hinge
** that moment. What pushes the ball along its own coordinates is no one's constraint. */
dls_spatial dls_doubled_share(const dls_world *w, int index, int ball, dls_spatial R) {
  const int beside = joint_beside(w, ball);
  const dls_joint *own = &w->joints[ball], *other = &w->joints[beside];
  const dls_place B = place_of(w, own->b), child = place_of(w, own->turned ? own->a : own->b);
  const dls_vec3 given = dls_m3_apply(&child.R, dls_v3_load(w->joint_state[ball].torque));
  const dls_vec3 moment = dls_v3_axpy(R.a, own->turned ? 1 : -1, given);
  const dls_place *at = other->b == own->b ? &other->on_b : &other->on_a;
  dls_spatial share = {moment, dls_v3(0, 0, 0)};
  if (other->kind == DLS_KIND_SPHERICAL) {
    const dls_vec3 d = dls_m3_apply(&B.R, dls_v3_sub(at->p, own->on_b.p));
    share.l = dls_v3_scale(1 / dls_v3_dot(d, d), dls_v3_cross(moment, d));
    share.a = dls_v3_cross(d, share.l); /* about the ball */
  }
  if (index == ball) return dls_sp_scale(-1, share);
  if (other->kind == DLS_KIND_SPHERICAL) share.a = dls_v3(0, 0, 0); /* about its own point */
  return dls_sp_scale(other->b == own->b ? 1 : -1, share);
}
