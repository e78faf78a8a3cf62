/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_PIVOTS_H
#define DLS_FOREST_PIVOTS_H

#include "core/forest/dynamics.h"

/* Forests of hinges in the plane (forest->hinged), placed, factored and answered in the axes of the
** world, motions and wrenches about the pivots: nothing turns on its way from node to node, what a
** node hands to the next moves by the vector between their pivots. A tenth of the general
** recursions' numbers (flat.h), for those who place and factor a forest several times in a row;
** nodes of the forest are not touched. With motions (omega; v of the pivot), wrenches (t; f) about
** it, and A = [J H'; H M] of all that a pivot carries,
**
**     D = J + more,  z = t,  y = z/D,
**     handed on:  (more y;  f - H y),   [more J/D  more H'/D;  .  M - H H'/D],
**     d omega = y - (J omega + H' v)/D.
**
** A root that is free in the plane is such a hinge on a slide along x on one along y: three numbers
** y.
** Sources: as model.h. */

/* A node with velocities, of a tree of more than one body. */
typedef struct dls_pivot {
  /* what is constant */
  int up;          /* the pivot that carries it; -1: none, or what is given                    */
  int depth;       /* pivots on its way to the root, itself included                           */
  int node, link;  /* of the forest                                                            */
  int iq, iu;      /* its first coordinate and velocity                                        */
  int input;       /* number of the given link that carries it; -1: none                       */
  bool free;       /* a root that is free in the plane                                         */
  double side;     /* 1 or -1: its coordinate turns about z, or against it                     */
  double start;    /* the angle at zero beside that of what carries it, rad                    */
  double zero[4];  /* axes at zero in those of what carries it, by rows                        */
  double r[2];     /* the pivot there, m                                                       */
  double com[2];   /* the body's centre in the axes of the node, m                             */
  double mass, J;  /* of the body, kg; about the pivot, kg m^2                                 */
  double above[7]; /* of a given body that carries it, or the world: axes by rows, place, angle */
  /* where it stands */
  double R[4], x[2]; /* axes by rows; pivot, m                                                 */
  double angle;    /* of the axes, rad                                                         */
  double c[2];     /* centre - pivot, m                                                        */
  double d[2];     /* pivot - pivot of up, m                                                   */
  /* its factor */
  double A[6], most; /* of all that it carries: J, H, M (xx, xy, yy); what J was added up of   */
  double per, more, give; /* 1/D; inertia beside J; J/D                                        */
  double U[2];     /* H/D                                                                      */
  double slide[3]; /* free: 1/M_xx, M_xy/M_xx, 1 over what is left of M_yy                     */
  /* on the way */
  double t, f[2];  /* up: a wrench about the pivot, N m, N                                     */
  double omega, v[2]; /* down: a motion, rad/s, m/s                                            */
  double own;      /* the hinge's velocity in it, rad/s                                        */
} dls_pivot;

typedef struct dls_pivots {
  int n;          /* pivots, what carries one before it            */
  dls_pivot *at;  /* room for forest->n_nodes                      */
  int *of_node;   /* forest->n_nodes: pivot of a node, -1: none    */
  bool turned;    /* axes and angles are those of the coordinates, places are not yet */
  int followed;   /* turns since axes were those of coordinates to the bit */
  double *y;      /* 3 forest->n_nodes: a pivot's slide along y, along x, its hinge */
} dls_pivots;

/* One number of a row on its way to the root: of y[at]. */
typedef struct dls_pivot_entry {
  int at;      /* number among those of y                        */
  double z, y; /* what it asks for there; D^-1 z                 */
} dls_pivot_entry;

/* Entries that a row on the bodies of two pivots (-1: none) needs at most. */
static inline size_t dls_pivots_room(const dls_pivots *P, const int on[2]) {
  return 4 + (size_t)(on[0] >= 0 ? P->at[on[0]].depth : 0) +
         (size_t)(on[1] >= 0 ? P->at[on[1]].depth : 0);
}

/* What is constant, from the forest and where its given links are. False: this forest, or where it
** stands, has no such form. Its arrays are there. */
bool dls_pivots_open(const dls_forest *forest, dls_forest_state *state, dls_pivots *P);

/* Given links have moved. */
void dls_pivots_carry(dls_pivots *P, const dls_given *given);

/* Poses from coordinates. */
void dls_pivots_place(dls_pivots *P, const double *q);

/* Coordinates go the way of the last motion (dls_pivots_down), by this share of it; and poses with
** them, to round-off, where turns are small: dls_pivots_follow stands for dls_pivots_place then. */
void dls_pivots_turn(dls_pivots *P, double share, double *q);
void dls_pivots_follow(dls_pivots *P, const double *q);

/* The centre of a pivot's body, inertial axes. */
static inline void dls_pivot_centre(const dls_pivot *p, double out[2]) {
  out[0] = p->x[0] + p->c[0];
  out[1] = p->x[1] + p->c[1];
}

/* The factor. bend: by node, inertia beside the bodies'; more: by velocity, on the coordinate
** (NULL: none). False: a pivot without inertia. */
bool dls_pivots_factor(dls_pivots *P, const double *bend, const double *more);

/* From tips to roots: y of the wrenches t, f and of impulses Q by velocity (NULL: none). Without
** any: y = 0. And back: motions, and the velocities du, where there are pivots. */
void dls_pivots_up(const dls_pivots *P, const double *Q);
void dls_pivots_unpush(const dls_pivots *P);
void dls_pivots_down(const dls_pivots *P, double *du);

/* The motions of the velocities u; given: of what carries them, NULL: it rests. */
void dls_pivots_move(const dls_pivots *P, const double *u, const dls_given *given);

/* The motion of a pivot's body: velocities of the centre, rad/s. */
static inline void dls_pivot_velocity(const dls_pivot *p, double out[3]) {
  out[0] = p->v[0] - p->omega * p->c[1];
  out[1] = p->v[1] + p->omega * p->c[0];
  out[2] = p->omega;
}

/* The way of a row that acts with the wrench (t; f) on the body of pivot i, about its centre, and
** one on that of j (-1: on one alone): entries in descending order; how many. */
int dls_pivots_walk(const dls_pivots *P, const int on[2], const double (*wrench)[3],
                    dls_pivot_entry *list);

/* sum z y of what acts; y += p of a row; W of two rows. */
double dls_pivots_speed(const dls_pivots *P, const dls_pivot_entry *list, int n);
void dls_pivots_push(const dls_pivots *P, const dls_pivot_entry *list, int n, double p);
double dls_pivots_product(const dls_pivot_entry *a, int n_a, const dls_pivot_entry *b, int n_b);
/* The same of rows on one body each: from where their ways meet they are one. */
double dls_pivots_product_of_ways(const dls_pivot_entry *a, int n_a, const dls_pivot_entry *b,
                                  int n_b);

#endif
