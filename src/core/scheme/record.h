/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_RECORD_H
#define DLS_SCHEME_RECORD_H

#include "core/model/row_frame.h"
#include "core/scheme/step.h"

/* What a contact's rows did, told to its record: impulse, velocity, state. */

/* What friction does at a normal impulse, a tangential one and a speed of sliding: what slides faster than the solve
** allows one that sticks does not stick, whatever its friction is; at the bound of friction, where it may slide, it
** does so from what the finest solve allows. */
static inline int dls_state_of(const dls_slip_bounds *least, double mu, double p_n, double p_t, double slip) {
  const bool within = p_t < mu * p_n * (1 - 1e-12);
  const bool slides = slip > dls_choose(within, least->within, least->bound);
  return (p_n > 0) * (DLS_STICK + slides); /* else DLS_APART; no branch */
}

/* Whether a contact opens: its way in the rest of the step is more than its gap would hide. */
static inline bool dls_goes_away(double way, double v_n, double gap, double reach) {
  return way * v_n > 1e-3 * dls_max(gap, DLS_CLOSED * reach);
}

/* The record of the contact of a block that is none of disk_contacts.h. */
void dls_record_contact(dls_step *S, const dls_block *block);

#endif
