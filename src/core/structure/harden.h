/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_HARDEN_H
#define DLS_STRUCTURE_HARDEN_H

#include "core/structure/law.h"

/* The compliance of links that repeat others (condense.h) taken out of a state again. It makes
** B u = zeta - s - epsilon x; dislocating these links by epsilon x more, with the x of the step
** before and the basis of z kept, converges to B u = zeta - s (the method of multipliers, by a
** factor of about epsilon a step). Where all of such links are closed together with those that
** they repeat it does not change anything, or, pressed against one another by their gaps, does
** not converge.
**
** z and rhs = q + p d (law->n each) become those of the hard links; *hard says whether they did:
** then K_rho u = f + B' (x + rho (zeta - s)). Else z and rhs are as before. part: 1 for states, 0
** for rates. DLS_NOMEM, DLS_STOPPED. */
dls_status dls_law_harden(const dls_condensed *c, const dls_law *law, double part, dls_stop *stop,
                          double *rhs, double *z, bool *hard);

#endif
