/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Hand-made contacts at the coordinates of now, as rows on accelerations (contact_rows_now.inl). */

static void rows_of_tie(const tied *at, const dls_vec3 axis[3], double J[NB][2 * NU]) {
  frame_rows(J, axis, at->r_a, at->r_b);
  memcpy(J[0], at->J, sizeof J[0]); /* of a gap function: not n at the arms */
}

/* The rows' velocities where the bodies, and time, have gone on by s. */
static dls_status tie_after(step *S, int i, double s, const dls_vec3 axis[3], double v[NB]) {
  const dls_world *w = S->w;
  const dls_tie *tie = &w->ties[i];
  double q[2][NQ], J[NB][2 * NU];
  pose kept[2];
  tied at;
  dls_vec3 carried[3];
  move_on(S, tie->a, tie->b, s, q, kept);
  memcpy(Q(S->q_n, tie->a), q[0], sizeof q[0]);
  memcpy(Q(S->q_n, tie->b), q[1], sizeof q[1]);
  dls_status status = tie_at(S, i, S->q_n, w->time + s, false, &at);
  carry_frame(at.n, axis, carried);
  rows_of_tie(&at, carried, J);
  for (int k = 0; k < NB; k++) v[k] = row_velocity(J[k], U(w->u, tie->a), U(w->u, tie->b));
  const int body[2] = {tie->a, tie->b};
  for (int k = 0; k < 2; k++) {
    memcpy(Q(S->q_n, body[k]), Q(w->q, body[k]), NQ * sizeof(double));
    S->POSES[body[k]] = kept[k];
  }
  return status;
}

/* What time alone does to the gap's speed, where it moves the gap: by differences over a step. */
static dls_status drift_rate(step *S, int i, double *rate) {
  const dls_world *w = S->w;
  const int body[2] = {w->ties[i].a, w->ties[i].b};
  double drift[2] = {0, 0};
  dls_status status = DLS_OK;
  for (int e = 0; e < 2 && status == DLS_OK; e++) {
    const double s = e == 0 ? -S->h : S->h;
    double q[2][NQ];
    pose kept[2];
    move_on(S, body[0], body[1], s, q, kept);
    for (int k = 0; k < 2; k++) memcpy(Q(S->q_n, body[k]), q[k], sizeof q[k]);
    tied at;
    status = tie_at(S, i, S->q_n, w->time + s, true, &at);
    drift[e] = at.drift;
    for (int k = 0; k < 2; k++) {
      memcpy(Q(S->q_n, body[k]), Q(w->q, body[k]), NQ * sizeof(double));
      S->POSES[body[k]] = kept[k];
    }
  }
  *rate = (drift[1] - drift[0]) / (2 * S->h);
  return status;
}

/* d/dt of what the rows see at constant velocities. */
static dls_status own_of_tie(step *S, int i, const tied *at, const dls_vec3 axis[3], double own[NB]) {
  const dls_world *w = S->w;
  const dls_tie *tie = &w->ties[i];
  const double gyration = gyration_of(w, tie->a, tie->b);
  const double size = tie->kind == DLS_TIE_ROPE ? tie->length : gyration > 0 ? gyration : 1;
  double s = way_of(w, tie->a, tie->b, size), before[NB], after[NB], rate = 0;
  dls_status status = DLS_OK;
  const bool by_time = tie->kind == DLS_TIE_GAP;
  if (by_time && !(s > 0 && s < S->h) && at->drift != 0) s = S->h;
  if (by_time) status = drift_rate(S, i, &rate);
  if (status == DLS_OK && s > 0) status = tie_after(S, i, s, axis, after);
  if (status == DLS_OK && s > 0) status = tie_after(S, i, -s, axis, before);
  for (int k = 0; k < NB; k++) own[k] = s > 0 && status == DLS_OK ? (after[k] - before[k]) / (2 * s) : 0;
  own[0] += rate;
  return status;
}

static dls_status tie_now(step *S, int i, dls_acc_row *out, int *n) {
  const dls_world *w = S->w;
  const dls_tie *tie = &w->ties[i];
  tied at;
  dls_vec3 axis[3];
  dls_status status = tie_at(S, i, w->q, w->time, true, &at);
  if (status != DLS_OK) return status;
  encounter e = {.a = tie->a, .b = tie->b, .gap = at.gap, .size = 1, .m = &tie->material,
                 .before = remembered_tie(w, i)};
  axis[0] = at.n;
  tangents(at.n, &axis[1], &axis[2]);
  rows_of_tie(&at, (const dls_vec3 *)axis, e.J);
  see(w, &e);
  e.v[0] += at.drift;
  if (!acts_now(S, &e)) return DLS_OK;
  status = own_of_tie(S, i, &at, (const dls_vec3 *)axis, e.own);
  return status == DLS_OK ? contact_rows(S, &e, out, n) : status;
}
