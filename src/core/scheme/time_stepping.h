/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_TIME_STEPPING_H
#define DLS_SCHEME_TIME_STEPPING_H

#include "core/model/world.h"
#include "core/step/division.h"

/* One step of a world on the velocity level (EQUATIONS G.1), for D = 2 and 3 from one source:
**
**     q_c = q (+) (1 - theta) h u                        forces, gaps, frames, M taken here
**     M (u' - u) = h f + J' p,  the rows' laws on J u'   (rows/rows.h)
**     q'  = q_c (+) theta h u'                           then the positions are projected
**
** Rotation in space: the angular momentum L = R J R' omega is what the step carries. At q_c the
** velocity is J(q_c)^-1 L, impulses add to L, and q' solves q' = exp(theta h omega') q_c with
** J(q') omega' = L'. So a free body keeps L exactly, the map is symmetric in time for theta = 1/2
** (energy to second order, without drift), and the rows see a constant mass matrix.
**
** Joints, reduced and rigid alike: q_c goes to the nearest point that they admit, and so does q';
** over the step they hold the MEAN of the velocities before and after, at q_c, so that they do no
** work and the step is symmetric in time (second order for theta = 1/2); at the end the velocities
** go to the nearest that the joints admit at q'. A tree is the exact elimination of its joints'
** rows (joints/tree_step.h), so that both formulations agree to round-off.
**
** Springs and dampers, of joints and between two points, are rows on the mean velocity, and where
** the step does not resolve them, on that at the end (spring_law.h).
**
** Contacts have a row where gap(q_c) <= 0 or gap(q_c) + theta h v_free <= 0. Impulses act at one
** point of both bodies; a body that is pressed against a static or kinematic one takes them at its
** own surface, so that a disk's arm is its radius.
**
** DLS_FULL: something is too small, nothing has changed (world->need_... say what to grow);
** DLS_STOPPED: a hook stopped it; DLS_SINGULAR: a link without inertia where its joint moves;
** DLS_UNSTABLE: penalties stiffer than the step allows; DLS_RANGE: an end that is not finite. The
** state may have changed then: the caller restores it. */
dls_status dls_time_step(dls_world *world, dls_division *division);

/* Bytes of scratch a step takes with so many contacts. */
size_t dls_step_bytes(const dls_world *world, int contacts);

/* How far the energies of steps fail to add up, relative to what was turned over: 0 within their
** round-off, and where squares of speeds underflow. */
static inline double dls_balance_of(const dls_balance *of) {
  static const double LEAST = 1e-290; /* J */
  const double beyond = fabs(of->error) - of->noise;
  return beyond > LEAST && of->turnover > 0 ? beyond / of->turnover : 0;
}

#endif
