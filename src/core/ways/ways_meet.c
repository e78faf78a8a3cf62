/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/ways/ways_meet.h"

#include "core/collide/broad_search.h"
#include "core/ways/ways_parts.h"

/* --- bounds of speeds ------------------------------------------------------------------------- */

static double turn_of(const double *u, int dim) {
  return dim == 2 ? fabs(u[2]) : dls_v3_norm(dls_v3_load(u + 3));
}

static dls_vec3 place(const double *x, int dim) { return dls_v3(x[0], x[1], dim == 3 ? x[2] : 0); }

/* The most that body i turns in the two parts of its free way, rad a step. */
static void turns_of(const dls_ways *ways, int i, double turn[2]) {
  const double *q = dls_ways_q(ways, ways->w->q, i), *u = dls_ways_u(ways, ways->w->u, i);
  const double *q_c = dls_ways_q(ways, ways->q_c, i), middle = 1 - ways->theta;
  const double *ends[2] = {dls_ways_u(ways, ways->u_c, i), dls_ways_u(ways, ways->u_ahead, i)};
  dls_tumble tumble;
  turn[0] = turn[1] = 0;
  for (int k = 0; k < 2; k++) {
    dls_leg leg = {.turn = ways->w->dim == 2 ? dls_q_identity() : dls_q_load(q_c + 3)};
    const bool tumbles = dls_ways_turns_freely(ways, i, q_c, ends[k], &tumble, &leg);
    turn[1] = dls_max(turn[1], tumbles ? leg.most : ways->h * turn_of(ends[k], ways->w->dim));
  }
  if (!(middle > 0)) return;
  if (ways->w->dim == 2) {
    turn[0] = fabs(q_c[2] - q[2]) / middle;
    return;
  }
  dls_leg leg = {.turn = dls_q_load(q + 3)};
  const dls_vec3 rate = dls_v3_scale(middle * ways->h, dls_v3_load(u + 3));
  if (dls_ways_turns_freely(ways, i, q, u, &tumble, &leg)) turn[0] = leg.most;
  else turn[0] = dls_v3_norm(dls_ways_turn(dls_q_load(q + 3), dls_q_load(q_c + 3), rate)) / middle;
}

/* A free body whose shape and inertia are round about its first axis: what it turns by along that
** axis, and across it, it keeps on its way. */
static bool is_free_rod(const dls_ways *ways, int i) {
  const dls_body *body = &ways->w->bodies[i];
  const dls_way as =
      dls_way_blank(body->shape, dls_v3_load(body->com), ways->w->dim == 2, i);
  const double *J = body->inertia;
  if (!dls_way_is_round(&as) || !dls_moves_freely(body) || (ways->held && ways->held[i]))
    return false;
  return J[4] == J[8] && J[1] == 0 && J[2] == 0 && J[5] == 0;
}

/* The way of its points by rotation with the velocities u at q, m a step; a little more, since a
** turn that the step does not resolve leads along chords. */
static double rod_turning(const dls_ways *ways, int i, const double *q, const double *u) {
  static const double MORE = 1 + 1e-4;
  const dls_shape *shape = ways->w->bodies[i].shape;
  const dls_vec3 rate = dls_v3_load(u + 3), axis = dls_q_rotate(dls_q_load(q + 3), dls_v3(1, 0, 0));
  const double across = dls_v3_norm(dls_v3_cross(rate, axis)), all = dls_v3_norm(rate);
  const double arm = dls_v3_norm(dls_v3_load(ways->w->bodies[i].com)) + shape->reach;
  return MORE * ways->h *
         dls_min(all * arm, across * arm + all * dls_max(shape->radius, shape->radius2));
}

dls_way_speed dls_ways_speed(const dls_ways *ways, int i) {
  const int dim = ways->w->dim;
  const dls_body *body = &ways->w->bodies[i];
  const dls_shape *shape = body->shape;
  const double middle = 1 - ways->theta, h = ways->h, off = dls_v3_norm(dls_v3_load(body->com));
  const double *c = dls_ways_u(ways, ways->u_c, i), *ahead = dls_ways_u(ways, ways->u_ahead, i);
  const double *q = dls_ways_q(ways, ways->w->q, i), *q_c = dls_ways_q(ways, ways->q_c, i);
  const dls_vec3 forced = dls_v3_sub(place(ahead, dim), place(c, dim)), from = place(q, dim),
                 to = place(q_c, dim);
  const bool ball = shape->kind == DLS_SHAPE_DISK || shape->kind == DLS_SHAPE_SPHERE;
  double turn[2] = {0, 0}, turning[2];
  dls_way_speed s = {.v[1] = dls_v3_scale(h, place(c, dim)), .x = {from, to}, .size = shape->reach,
                     .narrowest = shape->narrowest};
  const double arm = off + (ball || !shape->bounded ? 0 : shape->reach);
  if (shape->bounded && !(arm > 0)) {
    turning[0] = turning[1] = 0;
  } else if (is_free_rod(ways, i)) {
    turning[0] = rod_turning(ways, i, q, dls_ways_u(ways, ways->w->u, i));
    turning[1] = dls_max(rod_turning(ways, i, q_c, c), rod_turning(ways, i, q_c, ahead));
  } else {
    turns_of(ways, i, turn);
    for (int k = 0; k < 2; k++) turning[k] = turn[k] > 0 ? turn[k] * arm : 0;
  }
  if (!shape->bounded) s.turn[0] = turn[0], s.turn[1] = turn[1];
  s.more[1] = h * dls_v3_norm(forced) + turning[1];
  if (!(middle > 0)) return s;
  s.v[0] = dls_v3_scale(1 / middle, dls_v3_sub(to, from));
  s.more[0] = turning[0];
  return s;
}

/* Whether body i is a ball as dls_ball_way has it. */
static inline bool is_lone_ball(const dls_ways *ways, int dim, int i) {
  const dls_world *w = ways->w;
  const bool held = ways->held && ways->held[i];
  if (dim == 2) return (w->columns.radius[i] > 0) & (w->columns.inv_mass[i] > 0) & !held;
  return w->bodies[i].disk_radius > 0 && dls_moves_freely(&w->bodies[i]) && !held;
}

/* The square of a way that begins with the velocities u and ends with those of f, less `stream`,
** m^2: with its change in the step, (|v| + |d|)^2 <= (1 + 1/16) |v|^2 + 17 |d|^2. */
static inline double square_way(int dim, double h, const double *u, const double *f,
                                const double *stream) {
  double v2 = 0, d2 = 0;
  for (int k = 0; k < dim; k++) {
    const double v = h * u[k] - stream[k], d = h * (f[k] - u[k]);
    v2 += v * v, d2 += d * d;
  }
  return 1.0625 * v2 + 17 * d2;
}

/* dim: the dimension, a constant. */
static inline void square_ways(const dls_ways *ways, int dim, double most, dls_ball_way *way) {
  const dls_world *w = ways->w;
  const double h = ways->h, rest[3] = {0, 0, 0};
  const size_t nu = DLS_NU((size_t)dim);
  double sum[3] = {0, 0, 0}, stream[3];
  int n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    const double *u = ways->u_c + (size_t)i * nu;
    way[i] = (dls_ball_way){DLS_INF, DLS_INF};
    if (!is_lone_ball(ways, dim, i)) continue;
    way[i].alone = square_way(dim, h, u, ways->u_ahead + (size_t)i * nu, rest);
    if (!(4 * way[i].alone >= most)) continue;
    for (int k = 0; k < dim; k++) sum[k] += h * u[k]; /* their mean is the stream */
    n++;
  }
  if (n == 0) return;
  for (int k = 0; k < dim; k++) stream[k] = sum[k] / n;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!(way[i].alone < DLS_INF)) continue;
    const size_t at = (size_t)i * nu;
    way[i].streaming = square_way(dim, h, ways->u_c + at, ways->u_ahead + at, stream);
  }
}

void dls_ways_of_balls(const dls_ways *ways, double most, dls_ball_way *way) {
  if (ways->w->dim == 2) square_ways(ways, 2, most, way);
  else square_ways(ways, 3, most, way);
}

bool dls_ways_is_slow(const dls_way_speed *a, const dls_way_speed *b) {
  static const double ROUND_OFF = 1e-9;
  const double size = dls_min(a->size, b->size);
  double most = 0;
  for (int leg = 0; leg < 2; leg++) {
    const double turn = a->turn[leg] + b->turn[leg];
    const double far = turn > 0 ? dls_v3_norm(dls_v3_sub(b->x[leg], a->x[leg])) + size : 0;
    most = dls_max(most, dls_v3_norm(dls_v3_sub(b->v[leg], a->v[leg])) + a->more[leg] +
                             b->more[leg] + turn * far);
  }
  return most < (1 - ROUND_OFF) * DLS_SWIFT * dls_min(a->narrowest, b->narrowest);
}

/* --- pairs that may meet ---------------------------------------------------------------------- */

/* What the axis of a rod turns by in the step, at most, rad: as fast as it set out, was pushed or
** went, twice. */
static double most_across(const dls_ways *ways, const dls_ways_outcome *out, int i) {
  const dls_vec3 axis =
      dls_q_rotate(dls_q_load(dls_ways_q(ways, ways->w->q, i) + 3), dls_v3(1, 0, 0));
  const double *all[] = {dls_ways_u(ways, ways->w->u, i), dls_ways_u(ways, ways->u_c, i),
                         dls_ways_u(ways, out->u_free, i), dls_ways_u(ways, out->u, i)};
  double most = 0;
  for (int k = 0; k < 4; k++)
    most = dls_max(most, dls_v3_norm(dls_v3_cross(dls_v3_load(all[k] + 3), axis)));
  return 2 * ways->h * most;
}

/* The box of all places that body i may come to: from where it was by twice its way, as it went and
** as it set out. A rod that turns little stays in its own box and what is about it: cubes of its
** length would be near all others. */
static void write_box(const dls_ways *ways, const dls_ways_outcome *out, int i, double *const lo[],
                      double *const hi[]) {
  static const double LITTLE = 0.1; /* rad */
  const int d = ways->w->dim;
  const dls_body *body = &ways->w->bodies[i];
  const bool there = body->alive && body->shape;
  const double *x = dls_ways_q(ways, ways->w->q, i), *x_n = dls_ways_q(ways, out->q_n, i);
  const double *u = dls_ways_u(ways, ways->w->u, i);
  double way = 0;
  for (int k = 0; k < d; k++) {
    const double went = x_n[k] - x[k], set_out = ways->h * u[k];
    way += dls_max(went * went, set_out * set_out);
  }
  const double off = there ? dls_v3_norm(dls_v3_load(body->com)) : 0;
  const double size = there ? body->shape->reach + off + 2 * sqrt(way) : -1;
  for (int k = 0; k < d; k++) {
    lo[k][i] = x[k] - size;
    hi[k][i] = x[k] + size;
  }
  if (!there || !is_free_rod(ways, i)) return;
  const double across = most_across(ways, out, i),
               more = 2 * sqrt(way) + across * (off + body->shape->reach);
  if (!(across <= LITTLE)) return;
  const dls_pose3 pose = dls_pose_3(body, x);
  dls_vec3 low, high;
  dls_shape_bounds3(body->shape, &pose, &low, &high);
  const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
  for (int k = 0; k < d; k++) {
    lo[k][i] = dls_max(lo[k][i], from[k] - more);
    hi[k][i] = dls_min(hi[k][i], to[k] + more);
  }
}

/* first and body of the pairs, which are sorted by (a, b). */
static void write_lists(int n, const dls_broad_search *found, int *first, int *body) {
  memset(first, 0, (size_t)(n + 1) * sizeof *first);
  for (int k = 0; k < found->found; k++) {
    if (found->a[k] + 1 < n) first[found->a[k] + 2]++;
    if (found->b[k] + 1 < n) first[found->b[k] + 2]++;
  }
  for (int i = 2; i <= n; i++) first[i] += first[i - 1];
  for (int k = 0; k < found->found; k++) { /* of body i first those below it, then those above */
    const int a = found->a[k], b = found->b[k];
    body[first[a + 1]++] = b;
    body[first[b + 1]++] = a;
  }
}

/* A swift pair is kept with that of its bodies which has the fewer, so that a floor's are not
** looked through. */
static int keeper(const dls_ways_near *near, int a, int b) {
  return near->n_swift[a] <= near->n_swift[b] ? a : b;
}

static void chain_swift(const dls_ways *ways, dls_ways_near *near) {
  for (int i = 0; i < ways->w->n_bodies; i++) near->chain[i] = -1, near->n_swift[i] = 0;
  for (int k = 0; k < ways->n; k++)
    near->n_swift[ways->pair[k].a]++, near->n_swift[ways->pair[k].b]++;
  for (int k = ways->n - 1; k >= 0; k--) {
    const int i = keeper(near, ways->pair[k].a, ways->pair[k].b);
    near->next[k] = near->chain[i];
    near->chain[i] = k;
  }
}

const dls_swift *dls_ways_known(const dls_ways *ways, const dls_ways_near *near, int a, int b) {
  for (int k = near->chain[keeper(near, a, b)]; k >= 0; k = near->next[k])
    if (ways->pair[k].a == a && ways->pair[k].b == b) return &ways->pair[k];
  return NULL;
}

/* The same of a disk about its mass centre in the plane. */
static inline void write_disk_box(const dls_ways *ways, const dls_ways_outcome *out, double radius,
                                  int i, double *const lo[], double *const hi[]) {
  const double *x = ways->w->q + 3 * (size_t)i, *x_n = out->q_n + 3 * (size_t)i,
               *u = ways->w->u + 3 * (size_t)i;
  double way = 0;
  for (int k = 0; k < 2; k++) {
    const double went = x_n[k] - x[k], set_out = ways->h * u[k];
    way += dls_max(went * went, set_out * set_out);
  }
  const double size = radius + 2 * sqrt(way);
  lo[0][i] = x[0] - size, hi[0][i] = x[0] + size;
  lo[1][i] = x[1] - size, hi[1][i] = x[1] + size;
}

/* Boxes of all bodies. */
static bool write_boxes(const dls_ways *ways, const dls_ways_outcome *out, dls_ways_near *near) {
  const dls_world *w = ways->w;
  const int n = w->n_bodies, dims = w->dim;
  double *box = DLS_TAKE(&ways->w->arena, double, 2 * (size_t)dims * (size_t)n), *lo[3], *hi[3];
  if (!box) return false;
  for (int k = 0; k < dims; k++) {
    near->lo[k] = lo[k] = box + (size_t)k * (size_t)n;
    near->hi[k] = hi[k] = box + (size_t)(dims + k) * (size_t)n;
  }
  for (int i = 0; i < n; i++) {
    const double disk = dims == 2 ? w->columns.radius[i] : 0;
    if (disk > 0) write_disk_box(ways, out, disk, i, lo, hi);
    else write_box(ways, out, i, lo, hi);
  }
  return true;
}

/* The part of the room that is left for pairs, and bytes that a pair takes while it is sought. */
enum { PART = 2, PAIR_BYTES = 112 };

/* All pairs of boxes at once: first and body. */
static dls_status find_all(const dls_ways *ways, dls_ways_near *near) {
  dls_world *w = ways->w;
  dls_arena *arena = &w->arena;
  const int n = w->n_bodies, dims = w->dim;
  int *first = DLS_TAKE(arena, int, n + 1);
  const size_t least = dls_broad_search_size(n, dims, 0, 0) * sizeof(int);
  const size_t left = arena->size - arena->used,
               bytes = dls_bytes_add(least, (size_t)n * 8 * sizeof(double));
  if (!first || left / PART < least + 64 * PAIR_BYTES)
    return dls_ways_want(ways, dls_bytes_add(bytes, 16 * (size_t)n * PAIR_BYTES));
  dls_broad_search search = {.n = n, .dims = dims, .skin = w->broad.skin};
  search.room = search.entry_room =
      (int)dls_min((double)((left / PART - least) / PAIR_BYTES), 1 << 28);
  search.a = DLS_TAKE(arena, int, search.room);
  search.b = DLS_TAKE(arena, int, search.room);
  int *body = DLS_TAKE(arena, int, 2 * (size_t)search.room);
  const size_t mark = dls_arena_mark(arena);
  search.scratch = (int *)(void *)DLS_TAKE(
      arena, double, dls_broad_search_size(n, dims, search.room, search.entry_room) / 2 + 1);
  if (!search.a || !search.b || !body || !search.scratch) return dls_ways_want(ways, left);
  for (int k = 0; k < dims; k++) search.lo[k] = near->lo[k], search.hi[k] = near->hi[k];
  dls_broad_search_run(&search);
  if (search.n_entries > search.entry_room || search.found > search.room)
    return dls_ways_want(ways, left);
  dls_arena_release(arena, mark);
  write_lists(n, &search, first, body);
  near->first = first;
  near->body = body;
  return DLS_OK;
}

dls_status dls_ways_find_near(const dls_ways *ways, const dls_ways_outcome *out, int asked,
                              dls_ways_near *near) {
  enum { FEW = 16 };
  dls_arena *arena = &ways->w->arena;
  const int n = ways->w->n_bodies;
  const bool boxes = write_boxes(ways, out, near);
  near->first = NULL;
  near->found = DLS_TAKE(arena, int, n);
  near->chain = DLS_TAKE(arena, int, n);
  near->n_swift = DLS_TAKE(arena, int, n);
  near->next = DLS_TAKE(arena, int, ways->n);
  if (!boxes || !near->found || !near->chain || !near->n_swift || !near->next)
    return dls_ways_want(ways, dls_bytes_add((size_t)n * 8 * sizeof(double), 16 * (size_t)ways->n));
  chain_swift(ways, near);
  return asked > FEW ? find_all(ways, near) : DLS_OK;
}

/* The bodies whose boxes are within the skin of that of body i: dims is a constant. Few are so
** along the first axis. */
static inline int look_through(const dls_ways_near *near, int n, int dims, double skin, int i) {
  const double *lo = near->lo[0], *hi = near->hi[0], low = lo[i] - skin, high = hi[i];
  int found = 0;
  for (int j = 0; j < n; j++) {
    if (!((low <= hi[j]) & (lo[j] - skin <= high)) || j == i) continue;
    int hit = 1;
    for (int k = 1; k < dims; k++)
      hit &= (near->lo[k][i] - skin <= near->hi[k][j]) & (near->lo[k][j] - skin <= near->hi[k][i]);
    near->found[found] = j;
    found += hit;
  }
  return found;
}

const int *dls_ways_near_to(const dls_ways *ways, const dls_ways_near *near, int i, int *n) {
  const dls_world *w = ways->w;
  if (near->first) {
    *n = near->first[i + 1] - near->first[i];
    return near->body + near->first[i];
  }
  *n = w->dim == 2 ? look_through(near, w->n_bodies, 2, w->broad.skin, i)
                   : look_through(near, w->n_bodies, 3, w->broad.skin, i);
  return near->found;
}
