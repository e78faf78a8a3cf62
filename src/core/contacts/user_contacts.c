/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/user_contacts.h"

#include "core/contacts/contact_row.h"
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
                        .before = dls_remembered_user(w, i), .drift = at.drift, .later = at.later,
                        .by_hand = true};
    /* The gap of a function has a gradient that is not n at the arms. */
    memcpy(dls_next_rows(S), at.J, 2 * (size_t)S->nu * sizeof *at.J);
    if (!dls_weigh_up(S, &meet)) continue;
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
