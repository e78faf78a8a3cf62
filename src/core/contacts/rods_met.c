/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/rods_met.h"

#include "core/contacts/contact_row.h"
#include "core/contacts/near.h"
#include "core/step/poses.h"

/* From pair k on as many as there is room for. */
static void meet_rods(const dls_step *S, const dls_near_stage *N, int k, dls_rods_met *met) {
  int a[DLS_RODS_AT_ONCE], b[DLS_RODS_AT_ONCE], n = 0;
  double margin[DLS_RODS_AT_ONCE];
  for (; k < N->n_near && n < DLS_RODS_AT_ONCE; k++) {
    const int i = N->body_of[N->near[k].a], j = N->body_of[N->near[k].b];
    if (!dls_are_rods(S, i, j)) continue;
    a[n] = i, b[n] = j;
    margin[n++] = dls_travel_between(S, N, i, j);
  }
  (void)dls_gap_lanes_best()->touch(n, a, b, S->rod, margin, met->count, met->touch);
  met->stop = k;
  met->next = 0;
  met->at = met->touch;
}

const dls_touch *dls_take_met(const dls_step *S, const dls_near_stage *N, int k,
                              dls_rods_met *met) {
  if (!dls_are_rods(S, N->body_of[N->near[k].a], N->body_of[N->near[k].b])) return NULL;
  if (k >= met->stop) meet_rods(S, N, k, met);
  met->last = met->count[met->next++];
  const dls_touch *touch = met->at;
  met->at += met->last;
  return touch;
}

/* Whether an open touch that no contact of the last step stands by at stays open by more than
** rounding: what dls_weigh_up() would find, without its row. */
static bool stays_open(const dls_step *S, const dls_ball *a, const dls_ball *b,
                       const dls_material *m, const dls_touch *touch, int *at) {
  const dls_rod *x = &S->rod[a->body], *y = &S->rod[b->body];
  const double noise = 2 * DLS_CLOSED * dls_min(x->half + x->r, y->half + y->r);
  if (m->stiffness < DLS_INF || !(touch->gap > noise)) return false;
  const dls_contact *before = dls_remembered(S->w, at, a->body, b->body, touch->key);
  if (before && before->listed) return false;
  dls_vec3 on_a, on_b;
  dls_points_of(S->w, a->body, b->body, touch, &on_a, &on_b);
  const dls_vec3 r_a = dls_arm_to(3, DLS_Q(S, S->q_c, a->body), on_a);
  const dls_vec3 r_b = dls_arm_to(3, DLS_Q(S, S->q_c, b->body), on_b);
  const dls_vec3 v_a = dls_velocity_at(3, DLS_U(S, S->u_ahead, a->body), r_a);
  const dls_vec3 v_b = dls_velocity_at(3, DLS_U(S, S->u_ahead, b->body), r_b);
  double J[12];
  dls_write_row(3, J, touch->normal, r_a, r_b);
  const double more = dls_admitted_more(S, J, a->body, b->body);
  const double v_n = dls_v3_dot(touch->normal, dls_v3_sub(v_b, v_a)) + more;
  if (!(touch->gap + S->theta * S->h * v_n > noise)) return false;
  const dls_vec3 c_a = dls_velocity_at(3, DLS_U(S, S->u_c, a->body), r_a);
  const dls_vec3 c_b = dls_velocity_at(3, DLS_U(S, S->u_c, b->body), r_b);
  /* it may have grazed: first_met.h */
  const double was = dls_v3_dot(touch->normal, dls_v3_sub(c_b, c_a)) - more;
  return touch->gap - (1 - S->theta) * S->h * was > noise;
}

dls_status dls_add_met(dls_step *S, dls_near_stage *N, dls_contact_stage *C, dls_disk_stage *disks,
                       const dls_ball *a, const dls_ball *b, const dls_material *m,
                       const dls_rods_met *met, const dls_touch *touch, int *at, int *n) {
  const bool sensor = a->sensor || b->sensor;
  *n = met->last;
  for (int i = 0; i < met->last; i++, touch++) {
    if (!sensor && stays_open(S, a, b, m, touch, at)) {
      C->open = dls_min(C->open, touch->gap);
      continue;
    }
    const dls_status status = dls_add_touch(S, N, C, disks, a->body, b->body, touch, m, sensor, at);
    if (status != DLS_OK) return status;
  }
  return DLS_OK;
}
