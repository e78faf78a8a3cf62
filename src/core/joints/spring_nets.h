/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_SPRING_NETS_H
#define DLS_JOINTS_SPRING_NETS_H

#include "core/joints/stage.h"

/* The account of springs between two points, net by net: a net is what springs, joints and pressing
** contacts join.
**
** The law (spring_law.h) adds no energy as long as deflections grow by h m: along one line at q_c
** they do, to the account of spring_line.h. In a net other springs move the ends across the line,
** at rates v_t before and v_t' after, and |r'| - |r| has (h/4g) h m_t (v_t' - v_t) beside that.
** With the tension k A a step so gains
**
**     G = sum (k x'^2/2 - k x^2/2 + p m),    of the order of  k A h^2 (v_t'^2 - v_t^2)/(8 g),
**
** without bound where bodies give way across a line that is drawn or pressed (h^2 k A w/4g > 1): a
** net of more springs than freedoms, W with a kernel, cannot relax its tensions. G is what the step
** is judged by, from lengths at q and q':
**
** 1. G at most what a lone resolved line may have (k L d FAR/8 for each that the step resolves): as
** it is. 2. Where G is more than EXACT of what moves, the step is made again with the lengths at
** rest that make of every row the
**    discrete gradient along the way that was gone: resolved nets then keep their energy to a share of G.
** 3. What is left is taken from velocities relative to the net's motion as one rigid body, u_r + a
** (u - u_r): a net that
**    nothing given holds keeps momentum and angular momentum. For that kinetic energy beside u_r has to be as much as G.
** 4. Where it is not, the step is made again with dampers b of the scheme 64, 64^2 .. as strong: as
** b grows, m and what
**    else moves go to nothing, and the step is one of descent in the stored energy.
** 5. Where no b is enough (lines at a singular pose, velocities beside u_r that b does not see), a
** net moves as one rigid
**    body in this step: nothing is stored or given, what moved beside u_r is taken.
**
** By 3 and 5 kinetic and stored energy of a net never grow beyond 1, whatever k, c, h. Trees in it
** keep the coordinates of their joints by 5. Coordinates of penalty joints do not grow by h m
** either: nets of theirs that the step does not resolve are judged as well; by 2 the deflections of
** such rows count what is beyond h m. Springs inside trees, resolved ones too, are in G, and so is
** what angular momentum that projections of positions took gives as it is given back (moment.h:
** bodies that turn by 1 rad a step get some 2 % by it), of resolved nets what is more than a
** midpoint's swing. Where trees are in a net it pays before velocities are admitted; by (2) they
** are then drawn to no more than it has lost, and what it has paid nothing draws back. What is left
** of G where attempts end early (max_iterations) is told as the ledger's error. What penalty rows
** store is in no G. Statuses: DLS_SINGULAR, a link without inertia where its joint moves. */

/* What a step that is made again knows of a spring between two points, or of a row of a joint's. */
struct dls_spring_try {
  /* L* - L along the way that was gone; of a joint: h m less what its coordinate went */
  double shift;
  double first; /* G of the first attempt; infinite: there was not as much to take, J */
  double slow;  /* times its damper b is as strong; 0: as the law has it               */
  int tries;    /* of its net                                                         */
  bool known;   /* shift is                                                           */
  bool carried; /* its net moves as one rigid body                                    */
};

/* How many there are; that of a row. */
int dls_spring_tries(const dls_world *w);
static inline dls_spring_try *dls_spring_try_of(const dls_joint_stage *S,
                                                const dls_spring_row *row) {
  return &S->spring_try[row->joint < 0 ? -1 - row->joint
                                       : S->w->n_springs + (int)(row - S->spring_row)];
}

/* Bytes of the account, and of what steps that are made again know. */
size_t dls_spring_nets_bytes(const dls_world *w);

/* What springs store with bodies, and trees, at q_n; those of penalty joints: penalty_step.h. */
double dls_springs_stored(const dls_joint_stage *S);

/* Nets that are carried stand at q_n; before positions are projected. */
dls_status dls_spring_nets_carry(dls_joint_stage *S);

/* After the projection of positions: S->nets, with what kinetic energy they have there. */
dls_status dls_spring_nets_find(dls_joint_stage *S);

/* When momenta are kept (admit.h): whether the step is to be made again, S->again, with what
** S->spring_try then has. */
void dls_spring_nets_judge(dls_joint_stage *S);

/* At the end, when (2) of spring_law.h has acted: velocities u_n that have paid. */
void dls_spring_nets_pay(dls_joint_stage *S);

#endif
