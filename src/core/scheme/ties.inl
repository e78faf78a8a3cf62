/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Contacts stated by hand, at any coordinates q with the poses S->POSES:
**
**   point   gap = n . (P_b - P_a), n fixed in a: the point P_b against a plane of a
**   rope    gap = length - |P_b - P_a|
**   gap     a function of the maker's of all coordinates and time, with its gradient by the velocities
**
** A gap function is divided by the length of its gradient for the position of b (of a where b does not
** move freely), which is 1 for a distance: the row's impulse is then in N s, and friction is within
** mu of it, across that direction at point_b. */

typedef struct tied {
  double gap;
  dls_vec3 n, r_a, r_b, point;
  double J[2 * NU]; /* of the gap                                                */
  double drift, later; /* what the gap changes by with time alone, m/s; at the end of the step; where asked */
} tied;

static dls_status gap_of_function(step *S, int i, const double *q, double t, double *gap) {
  dls_world *w = S->w;
  memset(S->gradient, 0, (size_t)w->n_bodies * NU * sizeof(double));
  return w->hooks.gap(w->hooks.ud, i, t, q, gap, S->gradient);
}

static double length_of(const double *J) {
  double sum = 0;
  for (int i = 0; i < D; i++) sum += J[i] * J[i];
  return sqrt(sum);
}

/* By central differences over a hundredth of a step: exact for what is linear in time. By the end of the step it is as
** much more than the mean until then as that is more than now. */
static dls_status drift_of_function(step *S, int i, const double *q, double t, tied *out) {
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

static dls_status function_at(step *S, int i, const double *q, double t, bool moving, tied *out) {
  dls_world *w = S->w;
  const dls_tie *tie = &w->ties[i];
  dls_status status = DLS_OK;
  if (moving) status = drift_of_function(S, i, q, t, out);
  else status = gap_of_function(S, i, q, t, &out->gap);
  if (status != DLS_OK) return status;
  memcpy(out->J, U(S->gradient, tie->a), NU * sizeof(double));
  memcpy(out->J + NU, U(S->gradient, tie->b), NU * sizeof(double));
  double side = 1, *J = out->J + NU;
  if (!(length_of(J) > 0)) side = -1, J = out->J;
  const double length = length_of(J), scale = length > 0 ? 1 / length : 1;
  out->n = dls_v3_scale(side * scale, dls_v3(J[0], J[1], D == 3 ? J[2] : 0));
  out->gap *= scale;
  out->drift *= scale, out->later *= scale;
  for (int k = 0; k < 2 * NU; k++) out->J[k] *= scale;
  out->r_a = arm_to(Q(q, tie->a), out->point);
  return DLS_OK;
}

/* moving: also how the gap changes with time alone. */
static dls_status tie_at(step *S, int i, const double *q, double t, bool moving, tied *out) {
  const dls_tie *tie = &S->w->ties[i];
  dls_vec3 r_a, r_b;
  dls_vec3 a = anchor_at(S, q, tie->a, tie->point_a, &r_a);
  dls_vec3 b = anchor_at(S, q, tie->b, tie->point_b, &r_b), d = dls_v3_sub(b, a);
  *out = (tied){.r_a = r_a, .r_b = r_b, .point = b};
  if (tie->kind == DLS_TIE_GAP) return function_at(S, i, q, t, moving, out);
  if (tie->kind == DLS_TIE_POINT) {
    out->n = turned(&S->POSES[tie->a], tie->normal);
    out->gap = dls_v3_dot(out->n, d);
    out->r_a = arm_to(Q(q, tie->a), b);
  } else {
    double length = dls_v3_norm(d);
    out->n = length > 0 ? dls_v3_scale(-1 / length, d) : dls_v3(1, 0, 0);
    out->gap = tie->length - length;
  }
  write_row(out->J, out->n, out->r_a, out->r_b);
  return DLS_OK;
}

static const dls_contact *remembered_tie(const dls_world *w, int tie) {
  for (int i = 0; is_tied(w, i); i++)
    if (w->contacts[i].tie == tie) return &w->contacts[i];
  return NULL;
}

static dls_status find_ties(step *S) {
  dls_world *w = S->w;
  double t = w->time + (1 - S->theta) * S->h;
  for (int i = 0; i < w->n_ties; i++) {
    const dls_tie *tie = &w->ties[i];
    if (!tie->alive || !tie->active) continue;
    tied at;
    dls_status status = tie_at(S, i, S->q_c, t, true, &at);
    if (status != DLS_OK) return status;
    meeting meet = {.a = tie->a, .b = tie->b, .n = at.n, .r_a = at.r_a, .r_b = at.r_b, .gap = at.gap,
                    .size = 1, .m = &tie->material, .before = remembered_tie(w, i),
                    .drift = at.drift, .later = at.later, .by_hand = true};
    /* The gap of a function has a gradient that is not n at the arms. */
    memcpy(next_rows(S), at.J, sizeof at.J);
    if (!weigh_up(S, &meet)) continue;
    dls_contact *contact = list_contact(S, &meet, 0);
    if (!contact) return DLS_FULL;
    contact->tie = i;
    dls_v3_store(contact->point, at.point);
    tangents(meet.n, &meet.t1, &meet.t2);
    status = make_block(S, contact, &meet);
    if (status != DLS_OK) return status;
    S->n_contacts++;
  }
  return DLS_OK;
}
