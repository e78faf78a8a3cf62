/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_MODEL_CONTACT_LAW_H
#define DLS_MODEL_CONTACT_LAW_H

#include "core/math/elementary.h"
#include "core/model/row_frame.h"

/* The laws of one rigid contact in a time step (EQUATIONS G.1), in numbers alone: what worlds and
** systems given by their equations have in common. Normal velocities in m/s: `before` the step,
** `v_free` with forces alone; the gap is that at q_c. */

/* The two halves of a step: until q_c, (1 - theta) h, and from there on, theta h. */
typedef struct dls_step_halves {
  double early, late; /* s: before, behind q_c */
} dls_step_halves;

/* Speeds above which a contact slides, m/s: with its friction within its bound, where they are the
** solver's error; and at the bound. */
typedef struct dls_slip_bounds {
  double within, bound; /* m/s: inside of the cone; on it */
} dls_slip_bounds;

/* Whether a contact that held in the last step, so that it was closed at its end, does so still:
** its gap at q_c is what the curvature k of the bodies' way opened since then, gap = 3/8 h^2 k and
** v_before = h k for theta = 1/2 (from v = 0 at the last q_c). Forces that press with the
** acceleration a against this curvature make v_free = -h a, and the forecast gap + theta h v_free
** calls the contact open up to a = 3/4 k: it would press in every other step only. Its row is
** there, and its law tells whether it presses. */
static inline bool dls_law_keeps_closed(const dls_step_halves *step, double gap, double before,
                                        double closed) {
  return gap - step->early * before <= closed;
}

/* Whether the row of a contact stands by: its gap is above `closed`, forces alone leave it open,
** and it did not hold, or does so no more. */
static inline bool dls_law_stands_by(const dls_step_halves *step, double gap, double closed,
                                     double before, double v_free, bool held) {
  return gap > closed && gap + step->late * v_free > 0 &&
         !(held && dls_law_keeps_closed(step, gap, before, closed));
}

/* The s of a row v' + s >= 0 that holds a rebound of speed `back` > 0. Where the gap is open at the
** start of the step and closes within it, at its share f, what forces press until then is lost but
** for e of it: held at -e v it would come back with every rebound, (1 - e) g h/2 on average, and a
** bouncing body would be late by as much. So v' = back + (1 - e) f d there, with d = v_free - v <
** 0: right in the mean over f. A rebound that this leaves nothing of dies within its step. Closed
** from the start: v' = back to the bit. */
static inline double dls_law_rebound(const dls_step_halves *step, double e, double gap,
                                     double before, double v_free, double back, bool *dies) {
  /* All of it, and then what holds: a pile strikes as it likes. */
  const double start = gap - step->early * before, end = gap + step->late * v_free;
  const double pressed = before - v_free, left = back - (1 - e) * pressed * start / (start - end);
  const bool strikes = back > 0, closes = (start > 0) & (end < 0) & (pressed > 0), lasts = left > 0;
  *dies = strikes & closes & !lasts;
  return dls_choose(strikes & (!closes | lasts), -dls_choose(closes, left, back), 0);
}

/* mu of a law that falls from `rest` to `slide` with the slip speed, 1/decay in m/s. */
static inline double dls_law_friction(double rest, double slide, double decay, double speed) {
  if (slide == rest || !(speed > 0)) return rest;
  const double x = decay * speed;
  return slide + (rest - slide) * (x < 700 ? dls_exp(-x) : 0);
}

/* What a friction function is asked for at a slip speed, m/s: at 0, in the limit to slip, mu(0+);
** below 0, at rest. */
static inline double dls_asked_speed(double speed) {
  return speed > 0 ? speed : speed < 0 ? 0 : 1e-300;
}

/* Speeds that a solve with this relative residual, its scale in m/s, cannot tell from rest. A
** contact whose friction is within its bound has a residual of at least its slip (EQUATIONS G.1.7
** with p - rho y inside the cone), so that what is above the worst residual slides. At the bound
** only the finest solve's error is taken for rest. */
static inline dls_slip_bounds dls_law_slips(double residual, double scale, double *noise) {
  static const double ROUND_OFF = 1e-12, FINEST = 1e-9; /* of the scale of velocities */
  const double error = 10 * residual + ROUND_OFF;
  *noise = error * scale;
  return (dls_slip_bounds){(2 * residual + ROUND_OFF) * scale, dls_min(error, FINEST) * scale};
}

/* What friction does at a normal impulse, a tangential one and a speed of sliding: what slides
** faster than the solve allows one that sticks does not stick, whatever its friction is; at the
** bound of friction, where it may slide, it does so from what the finest solve allows. */
static inline int dls_state_of(const dls_slip_bounds *least, double mu, double p_n, double p_t,
                               double slip) {
  const bool within = p_t < mu * p_n * (1 - 1e-12);
  const bool slides = slip > dls_choose(within, least->within, least->bound);
  return (p_n > 0) * (DLS_STICK + slides); /* else DLS_APART; no branch */
}

/* Whether a contact that is none yet and parts at q_c may have been touched on the way there: the
** distance of convex bodies is convex along a line, so that it was not less than the linear one.
** What parts by less than `closed` did not. */
static inline bool dls_law_may_have_met(const dls_step_halves *step, double gap, double before,
                                        double closed) {
  return (step->early * before > closed) & (gap < step->early * before);
}

/* Whether a contact opens: its way in the rest of the step is more than its gap would hide; closed:
** see stands_by. */
static inline bool dls_law_opens(double way, double v_n, double gap, double closed) {
  return way * v_n > 1e-3 * dls_max(gap, closed);
}

/* The normal of two round bodies turns by the share of their radii that they go: by less than this
** the linear forecast is right to 1e-5 of the radii, and is believed. */
#define DLS_WAY_STRAIGHT 0.005

/* Whether two disks, (x, y) apart with the relative velocity v, come as near as r within the time
** t. */
static inline bool dls_come_within(double x, double y, double v_x, double v_y, double r, double t) {
  const double along = x * v_x + y * v_y, v2 = v_x * v_x + v_y * v_y;
  if (v2 * t * t <= DLS_WAY_STRAIGHT * DLS_WAY_STRAIGHT * r * r) return true;
  const double s = v2 > 0 ? dls_clamp(-along / v2, 0, t) : 0;
  const double end_x = x + s * v_x, end_y = y + s * v_y;
  return end_x * end_x + end_y * end_y <= r * r;
}

/* Whether two disks that are (x, y) apart now, with the relative velocity v, have come as near as r
** within the time t that is over, and were not when it began. */
static inline bool dls_came_within(double x, double y, double v_x, double v_y, double r, double t) {
  const double from_x = x - t * v_x, from_y = y - t * v_y, along = from_x * v_x + from_y * v_y;
  const double v2 = v_x * v_x + v_y * v_y, cross = x * v_y - y * v_x, r2 = r * r;
  return (from_x * from_x + from_y * from_y > r2) & (along < 0) & (along + t * v2 > 0) &
         (cross * cross <= r2 * v2);
}

/* What is found of the contacts of a step, N s. */
typedef struct dls_judgement {
  double cone;    /* worst |p_t| - mu p_n, N s                 */
  double p_most;  /* largest p_n, N s                          */
  double largest; /* largest momentum and impulse, a component, N s */
} dls_judgement;

#endif
