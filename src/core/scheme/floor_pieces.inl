/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Floors in pieces: given bodies beside each other, children, triangles (collide/seam.h). */

/* Whether body i may be a piece of a floor. */
static inline bool is_given(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  return body->alive && body->shape && !body->sensor && !is_free(S->w, i);
}

/* Whether two given bodies keep their places to each other. */
static bool moves_alike(const step *S, int a, int b) {
  static const double SHARE = 1e-12; /* of their velocities: round-off */
  const double *u = U(S->u_c, a), *v = U(S->u_c, b), *x = Q(S->q_c, a), *y = Q(S->q_c, b);
  const dls_vec3 w = D == 2 ? dls_v3(0, 0, u[2]) : dls_v3_load(u + D), turn = D == 2 ? dls_v3(0, 0, v[2]) : dls_v3_load(v + D);
  const dls_vec3 from = dls_v3(u[0], u[1], D == 3 ? u[2] : 0), to = dls_v3(v[0], v[1], D == 3 ? v[2] : 0);
  const dls_vec3 arm = dls_v3(y[0] - x[0], y[1] - x[1], D == 3 ? y[2] - x[2] : 0), along = dls_v3_cross(w, arm);
  const dls_vec3 off = dls_v3_sub(dls_v3_sub(to, from), along);
  const double speed = dls_v3_norm(from) + dls_v3_norm(to) + dls_v3_norm(along);
  return dls_v3_norm(off) <= SHARE * speed && dls_v3_norm(dls_v3_sub(turn, w)) <= SHARE * dls_v3_norm(w);
}

/* Whether several bodies with shapes are given: one alone is no floor of bodies. */
static bool are_many_given(const step *S) {
  int given = 0;
#if D == 2
  const dls_columns *c = &S->w->columns;
  for (int e = 0; e < c->n_odd && given < 2; e++) given += is_given(S, c->odd[e]);
#else
  for (int k = 0; k < S->n_shapes && given < 2; k++) given += S->idle[k] && is_given(S, S->body_of[k]);
#endif
  return given > 1;
}

/* Which given bodies each free one is near, from the near pairs. */
static void note_beside(step *S) {
  const dls_world *w = S->w;
  int *from = S->beside_from;
  S->paved = are_many_given(S);
  if (!S->paved) return;
  memset(from, 0, ((size_t)w->n_bodies + 1) * sizeof(int));
  for (int turn = 0; turn < 2; turn++) { /* counts, then lists */
    for (int k = 0; k < S->n_near; k++) {
      const int a = body_at(S, S->near[k].a), b = body_at(S, S->near[k].b);
      if (is_free(w, a) == is_free(w, b)) continue;
      const int own = is_free(w, a) ? a : b, other = own == a ? b : a;
      if (!is_given(S, other)) continue;
      if (turn == 0) from[own + 1]++;
      else S->beside[from[own]++] = other;
    }
    for (int i = 0; turn == 0 && i < w->n_bodies; i++) from[i + 1] += from[i];
  }
  for (int i = w->n_bodies; i > 0; i--) from[i] = from[i - 1];
  from[0] = 0;
}

static dls_ground ground_at(const step *S, int i) {
  dls_ground g = {.shape = S->w->bodies[i].shape};
#if D == 2
  const pose *T = &S->POSES[i];
  g.pose = (dls_pose3){{{T->c, -T->s, 0, T->s, T->c, 0, 0, 0, 1}}, {T->x, T->y, 0}};
#else
  g.pose = S->POSES[i];
#endif
  return g;
}

/* The mass centre of a body where its pose is. */
static dls_vec3 centre_of(const step *S, int i) {
  const dls_vec3 r = turned(&S->POSES[i], S->w->bodies[i].com);
#if D == 2
  return dls_v3(S->POSES[i].x + r.x, S->POSES[i].y + r.y, 0);
#else
  return dls_v3_add(S->POSES[i].p, r);
#endif
}

enum { BESIDE_MOST = 32 }; /* bodies that a floor is looked for among, about one pair */

/* Of n touches of `ground` with `other` those that the floor it may be part of has as well. */
static int clear_seams(const step *S, int ground, int other, bool turned, int n) {
  const dls_world *w = S->w;
  const dls_shape *own = w->bodies[ground].shape, *shape = w->bodies[other].shape;
  dls_ground all[BESIDE_MOST];
  int n_all = 1;
  all[0].shape = own;
  if (S->paved && !is_free(w, ground) && is_free(w, other))
    for (int k = S->beside_from[other]; k < S->beside_from[other + 1] && n_all < BESIDE_MOST; k++) {
      const int i = S->beside[k];
      if (i != ground && moves_alike(S, ground, i)) all[n_all++] = ground_at(S, i);
    }
  if (!dls_seams_any(all, n_all)) return n;
  all[0] = ground_at(S, ground);
  const bool round = shape->kind == DLS_SHAPE_SPHERE || shape->kind == DLS_SHAPE_CAPSULE || shape->kind == DLS_SHAPE_DISK;
  const dls_gliding body = {centre_of(S, other), shape->bounded ? shape->reach : DLS_INF, round ? shape->radius : 0};
  return dls_seams_clear(all, n_all, turned, &body, S->touch, n);
}
