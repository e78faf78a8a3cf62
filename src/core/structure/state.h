/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_STATE_H
#define DLS_STRUCTURE_STATE_H

#include "core/structure/law.h"

/* The structure at one load. */
typedef enum dls_held_state {
  DLS_CONTACT_STICK,
  DLS_CONTACT_SLIP,
  DLS_CONTACT_APART
} dls_held_state;

typedef struct dls_contact_answer {
  double normal_force;     /* N, on b along the normal, >= 0; the tightening is part of it     */
  double tangential_force; /* N, on b along the tangent                                        */
  double opening;          /* m, >= 0                                                          */
  double slip;             /* m, of b along the tangent relative to a, what was committed too  */
  int state;               /* a dls_held_state                                              */
} dls_contact_answer;

typedef struct dls_structure_state {
  dls_alloc alloc;   /* owns the arrays                                                         */
  int n_nodes, m;    /* of the structure                                                        */
  double p;          /* load parameter                                                          */
  double part[2];    /* factors of the constant and the growing load: 1, p; of a rate 0, 1      */
  double *u;         /* 3 a node: displacements, m, rad                                         */
  double *support;   /* 3 a node: forces and moment of supports and springs; dls_state_supports */
  bool supported;    /* those are there                                                         */
  dls_contact_answer *contacts; /* m                                                            */
  double *link;      /* 2 m: forces of the links on b, without tightening                       */
  double residual;   /* the largest of that of the law, relative to the loads' forces (law.h), of
                        equilibrium, and `unbalance` */
  double unbalance;  /* of what moves freely, relative to the loads (motions.h): no solver's word */
  bool jammed;       /* links that repeat others have no answer without compliance (harden.h)   */
} dls_structure_state;

/* The state of z (law->n numbers) at p. rate: z is a rate dz/dp, and so is the state; gaps,
** committed slips and the constant load are left out. slip0: m, or NULL. DLS_NOMEM, DLS_STOPPED
** leave *s all zero. */
dls_status dls_state_make(dls_structure_state *s, const dls_condensed *c, const dls_law *law,
                          const double *slip0, double p, const double *z, bool rate,
                          dls_stop *stop);
void dls_state_destroy(dls_structure_state *s);

/* Fills s->support, once. DLS_NOMEM. */
dls_status dls_state_supports(dls_structure_state *s, const dls_structure *st,
                              const dls_dofs *dofs);

/* The temperature of an element in the state, K, and the displacements of its nodes. */
double dls_state_element(const dls_structure_state *s, const dls_element *e, double *u);

#endif
