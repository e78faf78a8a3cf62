/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/joints/gear.h"

#include "core/model/frames.h"

bool dls_gear_frame_at(const dls_world *w, const dls_gear *gear, const double *q, dls_gear_frame *out) {
  const size_t nu = dls_nu_of(w);
  for (int k = 0; k < 2; k++) {
    out->f[k] = dls_joint_frame_at(w, gear->joint[k], q);
    if (!out->f[k].regular) return false;
    dls_joint_frame_row(w, &out->f[k], q, out->f[k].dual, out->J + (k == 0 ? 2 * nu : 0));
  }
  for (size_t i = 2 * nu; i < 4 * nu; i++) out->J[i] *= -gear->ratio;
  out->gap = out->f[1].q[0] - gear->ratio * out->f[0].q[0] - gear->rest;
  return true;
}
