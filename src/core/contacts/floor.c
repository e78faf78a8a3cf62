/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/contacts/floor.h"

#include "core/collide/seam.h"
#include "core/contacts/near.h"
#include "core/model/material.h"
#include "core/ways/ways_parts.h"

/* Whether body i may be a piece of a floor. */
static inline bool is_given(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return body->alive && body->shape && !body->sensor && !dls_is_free(S->w, i);
}

/* Whether two given bodies keep their places to each other. */
static bool moves_alike(const dls_step *S, int a, int b) {
  static const double SHARE = 1e-12; /* of their velocities: round-off */
  if (S->w->bodies[a].type == DLS_STATIC && S->w->bodies[b].type == DLS_STATIC) return true;
  const double *u = DLS_U(S, S->u_c, a), *v = DLS_U(S, S->u_c, b), *x = DLS_Q(S, S->q_c, a),
               *y = DLS_Q(S, S->q_c, b);
  const dls_vec3 w = dls_turn_of(S->dim, u), turn = dls_turn_of(S->dim, v);
  const dls_vec3 from = dls_point_of(S->dim, u), to = dls_point_of(S->dim, v);
  const dls_vec3 arm = dls_v3_sub(dls_point_of(S->dim, y), dls_point_of(S->dim, x)),
                 along = dls_v3_cross(w, arm);
  const dls_vec3 off = dls_v3_sub(dls_v3_sub(to, from), along);
  const double speed = dls_v3_norm(from) + dls_v3_norm(to) + dls_v3_norm(along);
  return dls_v3_norm(off) <= SHARE * speed &&
         dls_v3_norm(dls_v3_sub(turn, w)) <= SHARE * dls_v3_norm(w);
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
  /* by the numbers of near pairs */
  const unsigned char *idle = S->dim == 2 ? w->columns.idle : N->idle;
  int *from = N->beside_from;
  N->paved = are_many_given(S, N);
  if (!N->paved) return;
  memset(from, 0, ((size_t)w->n_bodies + 1) * sizeof(int));
  for (int turn = 0; turn < 2; turn++) { /* counts, then lists */
    for (int k = 0; k < N->n_near; k++) {
      const dls_near *pair = &N->near[k];
      if (idle[pair->a] == idle[pair->b]) continue;
      const bool turned = idle[pair->a];
      const int own = dls_body_at(S, N, turned ? pair->b : pair->a),
                other = dls_body_at(S, N, turned ? pair->a : pair->b);
      if (!is_given(S, other)) continue;
      if (turn == 0) from[own + 1]++;
      else N->beside[from[own]++] = other;
    }
    for (int i = 0; turn == 0 && i < w->n_bodies; i++) from[i + 1] += from[i];
  }
  for (int i = w->n_bodies; i > 0; i--) from[i] = from[i - 1];
  from[0] = 0;
}

static dls_pose3 pose_of(const dls_step *S, int i) {
  if (S->dim == 3) return S->T3[i];
  const dls_pose2 *T = &S->T2[i];
  return (dls_pose3){{{T->c, -T->s, 0, T->s, T->c, 0, 0, 0, 1}}, {T->x, T->y, 0}};
}

/* When touches are looked at: at q_c, or at the share s of the step on the ways of a pair. */
typedef struct moment {
  const dls_ways *ways; /* NULL: q_c                  */
  const dls_way *ground, *other; /* of the pair       */
  double s;                      /* share of the step */
} moment;

/* The pose then of a given body beside the pair; into *own where it stands nowhere else. */
static const dls_pose3 *pose_then(const dls_step *S, const moment *then, int i, dls_pose3 *own) {
  if (!then->ways || S->w->bodies[i].type == DLS_STATIC) {
    if (S->dim == 3) return &S->T3[i];
    *own = pose_of(S, i);
    return own;
  }
  const dls_way way = dls_ways_free(then->ways, i, 0);
  *own = dls_way_pose(&way, then->s);
  return own;
}

/* Whether a body's ball, or the half-space of a plane, is about the ground's point of one of the
** touches, as far as the one that touches reaches. */
static bool is_about(const dls_shape *shape, const dls_pose3 *pose, double reach,
                     const dls_touch *touch, bool turned, int n) {
  const bool plane = shape->kind == DLS_SHAPE_PLANE;
  const double more = DLS_SEAM_SLACK + 2 * reach, far = shape->reach + more;
  bool about = !(shape->bounded || plane) || !(reach < DLS_INF);
  const dls_vec3 m = plane ? dls_m3_apply(&pose->R, shape->normal) : dls_v3(0, 0, 0);
  for (int k = 0; k < n && !about; k++) {
    const dls_vec3 d = dls_v3_sub(turned ? touch[k].point_b : touch[k].point_a, pose->p);
    about = plane ? dls_v3_dot(m, d) - shape->offset <= more : dls_v3_dot(d, d) <= far * far;
  }
  return about;
}

enum { BESIDE_MOST = 32 }; /* bodies that a floor is looked for among, about one pair */

/* A pair as pieces of a floor and the body on them. */
typedef struct floor_pair {
  dls_ground all[BESIDE_MOST]; /* n */
  int n;                       /* pieces near the body */
  dls_gliding body;            /* that glides on them */
} floor_pair;

/* False: there is nothing to be asked. */
static bool make_pair(const dls_step *S, const dls_near_stage *N, const moment *then, int ground,
                      int other, bool turned, const dls_touch *touch, int n, floor_pair *out) {
  const dls_world *w = S->w;
  const dls_shape *shape = w->bodies[other].shape;
  if (!dls_may_be_ground(w->bodies[ground].shape)) return false;
  out->n = 1;
  /* its pose, once it is asked for */
  out->all[0].shape = w->bodies[ground].shape, out->all[0].alike = true;
  if (N->paved && !dls_is_free(w, ground) && dls_is_free(w, other))
    for (int k = N->beside_from[other]; k < N->beside_from[other + 1] && out->n < BESIDE_MOST;
         k++) {
      const int i = N->beside[k];
      const dls_shape *beside = w->bodies[i].shape;
      dls_pose3 own;
      if (i == ground) continue;
      const dls_pose3 *pose = pose_then(S, then, i, &own);
      if (!is_about(beside, pose, shape->reach, touch, turned, n) || !moves_alike(S, ground, i))
        continue;
      out->all[out->n++] =
          (dls_ground){beside, *pose, w->bodies[i].material == w->bodies[ground].material};
    }
  if (!dls_seams_any(out->all, out->n)) return false;
  out->all[0].pose = then->ways ? dls_way_pose(then->ground, then->s) : pose_of(S, ground);
  const dls_pose3 T = then->ways ? dls_way_pose(then->other, then->s) : pose_of(S, other);
  out->body =
      (dls_gliding){shape, S->dim == 2, T, dls_pose3_apply(&T, dls_v3_load(w->bodies[other].com)),
                    dls_gliding_round(shape), then->ways != NULL,
                    S->compliant && dls_world_material(w, ground, other).stiffness < DLS_INF};
  return true;
}

/* Of n touches those that are left, as dls_clear_seams. */
static int clear(const dls_step *S, const dls_near_stage *N, const moment *then, int ground,
                 int other, bool turned, dls_touch *touch, int n) {
  floor_pair pair;
  if (!make_pair(S, N, then, ground, other, turned, touch, n, &pair)) return n;
  return dls_seams_clear(pair.all, pair.n, turned, &pair.body, touch, n);
}

int dls_clear_seams(const dls_step *S, dls_near_stage *N, int ground, int other, bool turned,
                    int n) {
  const dls_shape *shape = S->w->bodies[ground].shape;
  /* one piece alone */
  if (!dls_is_of_pieces(shape) && (!N->paved || dls_is_free(S->w, ground))) return n;
  const moment now = {.s = 0};
  return clear(S, N, &now, ground, other, turned, N->touch, n);
}

/* The pair at the share s, the first or the second as the ground. */
static moment moment_of(const dls_ways *ways, const dls_pursuit *pair, bool turned, double s) {
  return (moment){ways, turned ? pair->b : pair->a, turned ? pair->a : pair->b, s};
}

int dls_clear_seams_then(const dls_ways *ways, const dls_pursuit *pair, int a, int b, double s,
                         dls_touch *touch, int n) {
  const moment ahead = moment_of(ways, pair, false, s), back = moment_of(ways, pair, true, s);
  if (n > 0) n = clear(ways->of, ways->floor, &ahead, a, b, false, touch, n);
  if (n > 0) n = clear(ways->of, ways->floor, &back, b, a, true, touch, n);
  return n;
}

bool dls_floor_meets(const dls_ways *ways, const dls_pursuit *pair, int a, int b,
                     const dls_touch *touch) {
  const bool turned = dls_is_free(ways->w, a);
  if (turned == dls_is_free(ways->w, b)) return false;
  const moment then = moment_of(ways, pair, turned, 1);
  floor_pair floor;
  if (!make_pair(ways->of, ways->floor, &then, turned ? b : a, turned ? a : b, turned, touch, 1,
                 &floor))
    return false;
  return dls_seams_carry(floor.all, floor.n, &floor.body, turned ? touch->point_b : touch->point_a,
                         turned ? dls_v3_neg(touch->normal) : touch->normal);
}
