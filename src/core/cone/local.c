/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/system.h"

/* The law of one group solved for its own impulses, the others fixed: u = A_gg z + off. Rows by
** their bounds, cones of one part exactly (a scalar equation for the slip, as rows/coulomb.h), of
** several parts normal and parts in turn. */

/* Relative to the block's norm: eigenvalues below it are taken as zero. */
#define FLAT 1e-14
/* Newton steps on one scalar; the bracket halves in the worst case. */
#define ROOT_STEPS 60
/* Rounds of normal and parts in turn, where a group has several parts, while each changes at most
** PART_FALL of what the last one did: where friction is steep they turn to and fro, and what they
** leave is the next sweep's (a step of nine bodies with friction of 1000: 5.1 s, now 0.25). */
#define PART_ROUNDS 200
#define PART_FALL 0.5

/* --- preparation ------------------------------------------------------------------------------ */

void dls_cone_local_make(const dls_cone_system *sys, int g, dls_cone_local *o) {
  const double *a = sys->diag + sys->diag_at[g];
  *o = (dls_cone_local){.a_nn = a[0], .alpha_0 = FLAT * sys->norm[g]};
  if (sys->shape[g].n_parts != 1 || sys->dim[g] != 3 || !(a[0] > 0)) return;
  for (int i = 0; i < 2; i++) {
    o->nt[i] = a[1 + i] / a[0];
    o->tn[i] = a[3 * (i + 1)] / a[0];
    for (int j = 0; j < 2; j++) o->S[2 * i + j] = a[3 * (i + 1) + 1 + j] - o->tn[i] * a[1 + j];
  }
  o->alpha = o->alpha_0;
}

/* --- laws ------------------------------------------------------------------------------------- */

static void project_step(const dls_cone_system *sys, int g, const double *off, double *z) {
  int d = sys->dim[g];
  const double *a = sys->diag + sys->diag_at[g];
  double u[DLS_CONE_ROWS], more = 0;
  const dls_cone_shape *shape = &sys->shape[g];
  for (int r = 0; r < d; r++) {
    u[r] = off[r];
    for (int k = 0; k < d; k++) u[r] += a[r * d + k] * z[k];
  }
  for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++)
    more += shape->mu[k] *
            (shape->rows[k] == 1 ? fabs(u[at]) : sqrt(u[at] * u[at] + u[at + 1] * u[at + 1]));
  for (int k = 0; k < d; k++) z[k] -= (u[k] + (k ? 0 : more)) / sys->norm[g];
  dls_cone_system_admit(sys, g, z);
}

static void solve_row(const dls_cone_system *sys, int g, double a, double off, double *z) {
  if (a > 0) z[0] = dls_clamp(-off / a, sys->lo[g], sys->hi[g]);
  else project_step(sys, g, &off, z);
}

/* Planar: open, stick, slip either way, in this order. */
static void solve_wedge(const dls_cone_system *sys, int g, const double *off, double *z) {
  const double *a = sys->diag + sys->diag_at[g];
  double mu = sys->shape[g].mu[0], det = a[0] * a[3] - a[1] * a[2];
  if (off[0] >= 0) {
    z[0] = z[1] = 0;
    return;
  }
  if (det > FLAT * sys->norm[g] * sys->norm[g]) {
    double n = (a[1] * off[1] - a[3] * off[0]) / det, t = (a[2] * off[0] - a[0] * off[1]) / det;
    if (n >= 0 && fabs(t) <= mu * n) {
      z[0] = n, z[1] = t;
      return;
    }
  }
  for (int k = 0; k < 2; k++) {
    double m = k ? -mu : mu, den = a[0] + m * a[1]; /* p_T = m p_N, u_T against it */
    if (den <= FLAT * sys->norm[g]) continue;
    double n = -off[0] / den, u = (a[2] + m * a[3]) * n + off[1];
    if (k ? u >= 0 : u <= 0) {
      z[0] = n, z[1] = m * n;
      return;
    }
  }
  project_step(sys, g, off, z);
}

/* Slip: p_T(alpha) = -(S + alpha I)^-1 d, p_N(alpha) = -c_N / A_NN - A_NT p_T / A_NN, and the
** root alpha > 0 of mu p_N / |p_T| = 1, which is nearly linear in alpha. Sticking is alpha = 0,
** taken a rounding error above it so that a flat S does no harm. */
typedef struct slip {
  double t[2], n; /* p_T, p_N                   */
  double f, df;   /* mu p_N / |p_T| - 1, slope  */
} slip;

static slip slip_at(const dls_cone_local *o, double mu, double n_0, const double d[2],
                    double alpha) {
  slip s;
  double s0 = o->S[0] + alpha, s3 = o->S[3] + alpha;
  double inv = 1 / (s0 * s3 - o->S[1] * o->S[2]);
  s.t[0] = -(s3 * d[0] - o->S[1] * d[1]) * inv;
  s.t[1] = -(s0 * d[1] - o->S[2] * d[0]) * inv;
  s.n = n_0 - o->nt[0] * s.t[0] - o->nt[1] * s.t[1];
  double size = sqrt(s.t[0] * s.t[0] + s.t[1] * s.t[1]);
  if (!(size > 0)) {
    s.f = size == 0 ? DLS_INF : size, s.df = 0;
    return s;
  }
  double r0 = -(s3 * s.t[0] - o->S[1] * s.t[1]) * inv; /* d p_T / d alpha */
  double r1 = -(s0 * s.t[1] - o->S[2] * s.t[0]) * inv;
  double slope_n = -o->nt[0] * r0 - o->nt[1] * r1;
  double slope_t = (s.t[0] * r0 + s.t[1] * r1) / size;
  s.f = mu * s.n / size - 1;
  s.df = mu * (slope_n * size - s.n * slope_t) / (size * size);
  return s;
}

static bool slip_root(dls_cone_local *o, double mu, double n_0, const double d[2], slip *s) {
  double lo = o->alpha_0, hi = DLS_INF, alpha = o->alpha;
  for (int k = 0; k < ROOT_STEPS; k++) {
    *s = slip_at(o, mu, n_0, d, alpha);
    if (s->f != s->f) return false;
    if (fabs(s->f) <= 4e-16) break;
    if (s->f < 0) lo = alpha;
    else hi = alpha;
    double next = s->df > 0 ? alpha - s->f / s->df : -1;
    if (!(next > lo && next < hi))
      next = hi < DLS_INF ? lo + (hi - lo) / 2 : 2 * lo + (fabs(o->S[0]) + fabs(o->S[3]));
    if (fabs(next - alpha) <= 4e-16 * alpha) break;
    alpha = next;
  }
  o->alpha = alpha;
  return s->n >= 0 && fabs(s->f) <= 1e-6;
}

static void solve_cone(const dls_cone_system *sys, int g, dls_cone_local *o, const double *off,
                       double *z) {
  double mu = sys->shape[g].mu[0], c_n = off[0];
  if (c_n >= 0) {
    z[0] = z[1] = z[2] = 0;
    return;
  }
  if (!(o->a_nn > FLAT * sys->norm[g])) {
    project_step(sys, g, off, z);
    return;
  }
  double n_0 = -c_n / o->a_nn, d[2] = {off[1] - o->tn[0] * c_n, off[2] - o->tn[1] * c_n};
  if (!(mu > 0)) {
    z[0] = n_0, z[1] = z[2] = 0;
    return;
  }
  slip s = slip_at(o, mu, n_0, d, o->alpha_0);
  if (s.n >= 0 && s.f >= 0) {
    o->alpha = o->alpha_0;
  } else if (slip_root(o, mu, n_0, d, &s)) {
    double cut = mu * s.n / sqrt(s.t[0] * s.t[0] + s.t[1] * s.t[1]);
    s.t[0] *= cut, s.t[1] *= cut;
  } else {
    o->alpha = o->alpha_0;
    project_step(sys, g, off, z);
    return;
  }
  z[0] = s.n, z[1] = s.t[0], z[2] = s.t[1];
}

/* --- several parts: normal and parts in turn -------------------------------------------------- */

/* argmin of x'Ax/2 + d'x over |x| <= r, A = the part's rows of the block (stride of the block). */
static void solve_disk(int rows, const double *a, int stride, const double *d, double r,
                       double floor_at, double *x) {
  if (rows == 1) {
    x[0] = a[0] > 0 ? dls_clamp(-d[0] / a[0], -r, r) : (d[0] > 0 ? -r : d[0] < 0 ? r : x[0]);
    return;
  }
  dls_cone_local o = {.alpha_0 = floor_at, .alpha = floor_at,
                      .S = {a[0], a[1], a[stride], a[stride + 1]}};
  slip s = slip_at(&o, 1, r, d, floor_at); /* p_N = r: a normal that the part does not move */
  if (r <= 0) s.t[0] = s.t[1] = 0;
  else if (s.f < 0) slip_root(&o, 1, r, d, &s);
  x[0] = s.t[0], x[1] = s.t[1];
  dls_disk_project(2, r, x);
}

static void solve_parts(const dls_cone_system *sys, int g, const double *off, double *z) {
  const dls_cone_shape *shape = &sys->shape[g];
  const double *a = sys->diag + sys->diag_at[g];
  int d = sys->dim[g];
  double last = DLS_INF;
  for (int round = 0; round < PART_ROUNDS; round++) {
    double most = 0, size = 0, n = off[0];
    for (int k = 1; k < d; k++) n += a[k] * z[k];
    n = a[0] > 0 ? dls_max(0, -n / a[0]) : 0;
    most = fabs(n - z[0]), size = n;
    z[0] = n;
    for (int k = 0, at = 1; k < shape->n_parts; at += shape->rows[k], k++) {
      double c[2] = {0, 0}, old[2] = {0, 0};
      int rows = shape->rows[k];
      for (int r = 0; r < rows; r++) {
        old[r] = z[at + r];
        c[r] = off[at + r];
        for (int j = 0; j < d; j++)
          if (j < at || j >= at + rows) c[r] += a[(at + r) * d + j] * z[j];
      }
      solve_disk(rows, a + at * d + at, d, c, shape->mu[k] * n, FLAT * sys->norm[g], z + at);
      for (int r = 0; r < rows; r++) most = dls_max(most, fabs(z[at + r] - old[r]));
    }
    if (most <= 1e-15 * size || most > PART_FALL * last) break;
    last = most;
  }
}

void dls_cone_local_solve(const dls_cone_system *sys, int g, dls_cone_local *o,
                          const double *off, double *z) {
  int parts = sys->shape[g].n_parts;
  if (parts == 0) solve_row(sys, g, o->a_nn, off[0], z);
  else if (parts > 1) solve_parts(sys, g, off, z);
  else if (sys->dim[g] == 2) solve_wedge(sys, g, off, z);
  else solve_cone(sys, g, o, off, z);
}
