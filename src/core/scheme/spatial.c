/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/base/sort.h"
#include "core/collide/gaps.h"
#include "core/collide/rods.h"
#include "core/collide/seam.h"
#include "core/forest/joint.h"
#include "core/forest/soft.h"
#include "core/cone/cone.h"
#include "core/math/dense.h"
#include "core/math/elementary.h"
#include "core/math/quat.h"
#include "core/model/body.h"
#include "core/scheme/carried.h"
#include "core/joints/penalties.h"
#include "core/joints/reactions.h"
#include "core/scheme/records.h"
#include "core/scheme/time_stepping.h"
#include "core/joints/trees.h"
#include "core/scheme/ways.h"

#define DLS_D 3
#include "core/base/dim.h"
#include "core/joints/pasted.h"
#include "core/scheme/pasted.h"

#include "core/rows/impulses.h"
#include "core/rows/ladder.h"
#include "core/rows/short_names.h"

#include "core/scheme/impacts.inl"

#include "core/scheme/poisson.inl"

#include "core/scheme/finish.inl"

#include "core/scheme/time_stepping.inl"

dls_status dls_step_spatial(dls_world *world) { return step_world(world); }
size_t dls_step_bytes_spatial(const dls_world *world, int contacts) {
  return step_bytes(world, contacts);
}
