/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#include "core/rows/penalty.h"

#include "core/math/elementary.h"

/* What the rows of a joint share at an instant. */
typedef struct geometry {
  dls_vec3 x_i, x_j;   /* anchors from the mass centres, world axes           */
  dls_vec3 apart;      /* P_i - P_j                                           */
  dls_vec3 a_i;        /* P_j - r_i: where the forces of plane rows act on i  */
  dls_vec3 i[3], j[3]; /* triads, world axes                                  */
  double share;        /* of the gains of plane rows                          */
} geometry;

static geometry look(const dls_penalty *p, bool triads, const dls_penalty_body *i,
                     const dls_penalty_body *j) {
  geometry g = {.x_i = dls_m3_apply(&i->R, p->p_i), .x_j = dls_m3_apply(&j->R, p->p_j)};
  const dls_vec3 P_j = dls_v3_add(j->r, g.x_j);
  g.apart = dls_v3_sub(dls_v3_add(i->r, g.x_i), P_j);
  g.a_i = dls_v3_sub(P_j, i->r);
  g.share = dls_penalty_share(p, g.a_i, NULL, NULL);
  if (!triads) return g;
  for (int k = 0; k < 3; k++) {
    g.i[k] = dls_m3_apply(&i->R, dls_m3_column(&p->F_i, k));
    g.j[k] = dls_m3_apply(&j->R, dls_m3_column(&p->F_j, k));
  }
  return g;
}

/* J of a force along n at P_j (plane and slide), sign s on i. */
static void along(const geometry *g, double s, dls_vec3 n, double *J) {
  dls_v3_store(J, dls_v3_scale(s, n));
  dls_v3_store(J + 3, dls_v3_scale(s, dls_v3_cross(g->a_i, n)));
  dls_v3_store(J + 6, dls_v3_scale(-s, n));
  dls_v3_store(J + 9, dls_v3_scale(-s, dls_v3_cross(g->x_j, n)));
}

/* J of a torque w on j, -w on i. */
static void about(dls_vec3 w, double *J) {
  const dls_vec3 none = {0, 0, 0};
  dls_v3_store(J, none);
  dls_v3_store(J + 3, dls_v3_neg(w));
  dls_v3_store(J + 6, none);
  dls_v3_store(J + 9, w);
}

static dls_vec3 unit_axis(int k) { return dls_v3(k == 0, k == 1, k == 2); }

/* The angle of j about the mean of i0 and j0: the twist of the swing-twist decomposition. */
static double turn(const geometry *g, double near, double *J) {
  if (J) {
    const double c = dls_v3_dot(g->i[0], g->j[0]);
    const double s = 1 + c > 1e-6 ? 1 / (1 + c) : 0; /* flipped: no direction */
    about(dls_v3_scale(s, dls_v3_add(g->i[0], g->j[0])), J);
  }
  const double sine = dls_v3_dot(g->i[2], g->j[1]) - dls_v3_dot(g->i[1], g->j[2]);
  const double cosine = dls_v3_dot(g->i[1], g->j[1]) + dls_v3_dot(g->i[2], g->j[2]);
  return dls_angle_near(dls_atan2(sine, cosine), near);
}

/* Angle of j1 about i0, from i1. */
static double first(const geometry *g, double near, double *J) {
  const double s = dls_v3_dot(g->i[2], g->j[1]), c = dls_v3_dot(g->i[1], g->j[1]);
  if (J) {
    const dls_vec3 p = dls_v3_axpy(g->j[1], -dls_v3_dot(g->i[0], g->j[1]), g->i[0]);
    const double size = s * s + c * c;
    const dls_vec3 n = dls_v3_cross(g->j[1], dls_v3_cross(g->i[0], p));
    about(dls_v3_scale(size > 0 ? 1 / size : 0, n), J);
  }
  return dls_angle_near(dls_atan2(s, c), near);
}

/* Angle of j about j1: where i0 stands between j0 and j2. */
static double second(const geometry *g, double near, double *J) {
  const double s = dls_v3_dot(g->i[0], g->j[2]), c = dls_v3_dot(g->i[0], g->j[0]);
  if (J) {
    const dls_vec3 p = dls_v3_axpy(g->i[0], -dls_v3_dot(g->i[0], g->j[1]), g->j[1]);
    const double size = s * s + c * c;
    const dls_vec3 n = dls_v3_cross(dls_v3_cross(p, g->j[1]), g->i[0]);
    about(dls_v3_scale(size > 0 ? 1 / size : 0, n), J);
  }
  return dls_angle_near(dls_atan2(s, c), near);
}

static double cone(const geometry *g, double *J) {
  const dls_vec3 n = dls_v3_cross(g->i[0], g->j[0]);
  const double sine = dls_v3_norm(n);
  if (J) about(dls_v3_scale(sine > 0 ? 1 / sine : 0, n), J);
  return dls_atan2(sine, dls_v3_dot(g->i[0], g->j[0]));
}

/* (P_j - P_i).i_a */
static double slide(const geometry *g, int a, double *J) {
  if (J) along(g, -1, g->i[a], J);
  return -dls_v3_dot(g->apart, g->i[a]);
}

static double coordinate(const geometry *g, int type, double near, double *J) {
  switch (type) {
    case DLS_PENALTY_SLIDE: return slide(g, 0, J);
    case DLS_PENALTY_SLIDE_1: return slide(g, 1, J);
    case DLS_PENALTY_SLIDE_2: return slide(g, 2, J);
    case DLS_PENALTY_TURN: return turn(g, near, J);
    case DLS_PENALTY_FIRST: return first(g, near, J);
    case DLS_PENALTY_SECOND: return second(g, near, J);
    default: break;
  }
  return cone(g, J);
}

double dls_penalty_coordinate(const dls_penalty *p, int type, double near,
                              const dls_penalty_body *i, const dls_penalty_body *j, double *J) {
  const geometry g = look(p, true, i, j);
  return coordinate(&g, type, near, J);
}

/* i_a . j_b, and its J. */
static double dot(const geometry *g, int a, int b, double *J) {
  if (J) about(dls_v3_cross(g->j[b], g->i[a]), J);
  return dls_v3_dot(g->i[a], g->j[b]);
}

/* The published G of a limit. */
static double sine_law(const geometry *g, int type, double *J) {
  switch (type) {
    case DLS_PENALTY_SLIDE:
      if (J) along(g, 1, g->i[0], J);
      return dls_v3_dot(g->apart, g->i[0]);
    case DLS_PENALTY_FIRST: return dot(g, 2, 1, J);
    case DLS_PENALTY_SECOND: return dot(g, 0, 2, J);
    default: break;
  }
  const double G = -dot(g, 1, 2, J);
  for (int k = 0; J && k < 12; k++) J[k] = -J[k];
  return G;
}

static double violation(const dls_penalty *p, const dls_penalty_row *row, const geometry *g,
                        const double near[3], double *J) {
  const dls_vec3 e = unit_axis(row->a);
  switch (row->type) {
    case DLS_PENALTY_POINT:
      if (J) {
        dls_v3_store(J, e);
        dls_v3_store(J + 3, dls_v3_cross(g->x_i, e));
        dls_v3_store(J + 6, dls_v3_neg(e));
        dls_v3_store(J + 9, dls_v3_neg(dls_v3_cross(g->x_j, e)));
      }
      return dls_v3_dot(g->apart, e);
    case DLS_PENALTY_PLANE:
      if (J) along(g, 1, g->i[row->a], J);
      return dls_v3_dot(g->apart, g->i[row->a]);
    case DLS_PENALTY_DOT: return dot(g, row->a, row->b, J) - row->c;
    default: break;
  }
  if (p->published) return sine_law(g, row->type, J);
  return coordinate(g, row->type, near[row->near], J);
}

/* How far beyond its bounds a limit is, with the sign of the side. */
static double beyond(const dls_penalty *p, const dls_penalty_row *row, double G) {
  if (p->published) return fabs(G) <= row->hi ? 0 : G - (G > 0 ? row->hi : -row->hi);
  return G > row->hi ? G - row->hi : (G < row->lo ? G - row->lo : 0);
}

static double force_of(const dls_penalty *p, const dls_penalty_row *row, dls_penalty_now *now) {
  if (!dls_penalty_is_limit(row))
    return -(now->share * (row->alpha * now->chi + row->beta * now->rate));
  if (now->chi == 0) return 0;
  const double force = -(row->alpha * now->chi + row->beta * now->rate);
  if (p->published) return force;
  return now->chi > 0 ? dls_min(force, 0) : dls_max(force, 0);
}

static double rate_of(const double J[12], const dls_penalty_body *i, const dls_penalty_body *j) {
  const double at_i = dls_v3_dot(dls_v3_load(J), i->v) + dls_v3_dot(dls_v3_load(J + 3), i->w);
  return at_i + (dls_v3_dot(dls_v3_load(J + 6), j->v) + dls_v3_dot(dls_v3_load(J + 9), j->w));
}

void dls_penalty_evaluate(const dls_penalty *p, const dls_penalty_body *i,
                          const dls_penalty_body *j, const double near[3],
                          dls_penalty_now out[DLS_PENALTY_ROWS]) {
  const geometry g = look(p, p->turns, i, j);
  const dls_vec3 da_i = dls_v3_sub(dls_v3_add(j->v, dls_v3_cross(j->w, g.x_j)), i->v);
  double share_rate;
  (void)dls_penalty_share(p, g.a_i, &da_i, &share_rate);
  for (int k = 0; k < p->n_rows; k++) {
    const dls_penalty_row *row = &p->row[k];
    dls_penalty_now *now = &out[k];
    now->G = violation(p, row, &g, near, now->J);
    now->rate = rate_of(now->J, i, j);
    now->drift = 0;
    now->chi = dls_penalty_is_limit(row) ? beyond(p, row, now->G) : now->G;
    now->share = row->type == DLS_PENALTY_PLANE ? g.share : 1;
    now->share_rate = row->type == DLS_PENALTY_PLANE ? share_rate : 0;
    now->lambda = force_of(p, row, now);
  }
}

double dls_penalty_energy(const dls_penalty *p, const dls_penalty_body *i,
                          const dls_penalty_body *j, const double near[3]) {
  const geometry g = look(p, p->turns, i, j);
  double sum = 0;
  for (int k = 0; k < p->n_rows; k++) {
    const dls_penalty_row *row = &p->row[k];
    double chi = violation(p, row, &g, near, NULL);
    if (dls_penalty_is_limit(row)) chi = beyond(p, row, chi);
    const double share = row->type == DLS_PENALTY_PLANE ? g.share : 1;
    sum += 0.5 * share * row->alpha * (chi * chi);
  }
  return sum;
}
