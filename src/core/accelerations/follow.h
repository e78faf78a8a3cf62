/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ACCELERATIONS_FOLLOW_H
#define DLS_ACCELERATIONS_FOLLOW_H

#include "core/joints/acc_row.h"

/* One solution of rows on accelerations (laws.h) of any number, v = W x + b: the cone problem
** (cone/cone.h) with the sliding friction of the normal forces before, again until it is theirs.
** Where nothing slides behind a force that is sought that is one cone problem, which has a
** solution; else it may not arrive: *solved is false, which proves nothing. The bounds of rows that
** slide become their forces. Room: search and method. DLS_NOMEM, DLS_FULL. */
dls_status dls_acc_by_following(dls_acc_room *room, int dim, int n_rows, dls_acc_row *row,
                                const int *joint, const double *W_given, const double *b_given,
                                double *x, bool *solved);

#endif
