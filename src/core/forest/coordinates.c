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

/* The quaternion q (+) h u; numbers lie `width` apart. */
static void turn_on(double *q, double h, const double *u, size_t width) {
  const dls_quat before = {q[0], q[width], q[2 * width], q[3 * width]};
  const dls_vec3 rate = {u[0], u[width], u[2 * width]};
  const dls_quat after = dls_q_unit(dls_q_mul(before, exponential(dls_v3_scale(h, rate))));
  q[0] = after.w;
  q[width] = after.x;
  q[2 * width] = after.y;
  q[3 * width] = after.z;
}

void dls_forest_advance_lanes(const dls_forest *forest, double *q, double h, const double *u,
                              int n) {
  const size_t width = (size_t)n;
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    const bool turns = has_quaternion(node, &iq, &iu);
    const size_t plain = (size_t)(turns ? iq - node->iq : node->nu) * width;
    double *x = q + (size_t)node->iq * width;
    const double *rate = u + (size_t)node->iu * width;
    for (size_t k = 0; k < plain; k++) x[k] += h * rate[k];
    if (!turns) continue;
    for (size_t k = 0; k < width; k++)
      turn_on(q + (size_t)iq * width + k, h, u + (size_t)iu * width + k, width);
  }
}
void dls_forest_advance(const dls_forest *forest, double *q, double h, const double *u) {
  dls_forest_advance_lanes(forest, q, h, u, 1);
}

double dls_forest_normalise(const dls_forest *forest, double *q) {
  double worst = 0;
  for (int i = 0; i < forest->n_nodes; i++) {
    int iq, iu;
    if (!has_quaternion(&forest->nodes[i], &iq, &iu)) continue;
    const dls_quat y = dls_q_load(q + iq);
    worst = dls_max(worst, fabs(dls_q_norm(y) - 1));
    dls_q_store(q + iq, dls_q_unit(y));
  }
  return worst;
}

/* 1/2 y o (0, w) */
static dls_quat half_product(dls_quat y, dls_vec3 w) {
  return dls_q_mul(y, (dls_quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
}

void dls_forest_rates(const dls_forest *forest, const double *q, const double *u,
                      const double *udot, double *qdot, double *qddot) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    const bool turns = has_quaternion(node, &iq, &iu);
    const int n_plain = turns ? iq - node->iq : node->nu;
    for (int k = 0; k < n_plain; k++) {
      qdot[node->iq + k] = u[node->iu + k];
      if (qddot != NULL) qddot[node->iq + k] = udot[node->iu + k];
    }
    if (!turns) continue;
    const dls_quat y = dls_q_load(q + iq), rate = half_product(y, dls_v3_load(u + iu));
    dls_q_store(qdot + iq, rate);
    if (qddot == NULL) continue;
    const dls_quat a = half_product(rate, dls_v3_load(u + iu));
    const dls_quat b = half_product(y, dls_v3_load(udot + iu));
    dls_q_store(qddot + iq, (dls_quat){a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z});
  }
}

void dls_forest_velocities_of(const dls_forest *forest, const double *q, const double *qdot,
                              double *u) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    const bool turns = has_quaternion(node, &iq, &iu);
    const int n_plain = turns ? iq - node->iq : node->nu;
    for (int k = 0; k < n_plain; k++) u[node->iu + k] = qdot[node->iq + k];
    if (!turns) continue;
    const dls_quat w = dls_q_mul(dls_q_conj(dls_q_load(q + iq)), dls_q_load(qdot + iq));
    dls_v3_store(u + iu, dls_v3(2 * w.x, 2 * w.y, 2 * w.z));
  }
}

/* (1 - a cot a) / |d|^2 with a = |d|/2: 1/12 + |d|^2/720 + ... where the difference cancels. */
static double chart_factor(double angle) {
  if (angle < 1e-2) {
    const double x = angle * angle;
    return 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600)));
  }
  double s, c;
  dls_sincos(0.5 * angle, &s, &c);
  return (1 - 0.5 * angle * c / s) / (angle * angle);
}

void dls_forest_chart_rate(const dls_forest *forest, const double *d, const double *u,
                           double *out) {
  for (int i = 0; i < forest->n_nodes; i++) {
    const dls_node *node = &forest->nodes[i];
    int iq, iu;
    const bool turns = has_quaternion(node, &iq, &iu);
    const int n_plain = turns ? iq - node->iq : node->nu;
    for (int k = 0; k < n_plain; k++) out[node->iu + k] = u[node->iu + k];
    if (!turns) continue;
    const dls_vec3 phi = dls_v3_load(d + iu), w = dls_v3_load(u + iu);
    const dls_vec3 once = dls_v3_cross(phi, w), twice = dls_v3_cross(phi, once);
    const double f = chart_factor(dls_v3_norm(phi));
    dls_v3_store(out + iu, dls_v3_axpy(dls_v3_axpy(w, 0.5, once), f, twice));
  }
}
