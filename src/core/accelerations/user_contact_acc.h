/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_USER_CONTACT_ACC_H
#define DLS_ACCELERATIONS_USER_CONTACT_ACC_H

#include "core/joints/acc_row.h"
#include "core/step/step.h"

/* Rows on accelerations of hand-made contact i, if it acts (contact_row_acc.h): behind the *n that
** are there. DLS_STOPPED by a gap function or a law of friction. */
dls_status dls_user_contact_acc(dls_step *S, int i, dls_acc_row *out, int *n);

#endif
