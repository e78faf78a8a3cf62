/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/collide/pairs3.h"
void dls_pair3_plane(const dls_shape *a, const dls_pose3 *pose_a, const dls_shape *b, const dls_pose3 *pose_b, dls_sink *sink) { (void)a;(void)b;(void)pose_a;(void)pose_b;(void)sink; }
