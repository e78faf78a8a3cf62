/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_CONTACT_ROW_H
#define DLS_SCHEME_CONTACT_ROW_H

#include "core/scheme/remembered.h"
#include "core/model/row_frame.h"
#include "core/scheme/step.h"

/* A meeting of two bodies becomes a contact with a block of rows: shift, compliance, friction, warm start. */

/* What a contact needs to become a block. */
typedef struct dls_meeting {
  int a, b;                  /* bodies                             */
  dls_vec3 n, t1, t2;        /* frame                              */
  dls_vec3 r_a, r_b;         /* arms of the impulse                */
  double gap, size;          /* m; the scale of the gap            */
  const dls_material *m;     /* laws                               */
  const dls_contact *before; /* the same contact in the last step, NULL */
  double v_before;           /* normal velocity before the step (dls_weigh_up), m/s */
  bool asleep;               /* stands by (dls_weigh_up)               */
  bool by_hand;              /* not found by shapes                */
  bool first;                /* arms and n are those of a first touch (ways.h) */
  double drift, later;       /* of the gap with time alone, at q_c and at the end, m/s */
} dls_meeting;

/* The s of a row v' + s >= 0 that holds a rebound of speed `back` > 0. Where the gap is open at the start
** of the step and closes within it, at its share f, what forces press until then is lost but for e of it:
** held at -e v it would come back with every rebound, (1 - e) g h/2 on average, and a bouncing body would
** be late by as much. So v' = back + (1 - e) f d there, with d = v_free - v < 0: right in the mean over f.
** A rebound that this leaves nothing of dies within its step. Closed from the start: v' = back to the bit. */
static inline double dls_rebound_at(const dls_step *S, double e, double gap, double before, double v_free,
                                double back, int *mark) {
  /* All of it, and then what holds: a pile strikes as it likes. */
  const double start = gap - (1 - S->theta) * S->h * before, end = gap + S->theta * S->h * v_free;
  const double pressed = before - v_free, left = back - (1 - e) * pressed * start / (start - end);
  const bool strikes = back > 0, closes = (start > 0) & (end < 0) & (pressed > 0), lasts = left > 0;
  *mark |= (strikes & closes & !lasts) ? DLS_MARK_DIED : 0;
  return dls_choose(strikes & (!closes | lasts), -dls_choose(closes, left, back), 0);
}

/* Whether a contact that held in the last step, so that it was closed at its end, does so still: its gap at q_c is what
** the curvature k of the bodies' way opened since then, gap = 3/8 h^2 k and v_before = h k for theta = 1/2 (from v = 0
** at the last q_c). Forces that press with the acceleration a against this curvature make v_free = -h a, and the
** forecast gap + theta h v_free calls the contact open up to a = 3/4 k: it would press in every other step only. Its row is
** there, and its law tells whether it presses. */
static inline bool dls_keeps_closed(const dls_step *S, double gap, double v_before, double closed) {
  return gap - (1 - S->theta) * S->h * v_before <= closed;
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

/* Whether a contact is to act or to stand by in this step, from its normal row, which is written in its place already:
** sets v_before and asleep. Most touches within reach end here. */
bool dls_weigh_up(const dls_step *S, dls_meeting *meet);

/* A new contact that is listed, with what the meeting knows of it; NULL: there is no room. */
dls_contact *dls_list_contact(dls_step *S, const dls_meeting *meet, uint64_t key);

/* The block of a contact that dls_weigh_up() let pass. The numbers of its laws are set here; contact->before, x, mu
** with them. */
dls_status dls_make_block(dls_step *S, dls_contact *contact, const dls_meeting *meet);

/* A touch as a contact: a block where it is to act or to stand by. *at: see dls_remembered(). */
dls_status dls_add_touch(dls_step *S, int a, int b, const dls_touch *touch, const dls_material *m, bool sensor,
                         int *at);

/* There is no room for another contact: the step is repeated with more. Answers DLS_FULL. */
dls_status dls_want_contacts(dls_step *S);

/* What of the shift of row i is in its s: a row of a gap, which changes by the mean of the velocities, holds half. */
double dls_shift_in(const dls_step *S, const dls_block *block, int i);

#endif
