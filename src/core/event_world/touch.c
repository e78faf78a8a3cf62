/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/event_world/touch.h"

#include "core/model/motion.h"

/* The turn that takes s to n the shortest way, of two fixed vectors. s lies along nothing that a
** scene is built by; at n = -s alone they jump. */
void dls_event_world_tangents(int dim, dls_vec3 n, dls_vec3 *t1, dls_vec3 *t2) {
  if (dim == 2) {
    *t1 = dls_v3(n.y, -n.x, 0), *t2 = dls_v3(0, 0, 1);
    return;
  }
  const dls_vec3 s = {0.36, 0.48, 0.8}, e1 = {0.8, -0.6, 0}, k = dls_v3_cross(s, n),
                 once = dls_v3_cross(k, e1);
  const double c = 1 + dls_v3_dot(s, n);
  *t1 = dls_v3_axpy(dls_v3_add(e1, once), c > 1e-12 ? 1 / c : 0, dls_v3_cross(k, once));
  *t2 = dls_v3_cross(n, *t1);
}

/* Points of shapes that overlap, as in time steps: free bodies meet half way, else each at its own
** surface. */
static void split(const dls_world *w, const dls_smooth_contact *contact, dls_smooth_touch *at) {
  const bool free =
      dls_moves_freely(&w->bodies[contact->on]) && dls_moves_freely(&w->bodies[contact->off]);
  at->early = free ? 0.5 : 0, at->late = free ? 0 : 1;
  at->C = dls_v3_axpy(at->C, -at->early * at->gap.gap, at->n);
  at->C_on = dls_v3_axpy(at->C, -at->late * at->gap.gap, at->n);
}

static dls_vec3 placed(const dls_place *frame, dls_vec3 point) {
  return dls_v3_add(frame->p, dls_m3_apply(&frame->R, point));
}

dls_crossing dls_touch_crossing(const dls_event_world *x, const dls_smooth_contact *contact) {
  const dls_place *on = &x->frame[contact->on], *off = &x->frame[contact->off];
  const dls_vec3 *a = contact->pair.on, *b = contact->pair.off;
  return dls_crossing_of(placed(on, a[0]), placed(on, a[1]), placed(off, b[0]), placed(off, b[1]));
}

static dls_smooth_touch touch_of_crossing(const dls_event_world *x,
                                          const dls_smooth_contact *contact) {
  const dls_crossing cross = dls_touch_crossing(x, contact);
  const dls_vec3 d = dls_v3_sub(cross.off, cross.on);
  const double distance = dls_v3_norm(d), r = contact->pair.radius;
  dls_smooth_touch at = {.c = cross.off,
                         .n = distance > 0 ? dls_v3_scale(1 / distance, d) : dls_v3(0, 1, 0)};
  at.gap.gap = distance - contact->pair.surface.radius - r;
  dls_event_world_tangents(3, at.n, &at.t1, &at.t2);
  at.C = at.C_on = dls_v3_axpy(at.c, -r, at.n);
  return at;
}

/* Of a ball whose centre is c. */
static dls_smooth_gap gap_of_ball(const dls_event_world *x, const dls_smooth_contact *contact,
                                  dls_vec3 c) {
  const dls_place *on = &x->frame[contact->on], *off = &x->frame[contact->off];
  const dls_surface *surface = &contact->pair.surface;
  const dls_vec3 local = dls_m3_apply_t(&on->R, dls_v3_sub(c, on->p));
  dls_vec3 inside = {0};
  /* on which side of it */
  if (surface->kind == DLS_SURFACE_CORE && surface->shape->kind == DLS_SHAPE_SEGMENT) {
    const dls_vec3 com = dls_v3_load(x->world->bodies[contact->off].com);
    const dls_vec3 middle = dls_v3_add(off->p, dls_m3_apply(&off->R, com));
    inside = dls_m3_apply_t(&on->R, dls_v3_sub(middle, on->p));
  }
  return dls_surface_gap(surface, x->world->dim, local, contact->pair.radius, inside);
}

static dls_vec3 ball_of(const dls_event_world *x, const dls_smooth_contact *contact) {
  return placed(&x->frame[contact->off], contact->pair.centre);
}

double dls_touch_gap(const dls_event_world *x, const dls_smooth_contact *contact) {
  if (contact->pair.crosses || contact->by_function)
    return dls_event_world_touch(x, contact).gap.gap;
  return gap_of_ball(x, contact, ball_of(x, contact)).gap;
}

dls_smooth_touch dls_event_world_touch(const dls_event_world *x,
                                       const dls_smooth_contact *contact) {
  if (contact->pair.crosses) return touch_of_crossing(x, contact);
  if (contact->by_function) return x->function_touch[contact - x->contacts];
  const dls_place *on = &x->frame[contact->on];
  const dls_smooth_pair *pair = &contact->pair;
  dls_smooth_touch at = {.c = ball_of(x, contact)};
  at.gap = gap_of_ball(x, contact, at.c);
  at.n = dls_m3_apply(&on->R, at.gap.n);
  dls_event_world_tangents(x->world->dim, at.n, &at.t1, &at.t2);
  if (pair->surface.along_x)
    at.t1 = dls_m3_apply(&on->R, at.gap.axis), at.t2 = dls_v3_cross(at.n, at.t1);
  at.C = at.C_on = dls_v3_axpy(at.c, -pair->radius, at.n);
  if (contact->user >= 0 && pair->surface.kind == DLS_SURFACE_HOLLOW) /* a rope: its two ends */
    at.C_on = dls_v3_add(on->p, dls_m3_apply(&on->R, pair->surface.centre));
  else if (contact->user < 0 && dls_smooth_complies(contact)) split(x->world, contact, &at);
  return at;
}
dls_vec3 dls_event_world_slip(const dls_event_world *x, const dls_smooth_contact *contact,
                              const dls_smooth_touch *at) {
  const dls_event_motion on = dls_event_motion_of(x, contact->on),
                         off = dls_event_motion_of(x, contact->off);
  return dls_v3_sub(dls_event_velocity_at(&off, at->C), dls_event_velocity_at(&on, at->C_on));
}

dls_vec3 dls_touch_carried(const dls_event_world *x, const dls_smooth_contact *contact,
                           const dls_smooth_touch *at) {
  const dls_event_motion on = dls_event_motion_of(x, contact->on),
                         off = dls_event_motion_of(x, contact->off);
  const dls_body *bodies = x->world->bodies;
  dls_vec3 v = {0};
  if (bodies[contact->off].type != DLS_DYNAMIC) v = dls_event_velocity_at(&off, at->C);
  if (bodies[contact->on].type != DLS_DYNAMIC)
    v = dls_v3_sub(v, dls_event_velocity_at(&on, at->C_on));
  return v;
}

static dls_spatial wrench_at(const dls_event_world *x, int body, dls_vec3 point, dls_vec3 force) {
  return (dls_spatial){dls_v3_cross(dls_v3_sub(point, dls_event_motion_of(x, body).centre), force),
                       force};
}

double dls_touch_answers_alone(const dls_event_world *x, const dls_smooth_contact *contact,
                               const dls_spatial of[2]) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? contact->a : contact->b;
    double j[6];
    dls_v3_store(j, of[e].l), dls_v3_store(j + 3, of[e].a);
    if (x->world->dim == 2) j[2] = of[e].a.z;
    sum += dls_body_answers_alone(x->world, body, &x->frame[body].R, j);
  }
  return sum;
}

bool dls_event_world_row(dls_event_world *x, const dls_smooth_contact *contact,
                         const dls_smooth_touch *at, dls_vec3 along, double *row) {
  const dls_spatial off = wrench_at(x, contact->off, at->C, along);
  return dls_event_world_pull(x, contact->off, off, contact->on,
                              wrench_at(x, contact->on, at->C_on, dls_v3_neg(along)), row);
}

double dls_touch_terms(const dls_event_world *x, const dls_smooth_contact *contact,
                       const dls_smooth_touch *at) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const int body = e == 0 ? contact->off : contact->on;
    dls_event_motion m;
    if (dls_event_motion_accelerated(x, body, &m) != DLS_OK) continue;
    const double turning = dls_v3_norm(m.v.a),
                 reach = dls_v3_norm(dls_v3_sub(e == 0 ? at->c : at->C_on, m.centre)) +
                         contact->pair.radius;
    sum += dls_v3_norm(m.a.l) + reach * (dls_v3_norm(m.a.a) + turning * turning);
  }
  return sum;
}

/* Of the gap of two axes, n' = (D' - n n . D')/|D|, and the velocity along its own axis of the
** nearest point. */
static double crossing_acceleration(const dls_event_world *x, const dls_smooth_contact *contact,
                                    const dls_smooth_touch *at, const dls_event_motion *on,
                                    const dls_event_motion *off, dls_vec3 *n_dot, dls_vec3 *along) {
  const dls_crossing cross = dls_touch_crossing(x, contact);
  const dls_vec3 beside =
      dls_v3_sub(dls_event_velocity_at(off, cross.off), dls_event_velocity_at(on, cross.on));
  const double distance = dls_v3_norm(dls_v3_sub(cross.off, cross.on));
  double s, t;
  dls_crossing_rates(&cross, beside, on->v.a, off->v.a, &s, &t);
  const dls_vec3 along_on = dls_v3_scale(s, cross.u);
  *along = dls_v3_scale(t, cross.v);
  const dls_vec3 d_dot = dls_v3_add(beside, dls_v3_sub(*along, along_on));
  *n_dot = dls_v3_scale(distance > 0 ? 1 / distance : 0,
                        dls_v3_axpy(d_dot, -dls_v3_dot(at->n, d_dot), at->n));
  const dls_vec3 a_on =
      dls_v3_add(dls_event_acceleration_at(on, cross.on), dls_v3_cross(on->v.a, along_on));
  const dls_vec3 a_off =
      dls_v3_add(dls_event_acceleration_at(off, cross.off), dls_v3_cross(off->v.a, *along));
  return dls_v3_dot(at->n, dls_v3_sub(a_off, a_on)) + dls_v3_dot(*n_dot, beside);
}

dls_status dls_touch_accelerations(const dls_event_world *x, const dls_smooth_contact *contact,
                                   const dls_smooth_touch *at, double out[3]) {
  dls_event_motion on, off;
  dls_status status = dls_event_motion_accelerated(x, contact->on, &on);
  if (status == DLS_OK) status = dls_event_motion_accelerated(x, contact->off, &off);
  if (status != DLS_OK) return status;
  const dls_mat3 *R = &x->frame[contact->on].R;
  const dls_vec3 v_c = dls_event_velocity_at(&off, at->c),
                 beside = dls_v3_sub(v_c, dls_event_velocity_at(&on, at->c));
  const dls_vec3 coriolis = dls_v3_scale(2, dls_v3_cross(on.v.a, beside));
  const dls_vec3 a_c = dls_event_acceleration_at(&off, at->c);
  /* from `on` */
  const dls_vec3 seen =
      dls_v3_sub(dls_v3_sub(a_c, dls_event_acceleration_at(&on, at->c)), coriolis);
  const dls_vec3 turning = dls_m3_apply(R, dls_surface_turn(&at->gap, dls_m3_apply_t(R, beside)));
  out[0] = dls_v3_dot(at->n, seen) + dls_v3_dot(turning, beside);
  dls_vec3 n_dot = dls_v3_add(dls_v3_cross(on.v.a, at->n), turning), along = {0};
  if (contact->pair.crosses)
    out[0] = crossing_acceleration(x, contact, at, &on, &off, &n_dot, &along);
  const double rate = dls_v3_dot(at->n, beside), r = contact->pair.radius + at->early * at->gap.gap;
  /* d/dt (v_c - r omega x n) less d/dt (v_on + omega_on x (C_on - centre)) */
  dls_vec3 a =
      dls_v3_axpy(a_c, -r, dls_v3_add(dls_v3_cross(off.a.a, at->n), dls_v3_cross(off.v.a, n_dot)));
  a = dls_v3_axpy(a, -at->early * rate, dls_v3_cross(off.v.a, at->n));
  a = dls_v3_add(a, dls_v3_cross(off.v.a, along));
  const dls_vec3 arm = dls_v3_sub(at->C_on, on.centre);
  const double behind = r + at->late * at->gap.gap, back = (at->early + at->late) * rate;
  /* of C_on */
  const dls_vec3 C_dot =
      dls_v3_axpy(dls_v3_axpy(dls_v3_add(v_c, along), -behind, n_dot), -back, at->n);
  const bool rope = contact->user >= 0 && contact->pair.surface.kind == DLS_SURFACE_HOLLOW;
  if (rope) {
    a = dls_v3_sub(a, dls_event_acceleration_at(&on, at->C_on));
  } else {
    a = dls_v3_sub(a, dls_v3_add(on.a.l, dls_v3_cross(on.a.a, arm)));
    a = dls_v3_sub(a, dls_v3_cross(on.v.a, dls_v3_sub(C_dot, on.v.l)));
  }
  const dls_vec3 v =
      dls_v3_sub(dls_event_velocity_at(&off, at->C), dls_event_velocity_at(&on, at->C_on));
  const dls_vec3 spin = dls_v3_cross(at->n, n_dot); /* the frame is carried along with n */
  out[1] = dls_v3_dot(at->t1, a) + dls_v3_dot(dls_v3_cross(spin, at->t1), v);
  out[2] = dls_v3_dot(at->t2, a) + dls_v3_dot(dls_v3_cross(spin, at->t2), v);
  return DLS_OK;
}

void dls_touch_push(dls_event_world *x, const dls_smooth_contact *contact,
                    const dls_smooth_touch *at, dls_vec3 f) {
  const dls_forest_state *state = x->world->trees->state;
  for (int side = 0; side < 2; side++) {
    const int body = side == 0 ? contact->off : contact->on,
              link = x->world->trees->body_link[body];
    if (link < 0) continue;
    const dls_vec3 on_it = side == 0 ? f : dls_v3_neg(f), point = side == 0 ? at->C : at->C_on;
    const dls_vec3 arm =
        dls_v3_sub(point, dls_forest_link_centre(x->world->trees->forest, state, link));
    dls_event_world_load(x, body, (dls_spatial){dls_v3_cross(arm, on_it), on_it});
  }
}
