/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/scheme/forces.h"

static dls_status ask_fields(dls_step *S) {
  const dls_world *w = S->w;
  for (int i = 0; i < w->n_bodies; i++) {
    if (!dls_moves_freely(&w->bodies[i])) continue;
    double force[3] = {0}, torque[3] = {0}, *push = DLS_U(S, S->push, i);
    dls_status status = w->hooks.field(w->hooks.ud, i, w->time, force, torque);
    if (status != DLS_OK) return status;
    for (int k = 0; k < S->dim; k++) push[k] += force[k];
    for (int k = 0; k < S->nu - S->dim; k++) push[S->dim + k] += torque[k];
  }
  return DLS_OK;
}

/* Who asks the world meanwhile sees its bodies at q_c, at the time of that. */
dls_status dls_push_fields(dls_step *S) {
  dls_world *w = S->w;
  if (!w->hooks.field) return DLS_OK;
  double *const q = w->q, *const u = w->u, time = w->time;
  w->q = S->q_c, w->u = S->u_c, w->time += (1 - S->theta) * S->h;
  const dls_status status = ask_fields(S);
  w->q = q, w->u = u, w->time = time;
  return status;
}

dls_vec3 dls_gyroscopic(const dls_step *S, int i) {
  const dls_body *body = &S->w->bodies[i];
  if (!S->w->semi_implicit || dls_is_isotropic(body) || S->held[i] == DLS_HELD)
    return dls_v3(0, 0, 0);
  const double *u = DLS_U(S, S->u_c, i);
  const dls_vec3 L = dls_angular_momentum(body, DLS_Q(S, S->q_c, i), u);
  return dls_v3_cross(L, dls_v3_load(u + 3));
}

/* S->push is there only where something pushes. */
const double *dls_push_on(const dls_step *S, int i) {
  static const double nothing[DLS_NU(3)];
  return S->pushed ? DLS_U(S, S->push, i) : nothing;
}

/* u += h (g + M^-1 f) of one body; m: its inverse mass. */
static void accelerate_2(const dls_step *S, int i, double m, const double *load, const double *push,
                         double *u) {
  const double h = S->h, *g = S->w->gravity;
  const double x = g[0] + m * (load[0] + push[0]), y = g[1] + m * (load[1] + push[1]);
  const double turn = S->rows.inv_inertia[i] * (load[2] + push[2]);
  u[0] += h * x, u[1] += h * y, u[2] += h * turn;
}

static void accelerate_3(const dls_step *S, int i, double m, const double *load, const double *push,
                         double *u) {
  const double h = S->h, *g = S->w->gravity, *inverse = S->rows.inv_inertia + 9 * (size_t)i;
  const dls_vec3 spin = dls_gyroscopic(S, i);
  const double turning[3] = {spin.x, spin.y, spin.z};
  for (int k = 0; k < 3; k++) u[k] += h * (g[k] + m * (load[k] + push[k]));
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int l = 0; l < 3; l++)
      sum += inverse[3 * k + l] * (load[3 + l] + push[3 + l] + turning[l]);
    u[3 + k] += h * sum;
  }
}

void dls_release_body(dls_step *S, int i) {
  const dls_world *w = S->w;
  const double m = S->rows.inv_mass[i], *push = dls_push_on(S, i), *load = DLS_U(S, w->load, i);
  double *u = DLS_U(S, S->rows.u_free, i);
  memcpy(u, DLS_U(S, S->u_c, i), (size_t)S->nu * sizeof(double));
  if (!dls_moves_freely(&w->bodies[i])) return;
  if (S->dim == 2) accelerate_2(S, i, m, load, push, u);
  else accelerate_3(S, i, m, load, push, u);
}

void dls_release(dls_step *S) {
  for (int i = 0; i < S->w->n_bodies; i++) {
    dls_weigh(S, i, S->dim == 2 ? NULL : &S->T3[i].R);
    dls_release_body(S, i);
  }
}
