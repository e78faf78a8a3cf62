/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/first_met.h"

#include "core/contacts/near.h"
#include "core/model/material.h"
#include "core/rows/mass.h"

dls_status dls_add_there(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                         const dls_ways_place *place, int a, int b, const dls_touch *touch,
                         const dls_material *m, const dls_contact *before) {
  dls_world *w = S->w;
  dls_material rigid = *m;
  rigid.stiffness = DLS_INF;
  dls_vec3 on_a, on_b;
  dls_points_of(w, a, b, touch, &on_a, &on_b);
  dls_meeting meet = {
      .a = a, .b = b, .n = touch->normal, .m = &rigid, .before = before, .first = true};
  meet.r_a = dls_v3_sub(on_a, place->x_a);
  meet.r_b = dls_v3_sub(on_b, place->x_b);
  meet.size = dls_min(dls_span_of(&w->bodies[a]), dls_span_of(&w->bodies[b]));
  const double *J = dls_next_rows(S), middle = 1 - S->theta;
  dls_write_row(S->dim, dls_next_rows(S), meet.n, meet.r_a, meet.r_b);
  meet.v_before = dls_row_velocity(S->nu, J, DLS_U(S, S->u_c, a), DLS_U(S, S->u_c, b));
  meet.off = dls_admitted_more(S, J, a, b);
  meet.v_before -= meet.off;
  const double v_free =
      dls_row_velocity(S->nu, J, DLS_U(S, S->u_ahead, a), DLS_U(S, S->u_ahead, b)) + meet.off;
  const double rate = place->at < middle ? meet.v_before : v_free;
  meet.gap = touch->gap + (middle - place->at) * S->h * rate;
  const bool open = place->gliding < DLS_INF && touch->gap > dls_closed(S, meet.size);
  if (open && !(before && before->listed)) return DLS_OK;
  meet.speculative = open || rate > place->gliding;
  /* for the rest of the step */
  if (meet.speculative) meet.gap = dls_max(touch->gap, 0) * S->theta / (1 - place->at);
  dls_contact *contact = dls_list_contact(S, C, &meet, touch->key);
  if (!contact) return DLS_FULL;
  dls_v3_store(contact->point, dls_moves_freely(&w->bodies[b]) ? on_b : on_a);
  contact->mark |= DLS_MARK_SWIFT;
  dls_tangents(S->dim, meet.n, &meet.t1, &meet.t2);
  const dls_status status = dls_make_block(S, C, disks, contact, &meet);
  C->n_contacts += status == DLS_OK;
  return status;
}

dls_status dls_add_graze(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, const dls_meeting *meet, uint64_t part,
                         uint64_t key, bool *met) {
  dls_graze *last = &C->grazed;
  if (last->a != meet->a || last->b != meet->b || last->part != part)
    *last = (dls_graze){meet->a, meet->b, part, 0};
  dls_ways_place place = {.gliding = DLS_INF};
  dls_touch touch;
  const dls_status status =
      dls_ways_graze(&N->ways, meet->a, meet->b, part, last->n, &place, &touch, met);
  if (status != DLS_OK || !*met || !(touch.gap < DLS_INF)) return status;
  last->n++;
  touch.key = key;
  return dls_add_there(S, C, disks, &place, meet->a, meet->b, &touch, meet->m, meet->before);
}
