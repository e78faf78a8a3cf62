/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_WAYS_WAYS_PARTS_H
#define DLS_WAYS_WAYS_PARTS_H

#include "core/ways/ways.h"

#include "core/model/frames.h"
#include "core/model/world.h"

/* What the files of ways share: ways_legs.c leads bodies along, ways.c finds first touches,
** ways_touches.c which of them are contacts of the step, ways_end.c where bodies end. */
/* Shares of the smaller thickness: a way in the step that is swift; an overlap into which bodies
** that touch may go on, since the projection knows the way out; an approach a step that glides. */
#define DLS_SWIFT 0.5
#define DLS_SUNK 0.1
#define DLS_GRAZING 0.01
/* Gaps up to this share of the smaller body are closed, as in a step. */
#define DLS_WAY_CLOSED 1e-9
/* Points of a touch whose gaps differ by less than this share of the smaller body meet at once. */
#define DLS_WAY_LEVEL 1e-6
/* Shares of a step nearer than this are at once. */
#define DLS_AT_ONCE 1e-9

static inline const double *dls_ways_q(const dls_ways *ways, const double *q, int i) {
  return q + (size_t)i * dls_nq_of(ways->w);
}
static inline const double *dls_ways_u(const dls_ways *ways, const double *u, int i) {
  return u + (size_t)i * dls_nu_of(ways->w);
}

static inline bool dls_ways_is_free(const dls_ways *ways, int i) {
  const dls_body *body = &ways->w->bodies[i];
  return body->alive && body->type == DLS_DYNAMIC;
}

/* A rotation vector from one orientation to another: the one whose whole turns are nearest to
** `rate`. */
dls_vec3 dls_ways_turn(dls_quat from, dls_quat to, dls_vec3 rate);
/* Begins a leg at the coordinates q. */
void dls_ways_set_out(const dls_ways *ways, const double *q, dls_leg *leg);
/* The leg from where it begins to the coordinates q; u: about how fast it goes there. */
void dls_ways_lead_to(const dls_ways *ways, const double *q, const double *u, dls_leg *leg);
/* A leg that begins at q with the velocities u tumbles, if body i does so by itself; whether it
** does. The latter of a leg of the way whose ends are known. */
bool dls_ways_turns_freely(const dls_ways *ways, int i, const double *q, const double *u,
                           dls_tumble *tumble, dls_leg *leg);
bool dls_ways_tumble(const dls_ways *ways, int i, const double *q, const double *u, dls_way *way,
                     dls_leg *leg);
/* Whether forces change the way of body i in the step by less than a share of the thickness. What
** lies on others is held by them: without forces it goes level over the next piece of a floor, and
** with them it would meet that below its edge. */
bool dls_ways_goes_straight(const dls_ways *ways, int i, double thickness);
/* The free motion from the start. */
dls_way dls_ways_free(const dls_ways *ways, int i, double thickness);
/* The same, with no more than its first leg and those that begin before `until`. */
dls_way dls_ways_free_until(const dls_ways *ways, int i, double thickness, double until);
/* The free motion from q_c on, with all forces. */
dls_way dls_ways_ahead(const dls_ways *ways, int i);
/* Keeps the velocities of the free motion, which ways are told by to the end of the step: those of
** bodies that stop are changed for the solve. False: no room. */
bool dls_ways_keep_velocities(dls_ways *ways);
/* Room for the way of body i, of those that many pairs ask for. */
dls_status dls_ways_take_course(const dls_ways *ways, dls_course **of, int i);
/* Whether two bodies, in space, are farther apart all along their ways than any gap that counts as
** closed. */
bool dls_ways_are_apart(const dls_course *a, const dls_course *b);
dls_pursuit dls_ways_pursuit(const dls_ways *ways, int a, int b, const dls_way *way_a,
                             const dls_way *way_b);
/* The smaller thickness of two bodies, m. */
double dls_ways_thickness(const dls_ways *ways, int a, int b);
/* How fast the bodies part along a touch at s, m a step. */
double dls_ways_parting(const dls_pursuit *pair, double s, const dls_touch *t);
/* No room for n touches of a pair. */
dls_status dls_ways_want_touches(const dls_ways *ways, int n);
/* How far two bodies go relative to each other, at most, m a step. */
double dls_ways_relative(const dls_way *a, const dls_way *b, double size);
/* Passes the parts that are closed at s. They are followed to where they sink in by the share
** `sunk` of the thickness, if they are not DEEP; into what is given and solid by so much of its own
** thickness, if forces and arcs alone lead there: what is thin and lies on it would touch it anew
** and stop in every step. */
dls_status dls_ways_pass_lasting(const dls_ways *ways, dls_pursuit *pair, int a, int b, double s,
                                 double sunk);
/* Follows a pair from s on to the first touch that is more than gliding; false in *met: there is
** none. `rest`: gliding is what it sinks in by in the rest of the step. What a neighbouring piece
** of a floor covers is no touch: the part is passed. */
dls_status dls_ways_pursue(const dls_ways *ways, dls_pursuit *pair, int a, int b, double s,
                           double gliding, bool rest, bool *met);
/* Whether two bodies may come near each other in the step at all. */
bool dls_ways_may_meet(const dls_ways *ways, const dls_ways_outcome *out, int i, int j);
bool dls_ways_sensed(const dls_ways *ways, const dls_swift *p);
/* Bodies that joints bind to one that stops do so too. */
void dls_ways_stop_joined(const dls_ways *ways, double *stop);

#endif
