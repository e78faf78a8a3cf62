/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* One block solved exactly while the others wait:  v = W p + q. */

/* Frictionless: 0 <= p _|_ w p + q >= 0. */
static inline double solve_unilateral(double w, double q) { return q < 0 && w > 0 ? -q / w : 0; }

#if D == 2
/* Coulomb's law of one planar contact, W = [a c; c b], by its four modes. Where several modes
** hold (steep friction), the first in the order separate, stick, slip is taken. */
static void solve_coulomb(double a, double c, double b, const double q[2], double mu,
                          double p[2]) {
  p[0] = p[1] = 0;
  if (q[0] >= 0 || !(a > 0)) return;
  double det = a * b - c * c;
  if (det > 1e-14 * a * b) {
    double p_n = (c * q[1] - b * q[0]) / det, p_t = (c * q[0] - a * q[1]) / det;
    if (p_n >= 0 && fabs(p_t) <= mu * p_n) {
      p[0] = p_n;
      p[1] = p_t;
      return;
    }
  }
  /* Slip: p_t = s mu p_n against v_t. The direction is that of the sliding before normal force
  ** acts against friction; if it does not hold, the other. */
  double s = q[1] - c * q[0] / a > 0 ? -1 : 1;
  for (int turn = 0; turn < 2; turn++, s = -s) {
    double w = a + s * mu * c;
    if (!(w > 0)) continue;
    double p_n = -q[0] / w;
    double v_t = q[1] + (c + s * mu * b) * p_n;
    p[0] = p_n;
    p[1] = s * mu * p_n;
    if (s * v_t <= 0) return;
  }
}
#else
/* Coulomb's law of one contact in space, W = [a c'; c B]. Sliding means
**
**     (B + l 1) p_t = -(q_t + c p_n),  l >= 0,  |p_t| = mu p_n,   a p_n + c . p_t + q_n = 0;
**
** with S = B - c c'/a and g = q_t - c q_n/a that is p_t = -(S + l 1)^-1 g and one equation for l,
** solved in the eigenframe of S by Newton's steps on mu p_n / |p_t| = 1, which is nearly a straight line in l,
** kept inside a bracket. */
static void solve_coulomb(const double W[3][3], const double q[3], double mu, double p[3]) {
  p[0] = p[1] = p[2] = 0;
  double a = W[0][0];
  if (q[0] >= 0 || !(a > 0)) return;
  double c1 = W[1][0], c2 = W[2][0];
  double s11 = W[1][1] - c1 * c1 / a, s12 = W[1][2] - c1 * c2 / a, s22 = W[2][2] - c2 * c2 / a;
  double g1 = q[1] - c1 * q[0] / a, g2 = q[2] - c2 * q[0] / a;
  /* Eigenframe (e, e turned left) of S. */
  double half = 0.5 * (s11 - s22), radius = sqrt(half * half + s12 * s12);
  double mean = 0.5 * (s11 + s22), d1 = mean + radius, d2 = mean - radius;
  double e1 = 1, e2 = 0;
  if (radius > 0) {
    double x = half >= 0 ? half + radius : s12, y = half >= 0 ? s12 : radius - half;
    double norm = sqrt(x * x + y * y);
    e1 = x / norm;
    e2 = y / norm;
  }
  double h1 = e1 * g1 + e2 * g2, h2 = e1 * g2 - e2 * g1;
  double k1 = e1 * c1 + e2 * c2, k2 = e1 * c2 - e2 * c1;
  double floor_d = 1e-14 * (d1 > 0 ? d1 : 1);
  if (d2 < floor_d) d2 = floor_d;
  if (d1 < floor_d) d1 = floor_d;
  double x1 = -h1 / d1, x2 = -h2 / d2, n = -(q[0] + k1 * x1 + k2 * x2) / a;
  double length = sqrt(x1 * x1 + x2 * x2);
  if (!(n >= 0 && length <= mu * n)) {
    /* f(l) = |p_t| - mu p_n: > 0 at l = 0, < 0 for large l. */
    double lo = 0, hi = 0, norm_h = sqrt(h1 * h1 + h2 * h2);
    double l = mu > 0 ? dls_max(norm_h * a / (mu * -q[0]) - mean, 0) : 0;
    if (!(mu > 0)) {
      p[0] = -q[0] / a;
      return;
    }
    for (int i = 0; i < 100; i++) {
      double r1 = 1 / (d1 + l), r2 = 1 / (d2 + l);
      x1 = -h1 * r1;
      x2 = -h2 * r2;
      length = sqrt(x1 * x1 + x2 * x2);
      n = -(q[0] + k1 * x1 + k2 * x2) / a;
      double f = length - mu * n;
      if (fabs(f) <= 3e-16 * (length + mu * fabs(n))) break;
      if (f > 0) lo = l;
      else hi = l;
      const double length2 = length * length;
      const double slope = mu * ((k1 * x1 * r1 + k2 * x2 * r2) / a * length2 + n * (x1 * x1 * r1 + x2 * x2 * r2));
      double next = slope > 0 ? l + f * length2 / slope : -1;
      if (hi > 0 ? !(next > lo && next < hi) : !(next > lo)) next = hi > 0 ? 0.5 * (lo + hi) : 2 * l + d1;
      if (next == l || (hi > 0 && hi - lo <= 1e-16 * hi)) break;
      l = next;
    }
    /* The bound exactly: the cone is never left by rounding of l. */
    if (n < 0) n = 0;
    double fit = length > 0 ? mu * n / length : 0;
    x1 *= fit;
    x2 *= fit;
  }
  p[0] = n;
  p[1] = e1 * x1 - e2 * x2;
  p[2] = e2 * x1 + e1 * x2;
}
#endif

/* Rows i .. i + n - 1 of a rolling block, whose length has a bound: a projected visit, exact for
** one row. q holds v at the present p; moves p and keeps q = v true for the block. */
static void visit_group(const double *W, int i, int n, double bound, double *p, double *q) {
  double w = W[i * NB + i], old[NB], length = 0;
  for (int k = 1; k < n; k++) w = dls_max(w, W[(i + k) * NB + i + k]);
  if (!(w > 0)) return;
  for (int k = 0; k < n; k++) {
    old[k] = p[i + k];
    p[i + k] -= q[i + k] / w;
    length += p[i + k] * p[i + k];
  }
  length = sqrt(length);
  for (int k = 0; k < n; k++) {
    if (length > bound) p[i + k] *= bound / length;
    double change = p[i + k] - old[k];
    for (int j = 0; j < NB; j++) q[j] += W[j * NB + i + k] * change;
  }
}

/* A cone: q = v at p (shift and gamma included), p in and out. */
static void visit_cone(const dls_block *block, const double *W, double gamma, double *p,
                       const double *q) {
  double free_q[D];
#if D == 2
  double a = W[0] + gamma, c = W[1], b = W[NB + 1];
  free_q[0] = q[0] - a * p[0] - c * p[1];
  free_q[1] = q[1] - c * p[0] - b * p[1];
  solve_coulomb(a, c, b, free_q, block->mu[0], p);
#else
  double own[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) own[i][j] = W[i * NB + j];
  own[0][0] += gamma;
  for (int i = 0; i < 3; i++)
    free_q[i] = q[i] - own[i][0] * p[0] - own[i][1] * p[1] - own[i][2] * p[2];
  solve_coulomb(own, free_q, block->mu[0], p);
#endif
}

/* The friction cone is solved exactly with rolling and spinning held, then these with the normal
** impulse held. */
static void visit_rolling(const dls_block *block, const double *W, double gamma, double *p,
                          double *q) {
  double old[D];
  for (int i = 0; i < D; i++) old[i] = p[i];
  visit_cone(block, W, gamma, p, q);
  for (int i = 0; i < D; i++)
    for (int j = 0; j < NB; j++) q[j] += W[j * NB + i] * (p[i] - old[i]);
#if D == 2
  visit_group(W, 2, 1, block->mu[1] * p[0], p, q);
#else
  visit_group(W, 3, 1, block->mu[1] * p[0], p, q);
  visit_group(W, 4, 2, block->mu[2] * p[0], p, q);
#endif
}

/* Any block: q = v + s + gamma p at the present p; p in and out. */
static void visit(const dls_block *block, const double *W, const double *gamma, double *p,
                  double *q) {
  int n = block->n;
  switch (block->kind) {
  case DLS_ROW_CONE: visit_cone(block, W, gamma[0], p, q); return;
  case DLS_ROW_ROLLING: visit_rolling(block, W, gamma[0], p, q); return;
  case DLS_ROW_UNILATERAL: {
    double w = W[0] + gamma[0];
    p[0] = solve_unilateral(w, q[0] - w * p[0]);
    return;
  }
  case DLS_ROW_BOX: {
    double w = W[0] + gamma[0];
    if (w > 0) p[0] = dls_clamp(p[0] - q[0] / w, block->lo, block->hi);
    return;
  }
  default:
    for (int i = 0; i < n; i++) {
      double w = W[i * NB + i] + gamma[i];
      if (!(w > 0)) continue;
      double change = -q[i] / w;
      p[i] += change;
      for (int j = 0; j < n; j++) q[j] += W[j * NB + i] * change;
      q[i] += gamma[i] * change;
    }
  }
}
