/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_CONTACTS_NEAR_H
#define DLS_CONTACTS_NEAR_H

#include "core/model/body.h"
#include "core/step/step.h"

/* Broad phase of a step: bounds of shapes widened by their ways, the neighbour list
** (collide/broad.h), the pairs within reach. */

/* Widened bounds (margin) and the neighbour list, made anew where a body has left its box. */
dls_status dls_find_neighbours(dls_step *S, dls_near_stage *N, dls_disk_stage *disks);

/* The pairs of the list whose balls meet into near, in its order: sorted by a, then by b. */
dls_status dls_find_near(dls_step *S, dls_near_stage *N);

/* Whether two bodies are among n pairs in that order. */
bool dls_near_has(const dls_near *near, int n, int a, int b);

/* Which near pairs are swift, and what they meet on their way (ways.h). */
dls_status dls_chase_swift(dls_step *S, dls_near_stage *N);

/* Whether a joint connects two bodies: such do not collide with each other. */
bool dls_are_jointed(const dls_step *S, int a, int b);

/* How far a body's shape reaches, m. */
static inline double dls_span_of(const dls_body *body) {
  return body->disk_radius > 0 ? body->disk_radius : body->shape->reach;
}

/* Whose shape is number k of the neighbour list. */
static inline int dls_body_at(const dls_step *S, const dls_near_stage *N,
                              int k) { return S->dim == 2 ? k : N->body_of[k]; }

/* Number k of the neighbour list as whoever looks at its touches sees it. */
static inline dls_ball dls_ball_of(const dls_step *S, const dls_near_stage *N,
                                   const dls_disk_stage *disks, int k) {
  if (S->dim == 3) return N->ball[k];
  const dls_body *body = &S->w->bodies[k];
  return (dls_ball){.x = disks->spot[k].x, .y = disks->spot[k].y, .radius = body->disk_radius,
                    .body = k, .material = body->material, .free = dls_moves_freely(body),
                    .sensor = body->sensor};
}

/* --- what near_2.c and near_3.c share */

/* How far the surface of body i can go in one step, m; at rest what counts as closed. */
double dls_travel(const dls_step *S, int i);

/* The same of two bodies together; where the motion of one is given, towards it: what both have in
** common brings them no nearer. (A free one may be stopped by a third.) */
double dls_travel_between(const dls_step *S, const dls_near_stage *N, int a, int b);

/* Whether two listed shapes may touch: groups and the filter may keep them apart. */
static inline bool dls_may_touch(const dls_step *S, const dls_near_stage *N, int i, int j) {
  return dls_bodies_meet(S->w, dls_body_at(S, N, i), dls_body_at(S, N, j));
}

dls_status dls_find_neighbours_2(dls_step *S, dls_near_stage *N, dls_disk_stage *disks);
dls_status dls_find_neighbours_3(dls_step *S, dls_near_stage *N);
dls_status dls_find_near_2(dls_step *S, dls_near_stage *N);
dls_status dls_find_near_3(dls_step *S, dls_near_stage *N);

#endif
