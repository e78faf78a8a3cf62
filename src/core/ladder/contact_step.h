/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LADDER_CONTACT_STEP_H
#define DLS_LADDER_CONTACT_STEP_H

#include "core/ladder/newton_step.h"

/* Newton's step of one contact with friction in space, and of spinning and rolling friction of the
** same contact, written out. With e_n, e_t the damping and
** the compliance of its rows, w the direction of its slip and q across it, r = mu x_n / |x_t|, the
** matrices of newton_step.h are
**
**     open      S = 0                                                       g = z
**     sticks    S = diag(1/e_n, 1/e_t, 1/e_t)                               g = S y
**     slips     S = (1/e_n) (1, mu w) (1, 0)' + beta (0, q) (0, q)'         beta = rho r / c,  c = 1 + r (rho e_t - 1)
**               g_n = y_n / e_n,  g_t = f_w w + (f_q / c) q                 f = z_t - mu (z_n - g_n) w
**
** so that J' S M^-1 J is a sum of two or three products of a column and a row, where the general
** step has 3 x 3 x 12. Friction that turns follows the normal impulse of its contact as the
** tangents do: it is a contact of its own of that normal and its one or two rows, times their
** length, whose S_nn and g_n are 0. */

/* Whether a block is such: one compliance along both tangents, in rows of the same length where
** two turn. DLS_CONTACT_STEPS = 0 makes a build that has the general step alone. */
#ifndef DLS_CONTACT_STEPS
#define DLS_CONTACT_STEPS 1
#endif
bool dls_is_plain_contact(const dls_rows *rows, const dls_block *block);

/* Such a block as a contact of the graph's bodies. */
void dls_contact_pack(const dls_rows *rows, const dls_block *block,
                      const dls_body_graph *graph, dls_body_contact *c);

/* Its state and numbers at the p at hand and the speeds v of its rows by bodies that move.
** Answers |F / rho|^2 there. */
double dls_contact_linearise(const dls_rows *rows, const dls_newton *N,
                             dls_body_contact *c, const double *v);

/* dz for the change dv of its velocities. */
void dls_contact_change(const dls_body_contact *c, const double *dv, double *dz);

/* |F / rho|^2 at p + t dp, v those of p. */
double dls_contact_merit(const dls_rows *rows, const dls_newton *N,
                         const dls_body_contact *c, const double *v, double t);

/* Parts of a block that turn, 0 spinning and 1 rolling, beside its packed `contact`. */
enum { DLS_TURNING_PARTS = 2 };
void dls_turning_pack(const dls_rows *rows, const dls_block *block, const dls_body_contact *contact,
                      int which, dls_turning *part, dls_body_contact *c);

/* u += M^-1 J' p of a part, u by places. */
void dls_turning_push(const dls_rows *rows, const dls_turning *part, const dls_body_contact *c,
                      double *u);

/* As for contacts: of a part whose contact is linearised, v: speeds of the normal and its rows. */
double dls_turning_linearise(const dls_rows *rows, const dls_newton *N, const dls_turning *part,
                             dls_body_contact *c, const double *v);
void dls_turning_change(const dls_turning *part, const dls_body_contact *c, const double *dv,
                        double *dp);
double dls_turning_merit(const dls_rows *rows, const dls_newton *N, const dls_turning *part,
                         const dls_body_contact *c, const double *v, double t);

#endif
