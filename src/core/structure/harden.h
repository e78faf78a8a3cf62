/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_HARDEN_H
#define DLS_STRUCTURE_HARDEN_H

#include "core/structure/law.h"

/* A state where links repeat others (condense.h), without their compliance epsilon. That makes R
** a million times as stiff as the structure, so that forces M z + q of open links, R times their
** gaps, have round-off above small loads. Here the links' forces x and dislocations zeta follow
** from the flexibility W instead, with what the basis of z says of each contact (open or closed,
** stick or slip):
**
**     W (x + rho (zeta - s)) + g = zeta - s,
**
** one of x_i and zeta_i given in each row. Closed links that repeat closed ones leave it singular:
** the first answer has epsilon in these rows, steps of refinement are without. Links that their
** gaps press against one another have no answer.
**
** z and w (law->n each) become those of the hard links; *hard says whether they did: then
** K_rho u = f + B' (x + rho (zeta - s)). Else both are as before. *residual: the worst negative
** force, or opening or slip times rho, N. part: factors of the constant and the growing load: 1, p;
** of a rate 0, 1, where slopes z have any sign. slip0: m, or NULL. DLS_NOMEM, DLS_STOPPED. */
dls_status dls_law_harden(const dls_condensed *c, const dls_law *law, const double *slip0,
                          const double part[2], dls_stop *stop, double *z, double *w, bool *hard,
                          double *residual);

#endif
