/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_GAIN_H
#define DLS_SCHEME_IMPACT_GAIN_H

#include "core/disks/disks.h"
#include "core/model/impact_law.h"
#include "core/step/step.h"

/* Whether a block is a rigid contact that approached and has restitution; disk contacts
** (disks/disks.h) are not asked. */
bool dls_block_rebounds(const dls_step *S, const dls_contact_stage *C, const dls_block *block);

/* Energy that the impacts of a step added, J, after its solve: over what impulses join, where
** something rebounds, the sum of p . (v before + v after)/2 of what strikes, which is what impulses
** change energy by, whatever they are, where it is positive by more than `share` of what they
** turned over (dls_impact_told). Restitution can add energy:
**
**   - against friction (Kane & Levinson, Dynamics: Theory and Applications, 1985): a rebound throws a point against its
**     friction, which then works;
**   - by Newton's law without friction, where a contact that opened before is struck shut (EQUATIONS E.3: it keeps e = 0):
**     p . (v + v after)/2 is -(1 - e) p_n |v_n|/2 where it approached, p_n v_n/2 > 0 where it opened;
**   - by Poisson's law with friction and several contacts: what one gives in its expansion throws others.
**
** Without restitution none is added: p . v after <= 0, and p . (v before + v after)/2 = p . v after
** - p . W p/2. */
double dls_impact_gain(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                       const dls_account_stage *A, double share);

/* Behind impacts that come before the forces and the solve, their impulses still apart: whether
** something gained more than forces can have given it (model/rebounds.h); whether what a block,
** which acts, belongs to did. */
bool dls_impact_gains(const dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                      const dls_account_stage *A, double share);
bool dls_impact_gains_at(const dls_step *S, const dls_account_stage *A, const dls_block *block,
                         double share);

#endif
