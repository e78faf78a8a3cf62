/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_STAGES_H
#define DLS_SCHEME_STAGES_H

#include "core/scheme/position.h"

/* All records of one step: what its stages share, and one a stage. */
typedef struct dls_stages {
  dls_step step; /* what all stages share */
  dls_near_stage near; /* broad phase */
  dls_contact_stage contacts; /* contacts and their rows */
  dls_disk_stage disks;   /* plane                  */
  dls_joint_stage joints; /* and springs, and trees */
  dls_position_stage positions; /* projection */
  dls_account_stage account; /* ledger, statistics */
} dls_stages;

#endif
