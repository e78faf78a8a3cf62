/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/user_contacts.h"

#include "core/contacts/contact_row.h"
#include "core/model/motion.h"
#include "core/step/poses.h"

/* The function of contact i and, in S->gradient, its gradient. */
static dls_status gap_of_function(dls_step *S, int i, const double *q, double t, double *gap) {
  dls_world *w = S->w;
  memset(S->gradient, 0, (size_t)w->n_bodies * (size_t)S->nu * sizeof(double));
  return w->hooks.gap(w->hooks.ud, i, t, q, gap, S->gradient);
}

static double length_of(int dim, const double *J) {
  double sum = 0;
  for (int i = 0; i < dim; i++) sum += J[i] * J[i];
  return sqrt(sum);
}

/* By central differences over a hundredth of a step: exact for what is linear in time. By the end
** of the step it is as much more than the mean until then as that is more than now. */
static dls_status drift_of_function(dls_step *S, int i, const double *q, double t,
                                    dls_user_gap *out) {
  const double d = 0.01 * S->h, left = S->theta * S->h;
  double early = 0, late = 0, now = 0, end = 0;
  dls_status status = gap_of_function(S, i, q, t - d, &early);
  if (status == DLS_OK) status = gap_of_function(S, i, q, t + d, &late);
  if (status == DLS_OK) status = gap_of_function(S, i, q, t + left, &end);
  if (status == DLS_OK) status = gap_of_function(S, i, q, t, &now);
  out->gap = now;
  out->drift = (late - early) / (2 * d);
  out->later = 2 * ((end - now) / left) - out->drift;
  return status;
}

static dls_status function_at(dls_step *S, int i, const double *q, double t, bool moving,
                              dls_user_gap *out) {
  dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  const size_t nu = (size_t)S->nu;
  dls_status status = DLS_OK;
  if (moving) status = drift_of_function(S, i, q, t, out);
  else status = gap_of_function(S, i, q, t, &out->gap);
  if (status != DLS_OK) return status;
  memcpy(out->J, DLS_U(S, S->gradient, user->a), nu * sizeof(double));
  memcpy(out->J + nu, DLS_U(S, S->gradient, user->b), nu * sizeof(double));
  double side = 1, *J = out->J + nu;
  if (!(length_of(S->dim, J) > 0)) side = -1, J = out->J;
  const double length = length_of(S->dim, J), scale = length > 0 ? 1 / length : 1;
  out->n = dls_v3_scale(side * scale, dls_point_of(S->dim, J));
  out->scale = scale;
  out->gap *= scale;
  out->drift *= scale, out->later *= scale;
  for (int k = 0; k < 2 * S->nu; k++) out->J[k] *= scale;
  out->r_a = dls_arm_to(S->dim, DLS_Q(S, q, user->a), out->point);
  return DLS_OK;
}

dls_status dls_user_contact_at(dls_step *S, int i, const double *q, double t, bool moving,
                               dls_user_gap *out) {
  const dls_user_contact *user = &S->w->user_contacts[i];
  dls_vec3 r_a, r_b;
  dls_vec3 a = dls_anchor_at(S, q, user->a, user->point_a, &r_a);
  dls_vec3 b = dls_anchor_at(S, q, user->b, user->point_b, &r_b), d = dls_v3_sub(b, a);
  *out = (dls_user_gap){.r_a = r_a, .r_b = r_b, .point = b};
  if (user->kind == DLS_USER_GAP) return function_at(S, i, q, t, moving, out);
  if (user->kind == DLS_USER_POINT) {
    out->n = S->dim == 2 ? dls_turned_2(&S->T2[user->a], user->normal)
                         : dls_turned_3(&S->T3[user->a], user->normal);
    out->gap = dls_v3_dot(out->n, d);
    out->r_a = dls_arm_to(S->dim, DLS_Q(S, q, user->a), b);
  } else {
    double length = dls_v3_norm(d);
    out->n = length > 0 ? dls_v3_scale(-1 / length, d) : dls_v3(1, 0, 0);
    out->gap = user->length - length;
  }
  dls_write_row(S->dim, out->J, out->n, out->r_a, out->r_b);
  return DLS_OK;
}

/* --- how a gap's rate changes until the end of the step ------------------------------------ */

/* Whether a body of the pair moves freely and no joint holds it: the row then gives way, whatever
** holds the other (step.md, What joints admit). */
static bool gives_way(const dls_step *S, const dls_meeting *meet) {
  const dls_body *a = &S->w->bodies[meet->a], *b = &S->w->bodies[meet->b];
  return (dls_moves_freely(a) && !S->held[meet->a]) || (dls_moves_freely(b) && !S->held[meet->b]);
}

static bool moves_given(const dls_world *w, const dls_user_contact *user) {
  return w->bodies[user->a].type == DLS_KINEMATIC || w->bodies[user->b].type == DLS_KINEMATIC;
}

/* Functions that have to do with a kinematic body count as a plane of it. theta > 1/2 is of first
** order, and has no way to q_c that v before would tell of. */
static bool is_curved(const dls_step *S, const dls_user_contact *user) {
  return S->theta == 0.5 && (user->kind == DLS_USER_ROPE ||
                             (user->kind == DLS_USER_GAP && !moves_given(S->w, user)));
}

/* The place of an anchor at the end of the step, where its body goes on by the velocities before it
** and keeps its angular momentum, and its velocity there. */
static dls_vec3 foresee_anchor(const dls_step *S, int i, const double *anchor_b, dls_vec3 *v) {
  const dls_body *body = &S->w->bodies[i];
  const bool given = dls_is_prescribed(S, i);
  double q[DLS_NQ(3)], u[DLS_NU(3)];
  memcpy(q, DLS_Q(S, given ? S->q_end : S->q_c, i), (size_t)S->nq * sizeof *q);
  memcpy(u, DLS_U(S, given ? S->u_end : S->u_c, i), (size_t)S->nu * sizeof *u);
  if (!given) dls_drift(S->dim, q, S->theta * S->h, u);
  if (S->dim == 3 && dls_moves_freely(body) && body->mass > 0)
    dls_v3_store(u + 3, dls_angular_rate(body, q, dls_angular_momentum(body, DLS_Q(S, S->q_c, i),
        u)));
  const dls_vec3 r = dls_turned(S->dim, body, q, anchor_b);
  *v = dls_velocity_at(S->dim, u, r);
  return dls_v3_add(dls_point_of(S->dim, q), r);
}

static double rope_rate_gain(const dls_step *S, const dls_user_contact *user, double rate) {
  dls_vec3 v_a, v_b;
  const dls_vec3 a = foresee_anchor(S, user->a, user->point_a, &v_a);
  const dls_vec3 b = foresee_anchor(S, user->b, user->point_b, &v_b), d = dls_v3_sub(b, a);
  const double length = dls_v3_norm(d);
  return (length > 0 ? -dls_v3_dot(d, dls_v3_sub(v_b, v_a)) / length : 0) - rate;
}

/* By how its gradients turn where all bodies go on without turning: what is fixed to one that
** turns, a corner say, has no more of it here than where shapes touch (carried.h). */
static dls_status function_rate_gain(dls_step *S, int i, double t, const dls_user_gap *at,
                                 double *gain) {
  const dls_user_contact *user = &S->w->user_contacts[i];
  const double s = S->theta * S->h;
  const int body[2] = {user->a, user->b};
  memcpy(S->q_n, S->q_c, (size_t)S->w->n_bodies * (size_t)S->nq * sizeof *S->q_n);
  for (int k = 0; k < S->w->n_bodies; k++)
    for (int d = 0; d < S->dim; d++) DLS_Q(S, S->q_n, k)[d] += s * DLS_U(S, S->u_c, k)[d];
  double gap;
  const dls_status status = gap_of_function(S, i, S->q_n, t, &gap);
  *gain = 0;
  for (int e = 0; e < 2; e++) {
    const double *later = DLS_U(S, S->gradient, body[e]), *now = at->J + e * S->nu;
    for (int d = 0; d < S->dim; d++)
      *gain += (at->scale * later[d] - now[d]) * DLS_U(S, S->u_c, body[e])[d];
  }
  return status;
}

/* To meet->rate_gain: what the rate of the gap changes by from q_c to the end of the step, along
** the way that bodies go by the velocities before it, and with time alone. What joints make of the
** other body is taken out (dls_admitted_more). Where nobody moves the pair it ends no faster than
** it came (carried.h, t = 1). */
static dls_status find_rate_gain(dls_step *S, int i, double t, const dls_user_gap *at,
                                 dls_meeting *meet) {
  const dls_user_contact *user = &S->w->user_contacts[i];
  meet->rate_gain = at->later - at->drift;
  if (!meet->curved || !gives_way(S, meet)) return DLS_OK;
  const double *u_a = DLS_U(S, S->u_c, user->a), *u_b = DLS_U(S, S->u_c, user->b);
  const bool by_itself = at->later == 0 && at->drift == 0 && !moves_given(S->w, user);
  double gain = 0;
  dls_status status = DLS_OK;
  if (user->kind == DLS_USER_GAP) status = function_rate_gain(S, i, t, at, &gain);
  else gain = rope_rate_gain(S, user, dls_row_velocity(S->nu, at->J, u_a, u_b));
  gain -= meet->off;
  meet->rate_gain += by_itself ? dls_max(gain, dls_min(meet->v_before, 0)) : gain;
  return status;
}

dls_status dls_find_user_contacts(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks) {
  dls_world *w = S->w;
  double t = w->time + (1 - S->theta) * S->h;
  for (int i = 0; i < w->n_user_contacts; i++) {
    const dls_user_contact *user = &w->user_contacts[i];
    if (!user->alive || !user->active) continue;
    dls_user_gap at;
    dls_status status = dls_user_contact_at(S, i, S->q_c, t, true, &at);
    if (status != DLS_OK) return status;
    dls_meeting meet = {.a = user->a, .b = user->b, .n = at.n, .r_a = at.r_a, .r_b = at.r_b,
                        .gap = at.gap, .size = 1, .m = &user->material,
                        .before = dls_remembered_user(w, i), .drift = at.drift, .by_hand = true,
                        .curved = is_curved(S, user)};
    /* The gap of a function has a gradient that is not n at the arms. */
    memcpy(dls_next_rows(S), at.J, 2 * (size_t)S->nu * sizeof *at.J);
    if (!dls_weigh_up(S, &meet)) continue;
    status = find_rate_gain(S, i, t, &at, &meet);
    if (status != DLS_OK) return status;
    dls_contact *contact = dls_list_contact(S, C, &meet, 0);
    if (!contact) return DLS_FULL;
    contact->user = i;
    dls_v3_store(contact->point, at.point);
    dls_tangents(S->dim, meet.n, &meet.t1, &meet.t2);
    status = dls_make_block(S, C, disks, contact, &meet);
    if (status != DLS_OK) return status;
    C->n_contacts++;
  }
  return DLS_OK;
}
