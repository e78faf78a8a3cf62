/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/held.h"

#include "core/joints/hinged.h"
#include "core/rows/budget.h"
#include "core/cone/cone.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/joints/tree_step.h"
#include "core/lcp/mixed.h"
#include "core/math/dense.h"
#include "core/math/elementary.h"
#include "core/model/frames.h"
#include "core/ladder/constrained.h"
#include "core/rows/impulses.h"
#include "core/ladder/ladder.h"

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
    dls_overlap *o = &out[(*n_out)++];
    *o = (dls_overlap){.a = at.f[1].joint->a,
                       .b = at.f[1].joint->b,
                       .c = at.f[0].joint->a,
                       .d = at.f[0].joint->b,
                       .n_ends = 4,
                       .gap = at.gap,
                       .rate = at.rate,
                       .both = true,
                       .size = at.f[1].joint->motions[0].kind != DLS_MOTION_SLIDE
                                   ? 1
                                   : dls_joint_size(w, at.f[1].joint),
                       .source = w->gears[i].joint[1],
                       .other = w->gears[i].joint[0]};
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

/* A ball in space holds the place of one point along the axes of the world, and nothing else. */
static void find_ball_gaps(const dls_joint_stage *S, const double *q, int index,
                           dls_overlap *out) {
  const dls_world *w = S->w;
  const dls_joint *joint = &w->joints[index];
  const double *q_a = DLS_Q(S, q, joint->a), *q_b = DLS_Q(S, q, joint->b);
  const dls_place a = dls_frame_of(w, joint->a, q_a), b = dls_frame_of(w, joint->b, q_b);
  const dls_vec3 A = dls_place_point(&a, joint->on_a.p), B = dls_place_point(&b, joint->on_b.p);
  const dls_vec3 arms[2] = {dls_v3_sub(B, dls_v3_load(q_a)), dls_v3_sub(B, dls_v3_load(q_b))};
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
    if (!joint->alive || joint->formulation != DLS_RIGID) continue;
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

/* --- the problem --------------------------------------------------------------------------- */

/* The ways of rows to the roots of trees, from the factor (dls_forest_walks). */
typedef struct tree_ways {
  size_t *start;
  dls_row_entry *list;
} tree_ways;

static dls_status find_ways(dls_joint_stage *S, const dls_overlap *o, int n, tree_ways *ways) {
  dls_trees *t = S->w->trees;
  dls_arena *tmp = &S->w->arena;
  int *first = DLS_TAKE(tmp, int, n + 1), n_sides = 0;
  dls_row_side *sides = DLS_TAKE(tmp, dls_row_side, 4 * n + 1);
  S->w->need_arena = dls_bytes_add(tmp->size, 64 * (size_t)n + 8192);
  if (!first || !sides) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    first[k] = n_sides;
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body)) continue;
      dls_row_side *side = &sides[n_sides++];
      *side = (dls_row_side){.link = t->body_link[body]};
      dls_wrench_add(S->dim, side->j, 1, o[k].J + e * S->nu);
    }
  }
  first[n] = n_sides;
  const dls_forest_rows list = {n, first, sides, NULL, NULL};
  const dls_status status = dls_forest_walks(t->forest, t->state, &list, tmp, &ways->start,
                                             &ways->list);
  if (status == DLS_FULL)
    S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_forest_delassus_bytes(t->forest, &list));
  return status;
}

/* A row's own W where its bodies are free, about. */
static double alone(const dls_joint_stage *S, const dls_overlap *o) {
  double sum = 0;
  for (int e = 0; e < dls_overlap_ends(o); e++) {
    const dls_body *body = &S->w->bodies[dls_overlap_end(o, e)];
    const double *J = o->J + e * S->nu;
    if (!dls_moves_freely(body) || !(body->mass > 0)) continue;
    for (int k = 0; k < S->dim; k++) sum += J[k] * J[k] / body->mass;
    for (int k = S->dim; k < S->nu && body->gyration > 0; k++)
      sum += J[k] * J[k] / (body->mass * body->gyration * body->gyration);
  }
  return sum;
}

/* 1 over what gaps of a row are measured by: of turns 1 rad, of points the largest radius of
** gyration of who moves, as the power of two below it. */
static double per_unit_of(const dls_joint_stage *S, const dls_overlap *o) {
  double length = 0, linear = 0;
  for (int e = 0; e < dls_overlap_ends(o); e++) {
    const dls_body *body = &S->w->bodies[dls_overlap_end(o, e)];
    if (dls_moves_freely(body)) length = dls_max(length, body->gyration);
    for (int k = 0; k < S->dim; k++) linear = dls_max(linear, fabs(o->J[e * S->nu + k]));
  }
  return linear > 0 ? 1 / dls_unit_below(length) : 1;
}

/* W and b in these units; pi, of such, in its own. */
static void take_units(int n, const double *per, double *W, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] *= per[i];
    for (int j = 0; j < n; j++) W[(size_t)i * (size_t)n + (size_t)j] *= per[i] * per[j];
  }
}

static void leave_units(int n, const double *per, double *pi) {
  for (int i = 0; i < n; i++) pi[i] *= per[i];
}

/* A turn's work at most: what is not solved then is left to the turns that follow. */
enum { SWEEPS = 300 };

/* Sweeps over W from nothing, as many as the step's work allows, at least FEW, or one where nothing
** of it is left: where the exact answer costs too much. */
static void sweep_mixed(dls_joint_stage *S, const dls_overlap *o, int n, const double *W,
                        const double *b, double *pi) {
  enum { FEW = 4, MANY = 50 };
  const double price = (double)n / (S->dim == 2 ? DLS_VISIT_PLANAR : DLS_VISIT_SPATIAL);
  const int times = dls_work_times(&S->w->work, price, MANY), least = S->w->work.left > 0 ? FEW : 1;
  const int sweeps = times > least ? times : least;
  memset(pi, 0, (size_t)n * sizeof *pi);
  for (int turn = 0; turn < sweeps; turn++)
    for (int k = 0; k < n; k++) {
      const int i = turn & 1 ? n - 1 - k : k;
      const double *row = W + (size_t)i * (size_t)n;
      double v = b[i];
      for (int j = 0; j < n; j++) v += row[j] * pi[j];
      if (!(row[i] > 0)) continue;
      pi[i] -= v / row[i];
      if (!o[i].both) pi[i] = dls_max(pi[i], 0);
    }
  dls_work_pay(&S->w->work, price * sweeps);
}

/* Whether the exact answer costs more than is left; equations alone are always solved: joints would
** come apart. */
static bool too_dear(dls_joint_stage *S, const dls_overlap *o, int n) {
  int n_free = 0;
  for (int i = 0; i < n; i++) n_free += !o[i].both;
  return n_free > 0 && !dls_work_afford(&S->w->work, dls_work_dense(S->dim, n),
                                        DLS_WORK_PROJECTION);
}

/* All rows in one unit. */
static dls_status solve_alike(dls_joint_stage *S, const dls_overlap *o, int n, const double *per,
                              const double *W, const double *b, double *pi) {
  static const double TOLERANCE = 1e-9; /* of the largest gap, and there are several turns */
  if (too_dear(S, o, n)) {
    sweep_mixed(S, o, n, W, b, pi);
    return DLS_OK;
  }
  dls_arena *tmp = &S->w->arena;
  dls_cone_group *groups = DLS_TAKE(tmp, dls_cone_group, n);
  bool *holds = DLS_TAKE(tmp, bool, n), solved;
  double *v = DLS_TAKE(tmp, double, n);
  S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_mixed_lcp_bytes(n));
  if (!groups || !v || !holds) return DLS_FULL;
  for (int i = 0; i < n; i++) {
    holds[i] = o[i].both;
    v[i] = alone(S, &o[i]) * (per[i] * per[i]);
  }
  const dls_status status = dls_mixed_lcp(n, holds, v, W, b, TOLERANCE, tmp, pi, &solved);
  if (status != DLS_OK || solved) return status;
  if (S->w->work.bounded) {
    sweep_mixed(S, o, n, W, b, pi);
    return DLS_OK;
  }
  for (int i = 0; i < n; i++)
    groups[i] = (dls_cone_group){.kind = o[i].both ? DLS_CONE_BILATERAL : DLS_CONE_UNILATERAL,
                                 .row = i};
  const dls_cone_problem problem = {.n_rows = n, .n_groups = n, .groups = groups, .W = W, .b = b};
  dls_cone_opts opts = dls_cone_opts_default();
  dls_cone_report report;
  opts.tolerance = TOLERANCE;
  opts.max_iterations = SWEEPS;
  opts.work = SWEEPS * dls_budget_of(SWEEPS, false, S->dim, n).visit;
  S->w->need_arena = dls_bytes_add(S->w->need_arena, dls_cone_solve_bytes(&problem));
  return dls_cone_solve(&problem, &opts, tmp, pi, v, &report);
}

dls_status dls_joints_solve_mixed(dls_joint_stage *S, const dls_overlap *o, int n, double *W,
                                  double *b, double *pi) {
  double *per = DLS_TAKE(&S->w->arena, double, n);
  if (!per) return DLS_FULL;
  for (int i = 0; i < n; i++) per[i] = per_unit_of(S, &o[i]);
  take_units(n, per, W, b);
  const dls_status status = solve_alike(S, o, n, per, W, b, pi);
  leave_units(n, per, pi);
  return status;
}

/* --- what pressed in the last turn (pressed_rows.h) ------------------------------------------- */

/* As many as there is room for. */
static void note_pressed(dls_pressed_rows *x, const dls_overlap *o, int n, const double *pi) {
  x->n = 0;
  for (int k = 0; k < n && x->n < x->room; k++) {
    if (o[k].both || !(pi[k] > 0)) continue;
    dls_pressed_row *row = &x->row[x->n++];
    *row = (dls_pressed_row){.a = o[k].a, .b = o[k].b, .source = o[k].source, .pi = pi[k]};
    memcpy(row->J, o[k].J, sizeof row->J);
  }
}

/* Whether two rows are of one pair, or one joint. */
static bool are_alike(const dls_overlap *x, const dls_overlap *y) {
  return x->a == y->a && x->b == y->b && x->source == y->source;
}

static bool is_of(const dls_pressed_row *row, const dls_overlap *o) {
  return !o->both && row->a == o->a && row->b == o->b && row->source == o->source;
}

/* The row of n that is most like this one. */
static int most_like(const dls_pressed_row *row, const dls_overlap *o, int n) {
  double least = DLS_INF;
  int best = 0;
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int i = 0; i < 2 * DLS_NU(3); i++) {
      const double apart = row->J[i] - o[k].J[i];
      sum += apart * apart;
    }
    if (sum < least) least = sum, best = k;
  }
  return best;
}

/* Rows come pair by pair in one order, in which some are new and some are gone: each pair is
** looked for among the next ones. Touches of a face have other keys when it has hardly turned:
** what a pair pressed goes to the rows that are most alike. */
static void start_as_pressed(const dls_pressed_rows *x, const dls_overlap *o, int n, double *pi) {
  enum { REACH = 64 };
  for (int k = 0; k < n; k++) pi[k] = 0;
  for (int k = 0, end, at = 0; k < n && at < x->n; k = end) {
    for (end = k + 1; end < n && are_alike(&o[k], &o[end]);) end++;
    int l = at;
    while (l < x->n && l < at + REACH && !is_of(&x->row[l], &o[k])) l++;
    if (l == x->n || l == at + REACH) continue;
    for (; l < x->n && is_of(&x->row[l], &o[k]); l++)
      pi[k + most_like(&x->row[l], o + k, end - k)] += x->row[l].pi;
    at = l;
  }
}

/* --- large problems, block by block (rows/rows.h) ------------------------------------------ */

/* Rows of joints between the same two bodies that stand together are one block. */
static int block_end(int nb, const dls_overlap *o, int n, int k) {
  int end = k + 1;
  while (o[k].both && o[k].n_ends == 0 && end < n && end - k < nb && o[end].both &&
         o[end].n_ends == 0 &&
         o[end].a == o[k].a && o[end].b == o[k].b)
    end++;
  return end;
}

static void write_blocks(const dls_overlap *o, int n, const double *b, dls_rows *rows,
                         dls_second *second) {
  const size_t nu = (size_t)rows->nu, bytes = 2 * nu * sizeof(double);
  for (int k = 0, n_second = 0; k < n;) {
    const int end = block_end(rows->nb, o, n, k);
    dls_block *block = &rows->block[rows->n_blocks++];
    const unsigned char kind = o[k].both ? DLS_ROW_BILATERAL : DLS_ROW_UNILATERAL;
    *block = (dls_block){.kind = kind, .a = o[k].a, .b = o[k].b,
                         .row = k, .n = (unsigned char)(end - k), .source = -1};
    if (o[k].n_ends > 2) {
      dls_second *more = &second[n_second++];
      *more = (dls_second){.c = o[k].c, .d = o[k].d};
      memcpy(more->K, o[k].J + 2 * nu, bytes);
      memcpy(more->MK, o[k].MJ + 2 * nu, bytes);
      block->second = n_second;
    }
    for (; k < end; k++) {
      memcpy(rows->J + (size_t)k * 2 * nu, o[k].J, bytes);
      memcpy(rows->MJ + (size_t)k * 2 * nu, o[k].MJ, bytes);
      rows->gamma[k] = o[k].gamma;
      rows->length[k] = 1;
      rows->s[k] = b[k];
    }
  }
  rows->n_rows = n;
}

/* Up to so many inequalities beside equations are an LCP (dls_rows_settle). */
enum { SETTLED = 200 };

static dls_status settle(dls_joint_stage *S, const dls_overlap *o, int n, const double *b,
                         double tolerance, dls_rows *rows, dls_held_left *left, bool *solved) {
  double *per = DLS_TAKE(&S->w->arena, double, n), scale = 0;
  if (!per) return DLS_FULL;
  for (int k = 0; k < n; k++) {
    per[k] = per_unit_of(S, &o[k]);
    scale = dls_max(scale, per[k] * fabs(b[k]));
  }
  const dls_row_lcp lcp = {per, scale, tolerance};
  return dls_rows_settle(rows, &lcp, &S->w->arena, left, solved);
}

/* pi with W pi + b = 0, or its law; *solved: to the tolerance. */
static dls_status solve_blocks(dls_joint_stage *S, const dls_overlap *o, int n, const double *b,
                               bool both, double *pi,
                               bool *solved) {
  /* Of the largest gap; there are several turns. Of MANY rows as solves of velocities by
  ** default. Two ball joints between the same bodies have gaps that differ along their line by
  ** the square of a gap, or round-off (a hanging bridge: up to 4e-5 of the largest): those of
  ** rows that depend on others. */
  static const double HELD = 1e-12, APART = 1e-3, MIXED = 1e-9, ROUGHLY = 1e-6;
  static const double ROUND_OFF =
      1e-15; /* of what rows do to themselves; answers leave 1e-16 to 5e-16 there */
  enum { MANY = 200 };
  dls_world *w = S->w;
  dls_rows rows;
  dls_second *second = DLS_TAKE(&w->arena, dls_second, S->n_gears);
  dls_status status = dls_rows_take(&rows, &w->arena, S->dim, w->n_bodies, n, n);
  w->need_arena = w->arena.size;
  if (status != DLS_OK || !second) return DLS_FULL;
  rows.inv_mass = S->rows->inv_mass;
  rows.inv_inertia = S->rows->inv_inertia;
  rows.special = S->rows->special;
  rows.second = second;
  rows.stop = w->stop;
  if (dls_trees_used(w)) status = dls_trees_lend(S, &rows);
  if (status != DLS_OK) return status;
  write_blocks(o, n, b, &rows, second);
  start_as_pressed(&S->pressed, o, n, rows.p);
  const size_t bytes = (size_t)w->n_bodies * S->nu * sizeof(double);
  memset(rows.u, 0, bytes);
  memset(rows.u_free, 0, bytes);
  const double tolerance = n > MANY && !dls_projects_finely(w) ? ROUGHLY : MIXED;
  dls_solve_opts opts = {
      .method = DLS_SOLVE_AUTO, .tolerance = tolerance, .max_iterations = SWEEPS};
  double scale = 0;
  for (int k = 0; k < n; k++) scale = dls_max(scale, fabs(b[k]));
  opts.scale = scale;
  int n_free = 0;
  for (int k = 0; k < n; k++) n_free += !o[k].both;
  const bool exact = n_free <= SETTLED && !w->work.bounded;
  if (!both) dls_rows_prepare(&rows, false);
  if (both || exact) {
    dls_held_left left = {0, 0};
    double most = 0; /* of what rows do to themselves */
    *solved = true;
    if (both) status = dls_rows_hold(&rows, scale, &w->arena, &left);
    else status = settle(S, o, n, b, tolerance, &rows, &left, solved);
    for (int k = 0; k < n; k++)
      most = dls_max(most, o[k].both ? fabs(rows.p[k]) * alone(S, &o[k]) : 0);
    const double enough = dls_max(HELD * scale, dls_min(ROUND_OFF * most, APART * scale));
    S->alike =
        S->alike || left.dependent > APART * scale; /* gaps that are let be do not go together */
    *solved = *solved && left.held <= enough && left.dependent <= APART * scale;
  } else {
    dls_solve_report report = {0};
    opts.bounded = w->work.bounded;
    if (opts.bounded) opts.max_iterations = dls_work_times(&w->work, 1, SWEEPS);
    dls_rows_islands(&rows);
    status = dls_rows_solve(&rows, &opts, &w->arena, &report);
    dls_work_pay(&w->work, report.work);
    if (opts.bounded && report.limited) w->work.given_up |= 1u << DLS_WORK_PROJECTION;
    *solved = report.unconverged == 0 || opts.bounded;
  }
  if (status == DLS_FULL) w->need_arena = dls_bytes_add(w->need_arena, rows.need);
  memcpy(pi, rows.p, (size_t)n * sizeof *pi);
  return status;
}

/* Whether a row acts on a body that moves by itself: W of the others is the trees' alone. */
static bool acts_on_free(const dls_joint_stage *S, const dls_overlap *o) {
  for (int e = 0; e < dls_overlap_ends(o); e++) {
    const int body = dls_overlap_end(o, e);
    if (dls_moves_freely(&S->w->bodies[body]) && !dls_held_by_tree(S, body)) return true;
  }
  return false;
}

void dls_joints_add_body_part(const dls_joint_stage *S, const dls_overlap *o, int n, double *W) {
  for (int i = 0; i < n; i++) {
    if (acts_on_free(S, &o[i])) {
      for (int j = 0; j <= i; j++) {
        const double share = dls_overlap_share(S->nu, &o[i], &o[j]);
        W[(size_t)i * (size_t)n + (size_t)j] += share;
        if (j < i) W[(size_t)j * (size_t)n + (size_t)i] += share;
      }
    }
    W[(size_t)i * (size_t)n + (size_t)i] += o[i].gamma;
  }
}

/* All at once. ways: of the trees, NULL where there are none. */
static dls_status solve_whole(dls_joint_stage *S, const dls_overlap *o, int n,
                              const tree_ways *ways, double *b,
                              double *pi) {
  dls_world *w = S->w;
  const size_t size = (size_t)n * (size_t)n;
  double *W = DLS_TAKE(&w->arena, double, size);
  w->need_arena = dls_bytes_add(w->arena.size, 64 * size + 8192);
  if (!W) return DLS_FULL;
  if (ways) dls_forest_products(w->trees->forest, n, ways->start, ways->list, W);
  else memset(W, 0, size * sizeof *W);
  dls_joints_add_body_part(S, o, n, W);
  return dls_joints_solve_mixed(S, o, n, W, b, pi);
}

/* Up to so many rows are solved at once, equations of them and all; up to MOST_WHOLE what is
** missed block by block. */
enum { WHOLE_EQUATIONS = 36, WHOLE_MIXED = 600, MOST_WHOLE = 600 };

static bool are_few(const dls_overlap *o, int n) {
  int equations = 0;
  for (int i = 0; i < n; i++) equations += o[i].both;
  return equations <= WHOLE_EQUATIONS && n <= WHOLE_MIXED;
}

static dls_status solve_in_blocks(dls_joint_stage *S, const dls_overlap *o, int n, bool both,
                                  double *b, double *pi) {
  bool solved = false;
  tree_ways ways;
  const size_t mark = dls_arena_mark(&S->w->arena);
  dls_status status = solve_blocks(S, o, n, b, both, pi, &solved);
  dls_arena_release(&S->w->arena, mark);
  S->missed = S->missed || !solved;
  if (status != DLS_OK || solved || n > MOST_WHOLE) return status;
  S->missed = false;
  const bool grown = dls_trees_used(S->w);
  if (grown) status = find_ways(S, o, n, &ways);
  return status == DLS_OK ? solve_whole(S, o, n, grown ? &ways : NULL, b, pi) : status;
}

/* What impulses pi of rows do to bodies; wrenches of those in trees (NULL: they know). */
static void act(dls_joint_stage *S, dls_overlap *o, int n, const double *pi, double *wrench) {
  for (int k = 0; k < n; k++) {
    o[k].pi = pi[k];
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body))
        dls_add_u(S->nu, DLS_U(S, S->answer, body), pi[k], o[k].MJ + e * S->nu);
      else if (wrench) dls_wrench_add(S->dim, wrench + 6 * (size_t)S->w->trees->body_link[body],
                                      pi[k], o[k].J + e * S->nu);
    }
  }
}

/* Trees have been answered up: what they would do without rows is in no body's velocity yet, nor
** asked for. */
static dls_status answer_whole(dls_joint_stage *S, dls_overlap *o, int n, double *b, double *pi) {
  dls_trees *t = S->w->trees;
  tree_ways ways;
  dls_status status = find_ways(S, o, n, &ways);
  if (status != DLS_OK) return status;
  for (int k = 0; k < n; k++) {
    b[k] = o[k].gap + dls_forest_row_speed(t->forest, t->state, ways.list + ways.start[k],
                                           ways.list + ways.start[k + 1]);
    for (int e = 0; e < dls_overlap_ends(&o[k]); e++) {
      const int body = dls_overlap_end(&o[k], e);
      if (!dls_held_by_tree(S, body))
        b[k] += dls_dot_u(S->nu, o[k].J + e * S->nu, DLS_U(S, S->answer, body));
    }
  }
  status = solve_whole(S, o, n, &ways, b, pi);
  if (status != DLS_OK) return status;
  act(S, o, n, pi, NULL);
  for (int k = 0; k < n; k++)
    dls_forest_row_push(t->forest, t->state, ways.list + ways.start[k],
                        ways.list + ways.start[k + 1], pi[k]);
  dls_trees_answer_down(S, t->du, S->answer);
  return DLS_OK;
}

/* The trees' answer first, then what rows add to it. */
static dls_status answer_in_turn(dls_joint_stage *S, dls_overlap *o, int n, bool both, double *b,
                                 double *pi) {
  dls_trees *t = dls_trees_used(S->w) ? S->w->trees : NULL;
  double *du = DLS_TAKE(&S->w->arena, double, t ? t->forest->nu : 0);
  if (!du) return DLS_FULL;
  if (t) dls_trees_answer_down(S, t->du, S->answer);
  for (int i = 0; i < n; i++) b[i] = o[i].gap + dls_overlap_speed(S, &o[i], S->answer);
  const dls_status status = are_few(o, n) ? solve_whole(S, o, n, NULL, b, pi) :
      solve_in_blocks(S, o, n, both, b, pi);
  if (status != DLS_OK) return status;
  note_pressed(&S->pressed, o, n, pi);
  if (t) memset(t->velocity, 0, 6 * (size_t)t->n_links * sizeof(double));
  act(S, o, n, pi, t ? t->velocity : NULL);
  if (!t) return DLS_OK;
  dls_forest_respond(t->forest, t->state, NULL, t->velocity, du);
  for (int i = 0; i < t->forest->nu; i++) t->du[i] += du[i];
  dls_trees_spread(S, t->du, false, S->answer);
  return DLS_OK;
}

dls_status dls_joints_answer(dls_joint_stage *S, const double *q, dls_overlap *o, int n,
                             const double *x,
                         const double *f) {
  dls_world *w = S->w;
  dls_trees *t = dls_trees_used(w) ? w->trees : NULL;
  dls_arena *tmp = &w->arena;
  const size_t mark = dls_arena_mark(tmp);
  bool both = true;
  for (int i = 0; i < n; i++) both = both && o[i].both;
  const bool few = are_few(o, n);
  if (S->hinged && few) return dls_hinged_answer(S, o, n, x, f);
  if (S->hinged) {
    dls_hinged_close(S);
    const dls_status status = dls_trees_factor_with(S, S->more);
    if (status != DLS_OK) return status;
  }
  if (x) memcpy(S->answer, x, (size_t)w->n_bodies * S->nu * sizeof(double));
  else memset(S->answer, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  if (t && x) dls_trees_answer_up(S, q, x, f);
  else if (t) dls_forest_unpush(t->forest, t->state);
  if (t && n == 0) dls_trees_answer_down(S, t->du, S->answer);
  if (n == 0) return DLS_OK;
  double *b = DLS_TAKE(tmp, double, n), *pi = DLS_TAKE(tmp, double, n);
  w->need_arena = dls_bytes_add(tmp->size, 8192);
  if (!b || !pi) return DLS_FULL;
  const dls_status status =
      t && few ? answer_whole(S, o, n, b, pi) : answer_in_turn(S, o, n, both, b, pi);
  dls_arena_release(tmp, mark);
  return status;
}
