/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_SCHEME_IMPACT_HELD_H
#define DLS_SCHEME_IMPACT_HELD_H

#include "core/step/step.h"

/* Mechanisms that an impact strikes: the jump of velocities of impulses p of a contact is P M^-1 J'
** p, P the M-orthogonal projection on what trees, rigid joints and gears admit at q_c; by the rows
** of these in S->rows, whose impulses go to p_impact. Mechanisms apart from each other answer
** apart. Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */
typedef struct dls_mechanisms {
  dls_step *S; /* the step */
  dls_contact_stage *C; /* its contacts */
  dls_joint_stage *joints; /* its joints */
  int n;            /* rows of rigid joints and gears; 0: nothing below is there        */
  dls_overlap *o;   /* n, by mechanism                                                  */
  int *row;         /* n: whose these are                                               */
  int *root;        /* n_bodies: a body of its mechanism                                */
  int *start;       /* n_bodies + 1: into o, where root[i] = i                          */
  double *W;        /* n_rows x nb: of contacts, as mechanisms answer                   */
  unsigned char *weighed; /* n_blocks: W is there                                       */
} dls_mechanisms;

/* From the arena. DLS_FULL: rows->need is set. */
dls_status dls_mechanisms_take(dls_mechanisms *of, dls_step *S, dls_contact_stage *C,
                               dls_joint_stage *joints);

/* Impulses p of a contact: u follows, and trees; impulses of joints are counted. */
dls_status dls_mechanisms_strike(dls_mechanisms *of, const dls_block *block, const double *p,
                                 double *u);

/* W of a contact, n x nb: J P M^-1 J', from the first time on; u and trees are left as they
** were. */
dls_status dls_mechanisms_weigh(dls_mechanisms *of, const dls_block *block, double *u,
                                const double **W);

/* Rows of mechanisms that a contact strikes. */
int dls_mechanisms_count(const dls_mechanisms *of, const dls_block *block);

#endif
