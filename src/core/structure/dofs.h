/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_STRUCTURE_DOFS_H
#define DLS_STRUCTURE_DOFS_H

#include "core/structure/model.h"

/* Numbers of the unknown displacements. A node on which nothing hangs (no element, spring or
** contact) has none; a rotation is there where a frame is. */
#define DLS_DOF_HELD (-1)   /* prescribed                 */
#define DLS_DOF_ABSENT (-2) /* the node has no such thing */

typedef struct dls_dofs {
  dls_alloc alloc; /* owns the arrays                                                    */
  int n;           /* unknowns                                                           */
  int n_nodes;     /* of the structure                                                   */
  int n_blocks;    /* nodes with unknowns                                                */
  int *number;     /* 3 a node: number of x, y, rotation, or one of the two above        */
  int *block;      /* n_nodes + 1 places, n_blocks + 1 used: first unknown of each block */
  int *node_of;    /* n places or more: node of an unknown                               */
} dls_dofs;

/* What is wrong with a structure; the binding writes the sentence. */
typedef enum dls_flaw {
  DLS_FLAW_NONE,
  DLS_FLAW_LOADED,   /* a load on a node on which nothing hangs: node                         */
  DLS_FLAW_MOMENT,   /* a moment on a node without rotation: node                             */
  DLS_FLAW_SPRING,   /* a spring on a rotation that is not there: node                        */
  DLS_FLAW_FLOATS,   /* a part can move as a rigid body: node (its first), count, motions     */
  DLS_FLAW_YIELDS,   /* a node can move without resistance: node, motions                     */
  DLS_FLAW_HELD,     /* both sides of a contact are held along its normal: contact            */
} dls_flaw;

typedef struct dls_structure_fault {
  dls_flaw kind;     /* what is wrong */
  int node, contact; /* 0-based                                        */
  int count;         /* nodes in the part                              */
  int motions;       /* bit d: dls_structure_dof d is free             */
} dls_structure_fault;

/* *dofs all zero before, and after a failure. DLS_ARG with a fault; DLS_NOMEM. */
dls_status dls_dofs_number(dls_dofs *dofs, const dls_structure *st, dls_structure_fault *fault);
void dls_dofs_destroy(dls_dofs *dofs);

/* Is there a way in which a part moves as a rigid body without strain, the contacts held closed
** (along the tangent where they have friction)? DLS_ARG with the first such part in the fault.
** Parts are what elements connect; beyond PARTS_MOST of them it is left to the factorisation. */
dls_status dls_structure_floats(const dls_structure *st, const dls_dofs *dofs,
                                dls_structure_fault *fault);

#endif
