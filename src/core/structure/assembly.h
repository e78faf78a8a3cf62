/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_ASSEMBLY_H
#define DLS_STRUCTURE_ASSEMBLY_H

#include "core/math/sparse.h"
#include "core/structure/dofs.h"

/* Links of the contacts: row i of B reads an opening (rows 0 .. m-1, the normals) or a slip (rows
** m .., tangents of the contacts that have friction and are not held along it). */
typedef struct dls_structure_link {
  int dof[6];      /* numbers of the unknowns, or < 0 as in dls_dofs */
  int place[6];    /* 3 node + direction                             */
  double c[6];     /* coefficients                                   */
  int n;           /* used                                           */
  int contact;     /* whose                                          */
  double shift[2]; /* what prescribed displacements add: constant, growing, m */
  double weight;   /* stiffness rho of the spring in its place, N/m  */
  double compliance; /* of a link that repeats others, m/N; else 0   */
} dls_structure_link;

typedef struct dls_links {
  dls_alloc alloc; /* owns the arrays                             */
  int m, n;        /* contacts; links, those along tangents too   */
  int *tangent;    /* m: link of the tangent, -1 where there is none */
  dls_structure_link *link;  /* n, room for 2 m                             */
} dls_links;

/* DLS_ARG where both sides of a contact are held along its normal. *links all zero before and
** after a failure. */
dls_status dls_links_find(dls_links *links, const dls_structure *st, const dls_dofs *dofs,
                          dls_structure_fault *fault);
void dls_links_destroy(dls_links *links);

/* K + sum rho b b' over the links, K the stiffness of elements and springs, by rows of the
** unknowns; the weights rho are chosen: the power of four next to the softer side's stiffness, so
** that products with it are exact. */
typedef struct dls_stiffness {
  dls_alloc alloc; /* owns the arrays          */
  dls_sparse A;    /* views of the arrays      */
  int *start, *col; /* rows + 1; a number: its column */
  double *value;    /* N/m, N, N m */
} dls_stiffness;

dls_status dls_stiffness_assemble(dls_stiffness *K, const dls_structure *st, const dls_dofs *dofs,
                                  dls_links *links);
void dls_stiffness_destroy(dls_stiffness *K);

/* The forces on the unknowns with all of them held at zero: loads, temperature, prescribed
** displacements; part is DLS_CONSTANT or DLS_GROWING. f has dofs->n numbers. */
void dls_structure_forces(const dls_structure *st, const dls_dofs *dofs, int part, double *f);

/* Numbers of the displacements of an element (dls_element_dofs), < 0 where it is no unknown. */
void dls_element_numbers(const dls_dofs *dofs, const dls_element *e, int *number);

#endif
