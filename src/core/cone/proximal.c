/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/cone/proximal.h"

#include "core/cone/convex.h"

/* Part of the impulses that a step goes along the kernel of A; e's bounds, its changes. */
#define THETA 0.1
#define E_LEAST 1e-13
#define E_MOST 1.0
#define FALL 2.0
#define RISE 10.0
/* Newton's steps for one point; the least error of the law that ends them, beside the tolerance. */
#define INNER 6
#define CLOSE 0.01
/* Where they do not end: steps of the convex point, then of the law's from there; E / |A_gg| at
** least. */
#define CONVEX 20
#define AFTER 4
#define CONVEX_LEAST 1e-9
/* A residual this much smaller than the best chooses e anew. */
#define GAIN 0.8
/* rho |A_gg| = TIMES_BY_E / e within these bounds: who presses is told by velocities once these are
** small. In the plane the least: a bin of 300 misses a step by more. */
#define TIMES_BY_E 0.01
#define TIMES_LEAST 10
#define TIMES_MOST 300

/* max_g |A_gg| |z_g|, in units of velocity; at least a small part of the residual's divisor. */
static double size_of(const dls_cone_system *sys, const double *z) {
  double most = 1e-3 * sys->scale;
  for (int g = 0; g < sys->n_groups; g++) {
    const double *z_g = z + sys->groups[g].row;
    double sum = 0;
    for (int k = 0; k < sys->dim[g]; k++) sum += z_g[k] * z_g[k];
    most = dls_max(most, sys->norm[g] * sqrt(sum));
  }
  return most;
}

/* Newton's full steps on the problem regular about w->ref, from it; z is where they end, true: the
** law holds there. known: u is that of z. */
static bool point(const dls_cone_system *sys, dls_cone_newton_work *w, double e, double limit,
                  int steps, bool known, double *z, double *u, int *done) {
  for (int g = 0; g < sys->n_groups; g++)
    for (int k = 0; k < sys->dim[g]; k++) w->E[sys->groups[g].row + k] = e * sys->norm[g];
  for (int k = 0; k <= steps; k++) {
    if (k > 0 || !known) dls_cone_system_image(sys, z, true, u);
    for (int i = 0; i < sys->n; i++) w->u_s[i] = u[i] + w->E[i] * (z[i] - w->ref[i]);
    const double error = sqrt(dls_cone_newton_merit(sys, w, z, w->u_s));
    if (!dls_is_finite(error)) return false;
    if (k > 0 && error <= limit) return true;
    if (k == steps || dls_stop_poll(sys->problem->stop, w->factor.cost)) return false;
    dls_cone_newton_direction(sys, w, z, w->u_s);
    for (int i = 0; i < sys->n; i++) z[i] += w->dz[i];
    ++*done;
  }
  return false;
}

static bool has_planar(const dls_cone_system *sys) {
  for (int g = 0; g < sys->n_groups; g++)
    if (sys->groups[g].kind == DLS_CONE_PLANAR || sys->groups[g].kind == DLS_CONE_ROLLING_PLANAR)
      return true;
  return false;
}

static int at_most(int most, int left) { return left < most ? left : most; }

/* Residual of z, cut to its sets; the best is kept. */
static void look(const dls_cone_system *sys, dls_cone_newton_work *w, const double *z,
                 double *best) {
  const double now = dls_cone_newton_settle(sys, z, w->z_try, w->u_try);
  if (!(now < *best)) return;
  *best = now;
  memcpy(w->best, w->z_try, (size_t)sys->n * sizeof(double));
}

double dls_cone_proximal_steps(const dls_cone_system *sys, dls_cone_newton_work *w,
                               double tolerance, double near, int steps, bool convex, double *z,
                               double *u, int *done) {
  const size_t bytes = (size_t)sys->n * sizeof(double);
  const int end = *done + steps;
  double best = dls_cone_newton_settle(sys, z, w->best, u), e = 0;
  const bool ready = best > tolerance && dls_cone_newton_factor(sys, w)->ready;
  convex = convex && dls_cone_convex_takes(sys);
  const double most = has_planar(sys) ? TIMES_LEAST : TIMES_MOST;
  bool known = false; /* u is that of z */
  while (ready && best > tolerance && *done < end && e < E_MOST && !dls_cone_stopped(sys, 1)) {
    if (e == 0)
      e = dls_clamp(best * sys->scale / (THETA * size_of(sys, z)), E_LEAST, E_MOST / RISE);
    w->times = dls_clamp(TIMES_BY_E / e, TIMES_LEAST, most);
    memcpy(w->ref, z, bytes);
    const double before = best, limit = dls_max(CLOSE * tolerance, near * best);
    bool held = point(sys, w, e, limit, at_most(INNER, end - *done), known, z, u, done);
    look(sys, w, z, &best);
    if (convex && !held && !(best < GAIN * before) && *done < end) {
      e = dls_max(e, CONVEX_LEAST);
      dls_cone_convex_point(sys, w, e, limit, at_most(CONVEX, end - *done), z, u, done);
      look(sys, w, z, &best);
      held = point(sys, w, e, limit, at_most(AFTER, end - *done), false, z, u, done);
      look(sys, w, z, &best);
    }
    const bool gained = best < GAIN * before;
    known = held;
    if (!held) memcpy(z, gained ? w->best : w->ref, bytes);
    if (gained) e = 0;
    else if (held) e = dls_max(e / FALL, E_LEAST);
    else e *= RISE;
  }
  memcpy(z, w->best, bytes);
  dls_cone_system_image(sys, z, true, u);
  return best;
}
