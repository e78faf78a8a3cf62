/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_SPRING_LAW_H
#define DLS_JOINTS_SPRING_LAW_H

#include "core/base/real.h"

/* A spring with a damper as a row: stiffness k, damping c along a row J; x its deflection and v0 =
** J u its rate before the step of length h, v the rate after the solve, w = J M^-1 J'. Rows first,
** in the solve:
**
**     m = (v0 + v)/2,    p = -h ( k (x + h m/2) + (c + b) m )                                      (1)
**
** the implicit midpoint with a damper b of the scheme's own. As v + gamma p + s = 0, with d = c + b
** + h k/2:
**
**     gamma = 2/(h d),    s = v0 + 2 k x/d,
**
** which is EQUATIONS G.1.3 with a = 1/2 where b = 0. Then, where the step does not resolve the row,
** the velocity that the step ends with is drawn to the mean one, by the impulse p_2 of another row
** at q',
**
**     v' + gamma_2 p_2 - m = 0,    gamma_2 = 1/(h e).                                              (2)
**
** With z = h w (c + h k) (the step against the row's own times) and f = max(0, 1 - 1/z),
** continuous,
**
**     b = f h k/2,    e = 2 (f c + b).
**
** z <= 1: b = e = 0. (1) alone: of second order, reversible, and without dampers it keeps the
** energy of a linear system to round-off. z -> infinity by k: m = -x/h, x' = x + h m = 0, v' = m:
** closed in one step and at rest after two; by c: m = 0, v' = m: at rest at once. Both are the
** rigid row of joint_rows.h, which holds the mean and is projected at the end. A constant force F
** on a damper ends in v' = v = m = F/c, whatever z.
**
** No energy is ever added, whatever k, c, h, w, and by any number of rows with f of their own. Let
** E = u'M u/2 + sum k x^2/2 and J be constant: positions go by x' = x + h m. (1) changes E by
**
**     sum p m + k (x' + x)/2 (x' - x) = -h sum (c + b) m^2.
**
** (2) has v = v' + W h e (v' - m), W of all its rows, and works by p_2 (v + v')/2, y = v' - m:
**
**     -h sum e y m - h sum e y^2 - (y h e)' W (h e y)/2.
**
** Both together are -h sum ((c + b) m^2 + e y m + e y^2) and less: no row's form is negative for
** anybody as long as e^2 <= 4 (c + b) e, and e = 2 (f c + b) <= 2 (c + b). J at q' of (2) need not
** be that of (1): m is the same number in both. Bodies that other rows hold, or strike, change M^-1
** and W alone: these do no work themselves, or take energy. Blows that come before the forces
** (other impact laws than Newton's) are impulses like any other: m is the mean of the velocities
** before them and at the end, by which positions go. So neither E nor, since E bounds them, an
** amplitude grows; with the weight a of G.1.3 above 1/2 positions would have to go by v_a too, or E
** can grow by (h w h k) times. */
typedef struct dls_spring_law {
  double k, c;  /* stiffness, damping: N/m and N s/m, or N m and N m s                    */
  double x;     /* deflection before the step, m or rad                                   */
  double apart; /* f: 0 where the step resolves it .. 1                                   */
  double extra; /* b, as c                                                                */
  double late;  /* e, as c                                                                */
} dls_spring_law;

/* z; a step resolves what is below 1. */
static inline double dls_spring_law_z(double k, double c, double h, double w) {
  return h * w * (c + h * k);
}

/* f: how much of it a step does not resolve. */
static inline double dls_spring_law_apart(double z) { return z > 1 ? 1 - 1 / z : 0; }

/* h > 0; w > 0, infinite allowed. */
static inline dls_spring_law dls_spring_law_make(double k, double c, double x, double h, double w) {
  const double f = dls_spring_law_apart(dls_spring_law_z(k, c, h, w));
  const double extra = 0.5 * f * h * k;
  return (dls_spring_law){
      .k = k, .c = c, .x = x, .apart = f, .extra = extra, .late = 2 * (f * c + extra)};
}

/* The same where a row keeps its direction for a way of so many m only: what is not resolved closes
** within it in one step, and slower beyond, by a larger b. */
static inline dls_spring_law dls_spring_law_within(dls_spring_law law, double h, double way) {
  const double times = fabs(law.x) / way; /* m = -k x/d: h |m| <= way where d >= h k times */
  if (times > 1 && law.apart > 0) law.extra += law.apart * h * law.k * (times - 1);
  law.late = 2 * (law.apart * law.c + law.extra);
  return law;
}

/* The same with b so many times as strong, as far as numbers tell it from a rigid row. */
static inline dls_spring_law dls_spring_law_slowed(dls_spring_law law, double h, double w,
                                                   double times) {
  static const double RIGID = 1e9; /* 1/gamma over 1/w */
  const double most = w > 0 && w < DLS_INF ? 2 * RIGID / (h * w) : DLS_INF;
  const double slow = dls_min(0.5 * h * law.k * times, most);
  law.extra = dls_max(law.extra, slow);
  law.late = 2 * (law.apart * law.c + law.extra);
  return law;
}

/* d */
static inline double dls_spring_law_d(const dls_spring_law *l, double h) {
  return l->c + l->extra + 0.5 * h * l->k;
}
/* 1/gamma: what it adds to the inertia, kg or kg m^2 */
static inline double dls_spring_law_mass(const dls_spring_law *l, double h) {
  return 0.5 * h * dls_spring_law_d(l, h);
}
/* s, less v0 */
static inline double dls_spring_law_shift(const dls_spring_law *l, double h) {
  return l->k > 0 ? 2 * l->x * (l->k / dls_spring_law_d(l, h)) : 0;
}
/* The impulse at the mean rate m. */
static inline double dls_spring_law_impulse(const dls_spring_law *l, double h, double m) {
  return -h * (l->k * l->x + dls_spring_law_d(l, h) * m);
}

/* What a row did, J. */
typedef struct dls_spring_work {
  double springs; /* work of springs: what they gave, J   */
  double damping; /* what dampers took, J                 */
  double scheme;  /* what the scheme's own dampers took   */
} dls_spring_work;

/* (1) at the mean rate m. */
static inline void dls_spring_law_charge(const dls_spring_law *l, double h, double m,
                                         dls_spring_work *work) {
  work->springs -= h * l->k * (l->x + 0.5 * h * m) * m;
  work->damping += h * l->c * m * m;
  work->scheme += h * l->extra * m * m;
}
/* (2), which did `work` (negative where it takes): dampers' share of e is theirs. */
static inline void dls_spring_law_charge_late(const dls_spring_law *l, double work,
                                              dls_spring_work *sum) {
  const double whole = l->c + l->extra, share = whole > 0 ? l->c / whole : 0;
  sum->damping -= share * work;
  sum->scheme -= (1 - share) * work;
}

#endif
