/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/wedges.h"

#include <string.h>

#include "core/model/motion.h"

/* Of the velocities, who turns together: motions that are given without rates are differenced. */
static const double ALIKE = 1e-6;

static dls_vec3 turn_of(const dls_step *S, int i) {
  return dls_turn_of(S->dim, DLS_U(S, S->u_c, i));
}

static dls_vec3 place_of(const dls_step *S, int i) {
  return dls_point_of(S->dim, DLS_Q(S, S->q_c, i));
}

/* What the velocities of a given body gain from q_c to the end: as it turns, and of its centre. */
static dls_vec3 turn_gain(const dls_step *S, int i) {
  if (!dls_is_prescribed(S, i)) return dls_v3(0, 0, 0);
  return dls_v3_sub(dls_turn_of(S->dim, DLS_U(S, S->u_end, i)), turn_of(S, i));
}

static dls_vec3 centre_gain(const dls_step *S, int i) {
  if (!dls_is_prescribed(S, i)) return dls_v3(0, 0, 0);
  return dls_v3_sub(dls_point_of(S->dim, DLS_U(S, S->u_end, i)),
                    dls_point_of(S->dim, DLS_U(S, S->u_c, i)));
}

/* Whether both have the velocity of one rigid body. */
static bool turn_together(const dls_step *S, int i, int j) {
  const dls_vec3 w = turn_of(S, i), way = dls_v3_sub(place_of(S, j), place_of(S, i));
  const dls_vec3 v = dls_v3_sub(dls_point_of(S->dim, DLS_U(S, S->u_c, j)),
                                dls_point_of(S->dim, DLS_U(S, S->u_c, i)));
  const dls_shape *shape = S->w->bodies[j].shape;
  const double fast = dls_v3_norm(w), reach = shape->bounded ? shape->reach : 0;
  return dls_v3_norm(dls_v3_sub(turn_of(S, j), w)) <= ALIKE * fast &&
         dls_v3_norm(dls_v3_sub(v, dls_v3_cross(w, way))) <=
             ALIKE * fast * (dls_v3_norm(way) + reach);
}

/* Body i joins those that turn together with it, or is the first of others. */
static void join(const dls_step *S, dls_contact_stage *C, int i) {
  int k = 0;
  while (k < C->n_together && !turn_together(S, C->together[k].first, i)) k++;
  if (k == DLS_TOGETHER) return;
  dls_together *set = &C->together[k];
  if (k == C->n_together) {
    C->n_together++;
    *set = (dls_together){.first = i};
  }
  C->together_of[i] = (signed char)k;
  const double share = 1.0 / ++set->n;
  set->centre = dls_v3_axpy(set->centre, share, dls_v3_sub(place_of(S, i), set->centre));
  set->gain = dls_v3_axpy(set->gain, share, dls_v3_sub(centre_gain(S, i), set->gain));
}

void dls_note_together(const dls_step *S, dls_contact_stage *C) {
  const dls_world *w = S->w;
  memset(C->together_of, -1, (size_t)w->n_bodies);
  C->n_together = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    if (dls_is_free(w, i) || !w->bodies[i].alive || !w->bodies[i].shape) continue;
    const dls_vec3 turn = turn_of(S, i);
    if (dls_v3_dot(turn, turn) > 0) join(S, C, i);
  }
}

bool dls_wedges_others(const dls_step *S, const dls_contact_stage *C, int i) {
  const dls_shape *shape = S->w->bodies[i].shape;
  const int k = C->together_of[i];
  return shape && (shape->n_children > 1 || shape->kind == DLS_SHAPE_MESH ||
                   (shape->kind == DLS_SHAPE_DRUM && shape->lifters.count > 0) ||
                   (k >= 0 && C->together[k].n > 1));
}

dls_carried dls_together_gain(const dls_step *S, const dls_contact_stage *C, int i, dls_vec3 arm) {
  const dls_vec3 turn = turn_gain(S, i);
  const int k = C->together_of[i];
  if (k < 0) return (dls_carried){dls_v3_add(centre_gain(S, i), dls_v3_cross(turn, arm)), turn};
  const dls_together *all = &C->together[k];
  const dls_vec3 from = dls_v3_add(dls_v3_sub(place_of(S, i), all->centre), arm);
  return (dls_carried){dls_v3_add(all->gain, dls_v3_cross(turn, from)), turn};
}
