/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_LEDGER_H
#define DLS_SCHEME_LEDGER_H

#include "core/step/step.h"

/* The ledger of a step (EQUATIONS G.1.8; DLS_LEDGER_LIST): energies against the work of what acts,
** by what takes it. */

/* The ledger of this step; its error is what does not add up. */
dls_ledger dls_ledger_of(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                         dls_joint_stage *joints, dls_account_stage *A);

/* It is added to the world's, and told. */
void dls_keep_ledger(dls_step *S, const dls_contact_stage *C, const dls_disk_stage *disks,
                     const dls_ledger *l, dls_account_stage *A);

/* After the step is complete: prescribed motions inside trees, and kinematic bodies that carry
** them, work by the reactions of the step, which are known then. */
void dls_charge_drives(dls_step *S, dls_account_stage *A);

/* Worst of many steps, and how their energy adds up. */
void dls_keep_worst(dls_step *S, const dls_account_stage *A);

#endif
