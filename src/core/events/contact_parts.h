/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_CONTACT_PARTS_H
#define DLS_EVENTS_CONTACT_PARTS_H

#include "core/events/contact_problem.h"

/* What the methods for dls_contact_problem share. */

#define DLS_CONTACT_TOLERANCE 1e-10 /* of a solution's residual */

static inline double dls_contact_G(const dls_contact_problem *p, int r, int s) {
  return p->G[(size_t)r * (size_t)p->n_rows + (size_t)s];
}
static inline double dls_contact_least(const dls_contact_problem *p, int i) {
  return p->least_normal != NULL ? p->least_normal[i] : 0;
}
static inline bool dls_contact_slides(const dls_contact_problem *p, int i) {
  return p->slides != NULL && p->slides[i] && p->n_tangents[i] > 0;
}
/* Whether Coulomb's law chooses the tangential force of contact i. */
static inline bool dls_contact_adheres(const dls_contact_problem *p, int i) {
  return p->n_tangents[i] > 0 && p->mu[i] > 0 && !dls_contact_slides(p, i);
}

/* What a unit of lambda_N of contact j adds to row r: the friction that goes with it included.
** `right`: so does -mu of an adhering contact, whose right saturation stands apart. */
static inline double dls_contact_column(const dls_contact_problem *p, int r, int j, bool right) {
  double sum = dls_contact_G(p, r, p->row[j]);
  if (dls_contact_slides(p, j))
    for (int k = 0; k < p->n_tangents[j]; k++)
      sum -= p->mu[j] * p->slip[2 * j + k] * dls_contact_G(p, r, p->row[j] + 1 + k);
  else if (right && dls_contact_adheres(p, j))
    sum -= p->mu[j] * dls_contact_G(p, r, p->row[j] + 1);
  return sum;
}

/* Adhering contacts with two tangents: sweeps, then Newton's steps, then more sweeps. lambda, a:
** n_rows. */
void dls_contact_space(const dls_contact_problem *p, dls_arena *tmp, double *lambda, double *a,
                       dls_contact_report *report);
size_t dls_contact_space_bytes(int n_rows);

/* Forces near a solution: those of the problem whose friction has polygons for disks, by Lemke's
** path. Answers whether there are; small sets only. */
bool dls_contact_facets(const dls_contact_problem *p, dls_arena *tmp, double *lambda);
size_t dls_contact_facets_bytes(int n_rows);

#endif
