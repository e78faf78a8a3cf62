/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/coulomb.h"

enum { MOST_ROWS = 6 }; /* of a block */

/* Frictionless: 0 <= p _|_ w p + v_0 >= 0. */
static inline double solve_unilateral(double w, double v_0) {
  return v_0 < 0 && w > 0 ? -v_0 / w : 0;
}

void dls_visit_disk(int nb, const double *W, int i, int n, double bound, double *p, double *v) {
  double w = W[i * nb + i], old[MOST_ROWS], length = 0;
  for (int k = 1; k < n; k++) w = dls_max(w, W[(i + k) * nb + i + k]);
  if (!(w > 0)) return;
  for (int k = 0; k < n; k++) {
    old[k] = p[i + k];
    p[i + k] -= v[i + k] / w;
    length += p[i + k] * p[i + k];
  }
  length = sqrt(length);
  for (int k = 0; k < n; k++) {
    if (length > bound) p[i + k] *= bound / length;
    const double change = p[i + k] - old[k];
    for (int j = 0; j < nb; j++) v[j] += W[j * nb + i + k] * change;
  }
}

static void visit_cone_2(const dls_block *block, const double *W, double gamma, double *p,
                         const double *v) {
  const double a = W[0] + gamma, c = W[1], b = W[4];
  const double v_0[2] = {v[0] - a * p[0] - c * p[1], v[1] - c * p[0] - b * p[1]};
  dls_coulomb_2(a, c, b, v_0, block->mu[0], p);
}

static void visit_cone_3(const dls_block *block, const double *W, double gamma, double *p,
                         const double *v) {
  double own[3][3], v_0[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own[i][j] = W[i * 6 + j];
  own[0][0] += gamma;
  for (int i = 0; i < 3; i++)
    v_0[i] = v[i] - own[i][0] * p[0] - own[i][1] * p[1] - own[i][2] * p[2];
  dls_coulomb_3((const double (*)[3])own, v_0, block->mu[0], p);
}

static inline void visit_cone(int nb, const dls_block *block, const double *W, double gamma,
                              double *p, const double *v) {
  if (nb == 3) visit_cone_2(block, W, gamma, p, v);
  else visit_cone_3(block, W, gamma, p, v);
}

static void visit_rolling(int nb, const dls_block *block, const double *W, double gamma, double *p,
                          double *v) {
  const int n_cone = nb == 3 ? 2 : 3;
  double old[3];
  for (int i = 0; i < n_cone; i++) old[i] = p[i];
  visit_cone(nb, block, W, gamma, p, v);
  for (int i = 0; i < n_cone; i++)
    for (int j = 0; j < nb; j++) v[j] += W[j * nb + i] * (p[i] - old[i]);
  if (nb == 3) {
    dls_visit_disk(3, W, 2, 1, block->mu[1] * p[0], p, v);
  } else {
    dls_visit_disk(6, W, 3, 1, block->mu[1] * p[0], p, v);
    dls_visit_disk(6, W, 4, 2, block->mu[2] * p[0], p, v);
  }
}

static void visit_bilateral(int nb, int n, const double *W, const double *gamma, double *p,
                            double *v) {
  for (int i = 0; i < n; i++) {
    const double w = W[i * nb + i] + gamma[i];
    if (!(w > 0)) continue;
    const double change = -v[i] / w;
    p[i] += change;
    for (int j = 0; j < n; j++) v[j] += W[j * nb + i] * change;
    v[i] += gamma[i] * change;
  }
}

void dls_visit_block(int nb, const dls_block *block, const double *W, const double *gamma,
                     double *p, double *v) {
  const double w = W[0] + gamma[0];
  switch (block->kind) {
  case DLS_ROW_CONE: visit_cone(nb, block, W, gamma[0], p, v); return;
  case DLS_ROW_ROLLING: visit_rolling(nb, block, W, gamma[0], p, v); return;
  case DLS_ROW_UNILATERAL: p[0] = solve_unilateral(w, v[0] - w * p[0]); return;
  case DLS_ROW_BOX:
    if (w > 0) p[0] = dls_clamp(p[0] - v[0] / w, block->lo, block->hi);
    return;
  default: visit_bilateral(nb, block->n, W, gamma, p, v);
  }
}
