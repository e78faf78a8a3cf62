/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_FRICTION_H
#define DLS_SCHEME_FRICTION_H

#include "core/step/step.h"

/* The solution of the rows, with each contact's friction that of what it does.
**
** Friction that depends on the slip speed is taken at the speed before the step. A contact that
** held is therefore solved with the friction of rest; where it gives way in this step it slides in
** it, and its friction is that of the slide: the step is solved once more. Without this every end
** of a stick is late by a step (NS-12: the period of stick-slip by 0.1 to 0.2 % at 1 ms). Likewise
** without rebounds that nothing gives (step.md), and without those that add energy where they are
** held (A: room for sums). */
dls_status dls_solve_laws(dls_step *S, dls_contact_stage *C, const dls_disk_stage *disks,
                          const dls_account_stage *A, const dls_solve_opts *opts,
                          dls_solve_report *report);

/* noise, slips: speeds that the solve cannot tell from rest (dls_law_slips). */
void dls_know_noise(dls_contact_stage *C, const dls_solve_report *report);

#endif
