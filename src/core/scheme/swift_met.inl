/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Swift pairs become rows (ways.h). */

/* A first touch as a contact: the row is that of where it happens, its law that of a rigid contact. */
static dls_status add_first(step *S, const dls_swift *p, const dls_touch *touch, const dls_material *m, int *at) {
  dls_world *w = S->w;
  dls_material rigid = *m;
  rigid.stiffness = DLS_INF;
  dls_vec3 on_a, on_b;
  points_of(w, p->a, p->b, touch, &on_a, &on_b);
  meeting meet = {.a = p->a, .b = p->b, .n = touch->normal, .m = &rigid, .first = true};
  meet.r_a = dls_v3_sub(on_a, p->x_a);
  meet.r_b = dls_v3_sub(on_b, p->x_b);
  meet.before = remembered(w, at, p->a, p->b, touch->key);
  meet.size = dls_min(span_of(&w->bodies[p->a]), span_of(&w->bodies[p->b]));
  const double *J = next_rows(S), middle = 1 - S->theta;
  write_row(next_rows(S), meet.n, meet.r_a, meet.r_b);
  meet.v_before = row_velocity(J, U(S->u_c, p->a), U(S->u_c, p->b));
  const double v_free = row_velocity(J, U(S->u_ahead, p->a), U(S->u_ahead, p->b));
  meet.gap = touch->gap + (middle - p->at) * S->h * (p->at < middle ? meet.v_before : v_free);
  dls_contact *contact = list_contact(S, &meet, touch->key);
  if (!contact) return DLS_FULL;
  dls_v3_store(contact->point, moves_freely(&w->bodies[p->b]) ? on_b : on_a);
  contact->mark |= DLS_MARK_SWIFT;
  tangents(meet.n, &meet.t1, &meet.t2);
  const dls_status status = make_block(S, contact, &meet);
  S->n_contacts += status == DLS_OK;
  return status;
}

/* The contacts of a pair that ways know of: its first touch, and what lasts, in the order of keys. */
static dls_status meet_swift(step *S, const dls_swift *p, const ball *a, const ball *b, const dls_material *m, int *at) {
  const bool sensor = a->sensor || b->sensor;
  const int n_first = p->first ? p->n : 0;
  int n = touches_of(S, a->body, b->body, S->reach[a->body] + S->reach[b->body]);
  if (n > S->touch_room) return too_many(S, n);
  dls_status status = dls_ways_sift(&S->ways, p, S->touch, n, &n);
  for (int i = 0, j = 0; status == DLS_OK && (i < n_first || j < n);) {
    if (j < n && !(i < n_first && p->touch[i].key < S->touch[j].key)) {
      const dls_touch touch = S->touch[j++];
      status = add_touch(S, a->body, b->body, &touch, m, sensor, at);
    } else if (sensor) {
      dls_touch touch = p->touch[i++];
      touch.gap = dls_min(touch.gap, 0);
      status = add_touch(S, a->body, b->body, &touch, m, true, at);
    } else {
      status = add_first(S, p, &p->touch[i++], m, at);
    }
  }
  return status;
}
