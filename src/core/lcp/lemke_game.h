/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_LCP_LEMKE_GAME_H
#define DLS_LCP_LEMKE_GAME_H

#include "core/lcp/lemke.h"

/* Bimatrix games. With A, B > 0 and q < 0 the problem
**
**     M = | 0   A |      (rows and columns in any order)
**         | B'  0 |
**
** has solutions, its equilibria, and no covering vector need lead to one: a column of M has zeros
** where the next row would have to block it. Lemke's and Howson's path leaves out one pair k
** instead: z_k grows until the rows of the other block are feasible, the partner of the last one
** until those of its own are, and from there bases that lack only pair k follow each other to one
** that lacks none. There is no ray. Ties are parted as in basis.h. Source: C. E. Lemke & J. T.
** Howson, Equilibrium points of bimatrix games, SIAM J. 12, 1964; Cottle, Pang & Stone 2009, sec.
** 4.4. */

/* Whether it is such a problem; second (n) then tells the blocks apart. */
bool dls_lemke_game(const dls_lcp *p, int *second);

/* The path of pair k, from all w basic. DLS_LEMKE_RAY: lost in round-off. */
dls_lemke_end dls_lemke_game_follow(dls_basis *b, const dls_lcp *p, const int *second, int k,
                                    int max_pivots, int *n_pivots);

#endif
