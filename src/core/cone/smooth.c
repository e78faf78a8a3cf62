/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/smooth.h"

/* t at the start, as an impulse that gives the scale's velocity; e beside t |A_gg|. */
#define FIRST 1.0
#define EDGE 1e-3
/* t falls once every |F_g / rho_g| is below this part of t's velocity. */
#define CLOSE 0.3
/* E / |A_gg|: bounds, the least one falling with the residual by DAMP once that is small, and how
** it rises after a short step and falls after a full one. */
#define DAMP 1e-2
#define DAMP_LEAST 1e-11
#define DAMP_FIRST 1e-5
#define DAMP_MOST 1e-3
#define DAMP_UP 4.0
#define DAMP_DOWN 3.0
/* Cuts of a step; a step cut so often counts as short; so many short ones in a row, and t rises by
** BACK. */
#define CUTS 5
#define SHORT_CUTS 2
#define STALLED 3
#define BACK 8.0

/* --- one group -------------------------------------------------------------------------------- */

typedef struct smooth {
  const dls_cone_system *sys; /* borrowed */
  double t; /* what smooths the law; falls to 0 */
} smooth;

/* max(0, l) made smooth: s = sqrt(l^2 + 4 t^2), without cancellation. */
static double soft_max(double l, double s, double t) {
  return l > 0 ? (l + s) / 2 : 2 * t * t / (s - l);
}

static double root_of(double l, double t) {
  return sqrt(l * l + 4 * t * t);
}

/* clamp(x, lo, hi) made smooth, and its slope. */
static double soft_clamp(const smooth *S, int g, double x, double *slope) {
  double lo = S->sys->lo[g], hi = S->sys->hi[g], out = x;
  *slope = 1;
  if (dls_is_finite(lo)) {
    double s = root_of(x - lo, S->t), f = soft_max(x - lo, s, S->t);
    out = lo + f, *slope = f / s;
  }
  if (dls_is_finite(hi)) {
    double s = root_of(x - hi, S->t), f = soft_max(x - hi, s, S->t);
    out -= f, *slope -= f / s;
  }
  return out;
}

/* F of a group of one row; X, Y unless NULL. */
static void row_law(const smooth *S, int g, const double *z, const double *u, double *F,
                    double *X, double *Y) {
  double slope, rho = 1 / S->sys->norm[g];
  F[0] = z[0] - soft_clamp(S, g, z[0] - rho * u[0], &slope);
  if (X) X[0] = rho * slope, Y[0] = 1 - slope;
}

/* A contact without friction: a row, and tangents that carry nothing. */
static void slippery_law(const smooth *S, int g, const double *z, const double *u,
                         double *F, double *X, double *Y) {
  const int d = S->sys->dim[g];
  double slope, rho = 1 / S->sys->norm[g];
  F[0] = z[0] - soft_clamp(S, g, z[0] - rho * u[0], &slope);
  for (int k = 1; k < d; k++) F[k] = z[k];
  for (int k = 0; X && k < d * d; k++) X[k] = 0, Y[k] = k % (d + 1) == 0;
  if (X) X[0] = rho * slope, Y[0] = 1 - slope;
}

/* F of a contact with friction; X, Y unless NULL: with B the derivative of P,
**   Y = (1 - B) T,  T = diag(mu, 1, 1),   X = rho B S,  S = dy'/du. */
static void cone_law(const smooth *S, int g, const double *z, const double *u, double *F,
                     double *X, double *Y) {
  const int d = S->sys->dim[g];
  const double mu = S->sys->shape[g].mu[0], rho = 1 / S->sys->norm[g], t = S->t,
               edge = EDGE * t * S->sys->norm[g];
  double speed = edge * edge, size = 0, x[3], e[3] = {0, 0, 0}, out = 0;
  for (int k = 1; k < d; k++) speed += u[k] * u[k];
  speed = sqrt(speed);
  x[0] = mu * z[0] - rho * (u[0] / mu + speed);
  for (int k = 1; k < d; k++) x[k] = z[k] - rho * u[k], size += x[k] * x[k];
  size = sqrt(size);
  for (int k = 1; k < d; k++) e[k] = size > 0 ? x[k] / size : 0;
  const double hi = x[0] + size, lo = x[0] - size, s_hi = root_of(hi, t),
               s_lo = root_of(lo, t);
  const double f_hi = soft_max(hi, s_hi, t), f_lo = soft_max(lo, s_lo, t);
  F[0] = mu * z[0] - (f_hi + f_lo) / 2;
  for (int k = 1; k < d; k++) F[k] = z[k] - (f_hi - f_lo) / 2 * e[k];
  if (!X) return;
  const double g_hi = f_hi / s_hi, g_lo = f_lo / s_lo, along = (g_hi + g_lo) / 2,
               cross = (g_hi - g_lo) / 2;
  const double across = (f_hi + f_lo) / (s_hi + s_lo); /* (f_hi - f_lo) / 2 |x_T| */
  double B[9], slide[3] = {1 / mu, 0, 0};
  for (int k = 1; k < d; k++) slide[k] = speed > 0 ? u[k] / speed : 0;
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++)
      B[i * d + k] = i == 0 || k == 0
                         ? (i == k ? along : cross * e[i + k])
                         : (along - across) * e[i] * e[k] + (i == k ? across : 0);
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++) {
      out = B[i * d] * slide[k] + (k > 0 ? B[i * d + k] : 0);
      X[i * d + k] = rho * out;
      Y[i * d + k] = ((i == k) - B[i * d + k]) * (k == 0 ? mu : 1);
    }
}

static void law(const smooth *S, int g, const double *z, const double *u, double *F,
                double *X, double *Y) {
  if (S->sys->shape[g].n_parts == 0)
    row_law(S, g, z, u, F, X, Y);
  else if (S->sys->shape[g].mu[0] > 0)
    cone_law(S, g, z, u, F, X, Y);
  else
    slippery_law(S, g, z, u, F, X, Y);
}

/* F everywhere: sum |F_g / rho_g|^2 over scale^2, and the largest term's root. */
static double merit(const smooth *S, const double *z, const double *u, double *F,
                    double *most) {
  const dls_cone_system *sys = S->sys;
  double sum = 0, largest = 0;
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row;
    double own = 0, unit = sys->norm[g] / sys->scale;
    law(S, g, z + row, u + row, F + row, NULL, NULL);
    for (int k = row; k < row + sys->dim[g]; k++) own += (F[k] * unit) * (F[k] * unit);
    sum += own;
    largest = dls_max(largest, own);
  }
  *most = sqrt(largest);
  return sum;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* dz = -K^-1 F, du = A dz at z, u. */
static void direction(const smooth *S, dls_cone_newton_work *w, double damp,
                      const double *z, const double *u) {
  const dls_cone_system *sys = S->sys;
  for (int g = 0; g < sys->n_groups; g++) {
    int row = sys->groups[g].row;
    law(S, g, z + row, u + row, w->F + row, w->X + sys->diag_at[g],
        w->Y + sys->diag_at[g]);
    for (int k = row; k < row + sys->dim[g]; k++) w->E[k] = damp * sys->norm[g];
  }
  dls_cone_factor_make(&w->factor, w->X, w->Y, w->E);
  for (int i = 0; i < sys->n; i++) w->dz[i] = -w->F[i];
  dls_cone_factor_solve(&w->factor, w->dz);
  dls_cone_system_image(sys, w->dz, false, w->du);
}

/* z, u follow the first cut of the step that lowers the sum enough; returns the cuts, CUTS + 1
** where none does. */
static int search(const smooth *S, dls_cone_newton_work *w, double *z, double *u,
                  double *most) {
  const int n = S->sys->n;
  const double before = merit(S, z, u, w->F, most);
  double t = 1;
  for (int k = 0; k <= CUTS; k++, t /= 2) {
    double now;
    for (int i = 0; i < n; i++)
      w->z_try[i] = z[i] + t * w->dz[i], w->u_try[i] = u[i] + t * w->du[i];
    if (!(merit(S, w->z_try, w->u_try, w->F, &now) <= (1 - 1e-2 * t) * before)) continue;
    memcpy(z, w->z_try, (size_t)n * sizeof(double));
    memcpy(u, w->u_try, (size_t)n * sizeof(double));
    *most = now;
    return k;
  }
  return CUTS + 1;
}

static bool takes(const dls_cone_system *sys) {
  for (int g = 0; g < sys->n_groups; g++)
    if (sys->shape[g].n_parts > 1) return false;
  return true;
}

static double mean_norm(const dls_cone_system *sys) {
  double sum = 0;
  for (int g = 0; g < sys->n_groups; g++) sum += sys->norm[g];
  return sys->n_groups > 0 ? sum / sys->n_groups : 1;
}

/* The admissible impulses nearest to z; kept in w->best where they are the best. */
static double keep_best(const dls_cone_system *sys, dls_cone_newton_work *w,
                        const double *z, double best) {
  memcpy(w->z_try, z, (size_t)sys->n * sizeof(double));
  for (int g = 0; g < sys->n_groups; g++)
    dls_cone_system_admit(sys, g, w->z_try + sys->groups[g].row);
  dls_cone_system_image(sys, w->z_try, true, w->u_try);
  double now = dls_cone_system_residual(sys, w->z_try, w->u_try);
  if (!(now < best)) return best;
  memcpy(w->best, w->z_try, (size_t)sys->n * sizeof(double));
  return now;
}

double dls_cone_smooth_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                             double tolerance, double fall, int steps, double *z,
                             double *u, int *done) {
  const double norm = mean_norm(sys);
  smooth S = {sys, FIRST * sys->scale / norm};
  double damp = DAMP_FIRST, most;
  int stalled = 0;
  dls_cone_system_image(sys, z, true, u);
  memcpy(w->best, z, (size_t)sys->n * sizeof(double));
  double best = dls_cone_system_residual(sys, z, u);
  if (!takes(sys) || !dls_cone_newton_factor(sys, w)->ready) return best;
  for (int k = 0; k < steps && !(best <= tolerance) &&
                  !dls_stop_poll(sys->problem->stop, w->factor.cost);
       k++) {
    direction(&S, w, damp, z, u);
    int cuts = search(&S, w, z, u, &most);
    ++*done;
    best = keep_best(sys, w, z, best);
    stalled = cuts >= CUTS - 1 ? stalled + 1 : 0;
    if (stalled >= STALLED) {
      S.t *= BACK, damp = DAMP_FIRST, stalled = 0;
      fall = (1 + fall) / 2;
      continue;
    }
    if (cuts >= SHORT_CUTS)
      damp = dls_min(damp * DAMP_UP, DAMP_MOST);
    else if (cuts == 0)
      damp = dls_max(damp / DAMP_DOWN, dls_clamp(best * DAMP, DAMP_LEAST, DAMP_FIRST));
    if (cuts <= CUTS && most <= CLOSE * S.t * norm / sys->scale) S.t *= fall;
  }
  memcpy(z, w->best, (size_t)sys->n * sizeof(double));
  dls_cone_system_image(sys, z, true, u);
  return best;
}
