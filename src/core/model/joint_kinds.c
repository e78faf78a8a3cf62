/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/model/joint_kinds.h"

#include "core/model/joint.h"

static dls_motion elementary(dls_motion_kind kind, dls_vec3 axis) {
  dls_motion m = {.kind = kind, .drive = -1};
  dls_v3_store(m.axis, axis);
  return m;
}

/* The unit part of `second` perpendicular to e; any such direction where it has none and is not
** meant. */
static bool perpendicular(dls_vec3 e, dls_vec3 second, bool given, dls_vec3 *out) {
  const dls_vec3 rest = dls_v3_axpy(second, -dls_v3_dot(second, e), e);
  const bool there = dls_v3_norm(rest) > 1e-9;
  *out = dls_v3_unit(there ? rest : dls_v3_orthogonal(e));
  return there || !given;
}

#define ROTATE(way) {DLS_MOTION_ROTATE, DLS_ALONG_##way}
#define SLIDE(way) {DLS_MOTION_SLIDE, DLS_ALONG_##way}
#define SPACE DLS_NOT_IN_PLANE
#define BOTH DLS_IN_PLANE
/* Kinds that are left out: not in the plane, no axes, no motions of their own. */
const dls_joint_make dls_joint_makes[DLS_N_KINDS] = {
    [DLS_KIND_SPHERICAL] = {SPACE, DLS_USED, DLS_NOT_USED, 0, {{0}}}, /* axis: of limits */
    [DLS_KIND_REVOLUTE] = {DLS_ABOUT_Z, DLS_NEEDED, DLS_USED, 1, {ROTATE(AXIS)}},
    [DLS_KIND_PRISMATIC] = {BOTH, DLS_NEEDED, DLS_USED, 1, {SLIDE(AXIS)}},
    [DLS_KIND_CYLINDRICAL] = {SPACE, DLS_NEEDED, DLS_USED, 2, {ROTATE(AXIS), SLIDE(AXIS)}},
    [DLS_KIND_UNIVERSAL] = {SPACE, DLS_NEEDED, DLS_NEEDED, 2, {ROTATE(AXIS), ROTATE(SECOND)}},
    [DLS_KIND_PLANAR] = {SPACE, DLS_USED, DLS_USED, 3, {SLIDE(ACROSS), SLIDE(THIRD), ROTATE(AXIS)}},
    [DLS_KIND_FIXED] = {BOTH, DLS_NOT_USED, DLS_NOT_USED, 0, {{0}}},
    [DLS_KIND_CHAIN] = {BOTH, DLS_NOT_USED, DLS_NOT_USED, 0, {{0}}},
};

int dls_joint_make_motions(dls_joint *joint, dls_vec3 e, dls_vec3 second, bool given,
                           dls_motion *out) {
  const dls_joint_make *kind = &dls_joint_makes[joint->kind];
  dls_vec3 y = second;
  bool told = kind->second == DLS_NOT_USED; /* the second direction, by a motion */
  joint->axis = e;
  if (kind->second != DLS_NOT_USED && !perpendicular(e, second, given, &y)) return -1;
  const dls_vec3 ways[] = {e, second, y, dls_v3_cross(e, y)};
  for (int k = 0; k < kind->n_motions; k++) {
    out[k] = elementary(kind->motion[k].kind, ways[kind->motion[k].way]);
    told = told || kind->motion[k].way != DLS_ALONG_AXIS;
  }
  if (!told) joint->second = y;
  return kind->n_motions;
}

/* Beyond it the squares of a screw's numbers, with masses and lengths, leave the range of
** numbers. */
static const double LARGEST_SCREW = 1e9;

/* What is wrong with screw k, which those before it must not span; NULL: nothing. */
static const char *fault_of_screw(int k, const dls_motion *screws) {
  double A[36], dual[36];
  for (int i = 0; i <= k; i++) {
    double size = 0;
    memcpy(A + 6 * i, screws[i].axis, 3 * sizeof *A);
    memcpy(A + 6 * i + 3, screws[i].linear, 3 * sizeof *A);
    for (int m = 0; m < 6; m++) size = dls_max(size, fabs(A[6 * i + m]));
    if (size == 0) return "is zero";
    if (!(size <= LARGEST_SCREW && size >= 1 / LARGEST_SCREW))
      return "must have a largest number from 1e-9 to 1e9";
    for (int m = 0; m < 6; m++) A[6 * i + m] /= size;
  }
  return dls_columns_dual(A, k + 1, dual) ? NULL : "depends on those before it";
}

int dls_joint_make_screws(const double *S, int n, dls_motion *out, const char **why) {
  for (int k = 0; k < n; k++) {
    out[k] = (dls_motion){.kind = DLS_MOTION_SCREW, .drive = -1};
    for (int i = 0; i < 3; i++) {
      out[k].axis[i] = S[i * n + k];
      out[k].linear[i] = S[(3 + i) * n + k];
    }
    *why = fault_of_screw(k, out);
    if (*why) return k;
  }
  return -1;
}

/* Free motions of a chain that are independent where all motions stand at numbers of no pattern,
** turn times as large. */
static int count_independent(const dls_joint *chain, double turn) {
  double q[DLS_MAX_MOTIONS], s[DLS_MAX_MOTIONS], A[6 * DLS_MAX_MOTIONS], dual[36];
  for (int k = 0; k < chain->n_motions; k++)
    q[k] = s[k] = turn * (0.618 + 0.7549 * k - 0.1873 * k * k + 0.02347 * k * k * k);
  (void)dls_joint_pose(chain, q, s, A);
  int n = 0;
  while (n < chain->nu && dls_columns_dual(A, n + 1, dual)) n++;
  return n;
}

int dls_joint_chain_fault(int n, dls_motion *motions) {
  dls_joint chain = {.kind = DLS_KIND_CHAIN, .n_motions = n, .motions = motions};
  for (int k = 0; k < n; k++) chain.n_driven += motions[k].drive >= 0;
  dls_joint_count(&chain);
  const int one = count_independent(&chain, 0.37), other = count_independent(&chain, -0.61);
  int left = one > other ? one : other;
  if (left == chain.nu) return -1;
  for (int k = 0; k < n; k++)
    if (motions[k].drive < 0 && left-- == 0) return k;
  return -1;
}

void dls_joint_count(dls_joint *joint) {
  joint->nq = joint->nu = joint->n_motions - joint->n_driven;
  if (joint->kind == DLS_KIND_SPHERICAL) joint->nq = 4, joint->nu = 3;
  if (joint->kind == DLS_KIND_FREE) joint->nq = 7, joint->nu = 6;
}
