/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/motion.h"

#include "core/event_world/parallel.h"
#include "core/forest/pinned.h"
#include "core/joints/penalties.h"
#include "core/model/frames.h"
#include "core/model/motion.h"
#include "core/model/prescribed.h"

dls_status dls_event_world_place(dls_event_world *x, double t, const double *q) {
  dls_world *w = x->world;
  dls_trees *trees = w->trees;
  if (x->placed && t == x->t && memcmp(q, x->q, (size_t)x->nq * sizeof *q) == 0) return DLS_OK;
  x->placed = x->moving = x->accelerated = false;
  for (int i = 0; i < x->nq; i++)
    if (!dls_is_finite(q[i])) return DLS_RANGE;
  w->time = x->t = t;
  memcpy(x->q, q, (size_t)x->nq * sizeof *q);
  memcpy(trees->state->q, q, (size_t)x->nq * sizeof *q);
  dls_status status = dls_world_carry(w, t, x->start, x->q_start);
  if (status == DLS_OK) status = dls_trees_inputs(w, t);
  if (status != DLS_OK) return status;
  dls_forest_place(trees->forest, trees->state);
  for (int i = 0; i < w->n_bodies; i++) {
    const int link = w->bodies[i].alive ? trees->body_link[i] : -1;
    if (link >= 0) x->frame[i] = dls_forest_link_place(trees->forest, trees->state, link);
    else if (w->bodies[i].alive) x->frame[i] = dls_frame_of(w, i, w->q + (size_t)i * dls_nq_of(w));
  }
  x->placed = true;
  return DLS_OK;
}

dls_status dls_event_world_move(dls_event_world *x, double t, const double *q, const double *u) {
  dls_world *w = x->world;
  const dls_status status = dls_event_world_place(x, t, q);
  if (status != DLS_OK) return status;
  if (x->moving && memcmp(u, x->u, (size_t)x->nu * sizeof *u) == 0) return DLS_OK;
  x->moving = x->accelerated = false;
  for (int i = 0; i < x->nu; i++)
    if (!dls_is_finite(u[i])) return DLS_RANGE;
  memcpy(x->u, u, (size_t)x->nu * sizeof *u);
  memcpy(w->trees->state->u, u, (size_t)x->nu * sizeof *u);
  dls_forest_move(w->trees->forest, w->trees->state);
  x->moving = true;
  return DLS_OK;
}

dls_status dls_event_world_run(const dls_event_world *x) {
  dls_trees *trees = x->world->trees;
  const dls_forest_method method = (dls_forest_method)trees->method;
  dls_fault fault = {-1, 0};
  const dls_status status =
      dls_forest_accelerate(trees->forest, trees->state, method, &trees->arena, &fault);
  if (status != DLS_OK || method == DLS_FOREST_FAST) return status;
  return dls_forest_factor(trees->forest, trees->state, &fault);
}

dls_event_motion dls_event_motion_of(const dls_event_world *x, int body) {
  const dls_world *w = x->world;
  const int link = w->trees->body_link[body];
  const dls_place *frame = &x->frame[body];
  dls_event_motion m = {
      .centre = dls_v3_add(frame->p, dls_m3_apply(&frame->R, dls_v3_load(w->bodies[body].com)))};
  if (link >= 0) m.v = dls_forest_link_velocity(w->trees->forest, w->trees->state, link);
  else if (w->bodies[body].type == DLS_KINEMATIC)
    m.v = dls_twist_of(w, w->u + (size_t)body * dls_nu_of(w));
  return m;
}

dls_status dls_event_motion_accelerated(const dls_event_world *x, int body, dls_event_motion *m) {
  const dls_world *w = x->world;
  const int link = w->trees->body_link[body];
  double p[3], r[4], v[3], rate[3], more[6] = {0};
  dls_status status = DLS_OK;
  *m = dls_event_motion_of(x, body);
  if (link >= 0) {
    m->a = dls_forest_link_acceleration(w->trees->forest, w->trees->state, link);
  } else if (w->bodies[body].moved && w->hooks.motion) {
    status = w->hooks.motion(w->hooks.ud, body, x->t, p, r, v, rate, more);
    m->a = (dls_spatial){dls_v3_load(more + 3), dls_v3_load(more)};
  }
  return status;
}

dls_vec3 dls_event_velocity_at(const dls_event_motion *m, dls_vec3 point) {
  return dls_v3_add(m->v.l, dls_v3_cross(m->v.a, dls_v3_sub(point, m->centre)));
}

dls_vec3 dls_event_acceleration_at(const dls_event_motion *m, dls_vec3 point) {
  const dls_vec3 r = dls_v3_sub(point, m->centre);
  const dls_vec3 inward = dls_v3_cross(m->v.a, dls_v3_cross(m->v.a, r));
  return dls_v3_add(dls_v3_add(m->a.l, dls_v3_cross(m->a.a, r)), inward);
}

void dls_event_world_load(dls_event_world *x, int body, dls_spatial wrench) {
  const dls_trees *t = x->world->trees;
  if (t->body_link[body] < 0) return;
  double *out = t->state->wrench + 6 * (size_t)t->body_link[body];
  dls_v3_store(out, dls_v3_add(dls_v3_load(out), wrench.a));
  dls_v3_store(out + 3, dls_v3_add(dls_v3_load(out + 3), wrench.l));
}

/* A wrench about a body's mass centre, on its velocities: into row where its link is free, else it
** is noted: true. */
static bool pull(dls_event_world *x, int body, dls_spatial wrench, double *row) {
  const dls_world *w = x->world;
  const dls_trees *t = w->trees;
  const int link = t->body_link[body];
  if (link < 0) return false;
  const dls_link_info *info = &t->forest->links[link];
  const dls_place *frame = &x->frame[body];
  if (t->link_joint[link] < 0 && info->nu > 0) {
    const dls_vec3 arm = dls_m3_apply(&frame->R, dls_v3_load(w->bodies[body].com));
    const dls_vec3 moment = dls_v3_add(wrench.a, dls_v3_cross(arm, wrench.l));
    double *out = row + info->iu;
    out[0] += wrench.l.x, out[1] += wrench.l.y;
    if (w->dim == 2) out[2] += moment.z;
    else {
      const dls_vec3 own = dls_m3_apply_t(&frame->R, moment);
      out[2] += wrench.l.z, out[3] += own.x, out[4] += own.y, out[5] += own.z;
    }
    return false;
  }
  double *noted = x->wrench + 6 * (size_t)link;
  dls_v3_store(noted, dls_v3_add(dls_v3_load(noted), wrench.a));
  dls_v3_store(noted + 3, dls_v3_add(dls_v3_load(noted + 3), wrench.l));
  return true;
}

static bool is_pinned(const dls_trees *t, int a, dls_spatial on_a, int b, dls_spatial on_b) {
  dls_row_side sides[2];
  int n = 0;
  for (int e = 0; e < 2; e++) {
    const int link = t->body_link[e == 0 ? a : b];
    if (link < 0) continue;
    sides[n].link = link;
    dls_sp_store(sides[n++].j, e == 0 ? on_a : on_b);
  }
  return dls_forest_is_pinned(t->forest, t->state, n, sides);
}

bool dls_event_world_pull(dls_event_world *x, int a, dls_spatial on_a, int b, dls_spatial on_b,
                          double *row) {
  const dls_trees *t = x->world->trees;
  memset(row, 0, (size_t)x->nu * sizeof *row);
  const bool noted_a = pull(x, a, on_a, row), noted_b = pull(x, b, on_b, row);
  if (!noted_a && !noted_b) return true;
  const bool pinned = is_pinned(t, a, on_a, b, on_b);
  if (pinned) memset(row, 0, (size_t)x->nu * sizeof *row);
  else dls_forest_generalized(t->forest, t->state, x->wrench, x->row);
  for (int i = 0; i < x->nu && !pinned; i++) row[i] += x->row[i];
  if (noted_a) memset(x->wrench + 6 * (size_t)t->body_link[a], 0, 6 * sizeof(double));
  if (noted_b) memset(x->wrench + 6 * (size_t)t->body_link[b], 0, 6 * sizeof(double));
  return !pinned;
}

/* --- turning ---------------------------------------------------------------------------------- */

static const double TURN = 3, MOST = 1e5; /* rad: in a step of the integrator, of the world */

/* Whether a point of a body is its mass centre, which does not turn with it. */
static bool is_middle(const dls_world *w, int body, dls_vec3 point) {
  return dls_v3_norm(dls_v3_sub(point, dls_v3_load(w->bodies[body].com))) <= 1e-12;
}

static bool surface_turns(const dls_world *w, int body, const dls_surface *surface) {
  switch (surface->kind) {
    case DLS_SURFACE_BAR:
    case DLS_SURFACE_HALF: return true;
    case DLS_SURFACE_HOLLOW: return w->dim == 3 || !is_middle(w, body, surface->centre);
    case DLS_SURFACE_CORE: break;
  }
  const int kind = surface->shape->kind;
  return (kind != DLS_SHAPE_DISK && kind != DLS_SHAPE_SPHERE) ||
         !is_middle(w, body, surface->shape->points[0]);
}

void dls_event_world_note_turns(dls_event_world *x) {
  const dls_world *w = x->world;
  memset(x->turns, 0, (size_t)x->n_bodies);
  for (int i = 0; i < x->n; i++) {
    const dls_smooth_contact *contact = &x->contacts[i];
    if (contact->joint >= 0) continue;
    const bool whole = contact->by_function || contact->pair.crosses;
    if (whole || !is_middle(w, contact->off, contact->pair.centre))
      x->turns[contact->off] |= DLS_TURNS_GAPS;
    if (whole || surface_turns(w, contact->on, &contact->pair.surface))
      x->turns[contact->on] |= DLS_TURNS_GAPS;
  }
  for (int i = 0; i < x->n_bodies; i++)
    if (w->dim == 3 && dls_moves_freely(&w->bodies[i]) && !dls_is_isotropic(&w->bodies[i]))
      x->turns[i] |= DLS_TURNS_MOTION;
}

/* Joints beside the trees stand where the bodies are, their turns counted; until they are counted
** again they turn by TURN at most. */
static double count_turns(dls_event_world *x, double span) {
  dls_world *w = x->world;
  if (x->holds.room == 0 && !dls_penalties_used(w)) return span;
  dls_trees_scatter(w, w->q, NULL, true);
  dls_joints_keep(w);
  for (int i = 0; i < w->n_joints; i++) {
    const dls_joint *joint = &w->joints[i];
    if (!joint->alive || joint->formulation == DLS_REDUCED || !dls_joint_is_chain(joint)) continue;
    const double rate = dls_v3_norm(dls_v3_sub(dls_event_motion_of(x, joint->b).v.a,
                                               dls_event_motion_of(x, joint->a).v.a));
    if (rate * span > TURN) span = TURN / rate;
  }
  return span;
}

dls_status dls_event_world_longest(void *ctx, double t, const double *q, const double *u,
                                   double *span) {
  dls_event_world *x = ctx;
  const dls_status status = dls_event_world_move(x, t, q, u);
  if (status != DLS_OK) return status;
  for (int i = 0; i < x->n_bodies; i++) {
    if (x->turns[i] == 0 || !x->world->bodies[i].alive) continue;
    const double rate = dls_v3_norm(dls_event_motion_of(x, i).v.a);
    if (rate * x->world->dt > MOST) {
      x->refusal = DLS_EVENTS_TURNS, x->a = i;
      return DLS_ARG;
    }
    if ((x->turns[i] & DLS_TURNS_GAPS) != 0 && rate * *span > TURN) *span = TURN / rate;
  }
  *span = count_turns(x, dls_parallel_longest(x, *span));
  return DLS_OK;
}
