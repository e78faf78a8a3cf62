/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_MODEL_H
#define DLS_STRUCTURE_MODEL_H

#include "core/base/alloc.h"

/* A plane structure as it is described: nodes, elements, springs, supports, contact pairs, loads.
** Displacements u are small; every load has a constant and a growing part, load = constant + p
** growing.
**
** A contact pair joins a point of body a (a node, a point of the segment between two nodes, or
** the rigid ground) to a node of body b. The unit normal n points from a to b, the tangent is t =
** (n_y, -n_x):
**
**     opening = gap + n . (u_b - u_a) >= 0          slip = t . (u_b - u_a)
**
** x_n >= 0 and x_t are the forces on b along n and t ("first body" of EQUATIONS D is b). */

typedef enum dls_structure_dof { DLS_DOF_X, DLS_DOF_Y, DLS_DOF_ROTATION } dls_structure_dof;

/* Index of the two parts of a load. */
enum { DLS_CONSTANT, DLS_GROWING };

typedef struct dls_structure_node {
  double at[2];        /* m                                                                */
  double load[2][3];   /* N, N, N m: constant, growing                                     */
  double shift[2][3];  /* m, m, rad: prescribed displacements where held                   */
  unsigned char held;  /* bit d: displacement d is prescribed                              */
} dls_structure_node;

typedef enum dls_element_kind {
  DLS_ELEMENT_BAR,
  DLS_ELEMENT_FRAME,
  DLS_ELEMENT_QUAD
} dls_element_kind;

typedef enum dls_quad_form {
  DLS_QUAD_INCOMPATIBLE, /* Wilson's two modes in Taylor's form: passes the patch test, bends  */
  DLS_QUAD_BILINEAR,     /* plain, 2 x 2 Gauss points                                          */
  DLS_QUAD_BBAR          /* mean dilatation: does not lock where nu is near 1/2                */
} dls_quad_form;

typedef struct dls_element {
  int kind;         /* a dls_element_kind                                                  */
  int form;         /* of a quad: a dls_quad_form                                          */
  int node[4];      /* 2 or 4 of them, a quad's counter-clockwise                          */
  double E;         /* Pa, > 0                                                             */
  double A, I;      /* m^2, m^4 of a bar or frame                                          */
  double nu;        /* of a quad, -1 < nu < 1/2                                            */
  double expansion; /* 1/K                                                                 */
  double heat[2];   /* K: constant, growing                                                */
} dls_element;

typedef struct dls_structure_spring {
  int node, dof;    /* a dls_structure_dof                                                 */
  double stiffness; /* N/m or N m/rad, >= 0                                                */
} dls_structure_spring;

typedef struct dls_contact_pair {
  int a[2];         /* nodes of body a: {-1, -1} the ground, {a, -1} one node, {a0, a1}    */
  int b;            /* node of body b                                                      */
  double share;     /* place on the segment: u_a = (1 - share) u_a0 + share u_a1           */
  double normal[2]; /* unit, from a to b                                                   */
  double gap;       /* m; < 0: interference                                                */
  double friction;  /* >= 0                                                                */
} dls_contact_pair;

typedef struct dls_structure {
  dls_alloc alloc;  /* owns the lists                                                      */
  bool plane_stress; /* else plane strain                                                  */
  double thickness; /* m, > 0, of quads                                                    */
  int n_nodes, n_elements, n_springs, n_contacts; /* used */
  int node_room, element_room, spring_room, contact_room; /* taken */
  dls_structure_node *nodes; /* n_nodes, owned */
  dls_element *elements; /* n_elements, owned */
  dls_structure_spring *springs; /* n_springs, owned */
  dls_contact_pair *contacts; /* n_contacts, owned */
} dls_structure;

dls_structure dls_structure_default(const dls_alloc *alloc);
void dls_structure_destroy(dls_structure *st);

/* Adds one; DLS_NOMEM and DLS_TOOBIG leave the structure as it was. Indices are those of the
** lists. */
dls_status dls_structure_add_node(dls_structure *st, double x, double y);
dls_status dls_structure_add_element(dls_structure *st, const dls_element *element);
dls_status dls_structure_add_spring(dls_structure *st, const dls_structure_spring *spring);
dls_status dls_structure_add_contact(dls_structure *st, const dls_contact_pair *contact);

/* Room for so many more nodes and elements, so that adding them cannot fail. */
dls_status dls_structure_reserve(dls_structure *st, int n_nodes, int n_elements);

/* *to, all zero before, becomes a structure of its own with the same contents. */
dls_status dls_structure_copy(const dls_structure *from, dls_structure *to);

/* Number of nodes of an element. */
static inline int dls_element_nodes(const dls_element *e) {
  return e->kind == DLS_ELEMENT_QUAD ? 4 : 2;
}

#endif
