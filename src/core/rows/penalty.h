/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_ROWS_PENALTY_H
#define DLS_ROWS_PENALTY_H

#include "core/math/mat.h"

/* Penalty joints: rows whose force is given explicitly (EQUATIONS B.2). A joint between bodies i
** and j is a list of rows with a violation G, a Jacobian (J_i, J_j) and
**
**     Gdot = J_i.(v_i, w_i) + J_j.(v_j, w_j),    lambda = -(alpha G + beta Gdot),
**     (f, tau)_i += J_i' lambda,                 (f, tau)_j += J_j' lambda.
**
** With anchors x = R p from the mass centres, P = r + x, and right-handed triads i0 i1 i2, j0 j1 j2
** fixed in the bodies:
**
**     point k      G = e_k.(P_i - P_j)        J_i = (e_k, x_i x e_k)   J_j = -(e_k, x_j x e_k)
**     plane a      G = (P_i - P_j).i_a        J_i = (i_a, (P_j - r_i) x i_a)
**                                             J_j = -(i_a, x_j x i_a): both forces act at P_j
**     dot a b      G = i_a.j_b - c            J_i = -(0, j_b x i_a)    J_j = (0, j_b x i_a)
**
** (c = 0 but for universal joints whose axes are not perpendicular.) A limit is a row on a
** coordinate q: slide (P_j - P_i).i0 (or i1, i2); turn, the angle of j about the mean of i0 and j0;
** first and second, the angles of a universal joint about i0 and j1; cone, the angle between i0 and
** j0. The general law has chi = q - bound beyond a bound, else 0, and lambda = -(alpha chi + beta
** qdot) as long as that repels. The published law bounds -(i1.j2), +(i2.j1), +(i0.j2) and (P_i -
** P_j).i0 symmetrically, with chi = G - sgn(G) bound, and lets the force pull.
**
** The arm |P_j - r_i| of plane rows has no bound. Where gains are as stiff as the step allows
** (yielding > 0), those of plane rows are divided by 1 + yielding max(0, |P_j - r_i|^2 - |p_i|^2).
**
** Source: M. V. Mikhaylyuk & E. V. Strashnov, Simulation of articulated rigid bodies with penalty
** method, 2013, with the corrections of EQUATIONS B.3. Jacobians are (linear, angular), as
** velocities of bodies are. */
typedef enum dls_penalty_type {
  DLS_PENALTY_POINT,
  DLS_PENALTY_PLANE,
  DLS_PENALTY_DOT,
  /* of joints of any motion, in metres: their maker's (joints/penalty_general.h) */
  DLS_PENALTY_HELD,
  DLS_PENALTY_SLIDE, /* coordinates from here on */
  DLS_PENALTY_SLIDE_1,
  DLS_PENALTY_SLIDE_2,
  DLS_PENALTY_TURN,
  DLS_PENALTY_FIRST,
  DLS_PENALTY_SECOND,
  DLS_PENALTY_CONE
} dls_penalty_type;

enum { DLS_PENALTY_ROWS = 6 }; /* the most of one joint */

/* One row of a joint: the model. */
typedef struct dls_penalty_row {
  int type;           /* dls_penalty_type                                            */
  int a, b;           /* axis (point); column of i (plane, dot); column of j (dot)   */
  int near;           /* turning limits: which coordinate counts their turns         */
  double c;           /* dot: where G is zero                                        */
  double lo, hi;      /* limits: bounds; the published law's bound b is hi           */
  double alpha, beta; /* N/m and N s/m; N m and N m s                                */
} dls_penalty_row;

typedef struct dls_penalty {
  int n_rows, n_held;      /* rows; those before the limits                           */
  bool published;          /* limits by the paper's law                               */
  bool turns;              /* some row looks at the triads                            */
  double length;           /* m: of held rows, what a radian is                       */
  double yielding;         /* 1/m^2: how plane rows give way to long arms on i        */
  dls_vec3 p_i, p_j;       /* anchors from the mass centres, body axes, m             */
  dls_mat3 F_i, F_j;       /* triads: columns, body axes                              */
  dls_penalty_row row[DLS_PENALTY_ROWS]; /* n_rows */
} dls_penalty;

/* The share of the gains that acts where a force acts at a_i on body i, m; *rate: how that changes,
** 1/s, where a_i changes by da_i, m/s (NULL: not asked). */
static inline double dls_penalty_share(const dls_penalty *p, dls_vec3 a_i, const dls_vec3 *da_i,
                                       double *rate) {
  const double longer = dls_v3_dot(a_i, a_i) - dls_v3_dot(p->p_i, p->p_i),
               share = 1 / (1 + p->yielding * dls_max(0, longer));
  if (rate) *rate = longer > 0 ? -2 * p->yielding * share * share * dls_v3_dot(a_i, *da_i) : 0;
  return share;
}

/* A body as rows see it. */
typedef struct dls_penalty_body {
  dls_mat3 R; /* body to world          */
  dls_vec3 r; /* mass centre, world, m  */
  dls_vec3 v; /* its velocity, m/s      */
  dls_vec3 w; /* angular velocity, world axes, rad/s */
} dls_penalty_body;

/* A row at an instant. */
typedef struct dls_penalty_now {
  double J[12];  /* of i, then of j: (linear, angular)                                */
  double G;      /* violation; of a limit its coordinate (published: G of the table), m or rad */
  double rate;   /* Gdot, m/s or rad/s                                                */
  double chi;    /* what the spring sees: G, or how far beyond the bound, m or rad    */
  double drift;  /* what prescribed motions make of J u: Gdot = J u - drift            */
  double share;  /* of the row's gains that acts: 1 but for yielding plane rows       */
  double share_rate; /* 1/s: how that changes                                         */
  double lambda; /* N or N m                                                          */
} dls_penalty_now;

static inline bool dls_penalty_is_limit(const dls_penalty_row *row) {
  return row->type >= DLS_PENALTY_SLIDE;
}
/* Rows in metres; the others in radians. */
static inline bool dls_penalty_is_linear(const dls_penalty_row *row) {
  return row->type == DLS_PENALTY_POINT || row->type == DLS_PENALTY_PLANE ||
         row->type == DLS_PENALTY_HELD || row->type == DLS_PENALTY_SLIDE;
}

/* All rows with their forces. near: coordinates from which turns are counted (at most 3). */
void dls_penalty_evaluate(const dls_penalty *p, const dls_penalty_body *i,
                          const dls_penalty_body *j, const double near[3],
                          dls_penalty_now out[DLS_PENALTY_ROWS]);

/* Energy of the springs, J: the sum of alpha chi^2/2. */
double dls_penalty_energy(const dls_penalty *p, const dls_penalty_body *i,
                          const dls_penalty_body *j, const double near[3]);

/* A coordinate, and its J (12 numbers) where that is not NULL. */
double dls_penalty_coordinate(const dls_penalty *p, int type, double near,
                              const dls_penalty_body *i, const dls_penalty_body *j, double *J);

#endif
