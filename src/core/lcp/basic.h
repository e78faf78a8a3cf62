/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_BASIC_H
#define DLS_LCP_BASIC_H

#include "core/lcp/lcp.h"

/* The basic solution of an index set S:  z_S = -M_SS^-1 q_S, the others zero; w = M z + q.
**
** By Gaussian elimination with partial pivoting, then refined with the residual of the
** original block. It is what every pivoting method ends with, so that the answer does not carry
** the errors of the pivots. */

/* Workspace of dls_lcp_basic for k rows. */
size_t dls_lcp_basic_bytes(int k);

/* z (n, all entries written) from set[0..k-1], ascending or not, of p->M and p->q.
** DLS_SINGULAR the block has no inverse, or it was stopped, z as before; DLS_FULL tmp too small. */
dls_status dls_lcp_basic(const dls_lcp *p, const int *set, int k, dls_stop *stop,
                         dls_arena *tmp, double *z);

#endif
