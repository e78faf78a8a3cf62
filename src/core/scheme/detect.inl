/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Who is near whom, and what touches. */

/* Bodies that a joint connects do not collide with each other. */
static bool are_jointed(const step *S, int a, int b) {
  const dls_world *w = S->w;
  if (w->n_joints == 0) return false;
  for (int e = 0; e < 2; e++) {
    const int joint = dls_trees_carrier(w, e == 0 ? a : b), other = e == 0 ? b : a;
    if (joint >= 0 && (w->joints[joint].a == other || w->joints[joint].b == other)) return true;
  }
  if (!S->jointed[a] || !S->jointed[b]) return false;
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *j = &w->joints[i];
    if (!j->alive || j->formulation == DLS_REDUCED) continue;
    if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return true;
  }
  return false;
}

/* A gap of this share of the smaller body is closed: bodies at rest on each other fall together
** when nothing holds them, so that a gap of round-off alone would not be seen to close. */
static const double CLOSED = 1e-9;

/* How far the body's surface can go in one step; at rest what counts as closed. */
static double travel(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const double *u = U(S->u_c, i), *f = U(S->u_ahead, i);
  double v = 0, v_f = 0, w = 0, w_f = 0;
  for (int k = 0; k < D; k++) v += u[k] * u[k], v_f += f[k] * f[k];
  for (int k = D; k < NU; k++) w += u[k] * u[k], w_f += f[k] * f[k];
  const double *com = body->com, off = com[0] * com[0] + com[1] * com[1] + com[2] * com[2];
  double arm = body->shape->bounded ? body->shape->reach : body->shape->radius;
  const double size = body->shape->bounded ? body->shape->reach : 0;
  if (off > 0) arm += sqrt(off);
  const double closed = CLOSED * size;
  return S->h * (sqrt(dls_max(v, v_f)) + arm * sqrt(dls_max(w, w_f))) + closed;
}

/* How far a point of it may be from its mass centre. */
static double longest_of(const dls_body *body) { return body->shape->reach + dls_v3_norm(dls_v3_load(body->com)); }

/* The bounds of a body's shape, widened by its way, as box number k. */
static void bound(step *S, const dls_body *body, int i, int k) {
  const double way = S->reach[i];
#if D == 2
  dls_vec2 low, high;
  dls_shape_bounds2(body->shape, &S->POSES[i], &low, &high);
#else
  dls_vec3 low, high;
  dls_shape_bounds3(body->shape, &S->POSES[i], &low, &high);
  S->bound[2][k] = low.z - way;
  S->bound[5][k] = high.z + way;
#endif
  S->bound[0][k] = low.x - way;
  S->bound[1][k] = low.y - way;
  S->bound[D][k] = high.x + way;
  S->bound[D + 1][k] = high.y + way;
}

#if D == 2
#include "core/scheme/disks.inl"

/* How far the projection may shift a disk of a large pile onto others, by its radius: they are to be in sight. */
static const double PRESSED = 1e-3;

/* What is no disk about its mass centre: its bounds, and what those who look at pairs see of it. Without a shape there
** is nothing of it anywhere. */
static void place_odd(step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const dls_shape *shape = body->shape;
  if (!body->alive || !shape) {
    S->bound[0][i] = S->bound[1][i] = DLS_INF, S->bound[2][i] = S->bound[3][i] = -DLS_INF;
    S->reach[i] = 0;
    return;
  }
  S->reach[i] = travel(S, i);
  S->disk[i] = (dls_spot2){S->POSES[i].x, S->POSES[i].y, -DLS_INF, 0};
  S->rim[i] = (dls_rim2){S->POSES[i].x, S->POSES[i].y, shape->reach + S->reach[i], 0};
  if (shape->kind == DLS_SHAPE_DRUM) {
    const dls_lifters *lifters = &shape->lifters;
    S->rim[i].hole = shape->radius - (lifters->count > 0 ? lifters->height : 0) - S->reach[i];
  }
  bound(S, body, i, i);
}

/* All bodies; whether one is farther from where its box was built than the list bears. */
static bool place_bodies(step *S) {
  const dls_columns *c = &S->w->columns;
  const dls_broad *list = &S->w->broad;
  const bool built = list->n == S->w->n_bodies;
  dls_placing of = {.q = S->q_c, .u = S->u_c, .f = S->u_ahead, .radius = c->radius, .h = S->h, .more = PRESSED,
                    .limit = 0.5 * list->skin, .disk = S->disk, .rim = S->rim, .way = S->reach};
  for (int k = 0; k < 4 && built; k++) of.built[k] = list->built + (size_t)k * (size_t)list->n_room;
  bool far = dls_motion_lanes_best()->place(S->w->n_bodies, &of);
  for (int e = 0; e < c->n_odd; e++) {
    const int i = c->odd[e];
    if (c->radius[i] > 0) continue;
    place_odd(S, i);
    for (int k = 0; k < 4 && built; k++) far |= fabs(S->bound[k][i] - of.built[k][i]) > of.limit;
  }
  return far || !built;
}

/* Bounds of disks, which place_odd() does not write. */
static void bound_disks(step *S) {
  const double *radius = S->w->columns.radius;
  for (int i = 0; i < S->w->n_bodies; i++) {
    const double x = S->disk[i].x, y = S->disk[i].y, r = radius[i], way = S->reach[i];
    if (!(r > 0)) continue;
    S->bound[0][i] = x - r - way, S->bound[1][i] = y - r - way;
    S->bound[2][i] = x + r + way, S->bound[3][i] = y + r + way;
  }
}

/* Widened bounds and the neighbour list, whose boxes have the numbers of the bodies. */
static dls_status find_neighbours(step *S) {
  dls_world *w = S->w;
  S->filtered = w->columns.filtered;
  if (!place_bodies(S)) return DLS_OK;
  bound_disks(S);
  if (!w->list_kept) dls_broad_save(&w->broad, w->undo + w->undo_list);
  w->list_kept = true;
  const double *const lo[2] = {S->bound[0], S->bound[1]}, *const hi[2] = {S->bound[2], S->bound[3]};
  return dls_broad_build(&w->broad, w->n_bodies, lo, hi, w->columns.idle);
}

/* Ball i as whoever looks at its touches sees it. */
static inline ball ball_of(const step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const bool free = moves_freely(body);
  return (ball){.x = S->disk[i].x, .y = S->disk[i].y, .radius = body->round, .body = i, .material = body->material,
                .free = free, .sensor = body->sensor};
}

/* Whose shape is number k of the neighbour list. */
static inline int body_at(const step *S, int k) {
  (void)S;
  return k;
}
#else
static void place_ball(step *S, const dls_body *body, int i, int k) {
  S->reach[i] = travel(S, i);
  ball *at = &S->ball[k];
  *at = (ball){.radius = body->round, .body = i, .material = body->material, .free = moves_freely(body),
               .sensor = body->sensor};
  at->reach = body->shape->reach + S->reach[i];
  at->x = S->POSES[i].p.x, at->y = S->POSES[i].p.y, at->z = S->POSES[i].p.z;
  dls_rod *rod = &S->around[k];
  *rod = S->rod[i];
  rod->r = rod->r > 0 ? rod->r + S->reach[i] + 1e-9 * body->shape->reach : DLS_INF;
  bound(S, body, i, k);
}

static inline ball ball_of(const step *S, int k) { return S->ball[k]; }

static inline int body_at(const step *S, int k) { return S->body_of[k]; }

/* Widened bounds and the neighbour list. */
static dls_status find_neighbours(step *S) {
  dls_world *w = S->w;
  const double *lo[D], *hi[D];
  int n = 0;
  bool filtered = false;
  S->ways.narrowest = DLS_INF;
  for (int i = 0; i < w->n_bodies; i++) {
    const dls_body *body = &w->bodies[i];
    if (!body->alive || !body->shape) continue;
    S->ways.narrowest = dls_min(S->ways.narrowest, body->shape->narrowest);
    if (moves_freely(body)) S->ways.longest = dls_max(S->ways.longest, longest_of(body));
    S->body_of[n] = i;
    S->idle[n] = !moves_freely(body);
    filtered |= (body->group != 1) | (body->collides != ~(uint32_t)0);
    place_ball(S, body, i, n);
    n++;
  }
  S->n_shapes = n;
  S->filtered = filtered;
  for (int d = 0; d < D; d++) {
    lo[d] = S->bound[d];
    hi[d] = S->bound[D + d];
  }
  if (!dls_broad_moved(&w->broad, S->n_shapes, lo, hi)) return DLS_OK;
  if (!w->list_kept) dls_broad_save(&w->broad, w->undo + w->undo_list);
  w->list_kept = true;
  return dls_broad_build(&w->broad, S->n_shapes, lo, hi, S->idle);
}
#endif

/* Whether two listed shapes may touch: groups may keep them apart. */
static inline bool may_touch(const step *S, int i, int j) {
  const dls_body *a = &S->w->bodies[body_at(S, i)], *b = &S->w->bodies[body_at(S, j)];
  return ((a->collides & b->group) != 0) & ((b->collides & a->group) != 0);
}

#if D == 2
/* The pairs of the list whose balls meet, in its order: sorted by a, then by b. */
static dls_status find_near(step *S) {
  const dls_broad *list = &S->w->broad;
  candidate *near = S->near;
  const int met = dls_gap_lanes_best()->near(list->n_pairs, list->a, list->b, S->rim, &near->a);
  int n = S->filtered ? 0 : met;
  for (int k = 0; S->filtered && k < met; k++) {
    near[n] = near[k];
    n += may_touch(S, near[k].a, near[k].b);
  }
  S->n_near = n;
  return DLS_OK;
}
#else
/* Whether the balls of two listed shapes, as far as they go in the step, meet. Without branches: what
** meets cannot be predicted. */
static inline bool balls_meet(const ball *a, const ball *b) {
  const double x = b->x - a->x, y = b->y - a->y, z = b->z - a->z, r = a->reach + b->reach;
  const double d2 = x * x + y * y + z * z;
  return !(d2 > r * r);
}

/* Several pairs at once: rods, whose balls say little. Positive: apart. False where joints may carry bodies
** farther than they go by themselves: then their balls decide. */
static bool take_apart(const step *S, double *apart) {
  const dls_broad *list = &S->w->broad;
  if (S->room_joints > 0 || dls_trees_used(S->w)) return false;
  dls_gap_lanes_best()->rods(list->n_pairs, list->a, list->b, S->around, apart);
  return true;
}

/* The pairs of the list whose balls meet, in its order: sorted by a, then by b. */
static dls_status find_near(step *S) {
  const dls_broad *list = &S->w->broad;
  candidate *near = S->near;
  dls_arena *tmp = &S->w->arena;
  const size_t mark = dls_arena_mark(tmp);
  double *apart = DLS_TAKE(tmp, double, list->n_pairs);
  if (!apart) return DLS_FULL;
  const bool known = take_apart(S, apart);
  int n = 0;
  for (int k = 0; k < list->n_pairs; k++) {
    const int i = list->a[k], j = list->b[k];
    near[n] = (candidate){i, j};
    bool meet = known ? !(apart[k] > 0) : balls_meet(&S->ball[i], &S->ball[j]);
    if (S->filtered) meet = meet && may_touch(S, i, j);
    n += meet;
  }
  dls_arena_release(tmp, mark);
  S->n_near = n;
  return DLS_OK;
}
#endif

/* How far a body goes in the step, at most. */
static double fastest_way(const step *S) {
  double most = 0;
#if D == 2
  double more[3] = {0, 0, 0};
  const double *reach = S->reach;
  int i = 0;
  for (const int n = S->w->n_bodies; i + 4 <= n; i += 4) {
    most = dls_max(most, reach[i]), more[0] = dls_max(more[0], reach[i + 1]);
    more[1] = dls_max(more[1], reach[i + 2]), more[2] = dls_max(more[2], reach[i + 3]);
  }
  for (; i < S->w->n_bodies; i++) most = dls_max(most, reach[i]);
  most = dls_max(dls_max(most, more[0]), dls_max(more[1], more[2]));
#else
  for (int k = 0; k < S->n_shapes; k++) most = dls_max(most, S->reach[S->body_of[k]]);
#endif
  return most;
}

static bool are_apart(const void *of, int a, int b) { return are_jointed(of, a, b); }

#if D == 3
/* A body that a touch stops has the inertia that it has there, and the velocities that belong to it: their angular
** momenta are those at q_c. */
static void weigh_at_stop(step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  const double *q = Q(S->ways.stand, i);
  const pose T = pose_of(body, q);
  double *before = U(S->u_c, i), *ahead = U(S->rows.u_free, i);
  const dls_vec3 L = angular_momentum(body, Q(S->q_c, i), before), L_ahead = angular_momentum(body, Q(S->q_c, i), ahead);
  weigh(S, i, &T);
  const double was = dls_v3_dot(L, dls_v3_load(before + 3));
  dls_v3_store(before + 3, rate_of(body, q, L));
  dls_v3_store(ahead + 3, rate_of(body, q, L_ahead));
  /* A turn that a step does not resolve may lead to more energy than there was: never. */
  const double is = dls_v3_dot(L, dls_v3_load(before + 3)), scale = is > was && was > 0 ? sqrt(was / is) : 1;
  for (int k = D; k < NU; k++) before[k] *= scale, ahead[k] *= scale;
}
#endif

/* Which near pairs are swift (ways.h). */
static dls_status chase_swift(step *S) {
  dls_world *w = S->w;
  dls_ways *ways = &S->ways;
  ways->w = w, ways->h = S->h, ways->theta = S->theta;
  ways->q_c = S->q_c, ways->u_c = S->u_c, ways->u_ahead = S->u_ahead;
  ways->probe = S->probe, ways->passed = S->passed, ways->probe_room = S->touch_room;
  ways->apart = are_apart, ways->of = S;
#if D == 2
  ways->narrowest = w->columns.narrowest, ways->longest = w->columns.longest;
  const int *body_of = NULL;
#else
  const int *body_of = S->body_of;
#endif
  ways->held = S->joined ? S->held : NULL;
  const dls_status status = dls_ways_chase(ways, S->n_near, &S->near->a, body_of, fastest_way(S));
#if D == 3
  for (int i = 0; status == DLS_OK && ways->stop && i < w->n_bodies; i++)
    if (dls_ways_stops(ways, i) && !is_round(&w->bodies[i])) weigh_at_stop(S, i);
#endif
  return status;
}

/* How far a body's shape reaches, m. */
static inline double span_of(const dls_body *body) { return body->round > 0 ? body->round : body->shape->reach; }

#if D == 3
/* One is a drum, and the other a rod that touches nothing of it: most logs of a bed. */
static bool is_far_inside(const step *S, int a, int b, double margin) {
  const dls_shape *x = S->w->bodies[a].shape, *y = S->w->bodies[b].shape;
  if (x->kind == DLS_SHAPE_DRUM && S->rod[b].r > 0) return dls_rod_inside(x, &S->POSES[a], &S->rod[b], margin);
  return y->kind == DLS_SHAPE_DRUM && S->rod[a].r > 0 && dls_rod_inside(y, &S->POSES[b], &S->rod[a], margin);
}
#endif

#if D == 2
/* The pose of a disk where it is placed, see step.placed. */
static inline void stand_disk(const step *S, int i) {
  if (S->placed && S->w->bodies[i].round > 0) S->POSES[i] = (pose){Q(S->placed, i)[0], Q(S->placed, i)[1], 1, 0};
}
#endif

#include "core/scheme/floor_pieces.inl"

/* The touches of two bodies within margin into S->touch, sorted by key. Answers how many there are,
** which may be more than there is room for (too_many). */
static int touches_of(const step *S, int a, int b, double margin) {
  const dls_body *body_a = &S->w->bodies[a], *body_b = &S->w->bodies[b];
  dls_touch *out = S->touch;
#if D == 2
  stand_disk(S, a), stand_disk(S, b);
  if (body_a->round > 0 && body_b->round > 0)
    return touch_disks(body_a->round, &S->POSES[a], body_b->round, &S->POSES[b], margin, out);
  if (body_a->shape->kind == DLS_SHAPE_DRUM && body_b->round > 0) {
    const int n = touch_shell(body_a->shape, &S->POSES[a], body_b->round, &S->POSES[b], margin, out);
    if (n >= 0) return n;
  }
  int n = dls_collide2(body_a->shape, &S->POSES[a], body_b->shape, &S->POSES[b], margin, out, S->touch_room);
#else
  if (S->rod && S->rod[a].r > 0 && S->rod[b].r > 0 && S->touch_room >= 3)
    return dls_rods_touch(&S->rod[a], &S->rod[b], margin, false, out);
  if (S->rod && is_far_inside(S, a, b, margin)) return 0;
  int n = dls_collide3(body_a->shape, &S->POSES[a], body_b->shape, &S->POSES[b], margin, out, S->touch_room);
#endif
  if (n > S->touch_room) return n;
  if (n > 0) n = clear_seams(S, a, b, false, n);
  if (n > 0) n = clear_seams(S, b, a, true, n);
  /* By key: few, so by insertion. */
  for (int i = 1; i < n; i++) {
    dls_touch touch = out[i];
    int j = i;
    for (; j > 0 && out[j - 1].key > touch.key; j--) out[j] = out[j - 1];
    out[j] = touch;
  }
  return n;
}

/* A pair touches at more points than there is room for: the step is repeated with more. */
static dls_status too_many(step *S, int n) {
  S->w->need_touches = n;
  return DLS_FULL;
}

/* Where the impulse acts on each body: both at one point between the surfaces, so that nothing
** is added to the angular momentum; beside a body that does not move freely, each at its own. */
static void points_of(const dls_world *w, int a, int b, const dls_touch *touch, dls_vec3 *on_a,
                      dls_vec3 *on_b) {
  *on_a = touch->point_a;
  *on_b = touch->point_b;
  if (moves_freely(&w->bodies[a]) && moves_freely(&w->bodies[b]))
    *on_a = *on_b = dls_v3_scale(0.5, dls_v3_add(touch->point_a, touch->point_b));
}

/* From the mass centre of a body at the given coordinates to a point. */
static dls_vec3 arm_to(const double *q, dls_vec3 point) {
  return dls_v3_sub(point, dls_v3(q[0], q[1], D == 3 ? q[2] : 0));
}

/* One row: force along d at r_b on b, -d at r_a on a. */
static void write_row(double *J, dls_vec3 d, dls_vec3 r_a, dls_vec3 r_b) {
#if D == 2
  J[0] = -d.x;
  J[1] = -d.y;
  J[2] = -(r_a.x * d.y - r_a.y * d.x);
  J[3] = d.x;
  J[4] = d.y;
  J[5] = r_b.x * d.y - r_b.y * d.x;
#else
  dls_v3_store(J, dls_v3_neg(d));
  dls_v3_store(J + 3, dls_v3_neg(dls_v3_cross(r_a, d)));
  dls_v3_store(J + 6, d);
  dls_v3_store(J + 9, dls_v3_cross(r_b, d));
#endif
}

/* One row of relative rotation about d (the plane's only axis, or an axis in space). */
static void write_turn(double *J, dls_vec3 d) {
  memset(J, 0, 2 * NU * sizeof(double));
#if D == 2
  (void)d;
  J[2] = -1;
  J[5] = 1;
#else
  dls_v3_store(J + 3, dls_v3_neg(d));
  dls_v3_store(J + 9, d);
#endif
}

/* The tangent of the plane is the normal turned by -90 degrees; in space any two. */
static void tangents(dls_vec3 n, dls_vec3 *t1, dls_vec3 *t2) {
#if D == 2
  *t1 = dls_v3(n.y, -n.x, 0);
  *t2 = dls_v3(0, 0, 1);
#else
  *t1 = dls_v3_orthogonal(n);
  *t2 = dls_v3_cross(n, *t1);
#endif
}
