/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
/* Rigid contacts at the coordinates of now, as rows on accelerations: those whose gap is closed and does
** not open. Pairs are found by a sweep along x: the neighbour list belongs to steps. */

/* Slower than this share of what a body is wide, in a second, is at rest. */
static const double AT_REST = 1e-9;

static bool may_act(const step *S, int a, int b) {
  const dls_body *x = &S->w->bodies[a], *y = &S->w->bodies[b];
  if (!x->alive || !y->alive || !x->shape || !y->shape || x->sensor || y->sensor) return false;
  if (!moves_freely(x) && !moves_freely(y)) return false;
  if ((x->collides & y->group) == 0 || (y->collides & x->group) == 0) return false;
  return !are_jointed(S, a, b);
}

/* n, t1, t2 of a touch with the bodies at q; the frame of the touch, or the one given. */
static void touch_rows(const step *S, int a, int b, const dls_touch *touch, const double *q_a,
                       const double *q_b, double J[3][2 * NU]) {
  dls_vec3 on_a, on_b, t[2];
  points_of(S->w, a, b, touch, &on_a, &on_b);
  tangents(touch->normal, &t[0], &t[1]);
  for (int k = 0; k < D; k++)
    write_row(J[k], k == 0 ? touch->normal : t[k - 1], arm_to(q_a, on_a), arm_to(q_b, on_b));
}

/* The rows' velocities of the touch `key` where the bodies have gone on for the time s; false: it is gone. */
static bool rates_after(step *S, int a, int b, uint64_t key, double s, double slack, double v[3]) {
  const dls_world *w = S->w;
  double q[2][NQ], J[3][2 * NU];
  const int body[2] = {a, b};
  const pose kept[2] = {S->T[a], S->T[b]};
  dls_touch *const all = S->touch, *touch = all + S->touch_room; /* the caller's are in front */
  for (int e = 0; e < 2; e++) {
    memcpy(q[e], Q(w->q, body[e]), sizeof q[e]);
    drift(q[e], s, U(w->u, body[e]));
    S->T[body[e]] = pose_of(&w->bodies[body[e]], q[e]);
  }
  S->touch = touch;
  const int n = touches_of(S, a, b, slack);
  S->touch = all;
  bool found = false;
  for (int i = 0; i < n && i < S->touch_room && !found; i++) {
    if (touch[i].key != key) continue;
    found = true;
    touch_rows(S, a, b, &touch[i], q[0], q[1], J);
    for (int k = 0; k < D; k++) v[k] = row_velocity(J[k], U(w->u, a), U(w->u, b));
  }
  S->T[a] = kept[0];
  S->T[b] = kept[1];
  return found;
}

/* What the touch's rows accelerate by themselves: d/dt (J) u, by central differences over a way that
** is small against the bodies and large against rounding; exactly zero at rest. */
static void own_rates(step *S, int a, int b, const dls_touch *touch, double size, double out[3]) {
  static const double WAY = 1e-5;
  const dls_world *w = S->w;
  double fast = 0, before[3], after[3];
  for (int k = 0; k < NU; k++) {
    const double unit = k < D ? 1 : size;
    fast = dls_max(fast, unit * dls_max(fabs(U(w->u, a)[k]), fabs(U(w->u, b)[k])));
  }
  out[0] = out[1] = out[2] = 0;
  if (!(fast > 0)) return;
  const double s = WAY * size / fast, slack = 4 * WAY * size + fabs(touch->gap);
  if (!rates_after(S, a, b, touch->key, s, slack, after)) return;
  if (!rates_after(S, a, b, touch->key, -s, slack, before)) return;
  for (int k = 0; k < D; k++) out[k] = (after[k] - before[k]) / (2 * s);
}

/* The rows of one touch: a cone at rest; a normal and a direction of slip where it slides; none where it
** opens. */
static dls_status rows_of_touch(step *S, int a, int b, const dls_touch *touch, dls_joint_row *out,
                                int *n) {
  dls_world *w = S->w;
  const double size = 2 * dls_min(w->bodies[a].shape->reach, w->bodies[b].shape->reach);
  const dls_material m = dls_world_material(w, a, b);
  double J[3][2 * NU], v[3] = {0}, own[3], mu = 0, slip = 0;
  touch_rows(S, a, b, touch, Q(w->q, a), Q(w->q, b), J);
  for (int k = 0; k < D; k++) v[k] = row_velocity(J[k], U(w->u, a), U(w->u, b));
  if (touch->gap > CLOSED * size || v[0] > AT_REST * size || m.stiffness < DLS_INF) return DLS_OK;
  slip = sqrt(v[1] * v[1] + v[2] * v[2]);
  dls_status status = friction_at(w, &m, slip, &mu);
  if (status != DLS_OK) return status;
  own_rates(S, a, b, touch, size, own);
  const bool slides = slip > AT_REST * size && mu > 0, sticks = mu > 0 && !slides;
  const int count = sticks ? D : slides ? 2 : 1;
  for (int k = 0; k < count; k++) {
    dls_joint_row *row = &out[(*n)++];
    *row = (dls_joint_row){.kind = sticks ? DLS_ROW_CONE : DLS_ROW_UNILATERAL, .what = k, .a = a,
                           .b = b, .n_ends = 2, .gap = touch->gap, .v = v[k], .bias = -own[k],
                           .mu = mu, .hi = DLS_INF};
    memcpy(row->J, J[k], sizeof J[k]);
    if (!slides || k == 0) continue;
    row->kind = DLS_ROW_BOX; /* along the slip, against it: -mu of the row before */
    row->v = 0;
    for (int i = 0; i < 2 * NU; i++)
      row->J[i] = (v[1] * J[1][i] + (D == 3 ? v[2] * J[2][i] : 0)) / slip;
  }
  return DLS_OK;
}

/* The bodies with shapes, by where they begin along x. Room from the world's arena. */
typedef struct row_of_shapes {
  int n, *body;
  double *lo; /* n_bodies: by body */
} row_of_shapes;

static double reach_of(const dls_world *w, int i) {
  return w->bodies[i].shape->bounded ? w->bodies[i].shape->reach : DLS_INF;
}

#if D == 2
#define ORIGIN_X(T) ((T).x)
#else
#define ORIGIN_X(T) ((T).p.x)
#endif

static dls_status line_up(step *S, row_of_shapes *r) {
  dls_world *w = S->w;
  const size_t n = (size_t)w->n_bodies;
  size_t bytes = dls_arena_bytes(n, sizeof(pose));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, 1));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(2 * (size_t)w->touch_room, sizeof(dls_touch)));
  bytes = dls_bytes_add(bytes, dls_bytes_add(dls_sort_bytes(w->n_bodies), 256));
  if (w->arena.size < bytes) {
    dls_status grown = dls_arena_reserve(&w->arena, &w->alloc, bytes);
    if (grown != DLS_OK) return grown;
  }
  w->arena.used = 0;
  S->T = DLS_TAKE(&w->arena, pose, n);
  r->body = DLS_TAKE(&w->arena, int, n);
  r->lo = DLS_TAKE(&w->arena, double, n);
  S->touch_room = w->touch_room;
  S->touch = DLS_TAKE(&w->arena, dls_touch, 2 * w->touch_room);
  S->jointed = DLS_TAKE(&w->arena, unsigned char, n);
  if (!S->T || !r->body || !r->lo || !S->touch || !S->jointed) return DLS_FULL;
  memset(S->jointed, 0, n);
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation != DLS_REDUCED)
      S->jointed[w->joints[i].a] = S->jointed[w->joints[i].b] = 1;
  r->n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive || !w->bodies[i].shape) continue;
    S->T[i] = pose_of(&w->bodies[i], Q(w->q, i));
    r->lo[i] = ORIGIN_X(S->T[i]) - reach_of(w, i);
    r->body[r->n++] = i;
  }
  return dls_sort_by_double(r->n, r->lo, r->body, &w->arena);
}

static dls_status touches_now(step *S, int a, int b, dls_joint_row *out, int room, int *n) {
  dls_world *w = S->w;
  const double reach = dls_min(w->bodies[a].shape->reach, w->bodies[b].shape->reach);
  const int n_touches = touches_of(S, a, b, 2 * CLOSED * reach);
  if (n_touches > S->touch_room) return too_many(S, n_touches);
  for (int i = 0; i < n_touches; i++) {
    dls_joint_row rows[3];
    int made = 0;
    dls_status status = rows_of_touch(S, a, b, &S->touch[i], rows, &made);
    if (status != DLS_OK) return status;
    for (int k = 0; k < made; k++, ++*n)
      if (*n < room) out[*n] = rows[k];
  }
  return DLS_OK;
}

static dls_status try_contacts(dls_world *w, dls_joint_row *out, int room, int *n) {
  step S = {.w = w, .q_c = w->q};
  row_of_shapes r;
  *n = 0;
  dls_status status = line_up(&S, &r);
  for (int i = 0; status == DLS_OK && i < r.n; i++) {
    const int x = r.body[i];
    const double hi = ORIGIN_X(S.T[x]) + reach_of(w, x) * (1 + 4 * CLOSED);
    for (int j = i + 1; status == DLS_OK && j < r.n && r.lo[r.body[j]] <= hi; j++) {
      const int a = x < r.body[j] ? x : r.body[j], b = x < r.body[j] ? r.body[j] : x;
      if (may_act(&S, a, b)) status = touches_now(&S, a, b, out, room, n);
    }
  }
  return status;
}

/* Again where a pair touches at more points than there is room for. */
static dls_status contacts_now(dls_world *w, dls_joint_row *out, int room, int *n) {
  dls_status status = try_contacts(w, out, room, n);
  while (status == DLS_FULL && w->need_touches > w->touch_room) {
    w->touch_room = w->need_touches + w->need_touches / 2;
    status = try_contacts(w, out, room, n);
  }
  return status;
}
