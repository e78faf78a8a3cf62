/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/position.h"

#include "core/collide/box3.h"
#include "core/contacts/contact_row.h"
#include "core/contacts/near.h"
#include "core/contacts/rods_met.h"
#include "core/contacts/touches.h"
#include "core/contacts/user_contacts.h"
#include "core/rows/mass.h"
#include "core/rows/tree_rows.h"

/* Gaps at q': touches of the pairs in near as gaps with rows (dls_overlap), the least and the worst
** of them, and which are to be settled. */

bool dls_weigh_overlap(const dls_step *S, dls_overlap *o) {
  const int nu = S->nu;
  dls_apply_inverse(nu, &S->rows, o->a, o->J, o->MJ);
  dls_apply_inverse(nu, &S->rows, o->b, o->J + nu, o->MJ + nu);
  o->w = dls_row_velocity(nu, o->J, o->MJ, o->MJ + nu);
  if (o->w > 0) return true;
  if (!dls_is_on_tree(S->w, o->a) && !dls_is_on_tree(S->w, o->b)) return false;
  /* stays as it is */
  if (dls_is_pinned(&S->rows, o->J, o->a, o->b)) memset(o->J, 0, 2 * (size_t)nu * sizeof *o->J);
  return true;
}

double dls_girth_of(const dls_body *body) {
  return body->disk_radius > 0 ? body->disk_radius : dls_shape_girth(body->shape);
}

bool dls_add_overlap(dls_step *S, dls_overlap *o, int a, int b, const dls_touch *touch) {
  dls_world *w = S->w;
  dls_vec3 on_a, on_b;
  dls_points_of(w, a, b, touch, &on_a, &on_b);
  /* One by one: what only gears have is never read of a touch. */
  o->a = a, o->b = b, o->n_ends = 0;
  o->gap = touch->gap, o->key = touch->key;
  o->pi = 0, o->rate = 0, o->gamma = 0;
  o->holds = o->both = o->pulls = o->cut = false;
  o->source = o->other = o->seen = 0;
  const dls_vec3 r_a = dls_arm_to(S->dim, DLS_Q(S, S->q_n, a), on_a),
      r_b = dls_arm_to(S->dim, DLS_Q(S, S->q_n, b),
                                                                                       on_b);
  dls_write_row(S->dim, o->J, touch->normal, r_a, r_b);
  o->size = 2 * dls_min(dls_girth_of(&w->bodies[a]), dls_girth_of(&w->bodies[b]));
  return dls_weigh_overlap(S, o);
}

static dls_status look_at_user_contacts(dls_step *S, dls_position_stage *P) {
  dls_world *w = S->w;
  P->n_user = 0;
  for (int i = 0; i < w->n_user_contacts; i++) {
    const dls_user_contact *user = &w->user_contacts[i];
    if (!user->alive || !user->active || user->material.stiffness < DLS_INF) continue;
    dls_user_gap at;
    dls_status status = dls_user_contact_at(S, i, S->q_n, w->time + S->h, false, &at);
    if (status != DLS_OK) return status;
    if (P->n_user >= S->room_contacts) return dls_want_contacts(S);
    dls_overlap *o = &P->o[P->n_user];
    *o = (dls_overlap){.a = user->a, .b = user->b, .gap = at.gap, .size = 1, .key = (uint64_t)i};
    memcpy(o->J, at.J, 2 * (size_t)S->nu * sizeof *at.J);
    P->n_user += dls_weigh_overlap(S, o);
  }
  P->n = P->n_user;
  return DLS_OK;
}

dls_status dls_look_at_shapes(dls_step *S, dls_near_stage *N, dls_position_stage *P, int a, int b) {
  const double within = P->strictly ? 0 : dls_travel_between(S, N, a, b);
  int n = dls_touches_of(S, N, a, b, dls_max(P->slack, within));
  if (n > N->touch_room) return dls_want_touches(S, n);
  for (int i = 0; i < n; i++) {
    if (P->n >= S->room_contacts) return dls_want_contacts(S);
    P->n += dls_add_overlap(S, &P->o[P->n], a, b, &N->touch[i]);
  }
  return DLS_OK;
}

static inline bool has_moved(const dls_position_stage *P, int a, int b) {
  return (P->moved[a] | P->moved[b]) != 0;
}

void dls_sum_up(dls_position_stage *P) {
  for (int k = 0; k < P->n; k++)
    if (!P->o[k].cut) dls_note_gap(P, P->o[k].gap, P->o[k].size);
}

/* Which pairs are of disks, and how large they are. */
static void sort_out_disks_2(const dls_near_stage *N, dls_position_stage *P) {
  const dls_near *near = N->near;
  const dls_spot2 *spots = P->spot;
  double *size = P->size;
  int *general = P->general, n_general = 0;
  const int n = N->n_near;
  for (int k = 0; k < n; k++) {
    const double least = dls_min(spots[near[k].a].radius, spots[near[k].b].radius);
    size[k] = 2 * least;
    general[n_general] = k;
    n_general += !(least > 0);
  }
  memset(P->mark, 0, (size_t)n);
  P->n_general = n_general;
}

/* All gaps of disks at q', several at once, and what is closed among them. */
static void take_gaps_2(dls_near_stage *N, dls_position_stage *P) {
  dls_gap_lanes_best()->disks(N->n_near, &N->near->a, &N->near->b, 2, P->spot, P->gap);
  const double *gaps = P->gap, *sizes = P->size;
  unsigned char *marks = P->mark;
  const int n = N->n_near;
  double worst = 0, least = 0;
  int touching = 0;
  for (int k = 0; k < n; k++) {
    const double gap = gaps[k], size = sizes[k], limit = DLS_OVERLAP_LARGE * size;
    const int far = (gap < -limit) * DLS_GAP_OVER | (gap > limit) * DLS_GAP_OPEN;
    marks[k] = (unsigned char)((marks[k] & DLS_GAP_HOLDS) | far);
    touching += gap <= 0;
    least = dls_min(least, gap);
    if (-gap > worst * size) worst = -gap / size;
  }
  P->touching = touching;
  P->worst = worst;
  P->deepest = -least;
}
static void sort_out_disks(const dls_step *S, const dls_near_stage *N, dls_position_stage *P) {
  if (S->dim == 2) {
    sort_out_disks_2(N, P);
    return;
  }
  P->n_general = N->n_near;
  for (int k = 0; k < N->n_near; k++) P->general[k] = k;
}

static void take_gaps(const dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  P->touching = 0;
  P->worst = P->deepest = 0;
  if (S->dim == 2) take_gaps_2(N, P);
}

void dls_look_at_disks(const dls_near_stage *N, dls_position_stage *P, int k) {
  const dls_spot2 *a = &P->spot[N->near[k].a], *b = &P->spot[N->near[k].b];
  const double x = b->x - a->x, y = b->y - a->y;
  P->gap[k] = sqrt(x * x + y * y) - (a->radius + b->radius);
}

dls_status dls_look(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  sort_out_disks(S, N, P);
  take_gaps(S, N, P);
  dls_status status = look_at_user_contacts(S, P);
  for (int i = 0; i < P->n_general && status == DLS_OK; i++) {
    const dls_near *pair = &N->near[P->general[i]];
    status = dls_look_at_shapes(S, N, P, pair->a, pair->b);
  }
  dls_sum_up(P);
  dls_note_found(P);
  return status;
}

dls_status dls_look_deep(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  const size_t mark = dls_arena_mark(&S->w->arena);
  double *lower = DLS_TAKE(&S->w->arena, double, N->n_near);
  if (!lower) return DLS_FULL;
  sort_out_disks(S, N, P);
  take_gaps(S, N, P);
  dls_status status = look_at_user_contacts(S, P);
  for (int i = 0; i < P->n_general && status == DLS_OK; i++) {
    const dls_near *pair = &N->near[P->general[i]];
    const dls_body *a = &S->w->bodies[pair->a], *b = &S->w->bodies[pair->b];
    lower[i] = S->dim == 3 ? dls_apart3(a->shape, &S->T3[pair->a], b->shape, &S->T3[pair->b])
                           : -DLS_INF;
    if (!(lower[i] > 0)) status = dls_look_at_shapes(S, N, P, pair->a, pair->b);
  }
  dls_sum_up(P);
  for (int i = 0; i < P->n_general && status == DLS_OK; i++) {
    const dls_near *pair = &N->near[P->general[i]];
    if (!(lower[i] > 0 && lower[i] <= 2 * P->deepest)) continue;
    status = dls_look_at_shapes(S, N, P, pair->a, pair->b);
  }
  dls_arena_release(&S->w->arena, mark);
  dls_note_found(P);
  return status;
}

/* A touch of what has moved is gone, or stays as a cut where it pushed. */
static bool stays(const dls_step *S, const dls_position_stage *P, dls_overlap *o) {
  if (!has_moved(P, o->a, o->b)) return true;
  if (!P->cuts || !(o->pi > 0) || (P->lined && dls_are_rods(S, o->a, o->b))) return false;
  o->gap += dls_row_velocity(S->nu, o->J, DLS_U(S, P->dq, o->a), DLS_U(S, P->dq, o->b));
  o->cut = true;
  return true;
}

dls_status dls_look_again(dls_step *S, dls_near_stage *N, dls_position_stage *P) {
  if (P->n_user > 0) return dls_look(S, N, P);
  int n = 0;
  for (int k = 0; k < P->n; k++)
    if (stays(S, P, &P->o[k])) P->o[n++] = P->o[k];
  P->n = n;
  dls_status status = DLS_OK;
  take_gaps(S, N, P);
  P->looked = 0;
  for (int i = 0; i < P->n_general && status == DLS_OK; i++) {
    const dls_near *pair = &N->near[P->general[i]];
    if (!has_moved(P, pair->a, pair->b)) continue;
    status = dls_look_at_shapes(S, N, P, pair->a, pair->b);
    P->looked++;
  }
  dls_sum_up(P);
  return status;
}

bool dls_disks_to_settle(const dls_step *S, const dls_near_stage *N, const dls_position_stage *P,
                         int k, dls_overlap *o) {
  const int i = N->near[k].a, j = N->near[k].b;
  const dls_spot2 *a = &P->spot[i], *b = &P->spot[j];
  const double d = P->gap[k] + (a->radius + b->radius), m_a = a->other, m_b = b->other;
  const double nx = d > 0 ? (b->x - a->x) / d : 1, ny = d > 0 ? (b->y - a->y) / d : 0;
  *o = (dls_overlap){.a = i, .b = j, .J = {-nx, -ny, 0, nx, ny, 0}, .gap = P->gap[k],
                      .MJ = {-m_a * nx, -m_a * ny, 0, m_b * nx, m_b * ny, 0}, .w = m_a + m_b,
                      .size = 2 * dls_min(a->radius, b->radius),
                          .holds = P->mark[k] & DLS_GAP_HOLDS,
                      .seen = -1};
  return m_a + m_b > 0 || dls_is_on_tree(S->w, i) || dls_is_on_tree(S->w, j);
}

dls_status dls_pick(dls_step *S, const dls_near_stage *N, dls_position_stage *P, double slack,
                    bool holding) {
  int n = P->n;
  P->n_active = 0;
  for (int k = 0; k < n; k++) {
    dls_overlap *o = &P->o[k];
    o->pi = 0;
    o->both = false;
    if (o->gap <= slack || (holding && o->holds)) P->active[P->n_active++] = k;
  }
  for (int k = 0; S->dim == 2 && k < N->n_near; k++) {
    if (!(P->gap[k] <= slack) && !(holding && (P->mark[k] & DLS_GAP_HOLDS))) continue;
    if (n >= S->room_contacts) return dls_want_contacts(S);
    if (dls_disks_to_settle(S, N, P, k, &P->o[n])) P->active[P->n_active++] = n++;
  }
  return DLS_OK;
}
