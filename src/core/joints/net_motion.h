/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_NET_MOTION_H
#define DLS_JOINTS_NET_MOTION_H

#include "core/joints/spring_nets.h"

/* Nets of springs (spring_nets.h): who is in them, how they move as one rigid body, and that motion
** in place of a step. */

/* A net, by its first body. */
typedef struct dls_net {
  double mass;                 /* kg */
  double gain, allowed, noise; /* G; what resolved lines may have; round-off, J      */
  double moves;                /* kinetic energy beside u_r, J                       */
  double kinetic;              /* what projections have given since it was asked, J  */
  double projected;            /* of the gain, by what positions moved beside velocities, J */
  double drawn;                /* the most that (2) of spring_law.h may give it, J   */
  dls_vec3 centre, v, turn;    /* u_r is v + turn x (r - centre)                     */
  dls_vec3 moment;             /* angular momentum about the centre                  */
  double inertia[3][3];        /* about it, kg m^2                                   */
  int given;                   /* a body that does not move freely and holds it; -1  */
  int tries;                   /* attempts of this step */
  bool treed;                  /* trees are in it: it pays before velocities are admitted */
  bool sprung;                 /* springs between two points are, or stiff ones of penalty joints */
  bool stiff;                  /* some of which the step does not resolve            */
  bool carried;                /* it moves as one rigid body in this step */
} dls_net;

struct dls_spring_nets {
  int *of;     /* n_bodies: the first body of a body's net */
  dls_net *at; /* by that                                  */
};

/* All nets of the step, from the world's arena. */
dls_status dls_nets_find(dls_joint_stage *S, dls_spring_nets *N);

/* u_r of all nets, at q with u: that of their momenta, or of who holds them. */
void dls_nets_find_motions(const dls_joint_stage *S, const dls_spring_nets *N, const double *q,
                           const double *u);

/* u_r of body i. */
void dls_net_velocity(const dls_joint_stage *S, const dls_net *of, const double *q, int i,
                      double *u);

/* Whether body i moves freely, in a net with springs between two points or those of joints that are
** no tree's. */
static inline bool dls_is_in_net(const dls_joint_stage *S, const dls_spring_nets *N, int i) {
  return dls_moves_freely(&S->w->bodies[i]) && N->at[N->of[i]].sprung;
}

#endif
