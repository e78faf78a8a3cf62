/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/function_gap.h"

#include "core/event_world/touch.h"
#include "core/math/difference.h"
#include "core/model/frames.h"

#define SHARE 2e-3  /* of a coordinate: first step along the motion    */

/* What the function and its gradient see where the world is placed. */
typedef struct seen {
  double gap;        /* m */
  dls_spatial of[2]; /* gradient by the twists of a and b: about their mass centres, world axes */
  dls_vec3 n;           /* unit, from a to b                                                      */
  double scale;         /* over the length of the gradient as it was given                        */
} seen;

static dls_status ask(const dls_event_world *x, int user, double t, double *gap) {
  dls_world *w = x->world;
  memset(x->gradient, 0, (size_t)w->n_bodies * dls_nu_of(w) * sizeof(double));
  return w->hooks.gap(w->hooks.ud, user, t, w->q, gap, x->gradient);
}

static dls_status see(const dls_event_world *x, const dls_smooth_contact *contact, double t,
                      seen *out) {
  const dls_world *w = x->world;
  dls_trees_scatter(x->world, x->world->q, NULL, true);
  const dls_status status = ask(x, contact->user, t, &out->gap);
  if (status != DLS_OK) return status;
  for (int e = 0; e < 2; e++)
    out->of[e] =
        dls_twist_of(w, x->gradient + (size_t)(e == 0 ? contact->a : contact->b) * dls_nu_of(w));
  out->n = out->of[1].l;
  if (!(dls_v3_norm(out->n) > 0)) out->n = dls_v3_neg(out->of[0].l);
  const double length = dls_v3_norm(out->n), scale = length > 0 ? 1 / length : 1;
  out->scale = scale, out->gap *= scale, out->n = dls_v3_scale(scale, out->n);
  for (int e = 0; e < 2; e++)
    out->of[e] =
        (dls_spatial){dls_v3_scale(scale, out->of[e].a), dls_v3_scale(scale, out->of[e].l)};
  return DLS_OK;
}

static void keep_touch(dls_event_world *x, int i, const seen *at) {
  const dls_smooth_contact *contact = &x->contacts[i];
  dls_smooth_touch *touch = &x->function_touch[i];
  const dls_place *b = &x->frame[contact->b];
  touch->gap = (dls_smooth_gap){.gap = at->gap, .n = at->n};
  touch->n = at->n;
  dls_event_world_tangents(x->world->dim, touch->n, &touch->t1, &touch->t2);
  touch->answer = contact->ratio > 0 ? dls_touch_answers_alone(x, contact, at->of) : 0;
  touch->c = touch->C = touch->C_on = dls_v3_add(b->p, dls_m3_apply(&b->R, contact->pair.centre));
}

/* As see, where and when the world stands; its place is kept. */
static dls_status look(dls_event_world *x, int i, seen *at) {
  const dls_status status = see(x, &x->contacts[i], x->t, at);
  if (status == DLS_OK) keep_touch(x, i, at);
  return status;
}

dls_status dls_function_gap(dls_event_world *x, int i, double t, const double *q, double *gap) {
  seen at;
  dls_status status = dls_event_world_place(x, t, q);
  if (status == DLS_OK) status = see(x, &x->contacts[i], t, &at);
  if (status != DLS_OK) return status;
  keep_touch(x, i, &at);
  *gap = at.gap;
  return DLS_OK;
}

/* A contact where the world stands, asked at other times. */
typedef struct standing {
  const dls_event_world *x; /* placed and moving */
  int user; /* into world->user_contacts */
} standing;

static dls_status gap_later(void *ctx, double s, double *gap) {
  const standing *at = (const standing *)ctx;
  return ask(at->x, at->user, at->x->t + s, gap);
}

dls_status dls_function_see(dls_event_world *x, int i, dls_function_sight *out) {
  const dls_smooth_contact *contact = &x->contacts[i];
  seen at;
  dls_status status = look(x, i, &at);
  if (status != DLS_OK) return status;
  const double far = dls_v3_norm(x->frame[contact->a].p) + dls_v3_norm(x->frame[contact->b].p);
  standing here = {x, contact->user};
  dls_differences d = {.of = gap_later, .ctx = &here, .k = 1,
                       .step = DLS_DIFFERENCE_SPAN * x->world->dt, .at = x->t,
                       .noise = DLS_DIFFERENCE_ROUND * far / at.scale};
  double rate = 0;
  status = dls_difference(&d, &rate);
  *out =
      (dls_function_sight){.gap = at.gap, .carried = at.scale * rate, .of = {at.of[0], at.of[1]}};
  out->rough = d.varies ? at.scale * d.rough : 0;
  out->rate = out->carried;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? contact->a : contact->b;
    const dls_spatial twist = dls_event_motion_of(x, body).v;
    const double by = dls_v3_dot(at.of[e].a, twist.a) + dls_v3_dot(at.of[e].l, twist.l);
    out->rate += by;
    if (x->world->bodies[body].type != DLS_DYNAMIC) out->carried += by;
  }
  return status;
}

void dls_function_push(dls_event_world *x, const dls_smooth_contact *contact,
                       const dls_function_sight *at, double force) {
  for (int e = 0; e < 2; e++) {
    const dls_spatial along = at->of[e];
    const dls_spatial wrench = {dls_v3_scale(force, along.a), dls_v3_scale(force, along.l)};
    dls_event_world_load(x, e == 0 ? contact->a : contact->b, wrench);
  }
}

/* Velocities v of the rows at (t, q, u), and the first one's round-off; the rows themselves where
** row is not NULL. The first row of a compliant contact, whose force is given
** (dls_system_def.given), is left out: 0. */
static dls_status velocities_of(dls_event_world *x, int i, double t, const double *q,
                                const double *u, double *row, double *v, double *rough) {
  const dls_smooth_contact *contact = &x->contacts[i];
  const int m = 1 + x->system.n_tangents[i];
  const bool given = dls_smooth_complies(contact);
  dls_function_sight at = {.gap = 0};
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status == DLS_OK) status = given ? look(x, i, &(seen){0}) : dls_function_see(x, i, &at);
  if (status != DLS_OK) return status;
  v[0] = at.rate, *rough = at.rough;
  const dls_smooth_touch *touch = &x->function_touch[i];
  const dls_vec3 slip = dls_event_world_slip(x, contact, touch);
  if (m > 1) v[1] = dls_v3_dot(slip, touch->t1);
  if (m > 2) v[2] = dls_v3_dot(slip, touch->t2);
  if (row == NULL) return status;
  if (!given) dls_event_world_pull(x, contact->a, at.of[0], contact->b, at.of[1], row);
  for (int k = 1; k < m; k++) {
    double *out = row + (size_t)k * (size_t)x->nu;
    dls_event_world_row(x, contact, touch, k == 1 ? touch->t1 : touch->t2, out);
  }
  return DLS_OK;
}

/* A contact whose world goes on with u from (t, q). */
typedef struct moving {
  dls_event_world *x; /* that is placed anew at each time */
  int i;          /* contact of x */
  double t, rate; /* s; the largest velocity */
  const double *q, *u; /* at t */
  dls_differences speed; /* of its rows' velocities */
} moving;

static dls_status speed_later(void *ctx, double s, double *v) {
  moving *at = (moving *)ctx;
  dls_event_world *x = at->x;
  double rough;
  memcpy(x->q_beside, at->q, (size_t)x->nq * sizeof *at->q);
  dls_forest_advance(x->world->trees->forest, x->q_beside, s, at->u);
  const dls_status status = velocities_of(x, at->i, at->t + s, x->q_beside, at->u, NULL, v, &rough);
  if (status == DLS_OK)
    at->speed.noise = dls_max(at->speed.noise, rough + DLS_DIFFERENCE_ROUND * at->rate);
  return status;
}

/* d/ds of the rows' velocities along (q (+) s u, t + s). */
static dls_status bias_of(dls_event_world *x, int i, double t, const double *q, const double *u,
                          double *wbar) {
  moving at = {.x = x, .i = i, .t = t, .q = q, .u = u};
  const double span = DLS_DIFFERENCE_SPAN * x->world->dt;
  for (int l = 0; l < x->nu; l++) at.rate = dls_max(at.rate, fabs(u[l]));
  at.speed = (dls_differences){.of = speed_later, .ctx = &at, .k = 1 + x->system.n_tangents[i],
                               .at = t, .step = at.rate * span > SHARE ? SHARE / at.rate : span};
  return dls_difference(&at.speed, wbar);
}

dls_status dls_function_rows(dls_event_world *x, int i, double t, const double *q, const double *u,
                             double *row, double *drift, double *wbar) {
  const int m = 1 + x->system.n_tangents[i], first = dls_smooth_complies(&x->contacts[i]) ? 1 : 0;
  double v[3], rough;
  dls_status status = wbar != NULL && m > first ? bias_of(x, i, t, q, u, wbar) : DLS_OK;
  if (status == DLS_OK) status = velocities_of(x, i, t, q, u, row, v, &rough);
  for (int k = first; k < m && status == DLS_OK; k++) {
    const double *w = row + (size_t)k * (size_t)x->nu;
    double speed = 0;
    for (int l = 0; l < x->nu; l++) speed += w[l] * u[l];
    drift[k] = v[k] - speed;
    /* nothing but bodies of the forest */
    if (fabs(drift[k]) <= 1e-14 * (fabs(speed) + fabs(v[k]))) drift[k] = 0;
  }
  return status;
}
