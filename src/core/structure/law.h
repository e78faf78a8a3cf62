/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_LAW_H
#define DLS_STRUCTURE_LAW_H

#include "core/lcp/parametric.h"
#include "core/structure/condense.h"

/* Unilateral contact with Coulomb's friction as a complementarity problem in the load parameter p.
** eta are the gaps, z_0 the slips committed before, zeta_n = z_n - eta, zeta_t = z_0 + z+ - z-:
**
**     x+ = f x_n + x_t,  x- = f x_n - x_t,
**     (x_n, x+, x-) = M (z_n, z+, z-) + q + p d,    all >= 0,   x_i z_i = 0
**
**     M = ( Rnn          Rnt          -Rnt         )     n of all contacts, then + and - of
**         ( Rtn + f Rnn  Rtt + f Rnt  -Rtt - f Rnt )     those with a tangent (links.tangent)
**         (-Rtn + f Rnn -Rtt + f Rnt   Rtt - f Rnt )
**
** z+ > 0 -> x_t = -f x_n: slip along +t. The law knows no history but z_0. q is that of EQUATIONS
** D.1 plus a tightening in each row, an artificial weight: t, in rows + and - of a friction f of 1
** and more t (1 + f), since with t an open contact would have x+ + x- = 2 (1 - f) t < 0. Ratio
** tests add a margin to the rows + and -, so that the two never vanish together (EQUATIONS D.3). It
** is a share of the forces of the loads: R times an open gap, which is none, may be much more. Rows
** n have that of what rounding may have made of q and d: a force that is zero comes out as less. */
typedef struct dls_law {
  dls_alloc alloc;   /* owns the arrays                              */
  int m, n_tangents; /* contacts; of them with a tangent             */
  int n;             /* rows: m + 2 n_tangents                       */
  int *contact;      /* n_tangents: whose                            */
  double tightening; /* t, N                                         */
  double *weight;    /* n: of each row, in q, N                      */
  double stiffness;  /* largest of R and of the springs rho (condense.h), N/m: R's round-off is a
                        share of it */
  double size;       /* of the constant load's forces, N, which residuals are relative to: those
                        of links that all are closed but for gaps that are open; what its parts
                        call for along free motions before they cancel (motions.h); at least SMALL
                        (law.c) of the forces of gaps */
  double growing;    /* the same of the growing load */
  double *M;         /* n x n                                        */
  double *q, *d;     /* n each                                       */
  double *margin;    /* n                                            */
  double *round_off[2]; /* n each: what rounding may have made of q and d, N */
} dls_law;

/* slip0: m committed slips, NULL: none. DLS_NOMEM leaves *law all zero. */
dls_status dls_law_make(dls_law *law, const dls_condensed *c, const double *slip0,
                        double tightening);
void dls_law_destroy(dls_law *law);

/* The largest opening or slip, m, under the largest force given that is an answer: where the
** contacts let the structure move as a mechanism, R is zero up to round-off, and its inverse is
** noise. */
double dls_law_most(const dls_law *law, double force);

/* Are these the openings and slips, law->n, of a structure that resists, under the load p? */
bool dls_law_believes(const dls_law *law, double p, const double *z);

/* The problem of lcp/parametric.h up to p = to >= 0; it borrows the law's arrays. */
dls_path_problem dls_law_path(const dls_law *law, double to, dls_stop *stop);

/* The rows (law->n) of forces x, one a link. */
void dls_law_rows(const dls_law *law, const dls_condensed *c, const double *x, double *row);

/* Contact, and row kind (0 n, 1 +, 2 -), of row i. */
int dls_law_row(const dls_law *law, int i, int *kind);

/* All 3 m rows, those without a tangent zero: R (3m x 3m), q and d (3m each) of EQUATIONS D.1;
** tightened: q with the tightening, in zero rows too. */
void dls_law_full(const dls_law *law, bool tightened, double *R, double *q, double *d);

#endif
