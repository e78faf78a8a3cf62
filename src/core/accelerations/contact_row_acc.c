/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/accelerations/contact_row_acc.h"

#include "core/model/frames.h"
#include "core/model/material.h"
#include "core/model/motion.h"
#include "core/model/row_frame.h"
#include "core/rows/mass.h"

/* A part of a contact's rows that has a bound of its own. */
typedef struct resistance {
  int row, n;    /* its rows                        */
  double bound;  /* of the normal force             */
  double length; /* m: 1, or what makes rad/s m/s   */
  double speed;  /* of it                           */
} resistance;

void dls_frame_rows(int dim, double J[DLS_NB(3)][2 * DLS_NU(3)], const dls_vec3 axis[3],
                    dls_vec3 r_a, dls_vec3 r_b) {
  for (int k = 0; k < dim; k++) dls_write_row(dim, J[k], axis[k], r_a, r_b);
  for (int k = dim; k < DLS_NB(dim); k++) dls_write_turn(dim, J[k], axis[k - dim]);
}

void dls_carry_frame(int dim, dls_vec3 n, const dls_vec3 from[3], dls_vec3 axis[3]) {
  axis[0] = n;
  if (dim == 2) {
    dls_tangents(2, n, &axis[1], &axis[2]);
    return;
  }
  axis[1] = dls_v3_unit(dls_v3_axpy(from[1], -dls_v3_dot(from[1], n), n));
  axis[2] = dls_v3_cross(n, axis[1]);
}

void dls_encounter_see(const dls_step *S, dls_encounter *e) {
  const double *u_a = DLS_U(S, S->w->u, e->a), *u_b = DLS_U(S, S->w->u, e->b);
  for (int k = 0; k < S->nb; k++) e->v[k] = dls_row_velocity(S->nu, e->J[k], u_a, u_b);
}

bool dls_encounter_held(const dls_encounter *e) {
  const dls_contact *before = e->before;
  if (!before || !before->listed || !(before->p_n > 0) || e->m->stiffness < DLS_INF) return false;
  double v = 0;
  for (int k = 0; k < 3; k++) v += before->velocity[k] * before->normal[k];
  return v <= DLS_AT_REST * e->size;
}

void dls_encounter_settle(const dls_step *S, dls_encounter *e) {
  bool off[DLS_NB(3)];
  for (int k = 0; k < S->dim; k++) off[k] = fabs(e->v[k]) <= S->w->dt * fabs(e->own[k]);
  if (!off[0]) return;
  e->v[0] = 0;
  if (e->before->state != DLS_STICK) return;
  for (int k = 1; k < S->dim; k++)
    if (off[k]) e->v[k] = 0;
}

double dls_contact_gyration(const dls_world *w, int a, int b) {
  const dls_body *owner = &w->bodies[b];
  if (!dls_moves_freely(owner)) owner = &w->bodies[a];
  return owner->gyration;
}

/* J M^-1 J' of the half of the normal row that belongs to body i, without its joints. */
static double answer_of(const dls_step *S, int i, const double *J) {
  const dls_world *w = S->w;
  const dls_mat3 R = S->dim == 3 ? dls_pose_3(&w->bodies[i], w->q + (size_t)i * dls_nq_of(w)).R
                                 : dls_m3_diag(1, 1, 1);
  return dls_body_answers_alone(w, i, &R, J);
}

/* A compliant contact's dashpot: the one in use; else as a step would choose it
** (contacts/compliance.h). */
static double dashpot_of(const dls_step *S, const dls_encounter *e) {
  const dls_material *m = e->m;
  if (!dls_restitution_damps(m)) return m->damping;
  if (e->before && e->before->listed) return e->before->damping;
  const double w = answer_of(S, e->a, e->J[0]) + answer_of(S, e->b, e->J[0] + S->nu);
  return dls_restitution_dashpot(S->w, m, w);
}

/* The force of a compliant contact. A node that carried nothing and is still compressed further
** than the bodies overlap has not come back to the surface yet. */
static double spring_force(const dls_step *S, const dls_encounter *e) {
  const double c = dashpot_of(S, e);
  if (e->gap > DLS_CLOSED * e->size) return 0;
  if (c > 0 && e->before && !(e->before->p_n > 0) && e->before->x > -e->gap) return 0;
  return dls_max(0, -e->m->stiffness * e->gap - c * e->v[0]);
}

bool dls_encounter_acts(const dls_step *S, dls_encounter *e) {
  e->force = 0;
  if (e->m->stiffness < DLS_INF) return (e->force = spring_force(S, e)) > 0;
  return e->gap <= DLS_CLOSED * e->size && e->v[0] <= DLS_AT_REST * e->size;
}

static int parts_of(const dls_step *S, const dls_encounter *e, double mu, resistance out[3]) {
  const double *v = e->v, length = dls_contact_gyration(S->w, e->a, e->b);
  int n = 0;
  if (S->dim == 2) {
    if (mu > 0) out[n++] = (resistance){1, 1, mu, 1, fabs(v[1])};
    if (e->m->rolling > 0) out[n++] = (resistance){2, 1, e->m->rolling, length, fabs(v[2])};
    return n;
  }
  if (mu > 0) out[n++] = (resistance){1, 2, mu, 1, sqrt(v[1] * v[1] + v[2] * v[2])};
  if (e->m->spinning > 0) out[n++] = (resistance){3, 1, e->m->spinning, length, fabs(v[3])};
  if (e->m->rolling > 0)
    out[n++] = (resistance){4, 2, e->m->rolling, length, sqrt(v[4] * v[4] + v[5] * v[5])};
  return n;
}

static bool rests(int dim, const resistance *p, double size) {
  return p->speed * (p->row < dim ? 1 : size) <= DLS_AT_REST * size;
}

dls_status dls_contact_acc_rows(dls_step *S, const dls_encounter *e, dls_acc_row *out, int *n) {
  enum { FRICTION, SPIN, ROLL };
  resistance parts[3];
  double mu = 0, slip = 0, arm[3] = {0};
  for (int k = 1; k < S->dim; k++) slip += e->v[k] * e->v[k];
  slip = sqrt(slip);
  dls_status status = dls_friction_at(S->w, e->m, slip > DLS_AT_REST * e->size ? slip : 0, &mu);
  if (status != DLS_OK) return status;
  const int n_parts = parts_of(S, e, mu, parts);
  int rows = 1;
  for (int i = 0; i < n_parts; i++) {
    if (!rests(S->dim, &parts[i], e->size)) continue;
    const int which = parts[i].row < S->dim              ? FRICTION
                      : S->dim == 2 || parts[i].row == 3 ? SPIN
                                                         : ROLL;
    arm[which] = parts[i].bound;
    rows = parts[i].row < S->dim && rows < S->nb ? S->dim : S->nb;
  }
  const dls_acc_row one = {.a = e->a, .b = e->b, .n_ends = 2, .gap = e->gap, .what = -1,
                           .hi = DLS_INF, .length = 1, .pressed = e->m->stiffness < DLS_INF};
  const int kind = rows == 1 ? DLS_ROW_UNILATERAL : rows == S->dim ? DLS_ROW_CONE : DLS_ROW_ROLLING;
  for (int k = 0; k < rows; k++) {
    dls_acc_row *row = &out[(*n)++];
    *row = one;
    row->kind = kind;
    row->v = e->v[k];
    row->bias = -e->own[k];
    row->lo = k == 0 ? e->force : 0;
    memcpy(row->arm, arm, sizeof arm);
    memcpy(row->J, e->J[k], 2 * (size_t)S->nu * sizeof *row->J);
    if (k >= S->dim) row->length = dls_contact_gyration(S->w, e->a, e->b);
  }
  const int normal = *n - rows;
  for (int i = 0; i < n_parts; i++) {
    const resistance *p = &parts[i];
    if (rests(S->dim, p, e->size)) continue;
    dls_acc_row *row = &out[*n];
    *row = one;
    row->kind = DLS_ROW_BOX;
    row->back = (*n)++ - normal;
    row->arm[FRICTION] = p->bound;
    row->length = p->length;
    row->pressed = false;
    for (int k = 0; k < 2 * S->nu; k++)
      for (int m = 0; m < p->n; m++) row->J[k] += e->v[p->row + m] * e->J[p->row + m][k] / p->speed;
  }
  return DLS_OK;
}

void dls_move_on(dls_step *S, const int body[2], double s, double q[2][DLS_NQ(3)],
                 dls_kept_pose kept[2]) {
  const dls_world *w = S->w;
  for (int k = 0; k < 2; k++) {
    memcpy(q[k], DLS_Q(S, w->q, body[k]), (size_t)S->nq * sizeof q[k][0]);
    dls_drift(S->dim, q[k], s, DLS_U(S, w->u, body[k]));
    if (S->dim == 2) kept[k].T2 = S->T2[body[k]];
    else kept[k].T3 = S->T3[body[k]];
  }
  for (int k = 0; k < 2; k++) {
    if (S->dim == 2) S->T2[body[k]] = dls_pose_2(&w->bodies[body[k]], q[k]);
    else S->T3[body[k]] = dls_pose_3(&w->bodies[body[k]], q[k]);
  }
}

void dls_move_back(dls_step *S, const int body[2], const dls_kept_pose kept[2]) {
  for (int k = 0; k < 2; k++) {
    if (S->dim == 2) S->T2[body[k]] = kept[k].T2;
    else S->T3[body[k]] = kept[k].T3;
  }
}

double dls_difference_time(const dls_world *w, int a, int b, double size) {
  static const double WAY = 1e-5;
  const int nu = DLS_NU(w->dim);
  const double *u_a = w->u + (size_t)a * (size_t)nu, *u_b = w->u + (size_t)b * (size_t)nu;
  double fast = 0;
  for (int k = 0; k < nu; k++) {
    const double unit = k < w->dim ? 1 : size;
    fast = dls_max(fast, unit * dls_max(fabs(u_a[k]), fabs(u_b[k])));
  }
  return fast > 0 ? WAY * size / fast : 0;
}
