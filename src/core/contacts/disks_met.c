/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/disks_met.h"

#include "core/contacts/first_met.h"

static inline void fill_meeting(const dls_ball *a, const dls_ball *b, dls_meeting *meet) {
  const double gap = meet->gap, nx = meet->n.x, ny = meet->n.y;
  const double half = a->free && b->free ? 0.5 * gap : 0;
  const double at_a = a->radius + half, at_b = half + b->radius;
  meet->r_a = dls_v3(at_a * nx, at_a * ny, 0);
  meet->r_b = dls_v3(-at_b * nx, -at_b * ny, 0);
  meet->t1 = dls_v3(ny, -nx, 0);
  meet->t2 = dls_v3(0, 0, 1);
}

/* Whether disks that are open at q_c, (x, y) apart there, touch in the rest of the step
** (ways.h). */
static inline bool disks_meet(const dls_step *S, int a, int b, double x, double y, double r) {
  const double *u_a = DLS_U(S, S->u_ahead, a), *u_b = DLS_U(S, S->u_ahead, b);
  return dls_come_within(x, y, u_b[0] - u_a[0], u_b[1] - u_a[1], r, S->theta * S->h);
}

/* Whether disks that part at q_c, (x, y) apart there, have touched on the way to it. */
static inline bool disks_met(const dls_step *S, int a, int b, double x, double y, double r) {
  const double *u_a = DLS_U(S, S->u_c, a), *u_b = DLS_U(S, S->u_c, b);
  return dls_came_within(x, y, u_b[0] - u_a[0], u_b[1] - u_a[1], r, (1 - S->theta) * S->h);
}

dls_status dls_add_disks(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, const dls_ball *a, const dls_ball *b,
                         const dls_material *m, int *at) {
  const double x = b->x - a->x, y = b->y - a->y, d = sqrt(x * x + y * y);
  const double nx = d > 0 ? x / d : 1, ny = d > 0 ? y / d : 0, gap = d - (a->radius + b->radius);
  const double size = dls_min(a->radius, b->radius);
  const double J[6] = {-nx, -ny, 0, nx, ny, 0}, off = dls_admitted_more(S, J, a->body, b->body);
  const double *f_a = DLS_U(S, S->u_ahead, a->body), *f_b = DLS_U(S, S->u_ahead, b->body);
  const double v_free = nx * (f_b[0] - f_a[0]) + ny * (f_b[1] - f_a[1]) + off;
  const bool open = gap > DLS_CLOSED * size, closes = gap + S->theta * S->h * v_free <= 0;
  const dls_contact *before = dls_remembered(S->w, at, a->body, b->body, 0);
  const double *u_a = DLS_U(S, S->u_c, a->body), *u_b = DLS_U(S, S->u_c, b->body);
  const double v_before = nx * (u_b[0] - u_a[0]) + ny * (u_b[1] - u_a[1]) - off;
  const dls_step_halves step = dls_halves_of(S);
  const bool held =
      before && before->held && dls_law_keeps_closed(&step, gap, v_before, DLS_CLOSED * size);
  const bool speculative = open & !closes & !(m->stiffness < DLS_INF) & !held,
             was = before && before->listed;
  const double r = a->radius + b->radius;
  if (!was && dls_law_may_have_met(&step, gap, v_before, DLS_CLOSED * size) &&
      disks_met(S, a->body, b->body, x, y, r)) {
    const dls_meeting grazing = {.a = a->body,
                                 .b = b->body,
                                 .n = dls_v3(nx, ny, 0),
                                 .gap = gap,
                                 .size = size,
                                 .m = m,
                                 .before = before,
                                 .v_before = v_before,
                                 .off = off};
    bool met = false;
    const dls_status status = dls_may_graze(S, C, &grazing)
                                  ? dls_add_graze(S, N, C, disks, &grazing, 0, 0, &met)
                                  : DLS_OK;
    if (status != DLS_OK || met) return status;
  }
  if (speculative && !was) return DLS_OK;
  if (open && closes && !was && !(before && before->x > 0) &&
      !disks_meet(S, a->body, b->body, x, y, r + DLS_CLOSED * size))
    return DLS_OK;

  dls_meeting meet;
  meet.a = a->body, meet.b = b->body;
  meet.n = dls_v3(nx, ny, 0);
  meet.gap = gap, meet.size = size;
  meet.m = m;
  meet.before = before;
  meet.v_before = v_before;
  meet.off = off;
  meet.speculative = speculative;
  meet.drift = meet.rate_gain = 0;
  meet.by_hand = meet.curved = meet.first = false;
  fill_meeting(a, b, &meet);
  memcpy(dls_next_rows(S), J, sizeof J);
  dls_contact *contact = dls_list_contact(S, C, &meet, 0);
  if (!contact) return DLS_FULL;
  const dls_ball *owner = b->free ? b : a;
  const dls_vec3 arm = b->free ? meet.r_b : meet.r_a;
  contact->point[0] = owner->x + arm.x;
  contact->point[1] = owner->y + arm.y;
  dls_status status = dls_make_block(S, C, disks, contact, &meet);
  C->n_contacts += status == DLS_OK;
  return status;
}
