/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_MODEL_H
#define DLS_FOREST_MODEL_H

#include "core/base/alloc.h"
#include "core/math/spatial.h"

/* A forest: rigid bodies (links), each carried by one joint on a parent link or on the inertial
** frame. A free body is a tree of one link; a body whose motion is prescribed (body 0, a wall, a
** belt, a drum) is a link with a GIVEN joint, and others may hang from it. Links come in any
** order; q and u follow that order. Inside, links become NODES, parents first:
**
**   each joint is a row of data: elementary motions, one after the other, each a constant screw
**   in the frame left by the one before. Every free motion becomes one node with one degree of
**   freedom whose origin lies on the axis and whose z axis is the axis; all but the last are
**   massless. Ball, free and plane joints are nodes of 3, 6 and 3 degrees. A joint without
**   free motions is a weld or a driven node with none.
**
** Per node i with parent k, in NODE coordinates, 6-vectors rotation first (EQUATIONS section C):
**
**   v_i = C_i v_k + A_i u_i + v*_i           v = (omega; v_O)
**   w_i = C_i w_k + A_i udot_i + w*_i        w = (eps; a_O), a_O the true acceleration
**   M_i w_i = F_i + R_i - sum_{children} C_j' R_j ,    A_i' R_i + rotor_i udot_i = Q_i
**
** C_i = [ E', 0 ; -E' r~, E' ] with the pose (E, r) of i in k. R_i is the wrench that k exerts on
** i through the joint, everything included that acts there.
** Sources: Shimanovskiy, Method for computer simulation of multibody systems dynamics;
** Vereshchagin 1974; Featherstone, Rigid Body Dynamics Algorithms, Springer 2008. */

typedef enum dls_motion_kind {
  DLS_MOTION_ROTATE, /* about `axis`, rad                                        */
  DLS_MOTION_SLIDE,  /* along `axis`, m                                          */
  DLS_MOTION_SCREW   /* exp(q (axis; linear)): any screw, angular part first     */
} dls_motion_kind;

/* One elementary motion. Its axis passes through the origin of the frame left by the one before. */
typedef struct dls_motion {
  dls_motion_kind kind; /* turn or slide */
  double axis[3];   /* direction in that frame, made unit (SCREW: taken as it is, may be zero)  */
  double linear[3]; /* SCREW only: velocity of the frame's origin per unit of q                */
  int drive;        /* number of the drive that prescribes it; -1: free, has a coordinate      */
  double rotor;     /* inertia of the drive's rotor, kg m^2 (kg for slides); 0 for none        */
} dls_motion;

#define DLS_MAX_MOTIONS 12 /* elementary motions of one joint; at most 6 of them free */

typedef enum dls_joint_kind {
  DLS_JOINT_MOTIONS,   /* revolute, prismatic, universal, cylindrical, planar, fixed (none),
                       ** chain, custom: q and u one number per free motion, in order            */
  DLS_JOINT_SPHERICAL, /* q: quaternion (4) of the child in the joint's zero frame;
                       ** u: angular velocity relative to the parent, child axes (3)             */
  DLS_JOINT_FREE,      /* q: position of the child's origin in the zero frame (3), quaternion (4);
                       ** u: velocity of that origin in zero-frame axes (3), angular velocity in
                       ** child axes (3), both relative to the parent                            */
  DLS_JOINT_PLANE,     /* q: x, y, angle in the zero frame; u: their rates (a planar free body)  */
  DLS_JOINT_GIVEN      /* no coordinates: pose, velocity, acceleration are inputs (state->given) */
} dls_joint_kind;

/* One body and the joint that carries it. Frames of bodies are the user's. */
typedef struct dls_link {
  dls_joint_kind kind;       /* of the joint */
  int parent;                /* link that carries it, any index; -1: the inertial frame         */
  dls_place on_parent;       /* the joint's frame in the parent link's frame                    */
  dls_place on_child;        /* the same in this link's frame: the zero pose is where both
                             ** coincide. SPHERICAL: child axes are the LINK's axes, so that the
                             ** zero frame has the axes of the link at zero. FREE and PLANE:
                             ** identity wanted (position is that of the link's origin)          */
  int n_motions;             /* MOTIONS: 0 .. DLS_MAX_MOTIONS                                   */
  const dls_motion *motions; /* n_motions, borrowed during create                               */
  bool backwards;            /* MOTIONS: the last free one has the first coordinate             */
  bool alone;                /* a tree by itself, whose node comes behind those of all others    */
  double mass;               /* kg, >= 0                                                        */
  double com[3];             /* centre of mass in the link's frame, m                           */
  double inertia[6];         /* about the centre, link axes: xx, yy, zz, xy, xz, yz, kg m^2     */
} dls_link;

typedef enum dls_node_kind {
  DLS_NODE_SCREW,    /* one free degree: rotates by a q about z and slides by b q along z   */
  DLS_NODE_REVOLUTE, /* the same with a = 1, b = 0, rotor = 0                               */
  DLS_NODE_BALL,     /* three: relative angular velocity in node axes                       */
  DLS_NODE_FREE,     /* six: velocity of the origin in zero axes, angular in node axes      */
  DLS_NODE_PLANE,    /* three: x, y, angle in the zero frame                                */
  DLS_NODE_DRIVEN,   /* none: a screw whose q is a drive                                    */
  DLS_NODE_WELD,     /* none: constant pose                                                 */
  DLS_NODE_GIVEN     /* none: pose and motion are inputs, in the inertial frame             */
} dls_node_kind;

typedef struct dls_node {
  dls_node_kind kind; /* which motions it has */
  int parent;       /* node, < own index; -1: the inertial frame                            */
  int up;           /* the parent, or -1 where that is given and feels nothing              */
  int link;         /* the link it belongs to                                               */
  int iq, iu;       /* its first coordinate and velocity; meaningless where nq = 0          */
  int nq, nu;       /* how many                                                             */
  int input;        /* DRIVEN: number of the drive; GIVEN: number of the given link         */
  double a, b;      /* SCREW, DRIVEN: rad and m per unit of q                               */
  dls_place zero;   /* zero pose in the parent node's frame                                 */
  double turn[4];   /* quaternion of zero.R                                                 */
  double angle;     /* flat: of zero.R's first column                                       */
  dls_inertia M;    /* of the link about the node's origin, node axes; zero but on the last */
  double rotor;     /* added to A' M* A, one-degree nodes only, kg m^2 or kg                */
} dls_node;

typedef struct dls_link_info {
  int node;             /* the last of its nodes, which carries the body                    */
  int iq, iu, nq, nu;   /* its coordinates and velocities                                    */
  int tree;             /* number of the tree                                               */
  dls_place body;       /* link frame in the frame of `node`                                */
  double angle;         /* flat: of body.R's first column                                   */
  dls_vec3 com;         /* centre of mass in the frame of `node`                            */
  dls_vec3 anchor;      /* joint's anchor on this link, in the frame of `node`              */
  double mass;          /* kg                                                               */
} dls_link_info;

/* The constant part. Owned by one creator; shared read-only by any number of states. */
typedef struct dls_forest {
  dls_alloc alloc;         /* of all its memory */
  int n_links, n_nodes;    /* bodies; nodes                                                 */
  int nq, nu;              /* coordinates and velocities                                    */
  int n_drives, n_given;   /* prescribed motions; links with a GIVEN joint                  */
  int n_trees;             /* trees of links with coordinates or given ones                 */
  int n_walked, n_walked_trees; /* nodes and trees but those of links that are alone            */
  dls_node *nodes;         /* n_nodes, parents first; the nodes of a tree are consecutive   */
  dls_link_info *links;    /* n_links, the user's order                                     */
  int *tree_first;         /* n_trees + 1: nodes of tree t are tree_first[t] .. [t+1]-1     */
  int *u_node;             /* nu: node of each velocity                                     */
  bool flat;               /* in the plane, and every frame too (flat.h)                    */
  bool hinged;             /* flat, of hinges and bodies that are free in the plane alone   */
} dls_forest;

/* What was wrong with a model. */
typedef enum dls_forest_reason {
  DLS_FOREST_FINE,
  DLS_FOREST_PARENT,  /* parent out of range                                                */
  DLS_FOREST_LOOP,    /* the joints close a loop                                            */
  DLS_FOREST_AXIS,    /* a zero axis                                                        */
  DLS_FOREST_MOTIONS, /* too many motions (value: how many)                                 */
  DLS_FOREST_DRIVE,   /* drive number out of range                                          */
  DLS_FOREST_NUMBER,  /* not finite, or a negative mass or rotor                            */
  DLS_FOREST_INERTIA  /* an inertia no body can have (value: how far, relative)             */
} dls_forest_reason;

typedef struct dls_forest_fault {
  dls_forest_reason reason; /* why not */
  int link;     /* which link; -1 where none */
  double value; /* see the reason            */
} dls_forest_fault;

typedef struct dls_forest_def {
  int n_links;           /* bodies                                                           */
  const dls_link *links; /* n_links, borrowed during create                                  */
  int n_drives;          /* prescribed motions                                               */
  bool planar;           /* everything stays in the x-y plane: only inertia zz is looked at  */
} dls_forest_def;

/* The forest without what is alone, for walks over nodes: arrays, numbers of links, coordinates and
** velocities are its own, and borrowed. */
static inline dls_forest dls_forest_walked(const dls_forest *forest) {
  dls_forest walked = *forest;
  walked.n_nodes = forest->n_walked, walked.n_trees = forest->n_walked_trees;
  return walked;
}

/* Compiles def into *out. Linear time, no recursion.
** DLS_ARG: fault says what and where; DLS_NOMEM, DLS_TOOBIG. *out is untouched on failure. */
dls_status dls_forest_create(dls_forest **out, const dls_alloc *alloc, const dls_forest_def *def,
                             dls_forest_fault *fault);
void dls_forest_destroy(dls_forest *forest); /* NULL is accepted */

#endif
