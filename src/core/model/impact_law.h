/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_IMPACT_LAW_H
#define DLS_MODEL_IMPACT_LAW_H

#include <math.h>
#include <stdbool.h>

/* The impact laws of one contact (EQUATIONS E.3), in numbers alone: what worlds' time steps
** (scheme/impact_*), which never form the matrix of all contacts, and systems and event-driven
** worlds (events/impact), which solve with it, have in common. Velocities in m/s, impulses in N
** s. */

/* What has to be 0 or more in Newton's law, of the velocity before: a contact that opens keeps e
** = 0. */
static inline double dls_impact_newton(double e_N, double before) {
  return before < 0 ? (1 + e_N) * before : before;
}
/* The same along a tangent. */
static inline double dls_impact_newton_tangent(double e_T, double before) {
  return (1 + e_T) * before;
}

/* Poisson's law: the least normal impulse of the expansion, and the share of the compression's
** friction that it gives back. */
static inline double dls_impact_least(double e_N, double compression) { return e_N * compression; }
static inline double dls_impact_reversible(double e_N, double e_T) { return e_N * e_T; }

/* Work of impulses that grow together, and what they turn over; whether they add energy, by more
** than round-off. */
typedef struct dls_impact_work {
  double work, turned; /* J */
} dls_impact_work;
static inline void dls_impact_charge(dls_impact_work *sum, double impulse, double before,
                                     double after) {
  sum->work += 0.5 * impulse * (before + after);
  sum->turned += fabs(impulse) * (fabs(before) + fabs(after));
}
static inline bool dls_impact_adds_energy(const dls_impact_work *sum) {
  return sum->work > 1e-13 * sum->turned;
}

/* The same of the impulses p of one strike, rows of W a distance ld apart: velocities after are
** before + W p. */
static inline dls_impact_work dls_impact_work_of(int n, int ld, const double *W,
                                                 const double *before, const double *p) {
  dls_impact_work sum = {0};
  for (int i = 0; i < n; i++) {
    double after = before[i];
    for (int j = 0; j < n; j++) after += W[i * ld + j] * p[j];
    dls_impact_charge(&sum, p[i], before[i], after);
  }
  return sum;
}

/* A strike of the sequential law that adds energy (Newton's law against friction) ends where it
** would: of the impulses p with restitution and those without it, p_0, whose work is never
** positive, p becomes p_0 + s (p - p_0) with the s in [0, 1) of work 0. Work is convex in s, so
** that this is the only one; impulses stay in the cone, which is convex; the rebound is s e, and
** s has no jump where a strike begins to add energy. d = p - p_0, v_0 = before + W p_0:
**
**     work(s) = work(p_0) + s d . v_0 + s^2 d . W d / 2 */
static inline void dls_impact_curb(int n, int ld, const double *W, const double *before,
                                   const double *p_0, double *p) {
  const double lost = -dls_impact_work_of(n, ld, W, before, p_0).work;
  double along = 0, squared = 0;
  for (int i = 0; i < n; i++) {
    double v_0 = before[i], answer = 0;
    for (int j = 0; j < n; j++)
      v_0 += W[i * ld + j] * p_0[j], answer += W[i * ld + j] * (p[j] - p_0[j]);
    along += (p[i] - p_0[i]) * v_0, squared += 0.5 * (p[i] - p_0[i]) * answer;
  }
  const double root = sqrt(along * along + 4 * squared * lost);
  const double s = !(lost > 0)   ? 0
                   : along > 0   ? 2 * lost / (along + root)
                   : squared > 0 ? (root - along) / (2 * squared)
                                 : 0;
  for (int i = 0; i < n; i++) p[i] = p_0[i] + (s < 1 ? s : 1) * (p[i] - p_0[i]);
}

/* What strikes together within a step of forces: its work, and of that what is told as energy
** that impacts added. Work along a tangent that is positive is: a rebound threw the point against
** its friction. Along normals it may also be that of forces, which a contact gives back: what
** lies on a floor and opens by less than g h/2 takes p v/2 in one step and gives it in another.
** So normals are believed beyond what forces can have done: |p| |v_free - v before|/2, at least
** |p| times `fallen`, for what presses on one contact moves others. Without forces all is exact. */
typedef struct dls_impact_sum {
  dls_impact_work all; /* of all contacts together, J */
  double thrown; /* J, the positive work along tangents                          */
  double forced; /* J, what forces can have done                                 */
  bool rebounds; /* something approached and has restitution                 */
} dls_impact_sum;
static inline void dls_impact_strike(dls_impact_sum *of, double impulse, double before, double free,
                                     double after, double fallen) {
  const double pushed = 0.5 * fabs(free - before);
  dls_impact_charge(&of->all, impulse, before, after);
  of->forced += fabs(impulse) * (pushed > fallen ? pushed : fallen);
}
/* Half of what gravity makes of a velocity in a step h, m/s. */
static inline double dls_impact_fallen(const double gravity[3], double h) {
  return 0.5 * h *
         sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
}
#define DLS_IMPACT_ROUND_OFF 1e-12 /* of work, over what impulses turn over */
static inline double dls_impact_told(const dls_impact_sum *of, double share) {
  const double work = of->all.work;
  if (!(work > share * of->all.turned)) return 0;
  return work > of->forced || work < of->thrown ? work : of->thrown;
}

/* Sequential impacts: so many a body, or a contact of a system, before the rest is resolved at
** once; the share of the first approach at which they end; the same that is round-off. */
enum { DLS_IMPACTS_IN_TURN = 64 };
#define DLS_IMPACT_APPROACH_LEAST 1e-9
#define DLS_IMPACT_APPROACH_NOISE 1e-13
/* Which approaches next, of contacts looked at by their index: whether one with the velocity v
** does so before the one found that has `worst` (0: none is found). Approaches equal to 1e-9 are
** ties, which the index decides and no round-off. */
static inline bool dls_impact_is_faster(double v, double worst) {
  return v < 0 && v < worst + DLS_IMPACT_APPROACH_LEAST * worst;
}

#endif
