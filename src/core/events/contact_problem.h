/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_EVENTS_CONTACT_PROBLEM_H
#define DLS_EVENTS_CONTACT_PROBLEM_H

#include "core/cone/cone.h"
#include "core/lcp/enumerate.h"

/* Closed contacts at one instant: what their forces, or impulses, and accelerations, or velocities,
** are.
**
**     a = G lambda + c,   G = J M^-1 J',   rows of a contact: normal, then 0, 1 or 2 tangents
**     0 <= a_N  _|_  lambda_N >= 0
**     sliding (slip direction d known):   lambda_T = -mu lambda_N d
**     adhering:  |lambda_T| <= mu lambda_N,  lambda_T = -mu lambda_N a_T / |a_T| where a_T /= 0
**
** On accelerations c = J M^-1 h + w-bar (EQUATIONS E.2); in an impact a and c are velocities
** shifted by restitution, nothing slides beforehand (E.3). Sliding contacts are eliminated first:
** column N of each is replaced by N - mu d T. With at most one tangent a contact the rest is an LCP
** in one of two forms, with right and left saturation r = mu lambda_N + lambda_T, l = mu lambda_N -
** lambda_T and a_T = a+ - a-:
**
**     two corners, n_N + 2 n_T:    (a_N, a+, l) = A (lambda_N, r, a-) + b
**     four corners, n_N + 4 n_T:   (a_N, z+, z-, s+, s-) = A (lambda_N, l+, l-, g+, g-) + b
**
** solved by Lemke's method, rows and columns equilibrated, and where that has no answer by
** enumeration.
** Adhering contacts with two tangents make it a cone problem, in which sliding ones are held and
** followed. Source: F. Pfeiffer 2001; C. Glocker & F. Pfeiffer, Multibody Dynamics with Unilateral
** Contacts, 1996. */
typedef struct dls_contact_problem {
  int n;                       /* contacts                                                     */
  int n_rows;                  /* of all of them                                               */
  const int *row;              /* n: first row (normal) of each, ascending                     */
  const int *n_tangents;       /* n: 0, 1 or 2                                                 */
  const double *G;             /* n_rows x n_rows, symmetric positive semidefinite             */
  const double *c;             /* n_rows                                                       */
  const double *mu;            /* n, >= 0                                                      */
  const unsigned char *slides; /* n: 1 where the slip direction is given; NULL: none slides     */
  const double *slip;          /* 2 n: unit slip direction of those that slide; NULL: none     */
  const double *least_normal;  /* n: lambda_N = this + its share, the share complementary to a_N
                                  (expansion of Poisson's law); NULL: 0                        */
  int corners;                 /* 2 or 4: form of the LCP                                      */
  /* n_rows: forces near those sought, of cone problems; NULL: none */
  const double *start;
  /* residual down to which cone problems are taken where that can be had; 0: that of a solution */
  double sought;
  double scale;                /* least divisor of residuals, in units of c                    */
} dls_contact_problem;

typedef struct dls_contact_report {
  /* DLS_SOLVED; DLS_RAY: there is none (small problems: proved by enumeration) */
  dls_outcome outcome;
  double residual;     /* see dls_contact_residual                                             */
  int pivots;          /* of the LCP, or sweeps of the cone problem                            */
} dls_contact_report;

/* Size of the LCP; -1 where an adhering contact has two tangents (no LCP). */
int dls_contact_lcp_size(const dls_contact_problem *p);
/* A (size x size) and b (size) of it. */
void dls_contact_lcp(const dls_contact_problem *p, double *A, double *b);
/* lambda (n_rows) of a solution z of that LCP. */
void dls_contact_lcp_forces(const dls_contact_problem *p, const double *z, double *lambda);

/* a (n_rows) from lambda, and the largest violation of the laws above relative to max(scale, max
** |c|): forces enter multiplied by the diagonal of G. Knows no solver. */
double dls_contact_residual(const dls_contact_problem *p, const double *lambda, double *a);

/* One solution: lambda, a (n_rows each). DLS_FULL: tmp needs dls_contact_bytes. */
dls_status dls_contact_solve(const dls_contact_problem *p, dls_arena *tmp, double *lambda,
                             double *a, dls_contact_report *report);
size_t dls_contact_bytes(int n, int n_rows);

/* Every basic solution of the LCP (all->n = its size, see dls_contact_lcp_forces), those with equal
** forces once. DLS_ARG: no LCP, or larger than enumeration takes. */
dls_status dls_contact_enumerate(const dls_contact_problem *p, dls_arena *tmp,
                                 dls_lcp_solutions *all);

#endif
