/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/forest/kinematics.h"
#include "core/math/elementary.h"

/* Where the quaternion of a node starts in q and its angular velocity in u; false: none. */
static bool has_quaternion(const dls_node *node, int *iq, int *iu) {
  const int skip = node->kind == DLS_NODE_FREE ? 3 : 0;
  *iq = node->iq + skip;
  *iu = node->iu + skip;
  return node->kind == DLS_NODE_BALL || node->kind == DLS_NODE_FREE;
}

/* exp(t/2) of a rotation vector t: (cos |t|/2, t sin(|t|/2)/|t|). */
static dls_quat exponential(dls_vec3 t) {
  const double angle = dls_v3_norm(t);
  double s, c;
  dls_sincos(0.5 * angle, &s, &c);
  /* below 1e-8 the next term of sin(x)/x is under half a rounding */
  const double ratio = angle > 1e-8 ? s / angle : 0.5;
  return (dls_quat){c, ratio * t.x, ratio * t.y, ratio * t.z};
}

/* The rotation vector of a unit quaternion, the shorter way round. */
static dls_vec3 logarithm(dls_quat q) {
  const dls_vec3 v = q.w < 0 ? dls_v3(-q.x, -q.y, -q.z) : dls_v3(q.x, q.y, q.z);
  const double s = dls_v3_norm(v);
  if (s == 0) return v;
  return dls_v3_scale(2 * dls_atan2(s, fabs(q.w)) / s, v);
}

void dls_forest_advance(const dls_forest *forest, double *q, double h, const double *u) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    if (!has_quaternion(node, &iq, &iu)) {
      for (int k = 0; k < node->nu; k++) q[node->iq + k] += h * u[node->iu + k];
      continue;
    }
    for (int k = node->iq; k < iq; k++) q[k] += h * u[node->iu + k - node->iq];
    const dls_quat step = exponential(dls_v3_scale(h, dls_v3_load(u + iu)));
    dls_q_store(q + iq, dls_q_unit(dls_q_mul(dls_q_load(q + iq), step)));
  }
}

void dls_forest_difference(const dls_forest *forest, const double *q0, const double *q1,
                           double *d) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    const int n_plain = has_quaternion(node, &iq, &iu) ? iq - node->iq : node->nu;
    for (int k = 0; k < n_plain; k++) d[node->iu + k] = q1[node->iq + k] - q0[node->iq + k];
    if (n_plain == node->nu) continue;
    const dls_quat turn = dls_q_mul(dls_q_conj(dls_q_load(q0 + iq)), dls_q_load(q1 + iq));
    dls_v3_store(d + iu, logarithm(turn));
  }
}

void dls_forest_normalise(const dls_forest *forest, double *q) {
  for (int i = 0; i < forest->n_nodes; i++) {
    int iq, iu;
    if (has_quaternion(&forest->nodes[i], &iq, &iu))
      dls_q_store(q + iq, dls_q_unit(dls_q_load(q + iq)));
  }
}
