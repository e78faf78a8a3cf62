/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_GEAR_H
#define DLS_JOINTS_GEAR_H

#include "core/base/dim.h"
#include "core/joints/joint_frame.h"

/* A gear at given coordinates: q_2 - ratio q_1 = rest, a row on the bodies of two joints. */
typedef struct dls_gear_frame {
  dls_joint_frame f[2];    /* of the first joint, of the second                         */
  double gap;              /* q_2 - ratio q_1 - rest                                    */
  double J[4 * DLS_NU(3)]; /* 4 nu: of the second joint's bodies, of the first's        */
} dls_gear_frame;

/* False where a joint stands in a pose in which its coordinate is not known. */
bool dls_gear_frame_at(const dls_world *w, const dls_gear *gear, const double *q, dls_gear_frame *out);

#endif
