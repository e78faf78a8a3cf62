/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/contacts_acc.h"

#include "core/accelerations/contact_row_acc.h"
#include "core/accelerations/user_contact_acc.h"
#include "core/base/sort.h"
#include "core/contacts/near.h"
#include "core/contacts/touches.h"
#include "core/joints/tree_step.h"
#include "core/model/material.h"
#include "core/model/records.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"

/* Pairs are found by a sweep along x: the neighbour list belongs to steps. */

static bool may_act(const dls_step *S, int a, int b) {
  const dls_body *x = &S->w->bodies[a], *y = &S->w->bodies[b];
  if (!x->alive || !y->alive || !x->shape || !y->shape || x->sensor || y->sensor) return false;
  if (!dls_moves_freely(x) && !dls_moves_freely(y)) return false;
  if (!dls_bodies_meet(S->w, a, b)) return false;
  return !dls_are_jointed(S, a, b);
}

/* The rows of a touch about a frame, with the bodies at q. */
static void touch_rows(const dls_step *S, int a, int b, const dls_touch *touch,
                       const dls_vec3 axis[3], const double *q_a, const double *q_b,
                       double J[DLS_NB(3)][2 * DLS_NU(3)]) {
  dls_vec3 on_a, on_b;
  dls_points_of(S->w, a, b, touch, &on_a, &on_b);
  dls_frame_rows(S->dim, J, axis, dls_arm_to(S->dim, q_a, on_a), dls_arm_to(S->dim, q_b, on_b));
}

/* What the rows of the touch `key` see where the bodies have gone on for the time s; false: it is
** gone. */
static bool touch_after(dls_step *S, dls_near_stage *N, const dls_encounter *e, uint64_t key,
                        double s, double slack, const dls_vec3 axis[3], double v[DLS_NB(3)]) {
  const dls_world *w = S->w;
  const int body[2] = {e->a, e->b};
  double q[2][DLS_NQ(3)], J[DLS_NB(3)][2 * DLS_NU(3)];
  dls_kept_pose kept[2];
  dls_touch *const all = N->touch, *touch = all + N->touch_room; /* the caller's are in front */
  dls_move_on(S, body, s, q, kept);
  N->touch = touch;
  const int n = dls_touches_of(S, N, e->a, e->b, slack);
  N->touch = all;
  bool found = false;
  for (int i = 0; i < n && i < N->touch_room && !found; i++) {
    if (touch[i].key != key) continue;
    dls_vec3 carried[3];
    found = true;
    dls_carry_frame(S->dim, touch[i].normal, axis, carried);
    touch_rows(S, e->a, e->b, &touch[i], (const dls_vec3 *)carried, q[0], q[1], J);
    const double *u_a = DLS_U(S, w->u, e->a), *u_b = DLS_U(S, w->u, e->b);
    for (int k = 0; k < S->nb; k++) v[k] = dls_row_velocity(S->nu, J[k], u_a, u_b);
  }
  dls_move_back(S, body, kept);
  return found;
}

/* d/dt (J) u, by central differences; exactly zero at rest. */
static void own_of_touch(dls_step *S, dls_near_stage *N, dls_encounter *e, uint64_t key,
                         const dls_vec3 axis[3]) {
  double before[DLS_NB(3)], after[DLS_NB(3)];
  const double s = dls_difference_time(S->w, e->a, e->b, e->size),
               slack = 4e-5 * e->size + fabs(e->gap);
  memset(e->own, 0, sizeof e->own);
  if (!(s > 0)) return;
  if (!touch_after(S, N, e, key, s, slack, axis, after)) return;
  if (!touch_after(S, N, e, key, -s, slack, axis, before)) return;
  for (int k = 0; k < S->nb; k++) e->own[k] = (after[k] - before[k]) / (2 * s);
}

/* The record of a contact in the last step, NULL. They are sorted, hand-made ones first. */
static const dls_contact *remembered_touch(const dls_world *w, int a, int b, uint64_t key) {
  const dls_contact *contacts = dls_world_contacts(w);
  int lo = 0, hi = w->n_contacts;
  while (lo < hi) {
    const int mid = lo + (hi - lo) / 2;
    const dls_contact *c = &contacts[mid];
    if (c->user >= 0 || c->a < a || (c->a == a && (c->b < b || (c->b == b && c->key < key))))
      lo = mid + 1;
    else hi = mid;
  }
  const dls_contact *c = lo < w->n_contacts ? &contacts[lo] : NULL;
  return c && c->a == a && c->b == b && c->key == key ? c : NULL;
}

static dls_status add_touch(dls_step *S, dls_near_stage *N, int a, int b, const dls_touch *touch,
                            dls_acc_row *out, int *n) {
  dls_world *w = S->w;
  const dls_material m = dls_world_material(w, a, b);
  dls_encounter e = {.a = a, .b = b, .gap = touch->gap, .m = &m,
                     .size = 2 * dls_min(w->bodies[a].shape->reach, w->bodies[b].shape->reach),
                     .before = remembered_touch(w, a, b, touch->key)};
  dls_vec3 axis[3] = {touch->normal};
  dls_tangents(S->dim, axis[0], &axis[1], &axis[2]);
  touch_rows(S, a, b, touch, (const dls_vec3 *)axis, DLS_Q(S, w->q, a), DLS_Q(S, w->q, b), e.J);
  dls_encounter_see(S, &e);
  const bool held = dls_encounter_held(&e);
  if (held) {
    own_of_touch(S, N, &e, touch->key, (const dls_vec3 *)axis);
    dls_encounter_settle(S, &e);
  }
  if (!dls_encounter_acts(S, &e)) return DLS_OK;
  if (!held) own_of_touch(S, N, &e, touch->key, (const dls_vec3 *)axis);
  return dls_contact_acc_rows(S, &e, out, n);
}

/* The bodies with shapes, by where they begin along x. Room from the world's arena. */
typedef struct row_of_shapes {
  int n, *body; /* bodies with shapes; n: their numbers */
  double *lo; /* n_bodies: by body */
} row_of_shapes;

static double reach_of(const dls_world *w, int i) {
  return w->bodies[i].shape->bounded ? w->bodies[i].shape->reach : DLS_INF;
}

/* Where the body frame's origin is along x. */
static double origin_x(const dls_step *S, int i) { return S->dim == 2 ? S->T2[i].x : S->T3[i].p.x; }

/* Room, poses and masses: the record of a step as far as rows on accelerations ask for it. */
static dls_status set_up(dls_step *S, dls_near_stage *N, row_of_shapes *r) {
  dls_world *w = S->w;
  dls_warm_starts_make(w);
  const size_t n = (size_t)w->n_bodies, nq = (size_t)S->nq, turns = S->dim == 2 ? 1 : 9;
  const size_t pose = S->dim == 2 ? sizeof(dls_pose2) : sizeof(dls_pose3);
  size_t bytes = dls_arena_bytes(n, pose);
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, sizeof(int)));
  bytes = dls_bytes_add(bytes, 5 * dls_arena_bytes(n * (nq + turns), sizeof(double)));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(n, 1));
  bytes = dls_bytes_add(bytes, dls_arena_bytes(2 * (size_t)w->touch_room, sizeof(dls_touch)));
  bytes = dls_bytes_add(bytes, dls_bytes_add(dls_sort_bytes(w->n_bodies), 512));
  if (w->arena.size < bytes) {
    dls_status grown = dls_arena_reserve(&w->arena, &w->alloc, bytes);
    if (grown != DLS_OK) return grown;
  }
  w->arena.used = 0;
  bool posed;
  if (S->dim == 2) posed = (S->T2 = DLS_TAKE(&w->arena, dls_pose2, n)) != NULL;
  else posed = (S->T3 = DLS_TAKE(&w->arena, dls_pose3, n)) != NULL;
  r->body = DLS_TAKE(&w->arena, int, n);
  r->lo = DLS_TAKE(&w->arena, double, n);
  S->q_n = DLS_TAKE(&w->arena, double, n * nq);
  S->gradient = DLS_TAKE(&w->arena, double, n * (size_t)S->nu);
  S->rows.inv_mass = DLS_TAKE(&w->arena, double, n);
  S->rows.inv_inertia = DLS_TAKE(&w->arena, double, n * turns);
  N->touch_room = w->touch_room;
  N->touch = DLS_TAKE(&w->arena, dls_touch, 2 * w->touch_room);
  S->jointed = DLS_TAKE(&w->arena, unsigned char, n);
  if (!posed || !r->body || !r->lo || !S->q_n || !S->gradient || !S->rows.inv_mass ||
      !S->rows.inv_inertia || !N->touch || !S->jointed)
    return DLS_FULL;
  memset(S->jointed, 0, n);
  memcpy(S->q_n, w->q, n * nq * sizeof(double));
  for (int i = 0; i < w->n_joints; i++)
    if (w->joints[i].alive && w->joints[i].formulation != DLS_REDUCED)
      S->jointed[w->joints[i].a] = S->jointed[w->joints[i].b] = 1;
  return DLS_OK;
}

static dls_status line_up(dls_step *S, dls_near_stage *N, row_of_shapes *r) {
  dls_world *w = S->w;
  dls_status status = set_up(S, N, r);
  if (status != DLS_OK) return status;
  r->n = 0;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!w->bodies[i].alive) continue;
    if (S->dim == 2) S->T2[i] = dls_pose_2(&w->bodies[i], DLS_Q(S, w->q, i));
    else S->T3[i] = dls_pose_3(&w->bodies[i], DLS_Q(S, w->q, i));
    dls_body_weigh(w, &S->rows, i, S->dim == 2 ? NULL : &S->T3[i].R);
    if (!w->bodies[i].shape) continue;
    r->lo[i] = origin_x(S, i) - reach_of(w, i);
    r->body[r->n++] = i;
  }
  if (dls_trees_used(w)) dls_trees_unweigh(w, &S->rows);
  return dls_sort_by_double(r->n, r->lo, r->body, &w->arena);
}

/* Rows that there is no room for are only counted. */
static void keep_rows(const dls_acc_row *rows, int made, dls_acc_row *out, int room, int *n) {
  for (int k = 0; k < made; k++, ++*n)
    if (*n < room) out[*n] = rows[k];
}

static dls_status add_touches(dls_step *S, dls_near_stage *N, int a, int b, dls_acc_row *out,
                              int room, int *n) {
  dls_world *w = S->w;
  const double reach = dls_min(w->bodies[a].shape->reach, w->bodies[b].shape->reach);
  const int n_touches = dls_touches_of(S, N, a, b, 2 * DLS_CLOSED * reach);
  if (n_touches > N->touch_room) return dls_want_touches(S, n_touches);
  for (int i = 0; i < n_touches; i++) {
    dls_acc_row rows[DLS_NB(3) + 3];
    int made = 0;
    dls_status status = add_touch(S, N, a, b, &N->touch[i], rows, &made);
    if (status != DLS_OK) return status;
    keep_rows(rows, made, out, room, n);
  }
  return DLS_OK;
}

static dls_status add_user_contacts(dls_step *S, dls_acc_row *out, int room, int *n) {
  const dls_world *w = S->w;
  dls_status status = DLS_OK;
  for (int i = 0; i < w->n_user_contacts && status == DLS_OK; i++) {
    dls_acc_row rows[DLS_NB(3) + 3];
    int made = 0;
    if (!w->user_contacts[i].alive || !w->user_contacts[i].active) continue;
    status = dls_user_contact_acc(S, i, rows, &made);
    keep_rows(rows, made, out, room, n);
  }
  return status;
}

/* Hand-made ones first. */
static dls_status try_contacts(dls_world *w, dls_acc_row *out, int room, int *n) {
  dls_step S = dls_step_of(w, w->dim);
  dls_near_stage N = {0};
  S.q_c = w->q, S.h = w->dt;
  row_of_shapes r;
  *n = 0;
  dls_status status = line_up(&S, &N, &r);
  if (status == DLS_OK) status = add_user_contacts(&S, out, room, n);
  for (int i = 0; status == DLS_OK && i < r.n; i++) {
    const int x = r.body[i];
    const double hi = origin_x(&S, x) + reach_of(w, x) * (1 + 4 * DLS_CLOSED);
    for (int j = i + 1; status == DLS_OK && j < r.n && r.lo[r.body[j]] <= hi; j++) {
      const int a = x < r.body[j] ? x : r.body[j], b = x < r.body[j] ? r.body[j] : x;
      if (may_act(&S, a, b)) status = add_touches(&S, &N, a, b, out, room, n);
    }
  }
  return status;
}

/* Again where a pair touches at more points than there is room for. */
dls_status dls_contacts_acc(dls_world *w, dls_acc_row *out, int room, int *n) {
  dls_status status = try_contacts(w, out, room, n);
  while (status == DLS_FULL && w->need_touches > w->touch_room) {
    w->touch_room = w->need_touches + w->need_touches / 2;
    status = try_contacts(w, out, room, n);
  }
  return status;
}
