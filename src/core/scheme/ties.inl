/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Contacts stated by hand, at any coordinates q with the poses S->T:
**
**   point   gap = n . (P_b - P_a), n fixed in a: the point P_b against a plane of a
**   rope    gap = length - |P_b - P_a|
**   gap     a function of the maker's of all coordinates, with its gradient by the velocities */

typedef struct tied {
  double gap;
  dls_vec3 n, r_a, r_b, point;
  double J[2 * NU]; /* of the gap */
} tied;

static dls_status gap_of_function(step *S, int i, const double *q, double t, tied *out) {
  dls_world *w = S->w;
  const dls_tie *tie = &w->ties[i];
  double *gradient = S->gradient;
  memset(gradient, 0, (size_t)w->n_bodies * NU * sizeof(double));
  dls_status status = w->hooks.gap(w->hooks.ud, i, t, q, &out->gap, gradient);
  if (status != DLS_OK) return status;
  memcpy(out->J, U(gradient, tie->a), NU * sizeof(double));
  memcpy(out->J + NU, U(gradient, tie->b), NU * sizeof(double));
  if (tie->a == tie->b) memset(out->J, 0, NU * sizeof(double));
  /* For the record: the direction of the force on b. */
  dls_vec3 n = dls_v3(out->J[NU], out->J[NU + 1], D == 3 ? out->J[NU + 2] : 0);
  out->n = dls_v3_unit(n);
  return DLS_OK;
}

static dls_status tie_at(step *S, int i, const double *q, double t, tied *out) {
  const dls_tie *tie = &S->w->ties[i];
  dls_vec3 r_a, r_b;
  dls_vec3 a = anchor_at(S, q, tie->a, tie->point_a, &r_a);
  dls_vec3 b = anchor_at(S, q, tie->b, tie->point_b, &r_b), d = dls_v3_sub(b, a);
  *out = (tied){.r_a = r_a, .r_b = r_b, .point = b};
  if (tie->kind == DLS_TIE_GAP) return gap_of_function(S, i, q, t, out);
  if (tie->kind == DLS_TIE_POINT) {
    out->n = turned(&S->T[tie->a], tie->normal);
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
  for (int i = 0; i < w->n_contacts && w->contacts[i].tie >= 0; i++)
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
    dls_status status = tie_at(S, i, S->q_c, t, &at);
    if (status != DLS_OK) return status;
    meeting meet = {.a = tie->a, .b = tie->b, .n = at.n, .r_a = at.r_a, .r_b = at.r_b, .gap = at.gap,
                    .size = 1, .m = &tie->material, .before = remembered_tie(w, i)};
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
