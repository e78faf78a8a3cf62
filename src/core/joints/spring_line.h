/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_SPRING_LINE_H
#define DLS_JOINTS_SPRING_LINE_H

#include "core/joints/spring_law.h"
#include "core/math/vec.h"

/* A spring between two points has the deflection |r| - L, and a row has it along the line n at q_c
** alone. What the row does and what is stored then differ: with r, r' before and after the step, d
** = r' - r = h m n + .., the length in the middle g = |r_c| + h (v - v0)/4, A = (|r| + |r'|)/2 - L,
**
**     k A (|r'| - |r|)  against  k (g - L) h m,
**
** for points that no rotation moves by k L h m (1 - 2g/(|r| + |r'|)): third order where the line
** turns little within the step, and as much as is stored where it turns by much or passes through
** no length. Hence the pull
**
**     k A s,    s = (|r'| - |r|)/(h m)    (discrete gradient of k (|r| - L)^2/2),
**
** which is that of the row with a length at rest of its own, L* = g - A s, next to L to second
** order. For points that no rotation moves s = 2g/(|r| + |r'|), whatever m: energy is kept to
** round-off at any step. Else s of that quotient is drawn to this one where m is small against the
** way |d| across the line.
**
** r' depends on the answer: L* is that of the spring by itself, an equation in one unknown. What
** else acts on the bodies changes L* in the second order alone, and so the row by no more.
**
** L stands where the step resolves the row (f = 0, spring_law.h) and the turn t of its line and its
** arms, t^2 <= FAR: the midpoint is reversible and follows what turns slowly better than its order.
** Beyond, the share max(f, 1 - (FAR/t^2)^2) of L* - L is taken. With t^2 = 8 (1 - 2g/(|r| + |r'|))
** for the line, a step of a spring through mass centres so gains at most k L h m FAR/8. What else
** arms gain, and what lines gain of each other, is the account's of spring_nets.h. */
typedef struct dls_spring_end {
  dls_vec3 arm;          /* from the mass centre to the point at q_c          */
  dls_vec3 v, turn;      /* velocities before                                 */
  dls_vec3 v_p, turn_p;  /* what they get from a unit impulse on the row      */
} dls_spring_end;

typedef struct dls_spring_line {
  dls_vec3 r, n;         /* between the points at q_c; the line               */
  double length, rest;   /* |r|, L, m                                         */
  dls_spring_end end[2]; /* on a, on b */
} dls_spring_line;

/* L* - L, zero to the bit where nothing turns, for a row of the rate v0 that bodies give w along;
** law: k, c and its extra damper. */
double dls_spring_line_shift(const dls_spring_line *line, const dls_spring_law *law, double h,
                             double v0, double w);

#endif
