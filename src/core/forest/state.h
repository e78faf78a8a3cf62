/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_STATE_H
#define DLS_FOREST_STATE_H

#include "core/forest/model.h"

/* The changing part. The caller writes the inputs; the functions of kinematics.h and dynamics.h
** fill the rest, each from what the one before left. Nothing is allocated after creation. */

/* Input of a link with a GIVEN joint: inertial frame, of the link's frame. */
typedef struct dls_given {
  double p[3];     /* position of the origin, m      */
  double q[4];     /* quaternion link -> inertial    */
  double omega[3]; /* angular velocity, rad/s        */
  double v[3];     /* velocity of the origin, m/s    */
  double eps[3];   /* angular acceleration           */
  double a[3];     /* acceleration of the origin     */
} dls_given;

/* Input of a prescribed elementary motion. */
typedef struct dls_drive {
  double s, ds, dds; /* value and its two time derivatives: rad or m, /s, /s^2 */
} dls_drive;

/* What is known of a node after each stage. Frames: node axes unless said otherwise. */
typedef struct dls_node_state {
  /* after dls_forest_place */
  double E[9], r[3]; /* pose in the parent node: columns are the node's axes in the parent     */
  double R_w[9];     /* node axes in the inertial frame                                        */
  double x_w[3];     /* node origin in the inertial frame, m                                   */
  /* after dls_forest_move */
  double v[6];       /* omega; velocity of the origin, rad/s, m/s                              */
  double c[3];       /* w*, rotation part, rad/s^2                                             */
  double zeta[3];    /* w*, translation part, in the PARENT node's axes                        */
  /* after dls_forest_factor: the reusable factor, by kind */
  double f[24];      /* SCREW: W = M* A / D (6), 1/D; BALL: X = J^-1 H (9), J^-1 (6);
                     ** FREE: the same and K^-1 (6), K = M - H' X; PLANE: W (18), D^-1 (6)     */
  /* after an acceleration */
  double y[6];       /* D^-1 (Q - A' p*), p* the bias of the articulated body                  */
  double w[6];       /* (eps; a - g): the true acceleration less gravity                       */
  double R[6];       /* reaction on the node about its origin, N m and N (after dls_forest_reactions) */
  /* BALL: f is that of soft.h: D^-1 (J, H) in f[15 ..] and f[0 ..], D^-1 in f[9 ..] */
  bool soft;
} dls_node_state;

#define DLS_NODE_SCRATCH 27
#define DLS_LANE_ANGLE 1e5 /* rad: beyond it angles are reduced exactly, one by one */

typedef struct dls_forest_state {
  /* inputs */
  double *q;            /* forest->nq                                                            */
  double *u;            /* forest->nu                                                            */
  double *tau;          /* nu: applied generalized forces, conjugate to u: N, N m                */
  double *wrench;       /* 6 per link: moment about the centre of mass, force; inertial axes;
                        ** without gravity                                                       */
  dls_drive *drives;    /* forest->n_drives                                                      */
  dls_given *given;     /* forest->n_given                                                       */
  double gravity[3];    /* m/s^2, inertial axes                                                  */
  /* n_nodes: inertia beside that of the nodes' bodies, in factors; NULL: none. About the inertial z
  ** axis; or `bends`, in space: xx, xy, xz, yy, yz, zz in inertial axes */
  const double *bend;
  bool bends;
  /* 3 n_nodes: the one axis that a ball may turn about, unit, node axes; zeros: any. In softened
  ** factors and for who is pinned; NULL: none */
  const double *axis;
  bool loaded;          /* wrench is looked at; false: no link carries one (default true)        */
  /* results */
  double *udot;         /* nu                                                                    */
  dls_node_state *node; /* forest->n_nodes                                                       */
  struct dls_forest_packs *packs; /* wide paths of dls_forest_quick (pack.h); NULL: none        */
  struct dls_forest_quad *quad;   /* the other one (quad.h), where packs is NULL; NULL: none   */
  double *scratch;      /* DLS_NODE_SCRATCH numbers per node, of whatever runs                   */
} dls_forest_state;

/* The coordinates of the zero pose: zeros, and identity quaternions (forest->nq). */
void dls_forest_rest(const dls_forest *forest, double *q);

/* All zero but quaternions, which are the identity. DLS_NOMEM leaves *out untouched. */
dls_status dls_forest_state_create(dls_forest_state **out, const dls_forest *forest);
void dls_forest_state_destroy(dls_forest_state *state, const dls_forest *forest);

#endif
