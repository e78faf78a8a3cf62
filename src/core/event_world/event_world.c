/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/event_world.h"

#include "core/accelerations/smooth.h"
#include "core/event_world/crossing.h"
#include "core/event_world/function_gap.h"
#include "core/event_world/report.h"
#include "core/model/body.h"
#include "core/model/frames.h"
#include "core/scheme/friction.h"
#include "core/model/motion.h"
#include "core/model/prescribed.h"

/* --- where the bodies are ----------------------------------------------------------------------- */

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

/* Accelerations of the loads that stand, and the forest's factor. */
static dls_status run_forest(const dls_event_world *x) {
  dls_trees *trees = x->world->trees;
  const dls_forest_method method = (dls_forest_method)trees->method;
  dls_fault fault = {-1, 0};
  const dls_status status = dls_forest_accelerate(trees->forest, trees->state, method, &trees->arena, &fault);
  if (status != DLS_OK || method == DLS_FOREST_FAST) return status;
  return dls_forest_factor(trees->forest, trees->state, &fault);
}

/* --- one contact -------------------------------------------------------------------------------- */

/* The turn that takes s to n the shortest way, of two fixed vectors. s lies along nothing that a scene is built by; at
** n = -s alone they jump. */
void dls_event_world_tangents(int dim, dls_vec3 n, dls_vec3 *t1, dls_vec3 *t2) {
  if (dim == 2) {
    *t1 = dls_v3(n.y, -n.x, 0), *t2 = dls_v3(0, 0, 1);
    return;
  }
  const dls_vec3 s = {0.36, 0.48, 0.8}, e1 = {0.8, -0.6, 0}, k = dls_v3_cross(s, n), once = dls_v3_cross(k, e1);
  const double c = 1 + dls_v3_dot(s, n);
  *t1 = dls_v3_axpy(dls_v3_add(e1, once), c > 1e-12 ? 1 / c : 0, dls_v3_cross(k, once));
  *t2 = dls_v3_cross(n, *t1);
}

/* Points of shapes that overlap, as in time steps: free bodies meet half way, else each at its own surface. */
static void split(const dls_world *w, const dls_smooth_contact *contact, dls_smooth_touch *at) {
  const bool free = dls_moves_freely(&w->bodies[contact->on]) && dls_moves_freely(&w->bodies[contact->off]);
  at->early = free ? 0.5 : 0, at->late = free ? 0 : 1;
  at->C = dls_v3_axpy(at->C, -at->early * at->gap.gap, at->n);
  at->C_on = dls_v3_axpy(at->C, -at->late * at->gap.gap, at->n);
}

static dls_vec3 placed(const dls_place *frame, dls_vec3 point) {
  return dls_v3_add(frame->p, dls_m3_apply(&frame->R, point));
}

/* The axes of two capsules. */
static dls_crossing crossing_at(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_place *on = &x->frame[contact->on], *off = &x->frame[contact->off];
  const dls_vec3 *a = contact->pair.surface.shape->points, *b = contact->pair.axis->points;
  return dls_crossing_of(placed(on, a[0]), placed(on, a[1]), placed(off, b[0]), placed(off, b[1]));
}

/* Where axes are parallel the ends touch, and nothing else; elsewhere the crossing. */
static bool is_elsewhere(const dls_event_world *x, const dls_smooth_contact *contact) {
  return contact->pair.axis != NULL && crossing_at(x, contact).parallel == contact->pair.crosses;
}

static dls_smooth_touch touch_of_crossing(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_crossing cross = crossing_at(x, contact);
  const dls_vec3 d = dls_v3_sub(cross.off, cross.on);
  const double distance = dls_v3_norm(d), r = contact->pair.radius;
  dls_smooth_touch at = {.c = cross.off, .n = distance > 0 ? dls_v3_scale(1 / distance, d) : dls_v3(0, 1, 0)};
  at.gap.gap = distance - contact->pair.surface.radius - r;
  dls_event_world_tangents(3, at.n, &at.t1, &at.t2);
  at.C = at.C_on = dls_v3_axpy(at.c, -r, at.n);
  return at;
}

dls_smooth_touch dls_event_world_touch(const dls_event_world *x, const dls_smooth_contact *contact) {
  if (contact->pair.crosses) return touch_of_crossing(x, contact);
  if (contact->by_function) return x->function_touch[contact - x->contacts];
  const dls_place *on = &x->frame[contact->on], *off = &x->frame[contact->off];
  const dls_smooth_pair *pair = &contact->pair;
  dls_smooth_touch at = {.c = dls_v3_add(off->p, dls_m3_apply(&off->R, pair->centre))};
  const dls_vec3 local = dls_m3_apply_t(&on->R, dls_v3_sub(at.c, on->p));
  const dls_vec3 middle = dls_v3_add(off->p, dls_m3_apply(&off->R, dls_v3_load(x->world->bodies[contact->off].com)));
  const dls_vec3 inside = dls_m3_apply_t(&on->R, dls_v3_sub(middle, on->p));
  at.gap = dls_surface_gap(&pair->surface, x->world->dim, local, pair->radius, inside);
  at.n = dls_m3_apply(&on->R, at.gap.n);
  dls_event_world_tangents(x->world->dim, at.n, &at.t1, &at.t2);
  if (pair->surface.along_x) at.t1 = dls_m3_apply(&on->R, at.gap.axis), at.t2 = dls_v3_cross(at.n, at.t1);
  at.C = at.C_on = dls_v3_axpy(at.c, -pair->radius, at.n);
  if (contact->user >= 0 && pair->surface.kind == DLS_SURFACE_HOLLOW) /* a rope: its two ends */
    at.C_on = dls_v3_add(on->p, dls_m3_apply(&on->R, pair->surface.centre));
  else if (contact->user < 0 && dls_smooth_complies(contact)) split(x->world, contact, &at);
  return at;
}

/* A body's mass centre, and motion there: angular, linear. */
typedef struct motion {
  dls_vec3 centre;
  dls_spatial v, a;
} motion;

static motion motion_of(const dls_event_world *x, int body) {
  const dls_world *w = x->world;
  const int link = w->trees->body_link[body];
  const dls_place *frame = &x->frame[body];
  motion m = {.centre = dls_v3_add(frame->p, dls_m3_apply(&frame->R, dls_v3_load(w->bodies[body].com)))};
  if (link >= 0) m.v = dls_forest_link_velocity(w->trees->forest, w->trees->state, link);
  else if (w->bodies[body].type == DLS_KINEMATIC) m.v = dls_twist_of(w, w->u + (size_t)body * dls_nu_of(w));
  return m;
}

/* The same with accelerations, after accelerate. */
static dls_status accelerated(const dls_event_world *x, int body, motion *m) {
  const dls_world *w = x->world;
  const int link = w->trees->body_link[body];
  double p[3], r[4], v[3], rate[3], more[6] = {0};
  dls_status status = DLS_OK;
  *m = motion_of(x, body);
  if (link >= 0) {
    m->a = dls_forest_link_acceleration(w->trees->forest, w->trees->state, link);
  } else if (w->bodies[body].moved && w->hooks.motion) {
    status = w->hooks.motion(w->hooks.ud, body, x->t, p, r, v, rate, more);
    m->a = (dls_spatial){dls_v3_load(more + 3), dls_v3_load(more)};
  }
  return status;
}

static dls_vec3 velocity_at(const motion *m, dls_vec3 point) {
  return dls_v3_add(m->v.l, dls_v3_cross(m->v.a, dls_v3_sub(point, m->centre)));
}

/* Of the body's point that is at `point`. */
static dls_vec3 acceleration_at(const motion *m, dls_vec3 point) {
  const dls_vec3 r = dls_v3_sub(point, m->centre);
  const dls_vec3 inward = dls_v3_cross(m->v.a, dls_v3_cross(m->v.a, r));
  return dls_v3_add(dls_v3_add(m->a.l, dls_v3_cross(m->a.a, r)), inward);
}

dls_vec3 dls_event_world_slip(const dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at) {
  const motion on = motion_of(x, contact->on), off = motion_of(x, contact->off);
  return dls_v3_sub(velocity_at(&off, at->C), velocity_at(&on, at->C_on));
}

/* A wrench about a body's mass centre, on its velocities: into row where its link is free, else it is noted: true. */
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

void dls_event_world_pull(dls_event_world *x, int a, dls_spatial on_a, int b, dls_spatial on_b, double *row) {
  const dls_trees *t = x->world->trees;
  memset(row, 0, (size_t)x->nu * sizeof *row);
  const bool noted_a = pull(x, a, on_a, row), noted_b = pull(x, b, on_b, row);
  if (!noted_a && !noted_b) return;
  dls_forest_generalized(t->forest, t->state, x->wrench, x->row);
  for (int i = 0; i < x->nu; i++) row[i] += x->row[i];
  if (noted_a) memset(x->wrench + 6 * (size_t)t->body_link[a], 0, 6 * sizeof(double));
  if (noted_b) memset(x->wrench + 6 * (size_t)t->body_link[b], 0, 6 * sizeof(double));
}

static dls_spatial wrench_at(const dls_event_world *x, int body, dls_vec3 point, dls_vec3 force) {
  return (dls_spatial){dls_v3_cross(dls_v3_sub(point, motion_of(x, body).centre), force), force};
}

void dls_event_world_row(dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at,
                         dls_vec3 along, double *row) {
  const dls_spatial off = wrench_at(x, contact->off, at->C, along);
  dls_event_world_pull(x, contact->off, off, contact->on, wrench_at(x, contact->on, at->C_on, dls_v3_neg(along)), row);
}

dls_spatial dls_event_world_twist(const dls_event_world *x, int body) { return motion_of(x, body).v; }

/* Of the gap of two axes, n' = (D' - n n . D')/|D|, and the velocity along its own axis of the nearest point. */
static double crossing_acceleration(const dls_event_world *x, const dls_smooth_contact *contact,
                                    const dls_smooth_touch *at, const motion *on, const motion *off, dls_vec3 *n_dot,
                                    dls_vec3 *along) {
  const dls_crossing cross = crossing_at(x, contact);
  const dls_vec3 beside = dls_v3_sub(velocity_at(off, cross.off), velocity_at(on, cross.on));
  const double distance = dls_v3_norm(dls_v3_sub(cross.off, cross.on));
  double s, t;
  dls_crossing_rates(&cross, beside, on->v.a, off->v.a, &s, &t);
  const dls_vec3 along_on = dls_v3_scale(s, cross.u);
  *along = dls_v3_scale(t, cross.v);
  const dls_vec3 d_dot = dls_v3_add(beside, dls_v3_sub(*along, along_on));
  *n_dot = dls_v3_scale(distance > 0 ? 1 / distance : 0, dls_v3_axpy(d_dot, -dls_v3_dot(at->n, d_dot), at->n));
  const dls_vec3 a_on = dls_v3_add(acceleration_at(on, cross.on), dls_v3_cross(on->v.a, along_on));
  const dls_vec3 a_off = dls_v3_add(acceleration_at(off, cross.off), dls_v3_cross(off->v.a, *along));
  return dls_v3_dot(at->n, dls_v3_sub(a_off, a_on)) + dls_v3_dot(*n_dot, beside);
}

/* Accelerations along n, t1, t2 with the forces of now: of the gap; of the velocities of the points in contact. */
static dls_status accelerations_of(const dls_event_world *x, const dls_smooth_contact *contact,
                                   const dls_smooth_touch *at, double out[3]) {
  motion on, off;
  dls_status status = accelerated(x, contact->on, &on);
  if (status == DLS_OK) status = accelerated(x, contact->off, &off);
  if (status != DLS_OK) return status;
  const dls_mat3 *R = &x->frame[contact->on].R;
  const dls_vec3 v_c = velocity_at(&off, at->c), beside = dls_v3_sub(v_c, velocity_at(&on, at->c));
  const dls_vec3 coriolis = dls_v3_scale(2, dls_v3_cross(on.v.a, beside));
  const dls_vec3 a_c = acceleration_at(&off, at->c);
  const dls_vec3 seen = dls_v3_sub(dls_v3_sub(a_c, acceleration_at(&on, at->c)), coriolis); /* from `on` */
  const dls_vec3 turning = dls_m3_apply(R, dls_surface_turn(&at->gap, dls_m3_apply_t(R, beside)));
  out[0] = dls_v3_dot(at->n, seen) + dls_v3_dot(turning, beside);
  dls_vec3 n_dot = dls_v3_add(dls_v3_cross(on.v.a, at->n), turning), along = {0};
  if (contact->pair.crosses) out[0] = crossing_acceleration(x, contact, at, &on, &off, &n_dot, &along);
  const double rate = dls_v3_dot(at->n, beside), r = contact->pair.radius + at->early * at->gap.gap;
  /* d/dt (v_c - r omega x n) less d/dt (v_on + omega_on x (C_on - centre)) */
  dls_vec3 a = dls_v3_axpy(a_c, -r, dls_v3_add(dls_v3_cross(off.a.a, at->n), dls_v3_cross(off.v.a, n_dot)));
  a = dls_v3_axpy(a, -at->early * rate, dls_v3_cross(off.v.a, at->n));
  a = dls_v3_add(a, dls_v3_cross(off.v.a, along));
  const dls_vec3 arm = dls_v3_sub(at->C_on, on.centre);
  const double behind = r + at->late * at->gap.gap, back = (at->early + at->late) * rate;
  const dls_vec3 C_dot = dls_v3_axpy(dls_v3_axpy(dls_v3_add(v_c, along), -behind, n_dot), -back, at->n); /* of C_on */
  const bool rope = contact->user >= 0 && contact->pair.surface.kind == DLS_SURFACE_HOLLOW;
  if (rope) {
    a = dls_v3_sub(a, acceleration_at(&on, at->C_on));
  } else {
    a = dls_v3_sub(a, dls_v3_add(on.a.l, dls_v3_cross(on.a.a, arm)));
    a = dls_v3_sub(a, dls_v3_cross(on.v.a, dls_v3_sub(C_dot, on.v.l)));
  }
  const dls_vec3 v = dls_v3_sub(velocity_at(&off, at->C), velocity_at(&on, at->C_on));
  const dls_vec3 spin = dls_v3_cross(at->n, n_dot); /* the frame is carried along with n */
  out[1] = dls_v3_dot(at->t1, a) + dls_v3_dot(dls_v3_cross(spin, at->t1), v);
  out[2] = dls_v3_dot(at->t2, a) + dls_v3_dot(dls_v3_cross(spin, at->t2), v);
  return DLS_OK;
}

/* Whether a contact is a velocity of a joint that friction or a motor holds: a tangent with a given normal force. */
static bool is_held(const dls_smooth_contact *contact) { return contact->rubs || contact->drives; }

static double limit_gap(const dls_event_world *x, const dls_smooth_contact *contact, int *iu) {
  const dls_world *w = x->world;
  const dls_joint *j = &w->joints[contact->joint];
  const int link = w->trees->body_link[j->turned ? j->a : j->b];
  const dls_link_info *info = &w->trees->forest->links[link];
  const double q = is_held(contact) ? 0 : x->q[info->iq + contact->limit];
  *iu = info->iu + contact->limit;
  return contact->upper ? j->hi[contact->limit] - q : q - j->lo[contact->limit];
}

/* The force f of a contact joins the forest's wrenches. */
static void push_at(dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at, dls_vec3 f) {
  dls_forest_state *state = x->world->trees->state;
  for (int side = 0; side < 2; side++) {
    const int link = x->world->trees->body_link[side == 0 ? contact->off : contact->on];
    if (link < 0) continue;
    const dls_vec3 on_it = side == 0 ? f : dls_v3_neg(f), point = side == 0 ? at->C : at->C_on;
    const dls_vec3 arm = dls_v3_sub(point, dls_forest_link_centre(x->world->trees->forest, state, link));
    double *wrench = state->wrench + 6 * (size_t)link;
    dls_v3_store(wrench, dls_v3_add(dls_v3_load(wrench), dls_v3_cross(arm, on_it)));
    dls_v3_store(wrench + 3, dls_v3_add(dls_v3_load(wrench + 3), on_it));
  }
}

/* Forces of contact i (its rows) join the forest's tau and wrench. */
static void push(dls_event_world *x, int i, const double *force) {
  dls_forest_state *state = x->world->trees->state;
  const dls_smooth_contact *contact = &x->contacts[i];
  int iu;
  if (contact->joint >= 0) {
    (void)limit_gap(x, contact, &iu);
    state->tau[iu] += is_held(contact) ? force[1] : contact->upper ? -force[0] : force[0];
    return;
  }
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  dls_vec3 f = dls_v3_scale(dls_smooth_complies(contact) ? 0 : force[0], at.n); /* among the loads already */
  if (x->system.n_tangents[i] > 0) f = dls_v3_axpy(f, force[1], at.t1);
  if (x->system.n_tangents[i] > 1) f = dls_v3_axpy(f, force[2], at.t2);
  push_at(x, contact, &at, f);
}


/* --- compliant contacts ------------------------------------------------------------------------- */

/* Forces of the smooth integration (EQUATIONS G.1): k and c in series, the boundary node compressed by x >= 0. While
** the contact is closed x is less the gap and the force is k x + c x'; it ends at 0. From there the node relaxes by
** x' = -k x/c, and the contact closes where the gap is less x again. */
static bool bears(const dls_event_world *x, int i) {
  return dls_smooth_complies(&x->contacts[i]) && x->scheme.contacts[i].mode != DLS_MODE_OPEN;
}

/* Of the node of an open contact, at the time t. */
static double relaxed(const dls_event_world *x, int i, double t) {
  const dls_event_contact *of = &x->scheme.contacts[i];
  const dls_material *m = &x->contacts[i].material;
  if (!(of->held > 0) || !(m->damping > 0)) return 0;
  const double past = dls_max(0, t - of->struck) * m->stiffness / m->damping;
  return past < 700 ? of->held * dls_exp(-past) : 0;
}

double dls_event_world_compression(const dls_event_world *x, int i) {
  const double overlap = dls_max(0, -dls_event_world_touch(x, &x->contacts[i]).gap.gap);
  return bears(x, i) ? overlap : dls_max(overlap, relaxed(x, i, x->t));
}

static double normal_force(const dls_event_world *x, const dls_smooth_contact *contact, const dls_smooth_touch *at) {
  const double rate = dls_v3_dot(at->n, dls_event_world_slip(x, contact, at));
  return -contact->material.stiffness * at->gap.gap - contact->material.damping * rate;
}

static bool bears_as_before(const dls_event_world *x) {
  for (int i = 0; i < x->n; i++)
    if (x->bears[i] != bears(x, i)) return false;
  return true;
}

/* The forces of the compliant contacts that are closed join the loads; whether there is one. */
static bool press(dls_event_world *x) {
  bool any = false;
  for (int i = 0; i < x->n; i++) {
    x->bears[i] = bears(x, i);
    if (!x->bears[i]) continue;
    const dls_smooth_touch at = dls_event_world_touch(x, &x->contacts[i]);
    push_at(x, &x->contacts[i], &at, dls_v3_scale(normal_force(x, &x->contacts[i], &at), at.n));
    any = true;
  }
  if (any) x->world->trees->state->loaded = true;
  return any;
}

/* --- accelerations ---------------------------------------------------------------------------------- */

/* Loads without rigid contacts and joints, and the accelerations with them. */
static dls_status load(dls_event_world *x, double t) {
  dls_world *w = x->world;
  const bool held = x->holds.room > 0;
  dls_status status = held ? dls_joints_drive(w, t) : DLS_OK;
  if (status == DLS_OK && (held || dls_world_is_pushed(w))) dls_trees_scatter(w, w->q, w->u, true);
  if (status == DLS_OK) status = dls_world_accelerate(w, DLS_ROWS_ELSEWHERE);
  if (status == DLS_OK && press(x)) return run_forest(x);
  if (status != DLS_OK || w->trees->method == DLS_FOREST_FAST) return status;
  dls_fault fault = {-1, 0};
  return dls_forest_factor(w->trees->forest, w->trees->state, &fault);
}

dls_status dls_event_world_accelerate(dls_event_world *x, double t, const double *q, const double *u) {
  dls_status status = dls_event_world_move(x, t, q, u);
  if (status != DLS_OK || (x->accelerated && bears_as_before(x))) return status;
  if (dls_stop_poll(x->world->stop, 100.0 * (x->nu + 1))) return DLS_STOPPED;
  status = load(x, t);
  if (status == DLS_OK && x->holds.room > 0) status = dls_holds_accelerate(&x->holds);
  if (status == DLS_OK && x->holds.room > 0) status = run_forest(x);
  if (status != DLS_OK) return status;
  memcpy(x->udot, x->world->trees->state->udot, (size_t)x->nu * sizeof(double));
  x->accelerated = true;
  return DLS_OK;
}

dls_status dls_event_world_react(dls_event_world *x) {
  const dls_event_scheme *e = &x->scheme;
  dls_trees *trees = x->world->trees;
  if (trees->n_reduced == 0 && x->holds.room == 0) return DLS_OK;
  x->accelerated = false;
  dls_status status = load(x, e->t);
  for (int i = 0; i < x->n && status == DLS_OK; i++)
    if (e->contacts[i].mode != DLS_MODE_OPEN) push(x, i, e->lambda + x->system.row[i]);
  trees->state->loaded = true;
  if (status == DLS_OK) status = run_forest(x);
  if (status == DLS_OK && x->holds.room > 0) status = dls_holds_accelerate(&x->holds);
  if (status == DLS_OK && x->holds.room > 0) status = run_forest(x);
  if (status != DLS_OK) return status;
  if (trees->method == DLS_FOREST_FAST) dls_forest_reactions(trees->forest, trees->state);
  trees->known = DLS_KNOWN_ACCELERATION;
  return DLS_OK;
}

/* --- the system --------------------------------------------------------------------------------- */

int dls_smooth_tangents(const dls_world *w, const dls_smooth_contact *contact) {
  if (contact->joint >= 0) return is_held(contact) ? 1 : 0;
  const dls_material *m = &contact->material;
  const bool smooth = m->law == 0 && m->friction == 0 && m->kinetic == 0;
  return smooth ? 0 : w->dim - 1;
}

static bool is_off(const dls_world *w, const dls_smooth_contact *contact) {
  return contact->user >= 0 && !w->user_contacts[contact->user].active;
}

static dls_status gap_of(void *ctx, int i, double t, const double *q, double *gap) {
  dls_event_world *x = ctx;
  const dls_smooth_contact *contact = &x->contacts[i];
  int iu;
  *gap = is_held(contact) ? 0 : DLS_INF;
  if (is_held(contact)) return DLS_OK;
  if (is_off(x->world, contact)) return DLS_OK;
  if (contact->by_function) return dls_function_gap(x, i, t, q, gap);
  const dls_status status = dls_event_world_place(x, t, q);
  if (status != DLS_OK) return status;
  if (is_elsewhere(x, contact)) return DLS_OK;
  *gap = contact->joint >= 0 ? limit_gap(x, contact, &iu) : dls_event_world_touch(x, contact).gap.gap;
  if (dls_smooth_complies(contact) && !bears(x, i)) *gap += relaxed(x, i, t);
  return DLS_OK;
}

/* Of a velocity that friction or a motor holds; its forces are bounded by the normal one. */
static void held_row(const dls_event_world *x, const dls_smooth_contact *contact, double *at, double *drift,
                     double *wbar) {
  const dls_joint *j = &x->world->joints[contact->joint];
  *at = 1;
  drift[0] = 0, drift[1] = contact->drives ? -j->motor.target : 0;
  if (wbar != NULL) wbar[0] = contact->drives ? -j->motor.most : -j->friction, wbar[1] = 0;
}

static dls_status rows_of(void *ctx, int i, double t, const double *q, const double *u, double *row, double *drift,
                          double *wbar) {
  dls_event_world *x = ctx;
  const dls_smooth_contact *contact = &x->contacts[i];
  const int m = 1 + x->system.n_tangents[i];
  if (contact->by_function) return dls_function_rows(x, i, t, q, u, row, drift, wbar);
  dls_status status = wbar != NULL ? dls_event_world_accelerate(x, t, q, u) : dls_event_world_move(x, t, q, u);
  if (status != DLS_OK) return status;
  if (contact->joint >= 0) {
    int iu;
    (void)limit_gap(x, contact, &iu);
    memset(row, 0, (size_t)m * (size_t)x->nu * sizeof *row);
    if (is_held(contact)) {
      held_row(x, contact, row + x->nu + iu, drift, wbar);
      return DLS_OK;
    }
    row[iu] = contact->upper ? -1 : 1, drift[0] = 0;
    if (wbar != NULL) wbar[0] = 0;
    return DLS_OK;
  }
  if (x->scheme.contacts[i].mode != DLS_MODE_OPEN && is_elsewhere(x, contact)) {
    x->refusal = DLS_EVENTS_PARALLEL, x->a = contact->a, x->b = contact->b;
    return DLS_ARG;
  }
  const dls_smooth_touch at = dls_event_world_touch(x, contact);
  const dls_vec3 v = dls_event_world_slip(x, contact, &at), axis[3] = {at.n, at.t1, at.t2};
  double a[3] = {0};
  if (wbar != NULL) status = accelerations_of(x, contact, &at, a);
  for (int k = 0; k < m && status == DLS_OK; k++) {
    double *w = row + (size_t)k * (size_t)x->nu, speed = 0, pull = 0;
    dls_event_world_row(x, contact, &at, axis[k], w);
    for (int l = 0; l < x->nu; l++) speed += w[l] * u[l], pull += w[l] * x->udot[l];
    drift[k] = dls_v3_dot(axis[k], v) - speed;
    if (fabs(drift[k]) <= 1e-15 * (fabs(speed) + dls_v3_norm(v))) drift[k] = 0; /* nothing but bodies of the forest */
    if (wbar != NULL) wbar[k] = a[k] - pull;
  }
  if (!dls_smooth_complies(contact)) return status;
  memset(row, 0, (size_t)x->nu * sizeof *row); /* its normal force is given */
  drift[0] = 0;
  if (wbar != NULL) wbar[0] = -normal_force(x, contact, &at);
  return status;
}

static dls_status smooth(void *ctx, double t, const double *q, const double *u, double *udot) {
  dls_event_world *x = ctx;
  const dls_status status = dls_event_world_accelerate(x, t, q, u);
  if (status == DLS_OK) memcpy(udot, x->udot, (size_t)x->nu * sizeof *udot);
  return status;
}

static void respond(void *ctx, int k, const double *w, double *out) {
  dls_event_world *x = ctx;
  dls_forest_solve(x->world->trees->forest, x->world->trees->state, k, w, out);
  if (x->holds.room > 0) dls_holds_answer(&x->holds, k, out);
}

static dls_status project(void *ctx, double t, double *q, double *u) {
  dls_event_world *x = ctx;
  return dls_holds_project(&x->holds, t, q, u);
}

/* mu at a speed, in the limit to slip for 0, at rest below. */
static dls_status friction(void *ctx, int i, double speed, double *mu) {
  static const double JUST = 1e-300; /* m/s */
  const dls_event_world *x = ctx;
  const double at = speed > 0 ? speed : speed < 0 ? 0 : JUST;
  *mu = 1;
  if (is_held(&x->contacts[i])) return DLS_OK;
  return dls_friction_at(x->world, &x->contacts[i].material, at, mu);
}

static bool given(void *ctx, int i) {
  const dls_smooth_contact *contact = &((const dls_event_world *)ctx)->contacts[i];
  return is_held(contact) || dls_smooth_complies(contact);
}

static void advance(void *ctx, double *q, double h, const double *u) {
  const dls_event_world *x = ctx;
  dls_forest_advance(x->world->trees->forest, q, h, u);
}

static void chart_rate(void *ctx, const double *d, const double *u, double *out) {
  const dls_event_world *x = ctx;
  dls_forest_chart_rate(x->world->trees->forest, d, u, out);
}

dls_system_def dls_event_world_system(dls_event_world *x) {
  const dls_forest *forest = x->world->trees->forest;
  return (dls_system_def){.n = forest->nu, .nq = forest->nq, .n_contacts = x->n, .span = 1e-3, .ctx = x, .gap = gap_of,
                          .friction = friction, .advance = advance, .chart_rate = chart_rate, .smooth = smooth,
                          .respond = respond, .rows = rows_of, .tell = dls_event_world_note, .given = given,
                          .project = x->holds.room > 0 ? project : NULL};
}
