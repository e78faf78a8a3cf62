/* Copyright (c) 2026 the delassus authors.
** SPDX-License-Identifier: MIT */
#ifndef DLS_JOINTS_PENALTY_GENERAL_H
#define DLS_JOINTS_PENALTY_GENERAL_H

#include "core/joints/penalties.h"

/* Penalty joints of any motion, free and prescribed: custom ones, driven ones, chains that are no
** kind of EQUATIONS B. With T the pose of b's joint frame in a's, T(q, s) that of the coordinates q
** and of the prescribed values s, and a length l that makes rotations comparable to metres,
**
**     y(q) = ( l log(R_T R(q, s)'),  p_T - p(q, s) ),     E = alpha/2  min over q of |y|^2.
**
** At the minimum y is orthogonal to the joint's columns A (angular part times l). The rows are an
** orthonormal basis N of what A leaves: G = N y, J = N (l omega, v) on the twist of b's frame
** against a's at b's origin, Gdot = J u - N (l omega, v) of the drives. Since log(R)'dlog(R) =
** log(R)'omega, the forces -alpha G J' are exactly -dE, they do nothing along the free motions, and
** both act on one line: momenta are kept. With s constant and A from one of the kinds of B these
** are its rows but for the shape of E far from zero.
**
** One alpha and beta for all rows, in metres; l^2 = alpha_rotation/alpha of published and given
** gains, that of the bodies (J/m together) else. Forces on a act at b's frame: plane rows' yielding
** is theirs too. */

/* l of a joint, m; its gains are known. */
double dls_general_length(const dls_world *w, const dls_joint *joint);

/* How many rows it has. */
int dls_general_rows(const dls_world *w, const dls_joint *joint);

/* Whether a penalty joint is of this kind. */
static inline bool dls_is_general(const dls_joint *joint) { return joint->like == DLS_KIND_CUSTOM; }

/* Where the two bodies stand. */
typedef struct dls_general {
  const dls_joint *joint; /* borrowed */
  dls_mat3 F;         /* axes of a's joint frame in the world                     */
  dls_vec3 a_i, x_j;  /* from the mass centres of a and b to b's joint frame       */
  double q[7];        /* nearest coordinates, from those of the joint's state      */
  double columns[36]; /* A: twists of the coordinates                              */
  double scaled[36];  /* the same, angular part times l                            */
  double rate[6];     /* twist of the drives                                       */
  double x[6];        /* y                                                         */
  double share;       /* of the gains that acts                                    */
} dls_general;

void dls_general_look(const dls_world *w, int index, const dls_penalty_body body[2],
                      dls_general *g);

/* Its rows with their forces. */
void dls_general_evaluate(const dls_general *g, const dls_world *w, const dls_penalty_body body[2],
                          dls_penalty_now *out);

double dls_general_energy(const dls_general *g);

/* J (12 numbers) of the rate of coordinate k; answers what the drives make of J u. */
double dls_general_coordinate(const dls_general *g, int k, double *J);

#endif
