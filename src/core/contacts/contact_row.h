/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_CONTACT_ROW_H
#define DLS_CONTACTS_CONTACT_ROW_H

#include "core/model/contact_law.h"
#include "core/model/remembered.h"
#include "core/step/step.h"

/* A meeting of two bodies becomes a contact with a block of rows: shift, compliance, friction, warm
** start. */

/* What a contact needs to become a block. */
typedef struct dls_meeting {
  int a, b;                  /* bodies                             */
  dls_vec3 n, t1, t2;        /* frame                              */
  dls_vec3 r_a, r_b;         /* arms of the impulse                */
  double gap, size;          /* m; the scale of the gap            */
  const dls_material *m;     /* laws                               */
  const dls_contact *before; /* the same contact in the last step, NULL */
  double v_before;           /* normal velocity before the step (dls_weigh_up), m/s */
  double off;                /* dls_admitted_more() of the normal row (dls_weigh_up), m/s */
  bool speculative;               /* stands by (dls_weigh_up)               */
  bool by_hand;              /* not found by shapes                */
  bool first;                /* arms and n are those of a first touch (ways.h) */
  double drift;              /* of the gap with time alone, at q_c, m/s     */
  bool curved;               /* by hand, and no plane                  */
  double rate_gain;          /* by hand: what its rate changes by until the end of the step, m/s */
} dls_meeting;

/* A gap up to this is closed. At a loose tolerance contacts that bear open by what the solver
** leaves of velocities; told open they would give up their loads, and the corners of one face bear
** in turns for ever. Disks, which have one point to bear by, go by DLS_CLOSED. */
static inline double dls_closed(const dls_step *S, double size) {
  return dls_max(DLS_CLOSED * size, dls_min(S->unsure, DLS_UNSURE_MOST * size));
}

static inline dls_step_halves dls_halves_of(const dls_step *S) {
  return (dls_step_halves){(1 - S->theta) * S->h, S->theta * S->h};
}

/* See dls_law_rebound. *mark: DLS_MARK_DIED is added. */
static inline double dls_rebound_at(const dls_step *S, double e, double gap, double before,
                                    double v_free, double back, int *mark) {
  const dls_step_halves step = dls_halves_of(S);
  bool dies;
  const double s = dls_law_rebound(&step, e, gap, before, v_free, back, &dies);
  *mark |= dies ? DLS_MARK_DIED : 0;
  return s;
}

/* Where the rows that are made next begin. */
static inline double *dls_next_rows(const dls_step *S) {
  return S->rows.J + (size_t)S->rows.n_rows * 2 * (size_t)S->nu;
}

/* Height of a point above the ground, times g. */
static inline double dls_height_of(const dls_step *S, const double *x) {
  const double *g = S->w->gravity;
  return -(g[0] * x[0] + g[1] * x[1] + (S->dim == 3 ? g[2] * x[2] : 0));
}

/* Whether a contact is to act or to stand by in this step, from its normal row, which is written in
** its place already: sets v_before and speculative. Most touches within reach end here. */
bool dls_weigh_up(const dls_step *S, dls_meeting *meet);

/* A new contact that is listed, with what the meeting knows of it; NULL: there is no room. */
dls_contact *dls_list_contact(dls_step *S, const dls_contact_stage *C, const dls_meeting *meet,
                              uint64_t key);

/* The block of a contact that dls_weigh_up() let pass. The numbers of its laws are set here;
** contact->before, x, mu with them. */
dls_status dls_make_block(dls_step *S, dls_contact_stage *C, dls_disk_stage *disks,
                          dls_contact *contact, const dls_meeting *meet);

/* A touch as a contact: a block where it is to act or to stand by. *at: see dls_remembered(). */
dls_status dls_add_touch(dls_step *S, dls_near_stage *N, dls_contact_stage *C,
                         dls_disk_stage *disks, int a, int b, const dls_touch *touch,
                         const dls_material *m, bool sensor, int *at);

/* There is no room for another contact: the step is repeated with more. Answers DLS_FULL. */
dls_status dls_want_contacts(dls_step *S);

/* What row i of a block reads beyond J u'. */
static inline double dls_reads_more(const dls_step *S, const dls_contact_stage *C,
                                    const dls_block *block, int i) {
  return C->shift[i] +
         dls_admitted_more(S, S->rows.J + (size_t)i * 2 * (size_t)S->nu, block->a, block->b);
}

/* What of the shift of row i is in its s: a row of a gap, which changes by the mean of the
** velocities, holds half. */
double dls_shift_in(const dls_step *S, const dls_contact_stage *C, const dls_block *block, int i);

#endif
