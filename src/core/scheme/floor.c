/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/floor.h"

#include "core/collide/seam.h"
#include "core/scheme/near.h"

/* Whether body i may be a piece of a floor. */
static inline bool is_given(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return body->alive && body->shape && !body->sensor && !dls_is_free(S->w, i);
}

/* Whether two given bodies keep their places to each other. */
static bool moves_alike(const dls_step *S, int a, int b) {
  static const double SHARE = 1e-12; /* of their velocities: round-off */
  const double *u = DLS_U(S, S->u_c, a), *v = DLS_U(S, S->u_c, b), *x = DLS_Q(S, S->q_c, a), *y = DLS_Q(S, S->q_c, b);
  const dls_vec3 w = dls_turn_of(S->dim, u), turn = dls_turn_of(S->dim, v);
  const dls_vec3 from = dls_point_of(S->dim, u), to = dls_point_of(S->dim, v);
  const dls_vec3 arm = dls_v3_sub(dls_point_of(S->dim, y), dls_point_of(S->dim, x)), along = dls_v3_cross(w, arm);
  const dls_vec3 off = dls_v3_sub(dls_v3_sub(to, from), along);
  const double speed = dls_v3_norm(from) + dls_v3_norm(to) + dls_v3_norm(along);
  return dls_v3_norm(off) <= SHARE * speed && dls_v3_norm(dls_v3_sub(turn, w)) <= SHARE * dls_v3_norm(w);
}

/* Whether several bodies with shapes are given: one alone is no floor of bodies. */
static bool are_many_given(const dls_step *S, const dls_near_stage *N) {
  int given = 0;
  const dls_columns *c = &S->w->columns;
  const int n = S->dim == 2 ? c->n_general : N->n_shapes;
  for (int k = 0; k < n && given < 2; k++)
    given += S->dim == 2 ? is_given(S, c->general[k]) : N->idle[k] && is_given(S, N->body_of[k]);
  return given > 1;
}

void dls_note_beside(dls_step *S, dls_near_stage *N) {
  const dls_world *w = S->w;
  int *from = N->beside_from;
  N->paved = are_many_given(S, N);
  if (!N->paved) return;
  memset(from, 0, ((size_t)w->n_bodies + 1) * sizeof(int));
  for (int turn = 0; turn < 2; turn++) { /* counts, then lists */
    for (int k = 0; k < N->n_near; k++) {
      const int a = dls_body_at(S, N, N->near[k].a), b = dls_body_at(S, N, N->near[k].b);
      if (dls_is_free(w, a) == dls_is_free(w, b)) continue;
      const int own = dls_is_free(w, a) ? a : b, other = own == a ? b : a;
      if (!is_given(S, other)) continue;
      if (turn == 0) from[own + 1]++;
      else N->beside[from[own]++] = other;
    }
    for (int i = 0; turn == 0 && i < w->n_bodies; i++) from[i + 1] += from[i];
  }
  for (int i = w->n_bodies; i > 0; i--) from[i] = from[i - 1];
  from[0] = 0;
}

static dls_ground ground_at(const dls_step *S, int i) {
  dls_ground g = {.shape = S->w->bodies[i].shape};
  if (S->dim == 3) {
    g.pose = S->T3[i];
    return g;
  }
  const dls_pose2 *T = &S->T2[i];
  g.pose = (dls_pose3){{{T->c, -T->s, 0, T->s, T->c, 0, 0, 0, 1}}, {T->x, T->y, 0}};
  return g;
}

/* The mass centre of a body where its pose is. */
static dls_vec3 centre_of(const dls_step *S, int i) {
  const double *com = S->w->bodies[i].com;
  if (S->dim == 3) return dls_v3_add(S->T3[i].p, dls_turned_3(&S->T3[i], com));
  const dls_vec3 r = dls_turned_2(&S->T2[i], com);
  return dls_v3(S->T2[i].x + r.x, S->T2[i].y + r.y, 0);
}

enum { BESIDE_MOST = 32 }; /* bodies that a floor is looked for among, about one pair */

int dls_clear_seams(const dls_step *S, const dls_near_stage *N, int ground, int other, bool turned, int n) {
  const dls_world *w = S->w;
  const dls_shape *own = w->bodies[ground].shape, *shape = w->bodies[other].shape;
  dls_ground all[BESIDE_MOST];
  int n_all = 1;
  all[0].shape = own;
  if (N->paved && !dls_is_free(w, ground) && dls_is_free(w, other))
    for (int k = N->beside_from[other]; k < N->beside_from[other + 1] && n_all < BESIDE_MOST; k++) {
      const int i = N->beside[k];
      if (i != ground && moves_alike(S, ground, i)) all[n_all++] = ground_at(S, i);
    }
  if (!dls_seams_any(all, n_all)) return n;
  all[0] = ground_at(S, ground);
  const int kind = shape->kind;
  const bool round = kind == DLS_SHAPE_SPHERE || kind == DLS_SHAPE_CAPSULE || kind == DLS_SHAPE_DISK;
  const dls_gliding body = {centre_of(S, other), shape->bounded ? shape->reach : DLS_INF, round ? shape->radius : 0};
  return dls_seams_clear(all, n_all, turned, &body, N->touch, n);
}
