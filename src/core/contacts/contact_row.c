/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/contact_row.h"

#include "core/contacts/carriers.h"
#include "core/contacts/first_met.h"
#include "core/contacts/near.h"
#include "core/math/elementary.h"
#include "core/model/material.h"
#include "core/rows/mass.h"
#include "core/rows/tree_rows.h"

/* Bodies that take the dimension d are called with the constants 2 and 3. */

/* J M^-1 J' of the half of a row that belongs to body i, without its joints. */
DLS_WITH_NU double answer_of(int d, const dls_step *S, int i, const double *J) {
  if (S->rows.tree != NULL && S->rows.tree[i] >= 0)
    return dls_body_answers_alone(S->w, i, d == 3 ? &S->T3[i].R : NULL, J);
  double MJ[DLS_NU(d)];
  dls_apply_inverse(DLS_NU(d), &S->rows, i, J, MJ);
  return dls_dot_u(DLS_NU(d), J, MJ);
}

/* The dashpot of a compliant contact: as given, or that of the restitution (and then it is told
** where the scheme alone, exp(-pi omega h/2) a bounce, loses more). */
DLS_WITH_NU double damping_of(int d, dls_step *S, const dls_contact *c, const dls_material *m,
                              const double *J) {
  if (!dls_restitution_damps(m)) return m->damping;
  const double w = answer_of(d, S, c->a, J) + answer_of(d, S, c->b, J + DLS_NU(d));
  if (!(w > 0)) return 0;
  double omega = sqrt(m->stiffness * w);
  if (dls_exp(-0.5 * DLS_PI * omega * S->h) < m->restitution) S->w->stats.overdamped = true;
  return dls_restitution_dashpot(S->w, m, w);
}

/* Whether a contact is to act or to stand by in this step, from its normal row, which is written
** in its place already. Most touches within reach end here. */
DLS_WITH_NU bool weigh_up(int d, const dls_step *S, dls_meeting *meet) {
  const double *J = dls_next_rows(S);
  meet->v_before =
      dls_row_velocity(DLS_NU(d), J, DLS_U(S, S->u_c, meet->a), DLS_U(S, S->u_c, meet->b)) +
      meet->drift;
  meet->off = dls_admitted_more(S, J, meet->a, meet->b);
  meet->v_before -= meet->off;
  meet->speculative = false;
  const double closed = dls_closed(S, meet->size);
  if (meet->m->stiffness < DLS_INF || !(meet->gap > closed)) return true;
  const double v_free =
      dls_row_velocity(DLS_NU(d), J, DLS_U(S, S->u_ahead, meet->a), DLS_U(S, S->u_ahead, meet->b)) +
      meet->drift + meet->off;
  const dls_step_halves step = dls_halves_of(S);
  const bool held = meet->before && meet->before->held;
  meet->speculative = dls_law_stands_by(&step, meet->gap, closed, meet->v_before, v_free, held);
  return !meet->speculative || (meet->before && meet->before->listed);
}

/* Whether a contact that weigh_up() let pass is one by the linear forecast alone: open, and none in
** the last step. */
DLS_WITH_NU bool is_foretold(int d, const dls_step *S, const dls_meeting *meet) {
  if (meet->speculative || !(meet->gap > dls_closed(S, meet->size))) return false;
  if (meet->before && meet->before->listed) return false;
  if (meet->m->stiffness >= DLS_INF) return true;
  const double *a = DLS_U(S, S->u_ahead, meet->a), *b = DLS_U(S, S->u_ahead, meet->b);
  const double v_free =
      dls_row_velocity(DLS_NU(d), dls_next_rows(S), a, b) + meet->drift + meet->off;
  return !(meet->before && meet->before->x > 0) && meet->gap + S->theta * S->h * v_free <= 0;
}

/* n numbers no longer than `most` together. */
static inline void shorten(double *p, int n, double most) {
  const double length = sqrt(p[0] * p[0] + (n > 1 ? p[1] * p[1] : 0));
  if (!(length > most)) return;
  for (int i = 0; i < n; i++) p[i] *= most / length;
}

/* Impulses of the last step in the frame of now, within the bounds of now: an island may be solved
** by them as they are. */
DLS_WITH_NU void warm_start(int d, const dls_meeting *meet, const dls_block *block, double *start) {
  const dls_contact *old = meet->before;
  dls_vec3 p = dls_v3_load(old->impulse);
  const dls_vec3 axis[2] = {meet->t1, meet->t2};
  start[0] = dls_max(0, dls_v3_dot(meet->n, p));
  for (int i = 1; i < block->n && i < d; i++) start[i] = dls_v3_dot(axis[i - 1], p);
  if (block->n >= d) shorten(start + 1, d - 1, block->mu[0] * start[0]);
  if (block->kind != DLS_ROW_ROLLING) return;
  if (d == 2) {
    start[2] = old->torque[0];
    shorten(start + 2, 1, block->mu[1] * start[0]);
  } else {
    dls_vec3 turn = dls_v3_load(old->torque);
    start[3] = dls_v3_dot(meet->n, turn);
    for (int i = 0; i < 2; i++) start[4 + i] = dls_v3_dot(axis[i], turn);
    shorten(start + 3, 1, block->mu[1] * start[0]);
    shorten(start + 4, 2, block->mu[2] * start[0]);
  }
}

/* How far a compliant contact is compressed when the step begins. One that the last step did not
** see although its bodies overlap by now (they were placed so, or other features met) is compressed
** as far: its node did not jump there. */
static double compressed_before(const dls_step *S, const dls_contact *contact,
                                const dls_contact *before) {
  if (before && before->listed) return before->x;
  const double overlap = (1 - S->theta) * S->h * contact->before - contact->gap;
  return dls_max(before ? before->x : 0, overlap);
}

/* The normal velocity before the step, from that with the arms of q_c. */
static inline double before_of(const dls_step *S, double v, double shift) {
  return v - (1 - S->theta) / S->theta * shift;
}

/* The shifts of n rows of a contact, from `row` on. */
DLS_WITH_NU void note_shifts(int d, dls_contact_stage *C, const dls_meeting *meet,
                             const dls_carried *of, int row, int n) {
  const dls_vec3 axis[3] = {meet->n, meet->t1, meet->t2};
  DLS_UNROLL
  for (int i = 0; i < d; i++)
    if (i < n) C->shift[row + i] = dls_v3_dot(axis[i], of->shift);
  for (int i = d; i < n; i++)
    C->shift[row + i] = dls_v3_dot(d == 2 ? axis[2] : axis[i - d], of->turn);
}

double dls_shift_in(const dls_step *S, const dls_contact_stage *C, const dls_block *block, int i) {
  const bool of_gap = i == block->row && (block->speculative || S->rows.gamma[i] > 0);
  return (of_gap ? 0.5 : 1) * C->shift[i];
}

/* The rows of rolling, and in space of spinning, behind those of friction. */
DLS_WITH_NU void write_turns(int d, double *J, const dls_meeting *meet) {
  if (d == 2) {
    dls_write_turn(d, J + 4 * DLS_NU(d), meet->n);
    return;
  }
  dls_write_turn(d, J + 6 * DLS_NU(d), meet->n);
  dls_write_turn(d, J + 8 * DLS_NU(d), meet->t1);
  dls_write_turn(d, J + 10 * DLS_NU(d), meet->t2);
}

/* s of the normal row, m/s, and its compliance; the state and the dashpot of a compliant contact.
** J: the normal row. */
DLS_WITH_NU double normal_law(int d, dls_step *S, dls_contact *contact,
                              const dls_meeting *meet, const double *J, double *gamma) {
  const dls_material *m = meet->m;
  const double th = S->theta * S->h;
  *gamma = 0;
  if (m->stiffness < DLS_INF) {
    contact->damping = damping_of(d, S, contact, m, J);
    const double stiff = S->h * m->stiffness + contact->damping;
    contact->x = contact->x_before = compressed_before(S, contact, meet->before);
    *gamma = 1 / (th * stiff);
    return (contact->gap + contact->damping * contact->x / stiff) / th;
  }
  const double *a = DLS_U(S, S->u_ahead, contact->a), *b = DLS_U(S, S->u_ahead, contact->b);
  const double v_free = dls_row_velocity(DLS_NU(d), J, a, b) + meet->drift + meet->off;
  const double back = -m->restitution * contact->before;
  if (meet->speculative) return contact->gap / th;
  return dls_rebound_at(S, m->restitution, contact->gap, contact->before, v_free, back,
                        &contact->mark);
}

/* Kind, size and bounds of a block; the rows of rolling are written. */
DLS_WITH_NU void lay_block(int d, dls_step *S, const dls_contact_stage *C,
                           const dls_contact *contact, const dls_meeting *meet, double *J) {
  dls_rows *rows = &S->rows;
  const dls_material *m = meet->m;
  dls_block *block = &rows->block[rows->n_blocks];
  *block = (dls_block){.kind = DLS_ROW_UNILATERAL,
                       .a = contact->a,
                       .b = contact->b,
                       .row = rows->n_rows,
                       .n = 1,
                       .source = C->n_contacts,
                       .speculative = meet->speculative};
  if (m->rolling > 0 || (d == 3 && m->spinning > 0)) {
    block->kind = DLS_ROW_ROLLING;
    block->n = DLS_NB(d);
    write_turns(d, J, meet);
    block->mu[1] = d == 2 ? m->rolling : m->spinning;
    if (d == 3) block->mu[2] = m->rolling;
  } else if (contact->mu > 0) {
    block->kind = DLS_ROW_CONE;
    block->n = (unsigned char)d;
  }
  block->mu[0] = contact->mu;
}

/* The tangential rows, and the velocities along them before the step as joints admit them, m/s. */
DLS_WITH_NU void lay_tangents(int d, const dls_step *S, const dls_meeting *meet, double *J,
                              double v_t[2]) {
  const double *a = DLS_U(S, S->u_c, meet->a), *b = DLS_U(S, S->u_c, meet->b);
  dls_write_row(d, J + 2 * DLS_NU(d), meet->t1, meet->r_a, meet->r_b);
  if (d == 3) dls_write_row(d, J + 4 * DLS_NU(d), meet->t2, meet->r_a, meet->r_b);
  DLS_UNROLL
  for (int i = 0; i < d - 1; i++) {
    const double *J_t = J + 2 * (i + 1) * DLS_NU(d);
    v_t[i] = dls_row_velocity(DLS_NU(d), J_t, a, b) - dls_admitted_more(S, J_t, meet->a, meet->b);
  }
}

/* Whether a contact held in the last step, and opened since by the curvature of its way alone. */
static bool bends_away(const dls_step *S, const dls_meeting *meet) {
  const double closed = dls_closed(S, meet->size);
  if (meet->first || !meet->before || !meet->before->held || meet->gap < -closed) return false;
  const dls_step_halves step = dls_halves_of(S);
  return dls_law_keeps_closed(&step, meet->gap, meet->v_before, closed);
}

/* Raises s of the normal row of a contact that parts fast to where its impulse gives no energy
** (carried.h); what kinematic bodies touch may have some, and what bends away is held. */
static void bound_push(const dls_step *S, const dls_contact_stage *C, const dls_meeting *meet,
                       int row) {
  const bool asked = C->known || (C->swift && meet->m->restitution > 0 && !meet->by_hand);
  if (!asked || S->rows.gamma[row] > 0) return;
  if (S->w->bodies[meet->a].type == DLS_KINEMATIC || S->w->bodies[meet->b].type == DLS_KINEMATIC)
    return;
  if (bends_away(S, meet)) return;
  const double v = meet->v_before + meet->off;
  if (S->theta * S->h * (v - S->rows.s[row]) > dls_closed(S, meet->size)) S->rows.s[row] = v;
}

/* Rows that move nothing (forest/pinned.h) become rows of zeros without a shift: they ask for no
** impulse, which would be round-off by its square. A compliant contact presses by its overlap as
** ever. */
static void clear_pinned(dls_step *S, dls_contact_stage *C, dls_contact *contact,
                         const dls_block *block) {
  dls_rows *rows = &S->rows;
  const size_t width = 2 * (size_t)S->nu;
  for (int i = block->row; i < block->row + block->n; i++) {
    double *J = rows->J + (size_t)i * width;
    if (!dls_is_pinned(rows, J, block->a, block->b)) continue;
    memset(J, 0, width * sizeof *J);
    rows->p[i] = 0;
    if (rows->gamma[i] > 0) continue;
    rows->s[i] = C->shift[i] = C->tangential[i] = 0;
    if (i > block->row) continue;
    contact->before = 0;
    C->drift[i] = C->bounce[i] = 0;
  }
}

DLS_WITH_NU dls_status make_block(int d, dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                                  dls_contact *contact, const dls_meeting *meet) {
  dls_rows *rows = &S->rows;
  const int row = rows->n_rows;
  double *J = dls_next_rows(S), gamma, v_t[2] = {0, 0};
  const dls_material *m = meet->m;
  const dls_carried late = dls_carried_by(S, C, meet);
  contact->before = before_of(S, meet->v_before, dls_v3_dot(meet->n, late.shift));
  const double shift = normal_law(d, S, contact, meet, J, &gamma);
  if (rows->n_blocks >= S->room_contacts) return DLS_FULL;

  lay_tangents(d, S, meet, J, v_t);
  double speed = sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1]);
  if (meet->before && meet->before->state == DLS_STICK) speed = 0;
  if (m->law > 0 || m->kinetic != m->friction) {
    C->varies = true;
    if (!(speed > 0)) contact->mark |= DLS_MARK_HELD;
  }
  const dls_status status = dls_friction_at(S->w, m, speed, &contact->mu);
  if (status != DLS_OK) return status;

  lay_block(d, S, C, contact, meet, J);
  const dls_block *block = &rows->block[rows->n_blocks];
  C->height[rows->n_blocks] = dls_height_of(S, contact->point);
  dls_disks_pass(disks, rows->n_blocks);
  const dls_body *owner = &S->w->bodies[contact->b];
  if (!dls_moves_freely(owner)) owner = &S->w->bodies[contact->a];
  for (int i = 0; i < block->n; i++) {
    rows->gamma[row + i] = 0;
    rows->s[row + i] = 0;
    rows->p[row + i] = 0;
    rows->length[row + i] = i < d ? 1 : owner->gyration;
  }
  rows->gamma[row] = gamma;
  note_shifts(d, C, meet, &late, row, block->n);
  rows->s[row] = shift + meet->drift;
  C->drift[row] = meet->drift;
  C->bounce[row] = m->restitution;
  C->tangential[row] = m->tangential_restitution;
  const bool onset = !meet->before || !meet->before->listed;
  if (onset && contact->before < 0 && block->n >= d)
    for (int i = 1; i < d; i++) rows->s[row + i] = m->tangential_restitution * v_t[i - 1];
  for (int i = row; i < row + block->n; i++)
    rows->s[i] += dls_shift_in(S, C, block, i) +
                  dls_admitted_more(S, rows->J + (size_t)i * 2 * DLS_NU(d), block->a, block->b);
  bound_push(S, C, meet, row);
  if (meet->before) warm_start(d, meet, block, rows->p + row);
  if (rows->tree) clear_pinned(S, C, contact, block);
  rows->n_blocks++;
  rows->n_rows += block->n;
  return DLS_OK;
}

dls_status dls_make_block(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                          dls_contact *contact, const dls_meeting *meet) {
  return S->dim == 2 ? make_block(2, S, C, disks, contact, meet)
                     : make_block(3, S, C, disks, contact, meet);
}

dls_status dls_want_contacts(dls_step *S) {
  S->w->need_contacts = S->room_contacts < 32 ? 64 : 2 * S->room_contacts;
  return DLS_FULL;
}

/* The next free contact, cleared; NULL where there is none. */
static dls_contact *new_contact(dls_step *S, const dls_contact_stage *C, int a, int b,
                                uint64_t key) {
  dls_world *w = S->w;
  if (C->n_contacts >= S->room_contacts) {
    (void)dls_want_contacts(S);
    return NULL;
  }
  dls_contact *contact = &w->contacts_next[C->n_contacts];
  memset(contact, 0, sizeof *contact);
  contact->a = a;
  contact->b = b;
  contact->key = key;
  contact->user = -1;
  return contact;
}

dls_contact *dls_list_contact(dls_step *S, const dls_contact_stage *C, const dls_meeting *meet,
                              uint64_t key) {
  dls_contact *contact = new_contact(S, C, meet->a, meet->b, key);
  if (!contact) return NULL;
  contact->gap = meet->gap;
  contact->size = meet->size;
  contact->listed = 1;
  dls_v3_store(contact->normal, meet->n);
  if (meet->before && meet->before->listed)
    contact->age = meet->before->age + (meet->before->age < DLS_OLDEST);
  return contact;
}

DLS_WITH_NU dls_status add_touch(int d, dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                                 dls_disk_stage *disks, int a, int b, const dls_touch *touch,
                                 const dls_material *m, bool sensor, int *at) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  dls_points_of(w, a, b, touch, &on_a, &on_b);
  const bool as_one = dls_turns_as_one(S, C, a, b);
  if (as_one) {
    if (dls_moves_freely(&w->bodies[a])) on_b = on_a;
    else on_a = on_b;
  }
  dls_meeting meet = {.a = a, .b = b, .n = touch->normal, .gap = touch->gap, .m = m};
  meet.r_a = dls_arm_to(d, DLS_Q(S, S->q_c, a), on_a);
  meet.r_b = dls_arm_to(d, DLS_Q(S, S->q_c, b), on_b);
  meet.before = dls_remembered(w, at, a, b, touch->key);
  meet.size = dls_min(dls_span_of(&w->bodies[a]), dls_span_of(&w->bodies[b]));
  if (!sensor) {
    dls_write_row(d, dls_next_rows(S), meet.n, meet.r_a, meet.r_b);
    const bool acts = weigh_up(d, S, &meet);
    bool grazes = false, comes = true;
    dls_status status = DLS_OK;
    if (dls_may_graze(S, C, &meet))
      status = dls_add_graze(S, N, C, disks, &meet, touch->part, touch->key, &grazes);
    if (grazes) C->open = -DLS_INF;
    if (!acts || meet.speculative) C->open = dls_min(C->open, touch->gap);
    if (status != DLS_OK || grazes || !acts) return status;
    status = is_foretold(d, S, &meet) ? dls_ways_confirm(&N->ways, a, b, touch, &comes) : DLS_OK;
    if (!comes) C->open = dls_min(C->open, touch->gap);
    if (status != DLS_OK || !comes) return status;
  } else if (touch->gap > 0) {
    return DLS_OK;
  }
  dls_contact *contact = dls_list_contact(S, C, &meet, touch->key);
  if (!contact) return DLS_FULL;
  dls_v3_store(contact->point, dls_moves_freely(&w->bodies[b]) ? on_b : on_a);
  if (as_one) contact->mark |= DLS_MARK_AS_ONE;
  if (!sensor) {
    dls_tangents(d, meet.n, &meet.t1, &meet.t2);
    const dls_status status = dls_make_block(S, C, disks, contact, &meet);
    if (status != DLS_OK) return status;
  } else {
    contact->mark |= DLS_MARK_SENSED;
  }
  C->n_contacts++;
  return DLS_OK;
}

/* --- for either dimension ---------------------------------------------------------------- */

bool dls_weigh_up(const dls_step *S, dls_meeting *meet) {
  return S->dim == 2 ? weigh_up(2, S, meet) : weigh_up(3, S, meet);
}

dls_status dls_add_touch(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, int a, int b, const dls_touch *touch,
                         const dls_material *m, bool sensor, int *at) {
  return S->dim == 2 ? add_touch(2, S, N, C, disks, a, b, touch, m, sensor, at)
                     : add_touch(3, S, N, C, disks, a, b, touch, m, sensor, at);
}
