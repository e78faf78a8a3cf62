/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_ENERGY_FORM_H
#define DLS_LCP_ENERGY_FORM_H

#include "core/lcp/lcp.h"
#include "core/math/lanes.h"

/* The state of a principal pivoting method on a symmetric matrix, in one of two forms. Arrays are
** padded with zeros to np places. */
typedef struct dls_energy {
  const dls_lanes *lanes; /* kernels                                                    */
  const dls_lcp *p;       /* the problem, dense                                         */
  int n, np;              /* size; rounded up to a multiple of 8                        */
  int n_active;           /* rows that hold z                                           */
  size_t ld;              /* distance of the rows of T                                  */
  bool factor;            /* T holds V (n_active x n) instead of the tableau            */
  double *T;              /* n x ld: the tableau                                        */
  double *q;              /* np: right side of the tableau                              */
  double *d;              /* np: diagonal of the tableau                                */
  double *tq, *td;        /* np: what counts as zero: a candidate has q < -tq, d > td   */
  double *unit;           /* np: scale of M_ii, > 0: that of w over that of z           */
  double *side;           /* np: 1 where the row holds z, -1 where it holds w           */
  double *f, *c;          /* np: scratch                                                */
  double *z, *w;          /* np: scratch of dls_energy_settle                           */
  unsigned char *basis;   /* n: 1 where the row holds z                                 */
  unsigned char *seen;    /* n: a basis to compare with                                 */
  unsigned char *kept;    /* n: a basis to make anew                                    */
} dls_energy;

/* What it takes from an arena. */
size_t dls_energy_bytes(int n);
dls_status dls_energy_take(dls_energy *s, const dls_lcp *p, bool factor, dls_arena *tmp);

/* The tableau of the empty basis; tq and td in units of w again. */
void dls_energy_reset(dls_energy *s);

/* Exchanges the labels of row r (d_r must not be zero); tq_r and td_r change their units with it,
** from those of w and M to those of z and 1 / M or back. The factor form answers false, unchanged
** but for d_r = 0, where the diagonal computed afresh is not positive. */
bool dls_energy_exchange(dls_energy *s, int r);

/* Row i of the tableau, np places. */
void dls_energy_row(dls_energy *s, int i, double *row);

/* z_S -= M_SS^-1 w_S on the active rows S: one step of refinement. */
void dls_energy_refine(dls_energy *s, const double *w, double *z);

/* What round-off has done so far. The right side is computed afresh, z with one step of refinement
** and w = M z + q; tq rises, for w to four times what is left of w on the active rows (rows that
** feel no other z keep theirs), for z to a thousandth of what the refinement moved. */
void dls_energy_settle(dls_energy *s);

/* The most by which w = M z + q misses the tableau's right side: what round-off has done to it. */
double dls_energy_error(dls_energy *s);

#endif
