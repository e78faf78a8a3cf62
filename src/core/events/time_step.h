/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_TIME_STEP_H
#define DLS_EVENTS_TIME_STEP_H

#include "core/events/event_driven.h"

/* One time step of a system by the scheme of worlds (EQUATIONS G.1), theta = 1/2 or 1:
**
**     q_c = q + (1 - theta) h u,  M, h, J, gaps at q_c;  u_f = u + h M^-1 h
**     v' = W p + J u_f + drift,   cone law with shift s;  q' = q_c + theta h u'
**     rows of contacts with gap <= 0 or gap + theta h v_free <= 0
**     s_N = e_N min(v_N before, 0);  without restitution across an open gap: gap / (theta h), what closes it
**     s_T = e_T v_T before
**
** then gaps that are negative at q' are opened by the smallest change of q in the metric of M. Friction is mu(|v_T|
** before). The cone problem is lcp's `auto` to 1e-10. lambda = p / h; modes from the velocities after.
** Whole or not at all. DLS_STATE: the cone problem missed its tolerance by more than 1e-6. */
dls_status dls_event_time_step(dls_event_scheme *e, double h, double theta);

#endif
