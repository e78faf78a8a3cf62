/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_DISKS_CONTACT_H
#define DLS_DISKS_CONTACT_H

#include "core/rows/island.h"

/* A rigid contact in the plane, with friction, of two bodies that move freely and whose centres its
** normal goes through. Its rows, their M^-1 J' and W follow from few numbers; with the tangent t =
** (ny, -nx)
**
**     J_n = (-n, 0; n, 0),   J_t = (-t, turn_a; t, turn_b),   W = diag(1/m_a + 1/m_b, w_t). */
typedef struct dls_disk_contact {
  double nx, ny;         /* the normal, unit */
  double turn_a, turn_b; /* the tangent's moments, m */
  double w_t, norm;      /* 1/kg; norm: |W|, Frobenius */
  double mu;             /* friction                 */
  int a, b;              /* bodies                   */
} dls_disk_contact;

/* W from the inverse masses and inertias of a and b; whether it is such. */
static inline bool dls_disk_weigh(dls_disk_contact *c, double m_a, double m_b, double j_a,
                                  double j_b) {
  const double w_n = m_a + m_b,
               w_t = w_n + (c->turn_a * c->turn_a * j_a + c->turn_b * c->turn_b * j_b);
  c->w_t = w_t;
  c->norm = sqrt(w_n * w_n + w_t * w_t);
  return (w_n >= DLS_SINGLE_LEAST) & (w_t <= DLS_SINGLE_MOST); /* w_n <= w_t */
}

/* J u of its rows; u_a, u_b: 3 numbers each. */
static inline void dls_disk_speeds(const dls_disk_contact *c, const double *u_a, const double *u_b,
                                   double v[2]) {
  const double x = u_b[0] - u_a[0], y = u_b[1] - u_a[1];
  v[0] = c->nx * x + c->ny * y;
  v[1] = (c->ny * x - c->nx * y) + (c->turn_a * u_a[2] + c->turn_b * u_b[2]);
}

/* Its rows, 6 numbers each. */
static inline void dls_disk_rows(const dls_disk_contact *c, double *J) {
  const double nx = c->nx, ny = c->ny;
  J[0] = -nx, J[1] = -ny, J[2] = 0, J[3] = nx, J[4] = ny, J[5] = 0;
  J[6] = -ny, J[7] = nx, J[8] = c->turn_a, J[9] = ny, J[10] = -nx, J[11] = c->turn_b;
}

#endif
