/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */

/* Rows of three and four numbers, one of each lane, in and out of lanes; part of chain.inc.h. */

static inline void rows_in(const double *x, const int *at, int n, real *out) {
#define OF_LANE(l) x[at[l] + k]
  for (int k = 0; k < n; k++) out[k] = (real)SIDE_BY_SIDE(OF_LANE);
#undef OF_LANE
}
/* The last lane first. */
static inline void rows_out3(double *x, const int *at, const real *in) {
  for (int l = LANES - 1; l >= 0; l--)
    for (int k = 0; k < 3; k++) x[at[l] + k] = DLS_LANE(in[k], l);
}
