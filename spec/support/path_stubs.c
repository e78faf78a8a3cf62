/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include <stdlib.h>

/* What rows name and these hosts never call: solvers of assembled problems, trees. */
#define NEVER(name) \
  void name(void); \
  void name(void) { abort(); }
NEVER(dls_cone_auto)
NEVER(dls_cone_auto_bytes)
NEVER(dls_cone_measure)
NEVER(dls_cone_method_find)
NEVER(dls_cone_opts_default)
NEVER(dls_forest_delassus)
NEVER(dls_forest_is_pinned)
NEVER(dls_forest_delassus_bytes)
NEVER(dls_forest_respond)
NEVER(dls_forest_respond_up)
NEVER(dls_forest_respond_down)
NEVER(dls_forest_velocities)
NEVER(dls_forest_walks)
