/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/user_contact.h"

#include "core/joints/trees.h"
#include "core/model/body.h"

/* A hand-made contact at the present coordinates; what steps make of it:
** contacts/user_contacts.h. */

static dls_vec3 end_of(const dls_world *w, int body, const double point[3]) {
  return dls_body_point(w, body, dls_v3_add(dls_v3_load(point), dls_v3_load(w->bodies[body].com)));
}

static dls_vec3 first_of(const double *x, int dim) {
  return dls_v3(x[0], x[1], dim == 3 ? x[2] : 0);
}

/* Functions get the coordinates of the whole world: those of trees are listed by their forest. */
static dls_status list_trees(dls_world *w) {
  dls_forest_fault fault;
  if (!dls_trees_used(w) || !w->trees->stale) return DLS_OK;
  const dls_status status = dls_trees_update(w, &fault);
  return status == DLS_OK ? dls_trees_gather(w, w->q, w->u, w->q, w->u, w->time) : status;
}

dls_status dls_world_user_gap(dls_world *w, int index, dls_contact *out, double J[12]) {
  const dls_user_contact *user = &w->user_contacts[index];
  const size_t nu = w->dim == 2 ? 3 : 6, n = (size_t)w->n_bodies * nu;
  double *gradient = (double *)dls_new(&w->alloc, n, sizeof *gradient);
  if (gradient == NULL) return DLS_NOMEM;
  dls_status status = list_trees(w);
  if (status == DLS_OK)
    status = w->hooks.gap(w->hooks.ud, index, w->time, w->q, &out->gap, gradient);
  if (status == DLS_OK) {
    const double *of_a = gradient + (size_t)user->a * nu, *of_b = gradient + (size_t)user->b * nu;
    dls_vec3 n_b = first_of(of_b, w->dim);
    if (!(dls_v3_norm(n_b) > 0)) n_b = dls_v3_neg(first_of(of_a, w->dim));
    const double length = dls_v3_norm(n_b), scale = length > 0 ? 1 / length : 1;
    out->gap *= scale;
    dls_v3_store(out->normal, dls_v3_scale(scale, n_b));
    for (size_t i = 0; i < nu; i++) J[i] = scale * of_a[i], J[nu + i] = scale * of_b[i];
  }
  dls_free(&w->alloc, gradient, n, sizeof *gradient);
  return status;
}

dls_status dls_world_user_contact(dls_world *w, int index, dls_contact *out) {
  const dls_user_contact *user = &w->user_contacts[index];
  const dls_vec3 a = end_of(w, user->a, user->point_a), b = end_of(w, user->b, user->point_b),
                 d = dls_v3_sub(b, a);
  dls_status status = DLS_OK;
  *out = (dls_contact){.a = user->a, .b = user->b, .user = index, .state = DLS_APART};
  dls_v3_store(out->point, b);
  if (user->kind == DLS_USER_POINT) {
    const dls_vec3 n = dls_body_turn(w, user->a, dls_v3_load(user->normal));
    out->gap = dls_v3_dot(n, d);
    dls_v3_store(out->normal, n);
  } else if (user->kind == DLS_USER_ROPE) {
    const double length = dls_v3_norm(d);
    out->gap = user->length - length;
    dls_v3_store(out->normal, length > 0 ? dls_v3_scale(-1 / length, d) : dls_v3(1, 0, 0));
  } else {
    double J[12];
    status = dls_world_user_gap(w, index, out, J);
  }
  const dls_vec3 on_a = user->kind == DLS_USER_ROPE ? a : b;
  dls_v3_store(out->velocity, dls_v3_sub(dls_body_velocity_at(w, user->b, b),
                                         dls_body_velocity_at(w, user->a, on_a)));
  return status;
}
