/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_FOREST_DYNAMICS_H
#define DLS_FOREST_DYNAMICS_H

#include "core/base/arena.h"
#include "core/forest/kinematics.h"

/* M(q) udot + bias(q, u) = tau. Gravity acts as an acceleration of everything upwards: inside,
** w means (eps; a - g), and a body in free fall transmits exact zeros. Statuses: DLS_SINGULAR, a
** link without inertia where its joint moves: *fault. */

typedef enum dls_forest_method {
  DLS_FOREST_FAST,  /* structured: 3 x 3 blocks, one triangle; fills the reusable factor      */
  DLS_FOREST_LDL,   /* Shimanovskiy's block L'DL, 6 x 6, as published                         */
  DLS_FOREST_SWEEP, /* Vereshchagin's sweep, 6 x 6, one triangle                              */
  DLS_FOREST_DENSE  /* the full system (5) of EQUATIONS C by LU; the oracle, small forests    */
} dls_forest_method;

/* state->udot and the nodes' w, R from q, u, tau, wrench, drives, given and gravity: placing and
** moving included. tmp: dls_forest_bytes(forest, method) bytes (0 for FAST).
** DLS_SINGULAR: fault->index is the LINK whose joint has a direction without inertia,
** fault->value the pivot; DLS_FULL. */
dls_status dls_forest_accelerate(const dls_forest *forest, dls_forest_state *state,
                                 dls_forest_method method, dls_arena *tmp, dls_fault *fault);
size_t dls_forest_bytes(const dls_forest *forest, dls_forest_method method);

/* The stages of FAST, for those who need them apart.
** factor: after place: articulated inertias -> node[].f, which serves any number of right sides.
** udot:   after place and move: the factor, and accelerations from tau and wrench. */
dls_status dls_forest_factor(const dls_forest *forest, dls_forest_state *state, dls_fault *fault);
dls_status dls_forest_udot(const dls_forest *forest, dls_forest_state *state, dls_fault *fault);

/* The accelerations and nothing else, from q, u, tau and the inputs alone: wrench is not looked at,
** and node[] is spoilt. Uses wide paths where dls_forest_widen has prepared them: the same on every
** processor, but sums over several children may be rounded in another order than in
** dls_forest_udot. */
dls_status dls_forest_widen(const dls_forest *forest, dls_forest_state *state, int path);
dls_status dls_forest_quick(const dls_forest *forest, dls_forest_state *state, dls_fault *fault);

/* Reactions node[].R from w: one sweep tips to roots. After an acceleration (FAST leaves them
** out; the other methods fill them). */
void dls_forest_reactions(const dls_forest *forest, dls_forest_state *state);
/* node[].R such that each link gets `wrench` from its joints altogether (6 per link: moment about
** the centre, force; inertial axes): sums tips to roots. After place. */
void dls_forest_transmit(const dls_forest *forest, dls_forest_state *state, const double *wrench);
/* The wrench the parent exerts on the link through its joint: force, and moment about the anchor
** fixed in the link; inertial axes; after the reactions. */
dls_spatial dls_forest_link_reaction(const dls_forest *forest, const dls_forest_state *state,
                                     int link);

/* X = M^-1 B for k right sides, each nu numbers, one after another; B = X is allowed. After
** factor. Needs 12 scratch numbers per node. */
void dls_forest_solve(const dls_forest *forest, dls_forest_state *state, int k, const double *B,
                      double *X);

/* Impulse response: du = M^-1 (f + J' wrench); f (nu) or NULL, wrench (6 per link, about the
** centre, inertial axes) or NULL. */
void dls_forest_respond(const dls_forest *forest, dls_forest_state *state, const double *f,
                        const double *wrench, double *du);

/* The same from tips to roots, and from roots to tips: between them every node has its y in scratch
** (dls_row_entry), to which rows may add. V (NULL: not asked for): as dls_forest_velocities of du,
** without what drives and carriers move. */
void dls_forest_respond_up(const dls_forest *forest, dls_forest_state *state, const double *f,
                           const double *wrench);
void dls_forest_respond_down(const dls_forest *forest, dls_forest_state *state, double *du,
                             double *V);

/* Rows: J u = sum over the sides of row i of j . (omega; v of the centre), inertial axes, plus
** u_coef[i] u[u_of[i]]. */
typedef struct dls_row_side {
  int link;    /* >= 0; links without coordinates add nothing */
  double j[6]; /* angular part first                          */
} dls_row_side;

typedef struct dls_forest_rows {
  int n;                     /* rows                                                             */
  const int *first;          /* n + 1: row i has the sides first[i] .. first[i+1]-1, at most 8   */
  const dls_row_side *sides; /* first[n]                                                         */
  const int *u_of;           /* n: the velocity a row acts on directly (limits, motors), -1 none;
                             ** NULL: none at all                                                */
  const double *u_coef;      /* n: its coefficient                                               */
} dls_forest_rows;

/* One node with velocities on a row's way to the root. The factor makes M^-1 a sum of squares: in
** the numbers x of all nodes, x = 0 without impulses,
**
**     x += y p,    J u' = J u + z' x,    W_rs = sum over common nodes of z_r' y_s,    y = D^-1 z. */
typedef struct dls_row_entry {
  int node;          /* of the forest */
  double z[6], y[6]; /* node->nu numbers of each */
} dls_row_entry;

/* The entries of each row, in descending order of nodes, from the factor: those of row i are
** list[start[i]] .. list[start[i + 1] - 1]. Both are taken from the arena. DLS_FULL: it lacks
** dls_forest_delassus_bytes; DLS_ARG: a row has too many sides. */
dls_status dls_forest_walks(const dls_forest *forest, const dls_forest_state *state,
                            const dls_forest_rows *rows, dls_arena *tmp, size_t **start,
                            dls_row_entry **list);

/* Between up and down: y = 0, as nothing acted; J u of a row from what acted so far; and p times
** the row acts. */
void dls_forest_unpush(const dls_forest *forest, dls_forest_state *state);
double dls_forest_row_speed(const dls_forest *forest, const dls_forest_state *state,
                            const dls_row_entry *list, const dls_row_entry *end);
void dls_forest_row_push(const dls_forest *forest, dls_forest_state *state,
                         const dls_row_entry *list, const dls_row_entry *end, double p);

/* W of n_rows rows whose entries are known: of those listed in which; NULL: the first ones. */
void dls_forest_products(const dls_forest *forest, int n_rows, const int *which,
                         const size_t *start, const dls_row_entry *list, double *W);

/* Delassus matrix W = J M^-1 J' (n x n, row-major, symmetric) from the factor: each row walks from
** its links to the root once. DLS_FULL: tmp needs dls_forest_delassus_bytes. */
dls_status dls_forest_delassus(const dls_forest *forest, const dls_forest_state *state,
                               const dls_forest_rows *rows, dls_arena *tmp, double *W);
size_t dls_forest_delassus_bytes(const dls_forest *forest, const dls_forest_rows *rows);

/* tau = M udot + bias - J' wrench, for any udot; after place and move. Leaves w and R behind. */
void dls_forest_inverse(const dls_forest *forest, dls_forest_state *state, const double *udot,
                        double *tau);
/* bias = inverse dynamics at udot = 0 (gravity, velocity terms, wrenches; not tau). */
void dls_forest_bias(const dls_forest *forest, dls_forest_state *state, double *bias);
/* M (nu x nu, symmetric); after dls_forest_place. */
void dls_forest_mass_matrix(const dls_forest *forest, dls_forest_state *state, double *M);

/* Kinetic energy; potential energy in the field of gravity (zero at the inertial origin). */
double dls_forest_kinetic(const dls_forest *forest, const dls_forest_state *state);
double dls_forest_potential(const dls_forest *forest, const dls_forest_state *state);

#endif
