/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/user_contact_acc.h"

#include "core/accelerations/contact_row_acc.h"
#include "core/contacts/user_contacts.h"
#include "core/model/remembered.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"

/* The rows at a frame; of a gap function the normal is its gradient, not n at the arms. */
static void rows_of(int dim, const dls_user_gap *at, const dls_vec3 axis[3], double J[DLS_NB(3)][2 * DLS_NU(3)]) {
  dls_frame_rows(dim, J, axis, at->r_a, at->r_b);
  memcpy(J[0], at->J, 2 * (size_t)DLS_NU(dim) * sizeof J[0][0]);
}

/* The two bodies of a contact after the time s: S->q_n and poses; and back at the world's coordinates. */
static void go_on(dls_step *S, const int body[2], double s, dls_kept_pose kept[2]) {
  double q[2][DLS_NQ(3)];
  dls_move_on(S, body, s, q, kept);
  for (int k = 0; k < 2; k++) memcpy(DLS_Q(S, S->q_n, body[k]), q[k], (size_t)S->nq * sizeof(double));
}

static void go_back(dls_step *S, const int body[2], const dls_kept_pose kept[2]) {
  for (int k = 0; k < 2; k++)
    memcpy(DLS_Q(S, S->q_n, body[k]), DLS_Q(S, S->w->q, body[k]), (size_t)S->nq * sizeof(double));
  dls_move_back(S, body, kept);
}

/* The rows' velocities where the bodies, and time, have gone on by s. */
static dls_status velocities_after(dls_step *S, int i, double s, const dls_vec3 axis[3], double v[DLS_NB(3)]) {
  const dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  const int body[2] = {user->a, user->b};
  double J[DLS_NB(3)][2 * DLS_NU(3)];
  dls_kept_pose kept[2];
  dls_user_gap at;
  dls_vec3 carried[3];
  go_on(S, body, s, kept);
  dls_status status = dls_user_contact_at(S, i, S->q_n, w->time + s, false, &at);
  dls_carry_frame(S->dim, at.n, axis, carried);
  rows_of(S->dim, &at, carried, J);
  const double *u_a = DLS_U(S, w->u, user->a), *u_b = DLS_U(S, w->u, user->b);
  for (int k = 0; k < S->nb; k++) v[k] = dls_row_velocity(S->nu, J[k], u_a, u_b);
  go_back(S, body, kept);
  return status;
}

/* What time alone does to the gap's speed, where it moves the gap: by differences over a step. */
static dls_status drift_rate(dls_step *S, int i, double *rate) {
  const dls_world *w = S->w;
  const int body[2] = {w->user_contacts[i].a, w->user_contacts[i].b};
  double drift[2] = {0, 0};
  dls_status status = DLS_OK;
  for (int e = 0; e < 2 && status == DLS_OK; e++) {
    const double s = e == 0 ? -S->h : S->h;
    dls_kept_pose kept[2];
    go_on(S, body, s, kept);
    dls_user_gap at;
    status = dls_user_contact_at(S, i, S->q_n, w->time + s, true, &at);
    drift[e] = at.drift;
    go_back(S, body, kept);
  }
  *rate = (drift[1] - drift[0]) / (2 * S->h);
  return status;
}

/* d/dt of what the rows see at constant velocities. */
static dls_status own_of(dls_step *S, int i, const dls_user_gap *at, const dls_vec3 axis[3], double own[DLS_NB(3)]) {
  const dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  const double gyration = dls_contact_gyration(w, user->a, user->b);
  const double size = user->kind == DLS_USER_ROPE ? user->length : gyration > 0 ? gyration : 1;
  double s = dls_difference_time(w, user->a, user->b, size), before[DLS_NB(3)], after[DLS_NB(3)], rate = 0;
  dls_status status = DLS_OK;
  const bool by_time = user->kind == DLS_USER_GAP;
  if (by_time && !(s > 0 && s < S->h) && at->drift != 0) s = S->h;
  if (by_time) status = drift_rate(S, i, &rate);
  if (status == DLS_OK && s > 0) status = velocities_after(S, i, s, axis, after);
  if (status == DLS_OK && s > 0) status = velocities_after(S, i, -s, axis, before);
  for (int k = 0; k < S->nb; k++) own[k] = s > 0 && status == DLS_OK ? (after[k] - before[k]) / (2 * s) : 0;
  own[0] += rate;
  return status;
}

dls_status dls_user_contact_acc(dls_step *S, int i, dls_acc_row *out, int *n) {
  const dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  dls_user_gap at;
  dls_vec3 axis[3];
  dls_status status = dls_user_contact_at(S, i, w->q, w->time, true, &at);
  if (status != DLS_OK) return status;
  dls_encounter e = {.a = user->a, .b = user->b, .gap = at.gap, .size = 1, .m = &user->material,
                     .before = dls_remembered_user(w, i)};
  axis[0] = at.n;
  dls_tangents(S->dim, at.n, &axis[1], &axis[2]);
  rows_of(S->dim, &at, (const dls_vec3 *)axis, e.J);
  dls_encounter_see(S, &e);
  e.v[0] += at.drift;
  const bool held = dls_encounter_held(&e);
  if (held) status = own_of(S, i, &at, (const dls_vec3 *)axis, e.own);
  if (held && status == DLS_OK) dls_encounter_settle(S, &e);
  if (status != DLS_OK || !dls_encounter_acts(S, &e)) return status;
  if (!held) status = own_of(S, i, &at, (const dls_vec3 *)axis, e.own);
  return status == DLS_OK ? dls_contact_acc_rows(S, &e, out, n) : status;
}
