/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/tree_springs.h"

#include "core/forest/soft.h"
#include "core/joints/held.h"
#include "core/joints/joint_forces.h"
#include "core/joints/joint_frame.h"
#include "core/joints/joint_gaps.h"
#include "core/joints/spring_law.h"
#include "core/joints/tree_step.h"

/* A bound of J M^-1 J' along the coordinates of a joint, by its two bodies as if nothing else held
** them. */
static double most_give(const dls_joint_stage *S, const dls_joint *joint) {
  double sum = 0;
  if (joint->kind != DLS_KIND_SPHERICAL &&
      (joint->n_motions != 1 || joint->motions[0].kind != DLS_MOTION_ROTATE)) return DLS_INF;
  for (int e = 0; e < 2; e++) {
    const dls_body *body = &S->w->bodies[e == 0 ? joint->a : joint->b];
    if (!dls_moves_freely(body)) continue;
    if (!(body->mass > 0)) return DLS_INF;
    if (S->dim == 2) sum += body->inverse[0];
    /* the trace: no direction has more */
    else sum += body->inverse[0] + body->inverse[4] + body->inverse[8];
  }
  return sum;
}

static bool seems_stiff(const dls_joint_stage *S, const dls_joint *joint, double give) {
  return dls_spring_law_z(joint->stiffness, joint->damping, S->h, give) >= 1;
}

/* Whether all springs are resolved by that bound, which t->give then holds; else it is the diagonal
** of M^-1. The factor at hand is that of M. */
static dls_status find_gives(dls_joint_stage *S) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  bool resolved = true;
  for (int k = 0; k < t->n_links; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    const double most = most_give(S, joint);
    for (int i = 0; i < t->forest->links[k].nu; i++) t->give[t->forest->links[k].iu + i] = most;
    resolved = resolved && !seems_stiff(S, joint, most);
  }
  return resolved ? DLS_OK : dls_forest_mobility(&t->walked, t->state, &w->arena, t->give);
}

/* Coordinates on springs that seem not to be resolved. */
static int count_stiff(const dls_joint_stage *S) {
  const dls_trees *t = S->w->trees;
  int n = 0;
  for (int k = 0; k < t->n_links; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(S->w, &S->w->joints[index])) continue;
    for (int i = 0; i < S->w->joints[index].nu; i++)
      n += seems_stiff(S, &S->w->joints[index], t->give[t->forest->links[k].iu + i]);
  }
  return n;
}

/* What a link's coordinates give is less where rigid joints and gears hold them as well. It is
** asked for where it matters: where a spring seems not to be resolved; and where few do, since each
** costs an answer of all (160 stiff springs beside 16 loops: 148 ms a step for 26). */
static dls_status look_closer(dls_joint_stage *S) {
  enum { FEW = 12 };
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  const int stiff = dls_joints_have_equations(S) ? count_stiff(S) : 0;
  if (stiff == 0 || stiff > FEW) return DLS_OK;
  const size_t mark = dls_arena_mark(&w->arena), nu = (size_t)t->forest->nu;
  dls_overlap *o = DLS_TAKE(&w->arena, dls_overlap, S->room_joints);
  const bool missed = S->missed, alike = S->alike;
  dls_status status = DLS_OK;
  int n = 0;
  if (!o) return DLS_FULL;
  dls_trees_unweigh(w, S->rows); /* release() has weighed all bodies */
  dls_joints_find_gaps(S, S->q_c, o, &n);
  memset(S->way, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof *S->way);
  for (int k = 0; k < t->n_links; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    for (int i = 0; i < joint->nu && status == DLS_OK; i++) {
      const int at = t->forest->links[k].iu + i;
      if (!seems_stiff(S, joint, t->give[at])) continue;
      memset(t->u_scratch, 0, nu * sizeof *t->u_scratch);
      t->u_scratch[at] = 1;
      for (int m = 0; m < n; m++) o[m].gap = 0;
      status = dls_joints_answer(S, S->q_c, o, n, S->way, t->u_scratch);
      if (status == DLS_OK) t->give[at] = dls_min(t->give[at], dls_max(t->du[at], 0));
    }
  }
  S->missed = missed, S->alike = alike;
  dls_arena_release(&w->arena, mark);
  return status;
}

/* The deflections of a link's joint, as the law takes them: see spring_rows.h; from: before the
** step, a ball's, too. */
static void deflections(const dls_joint_stage *S, int k, double x[6], double from[6]) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  const dls_link_info *info = &t->forest->links[k];
  const int index = t->link_joint[k];
  const dls_joint *joint = &w->joints[index];
  for (int i = 0; i < info->nu; i++)
    from[i] = x[i] =
        w->joint_state[index].q[i] - (S->theta - 0.5) * S->h * t->state->u[info->iu + i];
  if (S->dim == 2 || joint->kind != DLS_KIND_SPHERICAL) return;
  const int child = joint->turned ? joint->a : joint->b,
            carrier = joint->turned ? joint->b : joint->a;
  const double *u_a = DLS_U(S, S->u_c, carrier), *u_b = DLS_U(S, S->u_c, child);
  const dls_vec3 spin = dls_v3_sub(dls_v3_load(u_b + 3), dls_v3_load(u_a + 3));
  /* of the bodies: joints admit the mean alone */
  const dls_vec3 v0 = dls_m3_apply_t(&S->T[child].R, spin);
  dls_v3_store(x, dls_v3_axpy(dls_ball_rotation(t->state->q + info->iq), -0.5 * S->h, v0));
  dls_v3_store(
      from, dls_v3_axpy(dls_ball_rotation(w->joint_state[index].q), (0.5 - S->theta) * S->h, v0));
}

dls_status dls_tree_springs_soften(dls_joint_stage *S, double *f) {
  dls_world *w = S->w;
  dls_trees *t = w->trees;
  bool any = false;
  for (int k = 0; k < t->n_links && !any; k++)
    any = t->link_joint[k] >= 0 && dls_joint_is_sprung(w, &w->joints[t->link_joint[k]]);
  if (!any) return DLS_OK;
  const size_t nu = (size_t)t->forest->nu;
  memset(t->soft, 0, nu * sizeof *t->soft);
  memset(t->late, 0, nu * sizeof *t->late);
  memset(t->law, 0, nu * sizeof *t->law);
  dls_status status = find_gives(S);
  if (status == DLS_OK) status = look_closer(S);
  for (int k = 0; k < t->n_links && status == DLS_OK; k++) {
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    double x[6], from[6], give = 0;
    deflections(S, k, x, from);
    for (int i = 0; i < joint->nu; i++) give = dls_max(give, t->give[t->forest->links[k].iu + i]);
    for (int i = 0; i < joint->nu; i++) {
      const int at = t->forest->links[k].iu + i; /* a ball's three are one, whatever its axes are */
      const double own = joint->kind == DLS_KIND_SPHERICAL ? give : t->give[at];
      const dls_spring_law law =
          dls_spring_law_make(joint->stiffness, joint->damping, x[i], S->h, own);
      t->law[at] = law;
      /* what keeps its way (dls_tree_springs_aim) counts from its start */
      t->law[at].x += law.apart * (from[i] - x[i]);
      t->soft[at] = dls_spring_law_mass(&law, S->h);
      t->late[at] = S->h * law.late;
      S->tree_late = S->tree_late || law.late > 0;
      f[at] -= S->h * law.k * t->law[at].x + 2 * t->soft[at] * t->state->u[at];
    }
  }
  S->soft = true;
  return status == DLS_OK ? dls_trees_factor_with(S, t->soft) : status;
}

dls_status dls_tree_springs_set(dls_joint_stage *S, bool soft) {
  return S->soft ? dls_trees_factor_with(S, soft ? S->w->trees->soft : NULL) : DLS_OK;
}

/* Where impacts have changed velocities by d (t->u_end less those before), M d their impulses:
** (M + 1/gamma) (d + du) = M d, so that (M + 1/gamma) du = -d/gamma. */
void dls_tree_springs_start_struck(dls_joint_stage *S) {
  dls_trees *t = S->w->trees;
  double *f = t->u_scratch;
  for (int i = 0; i < t->forest->nu; i++) f[i] = -t->soft[i] * (t->u_end[i] - t->u_before[i]);
  dls_forest_respond(&t->walked, t->state, f, NULL, t->du);
  memset(S->answer, 0, (size_t)S->w->n_bodies * S->nu * sizeof(double));
  dls_trees_spread(S, t->du, false, S->answer);
  for (int i = 0; i < t->forest->nu; i++) t->u_free[i] += t->du[i];
  for (int i = 0; i < S->w->n_bodies; i++)
    if (dls_held_by_tree(S, i))
      dls_add_u(S->nu, DLS_U(S, S->rows->u_free, i), 1, DLS_U(S, S->answer, i));
}

void dls_tree_springs_charge(dls_joint_stage *S) {
  dls_trees *t = S->w->trees;
  for (int i = 0; i < t->forest->nu && S->soft; i++) {
    const double mean = 0.5 * (t->state->u[i] + t->u_end[i]);
    t->mean[i] = mean;
    if (t->law[i].k > 0 || t->law[i].c > 0)
      dls_spring_law_charge(&t->law[i], S->h, mean, &S->sprung);
  }
  S->soft = false;
}

void dls_tree_springs_aim(const dls_joint_stage *S) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links && S->tree_late; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index])) continue;
    const dls_joint *joint = &w->joints[index];
    double way[6], *q = t->q_aim + info->iq;
    /* positions go by theta: h (mean + (theta - 1/2) (v' - v)) */
    for (int i = 0; i < info->nu; i++)
      way[i] = S->h * (t->mean[info->iu + i] +
                       (2 * S->theta - 1) * (t->u_end[info->iu + i] - t->mean[info->iu + i]));
    if (S->dim == 2 || joint->kind != DLS_KIND_SPHERICAL) {
      for (int i = 0; i < info->nu; i++)
        if (t->late[info->iu + i] > 0) q[i] = w->joint_state[index].q[i] + way[i];
    } else if (t->late[info->iu] > 0) {
      double frame[DLS_NQ(3)] = {0}, turn[DLS_NU(3)] = {0};
      frame[3] = 1;
      memcpy(turn + 3, way, 3 * sizeof *way);
      dls_drift(3, frame, 1, turn); /* in the child's axes */
      dls_q_store(q, dls_q_mul(dls_q_load(w->joint_state[index].q), dls_q_load(frame + 3)));
    }
  }
}

void dls_tree_springs_lead(const dls_joint_stage *S, double *f) {
  const dls_world *w = S->w;
  const dls_trees *t = w->trees;
  for (int k = 0; k < t->n_links && S->tree_late; k++) {
    const dls_link_info *info = &t->forest->links[k];
    const int index = t->link_joint[k];
    if (index < 0 || !dls_joint_is_sprung(w, &w->joints[index])) continue;
    const double *q = t->state->q + info->iq, *to = t->q_aim + info->iq, *late = t->late + info->iu;
    if (S->dim == 2 || w->joints[index].kind != DLS_KIND_SPHERICAL) {
      for (int i = 0; i < info->nu; i++)
        if (late[i] > 0) f[info->iu + i] += late[i] * (to[i] - q[i]);
    } else if (late[0] > 0) {
      double turn[4], x[3];
      dls_q_store(turn, dls_q_mul(dls_q_conj(dls_q_load(q)), dls_q_load(to)));
      dls_v3_store(x, dls_ball_rotation(turn));
      for (int i = 0; i < 3; i++) f[info->iu + i] += late[i] * x[i];
    }
  }
}

void dls_tree_springs_rest(dls_joint_stage *S, const unsigned char *which) {
  dls_trees *t = S->w->trees;
  for (int k = 0; k < t->n_links && S->tree_late; k++)
    if (which[t->link_body[k]])
      memset(t->late + t->forest->links[k].iu, 0, (size_t)t->forest->links[k].nu * sizeof *t->late);
}

void dls_tree_springs_draw_late(const dls_joint_stage *S, double *f) {
  const dls_trees *t = S->w->trees;
  for (int i = 0; i < t->forest->nu && S->tree_late; i++)
    f[i] -= t->late[i] * (t->u_end[i] - t->mean[i]);
}

double dls_tree_springs_charge_late(dls_joint_stage *S, const double *du) {
  const dls_trees *t = S->w->trees;
  double sum = 0;
  for (int i = 0; i < t->forest->nu && S->tree_late; i++) {
    if (!(t->late[i] > 0)) continue;
    const double p = -t->late[i] * (t->u_end[i] - t->mean[i]),
                 work = p * (t->u_end[i] - 0.5 * du[i]);
    dls_spring_law_charge_late(&t->law[i], work, &S->sprung);
    sum += work;
  }
  return sum;
}
