/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_JUDGEMENT_H
#define DLS_SCHEME_JUDGEMENT_H

#include "core/step/step.h"

/* How well the recorded contacts explain the change of momentum (stats.momentum_error), and whether
** they keep their cones (stats.cone_violation). */

/* Before contacts are recorded: what of the change of momentum they are to explain. */
void dls_open_judgement(dls_step *S, const dls_joint_stage *joints, dls_account_stage *A);

/* After: statistics. */
void dls_judge(dls_step *S, const dls_joint_stage *joints, dls_account_stage *A);

#endif
