/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/user_contact_acc.h"

#include "core/accelerations/contact_row_acc.h"
#include "core/contacts/user_contacts.h"
#include "core/math/difference.h"
#include "core/model/remembered.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"

/* The rows at a frame; of a gap function the normal is its gradient, not n at the arms. */
static void rows_of(int dim, const dls_user_gap *at, const dls_vec3 axis[3],
                    double J[DLS_NB(3)][2 * DLS_NU(3)]) {
  dls_frame_rows(dim, J, axis, at->r_a, at->r_b);
  memcpy(J[0], at->J, 2 * (size_t)DLS_NU(dim) * sizeof J[0][0]);
}

/* The two bodies of a contact after the time s: S->q_n and poses; and back at the world's
** coordinates. */
static void go_on(dls_step *S, const int body[2], double s, dls_kept_pose kept[2]) {
  double q[2][DLS_NQ(3)];
  dls_move_on(S, body, s, q, kept);
  for (int k = 0; k < 2; k++)
    memcpy(DLS_Q(S, S->q_n, body[k]), q[k], (size_t)S->nq * sizeof(double));
}

static void go_back(dls_step *S, const int body[2], const dls_kept_pose kept[2]) {
  for (int k = 0; k < 2; k++)
    memcpy(DLS_Q(S, S->q_n, body[k]), DLS_Q(S, S->w->q, body[k]), (size_t)S->nq * sizeof(double));
  dls_move_back(S, body, kept);
}

/* The rows' velocities where the bodies, and time, have gone on by s. */
static dls_status velocities_after(dls_step *S, int i, double s, const dls_vec3 axis[3],
                                   double v[DLS_NB(3)]) {
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

/* Contact i, whose gap is a function, at other times: what differences are taken of. */
typedef struct later {
  dls_step *S;     /* its record, without rows */
  int i;           /* into world->user_contacts */
  double t;        /* s */
  const double *q; /* of all bodies, as they stand */
  double noise;    /* m: of the gap */
  dls_differences drift; /* of its rate by time alone */
} later;

static dls_status gap_later(void *ctx, double s, double *gap) {
  const later *x = (const later *)ctx;
  dls_user_gap at;
  const dls_status status = dls_user_contact_at(x->S, x->i, x->q, x->t + s, false, &at);
  *gap = at.gap;
  return status;
}

/* The gap's rate by time alone, and its round-off. */
static dls_status drift_of(const later *x, double *drift, double *rough) {
  later here = *x;
  dls_differences d = {.of = gap_later, .ctx = &here, .k = 1, .step = DLS_DIFFERENCE_SPAN * x->S->h,
                       .at = x->t, .noise = x->noise};
  const dls_status status = dls_difference(&d, drift);
  *rough = d.varies ? d.rough : 0;
  return status;
}

/* That rate where the bodies, and time, have gone on by s. */
static dls_status drift_later(void *ctx, double s, double *drift) {
  later *x = (later *)ctx;
  const dls_world *w = x->S->w;
  const int body[2] = {w->user_contacts[x->i].a, w->user_contacts[x->i].b};
  dls_kept_pose kept[2];
  double rough;
  go_on(x->S, body, s, kept);
  const later there = {.S = x->S, .i = x->i, .t = x->t + s, .q = x->S->q_n, .noise = x->noise};
  const dls_status status = drift_of(&there, drift, &rough);
  go_back(x->S, body, kept);
  x->drift.noise = dls_max(x->drift.noise, rough);
  return status;
}

static later now_of(dls_step *S, int i) {
  const dls_world *w = S->w;
  const int body[2] = {w->user_contacts[i].a, w->user_contacts[i].b};
  double far = 0;
  for (int e = 0; e < 2; e++)
    for (int k = 0; k < S->dim; k++) far += fabs(DLS_Q(S, w->q, body[e])[k]);
  return (later){.S = S, .i = i, .t = w->time, .q = w->q, .noise = DLS_DIFFERENCE_ROUND * far};
}

/* What time alone does to the gap's speed, where it moves the gap. */
static dls_status drift_rate(dls_step *S, int i, double *rate) {
  later x = now_of(S, i);
  x.drift = (dls_differences){
      .of = drift_later, .ctx = &x, .k = 1, .step = DLS_DIFFERENCE_SPAN * S->h, .at = x.t};
  return dls_difference(&x.drift, rate);
}

/* d/dt of what the rows see at constant velocities. */
static dls_status own_of(dls_step *S, int i, const dls_user_gap *at, const dls_vec3 axis[3],
                         double own[DLS_NB(3)]) {
  const dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  const double gyration = dls_contact_gyration(w, user->a, user->b);
  const double size = user->kind == DLS_USER_ROPE ? user->length : gyration > 0 ? gyration : 1;
  double s = dls_difference_time(w, user->a, user->b, size), before[DLS_NB(3)], after[DLS_NB(3)],
         rate = 0;
  dls_status status = DLS_OK;
  const bool by_time = user->kind == DLS_USER_GAP;
  if (by_time && !(s > 0 && s < S->h) && at->drift != 0) s = S->h;
  if (by_time) status = drift_rate(S, i, &rate);
  if (status == DLS_OK && s > 0) status = velocities_after(S, i, s, axis, after);
  if (status == DLS_OK && s > 0) status = velocities_after(S, i, -s, axis, before);
  for (int k = 0; k < S->nb; k++)
    own[k] = s > 0 && status == DLS_OK ? (after[k] - before[k]) / (2 * s) : 0;
  own[0] += rate;
  return status;
}

dls_status dls_user_contact_acc(dls_step *S, int i, dls_acc_row *out, int *n) {
  const dls_world *w = S->w;
  const dls_user_contact *user = &w->user_contacts[i];
  dls_user_gap at;
  dls_vec3 axis[3];
  dls_status status = dls_user_contact_at(S, i, w->q, w->time, true, &at);
  double rough;
  if (status == DLS_OK && user->kind == DLS_USER_GAP) {
    const later now = now_of(S, i);
    status = drift_of(&now, &at.drift, &rough);
  }
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
