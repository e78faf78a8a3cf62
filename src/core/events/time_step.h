/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_TIME_STEP_H
#define DLS_EVENTS_TIME_STEP_H

#include "core/events/event_driven.h"

/* One time step of a system by the scheme of worlds (EQUATIONS G.1), theta = 1/2 or 1:
**
**     q_c = q + (1 - theta) h u,  M, h, J, gaps at q_c;  u_f = u + h M^-1 h(q_c, (u + u')/2)
**     impacts by Poisson's law or in sequence, on u (dls_impact_solve)
**     v' = W p + J u_f + drift at the end,  cone law with the shifts of model/contact_law.h;  q' = q_c + theta h u'
**
** then what held across a gap is closed, and gaps that are negative at q' are opened, by the
** smallest change of q in the metric of M. Which contacts have rows, restitution, friction of rest
** and of slides, states: model/contact_law.h. The cone problem is core/cone's `auto` to 1e-11.
** lambda = p / h. Whole or not at all. DLS_STATE: the cone problem missed its tolerance by more
** than 1e-6; DLS_SINGULAR: an impact that no impulses solve; DLS_RANGE: an end that is not
** finite. */
dls_status dls_event_time_step(dls_event_scheme *e, double h, double theta);

#endif
