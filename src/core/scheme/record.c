/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/record.h"

#include "core/contacts/compliance.h"
#include "core/contacts/contact_row.h"
#include "core/model/remembered.h"
#include "core/rows/mass.h"

/* A contact that pressed, across a gap maybe, and does not open: see close_gaps. Its marks. */
static int note_closing(dls_step *S, const dls_contact_stage *C, dls_position_stage *P, int k,
                        dls_contact *c, double v_n, bool rigid) {
  const dls_block *block = &S->rows.block[k];
  const bool presses = rigid & (c->p_n > 0),
             thrown = (C->bounce[block->row] > 0) & (c->before > C->noise);
  const bool opens = dls_law_opens(S->theta * S->h, v_n, c->gap, DLS_CLOSED * c->size);
  P->closing_near[P->n_closing] = C->near_of[k];
  P->closing[P->n_closing] = block->source;
  P->n_closing += presses & !opens & !(c->mark & DLS_MARK_SWIFT);
  c->held = presses & !opens;
  return (presses & thrown) ? DLS_MARK_FELL : 0;
}

DLS_WITH_NU void record(int d, dls_step *S, dls_contact_stage *C, dls_position_stage *P,
                        const dls_block *block) {
  const dls_rows *rows = &S->rows;
  dls_contact *c = &S->w->contacts_next[block->source];
  const double *p = rows->p + block->row, *v = rows->v + block->row;
  dls_vec3 n = dls_v3_load(c->normal), t[2];
  dls_tangents(d, n, &t[0], &t[1]);
  double v_t[2] = {0, 0};
  const double *u_a = DLS_U(S, rows->u, block->a), *u_b = DLS_U(S, rows->u, block->b);
  const double *J = rows->J + (size_t)block->row * 2 * DLS_NU(d);
  const double v_n = v[0] + C->drift[block->row] + dls_reads_more(S, C, block, block->row);
  dls_vec3 impulse = dls_v3_scale(p[0], n), velocity = dls_v3_scale(v_n, n);
  /* told with the n of q_c */
  if (dls_moves_freely(&S->w->bodies[c->a]) && dls_moves_freely(&S->w->bodies[c->b]))
    velocity = dls_v3_axpy(velocity, -C->shift[block->row], n);
  for (int i = 1; i < d; i++) {
    double own[2 * DLS_NU(d)]; /* a contact without friction has no rows for its tangents */
    const double *J_t = J + (size_t)i * 2 * DLS_NU(d);
    if (i >= block->n) {
      const dls_vec3 at = dls_v3_load(c->point), r_a = dls_arm_to(d, DLS_Q(S, S->q_c, c->a), at);
      dls_write_row(d, own, t[i - 1], r_a, dls_arm_to(d, DLS_Q(S, S->q_c, c->b), at));
      J_t = own;
    }
    v_t[i - 1] = (i < block->n ? v[i] : dls_row_velocity(DLS_NU(d), J_t, u_a, u_b)) +
                 dls_admitted_more(S, J_t, block->a, block->b) +
                 (i < block->n ? C->shift[block->row + i] : 0);
    velocity = dls_v3_axpy(velocity, v_t[i - 1], t[i - 1]);
    if (i < block->n) impulse = dls_v3_axpy(impulse, p[i], t[i - 1]);
  }
  c->p_n = p[0];
  dls_v3_store(c->impulse, impulse);
  dls_v3_store(c->velocity, velocity);
  if (block->kind == DLS_ROW_ROLLING) {
    if (d == 2) c->torque[0] = p[2];
    else
      dls_v3_store(c->torque,
                   dls_v3_axpy(dls_v3_axpy(dls_v3_scale(p[3], n), p[4], t[0]), p[5], t[1]));
  }
  double p_t = 0;
  for (int i = 1; i < d && i < block->n; i++) p_t += p[i] * p[i];
  p_t = sqrt(p_t);
  c->slip = sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1]);
  c->state = dls_state_of(&C->slips, c->mu, p[0], p_t, c->slip);
  if (c->state == DLS_STICK) c->slip = 0;
  const bool rigid = !(rows->gamma[block->row] > 0);
  c->mark |= note_closing(S, C, P, (int)(block - rows->block), c, v_n, rigid);
  if (!rigid) {
    double k, damping;
    dls_stiffness_of(S, c, &k, &damping);
    c->x = (p[0] + damping * c->x) / (S->h * k + damping);
  }
}

void dls_record_contact(dls_step *S, dls_contact_stage *C, dls_position_stage *P,
                        const dls_block *block) {
  if (S->dim == 2) record(2, S, C, P, block);
  else record(3, S, C, P, block);
}

void dls_open_records(dls_step *S, dls_account_stage *A) {
  A->n_starts = A->n_onsets = 0;
  S->w->warm_next.any_pending = false;
}

/* All contacts are recorded: those of blocks that stand for themselves count their onsets, as disk
** contacts have. */
void dls_close_records(dls_step *S, const dls_contact_stage *C, dls_account_stage *A) {
  dls_world *w = S->w;
  if (S->dim == 2)
    dls_warm_starts_until(&w->warm_next, w->contacts_next, &A->n_starts, C->n_contacts);
  w->warm_next.n = C->n_contacts;
  w->warm_next.known = S->dim == 2;
  if (S->dim == 2 && C->n_contacts > 0) w->warm_next.pair[C->n_contacts] = UINT64_MAX;
  if (S->compliant) dls_records_make(w->contacts_next, &w->warm_next);
  int at = dls_count_user_contacts(w);
  for (int e = 0; e < A->n_general; e++) {
    const dls_block *block = &S->rows.block[A->general[e]];
    if (block->source < 0 || block->speculative) continue;
    const dls_contact *c = &w->contacts_next[block->source];
    if (!(c->before < 0) || !dls_contact_acts(c)) continue;
    const dls_contact *was =
        c->user >= 0 ? dls_remembered_user(w, c->user) : dls_remembered(w, &at, c->a, c->b, c->key);
    A->n_onsets += !was || !dls_contact_acts(was);
  }
}
