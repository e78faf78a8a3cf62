/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Pairs of disks become rows: of the velocities at q_c, of the gaps at q'. */

/* Normal, gap and arms at q_c. */
static inline void close_disks(const ball *a, const ball *b, meeting *meet) {
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y);
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0;
  double on_a[2] = {a->x + a->radius * nx, a->y + a->radius * ny};
  double on_b[2] = {b->x - b->radius * nx, b->y - b->radius * ny};
  if (a->free && b->free) {
    on_a[0] = on_b[0] = 0.5 * (on_a[0] + on_b[0]);
    on_a[1] = on_b[1] = 0.5 * (on_a[1] + on_b[1]);
  }
  meet->n = dls_v3(nx, ny, 0);
  meet->r_a = dls_v3(on_a[0] - a->x, on_a[1] - a->y, 0);
  meet->r_b = dls_v3(on_b[0] - b->x, on_b[1] - b->y, 0);
  meet->gap = d - (a->radius + b->radius);
}

static inline dls_status meet_disks(step *S, const ball *a, const ball *b, const dls_material *m,
                                    int *at) {
  dls_world *w = S->w;
  meeting meet = {.a = a->body, .b = b->body, .m = m};
  close_disks(a, b, &meet);
  meet.size = dls_min(a->radius, b->radius);
  meet.before = remembered(w, at, meet.a, meet.b, 0);
  write_row(next_rows(S), meet.n, meet.r_a, meet.r_b);
  if (!weigh_up(S, &meet)) return DLS_OK;
  dls_contact *contact = list_contact(S, &meet, 0);
  if (!contact) return DLS_FULL;
  const dls_vec3 r = b->free ? meet.r_b : meet.r_a;
  const ball *owner = b->free ? b : a;
  contact->point[0] = owner->x + r.x;
  contact->point[1] = owner->y + r.y;
  meet.t1 = dls_v3(meet.n.y, -meet.n.x, 0);
  dls_status status = make_block(S, contact, &meet);
  S->n_contacts += status == DLS_OK;
  return status;
}
